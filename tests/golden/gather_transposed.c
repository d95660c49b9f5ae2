
typedef struct {
    int64_t stream;
    int64_t size_v1;
    int64_t prefetch;
    int64_t n1;
    int64_t n0;
    int64_t tile_len;
    int64_t tile_rows;
    int64_t along;
    int64_t across;
    int64_t pitch;
    int64_t block;
    int64_t s1_in_y;
    const float *in_y;
    int64_t s0_in_y;
    int64_t each_in_y;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    const int64_t *in_i;
    int64_t s0_in_i;
    const float *in_x;
    int64_t t0_in_x;
    int64_t next_in_y;
    int64_t below_in_y;
    int64_t next_out0;
    int64_t below_out0;
    int64_t each_out0;
} k0_take_add_short_args;

/* take, add.
 * Tile by tile, of short rows, which are one run: what is transposed goes through tiles in L1.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, i.0], 4 bytes each
 * writes out0     float32[x.1, i.0], 4 bytes each */
void k0_take_add_short(const k0_take_add_short_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t size_v1 = a->size_v1;
    const int64_t prefetch = a->prefetch;
    const int64_t n1 = a->n1;
    const int64_t n0 = a->n0;
    const int64_t tile_len = a->tile_len;
    const int64_t tile_rows = a->tile_rows;
    const int64_t along = a->along;
    const int64_t across = a->across;
    const int64_t pitch = a->pitch;
    const int64_t block = a->block;
    const int64_t s1_in_y = a->s1_in_y;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    const int64_t each_in_y = a->each_in_y;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    const int64_t *in_i = a->in_i;
    const int64_t s0_in_i = a->s0_in_i;
    const float *in_x = a->in_x;
    const int64_t t0_in_x = a->t0_in_x;
    const int64_t next_in_y = a->next_in_y;
    const int64_t below_in_y = a->below_in_y;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    const int64_t each_out0 = a->each_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        const float *corner2 = in_y + (r0 * s0_in_y + first * s1_in_y);
        float tile2[9216];
        if (prefetch && u == begin) {
            for (int64_t l = 0; l < len; l += each_in_y) {
                kf_prefetch_run(corner2 + l * s1_in_y, rows * 4);
            }
        }
        kf_transpose4(tile2, pitch, corner2, s1_in_y, len, rows);
        float *corner3 = out0 + (r0 * s0_out0 + first * s1_out0);
        float tile3[9216];
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const float *row2 = tile2 + r * pitch;
            float *row3 = tile3 + r * pitch;
            const int64_t first_row = r0 + r;
            const int64_t line_rows = kf_min_i64(rows - r, block);
            float leaf10[2056];
            for (int64_t r = 0; r < line_rows; ++r) {
                const int64_t i0 = first_row + r;
                const int64_t at = r * len;
                const int64_t *p0_in_i = in_i + i0 * s0_in_i;
                const int64_t v0 = kf_load_i64(p0_in_i, 0);
                const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                const int v4 = v0 < 0;  // take
                const int64_t v5 = v4 ? v3 : v0;  // take
                const int v6 = v5 < size_v1;  // take
                const int v7 = v5 >= 0;  // take
                const int v8 = v7 & v6;  // take
                const int64_t v9 = v8 ? v5 : 0;  // take
                const float *p1_in_x = in_x + (first + v9 * t0_in_x);
                const float *from10 = v8 ? p1_in_x : kf_nothing();
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v10 = kf_load_f32(from10, l);
                    leaf10[at + l] = v10;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < line_len; ++l) {
                const float v11 = kf_load_f32(row2, l);
                const float v12 = leaf10[l] + v11;  // add
                kf_store_f32(row3, l, v12);
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const float *far2 = corner2 + (last ? below_in_y : next_in_y);
                for (int64_t l = line * each_in_y; l < len; l += lines * each_in_y) {
                    kf_prefetch_run(far2 + l * s1_in_y, rows * 4);
                }
                const float *far3 = corner3 + (last ? below_out0 : next_out0);
                if (stream == 0) {
                    for (int64_t l = line * each_out0; l < len; l += lines * each_out0) {
                        kf_prefetch_write_run(far3 + l * s1_out0, rows * 4);
                    }
                }
            }
        }
        if (stream) {
            kf_stream_transpose4(corner3, s1_out0, tile3, pitch, rows, len);
        } else {
            kf_transpose4(corner3, s1_out0, tile3, pitch, rows, len);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t stream;
    int64_t size_v1;
    int64_t prefetch;
    int64_t n1;
    int64_t n0;
    int64_t tile_len;
    int64_t tile_rows;
    int64_t along;
    int64_t across;
    int64_t pitch;
    int64_t block;
    int64_t s1_in_y;
    const float *in_y;
    int64_t s0_in_y;
    int64_t each_in_y;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    const int64_t *in_i;
    int64_t s0_in_i;
    const float *in_x;
    int64_t t0_in_x;
    int64_t s0_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_in_y;
    int64_t below_in_y;
    int64_t next_out0;
    int64_t below_out0;
    int64_t each_out0;
} k0_take_add_args;

/* take, add.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, i.0], 4 bytes each
 * writes out0     float32[x.1, i.0], 4 bytes each */
void k0_take_add(const k0_take_add_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t size_v1 = a->size_v1;
    const int64_t prefetch = a->prefetch;
    const int64_t n1 = a->n1;
    const int64_t n0 = a->n0;
    const int64_t tile_len = a->tile_len;
    const int64_t tile_rows = a->tile_rows;
    const int64_t along = a->along;
    const int64_t across = a->across;
    const int64_t pitch = a->pitch;
    const int64_t block = a->block;
    const int64_t s1_in_y = a->s1_in_y;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    const int64_t each_in_y = a->each_in_y;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    const int64_t *in_i = a->in_i;
    const int64_t s0_in_i = a->s0_in_i;
    const float *in_x = a->in_x;
    const int64_t t0_in_x = a->t0_in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t next_in_y = a->next_in_y;
    const int64_t below_in_y = a->below_in_y;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    const int64_t each_out0 = a->each_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        const float *corner2 = in_y + (r0 * s0_in_y + first * s1_in_y);
        float tile2[9216];
        if (prefetch && u == begin) {
            for (int64_t l = 0; l < len; l += each_in_y) {
                kf_prefetch_run(corner2 + l * s1_in_y, rows * 4);
            }
        }
        kf_transpose4(tile2, pitch, corner2, s1_in_y, len, rows);
        float *corner3 = out0 + (r0 * s0_out0 + first * s1_out0);
        float tile3[9216];
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            const float *row2 = tile2 + r * pitch;
            float *row3 = tile3 + r * pitch;
            const int64_t *p0_in_i = in_i + i0 * s0_in_i;
            const int64_t v0 = kf_load_i64(p0_in_i, 0);
            const int64_t v3 = kf_add_i64(v0, size_v1);  // take
            const int v4 = v0 < 0;  // take
            const int64_t v5 = v4 ? v3 : v0;  // take
            const int v6 = v5 < size_v1;  // take
            const int v7 = v5 >= 0;  // take
            const int v8 = v7 & v6;  // take
            const int64_t v9 = v8 ? v5 : 0;  // take
            const float *p1_in_x = in_x + (first + v9 * t0_in_x);
            const float *from10 = v8 ? p1_in_x : kf_nothing();
            KF_SIMD
            for (int64_t l = 0; l < line_len; ++l) {
                const float v10 = kf_load_f32(from10, l);
                const float v11 = kf_load_f32(row2, l);
                const float v12 = v10 + v11;  // add
                kf_store_f32(row3, l, v12);
            }
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p1_in_x + 8 * s0_in_x, line_len * 4);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const float *far1 = p1_in_x + (last ? below_in_x : next_in_x);
                if (along > 1) {
                    kf_prefetch_run(far1, line_len * 4);
                }
                const float *far2 = corner2 + (last ? below_in_y : next_in_y);
                for (int64_t l = line * each_in_y; l < len; l += lines * each_in_y) {
                    kf_prefetch_run(far2 + l * s1_in_y, rows * 4);
                }
                const float *far3 = corner3 + (last ? below_out0 : next_out0);
                if (stream == 0) {
                    for (int64_t l = line * each_out0; l < len; l += lines * each_out0) {
                        kf_prefetch_write_run(far3 + l * s1_out0, rows * 4);
                    }
                }
            }
        }
        if (stream) {
            kf_stream_transpose4(corner3, s1_out0, tile3, pitch, rows, len);
        } else {
            kf_transpose4(corner3, s1_out0, tile3, pitch, rows, len);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
