
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
    float *part_sum2;
} k0_exp_sum_args;

/* exp, sum.
 * A block takes a tile of columns over a chunk of rows.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_exp_sum, k0_exp_sum_args, 256) {
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
    float *part_sum2 = a.part_sum2;
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
    float sum2[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        sum2[e] = 0.0f;
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
                const float v1 = kf_exp_f32(v0);  // exp
                const float term2 = e < left ? v1 : 0.0f;
                sum2[e] = sum2[e] + term2;
            }
        }
    }
    KF_SHARED(float, down_sum2, 1024);
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        kf_shared_put_f32(down_sum2, tid * 4 + e, sum2[e]);
    }
    kf_barrier();
    if (down == 0) {
        for (int d = 1; d < 8; ++d) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int at = (d * 32 + across) * 4 + e;
                const float q_sum2 = kf_shared_get_f32(down_sum2, at);
                sum2[e] = sum2[e] + q_sum2;
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            if (e < columns) {
                const int64_t i1 = j + e;
                if (chunks == 1) {
                    const float v3 = sum2[e];  // sum
                    kf_store_f32(out0, i1, v3);
                } else {
                    const int64_t part_at = (chunk * outer_n + outer) * n1 + i1;
                    kf_store_f32(part_sum2, part_at, sum2[e]);
                }
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t chunks;
    int64_t columns;
    float *part_sum2;
    float *out0;
} k0_exp_sum_merge_args;

/* exp, sum.
 * Merges the chunks of a column, one column a thread.
 * reads  part_*   what the chunks left
 * writes out0     float32[x.1], 4 bytes each */
KF_KERNEL(k0_exp_sum_merge, k0_exp_sum_merge_args, 256) {
    const int64_t n1 = a.n1;
    const int64_t chunks = a.chunks;
    const int64_t columns = a.columns;
    float *part_sum2 = a.part_sum2;
    float *out0 = a.out0;
    const int64_t t = kf_block() * 256 + kf_thread();
    if (t < columns) {
        const int64_t i1 = t % n1;
        float sum2 = 0.0f;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
            const int64_t part_at = chunk * columns + t;
            const float q_sum2 = kf_load_f32(part_sum2, part_at);
            sum2 = sum2 + q_sum2;
        }
        const float v3 = sum2;  // sum
        kf_store_f32(out0, i1, v3);
    }
}
