
typedef struct {
    int64_t n0;
    double scalar2;
    const float *in_mask;
    int64_t vec;
    const float *in_x;
    float *out0;
} k0_relu_dropout_mask_args;

/* relu, dropout_mask.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_mask  float32[x.0], 4 bytes each
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
KF_KERNEL(k0_relu_dropout_mask, k0_relu_dropout_mask_args, 256) {
    const uint32_t n0 = a.n0;
    const double scalar2 = a.scalar2;
    const float *in_mask = a.in_mask;
    const int64_t vec = a.vec;
    const float *in_x = a.in_x;
    float *out0 = a.out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const double v8 = 1.0 - scalar2;  // dropout_mask
        const double v9 = kf_one_f64 / v8;  // dropout_mask
        const float v10 = kf_cast_f64_f32(v9);  // dropout_mask
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        uint32_t r0[4];
        uint32_t r3[4];
        {
            const float *p0_in_mask = in_mask + j;
            kf_load4_f32(p0_in_mask, 0, left, vec, r0);
            const float *p1_in_x = in_x + j;
            kf_load4_f32(p1_in_x, 0, left, vec, r3);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const int v2 = v0 > 0.5f;  // dropout_mask
                const float v3 = kf_item_f32(r3, e);
                const float v5 = kf_max_f32(v3, 0.0f);  // relu
                const float v11 = v5 * v10;  // dropout_mask
                const float v12 = v2 ? v11 : 0.0f;  // dropout_mask
                w0[e] = v12;
            }
            float *p2_out0 = out0 + j;
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    }
}
