/* Dtypes, elementwise operations and reductions as tables, read from types.def, ops.def and
 * reductions.def. Nothing else in kfuse knows an operation by name. */
#ifndef KFUSE_IR_OPS_H
#define KFUSE_IR_OPS_H

#include "base/base.h"

/* ---------------------------------------------------------------- dtypes */

typedef enum kf__dtype {
#define TYPE(id, name, alias, code, bits, class, compute, stored, computed) KF__##id,
#include "ir/types.def"
#undef TYPE
    KF__DTYPE_COUNT
} kf__dtype;

typedef enum kf__class { KF__CLASS_BOOL, KF__CLASS_INT, KF__CLASS_FLOAT } kf__class;

typedef struct kf__type {
    const char *name, *alias; /* "float32", "f32" */
    kf_dtype dlpack;
    int size; /* bytes stored */
    kf__class class;
    kf__dtype compute;            /* what arithmetic is done in */
    const char *stored, *computed; /* C types */
} kf__type;

extern const kf__type kf__types[KF__DTYPE_COUNT];

static inline kf__dtype kf__compute(kf__dtype t) { return kf__types[t].compute; }
/* Is it a float that is stored in fewer digits than it is computed with: a half, a float8? */
static inline bool kf__is_narrow(kf__dtype t) { return kf__compute(t) != t; }
/* A float8: what moves elements is of such a dtype, no arithmetic. */
static inline bool kf__is_storage(kf__dtype t) { return t == KF__F8E4M3 || t == KF__F8E5M2; }
static inline bool kf__is_float(kf__dtype t) { return kf__types[t].class == KF__CLASS_FLOAT; }
bool kf__dtype_from_dlpack(kf_dtype from, kf__dtype *out);
bool kf__dtype_from_name(const char *name, size_t n, kf__dtype *out); /* long or short names */
/* The dtype of an operation on a and b (docs/design.md has the table). */
kf__dtype kf__promote(kf__dtype a, kf__dtype b);
/* The dtype that holds elements of either, unchanged: as promoted, but a float8 with itself
 * stays. */
static inline kf__dtype kf__join(kf__dtype a, kf__dtype b) {
    return a == b ? a : kf__promote(a, b);
}
/* Can an array of that dtype hold the integer? Of floats and bools: yes. */
bool kf__fits(kf__dtype t, int64_t v);

/* ---------------------------------------------------------------- elementwise operations */

/* How an operation's argument and result dtypes are found. All but WHERE and the random ones first
 * bring their arguments to one dtype by kf__promote. */
typedef enum kf__rule {
    KF__RULE_ARITH,   /* result as promoted; two bools are an error that names & | ^ and cast */
    KF__RULE_SAME,    /* one argument of any number type, result the same; bool is an error */
    KF__RULE_FLOAT,   /* integers and bools first become f32 */
    KF__RULE_DIVIDE,  /* as FLOAT, two arguments */
    KF__RULE_COMPARE, /* result bool */
    KF__RULE_TEST,    /* one argument, result bool */
    KF__RULE_BITS,    /* integers or bools */
    KF__RULE_INTEGER, /* integers */
    KF__RULE_WHERE,   /* bool, then two promoted ones */
    KF__RULE_UNIFORM, /* i32 -> f32, i64 -> f64 */
    KF__RULE_LIMIT,   /* f64 -> i64 */
    KF__RULE_KEEP,    /* i32, i64 -> bool */
    KF__RULE_BELOW,   /* i64, i64 -> i64 */
} kf__rule;

typedef enum kf__opcode {
#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) KF__##id,
#include "ir/ops.def"
#undef OP
    KF__OP_COUNT
} kf__opcode;

typedef struct kf__op_row {
    const char *name;
    int arity;
    kf__rule rule;
    const char *float_code, *int_code; /* templates: a, b, c and T */
    double ulp;
    double lo, hi;
    const char *gradient, *doc;
} kf__op_row;

extern const kf__op_row kf__ops[KF__OP_COUNT];
bool kf__op_from_name(const char *name, size_t n, kf__opcode *out);
/* Does it take as long as an exponential: a function of the prelude, or a quotient's remainder? */
static inline bool kf__op_is_dear(kf__opcode op) {
    bool divides = op == KF__FLOOR_DIVIDE || op == KF__REMAINDER || op == KF__FMOD ||
                   op == KF__GCD || op == KF__LCM;
    return divides || kf__ops[op].ulp > 0;
}
/* Hundreds of instructions that branch, on a GPU? */
static inline bool kf__op_is_long(kf__opcode op) {
    return op == KF__LGAMMA || op == KF__DIGAMMA || op == KF__FMOD || op == KF__REMAINDER;
}

/* ---------------------------------------------------------------- reductions */

typedef enum kf__fold {
    KF__FOLD_SUM, KF__FOLD_PROD, KF__FOLD_MAX, KF__FOLD_MIN, KF__FOLD_ANY, KF__FOLD_ALL,
    KF__FOLD_LOGADDEXP,
} kf__fold;

typedef enum kf__reduction {
#define RED(id, name, n_fields, empty, doc) KF__RED_##id,
#define FIELD(id, k, name, fold, kind, term, close, merge)
#include "ir/reductions.def"
#undef RED
#undef FIELD
    KF__RED_COUNT
} kf__reduction;

enum { KF__MAX_FIELDS = 2 };

typedef struct kf__field_row {
    const char *name;
    kf__fold fold;
    bool index; /* i64, of an element; else of the elements' type */
    const char *term, *close, *merge; /* templates: see reductions.def */
} kf__field_row;

typedef struct kf__red_row {
    const char *name;
    int n_fields;
    const char *empty; /* result of nothing, see reductions.def; NULL: an error */
    const char *doc;
    kf__field_row field[KF__MAX_FIELDS];
} kf__red_row;

extern const kf__red_row kf__reds[KF__RED_COUNT];
/* The dtype that a reduction of t casts its argument to, and gives: i64 for sum and prod of
 * integers and bools, bool for any and all, t itself for max, min, argmax and argmin, else a float
 * type. */
kf__dtype kf__red_dtype(kf__reduction red, kf__dtype t);
/* What a field is, of an argument that has been cast to t. */
static inline kf__dtype kf__field_dtype(kf__reduction red, int field, kf__dtype t) {
    return kf__reds[red].field[field].index ? KF__I64 : t;
}

#endif
