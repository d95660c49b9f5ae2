/* Strict makers of what is made of parts: pad, concatenate.
 *
 * A concatenation of a few arrays is a chain, each node one array and the rest; of more, a tree whose
 * leaves are chains, so that what doesn't fit in one kernel can be done by halves. */
#include "ir/graph_core.h"

kf__ref kf__pad(kf_graph *g, kf__ref a, kf__ref value, const kf__expr *shape,
                const kf__expr *before) {
    kf__expr own[KF__MAX_RANK], start[KF__MAX_RANK];
    int64_t step[KF__MAX_RANK], size;
    a = kf__solid(g, a);
    if (!a || !value || !kf__graph_ok(g)) return 0;
    const kf__node from = *kf__at(g, a);
    if (kf__at(g, value)->dtype != from.dtype || kf__at(g, value)->rank || kf__at(g, value)->weak)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "pad of %s with %s", kf__types_text(g, &a, 1),
                              kf__types_text(g, &value, 1));
    bool identity = true;
    for (int i = 0; i < from.rank; i++) {
        own[i] = shape[i];
        start[i] = before[i];
        step[i] = 1;
        if (!own[i] || !start[i]) return kf__graph_no_expr(g);
        if (kf__x_is_const(&g->exprs, own[i], &size) && size < 0)
            return kf__graph_fail(g, KF_ERR_SHAPE, "pad of %s: axis %d would have size %lld",
                                  kf__types_text(g, &a, 1), i, (long long)size);
        identity &= own[i] == from.shape[i] && kf__x_is(&g->exprs, start[i], 0);
    }
    if (identity) return a;
    kf__node x = {.kind = KF__PAD, .dtype = from.dtype, .rank = from.rank, .n_args = 2,
                  .shape = own, .args = {a, value}};
    x.u.slice.start = start;
    x.u.slice.step = step;
    return kf__node_find_or_add(g, &x);
}

/* The shape of both along `axis`; in messages they are parts of `whole` arrays. */
static bool joined_shape(kf_graph *g, int axis, kf__ref a, kf__ref b, kf__expr *shape) {
    const kf__node *x = kf__at(g, a), *y = kf__at(g, b);
    const char *why = NULL;
    int rank = x->rank;
    if (y->rank != rank || axis >= rank)
        return kf__graph_fail(g, KF_ERR_SHAPE, "concatenate of %s: the ranks differ",
                              kf__types_text(g, (const kf__ref[]){a, b}, 2));
    for (int i = 0; i < rank; i++) {
        shape[i] = kf__at(g, a)->shape[i];
        kf__expr other = kf__at(g, b)->shape[i];
        if (i == axis) {
            shape[i] = kf__x_add(&g->exprs, shape[i], other);
            if (!shape[i]) return kf__graph_no_expr(g);
            continue;
        }
        if (shape[i] == other) continue;
        if (!why)
            why = kf__arena_printf(&g->arena, "concatenate of %s along axis %d",
                                   kf__types_text(g, (const kf__ref[]){a, b}, 2), axis);
        if (!why) return kf__graph_no_memory(g);
        shape[i] = kf__same_size(g, shape[i], other, why);
        if (!shape[i]) return false;
    }
    return true;
}

kf__ref kf__concat(kf_graph *g, int axis, kf__ref a, kf__ref b) {
    kf__expr shape[KF__MAX_RANK];
    a = kf__solid(g, a);
    b = kf__solid(g, b);
    if (!a || !b || !kf__graph_ok(g)) return 0;
    kf__node from = *kf__at(g, a);
    if (from.dtype != kf__at(g, b)->dtype || axis < 0)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "concatenate of %s along axis %d",
                              kf__types_text(g, (const kf__ref[]){a, b}, 2), axis);
    if (!joined_shape(g, axis, a, b, shape)) return 0;
    if (kf__x_is(&g->exprs, kf__at(g, a)->shape[axis], 0)) return b;
    if (kf__x_is(&g->exprs, kf__at(g, b)->shape[axis], 0)) return a;
    kf__node x = {.kind = KF__CONCAT, .dtype = from.dtype, .rank = from.rank, .n_args = 2,
                  .index = (uint32_t)axis, .shape = shape, .args = {a, b}};
    return kf__node_find_or_add(g, &x);
}

/* Arrays of the same dtype. */
static kf__ref concat_range(kf_graph *g, int axis, const kf__ref *args, int n) {
    if (n == 1) return args[0];
    int left = n <= KF__MOST_IN_CHAIN ? 1 : n / 2;
    kf__ref rest = concat_range(g, axis, args + left, n - left);
    if (!rest) return 0;
    kf__ref first = concat_range(g, axis, args, left);
    return first ? kf__concat(g, axis, first, rest) : 0;
}

kf__ref kf__concat_all(kf_graph *g, int axis, const kf__ref *args, int n) {
    kf__dtype dtype = KF__BOOL;
    if (!kf__graph_ok(g)) return 0;
    for (int i = 0; i < n; i++) {
        if (!args[i]) return 0;
        kf__dtype own = (kf__dtype)kf__at(g, args[i])->dtype;
        dtype = i ? kf__join(dtype, own) : own;
    }
    kf__ref *parts = KF__NEW(&g->arena, kf__ref, (size_t)n);
    if (!parts) return kf__graph_no_memory(g);
    for (int i = n; i-- > 0;) {
        if (kf__at(g, args[i])->rank != kf__at(g, args[n - 1])->rank)
            return kf__graph_fail(g, KF_ERR_SHAPE, "concatenate of %s: the ranks differ",
                                  kf__types_text(g, (const kf__ref[]){args[i], args[n - 1]}, 2));
        parts[i] = kf__cast(g, args[i], dtype);
        if (!parts[i]) return 0;
    }
    return concat_range(g, axis, parts, n);
}

kf__ref kf__gather(kf_graph *g, int axis, kf__ref a, kf__ref indices) {
    kf__expr shape[KF__MAX_RANK];
    a = kf__solid(g, a);
    indices = kf__solid(g, indices);
    if (!a || !indices || !kf__graph_ok(g)) return 0;
    const kf__node *from = kf__at(g, a), *at = kf__at(g, indices);
    if (kf__types[at->dtype].class != KF__CLASS_INT)
        return kf__graph_fail(g, KF_ERR_TYPE, "indices are integers, not %s",
                              kf__types_text(g, &indices, 1));
    if (axis < 0 || axis >= from->rank || from->rank != at->rank)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "gather of %s along axis %d",
                              kf__types_text(g, (const kf__ref[]){a, indices}, 2), axis);
    kf__dtype dtype = (kf__dtype)from->dtype;
    int rank = from->rank;
    for (int i = 0; i < rank; i++) {
        shape[i] = kf__at(g, indices)->shape[i];
        if (i != axis && !kf__same_size(g, kf__at(g, a)->shape[i], shape[i], "gather")) return 0;
    }
    kf__node x = {.kind = KF__GATHER, .dtype = (uint8_t)dtype, .rank = (uint8_t)rank, .n_args = 2,
                  .index = (uint32_t)axis, .shape = shape, .args = {a, indices}};
    return kf__node_find_or_add(g, &x);
}
