
typedef struct {
    int64_t n3;
    int64_t stream;
    int64_t size_v12;
    int64_t size_v26;
    int64_t lines;
    int64_t n2;
    int64_t n1;
    int64_t s2_index1;
    const float *in_u;
    const float *in_u_3;
    const float *in_u_4;
    const float *in_u_5;
    float *out0;
    int64_t s0_out0;
    int64_t s1_out0;
    int64_t s2_out0;
    int64_t d2_in_u;
    int64_t d1_in_u;
    int64_t d0_in_u;
    int64_t d2_in_u_3;
    int64_t d1_in_u_3;
    int64_t d0_in_u_3;
    int64_t d2_in_u_4;
    int64_t d1_in_u_4;
    int64_t d0_in_u_4;
    int64_t d2_in_u_5;
    int64_t d1_in_u_5;
    int64_t d0_in_u_5;
} k0_interpolate_args;

/* interpolate.
 * One pass over the elements, in blocks of the innermost axis.
 * reads  in_u     float32[u.0, u.1, u.2, u.3], 4 bytes each
 * reads  in_u_3   float32[u.0, u.1, u.2, u.3], 4 bytes each
 * reads  in_u_4   float32[u.0, u.1, u.2, u.3], 4 bytes each
 * reads  in_u_5   float32[u.0, u.1, u.2, u.3], 4 bytes each
 * writes out0     float32[u.0, u.1, u.2*2, u.3*2], 4 bytes each */
void k0_interpolate(const k0_interpolate_args *a, int64_t begin, int64_t end) {
    const int64_t n3 = a->n3;
    const int64_t stream = a->stream;
    const int64_t size_v12 = a->size_v12;
    const int64_t size_v26 = a->size_v26;
    const int64_t lines = a->lines;
    const int64_t n2 = a->n2;
    const int64_t n1 = a->n1;
    const int64_t s2_index1 = a->s2_index1;
    const float *in_u = a->in_u;
    const float *in_u_3 = a->in_u_3;
    const float *in_u_4 = a->in_u_4;
    const float *in_u_5 = a->in_u_5;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    const int64_t s1_out0 = a->s1_out0;
    const int64_t s2_out0 = a->s2_out0;
    const int64_t d2_in_u = a->d2_in_u;
    const int64_t d1_in_u = a->d1_in_u;
    const int64_t d0_in_u = a->d0_in_u;
    const int64_t d2_in_u_3 = a->d2_in_u_3;
    const int64_t d1_in_u_3 = a->d1_in_u_3;
    const int64_t d0_in_u_3 = a->d0_in_u_3;
    const int64_t d2_in_u_4 = a->d2_in_u_4;
    const int64_t d1_in_u_4 = a->d1_in_u_4;
    const int64_t d0_in_u_4 = a->d0_in_u_4;
    const int64_t d2_in_u_5 = a->d2_in_u_5;
    const int64_t d1_in_u_5 = a->d1_in_u_5;
    const int64_t d0_in_u_5 = a->d0_in_u_5;
    int64_t table14[2048];
    float table42[2048];
    float table43[2048];
    int64_t table47[2048];
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
                const float v42 = v7 - v8;  // interpolate
                const float v43 = 1.0f - v42;  // interpolate
                const int64_t v45 = kf_add_i64(v9, 1);  // interpolate
                const int64_t v46 = kf_max_i64(v45, 0);  // interpolate
                const int64_t v47 = kf_min_i64(v46, size_v12);  // interpolate
                table14[l] = v14;
                table42[l] = v42;
                table43[l] = v43;
                table47[l] = v47;
            }
            tabled = first;
        }
        const int64_t v17 = i2 * s2_index1;  // interpolate
        const float v18 = kf_cast_i64_f32(v17);  // interpolate
        const float v19 = v18 + 0.5f;  // interpolate
        const float v20 = v19 * 0.5f;  // interpolate
        const float v21 = v20 - 0.5f;  // interpolate
        const float v22 = kf_max_f32(v21, 0.0f);  // interpolate
        const float v23 = kf_floor_f32(v22);  // interpolate
        const int64_t v24 = kf_cast_f32_i64(v23);  // interpolate
        const int64_t v25 = kf_max_i64(v24, 0);  // interpolate
        const int64_t v28 = kf_min_i64(v25, size_v26);  // interpolate
        const float v32 = v22 - v23;  // interpolate
        const float v33 = 1.0f - v32;  // interpolate
        const int64_t v36 = kf_add_i64(v24, 1);  // interpolate
        const int64_t v37 = kf_max_i64(v36, 0);  // interpolate
        const int64_t v38 = kf_min_i64(v37, size_v26);  // interpolate
        {
            float *p6_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + i2 * s2_out0 + first);
            if (stream) {
                kf_stream_ahead(p6_out0, len * 4);
            }
            const int64_t size = stream ? 256 : 2048;  // of a piece
            const int64_t start = stream ? (0 - kf_stream_skew(p6_out0) / 4) : 0;
            for (int64_t piece = start; piece < len; piece += size) {
                const int64_t l0 = kf_max_i64(piece, 0);
                const int64_t l1 = kf_min_i64(piece + size, len);
                float buffer0[256];
                float *to0 = stream ? buffer0 : (p6_out0 + l0);
                KF_SIMD
                for (int64_t l = l0; l < l1; ++l) {
                    const float v30 = kf_load_f32(in_u, i0 * d0_in_u + (i1 * d1_in_u + (v28 * d2_in_u + table14[l])));
                    const float v34 = v30 * v33;  // interpolate
                    const float v39 = kf_load_f32(in_u_3, i0 * d0_in_u_3 + (i1 * d1_in_u_3 + (v38 * d2_in_u_3 + table14[l])));
                    const float v40 = v39 * v32;  // interpolate
                    const float v41 = v34 + v40;  // interpolate
                    const float v44 = v41 * table43[l];  // interpolate
                    const float v48 = kf_load_f32(in_u_4, i0 * d0_in_u_4 + (i1 * d1_in_u_4 + (v28 * d2_in_u_4 + table47[l])));
                    const float v49 = v48 * v33;  // interpolate
                    const float v50 = kf_load_f32(in_u_5, i0 * d0_in_u_5 + (i1 * d1_in_u_5 + (v38 * d2_in_u_5 + table47[l])));
                    const float v51 = v50 * v32;  // interpolate
                    const float v52 = v49 + v51;  // interpolate
                    const float v53 = v52 * table42[l];  // interpolate
                    const float v54 = v44 + v53;  // interpolate
                    kf_store_f32(to0, l - l0, v54);
                }
                if (stream) {
                    kf_stream_copy(p6_out0 + l0, buffer0, (l1 - l0) * 4);
                }
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
