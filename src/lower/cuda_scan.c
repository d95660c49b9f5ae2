/* Cumulative kernels on CUDA.
 *
 * Along the innermost axis a warp goes through a chunk of a row, a pack a lane at a time:
 *
 *     lane            0              1        ...       pack   x0 x1 x2 x3
 *     in the pack     0 1 2 3        4 5 6 7             x0, x0 + x1, x0 + x1 + x2, ...
 *     before it       nothing        0 1 2 3             by a butterfly over the lanes' sums
 *     before the tile what the tiles to the left left, the same on all lanes
 *
 * What follows needs its elements, so that a stage ends behind each. Along another axis a thread
 * goes through a chunk of a column, row by row. */
#include "lower/cuda.h"

enum {
    KF__SCAN_THREADS = 128, /* of a block: four chunks of rows */
    KF__SCAN_COLUMNS = 128, /* of a block: so many columns */
};

typedef struct scan {
    kf__scans *all;
    kf__tile tile;
    uint16_t *reds, stores[64];
    kf__phase phase;
    bool rows;
} scan;

/* SCANs and stores of a stage; false: there are none. */
static bool find_stage(kf__low *L, scan *s, uint32_t stage) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->all->n; ++k) {
        uint16_t i = s->all->instrs[k];
        if (L->k->instrs[L->k->instrs[i].args[0]].stage == stage) s->reds[n++] = i;
    }
    s->phase.reds = s->reds, s->phase.n_reds = n, s->phase.runs = true;
    s->phase.stores = s->stores, s->phase.n_stores = kf__low_stores(L, stage, s->stores);
    return n || s->phase.n_stores;
}

static const char *name_of(kf__low *L, const char *what, uint32_t i) {
    return kf__field_name(L, what, i, 0);
}

/* What is before each lane's pack is put in front of its folds, and the tile's into the state. */
static void put_before(kf__low *L, scan *s, uint32_t i, const kf__lx *total) {
    kf__dtype type = L->k->instrs[i].dtype;
    const char *ctype = kf__ctype(type);
    const kf__lx *lane = kf__l_var(L, "lane"), *state = L->running[i];
    type = kf__compute(type);
    const kf__lx *before =
        kf__put_var(L, ctype, name_of(L, "before", i), 0, kf__identity(L, i, 0));
    const kf__lx *one = kf__l_int(L, 1);
    kf__open_for(L, "int", "d", kf__l_int(L, 0), kf__l_int(L, 5), one, KF__UNROLL);
    const kf__lx *m = kf__put_let(L, "int", "m", kf__l_bin(L, "<<", one, kf__l_var(L, "d")), NULL);
    const kf__lx *other = kf__put_let(L, ctype, name_of(L, "other", i),
                                      kf__l_call(L, "kf_shfl_xor_T", type, total, m), NULL);
    kf__open_if(L, kf__l_bin(L, "&", lane, m));
    kf__put_set(L, before, kf__fold_of(L, i, 0, other, before));
    kf__put_set(L, total, kf__fold_of(L, i, 0, other, total));
    kf__open_else(L);
    kf__put_set(L, total, kf__fold_of(L, i, 0, total, other));
    kf__close(L);
    kf__close(L);
    kf__put_set(L, before, kf__fold_of(L, i, 0, state, before));
    const kf__lx *e = kf__cuda_open_elements(L, &s->tile);
    const kf__lx *item = kf__l_item(L, L->value[i]->name,
                                    kf__cuda_slot(L, &s->tile, kf__l_int(L, 0), e));
    kf__put_set(L, item, kf__fold_of(L, i, 0, before, item));
    kf__close(L);
    kf__put_set(L, state, kf__fold_of(L, i, 0, state, total));
}

static void put_stages(kf__low *L, scan *s) {
    for (uint32_t stage = 0; stage < L->k->n_stages; ++stage) {
        if (!find_stage(L, s, stage)) continue;
        for (uint32_t r = 0; r < s->phase.n_reds; ++r) {
            uint32_t i = s->reds[r];
            s->phase.acc[r][0] =
                !s->rows ? L->running[i]
                         : kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), name_of(L, "tile", i),
                                       0, kf__identity(L, i, 0));
        }
        kf__cuda_phase(L, &s->tile, &s->phase, stage, s->rows);
        for (uint32_t r = 0; s->rows && r < s->phase.n_reds; ++r)
            put_before(L, s, s->reds[r], s->phase.acc[r][0]);
    }
    kf__forget(L, KF__LEVEL_FULL);
}

/* ---------------------------------------------------------------- along the innermost axis */

static void head_row(kf__low *L, kf__tile *t, const kf__lx *s) {
    (void)s;
    const kf__lx *width = kf__l_int(L, t->W);
    t->j = kf__put_let(L, "int64_t", "j", kf__l_bin(L, "*", t->base, width), NULL);
    const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", t->end, t->j),
                                    width);
    t->left = kf__put_let(L, "int", "left",
                          kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0), left), NULL);
}

static const kf__lx *thread_of_all(kf__low *L, int threads) {
    const kf__lx *block = kf__l_callv(L, "kf_block", KF__I64, 0, NULL);
    return kf__l_bin(L, "+", kf__l_bin(L, "*", block, kf__l_int(L, threads)),
                     kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
}

static void put_rows(kf__low *L, scan *s) {
    int64_t units = kf__low_extent(L, false) * s->all->chunks;
    const kf__lx *lanes = kf__l_int(L, 32), *width;
    s->tile = (kf__tile){.V = 1, .W = kf__cuda_width(L), .head = head_row};
    s->tile.vec = kf__cuda_wide(L, s->tile.W);
    width = kf__l_int(L, s->tile.W);
    kf__low_begin(L, "", "A warp goes through a chunk of a row, 32 packs at a time.");
    L->fn->threads = KF__SCAN_THREADS;
    L->fn->grid = kf__ceil_div(units, KF__SCAN_THREADS / 32);
    const kf__lx *t = kf__put_let(L, "int64_t", "t", thread_of_all(L, KF__SCAN_THREADS), NULL);
    const kf__lx *u = kf__put_let(L, "int64_t", "u", kf__l_bin(L, "/", t, lanes), NULL);
    const kf__lx *lane = kf__put_let(L, "int", "lane", kf__l_bin(L, "%", t, lanes), NULL);
    kf__open_if(L, kf__l_bin(L, "<", u, kf__word_int(L, "units", units)));
    kf__put_scalars(L);
    kf__put_decode(L, false, false, kf__put_scan_unit(L, s->all, u));
    kf__put_rows(L, 0);
    kf__put_running(L, s->all, 0, NULL);
    const kf__lx *from = kf__l_bin(L, "/", s->all->from, width);
    const kf__lx *to = kf__l_bin(
        L, "/", kf__l_bin(L, "+", s->all->to, kf__l_int(L, s->tile.W - 1)), width);
    kf__open_for(L, "int64_t", "q0", from, to, lanes, KF__SERIAL);
    s->tile.base = kf__l_bin(L, "+", kf__l_var(L, "q0"), lane);
    s->tile.step = lanes;
    s->tile.end = s->all->to;
    put_stages(L, s);
    kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- along another one */

static void head_column(kf__low *L, kf__tile *t, const kf__lx *s) {
    (void)L;
    (void)t;
    (void)s;
}

static void put_columns(kf__low *L, scan *s) {
    int64_t units = kf__low_extent(L, false) * s->all->chunks;
    s->rows = false;
    s->tile = (kf__tile){.V = 1, .W = 1, .head = head_column, .inside = true};
    kf__low_begin(L, "", "A thread goes through a chunk of a column, row by row.");
    L->fn->threads = KF__SCAN_COLUMNS;
    L->fn->grid = kf__ceil_div(units, KF__SCAN_COLUMNS);
    const kf__lx *t = kf__put_let(L, "int64_t", "t", thread_of_all(L, KF__SCAN_COLUMNS), NULL);
    const kf__lx *n = kf__word_size(L, kf__last(L)), *one = kf__l_int(L, 1);
    kf__open_if(L, kf__l_bin(L, "<", t, kf__word_int(L, "units", units)));
    kf__put_scalars(L);
    const kf__lx *line = kf__put_let(L, "int64_t", "line", kf__l_bin(L, "/", t, n), NULL);
    s->tile.j = kf__put_let(L, "int64_t", "j", kf__l_bin(L, "%", t, n), NULL);
    s->tile.left = kf__put_let(L, "int", "left", one, NULL);
    kf__put_decode(L, false, true, kf__put_scan_unit(L, s->all, line));
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__low_of_chunk(L, i)) continue;
        const kf__lx *at = kf__low_offset(L, in->access, s->tile.j);
        const kf__lx *load =
            kf__low_load(L, in->access, kf__l_var(L, kf__word_operand(L, in->access)), at);
        L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                                  load, NULL);
    }
    kf__put_running(L, s->all, 0, NULL);
    kf__open_for(L, "int64_t", "r", s->all->from, s->all->to, one, KF__SERIAL);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    put_stages(L, s);
    kf__close(L);
    kf__close(L);
}

void kf__cuda_scan(kf__low *L, kf__scans *all) {
    scan s = {.all = all, .rows = all->axis == kf__last(L)};
    size_t n = L->k->n_instrs + 1;
    s.reds = KF__NEW(L->arena, uint16_t, n);
    s.phase.acc = (kf__fields_of *)KF__NEW(L->arena, const kf__lx *, KF__MAX_FIELDS * n);
    if (!s.reds || !s.phase.acc) {
        L->failed = true;
        return;
    }
    L->small = false;
    L->rows_inside = !s.rows;
    if (s.rows) put_rows(L, &s);
    else put_columns(L, &s);
}
