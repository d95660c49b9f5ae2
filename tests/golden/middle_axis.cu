
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t chunk_rows;
    int64_t tiles;
    int64_t n2;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
    int64_t outer_n;
    float *part_max1;
} k0_max_args;

/* max.
 * A block takes a tile of columns over a chunk of rows.
 * reads  in_x     float32[x.0, x.1, x.2], 4 bytes each
 * writes out0     float32[x.0, x.2], 4 bytes each */
KF_KERNEL(k0_max, k0_max_args, 256) {
    const int64_t reduced = a.reduced;
    const int64_t chunks = a.chunks;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t tiles = a.tiles;
    const int64_t n2 = a.n2;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t outer_n = a.outer_n;
    float *part_max1 = a.part_max1;
    const int tid = kf_thread();
    const int across = tid % 32;
    const int down = tid / 32;
    const int64_t u = kf_block();
    const int64_t tile = u % tiles;
    const int64_t rest = u / tiles;
    const int64_t chunk = rest % chunks;
    const int64_t outer = rest / chunks;
    const int64_t i0 = outer;
    const int64_t j = (tile * 32 + across) * 4;
    const int columns = kf_min_i64(n2 - j, 4);  // of this thread; may be negative
    const int64_t from = chunk * chunk_rows;
    const int64_t to = kf_min_i64(reduced, from + chunk_rows);
    float max1[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        max1[e] = kf_lowest_f32;
    }
    for (int64_t row0 = from + down; row0 < to; row0 += 32) {
        uint32_t r0[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int64_t safe = kf_min_i64(row, to - 1);
            const int64_t i1 = safe;
            const int left = row < to ? columns : 0;
            const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
            kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int left = row < to ? columns : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float term1 = e < left ? v0 : kf_lowest_f32;
                max1[e] = kf_max_f32(term1, max1[e]);
            }
        }
    }
    KF_SHARED(float, down_max1, 1024);
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        kf_shared_put_f32(down_max1, tid * 4 + e, max1[e]);
    }
    kf_barrier();
    if (down == 0) {
        for (int d = 1; d < 8; ++d) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int at = (d * 32 + across) * 4 + e;
                const float q_max1 = kf_shared_get_f32(down_max1, at);
                max1[e] = kf_max_f32(q_max1, max1[e]);
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            if (e < columns) {
                const int64_t i2 = j + e;
                if (chunks == 1) {
                    const float v2 = max1[e];  // max
                    kf_store_f32(out0, i0 * s0_out0 + i2, v2);
                } else {
                    const int64_t part_at = (chunk * outer_n + outer) * n2 + i2;
                    kf_store_f32(part_max1, part_at, max1[e]);
                }
            }
        }
    }
}

typedef struct {
    int64_t n2;
    int64_t chunks;
    int64_t columns;
    float *part_max1;
    float *out0;
    int64_t s0_out0;
} k0_max_merge_args;

/* max.
 * Merges the chunks of a column, one column a thread.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.0, x.2], 4 bytes each */
KF_KERNEL(k0_max_merge, k0_max_merge_args, 256) {
    const int64_t n2 = a.n2;
    const int64_t chunks = a.chunks;
    const int64_t columns = a.columns;
    float *part_max1 = a.part_max1;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t t = kf_block() * 256 + kf_thread();
    if (t < columns) {
        const int64_t i2 = t % n2;
        const int64_t outer = t / n2;
        const int64_t i0 = outer;
        float max1 = kf_lowest_f32;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
            const int64_t part_at = chunk * columns + t;
            const float q_max1 = kf_load_f32(part_max1, part_at);
            max1 = kf_max_f32(q_max1, max1);
        }
        const float v2 = max1;  // max
        kf_store_f32(out0, i0 * s0_out0 + i2, v2);
    }
}
