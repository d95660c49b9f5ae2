
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t prefetch;
    int64_t n1;
    int64_t tile;
    int64_t group;
    const float *in_x;
    int64_t s0_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t wrapped_in_x;
    float *tmp_2;
    float *tmp_3;
    float *part_max1;
    float *part_sumexp1;
} k0_softmax_args;

/* softmax.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_2    float32[1, x.1], 4 bytes each
 * writes tmp_3    float32[1, x.1], 4 bytes each */
void k0_softmax(const k0_softmax_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t group = a->group;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t wrapped_in_x = a->wrapped_in_x;
    float *tmp_2 = a->tmp_2;
    float *tmp_3 = a->tmp_3;
    float *part_max1 = a->part_max1;
    float *part_sumexp1 = a->part_sumexp1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float max1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max1[l] = kf_lowest_f32;
        }
        float sumexp1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sumexp1[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += group) {
            const int64_t r1 = kf_min_i64(to, r0 + group);
            float lanes_max1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_max1[l] = kf_lowest_f32;
            }
            for (int64_t r = r0; r < r1; ++r) {
                const int64_t i0 = r;
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                if (prefetch && ((r0 + group < to) || (u + 1 < end))) {
                    const int last = r0 + group >= to;
                    const float *far0 = p0_in_x + (last ? (first + len >= n1 ? wrapped_in_x : below_in_x) : next_in_x);
                    kf_prefetch_run(far0, len * 4);
                }
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    lanes_max1[l] = kf_max_f32(v0, lanes_max1[l]);
                }
            }
            float lanes_sumexp1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_sumexp1[l] = 0.0f;
            }
            for (int64_t r = r0; r < r1; ++r) {
                const int64_t i0 = r;
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float term1 = kf_exp_nonpositive_f32(v0 - lanes_max1[l]);
                    lanes_sumexp1[l] = lanes_sumexp1[l] + term1;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_sumexp1[l] = kf_isinf_f32(lanes_max1[l]) ? kf_one_f32 : lanes_sumexp1[l];
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                {
                    const float merged_max1 = kf_max_f32(max1[l], lanes_max1[l]);
                    const float merged_sumexp1 = kf_merge_sumexp_f32(max1[l], sumexp1[l], lanes_max1[l], lanes_sumexp1[l]);
                    max1[l] = merged_max1;
                    sumexp1[l] = merged_sumexp1;
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v2 = max1[l];  // max
                const float v3 = sumexp1[l];  // sumexp
                const float v4 = v2 - v2;  // softmax
                const float v5 = v3 + v4;  // softmax
                const float v6 = kf_one_f32 / v5;  // softmax
                kf_store_f32(tmp_2, i1, v2);
                kf_store_f32(tmp_3, i1, v6);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_max1, part_at + l, max1[l]);
                kf_store_f32(part_sumexp1, part_at + l, sumexp1[l]);
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
    float *part_max1;
    float *part_sumexp1;
    float *tmp_2;
    float *tmp_3;
} k0_softmax_merge_args;

/* softmax.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes tmp_2    float32[1, x.1], 4 bytes each
 * writes tmp_3    float32[1, x.1], 4 bytes each */
void k0_softmax_merge(const k0_softmax_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_max1 = a->part_max1;
    float *part_sumexp1 = a->part_sumexp1;
    float *tmp_2 = a->tmp_2;
    float *tmp_3 = a->tmp_3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float max1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max1[l] = kf_lowest_f32;
        }
        float sumexp1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sumexp1[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_max1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_max1[l] = kf_lowest_f32;
            }
            float group_sumexp1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sumexp1[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_max1 = kf_load_f32(part_max1, part_at + l);
                    const float q_sumexp1 = kf_load_f32(part_sumexp1, part_at + l);
                    {
                        const float merged_max1 = kf_max_f32(group_max1[l], q_max1);
                        const float merged_sumexp1 = kf_merge_sumexp_f32(group_max1[l], group_sumexp1[l], q_max1, q_sumexp1);
                        group_max1[l] = merged_max1;
                        group_sumexp1[l] = merged_sumexp1;
                    }
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                {
                    const float merged_max1 = kf_max_f32(max1[l], group_max1[l]);
                    const float merged_sumexp1 = kf_merge_sumexp_f32(max1[l], sumexp1[l], group_max1[l], group_sumexp1[l]);
                    max1[l] = merged_max1;
                    sumexp1[l] = merged_sumexp1;
                }
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i1 = first + l;
            const float v2 = max1[l];  // max
            const float v3 = sumexp1[l];  // sumexp
            const float v4 = v2 - v2;  // softmax
            const float v5 = v3 + v4;  // softmax
            const float v6 = kf_one_f32 / v5;  // softmax
            kf_store_f32(tmp_2, i1, v2);
            kf_store_f32(tmp_3, i1, v6);
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t stream;
    int64_t length;
    int64_t run;
    const float *tmp_2;
    const float *tmp_3;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    int64_t s0_out0;
} k1_softmax_args;

/* softmax.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  tmp_2    float32[1, x.1], 4 bytes each
 * reads  tmp_3    float32[1, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k1_softmax(const k1_softmax_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    const int64_t length = a->length;
    const int64_t run = a->run;
    const float *tmp_2 = a->tmp_2;
    const float *tmp_3 = a->tmp_3;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    float lines_tmp_2[2560];
    float lines_tmp_3[2560];
    if (run) {
        kf_repeat(lines_tmp_2, tmp_2, n1 * 4, (kf_min_i64(length, 2048) + n1) * 4);
        kf_repeat(lines_tmp_3, tmp_3, n1 * 4, (kf_min_i64(length, 2048) + n1) * 4);
    }
    const int64_t blocks = (length + 2047) / 2048;  // of a line
    for (int64_t u = begin; u < end; ++u) {
        const int64_t line = u / blocks;
        const int64_t i0 = line;
        const int64_t first = (u % blocks) * 2048;
        const int64_t len = kf_min_i64(length - first, 2048);
        const float *p1_tmp_2 = run ? (lines_tmp_2 + first % n1) : (tmp_2 + first);
        const float *p2_tmp_3 = run ? (lines_tmp_3 + first % n1) : (tmp_3 + first);
        const float *p0_in_x = in_x + (i0 * s0_in_x + first);
        {
            float *p3_out0 = out0 + (i0 * s0_out0 + first);
            if (stream) {
                kf_stream_ahead(p3_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p3_out0 + l0);
                const int64_t whole = l1 - (l1 - l0) % 8;
                KF_SIMD
                for (int64_t l = l0; l < whole; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v1 = kf_load_f32(p1_tmp_2, l);
                    const float v2 = v0 - v1;  // softmax
                    const float v3 = kf_exp_nonpositive_f32(v2);  // softmax
                    const float v4 = kf_load_f32(p2_tmp_3, l);
                    const float v5 = v3 * v4;  // softmax
                    kf_store_f32(to0, l - l0, v5);
                }
                if (whole < l1) {
                    float few0[8];
                    KF_SIMD
                    for (int64_t l = whole; l < whole + 8; ++l) {
                        const float v0 = l < l1 ? kf_load_f32(p0_in_x, l) : 0.0f;
                        const float v1 = l < l1 ? kf_load_f32(p1_tmp_2, l) : 0.0f;
                        const float v2 = v0 - v1;  // softmax
                        const float v3 = kf_exp_nonpositive_f32(v2);  // softmax
                        const float v4 = l < l1 ? kf_load_f32(p2_tmp_3, l) : 0.0f;
                        const float v5 = v3 * v4;  // softmax
                        few0[l - whole] = v5;
                    }
                    for (int64_t l = whole; l < l1; ++l) {
                        kf_store_f32(to0, l - l0, few0[l - whole]);
                    }
                }
                if (stream) {
                    kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
