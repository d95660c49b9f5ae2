
typedef struct {
    int64_t n0;
    const float *in_x;
    int64_t vec;
    float *out0;
} k0_exp_log1p_tanh_multiply_args;

/* exp, log1p, tanh, multiply.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_exp_log1p_tanh_multiply, k0_exp_log1p_tanh_multiply_args, 256) {
    const uint32_t n0 = a.n0;
    const float *in_x = a.in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        uint32_t r0[4];
        {
            const float *p0_in_x = in_x + j;
            kf_load4_f32(p0_in_x, 0, left, vec, r0);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const float v1 = kf_exp_f32(v0);  // exp
                const float v2 = kf_log1p_f32(v1);  // log1p
                const float v3 = kf_tanh_f32(v2);  // tanh
                const float v4 = v0 * v3;  // multiply
                w0[e] = v4;
            }
            float *p1_out0 = out0 + j;
            kf_store4_f32(p1_out0, 0, left, vec, w0);
        }
    }
}
