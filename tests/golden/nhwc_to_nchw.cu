
typedef struct {
    int64_t n2;
    int64_t lines;
    int64_t n1;
    int64_t first_random0;
    int64_t s0_random0;
    int64_t s1_random0;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    int64_t s2_in_x;
    const float *in_y;
    int64_t s0_in_y;
    int64_t s1_in_y;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
} k0_add_dropout_args;

/* add, dropout.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_y     float32[x.0, x.3, x.1, x.2], 4 bytes each
 * writes out0     float32[x.0, x.3, x.1, x.2], 4 bytes each */
KF_KERNEL(k0_add_dropout, k0_add_dropout_args, 256) {
    const uint32_t n2 = a.n2;
    const int64_t lines = a.lines;
    const uint32_t n1 = a.n1;
    const int64_t first_random0 = a.first_random0;
    const int64_t s0_random0 = a.s0_random0;
    const int64_t s1_random0 = a.s1_random0;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const int64_t s2_in_x = a.s2_in_x;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    const int64_t s1_in_y = a.s1_in_y;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t s1_out0 = a.s1_out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = (n2 + 3) / 4;  // of a line
    const uint32_t line = t / packs;
    const int64_t j = ((int64_t)(t % packs)) * 4;
    if (line < lines) {
        const uint32_t i1 = line % n1;
        const uint32_t above1 = line / n1;
        const uint32_t i0 = above1;
        const int left = kf_min_i64(n2 - j, 4);  // elements of the pack
        int32_t r2[4];
        float r5[4];
        uint32_t r6[4];
        {
            const int64_t index2 = first_random0 + (i0 * s0_random0 + i1 * s1_random0 + j);
            if ((index2 & 3) == 0) {
                kf_philox4(3, 0, index2, r2);
            } else {
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    r2[e] = kf_philox_word(3, 0, first_random0 + (i0 * s0_random0 + i1 * s1_random0 + (j + e)));
                }
            }
            const kf_bf16 *p1_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j * s2_in_x);
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                r5[e] = e < left ? kf_load_bf16(p1_in_x, e * s2_in_x) : 0.0f;
            }
            const float *p2_in_y = in_y + (i0 * s0_in_y + i1 * s1_in_y + j);
            kf_load4_f32(p2_in_y, 0, left, vec, r6);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int v4 = kf_keep_bits(r2[e], 429496729);  // dropout
                const float v6 = kf_item_f32(r6, e);
                const float v7 = r5[e] + v6;  // add
                const float v9 = v7 * 0x1.1c71c8p+0f /* 1.1111112 */;  // dropout
                const float v11 = v4 ? v9 : 0.0f;  // dropout
                w0[e] = v11;
            }
            float *p3_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + j);
            kf_store4_f32(p3_out0, 0, left, vec, w0);
        }
    }
}
