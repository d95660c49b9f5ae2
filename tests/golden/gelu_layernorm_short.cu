
typedef struct {
    int64_t n1;
    int64_t rows;
    int64_t size_v6;
    int64_t lane_bits;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    const float *in_y;
    int64_t s0_in_y;
    float *out0;
    int64_t s0_out0;
} k0_layer_norm_add_gelu_args;

/* layer_norm, add, gelu.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_layer_norm_add_gelu, k0_layer_norm_add_gelu_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t rows = a.rows;
    const int64_t size_v6 = a.size_v6;
    const uint32_t lane_bits = a.lane_bits;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const float v7 = kf_cast_i64_f32(size_v6);  // layer_norm
    const int tid = kf_thread();
    const int lanes = 1 << lane_bits;  // of a row
    const int lane = tid & (lanes - 1);
    const int n = n1;  // elements of a row
    const uint32_t any_row = kf_block() * (128 >> lane_bits) + (tid >> lane_bits);
    const int is_row = any_row < rows;
    const int live = is_row ? n : 0;  // elements that this thread's row has
    const uint32_t row = is_row ? any_row : (rows - 1);
    const uint32_t i0 = row;
    float mean2 = 0.0f;
    uint32_t r1[4];
    {
        const int j = lane * 4;
        const int left = live - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r1);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v1 = kf_item_f32(r1, e);
            const float term2 = e < left ? v1 : 0.0f;
            mean2 = mean2 + term2;
        }
    }
    for (int m = lanes / 2; m > 0; m /= 2) {
        const float q_mean2 = kf_shfl_xor_f32(mean2, m);
        mean2 = mean2 + q_mean2;
    }
    mean2 = kf_mean_of_f32(mean2, kf_cast_i64_f32(live));
    const float v3 = n > 0 ? mean2 : kf_nan_f32;  // mean
    float m2_2 = 0.0f;
    {
        const int j = lane * 4;
        const int left = live - j;
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float term2 = e < left ? kf_square_f32(kf_item_f32(r1, e) - mean2) : 0.0f;
            m2_2 = m2_2 + term2;
        }
    }
    for (int m = lanes / 2; m > 0; m /= 2) {
        const float q_m2_2 = kf_shfl_xor_f32(m2_2, m);
        m2_2 = m2_2 + q_m2_2;
    }
    const float v5 = m2_2;  // m2
    const float v8 = v5 / v7;  // layer_norm
    const float v10 = v8 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
    const float v11 = kf_rsqrt_f32(v10);  // layer_norm
    uint32_t r13[4];
    {
        const int j = lane * 4;
        const int left = live - j;
        const float *p1_in_y = in_y + (i0 * s0_in_y + j);
        kf_load4_f32(p1_in_y, 0, left, vec, r13);
        float w0[4];
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v4 = kf_item_f32(r1, e) - v3;  // layer_norm
            const float v12 = v4 * v11;  // layer_norm
            const float v13 = kf_item_f32(r13, e);
            const float v14 = v12 + v13;  // add
            const float v15 = 0.5f * v14;  // gelu
            const float v18 = v14 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
            const float v19 = kf_erf_f32(v18);  // gelu
            const float v20 = 1.0f + v19;  // gelu
            const float v21 = v15 * v20;  // gelu
            w0[e] = v21;
        }
        float *p2_out0 = out0 + (i0 * s0_out0 + j);
        kf_store4_f32(p2_out0, 0, left, vec, w0);
    }
}
