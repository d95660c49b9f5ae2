
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
    int64_t s1_in_z;
    const kf_f16 *in_z;
    int64_t s0_in_z;
    int64_t each_in_z;
    const kf_f16 *in_y;
    const kf_f16 *in_x;
    int64_t s0_in_x;
    kf_f16 *out0;
    int64_t s0_out0;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_in_z;
    int64_t below_in_z;
    int64_t next_out0;
    int64_t below_out0;
} k0_add_relu_add_short_args;

/* add, relu, add.
 * Tile by tile, of short rows, which are one run: what is transposed goes through tiles in L1.
 * reads  in_x     float16[x.0, x.1], 2 bytes each
 * reads  in_y     float16[x.1], 2 bytes each
 * reads  in_z     float16[x.1, x.0], 2 bytes each
 * writes out0     float16[x.0, x.1], 2 bytes each */
void k0_add_relu_add_short(const k0_add_relu_add_short_args *a, int64_t begin, int64_t end) {
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
    const int64_t s1_in_z = a->s1_in_z;
    const kf_f16 *in_z = a->in_z;
    const int64_t s0_in_z = a->s0_in_z;
    const int64_t each_in_z = a->each_in_z;
    float leaf1[2056];
    int64_t rows_leaf1 = 0;
    int64_t first_leaf1 = 0;
    const kf_f16 *in_y = a->in_y;
    const kf_f16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    kf_f16 *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t next_in_z = a->next_in_z;
    const int64_t below_in_z = a->below_in_z;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        const kf_f16 *corner2 = in_z + (r0 * s0_in_z + first * s1_in_z);
        kf_f16 tile2[18432];
        if (prefetch && u == begin) {
            for (int64_t l = 0; l < len; l += each_in_z) {
                kf_prefetch_run(corner2 + l * s1_in_z, rows * 2);
            }
        }
        kf_transpose2(tile2, pitch, corner2, s1_in_z, len, rows);
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            const kf_f16 *row2 = tile2 + r * pitch;
            const int64_t line_rows = kf_min_i64(rows - r, block);
            if ((rows_leaf1 < line_rows) || (first_leaf1 != first)) {
                for (int64_t r = 0; r < line_rows; ++r) {
                    const int64_t at = r * len;
                    const kf_f16 *p1_in_y = in_y + first;
                    float wide1_in_y[2048];
                    kf_widen_f16(wide1_in_y, p1_in_y, len);
                    KF_SIMD
                    for (int64_t l = 0; l < len; ++l) {
                        leaf1[at + l] = wide1_in_y[l];
                    }
                }
                rows_leaf1 = line_rows;
                first_leaf1 = first;
            }
            const kf_f16 *p0_in_x = in_x + (i0 * s0_in_x + first);
            float wide0_in_x[2048];
            kf_widen_f16(wide0_in_x, p0_in_x, line_len);
            float wide5_in_z[2048];
            kf_widen_f16(wide5_in_z, row2, line_len);
            {
                kf_f16 *p3_out0 = out0 + (i0 * s0_out0 + first);
                if (stream) {
                    kf_stream_ahead(p3_out0, line_len * 2);
                }
                const int64_t size = stream ? 512 : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 2) : 0;
                for (int64_t piece = start; piece < line_len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, line_len);
                    float half0[2064];
                    kf_f16 buffer0[512];
                    kf_f16 *to0 = stream ? buffer0 : (p3_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v2 = wide0_in_x[l] + leaf1[l];  // add
                        const float v4 = kf_max_f32(v2, 0.0f);  // relu
                        const float v6 = v4 + wide5_in_z[l];  // add
                        half0[l - l0] = v6;
                    }
                    kf_narrow_f16(to0, half0, l1 - l0);
                    if (stream) {
                        kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 2);
                    }
                }
            }
            kf_f16 *p3_out0 = out0 + (i0 * s0_out0 + first);
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p0_in_x + 8 * s0_in_x, line_len * 2);
                }
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(p3_out0 + 8 * s0_out0, line_len * 2);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const kf_f16 *far0 = p0_in_x + (last ? below_in_x : next_in_x);
                if (along > 1) {
                    kf_prefetch_run(far0, line_len * 2);
                }
                const kf_f16 *far2 = corner2 + (last ? below_in_z : next_in_z);
                for (int64_t l = line * each_in_z; l < len; l += lines * each_in_z) {
                    kf_prefetch_run(far2 + l * s1_in_z, rows * 2);
                }
                const kf_f16 *far3 = p3_out0 + (last ? below_out0 : next_out0);
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(far3, line_len * 2);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

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
    int64_t s1_in_z;
    const kf_f16 *in_z;
    int64_t s0_in_z;
    int64_t each_in_z;
    const kf_f16 *in_x;
    int64_t s0_in_x;
    const kf_f16 *in_y;
    kf_f16 *out0;
    int64_t s0_out0;
    int64_t s0_in_y;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_in_y;
    int64_t below_in_y;
    int64_t next_in_z;
    int64_t below_in_z;
    int64_t next_out0;
    int64_t below_out0;
} k0_add_relu_add_args;

/* add, relu, add.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  in_x     float16[x.0, x.1], 2 bytes each
 * reads  in_y     float16[x.1], 2 bytes each
 * reads  in_z     float16[x.1, x.0], 2 bytes each
 * writes out0     float16[x.0, x.1], 2 bytes each */
void k0_add_relu_add(const k0_add_relu_add_args *a, int64_t begin, int64_t end) {
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
    const int64_t s1_in_z = a->s1_in_z;
    const kf_f16 *in_z = a->in_z;
    const int64_t s0_in_z = a->s0_in_z;
    const int64_t each_in_z = a->each_in_z;
    const kf_f16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const kf_f16 *in_y = a->in_y;
    kf_f16 *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s0_in_y = a->s0_in_y;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t next_in_y = a->next_in_y;
    const int64_t below_in_y = a->below_in_y;
    const int64_t next_in_z = a->next_in_z;
    const int64_t below_in_z = a->below_in_z;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        const kf_f16 *corner2 = in_z + (r0 * s0_in_z + first * s1_in_z);
        kf_f16 tile2[18432];
        if (prefetch && u == begin) {
            for (int64_t l = 0; l < len; l += each_in_z) {
                kf_prefetch_run(corner2 + l * s1_in_z, rows * 2);
            }
        }
        kf_transpose2(tile2, pitch, corner2, s1_in_z, len, rows);
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            const kf_f16 *row2 = tile2 + r * pitch;
            const kf_f16 *p0_in_x = in_x + (i0 * s0_in_x + first);
            float wide0_in_x[2048];
            kf_widen_f16(wide0_in_x, p0_in_x, line_len);
            const kf_f16 *p1_in_y = in_y + first;
            float wide1_in_y[2048];
            kf_widen_f16(wide1_in_y, p1_in_y, line_len);
            float wide5_in_z[2048];
            kf_widen_f16(wide5_in_z, row2, line_len);
            {
                kf_f16 *p3_out0 = out0 + (i0 * s0_out0 + first);
                if (stream) {
                    kf_stream_ahead(p3_out0, line_len * 2);
                }
                const int64_t size = stream ? 512 : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 2) : 0;
                for (int64_t piece = start; piece < line_len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, line_len);
                    float half0[2064];
                    kf_f16 buffer0[512];
                    kf_f16 *to0 = stream ? buffer0 : (p3_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v2 = wide0_in_x[l] + wide1_in_y[l];  // add
                        const float v4 = kf_max_f32(v2, 0.0f);  // relu
                        const float v6 = v4 + wide5_in_z[l];  // add
                        half0[l - l0] = v6;
                    }
                    kf_narrow_f16(to0, half0, l1 - l0);
                    if (stream) {
                        kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 2);
                    }
                }
            }
            kf_f16 *p3_out0 = out0 + (i0 * s0_out0 + first);
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p0_in_x + 8 * s0_in_x, line_len * 2);
                }
                if (along > 1) {
                    kf_prefetch_run(p1_in_y + 8 * s0_in_y, line_len * 2);
                }
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(p3_out0 + 8 * s0_out0, line_len * 2);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const kf_f16 *far0 = p0_in_x + (last ? below_in_x : next_in_x);
                if (along > 1) {
                    kf_prefetch_run(far0, line_len * 2);
                }
                const kf_f16 *far1 = p1_in_y + (last ? below_in_y : next_in_y);
                if (along > 1) {
                    kf_prefetch_run(far1, line_len * 2);
                }
                const kf_f16 *far2 = corner2 + (last ? below_in_z : next_in_z);
                for (int64_t l = line * each_in_z; l < len; l += lines * each_in_z) {
                    kf_prefetch_run(far2 + l * s1_in_z, rows * 2);
                }
                const kf_f16 *far3 = p3_out0 + (last ? below_out0 : next_out0);
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(far3, line_len * 2);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
