/* Rows that don't fit in registers: a block loops over packs, threads keep running states. */
#include "lower/cuda_loop.h"

void kf__loop_head(kf__low *L, kf__tile *t, const kf__lx *s) {
    const kf__lx *q = kf__put_let(L, "int64_t", "q",
                                  kf__l_bin(L, "+", t->base, kf__l_bin(L, "*", s, t->step)), NULL);
    const kf__lx *width = kf__l_int(L, t->W), *size = kf__word_size(L, kf__last(L));
    int reduced = kf__low_reduced_axes(L);
    const kf__lx *in_line = q;
    if (reduced > 1) {
        const kf__lx *packs = kf__l_var(L, "packs");
        const char *type = kf__index_type(L);
        /* Past the end: the last pack there is, so that addresses stay inside. */
        const kf__lx *safe = kf__put_let(
            L, type, "safe",
            kf__l_call(L, "kf_min_i64", KF__I64, q,
                       kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0),
                                  kf__l_bin(L, "-", t->end, kf__l_int(L, 1)))), NULL);
        kf__put_let(L, type, "line", kf__l_bin(L, "/", safe, packs), NULL);
        kf__put_decode(L, true, true, kf__l_var(L, "line"));
        in_line = kf__wide_index(L, kf__l_bin(L, "%", safe, packs));
    }
    t->j = kf__put_let(L, "int64_t", "j", kf__l_bin(L, "*", in_line, width), NULL);
    if (reduced > 1)
        t->index = kf__put_let(L, "int64_t", "index",
                               kf__l_bin(L, "+",
                                         kf__l_bin(L, "*", kf__wide_index(L, kf__l_var(L, "line")),
                                                   size),
                                         t->j), NULL);
    const kf__lx *left =
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, t->j), width);
    t->left = kf__put_let(
        L, "int", "left",
        kf__l_select(L, kf__l_bin(L, "<", q, t->end), left, kf__l_int(L, 0)), NULL);
}

void kf__loop_put_packs(kf__low *L, const kf__tile *t) {
    const kf__lx *size = kf__word_size(L, kf__last(L)), *width = kf__l_int(L, t->W);
    const kf__lx *up = kf__l_bin(L, "+", size, kf__l_int(L, t->W - 1));
    kf__put_let(L, kf__index_type(L), "packs", kf__l_bin(L, "/", up, width), "of a line");
}

int64_t kf__loop_packs(const kf__low *L, int width) {
    int64_t n = kf__ceil_div(L->axes[kf__last(L)].size, width);
    for (int m = 0; m < kf__last(L); ++m)
        if (L->axes[m].reduced) n *= L->axes[m].size;
    return n;
}

bool kf__loop_prepare(kf__low *L, kf__loop *lp, uint32_t stage) {
    size_t n = L->k->n_instrs + 1;
    lp->reds = KF__NEW(L->arena, uint16_t, n);
    lp->stores = KF__NEW(L->arena, uint16_t, 64);
    lp->phase = (kf__phase){0};
    lp->phase.acc = (kf__fields_of *)KF__NEW(L->arena, const kf__lx *, KF__MAX_FIELDS * n);
    lp->states = (kf__states){0};
    lp->states.field = (kf__fields_of *)KF__NEW(L->arena, const kf__lx *, KF__MAX_FIELDS * n);
    if (!lp->reds || !lp->stores || !lp->phase.acc || !lp->states.field) {
        L->failed = true;
        return false;
    }
    lp->phase.reds = lp->states.reds = lp->reds;
    lp->phase.stores = lp->stores;
    lp->phase.n_reds = lp->states.n_reds = kf__low_reductions(L, stage, lp->reds);
    lp->phase.n_stores = kf__low_stores(L, stage, lp->stores);
    return lp->phase.n_reds || lp->phase.n_stores;
}

void kf__loop_states(kf__low *L, kf__states *st, uint32_t stage) {
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, st->reds[r]); ++f)
            st->field[r][f] = kf__put_var(L, kf__ctype(kf__field_type(L, st->reds[r], f)),
                                          kf__field_name(L, "state", st->reds[r], f), 0,
                                          kf__identity(L, st->reds[r], f));
    if (kf__cuda_counts(L, st->reds, st->n_reds))
        st->count = kf__put_var(L, "int64_t", kf__l_name(L, "count%u", (unsigned)stage), 0,
                                kf__l_int(L, 0));
}

static void put_fields(kf__low *L, kf__loop *lp, uint32_t stage) {
    kf__phase *p = &lp->phase;
    const kf__lx *held = lp->states.count ? kf__cuda_count(L, &lp->tile, "held") : NULL;
    for (int f = 0; f < KF__MAX_FIELDS; ++f) {
        for (uint32_t r = 0; r < p->n_reds; ++r) {
            if (kf__fields(L, p->reds[r]) <= f) continue;
            if (kf__is_simple(L, p->reds[r])) {
                p->acc[r][f] = lp->states.field[r][f];
                continue;
            }
            p->acc[r][f] = kf__put_var(L, kf__ctype(kf__field_type(L, p->reds[r], f)),
                                       kf__field_name(L, "tile", p->reds[r], f), 0,
                                       kf__identity(L, p->reds[r], f));
        }
        if (f == 0)
            kf__cuda_phase(L, &lp->tile, p, stage, true);
        else
            kf__cuda_field(L, &lp->tile, p, f, p->acc);
        for (uint32_t r = 0; r < p->n_reds; ++r) {
            if (kf__fields(L, p->reds[r]) <= f || kf__is_simple(L, p->reds[r])) continue;
            const kf__lx *acc = p->acc[r][f];
            const kf__lx *closed = kf__close_of(L, p->reds[r], f, acc, p->acc[r][0],
                                                kf__count_as(L, p->reds[r], held), NULL);
            if (closed != acc) kf__put_set(L, acc, closed);
        }
    }
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (!kf__is_simple(L, p->reds[r]))
            kf__put_merge(L, p->reds[r], lp->states.field[r], p->acc[r],
                          kf__count_as(L, p->reds[r], lp->states.count),
                          kf__count_as(L, p->reds[r], held));
    if (held) kf__put_set(L, lp->states.count, kf__l_bin(L, "+", lp->states.count, held));
}

void kf__loop_stage(kf__low *L, kf__loop *lp, uint32_t stage, const kf__lx *from,
                    const kf__lx *to) {
    kf__loop_states(L, &lp->states, stage);
    int64_t tile = (int64_t)KF__LOOP_THREADS * lp->tile.V;
    kf__open_for(L, "int64_t", "q0", from, to, kf__l_int(L, tile), KF__SERIAL);
    lp->tile.base = kf__l_bin(L, "+", kf__l_var(L, "q0"), kf__l_var(L, "tid"));
    lp->tile.step = kf__l_int(L, KF__LOOP_THREADS);
    lp->tile.end = to;
    put_fields(L, lp, stage);
    kf__close(L);
    kf__forget(L, KF__LEVEL_FULL);
    if (!lp->states.n_reds) return;
    kf__cuda_merge_lanes(L, &lp->states, kf__l_int(L, 16));
    kf__cuda_merge_warps(L, &lp->states, KF__LOOP_THREADS, stage);
}

void kf__loop_project(kf__low *L, const kf__states *st, const kf__lx *total) {
    for (uint32_t r = 0; r < st->n_reds; ++r)
        kf__put_project(L, st->reds[r], st->field[r], total);
}

void kf__loop_begin(kf__low *L, kf__loop *lp, const char *suffix, const char *doc) {
    kf__low_begin(L, suffix, doc);
    L->fn->threads = KF__LOOP_THREADS;
    lp->tile.W = kf__cuda_width(L);
    lp->tile.V = KF__LOOP_PACKS;
    int loads = kf__cuda_n_loads(L);
    while (lp->tile.V > 1 && lp->tile.V * lp->tile.W * loads > KF__LOOP_ELEMENTS) lp->tile.V /= 2;
    L->small = L->affine && kf__low_extent(L, false) < INT32_MAX &&
               L->axes[kf__last(L)].size < INT32_MAX && kf__loop_packs(L, lp->tile.W) < INT32_MAX;
    lp->tile.vec = kf__cuda_wide(L, lp->tile.W);
    lp->tile.head = kf__loop_head;
    kf__loop_put_packs(L, &lp->tile);
    kf__put_scalars(L);
    kf__thread_id(L);
}

const kf__lx *kf__loop_block(kf__low *L) {
    return kf__put_let(L, "int64_t", "u", kf__l_callv(L, "kf_block", KF__I64, 0, NULL), NULL);
}

int64_t kf__loop_chunk(int64_t packs) {
    int64_t tile = (int64_t)KF__LOOP_THREADS * KF__LOOP_PACKS;
    if (packs <= KF__ONE_CHUNK) return KF__ONE_CHUNK;
    return kf__ceil_div(kf__ceil_div(packs, KF__MOST_CHUNKS), tile) * tile;
}

void kf__cuda_loops(kf__low *L) {
    kf__loop lp = {0};
    kf__loop_begin(L, &lp, "", "A block loops over one row, once for each stage.");
    L->fn->grid = kf__low_extent(L, false);
    const kf__lx *total = kf__word_int(L, "reduced", kf__low_extent(L, true));
    const kf__lx *end = kf__word_int(L, "all_packs", kf__loop_packs(L, lp.tile.W));
    kf__put_decode(L, false, false, kf__loop_block(L));
    kf__put_rows(L, 0);
    for (uint32_t s = 0; s < L->k->n_stages; ++s) {
        if (kf__loop_prepare(L, &lp, s)) {
            kf__loop_stage(L, &lp, s, kf__l_int(L, 0), end);
            kf__loop_project(L, &lp.states, total);
        }
        kf__put_rows(L, s + 1);
    }
    if (!kf__has_row_stores(L)) return;
    kf__open_if(L, kf__l_bin(L, "==", kf__l_var(L, "tid"), kf__l_int(L, 0)));
    kf__put_row_stores(L);
    kf__close(L);
}
