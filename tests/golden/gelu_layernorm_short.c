
typedef struct {
    int64_t n1;
    int64_t size_v6;
    int64_t s0_in_y;
    const float *in_y;
    const float *in_x;
    int64_t s0_in_x;
    int64_t flat;
    float *out0;
    int64_t s0_out0;
} k0_layer_norm_add_gelu_short_args;

/* layer_norm, add, gelu.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_layer_norm_add_gelu_short(const k0_layer_norm_add_gelu_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v6 = a->size_v6;
    const int64_t s0_in_y = a->s0_in_y;
    const float *in_y = a->in_y;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t flat = a->flat;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const float v7 = kf_cast_i64_f32(size_v6);  // layer_norm
    float flat12[1040];
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v3[32];
        float rows_v11[32];
        float rows_v5[32];
        float rows_mean2[32];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            if (most_rows > 1) {
                kf_prefetch_run(in_y + i0 * s0_in_y, n1 * 4);
            }
            float mean2 = 0.0f;
            {
                const float *p0_in_x = in_x + i0 * s0_in_x;
                float lanes_mean2[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean2[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v1 = kf_load_f32(p0_in_x, group + l);
                        lanes_mean2[l] = lanes_mean2[l] + v1;
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v1 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        lanes_mean2[part - whole0 + l] = lanes_mean2[part - whole0 + l] + (l < left ? v1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean2[l] + lanes_mean2[l + 32];
                    const float high = lanes_mean2[l + 16] + lanes_mean2[l + 48];
                    lanes_mean2[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean2[l] + lanes_mean2[l + 8];
                    const float high = lanes_mean2[l + 4] + lanes_mean2[l + 12];
                    lanes_mean2[l] = low + high;
                }
                {
                    const float low = lanes_mean2[0] + lanes_mean2[2];
                    const float high = lanes_mean2[1] + lanes_mean2[3];
                    lanes_mean2[0] = low + high;
                }
                const float block_mean2 = kf_mean_of_f32(lanes_mean2[0], kf_cast_i64_f32(n1));
                mean2 = block_mean2;
            }
            rows_mean2[r] = mean2;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            float mean2 = rows_mean2[r];
            float m2_2 = 0.0f;
            {
                const float *p0_in_x = in_x + i0 * s0_in_x;
                float lanes_m2_2[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_2[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v1 = kf_load_f32(p0_in_x, group + l);
                        const float term2 = kf_square_f32(v1 - mean2);
                        lanes_m2_2[l] = lanes_m2_2[l] + term2;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v1 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float term2 = kf_square_f32(v1 - mean2);
                        lanes_m2_2[part - whole1 + l] = lanes_m2_2[part - whole1 + l] + (l < left ? term2 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_2[l] + lanes_m2_2[l + 32];
                    const float high = lanes_m2_2[l + 16] + lanes_m2_2[l + 48];
                    lanes_m2_2[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_2[l] + lanes_m2_2[l + 8];
                    const float high = lanes_m2_2[l + 4] + lanes_m2_2[l + 12];
                    lanes_m2_2[l] = low + high;
                }
                {
                    const float low = lanes_m2_2[0] + lanes_m2_2[2];
                    const float high = lanes_m2_2[1] + lanes_m2_2[3];
                    lanes_m2_2[0] = low + high;
                }
                const float block_m2_2 = lanes_m2_2[0];
                m2_2 = block_m2_2;
            }
            const float v3 = n1 > 0 ? mean2 : kf_nan_f32;  // mean
            const float v5 = m2_2;  // m2
            rows_v3[r] = v3;
            rows_v5[r] = v5;
        }
        KF_SIMD
        for (int64_t r = 0; r < rows; ++r) {
            const float v8 = rows_v5[r] / v7;  // layer_norm
            const float v10 = v8 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v11 = kf_rsqrt_f32(v10);  // layer_norm
            rows_v11[r] = v11;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v3 = rows_v3[r];
            const float v11 = rows_v11[r];
            const float *p0_in_x = in_x + i0 * s0_in_x;
            KF_SIMD
            for (int64_t l = 0; l < n1; ++l) {
                const float v1 = kf_load_f32(p0_in_x, l);
                const float v4 = v1 - v3;  // layer_norm
                const float v12 = v4 * v11;  // layer_norm
                flat12[r * n1 + l] = v12;
            }
        }
        {
            const int64_t runs = flat ? 1 : rows;  // rows without gaps are one
            const int64_t len = flat ? (rows * n1) : n1;
            for (int64_t r = 0; r < runs; ++r) {
                const int64_t u = first_row + r;
                const int64_t i0 = u;
                const int64_t at = r * n1;
                const float *p1_in_y = in_y + i0 * s0_in_y;
                float *p2_out0 = out0 + i0 * s0_out0;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v13 = kf_load_f32(p1_in_y, l);
                    const float v14 = flat12[at + l] + v13;  // add
                    const float v15 = 0.5f * v14;  // gelu
                    const float v18 = v14 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                    const float v19 = kf_erf_f32(v18);  // gelu
                    const float v20 = 1.0f + v19;  // gelu
                    const float v21 = v15 * v20;  // gelu
                    kf_store_f32(p2_out0, l, v21);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t size_v6;
    int64_t grouped;
    int64_t s0_in_y;
    const float *in_y;
    const float *in_x;
    int64_t s0_in_x;
    int64_t far;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_layer_norm_add_gelu_args;

/* layer_norm, add, gelu.
 * One row after another, all stages of a row together.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_layer_norm_add_gelu(const k0_layer_norm_add_gelu_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t size_v6 = a->size_v6;
    const int64_t grouped = a->grouped;
    const int64_t s0_in_y = a->s0_in_y;
    const float *in_y = a->in_y;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v7 = kf_cast_i64_f32(size_v6);  // layer_norm
    const int64_t most_rows = n1 <= grouped ? 8 : 1;
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v3[8];
        float rows_v11[8];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            if (most_rows > 1) {
                kf_prefetch_run(in_y + i0 * s0_in_y, n1 * 4);
            }
            float mean2 = 0.0f;
            float m2_2 = 0.0f;
            int64_t done0 = 0;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                float lanes_mean2[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean2[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v1 = kf_load_f32(p0_in_x, group + l);
                        lanes_mean2[l] = lanes_mean2[l] + v1;
                    }
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v1 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        lanes_mean2[part - whole0 + l] = lanes_mean2[part - whole0 + l] + (l < left ? v1 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean2[l] + lanes_mean2[l + 32];
                    const float high = lanes_mean2[l + 16] + lanes_mean2[l + 48];
                    lanes_mean2[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean2[l] + lanes_mean2[l + 8];
                    const float high = lanes_mean2[l + 4] + lanes_mean2[l + 12];
                    lanes_mean2[l] = low + high;
                }
                {
                    const float low = lanes_mean2[0] + lanes_mean2[2];
                    const float high = lanes_mean2[1] + lanes_mean2[3];
                    lanes_mean2[0] = low + high;
                }
                const float block_mean2 = kf_mean_of_f32(lanes_mean2[0], kf_cast_i64_f32(len));
                if (len == 2048) {
                    if (far) {
                        for (int64_t l = 0; l < len; l += 16) {
                            kf_prefetch(p0_in_x + 2048 + l);
                        }
                    }
                }
                float lanes_m2_2[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_2[l] = 0.0f;
                }
                const int64_t whole1 = len - len % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v1 = kf_load_f32(p0_in_x, group + l);
                        const float term2 = kf_square_f32(v1 - block_mean2);
                        lanes_m2_2[l] = lanes_m2_2[l] + term2;
                    }
                }
                for (int64_t part = whole1; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float v1 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                        const float term2 = kf_square_f32(v1 - block_mean2);
                        lanes_m2_2[part - whole1 + l] = lanes_m2_2[part - whole1 + l] + (l < left ? term2 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_2[l] + lanes_m2_2[l + 32];
                    const float high = lanes_m2_2[l + 16] + lanes_m2_2[l + 48];
                    lanes_m2_2[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_2[l] + lanes_m2_2[l + 8];
                    const float high = lanes_m2_2[l + 4] + lanes_m2_2[l + 12];
                    lanes_m2_2[l] = low + high;
                }
                {
                    const float low = lanes_m2_2[0] + lanes_m2_2[2];
                    const float high = lanes_m2_2[1] + lanes_m2_2[3];
                    lanes_m2_2[0] = low + high;
                }
                const float block_m2_2 = lanes_m2_2[0];
                if (done0 == 0) {
                    mean2 = block_mean2;
                    m2_2 = block_m2_2;
                } else {
                    {
                        const float merged_mean2 = kf_merge_mean_f32(mean2, block_mean2, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        const float merged_m2_2 = kf_merge_m2_f32(mean2, m2_2, block_mean2, block_m2_2, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        mean2 = merged_mean2;
                        m2_2 = merged_m2_2;
                    }
                }
                done0 = done0 + len;
            }
            const float v3 = n1 > 0 ? mean2 : kf_nan_f32;  // mean
            const float v5 = m2_2;  // m2
            const float v8 = v5 / v7;  // layer_norm
            const float v10 = v8 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v11 = kf_rsqrt_f32(v10);  // layer_norm
            rows_v3[r] = v3;
            rows_v11[r] = v11;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v3 = rows_v3[r];
            const float v11 = rows_v11[r];
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                if (far) {
                    const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                    for (int64_t l = 0; l < len; l += 16) {
                        kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                    }
                }
                if (far) {
                    const float *p1_in_y = in_y + (i0 * s0_in_y + first);
                    for (int64_t l = 0; l < len; l += 16) {
                        kf_prefetch_far(p1_in_y + s0_in_y * most_rows + l);
                    }
                }
                float *p2_out0 = out0 + (i0 * s0_out0 + first);
                if (far_out0 && stream == 0) {
                    for (int64_t l = 0; l < len; l += 16) {
                        kf_prefetch_write(p2_out0 + s0_out0 * most_rows + l);
                    }
                }
                const float *p0_in_x = in_x + (i0 * s0_in_x + first);
                const float *p1_in_y = in_y + (i0 * s0_in_y + first);
                {
                    if (stream) {
                        kf_stream_ahead(p2_out0, len * 4);
                        kf_stream_ahead(p2_out0 + s0_out0 * most_rows, len * 4);
                    }
                    const int64_t size = stream ? (len <= 1024 ? 1024 : 256) : 2048;  // of a piece
                    const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
                    for (int64_t piece = start; piece < len; piece += size) {
                        const int64_t l0 = kf_max_i64(piece, 0);
                        const int64_t l1 = kf_min_i64(piece + size, len);
                        float buffer0[1072];
                        float *to0 = stream ? buffer0 : (p2_out0 + l0);
                        const int64_t whole = l1 - (l1 - l0) % 8;
                        KF_SIMD
                        for (int64_t l = l0; l < whole; ++l) {
                            const float v1 = kf_load_f32(p0_in_x, l);
                            const float v4 = v1 - v3;  // layer_norm
                            const float v12 = v4 * v11;  // layer_norm
                            const float v13 = kf_load_f32(p1_in_y, l);
                            const float v14 = v12 + v13;  // add
                            const float v15 = 0.5f * v14;  // gelu
                            const float v18 = v14 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                            const float v19 = kf_erf_f32(v18);  // gelu
                            const float v20 = 1.0f + v19;  // gelu
                            const float v21 = v15 * v20;  // gelu
                            kf_store_f32(to0, l - l0, v21);
                        }
                        if (whole < l1) {
                            float few0[8];
                            KF_SIMD
                            for (int64_t l = whole; l < whole + 8; ++l) {
                                const float v1 = l < l1 ? kf_load_f32(p0_in_x, l) : 0.0f;
                                const float v4 = v1 - v3;  // layer_norm
                                const float v12 = v4 * v11;  // layer_norm
                                const float v13 = l < l1 ? kf_load_f32(p1_in_y, l) : 0.0f;
                                const float v14 = v12 + v13;  // add
                                const float v15 = 0.5f * v14;  // gelu
                                const float v18 = v14 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                                const float v19 = kf_erf_f32(v18);  // gelu
                                const float v20 = 1.0f + v19;  // gelu
                                const float v21 = v15 * v20;  // gelu
                                few0[l - whole] = v21;
                            }
                            for (int64_t l = whole; l < l1; ++l) {
                                kf_store_f32(to0, l - l0, few0[l - whole]);
                            }
                        }
                        if (stream) {
                            kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
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
