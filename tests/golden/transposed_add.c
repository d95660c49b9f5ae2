
typedef struct {
    int64_t n1;
    int64_t stream;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const float *in_y;
    int64_t s0_in_y;
    float *out0;
    int64_t s0_out0;
} k0_add_args;

/* add.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.1, x.0], 4 bytes each
 * writes out0     float32[x.1, x.0], 4 bytes each */
void k0_add(const k0_add_args *a, int64_t begin, int64_t end) {
    const int64_t n1 = a->n1;
    const int64_t stream = a->stream;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const float *in_y = a->in_y;
    const int64_t s0_in_y = a->s0_in_y;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t blocks = (n1 + 2047) / 2048;  // of a line
    for (int64_t u = begin; u < end; ++u) {
        const int64_t line = u / blocks;
        const int64_t i0 = line;
        const int64_t first = (u % blocks) * 2048;
        const int64_t len = kf_min_i64(n1 - first, 2048);
        const float *p0_in_x = in_x + (i0 * s0_in_x + first * s1_in_x);
        const float *p1_in_y = in_y + (i0 * s0_in_y + first);
        float *p2_out0 = out0 + (i0 * s0_out0 + first);
        float buffer0[2048];
        float *to0 = stream ? buffer0 : p2_out0;
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const float v0 = kf_load_f32(p0_in_x, l * s1_in_x);
            const float v1 = kf_load_f32(p1_in_y, l);
            const float v2 = v0 + v1;  // add
            kf_store_f32(to0, l, v2);
        }
        if (stream) {
            kf_stream_copy(p2_out0, buffer0, len * 4);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
