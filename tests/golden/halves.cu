
typedef struct {
    int64_t tiles_along;
    int64_t tiles_across;
    int64_t rows;
    int64_t len;
    int64_t n1;
    int64_t n0;
    int64_t s1_in_z;
    const kf_f16 *in_z;
    int64_t vec_t;
    int64_t vec;
    const kf_f16 *in_x;
    int64_t s0_in_x;
    const kf_f16 *in_y;
    kf_f16 *out0;
    int64_t s0_out0;
} k0_add_relu_add_args;

/* add, relu, add.
 * A tile a block: what is transposed goes through shared memory.
 * reads  in_x     float16[x.0, x.1], 2 bytes each
 * reads  in_y     float16[x.1], 2 bytes each
 * reads  in_z     float16[x.1, x.0], 2 bytes each
 * writes out0     float16[x.0, x.1], 2 bytes each */
KF_KERNEL(k0_add_relu_add, k0_add_relu_add_args, 256) {
    const int64_t tiles_along = a.tiles_along;
    const int64_t tiles_across = a.tiles_across;
    const int64_t rows = a.rows;
    const int64_t len = a.len;
    const uint32_t n1 = a.n1;
    const uint32_t n0 = a.n0;
    const int64_t s1_in_z = a.s1_in_z;
    const kf_f16 *in_z = a.in_z;
    const int64_t vec_t = a.vec_t;
    const int64_t vec = a.vec;
    const kf_f16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const kf_f16 *in_y = a.in_y;
    kf_f16 *out0 = a.out0;
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
    KF_SHARED(int16_t, tile2, 5120);
    uint32_t g2[8];
    {
        const int lanes_t = tile_rows / 8;
        KF_UNROLL
        for (int q = 0; q < 2; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 8;
            const uint32_t i0 = t0 + r;
            const uint32_t at = l0 + l;
            const int left = i0 < n0 && at < n1 ? kf_min_i64(n0 - i0, 8) : 0;
            const kf_f16 *p = in_z + (i0 + at * s1_in_z);
            kf_load8_f16(p, 0, left, vec_t, g2 + q * 4);
        }
    }
    if (vec || (256 < tile_len)) {
        const int lanes = tile_len / 8;  // of a row
        const int row = tid / lanes;
        const int row_step = 256 / lanes;
        const int in_row = (tid % lanes) * 8;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 8);  // elements of a pack
        uint32_t r0[8];
        uint32_t r1[8];
        uint32_t r5[8];
        KF_UNROLL
        for (int s = 0; s < 2; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
            const kf_f16 *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load8_f16(p0_in_x, 0, left, vec, r0 + s * 4);
            const kf_f16 *p1_in_y = in_y + j;
            kf_load8_f16(p1_in_y, 0, left, vec, r1 + s * 4);
        }
        {
            const int lanes_t = tile_rows / 8;
            KF_UNROLL
            for (int q = 0; q < 2; ++q) {
                const int l = tid / lanes_t + q * (256 / lanes_t);
                const int r = (tid % lanes_t) * 8;
                kf_shared_put16_i16(tile2, l * (tile_rows + 2) + r, g2 + q * 4);
            }
        }
        kf_barrier();
        KF_UNROLL
        for (int s = 0; s < 2; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
            float w0[8];
            kf_shared_take8_i16(tile2, in_row * (tile_rows + 2) + r, tile_rows + 2, r5 + s * 4);
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v0 = kf_item_f16(r0 + s * 4, e);
                const float v1 = kf_item_f16(r1 + s * 4, e);
                const float v2 = v0 + v1;  // add
                const float v4 = kf_max_f32(v2, 0.0f);  // relu
                const float v5 = kf_item_f16(r5 + s * 4, e);
                const float v6 = v4 + v5;  // add
                w0[e] = v6;
            }
            kf_f16 *p3_out0 = out0 + (i0 * s0_out0 + j);
            kf_store8_f16(p3_out0, 0, left, vec, w0);
        }
    } else {
        const int lanes = tile_len;  // of a row
        const int row = tid / lanes;
        const int row_step = 256 / lanes;
        const int in_row = tid % lanes;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 1);  // elements of a pack
        const uint32_t first_row = t0 + row;
        const kf_f16 *p0_in_x = in_x + (first_row * s0_in_x + j);
        const int64_t d0_in_x = row_step * s0_in_x;
        kf_f16 *p3_out0 = out0 + (first_row * s0_out0 + j);
        const int64_t d3_out0 = row_step * s0_out0;
        float r0[16];
        float r1[16];
        uint32_t r5[16];
        KF_UNROLL
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            {
                r0[s] = kf_load_f16(0 < left ? p0_in_x : kf_zeros_f16(), 0);
            }
            const kf_f16 *p1_in_y = in_y + j;
            {
                r1[s] = kf_load_f16(0 < left ? p1_in_y : kf_zeros_f16(), 0);
            }
            p0_in_x = p0_in_x + d0_in_x;
        }
        {
            const int lanes_t = tile_rows / 8;
            KF_UNROLL
            for (int q = 0; q < 2; ++q) {
                const int l = tid / lanes_t + q * (256 / lanes_t);
                const int r = (tid % lanes_t) * 8;
                kf_shared_put16_i16(tile2, l * (tile_rows + 2) + r, g2 + q * 4);
            }
        }
        kf_barrier();
        KF_UNROLL
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            float w0[1];
            kf_shared_take1_i16(tile2, in_row * (tile_rows + 2) + r, tile_rows + 2, r5 + s);
            {
                const float v2 = r0[s] + r1[s];  // add
                const float v4 = kf_max_f32(v2, 0.0f);  // relu
                const float v5 = kf_item_f16(r5 + s, 0);
                const float v6 = v4 + v5;  // add
                w0[0] = v6;
            }
            {
                if (0 < left) {
                    kf_store_f16(p3_out0, 0, w0[0]);
                }
            }
            p3_out0 = p3_out0 + d3_out0;
        }
    }
}
