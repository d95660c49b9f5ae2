
typedef struct {
    int64_t n1;
    int64_t stream;
    float *out0;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
    int64_t first_index0;
} k0_relu_pad_args;

/* relu, pad.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1 + 2], 4 bytes each */
void k0_relu_pad(const k0_relu_pad_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t size_index0 = a->size_index0;
    const int64_t first_index0 = a->first_index0;
    const int64_t blocks = (n1 + 2047) / 2048;  // of a line
    int64_t part = begin % blocks;
    const int64_t first_line = begin / blocks;
    int64_t i0 = first_line;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = part * 2048;
        const int64_t len = kf_min_i64(n1 - first, 2048);
        float *p2_out0 = out0 + (i0 * s0_out0 + first);
        const float *p1_in_x = in_x + (i0 * s0_in_x + first);
        const int64_t begin5 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + first)), len);
        const int64_t end5 = kf_max_i64(begin5, kf_min_i64(len, size_index0 - (first_index0 + first)));
        {
            if (stream) {
                kf_stream_ahead(p2_out0 + begin5, (end5 - begin5) * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (begin5 - kf_stream_skew(p2_out0 + begin5) / 4) : begin5;
            for (int64_t piece = start; piece < end5; piece += size) {
                const int64_t l0 = kf_max_i64(piece, begin5);
                const int64_t l1 = kf_min_i64(piece + size, end5);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p2_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v1 = kf_load_f32(p1_in_x, l);
                    const float v3 = kf_max_f32(v1, 0.0f);  // relu
                    kf_store_f32(to0, l - l0, v3);
                }
                if (stream) {
                    kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        {
            if (stream) {
                kf_stream_ahead(p2_out0, begin5 * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p2_out0) / 4) : 0;
            for (int64_t piece = start; piece < begin5; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, begin5);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p2_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    kf_store_f32(to0, l - l0, -1.0f);
                }
                if (stream) {
                    kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        {
            if (stream) {
                kf_stream_ahead(p2_out0 + end5, (len - end5) * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (end5 - kf_stream_skew(p2_out0 + end5) / 4) : end5;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, end5);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p2_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    kf_store_f32(to0, l - l0, -1.0f);
                }
                if (stream) {
                    kf_stream_copy(p2_out0 + l0, buffer0, (l1 - l0) * 4);
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
