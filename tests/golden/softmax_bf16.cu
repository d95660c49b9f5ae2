
typedef struct {
    int64_t n1;
    int64_t vec;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    kf_bf16 *out0;
    int64_t s0_out0;
} k0_softmax_args;

/* softmax.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0, x.1], 2 bytes each */
KF_KERNEL(k0_softmax, k0_softmax_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t vec = a.vec;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    kf_bf16 *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 8;  // from its warp on
    const uint32_t i0 = row;
    float max1 = kf_lowest_f32;
    uint32_t r0[16];
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
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v0 = kf_item_bf16(r0 + s * 4, e);
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
    float keep4[32];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v3 = kf_item_bf16(r0 + s * 4, e) - v2;  // softmax
                const float v4 = kf_exp_nonpositive_f32(v3);  // softmax
                keep4[s * 8 + e] = v4;
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
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            float w0[8];
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v9 = keep4[s * 8 + e] * v8;  // softmax
                w0[e] = v9;
            }
            kf_bf16 *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store8_bf16(p1_out0, left, vec, w0);
        }
    }
}
