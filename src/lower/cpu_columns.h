/* Columns on the CPU: what the loops over groups of rows and those in a group share. */
#ifndef KFUSE_LOWER_CPU_COLUMNS_H
#define KFUSE_LOWER_CPU_COLUMNS_H

#include "lower/cpu.h"

enum {
    KF__CPU_ROWS = 64,           /* rows of a group: 256 bytes of what is contiguous along them */
    KF__CPU_TURNED = 128,        /* columns, where operands are transposed into L1 */
    KF__CPU_TURNED_PITCH = 144,  /* elements from row to row there */
    KF__CPU_FOLDED = 4,          /* rows that are folded at once, before they are stored */
    KF__CPU_MADE_ROW = 512,      /* elements of a row that is put together with others, at most */
    KF__CPU_FEW_BYTES = 31,      /* of a row: fewer than two vectors, once they are wider */
    KF__CPU_MADE = 2048,         /* elements that are made at once: a block */
    KF__CPU_MADE_TILE = 1024,    /* columns, where a group of rows is made before it is reduced */
};

typedef struct kf__columns {
    uint16_t *reds, stores[64];
    uint32_t n_reds, n_stores;
    bool simple; /* all reductions are plain folds */
    int64_t tile, most_tile, tiles, rows, group, chunk, chunks, outer;
    int64_t (*offsets)[KF__MAX_FIELDS];
    const kf__lx *first, *len, *total;
    const kf__lx *from, *to; /* the unit's rows */
    kf__held made;           /* what is made of a group of rows before anything is reduced */
    bool makes;              /* is there any? */
    int in_place;            /* of what is made, one value, the access that stores it; -1 */
    const kf__lx *pitch;     /* elements from row to row of what is made */
    bool leafs;              /* and of short rows, given their leaves, as one run? */
    bool is_short, few;      /* in a function of short rows, of a few bytes */
    bool pieces, rounds;     /* are rows looked at by pieces, which stay in L1; to float16? */
    bool ahead;              /* might four be folded ahead of what is stored, instead? */
    const kf__lx *piece;     /* where in the tile this one begins; NULL: it is all of it */
    int64_t most_short;      /* then their elements, at most */
    kf__of_lines own;        /* what is made of rows that have it of their own; n: 0, or not */
    const kf__lx *run;       /* is it one run of all rows? NULL: no */
    int wide;                /* the kept axis along which short lines are one; -1: none */
    kf__leaves leaves;       /* then what those lines can't read as one */
    const kf__lx *line, *lines; /* the tile's first along that axis, and how many it has */
} kf__columns;

/* ---------------------------------------------------------------- cpu_columns_wide.c */

/* May short lines along another kept axis be one, given leaves? Into c->leaves; the axis, or -1. */
int kf__columns_find_wide(kf__low *L, kf__columns *c);
/* By the sizes and strides, are they? */
bool kf__columns_is_wide(kf__low *L, const kf__columns *c, int axis);
int64_t kf__columns_wide_lines(const kf__low *L, const kf__columns *c); /* of a tile */
/* The tile, of that many lines; the other kept axes from `outer`. */
void kf__columns_put_wide_tile(kf__low *L, kf__columns *c, const kf__lx *tile,
                               const kf__lx *outer);
/* Of this row, those leaves that n roots need; `name` tells the arrays apart. They have no value
 * yet. */
void kf__columns_put_wide_leaves(kf__low *L, const kf__columns *c, const uint16_t *roots,
                                 uint32_t n, const char *name, kf__leaves *put);
/* Asks for what the loads of `mask` read of the next row: no processor foresees where it is. */
void kf__columns_put_wide_ahead(kf__low *L, const kf__columns *c, const kf__mask *mask);

/* ---------------------------------------------------------------- cpu_columns_folds.c */

/* Is a group of rows folded before what is stored of it is made? Then by this. */
bool kf__columns_folds_ahead(kf__low *L, const kf__columns *c);
const kf__lx *kf__columns_by_fours(kf__low *L, const kf__columns *c); /* a word: do they win? */
void kf__columns_put_folded(kf__low *L, const kf__columns *c, const kf__lx *r0, const kf__lx *r1);
/* Are the rows made, and looked at once? Then by this. */
bool kf__columns_folds_made(const kf__low *L, const kf__columns *c);
void kf__columns_put_folded_made(kf__low *L, const kf__columns *c, const kf__lx *r0,
                                 const kf__lx *r1);

/* ---------------------------------------------------------------- cpu_columns_group.c */

/* Below, r0 and r1: the group's first row, and behind its last one. */
const kf__lx *kf__columns_group(kf__low *L, const kf__columns *c); /* its rows, a word */
/* What is contiguous along the rows, transposed into L1; results from there, afterwards. */
void kf__columns_put_turned(kf__low *L, const kf__columns *c, const kf__lx *r0, const kf__lx *r1);
void kf__columns_put_turned_stores(kf__low *L, const kf__columns *c, const kf__lx *r0,
                                   const kf__lx *r1);
void kf__columns_put_turned_rows(kf__low *L, kf__cpu_block *b, const kf__lx *r0); /* of row r */
/* Is anything made before it is reduced? Into c->made; of short rows c->most_short, too. */
bool kf__columns_find_made(kf__low *L, kf__columns *c);
void kf__columns_put_made_arrays(kf__low *L, const kf__columns *c); /* declares its arrays */
void kf__columns_put_made(kf__low *L, kf__columns *c, const kf__lx *r0, const kf__lx *r1);
/* The values of element l of row r that are made already. */
void kf__columns_read_made(kf__low *L, kf__columns *c, const kf__lx *r0, const kf__lx *l);
/* In row r, of `len` elements: asks for what loads of `mask` read, and stores, of the next
 * group. */
void kf__columns_put_ahead(kf__low *L, const kf__columns *c, const kf__mask *mask,
                           const kf__lx *len, const kf__lx *r0, const kf__lx *r1);
void kf__columns_put_ahead_of_made(kf__low *L, const kf__columns *c, kf__cpu_block *b,
                                   const kf__lx *r0, const kf__lx *r1);
/* Of rows at indices of their own: asks for the next one that n `roots` read. */
void kf__columns_put_next_row(kf__low *L, const kf__columns *c, const uint16_t *roots,
                              uint32_t n, const kf__lx *r1);

#endif
