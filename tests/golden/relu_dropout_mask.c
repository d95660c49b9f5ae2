
typedef struct {
    int64_t n0;
    int64_t stream;
    double scalar2;
    const float *in_mask;
    const float *in_x;
    float *out0;
} k0_relu_dropout_mask_args;

/* relu, dropout_mask.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_mask  float32[x.0], 4 bytes each
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
void k0_relu_dropout_mask(const k0_relu_dropout_mask_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const double scalar2 = a->scalar2;
    const float *in_mask = a->in_mask;
    const float *in_x = a->in_x;
    float *out0 = a->out0;
    const double v8 = 1.0 - scalar2;  // dropout_mask
    const double v9 = kf_one_f64 / v8;  // dropout_mask
    const float v10 = kf_cast_f64_f32(v9);  // dropout_mask
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_mask = in_mask + first;
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
                    const float v0 = kf_load_f32(p0_in_mask, l);
                    const int v2 = v0 > 0.5f;  // dropout_mask
                    const float v3 = kf_load_f32(p1_in_x, l);
                    const float v5 = kf_max_f32(v3, 0.0f);  // relu
                    const float v11 = v5 * v10;  // dropout_mask
                    const float v12 = v2 ? v11 : 0.0f;  // dropout_mask
                    kf_store_f32(to0, l - l0, v12);
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
