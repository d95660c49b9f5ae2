
typedef struct {
    int64_t blocks;
    int64_t wide;
    int64_t inverse;
    int64_t n2;
    int64_t tiles;
    int64_t outer_n;
    int64_t lines;
    int64_t beside;
    int64_t chunks;
    int64_t reduced;
    int64_t chunk_rows;
    int64_t vec;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    float *out0;
    int64_t s0_out0;
} k0_max_args;

/* max.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
 * reads  in_x     float32[x.0, x.1, x.2], 4 bytes each
 * writes out0     float32[x.0, x.2], 4 bytes each */
KF_KERNEL(k0_max, k0_max_args, 256) {
    const uint32_t blocks = a.blocks;
    const uint32_t wide = a.wide;
    const uint32_t inverse = a.inverse;
    const uint32_t n2 = a.n2;
    const uint32_t tiles = a.tiles;
    const uint32_t outer_n = a.outer_n;
    const uint32_t lines = a.lines;
    const uint32_t beside = a.beside;
    const uint32_t chunks = a.chunks;
    const int64_t reduced = a.reduced;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t vec = a.vec;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    KF_SHARED(uint64_t, messages, 1);
    kf_cluster_open(messages, 1);
    const int rank = kf_cluster_rank();
    const int tid = kf_thread();
    const int above = (tid * inverse) >> 16;  // tid / wide
    const int across = tid - above * wide;
    const int down = above & 7;
    const int nth = above >> 3;
    const int place = nth * wide + across;
    const uint32_t block = kf_block();
    const uint32_t cluster = block / blocks;
    const uint32_t tile = cluster % tiles;
    const int64_t first_column = tile * (wide * 2);
    const int64_t column = first_column + across * 2;
    const int columns = kf_min_i64(n2 - column, 2);  // of this thread; may be negative
    const int64_t j = columns > 0 ? column : first_column;
    const int there = kf_min_i64(n2 - j, 2);  // that it reads
    KF_SHARED(float, down_max1, 512);
    const uint32_t first_line = (cluster / tiles) * lines;
    const uint32_t own = first_line + nth;
    const int is_own = nth < beside && own < outer_n;
    const uint32_t outer = own < outer_n ? own : (outer_n - 1);
    const uint32_t i0 = outer;
    KF_SHARED(float, cluster_max1, 512);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        float max1[2];
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            max1[e] = kf_lowest_f32;
        }
        for (int row0 = is_own ? (from + down) : to; row0 < to; row0 += 64) {
            // all rows of the tile are there
            if (row0 + 56 < to) {
                uint32_t r0[16];
                if (vec && there == 2) {
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const uint32_t i1 = row;
                        const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
                        kf_whole2_f32(p0_in_x, r0 + s * 2);
                    }
                } else {
                    uint32_t raw_r0[16];
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const uint32_t i1 = row;
                        const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
                        kf_each2_f32(p0_in_x, there, raw_r0 + s * 2);
                    }
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        kf_join2_f32(raw_r0 + s * 2, r0 + s * 2);
                    }
                }
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    KF_UNROLL
                    for (int e = 0; e < 2; ++e) {
                        const float v0 = kf_item_f32(r0 + s * 2, e);
                        max1[e] = kf_max_f32(v0, max1[e]);
                    }
                }
            } else {
                uint32_t r0[16];
                if (vec && there == 2) {
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const int safe = row < to ? row : (to - 1);
                        const uint32_t i1 = safe;
                        const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
                        kf_whole2_f32(p0_in_x, r0 + s * 2);
                    }
                } else {
                    uint32_t raw_r0[16];
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const int safe = row < to ? row : (to - 1);
                        const uint32_t i1 = safe;
                        const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
                        kf_each2_f32(p0_in_x, there, raw_r0 + s * 2);
                    }
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        kf_join2_f32(raw_r0 + s * 2, r0 + s * 2);
                    }
                }
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const int left = row < to ? columns : 0;
                    KF_UNROLL
                    for (int e = 0; e < 2; ++e) {
                        const float v0 = kf_item_f32(r0 + s * 2, e);
                        const float term1 = e < left ? v0 : kf_lowest_f32;
                        max1[e] = kf_max_f32(term1, max1[e]);
                    }
                }
            }
        }
        if (chunk == rank) {
            kf_cluster_wait();
        } else {
            kf_barrier();
        }
        if (is_own) {
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                kf_shared_put_f32(down_max1, e * 256 + (down * 32 + place), max1[e]);
            }
        }
        kf_barrier();
        if (is_own && down < 2) {
            float all_max1 = kf_lowest_f32;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + place);
                const float q_max1 = kf_shared_get_f32(down_max1, at);
                all_max1 = kf_max_f32(q_max1, all_max1);
            }
            // to the cluster's first block
            const int part_at = chunk * 64 + (down * 32 + place);
            kf_cluster_send_f32(cluster_max1, part_at, 0, all_max1, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (kf_min_i64(lines, outer_n - first_line) * (wide * 8))) : 0);
    if ((rank == 0 && down < 2) && is_own) {
        const int64_t i2 = first_column + (across * 2 + down);
        if (i2 < n2) {
            float all_max1 = kf_lowest_f32;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 64 + (down * 32 + place);
                const float q_max1 = kf_shared_get_f32(cluster_max1, at);
                all_max1 = kf_max_f32(q_max1, all_max1);
            }
            const float v2 = all_max1;  // max
            kf_store_f32(out0, i0 * s0_out0 + i2, v2);
        }
    }
}
