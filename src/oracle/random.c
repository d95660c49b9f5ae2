/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), one counter at a time. */
#include "oracle/eval.h"

static void block(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t w[4]) {
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    w[0] = (uint32_t)counter;
    w[1] = (uint32_t)(counter >> 32);
    w[2] = (uint32_t)stream;
    w[3] = (uint32_t)(stream >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xd2511f53u * w[0], q = (uint64_t)0xcd9e8d57u * w[2];
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ w[1] ^ key[0], (uint32_t)q,
                            (uint32_t)(p >> 32) ^ w[3] ^ key[1], (uint32_t)p};
        memcpy(w, next, sizeof next);
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
}

void kf__o_philox(uint64_t seed, uint64_t stream, bool wide, int64_t n, int64_t *out) {
    uint32_t w[4] = {0};
    for (int64_t j = 0; j < n && wide; j++) {
        if (j % 2 == 0) block(seed, stream, (uint64_t)j / 2, w);
        uint64_t low = w[j % 2 * 2], high = w[j % 2 * 2 + 1];
        out[j] = (int64_t)(high << 32 | low);
    }
    for (int64_t j = 0; j < n && !wide; j++) {
        if (j % 4 == 0) block(seed, stream, (uint64_t)j / 4, w);
        out[j] = (int32_t)w[j % 4];
    }
}
