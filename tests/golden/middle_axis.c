
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
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    float *out0;
    int64_t s0_out0;
    float *part_max1;
} k0_max_args;

/* max.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1, x.2], 4 bytes each
 * writes out0     float32[x.0, x.2], 4 bytes each */
void k0_max(const k0_max_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n2 = a->n2;
    const int64_t tile = a->tile;
    const int64_t by_fours = a->by_fours;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    float *part_max1 = a->part_max1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t i0 = outer;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n2 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float max1[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max1[l] = kf_lowest_f32;
        }
        for (int64_t r0 = from; r0 < to; r0 += 4) {
            const int64_t r1 = kf_min_i64(to, r0 + 4);
            if (by_fours && r1 - r0 == 4) {
                const int64_t i1 = r0;
                const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + first);
                const float *p0_in_x_1 = p0_in_x + s1_in_x;
                const float *p0_in_x_2 = p0_in_x + 2 * s1_in_x;
                const float *p0_in_x_3 = p0_in_x + 3 * s1_in_x;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    float folded_max1 = max1[l];
                    {
                        const float v0 = kf_load_f32(p0_in_x, l);
                        folded_max1 = kf_max_f32(v0, folded_max1);
                    }
                    {
                        const float v0 = kf_load_f32(p0_in_x_1, l);
                        folded_max1 = kf_max_f32(v0, folded_max1);
                    }
                    {
                        const float v0 = kf_load_f32(p0_in_x_2, l);
                        folded_max1 = kf_max_f32(v0, folded_max1);
                    }
                    {
                        const float v0 = kf_load_f32(p0_in_x_3, l);
                        folded_max1 = kf_max_f32(v0, folded_max1);
                    }
                    max1[l] = folded_max1;
                }
            } else {
                for (int64_t r = r0; r < r1; ++r) {
                    const int64_t i1 = r;
                    const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + first);
                    KF_SIMD
                    for (int64_t l = 0; l < len; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, l);
                        max1[l] = kf_max_f32(v0, max1[l]);
                    }
                }
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i2 = first + l;
                const float v2 = max1[l];  // max
                kf_store_f32(out0, i0 * s0_out0 + i2, v2);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n2 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_max1, part_at + l, max1[l]);
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
    float *part_max1;
    float *out0;
    int64_t s0_out0;
} k0_max_merge_args;

/* max.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.0, x.2], 4 bytes each */
void k0_max_merge(const k0_max_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t n2 = a->n2;
    const int64_t tile = a->tile;
    float *part_max1 = a->part_max1;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t i0 = outer;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n2 - first, tile);
        float max1[16384];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            max1[l] = kf_lowest_f32;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_max1[16384];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_max1[l] = kf_lowest_f32;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n2 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_max1 = kf_load_f32(part_max1, part_at + l);
                    group_max1[l] = kf_max_f32(q_max1, group_max1[l]);
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                max1[l] = kf_max_f32(group_max1[l], max1[l]);
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i2 = first + l;
            const float v2 = max1[l];  // max
            kf_store_f32(out0, i0 * s0_out0 + i2, v2);
        }
    }
}
