/* Parts that are nothing but their surroundings, slices that touch one part only, and functions of
 * parts of an array, which are taken once:
 *
 *     roll(exp(x), 1) = concatenate([exp(x)[n - 1:], exp(x)[:n - 1]])
 *                     = exp(concatenate([x[n - 1:], x[:n - 1]]))
 */
#include "simplify/rules.h"

kf__ref kf__simple_pad(kf_graph *g, kf__ref a, kf__ref value, const kf__expr *shape,
                       const kf__expr *before) {
    if (!a || !value) return 0;
    if (kf__splat_of(g, a) == value) return kf__splat(g, value, kf__at(g, a)->rank, shape);
    return kf__pad(g, a, value, shape, before);
}

enum { MOST_NODES = 32 }; /* of a function, as a tree */

typedef struct parts {
    kf_graph *g;
    int axis;
    kf__ref a, b; /* slices of one value */
    uint32_t n;   /* nodes looked at */
    bool function;
} parts;

/* Does it show whether a half was rounded that it is made of, as that is where it is a result, too?
 * A float32, or a bool, of a bfloat16 does. */
static bool shows_rounding(const kf_graph *g, const kf__node *n) {
    for (int i = 0; i < n->n_args && !kf__is_narrow((kf__dtype)n->dtype); i++) {
        const kf__node *of = kf__at(g, n->args[i]);
        if (kf__is_narrow((kf__dtype)of->dtype) && of->kind != KF__INPUT) return true;
    }
    return false;
}

/* Is `r` elements of inputs and numbers, and what is made of them one by one? */
static bool is_elementwise(parts *p, kf__ref r, kf__ref whole) {
    const kf__node *n = kf__at(p->g, r);
    if (++p->n > MOST_NODES) return false;
    if (kf__splat_of(p->g, r)) return true;
    if (n->kind != KF__OP && n->kind != KF__CAST) {
        while (n->kind == KF__EXPAND || n->kind == KF__PERMUTE) n = kf__at(p->g, n->args[0]);
        return n->kind == KF__INPUT;
    }
    const kf__node *all = kf__at(p->g, whole);
    if (shows_rounding(p->g, n)) return false;
    if (!kf__same_shape(n, all->rank, all->shape)) return false;
    p->function = p->function || (n->kind == KF__OP && kf__op_is_dear((kf__opcode)n->op));
    for (int i = 0; i < n->n_args; i++)
        if (!is_elementwise(p, n->args[i], whole)) return false;
    return true;
}

static kf__ref slice_as(kf_graph *g, kf__ref r, kf__ref slice) {
    const kf__node *n = kf__at(g, slice);
    kf__expr shape[KF__MAX_RANK], start[KF__MAX_RANK];
    int64_t step[KF__MAX_RANK];
    memcpy(shape, n->shape, sizeof(*shape) * n->rank);
    memcpy(start, n->u.slice.start, sizeof(*start) * n->rank);
    memcpy(step, n->u.slice.step, sizeof(*step) * n->rank);
    return kf__simple_slice(g, r, shape, start, step);
}

/* The parts of `r` joined. */
static kf__ref joined(const parts *p, kf__ref r, const kf__node *whole) {
    const kf__node n = *kf__at(p->g, r);
    kf__ref scalar = kf__splat_of(p->g, r), args[3] = {0};
    if (scalar) return kf__splat(p->g, scalar, whole->rank, whole->shape);
    if (n.kind != KF__OP && n.kind != KF__CAST) {
        kf__ref a = slice_as(p->g, r, p->a), b = slice_as(p->g, r, p->b);
        return a && b ? kf__concat(p->g, p->axis, a, b) : 0;
    }
    for (int i = 0; i < n.n_args; i++)
        if (!(args[i] = joined(p, n.args[i], whole))) return 0;
    uint32_t call = p->g->call;
    p->g->call = n.call;
    kf__ref made = n.kind == KF__CAST ? kf__simple_cast(p->g, args[0], (kf__dtype)n.dtype)
                   : kf__simple_op(p->g, (kf__opcode)n.op, (kf__dtype)n.dtype, args);
    p->g->call = call;
    return made;
}

/* The function of two parts' whole, if both are slices of one; else 0. */
static kf__ref function_of_joined(kf_graph *g, int axis, kf__ref a, kf__ref b) {
    parts p = {.g = g, .axis = axis, .a = a, .b = b};
    if (kf__at(g, a)->kind != KF__SLICE || kf__at(g, b)->kind != KF__SLICE) return 0;
    kf__ref of = kf__at(g, a)->args[0];
    if (of != kf__at(g, b)->args[0] || !is_elementwise(&p, of, of) || !p.function) return 0;
    kf__ref made = kf__concat(g, axis, a, b); /* for its shape */
    if (!made) return 0;
    const kf__node whole = *kf__at(g, made);
    return joined(&p, of, &whole);
}

kf__ref kf__simple_concat(kf_graph *g, int axis, kf__ref a, kf__ref b) {
    if (!a || !b) return 0;
    kf__ref function = function_of_joined(g, axis, a, b);
    if (function || !kf__graph_ok(g)) return function;
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
