
typedef struct {
    int64_t tiles_along;
    int64_t tiles_across;
    int64_t rows;
    int64_t len;
    int64_t size_v1;
    int64_t n1;
    int64_t n0;
    int64_t s1_in_y;
    const float *in_y;
    int64_t vec_t;
    const int64_t *in_i;
    int64_t s0_in_i;
    const float *in_x;
    int64_t t0_in_x;
    int64_t vec;
    int64_t s1_out0;
    float *out0;
} k0_take_add_args;

/* take, add.
 * A tile a block: what is transposed goes through shared memory.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, i.0], 4 bytes each
 * writes out0     float32[x.1, i.0], 4 bytes each */
KF_KERNEL(k0_take_add, k0_take_add_args, 256) {
    const int64_t tiles_along = a.tiles_along;
    const int64_t tiles_across = a.tiles_across;
    const int64_t rows = a.rows;
    const int64_t len = a.len;
    const int64_t size_v1 = a.size_v1;
    const uint32_t n1 = a.n1;
    const uint32_t n0 = a.n0;
    const int64_t s1_in_y = a.s1_in_y;
    const float *in_y = a.in_y;
    const int64_t vec_t = a.vec_t;
    const int64_t *in_i = a.in_i;
    const int64_t s0_in_i = a.s0_in_i;
    const float *in_x = a.in_x;
    const int64_t t0_in_x = a.t0_in_x;
    const int64_t vec = a.vec;
    const int64_t s1_out0 = a.s1_out0;
    float *out0 = a.out0;
    const uint32_t along = tiles_along;
    const uint32_t across = tiles_across;
    const int tile_rows = rows;
    const int tile_len = len;
    const uint32_t u = kf_block();
    const uint32_t rest = u / along;
    const uint32_t l0 = (u % along) * tile_len;
    const uint32_t t0 = (rest % across) * tile_rows;
    const int tid = kf_thread();
    KF_SHARED(int32_t, tile2, 1280);
    uint32_t g2[4];
    {
        const int lanes_t = tile_rows / 4;
        KF_UNROLL
        for (int q = 0; q < 1; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 4;
            const uint32_t i0 = t0 + r;
            const uint32_t at = l0 + l;
            const int left = i0 < n0 && at < n1 ? kf_min_i64(n0 - i0, 4) : 0;
            const float *p = in_y + (i0 + at * s1_in_y);
            kf_load4_f32(p, 0, left, vec_t, g2 + q * 4);
        }
    }
    KF_SHARED(float, tile3, 1088);
    const int lanes = tile_len / 4;  // of a row
    const int row = tid / lanes;
    const int in_row = (tid % lanes) * 4;
    const int64_t j = l0 + in_row;
    const int whole = kf_min_i64(n1 - j, 4);  // elements of a pack
    uint32_t r10[4];
    uint32_t r11[4];
    {
        const int r = row;
        const uint32_t any_row = t0 + r;
        const int left = any_row < n0 ? whole : 0;
        const uint32_t i0 = any_row < n0 ? any_row : (n0 - 1);
        const int64_t *p0_in_i = in_i + i0 * s0_in_i;
        const int64_t v0 = kf_load_i64(p0_in_i, 0);
        const int64_t v3 = kf_add_i64(v0, size_v1);  // take
        const int v4 = v0 < 0;  // take
        const int64_t v5 = v4 ? v3 : v0;  // take
        const int v6 = v5 < size_v1;  // take
        const int v7 = v5 >= 0;  // take
        const int v8 = v7 & v6;  // take
        const int64_t v9 = v8 ? v5 : 0;  // take
        const float *p1_in_x = in_x + (j + v9 * t0_in_x);
        const int64_t end10 = kf_max_i64(0, v8 ? left : 0);
        kf_load4_f32(p1_in_x, 0, end10, vec, r10);
    }
    {
        const int lanes_t = tile_rows / 4;
        KF_UNROLL
        for (int q = 0; q < 1; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 4;
            kf_shared_put16_i32(tile2, l * (tile_rows + 1) + r, g2 + q * 4);
        }
    }
    kf_barrier();
    {
        const int r = row;
        float w0[4];
        kf_shared_take4_i32(tile2, in_row * (tile_rows + 1) + r, tile_rows + 1, r11);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v10 = kf_item_f32(r10, e);
            const float v11 = kf_item_f32(r11, e);
            const float v12 = v10 + v11;  // add
            w0[e] = v12;
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            kf_shared_put_f32(tile3, r * (tile_len + 1) + in_row + e, w0[e]);
        }
    }
    kf_barrier();
    if (vec_t) {
        const int lanes_t = tile_rows / 4;
        KF_UNROLL
        for (int q = 0; q < 1; ++q) {
            const int l = tid / lanes_t + q * (256 / lanes_t);
            const int r = (tid % lanes_t) * 4;
            const uint32_t i0 = t0 + r;
            const uint32_t at = l0 + l;
            const int left = i0 < n0 && at < n1 ? kf_min_i64(n0 - i0, 4) : 0;
            float *p = out0 + (i0 + at * s1_out0);
            float w[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                w[e] = kf_shared_get_f32(tile3, (r + e) * (tile_len + 1) + l);
            }
            kf_store4_f32(p, 0, left, vec_t, w);
        }
    } else {
        const int lanes_t = tile_rows;
        const int step_t = 256 / lanes_t;
        const int l = tid / lanes_t;
        const int r = tid % lanes_t;
        const uint32_t at = l0 + l;
        const int lines = at < n1 ? kf_min_i64(n1 - at, tile_len) : 0;
        const int high = kf_min_i64(((int64_t)n0) - ((int64_t)t0), lanes_t);  // rows that are there
        float *p = out0 + (t0 + at * s1_out0);
        const int64_t d = step_t * s1_out0;
        KF_UNROLL
        for (int q = 0; q < 4; ++q) {
            if (q * step_t < lines && r < high) {
                kf_store_f32(p, r, kf_shared_get_f32(tile3, r * (tile_len + 1) + l + q * step_t));
            }
            p = p + d;
        }
    }
}
