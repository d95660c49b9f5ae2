/* Cumulative kernels on CUDA.
 *
 * Along the innermost axis a warp goes through a chunk of a row, a pack a lane at a time:
 *
 *     lane            0              1        ...       pack   x0 x1 x2 x3
 *     in the pack     0 1 2 3        4 5 6 7             x0, x0 + x1, x0 + x1 + x2, ...
 *     before it       nothing        0 1 2 3             by a butterfly over the lanes' sums
 *     before the tile what the tiles to the left left, the same on all lanes
 *
 * What follows needs its elements, so that a stage ends behind each. Short rows have fewer lanes. A
 * long row without chunks, what is before those of another one, has a block: what each warp has
 * folded goes through shared memory, and a butterfly over the warps gives what is before each.
 * Along another axis, of up to 16 elements, a thread has a column. Of more elements a block has a
 * chunk of 32 columns. Each of its eight warps has eight rows, all in flight, whose folds the others
 * read from shared memory: a single thread to a column would wait for memory, and for functions,
 * eight times as long as one that has eight rows. */
#include "lower/cuda.h"

enum {
    KF__SCAN_THREADS = 128, /* of a block: four chunks of rows */
    KF__SCAN_COLUMNS = 32,  /* of a block */
    KF__SCAN_DOWN = 8,      /* threads of a column */
    KF__SCAN_ROWS = 8,      /* of a thread, whose loads are in flight together */
    KF__SCAN_TALL = KF__SCAN_DOWN * KF__SCAN_ROWS, /* of a block at a time */
    KF__SCAN_FEW = 16,      /* rows at most that a single thread has, */
    KF__SCAN_FEW_ROWS = 4,  /* so many in flight */
    KF__SCAN_PACK = 4,      /* elements of a pack at least: fewer butterflies */
    KF__SCAN_TILES = 4,     /* of a long chunk, whose loads are in flight together */
    KF__SCAN_WARP_PACKS = 256, /* of a row without chunks, at most, that a single warp has, */
    KF__SCAN_PACKS = 1024,     /* and that a block of so many threads has, */
    KF__SCAN_ROW_THREADS = 256, /* else of four times as many */
};

typedef struct scan {
    kf__scans *all;
    kf__tile tile;
    uint16_t *reds, stores[64];
    kf__phase phase;
    int64_t units; /* chunks of rows or columns */
    bool rows, few;
    int lanes;    /* of a row; more than 32: a block's threads */
    bool striped; /* of several tiles in flight each lane has a pack; else packs side by side */
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

/* n folds from `slot` on, behind what is `before` them. */
static void put_in_front(kf__low *L, uint32_t i, const kf__lx *before, const kf__lx *slot, int n) {
    kf__open_for(L, "int", "k", kf__l_int(L, 0), kf__l_int(L, n), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *k = kf__l_bin(L, "+", slot, kf__l_var(L, "k"));
    const kf__lx *item = kf__l_item(L, L->value[i]->name, k);
    kf__put_set(L, item, kf__fold_of(L, i, 0, before, item));
    kf__close(L);
}

/* The same, behind the state and what is `before` them in the tile; and the state behind the tile's
 * total. */
static void put_behind(kf__low *L, uint32_t i, const kf__lx *before, const kf__lx *total,
                       const kf__lx *slot, int n) {
    const kf__lx *state = L->running[i];
    kf__put_set(L, before, kf__fold_of(L, i, 0, state, before));
    put_in_front(L, i, before, slot, n);
    kf__put_set(L, state, kf__fold_of(L, i, 0, state, total));
}

/* A variable: what the totals of a lane's neighbours to the left are folded to, of so many lanes;
 * all have these lanes' total then. */
static const kf__lx *put_butterfly(kf__low *L, uint32_t i, const char *name, const kf__lx *total,
                                   int lanes) {
    kf__dtype type = L->k->instrs[i].dtype;
    const char *ctype = kf__ctype(type);
    const kf__lx *lane = kf__l_var(L, "lane");
    type = kf__compute(type);
    const kf__lx *before = kf__put_var(L, ctype, name_of(L, name, i), 0, kf__identity(L, i, 0));
    const kf__lx *one = kf__l_int(L, 1), *steps = kf__l_int(L, kf__log2_up(lanes));
    kf__open_for(L, "int", "d", kf__l_int(L, 0), steps, one, KF__UNROLL);
    const kf__lx *m = kf__put_let(L, "int", "m", kf__l_bin(L, "<<", one, kf__l_var(L, "d")), NULL);
    const kf__lx *other = kf__put_let(L, ctype, name_of(L, "other", i),
                                      kf__l_call(L, "kf_shfl_xor_T", type, total, m), NULL);
    kf__put_set(L, before, kf__l_select(L, kf__l_bin(L, "&", lane, m),
                                        kf__fold_of(L, i, 0, other, before), before));
    kf__put_set(L, total, kf__fold_of(L, i, 0, total, other));
    kf__close(L);
    return before;
}

/* A block's warps: what all those to the left have goes in front of `before`, and all warps' total
 * into `total`. Lane k has what warp k has, or, where these are fewer, one lane in as many. */
static void put_warps(kf__low *L, const scan *s, uint32_t i, const kf__lx *before,
                      const kf__lx *total) {
    kf__dtype type = kf__compute(L->k->instrs[i].dtype);
    const char *ctype = kf__ctype(L->k->instrs[i].dtype);
    const kf__lx *lane = kf__l_var(L, "lane"), *folds = kf__l_var(L, name_of(L, "folds", i));
    const kf__lx *in_warp = kf__l_bin(L, "&", lane, kf__l_int(L, 31));
    const kf__lx *warp = kf__l_bin(L, ">>", lane, kf__l_int(L, 5));
    kf__open_if(L, kf__l_bin(L, "==", in_warp, kf__l_int(L, 0)));
    kf__put_call(L, kf__l_call(L, "kf_shared_put_T", type, folds, warp, total));
    kf__close(L);
    kf__cuda_put_barrier(L);
    const kf__lx *at = kf__l_bin(L, "&", lane, kf__l_int(L, s->lanes / 32 - 1));
    kf__put_set(L, total, kf__l_call(L, "kf_shared_get_T", type, folds, at));
    kf__cuda_put_barrier(L); /* the next tile's are written there */
    const kf__lx *left = put_butterfly(L, i, "left", total, s->lanes / 32);
    left = kf__put_let(L, ctype, name_of(L, "above", i),
                       kf__l_call(L, "kf_shfl_T", type, left, warp), NULL);
    kf__put_set(L, before, kf__fold_of(L, i, 0, left, before));
}

/* What is before each lane's packs is put in front of their folds, and the tile's into the state.
 * slot: of the first fold; n: how many. */
static void put_before(kf__low *L, scan *s, uint32_t i, const kf__lx *total, const kf__lx *slot,
                       int n) {
    const kf__lx *before = put_butterfly(L, i, "before", total, s->lanes < 32 ? s->lanes : 32);
    if (s->lanes > 32) put_warps(L, s, i, before, total);
    put_behind(L, i, before, total, slot, n);
}

/* Of several tiles one after the other: their folds are made side by side, but for the state. */
static void put_tiles(kf__low *L, scan *s, uint32_t i, const kf__lx *total) {
    const kf__lx *width = kf__l_int(L, s->tile.W), *one = kf__l_int(L, 1), *zero = kf__l_int(L, 0);
    if (!s->striped) {
        put_before(L, s, i, total, zero, s->tile.V * s->tile.W);
        return;
    }
    kf__open_for(L, "int", "s", zero, kf__l_int(L, s->tile.V), one, KF__UNROLL);
    const kf__lx *tile = kf__l_var(L, "s");
    kf__open_if(L, kf__cuda_is_held(L, &s->tile, tile));
    put_before(L, s, i, kf__l_item(L, total->name, tile), kf__l_bin(L, "*", tile, width),
               s->tile.W);
    kf__close(L);
    kf__close(L);
}

/* Is a chunk of columns one tile? Then there is no state before or behind it. */
static bool is_single(const scan *s) {
    return !s->few && s->all->chunk && s->all->chunk <= KF__SCAN_TALL;
}

/* The same of columns: the folds of the threads above one another. */
static void put_down(kf__low *L, const scan *s, uint32_t i, const kf__lx *fold) {
    kf__dtype type = kf__compute(L->k->instrs[i].dtype);
    const char *ctype = kf__ctype(L->k->instrs[i].dtype), *get = "kf_shared_get_T";
    if (s->few) { /* before its rows is what it had */
        put_in_front(L, i, L->running[i], kf__l_int(L, 0), s->tile.V);
        kf__put_set(L, L->running[i], kf__fold_of(L, i, 0, L->running[i], fold));
        return;
    }
    const kf__lx *down = kf__l_var(L, "down"), *d = kf__l_var(L, "d"), *zero = kf__l_int(L, 0);
    const kf__lx *folds = kf__l_var(L, name_of(L, "folds", i));
    kf__put_call(L, kf__l_call(L, "kf_shared_put_T", type, folds, kf__l_var(L, "tid"), fold));
    kf__cuda_put_barrier(L);
    const kf__lx *none = kf__identity(L, i, 0);
    const kf__lx *before = kf__put_var(L, ctype, name_of(L, "before", i), 0, none);
    const kf__lx *total =
        is_single(s) ? NULL : kf__put_var(L, ctype, name_of(L, "total", i), 0, none);
    kf__open_for(L, "int", "d", zero, kf__l_int(L, KF__SCAN_DOWN), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *at = kf__l_bin(L, "*", d, kf__l_int(L, KF__SCAN_COLUMNS));
    at = kf__l_bin(L, "+", at, kf__l_var(L, "across"));
    const kf__lx *other = kf__put_let(L, ctype, name_of(L, "other", i),
                                      kf__l_call(L, get, type, folds, at), NULL);
    kf__put_set(L, before, kf__l_select(L, kf__l_bin(L, "<", d, down),
                                        kf__fold_of(L, i, 0, before, other), before));
    if (total) kf__put_set(L, total, kf__fold_of(L, i, 0, total, other));
    kf__close(L);
    if (!total) {
        put_in_front(L, i, before, zero, KF__SCAN_ROWS);
        return;
    }
    kf__cuda_put_barrier(L); /* the next tile's are written there */
    put_behind(L, i, before, total, zero, KF__SCAN_ROWS);
}

static void put_totals(kf__low *L, scan *s, uint32_t r) {
    uint32_t i = s->reds[r];
    const char *type = kf__ctype(L->k->instrs[i].dtype), *name = name_of(L, "tile", i);
    const kf__lx *none = kf__identity(L, i, 0);
    if (!s->striped) {
        s->phase.acc[r][0] = kf__put_var(L, type, name, 0, none);
        return;
    }
    s->phase.acc[r][0] = kf__put_var(L, type, name, s->tile.V, NULL);
    kf__open_for(L, "int", "s", kf__l_int(L, 0), kf__l_int(L, s->tile.V), kf__l_int(L, 1),
                 KF__UNROLL);
    kf__put_set(L, kf__l_item(L, name, kf__l_var(L, "s")), none);
    kf__close(L);
}

static void put_stages(kf__low *L, scan *s) {
    for (uint32_t stage = 0; stage < L->k->n_stages; ++stage) {
        if (!find_stage(L, s, stage)) continue;
        for (uint32_t r = 0; r < s->phase.n_reds; ++r) put_totals(L, s, r);
        kf__cuda_phase(L, &s->tile, &s->phase, stage, true);
        for (uint32_t r = 0; !s->rows && r < s->phase.n_reds; ++r)
            put_down(L, s, s->reds[r], s->phase.acc[r][0]);
        for (uint32_t r = 0; s->rows && s->lanes > 1 && r < s->phase.n_reds; ++r)
            put_tiles(L, s, s->reds[r], s->phase.acc[r][0]);
    }
    kf__forget(L, KF__LEVEL_FULL);
}

/* ---------------------------------------------------------------- along the innermost axis */

/* Of bytes beside floats not the packs of 32 bytes that other kernels have: where rows aren't
 * aligned, lanes would load elements 32 bytes from each other. */
static int width_of(const kf__low *L) {
    return kf__cuda_is_double(L) ? KF__SCAN_PACK : (int)kf__max(KF__SCAN_PACK, kf__cuda_width(L));
}

/* Lanes of a row, and packs of a lane in flight: by the packs that a chunk has. Of a long one
 * several tiles', or each would wait for memory. A row without chunks, what is before those of
 * another one, is waited for by all of a GPU: of 15,625 elements a warp would go through 16 tiles,
 * whose loads, under the guards of a pad, are waited for one by one. */
static void pick_lanes(const kf__low *L, scan *s) {
    int64_t size = L->axes[s->all->axis].size, chunk = s->all->chunk;
    int64_t packs = kf__ceil_div(chunk ? kf__min(size, chunk) : size, s->tile.W);
    s->lanes = packs <= 1 ? 1 : packs <= 8 ? 8 : 32;
    if (!chunk && packs > KF__SCAN_WARP_PACKS)
        s->lanes = KF__SCAN_ROW_THREADS * (packs <= KF__SCAN_PACKS ? 1 : 4);
    s->striped = chunk && packs > 128;
    s->tile.V = s->striped ? KF__SCAN_TILES : 1;
    s->phase.by_pack = s->striped;
}

/* Is all affine but what is read once for a chunk? */
static bool is_affine(const kf__low *L) {
    bool affine = true;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool placed = in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM ||
                      in->kind == KF__I_INDEX || in->kind == KF__I_INSIDE;
        affine = affine && (!placed || L->operands[in->access].affine || kf__low_of_chunk(L, i));
    }
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        affine = affine && L->operands[L->k->stores[s].access].affine;
    return affine;
}

/* Are places in a row ints? Else a row is long, or what isn't affine is multiplied, divided. */
static bool is_narrow(const kf__low *L) {
    return is_affine(L) && L->axes[kf__last(L)].size < INT32_MAX / 2;
}

static void head_row(kf__low *L, kf__tile *t, const kf__lx *s) {
    const kf__lx *width = kf__l_int(L, t->W), *packs = kf__l_int(L, t->V);
    const kf__lx *q = t->step ? kf__l_bin(L, "+", t->base, kf__l_bin(L, "*", s, t->step))
                              : kf__l_bin(L, "+", kf__l_bin(L, "*", t->base, packs), s);
    t->j = kf__put_let(L, t->far ? "int" : "int64_t", "j", kf__l_bin(L, "*", q, width), NULL);
    const kf__lx *left = kf__l_bin(L, "-", t->end, t->j);
    if (!t->far)
        left = kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0),
                          kf__l_call(L, "kf_min_i64", KF__I64, left, width));
    t->left = kf__put_let(L, "int", "left", left, NULL);
}

static const kf__lx *thread_of_all(kf__low *L, int threads) {
    const kf__lx *block = kf__l_callv(L, "kf_block", KF__I64, 0, NULL);
    return kf__l_bin(L, "+", kf__l_bin(L, "*", block, kf__l_int(L, threads)),
                     kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
}

/* 2 KB at most, and each has an operand. */
static void put_folds(kf__low *L, const scan *s, int n) {
    for (uint32_t k = 0; k < s->all->n; ++k) {
        uint32_t i = s->all->instrs[k];
        kf__put_shared(L, kf__ctype(L->k->instrs[i].dtype), name_of(L, "folds", i), n);
    }
}

/* The lanes of a warp stay together, also where its last rows don't exist: those have no elements.
 */
static void put_rows(kf__low *L, scan *s) {
    s->tile = (kf__tile){.W = width_of(L), .head = head_row};
    s->tile.vec = kf__cuda_wide(L, s->tile.W);
    pick_lanes(L, s);
    const kf__lx *lanes = kf__l_int(L, s->lanes), *one = kf__l_int(L, 1);
    kf__low_begin(L, "", s->lanes == 1    ? "A thread has a row, one pack."
                         : s->lanes == 8 ? "Eight lanes have a row, a pack each."
                         : s->lanes > 32 ? "A block goes through a row."
                                         : "A warp goes through a chunk of a row.");
    int threads = (int)kf__max(KF__SCAN_THREADS, s->lanes);
    L->fn->threads = threads;
    L->fn->grid = kf__ceil_div(s->units, threads / s->lanes);
    const kf__lx *t = kf__put_let(L, "int64_t", "t", thread_of_all(L, threads), NULL);
    const kf__lx *lane = kf__put_let(L, "int", "lane", kf__l_bin(L, "%", t, lanes), NULL);
    const kf__lx *all = kf__word_int(L, "units", s->units), *row = kf__l_bin(L, "/", t, lanes);
    const kf__lx *there = kf__put_let(L, "int", "there", kf__l_bin(L, "<", row, all), NULL);
    const kf__lx *u = kf__put_let(
        L, kf__index_type(L), "u",
        kf__l_call(L, "kf_min_i64", KF__I64, row, kf__l_bin(L, "-", all, one)), NULL);
    if (s->lanes > 32) put_folds(L, s, s->lanes / 32);
    kf__put_scalars(L);
    kf__put_decode(L, false, false, kf__put_scan_unit(L, s->all, u));
    kf__put_rows(L, 0);
    kf__put_running(L, s->all, 0, NULL);
    const kf__lx *size = kf__l_int(L, s->tile.W), *to = s->all->to;
    const kf__lx *end = kf__l_bin(L, "+", to, kf__l_int(L, s->tile.W - 1));
    end = kf__l_bin(L, "/", end, size);
    const kf__lx *step = s->striped ? kf__l_int(L, s->lanes * s->tile.V) : lanes;
    s->tile.far = is_narrow(L);
    const char *type = s->tile.far ? "int" : "int64_t";
    s->tile.end = kf__put_let(L, type, "stop", kf__l_select(L, there, to, kf__l_int(L, 0)), NULL);
    kf__open_for(L, type, "q0", kf__l_bin(L, "/", s->all->from, size), end, step, KF__SERIAL);
    if (s->striped) {
        const kf__lx *first = kf__l_bin(L, "*", kf__l_var(L, "q0"), kf__l_int(L, s->tile.W));
        s->tile.step = lanes, s->tile.filled = 1;
        s->tile.skip = kf__put_let(L, type, "rest", kf__l_bin(L, "-", s->tile.end, first), NULL);
    }
    s->tile.base = kf__l_bin(L, "+", kf__l_var(L, "q0"), lane);
    put_stages(L, s);
    kf__close(L);
}

/* ---------------------------------------------------------------- along another one */

static void head_column(kf__low *L, kf__tile *t, const kf__lx *s) {
    scan *of = (scan *)((char *)t - offsetof(scan, tile));
    const kf__lx *r = kf__put_let(L, "int64_t", "r", kf__l_bin(L, "+", t->base, s), NULL);
    const kf__lx *safe = kf__l_call(L, "kf_min_i64", KF__I64, r,
                                    kf__l_bin(L, "-", of->all->to, kf__l_int(L, 1)));
    t->left = kf__put_let(L, "int", "left", kf__l_bin(L, "<", r, t->end), NULL);
    kf__put_decode(L, true, false, safe);
}

/* The thread's column, of all that there are; two ways to share them out. */
static const kf__lx *put_few(kf__low *L, scan *s) {
    kf__low_begin(L, "", "A thread goes through a column of few rows.");
    L->fn->threads = KF__SCAN_THREADS;
    L->fn->grid = kf__ceil_div(s->units, KF__SCAN_THREADS);
    return thread_of_all(L, KF__SCAN_THREADS);
}

static const kf__lx *put_block(kf__low *L, scan *s) {
    kf__low_begin(L, "", "A block goes through a chunk of 32 columns, eight rows a thread.");
    L->fn->threads = KF__SCAN_COLUMNS * KF__SCAN_DOWN;
    L->fn->grid = kf__ceil_div(s->units, KF__SCAN_COLUMNS);
    const kf__lx *across, *down, *block = kf__l_callv(L, "kf_block", KF__I64, 0, NULL);
    kf__thread_at(L, KF__SCAN_COLUMNS, &across, &down);
    return kf__l_bin(L, "+", kf__l_bin(L, "*", block, kf__l_int(L, KF__SCAN_COLUMNS)), across);
}

/* A thread whose column doesn't exist goes with the last one's, and has no rows. */
static void put_columns(kf__low *L, scan *s) {
    const kf__lx *one = kf__l_int(L, 1), *down = kf__l_var(L, "down");
    s->few = L->axes[s->all->axis].size <= KF__SCAN_FEW;
    int rows = s->few ? KF__SCAN_FEW_ROWS : KF__SCAN_ROWS;
    s->tile = (kf__tile){.V = rows, .W = 1, .head = head_column};
    const kf__lx *t = s->few ? put_few(L, s) : put_block(L, s);
    const kf__lx *n = kf__word_size(L, kf__last(L)), *all = kf__word_int(L, "units", s->units);
    t = kf__put_let(L, "int64_t", "t", t, NULL);
    const kf__lx *there = kf__put_let(L, "int", "there", kf__l_bin(L, "<", t, all), NULL);
    const kf__lx *u = kf__l_call(L, "kf_min_i64", KF__I64, t, kf__l_bin(L, "-", all, one));
    u = kf__put_let(L, kf__index_type(L), "u", u, NULL);
    if (!s->few) put_folds(L, s, KF__SCAN_COLUMNS * KF__SCAN_DOWN);
    kf__put_scalars(L);
    const kf__lx *line = kf__put_let(L, kf__index_type(L), "line", kf__l_bin(L, "/", u, n), NULL);
    s->tile.j = kf__put_let(L, "int64_t", "j", kf__l_bin(L, "%", u, n), NULL);
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
    const kf__lx *stop = kf__l_select(L, there, s->all->to, kf__l_int(L, 0));
    s->tile.end = kf__put_let(L, "int64_t", "stop", stop, NULL);
    const kf__lx *first = s->few ? kf__l_int(L, 0) : kf__l_bin(L, "*", down, kf__l_int(L, rows));
    first = kf__put_let(L, "int64_t", "first", kf__l_bin(L, "+", s->all->from, first), NULL);
    if (is_single(s)) {
        s->tile.base = first;
        put_stages(L, s);
        return;
    }
    /* Threads wait for each other: all go as far as a whole chunk does. */
    kf__put_running(L, s->all, 0, NULL);
    const kf__lx *most = s->all->chunk && !s->few ? kf__l_int(L, s->all->chunk)
                                                  : kf__word_size(L, s->all->axis);
    int tall = s->few ? rows : KF__SCAN_TALL;
    kf__open_for(L, "int64_t", "tile", kf__l_int(L, 0), most, kf__l_int(L, tall), KF__SERIAL);
    s->tile.base = kf__l_bin(L, "+", first, kf__l_var(L, "tile"));
    put_stages(L, s);
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
    s.units = kf__low_extent(L, false) * all->chunks;
    L->small = is_affine(L) && L->axes[all->axis].size < INT32_MAX / 2 && s.units < INT32_MAX;
    L->rows_inside = !s.rows;
    if (s.rows) put_rows(L, &s);
    else put_columns(L, &s);
}
