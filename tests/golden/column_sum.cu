
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t chunk_rows;
    int64_t tiles;
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *out0;
    int64_t outer_n;
    float *part_sum3;
} k0_relu_sum_args;

/* relu, sum.
 * A block takes a tile of columns over a chunk of rows.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_relu_sum, k0_relu_sum_args, 256) {
    const int64_t reduced = a.reduced;
    const int64_t chunks = a.chunks;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t tiles = a.tiles;
    const int64_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *out0 = a.out0;
    const int64_t outer_n = a.outer_n;
    float *part_sum3 = a.part_sum3;
    const int tid = kf_thread();
    const int across = tid % 32;
    const int down = tid / 32;
    const int64_t u = kf_block();
    const int64_t tile = u % tiles;
    const int64_t rest = u / tiles;
    const int64_t chunk = rest % chunks;
    const int64_t outer = rest / chunks;
    const int64_t j = (tile * 32 + across) * 4;
    const int columns = kf_min_i64(n1 - j, 4);  // of this thread; may be negative
    const int64_t from = chunk * chunk_rows;
    const int64_t to = kf_min_i64(reduced, from + chunk_rows);
    float sum3[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        sum3[e] = 0.0f;
    }
    for (int64_t row0 = from + down; row0 < to; row0 += 32) {
        uint32_t r0[16];
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int64_t safe = kf_min_i64(row, to - 1);
            const int64_t i0 = safe;
            const int left = row < to ? columns : 0;
            const float *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load4_f32(p0_in_x, 0, left, vec, r0 + s * 4);
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int left = row < to ? columns : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0 + s * 4, e);
                const float v2 = kf_max_f32(v0, 0.0f);  // relu
                const float term3 = e < left ? v2 : 0.0f;
                sum3[e] = sum3[e] + term3;
            }
        }
    }
    KF_SHARED(float, down_sum3, 1024);
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        kf_shared_put_f32(down_sum3, tid * 4 + e, sum3[e]);
    }
    kf_barrier();
    if (down == 0) {
        for (int d = 1; d < 8; ++d) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int at = (d * 32 + across) * 4 + e;
                const float q_sum3 = kf_shared_get_f32(down_sum3, at);
                sum3[e] = sum3[e] + q_sum3;
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            if (e < columns) {
                const int64_t i1 = j + e;
                if (chunks == 1) {
                    const float v4 = sum3[e];  // sum
                    kf_store_f32(out0, i1, v4);
                } else {
                    const int64_t part_at = (chunk * outer_n + outer) * n1 + i1;
                    kf_store_f32(part_sum3, part_at, sum3[e]);
                }
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t chunks;
    int64_t columns;
    float *part_sum3;
    float *out0;
} k0_relu_sum_merge_args;

/* relu, sum.
 * Merges the chunks of a column, one column a thread.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_relu_sum_merge, k0_relu_sum_merge_args, 256) {
    const int64_t n1 = a.n1;
    const int64_t chunks = a.chunks;
    const int64_t columns = a.columns;
    float *part_sum3 = a.part_sum3;
    float *out0 = a.out0;
    const int64_t t = kf_block() * 256 + kf_thread();
    if (t < columns) {
        const int64_t i1 = t % n1;
        float sum3 = 0.0f;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
            const int64_t part_at = chunk * columns + t;
            const float q_sum3 = kf_load_f32(part_sum3, part_at);
            sum3 = sum3 + q_sum3;
        }
        const float v4 = sum3;  // sum
        kf_store_f32(out0, i1, v4);
    }
}
