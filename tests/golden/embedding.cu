
typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    int64_t size_v2;
    const int32_t *in_i;
    int64_t s0_in_i;
    const float *in_w;
    int64_t t0_in_w;
    int64_t vec_in_w;
    float *out0;
    int64_t vec;
} k0_embedding_multiply_args;

/* embedding, multiply.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_i     int32[i.0, i.1], 4 bytes each
 * reads  in_w     float32[w.0, w.1], 4 bytes each
 * writes out0     float32[i.0, i.1, w.1], 4 bytes each */
KF_KERNEL(k0_embedding_multiply, k0_embedding_multiply_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t size_v2 = a.size_v2;
    const int32_t *in_i = a.in_i;
    const int64_t s0_in_i = a.s0_in_i;
    const float *in_w = a.in_w;
    const int64_t t0_in_w = a.t0_in_w;
    const int64_t vec_in_w = a.vec_in_w;
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
            uint32_t r11[4];
            {
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
                const float *p1_in_w = in_w + (j + v10 * t0_in_w);
                const int64_t end11 = kf_max_i64(0, v9 ? left : 0);
                kf_load4_f32(p1_in_w, 0, end11, vec_in_w && skew == 0, r11);
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const float v11 = kf_item_f32(r11, e);
                    const float v13 = v11 * 8.0f;  // multiply
                    w0[e] = v13;
                }
                float *p2_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p2_out0, 0, left, vec, w0);
            }
        }
    }
}
