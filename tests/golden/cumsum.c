
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t s1_in_x;
    float *tmp_2;
    int64_t s0_tmp_2;
    int64_t s1_tmp_2;
    float *part_sum3;
} k0_multiply_cumsum_args;

/* multiply, cumsum.
 * A chunk of a row after another; a row of one chunk is finished here.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_2    float32[x.0, (max(x.1, 1) + 4095)//4096 - 1, 1], 4 bytes each */
void k0_multiply_cumsum(const k0_multiply_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t reduced = a->reduced;
    const int64_t chunks = a->chunks;
    const int64_t n1 = a->n1;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    const int64_t s1_in_x = a->s1_in_x;
    float *tmp_2 = a->tmp_2;
    const int64_t s0_tmp_2 = a->s0_tmp_2;
    const int64_t s1_tmp_2 = a->s1_tmp_2;
    float *part_sum3 = a->part_sum3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t row = u / chunks;
        const int64_t from = (u % chunks) * 32768;
        const int64_t to = kf_min_i64(reduced, from + 32768);
        const int64_t i1 = row % n1;
        const int64_t above1 = row / n1;
        const int64_t i0 = above1;
        float sum3 = 0.0f;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const float *p0_in_x = in_x + (i0 * s0_in_x + i1 * s1_in_x + first);
            float lanes_sum3[64];
            KF_SIMD
            for (int l = 0; l < 64; ++l) {
                lanes_sum3[l] = 0.0f;
            }
            const int64_t whole0 = len - len % 64;
            for (int64_t group = 0; group < whole0; group += 64) {
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    const float v0 = kf_load_f32(p0_in_x, group + l);
                    const float v2 = v0 * 2.0f;  // multiply
                    lanes_sum3[l] = lanes_sum3[l] + v2;
                }
            }
            for (int64_t part = whole0; part < len; part += 16) {
                const int left = kf_cast_i64_i32(len - part);
                KF_SIMD
                for (int l = 0; l < 16; ++l) {
                    const float v0 = l < left ? kf_load_f32(p0_in_x, part + l) : 0.0f;
                    const float v2 = v0 * 2.0f;  // multiply
                    lanes_sum3[part - whole0 + l] = lanes_sum3[part - whole0 + l] + (l < left ? v2 : 0.0f);
                }
            }
            KF_SIMD
            for (int l = 0; l < 16; ++l) {
                const float low = lanes_sum3[l] + lanes_sum3[l + 32];
                const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
                lanes_sum3[l] = low + high;
            }
            KF_SIMD
            for (int l = 0; l < 4; ++l) {
                const float low = lanes_sum3[l] + lanes_sum3[l + 8];
                const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
                lanes_sum3[l] = low + high;
            }
            {
                const float low = lanes_sum3[0] + lanes_sum3[2];
                const float high = lanes_sum3[1] + lanes_sum3[3];
                lanes_sum3[0] = low + high;
            }
            const float block_sum3 = lanes_sum3[0];
            sum3 = sum3 + block_sum3;
        }
        if (chunks == 1) {
            const float v4 = sum3;  // sum
            kf_store_f32(tmp_2, i0 * s0_tmp_2 + i1 * s1_tmp_2, v4);
        } else {
            kf_store_f32(part_sum3, u, sum3);
        }
    }
}

typedef struct {
    int64_t chunks;
    int64_t n1;
    float *part_sum3;
    float *tmp_2;
    int64_t s0_tmp_2;
    int64_t s1_tmp_2;
} k0_multiply_cumsum_merge_args;

/* multiply, cumsum.
 * Merges the chunks of each row.
 * reads  part_*   what the chunks left
 * writes tmp_2    float32[x.0, (max(x.1, 1) + 4095)//4096 - 1, 1], 4 bytes each */
void k0_multiply_cumsum_merge(const k0_multiply_cumsum_merge_args *a, int64_t begin, int64_t end) {
    const int64_t chunks = a->chunks;
    const int64_t n1 = a->n1;
    float *part_sum3 = a->part_sum3;
    float *tmp_2 = a->tmp_2;
    const int64_t s0_tmp_2 = a->s0_tmp_2;
    const int64_t s1_tmp_2 = a->s1_tmp_2;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i1 = u % n1;
        const int64_t above1 = u / n1;
        const int64_t i0 = above1;
        float sum3 = 0.0f;
        float lanes_sum3[64];
        KF_SIMD
        for (int l = 0; l < 64; ++l) {
            lanes_sum3[l] = 0.0f;
        }
        for (int64_t c = 0; c < chunks; ++c) {
            const int64_t at = u * chunks + c;
            const float q_sum3 = kf_load_f32(part_sum3, at);
            lanes_sum3[c % 64] = lanes_sum3[c % 64] + q_sum3;
        }
        KF_SIMD
        for (int l = 0; l < 16; ++l) {
            const float low = lanes_sum3[l] + lanes_sum3[l + 32];
            const float high = lanes_sum3[l + 16] + lanes_sum3[l + 48];
            lanes_sum3[l] = low + high;
        }
        KF_SIMD
        for (int l = 0; l < 4; ++l) {
            const float low = lanes_sum3[l] + lanes_sum3[l + 8];
            const float high = lanes_sum3[l + 4] + lanes_sum3[l + 12];
            lanes_sum3[l] = low + high;
        }
        {
            const float low = lanes_sum3[0] + lanes_sum3[2];
            const float high = lanes_sum3[1] + lanes_sum3[3];
            lanes_sum3[0] = low + high;
        }
        sum3 = lanes_sum3[0];
        const float v4 = sum3;  // sum
        kf_store_f32(tmp_2, i0 * s0_tmp_2 + i1 * s1_tmp_2, v4);
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    const float *tmp_2;
    int64_t s0_tmp_2;
    int64_t size_index0;
    int64_t first_index0;
    double *tmp_3;
    int64_t s0_tmp_3;
} k1_cumsum_args;

/* cumsum.
 * Chunks of rows, each element from the one before it.
 * reads  tmp_2    float32[x.0, (max(x.1, 1) + 4095)//4096 - 1, 1], 4 bytes each
 * writes tmp_3    float64[x.0, (max(x.1, 1) + 4095)//4096], 8 bytes each */
void k1_cumsum(const k1_cumsum_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const float *tmp_2 = a->tmp_2;
    const int64_t s0_tmp_2 = a->s0_tmp_2;
    const int64_t size_index0 = a->size_index0;
    const int64_t first_index0 = a->first_index0;
    double *tmp_3 = a->tmp_3;
    const int64_t s0_tmp_3 = a->s0_tmp_3;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t i0 = u;
        double sum5 = 0.0;
        for (int64_t first = 0; first < n1; first += 2048) {
            const int64_t len = kf_min_i64(n1 - first, 2048);
            const float *p1_tmp_2 = tmp_2 + (i0 * s0_tmp_2 + first);
            double pick4[2048];
            const int64_t begin4 = kf_min_i64(kf_max_i64(0, 0 - (first_index0 + first)), len);
            const int64_t end4 = kf_max_i64(begin4, kf_min_i64(len, size_index0 - (first_index0 + first)));
            KF_SIMD
            for (int64_t l = begin4; l < end4; ++l) {
                const float v1 = kf_load_f32(p1_tmp_2, l);
                const double v2 = kf_cast_f32_f64(v1);  // cumsum
                pick4[l] = v2;
            }
            KF_SIMD
            for (int64_t l = 0; l < begin4; ++l) {
                pick4[l] = 0.0;
            }
            KF_SIMD
            for (int64_t l = end4; l < len; ++l) {
                pick4[l] = 0.0;
            }
            double arg4[2048];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                arg4[l] = pick4[l];
            }
            double scan5[2048];
            // cumsum
            const int64_t whole5 = len - len % 256;
            for (int64_t begin_runs = 0; begin_runs < whole5; begin_runs += 256) {
                double run0 = 0.0;
                double run1 = 0.0;
                double run2 = 0.0;
                double run3 = 0.0;
                for (int64_t l = begin_runs; l < begin_runs + 64; ++l) {
                    run0 = run0 + arg4[l];
                    scan5[l] = run0;
                    run1 = run1 + arg4[l + 64];
                    scan5[l + 64] = run1;
                    run2 = run2 + arg4[l + 128];
                    scan5[l + 128] = run2;
                    run3 = run3 + arg4[l + 192];
                    scan5[l + 192] = run3;
                }
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + l] = sum5 + scan5[begin_runs + l];
                }
                sum5 = sum5 + run0;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 64 + l] = sum5 + scan5[begin_runs + 64 + l];
                }
                sum5 = sum5 + run1;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 128 + l] = sum5 + scan5[begin_runs + 128 + l];
                }
                sum5 = sum5 + run2;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 192 + l] = sum5 + scan5[begin_runs + 192 + l];
                }
                sum5 = sum5 + run3;
            }
            for (int64_t begin_run = whole5; begin_run < len; begin_run += 64) {
                double run = 0.0;
                for (int64_t l = begin_run; l < kf_min_i64(len, begin_run + 64); ++l) {
                    run = run + arg4[l];
                    scan5[l] = sum5 + run;
                }
                sum5 = sum5 + run;
            }
            double *p2_tmp_3 = tmp_3 + (i0 * s0_tmp_3 + first);
            double buffer0[2072];
            double *to0 = stream ? buffer0 : p2_tmp_3;
            if (stream) {
                kf_stream_ahead(p2_tmp_3, len * 8);
                kf_stream_ahead(p2_tmp_3 + s0_tmp_3, len * 8);
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                kf_store_f64(to0, l, scan5[l]);
            }
            if (stream) {
                kf_stream_copy(p2_tmp_3, buffer0, len * 8);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}

typedef struct {
    int64_t stream;
    int64_t n1;
    int64_t chunks;
    const double *tmp_3;
    int64_t d0_tmp_3;
    const float *in_x;
    int64_t s0_in_x;
    float *out0;
    int64_t s0_out0;
} k2_multiply_cumsum_add_args;

/* multiply, cumsum, add.
 * Chunks of rows, each element from the one before it.
 * reads  tmp_3    float64[x.0, (max(x.1, 1) + 4095)//4096], 8 bytes each
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
void k2_multiply_cumsum_add(const k2_multiply_cumsum_add_args *a, int64_t begin, int64_t end) {
    const int64_t stream = a->stream;
    const int64_t n1 = a->n1;
    const int64_t chunks = a->chunks;
    const double *tmp_3 = a->tmp_3;
    const int64_t d0_tmp_3 = a->d0_tmp_3;
    const float *in_x = a->in_x;
    const int64_t s0_in_x = a->s0_in_x;
    float *out0 = a->out0;
    const int64_t s0_out0 = a->s0_out0;
    for (int64_t u = begin; u < end; ++u) {
        const int64_t chunk = u % chunks;
        const int64_t from = chunk * 4096;
        const int64_t to = kf_min_i64(n1, from + 4096);
        const int64_t above = u / chunks;
        const int64_t i0 = above;
        const double v0 = kf_load_f64(tmp_3, i0 * d0_tmp_3 + chunk);
        const float v1 = kf_cast_f64_f32(v0);  // cumsum
        float sum5 = 0.0f;
        for (int64_t first = from; first < to; first += 2048) {
            const int64_t len = kf_min_i64(to - first, 2048);
            const float *p1_in_x = in_x + (i0 * s0_in_x + first);
            float arg4[2048];
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v2 = kf_load_f32(p1_in_x, l);
                const float v4 = v2 * 2.0f;  // multiply
                arg4[l] = v4;
            }
            float scan5[2048];
            // cumsum
            const int64_t whole5 = len - len % 256;
            for (int64_t begin_runs = 0; begin_runs < whole5; begin_runs += 256) {
                float run0 = 0.0f;
                float run1 = 0.0f;
                float run2 = 0.0f;
                float run3 = 0.0f;
                for (int64_t l = begin_runs; l < begin_runs + 64; ++l) {
                    run0 = run0 + arg4[l];
                    scan5[l] = run0;
                    run1 = run1 + arg4[l + 64];
                    scan5[l + 64] = run1;
                    run2 = run2 + arg4[l + 128];
                    scan5[l + 128] = run2;
                    run3 = run3 + arg4[l + 192];
                    scan5[l + 192] = run3;
                }
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + l] = sum5 + scan5[begin_runs + l];
                }
                sum5 = sum5 + run0;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 64 + l] = sum5 + scan5[begin_runs + 64 + l];
                }
                sum5 = sum5 + run1;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 128 + l] = sum5 + scan5[begin_runs + 128 + l];
                }
                sum5 = sum5 + run2;
                KF_SIMD
                for (int64_t l = 0; l < 64; ++l) {
                    scan5[begin_runs + 192 + l] = sum5 + scan5[begin_runs + 192 + l];
                }
                sum5 = sum5 + run3;
            }
            for (int64_t begin_run = whole5; begin_run < len; begin_run += 64) {
                float run = 0.0f;
                for (int64_t l = begin_run; l < kf_min_i64(len, begin_run + 64); ++l) {
                    run = run + arg4[l];
                    scan5[l] = sum5 + run;
                }
                sum5 = sum5 + run;
            }
            float *p2_out0 = out0 + (i0 * s0_out0 + first);
            float buffer0[2096];
            float *to0 = stream ? buffer0 : p2_out0;
            if (stream) {
                kf_stream_ahead(p2_out0, len * 4);
                kf_stream_ahead(p2_out0 + s0_out0, len * 4);
            }
            KF_SIMD
            for (int64_t l = 0; l < len; ++l) {
                const float v6 = v1 + scan5[l];  // cumsum
                const float v8 = v6 + 1.0f;  // add
                kf_store_f32(to0, l, v8);
            }
            if (stream) {
                kf_stream_copy(p2_out0, buffer0, len * 4);
            }
        }
    }
    if (stream) {
        kf_stream_fence();
    }
}
