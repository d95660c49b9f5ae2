/* Columns on CUDA: outer axes reduced, the innermost kept.
 *
 *     block     32 threads across, W columns each, of 8 bytes a thread; 8 threads down, every 8th
 *               row of its chunk
 *     tile      8 rows of a thread in flight; its states are arrays over its W columns
 *     then      the 8 states of a column merge through shared memory, in order, by a thread a
 *               column
 *     cluster   up to 2048 rows, from sm_90 on: its blocks take chunks of the rows in turn, and
 *               push their states into the first one, which merges them in order
 *     groups    else: a block takes a group of rows; a second launch merges these, a column a
 *               thread
 *
 * Which rows are a chunk or a group depends on their number only. How many blocks share the chunks
 * depends on how many columns there are, and changes no bit. */
#include "lower/cuda.h"

enum {
    KF__ACROSS = 32,
    KF__DOWN = 8,
    KF__THREADS = KF__ACROSS * KF__DOWN,
    KF__ROWS_IN_FLIGHT = 8,
    KF__ELEMENTS_IN_FLIGHT = 96, /* of a thread, at most: registers */
    KF__LONG_ROWS = 4,           /* of long functions, one column a thread */
    KF__CLUSTER_ROWS = 2048,     /* at most; of more rows clusters lose to groups */
    KF__CLUSTER_BLOCKS = 8,
    KF__BLOCKS_A_SM = 2,         /* of clusters: more of them gain nothing */
    KF__GROUP_ROWS = 256,        /* at least */
    KF__COLUMN_GROUPS = 128,     /* at most, of one column */
    KF__SHARED_BYTES = 48 << 10,
};

typedef struct columns {
    kf__tile tile;
    kf__phase phase;
    uint16_t *reds, stores[64];
    int64_t *offsets;
    int64_t rows, part, parts;   /* part: rows of a chunk or group; parts: how many of these */
    int64_t step;                /* a part's rows are a multiple of it */
    int64_t width, tiles, outer; /* width: columns of the innermost axis */
    bool clusters;
    const kf__lx *first_row, *to, *j, *left, *first; /* first: column of the block's tile */
} columns;

static columns *of(kf__tile *t) { return (columns *)((char *)t - offsetof(columns, tile)); }

/* A cluster has few rows. */
static const char *row_type(const kf__low *L, const columns *c) {
    return c->clusters || L->small ? "int" : "int64_t";
}

static void head(kf__low *L, kf__tile *t, const kf__lx *s) {
    columns *c = of(t);
    const kf__lx *row =
        kf__l_bin(L, "+", c->first_row, kf__l_bin(L, "*", s, kf__l_int(L, KF__DOWN)));
    row = kf__put_let(L, row_type(L, c), "row", row, NULL);
    const kf__lx *safe =
        kf__put_let(L, row_type(L, c), "safe", kf__cuda_at_most(L, row, c->to), NULL);
    kf__put_decode(L, true, false, safe);
    t->j = c->j;
    t->index = kf__l_bin(L, "*", s, kf__l_int(L, KF__DOWN)); /* from the tile's first row on */
    t->left = kf__put_let(L, "int", "left",
                          kf__l_select(L, kf__l_bin(L, "<", row, c->to), c->left, kf__l_int(L, 0)),
                          NULL);
}

/* Bytes of a column's states. */
static int state_bytes(const kf__low *L, const columns *c) {
    int n = 0;
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            n += kf__max(4, kf__types[kf__field_type(L, c->reds[r], f)].size);
    return n;
}

static const char *array(kf__low *L, const char *what, uint32_t red, int f) {
    return kf__field_name(L, what, red, f);
}

static const kf__lx *open_columns(kf__low *L, const columns *c) {
    kf__open_for(L, "int", "e", kf__l_int(L, 0), kf__l_int(L, c->tile.W), kf__l_int(L, 1),
                 KF__UNROLL);
    return kf__l_var(L, "e");
}

static const kf__lx *put_array(kf__low *L, const columns *c, const char *what, uint32_t red,
                               int f) {
    const char *name = array(L, what, red, f);
    kf__put_var(L, kf__ctype(kf__field_type(L, red, f)), name, c->tile.W, NULL);
    const kf__lx *e = open_columns(L, c);
    kf__put_set(L, kf__l_item(L, name, e), kf__identity(L, red, f));
    kf__close(L);
    return kf__l_var(L, name);
}

/* Rows of the tile that this thread has. */
static const kf__lx *put_held(kf__low *L, const char *name, const kf__lx *from, const kf__lx *to,
                              int64_t most) {
    /* rows from, from + 8, ... below to */
    const kf__lx *n = kf__l_bin(L, "/", kf__l_bin(L, "+", kf__l_bin(L, "-", to, from),
                                                   kf__l_int(L, KF__DOWN - 1)),
                                kf__l_int(L, KF__DOWN));
    n = kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0), n);
    if (most) n = kf__l_call(L, "kf_min_i64", KF__I64, n, kf__l_int(L, most));
    return kf__put_let(L, "int64_t", name, n, NULL);
}

static void put_tiles(kf__low *L, columns *c, const kf__lx *from, const kf__lx *down) {
    kf__phase *p = &c->phase;
    for (uint32_t r = 0; r < p->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, p->reds[r]); ++f) put_array(L, c, "state", p->reds[r], f);
    bool tiles = L->tiled != 0; /* then all threads of the block go round as often */
    if (tiles) kf__cuda_put_tile_columns(L, c->first);
    c->tile.j = c->j;
    if (c->tile.inside) kf__cuda_prepare(L, &c->tile, p);
    kf__open_for(L, row_type(L, c), "row0", tiles ? from : kf__l_bin(L, "+", from, down), c->to,
                 kf__l_int(L, KF__DOWN * c->tile.V), KF__SERIAL);
    const kf__lx *row0 = kf__l_var(L, "row0");
    c->first_row = row0;
    if (tiles) {
        kf__cuda_put_tile_loads(L, row0, c->to);
        c->first_row = kf__put_let(L, row_type(L, c), "first_row",
                                   kf__l_bin(L, "+", row0, down), NULL);
    }
    const kf__lx *held = put_held(L, "held", c->first_row, c->to, c->tile.V);
    const kf__lx *before = kf__put_let(
        L, "int64_t", "before",
        kf__l_bin(L, "/", kf__l_bin(L, "-", c->first_row, from), kf__l_int(L, KF__DOWN)), NULL);
    c->tile.first_row = NULL;
    if (c->tile.choices && (c->tile.row_axis = kf__low_only_reduced(L)) >= 0) {
        const char *type = L->small ? "uint32_t" : "int64_t";
        const kf__lx *last = kf__l_bin(L, "+", c->first_row,
                                       kf__l_int(L, KF__DOWN * (c->tile.V - 1)));
        c->tile.first_row = kf__put_let(L, type, "top_row", c->first_row, NULL);
        c->tile.last_row = kf__put_let(L, type, "last_row", kf__cuda_at_most(L, last, c->to), NULL);
    }
    L->narrow = true; /* what a tile folds; from the merge with the column's states on i64 */
    for (int f = 0; f < KF__MAX_FIELDS; ++f) {
        for (uint32_t r = 0; r < p->n_reds; ++r)
            if (kf__fields(L, p->reds[r]) > f)
                p->acc[r][f] = kf__is_simple(L, p->reds[r])
                                   ? kf__l_var(L, array(L, "state", p->reds[r], f))
                                   : put_array(L, c, "tile", p->reds[r], f);
        if (f == 0)
            kf__cuda_phase(L, &c->tile, p, 0, true);
        else
            kf__cuda_field(L, &c->tile, p, f, p->acc);
        for (uint32_t r = 0; r < p->n_reds; ++r) {
            if (kf__fields(L, p->reds[r]) <= f || kf__is_simple(L, p->reds[r])) continue;
            const kf__lx *acc = kf__l_item(L, array(L, "tile", p->reds[r], f), kf__l_var(L, "e"));
            const kf__lx *first = kf__l_item(L, array(L, "tile", p->reds[r], 0), kf__l_var(L, "e"));
            const kf__lx *closed =
                kf__close_of(L, p->reds[r], f, acc, first, kf__count_as(L, p->reds[r], held), NULL);
            if (closed == acc) continue;
            open_columns(L, c);
            kf__put_set(L, acc, closed);
            kf__close(L);
        }
    }
    L->narrow = false;
    if (tiles) kf__cuda_put_tile_stores(L, c->first, row0, c->to);
    /* In 64 bits: where a thread has no row, the index in its tile is the highest there is. */
    const kf__lx *first = kf__as_i64(L, c->first_row);
    const kf__lx *e = open_columns(L, c);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (kf__is_simple(L, red)) continue;
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            P[f] = kf__l_item(L, array(L, "state", red, f), e);
            Q[f] = kf__l_item(L, array(L, "tile", red, f), e);
            if (kf__reds[L->k->instrs[red].op].field[f].index)
                Q[f] = kf__l_bin(L, "+", first, Q[f]);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, before), kf__count_as(L, red, held));
    }
    kf__close(L);
    kf__close(L);
    kf__forget(L, KF__LEVEL_FULL);
}

/* ---------------------------------------------------------------- merging a column's states */

/* Where states are: those of field f of reduction r. */
typedef const kf__lx *state_array(kf__low *L, const columns *c, uint32_t r, int f);

static const kf__lx *down_array(kf__low *L, const columns *c, uint32_t r, int f) {
    return kf__l_var(L, array(L, "down", c->reds[r], f));
}

static const kf__lx *cluster_array(kf__low *L, const columns *c, uint32_t r, int f) {
    return kf__l_var(L, array(L, "cluster", c->reds[r], f));
}

static const kf__lx *partial(kf__low *L, const columns *c, uint32_t r, int f) {
    return kf__word_partial(L, array(L, "part", c->reds[r], f), kf__field_type(L, c->reds[r], f),
                            c->offsets[r * KF__MAX_FIELDS + (uint32_t)f]);
}

/* Shared memory for n states of each column of a warp. */
static void put_shared_states(kf__low *L, const columns *c, const char *what, int n) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_shared(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                           array(L, what, c->reds[r], f), n * KF__ACROSS * c->tile.W);
}

static void put_identities(kf__low *L, const columns *c) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_var(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                        array(L, "all", c->reds[r], f), 0, kf__identity(L, c->reds[r], f));
}

/* Into all_F, the states of np rows: the next ones, of nq rows. */
static void put_merge(kf__low *L, columns *c, state_array *from, const char *get, const kf__lx *at,
                      const kf__lx *np, const kf__lx *nq) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        uint32_t red = c->reds[r];
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            kf__dtype type = kf__field_type(L, red, f);
            P[f] = kf__l_var(L, array(L, "all", red, f));
            Q[f] = kf__put_let(L, kf__ctype(type), array(L, "q", red, f),
                               kf__l_call(L, get, type, from(L, c, r, f), at), NULL);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, np), kf__count_as(L, red, nq));
    }
}

/* In the arrays each of a thread's columns has an item for each thread: neighbours are in different
 * banks. */
static const kf__lx *place_of(kf__low *L, const kf__lx *e, const kf__lx *thread) {
    return kf__l_bin(L, "+", kf__l_bin(L, "*", e, kf__l_int(L, KF__THREADS)), thread);
}

/* all_F of a chunk: the states of the threads above one another, in order; by a thread a column,
 * which is left open. It is column `down` of the threads `across`. */
static void put_down(kf__low *L, columns *c, const kf__lx *from) {
    const kf__lx *across = kf__l_var(L, "across"), *down = kf__l_var(L, "down");
    const kf__lx *e = open_columns(L, c), *at = place_of(L, e, kf__l_var(L, "tid"));
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_call(L, kf__l_call(L, "kf_shared_put_T", kf__field_type(L, c->reds[r], f),
                                       down_array(L, c, r, f), at,
                                       kf__l_item(L, array(L, "state", c->reds[r], f), e)));
    kf__close(L);
    kf__cuda_put_barrier(L);
    kf__open_if(L, kf__l_bin(L, "<", down, kf__l_int(L, c->tile.W)));
    put_identities(L, c);
    const kf__lx *count = kf__put_var(L, "int64_t", "count", 0, kf__l_int(L, 0));
    kf__open_for(L, "int", "d", kf__l_int(L, 0), kf__l_int(L, KF__DOWN), kf__l_int(L, 1),
                 KF__SERIAL);
    const kf__lx *d = kf__l_var(L, "d"), *wide = kf__l_int(L, KF__ACROSS);
    at = place_of(L, down, kf__l_bin(L, "+", kf__l_bin(L, "*", d, wide), across));
    at = kf__put_let(L, "int", "at", at, NULL);
    const kf__lx *nq = put_held(L, "nq", kf__l_bin(L, "+", from, d), c->to, 0);
    put_merge(L, c, down_array, "kf_shared_get_T", at, count, nq);
    kf__put_set(L, count, kf__l_bin(L, "+", count, nq));
    kf__close(L);
}

/* That column, if there is one: opened. */
static const kf__lx *open_column(kf__low *L, columns *c) {
    const kf__lx *column = kf__l_bin(L, "*", kf__l_var(L, "across"), kf__l_int(L, c->tile.W));
    column = kf__l_bin(L, "+", c->first, kf__l_bin(L, "+", column, kf__l_var(L, "down")));
    column = kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, column, NULL);
    kf__open_if(L, kf__l_bin(L, "<", column, kf__word_size(L, kf__last(L))));
    return column;
}

/* Row-level results of one column, whose states are all_F. */
static void put_finish(kf__low *L, columns *c) {
    L->rows_inside = false;
    kf__put_rows(L, 0);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        kf__fields_of fields;
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            fields[f] = kf__l_var(L, array(L, "all", c->reds[r], f));
        kf__put_project(L, c->reds[r], fields, kf__word_int(L, "reduced", c->rows));
    }
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
    kf__forget(L, KF__LEVEL_ROW);
    L->rows_inside = true;
}

/* ---------------------------------------------------------------- the kernels */

/* The rows of a part, a chunk or a group: from where on, and `to`. */
static const kf__lx *put_part(kf__low *L, columns *c, const kf__lx *part, const kf__lx **to) {
    const kf__lx *all = kf__word_int(L, "reduced", c->rows);
    const kf__lx *size = kf__word_int(L, c->clusters ? "chunk_rows" : "group_rows", c->part);
    const kf__lx *from = kf__put_let(L, row_type(L, c), "from", kf__l_bin(L, "*", part, size),
                                     NULL);
    *to = kf__l_call(L, "kf_min_i64", KF__I64, all, kf__l_bin(L, "+", from, size));
    *to = kf__put_let(L, row_type(L, c), "to", *to, NULL);
    return from;
}

static const kf__lx *parts_of(kf__low *L, const columns *c) {
    return kf__word_count(L, c->clusters ? "chunks" : "groups", c->parts);
}

/* The states of all parts of a column, in order: item `at` and those each `pitch` further on. */
static void put_merge_parts(kf__low *L, columns *c, state_array *states, const char *get,
                            const kf__lx *at, const kf__lx *pitch) {
    const kf__lx *part = kf__l_var(L, "part"), *to;
    put_identities(L, c);
    kf__open_for(L, "int", "part", kf__l_int(L, 0), parts_of(L, c), kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *from = put_part(L, c, part, &to);
    at = kf__l_bin(L, "+", kf__l_bin(L, "*", part, pitch), at);
    at = kf__put_let(L, c->clusters ? "int" : "int64_t", "at", at, NULL);
    const kf__lx *nq = kf__put_let(L, "int64_t", "nq", kf__l_bin(L, "-", to, from), NULL);
    put_merge(L, c, states, get, at, from, nq);
    kf__close(L);
}

static const kf__lx *put_block(kf__low *L) {
    const kf__lx *block = kf__l_callv(L, "kf_block", KF__I64, 0, NULL);
    return kf__put_let(L, kf__index_type(L), "block", block, NULL);
}

/* The tile of columns of this block, or cluster of blocks, `u`. Gives what is left of u. */
static const kf__lx *put_place(kf__low *L, columns *c, const kf__lx *u) {
    const kf__lx *n = kf__word_size(L, kf__last(L)), *tiles = kf__word_count(L, "tiles", c->tiles);
    const kf__lx *tid = kf__thread_id(L), *warp = kf__l_int(L, KF__ACROSS);
    const kf__lx *W = kf__l_int(L, c->tile.W);
    const kf__lx *x = kf__put_let(L, "int", "across", kf__l_bin(L, "%", tid, warp), NULL);
    kf__put_let(L, "int", "down", kf__l_bin(L, "/", tid, warp), NULL);
    const kf__lx *tile = kf__l_bin(L, "%", u, tiles);
    tile = kf__put_let(L, kf__index_type(L), "tile", tile, NULL);
    c->first = kf__l_bin(L, "*", tile, kf__l_int(L, KF__ACROSS * c->tile.W));
    c->first = kf__put_let(L, "int64_t", "first_column", c->first, NULL);
    const kf__lx *column = kf__l_bin(L, "+", c->first, kf__l_bin(L, "*", x, W));
    column = kf__put_let(L, "int64_t", "column", column, NULL);
    const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", n, column), W);
    c->left = kf__put_let(L, "int", "columns", left, "of this thread; may be negative");
    /* Loads need no condition, which they would wait for: who has no column reads another's. */
    const kf__lx *any = kf__l_bin(L, ">", c->left, kf__l_int(L, 0));
    c->j = kf__put_let(L, "int64_t", "j", kf__l_select(L, any, column, c->first), NULL);
    if (!c->tile.inside) {
        left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", n, c->j), W);
        c->tile.row_left = kf__put_let(L, "int", "there", left, "that it reads");
    }
    if (L->tiled) kf__cuda_put_tile_arrays(L); /* by one column a thread */
    put_shared_states(L, c, "down", KF__DOWN);
    return kf__l_bin(L, "/", u, tiles);
}

/* All columns of a tile by one cluster. */
static void put_clusters(kf__low *L, columns *c) {
    int64_t enough = KF__BLOCKS_A_SM * L->target->sms / kf__max(1, c->outer * c->tiles);
    int64_t n_blocks = kf__max(1, kf__min(c->parts, enough));
    kf__low_begin(L, "",
                  "A cluster takes a tile of columns, its blocks the chunks of rows in turn.");
    L->fn->threads = KF__THREADS;
    L->fn->cluster = (int)n_blocks;
    L->fn->grid = c->outer * c->tiles * n_blocks;
    const kf__lx *blocks = kf__word_count(L, "blocks", n_blocks), *zero = kf__l_int(L, 0);
    const kf__lx *pitch = kf__l_int(L, KF__ACROSS * c->tile.W);
    kf__put_scalars(L);
    kf__put_call(L, kf__l_callv(L, "kf_cluster_begin", KF__I64, 0, NULL));
    const kf__lx *rank = kf__l_callv(L, "kf_cluster_rank", KF__I64, 0, NULL);
    rank = kf__put_let(L, "int", "rank", rank, NULL);
    const kf__lx *cluster = kf__l_bin(L, "/", put_block(L), blocks);
    const char *index = kf__index_type(L);
    cluster = kf__put_let(L, index, "cluster", cluster, NULL);
    const kf__lx *outer = kf__put_let(L, index, "outer", put_place(L, c, cluster), NULL);
    kf__put_decode(L, false, true, outer);
    put_shared_states(L, c, "cluster", KF__CLUSTER_BLOCKS);
    const kf__lx *tid = kf__l_var(L, "tid"), *chunk = kf__l_var(L, "chunk");

    kf__open_for(L, "int", "chunk", rank, parts_of(L, c), blocks, KF__SERIAL);
    const kf__lx *from = put_part(L, c, chunk, &c->to);
    put_tiles(L, c, from, kf__l_var(L, "down"));
    kf__open_if(L, kf__l_bin(L, "==", chunk, rank));
    kf__put_call(L, kf__l_callv(L, "kf_cluster_wait", KF__I64, 0, NULL));
    kf__open_else(L);
    kf__cuda_put_barrier(L); /* the states of the chunk before have been read */
    kf__close(L);
    put_down(L, c, from);
    kf__put_comment(L, "to the cluster's first block");
    const kf__lx *at = kf__l_bin(L, "+", kf__l_bin(L, "*", chunk, pitch), tid);
    at = kf__put_let(L, "int", "part_at", at, NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_call(L, kf__l_call(L, "kf_cluster_put_T", kf__field_type(L, c->reds[r], f),
                                       cluster_array(L, c, r, f), at, zero,
                                       kf__l_var(L, array(L, "all", c->reds[r], f))));
    kf__close(L);
    kf__close(L);

    kf__put_call(L, kf__l_callv(L, "kf_cluster_arrive", KF__I64, 0, NULL));
    kf__put_call(L, kf__l_callv(L, "kf_cluster_wait", KF__I64, 0, NULL));
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", rank, zero),
                             kf__l_bin(L, "<", kf__l_var(L, "down"), kf__l_int(L, c->tile.W))));
    open_column(L, c);
    put_merge_parts(L, c, cluster_array, "kf_shared_get_T", tid, pitch);
    put_finish(L, c);
    kf__close(L);
    kf__close(L);
    kf__close(L);
}

/* A block a group. If it has all rows, it has the results. */
static void put_groups(kf__low *L, columns *c) {
    kf__low_begin(L, "", "A block takes a tile of columns over a group of rows.");
    L->fn->threads = KF__THREADS;
    L->fn->grid = c->outer * c->tiles * c->parts;
    const kf__lx *groups = parts_of(L, c);
    kf__put_scalars(L);
    const char *index = kf__index_type(L);
    const kf__lx *rest = kf__put_let(L, index, "rest", put_place(L, c, put_block(L)), NULL);
    const kf__lx *group = kf__put_let(L, index, "group", kf__l_bin(L, "%", rest, groups), NULL);
    const kf__lx *outer = kf__put_let(L, index, "outer", kf__l_bin(L, "/", rest, groups), NULL);
    kf__put_decode(L, false, true, outer);
    const kf__lx *from = put_part(L, c, group, &c->to);
    put_tiles(L, c, from, kf__l_var(L, "down"));
    put_down(L, c, from);
    const kf__lx *column = open_column(L, c);
    kf__open_if(L, kf__l_bin(L, "==", groups, kf__l_int(L, 1)));
    put_finish(L, c);
    kf__open_else(L);
    const kf__lx *at = kf__l_bin(L, "*", group, kf__word_int(L, "outer_n", c->outer));
    at = kf__l_bin(L, "*", kf__l_bin(L, "+", at, outer), kf__word_size(L, kf__last(L)));
    at = kf__put_let(L, "int64_t", "part_at", kf__l_bin(L, "+", at, column), NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_call(L, kf__l_call(L, "kf_store_T", kf__field_type(L, c->reds[r], f),
                                       partial(L, c, r, f), at,
                                       kf__l_var(L, array(L, "all", c->reds[r], f))));
    kf__close(L);
    kf__close(L);
    kf__close(L);
    kf__close(L);
}

static void put_merge_function(kf__low *L, columns *c) {
    kf__low_begin(L, "_merge", "Merges the groups of a column, one column a thread.");
    int64_t n_columns = c->outer * c->width;
    L->fn->threads = KF__THREADS;
    L->fn->grid = c->parts > 1 ? kf__ceil_div(n_columns, L->fn->threads) : 0;
    const kf__lx *n = kf__word_size(L, kf__last(L)), *all = kf__word_int(L, "columns", n_columns);
    const char *index = kf__index_type(L);
    kf__put_scalars(L);
    const kf__lx *t = kf__l_bin(L, "*", put_block(L), kf__l_int(L, L->fn->threads));
    t = kf__l_bin(L, "+", t, kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
    t = kf__put_let(L, index, "t", t, NULL);
    kf__open_if(L, kf__l_bin(L, "<", t, all));
    kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, kf__l_bin(L, "%", t, n), NULL);
    kf__put_decode(L, false, true, kf__put_let(L, index, "outer", kf__l_bin(L, "/", t, n), NULL));
    put_merge_parts(L, c, partial, "kf_load_T", t, all);
    put_finish(L, c);
    kf__close(L);
}

/* Functions of hundreds of instructions, which branch: unrolled 16 times they don't fit the cache
 * of instructions, and where threads are few they wait for each other. */
static bool has_long(kf__low *L, const columns *c) {
    uint16_t roots[64];
    for (uint32_t r = 0; r < c->phase.n_reds && r < 64; ++r) {
        roots[r] = L->k->instrs[c->reds[r]].args[0];
        if (!kf__is_simple(L, c->reds[r])) return false; /* what a tile holds shows in the bits */
    }
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, kf__min(c->phase.n_reds, 64));
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_OP && kf__op_is_long((kf__opcode)in->op))
            return true;
    }
    return false;
}

/* bytes: of a column's states in shared memory, of which there is `room`. */
static void pick_tile(kf__low *L, columns *c, int bytes, int room) {
    kf__tile *t = &c->tile;
    bool single = L->tiled || kf__cuda_is_guarded(L); /* each column chooses its part by itself */
    int width = kf__cuda_width(L), loads = (int)kf__max(1, kf__cuda_n_loads(L));
    t->W = single ? 1 : (int)kf__min(4, kf__max(2, width / 2));
    while (t->W > 1 && bytes * t->W > room) t->W /= 2;
    t->V = KF__ROWS_IN_FLIGHT;
    while (t->V > 1 && t->V * t->W * loads > KF__ELEMENTS_IN_FLIGHT) t->V /= 2;
    if (L->tiled) {
        t->V = KF__TILE_ROWS / KF__DOWN;
        t->between = kf__cuda_exchange_tiles;
    }
    c->step = KF__DOWN * t->V; /* whatever a thread holds then */
    if (!L->tiled && has_long(L, c)) {
        t->V = (int)kf__min(t->V, KF__LONG_ROWS);
        t->W = 1;
    }
    t->inside = t->W == 1;
    t->vec = kf__cuda_wide(L, t->W);
    t->head = head;
}

void kf__cuda_columns(kf__low *L) {
    columns c = {0};
    size_t n = L->k->n_instrs + 1;
    c.reds = KF__NEW(L->arena, uint16_t, n);
    c.offsets = KF__NEW(L->arena, int64_t, KF__MAX_FIELDS * n);
    c.phase.acc = (kf__fields_of *)KF__NEW(L->arena, const kf__lx *, KF__MAX_FIELDS * n);
    if (!c.reds || !c.offsets || !c.phase.acc) {
        L->failed = true;
        return;
    }
    L->rows_inside = true;
    c.phase.by_element = true;
    c.phase.reds = c.reds;
    c.phase.n_reds = kf__low_reductions(L, 0, c.reds);
    c.phase.stores = c.stores;
    c.phase.n_stores = kf__low_stores(L, 0, c.stores);
    c.rows = kf__low_extent(L, true);
    /* Shared memory has the states of a block's threads and, in a cluster, as many of its
     * chunks. */
    int bytes = state_bytes(L, &c) * KF__THREADS;
    int room = KF__SHARED_BYTES - kf__cuda_tile_bytes(L);
    c.clusters = L->target->sm >= 90 && c.rows <= KF__CLUSTER_ROWS && 2 * bytes <= room;
    if (c.clusters) bytes *= 2;
    c.width = L->axes[kf__last(L)].size;
    c.outer = c.width ? kf__low_extent(L, false) / c.width : 0;
    pick_tile(L, &c, bytes, room);
    c.tiles = kf__max(1, kf__ceil_div(c.width, KF__ACROSS * c.tile.W));
    int64_t step = c.step, most = c.clusters ? KF__CLUSTER_BLOCKS : KF__COLUMN_GROUPS;
    c.part = kf__ceil_div(kf__ceil_div(c.rows, most), step) * step;
    c.part = kf__max(c.part, c.clusters ? step : KF__GROUP_ROWS);
    c.parts = kf__max(1, kf__ceil_div(c.rows, c.part));
    L->small = L->affine && c.outer * c.width < INT32_MAX && c.rows < INT32_MAX / 2;
    if (c.clusters) {
        put_clusters(L, &c);
        return;
    }
    int64_t kept = c.parts > 1 ? c.parts * c.outer * c.width : 0;
    for (uint32_t r = 0; r < c.phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c.reds[r]); ++f)
            c.offsets[r * KF__MAX_FIELDS + (uint32_t)f] =
                kf__low_scratch(L, kept, kf__field_type(L, c.reds[r], f));
    put_groups(L, &c);
    put_merge_function(L, &c);
}
