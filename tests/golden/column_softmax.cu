
typedef struct {
    int64_t blocks;
    int64_t wide;
    int64_t inverse;
    int64_t n1;
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
    float *tmp_2;
    float *tmp_3;
} k0_softmax_args;

/* softmax.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_2    float32[1, x.1], 4 bytes each
 * writes tmp_3    float32[1, x.1], 4 bytes each */
KF_KERNEL(k0_softmax, k0_softmax_args, 256) {
    const uint32_t blocks = a.blocks;
    const uint32_t wide = a.wide;
    const uint32_t inverse = a.inverse;
    const uint32_t n1 = a.n1;
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
    float *tmp_2 = a.tmp_2;
    float *tmp_3 = a.tmp_3;
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
    const int columns = kf_min_i64(n1 - column, 2);  // of this thread; may be negative
    const int64_t j = columns > 0 ? column : first_column;
    const int there = kf_min_i64(n1 - j, 2);  // that it reads
    KF_SHARED(float, down_max1, 512);
    KF_SHARED(float, down_sumexp1, 512);
    const uint32_t first_line = (cluster / tiles) * lines;
    const uint32_t own = first_line + nth;
    const int is_own = nth < beside && own < outer_n;
    KF_SHARED(float, cluster_max1, 512);
    KF_SHARED(float, cluster_sumexp1, 512);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        float max1[2];
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            max1[e] = kf_lowest_f32;
        }
        float sumexp1[2];
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            sumexp1[e] = 0.0f;
        }
        for (int row0 = is_own ? (from + down) : to; row0 < to; row0 += 64) {
            // all rows of the tile are there
            if (row0 + 56 < to) {
                float tile_max1[2];
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_max1[e] = kf_lowest_f32;
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
                        tile_max1[e] = kf_max_f32(v0, tile_max1[e]);
                    }
                }
                float tile_sumexp1[2];
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_sumexp1[e] = 0.0f;
                }
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    KF_UNROLL
                    for (int e = 0; e < 2; ++e) {
                        tile_sumexp1[e] = tile_sumexp1[e] + kf_exp_nonpositive_f32(kf_item_f32(r0 + s * 2, e) - tile_max1[e]);
                    }
                }
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_sumexp1[e] = kf_isinf_f32(tile_max1[e]) ? kf_one_f32 : tile_sumexp1[e];
                }
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    {
                        const float merged_max1 = kf_max_f32(max1[e], tile_max1[e]);
                        const float merged_sumexp1 = kf_merge_sumexp_f32(max1[e], sumexp1[e], tile_max1[e], tile_sumexp1[e]);
                        max1[e] = merged_max1;
                        sumexp1[e] = merged_sumexp1;
                    }
                }
            } else {
                float tile_max1[2];
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_max1[e] = kf_lowest_f32;
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
                        const float term1 = e < left ? v0 : kf_lowest_f32;
                        tile_max1[e] = kf_max_f32(term1, tile_max1[e]);
                    }
                }
                float tile_sumexp1[2];
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_sumexp1[e] = 0.0f;
                }
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const int left = row < to ? columns : 0;
                    KF_UNROLL
                    for (int e = 0; e < 2; ++e) {
                        const float term1 = kf_select_f32(e < left, kf_exp_nonpositive_f32(kf_item_f32(r0 + s * 2, e) - tile_max1[e]), 0.0f);
                        tile_sumexp1[e] = tile_sumexp1[e] + term1;
                    }
                }
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    tile_sumexp1[e] = kf_isinf_f32(tile_max1[e]) ? kf_one_f32 : tile_sumexp1[e];
                }
                KF_UNROLL
                for (int e = 0; e < 2; ++e) {
                    {
                        const float merged_max1 = kf_max_f32(max1[e], tile_max1[e]);
                        const float merged_sumexp1 = kf_merge_sumexp_f32(max1[e], sumexp1[e], tile_max1[e], tile_sumexp1[e]);
                        max1[e] = merged_max1;
                        sumexp1[e] = merged_sumexp1;
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
                kf_shared_put_f32(down_sumexp1, e * 256 + (down * 32 + place), sumexp1[e]);
            }
        }
        kf_barrier();
        if (is_own && down < 2) {
            float all_max1 = kf_lowest_f32;
            float all_sumexp1 = 0.0f;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + place);
                const float q_max1 = kf_shared_get_f32(down_max1, at);
                const float q_sumexp1 = kf_shared_get_f32(down_sumexp1, at);
                {
                    const float merged_max1 = kf_max_f32(all_max1, q_max1);
                    const float merged_sumexp1 = kf_merge_sumexp_f32(all_max1, all_sumexp1, q_max1, q_sumexp1);
                    all_max1 = merged_max1;
                    all_sumexp1 = merged_sumexp1;
                }
            }
            // to the cluster's first block
            const int part_at = chunk * 64 + (down * 32 + place);
            kf_cluster_send_f32(cluster_max1, part_at, 0, all_max1, messages, 0);
            kf_cluster_send_f32(cluster_sumexp1, part_at, 0, all_sumexp1, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (kf_min_i64(lines, outer_n - first_line) * (wide * 16))) : 0);
    if ((rank == 0 && down < 2) && is_own) {
        const int64_t i1 = first_column + (across * 2 + down);
        if (i1 < n1) {
            float all_max1 = kf_lowest_f32;
            float all_sumexp1 = 0.0f;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 64 + (down * 32 + place);
                const float q_max1 = kf_shared_get_f32(cluster_max1, at);
                const float q_sumexp1 = kf_shared_get_f32(cluster_sumexp1, at);
                {
                    const float merged_max1 = kf_max_f32(all_max1, q_max1);
                    const float merged_sumexp1 = kf_merge_sumexp_f32(all_max1, all_sumexp1, q_max1, q_sumexp1);
                    all_max1 = merged_max1;
                    all_sumexp1 = merged_sumexp1;
                }
            }
            const float v2 = all_max1;  // max
            const float v3 = all_sumexp1;  // sumexp
            const float v4 = v2 - v2;  // softmax
            const float v5 = v3 + v4;  // softmax
            const float v6 = kf_one_f32 / v5;  // softmax
            kf_store_f32(tmp_2, i1, v2);
            kf_store_f32(tmp_3, i1, v6);
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec_in_x;
    int64_t by_in_x;
    const float *tmp_2;
    int64_t vec_tmp_2;
    const float *tmp_3;
    int64_t vec_tmp_3;
    float *out0;
    int64_t vec;
} k1_softmax_args;

/* softmax.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  tmp_2    float32[1, x.1], 4 bytes each
 * reads  tmp_3    float32[1, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k1_softmax, k1_softmax_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec_in_x = a.vec_in_x;
    const int64_t by_in_x = a.by_in_x;
    const float *tmp_2 = a.tmp_2;
    const int64_t vec_tmp_2 = a.vec_tmp_2;
    const float *tmp_3 = a.tmp_3;
    const int64_t vec_tmp_3 = a.vec_tmp_3;
    float *out0 = a.out0;
    const int64_t vec = a.vec;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = line_packs;  // of a line
    const uint32_t line = t / packs;
    if (line < lines) {
        const uint32_t i0 = line;
        const int skew = (i0 * s0_out0) & 3;  // elements of the first pack that are before the line
        const int64_t begin = ((int64_t)(t % packs)) * 4 - skew;
        const int64_t j = kf_max_i64(begin, 0);
        const int left = kf_min_i64(n1, begin + 4) - j;  // elements of the pack
        if (0 < left) {
            uint32_t r0[4];
            uint32_t r1[4];
            uint32_t r4[4];
            {
                const float *p0_in_x = in_x + (i0 * s0_in_x + j);
                kf_load4_f32(p0_in_x, 0, left, vec_in_x && (skew & by_in_x) == 0, r0);
                const float *p1_tmp_2 = tmp_2 + j;
                kf_load4_f32(p1_tmp_2, 0, left, vec_tmp_2 && skew == 0, r1);
                const float *p2_tmp_3 = tmp_3 + j;
                kf_load4_f32(p2_tmp_3, 0, left, vec_tmp_3 && skew == 0, r4);
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const float v0 = kf_item_f32(r0, e);
                    const float v1 = kf_item_f32(r1, e);
                    const float v2 = v0 - v1;  // softmax
                    const float v3 = kf_exp_f32(v2);  // softmax
                    const float v4 = kf_item_f32(r4, e);
                    const float v5 = v3 * v4;  // softmax
                    w0[e] = v5;
                }
                float *p3_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p3_out0, 0, left, vec, w0);
            }
        }
    }
}
