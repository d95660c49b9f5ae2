/* Cumulative kernels on the CPU along an outer axis: columns.
 *
 *     for (u ...)           a chunk of rows, a tile of columns
 *         sum[l] = 0
 *         for (r ...)
 *             for (l ...)   SIMD
 *                 sum[l] = sum[l] + x[r, l] */
#include "lower/cpu.h"

enum {
    KF__CPU_SCAN_TILE = 256, /* columns */
};

static kf__mask *needed(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n) {
    uint16_t roots[64];
    for (uint32_t s = 0; s < n; ++s) roots[s] = L->k->stores[stores[s]].instr;
    return b ? kf__cpu_needed(L, b, roots, n) : kf__low_needed(L, KF__LEVEL_FULL, roots, n);
}

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
    b.most = KF__CPU_SCAN_TILE;
    b.widens = b.narrows = true;
    kf__cpu_put_block_tables(L, &b, needed(L, NULL, stores, n));
    kf__mask *mask = needed(L, &b, stores, n);
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

static void put_columns(kf__low *L, kf__scans *s, int64_t tiles) {
    int64_t even = kf__cpu_even_tile(L->axes[kf__last(L)].size, KF__CPU_SCAN_TILE);
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
    put_sums(L, s, first, len, KF__CPU_SCAN_TILE);
    kf__open_for(L, "int64_t", "r", s->from, s->to, one, KF__SERIAL);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    put_row(L, first, len);
    kf__close(L);
}

void kf__cpu_scan_columns(kf__low *L, kf__scans *s) {
    int64_t n = L->axes[kf__last(L)].size, tiles = kf__ceil_div(n, KF__CPU_SCAN_TILE);
    int64_t outer = n ? kf__low_extent(L, false) / n : 0;
    kf__low_begin(L, "", "Chunks of columns, each row from the one before it.");
    L->fn->units = outer * tiles * s->chunks;
    bool stream = kf__cpu_stream_word(L);
    kf__cpu_prefetch_word(L, false);
    kf__put_scalars(L);
    kf__tables tables = {0};
    kf__cpu_use_tables(L, KF__CPU_SCAN_TILE, &tables);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    put_columns(L, s, tiles);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
    L->tables = NULL;
}
