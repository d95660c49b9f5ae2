
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t s0_in_x;
    int64_t back_in_x;
    const float *in_x;
    int64_t s1_in_x;
    int64_t s0_in_x_1;
    int64_t back_in_x_1;
    const float *in_x_1;
    int64_t s1_in_x_1;
    float *out0;
    int64_t s0_out0;
    float *part_sum3;
} k0_multiply_sum_args;

/* multiply, sum.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_1   float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
void k0_multiply_sum(const k0_multiply_sum_args *a, int64_t begin, int64_t end) {
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t back_in_x = a->back_in_x;
    const float *in_x = a->in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const int64_t s0_in_x_1 = a->s0_in_x_1;
    const int64_t back_in_x_1 = a->back_in_x_1;
    const float *in_x_1 = a->in_x_1;
    const int64_t s1_in_x_1 = a->s1_in_x_1;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    float *part_sum3 = a->part_sum3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t row = u / chunks;
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        const int64_t i0 = row;
        float sum3 = 0.0f;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const float *p0_in_x = in_x + (i0 * s0_in_x + first * s1_in_x);
            if (back_in_x) {
                kf_prefetch_run(p0_in_x + s0_in_x - back_in_x * len, back_in_x * len * 4);
            }
            const float *p1_in_x_1 = in_x_1 + (i0 * s0_in_x_1 + first * s1_in_x_1);
            if (back_in_x_1) {
                kf_prefetch_run(p1_in_x_1 + s0_in_x_1 - back_in_x_1 * len, back_in_x_1 * len * 4);
            }
            float run0[2048];
            kf_strided4(run0, p0_in_x, s1_in_x, len);
            float run1[2048];
            kf_strided4(run1, p1_in_x_1, s1_in_x_1, len);
            float lanes_sum3[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sum3[l] = 0.0f;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(run0, group + l);
                    const float v1 = kf_load_f32(run1, group + l);
                    const float v2 = v0 * v1;  // multiply
                    lanes_sum3[l] = lanes_sum3[l] + v2;
                }
            }
            for (int64_t part = whole0; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = kf_load_f32(run0, part + l);
                    const float v1 = kf_load_f32(run1, part + l);
                    const float v2 = v0 * v1;  // multiply
                    lanes_sum3[part - whole0 + l] = lanes_sum3[part - whole0 + l] + (l < left ? v2 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sum3[l] + lanes_sum3[l + 32];
                const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
                lanes_sum3[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sum3[l] + lanes_sum3[l + 8];
                const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
                lanes_sum3[l] = low + high;
            }
            {
                const float low = lanes_sum3[0] + lanes_sum3[2];
                const float high = lanes_sum3[1] + lanes_sum3[3];
                lanes_sum3[0] = low + high;
            }
            const float block_sum3 = lanes_sum3[0];
            sum3 = sum3 + block_sum3;
        }
        if (chunks == 1) {
            const float v4 = sum3;  // sum
            kf_store_f32(out0, i0 * s0_out0, v4);
        } else {
            kf_store_f32(part_sum3, u, sum3);
        }
    }
}

typedef struct {
    int64_t chunks;
    float *part_sum3;
    float *out0;
    int64_t s0_out0;
} k0_multiply_sum_merge_args;

/* multiply, sum.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.0], 4 bytes each */
void k0_multiply_sum_merge(const k0_multiply_sum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    float *part_sum3 = a->part_sum3;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        float sum3 = 0.0f;
        float lanes_sum3[64];
        KF_SIMD
        for (int l = 0; l < 64; ++l) {
            lanes_sum3[l] = 0.0f;
        }
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const float q_sum3 = kf_load_f32(part_sum3, at);
            lanes_sum3[c % 64] = lanes_sum3[c % 64] + q_sum3;
        }
        KF_SIMD
        for (int l = 0; l < 16; ++l) {
            const float low = lanes_sum3[l] + lanes_sum3[l + 32];
            const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
            lanes_sum3[l] = low + high;
        }
        KF_SIMD
        for (int l = 0; l < 4; ++l) {
            const float low = lanes_sum3[l] + lanes_sum3[l + 8];
            const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
            lanes_sum3[l] = low + high;
        }
        {
            const float low = lanes_sum3[0] + lanes_sum3[2];
            const float high = lanes_sum3[1] + lanes_sum3[3];
            lanes_sum3[0] = low + high;
        }
        sum3 = lanes_sum3[0];
        const float v4 = sum3;  // sum
        kf_store_f32(out0, i0 * s0_out0, v4);
    }
}
