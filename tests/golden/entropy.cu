
typedef struct {
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_softmax_log_multiply_sum_args;

/* softmax, log, multiply, sum, negative.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
KF_KERNEL(k0_softmax_log_multiply_sum, k0_softmax_log_multiply_sum_args, 128) {
    const uint32_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float max1 = kf_lowest_f32;
    uint32_t r0[16];
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
                const float term1 = e < left ? v0 : kf_lowest_f32;
                max1 = kf_max_f32(term1, max1);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max1 = kf_shfl_xor_f32(max1, m);
        max1 = kf_max_f32(q_max1, max1);
    }
    KF_SHARED(float, warps0_max1, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max1, tid / 32, max1);
    }
    kf_barrier();
    max1 = kf_shared_get_f32(warps0_max1, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_max1 = kf_shared_get_f32(warps0_max1, w);
        max1 = kf_max_f32(q_max1, max1);
    }
    const float v2 = max1;  // max
    float sumexp1 = 0.0f;
    float keep4[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v3 = kf_item_f32(r0 + s * 4, e) - v2;  // softmax
                const float v4 = kf_exp_nonpositive_f32(v3);  // softmax
                keep4[s * 4 + e] = v4;
                sumexp1 = sumexp1 + (e < left ? v4 : 0.0f);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sumexp1 = kf_shfl_xor_f32(sumexp1, m);
        sumexp1 = sumexp1 + q_sumexp1;
    }
    KF_SHARED(float, warps64_sumexp1, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_sumexp1, tid / 32, sumexp1);
    }
    kf_barrier();
    sumexp1 = kf_shared_get_f32(warps64_sumexp1, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_sumexp1 = kf_shared_get_f32(warps64_sumexp1, w);
        sumexp1 = sumexp1 + q_sumexp1;
    }
    sumexp1 = kf_isinf_f32(max1) ? kf_one_f32 : sumexp1;
    const float v5 = sumexp1;  // sumexp
    const float v6 = v2 - v2;  // softmax
    const float v7 = v5 + v6;  // softmax
    const float v8 = kf_one_f32 / v7;  // softmax
    float sum12 = 0.0f;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v9 = keep4[s * 4 + e] * v8;  // softmax
                const float v10 = kf_log_f32(v9);  // log
                const float v11 = v9 * v10;  // multiply
                const float term12 = e < left ? v11 : 0.0f;
                sum12 = sum12 + term12;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum12 = kf_shfl_xor_f32(sum12, m);
        sum12 = sum12 + q_sum12;
    }
    KF_SHARED(float, warps1_sum12, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps1_sum12, tid / 32, sum12);
    }
    kf_barrier();
    sum12 = kf_shared_get_f32(warps1_sum12, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_sum12 = kf_shared_get_f32(warps1_sum12, w);
        sum12 = sum12 + q_sum12;
    }
    const float v13 = sum12;  // sum
    const float v14 = -v13;  // negative
    if (tid == 0) {
        kf_store_f32(out0, i0 * s0_out0, v14);
    }
}
