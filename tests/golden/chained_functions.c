
typedef struct {
    int64_t n0;
    int64_t stream;
    const float *in_x;
    float *out0;
} k0_exp_log1p_tanh_multiply_args;

/* exp, log1p, tanh, multiply.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k0_exp_log1p_tanh_multiply(const k0_exp_log1p_tanh_multiply_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const float *in_x = a->in_x;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 512;
        const int64_t len = kf_min_i64(n0 - first, 512);
        const float *p0_in_x = in_x + first;
        float chain1[512];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const float v0 = kf_load_f32(p0_in_x, l);
            const float v1 = kf_exp_f32(v0);  // exp
            chain1[l] = v1;
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const float v2 = kf_log1p_f32(chain1[l]);  // log1p
            chain1[l] = v2;
        }
        {
            float *p1_out0 = out0 + first;
            if (stream) {
                kf_stream_ahead(p1_out0, len * 4);
            }
            const int64_t size = stream ? 512 : 512;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p1_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[512];
                float *to0 = stream ? buffer0 : (p1_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v3 = kf_tanh_f32(chain1[l]);  // tanh
                    const float v4 = v0 * v3;  // multiply
                    kf_store_f32(to0, l - l0, v4);
                }
                if (stream) {
                    kf_stream_copy(p1_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
