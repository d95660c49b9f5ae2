
typedef struct {
    int64_t n0;
    int64_t size_v1;
    const int64_t *in_i;
    const float *in_x;
    int64_t *out0;
} k0_take_argmax_short_args;

/* take, argmax.
 * Eight short rows after eight; loops over all of their elements.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     int64[], 8 bytes each */
KF_JUMPS void k0_take_argmax_short(const k0_take_argmax_short_args *a, int64_t begin, int64_t end) {
    const int64_t n0 = a->n0;
    const int64_t size_v1 = a->size_v1;
    const int64_t *in_i = a->in_i;
    const float *in_x = a->in_x;
    int64_t *out0 = a->out0;
    const int64_t most_rows = n0 <= 32 ? 32 : (n0 <= 128 ? 8 : (1024 / n0));
    for (int64_t first_row = begin; first_row < end; first_row += most_rows) {
        const int64_t rows = kf_min_i64(end - first_row, most_rows);
        float rows_max11[32];
        float held10[1088];
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t at = r * n0;
            const int64_t *p0_in_i = in_i;
            KF_SIMD
            for (int64_t l = 0; l < n0; ++l) {
                const int64_t v0 = kf_load_i64(p0_in_i, l);
                const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                const int v4 = v0 < 0;  // take
                const int64_t v5 = v4 ? v3 : v0;  // take
                const int v6 = v5 < size_v1;  // take
                const int v7 = v5 >= 0;  // take
                const int v8 = v7 & v6;  // take
                const int64_t v9 = v8 ? v5 : 0;  // take
                const float v10 = v8 ? kf_load_f32(in_x, v9) : 0.0f;
                held10[at + l] = v10;
            }
        }
        for (int64_t r = 0; r < rows; ++r) {
            float max11 = kf_lowest_f32;
            {
                float lanes_max11[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_max11[l] = kf_lowest_f32;
                }
                const int64_t whole0 = n0 - n0 % 64;
                for (int64_t group = 0; group < whole0; group += 64) {
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        lanes_max11[l] = kf_max_f32(held10[r * n0 + (group + l)], lanes_max11[l]);
                    }
                }
                for (int64_t part = whole0; part < n0; part += 16) {
                    const int left = kf_cast_i64_i32(n0 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        lanes_max11[part - whole0 + l] = kf_max_f32(l < left ? held10[r * n0 + (part + l)] : kf_lowest_f32, lanes_max11[part - whole0 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float low = kf_max_f32(lanes_max11[l + 32], lanes_max11[l]);
                    const float high = kf_max_f32(lanes_max11[l + 48], lanes_max11[l + 16]);
                    lanes_max11[l] = kf_max_f32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const float low = kf_max_f32(lanes_max11[l + 8], lanes_max11[l]);
                    const float high = kf_max_f32(lanes_max11[l + 12], lanes_max11[l + 4]);
                    lanes_max11[l] = kf_max_f32(high, low);
                }
                {
                    const float low = kf_max_f32(lanes_max11[2], lanes_max11[0]);
                    const float high = kf_max_f32(lanes_max11[3], lanes_max11[1]);
                    lanes_max11[0] = kf_max_f32(high, low);
                }
                const float block_max11 = lanes_max11[0];
                max11 = block_max11;
            }
            rows_max11[r] = max11;
        }
        for (int64_t r = 0; r < rows; ++r) {
            float max11 = rows_max11[r];
            int64_t at11 = kf_highest_i64;
            {
                int32_t lanes_at11[64];
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    lanes_at11[l] = kf_highest_i32;
                }
                const int64_t whole1 = n0 - n0 % 64;
                for (int64_t group = 0; group < whole1; group += 64) {
                    KF_SIMD
                    for (int l = 0; l < 64; ++l) {
                        const int32_t term11 = kf_is_f32(held10[r * n0 + (group + l)], max11) ? (kf_cast_i64_i32(group) + l) : kf_highest_i32;
                        lanes_at11[l] = kf_min_i32(term11, lanes_at11[l]);
                    }
                }
                for (int64_t part = whole1; part < n0; part += 16) {
                    const int left = kf_cast_i64_i32(n0 - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        const int32_t term11 = kf_is_f32(held10[r * n0 + (part + l)], max11) ? (kf_cast_i64_i32(part) + l) : kf_highest_i32;
                        lanes_at11[part - whole1 + l] = kf_min_i32(l < left ? term11 : kf_highest_i32, lanes_at11[part - whole1 + l]);
                    }
                }
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const int32_t low = kf_min_i32(lanes_at11[l + 32], lanes_at11[l]);
                    const int32_t high = kf_min_i32(lanes_at11[l + 48], lanes_at11[l + 16]);
                    lanes_at11[l] = kf_min_i32(high, low);
                }
                KF_SIMD
                for (int l = 0; l < 4; ++l) {
                    const int32_t low = kf_min_i32(lanes_at11[l + 8], lanes_at11[l]);
                    const int32_t high = kf_min_i32(lanes_at11[l + 12], lanes_at11[l + 4]);
                    lanes_at11[l] = kf_min_i32(high, low);
                }
                {
                    const int32_t low = kf_min_i32(lanes_at11[2], lanes_at11[0]);
                    const int32_t high = kf_min_i32(lanes_at11[3], lanes_at11[1]);
                    lanes_at11[0] = kf_min_i32(high, low);
                }
                const int64_t block_at11 = 0 + lanes_at11[0];
                at11 = block_at11;
            }
            const int64_t v12 = at11;  // at
            kf_store_i64(out0, 0, v12);
        }
    }
}

typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t size_v1;
    const int64_t *in_i;
    const float *in_x;
    int64_t *out0;
    float *part_max11;
    int64_t *part_at11;
} k0_take_argmax_args;

/* take, argmax.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_i     int64[i.0], 8 bytes each
 * reads  in_x     float32[x.0], 4 bytes each
 * writes out0     int64[], 8 bytes each */
KF_JUMPS void k0_take_argmax(const k0_take_argmax_args *a, int64_t begin, int64_t end) {
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t size_v1 = a->size_v1;
    const int64_t *in_i = a->in_i;
    const float *in_x = a->in_x;
    int64_t *out0 = a->out0;
    float *part_max11 = a->part_max11;
    int64_t *part_at11 = a->part_at11;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        float max11 = kf_lowest_f32;
        int64_t at11 = kf_highest_i64;
        int64_t done0 = 0;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const int64_t *p0_in_i = in_i + first;
            float keep11[2048];
            float lanes_max11[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_max11[l] = kf_lowest_f32;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                {
                    float read10[2048];
                    for (int64_t l = group; l < group + 64; ++l) {
                        const int64_t v0 = kf_load_i64(p0_in_i, l);
                        const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                        const int v4 = v0 < 0;  // take
                        const int64_t v5 = v4 ? v3 : v0;  // take
                        const int v6 = v5 < size_v1;  // take
                        const int v7 = v5 >= 0;  // take
                        const int v8 = v7 & v6;  // take
                        const int64_t v9 = v8 ? v5 : 0;  // take
                        const float v10 = v8 ? kf_load_f32(in_x, v9) : 0.0f;
                        read10[l] = v10;
                    }
                    KF_SIMD
                    for (int64_t l = 0; l < 64; ++l) {
                        keep11[group + l] = read10[group + l];
                        lanes_max11[l] = kf_max_f32(read10[group + l], lanes_max11[l]);
                    }
                }
            }
            {
                float read10[2048];
                for (int64_t l = whole0; l < len; ++l) {
                    const int64_t v0 = kf_load_i64(p0_in_i, l);
                    const int64_t v3 = kf_add_i64(v0, size_v1);  // take
                    const int v4 = v0 < 0;  // take
                    const int64_t v5 = v4 ? v3 : v0;  // take
                    const int v6 = v5 < size_v1;  // take
                    const int v7 = v5 >= 0;  // take
                    const int v8 = v7 & v6;  // take
                    const int64_t v9 = v8 ? v5 : 0;  // take
                    const float v10 = v8 ? kf_load_f32(in_x, v9) : 0.0f;
                    read10[l] = v10;
                }
                for (int64_t part = whole0; part < len; part += 16) {
                    const int left = kf_cast_i64_i32(len - part);
                    KF_SIMD
                    for (int l = 0; l < 16; ++l) {
                        keep11[part + l] = read10[part + l];
                        lanes_max11[part - whole0 + l] = kf_max_f32(l < left ? read10[part + l] : kf_lowest_f32, lanes_max11[part - whole0 + l]);
                    }
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = kf_max_f32(lanes_max11[l + 32], lanes_max11[l]);
                const float high = kf_max_f32(lanes_max11[l + 48], lanes_max11[l + 16]);
                lanes_max11[l] = kf_max_f32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = kf_max_f32(lanes_max11[l + 8], lanes_max11[l]);
                const float high = kf_max_f32(lanes_max11[l + 12], lanes_max11[l + 4]);
                lanes_max11[l] = kf_max_f32(high, low);
            }
            {
                const float low = kf_max_f32(lanes_max11[2], lanes_max11[0]);
                const float high = kf_max_f32(lanes_max11[3], lanes_max11[1]);
                lanes_max11[0] = kf_max_f32(high, low);
            }
            const float block_max11 = lanes_max11[0];
            int32_t lanes_at11[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_at11[l] = kf_highest_i32;
            }
            const int64_t whole1 = len - len % 64;
            for (int64_t group = 0; group < whole1; group += 64) {
                KF_SIMD
                for (int l = 0; l < 64; ++l) {
                    const int32_t term11 = kf_is_f32(keep11[group + l], block_max11) ? (kf_cast_i64_i32(group) + l) : kf_highest_i32;
                    lanes_at11[l] = kf_min_i32(term11, lanes_at11[l]);
                }
            }
            for (int64_t part = whole1; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const int32_t term11 = kf_is_f32(keep11[part + l], block_max11) ? (kf_cast_i64_i32(part) + l) : kf_highest_i32;
                    lanes_at11[part - whole1 + l] = kf_min_i32(l < left ? term11 : kf_highest_i32, lanes_at11[part - whole1 + l]);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const int32_t low = kf_min_i32(lanes_at11[l + 32], lanes_at11[l]);
                const int32_t high = kf_min_i32(lanes_at11[l + 48], lanes_at11[l + 16]);
                lanes_at11[l] = kf_min_i32(high, low);
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const int32_t low = kf_min_i32(lanes_at11[l + 8], lanes_at11[l]);
                const int32_t high = kf_min_i32(lanes_at11[l + 12], lanes_at11[l + 4]);
                lanes_at11[l] = kf_min_i32(high, low);
            }
            {
                const int32_t low = kf_min_i32(lanes_at11[2], lanes_at11[0]);
                const int32_t high = kf_min_i32(lanes_at11[3], lanes_at11[1]);
                lanes_at11[0] = kf_min_i32(high, low);
            }
            const int64_t block_at11 = first + lanes_at11[0];
            if (done0 == 0) {
                max11 = block_max11;
                at11 = block_at11;
            } else {
                {
                    const float merged_max11 = kf_max_f32(max11, block_max11);
                    const int64_t merged_at11 = kf_first_f32(kf_max_f32(max11, block_max11), max11, at11, block_max11, block_at11);
                    max11 = merged_max11;
                    at11 = merged_at11;
                }
            }
            done0 = done0 + len;
        }
        if (chunks == 1) {
            const int64_t v12 = at11;  // at
            kf_store_i64(out0, 0, v12);
        } else {
            kf_store_f32(part_max11, u, max11);
            kf_store_i64(part_at11, u, at11);
        }
    }
}

typedef struct {
    int64_t chunks;
    float *part_max11;
    int64_t *part_at11;
    int64_t *out0;
} k0_take_argmax_merge_args;

/* take, argmax.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes out0     int64[], 8 bytes each */
KF_JUMPS void k0_take_argmax_merge(const k0_take_argmax_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    float *part_max11 = a->part_max11;
    int64_t *part_at11 = a->part_at11;
    int64_t *out0 = a->out0;
    for (int64_t u = begin; u < end; ++u) {
        float max11 = kf_lowest_f32;
        int64_t at11 = kf_highest_i64;
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const float q_max11 = kf_load_f32(part_max11, at);
            const int64_t q_at11 = kf_load_i64(part_at11, at);
            {
                const float merged_max11 = kf_max_f32(max11, q_max11);
                const int64_t merged_at11 = kf_first_f32(kf_max_f32(max11, q_max11), max11, at11, q_max11, q_at11);
                max11 = merged_max11;
                at11 = merged_at11;
            }
        }
        const int64_t v12 = at11;  // at
        kf_store_i64(out0, 0, v12);
    }
}
