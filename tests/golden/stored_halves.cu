
typedef struct {
    int64_t n1;
    int64_t size_v5;
    const kf_bf16 *in_x_6;
    int64_t s0_in_x_6;
    int64_t first_index5;
    int64_t size_index5;
    int64_t vec_in_x_6;
    const kf_bf16 *in_x_4;
    int64_t s0_in_x_4;
    const kf_bf16 *in_x_11;
    int64_t s0_in_x_11;
    int64_t first_index10;
    int64_t size_index10;
    int64_t vec_in_x_11;
    const kf_bf16 *in_x_9;
    int64_t s0_in_x_9;
    int64_t vec;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    kf_bf16 *out_t;
    int64_t s0_out_t;
    kf_bf16 *out2;
    int64_t s0_out2;
    kf_bf16 *out3;
    int64_t s0_out3;
    kf_bf16 *out1;
    int64_t s0_out1;
} k0_add_var_roll_multiply_args;

/* add, var, roll, multiply, roll.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_4   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_6   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_9   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_11  bfloat16[x.0, x.1], 2 bytes each
 * writes out_t    bfloat16[x.0, x.1], 2 bytes each
 * writes out1     bfloat16[x.0], 2 bytes each
 * writes out2     bfloat16[x.0, x.1], 2 bytes each
 * writes out3     bfloat16[x.0, x.1], 2 bytes each */
KF_KERNEL(k0_add_var_roll_multiply, k0_add_var_roll_multiply_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t size_v5 = a.size_v5;
    const kf_bf16 *in_x_6 = a.in_x_6;
    const int64_t s0_in_x_6 = a.s0_in_x_6;
    const int64_t first_index5 = a.first_index5;
    const int64_t size_index5 = a.size_index5;
    const int64_t vec_in_x_6 = a.vec_in_x_6;
    const kf_bf16 *in_x_4 = a.in_x_4;
    const int64_t s0_in_x_4 = a.s0_in_x_4;
    const kf_bf16 *in_x_11 = a.in_x_11;
    const int64_t s0_in_x_11 = a.s0_in_x_11;
    const int64_t first_index10 = a.first_index10;
    const int64_t size_index10 = a.size_index10;
    const int64_t vec_in_x_11 = a.vec_in_x_11;
    const kf_bf16 *in_x_9 = a.in_x_9;
    const int64_t s0_in_x_9 = a.s0_in_x_9;
    const int64_t vec = a.vec;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    kf_bf16 *out_t = a.out_t;
    const int64_t s0_out_t = a.s0_out_t;
    kf_bf16 *out2 = a.out2;
    const int64_t s0_out2 = a.s0_out2;
    kf_bf16 *out3 = a.out3;
    const int64_t s0_out3 = a.s0_out3;
    kf_bf16 *out1 = a.out1;
    const int64_t s0_out1 = a.s0_out1;
    const int64_t v7 = kf_max_i64(size_v5, 0);  // var
    const float v8 = kf_cast_i64_f32(v7);  // var
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 8;  // from its warp on
    const uint32_t i0 = row;
    float mean3 = 0.0f;
    uint32_t r0[16];
    float keep2[32];
    uint32_t r11[16];
    uint32_t r19[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        const kf_bf16 *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + j);
        const int here13 = kf_min_i64(left, 8);
        if (kf_within(first_index5 + j, size_index5) & kf_within(first_index5 + (j + here13 - 1), size_index5)) {
            kf_load8_bf16(p6_in_x_6, 0, here13, vec_in_x_6, r11 + s * 4);
        } else {
            if (0 < left) {
                uint32_t raw_r11[8];
                const kf_bf16 *p4_in_x_4 = in_x_4 + (i0 * s0_in_x_4 + j);
                KF_UNROLL
                for (int e = 0; e < 8; ++e) {
                    const int there13 = kf_within(first_index5 + (j + e), size_index5);
                    const kf_bf16 *p_r11 = e < left ? ((there13 ? p6_in_x_6 : p4_in_x_4) + e) : kf_zeros_bf16();
                    kf_single_bf16(p_r11, raw_r11 + e);
                }
                kf_join8_bf16(raw_r11, r11 + s * 4);
            } else {
                KF_UNROLL
                for (int k = 0; k < 4; ++k) {
                    r11[s * 4 + k] = 0;
                }
            }
        }
        const kf_bf16 *p11_in_x_11 = in_x_11 + (i0 * s0_in_x_11 + j);
        const int here21 = kf_min_i64(left, 8);
        if (kf_within(first_index10 + j, size_index10) & kf_within(first_index10 + (j + here21 - 1), size_index10)) {
            kf_load8_bf16(p11_in_x_11, 0, here21, vec_in_x_11, r19 + s * 4);
        } else {
            if (0 < left) {
                uint32_t raw_r19[8];
                const kf_bf16 *p9_in_x_9 = in_x_9 + (i0 * s0_in_x_9 + j);
                KF_UNROLL
                for (int e = 0; e < 8; ++e) {
                    const int there21 = kf_within(first_index10 + (j + e), size_index10);
                    const kf_bf16 *p_r19 = e < left ? ((there21 ? p11_in_x_11 : p9_in_x_9) + e) : kf_zeros_bf16();
                    kf_single_bf16(p_r19, raw_r19 + e);
                }
                kf_join8_bf16(raw_r19, r19 + s * 4);
            } else {
                KF_UNROLL
                for (int k = 0; k < 4; ++k) {
                    r19[s * 4 + k] = 0;
                }
            }
        }
    }
    if (vec) {
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int j = (tid + s * 128) * 8;
            const int left = n - j;
            const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load8_bf16(p0_in_x, 0, left, vec, r0 + s * 4);
        }
    } else {
        uint32_t raw_r0[20];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int j = (tid + s * 128) * 8;
            const int left = n - j;
            const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_raw8_bf16(p0_in_x, left, raw_r0 + s * 5);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int j = (tid + s * 128) * 8;
            const int left = n - j;
            const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_settle8_bf16(p0_in_x, left, raw_r0 + s * 5, r0 + s * 4);
        }
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            float w0[8];
            float w2[8];
            float w3[8];
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v0 = kf_item_bf16(r0 + s * 4, e);
                const float v1 = v0 + v0;  // add
                const float v2 = kf_round_bf16(v1);  // add
                keep2[s * 8 + e] = v2;
                const float v11 = kf_item_bf16(r11 + s * 4, e);
                const float v17 = v11 * 2.0f;  // multiply
                const float v19 = kf_item_bf16(r19 + s * 4, e);
                const float term3 = e < left ? v2 : 0.0f;
                mean3 = mean3 + term3;
                w0[e] = v1;
                w2[e] = v17;
                w3[e] = v19;
            }
            kf_bf16 *p1_out_t = out_t + (i0 * s0_out_t + j);
            kf_row_store8_bf16(p1_out_t, left, vec, w0);
            kf_bf16 *p7_out2 = out2 + (i0 * s0_out2 + j);
            kf_row_store8_bf16(p7_out2, left, vec, w2);
            kf_bf16 *p12_out3 = out3 + (i0 * s0_out3 + j);
            kf_row_store8_bf16(p12_out3, left, vec, w3);
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_mean3 = kf_shfl_xor_f32(mean3, m);
        mean3 = mean3 + q_mean3;
    }
    KF_SHARED(float, warps0_mean3, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_mean3, tid / 32, mean3);
    }
    kf_barrier();
    mean3 = kf_shared_get_f32(warps0_mean3, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_mean3 = kf_shared_get_f32(warps0_mean3, w);
        mean3 = mean3 + q_mean3;
    }
    mean3 = kf_mean_of_f32(mean3, kf_cast_i64_f32(n));
    float m2_3 = 0.0f;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float term3 = e < left ? kf_square_f32(keep2[s * 8 + e] - mean3) : 0.0f;
                m2_3 = m2_3 + term3;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_m2_3 = kf_shfl_xor_f32(m2_3, m);
        m2_3 = m2_3 + q_m2_3;
    }
    KF_SHARED(float, warps64_m2_3, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_m2_3, tid / 32, m2_3);
    }
    kf_barrier();
    m2_3 = kf_shared_get_f32(warps64_m2_3, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_m2_3 = kf_shared_get_f32(warps64_m2_3, w);
        m2_3 = m2_3 + q_m2_3;
    }
    const float v4 = m2_3;  // m2
    const float v9 = v4 / v8;  // var
    if (tid == 0) {
        kf_store_bf16(out1, i0 * s0_out1, v9);
    }
}
