/* Views made real: a strided walk over 8-byte elements. */
#include "oracle/eval.h"

void kf__o_row_major(int rank, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = step;
        step *= shape[d];
    }
}

void kf__o_gather(int rank, const int64_t *shape, const int64_t *strides, int64_t offset,
                  const void *from, void *out) {
    const uint64_t *in = from;
    uint64_t *to = out;
    int64_t index[KF__MAX_RANK] = {0};
    for (int d = 0; d < rank; d++)
        if (shape[d] == 0) return;
    int inner = rank - 1;
    int64_t n = rank ? shape[inner] : 1, step = rank ? strides[inner] : 0;
    for (;;) {
        const uint64_t *row = in + offset;
        for (int64_t j = 0; j < n; j++) to[j] = row[j * step];
        to += n;
        int d = inner - 1;
        for (; d >= 0; d--) {
            offset += strides[d];
            if (++index[d] < shape[d]) break;
            offset -= strides[d] * shape[d];
            index[d] = 0;
        }
        if (d < 0) return;
    }
}
