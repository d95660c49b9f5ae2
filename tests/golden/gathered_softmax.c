
typedef struct {
    int64_t n1;
    int64_t size_v2;
    const int32_t *in_i;
    int64_t s0_in_i;
    const float *in_x;
    int64_t d0_in_x;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_take_along_axis_softmax_short_args;

/* take_along_axis, softmax.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_i     int32[x.0, i.1], 4 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, i.1], 4 bytes each */
void k0_take_along_axis_softmax_short(const k0_take_along_axis_softmax_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_v2 = a->size_v2;
    const int32_t *in_i = a->in_i;
    const int64_t s0_in_i = a->s0_in_i;
    const float *in_x = a->in_x;
    const int64_t d0_in_x = a->d0_in_x;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    float exps12[2112];
    const int64_t most_rows = n1 <= 32 ? 32 : (n1 <= 128 ? 8 : (1024 / n1));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_v13[32];
        float rows_v19[32];
        float rows_max12[32];
        float held11[1088];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const int64_t at = r * n1;
            const int32_t *p0_in_i = in_i + i0 * s0_in_i;
            KF_SIMD
            for (int64_t l = 0; l < n1; ++l) {
                const int32_t v0 = kf_load_i32(p0_in_i, l);
                const int64_t v1 = kf_cast_i32_i64(v0);  // take_along_axis
                const int64_t v4 = kf_add_i64(v1, size_v2);  // take_along_axis
                const int v5 = v1 < 0;  // take_along_axis
                const int64_t v6 = v5 ? v4 : v1;  // take_along_axis
                const int v7 = v6 < size_v2;  // take_along_axis
                const int v8 = v6 >= 0;  // take_along_axis
                const int v9 = v8 & v7;  // take_along_axis
                const int64_t v10 = v9 ? v6 : 0;  // take_along_axis
                const float v11 = v9 ? kf_load_f32(in_x, i0 * d0_in_x + v10) : 0.0f;
                held11[at + l] = v11;
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float max12 = kf_lowest_f32;
            {
                float lanes_max12[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max12[l] = kf_lowest_f32;
                }
                const int64_t whole0 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_max12[l] = kf_max_f32(held11[r * n1 + (group + l)], lanes_max12[l]);
                    }
                }
                for (int64_t part = whole0; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_max12[part - whole0 + l] = kf_max_f32(l < left ? held11[r * n1 + (part + l)] : kf_lowest_f32, lanes_max12[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max12[l + 32], lanes_max12[l]);
                    const float high = kf_max_f32(lanes_max12[l + 48], lanes_max12[l + 16]);
                    lanes_max12[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max12[l + 8], lanes_max12[l]);
                    const float high = kf_max_f32(lanes_max12[l + 12], lanes_max12[l + 4]);
                    lanes_max12[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max12[2], lanes_max12[0]);
                    const float high = kf_max_f32(lanes_max12[3], lanes_max12[1]);
                    lanes_max12[0] = kf_max_f32(high, low);
                }
                const float block_max12 = lanes_max12[0];
                max12 = kf_max_f32(block_max12, max12);
            }
            rows_max12[r] = max12;
        }
        for (int64_t r = 0; r < rows; ++r) {
            float max12 = rows_max12[r];
            float sumexp12 = 0.0f;
            {
                float *exps12_from = exps12 + r * n1;
                float lanes_sumexp12[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_sumexp12[l] = 0.0f;
                }
                const int64_t whole1 = n1 - n1 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        const float term12 = kf_exp_nonpositive_f32(held11[r * n1 + (group + l)] - max12);
                        exps12_from[group + l] = term12;
                        lanes_sumexp12[l] = lanes_sumexp12[l] + term12;
                    }
                }
                for (int64_t part = whole1; part < n1; part += 16) {
                    const int left = kf_cast_i64_i32(n1 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const float term12 = kf_exp_nonpositive_f32(held11[r * n1 + (part + l)] - max12);
                        exps12_from[part + l] = term12;
                        lanes_sumexp12[part - whole1 + l] = lanes_sumexp12[part - whole1 + l] + (l < left ? term12 : 0.0f);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = lanes_sumexp12[l] + lanes_sumexp12[l + 32];
                    const float high = lanes_sumexp12[l + 16] + lanes_sumexp12[l + 48];
                    lanes_sumexp12[l] = low + high;
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = lanes_sumexp12[l] + lanes_sumexp12[l + 8];
                    const float high = lanes_sumexp12[l + 4] + lanes_sumexp12[l + 12];
                    lanes_sumexp12[l] = low + high;
                }
                {
                    const float low = lanes_sumexp12[0] + lanes_sumexp12[2];
                    const float high = lanes_sumexp12[1] + lanes_sumexp12[3];
                    lanes_sumexp12[0] = low + high;
                }
                const float block_sumexp12 = kf_isinf_f32(max12) ? kf_one_f32 : lanes_sumexp12[0];
                sumexp12 = sumexp12 + block_sumexp12;
            }
            const float v13 = max12;  // max
            const float v16 = sumexp12;  // sumexp
            const float v17 = v13 - v13;  // softmax
            const float v18 = v16 + v17;  // softmax
            const float v19 = kf_one_f32 / v18;  // softmax
            rows_v13[r] = v13;
            rows_v19[r] = v19;
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t u = first_row + r;
            const int64_t i0 = u;
            const float v19 = rows_v19[r];
            {
                float *exps12_from = exps12 + r * n1;
                float *p2_out0 = out0 + i0 * s0_out0;
                if (far_out0) {
                    for (int64_t l = 0; l < n1; l += 16) {
                        kf_prefetch_write(p2_out0 + s0_out0 * most_rows + l);
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < n1; ++l) {
                    const float v20 = exps12_from[l] * v19;  // softmax
                    kf_store_f32(p2_out0, l, v20);
                }
            }
        }
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t size_v2;
    int64_t grain;
    float *exps12_memory;
    const int32_t *in_i;
    int64_t s0_in_i;
    const float *in_x;
    int64_t d0_in_x;
    int64_t s0_out0;
    float *out0;
    int64_t far_out0;
} k0_take_along_axis_softmax_args;

/* take_along_axis, softmax.
 * One row after another, all stages of a row together.
 * reads  in_i     int32[x.0, i.1], 4 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, i.1], 4 bytes each */
void k0_take_along_axis_softmax(const k0_take_along_axis_softmax_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t size_v2 = a->size_v2;
    const int64_t grain = a->grain;
    float *exps12_memory = a->exps12_memory;
    const int32_t *in_i = a->in_i;
    const int64_t s0_in_i = a->s0_in_i;
    const float *in_x = a->in_x;
    const int64_t d0_in_x = a->d0_in_x;
    const int64_t s0_out0 = a->s0_out0;
    float *out0 = a->out0;
    const int64_t far_out0 = a->far_out0;
    const int64_t slot = grain == 0 ? (-1) : ((begin / grain) * (n1 + 64));  // of a row that doesn't fit on the stack
    float exps12_stack[65536];
    float *exps12 = slot < 0 ? exps12_stack : (exps12_memory + slot);
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        float max12 = kf_lowest_f32;
        float sumexp12 = 0.0f;
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            float *exps12_from = exps12 + first;
            const int32_t *p0_in_i = in_i + (i0 * s0_in_i + first);
            float lanes_max12[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_max12[l] = kf_lowest_f32;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                {
                    float read11[2048];
                    for (int64_t l = group; l < group + 64; ++l) {
                        const int32_t v0 = kf_load_i32(p0_in_i, l);
                        const int64_t v1 = kf_cast_i32_i64(v0);  // take_along_axis
                        const int64_t v4 = kf_add_i64(v1, size_v2);  // take_along_axis
                        const int v5 = v1 < 0;  // take_along_axis
                        const int64_t v6 = v5 ? v4 : v1;  // take_along_axis
                        const int v7 = v6 < size_v2;  // take_along_axis
                        const int v8 = v6 >= 0;  // take_along_axis
                        const int v9 = v8 & v7;  // take_along_axis
                        const int64_t v10 = v9 ? v6 : 0;  // take_along_axis
                        const float v11 = v9 ? kf_load_f32(in_x, i0 * d0_in_x + v10) : 0.0f;
                        read11[l] = v11;
                    }
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        exps12_from[group + l] = read11[group + l];
                        lanes_max12[l] = kf_max_f32(read11[group + l], lanes_max12[l]);
                    }
                }
            }
            {
                float read11[2048];
                for (int64_t l = whole0; l < len; ++l) {
                    const int32_t v0 = kf_load_i32(p0_in_i, l);
                    const int64_t v1 = kf_cast_i32_i64(v0);  // take_along_axis
                    const int64_t v4 = kf_add_i64(v1, size_v2);  // take_along_axis
                    const int v5 = v1 < 0;  // take_along_axis
                    const int64_t v6 = v5 ? v4 : v1;  // take_along_axis
                    const int v7 = v6 < size_v2;  // take_along_axis
                    const int v8 = v6 >= 0;  // take_along_axis
                    const int v9 = v8 & v7;  // take_along_axis
                    const int64_t v10 = v9 ? v6 : 0;  // take_along_axis
                    const float v11 = v9 ? kf_load_f32(in_x, i0 * d0_in_x + v10) : 0.0f;
                    read11[l] = v11;
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        exps12_from[part + l] = read11[part + l];
                        lanes_max12[part - whole0 + l] = kf_max_f32(l < left ? read11[part + l] : kf_lowest_f32, lanes_max12[part - whole0 + l]);
                    }
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = kf_max_f32(lanes_max12[l + 32], lanes_max12[l]);
                const float high = kf_max_f32(lanes_max12[l + 48], lanes_max12[l + 16]);
                lanes_max12[l] = kf_max_f32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = kf_max_f32(lanes_max12[l + 8], lanes_max12[l]);
                const float high = kf_max_f32(lanes_max12[l + 12], lanes_max12[l + 4]);
                lanes_max12[l] = kf_max_f32(high, low);
            }
            {
                const float low = kf_max_f32(lanes_max12[2], lanes_max12[0]);
                const float high = kf_max_f32(lanes_max12[3], lanes_max12[1]);
                lanes_max12[0] = kf_max_f32(high, low);
            }
            const float block_max12 = lanes_max12[0];
            max12 = kf_max_f32(block_max12, max12);
        }
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            float *exps12_from = exps12 + first;
            float lanes_sumexp12[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sumexp12[l] = 0.0f;
            }
            const int64_t whole1 = len - len % 64;
            for (int64_t group = 0; group < whole1; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float term12 = kf_exp_nonpositive_f32(exps12_from[group + l] - max12);
                    exps12_from[group + l] = term12;
                    lanes_sumexp12[l] = lanes_sumexp12[l] + term12;
                }
            }
            for (int64_t part = whole1; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float term12 = kf_exp_nonpositive_f32(exps12_from[part + l] - max12);
                    exps12_from[part + l] = term12;
                    lanes_sumexp12[part - whole1 + l] = lanes_sumexp12[part - whole1 + l] + (l < left ? term12 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sumexp12[l] + lanes_sumexp12[l + 32];
                const float high = lanes_sumexp12[l + 16] + lanes_sumexp12[l + 48];
                lanes_sumexp12[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sumexp12[l] + lanes_sumexp12[l + 8];
                const float high = lanes_sumexp12[l + 4] + lanes_sumexp12[l + 12];
                lanes_sumexp12[l] = low + high;
            }
            {
                const float low = lanes_sumexp12[0] + lanes_sumexp12[2];
                const float high = lanes_sumexp12[1] + lanes_sumexp12[3];
                lanes_sumexp12[0] = low + high;
            }
            const float block_sumexp12 = kf_isinf_f32(max12) ? kf_one_f32 : lanes_sumexp12[0];
            sumexp12 = sumexp12 + block_sumexp12;
        }
        const float v13 = max12;  // max
        const float v16 = sumexp12;  // sumexp
        const float v17 = v13 - v13;  // softmax
        const float v18 = v16 + v17;  // softmax
        const float v19 = kf_one_f32 / v18;  // softmax
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            float *exps12_from = exps12 + first;
            float *p2_out0 = out0 + (i0 * s0_out0 + first);
            if (far_out0 && stream == 0) {
                for (int64_t l = 0; l < len; l += 16) {
                    kf_prefetch_write(p2_out0 + s0_out0 + l);
                }
            }
            {
                if (stream) {
                    kf_stream_ahead(p2_out0, len * 4);
                    kf_stream_ahead(p2_out0 + s0_out0, len * 4);
                }
                const int64_t size = stream ? (len <= 1024 ? 1024 : 256) : 2048;  // of a piece
                const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
                for (int64_t piece = start; piece < len; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, 0);
                    const int64_t l1 = kf_min_i64(piece + size, len);
                    float buffer0[1072];
                    float *to0 = stream ? buffer0 : (p2_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v20 = exps12_from[l] * v19;  // softmax
                        kf_store_f32(to0, l - l0, v20);
                    }
                    if (stream) {
                        kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                    }
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
