
typedef struct {
    int64_t n1;
    int64_t size_v14;
    int64_t run;
    const float *in_x;
    int64_t s0_in_x;
    const float *in_y;
    int64_t s0_in_y;
    int64_t far;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_multiply_add_relu_multiply_short_args;

/* multiply, add, relu, multiply, abs, multiply, subtract, mean, subtract, abs, multiply, add,
 * max, add, divide, clip, multiply, mean, subtract, sum, multiply.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_multiply_add_relu_multiply_short(const k0_multiply_add_relu_multiply_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v14 = a->size_v14;
    const int64_t run = a->run;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v15 = kf_cast_i64_f32(size_v14);  // mean
    float row30[2112];
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v16[32];
        float rows_v24[32];
        float rows_v32[32];
        float rows_v34[32];
        float rows_mean31[32];
        float held11[1088];
        const int64_t runs = run ? 1 : rows;  // rows without gaps are one
        const int64_t len = run ? (rows * n1) : n1;
        for (int64_t r = 0; r < runs; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int64_t at = r * n1;
            const float *p0_in_x = in_x + i0 * s0_in_x;
            const float *p1_in_y = in_y + i0 * s0_in_y;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v0 = kf_load_f32(p0_in_x, l);
                const float v2 = v0 * 0.5f;  // multiply
                const float v3 = kf_load_f32(p1_in_y, l);
                const float v4 = v2 + v3;  // add
                const float v6 = kf_max_f32(v4, 0.0f);  // relu
                const float v7 = v6 * v3;  // multiply
                const float v8 = kf_abs_f32(v0);  // abs
                const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                const float v11 = v7 - v10;  // subtract
                held11[at + l] = v11;
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float sum12 = 0.0f;
            {
                float lanes_sum12[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sum12[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_sum12[l] = lanes_sum12[l] + held11[r * n1 + (group + l)];
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_sum12[part - whole0 + l] = lanes_sum12[part - whole0 + l] + (l < left ? held11[r * n1 + (part + l)] : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sum12[l] + lanes_sum12[l + 32];
                    const float high = lanes_sum12[l + 16] + lanes_sum12[l + 48];
                    lanes_sum12[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sum12[l] + lanes_sum12[l + 8];
                    const float high = lanes_sum12[l + 4] + lanes_sum12[l + 12];
                    lanes_sum12[l] = low + high;
                }
                {
                    const float low = lanes_sum12[0] + lanes_sum12[2];
                    const float high = lanes_sum12[1] + lanes_sum12[3];
                    lanes_sum12[0] = low + high;
                }
                const float block_sum12 = lanes_sum12[0];
                sum12 = block_sum12;
            }
            const float v13 = sum12;  // sum
            const float v16 = v13 / v15;  // mean
            rows_v16[r] = v16;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v16 = rows_v16[r];
            float max22 = kf_lowest_f32;
            {
                const float *p0_in_x = in_x + i0 * s0_in_x;
                const float *p1_in_y = in_y + i0 * s0_in_y;
                float lanes_max22[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max22[l] = kf_lowest_f32;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v3 = kf_load_f32(p1_in_y, group + l);
                        const float v17 = held11[r * n1 + (group + l)] - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        lanes_max22[l] = kf_max_f32(v20, lanes_max22[l]);
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v3 = l < left ? kf_load_f32(p1_in_y, part + l) : 0.0f;
                        const float v17 = held11[r * n1 + (part + l)] - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        lanes_max22[part - whole0 + l] = kf_max_f32(l < left ? v20 : kf_lowest_f32, lanes_max22[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max22[l + 32], lanes_max22[l]);
                    const float high = kf_max_f32(lanes_max22[l + 48], lanes_max22[l + 16]);
                    lanes_max22[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max22[l + 8], lanes_max22[l]);
                    const float high = kf_max_f32(lanes_max22[l + 12], lanes_max22[l + 4]);
                    lanes_max22[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max22[2], lanes_max22[0]);
                    const float high = kf_max_f32(lanes_max22[3], lanes_max22[1]);
                    lanes_max22[0] = kf_max_f32(high, low);
                }
                const float block_max22 = lanes_max22[0];
                max22 = block_max22;
            }
            const float v23 = max22;  // max
            const float v24 = 1.0f + v23;  // add
            rows_v24[r] = v24;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v16 = rows_v16[r];
            const float v24 = rows_v24[r];
            float mean31 = 0.0f;
            {
                float *row30_from = row30 + r * n1;
                const float *p0_in_x = in_x + i0 * s0_in_x;
                const float *p1_in_y = in_y + i0 * s0_in_y;
                float lanes_mean31[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean31[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v3 = kf_load_f32(p1_in_y, group + l);
                        const float v17 = held11[r * n1 + (group + l)] - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        const float v25 = v20 / v24;  // divide
                        const float v27 = kf_max_f32(v25, 0.25f);  // clip
                        const float v29 = kf_min_f32(v27, 0.75f);  // clip
                        const float v30 = v29 * held11[r * n1 + (group + l)];  // multiply
                        row30_from[group + l] = v30;
                        lanes_mean31[l] = lanes_mean31[l] + v30;
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v3 = l < left ? kf_load_f32(p1_in_y, part + l) : 0.0f;
                        const float v17 = held11[r * n1 + (part + l)] - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        const float v25 = v20 / v24;  // divide
                        const float v27 = kf_max_f32(v25, 0.25f);  // clip
                        const float v29 = kf_min_f32(v27, 0.75f);  // clip
                        const float v30 = v29 * held11[r * n1 + (part + l)];  // multiply
                        row30_from[part + l] = v30;
                        lanes_mean31[part - whole0 + l] = lanes_mean31[part - whole0 + l] + (l < left ? v30 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean31[l] + lanes_mean31[l + 32];
                    const float high = lanes_mean31[l + 16] + lanes_mean31[l + 48];
                    lanes_mean31[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean31[l] + lanes_mean31[l + 8];
                    const float high = lanes_mean31[l + 4] + lanes_mean31[l + 12];
                    lanes_mean31[l] = low + high;
                }
                {
                    const float low = lanes_mean31[0] + lanes_mean31[2];
                    const float high = lanes_mean31[1] + lanes_mean31[3];
                    lanes_mean31[0] = low + high;
                }
                const float block_mean31 = kf_mean_of_f32(lanes_mean31[0], kf_cast_i64_f32(n1));
                mean31 = block_mean31;
            }
            rows_mean31[r] = mean31;
        }
        for (int64_t r = 0; r < rows; ++r) {
            float mean31 = rows_mean31[r];
            float m2_31 = 0.0f;
            {
                float *row30_from = row30 + r * n1;
                float lanes_m2_31[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_31[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term31 = kf_square_f32(row30_from[group + l] - mean31);
                        lanes_m2_31[l] = lanes_m2_31[l] + term31;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term31 = kf_square_f32(row30_from[part + l] - mean31);
                        lanes_m2_31[part - whole1 + l] = lanes_m2_31[part - whole1 + l] + (l < left ? term31 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_31[l] + lanes_m2_31[l + 32];
                    const float high = lanes_m2_31[l + 16] + lanes_m2_31[l + 48];
                    lanes_m2_31[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_31[l] + lanes_m2_31[l + 8];
                    const float high = lanes_m2_31[l + 4] + lanes_m2_31[l + 12];
                    lanes_m2_31[l] = low + high;
                }
                {
                    const float low = lanes_m2_31[0] + lanes_m2_31[2];
                    const float high = lanes_m2_31[1] + lanes_m2_31[3];
                    lanes_m2_31[0] = low + high;
                }
                const float block_m2_31 = lanes_m2_31[0];
                m2_31 = block_m2_31;
            }
            const float v32 = n1 > 0 ? mean31 : kf_nan_f32;  // mean
            const float v34 = m2_31;  // m2
            rows_v32[r] = v32;
            rows_v34[r] = v34;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v32 = rows_v32[r];
            const float v34 = rows_v34[r];
            {
                float *row30_from = row30 + r * n1;
                if (far) {
                    const float *p0_in_x = in_x + i0 * s0_in_x;
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                    }
                }
                if (far) {
                    const float *p1_in_y = in_y + i0 * s0_in_y;
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_far(p1_in_y + s0_in_y * most_rows + l);
                    }
                }
                float *p2_out0 = out0 + i0 * s0_out0;
                if (far_out0) {
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_write(p2_out0 + s0_out0 * most_rows + l);
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v33 = row30_from[l] - v32;  // subtract
                    const float v35 = v33 * v34;  // multiply
                    kf_store_f32(p2_out0, l, v35);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t size_v14;
    int64_t grain;
    float *row30_memory;
    int64_t grouped;
    int64_t far;
    int64_t s0_in_x;
    const float *in_x;
    int64_t s0_in_y;
    const float *in_y;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_multiply_add_relu_multiply_args;

/* multiply, add, relu, multiply, abs, multiply, subtract, mean, subtract, abs, multiply, add,
 * max, add, divide, clip, multiply, mean, subtract, sum, multiply.
 * One row after another, all stages of a row together.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_multiply_add_relu_multiply(const k0_multiply_add_relu_multiply_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t size_v14 = a->size_v14;
    const int64_t grain = a->grain;
    float *row30_memory = a->row30_memory;
    const int64_t grouped = a->grouped;
    const int64_t far = a->far;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_x = a->in_x;
    const int64_t s0_in_y = a->s0_in_y;
    const float *in_y = a->in_y;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v15 = kf_cast_i64_f32(size_v14);  // mean
    const int64_t slot = grain == 0 ? (-1) : ((begin / grain) * (n1 + 64));  // of a row that doesn't fit on the stack
    float row30_stack[65536];
    float *row30 = slot < 0 ? row30_stack : (row30_memory + slot);
    const int64_t most_rows = n1 <= grouped ? 8 : 1;
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v16[8];
        float rows_v24[8];
        float rows_v32[8];
        float rows_v34[8];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            if (far && most_rows > 1) {
                kf_prefetch_run(in_x + (i0 * s0_in_x + s0_in_x * most_rows), n1 * 4);
                kf_prefetch_run(in_y + (i0 * s0_in_y + s0_in_y * most_rows), n1 * 4);
                if (stream == 0) {
                    kf_prefetch_write_run(out0 + i0 * s0_out0, n1 * 4);
                }
            }
            float sum12 = 0.0f;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                const float *p1_in_y = in_y + (i0 * s0_in_y + first);
                if (len == 2048) {
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p0_in_x + 2048 + l);
                        }
                    }
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p1_in_y + 2048 + l);
                        }
                    }
                }
                float lanes_sum12[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sum12[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v2 = v0 * 0.5f;  // multiply
                        const float v3 = kf_load_f32(p1_in_y, group + l);
                        const float v4 = v2 + v3;  // add
                        const float v6 = kf_max_f32(v4, 0.0f);  // relu
                        const float v7 = v6 * v3;  // multiply
                        const float v8 = kf_abs_f32(v0);  // abs
                        const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                        const float v11 = v7 - v10;  // subtract
                        lanes_sum12[l] = lanes_sum12[l] + v11;
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v2 = v0 * 0.5f;  // multiply
                        const float v3 = l < left ? kf_load_f32(p1_in_y, part + l) : 0.0f;
                        const float v4 = v2 + v3;  // add
                        const float v6 = kf_max_f32(v4, 0.0f);  // relu
                        const float v7 = v6 * v3;  // multiply
                        const float v8 = kf_abs_f32(v0);  // abs
                        const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                        const float v11 = v7 - v10;  // subtract
                        lanes_sum12[part - whole0 + l] = lanes_sum12[part - whole0 + l] + (l < left ? v11 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sum12[l] + lanes_sum12[l + 32];
                    const float high = lanes_sum12[l + 16] + lanes_sum12[l + 48];
                    lanes_sum12[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sum12[l] + lanes_sum12[l + 8];
                    const float high = lanes_sum12[l + 4] + lanes_sum12[l + 12];
                    lanes_sum12[l] = low + high;
                }
                {
                    const float low = lanes_sum12[0] + lanes_sum12[2];
                    const float high = lanes_sum12[1] + lanes_sum12[3];
                    lanes_sum12[0] = low + high;
                }
                const float block_sum12 = lanes_sum12[0];
                sum12 = sum12 + block_sum12;
            }
            const float v13 = sum12;  // sum
            const float v16 = v13 / v15;  // mean
            rows_v16[r] = v16;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v16 = rows_v16[r];
            float max22 = kf_lowest_f32;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                const float *p1_in_y = in_y + (i0 * s0_in_y + first);
                if (len == 2048) {
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p0_in_x + 2048 + l);
                        }
                    }
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p1_in_y + 2048 + l);
                        }
                    }
                }
                float lanes_max22[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max22[l] = kf_lowest_f32;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v2 = v0 * 0.5f;  // multiply
                        const float v3 = kf_load_f32(p1_in_y, group + l);
                        const float v4 = v2 + v3;  // add
                        const float v6 = kf_max_f32(v4, 0.0f);  // relu
                        const float v7 = v6 * v3;  // multiply
                        const float v8 = kf_abs_f32(v0);  // abs
                        const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                        const float v11 = v7 - v10;  // subtract
                        const float v17 = v11 - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        lanes_max22[l] = kf_max_f32(v20, lanes_max22[l]);
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v2 = v0 * 0.5f;  // multiply
                        const float v3 = l < left ? kf_load_f32(p1_in_y, part + l) : 0.0f;
                        const float v4 = v2 + v3;  // add
                        const float v6 = kf_max_f32(v4, 0.0f);  // relu
                        const float v7 = v6 * v3;  // multiply
                        const float v8 = kf_abs_f32(v0);  // abs
                        const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                        const float v11 = v7 - v10;  // subtract
                        const float v17 = v11 - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        lanes_max22[part - whole0 + l] = kf_max_f32(l < left ? v20 : kf_lowest_f32, lanes_max22[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max22[l + 32], lanes_max22[l]);
                    const float high = kf_max_f32(lanes_max22[l + 48], lanes_max22[l + 16]);
                    lanes_max22[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max22[l + 8], lanes_max22[l]);
                    const float high = kf_max_f32(lanes_max22[l + 12], lanes_max22[l + 4]);
                    lanes_max22[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max22[2], lanes_max22[0]);
                    const float high = kf_max_f32(lanes_max22[3], lanes_max22[1]);
                    lanes_max22[0] = kf_max_f32(high, low);
                }
                const float block_max22 = lanes_max22[0];
                max22 = kf_max_f32(block_max22, max22);
            }
            const float v23 = max22;  // max
            const float v24 = 1.0f + v23;  // add
            rows_v24[r] = v24;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v16 = rows_v16[r];
            const float v24 = rows_v24[r];
            float mean31 = 0.0f;
            float m2_31 = 0.0f;
            int64_t done2 = 0;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                float *row30_from = row30 + (r * n1 + first);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                const float *p1_in_y = in_y + (i0 * s0_in_y + first);
                float lanes_mean31[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean31[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v2 = v0 * 0.5f;  // multiply
                        const float v3 = kf_load_f32(p1_in_y, group + l);
                        const float v4 = v2 + v3;  // add
                        const float v6 = kf_max_f32(v4, 0.0f);  // relu
                        const float v7 = v6 * v3;  // multiply
                        const float v8 = kf_abs_f32(v0);  // abs
                        const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                        const float v11 = v7 - v10;  // subtract
                        const float v17 = v11 - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        const float v25 = v20 / v24;  // divide
                        const float v27 = kf_max_f32(v25, 0.25f);  // clip
                        const float v29 = kf_min_f32(v27, 0.75f);  // clip
                        const float v30 = v29 * v11;  // multiply
                        row30_from[group + l] = v30;
                        lanes_mean31[l] = lanes_mean31[l] + v30;
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v2 = v0 * 0.5f;  // multiply
                        const float v3 = l < left ? kf_load_f32(p1_in_y, part + l) : 0.0f;
                        const float v4 = v2 + v3;  // add
                        const float v6 = kf_max_f32(v4, 0.0f);  // relu
                        const float v7 = v6 * v3;  // multiply
                        const float v8 = kf_abs_f32(v0);  // abs
                        const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                        const float v11 = v7 - v10;  // subtract
                        const float v17 = v11 - v16;  // subtract
                        const float v18 = kf_abs_f32(v17);  // abs
                        const float v19 = v0 * v3;  // multiply
                        const float v20 = v18 + v19;  // add
                        const float v25 = v20 / v24;  // divide
                        const float v27 = kf_max_f32(v25, 0.25f);  // clip
                        const float v29 = kf_min_f32(v27, 0.75f);  // clip
                        const float v30 = v29 * v11;  // multiply
                        row30_from[part + l] = v30;
                        lanes_mean31[part - whole0 + l] = lanes_mean31[part - whole0 + l] + (l < left ? v30 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean31[l] + lanes_mean31[l + 32];
                    const float high = lanes_mean31[l + 16] + lanes_mean31[l + 48];
                    lanes_mean31[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean31[l] + lanes_mean31[l + 8];
                    const float high = lanes_mean31[l + 4] + lanes_mean31[l + 12];
                    lanes_mean31[l] = low + high;
                }
                {
                    const float low = lanes_mean31[0] + lanes_mean31[2];
                    const float high = lanes_mean31[1] + lanes_mean31[3];
                    lanes_mean31[0] = low + high;
                }
                const float block_mean31 = kf_mean_of_f32(lanes_mean31[0], kf_cast_i64_f32(len));
                float lanes_m2_31[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_31[l] = 0.0f;
                }
                const int64_t whole1 = len - len % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term31 = kf_square_f32(row30_from[group + l] - block_mean31);
                        lanes_m2_31[l] = lanes_m2_31[l] + term31;
                    }
                }
                for (int64_t part = whole1; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term31 = kf_square_f32(row30_from[part + l] - block_mean31);
                        lanes_m2_31[part - whole1 + l] = lanes_m2_31[part - whole1 + l] + (l < left ? term31 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_31[l] + lanes_m2_31[l + 32];
                    const float high = lanes_m2_31[l + 16] + lanes_m2_31[l + 48];
                    lanes_m2_31[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_31[l] + lanes_m2_31[l + 8];
                    const float high = lanes_m2_31[l + 4] + lanes_m2_31[l + 12];
                    lanes_m2_31[l] = low + high;
                }
                {
                    const float low = lanes_m2_31[0] + lanes_m2_31[2];
                    const float high = lanes_m2_31[1] + lanes_m2_31[3];
                    lanes_m2_31[0] = low + high;
                }
                const float block_m2_31 = lanes_m2_31[0];
                if (done2 == 0) {
                    mean31 = block_mean31;
                    m2_31 = block_m2_31;
                } else {
                    {
                        const float merged_mean31 = kf_merge_mean_f32(mean31, block_mean31, kf_cast_i64_f32(done2), kf_cast_i64_f32(len));
                        const float merged_m2_31 = kf_merge_m2_f32(mean31, m2_31, block_mean31, block_m2_31, kf_cast_i64_f32(done2), kf_cast_i64_f32(len));
                        mean31 = merged_mean31;
                        m2_31 = merged_m2_31;
                    }
                }
                done2 = done2 + len;
            }
            const float v32 = n1 > 0 ? mean31 : kf_nan_f32;  // mean
            const float v34 = m2_31;  // m2
            rows_v32[r] = v32;
            rows_v34[r] = v34;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v32 = rows_v32[r];
            const float v34 = rows_v34[r];
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                float *row30_from = row30 + (r * n1 + first);
                if (most_rows == 1) {
                    if (far) {
                        const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                        }
                    }
                    if (far) {
                        const float *p1_in_y = in_y + (i0 * s0_in_y + first);
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_far(p1_in_y + s0_in_y * most_rows + l);
                        }
                    }
                    float *p2_out0 = out0 + (i0 * s0_out0 + first);
                    if (far_out0 && stream == 0) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_write(p2_out0 + s0_out0 * most_rows + l);
                        }
                    }
                }
                {
                    float *p2_out0 = out0 + (i0 * s0_out0 + first);
                    if (stream) {
                        kf_stream_ahead(p2_out0, len * 4);
                        kf_stream_ahead(p2_out0 + s0_out0 * most_rows, len * 4);
                    }
                    const int64_t size = stream ? (len <= 1024 ? 1024 : 256) : 2048;  // of a piece
                    const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
                    for (int64_t piece = start; piece < len; piece += size) {
                        const int64_t l0 = kf_max_i64(piece, 0);
                        const int64_t l1 = kf_min_i64(piece + size, len);
                        float buffer0[1072];
                        float *to0 = stream ? buffer0 : (p2_out0 + l0);
                        KF_SIMD
                        for (int64_t l = l0; l < l1; ++l) {
                            const float v33 = row30_from[l] - v32;  // subtract
                            const float v35 = v33 * v34;  // multiply
                            kf_store_f32(to0, l - l0, v35);
                        }
                        if (stream) {
                            kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                        }
                    }
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
