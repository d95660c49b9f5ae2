
typedef struct {
    int64_t n1;
    int64_t size_index1;
    int64_t first_index3;
    int64_t size_index3;
    int64_t first_index5;
    int64_t size_index5;
    const kf_bf16 *in_x_8;
    int64_t s0_in_x_8;
    const kf_bf16 *in_x_9;
    int64_t s0_in_x_9;
    const kf_bf16 *in_x_10;
    int64_t s0_in_x_10;
    int64_t first_index7;
    int64_t size_index7;
    int64_t vec_in_x_8;
    int64_t vec_in_x_9;
    int64_t vec_in_x_10;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const kf_bf16 *in_x_4;
    int64_t s0_in_x_4;
    int64_t s1_in_x_4;
    const kf_bf16 *in_x_6;
    int64_t s0_in_x_6;
    int64_t s1_in_x_6;
    const kf_bf16 *in_x_12;
    int64_t s0_in_x_12;
    int64_t s1_in_x_12;
    const kf_bf16 *in_x_13;
    int64_t s0_in_x_13;
    int64_t s1_in_x_13;
    const kf_bf16 *in_x_14;
    int64_t s0_in_x_14;
    int64_t s1_in_x_14;
    int64_t first_index11;
    int64_t size_index11;
    kf_bf16 *out0;
    int64_t s0_out0;
    int64_t vec;
} k0_pad_softmax_args;

/* pad, softmax.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_4   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_6   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_8   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_9   bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_10  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_12  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_13  bfloat16[x.0, x.1], 2 bytes each
 * reads  in_x_14  bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.0 + 2, x.1 + 2], 2 bytes each */
KF_KERNEL(k0_pad_softmax, k0_pad_softmax_args, 128) {
    const uint32_t n1 = a.n1;
    const int64_t size_index1 = a.size_index1;
    const int64_t first_index3 = a.first_index3;
    const int64_t size_index3 = a.size_index3;
    const int64_t first_index5 = a.first_index5;
    const int64_t size_index5 = a.size_index5;
    const kf_bf16 *in_x_8 = a.in_x_8;
    const int64_t s0_in_x_8 = a.s0_in_x_8;
    const kf_bf16 *in_x_9 = a.in_x_9;
    const int64_t s0_in_x_9 = a.s0_in_x_9;
    const kf_bf16 *in_x_10 = a.in_x_10;
    const int64_t s0_in_x_10 = a.s0_in_x_10;
    const int64_t first_index7 = a.first_index7;
    const int64_t size_index7 = a.size_index7;
    const int64_t vec_in_x_8 = a.vec_in_x_8;
    const int64_t vec_in_x_9 = a.vec_in_x_9;
    const int64_t vec_in_x_10 = a.vec_in_x_10;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const kf_bf16 *in_x_4 = a.in_x_4;
    const int64_t s0_in_x_4 = a.s0_in_x_4;
    const int64_t s1_in_x_4 = a.s1_in_x_4;
    const kf_bf16 *in_x_6 = a.in_x_6;
    const int64_t s0_in_x_6 = a.s0_in_x_6;
    const int64_t s1_in_x_6 = a.s1_in_x_6;
    const kf_bf16 *in_x_12 = a.in_x_12;
    const int64_t s0_in_x_12 = a.s0_in_x_12;
    const int64_t s1_in_x_12 = a.s1_in_x_12;
    const kf_bf16 *in_x_13 = a.in_x_13;
    const int64_t s0_in_x_13 = a.s0_in_x_13;
    const int64_t s1_in_x_13 = a.s1_in_x_13;
    const kf_bf16 *in_x_14 = a.in_x_14;
    const int64_t s0_in_x_14 = a.s0_in_x_14;
    const int64_t s1_in_x_14 = a.s1_in_x_14;
    const int64_t first_index11 = a.first_index11;
    const int64_t size_index11 = a.size_index11;
    kf_bf16 *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t vec = a.vec;
    const int tid = kf_thread();
    const int n = n1;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 8;  // from its warp on
    const uint32_t i0 = row;
    const int v1 = kf_within(i0, size_index1);  // pad
    const int v4 = kf_within(first_index3 + i0, size_index3);  // pad
    const int v7 = kf_within(first_index5 + i0, size_index5);  // pad
    float max39 = kf_lowest_f32;
    uint32_t r3[16];
    float keep38[32];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        const kf_bf16 *p8_in_x_8 = in_x_8 + (i0 * s0_in_x_8 + j);
        const kf_bf16 *p9_in_x_9 = in_x_9 + (i0 * s0_in_x_9 + j);
        const kf_bf16 *p10_in_x_10 = in_x_10 + (i0 * s0_in_x_10 + j);
        const kf_bf16 *from16 = v7 ? p10_in_x_10 : (v4 ? p9_in_x_9 : p8_in_x_8);
        const int some16 = (v1 | v4) | v7;
        const int here16 = kf_min_i64(left, 8);
        if (some16 & (kf_within(first_index7 + j, size_index7) & kf_within(first_index7 + (j + here16 - 1), size_index7))) {
            kf_load8_bf16(from16, 0, here16, v7 ? vec_in_x_10 : (v4 ? vec_in_x_9 : vec_in_x_8), r3 + s * 4);
        } else {
            if (0 < left) {
                uint32_t raw_r3[8];
                const kf_bf16 *p2_in_x = in_x + (i0 * s0_in_x + j * s1_in_x);
                const kf_bf16 *p4_in_x_4 = in_x_4 + (i0 * s0_in_x_4 + j * s1_in_x_4);
                const kf_bf16 *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + j * s1_in_x_6);
                const kf_bf16 *from3 = v7 ? p6_in_x_6 : (v4 ? p4_in_x_4 : p2_in_x);
                const int64_t by1_3 = v7 ? s1_in_x_6 : (v4 ? s1_in_x_4 : s1_in_x);
                const kf_bf16 *p12_in_x_12 = in_x_12 + (i0 * s0_in_x_12 + j * s1_in_x_12);
                const kf_bf16 *p13_in_x_13 = in_x_13 + (i0 * s0_in_x_13 + j * s1_in_x_13);
                const kf_bf16 *p14_in_x_14 = in_x_14 + (i0 * s0_in_x_14 + j * s1_in_x_14);
                const kf_bf16 *from27 = v7 ? p14_in_x_14 : (v4 ? p13_in_x_13 : p12_in_x_12);
                const int some27 = (v1 | v4) | v7;
                const int64_t by1_27 = v7 ? s1_in_x_14 : (v4 ? s1_in_x_13 : s1_in_x_12);
                KF_UNROLL
                for (int e = 0; e < 8; ++e) {
                    const int there16 = kf_within(first_index7 + (j + e), size_index7);
                    const int there27 = kf_within(first_index11 + (j + e), size_index11);
                    const kf_bf16 *p_r3 = e < left ? (((there27 & some27) ? from27 : ((there16 & some16) ? from16 : from3)) + e * ((there27 & some27) ? by1_27 : ((there16 & some16) ? 1 : by1_3))) : kf_zeros_bf16();
                    kf_single_bf16(p_r3, raw_r3 + e);
                }
                kf_join8_bf16(raw_r3, r3 + s * 4);
            } else {
                KF_UNROLL
                for (int k = 0; k < 4; ++k) {
                    r3[s * 4 + k] = 0;
                }
            }
        }
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v3 = kf_item_bf16(r3 + s * 4, e);
                keep38[s * 8 + e] = v3;
                const float term39 = e < left ? v3 : kf_lowest_f32;
                max39 = kf_max_f32(term39, max39);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_max39 = kf_shfl_xor_f32(max39, m);
        max39 = kf_max_f32(q_max39, max39);
    }
    KF_SHARED(float, warps0_max39, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_max39, tid / 32, max39);
    }
    kf_barrier();
    max39 = kf_shared_get_f32(warps0_max39, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_max39 = kf_shared_get_f32(warps0_max39, w);
        max39 = kf_max_f32(q_max39, max39);
    }
    const float v40 = max39;  // max
    float sumexp39 = 0.0f;
    float keep42[32];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v41 = keep38[s * 8 + e] - v40;  // softmax
                const float v42 = kf_exp_nonpositive_f32(v41);  // softmax
                keep42[s * 8 + e] = v42;
                sumexp39 = sumexp39 + (e < left ? v42 : 0.0f);
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sumexp39 = kf_shfl_xor_f32(sumexp39, m);
        sumexp39 = sumexp39 + q_sumexp39;
    }
    KF_SHARED(float, warps64_sumexp39, 4);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps64_sumexp39, tid / 32, sumexp39);
    }
    kf_barrier();
    sumexp39 = kf_shared_get_f32(warps64_sumexp39, 0);
    for (int w = 1; w < 4; ++w) {
        const float q_sumexp39 = kf_shared_get_f32(warps64_sumexp39, w);
        sumexp39 = sumexp39 + q_sumexp39;
    }
    sumexp39 = kf_isinf_f32(max39) ? kf_one_f32 : sumexp39;
    const float v43 = sumexp39;  // sumexp
    const float v44 = v40 - v40;  // softmax
    const float v45 = v43 + v44;  // softmax
    const float v46 = kf_one_f32 / v45;  // softmax
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 128) * 8;
        const int left = n - j;
        if ((s < 1) || (s * (128 * 8) < rest)) {
            float w0[8];
            KF_UNROLL
            for (int e = 0; e < 8; ++e) {
                const float v47 = keep42[s * 8 + e] * v46;  // softmax
                w0[e] = v47;
            }
            kf_bf16 *p15_out0 = out0 + (i0 * s0_out0 + j);
            kf_row_store8_bf16(p15_out0, left, vec, w0);
        }
    }
}
