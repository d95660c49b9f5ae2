
typedef struct {
    int64_t n0;
    const float *in_q;
    int64_t vec;
    const float *in_k;
    const float *in_v;
    float *out0;
} k0_multiply_add_args;

/* multiply, add.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_q     float32[q.0], 4 bytes each
 * reads  in_k     float32[q.0], 4 bytes each
 * reads  in_v     float32[q.0], 4 bytes each
 * writes out0     float32[q.0], 4 bytes each */
KF_KERNEL(k0_multiply_add, k0_multiply_add_args, 256) {
    const uint32_t n0 = a.n0;
    const float *in_q = a.in_q;
    const int64_t vec = a.vec;
    const float *in_k = a.in_k;
    const float *in_v = a.in_v;
    float *out0 = a.out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        uint32_t r0[4];
        uint32_t r1[4];
        uint32_t r3[4];
        {
            const float *p0_in_q = in_q + j;
            kf_load4_f32(p0_in_q, 0, left, vec, r0);
            const float *p1_in_k = in_k + j;
            kf_load4_f32(p1_in_k, 0, left, vec, r1);
            const float *p2_in_v = in_v + j;
            kf_load4_f32(p2_in_v, 0, left, vec, r3);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const float v1 = kf_item_f32(r1, e);
                const float v2 = v0 * v1;  // multiply
                const float v3 = kf_item_f32(r3, e);
                const float v4 = v2 + v3;  // add
                w0[e] = v4;
            }
            float *p3_out0 = out0 + j;
            kf_store4_f32(p3_out0, 0, left, vec, w0);
        }
    }
}
