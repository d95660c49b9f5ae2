
typedef struct {
    int64_t n0;
    int64_t stream;
    const float *in_x;
    const float *in_y;
    float *out0;
} k0_add_multiply_exp_args;

/* add, multiply, exp.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0], 4 bytes each
 * reads  in_y     float32[x.0], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
void k0_add_multiply_exp(const k0_add_multiply_exp_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const float *in_x = a->in_x;
    const float *in_y = a->in_y;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_x = in_x + first;
        const float *p1_in_y = in_y + first;
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
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v1 = kf_load_f32(p1_in_y, l);
                    const float v2 = v0 + v1;  // add
                    const float v4 = v2 * 2.0f;  // multiply
                    const float v5 = kf_exp_f32(v4);  // exp
                    kf_store_f32(to0, l - l0, v5);
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
