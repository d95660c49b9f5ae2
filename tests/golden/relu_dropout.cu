
typedef struct {
    int64_t n0;
    int64_t scalar2;
    double scalar1;
    const float *in_x;
    int64_t vec;
    int64_t first_random0;
    float *out0;
} k0_relu_dropout_args;

/* relu, dropout.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
KF_KERNEL(k0_relu_dropout, k0_relu_dropout_args, 256) {
    const uint32_t n0 = a.n0;
    const int64_t scalar2 = a.scalar2;
    const double scalar1 = a.scalar1;
    const float *in_x = a.in_x;
    const int64_t vec = a.vec;
    const int64_t first_random0 = a.first_random0;
    float *out0 = a.out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const int64_t v4 = kf_keep_limit(scalar1);  // dropout
        const double v10 = 1.0 - scalar1;  // dropout
        const double v11 = kf_one_f64 / v10;  // dropout
        const float v12 = kf_cast_f64_f32(v11);  // dropout
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        int32_t r2[4];
        uint32_t r6[4];
        {
            const float *p1_in_x = in_x + j;
            kf_load4_f32(p1_in_x, 0, left, vec, r6);
            const int64_t index2 = first_random0 + j;
            kf_philox4(scalar2, 0, index2, r2);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int v5 = kf_keep_bits(r2[e], v4);  // dropout
                const float v6 = kf_item_f32(r6, e);
                const float v8 = kf_max_f32(v6, 0.0f);  // relu
                const float v13 = v8 * v12;  // dropout
                const float v14 = v5 ? v13 : 0.0f;  // dropout
                w0[e] = v14;
            }
            float *p2_out0 = out0 + j;
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    }
}
