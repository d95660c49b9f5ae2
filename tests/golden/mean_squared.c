
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t size_v6;
    const float *in_x;
    const float *in_y;
    float *out0;
    float *part_sum4;
} k0_subtract_square_mean_args;

/* subtract, square, mean.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_x     float32[x.0], 4 bytes each
 * reads  in_y     float32[x.0], 4 bytes each
 * writes out0     float32[], 4 bytes each */
void k0_subtract_square_mean(const k0_subtract_square_mean_args *a, int64_t begin, int64_t end) {
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t size_v6 = a->size_v6;
    const float *in_x = a->in_x;
    const float *in_y = a->in_y;
    float *out0 = a->out0;
    float *part_sum4 = a->part_sum4;
    const float v7 = kf_cast_i64_f32(size_v6);  // mean
    for (int64_t u = begin; u < end; ++u) {
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        float sum4 = 0.0f;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const float *p0_in_x = in_x + first;
            const float *p1_in_y = in_y + first;
            float lanes_sum4[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sum4[l] = 0.0f;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, group + l);
                    const float v1 = kf_load_f32(p1_in_y, group + l);
                    const float v2 = v0 - v1;  // subtract
                    const float v3 = v2 * v2;  // square
                    lanes_sum4[l] = lanes_sum4[l] + v3;
                }
            }
            for (int64_t part = whole0; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                    const float v1 = l < left ? kf_load_f32(p1_in_y, part + l) : 0.0f;
                    const float v2 = v0 - v1;  // subtract
                    const float v3 = v2 * v2;  // square
                    lanes_sum4[part - whole0 + l] = lanes_sum4[part - whole0 + l] + (l < left ? v3 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sum4[l] + lanes_sum4[l + 32];
                const float high = lanes_sum4[l + 16] + lanes_sum4[l + 48];
                lanes_sum4[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sum4[l] + lanes_sum4[l + 8];
                const float high = lanes_sum4[l + 4] + lanes_sum4[l + 12];
                lanes_sum4[l] = low + high;
            }
            {
                const float low = lanes_sum4[0] + lanes_sum4[2];
                const float high = lanes_sum4[1] + lanes_sum4[3];
                lanes_sum4[0] = low + high;
            }
            const float block_sum4 = lanes_sum4[0];
            sum4 = sum4 + block_sum4;
        }
        if (chunks == 1) {
            const float v5 = sum4;  // sum
            const float v8 = v5 / v7;  // mean
            kf_store_f32(out0, 0, v8);
        } else {
            kf_store_f32(part_sum4, u, sum4);
        }
    }
}

typedef struct {
    int64_t chunks;
    int64_t size_v6;
    float *part_sum4;
    float *out0;
} k0_subtract_square_mean_merge_args;

/* subtract, square, mean.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out0     float32[], 4 bytes each */
void k0_subtract_square_mean_merge(const k0_subtract_square_mean_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t size_v6 = a->size_v6;
    float *part_sum4 = a->part_sum4;
    float *out0 = a->out0;
    const float v7 = kf_cast_i64_f32(size_v6);  // mean
    for (int64_t u = begin; u < end; ++u) {
        float sum4 = 0.0f;
        float lanes_sum4[64];
        KF_SIMD
        for (int l = 0; l < 64; ++l) {
            lanes_sum4[l] = 0.0f;
        }
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const float q_sum4 = kf_load_f32(part_sum4, at);
            lanes_sum4[c % 64] = lanes_sum4[c % 64] + q_sum4;
        }
        KF_SIMD
        for (int l = 0; l < 16; ++l) {
            const float low = lanes_sum4[l] + lanes_sum4[l + 32];
            const float high = lanes_sum4[l + 16] + lanes_sum4[l + 48];
            lanes_sum4[l] = low + high;
        }
        KF_SIMD
        for (int l = 0; l < 4; ++l) {
            const float low = lanes_sum4[l] + lanes_sum4[l + 8];
            const float high = lanes_sum4[l + 4] + lanes_sum4[l + 12];
            lanes_sum4[l] = low + high;
        }
        {
            const float low = lanes_sum4[0] + lanes_sum4[2];
            const float high = lanes_sum4[1] + lanes_sum4[3];
            lanes_sum4[0] = low + high;
        }
        sum4 = lanes_sum4[0];
        const float v5 = sum4;  // sum
        const float v8 = v5 / v7;  // mean
        kf_store_f32(out0, 0, v8);
    }
}
