
typedef struct {
    int64_t n1;
    int64_t size_v17;
    const kf_bf16 *in_b;
    int64_t run;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    const kf_bf16 *in_r;
    int64_t s0_in_r;
    int64_t far;
    int64_t s0_out0;
    kf_bf16 *out0;
    int64_t far_out0;
} k0_add_gelu_add_layer_norm_short_args;

/* add, gelu, add, layer_norm.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_b     bfloat16[x.1], 2 bytes each
 * reads  in_r     bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0, x.1], 2 bytes each */
void k0_add_gelu_add_layer_norm_short(const k0_add_gelu_add_layer_norm_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v17 = a->size_v17;
    float leaf2[2056];
    int64_t rows_leaf2 = 0;
    int64_t first_leaf2 = 0;
    const kf_bf16 *in_b = a->in_b;
    const int64_t run = a->run;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const kf_bf16 *in_r = a->in_r;
    const int64_t s0_in_r = a->s0_in_r;
    const int64_t far = a->far;
    const int64_t s0_out0 = a->s0_out0;
    kf_bf16 *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const float v18 = kf_cast_i64_f32(size_v17);  // layer_norm
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v14[32];
        float rows_v22[32];
        float rows_v16[32];
        float rows_mean13[32];
        float held12[1088];
        if ((rows_leaf2 < rows) || (first_leaf2 != 0)) {
            for (int64_t r = 0; r < rows; ++r) {
                const int64_t at = r * n1;
                const kf_bf16 *p1_in_b = in_b;
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v2 = kf_load_bf16(p1_in_b, l);
                    leaf2[at + l] = v2;
                }
            }
            rows_leaf2 = rows;
            first_leaf2 = 0;
        }
        const int64_t runs = run ? 1 : rows;  // rows without gaps are one
        const int64_t len = run ? (rows * n1) : n1;
        for (int64_t r = 0; r < runs; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int64_t at = r * n1;
            const kf_bf16 *p0_in_x = in_x + i0 * s0_in_x;
            const kf_bf16 *p2_in_r = in_r + i0 * s0_in_r;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v1 = kf_load_bf16(p0_in_x, l);
                const float v3 = v1 + leaf2[at + l];  // add
                const float v4 = 0.5f * v3;  // gelu
                const float v7 = v3 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                const float v8 = kf_erf_f32(v7);  // gelu
                const float v9 = 1.0f + v8;  // gelu
                const float v10 = v4 * v9;  // gelu
                const float v11 = kf_load_bf16(p2_in_r, l);
                const float v12 = v10 + v11;  // add
                held12[at + l] = v12;
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float mean13 = 0.0f;
            {
                float lanes_mean13[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean13[l] = 0.0f;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_mean13[l] = lanes_mean13[l] + held12[r * n1 + (group + l)];
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_mean13[part - whole0 + l] = lanes_mean13[part - whole0 + l] + (l < left ? held12[r * n1 + (part + l)] : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean13[l] + lanes_mean13[l + 32];
                    const float high = lanes_mean13[l + 16] + lanes_mean13[l + 48];
                    lanes_mean13[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean13[l] + lanes_mean13[l + 8];
                    const float high = lanes_mean13[l + 4] + lanes_mean13[l + 12];
                    lanes_mean13[l] = low + high;
                }
                {
                    const float low = lanes_mean13[0] + lanes_mean13[2];
                    const float high = lanes_mean13[1] + lanes_mean13[3];
                    lanes_mean13[0] = low + high;
                }
                const float block_mean13 = kf_mean_of_f32(lanes_mean13[0], kf_cast_i64_f32(n1));
                mean13 = block_mean13;
            }
            rows_mean13[r] = mean13;
        }
        for (int64_t r = 0; r < rows; ++r) {
            float mean13 = rows_mean13[r];
            float m2_13 = 0.0f;
            {
                float lanes_m2_13[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_13[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term13 = kf_square_f32(held12[r * n1 + (group + l)] - mean13);
                        lanes_m2_13[l] = lanes_m2_13[l] + term13;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term13 = kf_square_f32(held12[r * n1 + (part + l)] - mean13);
                        lanes_m2_13[part - whole1 + l] = lanes_m2_13[part - whole1 + l] + (l < left ? term13 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_13[l] + lanes_m2_13[l + 32];
                    const float high = lanes_m2_13[l + 16] + lanes_m2_13[l + 48];
                    lanes_m2_13[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_13[l] + lanes_m2_13[l + 8];
                    const float high = lanes_m2_13[l + 4] + lanes_m2_13[l + 12];
                    lanes_m2_13[l] = low + high;
                }
                {
                    const float low = lanes_m2_13[0] + lanes_m2_13[2];
                    const float high = lanes_m2_13[1] + lanes_m2_13[3];
                    lanes_m2_13[0] = low + high;
                }
                const float block_m2_13 = lanes_m2_13[0];
                m2_13 = block_m2_13;
            }
            const float v14 = n1 > 0 ? mean13 : kf_nan_f32;  // mean
            const float v16 = m2_13;  // m2
            rows_v14[r] = v14;
            rows_v16[r] = v16;
        }
        KF_SIMD
        for (int64_t r = 0; r < rows; ++r) {
            const float v19 = rows_v16[r] / v18;  // layer_norm
            const float v21 = v19 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v22 = kf_rsqrt_f32(v21);  // layer_norm
            rows_v22[r] = v22;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v14 = rows_v14[r];
            const float v22 = rows_v22[r];
            {
                if (far) {
                    const kf_bf16 *p0_in_x = in_x + i0 * s0_in_x;
                    for (int64_t l = 0; l < n1; l += 32) {
                        kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                    }
                }
                if (far) {
                    const kf_bf16 *p2_in_r = in_r + i0 * s0_in_r;
                    for (int64_t l = 0; l < n1; l += 32) {
                        kf_prefetch_far(p2_in_r + s0_in_r * most_rows + l);
                    }
                }
                kf_bf16 *p3_out0 = out0 + i0 * s0_out0;
                if (far_out0) {
                    for (int64_t l = 0; l < n1; l += 32) {
                        kf_prefetch_write(p3_out0 + s0_out0 * most_rows + l);
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v15 = held12[r * n1 + l] - v14;  // layer_norm
                    const float v23 = v15 * v22;  // layer_norm
                    kf_store_bf16(p3_out0, l, v23);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t size_v17;
    int64_t grain;
    float *row12_memory;
    int64_t grouped;
    int64_t far;
    int64_t s0_in_x;
    const kf_bf16 *in_x;
    int64_t s0_in_r;
    const kf_bf16 *in_r;
    int64_t s0_out0;
    kf_bf16 *out0;
    const kf_bf16 *in_b;
    int64_t far_out0;
} k0_add_gelu_add_layer_norm_args;

/* add, gelu, add, layer_norm.
 * One row after another, all stages of a row together.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_b     bfloat16[x.1], 2 bytes each
 * reads  in_r     bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0, x.1], 2 bytes each */
void k0_add_gelu_add_layer_norm(const k0_add_gelu_add_layer_norm_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t size_v17 = a->size_v17;
    const int64_t grain = a->grain;
    float *row12_memory = a->row12_memory;
    const int64_t grouped = a->grouped;
    const int64_t far = a->far;
    const int64_t s0_in_x = a->s0_in_x;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_r = a->s0_in_r;
    const kf_bf16 *in_r = a->in_r;
    const int64_t s0_out0 = a->s0_out0;
    kf_bf16 *out0 = a->out0;
    const kf_bf16 *in_b = a->in_b;
    const int64_t far_out0 = a->far_out0;
    const float v18 = kf_cast_i64_f32(size_v17);  // layer_norm
    const int64_t slot = grain == 0 ? (-1) : ((begin / grain) * (n1 + 64));  // of a row that doesn't fit on the stack
    float row12_stack[65536];
    float *row12 = slot < 0 ? row12_stack : (row12_memory + slot);
    const int64_t most_rows = n1 <= grouped ? 8 : 1;
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v14[8];
        float rows_v22[8];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            if (far && most_rows > 1) {
                kf_prefetch_run(in_x + (i0 * s0_in_x + s0_in_x * most_rows), n1 * 2);
                kf_prefetch_run(in_r + (i0 * s0_in_r + s0_in_r * most_rows), n1 * 2);
                if (stream == 0) {
                    kf_prefetch_write_run(out0 + i0 * s0_out0, n1 * 2);
                }
            }
            float mean13 = 0.0f;
            float m2_13 = 0.0f;
            int64_t done0 = 0;
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                float *row12_from = row12 + (r * n1 + first);
                const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + first);
                const kf_bf16 *p1_in_b = in_b + first;
                const kf_bf16 *p2_in_r = in_r + (i0 * s0_in_r + first);
                float lanes_mean13[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_mean13[l] = 0.0f;
                }
                const int64_t whole0 = len - len % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float v1 = kf_load_bf16(p0_in_x, group + l);
                        const float v2 = kf_load_bf16(p1_in_b, group + l);
                        const float v3 = v1 + v2;  // add
                        const float v4 = 0.5f * v3;  // gelu
                        const float v7 = v3 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                        const float v8 = kf_erf_f32(v7);  // gelu
                        const float v9 = 1.0f + v8;  // gelu
                        const float v10 = v4 * v9;  // gelu
                        const float v11 = kf_load_bf16(p2_in_r, group + l);
                        const float v12 = v10 + v11;  // add
                        row12_from[group + l] = v12;
                        lanes_mean13[l] = lanes_mean13[l] + v12;
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < len - whole0; ++l) {
                    const float v1 = kf_load_bf16(p0_in_x, whole0 + l);
                    const float v2 = kf_load_bf16(p1_in_b, whole0 + l);
                    const float v3 = v1 + v2;  // add
                    const float v4 = 0.5f * v3;  // gelu
                    const float v7 = v3 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                    const float v8 = kf_erf_f32(v7);  // gelu
                    const float v9 = 1.0f + v8;  // gelu
                    const float v10 = v4 * v9;  // gelu
                    const float v11 = kf_load_bf16(p2_in_r, whole0 + l);
                    const float v12 = v10 + v11;  // add
                    row12_from[whole0 + l] = v12;
                    lanes_mean13[l] = lanes_mean13[l] + v12;
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_mean13[l] + lanes_mean13[l + 32];
                    const float high = lanes_mean13[l + 16] + lanes_mean13[l + 48];
                    lanes_mean13[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_mean13[l] + lanes_mean13[l + 8];
                    const float high = lanes_mean13[l + 4] + lanes_mean13[l + 12];
                    lanes_mean13[l] = low + high;
                }
                {
                    const float low = lanes_mean13[0] + lanes_mean13[2];
                    const float high = lanes_mean13[1] + lanes_mean13[3];
                    lanes_mean13[0] = low + high;
                }
                const float block_mean13 = kf_mean_of_f32(lanes_mean13[0], kf_cast_i64_f32(len));
                float lanes_m2_13[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_m2_13[l] = 0.0f;
                }
                const int64_t whole1 = len - len % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term13 = kf_square_f32(row12_from[group + l] - block_mean13);
                        lanes_m2_13[l] = lanes_m2_13[l] + term13;
                    }
                }
                for (int64_t part = whole1; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term13 = kf_square_f32(row12_from[part + l] - block_mean13);
                        lanes_m2_13[part - whole1 + l] = lanes_m2_13[part - whole1 + l] + (l < left ? term13 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_m2_13[l] + lanes_m2_13[l + 32];
                    const float high = lanes_m2_13[l + 16] + lanes_m2_13[l + 48];
                    lanes_m2_13[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_m2_13[l] + lanes_m2_13[l + 8];
                    const float high = lanes_m2_13[l + 4] + lanes_m2_13[l + 12];
                    lanes_m2_13[l] = low + high;
                }
                {
                    const float low = lanes_m2_13[0] + lanes_m2_13[2];
                    const float high = lanes_m2_13[1] + lanes_m2_13[3];
                    lanes_m2_13[0] = low + high;
                }
                const float block_m2_13 = lanes_m2_13[0];
                if (done0 == 0) {
                    mean13 = block_mean13;
                    m2_13 = block_m2_13;
                } else {
                    {
                        const float merged_mean13 = kf_merge_mean_f32(mean13, block_mean13, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        const float merged_m2_13 = kf_merge_m2_f32(mean13, m2_13, block_mean13, block_m2_13, kf_cast_i64_f32(done0), kf_cast_i64_f32(len));
                        mean13 = merged_mean13;
                        m2_13 = merged_m2_13;
                    }
                }
                done0 = done0 + len;
            }
            const float v14 = n1 > 0 ? mean13 : kf_nan_f32;  // mean
            const float v16 = m2_13;  // m2
            const float v19 = v16 / v18;  // layer_norm
            const float v21 = v19 + 0x1.4f8b58p-17f /* 1e-05 */;  // layer_norm
            const float v22 = kf_rsqrt_f32(v21);  // layer_norm
            rows_v14[r] = v14;
            rows_v22[r] = v22;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v14 = rows_v14[r];
            const float v22 = rows_v22[r];
            for (int64_t first = 0; first < n1; first += 2048) {
                const int64_t len = kf_min_i64(n1 - first, 2048);
                float *row12_from = row12 + (r * n1 + first);
                if (most_rows == 1) {
                    if (far) {
                        const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + first);
                        for (int64_t l = 0; l < len; l += 32) {
                            kf_prefetch_far(p0_in_x + s0_in_x * most_rows + l);
                        }
                    }
                    if (far) {
                        const kf_bf16 *p2_in_r = in_r + (i0 * s0_in_r + first);
                        for (int64_t l = 0; l < len; l += 32) {
                            kf_prefetch_far(p2_in_r + s0_in_r * most_rows + l);
                        }
                    }
                    kf_bf16 *p3_out0 = out0 + (i0 * s0_out0 + first);
                    if (far_out0 && stream == 0) {
                        for (int64_t l = 0; l < len; l += 32) {
                            kf_prefetch_write(p3_out0 + s0_out0 * most_rows + l);
                        }
                    }
                }
                {
                    kf_bf16 *p3_out0 = out0 + (i0 * s0_out0 + first);
                    if (stream) {
                        kf_stream_ahead(p3_out0, len * 2);
                        kf_stream_ahead(p3_out0 + s0_out0 * most_rows, len * 2);
                    }
                    const int64_t size = stream ? (len <= 2048 ? 2048 : 512) : 2048;  // of a piece
                    const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 2) : 0;
                    for (int64_t piece = start; piece < len; piece += size) {
                        const int64_t l0 = kf_max_i64(piece, 0);
                        const int64_t l1 = kf_min_i64(piece + size, len);
                        kf_bf16 buffer0[2144];
                        kf_bf16 *to0 = stream ? buffer0 : (p3_out0 + l0);
                        KF_SIMD
                        for (int64_t l = l0; l < l1; ++l) {
                            const float v15 = row12_from[l] - v14;  // layer_norm
                            const float v23 = v15 * v22;  // layer_norm
                            kf_store_bf16(to0, l - l0, v23);
                        }
                        if (stream) {
                            kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 2);
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
