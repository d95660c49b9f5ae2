/* What the CUDA nests share.
 *
 * A thread works on packs: W consecutive elements of the innermost axis, 16 bytes of the widest
 * array where it is contiguous. A tile is V packs, their elements in register arrays of V * W:
 *
 *     for (s = 0; s < V; ++s)               loads first, so that all of them are in flight
 *         j, left                           the pack's start, and how many elements there are from
 * it kf_load4_f32(p, 0, left, vec, &r0[s * 4]) for (s = 0; s < V; ++s) for (e = 0; e < 4; ++e)
 * values, folds kf_store4_f32(...)
 */
#ifndef KFUSE_LOWER_CUDA_H
#define KFUSE_LOWER_CUDA_H

#include "lower/low.h"

typedef struct kf__tile kf__tile;
struct kf__tile {
    int V, W;
    bool vec; /* does the plan's layout allow wide accesses? */
    bool wide;  /* they are allowed wherever this tile is used */
    bool taken; /* of W 1: what goes through shared memory is taken from there as words */
    /* Statements that set the reduced axes' variables, j and left of pack s. */
    void (*head)(kf__low *L, kf__tile *t, const kf__lx *s);
    void (*tail)(kf__low *L, bool loads); /* ends the loop over loads, or over values; or NULL */
    const kf__lx *base, *step; /* vector index of pack s: base + s * step */
    const kf__lx *end;         /* number of vectors, or NULL where j tells */
    const kf__lx *live;        /* 0 where this thread has nothing to do, or NULL */
    const kf__lx *skip;        /* from this index on no thread has an element, or NULL */
    int filled;                /* packs of each thread that always begin before it */
    const kf__lx *j, *left;    /* set by head */
    bool far;                  /* left counts what is behind the pack, too */
    bool inside;               /* W is 1 and j an element that exists, where left is 0 too */
    const kf__lx *row_left;    /* elements of the innermost axis from j on, 1 to W: of columns,
                                * whose packs are loaded without conditions */
    bool whole;                /* of columns: all rows of the tile are there */
    bool warps;                /* each warp has packs of one row side by side, all its lanes stay */
    const kf__lx *skew;        /* elements of a row's first pack that are before the row; or NULL */
    int like;                  /* the store whose rows tell */
    const kf__lx *index;       /* of the pack among what a row reduces; by head, NULL: j */
    /* Operands that go through shared memory: what happens between loads and values, and where the
     * pack is in the tile of shared memory, along the innermost axis and the other one. */
    void (*between)(kf__low *L, kf__tile *t);
    const kf__lx *along, *across;
    bool above; /* there is a variable `above`: rows of shared memory before its first one */
    const uint16_t *sides; /* of the phase in the making, by kf__cuda_sides */
    struct kf__choice **choices; /* [n_instrs] that kf__cuda_prepare began; or NULL */
    const kf__lx *first_row, *last_row; /* of columns: variables, the rows in flight; NULL:
                                         * of several axes */
    int row_axis;
};

typedef const kf__lx *kf__fields_of[KF__MAX_FIELDS];

/* What is done with the elements of a tile in one stage. */
typedef struct kf__phase {
    const uint16_t *reds,
        *stores; /* reductions by index of instruction; stores by index of store */
    uint32_t n_reds, n_stores;
    kf__fields_of *acc; /* [n_reds] variables: folds of the tile's elements */
    bool by_element;    /* acc are arrays over the pack's elements: columns */
    bool by_pack;       /* acc are arrays over packs, each of which is folded for itself */
    bool runs;          /* each fold is kept: reds are SCANs */
} kf__phase;

int kf__cuda_width(const kf__low *L);
bool kf__cuda_is_double(const kf__low *L); /* are packs of twice 16 bytes, for bytes beside them? */
bool kf__cuda_wide(const kf__low *L, int width); /* do strides allow 16-byte accesses? */
/* Loads, values, stores and field 0 of the reductions; split: loads in a loop of their own. Keeps
 * in registers what later stages and fields need. */
void kf__cuda_phase(kf__low *L, kf__tile *t, kf__phase *p, uint32_t stage, bool split);
/* Of columns, before their rows: what is chosen of the phase's loads by t->j alone. */
void kf__cuda_prepare(kf__low *L, kf__tile *t, const kf__phase *p);
/* Field f > 0 of the reductions, over the elements kept. fields: those before it, closed. */
void kf__cuda_field(kf__low *L, kf__tile *t, kf__phase *p, int f, kf__fields_of *fields);
/* Where kf__low_find_exp holds, exponentials are taken once, after the maximum is known, kept, and
 * summed: the tile's sum, a variable; the value of `power` is kept from here on. */
const kf__lx *kf__cuda_exp(kf__low *L, kf__tile *t, uint32_t red, uint32_t difference,
                           uint32_t power);
void kf__cuda_forget(kf__low *L, uint32_t stage);
/* Of a tile with `skip`: has any thread an element of pack s? */
const kf__lx *kf__cuda_is_held(kf__low *L, const kf__tile *t, const kf__lx *s);
/* How many elements of the tile there are: an int variable. */
const kf__lx *kf__cuda_count(kf__low *L, kf__tile *t, const char *name);

/* ---------------------------------------------------------------- cuda_load.c */

/* Loops over a pack's elements: the index; it is to be closed. */
const kf__lx *kf__cuda_open_elements(kf__low *L, const kf__tile *t);
/* Index of element e of pack s in an array over a tile. */
const kf__lx *kf__cuda_slot(kf__low *L, const kf__tile *t, const kf__lx *s, const kf__lx *e);
void kf__cuda_need_pointer(kf__low *L, const kf__tile *t, uint32_t access);
const char *kf__cuda_wide_name(kf__low *L, const char *what, int W, kf__dtype dtype);
/* Is it a load or random words that are made before the elements' values? */
bool kf__cuda_in_registers(const kf__low *L, uint32_t i);
/* Is it loaded as a pack? Else element by element. */
bool kf__cuda_is_pack(const kf__low *L, const kf__tile *t, uint32_t i);
/* May a pack of it be read by 16 bytes? */
const kf__lx *kf__cuda_aligned(kf__low *L, const kf__tile *t, uint32_t access);
/* Rows that aren't aligned may all be skewed alike: their packs then begin where one is aligned,
 * and a row's first pack is short. The store whose rows tell by how much; -1: none. Are all others
 * skewed as it is? */
int kf__cuda_skewed_store(const kf__low *L, int width);
bool kf__cuda_are_alike(const kf__low *L, int store, int width);
/* Are the rows of an operand all aligned? */
bool kf__cuda_has_aligned_rows(const kf__low *L, uint32_t i, int width);
/* How many elements of the pack there are, for the ranges of guards; may be negative. */
const kf__lx *kf__cuda_elements_here(kf__low *L, const kf__tile *t, uint32_t i);
void kf__cuda_put_registers(kf__low *L, const kf__tile *t, uint32_t i); /* their variables */
/* Loads of columns whose part may be chosen for all rows in flight, which kf__cuda_put_loads leaves
 * out: is it the first one of those that share registers? */
bool kf__cuda_leads_span(const kf__low *L, const kf__tile *t, uint32_t i);
void kf__cuda_put_span_loads(kf__low *L, kf__tile *t, const kf__mask *mask, const kf__lx *s,
                             bool one_group);
/* Guarded loads of this phase that share them. */
void kf__cuda_share_registers(kf__low *L, const kf__mask *mask);
void kf__cuda_put_loads(kf__low *L, kf__tile *t, const kf__mask *mask, const kf__lx *s);
/* The random words of a pack: of one that isn't held they would be made in vain. */
void kf__cuda_put_randoms(kf__low *L, kf__tile *t, const kf__mask *mask, const kf__lx *s);
/* Loads of this phase of packs that may begin within a word; NULL: none. Those in L->raw are left
 * out by kf__cuda_put_loads. Where all packs are aligned a wide load of each; else a load of raw
 * words, for which there are registers, and the same again that shifts them into place. */
const kf__mask *kf__cuda_find_raw(kf__low *L, const kf__tile *t, const kf__mask *mask);
typedef enum kf__raw_step { KF__RAW_WIDE, KF__RAW_LOAD, KF__RAW_SETTLE } kf__raw_step;
void kf__cuda_put_raw_registers(kf__low *L, const kf__tile *t);
void kf__cuda_put_raw(kf__low *L, kf__tile *t, const kf__lx *s, kf__raw_step step);
/* Where the words of pack s of a load are; element e of them. */
const kf__lx *kf__cuda_words_of(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *s);
const kf__lx *kf__cuda_register_item(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *s,
                                     const kf__lx *e);
/* The element of a load; 0 where there is none, or its guard doesn't hold. */
const kf__lx *kf__cuda_below_left(kf__low *L, const kf__tile *t, const kf__instr *in,
                                  const kf__lx *load, const kf__lx *e);

/* ---------------------------------------------------------------- cuda_guard.c */

/* Is it made before a pack's loads? */
bool kf__cuda_is_fixed(const kf__low *L, uint32_t i);
/* Can the guard be told where loads are? Else it is yet to come. pack: for a whole pack, as a range
 * of its elements. */
bool kf__cuda_is_early(const kf__low *L, uint32_t guard, bool pack);
/* Is any element loaded under a guard, as those of a concatenation's or pad's parts are? */
bool kf__cuda_is_guarded(const kf__low *L);
/* Do the load's guard, and those of what shares its registers, hold for all of a row or nothing of
 * it, as a row that a gather leads to is there or not, and as its index is? Of parts without gathers
 * rows are chosen for all in flight instead. */
bool kf__cuda_is_of_rows(const kf__low *L, uint32_t i);
void kf__cuda_put_fixed(kf__low *L);    /* as statements, for the pack */
void kf__cuda_forget_fixed(kf__low *L); /* at the end of the pack's scope */

/* ---------------------------------------------------------------- cuda_share.c */

/* Which of these loads, packs under guards, share registers; those that do stay so. */
void kf__cuda_share(kf__low *L, const kf__mask *loaded);
/* Elements that are loaded for each of the first stage: of loads that share registers one. */
int kf__cuda_n_loads(kf__low *L);
uint32_t kf__cuda_lead(const kf__low *L, uint32_t i); /* whose registers load i has */
bool kf__cuda_shares(const kf__low *L, uint32_t i);   /* with another one */
/* Is a pick what its first part gives, wherever that is? Of loads that share registers, and of 0
 * where a guarded load isn't inside, which gives 0 itself. */
bool kf__cuda_is_picked(const kf__low *L, uint32_t i);
/* array[first ...] = 0; array[first ...] |= a part of a pack, by kf_partW_T. */
void kf__cuda_put_empty(kf__low *L, const char *array, const kf__lx *first, int words);
void kf__cuda_put_part(kf__low *L, const char *array, const kf__lx *first, int words,
                       const char *function, const kf__lx *p, const kf__lx *begin,
                       const kf__lx *end);
/* array[first ...] |= some */
void kf__cuda_add_words(kf__low *L, const char *array, const kf__lx *first, int words,
                        const char *some);

/* ---------------------------------------------------------------- cuda_sink.c */

/* What is done to all parts of a concatenation is done to what is picked: a copy, in L->k. */
void kf__cuda_sink(kf__low *L);

/* ---------------------------------------------------------------- cuda_choose.c, cuda_chosen.c */

typedef struct kf__choice kf__choice;
/* Is the load's address chosen? Of those that share registers and, in columns, of any under a
 * guard. */
bool kf__cuda_is_chosen(const kf__low *L, const kf__tile *t, uint32_t i);
/* Of the loads that share lead's registers: what of the choice among them is the same for the pack,
 * or, of columns, for all rows. NULL: nothing. */
kf__choice *kf__cuda_begin_choice(kf__low *L, kf__tile *t, uint32_t lead);
/* Of columns: does the choice depend on the row? Then it is made for all rows in flight, of which
 * these are the first and the last, along this axis. Gives whether they are of one group. */
bool kf__cuda_is_late(const kf__choice *c);
const kf__lx *kf__cuda_put_span_choice(kf__choice *c, int axis, const kf__lx *first,
                                       const kf__lx *last);
/* Row s of these loads into `array`, where they are. */
void kf__cuda_put_of_span(kf__low *L, kf__tile *t, uint32_t lead, const char *array,
                          const kf__lx *s);
/* Pack s of these loads into `array`, of so many words a pack, or, 0, of elements. */
void kf__cuda_put_chosen(kf__low *L, kf__tile *t, uint32_t lead, const char *array, int words,
                         const kf__lx *s);

/* The array in shared memory of a tiled operand. */
static inline const char *kf__cuda_tile_name(kf__low *L, uint32_t access) {
    return kf__l_name(L, "tile%u", (unsigned)access);
}

/* ---------------------------------------------------------------- cuda_column_tiles.c */

enum { KF__TILE_ROWS = 64 }; /* of columns: 8 threads have 8 each */
int kf__cuda_tile_bytes(const kf__low *L); /* of shared memory */
/* The tiles of shared memory; where their columns begin, the first one at `first`; what is loaded
 * for the rows from row0 on, below `to`; registers to shared memory and, along the columns,
 * back. */
void kf__cuda_put_tile_arrays(kf__low *L);
void kf__cuda_put_tile_columns(kf__low *L, const kf__lx *first);
/* Below an end: where something may be read. */
const kf__lx *kf__cuda_at_most(kf__low *L, const kf__lx *index, const kf__lx *end);
void kf__cuda_put_tile_loads(kf__low *L, const kf__lx *row0, const kf__lx *to);
void kf__cuda_exchange_tiles(kf__low *L, kf__tile *t);
/* A result's element into its tile; the tiles to memory. */
void kf__cuda_put_in_tile(kf__low *L, const kf__tile *t, uint32_t access, const char *array);
void kf__cuda_put_tile_stores(kf__low *L, const kf__lx *first, const kf__lx *row0,
                              const kf__lx *to);

/* ---------------------------------------------------------------- cuda_pick.c */

enum { KF__EITHER = 0xffff };
/* [n_instrs] 2 p: needed for the first part of pick p alone, 2 p + 1: for the second, else
 * KF__EITHER. NULL: for all of them, no part is dear. held: what stands outside of branches. */
const uint16_t *kf__cuda_sides(kf__low *L, const kf__mask *mask, const kf__mask *held);
bool kf__cuda_has_sides(const kf__low *L, const uint16_t *sides, uint32_t pick);

/* ---------------------------------------------------------------- cuda_main.c */

/* The kernel as it is where a pack has nothing of its thin parts, which `condition` tells. NULL: it
 * has no thin parts. */
const kf__kernel *kf__cuda_main(kf__low *L, const kf__tile *t, const kf__lx **condition);

/* ---------------------------------------------------------------- cuda_exchange.c */

void kf__cuda_put_barrier(kf__low *L); /* of the block */

/* States of several reductions, the same on all lanes of a warp in the end. */
typedef struct kf__states {
    const uint16_t *reds;
    uint32_t n_reds;
    kf__fields_of *field; /* [n_reds] variables */
    const kf__lx *count;  /* int variable: elements behind each state; NULL if none needs it */
    int only; /* 1 + the field that is merged alone, by its fold, of those that have it; 0: all */
} kf__states;

bool kf__cuda_counts(const kf__low *L, const uint16_t *reds,
                     uint32_t n); /* does any need counts? */
/* Merge over neighbouring lanes by butterflies; half: of how many. With a count: over all 32. */
void kf__cuda_merge_lanes(kf__low *L, kf__states *st, const kf__lx *half);
/* Merge over the warps of a block of `threads`. */
void kf__cuda_merge_warps(kf__low *L, kf__states *st, int threads, uint32_t stage);
/* Messages between a cluster's blocks: opened first of all, in so many sets; before the first one
 * there is a wait for the cluster's blocks to have begun. A message goes into item `at` of an array
 * of block `rank`, whose items have four bytes at least. Every block collects each set once, and
 * says how many bytes it is sent. */
void kf__cuda_open_messages(kf__low *L, int sets);
kf__dtype kf__cuda_message_type(kf__dtype type);
int kf__cuda_message_bytes(kf__dtype type);
void kf__cuda_put_message(kf__low *L, kf__dtype type, const char *array, const kf__lx *at,
                          const kf__lx *rank, const kf__lx *value, int k);
void kf__cuda_collect_messages(kf__low *L, int k, const kf__lx *bytes);
/* Merge over a cluster's blocks, by the k-th set. */
void kf__cuda_merge_cluster(kf__low *L, kf__states *st, int blocks, uint32_t stage, int k);

/* cuda_transpose.c: the words of a pack from the tile of shared memory of a load; the elements
 * array[W] of a pack into that of a store. */
void kf__cuda_from_shared(kf__low *L, const kf__tile *t, uint32_t access, const kf__lx *words);
void kf__cuda_to_shared(kf__low *L, const kf__tile *t, uint32_t access, const char *array);

/* cuda_dense.c: the same where L->dense is set, of a tile of `tile` elements, with what
 * cuda_transpose.c does for one operand. wide: a word, may it be accessed by 16 bytes? */
int64_t kf__dense_items(const kf__low *L, int64_t tile, uint32_t access); /* of shared memory */
void kf__dense_put_shared(kf__low *L, int64_t tile, uint32_t access);
void kf__dense_early(kf__low *L, int64_t tile, uint32_t access, const kf__lx *wide);
void kf__dense_between(kf__low *L, int64_t tile, uint32_t access);
void kf__dense_take(kf__low *L, const kf__tile *t, uint32_t access, const kf__lx *words);
void kf__dense_put(kf__low *L, const kf__tile *t, uint32_t access, const char *array);
void kf__dense_late(kf__low *L, int64_t tile, uint32_t access, const kf__lx *wide);

bool kf__cuda_transpose(kf__low *L); /* pointwise by tiles; false: nothing goes through them */
void kf__cuda_apart(kf__low *L); /* behind that: two functions for the same, if these are better */
bool kf__cuda_rows(kf__low *L); /* false: too long for registers */
void kf__cuda_loops(kf__low *L);
void kf__cuda_reduce(kf__low *L);
void kf__cuda_columns(kf__low *L);
void kf__cuda_scan(kf__low *L, kf__scans *s);

static inline const kf__lx *kf__thread_id(kf__low *L) {
    return kf__put_let(L, "int", "tid", kf__l_callv(L, "kf_thread", KF__I64, 0, NULL), NULL);
}
/* A block's threads in rows of `wide`: this one is number tid, `across` in row `down`. */
static inline const kf__lx *kf__thread_at(kf__low *L, int wide, const kf__lx **across,
                                          const kf__lx **down) {
    const kf__lx *tid = kf__thread_id(L), *n = kf__l_int(L, wide);
    *across = kf__put_let(L, "int", "across", kf__l_bin(L, "%", tid, n), NULL);
    *down = kf__put_let(L, "int", "down", kf__l_bin(L, "/", tid, n), NULL);
    return tid;
}

#endif
