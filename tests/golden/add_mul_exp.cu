
typedef struct {
    int64_t n0;
    const float *in_x;
    int64_t vec;
    const float *in_y;
    float *out0;
} k0_add_multiply_exp_args;

/* add, multiply, exp.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0], 4 bytes each
 * reads  in_y     float32[x.0], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
KF_KERNEL(k0_add_multiply_exp, k0_add_multiply_exp_args, 256) {
    const uint32_t n0 = a.n0;
    const float *in_x = a.in_x;
    const int64_t vec = a.vec;
    const float *in_y = a.in_y;
    float *out0 = a.out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        uint32_t r0[4];
        uint32_t r1[4];
        {
            const float *p0_in_x = in_x + j;
            kf_load4_f32(p0_in_x, 0, left, vec, r0);
            const float *p1_in_y = in_y + j;
            kf_load4_f32(p1_in_y, 0, left, vec, r1);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const float v1 = kf_item_f32(r1, e);
                const float v2 = v0 + v1;  // add
                const float v4 = v2 * 2.0f;  // multiply
                const float v5 = kf_exp_f32(v4);  // exp
                w0[e] = v5;
            }
            float *p2_out0 = out0 + j;
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    }
}
