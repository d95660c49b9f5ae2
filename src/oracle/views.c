/* Views made real: a strided walk over 8-byte elements. */
#include "oracle/eval.h"

void kf__o_row_major(int rank, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = step;
        if (!kf__mul_ok(step, shape[d], &step)) step = 0; /* then there are no elements */
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

/* The array's elements one by one to where they go; the others keep the value. */
void kf__o_pad(int rank, const int64_t *shape, const int64_t *before, const int64_t *wide,
               const void *from, const void *value, void *out) {
    int64_t index[KF__MAX_RANK] = {0}, n = 1, all = 1;
    for (int d = 0; d < rank; d++) n *= shape[d], all *= wide[d];
    for (int64_t j = 0; j < all; j++) memcpy((char *)out + j * 8, value, 8);
    for (int64_t j = 0; j < n; j++) {
        int64_t to = 0;
        bool inside = true;
        for (int d = 0; d < rank; d++) {
            int64_t i = index[d] + before[d];
            inside = inside && i >= 0 && i < wide[d];
            to = to * wide[d] + i;
        }
        if (inside) memcpy((char *)out + to * 8, (const char *)from + j * 8, 8);
        for (int d = rank - 1; d >= 0 && ++index[d] == shape[d]; d--) index[d] = 0;
    }
}

/* For each index of the axes before: a run of the first array, then one of the second. */
void kf__o_concat(int rank, int axis, const int64_t *shape_a, const int64_t *shape_b, const void *a,
                  const void *b, void *out) {
    int64_t lines = 1, run_a = 8, run_b = 8;
    for (int d = 0; d < axis; d++) lines *= shape_a[d];
    for (int d = axis; d < rank; d++) run_a *= shape_a[d], run_b *= shape_b[d];
    for (int64_t line = 0; line < lines; line++) {
        char *to = (char *)out + line * (run_a + run_b);
        memcpy(to, (const char *)a + line * run_a, (size_t)run_a);
        memcpy(to + run_a, (const char *)b + line * run_b, (size_t)run_b);
    }
}

int64_t kf__o_take(int rank, int axis, const int64_t *from_shape, const int64_t *shape,
                const void *from, const int64_t *at, void *out) {
    const uint64_t *in = from;
    uint64_t *to = out;
    int64_t outer = 1, inner = 1, n = shape[axis], size = from_shape[axis], outside = 0;
    for (int d = 0; d < axis; d++) outer *= shape[d];
    for (int d = axis + 1; d < rank; d++) inner *= shape[d];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < inner; j++) {
                int64_t k = (o * n + i) * inner + j, index = at[k] < 0 ? at[k] + size : at[k];
                bool inside = index >= 0 && index < size;
                to[k] = inside ? in[(o * size + index) * inner + j] : 0;
                outside += !inside;
            }
    return outside;
}
