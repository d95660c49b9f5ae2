
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
    int64_t vec;
    const float *in_y;
    int64_t s0_in_y;
    float *out0;
    int64_t s0_out0;
} k0_add_args;

/* add.
 * A tile a block: what is transposed goes through shared memory.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, x.0], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
KF_KERNEL(k0_add, k0_add_args, 256) {
    const int64_t tiles_along = a.tiles_along;
    const int64_t tiles_across = a.tiles_across;
    const int64_t rows = a.rows;
    const int64_t len = a.len;
    const uint32_t n1 = a.n1;
    const uint32_t n0 = a.n0;
    const int64_t s1_in_x = a.s1_in_x;
    const float *in_x = a.in_x;
    const int64_t vec_t = a.vec_t;
    const int64_t vec = a.vec;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
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
    if (vec || (256 < tile_len)) {
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
            float *p2_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    } else {
        const int lanes = tile_len;  // of a row
        const int row = tid / lanes;
        const int row_step = 256 / lanes;
        const int in_row = tid % lanes;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 1);  // elements of a pack
        const uint32_t first_row = t0 + row;
        const float *p1_in_y = in_y + (first_row * s0_in_y + j);
        const int64_t d1_in_y = row_step * s0_in_y;
        float *p2_out0 = out0 + (first_row * s0_out0 + j);
        const int64_t d2_out0 = row_step * s0_out0;
        uint32_t r0[16];
        float r1[16];
        KF_UNROLL
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            {
                r1[s] = kf_load_f32(0 < left ? p1_in_y : kf_zeros_f32(), 0);
            }
            p1_in_y = p1_in_y + d1_in_y;
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
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            float w0[1];
            kf_shared_take1_i32(tile0, in_row * (tile_rows + 1) + r, tile_rows + 1, r0 + s);
            {
                const float v0 = kf_item_f32(r0 + s, 0);
                const float v2 = v0 + r1[s];  // add
                w0[0] = v2;
            }
            {
                if (0 < left) {
                    kf_store_f32(p2_out0, 0, w0[0]);
                }
            }
            p2_out0 = p2_out0 + d2_out0;
        }
    }
}
