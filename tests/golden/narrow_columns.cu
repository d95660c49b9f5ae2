
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
    const int8_t *in_q;
    int64_t s0_in_q;
    const int8_t *in_p;
    int64_t s0_in_p;
    int8_t *out0;
    int64_t s0_out0;
    int8_t *out1;
} k0_bitwise_right_shift_bitwise_xor_max_args;

/* bitwise_right_shift, bitwise_xor, max.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
 * reads  in_q     int8[q.0, q.1], 1 byte each
 * reads  in_p     int8[q.0, q.1], 1 byte each
 * writes out0     int8[q.0, q.1], 1 byte each
 * writes out1     int8[q.1], 1 byte each */
KF_KERNEL(k0_bitwise_right_shift_bitwise_xor_max, k0_bitwise_right_shift_bitwise_xor_max_args, 256) {
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
    const int8_t *in_q = a.in_q;
    const int64_t s0_in_q = a.s0_in_q;
    const int8_t *in_p = a.in_p;
    const int64_t s0_in_p = a.s0_in_p;
    int8_t *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    int8_t *out1 = a.out1;
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
    KF_SHARED(int8_t, down_max5, 512);
    const uint32_t first_line = (cluster / tiles) * lines;
    const uint32_t own = first_line + nth;
    const int is_own = nth < beside && own < outer_n;
    KF_SHARED(int32_t, cluster_max5, 512);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        int8_t max5[2];
        KF_UNROLL
        for (int e = 0; e < 2; ++e) {
            max5[e] = kf_lowest_i8;
        }
        for (int row0 = is_own ? (from + down) : to; row0 < to; row0 += 64) {
            // all rows of the tile are there
            if (row0 + 56 < to) {
                uint32_t r0[8];
                uint32_t r3[8];
                if (vec && there == 2) {
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const uint32_t i0 = row;
                        const int8_t *p0_in_q = in_q + (i0 * s0_in_q + j);
                        kf_whole2_i8(p0_in_q, r0 + s);
                        const int8_t *p1_in_p = in_p + (i0 * s0_in_p + j);
                        kf_whole2_i8(p1_in_p, r3 + s);
                    }
                } else {
                    uint32_t raw_r0[16];
                    uint32_t raw_r3[16];
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const uint32_t i0 = row;
                        const int8_t *p0_in_q = in_q + (i0 * s0_in_q + j);
                        kf_each2_i8(p0_in_q, there, raw_r0 + s * 2);
                        const int8_t *p1_in_p = in_p + (i0 * s0_in_p + j);
                        kf_each2_i8(p1_in_p, there, raw_r3 + s * 2);
                    }
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        kf_join2_i8(raw_r0 + s * 2, r0 + s);
                        kf_join2_i8(raw_r3 + s * 2, r3 + s);
                    }
                }
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const uint32_t i0 = row;
                    int8_t w0[2];
                    KF_UNROLL
                    for (int e = 0; e < 2; ++e) {
                        const int8_t v0 = kf_item_i8(r0 + s, e);
                        const int8_t v2 = kf_shr_i8(v0, 2);  // bitwise_right_shift
                        const int8_t v3 = kf_item_i8(r3 + s, e);
                        const int8_t v4 = v2 ^ v3;  // bitwise_xor
                        max5[e] = kf_max_i8(v0, max5[e]);
                        w0[e] = v4;
                    }
                    int8_t *p2_out0 = out0 + (i0 * s0_out0 + j);
                    kf_store2_i8(p2_out0, 0, columns, vec, w0);
                }
            } else {
                uint32_t r0[8];
                uint32_t r3[8];
                if (vec && there == 2) {
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const int safe = row < to ? row : (to - 1);
                        const uint32_t i0 = safe;
                        const int8_t *p0_in_q = in_q + (i0 * s0_in_q + j);
                        kf_whole2_i8(p0_in_q, r0 + s);
                        const int8_t *p1_in_p = in_p + (i0 * s0_in_p + j);
                        kf_whole2_i8(p1_in_p, r3 + s);
                    }
                } else {
                    uint32_t raw_r0[16];
                    uint32_t raw_r3[16];
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        const int row = row0 + s * 8;
                        const int safe = row < to ? row : (to - 1);
                        const uint32_t i0 = safe;
                        const int8_t *p0_in_q = in_q + (i0 * s0_in_q + j);
                        kf_each2_i8(p0_in_q, there, raw_r0 + s * 2);
                        const int8_t *p1_in_p = in_p + (i0 * s0_in_p + j);
                        kf_each2_i8(p1_in_p, there, raw_r3 + s * 2);
                    }
                    KF_UNROLL
                    for (int s = 0; s < 8; ++s) {
                        kf_join2_i8(raw_r0 + s * 2, r0 + s);
                        kf_join2_i8(raw_r3 + s * 2, r3 + s);
                    }
                }
                KF_UNROLL
                for (int s = 0; s < 8; ++s) {
                    const int row = row0 + s * 8;
                    const int safe = row < to ? row : (to - 1);
                    const uint32_t i0 = safe;
                    const int left = row < to ? columns : 0;
                    int8_t w0[2];
                    KF_UNROLL
                    for (int e = 0; e < 2; ++e) {
                        const int8_t v0 = kf_item_i8(r0 + s, e);
                        const int8_t v2 = kf_shr_i8(v0, 2);  // bitwise_right_shift
                        const int8_t v3 = kf_item_i8(r3 + s, e);
                        const int8_t v4 = v2 ^ v3;  // bitwise_xor
                        const int8_t term5 = e < left ? v0 : kf_lowest_i8;
                        max5[e] = kf_max_i8(term5, max5[e]);
                        w0[e] = v4;
                    }
                    int8_t *p2_out0 = out0 + (i0 * s0_out0 + j);
                    kf_store2_i8(p2_out0, 0, left, vec, w0);
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
                kf_shared_put_i8(down_max5, e * 256 + (down * 32 + place), max5[e]);
            }
        }
        kf_barrier();
        if (is_own && down < 2) {
            int8_t all_max5 = kf_lowest_i8;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + place);
                const int8_t q_max5 = kf_shared_get_i8(down_max5, at);
                all_max5 = kf_max_i8(q_max5, all_max5);
            }
            // to the cluster's first block
            const int part_at = chunk * 64 + (down * 32 + place);
            kf_cluster_send_i32(cluster_max5, part_at, 0, all_max5, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (kf_min_i64(lines, outer_n - first_line) * (wide * 8))) : 0);
    if ((rank == 0 && down < 2) && is_own) {
        const int64_t i1 = first_column + (across * 2 + down);
        if (i1 < n1) {
            int8_t all_max5 = kf_lowest_i8;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 64 + (down * 32 + place);
                const int8_t q_max5 = kf_shared_get_i32(cluster_max5, at);
                all_max5 = kf_max_i8(q_max5, all_max5);
            }
            const int8_t v6 = all_max5;  // max
            kf_store_i8(out1, i1, v6);
        }
    }
}
