/* Views of views, views that change nothing, views of numbers. */
#include "simplify/rules.h"

kf__ref kf__splat_of(const kf_graph *g, kf__ref a) {
    const kf__node *n = kf__at(g, a);
    while (n->kind == KF__EXPAND || n->kind == KF__RESHAPE) {
        a = n->args[0];
        n = kf__at(g, a);
    }
    return n->rank == 0 ? a : 0;
}

kf__ref kf__splat(kf_graph *g, kf__ref scalar, int rank, const kf__expr *shape) {
    kf__expr ones[KF__MAX_RANK];
    if (rank == 0) return scalar;
    for (int i = 0; i < rank; i++) ones[i] = kf__x_const(&g->exprs, 1);
    kf__ref a = kf__reshape(g, scalar, rank, ones);
    return memcmp(ones, shape, sizeof(*ones) * (size_t)rank) ? kf__expand(g, a, shape) : a;
}

kf__ref kf__simple_expand(kf_graph *g, kf__ref a, const kf__expr *shape) {
    const kf__node *n = kf__at(g, a);
    if (kf__same_shape(n, n->rank, shape)) return a;
    if (n->kind == KF__EXPAND) return kf__simple_expand(g, n->args[0], shape);
    kf__ref scalar = kf__splat_of(g, a);
    return scalar ? kf__splat(g, scalar, n->rank, shape) : kf__expand(g, a, shape);
}

kf__ref kf__simple_permute(kf_graph *g, kf__ref a, const uint8_t *perm) {
    const kf__node *n = kf__at(g, a);
    kf__ref scalar = kf__splat_of(g, a);
    kf__expr shape[KF__MAX_RANK];
    uint8_t joined[KF__MAX_RANK];
    bool same = true;
    for (int i = 0; i < n->rank; i++) {
        shape[i] = n->shape[perm[i]];
        joined[i] = n->kind == KF__PERMUTE ? n->u.perm[perm[i]] : perm[i];
        same &= perm[i] == i;
    }
    if (same) return a;
    if (scalar) return kf__splat(g, scalar, n->rank, shape);
    if (n->kind == KF__PERMUTE) return kf__simple_permute(g, n->args[0], joined);
    return kf__permute(g, a, perm);
}

kf__ref kf__simple_reshape(kf_graph *g, kf__ref a, int rank, const kf__expr *shape) {
    const kf__node *n = kf__at(g, a);
    if (kf__same_shape(n, rank, shape)) return a;
    if (n->kind == KF__RESHAPE) return kf__simple_reshape(g, n->args[0], rank, shape);
    kf__ref scalar = kf__splat_of(g, a);
    return scalar ? kf__splat(g, scalar, rank, shape) : kf__reshape(g, a, rank, shape);
}

kf__ref kf__simple_slice(kf_graph *g, kf__ref a, const kf__expr *shape, const kf__expr *start,
                         const int64_t *step) {
    const kf__node *n = kf__at(g, a);
    kf__ref scalar = kf__splat_of(g, a);
    bool whole = kf__same_shape(n, n->rank, shape);
    for (int i = 0; i < n->rank && whole; i++)
        whole = kf__x_is(&g->exprs, start[i], 0) && step[i] == 1;
    if (whole) return a;
    if (scalar) return kf__splat(g, scalar, n->rank, shape);
    kf__ref part = kf__slice_of_concat(g, a, shape, start, step);
    if (part) return part;
    n = kf__at(g, a);
    if (n->kind != KF__SLICE && n->kind != KF__IOTA) return kf__slice(g, a, shape, start, step);
    kf__expr from[KF__MAX_RANK];
    int64_t by[KF__MAX_RANK];
    for (int i = 0; i < n->rank; i++) { /* i -> start + step * i, twice */
        if (!kf__mul_ok(step[i], n->u.slice.step[i], &by[i]))
            return kf__slice(g, a, shape, start, step);
        from[i] = kf__x_mul(&g->exprs, kf__x_const(&g->exprs, n->u.slice.step[i]), start[i]);
        from[i] = kf__x_add(&g->exprs, n->u.slice.start[i], from[i]);
    }
    if (n->kind == KF__IOTA) return kf__iota(g, shape[0], from[0], by[0]);
    return kf__simple_slice(g, n->args[0], shape, from, by);
}
