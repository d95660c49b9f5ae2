
typedef struct {
    int64_t blocks;
    int64_t n1;
    int64_t tiles;
    int64_t chunks;
    int64_t reduced;
    int64_t chunk_rows;
    kf_bf16 *out0;
    int64_t s1_out0;
    const kf_bf16 *in_x;
    int64_t s0_in_x;
    kf_bf16 *out1;
} k0_relu_sum_args;

/* relu, sum.
 * A cluster takes a tile of columns, its blocks the chunks of rows in turn.
 * reads  in_x     bfloat16[x.0, x.1], 2 bytes each
 * writes out0     bfloat16[x.1, x.0], 2 bytes each
 * writes out1     bfloat16[x.1], 2 bytes each */
KF_KERNEL(k0_relu_sum, k0_relu_sum_args, 256) {
    const uint32_t blocks = a.blocks;
    const uint32_t n1 = a.n1;
    const uint32_t tiles = a.tiles;
    const uint32_t chunks = a.chunks;
    const int64_t reduced = a.reduced;
    const int64_t chunk_rows = a.chunk_rows;
    kf_bf16 *out0 = a.out0;
    const int64_t s1_out0 = a.s1_out0;
    const kf_bf16 *in_x = a.in_x;
    const int64_t s0_in_x = a.s0_in_x;
    kf_bf16 *out1 = a.out1;
    KF_SHARED(uint64_t, messages, 1);
    kf_cluster_open(messages, 1);
    const int rank = kf_cluster_rank();
    const int tid = kf_thread();
    const int across = tid % 32;
    const int down = tid / 32;
    const uint32_t block = kf_block();
    const uint32_t cluster = block / blocks;
    const uint32_t tile = cluster % tiles;
    const int64_t first_column = tile * 32;
    const int64_t column = first_column + across;
    const int columns = kf_min_i64(n1 - column, 1);  // of this thread; may be negative
    const int64_t j = columns > 0 ? column : first_column;
    KF_SHARED(float, tile1, 2080);
    KF_SHARED(float, down_sum3, 256);
    KF_SHARED(float, cluster_sum3, 256);
    for (int chunk = rank; chunk < chunks; chunk += blocks) {
        const int from = chunk * chunk_rows;
        const int to = kf_min_i64(reduced, from + chunk_rows);
        float sum3[1];
        KF_UNROLL
        for (int e = 0; e < 1; ++e) {
            sum3[e] = 0.0f;
        }
        kf_bf16 *c1[4];
        KF_UNROLL
        for (int k = 0; k < 4; ++k) {
            const int tile_column = down + k * 8;
            const int64_t at = first_column + tile_column < n1 ? (first_column + tile_column) : (n1 - 1);
            const uint32_t i0 = 0;
            c1[k] = out0 + (i0 + at * s1_out0);
        }
        for (int row0 = from; row0 < to; row0 += 64) {
            const int first_row = row0 + down;
            float r0[8];
            KF_UNROLL
            for (int s = 0; s < 8; ++s) {
                const int row = first_row + s * 8;
                const int safe = row < to ? row : (to - 1);
                const uint32_t i0 = safe;
                const kf_bf16 *p0_in_x = in_x + (i0 * s0_in_x + j);
                {
                    r0[s] = kf_load_bf16(p0_in_x, 0);
                }
            }
            kf_barrier();
            KF_UNROLL
            for (int s = 0; s < 8; ++s) {
                const int row = first_row + s * 8;
                const int left = row < to ? columns : 0;
                float w0[1];
                {
                    const float v2 = kf_max_f32(r0[s], 0.0f);  // relu
                    const float term3 = 0 < left ? r0[s] : 0.0f;
                    sum3[0] = sum3[0] + term3;
                    w0[0] = v2;
                }
                kf_shared_put_f32(tile1, across * 65 + (down + s * 8), w0[0]);
            }
            kf_barrier();
            KF_UNROLL
            for (int k = 0; k < 8; ++k) {
                const int tile_row = across + (k / 4) * 32;
                const int tile_column = down + (k % 4) * 8;
                if (row0 + tile_row < to && first_column + tile_column < n1) {
                    kf_store_bf16(c1[k % 4], row0 + tile_row, kf_shared_get_f32(tile1, tile_column * 65 + tile_row));
                }
            }
        }
        if (chunk == rank) {
            kf_cluster_wait();
        } else {
            kf_barrier();
        }
        KF_UNROLL
        for (int e = 0; e < 1; ++e) {
            kf_shared_put_f32(down_sum3, e * 256 + (down * 32 + across), sum3[e]);
        }
        kf_barrier();
        if (down < 1) {
            float all_sum3 = 0.0f;
            for (int d = 0; d < 8; ++d) {
                const int at = down * 256 + (d * 32 + across);
                const float q_sum3 = kf_shared_get_f32(down_sum3, at);
                all_sum3 = all_sum3 + q_sum3;
            }
            // to the cluster's first block
            const int part_at = chunk * 32 + (down * 32 + across);
            kf_cluster_send_f32(cluster_sum3, part_at, 0, all_sum3, messages, 0);
        }
    }
    kf_cluster_collect(messages, 0, rank == 0 ? (chunks * (32 * 4)) : 0);
    if (rank == 0 && down < 1) {
        const int64_t i1 = first_column + (across + down);
        if (i1 < n1) {
            float all_sum3 = 0.0f;
            for (int part = 0; part < chunks; ++part) {
                const int at = part * 32 + (down * 32 + across);
                const float q_sum3 = kf_shared_get_f32(cluster_sum3, at);
                all_sum3 = all_sum3 + q_sum3;
            }
            const float v4 = all_sum3;  // sum
            kf_store_bf16(out1, i1, v4);
        }
    }
}
