/* The tables of dtypes, elementwise operations and reductions, and how dtypes promote.
 *
 * Promotion: a float8 counts as float32. Of two dtypes that differ the higher class wins (bool <
 * int < float); of two floats
 * the larger, but float16 with bfloat16 is float32; of two ints the larger, but uint8 with
 * int8 is int16. */
#include "ir/ops.h"

#define TYPE(id, name, alias, code, bits, class, compute, stored, computed)              \
    [KF__##id] = {name, alias, {code, bits, 1}, bits / 8, KF__CLASS_##class, KF__##compute, \
                  #stored, #computed},
const kf__type kf__types[KF__DTYPE_COUNT] = {
#include "ir/types.def"
};
#undef TYPE

#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    [KF__##id] = {name, arity, KF__RULE_##rule, fcode, icode, ulp, lo, hi, grad, doc},
const kf__op_row kf__ops[KF__OP_COUNT] = {
#include "ir/ops.def"
};
#undef OP

#define RED(id, row_name, fields, of_nothing, text)                                 \
    [KF__RED_##id].name = row_name, [KF__RED_##id].n_fields = fields,               \
    [KF__RED_##id].empty = of_nothing, [KF__RED_##id].doc = text,
#define VALUE false
#define INDEX true
#define FIELD(id, k, field_name, fold, kind, term, close, merge) \
    [KF__RED_##id].field[k] = {field_name, KF__FOLD_##fold, kind, term, close, merge},
const kf__red_row kf__reds[KF__RED_COUNT] = {
#include "ir/reductions.def"
};
#undef RED
#undef FIELD
#undef VALUE
#undef INDEX

static bool same_text(const char *a, const char *b, size_t n) {
    return strlen(a) == n && memcmp(a, b, n) == 0;
}

bool kf__dtype_from_dlpack(kf_dtype from, kf__dtype *out) {
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        kf_dtype own = kf__types[t].dlpack;
        if (own.code != from.code || own.bits != from.bits || from.lanes != 1) continue;
        *out = (kf__dtype)t;
        return true;
    }
    return false;
}

bool kf__dtype_from_name(const char *name, size_t n, kf__dtype *out) {
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        if (!same_text(kf__types[t].name, name, n) && !same_text(kf__types[t].alias, name, n))
            continue;
        *out = (kf__dtype)t;
        return true;
    }
    return false;
}

bool kf__op_from_name(const char *name, size_t n, kf__opcode *out) {
    for (int op = 0; op < KF__OP_COUNT; op++) {
        if (!same_text(kf__ops[op].name, name, n)) continue;
        *out = (kf__opcode)op;
        return true;
    }
    return false;
}

kf__dtype kf__promote(kf__dtype a, kf__dtype b) {
    if (kf__is_storage(a)) a = KF__F32;
    if (kf__is_storage(b)) b = KF__F32;
    const kf__type *x = &kf__types[a], *y = &kf__types[b];
    if (a == b) return a;
    if (x->class != y->class) return x->class > y->class ? a : b;
    if (x->size != y->size) return x->size > y->size ? a : b;
    return x->class == KF__CLASS_FLOAT ? KF__F32 : KF__I16;
}

kf__dtype kf__red_dtype(kf__reduction red, kf__dtype t) {
    t = kf__promote(t, t);
    switch (red) {
    case KF__RED_SUM:
    case KF__RED_PROD: return kf__is_float(t) ? t : KF__I64;
    case KF__RED_ANY:
    case KF__RED_ALL: return KF__BOOL;
    case KF__RED_MOMENTS:
    case KF__RED_MAX_SUMEXP:
    case KF__RED_LOGADDEXP: return kf__is_float(t) ? t : KF__F32;
    default: return t;
    }
}
