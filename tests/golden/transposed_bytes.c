
typedef struct {
    int64_t stream;
    int64_t prefetch;
    int64_t n1;
    int64_t n0;
    int64_t tile_len;
    int64_t tile_rows;
    int64_t along;
    int64_t across;
    int64_t wide;
    int64_t pitch;
    int64_t block;
    int8_t *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    const int8_t *in_x;
    int64_t s0_in_x;
    int8_t *out1;
    int64_t s0_out1;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_out0;
    int64_t below_out0;
    int64_t each_out0;
    int64_t next_out1;
    int64_t below_out1;
} k0_add_multiply_args;

/* add, multiply.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  in_x     int8[x.0, x.1], 1 byte each
 * writes out0     int8[x.1, x.0], 1 byte each
 * writes out1     int8[x.0, x.1], 1 byte each */
void k0_add_multiply(const k0_add_multiply_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t n1 = a->n1;
    const int64_t n0 = a->n0;
    const int64_t tile_len = a->tile_len;
    const int64_t tile_rows = a->tile_rows;
    const int64_t along = a->along;
    const int64_t across = a->across;
    const int64_t wide = a->wide;
    const int64_t pitch = a->pitch;
    const int64_t block = a->block;
    int8_t *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    const int8_t *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    int8_t *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    const int64_t each_out0 = a->each_out0;
    const int64_t next_out1 = a->next_out1;
    const int64_t below_out1 = a->below_out1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        int8_t *corner1 = out0 + (r0 * s0_out0 + first * s1_out0);
        int8_t tile1[67584];
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            int8_t *row1 = tile1 + r * pitch;
            const int8_t *p0_in_x = in_x + (i0 * s0_in_x + first);
            {
                int8_t *p2_out1 = out1 + (i0 * s0_out1 + first);
                if (stream) {
                    kf_stream_ahead(p2_out1, line_len);
                }
                const int64_t size = stream ? 1024 : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p2_out1)) : 0;
                for (int64_t piece = start; piece < line_len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, line_len);
                    int8_t buffer1[1024];
                    int8_t *to1 = stream ? buffer1 : (p2_out1 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const int8_t v0 = kf_load_i8(p0_in_x, l);
                        const int8_t v2 = kf_add_i8(v0, 1);  // add
                        const int8_t v4 = kf_mul_i8(v0, 2);  // multiply
                        kf_store_i8(row1, l, v2);
                        kf_store_i8(to1, l - l0, v4);
                    }
                    if (stream) {
                        kf_stream_copy(p2_out1 + l0, buffer1, l1 - l0);
                    }
                }
            }
            int8_t *p2_out1 = out1 + (i0 * s0_out1 + first);
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p0_in_x + 8 * s0_in_x, line_len);
                }
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(p2_out1 + 8 * s0_out1, line_len);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const int8_t *far0 = p0_in_x + (last ? below_in_x : next_in_x);
                if (along > 1) {
                    kf_prefetch_run(far0, line_len);
                }
                const int8_t *far1 = corner1 + (last ? below_out0 : next_out0);
                if (wide || (stream == 0)) {
                    for (int64_t l = line * each_out0; l < len; l += lines * each_out0) {
                        kf_prefetch_write_run(far1 + l * s1_out0, rows);
                    }
                }
                const int8_t *far2 = p2_out1 + (last ? below_out1 : next_out1);
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(far2, line_len);
                }
            }
        }
        if (wide) {
            kf_turn1(corner1, s1_out0, tile1, pitch, rows, len);
        } else {
            if (stream) {
                kf_stream_transpose1(corner1, s1_out0, tile1, pitch, rows, len);
            } else {
                kf_transpose1(corner1, s1_out0, tile1, pitch, rows, len);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
