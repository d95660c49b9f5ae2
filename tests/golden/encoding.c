
typedef struct {
    int64_t n1;
    int64_t size_index2;
    int64_t first_index2;
    int64_t size_index5;
    int64_t first_index5;
    int64_t most_rows;
    const float *in_f;
    int64_t s0_in_x_3;
    const float *in_x_3;
    const float *in_f_7;
    int64_t s0_in_x_6;
    const float *in_x_6;
    float *out0;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
} k0_multiply_sin_cos_concatenate_short_args;

/* multiply, sin, cos, concatenate.
 * Short lines: parts with functions, then all lines of these.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_3   float32[x.0, x.1], 4 bytes each
 * reads  in_f     float32[x.1], 4 bytes each
 * reads  in_x_6   float32[x.0, x.1], 4 bytes each
 * reads  in_f_7   float32[x.1], 4 bytes each
 * writes out0     float32[x.0, x.1*3], 4 bytes each */
void k0_multiply_sin_cos_concatenate_short(const k0_multiply_sin_cos_concatenate_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t size_index2 = a->size_index2;
    const int64_t first_index2 = a->first_index2;
    const int64_t size_index5 = a->size_index5;
    const int64_t first_index5 = a->first_index5;
    const int64_t most_rows = a->most_rows;
    float leaf6_4[2056];
    int64_t rows_leaf6_4 = 0;
    int64_t first_leaf6_4 = 0;
    const float *in_f = a->in_f;
    const int64_t s0_in_x_3 = a->s0_in_x_3;
    const float *in_x_3 = a->in_x_3;
    float leaf11_9[2056];
    int64_t rows_leaf11_9 = 0;
    int64_t first_leaf11_9 = 0;
    const float *in_f_7 = a->in_f_7;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const float *in_x_6 = a->in_x_6;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t size_index0 = a->size_index0;
    const int64_t along_begin13 = kf_min_i64(kf_max_i64(0, 0 - first_index2), n1);
    const int64_t along_end13 = kf_max_i64(along_begin13, kf_min_i64(n1, size_index2 - first_index2));
    const int64_t width6 = along_end13 - along_begin13;  // of a line
    float part6[1024];
    const int64_t along_begin12 = kf_min_i64(kf_max_i64(0, 0 - first_index5), n1);
    const int64_t along_end12 = kf_max_i64(along_begin12, kf_min_i64(n1, size_index5 - first_index5));
    const int64_t width11 = along_end12 - along_begin12;  // of a line
    float part11[1024];
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        {
            if ((rows_leaf6_4 < rows) || (first_leaf6_4 != along_begin13)) {
                for (int64_t r = 0; r < rows; ++r) {
                    const int64_t at = r * width6;
                    const float *p4_in_f = in_f + along_begin13;
                    KF_SIMD
                    for (int64_t l = 0; l < width6; ++l) {
                        const float v4 = kf_load_f32(p4_in_f, l);
                        leaf6_4[at + l] = v4;
                    }
                }
                rows_leaf6_4 = rows;
                first_leaf6_4 = along_begin13;
            }
            const int64_t runs = s0_in_x_3 == width6 ? 1 : rows;  // rows without gaps are one
            const int64_t len = s0_in_x_3 == width6 ? (rows * width6) : width6;
            for (int64_t r = 0; r < runs; ++r) {
                const int64_t line = first_row + r;
                const int64_t i0 = line;
                const int64_t at = r * width6;
                const float *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + along_begin13);
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v3 = kf_load_f32(p3_in_x_3, l);
                    const float v5 = v3 * leaf6_4[at + l];  // multiply
                    const float v6 = kf_sin_f32(v5);  // sin
                    part6[at + l] = v6;
                }
            }
        }
        {
            if ((rows_leaf11_9 < rows) || (first_leaf11_9 != along_begin12)) {
                for (int64_t r = 0; r < rows; ++r) {
                    const int64_t at = r * width11;
                    const float *p7_in_f_7 = in_f_7 + along_begin12;
                    KF_SIMD
                    for (int64_t l = 0; l < width11; ++l) {
                        const float v9 = kf_load_f32(p7_in_f_7, l);
                        leaf11_9[at + l] = v9;
                    }
                }
                rows_leaf11_9 = rows;
                first_leaf11_9 = along_begin12;
            }
            const int64_t runs = s0_in_x_6 == width11 ? 1 : rows;  // rows without gaps are one
            const int64_t len = s0_in_x_6 == width11 ? (rows * width11) : width11;
            for (int64_t r = 0; r < runs; ++r) {
                const int64_t line = first_row + r;
                const int64_t i0 = line;
                const int64_t at = r * width11;
                const float *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + along_begin12);
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v8 = kf_load_f32(p6_in_x_6, l);
                    const float v10 = v8 * leaf11_9[at + l];  // multiply
                    const float v11 = kf_cos_f32(v10);  // cos
                    part11[at + l] = v11;
                }
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t line = first_row + r;
            const int64_t i0 = line;
            const int64_t at_part6 = r * width6 - along_begin13;
            const int64_t at_part11 = r * width11 - along_begin12;
            float *p8_out0 = out0 + i0 * s0_out0;
            const float *p1_in_x = in_x + i0 * s0_in_x;
            const int64_t end14 = kf_max_i64(0, kf_min_i64(n1, size_index0));
            KF_SIMD
            for (int64_t l = 0; l < end14; ++l) {
                const float v1 = kf_load_f32(p1_in_x, l);
                kf_store_f32(p8_out0, l, v1);
            }
            const int64_t begin13 = kf_min_i64(kf_max_i64(0, 0 - first_index2), n1);
            const int64_t end13 = kf_max_i64(begin13, kf_min_i64(n1, size_index2 - first_index2));
            KF_SIMD
            for (int64_t l = begin13; l < end13; ++l) {
                kf_store_f32(p8_out0, l, part6[at_part6 + l]);
            }
            const int64_t begin12 = kf_min_i64(kf_max_i64(0, 0 - first_index5), n1);
            const int64_t end12 = kf_max_i64(begin12, kf_min_i64(n1, size_index5 - first_index5));
            KF_SIMD
            for (int64_t l = begin12; l < end12; ++l) {
                kf_store_f32(p8_out0, l, part11[at_part11 + l]);
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
    const float *in_x_3;
    int64_t s0_in_x_3;
    const float *in_f;
    const float *in_x_6;
    int64_t s0_in_x_6;
    const float *in_f_7;
    int64_t size_index0;
    int64_t size_index2;
    int64_t first_index2;
    int64_t size_index5;
    int64_t first_index5;
} k0_multiply_sin_cos_concatenate_args;

/* multiply, sin, cos, concatenate.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_3   float32[x.0, x.1], 4 bytes each
 * reads  in_f     float32[x.1], 4 bytes each
 * reads  in_x_6   float32[x.0, x.1], 4 bytes each
 * reads  in_f_7   float32[x.1], 4 bytes each
 * writes out0     float32[x.0, x.1*3], 4 bytes each */
void k0_multiply_sin_cos_concatenate(const k0_multiply_sin_cos_concatenate_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_x_3 = a->in_x_3;
    const int64_t s0_in_x_3 = a->s0_in_x_3;
    const float *in_f = a->in_f;
    const float *in_x_6 = a->in_x_6;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const float *in_f_7 = a->in_f_7;
    const int64_t size_index0 = a->size_index0;
    const int64_t size_index2 = a->size_index2;
    const int64_t first_index2 = a->first_index2;
    const int64_t size_index5 = a->size_index5;
    const int64_t first_index5 = a->first_index5;
    const int64_t blocks = (n1 + 2047) / 2048;  // of a line
    int64_t part = begin % blocks;
    const int64_t first_line = begin / blocks;
    int64_t i0 = first_line;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = part * 2048;
        const int64_t len = kf_min_i64(n1 - first, 2048);
        float *p8_out0 = out0 + (i0 * s0_out0 + first);
        const float *p1_in_x = in_x + (i0 * s0_in_x + first);
        const float *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + first);
        const float *p4_in_f = in_f + first;
        const float *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + first);
        const float *p7_in_f_7 = in_f_7 + first;
        const int64_t end14 = kf_max_i64(0, kf_min_i64(len, size_index0 - first));
        if (stream) {
            kf_stream_copy(p8_out0, p1_in_x, end14 * 4);
        } else {
            KF_SIMD
            for (int64_t l = 0; l < end14; ++l) {
                p8_out0[l] = p1_in_x[l];
            }
        }
        const int64_t begin13 = kf_min_i64(kf_max_i64(0, 0 - (first_index2 + first)), len);
        const int64_t end13 = kf_max_i64(begin13, kf_min_i64(len, size_index2 - (first_index2 + first)));
        {
            if (stream) {
                kf_stream_ahead(p8_out0 + begin13, (end13 - begin13) * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (begin13 - kf_stream_skew(p8_out0 + begin13) / 4) : begin13;
            for (int64_t piece = start; piece < end13; piece += size) {
                const int64_t l0 = kf_max_i64(piece, begin13);
                const int64_t l1 = kf_min_i64(piece + size, end13);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p8_out0 + l0);
                {
                    const int64_t whole = l1 - (l1 - l0) % 8;
                    KF_SIMD
                    for (int64_t l = l0; l < whole; ++l) {
                        const float v3 = kf_load_f32(p3_in_x_3, l);
                        const float v4 = kf_load_f32(p4_in_f, l);
                        const float v5 = v3 * v4;  // multiply
                        const float v6 = kf_sin_f32(v5);  // sin
                        kf_store_f32(to0, l - l0, v6);
                    }
                    if (whole < l1) {
                        const int left = kf_cast_i64_i32(l1 - whole);
                        float few[8];
                        KF_SIMD
                        for (int l = 0; l < 8; ++l) {
                            const float v3 = l < left ? kf_load_f32(p3_in_x_3, whole + l) : 0.0f;
                            const float v4 = l < left ? kf_load_f32(p4_in_f, whole + l) : 0.0f;
                            const float v5 = v3 * v4;  // multiply
                            const float v6 = kf_sin_f32(v5);  // sin
                            few[l] = v6;
                        }
                        for (int l = 0; l < left; ++l) {
                            kf_store_f32(to0, whole + l - l0, few[l]);
                        }
                    }
                }
                if (stream) {
                    kf_stream_copy(p8_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        const int64_t begin12 = kf_min_i64(kf_max_i64(0, 0 - (first_index5 + first)), len);
        const int64_t end12 = kf_max_i64(begin12, kf_min_i64(len, size_index5 - (first_index5 + first)));
        {
            if (stream) {
                kf_stream_ahead(p8_out0 + begin12, (end12 - begin12) * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (begin12 - kf_stream_skew(p8_out0 + begin12) / 4) : begin12;
            for (int64_t piece = start; piece < end12; piece += size) {
                const int64_t l0 = kf_max_i64(piece, begin12);
                const int64_t l1 = kf_min_i64(piece + size, end12);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p8_out0 + l0);
                {
                    const int64_t whole = l1 - (l1 - l0) % 8;
                    KF_SIMD
                    for (int64_t l = l0; l < whole; ++l) {
                        const float v8 = kf_load_f32(p6_in_x_6, l);
                        const float v9 = kf_load_f32(p7_in_f_7, l);
                        const float v10 = v8 * v9;  // multiply
                        const float v11 = kf_cos_f32(v10);  // cos
                        kf_store_f32(to0, l - l0, v11);
                    }
                    if (whole < l1) {
                        const int left = kf_cast_i64_i32(l1 - whole);
                        float few[8];
                        KF_SIMD
                        for (int l = 0; l < 8; ++l) {
                            const float v8 = l < left ? kf_load_f32(p6_in_x_6, whole + l) : 0.0f;
                            const float v9 = l < left ? kf_load_f32(p7_in_f_7, whole + l) : 0.0f;
                            const float v10 = v8 * v9;  // multiply
                            const float v11 = kf_cos_f32(v10);  // cos
                            few[l] = v11;
                        }
                        for (int l = 0; l < left; ++l) {
                            kf_store_f32(to0, whole + l - l0, few[l]);
                        }
                    }
                }
                if (stream) {
                    kf_stream_copy(p8_out0 + l0, buffer0, (l1 - l0) * 4);
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
