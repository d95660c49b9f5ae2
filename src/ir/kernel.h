/* What fuse makes of a graph: values and the kernels that compute them.
 *
 * A kernel is a domain of axes, some of them reduced, and an SSA body over it without any views:
 * each load has an index map from the axes to the dims of what it loads (usually affine). An
 * instruction lives at the outermost level that its arguments allow:
 *
 *     SCALAR   once a kernel             numbers, what follows from them
 *     ROW      once per kept index       results of reductions, what follows from them
 *     FULL     once per kept and reduced index
 *
 * and at a stage: a reduction whose argument is at stage s gives its result to stage s + 1. So
 *
 *     out = x - mean(x)       v0 = load x   FULL 0
 *                             v1 = mean v0  ROW  1
 *                             v2 = v0 - v1  FULL 1
 *
 * A kernel with a SCAN, which has a value for each element though it needs those before it, has no
 * REDUCE; its reduced axis is the one along which it is cumulative, wherever that is.
 *
 * All reductions of a kernel reduce all of its reduced axes. Instructions of level FULL at stages
 * above 0 exist only where kind is ROW (the reduced axes are the last ones).
 */
#ifndef KFUSE_IR_KERNEL_H
#define KFUSE_IR_KERNEL_H

#include "ir/graph.h"

/* Indices may use symbols besides axes: values known when the kernel runs, as a gather's. They are
 * written as the axes KF__FIRST_SYMBOL and following. */
enum { KF__MAX_AXES = KF__MAX_RANK, KF__FIRST_SYMBOL = 16, KF__MAX_SYMBOLS = 16,
       KF__ALL_AXES = 32 };

typedef enum kf__level { KF__LEVEL_SCALAR, KF__LEVEL_ROW, KF__LEVEL_FULL } kf__level;

typedef enum kf__instr_kind {
    KF__I_LOAD,     /* access; args[0], if there is one, a bool: where it is false memory isn't
                       touched and the value is 0. Behind it, the symbols in its index */
    KF__I_CONSTANT, /* number or integer by its dtype's class */
    KF__I_SCALAR,   /* index: which of graph->inputs */
    KF__I_SIZE,     /* index: a kf__expr of names, whose value it is; i64 */
    KF__I_OP,       /* op; args */
    KF__I_CAST,     /* args[0] to dtype; to f16 or bf16: rounds, stays f32 */
    KF__I_REDUCE,   /* op: kf__reduction; args[0]; a state, used only by PROJECT */
    KF__I_PROJECT,  /* field of the state args[0] */
    KF__I_RANDOM,   /* args: seed, stream; access: its row-major index (of no value) */
    KF__I_INDEX,    /* access (of no value, rank 1): its index itself, i64 */
    KF__I_INSIDE,   /* access (of no value, rank 1): is its index in [0, shape)? bool */
    KF__I_PICK,     /* args[0] ? args[1] : args[2]; field: a kf__pick. Of args[1] only elements
                       where args[0] holds count, and of args[2] the others */
    KF__I_SCAN,     /* op: kf__reduction of one field; args[0] folded along the one reduced axis
                       from the last multiple of `integer` on (0: from the first element); FULL, one
                       stage behind args[0] */
} kf__instr_kind;

typedef enum kf__pick {
    KF__PICK_ELSE, /* a pad's */
    KF__PICK_MORE, /* a concatenation's: args[2] is a PICK whose bool never holds with this one's */
    KF__PICK_LAST, /* its last: args[0] holds wherever the value counts */
} kf__pick;

typedef struct kf__instr {
    uint8_t kind, op, field, dtype; /* dtype: the node's; computing is done in its compute type */
    uint8_t level, stage, n_args;
    uint16_t args[3]; /* earlier instructions */
    uint32_t access;  /* LOAD, RANDOM, INDEX, INSIDE: index into accesses */
    uint32_t index;   /* SCALAR, SIZE */
    double number;
    int64_t integer;
    kf__ref node;     /* where it comes from, for names in the source */
} kf__instr;

/* Where a load, store or random node is for given axes: one index per dim of the value. Affine ones
 * become a stride for each axis when planned. */
typedef struct kf__access {
    uint32_t value;   /* index into program values; KF__NO_VALUE for RANDOM, INDEX, INSIDE */
    int rank;
    kf__expr *index;  /* [rank], over the kernel's axes and symbols */
    kf__expr *shape;  /* [rank] of the value, row-major when it is RANDOM or a temporary */
    kf__ref random;   /* whose bits, so that no two nodes share an access; 0: not of RANDOM */
    bool affine;
    bool flat;   /* its place is, in an array that is one run */
    bool inside; /* an INSIDE's: only whether the index is in [0, shape) counts, not its value */
    bool run;    /* while lowered: the value is one run in memory, and index its place there */
} kf__access;
#define KF__NO_VALUE UINT32_MAX
enum { KF__MAX_ACCESSES = 64 }; /* of a kernel: masks of them are one word */

/* Mask of the axes and symbols in its index. */
static inline uint32_t kf__access_axes(const kf__exprs *pool, const kf__access *a) {
    uint32_t axes = 0;
    for (int d = 0; d < a->rank; d++) axes |= kf__axes_of(pool, a->index[d]);
    return axes;
}

/* The axes that the values of the n symbols, as far as they are among `axes`, depend on: axes_of[k]
 * are those of symbol k. */
static inline uint32_t kf__symbol_axes(uint32_t n, const uint32_t *axes_of, uint32_t axes) {
    uint32_t of = 0;
    for (uint32_t k = 0; k < n; k++)
        if (axes >> (KF__FIRST_SYMBOL + k) & 1) of |= axes_of[k];
    return of;
}

typedef struct kf__store {
    uint32_t access;
    uint16_t instr;
} kf__store;

typedef enum kf__kernel_kind {
    KF__POINTWISE, KF__ROW, KF__COLUMN, KF__FULL, KF__COPY, KF__GATHERING,
    KF__KERNEL_KIND_COUNT,
} kf__kernel_kind;
extern const char *const kf__kernel_kinds[KF__KERNEL_KIND_COUNT]; /* "pointwise", ... */

typedef struct kf__kernel {
    char *name; /* a C identifier: "k0_exp_relu" */
    kf__kernel_kind kind;
    uint32_t n_axes, reduced; /* reduced: bit mask of axes */
    kf__expr *size;           /* [n_axes], row-major order of the full level */
    uint32_t n_instrs, n_accesses, n_stores, n_stages; /* n_stages: highest stage + 1 */
    kf__instr *instrs;
    kf__access *accesses;
    kf__store *stores;
    uint32_t n_symbols;
    uint16_t symbols[KF__MAX_SYMBOLS];     /* instructions, i64: always in [0, the extent) */
    uint32_t symbol_axes[KF__MAX_SYMBOLS]; /* which axes they depend on: bit masks */
    uint32_t n_ops;
    char **ops; /* [n_ops] what the user wrote that this kernel does, for explain */
} kf__kernel;

/* Its chunk of SCANs: -1: it has none. */
static inline int64_t kf__kernel_chunk(const kf__kernel *k) {
    for (uint32_t i = 0; i < k->n_instrs; i++)
        if (k->instrs[i].kind == KF__I_SCAN) return k->instrs[i].integer;
    return -1;
}

typedef enum kf__value_kind { KF__VALUE_INPUT, KF__VALUE_TEMP, KF__VALUE_RESULT } kf__value_kind;

typedef struct kf__value {
    kf__value_kind kind;
    uint32_t index; /* INPUT: of graph->inputs; RESULT: of graph->results */
    kf__dtype dtype;
    int rank;
    kf__expr *shape; /* [rank] */
    kf__ref node;
    uint32_t parts;  /* stores that write it, a concatenation's parts; 0 and 1: one writes all */
} kf__value;

/* Why a value is stored although it is needed in another kernel too. */
typedef struct kf__cut {
    uint32_t from, to; /* kernels */
    uint32_t value;
    const char *code;  /* "reduction-axis", "recompute-dearer", "user", "capacity", "cycle", ... */
    char *why;         /* a sentence */
} kf__cut;

/* The partition. Owned by its arena; keeps the graph's expressions and nodes by copy (graph). */
typedef struct kf__partition {
    kf_graph *graph; /* simplified, owned */
    kf_graph *whole; /* owned: it before reductions were done in steps; NULL: they aren't */
    kf__arena arena;
    uint32_t n_values, n_kernels, n_cuts;
    kf__value *values;
    kf__kernel *kernels; /* in an order in which they can run */
    kf__cut *cuts;
} kf__partition;

static inline const kf_graph *kf__unstepped(const kf__partition *p) {
    return p->whole ? p->whole : p->graph;
}
void kf__partition_free(kf__partition *p);
kf_status kf__partition_verify(const kf__partition *p, kf_error *err);
void kf__partition_print(const kf__partition *p, kf__text *text);

#endif
