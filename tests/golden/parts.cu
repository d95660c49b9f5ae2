
typedef struct {
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_softmax_concatenate_args;

/* softmax, concatenate.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1 + y.1], 4 bytes each */
KF_KERNEL(k0_softmax_concatenate, k0_softmax_concatenate_args, 128) {
    const uint32_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i0 = row;
    float max1 = kf_lowest_f32;
    uint32_t r0[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float term1 = e < left ? v0 : kf_lowest_f32;
                max1 = kf_max_f32(term1, max1);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max1 = kf_shfl_xor_f32(max1, m);
        max1 = kf_max_f32(q_max1, max1);
    }
    KF_SHARED(float, warps0_max1, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max1, tid / 32, max1);
    }
    kf_barrier();
    max1 = kf_shared_get_f32(warps0_max1, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_max1 = kf_shared_get_f32(warps0_max1, w);
        max1 = kf_max_f32(q_max1, max1);
    }
    const float v2 = max1;  // max
    float sumexp1 = 0.0f;
    float keep4[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v3 = kf_item_f32(r0 + s * 4, e) - v2;  // softmax
                const float v4 = kf_exp_nonpositive_f32(v3);  // softmax
                keep4[s * 4 + e] = v4;
                sumexp1 = sumexp1 + (e < left ? v4 : 0.0f);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sumexp1 = kf_shfl_xor_f32(sumexp1, m);
        sumexp1 = sumexp1 + q_sumexp1;
    }
    KF_SHARED(float, warps64_sumexp1, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_sumexp1, tid / 32, sumexp1);
    }
    kf_barrier();
    sumexp1 = kf_shared_get_f32(warps64_sumexp1, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_sumexp1 = kf_shared_get_f32(warps64_sumexp1, w);
        sumexp1 = sumexp1 + q_sumexp1;
    }
    sumexp1 = kf_isinf_f32(max1) ? kf_one_f32 : sumexp1;
    const float v5 = sumexp1;  // sumexp
    const float v6 = v2 - v2;  // softmax
    const float v7 = v5 + v6;  // softmax
    const float v8 = kf_one_f32 / v7;  // softmax
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 4;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 4) < rest)) {
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v9 = keep4[s * 4 + e] * v8;  // softmax
                w0[e] = v9;
            }
            float *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store4_f32(p1_out0, left, vec, w0);
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t line_packs;
    int64_t lines;
    int64_t s0_out0;
    const float *in_y;
    int64_t s0_in_y;
    int64_t vec_in_y;
    int64_t by_in_y;
    float *out0;
    int64_t vec;
} k1_relu_concatenate_args;

/* relu, concatenate.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_y     float32[x.0, y.1], 4 bytes each
 * writes out0     float32[x.0, x.1 + y.1], 4 bytes each */
KF_KERNEL(k1_relu_concatenate, k1_relu_concatenate_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t line_packs = a.line_packs;
    const int64_t lines = a.lines;
    const int64_t s0_out0 = a.s0_out0;
    const float *in_y = a.in_y;
    const int64_t s0_in_y = a.s0_in_y;
    const int64_t vec_in_y = a.vec_in_y;
    const int64_t by_in_y = a.by_in_y;
    float *out0 = a.out0;
    const int64_t vec = a.vec;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = line_packs;  // of a line
    const uint32_t line = t / packs;
    if (line < lines) {
        const uint32_t i0 = line;
        const int skew = (i0 * s0_out0) & 3;  // elements of the first pack that are before the line
        const int64_t begin = ((int64_t)(t % packs)) * 4 - skew;
        const int64_t j = kf_max_i64(begin, 0);
        const int left = kf_min_i64(n1, begin + 4) - j;  // elements of the pack
        if (0 < left) {
            uint32_t r0[4];
            {
                const float *p0_in_y = in_y + (i0 * s0_in_y + j);
                kf_load4_f32(p0_in_y, 0, left, vec_in_y && (skew & by_in_y) == 0, r0);
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const float v0 = kf_item_f32(r0, e);
                    const float v2 = kf_max_f32(v0, 0.0f);  // relu
                    w0[e] = v2;
                }
                float *p1_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p1_out0, 0, left, vec, w0);
            }
        }
    }
}
