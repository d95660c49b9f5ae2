
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
    int64_t s0_in_x;
    int64_t s1_in_x;
    const float *in_x;
    int64_t each_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t wrapped_in_x;
    float *out0;
    float *part_sum1;
} k0_sum_args;

/* sum.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0*x.1//4], 4 bytes each */
void k0_sum(const k0_sum_args *a, int64_t begin, int64_t end) {
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
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const float *in_x = a->in_x;
    const int64_t each_in_x = a->each_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t wrapped_in_x = a->wrapped_in_x;
    float *out0 = a->out0;
    float *part_sum1 = a->part_sum1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum1[128];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum1[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += group) {
            const int64_t r1 = kf_min_i64(to, r0 + group);
            float turned0[9216];
            const float *corner0 = in_x + (r0 * s0_in_x + first * s1_in_x);
            if (prefetch && (u == begin && r0 == from)) {
                for (int64_t l = 0; l < len; l += each_in_x) {
                    kf_prefetch_run(corner0 + l * s1_in_x, (r1 - r0) * 4);
                }
            }
            kf_transpose4(turned0, 144, corner0, s1_in_x, len, r1 - r0);
            for (int64_t r = r0; r < r1; ++r) {
                const float *row0 = turned0 + (r - r0) * 144;
                if (prefetch && ((r0 + group < to) || (u + 1 < end))) {
                    const int last = r0 + group >= to;
                    const float *far0 = corner0 + (last ? (first + len >= n1 ? wrapped_in_x : below_in_x) : next_in_x);
                    for (int64_t l = (r - r0) * each_in_x; l < len; l += (r1 - r0) * each_in_x) {
                        kf_prefetch_run(far0 + l * s1_in_x, group * 4);
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v0 = kf_load_f32(row0, l);
                    sum1[l] = sum1[l] + v0;
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v2 = sum1[l];  // sum
                kf_store_f32(out0, i1, v2);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
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
    int64_t n1;
    int64_t tile;
    float *part_sum1;
    float *out0;
} k0_sum_merge_args;

/* sum.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.0*x.1//4], 4 bytes each */
void k0_sum_merge(const k0_sum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_sum1 = a->part_sum1;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float sum1[128];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum1[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum1[128];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sum1[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
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
            const int64_t i1 = first + l;
            const float v2 = sum1[l];  // sum
            kf_store_f32(out0, i1, v2);
        }
    }
}

typedef struct {
    int64_t n0;
    int64_t stream;
    const float *in_y;
    float *out1;
} k1_gelu_args;

/* gelu.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_y     float32[y.0, y.1], 4 bytes each
 * writes out1     float32[y.0*y.1//768, 12, 64], 4 bytes each */
void k1_gelu(const k1_gelu_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const float *in_y = a->in_y;
    float *out1 = a->out1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_y = in_y + first;
        {
            float *p1_out1 = out1 + first;
            if (stream) {
                kf_stream_ahead(p1_out1, len * 4);
            }
            const int64_t size = stream ? 512 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p1_out1) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[512];
                float *to0 = stream ? buffer0 : (p1_out1 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v1 = kf_load_f32(p0_in_y, l);
                    const float v2 = 0.5f * v1;  // gelu
                    const float v5 = v1 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                    const float v6 = kf_erf_f32(v5);  // gelu
                    const float v7 = 1.0f + v6;  // gelu
                    const float v8 = v2 * v7;  // gelu
                    kf_store_f32(to0, l - l0, v8);
                }
                if (stream) {
                    kf_stream_copy(p1_out1 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
