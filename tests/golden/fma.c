
typedef struct {
    int64_t n0;
    int64_t stream;
    const float *in_q;
    const float *in_k;
    const float *in_v;
    float *out0;
} k0_multiply_add_args;

/* multiply, add.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_q     float32[q.0], 4 bytes each
 * reads  in_k     float32[q.0], 4 bytes each
 * reads  in_v     float32[q.0], 4 bytes each
 * writes out0     float32[q.0], 4 bytes each */
void k0_multiply_add(const k0_multiply_add_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const float *in_q = a->in_q;
    const float *in_k = a->in_k;
    const float *in_v = a->in_v;
    float *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_q = in_q + first;
        const float *p1_in_k = in_k + first;
        const float *p2_in_v = in_v + first;
        {
            float *p3_out0 = out0 + first;
            if (stream) {
                kf_stream_ahead(p3_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p3_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v0 = kf_load_f32(p0_in_q, l);
                    const float v1 = kf_load_f32(p1_in_k, l);
                    const float v2 = v0 * v1;  // multiply
                    const float v3 = kf_load_f32(p2_in_v, l);
                    const float v4 = v2 + v3;  // add
                    kf_store_f32(to0, l - l0, v4);
                }
                if (stream) {
                    kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
