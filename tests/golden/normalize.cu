
typedef struct {
    int64_t n1;
    int64_t rows;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k0_multiply_sum_sqrt_divide_args;

/* multiply, sum, sqrt, divide.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k0_multiply_sum_sqrt_divide, k0_multiply_sum_sqrt_divide_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t rows = a.rows;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int lane = tid % 32;
    const int n = n1;  // elements of a row
    const uint32_t any_row = kf_block() * 4 + tid / 32;
    const int is_row = any_row < rows;
    const int live = is_row ? n : 0;  // elements that this thread's row has
    const uint32_t row = is_row ? any_row : (rows - 1);
    const uint32_t i0 = row;
    float sum2 = 0.0f;
    uint32_t r0[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v1 = v0 * v0;  // multiply
                const float term2 = e < left ? v1 : 0.0f;
                sum2 = sum2 + term2;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum2 = kf_shfl_xor_f32(sum2, m);
        sum2 = sum2 + q_sum2;
    }
    const float v3 = sum2;  // sum
    const float v4 = kf_sqrt_f32(v3);  // sqrt
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v5 = kf_over_f32(kf_item_f32(r0 + s * 4, e), v4, 1 / (double)v4);  // divide
                w0[e] = v5;
            }
            float *p1_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p1_out0, 0, left, vec, w0);
        }
    }
}
