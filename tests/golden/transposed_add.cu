
typedef struct {
    int64_t n1;
    int64_t lines;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const float *in_y;
    int64_t s0_in_y;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_add_args;

/* add.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, x.0], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
KF_KERNEL(k0_add, k0_add_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t lines = a.lines;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = (n1 + 3) / 4;  // of a line
    const uint32_t line = t / packs;
    const int64_t j = ((int64_t)(t % packs)) * 4;
    if (line < lines) {
        const uint32_t i0 = line;
        const int left = kf_min_i64(n1 - j, 4);  // elements of the pack
        float r0[4];
        uint32_t r1[4];
        {
            const float *p0_in_x = in_x + (i0 * s0_in_x + j * s1_in_x);
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                r0[e] = e < left ? kf_load_f32(p0_in_x, e * s1_in_x) : 0.0f;
            }
            const float *p1_in_y = in_y + (i0 * s0_in_y + j);
            kf_load4_f32(p1_in_y, 0, left, vec, r1);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v1 = kf_item_f32(r1, e);
                const float v2 = r0[e] + v1;  // add
                w0[e] = v2;
            }
            float *p2_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    }
}
