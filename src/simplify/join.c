/* Parts that are nothing but their surroundings, and slices that touch one part only. */
#include "simplify/rules.h"

kf__ref kf__simple_pad(kf_graph *g, kf__ref a, kf__ref value, const kf__expr *shape,
                       const kf__expr *before) {
    if (!a || !value) return 0;
    if (kf__splat_of(g, a) == value) return kf__splat(g, value, kf__at(g, a)->rank, shape);
    return kf__pad(g, a, value, shape, before);
}

kf__ref kf__simple_concat(kf_graph *g, int axis, kf__ref a, kf__ref b) {
    if (!a || !b) return 0;
    kf__ref scalar = kf__splat_of(g, a);
    if (!scalar || scalar != kf__splat_of(g, b)) return kf__concat(g, axis, a, b);
    kf__ref made = kf__concat(g, axis, a, b); /* for its shape */
    kf__expr shape[KF__MAX_RANK];
    if (!made) return 0;
    int rank = kf__at(g, made)->rank;
    memcpy(shape, kf__at(g, made)->shape, sizeof(*shape) * (size_t)rank);
    return kf__splat(g, scalar, rank, shape);
}

/* x[...] of a concatenation: of which argument alone is it, 0 or 1? -1: of both, or not known. */
static int only_part(kf_graph *g, const kf__node *n, const kf__expr *shape, const kf__expr *start,
                     const int64_t *step) {
    kf__exprs *x = &g->exprs;
    uint32_t axis = n->index;
    kf__expr first = start[axis], border = kf__at(g, n->args[0])->shape[axis];
    kf__expr steps = kf__x_sub(x, shape[axis], kf__x_const(x, 1));
    kf__expr last = kf__x_add(x, first, kf__x_mul(x, steps, kf__x_const(x, step[axis])));
    if (kf__x_below(x, first, border) && kf__x_below(x, last, border)) return 0;
    kf__expr above = kf__x_sub(x, border, kf__x_const(x, 1));
    return kf__x_below(x, above, first) && kf__x_below(x, above, last) ? 1 : -1;
}

kf__ref kf__slice_of_concat(kf_graph *g, kf__ref a, const kf__expr *shape, const kf__expr *start,
                            const int64_t *step) {
    const kf__node *n = kf__at(g, a);
    kf__expr from[KF__MAX_RANK];
    if (n->kind != KF__CONCAT) return 0;
    int part = only_part(g, n, shape, start, step);
    if (part < 0) return 0;
    memcpy(from, start, sizeof(*from) * n->rank);
    if (part == 1)
        from[n->index] = kf__x_sub(&g->exprs, start[n->index],
                                   kf__at(g, n->args[0])->shape[n->index]);
    return kf__simple_slice(g, n->args[part], shape, from, step);
}
