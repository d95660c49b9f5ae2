
typedef struct {
    int64_t n0;
    int64_t stream;
    double scalar1;
    double scalar2;
    const float *in_x;
    int8_t *out0;
} k0_divide_add_round_clip_args;

/* divide, add, round, clip, cast.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     int8[x.0], 1 byte each */
void k0_divide_add_round_clip(const k0_divide_add_round_clip_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t stream = a->stream;
    const double scalar1 = a->scalar1;
    const double scalar2 = a->scalar2;
    const float *in_x = a->in_x;
    int8_t *out0 = a->out0;
    const float v2 = kf_cast_f64_f32(scalar1);  // divide
    const float v5 = kf_cast_f64_f32(scalar2);  // add
    for (int64_t u = begin; u < end; ++u) {
        const int64_t first = u * 2048;
        const int64_t len = kf_min_i64(n0 - first, 2048);
        const float *p0_in_x = in_x + first;
        {
            int8_t *p1_out0 = out0 + first;
            if (stream) {
                kf_stream_ahead(p1_out0, len);
            }
            const int64_t size = stream ? 2048 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p1_out0)) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                int8_t buffer0[2048];
                int8_t *to0 = stream ? buffer0 : (p1_out0 + l0);
                float wide0[2048];
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, l);
                    const float v3 = v0 / v2;  // divide
                    const float v6 = v3 + v5;  // add
                    const float v7 = kf_round_f32(v6);  // round
                    const float v11 = kf_clamp_f32(v7, -128.0f, 127.0f);  // clip
                    wide0[l - l0] = v11;
                }
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const int8_t v12 = kf_cast_f32_i8_fits(wide0[l - l0]);  // cast
                    kf_store_i8(to0, l - l0, v12);
                }
                if (stream) {
                    kf_stream_copy(p1_out0 + l0, buffer0, l1 - l0);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
