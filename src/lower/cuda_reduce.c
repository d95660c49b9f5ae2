/* Reductions that nothing at element level follows: a block takes a chunk of a row, and a second
 * launch merges the chunks of each row. */
#include "lower/cuda_loop.h"

static const kf__lx *part(kf__low *L, const kf__parts *parts, const kf__states *st, uint32_t r,
                          int f) {
    uint32_t red = st->reds[r];
    return kf__word_partial(L, kf__field_name(L, "part", red, f), kf__field_type(L, red, f),
                            parts->offset[r * KF__MAX_FIELDS + (uint32_t)f]);
}

/* Counts of different stages are different arrays. */
static const kf__lx *part_count(kf__low *L, const kf__parts *parts, const kf__states *st) {
    return kf__word_partial(L, kf__l_name(L, "part%u_n", (unsigned)st->reds[0]), KF__I64,
                            parts->count_at);
}

bool kf__parts_make(kf__low *L, const kf__states *st, int64_t n, kf__parts *out) {
    out->offset = KF__NEW(L->arena, int64_t, KF__MAX_FIELDS * (size_t)(st->n_reds + 1));
    if (!out->offset) {
        L->failed = true;
        return false;
    }
    out->count_at = kf__low_scratch(L, n, KF__I64);
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, st->reds[r]); ++f)
            out->offset[r * KF__MAX_FIELDS + (uint32_t)f] =
                kf__low_scratch(L, n, kf__field_type(L, st->reds[r], f));
    return true;
}

void kf__put_parts(kf__low *L, kf__states *st, const kf__parts *parts) {
    const kf__lx *u = kf__l_var(L, "u");
    if (st->count)
        kf__put_call(L, kf__l_call(L, "kf_store_i64", KF__I64, part_count(L, parts, st), u,
                                   st->count));
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, st->reds[r]); ++f)
            kf__put_call(L, kf__l_call(L, "kf_store_T", kf__field_type(L, st->reds[r], f),
                                       part(L, parts, st, r, f), u, st->field[r][f]));
}

void kf__combine_parts(kf__low *L, kf__states *st, const kf__parts *parts, uint32_t stage,
                       const kf__lx *first, const kf__lx *chunks) {
    kf__loop_states(L, st, stage);
    kf__open_for(L, "int64_t", "c", kf__l_var(L, "tid"), chunks, kf__l_int(L, KF__LOOP_THREADS),
                 KF__SERIAL);
    const kf__lx *at =
        kf__put_let(L, "int64_t", "at", kf__l_bin(L, "+", first, kf__l_var(L, "c")), NULL);
    const kf__lx *nq = NULL;
    if (st->count)
        nq = kf__put_let(L, "int64_t", "nq",
                         kf__l_call(L, "kf_load_i64", KF__I64, part_count(L, parts, st), at), NULL);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        kf__fields_of q;
        for (int f = 0; f < kf__fields(L, st->reds[r]); ++f) {
            kf__dtype type = kf__field_type(L, st->reds[r], f);
            q[f] =
                kf__put_let(L, kf__ctype(type), kf__field_name(L, "q", st->reds[r], f),
                            kf__l_call(L, "kf_load_T", type, part(L, parts, st, r, f), at), NULL);
        }
        const kf__lx *np = st->count ? kf__count_as(L, st->reds[r], st->count) : NULL;
        kf__put_merge(L, st->reds[r], st->field[r], q, np,
                      nq ? kf__count_as(L, st->reds[r], nq) : NULL);
    }
    if (nq) kf__put_set(L, st->count, kf__l_bin(L, "+", st->count, nq));
    kf__close(L);
    kf__cuda_merge_lanes(L, st, kf__l_int(L, 16));
    kf__cuda_merge_warps(L, st, KF__LOOP_THREADS, stage);
}

static void put_finish(kf__low *L, const kf__states *st, const kf__lx *total) {
    kf__loop_project(L, st, total);
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
}

/* row, from and to of block u, from its number. */
static void put_chunk(kf__low *L, const kf__lx *u, const kf__lx *chunks, int64_t chunk,
                      int64_t packs, const kf__lx **from, const kf__lx **to) {
    const kf__lx *size = kf__word_int(L, "chunk", chunk),
                 *all = kf__word_int(L, "all_packs", packs);
    kf__put_decode(L, false, false,
                   kf__put_let(L, "int64_t", "row", kf__l_bin(L, "/", u, chunks), NULL));
    *from = kf__put_let(L, "int64_t", "from",
                        kf__l_bin(L, "*", kf__l_bin(L, "%", u, chunks), size), NULL);
    *to = kf__put_let(L, "int64_t", "to",
                      kf__l_call(L, "kf_min_i64", KF__I64, all, kf__l_bin(L, "+", *from, size)),
                      NULL);
}

void kf__cuda_reduce(kf__low *L) {
    kf__loop lp = {0};
    kf__parts parts = {0};
    kf__loop_begin(L, &lp, "", "A block reduces a chunk of a row; of one chunk, finished here.");
    if (!kf__loop_prepare(L, &lp, 0)) {
        L->failed = true;
        return;
    }
    int64_t rows = kf__low_extent(L, false), packs = kf__loop_packs(L, lp.tile.W);
    int64_t chunk = kf__loop_chunk(packs), n_chunks = kf__max(1, kf__ceil_div(packs, chunk));
    L->fn->grid = rows * n_chunks;
    const kf__lx *total = kf__word_int(L, "reduced", kf__low_extent(L, true)), *from, *to;
    const kf__lx *chunks = kf__word_int(L, "chunks", n_chunks);
    put_chunk(L, kf__loop_block(L), chunks, chunk, packs, &from, &to);
    kf__put_rows(L, 0);
    kf__loop_stage(L, &lp, 0, from, to);
    if (!kf__parts_make(L, &lp.states, n_chunks > 1 ? rows * n_chunks : 0, &parts)) return;
    const kf__lx *first = kf__l_bin(L, "==", kf__l_var(L, "tid"), kf__l_int(L, 0));
    kf__open_if(L, first);
    kf__open_if(L, kf__l_bin(L, "==", chunks, kf__l_int(L, 1)));
    put_finish(L, &lp.states, total);
    kf__open_else(L);
    kf__put_parts(L, &lp.states, &parts);
    kf__close(L);
    kf__close(L);

    kf__loop_begin(L, &lp, "_merge", "Merges the chunks of each row.");
    kf__loop_prepare(L, &lp, 0);
    L->fn->grid = n_chunks > 1 ? rows : 0;
    total = kf__word_int(L, "reduced", kf__low_extent(L, true));
    chunks = kf__word_int(L, "chunks", n_chunks);
    const kf__lx *u = kf__loop_block(L);
    kf__put_decode(L, false, false, u);
    kf__put_rows(L, 0);
    kf__combine_parts(L, &lp.states, &parts, 0, kf__l_bin(L, "*", u, chunks), chunks);
    kf__open_if(L, first);
    put_finish(L, &lp.states, total);
    kf__close(L);
}

/* ---------------------------------------------------------------- rows over several launches */

/* What earlier launches found of the row, each block for itself. */
static void put_earlier(kf__low *L, kf__loop *lp, const kf__parts *parts, uint32_t stage,
                        const kf__lx *row, const kf__lx *chunks, const kf__lx *total) {
    kf__put_rows(L, 0);
    for (uint32_t s = 0; s < stage; ++s) {
        if (kf__loop_prepare(L, lp, s) && lp->states.n_reds) {
            kf__combine_parts(L, &lp->states, &parts[s], s, kf__l_bin(L, "*", row, chunks), chunks);
            kf__loop_project(L, &lp->states, total);
        }
        kf__put_rows(L, s + 1);
    }
}

/* One launch a stage: it takes what the stages before left, works on a chunk of a row a block, and
 * leaves partial states. The last one writes the row's results. */
void kf__cuda_split(kf__low *L) {
    kf__loop lp = {0};
    kf__parts *parts = KF__NEW(L->arena, kf__parts, L->k->n_stages + 1);
    int width = kf__cuda_width(L);
    int64_t rows = kf__low_extent(L, false), packs = kf__loop_packs(L, width);
    int64_t chunk = kf__loop_chunk(packs), n_chunks = kf__max(1, kf__ceil_div(packs, chunk));
    for (uint32_t s = 0; parts && s < L->k->n_stages; ++s) {
        if (!kf__loop_prepare(L, &lp, s)) continue;
        bool last = !kf__low_later(L, s + 1) && !lp.phase.n_reds;
        kf__loop_begin(L, &lp, kf__l_name(L, "_%u", (unsigned)s), "One stage of rows, in chunks.");
        L->fn->grid = rows * n_chunks;
        const kf__lx *total = kf__word_int(L, "reduced", kf__low_extent(L, true)), *from, *to;
        const kf__lx *chunks = kf__word_int(L, "chunks", n_chunks), *u = kf__loop_block(L);
        put_chunk(L, u, chunks, chunk, packs, &from, &to);
        put_earlier(L, &lp, parts, s, kf__l_var(L, "row"), chunks, total);
        kf__loop_prepare(L, &lp, s);
        kf__loop_stage(L, &lp, s, from, to);
        const kf__lx *first = kf__l_bin(L, "==", kf__l_var(L, "tid"), kf__l_int(L, 0));
        if (lp.states.n_reds) {
            if (!kf__parts_make(L, &lp.states, rows * n_chunks, &parts[s])) return;
            kf__open_if(L, first);
            kf__put_parts(L, &lp.states, &parts[s]);
            kf__close(L);
        } else if (last && kf__has_row_stores(L)) {
            kf__open_if(L, kf__l_bin(L, "&&", first, kf__l_bin(L, "==", from, kf__l_int(L, 0))));
            kf__put_row_stores(L);
            kf__close(L);
        }
        if (last) return;
    }
    if (!parts) {
        L->failed = true;
        return;
    }
    kf__loop_begin(L, &lp, "_merge", "Merges the chunks of each row.");
    L->fn->grid = rows;
    const kf__lx *total = kf__word_int(L, "reduced", kf__low_extent(L, true));
    const kf__lx *chunks = kf__word_int(L, "chunks", n_chunks), *u = kf__loop_block(L);
    kf__put_decode(L, false, false, u);
    put_earlier(L, &lp, parts, L->k->n_stages, u, chunks, total);
    kf__open_if(L, kf__l_bin(L, "==", kf__l_var(L, "tid"), kf__l_int(L, 0)));
    kf__put_row_stores(L);
    kf__close(L);
}
