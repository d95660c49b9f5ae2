/* Columns on CUDA: merging a column's states.
 *
 *     threads   the 8 states of a column in a block go through shared memory; a thread a column
 *               takes them in order
 *     chunks    of a cluster: each block sends its chunks' states to the first one, where a thread
 *               a column takes them in order once all have come
 *     groups    a second launch: up to 256 threads a column take some of its groups each, in order;
 *               what neighbours have is merged, by twos, fours, and so on
 *
 * The order depends on the number of rows only, not on how many blocks share them. */
#include "lower/cuda_columns.h"

/* Where states are kept: in arrays of this name, as a type of theirs. */
typedef struct store {
    const char *name, *get, *put; /* put: NULL where messages bring them */
    kf__dtype (*type)(kf__dtype type);
} store;

static kf__dtype same_type(kf__dtype type) { return type; }

static const store in_block = {"down", "kf_shared_get_T", "kf_shared_put_T", same_type};
static const store in_cluster = {"cluster", "kf_shared_get_T", NULL, kf__cuda_message_type};
static const store in_shares = {"share", "kf_shared_get_T", "kf_shared_put_T", same_type};
static const store in_memory = {"part", "kf_load_T", "kf_store_T", same_type};

/* The array of field f of reduction r. */
static const kf__lx *array_of(kf__low *L, const kf__column_kernel *c, const store *in, uint32_t r,
                              int f) {
    const char *name = kf__field_name(L, in->name, c->reds[r], f);
    if (in != &in_memory) return kf__l_var(L, name);
    return kf__word_partial(L, name, kf__field_type(L, c->reds[r], f),
                            c->offsets[r * KF__MAX_FIELDS + (uint32_t)f]);
}

/* Shared memory for n states of each reduction. */
static void put_shared(kf__low *L, const kf__column_kernel *c, const store *in, int n) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_shared(L, kf__ctype(in->type(kf__field_type(L, c->reds[r], f))),
                           kf__field_name(L, in->name, c->reds[r], f), n);
}

static void put_identities(kf__low *L, const kf__column_kernel *c) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_var(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                        kf__field_name(L, "all", c->reds[r], f), 0,
                        kf__identity(L, c->reds[r], f));
}

static const kf__lx *all_of(kf__low *L, const kf__column_kernel *c, uint32_t r, int f) {
    return kf__l_var(L, kf__field_name(L, "all", c->reds[r], f));
}

/* The states `what`, item e of arrays or variables where it is NULL, as item `at`. */
static void put_states(kf__low *L, const kf__column_kernel *c, const store *in, const kf__lx *at,
                       const char *what, const kf__lx *e) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f) {
            const char *name = kf__field_name(L, what, c->reds[r], f);
            kf__put_call(L, kf__l_call(L, in->put, kf__field_type(L, c->reds[r], f),
                                       array_of(L, c, in, r, f), at,
                                       e ? kf__l_item(L, name, e) : kf__l_var(L, name)));
        }
}

static const kf__lx *get(kf__low *L, const kf__column_kernel *c, const store *in, uint32_t r, int f,
                         const kf__lx *at) {
    kf__dtype type = in->type(kf__field_type(L, c->reds[r], f));
    return kf__l_call(L, in->get, type, array_of(L, c, in, r, f), at);
}

/* Into all_F, the states of np rows: the next ones, of nq rows. They are item `at` or, where that
 * is NULL, item s of what was loaded ahead. */
static void put_merge(kf__low *L, kf__column_kernel *c, const store *in, const kf__lx *at,
                      const kf__lx *np, const kf__lx *nq) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        uint32_t red = c->reds[r];
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            const char *type = kf__ctype(kf__field_type(L, red, f));
            const char *name = kf__field_name(L, "q", red, f);
            P[f] = all_of(L, c, r, f);
            Q[f] = at ? kf__put_let(L, type, name, get(L, c, in, r, f, at), NULL)
                      : kf__l_item(L, name, kf__l_var(L, "s"));
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, np), kf__count_as(L, red, nq));
    }
}

/* The same of the next nq rows, which are counted. */
static void put_merge_next(kf__low *L, kf__column_kernel *c, const store *in, const kf__lx *at,
                           const kf__lx *nq) {
    const kf__lx *count = kf__l_var(L, "count");
    put_merge(L, c, in, at, count, nq);
    kf__put_set(L, count, kf__l_bin(L, "+", count, nq));
}

/* Row-level results of one column, whose states are all_F. */
static void put_column(kf__low *L, kf__column_kernel *c) {
    L->rows_inside = false;
    kf__put_rows(L, 0);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        kf__fields_of fields;
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f) fields[f] = all_of(L, c, r, f);
        kf__put_project(L, c->reds[r], fields, kf__word_int(L, "reduced", c->rows));
    }
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
    kf__forget(L, KF__LEVEL_ROW);
    L->rows_inside = true;
}

/* Into all_F the states of a part, the next one: item `at`, or what was loaded ahead. */
static void put_merge_part(kf__low *L, kf__column_kernel *c, const store *in, const kf__lx *part,
                           const kf__lx *at) {
    const kf__lx *to, *from = kf__put_part(L, c, part, &to);
    const kf__lx *nq = kf__put_let(L, "int64_t", "nq", kf__l_bin(L, "-", to, from), NULL);
    put_merge_next(L, c, in, at, nq);
}

int kf__column_bytes(const kf__low *L, const kf__column_kernel *c) {
    int n = 0;
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            n += kf__cuda_message_bytes(kf__field_type(L, c->reds[r], f));
    return n;
}

/* ---------------------------------------------------------------- threads of a block */

/* Items of the arrays for column e of each thread across: neighbours are in different banks. */
static int items(const kf__column_kernel *c) { return KF__THREADS * (c->pieces ? KF__PIECES : 1); }

void kf__put_down_states(kf__low *L, const kf__column_kernel *c) {
    put_shared(L, c, &in_block, items(c) * c->tile.W);
}

/* Of column e of the thread's place across, that of a row of threads. */
static const kf__lx *item(kf__low *L, const kf__column_kernel *c, const kf__lx *e,
                          const kf__lx *row) {
    const kf__lx *at = kf__l_bin(L, "*", row, kf__l_int(L, KF__ACROSS));
    at = kf__l_bin(L, "+", at, c->place);
    return kf__l_bin(L, "+", kf__l_bin(L, "*", e, kf__l_int(L, items(c))), at);
}

/* New all_F, of no rows, and their count. */
static void put_none(kf__low *L, const kf__column_kernel *c) {
    put_identities(L, c);
    kf__put_var(L, "int64_t", "count", 0, kf__l_int(L, 0));
}

/* Into all_F those of column e of 8 rows of threads, in order, which have the rows from `from` to
 * `to`. */
static void put_merge_down(kf__low *L, kf__column_kernel *c, const kf__lx *e, const kf__lx *row,
                           const kf__lx *from, const kf__lx *to) {
    const kf__lx *d = kf__l_var(L, "d"), *zero = kf__l_int(L, 0);
    kf__open_for(L, "int", "d", zero, kf__l_int(L, KF__DOWN), kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *at = item(L, c, e, kf__l_bin(L, "+", row, d));
    at = kf__put_let(L, "int", "at", at, NULL);
    put_merge_next(L, c, &in_block, at,
                   kf__put_held(L, c, "nq", kf__l_bin(L, "+", from, d), to, 0));
    kf__close(L);
}

/* The first row of threads of a piece. */
static const kf__lx *first_row_of(kf__low *L, const kf__lx *piece) {
    return kf__l_bin(L, "*", piece, kf__l_int(L, KF__DOWN));
}

void kf__open_down(kf__low *L, kf__column_kernel *c, const kf__lx *from) {
    const kf__lx *has_place = c->is_own ? c->is_own : c->nth ? kf__is_beside(L, c) : NULL;
    if (has_place) kf__open_if(L, has_place);
    const kf__lx *down = kf__l_var(L, "down"), *e = kf__open_columns(L, c);
    put_states(L, c, &in_block, item(L, c, e, down), "state", e);
    kf__close(L);
    if (has_place) kf__close(L);
    kf__cuda_put_barrier(L);
    const kf__lx *has_column = kf__l_bin(L, "<", down, kf__l_int(L, c->tile.W));
    if (has_place) has_column = kf__l_bin(L, "&&", has_place, has_column);
    kf__open_if(L, has_column);
    put_none(L, c);
    put_merge_down(L, c, down, kf__l_int(L, 0), from, c->to);
}

void kf__put_piece_states(kf__low *L, const kf__column_kernel *c, const kf__lx *piece) {
    const kf__lx *e = kf__open_columns(L, c);
    const kf__lx *row = kf__l_bin(L, "+", first_row_of(L, piece), kf__l_var(L, "down"));
    put_states(L, c, &in_block, item(L, c, e, row), "state", e);
    kf__close(L);
}

void kf__open_pieces(kf__low *L, kf__column_kernel *c, const kf__lx *from, const kf__lx *to) {
    const kf__lx *W = kf__l_int(L, c->tile.W), *down = kf__l_var(L, "down"), *end;
    const kf__lx *pieces = kf__word_count(L, "pieces", c->pieces), *zero = kf__l_int(L, 0);
    kf__cuda_put_barrier(L);
    kf__put_comment(L, "a thread a column and piece; then a thread a column");
    const kf__lx *own = kf__put_let(L, "int", "of", kf__l_bin(L, "/", down, W), NULL);
    const kf__lx *e = kf__put_let(L, "int", "e", kf__l_bin(L, "%", down, W), NULL);
    const kf__lx *one = kf__l_int(L, 1);
    const kf__lx *leads = kf__l_bin(L, "==", c->own_piece, zero);
    leads = kf__l_bin(L, "&&", c->is_own, leads);
    leads = kf__put_let(L, "int", "leads", leads, "a line's 8 rows of threads");
    put_none(L, c);
    kf__open_if(L, kf__l_bin(L, "&&", leads, kf__l_bin(L, "<", own, pieces)));
    const kf__lx *first = kf__put_piece(L, c, own, from, to, &end);
    const kf__lx *row = first_row_of(L, own);
    put_merge_down(L, c, e, row, first, end);
    put_states(L, c, &in_block, item(L, c, e, row), "all", NULL);
    kf__close(L);
    kf__open_if(L, kf__l_bin(L, ">", pieces, one));
    kf__cuda_put_barrier(L);
    kf__close(L);
    kf__open_if(L, kf__l_bin(L, "&&", leads, kf__l_bin(L, "<", down, W)));
    kf__open_for(L, "int", "piece", one, pieces, one, KF__SERIAL);
    const kf__lx *piece = kf__l_var(L, "piece");
    first = kf__put_piece(L, c, piece, from, to, &end);
    const kf__lx *nq = kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0),
                                  kf__l_bin(L, "-", end, first));
    nq = kf__put_let(L, "int64_t", "nq", nq, NULL);
    const kf__lx *at = item(L, c, e, first_row_of(L, piece));
    put_merge_next(L, c, &in_block, kf__put_let(L, "int", "at", at, NULL), nq);
    kf__close(L);
}

/* Column `which` of the threads `across`, if there is one: opened. */
static const kf__lx *open_column(kf__low *L, kf__column_kernel *c, const kf__lx *which) {
    const kf__lx *column = kf__l_bin(L, "*", kf__l_var(L, "across"), kf__l_int(L, c->tile.W));
    column = kf__l_bin(L, "+", c->first, kf__l_bin(L, "+", column, which));
    column = kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, column, NULL);
    kf__open_if(L, kf__l_bin(L, "<", column, kf__word_size(L, kf__last(L))));
    return column;
}

void kf__put_own_columns(kf__low *L, kf__column_kernel *c) {
    const kf__lx *e = kf__open_columns(L, c);
    kf__open_if(L, kf__l_bin(L, "<", e, c->left));
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_let(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                        kf__field_name(L, "all", c->reds[r], f),
                        kf__l_item(L, kf__field_name(L, "state", c->reds[r], f), e), NULL);
    kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, kf__l_bin(L, "+", c->j, e), NULL);
    put_column(L, c);
    kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- chunks of a cluster */

void kf__put_cluster_states(kf__low *L, const kf__column_kernel *c) {
    put_shared(L, c, &in_cluster, KF__CLUSTER_BLOCKS * KF__ACROSS * c->tile.W);
}

/* Items between two chunks' states of a column. */
static const kf__lx *chunk_pitch(kf__low *L, const kf__column_kernel *c) {
    return kf__l_int(L, KF__ACROSS * c->tile.W);
}

/* Item of a chunk's states of the thread's column. */
static const kf__lx *chunk_item(kf__low *L, const kf__column_kernel *c, const kf__lx *chunk) {
    const kf__lx *at = kf__l_bin(L, "*", kf__l_var(L, "down"), kf__l_int(L, KF__ACROSS));
    at = kf__l_bin(L, "+", at, c->place);
    return kf__l_bin(L, "+", kf__l_bin(L, "*", chunk, chunk_pitch(L, c)), at);
}

void kf__send_chunk(kf__low *L, const kf__column_kernel *c, const kf__lx *chunk) {
    kf__put_comment(L, "to the cluster's first block");
    const kf__lx *at = kf__put_let(L, "int", "part_at", chunk_item(L, c, chunk), NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__cuda_put_message(L, kf__field_type(L, c->reds[r], f),
                                 kf__field_name(L, in_cluster.name, c->reds[r], f), at,
                                 kf__l_int(L, 0), all_of(L, c, r, f), 0);
}

void kf__put_cluster_columns(kf__low *L, kf__column_kernel *c) {
    const kf__lx *zero = kf__l_int(L, 0), *chunks = kf__parts_of(L, c);
    const kf__lx *is_first = kf__l_bin(L, "==", kf__l_var(L, "rank"), zero);
    const kf__lx *bytes = kf__l_int(L, kf__column_bytes(L, c) * c->tile.W); /* of a thread */
    const kf__lx *sent = kf__l_bin(L, "*", c->wide, bytes);
    if (c->lines_here) sent = kf__l_bin(L, "*", c->lines_here, sent);
    sent = kf__l_bin(L, "*", chunks, sent);
    kf__cuda_collect_messages(L, 0, kf__l_select(L, is_first, sent, zero));
    const kf__lx *down = kf__l_var(L, "down");
    is_first = kf__l_bin(L, "&&", is_first, kf__l_bin(L, "<", down, kf__l_int(L, c->tile.W)));
    if (c->is_own) is_first = kf__l_bin(L, "&&", is_first, c->is_own);
    if (c->pieces)
        is_first = kf__l_bin(L, "&&", is_first, kf__l_bin(L, "==", c->own_piece, zero));
    kf__open_if(L, is_first);
    open_column(L, c, down);
    put_none(L, c);
    kf__open_for(L, "int", "part", zero, chunks, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *part = kf__l_var(L, "part");
    const kf__lx *at = kf__put_let(L, "int", "at", chunk_item(L, c, part), NULL);
    put_merge_part(L, c, &in_cluster, part, at);
    kf__close(L);
    put_column(L, c);
    kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- groups */

void kf__put_group(kf__low *L, kf__column_kernel *c, const kf__lx *group, const kf__lx *outer) {
    const kf__lx *column = open_column(L, c, kf__l_var(L, "down"));
    kf__open_if(L, kf__l_bin(L, "==", kf__parts_of(L, c), kf__l_int(L, 1)));
    put_column(L, c);
    kf__open_else(L);
    if (c->beside) /* the last block may have fewer */
        kf__open_if(L, kf__l_bin(L, "<", group, kf__parts_of(L, c)));
    const kf__lx *at = kf__l_bin(L, "*", group, kf__word_int(L, "outer_n", c->outer));
    at = kf__l_bin(L, "*", kf__l_bin(L, "+", at, outer), kf__word_size(L, kf__last(L)));
    at = kf__put_let(L, "int64_t", "part_at", kf__l_bin(L, "+", at, column), NULL);
    put_states(L, c, &in_memory, at, "all", NULL);
    if (c->beside) kf__close(L);
    kf__close(L);
    kf__close(L);
}

/* The row where share d begins, if there are so many: a share is so many groups. */
static const kf__lx *share_row(kf__low *L, const kf__column_kernel *c, const kf__lx *d,
                               const kf__lx *share) {
    const kf__lx *size = kf__word_int(L, "group_rows", c->part);
    const kf__lx *row = kf__l_bin(L, "*", kf__l_bin(L, "*", d, share), size);
    return kf__l_call(L, "kf_min_i64", KF__I64, kf__word_int(L, "reduced", c->rows), row);
}

/* Into new all_F the states of the groups first, first + 1, ... below `stop` of column t: some are
 * loaded before the first of them is merged. */
static void put_merge_groups(kf__low *L, kf__column_kernel *c, const kf__lx *first,
                             const kf__lx *stop, const kf__lx *t, const kf__lx *columns) {
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1);
    const kf__lx *ahead = kf__l_int(L, KF__MERGE_GROUPS), *s = kf__l_var(L, "s");
    put_none(L, c);
    kf__open_for(L, "int", "next", first, stop, ahead, KF__SERIAL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_var(L, kf__ctype(kf__field_type(L, c->reds[r], f)),
                        kf__field_name(L, "q", c->reds[r], f), KF__MERGE_GROUPS, NULL);
    const kf__lx *part = kf__l_bin(L, "+", kf__l_var(L, "next"), s);
    kf__open_for(L, "int", "s", zero, ahead, one, KF__UNROLL);
    const kf__lx *at = kf__as_i64(L, kf__cuda_at_most(L, part, stop));
    at = kf__l_bin(L, "+", kf__l_bin(L, "*", at, columns), t);
    at = kf__put_let(L, "int64_t", "at", at, NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__put_set(L, kf__l_item(L, kf__field_name(L, "q", c->reds[r], f), s),
                        get(L, c, &in_memory, r, f, at));
    kf__close(L);
    kf__open_for(L, "int", "s", zero, ahead, one, KF__UNROLL);
    part = kf__put_let(L, "int", "part", part, NULL);
    kf__open_if(L, kf__l_bin(L, "<", part, stop));
    put_merge_part(L, c, &in_memory, part, NULL);
    kf__close(L);
    kf__close(L);
    kf__close(L);
}

/* Into the first thread's all_F those of all threads of a column: in each level it is merged with
 * the thread `step` further down, both of which have `step` shares of groups. */
static void put_merge_shares(kf__low *L, kf__column_kernel *c, const kf__lx *levels,
                             const kf__lx *wide, const kf__lx *share) {
    const kf__lx *down = kf__l_var(L, "down"), *tid = kf__l_var(L, "tid"), *one = kf__l_int(L, 1);
    kf__open_for(L, "int", "level", kf__l_int(L, 0), levels, one, KF__SERIAL);
    kf__cuda_put_barrier(L);
    const kf__lx *step = kf__l_bin(L, "<<", one, kf__l_var(L, "level"));
    step = kf__put_let(L, "int", "step", step, NULL);
    const kf__lx *twice = kf__l_bin(L, "*", kf__l_int(L, 2), step);
    kf__open_if(L, kf__l_bin(L, "==", kf__l_bin(L, "%", down, twice), kf__l_int(L, 0)));
    const kf__lx *next = kf__l_bin(L, "+", down, step);
    const kf__lx *from = kf__put_let(L, "int64_t", "from", share_row(L, c, down, share), NULL);
    const kf__lx *half = kf__put_let(L, "int64_t", "half", share_row(L, c, next, share), NULL);
    const kf__lx *to = share_row(L, c, kf__l_bin(L, "+", next, step), share);
    const kf__lx *nq = kf__put_let(L, "int64_t", "nq", kf__l_bin(L, "-", to, half), NULL);
    const kf__lx *at = kf__l_bin(L, "+", tid, kf__l_bin(L, "*", step, wide));
    at = kf__put_let(L, "int", "at", at, NULL);
    put_merge(L, c, &in_shares, at, kf__l_bin(L, "-", half, from), nq);
    put_states(L, c, &in_shares, tid, "all", NULL);
    kf__close(L);
    kf__close(L);
}

/* Threads of a column, 1 << levels: by how many groups there are, in as many as it has then. */
static int merge_levels(const kf__column_kernel *c, int block) {
    int levels = 0;
    while (2 << levels <= block && KF__MERGE_GROUPS << levels < c->parts) ++levels;
    return levels;
}

void kf__put_merge_function(kf__low *L, kf__column_kernel *c) {
    kf__low_begin(L, "_merge", "Merges the groups of columns, several threads a column.");
    int64_t n_columns = c->outer * c->width;
    int threads = KF__MERGE_THREADS;
    while (threads > KF__ACROSS && kf__column_bytes(L, c) * threads > KF__SHARED_BYTES)
        threads /= 2;
    int n_levels = merge_levels(c, threads);
    L->fn->threads = threads;
    L->fn->grid = c->parts > 1 ? kf__ceil_div(n_columns, threads >> n_levels) : 0;
    const kf__lx *n = kf__word_size(L, kf__last(L)), *all = kf__word_count(L, "columns", n_columns);
    const kf__lx *levels = kf__word_count(L, "levels", n_levels), *one = kf__l_int(L, 1);
    const char *index = kf__index_type(L);
    kf__put_scalars(L);
    const kf__lx *block = kf__put_block(L), *groups = kf__parts_of(L, c), *tid = kf__thread_id(L);
    const kf__lx *column_threads = kf__l_bin(L, "<<", one, levels);
    column_threads = kf__put_let(L, "int", "threads", column_threads, "of a column");
    const kf__lx *wide = kf__l_bin(L, ">>", kf__l_int(L, threads), levels);
    wide = kf__put_let(L, "int", "wide", wide, "columns of a block");
    const kf__lx *across = kf__l_bin(L, "&", tid, kf__l_bin(L, "-", wide, one));
    across = kf__put_let(L, "int", "across", across, NULL);
    const kf__lx *bits = kf__l_int(L, kf__log2_up(threads)); /* of a thread's number */
    const kf__lx *down = kf__l_bin(L, ">>", tid, kf__l_bin(L, "-", bits, levels));
    down = kf__put_let(L, "int", "down", down, NULL);
    const kf__lx *t = kf__l_bin(L, "*", block, wide);
    t = kf__put_let(L, index, "t", kf__l_bin(L, "+", t, across), NULL);
    const kf__lx *share = kf__l_bin(L, "+", groups, kf__l_bin(L, "-", column_threads, one));
    share = kf__put_let(L, "int", "share", kf__l_bin(L, ">>", share, levels), "groups of a thread");
    put_shared(L, c, &in_shares, threads);
    const kf__lx *first = kf__put_let(L, "int", "first", kf__l_bin(L, "*", down, share), NULL);
    const kf__lx *stop = kf__l_call(L, "kf_min_i64", KF__I64, groups,
                                    kf__l_bin(L, "+", first, share));
    const kf__lx *any = kf__l_bin(L, "<", t, all);
    stop = kf__put_let(L, "int", "stop", kf__l_select(L, any, stop, first), NULL);
    put_merge_groups(L, c, first, stop, t, all);
    put_states(L, c, &in_shares, tid, "all", NULL);
    put_merge_shares(L, c, levels, wide, share);
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", down, kf__l_int(L, 0)), any));
    kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, kf__l_bin(L, "%", t, n), NULL);
    kf__put_decode(L, false, true, kf__put_let(L, index, "outer", kf__l_bin(L, "/", t, n), NULL));
    put_column(L, c);
    kf__close(L);
}
