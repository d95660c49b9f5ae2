
typedef struct {
    int64_t n1;
    int64_t rows;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const float *in_x_1;
    int64_t s0_in_x_1;
    int64_t s1_in_x_1;
    float *out0;
    int64_t s0_out0;
} k0_multiply_sum_args;

/* multiply, sum.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_1   float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each */
KF_KERNEL(k0_multiply_sum, k0_multiply_sum_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t rows = a.rows;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const float *in_x_1 = a.in_x_1;
    const int64_t s0_in_x_1 = a.s0_in_x_1;
    const int64_t s1_in_x_1 = a.s1_in_x_1;
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
    float sum3 = 0.0f;
    float r0[16];
    float r1[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + j * s1_in_x);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            r0[s * 4 + e] = e < left ? kf_load_f32(p0_in_x, e * s1_in_x) : 0.0f;
        }
        const float *p1_in_x_1 = in_x_1 + (i0 * s0_in_x_1 + j * s1_in_x_1);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            r1[s * 4 + e] = e < left ? kf_load_f32(p1_in_x_1, e * s1_in_x_1) : 0.0f;
        }
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (lane + s * 32) * 4;
        const int left = live - j;
        if ((s < 2) || (s * (32 * 4) < n)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v2 = r0[s * 4 + e] * r1[s * 4 + e];  // multiply
                const float term3 = e < left ? v2 : 0.0f;
                sum3 = sum3 + term3;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum3 = kf_shfl_xor_f32(sum3, m);
        sum3 = sum3 + q_sum3;
    }
    const float v4 = sum3;  // sum
    if (lane == 0 && is_row) {
        kf_store_f32(out0, i0 * s0_out0, v4);
    }
}
