
typedef struct {
    int64_t n2;
    int64_t stream;
    int64_t size_v12;
    int64_t ahead;
    int64_t n1;
    int64_t s1_index0;
    const float *in_u;
    int64_t s0_in_u;
    int64_t t0_in_u;
    const float *in_u_2;
    int64_t s0_in_u_2;
    int64_t t1_in_u_2;
    float *tmp_2;
    int64_t s0_tmp_2;
    int64_t s1_tmp_2;
} k0_interpolate_args;

/* interpolate.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_u     float32[u.0, u.1, u.2, u.3], 4 bytes each
 * reads  in_u_2   float32[u.0, u.1, u.2, u.3], 4 bytes each
 * writes tmp_2    float32[u.0, u.1, u.2*2, u.3], 4 bytes each */
void k0_interpolate(const k0_interpolate_args *a, int64_t begin, int64_t end) {
    const int64_t n2 = a->n2;
    const int64_t stream = a->stream;
    const int64_t size_v12 = a->size_v12;
    const int64_t ahead = a->ahead;
    const int64_t n1 = a->n1;
    const int64_t s1_index0 = a->s1_index0;
    const float *in_u = a->in_u;
    const int64_t s0_in_u = a->s0_in_u;
    const int64_t t0_in_u = a->t0_in_u;
    const float *in_u_2 = a->in_u_2;
    const int64_t s0_in_u_2 = a->s0_in_u_2;
    const int64_t t1_in_u_2 = a->t1_in_u_2;
    float *tmp_2 = a->tmp_2;
    const int64_t s0_tmp_2 = a->s0_tmp_2;
    const int64_t s1_tmp_2 = a->s1_tmp_2;
    const int64_t blocks = (n2 + 2047) / 2048;  // of a line
    for (int64_t u = begin; u < end; ++u) {
        if (ahead && u + 1 < end) {
            const int64_t next = u + 1;
            const int64_t line = next / blocks;
            const int64_t i1 = line % n1;
            const int64_t above1 = line / n1;
            const int64_t i0 = above1;
            const int64_t first = (next % blocks) * 2048;
            const int64_t len = kf_min_i64(n2 - first, 2048);
            const int64_t v0 = i1 * s1_index0;  // interpolate
            const float v1 = kf_cast_i64_f32(v0);  // interpolate
            const float v3 = v1 + 0.5f;  // interpolate
            const float v4 = v3 * 0.5f;  // interpolate
            const float v5 = v4 - 0.5f;  // interpolate
            const float v7 = kf_max_f32(v5, 0.0f);  // interpolate
            const float v8 = kf_floor_f32(v7);  // interpolate
            const int64_t v9 = kf_cast_f32_i64(v8);  // interpolate
            const int64_t v11 = kf_max_i64(v9, 0);  // interpolate
            const int64_t v14 = kf_min_i64(v11, size_v12);  // interpolate
            const float *p1_in_u = in_u + (i0 * s0_in_u + first + v14 * t0_in_u);
            for (int64_t l = 0; l < len; l += 16) {
                kf_prefetch_far(p1_in_u + l);
            }
            const int64_t v23 = kf_add_i64(v9, 1);  // interpolate
            const int64_t v24 = kf_max_i64(v23, 0);  // interpolate
            const int64_t v25 = kf_min_i64(v24, size_v12);  // interpolate
            const float *p2_in_u_2 = in_u_2 + (i0 * s0_in_u_2 + first + v25 * t1_in_u_2);
            for (int64_t l = 0; l < len; l += 16) {
                kf_prefetch_far(p2_in_u_2 + l);
            }
        }
        const int64_t line = u / blocks;
        const int64_t i1 = line % n1;
        const int64_t above1 = line / n1;
        const int64_t i0 = above1;
        const int64_t first = (u % blocks) * 2048;
        const int64_t len = kf_min_i64(n2 - first, 2048);
        const int64_t v0 = i1 * s1_index0;  // interpolate
        const float v1 = kf_cast_i64_f32(v0);  // interpolate
        const float v3 = v1 + 0.5f;  // interpolate
        const float v4 = v3 * 0.5f;  // interpolate
        const float v5 = v4 - 0.5f;  // interpolate
        const float v7 = kf_max_f32(v5, 0.0f);  // interpolate
        const float v8 = kf_floor_f32(v7);  // interpolate
        const int64_t v9 = kf_cast_f32_i64(v8);  // interpolate
        const int64_t v11 = kf_max_i64(v9, 0);  // interpolate
        const int64_t v14 = kf_min_i64(v11, size_v12);  // interpolate
        const float v19 = v7 - v8;  // interpolate
        const float v20 = 1.0f - v19;  // interpolate
        const int64_t v23 = kf_add_i64(v9, 1);  // interpolate
        const int64_t v24 = kf_max_i64(v23, 0);  // interpolate
        const int64_t v25 = kf_min_i64(v24, size_v12);  // interpolate
        const float *p1_in_u = in_u + (i0 * s0_in_u + first + v14 * t0_in_u);
        const float *p2_in_u_2 = in_u_2 + (i0 * s0_in_u_2 + first + v25 * t1_in_u_2);
        {
            float *p3_tmp_2 = tmp_2 + (i0 * s0_tmp_2 + i1 * s1_tmp_2 + first);
            if (stream) {
                kf_stream_ahead(p3_tmp_2, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p3_tmp_2) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p3_tmp_2 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v17 = kf_load_f32(p1_in_u, l);
                    const float v21 = v17 * v20;  // interpolate
                    const float v26 = kf_load_f32(p2_in_u_2, l);
                    const float v27 = v26 * v19;  // interpolate
                    const float v28 = v21 + v27;  // interpolate
                    kf_store_f32(to0, l - l0, v28);
                }
                if (stream) {
                    kf_stream_copy(p3_tmp_2 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t n3;
    int64_t stream;
    int64_t size_v12;
    int64_t lines;
    int64_t n2;
    int64_t n1;
    const float *tmp_2;
    const float *tmp__2;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    int64_t s2_out0;
    int64_t d2_tmp_2;
    int64_t d1_tmp_2;
    int64_t d0_tmp_2;
    int64_t d2_tmp__2;
    int64_t d1_tmp__2;
    int64_t d0_tmp__2;
} k1_interpolate_args;

/* interpolate.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  tmp_2    float32[u.0, u.1, u.2*2, u.3], 4 bytes each
 * reads  tmp__2   float32[u.0, u.1, u.2*2, u.3], 4 bytes each
 * writes out0     float32[u.0, u.1, u.2*2, u.3*2], 4 bytes each */
void k1_interpolate(const k1_interpolate_args *a, int64_t begin, int64_t end) {
    const int64_t n3 = a->n3;
    const int64_t stream = a->stream;
    const int64_t size_v12 = a->size_v12;
    const int64_t lines = a->lines;
    const int64_t n2 = a->n2;
    const int64_t n1 = a->n1;
    const float *tmp_2 = a->tmp_2;
    const float *tmp__2 = a->tmp__2;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    const int64_t s2_out0 = a->s2_out0;
    const int64_t d2_tmp_2 = a->d2_tmp_2;
    const int64_t d1_tmp_2 = a->d1_tmp_2;
    const int64_t d0_tmp_2 = a->d0_tmp_2;
    const int64_t d2_tmp__2 = a->d2_tmp__2;
    const int64_t d1_tmp__2 = a->d1_tmp__2;
    const int64_t d0_tmp__2 = a->d0_tmp__2;
    int64_t table14[2048];
    float table19[2048];
    float table20[2048];
    int64_t table25[2048];
    int64_t tabled = -1;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t line = u % lines;
        const int64_t i2 = line % n2;
        const int64_t above2 = line / n2;
        const int64_t i1 = above2 % n1;
        const int64_t above1 = above2 / n1;
        const int64_t i0 = above1;
        const int64_t first = (u / lines) * 2048;
        const int64_t len = kf_min_i64(n3 - first, 2048);
        if (first != tabled) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t v0 = first + l;  // interpolate
                const float v1 = kf_cast_i64_f32(v0);  // interpolate
                const float v3 = v1 + 0.5f;  // interpolate
                const float v4 = v3 * 0.5f;  // interpolate
                const float v5 = v4 - 0.5f;  // interpolate
                const float v7 = kf_max_f32(v5, 0.0f);  // interpolate
                const float v8 = kf_floor_f32(v7);  // interpolate
                const int64_t v9 = kf_cast_f32_i64(v8);  // interpolate
                const int64_t v11 = kf_max_i64(v9, 0);  // interpolate
                const int64_t v14 = kf_min_i64(v11, size_v12);  // interpolate
                const float v19 = v7 - v8;  // interpolate
                const float v20 = 1.0f - v19;  // interpolate
                const int64_t v23 = kf_add_i64(v9, 1);  // interpolate
                const int64_t v24 = kf_max_i64(v23, 0);  // interpolate
                const int64_t v25 = kf_min_i64(v24, size_v12);  // interpolate
                table14[l] = v14;
                table19[l] = v19;
                table20[l] = v20;
                table25[l] = v25;
            }
            tabled = first;
        }
        {
            float *p3_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + i2 * s2_out0 + first);
            if (stream) {
                kf_stream_ahead(p3_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p3_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p3_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v17 = kf_load_f32(tmp_2, i0 * d0_tmp_2 + (i1 * d1_tmp_2 + (i2 * d2_tmp_2 + table14[l])));
                    const float v21 = v17 * table20[l];  // interpolate
                    const float v26 = kf_load_f32(tmp__2, i0 * d0_tmp__2 + (i1 * d1_tmp__2 + (i2 * d2_tmp__2 + table25[l])));
                    const float v27 = v26 * table19[l];  // interpolate
                    const float v28 = v21 + v27;  // interpolate
                    kf_store_f32(to0, l - l0, v28);
                }
                if (stream) {
                    kf_stream_copy(p3_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
