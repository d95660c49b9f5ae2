
typedef struct {
    int64_t n1;
    int64_t rows;
    int64_t size_v2;
    const int32_t *in_i;
    int64_t s0_in_i;
    int64_t vec;
    const float *in_x;
    int64_t d0_in_x;
    float *out0;
    int64_t s0_out0;
} k0_take_along_axis_softmax_args;

/* take_along_axis, softmax.
 * A row stays in the registers of its threads through all stages.
 * reads  in_i     int32[x.0, i.1], 4 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, i.1], 4 bytes each */
KF_KERNEL(k0_take_along_axis_softmax, k0_take_along_axis_softmax_args, 128) {
    const int64_t n1 = a.n1;
    const int64_t rows = a.rows;
    const int64_t size_v2 = a.size_v2;
    const int32_t *in_i = a.in_i;
    const int64_t s0_in_i = a.s0_in_i;
    const int64_t vec = a.vec;
    const float *in_x = a.in_x;
    const int64_t d0_in_x = a.d0_in_x;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int tid = kf_thread();
    const int lane = tid % 32;
    const int n = n1;  // elements of a row
    const int64_t any_row = kf_block() * 4 + tid / 32;
    const int is_row = any_row < rows;
    const int live = is_row ? n : 0;  // elements that this thread's row has
    const int64_t row = is_row ? any_row : (rows - 1);
    const int64_t i0 = row;
    float max12 = kf_lowest_f32;
    uint32_t r0[4];
    float keep11[4];
    {
        const int64_t j = lane * 4;
        const int left = live - j;
        const int32_t *p0_in_i = in_i + (i0 * s0_in_i + j);
        kf_load4_i32(p0_in_i, 0, left, vec, r0);
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const int32_t v0 = kf_item_i32(r0, e);
            const int64_t v1 = kf_cast_i32_i64(v0);  // take_along_axis
            const int64_t v4 = kf_add_i64(v1, size_v2);  // take_along_axis
            const int v5 = v1 < 0;  // take_along_axis
            const int64_t v6 = v5 ? v4 : v1;  // take_along_axis
            const int v7 = v6 < size_v2;  // take_along_axis
            const int v8 = v6 >= 0;  // take_along_axis
            const int v9 = v8 & v7;  // take_along_axis
            const int64_t v10 = v9 ? v6 : 0;  // take_along_axis
            const float v11 = e < left && v9 ? kf_load_f32(in_x, i0 * d0_in_x + v10) : 0.0f;
            keep11[e] = v11;
            const float term12 = e < left ? v11 : kf_lowest_f32;
            max12 = kf_max_f32(term12, max12);
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max12 = kf_shfl_xor_f32(max12, m);
        max12 = kf_max_f32(q_max12, max12);
    }
    const float v13 = max12;  // max
    float sumexp12 = 0.0f;
    float keep15[4];
    {
        const int64_t j = lane * 4;
        const int left = live - j;
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v14 = keep11[e] - v13;  // softmax
            const float v15 = kf_exp_nonpositive_f32(v14);  // softmax
            keep15[e] = v15;
            sumexp12 = sumexp12 + (e < left ? v15 : 0.0f);
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sumexp12 = kf_shfl_xor_f32(sumexp12, m);
        sumexp12 = sumexp12 + q_sumexp12;
    }
    sumexp12 = kf_isinf_f32(max12) ? kf_one_f32 : sumexp12;
    const float v16 = sumexp12;  // sumexp
    const float v17 = v13 - v13;  // softmax
    const float v18 = v16 + v17;  // softmax
    const float v19 = kf_one_f32 / v18;  // softmax
    {
        const int64_t j = lane * 4;
        const int left = live - j;
        float w0[4];
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            const float v20 = keep15[e] * v19;  // softmax
            w0[e] = v20;
        }
        float *p2_out0 = out0 + (i0 * s0_out0 + j);
        kf_store4_f32(p2_out0, 0, left, vec, w0);
    }
}
