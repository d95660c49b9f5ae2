/* Elementwise operations: the oracle column of ops.def as loops, rounding, and what samples
 * disturb.
 *
 * A float loop leaves its results in long double, one block at a time; they are then rounded to the
 * compute type, disturbed before that in a sample. Correctly rounded operations on f64 are computed
 * in double: long double would round twice. */
#include <math.h>

#include "ir/numbers.h"
#include "oracle/eval.h"

/* ---------------------------------------------------------------- loops */

typedef void float_loop(const double *, const double *, const double *, long double *, int);
typedef void int_loop(const int64_t *, const int64_t *, const int64_t *, int64_t *, int64_t, int);

#define REAL long double
#define LOOP(id) wide_##id
#include "oracle/loops.inc"
#undef REAL
#undef LOOP

#define sqrtl(x) _Generic((x), double: sqrt, default: sqrtl)(x)
#define REAL double
#define LOOP(id) narrow_##id
#include "oracle/loops.inc"
#undef REAL
#undef LOOP
#undef sqrtl

#define OP(id, op_name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc)  \
    static void int_##id(const int64_t *pa, const int64_t *pb, const int64_t *pc, int64_t *out, \
                         int64_t n, int bits) {                                               \
        (void)bits;                                                                           \
        for (int64_t j = 0; j < n; j++) {                                                     \
            const int64_t a = pa[j], b = pb[j], c = pc[j];                                    \
            (void)a, (void)b, (void)c;                                                        \
            out[j] = (ioracle);                                                               \
        }                                                                                     \
    }
#include "ir/ops.def"
#undef OP

typedef struct loops {
    float_loop *wide, *narrow;
    int_loop *integer;
} loops;

#define OP(id, op_name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    [KF__##id] = {wide_##id, narrow_##id, int_##id},
static const loops table[KF__OP_COUNT] = {
#include "ir/ops.def"
};
#undef OP

/* ---------------------------------------------------------------- special ones */

static double uniform(kf__opcode op, bool wide, int64_t bits) {
    if (op == KF__UNIFORM_BITS)
        return wide ? ldexp((double)((uint64_t)bits >> 11), -53)
                    : ldexp((double)((uint32_t)bits >> 8), -24);
    long double open = wide ? (long double)((uint64_t)bits >> 11) + 0.5L
                            : (long double)((float)(uint32_t)bits) + 0.5L;
    return wide ? (double)ldexpl((double)open, -53) : (double)ldexpl((float)open, -32);
}

static void random_op(kf__opcode op, bool wide, const void *const *args, int64_t n, void *out) {
    const int64_t *a = args[0], *b = args[1];
    const double *p = args[0];
    for (int64_t j = 0; j < n; j++) {
        if (op == KF__UNIFORM_BITS || op == KF__OPEN_BITS) {
            ((double *)out)[j] = uniform(op, wide, a[j]);
        } else if (op == KF__BELOW_BITS) {
            unsigned __int128 below = b[j] > 0 ? (unsigned __int128)b[j] : 0;
            ((int64_t *)out)[j] = (int64_t)((uint64_t)a[j] * below >> 64);
        } else if (op == KF__KEEP_LIMIT) {
            long double share = isnan(p[j]) || p[j] < 0 ? 0 : p[j] > 1 ? 1 : p[j];
            ((int64_t *)out)[j] = (int64_t)floorl(share * 0x1p32L);
        } else {
            ((int64_t *)out)[j] = (int64_t)(uint32_t)a[j] >= b[j];
        }
    }
}

/* ---------------------------------------------------------------- one node */

static bool is_select(kf__opcode op) {
    return op == KF__MAXIMUM || op == KF__MINIMUM || op == KF__FMAX || op == KF__FMIN;
}

/* Zeros of both signs: which one a maximum gives isn't promised. */
static bool zeros_meet(const double *a, const double *b, int64_t n) {
    for (int64_t j = 0; j < n; j++)
        if (a[j] == 0 && b[j] == 0 && signbit(a[j]) != signbit(b[j])) return true;
    return false;
}

/* Which argument's sign is read: NaN's isn't promised. -1: none is. */
static int reads_sign(const kf_graph *g, const kf__node *node) {
    int k = node->op == KF__COPYSIGN ? 1 : node->op == KF__SIGNBIT ? 0 : -1;
    return k >= 0 && kf__is_float((kf__dtype)kf__at(g, node->args[k])->dtype) ? k : -1;
}

static bool has_nan(const double *x, int64_t n) {
    for (int64_t j = 0; j < n; j++)
        if (isnan(x[j])) return true;
    return false;
}

/* In one sample NaN is negative, in the next it isn't. */
static void sign_of_nan(const kf__node *node, const double *sign, int64_t n, int sample,
                        void *out) {
    for (int64_t j = 0; j < n; j++) {
        if (!isnan(sign[j])) continue;
        if (node->op == KF__SIGNBIT) ((int64_t *)out)[j] = sample & 1;
        else ((double *)out)[j] = copysign(((double *)out)[j], sample & 1 ? -1 : 1);
    }
}

/* One of them. A kernel takes all of them in the same way, as the first samples do: of sum(1 / x)
 * all signs count together. */
static double zero_of(const kf__o_noise *noise, double a, double b, int64_t j) {
    switch (noise->sample) {
    case 1: return 0.0;
    case 2: return -0.0;
    case 3: return a;
    case 4: return b;
    default: return kf__o_random(noise, j) < 0 ? -0.0 : 0.0;
    }
}

bool kf__o_inexact(const kf_graph *g, const kf__node *node, const void *const *args, int64_t n) {
    kf__dtype t = (kf__dtype)kf__at(g, node->args[0])->dtype;
    int sign = reads_sign(g, node);
    if (sign >= 0) return has_nan(args[sign], n);
    if (!kf__is_float((kf__dtype)node->dtype)) return false;
    if (is_select((kf__opcode)node->op)) return kf__is_float(t) && zeros_meet(args[0], args[1], n);
    return kf__ops[node->op].ulp > 0;
}

/* What the promised error of a result counts ulps of: the terms of digamma and lgamma cancel in
 * f64, so there it is of what these can be (docs/numerics.md). */
static long double promise_size(const kf__node *node, kf__dtype t, long double x) {
    int least = t != KF__F64 ? 0 : node->op == KF__DIGAMMA ? 8 : node->op == KF__LGAMMA ? 1 : 0;
    return fabsl(x) < least ? least : x;
}

static int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Round a block, in a sample off by about the promise. What is exactly 0, infinite or NaN before
 * rounding is so for every implementation. A correctly rounded operation is sampled only because
 * its arguments are disturbed: by any amount of that its own rounding may go the other way. Equal
 * results are off by the same, as functions are: in a sum over them the errors don't cancel. In one
 * pair of samples equal arguments are: hypot(0, y) and hypot(1e-9, y) needn't be the same. */
static void finish(const kf__node *node, const double *const *args, const long double *wide, int n,
                   const kf__o_noise *noise, double *out) {
    kf__dtype t = kf__compute((kf__dtype)node->dtype);
    double ulp = kf__ops[node->op].ulp;
    if (t == KF__F32 && !noise->sample) {
        for (int j = 0; j < n; j++) out[j] = (float)wide[j];
        return;
    }
    for (int j = 0; j < n; j++) {
        long double x = wide[j];
        if (noise->sample && x != 0 && isfinite(x)) {
            double by = ulp > 0 ? ulp : kf__o_round(t, x) != x ? 0.5 : 0;
            double one = kf__o_ulp(t, promise_size(node, t, x));
            int64_t bits = bits_of((double)x);
            for (int k = 0; noise->sample / 2 == 3 && k < node->n_args; k++)
                bits = (int64_t)kf__o_hash((uint64_t)(k ? bits : 0) ^ (uint64_t)bits_of(args[k][j]));
            x = kf__o_disturb(noise, bits, t, x, by * one);
        }
        out[j] = kf__o_round(t, x);
    }
}

static void float_op(const kf_graph *g, const kf__node *node, const double *const *args, int64_t n,
                     const kf__o_noise *noise, void *out) {
    enum { BLOCK = 256 };
    static const double none[BLOCK];
    long double wide[BLOCK];
    bool f64 = false;
    for (int k = 0; k < node->n_args; k++) f64 |= kf__at(g, node->args[k])->dtype == KF__F64;
    f64 = f64 && kf__ops[node->op].ulp == 0 && !noise->sample;
    float_loop *loop = f64 ? table[node->op].narrow : table[node->op].wide;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int m = (int)kf__min(BLOCK, n - first);
        const double *at[] = {args[0] + first, node->n_args > 1 ? args[1] + first : none,
                              node->n_args > 2 ? args[2] + first : none};
        loop(at[0], at[1], at[2], wide, m);
        if (!kf__is_float((kf__dtype)node->dtype))
            for (int j = 0; j < m; j++) ((int64_t *)out)[first + j] = wide[j] != 0;
        else
            finish(node, at, wide, m, noise, (double *)out + first);
    }
}

static void select_float(const void *const *args, int64_t n, double *out) {
    const int64_t *a = args[0];
    const double *b = args[1], *c = args[2];
    for (int64_t j = 0; j < n; j++) out[j] = a[j] ? b[j] : c[j];
}

/* The only one that depends on how a half is stored. */
static void next_numbers(kf__dtype t, const void *const *args, int64_t n, double *out) {
    const double *a = args[0], *b = args[1];
    for (int64_t j = 0; j < n; j++) out[j] = kf__o_next(t, a[j], b[j]);
}

static void int_op(const kf_graph *g, const kf__node *node, const int64_t *const *args, int64_t n,
                   int64_t *out) {
    kf__dtype t = (kf__dtype)node->dtype;
    kf__dtype of = (kf__dtype)kf__at(g, node->args[0])->dtype; /* what a comparison compares */
    int bits = of == KF__BOOL ? 1 : kf__types[of].dlpack.bits;
    const int64_t *unused = args[0];
    table[node->op].integer(args[0], node->n_args > 1 ? args[1] : unused,
                            node->n_args > 2 ? args[2] : unused, out, n, bits);
    for (int64_t j = 0; j < n; j++) out[j] = kf__o_wrap(t, out[j]);
}

void kf__o_op(const kf_graph *g, const kf__node *node, const void *const *args, int64_t n,
              const kf__o_noise *noise, void *out) {
    kf__opcode op = (kf__opcode)node->op;
    kf__dtype t = (kf__dtype)kf__at(g, node->args[node->n_args - 1])->dtype;
    switch (kf__ops[op].rule) {
    case KF__RULE_UNIFORM:
    case KF__RULE_LIMIT:
    case KF__RULE_BELOW:
    case KF__RULE_KEEP:
        random_op(op, kf__at(g, node->args[0])->dtype == KF__I64, args, n, out);
        return;
    case KF__RULE_DIVIDE:
        if (op == KF__NEXTAFTER) {
            next_numbers((kf__dtype)node->dtype, args, n, out);
            return;
        }
        break;
    case KF__RULE_WHERE:
        if (kf__is_float(t)) {
            select_float(args, n, out);
            return;
        }
        break;
    default: break;
    }
    if (!kf__is_float(t)) {
        int_op(g, node, (const int64_t *const *)args, n, out);
        return;
    }
    float_op(g, node, (const double *const *)args, n, noise, out);
    int sign = reads_sign(g, node);
    if (noise->sample && sign >= 0) sign_of_nan(node, args[sign], n, noise->sample, out);
    if (!noise->sample || !is_select(op)) return;
    const double *a = args[0], *b = args[1];
    double *f = out;
    for (int64_t j = 0; j < n; j++)
        if (a[j] == 0 && b[j] == 0 && signbit(a[j]) != signbit(b[j]))
            f[j] = zero_of(noise, a[j], b[j], j);
}
