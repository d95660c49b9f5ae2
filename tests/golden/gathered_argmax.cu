
typedef struct {
    int64_t n0;
    int64_t size_v1;
    const int64_t *in_i;
    int64_t vec;
    const float *in_x;
    int64_t *out0;
} k0_take_argmax_args;

/* take, argmax.
 * A row stays in the registers of its threads through all stages.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     int64[], 8 bytes each */
KF_KERNEL(k0_take_argmax, k0_take_argmax_args, 256) {
    const int64_t n0 = a.n0;
    const int64_t size_v1 = a.size_v1;
    const int64_t *in_i = a.in_i;
    const int64_t vec = a.vec;
    const float *in_x = a.in_x;
    int64_t *out0 = a.out0;
    const int tid = kf_thread();
    const int rank = kf_cluster_rank();
    KF_SHARED(uint64_t, messages, 2);
    kf_cluster_open(messages, 2);
    const int lane = rank * 256 + tid;
    const int n = n0;  // elements of a row
    const int rest = n - (lane - tid % 32) * 2;  // from its warp on
    float max11 = kf_lowest_f32;
    uint32_t r0[32];
    float keep10[16];
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t j = (lane + s * 512) * 2;
        const int left = n - j;
        const int64_t *p0_in_i = in_i + j;
        kf_load2_i64(p0_in_i, 0, left, vec, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t j = (lane + s * 512) * 2;
        const int left = n - j;
        if ((s < 4) || (s * (512 * 2) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                const int64_t v0 = kf_item_i64(r0 + s * 4, e);
                const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                const int v4 = v0 < 0;  // take
                const int64_t v5 = v4 ? v3 : v0;  // take
                const int v6 = v5 < size_v1;  // take
                const int v7 = v5 >= 0;  // take
                const int v8 = v7 & v6;  // take
                const int64_t v9 = v8 ? v5 : 0;  // take
                const float v10 = e < left && v8 ? kf_load_f32(in_x, v9) : 0.0f;
                keep10[s * 2 + e] = v10;
                const float term11 = e < left ? v10 : kf_lowest_f32;
                max11 = kf_max_f32(term11, max11);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max11 = kf_shfl_xor_f32(max11, m);
        max11 = kf_max_f32(q_max11, max11);
    }
    KF_SHARED(float, warps0_max11, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max11, tid / 32, max11);
    }
    kf_barrier();
    max11 = kf_shared_get_f32(warps0_max11, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_max11 = kf_shared_get_f32(warps0_max11, w);
        max11 = kf_max_f32(q_max11, max11);
    }
    kf_cluster_wait();
    KF_SHARED(float, blocks0_max11, 2);
    // to every block of the cluster
    if (tid < 2) {
        kf_cluster_send_f32(blocks0_max11, rank, tid, max11, messages, 0);
    }
    kf_cluster_collect(messages, 0, 8);
    max11 = kf_shared_get_f32(blocks0_max11, 0);
    for (int w = 1; w < 2; ++w) {
        const float q_max11 = kf_shared_get_f32(blocks0_max11, w);
        max11 = kf_max_f32(q_max11, max11);
    }
    int32_t at11 = kf_highest_i32;
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t j = (lane + s * 512) * 2;
        const int left = n - j;
        if ((s < 4) || (s * (512 * 2) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                const int32_t term11 = e < left ? (kf_is_f32(keep10[s * 2 + e], max11) ? (j + e) : kf_highest_i32) : kf_highest_i32;
                at11 = kf_min_i32(term11, at11);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const int32_t q_at11 = kf_shfl_xor_i32(at11, m);
        at11 = kf_min_i32(q_at11, at11);
    }
    KF_SHARED(int32_t, warps64_at11, 8);
    if (tid % 32 == 0) {
        kf_shared_put_i32(warps64_at11, tid / 32, at11);
    }
    kf_barrier();
    at11 = kf_shared_get_i32(warps64_at11, 0);
    for (int w = 1; w < 8; ++w) {
        const int32_t q_at11 = kf_shared_get_i32(warps64_at11, w);
        at11 = kf_min_i32(q_at11, at11);
    }
    KF_SHARED(int32_t, blocks64_at11, 2);
    // to every block of the cluster
    if (tid < 2) {
        kf_cluster_send_i32(blocks64_at11, rank, tid, at11, messages, 1);
    }
    kf_cluster_collect(messages, 1, 8);
    at11 = kf_shared_get_i32(blocks64_at11, 0);
    for (int w = 1; w < 2; ++w) {
        const int32_t q_at11 = kf_shared_get_i32(blocks64_at11, w);
        at11 = kf_min_i32(q_at11, at11);
    }
    const int64_t v12 = at11;  // at
    if (lane == 0) {
        kf_store_i64(out0, 0, v12);
    }
}
