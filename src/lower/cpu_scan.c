/* Cumulative kernels on the CPU, along the innermost axis; cpu_scan_columns.c has the others.
 *
 *     for (u ...)      a chunk of a row
 *         sum = 0
 *         for (first ...)       a block
 *             for (l ...)          SIMD
 *                 arg[l] = x[l] * 2
 *             for (l ...)
 *                 sum = sum + arg[l]
 *                 scan[l] = sum
 *             for (l ...)          SIMD
 *                 out[l] = gelu(scan[l])
 *
 * Of a row what is before and behind the sums has loops of its own: one after another is how the
 * sums alone have to be. Of floats 64 are summed, and then added to what is before them: a sum of
 * thousands, one after another, would be off by thousands of roundings. Four such runs are summed
 * side by side, as an addition takes longer than what else there is to do. */
#include "lower/cpu.h"

enum {
    KF__CPU_SCAN_RUN = 64,   /* elements of a row that are summed by themselves */
    KF__CPU_SCAN_RUNS = 4,   /* those that are summed side by side */
    KF__CPU_SCAN_LIGHT = 3,  /* operations that cost little beside what waits for its sum */
};

kf__mask *kf__cpu_needed_to_store(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                                  uint32_t n) {
    uint16_t roots[64];
    for (uint32_t s = 0; s < n; ++s) roots[s] = L->k->stores[stores[s]].instr;
    return b ? kf__cpu_needed(L, b, roots, n) : kf__low_needed(L, KF__LEVEL_FULL, roots, n);
}

/* Is it a sum that is off by each of its roundings? */
static bool is_rounded(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->op == KF__RED_SUM && kf__is_float(in->dtype);
}

/* Or does it wait long for the one before, and is the same by runs? */
static bool has_runs(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    bool same = in->op == KF__RED_MAX || in->op == KF__RED_MIN;
    return is_rounded(L, i) || (same && kf__is_float(in->dtype));
}

static const kf__lx *min_of(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_call(L, "kf_min_i64", KF__I64, a, b);
}

/* ---------------------------------------------------------------- rows */

static const kf__lx *item(kf__low *L, const char *what, uint32_t i, const kf__lx *l) {
    return kf__l_item(L, kf__l_name(L, "%s%u", what, (unsigned)i), l);
}

/* How many scans, one of another, is each instruction behind? */
static uint8_t *depths(kf__low *L, uint8_t *most) {
    uint8_t *depth = KF__NEW(L->arena, uint8_t, L->k->n_instrs);
    *most = 0;
    for (uint32_t i = 0; depth && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        for (int a = 0; a < in->n_args; ++a)
            depth[i] = (uint8_t)kf__max(depth[i], depth[in->args[a]]);
        depth[i] = (uint8_t)(depth[i] + (in->kind == KF__I_SCAN));
        *most = (uint8_t)kf__max(*most, depth[i]);
    }
    if (!depth) L->failed = true;
    return depth;
}

/* Is it an element of an array as it lies there, which a scan may read itself? */
static bool is_plain(const kf__low *L, const kf__cpu_block *b, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_LOAD && !in->n_args && !b->pick[i] &&
           kf__low_step(L, in->access) == 1;
}

/* What is made before the scans of a depth: their arguments, and what is dear and needed behind
 * them, too. */
static uint32_t made_before(kf__low *L, const kf__cpu_block *b, const kf__mask *mask,
                            const uint8_t *depth, uint8_t d, uint16_t *roots) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i) || depth[i] != d || L->value[i]) continue;
        bool argument = false, later = false;
        for (uint32_t u = i + 1; u < L->k->n_instrs; ++u)
            for (int a = 0; kf__has(mask, u) && a < L->k->instrs[u].n_args; ++a) {
                if (L->k->instrs[u].args[a] != i || depth[u] == d) continue;
                if (L->k->instrs[u].kind == KF__I_SCAN) argument |= !is_plain(L, b, i);
                else later = true;
            }
        for (uint32_t s = 0; s < L->k->n_stores; ++s) later |= L->k->stores[s].instr == i;
        if (argument || (later && L->k->instrs[i].kind == KF__I_OP &&
                         kf__cpu_is_dear(L, (uint16_t)i)))
            roots[n++] = (uint16_t)i;
    }
    return n;
}

static void put_before(kf__low *L, kf__cpu_block *b, const uint16_t *roots, uint32_t n) {
    const kf__lx *l = kf__l_var(L, "l");
    if (!n) return;
    for (uint32_t r = 0; r < n; ++r)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[roots[r]].dtype),
                    kf__l_name(L, "arg%u", (unsigned)roots[r]), b->most, NULL);
    kf__held h = {.mask = kf__cpu_needed(L, b, roots, n)};
    kf__cpu_put_chains(L, b, h.mask, NULL, NULL, NULL);
    for (uint32_t r = 0; r < n; r += h.n) {
        h.n = (uint16_t)kf__min(n - r, KF__HELD);
        for (uint32_t k = 0; k < h.n; ++k) {
            h.instr[k] = roots[r + k];
            h.name[k] = kf__l_name(L, "arg%u", (unsigned)roots[r + k]);
        }
        if (n > KF__HELD) h.mask = kf__cpu_needed(L, b, h.instr, h.n);
        kf__cpu_make(L, b, &h, kf__l_int(L, 0));
        for (uint32_t k = 0; k < h.n; ++k) L->value[h.instr[k]] = item(L, "arg", h.instr[k], l);
    }
}

/* The argument of scan i at element `at` of the block. */
static const kf__lx *argument(kf__low *L, const kf__cpu_block *b, uint32_t i, const kf__lx *at) {
    uint32_t arg = L->k->instrs[i].args[0];
    const kf__lx *value = L->value[arg];
    if (!value && is_plain(L, b, arg))
        return kf__low_load(L, L->k->instrs[arg].access,
                            kf__l_var(L, kf__cpu_from(L, b, arg)), at);
    bool each = value && value->kind == KF__L_ITEM;
    return each ? kf__l_item(L, value->name, at) : kf__value_of(L, arg);
}

static void put_fold(kf__low *L, const kf__cpu_block *b, uint32_t i, const kf__lx *sum,
                     const kf__lx *at) {
    kf__put_set(L, sum, kf__fold_of(L, i, 0, sum, argument(L, b, i, at)));
}

static void put_one_by_one(kf__low *L, const kf__cpu_block *b, uint32_t i, const kf__lx *from) {
    const kf__lx *l = kf__l_var(L, "l");
    uint32_t arg = L->k->instrs[i].args[0];
    const kf__lx *outside = L->value[arg];
    kf__open_for(L, "int64_t", "l", from, b->len, kf__l_int(L, 1), KF__SERIAL);
    L->value[arg] = argument(L, b, i, l);
    kf__put_scan(L, i);
    kf__put_set(L, item(L, "scan", i, l), L->value[i]);
    kf__close(L);
    L->value[arg] = outside;
}

/* Runs side by side: each by itself, then what is before it. */
static void put_runs(kf__low *L, const kf__cpu_block *b, uint32_t i, const kf__lx *whole) {
    const kf__lx *begin = kf__l_var(L, "begin_runs"), *l = kf__l_var(L, "l");
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1);
    const kf__lx *length = kf__l_int(L, KF__CPU_SCAN_RUN), *run[KF__CPU_SCAN_RUNS];
    const kf__lx *group = kf__l_int(L, KF__CPU_SCAN_RUN * KF__CPU_SCAN_RUNS), *at, *out;
    const char *type = kf__ctype(L->k->instrs[i].dtype);
    kf__open_for(L, "int64_t", "begin_runs", zero, whole, group, KF__SERIAL);
    for (int r = 0; r < KF__CPU_SCAN_RUNS; ++r)
        run[r] = kf__put_var(L, type, kf__l_name(L, "run%d", r), 0, kf__identity(L, i, 0));
    kf__open_for(L, "int64_t", "l", begin, kf__l_bin(L, "+", begin, length), one, KF__SERIAL);
    for (int r = 0; r < KF__CPU_SCAN_RUNS; ++r) {
        at = kf__l_bin(L, "+", l, kf__l_int(L, r * KF__CPU_SCAN_RUN));
        put_fold(L, b, i, run[r], at);
        kf__put_set(L, item(L, "scan", i, at), run[r]);
    }
    kf__close(L);
    for (int r = 0; r < KF__CPU_SCAN_RUNS; ++r) {
        const kf__lx *from = kf__l_bin(L, "+", begin, kf__l_int(L, r * KF__CPU_SCAN_RUN));
        kf__open_for(L, "int64_t", "l", zero, length, one, KF__SIMD);
        out = item(L, "scan", i, kf__l_bin(L, "+", from, l));
        kf__put_set(L, out, kf__fold_of(L, i, 0, L->running[i], out));
        kf__close(L);
        kf__put_set(L, L->running[i], kf__fold_of(L, i, 0, L->running[i], run[r]));
    }
    kf__close(L);
}

/* What is left: by runs, too, or one after another where these are no more exact. */
static void put_rest(kf__low *L, const kf__cpu_block *b, uint32_t i, const kf__lx *whole) {
    if (!is_rounded(L, i)) {
        put_one_by_one(L, b, i, whole);
        return;
    }
    const kf__lx *begin = kf__l_var(L, "begin_run"), *l = kf__l_var(L, "l");
    const kf__lx *length = kf__l_int(L, KF__CPU_SCAN_RUN), *one = kf__l_int(L, 1);
    kf__open_for(L, "int64_t", "begin_run", whole, b->len, length, KF__SERIAL);
    const kf__lx *run = kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), "run", 0,
                                    kf__identity(L, i, 0));
    kf__open_for(L, "int64_t", "l", begin, min_of(L, b->len, kf__l_bin(L, "+", begin, length)),
                 one, KF__SERIAL);
    put_fold(L, b, i, run, l);
    kf__put_set(L, item(L, "scan", i, l), kf__fold_of(L, i, 0, L->running[i], run));
    kf__close(L);
    kf__put_set(L, L->running[i], kf__fold_of(L, i, 0, L->running[i], run));
    kf__close(L);
}

static void put_scan(kf__low *L, const kf__cpu_block *b, uint32_t i) {
    const kf__lx *l = kf__l_var(L, "l");
    const char *scan = kf__l_name(L, "scan%u", (unsigned)i);
    kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[i].dtype), scan, b->most, NULL);
    kf__put_comment(L, kf__instr_comment(L, i));
    if (has_runs(L, i) && b->most < KF__CPU_SCAN_RUN * KF__CPU_SCAN_RUNS) {
        put_rest(L, b, i, kf__l_int(L, 0));
    } else if (has_runs(L, i)) {
        const kf__lx *rest =
            kf__l_bin(L, "%", b->len, kf__l_int(L, KF__CPU_SCAN_RUN * KF__CPU_SCAN_RUNS));
        const kf__lx *whole = kf__put_let(L, "int64_t", kf__l_name(L, "whole%u", (unsigned)i),
                                          kf__l_bin(L, "-", b->len, rest), NULL);
        put_runs(L, b, i, whole);
        put_rest(L, b, i, whole);
    } else {
        put_one_by_one(L, b, i, kf__l_int(L, 0));
    }
    L->value[i] = kf__l_item(L, scan, l);
}

/* All scans of the block, into arrays of their own. */
static void put_scans(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    uint8_t most, *depth = depths(L, &most);
    uint16_t *roots = KF__NEW(L->arena, uint16_t, L->k->n_instrs);
    if (!depth || !roots) {
        L->failed = true;
        return;
    }
    for (uint8_t d = 0; d < most; ++d) {
        put_before(L, b, roots, made_before(L, b, mask, depth, d, roots));
        for (uint32_t i = 0; i < L->k->n_instrs; ++i)
            if (kf__has(mask, i) && L->k->instrs[i].kind == KF__I_SCAN && depth[i] == d + 1)
                put_scan(L, b, i);
    }
}

/* Is it made of what is there already, without anything from memory? */
static bool is_of_arrays(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind != KF__I_OP && in->kind != KF__I_CAST) return false;
    }
    return true;
}

/* Zeros behind the arrays of the block that are read, up to whole vectors. */
static void put_padding(kf__low *L, const kf__cpu_block *b, const kf__mask *mask,
                        const kf__lx *padded) {
    kf__mask *read = kf__low_mask(L);
    for (uint32_t i = 0; read && i < L->k->n_instrs; ++i)
        for (int a = 0; kf__has(mask, i) && a < L->k->instrs[i].n_args; ++a)
            kf__add(read, L->k->instrs[i].args[a]);
    if (!read) L->failed = true;
    const kf__lx *l = kf__l_var(L, "l");
    kf__open_for(L, "int64_t", "l", b->len, padded, kf__l_int(L, 1), KF__SERIAL);
    for (uint32_t i = 0; read && i < L->k->n_instrs; ++i) {
        const kf__lx *value = L->value[i];
        if (!kf__has(read, i) || !value || value->kind != KF__L_ITEM) continue;
        if (L->held && kf__holds(L->held, i)) continue;
        kf__put_set(L, kf__l_item(L, value->name, l),
                    kf__l_const(L, (kf__dtype)L->k->instrs[i].dtype, 0, 0));
    }
    kf__close(L);
}

/* What functions make of the sums alone, in whole vectors: the elements of a row that these leave
 * would take as long as so many vectors. */
static void put_behind(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n) {
    const kf__lx *l = kf__l_var(L, "l"), *len = b->len;
    kf__held h = {0};
    for (uint32_t s = 0; s < n && h.n < KF__HELD; ++s) {
        uint16_t i = (uint16_t)L->k->stores[stores[s]].instr;
        kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
        if (!kf__is_dear(L, mask) || !is_of_arrays(L, mask) || kf__holds(&h, i)) continue;
        h.name[h.n] = kf__l_name(L, "made%u", (unsigned)i);
        h.instr[h.n++] = i;
    }
    if (!h.n) return;
    h.mask = kf__low_needed(L, KF__LEVEL_FULL, h.instr, h.n);
    const kf__lx *padded = kf__cpu_put_padded(L, "padded", len);
    put_padding(L, b, h.mask, padded);
    for (uint32_t k = 0; k < h.n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[h.instr[k]].dtype), h.name[k], b->most,
                    NULL);
    b->len = padded;
    kf__cpu_put_chains(L, b, h.mask, NULL, NULL, NULL);
    kf__cpu_make(L, b, &h, kf__l_int(L, 0));
    b->len = len;
    for (uint32_t k = 0; k < h.n; ++k) L->value[h.instr[k]] = kf__l_item(L, h.name[k], l);
}

/* Does one loop do, as there is little before and behind what isn't summed by runs? */
static bool is_light(const kf__low *L, const kf__mask *mask) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        if (in->kind == KF__I_SCAN && is_rounded(L, i)) return false;
        n += in->kind == KF__I_OP || in->kind == KF__I_CAST;
    }
    return n <= KF__CPU_SCAN_LIGHT && !kf__is_dear(L, mask);
}

/* All of the kernel for `len` elements of a row, from `first` on. */
static void put_line(kf__low *L, const kf__lx *first, const kf__lx *len, int64_t most) {
    uint16_t stores[64];
    uint32_t n = kf__low_all_stores(L, stores);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, first, len);
    b.most = most;
    b.widens = b.narrows = true;
    kf__cpu_put_block_tables(L, &b, kf__cpu_needed_to_store(L, NULL, stores, n));
    kf__mask *mask = kf__cpu_needed_to_store(L, &b, stores, n);
    kf__cpu_prepare(L, &b, mask);
    bool light = is_light(L, mask);
    if (!light) {
        put_scans(L, &b, mask);
        mask = kf__cpu_needed_to_store(L, &b, stores, n);
        if (L->k->n_symbols)
            kf__cpu_put_elements(L, &b, mask, NULL, NULL); /* at what is cumulative */
        put_behind(L, &b, stores, n);
        mask = kf__cpu_needed_to_store(L, &b, stores, n);
        kf__cpu_put_chains(L, &b, mask, NULL, NULL, NULL);
    }
    kf__cpu_store_targets(L, &b, stores, n);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1),
                 light ? KF__SERIAL : KF__SIMD);
    kf__cpu_body(L, &b, mask, kf__l_var(L, "l"));
    kf__cpu_stores(L, &b, stores, n, kf__l_var(L, "l"));
    kf__close(L);
    kf__cpu_flush(L, &b, stores, n);
    kf__cpu_forget(L, NULL);
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
    put_line(L, first, len, KF__CPU_BLOCK);
    kf__close(L);
    kf__forget(L, KF__LEVEL_ROW);
}

/* Of short rows what functions and choices make before the sums is made of a group of them first,
 * as one run where they have no gaps: a row's few vectors would wait for one another. */
static bool find_held(kf__low *L, kf__held *h) {
    uint16_t stores[64], roots[KF__HELD];
    kf__mask *mask = kf__cpu_needed_to_store(L, NULL, stores, kf__low_all_stores(L, stores));
    *h = (kf__held){0};
    if (L->n_axes != 2 || L->k->n_symbols) return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        uint16_t arg = L->k->instrs[i].args[0];
        if (!kf__has(mask, i) || L->k->instrs[i].kind != KF__I_SCAN || kf__holds(h, arg)) continue;
        if (h->n == KF__HELD || !kf__at_level(L, arg, KF__LEVEL_FULL)) return false;
        h->name[h->n] = kf__l_name(L, "held%u", (unsigned)arg);
        roots[h->n] = h->instr[h->n] = arg;
        h->n++;
    }
    h->mask = kf__low_needed(L, KF__LEVEL_FULL, roots, h->n);
    kf__leaves leaves;
    kf__held run;
    return h->n && (kf__is_dear(L, h->mask) || kf__chooses(L, h->mask)) &&
           !kf__cpu_has_scan(L, h->mask) && /* one of the others must come first */
           (kf__cpu_may_be_run(L, h) || kf__cpu_find_run_of_leaves(L, h, &leaves, &run));
}

/* Is what is made of the sums a run, too? Of what there is before them h has the functions. */
static bool find_flat(kf__low *L, const kf__held *h, kf__flat *flat) {
    uint16_t stores[64];
    uint32_t n = kf__low_all_stores(L, stores), last = L->k->n_stages - 1;
    if (L->n_axes != 2 || L->k->n_symbols) return false;
    if (is_light(L, kf__cpu_needed_to_store(L, NULL, stores, n))) return false;
    for (uint32_t k = 0; k < h->n; ++k) L->value[h->instr[k]] = kf__l_int(L, 0);
    bool is = kf__cpu_find_flat(L, last, NULL, flat) && flat->run.n_stores == n;
    for (uint32_t k = 0; k < h->n; ++k) L->value[h->instr[k]] = NULL;
    return is;
}

/* The sums of row r, and what else the run reads. */
static void put_flat_row(kf__low *L, const kf__flat *flat, const kf__lx *n) {
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), n);
    b.most = KF__CPU_SHORT;
    b.widens = true;
    kf__mask *mask = kf__cpu_needed(L, &b, flat->made.instr, flat->made.n);
    kf__cpu_prepare(L, &b, mask);
    put_scans(L, &b, mask);
    kf__cpu_put_flat_of(L, flat, &b);
}

static void put_short_row(kf__low *L, const kf__held *h, const kf__flat *flat, const kf__lx *n) {
    for (uint32_t k = 0; k < h->n; ++k) {
        const char *type = kf__ctype((kf__dtype)L->k->instrs[h->instr[k]].dtype);
        const char *name = kf__l_name(L, "arg%u", (unsigned)h->instr[k]);
        kf__put_let(L, kf__l_name(L, "const %s *", type), name,
                    kf__l_bin(L, "+", kf__l_var(L, h->name[k]), h->begin), NULL);
        L->value[h->instr[k]] = kf__l_item(L, name, kf__l_var(L, "l"));
    }
    if (flat) put_flat_row(L, flat, n);
    else put_line(L, kf__l_int(L, 0), n, KF__CPU_SHORT);
}

/* A function for short rows, if there is anything to be made first, or last. True: these are. */
static bool put_short_rows(kf__low *L, kf__scans *s) {
    kf__held h;
    kf__flat flat;
    if (!find_held(L, &h)) h = (kf__held){0};
    bool flattens = find_flat(L, &h, &flat);
    if (!h.n && !flattens) return false;
    int64_t size = L->axes[kf__last(L)].size;
    bool is = size > 0 && size <= KF__CPU_SHORT;
    kf__low_begin(L, "_short",
                  !flattens ? "Short rows: what is summed of several, then their sums."
                  : h.n     ? "Short rows: what is summed of several, their sums, what is made of these."
                            : "Short rows: the sums of several, then what is made of these.");
    L->fn->grain = kf__cpu_rows_of_group(L);
    L->fn->units = is ? kf__low_extent(L, false) : 0;
    kf__put_scalars(L);
    const kf__lx *first = kf__l_var(L, "first_row"), *zero = kf__l_int(L, 0);
    const kf__lx *n = kf__word_size(L, kf__last(L));
    if (flattens) kf__cpu_declare_flat(L, &flat);
    const kf__lx *rows = kf__cpu_open_rows(L, kf__cpu_most_rows(L));
    L->chunk = zero;
    kf__cpu_put_held(L, &h, rows, n);
    kf__open_for(L, "int64_t", "r", zero, rows, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *u = kf__put_let(L, "int64_t", "u", kf__l_bin(L, "+", first, kf__l_var(L, "r")),
                                  NULL);
    kf__put_decode(L, false, false, u);
    kf__put_rows(L, 0);
    kf__put_running(L, s, 0, NULL);
    L->held = h.n ? &h : NULL;
    put_short_row(L, &h, flattens ? &flat : NULL, n);
    L->held = NULL;
    kf__forget(L, KF__LEVEL_ROW);
    kf__close(L);
    if (flattens) kf__cpu_put_flat_run(L, &flat, &h, rows, n);
    kf__close(L);
    return is;
}

static void put_whole_rows(kf__low *L, kf__scans *s, bool is_short) {
    kf__low_begin(L, "", "Chunks of rows, each element from the one before it.");
    L->fn->units = is_short ? 0 : kf__low_extent(L, false) * s->chunks;
    bool stream = kf__cpu_stream_word(L);
    kf__cpu_prefetch_word(L, false);
    kf__put_scalars(L);
    kf__tables tables = {0};
    kf__cpu_use_tables(L, KF__CPU_BLOCK, &tables);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    put_rows(L, s);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
    L->tables = NULL;
}

void kf__cpu_scan(kf__low *L, kf__scans *s) {
    L->rows_inside = s->axis != kf__last(L);
    if (L->rows_inside) kf__cpu_scan_columns(L, s);
    else put_whole_rows(L, s, put_short_rows(L, s));
}
