
typedef struct {
    int64_t n1;
    int64_t size_v5;
    const kf_bf16 *in_x_4;
    int64_t s0_in_x_4;
    const kf_bf16 *in_x_6;
    int64_t s0_in_x_6;
    int64_t size_index3;
    int64_t size_index5;
    int64_t first_index5;
    const kf_bf16 *in_x_9;
    int64_t s0_in_x_9;
    const kf_bf16 *in_x_11;
    int64_t s0_in_x_11;
    int64_t size_index8;
    int64_t size_index10;
    int64_t first_index10;
    int64_t run;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    kf_bf16 *out_t;
    int64_t s0_out_t;
    kf_bf16 *out3;
    int64_t s0_out3;
    kf_bf16 *out2;
    int64_t s0_out2;
    kf_bf16 *out1;
    int64_t s0_out1;
} k0_add_var_roll_multiply_short_args;

/* add, var, roll, multiply, roll.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_4   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_6   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_9   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_11  bfloat16[x.0, x.1], 2 bytes each
 * writes out_t    bfloat16[x.0, x.1], 2 bytes each
 * writes out1     bfloat16[x.0], 2 bytes each
 * writes out3     bfloat16[x.0, x.1], 2 bytes each
 * writes out2     bfloat16[x.0, x.1], 2 bytes each */
void k0_add_var_roll_multiply_short(const k0_add_var_roll_multiply_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v5 = a->size_v5;
    const kf_bf16 *in_x_4 = a->in_x_4;
    const int64_t s0_in_x_4 = a->s0_in_x_4;
    const kf_bf16 *in_x_6 = a->in_x_6;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const int64_t size_index3 = a->size_index3;
    const int64_t size_index5 = a->size_index5;
    const int64_t first_index5 = a->first_index5;
    const kf_bf16 *in_x_9 = a->in_x_9;
    const int64_t s0_in_x_9 = a->s0_in_x_9;
    const kf_bf16 *in_x_11 = a->in_x_11;
    const int64_t s0_in_x_11 = a->s0_in_x_11;
    const int64_t size_index8 = a->size_index8;
    const int64_t size_index10 = a->size_index10;
    const int64_t first_index10 = a->first_index10;
    const int64_t run = a->run;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    kf_bf16 *out_t = a->out_t;
    const int64_t s0_out_t = a->s0_out_t;
    kf_bf16 *out3 = a->out3;
    const int64_t s0_out3 = a->s0_out3;
    kf_bf16 *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    kf_bf16 *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    const int64_t v7 = kf_max_i64(size_v5, 0);  // var
    const float v8 = kf_cast_i64_f32(v7);  // var
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_mean3[32];
        float held2[1088];
        float leaf15[2056];
        float leaf21[2056];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int64_t at = r * n1;
            const kf_bf16 *p4_in_x_4 = in_x_4 + i0 * s0_in_x_4;
            const kf_bf16 *p6_in_x_6 = in_x_6 + i0 * s0_in_x_6;
            kf_bf16 pick15[2048];
            const kf_bf16 *at15 = pick15;
            const int64_t end15 = kf_max_i64(0, kf_min_i64(n1, size_index3));
            if (end15 == n1) {
                at15 = p4_in_x_4;
            } else {
                KF_SIMD
                for (int64_t l = 0; l < end15; ++l) {
                    pick15[l] = p4_in_x_4[l];
                }
            }
            const int64_t begin14 = kf_min_i64(kf_max_i64(0, 0 - first_index5), n1);
            const int64_t end14 = kf_max_i64(begin14, kf_min_i64(n1, size_index5 - first_index5));
            if (begin14 == 0 && end14 == n1) {
                at15 = p6_in_x_6;
            } else {
                KF_SIMD
                for (int64_t l = begin14; l < end14; ++l) {
                    pick15[l] = p6_in_x_6[l];
                }
            }
            const kf_bf16 *p9_in_x_9 = in_x_9 + i0 * s0_in_x_9;
            const kf_bf16 *p11_in_x_11 = in_x_11 + i0 * s0_in_x_11;
            kf_bf16 pick21[2048];
            const kf_bf16 *at21 = pick21;
            const int64_t end21 = kf_max_i64(0, kf_min_i64(n1, size_index8));
            if (end21 == n1) {
                at21 = p9_in_x_9;
            } else {
                KF_SIMD
                for (int64_t l = 0; l < end21; ++l) {
                    pick21[l] = p9_in_x_9[l];
                }
            }
            const int64_t begin20 = kf_min_i64(kf_max_i64(0, 0 - first_index10), n1);
            const int64_t end20 = kf_max_i64(begin20, kf_min_i64(n1, size_index10 - first_index10));
            if (begin20 == 0 && end20 == n1) {
                at21 = p11_in_x_11;
            } else {
                KF_SIMD
                for (int64_t l = begin20; l < end20; ++l) {
                    pick21[l] = p11_in_x_11[l];
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < n1; ++l) {
                leaf15[at + l] = kf_load_bf16(at15, l);
                leaf21[at + l] = kf_load_bf16(at21, l);
            }
        }
        const int64_t runs = run ? 1 : rows;  // rows without gaps are one
        const int64_t len = run ? (rows * n1) : n1;
        for (int64_t r = 0; r < runs; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int64_t at = r * n1;
            const kf_bf16 *p0_in_x = in_x + i0 * s0_in_x;
            kf_bf16 *p1_out_t = out_t + i0 * s0_out_t;
            kf_bf16 *p7_out3 = out3 + i0 * s0_out3;
            kf_bf16 *p12_out2 = out2 + i0 * s0_out2;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v0 = kf_load_bf16(p0_in_x, l);
                const float v1 = v0 + v0;  // add
                const float v2 = kf_round_bf16(v1);  // add
                const float v23 = leaf21[at + l] * 2.0f;  // multiply
                held2[at + l] = v2;
                kf_store_bf16(p1_out_t, l, v1);
                kf_store_bf16(p7_out3, l, leaf15[at + l]);
                kf_store_bf16(p12_out2, l, v23);
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float mean3 = 0.0f;
            {
                float lanes_mean3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean3[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_mean3[l] = lanes_mean3[l] + held2[r * n1 + (group + l)];
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_mean3[part - whole0 + l] = lanes_mean3[part - whole0 + l] + (l < left ? held2[r * n1 + (part + l)] : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean3[l] + lanes_mean3[l + 32];
                    const float high = lanes_mean3[l + 16] + lanes_mean3[l + 48];
                    lanes_mean3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean3[l] + lanes_mean3[l + 8];
                    const float high = lanes_mean3[l + 4] + lanes_mean3[l + 12];
                    lanes_mean3[l] = low + high;
                }
                {
                    const float low = lanes_mean3[0] + lanes_mean3[2];
                    const float high = lanes_mean3[1] + lanes_mean3[3];
                    lanes_mean3[0] = low + high;
                }
                const float block_mean3 = kf_mean_of_f32(lanes_mean3[0], kf_cast_i64_f32(n1));
                mean3 = block_mean3;
            }
            rows_mean3[r] = mean3;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float mean3 = rows_mean3[r];
            float m2_3 = 0.0f;
            {
                float lanes_m2_3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_3[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term3 = kf_square_f32(held2[r * n1 + (group + l)] - mean3);
                        lanes_m2_3[l] = lanes_m2_3[l] + term3;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term3 = kf_square_f32(held2[r * n1 + (part + l)] - mean3);
                        lanes_m2_3[part - whole1 + l] = lanes_m2_3[part - whole1 + l] + (l < left ? term3 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_3[l] + lanes_m2_3[l + 32];
                    const float high = lanes_m2_3[l + 16] + lanes_m2_3[l + 48];
                    lanes_m2_3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_3[l] + lanes_m2_3[l + 8];
                    const float high = lanes_m2_3[l + 4] + lanes_m2_3[l + 12];
                    lanes_m2_3[l] = low + high;
                }
                {
                    const float low = lanes_m2_3[0] + lanes_m2_3[2];
                    const float high = lanes_m2_3[1] + lanes_m2_3[3];
                    lanes_m2_3[0] = low + high;
                }
                const float block_m2_3 = lanes_m2_3[0];
                m2_3 = block_m2_3;
            }
            const float v4 = m2_3;  // m2
            const float v9 = v4 / v8;  // var
            kf_store_bf16(out1, i0 * s0_out1, v9);
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t reduced;
    int64_t chunks;
    int64_t size_v5;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    const kf_bf16 *in_x_9;
    int64_t s0_in_x_9;
    const kf_bf16 *in_x_11;
    int64_t s0_in_x_11;
    int64_t size_index8;
    int64_t size_index10;
    int64_t first_index10;
    kf_bf16 *out_t;
    int64_t s0_out_t;
    kf_bf16 *out2;
    int64_t s0_out2;
    int64_t far;
    kf_bf16 *out3;
    int64_t s0_out3;
    const kf_bf16 *in_x_4;
    int64_t s0_in_x_4;
    const kf_bf16 *in_x_6;
    int64_t s0_in_x_6;
    int64_t size_index3;
    int64_t size_index5;
    int64_t first_index5;
    kf_bf16 *out1;
    int64_t s0_out1;
    float *part_mean3;
    float *part_m2_3;
} k0_add_var_roll_multiply_args;

/* add, var, roll, multiply, roll.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_4   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_6   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_9   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_11  bfloat16[x.0, x.1], 2 bytes each
 * writes out_t    bfloat16[x.0, x.1], 2 bytes each
 * writes out1     bfloat16[x.0], 2 bytes each
 * writes out3     bfloat16[x.0, x.1], 2 bytes each
 * writes out2     bfloat16[x.0, x.1], 2 bytes each */
void k0_add_var_roll_multiply(const k0_add_var_roll_multiply_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t size_v5 = a->size_v5;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const kf_bf16 *in_x_9 = a->in_x_9;
    const int64_t s0_in_x_9 = a->s0_in_x_9;
    const kf_bf16 *in_x_11 = a->in_x_11;
    const int64_t s0_in_x_11 = a->s0_in_x_11;
    const int64_t size_index8 = a->size_index8;
    const int64_t size_index10 = a->size_index10;
    const int64_t first_index10 = a->first_index10;
    kf_bf16 *out_t = a->out_t;
    const int64_t s0_out_t = a->s0_out_t;
    kf_bf16 *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    const int64_t far = a->far;
    kf_bf16 *out3 = a->out3;
    const int64_t s0_out3 = a->s0_out3;
    const kf_bf16 *in_x_4 = a->in_x_4;
    const int64_t s0_in_x_4 = a->s0_in_x_4;
    const kf_bf16 *in_x_6 = a->in_x_6;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const int64_t size_index3 = a->size_index3;
    const int64_t size_index5 = a->size_index5;
    const int64_t first_index5 = a->first_index5;
    kf_bf16 *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    float *part_mean3 = a->part_mean3;
    float *part_m2_3 = a->part_m2_3;
    const int64_t v7 = kf_max_i64(size_v5, 0);  // var
    const float v8 = kf_cast_i64_f32(v7);  // var
    for (int64_t u = begin; u < end; ++u) {
        const int64_t row = u / chunks;
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        const int64_t i0 = row;
        float mean3 = 0.0f;
        float m2_3 = 0.0f;
        int64_t done0 = 0;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + first);
            const kf_bf16 *p9_in_x_9 = in_x_9 + (i0 * s0_in_x_9 + first);
            const kf_bf16 *p11_in_x_11 = in_x_11 + (i0 * s0_in_x_11 + first);
            kf_bf16 pick21[2048];
            const kf_bf16 *at21 = pick21;
            const int64_t end21 = kf_max_i64(0, kf_min_i64(len, size_index8 - first));
            if (end21 == len) {
                at21 = p9_in_x_9;
            } else {
                KF_SIMD
                for (int64_t l = 0; l < end21; ++l) {
                    pick21[l] = p9_in_x_9[l];
                }
            }
            const int64_t begin20 = kf_min_i64(kf_max_i64(0, 0 - (first_index10 + first)), len);
            const int64_t end20 = kf_max_i64(begin20, kf_min_i64(len, size_index10 - (first_index10 + first)));
            if (begin20 == 0 && end20 == len) {
                at21 = p11_in_x_11;
            } else {
                KF_SIMD
                for (int64_t l = begin20; l < end20; ++l) {
                    pick21[l] = p11_in_x_11[l];
                }
            }
            kf_bf16 *p1_out_t = out_t + (i0 * s0_out_t + first);
            kf_bf16 buffer0[2144];
            kf_bf16 *to0 = stream ? buffer0 : p1_out_t;
            kf_bf16 *p12_out2 = out2 + (i0 * s0_out2 + first);
            kf_bf16 buffer3[2144];
            kf_bf16 *to3 = stream ? buffer3 : p12_out2;
            if (stream) {
                kf_stream_ahead(p1_out_t, len * 2);
                kf_stream_ahead(p1_out_t + s0_out_t, len * 2);
                kf_stream_ahead(p12_out2, len * 2);
                kf_stream_ahead(p12_out2 + s0_out2, len * 2);
            }
            float lanes_mean3[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_mean3[l] = 0.0f;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_bf16(p0_in_x, group + l);
                    const float v1 = v0 + v0;  // add
                    const float v2 = kf_round_bf16(v1);  // add
                    const float v23 = kf_load_bf16(at21, group + l) * 2.0f;  // multiply
                    kf_store_bf16(to0, group + l, v1);
                    kf_store_bf16(to3, group + l, v23);
                    lanes_mean3[l] = lanes_mean3[l] + v2;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len - whole0; ++l) {
                const float v0 = kf_load_bf16(p0_in_x, whole0 + l);
                const float v1 = v0 + v0;  // add
                const float v2 = kf_round_bf16(v1);  // add
                const float v23 = kf_load_bf16(at21, whole0 + l) * 2.0f;  // multiply
                kf_store_bf16(to0, whole0 + l, v1);
                kf_store_bf16(to3, whole0 + l, v23);
                lanes_mean3[l] = lanes_mean3[l] + v2;
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_mean3[l] + lanes_mean3[l + 32];
                const float high = lanes_mean3[l + 16] + lanes_mean3[l + 48];
                lanes_mean3[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_mean3[l] + lanes_mean3[l + 8];
                const float high = lanes_mean3[l + 4] + lanes_mean3[l + 12];
                lanes_mean3[l] = low + high;
            }
            {
                const float low = lanes_mean3[0] + lanes_mean3[2];
                const float high = lanes_mean3[1] + lanes_mean3[3];
                lanes_mean3[0] = low + high;
            }
            const float block_mean3 = kf_mean_of_f32(lanes_mean3[0], kf_cast_i64_f32(len));
            if (far) {
                for (int64_t l = 0; l < len; l += 32) {
                    kf_prefetch(p0_in_x + 2048 + l);
                }
            }
            float lanes_m2_3[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_m2_3[l] = 0.0f;
            }
            const int64_t whole1 = len - len % 64;
            for (int64_t group = 0; group < whole1; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_bf16(p0_in_x, group + l);
                    const float v1 = v0 + v0;  // add
                    const float v2 = kf_round_bf16(v1);  // add
                    const float term3 = kf_square_f32(v2 - block_mean3);
                    lanes_m2_3[l] = lanes_m2_3[l] + term3;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len - whole1; ++l) {
                const float v0 = kf_load_bf16(p0_in_x, whole1 + l);
                const float v1 = v0 + v0;  // add
                const float v2 = kf_round_bf16(v1);  // add
                const float term3 = kf_square_f32(v2 - block_mean3);
                lanes_m2_3[l] = lanes_m2_3[l] + term3;
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_m2_3[l] + lanes_m2_3[l + 32];
                const float high = lanes_m2_3[l + 16] + lanes_m2_3[l + 48];
                lanes_m2_3[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_m2_3[l] + lanes_m2_3[l + 8];
                const float high = lanes_m2_3[l + 4] + lanes_m2_3[l + 12];
                lanes_m2_3[l] = low + high;
            }
            {
                const float low = lanes_m2_3[0] + lanes_m2_3[2];
                const float high = lanes_m2_3[1] + lanes_m2_3[3];
                lanes_m2_3[0] = low + high;
            }
            const float block_m2_3 = lanes_m2_3[0];
            if (done0 == 0) {
                mean3 = block_mean3;
                m2_3 = block_m2_3;
            } else {
                {
                    const float merged_mean3 = kf_merge_mean_f32(mean3, block_mean3, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                    const float merged_m2_3 = kf_merge_m2_f32(mean3, m2_3, block_mean3, block_m2_3, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                    mean3 = merged_mean3;
                    m2_3 = merged_m2_3;
                }
            }
            done0 = done0 + len;
            if (stream) {
                kf_stream_copy(p1_out_t, buffer0, len * 2);
                kf_stream_copy(p12_out2, buffer3, len * 2);
            }
            {
                kf_bf16 *p7_out3 = out3 + (i0 * s0_out3 + first);
                const kf_bf16 *p4_in_x_4 = in_x_4 + (i0 * s0_in_x_4 + first);
                const kf_bf16 *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + first);
                const int64_t end15 = kf_max_i64(0, kf_min_i64(len, size_index3 - first));
                if (stream) {
                    kf_stream_copy(p7_out3, p4_in_x_4, end15 * 2);
                } else {
                    KF_SIMD
                    for (int64_t l = 0; l < end15; ++l) {
                        p7_out3[l] = p4_in_x_4[l];
                    }
                }
                const int64_t begin14 = kf_min_i64(kf_max_i64(0, 0 - (first_index5 + first)), len);
                const int64_t end14 = kf_max_i64(begin14, kf_min_i64(len, size_index5 - (first_index5 + first)));
                if (stream) {
                    kf_stream_copy(p7_out3 + begin14, p6_in_x_6 + begin14, (end14 - begin14) * 2);
                } else {
                    KF_SIMD
                    for (int64_t l = begin14; l < end14; ++l) {
                        p7_out3[l] = p6_in_x_6[l];
                    }
                }
            }
        }
        if (chunks == 1) {
            const float v4 = m2_3;  // m2
            const float v9 = v4 / v8;  // var
            kf_store_bf16(out1, i0 * s0_out1, v9);
        } else {
            kf_store_f32(part_mean3, u, mean3);
            kf_store_f32(part_m2_3, u, m2_3);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t size_v5;
    float *part_mean3;
    float *part_m2_3;
    kf_bf16 *out1;
    int64_t s0_out1;
} k0_add_var_roll_multiply_merge_args;

/* add, var, roll, multiply, roll.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out1     bfloat16[x.0], 2 bytes each */
void k0_add_var_roll_multiply_merge(const k0_add_var_roll_multiply_merge_args *a, int64_t begin, int64_t end) {
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t size_v5 = a->size_v5;
    float *part_mean3 = a->part_mean3;
    float *part_m2_3 = a->part_m2_3;
    kf_bf16 *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    const int64_t v7 = kf_max_i64(size_v5, 0);  // var
    const float v8 = kf_cast_i64_f32(v7);  // var
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        float mean3 = 0.0f;
        float m2_3 = 0.0f;
        float tree_mean3[48];
        float tree_m2_3[48];
        int64_t tree_n[48];
        int64_t blocks = 0;
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const int64_t before = c * 32768;
            const int64_t count = kf_min_i64(reduced - before, 32768);
            const float q_mean3 = kf_load_f32(part_mean3, at);
            const float q_m2_3 = kf_load_f32(part_m2_3, at);
            {
                mean3 = q_mean3;
                m2_3 = q_m2_3;
                int64_t n_merged = count;
                const int64_t full = kf_trailing_ones(blocks);
                for (int64_t level = 0; level < full; ++level) {
                    {
                        const float merged_mean3 = kf_merge_mean_f32(mean3, tree_mean3[level], kf_cast_i64_f32(n_merged), kf_cast_i64_f32(tree_n[level]));
                        const float merged_m2_3 = kf_merge_m2_f32(mean3, m2_3, tree_mean3[level], tree_m2_3[level], kf_cast_i64_f32(n_merged), kf_cast_i64_f32(tree_n[level]));
                        mean3 = merged_mean3;
                        m2_3 = merged_m2_3;
                    }
                    n_merged = n_merged + tree_n[level];
                }
                tree_mean3[full] = mean3;
                tree_m2_3[full] = m2_3;
                tree_n[full] = n_merged;
                blocks = blocks + 1;
            }
        }
        mean3 = 0.0f;
        m2_3 = 0.0f;
        int64_t n_merged = 0;
        for (int64_t level = 0; level < kf_bit_length(blocks); ++level) {
            if (kf_has_bit(blocks, level)) {
                {
                    const float merged_mean3 = kf_merge_mean_f32(mean3, tree_mean3[level], kf_cast_i64_f32(n_merged), kf_cast_i64_f32(tree_n[level]));
                    const float merged_m2_3 = kf_merge_m2_f32(mean3, m2_3, tree_mean3[level], tree_m2_3[level], kf_cast_i64_f32(n_merged), kf_cast_i64_f32(tree_n[level]));
                    mean3 = merged_mean3;
                    m2_3 = merged_m2_3;
                }
                n_merged = n_merged + tree_n[level];
            }
        }
        const float v4 = m2_3;  // m2
        const float v9 = v4 / v8;  // var
        kf_store_bf16(out1, i0 * s0_out1, v9);
    }
}
