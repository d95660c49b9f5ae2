
typedef struct {
    int64_t stream;
    int64_t prefetch;
    int64_t n2;
    int64_t n1;
    int64_t tile_len;
    int64_t tile_rows;
    int64_t along;
    int64_t across;
    int64_t pitch;
    int64_t block;
    int64_t s2_in_x;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    int64_t each_in_x;
    int64_t s0_random0;
    int64_t s1_random0;
    int64_t first_random0;
    const float *in_y;
    int64_t s0_in_y;
    int64_t s1_in_y;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_in_y;
    int64_t below_in_y;
    int64_t next_out0;
    int64_t below_out0;
} k0_add_dropout_args;

/* add, dropout.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  in_x     bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_y     float32[x.0, x.3, x.1, x.2], 4 bytes each
 * writes out0     float32[x.0, x.3, x.1, x.2], 4 bytes each */
void k0_add_dropout(const k0_add_dropout_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t n2 = a->n2;
    const int64_t n1 = a->n1;
    const int64_t tile_len = a->tile_len;
    const int64_t tile_rows = a->tile_rows;
    const int64_t along = a->along;
    const int64_t across = a->across;
    const int64_t pitch = a->pitch;
    const int64_t block = a->block;
    const int64_t s2_in_x = a->s2_in_x;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const int64_t each_in_x = a->each_in_x;
    const int64_t s0_random0 = a->s0_random0;
    const int64_t s1_random0 = a->s1_random0;
    const int64_t first_random0 = a->first_random0;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    const int64_t s1_in_y = a->s1_in_y;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
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
        const int64_t len = kf_min_i64(n2 - first, tile_len);
        const int64_t rows = kf_min_i64(n1 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        const int64_t outer = rest / across;
        const int64_t i0 = outer;
        const kf_bf16 *corner1 = in_x + (i0 * s0_in_x + r0 * s1_in_x + first * s2_in_x);
        kf_bf16 tile1[18432];
        if (prefetch && u == begin) {
            for (int64_t l = 0; l < len; l += each_in_x) {
                kf_prefetch_run(corner1 + l * s2_in_x, rows * 2);
            }
        }
        kf_transpose2(tile1, pitch, corner1, s2_in_x, len, rows);
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i1 = r0 + r;
            const kf_bf16 *row1 = tile1 + r * pitch;
            int32_t words2[2048];
            kf_philox_fill(3, 0, first_random0 + (i0 * s0_random0 + i1 * s1_random0 + first), line_len, words2);
            const float *p2_in_y = in_y + (i0 * s0_in_y + i1 * s1_in_y + first);
            {
                float *p3_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + first);
                if (stream) {
                    kf_stream_ahead(p3_out0, line_len * 4);
                }
                const int64_t size = stream ? 256 : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 4) : 0;
                for (int64_t piece = start; piece < line_len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, line_len);
                    float buffer0[256];
                    float *to0 = stream ? buffer0 : (p3_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const int32_t v2 = words2[l];  // random bits
                        const int v4 = kf_keep_bits(v2, 429496729);  // dropout
                        const float v5 = kf_load_bf16(row1, l);
                        const float v6 = kf_load_f32(p2_in_y, l);
                        const float v7 = v5 + v6;  // add
                        const float v9 = v7 * 0x1.1c71c8p+0f /* 1.1111112 */;  // dropout
                        const float v11 = v4 ? v9 : 0.0f;  // dropout
                        kf_store_f32(to0, l - l0, v11);
                    }
                    if (stream) {
                        kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 4);
                    }
                }
            }
            float *p3_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + first);
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p2_in_y + 8 * s1_in_y, line_len * 4);
                }
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(p3_out0 + 8 * s1_out0, line_len * 4);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n2;
                const kf_bf16 *far1 = corner1 + (last ? below_in_x : next_in_x);
                for (int64_t l = line * each_in_x; l < len; l += lines * each_in_x) {
                    kf_prefetch_run(far1 + l * s2_in_x, rows * 2);
                }
                const float *far2 = p2_in_y + (last ? below_in_y : next_in_y);
                if (along > 1) {
                    kf_prefetch_run(far2, line_len * 4);
                }
                const float *far3 = p3_out0 + (last ? below_out0 : next_out0);
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(far3, line_len * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
