/* Makers of builtins: views. None of them moves data: they become part of index maps. */
#include "parse/makers.h"

/* ---------------------------------------------------------------- axes */

/* An axis counted from the end where negative; `rank` is what it may reach. */
static bool axis_in(kf__evaluator *ev, int64_t axis, int rank, int *out) {
    if (axis < -rank || axis >= rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld of an array of rank %d",
                             (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

/* One or several axes as a bit mask; None: all. Each at most once. */
static bool axes_in(kf__evaluator *ev, const kf__object *o, int rank, uint32_t *mask) {
    int64_t axes[KF__MAX_RANK];
    int n, axis = 0;
    *mask = 0;
    if (!kf__to_ints(ev, o, "axis", axes, &n)) return false;
    if (n < 0) *mask = (1u << rank) - 1;
    for (int i = 0; i < n; i++) {
        if (!axis_in(ev, axes[i], rank, &axis)) return false;
        if (*mask >> axis & 1)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %d is given twice", axis);
        *mask |= 1u << axis;
    }
    return true;
}

static int rank_of(const kf__evaluator *ev, kf__ref ref) { return kf__at(ev->g, ref)->rank; }

/* ---------------------------------------------------------------- shapes */

/* "elements don't fit (5, -1)" */
static const char *misfit(kf__evaluator *ev, int rank, const kf__expr *shape) {
    kf__text text;
    kf__text_init(&text, ev->mem);
    kf__print(&text, KF__WHY_ELEMENTS "fit (");
    for (int i = 0; i < rank; i++) {
        if (i) kf__print(&text, ", ");
        kf__x_print(&ev->g->exprs, shape[i], &text);
    }
    kf__print(&text, rank == 1 ? ",)" : ")");
    const char *why = text.failed ? NULL : kf__arena_string(&ev->arena, text.at, text.n);
    kf__text_free(&text);
    return why;
}

/* One -1 stands for what is left. */
static bool infer_size(kf__evaluator *ev, kf__ref x, int rank, kf__expr *shape) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr total = kf__x_const(pool, 1), rest = total;
    int unknown = -1;
    for (int i = 0; i < rank; i++) {
        int64_t value;
        bool known = kf__x_is_const(pool, shape[i], &value);
        if (known && value < -1)
            return kf__eval_fail(ev, KF_ERR_SHAPE, "a size can't be negative: %lld",
                                 (long long)value);
        if (!known || value != -1) {
            rest = kf__x_mul(pool, rest, shape[i]);
            continue;
        }
        if (unknown >= 0) return kf__eval_fail(ev, KF_ERR_SHAPE, "only one size may be -1");
        unknown = i;
    }
    if (unknown < 0) return true;
    for (int i = 0; i < rank_of(ev, x); i++)
        total = kf__x_mul(pool, total, kf__at(ev->g, x)->shape[i]);
    if (kf__x_is(pool, rest, 0))
        return kf__eval_fail(ev, KF_ERR_SHAPE, "-1 beside a size of 0 could be anything");
    const char *why = misfit(ev, rank, shape);
    kf__object ignored;
    shape[unknown] = kf__x_div(pool, total, rest);
    kf__expr whole = kf__x_mul(pool, shape[unknown], rest);
    if (!why || !shape[unknown] || !whole) return kf__eval_memory(ev);
    return kf__eval_node(ev, kf__same_size(ev->g, total, whole, why), &ignored);
}

static bool reshape_to(kf__evaluator *ev, kf__ref x, int rank, const kf__expr *shape,
                       kf__object *out) {
    kf__begin_call(ev, "reshape");
    return kf__eval_node(ev, kf__reshape(ev->g, x, rank, shape), out);
}

/* NumPy's orders of elements: 'C', the last axis first, or 'F', the first one. */
static bool order_in(kf__evaluator *ev, const kf__object *o, bool *first) {
    *first = false;
    if (o->kind == KF__O_NONE) return true;
    *first = o->kind == KF__O_STRING && o->n == 1 && *o->text == 'F';
    return *first || (o->kind == KF__O_STRING && o->n == 1 && *o->text == 'C') ||
           kf__eval_fail(ev, KF_ERR_ARGUMENT, o->kind == KF__O_STRING ? "`order` is 'C' or 'F'" :
                         "a shape is one tuple, or numbers one after another; `order` behind it "
                         "is 'C' or 'F'");
}

/* The first axis first: of the axes reversed, in the sizes reversed. */
static bool reshape_first(kf__evaluator *ev, kf__ref x, int rank, kf__expr *shape,
                          kf__object *out) {
    for (int i = 0; i < rank / 2; i++) {
        kf__expr size = shape[i];
        shape[i] = shape[rank - 1 - i], shape[rank - 1 - i] = size;
    }
    return reshape_to(ev, kf__transposed(ev->g, x), rank, shape, out) &&
           kf__eval_node(ev, kf__transposed(ev->g, out->ref), out);
}

bool kf__make_reshape(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                      kf__object *out) {
    kf__ref x;
    kf__expr shape[KF__MAX_RANK];
    int rank;
    bool first;
    (void)b;
    if (args[1].kind == KF__O_DTYPE)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "an array's bits as another dtype aren't "
                                                     "supported; cast(x, %s) converts its numbers",
                             kf__types[args[1].dtype].name);
    return kf__to_node(ev, &args[0], &x) && kf__to_shape(ev, &args[1], shape, &rank) &&
           infer_size(ev, x, rank, shape) && order_in(ev, &args[2], &first) &&
           (first ? reshape_first(ev, x, rank, shape, out)
                  : reshape_to(ev, x, rank, shape, out));
}

static bool flatten_axes(kf__evaluator *ev, kf__ref x, int start, int end, kf__object *out) {
    kf__exprs *pool = &ev->g->exprs;
    const kf__node *node = kf__at(ev->g, x);
    kf__expr shape[KF__MAX_RANK], joined = kf__x_const(pool, 1);
    int rank = 0;
    for (int i = 0; i < start; i++) shape[rank++] = node->shape[i];
    for (int i = start; i <= end; i++) joined = kf__x_mul(pool, joined, node->shape[i]);
    shape[rank++] = joined;
    for (int i = end + 1; i < node->rank; i++) shape[rank++] = node->shape[i];
    return reshape_to(ev, x, rank, shape, out);
}

bool kf__make_ravel(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    kf__ref x;
    bool first;
    (void)b;
    if (!kf__to_node(ev, &args[0], &x) || !order_in(ev, &args[1], &first)) return false;
    if (first) x = kf__transposed(ev->g, x);
    return kf__eval_node(ev, x, out) && flatten_axes(ev, x, 0, rank_of(ev, x) - 1, out);
}

bool kf__make_flatten(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                      kf__object *out) {
    kf__ref x;
    int64_t from = 0, to = -1;
    int start = 0, end = -1;
    bool last = args[3].kind != KF__O_NONE; /* x.flatten('F'): NumPy's only argument */
    if (last || args[1].kind == KF__O_STRING)
        return kf__make_ravel(ev, b, (kf__object[]){args[0], args[last ? 3 : 1]}, out);
    if (!kf__to_node(ev, &args[0], &x)) return false;
    if (args[1].kind != KF__O_NONE && !kf__to_int(ev, &args[1], "start", &from)) return false;
    if (args[2].kind != KF__O_NONE && !kf__to_int(ev, &args[2], "end", &to)) return false;
    int rank = rank_of(ev, x);
    if (rank && (!axis_in(ev, from, rank, &start) || !axis_in(ev, to, rank, &end))) return false;
    if (rank && start > end)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "flatten() from axis %d to axis %d", start, end);
    return flatten_axes(ev, x, start, end, out);
}

bool kf__make_broadcast(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                        kf__object *out) {
    kf__ref x;
    kf__expr shape[KF__MAX_RANK];
    int rank;
    (void)b;
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_shape(ev, &args[1], shape, &rank)) return false;
    int own = rank_of(ev, x);
    for (int i = 0; i < rank; i++) /* PyTorch: -1 keeps a size */
        if (kf__x_is(&ev->g->exprs, shape[i], -1) && i >= rank - own)
            shape[i] = kf__at(ev->g, x)->shape[i - (rank - own)];
    kf__begin_call(ev, "broadcast_to");
    return kf__eval_node(ev, kf__broadcast_to(ev->g, x, rank, shape), out);
}

/* ---------------------------------------------------------------- order of axes */

static bool permuted(kf__evaluator *ev, kf__ref x, const uint8_t *perm, kf__object *out) {
    kf__begin_call(ev, "permute_dims");
    return kf__eval_node(ev, kf__permute(ev->g, x, perm), out);
}

kf__ref kf__transposed(kf_graph *g, kf__ref a) {
    uint8_t perm[KF__MAX_RANK];
    int rank = kf__at(g, a)->rank;
    for (int i = 0; i < rank; i++) perm[i] = (uint8_t)(rank - 1 - i);
    return kf__permute(g, a, perm);
}

static bool exchange(kf__evaluator *ev, kf__ref x, const kf__object *a, const kf__object *b,
                     kf__object *out) {
    uint8_t perm[KF__MAX_RANK];
    int64_t i, k;
    int first = 0, second = 0, rank = rank_of(ev, x);
    if (!kf__to_axis(ev, a, "axis", &i) || !kf__to_axis(ev, b, "axis", &k) ||
        !axis_in(ev, i, rank, &first) || !axis_in(ev, k, rank, &second))
        return false;
    for (int d = 0; d < rank; d++) perm[d] = (uint8_t)d;
    perm[first] = (uint8_t)second, perm[second] = (uint8_t)first;
    return permuted(ev, x, perm, out);
}

/* transpose(x, 0, 2, 1): NumPy's; of two axes: PyTorch's exchange. */
static bool transpose_axes(kf__evaluator *ev, const kf__object *args, kf__object *out) {
    kf__object items[KF__MAX_RANK] = {args[1], args[2], args[3]};
    uint32_t n = 3;
    if (args[3].kind == KF__O_TUPLE) {
        for (n = 2; n < KF__MAX_RANK && n - 2 < args[3].n; n++) items[n] = args[3].items[n - 2];
    }
    return kf__tuple(ev, items, n, out);
}

bool kf__make_permute(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                      kf__object *out) {
    kf__object order = args[1];
    kf__ref x;
    uint8_t perm[KF__MAX_RANK];
    int64_t axes[KF__MAX_RANK];
    int n, axis = 0;
    uint32_t seen = 0;
    if (!kf__to_node(ev, &args[0], &x)) return false;
    bool several = b->data == 1 && args[3].kind != KF__O_NONE;
    if (several && !transpose_axes(ev, args, &order)) return false;
    if (!several && (b->data == 2 || (b->data == 1 && args[2].kind != KF__O_NONE)))
        return exchange(ev, x, &args[1], &args[2], out);
    if (order.kind == KF__O_NONE) {
        kf__begin_call(ev, "permute_dims");
        return kf__eval_node(ev, kf__transposed(ev->g, x), out);
    }
    if (!kf__to_ints(ev, &order, "axes", axes, &n)) return false;
    int rank = rank_of(ev, x);
    if (n != rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%d axes for an array of rank %d", n, rank);
    for (int i = 0; i < n; i++) {
        if (!axis_in(ev, axes[i], rank, &axis)) return false;
        if (seen >> axis & 1)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %d is given twice", axis);
        seen |= 1u << axis;
        perm[i] = (uint8_t)axis;
    }
    return permuted(ev, x, perm, out);
}

/* The places that a number or a tuple of them names, each once. */
static bool places(kf__evaluator *ev, const kf__object *o, const char *what, int rank, int *out,
                   int *n, uint32_t *mask) {
    int64_t axes[KF__MAX_RANK];
    if (o->kind == KF__O_NONE)
        return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be an integer, not None", what);
    if (!kf__to_ints(ev, o, what, axes, n)) return false;
    *mask = 0;
    for (int i = 0; i < *n; i++) {
        if (!axis_in(ev, axes[i], rank, &out[i])) return false;
        if (*mask >> out[i] & 1)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld stands twice in `%s`",
                                 (long long)axes[i], what);
        *mask |= 1u << out[i];
    }
    return true;
}

bool kf__make_move_axis(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                        kf__object *out) {
    kf__ref x;
    uint8_t perm[KF__MAX_RANK];
    int from[KF__MAX_RANK], to[KF__MAX_RANK], n_from, n_to;
    uint32_t sources, destinations;
    (void)b;
    if (!kf__to_node(ev, &args[0], &x)) return false;
    int rank = rank_of(ev, x);
    if (!places(ev, &args[1], "source", rank, from, &n_from, &sources) ||
        !places(ev, &args[2], "destination", rank, to, &n_to, &destinations))
        return false;
    if (n_from != n_to)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%d axes are moved to %d places", n_from, n_to);
    for (int i = 0; i < n_to; i++) perm[to[i]] = (uint8_t)from[i];
    for (int d = 0, rest = 0; d < rank; d++) { /* the others in their order */
        if (destinations >> d & 1) continue;
        while (sources >> rest & 1) rest++;
        perm[d] = (uint8_t)rest++;
    }
    return permuted(ev, x, perm, out);
}

bool kf__make_flip(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__exprs *pool = &ev->g->exprs;
    kf__ref x;
    uint32_t mask;
    kf__expr shape[KF__MAX_RANK], start[KF__MAX_RANK];
    int64_t step[KF__MAX_RANK];
    (void)b;
    if (!kf__to_node(ev, &args[0], &x)) return false;
    int rank = rank_of(ev, x);
    if (!axes_in(ev, &args[1], rank, &mask)) return false;
    for (int d = 0; d < rank; d++) {
        bool reversed = mask >> d & 1;
        shape[d] = kf__at(ev->g, x)->shape[d];
        start[d] = reversed ? kf__x_sub(pool, shape[d], kf__x_const(pool, 1))
                            : kf__x_const(pool, 0);
        step[d] = reversed ? -1 : 1;
    }
    kf__begin_call(ev, "flip");
    return kf__eval_node(ev, kf__slice(ev->g, x, shape, start, step), out);
}

/* ---------------------------------------------------------------- number of axes */

/* An axis that stays because its size, n - 3, is known only when planned: then it isn't 1. */
static bool is_not_one(kf_graph *g, kf__expr size) {
    kf__exprs *pool = &g->exprs;
    kf__expr one = kf__x_const(pool, 1);
    kf__expr off = kf__x_max(pool, kf__x_sub(pool, size, one), kf__x_sub(pool, one, size));
    return kf__same_size(g, kf__x_min(pool, off, one), one,
                         "an axis is of size 1 here, which squeeze() can't know: name it");
}

bool kf__make_squeeze(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                      kf__object *out) {
    kf__ref x;
    uint32_t mask;
    (void)b;
    if (!kf__to_node(ev, &args[0], &x)) return false;
    int rank = rank_of(ev, x);
    if (!axes_in(ev, &args[1], rank, &mask)) return false;
    kf__begin_call(ev, "squeeze");
    for (int d = rank - 1; x && d >= 0; d--) {
        kf__expr size = kf__at(ev->g, x)->shape[d], two = kf__x_const(&ev->g->exprs, 2);
        bool one = kf__x_below(&ev->g->exprs, size, two) && !kf__x_is(&ev->g->exprs, size, 0);
        bool stays = args[1].kind == KF__O_NONE && !one;
        if (stays && !ev->def->library && ev->g->exprs.nodes.at[size].kind > KF__X_AXIS &&
            !is_not_one(ev->g, size))
            x = 0;
        if (!(mask >> d & 1) || stays) continue;
        x = kf__remove_axis(ev->g, x, d);
    }
    return kf__eval_node(ev, x, out);
}

bool kf__make_expand_dims(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                          kf__object *out) {
    kf__ref x;
    uint32_t mask;
    (void)b;
    if (!kf__to_node(ev, &args[0], &x)) return false;
    int n = args[1].kind == KF__O_TUPLE ? (int)args[1].n : 1, rank = rank_of(ev, x) + n;
    if (args[1].kind == KF__O_NONE || rank > KF__MAX_RANK)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "expand_dims() needs an axis, and at most %d "
                                                  "dimensions are possible", KF__MAX_RANK);
    if (!axes_in(ev, &args[1], rank, &mask)) return false;
    kf__begin_call(ev, "expand_dims");
    for (int d = 0; x && d < rank; d++)
        if (mask >> d & 1) x = kf__insert_axis(ev->g, x, d);
    return kf__eval_node(ev, x, out);
}
