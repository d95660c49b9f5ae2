
typedef struct {
    int64_t n0;
    double scalar1;
    double scalar2;
    const float *in_x;
    int64_t vec;
    int8_t *out0;
    int64_t vec_out0;
} k0_divide_add_round_clip_args;

/* divide, add, round, clip, cast.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     int8[x.0], 1 byte each */
KF_KERNEL(k0_divide_add_round_clip, k0_divide_add_round_clip_args, 256) {
    const uint32_t n0 = a.n0;
    const double scalar1 = a.scalar1;
    const double scalar2 = a.scalar2;
    const float *in_x = a.in_x;
    const int64_t vec = a.vec;
    int8_t *out0 = a.out0;
    const int64_t vec_out0 = a.vec_out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 8;
    if (j < n0) {
        const float v2 = kf_cast_f64_f32(scalar1);  // divide
        const float v5 = kf_cast_f64_f32(scalar2);  // add
        const int left = kf_min_i64(n0 - j, 8);  // elements of the pack
        uint32_t r0[8];
        {
            const float *p0_in_x = in_x + j;
            kf_load8_f32(p0_in_x, 0, left, vec, r0);
            int8_t w0[8];
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const float v3 = kf_over_f32(v0, v2, 1 / (double)v2);  // divide
                const float v6 = v3 + v5;  // add
                const float v7 = kf_round_f32(v6);  // round
                const float v11 = kf_clamp_f32(v7, -128.0f, 127.0f);  // clip
                const int8_t v12 = kf_cast_f32_i8_fits(v11);  // cast
                w0[e] = v12;
            }
            int8_t *p1_out0 = out0 + j;
            kf_store8_i8(p1_out0, 0, left, vec_out0, w0);
        }
    }
}
