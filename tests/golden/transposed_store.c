
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
    int64_t s0_out0;
    int64_t s1_out0;
    kf_bf16 *out0;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t wrapped_in_x;
    int64_t next_out0;
    int64_t below_out0;
    int64_t wrapped_out0;
    int64_t each_out0;
    kf_bf16 *out1;
    float *part_sum3;
} k0_relu_sum_args;

/* relu, sum.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.1, x.0], 2 bytes each
 * writes out1     bfloat16[x.1], 2 bytes each */
void k0_relu_sum(const k0_relu_sum_args *a, int64_t begin, int64_t end) {
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
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    kf_bf16 *out0 = a->out0;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t wrapped_in_x = a->wrapped_in_x;
    const int64_t next_out0 = a->next_out0;
    const int64_t below_out0 = a->below_out0;
    const int64_t wrapped_out0 = a->wrapped_out0;
    const int64_t each_out0 = a->each_out0;
    kf_bf16 *out1 = a->out1;
    float *part_sum3 = a->part_sum3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum3[128];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum3[l] = 0.0f;
        }
        for (int64_t r0 = from; r0 < to; r0 += group) {
            const int64_t r1 = kf_min_i64(to, r0 + group);
            kf_bf16 turned1[9216];
            kf_bf16 *corner1 = out0 + (r0 * s0_out0 + first * s1_out0);
            for (int64_t r = r0; r < r1; ++r) {
                const int64_t i0 = r;
                kf_bf16 *row1 = turned1 + (r - r0) * 144;
                const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + first);
                if (prefetch && ((r0 + group < to) || (u + 1 < end))) {
                    const int last = r0 + group >= to;
                    const kf_bf16 *far0 = p0_in_x + (last ? (first + len >= n1 ? wrapped_in_x : below_in_x) : next_in_x);
                    kf_prefetch_run(far0, len * 2);
                    const kf_bf16 *far1 = corner1 + (last ? (first + len >= n1 ? wrapped_out0 : below_out0) : next_out0);
                    if (stream == 0) {
                        for (int64_t l = (r - r0) * each_out0; l < len; l += (r1 - r0) * each_out0) {
                            kf_prefetch_write_run(far1 + l * s1_out0, group * 2);
                        }
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v0 = kf_load_bf16(p0_in_x, l);
                    const float v2 = kf_max_f32(v0, 0.0f);  // relu
                    kf_store_bf16(row1, l, v2);
                    sum3[l] = sum3[l] + v0;
                }
            }
            if (stream) {
                kf_stream_transpose2(corner1, s1_out0, turned1, 144, r1 - r0, len);
            } else {
                kf_transpose2(corner1, s1_out0, turned1, 144, r1 - r0, len);
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v4 = sum3[l];  // sum
                kf_store_bf16(out1, i1, v4);
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
    kf_bf16 *out1;
} k0_relu_sum_merge_args;

/* relu, sum.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out1     bfloat16[x.1], 2 bytes each */
void k0_relu_sum_merge(const k0_relu_sum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_sum3 = a->part_sum3;
    kf_bf16 *out1 = a->out1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float sum3[128];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum3[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum3[128];
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
            kf_store_bf16(out1, i1, v4);
        }
    }
}
