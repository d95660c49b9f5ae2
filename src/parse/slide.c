/* The makers of _slide and _slide_first: what windows that slide along an axis hold. A window of `kernel` elements,
 * `dilation` apart, moves by `stride`; the k-th elements of all `count` windows are one slice:
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

/* Of two largest elements and where they are, which the earlier one is unless the later is larger or
 * NaN. */
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
