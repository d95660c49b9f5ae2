/* Cumulative kernels on the CPU along an outer axis: columns.
 *
 *     for (u ...)           a chunk of rows, a tile of columns
 *         sum[l] = 0
 *         for (r ...)
 *             for (l ...)   SIMD
 *                 sum[l] = sum[l] + x[r, l]
 *
 * Of few columns a row leaves vectors most of its elements: what takes functions, bytes, halves or
 * choices is made of as many rows as there are in a run, behind and before loops that only sum.
 * cumsum(where(k, x, b), 0) * x - b of bf16 50000x10 took a Zen 4 3.5 ms, then .53. */
#include "lower/cpu.h"

enum {
    TILE = 256,          /* columns */
    FEW_ELEMENTS = 1024, /* of short rows, at once */
    PAD = 64,            /* elements that a last vector may write behind them */
};

/* Chains of functions in what is cumulative. */
static void put_arguments(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    uint16_t *roots = KF__NEW(L->arena, uint16_t, L->k->n_instrs);
    uint32_t n = 0;
    for (uint32_t i = 0; roots && i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && L->k->instrs[i].kind == KF__I_SCAN)
            roots[n++] = L->k->instrs[i].args[0];
    if (!roots) {
        L->failed = true;
        return;
    }
    b->folds = true;
    kf__cpu_put_chains(L, b, kf__low_needed(L, KF__LEVEL_FULL, roots, n), NULL, NULL, NULL);
    b->folds = false;
}

static void ask(kf__low *L, const kf__cpu_block *b, uint32_t access, int axis) {
    enum { AHEAD = 4 }; /* rows */
    const kf__operand *o = &L->operands[access];
    if (kf__low_step(L, access) != 1 || !o->varies[axis] || kf__has_symbols(L, access)) return;
    const kf__lx *rows = kf__l_int(L, AHEAD);
    kf__cpu_prefetch_line(L, b, access,
                          kf__l_bin(L, "*", rows, kf__word_stride(L, access, axis)));
}

/* The same parts of a later row, where they aren't all of it: no processor foresees
 * where they are. x - cumsum(x, 0) of 317x316 took a Zen 4 96 us, then 74, of 3170x3160 9.6 ms,
 * then 6.4; of 317x316 a Sapphire Rapids 152 us, then 104. */
static void put_ahead(kf__low *L, const kf__cpu_block *b, const kf__mask *mask,
                      const uint16_t *stores, uint32_t n) {
    int axis = kf__low_only_reduced(L);
    if (axis < 0 || kf__cpu_scatters(L)) return;
    const kf__lx *parts = kf__l_bin(L, ">", kf__l_var(L, "tiles"), kf__l_int(L, 1));
    kf__open_if(L, kf__l_bin(L, "&&", kf__cpu_is_far(L), parts));
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_LOAD && !in->n_args && L->pointer[in->access])
            ask(L, b, in->access, axis);
    }
    kf__open_if(L, kf__l_bin(L, "==", kf__l_var(L, "stream"), kf__l_int(L, 0)));
    for (uint32_t s = 0; s < n; ++s) ask(L, b, L->k->stores[stores[s]].access, axis);
    kf__close(L);
    kf__close(L);
}

static const char *of_chunk(kf__low *L, uint32_t i) {
    return kf__l_name(L, "before%u", (unsigned)i);
}

/* What is the same for all rows of the chunk. */
static void put_of_chunk(kf__low *L, const kf__lx *first, const kf__lx *len, int64_t most) {
    const kf__lx *l = kf__l_var(L, "l");
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__low_of_chunk(L, i)) continue;
        const char *array = of_chunk(L, i);
        kf__put_var(L, kf__ctype(in->dtype), array, most, NULL);
        kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
        const kf__lx *at = kf__low_offset(L, in->access, kf__l_bin(L, "+", first, l));
        kf__put_set(L, kf__l_item(L, array, l),
                    kf__low_load(L, in->access, kf__l_var(L, kf__word_operand(L, in->access)),
                                 at));
        kf__close(L);
        L->value[i] = kf__l_item(L, array, l);
    }
}

/* Row r of a tile, `len` columns from `first` on. */
static void put_row(kf__low *L, const kf__lx *first, const kf__lx *len) {
    uint16_t stores[64];
    uint32_t n = kf__low_all_stores(L, stores);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, first, len);
    b.most = TILE;
    b.widens = b.narrows = true;
    kf__cpu_put_block_tables(L, &b, kf__cpu_needed_to_store(L, NULL, stores, n));
    kf__mask *mask = kf__cpu_needed_to_store(L, &b, stores, n);
    kf__cpu_prepare(L, &b, mask);
    put_arguments(L, &b, mask);
    kf__cpu_store_targets(L, &b, stores, n);
    put_ahead(L, &b, mask, stores, n);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, mask, kf__l_var(L, "l"));
    kf__cpu_stores(L, &b, stores, n, kf__l_var(L, "l"));
    kf__close(L);
    kf__cpu_flush(L, &b, stores, n);
    kf__cpu_forget(L, NULL);
}

/* The states of a unit, of which nothing is summed yet. */
static void put_sums(kf__low *L, const kf__scans *s, const kf__lx *first, const kf__lx *len,
                     int64_t most) {
    const kf__lx *l = kf__l_var(L, "l");
    put_of_chunk(L, first, len, most);
    kf__put_running(L, s, most, l);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
    for (uint32_t k = 0; k < s->n; ++k)
        kf__put_set(L, L->running[s->instrs[k]], kf__identity(L, s->instrs[k], 0));
    kf__close(L);
}

/* ---------------------------------------------------------------- few columns */

/* Of short rows without gaps: what is summed, and what is made of the sums. */
typedef struct few {
    kf__held args, made, run; /* runs, but for `made`, which has a loop for each row */
    kf__held all;             /* what both runs are made of */
    kf__leaves leaves;
} few;

/* Is it a sum, or made with what a chunk has alone, which no run can read? */
static bool is_of_rows(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    bool is = in->kind == KF__I_SCAN;
    for (int a = 0; a < in->n_args; ++a) is = is || kf__low_of_chunk(L, in->args[a]);
    return is;
}

static bool hold(kf__low *L, kf__held *h, const char *what, uint32_t i) {
    if (kf__holds(h, i)) return true;
    if (h->n == KF__HELD) return false;
    h->name[h->n] = kf__l_name(L, "%s%u", what, (unsigned)i);
    h->instr[h->n++] = (uint16_t)i;
    return true;
}

/* As constants, if they are given; else not at all. */
static void give(kf__low *L, const kf__held *h, bool given) {
    for (uint32_t k = 0; k < h->n; ++k)
        L->value[h->instr[k]] = given ? kf__l_int(L, 0) : NULL;
}

/* What is summed, and what sums are that something else is made of, or stored. */
static bool find_values(kf__low *L, const kf__mask *mask, few *f) {
    kf__mask *rows = kf__low_mask(L);
    if (!rows) L->failed = true;
    for (uint32_t i = L->k->n_instrs; rows && i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || !(kf__has(rows, i) || is_of_rows(L, i))) continue;
        kf__add(rows, i);
        if (in->kind == KF__I_SCAN && !hold(L, &f->args, "arg", in->args[0])) return false;
        for (int a = 0; a < in->n_args && in->kind != KF__I_SCAN; ++a)
            if (kf__has(mask, in->args[a])) kf__add(rows, in->args[a]);
    }
    for (uint32_t i = 0; rows && i < L->k->n_instrs; ++i) {
        bool used = false;
        if (!kf__has(rows, i)) continue;
        for (uint32_t j = i + 1; j < L->k->n_instrs; ++j)
            used = used ||
                   (kf__has(mask, j) && !kf__has(rows, j) && kf__uses(&L->k->instrs[j], i));
        for (uint32_t s = 0; s < L->k->n_stores; ++s) used = used || L->k->stores[s].instr == i;
        if (used && !hold(L, &f->made, "made", i)) return false;
    }
    return rows && f->made.n;
}

static bool find_few(kf__low *L, few *f) {
    uint16_t roots[2 * KF__HELD];
    *f = (few){.run.n_stores = L->k->n_stores};
    if (L->n_axes != 2 || L->k->n_symbols || L->k->n_stores > KF__HELD) return false;
    kf__low_all_stores(L, f->run.stores);
    const kf__mask *mask = kf__cpu_needed_to_store(L, NULL, f->run.stores, f->run.n_stores);
    if (!mask || !(kf__cpu_leaves_much(L, mask) || kf__cpu_stores_narrow(L, &f->run))) return false;
    if (!find_values(L, mask, f)) return false;
    f->args.mask = kf__low_needed(L, KF__LEVEL_FULL, f->args.instr, f->args.n);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) /* one of the others must come first */
        if (kf__has(f->args.mask, i) && is_of_rows(L, i)) return false;
    give(L, &f->made, true);
    kf__held all = f->args, run;
    all.n_stores = f->run.n_stores;
    memcpy(all.stores, f->run.stores, sizeof all.stores);
    all.mask = kf__low_needed(L, KF__LEVEL_FULL, roots, kf__cpu_roots_of_held(L, &all, roots));
    f->args.begin = f->made.begin = kf__l_int(L, 0);
    bool are = kf__cpu_may_be_run(L, &all) || kf__cpu_find_run_given(L, &all, &f->leaves, &run);
    give(L, &f->made, false);
    f->all = f->leaves.n ? run : all;
    return are;
}

static void declare(kf__low *L, const kf__held *h) {
    for (uint32_t k = 0; k < h->n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[h->instr[k]].dtype), h->name[k],
                    FEW_ELEMENTS + PAD, NULL);
}

/* A run of all elements of the rows from first_row on: what is summed, or what is made of sums. */
static void put_run(kf__low *L, few *f, kf__held *h, const kf__lx *all) {
    uint16_t roots[2 * KF__HELD];
    const kf__lx *l = kf__l_var(L, "l"), *zero = kf__l_int(L, 0);
    const kf__mask *there = kf__cpu_known(L);
    kf__cpu_block b;
    kf__open_block(L);
    kf__put_decode(L, true, false, kf__l_var(L, "first_row"));
    kf__cpu_open_line(L, &b, zero, all);
    b.widens = b.narrows = true;
    kf__cpu_hold_leaves(L, &f->leaves, l);
    if (h->n_stores) {
        kf__cpu_hold_of(L, &f->args, l);
        kf__cpu_hold_of(L, &f->made, l);
    }
    h->mask = kf__low_needed(L, KF__LEVEL_FULL, roots, kf__cpu_roots_of_held(L, h, roots));
    kf__cpu_prepare(L, &b, h->mask);
    kf__cpu_store_targets(L, &b, h->stores, h->n_stores);
    kf__cpu_make(L, &b, h, zero);
    kf__cpu_flush(L, &b, h->stores, h->n_stores);
    kf__cpu_forget(L, there);
    kf__close(L);
}

/* Row first_row + r: its sums, and what else only rows can make. */
static void put_sums_of_row(kf__low *L, few *f, const kf__lx *n) {
    const kf__lx *l = kf__l_var(L, "l"), *r = kf__l_var(L, "r");
    const kf__lx *begin = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", r, n), NULL);
    const kf__lx *at = kf__l_bin(L, "+", begin, l);
    const kf__mask *there = kf__cpu_known(L);
    kf__cpu_block b;
    kf__put_decode(L, true, false, kf__l_bin(L, "+", kf__l_var(L, "first_row"), r));
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), n);
    b.widens = true;
    kf__cpu_hold_leaves(L, &f->leaves, at);
    kf__cpu_hold_of(L, &f->args, at);
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, f->made.instr, f->made.n);
    kf__cpu_prepare(L, &b, mask);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), n, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, mask, l);
    for (uint32_t k = 0; k < f->made.n; ++k)
        kf__put_set(L, kf__l_item(L, f->made.name[k], at), kf__value_of(L, f->made.instr[k]));
    kf__close(L);
    kf__cpu_forget(L, there);
}

/* Are these so few columns, without gaps? */
static bool are_few(kf__low *L, const few *f) {
    int64_t n = L->axes[kf__last(L)].size;
    bool left = n < 2 * KF__CPU_VECTOR && n % KF__CPU_VECTOR; /* by vectors */
    if (kf__chooses(L, f->all.mask)) left = n <= KF__CPU_SHORT && n % KF__CPU_LANES;
    return left && n > 0 && kf__cpu_is_run(L, &f->all);
}

/* The rows from first_row on, up to `most` of a unit's. */
static void put_group(kf__low *L, const kf__scans *s, few *f, const kf__lx *n,
                      const kf__lx *most) {
    const kf__lx *zero = kf__l_int(L, 0), *first = kf__l_var(L, "first_row");
    const kf__lx *left = kf__l_bin(L, "-", s->to, first);
    const kf__lx *rows = kf__put_let(L, "int64_t", "rows",
                                     kf__l_call(L, "kf_min_i64", KF__I64, left, most), NULL);
    const kf__lx *all = kf__put_let(L, "int64_t", "all", kf__l_bin(L, "*", rows, n),
                                    "elements of all rows");
    if (f->leaves.n) {
        kf__leaf_rows of = {first, rows, zero, n, KF__LEAVES_OF_COLUMNS};
        kf__cpu_put_leaves(L, &f->leaves, &of);
    }
    put_run(L, f, &f->args, all);
    kf__open_for(L, "int64_t", "r", zero, rows, kf__l_int(L, 1), KF__SERIAL);
    put_sums_of_row(L, f, n);
    kf__close(L);
    put_run(L, f, &f->run, all);
}

/* A function of short rows without gaps, if it'd gain anything. True: these are. */
static bool put_few(kf__low *L, kf__scans *s) {
    few f;
    if (!find_few(L, &f)) return false;
    const kf__lx *one = kf__l_int(L, 1);
    int64_t size = L->axes[kf__last(L)].size;
    int64_t rows = kf__max(1, FEW_ELEMENTS / kf__max(1, size));
    if (s->chunk) rows = kf__min(rows, s->chunk);
    bool are = are_few(L, &f);
    kf__low_begin(L, "_short", "Short rows without gaps: what is summed of several, their sums, "
                               "what is made of these.");
    L->fn->units = are ? s->chunks : 0;
    L->run = are ? rows * size : 0;
    bool stream = kf__cpu_stream_word(L);
    L->run = 0;
    const kf__lx *n = kf__word_size(L, kf__last(L));
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), one, KF__SERIAL);
    kf__put_scan_unit(L, s, kf__l_var(L, "u"));
    put_sums(L, s, kf__l_int(L, 0), n, KF__CPU_SHORT);
    declare(L, &f.args);
    declare(L, &f.made);
    const kf__lx *most = kf__word_int(L, "most_rows", rows);
    kf__open_for(L, "int64_t", "first_row", s->from, s->to, most, KF__SERIAL);
    put_group(L, s, &f, n, most);
    kf__close(L);
    kf__close(L);
    kf__cpu_forget(L, NULL);
    if (stream) kf__cpu_fence(L);
    return are;
}

/* ---------------------------------------------------------------- tiles of columns */

static void put_columns(kf__low *L, kf__scans *s, int64_t tiles) {
    int64_t even = kf__cpu_even_tile(L->axes[kf__last(L)].size, TILE);
    const kf__lx *n = kf__word_size(L, kf__last(L)), *width = kf__word_int(L, "tile", even);
    const kf__lx *count = kf__word_int(L, "tiles", tiles), *one = kf__l_int(L, 1);
    const kf__lx *rest = kf__put_scan_unit(L, s, kf__l_var(L, "u"));
    kf__put_decode(L, false, true, kf__put_let(L, "int64_t", "outer",
                                               kf__l_bin(L, "/", rest, count), NULL));
    const kf__lx *first =
        kf__put_let(L, "int64_t", "first",
                    kf__l_bin(L, "*", kf__l_bin(L, "%", rest, count), width), NULL);
    const kf__lx *left = kf__l_bin(L, "-", n, first);
    const kf__lx *len = kf__put_let(L, "int64_t", "len",
                                    kf__l_call(L, "kf_min_i64", KF__I64, left, width), NULL);
    put_sums(L, s, first, len, TILE);
    kf__open_for(L, "int64_t", "r", s->from, s->to, one, KF__SERIAL);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    put_row(L, first, len);
    kf__close(L);
}

void kf__cpu_scan_columns(kf__low *L, kf__scans *s) {
    int64_t n = L->axes[kf__last(L)].size, tiles = kf__ceil_div(n, TILE);
    int64_t outer = n ? kf__low_extent(L, false) / n : 0;
    bool is_short = put_few(L, s);
    kf__low_begin(L, "", "Chunks of columns, each row from the one before it.");
    L->fn->units = is_short ? 0 : outer * tiles * s->chunks;
    bool stream = kf__cpu_stream_word(L);
    kf__cpu_prefetch_word(L, false);
    kf__put_scalars(L);
    kf__tables tables = {0};
    kf__cpu_use_tables(L, TILE, &tables);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    put_columns(L, s, tiles);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
    L->tables = NULL;
}
