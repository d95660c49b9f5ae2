/* Makers of builtins that read at indices which are arrays: take, take_along_axis and their kin.
 * All become one node, whose indices have the result's shape; those of take are expanded to it. */
#include "parse/makers.h"

static int rank_of(const kf__evaluator *ev, kf__ref x) { return kf__at(ev->g, x)->rank; }

kf__ref kf__flat(kf_graph *g, kf__ref x) {
    kf__expr n = kf__x_const(&g->exprs, 1);
    for (int d = 0; x && d < kf__at(g, x)->rank; d++)
        n = kf__x_mul(&g->exprs, n, kf__at(g, x)->shape[d]);
    return x ? kf__reshape(g, x, 1, &n) : 0;
}

static bool are_indices(kf__evaluator *ev, const char *name, kf__ref *at) {
    kf__dtype type = (kf__dtype)kf__at(ev->g, *at)->dtype;
    bool weak = kf__at(ev->g, *at)->weak, integers = kf__types[type].class == KF__CLASS_INT;
    if (weak && integers) *at = kf__cast(ev->g, *at, KF__I64);
    if (integers) return true;
    return kf__eval_fail(ev, KF_ERR_TYPE, type == KF__BOOL
                             ? "%s: a mask as indices is not supported (the result's shape would "
                               "depend on values); use where(mask, x, 0)"
                             : "%s: indices are integers, not %s", name, kf__types[type].name);
}

bool kf__take_at(kf__evaluator *ev, const char *name, kf__ref x, kf__ref at, int axis,
              kf__object *out) {
    kf_graph *g = ev->g;
    kf__expr shape[KF__MAX_RANK], wide[KF__MAX_RANK], one = kf__x_const(&g->exprs, 1);
    if (!are_indices(ev, name, &at)) return false;
    int rank = rank_of(ev, x), n_at = rank_of(ev, at), n = 0;
    if (rank + n_at - 1 > KF__MAX_RANK)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "%s: the result would have rank %d; at most %d is "
                                               "possible", name, rank + n_at - 1, KF__MAX_RANK);
    for (int d = 0; d < rank; d++) {
        if (d != axis) shape[n++] = kf__at(g, x)->shape[d];
        else
            for (int k = 0; k < n_at; k++) shape[n++] = kf__at(g, at)->shape[k];
    }
    kf__ref line = kf__flat(g, at);
    for (int d = 0; line && d < rank; d++) {
        wide[d] = d == axis ? kf__at(g, line)->shape[0] : one;
    }
    line = kf__reshape(g, line, rank, wide);
    for (int d = 0; line && d < rank; d++)
        if (d != axis) wide[d] = kf__at(g, x)->shape[d];
    kf__ref made = kf__gather(g, axis, x, kf__expand(g, line, wide));
    return kf__eval_node(ev, made ? kf__reshape(g, made, n, shape) : 0, out) && kf__round(ev, out);
}

bool kf__listed_indices(kf__evaluator *ev, const kf__object *list, kf__object *out) {
    enum { MOST = 64 };
    kf__ref parts[MOST];
    if (list->kind == KF__O_TUPLE && list->n > 0 && list->items[0].kind == KF__O_TUPLE)
        return kf__array_of_list(ev, list, out);
    if (list->kind != KF__O_TUPLE || list->n == 0 || list->n > MOST)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED,
                             "a list as an index has 1 to %d integers; an array may have more",
                             (int)MOST);
    for (uint32_t i = 0; i < list->n; i++) {
        int64_t index;
        if (list->items[i].kind == KF__O_BOOL)
            return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "a list of True and False as an index "
                                                         "isn't supported; give the indices");
        if (!kf__to_int(ev, &list->items[i], "an index in a list", &index)) return false;
        kf__ref number = kf__constant(ev->g, KF__I64, 0, index, false);
        parts[i] = number ? kf__insert_axis(ev->g, number, 0) : 0;
        if (!parts[i]) return kf__eval_memory(ev);
    }
    return kf__eval_node(ev, kf__concat_all(ev->g, 0, parts, (int)list->n), out);
}

/* One index into n axes in row-major order: outside, where one of the indices is. */
static kf__ref joined_index(kf_graph *g, kf__ref x, const kf__ref *at, int axis, int n) {
    kf__ref zero = kf__integer(g, 0), all = 0, inside = 0;
    kf__expr total = kf__x_const(&g->exprs, 1);
    for (int k = 0; k < n; k++) {
        kf__expr extent = kf__at(g, x)->shape[axis + k];
        kf__ref size = kf__size(g, extent), i = kf__cast(g, at[k], KF__I64);
        kf__ref below = kf__apply2(g, KF__LESS, i, zero);
        i = kf__apply(g, KF__WHERE, (kf__ref[]){below, kf__apply2(g, KF__ADD, i, size), i});
        kf__ref ok = kf__apply2(g, KF__BITWISE_AND, kf__apply2(g, KF__GREATER_EQUAL, i, zero),
                                kf__apply2(g, KF__LESS, i, size));
        inside = k ? kf__apply2(g, KF__BITWISE_AND, inside, ok) : ok;
        all = k ? kf__apply2(g, KF__ADD, kf__apply2(g, KF__MULTIPLY, all, size), i) : i;
        total = kf__x_mul(&g->exprs, total, extent);
    }
    return kf__apply(g, KF__WHERE, (kf__ref[]){inside, all, kf__size(g, total)});
}

bool kf__take_many(kf__evaluator *ev, kf__ref x, kf__ref *at, int n, int axis, kf__object *out) {
    kf_graph *g = ev->g;
    kf__expr shape[KF__MAX_RANK];
    kf__object made;
    for (int k = 0; n > 1 && k < n; k++)
        if (!are_indices(ev, "an index", &at[k])) return false;
    if (n == 1) return kf__take_at(ev, "an index", x, at[0], axis, out);
    int rank = 0;
    for (int d = 0; d < rank_of(ev, x); d++) {
        kf__expr size = kf__at(g, x)->shape[d];
        if (d <= axis || d >= axis + n) shape[rank++] = size;
        else shape[axis] = kf__x_mul(&g->exprs, shape[axis], size);
    }
    if (!kf__eval_node(ev, joined_index(g, x, at, axis, n), &made)) return false;
    kf__ref merged = kf__reshape(g, x, rank, shape), joined = made.ref;
    return kf__eval_node(ev, merged, &made) &&
           kf__take_at(ev, "an index", made.ref, joined, axis, out);
}

/* PyTorch's gather reads as much of the other axes as the indices have. */
static kf__ref beginning(kf_graph *g, kf__ref x, kf__ref at, int axis) {
    kf__expr size[KF__MAX_RANK], start[KF__MAX_RANK], zero = kf__x_const(&g->exprs, 0);
    int64_t step[KF__MAX_RANK];
    bool whole = true;
    for (int d = 0; d < kf__at(g, x)->rank; d++) {
        kf__expr a = kf__at(g, x)->shape[d], i = kf__at(g, at)->shape[d];
        size[d] = d == axis ? a : i;
        start[d] = zero, step[d] = 1;
        whole &= size[d] == a;
        if (d != axis && !kf__same_size(g, kf__x_min(&g->exprs, a, i), i,
                                        "gather's indices lie within the array"))
            return 0;
    }
    return whole ? x : kf__slice(g, x, size, start, step);
}

/* Sizes of 1 broadcast, but along the axis and in PyTorch's gather. */
static bool along(kf__evaluator *ev, const char *name, kf__ref x, kf__ref at, int axis,
                  bool begin, kf__object *out) {
    kf_graph *g = ev->g;
    kf__expr from[KF__MAX_RANK], to[KF__MAX_RANK];
    if (!are_indices(ev, name, &at)) return false;
    int rank = rank_of(ev, x);
    if (rank != rank_of(ev, at))
        return kf__eval_fail(ev, KF_ERR_SHAPE, "%s: an array of rank %d and indices of rank %d; "
                                               "take(x, i, axis) has indices of any rank", name,
                             rank, rank_of(ev, at));
    if (begin && !(x = beginning(g, x, at, axis))) return kf__eval_node(ev, 0, out);
    for (int d = 0; d < rank; d++) {
        kf__expr a = kf__at(g, x)->shape[d], i = kf__at(g, at)->shape[d];
        from[d] = d != axis && kf__x_is(&g->exprs, a, 1) ? i : a;
        to[d] = d != axis && kf__x_is(&g->exprs, i, 1) ? a : i;
    }
    kf__ref made = kf__gather(g, axis, kf__expand(g, x, from), kf__expand(g, at, to));
    return kf__eval_node(ev, made, out) && kf__round(ev, out);
}

/* data: 0 take(x, indices, axis), 1 take_along_axis; 2 and 3 PyTorch's order: (x, axis, indices) */
/* NumPy's modes: what is outside read at the nearest end, or counted around. */
static bool brought_inside(kf__evaluator *ev, const kf__object *mode, kf__ref x, int axis,
                           kf__ref *at) {
    static const char *const names[] = {"raise", "clip", "wrap"};
    kf_graph *g = ev->g;
    kf__object made;
    if (mode->kind == KF__O_UNSET || mode->kind == KF__O_NONE) return true;
    size_t how = mode->kind == KF__O_STRING
                     ? kf__index_of(names, KF__COUNT(names), mode->text, mode->n)
                     : KF__COUNT(names);
    if (how == KF__COUNT(names))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`mode` of take() is 'clip' or 'wrap'");
    if (how == 0) return true;
    if (!are_indices(ev, "take", at)) return false;
    kf__expr size = kf__at(g, x)->shape[axis], one = kf__x_const(&g->exprs, 1);
    kf__ref zero = kf__constant(g, KF__I64, 0, 0, false), i = kf__cast(g, *at, KF__I64);
    *at = how == 2 ? kf__apply2(g, KF__REMAINDER, i, kf__size_node(ev, size))
                   : kf__apply2(g, KF__MINIMUM, kf__apply2(g, KF__MAXIMUM, i, zero),
                                kf__size_node(ev, kf__x_sub(&g->exprs, size, one)));
    return kf__eval_node(ev, *at, &made);
}

/* PyTorch's two of an array of rank 0, which counts as one of size 1. */
static bool of_number(kf__evaluator *ev, const kf__builtin *b, kf__ref x, kf__ref at,
                      kf__object *out) {
    kf_graph *g = ev->g;
    kf__expr shape[KF__MAX_RANK];
    int rank = b->data == 2 ? rank_of(ev, at) : 0;
    for (int d = 0; d < rank; d++) shape[d] = kf__at(g, at)->shape[d];
    x = kf__flat(g, x), at = kf__flat(g, at);
    if (!x || !at) return kf__eval_node(ev, 0, out);
    bool made = b->data == 2 ? along(ev, b->name, x, at, 0, true, out)
                             : kf__take_at(ev, b->name, x, at, 0, out);
    return made && kf__eval_node(ev, kf__reshape(g, out->ref, rank, shape), out);
}

bool kf__make_take(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__ref x, at;
    int64_t axis = 0;
    const kf__object *where = &args[b->data < 2 ? 2 : 1];
    kf__object indices = args[b->data < 2 ? 1 : 2];
    if (indices.kind == KF__O_TUPLE && !kf__listed_indices(ev, &indices, &indices)) return false;
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_node(ev, &indices, &at)) return false;
    if (where->kind == KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s(%s): the axis isn't an array", b->name,
                             b->signature);
    kf__begin_call(ev, b->name);
    if (where->kind == KF__O_NONE && b->data == 1 && where->left_out) {
        axis = -1;
    } else if (where->kind == KF__O_NONE) {
        x = kf__flat(ev->g, x);
        if (!x) return kf__eval_node(ev, 0, out);
    } else if (!kf__to_axis(ev, where, "axis", &axis)) {
        return false;
    }
    int rank = rank_of(ev, x);
    if (rank == 0 && b->data >= 2 && (axis == 0 || axis == -1))
        return of_number(ev, b, x, at, out);
    if (axis < -rank || axis >= rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld of an array of rank %d",
                             (long long)axis, rank);
    axis += axis < 0 ? rank : 0;
    if (b->data == 0 && !brought_inside(ev, &args[3], x, (int)axis, &at)) return false;
    bool each = b->data == 1 || b->data == 2;
    return each ? along(ev, b->name, x, at, (int)axis, b->data == 2, out)
                : kf__take_at(ev, b->name, x, at, (int)axis, out);
}
