/* The makers of _slide, _slide_first and _unslide: what windows that slide along an axis hold. A
 * window of `kernel` elements, `dilation` apart, moves by `stride`; the k-th elements of all
 * `count` windows are one slice:
 *
 *     x       0 1 2 3 4 5 6     kernel 3, stride 2
 *     k = 0   0   2   4
 *     k = 1     1   3   5       the maximum of these three slices, element by element, is what
 *     k = 2       2   4   6     max pooling gives
 *
 * Nothing moves: slices are loads at other places. They are joined two by two, so that no sum is
 * longer than the logarithm of `kernel`. */
#include "parse/makers.h"

enum { MOST_SLICES = 256 };

/* The windows of an axis. */
typedef struct windows {
    int64_t axis, kernel, stride, dilation;
    kf__expr count;
} windows;

/* axis, kernel_size, stride, dilation, count */
static bool read_windows(kf__evaluator *ev, const kf__object *args, windows *w) {
    return kf__to_int(ev, &args[0], "axis", &w->axis) &&
           kf__to_int(ev, &args[1], "kernel_size", &w->kernel) &&
           kf__to_int(ev, &args[2], "stride", &w->stride) &&
           kf__to_int(ev, &args[3], "dilation", &w->dilation) &&
           kf__to_size(ev, &args[4], "count", &w->count);
}

/* The k-th elements of all windows. */
static kf__ref elements(kf__evaluator *ev, kf__ref x, const windows *w, int k) {
    kf__expr start = kf__x_const(&ev->g->exprs, k * w->dilation);
    return kf__slice_axis(ev->g, x, (int)w->axis, start, w->count, w->stride);
}

bool kf__make_slide(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    kf__ref x, slice[MOST_SLICES];
    kf__object made[MOST_SLICES];
    windows w;
    bool maximum, tuple = args[6].kind == KF__O_NONE;
    (void)b;
    kf__begin_call(ev, "_slide");
    if (!kf__to_node(ev, &args[0], &x) || !read_windows(ev, &args[1], &w) ||
        (!tuple && !kf__to_bool(ev, &args[6], "maximum", &maximum)))
        return false;
    int n = (int)w.kernel;
    for (int k = 0; k < n; k++) {
        slice[k] = elements(ev, x, &w, k);
        if (!kf__eval_node(ev, slice[k], &made[k])) return false;
    }
    if (tuple) return kf__tuple(ev, made, (uint32_t)n, out);
    for (; n > 1; n = (n + 1) / 2) {
        for (int k = 0; k < n / 2; k++)
            slice[k] = kf__apply2(ev->g, maximum ? KF__MAXIMUM : KF__ADD, slice[2 * k],
                                  slice[2 * k + 1]);
        if (n % 2) slice[n / 2] = slice[n - 1];
    }
    return kf__eval_node(ev, slice[0], out);
}

/* Of two elements and their places the earlier ones, unless the later element is larger or NaN. */
static void later(kf_graph *g, const kf__ref *value, const kf__ref *place, kf__ref *values,
                  kf__ref *places) {
    kf__ref larger = kf__apply2(g, KF__GREATER, value[1], value[0]);
    kf__ref nan = kf__apply2(g, KF__NOT_EQUAL, value[1], value[1]);
    kf__ref is = larger && nan ? kf__apply2(g, KF__BITWISE_OR, larger, nan) : 0;
    *values = is ? kf__apply(g, KF__WHERE, (kf__ref[]){is, value[1], value[0]}) : 0;
    *places = is ? kf__apply(g, KF__WHERE, (kf__ref[]){is, place[1], place[0]}) : 0;
}

/* The k-th elements' places: k * scale more than `at` has there, or is where there is none. */
static kf__ref places_of(kf__evaluator *ev, kf__ref at, const windows *w, int k, int64_t scale) {
    kf_graph *g = ev->g;
    kf__ref here = kf__constant(g, KF__I32, (double)(k * scale), k * scale, false);
    if (!at || !here) return here;
    kf__ref there = kf__at(g, at)->rank ? elements(ev, at, w, k) : at;
    return there ? kf__apply2(g, KF__ADD, there, here) : 0;
}

bool kf__make_slide_first(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                          kf__object *out) {
    kf__ref x, at = 0, value[MOST_SLICES], place[MOST_SLICES];
    kf__object pair[2];
    int64_t scale;
    windows w;
    (void)b;
    kf__begin_call(ev, "_slide_first");
    if (!kf__to_node(ev, &args[0], &x) ||
        (args[1].kind != KF__O_NONE && !kf__to_node(ev, &args[1], &at)) ||
        !kf__to_int(ev, &args[2], "scale", &scale) || !read_windows(ev, &args[3], &w))
        return false;
    int n = (int)w.kernel;
    for (int k = 0; k < n; k++) {
        value[k] = elements(ev, x, &w, k), place[k] = places_of(ev, at, &w, k, scale);
        if (!kf__eval_node(ev, value[k], &pair[0]) || !kf__eval_node(ev, place[k], &pair[1]))
            return false;
    }
    for (; n > 1; n = (n + 1) / 2) {
        for (int k = 0; k < n / 2; k++) {
            later(ev->g, &value[2 * k], &place[2 * k], &value[k], &place[k]);
            if (!kf__eval_node(ev, value[k], &pair[0]) || !kf__eval_node(ev, place[k], &pair[1]))
                return false;
        }
        if (n % 2) value[n / 2] = value[n - 1], place[n / 2] = place[n - 1];
    }
    return kf__eval_node(ev, value[0], &pair[0]) && kf__eval_node(ev, place[0], &pair[1]) &&
           kf__tuple(ev, pair, 2, out);
}

/* ---------------------------------------------------------------- windows put together */

/* The axes `axis` and `axis` + 1 as one. */
static kf__ref merged(kf_graph *g, kf__ref x, int axis) {
    kf__expr shape[KF__MAX_RANK];
    if (!x) return 0;
    const kf__node *n = kf__at(g, x);
    int rank = n->rank - 1;
    for (int d = 0; d < rank; d++) shape[d] = n->shape[d <= axis ? d : d + 1];
    shape[axis] = kf__x_mul(&g->exprs, n->shape[axis], n->shape[axis + 1]);
    return kf__reshape(g, x, rank, shape);
}

/* Zeros around x along an axis, or less of x, so that it has n elements. */
static kf__ref placed(kf_graph *g, kf__ref x, int axis, int64_t before, kf__expr n) {
    kf__expr shape[KF__MAX_RANK], widths[KF__MAX_RANK];
    if (!x) return 0;
    const kf__node *from = kf__at(g, x);
    int rank = from->rank;
    for (int d = 0; d < rank; d++) {
        shape[d] = d == axis ? n : from->shape[d];
        widths[d] = kf__x_const(&g->exprs, d == axis ? before : 0);
    }
    kf__ref zero = kf__constant(g, (kf__dtype)from->dtype, 0, 0, false);
    return zero ? kf__pad(g, x, zero, shape, widths) : 0;
}

/* Windows that don't meet: their elements in a row, with zeros between them. */
static kf__ref apart(kf_graph *g, kf__ref x, const windows *w) {
    uint8_t order[KF__MAX_RANK];
    int axis = (int)w->axis;
    x = placed(g, x, axis, 0, kf__x_const(&g->exprs, w->stride));
    if (!x) return 0;
    for (int d = 0; d < kf__at(g, x)->rank; d++) order[d] = (uint8_t)d;
    order[axis]++, order[axis + 1]--;
    return merged(g, kf__permute(g, x, order), axis);
}

/* The k-th elements of all windows, as far apart as these are. */
static kf__ref spread(kf_graph *g, kf__ref x, const windows *w, int k) {
    int axis = (int)w->axis;
    kf__expr one = kf__x_const(&g->exprs, 1), step = kf__x_const(&g->exprs, w->stride);
    x = kf__slice_axis(g, x, axis, kf__x_const(&g->exprs, k), one, 1);
    x = x ? kf__remove_axis(g, x, axis) : 0;
    x = x ? kf__insert_axis(g, x, axis + 1) : 0;
    return merged(g, placed(g, x, axis + 1, 0, step), axis);
}

/* What _slide's tuple was taken from, where windows don't meet; where they do, sums. x has the
 * elements of windows along `axis` and the windows behind it; the result has n elements there, the
 * first of which is `padding` behind where the first window begins. */
bool kf__make_unslide(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                      kf__object *out) {
    kf__ref x, part[MOST_SLICES];
    kf__object made;
    windows w;
    int64_t padding;
    (void)b;
    kf__begin_call(ev, "_unslide");
    if (!kf__to_node(ev, &args[0], &x) || !read_windows(ev, &args[1], &w) ||
        !kf__to_int(ev, &args[6], "padding", &padding))
        return false;
    int n = (int)w.kernel, axis = (int)w.axis;
    if (w.dilation == 1 && w.stride >= n)
        return kf__eval_node(ev, placed(ev->g, apart(ev->g, x, &w), axis, -padding, w.count), out);
    for (int k = 0; k < n; k++) {
        part[k] = placed(ev->g, spread(ev->g, x, &w, k), axis, k * w.dilation - padding, w.count);
        if (!kf__eval_node(ev, part[k], &made)) return false;
    }
    for (; n > 1; n = (n + 1) / 2) {
        for (int k = 0; k < n / 2; k++)
            part[k] = kf__apply2(ev->g, KF__ADD, part[2 * k], part[2 * k + 1]);
        if (n % 2) part[n / 2] = part[n - 1];
    }
    return kf__eval_node(ev, part[0], out);
}
