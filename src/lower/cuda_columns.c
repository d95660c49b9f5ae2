/* Columns on CUDA: outer axes reduced, the innermost kept.
 *
 *     few rows  up to 16: a thread has all rows of its columns
 *
 *     block     32 threads across, W columns each, of 8 bytes a thread at most; 8 threads down,
 *               every 8th row of its chunk
 *     tile      8 or 16 rows of a thread in flight; its states are arrays over its W columns. Of a
 *               tile all of whose rows are there nothing is asked
 *     then      the 8 states of a column merge through shared memory, in order, by a thread a
 *               column
 *     cluster   up to 2048 rows, from sm_90 on: its blocks take chunks of the rows in turn, and
 *               send their states to the first one, which merges them in order. Chunks of functions
 *               are in pieces
 *     groups    else: a block takes a group of rows; a second launch merges these
 *     beside    where columns are few, a block's threads take several groups, or pieces, beside one
 *               another, each by fewer threads across. A cluster takes several outers, lines of
 *               columns, where these are many: sum(x, 1) of 10000x64x3
 *
 * Which rows are a chunk, piece or group depends on their number only. How many of them a block has
 * depends on how many columns and lines there are, and changes no bit. */
#include "lower/cuda_columns.h"

static kf__column_kernel *of(kf__tile *t) {
    return (kf__column_kernel *)((char *)t - offsetof(kf__column_kernel, tile));
}

static void head(kf__low *L, kf__tile *t, const kf__lx *s) {
    kf__column_kernel *c = of(t);
    const kf__lx *row =
        kf__l_bin(L, "+", c->first_row, kf__l_bin(L, "*", s, kf__l_int(L, c->down)));
    row = kf__put_let(L, kf__row_type(L, c), "row", row, NULL);
    const kf__lx *safe = row;
    if (!t->whole)
        safe = kf__put_let(L, kf__row_type(L, c), "safe", kf__cuda_at_most(L, row, c->to), NULL);
    kf__put_decode(L, true, false, safe);
    t->j = c->j;
    t->left = c->left;
    t->index = kf__l_bin(L, "*", s, kf__l_int(L, c->down)); /* from the tile's first row on */
    if (t->whole) return;
    t->left = kf__put_let(L, "int", "left",
                          kf__l_select(L, kf__l_bin(L, "<", row, c->to), c->left, kf__l_int(L, 0)),
                          NULL);
}

/* ---------------------------------------------------------------- what merging asks for too */

const kf__lx *kf__open_columns(kf__low *L, const kf__column_kernel *c) {
    kf__open_for(L, "int", "e", kf__l_int(L, 0), kf__l_int(L, c->tile.W), kf__l_int(L, 1),
                 KF__UNROLL);
    return kf__l_var(L, "e");
}

const kf__lx *kf__put_held(kf__low *L, const kf__column_kernel *c, const char *name,
                           const kf__lx *from, const kf__lx *to, int64_t most) {
    const kf__lx *n = kf__l_bin(L, "+", kf__l_bin(L, "-", to, from), kf__l_int(L, c->down - 1));
    n = kf__l_bin(L, "/", n, kf__l_int(L, c->down));
    n = kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0), n);
    if (most) n = kf__l_call(L, "kf_min_i64", KF__I64, n, kf__l_int(L, most));
    return kf__put_let(L, "int64_t", name, n, NULL);
}

const kf__lx *kf__put_block(kf__low *L) {
    const kf__lx *block = kf__l_callv(L, "kf_block", KF__I64, 0, NULL);
    return kf__put_let(L, kf__index_type(L), "block", block, NULL);
}

/* So many rows from there on, as far as `end`, as variables. */
static const kf__lx *put_range(kf__low *L, const kf__column_kernel *c, const char *prefix,
                               const kf__lx *from, const kf__lx *size, const kf__lx *end,
                               const kf__lx **to) {
    const char *type = kf__row_type(L, c);
    from = kf__put_let(L, type, kf__l_name(L, "%sfrom", prefix), from, NULL);
    *to = kf__l_call(L, "kf_min_i64", KF__I64, end, kf__l_bin(L, "+", from, size));
    *to = kf__put_let(L, type, kf__l_name(L, "%sto", prefix), *to, NULL);
    return from;
}

const kf__lx *kf__put_part(kf__low *L, const kf__column_kernel *c, const kf__lx *part,
                           const kf__lx **to) {
    const kf__lx *all = kf__word_int(L, "reduced", c->rows);
    const kf__lx *size = kf__word_int(L, c->clusters ? "chunk_rows" : "group_rows", c->part);
    return put_range(L, c, "", kf__l_bin(L, "*", part, size), size, all, to);
}

const kf__lx *kf__parts_of(kf__low *L, const kf__column_kernel *c) {
    return kf__word_count(L, c->clusters ? "chunks" : "groups", c->parts);
}

const kf__lx *kf__put_piece(kf__low *L, const kf__column_kernel *c, const kf__lx *piece,
                            const kf__lx *from, const kf__lx *end, const kf__lx **to) {
    const kf__lx *size = kf__word_int(L, "piece_rows", c->piece);
    from = kf__l_bin(L, "+", from, kf__l_bin(L, "*", piece, size));
    return put_range(L, c, "piece_", from, size, end, to);
}

/* ---------------------------------------------------------------- the tiles of a part */

static const kf__lx *put_array(kf__low *L, const kf__column_kernel *c, const char *what,
                               uint32_t red, int f) {
    const char *name = kf__field_name(L, what, red, f);
    kf__put_var(L, kf__ctype(kf__field_type(L, red, f)), name, c->tile.W, NULL);
    const kf__lx *e = kf__open_columns(L, c);
    kf__put_set(L, kf__l_item(L, name, e), kf__identity(L, red, f));
    kf__close(L);
    return kf__l_var(L, name);
}

/* The states of V rows of the thread, into those of its columns. whole: there are V. */
static void put_tile(kf__low *L, kf__column_kernel *c, const kf__lx *from, bool whole) {
    kf__phase *p = &c->phase;
    c->tile.whole = whole;
    const kf__lx *held = whole ? kf__l_int(L, c->tile.V)
                               : kf__put_held(L, c, "held", c->first_row, c->to, c->tile.V);
    const kf__lx *before = kf__put_let(
        L, "int64_t", "before",
        kf__l_bin(L, "/", kf__l_bin(L, "-", c->first_row, from), kf__l_int(L, c->down)), NULL);
    c->tile.first_row = NULL;
    if (c->tile.choices && (c->tile.row_axis = kf__low_only_reduced(L)) >= 0) {
        const char *type = L->small ? "uint32_t" : "int64_t";
        const kf__lx *last = kf__l_bin(L, "+", c->first_row,
                                       kf__l_int(L, c->down * (c->tile.V - 1)));
        c->tile.first_row = kf__put_let(L, type, "top_row", c->first_row, NULL);
        c->tile.last_row = kf__put_let(L, type, "last_row", kf__cuda_at_most(L, last, c->to), NULL);
    }
    L->narrow = true; /* what a tile folds; from the merge with the column's states on i64 */
    for (int f = 0; f < KF__MAX_FIELDS; ++f) {
        for (uint32_t r = 0; r < p->n_reds; ++r)
            if (kf__fields(L, p->reds[r]) > f)
                p->acc[r][f] = kf__is_simple(L, p->reds[r])
                                   ? kf__l_var(L, kf__field_name(L, "state", p->reds[r], f))
                                   : put_array(L, c, "tile", p->reds[r], f);
        if (f == 0)
            kf__cuda_phase(L, &c->tile, p, 0, true);
        else
            kf__cuda_field(L, &c->tile, p, f, p->acc);
        for (uint32_t r = 0; r < p->n_reds; ++r) {
            if (kf__fields(L, p->reds[r]) <= f || kf__is_simple(L, p->reds[r])) continue;
            const kf__lx *e = kf__l_var(L, "e");
            const kf__lx *acc = kf__l_item(L, kf__field_name(L, "tile", p->reds[r], f), e);
            const kf__lx *first = kf__l_item(L, kf__field_name(L, "tile", p->reds[r], 0), e);
            const kf__lx *closed =
                kf__close_of(L, p->reds[r], f, acc, first, kf__count_as(L, p->reds[r], held), NULL);
            if (closed == acc) continue;
            kf__open_columns(L, c);
            kf__put_set(L, acc, closed);
            kf__close(L);
        }
    }
    L->narrow = false;
    if (L->tiled) kf__cuda_put_tile_stores(L, c->first, kf__l_var(L, "row0"), c->to);
    /* In 64 bits: where a thread has no row, the index in its tile is the highest there is. */
    const kf__lx *first = kf__as_i64(L, c->first_row);
    const kf__lx *e = kf__open_columns(L, c);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (kf__is_simple(L, red)) continue;
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            P[f] = kf__l_item(L, kf__field_name(L, "state", red, f), e);
            Q[f] = kf__l_item(L, kf__field_name(L, "tile", red, f), e);
            if (kf__reds[L->k->instrs[red].op].field[f].index)
                Q[f] = kf__l_bin(L, "+", first, Q[f]);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, before), kf__count_as(L, red, held));
    }
    kf__close(L);
    kf__forget(L, KF__LEVEL_FULL);
}

static void put_tiles(kf__low *L, kf__column_kernel *c, const kf__lx *from, const kf__lx *down) {
    kf__phase *p = &c->phase;
    for (uint32_t r = 0; r < p->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, p->reds[r]); ++f) put_array(L, c, "state", p->reds[r], f);
    bool tiles = L->tiled != 0; /* then all threads of the block go round as often */
    if (tiles) kf__cuda_put_tile_columns(L, c->first);
    c->tile.j = c->j;
    if (c->tile.inside) kf__cuda_prepare(L, &c->tile, p);
    const kf__lx *begin = tiles ? from : kf__l_bin(L, "+", from, down);
    if (c->is_own && !c->pieces) begin = kf__l_select(L, c->is_own, begin, c->to);
    kf__open_for(L, kf__row_type(L, c), "row0", begin, c->to, kf__l_int(L, c->down * c->tile.V),
                 KF__SERIAL);
    const kf__lx *row0 = kf__l_var(L, "row0");
    c->first_row = row0;
    if (tiles) {
        kf__cuda_put_tile_loads(L, row0, c->to);
        c->first_row = kf__put_let(L, kf__row_type(L, c), "first_row",
                                   kf__l_bin(L, "+", row0, down), NULL);
    }
    if (c->apart) {
        kf__put_comment(L, "all rows of the tile are there");
        const kf__lx *last = kf__l_bin(L, "+", row0, kf__l_int(L, c->down * (c->tile.V - 1)));
        kf__open_if(L, kf__l_bin(L, "<", last, c->to));
        put_tile(L, c, from, true);
        kf__open_else(L);
        put_tile(L, c, from, false);
        kf__close(L);
    } else {
        put_tile(L, c, from, false);
    }
    kf__close(L);
}

/* ---------------------------------------------------------------- the kernels */

/* The block's threads: `wide` across, 8 down for each group, piece or line; this one is of the nth
 * of these. */
static void put_threads(kf__low *L, kf__column_kernel *c) {
    const kf__lx *x, *above;
    if (!c->beside) {
        c->wide = kf__l_int(L, KF__ACROSS);
        kf__thread_at(L, KF__ACROSS, &c->place, &above);
        return;
    }
    c->wide = kf__word_count(L, "wide", c->across);
    /* Of numbers below 256 this divides exactly. */
    const kf__lx *inverse = kf__word_count(L, "inverse", kf__ceil_div(1 << 16, c->across));
    const kf__lx *tid = kf__thread_id(L);
    above = kf__l_bin(L, ">>", kf__l_bin(L, "*", tid, inverse), kf__l_int(L, 16));
    above = kf__put_let(L, "int", "above", above, "tid / wide");
    x = kf__l_bin(L, "-", tid, kf__l_bin(L, "*", above, c->wide));
    x = kf__put_let(L, "int", "across", x, NULL);
    kf__put_let(L, "int", "down", kf__l_bin(L, "&", above, kf__l_int(L, KF__DOWN - 1)), NULL);
    c->nth = kf__put_let(L, "int", "nth", kf__l_bin(L, ">>", above, kf__l_int(L, 3)), NULL);
    if (c->lines) c->line = c->nth;
    if (c->pieces) {
        const kf__lx *shift = kf__word_count(L, "shift", c->shift);
        c->line = kf__put_let(L, "int", "line", kf__l_bin(L, ">>", c->nth, shift), NULL);
        c->own_piece = kf__l_bin(L, "-", c->nth, kf__l_bin(L, "<<", c->line, shift));
        c->own_piece = kf__put_let(L, "int", "own_piece", c->own_piece, NULL);
    }
    c->place = kf__l_bin(L, "*", c->line ? c->line : c->nth, c->wide);
    c->place = kf__put_let(L, "int", "place", kf__l_bin(L, "+", c->place, x), NULL);
}

const kf__lx *kf__is_beside(kf__low *L, const kf__column_kernel *c) {
    return kf__l_bin(L, "<", c->nth, kf__word_count(L, "beside", c->beside));
}

/* The tile of columns of this block, or cluster of blocks, `u`. Gives what is left of u. */
static const kf__lx *put_place(kf__low *L, kf__column_kernel *c, const kf__lx *u) {
    const kf__lx *n = kf__word_size(L, kf__last(L)), *tiles = kf__word_count(L, "tiles", c->tiles);
    const kf__lx *W = kf__l_int(L, c->tile.W), *x = kf__l_var(L, "across");
    const kf__lx *tile = kf__l_bin(L, "%", u, tiles);
    tile = kf__put_let(L, kf__index_type(L), "tile", tile, NULL);
    c->first = kf__l_bin(L, "*", tile, kf__l_bin(L, "*", c->wide, W));
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
    kf__put_down_states(L, c);
    return kf__l_bin(L, "/", u, tiles);
}

/* Which of the outers this thread has, in the u-th block of those that have as many beside one
 * another. Beyond the last one it has no rows. */
static void put_outer(kf__low *L, kf__column_kernel *c, const kf__lx *u) {
    const char *index = kf__index_type(L);
    if (c->line) {
        const kf__lx *all = kf__word_count(L, "outer_n", c->outer);
        const kf__lx *lines = kf__word_count(L, "lines", c->lines);
        u = kf__put_let(L, index, "first_line", kf__l_bin(L, "*", u, lines), NULL);
        c->lines_here = kf__l_call(L, "kf_min_i64", KF__I64, lines, kf__l_bin(L, "-", all, u));
        u = kf__put_let(L, index, "own", kf__l_bin(L, "+", u, c->line), NULL);
        const kf__lx *is = kf__l_bin(L, "&&", kf__is_beside(L, c), kf__l_bin(L, "<", u, all));
        c->is_own = kf__put_let(L, "int", "is_own", is, NULL);
        u = kf__cuda_at_most(L, u, all);
    }
    kf__put_decode(L, false, true, kf__put_let(L, index, "outer", u, NULL));
}

/* Into all_F, by a thread a column, the states of a chunk. Messages may be sent once all blocks of
 * the cluster are there; states put once those of the chunk before have been read. */
static void put_chunk(kf__low *L, kf__column_kernel *c, const kf__lx *from) {
    put_tiles(L, c, from, kf__l_var(L, "down"));
    kf__open_if(L, kf__l_bin(L, "==", kf__l_var(L, "chunk"), kf__l_var(L, "rank")));
    kf__put_call(L, kf__l_callv(L, "kf_cluster_wait", KF__I64, 0, NULL));
    kf__open_else(L);
    kf__cuda_put_barrier(L); /* the states of the chunk before have been read */
    kf__close(L);
    kf__open_down(L, c, from);
}

/* The same. Where columns are few, threads beside one another take its pieces at a time. */
static void put_chunk_in_pieces(kf__low *L, kf__column_kernel *c, const kf__lx *from) {
    const kf__lx *first = kf__l_bin(L, "==", kf__l_var(L, "chunk"), kf__l_var(L, "rank"));
    const kf__lx *pieces = kf__word_count(L, "pieces", c->pieces), *piece = kf__l_var(L, "piece");
    const kf__lx *step = kf__l_bin(L, "<<", kf__l_int(L, 1), kf__word_count(L, "shift", c->shift));
    const kf__lx *to = c->to;
    kf__open_if(L, kf__l_bin(L, "!=", kf__l_var(L, "chunk"), kf__l_var(L, "rank")));
    kf__cuda_put_barrier(L);
    kf__close(L);
    const kf__lx *own = kf__l_select(L, c->is_own, c->own_piece, pieces);
    kf__open_for(L, "int", "piece", own, pieces, step, KF__SERIAL);
    put_tiles(L, c, kf__put_piece(L, c, piece, from, to, &c->to), kf__l_var(L, "down"));
    kf__put_piece_states(L, c, piece);
    kf__close(L);
    kf__open_if(L, first);
    kf__put_call(L, kf__l_callv(L, "kf_cluster_wait", KF__I64, 0, NULL));
    kf__close(L);
    kf__open_pieces(L, c, from, to);
}

/* All columns of a tile by one cluster. */
static void put_clusters(kf__low *L, kf__column_kernel *c) {
    kf__low_begin(L, "",
                  "A cluster takes a tile of columns, its blocks the chunks of rows in turn.");
    L->fn->threads = KF__THREADS;
    L->fn->cluster = (int)c->blocks;
    L->fn->grid = kf__ceil_div(c->outer, kf__max(1, c->lines)) * c->tiles * c->blocks;
    const kf__lx *blocks = kf__word_count(L, "blocks", c->blocks);
    kf__put_scalars(L);
    kf__cuda_open_messages(L, 1);
    const kf__lx *rank = kf__l_callv(L, "kf_cluster_rank", KF__I64, 0, NULL);
    rank = kf__put_let(L, "int", "rank", rank, NULL);
    put_threads(L, c);
    const kf__lx *cluster = kf__l_bin(L, "/", kf__put_block(L), blocks);
    cluster = kf__put_let(L, kf__index_type(L), "cluster", cluster, NULL);
    put_outer(L, c, put_place(L, c, cluster));
    kf__put_cluster_states(L, c);
    const kf__lx *chunk = kf__l_var(L, "chunk");

    kf__open_for(L, "int", "chunk", rank, kf__parts_of(L, c), blocks, KF__SERIAL);
    const kf__lx *from = kf__put_part(L, c, chunk, &c->to);
    if (c->pieces)
        put_chunk_in_pieces(L, c, from);
    else
        put_chunk(L, c, from);
    kf__send_chunk(L, c, chunk);
    kf__close(L);
    kf__close(L);
    kf__put_cluster_columns(L, c);
}

/* A block a group or, where columns are few, some groups beside one another. If a group has all
 * rows, it has the results. */
static void put_groups(kf__low *L, kf__column_kernel *c) {
    kf__low_begin(L, "", "A block takes a tile of columns over groups of rows.");
    L->fn->threads = KF__THREADS;
    L->fn->launched = c->launched;
    L->fn->grid = c->outer * c->tiles * c->blocks;
    const kf__lx *blocks = kf__word_count(L, "blocks", c->blocks);
    kf__put_scalars(L);
    const char *index = kf__index_type(L);
    const kf__lx *block = kf__put_block(L);
    put_threads(L, c);
    const kf__lx *rest = kf__put_let(L, index, "rest", put_place(L, c, block), NULL);
    const kf__lx *group = kf__l_bin(L, "%", rest, blocks);
    if (c->nth) {
        group = kf__l_bin(L, "*", group, kf__word_count(L, "beside", c->beside));
        group = kf__l_select(L, kf__is_beside(L, c), kf__l_bin(L, "+", group, c->nth),
                            kf__parts_of(L, c));
    }
    group = kf__put_let(L, index, "group", group, NULL);
    const kf__lx *outer = kf__put_let(L, index, "outer", kf__l_bin(L, "/", rest, blocks), NULL);
    kf__put_decode(L, false, true, outer);
    const kf__lx *from = kf__put_part(L, c, group, &c->to);
    put_tiles(L, c, from, kf__l_var(L, "down"));
    kf__open_down(L, c, from);
    kf__put_group(L, c, group, outer);
    kf__close(L);
}

/* The pack of columns of thread t. Gives which of the outer axes. */
static const kf__lx *put_pack(kf__low *L, kf__column_kernel *c, const kf__lx *t) {
    const char *index = kf__index_type(L);
    const kf__lx *n = kf__word_size(L, kf__last(L)), *packs = kf__word_count(L, "packs", c->tiles);
    const kf__lx *all = kf__word_count(L, "outer_n", c->outer), *W = kf__l_int(L, c->tile.W);
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1);
    const kf__lx *own = kf__put_let(L, index, "own", kf__l_bin(L, "/", t, packs), NULL);
    const kf__lx *column = kf__l_bin(L, "*", kf__l_bin(L, "%", t, packs), W);
    column = kf__put_let(L, "int64_t", "j", column, NULL);
    const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", n, column), W);
    const kf__lx *is = kf__l_bin(L, "<", own, all);
    c->left = kf__put_let(L, "int", "columns", kf__l_select(L, is, left, zero), "of this thread");
    c->j = column;
    if (!c->tile.inside) c->tile.row_left = kf__put_let(L, "int", "there", left, "that it reads");
    return kf__put_let(L, index, "outer", kf__l_select(L, is, own, kf__l_bin(L, "-", all, one)),
                       NULL);
}

/* A thread has all rows of its columns. */
static void put_few_rows(kf__low *L, kf__column_kernel *c) {
    kf__low_begin(L, "", "A thread takes columns, of few rows.");
    L->fn->threads = KF__FEW_THREADS;
    L->fn->grid = kf__ceil_div(c->outer * c->tiles, KF__FEW_THREADS);
    kf__put_scalars(L);
    const kf__lx *zero = kf__l_int(L, 0), *t = kf__put_block(L);
    t = kf__l_bin(L, "*", t, kf__l_int(L, KF__FEW_THREADS));
    t = kf__l_bin(L, "+", t, kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
    t = kf__put_let(L, kf__index_type(L), "t", t, NULL);
    kf__put_decode(L, false, true, put_pack(L, c, t));
    c->to = kf__put_let(L, "int", "rows", kf__word_int(L, "reduced", c->rows), NULL);
    put_tiles(L, c, zero, zero);
    kf__put_own_columns(L, c);
}

void kf__cuda_columns(kf__low *L) {
    kf__column_kernel c = {0};
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
    c.width = L->axes[kf__last(L)].size;
    c.outer = c.width ? kf__low_extent(L, false) / c.width : 0;
    kf__pick_columns(L, &c);
    c.tile.head = head;
    L->small = L->affine && c.outer * c.width < INT32_MAX && c.rows < INT32_MAX / 2;
    if (c.clusters) {
        put_clusters(L, &c);
        return;
    }
    if (c.down == 1) {
        put_few_rows(L, &c);
        return;
    }
    int64_t kept = c.parts > 1 ? c.parts * c.outer * c.width : 0;
    for (uint32_t r = 0; r < c.phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c.reds[r]); ++f)
            c.offsets[r * KF__MAX_FIELDS + (uint32_t)f] =
                kf__low_scratch(L, kept, kf__field_type(L, c.reds[r], f));
    put_groups(L, &c);
    kf__put_merge_function(L, &c);
}
