
typedef struct {
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t far;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_multiply_sum_sqrt_divide_short_args;

/* multiply, sum, sqrt, divide.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_multiply_sum_sqrt_divide_short(const k0_multiply_sum_sqrt_divide_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v4[32];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float sum2 = 0.0f;
            {
                const float *p0_in_x = in_x + i0 * s0_in_x;
                float lanes_sum2[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sum2[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v1 = v0 * v0;  // multiply
                        lanes_sum2[l] = lanes_sum2[l] + v1;
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v1 = v0 * v0;  // multiply
                        lanes_sum2[part - whole0 + l] = lanes_sum2[part - whole0 + l] + (l < left ? v1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sum2[l] + lanes_sum2[l + 32];
                    const float high = lanes_sum2[l + 16] + lanes_sum2[l + 48];
                    lanes_sum2[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sum2[l] + lanes_sum2[l + 8];
                    const float high = lanes_sum2[l + 4] + lanes_sum2[l + 12];
                    lanes_sum2[l] = low + high;
                }
                {
                    const float low = lanes_sum2[0] + lanes_sum2[2];
                    const float high = lanes_sum2[1] + lanes_sum2[3];
                    lanes_sum2[0] = low + high;
                }
                const float block_sum2 = lanes_sum2[0];
                sum2 = block_sum2;
            }
            const float v3 = sum2;  // sum
            const float v4 = kf_sqrt_f32(v3);  // sqrt
            rows_v4[r] = v4;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v4 = rows_v4[r];
            {
                if (far) {
                    const float *p0_in_x = in_x + i0 * s0_in_x;
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                    }
                }
                float *p1_out0 = out0 + i0 * s0_out0;
                if (far_out0) {
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_write(p1_out0 + s0_out0 * most_rows + l);
                    }
                }
                const float *p0_in_x = in_x + i0 * s0_in_x;
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v5 = v0 / v4;  // divide
                    kf_store_f32(p1_out0, l, v5);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t far;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_multiply_sum_sqrt_divide_args;

/* multiply, sum, sqrt, divide.
 * One row after another, all stages of a row together.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_multiply_sum_sqrt_divide(const k0_multiply_sum_sqrt_divide_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        float sum2 = 0.0f;
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            const float *p0_in_x = in_x + (i0 * s0_in_x + first);
            if (len == 2048) {
                if (far) {
                    for (int64_t l = 0; l < len; l += 16) {
                        kf_prefetch(p0_in_x + 2048 + l);
                    }
                }
            }
            float lanes_sum2[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sum2[l] = 0.0f;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, group + l);
                    const float v1 = v0 * v0;  // multiply
                    lanes_sum2[l] = lanes_sum2[l] + v1;
                }
            }
            for (int64_t part = whole0; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                    const float v1 = v0 * v0;  // multiply
                    lanes_sum2[part - whole0 + l] = lanes_sum2[part - whole0 + l] + (l < left ? v1 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sum2[l] + lanes_sum2[l + 32];
                const float high = lanes_sum2[l + 16] + lanes_sum2[l + 48];
                lanes_sum2[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sum2[l] + lanes_sum2[l + 8];
                const float high = lanes_sum2[l + 4] + lanes_sum2[l + 12];
                lanes_sum2[l] = low + high;
            }
            {
                const float low = lanes_sum2[0] + lanes_sum2[2];
                const float high = lanes_sum2[1] + lanes_sum2[3];
                lanes_sum2[0] = low + high;
            }
            const float block_sum2 = lanes_sum2[0];
            sum2 = sum2 + block_sum2;
        }
        const float v3 = sum2;  // sum
        const float v4 = kf_sqrt_f32(v3);  // sqrt
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            if (far) {
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                for (int64_t l = 0; l < len; l += 16) {
                    kf_prefetch_far(p0_in_x + s0_in_x + l);
                }
            }
            float *p1_out0 = out0 + (i0 * s0_out0 + first);
            if (far_out0 && stream == 0) {
                for (int64_t l = 0; l < len; l += 16) {
                    kf_prefetch_write(p1_out0 + s0_out0 + l);
                }
            }
            const float *p0_in_x = in_x + (i0 * s0_in_x + first);
            {
                if (stream) {
                    kf_stream_ahead(p1_out0, len * 4);
                    kf_stream_ahead(p1_out0 + s0_out0, len * 4);
                }
                const int64_t size = stream ? (len <= 1024 ? 1024 : 512) : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p1_out0) / 4) : 0;
                for (int64_t piece = start; piece < len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, len);
                    float buffer0[1072];
                    float *to0 = stream ? buffer0 : (p1_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, l);
                        const float v5 = v0 / v4;  // divide
                        kf_store_f32(to0, l - l0, v5);
                    }
                    if (stream) {
                        kf_stream_copy(p1_out0 + l0, buffer0, (l1 - l0) * 4);
                    }
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
