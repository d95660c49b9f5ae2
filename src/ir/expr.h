/* Integer expressions over names and axes: sizes, and indices of index maps.
 *
 * A size is made of constants, names (a size known when planned) and + * floordiv mod min max. An
 * index is the same with axes, each of which runs over [0, extent). Expressions are hash-consed in
 * a pool and canonical: a sum is a chain sorted by id with constant factors collected, so equal
 * means the same id. Nothing is ever negative but constants and their multiples.
 *
 *     (i * 4 + j) // 4  ->  i         where j's extent is 4: division and modulo are resolved
 *     (i * 4 + j) % 4  ->  j         wherever ranges prove it: most reshapes become affine maps
 */
#ifndef KFUSE_IR_EXPR_H
#define KFUSE_IR_EXPR_H

#include "base/base.h"

typedef uint32_t kf__expr; /* index into a pool; 0: none (out of memory, or not set) */

typedef enum kf__expr_kind {
    KF__X_NONE, KF__X_CONST, KF__X_NAME, KF__X_AXIS,
    KF__X_ADD, KF__X_MUL, KF__X_DIV, KF__X_MOD, KF__X_MIN, KF__X_MAX,
} kf__expr_kind;

typedef struct kf__expr_node {
    uint8_t kind;
    uint8_t leaves; /* as it is printed; 255: or more */
    uint16_t depth; /* of nesting, so that recursion over it is bounded */
    uint32_t axes;  /* mask of the axes and symbols in it, of the first 32 */
    kf__expr a, b; /* operands; AXIS: b is the extent */
    int64_t value; /* CONST: the constant; NAME: index of the name; AXIS: index of the axis */
} kf__expr_node;

typedef struct kf__exprs {
    const kf_allocator *mem;
    KF__VEC(kf__expr_node) nodes; /* [0] is NONE */
    KF__VEC(char *) names;        /* owned; in order of their making */
    uint32_t *name_table, name_slots; /* their indices + 1 by their hashes */
    uint32_t *table;              /* open addressing, capacity a power of two */
    uint32_t table_size;
    struct kf__known *known;  /* [table_size], what was asked last (poly.h); or NULL */
    uint64_t answers;         /* what wasn't known: work, for tests */
    bool failed;   /* out of memory, or too_deep */
    bool too_deep; /* nested beyond KF__EXPR_DEPTH */
} kf__exprs;

enum { KF__EXPR_DEPTH = 2000 };
#define KF__SIZES_TOO_DEEP "sizes are computed from sizes more than %d levels deep"

void kf__exprs_init(kf__exprs *pool, const kf_allocator *mem);
void kf__exprs_free(kf__exprs *pool);

kf__expr kf__x_const(kf__exprs *pool, int64_t value);
kf__expr kf__x_name(kf__exprs *pool, const char *name, size_t n); /* the same name: the same expr */
kf__expr kf__x_axis(kf__exprs *pool, uint32_t axis, kf__expr extent);
kf__expr kf__x_add(kf__exprs *pool, kf__expr a, kf__expr b);
kf__expr kf__x_sub(kf__exprs *pool, kf__expr a, kf__expr b);
kf__expr kf__x_mul(kf__exprs *pool, kf__expr a, kf__expr b);
kf__expr kf__x_div(kf__exprs *pool, kf__expr a, kf__expr b); /* floor; b > 0 */
kf__expr kf__x_mod(kf__exprs *pool, kf__expr a, kf__expr b); /* in [0, b); b > 0 */
kf__expr kf__x_min(kf__exprs *pool, kf__expr a, kf__expr b);
kf__expr kf__x_max(kf__exprs *pool, kf__expr a, kf__expr b);
/* A place along n elements that may count from the end: a + n where a is below 0, at least `least`,
 * which isn't above 0. */
kf__expr kf__x_wrapped(kf__exprs *pool, kf__expr a, kf__expr n, int64_t least);
/* seen[i] = 1 for each name i in the expression. */
void kf__x_note_names(const kf__exprs *pool, kf__expr e, uint8_t *seen);
bool kf__x_has_name(const kf__exprs *pool, kf__expr e, int64_t name);

bool kf__x_is_const(const kf__exprs *pool, kf__expr a, int64_t *value);
static inline bool kf__x_is(const kf__exprs *pool, kf__expr a, int64_t value) {
    int64_t v;
    return kf__x_is_const(pool, a, &v) && v == value;
}
/* Is a below b for every value of names and axes? True only where it can be proved. */
bool kf__x_below(kf__exprs *pool, kf__expr a, kf__expr b);
/* Is a at least 1 wherever all of these are? True only where it can be proved. */
bool kf__x_positive_where(kf__exprs *pool, kf__expr a, const kf__expr *positive, uint32_t n);

/* Replace axis i by with[i] (0: leave it). */
kf__expr kf__x_substitute(kf__exprs *pool, kf__expr a, const kf__expr *with, uint32_t n);
/* Replace name i by with[i] (0: leave it). */
kf__expr kf__x_rename(kf__exprs *pool, kf__expr a, const kf__expr *with, uint32_t n);

/* Split an index into offset + sum over axes i < n of coefficient[i] * axis i, all free of axes;
 * zero coefficients are 0 (none). False where it isn't affine. */
bool kf__x_affine(kf__exprs *pool, kf__expr a, uint32_t n, kf__expr *coefficient, kf__expr *offset);
/* The row-major place of an index: of n // size and n % size it is n. */
kf__expr kf__x_place(kf__exprs *pool, uint32_t rank, const kf__expr *index, const kf__expr *shape);

static inline uint32_t kf__axes_of(const kf__exprs *pool, kf__expr e) {
    return pool->nodes.at[e].axes;
}

/* The value for given names and axes; false when int64 overflows, by a division by what isn't above
 * 0, or for a name whose value is negative (unset). */
bool kf__x_eval(const kf__exprs *pool, kf__expr a, const int64_t *names, const int64_t *axes,
                int64_t *out);
/* The same of a part of an index: x // 0 and x % 0, of an array of nothing, are 0. */
bool kf__x_eval_place(const kf__exprs *pool, kf__expr a, const int64_t *names, int64_t *out);

/* Of what has 255 leaves or more, as a shared part's double may, only the short parts. */
void kf__x_print(const kf__exprs *pool, kf__expr a, kf__text *text);

#endif
