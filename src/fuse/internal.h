/* Between the files of this room.
 *
 *   views.c      index vectors through views
 *   domain.c     the axes of a kernel, and which values and reductions fit them
 *   body.c       demand traversal: roots and a domain -> an SSA body
 *   instr.c      its instructions and accesses
 *   cut.c        where it can't be: what to store first
 *   join.c       pads and concatenations in a body
 *   gather.c     reads at indices that are values
 *   cost.c       bytes and work of a body or kernel
 *   lines.c      what an access takes besides its bytes
 *   readers.c    which kernels read a value
 *   merge.c      kernels that come together
 *   recompute.c  what is dear to compute again
 *   parts.c      concatenations whose parts are written by kernels of their own
 *   names.c      names of kernels, sentences of cuts
 *   factor.c     reductions over several axes in two steps
 *   fuse.c       the driver
 *   search.c     other sets of stored values
 *   partition.c  the result: values, kernels in order, cuts
 */
#ifndef KFUSE_FUSE_INTERNAL_H
#define KFUSE_FUSE_INTERNAL_H

#include "fuse/fuse.h"

typedef enum kf__cut_code {
#define CUT(id, code, sentence) KF__CUT_##id,
#include "fuse/cuts.def"
#undef CUT
    KF__CUT_COUNT
} kf__cut_code;

enum {
    KF__MAX_OPERANDS = 24, /* loads, stores and random arrays of a kernel */
    KF__MAX_STATES = 20,   /* fields of all its reductions: 256 threads' fit in shared memory */
    KF__MAX_STAGES = 32,
    KF__MAX_INSTRS = 2000,
    KF__MAX_TEXT = 1200, /* for a compiler: 60 sines, 2 seconds */
    KF__MAX_PICKS = 64, /* each is a loop of its own, which C compilers take long for */
    KF__MAX_DEPTH = 1200, /* of one demand: recursion in C */
    KF__MAX_LEAVES = 64,  /* of an index */
    KF__NO_INSTR = 0xffff,
    KF__BUCKETS = 1024, /* of a body's hash tables */
};

/* Axes of a kernel: sizes that aren't literally 1, some of them reduced. Where it scans, the one
 * that is cumulative counts as reduced, though its values have all of it. */
typedef struct kf__domain {
    uint32_t n, reduced;
    bool scans;
    uint32_t chunk; /* of its scans */
    kf__expr size[KF__MAX_AXES];
} kf__domain;

/* What a kernel is for: a result, or a value that other kernels load. */
typedef struct kf__root {
    kf__ref node;
    int32_t result; /* index of a result; -1: a temporary */
    bool store;     /* false: a temporary that only its own kernel needs */
    kf__ref whole;  /* the result, a concatenation, that it is a part of; 0: it is all of it */
    kf__expr at;    /* where the part begins, along the concatenation's axis */
} kf__root;
typedef KF__VEC(kf__root) kf__roots;

enum {
    KF__IS_RESULT = 1,
    KF__UNDER_RESULT = 2, /* a result is it, or but views of it */
};

typedef struct kf__fuse_state {
    kf_graph *g;
    const kf_allocator *mem;
    kf_fusion mode;
    bool cpu;         /* functions are dear there */
    bool like_gpu;    /* on a CPU, whose bits are to be a GPU's: halves are rounded as there */
    uint8_t *stored;  /* [nodes] kf__cut_code; 0: computed where needed */
    kf__ref *user;    /* [nodes] of a stored one: the node that made it so */
    uint32_t *marked; /* [nodes] of a stored one: how many marks there were then, of all tries */
    uint32_t *newest; /* [nodes] the last mark that a kernel for it depends on, when newest_of */
    uint32_t marks, newest_of;
    kf__ref *twin;    /* [nodes] a result that is a reshape of it; 0: none */
    uint8_t *scalars; /* [nodes] 1: made of numbers only; 2: of these and reductions of them */
    uint8_t *split;   /* [nodes] a result, a concatenation: the most arrays of a part, all of which
                         are stored where they belong; 0: it is stored as a whole */
    uint8_t *results; /* [nodes] KF__IS_RESULT, KF__UNDER_RESULT */
    int64_t *names;   /* [names] sizes that costs are guessed with */
} kf__fuse_state;

/* During building, an access's value is a node (loads) or a result (stores, with this bit). */
#define KF__RESULT_BIT 0x80000000u

typedef struct kf__memo {
    kf__ref node;
    const kf__expr *index;
    uint16_t guard;       /* the value is asked for only where this holds; KF__NO_INSTR: always */
    uint16_t instr, span; /* span: instructions that its demand made */
    uint32_t next;
} kf__memo;

typedef struct kf__body {
    kf__fuse_state *f;
    kf__arena arena;
    kf__domain domain;
    kf__kernel_kind kind;
    const kf__roots *roots;
    KF__VEC(kf__instr) instrs;
    KF__VEC(kf__access) accesses;
    KF__VEC(kf__store) stores;
    KF__VEC(kf__memo) memos;
    uint32_t *memo_table, *instr_table, *instr_next;
    kf__ref path[KF__MAX_DEPTH + 1];
    uint16_t guard; /* of what is demanded now: see kf__memo */
    kf__ref gathered, gather; /* the array that is read at a symbol now, by this node; or 0 */
    uint32_t n_symbols;
    uint16_t symbols[KF__MAX_SYMBOLS]; /* as in kf__kernel */
    uint32_t symbol_axes[KF__MAX_SYMBOLS];
    uint32_t depth, operands, n_stores, states, picks;
    double text;               /* see kf__text_of */
    double cost, bytes, again; /* see kf__body_cost */
    /* why it can't be: store `cut` first */
    kf__ref cut, user;
    kf__cut_code code;
    bool failed, no_memory;
} kf__body;

/* A kernel being made. */
typedef struct kf__group {
    kf__roots roots;
    kf__domain domain;
    kf__body *body;
    uint32_t built; /* f->marks then */
    bool dead;
} kf__group;
typedef KF__VEC(kf__group) kf__groups;

/* ---------------------------------------------------------------- views.c */

/* Is it stored, or a result that it can be read from? */
static inline bool kf__in_memory(const kf__fuse_state *f, kf__ref node) {
    return f->stored[node] || (f->twin[node] && f->stored[f->twin[node]]);
}
static inline bool kf__is_result(const kf__fuse_state *f, kf__ref node) {
    return f->results[node] & KF__IS_RESULT;
}
/* Index of a view's argument for an index of its result. */
bool kf__view_index(kf_graph *g, const kf__node *view, const kf__expr *index, kf__expr *arg);
/* The same backwards, for PERMUTE and RESHAPE. */
bool kf__view_inverse(kf_graph *g, const kf__node *view, const kf__expr *arg, kf__expr *index);
kf__ref kf__peel(const kf_graph *g, kf__ref node); /* below all views */
/* Below the views that only renumber, down to what is stored or no such view. */
kf__ref kf__anchor(const kf__fuse_state *f, kf__ref node);

/* A reshape's index: of dims `to`, for index fi over dims `from` with as many elements. */
bool kf__reshape_index(kf__exprs *x, int nf, const kf__expr *from, const kf__expr *fi, int nt,
                       const kf__expr *to, kf__expr *ti);

/* ---------------------------------------------------------------- domain.c */

/* The domain of one root: of a reduction that its kernel can hold, or of its own shape. */
kf_status kf__domain_find(kf__fuse_state *f, kf__ref root, kf__domain *out);
/* The same with axes split where reshapes below the root split them. False: nothing to split. */
bool kf__domain_split(kf__fuse_state *f, kf__ref root, kf__domain *domain, bool *no_memory);
/* Can one domain serve both? */
bool kf__domain_join(kf_graph *g, const kf__domain *a, const kf__domain *b, kf__domain *out);
kf__kernel_kind kf__domain_kind(const kf__domain *d);
/* Index of a value with an element for each index of the domain (all: of its kept axes). */
bool kf__domain_index(kf_graph *g, const kf__domain *d, bool all, int rank, const kf__expr *shape,
                      kf__expr *index);
/* Does the reduction, demanded at `index`, reduce this domain's reduced axes for its own row? own:
 * index of its argument. */
bool kf__domain_reduces(kf_graph *g, const kf__domain *d, const kf__node *reduce,
                        const kf__expr *index, kf__expr *own);
/* Is the scan, demanded at `index`, the domain's, for the element that the kernel is at? */
bool kf__domain_scans(kf_graph *g, const kf__domain *d, const kf__node *scan,
                      const kf__expr *index);

/* ---------------------------------------------------------------- body.c */

/* NULL when out of memory; body->failed: must be cut. roots outlive the body. */
kf__body *kf__body_build(kf__fuse_state *f, const kf__roots *roots, const kf__domain *domain);
void kf__body_free(kf__body *body);

/* While a body is built. KF__NO_INSTR: b->failed. */
uint16_t kf__body_demand(kf__body *b, kf__ref ref, const kf__expr *index);

/* ---------------------------------------------------------------- join.c, gather.c */

uint16_t kf__demand_pad(kf__body *b, kf__ref ref, const kf__expr *index);
uint16_t kf__demand_concat(kf__body *b, kf__ref ref, const kf__expr *index);
uint16_t kf__demand_gather(kf__body *b, kf__ref ref, const kf__expr *index);

/* ---------------------------------------------------------------- instr.c */

/* The same instruction again where there is one. `i` was zeroed as a whole before its fields were
 * set, so that its bytes can be compared. */
uint16_t kf__body_push(kf__body *b, const kf__instr *i);
void kf__body_add_arg(kf__body *b, kf__instr *i, uint16_t arg); /* with its level and stage */
uint16_t kf__body_emit(kf__body *b, kf__ref ref, kf__instr_kind kind, int op, kf__dtype dtype,
                       int n, const uint16_t *args);
/* The access of `value` at index; the same one again where there is one. `random`: the node whose
 * bits it is of, as nests keep words by access. UINT32_MAX: no memory. `shape` stays the
 * graph's. */
uint32_t kf__body_access(kf__body *b, uint32_t value, int rank, const kf__expr *index,
                         kf__expr *shape, bool inside, kf__ref random);
/* Has it more operands, or accesses with the stores that are to come, than a kernel may? */
bool kf__body_is_full(const kf__body *b);
uint32_t kf__body_axes(const kf__body *b, int rank, const kf__expr *index); /* mask of axes in it */
/* The same without the axis of scans where it changes only from chunk to chunk. */
uint32_t kf__body_axes_inside(const kf__body *b, int rank, const kf__expr *index);
uint8_t kf__body_level(const kf__body *b, uint32_t axes);
/* Indices of random bits, of ranges and of what is joined have no symbols: cuts, and says so. */
bool kf__body_has_symbol(kf__body *b, int rank, const kf__expr *index);
/* The instruction's value as an axis in indices: 0: there are too many. */
kf__expr kf__body_symbol(kf__body *b, uint16_t instr, kf__expr extent);
/* The value of an index expression, or whether it is inside of [0, *shape); shape is the graph's.
 */
uint16_t kf__body_place(kf__body *b, kf__ref ref, kf__expr index, kf__expr *shape, bool inside);
uint16_t kf__body_both(kf__body *b, kf__ref ref, uint16_t x, uint16_t y); /* two bools */
uint16_t kf__body_pick(kf__body *b, kf__ref ref, kf__pick how, uint16_t inside, uint16_t x,
                       uint16_t y);

/* ---------------------------------------------------------------- cut.c */

bool kf__body_owns(const kf__body *b, kf__ref node); /* is it one of the roots? */
/* The body fails; they give KF__NO_INSTR. */
uint16_t kf__body_no_memory(kf__body *b);
uint16_t kf__cut_at(kf__body *b, kf__ref node, kf__ref user, kf__cut_code code);
uint16_t kf__cut_reduction(kf__body *b, kf__ref reduce);
uint16_t kf__cut_scan(kf__body *b, kf__ref scan);
uint16_t kf__cut_row(kf__body *b, uint16_t instr, kf__ref user);
uint16_t kf__cut_depth(kf__body *b, kf__ref ref);
uint16_t kf__cut_capacity(kf__body *b);
bool kf__cut_view(kf__body *b, kf__ref view); /* false, and goes on: it can't be stored */

/* ---------------------------------------------------------------- cost.c */

/* How much of a compiler's time an instruction takes, about: an operation half, a function what
 * it is made of. The same for all targets: what is cut there is rounded. */
double kf__text_of(const kf__instr *i);

enum { KF__LAUNCH_BYTES = 1 << 16 }; /* that are moved while a kernel is launched */
/* That are moved while a random word of 32 bits is made, on an H100: 16.8M of them take 15.3 us, as
 * many of 64 bits 35.7 us. */
enum { KF__WORD_BYTES = 3 };
/* bytes: that are moved; again: of the cost, functions of more elements than
 * there are. */
double kf__body_cost(const kf__body *body, double *bytes, double *again);
void kf__body_work(const kf__body *body, double *work); /* [instrs] the same for all elements */

double kf__node_bytes(const kf__fuse_state *f, kf__ref node); /* of all its elements */

/* ---------------------------------------------------------------- lines.c */

/* What an element's load or store takes besides its bytes, for each access of the kernel. Gives a
 * mask of those that another partition may save: what is copied, and random words that aren't
 * made by fours. */
uint64_t kf__access_bytes(const kf__fuse_state *f, const kf__kernel *k, double *bytes);
/* Mask of the accesses that a kernel for CPUs can't make in its pass: the array is copied first, or
 * last, as a whole: written once more and read once more. */
uint64_t kf__copied_first(const kf__exprs *x, const kf__kernel *k);
/* Does it go through its arrays row by row, and not by tiles, as what reads or writes x.T does? */
bool kf__goes_by_rows(const kf__exprs *x, const kf__kernel *k);
bool kf__has_passes(const kf__kernel *k); /* does it reduce by several, over its elements? */

/* ---------------------------------------------------------------- recompute.c */

/* Values that several kernels compute with more work than storing them takes, at most `capacity`.
 * False when out of memory. */
bool kf__dear_values(const kf__fuse_state *f, const kf__groups *groups, kf__ref *out,
                     uint32_t capacity, uint32_t *n);

/* ---------------------------------------------------------------- parts.c */

/* How many arrays a concatenation along an axis puts together, counted up to `most`; 1: it is an
 * array. */
uint32_t kf__arrays_in(const kf_graph *g, kf__ref node, uint32_t axis, uint32_t most);
/* Adds a root for each part of a result that is a concatenation, f->split says of how many arrays.
 * False: out of memory. */
bool kf__split_roots(const kf__fuse_state *f, kf__ref node, int32_t result, kf__roots *out);
/* May parts of at most so many arrays, stored apart, be worth while? It is one result, of few. */
bool kf__may_split(const kf__fuse_state *f, kf__ref node, uint32_t most);
/* What groups load that read it from memory: itself, or the result that it is a part of; 0: it
 * isn't in memory for others. */
kf__ref kf__root_fed_as(const kf__fuse_state *f, const kf__root *root);
/* Does one of the groups read a result that the other stores a part of? */
bool kf__reads_own_whole(const kf__group *a, const kf__group *b);

/* ---------------------------------------------------------------- factor.c */

/* The same graph with such reductions in two steps; *out NULL: there are none. results: as a
 * state has them. */
kf_status kf__factor(const kf_graph *graph, const uint8_t *results, kf_graph **out,
                     kf_error *err);

/* ---------------------------------------------------------------- readers.c */

typedef struct kf__readers {
    uint32_t *first, *group; /* of node v the groups group[first[v]] to group[first[v + 1] - 1] */
} kf__readers;

/* The groups that read a node, ascending; none is dead. False when out of memory. Either way freed
 * with kf__readers_free. */
bool kf__readers_find(const kf__fuse_state *f, const kf__groups *groups, kf__readers *out);
void kf__readers_free(const kf__fuse_state *f, kf__readers *readers);
uint32_t kf__readers_but(const kf__readers *readers, kf__ref node, uint32_t group); /* how many */

/* ---------------------------------------------------------------- merge.c */

/* For a node that lies in memory: is it loaded? (A group that stores it itself says so, too.) */
bool kf__group_reads(const kf__group *group, kf__ref node);
kf_status kf__merge(kf__fuse_state *f, kf__groups *groups, kf_error *err);

/* ---------------------------------------------------------------- fuse.c */

/* Kernels for the results and the values that are marked as stored; marks those that have to be. */
kf_status kf__make_groups(kf__fuse_state *f, kf__groups *groups, kf_error *err);
void kf__groups_free(const kf__fuse_state *f, kf__groups *groups);
void kf__mark(kf__fuse_state *f, kf__ref node, kf__ref user, kf__cut_code code);
/* May partitions for CPUs be others than for GPUs? */
bool kf__may_differ(const kf_graph *g);
/* A sum that was made of a mean: a half may not hold it before it is divided. */
bool kf__is_half_sum(const kf__node *n);

/* ---------------------------------------------------------------- search.c */

double kf__total_cost(const kf__groups *groups);
/* Other marks and groups where they cost less. */
kf_status kf__search(kf__fuse_state *f, kf__groups *groups, kf_error *err);

/* ---------------------------------------------------------------- names.c */

/* Sets name and ops. False when out of memory. */
bool kf__kernel_names(kf__partition *p, uint32_t number, kf__kernel *k, const kf__roots *roots);
/* Why the value of node is stored for user, as a sentence. NULL when out of memory. */
char *kf__cut_sentence(kf__partition *p, kf__cut_code code, kf__ref node, kf__ref user);
extern const char *const kf__cut_codes[KF__CUT_COUNT];

/* ---------------------------------------------------------------- partition.c */

/* What explain, lower and run read. On failure *out is NULL and the graph still the caller's. */
kf_status kf__partition_make(kf__fuse_state *f, const kf__groups *groups, kf__partition **out,
                             kf_error *err);

#endif
