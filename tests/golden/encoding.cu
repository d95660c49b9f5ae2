
typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
    int64_t vec_in_x;
    int64_t by_in_x;
    const float *in_x_3;
    int64_t s0_in_x_3;
    int64_t first_index2;
    int64_t size_index2;
    int64_t vec_in_x_3;
    const float *in_x_6;
    int64_t s0_in_x_6;
    int64_t first_index5;
    int64_t size_index5;
    int64_t vec_in_x_6;
    const float *in_f;
    int64_t vec_in_f;
    const float *in_f_7;
    int64_t vec_in_f_7;
    float *out0;
    int64_t vec;
} k0_multiply_sin_cos_concatenate_args;

/* multiply, sin, cos, concatenate.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_3   float32[x.0, x.1], 4 bytes each
 * reads  in_f     float32[x.1], 4 bytes each
 * reads  in_x_6   float32[x.0, x.1], 4 bytes each
 * reads  in_f_7   float32[x.1], 4 bytes each
 * writes out0     float32[x.0, x.1*3], 4 bytes each */
KF_KERNEL(k0_multiply_sin_cos_concatenate, k0_multiply_sin_cos_concatenate_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t size_index0 = a.size_index0;
    const int64_t vec_in_x = a.vec_in_x;
    const int64_t by_in_x = a.by_in_x;
    const float *in_x_3 = a.in_x_3;
    const int64_t s0_in_x_3 = a.s0_in_x_3;
    const int64_t first_index2 = a.first_index2;
    const int64_t size_index2 = a.size_index2;
    const int64_t vec_in_x_3 = a.vec_in_x_3;
    const float *in_x_6 = a.in_x_6;
    const int64_t s0_in_x_6 = a.s0_in_x_6;
    const int64_t first_index5 = a.first_index5;
    const int64_t size_index5 = a.size_index5;
    const int64_t vec_in_x_6 = a.vec_in_x_6;
    const float *in_f = a.in_f;
    const int64_t vec_in_f = a.vec_in_f;
    const float *in_f_7 = a.in_f_7;
    const int64_t vec_in_f_7 = a.vec_in_f_7;
    float *out0 = a.out0;
    const int64_t vec = a.vec;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = line_packs;  // of a line
    const uint32_t line = t / packs;
    if (line < lines) {
        const uint32_t i0 = line;
        const int skew = (i0 * s0_out0) & 3;  // elements of the first pack that are before the line
        const int64_t begin = ((int64_t)(t % packs)) * 4 - skew;
        const int64_t j = kf_max_i64(begin, 0);
        const int left = kf_min_i64(n1, begin + 4) - j;  // elements of the pack
        if (0 < left) {
            uint32_t r1[4];
            uint32_t r4[4];
            {
                const float *p1_in_x = in_x + (i0 * s0_in_x + j);
                if (kf_within(j + left - 1, size_index0)) {
                    kf_load4_f32(p1_in_x, 0, left, vec_in_x && (skew & by_in_x) == 0, r1);
                } else {
                    const float *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + j);
                    if (kf_within(first_index2 + j, size_index2) & kf_within(first_index2 + (j + left - 1), size_index2)) {
                        kf_load4_f32(p3_in_x_3, 0, left, vec_in_x_3 && skew == 0, r1);
                    } else {
                        const float *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + j);
                        if (kf_within(first_index5 + j, size_index5) & kf_within(first_index5 + (j + left - 1), size_index5)) {
                            kf_load4_f32(p6_in_x_6, 0, left, vec_in_x_6 && skew == 0, r1);
                        } else {
                            if (0 < left) {
                                uint32_t raw_r1[4];
                                KF_UNROLL
                                for (int e = 0; e < 4; ++e) {
                                    const int there1 = kf_within(j + e, size_index0);
                                    const int there3 = kf_within(first_index2 + (j + e), size_index2);
                                    const int there8 = kf_within(first_index5 + (j + e), size_index5);
                                    const float *p_r1 = (((there1 | there3) | there8) & (e < left)) ? ((there8 ? p6_in_x_6 : (there3 ? p3_in_x_3 : p1_in_x)) + e) : kf_zeros_f32();
                                    kf_single_f32(p_r1, raw_r1 + e);
                                }
                                kf_join4_f32(raw_r1, r1);
                            } else {
                                KF_UNROLL
                                for (int k = 0; k < 4; ++k) {
                                    r1[k] = 0;
                                }
                            }
                        }
                    }
                }
                const float *p4_in_f = in_f + j;
                if (kf_within(first_index2 + j, size_index2) & kf_within(first_index2 + (j + left - 1), size_index2)) {
                    kf_load4_f32(p4_in_f, 0, left, vec_in_f && skew == 0, r4);
                } else {
                    const float *p7_in_f_7 = in_f_7 + j;
                    if (kf_within(first_index5 + j, size_index5) & kf_within(first_index5 + (j + left - 1), size_index5)) {
                        kf_load4_f32(p7_in_f_7, 0, left, vec_in_f_7 && skew == 0, r4);
                    } else {
                        if (0 < left) {
                            uint32_t raw_r4[4];
                            KF_UNROLL
                            for (int e = 0; e < 4; ++e) {
                                const int there4 = kf_within(first_index2 + (j + e), size_index2);
                                const int there9 = kf_within(first_index5 + (j + e), size_index5);
                                const float *p_r4 = ((there4 | there9) & (e < left)) ? ((there9 ? p7_in_f_7 : p4_in_f) + e) : kf_zeros_f32();
                                kf_single_f32(p_r4, raw_r4 + e);
                            }
                            kf_join4_f32(raw_r4, r4);
                        } else {
                            KF_UNROLL
                            for (int k = 0; k < 4; ++k) {
                                r4[k] = 0;
                            }
                        }
                    }
                }
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const int v0 = kf_within(j + e, size_index0);  // concatenate
                    const float v1 = kf_item_f32(r1, e);
                    const int v2 = kf_within(first_index2 + (j + e), size_index2);  // concatenate
                    const float v4 = kf_item_f32(r4, e);
                    float v14;
                    if (v0) {
                        v14 = v1;
                    } else {
                        float v13;
                        if (v2) {
                            const float v5 = v1 * v4;  // multiply
                            const float v6 = kf_sin_f32(v5);  // sin
                            v13 = v6;
                        } else {
                            const float v10 = v1 * v4;  // multiply
                            const float v11 = kf_cos_f32(v10);  // cos
                            v13 = v11;
                        }
                        v14 = v13;
                    }
                    w0[e] = v14;
                }
                float *p8_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p8_out0, 0, left, vec, w0);
            }
        }
    }
}
