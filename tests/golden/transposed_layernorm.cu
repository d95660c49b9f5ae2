
typedef struct {
    int64_t tiles_along;
    int64_t tiles_across;
    int64_t rows;
    int64_t len;
    int64_t n1;
    int64_t n0;
    int64_t s1_in_x;
    const float *in_x;
    int64_t vec_t;
    const float *in_y;
    int64_t s0_in_y;
    int64_t vec;
    float *packed_in_x;
    int64_t s0_packed_in_x;
} k0_add_layer_norm_pack0_args;

/* add.
 * A tile a block: what is transposed goes through shared memory.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, x.0], 4 bytes each
 * writes packed_in_x float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_add_layer_norm_pack0, k0_add_layer_norm_pack0_args, 256) {
    const int64_t tiles_along = a.tiles_along;
    const int64_t tiles_across = a.tiles_across;
    const int64_t rows = a.rows;
    const int64_t len = a.len;
    const uint32_t n1 = a.n1;
    const uint32_t n0 = a.n0;
    const int64_t s1_in_x = a.s1_in_x;
    const float *in_x = a.in_x;
    const int64_t vec_t = a.vec_t;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    const int64_t vec = a.vec;
    float *packed_in_x = a.packed_in_x;
    const int64_t s0_packed_in_x = a.s0_packed_in_x;
    const uint32_t along = tiles_along;
    const uint32_t across = tiles_across;
    const int tile_rows = rows;
    const int tile_len = len;
    const uint32_t u = kf_block();
    const uint32_t rest = u / along;
    const uint32_t l0 = (u % along) * tile_len;
    const uint32_t t0 = (rest % across) * tile_rows;
    const int tid = kf_thread();
    KF_SHARED(int32_t, tile0, 5120);
    uint32_t g0[16];
    {
        const int lanes_t = tile_rows / 4;
        KF_UNROLL
        for (int q = 0; q < 4; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 4;
            const uint32_t i0 = t0 + r;
            const uint32_t at = l0 + l;
            const int left = i0 < n0 && at < n1 ? kf_min_i64(n0 - i0, 4) : 0;
            const float *p = in_x + (i0 + at * s1_in_x);
            kf_load4_f32(p, 0, left, vec_t, g0 + q * 4);
        }
    }
    const int lanes = tile_len / 4;  // of a row
    const int row = tid / lanes;
    const int row_step = 256 / lanes;
    const int in_row = (tid % lanes) * 4;
    const int64_t j = l0 + in_row;
    const int whole = kf_min_i64(n1 - j, 4);  // elements of a pack
    uint32_t r0[16];
    uint32_t r1[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int r = row + s * row_step;
        const uint32_t any_row = t0 + r;
        const int left = any_row < n0 ? whole : 0;
        const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
        const float *p1_in_y = in_y + (i0 * s0_in_y + j);
        kf_load4_f32(p1_in_y, 0, left, vec, r1 + s * 4);
    }
    {
        const int lanes_t = tile_rows / 4;
        KF_UNROLL
        for (int q = 0; q < 4; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 4;
            kf_shared_put16_i32(tile0, l * (tile_rows + 1) + r, g0 + q * 4);
        }
    }
    kf_barrier();
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int r = row + s * row_step;
        const uint32_t any_row = t0 + r;
        const int left = any_row < n0 ? whole : 0;
        const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
        float w0[4];
        kf_shared_take4_i32(tile0, in_row * (tile_rows + 1) + r, tile_rows + 1, r0 + s * 4);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v0 = kf_item_f32(r0 + s * 4, e);
            const float v1 = kf_item_f32(r1 + s * 4, e);
            const float v2 = v0 + v1;  // add
            w0[e] = v2;
        }
        float *p2_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + j);
        kf_store4_f32(p2_packed_in_x, 0, left, 1, w0);
    }
}

typedef struct {
    int64_t n1;
    int64_t size_v5;
    const float *packed_in_x;
    int64_t s0_packed_in_x;
    float *out0;
    int64_t s0_out0;
    int64_t vec;
} k0_add_layer_norm_args;

/* add, layer_norm.
 * A row stays in the registers of its threads through all stages.
 * reads  packed_in_x float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
KF_KERNEL(k0_add_layer_norm, k0_add_layer_norm_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t size_v5 = a.size_v5;
    const float *packed_in_x = a.packed_in_x;
    const int64_t s0_packed_in_x = a.s0_packed_in_x;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t vec = a.vec;
    const float v6 = kf_cast_i64_f32(size_v5);  // layer_norm
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float mean1 = 0.0f;
    uint32_t r0[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 256) * 4;
        const int left = n - j;
        const float *p0_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + j);
        kf_load4_f32(p0_packed_in_x, 0, 0 < left ? 4 : 0, 1, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 256) * 4;
        const int left = n - j;
        if ((s < 2) || (s * (256 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float term1 = e < left ? v0 : 0.0f;
                mean1 = mean1 + term1;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_mean1 = kf_shfl_xor_f32(mean1, m);
        mean1 = mean1 + q_mean1;
    }
    KF_SHARED(float, warps0_mean1, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_mean1, tid / 32, mean1);
    }
    kf_barrier();
    mean1 = kf_shared_get_f32(warps0_mean1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_mean1 = kf_shared_get_f32(warps0_mean1, w);
        mean1 = mean1 + q_mean1;
    }
    mean1 = kf_mean_of_f32(mean1, kf_cast_i64_f32(n));
    const float v2 = n > 0 ? mean1 : kf_nan_f32;  // mean
    float m2_1 = 0.0f;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 256) * 4;
        const int left = n - j;
        if ((s < 2) || (s * (256 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float term1 = e < left ? kf_square_f32(kf_item_f32(r0 + s * 4, e) - mean1) : 0.0f;
                m2_1 = m2_1 + term1;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_m2_1 = kf_shfl_xor_f32(m2_1, m);
        m2_1 = m2_1 + q_m2_1;
    }
    KF_SHARED(float, warps64_m2_1, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_m2_1, tid / 32, m2_1);
    }
    kf_barrier();
    m2_1 = kf_shared_get_f32(warps64_m2_1, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_m2_1 = kf_shared_get_f32(warps64_m2_1, w);
        m2_1 = m2_1 + q_m2_1;
    }
    const float v4 = m2_1;  // m2
    const float v7 = v4 / v6;  // layer_norm
    const float v9 = v7 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
    const float v10 = kf_rsqrt_f32(v9);  // layer_norm
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 256) * 4;
        const int left = n - j;
        if ((s < 2) || (s * (256 * 4) < rest)) {
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v3 = kf_item_f32(r0 + s * 4, e) - v2;  // layer_norm
                const float v11 = v3 * v10;  // layer_norm
                w0[e] = v11;
            }
            float *p2_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store4_f32(p2_out0, left, vec, w0);
        }
    }
}
