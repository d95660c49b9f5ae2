
typedef struct {
    int64_t n1;
    int64_t chunks;
    int64_t chunk;
    int64_t all_packs;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *part_max1;
    float *part_sumexp1;
} k0_softmax_0_args;

/* softmax.
 * One stage of rows, in chunks.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_softmax_0, k0_softmax_0_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t chunks = a.chunks;
    const int64_t chunk = a.chunk;
    const int64_t all_packs = a.all_packs;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *part_max1 = a.part_max1;
    float *part_sumexp1 = a.part_sumexp1;
    const int tid = kf_thread();
    const int64_t u = kf_block();
    const int64_t row = u / chunks;
    const uint32_t i0 = row;
    const int64_t from = (u % chunks) * chunk;
    const int64_t to = kf_min_i64(all_packs, from + chunk);
    float max1 = kf_lowest_f32;
    float sumexp1 = 0.0f;
    for (int64_t q0 = from; q0 < to; q0 += 1024) {
        float tile_max1 = kf_lowest_f32;
        uint32_t r0[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n1 - j, 4) : 0;
            const float *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n1 - j, 4) : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float term1 = e < left ? v0 : kf_lowest_f32;
                tile_max1 = kf_max_f32(term1, tile_max1);
            }
        }
        float tile_sumexp1 = 0.0f;
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n1 - j, 4) : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float term1 = kf_select_f32(e < left, kf_exp_nonpositive_f32(kf_item_f32(r0 + s * 4, e) - tile_max1), 0.0f);
                tile_sumexp1 = tile_sumexp1 + term1;
            }
        }
        tile_sumexp1 = kf_isinf_f32(tile_max1) ? kf_one_f32 : tile_sumexp1;
        {
            const float merged_max1 = kf_max_f32(max1, tile_max1);
            const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, tile_max1, tile_sumexp1);
            max1 = merged_max1;
            sumexp1 = merged_sumexp1;
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max1 = kf_shfl_xor_f32(max1, m);
        const float q_sumexp1 = kf_shfl_xor_f32(sumexp1, m);
        {
            const float merged_max1 = kf_max_f32(max1, q_max1);
            const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, q_max1, q_sumexp1);
            max1 = merged_max1;
            sumexp1 = merged_sumexp1;
        }
    }
    KF_SHARED(float, warps0_max1, 8);
    KF_SHARED(float, warps0_sumexp1, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max1, tid / 32, max1);
        kf_shared_put_f32(warps0_sumexp1, tid / 32, sumexp1);
    }
    kf_barrier();
    max1 = kf_shared_get_f32(warps0_max1, 0);
    sumexp1 = kf_shared_get_f32(warps0_sumexp1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_max1 = kf_shared_get_f32(warps0_max1, w);
        const float q_sumexp1 = kf_shared_get_f32(warps0_sumexp1, w);
        {
            const float merged_max1 = kf_max_f32(max1, q_max1);
            const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, q_max1, q_sumexp1);
            max1 = merged_max1;
            sumexp1 = merged_sumexp1;
        }
    }
    if (tid == 0) {
        kf_store_f32(part_max1, u, max1);
        kf_store_f32(part_sumexp1, u, sumexp1);
    }
}

typedef struct {
    int64_t n1;
    int64_t chunks;
    int64_t chunk;
    int64_t all_packs;
    float *part_max1;
    float *part_sumexp1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_softmax_1_args;

/* softmax.
 * One stage of rows, in chunks.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_softmax_1, k0_softmax_1_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t chunks = a.chunks;
    const int64_t chunk = a.chunk;
    const int64_t all_packs = a.all_packs;
    float *part_max1 = a.part_max1;
    float *part_sumexp1 = a.part_sumexp1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int64_t u = kf_block();
    const int64_t row = u / chunks;
    const uint32_t i0 = row;
    const int64_t from = (u % chunks) * chunk;
    const int64_t to = kf_min_i64(all_packs, from + chunk);
    float max1 = kf_lowest_f32;
    float sumexp1 = 0.0f;
    for (int64_t c = tid; c < chunks; c += 256) {
        const int64_t at = row * chunks + c;
        const float q_max1 = kf_load_f32(part_max1, at);
        const float q_sumexp1 = kf_load_f32(part_sumexp1, at);
        {
            const float merged_max1 = kf_max_f32(max1, q_max1);
            const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, q_max1, q_sumexp1);
            max1 = merged_max1;
            sumexp1 = merged_sumexp1;
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max1 = kf_shfl_xor_f32(max1, m);
        const float q_sumexp1 = kf_shfl_xor_f32(sumexp1, m);
        {
            const float merged_max1 = kf_max_f32(max1, q_max1);
            const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, q_max1, q_sumexp1);
            max1 = merged_max1;
            sumexp1 = merged_sumexp1;
        }
    }
    KF_SHARED(float, warps0_max1, 8);
    KF_SHARED(float, warps0_sumexp1, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max1, tid / 32, max1);
        kf_shared_put_f32(warps0_sumexp1, tid / 32, sumexp1);
    }
    kf_barrier();
    max1 = kf_shared_get_f32(warps0_max1, 0);
    sumexp1 = kf_shared_get_f32(warps0_sumexp1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_max1 = kf_shared_get_f32(warps0_max1, w);
        const float q_sumexp1 = kf_shared_get_f32(warps0_sumexp1, w);
        {
            const float merged_max1 = kf_max_f32(max1, q_max1);
            const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, q_max1, q_sumexp1);
            max1 = merged_max1;
            sumexp1 = merged_sumexp1;
        }
    }
    const float v2 = max1;  // max
    const float v5 = sumexp1;  // sumexp
    const float v6 = v2 - v2;  // softmax
    const float v7 = v5 + v6;  // softmax
    const float v8 = kf_one_f32 / v7;  // softmax
    for (int64_t q0 = from; q0 < to; q0 += 1024) {
        uint32_t r0[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n1 - j, 4) : 0;
            const float *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n1 - j, 4) : 0;
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v3 = v0 - v2;  // softmax
                const float v4 = kf_exp_nonpositive_f32(v3);  // softmax
                const float v9 = v4 * v8;  // softmax
                w0[e] = v9;
            }
            float *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p1_out0, 0, left, vec, w0);
        }
    }
}
