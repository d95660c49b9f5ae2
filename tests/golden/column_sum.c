
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t n1;
    int64_t tile;
    int64_t by_fours;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    float *part_sum3;
} k0_relu_sum_args;

/* relu, sum.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
void k0_relu_sum(const k0_relu_sum_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t by_fours = a->by_fours;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    float *out0 = a->out0;
    float *part_sum3 = a->part_sum3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum3[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum3[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += 4) {
            const int64_t r1 = kf_min_i64(to, r0 + 4);
            if (by_fours && r1 - r0 == 4) {
                const int64_t i0 = r0;
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                const float *p0_in_x_1 = p0_in_x + s0_in_x;
                const float *p0_in_x_2 = p0_in_x + 2 * s0_in_x;
                const float *p0_in_x_3 = p0_in_x + 3 * s0_in_x;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    float folded_sum3 = sum3[l];
                    {
                        const float v0 = kf_load_f32(p0_in_x, l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        folded_sum3 = folded_sum3 + v2;
                    }
                    {
                        const float v0 = kf_load_f32(p0_in_x_1, l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        folded_sum3 = folded_sum3 + v2;
                    }
                    {
                        const float v0 = kf_load_f32(p0_in_x_2, l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        folded_sum3 = folded_sum3 + v2;
                    }
                    {
                        const float v0 = kf_load_f32(p0_in_x_3, l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        folded_sum3 = folded_sum3 + v2;
                    }
                    sum3[l] = folded_sum3;
                }
            } else {
                for (int64_t r = r0; r < r1; ++r) {
                    const int64_t i0 = r;
                    const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                    KF_SIMD
                    for (int64_t l = 0; l < len; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        sum3[l] = sum3[l] + v2;
                    }
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v4 = sum3[l];  // sum
                kf_store_f32(out0, i1, v4);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_sum3, part_at + l, sum3[l]);
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
    float *part_sum3;
    float *out0;
} k0_relu_sum_merge_args;

/* relu, sum.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
void k0_relu_sum_merge(const k0_relu_sum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_sum3 = a->part_sum3;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float sum3[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum3[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum3[16384];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sum3[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_sum3 = kf_load_f32(part_sum3, part_at + l);
                    group_sum3[l] = group_sum3[l] + q_sum3;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum3[l] = sum3[l] + group_sum3[l];
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i1 = first + l;
            const float v4 = sum3[l];  // sum
            kf_store_f32(out0, i1, v4);
        }
    }
}
