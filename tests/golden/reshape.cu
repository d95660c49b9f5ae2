
typedef struct {
    int64_t n1;
    int64_t rows;
    int64_t lane_bits;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_sum_args;

/* sum.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0*x.1//4], 4 bytes each */
KF_KERNEL(k0_sum, k0_sum_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t rows = a.rows;
    const uint32_t lane_bits = a.lane_bits;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int lanes = 1 << lane_bits;  // of a row
    const int lane = tid & (lanes - 1);
    const int n = n1;  // elements of a row
    const uint32_t any_row = kf_block() * (128 >> lane_bits) + (tid >> lane_bits);
    const int is_row = any_row < rows;
    const int live = is_row ? n : 0;  // elements that this thread's row has
    const uint32_t row = is_row ? any_row : (rows - 1);
    const uint32_t i0 = row;
    float sum1 = 0.0f;
    uint32_t r0[4];
    {
        const int j = lane * 4;
        const int left = live - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v0 = kf_item_f32(r0, e);
            const float term1 = e < left ? v0 : 0.0f;
            sum1 = sum1 + term1;
        }
    }
    for (int m = lanes / 2; m > 0; m /= 2) {
        const float q_sum1 = kf_shfl_xor_f32(sum1, m);
        sum1 = sum1 + q_sum1;
    }
    const float v2 = sum1;  // sum
    if (lane == 0 && is_row) {
        kf_store_f32(out0, i0 * s0_out0, v2);
    }
}

typedef struct {
    int64_t n0;
    const float *in_y;
    int64_t vec;
    float *out1;
} k1_gelu_args;

/* gelu.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_y     float32[y.0, y.1], 4 bytes each
 * writes out1     float32[y.0*y.1//768, 12, 64], 4 bytes each */
KF_KERNEL(k1_gelu, k1_gelu_args, 256) {
    const uint32_t n0 = a.n0;
    const float *in_y = a.in_y;
    const int64_t vec = a.vec;
    float *out1 = a.out1;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const int64_t j = ((int64_t)t) * 4;
    if (j < n0) {
        const int left = kf_min_i64(n0 - j, 4);  // elements of the pack
        uint32_t r1[4];
        {
            const float *p0_in_y = in_y + j;
            kf_load4_f32(p0_in_y, 0, left, vec, r1);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v1 = kf_item_f32(r1, e);
                const float v2 = 0.5f * v1;  // gelu
                const float v5 = v1 * 0x1.6a09e6p-1f /* 0.70710677 */;  // gelu
                const float v6 = kf_erf_f32(v5);  // gelu
                const float v7 = 1.0f + v6;  // gelu
                const float v8 = v2 * v7;  // gelu
                w0[e] = v8;
            }
            float *p1_out1 = out1 + j;
            kf_store4_f32(p1_out1, 0, left, vec, w0);
        }
    }
}
