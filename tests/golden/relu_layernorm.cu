
typedef struct {
    int64_t n1;
    int64_t size_v7;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_relu_layer_norm_args;

/* relu, layer_norm.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_relu_layer_norm, k0_relu_layer_norm_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t size_v7 = a.size_v7;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const float v8 = kf_cast_i64_f32(size_v7);  // layer_norm
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float mean3 = 0.0f;
    uint32_t r0[16];
    float keep2[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v2 = kf_max_f32(v0, 0.0f);  // relu
                keep2[s * 4 + e] = v2;
                const float term3 = e < left ? v2 : 0.0f;
                mean3 = mean3 + term3;
            }
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
    const float v4 = n > 0 ? mean3 : kf_nan_f32;  // mean
    float m2_3 = 0.0f;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float term3 = e < left ? kf_square_f32(keep2[s * 4 + e] - mean3) : 0.0f;
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
    const float v6 = m2_3;  // m2
    const float v9 = v6 / v8;  // layer_norm
    const float v11 = v9 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
    const float v12 = kf_rsqrt_f32(v11);  // layer_norm
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v5 = keep2[s * 4 + e] - v4;  // layer_norm
                const float v13 = v5 * v12;  // layer_norm
                w0[e] = v13;
            }
            float *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store4_f32(p1_out0, left, vec, w0);
        }
    }
}
