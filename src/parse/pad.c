/* The maker of pad.
 *
 *     pad(x, 1)                    one value around every axis
 *     pad(x, (1, 2))               one before and two behind, every axis
 *     pad(x, ((0, 0), (1, 2)))     a pair for each axis
 *     pad(x, pad=(1, 2))           PyTorch's order: a pair for the last axis, then the one
 *                                  before it
 *
 * Negative widths leave elements out. Constant padding is a node, or with a value for each side a
 * node for each; the other modes are borders (pad_border.c), one behind the other. */
#include <math.h>

#include "parse/pad.h"

typedef struct widths {
    kf__expr before[KF__MAX_RANK], after[KF__MAX_RANK];
} widths;

/* What stands before an axis and behind it. */
typedef struct sides {
    const kf__object *before[KF__MAX_RANK], *after[KF__MAX_RANK];
    bool alike; /* one for all */
} sides;

/* NumPy's order: one for all, (before, behind) for every axis, or such a pair for each. */
static bool read_sides(kf__evaluator *ev, const kf__object *o, const char *what, int rank,
                       sides *s) {
    bool tuple = o->kind == KF__O_TUPLE, pairs = tuple && o->n > 0;
    for (uint32_t i = 0; pairs && i < o->n; i++) pairs = o->items[i].kind == KF__O_TUPLE;
    if (pairs && o->n != 1 && (int)o->n != rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u pairs of %s for an array of rank %d", o->n,
                             what, rank);
    if (!pairs && tuple && o->n > 2)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u %s: one pair for each axis is written "
                             "((1, 2), (0, 0)); PyTorch's order, the last axis first, is "
                             "pad=(...)", o->n, what);
    s->alike = !tuple || (!pairs && o->n == 1);
    for (int d = 0; d < rank; d++) {
        const kf__object *of = pairs ? &o->items[o->n == 1 ? 0 : d] : o;
        if (of->kind == KF__O_TUPLE && of->n != 1 && of->n != 2)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u %s of one axis: one before and one "
                                                      "behind are needed", of->n, what);
        s->before[d] = of->kind == KF__O_TUPLE ? &of->items[0] : of;
        s->after[d] = of->kind == KF__O_TUPLE ? &of->items[of->n - 1] : of;
    }
    return true;
}

static bool read_widths(kf__evaluator *ev, const kf__object *o, int rank, widths *w) {
    sides s;
    if (!read_sides(ev, o, "widths", rank, &s)) return false;
    for (int d = 0; d < rank; d++)
        if (!kf__to_size(ev, s.before[d], "widths", &w->before[d]) ||
            !kf__to_size(ev, s.after[d], "widths", &w->after[d]))
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
    kf__object zero = {.kind = KF__O_INT}, whole = {.kind = KF__O_INT}, ignored;
    if (o->kind == KF__O_NONE) o = &zero;
    if (o->kind == KF__O_FLOAT && !kf__is_float(dtype) && o->number == floor(o->number) &&
        fabs(o->number) < 0x1p53) { /* 2.0 */
        whole.integer = (int64_t)o->number;
        o = &whole;
    }
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
    if (!kf__ask_object_fits(ev, dtype, o)) return false;
    *out = kf__cast(ev->g, *out, dtype);
    return kf__eval_node(ev, *out, &ignored);
}

/* x with `before` and `after` elements more, of one value. */
static kf__ref with_value(kf_graph *g, kf__ref x, kf__ref value, const kf__expr *before,
                          const kf__expr *after) {
    kf__exprs *pool = &g->exprs;
    kf__expr shape[KF__MAX_RANK];
    const kf__node *n = kf__at(g, x);
    for (int d = 0; d < n->rank; d++)
        shape[d] = kf__x_add(pool, kf__x_add(pool, n->shape[d], before[d]), after[d]);
    return kf__pad(g, x, value, shape, before);
}

/* A value for each side: side after side, the last axis' values in the corners. */
static bool constants(kf__evaluator *ev, kf__ref x, const widths *w, const sides *s,
                      kf__object *out) {
    int rank = kf__at(ev->g, x)->rank;
    for (int i = 0; i < 2 * rank && x; i++) {
        kf__expr by[2][KF__MAX_RANK];
        bool behind = i % 2;
        kf__ref value;
        for (int d = 0; d < rank; d++) by[0][d] = by[1][d] = kf__x_const(&ev->g->exprs, 0);
        by[behind][i / 2] = behind ? w->after[i / 2] : w->before[i / 2];
        if (kf__x_is(&ev->g->exprs, by[behind][i / 2], 0)) continue;
        if (!value_in(ev, behind ? s->after[i / 2] : s->before[i / 2],
                      (kf__dtype)kf__at(ev->g, x)->dtype, &value))
            return false;
        x = with_value(ev->g, x, value, by[0], by[1]);
    }
    return kf__eval_node(ev, x, out);
}

static bool constant(kf__evaluator *ev, kf__ref x, const widths *w, const kf__object *value,
                     kf__object *out) {
    sides s;
    kf__ref with;
    const kf__node *n = kf__at(ev->g, x);
    if (!read_sides(ev, value, "values", n->rank, &s)) return false;
    if (!s.alike) return constants(ev, x, w, &s, out);
    return value_in(ev, n->rank ? s.before[0] : value, (kf__dtype)n->dtype, &with) &&
           kf__eval_node(ev, with_value(ev->g, x, with, w->before, w->after), out);
}

/* ---------------------------------------------------------------- other modes */

static bool read_mode(kf__evaluator *ev, const kf__object *o, kf__pad_mode *out) {
    static const struct {
        const char *name;
        kf__pad_mode mode;
    } names[] = {{"constant", KF__PAD_CONSTANT}, {"reflect", KF__PAD_REFLECT},
                 {"symmetric", KF__PAD_SYMMETRIC}, {"edge", KF__PAD_EDGE},
                 {"replicate", KF__PAD_EDGE}, {"wrap", KF__PAD_WRAP}, {"circular", KF__PAD_WRAP},
                 {"linear_ramp", KF__PAD_RAMP}, {"maximum", KF__PAD_MAXIMUM},
                 {"minimum", KF__PAD_MINIMUM}, {"mean", KF__PAD_MEAN}, {"empty", KF__PAD_EMPTY}};
    *out = KF__PAD_CONSTANT;
    if (o->kind == KF__O_NONE) return true;
    for (size_t i = 0; o->kind == KF__O_STRING && i < KF__COUNT(names); i++) {
        if (strlen(names[i].name) != o->n || memcmp(names[i].name, o->text, o->n)) continue;
        *out = names[i].mode;
        return true;
    }
    if (o->kind == KF__O_STRING && o->n == 6 && memcmp(o->text, "median", 6) == 0)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`mode` 'median' of pad() is outside of what "
                                                  "kfuse does: it needs sorting");
    return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`mode` of pad() must be 'constant', 'reflect', "
                                              "'symmetric', 'edge', 'wrap', 'linear_ramp', "
                                              "'maximum', 'minimum', 'mean' or 'empty'");
}

/* The options that a mode has; NumPy has errors for those of others too. */
static bool fits_mode(kf__evaluator *ev, const kf__object *args, kf__pad_mode m) {
    bool mirrors = m == KF__PAD_REFLECT || m == KF__PAD_SYMMETRIC;
    const struct {
        const char *name;
        bool given, taken;
    } options[] = {
        {"value", args[3].kind != KF__O_NONE, m == KF__PAD_CONSTANT},
        {"stat_length", args[5].kind != KF__O_NONE, m >= KF__PAD_MAXIMUM},
        {"end_values", args[6].kind != KF__O_NONE, m == KF__PAD_RAMP},
        {"reflect_type", args[7].kind != KF__O_NONE, mirrors},
    };
    for (size_t i = 0; i < KF__COUNT(options); i++)
        if (options[i].given && !options[i].taken)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`%s` of pad() is for another mode",
                                 options[i].name);
    return true;
}

static bool read_odd(kf__evaluator *ev, const kf__object *o, bool *odd) {
    static const char *const types[] = {"even", "odd"};
    size_t type = o->kind == KF__O_STRING ? kf__index_of(types, 2, o->text, o->n) : 2;
    if (o->kind == KF__O_NONE) type = 0;
    *odd = type == 1;
    return type < 2 || kf__eval_fail(ev, KF_ERR_ARGUMENT, "`reflect_type` of pad() must be "
                                                          "'even' or 'odd'");
}

/* What one side's border needs to know besides its width. */
static bool read_border(kf__evaluator *ev, const kf__object *from, kf__border *b) {
    if (b->mode == KF__PAD_RAMP)
        return kf__to_node(ev, from, &b->end) &&
               (!kf__at(ev->g, b->end)->rank ||
                kf__eval_fail(ev, KF_ERR_SHAPE, "what a ramp ends with must be one number, not an "
                                                "array of rank %d", kf__at(ev->g, b->end)->rank));
    return b->mode < KF__PAD_MAXIMUM || from->kind == KF__O_NONE ||
           kf__to_size(ev, from, "stat_length", &b->length);
}

/* Axis after axis, so that corners come from what is there already. */
static bool around(kf__evaluator *ev, kf__ref x, const widths *w, kf__border b, const sides *s,
                   kf__object *out) {
    kf_graph *g = ev->g;
    int rank = kf__at(g, x)->rank;
    for (b.axis = 0; b.axis < rank && x; b.axis++) {
        kf__ref parts[3];
        int n = 0;
        int64_t size;
        for (int side = 0; side < 2; side++) {
            if (side == 1) parts[n++] = x;
            b.behind = side == 1, b.width = side ? w->after[b.axis] : w->before[b.axis];
            if (kf__x_is(&g->exprs, b.width, 0)) continue;
            if (kf__x_is_const(&g->exprs, b.width, &size) && size < 0)
                return kf__eval_fail(ev, KF_ERR_ARGUMENT, "a negative width is for pads with a "
                                                          "constant, or behind F: use a slice");
            b.length = kf__at(g, x)->shape[b.axis];
            if (!read_border(ev, side ? s->after[b.axis] : s->before[b.axis], &b)) return false;
            parts[n++] = kf__pad_border(g, x, &b);
        }
        x = kf__concat_all(g, b.axis, parts, n);
    }
    return kf__eval_node(ev, x, out);
}

/* PyTorch's negative widths: x without so many elements, which nothing is then put around. */
static bool cropped(kf__evaluator *ev, kf__ref *x, widths *w) {
    kf__exprs *pool = &ev->g->exprs;
    for (int d = 0; d < kf__at(ev->g, *x)->rank; d++) {
        int64_t before = 0, after = 0;
        if (kf__x_is_const(pool, w->before[d], &before) && before < 0)
            w->before[d] = kf__x_const(pool, 0);
        if (kf__x_is_const(pool, w->after[d], &after) && after < 0)
            w->after[d] = kf__x_const(pool, 0);
        kf__expr start = kf__x_const(pool, before < 0 ? -before : 0);
        kf__expr left = kf__x_const(pool, (before < 0 ? -before : 0) + (after < 0 ? -after : 0));
        if (kf__x_is(pool, left, 0)) continue;
        kf__expr n = kf__at(ev->g, *x)->shape[d];
        kf__object made;
        bool fits = kf__same_size(ev->g, kf__x_min(pool, left, n), left,
                                  "negative widths take away what isn't there");
        *x = fits ? kf__slice_axis(ev->g, *x, d, start, kf__x_sub(pool, n, left), 1) : 0;
        if (!kf__eval_node(ev, *x, &made)) return false;
    }
    return true;
}

static bool by_mode(kf__evaluator *ev, const kf__object *args, kf__ref x, widths *w,
                    kf__pad_mode m, kf__object *out) {
    kf__object zero = {.kind = KF__O_INT};
    bool ramp = m == KF__PAD_RAMP;
    kf__border b = {.mode = m, .numpy = args[1].kind != KF__O_NONE};
    sides s;
    const kf__object *option = !ramp ? &args[5] : args[6].kind == KF__O_NONE ? &zero : &args[6];
    return read_odd(ev, &args[7], &b.odd) && (b.numpy || cropped(ev, &x, w)) &&
           read_sides(ev, option, ramp ? "end_values" : "stat_lengths", kf__at(ev->g, x)->rank,
                      &s) &&
           around(ev, x, w, b, &s, out);
}

bool kf__make_pad(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                  kf__object *out) {
    kf__object how = args[2], value = args[3];
    kf__ref x;
    widths w;
    kf__pad_mode m;
    (void)b;
    kf__begin_call(ev, "pad");
    if (kf__is_numeric(&how) && value.kind == KF__O_NONE) { /* pad(x, widths, value) */
        value = how;
        how.kind = KF__O_NONE;
    }
    if (!kf__to_node(ev, &args[0], &x) || !read_mode(ev, &how, &m) ||
        !fits_mode(ev, args, m))
        return false;
    if ((args[1].kind == KF__O_NONE) == (args[4].kind == KF__O_NONE))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                             "pad() needs `widths`, or `pad` in PyTorch's order");
    int rank = kf__at(ev->g, x)->rank;
    bool ok = args[1].kind != KF__O_NONE ? read_widths(ev, &args[1], rank, &w)
                                         : read_torch(ev, &args[4], rank, &w);
    if (!ok) return false;
    if (m == KF__PAD_CONSTANT || m == KF__PAD_EMPTY) return constant(ev, x, &w, &value, out);
    return by_mode(ev, args, x, &w, m, out);
}
