/* Columns on CUDA: outer axes reduced, the innermost kept.
 *
 *     block     32 threads across, W columns each; 8 threads down, every 8th row of the block's
 * chunk tile      4 rows of a thread in flight; its states are arrays over its W columns then the 8
 * states of a column merge through shared memory, in order; a second launch merges the chunks, one
 * column a thread
 *
 * A chunk is a number of rows that depends on the reduced length only. */
#include "lower/cuda.h"

enum {
    KF__ACROSS = 32,
    KF__DOWN = 8,
    KF__ROWS_IN_FLIGHT = 4,
    KF__CHUNK_ROWS = 256,  /* at least; half as many where tiles are read and all rows are few */
    KF__TILED_FEW_ROWS = 2048,
    KF__COLUMN_CHUNKS = 64, /* at most, of one column */
    KF__STATE_BYTES = 160,  /* of a thread: 40 KB of a block */
};

typedef struct columns {
    kf__tile tile;
    kf__phase phase;
    uint16_t *reds, stores[64];
    int64_t *offsets;
    int64_t rows, chunk, chunks, outer, width; /* width: columns of the innermost axis */
    const kf__lx *first_row, *to, *j, *left, *first; /* first: column of the block's tile */
} columns;

static columns *of(kf__tile *t) { return (columns *)((char *)t - offsetof(columns, tile)); }

static void head(kf__low *L, kf__tile *t, const kf__lx *s) {
    columns *c = of(t);
    const kf__lx *row =
        kf__l_bin(L, "+", c->first_row, kf__l_bin(L, "*", s, kf__l_int(L, KF__DOWN)));
    row = kf__put_let(L, "int64_t", "row", row, NULL);
    const kf__lx *safe =
        kf__put_let(L, "int64_t", "safe", kf__cuda_at_most(L, row, c->to), NULL);
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
static const kf__lx *put_held(kf__low *L, const columns *c, const char *name, const kf__lx *from,
                              const kf__lx *to, int64_t most) {
    /* rows from, from + 8, ... below to */
    const kf__lx *n = kf__l_bin(L, "/", kf__l_bin(L, "+", kf__l_bin(L, "-", to, from),
                                                   kf__l_int(L, KF__DOWN - 1)),
                                kf__l_int(L, KF__DOWN));
    (void)c;
    n = kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0), n);
    if (most) n = kf__l_call(L, "kf_min_i64", KF__I64, n, kf__l_int(L, most));
    return kf__put_let(L, "int64_t", name, n, NULL);
}

static void put_tiles(kf__low *L, columns *c, const kf__lx *from, const kf__lx *down) {
    kf__phase *p = &c->phase;
    for (uint32_t r = 0; r < p->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, p->reds[r]); ++f) put_array(L, c, "state", p->reds[r], f);
    bool tiles = L->tiled != 0; /* then all threads of the block go round as often */
    kf__open_for(L, "int64_t", "row0", tiles ? from : kf__l_bin(L, "+", from, down), c->to,
                 kf__l_int(L, KF__DOWN * c->tile.V), KF__SERIAL);
    c->first_row = kf__l_var(L, "row0");
    if (tiles) {
        kf__cuda_put_tile_loads(L, c->first, c->first_row, c->to);
        c->first_row = kf__put_let(L, "int64_t", "first_row",
                                   kf__l_bin(L, "+", c->first_row, down), NULL);
    }
    const kf__lx *held = put_held(L, c, "held", c->first_row, c->to, c->tile.V);
    const kf__lx *before = kf__put_let(
        L, "int64_t", "before",
        kf__l_bin(L, "/", kf__l_bin(L, "-", c->first_row, from), kf__l_int(L, KF__DOWN)), NULL);
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
            const kf__lx *closed =
                kf__close_of(L, p->reds[r], f, acc, kf__count_as(L, p->reds[r], held), NULL);
            if (closed == acc) continue;
            open_columns(L, c);
            kf__put_set(L, acc, closed);
            kf__close(L);
        }
    }
    L->narrow = false;
    const kf__lx *e = open_columns(L, c);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (kf__is_simple(L, red)) continue;
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            P[f] = kf__l_item(L, array(L, "state", red, f), e);
            Q[f] = kf__l_item(L, array(L, "tile", red, f), e);
            if (kf__reds[L->k->instrs[red].op].field[f].index)
                Q[f] = kf__l_bin(L, "+", c->first_row, Q[f]);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, before), kf__count_as(L, red, held));
    }
    kf__close(L);
    kf__close(L);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__at_level(L, i, KF__LEVEL_FULL)) L->value[i] = NULL;
}

/* The states of the threads above one another, merged in order by the uppermost. */
static void put_down(kf__low *L, columns *c, const kf__lx *from, const kf__lx *across,
                     const kf__lx *down) {
    int W = c->tile.W;
    const kf__lx *width = kf__l_int(L, W);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_shared(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                           array(L, "down", c->reds[r], f), KF__ACROSS * KF__DOWN * W);
    const kf__lx *e = open_columns(L, c);
    const kf__lx *lane = kf__l_bin(L, "+", kf__l_bin(L, "*", kf__l_var(L, "tid"), width), e);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_call(L, kf__l_call(L, "kf_shared_put_T", kf__field_type(L, c->reds[r], f),
                                       kf__l_var(L, array(L, "down", c->reds[r], f)), lane,
                                       kf__l_item(L, array(L, "state", c->reds[r], f), e)));
    kf__close(L);
    kf__cuda_put_barrier(L);
    kf__open_if(L, kf__l_bin(L, "==", down, kf__l_int(L, 0)));
    const kf__lx *count =
        kf__put_var(L, "int64_t", "count", 0,
                    put_held(L, c, "mine", from, c->to, 0));
    kf__open_for(L, "int", "d", kf__l_int(L, 1), kf__l_int(L, KF__DOWN), kf__l_int(L, 1),
                 KF__SERIAL);
    const kf__lx *d = kf__l_var(L, "d");
    const kf__lx *nq = put_held(L, c, "nq", kf__l_bin(L, "+", from, d), c->to, 0);
    e = open_columns(L, c);
    const kf__lx *thread =
        kf__l_bin(L, "+", kf__l_bin(L, "*", d, kf__l_int(L, KF__ACROSS)), across);
    const kf__lx *at = kf__put_let(L, "int", "at",
                                   kf__l_bin(L, "+", kf__l_bin(L, "*", thread, width), e), NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        uint32_t red = c->reds[r];
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            kf__dtype type = kf__field_type(L, red, f);
            P[f] = kf__l_item(L, array(L, "state", red, f), e);
            Q[f] = kf__put_let(L, kf__ctype(type), array(L, "q", red, f),
                               kf__l_call(L, "kf_shared_get_T", type,
                                          kf__l_var(L, array(L, "down", red, f)), at), NULL);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, count), kf__count_as(L, red, nq));
    }
    kf__close(L);
    kf__put_set(L, count, kf__l_bin(L, "+", count, nq));
    kf__close(L);
}

/* Row-level results of one column, whose states are fields[r][f] by `item`. */
static void put_finish(kf__low *L, columns *c, const kf__lx *e, const kf__lx *total) {
    L->rows_inside = false;
    kf__put_rows(L, 0);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        kf__fields_of fields;
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f) {
            const char *name = array(L, "state", c->reds[r], f);
            fields[f] = e ? kf__l_item(L, name, e) : kf__l_var(L, name);
        }
        kf__put_project(L, c->reds[r], fields, total);
    }
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
    kf__forget(L, KF__LEVEL_ROW);
    L->rows_inside = true;
}

static const kf__lx *partial(kf__low *L, const columns *c, uint32_t r, int f) {
    return kf__word_partial(L, array(L, "part", c->reds[r], f), kf__field_type(L, c->reds[r], f),
                            c->offsets[r * KF__MAX_FIELDS + (uint32_t)f]);
}

static void put_results(kf__low *L, columns *c, const kf__lx *chunk, const kf__lx *outer,
                        const kf__lx *total, const kf__lx *chunks) {
    int64_t n = c->chunks > 1 ? c->chunks * c->outer * c->width : 0;
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            c->offsets[r * KF__MAX_FIELDS + (uint32_t)f] =
                kf__low_scratch(L, n, kf__field_type(L, c->reds[r], f));
    const kf__lx *e = open_columns(L, c);
    kf__open_if(L, kf__l_bin(L, "<", e, c->left));
    const char *column = L->axes[kf__last(L)].var;
    kf__put_let(L, "int64_t", column, kf__l_bin(L, "+", c->j, e), NULL);
    kf__open_if(L, kf__l_bin(L, "==", chunks, kf__l_int(L, 1)));
    put_finish(L, c, e, total);
    kf__open_else(L);
    const kf__lx *line =
        kf__l_bin(L, "+", kf__l_bin(L, "*", chunk, kf__word_int(L, "outer_n", c->outer)), outer);
    const kf__lx *at = kf__put_let(
        L, "int64_t", "part_at",
        kf__l_bin(L, "+", kf__l_bin(L, "*", line, kf__word_size(L, kf__last(L))),
                  kf__l_var(L, column)), NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_call(L, kf__l_call(L, "kf_store_T", kf__field_type(L, c->reds[r], f),
                                       partial(L, c, r, f), at,
                                       kf__l_item(L, array(L, "state", c->reds[r], f), e)));
    kf__close(L);
    kf__close(L);
    kf__close(L);
}

static void put_chunks(kf__low *L, columns *c) {
    int64_t across = KF__ACROSS * c->tile.W, tiles = kf__max(1, kf__ceil_div(c->width, across));
    kf__low_begin(L, "", "A block takes a tile of columns over a chunk of rows.");
    L->fn->threads = KF__ACROSS * KF__DOWN;
    L->fn->grid = c->outer * tiles * c->chunks;
    const kf__lx *total = kf__word_int(L, "reduced", c->rows);
    const kf__lx *chunks = kf__word_int(L, "chunks", c->chunks);
    const kf__lx *size = kf__word_int(L, "chunk_rows", c->chunk);
    const kf__lx *n_tiles = kf__word_int(L, "tiles", tiles);
    const kf__lx *n = kf__word_size(L, kf__last(L));
    kf__put_scalars(L);
    const kf__lx *tid = kf__thread_id(L), *wide = kf__l_int(L, KF__ACROSS);
    const kf__lx *x = kf__put_let(L, "int", "across", kf__l_bin(L, "%", tid, wide), NULL);
    const kf__lx *y = kf__put_let(L, "int", "down", kf__l_bin(L, "/", tid, wide), NULL);
    const kf__lx *u =
        kf__put_let(L, "int64_t", "u", kf__l_callv(L, "kf_block", KF__I64, 0, NULL), NULL);
    const kf__lx *tile = kf__put_let(L, "int64_t", "tile", kf__l_bin(L, "%", u, n_tiles), NULL);
    const kf__lx *rest = kf__put_let(L, "int64_t", "rest", kf__l_bin(L, "/", u, n_tiles), NULL);
    const kf__lx *chunk = kf__put_let(L, "int64_t", "chunk", kf__l_bin(L, "%", rest, chunks), NULL);
    const kf__lx *outer = kf__put_let(L, "int64_t", "outer", kf__l_bin(L, "/", rest, chunks), NULL);
    kf__put_decode(L, false, true, outer);
    const kf__lx *at = kf__l_bin(L, "+", kf__l_bin(L, "*", tile, wide), x);
    c->j = kf__put_let(L, "int64_t", c->tile.inside ? "column" : "j",
                       kf__l_bin(L, "*", at, kf__l_int(L, c->tile.W)), NULL);
    if (L->tiled) { /* by one column a thread */
        c->first = kf__put_let(L, "int64_t", "first_column", kf__l_bin(L, "*", tile, wide), NULL);
        kf__cuda_put_tile_arrays(L);
    }
    const kf__lx *here = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", n, c->j),
                                       kf__l_int(L, c->tile.W));
    c->left = kf__put_let(L, "int", "columns", here, "of this thread; may be negative");
    if (c->tile.inside) /* loads need no condition, which 16-bit ones would wait for one by one */
        c->j = kf__put_let(L, "int64_t", "j", kf__cuda_at_most(L, c->j, n), NULL);
    const kf__lx *from = kf__put_let(L, "int64_t", "from", kf__l_bin(L, "*", chunk, size), NULL);
    c->to = kf__put_let(
        L, "int64_t", "to",
        kf__l_call(L, "kf_min_i64", KF__I64, total, kf__l_bin(L, "+", from, size)), NULL);
    put_tiles(L, c, from, y);
    put_down(L, c, from, x, y);
    put_results(L, c, chunk, outer, total, chunks);
    kf__close(L);
}

static void put_merge_function(kf__low *L, columns *c) {
    kf__low_begin(L, "_merge", "Merges the chunks of a column, one column a thread.");
    L->fn->threads = KF__ACROSS * KF__DOWN;
    int64_t n_columns = c->outer * c->width;
    L->fn->grid = c->chunks > 1 ? kf__ceil_div(n_columns, L->fn->threads) : 0;
    const kf__lx *total = kf__word_int(L, "reduced", c->rows), *n = kf__word_size(L, kf__last(L));
    const kf__lx *chunks = kf__word_int(L, "chunks", c->chunks);
    const kf__lx *size = kf__word_int(L, "chunk_rows", c->chunk);
    const kf__lx *all = kf__word_int(L, "columns", n_columns);
    kf__put_scalars(L);
    const kf__lx *t = kf__l_bin(L, "+",
                                kf__l_bin(L, "*", kf__l_callv(L, "kf_block", KF__I64, 0, NULL),
                                          kf__l_int(L, L->fn->threads)),
                                kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
    t = kf__put_let(L, "int64_t", "t", t, NULL);
    kf__open_if(L, kf__l_bin(L, "<", t, all));
    kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, kf__l_bin(L, "%", t, n), NULL);
    kf__put_decode(L, false, true,
                   kf__put_let(L, "int64_t", "outer", kf__l_bin(L, "/", t, n), NULL));
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_var(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                        array(L, "state", c->reds[r], f), 0, kf__identity(L, c->reds[r], f));
    const kf__lx *chunk = kf__l_var(L, "chunk");
    kf__open_for(L, "int64_t", "chunk", kf__l_int(L, 0), chunks, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *at = kf__put_let(
        L, "int64_t", "part_at", kf__l_bin(L, "+", kf__l_bin(L, "*", chunk, all), t), NULL);
    const kf__lx *np = kf__put_let(L, "int64_t", "np", kf__l_bin(L, "*", chunk, size), NULL);
    const kf__lx *nq = kf__put_let(
        L, "int64_t", "nq",
        kf__l_call(L, "kf_min_i64", KF__I64, size, kf__l_bin(L, "-", total, np)), NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        uint32_t red = c->reds[r];
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            P[f] = kf__l_var(L, array(L, "state", red, f));
            Q[f] = kf__put_let(
                L, kf__ctype(kf__field_type(L, red, f)), array(L, "q", red, f),
                kf__l_call(L, "kf_load_T", kf__field_type(L, red, f), partial(L, c, r, f), at), NULL);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, np), kf__count_as(L, red, nq));
    }
    kf__close(L);
    put_finish(L, c, NULL, total);
    kf__close(L);
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
    /* Shared memory holds every field of 256 threads' columns. */
    c.tile.W = (int)kf__min(4, kf__cuda_width(L));
    if (state_bytes(L, &c) * c.tile.W > KF__STATE_BYTES) c.tile.W = 1;
    c.tile.V = KF__ROWS_IN_FLIGHT;
    c.rows = kf__low_extent(L, true);
    bool few = L->tiled && c.rows <= KF__TILED_FEW_ROWS;
    if (L->tiled) {
        L->tile_rows = kf__cuda_tile_rows(L, few);
        c.tile.W = 1;
        c.tile.V = L->tile_rows / KF__DOWN;
        c.tile.between = kf__cuda_exchange_tiles;
    }
    c.tile.inside = c.tile.W == 1;
    c.tile.vec = kf__cuda_wide(L, c.tile.W);
    c.tile.head = head;
    c.width = L->axes[kf__last(L)].size;
    c.outer = c.width ? kf__low_extent(L, false) / c.width : 0;
    int64_t step = KF__DOWN * c.tile.V;
    c.chunk = kf__ceil_div(kf__ceil_div(c.rows, KF__COLUMN_CHUNKS), step) * step;
    c.chunk = kf__max(c.chunk, few ? KF__CHUNK_ROWS / 2 : KF__CHUNK_ROWS);
    c.chunks = kf__max(1, kf__ceil_div(c.rows, c.chunk));
    put_chunks(L, &c);
    put_merge_function(L, &c);
}
