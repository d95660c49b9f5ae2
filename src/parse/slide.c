/* The maker of _slide: what windows that slide along an axis hold. A window of `kernel` elements,
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

bool kf__make_slide(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    static const char *const names[] = {NULL, "axis", "kernel_size", "stride", "dilation"};
    kf__ref x, slice[MOST_SLICES];
    kf__object made[MOST_SLICES];
    int64_t number[5];
    kf__expr count;
    bool maximum, tuple = args[6].kind == KF__O_NONE;
    (void)b;
    kf__begin_call(ev, "_slide");
    if (!kf__to_node(ev, &args[0], &x)) return false;
    for (int i = 1; i < 5; i++)
        if (!kf__to_int(ev, &args[i], names[i], &number[i])) return false;
    if (!kf__to_size(ev, &args[5], "count", &count) ||
        (!tuple && !kf__to_bool(ev, &args[6], "maximum", &maximum)))
        return false;
    int axis = (int)number[1], n = (int)number[2];
    for (int k = 0; k < n; k++) {
        kf__expr start = kf__x_const(&ev->g->exprs, k * number[4]);
        slice[k] = kf__slice_axis(ev->g, x, axis, start, count, number[3]);
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
