
typedef struct {
    int64_t n2;
    int64_t lines;
    int64_t n1;
    int64_t size_v2;
    const int32_t *in_i;
    int64_t s0_in_i;
    int64_t s1_in_i;
    const float *in_w;
    int64_t d1_in_w;
    int64_t d0_in_w;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    int64_t vec;
} k0_embedding_multiply_args;

/* embedding, multiply.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_i     int32[i.0, i.1], 4 bytes each
 * reads  in_w     float32[w.0, w.1], 4 bytes each
 * writes out0     float32[i.0, i.1, w.1], 4 bytes each */
KF_KERNEL(k0_embedding_multiply, k0_embedding_multiply_args, 256) {
    const int64_t n2 = a.n2;
    const int64_t lines = a.lines;
    const int64_t n1 = a.n1;
    const int64_t size_v2 = a.size_v2;
    const int32_t *in_i = a.in_i;
    const int64_t s0_in_i = a.s0_in_i;
    const int64_t s1_in_i = a.s1_in_i;
    const float *in_w = a.in_w;
    const int64_t d1_in_w = a.d1_in_w;
    const int64_t d0_in_w = a.d0_in_w;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t s1_out0 = a.s1_out0;
    const int64_t vec = a.vec;
    const int64_t t = kf_block() * 256 + kf_thread();
    const int64_t packs = (n2 + 3) / 4;  // of a line
    const int64_t line = t / packs;
    const int64_t j = ((int64_t)(t % packs)) * 4;
    if (line < lines) {
        const int64_t i1 = line % n1;
        const int64_t above1 = line / n1;
        const int64_t i0 = above1;
        const int left = kf_min_i64(n2 - j, 4);  // elements of the pack
        {
            float w0[4];
            const int32_t *p0_in_i = in_i + (i0 * s0_in_i + i1 * s1_in_i);
            const int32_t v0 = kf_load_i32(p0_in_i, 0);
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int64_t v1 = kf_cast_i32_i64(v0);  // embedding
                const int64_t v4 = kf_add_i64(v1, size_v2);  // embedding
                const int v5 = v1 < 0;  // embedding
                const int64_t v6 = v5 ? v4 : v1;  // embedding
                const int v7 = v6 < size_v2;  // embedding
                const int v8 = v6 >= 0;  // embedding
                const int v9 = v8 & v7;  // embedding
                const int64_t v10 = v9 ? v6 : 0;  // embedding
                const float v11 = e < left && v9 ? kf_load_f32(in_w, v10 * d0_in_w + (j + e) * d1_in_w) : 0.0f;
                const float v13 = v11 * 8.0f;  // multiply
                w0[e] = v13;
            }
            float *p2_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + j);
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    }
}
