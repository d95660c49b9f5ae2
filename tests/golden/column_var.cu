
typedef struct {
    int64_t blocks;
    int64_t size_v3;
    int64_t wide;
    int64_t inverse;
    int64_t n1;
    int64_t tiles;
    int64_t beside;
    int64_t groups;
    int64_t reduced;
    int64_t group_rows;
    int64_t vec;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    int64_t outer_n;
    float *part_mean1;
    float *part_m2_1;
} k0_var_args;

/* var.
 * A block takes a tile of columns over groups of rows.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_var, k0_var_args, 256) {
    const uint32_t blocks = a.blocks;
    const int64_t size_v3 = a.size_v3;
    const uint32_t wide = a.wide;
    const uint32_t inverse = a.inverse;
    const uint32_t n1 = a.n1;
    const uint32_t tiles = a.tiles;
    const uint32_t beside = a.beside;
    const uint32_t groups = a.groups;
    const int64_t reduced = a.reduced;
    const int64_t group_rows = a.group_rows;
    const int64_t vec = a.vec;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    float *out0 = a.out0;
    const int64_t outer_n = a.outer_n;
    float *part_mean1 = a.part_mean1;
    float *part_m2_1 = a.part_m2_1;
    const int64_t v5 = kf_max_i64(size_v3, 0);  // var
    const float v6 = kf_cast_i64_f32(v5);  // var
    const uint32_t block = kf_block();
    const int tid = kf_thread();
    const int above = (tid * inverse) >> 16;  // tid / wide
    const int across = tid - above * wide;
    const int down = above & 7;
    const int nth = above >> 3;
    const int place = nth * wide + across;
    const uint32_t tile = block % tiles;
    const int64_t first_column = tile * (wide * 2);
    const int64_t column = first_column + across * 2;
    const int columns = kf_min_i64(n1 - column, 2);  // of this thread; may be negative
    const int64_t j = columns > 0 ? column : first_column;
    const int there = kf_min_i64(n1 - j, 2);  // that it reads
    KF_SHARED(float, down_mean1, 512);
    KF_SHARED(float, down_m2_1, 512);
    const uint32_t rest = block / tiles;
    const uint32_t group = nth < beside ? ((rest % blocks) * beside + nth) : groups;
    const uint32_t outer = rest / blocks;
    const int from = group * group_rows;
    const int to = kf_min_i64(reduced, from + group_rows);
    float mean1[2];
    KF_UNROLL
    for (int e = 0; e < 2; ++e) {
        mean1[e] = 0.0f;
    }
    float m2_1[2];
    KF_UNROLL
    for (int e = 0; e < 2; ++e) {
        m2_1[e] = 0.0f;
    }
    for (int row0 = from + down; row0 < to; row0 += 64) {
        // all rows of the tile are there
        if (row0 + 56 < to) {
            const int64_t before = (row0 - from) / 8;
            float tile_mean1[2];
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                tile_mean1[e] = 0.0f;
            }
            uint32_t r0[16];
            if (vec && there == 2) {
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const uint32_t i0 = row;
                    const float *p0_in_x = in_x + (i0 * s0_in_x + j);
                    kf_whole2_f32(p0_in_x, r0 + s * 2);
                }
            } else {
                uint32_t raw_r0[16];
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const uint32_t i0 = row;
                    const float *p0_in_x = in_x + (i0 * s0_in_x + j);
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
                    tile_mean1[e] = tile_mean1[e] + v0;
                }
            }
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                tile_mean1[e] = kf_mean_of_f32(tile_mean1[e], 8.0f);
            }
            float tile_m2_1[2];
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                tile_m2_1[e] = 0.0f;
            }
            KF_UNROLL
            for (int s = 0; s < 8; ++s) {
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_m2_1[e] = tile_m2_1[e] + kf_square_f32(kf_item_f32(r0 + s * 2, e) - tile_mean1[e]);
                }
            }
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                {
                    const float merged_mean1 = kf_merge_mean_f32(mean1[e], tile_mean1[e], kf_cast_i64_f32(before), 8.0f);
                    const float merged_m2_1 = kf_merge_m2_f32(mean1[e], m2_1[e], tile_mean1[e], tile_m2_1[e], kf_cast_i64_f32(before), 8.0f);
                    mean1[e] = merged_mean1;
                    m2_1[e] = merged_m2_1;
                }
            }
        } else {
            const int64_t held = kf_min_i64(kf_max_i64(0, (to - row0 + 7) / 8), 8);
            const int64_t before = (row0 - from) / 8;
            float tile_mean1[2];
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                tile_mean1[e] = 0.0f;
            }
            uint32_t r0[16];
            if (vec && there == 2) {
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const int safe = row < to ? row : (to - 1);
                    const uint32_t i0 = safe;
                    const float *p0_in_x = in_x + (i0 * s0_in_x + j);
                    kf_whole2_f32(p0_in_x, r0 + s * 2);
                }
            } else {
                uint32_t raw_r0[16];
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const int safe = row < to ? row : (to - 1);
                    const uint32_t i0 = safe;
                    const float *p0_in_x = in_x + (i0 * s0_in_x + j);
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
                    const float term1 = e < left ? v0 : 0.0f;
                    tile_mean1[e] = tile_mean1[e] + term1;
                }
            }
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                tile_mean1[e] = kf_mean_of_f32(tile_mean1[e], kf_cast_i64_f32(held));
            }
            float tile_m2_1[2];
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                tile_m2_1[e] = 0.0f;
            }
            KF_UNROLL
            for (int s = 0; s < 8; ++s) {
                const int row = row0 + s * 8;
                const int left = row < to ? columns : 0;
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    const float term1 = e < left ? kf_square_f32(kf_item_f32(r0 + s * 2, e) - tile_mean1[e]) : 0.0f;
                    tile_m2_1[e] = tile_m2_1[e] + term1;
                }
            }
            KF_UNROLL
            for (int e = 0; e < 2; ++e) {
                {
                    const float merged_mean1 = kf_merge_mean_f32(mean1[e], tile_mean1[e], kf_cast_i64_f32(before), kf_cast_i64_f32(held));
                    const float merged_m2_1 = kf_merge_m2_f32(mean1[e], m2_1[e], tile_mean1[e], tile_m2_1[e], kf_cast_i64_f32(before), kf_cast_i64_f32(held));
                    mean1[e] = merged_mean1;
                    m2_1[e] = merged_m2_1;
                }
            }
        }
    }
    if (nth < beside) {
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            kf_shared_put_f32(down_mean1, e * 256 + (down * 32 + place), mean1[e]);
            kf_shared_put_f32(down_m2_1, e * 256 + (down * 32 + place), m2_1[e]);
        }
    }
    kf_barrier();
    if (nth < beside && down < 2) {
        float all_mean1 = 0.0f;
        float all_m2_1 = 0.0f;
        int64_t count = 0;
        for (int d = 0; d < 8; ++d) {
            const int at = down * 256 + (d * 32 + place);
            const int64_t nq = kf_max_i64(0, (to - (from + d) + 7) / 8);
            const float q_mean1 = kf_shared_get_f32(down_mean1, at);
            const float q_m2_1 = kf_shared_get_f32(down_m2_1, at);
            {
                const float merged_mean1 = kf_merge_mean_f32(all_mean1, q_mean1, kf_cast_i64_f32(count), kf_cast_i64_f32(nq));
                const float merged_m2_1 = kf_merge_m2_f32(all_mean1, all_m2_1, q_mean1, q_m2_1, kf_cast_i64_f32(count), kf_cast_i64_f32(nq));
                all_mean1 = merged_mean1;
                all_m2_1 = merged_m2_1;
            }
            count = count + nq;
        }
        const int64_t i1 = first_column + (across * 2 + down);
        if (i1 < n1) {
            if (groups == 1) {
                const float v2 = all_m2_1;  // m2
                const float v7 = v2 / v6;  // var
                kf_store_f32(out0, i1, v7);
            } else {
                if (group < groups) {
                    const int64_t part_at = (group * outer_n + outer) * n1 + i1;
                    kf_store_f32(part_mean1, part_at, all_mean1);
                    kf_store_f32(part_m2_1, part_at, all_m2_1);
                }
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t columns;
    int64_t levels;
    int64_t size_v3;
    int64_t groups;
    float *part_mean1;
    float *part_m2_1;
    int64_t reduced;
    int64_t group_rows;
    float *out0;
} k0_var_merge_args;

/* var.
 * Merges the groups of columns, several threads a column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_var_merge, k0_var_merge_args, 256) {
    const uint32_t n1 = a.n1;
    const uint32_t columns = a.columns;
    const uint32_t levels = a.levels;
    const int64_t size_v3 = a.size_v3;
    const uint32_t groups = a.groups;
    float *part_mean1 = a.part_mean1;
    float *part_m2_1 = a.part_m2_1;
    const int64_t reduced = a.reduced;
    const int64_t group_rows = a.group_rows;
    float *out0 = a.out0;
    const int64_t v5 = kf_max_i64(size_v3, 0);  // var
    const float v6 = kf_cast_i64_f32(v5);  // var
    const uint32_t block = kf_block();
    const int tid = kf_thread();
    const int threads = 1 << levels;  // of a column
    const int wide = 256 >> levels;  // columns of a block
    const int across = tid & (wide - 1);
    const int down = tid >> (8 - levels);
    const uint32_t t = block * wide + across;
    const int share = (groups + (threads - 1)) >> levels;  // groups of a thread
    KF_SHARED(float, share_mean1, 256);
    KF_SHARED(float, share_m2_1, 256);
    const int first = down * share;
    const int stop = t < columns ? kf_min_i64(groups, first + share) : first;
    float all_mean1 = 0.0f;
    float all_m2_1 = 0.0f;
    int64_t count = 0;
    for (int next = first; next < stop; next += 4) {
        float q_mean1[4];
        float q_m2_1[4];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t at = ((int64_t)(next + s < stop ? (next + s) : (stop - 1))) * columns + t;
            q_mean1[s] = kf_load_f32(part_mean1, at);
            q_m2_1[s] = kf_load_f32(part_m2_1, at);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int part = next + s;
            if (part < stop) {
                const int from = part * group_rows;
                const int to = kf_min_i64(reduced, from + group_rows);
                const int64_t nq = to - from;
                {
                    const float merged_mean1 = kf_merge_mean_f32(all_mean1, q_mean1[s], kf_cast_i64_f32(count), kf_cast_i64_f32(nq));
                    const float merged_m2_1 = kf_merge_m2_f32(all_mean1, all_m2_1, q_mean1[s], q_m2_1[s], kf_cast_i64_f32(count), kf_cast_i64_f32(nq));
                    all_mean1 = merged_mean1;
                    all_m2_1 = merged_m2_1;
                }
                count = count + nq;
            }
        }
    }
    kf_shared_put_f32(share_mean1, tid, all_mean1);
    kf_shared_put_f32(share_m2_1, tid, all_m2_1);
    for (int level = 0; level < levels; ++level) {
        kf_barrier();
        const int step = 1 << level;
        if (down % (2 * step) == 0) {
            const int64_t from = kf_min_i64(reduced, down * share * group_rows);
            const int64_t half = kf_min_i64(reduced, (down + step) * share * group_rows);
            const int64_t nq = kf_min_i64(reduced, (down + step + step) * share * group_rows) - half;
            const int at = tid + step * wide;
            const float q_mean1 = kf_shared_get_f32(share_mean1, at);
            const float q_m2_1 = kf_shared_get_f32(share_m2_1, at);
            {
                const float merged_mean1 = kf_merge_mean_f32(all_mean1, q_mean1, kf_cast_i64_f32(half - from), kf_cast_i64_f32(nq));
                const float merged_m2_1 = kf_merge_m2_f32(all_mean1, all_m2_1, q_mean1, q_m2_1, kf_cast_i64_f32(half - from), kf_cast_i64_f32(nq));
                all_mean1 = merged_mean1;
                all_m2_1 = merged_m2_1;
            }
            kf_shared_put_f32(share_mean1, tid, all_mean1);
            kf_shared_put_f32(share_m2_1, tid, all_m2_1);
        }
    }
    if (down == 0 && t < columns) {
        const int64_t i1 = t % n1;
        const float v2 = all_m2_1;  // m2
        const float v7 = v2 / v6;  // var
        kf_store_f32(out0, i1, v7);
    }
}
