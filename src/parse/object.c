/* Objects: what kinds there are, and conversions between them. */
#include "parse/evaluate.h"

#include <math.h>

const char *kf__object_text(const kf__object *o) {
    switch (o->kind) {
    case KF__O_NONE: return "None";
    case KF__O_BOOL: return o->integer ? "True" : "False";
    case KF__O_INT: return "an integer";
    case KF__O_FLOAT: return "a float";
    case KF__O_DTYPE: return "a dtype";
    case KF__O_STRING: return "a string";
    case KF__O_TUPLE: return "a tuple";
    case KF__O_ELLIPSIS: return "`...`";
    case KF__O_SIZE: return "a size that is known only when planned";
    case KF__O_SCALAR: return "a number";
    case KF__O_ARRAY: return "an array";
    default: return "nothing";
    }
}

/* ---------------------------------------------------------------- to nodes */

kf__ref kf__size_node(kf__evaluator *ev, kf__expr size) { return kf__size(ev->g, size); }

bool kf__to_node(kf__evaluator *ev, const kf__object *o, kf__ref *out) {
    switch (o->kind) {
    case KF__O_BOOL: *out = kf__constant(ev->g, KF__BOOL, 0, o->integer, false); break;
    case KF__O_INT: *out = kf__integer(ev->g, o->integer); break;
    case KF__O_FLOAT: *out = kf__number(ev->g, o->number); break;
    case KF__O_SIZE: *out = kf__size_node(ev, o->size); break;
    case KF__O_SCALAR:
    case KF__O_ARRAY: *out = o->ref; break;
    default:
        return kf__eval_fail(ev, KF_ERR_TYPE,
                             "%s can't be computed with; an array or a number is needed%s",
                             kf__object_text(o),
                             o->kind == KF__O_TUPLE ? ": array([1, 2]) is one of a list" : "");
    }
    kf__object ignored;
    return kf__eval_node(ev, *out, &ignored);
}

/* ---------------------------------------------------------------- to what is known */

kf__object kf__known(const kf__object *o) {
    if (o->kind != KF__O_SCALAR) return *o;
    if (o->dtype == KF__F64) return (kf__object){.kind = KF__O_FLOAT, .number = o->number};
    return (kf__object){.kind = o->dtype == KF__BOOL ? KF__O_BOOL : KF__O_INT,
                        .integer = o->integer};
}

void kf__keep_value(const kf__object *now, kf__object *node) {
    kf__ref ref = node->ref;
    *node = *now;
    node->dtype = now->kind == KF__O_FLOAT ? KF__F64 : now->kind == KF__O_BOOL ? KF__BOOL : KF__I64;
    node->kind = KF__O_SCALAR;
    node->ref = ref;
}

static bool not_known(kf__evaluator *ev, const kf__object *o, const char *what,
                      const char *wanted) {
    const char *quote = strchr(what, ' ') ? "" : "`"; /* a parameter's name, or words */
    if (o->kind == KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s%s%s must be %s that is known when the graph is "
                                              "made; it is an array", quote, what, quote, wanted);
    return kf__eval_fail(ev, KF_ERR_TYPE, "%s%s%s must be %s, not %s", quote, what, quote, wanted,
                         kf__object_text(o));
}

bool kf__to_int(kf__evaluator *ev, const kf__object *o, const char *what, int64_t *out) {
    kf__object known = kf__known(o);
    bool whole = known.kind == KF__O_FLOAT && known.number == floor(known.number) &&
                 fabs(known.number) < 9e15;
    if (whole && o->kind == KF__O_SCALAR) { /* "axis=1.0" from a front end without integers */
        *out = (int64_t)known.number;
        return true;
    }
    if (known.kind != KF__O_INT && known.kind != KF__O_BOOL)
        return not_known(ev, o, what, "an integer");
    *out = known.integer;
    return true;
}

bool kf__to_bool(kf__evaluator *ev, const kf__object *o, const char *what, bool *out) {
    kf__object known = kf__known(o);
    switch (known.kind) {
    case KF__O_NONE: *out = false; return true;
    case KF__O_BOOL:
    case KF__O_INT: *out = known.integer != 0; return true;
    case KF__O_FLOAT: *out = known.number != 0; return true;
    case KF__O_STRING:
    case KF__O_TUPLE:
        if (strcmp(what, "if") != 0) return not_known(ev, o, what, "True or False");
        *out = known.n != 0;
        return true;
    default: return not_known(ev, o, what, "True or False");
    }
}

bool kf__to_size(kf__evaluator *ev, const kf__object *o, const char *what, kf__expr *out) {
    int64_t value = 0;
    if (o->kind == KF__O_SIZE) {
        *out = o->size;
        return true;
    }
    if (!kf__to_int(ev, o, what, &value)) return false;
    *out = kf__x_const(&ev->g->exprs, value);
    return *out || kf__eval_memory(ev);
}

bool kf__to_axis(kf__evaluator *ev, const kf__object *o, const char *what, int64_t *out) {
    if (o->kind == KF__O_BOOL) return not_known(ev, o, what, "an integer");
    return kf__to_int(ev, o, what, out);
}

bool kf__to_ints(kf__evaluator *ev, const kf__object *o, const char *what, int64_t *out, int *n) {
    *n = -1;
    if (o->kind == KF__O_NONE) return true;
    if (o->kind != KF__O_TUPLE) {
        *n = 1;
        return kf__to_axis(ev, o, what, out);
    }
    if (o->n > KF__MAX_RANK)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "`%s` has %u items; at most %d dimensions are "
                                               "possible", what, o->n, KF__MAX_RANK);
    *n = (int)o->n;
    for (uint32_t i = 0; i < o->n; i++)
        if (!kf__to_axis(ev, &o->items[i], what, &out[i])) return false;
    return true;
}

bool kf__ask_fits(kf__evaluator *ev, kf__dtype dtype, int64_t value) {
    return kf__fits(dtype, value) || kf__eval_fail(ev, KF_ERR_TYPE, "%lld doesn't fit %s",
                                                   (long long)value, kf__types[dtype].name);
}

bool kf__ask_object_fits(kf__evaluator *ev, kf__dtype dtype, const kf__object *o) {
    if (o->kind == KF__O_INT) return kf__ask_fits(ev, dtype, o->integer);
    return o->kind != KF__O_SIZE || kf__size_fits(ev->g, dtype, o->size) || kf__eval_memory(ev);
}

bool kf__to_shape(kf__evaluator *ev, const kf__object *o, kf__expr *out, int *rank) {
    const kf__object *items = o->kind == KF__O_TUPLE ? o->items : o;
    uint32_t n = o->kind == KF__O_TUPLE ? o->n : 1;
    if (n > KF__MAX_RANK)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "a shape of %u sizes; at most %d dimensions are "
                                               "possible", n, KF__MAX_RANK);
    *rank = (int)n;
    for (uint32_t i = 0; i < n; i++)
        if (!kf__to_size(ev, &items[i], "shape", &out[i])) return false;
    return true;
}

/* NumPy's codes of a letter and so many bytes. */
static bool dtype_of_code(const kf__object *o, kf__dtype *out) {
    static const char *const codes[] = {"f2", "f4", "f8", "i1", "i2", "i4", "u1", "?"};
    static const kf__dtype types[] = {KF__F16, KF__F32, KF__F64, KF__I8, KF__I16, KF__I32, KF__U8,
                                      KF__BOOL};
    size_t i = kf__index_of(codes, KF__COUNT(codes), o->text, o->n);
    if (i < KF__COUNT(codes)) *out = types[i];
    return i < KF__COUNT(codes);
}

static bool dtype_of_string(kf__evaluator *ev, const kf__object *o, kf__dtype *out) {
    if (o->n == 2 && o->text[1] == '8' && (o->text[0] == 'i' || o->text[0] == 'u'))
        return kf__eval_fail(ev, KF_ERR_TYPE, "'%.2s' has 64 bits in NumPy, %.2s without quotes 8: "
                                              "write %s", o->text, o->text,
                             o->text[0] == 'i' ? "'int64' or 'int8'" : "'uint8'");
    if (kf__dtype_from_name(o->text, o->n, out) || dtype_of_code(o, out)) return true;
    return kf__eval_fail(ev, KF_ERR_TYPE, "there is no dtype `%.*s`; there are bool, int8, "
                                          "float32, ...", (int)kf__min(o->n, 40u), o->text);
}

bool kf__to_dtype(kf__evaluator *ev, const kf__object *o, kf__dtype *out) {
    if (o->kind == KF__O_DTYPE) *out = (kf__dtype)o->dtype;
    else if (o->kind == KF__O_STRING) return dtype_of_string(ev, o, out);
    else
        return kf__eval_fail(ev, KF_ERR_TYPE, "a dtype is needed (f32, int8, ...), not %s",
                             kf__object_text(o));
    return true;
}

/* ---------------------------------------------------------------- makers */

kf__object kf__size_object(kf__evaluator *ev, kf__expr size) {
    kf__object o = {.kind = KF__O_INT};
    if (kf__x_is_const(&ev->g->exprs, size, &o.integer)) return o;
    return (kf__object){.kind = KF__O_SIZE, .size = size};
}

bool kf__tuple(kf__evaluator *ev, const kf__object *items, uint32_t n, kf__object *out) {
    if (n > KF__MAX_TUPLE)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "a tuple of more than %d items", KF__MAX_TUPLE);
    const kf__object *kept = kf__arena_copy(&ev->arena, items, n * sizeof *items);
    if (n && !kept) return kf__eval_memory(ev);
    *out = (kf__object){.kind = KF__O_TUPLE, .n = n, .items = kept};
    return true;
}
