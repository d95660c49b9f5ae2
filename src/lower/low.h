/* What the lowerings share: the state of one lowering, and the makers of loop IR.
 *
 *   layout.c       axes merged, operands' strides            -> low->axes, low->operands
 *   pack.c         transposed copies for what reduces
 *   order.c        which axis is the innermost one, which operands go through tiles
 *   build.c        statements and expressions
 *   words.c        the argument struct
 *   body.c         instructions of the kernel as statements
 *   place.c        values of indices, guards of loads
 *   pairs.c        stacks of every second element
 *   fixed.c        indices of gathers that don't change along the innermost axis
 *   range.c        bounds that a value's own instructions tell
 *   reduce.c       states of reductions as statements
 *   scan.c         what cumulative kernels on both targets share
 *   tidy.c         what nobody reads is taken out
 *   cpu_*.c        blocks, and nests for the CPU
 *   cuda_*.c       packs and tiles, exchanges, and nests for CUDA
 *
 * Axis m of the merged domain is the variable i<m>; the value of instruction n is v<n>.
 */
#ifndef KFUSE_LOWER_LOW_H
#define KFUSE_LOWER_LOW_H

#include "lower/lower.h"

typedef struct kf__axis {
    int64_t size;
    bool reduced;
    uint32_t original; /* the innermost of the kernel's axes in it */
    kf__expr extent;   /* its size, in names */
    const char *var;   /* "i0" */
    const char *n;     /* "n0": its size, as a word */
} kf__axis;

/* How one axis moves in one operand, by its index map alone: what may decide over the text. */
typedef struct kf__along {
    int8_t dim;           /* of the operand; of a merged axis the first; -1: in several dims */
    bool unit;            /* steps through the dim that the layout calls the innermost one */
    kf__expr coefficient; /* in that dim's index */
    kf__expr span;        /* of its extent, the part in that dim; what is in dims behind is whole */
} kf__along;

/* A load, store or random index of the kernel, over merged axes. */
typedef struct kf__operand {
    const kf__access *access;
    const kf__value *value; /* NULL: RANDOM */
    kf__dtype dtype;
    const char *name;             /* "in_x" */
    int64_t stride[KF__MAX_AXES]; /* elements; by merged axis */
    bool varies[KF__MAX_AXES];    /* does it depend on the axis at all? else it is broadcast */
    kf__along along[KF__MAX_AXES]; /* where it varies */
    int64_t offset;               /* elements */
    bool origin;                  /* the offset is 0, whatever the sizes are */
    int64_t bound;                /* INSIDE: below which index */
    int64_t symbol_stride[KF__MAX_SYMBOLS]; /* elements; where it is affine */
    uint32_t symbols;             /* those in its index: a bit mask */
    bool affine; /* over axes and symbols that don't change along the innermost axis */
    bool store;
    bool packed;                  /* in the kernel's scratch, at `offset` bytes: see pack.c */
    const char *row;              /* an array on the stack that it is read from; or NULL */
} kf__operand;

/* A row on the stack that the kernel reads, see cpu_own_row.c: exponentials of softmax `red`, or
 * (red UINT32_MAX) instruction `value`. */
typedef struct kf__own_row {
    uint32_t access; /* from here on accesses are of it */
    uint32_t red, value;
    kf__dtype type;
    const char *name, *rows; /* rows: the array of eight short ones */
} kf__own_row;

/* Is i an argument of the instruction? */
static inline bool kf__uses(const kf__instr *in, uint32_t i) {
    bool any = false;
    for (int a = 0; a < in->n_args; ++a) any |= in->args[a] == i;
    return any;
}

typedef uint64_t kf__mask; /* a set of instructions, in words of 64 */
static inline bool kf__has(const kf__mask *mask, uint32_t i) {
    return mask[i / 64] >> (i % 64) & 1;
}
static inline void kf__add(kf__mask *mask, uint32_t i) {
    mask[i / 64] |= (kf__mask)1 << (i % 64);
}

/* Values of short rows that are made before anything is reduced, see cpu_short.c. */
enum { KF__HELD = 4 }; /* at most */
typedef struct kf__held {
    uint16_t instr[KF__HELD], n;
    const char *name[KF__HELD]; /* arrays on the stack */
    const char *whole;          /* the length of the whole vectors; NULL: by the first array */
    uint16_t stores[KF__HELD];  /* indices of what is stored meanwhile */
    uint32_t n_stores;
    const kf__mask *mask;     /* what all that is made of */
    const struct kf__lx *begin; /* where a row's begin in the arrays; NULL: nothing is made yet */
    bool exact;                 /* is nothing to be written behind a row? */
} kf__held;
static inline bool kf__holds(const kf__held *h, uint32_t i) {
    for (uint32_t k = 0; k < h->n; ++k)
        if (h->instr[k] == i) return true;
    return false;
}

/* Values of a row that later stages are made of, see cpu_carried.c. */
typedef struct kf__carry {
    uint16_t instr;
    uint32_t first, last; /* the stage that makes it, and the last one that reads it */
    uint32_t array;
} kf__carry;
typedef struct kf__carry_array {
    kf__dtype type;
    const char *name;
} kf__carry_array;
typedef struct kf__carried {
    kf__carry *at; /* [n], by first */
    kf__carry_array *array; /* [n_arrays] on the stack */
    uint32_t n, n_arrays;
    kf__mask **of;  /* [n_stages] what each computes for every element */
    const struct kf__lx *begin; /* where this row's begin in the arrays */
    int64_t most;   /* elements of a row that fit */
    uint32_t stage; /* the one that is made now */
    bool made;      /* are its own values there already? */
} kf__carried;

typedef struct kf__low {
    const kf__partition *p;
    const kf__kernel *k;
    const kf__layout *layout;
    const kf__target *target;
    kf__arena *arena;
    bool failed; /* out of memory */

    bool small;       /* CUDA: flat indices fit in 32 bits */
    bool narrow;      /* CUDA: what a row reduces has less than 2^31 elements: indices are i32 */
    bool rows_inside; /* ROW instructions of stage 0 are computed with the FULL ones */
    bool affine; /* all operands are; else axes aren't merged */
    int tile;    /* the axis that, with the innermost one, makes the tiles; -1: no tiles */
    uint64_t tiled; /* accesses that go through tiles */
    bool dense;     /* CUDA: they are one run along the innermost axis and `tile`, a short one */
    int n_axes;
    kf__axis axes[KF__MAX_AXES];
    kf__operand *operands; /* [k->n_accesses] */

    /* the function in the making */
    kf__loop_fn *fn, lost; /* lost: what takes its place where there is no memory for one */
    uint32_t words_capacity;
    kf__ls **tail;      /* where the next statement goes */
    kf__ls **stack[64]; /* tails of the enclosing bodies */
    int depth;
    kf__ls *prologue_end;
    const char **pointer;  /* [n_accesses] the variable that points at the block's start */
    uint8_t pointer_depth[KF__MAX_ACCESSES]; /* of the body that declares it: known inside only */
    const kf__lx **value;  /* [n_instrs] how an instruction's value is read here; NULL: unknown */
    const kf__mask *fixed; /* CUDA: what is made before the loop over a pack's elements; or NULL */
    const kf__mask *raw;   /* CUDA: loads of packs that may begin within a word; or NULL */
    const uint16_t *lead;  /* CUDA: [n_instrs] of loads that share registers the first; or NULL */
    int holds;             /* a guard that is known to hold where code is made now; -1: none */
    bool known_holds;      /* and kf__known_guard of the guard in question */
    const kf__lx *at;      /* where the innermost axis is, for INDEX and INSIDE; NULL: by its
                              variable, or they don't depend on it */

    const kf__own_row *own; /* CPU; or NULL */
    const kf__held *held;   /* CPU: in a function of short rows; or NULL */
    const struct kf__cpu_group *group; /* CPU: rows that turn within a stage, too; or NULL */
    kf__carried *carried;   /* CPU: of long chains; or NULL */
    const struct kf__tables *tables; /* CPU: of what is reduced; or NULL */
    int64_t run;            /* CPU: elements of lines that are one run; 0: they are not */
    const kf__lx **running; /* [n_instrs] of SCANs: what was folded so far; or NULL */
    const kf__lx *chunk;    /* of SCANs: which one, their axis / its length; or NULL */
    const kf__lx *together; /* CPU: so many rows are at the same stage together; NULL: one */
    bool asked; /* CPU: of those, the first stage has asked for what the last one would ask for */
    kf__operand *unpacked; /* [n_accesses] results as they were before pack.c; NULL: none */
    kf__lowered *out;
} kf__low;

/* ---------------------------------------------------------------- build.c: expressions */

const char *kf__l_name(kf__low *L, const char *format, ...) KF__PRINTF(2, 3);
const kf__lx *kf__l_var(kf__low *L, const char *name);
const kf__lx *kf__l_int(kf__low *L, int64_t value);
const kf__lx *kf__l_const(kf__low *L, kf__dtype type, double number, int64_t integer);
const kf__lx *kf__l_bin(kf__low *L, const char *op, const kf__lx *a, const kf__lx *b);
const kf__lx *kf__l_item(kf__low *L, const char *name, const kf__lx *index);
const kf__lx *kf__l_select(kf__low *L, const kf__lx *c, const kf__lx *a, const kf__lx *b);
/* name may contain _T, the suffix of type. */
const kf__lx *kf__l_callv(kf__low *L, const char *name, kf__dtype type, int n,
                          const kf__lx *const *args);
#define kf__l_call(L, name, type, ...)                                                    \
    kf__l_callv((L), (name), (type),                                                      \
                (int)(sizeof((const kf__lx *[]){__VA_ARGS__}) / sizeof(const kf__lx *)),  \
                (const kf__lx *[]){__VA_ARGS__})
const kf__lx *kf__l_code(kf__low *L, const char *code, kf__dtype type, const char *formals, int n,
                         const kf__lx *const *args);

/* CUDA: what flat indices are, and one as an int64_t, before it is multiplied. */
static inline const char *kf__index_type(const kf__low *L) {
    return L->small ? "uint32_t" : "int64_t";
}
static inline const kf__lx *kf__as_i64(kf__low *L, const kf__lx *x) {
    return kf__l_code(L, "(int64_t)a", KF__I64, "a", 1, &x);
}
static inline const kf__lx *kf__wide_index(kf__low *L, const kf__lx *x) {
    return L->small ? kf__as_i64(L, x) : x;
}

/* ---------------------------------------------------------------- build.c: statements */

void kf__low_begin(kf__low *L, const char *suffix, const char *doc); /* a new function */

void kf__put_comment(kf__low *L, const char *text);
/* const ctype name = value; gives the variable. */
const kf__lx *kf__put_let(kf__low *L, const char *ctype, const char *name, const kf__lx *value,
                          const char *comment);
/* ctype name = value, or ctype name[count]; value may be NULL. */
const kf__lx *kf__put_var(kf__low *L, const char *ctype, const char *name, int64_t count,
                          const kf__lx *value);
void kf__put_set(kf__low *L, const kf__lx *target, const kf__lx *value);
void kf__put_call(kf__low *L, const kf__lx *call);
void kf__put_shared(kf__low *L, const char *ctype, const char *name, int64_t count);
void kf__open_for(kf__low *L, const char *ctype, const char *name, const kf__lx *from,
                  const kf__lx *to, const kf__lx *step, kf__bind bind);
void kf__open_halve(kf__low *L, const char *name, const kf__lx *from);
void kf__open_if(kf__low *L, const kf__lx *condition);
void kf__open_else(kf__low *L); /* instead of the if's kf__close */
void kf__open_block(kf__low *L);
void kf__close(kf__low *L);

/* ---------------------------------------------------------------- words.c */

/* A variable that is there from the function's beginning on; see kf__put_var. */
const kf__lx *kf__first_var(kf__low *L, const char *ctype, const char *name, int64_t count,
                            const kf__lx *value);

/* Words of the argument struct; each is also a local of the same name. Existing names are shared.
 */
const kf__lx *kf__word_int(kf__low *L, const char *name, int64_t value);
int64_t kf__word_number(const kf__low *L, const char *name); /* of one that is there; else 0 */
const kf__lx *kf__word_count(kf__low *L, const char *name, int64_t value); /* as flat indices are */
const char *kf__word_operand(kf__low *L, uint32_t access);
const char *kf__pointer_type(kf__low *L, uint32_t access); /* "const float *" */
const kf__lx *kf__word_partial(kf__low *L, const char *name, kf__dtype type, int64_t offset);
const kf__lx *kf__word_stride(kf__low *L, uint32_t access, int axis);
const kf__lx *kf__word_size(kf__low *L, int axis);
const kf__lx *kf__word_scalar(kf__low *L, uint32_t input);
/* 1 where every operand's address is 16-byte aligned; `may`: what the plan knows of strides. */
const kf__lx *kf__word_aligned(kf__low *L, const char *name, bool may);
/* vec_NAME: the same of this operand's address alone, which then doesn't count for the others. */
const kf__lx *kf__word_own_aligned(kf__low *L, uint32_t access, bool may);

/* ---------------------------------------------------------------- layout.c */

bool kf__has_symbols(const kf__low *L, uint32_t access);
/* The dim of what an array's access reads along which elements are neighbours; -1: none. */
int kf__low_innermost(const kf__low *L, const kf__access *a);
void kf__low_flatten(kf__low *L); /* accesses to runs by one index; before the layout */
kf_status kf__low_layout(kf__low *L, kf_error *err);
int kf__low_reduced_axes(const kf__low *L); /* how many */
int64_t kf__low_extent(const kf__low *L, bool reduced); /* product of kept or reduced axes' sizes */
/* Set variables of the kept or the reduced axes from a flat index; `but_last`: without the
 * innermost axis of the domain and that of tiles, which the caller's own loops run over. */
void kf__put_decode(kf__low *L, bool reduced, bool but_last, const kf__lx *flat);
int64_t kf__low_bytes_of(const kf__low *L, uint32_t access); /* that it reads or writes */
int64_t kf__low_bytes(const kf__low *L); /* that the kernel moves at the least */
static inline int kf__last(const kf__low *L) { return L->n_axes - 1; }
static inline int kf__before_last(const kf__low *L) { return L->n_axes - 2; }
/* Is what is loaded in the middle of an array? Then its alignment is its own affair. */
static inline bool kf__begins_inside(const kf__operand *o) { return !o->store && !o->origin; }
/* How an operand moves along the innermost axis: 0 not at all, 1 by one element, 2 by a stride, 3
 * in a way that isn't affine. */
int kf__low_step(const kf__low *L, uint32_t access);

/* The kernel with instructions, accesses and stores of its own, to be rewritten, and room for so
 * many more. NULL: no memory. */
kf__kernel *kf__low_copy_kernel(kf__low *L, uint32_t more_instrs, uint32_t more_accesses);
void kf__low_merge(kf__low *L, int a, int b); /* axis a into b: a is the outer one of the two */

/* ---------------------------------------------------------------- pairs.c */

enum { KF__SHORT_AXIS = 32 };
/* The kernel without guards that keep nothing from being read; NULL: it has none. */
const kf__kernel *kf__low_unguarded(kf__low *L);
/* Merges axes that are one run in all operands with these sizes, whatever their names say. */
void kf__low_merge_runs(kf__low *L);

/* ---------------------------------------------------------------- order.c */

void kf__low_order(kf__low *L);
/* Of a kernel that gathers and reduces nothing, before its operands are known: its axes in the
 * order in which its loops go. */
void kf__low_order_gathers(kf__low *L);
/* Does this operand go through a tile: elements of axis `tile` are neighbours in memory? */
bool kf__low_tiled(const kf__low *L, uint32_t access);

bool kf__low_moves(const kf__low *L, uint32_t access, bool guarded);
int64_t kf__low_dense_rows(const kf__low *L); /* where L->dense: rows of a tile, a power of two */

/* ---------------------------------------------------------------- column_tiles.c */

/* With axis `last` innermost and kept, may a kernel that reduces read the operand by tiles? */
bool kf__low_is_column_tile(const kf__low *L, uint32_t access, int last);
void kf__low_find_column_tiles(kf__low *L); /* sets tile and tiled */
int kf__low_only_reduced(const kf__low *L); /* the one reduced axis; -1: there are more, or none */
int kf__low_only_kept(const kf__low *L);    /* the same of the others */

/* ---------------------------------------------------------------- pack.c */

void kf__low_pack(kf__low *L);   /* before the nest: functions that copy transposed operands */
void kf__low_unpack(kf__low *L); /* after it: those that copy transposed results */

/* ---------------------------------------------------------------- body.c */

/* Element offset of an operand for the axis variables, and `last` for the innermost one (NULL:
 * where the operand doesn't depend on it, or for its beginning). */
const kf__lx *kf__low_offset(kf__low *L, uint32_t access, const kf__lx *last);
/* The operand's address there, where variable `at` is where the axis is. */
const kf__lx *kf__low_address(kf__low *L, uint32_t access, int axis, const char *at,
                              const kf__lx *last);
/* A variable that points to the operand where the innermost axis is at `first`; element l from
 * there on is kf__element(access, l, first + l). */
void kf__put_pointer(kf__low *L, uint32_t access, const kf__lx *first);
const kf__lx *kf__element(kf__low *L, uint32_t access, const kf__lx *l, const kf__lx *at);
const kf__lx *kf__low_load(kf__low *L, uint32_t access, const kf__lx *pointer, const kf__lx *index);
/* CUDA: an address to load from where there is nothing to load. */
const kf__lx *kf__low_zeros(kf__low *L, uint32_t access);
void kf__put_store(kf__low *L, uint32_t access, const char *pointer, const kf__lx *index,
                   const kf__lx *value);
/* Which instructions of a level do `roots` need? Stops where the value is known. */
bool kf__at_level(const kf__low *L, uint32_t i, kf__level level);
bool kf__low_is_full(const kf__low *L, const kf__operand *o); /* changes along a reduced axis */
kf__mask *kf__low_mask(const kf__low *L); /* an empty set; NULL: no memory */
kf__mask *kf__low_needed(kf__low *L, kf__level level, const uint16_t *roots, uint32_t n);
/* v<i> = ..., for what is made of other values or of where it is; sets L->value[i] */
void kf__put_instr(kf__low *L, uint32_t i);
static inline bool kf__is_made(const kf__instr *in) {
    return in->kind == KF__I_OP || in->kind == KF__I_CAST || in->kind == KF__I_INDEX ||
           in->kind == KF__I_INSIDE || in->kind == KF__I_PICK;
}
/* The bits of a RANDOM instruction at an index. */
const kf__lx *kf__random_call(kf__low *L, const kf__instr *in, const kf__lx *index);
void kf__put_scalars(kf__low *L);           /* all SCALAR instructions */
void kf__put_rows(kf__low *L, uint32_t stage); /* ROW instructions of a stage, but PROJECTs */
bool kf__has_row_stores(const kf__low *L);
void kf__put_row_stores(kf__low *L);
void kf__forget(kf__low *L, kf__level level); /* values of a level are unknown again */
const kf__lx *kf__value_of(kf__low *L, uint32_t i);
const char *kf__ctype(kf__dtype type); /* of computing with it */
const char *kf__instr_comment(kf__low *L, uint32_t i);
/* The one instruction that uses i; UINT32_MAX: others do too, or i is stored. */
uint32_t kf__only_user(const kf__low *L, uint32_t i);
bool kf__is_function(const kf__low *L, uint32_t i); /* exp, sin, x % y: long chains of operations */
bool kf__divides(const kf__low *L, uint32_t i); /* x / y, sqrt: vectors of them follow slowly */
/* A float to an integer, within its bounds: ten operations of a vector. */
bool kf__saturates(const kf__low *L, uint32_t i);
bool kf__takes_functions(const kf__low *L, const kf__mask *mask); /* or random numbers? */
bool kf__is_dear(const kf__low *L, const kf__mask *mask); /* costly enough to keep its result? */
/* Does it choose between floats by what no processor foresees? Of elements that vectors leave, of
 * bools up to 63 of a row, each such where takes a jump, 4 ns on a Zen 4. sum(where(k, x, y), 0) of
 * 20000x40 took it 750 us row by row, and 310 as runs; pad(where(k, x, y), 1) 950 and 470. */
bool kf__chooses(kf__low *L, const kf__mask *mask);
uint32_t kf__low_stores(const kf__low *L, uint32_t stage, uint16_t *out); /* FULL stores' indices */
bool kf__low_later(const kf__low *L, uint32_t stage); /* any FULL-level work at or after it? */
/* The comment of a function; merges: it merges what another left. */
const char *kf__low_doc(kf__low *L, const char *how, bool merges);

/* ---------------------------------------------------------------- place.c */

/* The value of INDEX or INSIDE, where the innermost axis is at `at` (NULL: see L->at). */
const kf__lx *kf__place_value(kf__low *L, uint32_t i, const kf__lx *at);
/* Is the guard made of indices only? Then kf__guard_at gives it for any place, before its
 * instruction has a value. */
bool kf__is_place(const kf__low *L, uint32_t guard);
const kf__lx *kf__guard_at(kf__low *L, uint32_t guard, const kf__lx *at);
static inline bool kf__is_always(const kf__low *L, uint32_t guard) { /* of what was clipped */
    return L->k->instrs[guard].kind == KF__I_CONSTANT;
}
/* Where `guard` holds, does `other`, which says a part of it? */
bool kf__implies(const kf__low *L, uint32_t guard, uint32_t other);
/* Does L->holds imply it? */
bool kf__is_known(const kf__low *L, uint32_t guard);
/* Has load `in` a guard that isn't known to hold? */
static inline bool kf__asks(const kf__low *L, const kf__instr *in) {
    return in->n_args && !kf__is_known(L, in->args[0]);
}
/* What load instruction `in` gives at `at`: `load`, or 0 where its guard doesn't hold. */
const kf__lx *kf__guarded(kf__low *L, const kf__instr *in, const kf__lx *load, const kf__lx *at);
/* Is the guard made of ranges of the innermost axis, and of what doesn't depend on it? */
bool kf__is_range(const kf__low *L, uint32_t guard);
/* The part of a guard, made of places, that has a value already: it depends on no element. NULL:
 * there is none. */
const kf__lx *kf__known_guard(kf__low *L, uint32_t guard);
/* The elements [from, to) of [0, len) where the first argument of instruction i holds, a range,
 * when the innermost axis begins at `first`. */
void kf__put_range(kf__low *L, uint32_t i, const kf__lx *first, const kf__lx *len,
                   const kf__lx **from, const kf__lx **to);

/* Does a guard that is a range hold from one element to another one behind it? */
const kf__lx *kf__holds_from(kf__low *L, uint32_t guard, const kf__lx *first, const kf__lx *last);

/* The index of an INSIDE, which is a range: of the first of `len` elements and of the last, and
 * below what it is inside. 1 and -1: it grows or falls along the innermost axis, 0: it is the
 * same. */
int kf__place_ends(kf__low *L, uint32_t guard, const kf__lx *first, const kf__lx *len,
                   const kf__lx **begin, const kf__lx **end, const kf__lx **size);

/* Is the guard made of ranges of the innermost axis and of axis t, each of one of them? */
bool kf__is_rectangle(const kf__low *L, uint32_t guard, int t);
/* Such a guard of instruction i in a tile of size[0] of t by size[1] of the innermost axis: it
 * holds in [from, to). The tile begins at t's variable and `first`. */
void kf__put_rectangle(kf__low *L, uint32_t i, int t, const kf__lx *first,
                       const kf__lx *const *size, const kf__lx **from, const kf__lx **to);
/* One side of it, of `size`: along the innermost axis, or across it, along t. t -1: what the guard
 * asks of the innermost axis alone. */
void kf__put_side(kf__low *L, uint32_t i, int t, bool along, const kf__lx *first,
                  const kf__lx *size, const kf__lx **from, const kf__lx **to);

/* ---------------------------------------------------------------- fixed.c */

/* Is i, of `mask`, a load whose symbols don't change along the innermost axis? */
bool kf__low_reads_rows(const kf__low *L, const kf__mask *mask, uint32_t i);
/* Is instruction i the same for all elements of the innermost axis? */
bool kf__low_is_same(const kf__low *L, uint32_t i);
/* What the symbols of such loads are made of; of what has no value yet. NULL: out of memory. */
kf__mask *kf__low_fixed(kf__low *L, const kf__mask *mask);
void kf__low_put_fixed(kf__low *L, uint32_t i); /* one of it, as a statement */

/* ---------------------------------------------------------------- range.c */

/* Is float i within the integer type's range, or NaN, so that a cast needn't saturate? */
bool kf__low_fits(const kf__low *L, uint32_t i, kf__dtype type);
/* Is it min(max(x, low), high) of constants, low < 0 < high: what kf_clamp_f32 does? */
bool kf__low_clamps(const kf__low *L, uint32_t i, uint32_t *x, uint32_t *low, uint32_t *high);

/* ---------------------------------------------------------------- reduce.c */

uint32_t kf__low_reductions(const kf__low *L, uint32_t stage, uint16_t *out /* [n_instrs] */);
kf__dtype kf__state_type(const kf__low *L, uint32_t red); /* of the elements, computed */
kf__dtype kf__field_type(const kf__low *L, uint32_t red, int field); /* that, or i64: an index */
/* What a set of elements folds a field in: on the CPU indices in a block are i32. */
kf__dtype kf__lane_type(const kf__low *L, uint32_t red, int field);
bool kf__counts(const kf__low *L, uint32_t red); /* does merging depend on numbers of elements? */
int kf__fields(const kf__low *L, uint32_t red);
/* "max1", "lanes_sumexp1": what a field of a state is called; what: "state", "lanes"... */
const char *kf__field_name(kf__low *L, const char *what, uint32_t red, int field);
bool kf__is_simple(const kf__low *L, uint32_t red); /* one field, the fold of the elements */
bool kf__low_is_nonpositive_exp(const kf__low *L, uint32_t i); /* exp(x - max), max of all x */
/* Does the kernel have both max_sumexp of x (`red`) and exp(x - max) (`power`), as softmax does? */
bool kf__low_find_exp(const kf__low *L, uint32_t red, uint32_t *difference, uint32_t *power);
const kf__lx *kf__identity(kf__low *L, uint32_t red, int field);
const kf__lx *kf__lane_identity(kf__low *L, uint32_t red, int field); /* of the lane type */
const kf__lx *kf__fold_of(kf__low *L, uint32_t red, int field, const kf__lx *a, const kf__lx *b);
/* at: index of x among what is reduced, of the lane type. */
const kf__lx *kf__term(kf__low *L, uint32_t red, int field, const kf__lx *x, const kf__lx *at,
                       const kf__lx *const *fields);
/* first: field 0 of the set; begin: what indices in the set count from; NULL: 0. */
const kf__lx *kf__close_of(kf__low *L, uint32_t red, int field, const kf__lx *folded,
                           const kf__lx *first, const kf__lx *count, const kf__lx *begin);
/* p = merge(p, q) of the variables p[field]; np, nq: elements in each, of the state's type, or NULL
 * where nothing counts. */
void kf__put_merge(kf__low *L, uint32_t red, const kf__lx *const *p, const kf__lx *const *q,
                   const kf__lx *np, const kf__lx *nq);
/* The PROJECTs of a reduction. total: how many elements were reduced, an integer. */
void kf__put_project(kf__low *L, uint32_t red, const kf__lx *const *fields, const kf__lx *total);
void kf__put_project_of(kf__low *L, uint32_t red, int field, const kf__lx *value,
                        const kf__lx *total);
const kf__lx *kf__count_as(kf__low *L, uint32_t red, const kf__lx *count); /* in the state's type */

/* ---------------------------------------------------------------- scan.c */

/* What a cumulative kernel has: units of work are chunks of rows. */
typedef struct kf__scans {
    uint16_t *instrs; /* [n] SCANs */
    uint32_t n;
    int axis;               /* the one they go along */
    int64_t chunk, chunks;  /* elements; how many a row has */
    const kf__lx *from, *to; /* the unit's elements */
} kf__scans;

/* False: it has none, or out of memory. */
bool kf__low_find_scans(kf__low *L, kf__scans *out);
/* from and to; gives what is left of the unit, the row. */
const kf__lx *kf__put_scan_unit(kf__low *L, kf__scans *s, const kf__lx *unit);
/* Is it loaded once a unit, and not in the order of the other elements? */
bool kf__low_of_chunk(const kf__low *L, uint32_t i);
/* v = the state folded with its argument, which then is the state: of SCAN i. */
void kf__put_scan(kf__low *L, uint32_t i);
/* A state of each that is one variable, or an array of so many. */
void kf__put_running(kf__low *L, const kf__scans *s, int64_t count, const kf__lx *at);
uint32_t kf__low_all_stores(const kf__low *L, uint16_t *out); /* of all stages: [64] */

/* Offset in the kernel's scratch of n fresh elements. */
int64_t kf__low_scratch(kf__low *L, int64_t n, kf__dtype type);

/* ---------------------------------------------------------------- tidy.c */

void kf__low_tidy(kf__low *L, kf__loop_fn *fn); /* take out what nobody reads */

/* ---------------------------------------------------------------- the nests */

kf_status kf__lower_cpu(kf__low *L);
void kf__cpu_pointwise(kf__low *L);
void kf__cpu_rows(kf__low *L);
void kf__cpu_reduce(kf__low *L);
void kf__cpu_columns(kf__low *L);
void kf__cpu_scan(kf__low *L, kf__scans *s);
kf_status kf__lower_cuda(kf__low *L);
void kf__cuda_pointwise(kf__low *L);

#endif
