
typedef struct {
    int64_t blocks;
    int64_t size_v38;
    int64_t wide;
    int64_t inverse;
    int64_t n1;
    int64_t tiles;
    int64_t outer_n;
    int64_t lines;
    int64_t beside;
    int64_t chunks;
    int64_t reduced;
    int64_t chunk_rows;
    int64_t size_index0;
    int64_t first_index7;
    int64_t size_index7;
    int64_t first_index11;
    int64_t size_index11;
    const float *in_x;
    int64_t s1_in_x;
    const float *in_x_8;
    const float *in_x_12;
    int64_t s1_in_x_12;
    int64_t s0_in_x;
    int64_t s0_in_x_8;
    int64_t s0_in_x_12;
    const float *in_x_4;
    int64_t s1_in_x_4;
    const float *in_x_9;
    const float *in_x_13;
    int64_t s1_in_x_13;
    int64_t s0_in_x_4;
    int64_t s0_in_x_9;
    int64_t s0_in_x_13;
    const float *in_x_6;
    int64_t s1_in_x_6;
    const float *in_x_10;
    const float *in_x_14;
    int64_t s1_in_x_14;
    int64_t s0_in_x_6;
    int64_t s0_in_x_10;
    int64_t s0_in_x_14;
    int64_t size_index1;
    int64_t first_index3;
    int64_t size_index3;
    int64_t first_index5;
    int64_t size_index5;
    float *out0;
} k0_pad_mean_args;

/* pad, mean.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
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
KF_KERNEL(k0_pad_mean, k0_pad_mean_args, 256) {
    const uint32_t blocks = a.blocks;
    const int64_t size_v38 = a.size_v38;
    const uint32_t wide = a.wide;
    const uint32_t inverse = a.inverse;
    const uint32_t n1 = a.n1;
    const uint32_t tiles = a.tiles;
    const uint32_t outer_n = a.outer_n;
    const uint32_t lines = a.lines;
    const uint32_t beside = a.beside;
    const uint32_t chunks = a.chunks;
    const int64_t reduced = a.reduced;
    const int64_t chunk_rows = a.chunk_rows;
    const int64_t size_index0 = a.size_index0;
    const int64_t first_index7 = a.first_index7;
    const int64_t size_index7 = a.size_index7;
    const int64_t first_index11 = a.first_index11;
    const int64_t size_index11 = a.size_index11;
    const float *in_x = a.in_x;
    const int64_t s1_in_x = a.s1_in_x;
    const float *in_x_8 = a.in_x_8;
    const float *in_x_12 = a.in_x_12;
    const int64_t s1_in_x_12 = a.s1_in_x_12;
    const int64_t s0_in_x = a.s0_in_x;
    const int64_t s0_in_x_8 = a.s0_in_x_8;
    const int64_t s0_in_x_12 = a.s0_in_x_12;
    const float *in_x_4 = a.in_x_4;
    const int64_t s1_in_x_4 = a.s1_in_x_4;
    const float *in_x_9 = a.in_x_9;
    const float *in_x_13 = a.in_x_13;
    const int64_t s1_in_x_13 = a.s1_in_x_13;
    const int64_t s0_in_x_4 = a.s0_in_x_4;
    const int64_t s0_in_x_9 = a.s0_in_x_9;
    const int64_t s0_in_x_13 = a.s0_in_x_13;
    const float *in_x_6 = a.in_x_6;
    const int64_t s1_in_x_6 = a.s1_in_x_6;
    const float *in_x_10 = a.in_x_10;
    const float *in_x_14 = a.in_x_14;
    const int64_t s1_in_x_14 = a.s1_in_x_14;
    const int64_t s0_in_x_6 = a.s0_in_x_6;
    const int64_t s0_in_x_10 = a.s0_in_x_10;
    const int64_t s0_in_x_14 = a.s0_in_x_14;
    const int64_t size_index1 = a.size_index1;
    const int64_t first_index3 = a.first_index3;
    const int64_t size_index3 = a.size_index3;
    const int64_t first_index5 = a.first_index5;
    const int64_t size_index5 = a.size_index5;
    float *out0 = a.out0;
    const float v39 = kf_cast_i64_f32(size_v38);  // mean
    KF_SHARED(uint64_t, messages, 1);
    kf_cluster_open(messages, 1);
    const int rank = kf_cluster_rank();
    const int tid = kf_thread();
    const int above = (tid * inverse) >> 16;  // tid / wide
    const int across = tid - above * wide;
    const int down = above & 7;
    const int nth = above >> 3;
    const int place = nth * wide + across;
    const uint32_t block = kf_block();
    const uint32_t cluster = block / blocks;
    const uint32_t tile = cluster % tiles;
    const int64_t first_column = tile * wide;
    const int64_t column = first_column + across;
    const int columns = kf_min_i64(n1 - column, 1);  // of this thread; may be negative
    const int64_t j = columns > 0 ? column : first_column;
    KF_SHARED(float, down_sum36, 256);
    const uint32_t first_line = (cluster / tiles) * lines;
    const uint32_t own = first_line + nth;
    const int is_own = nth < beside && own < outer_n;
    KF_SHARED(float, cluster_sum36, 256);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        float sum36[1];
        KF_UNROLL
        for (int e = 0; e < 1; ++e) {
            sum36[e] = 0.0f;
        }
        const int early0_3 = kf_within(j, size_index0);
        const int early13_3 = kf_within(first_index7 + j, size_index7);
        const int early23_3 = kf_within(first_index11 + j, size_index11);
        const float *from3 = early23_3 ? (in_x_12 + j * s1_in_x_12) : (early13_3 ? (in_x_8 + j) : (in_x + j * s1_in_x));
        const int some3 = (early0_3 | early13_3) | early23_3;
        const int64_t by0_3 = early23_3 ? s0_in_x_12 : (early13_3 ? s0_in_x_8 : s0_in_x);
        const float *from6 = early23_3 ? (in_x_13 + j * s1_in_x_13) : (early13_3 ? (in_x_9 + j) : (in_x_4 + j * s1_in_x_4));
        const int some6 = (early0_3 | early13_3) | early23_3;
        const int64_t by0_6 = early23_3 ? s0_in_x_13 : (early13_3 ? s0_in_x_9 : s0_in_x_4);
        const float *from9 = early23_3 ? (in_x_14 + j * s1_in_x_14) : (early13_3 ? (in_x_10 + j) : (in_x_6 + j * s1_in_x_6));
        const int some9 = (early0_3 | early13_3) | early23_3;
        const int64_t by0_9 = early23_3 ? s0_in_x_14 : (early13_3 ? s0_in_x_10 : s0_in_x_6);
        for (int row0 = is_own ? (from + down) : to; row0 < to; row0 += 128) {
            const uint32_t top_row = row0;
            const uint32_t last_row = row0 + 120 < to ? (row0 + 120) : (to - 1);
            float r3[16];
            const int all3 = (kf_within(top_row, size_index1) & kf_within(last_row, size_index1)) & some3;
            const int all6 = (kf_within(first_index3 + top_row, size_index3) & kf_within(first_index3 + last_row, size_index3)) & some6;
            const int all9 = (kf_within(first_index5 + top_row, size_index5) & kf_within(first_index5 + last_row, size_index5)) & some9;
            const float *span3 = all9 ? from9 : (all6 ? from6 : from3);
            const int64_t span_by0_3 = all9 ? by0_9 : (all6 ? by0_6 : by0_3);
            // all rows in flight are of one part
            if ((all3 | all6) | all9) {
                KF_UNROLL
                for (int s = 0; s < 16; ++s) {
                    const int row = row0 + s * 8;
                    const int safe = row < to ? row : (to - 1);
                    const uint32_t i0 = safe;
                    {
                        const float *p_r3 = span3 + i0 * span_by0_3;
                        r3[s] = kf_load_f32(p_r3, 0);
                    }
                }
            } else {
                KF_UNROLL
                for (int s = 0; s < 16; ++s) {
                    const int row = row0 + s * 8;
                    const int safe = row < to ? row : (to - 1);
                    const uint32_t i0 = safe;
                    {
                        const int there6 = kf_within(first_index3 + i0, size_index3);
                        const int there9 = kf_within(first_index5 + i0, size_index5);
                        const float *p_r3 = ((there9 & some9) ? from9 : ((there6 & some6) ? from6 : from3)) + i0 * ((there9 & some9) ? by0_9 : ((there6 & some6) ? by0_6 : by0_3));
                        r3[s] = kf_load_f32(p_r3, 0);
                    }
                }
            }
            KF_UNROLL
            for (int s = 0; s < 16; ++s) {
                const int row = row0 + s * 8;
                const int left = row < to ? columns : 0;
                {
                    const float term36 = 0 < left ? r3[s] : 0.0f;
                    sum36[0] = sum36[0] + term36;
                }
            }
        }
        if (chunk == rank) {
            kf_cluster_wait();
        } else {
            kf_barrier();
        }
        if (is_own) {
            KF_UNROLL
            for (int e = 0; e < 1; ++e) {
                kf_shared_put_f32(down_sum36, e * 256 + (down * 32 + place), sum36[e]);
            }
        }
        kf_barrier();
        if (is_own && down < 1) {
            float all_sum36 = 0.0f;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + place);
                const float q_sum36 = kf_shared_get_f32(down_sum36, at);
                all_sum36 = all_sum36 + q_sum36;
            }
            // to the cluster's first block
            const int part_at = chunk * 32 + (down * 32 + place);
            kf_cluster_send_f32(cluster_sum36, part_at, 0, all_sum36, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (kf_min_i64(lines, outer_n - first_line) * (wide * 4))) : 0);
    if ((rank == 0 && down < 1) && is_own) {
        const int64_t i1 = first_column + (across + down);
        if (i1 < n1) {
            float all_sum36 = 0.0f;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 32 + (down * 32 + place);
                const float q_sum36 = kf_shared_get_f32(cluster_sum36, at);
                all_sum36 = all_sum36 + q_sum36;
            }
            const float v37 = all_sum36;  // sum
            const float v40 = v37 / v39;  // mean
            kf_store_f32(out0, i1, v40);
        }
    }
}
