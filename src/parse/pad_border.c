/* The borders that pad puts around an array, but for constants: slices, the edge or a statistic
 * repeated, a ramp. */
#include "parse/pad.h"

/* Where a border isn't empty, `n` elements that it comes from must be there. */
static bool from_something(kf_graph *g, const kf__border *b, kf__expr n, const char *why) {
    kf__exprs *pool = &g->exprs;
    kf__expr some = kf__x_min(pool, b->width, kf__x_const(pool, 1));
    return kf__same_size(g, kf__x_min(pool, some, n), some, why);
}

/* x, of size 1 along the axis, as often as the border is wide. */
static kf__ref repeated(kf_graph *g, kf__ref x, const kf__border *b) {
    kf__expr shape[KF__MAX_RANK];
    if (!x) return 0;
    for (int d = 0; d < kf__at(g, x)->rank; d++) shape[d] = kf__at(g, x)->shape[d];
    shape[b->axis] = b->width;
    return kf__expand(g, x, shape);
}

/* The `n` elements next to the border. */
static kf__ref next_to(kf_graph *g, kf__ref x, const kf__border *b, kf__expr n) {
    kf__expr zero = kf__x_const(&g->exprs, 0);
    kf__expr start = b->behind ? kf__x_sub(&g->exprs, kf__at(g, x)->shape[b->axis], n) : zero;
    return kf__slice_axis(g, x, b->axis, start, n, 1);
}

static kf__ref edge(kf_graph *g, kf__ref x, const kf__border *b) {
    kf__expr n = kf__at(g, x)->shape[b->axis];
    return from_something(g, b, n, "pad of an edge that isn't there")
               ? next_to(g, x, b, kf__x_const(&g->exprs, 1))
               : 0;
}

/* Mirrored, with the edge (symmetric) or without it (reflect). */
static kf__ref mirrored(kf_graph *g, kf__ref x, const kf__border *b) {
    kf__exprs *pool = &g->exprs;
    kf__expr n = kf__at(g, x)->shape[b->axis], one = kf__x_const(pool, 1);
    kf__expr last = kf__x_sub(pool, n, one);
    bool whole = b->mode == KF__PAD_SYMMETRIC;
    kf__expr most = whole ? n : last, skip = whole ? kf__x_const(pool, 0) : one;
    kf__expr start = b->behind ? kf__x_sub(pool, last, skip)
                               : kf__x_sub(pool, kf__x_add(pool, b->width, skip), one);
    if (!kf__same_size(g, kf__x_min(pool, b->width, most), b->width,
                       whole ? "this mode pads by no more than the axis has; pad again for more"
                             : "mode 'reflect' pads by less than the axis has; pad again for "
                               "more"))
        return 0;
    kf__ref even = kf__slice_axis(g, x, b->axis, start, b->width, -1);
    kf__ref at = b->odd && even ? edge(g, x, b) : 0;
    if (!b->odd) return even;
    at = at ? kf__apply2(g, KF__ADD, at, at) : 0;
    return at ? kf__apply2(g, KF__SUBTRACT, at, even) : 0;
}

static kf__ref wrapped(kf_graph *g, kf__ref x, const kf__border *b) {
    kf__exprs *pool = &g->exprs;
    kf__expr n = kf__at(g, x)->shape[b->axis];
    kf__expr start = b->behind ? kf__x_const(pool, 0) : kf__x_sub(pool, n, b->width);
    return kf__same_size(g, kf__x_min(pool, b->width, n), b->width,
                         "this mode pads by no more than the axis has; pad again for more")
               ? kf__slice_axis(g, x, b->axis, start, b->width, 1)
               : 0;
}

/* The largest, the smallest or the mean of the elements next to the border. An integer's mean is
 * rounded. */
static kf__ref statistic(kf_graph *g, kf__ref x, const kf__border *b) {
    kf__dtype dtype = (kf__dtype)kf__at(g, x)->dtype;
    kf__expr all = kf__at(g, x)->shape[b->axis];
    kf__expr n = kf__x_min(&g->exprs, b->length, all);
    kf__reduction red = b->mode == KF__PAD_MAXIMUM   ? KF__RED_MAX
                        : b->mode == KF__PAD_MINIMUM ? KF__RED_MIN
                                                     : KF__RED_MOMENTS;
    int64_t axis = b->axis;
    if (!from_something(g, b, n, "pad with a statistic of no elements")) return 0;
    x = next_to(g, x, b, n);
    if (x && red == KF__RED_MOMENTS && !kf__is_float(dtype)) x = kf__cast(g, x, KF__F64);
    x = x ? kf__reduce_axes(g, red, 0, x, &axis, 1, true) : 0;
    if (x && red == KF__RED_MOMENTS && kf__types[dtype].class == KF__CLASS_INT)
        x = kf__apply1(g, KF__ROUND, x);
    return x ? kf__cast(g, x, dtype) : 0;
}

/* end + i (edge - end) / width, i counted from outside; integers by way of f64, rounded down. */
static kf__ref ramp(kf_graph *g, kf__ref x, const kf__border *b) {
    kf__exprs *pool = &g->exprs;
    kf__dtype dtype = (kf__dtype)kf__at(g, x)->dtype;
    kf__dtype wide = kf__is_float(dtype) && dtype != KF__F64 ? KF__F32 : KF__F64;
    kf__expr shape[KF__MAX_RANK], first = kf__x_const(pool, 0);
    int rank = kf__at(g, x)->rank;
    if (b->behind) first = kf__x_sub(pool, b->width, kf__x_const(pool, 1));
    for (int d = 0; d < rank; d++) shape[d] = kf__x_const(pool, 1);
    shape[b->axis] = b->width;
    kf__ref i = kf__iota(g, b->width, first, b->behind ? -1 : 1);
    if (i) i = kf__reshape(g, kf__cast(g, i, wide), rank, shape);
    kf__ref last = edge(g, x, b), end = kf__cast(g, b->end, wide);
    if (last) last = kf__cast(g, last, wide);
    kf__ref far = last && end ? kf__apply2(g, KF__SUBTRACT, last, end) : 0;
    kf__ref n = kf__cast(g, kf__size(g, b->width), wide);
    kf__ref step = far && n ? kf__apply2(g, KF__DIVIDE, far, n) : 0;
    kf__ref y = step && i ? kf__apply2(g, KF__MULTIPLY, i, step) : 0;
    if (y) y = kf__apply2(g, KF__ADD, y, end);
    if (y && kf__types[dtype].class == KF__CLASS_INT) y = kf__apply1(g, KF__FLOOR, y);
    return y ? kf__cast(g, y, dtype) : 0;
}

kf__ref kf__pad_border(kf_graph *g, kf__ref x, const kf__border *b) {
    bool turns = b->mode == KF__PAD_WRAP || b->mode == KF__PAD_REFLECT ||
                 b->mode == KF__PAD_SYMMETRIC;
    if (turns && b->numpy && kf__x_is(&g->exprs, kf__at(g, x)->shape[b->axis], 1))
        return repeated(g, x, b); /* of one element it is all that comes */
    switch (b->mode) {
    case KF__PAD_EDGE: return repeated(g, edge(g, x, b), b);
    case KF__PAD_WRAP: return wrapped(g, x, b);
    case KF__PAD_RAMP: return ramp(g, x, b);
    case KF__PAD_REFLECT:
    case KF__PAD_SYMMETRIC: return mirrored(g, x, b);
    default: return repeated(g, statistic(g, x, b), b);
    }
}
