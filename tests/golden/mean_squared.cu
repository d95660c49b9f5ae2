
typedef struct {
    int64_t n0;
    int64_t size_v6;
    int64_t chunks;
    int64_t chunk;
    int64_t all_packs;
    const float *in_x;
    int64_t vec;
    const float *in_y;
    float *out0;
    float *part_sum4;
} k0_subtract_square_mean_args;

/* subtract, square, mean.
 * A block reduces a chunk of a row; of one chunk, finished here.
 * reads  in_x     float32[x.0], 4 bytes each
 * reads  in_y     float32[x.0], 4 bytes each
 * writes out0     float32[], 4 bytes each */
KF_KERNEL(k0_subtract_square_mean, k0_subtract_square_mean_args, 256) {
    const uint32_t n0 = a.n0;
    const int64_t size_v6 = a.size_v6;
    const int64_t chunks = a.chunks;
    const int64_t chunk = a.chunk;
    const int64_t all_packs = a.all_packs;
    const float *in_x = a.in_x;
    const int64_t vec = a.vec;
    const float *in_y = a.in_y;
    float *out0 = a.out0;
    float *part_sum4 = a.part_sum4;
    const float v7 = kf_cast_i64_f32(size_v6);  // mean
    const int tid = kf_thread();
    const int64_t u = kf_block();
    const int64_t from = (u % chunks) * chunk;
    const int64_t to = kf_min_i64(all_packs, from + chunk);
    float sum4 = 0.0f;
    for (int64_t q0 = from; q0 < to; q0 += 1024) {
        uint32_t r0[16];
        uint32_t r1[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n0 - j, 4) : 0;
            const float *p0_in_x = in_x + j;
            kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
            const float *p1_in_y = in_y + j;
            kf_load4_f32(p1_in_y, 0, left, vec, r1 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t q = q0 + tid + s * 256;
            const int64_t j = q * 4;
            const int left = q < to ? kf_min_i64(n0 - j, 4) : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v1 = kf_item_f32(r1 + s * 4, e);
                const float v2 = v0 - v1;  // subtract
                const float v3 = v2 * v2;  // square
                const float term4 = e < left ? v3 : 0.0f;
                sum4 = sum4 + term4;
            }
        }
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum4 = kf_shfl_xor_f32(sum4, m);
        sum4 = sum4 + q_sum4;
    }
    KF_SHARED(float, warps0_sum4, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_sum4, tid / 32, sum4);
    }
    kf_barrier();
    sum4 = kf_shared_get_f32(warps0_sum4, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_sum4 = kf_shared_get_f32(warps0_sum4, w);
        sum4 = sum4 + q_sum4;
    }
    if (tid == 0) {
        if (chunks == 1) {
            const float v5 = sum4;  // sum
            const float v8 = v5 / v7;  // mean
            kf_store_f32(out0, 0, v8);
        } else {
            kf_store_f32(part_sum4, u, sum4);
        }
    }
}

typedef struct {
    int64_t size_v6;
    int64_t chunks;
    float *part_sum4;
    float *out0;
} k0_subtract_square_mean_merge_args;

/* subtract, square, mean.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out0     float32[], 4 bytes each */
KF_KERNEL(k0_subtract_square_mean_merge, k0_subtract_square_mean_merge_args, 256) {
    const int64_t size_v6 = a.size_v6;
    const int64_t chunks = a.chunks;
    float *part_sum4 = a.part_sum4;
    float *out0 = a.out0;
    const float v7 = kf_cast_i64_f32(size_v6);  // mean
    const int tid = kf_thread();
    const int64_t u = kf_block();
    float sum4 = 0.0f;
    for (int64_t c = tid; c < chunks; c += 256) {
        const int64_t at = u * chunks + c;
        const float q_sum4 = kf_load_f32(part_sum4, at);
        sum4 = sum4 + q_sum4;
    }
    for (int m = 16; m > 0; m /= 2) {
        const float q_sum4 = kf_shfl_xor_f32(sum4, m);
        sum4 = sum4 + q_sum4;
    }
    KF_SHARED(float, warps0_sum4, 8);
    if (tid % 32 == 0) {
        kf_shared_put_f32(warps0_sum4, tid / 32, sum4);
    }
    kf_barrier();
    sum4 = kf_shared_get_f32(warps0_sum4, 0);
    for (int w = 1; w < 8; ++w) {
        const float q_sum4 = kf_shared_get_f32(warps0_sum4, w);
        sum4 = sum4 + q_sum4;
    }
    if (tid == 0) {
        const float v5 = sum4;  // sum
        const float v8 = v5 / v7;  // mean
        kf_store_f32(out0, 0, v8);
    }
}
