
typedef struct {
    int64_t n1;
    int64_t stream;
    int64_t size_v1;
    int64_t lines;
    const int64_t *in_i;
    int64_t s0_index1;
    int64_t size_index1;
    int64_t s0_index3;
    int64_t first_index3;
    int64_t size_index3;
    const float *in_x;
    const float *in_y;
    int64_t d0_in_x;
    int64_t d0_in_y;
    int64_t size0;
    float *out0;
    int64_t s0_out0;
} k0_multiply_concatenate_take_args;

/* multiply, concatenate, take.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[y.0, x.1], 4 bytes each
 * writes out0     float32[x.0 + y.0, i.0], 4 bytes each */
void k0_multiply_concatenate_take(const k0_multiply_concatenate_take_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    const int64_t size_v1 = a->size_v1;
    const int64_t lines = a->lines;
    const int64_t *in_i = a->in_i;
    const int64_t s0_index1 = a->s0_index1;
    const int64_t size_index1 = a->size_index1;
    const int64_t s0_index3 = a->s0_index3;
    const int64_t first_index3 = a->first_index3;
    const int64_t size_index3 = a->size_index3;
    const float *in_x = a->in_x;
    const float *in_y = a->in_y;
    const int64_t d0_in_x = a->d0_in_x;
    const int64_t d0_in_y = a->d0_in_y;
    const int64_t size0 = a->size0;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    int table8[2048];
    int64_t table9[2048];
    int64_t tabled = -1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t line = u % lines;
        const int64_t i0 = line;
        const int64_t first = (u / lines) * 2048;
        const int64_t len = kf_min_i64(n1 - first, 2048);
        const int64_t *p0_in_i = in_i + first;
        if (first != tabled) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t v0 = kf_load_i64(p0_in_i, l);
                const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                const int v4 = v0 < 0;  // take
                const int64_t v5 = v4 ? v3 : v0;  // take
                const int v6 = v5 < size_v1;  // take
                const int v7 = v5 >= 0;  // take
                const int v8 = v7 & v6;  // take
                const int64_t v9 = v8 ? v5 : 0;  // take
                table8[l] = v8;
                table9[l] = v9;
            }
            tabled = first;
        }
        const int v10 = kf_inside(i0 * s0_index1, size_index1);  // concatenate
        const int v13 = kf_inside(first_index3 + i0 * s0_index3, size_index3);  // concatenate
        float pick19[2048];
        const int64_t end19 = kf_max_i64(0, v10 ? len : 0);
        {
            KF_SIMD
            for (int64_t l = 0; l < end19; ++l) {
                const int v11 = table8[l] & v10;  // concatenate
                const float v12 = v11 ? kf_load_f32(in_x, i0 * d0_in_x + table9[l]) : 0.0f;
                pick19[l] = v12;
            }
        }
        const int64_t end18 = kf_max_i64(0, v13 ? len : 0);
        {
            {
                float read15[2048];
                for (int64_t l = 0; l < end18; ++l) {
                    const int v14 = table8[l] & v13;  // concatenate
                    const float v15 = v14 ? kf_load_f32(in_y, (size0 * (-1) + i0) * d0_in_y + table9[l]) : 0.0f;
                    read15[l] = v15;
                }
                KF_SIMD
                for (int64_t l = 0; l < end18; ++l) {
                    const float v17 = read15[l] * 2.0f;  // multiply
                    pick19[l] = v17;
                }
            }
        }
        {
            float *p5_out0 = out0 + (i0 * s0_out0 + first);
            if (stream) {
                kf_stream_ahead(p5_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p5_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p5_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v21 = table8[l] ? pick19[l] : 0.0f;  // take
                    kf_store_f32(to0, l - l0, v21);
                }
                if (stream) {
                    kf_stream_copy(p5_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
