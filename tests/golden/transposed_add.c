
typedef struct {
    int64_t stream;
    int64_t prefetch;
    int64_t n1;
    int64_t n0;
    int64_t tile_len;
    int64_t tile_rows;
    int64_t along;
    int64_t across;
    int64_t pitch;
    int64_t block;
    int64_t s1_in_x;
    const float *in_x;
    int64_t s0_in_x;
    int64_t each_in_x;
    const float *in_y;
    int64_t s0_in_y;
    float *out0;
    int64_t s0_out0;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_in_y;
    int64_t below_in_y;
    int64_t next_out0;
    int64_t below_out0;
} k0_add_args;

/* add.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, x.0], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
void k0_add(const k0_add_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t n1 = a->n1;
    const int64_t n0 = a->n0;
    const int64_t tile_len = a->tile_len;
    const int64_t tile_rows = a->tile_rows;
    const int64_t along = a->along;
    const int64_t across = a->across;
    const int64_t pitch = a->pitch;
    const int64_t block = a->block;
    const int64_t s1_in_x = a->s1_in_x;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t each_in_x = a->each_in_x;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t next_in_y = a->next_in_y;
    const int64_t below_in_y = a->below_in_y;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        const float *corner0 = in_x + (r0 * s0_in_x + first * s1_in_x);
        float tile0[9216];
        if (prefetch && u == begin) {
            for (int64_t l = 0; l < len; l += each_in_x) {
                kf_prefetch_run(corner0 + l * s1_in_x, rows * 4);
            }
        }
        kf_transpose4(tile0, pitch, corner0, s1_in_x, len, rows);
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            const float *row0 = tile0 + r * pitch;
            const float *p1_in_y = in_y + (i0 * s0_in_y + first);
            {
                float *p2_out0 = out0 + (i0 * s0_out0 + first);
                if (stream) {
                    kf_stream_ahead(p2_out0, line_len * 4);
                }
                const int64_t size = stream ? 256 : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
                for (int64_t piece = start; piece < line_len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, line_len);
                    float buffer0[256];
                    float *to0 = stream ? buffer0 : (p2_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v0 = kf_load_f32(row0, l);
                        const float v1 = kf_load_f32(p1_in_y, l);
                        const float v2 = v0 + v1;  // add
                        kf_store_f32(to0, l - l0, v2);
                    }
                    if (stream) {
                        kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                    }
                }
            }
            float *p2_out0 = out0 + (i0 * s0_out0 + first);
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p1_in_y + 8 * s0_in_y, line_len * 4);
                }
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(p2_out0 + 8 * s0_out0, line_len * 4);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const float *far0 = corner0 + (last ? below_in_x : next_in_x);
                for (int64_t l = line * each_in_x; l < len; l += lines * each_in_x) {
                    kf_prefetch_run(far0 + l * s1_in_x, rows * 4);
                }
                const float *far1 = p1_in_y + (last ? below_in_y : next_in_y);
                if (along > 1) {
                    kf_prefetch_run(far1, line_len * 4);
                }
                const float *far2 = p2_out0 + (last ? below_out0 : next_out0);
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(far2, line_len * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
