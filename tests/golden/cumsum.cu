
typedef struct {
    int64_t n2;
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    int64_t vec;
    float *tmp_2;
    int64_t s0_tmp_2;
    int64_t s1_tmp_2;
} k0_multiply_cumsum_args;

/* multiply, cumsum.
 * A row stays in the registers of its threads through all stages.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_2    float32[x.0, (max(x.1, 1) + 4095)//4096 - 1, 1], 4 bytes each */
KF_KERNEL(k0_multiply_cumsum, k0_multiply_cumsum_args, 256) {
    const uint32_t n2 = a.n2;
    const uint32_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const int64_t vec = a.vec;
    float *tmp_2 = a.tmp_2;
    const int64_t s0_tmp_2 = a.s0_tmp_2;
    const int64_t s1_tmp_2 = a.s1_tmp_2;
    const int tid = kf_thread();
    const int n = n2;  // elements of a row
    const uint32_t row = kf_block();
    const int rest = n - (tid - tid % 32) * 4;  // from its warp on
    const uint32_t i1 = row % n1;
    const uint32_t above1 = row / n1;
    const uint32_t i0 = above1;
    float sum3 = 0.0f;
    uint32_t r0[16];
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 256) * 4;
        const int left = n - j;
        const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + j);
        kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
    }
    KF_UNROLL
    for (int s = 0; s < 4; ++s) {
        const int j = (tid + s * 256) * 4;
        const int left = n - j;
        if ((s < 2) || (s * (256 * 4) < rest)) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v2 = v0 * 2.0f;  // multiply
                const float term3 = e < left ? v2 : 0.0f;
                sum3 = sum3 + term3;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum3 = kf_shfl_xor_f32(sum3, m);
        sum3 = sum3 + q_sum3;
    }
    KF_SHARED(float, warps0_sum3, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_sum3, tid / 32, sum3);
    }
    kf_barrier();
    sum3 = kf_shared_get_f32(warps0_sum3, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_sum3 = kf_shared_get_f32(warps0_sum3, w);
        sum3 = sum3 + q_sum3;
    }
    const float v4 = sum3;  // sum
    if (tid == 0) {
        kf_store_f32(tmp_2, i0 * s0_tmp_2 + i1 * s1_tmp_2, v4);
    }
}

typedef struct {
    int64_t units;
    int64_t n1;
    const float *tmp_2;
    int64_t s0_tmp_2;
    int64_t size_index0;
    int64_t first_index0;
    int64_t vec_tmp_2;
    double *tmp_3;
    int64_t s0_tmp_3;
    int64_t vec;
} k1_cumsum_args;

/* cumsum.
 * A thread has a row, one pack.
 * reads  tmp_2    float32[x.0, (max(x.1, 1) + 4095)//4096 - 1, 1], 4 bytes each
 * writes tmp_3    float64[x.0, (max(x.1, 1) + 4095)//4096], 8 bytes each */
KF_KERNEL(k1_cumsum, k1_cumsum_args, 128) {
    const int64_t units = a.units;
    const uint32_t n1 = a.n1;
    const float *tmp_2 = a.tmp_2;
    const int64_t s0_tmp_2 = a.s0_tmp_2;
    const int64_t size_index0 = a.size_index0;
    const int64_t first_index0 = a.first_index0;
    const int64_t vec_tmp_2 = a.vec_tmp_2;
    double *tmp_3 = a.tmp_3;
    const int64_t s0_tmp_3 = a.s0_tmp_3;
    const int64_t vec = a.vec;
    const int64_t t = kf_block() * 128 + kf_thread();
    const int lane = 0;
    const int there = t < units;
    const uint32_t u = kf_min_i64(t, units - 1);
    const uint32_t i0 = u;
    const int stop = there ? n1 : 0;
    for (int q0 = 0 / 4; q0 < (n1 + 3) / 4; ++q0) {
        double tile_sum5 = 0.0;
        uint32_t r1[4];
        double keep5[4];
        {
            const int j = (q0 + lane) * 4;
            const int left = stop - j;
            const float *p1_tmp_2 = tmp_2 + (i0 * s0_tmp_2 + j);
            const int here1 = kf_min_i64(left, 4);
            const int64_t begin1 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + j)), here1);
            const int64_t end1 = kf_max_i64(begin1, kf_min_i64(here1, size_index0 - (first_index0 + j)));
            if (begin1 == 0 && end1 == here1) {
                kf_load4_f32(p1_tmp_2, 0, end1, vec_tmp_2, r1);
            } else {
                kf_part4_f32(p1_tmp_2, begin1, end1, r1);
            }
        }
        {
            const int j = (q0 + lane) * 4;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int v0 = kf_within(first_index0 + (j + e), size_index0);  // cumsum
                const float v1 = kf_item_f32(r1, e);
                const double v2 = kf_cast_f32_f64(v1);  // cumsum
                const double v4 = v0 ? v2 : 0.0;  // cumsum
                tile_sum5 = tile_sum5 + v4;
                keep5[e] = tile_sum5;
            }
        }
        {
            const int j = (q0 + lane) * 4;
            const int left = stop - j;
            double w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                w0[e] = keep5[e];
            }
            double *p2_tmp_3 = tmp_3 + (i0 * s0_tmp_3 + j);
            kf_store4_f64(p2_tmp_3, 0, left, vec, w0);
        }
    }
}

typedef struct {
    int64_t units;
    int64_t n1;
    int64_t chunks;
    const double *tmp_3;
    int64_t d0_tmp_3;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t s0_out0;
} k2_multiply_cumsum_add_args;

/* multiply, cumsum, add.
 * A warp goes through a chunk of a row.
 * reads  tmp_3    float64[x.0, (max(x.1, 1) + 4095)//4096], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k2_multiply_cumsum_add, k2_multiply_cumsum_add_args, 128) {
    const int64_t units = a.units;
    const uint32_t n1 = a.n1;
    const uint32_t chunks = a.chunks;
    const double *tmp_3 = a.tmp_3;
    const int64_t d0_tmp_3 = a.d0_tmp_3;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const int64_t t = kf_block() * 128 + kf_thread();
    const int lane = t % 32;
    const int there = t / 32 < units;
    const uint32_t u = kf_min_i64(t / 32, units - 1);
    const int64_t chunk = u % chunks;
    const int64_t from = chunk * 4096;
    const int64_t to = kf_min_i64(n1, from + 4096);
    const uint32_t above = u / chunks;
    const uint32_t i0 = above;
    const double v0 = kf_load_f64(tmp_3, i0 * d0_tmp_3 + chunk);
    const float v1 = kf_cast_f64_f32(v0);  // cumsum
    float sum5 = 0.0f;
    const int stop = there ? to : 0;
    for (int q0 = from / 4; q0 < (to + 3) / 4; q0 += 128) {
        const int rest = stop - q0 * 4;
        float tile_sum5[4];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            tile_sum5[s] = 0.0f;
        }
        uint32_t r2[16];
        float keep5[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int j = (q0 + lane + s * 32) * 4;
            const int left = stop - j;
            const float *p1_in_x = in_x + (i0 * s0_in_x + j);
            kf_load4_f32(p1_in_x, 0, left, vec, r2 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            if ((s < 1) || (s * (32 * 4) < rest)) {
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const float v2 = kf_item_f32(r2 + s * 4, e);
                    const float v4 = v2 * 2.0f;  // multiply
                    tile_sum5[s] = tile_sum5[s] + v4;
                    keep5[s * 4 + e] = tile_sum5[s];
                }
            }
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            if ((s < 1) || (s * (32 * 4) < rest)) {
                float before_sum5 = 0.0f;
                KF_UNROLL
                for (int d = 0; d < 5; ++d) {
                    const int m = 1 << d;
                    const float other_sum5 = kf_shfl_xor_f32(tile_sum5[s], m);
                    before_sum5 = (lane & m) ? (other_sum5 + before_sum5) : before_sum5;
                    tile_sum5[s] = tile_sum5[s] + other_sum5;
                }
                before_sum5 = sum5 + before_sum5;
                KF_UNROLL
                for (int k = 0; k < 4; ++k) {
                    keep5[s * 4 + k] = before_sum5 + keep5[s * 4 + k];
                }
                sum5 = sum5 + tile_sum5[s];
            }
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int j = (q0 + lane + s * 32) * 4;
            const int left = stop - j;
            if ((s < 1) || (s * (32 * 4) < rest)) {
                float w0[4];
                KF_UNROLL
                for (int e = 0; e < 4; ++e) {
                    const float v6 = v1 + keep5[s * 4 + e];  // cumsum
                    const float v8 = v6 + 1.0f;  // add
                    w0[e] = v8;
                }
                float *p2_out0 = out0 + (i0 * s0_out0 + j);
                kf_store4_f32(p2_out0, 0, left, vec, w0);
            }
        }
    }
}
