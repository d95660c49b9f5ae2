
typedef struct {
    int64_t n1;
    int64_t size_v7;
    int64_t run;
    const float *in_x;
    int64_t s0_in_x;
    int64_t far;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_relu_layer_norm_short_args;

/* relu, layer_norm.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_relu_layer_norm_short(const k0_relu_layer_norm_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v7 = a->size_v7;
    const int64_t run = a->run;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v8 = kf_cast_i64_f32(size_v7);  // layer_norm
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v4[32];
        float rows_v12[32];
        float rows_v6[32];
        float rows_mean3[32];
        float held2[1088];
        const int64_t runs = run ? 1 : rows;  // rows without gaps are one
        const int64_t len = run ? (rows * n1) : n1;
        for (int64_t r = 0; r < runs; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int64_t at = r * n1;
            const float *p0_in_x = in_x + i0 * s0_in_x;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v0 = kf_load_f32(p0_in_x, l);
                const float v2 = kf_max_f32(v0, 0.0f);  // relu
                held2[at + l] = v2;
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float mean3 = 0.0f;
            {
                float lanes_mean3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean3[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_mean3[l] = lanes_mean3[l] + held2[r * n1 + (group + l)];
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_mean3[part - whole0 + l] = lanes_mean3[part - whole0 + l] + (l < left ? held2[r * n1 + (part + l)] : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean3[l] + lanes_mean3[l + 32];
                    const float high = lanes_mean3[l + 16] + lanes_mean3[l + 48];
                    lanes_mean3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean3[l] + lanes_mean3[l + 8];
                    const float high = lanes_mean3[l + 4] + lanes_mean3[l + 12];
                    lanes_mean3[l] = low + high;
                }
                {
                    const float low = lanes_mean3[0] + lanes_mean3[2];
                    const float high = lanes_mean3[1] + lanes_mean3[3];
                    lanes_mean3[0] = low + high;
                }
                const float block_mean3 = kf_mean_of_f32(lanes_mean3[0], kf_cast_i64_f32(n1));
                mean3 = block_mean3;
            }
            rows_mean3[r] = mean3;
        }
        for (int64_t r = 0; r < rows; ++r) {
            float mean3 = rows_mean3[r];
            float m2_3 = 0.0f;
            {
                float lanes_m2_3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_3[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term3 = kf_square_f32(held2[r * n1 + (group + l)] - mean3);
                        lanes_m2_3[l] = lanes_m2_3[l] + term3;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term3 = kf_square_f32(held2[r * n1 + (part + l)] - mean3);
                        lanes_m2_3[part - whole1 + l] = lanes_m2_3[part - whole1 + l] + (l < left ? term3 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_3[l] + lanes_m2_3[l + 32];
                    const float high = lanes_m2_3[l + 16] + lanes_m2_3[l + 48];
                    lanes_m2_3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_3[l] + lanes_m2_3[l + 8];
                    const float high = lanes_m2_3[l + 4] + lanes_m2_3[l + 12];
                    lanes_m2_3[l] = low + high;
                }
                {
                    const float low = lanes_m2_3[0] + lanes_m2_3[2];
                    const float high = lanes_m2_3[1] + lanes_m2_3[3];
                    lanes_m2_3[0] = low + high;
                }
                const float block_m2_3 = lanes_m2_3[0];
                m2_3 = block_m2_3;
            }
            const float v4 = n1 > 0 ? mean3 : kf_nan_f32;  // mean
            const float v6 = m2_3;  // m2
            rows_v4[r] = v4;
            rows_v6[r] = v6;
        }
        KF_SIMD
        for (int64_t r = 0; r < rows; ++r) {
            const float v9 = rows_v6[r] / v8;  // layer_norm
            const float v11 = v9 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v12 = kf_rsqrt_f32(v11);  // layer_norm
            rows_v12[r] = v12;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v4 = rows_v4[r];
            const float v12 = rows_v12[r];
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
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v5 = held2[r * n1 + l] - v4;  // layer_norm
                    const float v13 = v5 * v12;  // layer_norm
                    kf_store_f32(p1_out0, l, v13);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t size_v7;
    int64_t grouped;
    int64_t far;
    int64_t s0_in_x;
    const float *in_x;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_relu_layer_norm_args;

/* relu, layer_norm.
 * One row after another, all stages of a row together.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_relu_layer_norm(const k0_relu_layer_norm_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t size_v7 = a->size_v7;
    const int64_t grouped = a->grouped;
    const int64_t far = a->far;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_x = a->in_x;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v8 = kf_cast_i64_f32(size_v7);  // layer_norm
    const int64_t most_rows = n1 <= grouped ? 8 : 1;
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v4[8];
        float rows_v12[8];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            if (far && most_rows > 1) {
                kf_prefetch_run(in_x + (i0 * s0_in_x + s0_in_x * most_rows), n1 * 4);
                if (stream == 0) {
                    kf_prefetch_write_run(out0 + i0 * s0_out0, n1 * 4);
                }
            }
            float mean3 = 0.0f;
            float m2_3 = 0.0f;
            int64_t done0 = 0;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                float lanes_mean3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean3[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        lanes_mean3[l] = lanes_mean3[l] + v2;
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        lanes_mean3[part - whole0 + l] = lanes_mean3[part - whole0 + l] + (l < left ? v2 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean3[l] + lanes_mean3[l + 32];
                    const float high = lanes_mean3[l + 16] + lanes_mean3[l + 48];
                    lanes_mean3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean3[l] + lanes_mean3[l + 8];
                    const float high = lanes_mean3[l + 4] + lanes_mean3[l + 12];
                    lanes_mean3[l] = low + high;
                }
                {
                    const float low = lanes_mean3[0] + lanes_mean3[2];
                    const float high = lanes_mean3[1] + lanes_mean3[3];
                    lanes_mean3[0] = low + high;
                }
                const float block_mean3 = kf_mean_of_f32(lanes_mean3[0], kf_cast_i64_f32(len));
                if (len == 2048) {
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p0_in_x + 2048 + l);
                        }
                    }
                }
                float lanes_m2_3[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_3[l] = 0.0f;
                }
                const int64_t whole1 = len - len % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v0 = kf_load_f32(p0_in_x, group + l);
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        const float term3 = kf_square_f32(v2 - block_mean3);
                        lanes_m2_3[l] = lanes_m2_3[l] + term3;
                    }
                }
                for (int64_t part = whole1; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float v2 = kf_max_f32(v0, 0.0f);  // relu
                        const float term3 = kf_square_f32(v2 - block_mean3);
                        lanes_m2_3[part - whole1 + l] = lanes_m2_3[part - whole1 + l] + (l < left ? term3 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_3[l] + lanes_m2_3[l + 32];
                    const float high = lanes_m2_3[l + 16] + lanes_m2_3[l + 48];
                    lanes_m2_3[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_3[l] + lanes_m2_3[l + 8];
                    const float high = lanes_m2_3[l + 4] + lanes_m2_3[l + 12];
                    lanes_m2_3[l] = low + high;
                }
                {
                    const float low = lanes_m2_3[0] + lanes_m2_3[2];
                    const float high = lanes_m2_3[1] + lanes_m2_3[3];
                    lanes_m2_3[0] = low + high;
                }
                const float block_m2_3 = lanes_m2_3[0];
                if (done0 == 0) {
                    mean3 = block_mean3;
                    m2_3 = block_m2_3;
                } else {
                    {
                        const float merged_mean3 = kf_merge_mean_f32(mean3, block_mean3, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        const float merged_m2_3 = kf_merge_m2_f32(mean3, m2_3, block_mean3, block_m2_3, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        mean3 = merged_mean3;
                        m2_3 = merged_m2_3;
                    }
                }
                done0 = done0 + len;
            }
            const float v4 = n1 > 0 ? mean3 : kf_nan_f32;  // mean
            const float v6 = m2_3;  // m2
            const float v9 = v6 / v8;  // layer_norm
            const float v11 = v9 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v12 = kf_rsqrt_f32(v11);  // layer_norm
            rows_v4[r] = v4;
            rows_v12[r] = v12;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v4 = rows_v4[r];
            const float v12 = rows_v12[r];
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                if (most_rows == 1) {
                    if (far) {
                        const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                        }
                    }
                    float *p1_out0 = out0 + (i0 * s0_out0 + first);
                    if (far_out0 && stream == 0) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch_write(p1_out0 + s0_out0 * most_rows + l);
                        }
                    }
                }
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                {
                    float *p1_out0 = out0 + (i0 * s0_out0 + first);
                    if (stream) {
                        kf_stream_ahead(p1_out0, len * 4);
                        kf_stream_ahead(p1_out0 + s0_out0 * most_rows, len * 4);
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
                            const float v2 = kf_max_f32(v0, 0.0f);  // relu
                            const float v5 = v2 - v4;  // layer_norm
                            const float v13 = v5 * v12;  // layer_norm
                            kf_store_f32(to0, l - l0, v13);
                        }
                        if (stream) {
                            kf_stream_copy(p1_out0 + l0, buffer0, (l1 - l0) * 4);
                        }
                    }
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
