
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
    float *tmp_4;
    int64_t s0_tmp_4;
    int64_t s2_tmp_4;
} k0_exp_cumsum_args;

/* exp, cumsum.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_4    float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each */
KF_KERNEL(k0_exp_cumsum, k0_exp_cumsum_args, 256) {
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
    float *tmp_4 = a.tmp_4;
    const int64_t s0_tmp_4 = a.s0_tmp_4;
    const int64_t s2_tmp_4 = a.s2_tmp_4;
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
    KF_SHARED(float, down_sum2, 512);
    const uint32_t first_line = (cluster / tiles) * lines;
    const uint32_t own = first_line + nth;
    const int is_own = nth < beside && own < outer_n;
    const uint32_t outer = own < outer_n ? own : (outer_n - 1);
    const uint32_t i0 = outer;
    KF_SHARED(float, cluster_sum2, 512);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        float sum2[2];
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            sum2[e] = 0.0f;
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
                        const float v1 = kf_exp_f32(v0);  // exp
                        sum2[e] = sum2[e] + v1;
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
                        const float v1 = kf_exp_f32(v0);  // exp
                        const float term2 = e < left ? v1 : 0.0f;
                        sum2[e] = sum2[e] + term2;
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
                kf_shared_put_f32(down_sum2, e * 256 + (down * 32 + place), sum2[e]);
            }
        }
        kf_barrier();
        if (is_own && down < 2) {
            float all_sum2 = 0.0f;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + place);
                const float q_sum2 = kf_shared_get_f32(down_sum2, at);
                all_sum2 = all_sum2 + q_sum2;
            }
            // to the cluster's first block
            const int part_at = chunk * 64 + (down * 32 + place);
            kf_cluster_send_f32(cluster_sum2, part_at, 0, all_sum2, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (kf_min_i64(lines, outer_n - first_line) * (wide * 8))) : 0);
    if ((rank == 0 && down < 2) && is_own) {
        const int64_t i2 = first_column + (across * 2 + down);
        if (i2 < n2) {
            float all_sum2 = 0.0f;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 64 + (down * 32 + place);
                const float q_sum2 = kf_shared_get_f32(cluster_sum2, at);
                all_sum2 = all_sum2 + q_sum2;
            }
            const float v3 = all_sum2;  // sum
            kf_store_f32(tmp_4, i0 * s0_tmp_4 + i2 * s2_tmp_4, v3);
        }
    }
}

typedef struct {
    int64_t units;
    int64_t n1;
    const float *tmp_4;
    int64_t s0_tmp_4;
    int64_t size_index0;
    int64_t first_index0;
    int64_t vec_tmp_4;
    double *tmp_5;
    int64_t s0_tmp_5;
    int64_t vec;
} k1_cumsum_args;

/* cumsum.
 * Eight lanes have a row, a pack each.
 * reads  tmp_4    float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each
 * writes tmp_5    float64[x.1, (max(x.0, 1) + 63)//64], 8 bytes each */
KF_KERNEL(k1_cumsum, k1_cumsum_args, 128) {
    const int64_t units = a.units;
    const uint32_t n1 = a.n1;
    const float *tmp_4 = a.tmp_4;
    const int64_t s0_tmp_4 = a.s0_tmp_4;
    const int64_t size_index0 = a.size_index0;
    const int64_t first_index0 = a.first_index0;
    const int64_t vec_tmp_4 = a.vec_tmp_4;
    double *tmp_5 = a.tmp_5;
    const int64_t s0_tmp_5 = a.s0_tmp_5;
    const int64_t vec = a.vec;
    const int64_t t = kf_block() * 128 + kf_thread();
    const int lane = t % 8;
    const int there = t / 8 < units;
    const uint32_t u = kf_min_i64(t / 8, units - 1);
    const uint32_t i0 = u;
    double sum5 = 0.0;
    const int stop = there ? n1 : 0;
    for (int q0 = 0 / 4; q0 < (n1 + 3) / 4; q0 += 8) {
        double tile_sum5 = 0.0;
        uint32_t r1[4];
        double keep5[4];
        {
            const int j = (q0 + lane) * 4;
            const int left = stop - j;
            const float *p1_tmp_4 = tmp_4 + (i0 * s0_tmp_4 + j);
            const int here1 = kf_min_i64(left, 4);
            const int64_t begin1 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + j)), here1);
            const int64_t end1 = kf_max_i64(begin1, kf_min_i64(here1, size_index0 - (first_index0 + j)));
            if (begin1 == 0 && end1 == here1) {
                kf_load4_f32(p1_tmp_4, 0, end1, vec_tmp_4, r1);
            } else {
                kf_part4_f32(p1_tmp_4, begin1, end1, r1);
            }
        }
        {
            const int j = (q0 + lane) * 4;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int v0 = kf_within(first_index0 + (j + e), size_index0);  // cumsum
                const float v1 = kf_item_f32(r1, e);
                const double v2 = kf_cast_f32_f64(v1);  // cumsum
                const double v4 = v0 ? v2 : 0.0;  // cumsum
                tile_sum5 = tile_sum5 + v4;
                keep5[e] = tile_sum5;
            }
        }
        double before_sum5 = 0.0;
        KF_UNROLL
        for (int d = 0; d < 3; ++d) {
            const int m = 1 << d;
            const double other_sum5 = kf_shfl_xor_f64(tile_sum5, m);
            before_sum5 = (lane & m) ? (other_sum5 + before_sum5) : before_sum5;
            tile_sum5 = tile_sum5 + other_sum5;
        }
        before_sum5 = sum5 + before_sum5;
        KF_UNROLL
        for (int k = 0; k < 4; ++k) {
            keep5[k] = before_sum5 + keep5[k];
        }
        sum5 = sum5 + tile_sum5;
        {
            const int j = (q0 + lane) * 4;
            const int left = stop - j;
            double w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                w0[e] = keep5[e];
            }
            double *p2_tmp_5 = tmp_5 + (i0 * s0_tmp_5 + j);
            kf_store4_f64(p2_tmp_5, 0, left, vec, w0);
        }
    }
}

typedef struct {
    int64_t n0;
    const float *in_y;
    int64_t vec;
    float *tmp_6;
} k2_tanh_args;

/* tanh.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_y     float32[y.0, y.1], 4 bytes each
 * writes tmp_6    float32[y.0, y.1], 4 bytes each */
KF_KERNEL(k2_tanh, k2_tanh_args, 256) {
    const uint32_t n0 = a.n0;
    const float *in_y = a.in_y;
    const int64_t vec = a.vec;
    float *tmp_6 = a.tmp_6;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        uint32_t r0[4];
        {
            const float *p0_in_y = in_y + j;
            kf_load4_f32(p0_in_y, 0, left, vec, r0);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const float v1 = kf_tanh_f32(v0);  // tanh
                w0[e] = v1;
            }
            float *p1_tmp_6 = tmp_6 + j;
            kf_store4_f32(p1_tmp_6, 0, left, vec, w0);
        }
    }
}

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
    const float *tmp_6;
    int64_t s0_tmp_6;
    int64_t s1_tmp_6;
    float *tmp_7;
    int64_t s0_tmp_7;
    int64_t s2_tmp_7;
} k3_cumsum_args;

/* cumsum.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
 * reads  tmp_6    float32[y.0, y.1], 4 bytes each
 * writes tmp_7    float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each */
KF_KERNEL(k3_cumsum, k3_cumsum_args, 256) {
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
    const float *tmp_6 = a.tmp_6;
    const int64_t s0_tmp_6 = a.s0_tmp_6;
    const int64_t s1_tmp_6 = a.s1_tmp_6;
    float *tmp_7 = a.tmp_7;
    const int64_t s0_tmp_7 = a.s0_tmp_7;
    const int64_t s2_tmp_7 = a.s2_tmp_7;
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
    KF_SHARED(float, down_sum1, 512);
    const uint32_t first_line = (cluster / tiles) * lines;
    const uint32_t own = first_line + nth;
    const int is_own = nth < beside && own < outer_n;
    const uint32_t outer = own < outer_n ? own : (outer_n - 1);
    const uint32_t i0 = outer;
    KF_SHARED(float, cluster_sum1, 512);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        float sum1[2];
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            sum1[e] = 0.0f;
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
                        const float *p0_tmp_6 = tmp_6 + (i0 * s0_tmp_6 + i1 * s1_tmp_6 + j);
                        kf_whole2_f32(p0_tmp_6, r0 + s * 2);
                    }
                } else {
                    uint32_t raw_r0[16];
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const uint32_t i1 = row;
                        const float *p0_tmp_6 = tmp_6 + (i0 * s0_tmp_6 + i1 * s1_tmp_6 + j);
                        kf_each2_f32(p0_tmp_6, there, raw_r0 + s * 2);
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
                        sum1[e] = sum1[e] + v0;
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
                        const float *p0_tmp_6 = tmp_6 + (i0 * s0_tmp_6 + i1 * s1_tmp_6 + j);
                        kf_whole2_f32(p0_tmp_6, r0 + s * 2);
                    }
                } else {
                    uint32_t raw_r0[16];
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const int safe = row < to ? row : (to - 1);
                        const uint32_t i1 = safe;
                        const float *p0_tmp_6 = tmp_6 + (i0 * s0_tmp_6 + i1 * s1_tmp_6 + j);
                        kf_each2_f32(p0_tmp_6, there, raw_r0 + s * 2);
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
                        sum1[e] = sum1[e] + term1;
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
                kf_shared_put_f32(down_sum1, e * 256 + (down * 32 + place), sum1[e]);
            }
        }
        kf_barrier();
        if (is_own && down < 2) {
            float all_sum1 = 0.0f;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + place);
                const float q_sum1 = kf_shared_get_f32(down_sum1, at);
                all_sum1 = all_sum1 + q_sum1;
            }
            // to the cluster's first block
            const int part_at = chunk * 64 + (down * 32 + place);
            kf_cluster_send_f32(cluster_sum1, part_at, 0, all_sum1, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (kf_min_i64(lines, outer_n - first_line) * (wide * 8))) : 0);
    if ((rank == 0 && down < 2) && is_own) {
        const int64_t i2 = first_column + (across * 2 + down);
        if (i2 < n2) {
            float all_sum1 = 0.0f;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 64 + (down * 32 + place);
                const float q_sum1 = kf_shared_get_f32(cluster_sum1, at);
                all_sum1 = all_sum1 + q_sum1;
            }
            const float v2 = all_sum1;  // sum
            kf_store_f32(tmp_7, i0 * s0_tmp_7 + i2 * s2_tmp_7, v2);
        }
    }
}

typedef struct {
    int64_t units;
    int64_t n1;
    const float *tmp_7;
    int64_t s0_tmp_7;
    int64_t size_index0;
    int64_t first_index0;
    int64_t vec_tmp_7;
    double *tmp_8;
    int64_t s0_tmp_8;
    int64_t vec;
} k4_cumsum_args;

/* cumsum.
 * Eight lanes have a row, a pack each.
 * reads  tmp_7    float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each
 * writes tmp_8    float64[y.1, (max(y.0, 1) + 63)//64], 8 bytes each */
KF_KERNEL(k4_cumsum, k4_cumsum_args, 128) {
    const int64_t units = a.units;
    const uint32_t n1 = a.n1;
    const float *tmp_7 = a.tmp_7;
    const int64_t s0_tmp_7 = a.s0_tmp_7;
    const int64_t size_index0 = a.size_index0;
    const int64_t first_index0 = a.first_index0;
    const int64_t vec_tmp_7 = a.vec_tmp_7;
    double *tmp_8 = a.tmp_8;
    const int64_t s0_tmp_8 = a.s0_tmp_8;
    const int64_t vec = a.vec;
    const int64_t t = kf_block() * 128 + kf_thread();
    const int lane = t % 8;
    const int there = t / 8 < units;
    const uint32_t u = kf_min_i64(t / 8, units - 1);
    const uint32_t i0 = u;
    double sum5 = 0.0;
    const int stop = there ? n1 : 0;
    for (int q0 = 0 / 4; q0 < (n1 + 3) / 4; q0 += 8) {
        double tile_sum5 = 0.0;
        uint32_t r1[4];
        double keep5[4];
        {
            const int j = (q0 + lane) * 4;
            const int left = stop - j;
            const float *p1_tmp_7 = tmp_7 + (i0 * s0_tmp_7 + j);
            const int here1 = kf_min_i64(left, 4);
            const int64_t begin1 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + j)), here1);
            const int64_t end1 = kf_max_i64(begin1, kf_min_i64(here1, size_index0 - (first_index0 + j)));
            if (begin1 == 0 && end1 == here1) {
                kf_load4_f32(p1_tmp_7, 0, end1, vec_tmp_7, r1);
            } else {
                kf_part4_f32(p1_tmp_7, begin1, end1, r1);
            }
        }
        {
            const int j = (q0 + lane) * 4;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int v0 = kf_within(first_index0 + (j + e), size_index0);  // cumsum
                const float v1 = kf_item_f32(r1, e);
                const double v2 = kf_cast_f32_f64(v1);  // cumsum
                const double v4 = v0 ? v2 : 0.0;  // cumsum
                tile_sum5 = tile_sum5 + v4;
                keep5[e] = tile_sum5;
            }
        }
        double before_sum5 = 0.0;
        KF_UNROLL
        for (int d = 0; d < 3; ++d) {
            const int m = 1 << d;
            const double other_sum5 = kf_shfl_xor_f64(tile_sum5, m);
            before_sum5 = (lane & m) ? (other_sum5 + before_sum5) : before_sum5;
            tile_sum5 = tile_sum5 + other_sum5;
        }
        before_sum5 = sum5 + before_sum5;
        KF_UNROLL
        for (int k = 0; k < 4; ++k) {
            keep5[k] = before_sum5 + keep5[k];
        }
        sum5 = sum5 + tile_sum5;
        {
            const int j = (q0 + lane) * 4;
            const int left = stop - j;
            double w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                w0[e] = keep5[e];
            }
            double *p2_tmp_8 = tmp_8 + (i0 * s0_tmp_8 + j);
            kf_store4_f64(p2_tmp_8, 0, left, vec, w0);
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t units;
    int64_t n0;
    int64_t chunks;
    int64_t d0_tmp_5;
    const double *tmp_5;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    int64_t s0_out0;
} k5_exp_cumsum_exp_args;

/* exp, cumsum, exp.
 * A block goes through a chunk of 32 columns, eight rows a thread.
 * reads  tmp_5    float64[x.1, (max(x.0, 1) + 63)//64], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k5_exp_cumsum_exp, k5_exp_cumsum_exp_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t units = a.units;
    const uint32_t n0 = a.n0;
    const uint32_t chunks = a.chunks;
    const int64_t d0_tmp_5 = a.d0_tmp_5;
    const double *tmp_5 = a.tmp_5;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int across = tid % 32;
    const int down = tid / 32;
    const int64_t t = kf_block() * 32 + across;
    const int there = t < units;
    const uint32_t u = kf_min_i64(t, units - 1);
    KF_SHARED(float, folds_sum4, 256);
    const uint32_t line = u / n1;
    const int64_t j = u % n1;
    const int64_t chunk = line % chunks;
    const int64_t from = chunk * 64;
    const int64_t to = kf_min_i64(n0, from + 64);
    const double v0 = kf_load_f64(tmp_5, j * d0_tmp_5 + chunk);
    const int64_t stop = there ? to : 0;
    const int64_t first = from + down * 8;
    float tile_sum4 = 0.0f;
    float r2[8];
    float keep4[8];
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t r = first + s;
        const int left = r < stop;
        const uint32_t i0 = kf_min_i64(r, to - 1);
        const float *p1_in_x = in_x + (i0 * s0_in_x + j);
        {
            r2[s] = 0 < left ? kf_load_f32(p1_in_x, 0) : 0.0f;
        }
    }
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        {
            const float v3 = kf_exp_f32(r2[s]);  // exp
            tile_sum4 = tile_sum4 + v3;
            keep4[s] = tile_sum4;
        }
    }
    kf_shared_put_f32(folds_sum4, tid, tile_sum4);
    kf_barrier();
    float before_sum4 = 0.0f;
    KF_UNROLL
    for (int d = 0; d < 8; ++d) {
        const float other_sum4 = kf_shared_get_f32(folds_sum4, d * 32 + across);
        before_sum4 = d < down ? (before_sum4 + other_sum4) : before_sum4;
    }
    KF_UNROLL
    for (int k = 0; k < 8; ++k) {
        keep4[k] = before_sum4 + keep4[k];
    }
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t r = first + s;
        const int left = r < stop;
        const uint32_t i0 = kf_min_i64(r, to - 1);
        float w0[1];
        {
            const float v1 = kf_cast_f64_f32(v0);  // cumsum
            const float v5 = v1 + keep4[s];  // cumsum
            const float v6 = kf_exp_f32(v5);  // exp
            w0[0] = v6;
        }
        float *p2_out0 = out0 + (i0 * s0_out0 + j);
        {
            if (0 < left) {
                kf_store_f32(p2_out0, 0, w0[0]);
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t units;
    int64_t n0;
    int64_t chunks;
    int64_t d0_tmp_8;
    const double *tmp_8;
    const float *tmp_6;
    int64_t s0_tmp_6;
    float *out1;
    int64_t s0_out1;
} k6_cumsum_args;

/* cumsum.
 * A block goes through a chunk of 32 columns, eight rows a thread.
 * reads  tmp_8    float64[y.1, (max(y.0, 1) + 63)//64], 8 bytes each
 * reads  tmp_6    float32[y.0, y.1], 4 bytes each
 * writes out1     float32[y.0, y.1], 4 bytes each */
KF_KERNEL(k6_cumsum, k6_cumsum_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t units = a.units;
    const uint32_t n0 = a.n0;
    const uint32_t chunks = a.chunks;
    const int64_t d0_tmp_8 = a.d0_tmp_8;
    const double *tmp_8 = a.tmp_8;
    const float *tmp_6 = a.tmp_6;
    const int64_t s0_tmp_6 = a.s0_tmp_6;
    float *out1 = a.out1;
    const int64_t s0_out1 = a.s0_out1;
    const int tid = kf_thread();
    const int across = tid % 32;
    const int down = tid / 32;
    const int64_t t = kf_block() * 32 + across;
    const int there = t < units;
    const uint32_t u = kf_min_i64(t, units - 1);
    KF_SHARED(float, folds_sum3, 256);
    const uint32_t line = u / n1;
    const int64_t j = u % n1;
    const int64_t chunk = line % chunks;
    const int64_t from = chunk * 64;
    const int64_t to = kf_min_i64(n0, from + 64);
    const double v0 = kf_load_f64(tmp_8, j * d0_tmp_8 + chunk);
    const int64_t stop = there ? to : 0;
    const int64_t first = from + down * 8;
    float tile_sum3 = 0.0f;
    float r2[8];
    float keep3[8];
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t r = first + s;
        const int left = r < stop;
        const uint32_t i0 = kf_min_i64(r, to - 1);
        const float *p1_tmp_6 = tmp_6 + (i0 * s0_tmp_6 + j);
        {
            r2[s] = 0 < left ? kf_load_f32(p1_tmp_6, 0) : 0.0f;
        }
    }
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        {
            tile_sum3 = tile_sum3 + r2[s];
            keep3[s] = tile_sum3;
        }
    }
    kf_shared_put_f32(folds_sum3, tid, tile_sum3);
    kf_barrier();
    float before_sum3 = 0.0f;
    KF_UNROLL
    for (int d = 0; d < 8; ++d) {
        const float other_sum3 = kf_shared_get_f32(folds_sum3, d * 32 + across);
        before_sum3 = d < down ? (before_sum3 + other_sum3) : before_sum3;
    }
    KF_UNROLL
    for (int k = 0; k < 8; ++k) {
        keep3[k] = before_sum3 + keep3[k];
    }
    KF_UNROLL
    for (int s = 0; s < 8; ++s) {
        const int64_t r = first + s;
        const int left = r < stop;
        const uint32_t i0 = kf_min_i64(r, to - 1);
        float w0[1];
        {
            const float v1 = kf_cast_f64_f32(v0);  // cumsum
            const float v4 = v1 + keep3[s];  // cumsum
            w0[0] = v4;
        }
        float *p2_out1 = out1 + (i0 * s0_out1 + j);
        {
            if (0 < left) {
                kf_store_f32(p2_out1, 0, w0[0]);
            }
        }
    }
}
