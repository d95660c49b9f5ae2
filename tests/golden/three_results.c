
typedef struct {
    int64_t n1;
    int64_t size_v5;
    int64_t run;
    const float *in_x;
    int64_t s0_in_x;
    const float *in_y;
    int64_t s0_in_y;
    float *out_h;
    int64_t s0_out_h;
    float *out1;
    int64_t s0_out1;
    float *out2;
    int64_t s0_out2;
} k0_relu_multiply_add_mean_short_args;

/* relu, multiply, add, mean.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out_h    float32[x.0, x.1], 4 bytes each
 * writes out2     float32[x.0], 4 bytes each
 * writes out1     float32[x.0, x.1], 4 bytes each */
void k0_relu_multiply_add_mean_short(const k0_relu_multiply_add_mean_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v5 = a->size_v5;
    const int64_t run = a->run;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    float *out_h = a->out_h;
    const int64_t s0_out_h = a->s0_out_h;
    float *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    float *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    const float v6 = kf_cast_i64_f32(size_v5);  // mean
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        const int64_t runs = run ? 1 : rows;  // rows without gaps are one
        const int64_t len = run ? (rows * n1) : n1;
        for (int64_t r = 0; r < runs; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float *p0_in_x = in_x + i0 * s0_in_x;
            const float *p3_in_y = in_y + i0 * s0_in_y;
            float *p1_out_h = out_h + i0 * s0_out_h;
            float *p4_out1 = out1 + i0 * s0_out1;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v0 = kf_load_f32(p0_in_x, l);
                const float v2 = kf_max_f32(v0, 0.0f);  // relu
                const float v9 = v2 * 2.0f;  // multiply
                const float v10 = kf_load_f32(p3_in_y, l);
                const float v11 = v9 + v10;  // add
                kf_store_f32(p1_out_h, l, v2);
                kf_store_f32(p4_out1, l, v11);
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float sum3 = 0.0f;
            {
                const float *p0_in_x = in_x + i0 * s0_in_x;
                float lanes_sum3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sum3[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        lanes_sum3[l] = lanes_sum3[l] + v2;
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        lanes_sum3[part - whole0 + l] = lanes_sum3[part - whole0 + l] + (l < left ? v2 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sum3[l] + lanes_sum3[l + 32];
                    const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
                    lanes_sum3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sum3[l] + lanes_sum3[l + 8];
                    const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
                    lanes_sum3[l] = low + high;
                }
                {
                    const float low = lanes_sum3[0] + lanes_sum3[2];
                    const float high = lanes_sum3[1] + lanes_sum3[3];
                    lanes_sum3[0] = low + high;
                }
                const float block_sum3 = lanes_sum3[0];
                sum3 = block_sum3;
            }
            const float v4 = sum3;  // sum
            const float v7 = v4 / v6;  // mean
            kf_store_f32(out2, i0 * s0_out2, v7);
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t reduced;
    int64_t chunks;
    int64_t size_v5;
    const float *in_x;
    int64_t s0_in_x;
    const float *in_y;
    int64_t s0_in_y;
    float *out_h;
    int64_t s0_out_h;
    float *out1;
    int64_t s0_out1;
    float *out2;
    int64_t s0_out2;
    float *part_sum3;
} k0_relu_multiply_add_mean_args;

/* relu, multiply, add, mean.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out_h    float32[x.0, x.1], 4 bytes each
 * writes out2     float32[x.0], 4 bytes each
 * writes out1     float32[x.0, x.1], 4 bytes each */
void k0_relu_multiply_add_mean(const k0_relu_multiply_add_mean_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t size_v5 = a->size_v5;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    float *out_h = a->out_h;
    const int64_t s0_out_h = a->s0_out_h;
    float *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    float *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    float *part_sum3 = a->part_sum3;
    const float v6 = kf_cast_i64_f32(size_v5);  // mean
    for (int64_t u = begin; u < end; ++u) {
        const int64_t row = u / chunks;
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        const int64_t i0 = row;
        float sum3 = 0.0f;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const float *p0_in_x = in_x + (i0 * s0_in_x + first);
            const float *p3_in_y = in_y + (i0 * s0_in_y + first);
            float *p1_out_h = out_h + (i0 * s0_out_h + first);
            float buffer0[2096];
            float *to0 = stream ? buffer0 : p1_out_h;
            float *p4_out1 = out1 + (i0 * s0_out1 + first);
            float buffer2[2096];
            float *to2 = stream ? buffer2 : p4_out1;
            if (stream) {
                kf_stream_ahead(p1_out_h, len * 4);
                kf_stream_ahead(p1_out_h + s0_out_h, len * 4);
                kf_stream_ahead(p4_out1, len * 4);
                kf_stream_ahead(p4_out1 + s0_out1, len * 4);
            }
            float lanes_sum3[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sum3[l] = 0.0f;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, group + l);
                    const float v2 = kf_max_f32(v0, 0.0f);  // relu
                    const float v9 = v2 * 2.0f;  // multiply
                    const float v10 = kf_load_f32(p3_in_y, group + l);
                    const float v11 = v9 + v10;  // add
                    kf_store_f32(to0, group + l, v2);
                    kf_store_f32(to2, group + l, v11);
                    lanes_sum3[l] = lanes_sum3[l] + v2;
                }
            }
            KF_SIMD
            for (int64_t l = whole0; l < len; ++l) {
                const float v0 = kf_load_f32(p0_in_x, l);
                const float v2 = kf_max_f32(v0, 0.0f);  // relu
                const float v9 = v2 * 2.0f;  // multiply
                const float v10 = kf_load_f32(p3_in_y, l);
                const float v11 = v9 + v10;  // add
                kf_store_f32(to0, l, v2);
                kf_store_f32(to2, l, v11);
            }
            for (int64_t part = whole0; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                    const float v2 = kf_max_f32(v0, 0.0f);  // relu
                    lanes_sum3[part - whole0 + l] = lanes_sum3[part - whole0 + l] + (l < left ? v2 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sum3[l] + lanes_sum3[l + 32];
                const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
                lanes_sum3[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sum3[l] + lanes_sum3[l + 8];
                const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
                lanes_sum3[l] = low + high;
            }
            {
                const float low = lanes_sum3[0] + lanes_sum3[2];
                const float high = lanes_sum3[1] + lanes_sum3[3];
                lanes_sum3[0] = low + high;
            }
            const float block_sum3 = lanes_sum3[0];
            sum3 = sum3 + block_sum3;
            if (stream) {
                kf_stream_copy(p1_out_h, buffer0, len * 4);
                kf_stream_copy(p4_out1, buffer2, len * 4);
            }
        }
        if (chunks == 1) {
            const float v4 = sum3;  // sum
            const float v7 = v4 / v6;  // mean
            kf_store_f32(out2, i0 * s0_out2, v7);
        } else {
            kf_store_f32(part_sum3, u, sum3);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t chunks;
    int64_t size_v5;
    float *part_sum3;
    float *out2;
    int64_t s0_out2;
} k0_relu_multiply_add_mean_merge_args;

/* relu, multiply, add, mean.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out2     float32[x.0], 4 bytes each */
void k0_relu_multiply_add_mean_merge(const k0_relu_multiply_add_mean_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t size_v5 = a->size_v5;
    float *part_sum3 = a->part_sum3;
    float *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    const float v6 = kf_cast_i64_f32(size_v5);  // mean
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        float sum3 = 0.0f;
        float lanes_sum3[64];
        KF_SIMD
        for (int l = 0; l < 64; ++l) {
            lanes_sum3[l] = 0.0f;
        }
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const float q_sum3 = kf_load_f32(part_sum3, at);
            lanes_sum3[c % 64] = lanes_sum3[c % 64] + q_sum3;
        }
        KF_SIMD
        for (int l = 0; l < 16; ++l) {
            const float low = lanes_sum3[l] + lanes_sum3[l + 32];
            const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
            lanes_sum3[l] = low + high;
        }
        KF_SIMD
        for (int l = 0; l < 4; ++l) {
            const float low = lanes_sum3[l] + lanes_sum3[l + 8];
            const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
            lanes_sum3[l] = low + high;
        }
        {
            const float low = lanes_sum3[0] + lanes_sum3[2];
            const float high = lanes_sum3[1] + lanes_sum3[3];
            lanes_sum3[0] = low + high;
        }
        sum3 = lanes_sum3[0];
        const float v4 = sum3;  // sum
        const float v7 = v4 / v6;  // mean
        kf_store_f32(out2, i0 * s0_out2, v7);
    }
}
