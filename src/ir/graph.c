/* Strict makers: they check dtypes and shapes, and make nodes.
 *
 * Shapes count as the same when their sizes are the same expression or may be equal: then the
 * constraint is remembered and the result has the size that kf__same_size picks. */
#include <math.h>

#include "ir/graph_core.h"

/* ---------------------------------------------------------------- texts */

void kf__print_shape(const kf_graph *g, int rank, const kf__expr *shape, kf__text *text) {
    kf__print(text, "[");
    for (int i = 0; i < rank; i++) {
        if (i) kf__print(text, ", ");
        kf__x_print(&g->exprs, shape[i], text);
    }
    kf__print(text, "]");
}

void kf__print_type(const kf_graph *g, kf__ref a, kf__text *text) {
    const kf__node *x = kf__at(g, a);
    if (x->weak) {
        kf__print(text, kf__is_float((kf__dtype)x->dtype) ? "a float" : "an int");
        return;
    }
    kf__print(text, "%s", kf__types[x->dtype].name);
    kf__print_shape(g, x->rank, x->shape, text);
}

static const char *keep(kf_graph *g, kf__text *text) {
    const char *copy = text->failed || !text->at ? NULL
                                                 : kf__arena_string(&g->arena, text->at, text->n);
    kf__text_free(text);
    return copy ? copy : "";
}

const char *kf__types_text(kf_graph *g, const kf__ref *args, int n) {
    kf__text text;
    kf__text_init(&text, g->mem);
    for (int i = 0; i < n; i++) {
        if (i) kf__print(&text, i == n - 1 ? " and " : ", ");
        kf__print_type(g, args[i], &text);
    }
    return keep(g, &text);
}

const char *kf__shape_text(kf_graph *g, int rank, const kf__expr *shape) {
    kf__text text;
    kf__text_init(&text, g->mem);
    kf__print_shape(g, rank, shape, &text);
    return keep(g, &text);
}

/* ---------------------------------------------------------------- inputs and results */

static bool add_input(kf_graph *g, kf__graph_input input, const char *name) {
    input.name = kf__arena_string(&g->arena, name, strlen(name));
    if (input.name && KF__PUSH(g->mem, &g->inputs, input)) return true;
    kf__graph_no_memory(g);
    return false;
}

kf__ref kf__input(kf_graph *g, const char *name, kf__dtype dtype, int rank, const kf__expr *size) {
    if (!kf__graph_ok(g)) return 0;
    if (rank < 0 || rank > KF__MAX_ARRAY_RANK)
        return kf__graph_fail(g, KF_ERR_LIMIT, "%s has rank %d: arrays have at most %d", name, rank,
                              (int)KF__MAX_ARRAY_RANK);
    kf__graph_input input = {.present = true, .dtype = dtype, .rank = rank};
    kf__expr shape[KF__MAX_ARRAY_RANK] = {0};
    for (int i = 0; i < rank; i++) input.size[i] = shape[i] = size[i];
    kf__node x = {.kind = KF__INPUT, .dtype = (uint8_t)dtype, .rank = (uint8_t)rank,
                  .index = g->inputs.n, .shape = shape};
    input.node = kf__node_find_or_add(g, &x);
    return input.node && add_input(g, input, name) ? input.node : 0;
}

kf__ref kf__scalar(kf_graph *g, const char *name, kf__dtype dtype) {
    if (!kf__graph_ok(g)) return 0;
    if (dtype != KF__F64 && dtype != KF__I64)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "scalar %s is neither f64 nor i64", name);
    kf__graph_input input = {.scalar = true, .present = true, .dtype = dtype};
    kf__node x = {.kind = KF__SCALAR, .dtype = (uint8_t)dtype, .weak = true, .index = g->inputs.n};
    input.node = kf__node_find_or_add(g, &x);
    return input.node && add_input(g, input, name) ? input.node : 0;
}

kf__ref kf__size(kf_graph *g, kf__expr size) {
    int64_t value;
    if (!kf__graph_ok(g) || !size) return 0;
    if (kf__x_is_const(&g->exprs, size, &value)) return kf__integer(g, value);
    kf__node x = {.kind = KF__SIZE, .dtype = KF__I64, .weak = true, .index = size};
    return kf__node_find_or_add(g, &x);
}

void kf__input_unused(kf_graph *g, const char *name, bool present) {
    if (kf__graph_ok(g)) add_input(g, (kf__graph_input){.present = present}, name);
}

void kf__result(kf_graph *g, kf__ref a, const char *name) {
    a = kf__solid(g, a);
    if (!a) return;
    char *copy = name ? kf__arena_string(&g->arena, name, strlen(name))
                      : kf__arena_printf(&g->arena, "out%u", g->results.n);
    if (!copy || !KF__PUSH(g->mem, &g->results, a)) {
        kf__graph_no_memory(g);
    } else if (!KF__PUSH(g->mem, &g->result_names, copy)) {
        g->results.n--;
        kf__graph_no_memory(g);
    }
}

/* ---------------------------------------------------------------- constants and casts */

/* To `digits` binary digits, the smallest step being 2^least; half to even. */
static double round_digits(double v, int digits, int least, double largest) {
    int exponent;
    if (v == 0 || !isfinite(v)) return v;
    frexp(v, &exponent);
    int step = exponent - digits > least ? exponent - digits : least;
    double rounded = ldexp(rint(ldexp(v, -step)), step);
    return fabs(rounded) > largest ? copysign(INFINITY, v) : rounded;
}

double kf__round_to(kf__dtype t, double v) {
    switch (t) {
    case KF__F32: return (float)v;
    case KF__F8E4M3:
        v = round_digits(v, 4, -9, 448);
        return isinf(v) ? (double)NAN : v;
    case KF__F8E5M2: return round_digits(v, 3, -16, 57344);
    case KF__F16: return round_digits(v, 11, -24, 65504);
    case KF__BF16: return round_digits(v, 8, -133, 0x1.fep127);
    default: return v;
    }
}

static int64_t to_width(kf__dtype t, int64_t v) {
    switch (t) {
    case KF__BOOL: return v != 0;
    case KF__U8: return (uint8_t)v;
    case KF__I8: return (int8_t)(uint8_t)v;
    case KF__I16: return (int16_t)(uint16_t)v;
    case KF__I32: return (int32_t)(uint32_t)v;
    default: return v;
    }
}

/* Saturates; NaN gives 0. */
static int64_t float_to_int(kf__dtype t, double v) {
    if (t == KF__BOOL) return v != 0;
    int bits = kf__types[t].size * 8;
    int64_t most = t == KF__U8 ? 255 : INT64_MAX >> (64 - bits);
    int64_t least = t == KF__U8 ? 0 : -most - 1;
    if (isnan(v)) return 0;
    if (v >= ldexp(1, t == KF__U8 ? 8 : bits - 1)) return most;
    return v <= (double)least ? least : (int64_t)v;
}

kf__ref kf__constant(kf_graph *g, kf__dtype dtype, double number, int64_t integer, bool weak) {
    kf__node x = {.kind = KF__CONSTANT, .dtype = (uint8_t)dtype, .weak = weak};
    if (!kf__is_float(dtype))
        x.u.integer = to_width(dtype, integer);
    else
        x.u.number = weak ? number : kf__round_to(kf__compute(dtype), number);
    return kf__node_find_or_add(g, &x);
}

kf__ref kf__number(kf_graph *g, double value) { return kf__constant(g, KF__F32, value, 0, true); }
kf__ref kf__integer(kf_graph *g, int64_t value) { return kf__constant(g, KF__I64, 0, value, true); }

static kf__ref cast_constant(kf_graph *g, const kf__node *x, kf__dtype to, bool weak) {
    bool from_float = kf__is_float((kf__dtype)x->dtype);
    if (!kf__is_float(to))
        return kf__constant(g, to, 0, from_float ? float_to_int(to, x->u.number) : x->u.integer,
                            weak);
    if (from_float) return kf__constant(g, to, kf__round_to(to, x->u.number), 0, weak);
    /* once: not by way of f64; a narrower float by way of what is exact in one, or sticky */
    int64_t i = x->u.integer, low = i & 0xfffff;
    if (to == KF__F32) return kf__constant(g, to, (double)(float)i, 0, weak);
    if (to != KF__F64 && (i >> 42 > 0 || i >> 42 < -1)) i = (i - low) | (low ? 0x100000 : 0);
    return kf__constant(g, to, kf__round_to(to, (double)i), 0, weak);
}

/* Is a half or bfloat16 value already what it would be when stored? */
static bool is_rounded(const kf_graph *g, kf__ref a) {
    for (;;) {
        const kf__node *x = kf__at(g, a);
        if (!kf__is_float((kf__dtype)x->dtype) || kf__compute((kf__dtype)x->dtype) == x->dtype)
            return true;
        if (x->kind == KF__INPUT || x->kind == KF__CAST) return true;
        if (x->kind < KF__EXPAND || x->kind > KF__SLICE) return false;
        a = x->args[0];
    }
}

kf__ref kf__cast_weak(kf_graph *g, kf__ref a, kf__dtype dtype, bool weak) {
    if (!a || !kf__graph_ok(g)) return 0;
    kf__node x = *kf__at(g, a);
    if (x.dtype == dtype && x.weak == weak && is_rounded(g, a)) return a;
    if (x.kind == KF__CONSTANT) return cast_constant(g, &x, dtype, weak);
    kf__node cast = {.kind = KF__CAST, .dtype = (uint8_t)dtype, .rank = x.rank, .n_args = 1,
                     .weak = weak, .shape = x.shape, .args = {a}};
    return kf__node_find_or_add(g, &cast);
}

kf__ref kf__cast(kf_graph *g, kf__ref a, kf__dtype dtype) {
    return kf__cast_weak(g, a, dtype, false);
}

kf__ref kf__solid(kf_graph *g, kf__ref a) {
    if (!a || !kf__at(g, a)->weak) return a;
    return kf__cast(g, a, kf__is_float((kf__dtype)kf__at(g, a)->dtype) ? KF__F32 : KF__I64);
}

/* ---------------------------------------------------------------- elementwise operations */

bool kf__dtypes_fit(const kf__op_row *row, kf__dtype to, const kf__dtype *from) {
    kf__dtype c = kf__compute(from[0]), last = kf__compute(from[row->arity - 1]);
    bool same = c == last, result = c == kf__compute(to);
    bool is_int = kf__types[c].class == KF__CLASS_INT;
    switch (row->rule) {
    case KF__RULE_ARITH:
    case KF__RULE_SAME: return same && result && c != KF__BOOL;
    case KF__RULE_FLOAT:
    case KF__RULE_DIVIDE: return same && result && kf__is_float(c);
    case KF__RULE_COMPARE:
    case KF__RULE_TEST: return same && to == KF__BOOL;
    case KF__RULE_BITS: return same && result && !kf__is_float(c);
    case KF__RULE_INTEGER: return same && result && is_int;
    case KF__RULE_WHERE: return c == KF__BOOL && kf__compute(from[1]) == last &&
                                last == kf__compute(to);
    case KF__RULE_UNIFORM: return c == KF__I32 ? to == KF__F32 : c == KF__I64 && to == KF__F64;
    case KF__RULE_LIMIT: return c == KF__F64 && to == KF__I64;
    case KF__RULE_KEEP: return c == KF__I32 && last == KF__I64 && to == KF__BOOL;
    case KF__RULE_BELOW: return same && c == KF__I64 && to == KF__I64;
    }
    return false;
}

/* One shape from all: sizes that may be equal become constraints. */
static bool common_shape(kf_graph *g, const char *name, const kf__ref *args, int n,
                         kf__expr *shape) {
    int rank = kf__at(g, args[0])->rank;
    const char *types = NULL;
    memcpy(shape, kf__at(g, args[0])->shape, (size_t)rank * sizeof *shape);
    for (int k = 1; k < n; k++) {
        if (kf__at(g, args[k])->rank != rank)
            return kf__graph_fail(g, KF_ERR_INTERNAL, "%s of %s: the ranks differ", name,
                                  kf__types_text(g, args, n));
        for (int i = 0; i < rank; i++) {
            kf__expr size = kf__at(g, args[k])->shape[i];
            if (size == shape[i]) continue;
            if (!types)
                types = kf__arena_printf(&g->arena, "%s of %s", name, kf__types_text(g, args, n));
            if (!types) return kf__graph_no_memory(g);
            shape[i] = kf__same_size(g, shape[i], size, types);
            if (!shape[i]) return false;
        }
    }
    return true;
}

kf__ref kf__op_weak(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args, bool weak) {
    const kf__op_row *row = &kf__ops[op];
    kf__dtype from[3] = {KF__BOOL};
    kf__expr shape[KF__MAX_RANK];
    if (!kf__graph_ok(g)) return 0;
    kf__node x = {.kind = KF__OP, .dtype = (uint8_t)dtype, .n_args = (uint8_t)row->arity,
                  .op = (uint8_t)op, .shape = shape};
    for (int k = 0; k < row->arity; k++) {
        if (!args[k]) return 0;
        x.args[k] = args[k];
        from[k] = (kf__dtype)kf__at(g, args[k])->dtype;
    }
    if (!kf__dtypes_fit(row, dtype, from))
        return kf__graph_fail(g, KF_ERR_INTERNAL, "%s of %s can't give %s", row->name,
                              kf__types_text(g, args, row->arity), kf__types[dtype].name);
    if (!common_shape(g, row->name, args, row->arity, shape)) return 0;
    x.rank = kf__at(g, args[0])->rank;
    x.weak = weak && dtype != KF__BOOL && x.rank == 0;
    return kf__node_find_or_add(g, &x);
}

kf__ref kf__op(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args) {
    bool weak = true;
    for (int k = 0; k < kf__ops[op].arity; k++) weak &= args[k] && kf__at(g, args[k])->weak;
    return kf__op_weak(g, op, dtype, args, weak);
}

/* ---------------------------------------------------------------- reductions, random bits */

kf__ref kf__reduce(kf_graph *g, kf__reduction red, int field, uint32_t axes, kf__ref a) {
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    const kf__node *from = kf__at(g, a);
    kf__dtype t = (kf__dtype)from->dtype, to = kf__red_dtype(red, t);
    bool order = red == KF__RED_MAX || red == KF__RED_MIN;
    if (to != t || (order && t == KF__BOOL) || field < 0 || field >= kf__reds[red].n_fields)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "%s of %s, field %d", kf__reds[red].name,
                              kf__types_text(g, &a, 1), field);
    if (axes == 0 || axes >> from->rank)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "%s of %s: axes %#x", kf__reds[red].name,
                              kf__types_text(g, &a, 1), (unsigned)axes);
    kf__expr shape[KF__MAX_RANK], one = kf__x_const(&g->exprs, 1);
    for (int i = 0; i < from->rank; i++) shape[i] = axes >> i & 1 ? one : from->shape[i];
    to = kf__field_dtype(red, field, t);
    kf__node x = {.kind = KF__REDUCE, .dtype = (uint8_t)to, .rank = from->rank, .n_args = 1,
                  .op = (uint8_t)red, .field = (uint8_t)field, .axes = axes, .shape = shape,
                  .args = {a}};
    return kf__node_find_or_add(g, &x);
}

kf__ref kf__scan(kf_graph *g, kf__reduction red, int axis, uint32_t chunk, kf__ref a) {
    a = kf__solid(g, a);
    if (!a || !kf__graph_ok(g)) return 0;
    const kf__node *from = kf__at(g, a);
    kf__dtype t = (kf__dtype)from->dtype;
    bool order = red == KF__RED_MAX || red == KF__RED_MIN;
    if (kf__red_dtype(red, t) != t || (order && t == KF__BOOL) || kf__reds[red].n_fields != 1 ||
        axis < 0 || axis >= from->rank)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "cumulative %s of %s along axis %d",
                              kf__reds[red].name, kf__types_text(g, &a, 1), axis);
    if (kf__x_is(&g->exprs, from->shape[axis], 1)) return a;
    kf__node x = {.kind = KF__SCAN, .dtype = (uint8_t)t, .rank = from->rank, .n_args = 1,
                  .op = (uint8_t)red, .axes = chunk, .index = (uint32_t)axis,
                  .shape = from->shape, .args = {a}};
    return kf__node_find_or_add(g, &x);
}

static kf__ref rank_too_high(kf_graph *g, int rank) {
    return kf__graph_fail(g, KF_ERR_LIMIT, "an array of rank %d: the largest rank is %d", rank,
                          (int)KF__MAX_RANK);
}

kf__ref kf__random(kf_graph *g, kf__dtype dtype, kf__ref seed, kf__ref stream, int rank,
                   const kf__expr *shape) {
    kf__node x = {.kind = KF__RANDOM, .dtype = (uint8_t)dtype, .n_args = 2,
                  .args = {kf__solid(g, seed), kf__solid(g, stream)}};
    if (!x.args[0] || !x.args[1] || !kf__graph_ok(g)) return 0;
    for (int k = 0; k < 2; k++)
        if (kf__at(g, x.args[k])->dtype != KF__I64 || kf__at(g, x.args[k])->rank != 0)
            return kf__graph_fail(g, KF_ERR_TYPE, "%s of random numbers is %s: one int64 is needed",
                                  k ? "the stream" : "the seed", kf__types_text(g, &x.args[k], 1));
    if (rank > KF__MAX_RANK) return rank_too_high(g, rank);
    kf__expr own[KF__MAX_RANK];
    if (rank) memcpy(own, shape, (size_t)rank * sizeof *own);
    x.rank = (uint8_t)rank;
    x.shape = own;
    return kf__node_find_or_add(g, &x);
}

kf__ref kf__iota(kf_graph *g, kf__expr n, kf__expr start, int64_t step) {
    int64_t size;
    if (!kf__graph_ok(g)) return 0;
    if (!n || !start) return kf__graph_no_expr(g);
    if (kf__x_is_const(&g->exprs, n, &size) && size < 0)
        return kf__graph_fail(g, KF_ERR_SHAPE, "arange of %lld numbers", (long long)size);
    kf__node x = {.kind = KF__IOTA, .dtype = KF__I64, .rank = 1, .shape = &n};
    x.u.slice.start = &start;
    x.u.slice.step = &step;
    return kf__node_find_or_add(g, &x);
}

/* ---------------------------------------------------------------- any node again */

static kf__ref remake_input(kf_graph *g, const kf__node *like) {
    if (like->index >= g->inputs.n)
        return kf__graph_fail(g, KF_ERR_INTERNAL, "input %u isn't in the graph", like->index);
    kf__ref a = kf__node_find_or_add(g, like);
    if (!a) return 0;
    kf__graph_input *input = &g->inputs.at[like->index];
    input->node = a;
    for (int i = 0; i < like->rank && !input->scalar; i++) input->size[i] = like->shape[i];
    return a;
}

static kf__ref remake(kf_graph *g, const kf__node *like, const kf__ref *args) {
    switch (like->kind) {
    case KF__INPUT:
    case KF__SCALAR: return remake_input(g, like);
    case KF__CONSTANT:
    case KF__SIZE: return kf__node_find_or_add(g, like);
    case KF__OP:
        return kf__op_weak(g, (kf__opcode)like->op, (kf__dtype)like->dtype, args, like->weak);
    case KF__CAST: return kf__cast_weak(g, args[0], (kf__dtype)like->dtype, like->weak);
    case KF__REDUCE:
        return kf__reduce(g, (kf__reduction)like->op, like->field, like->axes, args[0]);
    case KF__SCAN:
        return kf__scan(g, (kf__reduction)like->op, (int)like->index, like->axes, args[0]);
    case KF__EXPAND: return kf__expand(g, args[0], like->shape);
    case KF__PERMUTE: return kf__permute(g, args[0], like->u.perm);
    case KF__RESHAPE: return kf__reshape(g, args[0], like->rank, like->shape);
    case KF__SLICE:
        return kf__slice(g, args[0], like->shape, like->u.slice.start, like->u.slice.step);
    case KF__RANDOM:
        return kf__random(g, (kf__dtype)like->dtype, args[0], args[1], like->rank, like->shape);
    case KF__PAD: return kf__pad(g, args[0], args[1], like->shape, like->u.slice.start);
    case KF__CONCAT: return kf__concat(g, (int)like->index, args[0], args[1]);
    case KF__GATHER: return kf__gather(g, (int)like->index, args[0], args[1]);
    case KF__IOTA:
        return kf__iota(g, like->shape[0], like->u.slice.start[0], like->u.slice.step[0]);
    default: return kf__graph_fail(g, KF_ERR_INTERNAL, "a node of kind %d", like->kind);
    }
}

kf__ref kf__remake(kf_graph *g, const kf__node *like, const kf__ref *args) {
    kf__node copy = *like; /* like may be g's own, and move */
    uint32_t call = g->call;
    g->call = copy.call < g->calls.n ? copy.call : 0;
    kf__ref a = remake(g, &copy, args);
    g->call = call;
    return a;
}
