
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
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
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    float *out0 = a->out0;
    float *part_sum2 = a->part_sum2;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t chunk = u % chunks;
        const int64_t rest = u / chunks;
        const int64_t outer = rest / tiles;
        const int64_t first = (rest % tiles) * 4096;
        const int64_t len = kf_min_i64(n1 - first, 4096);
        const int64_t from = chunk * 128;
        const int64_t to = kf_min_i64(reduced, from + 128);
        float sum2[4096];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum2[l] = 0.0f;
        }
        for (int64_t r = from; r < to; ++r) {
            const int64_t i0 = r;
            const float *p0_in_x = in_x + (i0 * s0_in_x + first);
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
    float *part_sum2 = a->part_sum2;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * 4096;
        const int64_t len = kf_min_i64(n1 - first, 4096);
        float sum2[4096];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum2[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float lanes_sum2[4096];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                lanes_sum2[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_sum2 = kf_load_f32(part_sum2, part_at + l);
                    lanes_sum2[l] = lanes_sum2[l] + q_sum2;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum2[l] = sum2[l] + lanes_sum2[l];
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
