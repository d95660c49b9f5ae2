/* Strict makers of views: expand, permute, reshape, slice. What changes nothing gives the argument;
 * a view of the same kind of view is one view of what lies beneath. */
#include "ir/graph_core.h"

/* Result of a view: the argument's dtype. The argument of a view is never weak. */
static kf__node view(kf__kind kind, const kf__node *from, kf__ref a, int rank, kf__expr *shape) {
    return (kf__node){.kind = (uint8_t)kind, .dtype = from->dtype, .rank = (uint8_t)rank,
                      .n_args = 1, .shape = shape, .args = {a}};
}

/* Sizes that are equal to 1 by a constraint, written as 1. */
static kf__ref as_ones(kf_graph *g, kf__ref a, const kf__expr *wanted) {
    const kf__node *n = kf__at(g, a);
    kf__expr one = kf__x_const(&g->exprs, 1), shape[KF__MAX_RANK], start[KF__MAX_RANK];
    int64_t step[KF__MAX_RANK];
    bool any = false;
    for (int i = 0; i < n->rank; i++) {
        bool is_one = n->shape[i] != wanted[i] && kf__sizes_equal(g, n->shape[i], one);
        any |= is_one && n->shape[i] != one;
        shape[i] = is_one ? one : n->shape[i];
        start[i] = kf__x_const(&g->exprs, 0);
        step[i] = 1;
    }
    return any ? kf__slice(g, a, shape, start, step) : a;
}

kf__ref kf__expand(kf_graph *g, kf__ref a, const kf__expr *shape) {
    kf__expr own[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    a = as_ones(g, a, shape);
    if (!a) return 0;
    kf__node from = *kf__at(g, a);
    bool larger = false;
    const char *why = NULL;
    for (int i = 0; i < from.rank; i++) {
        own[i] = shape[i];
        if (!own[i]) return kf__graph_no_expr(g);
        if (own[i] == from.shape[i]) continue;
        if (kf__x_is(&g->exprs, from.shape[i], 1)) {
            larger = true;
            continue;
        }
        if (!why)
            why = kf__arena_printf(&g->arena, "broadcasting %s to %s", kf__types_text(g, &a, 1),
                                   kf__shape_text(g, from.rank, shape));
        if (!why) return kf__graph_no_memory(g);
        own[i] = kf__same_size(g, from.shape[i], own[i], why);
        if (!own[i]) return 0;
    }
    if (!larger) return a;
    if (from.kind == KF__EXPAND) a = from.args[0];
    kf__node x = view(KF__EXPAND, &from, a, from.rank, own);
    return kf__node_find_or_add(g, &x);
}

kf__ref kf__permute(kf_graph *g, kf__ref a, const uint8_t *perm) {
    kf__expr shape[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    kf__node from = *kf__at(g, a);
    kf__node x = view(KF__PERMUTE, &from, a, from.rank, shape);
    uint32_t seen = 0;
    bool identity = true;
    for (int i = 0; i < from.rank; i++) {
        if (perm[i] >= from.rank || seen >> perm[i] & 1)
            return kf__graph_fail(g, KF_ERR_INTERNAL, "not a permutation of %d axes", from.rank);
        seen |= 1u << perm[i];
        shape[i] = from.shape[perm[i]];
        x.u.perm[i] = from.kind == KF__PERMUTE ? from.u.perm[perm[i]] : perm[i];
        identity &= x.u.perm[i] == i;
    }
    if (from.kind == KF__PERMUTE) x.args[0] = from.args[0];
    return identity ? x.args[0] : kf__node_find_or_add(g, &x);
}

static kf__expr count(kf_graph *g, int rank, const kf__expr *shape) {
    kf__expr n = kf__x_const(&g->exprs, 1);
    for (int i = 0; i < rank; i++) n = kf__x_mul(&g->exprs, n, shape[i]);
    return n;
}

static bool same_shape(const kf__node *x, int rank, const kf__expr *shape) {
    if (x->rank != rank) return false;
    for (int i = 0; i < rank; i++)
        if (x->shape[i] != shape[i]) return false;
    return true;
}

static bool same_count(kf_graph *g, kf__ref a, int rank, const kf__expr *shape) {
    const kf__node *from = kf__at(g, a);
    kf__expr n = count(g, from->rank, from->shape), m = count(g, rank, shape);
    int64_t had, wanted;
    if (!n || !m) return kf__graph_no_expr(g);
    if (n == m) return true;
    const char *types = kf__types_text(g, &a, 1), *to = kf__shape_text(g, rank, shape);
    if (kf__x_is_const(&g->exprs, n, &had) && kf__x_is_const(&g->exprs, m, &wanted))
        return kf__graph_fail(g, KF_ERR_SHAPE, "reshape of %s to %s: %lld elements aren't %lld",
                              types, to, (long long)had, (long long)wanted);
    const char *why = kf__arena_printf(&g->arena, "reshape of %s to %s", types, to);
    return why ? kf__same_size(g, n, m, why) != 0 : kf__graph_no_memory(g);
}

kf__ref kf__reshape(kf_graph *g, kf__ref a, int rank, const kf__expr *shape) {
    kf__expr own[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    if (rank < 0 || rank > KF__MAX_RANK)
        return kf__graph_fail(g, KF_ERR_LIMIT, "reshape to rank %d: the largest rank is %d", rank,
                              (int)KF__MAX_RANK);
    if (rank) memcpy(own, shape, (size_t)rank * sizeof *own);
    for (int i = 0; i < rank; i++)
        if (!own[i]) return kf__graph_no_expr(g);
    if (same_shape(kf__at(g, a), rank, own)) return a;
    if (!same_count(g, a, rank, own)) return 0;
    if (kf__at(g, a)->kind == KF__RESHAPE) {
        a = kf__at(g, a)->args[0];
        if (same_shape(kf__at(g, a), rank, own)) return a;
    }
    kf__node from = *kf__at(g, a), x = view(KF__RESHAPE, &from, a, rank, own);
    return kf__node_find_or_add(g, &x);
}

/* Where all is known: is every index that the slice reads inside? */
static bool slice_inside(kf_graph *g, kf__ref a, int dim, kf__expr length, kf__expr start,
                         int64_t step) {
    int64_t n, size, first, last, span;
    kf__expr whole = kf__at(g, a)->shape[dim];
    if (!kf__x_is_const(&g->exprs, length, &n)) return true;
    if (n < 0)
        return kf__graph_fail(g, KF_ERR_SHAPE, "slice of %s: axis %d would have size %lld",
                              kf__types_text(g, &a, 1), dim, (long long)n);
    if (n == 0 || !kf__x_is_const(&g->exprs, start, &first)) return true;
    bool inside = first >= 0 && kf__mul_ok(n - 1, step, &span) && kf__add_ok(first, span, &last) &&
                  last >= 0;
    if (inside && (!kf__x_is_const(&g->exprs, whole, &size) || (first < size && last < size)))
        return true;
    return kf__graph_fail(g, KF_ERR_SHAPE, "slice of %s reads beyond axis %d",
                          kf__types_text(g, &a, 1), dim);
}

kf__ref kf__slice(kf_graph *g, kf__ref a, const kf__expr *shape, const kf__expr *start,
                  const int64_t *step) {
    kf__expr own[KF__MAX_RANK], own_start[KF__MAX_RANK];
    int64_t own_step[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    kf__node from = *kf__at(g, a);
    bool identity = true;
    for (int i = 0; i < from.rank; i++) {
        own[i] = shape[i];
        own_start[i] = start[i];
        own_step[i] = step[i];
        if (!own[i] || !own_start[i]) return kf__graph_no_expr(g);
        if (step[i] == 0)
            return kf__graph_fail(g, KF_ERR_ARGUMENT, "slice of %s: the step of axis %d is 0",
                                  kf__types_text(g, &a, 1), i);
        if (!slice_inside(g, a, i, own[i], own_start[i], step[i])) return 0;
        identity &= own[i] == from.shape[i] && kf__x_is(&g->exprs, own_start[i], 0) && step[i] == 1;
    }
    if (identity) return a;
    kf__node x = view(KF__SLICE, &from, a, from.rank, own);
    x.u.slice.start = own_start;
    x.u.slice.step = own_step;
    return kf__node_find_or_add(g, &x);
}
