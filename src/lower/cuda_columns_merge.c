/* Columns on CUDA: merging a column's states.
 *
 *     threads   the 8 states of a column in a block go through shared memory; a thread a column
 *               takes them in order
 *     chunks    of a cluster: each block sends its chunks' states to the first one, where a thread
 *               a column takes them in order once all have come
 *     groups    a second launch: 32 threads a column take some of its groups each, in order; what
 *               neighbours have is merged, by twos, fours, and so on
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

/* Into all_F, the states of np rows: the next ones, of nq rows. */
static void put_merge(kf__low *L, kf__column_kernel *c, const store *in, const kf__lx *at,
                      const kf__lx *np, const kf__lx *nq) {
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) {
        uint32_t red = c->reds[r];
        kf__fields_of P, Q;
        for (int f = 0; f < kf__fields(L, red); ++f) {
            kf__dtype type = kf__field_type(L, red, f);
            P[f] = all_of(L, c, r, f);
            const kf__lx *q = kf__l_call(L, in->get, in->type(type), array_of(L, c, in, r, f), at);
            Q[f] = kf__put_let(L, kf__ctype(type), kf__field_name(L, "q", red, f), q, NULL);
        }
        kf__put_merge(L, red, P, Q, kf__count_as(L, red, np), kf__count_as(L, red, nq));
    }
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

/* Into new all_F the states of the parts first, first + 1, ... below `end`: item `at` and those
 * each `pitch` further on. */
static void put_merge_parts(kf__low *L, kf__column_kernel *c, const store *in, const kf__lx *first,
                            const kf__lx *end, const kf__lx *at, const kf__lx *pitch) {
    const kf__lx *part = kf__l_var(L, "part"), *count, *to;
    put_identities(L, c);
    count = kf__put_var(L, "int64_t", "count", 0, kf__l_int(L, 0));
    kf__open_for(L, "int", "part", first, end, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *from = kf__put_part(L, c, part, &to);
    at = kf__l_bin(L, "+", kf__l_bin(L, "*", part, pitch), at);
    at = kf__put_let(L, c->clusters ? "int" : "int64_t", "at", at, NULL);
    const kf__lx *nq = kf__put_let(L, "int64_t", "nq", kf__l_bin(L, "-", to, from), NULL);
    put_merge(L, c, in, at, count, nq);
    kf__put_set(L, count, kf__l_bin(L, "+", count, nq));
    kf__close(L);
}

int kf__column_bytes(const kf__low *L, const kf__column_kernel *c) {
    int n = 0;
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            n += kf__cuda_message_bytes(kf__field_type(L, c->reds[r], f));
    return n;
}

/* ---------------------------------------------------------------- threads of a block */

void kf__put_down_states(kf__low *L, const kf__column_kernel *c) {
    put_shared(L, c, &in_block, KF__THREADS * c->tile.W);
}

/* In the arrays each of a thread's columns has an item for each thread: neighbours are in different
 * banks. */
static const kf__lx *place_of(kf__low *L, const kf__lx *e, const kf__lx *thread) {
    return kf__l_bin(L, "+", kf__l_bin(L, "*", e, kf__l_int(L, KF__THREADS)), thread);
}

void kf__open_down(kf__low *L, kf__column_kernel *c, const kf__lx *from) {
    const kf__lx *across = kf__l_var(L, "across"), *down = kf__l_var(L, "down");
    const kf__lx *e = kf__open_columns(L, c), *at = place_of(L, e, kf__l_var(L, "tid"));
    put_states(L, c, &in_block, at, "state", e);
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
    const kf__lx *nq = kf__put_held(L, "nq", kf__l_bin(L, "+", from, d), c->to, 0);
    put_merge(L, c, &in_block, at, count, nq);
    kf__put_set(L, count, kf__l_bin(L, "+", count, nq));
    kf__close(L);
}

/* Column `down` of the threads `across`, if there is one: opened. */
static const kf__lx *open_column(kf__low *L, kf__column_kernel *c) {
    const kf__lx *column = kf__l_bin(L, "*", kf__l_var(L, "across"), kf__l_int(L, c->tile.W));
    column = kf__l_bin(L, "+", c->first, kf__l_bin(L, "+", column, kf__l_var(L, "down")));
    column = kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, column, NULL);
    kf__open_if(L, kf__l_bin(L, "<", column, kf__word_size(L, kf__last(L))));
    return column;
}

/* ---------------------------------------------------------------- chunks of a cluster */

void kf__put_cluster_states(kf__low *L, const kf__column_kernel *c, int chunks) {
    put_shared(L, c, &in_cluster, chunks * KF__ACROSS * c->tile.W);
}

/* Items between two chunks' states of a column. */
static const kf__lx *chunk_pitch(kf__low *L, const kf__column_kernel *c) {
    return kf__l_int(L, KF__ACROSS * c->tile.W);
}

void kf__put_chunk(kf__low *L, const kf__column_kernel *c, const kf__lx *chunk) {
    kf__put_comment(L, "to the cluster's first block");
    const kf__lx *at = kf__l_bin(L, "*", chunk, chunk_pitch(L, c));
    at = kf__put_let(L, "int", "part_at", kf__l_bin(L, "+", at, kf__l_var(L, "tid")), NULL);
    for (uint32_t r = 0; r < c->phase.n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            kf__cuda_put_message(L, kf__field_type(L, c->reds[r], f),
                                 kf__field_name(L, in_cluster.name, c->reds[r], f), at,
                                 kf__l_int(L, 0), all_of(L, c, r, f), 0);
}

void kf__put_cluster_columns(kf__low *L, kf__column_kernel *c) {
    const kf__lx *zero = kf__l_int(L, 0), *chunks = kf__parts_of(L, c);
    const kf__lx *is_first = kf__l_bin(L, "==", kf__l_var(L, "rank"), zero);
    int bytes = kf__column_bytes(L, c) * KF__ACROSS * c->tile.W; /* of a chunk */
    const kf__lx *sent = kf__l_bin(L, "*", chunks, kf__l_int(L, bytes));
    kf__cuda_collect_messages(L, 0, kf__l_select(L, is_first, sent, zero));
    kf__open_if(L, kf__l_bin(L, "&&", is_first,
                             kf__l_bin(L, "<", kf__l_var(L, "down"), kf__l_int(L, c->tile.W))));
    open_column(L, c);
    put_merge_parts(L, c, &in_cluster, zero, chunks, kf__l_var(L, "tid"), chunk_pitch(L, c));
    put_column(L, c);
    kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- groups */

void kf__put_group(kf__low *L, kf__column_kernel *c, const kf__lx *group, const kf__lx *outer) {
    const kf__lx *column = open_column(L, c);
    kf__open_if(L, kf__l_bin(L, "==", kf__parts_of(L, c), kf__l_int(L, 1)));
    put_column(L, c);
    kf__open_else(L);
    const kf__lx *at = kf__l_bin(L, "*", group, kf__word_int(L, "outer_n", c->outer));
    at = kf__l_bin(L, "*", kf__l_bin(L, "+", at, outer), kf__word_size(L, kf__last(L)));
    at = kf__put_let(L, "int64_t", "part_at", kf__l_bin(L, "+", at, column), NULL);
    put_states(L, c, &in_memory, at, "all", NULL);
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

/* Into the first thread's all_F those of all threads of a column: in each level it is merged with
 * the thread `step` further down, both of which have `step` shares of groups. */
static void put_merge_shares(kf__low *L, kf__column_kernel *c, int threads, const kf__lx *share) {
    const kf__lx *down = kf__l_var(L, "down"), *tid = kf__l_var(L, "tid"), *one = kf__l_int(L, 1);
    int levels = 0;
    while (1 << levels < threads) ++levels;
    kf__open_for(L, "int", "level", kf__l_int(L, 0), kf__l_int(L, levels), one, KF__SERIAL);
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
    const kf__lx *at = kf__l_bin(L, "+", tid, kf__l_bin(L, "*", step, kf__l_int(L, KF__ACROSS)));
    at = kf__put_let(L, "int", "at", at, NULL);
    put_merge(L, c, &in_shares, at, kf__l_bin(L, "-", half, from), nq);
    put_states(L, c, &in_shares, tid, "all", NULL);
    kf__close(L);
    kf__close(L);
}

void kf__put_merge_function(kf__low *L, kf__column_kernel *c) {
    kf__low_begin(L, "_merge", "Merges the groups of columns, several threads a column.");
    int64_t n_columns = c->outer * c->width;
    int threads = KF__MERGE_DOWN; /* of a column */
    while (threads > 1 && kf__column_bytes(L, c) * KF__ACROSS * threads > KF__SHARED_BYTES)
        threads /= 2;
    L->fn->threads = KF__ACROSS * threads;
    L->fn->grid = c->parts > 1 ? kf__ceil_div(n_columns, KF__ACROSS) : 0;
    const kf__lx *n = kf__word_size(L, kf__last(L)), *all = kf__word_int(L, "columns", n_columns);
    const char *index = kf__index_type(L);
    kf__put_scalars(L);
    const kf__lx *block = kf__put_block(L), *groups = kf__parts_of(L, c);
    const kf__lx *across, *down, *tid = kf__thread_at(L, KF__ACROSS, &across, &down);
    const kf__lx *t = kf__l_bin(L, "*", block, kf__l_int(L, KF__ACROSS));
    t = kf__put_let(L, index, "t", kf__l_bin(L, "+", t, across), NULL);
    const kf__lx *share = kf__l_bin(L, "+", groups, kf__l_int(L, threads - 1));
    share = kf__l_bin(L, "/", share, kf__l_int(L, threads));
    share = kf__put_let(L, "int", "share", share, "groups of a thread");
    put_shared(L, c, &in_shares, KF__ACROSS * threads);
    const kf__lx *first = kf__put_let(L, "int", "first", kf__l_bin(L, "*", down, share), NULL);
    const kf__lx *stop = kf__l_call(L, "kf_min_i64", KF__I64, groups,
                                    kf__l_bin(L, "+", first, share));
    const kf__lx *any = kf__l_bin(L, "<", t, all);
    stop = kf__put_let(L, "int", "stop", kf__l_select(L, any, stop, first), NULL);
    put_merge_parts(L, c, &in_memory, first, stop, t, all);
    put_states(L, c, &in_shares, tid, "all", NULL);
    put_merge_shares(L, c, threads, share);
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", down, kf__l_int(L, 0)), any));
    kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, kf__l_bin(L, "%", t, n), NULL);
    kf__put_decode(L, false, true, kf__put_let(L, index, "outer", kf__l_bin(L, "/", t, n), NULL));
    put_column(L, c);
    kf__close(L);
}
