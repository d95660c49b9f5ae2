/* Tiles of transposes: cuda_transpose.c has the nest, cuda_shape.c the tile's shape, cuda_along.c
 * what goes through shared memory. */
#ifndef KFUSE_LOWER_CUDA_TRANSPOSE_H
#define KFUSE_LOWER_CUDA_TRANSPOSE_H

#include "lower/cuda.h"

enum {
    KF__TILE_THREADS = 256,
    KF__TILE_LEN = 64, /* of the usual one */
};

typedef struct kf__shape {
    int each;          /* elements of a thread; a tile has 256 times as many */
    int packs;         /* of a thread */
    int least_rows;
    int above;         /* rows above a tile that there is room for */
    int64_t rows, len; /* of this plan */
} kf__shape;

/* ---------------------------------------------------------------- cuda_shape.c */

/* What doesn't fit into shared memory is taken out of L->tiled. false: nothing is left. */
bool kf__shape_pick(kf__low *L, int width, kf__shape *s);
void kf__shape_sides(const kf__low *L, kf__shape *s); /* rows, len */
int64_t kf__shape_size(const kf__shape *s);           /* elements of a tile */
int64_t kf__shape_items(const kf__low *L, const kf__shape *s, uint32_t i); /* of shared memory */
/* Of this plan: rows above a tile in which lines of results along t begin. */
int64_t kf__shape_above(const kf__low *L, const kf__shape *s);
/* Is there anything in packs that may as well go by elements? */
bool kf__shape_by_elements(const kf__low *L);

/* Of an operand that goes through shared memory. */
int kf__along_items(const kf__low *L, uint32_t i);  /* in 16 bytes */
int kf__along_sector(const kf__low *L, uint32_t i); /* in 32, that memory takes at once */
int kf__along_size(const kf__low *L, uint32_t i);   /* bytes of an item in shared memory */
int kf__along_padding(const kf__low *L, uint32_t i); /* items behind a line of them */
bool kf__along_is_load(const kf__low *L, uint32_t i);
const kf__lx *kf__along_wide(kf__low *L, uint32_t i); /* a word: may it be accessed by 16 bytes? */

/* ---------------------------------------------------------------- cuda_along.c */

void kf__along_early(kf__low *L, const kf__shape *s, uint32_t i); /* a load, into registers */
void kf__along_between(kf__low *L, kf__tile *t);                  /* registers into shared memory */
void kf__along_late(kf__low *L, const kf__shape *s, uint32_t i);  /* a result, from there */
/* pointer += step: products and sums of 64 bits for each element would be more instructions than
 * everything else. */
void kf__put_advance(kf__low *L, const char *pointer, const char *step);

/* ---------------------------------------------------------------- small expressions */

static inline const kf__lx *plus(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_bin(L, "+", a, b);
}
static inline const kf__lx *times(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_bin(L, "*", a, b);
}
static inline const kf__lx *var(kf__low *L, const char *name) { return kf__l_var(L, name); }

#endif
