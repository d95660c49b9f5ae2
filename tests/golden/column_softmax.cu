
typedef struct {
    int64_t reduced;
    int64_t chunks;
    int64_t chunk_rows;
    int64_t tiles;
    int64_t n1;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    float *tmp_2;
    float *tmp_3;
    int64_t outer_n;
    float *part_max1;
    float *part_sumexp1;
} k0_softmax_args;

/* softmax.
 * A block takes a tile of columns over a chunk of rows.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * writes tmp_2    float32[1, x.1], 4 bytes each
 * writes tmp_3    float32[1, x.1], 4 bytes each */
KF_KERNEL(k0_softmax, k0_softmax_args, 256) {
    const int64_t reduced = a.reduced;
    const int64_t chunks = a.chunks;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t tiles = a.tiles;
    const int64_t n1 = a.n1;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    float *tmp_2 = a.tmp_2;
    float *tmp_3 = a.tmp_3;
    const int64_t outer_n = a.outer_n;
    float *part_max1 = a.part_max1;
    float *part_sumexp1 = a.part_sumexp1;
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
    float max1[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        max1[e] = kf_lowest_f32;
    }
    float sumexp1[4];
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        sumexp1[e] = 0.0f;
    }
    for (int64_t row0 = from + down; row0 < to; row0 += 32) {
        float tile_max1[4];
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            tile_max1[e] = kf_lowest_f32;
        }
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
                const float term1 = e < left ? v0 : kf_lowest_f32;
                tile_max1[e] = kf_max_f32(term1, tile_max1[e]);
            }
        }
        float tile_sumexp1[4];
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            tile_sumexp1[e] = 0.0f;
        }
        KF_UNROLL
        for (int s = 0; s < 4; ++s) {
            const int64_t row = row0 + s * 8;
            const int left = row < to ? columns : 0;
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float term1 = e < left ? kf_exp_below_f32(kf_item_f32(r0 + s * 4, e), tile_max1[e]) : 0.0f;
                tile_sumexp1[e] = tile_sumexp1[e] + term1;
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            {
                const float merged_max1 = kf_max_f32(max1[e], tile_max1[e]);
                const float merged_sumexp1 = kf_merge_sumexp_f32(max1[e], sumexp1[e], tile_max1[e], tile_sumexp1[e]);
                max1[e] = merged_max1;
                sumexp1[e] = merged_sumexp1;
            }
        }
    }
    KF_SHARED(float, down_max1, 1024);
    KF_SHARED(float, down_sumexp1, 1024);
    KF_UNROLL
    for (int e = 0; e < 4; ++e) {
        kf_shared_put_f32(down_max1, tid * 4 + e, max1[e]);
        kf_shared_put_f32(down_sumexp1, tid * 4 + e, sumexp1[e]);
    }
    kf_barrier();
    if (down == 0) {
        for (int d = 1; d < 8; ++d) {
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const int at = (d * 32 + across) * 4 + e;
                const float q_max1 = kf_shared_get_f32(down_max1, at);
                const float q_sumexp1 = kf_shared_get_f32(down_sumexp1, at);
                {
                    const float merged_max1 = kf_max_f32(max1[e], q_max1);
                    const float merged_sumexp1 = kf_merge_sumexp_f32(max1[e], sumexp1[e], q_max1, q_sumexp1);
                    max1[e] = merged_max1;
                    sumexp1[e] = merged_sumexp1;
                }
            }
        }
        KF_UNROLL
        for (int e = 0; e < 4; ++e) {
            if (e < columns) {
                const int64_t i1 = j + e;
                if (chunks == 1) {
                    const float v2 = max1[e];  // max
                    const float v3 = sumexp1[e];  // sumexp
                    const float v4 = v2 - v2;  // softmax
                    const float v5 = v3 + v4;  // softmax
                    const float v6 = kf_one_f32 / v5;  // softmax
                    kf_store_f32(tmp_2, i1, v2);
                    kf_store_f32(tmp_3, i1, v6);
                } else {
                    const int64_t part_at = (chunk * outer_n + outer) * n1 + i1;
                    kf_store_f32(part_max1, part_at, max1[e]);
                    kf_store_f32(part_sumexp1, part_at, sumexp1[e]);
                }
            }
        }
    }
}

typedef struct {
    int64_t n1;
    int64_t chunks;
    int64_t columns;
    float *part_max1;
    float *part_sumexp1;
    float *tmp_2;
    float *tmp_3;
} k0_softmax_merge_args;

/* softmax.
 * Merges the chunks of a column, one column a thread.
 * reads  part_*   what the chunks left
 * writes tmp_2    float32[1, x.1], 4 bytes each
 * writes tmp_3    float32[1, x.1], 4 bytes each */
KF_KERNEL(k0_softmax_merge, k0_softmax_merge_args, 256) {
    const int64_t n1 = a.n1;
    const int64_t chunks = a.chunks;
    const int64_t columns = a.columns;
    float *part_max1 = a.part_max1;
    float *part_sumexp1 = a.part_sumexp1;
    float *tmp_2 = a.tmp_2;
    float *tmp_3 = a.tmp_3;
    const int64_t t = kf_block() * 256 + kf_thread();
    if (t < columns) {
        const int64_t i1 = t % n1;
        float max1 = kf_lowest_f32;
        float sumexp1 = 0.0f;
        for (int64_t chunk = 0; chunk < chunks; ++chunk) {
            const int64_t part_at = chunk * columns + t;
            const float q_max1 = kf_load_f32(part_max1, part_at);
            const float q_sumexp1 = kf_load_f32(part_sumexp1, part_at);
            {
                const float merged_max1 = kf_max_f32(max1, q_max1);
                const float merged_sumexp1 = kf_merge_sumexp_f32(max1, sumexp1, q_max1, q_sumexp1);
                max1 = merged_max1;
                sumexp1 = merged_sumexp1;
            }
        }
        const float v2 = max1;  // max
        const float v3 = sumexp1;  // sumexp
        const float v4 = v2 - v2;  // softmax
        const float v5 = v3 + v4;  // softmax
        const float v6 = kf_one_f32 / v5;  // softmax
        kf_store_f32(tmp_2, i1, v2);
        kf_store_f32(tmp_3, i1, v6);
    }
}

typedef struct {
    int64_t n1;
    int64_t lines;
    const float *in_x;
    int64_t s0_in_x;
    int64_t vec;
    const float *tmp_2;
    const float *tmp_3;
    float *out0;
    int64_t s0_out0;
} k1_softmax_args;

/* softmax.
 * One pass over the elements, one pack of the innermost axis a thread.
 * reads  in_x     float32[x.0, x.1], 4 bytes each
 * reads  tmp_2    float32[1, x.1], 4 bytes each
 * reads  tmp_3    float32[1, x.1], 4 bytes each
 * writes out0     float32[x.0, x.1], 4 bytes each */
KF_KERNEL(k1_softmax, k1_softmax_args, 256) {
    const uint32_t n1 = a.n1;
    const int64_t lines = a.lines;
    const float *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t vec = a.vec;
    const float *tmp_2 = a.tmp_2;
    const float *tmp_3 = a.tmp_3;
    float *out0 = a.out0;
    const int64_t s0_out0 = a.s0_out0;
    const uint32_t t = kf_block() * 256 + kf_thread();
    const uint32_t packs = (n1 + 3) / 4;  // of a line
    const uint32_t line = t / packs;
    const int64_t j = ((int64_t)(t % packs)) * 4;
    if (line < lines) {
        const uint32_t i0 = line;
        const int left = kf_min_i64(n1 - j, 4);  // elements of the pack
        uint32_t r0[4];
        uint32_t r1[4];
        uint32_t r4[4];
        {
            const float *p0_in_x = in_x + (i0 * s0_in_x + j);
            kf_load4_f32(p0_in_x, 0, left, vec, r0);
            const float *p1_tmp_2 = tmp_2 + j;
            kf_load4_f32(p1_tmp_2, 0, left, vec, r1);
            const float *p2_tmp_3 = tmp_3 + j;
            kf_load4_f32(p2_tmp_3, 0, left, vec, r4);
            float w0[4];
            KF_UNROLL
            for (int e = 0; e < 4; ++e) {
                const float v0 = kf_item_f32(r0, e);
                const float v1 = kf_item_f32(r1, e);
                const float v2 = v0 - v1;  // softmax
                const float v3 = kf_exp_f32(v2);  // softmax
                const float v4 = kf_item_f32(r4, e);
                const float v5 = v3 * v4;  // softmax
                w0[e] = v5;
            }
            float *p3_out0 = out0 + (i0 * s0_out0 + j);
            kf_store4_f32(p3_out0, 0, left, vec, w0);
        }
    }
}
