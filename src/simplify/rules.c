/* Identities of elementwise operations, casts and reductions.
 *
 * Only those that hold for every value in IEEE arithmetic: x * 1 but not x * 0 (NaN, inf), x - 0
 * but not x + 0 (x may be -0), -(-x) but not a - b -> -(b - a). For integers the usual ones. A
 * half's value isn't rounded until it is stored or cast, so a cast to its own dtype does something.
 */
#include <math.h>

#include "simplify/rules.h"

bool kf__is_number(const kf_graph *g, kf__ref a, double value) {
    kf__ref scalar = kf__splat_of(g, a);
    if (!scalar || kf__at(g, scalar)->kind != KF__CONSTANT) return false;
    const kf__node *n = kf__at(g, scalar);
    if (!kf__is_float(n->dtype)) return (double)n->u.integer == value && !signbit(value);
    return n->u.number == value && signbit(n->u.number) == signbit(value);
}

static bool is_zero(const kf_graph *g, kf__ref a) {
    return kf__is_number(g, a, 0.0) || kf__is_number(g, a, -0.0);
}

/* The argument of `a` where it is that operation; else 0. */
static kf__ref inside(const kf_graph *g, kf__ref a, kf__opcode op) {
    const kf__node *n = kf__at(g, a);
    return n->kind == KF__OP && n->op == op ? n->args[0] : 0;
}

static bool has_dtype(const kf_graph *g, kf__ref a, kf__dtype t) {
    return kf__at(g, a)->dtype == t;
}

/* ---------------------------------------------------------------- expands sink */

/* The shape that an operation's arguments have before they were expanded. */
static bool common_base(kf_graph *g, int arity, const kf__ref *args, kf__expr *base) {
    const kf__node *n = kf__at(g, args[0]);
    kf__expr one = kf__x_const(&g->exprs, 1);
    bool smaller = false;
    for (int d = 0; d < n->rank; d++) {
        base[d] = one;
        for (int i = 0; i < arity && base[d] == one; i++) {
            const kf__node *a = kf__at(g, args[i]);
            if (kf__splat_of(g, args[i])) continue;
            if (a->kind == KF__EXPAND) a = kf__at(g, a->args[0]);
            base[d] = a->shape[d];
        }
        smaller |= base[d] != n->shape[d];
    }
    return smaller;
}

/* op(expand(a), expand(b)) -> expand(op(a, b)): less work, and less to store between kernels. */
static kf__ref sink(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args) {
    kf__expr base[KF__MAX_RANK], shape[KF__MAX_RANK];
    kf__ref small[3];
    int arity = kf__ops[op].arity, rank = kf__at(g, args[0])->rank;
    if (rank == 0 || !common_base(g, arity, args, base)) return 0;
    memcpy(shape, kf__at(g, args[0])->shape, sizeof(*shape) * (size_t)rank);
    bool scalars = true;
    for (int i = 0; i < arity; i++) scalars &= kf__splat_of(g, args[i]) != 0;
    for (int i = 0; i < arity; i++) {
        kf__ref scalar = kf__splat_of(g, args[i]);
        const kf__node *n = kf__at(g, args[i]);
        if (scalars) small[i] = scalar;
        else if (scalar) small[i] = kf__splat(g, scalar, rank, base);
        else small[i] = kf__simple_expand(g, n->kind == KF__EXPAND ? n->args[0] : args[i], base);
    }
    kf__ref r = kf__simple_op(g, op, dtype, small);
    return scalars ? kf__splat(g, r, rank, shape) : kf__simple_expand(g, r, shape);
}

/* ---------------------------------------------------------------- arithmetic */

/* 1 / c where that is exact and neither is subnormal: c is a power of two. */
static bool exact_reciprocal(const kf_graph *g, kf__ref a, double *out) {
    kf__ref scalar = kf__splat_of(g, a);
    int exponent;
    if (!scalar || kf__at(g, scalar)->kind != KF__CONSTANT) return false;
    const kf__node *n = kf__at(g, scalar);
    if (!kf__is_float(n->dtype)) return false;
    int most = kf__compute(n->dtype) == KF__F64 ? 1021 : 125;
    if (fabs(frexp(n->u.number, &exponent)) != 0.5 || exponent > most || exponent < -most)
        return false;
    *out = 1 / n->u.number;
    return true;
}

static kf__ref like_constant(kf_graph *g, kf__ref like, double number, int64_t integer) {
    kf__expr shape[KF__MAX_RANK];
    const kf__node *n = kf__at(g, like);
    int rank = n->rank;
    memcpy(shape, n->shape, sizeof(*shape) * (size_t)rank);
    return kf__splat(g, kf__constant(g, n->dtype, number, integer, false), rank, shape);
}

static kf__ref power(kf_graph *g, kf__dtype t, kf__ref a, kf__ref b) {
    if (!kf__is_float(t)) return kf__is_number(g, b, 1) ? a : 0;
    if (is_zero(g, b)) return like_constant(g, a, 1, 0);
    if (kf__is_number(g, b, 1)) return a;
    if (kf__is_number(g, b, -1)) return kf__simple_op(g, KF__RECIPROCAL, t, &a);
    if (kf__is_number(g, b, 2)) return kf__simple_op(g, KF__SQUARE, t, &a);
    if (kf__is_number(g, b, 3)) {
        kf__ref square = kf__simple_op(g, KF__SQUARE, t, &a);
        return kf__simple_op(g, KF__MULTIPLY, t, (kf__ref[]){square, a});
    }
    return 0;
}

/* Two arguments of dtype t, which is the result's. */
static kf__ref arithmetic(kf_graph *g, kf__opcode op, kf__dtype t, kf__ref a, kf__ref b) {
    bool is_float = kf__is_float(t);
    kf__ref na = inside(g, a, KF__NEGATIVE), nb = inside(g, b, KF__NEGATIVE);
    double r;
    switch (op) {
    case KF__ADD:
        if (kf__is_number(g, b, is_float ? -0.0 : 0.0)) return a;
        if (kf__is_number(g, a, is_float ? -0.0 : 0.0)) return b;
        if (nb) return kf__simple_op(g, KF__SUBTRACT, t, (kf__ref[]){a, nb});
        if (na) return kf__simple_op(g, KF__SUBTRACT, t, (kf__ref[]){b, na});
        return 0;
    case KF__SUBTRACT:
        if (kf__is_number(g, b, 0.0)) return a;
        if (nb) return kf__simple_op(g, KF__ADD, t, (kf__ref[]){a, nb});
        if (!is_float && a == b) return like_constant(g, a, 0, 0);
        return 0;
    case KF__MULTIPLY:
        if (kf__is_number(g, b, 1)) return a;
        if (kf__is_number(g, a, 1)) return b;
        if (!is_float && (is_zero(g, a) || is_zero(g, b))) return like_constant(g, a, 0, 0);
        if (kf__is_number(g, b, -1)) return kf__simple_op(g, KF__NEGATIVE, t, &a);
        if (kf__is_number(g, a, -1)) return kf__simple_op(g, KF__NEGATIVE, t, &b);
        if (na && nb) return kf__simple_op(g, op, t, (kf__ref[]){na, nb});
        if (a == b) return kf__simple_op(g, KF__SQUARE, t, &a);
        return 0;
    case KF__DIVIDE:
        if (kf__is_number(g, b, 1)) return a;
        if (kf__is_number(g, b, -1)) return kf__simple_op(g, KF__NEGATIVE, t, &a);
        if (na && nb) return kf__simple_op(g, op, t, (kf__ref[]){na, nb});
        if (exact_reciprocal(g, b, &r))
            return kf__simple_op(g, KF__MULTIPLY, t, (kf__ref[]){a, like_constant(g, b, r, 0)});
        if (kf__is_number(g, a, 1)) return kf__simple_op(g, KF__RECIPROCAL, t, &b);
        return 0;
    case KF__FLOOR_DIVIDE: return !is_float && kf__is_number(g, b, 1) ? a : 0;
    case KF__POW: return power(g, t, a, b);
    case KF__MAXIMUM: case KF__MINIMUM: return a == b ? a : 0;
    case KF__BITWISE_AND: case KF__BITWISE_OR:
        if (a == b) return a;
        if (is_zero(g, a)) return op == KF__BITWISE_OR ? b : a;
        if (is_zero(g, b)) return op == KF__BITWISE_OR ? a : b;
        if (t == KF__BOOL && kf__is_number(g, a, 1)) return op == KF__BITWISE_OR ? a : b;
        if (t == KF__BOOL && kf__is_number(g, b, 1)) return op == KF__BITWISE_OR ? b : a;
        return 0;
    case KF__BITWISE_XOR:
        if (a == b) return like_constant(g, a, 0, 0);
        return is_zero(g, b) ? a : is_zero(g, a) ? b : 0;
    default: return 0;
    }
}

static kf__ref unary(kf_graph *g, kf__opcode op, kf__dtype t, kf__ref a) {
    kf__ref negated = inside(g, a, KF__NEGATIVE), magnitude = inside(g, a, KF__ABS);
    switch (op) {
    case KF__POSITIVE: return a;
    case KF__NEGATIVE: /* of a float8 it is an f32 */
        return negated && !has_dtype(g, negated, t) ? kf__simple_cast(g, negated, t) : negated;
    case KF__BITWISE_INVERT: return inside(g, a, op);
    case KF__ABS:
        if (magnitude || t == KF__U8) return a; /* of u8 -x is 256 - x: stays */
        if (negated) return kf__simple_op(g, op, t, &negated);
        return 0;
    case KF__SQUARE:
        if (!negated && !magnitude) return 0;
        return kf__simple_op(g, op, t, negated ? &negated : &magnitude);
    case KF__ROUND: case KF__FLOOR: case KF__CEIL: case KF__TRUNC:
        if (!kf__is_float(t)) return a;
        return inside(g, a, KF__ROUND) || inside(g, a, KF__FLOOR) || inside(g, a, KF__CEIL) ||
                       inside(g, a, KF__TRUNC) ? a : 0;
    default: return 0;
    }
}

static kf__ref choice(kf_graph *g, kf__dtype t, const kf__ref *args) {
    kf__ref flipped = inside(g, args[0], KF__BITWISE_INVERT);
    if (args[1] == args[2] || kf__is_number(g, args[0], 1)) return args[1];
    if (is_zero(g, args[0])) return args[2];
    if (!flipped) return 0;
    return kf__simple_op(g, KF__WHERE, t, (kf__ref[]){flipped, args[2], args[1]});
}

kf__ref kf__simple_op(kf_graph *g, kf__opcode op, kf__dtype t, const kf__ref *args) {
    int arity = kf__ops[op].arity;
    bool same = true; /* arguments of the result's dtype, so that each can take its place */
    for (int i = 0; i < arity; i++) {
        if (!args[i]) return 0;
        same &= has_dtype(g, args[i], t) || (i == 0 && op == KF__WHERE);
    }
    kf__ref r = sink(g, op, t, args);
    if (!r && kf__at(g, args[0])->rank == 0) r = kf__fold_op(g, op, t, args);
    if (!r && same && op == KF__WHERE) r = choice(g, t, args);
    else if (!r && same && arity == 1) r = unary(g, op, t, args[0]);
    else if (!r && same && arity == 2) r = arithmetic(g, op, t, args[0], args[1]);
    return r ? r : kf__op(g, op, t, args);
}

/* ---------------------------------------------------------------- casts */

/* Does every value of `a` fit `b`, unchanged? a's computed values, so f16 is f32. */
static bool holds(kf__dtype b, kf__dtype a) {
    static const int digits[KF__DTYPE_COUNT] = {[KF__BOOL] = 1, [KF__U8] = 8, [KF__I8] = 7,
                                                [KF__I16] = 15, [KF__I32] = 31, [KF__I64] = 63,
                                                [KF__F32] = 24, [KF__F64] = 53};
    a = kf__compute(a);
    if (kf__is_narrow(b)) return false;
    if (a == b) return true;
    if (kf__is_float(a) && !kf__is_float(b)) return false;
    if (b == KF__BOOL || (b == KF__U8 && a != KF__BOOL)) return false;
    return digits[a] <= digits[b];
}

/* Is a half's value one that it could be stored with? */
static bool is_rounded(const kf_graph *g, kf__ref a) {
    const kf__node *n = kf__at(g, a);
    if (!kf__is_narrow((kf__dtype)n->dtype)) return true;
    for (int depth = 0; depth < 64; depth++) {
        n = kf__at(g, a);
        if (n->kind == KF__INPUT || n->kind == KF__CAST) return true;
        bool through = n->kind == KF__EXPAND || n->kind == KF__PERMUTE || n->kind == KF__RESHAPE ||
                       n->kind == KF__SLICE ||
                       (n->kind == KF__OP && (n->op == KF__NEGATIVE || n->op == KF__ABS)) ||
                       (n->kind == KF__REDUCE && (n->op == KF__RED_MAX || n->op == KF__RED_MIN));
        if (!through) return false;
        a = n->args[0];
    }
    return false;
}

kf__ref kf__simple_cast(kf_graph *g, kf__ref a, kf__dtype t) {
    if (!a) return 0;
    const kf__node *n = kf__at(g, a);
    kf__ref scalar = kf__splat_of(g, a), r;
    kf__expr shape[KF__MAX_RANK];
    if (n->dtype == t && is_rounded(g, a)) return a;
    if (n->rank && (n->kind == KF__EXPAND || scalar)) { /* as sink does for operations */
        int rank = n->rank;
        kf__ref base = scalar ? scalar : n->args[0];
        memcpy(shape, n->shape, sizeof(*shape) * (size_t)rank);
        base = kf__simple_cast(g, base, t);
        return scalar ? kf__splat(g, base, rank, shape) : kf__simple_expand(g, base, shape);
    }
    if (scalar && (r = kf__fold_cast(g, a, t)) != 0) return r;
    if (n->kind == KF__CAST) { /* x: A -> B -> t, where B keeps A's values: A -> t */
        kf__dtype from = kf__at(g, n->args[0])->dtype;
        bool class_kept = kf__types[from].class == kf__types[n->dtype].class ||
                          kf__is_float(t) || holds(t, from);
        if (holds(n->dtype, from) && class_kept && (from != t || is_rounded(g, n->args[0])))
            return kf__simple_cast(g, n->args[0], t);
    }
    return kf__cast(g, a, t);
}

/* ---------------------------------------------------------------- reductions */

/* sum(exp(x - max(x))) over the same axes: the x. Its maximum and sum come from one pass. */
static kf__ref sumexp_of(const kf_graph *g, uint32_t axes, kf__ref a) {
    const kf__node *e = kf__at(g, a);
    if (e->kind != KF__OP || e->op != KF__EXP) return 0;
    const kf__node *d = kf__at(g, e->args[0]);
    if (d->kind != KF__OP || d->op != KF__SUBTRACT) return 0;
    const kf__node *x = kf__at(g, d->args[1]);
    if (x->kind != KF__EXPAND) return 0;
    const kf__node *m = kf__at(g, x->args[0]);
    bool is_max = m->kind == KF__REDUCE && m->field == 0 &&
                  (m->op == KF__RED_MAX || m->op == KF__RED_MAX_SUMEXP);
    bool same = is_max && m->axes == axes && m->args[0] == d->args[0];
    return same && kf__red_dtype(KF__RED_MAX_SUMEXP, m->dtype) == e->dtype ? d->args[0] : 0;
}

/* May a size be cast to it where elements of dtype `of` are counted, without becoming another
 * number? But for the rounding of large ones, as arithmetic with these has it. */
static bool holds_sizes(kf__dtype t, kf__dtype of) {
    return t == KF__I64 || t == KF__F64 || (t == KF__F32 && of != KF__F64);
}

/* Is it the number of elements of n's dims `axes`, as a number? */
static bool is_count(kf_graph *g, kf__ref a, const kf__node *n, uint32_t axes, bool inverse) {
    kf__expr count = kf__x_const(&g->exprs, 1);
    int64_t size;
    for (int i = 0; i < n->rank; i++)
        if (axes >> i & 1) count = kf__x_mul(&g->exprs, count, n->shape[i]);
    a = kf__splat_of(g, a);
    while (a && kf__at(g, a)->kind == KF__CAST && holds_sizes(kf__at(g, a)->dtype, n->dtype))
        a = kf__at(g, a)->args[0];
    if (a && kf__at(g, a)->kind == KF__SIZE) return !inverse && kf__at(g, a)->index == count;
    if (!a || !kf__x_is_const(&g->exprs, count, &size) || size == 0) return false;
    return kf__is_number(g, a, inverse ? 1 / (double)size : (double)size);
}

kf__ref kf__mean_of(kf_graph *g, kf__ref a, uint32_t *axes) {
    const kf__node *n = kf__at(g, a);
    if (n->kind == KF__REDUCE && n->op == KF__RED_MOMENTS && n->field == 0) {
        *axes = n->axes;
        return n->args[0];
    }
    if (n->kind != KF__OP || (n->op != KF__DIVIDE && n->op != KF__MULTIPLY)) return 0;
    const kf__node *sum = kf__at(g, n->args[0]);
    if (sum->kind != KF__REDUCE || sum->op != KF__RED_SUM || sum->dtype != n->dtype) return 0;
    const kf__node *x = kf__at(g, sum->args[0]);
    *axes = sum->axes;
    return is_count(g, n->args[1], x, sum->axes, n->op == KF__MULTIPLY) ? sum->args[0] : 0;
}

/* Both come from one pass. */
kf__ref kf__m2_of(kf_graph *g, uint32_t axes, kf__ref a) {
    uint32_t others;
    const kf__node *q = kf__at(g, a);
    if (q->kind != KF__OP || q->op != KF__SQUARE) return 0;
    const kf__node *d = kf__at(g, q->args[0]);
    if (d->kind != KF__OP || d->op != KF__SUBTRACT) return 0;
    const kf__node *e = kf__at(g, d->args[1]);
    if (e->kind != KF__EXPAND || kf__mean_of(g, e->args[0], &others) != d->args[0]) return 0;
    return others == axes && has_dtype(g, d->args[0], (kf__dtype)q->dtype) ? d->args[0] : 0;
}

/* A reduction of one element; 0: not known. Sums begin with 0, so of -0 alone they are 0. */
static kf__ref reduce_one(kf_graph *g, kf__reduction red, int field, kf__ref a) {
    kf__dtype t = (kf__dtype)kf__at(g, a)->dtype;
    kf__ref sum = a, d;
    if (kf__is_float(t) && (red == KF__RED_SUM || red == KF__RED_MOMENTS))
        sum = kf__simple_op(g, KF__ADD, t, (kf__ref[]){a, like_constant(g, a, 0, 0)});
    if (!strcmp(kf__reds[red].field[field].term, "x")) return sum;
    if (red == KF__RED_MOMENTS) { /* of inf: NaN; not a - sum, of which a half may be rounded
                                   * alone */
        d = kf__simple_op(g, KF__SUBTRACT, t, (kf__ref[]){a, a});
        return kf__simple_op(g, KF__SQUARE, t, &d);
    }
    if (kf__reds[red].field[field].index)
        return kf__splat(g, kf__constant(g, KF__I64, 0, 0, false), kf__at(g, a)->rank,
                         kf__at(g, a)->shape);
    if (red != KF__RED_MAX_SUMEXP) return 0; /* the place for a new reduction's */
    d = kf__simple_op(g, KF__ISNAN, KF__BOOL, &a);
    return kf__simple_op(g, KF__WHERE, t, (kf__ref[]){d, a, like_constant(g, a, 1, 0)});
}

/* The field has 1 for an element that is the maximum; exp(inf - inf) is NaN: m - m adds that. */
static kf__ref sum_of_exps(kf_graph *g, uint32_t axes, kf__ref x) {
    kf__dtype t = kf__red_dtype(KF__RED_MAX_SUMEXP, kf__at(g, x)->dtype);
    kf__ref m = kf__reduce(g, KF__RED_MAX_SUMEXP, 0, axes, x);
    kf__ref s = kf__reduce(g, KF__RED_MAX_SUMEXP, 1, axes, x);
    kf__ref zero = kf__simple_op(g, KF__SUBTRACT, t, (kf__ref[]){m, m});
    return kf__simple_op(g, KF__ADD, t, (kf__ref[]){s, zero});
}

kf__ref kf__simple_reduce(kf_graph *g, kf__reduction red, int field, uint32_t axes, kf__ref a) {
    if (!a) return 0;
    kf__ref x = red == KF__RED_SUM ? sumexp_of(g, axes, a) : 0;
    if (x && kf__red_dtype(red, kf__at(g, a)->dtype) == kf__at(g, a)->dtype)
        return sum_of_exps(g, axes, x);
    x = red == KF__RED_SUM ? kf__m2_of(g, axes, a) : 0;
    if (x) return kf__reduce(g, KF__RED_MOMENTS, 1, axes, x);
    return kf__plain_reduce(g, red, field, axes, a);
}

kf__ref kf__plain_reduce(kf_graph *g, kf__reduction red, int field, uint32_t axes, kf__ref a) {
    const kf__node *n = kf__at(g, a);
    kf__dtype t = n->dtype;
    bool ones = true; /* one element each */
    for (int i = 0; i < n->rank; i++)
        ones &= !(axes >> i & 1) || kf__x_is(&g->exprs, n->shape[i], 1);
    kf__ref one = ones && kf__red_dtype(red, t) == t ? reduce_one(g, red, field, a) : 0;
    return one ? one : kf__reduce(g, red, field, axes, a);
}
