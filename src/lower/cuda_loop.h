/* Running states over the packs of a row: what cuda_loops.c, cuda_reduce.c and cuda_split.c share.
 *
 *     for (q0 = from; q0 < to; q0 += threads * V)      tiles: V packs of each thread in flight
 *         field 0 of the tile, closed; field 1; state = merge(state, tile's)
 *     states merged over lanes, then warps
 *
 * A chunk is a number of packs that depends on the row's length only. */
#ifndef KFUSE_LOWER_CUDA_LOOP_H
#define KFUSE_LOWER_CUDA_LOOP_H

#include "lower/cuda.h"

enum {
    KF__LOOP_THREADS = 256,
    KF__LOOP_PACKS = 4,         /* of a thread in flight */
    KF__LOOP_ELEMENTS = 256,    /* of all loads, in flight: beyond, code grows more than it gains */
    KF__ONE_CHUNK = 4096,       /* up to so many packs: a second launch would take longer */
    KF__MOST_CHUNKS = 16 * 132, /* of one row: enough for every multiprocessor */
};

typedef struct kf__loop {
    kf__tile tile;
    kf__phase phase;
    kf__states states;
    uint16_t *reds, *stores;
} kf__loop;

/* packs = ceil(n / W), in which lines are counted: those of the innermost of several reduced axes. */
void kf__loop_put_packs(kf__low *L, const kf__tile *t);
/* The head of tiles whose packs are counted through all lines of a row; t->end: how many it has. */
void kf__loop_head(kf__low *L, kf__tile *t, const kf__lx *s);
/* A function; its packs, scalars and tid. */
void kf__loop_begin(kf__low *L, kf__loop *lp, const char *suffix, const char *doc);
/* The reductions and stores of a stage; false: there are none. */
bool kf__loop_prepare(kf__low *L, kf__loop *lp, uint32_t stage);
/* All of a stage over the packs [from, to): states merged over the block in the end. */
void kf__loop_stage(kf__low *L, kf__loop *lp, uint32_t stage, const kf__lx *from,
                    const kf__lx *to);
/* Variables of the running states, and of the count where one is needed. */
void kf__loop_states(kf__low *L, kf__states *st, uint32_t stage);
void kf__loop_project(kf__low *L, const kf__states *st, const kf__lx *total);
int64_t kf__loop_packs(const kf__low *L, int width); /* of a row */
int64_t kf__loop_chunk(int64_t packs);               /* how many of them a block takes */
const kf__lx *kf__loop_block(kf__low *L);            /* u, the block */

/* Partial states in scratch, one for each block u; count_at: of the counts. */
typedef struct kf__parts {
    int64_t *offset; /* [reductions * KF__MAX_FIELDS] */
    int64_t count_at;
} kf__parts;
bool kf__parts_make(kf__low *L, const kf__states *st, int64_t n, kf__parts *out);
void kf__put_parts(kf__low *L, kf__states *st, const kf__parts *parts);
/* Each thread merges every 256th of the parts [first, first + chunks), then the block its threads'.
 */
void kf__combine_parts(kf__low *L, kf__states *st, const kf__parts *parts, uint32_t stage,
                       const kf__lx *first, const kf__lx *chunks);

void kf__cuda_split(kf__low *L);

#endif
