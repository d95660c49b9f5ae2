/* Friendly makers: they promote, cast and broadcast, then call the strict ones.
 *
 * A weak number takes the kind of the arrays: an int beside int32 is int32, a float beside float16
 * is used as f32 and the result is float16. With only weak numbers, ints are i64 and floats f64, so
 * that nothing is rounded before an array gives them their dtype. */
#include "ir/graph_core.h"

/* ---------------------------------------------------------------- dtypes */

typedef struct wanted {
    kf__dtype result; /* as promoted: the result's unless it is bool */
    bool weak;        /* all arguments are */
} wanted;

static kf__dtype dtype_of(const kf_graph *g, kf__ref a) { return (kf__dtype)kf__at(g, a)->dtype; }
static bool weak(const kf_graph *g, kf__ref a) { return kf__at(g, a)->weak; }

static wanted promote(const kf_graph *g, const kf__ref *args, int n) {
    wanted w = {KF__BOOL, true};
    bool weak_float = false, weak_int = false;
    for (int k = 0; k < n; k++) {
        kf__dtype t = dtype_of(g, args[k]);
        if (weak(g, args[k])) {
            weak_float |= kf__is_float(t);
            weak_int |= !kf__is_float(t);
            continue;
        }
        w.result = kf__promote(w.weak ? t : w.result, t);
        w.weak = false;
    }
    if (w.weak)
        w.result = weak_float ? KF__F64 : KF__I64;
    else if (weak_float && !kf__is_float(w.result))
        w.result = KF__F32;
    else if (weak_int && w.result == KF__BOOL)
        w.result = KF__I64;
    return w;
}

bool kf__fits(kf__dtype t, int64_t v) {
    int bits = kf__types[t].size * 8;
    if (kf__types[t].class != KF__CLASS_INT) return true;
    if (t == KF__U8) return v >= 0 && v <= 255;
    return bits == 64 || (v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1));
}

/* Weak ints beside arrays of narrow ints: comparisons are done in i64, so that x_u8 < 300 is true;
 * elsewhere a literal must fit. */
static bool narrow(kf_graph *g, kf__opcode op, const kf__ref *args, int n, wanted *w) {
    if (w->weak || kf__types[w->result].class != KF__CLASS_INT || w->result == KF__I64) return true;
    kf__dtype t = w->result;
    for (int k = 0; k < n; k++) {
        const kf__node *x = kf__at(g, args[k]);
        if (!x->weak || (x->kind == KF__CONSTANT && kf__fits(t, x->u.integer))) continue;
        if (kf__ops[op].rule == KF__RULE_COMPARE) {
            w->result = KF__I64;
        } else if (x->kind == KF__SIZE) {
            if (!kf__size_fits(g, t, x->index)) return false;
        } else if (x->kind == KF__CONSTANT) {
            kf__graph_fail(g, KF_ERR_TYPE, "%s of %s: %lld doesn't fit %s; cast the array first",
                           kf__ops[op].name, kf__types_text(g, args, n), (long long)x->u.integer,
                           kf__types[t].name);
            return false;
        }
    }
    return true;
}

static kf__ref bad_type(kf_graph *g, kf__opcode op, const kf__ref *args, const char *what) {
    return kf__graph_fail(g, KF_ERR_TYPE, "%s of %s: %s", kf__ops[op].name,
                          kf__types_text(g, args, kf__ops[op].arity), what);
}

/* The promoted dtype has the class that the rule needs, or becomes f32 (f64 of weak numbers). */
static bool check_class(kf_graph *g, kf__opcode op, const kf__ref *args, wanted *w) {
    kf__class class = kf__types[w->result].class;
    switch (kf__ops[op].rule) {
    case KF__RULE_ARITH:
        return class != KF__CLASS_BOOL ||
               bad_type(g, op, args, "bools have & | ^ and ~; for numbers cast one of them");
    case KF__RULE_SAME:
        return class != KF__CLASS_BOOL ||
               bad_type(g, op, args, "bools have & | ^ and ~; for a number cast it");
    case KF__RULE_FLOAT:
    case KF__RULE_DIVIDE:
        if (class != KF__CLASS_FLOAT) w->result = w->weak ? KF__F64 : KF__F32;
        return true;
    case KF__RULE_BITS:
        return class != KF__CLASS_FLOAT ||
               bad_type(g, op, args, op != KF__BITWISE_XOR
                                         ? "only integers and bools have bits; cast first"
                                         : "only integers and bools have bits; cast first (a "
                                           "power is x ** 2)");
    case KF__RULE_INTEGER:
        return class == KF__CLASS_INT ||
               bad_type(g, op, args, "only integers are taken; cast first");
    default: return true;
    }
}

/* An argument as the operation computes with it. What is already computed that way isn't cast. */
static kf__ref coerce(kf_graph *g, kf__ref a, kf__dtype t) {
    if (!a) return 0;
    kf__dtype own = dtype_of(g, a), compute = kf__compute(t);
    if (!weak(g, a) && kf__compute(own) == compute) return a;
    return kf__cast(g, a, compute);
}

/* ---------------------------------------------------------------- shapes */

/* What is 1 or nothing, as x[:, :1] has it, broadcasts as 1; planning checks that it isn't
 * nothing. */
static bool is_one(kf_graph *g, kf__expr size, kf__expr other, const char *why) {
    kf__expr two = kf__x_const(&g->exprs, 2), one = kf__x_const(&g->exprs, 1);
    int64_t known;
    if (!two || !one || kf__x_is_const(&g->exprs, size, &known)) return false;
    if (!kf__x_below(&g->exprs, size, two)) return false;
    return !kf__x_below(&g->exprs, other, two) && kf__same_size(g, size, one, why);
}

static bool broadcast_size(kf_graph *g, const char *name, const kf__ref *args, int n, kf__expr size,
                           kf__expr *into) {
    int64_t x, y;
    if (!*into || kf__x_is(&g->exprs, *into, 1)) *into = size;
    if (*into == size || kf__x_is(&g->exprs, size, 1)) return true;
    const char *types = kf__types_text(g, args, n);
    if (kf__x_is_const(&g->exprs, *into, &x) && kf__x_is_const(&g->exprs, size, &y))
        return kf__graph_fail(g, KF_ERR_SHAPE, "%s of %s: sizes %lld and %lld don't broadcast",
                              name, types, (long long)x, (long long)y);
    const char *why = kf__arena_printf(&g->arena, "%s of %s", name, types);
    if (!why) return kf__graph_no_memory(g);
    if (is_one(g, size, *into, why)) return true;
    *into = is_one(g, *into, size, why) ? size : kf__same_size(g, *into, size, why);
    return *into != 0;
}

static bool broadcast_shape(kf_graph *g, const char *name, const kf__ref *args, int n, int *rank,
                            kf__expr *shape) {
    *rank = 0;
    for (int k = 0; k < n; k++)
        if (kf__at(g, args[k])->rank > *rank) *rank = kf__at(g, args[k])->rank;
    memset(shape, 0, (size_t)*rank * sizeof *shape);
    for (int k = 0; k < n; k++) {
        int own = kf__at(g, args[k])->rank;
        for (int i = 0; i < own; i++)
            if (!broadcast_size(g, name, args, n, kf__at(g, args[k])->shape[i],
                                &shape[*rank - own + i]))
                return false;
    }
    return true;
}

kf__ref kf__broadcast_to(kf_graph *g, kf__ref a, int rank, const kf__expr *shape) {
    kf__expr padded[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    int own = kf__at(g, a)->rank;
    if (rank < own || rank > KF__MAX_RANK)
        return kf__graph_fail(g, KF_ERR_SHAPE, "%s doesn't broadcast to %s",
                              kf__types_text(g, &a, 1),
                              rank <= KF__MAX_RANK ? kf__shape_text(g, rank, shape)
                                                   : "more than 16 axes");
    for (int i = 0; i < rank; i++)
        padded[i] = i < rank - own ? kf__x_const(&g->exprs, 1)
                                   : kf__at(g, a)->shape[i - (rank - own)];
    for (int i = rank - own; i < rank; i++)
        if (padded[i] != shape[i] && shape[i]) is_one(g, padded[i], shape[i], "broadcasting");
    return kf__expand(g, kf__reshape(g, a, rank, padded), shape);
}

/* ---------------------------------------------------------------- operations */

/* Dtypes for the operations of random bits, which don't promote. */
static bool coerce_random(kf_graph *g, kf__opcode op, kf__ref *args) {
    kf__rule rule = kf__ops[op].rule;
    kf__dtype bits = dtype_of(g, args[0]);
    bool narrow = bits == KF__I32 && rule != KF__RULE_BELOW;
    bool wide = bits == KF__I64 && rule != KF__RULE_KEEP;
    if (rule != KF__RULE_LIMIT && !narrow && !wide)
        return bad_type(g, op, args, "the first is random bits, int32 or int64");
    if (rule == KF__RULE_LIMIT) args[0] = kf__cast(g, args[0], KF__F64);
    if (rule == KF__RULE_KEEP || rule == KF__RULE_BELOW) args[1] = kf__cast(g, args[1], KF__I64);
    return kf__graph_ok(g);
}

/* Cast args to what op computes with; the result's dtype and weakness. */
static bool coerce_all(kf_graph *g, kf__opcode op, kf__ref *args, kf__dtype *dtype, bool *is_weak) {
    const kf__op_row *row = &kf__ops[op];
    kf__ref given[3] = {args[0], row->arity > 1 ? args[1] : 0, row->arity > 2 ? args[2] : 0};
    int first = row->rule == KF__RULE_WHERE;
    *is_weak = false;
    if (row->rule >= KF__RULE_UNIFORM) {
        *dtype = row->rule == KF__RULE_KEEP      ? KF__BOOL
                 : row->rule != KF__RULE_UNIFORM ? KF__I64
                 : dtype_of(g, args[0]) == KF__I64 ? KF__F64 : KF__F32;
        return coerce_random(g, op, args);
    }
    wanted w = promote(g, given + first, row->arity - first);
    if (first && !weak(g, given[1]) && !weak(g, given[2])) /* where computes nothing */
        w.result = kf__join(dtype_of(g, given[1]), dtype_of(g, given[2]));
    if (!check_class(g, op, given, &w)) return false;
    if (!narrow(g, op, given + first, row->arity - first, &w)) return false;
    if (first) args[0] = kf__cast(g, args[0], KF__BOOL);
    if (first && args[0] && w.weak && kf__at(g, args[0])->rank > 0) { /* two numbers in an array */
        w.weak = false;
        if (w.result == KF__F64) w.result = KF__F32;
    }
    for (int k = first; k < row->arity; k++) args[k] = coerce(g, args[k], w.result);
    *dtype = row->rule == KF__RULE_COMPARE || row->rule == KF__RULE_TEST ? KF__BOOL : w.result;
    *is_weak = w.weak;
    return kf__graph_ok(g);
}

kf__ref kf__apply(kf_graph *g, kf__opcode op, const kf__ref *args) {
    const kf__op_row *row = &kf__ops[op];
    kf__ref own[3] = {0};
    kf__expr shape[KF__MAX_RANK];
    kf__dtype dtype;
    bool is_weak;
    int rank;
    if (!kf__graph_ok(g)) return 0;
    for (int k = 0; k < row->arity; k++)
        if (!(own[k] = args[k])) return 0;
    if (!coerce_all(g, op, own, &dtype, &is_weak)) return 0;
    if (!broadcast_shape(g, row->name, args, row->arity, &rank, shape)) return 0;
    /* numbers among numbers stay what they are: a broadcast would make them arrays */
    for (int k = 0; k < row->arity && rank > 0; k++)
        own[k] = kf__broadcast_to(g, own[k], rank, shape);
    return kf__op_weak(g, op, dtype, own, is_weak);
}

kf__ref kf__to_float(kf_graph *g, kf__ref a) {
    if (!a || !kf__graph_ok(g) || kf__is_float(dtype_of(g, a))) return a;
    const kf__node *x = kf__at(g, a);
    if (!x->weak) return kf__cast(g, a, KF__F32);
    if (x->kind == KF__CONSTANT) return kf__number(g, (double)x->u.integer);
    return kf__cast_weak(g, a, KF__F64, true);
}

/* ---------------------------------------------------------------- axes */

static bool normal_axis(kf_graph *g, const char *name, kf__ref a, int rank, int64_t axis,
                        int *out) {
    if (rank == 0)
        return kf__graph_fail(g, KF_ERR_ARGUMENT, "%s of %s: an array of rank 0 has no axis %lld",
                              name, kf__types_text(g, &a, 1), (long long)axis);
    if (axis < -rank || axis >= rank)
        return kf__graph_fail(g, KF_ERR_ARGUMENT, "%s of %s: there is no axis %lld, only %d to %d",
                              name, kf__types_text(g, &a, 1), (long long)axis, -rank, rank - 1);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

kf__ref kf__slice_axis(kf_graph *g, kf__ref a, int axis, kf__expr start, kf__expr n, int64_t step) {
    kf__expr shape[KF__MAX_RANK], from[KF__MAX_RANK];
    int64_t by[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a) return 0;
    const kf__node *node = kf__at(g, a);
    for (int d = 0; d < node->rank; d++) {
        shape[d] = d == axis ? n : node->shape[d];
        from[d] = d == axis ? start : kf__x_const(&g->exprs, 0);
        by[d] = d == axis ? step : 1;
    }
    return kf__slice(g, a, shape, from, by);
}

kf__ref kf__insert_axis(kf_graph *g, kf__ref a, int at) {
    kf__expr shape[KF__MAX_RANK];
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    int rank = kf__at(g, a)->rank + 1;
    if (rank > KF__MAX_RANK)
        return kf__graph_fail(g, KF_ERR_LIMIT, "an array of rank %d: the largest rank is %d", rank,
                              (int)KF__MAX_RANK);
    if (!normal_axis(g, "a new axis", a, rank, at, &at)) return 0;
    kf__expr one = kf__x_const(&g->exprs, 1);
    for (int i = 0; i < rank; i++)
        shape[i] = i == at ? one : kf__at(g, a)->shape[i - (i > at)];
    return kf__reshape(g, a, rank, shape);
}

kf__ref kf__remove_axis(kf_graph *g, kf__ref a, int at) {
    kf__expr shape[KF__MAX_RANK];
    int64_t size;
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    int rank = kf__at(g, a)->rank;
    if (!normal_axis(g, "squeeze", a, rank, at, &at)) return 0;
    kf__expr own = kf__at(g, a)->shape[at];
    if (kf__x_is_const(&g->exprs, own, &size) && size != 1)
        return kf__graph_fail(g, KF_ERR_SHAPE, "squeeze of %s: axis %d has size %lld, not 1",
                              kf__types_text(g, &a, 1), at, (long long)size);
    const char *why = kf__arena_printf(&g->arena, "squeeze of %s", kf__types_text(g, &a, 1));
    if (!why) return kf__graph_no_memory(g);
    if (!kf__same_size(g, own, kf__x_const(&g->exprs, 1), why)) return 0;
    for (int i = 0; i < rank - 1; i++) shape[i] = kf__at(g, a)->shape[i + (i >= at)];
    return kf__reshape(g, a, rank - 1, shape);
}

/* ---------------------------------------------------------------- reductions */

/* The argument as the reduction wants it; max of bools is any. */
static kf__ref to_reduce(kf_graph *g, kf__reduction *red, kf__ref a) {
    a = kf__solid(g, a);
    if (!a) return 0;
    if (dtype_of(g, a) == KF__BOOL && *red == KF__RED_MAX) *red = KF__RED_ANY;
    if (dtype_of(g, a) == KF__BOOL && *red == KF__RED_MIN) *red = KF__RED_ALL;
    kf__dtype to = kf__red_dtype(*red, dtype_of(g, a));
    return to == dtype_of(g, a) ? a : kf__cast(g, a, to);
}

/* Over no axis: every element is a set of its own. */
static kf__ref reduce_nothing(kf_graph *g, kf__reduction red, int field, kf__ref a) {
    if (field == 0) return a;
    if (kf__reds[red].field[field].index)
        return kf__broadcast_to(g, kf__constant(g, KF__I64, 0, 0, false), kf__at(g, a)->rank,
                                kf__at(g, a)->shape);
    kf__ref zero = kf__apply2(g, KF__SUBTRACT, a, a);
    return red == KF__RED_MAX_SUMEXP ? kf__apply1(g, KF__EXP, zero) : zero;
}

kf__ref kf__reduce_axes(kf_graph *g, kf__reduction red, int field, kf__ref a, const int64_t *axes,
                        int n, bool keepdims) {
    /* what the user calls moments and max_sumexp; the index of a maximum has its own name */
    const char *name = kf__reds[red].field[field].index ? kf__reds[red].name
                                                        : kf__reds[red].field[0].name;
    kf__expr shape[KF__MAX_RANK];
    uint32_t mask = 0;
    int at = 0, kept = 0;
    a = to_reduce(g, &red, a);
    if (!a || !kf__graph_ok(g)) return 0;
    int rank = kf__at(g, a)->rank;
    for (int k = 0; k < n; k++) {
        if (!normal_axis(g, name, a, rank, axes[k], &at)) return 0;
        if (mask >> at & 1)
            return kf__graph_fail(g, KF_ERR_ARGUMENT, "%s of %s: axis %d is given twice", name,
                                  kf__types_text(g, &a, 1), at);
        mask |= 1u << at;
    }
    if (n < 0) mask = (1u << rank) - 1;
    if (mask == 0) return reduce_nothing(g, red, field, a);
    kf__ref r = kf__reduce(g, red, field, mask, a);
    if (!r || keepdims) return r;
    for (int i = 0; i < rank; i++)
        if (!(mask >> i & 1)) shape[kept++] = kf__at(g, r)->shape[i];
    return kf__reshape(g, r, kept, shape);
}
