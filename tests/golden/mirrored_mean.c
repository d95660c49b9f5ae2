
typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t chunk_rows;
    int64_t reduced;
    int64_t outer_n;
    int64_t stream;
    int64_t prefetch;
    int64_t size_v38;
    int64_t n1;
    int64_t tile;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    const float *in_x_4;
    int64_t s0_in_x_4;
    int64_t s1_in_x_4;
    const float *in_x_6;
    int64_t s0_in_x_6;
    int64_t s1_in_x_6;
    const float *in_x_8;
    int64_t s0_in_x_8;
    const float *in_x_9;
    int64_t s0_in_x_9;
    const float *in_x_10;
    int64_t s0_in_x_10;
    const float *in_x_12;
    int64_t s0_in_x_12;
    int64_t s1_in_x_12;
    const float *in_x_13;
    int64_t s0_in_x_13;
    int64_t s1_in_x_13;
    const float *in_x_14;
    int64_t s0_in_x_14;
    int64_t s1_in_x_14;
    int64_t size_index0;
    int64_t s1_index0;
    int64_t size_index1;
    int64_t s0_index1;
    int64_t size_index3;
    int64_t s0_index3;
    int64_t first_index3;
    int64_t size_index5;
    int64_t s0_index5;
    int64_t first_index5;
    int64_t size_index7;
    int64_t first_index7;
    int64_t size_index11;
    int64_t s1_index11;
    int64_t first_index11;
    float *out0;
    float *part_sum36;
} k0_pad_mean_args;

/* pad, mean.
 * A tile of columns over a chunk of rows; of one chunk, finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  in_x_4   float32[x.0, x.1], 4 bytes each
 * reads  in_x_6   float32[x.0, x.1], 4 bytes each
 * reads  in_x_8   float32[x.0, x.1], 4 bytes each
 * reads  in_x_9   float32[x.0, x.1], 4 bytes each
 * reads  in_x_10  float32[x.0, x.1], 4 bytes each
 * reads  in_x_12  float32[x.0, x.1], 4 bytes each
 * reads  in_x_13  float32[x.0, x.1], 4 bytes each
 * reads  in_x_14  float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1 + 2], 4 bytes each */
void k0_pad_mean(const k0_pad_mean_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t chunk_rows = a->chunk_rows;
    const int64_t reduced = a->reduced;
    const int64_t outer_n = a->outer_n;
    const int64_t stream = a->stream;
    const int64_t prefetch = a->prefetch;
    const int64_t size_v38 = a->size_v38;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    const float *in_x_4 = a->in_x_4;
    const int64_t s0_in_x_4 = a->s0_in_x_4;
    const int64_t s1_in_x_4 = a->s1_in_x_4;
    const float *in_x_6 = a->in_x_6;
    const int64_t s0_in_x_6 = a->s0_in_x_6;
    const int64_t s1_in_x_6 = a->s1_in_x_6;
    const float *in_x_8 = a->in_x_8;
    const int64_t s0_in_x_8 = a->s0_in_x_8;
    const float *in_x_9 = a->in_x_9;
    const int64_t s0_in_x_9 = a->s0_in_x_9;
    const float *in_x_10 = a->in_x_10;
    const int64_t s0_in_x_10 = a->s0_in_x_10;
    const float *in_x_12 = a->in_x_12;
    const int64_t s0_in_x_12 = a->s0_in_x_12;
    const int64_t s1_in_x_12 = a->s1_in_x_12;
    const float *in_x_13 = a->in_x_13;
    const int64_t s0_in_x_13 = a->s0_in_x_13;
    const int64_t s1_in_x_13 = a->s1_in_x_13;
    const float *in_x_14 = a->in_x_14;
    const int64_t s0_in_x_14 = a->s0_in_x_14;
    const int64_t s1_in_x_14 = a->s1_in_x_14;
    const int64_t size_index0 = a->size_index0;
    const int64_t s1_index0 = a->s1_index0;
    const int64_t size_index1 = a->size_index1;
    const int64_t s0_index1 = a->s0_index1;
    const int64_t size_index3 = a->size_index3;
    const int64_t s0_index3 = a->s0_index3;
    const int64_t first_index3 = a->first_index3;
    const int64_t size_index5 = a->size_index5;
    const int64_t s0_index5 = a->s0_index5;
    const int64_t first_index5 = a->first_index5;
    const int64_t size_index7 = a->size_index7;
    const int64_t first_index7 = a->first_index7;
    const int64_t size_index11 = a->size_index11;
    const int64_t s1_index11 = a->s1_index11;
    const int64_t first_index11 = a->first_index11;
    float *out0 = a->out0;
    float *part_sum36 = a->part_sum36;
    const float v39 = kf_cast_i64_f32(size_v38);  // mean
    for (int64_t u = begin; u < end; ++u) {
        const int64_t rest = u / tiles;
        const int64_t chunk = rest % chunks;
        const int64_t outer = rest / chunks;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        const int64_t from = chunk * chunk_rows;
        const int64_t to = kf_min_i64(reduced, from + chunk_rows);
        float sum36[4096];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum36[l] = 0.0f;
        }
        for (int64_t r = from; r < to; ++r) {
            const int64_t i0 = r;
            const float *p2_in_x = in_x + (i0 * s0_in_x + first * s1_in_x);
            const float *p4_in_x_4 = in_x_4 + (i0 * s0_in_x_4 + first * s1_in_x_4);
            const float *p6_in_x_6 = in_x_6 + (i0 * s0_in_x_6 + first * s1_in_x_6);
            const float *p8_in_x_8 = in_x_8 + (i0 * s0_in_x_8 + first);
            const float *p9_in_x_9 = in_x_9 + (i0 * s0_in_x_9 + first);
            const float *p10_in_x_10 = in_x_10 + (i0 * s0_in_x_10 + first);
            const float *p12_in_x_12 = in_x_12 + (i0 * s0_in_x_12 + first * s1_in_x_12);
            const float *p13_in_x_13 = in_x_13 + (i0 * s0_in_x_13 + first * s1_in_x_13);
            const float *p14_in_x_14 = in_x_14 + (i0 * s0_in_x_14 + first * s1_in_x_14);
            float pick35[4096];
            const int64_t end35 = kf_max_i64(0, kf_min_i64(len, size_index0 - first * s1_index0));
            {
                const int64_t end12 = kf_max_i64(0, kf_inside(i0 * s0_index1, size_index1) ? kf_min_i64(len, size_index0 - first * s1_index0) : 0);
                const int64_t from12 = kf_min_i64(kf_max_i64(0, 0), end35);
                const int64_t to12 = kf_max_i64(kf_min_i64(end12, end35), from12);
                {
                    float run2[4096];
                    kf_strided4(run2 + from12, p2_in_x + from12 * s1_in_x, s1_in_x, to12 - from12);
                    KF_SIMD
                    for (int64_t l = from12; l < to12; ++l) {
                        const float v3 = kf_load_f32(run2, l);
                        pick35[l] = v3;
                    }
                }
                const int64_t end11 = kf_max_i64(0, kf_inside(first_index3 + i0 * s0_index3, size_index3) ? kf_min_i64(len, size_index0 - first * s1_index0) : 0);
                const int64_t from11 = kf_min_i64(kf_max_i64(0, 0), end35);
                const int64_t to11 = kf_max_i64(kf_min_i64(end11, end35), from11);
                {
                    float run4[4096];
                    kf_strided4(run4 + from11, p4_in_x_4 + from11 * s1_in_x_4, s1_in_x_4, to11 - from11);
                    KF_SIMD
                    for (int64_t l = from11; l < to11; ++l) {
                        const float v6 = kf_load_f32(run4, l);
                        pick35[l] = v6;
                    }
                }
                const int64_t end10 = kf_max_i64(0, kf_inside(first_index5 + i0 * s0_index5, size_index5) ? kf_min_i64(len, size_index0 - first * s1_index0) : 0);
                const int64_t from10 = kf_min_i64(kf_max_i64(0, 0), end35);
                const int64_t to10 = kf_max_i64(kf_min_i64(end10, end35), from10);
                {
                    float run6[4096];
                    kf_strided4(run6 + from10, p6_in_x_6 + from10 * s1_in_x_6, s1_in_x_6, to10 - from10);
                    KF_SIMD
                    for (int64_t l = from10; l < to10; ++l) {
                        const float v9 = kf_load_f32(run6, l);
                        pick35[l] = v9;
                    }
                }
            }
            const int64_t begin34 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
            const int64_t end34 = kf_max_i64(begin34, kf_min_i64(len, size_index7 - (first_index7 + first)));
            {
                const int64_t begin22 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
                const int64_t end22 = kf_max_i64(begin22, kf_inside(i0 * s0_index1, size_index1) ? kf_min_i64(len, size_index7 - (first_index7 + first)) : 0);
                const int64_t from22 = kf_min_i64(kf_max_i64(begin22, begin34), end34);
                const int64_t to22 = kf_max_i64(kf_min_i64(end22, end34), from22);
                if (prefetch && from22 < to22) {
                    kf_prefetch_run(p8_in_x_8 + from22 + s0_in_x_8, (to22 - from22) * 4);
                }
                KF_SIMD
                for (int64_t l = from22; l < to22; ++l) {
                    const float v15 = kf_load_f32(p8_in_x_8, l);
                    pick35[l] = v15;
                }
                const int64_t begin21 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
                const int64_t end21 = kf_max_i64(begin21, kf_inside(first_index3 + i0 * s0_index3, size_index3) ? kf_min_i64(len, size_index7 - (first_index7 + first)) : 0);
                const int64_t from21 = kf_min_i64(kf_max_i64(begin21, begin34), end34);
                const int64_t to21 = kf_max_i64(kf_min_i64(end21, end34), from21);
                if (prefetch && from21 < to21) {
                    kf_prefetch_run(p9_in_x_9 + from21 + s0_in_x_9, (to21 - from21) * 4);
                }
                KF_SIMD
                for (int64_t l = from21; l < to21; ++l) {
                    const float v17 = kf_load_f32(p9_in_x_9, l);
                    pick35[l] = v17;
                }
                const int64_t begin20 = kf_min_i64(kf_max_i64(0, 0 - (first_index7 + first)), len);
                const int64_t end20 = kf_max_i64(begin20, kf_inside(first_index5 + i0 * s0_index5, size_index5) ? kf_min_i64(len, size_index7 - (first_index7 + first)) : 0);
                const int64_t from20 = kf_min_i64(kf_max_i64(begin20, begin34), end34);
                const int64_t to20 = kf_max_i64(kf_min_i64(end20, end34), from20);
                if (prefetch && from20 < to20) {
                    kf_prefetch_run(p10_in_x_10 + from20 + s0_in_x_10, (to20 - from20) * 4);
                }
                KF_SIMD
                for (int64_t l = from20; l < to20; ++l) {
                    const float v19 = kf_load_f32(p10_in_x_10, l);
                    pick35[l] = v19;
                }
            }
            const int64_t begin33 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
            const int64_t end33 = kf_max_i64(begin33, kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)));
            {
                const int64_t begin32 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
                const int64_t end32 = kf_max_i64(begin32, kf_inside(i0 * s0_index1, size_index1) ? kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)) : 0);
                const int64_t from32 = kf_min_i64(kf_max_i64(begin32, begin33), end33);
                const int64_t to32 = kf_max_i64(kf_min_i64(end32, end33), from32);
                {
                    float run12[4096];
                    kf_strided4(run12 + from32, p12_in_x_12 + from32 * s1_in_x_12, s1_in_x_12, to32 - from32);
                    KF_SIMD
                    for (int64_t l = from32; l < to32; ++l) {
                        const float v25 = kf_load_f32(run12, l);
                        pick35[l] = v25;
                    }
                }
                const int64_t begin31 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
                const int64_t end31 = kf_max_i64(begin31, kf_inside(first_index3 + i0 * s0_index3, size_index3) ? kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)) : 0);
                const int64_t from31 = kf_min_i64(kf_max_i64(begin31, begin33), end33);
                const int64_t to31 = kf_max_i64(kf_min_i64(end31, end33), from31);
                {
                    float run13[4096];
                    kf_strided4(run13 + from31, p13_in_x_13 + from31 * s1_in_x_13, s1_in_x_13, to31 - from31);
                    KF_SIMD
                    for (int64_t l = from31; l < to31; ++l) {
                        const float v27 = kf_load_f32(run13, l);
                        pick35[l] = v27;
                    }
                }
                const int64_t begin30 = kf_min_i64(kf_max_i64(0, 0 - (first_index11 + first * s1_index11)), len);
                const int64_t end30 = kf_max_i64(begin30, kf_inside(first_index5 + i0 * s0_index5, size_index5) ? kf_min_i64(len, size_index11 - (first_index11 + first * s1_index11)) : 0);
                const int64_t from30 = kf_min_i64(kf_max_i64(begin30, begin33), end33);
                const int64_t to30 = kf_max_i64(kf_min_i64(end30, end33), from30);
                {
                    float run14[4096];
                    kf_strided4(run14 + from30, p14_in_x_14 + from30 * s1_in_x_14, s1_in_x_14, to30 - from30);
                    KF_SIMD
                    for (int64_t l = from30; l < to30; ++l) {
                        const float v29 = kf_load_f32(run14, l);
                        pick35[l] = v29;
                    }
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum36[l] = sum36[l] + pick35[l];
            }
        }
        if (chunks == 1) {
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const int64_t i1 = first + l;
                const float v37 = sum36[l];  // sum
                const float v40 = v37 / v39;  // mean
                kf_store_f32(out0, i1, v40);
            }
        } else {
            const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f32(part_sum36, part_at + l, sum36[l]);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t chunks;
    int64_t tiles;
    int64_t outer_n;
    int64_t size_v38;
    int64_t n1;
    int64_t tile;
    float *part_sum36;
    float *out0;
} k0_pad_mean_merge_args;

/* pad, mean.
 * Merges the chunks of each column.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1 + 2], 4 bytes each */
void k0_pad_mean_merge(const k0_pad_mean_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t tiles = a->tiles;
    const int64_t outer_n = a->outer_n;
    const int64_t size_v38 = a->size_v38;
    const int64_t n1 = a->n1;
    const int64_t tile = a->tile;
    float *part_sum36 = a->part_sum36;
    float *out0 = a->out0;
    const float v39 = kf_cast_i64_f32(size_v38);  // mean
    for (int64_t u = begin; u < end; ++u) {
        const int64_t outer = u / tiles;
        const int64_t first = (u % tiles) * tile;
        const int64_t len = kf_min_i64(n1 - first, tile);
        float sum36[4096];
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            sum36[l] = 0.0f;
        }
        for (int64_t c0 = 0; c0 < chunks; c0 += 32) {
            float group_sum36[4096];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                group_sum36[l] = 0.0f;
            }
            const int64_t c1 = kf_min_i64(chunks, c0 + 32);
            for (int64_t chunk = c0; chunk < c1; ++chunk) {
                const int64_t part_at = (chunk * outer_n + outer) * n1 + first;
                KF_SIMD
                for (int64_t l = 0; l < len; ++l) {
                    const float q_sum36 = kf_load_f32(part_sum36, part_at + l);
                    group_sum36[l] = group_sum36[l] + q_sum36;
                }
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                sum36[l] = sum36[l] + group_sum36[l];
            }
        }
        KF_SIMD
        for (int64_t l = 0; l < len; ++l) {
            const int64_t i1 = first + l;
            const float v37 = sum36[l];  // sum
            const float v40 = v37 / v39;  // mean
            kf_store_f32(out0, i1, v40);
        }
    }
}
