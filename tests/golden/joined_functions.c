
typedef struct {
    int64_t n1;
    int64_t most_rows;
    const float *in_x;
    int64_t s0_in_x;
    const float *in_x_3;
    int64_t s0_in_x_3;
    int64_t size_index0;
    int64_t size_index2;
    int64_t first_index2;
    int64_t flat;
    float *out0;
    int64_t s0_out0;
} k0_roll_softplus_short_args;

/* roll, softplus.
 * Short lines: what is made of each, then functions of it, as one run.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_3   float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_roll_softplus_short(const k0_roll_softplus_short_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t most_rows = a->most_rows;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_x_3 = a->in_x_3;
    const int64_t s0_in_x_3 = a->s0_in_x_3;
    const int64_t size_index0 = a->size_index0;
    const int64_t size_index2 = a->size_index2;
    const int64_t first_index2 = a->first_index2;
    const int64_t flat = a->flat;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    float flat5[2064];
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t line = first_row + r;
            const int64_t i0 = line;
            const float *p1_in_x = in_x + i0 * s0_in_x;
            const float *p3_in_x_3 = in_x_3 + i0 * s0_in_x_3;
            float *pick5 = flat5 + r * n1;
            {
                const int64_t end5 = kf_max_i64(0, kf_min_i64(n1, size_index0));
                KF_SIMD
                for (int64_t l = 0; l < end5; ++l) {
                    const float v1 = kf_load_f32(p1_in_x, l);
                    pick5[l] = v1;
                }
                const int64_t begin4 = kf_min_i64(kf_max_i64(0, 0 - first_index2), n1);
                const int64_t end4 = kf_max_i64(begin4, kf_min_i64(n1, size_index2 - first_index2));
                KF_SIMD
                for (int64_t l = begin4; l < end4; ++l) {
                    const float v3 = kf_load_f32(p3_in_x_3, l);
                    pick5[l] = v3;
                }
            }
        }
        {
            const int64_t runs = flat ? 1 : rows;  // rows without gaps are one
            const int64_t len = flat ? (rows * n1) : n1;
            for (int64_t r = 0; r < runs; ++r) {
                const int64_t u = first_row + r;
                const int64_t i0 = u;
                const int64_t at = r * n1;
                float chain12[2048];
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float v10 = kf_abs_f32(flat5[at + l]);  // softplus
                    const float v11 = -v10;  // softplus
                    const float v12 = kf_exp_f32(v11);  // softplus
                    chain12[l] = v12;
                }
                float *p4_out0 = out0 + i0 * s0_out0;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const int v7 = flat5[at + l] > 20.0f;  // softplus
                    const float v9 = kf_max_f32(flat5[at + l], 0.0f);  // softplus
                    const float v13 = kf_log1p_f32(chain12[l]);  // softplus
                    const float v14 = v9 + v13;  // softplus
                    const float v15 = v7 ? flat5[at + l] : v14;  // softplus
                    kf_store_f32(p4_out0, l, v15);
                }
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t stream;
    const float *in_x;
    int64_t s0_in_x;
    const float *in_x_3;
    int64_t s0_in_x_3;
    int64_t size_index0;
    int64_t size_index2;
    int64_t first_index2;
    float *out0;
    int64_t s0_out0;
} k0_roll_softplus_args;

/* roll, softplus.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_3   float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_roll_softplus(const k0_roll_softplus_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const float *in_x_3 = a->in_x_3;
    const int64_t s0_in_x_3 = a->s0_in_x_3;
    const int64_t size_index0 = a->size_index0;
    const int64_t size_index2 = a->size_index2;
    const int64_t first_index2 = a->first_index2;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t blocks = (n1 + 511) / 512;  // of a line
    int64_t part = begin % blocks;
    const int64_t first_line = begin / blocks;
    int64_t i0 = first_line;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = part * 512;
        const int64_t len = kf_min_i64(n1 - first, 512);
        const float *p1_in_x = in_x + (i0 * s0_in_x + first);
        const float *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + first);
        float pick5[512];
        const float *at5 = pick5;
        {
            const int64_t end5 = kf_max_i64(0, kf_min_i64(len, size_index0 - first));
            if (end5 == len) {
                at5 = p1_in_x;
            } else {
                KF_SIMD
                for (int64_t l = 0; l < end5; ++l) {
                    const float v1 = kf_load_f32(p1_in_x, l);
                    pick5[l] = v1;
                }
            }
            const int64_t begin4 = kf_min_i64(kf_max_i64(0, 0 - (first_index2 + first)), len);
            const int64_t end4 = kf_max_i64(begin4, kf_min_i64(len, size_index2 - (first_index2 + first)));
            if (begin4 == 0 && end4 == len) {
                at5 = p3_in_x_3;
            } else {
                KF_SIMD
                for (int64_t l = begin4; l < end4; ++l) {
                    const float v3 = kf_load_f32(p3_in_x_3, l);
                    pick5[l] = v3;
                }
            }
        }
        float chain12[512];
        const int64_t whole_v12 = len - len % 8;
        KF_SIMD
        for (int64_t l = 0; l < whole_v12; ++l) {
            const float v10 = kf_abs_f32(at5[l]);  // softplus
            const float v11 = -v10;  // softplus
            const float v12 = kf_exp_f32(v11);  // softplus
            chain12[l] = v12;
        }
        if (whole_v12 < len) {
            const int left = kf_cast_i64_i32(len - whole_v12);
            KF_SIMD
            for (int l = 0; l < 8; ++l) {
                const float v5 = l < left ? at5[whole_v12 + l] : 0.0f;
                const float v10 = kf_abs_f32(v5);  // softplus
                const float v11 = -v10;  // softplus
                const float v12 = kf_exp_f32(v11);  // softplus
                chain12[whole_v12 + l] = v12;
            }
        }
        {
            float *p4_out0 = out0 + (i0 * s0_out0 + first);
            if (stream) {
                kf_stream_ahead(p4_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 512;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p4_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p4_out0 + l0);
                const int64_t whole = l1 - (l1 - l0) % 8;
                KF_SIMD
                for (int64_t l = l0; l < whole; ++l) {
                    const int v7 = at5[l] > 20.0f;  // softplus
                    const float v9 = kf_max_f32(at5[l], 0.0f);  // softplus
                    const float v13 = kf_log1p_f32(chain12[l]);  // softplus
                    const float v14 = v9 + v13;  // softplus
                    const float v15 = v7 ? at5[l] : v14;  // softplus
                    kf_store_f32(to0, l - l0, v15);
                }
                if (whole < l1) {
                    float few0[8];
                    KF_SIMD
                    for (int64_t l = whole; l < whole + 8; ++l) {
                        const float v5 = l < l1 ? at5[l] : 0.0f;
                        const int v7 = v5 > 20.0f;  // softplus
                        const float v9 = kf_max_f32(v5, 0.0f);  // softplus
                        const float v13 = kf_log1p_f32(chain12[l]);  // softplus
                        const float v14 = v9 + v13;  // softplus
                        const float v15 = v7 ? v5 : v14;  // softplus
                        few0[l - whole] = v15;
                    }
                    for (int64_t l = whole; l < l1; ++l) {
                        kf_store_f32(to0, l - l0, few0[l - whole]);
                    }
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
