/* Constants: what is correctly rounded is computed here, in the compute type, as a kernel would.
 * Functions that a prelude approximates are left to it, so that folding never changes a bit.
 */
#include <math.h>

#include "simplify/rules.h"

typedef struct number {
    double f;  /* of a float dtype */
    int64_t i; /* of the others */
} number;

static bool number_of(const kf_graph *g, kf__ref a, number *out) {
    const kf__node *n = kf__at(g, a);
    if (n->kind != KF__CONSTANT) return false;
    *out = (number){0};
    if (!kf__is_float(n->dtype)) out->i = n->u.integer;
    else out->f = kf__compute(n->dtype) == KF__F32 ? (double)(float)n->u.number : n->u.number;
    return true;
}

/* An integer into the range of its type. */
static int64_t wrap(kf__dtype t, int64_t v) {
    switch (t) {
    case KF__BOOL: return v != 0;
    case KF__U8: return (uint8_t)v;
    case KF__I8: return (int8_t)v;
    case KF__I16: return (int16_t)v;
    case KF__I32: return (int32_t)v;
    default: return v;
    }
}

/* Every float operation here is exact or one rounding of doubles; of two floats, + - * / and sqrt
 * rounded to double and then to float are what float arithmetic gives. */
static double round_to(kf__dtype t, double v) {
    return kf__compute(t) == KF__F32 ? (double)(float)v : v;
}

static bool fold_float(kf__opcode op, double a, double b, double *out) {
    switch (op) {
    case KF__ADD: *out = a + b; return true;
    case KF__SUBTRACT: *out = a - b; return true;
    case KF__MULTIPLY: *out = a * b; return true;
    case KF__DIVIDE: *out = a / b; return true;
    case KF__SQUARE: *out = a * a; return true;
    case KF__NEGATIVE: *out = -a; return true;
    case KF__ABS: *out = fabs(a); return true;
    case KF__SQRT: *out = sqrt(a); return true;
    case KF__RECIPROCAL: *out = 1 / a; return true;
    case KF__ROUND: *out = rint(a); return true;
    case KF__FLOOR: *out = floor(a); return true;
    case KF__CEIL: *out = ceil(a); return true;
    case KF__TRUNC: *out = trunc(a); return true;
    case KF__MAXIMUM:
        *out = a > b ? a : b;
        return a != b && a == a && b == b;
    case KF__MINIMUM:
        *out = a < b ? a : b;
        return a != b && a == a && b == b;
    default: return false;
    }
}

static bool fold_int(kf__opcode op, int64_t a, int64_t b, int64_t *out) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case KF__ADD: *out = (int64_t)(x + y); return true;
    case KF__SUBTRACT: *out = (int64_t)(x - y); return true;
    case KF__MULTIPLY: *out = (int64_t)(x * y); return true;
    case KF__SQUARE: *out = (int64_t)(x * x); return true;
    case KF__NEGATIVE: *out = (int64_t)(0 - x); return true;
    case KF__MAXIMUM: *out = a > b ? a : b; return true;
    case KF__MINIMUM: *out = a < b ? a : b; return true;
    case KF__BITWISE_AND: *out = a & b; return true;
    case KF__BITWISE_OR: *out = a | b; return true;
    case KF__BITWISE_XOR: *out = a ^ b; return true;
    default: return false;
    }
}

static bool fold_test(kf__opcode op, double a, double b, int64_t *out) {
    switch (op) {
    case KF__EQUAL: *out = a == b; return true;
    case KF__NOT_EQUAL: *out = a != b; return true;
    case KF__LESS: *out = a < b; return true;
    case KF__LESS_EQUAL: *out = a <= b; return true;
    case KF__GREATER: *out = a > b; return true;
    case KF__GREATER_EQUAL: *out = a >= b; return true;
    case KF__ISNAN: *out = isnan(a) != 0; return true;
    case KF__ISINF: *out = isinf(a) != 0; return true;
    case KF__ISFINITE: *out = isfinite(a) != 0; return true;
    default: return false;
    }
}

/* Integers that doubles hold exactly may be compared as doubles. */
static bool as_double(kf__dtype t, const number *n, double *out) {
    *out = kf__is_float(t) ? n->f : (double)n->i;
    return kf__is_float(t) || (n->i >= -(1LL << 53) && n->i <= 1LL << 53);
}

kf__ref kf__fold_op(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args) {
    number a, b = {0}, r = {0};
    double x, y = 0;
    kf__dtype t = kf__at(g, args[0])->dtype;
    if (kf__ops[op].arity > 2 || !number_of(g, args[0], &a)) return 0;
    if (kf__ops[op].arity == 2 && !number_of(g, args[1], &b)) return 0;
    if (op == KF__KEEP_LIMIT) {
        if (!(a.f >= 0 && a.f <= 1)) return 0;
        return kf__constant(g, dtype, 0, (int64_t)floor(a.f * 4294967296.0), false);
    }
    if (kf__ops[op].rule == KF__RULE_COMPARE || kf__ops[op].rule == KF__RULE_TEST) {
        kf__dtype u = kf__ops[op].arity == 2 ? kf__at(g, args[1])->dtype : t;
        if (!as_double(t, &a, &x) || !as_double(u, &b, &y) || !fold_test(op, x, y, &r.i)) return 0;
        return kf__constant(g, dtype, 0, r.i, false);
    }
    if (kf__is_float(dtype)) {
        if (!kf__is_float(t) || !fold_float(op, a.f, b.f, &r.f)) return 0;
        return kf__constant(g, dtype, round_to(dtype, r.f), 0, false);
    }
    if (kf__is_float(t) || !fold_int(op, a.i, b.i, &r.i)) return 0;
    return kf__constant(g, dtype, 0, wrap(dtype, r.i), false);
}

/* Is v a value of t, so that casting it rounds nothing? */
static bool is_exact(kf__dtype t, double v) {
    int exponent;
    double m = frexp(v, &exponent);
    if (v == 0 || isnan(v)) return true;
    if (t == KF__F8E4M3) return exponent >= -5 && fabs(v) <= 448 && m * 16 == rint(m * 16);
    if (isinf(v)) return true;
    if (t == KF__F8E5M2) return exponent >= -13 && exponent <= 16 && m * 8 == rint(m * 8);
    if (t == KF__F16) return exponent >= -13 && exponent <= 16 && m * 2048 == rint(m * 2048);
    if (t == KF__BF16) return exponent >= -125 && exponent <= 128 && m * 256 == rint(m * 256);
    return true;
}

static int64_t saturate(kf__dtype t, double v) {
    int bits = kf__types[t].size * 8;
    bool is_unsigned = t == KF__U8;
    double low = is_unsigned ? 0 : -ldexp(1, bits - 1);
    double high = ldexp(1, is_unsigned ? bits : bits - 1);
    if (isnan(v)) return 0;
    v = trunc(v);
    if (v < low) v = low;
    if (v >= high) return is_unsigned ? (1LL << bits) - 1 : (int64_t)(~0ULL >> (65 - bits));
    return (int64_t)v;
}

kf__ref kf__fold_cast(kf_graph *g, kf__ref a, kf__dtype dtype) {
    number n;
    kf__dtype from = kf__at(g, a)->dtype;
    if (!number_of(g, a, &n)) return 0;
    if (kf__is_float(dtype)) {
        double v = kf__is_float(from) ? n.f : kf__compute(dtype) == KF__F32 ? (double)(float)n.i
                                                                            : (double)n.i;
        if (!is_exact(dtype, v)) return 0; /* rounding to a half is left to the kernel */
        return kf__constant(g, dtype, round_to(dtype, v), 0, false);
    }
    int64_t i = n.i;
    if (kf__is_float(from)) i = dtype == KF__BOOL ? n.f != 0 : saturate(dtype, n.f);
    return kf__constant(g, dtype, 0, wrap(dtype, i), false);
}
