
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t n1;
    int64_t tile;
    int64_t most_rows;
    int64_t run;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    float *part_sum2;
} k0_exp_sum_short_args;

/* exp, sum.
 * Short rows: what is reduced is made of several at once.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
void k0_exp_sum_short(const k0_exp_sum_short_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const int64_t most_rows = a->most_rows;
    const int64_t run = a->run;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    float *out0 = a->out0;
    float *part_sum2 = a->part_sum2;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum2[1280];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum2[l] = 0.0f;
        }
        float made1[2056];
        for (int64_t r0 = from; r0 < to; r0 += most_rows) {
            const int64_t r1 = kf_min_i64(to, r0 + most_rows);
            const int64_t rows = r1 - r0;
            const int64_t runs = run ? 1 : rows;  // rows without gaps are one
            const int64_t all = run ? (rows * len) : len;
            for (int64_t k = 0; k < runs; ++k) {
                const int64_t r = r0 + k;
                const int64_t i0 = r;
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                const int64_t whole_made1 = all - all % 8;
                KF_SIMD
                for (int64_t l = 0; l < whole_made1; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v1 = kf_exp_f32(v0);  // exp
                    made1[k * len + l] = v1;
                }
                if (whole_made1 < all) {
                    const int left = kf_cast_i64_i32(all - whole_made1);
                    KF_SIMD
                    for (int l = 0; l < 8; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, whole_made1 + l) : 0.0f;
                        const float v1 = kf_exp_f32(v0);  // exp
                        made1[k * len + (whole_made1 + l)] = v1;
                    }
                }
            }
            for (int64_t r = r0; r < r1; r += 4) {
                const int64_t row = r - r0;
                if (r + 4 <= r1) {
                    KF_SIMD
                    for (int64_t l = 0; l < len; ++l) {
                        float folded_sum2 = sum2[l];
                        folded_sum2 = folded_sum2 + made1[row * len + l];
                        folded_sum2 = folded_sum2 + made1[(row + 1) * len + l];
                        folded_sum2 = folded_sum2 + made1[(row + 2) * len + l];
                        folded_sum2 = folded_sum2 + made1[(row + 3) * len + l];
                        sum2[l] = folded_sum2;
                    }
                } else {
                    for (int64_t last = row; last < r1 - r0; ++last) {
                        KF_SIMD
                        for (int64_t l = 0; l < len; ++l) {
                            sum2[l] = sum2[l] + made1[last * len + l];
                        }
                    }
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v3 = sum2[l];  // sum
                kf_store_f32(out0, i1, v3);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_sum2, part_at + l, sum2[l]);
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
    int64_t prefetch;
    int64_t n1;
    int64_t tile;
    const float *in_x;
    int64_t s0_in_x;
    int64_t next_in_x;
    int64_t below_in_x;
    int64_t wrapped_in_x;
    float *out0;
    float *part_sum2;
} k0_exp_sum_args;

/* exp, sum.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
void k0_exp_sum(const k0_exp_sum_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t next_in_x = a->next_in_x;
    const int64_t below_in_x = a->below_in_x;
    const int64_t wrapped_in_x = a->wrapped_in_x;
    float *out0 = a->out0;
    float *part_sum2 = a->part_sum2;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum2[1280];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum2[l] = 0.0f;
        }
        for (int64_t r = from; r < to; ++r) {
            const int64_t i0 = r;
            const float *p0_in_x = in_x + (i0 * s0_in_x + first);
            if (prefetch && ((r + 1 < to) || (u + 1 < end))) {
                const int last = r + 1 >= to;
                const float *far0 = p0_in_x + (last ? (first + len >= n1 ? wrapped_in_x : below_in_x) : next_in_x);
                kf_prefetch_run(far0, len * 4);
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v0 = kf_load_f32(p0_in_x, l);
                const float v1 = kf_exp_f32(v0);  // exp
                sum2[l] = sum2[l] + v1;
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v3 = sum2[l];  // sum
                kf_store_f32(out0, i1, v3);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_sum2, part_at + l, sum2[l]);
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
    float *part_sum2;
    float *out0;
} k0_exp_sum_merge_args;

/* exp, sum.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
void k0_exp_sum_merge(const k0_exp_sum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_sum2 = a->part_sum2;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float sum2[1280];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum2[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum2[1280];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sum2[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_sum2 = kf_load_f32(part_sum2, part_at + l);
                    group_sum2[l] = group_sum2[l] + q_sum2;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum2[l] = sum2[l] + group_sum2[l];
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i1 = first + l;
            const float v3 = sum2[l];  // sum
            kf_store_f32(out0, i1, v3);
        }
    }
}
