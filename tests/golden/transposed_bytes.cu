
typedef struct {
    int64_t tiles_along;
    int64_t tiles_across;
    int64_t rows;
    int64_t len;
    int64_t vec;
    int64_t n1;
    int64_t n0;
    const int8_t *in_x;
    int64_t s0_in_x;
    int8_t *out1;
    int64_t s0_out1;
    int64_t vec_t;
    int64_t s1_out0;
    int8_t *out0;
} k0_add_multiply_args;

/* add, multiply.
 * A tile a block: what is transposed goes through shared memory.
 * reads  in_x     int8[x.0, x.1], 1 byte each
 * writes out0     int8[x.1, x.0], 1 byte each
 * writes out1     int8[x.0, x.1], 1 byte each */
KF_KERNEL(k0_add_multiply, k0_add_multiply_args, 256) {
    const int64_t tiles_along = a.tiles_along;
    const int64_t tiles_across = a.tiles_across;
    const int64_t rows = a.rows;
    const int64_t len = a.len;
    const int64_t vec = a.vec;
    const uint32_t n1 = a.n1;
    const uint32_t n0 = a.n0;
    const int8_t *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    int8_t *out1 = a.out1;
    const int64_t s0_out1 = a.s0_out1;
    const int64_t vec_t = a.vec_t;
    const int64_t s1_out0 = a.s1_out0;
    int8_t *out0 = a.out0;
    const uint32_t along = tiles_along;
    const uint32_t across = tiles_across;
    const int tile_rows = rows;
    const int tile_len = len;
    const uint32_t u = kf_block();
    const uint32_t rest = u / along;
    const uint32_t l0 = (u % along) * tile_len;
    const uint32_t t0 = (rest % across) * tile_rows;
    const int tid = kf_thread();
    KF_SHARED(int8_t, tile1, 5120);
    if (vec || (256 < tile_len)) {
        const int lanes = tile_len / 16;  // of a row
        const int row = tid / lanes;
        const int in_row = (tid % lanes) * 16;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 16);  // elements of a pack
        uint32_t r0[4];
        {
            const int r = row;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
            const int8_t *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load16_i8(p0_in_x, 0, left, vec, r0);
        }
        {
            const int r = row;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
            int8_t w0[16];
            int8_t w1[16];
            KF_UNROLL
            for (int e = 0; e < 16; ++e) {
                const int8_t v0 = kf_item_i8(r0, e);
                const int8_t v2 = kf_add_i8(v0, 1);  // add
                const int8_t v4 = kf_mul_i8(v0, 2);  // multiply
                w0[e] = v2;
                w1[e] = v4;
            }
            KF_UNROLL
            for (int e = 0; e < 16; ++e) {
                kf_shared_put_i8(tile1, r * (tile_len + 4) + in_row + e, w0[e]);
            }
            int8_t *p2_out1 = out1 + (i0 * s0_out1 + j);
            kf_store16_i8(p2_out1, 0, left, vec, w1);
        }
    } else {
        const int lanes = tile_len;  // of a row
        const int row = tid / lanes;
        const int row_step = 256 / lanes;
        const int in_row = tid % lanes;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 1);  // elements of a pack
        const uint32_t first_row = t0 + row;
        const int8_t *p0_in_x = in_x + (first_row * s0_in_x + j);
        const int64_t d0_in_x = row_step * s0_in_x;
        int8_t *p2_out1 = out1 + (first_row * s0_out1 + j);
        const int64_t d2_out1 = row_step * s0_out1;
        int8_t r0[16];
        KF_UNROLL
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            {
                r0[s] = kf_load_i8(0 < left ? p0_in_x : kf_zeros_i8(), 0);
            }
            p0_in_x = p0_in_x + d0_in_x;
        }
        KF_UNROLL
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            int8_t w0[1];
            int8_t w1[1];
            {
                const int8_t v2 = kf_add_i8(r0[s], 1);  // add
                const int8_t v4 = kf_mul_i8(r0[s], 2);  // multiply
                w0[0] = v2;
                w1[0] = v4;
            }
            KF_UNROLL
            for (int e = 0; e < 1; ++e) {
                kf_shared_put_i8(tile1, r * (tile_len + 4) + in_row + e, w0[e]);
            }
            {
                if (0 < left) {
                    kf_store_i8(p2_out1, 0, w1[0]);
                }
            }
            p2_out1 = p2_out1 + d2_out1;
        }
    }
    kf_barrier();
    if (vec_t) {
        const int lanes_t = tile_rows / 16;
        KF_UNROLL
        for (int q = 0; q < 1; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 16;
            const uint32_t i0 = t0 + r;
            const uint32_t at = l0 + l;
            const int left = i0 < n0 && at < n1 ? kf_min_i64(n0 - i0, 16) : 0;
            int8_t *p = out0 + (i0 + at * s1_out0);
            int8_t w[16];
            KF_UNROLL
            for (int e = 0; e < 16; ++e) {
                w[e] = kf_shared_get_i8(tile1, (r + e) * (tile_len + 4) + l);
            }
            kf_store16_i8(p, 0, left, vec_t, w);
        }
    } else {
        const int lanes_t = tile_rows;
        const int step_t = 256 / lanes_t;
        const int l = tid / lanes_t;
        const int r = tid % lanes_t;
        const uint32_t at = l0 + l;
        const int lines = at < n1 ? kf_min_i64(n1 - at, tile_len) : 0;
        const int high = kf_min_i64(((int64_t)n0) - ((int64_t)t0), lanes_t);  // rows that are there
        int8_t *p = out0 + (t0 + at * s1_out0);
        const int64_t d = step_t * s1_out0;
        KF_UNROLL
        for (int q = 0; q < 16; ++q) {
            if (q * step_t < lines && r < high) {
                kf_store_i8(p, r, kf_shared_get_i8(tile1, r * (tile_len + 4) + l + q * step_t));
            }
            p = p + d;
        }
    }
}

typedef struct {
    int64_t tiles_along;
    int64_t tiles_across;
    int64_t rows;
    int64_t len;
    int64_t n1;
    int64_t n0;
    int64_t s1_in_x;
    const int8_t *in_x;
    int64_t vec_t;
    int64_t vec;
    int8_t *out0;
    int64_t s0_out0;
} k0_add_multiply_across_args;

/* add, multiply.
 * A tile a block: what is transposed goes through shared memory.
 * reads  in_x     int8[x.0, x.1], 1 byte each
 * writes out0     int8[x.1, x.0], 1 byte each */
KF_KERNEL(k0_add_multiply_across, k0_add_multiply_across_args, 256) {
    const int64_t tiles_along = a.tiles_along;
    const int64_t tiles_across = a.tiles_across;
    const int64_t rows = a.rows;
    const int64_t len = a.len;
    const uint32_t n1 = a.n1;
    const uint32_t n0 = a.n0;
    const int64_t s1_in_x = a.s1_in_x;
    const int8_t *in_x = a.in_x;
    const int64_t vec_t = a.vec_t;
    const int64_t vec = a.vec;
    int8_t *out0 = a.out0;
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
    KF_SHARED(int8_t, tile0, 5120);
    uint32_t g0[4];
    {
        const int lanes_t = tile_rows / 16;
        KF_UNROLL
        for (int q = 0; q < 1; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 16;
            const uint32_t i0 = t0 + r;
            const uint32_t at = l0 + l;
            const int left = i0 < n0 && at < n1 ? kf_min_i64(n0 - i0, 16) : 0;
            const int8_t *p = in_x + (i0 + at * s1_in_x);
            kf_load16_i8(p, 0, left, vec_t, g0 + q * 4);
        }
    }
    if (vec || (256 < tile_len)) {
        const int lanes = tile_len / 16;  // of a row
        const int row = tid / lanes;
        const int in_row = (tid % lanes) * 16;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 16);  // elements of a pack
        uint32_t r0[4];
        {
            const int lanes_t = tile_rows / 16;
            KF_UNROLL
            for (int q = 0; q < 1; ++q) {
                const int l = tid / lanes_t + q * (256 / lanes_t);
                const int r = (tid % lanes_t) * 16;
                kf_shared_put16_i8(tile0, l * (tile_rows + 4) + r, g0 + q * 4);
            }
        }
        kf_barrier();
        {
            const int r = row;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
            int8_t w0[16];
            kf_shared_take16_i8(tile0, in_row * (tile_rows + 4) + r, tile_rows + 4, r0);
            KF_UNROLL
            for (int e = 0; e < 16; ++e) {
                const int8_t v0 = kf_item_i8(r0, e);
                const int8_t v2 = kf_add_i8(v0, 1);  // add
                w0[e] = v2;
            }
            int8_t *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_store16_i8(p1_out0, 0, left, vec, w0);
        }
    } else {
        const int lanes = tile_len;  // of a row
        const int row = tid / lanes;
        const int row_step = 256 / lanes;
        const int in_row = tid % lanes;
        const int64_t j = l0 + in_row;
        const int whole = kf_min_i64(n1 - j, 1);  // elements of a pack
        const uint32_t first_row = t0 + row;
        int8_t *p1_out0 = out0 + (first_row * s0_out0 + j);
        const int64_t d1_out0 = row_step * s0_out0;
        uint32_t r0[16];
        {
            const int lanes_t = tile_rows / 16;
            KF_UNROLL
            for (int q = 0; q < 1; ++q) {
                const int l = tid / lanes_t + q * (256 / lanes_t);
                const int r = (tid % lanes_t) * 16;
                kf_shared_put16_i8(tile0, l * (tile_rows + 4) + r, g0 + q * 4);
            }
        }
        kf_barrier();
        KF_UNROLL
        for (int s = 0; s < 16; ++s) {
            const int r = row + s * row_step;
            const uint32_t any_row = t0 + r;
            const int left = any_row < n0 ? whole : 0;
            int8_t w0[1];
            kf_shared_take1_i8(tile0, in_row * (tile_rows + 4) + r, tile_rows + 4, r0 + s);
            {
                const int8_t v0 = kf_item_i8(r0 + s, 0);
                const int8_t v2 = kf_add_i8(v0, 1);  // add
                w0[0] = v2;
            }
            {
                if (0 < left) {
                    kf_store_i8(p1_out0, 0, w0[0]);
                }
            }
            p1_out0 = p1_out0 + d1_out0;
        }
    }
}

typedef struct {
    int64_t n0;
    const int8_t *in_x;
    int64_t vec;
    int8_t *out1;
} k0_add_multiply_along_args;

/* add, multiply.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     int8[x.0, x.1], 1 byte each
 * writes out1     int8[x.0, x.1], 1 byte each */
KF_KERNEL(k0_add_multiply_along, k0_add_multiply_along_args, 256) {
    const uint32_t n0 = a.n0;
    const int8_t *in_x = a.in_x;
    const int64_t vec = a.vec;
    int8_t *out1 = a.out1;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 16;
    if (j < n0) {
        const int left = kf_min_i64(n0 - j, 16);  // elements of the pack
        uint32_t r0[4];
        {
            const int8_t *p0_in_x = in_x + j;
            kf_load16_i8(p0_in_x, 0, left, vec, r0);
            int8_t w0[16];
            KF_UNROLL
            for (int e = 0; e < 16; ++e) {
                const int8_t v0 = kf_item_i8(r0, e);
                const int8_t v2 = kf_mul_i8(v0, 2);  // multiply
                w0[e] = v2;
            }
            int8_t *p1_out1 = out1 + j;
            kf_store16_i8(p1_out1, 0, left, vec, w0);
        }
    }
}
