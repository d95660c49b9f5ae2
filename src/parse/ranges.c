/* Makers of builtins: numbers at equal distances. Integers and sizes are indices, which cost no
 * memory; floats are computed from them in float64 and rounded once. */
#include <math.h>

#include "parse/makers.h"

static bool is_whole(const kf__object *o) {
    return o->kind == KF__O_INT || o->kind == KF__O_BOOL || o->kind == KF__O_SIZE ||
           (o->kind == KF__O_FLOAT && o->number == floor(o->number) && fabs(o->number) < 9e15);
}

/* An integer, a float that is one, or a size. */
static kf__expr size_of(kf__evaluator *ev, const kf__object *o) {
    if (o->kind == KF__O_SIZE) return o->size;
    return kf__x_const(&ev->g->exprs, o->kind == KF__O_FLOAT ? (int64_t)o->number : o->integer);
}

/* ceil((stop - start) / step), at least 0 */
static kf__expr length(kf__exprs *x, kf__expr start, kf__expr stop, int64_t step) {
    kf__expr far = step > 0 ? kf__x_sub(x, stop, start) : kf__x_sub(x, start, stop);
    int64_t by = step > 0 ? step : -step;
    far = kf__x_max(x, far, kf__x_const(x, 0));
    if (by == 1) return far;
    return kf__x_div(x, kf__x_add(x, far, kf__x_const(x, by - 1)), kf__x_const(x, by));
}

/* Of sizes: the first and the last one, where there are any, must fit, which planning asks. */
static bool range_fits(kf__evaluator *ev, kf__dtype dtype, kf__expr n, kf__expr start,
                       int64_t step) {
    kf__exprs *x = &ev->g->exprs;
    kf__expr steps = kf__x_max(x, kf__x_add(x, n, kf__x_const(x, -1)), kf__x_const(x, 0));
    kf__expr last = kf__x_add(x, start, kf__x_mul(x, steps, kf__x_const(x, step)));
    return last && kf__size_fits(ev->g, dtype, start) && kf__size_fits(ev->g, dtype, last);
}

static bool whole_range(kf__evaluator *ev, const kf__object *args, kf__dtype dtype,
                        kf__object *out) {
    kf__expr start = size_of(ev, &args[0]), stop = size_of(ev, &args[1]);
    int64_t step = args[2].kind == KF__O_FLOAT ? (int64_t)args[2].number : args[2].integer;
    if (step == 0 || step == INT64_MIN)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "the step of arange() can't be %lld",
                             (long long)step);
    kf__expr n = length(&ev->g->exprs, start, stop, step);
    int64_t count, first;
    bool known = n && kf__x_is_const(&ev->g->exprs, n, &count) && count > 0 &&
                 kf__x_is_const(&ev->g->exprs, start, &first);
    if (known && kf__types[dtype].class == KF__CLASS_INT) {
        /* before stop, so it fits in 64 bits; the product may not */
        int64_t last = (int64_t)((uint64_t)first + (uint64_t)(count - 1) * (uint64_t)step);
        if (!kf__ask_fits(ev, dtype, first) || !kf__ask_fits(ev, dtype, last)) return false;
    }
    if (!n || (!known && !range_fits(ev, dtype, n, start, step))) return kf__eval_memory(ev);
    kf__ref node = kf__iota(ev->g, n, start, step);
    return kf__eval_node(ev, kf__cast(ev->g, node, dtype), out);
}

/* start + step * i in float64 */
static bool float_range(kf__evaluator *ev, const kf__object *args, kf__dtype dtype,
                        kf__object *out) {
    double at[3];
    for (int i = 0; i < 3; i++) {
        if (args[i].kind == KF__O_SIZE)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "arange() of a size and a float: how many "
                                                      "numbers there are must follow from "
                                                      "integers; use arange(n) * step + start");
        at[i] = args[i].kind == KF__O_FLOAT ? args[i].number : (double)args[i].integer;
    }
    double n = ceil((at[1] - at[0]) / at[2]);
    if (!(fabs(n) < 9e15) || at[2] == 0)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "arange(%g, %g, %g) has no end", at[0], at[1],
                             at[2]);
    kf_graph *g = ev->g;
    kf__expr zero = kf__x_const(&g->exprs, 0),
             size = kf__x_const(&g->exprs, n > 0 ? (int64_t)n : 0);
    kf__ref node = kf__cast(g, kf__iota(g, size, zero, 1), KF__F64);
    node = kf__apply2(g, KF__MULTIPLY, node, kf__constant(g, KF__F64, at[2], 0, false));
    node = kf__apply2(g, KF__ADD, node, kf__constant(g, KF__F64, at[0], 0, false));
    return kf__eval_node(ev, kf__cast(g, node, dtype), out);
}

bool kf__make_arange(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    static const char *const names[] = {"start", "stop", "step"};
    kf__object at[3] = {{.kind = KF__O_INT}, {.kind = KF__O_INT},
                        {.kind = KF__O_INT, .integer = 1}};
    bool whole = true, any_float = false;
    (void)b;
    kf__begin_call(ev, "arange");
    if (args[0].left_out && args[1].kind == KF__O_NONE)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "arange() needs an argument for `stop`");
    for (int i = 0; i < 3; i++) {
        bool given = args[i].kind != KF__O_NONE || (i == 0 && !args[i].left_out);
        if (given) at[i] = kf__known(&args[i]);
        if (!kf__is_number(&at[i]) && at[i].kind != KF__O_SIZE)
            return kf__eval_fail(ev, KF_ERR_TYPE,
                                 "`%s` of arange() must be a number or a size that "
                                 "is known when the graph is made, not %s",
                                 names[i], kf__object_text(&args[i]));
        whole = whole && is_whole(&at[i]) && (i < 2 || at[i].kind != KF__O_SIZE);
        any_float |= at[i].kind == KF__O_FLOAT;
    }
    if (at[2].kind == KF__O_SIZE)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "the step of arange() can't be a size that is "
                                                  "known only when planned");
    if (args[1].kind == KF__O_NONE) { /* arange(stop), by position */
        at[1] = at[0];
        at[0] = (kf__object){.kind = KF__O_INT};
    }
    kf__dtype dtype = any_float ? KF__F32 : KF__I64;
    if (args[3].kind != KF__O_NONE && !kf__to_dtype(ev, &args[3], &dtype)) return false;
    return whole ? whole_range(ev, at, dtype, out) : float_range(ev, at, dtype, out);
}
