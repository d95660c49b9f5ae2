
typedef struct {
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t ahead;
    int64_t s0_out0;
    float *out0;
} k0_softmax_log_multiply_sum_short_args;

/* softmax, log, multiply, sum, negative.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
void k0_softmax_log_multiply_sum_short(const k0_softmax_log_multiply_sum_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t ahead = a->ahead;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    float exps1[2112];
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (2048 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v2[32];
        float rows_v8[32];
        float rows_max1[32];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float max1 = kf_lowest_f32;
            {
                const float *p0_in_x = in_x + i0 * s0_in_x;
                float lanes_max1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max1[l] = kf_lowest_f32;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        lanes_max1[l] = kf_max_f32(v0, lanes_max1[l]);
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        lanes_max1[part - whole0 + l] = kf_max_f32(l < left ? v0 : kf_lowest_f32, lanes_max1[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max1[l + 32], lanes_max1[l]);
                    const float high = kf_max_f32(lanes_max1[l + 48], lanes_max1[l + 16]);
                    lanes_max1[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max1[l + 8], lanes_max1[l]);
                    const float high = kf_max_f32(lanes_max1[l + 12], lanes_max1[l + 4]);
                    lanes_max1[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max1[2], lanes_max1[0]);
                    const float high = kf_max_f32(lanes_max1[3], lanes_max1[1]);
                    lanes_max1[0] = kf_max_f32(high, low);
                }
                const float block_max1 = lanes_max1[0];
                max1 = kf_max_f32(block_max1, max1);
            }
            rows_max1[r] = max1;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float max1 = rows_max1[r];
            float sumexp1 = 0.0f;
            if (ahead) {
                kf_prefetch_run(in_x + (i0 * s0_in_x + s0_in_x * most_rows), n1 * 4);
            }
            {
                float *exps1_from = exps1 + r * n1;
                const float *p0_in_x = in_x + i0 * s0_in_x;
                float lanes_sumexp1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sumexp1[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float term1 = kf_exp_nonpositive_f32(v0 - max1);
                        exps1_from[group + l] = term1;
                        lanes_sumexp1[l] = lanes_sumexp1[l] + term1;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float term1 = kf_exp_nonpositive_f32(v0 - max1);
                        exps1_from[part + l] = term1;
                        lanes_sumexp1[part - whole1 + l] = lanes_sumexp1[part - whole1 + l] + (l < left ? term1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sumexp1[l] + lanes_sumexp1[l + 32];
                    const float high = lanes_sumexp1[l + 16] + lanes_sumexp1[l + 48];
                    lanes_sumexp1[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sumexp1[l] + lanes_sumexp1[l + 8];
                    const float high = lanes_sumexp1[l + 4] + lanes_sumexp1[l + 12];
                    lanes_sumexp1[l] = low + high;
                }
                {
                    const float low = lanes_sumexp1[0] + lanes_sumexp1[2];
                    const float high = lanes_sumexp1[1] + lanes_sumexp1[3];
                    lanes_sumexp1[0] = low + high;
                }
                const float block_sumexp1 = kf_isinf_f32(max1) ? kf_one_f32 : lanes_sumexp1[0];
                sumexp1 = sumexp1 + block_sumexp1;
            }
            const float v2 = max1;  // max
            const float v5 = sumexp1;  // sumexp
            const float v6 = v2 - v2;  // softmax
            const float v7 = v5 + v6;  // softmax
            const float v8 = kf_one_f32 / v7;  // softmax
            rows_v2[r] = v2;
            rows_v8[r] = v8;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v8 = rows_v8[r];
            float sum12 = 0.0f;
            {
                float *exps1_from = exps1 + r * n1;
                float lanes_sum12[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sum12[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v9 = exps1_from[group + l] * v8;  // softmax
                        const float v10 = kf_log_f32(v9);  // log
                        const float v11 = v9 * v10;  // multiply
                        lanes_sum12[l] = lanes_sum12[l] + v11;
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v9 = exps1_from[part + l] * v8;  // softmax
                        const float v10 = kf_log_f32(v9);  // log
                        const float v11 = v9 * v10;  // multiply
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
                sum12 = block_sum12;
            }
            const float v13 = sum12;  // sum
            const float v14 = -v13;  // negative
            kf_store_f32(out0, i0 * s0_out0, v14);
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t grain;
    float *exps1_memory;
    int64_t grouped;
    const float *in_x;
    int64_t s0_in_x;
    int64_t far;
    float *out0;
    int64_t s0_out0;
} k0_softmax_log_multiply_sum_args;

/* softmax, log, multiply, sum, negative.
 * One row after another, all stages of a row together.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
void k0_softmax_log_multiply_sum(const k0_softmax_log_multiply_sum_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t grain = a->grain;
    float *exps1_memory = a->exps1_memory;
    const int64_t grouped = a->grouped;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t far = a->far;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t slot = grain == 0 ? (-1) : ((begin / grain) * (n1 + 64));  // of a row that doesn't fit on the stack
    float exps1_stack[65536];
    float *exps1 = slot < 0 ? exps1_stack : (exps1_memory + slot);
    const int64_t most_rows = n1 <= grouped ? 8 : 1;
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v2[8];
        float rows_v8[8];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float max1 = kf_lowest_f32;
            float sumexp1 = 0.0f;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                if (far) {
                    for (int64_t l = 0; l < len; l += 16) {
                        kf_prefetch(p0_in_x + 2048 + l);
                    }
                }
                float lanes_max1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max1[l] = kf_lowest_f32;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        lanes_max1[l] = kf_max_f32(v0, lanes_max1[l]);
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        lanes_max1[part - whole0 + l] = kf_max_f32(l < left ? v0 : kf_lowest_f32, lanes_max1[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max1[l + 32], lanes_max1[l]);
                    const float high = kf_max_f32(lanes_max1[l + 48], lanes_max1[l + 16]);
                    lanes_max1[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max1[l + 8], lanes_max1[l]);
                    const float high = kf_max_f32(lanes_max1[l + 12], lanes_max1[l + 4]);
                    lanes_max1[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max1[2], lanes_max1[0]);
                    const float high = kf_max_f32(lanes_max1[3], lanes_max1[1]);
                    lanes_max1[0] = kf_max_f32(high, low);
                }
                const float block_max1 = lanes_max1[0];
                max1 = kf_max_f32(block_max1, max1);
            }
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                float *exps1_from = exps1 + (r * n1 + first);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                float lanes_sumexp1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sumexp1[l] = 0.0f;
                }
                const int64_t whole1 = len - len % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float term1 = kf_exp_nonpositive_f32(v0 - max1);
                        exps1_from[group + l] = term1;
                        lanes_sumexp1[l] = lanes_sumexp1[l] + term1;
                    }
                }
                for (int64_t part = whole1; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float term1 = kf_exp_nonpositive_f32(v0 - max1);
                        exps1_from[part + l] = term1;
                        lanes_sumexp1[part - whole1 + l] = lanes_sumexp1[part - whole1 + l] + (l < left ? term1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sumexp1[l] + lanes_sumexp1[l + 32];
                    const float high = lanes_sumexp1[l + 16] + lanes_sumexp1[l + 48];
                    lanes_sumexp1[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sumexp1[l] + lanes_sumexp1[l + 8];
                    const float high = lanes_sumexp1[l + 4] + lanes_sumexp1[l + 12];
                    lanes_sumexp1[l] = low + high;
                }
                {
                    const float low = lanes_sumexp1[0] + lanes_sumexp1[2];
                    const float high = lanes_sumexp1[1] + lanes_sumexp1[3];
                    lanes_sumexp1[0] = low + high;
                }
                const float block_sumexp1 = kf_isinf_f32(max1) ? kf_one_f32 : lanes_sumexp1[0];
                sumexp1 = sumexp1 + block_sumexp1;
            }
            const float v2 = max1;  // max
            const float v5 = sumexp1;  // sumexp
            const float v6 = v2 - v2;  // softmax
            const float v7 = v5 + v6;  // softmax
            const float v8 = kf_one_f32 / v7;  // softmax
            rows_v2[r] = v2;
            rows_v8[r] = v8;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v8 = rows_v8[r];
            float sum12 = 0.0f;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                float *exps1_from = exps1 + (r * n1 + first);
                float lanes_sum12[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sum12[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v9 = exps1_from[group + l] * v8;  // softmax
                        const float v10 = kf_log_f32(v9);  // log
                        const float v11 = v9 * v10;  // multiply
                        lanes_sum12[l] = lanes_sum12[l] + v11;
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v9 = exps1_from[part + l] * v8;  // softmax
                        const float v10 = kf_log_f32(v9);  // log
                        const float v11 = v9 * v10;  // multiply
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
            const float v14 = -v13;  // negative
            kf_store_f32(out0, i0 * s0_out0, v14);
        }
    }
}
