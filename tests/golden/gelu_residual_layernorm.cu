
typedef struct {
    int64_t n1;
    int64_t size_v17;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t vec;
    const kf_bf16 *in_b;
    const kf_bf16 *in_r;
    int64_t s0_in_r;
    kf_bf16 *out0;
    int64_t s0_out0;
} k0_add_gelu_add_layer_norm_args;

/* add, gelu, add, layer_norm.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_b     bfloat16[x.1], 2 bytes each
 * reads  in_r     bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0, x.1], 2 bytes each */
KF_KERNEL(k0_add_gelu_add_layer_norm, k0_add_gelu_add_layer_norm_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t size_v17 = a.size_v17;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    const kf_bf16 *in_b = a.in_b;
    const kf_bf16 *in_r = a.in_r;
    const int64_t s0_in_r = a.s0_in_r;
    kf_bf16 *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const float v18 = kf_cast_i64_f32(size_v17);  // layer_norm
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 8;  // from its warp on
    const uint32_t i0 = row;
    float mean13 = 0.0f;
    uint32_t r1[16];
    uint32_t r2[16];
    uint32_t r11[16];
    float keep12[32];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load8_bf16(p0_in_x, 0, left, vec, r1 + s * 4);
        const kf_bf16 *p1_in_b = in_b + j;
        kf_load8_bf16(p1_in_b, 0, left, vec, r2 + s * 4);
        const kf_bf16 *p2_in_r = in_r + (i0 * s0_in_r + j);
        kf_load8_bf16(p2_in_r, 0, left, vec, r11 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v1 = kf_item_bf16(r1 + s * 4, e);
                const float v2 = kf_item_bf16(r2 + s * 4, e);
                const float v3 = v1 + v2;  // add
                const float v4 = 0.5f * v3;  // gelu
                const float v7 = v3 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                const float v8 = kf_erf_f32(v7);  // gelu
                const float v9 = 1.0f + v8;  // gelu
                const float v10 = v4 * v9;  // gelu
                const float v11 = kf_item_bf16(r11 + s * 4, e);
                const float v12 = v10 + v11;  // add
                keep12[s * 8 + e] = v12;
                const float term13 = e < left ? v12 : 0.0f;
                mean13 = mean13 + term13;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_mean13 = kf_shfl_xor_f32(mean13, m);
        mean13 = mean13 + q_mean13;
    }
    KF_SHARED(float, warps0_mean13, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_mean13, tid / 32, mean13);
    }
    kf_barrier();
    mean13 = kf_shared_get_f32(warps0_mean13, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_mean13 = kf_shared_get_f32(warps0_mean13, w);
        mean13 = mean13 + q_mean13;
    }
    mean13 = kf_mean_of_f32(mean13, kf_cast_i64_f32(n));
    const float v14 = n > 0 ? mean13 : kf_nan_f32;  // mean
    float m2_13 = 0.0f;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float term13 = e < left ? kf_square_f32(keep12[s * 8 + e] - mean13) : 0.0f;
                m2_13 = m2_13 + term13;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_m2_13 = kf_shfl_xor_f32(m2_13, m);
        m2_13 = m2_13 + q_m2_13;
    }
    KF_SHARED(float, warps64_m2_13, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_m2_13, tid / 32, m2_13);
    }
    kf_barrier();
    m2_13 = kf_shared_get_f32(warps64_m2_13, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_m2_13 = kf_shared_get_f32(warps64_m2_13, w);
        m2_13 = m2_13 + q_m2_13;
    }
    const float v16 = m2_13;  // m2
    const float v19 = v16 / v18;  // layer_norm
    const float v21 = v19 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
    const float v22 = kf_rsqrt_f32(v21);  // layer_norm
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            float w0[8];
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v15 = keep12[s * 8 + e] - v14;  // layer_norm
                const float v23 = v15 * v22;  // layer_norm
                w0[e] = v23;
            }
            kf_bf16 *p3_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store8_bf16(p3_out0, left, vec, w0);
        }
    }
}
