
typedef struct {
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_softmax_args;

/* softmax.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_softmax, k0_softmax_args, 256) {
    const uint32_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int rank = kf_cluster_rank();
    KF_SHARED(uint64_t, messages, 2);
    kf_cluster_open(messages, 2);
    const int lane = rank * 256 + tid;
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block() / 8;
    const int rest = n - (lane - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float max1 = kf_lowest_f32;
    uint32_t r0[32];
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int j = (lane + s * 2048) * 4;
        const int left = n - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int j = (lane + s * 2048) * 4;
        const int left = n - j;
        if ((s < 4) || (s * (2048 * 4) < rest)) {
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
    KF_SHARED(float, warps0_max1, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max1, tid / 32, max1);
    }
    kf_barrier();
    max1 = kf_shared_get_f32(warps0_max1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_max1 = kf_shared_get_f32(warps0_max1, w);
        max1 = kf_max_f32(q_max1, max1);
    }
    kf_cluster_wait();
    KF_SHARED(float, blocks0_max1, 8);
    // to every block of the cluster
    if (tid < 8) {
        kf_cluster_send_f32(blocks0_max1, rank, tid, max1, messages, 0);
    }
    kf_cluster_collect(messages, 0, 32);
    max1 = kf_shared_get_f32(blocks0_max1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_max1 = kf_shared_get_f32(blocks0_max1, w);
        max1 = kf_max_f32(q_max1, max1);
    }
    const float v2 = max1;  // max
    float sumexp1 = 0.0f;
    float keep4[32];
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int j = (lane + s * 2048) * 4;
        const int left = n - j;
        if ((s < 4) || (s * (2048 * 4) < rest)) {
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
    KF_SHARED(float, warps64_sumexp1, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_sumexp1, tid / 32, sumexp1);
    }
    kf_barrier();
    sumexp1 = kf_shared_get_f32(warps64_sumexp1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_sumexp1 = kf_shared_get_f32(warps64_sumexp1, w);
        sumexp1 = sumexp1 + q_sumexp1;
    }
    KF_SHARED(float, blocks64_sumexp1, 8);
    // to every block of the cluster
    if (tid < 8) {
        kf_cluster_send_f32(blocks64_sumexp1, rank, tid, sumexp1, messages, 1);
    }
    kf_cluster_collect(messages, 1, 32);
    sumexp1 = kf_shared_get_f32(blocks64_sumexp1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_sumexp1 = kf_shared_get_f32(blocks64_sumexp1, w);
        sumexp1 = sumexp1 + q_sumexp1;
    }
    sumexp1 = kf_isinf_f32(max1) ? kf_one_f32 : sumexp1;
    const float v5 = sumexp1;  // sumexp
    const float v6 = v2 - v2;  // softmax
    const float v7 = v5 + v6;  // softmax
    const float v8 = kf_one_f32 / v7;  // softmax
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int j = (lane + s * 2048) * 4;
        const int left = n - j;
        if ((s < 4) || (s * (2048 * 4) < rest)) {
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v9 = keep4[s * 4 + e] * v8;  // softmax
                w0[e] = v9;
            }
            float *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store4_f32(p1_out0, left, vec, w0);
        }
    }
}
