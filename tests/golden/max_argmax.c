
typedef struct {
    int64_t reduced;
    int64_t chunks;
    const float *in_x;
    int64_t s0_in_x;
    int64_t far;
    float *out0;
    int64_t s0_out0;
    int64_t *out1;
    int64_t s0_out1;
    int64_t *out2;
    int64_t s0_out2;
    float *out3;
    int64_t s0_out3;
    float *part_max1;
    int64_t *part_at1;
    float *part_min4;
    int64_t *part_at4;
} k0_max_argmax_argmin_min_args;

/* max, argmax, argmin, min.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0], 4 bytes each
 * writes out1     int64[x.0], 8 bytes each
 * writes out2     int64[x.0], 8 bytes each
 * writes out3     float32[x.0], 4 bytes each */
KF_JUMPS void k0_max_argmax_argmin_min(const k0_max_argmax_argmin_min_args *a, int64_t begin, int64_t end) {
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t far = a->far;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    int64_t *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    int64_t *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    float *out3 = a->out3;
    const int64_t s0_out3 = a->s0_out3;
    float *part_max1 = a->part_max1;
    int64_t *part_at1 = a->part_at1;
    float *part_min4 = a->part_min4;
    int64_t *part_at4 = a->part_at4;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t row = u / chunks;
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        const int64_t i0 = row;
        float max1 = kf_lowest_f32;
        int64_t at1 = kf_highest_i64;
        float min4 = kf_highest_f32;
        int64_t at4 = kf_highest_i64;
        int64_t done0 = 0;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const float *p0_in_x = in_x + (i0 * s0_in_x + first);
            float lanes_max1[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_max1[l] = kf_lowest_f32;
            }
            float lanes_min4[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_min4[l] = kf_highest_f32;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, group + l);
                    lanes_max1[l] = kf_max_f32(v0, lanes_max1[l]);
                    lanes_min4[l] = kf_min_f32(v0, lanes_min4[l]);
                }
            }
            for (int64_t part = whole0; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                    lanes_max1[part - whole0 + l] = kf_max_f32(l < left ? v0 : kf_lowest_f32, lanes_max1[part - whole0 + l]);
                    lanes_min4[part - whole0 + l] = kf_min_f32(l < left ? v0 : kf_highest_f32, lanes_min4[part - whole0 + l]);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = kf_max_f32(lanes_max1[l + 32], lanes_max1[l]);
                const float high = kf_max_f32(lanes_max1[l + 48], lanes_max1[l + 16]);
                lanes_max1[l] = kf_max_f32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = kf_max_f32(lanes_max1[l + 8], lanes_max1[l]);
                const float high = kf_max_f32(lanes_max1[l + 12], lanes_max1[l + 4]);
                lanes_max1[l] = kf_max_f32(high, low);
            }
            {
                const float low = kf_max_f32(lanes_max1[2], lanes_max1[0]);
                const float high = kf_max_f32(lanes_max1[3], lanes_max1[1]);
                lanes_max1[0] = kf_max_f32(high, low);
            }
            const float block_max1 = lanes_max1[0];
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = kf_min_f32(lanes_min4[l + 32], lanes_min4[l]);
                const float high = kf_min_f32(lanes_min4[l + 48], lanes_min4[l + 16]);
                lanes_min4[l] = kf_min_f32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = kf_min_f32(lanes_min4[l + 8], lanes_min4[l]);
                const float high = kf_min_f32(lanes_min4[l + 12], lanes_min4[l + 4]);
                lanes_min4[l] = kf_min_f32(high, low);
            }
            {
                const float low = kf_min_f32(lanes_min4[2], lanes_min4[0]);
                const float high = kf_min_f32(lanes_min4[3], lanes_min4[1]);
                lanes_min4[0] = kf_min_f32(high, low);
            }
            const float block_min4 = lanes_min4[0];
            if (far) {
                for (int64_t l = 0; l < len; l += 16) {
                    kf_prefetch(p0_in_x + 2048 + l);
                }
            }
            int32_t lanes_at1[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_at1[l] = kf_highest_i32;
            }
            int32_t lanes_at4[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_at4[l] = kf_highest_i32;
            }
            const int64_t whole1 = len - len % 64;
            for (int64_t group = 0; group < whole1; group += 64) {
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, group + l);
                    const int32_t term1 = kf_is_f32(v0, block_max1) ? (kf_cast_i64_i32(group) + l) : kf_highest_i32;
                    lanes_at1[l] = kf_min_i32(term1, lanes_at1[l]);
                    const int32_t term4 = kf_is_f32(v0, block_min4) ? (kf_cast_i64_i32(group) + l) : kf_highest_i32;
                    lanes_at4[l] = kf_min_i32(term4, lanes_at4[l]);
                }
            }
            for (int64_t part = whole1; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                    const int32_t term1 = kf_is_f32(v0, block_max1) ? (kf_cast_i64_i32(part) + l) : kf_highest_i32;
                    lanes_at1[part - whole1 + l] = kf_min_i32(l < left ? term1 : kf_highest_i32, lanes_at1[part - whole1 + l]);
                    const int32_t term4 = kf_is_f32(v0, block_min4) ? (kf_cast_i64_i32(part) + l) : kf_highest_i32;
                    lanes_at4[part - whole1 + l] = kf_min_i32(l < left ? term4 : kf_highest_i32, lanes_at4[part - whole1 + l]);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const int32_t low = kf_min_i32(lanes_at1[l + 32], lanes_at1[l]);
                const int32_t high = kf_min_i32(lanes_at1[l + 48], lanes_at1[l + 16]);
                lanes_at1[l] = kf_min_i32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const int32_t low = kf_min_i32(lanes_at1[l + 8], lanes_at1[l]);
                const int32_t high = kf_min_i32(lanes_at1[l + 12], lanes_at1[l + 4]);
                lanes_at1[l] = kf_min_i32(high, low);
            }
            {
                const int32_t low = kf_min_i32(lanes_at1[2], lanes_at1[0]);
                const int32_t high = kf_min_i32(lanes_at1[3], lanes_at1[1]);
                lanes_at1[0] = kf_min_i32(high, low);
            }
            const int64_t block_at1 = first + lanes_at1[0];
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const int32_t low = kf_min_i32(lanes_at4[l + 32], lanes_at4[l]);
                const int32_t high = kf_min_i32(lanes_at4[l + 48], lanes_at4[l + 16]);
                lanes_at4[l] = kf_min_i32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const int32_t low = kf_min_i32(lanes_at4[l + 8], lanes_at4[l]);
                const int32_t high = kf_min_i32(lanes_at4[l + 12], lanes_at4[l + 4]);
                lanes_at4[l] = kf_min_i32(high, low);
            }
            {
                const int32_t low = kf_min_i32(lanes_at4[2], lanes_at4[0]);
                const int32_t high = kf_min_i32(lanes_at4[3], lanes_at4[1]);
                lanes_at4[0] = kf_min_i32(high, low);
            }
            const int64_t block_at4 = first + lanes_at4[0];
            if (done0 == 0) {
                max1 = block_max1;
                at1 = block_at1;
            } else {
                {
                    const float merged_max1 = kf_max_f32(max1, block_max1);
                    const int64_t merged_at1 = kf_first_f32(kf_max_f32(max1, block_max1), max1, at1, block_max1, block_at1);
                    max1 = merged_max1;
                    at1 = merged_at1;
                }
            }
            if (done0 == 0) {
                min4 = block_min4;
                at4 = block_at4;
            } else {
                {
                    const float merged_min4 = kf_min_f32(min4, block_min4);
                    const int64_t merged_at4 = kf_first_f32(kf_min_f32(min4, block_min4), min4, at4, block_min4, block_at4);
                    min4 = merged_min4;
                    at4 = merged_at4;
                }
            }
            done0 = done0 + len;
        }
        if (chunks == 1) {
            const float v2 = max1;  // max
            const int64_t v3 = at1;  // at
            const float v6 = min4;  // min
            const int64_t v5 = at4;  // at
            kf_store_f32(out0, i0 * s0_out0, v2);
            kf_store_i64(out1, i0 * s0_out1, v3);
            kf_store_i64(out2, i0 * s0_out2, v5);
            kf_store_f32(out3, i0 * s0_out3, v6);
        } else {
            kf_store_f32(part_max1, u, max1);
            kf_store_i64(part_at1, u, at1);
            kf_store_f32(part_min4, u, min4);
            kf_store_i64(part_at4, u, at4);
        }
    }
}

typedef struct {
    int64_t chunks;
    float *part_max1;
    int64_t *part_at1;
    float *part_min4;
    int64_t *part_at4;
    float *out0;
    int64_t s0_out0;
    int64_t *out1;
    int64_t s0_out1;
    int64_t *out2;
    int64_t s0_out2;
    float *out3;
    int64_t s0_out3;
} k0_max_argmax_argmin_min_merge_args;

/* max, argmax, argmin, min.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.0], 4 bytes each
 * writes out1     int64[x.0], 8 bytes each
 * writes out2     int64[x.0], 8 bytes each
 * writes out3     float32[x.0], 4 bytes each */
KF_JUMPS void k0_max_argmax_argmin_min_merge(const k0_max_argmax_argmin_min_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    float *part_max1 = a->part_max1;
    int64_t *part_at1 = a->part_at1;
    float *part_min4 = a->part_min4;
    int64_t *part_at4 = a->part_at4;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    int64_t *out1 = a->out1;
    const int64_t s0_out1 = a->s0_out1;
    int64_t *out2 = a->out2;
    const int64_t s0_out2 = a->s0_out2;
    float *out3 = a->out3;
    const int64_t s0_out3 = a->s0_out3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        float max1 = kf_lowest_f32;
        int64_t at1 = kf_highest_i64;
        float min4 = kf_highest_f32;
        int64_t at4 = kf_highest_i64;
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const float q_max1 = kf_load_f32(part_max1, at);
            const int64_t q_at1 = kf_load_i64(part_at1, at);
            {
                const float merged_max1 = kf_max_f32(max1, q_max1);
                const int64_t merged_at1 = kf_first_f32(kf_max_f32(max1, q_max1), max1, at1, q_max1, q_at1);
                max1 = merged_max1;
                at1 = merged_at1;
            }
            const float q_min4 = kf_load_f32(part_min4, at);
            const int64_t q_at4 = kf_load_i64(part_at4, at);
            {
                const float merged_min4 = kf_min_f32(min4, q_min4);
                const int64_t merged_at4 = kf_first_f32(kf_min_f32(min4, q_min4), min4, at4, q_min4, q_at4);
                min4 = merged_min4;
                at4 = merged_at4;
            }
        }
        const float v2 = max1;  // max
        const int64_t v3 = at1;  // at
        const float v6 = min4;  // min
        const int64_t v5 = at4;  // at
        kf_store_f32(out0, i0 * s0_out0, v2);
        kf_store_i64(out1, i0 * s0_out1, v3);
        kf_store_i64(out2, i0 * s0_out2, v5);
        kf_store_f32(out3, i0 * s0_out3, v6);
    }
}
