
typedef struct {
    int64_t n1;
    int64_t lines;
    int64_t size_v1;
    const int64_t *in_i;
    int64_t vec;
    const float *in_x;
    const float *in_y;
    int64_t size_index1;
    int64_t d0_in_x;
    int64_t first_index3;
    int64_t size_index3;
    int64_t d0_in_y;
    int64_t size0;
    float *out0;
    int64_t s0_out0;
} k0_multiply_concatenate_take_args;

/* multiply, concatenate, take.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[y.0, x.1], 4 bytes each
 * writes out0     float32[x.0 + y.0, i.0], 4 bytes each */
KF_KERNEL(k0_multiply_concatenate_take, k0_multiply_concatenate_take_args, 256) {
    const int64_t n1 = a.n1;
    const int64_t lines = a.lines;
    const int64_t size_v1 = a.size_v1;
    const int64_t *in_i = a.in_i;
    const int64_t vec = a.vec;
    const float *in_x = a.in_x;
    const float *in_y = a.in_y;
    const int64_t size_index1 = a.size_index1;
    const int64_t d0_in_x = a.d0_in_x;
    const int64_t first_index3 = a.first_index3;
    const int64_t size_index3 = a.size_index3;
    const int64_t d0_in_y = a.d0_in_y;
    const int64_t size0 = a.size0;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = (n1 + 3) / 4;  // of a line
    const uint32_t line = t / packs;
    const int64_t j = ((int64_t)(t % packs)) * 4;
    if (line < lines) {
        const int64_t i0 = line;
        const int left = kf_min_i64(n1 - j, 4);  // elements of the pack
        uint32_t r0[8];
        {
            const int64_t *p0_in_i = in_i + j;
            kf_load4_i64(p0_in_i, 0, left, vec, r0);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int64_t v0 = kf_item_i64(r0, e);
                const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                const int v4 = v0 < 0;  // take
                const int64_t v5 = v4 ? v3 : v0;  // take
                const int v6 = v5 < size_v1;  // take
                const int v7 = v5 >= 0;  // take
                const int v8 = v7 & v6;  // take
                const int64_t v9 = v8 ? v5 : 0;  // take
                const int v10 = kf_within(i0, size_index1);  // concatenate
                const int v11 = v8 & v10;  // concatenate
                const float v12 = e < left && v11 ? kf_load_f32(in_x, i0 * d0_in_x + v9) : 0.0f;
                const int v13 = kf_within(first_index3 + i0, size_index3);  // concatenate
                const int v14 = v8 & v13;  // concatenate
                const float v15 = e < left && v14 ? kf_load_f32(in_y, (size0 * (-1) + i0) * d0_in_y + v9) : 0.0f;
                const float v17 = v15 * 2.0f;  // multiply
                const float v19 = v11 ? v12 : v17;  // concatenate
                const float v21 = v8 ? v19 : 0.0f;  // take
                w0[e] = v21;
            }
            float *p5_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p5_out0, 0, left, vec, w0);
        }
    }
}
