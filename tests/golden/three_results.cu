
typedef struct {
    int64_t n1;
    int64_t size_v5;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    const float *in_y;
    int64_t s0_in_y;
    float *out_h;
    int64_t s0_out_h;
    float *out1;
    int64_t s0_out1;
    float *out2;
    int64_t s0_out2;
} k0_relu_multiply_add_mean_args;

/* relu, multiply, add, mean.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out_h    float32[x.0, x.1], 4 bytes each
 * writes out2     float32[x.0], 4 bytes each
 * writes out1     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_relu_multiply_add_mean, k0_relu_multiply_add_mean_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t size_v5 = a.size_v5;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    float *out_h = a.out_h;
    const int64_t s0_out_h = a.s0_out_h;
    float *out1 = a.out1;
    const int64_t s0_out1 = a.s0_out1;
    float *out2 = a.out2;
    const int64_t s0_out2 = a.s0_out2;
    const float v6 = kf_cast_i64_f32(size_v5);  // mean
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float sum3 = 0.0f;
    uint32_t r0[16];
    uint32_t r10[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        const float *p3_in_y = in_y + (i0 * s0_in_y + j);
        kf_load4_f32(p3_in_y, 0, left, vec, r10 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            float w0[4];
            float w2[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v2 = kf_max_f32(v0, 0.0f);  // relu
                const float v9 = v2 * 2.0f;  // multiply
                const float v10 = kf_item_f32(r10 + s * 4, e);
                const float v11 = v9 + v10;  // add
                const float term3 = e < left ? v2 : 0.0f;
                sum3 = sum3 + term3;
                w0[e] = v2;
                w2[e] = v11;
            }
            float *p1_out_h = out_h + (i0 * s0_out_h + j);
            kf_row_store4_f32(p1_out_h, left, vec, w0);
            float *p4_out1 = out1 + (i0 * s0_out1 + j);
            kf_row_store4_f32(p4_out1, left, vec, w2);
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum3 = kf_shfl_xor_f32(sum3, m);
        sum3 = sum3 + q_sum3;
    }
    KF_SHARED(float, warps0_sum3, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_sum3, tid / 32, sum3);
    }
    kf_barrier();
    sum3 = kf_shared_get_f32(warps0_sum3, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_sum3 = kf_shared_get_f32(warps0_sum3, w);
        sum3 = sum3 + q_sum3;
    }
    const float v4 = sum3;  // sum
    const float v7 = v4 / v6;  // mean
    if (tid == 0) {
        kf_store_f32(out2, i0 * s0_out2, v7);
    }
}
