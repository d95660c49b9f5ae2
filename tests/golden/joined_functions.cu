
typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_x_3;
    int64_t s0_in_x_3;
    int64_t first_index2;
    int64_t size_index2;
    int64_t vec_in_x_3;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    int64_t vec;
} k0_roll_softplus_args;

/* roll, softplus.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_3   float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_roll_softplus, k0_roll_softplus_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_x_3 = a.in_x_3;
    const int64_t s0_in_x_3 = a.s0_in_x_3;
    const int64_t first_index2 = a.first_index2;
    const int64_t size_index2 = a.size_index2;
    const int64_t vec_in_x_3 = a.vec_in_x_3;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
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
            {
                const float *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + j);
                if (kf_within(first_index2 + j, size_index2) & kf_within(first_index2 + (j + left - 1), size_index2)) {
                    kf_load4_f32(p3_in_x_3, 0, left, vec_in_x_3 && skew == 0, r1);
                } else {
                    if (0 < left) {
                        uint32_t raw_r1[4];
                        const float *p1_in_x = in_x + (i0 * s0_in_x + j);
                        KF_UNROLL
                        for (int e = 0; e < 4; ++e) {
                            const int there3 = kf_within(first_index2 + (j + e), size_index2);
                            const float *p_r1 = e < left ? ((there3 ? p3_in_x_3 : p1_in_x) + e) : kf_zeros_f32();
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
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const float v1 = kf_item_f32(r1, e);
                    const int v7 = v1 > 20.0f;  // softplus
                    const float v9 = kf_max_f32(v1, 0.0f);  // softplus
                    const float v10 = kf_abs_f32(v1);  // softplus
                    const float v11 = -v10;  // softplus
                    const float v12 = kf_exp_f32(v11);  // softplus
                    const float v13 = kf_log1p_f32(v12);  // softplus
                    const float v14 = v9 + v13;  // softplus
                    const float v15 = v7 ? v1 : v14;  // softplus
                    w0[e] = v15;
                }
                float *p4_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p4_out0, 0, left, vec, w0);
            }
        }
    }
}
