/* Which results must have equal bits, fused or not; and whether they have. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "oracle/eval.h"

/* Bits of a result don't depend on the partition where no floats are reduced and where everything
 * is rounded as written: in its dtype, or eagerly. */
bool fz_is_exact(const kf_graph *g, uint32_t result) {
    bool *below = calloc(g->nodes.n, sizeof *below), exact = below != NULL;
    if (below) below[g->results.at[result]] = true;
    for (kf__ref r = g->nodes.n; exact && r-- > 1;) {
        const kf__node *n = kf__at(g, r);
        kf__dtype t = (kf__dtype)n->dtype;
        if (!below[r]) continue;
        if ((n->kind == KF__REDUCE || n->kind == KF__SCAN) && kf__is_float(t)) exact = false;
        if (n->kind == KF__OP && kf__compute(t) != t && g->numerics != KF_EAGER) exact = false;
        for (int k = 0; k < n->n_args; k++) below[n->args[k]] = true;
    }
    free(below);
    return exact;
}

typedef struct packing {
    char *to;
    size_t size;
} packing;

static void pack_element(fz_array *a, char *element, void *arg) {
    packing *p = arg;
    (void)a;
    memcpy(p->to, element, p->size);
    p->to += p->size;
}

char *fz_pack(fz_array *a) {
    packing p = {malloc(a->bytes), a->array.dtype.bits / 8u};
    char *packed = p.to;
    if (packed) fz_for_each(a, pack_element, &p);
    return packed;
}

bool fz_same_bits(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

int64_t fz_first_difference(const fz_array *like, const char *a, const char *b) {
    int64_t n = 1;
    size_t size = like->array.dtype.bits / 8u;
    kf__dtype t = KF__BOOL;
    for (int d = 0; d < like->array.ndim; d++) n *= like->shape[d];
    if (memcmp(a, b, (size_t)n * size) == 0) return -1;
    kf__dtype_from_dlpack(like->array.dtype, &t);
    for (int64_t i = 0; i < n; i++) {
        const char *x = a + (size_t)i * size, *y = b + (size_t)i * size;
        double f[2];
        if (memcmp(x, y, size) == 0) continue;
        if (!kf__is_float(t)) return i;
        kf__o_load(t, x, 0, 1, &f[0]);
        kf__o_load(t, y, 0, 1, &f[1]);
        if (!isnan(f[0]) || !isnan(f[1])) return i;
    }
    return -1;
}

/* ---------------------------------------------------------------- threads */

/* As many threads as there may be, in any order: ranges of random length, first ones last. */
void fz_parallel(void *user, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                 void *arg) {
    fz_random r = {*(const uint64_t *)user};
    int64_t grains = kf__ceil_div(n, grain), end = grains;
    while (end > 0) {
        int64_t begin = r.state ? end - 1 - (int64_t)(fz_next(&r) % (uint64_t)end) : 0;
        if (r.state && fz_chance(&r, 60)) begin = kf__max(begin, end - 2);
        body(arg, begin * grain, kf__min(end * grain, n));
        end = begin;
    }
}
