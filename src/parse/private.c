/* Makers of builtins that only the library calls: sentences for what can't be, what kind of thing
 * an argument is, and lists of numbers as arrays. */
#include "parse/makers.h"

bool kf__make_fail(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    (void)b, (void)out;
    return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%.*s",
                         args[0].kind == KF__O_STRING ? (int)args[0].n : 0,
                         args[0].kind == KF__O_STRING ? args[0].text : "");
}

/* Where the size has a name, the sentence is said when planned. */
bool kf__make_must(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__expr size, wanted;
    kf__object ignored;
    (void)b;
    if (!kf__to_size(ev, &args[0], "size", &size) || !kf__to_size(ev, &args[1], "wanted", &wanted))
        return false;
    const char *why = kf__arena_string(&ev->g->arena, args[2].text, args[2].n);
    if (!why) return kf__eval_memory(ev);
    kf__expr same = kf__same_size(ev->g, size, wanted, why);
    if (!same) return kf__eval_node(ev, 0, &ignored);
    *out = kf__size_object(ev, same);
    return true;
}

bool kf__make_kind(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    const char *kind = args[0].kind == KF__O_ARRAY   ? "array"
                       : args[0].kind == KF__O_TUPLE ? "tuple"
                       : args[0].kind == KF__O_BOOL  ? "bool"
                       : kf__is_number(&args[0])     ? "constant"
                       : kf__is_numeric(&args[0])    ? "number"
                                                     : "other";
    (void)ev, (void)b;
    *out = (kf__object){.kind = KF__O_STRING, .text = kind, .n = (uint32_t)strlen(kind)};
    return true;
}

/* What numbers are compared with x in: x's dtype, or as large as numbers without one are. */
static bool dtype_for(kf__evaluator *ev, const kf__object *list, kf__ref x, kf__dtype *out) {
    *out = kf__is_float((kf__dtype)kf__at(ev->g, x)->dtype) ? (kf__dtype)kf__at(ev->g, x)->dtype
                                                             : KF__I64;
    for (uint32_t i = 0; i < list->n; i++) {
        kf__ref node;
        if (!kf__to_node(ev, &list->items[i], &node)) return false;
        if (kf__at(ev->g, node)->rank)
            return kf__eval_fail(ev, KF_ERR_TYPE, "a list of numbers is needed, or one array; "
                                                  "concatenate() joins several");
        if (*out == KF__I64 && kf__is_float((kf__dtype)kf__at(ev->g, node)->dtype)) *out = KF__F64;
    }
    return true;
}

bool kf__make_listed(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    enum { MOST = 64 };
    kf__ref parts[MOST], x;
    const kf__object *list = &args[0];
    kf__dtype dtype;
    (void)b;
    if (list->n == 0 || list->n > MOST)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "a list has 1 to %d numbers here; an array "
                                                     "may have more", (int)MOST);
    if (!kf__to_node(ev, &args[1], &x) || !dtype_for(ev, list, x, &dtype)) return false;
    for (uint32_t i = 0; i < list->n; i++) {
        const kf__object *o = &list->items[i];
        kf__ref node = kf__is_number(o) && kf__is_float(dtype)
                           ? kf__constant(ev->g, dtype,
                                          o->kind == KF__O_FLOAT ? o->number : (double)o->integer,
                                          0, false)
                           : 0;
        if (!node && !kf__to_node(ev, o, &node)) return false;
        parts[i] = kf__insert_axis(ev->g, kf__cast(ev->g, node, dtype), 0);
        if (!parts[i]) return kf__eval_node(ev, 0, out);
    }
    return kf__eval_node(ev, kf__concat_all(ev->g, 0, parts, (int)list->n), out);
}

/* Numbers of a list have the dtypes that NumPy gives them. */
static bool array_of(kf__evaluator *ev, const kf__object *o, const kf__dtype *dtype, int *left,
                     kf__object *out) {
    const kf__builtin *stack = kf__builtin_find("stack", 5);
    kf__object args[3] = {{.kind = KF__O_TUPLE, .n = o->n}, {.kind = KF__O_INT}};
    kf__ref x;
    if (o->kind != KF__O_TUPLE) {
        if (--*left < 0)
            return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "a list has up to 64 numbers here; an "
                                                         "array that is an input may have more");
        if (!kf__to_node(ev, o, &x)) return false;
        kf__dtype own = o->kind == KF__O_INT || o->kind == KF__O_SIZE ? KF__I64
                        : o->kind == KF__O_FLOAT                      ? KF__F64
                                             : (kf__dtype)kf__at(ev->g, x)->dtype;
        if (dtype && !kf__ask_object_fits(ev, *dtype, o)) return false;
        return kf__eval_node(ev, kf__cast(ev->g, x, dtype ? *dtype : own), out);
    }
    if (o->n == 0) return kf__eval_fail(ev, KF_ERR_SHAPE, "array() of an empty list");
    kf__object *items = KF__NEW(&ev->arena, kf__object, o->n);
    if (!items) return kf__eval_memory(ev);
    if (!kf__deeper(ev)) return false;
    for (uint32_t i = 0; i < o->n; i++)
        if (!array_of(ev, &o->items[i], dtype, left, &items[i])) return false;
    ev->depth--;
    args[0].items = items;
    return stack->make(ev, stack, args, out);
}

bool kf__make_array(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    kf__dtype dtype;
    bool typed = args[1].kind != KF__O_NONE;
    int left = 64;
    int64_t least = 0;
    kf__begin_call(ev, b->name);
    if ((typed && !kf__to_dtype(ev, &args[1], &dtype)) ||
        (args[2].kind != KF__O_NONE && !kf__to_int(ev, &args[2], "ndmin", &least)) ||
        !array_of(ev, &args[0], typed ? &dtype : NULL, &left, out))
        return false;
    if (least > KF__MAX_ARRAY_RANK)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "ndmin is %d at most", KF__MAX_ARRAY_RANK);
    while (kf__at(ev->g, out->ref)->rank < least)
        if (!kf__eval_node(ev, kf__insert_axis(ev->g, out->ref, 0), out)) return false;
    return true;
}

bool kf__array_of_list(kf__evaluator *ev, const kf__object *list, kf__object *out) {
    const kf__builtin *array = kf__builtin_find("array", 5);
    kf__object args[3] = {*list, {.kind = KF__O_NONE}, {.kind = KF__O_NONE}};
    return array->make(ev, array, args, out);
}

/* Integers meet a list as the array that NumPy makes of it: of int64, or of float64. */
static bool as_list_has_it(kf__evaluator *ev, const kf__object *list, kf__object *x) {
    kf__dtype to = KF__I64;
    if (x->kind != KF__O_ARRAY || kf__is_float((kf__dtype)kf__at(ev->g, x->ref)->dtype))
        return true;
    for (uint32_t i = 0; i < list->n; i++)
        if (kf__known(&list->items[i]).kind == KF__O_FLOAT) to = KF__F64;
    return kf__eval_node(ev, kf__cast(ev->g, x->ref, to), x);
}

bool kf__make_horner(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    kf__object so_far = {.kind = KF__O_INT}, times, x = args[1];
    (void)b;
    if (!as_list_has_it(ev, &args[0], &x)) return false;
    for (uint32_t i = 0; i < args[0].n; i++, so_far = *out)
        if (!kf__binary(ev, KF__T_TIMES, &x, &so_far, &times) ||
            !kf__binary(ev, KF__T_PLUS, &times, &args[0].items[i], out))
            return false;
    return args[0].n > 0 ||
           kf__eval_fail(ev, KF_ERR_ARGUMENT, "a polynomial has at least one coefficient");
}
