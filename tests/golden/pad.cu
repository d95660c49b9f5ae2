
typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
    int64_t first_index0;
    int64_t vec_in_x;
    float *out0;
    int64_t vec;
} k0_relu_pad_args;

/* relu, pad.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1 + 2], 4 bytes each */
KF_KERNEL(k0_relu_pad, k0_relu_pad_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t size_index0 = a.size_index0;
    const int64_t first_index0 = a.first_index0;
    const int64_t vec_in_x = a.vec_in_x;
    float *out0 = a.out0;
    const int64_t vec = a.vec;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = line_packs;  // of a line
    const uint32_t line = t / packs;
    if (line < lines) {
        const uint32_t i0 = line;
        const int skew = (i0 * s0_out0) & 3;  // elements of the first pack that are before the line
        const int64_t begin = ((int64_t)(t % packs)) * 4 - skew;
        const int64_t j = kf_max_i64(begin, 0);
        const int left = kf_min_i64(n1, begin + 4) - j;  // elements of the pack
        if (0 < left) {
            uint32_t r1[4];
            {
                const float *p1_in_x = in_x + (i0 * s0_in_x + j);
                const int64_t begin1 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + j)), left);
                const int64_t end1 = kf_max_i64(begin1, kf_min_i64(left, size_index0 - (first_index0 + j)));
                if (begin1 == 0 && end1 == left) {
                    kf_load4_f32(p1_in_x, 0, end1, vec_in_x && skew == 0, r1);
                } else {
                    kf_part4_f32(p1_in_x, begin1, end1, r1);
                }
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const int v0 = kf_within(first_index0 + (j + e), size_index0);  // pad
                    const float v1 = kf_item_f32(r1, e);
                    const float v3 = kf_max_f32(v1, 0.0f);  // relu
                    const float v5 = v0 ? v3 : (-1.0f);  // pad
                    w0[e] = v5;
                }
                float *p2_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p2_out0, 0, left, vec, w0);
            }
        }
    }
}
