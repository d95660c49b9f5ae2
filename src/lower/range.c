/* Between which bounds a float lies, as far as its own instructions say: a cast whose argument was
 * clipped to the integer type needn't saturate again. NaN is between any bounds.
 *
 *     v = clip(round(x / scale), -128, 127); cast(v, int8)
 *         max(v, -128) gives [-128, inf], min(.., 127) gives [-128, 127]: within int8 */
#include <math.h>

#include "lower/low.h"

enum { KF__RANGE_DEPTH = 8 };

static void range_of(const kf__low *L, uint32_t i, int depth, double *low, double *high) {
    const kf__instr *in = &L->k->instrs[i];
    *low = -INFINITY;
    *high = INFINITY;
    if (in->kind == KF__I_CONSTANT && kf__is_float(in->dtype)) {
        if (in->number == in->number) *low = *high = in->number;
        return;
    }
    if (in->kind != KF__I_OP || depth == KF__RANGE_DEPTH) return;
    double a_low, a_high, b_low, b_high;
    switch (in->op) {
    case KF__MAXIMUM:
    case KF__MINIMUM:
        range_of(L, in->args[0], depth + 1, &a_low, &a_high);
        range_of(L, in->args[1], depth + 1, &b_low, &b_high);
        *low = in->op == KF__MAXIMUM ? fmax(a_low, b_low) : fmin(a_low, b_low);
        *high = in->op == KF__MAXIMUM ? fmax(a_high, b_high) : fmin(a_high, b_high);
        return;
    case KF__ROUND:
        range_of(L, in->args[0], depth + 1, &a_low, &a_high);
        *low = rint(a_low);
        *high = rint(a_high);
        return;
    case KF__FLOOR:
        range_of(L, in->args[0], depth + 1, &a_low, &a_high);
        *low = floor(a_low);
        *high = floor(a_high);
        return;
    case KF__CEIL:
        range_of(L, in->args[0], depth + 1, &a_low, &a_high);
        *low = ceil(a_low);
        *high = ceil(a_high);
        return;
    default: return;
    }
}

bool kf__low_fits(const kf__low *L, uint32_t i, kf__dtype type) {
    double low, high, least, most;
    switch (type) {
    case KF__I8: least = -128, most = 127; break;
    case KF__U8: least = 0, most = 255; break;
    case KF__I16: least = -32768, most = 32767; break;
    default: return false;
    }
    range_of(L, i, 0, &low, &high);
    return low >= least && high <= most && low <= high;
}

static bool float_constant(const kf__low *L, uint32_t i, double *number) {
    const kf__instr *in = &L->k->instrs[i];
    *number = in->number;
    return in->kind == KF__I_CONSTANT && kf__is_float(in->dtype);
}

bool kf__low_clamps(const kf__low *L, uint32_t i, uint32_t *x, uint32_t *low, uint32_t *high) {
    const kf__instr *outer = &L->k->instrs[i];
    if (outer->kind != KF__I_OP || outer->op != KF__MINIMUM) return false;
    const kf__instr *inner = &L->k->instrs[outer->args[0]];
    if (inner->kind != KF__I_OP || inner->op != KF__MAXIMUM) return false;
    if (kf__compute(outer->dtype) != KF__F32 || kf__compute(inner->dtype) != KF__F32) return false;
    double from, to;
    *x = inner->args[0];
    *low = inner->args[1];
    *high = outer->args[1];
    return float_constant(L, *low, &from) && float_constant(L, *high, &to) && from < 0 && to > 0;
}
