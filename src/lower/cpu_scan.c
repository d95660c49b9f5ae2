/* Cumulative kernels on the CPU.
 *
 *     along the innermost axis            along another one
 *
 *     for (u ...)     a chunk of a row    for (u ...)            a chunk of rows, a tile of columns
 *         sum = 0                             sum[l] = 0
 *         for (l ...)                         for (r ...)
 *             sum = sum + x[l]                    for (l ...)    SIMD
 *             out[l] = sum                            sum[l] = sum[l] + x[r, l]
 *
 * Of floats in a row 64 are summed, and then added to what is before them: a sum of thousands, one
 * after another, would be off by thousands of roundings. */
#include "lower/cpu.h"

enum {
    KF__CPU_SCAN_TILE = 256, /* columns */
    KF__CPU_SCAN_RUN = 64,   /* elements of a row that are summed by themselves */
};

static kf__mask *needed(kf__low *L, const uint16_t *stores, uint32_t n) {
    uint16_t roots[64];
    for (uint32_t s = 0; s < n; ++s) roots[s] = L->k->stores[stores[s]].instr;
    return kf__low_needed(L, KF__LEVEL_FULL, roots, n);
}

/* Is it a sum that is off by each of its roundings? */
static bool has_runs(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->op == KF__RED_SUM && kf__is_float(in->dtype);
}

static const kf__lx *min_of(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_call(L, "kf_min_i64", KF__I64, a, b);
}

static const kf__lx *run_of(kf__low *L, uint32_t i) {
    return kf__l_var(L, kf__field_name(L, "run", i, 0));
}

/* Opens loops over the elements of a row: sums run anew in each. Gives whether there are any. */
static bool open_runs(kf__low *L, const kf__scans *s, const kf__lx *len) {
    const kf__lx *zero = kf__l_int(L, 0), *run = kf__l_int(L, KF__CPU_SCAN_RUN);
    const kf__lx *one = kf__l_int(L, 1), *begin = kf__l_var(L, "begin_run");
    bool any = false;
    for (uint32_t k = 0; k < s->n; ++k) any |= has_runs(L, s->instrs[k]);
    if (!any) {
        kf__open_for(L, "int64_t", "l", zero, len, one, KF__SERIAL);
        return false;
    }
    kf__open_for(L, "int64_t", "begin_run", zero, len, run, KF__SERIAL);
    for (uint32_t k = 0; k < s->n; ++k) {
        uint32_t i = s->instrs[k];
        if (!has_runs(L, i)) continue;
        L->before[i] = L->running[i];
        L->running[i] = kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), run_of(L, i)->name, 0,
                                    kf__identity(L, i, 0));
    }
    kf__open_for(L, "int64_t", "l", begin, min_of(L, len, kf__l_bin(L, "+", begin, run)), one,
                 KF__SERIAL);
    return true;
}

static void close_runs(kf__low *L, const kf__scans *s) {
    for (uint32_t k = 0; k < s->n; ++k) {
        uint32_t i = s->instrs[k];
        if (!L->before[i]) continue;
        kf__put_set(L, L->before[i], kf__fold_of(L, i, 0, L->before[i], L->running[i]));
        L->running[i] = L->before[i];
        L->before[i] = NULL;
    }
    kf__close(L);
}

/* All of the kernel for `len` elements from `first` on. rows: of a row; NULL: of many columns. */
static void put_line(kf__low *L, const kf__scans *rows, const kf__lx *first, const kf__lx *len,
                     int64_t most) {
    uint16_t stores[64];
    uint32_t n = kf__low_all_stores(L, stores);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, first, len);
    b.most = most;
    kf__mask *mask = needed(L, stores, n);
    kf__cpu_prepare(L, &b, mask);
    kf__cpu_store_targets(L, &b, stores, n);
    bool runs = rows && open_runs(L, rows, len);
    if (!rows)
        kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, mask, kf__l_var(L, "l"));
    kf__cpu_stores(L, &b, stores, n, kf__l_var(L, "l"));
    kf__close(L);
    if (runs) close_runs(L, rows);
    kf__cpu_flush(L, &b, stores, n);
    kf__cpu_forget(L, NULL);
}

static const char *of_chunk(kf__low *L, uint32_t i) {
    return kf__l_name(L, "before%u", (unsigned)i);
}

/* Of columns: what is the same for all rows of the chunk. */
static void put_of_chunk(kf__low *L, const kf__lx *first, const kf__lx *len) {
    const kf__lx *l = kf__l_var(L, "l");
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__low_of_chunk(L, i)) continue;
        const char *array = of_chunk(L, i);
        kf__put_var(L, kf__ctype(in->dtype), array, KF__CPU_SCAN_TILE, NULL);
        kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
        const kf__lx *at = kf__low_offset(L, in->access, kf__l_bin(L, "+", first, l));
        kf__put_set(L, kf__l_item(L, array, l),
                    kf__low_load(L, in->access, kf__l_var(L, kf__word_operand(L, in->access)),
                                 at));
        kf__close(L);
        L->value[i] = kf__l_item(L, array, l);
    }
}

static void put_rows(kf__low *L, kf__scans *s) {
    kf__put_decode(L, false, false, kf__put_scan_unit(L, s, kf__l_var(L, "u")));
    kf__put_rows(L, 0);
    kf__put_running(L, s, 0, NULL);
    const kf__lx *block = kf__l_int(L, KF__CPU_BLOCK);
    kf__open_for(L, "int64_t", "first", s->from, s->to, block, KF__SERIAL);
    const kf__lx *first = kf__l_var(L, "first");
    const kf__lx *len = kf__put_let(L, "int64_t", "len",
                                    min_of(L, kf__l_bin(L, "-", s->to, first), block), NULL);
    put_line(L, s, first, len, KF__CPU_BLOCK);
    kf__close(L);
    kf__forget(L, KF__LEVEL_ROW);
}

static void put_columns(kf__low *L, kf__scans *s, int64_t tiles) {
    const kf__lx *n = kf__word_size(L, kf__last(L)), *width = kf__l_int(L, KF__CPU_SCAN_TILE);
    const kf__lx *count = kf__word_int(L, "tiles", tiles), *one = kf__l_int(L, 1);
    const kf__lx *rest = kf__put_scan_unit(L, s, kf__l_var(L, "u"));
    kf__put_decode(L, false, true, kf__put_let(L, "int64_t", "outer",
                                               kf__l_bin(L, "/", rest, count), NULL));
    const kf__lx *first =
        kf__put_let(L, "int64_t", "first",
                    kf__l_bin(L, "*", kf__l_bin(L, "%", rest, count), width), NULL);
    const kf__lx *len = kf__put_let(L, "int64_t", "len",
                                    min_of(L, kf__l_bin(L, "-", n, first), width), NULL);
    const kf__lx *l = kf__l_var(L, "l");
    put_of_chunk(L, first, len);
    kf__put_running(L, s, KF__CPU_SCAN_TILE, l);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, one, KF__SIMD);
    for (uint32_t k = 0; k < s->n; ++k)
        kf__put_set(L, L->running[s->instrs[k]], kf__identity(L, s->instrs[k], 0));
    kf__close(L);
    kf__open_for(L, "int64_t", "r", s->from, s->to, one, KF__SERIAL);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    put_line(L, NULL, first, len, KF__CPU_SCAN_TILE);
    kf__close(L);
}

void kf__cpu_scan(kf__low *L, kf__scans *s) {
    L->before = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs);
    if (!L->before) {
        L->failed = true;
        return;
    }
    bool rows = s->axis == kf__last(L);
    int64_t n = L->axes[kf__last(L)].size, tiles = kf__ceil_div(n, KF__CPU_SCAN_TILE);
    int64_t kept = kf__low_extent(L, false);
    if (!rows) kept = n ? kept / n * tiles : 0;
    L->rows_inside = !rows;
    kf__low_begin(L, "", rows ? "Chunks of rows, each element from the one before it."
                              : "Chunks of columns, each row from the one before it.");
    L->fn->units = kept * s->chunks;
    bool stream = kf__cpu_stream_word(L);
    kf__cpu_prefetch_word(L, false);
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    if (rows) put_rows(L, s);
    else put_columns(L, s, tiles);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
}
