
typedef struct {
    int64_t n1;
    int64_t rows;
    int64_t size_v14;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    const float *in_y;
    int64_t s0_in_y;
    float *out0;
    int64_t s0_out0;
} k0_multiply_add_relu_multiply_args;

/* multiply, add, relu, multiply, abs, multiply, subtract, mean, subtract, abs, multiply, add,
 * max, add, divide, clip, multiply, mean, subtract, sum, multiply.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_y     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_multiply_add_relu_multiply, k0_multiply_add_relu_multiply_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t rows = a.rows;
    const int64_t size_v14 = a.size_v14;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const float v15 = kf_cast_i64_f32(size_v14);  // mean
    const int tid = kf_thread();
    const int lane = tid % 32;
    const int n = n1;  // elements of a row
    const uint32_t any_row = kf_block() * 4 + tid / 32;
    const int is_row = any_row < rows;
    const int live = is_row ? n : 0;  // elements that this thread's row has
    const uint32_t row = is_row ? any_row : (rows - 1);
    const uint32_t i0 = row;
    float sum12 = 0.0f;
    uint32_t r0[16];
    uint32_t r3[16];
    float keep11[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        const float *p1_in_y = in_y + (i0 * s0_in_y + j);
        kf_load4_f32(p1_in_y, 0, left, vec, r3 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v2 = v0 * 0.5f;  // multiply
                const float v3 = kf_item_f32(r3 + s * 4, e);
                const float v4 = v2 + v3;  // add
                const float v6 = kf_max_f32(v4, 0.0f);  // relu
                const float v7 = v6 * v3;  // multiply
                const float v8 = kf_abs_f32(v0);  // abs
                const float v10 = v8 * 0x1.99999ap-4f /* 0.1 */;  // multiply
                const float v11 = v7 - v10;  // subtract
                keep11[s * 4 + e] = v11;
                const float term12 = e < left ? v11 : 0.0f;
                sum12 = sum12 + term12;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum12 = kf_shfl_xor_f32(sum12, m);
        sum12 = sum12 + q_sum12;
    }
    const float v13 = sum12;  // sum
    const float v16 = v13 / v15;  // mean
    float max22 = kf_lowest_f32;
    float keep20[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v17 = keep11[s * 4 + e] - v16;  // subtract
                const float v18 = kf_abs_f32(v17);  // abs
                const float v19 = kf_item_f32(r0 + s * 4, e) * kf_item_f32(r3 + s * 4, e);  // multiply
                const float v20 = v18 + v19;  // add
                keep20[s * 4 + e] = v20;
                const float term22 = e < left ? v20 : kf_lowest_f32;
                max22 = kf_max_f32(term22, max22);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max22 = kf_shfl_xor_f32(max22, m);
        max22 = kf_max_f32(q_max22, max22);
    }
    const float v23 = max22;  // max
    const float v24 = 1.0f + v23;  // add
    float mean31 = 0.0f;
    float keep30[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v25 = kf_over_f32(keep20[s * 4 + e], v24, 1 / (double)v24);  // divide
                const float v27 = kf_max_f32(v25, 0.25f);  // clip
                const float v29 = kf_min_f32(v27, 0.75f);  // clip
                const float v30 = v29 * keep11[s * 4 + e];  // multiply
                keep30[s * 4 + e] = v30;
                const float term31 = e < left ? v30 : 0.0f;
                mean31 = mean31 + term31;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_mean31 = kf_shfl_xor_f32(mean31, m);
        mean31 = mean31 + q_mean31;
    }
    mean31 = kf_mean_of_f32(mean31, kf_cast_i64_f32(live));
    const float v32 = n > 0 ? mean31 : kf_nan_f32;  // mean
    float m2_31 = 0.0f;
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float term31 = e < left ? kf_square_f32(keep30[s * 4 + e] - mean31) : 0.0f;
                m2_31 = m2_31 + term31;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_m2_31 = kf_shfl_xor_f32(m2_31, m);
        m2_31 = m2_31 + q_m2_31;
    }
    const float v34 = m2_31;  // m2
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v33 = keep30[s * 4 + e] - v32;  // subtract
                const float v35 = v33 * v34;  // multiply
                w0[e] = v35;
            }
            float *p2_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p2_out0, 0, left, vec, w0);
        }
    }
}
