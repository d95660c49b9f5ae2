
typedef struct {
    int64_t n3;
    int64_t stream;
    int64_t size_v12;
    int64_t size_v15;
    int64_t size_v32;
    int64_t size_v35;
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
    const int64_t size_v15 = a->size_v15;
    const int64_t size_v32 = a->size_v32;
    const int64_t size_v35 = a->size_v35;
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
    int table21[2048];
    int64_t table22[2048];
    float table65[2048];
    float table66[2048];
    int table76[2048];
    int64_t table77[2048];
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
                const int64_t v16 = kf_add_i64(v14, size_v15);  // interpolate
                const int v17 = v14 < 0;  // interpolate
                const int64_t v18 = v17 ? v16 : v14;  // interpolate
                const int v19 = v18 < size_v15;  // interpolate
                const int v20 = v18 >= 0;  // interpolate
                const int v21 = v20 & v19;  // interpolate
                const int64_t v22 = v21 ? v18 : 0;  // interpolate
                const float v65 = v7 - v8;  // interpolate
                const float v66 = 1.0f - v65;  // interpolate
                const int64_t v68 = kf_add_i64(v9, 1);  // interpolate
                const int64_t v69 = kf_max_i64(v68, 0);  // interpolate
                const int64_t v70 = kf_min_i64(v69, size_v12);  // interpolate
                const int64_t v71 = kf_add_i64(v70, size_v15);  // interpolate
                const int v72 = v70 < 0;  // interpolate
                const int64_t v73 = v72 ? v71 : v70;  // interpolate
                const int v74 = v73 < size_v15;  // interpolate
                const int v75 = v73 >= 0;  // interpolate
                const int v76 = v75 & v74;  // interpolate
                const int64_t v77 = v76 ? v73 : 0;  // interpolate
                table21[l] = v21;
                table22[l] = v22;
                table65[l] = v65;
                table66[l] = v66;
                table76[l] = v76;
                table77[l] = v77;
            }
            tabled = first;
        }
        const int64_t v23 = i2 * s2_index1;  // interpolate
        const float v24 = kf_cast_i64_f32(v23);  // interpolate
        const float v25 = v24 + 0.5f;  // interpolate
        const float v26 = v25 * 0.5f;  // interpolate
        const float v27 = v26 - 0.5f;  // interpolate
        const float v28 = kf_max_f32(v27, 0.0f);  // interpolate
        const float v29 = kf_floor_f32(v28);  // interpolate
        const int64_t v30 = kf_cast_f32_i64(v29);  // interpolate
        const int64_t v31 = kf_max_i64(v30, 0);  // interpolate
        const int64_t v34 = kf_min_i64(v31, size_v32);  // interpolate
        const int64_t v36 = kf_add_i64(v34, size_v35);  // interpolate
        const int v37 = v34 < 0;  // interpolate
        const int64_t v38 = v37 ? v36 : v34;  // interpolate
        const int v39 = v38 < size_v35;  // interpolate
        const int v40 = v38 >= 0;  // interpolate
        const int v41 = v40 & v39;  // interpolate
        const int64_t v42 = v41 ? v38 : 0;  // interpolate
        const float v46 = v28 - v29;  // interpolate
        const float v47 = 1.0f - v46;  // interpolate
        const int64_t v50 = kf_add_i64(v30, 1);  // interpolate
        const int64_t v51 = kf_max_i64(v50, 0);  // interpolate
        const int64_t v52 = kf_min_i64(v51, size_v32);  // interpolate
        const int64_t v53 = kf_add_i64(v52, size_v35);  // interpolate
        const int v54 = v52 < 0;  // interpolate
        const int64_t v55 = v54 ? v53 : v52;  // interpolate
        const int v56 = v55 < size_v35;  // interpolate
        const int v57 = v55 >= 0;  // interpolate
        const int v58 = v57 & v56;  // interpolate
        const int64_t v59 = v58 ? v55 : 0;  // interpolate
        float *p6_out0 = out0 + (i0 * s0_out0 + i1 * s1_out0 + i2 * s2_out0 + first);
        float buffer0[2048];
        float *to0 = stream ? buffer0 : p6_out0;
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int v43 = table21[l] & v41;  // interpolate
            const float v44 = v43 ? kf_load_f32(in_u, i0 * d0_in_u + (i1 * d1_in_u + (v42 * d2_in_u + table22[l]))) : 0.0f;
            const float v48 = v44 * v47;  // interpolate
            const int v60 = table21[l] & v58;  // interpolate
            const float v61 = v60 ? kf_load_f32(in_u_3, i0 * d0_in_u_3 + (i1 * d1_in_u_3 + (v59 * d2_in_u_3 + table22[l]))) : 0.0f;
            const float v62 = v61 * v46;  // interpolate
            const float v63 = v48 + v62;  // interpolate
            const float v64 = table21[l] ? v63 : 0.0f;  // interpolate
            const float v67 = v64 * table66[l];  // interpolate
            const int v78 = table76[l] & v41;  // interpolate
            const float v79 = v78 ? kf_load_f32(in_u_4, i0 * d0_in_u_4 + (i1 * d1_in_u_4 + (v42 * d2_in_u_4 + table77[l]))) : 0.0f;
            const float v80 = v79 * v47;  // interpolate
            const int v81 = table76[l] & v58;  // interpolate
            const float v82 = v81 ? kf_load_f32(in_u_5, i0 * d0_in_u_5 + (i1 * d1_in_u_5 + (v59 * d2_in_u_5 + table77[l]))) : 0.0f;
            const float v83 = v82 * v46;  // interpolate
            const float v84 = v80 + v83;  // interpolate
            const float v85 = table76[l] ? v84 : 0.0f;  // interpolate
            const float v86 = v85 * table65[l];  // interpolate
            const float v87 = v67 + v86;  // interpolate
            kf_store_f32(to0, l, v87);
        }
        if (stream) {
            kf_stream_copy(p6_out0, buffer0, len * 4);
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
