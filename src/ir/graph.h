/* The graph: hash-consed SSA nodes over arrays.
 *
 * Nodes are appended to one array, arguments before users, so index order is a topological order.
 * Each has a dtype and a shape of size expressions. Making a node that exists gives the existing
 * one. Every maker checks what it is given; the first failure is written to graph->error and the
 * maker, and every maker that then gets its result, returns 0. So front ends check once, at the
 * end.
 *
 *   strict makers   arguments already have the right dtype and the same shape (graph.c)
 *   friendly ones   promote, broadcast, take negative axes (build.c)
 *
 * A node's value has the node's dtype only when it is stored: f16 and bf16 are computed in f32 and
 * not rounded until then, except by a CAST node, which rounds.
 */
#ifndef KFUSE_IR_GRAPH_H
#define KFUSE_IR_GRAPH_H

#include "ir/expr.h"
#include "ir/ops.h"

typedef uint32_t kf__ref; /* index of a node; 0: none */

enum { KF__MAX_RANK = 16, KF__MAX_ARRAY_RANK = 8, KF__MAX_NODES = 1000000,
       KF__MOST_IN_CHAIN = 8 /* arrays that are concatenated one by one */ };

typedef enum kf__kind {
    KF__NONE,
    KF__INPUT,    /* an array; index: its place in graph->inputs */
    KF__CONSTANT, /* rank 0; number (floats) or integer */
    KF__SCALAR,   /* rank 0, f64 or i64 by value at each run; index: its place in graph->inputs */
    KF__SIZE,     /* rank 0, i64: the value of a size, known when planned; index: its kf__expr */
    KF__OP,       /* elementwise; op: kf__opcode */
    KF__CAST,     /* to dtype */
    KF__REDUCE,   /* op: kf__reduction, field, axes (bit mask); those dims stay, with size 1 */
    KF__EXPAND,   /* dims of size 1 become larger; same rank */
    KF__PERMUTE,  /* perm[i]: which dim of the argument becomes dim i */
    KF__RESHAPE,  /* same number of elements, row-major order */
    KF__SLICE,    /* index i of dim d reads start[d] + i * step[d]; step may be negative */
    KF__RANDOM,   /* args: seed and stream, rank 0 i64; 32 random bits an element in i32, or 64 */
    KF__IOTA,     /* rank 1, i64: element i is start[0] + i * step[0] */
    KF__PAD,      /* args: array; value, rank 0. Dim d: start[d] values, the array's, values. Where
                     start or what is behind is negative, elements are left out */
    KF__CONCAT,   /* args: two arrays, one behind the other along axis `index` */
    KF__GATHER,   /* args: array; integers of the result's shape: where to read along axis `index`.
                     Negative ones count from the end; what is outside gives 0 */
    KF__SCAN,     /* op: kf__reduction of one field; along axis `index` each element folded with all
                     before it, from the last multiple of `axes` on (0: from the first one) */
    KF__KIND_COUNT
} kf__kind;

typedef struct kf__node {
    uint8_t kind, dtype, rank, n_args;
    uint8_t op, field;
    bool weak;     /* a number without a dtype of its own: takes the arrays' */
    uint32_t call; /* the user's operator or outermost library call; not part of identity */
    uint32_t axes; /* REDUCE; SCAN: the length of a chunk */
    uint32_t index;
    kf__expr *shape; /* [rank] */
    kf__ref args[3];
    union {
        double number;
        int64_t integer;
        uint8_t perm[KF__MAX_RANK];
        struct {
            kf__expr *start; /* [rank] */
            int64_t *step;   /* [rank] */
        } slice; /* and IOTA, PAD */
    } u;
} kf__node;

typedef struct kf__graph_input {
    char *name;
    bool scalar;
    bool present; /* false: left out, its default was used */
    kf__dtype dtype;
    int rank;
    kf__ref node; /* 0 if the graph doesn't use it */
    kf__expr size[KF__MAX_ARRAY_RANK]; /* the name or constant 1 (or annotated constant) it has */
} kf__graph_input;

/* Two sizes that must be equal for the graph to mean anything: checked when planned. A reason that
 * begins with KF__WHY_INDEX: min(size, reach of the index) is the reach, or max(index, 0) the
 * index. */
#define KF__WHY_INDEX "index "
#define KF__WHY_SIZE "a size" /* max(size, 0) is the size */
#define KF__WHY_FITS "doesn't fit " /* its beginning; the size as near as the dtype has it is it */
#define KF__WHY_ELEMENTS "elements don't " /* the larger one is how many there are */
#define KF__WHY_NOTHING " of nothing: a reduced axis has size 0" /* its end */
typedef struct kf__constraint {
    kf__expr a, b;
    char *why;        /* "x + y", for the message */
    char *shown;      /* the line of the text that asks for it, with a caret; NULL: unknown */
    int line, column; /* where that is */
} kf__constraint;

/* Of a size expression that a constraint holds for: another one of its class, or 0: it stands for
 * all `n` of its class. */
typedef struct kf__equal {
    kf__expr to;
    uint32_t n;
} kf__equal;

struct kf_graph {
    const kf_allocator *mem;
    kf__arena arena; /* shapes, names */
    kf__exprs exprs;
    KF__VEC(kf__node) nodes; /* [0] is NONE */
    uint32_t *table;
    uint32_t table_size;
    KF__VEC(kf__graph_input) inputs;
    KF__VEC(kf__ref) results;
    KF__VEC(char *) result_names;
    KF__VEC(kf__constraint) constraints;
    KF__VEC(kf__equal) equal; /* [exprs, perhaps fewer] what the constraints make equal */
    KF__VEC(char *) calls; /* names of calls, [0] is "" */
    uint32_t call;         /* given to new nodes */
    kf_numerics numerics;
    kf_error error; /* first failure */
};

/* NULL when out of memory. mem must outlive the graph. Freed with kf_graph_free. */
kf_graph *kf__graph_new(const kf_allocator *mem);
/* A graph without nodes and results, but with `from`'s expressions (the same ids), inputs (their
 * nodes come with kf__remake), constraints, calls and numerics: where a pass rebuilds `from`. */
kf_graph *kf__graph_like(const kf_graph *from);

static inline const kf__node *kf__at(const kf_graph *g, kf__ref r) { return &g->nodes.at[r]; }
static inline bool kf__graph_ok(const kf_graph *g) { return g->error.status == KF_OK; }
/* Does it but move elements? */
static inline bool kf__is_view(const kf__node *n) {
    return n->kind == KF__EXPAND || n->kind == KF__PERMUTE || n->kind == KF__RESHAPE ||
           n->kind == KF__SLICE;
}

/* ---------------------------------------------------------------- strict makers */

/* size: rank expressions, names or constants. */
kf__ref kf__input(kf_graph *g, const char *name, kf__dtype dtype, int rank, const kf__expr *size);
kf__ref kf__scalar(kf_graph *g, const char *name, kf__dtype dtype /* F64 or I64 */);
/* An input that is there but not used (a default was taken, or its value was structural). */
void kf__input_unused(kf_graph *g, const char *name, bool present);
kf__ref kf__constant(kf_graph *g, kf__dtype dtype, double number, int64_t integer, bool weak);
/* A size as a number: weak i64, a constant where it is one. */
kf__ref kf__size(kf_graph *g, kf__expr size);
kf__ref kf__number(kf_graph *g, double value);   /* weak f32 constant */
kf__ref kf__integer(kf_graph *g, int64_t value); /* weak i64 constant */
/* dtype is the result's. Same shapes; arguments have the compute type that the rule asks for. */
kf__ref kf__op(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args);
kf__ref kf__cast(kf_graph *g, kf__ref a, kf__dtype dtype);
kf__ref kf__reduce(kf_graph *g, kf__reduction red, int field, uint32_t axes, kf__ref a);
/* chunk: elements after which it begins anew; 0: never. */
kf__ref kf__scan(kf_graph *g, kf__reduction red, int axis, uint32_t chunk, kf__ref a);
kf__ref kf__expand(kf_graph *g, kf__ref a, const kf__expr *shape);
kf__ref kf__permute(kf_graph *g, kf__ref a, const uint8_t *perm);
kf__ref kf__reshape(kf_graph *g, kf__ref a, int rank, const kf__expr *shape);
kf__ref kf__slice(kf_graph *g, kf__ref a, const kf__expr *shape, const kf__expr *start,
                  const int64_t *step);
/* start, start + step, ...: n of them. step may be 0 or negative. */
kf__ref kf__iota(kf_graph *g, kf__expr n, kf__expr start, int64_t step);
/* before: how many values stand before the array's elements. */
kf__ref kf__pad(kf_graph *g, kf__ref a, kf__ref value, const kf__expr *shape,
                const kf__expr *before);
kf__ref kf__concat(kf_graph *g, int axis, kf__ref a, kf__ref b);
/* a and indices have the same shape but along the axis. */
kf__ref kf__gather(kf_graph *g, int axis, kf__ref a, kf__ref indices);
/* dtype: I32 or I64 */
kf__ref kf__random(kf_graph *g, kf__dtype dtype, kf__ref seed, kf__ref stream, int rank,
                   const kf__expr *shape);
void kf__result(kf_graph *g, kf__ref a, const char *name);

/* Any node again, in g, with other arguments: what passes rebuild graphs with. `like` may be of the
 * graph that g was made like (kf__graph_like), or a copy with renamed sizes. */
kf__ref kf__remake(kf_graph *g, const kf__node *like, const kf__ref *args);

/* Sizes must be equal: gives the one to use, remembers the constraint. 0 where they can't be. */
kf__expr kf__same_size(kf_graph *g, kf__expr a, kf__expr b, const char *why);
/* A size becomes a value of that dtype: remembers that it must fit. False when out of memory. */
bool kf__size_fits(kf_graph *g, kf__dtype dtype, kf__expr size);
/* Remember a constraint; its texts are copied. False when out of memory. */
bool kf__keep_constraint(kf_graph *g, kf__constraint constraint);
/* Are they the same, or equal by the constraints so far? */
bool kf__sizes_equal(const kf_graph *g, kf__expr a, kf__expr b);
/* Fail in g->error; returns 0. */
kf__ref kf__graph_fail(kf_graph *g, kf_status status, const char *format, ...) KF__PRINTF(3, 4);
uint32_t kf__call(kf_graph *g, const char *name); /* a new call number */

/* ---------------------------------------------------------------- friendly makers */

/* An operation on anything: promotes, casts, broadcasts. */
kf__ref kf__apply(kf_graph *g, kf__opcode op, const kf__ref *args);
static inline kf__ref kf__apply1(kf_graph *g, kf__opcode op, kf__ref a) {
    return kf__apply(g, op, (kf__ref[]){a});
}
static inline kf__ref kf__apply2(kf_graph *g, kf__opcode op, kf__ref a, kf__ref b) {
    return kf__apply(g, op, (kf__ref[]){a, b});
}
/* Broadcast a (NumPy's rules) to a shape whose rank isn't smaller. */
kf__ref kf__broadcast_to(kf_graph *g, kf__ref a, int rank, const kf__expr *shape);
/* n >= 1 arrays of one rank, promoted; axis in [0, rank). */
kf__ref kf__concat_all(kf_graph *g, int axis, const kf__ref *args, int n);
/* A bool, integer or float to a float dtype: integers f32. */
kf__ref kf__to_float(kf_graph *g, kf__ref a);
/* axes: n (possibly negative) ones; n < 0: all. Without keepdims the dims go away. Handles what
 * kf__red_dtype says, by casts. */
kf__ref kf__reduce_axes(kf_graph *g, kf__reduction red, int field, kf__ref a, const int64_t *axes,
                        int n, bool keepdims);
kf__ref kf__insert_axis(kf_graph *g, kf__ref a, int at);
/* Along one axis n elements, start, start + step, ...; all of the others. */
kf__ref kf__slice_axis(kf_graph *g, kf__ref a, int axis, kf__expr start, kf__expr n, int64_t step);
kf__ref kf__remove_axis(kf_graph *g, kf__ref a, int at); /* size must be 1 */
/* "float32[x.0, 4]", for messages and dumps. */
void kf__print_type(const kf_graph *g, kf__ref a, kf__text *text);

kf_status kf__graph_verify(const kf_graph *g, kf_error *err);
void kf__graph_print(const kf_graph *g, kf__text *text);

#endif
