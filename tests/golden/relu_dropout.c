
typedef struct {
    int64_t n0;
    int64_t stream;
    int64_t scalar2;
    double scalar1;
    int64_t first_random0;
    const float *in_x;
    float *out0;
} k0_relu_dropout_args;

/* relu, dropout.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
void k0_relu_dropout(const k0_relu_dropout_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const int64_t scalar2 = a->scalar2;
    const double scalar1 = a->scalar1;
    const int64_t first_random0 = a->first_random0;
    const float *in_x = a->in_x;
    float *out0 = a->out0;
    const int64_t v4 = kf_keep_limit(scalar1);  // dropout
    const double v10 = 1.0 - scalar1;  // dropout
    const double v11 = kf_one_f64 / v10;  // dropout
    const float v12 = kf_cast_f64_f32(v11);  // dropout
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        int32_t words2[2048];
        kf_philox_fill(scalar2, 0, first_random0 + first, len, words2);
        const float *p1_in_x = in_x + first;
        {
            float *p2_out0 = out0 + first;
            if (stream) {
                kf_stream_ahead(p2_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p2_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const int32_t v2 = words2[l];  // random bits
                    const int v5 = kf_keep_bits(v2, v4);  // dropout
                    const float v6 = kf_load_f32(p1_in_x, l);
                    const float v8 = kf_max_f32(v6, 0.0f);  // relu
                    const float v13 = v8 * v12;  // dropout
                    const float v14 = v5 ? v13 : 0.0f;  // dropout
                    kf_store_f32(to0, l - l0, v14);
                }
                if (stream) {
                    kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
