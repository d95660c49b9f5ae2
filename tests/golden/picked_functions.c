
typedef struct {
    int64_t n1;
    int64_t size_index1;
    int64_t first_index1;
    int64_t most_rows;
    int64_t size_index0;
    int64_t s0_index0;
    int64_t first_index0;
    int64_t s0_random2;
    int64_t s0_in_x;
    int64_t first_random2;
    const float *in_x;
    float *out0;
    int64_t s0_out0;
} k0_exp_log1p_dropout_pad_short_args;

/* exp, log1p, dropout, pad.
 * Short lines: parts with functions, then all lines of these.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0 + 2, x.1 + 2], 4 bytes each */
void k0_exp_log1p_dropout_pad_short(const k0_exp_log1p_dropout_pad_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_index1 = a->size_index1;
    const int64_t first_index1 = a->first_index1;
    const int64_t most_rows = a->most_rows;
    const int64_t size_index0 = a->size_index0;
    const int64_t s0_index0 = a->s0_index0;
    const int64_t first_index0 = a->first_index0;
    const int64_t s0_random2 = a->s0_random2;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t first_random2 = a->first_random2;
    const float *in_x = a->in_x;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t along_begin15 = kf_min_i64(kf_max_i64(0, 0 - first_index1), n1);
    const int64_t along_end15 = kf_max_i64(along_begin15, kf_min_i64(n1, size_index1 - first_index1));
    const int64_t width14 = along_end15 - along_begin15;  // of a line
    float part14[1024];
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        {
            const int64_t i0 = first_row;
            const int64_t across_begin15 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + i0 * s0_index0)), rows);
            const int64_t across_end15 = kf_max_i64(across_begin15, kf_min_i64(rows, size_index0 - (first_index0 + i0 * s0_index0)));
            const int64_t inner = across_end15 - across_begin15;
            const int64_t runs = s0_random2 == width14 && s0_in_x == width14 ? 1 : inner;  // rows without gaps are one
            const int64_t len = s0_random2 == width14 && s0_in_x == width14 ? (inner * width14) : width14;
            for (int64_t r = across_begin15; r < across_begin15 + runs; ++r) {
                const int64_t line = first_row + r;
                const int64_t i0 = line;
                const int64_t at = r * width14;
                int32_t words5[2048];
                kf_philox_fill(3, 0, first_random2 + (i0 * s0_random2 + along_begin15), len, words5);
                const float *p3_in_x = in_x + (i0 * s0_in_x + along_begin15);
                float chain9[2048];
                const int64_t whole_v9 = len - len % 8;
                KF_SIMD
                for (int64_t l = 0; l < whole_v9; ++l) {
                    const float v8 = kf_load_f32(p3_in_x, l);
                    const float v9 = kf_exp_f32(v8);  // exp
                    chain9[l] = v9;
                }
                if (whole_v9 < len) {
                    const int left = kf_cast_i64_i32(len - whole_v9);
                    KF_SIMD
                    for (int l = 0; l < 8; ++l) {
                        const float v8 = l < left ? kf_load_f32(p3_in_x, whole_v9 + l) : 0.0f;
                        const float v9 = kf_exp_f32(v8);  // exp
                        chain9[whole_v9 + l] = v9;
                    }
                }
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const int32_t v5 = words5[l];  // random bits
                    const int v7 = kf_keep_bits(v5, 429496729);  // dropout
                    const float v10 = kf_log1p_f32(chain9[l]);  // log1p
                    const float v12 = v10 * 0x1.1c71c8p+0f /* 1.1111112 */;  // dropout
                    const float v14 = v7 ? v12 : 0.0f;  // dropout
                    part14[at + l] = v14;
                }
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t line = first_row + r;
            const int64_t i0 = line;
            const int64_t at_part14 = r * width14 - along_begin15;
            float *p4_out0 = out0 + i0 * s0_out0;
            const int64_t begin15 = kf_min_i64(kf_max_i64(0, 0 - first_index1), n1);
            const int64_t end15 = kf_max_i64(begin15, kf_min_i64(kf_inside(first_index0 + i0 * s0_index0, size_index0) ? n1 : 0, size_index1 - first_index1));
            KF_SIMD
            for (int64_t l = begin15; l < end15; ++l) {
                kf_store_f32(p4_out0, l, part14[at_part14 + l]);
            }
            KF_SIMD
            for (int64_t l = 0; l < begin15; ++l) {
                kf_store_f32(p4_out0, l, 0.0f);
            }
            KF_SIMD
            for (int64_t l = end15; l < n1; ++l) {
                kf_store_f32(p4_out0, l, 0.0f);
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t stream;
    float *out0;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
    int64_t s0_index0;
    int64_t first_index0;
    int64_t size_index1;
    int64_t first_index1;
    int64_t s0_random2;
    int64_t first_random2;
} k0_exp_log1p_dropout_pad_args;

/* exp, log1p, dropout, pad.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0 + 2, x.1 + 2], 4 bytes each */
void k0_exp_log1p_dropout_pad(const k0_exp_log1p_dropout_pad_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t size_index0 = a->size_index0;
    const int64_t s0_index0 = a->s0_index0;
    const int64_t first_index0 = a->first_index0;
    const int64_t size_index1 = a->size_index1;
    const int64_t first_index1 = a->first_index1;
    const int64_t s0_random2 = a->s0_random2;
    const int64_t first_random2 = a->first_random2;
    const int64_t blocks = (n1 + 511) / 512;  // of a line
    int64_t part = begin % blocks;
    const int64_t first_line = begin / blocks;
    int64_t i0 = first_line;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = part * 512;
        const int64_t len = kf_min_i64(n1 - first, 512);
        float *p4_out0 = out0 + (i0 * s0_out0 + first);
        const float *p3_in_x = in_x + (i0 * s0_in_x + first);
        const int64_t begin15 = kf_min_i64(kf_max_i64(0, 0 - (first_index1 + first)), len);
        const int64_t end15 = kf_max_i64(begin15, kf_min_i64(kf_inside(first_index0 + i0 * s0_index0, size_index0) ? len : 0, size_index1 - (first_index1 + first)));
        if (begin15 < end15) {
            int32_t words5[512];
            kf_philox_fill(3, 0, first_random2 + (i0 * s0_random2 + (first + begin15)), end15 - begin15, words5 + begin15);
            {
                if (stream) {
                    kf_stream_ahead(p4_out0 + begin15, (end15 - begin15) * 4);
                }
                const int64_t size = stream ? 256 : 512;  // of a piece
                const int64_t start = stream ? (begin15 - kf_stream_skew(p4_out0 + begin15) / 4) : begin15;
                for (int64_t piece = start; piece < end15; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, begin15);
                    const int64_t l1 = kf_min_i64(piece + size, end15);
                    float buffer0[256];
                    float *to0 = stream ? buffer0 : (p4_out0 + l0);
                    {
                        float chain9[512];
                        KF_SIMD
                        for (int64_t l = l0; l < l1; ++l) {
                            const float v8 = kf_load_f32(p3_in_x, l);
                            const float v9 = kf_exp_f32(v8);  // exp
                            chain9[l] = v9;
                        }
                        KF_SIMD
                        for (int64_t l = l0; l < l1; ++l) {
                            const int32_t v5 = words5[l];  // random bits
                            const int v7 = kf_keep_bits(v5, 429496729);  // dropout
                            const float v10 = kf_log1p_f32(chain9[l]);  // log1p
                            const float v12 = v10 * 0x1.1c71c8p+0f /* 1.1111112 */;  // dropout
                            const float v14 = v7 ? v12 : 0.0f;  // dropout
                            kf_store_f32(to0, l - l0, v14);
                        }
                    }
                    if (stream) {
                        kf_stream_copy(p4_out0 + l0, buffer0, (l1 - l0) * 4);
                    }
                }
            }
        }
        {
            if (stream) {
                kf_stream_ahead(p4_out0, begin15 * 4);
            }
            const int64_t size = stream ? 256 : 512;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p4_out0) / 4) : 0;
            for (int64_t piece = start; piece < begin15; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, begin15);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p4_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    kf_store_f32(to0, l - l0, 0.0f);
                }
                if (stream) {
                    kf_stream_copy(p4_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        {
            if (stream) {
                kf_stream_ahead(p4_out0 + end15, (len - end15) * 4);
            }
            const int64_t size = stream ? 256 : 512;  // of a piece
            const int64_t start = stream ? (end15 - kf_stream_skew(p4_out0 + end15) / 4) : end15;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, end15);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p4_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    kf_store_f32(to0, l - l0, 0.0f);
                }
                if (stream) {
                    kf_stream_copy(p4_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        part = part + 1;
        if (part == blocks) {
            part = 0;
            i0 = i0 + 1;
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
