
typedef struct {
    int64_t n2;
    int64_t line_packs;
    int64_t lines;
    int64_t n1;
    int64_t s0_out0;
    int64_t s1_out0;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    int64_t size_index0;
    int64_t vec_in_x;
    const kf_bf16 *in_x_3;
    int64_t s0_in_x_3;
    int64_t s1_in_x_3;
    int64_t first_index2;
    int64_t size_index2;
    int64_t vec_in_x_3;
    const float *in_s;
    int64_t s1_in_s;
    int64_t vec_in_s;
    const kf_bf16 *in_x_5;
    int64_t s0_in_x_5;
    int64_t s1_in_x_5;
    int64_t vec_in_x_5;
    int64_t by_in_x_5;
    const float *in_c;
    int64_t s1_in_c;
    int64_t vec_in_c;
    float *out0;
    int64_t vec;
} k0_negative_concatenate_multiply_multiply_args;

/* negative, concatenate, multiply, multiply, add.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_x_3   bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_s     float32[x.2, x.3], 4 bytes each
 * reads  in_x_5   bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_c     float32[x.2, x.3], 4 bytes each
 * writes out0     float32[x.0, x.1, x.2, x.3], 4 bytes each */
KF_KERNEL(k0_negative_concatenate_multiply_multiply, k0_negative_concatenate_multiply_multiply_args, 256) {
    const uint32_t n2 = a.n2;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const uint32_t n1 = a.n1;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t s1_out0 = a.s1_out0;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const int64_t size_index0 = a.size_index0;
    const int64_t vec_in_x = a.vec_in_x;
    const kf_bf16 *in_x_3 = a.in_x_3;
    const int64_t s0_in_x_3 = a.s0_in_x_3;
    const int64_t s1_in_x_3 = a.s1_in_x_3;
    const int64_t first_index2 = a.first_index2;
    const int64_t size_index2 = a.size_index2;
    const int64_t vec_in_x_3 = a.vec_in_x_3;
    const float *in_s = a.in_s;
    const int64_t s1_in_s = a.s1_in_s;
    const int64_t vec_in_s = a.vec_in_s;
    const kf_bf16 *in_x_5 = a.in_x_5;
    const int64_t s0_in_x_5 = a.s0_in_x_5;
    const int64_t s1_in_x_5 = a.s1_in_x_5;
    const int64_t vec_in_x_5 = a.vec_in_x_5;
    const int64_t by_in_x_5 = a.by_in_x_5;
    const float *in_c = a.in_c;
    const int64_t s1_in_c = a.s1_in_c;
    const int64_t vec_in_c = a.vec_in_c;
    float *out0 = a.out0;
    const int64_t vec = a.vec;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = line_packs;  // of a line
    const uint32_t line = t / packs;
    if (line < lines) {
        const uint32_t i1 = line % n1;
        const uint32_t above1 = line / n1;
        const uint32_t i0 = above1;
        const int skew = (i0 * s0_out0 + i1 * s1_out0) & 3;  // elements of the first pack that are before the line
        const int64_t begin = ((int64_t)(t % packs)) * 4 - skew;
        const int64_t j = kf_max_i64(begin, 0);
        const int left = kf_min_i64(n2, begin + 4) - j;  // elements of the pack
        if (0 < left) {
            uint32_t r1[2];
            uint32_t r7[4];
            uint32_t r9[2];
            uint32_t r10[4];
            {
                const kf_bf16 *p1_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
                if (kf_within(j + left - 1, size_index0)) {
                    kf_load4_bf16(p1_in_x, 0, left, vec_in_x && skew == 0, r1);
                } else {
                    const kf_bf16 *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + i1 * s1_in_x_3 + j);
                    if (kf_within(first_index2 + j, size_index2) & kf_within(first_index2 + (j + left - 1), size_index2)) {
                        kf_load4_bf16(p3_in_x_3, 0, left, vec_in_x_3 && skew == 0, r1);
                    } else {
                        if (0 < left) {
                            uint32_t raw_r1[4];
                            KF_UNROLL
                            for (int e = 0; e < 4; ++e) {
                                const int there1 = kf_within(j + e, size_index0);
                                const int there4 = kf_within(first_index2 + (j + e), size_index2);
                                const kf_bf16 *p_r1 = ((there1 | there4) & (e < left)) ? ((there4 ? p3_in_x_3 : p1_in_x) + e) : kf_zeros_bf16();
                                kf_single_bf16(p_r1, raw_r1 + e);
                            }
                            kf_join4_bf16(raw_r1, r1);
                        } else {
                            KF_UNROLL
                            for (int k = 0; k < 2; ++k) {
                                r1[k] = 0;
                            }
                        }
                    }
                }
                const float *p4_in_s = in_s + (i1 * s1_in_s + j);
                kf_load4_f32(p4_in_s, 0, left, vec_in_s && skew == 0, r7);
                const kf_bf16 *p5_in_x_5 = in_x_5 + (i0 * s0_in_x_5 + i1 * s1_in_x_5 + j);
                kf_load4_bf16(p5_in_x_5, 0, left, vec_in_x_5 && (skew & by_in_x_5) == 0, r9);
                const float *p6_in_c = in_c + (i1 * s1_in_c + j);
                kf_load4_f32(p6_in_c, 0, left, vec_in_c && skew == 0, r10);
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const int v0 = kf_within(j + e, size_index0);  // concatenate
                    const float v1 = kf_item_bf16(r1, e);
                    const float v2 = -v1;  // negative
                    const float v6 = v0 ? v2 : v1;  // concatenate
                    const float v7 = kf_item_f32(r7, e);
                    const float v8 = v6 * v7;  // multiply
                    const float v9 = kf_item_bf16(r9, e);
                    const float v10 = kf_item_f32(r10, e);
                    const float v11 = v9 * v10;  // multiply
                    const float v12 = v8 + v11;  // add
                    w0[e] = v12;
                }
                float *p7_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + j);
                kf_store4_f32(p7_out0, 0, left, vec, w0);
            }
        }
    }
}
