
typedef struct {
    int64_t n2;
    int64_t stream;
    int64_t n1;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const kf_bf16 *in_x_3;
    int64_t s0_in_x_3;
    int64_t s1_in_x_3;
    const float *in_s;
    int64_t s1_in_s;
    const kf_bf16 *in_x_5;
    int64_t s0_in_x_5;
    int64_t s1_in_x_5;
    const float *in_c;
    int64_t s1_in_c;
    int64_t size_index0;
    int64_t size_index2;
    int64_t first_index2;
} k0_negative_concatenate_multiply_multiply_args;

/* negative, concatenate, multiply, multiply, add.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_x_3   bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_s     float32[x.2, x.3], 4 bytes each
 * reads  in_x_5   bfloat16[x.0, x.1, x.2, x.3], 2 bytes each
 * reads  in_c     float32[x.2, x.3], 4 bytes each
 * writes out0     float32[x.0, x.1, x.2, x.3], 4 bytes each */
void k0_negative_concatenate_multiply_multiply(const k0_negative_concatenate_multiply_multiply_args *a, int64_t begin, int64_t end) {
    const int64_t n2 = a->n2;
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    const kf_bf16 *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const kf_bf16 *in_x_3 = a->in_x_3;
    const int64_t s0_in_x_3 = a->s0_in_x_3;
    const int64_t s1_in_x_3 = a->s1_in_x_3;
    const float *in_s = a->in_s;
    const int64_t s1_in_s = a->s1_in_s;
    const kf_bf16 *in_x_5 = a->in_x_5;
    const int64_t s0_in_x_5 = a->s0_in_x_5;
    const int64_t s1_in_x_5 = a->s1_in_x_5;
    const float *in_c = a->in_c;
    const int64_t s1_in_c = a->s1_in_c;
    const int64_t size_index0 = a->size_index0;
    const int64_t size_index2 = a->size_index2;
    const int64_t first_index2 = a->first_index2;
    const int64_t blocks = (n2 + 2047) / 2048;  // of a line
    int64_t part = begin % blocks;
    const int64_t first_line = begin / blocks;
    int64_t i1 = first_line % n1;
    const int64_t above1 = first_line / n1;
    int64_t i0 = above1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = part * 2048;
        const int64_t len = kf_min_i64(n2 - first, 2048);
        float *p7_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + first);
        const kf_bf16 *p1_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + first);
        const kf_bf16 *p3_in_x_3 = in_x_3 + (i0 * s0_in_x_3 + i1 * s1_in_x_3 + first);
        const float *p4_in_s = in_s + (i1 * s1_in_s + first);
        const kf_bf16 *p5_in_x_5 = in_x_5 + (i0 * s0_in_x_5 + i1 * s1_in_x_5 + first);
        const float *p6_in_c = in_c + (i1 * s1_in_c + first);
        const int64_t end6 = kf_max_i64(0, kf_min_i64(len, size_index0 - first));
        {
            if (stream) {
                kf_stream_ahead(p7_out0, end6 * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p7_out0) / 4) : 0;
            for (int64_t piece = start; piece < end6; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, end6);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p7_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v1 = kf_load_bf16(p1_in_x, l);
                    const float v2 = -v1;  // negative
                    const float v7 = kf_load_f32(p4_in_s, l);
                    const float v8 = v2 * v7;  // multiply
                    const float v9 = kf_load_bf16(p5_in_x_5, l);
                    const float v10 = kf_load_f32(p6_in_c, l);
                    const float v11 = v9 * v10;  // multiply
                    const float v12 = v8 + v11;  // add
                    kf_store_f32(to0, l - l0, v12);
                }
                if (stream) {
                    kf_stream_copy(p7_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        const int64_t begin5 = kf_min_i64(kf_max_i64(0, 0 - (first_index2 + first)), len);
        const int64_t end5 = kf_max_i64(begin5, kf_min_i64(len, size_index2 - (first_index2 + first)));
        {
            if (stream) {
                kf_stream_ahead(p7_out0 + begin5, (end5 - begin5) * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (begin5 - kf_stream_skew(p7_out0 + begin5) / 4) : begin5;
            for (int64_t piece = start; piece < end5; piece += size) {
                const int64_t l0 = kf_max_i64(piece, begin5);
                const int64_t l1 = kf_min_i64(piece + size, end5);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p7_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v4 = kf_load_bf16(p3_in_x_3, l);
                    const float v7 = kf_load_f32(p4_in_s, l);
                    const float v8 = v4 * v7;  // multiply
                    const float v9 = kf_load_bf16(p5_in_x_5, l);
                    const float v10 = kf_load_f32(p6_in_c, l);
                    const float v11 = v9 * v10;  // multiply
                    const float v12 = v8 + v11;  // add
                    kf_store_f32(to0, l - l0, v12);
                }
                if (stream) {
                    kf_stream_copy(p7_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
        part = part + 1;
        if (part == blocks) {
            part = 0;
            i1 = i1 + 1;
            if (i1 == n1) {
                i1 = 0;
                i0 = i0 + 1;
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
