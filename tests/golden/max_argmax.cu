
typedef struct {
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
    int64_t *out1;
    int64_t s0_out1;
    int64_t *out2;
    int64_t s0_out2;
    float *out3;
    int64_t s0_out3;
} k0_max_argmax_argmin_min_args;

/* max, argmax, argmin, min.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each
 * writes out1     int64[x.0], 8 bytes each
 * writes out2     int64[x.0], 8 bytes each
 * writes out3     float32[x.0], 4 bytes each */
KF_KERNEL(k0_max_argmax_argmin_min, k0_max_argmax_argmin_min_args, 128) {
    const uint32_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    int64_t *out1 = a.out1;
    const int64_t s0_out1 = a.s0_out1;
    int64_t *out2 = a.out2;
    const int64_t s0_out2 = a.s0_out2;
    float *out3 = a.out3;
    const int64_t s0_out3 = a.s0_out3;
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float max1 = kf_lowest_f32;
    float min4 = kf_highest_f32;
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
                const float term4 = e < left ? v0 : kf_highest_f32;
                min4 = kf_min_f32(term4, min4);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max1 = kf_shfl_xor_f32(max1, m);
        max1 = kf_max_f32(q_max1, max1);
        const float q_min4 = kf_shfl_xor_f32(min4, m);
        min4 = kf_min_f32(q_min4, min4);
    }
    KF_SHARED(float, warps0_max1, 4);
    KF_SHARED(float, warps0_min4, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max1, tid / 32, max1);
        kf_shared_put_f32(warps0_min4, tid / 32, min4);
    }
    kf_barrier();
    max1 = kf_shared_get_f32(warps0_max1, 0);
    min4 = kf_shared_get_f32(warps0_min4, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_max1 = kf_shared_get_f32(warps0_max1, w);
        max1 = kf_max_f32(q_max1, max1);
        const float q_min4 = kf_shared_get_f32(warps0_min4, w);
        min4 = kf_min_f32(q_min4, min4);
    }
    const float v2 = max1;  // max
    const float v6 = min4;  // min
    int32_t at1 = kf_highest_i32;
    int32_t at4 = kf_highest_i32;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int32_t term1 = e < left ? (kf_is_f32(kf_item_f32(r0 + s * 4, e), max1) ? (j + e) : kf_highest_i32) : kf_highest_i32;
                at1 = kf_min_i32(term1, at1);
                const int32_t term4 = e < left ? (kf_is_f32(kf_item_f32(r0 + s * 4, e), min4) ? (j + e) : kf_highest_i32) : kf_highest_i32;
                at4 = kf_min_i32(term4, at4);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const int32_t q_at1 = kf_shfl_xor_i32(at1, m);
        at1 = kf_min_i32(q_at1, at1);
        const int32_t q_at4 = kf_shfl_xor_i32(at4, m);
        at4 = kf_min_i32(q_at4, at4);
    }
    KF_SHARED(int32_t, warps64_at1, 4);
    KF_SHARED(int32_t, warps64_at4, 4);
    if (tid % 32 == 0) {
        kf_shared_put_i32(warps64_at1, tid / 32, at1);
        kf_shared_put_i32(warps64_at4, tid / 32, at4);
    }
    kf_barrier();
    at1 = kf_shared_get_i32(warps64_at1, 0);
    at4 = kf_shared_get_i32(warps64_at4, 0);
    for (int w = 1; w < 4; ++w) {
        const int32_t q_at1 = kf_shared_get_i32(warps64_at1, w);
        at1 = kf_min_i32(q_at1, at1);
        const int32_t q_at4 = kf_shared_get_i32(warps64_at4, w);
        at4 = kf_min_i32(q_at4, at4);
    }
    const int64_t v3 = at1;  // at
    const int64_t v5 = at4;  // at
    if (tid == 0) {
        kf_store_f32(out0, i0 * s0_out0, v2);
        kf_store_i64(out1, i0 * s0_out1, v3);
        kf_store_i64(out2, i0 * s0_out2, v5);
        kf_store_f32(out3, i0 * s0_out3, v6);
    }
}
