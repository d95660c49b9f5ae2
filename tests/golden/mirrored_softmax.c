
typedef struct {
    int64_t n1;
    int64_t s0_index1;
    int64_t size_index1;
    int64_t s0_index3;
    int64_t first_index3;
    int64_t size_index3;
    int64_t s0_index5;
    int64_t first_index5;
    int64_t size_index5;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const kf_bf16 *in_x_4;
    int64_t s0_in_x_4;
    int64_t s1_in_x_4;
    const kf_bf16 *in_x_6;
    int64_t s0_in_x_6;
    int64_t s1_in_x_6;
    int64_t size_index0;
    const kf_bf16 *in_x_8;
    int64_t s0_in_x_8;
    const kf_bf16 *in_x_9;
    int64_t s0_in_x_9;
    const kf_bf16 *in_x_10;
    int64_t s0_in_x_10;
    int64_t size_index7;
    int64_t first_index7;
    const kf_bf16 *in_x_12;
    int64_t s0_in_x_12;
    int64_t s1_in_x_12;
    const kf_bf16 *in_x_13;
    int64_t s0_in_x_13;
    int64_t s1_in_x_13;
    const kf_bf16 *in_x_14;
    int64_t s0_in_x_14;
    int64_t s1_in_x_14;
    int64_t size_index11;
    int64_t first_index11;
    int64_t ahead;
    int64_t s0_out0;
    kf_bf16 *out0;
    int64_t flat;
} k0_pad_softmax_short_args;

/* pad, softmax.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_4   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_6   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_8   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_9   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_10  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_12  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_13  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_14  bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0 + 2, x.1 + 2], 2 bytes each */
void k0_pad_softmax_short(const k0_pad_softmax_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t s0_index1 = a->s0_index1;
    const int64_t size_index1 = a->size_index1;
    const int64_t s0_index3 = a->s0_index3;
    const int64_t first_index3 = a->first_index3;
    const int64_t size_index3 = a->size_index3;
    const int64_t s0_index5 = a->s0_index5;
    const int64_t first_index5 = a->first_index5;
    const int64_t size_index5 = a->size_index5;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const kf_bf16 *in_x_4 = a->in_x_4;
    const int64_t s0_in_x_4 = a->s0_in_x_4;
    const int64_t s1_in_x_4 = a->s1_in_x_4;
    const kf_bf16 *in_x_6 = a->in_x_6;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const int64_t s1_in_x_6 = a->s1_in_x_6;
    const int64_t size_index0 = a->size_index0;
    const kf_bf16 *in_x_8 = a->in_x_8;
    const int64_t s0_in_x_8 = a->s0_in_x_8;
    const kf_bf16 *in_x_9 = a->in_x_9;
    const int64_t s0_in_x_9 = a->s0_in_x_9;
    const kf_bf16 *in_x_10 = a->in_x_10;
    const int64_t s0_in_x_10 = a->s0_in_x_10;
    const int64_t size_index7 = a->size_index7;
    const int64_t first_index7 = a->first_index7;
    const kf_bf16 *in_x_12 = a->in_x_12;
    const int64_t s0_in_x_12 = a->s0_in_x_12;
    const int64_t s1_in_x_12 = a->s1_in_x_12;
    const kf_bf16 *in_x_13 = a->in_x_13;
    const int64_t s0_in_x_13 = a->s0_in_x_13;
    const int64_t s1_in_x_13 = a->s1_in_x_13;
    const kf_bf16 *in_x_14 = a->in_x_14;
    const int64_t s0_in_x_14 = a->s0_in_x_14;
    const int64_t s1_in_x_14 = a->s1_in_x_14;
    const int64_t size_index11 = a->size_index11;
    const int64_t first_index11 = a->first_index11;
    const int64_t ahead = a->ahead;
    const int64_t s0_out0 = a->s0_out0;
    kf_bf16 *out0 = a->out0;
    const int64_t flat = a->flat;
    float exps39[2112];
    float flat47[1040];
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        int rows_v1[32];
        int rows_v4[32];
        int rows_v7[32];
        float rows_v40[32];
        float rows_v46[32];
        float rows_max39[32];
        float held38[1088];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int v1 = kf_inside(i0 * s0_index1, size_index1);  // pad
            const int v4 = kf_inside(first_index3 + i0 * s0_index3, size_index3);  // pad
            const int v7 = kf_inside(first_index5 + i0 * s0_index5, size_index5);  // pad
            const int64_t at = r * n1;
            const kf_bf16 *p2_in_x = in_x + i0 * s0_in_x;
            const kf_bf16 *p4_in_x_4 = in_x_4 + i0 * s0_in_x_4;
            const kf_bf16 *p6_in_x_6 = in_x_6 + i0 * s0_in_x_6;
            float pick12[2048];
            const int64_t end12 = kf_max_i64(0, v1 ? kf_min_i64(n1, size_index0) : 0);
            {
                kf_bf16 run2[2048];
                kf_strided2(run2, p2_in_x, s1_in_x, end12);
                KF_SIMD
                for (int64_t l = 0; l < end12; ++l) {
                    const float v3 = kf_load_bf16(run2, l);
                    pick12[l] = v3;
                }
            }
            const int64_t end11 = kf_max_i64(0, v4 ? kf_min_i64(n1, size_index0) : 0);
            {
                kf_bf16 run4[2048];
                kf_strided2(run4, p4_in_x_4, s1_in_x_4, end11);
                KF_SIMD
                for (int64_t l = 0; l < end11; ++l) {
                    const float v6 = kf_load_bf16(run4, l);
                    pick12[l] = v6;
                }
            }
            const int64_t end10 = kf_max_i64(0, v7 ? kf_min_i64(n1, size_index0) : 0);
            {
                kf_bf16 run6[2048];
                kf_strided2(run6, p6_in_x_6, s1_in_x_6, end10);
                KF_SIMD
                for (int64_t l = 0; l < end10; ++l) {
                    const float v9 = kf_load_bf16(run6, l);
                    pick12[l] = v9;
                }
            }
            const kf_bf16 *p8_in_x_8 = in_x_8 + i0 * s0_in_x_8;
            const kf_bf16 *p9_in_x_9 = in_x_9 + i0 * s0_in_x_9;
            const kf_bf16 *p10_in_x_10 = in_x_10 + i0 * s0_in_x_10;
            kf_bf16 pick23[2048];
            const kf_bf16 *at23 = pick23;
            const int64_t begin23 = kf_min_i64(kf_max_i64(0, 0 - first_index7), n1);
            const int64_t end23 = kf_max_i64(begin23, v1 ? kf_min_i64(n1, size_index7 - first_index7) : 0);
            if (begin23 == 0 && end23 == n1) {
                at23 = p8_in_x_8;
            } else {
                KF_SIMD
                for (int64_t l = begin23; l < end23; ++l) {
                    pick23[l] = p8_in_x_8[l];
                }
            }
            const int64_t begin22 = kf_min_i64(kf_max_i64(0, 0 - first_index7), n1);
            const int64_t end22 = kf_max_i64(begin22, v4 ? kf_min_i64(n1, size_index7 - first_index7) : 0);
            if (begin22 == 0 && end22 == n1) {
                at23 = p9_in_x_9;
            } else {
                KF_SIMD
                for (int64_t l = begin22; l < end22; ++l) {
                    pick23[l] = p9_in_x_9[l];
                }
            }
            const int64_t begin21 = kf_min_i64(kf_max_i64(0, 0 - first_index7), n1);
            const int64_t end21 = kf_max_i64(begin21, v7 ? kf_min_i64(n1, size_index7 - first_index7) : 0);
            if (begin21 == 0 && end21 == n1) {
                at23 = p10_in_x_10;
            } else {
                KF_SIMD
                for (int64_t l = begin21; l < end21; ++l) {
                    pick23[l] = p10_in_x_10[l];
                }
            }
            const kf_bf16 *p12_in_x_12 = in_x_12 + i0 * s0_in_x_12;
            const kf_bf16 *p13_in_x_13 = in_x_13 + i0 * s0_in_x_13;
            const kf_bf16 *p14_in_x_14 = in_x_14 + i0 * s0_in_x_14;
            float pick34[2048];
            const int64_t begin34 = kf_min_i64(kf_max_i64(0, 0 - first_index11), n1);
            const int64_t end34 = kf_max_i64(begin34, v1 ? kf_min_i64(n1, size_index11 - first_index11) : 0);
            {
                kf_bf16 run12[2048];
                kf_strided2(run12 + begin34, p12_in_x_12 + begin34 * s1_in_x_12, s1_in_x_12, end34 - begin34);
                KF_SIMD
                for (int64_t l = begin34; l < end34; ++l) {
                    const float v27 = kf_load_bf16(run12, l);
                    pick34[l] = v27;
                }
            }
            const int64_t begin33 = kf_min_i64(kf_max_i64(0, 0 - first_index11), n1);
            const int64_t end33 = kf_max_i64(begin33, v4 ? kf_min_i64(n1, size_index11 - first_index11) : 0);
            {
                kf_bf16 run13[2048];
                kf_strided2(run13 + begin33, p13_in_x_13 + begin33 * s1_in_x_13, s1_in_x_13, end33 - begin33);
                KF_SIMD
                for (int64_t l = begin33; l < end33; ++l) {
                    const float v29 = kf_load_bf16(run13, l);
                    pick34[l] = v29;
                }
            }
            const int64_t begin32 = kf_min_i64(kf_max_i64(0, 0 - first_index11), n1);
            const int64_t end32 = kf_max_i64(begin32, v7 ? kf_min_i64(n1, size_index11 - first_index11) : 0);
            {
                kf_bf16 run14[2048];
                kf_strided2(run14 + begin32, p14_in_x_14 + begin32 * s1_in_x_14, s1_in_x_14, end32 - begin32);
                KF_SIMD
                for (int64_t l = begin32; l < end32; ++l) {
                    const float v31 = kf_load_bf16(run14, l);
                    pick34[l] = v31;
                }
            }
            float pick38[2048];
            {
                const int64_t end38 = kf_max_i64(0, kf_min_i64(n1, size_index0));
                {
                    KF_SIMD
                    for (int64_t l = 0; l < end38; ++l) {
                        const float v13 = kf_round_bf16(pick12[l]);  // pad
                        pick38[l] = v13;
                    }
                }
                const int64_t begin37 = kf_min_i64(kf_max_i64(0, 0 - first_index7), n1);
                const int64_t end37 = kf_max_i64(begin37, kf_min_i64(n1, size_index7 - first_index7));
                {
                    KF_SIMD
                    for (int64_t l = begin37; l < end37; ++l) {
                        const float v24 = kf_round_bf16(kf_load_bf16(at23, l));  // pad
                        pick38[l] = v24;
                    }
                }
                const int64_t begin36 = kf_min_i64(kf_max_i64(0, 0 - first_index11), n1);
                const int64_t end36 = kf_max_i64(begin36, kf_min_i64(n1, size_index11 - first_index11));
                {
                    KF_SIMD
                    for (int64_t l = begin36; l < end36; ++l) {
                        const float v35 = kf_round_bf16(pick34[l]);  // pad
                        pick38[l] = v35;
                    }
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < n1; ++l) {
                held38[at + l] = pick38[l];
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float max39 = kf_lowest_f32;
            {
                float lanes_max39[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max39[l] = kf_lowest_f32;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_max39[l] = kf_max_f32(held38[r * n1 + (group + l)], lanes_max39[l]);
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_max39[part - whole0 + l] = kf_max_f32(l < left ? held38[r * n1 + (part + l)] : kf_lowest_f32, lanes_max39[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max39[l + 32], lanes_max39[l]);
                    const float high = kf_max_f32(lanes_max39[l + 48], lanes_max39[l + 16]);
                    lanes_max39[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max39[l + 8], lanes_max39[l]);
                    const float high = kf_max_f32(lanes_max39[l + 12], lanes_max39[l + 4]);
                    lanes_max39[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max39[2], lanes_max39[0]);
                    const float high = kf_max_f32(lanes_max39[3], lanes_max39[1]);
                    lanes_max39[0] = kf_max_f32(high, low);
                }
                const float block_max39 = lanes_max39[0];
                max39 = kf_max_f32(block_max39, max39);
            }
            rows_max39[r] = max39;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int v1 = kf_inside(i0 * s0_index1, size_index1);  // pad
            const int v4 = kf_inside(first_index3 + i0 * s0_index3, size_index3);  // pad
            const int v7 = kf_inside(first_index5 + i0 * s0_index5, size_index5);  // pad
            float max39 = rows_max39[r];
            float sumexp39 = 0.0f;
            if (ahead) {
                kf_prefetch_write_run(out0 + i0 * s0_out0, n1 * 2);
            }
            {
                float *exps39_from = exps39 + r * n1;
                float lanes_sumexp39[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sumexp39[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term39 = kf_exp_nonpositive_f32(held38[r * n1 + (group + l)] - max39);
                        exps39_from[group + l] = term39;
                        lanes_sumexp39[l] = lanes_sumexp39[l] + term39;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term39 = kf_exp_nonpositive_f32(held38[r * n1 + (part + l)] - max39);
                        exps39_from[part + l] = term39;
                        lanes_sumexp39[part - whole1 + l] = lanes_sumexp39[part - whole1 + l] + (l < left ? term39 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sumexp39[l] + lanes_sumexp39[l + 32];
                    const float high = lanes_sumexp39[l + 16] + lanes_sumexp39[l + 48];
                    lanes_sumexp39[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sumexp39[l] + lanes_sumexp39[l + 8];
                    const float high = lanes_sumexp39[l + 4] + lanes_sumexp39[l + 12];
                    lanes_sumexp39[l] = low + high;
                }
                {
                    const float low = lanes_sumexp39[0] + lanes_sumexp39[2];
                    const float high = lanes_sumexp39[1] + lanes_sumexp39[3];
                    lanes_sumexp39[0] = low + high;
                }
                const float block_sumexp39 = kf_isinf_f32(max39) ? kf_one_f32 : lanes_sumexp39[0];
                sumexp39 = sumexp39 + block_sumexp39;
            }
            const float v40 = max39;  // max
            const float v43 = sumexp39;  // sumexp
            const float v44 = v40 - v40;  // softmax
            const float v45 = v43 + v44;  // softmax
            const float v46 = kf_one_f32 / v45;  // softmax
            rows_v1[r] = v1;
            rows_v4[r] = v4;
            rows_v7[r] = v7;
            rows_v40[r] = v40;
            rows_v46[r] = v46;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const float v46 = rows_v46[r];
            float *exps39_from = exps39 + r * n1;
            KF_SIMD
            for (int64_t l = 0; l < n1; ++l) {
                const float v47 = exps39_from[l] * v46;  // softmax
                flat47[r * n1 + l] = v47;
            }
        }
        {
            const int64_t runs = flat ? 1 : rows;  // rows without gaps are one
            const int64_t len = flat ? (rows * n1) : n1;
            for (int64_t r = 0; r < runs; ++r) {
                const int64_t u = first_row + r;
                const int64_t i0 = u;
                const int64_t at = r * n1;
                kf_bf16 *p15_out0 = out0 + i0 * s0_out0;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    kf_store_bf16(p15_out0, l, flat47[at + l]);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t grain;
    float *exps39_memory;
    int64_t s0_index1;
    int64_t size_index1;
    int64_t s0_index3;
    int64_t first_index3;
    int64_t size_index3;
    int64_t s0_index5;
    int64_t first_index5;
    int64_t size_index5;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const kf_bf16 *in_x_4;
    int64_t s0_in_x_4;
    int64_t s1_in_x_4;
    const kf_bf16 *in_x_6;
    int64_t s0_in_x_6;
    int64_t s1_in_x_6;
    int64_t size_index0;
    int64_t s1_index0;
    const kf_bf16 *in_x_8;
    int64_t s0_in_x_8;
    const kf_bf16 *in_x_9;
    int64_t s0_in_x_9;
    const kf_bf16 *in_x_10;
    int64_t s0_in_x_10;
    int64_t size_index7;
    int64_t first_index7;
    const kf_bf16 *in_x_12;
    int64_t s0_in_x_12;
    int64_t s1_in_x_12;
    const kf_bf16 *in_x_13;
    int64_t s0_in_x_13;
    int64_t s1_in_x_13;
    const kf_bf16 *in_x_14;
    int64_t s0_in_x_14;
    int64_t s1_in_x_14;
    int64_t size_index11;
    int64_t s1_index11;
    int64_t first_index11;
    int64_t s0_out0;
    kf_bf16 *out0;
    int64_t far_out0;
} k0_pad_softmax_args;

/* pad, softmax.
 * One row after another, all stages of a row together.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_4   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_6   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_8   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_9   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_10  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_12  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_13  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_14  bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0 + 2, x.1 + 2], 2 bytes each */
void k0_pad_softmax(const k0_pad_softmax_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t grain = a->grain;
    float *exps39_memory = a->exps39_memory;
    const int64_t s0_index1 = a->s0_index1;
    const int64_t size_index1 = a->size_index1;
    const int64_t s0_index3 = a->s0_index3;
    const int64_t first_index3 = a->first_index3;
    const int64_t size_index3 = a->size_index3;
    const int64_t s0_index5 = a->s0_index5;
    const int64_t first_index5 = a->first_index5;
    const int64_t size_index5 = a->size_index5;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const kf_bf16 *in_x_4 = a->in_x_4;
    const int64_t s0_in_x_4 = a->s0_in_x_4;
    const int64_t s1_in_x_4 = a->s1_in_x_4;
    const kf_bf16 *in_x_6 = a->in_x_6;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const int64_t s1_in_x_6 = a->s1_in_x_6;
    const int64_t size_index0 = a->size_index0;
    const int64_t s1_index0 = a->s1_index0;
    const kf_bf16 *in_x_8 = a->in_x_8;
    const int64_t s0_in_x_8 = a->s0_in_x_8;
    const kf_bf16 *in_x_9 = a->in_x_9;
    const int64_t s0_in_x_9 = a->s0_in_x_9;
    const kf_bf16 *in_x_10 = a->in_x_10;
    const int64_t s0_in_x_10 = a->s0_in_x_10;
    const int64_t size_index7 = a->size_index7;
    const int64_t first_index7 = a->first_index7;
    const kf_bf16 *in_x_12 = a->in_x_12;
    const int64_t s0_in_x_12 = a->s0_in_x_12;
    const int64_t s1_in_x_12 = a->s1_in_x_12;
    const kf_bf16 *in_x_13 = a->in_x_13;
    const int64_t s0_in_x_13 = a->s0_in_x_13;
    const int64_t s1_in_x_13 = a->s1_in_x_13;
    const kf_bf16 *in_x_14 = a->in_x_14;
    const int64_t s0_in_x_14 = a->s0_in_x_14;
    const int64_t s1_in_x_14 = a->s1_in_x_14;
    const int64_t size_index11 = a->size_index11;
    const int64_t s1_index11 = a->s1_index11;
    const int64_t first_index11 = a->first_index11;
    const int64_t s0_out0 = a->s0_out0;
    kf_bf16 *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const int64_t slot = grain == 0 ? (-1) : ((begin / grain) * (n1 + 64));  // of a row that doesn't fit on the stack
    float exps39_stack[65536];
    float *exps39 = slot < 0 ? exps39_stack : (exps39_memory + slot);
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        const int v1 = kf_inside(i0 * s0_index1, size_index1);  // pad
        const int v4 = kf_inside(first_index3 + i0 * s0_index3, size_index3);  // pad
        const int v7 = kf_inside(first_index5 + i0 * s0_index5, size_index5);  // pad
        float max39 = kf_lowest_f32;
        float sumexp39 = 0.0f;
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            float *exps39_from = exps39 + first;
            const kf_bf16 *p2_in_x = in_x + (i0 * s0_in_x + first * s1_in_x);
            const kf_bf16 *p4_in_x_4 = in_x_4 + (i0 * s0_in_x_4 + first * s1_in_x_4);
            const kf_bf16 *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + first * s1_in_x_6);
            float pick12[2048];
            const int64_t end12 = kf_max_i64(0, v1 ? kf_min_i64(len, size_index0 - first * s1_index0) : 0);
            {
                kf_bf16 run2[2048];
                kf_strided2(run2, p2_in_x, s1_in_x, end12);
                KF_SIMD
                for (int64_t l = 0; l < end12; ++l) {
                    const float v3 = kf_load_bf16(run2, l);
                    pick12[l] = v3;
                }
            }
            const int64_t end11 = kf_max_i64(0, v4 ? kf_min_i64(len, size_index0 - first * s1_index0) : 0);
            {
                kf_bf16 run4[2048];
                kf_strided2(run4, p4_in_x_4, s1_in_x_4, end11);
                KF_SIMD
                for (int64_t l = 0; l < end11; ++l) {
                    const float v6 = kf_load_bf16(run4, l);
                    pick12[l] = v6;
                }
            }
            const int64_t end10 = kf_max_i64(0, v7 ? kf_min_i64(len, size_index0 - first * s1_index0) : 0);
            {
                kf_bf16 run6[2048];
                kf_strided2(run6, p6_in_x_6, s1_in_x_6, end10);
                KF_SIMD
                for (int64_t l = 0; l < end10; ++l) {
                    const float v9 = kf_load_bf16(run6, l);
                    pick12[l] = v9;
                }
            }
            const kf_bf16 *p8_in_x_8 = in_x_8 + (i0 * s0_in_x_8 + first);
            const kf_bf16 *p9_in_x_9 = in_x_9 + (i0 * s0_in_x_9 + first);
            const kf_bf16 *p10_in_x_10 = in_x_10 + (i0 * s0_in_x_10 + first);
            kf_bf16 pick23[2048];
            const kf_bf16 *at23 = pick23;
            const int64_t begin23 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
            const int64_t end23 = kf_max_i64(begin23, v1 ? kf_min_i64(len, size_index7 - (first_index7 + first)) : 0);
            if (begin23 == 0 && end23 == len) {
                at23 = p8_in_x_8;
            } else {
                KF_SIMD
                for (int64_t l = begin23; l < end23; ++l) {
                    pick23[l] = p8_in_x_8[l];
                }
            }
            const int64_t begin22 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
            const int64_t end22 = kf_max_i64(begin22, v4 ? kf_min_i64(len, size_index7 - (first_index7 + first)) : 0);
            if (begin22 == 0 && end22 == len) {
                at23 = p9_in_x_9;
            } else {
                KF_SIMD
                for (int64_t l = begin22; l < end22; ++l) {
                    pick23[l] = p9_in_x_9[l];
                }
            }
            const int64_t begin21 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
            const int64_t end21 = kf_max_i64(begin21, v7 ? kf_min_i64(len, size_index7 - (first_index7 + first)) : 0);
            if (begin21 == 0 && end21 == len) {
                at23 = p10_in_x_10;
            } else {
                KF_SIMD
                for (int64_t l = begin21; l < end21; ++l) {
                    pick23[l] = p10_in_x_10[l];
                }
            }
            const kf_bf16 *p12_in_x_12 = in_x_12 + (i0 * s0_in_x_12 + first * s1_in_x_12);
            const kf_bf16 *p13_in_x_13 = in_x_13 + (i0 * s0_in_x_13 + first * s1_in_x_13);
            const kf_bf16 *p14_in_x_14 = in_x_14 + (i0 * s0_in_x_14 + first * s1_in_x_14);
            float pick34[2048];
            const int64_t begin34 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
            const int64_t end34 = kf_max_i64(begin34, v1 ? kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)) : 0);
            {
                kf_bf16 run12[2048];
                kf_strided2(run12 + begin34, p12_in_x_12 + begin34 * s1_in_x_12, s1_in_x_12, end34 - begin34);
                KF_SIMD
                for (int64_t l = begin34; l < end34; ++l) {
                    const float v27 = kf_load_bf16(run12, l);
                    pick34[l] = v27;
                }
            }
            const int64_t begin33 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
            const int64_t end33 = kf_max_i64(begin33, v4 ? kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)) : 0);
            {
                kf_bf16 run13[2048];
                kf_strided2(run13 + begin33, p13_in_x_13 + begin33 * s1_in_x_13, s1_in_x_13, end33 - begin33);
                KF_SIMD
                for (int64_t l = begin33; l < end33; ++l) {
                    const float v29 = kf_load_bf16(run13, l);
                    pick34[l] = v29;
                }
            }
            const int64_t begin32 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
            const int64_t end32 = kf_max_i64(begin32, v7 ? kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)) : 0);
            {
                kf_bf16 run14[2048];
                kf_strided2(run14 + begin32, p14_in_x_14 + begin32 * s1_in_x_14, s1_in_x_14, end32 - begin32);
                KF_SIMD
                for (int64_t l = begin32; l < end32; ++l) {
                    const float v31 = kf_load_bf16(run14, l);
                    pick34[l] = v31;
                }
            }
            float pick38[2048];
            {
                const int64_t end38 = kf_max_i64(0, kf_min_i64(len, size_index0 - first * s1_index0));
                {
                    KF_SIMD
                    for (int64_t l = 0; l < end38; ++l) {
                        const float v13 = kf_round_bf16(pick12[l]);  // pad
                        pick38[l] = v13;
                    }
                }
                const int64_t begin37 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
                const int64_t end37 = kf_max_i64(begin37, kf_min_i64(len, size_index7 - (first_index7 + first)));
                {
                    KF_SIMD
                    for (int64_t l = begin37; l < end37; ++l) {
                        const float v24 = kf_round_bf16(kf_load_bf16(at23, l));  // pad
                        pick38[l] = v24;
                    }
                }
                const int64_t begin36 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
                const int64_t end36 = kf_max_i64(begin36, kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)));
                {
                    KF_SIMD
                    for (int64_t l = begin36; l < end36; ++l) {
                        const float v35 = kf_round_bf16(pick34[l]);  // pad
                        pick38[l] = v35;
                    }
                }
            }
            float lanes_max39[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_max39[l] = kf_lowest_f32;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    exps39_from[group + l] = pick38[group + l];
                    lanes_max39[l] = kf_max_f32(pick38[group + l], lanes_max39[l]);
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len - whole0; ++l) {
                exps39_from[whole0 + l] = pick38[whole0 + l];
                lanes_max39[l] = kf_max_f32(pick38[whole0 + l], lanes_max39[l]);
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = kf_max_f32(lanes_max39[l + 32], lanes_max39[l]);
                const float high = kf_max_f32(lanes_max39[l + 48], lanes_max39[l + 16]);
                lanes_max39[l] = kf_max_f32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = kf_max_f32(lanes_max39[l + 8], lanes_max39[l]);
                const float high = kf_max_f32(lanes_max39[l + 12], lanes_max39[l + 4]);
                lanes_max39[l] = kf_max_f32(high, low);
            }
            {
                const float low = kf_max_f32(lanes_max39[2], lanes_max39[0]);
                const float high = kf_max_f32(lanes_max39[3], lanes_max39[1]);
                lanes_max39[0] = kf_max_f32(high, low);
            }
            const float block_max39 = lanes_max39[0];
            max39 = kf_max_f32(block_max39, max39);
        }
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            float *exps39_from = exps39 + first;
            float lanes_sumexp39[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sumexp39[l] = 0.0f;
            }
            const int64_t whole1 = len - len % 64;
            for (int64_t group = 0; group < whole1; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float term39 = kf_exp_nonpositive_f32(exps39_from[group + l] - max39);
                    exps39_from[group + l] = term39;
                    lanes_sumexp39[l] = lanes_sumexp39[l] + term39;
                }
            }
            for (int64_t part = whole1; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float term39 = kf_exp_nonpositive_f32(exps39_from[part + l] - max39);
                    exps39_from[part + l] = term39;
                    lanes_sumexp39[part - whole1 + l] = lanes_sumexp39[part - whole1 + l] + (l < left ? term39 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sumexp39[l] + lanes_sumexp39[l + 32];
                const float high = lanes_sumexp39[l + 16] + lanes_sumexp39[l + 48];
                lanes_sumexp39[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sumexp39[l] + lanes_sumexp39[l + 8];
                const float high = lanes_sumexp39[l + 4] + lanes_sumexp39[l + 12];
                lanes_sumexp39[l] = low + high;
            }
            {
                const float low = lanes_sumexp39[0] + lanes_sumexp39[2];
                const float high = lanes_sumexp39[1] + lanes_sumexp39[3];
                lanes_sumexp39[0] = low + high;
            }
            const float block_sumexp39 = kf_isinf_f32(max39) ? kf_one_f32 : lanes_sumexp39[0];
            sumexp39 = sumexp39 + block_sumexp39;
        }
        const float v40 = max39;  // max
        const float v43 = sumexp39;  // sumexp
        const float v44 = v40 - v40;  // softmax
        const float v45 = v43 + v44;  // softmax
        const float v46 = kf_one_f32 / v45;  // softmax
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            float *exps39_from = exps39 + first;
            kf_bf16 *p15_out0 = out0 + (i0 * s0_out0 + first);
            if (far_out0 && stream == 0) {
                for (int64_t l = 0; l < len; l += 32) {
                    kf_prefetch_write(p15_out0 + s0_out0 + l);
                }
            }
            {
                if (stream) {
                    kf_stream_ahead(p15_out0, len * 2);
                    kf_stream_ahead(p15_out0 + s0_out0, len * 2);
                }
                const int64_t size = stream ? (len <= 2048 ? 2048 : 512) : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p15_out0) / 2) : 0;
                for (int64_t piece = start; piece < len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, len);
                    kf_bf16 buffer0[2144];
                    kf_bf16 *to0 = stream ? buffer0 : (p15_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v47 = exps39_from[l] * v46;  // softmax
                        kf_store_bf16(to0, l - l0, v47);
                    }
                    if (stream) {
                        kf_stream_copy(p15_out0 + l0, buffer0, (l1 - l0) * 2);
                    }
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
