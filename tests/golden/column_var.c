
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t prefetch;
    int64_t size_v3;
    int64_t n1;
    int64_t tile;
    int64_t group;
    const float *in_x;
    int64_t s0_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t wrapped_in_x;
    float *out0;
    float *part_mean1;
    float *part_m2_1;
} k0_var_args;

/* var.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
void k0_var(const k0_var_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t size_v3 = a->size_v3;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t group = a->group;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t wrapped_in_x = a->wrapped_in_x;
    float *out0 = a->out0;
    float *part_mean1 = a->part_mean1;
    float *part_m2_1 = a->part_m2_1;
    const int64_t v5 = kf_max_i64(size_v3, 0);  // var
    const float v6 = kf_cast_i64_f32(v5);  // var
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float mean1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            mean1[l] = 0.0f;
        }
        float m2_1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            m2_1[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += group) {
            const int64_t r1 = kf_min_i64(to, r0 + group);
            float lanes_mean1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_mean1[l] = 0.0f;
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
                    lanes_mean1[l] = lanes_mean1[l] + v0;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_mean1[l] = kf_mean_of_f32(lanes_mean1[l], kf_cast_i64_f32(r1 - r0));
            }
            float lanes_m2_1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_m2_1[l] = 0.0f;
            }
            for (int64_t r = r0; r < r1; ++r) {
                const int64_t i0 = r;
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float term1 = kf_square_f32(v0 - lanes_mean1[l]);
                    lanes_m2_1[l] = lanes_m2_1[l] + term1;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                {
                    const float merged_mean1 = kf_merge_mean_f32(mean1[l], lanes_mean1[l], kf_cast_i64_f32(r0 - from), kf_cast_i64_f32(r1 - r0));
                    const float merged_m2_1 = kf_merge_m2_f32(mean1[l], m2_1[l], lanes_mean1[l], lanes_m2_1[l], kf_cast_i64_f32(r0 - from), kf_cast_i64_f32(r1 - r0));
                    mean1[l] = merged_mean1;
                    m2_1[l] = merged_m2_1;
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v2 = m2_1[l];  // m2
                const float v7 = v2 / v6;  // var
                kf_store_f32(out0, i1, v7);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_mean1, part_at + l, mean1[l]);
                kf_store_f32(part_m2_1, part_at + l, m2_1[l]);
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
    int64_t chunk_rows;
    int64_t reduced;
    int64_t size_v3;
    int64_t n1;
    int64_t tile;
    float *part_mean1;
    float *part_m2_1;
    float *out0;
} k0_var_merge_args;

/* var.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
void k0_var_merge(const k0_var_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t size_v3 = a->size_v3;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_mean1 = a->part_mean1;
    float *part_m2_1 = a->part_m2_1;
    float *out0 = a->out0;
    const int64_t v5 = kf_max_i64(size_v3, 0);  // var
    const float v6 = kf_cast_i64_f32(v5);  // var
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float mean1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            mean1[l] = 0.0f;
        }
        float m2_1[256];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            m2_1[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_mean1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_mean1[l] = 0.0f;
            }
            float group_m2_1[256];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_m2_1[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            const int64_t r0 = c0 * chunk_rows;
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t before = chunk * chunk_rows;
                const int64_t count = kf_min_i64(reduced - before, chunk_rows);
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_mean1 = kf_load_f32(part_mean1, part_at + l);
                    const float q_m2_1 = kf_load_f32(part_m2_1, part_at + l);
                    {
                        const float merged_mean1 = kf_merge_mean_f32(group_mean1[l], q_mean1, kf_cast_i64_f32(before - r0), kf_cast_i64_f32(count));
                        const float merged_m2_1 = kf_merge_m2_f32(group_mean1[l], group_m2_1[l], q_mean1, q_m2_1, kf_cast_i64_f32(before - r0), kf_cast_i64_f32(count));
                        group_mean1[l] = merged_mean1;
                        group_m2_1[l] = merged_m2_1;
                    }
                }
            }
            const int64_t n = kf_min_i64(reduced - r0, chunk_rows * 32);
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                {
                    const float merged_mean1 = kf_merge_mean_f32(mean1[l], group_mean1[l], kf_cast_i64_f32(r0), kf_cast_i64_f32(n));
                    const float merged_m2_1 = kf_merge_m2_f32(mean1[l], m2_1[l], group_mean1[l], group_m2_1[l], kf_cast_i64_f32(r0), kf_cast_i64_f32(n));
                    mean1[l] = merged_mean1;
                    m2_1[l] = merged_m2_1;
                }
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i1 = first + l;
            const float v2 = m2_1[l];  // m2
            const float v7 = v2 / v6;  // var
            kf_store_f32(out0, i1, v7);
        }
    }
}
