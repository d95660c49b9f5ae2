/* Makers of builtins: reductions over axes, with what NumPy has besides: the dtype that is
 * computed in, `initial` and `where`. */
#include <math.h>
#include <stdio.h>

#include "parse/makers.h"

static bool begins_with_element(kf__reduction red) {
    return red == KF__RED_MAX || red == KF__RED_MIN || !kf__reds[red].empty;
}

/* A maximum of nothing is an error, unless nobody asks for it: no kept index. As sizes: the least
 * of 1 and the kept ones is also the least of 1 and all. */
static bool of_something(kf_graph *g, const char *name, kf__ref x, const int64_t *axes, int n) {
    char why[80];
    kf__expr kept = kf__x_const(&g->exprs, 1);
    int rank = kf__at(g, x)->rank;
    uint32_t reduced = n < 0 ? UINT32_MAX : 0;
    for (int k = 0; k < n; k++) reduced |= 1u << (axes[k] < 0 ? axes[k] + rank : axes[k]);
    for (int d = 0; d < rank; d++)
        if (!(reduced >> d & 1)) kept = kf__x_min(&g->exprs, kept, kf__at(g, x)->shape[d]);
    kf__expr all = kept;
    for (int d = 0; d < rank; d++)
        if (reduced >> d & 1) all = kf__x_min(&g->exprs, all, kf__at(g, x)->shape[d]);
    snprintf(why, sizeof why, "%.30s" KF__WHY_NOTHING, name);
    if (kf__x_is(&g->exprs, all, 0) && kf__x_is(&g->exprs, kept, 1))
        return kf__graph_fail(g, KF_ERR_SHAPE, "%s", why);
    const char *copy = kf__arena_string(&g->arena, why, strlen(why));
    return copy && kf__same_size(g, all, kept, copy);
}

/* What an element that doesn't count is taken for, in x's dtype. */
static kf__ref neutral(kf_graph *g, kf__reduction red, kf__dtype dtype) {
    bool one = red == KF__RED_PROD || red == KF__RED_ALL, largest = red == KF__RED_MIN;
    if (red != KF__RED_MAX && !largest) return kf__constant(g, dtype, one, one, false);
    int bits = 8 * kf__types[dtype].size;
    bool from_zero = dtype == KF__U8 || dtype == KF__BOOL;
    int64_t top = dtype == KF__BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits + !from_zero));
    return kf__constant(g, dtype, largest ? INFINITY : -INFINITY,
                        largest ? top : from_zero ? 0 : -top - 1, false);
}

/* x where `where` holds, which broadcasts to x, else what changes nothing. */
static bool masked(kf__evaluator *ev, kf__reduction red, const kf__object *where, kf__ref *x) {
    kf_graph *g = ev->g;
    kf__ref mask;
    kf__object made;
    if (!kf__to_node(ev, where, &mask)) return false;
    if (kf__at(g, mask)->dtype != KF__BOOL)
        return kf__eval_fail(ev, KF_ERR_TYPE, "`where` must be an array of bools, not %s",
                             kf__types[kf__at(g, mask)->dtype].name);
    if (kf__at(g, mask)->rank > kf__at(g, *x)->rank)
        return kf__eval_fail(ev, KF_ERR_SHAPE, "`where` has rank %d, the array only %d",
                             kf__at(g, mask)->rank, kf__at(g, *x)->rank);
    if (kf__is_storage((kf__dtype)kf__at(g, *x)->dtype)) *x = kf__cast(g, *x, KF__F32);
    if (!*x) return kf__eval_node(ev, 0, &made);
    kf__ref other = neutral(g, red, (kf__dtype)kf__at(g, *x)->dtype);
    *x = kf__apply(g, KF__WHERE, (kf__ref[]){mask, *x, other});
    return kf__eval_node(ev, *x, &made);
}

/* max(x, initial=0): at least 0. */
static kf__ref begun(kf__evaluator *ev, kf__reduction red, const kf__object *initial,
                     kf__ref made) {
    kf__opcode op = red == KF__RED_SUM    ? KF__ADD
                    : red == KF__RED_PROD ? KF__MULTIPLY
                    : red == KF__RED_MAX  ? KF__MAXIMUM
                                          : KF__MINIMUM;
    kf__ref from;
    bool real = initial->kind == KF__O_FLOAT;
    if (made && real && !kf__is_float((kf__dtype)kf__at(ev->g, made)->dtype))
        return kf__graph_fail(ev->g, KF_ERR_TYPE, "`initial` is a float and what is reduced isn't: "
                                                  "cast one of them");
    if (made && kf__at(ev->g, made)->dtype == KF__BOOL &&
        (red == KF__RED_MAX || red == KF__RED_MIN))
        op = red == KF__RED_MAX ? KF__BITWISE_OR : KF__BITWISE_AND;
    return made && kf__to_node(ev, initial, &from) ? kf__apply2(ev->g, op, made, from) : 0;
}

/* What is asked for besides an array and axes; left out where NULL. */
typedef struct details {
    const kf__object *dtype, *initial, *where;
    bool keepdims;
} details;

static bool reduce(kf__evaluator *ev, const char *name, kf__reduction red, int field,
                   const kf__object *args, const details *with, kf__object *out) {
    kf__ref x;
    kf__dtype type;
    int64_t axes[KF__MAX_RANK];
    int n;
    bool extremum = red == KF__RED_MAX || red == KF__RED_MIN;
    if (args[1].kind == KF__O_ARRAY || (args[1].kind == KF__O_FLOAT && extremum))
        return kf__eval_fail(ev, KF_ERR_TYPE, "the second argument of %s() is an axis, not %s%s",
                             name + (name[0] == '_'), kf__object_text(&args[1]),
                             red == KF__RED_MAX   ? "; maximum(a, b) gives the larger of two"
                             : red == KF__RED_MIN ? "; minimum(a, b) gives the smaller of two"
                                                  : "");
    if (args[0].kind != KF__O_ARRAY && kf__is_numeric(&args[1]) && extremum)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() is over the elements of one array; %s(a, b) "
                                              "is of two numbers", name,
                             red == KF__RED_MAX ? "maximum" : "minimum");
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_ints(ev, &args[1], "axis", axes, &n))
        return false;
    kf__begin_call(ev, name);
    if (with->dtype && !kf__to_dtype(ev, with->dtype, &type)) return false;
    if (with->dtype) x = kf__cast(ev->g, x, type);
    if (with->where && !masked(ev, red, with->where, &x)) return false;
    if (n == 1 && x && !kf__at(ev->g, x)->rank && (axes[0] == 0 || axes[0] == -1) &&
        red != KF__RED_MOMENTS && !ev->def->library)
        n = 0; /* NumPy takes these of a number, but for a mean's */
    kf__ref made = kf__reduce_axes(ev->g, red, field, x, axes, n, with->keepdims);
    if (with->initial) made = begun(ev, red, with->initial, made);
    if (made && with->dtype) made = kf__cast(ev->g, made, type);
    if (made && !with->initial && begins_with_element(red) &&
        !of_something(ev->g, name, x, axes, n))
        made = 0;
    return kf__eval_node(ev, made, out) && kf__round(ev, out);
}

/* mean(x, where=mask): their sum divided by how many they are. Halves are summed in f32, so that
 * nothing is rounded on the way. */
static bool mean_where(kf__evaluator *ev, const kf__object *args, const details *with,
                       kf__object *out) {
    kf_graph *g = ev->g;
    kf__ref x, mask;
    int64_t axes[KF__MAX_RANK];
    int n;
    details sum = {.where = with->where, .keepdims = with->keepdims};
    kf__dtype type;
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_ints(ev, &args[1], "axis", axes, &n) ||
        !kf__to_node(ev, with->where, &mask))
        return false;
    kf__begin_call(ev, "mean");
    if (with->dtype && !kf__to_dtype(ev, with->dtype, &type)) return false;
    x = with->dtype ? kf__cast(g, x, type) : kf__to_float(g, x);
    if (!x) return kf__eval_node(ev, 0, out);
    type = (kf__dtype)kf__at(g, x)->dtype;
    kf__object wide[2] = {args[0], args[1]}, total;
    if (!kf__eval_node(ev, kf__cast(g, x, type == KF__F64 ? type : KF__F32), &wide[0]) ||
        !reduce(ev, "mean", KF__RED_SUM, 0, wide, &sum, &total))
        return false;
    const kf__node *node = kf__at(g, x);
    kf__ref counted = kf__cast(g, kf__broadcast_to(g, mask, node->rank, node->shape), KF__I64);
    kf__ref count = kf__reduce_axes(g, KF__RED_SUM, 0, counted, axes, n, with->keepdims);
    if (count) count = kf__cast(g, count, (kf__dtype)kf__at(g, total.ref)->dtype);
    kf__ref mean = count ? kf__apply2(g, KF__DIVIDE, total.ref, count) : 0;
    return kf__eval_node(ev, mean ? kf__cast(g, mean, type) : 0, out) && kf__round(ev, out);
}

/* max(x.shape), max(a, b, c): of each two. */
static bool extremum_of(kf__evaluator *ev, const kf__builtin *b, const kf__object *items,
                        uint32_t n, kf__object *out) {
    const char *name = b->data == KF__RED_MAX ? "maximum" : "minimum";
    const kf__builtin *of_two = kf__builtin_find(name, strlen(name));
    if (!n) return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() of an empty tuple", b->name);
    *out = items[0];
    for (uint32_t i = 1; i < n; i++) {
        kf__object two[2] = {*out, items[i]};
        if (!of_two->make(ev, of_two, two, out)) return false;
    }
    return true;
}

static bool is_single(kf__evaluator *ev, const kf__object *o) {
    return kf__is_numeric(o) && (o->kind != KF__O_ARRAY || kf__at(ev->g, o->ref)->rank == 0);
}

bool kf__is_extremum_of(kf__evaluator *ev, const kf__builtin *b, uint32_t n,
                        const kf__object *args) {
    bool extremum = b->make == kf__make_reduce &&
                    (b->data == KF__RED_MAX || b->data == KF__RED_MIN);
    bool ok = extremum && n > 1;
    for (uint32_t i = 0; i < n && ok; i++) ok = is_single(ev, &args[i]);
    return ok;
}

bool kf__make_extremum_of(kf__evaluator *ev, const kf__builtin *b, uint32_t n,
                          const kf__object *args, kf__object *out) {
    kf__object second = kf__known(&args[1]);
    if (n == 2 && args[0].kind == KF__O_ARRAY && second.kind == KF__O_INT)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s(a, %lld) of an array of rank 0 could mean "
                             "two things: write %s(a, %lld), or %s(a, axis=%lld)", b->name,
                             (long long)second.integer, b->data == KF__RED_MAX ? "maximum"
                                                                               : "minimum",
                             (long long)second.integer, b->name, (long long)second.integer);
    return extremum_of(ev, b, args, n, out);
}

/* sum(shape) and the like, of what is known */
static bool reduce_tuple(kf__evaluator *ev, const kf__builtin *b, const kf__object *tuple,
                         kf__object *out) {
    kf__token_kind op = b->data == KF__RED_SUM    ? KF__T_PLUS
                        : b->data == KF__RED_PROD ? KF__T_TIMES
                        : b->data == KF__RED_ANY  ? KF__T_BIT_OR
                        : b->data == KF__RED_ALL  ? KF__T_BIT_AND
                                                  : KF__T_END;
    bool extremum = b->data == KF__RED_MAX || b->data == KF__RED_MIN;
    for (uint32_t i = 0; i < tuple->n; i++) extremum &= tuple->items[i].kind != KF__O_ARRAY;
    if (op == KF__T_END && !extremum)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() doesn't work on a tuple; array() makes an "
                                              "array of numbers, or of arrays", b->name);
    if (op == KF__T_END) return extremum_of(ev, b, tuple->items, tuple->n, out);
    bool bools = op == KF__T_BIT_OR || op == KF__T_BIT_AND;
    *out = (kf__object){.kind = bools ? KF__O_BOOL : KF__O_INT,
                        .integer = op == KF__T_TIMES || op == KF__T_BIT_AND};
    for (uint32_t i = 0; i < tuple->n; i++) {
        kf__object so_far = *out, item = tuple->items[i], zero = {.kind = KF__O_INT};
        if (bools && !kf__binary(ev, KF__T_NOT_EQUAL, &tuple->items[i], &zero, &item))
            return false;
        if (!kf__binary(ev, op, &so_far, &item, out)) return false;
    }
    return true;
}

/* The argument, or NULL where it is left out. */
static const kf__object *given(const kf__object *o) {
    return o->kind == KF__O_UNSET || o->kind == KF__O_NONE ? NULL : o;
}

/* any, all: where; max, min: initial, where; sum, prod: dtype before them; mean: dtype, where */
static details details_of(kf__reduction red, const kf__object *args) {
    bool bools = red == KF__RED_ANY || red == KF__RED_ALL, mean = red == KF__RED_MOMENTS;
    bool typed = red == KF__RED_SUM || red == KF__RED_PROD || mean;
    const kf__object *at = &args[3];
    details with = {0};
    if (typed) with.dtype = given(at++);
    if (!bools && !mean) with.initial = given(at++);
    with.where = given(at);
    return with;
}

bool kf__make_reduce(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    kf__reduction red = (kf__reduction)b->data;
    details with = details_of(red, args);
    if (args[0].kind == KF__O_TUPLE) return reduce_tuple(ev, b, &args[0], out);
    if (args[2].kind == KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() takes one array, an axis and keepdims",
                             b->name);
    if (!kf__to_bool(ev, &args[2], "keepdims", &with.keepdims)) return false;
    if ((red == KF__RED_MAX || red == KF__RED_MIN) && with.where && !with.initial)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() with `where` needs `initial`: what it is "
                                                  "where nothing holds", b->name);
    if (red == KF__RED_MOMENTS && with.where) return mean_where(ev, args, &with, out);
    return reduce(ev, b->name, red, 0, args, &with, out);
}

/* argmax and argmin: the index along one axis, or among all elements. */
bool kf__make_reduce_index(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                           kf__object *out) {
    details with = {0};
    if (args[1].kind == KF__O_TUPLE)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() takes one axis, or None for all elements",
                             b->name);
    if (!kf__to_bool(ev, &args[2], "keepdims", &with.keepdims)) return false;
    return reduce(ev, b->name, (kf__reduction)b->data, 1, args, &with, out);
}

bool kf__make_reduce_kept(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                          kf__object *out) {
    details with = {.keepdims = true};
    return reduce(ev, b->name, (kf__reduction)(b->data / 2), b->data % 2, args, &with, out);
}

/* The number of elements along axes, as an integer, so that it takes the arrays' kind. */
bool kf__make_count(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    kf_graph *g = ev->g;
    kf__ref x;
    int64_t axes[KF__MAX_RANK], value;
    int n;
    (void)b;
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_ints(ev, &args[1], "axis", axes, &n))
        return false;
    int rank = kf__at(g, x)->rank;
    kf__expr count = kf__x_const(&g->exprs, 1);
    for (int i = 0; i < (n < 0 ? rank : n); i++) {
        int64_t axis = n < 0 ? i : axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld of an array of rank %d",
                                 (long long)axes[i], rank);
        count = kf__x_mul(&g->exprs, count, kf__at(g, x)->shape[axis]);
    }
    if (kf__x_is_const(&g->exprs, count, &value)) {
        *out = (kf__object){.kind = KF__O_INT, .integer = value};
        return true;
    }
    return kf__eval_node(ev, kf__size(g, count), out);
}
