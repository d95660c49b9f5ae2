/* Arrays that are one run in memory, row by row, are indexed by one number where that is simpler. A
 * reshape reads at quotients and remainders of the place in its result,
 *
 *     x[(i0 * 768 + i1) / n, (i0 * 768 + i1) % n]
 *
 * and that is element i0 * 768 + i1 of the run: no division, and vectors again. */
#include "lower/low.h"
#include "lower/lower.h"

/* Strides are those of one run. Of dims of size 1 too, which matter not: else a size changed the
 * text. */
static bool is_run(const kf__exprs *x, const kf__layout *layout, const kf__access *a) {
    int64_t step = 1, size;
    for (int d = a->rank; d-- > 0;) {
        if (layout->strides[a->value][d] != step) return false;
        if (!kf__x_eval(x, a->shape[d], layout->names, NULL, &size) ||
            !kf__mul_ok(step, size, &step))
            return false;
    }
    return true;
}

/* Its place in the run, if that is simpler; else 0. */
static kf__expr flat(kf__exprs *x, const kf__layout *layout, const kf__access *a) {
    if (a->affine || !a->flat || a->rank < 2 || a->value == KF__NO_VALUE) return 0;
    return is_run(x, layout, a) ? kf__x_place(x, (uint32_t)a->rank, a->index, a->shape) : 0;
}

bool kf__low_divides(const kf__partition *p, const kf__access *a, const kf__layout *layout) {
    if (a->affine || a->value == KF__NO_VALUE) return false;
    return !layout || !flat(&p->graph->exprs, layout, a);
}

static bool flatten(kf__low *L, kf__access *a) {
    kf__exprs *x = &L->p->graph->exprs;
    kf__expr at = flat(x, L->layout, a), *index = at ? KF__NEW(L->arena, kf__expr, 2) : NULL;
    if (!index) return false;
    index[0] = at;
    index[1] = kf__x_const(x, 1);
    for (int d = 0; d < a->rank; ++d) index[1] = kf__x_mul(x, index[1], a->shape[d]);
    a->rank = 1;
    a->index = index;
    a->shape = index + 1;
    a->affine = true;
    a->run = true;
    return true;
}

void kf__low_flatten(kf__low *L) {
    kf__kernel *k = NULL;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        kf__access a = L->k->accesses[i];
        if (!flatten(L, &a)) continue;
        if (!k) k = kf__low_copy_kernel(L, 0, 0);
        if (!k) return;
        k->accesses[i] = a;
        L->k = k;
    }
}
