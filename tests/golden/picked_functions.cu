
typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
    int64_t first_index0;
    int64_t size_index1;
    int64_t first_index1;
    int64_t vec_in_x;
    int64_t first_random2;
    int64_t s0_random2;
    float *out0;
    int64_t vec;
} k0_exp_log1p_dropout_pad_args;

/* exp, log1p, dropout, pad.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0 + 2, x.1 + 2], 4 bytes each */
KF_KERNEL(k0_exp_log1p_dropout_pad, k0_exp_log1p_dropout_pad_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t size_index0 = a.size_index0;
    const int64_t first_index0 = a.first_index0;
    const int64_t size_index1 = a.size_index1;
    const int64_t first_index1 = a.first_index1;
    const int64_t vec_in_x = a.vec_in_x;
    const int64_t first_random2 = a.first_random2;
    const int64_t s0_random2 = a.s0_random2;
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
            int32_t r5[4];
            uint32_t r8[4];
            {
                const float *p3_in_x = in_x + (i0 * s0_in_x + j);
                const int64_t begin8 = kf_min_i64(kf_max_i64(0, 0 - (first_index1 + j)), left);
                const int64_t end8 = kf_max_i64(begin8, kf_min_i64(kf_inside(first_index0 + i0, size_index0) ? left : 0, size_index1 - (first_index1 + j)));
                if (begin8 == 0 && end8 == left) {
                    kf_load4_f32(p3_in_x, 0, end8, vec_in_x && skew == 0, r8);
                } else {
                    kf_part4_f32(p3_in_x, begin8, end8, r8);
                }
                const int64_t index5 = first_random2 + (i0 * s0_random2 + j);
                kf_philox4(3, 0, index5, r5);
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const int v0 = kf_within(first_index0 + i0, size_index0);  // pad
                    const int v1 = kf_within(first_index1 + (j + e), size_index1);  // pad
                    const int v2 = v0 & v1;  // pad
                    const int v7 = kf_keep_bits(r5[e], 429496729);  // dropout
                    const float v8 = kf_item_f32(r8, e);
                    const float v9 = kf_exp_f32(v8);  // exp
                    const float v10 = kf_log1p_f32(v9);  // log1p
                    const float v12 = v10 * 0x1.1c71c8p+0f /* 1.1111112 */;  // dropout
                    const float v14 = v7 ? v12 : 0.0f;  // dropout
                    const float v15 = v2 ? v14 : 0.0f;  // pad
                    w0[e] = v15;
                }
                float *p4_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p4_out0, 0, left, vec, w0);
            }
        }
    }
}
