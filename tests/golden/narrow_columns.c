
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t n1;
    int64_t tile;
    int64_t run_rows;
    const int8_t *in_q;
    int64_t s0_in_q;
    const int8_t *in_p;
    int64_t s0_in_p;
    int8_t *out0;
    int64_t s0_out0;
    int8_t *out1;
    int8_t *part_max5;
} k0_bitwise_right_shift_bitwise_xor_max_short_args;

/* bitwise_right_shift, bitwise_xor, max.
 * Short rows without gaps: their columns, then what is stored, as one run.
 * reads  in_q     int8[q.0, q.1], 1 byte each
 * reads  in_p     int8[q.0, q.1], 1 byte each
 * writes out0     int8[q.0, q.1], 1 byte each
 * writes out1     int8[q.1], 1 byte each */
void k0_bitwise_right_shift_bitwise_xor_max_short(const k0_bitwise_right_shift_bitwise_xor_max_short_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t run_rows = a->run_rows;
    const int8_t *in_q = a->in_q;
    const int64_t s0_in_q = a->s0_in_q;
    const int8_t *in_p = a->in_p;
    const int64_t s0_in_p = a->s0_in_p;
    int8_t *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    int8_t *out1 = a->out1;
    int8_t *part_max5 = a->part_max5;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        int8_t max5[65536];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max5[l] = kf_lowest_i8;
        }
        for (int64_t g0 = from; g0 < to; g0 += run_rows) {
            const int64_t g1 = kf_min_i64(to, g0 + run_rows);
            for (int64_t r = g0; r < g1; ++r) {
                const int64_t i0 = r;
                const int8_t *p0_in_q = in_q + (i0 * s0_in_q + first);
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const int8_t v0 = kf_load_i8(p0_in_q, l);
                    max5[l] = kf_max_i8(v0, max5[l]);
                }
            }
            {
                const int64_t i0 = g0;
                const int64_t all = (g1 - g0) * n1;  // elements of all rows
                const int8_t *p0_in_q = in_q + i0 * s0_in_q;
                const int8_t *p1_in_p = in_p + i0 * s0_in_p;
                int8_t *p2_out0 = out0 + i0 * s0_out0;
                KF_SIMD
                for (int64_t l = 0; l < all; ++l) {
                    const int8_t v0 = kf_load_i8(p0_in_q, l);
                    const int8_t v2 = kf_shr_i8(v0, 2);  // bitwise_right_shift
                    const int8_t v3 = kf_load_i8(p1_in_p, l);
                    const int8_t v4 = v2 ^ v3;  // bitwise_xor
                    kf_store_i8(p2_out0, l, v4);
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const int8_t v6 = max5[l];  // max
                kf_store_i8(out1, i1, v6);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_i8(part_max5, part_at + l, max5[l]);
            }
        }
    }
}

typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t n1;
    int64_t tile;
    int64_t piece_len;
    const int8_t *in_q;
    int64_t s0_in_q;
    const int8_t *in_p;
    int64_t s0_in_p;
    int8_t *out0;
    int64_t s0_out0;
    int8_t *out1;
    int8_t *part_max5;
} k0_bitwise_right_shift_bitwise_xor_max_args;

/* bitwise_right_shift, bitwise_xor, max.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_q     int8[q.0, q.1], 1 byte each
 * reads  in_p     int8[q.0, q.1], 1 byte each
 * writes out0     int8[q.0, q.1], 1 byte each
 * writes out1     int8[q.1], 1 byte each */
void k0_bitwise_right_shift_bitwise_xor_max(const k0_bitwise_right_shift_bitwise_xor_max_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t piece_len = a->piece_len;
    const int8_t *in_q = a->in_q;
    const int64_t s0_in_q = a->s0_in_q;
    const int8_t *in_p = a->in_p;
    const int64_t s0_in_p = a->s0_in_p;
    int8_t *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    int8_t *out1 = a->out1;
    int8_t *part_max5 = a->part_max5;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        int8_t max5[65536];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max5[l] = kf_lowest_i8;
        }
        for (int64_t r = from; r < to; ++r) {
            const int64_t i0 = r;
            for (int64_t at = 0; at < len; at += piece_len) {
                const int64_t n = kf_min_i64(len - at, piece_len);
                const int8_t *p0_in_q = in_q + (i0 * s0_in_q + (first + at));
                const int8_t *p1_in_p = in_p + (i0 * s0_in_p + (first + at));
                {
                    int8_t *p2_out0 = out0 + (i0 * s0_out0 + (first + at));
                    if (stream) {
                        kf_stream_ahead(p2_out0, n);
                    }
                    const int64_t size = stream ? (n <= 4096 ? 4096 : 1024) : 4096;  // of a piece
                    const int64_t start = stream ? (0 - kf_stream_skew(p2_out0)) : 0;
                    for (int64_t piece = start; piece < n; piece += size) {
                        const int64_t l0 = kf_max_i64(piece, 0);
                        const int64_t l1 = kf_min_i64(piece + size, n);
                        int8_t buffer0[4288];
                        int8_t *to0 = stream ? buffer0 : (p2_out0 + l0);
                        KF_SIMD
                        for (int64_t l = l0; l < l1; ++l) {
                            const int8_t v0 = kf_load_i8(p0_in_q, l);
                            const int8_t v2 = kf_shr_i8(v0, 2);  // bitwise_right_shift
                            const int8_t v3 = kf_load_i8(p1_in_p, l);
                            const int8_t v4 = v2 ^ v3;  // bitwise_xor
                            kf_store_i8(to0, l - l0, v4);
                            max5[at + l] = kf_max_i8(v0, max5[at + l]);
                        }
                        if (stream) {
                            kf_stream_copy(p2_out0 + l0, buffer0, l1 - l0);
                        }
                    }
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const int8_t v6 = max5[l];  // max
                kf_store_i8(out1, i1, v6);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_i8(part_max5, part_at + l, max5[l]);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t outer_n;
    int64_t n1;
    int64_t tile;
    int8_t *part_max5;
    int8_t *out1;
} k0_bitwise_right_shift_bitwise_xor_max_merge_args;

/* bitwise_right_shift, bitwise_xor, max.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out1     int8[q.1], 1 byte each */
void k0_bitwise_right_shift_bitwise_xor_max_merge(const k0_bitwise_right_shift_bitwise_xor_max_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    int8_t *part_max5 = a->part_max5;
    int8_t *out1 = a->out1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        int8_t max5[65536];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max5[l] = kf_lowest_i8;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            int8_t group_max5[65536];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_max5[l] = kf_lowest_i8;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const int8_t q_max5 = kf_load_i8(part_max5, part_at + l);
                    group_max5[l] = kf_max_i8(q_max5, group_max5[l]);
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                max5[l] = kf_max_i8(group_max5[l], max5[l]);
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i1 = first + l;
            const int8_t v6 = max5[l];  // max
            kf_store_i8(out1, i1, v6);
        }
    }
}
