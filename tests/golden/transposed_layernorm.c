
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
    float *packed_in_x;
    int64_t s0_packed_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t next_in_y;
    int64_t below_in_y;
    int64_t next_packed_in_x;
    int64_t below_packed_in_x;
} k0_add_layer_norm_pack0_args;

/* add.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, x.0], 4 bytes each
 * writes packed_in_x float32[x.0, x.1], 4 bytes each */
void k0_add_layer_norm_pack0(const k0_add_layer_norm_pack0_args *a, int64_t begin, int64_t end) {
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
    float *packed_in_x = a->packed_in_x;
    const int64_t s0_packed_in_x = a->s0_packed_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t next_in_y = a->next_in_y;
    const int64_t below_in_y = a->below_in_y;
    const int64_t next_packed_in_x = a->next_packed_in_x;
    const int64_t below_packed_in_x = a->below_packed_in_x;
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
                float *p2_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + first);
                if (stream) {
                    kf_stream_ahead(p2_packed_in_x, line_len * 4);
                }
                const int64_t size = stream ? 256 : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p2_packed_in_x) / 4) : 0;
                for (int64_t piece = start; piece < line_len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, line_len);
                    float buffer0[256];
                    float *to0 = stream ? buffer0 : (p2_packed_in_x + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v0 = kf_load_f32(row0, l);
                        const float v1 = kf_load_f32(p1_in_y, l);
                        const float v2 = v0 + v1;  // add
                        kf_store_f32(to0, l - l0, v2);
                    }
                    if (stream) {
                        kf_stream_copy(p2_packed_in_x + l0, buffer0, (l1 - l0) * 4);
                    }
                }
            }
            float *p2_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + first);
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p1_in_y + 8 * s0_in_y, line_len * 4);
                }
                if (along > 1 && stream == 0) {
                    kf_prefetch_write_run(p2_packed_in_x + 8 * s0_packed_in_x, line_len * 4);
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
                const float *far2 = p2_packed_in_x + (last ? below_packed_in_x : next_packed_in_x);
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

typedef struct {
    int64_t n1;
    int64_t size_v5;
    const float *packed_in_x;
    int64_t s0_packed_in_x;
    int64_t far;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_add_layer_norm_short_args;

/* add, layer_norm.
 * Eight short rows after eight; loops over all of their elements.
 * reads  packed_in_x float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
void k0_add_layer_norm_short(const k0_add_layer_norm_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v5 = a->size_v5;
    const float *packed_in_x = a->packed_in_x;
    const int64_t s0_packed_in_x = a->s0_packed_in_x;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v6 = kf_cast_i64_f32(size_v5);  // layer_norm
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v2[32];
        float rows_v10[32];
        float rows_v4[32];
        float rows_mean1[32];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float mean1 = 0.0f;
            {
                const float *p0_packed_in_x = packed_in_x + i0 * s0_packed_in_x;
                float lanes_mean1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean1[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_packed_in_x, group + l);
                        lanes_mean1[l] = lanes_mean1[l] + v0;
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_packed_in_x, part + l) : 0.0f;
                        lanes_mean1[part - whole0 + l] = lanes_mean1[part - whole0 + l] + (l < left ? v0 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean1[l] + lanes_mean1[l + 32];
                    const float high = lanes_mean1[l + 16] + lanes_mean1[l + 48];
                    lanes_mean1[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean1[l] + lanes_mean1[l + 8];
                    const float high = lanes_mean1[l + 4] + lanes_mean1[l + 12];
                    lanes_mean1[l] = low + high;
                }
                {
                    const float low = lanes_mean1[0] + lanes_mean1[2];
                    const float high = lanes_mean1[1] + lanes_mean1[3];
                    lanes_mean1[0] = low + high;
                }
                const float block_mean1 = kf_mean_of_f32(lanes_mean1[0], kf_cast_i64_f32(n1));
                mean1 = block_mean1;
            }
            rows_mean1[r] = mean1;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float mean1 = rows_mean1[r];
            float m2_1 = 0.0f;
            {
                const float *p0_packed_in_x = packed_in_x + i0 * s0_packed_in_x;
                float lanes_m2_1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_1[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_packed_in_x, group + l);
                        const float term1 = kf_square_f32(v0 - mean1);
                        lanes_m2_1[l] = lanes_m2_1[l] + term1;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_packed_in_x, part + l) : 0.0f;
                        const float term1 = kf_square_f32(v0 - mean1);
                        lanes_m2_1[part - whole1 + l] = lanes_m2_1[part - whole1 + l] + (l < left ? term1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_1[l] + lanes_m2_1[l + 32];
                    const float high = lanes_m2_1[l + 16] + lanes_m2_1[l + 48];
                    lanes_m2_1[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_1[l] + lanes_m2_1[l + 8];
                    const float high = lanes_m2_1[l + 4] + lanes_m2_1[l + 12];
                    lanes_m2_1[l] = low + high;
                }
                {
                    const float low = lanes_m2_1[0] + lanes_m2_1[2];
                    const float high = lanes_m2_1[1] + lanes_m2_1[3];
                    lanes_m2_1[0] = low + high;
                }
                const float block_m2_1 = lanes_m2_1[0];
                m2_1 = block_m2_1;
            }
            const float v2 = n1 > 0 ? mean1 : kf_nan_f32;  // mean
            const float v4 = m2_1;  // m2
            rows_v2[r] = v2;
            rows_v4[r] = v4;
        }
        KF_SIMD
        for (int64_t r = 0; r < rows; ++r) {
            const float v7 = rows_v4[r] / v6;  // layer_norm
            const float v9 = v7 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v10 = kf_rsqrt_f32(v9);  // layer_norm
            rows_v10[r] = v10;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v2 = rows_v2[r];
            const float v10 = rows_v10[r];
            {
                if (far) {
                    const float *p0_packed_in_x = packed_in_x + i0 * s0_packed_in_x;
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_far(p0_packed_in_x + s0_packed_in_x * most_rows + l);
                    }
                }
                float *p2_out0 = out0 + i0 * s0_out0;
                if (far_out0) {
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_write(p2_out0 + s0_out0 * most_rows + l);
                    }
                }
                const float *p0_packed_in_x = packed_in_x + i0 * s0_packed_in_x;
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v0 = kf_load_f32(p0_packed_in_x, l);
                    const float v3 = v0 - v2;  // layer_norm
                    const float v11 = v3 * v10;  // layer_norm
                    kf_store_f32(p2_out0, l, v11);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t size_v5;
    int64_t grouped;
    int64_t far;
    int64_t s0_packed_in_x;
    const float *packed_in_x;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_add_layer_norm_args;

/* add, layer_norm.
 * One row after another, all stages of a row together.
 * reads  packed_in_x float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
void k0_add_layer_norm(const k0_add_layer_norm_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t size_v5 = a->size_v5;
    const int64_t grouped = a->grouped;
    const int64_t far = a->far;
    const int64_t s0_packed_in_x = a->s0_packed_in_x;
    const float *packed_in_x = a->packed_in_x;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v6 = kf_cast_i64_f32(size_v5);  // layer_norm
    const int64_t most_rows = n1 <= grouped ? 8 : 1;
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v2[8];
        float rows_v10[8];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            if (far && most_rows > 1) {
                kf_prefetch_run(packed_in_x + (i0 * s0_packed_in_x + s0_packed_in_x * most_rows), n1 * 4);
                if (stream == 0) {
                    kf_prefetch_write_run(out0 + i0 * s0_out0, n1 * 4);
                }
            }
            float mean1 = 0.0f;
            float m2_1 = 0.0f;
            int64_t done0 = 0;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                const float *p0_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + first);
                float lanes_mean1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean1[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_packed_in_x, group + l);
                        lanes_mean1[l] = lanes_mean1[l] + v0;
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_packed_in_x, part + l) : 0.0f;
                        lanes_mean1[part - whole0 + l] = lanes_mean1[part - whole0 + l] + (l < left ? v0 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean1[l] + lanes_mean1[l + 32];
                    const float high = lanes_mean1[l + 16] + lanes_mean1[l + 48];
                    lanes_mean1[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean1[l] + lanes_mean1[l + 8];
                    const float high = lanes_mean1[l + 4] + lanes_mean1[l + 12];
                    lanes_mean1[l] = low + high;
                }
                {
                    const float low = lanes_mean1[0] + lanes_mean1[2];
                    const float high = lanes_mean1[1] + lanes_mean1[3];
                    lanes_mean1[0] = low + high;
                }
                const float block_mean1 = kf_mean_of_f32(lanes_mean1[0], kf_cast_i64_f32(len));
                if (len == 2048) {
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p0_packed_in_x + 2048 + l);
                        }
                    }
                }
                float lanes_m2_1[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_1[l] = 0.0f;
                }
                const int64_t whole1 = len - len % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_packed_in_x, group + l);
                        const float term1 = kf_square_f32(v0 - block_mean1);
                        lanes_m2_1[l] = lanes_m2_1[l] + term1;
                    }
                }
                for (int64_t part = whole1; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_packed_in_x, part + l) : 0.0f;
                        const float term1 = kf_square_f32(v0 - block_mean1);
                        lanes_m2_1[part - whole1 + l] = lanes_m2_1[part - whole1 + l] + (l < left ? term1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_1[l] + lanes_m2_1[l + 32];
                    const float high = lanes_m2_1[l + 16] + lanes_m2_1[l + 48];
                    lanes_m2_1[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_1[l] + lanes_m2_1[l + 8];
                    const float high = lanes_m2_1[l + 4] + lanes_m2_1[l + 12];
                    lanes_m2_1[l] = low + high;
                }
                {
                    const float low = lanes_m2_1[0] + lanes_m2_1[2];
                    const float high = lanes_m2_1[1] + lanes_m2_1[3];
                    lanes_m2_1[0] = low + high;
                }
                const float block_m2_1 = lanes_m2_1[0];
                if (done0 == 0) {
                    mean1 = block_mean1;
                    m2_1 = block_m2_1;
                } else {
                    {
                        const float merged_mean1 = kf_merge_mean_f32(mean1, block_mean1, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        const float merged_m2_1 = kf_merge_m2_f32(mean1, m2_1, block_mean1, block_m2_1, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        mean1 = merged_mean1;
                        m2_1 = merged_m2_1;
                    }
                }
                done0 = done0 + len;
            }
            const float v2 = n1 > 0 ? mean1 : kf_nan_f32;  // mean
            const float v4 = m2_1;  // m2
            const float v7 = v4 / v6;  // layer_norm
            const float v9 = v7 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v10 = kf_rsqrt_f32(v9);  // layer_norm
            rows_v2[r] = v2;
            rows_v10[r] = v10;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v2 = rows_v2[r];
            const float v10 = rows_v10[r];
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                if (most_rows == 1) {
                    if (far) {
                        const float *p0_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + first);
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_far(p0_packed_in_x + s0_packed_in_x * most_rows + l);
                        }
                    }
                    float *p2_out0 = out0 + (i0 * s0_out0 + first);
                    if (far_out0 && stream == 0) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_write(p2_out0 + s0_out0 * most_rows + l);
                        }
                    }
                }
                const float *p0_packed_in_x = packed_in_x + (i0 * s0_packed_in_x + first);
                {
                    float *p2_out0 = out0 + (i0 * s0_out0 + first);
                    if (stream) {
                        kf_stream_ahead(p2_out0, len * 4);
                        kf_stream_ahead(p2_out0 + s0_out0 * most_rows, len * 4);
                    }
                    const int64_t size = stream ? (len <= 1024 ? 1024 : 256) : 2048;  // of a piece
                    const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
                    for (int64_t piece = start; piece < len; piece += size) {
                        const int64_t l0 = kf_max_i64(piece, 0);
                        const int64_t l1 = kf_min_i64(piece + size, len);
                        float buffer0[1072];
                        float *to0 = stream ? buffer0 : (p2_out0 + l0);
                        KF_SIMD
                        for (int64_t l = l0; l < l1; ++l) {
                            const float v0 = kf_load_f32(p0_packed_in_x, l);
                            const float v3 = v0 - v2;  // layer_norm
                            const float v11 = v3 * v10;  // layer_norm
                            kf_store_f32(to0, l - l0, v11);
                        }
                        if (stream) {
                            kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                        }
                    }
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
