/* Operators on objects. Where both sides are known the result is, as Python computes it; sizes stay
 * size expressions; run-time scalars become nodes and keep their value now; all else becomes nodes. */
#include "parse/evaluate.h"

#include <math.h>

static const struct {
    uint8_t token, opcode;
    const char *text;
} operators[] = {
    {KF__T_PLUS, KF__ADD, "+"},
    {KF__T_MINUS, KF__SUBTRACT, "-"},
    {KF__T_TIMES, KF__MULTIPLY, "*"},
    {KF__T_DIVIDE, KF__DIVIDE, "/"},
    {KF__T_FLOOR, KF__FLOOR_DIVIDE, "//"},
    {KF__T_MODULO, KF__REMAINDER, "%"},
    {KF__T_POWER, KF__POW, "**"},
    {KF__T_LESS, KF__LESS, "<"},
    {KF__T_LESS_EQUAL, KF__LESS_EQUAL, "<="},
    {KF__T_GREATER, KF__GREATER, ">"},
    {KF__T_GREATER_EQUAL, KF__GREATER_EQUAL, ">="},
    {KF__T_EQUAL, KF__EQUAL, "=="},
    {KF__T_NOT_EQUAL, KF__NOT_EQUAL, "!="},
    {KF__T_BIT_AND, KF__BITWISE_AND, "&"},
    {KF__T_BIT_OR, KF__BITWISE_OR, "|"},
    {KF__T_BIT_XOR, KF__BITWISE_XOR, "^"},
    {KF__T_SHIFT_LEFT, KF__SHIFT_LEFT, "<<"},
    {KF__T_SHIFT_RIGHT, KF__SHIFT_RIGHT, ">>"},
};

static int row_of(kf__token_kind op) {
    for (size_t i = 0; i < KF__COUNT(operators); i++)
        if (operators[i].token == op) return (int)i;
    return -1;
}

static const char *text_of(kf__token_kind op) {
    int row = row_of(op);
    return row < 0 ? kf__token_text(op) : operators[row].text;
}

/* ---------------------------------------------------------------- numbers that are known */

typedef enum fold_status { FOLDED, TOO_LARGE, BY_ZERO, BY_NEGATIVE, NOT_BITS } fold_status;

static double float_of(const kf__object *o) {
    return o->kind == KF__O_FLOAT ? o->number : (double)o->integer;
}

static bool compare(kf__token_kind op, int order) { /* order: -1, 0, 1; 2: unordered */
    switch (op) {
    case KF__T_LESS: return order == -1;
    case KF__T_LESS_EQUAL: return order == -1 || order == 0;
    case KF__T_GREATER: return order == 1;
    case KF__T_GREATER_EQUAL: return order == 1 || order == 0;
    case KF__T_EQUAL: return order == 0;
    default: return order != 0;
    }
}

static fold_status power_of(int64_t base, int64_t exponent, int64_t *out) {
    *out = 1;
    while (exponent > 0) {
        if ((exponent & 1) && !kf__mul_ok(*out, base, out)) return TOO_LARGE;
        exponent >>= 1;
        if (exponent && !kf__mul_ok(base, base, &base)) return TOO_LARGE;
    }
    return FOLDED;
}

static fold_status fold_ints(kf__token_kind op, int64_t a, int64_t b, int64_t *out) {
    switch (op) {
    case KF__T_PLUS: return kf__add_ok(a, b, out) ? FOLDED : TOO_LARGE;
    case KF__T_MINUS: return __builtin_sub_overflow(a, b, out) ? TOO_LARGE : FOLDED;
    case KF__T_TIMES: return kf__mul_ok(a, b, out) ? FOLDED : TOO_LARGE;
    case KF__T_FLOOR:
    case KF__T_MODULO: {
        if (b == 0) return BY_ZERO;
        if (a == INT64_MIN && b == -1) return TOO_LARGE;
        int64_t q = a / b, r = a % b;
        if (r && (r < 0) != (b < 0)) q--, r += b;
        *out = op == KF__T_FLOOR ? q : r;
        return FOLDED;
    }
    case KF__T_POWER: return power_of(a, b, out);
    case KF__T_BIT_AND: *out = a & b; return FOLDED;
    case KF__T_BIT_OR: *out = a | b; return FOLDED;
    case KF__T_BIT_XOR: *out = a ^ b; return FOLDED;
    case KF__T_SHIFT_LEFT:
        if (b < 0 || b > 62) return b < 0 ? BY_NEGATIVE : TOO_LARGE;
        return kf__mul_ok(a, (int64_t)1 << b, out) ? FOLDED : TOO_LARGE;
    case KF__T_SHIFT_RIGHT:
        if (b < 0) return BY_NEGATIVE;
        *out = a >> (b > 63 ? 63 : b);
        return FOLDED;
    default: return NOT_BITS;
    }
}

static fold_status fold_floats(kf__token_kind op, double a, double b, double *out) {
    switch (op) {
    case KF__T_PLUS: *out = a + b; return FOLDED;
    case KF__T_MINUS: *out = a - b; return FOLDED;
    case KF__T_TIMES: *out = a * b; return FOLDED;
    case KF__T_DIVIDE: *out = a / b; return FOLDED;
    case KF__T_FLOOR: *out = floor(a / b); return FOLDED;
    case KF__T_MODULO:
        *out = fmod(a, b);
        if (*out != 0 && (*out < 0) != (b < 0)) *out += b;
        return FOLDED;
    case KF__T_POWER: *out = pow(a, b); return FOLDED;
    default: return NOT_BITS;
    }
}

/* a, b: BOOL, INT or FLOAT */
static fold_status fold(kf__token_kind op, const kf__object *a, const kf__object *b,
                        kf__object *out) {
    bool ints = a->kind != KF__O_FLOAT && b->kind != KF__O_FLOAT;
    double x = float_of(a), y = float_of(b);
    switch (op) {
    case KF__T_LESS:
    case KF__T_LESS_EQUAL:
    case KF__T_GREATER:
    case KF__T_GREATER_EQUAL:
    case KF__T_EQUAL:
    case KF__T_NOT_EQUAL: {
        int order = ints ? (a->integer > b->integer) - (a->integer < b->integer)
                         : x != x || y != y ? 2 : (x > y) - (x < y);
        *out = (kf__object){.kind = KF__O_BOOL, .integer = compare(op, order)};
        return FOLDED;
    }
    default: break;
    }
    bool bits = op == KF__T_BIT_AND || op == KF__T_BIT_OR || op == KF__T_BIT_XOR;
    if (ints && op != KF__T_DIVIDE && !(op == KF__T_POWER && b->integer < 0)) {
        bool bools = a->kind == KF__O_BOOL && b->kind == KF__O_BOOL;
        *out = (kf__object){.kind = bits && bools ? KF__O_BOOL : KF__O_INT};
        return fold_ints(op, a->integer, b->integer, &out->integer);
    }
    *out = (kf__object){.kind = KF__O_FLOAT};
    return fold_floats(op, x, y, &out->number);
}

static bool fold_or_fail(kf__evaluator *ev, kf__token_kind op, const kf__object *a,
                         const kf__object *b, kf__object *out) {
    switch (fold(op, a, b, out)) {
    case FOLDED: return true;
    case TOO_LARGE:
        return kf__eval_fail(ev, KF_ERR_LIMIT, "the result of `%s` of these numbers doesn't fit "
                                               "in 64 bits", text_of(op));
    case BY_NEGATIVE:
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "a shift by a negative number: %lld",
                             (long long)b->integer);
    case BY_ZERO: return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`%s` by zero", text_of(op));
    default:
        return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` works on integers and bools, not on floats%s",
                             text_of(op), op == KF__T_BIT_XOR ? "; a power is x ** 2" : "");
    }
}

/* ---------------------------------------------------------------- nodes */

static bool operate(kf__evaluator *ev, int row, const kf__object *a, const kf__object *b,
                    kf__object *out) {
    kf__opcode op = (kf__opcode)operators[row].opcode;
    bool square = op == KF__POW && b->kind == KF__O_INT && b->integer == 2; /* exact, not pow */
    kf__ref x, y = 0;
    if (square) op = KF__SQUARE;
    kf__begin_call(ev, kf__ops[op].name);
    if (!kf__to_node(ev, a, &x) || (!square && !kf__to_node(ev, b, &y))) return false;
    kf__ref made = square ? kf__apply1(ev->g, op, x) : kf__apply2(ev->g, op, x, y);
    return kf__eval_node(ev, made, out) && kf__round(ev, out);
}

static bool is_scalar(const kf__object *o) { return o->kind == KF__O_SCALAR || kf__is_number(o); }

/* A node, and the value now beside it. */
static bool operate_scalars(kf__evaluator *ev, int row, const kf__object *a, const kf__object *b,
                            kf__object *out) {
    kf__object x = kf__known(a), y = kf__known(b), now;
    bool known = fold((kf__token_kind)operators[row].token, &x, &y, &now) == FOLDED;
    if (!operate(ev, row, a, b, out)) return false;
    if (known) kf__keep_value(&now, out); /* else an array, for whoever needs its value now */
    return true;
}

/* ---------------------------------------------------------------- sizes */

static bool is_whole(const kf__object *o) {
    return o->kind == KF__O_SIZE || o->kind == KF__O_INT || o->kind == KF__O_BOOL ||
           (o->kind == KF__O_SCALAR && o->dtype != KF__F64);
}

static bool compare_sizes(kf__evaluator *ev, kf__token_kind op, kf__expr x, kf__expr y,
                          kf__object *out) {
    kf__exprs *pool = &ev->g->exprs;
    bool below = kf__x_below(pool, x, y), above = kf__x_below(pool, y, x);
    int64_t difference;
    int order = x == y ? 0 : below ? -1 : above ? 1 : 2;
    if (order == 2 && kf__x_is_const(pool, kf__x_sub(pool, x, y), &difference))
        order = difference < 0 ? -1 : difference > 0;
    if (order == 2)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                             "`%s` of these sizes is known only when planned; sizes that the "
                             "graph depends on must be numbers", text_of(op));
    *out = (kf__object){.kind = KF__O_BOOL, .integer = compare(op, order)};
    return true;
}

/* One of them is a SIZE and both are whole. False in *done: not an operation on sizes. */
static bool operate_sizes(kf__evaluator *ev, kf__token_kind op, const kf__object *a,
                          const kf__object *b, kf__object *out, bool *done) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr x, y, size;
    int64_t divisor;
    *done = true;
    if (!kf__to_size(ev, a, "a size", &x) || !kf__to_size(ev, b, "a size", &y)) return false;
    switch (op) {
    case KF__T_PLUS: size = kf__x_add(pool, x, y); break;
    case KF__T_MINUS: size = kf__x_sub(pool, x, y); break;
    case KF__T_TIMES: size = kf__x_mul(pool, x, y); break;
    case KF__T_FLOOR:
    case KF__T_MODULO:
        if (kf__x_is_const(pool, y, &divisor) && divisor <= 0)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`%s` of a size is by a number above 0, not "
                                                      "%lld", text_of(op), (long long)divisor);
        size = op == KF__T_FLOOR ? kf__x_div(pool, x, y) : kf__x_mod(pool, x, y);
        break;
    case KF__T_LESS:
    case KF__T_LESS_EQUAL:
    case KF__T_GREATER:
    case KF__T_GREATER_EQUAL:
    case KF__T_EQUAL:
    case KF__T_NOT_EQUAL: return compare_sizes(ev, op, x, y, out);
    default: *done = false; return true;
    }
    if (!size) return kf__eval_memory(ev);
    *out = kf__size_object(ev, size);
    return true;
}

/* ---------------------------------------------------------------- others */

static bool same(kf__evaluator *ev, const kf__object *a, const kf__object *b, bool *out);

/* A variable may hold one tuple twice, and a row of assignments nest them as deep as it is long. */
static bool same_tuples(kf__evaluator *ev, const kf__object *a, const kf__object *b, bool *out) {
    *out = a->n == b->n;
    if (!kf__deeper(ev)) return false;
    bool known = true;
    for (uint32_t i = 0; i < a->n && *out && known; i++)
        known = same(ev, &a->items[i], &b->items[i], out);
    ev->depth--;
    return known;
}

/* x.dtype == 'float16': the string names a dtype, or it is an error. */
static bool same_dtype(kf__evaluator *ev, const kf__object *a, const kf__object *b, bool *out) {
    kf__dtype left, right;
    if (!kf__to_dtype(ev, a, &left) || !kf__to_dtype(ev, b, &right)) return false;
    *out = left == right;
    return true;
}

/* == of what isn't a number, and of the items of tuples. False: not known now, which was said. */
static bool same(kf__evaluator *ev, const kf__object *a, const kf__object *b, bool *out) {
    kf__object order;
    *out = false;
    if (kf__is_number(a) && kf__is_number(b)) {
        bool real = a->kind == KF__O_FLOAT || b->kind == KF__O_FLOAT;
        *out = real ? float_of(a) == float_of(b) : a->integer == b->integer;
        return true;
    }
    if (kf__is_numeric(a) && kf__is_numeric(b)) { /* in tuples */
        if (!kf__binary(ev, KF__T_EQUAL, a, b, &order)) return false;
        if (order.kind != KF__O_BOOL)
            return kf__eval_fail(ev, KF_ERR_TYPE, "these tuples can't be compared: they hold %s",
                                 kf__object_text(kf__is_number(a) ? b : a));
        *out = order.integer != 0;
        return true;
    }
    bool named = !ev->def->library && (a->kind == KF__O_STRING || b->kind == KF__O_STRING);
    if (a->kind != b->kind && named && (a->kind == KF__O_DTYPE || b->kind == KF__O_DTYPE))
        return same_dtype(ev, a, b, out);
    if (a->kind != b->kind) return true;
    switch (a->kind) {
    case KF__O_DTYPE: return same_dtype(ev, a, b, out);
    case KF__O_STRING: *out = a->n == b->n && memcmp(a->text, b->text, a->n) == 0; return true;
    case KF__O_TUPLE: return same_tuples(ev, a, b, out);
    default: *out = true; return true; /* None, ... */
    }
}

static bool join_tuples(kf__evaluator *ev, const kf__object *a, const kf__object *b,
                        kf__object *out) {
    if (a->n + b->n > KF__MAX_TUPLE)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "a tuple of more than %d items", KF__MAX_TUPLE);
    kf__object *items = KF__NEW(&ev->arena, kf__object, a->n + b->n + 1);
    if (!items) return kf__eval_memory(ev);
    if (a->n) memcpy(items, a->items, a->n * sizeof *items);
    if (b->n) memcpy(items + a->n, b->items, b->n * sizeof *items);
    *out = (kf__object){.kind = KF__O_TUPLE, .n = a->n + b->n, .items = items,
                        .list = a->list};
    return true;
}

static bool repeat_tuple(kf__evaluator *ev, const kf__object *a, const kf__object *times,
                         kf__object *out) {
    int64_t n;
    if (!kf__to_int(ev, times, "the number of repetitions", &n)) return false;
    n = n < 0 || a->n == 0 ? 0 : n;
    if (n && n > KF__MAX_TUPLE / a->n)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "a tuple of more than %d items", KF__MAX_TUPLE);
    uint32_t total = a->n * (uint32_t)n;
    kf__object *items = KF__NEW(&ev->arena, kf__object, total + 1);
    if (!items) return kf__eval_memory(ev);
    for (uint32_t i = 0; i < total; i++) items[i] = a->items[i % a->n];
    *out = (kf__object){.kind = KF__O_TUPLE, .n = total, .items = items, .list = a->list};
    return true;
}

static bool operate_others(kf__evaluator *ev, kf__token_kind op, const kf__object *a,
                           const kf__object *b, kf__object *out) {
    bool elements = !ev->def->library && a->kind != KF__O_NONE && b->kind != KF__O_NONE &&
                    (a->kind == KF__O_ARRAY || b->kind == KF__O_ARRAY); /* x == [1, 2, 3] */
    if ((op == KF__T_EQUAL || op == KF__T_NOT_EQUAL) && !elements) {
        bool equal;
        if (!same(ev, a, b, &equal)) return false;
        *out = (kf__object){.kind = KF__O_BOOL, .integer = equal == (op == KF__T_EQUAL)};
        return true;
    }
    if (op == KF__T_PLUS && a->kind == KF__O_TUPLE && b->kind == KF__O_TUPLE)
        return join_tuples(ev, a, b, out);
    if (op == KF__T_TIMES && a->kind == KF__O_TUPLE) return repeat_tuple(ev, a, b, out);
    const kf__object *bad = kf__is_numeric(a) ? b : a;
    return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` doesn't work on %s%s", text_of(op),
                         kf__object_text(bad),
                         bad->kind == KF__O_NONE    ? "; was an argument left out?"
                         : bad->kind == KF__O_TUPLE ? "; array([1, 2]) makes an array of a list"
                                                    : "");
}

bool kf__binary(kf__evaluator *ev, kf__token_kind op, const kf__object *a, const kf__object *b,
                kf__object *out) {
    if (op == KF__T_AT)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "matrix products (@) are not supported yet");
    if (!kf__is_numeric(a) || !kf__is_numeric(b)) return operate_others(ev, op, a, b, out);
    if (kf__is_number(a) && kf__is_number(b)) return fold_or_fail(ev, op, a, b, out);
    if ((a->kind == KF__O_SIZE || b->kind == KF__O_SIZE) && is_whole(a) && is_whole(b)) {
        bool done;
        if (!operate_sizes(ev, op, a, b, out, &done) || done) return ev->err->status == KF_OK;
    }
    int row = row_of(op);
    if (is_scalar(a) && is_scalar(b)) return operate_scalars(ev, row, a, b, out);
    return operate(ev, row, a, b, out);
}

bool kf__unary(kf__evaluator *ev, kf__token_kind op, const kf__object *a, kf__object *out) {
    static const kf__object zero = {.kind = KF__O_INT}, ones = {.kind = KF__O_INT, .integer = -1},
                            yes = {.kind = KF__O_BOOL, .integer = 1};
    if (!kf__is_numeric(a))
        return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` doesn't work on %s",
                             op == KF__T_BIT_NOT ? "~" : text_of(op), kf__object_text(a));
    if (op == KF__T_PLUS) {
        *out = *a;
        return true;
    }
    if (kf__is_number(a)) {
        if (op == KF__T_BIT_NOT && a->kind == KF__O_FLOAT)
            return kf__eval_fail(ev, KF_ERR_TYPE, "`~` works on integers and bools, not on floats");
        if (op == KF__T_BIT_NOT)
            return fold_or_fail(ev, KF__T_BIT_XOR, a, a->kind == KF__O_BOOL ? &yes : &ones, out);
        if (a->kind != KF__O_FLOAT) return fold_or_fail(ev, KF__T_MINUS, &zero, a, out);
        *out = (kf__object){.kind = KF__O_FLOAT, .number = -a->number};
        return true;
    }
    if (a->kind == KF__O_SIZE && op == KF__T_MINUS) return kf__binary(ev, op, &zero, a, out);
    kf__opcode code = op == KF__T_MINUS ? KF__NEGATIVE : KF__BITWISE_INVERT;
    kf__ref x;
    kf__begin_call(ev, kf__ops[code].name);
    if (!kf__to_node(ev, a, &x) || !kf__eval_node(ev, kf__apply1(ev->g, code, x), out) ||
        !kf__round(ev, out))
        return false;
    if (a->kind == KF__O_SCALAR && op == KF__T_MINUS && a->dtype != KF__BOOL) {
        kf__ref ref = out->ref;
        *out = *a;
        out->ref = ref;
        if (a->dtype == KF__F64) out->number = -a->number;
        else out->integer = (int64_t)(0 - (uint64_t)a->integer);
    }
    return true;
}
