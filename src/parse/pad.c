/* The maker of pad.
 *
 *     pad(x, 1)                    one value around every axis
 *     pad(x, (1, 2))               one before and two behind, every axis
 *     pad(x, ((0, 0), (1, 2)))     a pair for each axis
 *     pad(x, pad=(1, 2))           PyTorch's order: a pair for the last axis, then the one
 *                                  before it
 *
 * Negative widths leave elements out. Constant padding is a node; the other modes are slices, one
 * behind the other. */
#include "parse/makers.h"

typedef struct widths {
    kf__expr before[KF__MAX_RANK], after[KF__MAX_RANK];
} widths;

static bool read_pair(kf__evaluator *ev, const kf__object *o, kf__expr *before, kf__expr *after) {
    if (o->kind != KF__O_TUPLE)
        return kf__to_size(ev, o, "widths", before) && (*after = *before, true);
    if (o->n != 1 && o->n != 2)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                             "%u widths of one axis: one before and one behind "
                             "are needed", o->n);
    return kf__to_size(ev, &o->items[0], "widths", before) &&
           kf__to_size(ev, &o->items[o->n - 1], "widths", after);
}

/* NumPy's order. */
static bool read_widths(kf__evaluator *ev, const kf__object *o, int rank, widths *w) {
    bool pairs = o->kind == KF__O_TUPLE && o->n > 0;
    for (uint32_t i = 0; i < o->n && pairs; i++) pairs = o->items[i].kind == KF__O_TUPLE;
    if (pairs && o->n != 1 && (int)o->n != rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u pairs of widths for an array of rank %d",
                             o->n, rank);
    if (!pairs && o->kind == KF__O_TUPLE && o->n > 2)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u widths: one pair for each axis is written "
                             "((1, 2), (0, 0)); PyTorch's order, the last axis first, is "
                             "pad=(...)", o->n);
    for (int d = 0; d < rank; d++)
        if (!read_pair(ev, pairs ? &o->items[o->n == 1 ? 0 : d] : o, &w->before[d], &w->after[d]))
            return false;
    return true;
}

/* PyTorch's order. */
static bool read_torch(kf__evaluator *ev, const kf__object *o, int rank, widths *w) {
    if (o->kind != KF__O_TUPLE || o->n % 2 || (int)o->n > 2 * rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`pad` must be pairs of widths, at most %d, the "
                                                  "last axis first", rank);
    for (int d = 0; d < rank; d++) w->before[d] = w->after[d] = kf__x_const(&ev->g->exprs, 0);
    for (uint32_t i = 0; i < o->n; i += 2) {
        int d = rank - 1 - (int)(i / 2);
        if (!kf__to_size(ev, &o->items[i], "pad", &w->before[d]) ||
            !kf__to_size(ev, &o->items[i + 1], "pad", &w->after[d]))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- values */

/* The value in the array's dtype, rank 0. */
static bool value_in(kf__evaluator *ev, const kf__object *o, kf__dtype dtype, kf__ref *out) {
    kf__object zero = {.kind = KF__O_INT}, ignored;
    if (o->kind == KF__O_NONE) o = &zero;
    if (!kf__to_node(ev, o, out)) return false;
    if (kf__at(ev->g, *out)->rank)
        return kf__eval_fail(ev, KF_ERR_SHAPE,
                             "what is padded with must be one number, not an array "
                             "of rank %d", kf__at(ev->g, *out)->rank);
    bool number = kf__is_float((kf__dtype)kf__at(ev->g, *out)->dtype) && !kf__is_float(dtype);
    if (number)
        return kf__eval_fail(ev, KF_ERR_TYPE,
                             "an array of %s can't be padded with a float: cast one "
                             "of them", kf__types[dtype].name);
    if (o->kind == KF__O_INT && !kf__ask_fits(ev, dtype, o->integer)) return false;
    *out = kf__cast(ev->g, *out, dtype);
    return kf__eval_node(ev, *out, &ignored);
}

static bool constant(kf__evaluator *ev, kf__ref x, const widths *w, const kf__object *value,
                     kf__object *out) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr shape[KF__MAX_RANK];
    kf__ref with;
    const kf__node *n = kf__at(ev->g, x);
    int rank = n->rank;
    for (int d = 0; d < rank; d++)
        shape[d] = kf__x_add(pool, kf__x_add(pool, n->shape[d], w->before[d]), w->after[d]);
    return value_in(ev, value, (kf__dtype)n->dtype, &with) &&
           kf__eval_node(ev, kf__pad(ev->g, x, with, shape, w->before), out);
}

/* ---------------------------------------------------------------- other modes */

typedef enum mode { CONSTANT, REFLECT, SYMMETRIC, EDGE, WRAP, MODES } mode;

static bool read_mode(kf__evaluator *ev, const kf__object *o, mode *out) {
    static const struct {
        const char *name;
        mode mode;
    } names[] = {{"constant", CONSTANT}, {"reflect", REFLECT}, {"symmetric", SYMMETRIC},
                 {"edge", EDGE}, {"replicate", EDGE}, {"wrap", WRAP}, {"circular", WRAP}};
    *out = CONSTANT;
    if (o->kind == KF__O_NONE) return true;
    for (size_t i = 0; o->kind == KF__O_STRING && i < KF__COUNT(names); i++) {
        if (strlen(names[i].name) != o->n || memcmp(names[i].name, o->text, o->n)) continue;
        *out = names[i].mode;
        return true;
    }
    return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`mode` of pad() must be 'constant', 'reflect', "
                                              "'symmetric', 'edge' or 'wrap'");
}

/* `width` elements that stand before x (or behind it) along one axis. */
static kf__ref border(kf_graph *g, kf__ref x, int axis, mode m, kf__expr width, bool behind) {
    kf__exprs *pool = &g->exprs;
    kf__expr n = kf__at(g, x)->shape[axis], one = kf__x_const(pool, 1);
    kf__expr last = kf__x_sub(pool, n, one), zero = kf__x_const(pool, 0), shape[KF__MAX_RANK];
    if (m == EDGE) {
        kf__expr some = kf__x_min(pool, width, one);
        if (!kf__same_size(g, kf__x_min(pool, some, n), some, "pad of an edge that isn't there"))
            return 0;
        kf__ref edge = kf__slice_axis(g, x, axis, behind ? last : zero, one, 1);
        if (!edge) return 0;
        for (int d = 0; d < kf__at(g, edge)->rank; d++) shape[d] = kf__at(g, edge)->shape[d];
        shape[axis] = width;
        return kf__expand(g, edge, shape);
    }
    kf__expr most = m == REFLECT ? last : n; /* so many are there */
    const char *why = m == REFLECT ? "mode 'reflect' pads by less than the axis has"
                                   : "this mode pads by no more than the axis has";
    if (!kf__same_size(g, kf__x_min(pool, width, most), width, why)) return 0;
    if (m == WRAP) return kf__slice_axis(g, x, axis, behind ? zero : kf__x_sub(pool, n, width), width, 1);
    kf__expr skip = m == REFLECT ? one : zero;
    kf__expr start = behind ? kf__x_sub(pool, last, skip)
                            : kf__x_sub(pool, kf__x_add(pool, width, skip), one);
    return kf__slice_axis(g, x, axis, start, width, -1);
}

/* Axis after axis, so that corners come from what is there already. */
static kf__ref around(kf_graph *g, kf__ref x, const widths *w, mode m) {
    int rank = kf__at(g, x)->rank;
    for (int d = 0; d < rank && x; d++) {
        kf__ref parts[3];
        int n = 0;
        int64_t size;
        const kf__expr by[2] = {w->before[d], w->after[d]};
        for (int side = 0; side < 2; side++) {
            if (side == 1) parts[n++] = x;
            if (kf__x_is(&g->exprs, by[side], 0)) continue;
            if (kf__x_is_const(&g->exprs, by[side], &size) && size < 0)
                return kf__graph_fail(g, KF_ERR_ARGUMENT, "a negative width is for pads with a "
                                                          "constant: use a slice");
            parts[n++] = border(g, x, d, m, by[side], side);
        }
        x = kf__concat_all(g, d, parts, n);
    }
    return x;
}

bool kf__make_pad(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                  kf__object *out) {
    kf__object how = args[2], value = args[3];
    kf__ref x;
    widths w;
    mode m;
    (void)b;
    kf__begin_call(ev, "pad");
    if (kf__is_numeric(&how) && value.kind == KF__O_NONE) { /* pad(x, widths, value) */
        value = how;
        how.kind = KF__O_NONE;
    }
    if (!kf__to_node(ev, &args[0], &x) || !read_mode(ev, &how, &m)) return false;
    if ((args[1].kind == KF__O_NONE) == (args[4].kind == KF__O_NONE))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                             "pad() needs `widths`, or `pad` in PyTorch's order");
    int rank = kf__at(ev->g, x)->rank;
    bool ok = args[1].kind != KF__O_NONE ? read_widths(ev, &args[1], rank, &w)
                                         : read_torch(ev, &args[4], rank, &w);
    if (!ok) return false;
    if (m == CONSTANT) return constant(ev, x, &w, &value, out);
    return kf__eval_node(ev, around(ev->g, x, &w, m), out);
}
