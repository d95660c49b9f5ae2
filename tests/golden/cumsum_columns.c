
typedef struct {
    int64_t n0;
    int64_t stream;
    const float *in_x;
    float *tmp_4;
} k0_exp_args;

/* exp.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_4    float32[x.0, x.1], 4 bytes each */
void k0_exp(const k0_exp_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const float *in_x = a->in_x;
    float *tmp_4 = a->tmp_4;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_x = in_x + first;
        {
            float *p1_tmp_4 = tmp_4 + first;
            if (stream) {
                kf_stream_ahead(p1_tmp_4, len * 4);
            }
            const int64_t size = stream ? 512 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p1_tmp_4) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[512];
                float *to0 = stream ? buffer0 : (p1_tmp_4 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v1 = kf_exp_f32(v0);  // exp
                    kf_store_f32(to0, l - l0, v1);
                }
                if (stream) {
                    kf_stream_copy(p1_tmp_4 + l0, buffer0, (l1 - l0) * 4);
                }
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
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t n2;
    int64_t tile;
    int64_t by_fours;
    const float *tmp_4;
    int64_t s0_tmp_4;
    int64_t s1_tmp_4;
    float *packed_tmp_5;
    int64_t s0_packed_tmp_5;
    float *part_sum1;
} k1_cumsum_args;

/* cumsum.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  tmp_4    float32[x.0, x.1], 4 bytes each
 * writes packed_tmp_5 float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each */
void k1_cumsum(const k1_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n2 = a->n2;
    const int64_t tile = a->tile;
    const int64_t by_fours = a->by_fours;
    const float *tmp_4 = a->tmp_4;
    const int64_t s0_tmp_4 = a->s0_tmp_4;
    const int64_t s1_tmp_4 = a->s1_tmp_4;
    float *packed_tmp_5 = a->packed_tmp_5;
    const int64_t s0_packed_tmp_5 = a->s0_packed_tmp_5;
    float *part_sum1 = a->part_sum1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t i0 = outer;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n2 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum1[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum1[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += 4) {
            const int64_t r1 = kf_min_i64(to, r0 + 4);
            if (by_fours && r1 - r0 == 4) {
                const int64_t i1 = r0;
                const float *p0_tmp_4 = tmp_4 + (i0 * s0_tmp_4 + i1 * s1_tmp_4 + first);
                const float *p0_tmp_4_1 = p0_tmp_4 + s1_tmp_4;
                const float *p0_tmp_4_2 = p0_tmp_4 + 2 * s1_tmp_4;
                const float *p0_tmp_4_3 = p0_tmp_4 + 3 * s1_tmp_4;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    float folded_sum1 = sum1[l];
                    {
                        const float v0 = kf_load_f32(p0_tmp_4, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    {
                        const float v0 = kf_load_f32(p0_tmp_4_1, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    {
                        const float v0 = kf_load_f32(p0_tmp_4_2, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    {
                        const float v0 = kf_load_f32(p0_tmp_4_3, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    sum1[l] = folded_sum1;
                }
            } else {
                for (int64_t r = r0; r < r1; ++r) {
                    const int64_t i1 = r;
                    const float *p0_tmp_4 = tmp_4 + (i0 * s0_tmp_4 + i1 * s1_tmp_4 + first);
                    KF_SIMD
                    for (int64_t l = 0; l < len; ++l) {
                        const float v0 = kf_load_f32(p0_tmp_4, l);
                        sum1[l] = sum1[l] + v0;
                    }
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i2 = first + l;
                const float v2 = sum1[l];  // sum
                kf_store_f32(packed_tmp_5, i0 * s0_packed_tmp_5 + i2, v2);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n2 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_sum1, part_at + l, sum1[l]);
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
    int64_t n2;
    int64_t tile;
    float *part_sum1;
    float *packed_tmp_5;
    int64_t s0_packed_tmp_5;
} k1_cumsum_merge_args;

/* cumsum.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes packed_tmp_5 float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each */
void k1_cumsum_merge(const k1_cumsum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n2 = a->n2;
    const int64_t tile = a->tile;
    float *part_sum1 = a->part_sum1;
    float *packed_tmp_5 = a->packed_tmp_5;
    const int64_t s0_packed_tmp_5 = a->s0_packed_tmp_5;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t i0 = outer;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n2 - first, tile);
        float sum1[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum1[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum1[16384];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sum1[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n2 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_sum1 = kf_load_f32(part_sum1, part_at + l);
                    group_sum1[l] = group_sum1[l] + q_sum1;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum1[l] = sum1[l] + group_sum1[l];
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i2 = first + l;
            const float v2 = sum1[l];  // sum
            kf_store_f32(packed_tmp_5, i0 * s0_packed_tmp_5 + i2, v2);
        }
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
    float *tmp_5;
    int64_t s0_tmp_5;
    int64_t s1_tmp_5;
    const float *packed_tmp_5;
    int64_t s0_packed_tmp_5;
    int64_t next_packed_tmp_5;
    int64_t below_packed_tmp_5;
    int64_t next_tmp_5;
    int64_t below_tmp_5;
    int64_t each_tmp_5;
} k1_cumsum_unpack1_args;

/* a copy of tmp_5.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  packed_tmp_5 float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each
 * writes tmp_5    float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each */
void k1_cumsum_unpack1(const k1_cumsum_unpack1_args *a, int64_t begin, int64_t end) {
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
    float *tmp_5 = a->tmp_5;
    const int64_t s0_tmp_5 = a->s0_tmp_5;
    const int64_t s1_tmp_5 = a->s1_tmp_5;
    const float *packed_tmp_5 = a->packed_tmp_5;
    const int64_t s0_packed_tmp_5 = a->s0_packed_tmp_5;
    const int64_t next_packed_tmp_5 = a->next_packed_tmp_5;
    const int64_t below_packed_tmp_5 = a->below_packed_tmp_5;
    const int64_t next_tmp_5 = a->next_tmp_5;
    const int64_t below_tmp_5 = a->below_tmp_5;
    const int64_t each_tmp_5 = a->each_tmp_5;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        float *corner1 = tmp_5 + (r0 * s0_tmp_5 + first * s1_tmp_5);
        float tile1[9216];
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            float *row1 = tile1 + r * pitch;
            const float *p0_packed_tmp_5 = packed_tmp_5 + (i0 * s0_packed_tmp_5 + first);
            KF_SIMD
            for (int64_t l = 0; l < line_len; ++l) {
                row1[l] = p0_packed_tmp_5[l];
            }
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p0_packed_tmp_5 + 8 * s0_packed_tmp_5, line_len * 4);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const float *far0 = p0_packed_tmp_5 + (last ? below_packed_tmp_5 : next_packed_tmp_5);
                if (along > 1) {
                    kf_prefetch_run(far0, line_len * 4);
                }
                const float *far1 = corner1 + (last ? below_tmp_5 : next_tmp_5);
                if (stream == 0) {
                    for (int64_t l = line * each_tmp_5; l < len; l += lines * each_tmp_5) {
                        kf_prefetch_write_run(far1 + l * s1_tmp_5, rows * 4);
                    }
                }
            }
        }
        if (stream) {
            kf_stream_transpose4(corner1, s1_tmp_5, tile1, pitch, rows, len);
        } else {
            kf_transpose4(corner1, s1_tmp_5, tile1, pitch, rows, len);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    const float *tmp_5;
    int64_t s0_tmp_5;
    int64_t size_index0;
    int64_t first_index0;
    double *tmp_6;
    int64_t s0_tmp_6;
} k2_cumsum_args;

/* cumsum.
 * Chunks of rows, each element from the one before it.
 * reads  tmp_5    float32[x.1, (max(x.0, 1) + 63)//64 - 1, 1], 4 bytes each
 * writes tmp_6    float64[x.1, (max(x.0, 1) + 63)//64], 8 bytes each */
void k2_cumsum(const k2_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const float *tmp_5 = a->tmp_5;
    const int64_t s0_tmp_5 = a->s0_tmp_5;
    const int64_t size_index0 = a->size_index0;
    const int64_t first_index0 = a->first_index0;
    double *tmp_6 = a->tmp_6;
    const int64_t s0_tmp_6 = a->s0_tmp_6;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        double sum5 = 0.0;
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            const float *p1_tmp_5 = tmp_5 + (i0 * s0_tmp_5 + first);
            double pick4[2048];
            const int64_t begin4 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + first)), len);
            const int64_t end4 = kf_max_i64(begin4, kf_min_i64(len, size_index0 - (first_index0 + first)));
            KF_SIMD
            for (int64_t l = begin4; l < end4; ++l) {
                const float v1 = kf_load_f32(p1_tmp_5, l);
                const double v2 = kf_cast_f32_f64(v1);  // cumsum
                pick4[l] = v2;
            }
            KF_SIMD
            for (int64_t l = 0; l < begin4; ++l) {
                pick4[l] = 0.0;
            }
            KF_SIMD
            for (int64_t l = end4; l < len; ++l) {
                pick4[l] = 0.0;
            }
            double arg4[2048];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                arg4[l] = pick4[l];
            }
            double scan5[2048];
            // cumsum
            const int64_t whole5 = len - len % 256;
            for (int64_t begin_runs = 0; begin_runs < whole5; begin_runs += 256) {
                double run0 = 0.0;
                double run1 = 0.0;
                double run2 = 0.0;
                double run3 = 0.0;
                for (int64_t l = begin_runs; l < begin_runs + 64; ++l) {
                    run0 = run0 + arg4[l];
                    scan5[l] = run0;
                    run1 = run1 + arg4[l + 64];
                    scan5[l + 64] = run1;
                    run2 = run2 + arg4[l + 128];
                    scan5[l + 128] = run2;
                    run3 = run3 + arg4[l + 192];
                    scan5[l + 192] = run3;
                }
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + l] = sum5 + scan5[begin_runs + l];
                }
                sum5 = sum5 + run0;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 64 + l] = sum5 + scan5[begin_runs + 64 + l];
                }
                sum5 = sum5 + run1;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 128 + l] = sum5 + scan5[begin_runs + 128 + l];
                }
                sum5 = sum5 + run2;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 192 + l] = sum5 + scan5[begin_runs + 192 + l];
                }
                sum5 = sum5 + run3;
            }
            for (int64_t begin_run = whole5; begin_run < len; begin_run += 64) {
                double run = 0.0;
                for (int64_t l = begin_run; l < kf_min_i64(len, begin_run + 64); ++l) {
                    run = run + arg4[l];
                    scan5[l] = sum5 + run;
                }
                sum5 = sum5 + run;
            }
            double *p2_tmp_6 = tmp_6 + (i0 * s0_tmp_6 + first);
            double buffer0[2072];
            double *to0 = stream ? buffer0 : p2_tmp_6;
            if (stream) {
                kf_stream_ahead(p2_tmp_6, len * 8);
                kf_stream_ahead(p2_tmp_6 + s0_tmp_6, len * 8);
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f64(to0, l, scan5[l]);
            }
            if (stream) {
                kf_stream_copy(p2_tmp_6, buffer0, len * 8);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t n0;
    int64_t stream;
    const float *in_y;
    float *tmp_7;
} k3_tanh_args;

/* tanh.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_y     float32[y.0, y.1], 4 bytes each
 * writes tmp_7    float32[y.0, y.1], 4 bytes each */
void k3_tanh(const k3_tanh_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const float *in_y = a->in_y;
    float *tmp_7 = a->tmp_7;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_y = in_y + first;
        {
            float *p1_tmp_7 = tmp_7 + first;
            if (stream) {
                kf_stream_ahead(p1_tmp_7, len * 4);
            }
            const int64_t size = stream ? 512 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p1_tmp_7) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[512];
                float *to0 = stream ? buffer0 : (p1_tmp_7 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v0 = kf_load_f32(p0_in_y, l);
                    const float v1 = kf_tanh_f32(v0);  // tanh
                    kf_store_f32(to0, l - l0, v1);
                }
                if (stream) {
                    kf_stream_copy(p1_tmp_7 + l0, buffer0, (l1 - l0) * 4);
                }
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
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t n2;
    int64_t tile;
    int64_t by_fours;
    const float *tmp_7;
    int64_t s0_tmp_7;
    int64_t s1_tmp_7;
    float *packed_tmp_8;
    int64_t s0_packed_tmp_8;
    float *part_sum1;
} k4_cumsum_args;

/* cumsum.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  tmp_7    float32[y.0, y.1], 4 bytes each
 * writes packed_tmp_8 float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each */
void k4_cumsum(const k4_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n2 = a->n2;
    const int64_t tile = a->tile;
    const int64_t by_fours = a->by_fours;
    const float *tmp_7 = a->tmp_7;
    const int64_t s0_tmp_7 = a->s0_tmp_7;
    const int64_t s1_tmp_7 = a->s1_tmp_7;
    float *packed_tmp_8 = a->packed_tmp_8;
    const int64_t s0_packed_tmp_8 = a->s0_packed_tmp_8;
    float *part_sum1 = a->part_sum1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t i0 = outer;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n2 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum1[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum1[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += 4) {
            const int64_t r1 = kf_min_i64(to, r0 + 4);
            if (by_fours && r1 - r0 == 4) {
                const int64_t i1 = r0;
                const float *p0_tmp_7 = tmp_7 + (i0 * s0_tmp_7 + i1 * s1_tmp_7 + first);
                const float *p0_tmp_7_1 = p0_tmp_7 + s1_tmp_7;
                const float *p0_tmp_7_2 = p0_tmp_7 + 2 * s1_tmp_7;
                const float *p0_tmp_7_3 = p0_tmp_7 + 3 * s1_tmp_7;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    float folded_sum1 = sum1[l];
                    {
                        const float v0 = kf_load_f32(p0_tmp_7, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    {
                        const float v0 = kf_load_f32(p0_tmp_7_1, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    {
                        const float v0 = kf_load_f32(p0_tmp_7_2, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    {
                        const float v0 = kf_load_f32(p0_tmp_7_3, l);
                        folded_sum1 = folded_sum1 + v0;
                    }
                    sum1[l] = folded_sum1;
                }
            } else {
                for (int64_t r = r0; r < r1; ++r) {
                    const int64_t i1 = r;
                    const float *p0_tmp_7 = tmp_7 + (i0 * s0_tmp_7 + i1 * s1_tmp_7 + first);
                    KF_SIMD
                    for (int64_t l = 0; l < len; ++l) {
                        const float v0 = kf_load_f32(p0_tmp_7, l);
                        sum1[l] = sum1[l] + v0;
                    }
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i2 = first + l;
                const float v2 = sum1[l];  // sum
                kf_store_f32(packed_tmp_8, i0 * s0_packed_tmp_8 + i2, v2);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n2 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_sum1, part_at + l, sum1[l]);
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
    int64_t n2;
    int64_t tile;
    float *part_sum1;
    float *packed_tmp_8;
    int64_t s0_packed_tmp_8;
} k4_cumsum_merge_args;

/* cumsum.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes packed_tmp_8 float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each */
void k4_cumsum_merge(const k4_cumsum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n2 = a->n2;
    const int64_t tile = a->tile;
    float *part_sum1 = a->part_sum1;
    float *packed_tmp_8 = a->packed_tmp_8;
    const int64_t s0_packed_tmp_8 = a->s0_packed_tmp_8;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t i0 = outer;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n2 - first, tile);
        float sum1[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum1[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum1[16384];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sum1[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n2 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_sum1 = kf_load_f32(part_sum1, part_at + l);
                    group_sum1[l] = group_sum1[l] + q_sum1;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum1[l] = sum1[l] + group_sum1[l];
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i2 = first + l;
            const float v2 = sum1[l];  // sum
            kf_store_f32(packed_tmp_8, i0 * s0_packed_tmp_8 + i2, v2);
        }
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
    float *tmp_8;
    int64_t s0_tmp_8;
    int64_t s1_tmp_8;
    const float *packed_tmp_8;
    int64_t s0_packed_tmp_8;
    int64_t next_packed_tmp_8;
    int64_t below_packed_tmp_8;
    int64_t next_tmp_8;
    int64_t below_tmp_8;
    int64_t each_tmp_8;
} k4_cumsum_unpack1_args;

/* a copy of tmp_8.
 * Tile by tile: what is transposed goes through tiles in L1.
 * reads  packed_tmp_8 float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each
 * writes tmp_8    float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each */
void k4_cumsum_unpack1(const k4_cumsum_unpack1_args *a, int64_t begin, int64_t end) {
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
    float *tmp_8 = a->tmp_8;
    const int64_t s0_tmp_8 = a->s0_tmp_8;
    const int64_t s1_tmp_8 = a->s1_tmp_8;
    const float *packed_tmp_8 = a->packed_tmp_8;
    const int64_t s0_packed_tmp_8 = a->s0_packed_tmp_8;
    const int64_t next_packed_tmp_8 = a->next_packed_tmp_8;
    const int64_t below_packed_tmp_8 = a->below_packed_tmp_8;
    const int64_t next_tmp_8 = a->next_tmp_8;
    const int64_t below_tmp_8 = a->below_tmp_8;
    const int64_t each_tmp_8 = a->each_tmp_8;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / along;
        const int64_t first = (u % along) * tile_len;
        const int64_t r0 = (rest % across) * tile_rows;
        const int64_t len = kf_min_i64(n1 - first, tile_len);
        const int64_t rows = kf_min_i64(n0 - r0, tile_rows);
        const int64_t lines = (rows + block - 1) / block;
        float *corner1 = tmp_8 + (r0 * s0_tmp_8 + first * s1_tmp_8);
        float tile1[9216];
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t r = line * block;
            const int64_t line_len = kf_min_i64(rows - r, block) * len;
            const int64_t i0 = r0 + r;
            float *row1 = tile1 + r * pitch;
            const float *p0_packed_tmp_8 = packed_tmp_8 + (i0 * s0_packed_tmp_8 + first);
            KF_SIMD
            for (int64_t l = 0; l < line_len; ++l) {
                row1[l] = p0_packed_tmp_8[l];
            }
            if ((prefetch && u == begin) && line + 8 < lines) {
                if (along > 1) {
                    kf_prefetch_run(p0_packed_tmp_8 + 8 * s0_packed_tmp_8, line_len * 4);
                }
            }
            if (prefetch && u + 1 < end) {
                const int last = first + len == n1;
                const float *far0 = p0_packed_tmp_8 + (last ? below_packed_tmp_8 : next_packed_tmp_8);
                if (along > 1) {
                    kf_prefetch_run(far0, line_len * 4);
                }
                const float *far1 = corner1 + (last ? below_tmp_8 : next_tmp_8);
                if (stream == 0) {
                    for (int64_t l = line * each_tmp_8; l < len; l += lines * each_tmp_8) {
                        kf_prefetch_write_run(far1 + l * s1_tmp_8, rows * 4);
                    }
                }
            }
        }
        if (stream) {
            kf_stream_transpose4(corner1, s1_tmp_8, tile1, pitch, rows, len);
        } else {
            kf_transpose4(corner1, s1_tmp_8, tile1, pitch, rows, len);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    const float *tmp_8;
    int64_t s0_tmp_8;
    int64_t size_index0;
    int64_t first_index0;
    double *tmp_9;
    int64_t s0_tmp_9;
} k5_cumsum_args;

/* cumsum.
 * Chunks of rows, each element from the one before it.
 * reads  tmp_8    float32[y.1, (max(y.0, 1) + 63)//64 - 1, 1], 4 bytes each
 * writes tmp_9    float64[y.1, (max(y.0, 1) + 63)//64], 8 bytes each */
void k5_cumsum(const k5_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const float *tmp_8 = a->tmp_8;
    const int64_t s0_tmp_8 = a->s0_tmp_8;
    const int64_t size_index0 = a->size_index0;
    const int64_t first_index0 = a->first_index0;
    double *tmp_9 = a->tmp_9;
    const int64_t s0_tmp_9 = a->s0_tmp_9;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        double sum5 = 0.0;
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            const float *p1_tmp_8 = tmp_8 + (i0 * s0_tmp_8 + first);
            double pick4[2048];
            const int64_t begin4 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + first)), len);
            const int64_t end4 = kf_max_i64(begin4, kf_min_i64(len, size_index0 - (first_index0 + first)));
            KF_SIMD
            for (int64_t l = begin4; l < end4; ++l) {
                const float v1 = kf_load_f32(p1_tmp_8, l);
                const double v2 = kf_cast_f32_f64(v1);  // cumsum
                pick4[l] = v2;
            }
            KF_SIMD
            for (int64_t l = 0; l < begin4; ++l) {
                pick4[l] = 0.0;
            }
            KF_SIMD
            for (int64_t l = end4; l < len; ++l) {
                pick4[l] = 0.0;
            }
            double arg4[2048];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                arg4[l] = pick4[l];
            }
            double scan5[2048];
            // cumsum
            const int64_t whole5 = len - len % 256;
            for (int64_t begin_runs = 0; begin_runs < whole5; begin_runs += 256) {
                double run0 = 0.0;
                double run1 = 0.0;
                double run2 = 0.0;
                double run3 = 0.0;
                for (int64_t l = begin_runs; l < begin_runs + 64; ++l) {
                    run0 = run0 + arg4[l];
                    scan5[l] = run0;
                    run1 = run1 + arg4[l + 64];
                    scan5[l + 64] = run1;
                    run2 = run2 + arg4[l + 128];
                    scan5[l + 128] = run2;
                    run3 = run3 + arg4[l + 192];
                    scan5[l + 192] = run3;
                }
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + l] = sum5 + scan5[begin_runs + l];
                }
                sum5 = sum5 + run0;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 64 + l] = sum5 + scan5[begin_runs + 64 + l];
                }
                sum5 = sum5 + run1;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 128 + l] = sum5 + scan5[begin_runs + 128 + l];
                }
                sum5 = sum5 + run2;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 192 + l] = sum5 + scan5[begin_runs + 192 + l];
                }
                sum5 = sum5 + run3;
            }
            for (int64_t begin_run = whole5; begin_run < len; begin_run += 64) {
                double run = 0.0;
                for (int64_t l = begin_run; l < kf_min_i64(len, begin_run + 64); ++l) {
                    run = run + arg4[l];
                    scan5[l] = sum5 + run;
                }
                sum5 = sum5 + run;
            }
            double *p2_tmp_9 = tmp_9 + (i0 * s0_tmp_9 + first);
            double buffer0[2072];
            double *to0 = stream ? buffer0 : p2_tmp_9;
            if (stream) {
                kf_stream_ahead(p2_tmp_9, len * 8);
                kf_stream_ahead(p2_tmp_9 + s0_tmp_9, len * 8);
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f64(to0, l, scan5[l]);
            }
            if (stream) {
                kf_stream_copy(p2_tmp_9, buffer0, len * 8);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t n0;
    int64_t chunks;
    int64_t d0_tmp_6;
    const double *tmp_6;
    int64_t most_rows;
    const float *tmp_4;
    int64_t s0_tmp_4;
    float *out0;
    int64_t s0_out0;
} k6_cumsum_exp_short_args;

/* cumsum, exp.
 * Short rows without gaps: what is summed of several, their sums, what is made of these.
 * reads  tmp_6    float64[x.1, (max(x.0, 1) + 63)//64], 8 bytes each
 * reads  tmp_4    float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k6_cumsum_exp_short(const k6_cumsum_exp_short_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t n0 = a->n0;
    const int64_t chunks = a->chunks;
    const int64_t d0_tmp_6 = a->d0_tmp_6;
    const double *tmp_6 = a->tmp_6;
    const int64_t most_rows = a->most_rows;
    const float *tmp_4 = a->tmp_4;
    const int64_t s0_tmp_4 = a->s0_tmp_4;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t chunk = u % chunks;
        const int64_t from = chunk * 64;
        const int64_t to = kf_min_i64(n0, from + 64);
        double before0[128];
        KF_SIMD
        for (int64_t l = 0; l < n1; ++l) {
            before0[l] = kf_load_f64(tmp_6, l * d0_tmp_6 + chunk);
        }
        float sum3[128];
        KF_SIMD
        for (int64_t l = 0; l < n1; ++l) {
            sum3[l] = 0.0f;
        }
        float arg2[1088];
        float made1[1088];
        float made3[1088];
        for (int64_t first_row = from; first_row < to; first_row += most_rows) {
            const int64_t rows = kf_min_i64(to - first_row, most_rows);
            const int64_t all = rows * n1;  // elements of all rows
            {
                const int64_t i0 = first_row;
                const float *p1_tmp_4 = tmp_4 + i0 * s0_tmp_4;
                KF_SIMD
                for (int64_t l = 0; l < all; ++l) {
                    const float v2 = kf_load_f32(p1_tmp_4, l);
                    arg2[l] = v2;
                }
            }
            for (int64_t r = 0; r < rows; ++r) {
                const int64_t at = r * n1;
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v1 = kf_cast_f64_f32(before0[l]);  // cumsum
                    const float v3 = sum3[l] + arg2[at + l];  // cumsum
                    sum3[l] = v3;
                    made1[at + l] = v1;
                    made3[at + l] = v3;
                }
            }
            {
                const int64_t i0 = first_row;
                float *p2_out0 = out0 + i0 * s0_out0;
                float buffer0[2096];
                float *to0 = stream ? buffer0 : p2_out0;
                if (stream) {
                    kf_stream_ahead(p2_out0, all * 4);
                }
                KF_SIMD
                for (int64_t l = 0; l < all; ++l) {
                    const float v4 = made1[l] + made3[l];  // cumsum
                    const float v5 = kf_exp_f32(v4);  // exp
                    kf_store_f32(to0, l, v5);
                }
                if (stream) {
                    kf_stream_copy(p2_out0, buffer0, all * 4);
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
    int64_t n1;
    int64_t tile;
    int64_t tiles;
    int64_t n0;
    int64_t chunks;
    int64_t d0_tmp_6;
    const double *tmp_6;
    const float *tmp_4;
    int64_t s0_tmp_4;
    float *out0;
    int64_t s0_out0;
    int64_t far;
} k6_cumsum_exp_args;

/* cumsum, exp.
 * Chunks of columns, each row from the one before it.
 * reads  tmp_6    float64[x.1, (max(x.0, 1) + 63)//64], 8 bytes each
 * reads  tmp_4    float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k6_cumsum_exp(const k6_cumsum_exp_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t tiles = a->tiles;
    const int64_t n0 = a->n0;
    const int64_t chunks = a->chunks;
    const int64_t d0_tmp_6 = a->d0_tmp_6;
    const double *tmp_6 = a->tmp_6;
    const float *tmp_4 = a->tmp_4;
    const int64_t s0_tmp_4 = a->s0_tmp_4;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t far = a->far;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t chunk = u % chunks;
        const int64_t from = chunk * 64;
        const int64_t to = kf_min_i64(n0, from + 64);
        const int64_t above = u / chunks;
        const int64_t first = (above % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        double before0[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            before0[l] = kf_load_f64(tmp_6, (first + l) * d0_tmp_6 + chunk);
        }
        float sum3[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum3[l] = 0.0f;
        }
        for (int64_t r = from; r < to; ++r) {
            const int64_t i0 = r;
            const float *p1_tmp_4 = tmp_4 + (i0 * s0_tmp_4 + first);
            float *p2_out0 = out0 + (i0 * s0_out0 + first);
            float buffer0[304];
            float *to0 = stream ? buffer0 : p2_out0;
            if (stream) {
                kf_stream_ahead(p2_out0, len * 4);
            }
            if (far && tiles > 1) {
                kf_prefetch_run(p1_tmp_4 + 4 * s0_tmp_4, len * 4);
                if (stream == 0) {
                    kf_prefetch_write_run(p2_out0 + 4 * s0_out0, len * 4);
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v1 = kf_cast_f64_f32(before0[l]);  // cumsum
                const float v2 = kf_load_f32(p1_tmp_4, l);
                const float v3 = sum3[l] + v2;  // cumsum
                sum3[l] = v3;
                const float v4 = v1 + v3;  // cumsum
                const float v5 = kf_exp_f32(v4);  // exp
                kf_store_f32(to0, l, v5);
            }
            if (stream) {
                kf_stream_copy(p2_out0, buffer0, len * 4);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t tile;
    int64_t tiles;
    int64_t n0;
    int64_t chunks;
    int64_t d0_tmp_9;
    const double *tmp_9;
    const float *tmp_7;
    int64_t s0_tmp_7;
    float *out1;
    int64_t s0_out1;
    int64_t far;
} k7_cumsum_args;

/* cumsum.
 * Chunks of columns, each row from the one before it.
 * reads  tmp_9    float64[y.1, (max(y.0, 1) + 63)//64], 8 bytes each
 * reads  tmp_7    float32[y.0, y.1], 4 bytes each
 * writes out1     float32[y.0, y.1], 4 bytes each */
void k7_cumsum(const k7_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t tiles = a->tiles;
    const int64_t n0 = a->n0;
    const int64_t chunks = a->chunks;
    const int64_t d0_tmp_9 = a->d0_tmp_9;
    const double *tmp_9 = a->tmp_9;
    const float *tmp_7 = a->tmp_7;
    const int64_t s0_tmp_7 = a->s0_tmp_7;
    float *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    const int64_t far = a->far;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t chunk = u % chunks;
        const int64_t from = chunk * 64;
        const int64_t to = kf_min_i64(n0, from + 64);
        const int64_t above = u / chunks;
        const int64_t first = (above % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        double before0[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            before0[l] = kf_load_f64(tmp_9, (first + l) * d0_tmp_9 + chunk);
        }
        float sum3[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum3[l] = 0.0f;
        }
        for (int64_t r = from; r < to; ++r) {
            const int64_t i0 = r;
            const float *p1_tmp_7 = tmp_7 + (i0 * s0_tmp_7 + first);
            float *p2_out1 = out1 + (i0 * s0_out1 + first);
            float buffer0[304];
            float *to0 = stream ? buffer0 : p2_out1;
            if (stream) {
                kf_stream_ahead(p2_out1, len * 4);
            }
            if (far && tiles > 1) {
                kf_prefetch_run(p1_tmp_7 + 4 * s0_tmp_7, len * 4);
                if (stream == 0) {
                    kf_prefetch_write_run(p2_out1 + 4 * s0_out1, len * 4);
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v1 = kf_cast_f64_f32(before0[l]);  // cumsum
                const float v2 = kf_load_f32(p1_tmp_7, l);
                const float v3 = sum3[l] + v2;  // cumsum
                sum3[l] = v3;
                const float v4 = v1 + v3;  // cumsum
                kf_store_f32(to0, l, v4);
            }
            if (stream) {
                kf_stream_copy(p2_out1, buffer0, len * 4);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
