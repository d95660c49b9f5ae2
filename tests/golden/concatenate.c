
typedef struct {
    int64_t n1;
    int64_t stream;
    float *out0;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    const kf_f16 *in_y;
    int64_t s0_in_y;
    const float *in_b;
    int64_t size_index0;
    int64_t size_index2;
    int64_t first_index2;
} k0_multiply_concatenate_add_args;

/* multiply, concatenate, add.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float16[x.0, y.1], 2 bytes each
 * reads  in_b     float32[x.1 + y.1], 4 bytes each
 * writes out0     float32[x.0, x.1 + y.1], 4 bytes each */
void k0_multiply_concatenate_add(const k0_multiply_concatenate_add_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const kf_f16 *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    const float *in_b = a->in_b;
    const int64_t size_index0 = a->size_index0;
    const int64_t size_index2 = a->size_index2;
    const int64_t first_index2 = a->first_index2;
    const int64_t blocks = (n1 + 2047) / 2048;  // of a line
    int64_t part = begin % blocks;
    const int64_t first_line = begin / blocks;
    int64_t i0 = first_line;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = part * 2048;
        const int64_t len = kf_min_i64(n1 - first, 2048);
        float *p5_out0 = out0 + (i0 * s0_out0 + first);
        const float *p1_in_x = in_x + (i0 * s0_in_x + first);
        const kf_f16 *p3_in_y = in_y + (i0 * s0_in_y + first);
        const float *p4_in_b = in_b + first;
        const int64_t end8 = kf_max_i64(0, kf_min_i64(len, size_index0 - first));
        {
            if (stream) {
                kf_stream_ahead(p5_out0, end8 * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p5_out0) / 4) : 0;
            for (int64_t piece = start; piece < end8; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, end8);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p5_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v1 = kf_load_f32(p1_in_x, l);
                    const float v9 = kf_load_f32(p4_in_b, l);
                    const float v10 = v1 + v9;  // add
                    kf_store_f32(to0, l - l0, v10);
                }
                if (stream) {
                    kf_stream_copy(p5_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        const int64_t begin7 = kf_min_i64(kf_max_i64(0, 0 - (first_index2 + first)), len);
        const int64_t end7 = kf_max_i64(begin7, kf_min_i64(len, size_index2 - (first_index2 + first)));
        {
            float wide3_in_y[2048];
            kf_widen_f16(wide3_in_y + begin7, p3_in_y + begin7, end7 - begin7);
            {
                if (stream) {
                    kf_stream_ahead(p5_out0 + begin7, (end7 - begin7) * 4);
                }
                const int64_t size = stream ? 256 : 2048;  // of a piece
                const int64_t start = stream ? (begin7 - kf_stream_skew(p5_out0 + begin7) / 4) : begin7;
                for (int64_t piece = start; piece < end7; piece += size) {
                    const int64_t l0 = kf_max_i64(piece, begin7);
                    const int64_t l1 = kf_min_i64(piece + size, end7);
                    float buffer0[256];
                    float *to0 = stream ? buffer0 : (p5_out0 + l0);
                    KF_SIMD
                    for (int64_t l = l0; l < l1; ++l) {
                        const float v5 = wide3_in_y[l] * 2.0f;  // multiply
                        const float v9 = kf_load_f32(p4_in_b, l);
                        const float v10 = v5 + v9;  // add
                        kf_store_f32(to0, l - l0, v10);
                    }
                    if (stream) {
                        kf_stream_copy(p5_out0 + l0, buffer0, (l1 - l0) * 4);
                    }
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
