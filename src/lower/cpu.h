/* What the CPU nests share: a block is a run of at most KF__CPU_BLOCK elements of the innermost
 * axis, small enough that what it loads stays in L1 for a second pass. */
#ifndef KFUSE_LOWER_CPU_H
#define KFUSE_LOWER_CPU_H

#include "lower/low.h"

enum {
    KF__CPU_BLOCK = 2048, /* elements: 8 KB of f32 */
    KF__CPU_VECTOR = 16,  /* elements: of f32 the widest one. A block is many of them */
    KF__CPU_FEW = 8,      /* half of that: a loop by sixteen leaves them to one by eight */
    KF__CPU_SHORT = 128,  /* elements of a short row, at most */
    KF__CPU_LANES = 64,   /* partial sums of a block, whatever the vectors' width: equal bits */
};

typedef struct kf__cpu_block {
    const kf__lx *first, *len; /* where it starts on the innermost axis, and its length */
    const kf__lx *begin;       /* its index among what a row reduces; columns: of the first row */
    int64_t most;              /* what its length can be */
    const kf__lx *piece, *end; /* its elements that are made at once, then streamed */
    int64_t streamed;          /* how many those can be; 0: it isn't in pieces */
    const char *random[64];    /* by access: its random words */
    const char *target[64];    /* by store: where the loop writes */
    const char *tile[64];      /* by access: the block's row of a tile, or NULL */
    const char **pick;         /* by instruction: its elements, or NULL */
    kf__mask *raw;             /* those that are elements as arrays have them */
    kf__mask *in_place;        /* those of picks that may be an array's: behind them is nothing */
    const char **from;         /* by load: where it reads whatever its guard says, or NULL */
    const kf__lx *inside;      /* is there such an element at all? NULL: yes */
    bool widens;               /* are halves widened before the loop? */
    bool narrows;              /* and those that are stored narrowed by kf__cpu_flush? */
    const char *half[64];      /* by store: the floats that will be, or NULL */
    const char *made[64];      /* by store: the same, if the block has them in an array anyway */
    const char *again[64];     /* by store: where it is left as it was rounded, or NULL */
    bool cached;               /* is all that it stores copied, and none of it streamed? */
    bool folds;                /* is it read by a loop over lanes of reductions? */
    bool by_groups;            /* whose groups read what is at indices of its own? */
    const uint16_t *kept;      /* [n_kept] values that its loop keeps, besides what it stores */
    uint32_t n_kept;
    int down;                  /* the axis along which rows follow, if picks ask for the next; -1 */
    const kf__held *into;      /* where the arrays of these are, from element into_at; NULL: none */
    const kf__lx *into_at;
    bool put[KF__HELD]; /* those that are there before the block's loop */
} kf__cpu_block;

/* Elements of an operand in a line of the cache. */
int64_t kf__cpu_per_line(const kf__low *L, uint32_t access);
/* Elements of a tile, whole vectors: n in as many tiles as those of `most` are, of one size. */
int64_t kf__cpu_even_tile(int64_t n, int64_t most);
void kf__cpu_open_line(kf__low *L, kf__cpu_block *b, const kf__lx *first, const kf__lx *len);
/* L->pointer[access]: where the block begins. */
void kf__cpu_need_pointer(kf__low *L, const kf__cpu_block *b, uint32_t access);
void kf__cpu_prepare(kf__low *L, kf__cpu_block *b, const kf__mask *mask);
/* The random words of elements [from, to), in an `if` that is left open. Are there any? */
bool kf__cpu_put_words(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                       const kf__lx *to);
/* Is it needed within runs of picks only, which have its random words? */
bool kf__cpu_is_in_picks(const kf__low *L, const kf__mask *mask, uint32_t i);
/* Is what load `in` reads put one behind the other in L1 first, as it lies apart? */
bool kf__cpu_is_strided(const kf__low *L, const kf__instr *in);
bool kf__cpu_lies_apart(const kf__low *L, const kf__instr *in); /* the same, guarded or not */
/* The block's elements [from, to) of such an access, one behind the other: b->tile. */
void kf__cpu_put_strided(kf__low *L, kf__cpu_block *b, uint32_t access, const kf__lx *from,
                         const kf__lx *to);
/* Ask for what the loads of `mask` read next: the next block, or the same one of the next row. */
void kf__cpu_prefetch(kf__low *L, const kf__cpu_block *b, const kf__mask *mask, bool next_row);
/* Asks for the block's elements of an access, at a distance from this one's: all their lines, as
 * they needn't begin with one. */
void kf__cpu_prefetch_line(kf__low *L, const kf__cpu_block *b, uint32_t access,
                           const kf__lx *distance);
/* Is it read backwards, not by so much that each element is in a line of its own? */
bool kf__cpu_is_backwards(const kf__low *L, uint32_t access);
/* Asks for as many elements as the block has of what is read backwards, at a distance from its
 * first one. */
void kf__cpu_ask_backwards(kf__low *L, kf__cpu_block *b, uint32_t access, const kf__lx *distance);
/* All that the loads of `mask` read so, `rows` later along the axis (NULL: one). No processor
 * foresees where that is: memory would have nothing to do while a row is made. */
void kf__cpu_ask_for_rows_backwards(kf__low *L, kf__cpu_block *b, const kf__mask *mask, int axis,
                                    const kf__lx *rows);
/* Asks for the block's elements of a later row of what is read from the last one on: no processor
 * foresees rows that go up. min(x[::-1], 0), max(x[::-1], 0) of 317x316 takes a Zen 4 74 us without
 * it. */
void kf__cpu_ask_upwards(kf__low *L, kf__cpu_block *b, const kf__mask *mask, int axis);
/* Of a core's own cache; a guess, where that isn't known. */
int64_t kf__cpu_core_bytes(const kf__low *L);
/* Is it more than what whoever made it, or used it before, has left in the core's own cache? */
bool kf__cpu_comes_from_far(const kf__low *L);
/* The word that says whether the next row is worth asking for. */
const kf__lx *kf__cpu_is_far(kf__low *L);
/* The same of what the next row stores. */
void kf__cpu_prefetch_stores(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                             uint32_t n);
void kf__cpu_body(kf__low *L, const kf__cpu_block *b, const kf__mask *mask, const kf__lx *l);
void kf__cpu_forget(kf__low *L, const kf__mask *keep);
kf__mask *kf__cpu_known(kf__low *L); /* what has a value now; NULL: no memory */
const kf__lx *kf__cpu_last(kf__low *L, const kf__cpu_block *b, const kf__lx *l);

/* Word `stream`: 1 where the results are large enough to be written past the caches. False: none.
 */
bool kf__cpu_stream_word(kf__low *L);
const kf__lx *kf__cpu_stream_of(kf__low *L, uint32_t access); /* does this store pass the caches? */
bool kf__cpu_stream_word_if(kf__low *L, bool wins); /* 1 only where that wins */
/* A loop over the pieces of the block's elements [*from, *to), where stores are streamed, which
 * these then are of; otherwise no loop. In it b->target is where each store goes. */
void kf__cpu_open_pieces(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                         const kf__lx **from, const kf__lx **to);
void kf__cpu_close_pieces(kf__low *L, kf__cpu_block *b); /* behind kf__cpu_flush */
/* Are the elements of a load, as they lie in memory, those of a result, bit for bit? */
bool kf__cpu_lies_as_stored(const kf__low *L, const kf__cpu_block *b, uint32_t load,
                            uint32_t store);
/* Where stores are streamed: copies elements [from, to) of what `source` points to. Opens what is
 * done otherwise. */
void kf__cpu_open_uncopied(kf__low *L, uint32_t access, const char *source, const kf__lx *from,
                           const kf__lx *to);
/* Element l's index among the piece's. */
const kf__lx *kf__cpu_in_piece(kf__low *L, const kf__cpu_block *b, const kf__lx *l);
void kf__cpu_store_targets(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n);
/* Is a half stored by lines? Then from floats, where b->narrows. */
bool kf__cpu_is_half(const kf__low *L, uint16_t store);
/* The instruction whose value is stored: of a cast to a half what it is taken of. */
uint16_t kf__cpu_unrounded(const kf__low *L, uint16_t store);
/* Is it one of b->into, and is it there already? */
bool kf__cpu_goes_into(const kf__cpu_block *b, uint32_t i);
bool kf__cpu_is_put_into(const kf__cpu_block *b, uint32_t i);
/* Declares `name`, where elements of instruction i go: an array of the block's, or in b->into. */
void kf__cpu_put_array(kf__low *L, kf__cpu_block *b, uint32_t i, const char *type,
                       const char *name);
/* floats[l] = halves[l], for l in [from, to). */
void kf__cpu_widen(kf__low *L, const char *floats, const char *halves, const kf__lx *from,
                   const kf__lx *to);
/* Declares `name`, floats of the block's: its elements [from, to) are those of `halves`. */
void kf__cpu_put_floats(kf__low *L, const kf__cpu_block *b, const char *name, const char *halves,
                        const kf__lx *from, const kf__lx *to);
/* Is there nothing that a loop over the block would leave for these? */
bool kf__cpu_are_made(const kf__cpu_block *b, uint32_t n);
/* The instruction of `mask` that has what a store of a half leaves, rounded; -1: none has. */
int kf__cpu_rounded(const kf__low *L, const kf__mask *mask, uint16_t store);
/* Where element l is stored, of the store's target. */
const kf__lx *kf__cpu_store_index(kf__low *L, const kf__cpu_block *b, uint16_t store,
                                  const kf__lx *l);
void kf__cpu_stores(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                    const kf__lx *l);
void kf__cpu_flush(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n);
void kf__cpu_fence(kf__low *L);

/* The pointer to where a tiled operand's tile begins in memory. */
const char *kf__cpu_corner(kf__low *L, uint32_t access);
/* to[j, i] = from[i, j], of n by m elements of the operand's type. */
void kf__cpu_put_transpose(kf__low *L, uint32_t access, const char *function, const kf__lx *to,
                           const kf__lx *to_pitch, const kf__lx *from, const kf__lx *from_pitch,
                           const kf__lx *n, const kf__lx *m);
/* Is it a result of bytes that goes through tiles? */
bool kf__cpu_turns_bytes(const kf__low *L, uint32_t access);
/* From a tile to a result's corner, past the caches where results are streamed; bytes by kf_turn1
 * where `wide` holds. NULL: it never does. */
void kf__cpu_flush_tile(kf__low *L, uint32_t access, const char *from, const kf__lx *pitch,
                        const kf__lx *n, const kf__lx *m, const kf__lx *wide);

/* ---------------------------------------------------------------- cpu_ahead.c */

/* Tiles of `along` elements of axis a by `down` elements of axis d, one behind the other along a. A
 * tiled operand has in each a corner and runs of elements, of others each row has a line. */
typedef struct kf__tiling {
    int a, d;
    int64_t along, down;
    int64_t size;        /* of a, until they go on along d; 0: all of it */
    int64_t tiles;       /* along d, until they go on along a */
    const kf__lx *wraps; /* is this the last of these? NULL: they never do */
    const kf__lx *last;  /* is this tile the last one along a? */
    const kf__lx *more;  /* is there another one in this unit? NULL: a unit is a tile */
    const kf__lx *lines; /* are lines asked for, too? NULL: always */
    bool cached;         /* are lines of results asked for, though others be streamed? */
    const kf__lx *wide;  /* the same of runs of bytes; NULL: they aren't */
    const kf__lx *row, *rows; /* this row of the tile's, and how many there are */
    const kf__lx *run, *runs; /* elements of a run, and how many there are */
    const kf__lx *len;        /* elements of a line */
} kf__tiling;

/* The word that says whether anything is asked for. */
void kf__cpu_prefetch_word(kf__low *L, bool useful);
/* Asks for n elements from `at` on, to read or to store; they needn't begin a line of the cache. */
void kf__cpu_prefetch_run(kf__low *L, uint32_t access, const kf__lx *at, const kf__lx *n);
/* Of a thread's first tile, which nobody has asked for, the lines of a later row. */
void kf__cpu_prefetch_rows(kf__low *L, const kf__mask *mask, const kf__tiling *t);
/* A thread's first tile, where `where` (NULL: always) holds: `len` runs of n elements. */
void kf__cpu_prefetch_first(kf__low *L, uint32_t access, const kf__lx *where, const kf__lx *n,
                            const kf__lx *len);
/* A row's part of what the next tile reads, by loads of `mask`, and stores. */
void kf__cpu_prefetch_next(kf__low *L, const kf__mask *mask, const kf__tiling *t);

/* ---------------------------------------------------------------- cpu_gather.c */

/* Loads' guards without what they say of other axes, where the kernel gathers. */
void kf__cpu_narrow_guards(kf__low *L);
bool kf__cpu_has_scan(const kf__low *L, const kf__mask *mask); /* is any of it cumulative? */
/* Sets b->from[i], if load i's guard is known before the loop. */
void kf__cpu_put_from(kf__low *L, kf__cpu_block *b, uint32_t i);
/* Is it, or has load i none that the loop would ask? */
bool kf__cpu_is_guard_known(const kf__low *L, const kf__cpu_block *b, uint32_t i);
const char *kf__cpu_from(const kf__low *L, const kf__cpu_block *b, uint32_t i); /* or the pointer */
/* Loads at indices of their own, of which more is made than little, or folds: into b->pick[i], of
 * the block's elements [from, to). from NULL: of all of them; otherwise, is a scope left open? */
bool kf__cpu_put_elements(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                          const kf__lx *to);
/* Are elements read at indices of their own? Beside these, which wait for memory anyway, nothing is
 * asked for: sum(take_along_axis(x, i, 1) * y, 1) of 317x316 took 158 us on a Zen 4, not 100. */
bool kf__cpu_scatters(const kf__low *L);
/* A word: is it worth while to ask for the rows that the next block reads? NULL: it reads none. */
const kf__lx *kf__cpu_ahead(kf__low *L, const kf__mask *mask);
void kf__cpu_put_ahead(kf__low *L, kf__cpu_block *b, const kf__mask *mask); /* for those of b */

/* ---------------------------------------------------------------- cpu_table.c */

typedef struct kf__tables {
    const uint8_t *way; /* [n_instrs]; NULL: runs of each line are picked */
    uint16_t *kept;     /* [n] instructions */
    const char **name;  /* [n] their tables */
    kf__mask *made;     /* what they are made of */
    uint32_t n;
    bool parts;         /* may a line that begins where another did be longer? */
} kf__tables;

/* Is there anything to keep? Then its tables are declared, of `most` elements. *t is zeros, or says
 * that lines are parts. */
bool kf__cpu_find_tables(kf__low *L, const kf__mask *mask, int64_t most, kf__tables *t);
kf__mask *kf__cpu_table_mask(kf__low *L, const kf__tables *t, const uint16_t *stores, uint32_t n);
void kf__cpu_put_tables(kf__low *L, kf__cpu_block *b, const kf__tables *t); /* a unit's first */
/* Its parts: the pointers that tables are read from, the loop over the block that fills them. */
void kf__cpu_need_tables(kf__low *L, const kf__cpu_block *b, const kf__tables *t);
void kf__cpu_fill_tables(kf__low *L, const kf__cpu_block *b, const kf__tables *t);
/* Those of `mask` that change along a line and across lines: others are made once, or in tables. */
const kf__mask *kf__cpu_varying(kf__low *L, const kf__mask *mask);
/* What is reduced: of all stages, declared before the loop over units, as L->tables. */
void kf__cpu_use_tables(kf__low *L, int64_t most, kf__tables *t);
/* Those of the block, if `mask` has any; from then on they are read for it. */
void kf__cpu_put_block_tables(kf__low *L, kf__cpu_block *b, const kf__mask *mask);
/* What is computed for each element of the block, beside its tables. */
kf__mask *kf__cpu_needed(kf__low *L, const kf__cpu_block *b, const uint16_t *roots, uint32_t n);
kf__mask *kf__cpu_needed_line(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                              uint32_t n);
/* Is anything made of what changes across lines alone? What doesn't change along the unit's line. */
bool kf__cpu_has_across(const kf__low *L, const kf__tables *t, const kf__mask *mask);
void kf__cpu_put_across(kf__low *L, const kf__tables *t, const kf__mask *mask);

/* ---------------------------------------------------------------- cpu_of_lines.c */

enum { KF__CPU_LINES = 128 }; /* lines of which functions are taken at once */
typedef struct kf__of_lines {
    uint16_t kept[KF__HELD];
    const char *name[KF__HELD]; /* arrays of as many lines as are made at once */
    kf__mask *made;
    uint32_t n;
    bool outer; /* do they change along axes before that of lines? */
} kf__of_lines;

/* Is a function taken of what the elements of a line share? */
bool kf__cpu_find_of_lines(kf__low *L, const kf__mask *mask, kf__of_lines *of);
/* What stores need besides. */
kf__mask *kf__cpu_mask_of_elements(kf__low *L, const kf__of_lines *of, const uint16_t *stores,
                                   uint32_t n);
void kf__cpu_declare_of_lines(kf__low *L, const kf__of_lines *of, int64_t most);
/* Of this line, as element `at`. */
void kf__cpu_put_of_line(kf__low *L, const kf__of_lines *of, const kf__lx *at);
void kf__cpu_read_of_lines(kf__low *L, const kf__of_lines *of, const kf__lx *r);

/* ---------------------------------------------------------------- cpu_few.c */

/* Are the last few elements of a run, of what `mask` has, worth a vector of their own? */
bool kf__cpu_is_worth_few(const kf__low *L, const kf__mask *mask);
/* Declares, as `name`, where they begin: of [from, to) fewer than KF__CPU_FEW are behind it. */
const kf__lx *kf__cpu_put_whole(kf__low *L, const char *name, const kf__lx *from,
                                const kf__lx *to);
/* Declares, as `name`, n up to whole ones of the widest vectors, which a block is too: of arrays of
 * a block what is behind n is there. */
const kf__lx *kf__cpu_put_padded(kf__low *L, const char *name, const kf__lx *n);
/* Opens an `if` there are any in [whole, to), and says how many. */
void kf__cpu_open_few(kf__low *L, const kf__lx *whole, const kf__lx *to);
/* In it: the vector of them, of which those are inside; gives its element. */
const kf__lx *kf__cpu_open_vector(kf__low *L, kf__cpu_block *b, const kf__lx *whole);
void kf__cpu_close_vector(kf__low *L, kf__cpu_block *b);
void kf__cpu_open_left(kf__low *L); /* and a loop over them, one by one */

/* ---------------------------------------------------------------- cpu_pointwise.c, cpu_pick.c */

/* Where nothing is reduced: one block, from `first` and `len` on; and what its stores need. */
kf__mask *kf__cpu_line_mask(kf__low *L, const uint16_t *stores, uint32_t n);
void kf__cpu_line(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const uint16_t *stores,
                  uint32_t n);
/* Is it where(c, pick, 0) of a pick that is made as zeros where c isn't true? */
bool kf__cpu_is_pick_or_zero(const kf__low *L, const kf__cpu_block *b, uint32_t i);
/* The elements of pick i, where the block's parts are runs: filled into b->pick[i]. */
void kf__cpu_put_picks(kf__low *L, kf__cpu_block *b, uint32_t i);
/* Is a pick all that is stored, or little that is made of one? Then its runs go to its target. */
bool kf__cpu_stores_pick(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                         uint32_t *pick);
/* Is it one whose parts are stored as they lie in memory? */
bool kf__cpu_stores_pick_raw(const kf__low *L, const kf__cpu_block *b, uint16_t store);
/* Leaves those that aren't such in `stores`, the others in raw[n]; of how many they aren't. */
uint32_t kf__cpu_take_raw(kf__low *L, const kf__cpu_block *b, uint16_t *stores, uint32_t n,
                          uint16_t *raw);
/* Copies them into the block, behind its other stores: a result may lie over what those read. */
void kf__cpu_copy_raw(kf__low *L, const kf__cpu_block *b, const uint16_t *raw, uint32_t n);
void kf__cpu_store_pick(kf__low *L, kf__cpu_block *b, const kf__mask *mask, uint16_t store,
                        uint32_t pick);
void kf__cpu_tiles(kf__low *L); /* pointwise, with operands that go through tiles */

/* ---------------------------------------------------------------- cpu_lines.c */

enum { KF__REPEATS = 8 }; /* at most */
typedef struct kf__repeats {
    uint16_t access[KF__REPEATS], n; /* what is the same for all lines */
    const char *name[KF__REPEATS];   /* arrays on the stack */
    const kf__lx *is, *length;       /* are lines one run? and how long is a line, or the run? */
    const kf__lx *lines, *there;     /* of three axes: lines of an outer index, 1 of a run; of which
                                      * one the arrays are */
    const struct kf__tables *tables; /* of what is made of the repeated alone; NULL: nothing */
} kf__repeats;

enum { KF__REPEATED = KF__CPU_BLOCK + 512 }; /* elements of such an array: with a line more */

/* Of a pointwise kernel: may its lines be one run? By the text alone. */
bool kf__cpu_find_repeats(const kf__low *L, kf__repeats *r);
int64_t kf__cpu_run(const kf__low *L, const kf__repeats *r); /* its elements; 0: lines aren't one */
int64_t kf__cpu_runs(const kf__low *L); /* how many: one of two axes, of three one an outer index */
/* Of three axes: the outer ones of a line's or run's number, and its repeated lines. */
void kf__cpu_put_of_run(kf__low *L, const kf__repeats *r, const kf__lx *line);
void kf__cpu_put_repeats(kf__low *L, kf__repeats *r);        /* before units */
void kf__cpu_put_repeated(kf__low *L, kf__cpu_block *b, const kf__repeats *r);

/* ---------------------------------------------------------------- cpu_kept.c */

typedef const kf__lx *kf__state_fields[KF__MAX_FIELDS];

/* Values of a row that later stages read: exp(x - max) beside max_sumexp of x, kept while they are
 * summed, in one stage perhaps of several x; or what is dear, kept when it is computed. */
typedef struct kf__kept {
    uint32_t red, power;             /* power: the instruction; red: of exponentials */
    uint32_t stage;                  /* of what is dear */
    bool argument;                   /* of exponentials: x is kept too, until its own is taken */
    int64_t most;                    /* elements of a row that can be kept */
    const kf__lx *begin;             /* where this row's begin in `row`; NULL: at 0 */
    const char *row, *from;          /* [most], and the block's in it */
    struct kf__kept *next;           /* other exponentials that the stage keeps; or NULL */
} kf__kept;

enum { KF__CPU_KEPT = 256 << 10 }; /* bytes of all on the stack */

/* Is it, or what it is made of, dear: a function, random bits, read at an index that is a value? */
bool kf__cpu_is_dear(kf__low *L, uint16_t i);
/* Is it faster read from an array than made again? */
bool kf__cpu_is_kept_well(kf__low *L, uint16_t i);
/* The arguments of a stage's reductions and what it stores: [n], and n. */
uint32_t kf__cpu_roots(kf__low *L, uint32_t s, uint16_t **roots);
kf__mask *kf__cpu_of_stage(kf__low *L, uint32_t s); /* what it computes for every element */
kf__mask **kf__cpu_of_stages(kf__low *L); /* [n_stages]. NULL: no memory */
/* Where in scratch this range's rows are, if they are longer than `most`; else -1. */
const kf__lx *kf__cpu_put_slot(kf__low *L, int64_t most);
/* Declares `name`, a row's elements: `most` on the stack, or there. */
void kf__cpu_put_kept_row(kf__low *L, const char *name, kf__dtype type, int64_t most,
                          const kf__lx *slot);
/* Is there something to keep? Then (keep) its buffer is declared. */
bool kf__cpu_find_exps(kf__low *L, kf__kept *k);
bool kf__cpu_keep_exps(kf__low *L, kf__kept *k);
bool kf__cpu_find_dear(kf__low *L, kf__kept *k);
bool kf__cpu_keep_dear(kf__low *L, kf__kept *k);
const kf__kept *kf__cpu_kept_of(const kf__kept *k, uint32_t red); /* its exponentials; or NULL */
/* The values of k and of the next ones are those of element l; NULL: they are to be made. */
void kf__cpu_read_kept(kf__low *L, const kf__kept *k, const kf__lx *l);
/* Declares k->from, and the next ones', of the block that starts at element `first`. */
void kf__cpu_put_kept_from(kf__low *L, const kf__kept *k, const kf__lx *first);

/* ---------------------------------------------------------------- cpu_merges.c */

/* Reductions whose states are merged as a tree. */
typedef struct kf__merges {
    uint16_t reds[64];
    kf__state_fields state[64], block[64];
    uint32_t n;
    const kf__lx *blocks; /* how many there were */
} kf__merges;

/* Adds it, if its states are rounded when they are merged; of one field others take care. */
void kf__cpu_add_merge(const kf__low *L, kf__merges *m, uint32_t red, const kf__lx *const *state);
void kf__cpu_open_merges(kf__low *L, kf__merges *m); /* declares the levels; all may have n = 0 */
/* Is it one of these? Then this is its state of the next block. */
bool kf__cpu_take_block(const kf__low *L, kf__merges *m, uint32_t red, const kf__lx *const *block);
/* All blocks' states, of len elements, which leave nothing of use in m->state. */
void kf__cpu_put_merges(kf__low *L, const kf__merges *m, const kf__lx *len);
void kf__cpu_close_merges(kf__low *L, const kf__merges *m); /* all of them, into m->state */

/* One stage's reductions and stores. */
typedef struct kf__cpu_stage {
    uint32_t s;
    uint16_t reds[64], stores[64];
    uint32_t n_reds, n_stores;
    kf__state_fields running[64];
    const kf__lx *rest[64]; /* of sums of many short lines: what their roundings left */
    kf__merges merges;      /* and states that are merged as a tree */
    const char *done;       /* elements reduced so far */
    const kf__kept *fill, *use; /* exponentials that it keeps, values that it reads; or NULL */
    const kf__kept *save;       /* a value that it computes and keeps */
    kf__kept *stored;       /* values that it stored by a loop of their own; or NULL */
    bool summing;           /* of fill: the second loop over the row */
} kf__cpu_stage;

/* ---------------------------------------------------------------- cpu_group.c */

/* Rows that are at the same stage together. */
enum {
    KF__CPU_GROUP = 8,
    KF__CPU_TINY = 32, /* elements of short rows, of which as many go together */
    KF__CPU_GROUP_ROW = 512, /* elements of a row, at most */
};
typedef struct kf__cpu_group {
    bool reduces;               /* does a stage behind the first? */
    kf__mask *more;             /* loads of the last stage, of what no other one reads; or NULL */
    bool ahead;                 /* is the last stage too short to wait for memory meanwhile? */
    int64_t most;               /* elements of a row, for groups */
    uint16_t *values, n_values; /* of a row, which later stages need */
    uint8_t *until;             /* [n_values] the last stage that needs it */
    const char **saved;         /* [n_values] arrays of them */
    const kf__lx *r, *rows;     /* which of the group's rows, and how many they are */
} kf__cpu_group;

/* Of short rows, whose exponentials are taken next. */
void kf__cpu_ask_for_rows(kf__low *L, const kf__lx *n);
bool kf__cpu_reduces_later(const kf__low *L); /* does a stage behind the first? */
/* Elements of rows of which something is made at once. */
int64_t kf__cpu_together(const kf__low *L);
/* Short rows of a group that aren't eight: as many as have 1024 elements; as a word. */
int64_t kf__cpu_rows_of_group(const kf__low *L);
const kf__lx *kf__cpu_most_rows(kf__low *L);
/* Opens the loop over groups of `most` rows, from first_row on. Gives how many a group has. */
const kf__lx *kf__cpu_open_rows(kf__low *L, const kf__lx *most);
/* kept: what the row keeps for it, or NULL. False: rows go one by one. */
bool kf__cpu_may_group(kf__low *L, const kf__kept *kept, kf__cpu_group *g);
/* Of rows whose stages carry what they make: never without it. False: no memory. */
bool kf__cpu_carry_groups(kf__low *L, kf__cpu_group *g);
/* Of short rows of which nothing is made behind what they reduce: what is saved of each. */
void kf__cpu_group_late(kf__low *L, kf__cpu_group *g);
bool kf__cpu_are_late(const kf__low *L); /* may any stage's be? */
bool kf__cpu_is_late(const kf__low *L, uint32_t s); /* are stage s's values made of them so? */
void kf__cpu_put_late(kf__low *L, const kf__cpu_group *g, uint32_t s); /* between two loops */
void kf__cpu_open_groups(kf__low *L, kf__cpu_group *g, const kf__lx *n, kf__kept *kept,
                         kf__held *held);
void kf__cpu_turn_group(kf__low *L, const kf__cpu_group *g, uint32_t s); /* to stage s */
void kf__cpu_close_groups(kf__low *L);

/* To stage st again, of whose states `fields` of each reduction are made. */
void kf__cpu_turn_inside(kf__low *L, kf__cpu_stage *st, int fields);
/* How many of reduction r's then are, and where a row's is. */
int kf__cpu_made(const kf__low *L, const kf__cpu_stage *st, uint32_t r, int fields);
const kf__lx *kf__cpu_state_of_row(kf__low *L, uint32_t red, int field);

/* ---------------------------------------------------------------- cpu_carried.c */

/* Is there enough that would be computed again by later stages? */
bool kf__cpu_find_carried(kf__low *L, kf__carried *c);
void kf__cpu_put_carried(kf__low *L); /* declares the arrays */
bool kf__cpu_carries(const kf__low *L); /* does this stage carry anything to later ones? */
bool kf__cpu_is_carried(const kf__low *L, uint32_t i); /* is instruction i of that? */
void kf__cpu_point_at_carried(kf__low *L, const kf__lx *first); /* a block's in the arrays */
void kf__cpu_read_carried(kf__low *L, const kf__lx *e); /* values of what is there */
void kf__cpu_carry(kf__low *L, const kf__lx *e); /* what this stage has computed */

/* ---------------------------------------------------------------- cpu_row_lines.c */

/* Short lines of what a stage reduces of several axes, one behind the other in L1. Where functions
 * are taken of them, first what these are made of: of a line of 7 elements a function takes as long
 * as of 16. */
typedef struct kf__row_lines {
    uint16_t args[64], at[64]; /* what is reduced; what is put there by lines */
    const char *name[64], *kept[64]; /* their arrays */
    const kf__lx *value[64]; /* of args: of what is the same for all elements, as it is elsewhere */
    uint32_t n_args, n;
    bool makes; /* are args made of the others then? */
} kf__row_lines;

/* Line by line over the reduced indices `name` from `from` to `to`: opens the loop, whose step
 * `*len` is to be set, and gives what is left of the line, from `*first` on. */
const kf__lx *kf__cpu_open_row_lines(kf__low *L, const char *name, const kf__lx *from,
                                     const kf__lx *to, const kf__lx **first, const kf__lx **len);
/* The line is done, or its part: as far as a block reaches. */
void kf__cpu_close_row_lines(kf__low *L, const kf__lx *first, const kf__lx *len);

void kf__cpu_find_row_lines(kf__low *L, const uint16_t *reds, uint32_t n, kf__row_lines *s);
void kf__cpu_declare_row_lines(kf__low *L, const kf__row_lines *s);
/* The lines of reduced indices [from, to); put: where that of the loop's index, `q`, goes. */
void kf__cpu_copy_row_lines(kf__low *L, const kf__row_lines *s, const kf__lx *put,
                            const kf__lx *from, const kf__lx *to);
/* Of the n elements that are there, from `from` on, whole vectors of them, and of zeros behind. */
void kf__cpu_make_of_row_lines(kf__low *L, const kf__row_lines *s, const kf__lx *from,
                               const kf__lx *n);

/* ---------------------------------------------------------------- cpu_leaves.c */

enum { KF__LEAVES = 6 }; /* more of them don't stay in L1 */
typedef struct kf__leaves {
    uint16_t instr[KF__LEAVES];
    const char *name[KF__LEAVES];
    uint32_t n;
    int axis; /* along which rows follow one another */
} kf__leaves;

/* What the roots are made of that only a row's own loop can read. False: nothing, or too much. */
bool kf__cpu_find_leaves(kf__low *L, const uint16_t *roots, uint32_t n, int axis, kf__leaves *f);
enum { KF__LEAVES_OF_ROWS, KF__LEAVES_OF_COLUMNS, KF__LEAVES_OF_TILES };
typedef struct kf__leaf_rows {
    const kf__lx *first_row, *rows;
    const kf__lx *first, *n; /* of each row n elements, from `first` on */
    int kind;
} kf__leaf_rows;

/* Declares and fills their arrays, of KF__CPU_BLOCK elements at most. */
void kf__cpu_put_leaves(kf__low *L, const kf__leaves *f, const kf__leaf_rows *of);
/* They are element `at` of their arrays from then on; NULL: nothing. */
void kf__cpu_hold_leaves(kf__low *L, const kf__leaves *f, const kf__lx *at);
bool kf__cpu_is_same(kf__low *L, uint16_t instr); /* for all rows? */

/* ---------------------------------------------------------------- cpu_scan.c */

/* What the stores' values are made of, of a block's tables (b: NULL, without). */
kf__mask *kf__cpu_needed_to_store(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                                  uint32_t n);

/* ---------------------------------------------------------------- cpu_scan_columns.c */

void kf__cpu_scan_columns(kf__low *L, kf__scans *s); /* along an outer axis */

/* ---------------------------------------------------------------- cpu_short.c */

/* What is to be made, or stored, before anything is reduced; there may be nothing. False: such rows
 * have no function of their own. */
bool kf__cpu_find_held(kf__low *L, kf__held *h);
/* Are these rows for the function of short ones? plain: only its shorter loops are better. */
bool kf__cpu_is_short(kf__low *L, const kf__held *h, bool plain);
/* May the loads and stores of several rows be one run, by the text alone? Are they? */
bool kf__cpu_may_be_run(const kf__low *L, const kf__held *h);
bool kf__cpu_may_be_run_of(const kf__low *L, const kf__held *h, const uint16_t *there,
                           uint32_t n_there); /* given those, of each element */
/* Is it a load or a random number whose elements of rows along axis m may be one run? */
bool kf__cpu_is_in_runs_along(const kf__low *L, uint32_t i, int m);
/* If they may not, may they given their leaves? *run is what is made of those. */
bool kf__cpu_find_run_given(kf__low *L, const kf__held *h, kf__leaves *leaves, kf__held *run);
/* The same where vectors leave much of what is made of leaves. */
bool kf__cpu_find_run_of_leaves(kf__low *L, const kf__held *h, kf__leaves *leaves, kf__held *run);
bool kf__cpu_is_run(const kf__low *L, const kf__held *h);
/* What is held, and what is stored: n, at most 2 * KF__HELD. */
uint32_t kf__cpu_roots_of_held(const kf__low *L, const kf__held *h, uint16_t *roots);
bool kf__cpu_is_in_runs(const kf__low *L, uint32_t i); /* is it a load, or random, in such a run? */
bool kf__cpu_stores_narrow(const kf__low *L, const kf__held *h); /* any of less than 4 bytes? */
/* How many runs `rows` rows of n elements are, one where `is` (a word, or NULL: they are no run);
 * *len, named so: how long each is. */
const kf__lx *kf__cpu_put_runs(kf__low *L, const kf__lx *is, const kf__lx *rows, const kf__lx *n,
                               const char *name, const kf__lx **len);
/* Opens the loop over a group's rows, of n elements; once over all where `is`. Gives the length of
 * what it goes over. is: a word, or NULL: they are no run. */
const kf__lx *kf__cpu_open_runs(kf__low *L, const kf__lx *is, const kf__lx *rows, const kf__lx *n);
/* h with the block's tables, which are put, in place of what they are made of. */
kf__held kf__cpu_with_tables(kf__low *L, kf__cpu_block *b, const kf__held *h);
/* Of how many elements does it stay in half of L1 with what it is made of? */
int64_t kf__cpu_near_elements(const kf__low *L, const kf__held *h);
/* For the group's rows, of n elements. */
void kf__cpu_put_held(kf__low *L, kf__held *h, const kf__lx *rows, const kf__lx *n);
/* Makes the values of h, of a block that was prepared, from `begin` on in its arrays; stores. */
void kf__cpu_make(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin);
/* And flushes; halves that are held, too, are read back from what is stored. */
void kf__cpu_make_and_store(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin);
void kf__cpu_make_run(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin,
                      const kf__lx *from, const kf__lx *to); /* of its elements [from, to) */
/* Of [whole, to), less than KF__CPU_FEW, as one vector of what is inside. */
void kf__cpu_make_last(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin,
                       const kf__lx *whole, const kf__lx *to);
/* Is it made of values of element l that are there already? Then of no element by another name. */
bool kf__cpu_is_given(const kf__low *L, const kf__mask *mask);
/* Of rows: is nothing of them held, stored or made again later, however long they are? */
bool kf__cpu_keeps_nothing(const kf__low *L, const kf__held *h);
void kf__cpu_hold(kf__low *L, const kf__lx *e); /* values of what is held, for element e of a row */
void kf__cpu_hold_of(kf__low *L, const kf__held *h, const kf__lx *e); /* of what h holds */
/* Do vectors leave much of it to single steps: functions, or bytes and halves that are widened? */
bool kf__cpu_leaves_much(const kf__low *L, const kf__mask *mask);

/* ---------------------------------------------------------------- cpu_flat.c */

/* The last stage of short rows, in two parts. */
typedef struct kf__flat {
    kf__held made; /* one value, made row by row, of all rows of a group */
    kf__held run;  /* stores of what is made of it, which may be one run */
} kf__flat;

/* kept: what a row keeps for it, or NULL. */
bool kf__cpu_find_flat(kf__low *L, uint32_t last, const kf__kept *kept, kf__flat *f);
void kf__cpu_declare_flat(kf__low *L, const kf__flat *f);
/* The first part, of row r; of block b, of which all else that it is made of is there. */
void kf__cpu_put_flat(kf__low *L, const kf__flat *f, const kf__kept *kept, const kf__lx *n);
void kf__cpu_put_flat_of(kf__low *L, const kf__flat *f, const kf__cpu_block *b);
/* The run; before: what else is held of the rows, or NULL. */
void kf__cpu_put_flat_run(kf__low *L, kf__flat *f, const kf__held *before, const kf__lx *rows,
                          const kf__lx *n);

/* ---------------------------------------------------------------- cpu_short_lines.c */

/* A function for short lines of a pointwise kernel, if they'd be made otherwise. True: they are. */
bool kf__cpu_short_lines(kf__low *L);

/* ---------------------------------------------------------------- cpu_chain.c */

/* Of what `mask` is made of: what functions are taken of that are of functions, into b->pick. from,
 * to: of a run of the block; NULL: of all of it. whole: where the run's last few elements begin, if
 * they are to be a vector. */
void kf__cpu_put_chains(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                        const kf__lx *to, const kf__lx *whole);
bool kf__cpu_has_chains(kf__low *L, kf__cpu_block *b, const kf__mask *mask); /* is there any? */

/* ---------------------------------------------------------------- cpu_split.c */

/* Makes the arguments of n reductions, if there are functions in them, into arrays keep[r]. read:
 * what they are made of. */
bool kf__cpu_split(kf__low *L, kf__cpu_block *b, const uint16_t *reds, uint32_t n,
                   const char **keep, const kf__mask **read);

/* ---------------------------------------------------------------- cpu_own_row.c */

/* The kernel for rows that can be kept, which reads its own row; NULL: it has nothing to read. */
const kf__kernel *kf__cpu_own_row(kf__low *L, kf__own_row *own);

/* ---------------------------------------------------------------- cpu_passes.c */

/* One stage's reductions over one block: leaves each one's block state in fields[r][f]. */
typedef struct kf__pass {
    int field, n_fields; /* n_fields: the most that a reduction has */
    int lanes;           /* only those whose lanes have so many bytes; 0: all */
    const uint16_t *reds, *stores;
    uint32_t n_reds, n_stores;
    const kf__mask *mask;
    const char **keep; /* [n_reds] buffers of dear arguments, or NULL */
    bool kept;         /* keep holds all of them before the first field */
    const kf__kept *fill, *use; /* exponentials to be kept, values that were kept; or NULL */
    const kf__kept *save;       /* a value to be kept when it is computed */
    const kf__kept *stored;     /* values of the block that are stored already; or NULL */
    kf__cpu_stage *stage;
    bool summing; /* of fill: the loop that sums and keeps, not that of the maximum */
    kf__state_fields *fields;
} kf__pass;

const char *kf__cpu_lanes_name(kf__low *L, uint32_t red, int f);
void kf__cpu_put_lanes(kf__low *L, uint32_t red, int f); /* declares them, as identities */
void kf__cpu_put_tree(kf__low *L, uint32_t red, int f);  /* folds them into the first */
void kf__cpu_put_pass(kf__low *L, kf__cpu_block *b, kf__pass *p);   /* of p->field */
void kf__cpu_put_passes(kf__low *L, kf__cpu_block *b, kf__pass *p); /* of all fields */
/* May all of it be computed under a mask, by vectors? */
bool kf__cpu_is_masked_well(const kf__low *L, const kf__mask *mask);

/* ---------------------------------------------------------------- cpu_stage.c */

void kf__cpu_open_stage(kf__low *L, kf__cpu_stage *st, uint32_t s);
/* Declares the states, of which `made` fields of each reduction are in the group's arrays. */
void kf__cpu_put_states(kf__low *L, kf__cpu_stage *st, int made);
/* Of a block: what lies where, and the values that are there already. */
void kf__cpu_open_block(kf__low *L, kf__cpu_block *b, const kf__cpu_stage *st, const kf__lx *first,
                        const kf__lx *len);
/* Over elements [from, to) of the row. */
void kf__cpu_put_stage(kf__low *L, kf__cpu_stage *st, const kf__lx *from, const kf__lx *to);
/* Its results; total: elements of the row */
void kf__cpu_project_all(kf__low *L, const kf__cpu_stage *st, const kf__lx *total);

/* ---------------------------------------------------------------- cpu_rows.c */

/* A function of short rows, if anything of those is made first. True: these are such rows. */
bool kf__cpu_short_rows(kf__low *L);

#endif
