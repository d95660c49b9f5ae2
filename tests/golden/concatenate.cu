
typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_x;
    int64_t s0_in_x;
    int64_t size_index0;
    int64_t vec_in_x;
    int64_t by_in_x;
    const kf_f16 *in_y;
    int64_t s0_in_y;
    int64_t size_index2;
    int64_t first_index2;
    int64_t vec_in_y;
    const float *in_b;
    int64_t vec_in_b;
    float *out0;
    int64_t vec;
} k0_multiply_concatenate_add_args;

/* multiply, concatenate, add.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float16[x.0, y.1], 2 bytes each
 * reads  in_b     float32[x.1 + y.1], 4 bytes each
 * writes out0     float32[x.0, x.1 + y.1], 4 bytes each */
KF_KERNEL(k0_multiply_concatenate_add, k0_multiply_concatenate_add_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t size_index0 = a.size_index0;
    const int64_t vec_in_x = a.vec_in_x;
    const int64_t by_in_x = a.by_in_x;
    const kf_f16 *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    const int64_t size_index2 = a.size_index2;
    const int64_t first_index2 = a.first_index2;
    const int64_t vec_in_y = a.vec_in_y;
    const float *in_b = a.in_b;
    const int64_t vec_in_b = a.vec_in_b;
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
            uint32_t r3[2];
            uint32_t r9[4];
            {
                const float *p1_in_x = in_x + (i0 * s0_in_x + j);
                const int64_t end1 = kf_max_i64(0, kf_min_i64(left, size_index0 - j));
                kf_load4_f32(p1_in_x, 0, end1, vec_in_x && (skew & by_in_x) == 0, r1);
                const kf_f16 *p3_in_y = in_y + (i0 * s0_in_y + j);
                const int64_t begin3 = kf_min_i64(kf_max_i64(0, 0 - (first_index2 + j)), left);
                const int64_t end3 = kf_max_i64(begin3, kf_min_i64(left, size_index2 - (first_index2 + j)));
                if (begin3 == 0 && end3 == left) {
                    kf_load4_f16(p3_in_y, 0, end3, vec_in_y && skew == 0, r3);
                } else {
                    kf_part4_f16(p3_in_y, begin3, end3, r3);
                }
                const float *p4_in_b = in_b + j;
                kf_load4_f32(p4_in_b, 0, left, vec_in_b && skew == 0, r9);
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const int v0 = kf_within(j + e, size_index0);  // concatenate
                    const float v1 = kf_item_f32(r1, e);
                    const float v3 = kf_item_f16(r3, e);
                    const float v5 = v3 * 2.0f;  // multiply
                    const float v8 = v0 ? v1 : v5;  // concatenate
                    const float v9 = kf_item_f32(r9, e);
                    const float v10 = v8 + v9;  // add
                    w0[e] = v10;
                }
                float *p5_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p5_out0, 0, left, vec, w0);
            }
        }
    }
}
