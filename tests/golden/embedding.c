
typedef struct {
    int64_t n1;
    int64_t stream;
    int64_t size_v2;
    int64_t ahead;
    const int32_t *in_i;
    int64_t s0_in_i;
    const float *in_w;
    int64_t t0_in_w;
    float *out0;
    int64_t s0_out0;
} k0_embedding_multiply_args;

/* embedding, multiply.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_i     int32[i.0, i.1], 4 bytes each
 * reads  in_w     float32[w.0, w.1], 4 bytes each
 * writes out0     float32[i.0, i.1, w.1], 4 bytes each */
void k0_embedding_multiply(const k0_embedding_multiply_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    const int64_t size_v2 = a->size_v2;
    const int64_t ahead = a->ahead;
    const int32_t *in_i = a->in_i;
    const int64_t s0_in_i = a->s0_in_i;
    const float *in_w = a->in_w;
    const int64_t t0_in_w = a->t0_in_w;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t blocks = (n1 + 2047) / 2048;  // of a line
    for (int64_t u = begin; u < end; ++u) {
        if (ahead && u + 1 < end) {
            const int64_t next = u + 1;
            const int64_t line = next / blocks;
            const int64_t i0 = line;
            const int64_t first = (next % blocks) * 2048;
            const int64_t len = kf_min_i64(n1 - first, 2048);
            const int32_t *p0_in_i = in_i + i0 * s0_in_i;
            const int32_t v0 = kf_load_i32(p0_in_i, 0);
            const int64_t v1 = kf_cast_i32_i64(v0);  // embedding
            const int64_t v4 = kf_add_i64(v1, size_v2);  // embedding
            const int v5 = v1 < 0;  // embedding
            const int64_t v6 = v5 ? v4 : v1;  // embedding
            const int v7 = v6 < size_v2;  // embedding
            const int v8 = v6 >= 0;  // embedding
            const int v9 = v8 & v7;  // embedding
            const int64_t v10 = v9 ? v6 : 0;  // embedding
            const float *p1_in_w = in_w + (first + v10 * t0_in_w);
            for (int64_t l = 0; l < len; l += 16) {
                kf_prefetch_far(p1_in_w + l);
            }
        }
        const int64_t line = u / blocks;
        const int64_t i0 = line;
        const int64_t first = (u % blocks) * 2048;
        const int64_t len = kf_min_i64(n1 - first, 2048);
        const int32_t *p0_in_i = in_i + i0 * s0_in_i;
        const int32_t v0 = kf_load_i32(p0_in_i, 0);
        const int64_t v1 = kf_cast_i32_i64(v0);  // embedding
        const int64_t v4 = kf_add_i64(v1, size_v2);  // embedding
        const int v5 = v1 < 0;  // embedding
        const int64_t v6 = v5 ? v4 : v1;  // embedding
        const int v7 = v6 < size_v2;  // embedding
        const int v8 = v6 >= 0;  // embedding
        const int v9 = v8 & v7;  // embedding
        const int64_t v10 = v9 ? v6 : 0;  // embedding
        const float *p1_in_w = in_w + (first + v10 * t0_in_w);
        const float *from11 = v9 ? p1_in_w : kf_nothing();
        {
            float *p2_out0 = out0 + (i0 * s0_out0 + first);
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
                    const float v11 = kf_load_f32(from11, l);
                    const float v13 = v11 * 8.0f;  // multiply
                    kf_store_f32(to0, l - l0, v13);
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
