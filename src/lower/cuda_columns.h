/* Columns on CUDA: what the loops over rows (cuda_columns.c) and the merging of their states
 * (cuda_columns_merge.c) share. */
#ifndef KFUSE_LOWER_CUDA_COLUMNS_H
#define KFUSE_LOWER_CUDA_COLUMNS_H

#include "lower/cuda.h"

enum {
    KF__ACROSS = 32, /* threads of a block across: a warp */
    KF__DOWN = 8,    /* and down */
    KF__THREADS = KF__ACROSS * KF__DOWN,
    KF__FEW_THREADS = 128,   /* of a block that has few rows */
    KF__CLUSTER_BLOCKS = 8,
    KF__PIECES = 4,          /* of a cluster's chunk, at most */
    KF__MERGE_THREADS = 256, /* of a block that merges groups, at most of one column */
    KF__MERGE_GROUPS = 4,    /* that a thread merges, while there are more threads */
    KF__SHARED_BYTES = 48 << 10,
};

typedef struct kf__column_kernel {
    kf__tile tile;
    kf__phase phase;
    uint16_t *reds, stores[64];
    int64_t *offsets;
    int down;                    /* threads of a column in a block, each of which has every
                                    down-th row */
    int64_t rows, part, parts;   /* part: rows of a chunk or group; parts: how many of these */
    int64_t step;                /* a part's rows are a multiple of it */
    int64_t piece, pieces;       /* of a chunk, as part and parts; 0: it isn't in pieces */
    int64_t width, tiles, outer; /* width: columns of the innermost axis */
    int64_t blocks;              /* that share a tile's chunks or groups */
    int64_t beside;              /* groups, or pieces of lines, that a block takes beside one
                                    another; 0: the text knows of one only */
    int64_t lines;               /* of a cluster: outers of those; 0: the text knows of one only */
    int shift;                   /* 1 << shift: pieces of each */
    int64_t across;              /* threads of each of them across */
    int launched;                /* threads of a block that has groups beside one another; 0: all */
    bool is_long, dear, simple; /* functions in what is reduced; no state but a fold */
    bool gathers;               /* rows at indices of their own, by packs */
    bool clusters, apart; /* apart: tiles all of whose rows are there have code of their own */
    const kf__lx *first_row, *to, *j, *left, *first; /* first: column of the block's tile */
    const kf__lx *wide, *nth;       /* across, as text; which of those beside one another the
                                       thread has, */
    const kf__lx *line, *own_piece; /* in which line, NULL: there is one; which of its pieces */
    const kf__lx *place;            /* of all lines' or groups' threads across; below 32 */
    const kf__lx *is_own;           /* is there this line? NULL: there is */
    const kf__lx *lines_here;       /* how many of them the block has; NULL: one */
} kf__column_kernel;

/* All of it but what is reduced, stored and how many rows and columns there are. */
void kf__pick_columns(kf__low *L, kf__column_kernel *c);

/* A cluster has few rows. */
static inline const char *kf__row_type(const kf__low *L, const kf__column_kernel *c) {
    return c->clusters || L->small ? "int" : "int64_t";
}

/* Has this thread a group, or pieces? Some are left over. */
const kf__lx *kf__is_beside(kf__low *L, const kf__column_kernel *c);
/* A loop over a thread's columns: the index; it is to be closed. */
const kf__lx *kf__open_columns(kf__low *L, const kf__column_kernel *c);
/* How many of the rows from, from + down, ... below `to` there are, at most so many (0: all). */
const kf__lx *kf__put_held(kf__low *L, const kf__column_kernel *c, const char *name,
                           const kf__lx *from, const kf__lx *to, int64_t most);
const kf__lx *kf__put_block(kf__low *L); /* which one of the grid */
/* The rows of a part, a chunk or a group: from where on, and `to`; how many parts there are. */
const kf__lx *kf__put_part(kf__low *L, const kf__column_kernel *c, const kf__lx *part,
                           const kf__lx **to);
const kf__lx *kf__parts_of(kf__low *L, const kf__column_kernel *c);
/* The same of a piece of the chunk that begins at `from` and ends at `end`. */
const kf__lx *kf__put_piece(kf__low *L, const kf__column_kernel *c, const kf__lx *piece,
                            const kf__lx *from, const kf__lx *end, const kf__lx **to);

/* Bytes of a column's states in shared memory; as messages, too. */
int kf__column_bytes(const kf__low *L, const kf__column_kernel *c);
/* Shared memory for the states of a block's threads. */
void kf__put_down_states(kf__low *L, const kf__column_kernel *c);
/* all_F of a part whose rows begin at `from`: the states of the threads above one another, in
 * order. By a thread a column, which is left open: column `down` of the threads `across`. */
void kf__open_down(kf__low *L, kf__column_kernel *c, const kf__lx *from);

/* The states of the thread, of rows of this piece of its chunk; and, by a thread a column, which is
 * left open, all_F of the chunk whose rows begin at `from`: its pieces' in order. */
void kf__put_piece_states(kf__low *L, const kf__column_kernel *c, const kf__lx *piece);
void kf__open_pieces(kf__low *L, kf__column_kernel *c, const kf__lx *from, const kf__lx *to);

/* The results of the thread's columns, whose states of all rows it has. */
void kf__put_own_columns(kf__low *L, kf__column_kernel *c);

/* Shared memory for the states of a cluster's chunks. There a chunk's all_F are sent to the first
 * block; which has the results, when all have come. */
void kf__put_cluster_states(kf__low *L, const kf__column_kernel *c);
void kf__send_chunk(kf__low *L, const kf__column_kernel *c, const kf__lx *chunk);
void kf__put_cluster_columns(kf__low *L, kf__column_kernel *c);

/* A group's all_F: of all rows they give the results, else they go to memory. And the launch that
 * merges them. */
void kf__put_group(kf__low *L, kf__column_kernel *c, const kf__lx *group, const kf__lx *outer);
void kf__put_merge_function(kf__low *L, kf__column_kernel *c);

#endif
