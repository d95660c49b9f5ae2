/* Makers of builtins: elementwise operations, casts, numbers and constants. */
#include <math.h>
#include <stdio.h>

#include "ir/numbers.h"
#include "parse/makers.h"

/* ---------------------------------------------------------------- elementwise */

/* Arguments that the random ones need in exactly that dtype. */
static bool to_dtype(kf__evaluator *ev, const kf__object *o, kf__dtype dtype, kf__ref *out) {
    kf__object known = *o;
    if (kf__is_number(o)) {
        bool from_float = o->kind == KF__O_FLOAT;
        double number = from_float ? o->number : (double)o->integer;
        if (kf__is_float(dtype))
            *out = kf__constant(ev->g, dtype, number, 0, false);
        else if (from_float) /* saturates */
            *out = kf__cast(ev->g, kf__constant(ev->g, KF__F64, number, 0, false), dtype);
        else
            *out = kf__constant(ev->g, dtype, 0, o->integer, false);
    } else {
        if (!kf__to_node(ev, &known, out)) return false;
        if (kf__at(ev->g, *out)->dtype != dtype) *out = kf__cast(ev->g, *out, dtype);
    }
    return kf__eval_node(ev, *out, &known);
}

static bool all_known(const kf__object *args, int n) {
    for (int i = 0; i < n; i++)
        if (args[i].kind == KF__O_ARRAY || args[i].kind == KF__O_SCALAR ||
            args[i].kind == KF__O_SIZE || !kf__is_numeric(&args[i]))
            return false;
    return true;
}

/* abs, sign and rounding of an integer. */
static bool known_whole(kf__opcode op, int64_t x, kf__object *out) {
    *out = (kf__object){.kind = KF__O_INT, .integer = x};
    switch (op) {
    case KF__ABS: out->integer = x < 0 ? -x : x; return x != INT64_MIN;
    case KF__SIGN: out->integer = (x > 0) - (x < 0); return true;
    case KF__POSITIVE:
    case KF__ROUND:
    case KF__FLOOR:
    case KF__CEIL:
    case KF__TRUNC: return true;
    default: return false;
    }
}

/* Functions of a number that is known, which stay weak numbers. */
static bool known_function(kf__opcode op, const kf__object *x, kf__object *out) {
    bool same = kf__ops[op].rule == KF__RULE_SAME;
    if (same && x->kind == KF__O_INT) return known_whole(op, x->integer, out);
    if (same ? x->kind != KF__O_FLOAT : kf__ops[op].rule != KF__RULE_FLOAT) return false;
    double number = x->kind == KF__O_FLOAT ? x->number : (double)x->integer;
    *out = (kf__object){.kind = KF__O_FLOAT,
                        .number = (double)kf__ops_on_numbers[op](number, 0, 0)};
    return true;
}

static bool is_size_or_whole(const kf__object *o) {
    return o->kind == KF__O_SIZE || o->kind == KF__O_INT ||
           (o->kind == KF__O_SCALAR && o->dtype == KF__I64);
}

/* Functions of a number that is known, maximum and minimum of numbers or sizes that are. */
static bool known_op(kf__evaluator *ev, kf__opcode op, const kf__object *args, kf__object *out) {
    if (kf__ops[op].arity == 1 && all_known(args, 1)) return known_function(op, &args[0], out);
    if (op != KF__MAXIMUM && op != KF__MINIMUM) return false;
    bool sizes = args[0].kind == KF__O_SIZE || args[1].kind == KF__O_SIZE;
    if (sizes && is_size_or_whole(&args[0]) && is_size_or_whole(&args[1])) {
        kf__exprs *pool = &ev->g->exprs;
        kf__expr a, b;
        if (!kf__to_size(ev, &args[0], "a size", &a) || !kf__to_size(ev, &args[1], "a size", &b))
            return false;
        *out = kf__size_object(ev, op == KF__MAXIMUM ? kf__x_max(pool, a, b)
                                                     : kf__x_min(pool, a, b));
        return true;
    }
    kf__object less;
    if (!all_known(args, 2) || !kf__binary(ev, KF__T_LESS, &args[0], &args[1], &less))
        return false;
    if (args[0].kind == KF__O_FLOAT || args[1].kind == KF__O_FLOAT) return false; /* NaN: a node */
    *out = args[less.integer == (op == KF__MAXIMUM)];
    return true;
}

/* The value now of an operation on numbers that are given at run time. */
static bool value_now(kf__evaluator *ev, kf__opcode op, const kf__object *args, kf__object *out) {
    kf__object now[3];
    bool running = false;
    for (int i = 0; i < kf__ops[op].arity; i++) {
        now[i] = kf__known(&args[i]);
        running |= args[i].kind == KF__O_SCALAR;
    }
    return running && all_known(now, kf__ops[op].arity) && known_op(ev, op, now, out);
}

/* The share that dropout drops. A number that changes later isn't looked at again: it is
 * clamped. */
static bool is_probability(kf__evaluator *ev, const kf__object *o) {
    kf__object now = kf__known(o);
    if (!kf__is_number(&now)) return true;
    double p = now.kind == KF__O_FLOAT ? now.number : (double)now.integer;
    return (p >= 0 && p <= 1) ||
           kf__eval_fail(ev, KF_ERR_ARGUMENT, "`p` is a probability, from 0 to 1, not %g", p);
}

bool kf__make_op(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                 kf__object *out) {
    kf__opcode op = (kf__opcode)b->data;
    kf__ref node[3] = {0};
    uint32_t at = ev->at;
    if (known_op(ev, op, args, out)) return true;
    ev->at = at;
    kf__begin_call(ev, b->name);
    if (kf__ops[op].rule == KF__RULE_LIMIT && !is_probability(ev, &args[0])) return false;
    for (int i = 0; i < kf__ops[op].arity; i++) {
        bool ok = kf__ops[op].rule == KF__RULE_LIMIT ? to_dtype(ev, &args[i], KF__F64, &node[i])
                                                     : kf__to_node(ev, &args[i], &node[i]);
        if (!ok) return false;
    }
    kf__object now;
    bool running = value_now(ev, op, args, &now);
    if (!kf__eval_node(ev, kf__apply(ev->g, op, node), out) || !kf__round(ev, out)) return false;
    if (running) kf__keep_value(&now, out);
    return true;
}

/* ---------------------------------------------------------------- casts and numbers */

static bool cast(kf__evaluator *ev, const kf__object *x, kf__dtype dtype, kf__object *out) {
    kf__ref node;
    kf__begin_call(ev, "cast");
    return kf__to_node(ev, x, &node) && kf__eval_node(ev, kf__cast(ev->g, node, dtype), out);
}

bool kf__make_cast(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__dtype dtype;
    (void)b;
    return kf__to_dtype(ev, &args[1], &dtype) && cast(ev, &args[0], dtype, out);
}

bool kf__make_cast_named(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                         kf__object *out) {
    if (b->data == KF__BOOL && args[0].kind != KF__O_ARRAY && args[0].kind != KF__O_SCALAR) {
        bool value;
        if (!kf__to_bool(ev, &args[0], "x", &value)) return false;
        *out = (kf__object){.kind = KF__O_BOOL, .integer = value};
        return true;
    }
    return cast(ev, &args[0], (kf__dtype)b->data, out);
}

/* float('-inf'): the numbers that have no literal in Python. */
static bool float_of_text(kf__evaluator *ev, const kf__object *o, kf__object *out) {
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"inf", INFINITY}, {"+inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < KF__COUNT(numbers); i++)
        if (strlen(numbers[i].text) == o->n && memcmp(numbers[i].text, o->text, o->n) == 0) {
            *out = (kf__object){.kind = KF__O_FLOAT, .number = numbers[i].value};
            return true;
        }
    return kf__eval_fail(ev, KF_ERR_ARGUMENT, "float() takes a number, an array, 'inf', '-inf' or "
                                              "'nan'");
}

bool kf__make_to_float(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                       kf__object *out) {
    *out = args[0];
    if (args[0].kind == KF__O_FLOAT) return true;
    if (args[0].kind == KF__O_STRING) return float_of_text(ev, &args[0], out);
    if (kf__is_number(&args[0])) {
        *out = (kf__object){.kind = KF__O_FLOAT, .number = (double)args[0].integer};
        return true;
    }
    kf__ref node;
    kf__begin_call(ev, "cast");
    if (!kf__to_node(ev, &args[0], &node)) return false;
    bool keep = b->data || kf__at(ev->g, node)->weak;
    return kf__eval_node(ev, keep ? kf__to_float(ev->g, node) : kf__cast(ev->g, node, KF__F32),
                         out);
}

bool kf__make_to_integer(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                         kf__object *out) {
    (void)b;
    kf__object known = kf__known(&args[0]);
    *out = known;
    if (known.kind == KF__O_INT || known.kind == KF__O_SIZE) return true;
    out->kind = KF__O_INT;
    if (known.kind == KF__O_BOOL) return true;
    if (known.kind != KF__O_FLOAT)
        return kf__eval_fail(ev, KF_ERR_TYPE, "int() is for numbers that are known; use "
                                              "cast(x, int32) or cast(x, int64) for arrays");
    if (!(fabs(known.number) < 9.2e18))
        return kf__eval_fail(ev, KF_ERR_LIMIT, "this number doesn't fit in 64 bits");
    out->integer = (int64_t)known.number;
    return true;
}

bool kf__make_length(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    (void)b;
    if (args[0].kind == KF__O_TUPLE) {
        *out = (kf__object){.kind = KF__O_INT, .integer = args[0].n};
        return true;
    }
    if (args[0].kind != KF__O_ARRAY || kf__at(ev->g, args[0].ref)->rank == 0)
        return kf__eval_fail(ev, KF_ERR_TYPE, "len() of %s",
                             args[0].kind == KF__O_ARRAY ? "an array of rank 0"
                                                         : kf__object_text(&args[0]));
    *out = kf__size_object(ev, kf__at(ev->g, args[0].ref)->shape[0]);
    return true;
}

/* data 1: a list */
bool kf__make_tuple(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    *out = args[0];
    out->list = b->data == 1;
    return out->kind == KF__O_TUPLE ||
           kf__eval_fail(ev, KF_ERR_TYPE, "%s() is of a tuple, not of %s", b->name,
                         kf__object_text(out));
}

bool kf__make_shape(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    kf__ref node;
    (void)b;
    return kf__to_node(ev, &args[0], &node) && kf__shape_of(ev, node, out);
}

/* data 1: of all axes */
bool kf__make_size(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr size = kf__x_const(pool, 1);
    kf__ref node;
    int64_t axis = 0;
    bool all = b->data == 1 || args[1].kind == KF__O_NONE;
    if (b->data == 1 && args[0].kind == KF__O_TUPLE && !args[0].list) { /* x.shape.numel() */
        const kf__builtin *product = kf__builtin_find("prod", 4);
        return product->make(ev, product, args, out);
    }
    if (!kf__to_node(ev, &args[0], &node)) return false;
    int rank = kf__at(ev->g, node)->rank;
    if (!all && !kf__to_axis(ev, &args[1], "axis", &axis)) return false;
    if (axis < -rank || (axis >= rank && !all))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld of an array of rank %d",
                             (long long)axis, rank);
    for (int d = 0; d < rank; d++)
        if (all || d == (axis < 0 ? axis + rank : axis))
            size = kf__x_mul(pool, size, kf__at(ev->g, node)->shape[d]);
    *out = kf__size_object(ev, size);
    return size || kf__eval_memory(ev);
}

/* ---------------------------------------------------------------- constants */

static bool are_sizes(kf__evaluator *ev, int rank, const kf__expr *shape) {
    int64_t size;
    for (int i = 0; i < rank; i++)
        if (kf__x_is_const(&ev->g->exprs, shape[i], &size) && size < 0)
            return kf__eval_fail(ev, KF_ERR_SHAPE, "a size can't be negative: %lld",
                                 (long long)size);
    return true;
}

/* `value` in `dtype` (NONE: its own) broadcast to a shape. */
static bool filled(kf__evaluator *ev, const kf__object *value, const kf__object *dtype, int rank,
                   const kf__expr *shape, kf__object *out) {
    kf__ref node;
    kf__dtype type;
    kf__object list;
    kf__begin_call(ev, "full");
    if (value->kind == KF__O_TUPLE) { /* full((2, 3), [1, 2, 3]) */
        if (!kf__array_of_list(ev, value, &list)) return false;
        value = &list;
    }
    if (dtype->kind == KF__O_NONE && value->kind == KF__O_FLOAT) type = KF__F32;
    else if (dtype->kind == KF__O_NONE && value->kind == KF__O_INT) type = KF__I64;
    else if (dtype->kind == KF__O_NONE) {
        if (!kf__to_node(ev, value, &node)) return false;
        type = (kf__dtype)kf__at(ev->g, node)->dtype;
    } else if (!kf__to_dtype(ev, dtype, &type)) {
        return false;
    }
    if (!are_sizes(ev, rank, shape)) return false;
    if (!kf__ask_object_fits(ev, type, value)) return false;
    return to_dtype(ev, value, type, &node) &&
           kf__eval_node(ev, kf__broadcast_to(ev->g, node, rank, shape), out);
}

static kf__object value_of(const kf__builtin *b, const kf__object *given) {
    if (b->data == 2) return *given;
    return (kf__object){.kind = KF__O_INT, .integer = b->data};
}

bool kf__make_fill_like(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                        kf__object *out) {
    kf__object value = value_of(b, &args[1]), dtype = args[b->data == 2 ? 2 : 1];
    kf__expr shape[KF__MAX_RANK];
    kf__ref like;
    if (!kf__to_node(ev, &args[0], &like)) return false;
    const kf__node *node = kf__at(ev->g, like);
    int rank = node->rank;
    if (dtype.kind == KF__O_NONE)
        dtype = (kf__object){.kind = KF__O_DTYPE, .dtype = node->dtype};
    memcpy(shape, node->shape, (size_t)rank * sizeof *shape);
    const kf__object *other = &args[b->data == 2 ? 3 : 2];
    if (other->kind != KF__O_NONE && !kf__to_shape(ev, other, shape, &rank)) return false;
    return filled(ev, &value, &dtype, rank, shape, out);
}

bool kf__make_fill(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__object value = value_of(b, &args[1]), dtype = args[b->data == 2 ? 2 : 1];
    kf__expr shape[KF__MAX_RANK];
    int rank;
    if (dtype.kind == KF__O_NONE && b->data != 2)
        dtype = (kf__object){.kind = KF__O_DTYPE, .dtype = KF__F32};
    return kf__to_shape(ev, &args[0], shape, &rank) &&
           filled(ev, &value, &dtype, rank, shape, out);
}

static bool whole_number(kf__evaluator *ev, const kf__object *o, const char *what, kf__ref *out) {
    bool whole = o->kind == KF__O_INT || o->kind == KF__O_BOOL ||
                 (o->kind == KF__O_SCALAR && o->dtype == KF__I64);
    if (o->kind == KF__O_ARRAY) {
        const kf__node *node = kf__at(ev->g, o->ref);
        whole = node->rank == 0 && kf__types[node->dtype].class == KF__CLASS_INT;
    }
    if (!whole)
        return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be an integer, or an array of rank 0 of "
                                              "integers", what);
    return to_dtype(ev, o, KF__I64, out);
}

bool kf__make_random_bits(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                          kf__object *out) {
    kf__ref like, seed, stream;
    kf__expr shape[KF__MAX_RANK];
    kf__begin_call(ev, "random");
    if (!whole_number(ev, &args[1], "seed", &seed) ||
        !whole_number(ev, &args[2], "stream", &stream))
        return false;
    int rank;
    bool given = args[0].kind == KF__O_TUPLE || args[0].kind == KF__O_INT ||
                 args[0].kind == KF__O_SIZE || args[0].kind == KF__O_SCALAR;
    if (given) {
        if (!kf__to_shape(ev, &args[0], shape, &rank) || !are_sizes(ev, rank, shape)) return false;
    } else {
        if (!kf__to_node(ev, &args[0], &like)) return false;
        rank = kf__at(ev->g, like)->rank;
        memcpy(shape, kf__at(ev->g, like)->shape, (size_t)rank * sizeof *shape);
    }
    if (b->data >= 256 && rank < KF__MAX_RANK) shape[rank++] = kf__x_const(&ev->g->exprs, 2);
    kf__dtype dtype = (kf__dtype)(b->data % 256);
    return kf__eval_node(ev, kf__random(ev->g, dtype, seed, stream, rank, shape), out);
}
