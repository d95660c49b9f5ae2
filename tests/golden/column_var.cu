
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t chunk_rows;
    int64_t tiles;
    int64_t n1;
    int64_t size_v3;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t outer_n;
    float *part_mean1;
    float *part_m2_1;
} k0_var_args;

/* var.
 * A block takes a tile of columns over a chunk of rows.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_var, k0_var_args, 256) {
    const int64_t reduced = a.reduced;
    const int64_t chunks = a.chunks;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t tiles = a.tiles;
    const int64_t n1 = a.n1;
    const int64_t size_v3 = a.size_v3;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t outer_n = a.outer_n;
    float *part_mean1 = a.part_mean1;
    float *part_m2_1 = a.part_m2_1;
    const int64_t v5 = kf_max_i64(size_v3, 0);  // var
    const float v6 = kf_cast_i64_f32(v5);  // var
    const int tid = kf_thread();
    const int across = tid % 32;
    const int down = tid / 32;
    const int64_t u = kf_block();
    const int64_t tile = u % tiles;
    const int64_t rest = u / tiles;
    const int64_t chunk = rest % chunks;
    const int64_t outer = rest / chunks;
    const int64_t j = (tile * 32 + across) * 4;
    const int columns = kf_min_i64(n1 - j, 4);  // of this thread; may be negative
    const int64_t from = chunk * chunk_rows;
    const int64_t to = kf_min_i64(reduced, from + chunk_rows);
    float mean1[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        mean1[e] = 0.0f;
    }
    float m2_1[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        m2_1[e] = 0.0f;
    }
    for (int64_t row0 = from + down; row0 < to; row0 += 32) {
        const int64_t held = kf_min_i64(kf_max_i64(0, (to - row0 + 7) / 8), 4);
        const int64_t before = (row0 - from) / 8;
        float tile_mean1[4];
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            tile_mean1[e] = 0.0f;
        }
        uint32_t r0[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int64_t safe = kf_min_i64(row, to - 1);
            const int64_t i0 = safe;
            const int left = row < to ? columns : 0;
            const float *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int left = row < to ? columns : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float term1 = e < left ? v0 : 0.0f;
                tile_mean1[e] = tile_mean1[e] + term1;
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            tile_mean1[e] = kf_mean_of_f32(tile_mean1[e], kf_cast_i64_f32(held));
        }
        float tile_m2_1[4];
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            tile_m2_1[e] = 0.0f;
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int left = row < to ? columns : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float term1 = e < left ? kf_square_f32(kf_item_f32(r0 + s * 4, e) - tile_mean1[e]) : 0.0f;
                tile_m2_1[e] = tile_m2_1[e] + term1;
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            {
                const float merged_mean1 = kf_merge_mean_f32(mean1[e], tile_mean1[e], kf_cast_i64_f32(before), kf_cast_i64_f32(held));
                const float merged_m2_1 = kf_merge_m2_f32(mean1[e], m2_1[e], tile_mean1[e], tile_m2_1[e], kf_cast_i64_f32(before), kf_cast_i64_f32(held));
                mean1[e] = merged_mean1;
                m2_1[e] = merged_m2_1;
            }
        }
    }
    KF_SHARED(float, down_mean1, 1024);
    KF_SHARED(float, down_m2_1, 1024);
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        kf_shared_put_f32(down_mean1, tid * 4 + e, mean1[e]);
        kf_shared_put_f32(down_m2_1, tid * 4 + e, m2_1[e]);
    }
    kf_barrier();
    if (down == 0) {
        const int64_t mine = kf_max_i64(0, (to - from + 7) / 8);
        int64_t count = mine;
        for (int d = 1; d < 8; ++d) {
            const int64_t nq = kf_max_i64(0, (to - (from + d) + 7) / 8);
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int at = (d * 32 + across) * 4 + e;
                const float q_mean1 = kf_shared_get_f32(down_mean1, at);
                const float q_m2_1 = kf_shared_get_f32(down_m2_1, at);
                {
                    const float merged_mean1 = kf_merge_mean_f32(mean1[e], q_mean1, kf_cast_i64_f32(count), kf_cast_i64_f32(nq));
                    const float merged_m2_1 = kf_merge_m2_f32(mean1[e], m2_1[e], q_mean1, q_m2_1, kf_cast_i64_f32(count), kf_cast_i64_f32(nq));
                    mean1[e] = merged_mean1;
                    m2_1[e] = merged_m2_1;
                }
            }
            count = count + nq;
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            if (e < columns) {
                const int64_t i1 = j + e;
                if (chunks == 1) {
                    const float v2 = m2_1[e];  // m2
                    const float v7 = v2 / v6;  // var
                    kf_store_f32(out0, i1, v7);
                } else {
                    const int64_t part_at = (chunk * outer_n + outer) * n1 + i1;
                    kf_store_f32(part_mean1, part_at, mean1[e]);
                    kf_store_f32(part_m2_1, part_at, m2_1[e]);
                }
            }
        }
    }
}

typedef struct {
    int64_t reduced;
    int64_t n1;
    int64_t chunks;
    int64_t chunk_rows;
    int64_t columns;
    int64_t size_v3;
    float *part_mean1;
    float *part_m2_1;
    float *out0;
} k0_var_merge_args;

/* var.
 * Merges the chunks of a column, one column a thread.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_var_merge, k0_var_merge_args, 256) {
    const int64_t reduced = a.reduced;
    const int64_t n1 = a.n1;
    const int64_t chunks = a.chunks;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t columns = a.columns;
    const int64_t size_v3 = a.size_v3;
    float *part_mean1 = a.part_mean1;
    float *part_m2_1 = a.part_m2_1;
    float *out0 = a.out0;
    const int64_t v5 = kf_max_i64(size_v3, 0);  // var
    const float v6 = kf_cast_i64_f32(v5);  // var
    const int64_t t = kf_block() * 256 + kf_thread();
    if (t < columns) {
        const int64_t i1 = t % n1;
        float mean1 = 0.0f;
        float m2_1 = 0.0f;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
            const int64_t part_at = chunk * columns + t;
            const int64_t np = chunk * chunk_rows;
            const int64_t nq = kf_min_i64(chunk_rows, reduced - np);
            const float q_mean1 = kf_load_f32(part_mean1, part_at);
            const float q_m2_1 = kf_load_f32(part_m2_1, part_at);
            {
                const float merged_mean1 = kf_merge_mean_f32(mean1, q_mean1, kf_cast_i64_f32(np), kf_cast_i64_f32(nq));
                const float merged_m2_1 = kf_merge_m2_f32(mean1, m2_1, q_mean1, q_m2_1, kf_cast_i64_f32(np), kf_cast_i64_f32(nq));
                mean1 = merged_mean1;
                m2_1 = merged_m2_1;
            }
        }
        const float v2 = m2_1;  // m2
        const float v7 = v2 / v6;  // var
        kf_store_f32(out0, i1, v7);
    }
}
