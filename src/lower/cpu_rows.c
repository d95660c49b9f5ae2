/* Kernels on the CPU whose innermost axis is reduced: rows.
 *
 * rows      every stage of a row in one unit, the row read again from cache by the later ones
 *
 *     for (u = begin; u < end; ++u)                one row
 *         for each stage
 *             for each block of the row            running state = merge(running state, block's)
 *                 for each field of the states     64 lanes, then a tree; the block is in L1
 *                 stores of this stage
 *             results of the stage, row-level instructions
 *
 * reduce    nothing at element level follows the reduction: units are chunks of rows, and a second
 *           function merges a row's chunks. A chunk is a fixed number of elements, so that the
 * order of a sum depends on the row's length only.
 */
#include "lower/cpu.h"

enum { KF__CPU_CHUNK = 16 * KF__CPU_BLOCK };

typedef const kf__lx *state_fields[KF__MAX_FIELDS];

/* ---------------------------------------------------------------- one block */

static const char *lanes_name(kf__low *L, uint32_t red, int f) {
    return kf__field_name(L, "lanes", red, f);
}

static void put_lanes(kf__low *L, uint32_t red, int f) {
    const char *lanes = lanes_name(L, red, f);
    kf__put_var(L, kf__ctype(kf__lane_type(L, red, f)), lanes, KF__CPU_LANES, NULL);
    kf__open_for(L, "int", "l", kf__l_int(L, 0), kf__l_int(L, KF__CPU_LANES), kf__l_int(L, 1),
                 KF__SIMD);
    kf__put_set(L, kf__l_item(L, lanes, kf__l_var(L, "l")), kf__lane_identity(L, red, f));
    kf__close(L);
}

static void put_tree(kf__low *L, uint32_t red, int f) {
    const char *lanes = lanes_name(L, red, f);
    const kf__lx *l = kf__l_var(L, "l"), *w = kf__l_var(L, "w");
    kf__open_halve(L, "w", kf__l_int(L, KF__CPU_LANES / 2));
    kf__open_for(L, "int", "l", kf__l_int(L, 0), w, kf__l_int(L, 1), KF__SIMD);
    kf__put_set(L, kf__l_item(L, lanes, l),
                kf__fold_of(L, red, f, kf__l_item(L, lanes, l),
                            kf__l_item(L, lanes, kf__l_bin(L, "+", l, w))));
    kf__close(L);
    kf__close(L);
}

typedef struct pass {
    int field, n_fields; /* n_fields: the most that a reduction has */
    const uint16_t *reds, *stores;
    uint32_t n_reds, n_stores;
    const kf__mask *mask;
    const char **keep; /* [n_reds] buffers of dear arguments, or NULL */
    state_fields *fields;
} pass;

/* Elements l of a group that starts at `group`, up to `to`. */
static void put_group(kf__low *L, kf__cpu_block *b, const pass *p, const kf__lx *group,
                      const kf__lx *to) {
    const kf__lx *l = kf__l_var(L, "l"), *e = kf__l_bin(L, "+", group, l);
    const kf__lx *at = kf__l_call(L, "kf_cast_i64_i32", KF__I64, e);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), to, kf__l_int(L, 1), KF__SIMD);
    kf__mask *before = KF__NEW(L->arena, kf__mask, L->k->n_instrs / 64 + 1);
    for (uint32_t i = 0; before && i < L->k->n_instrs; ++i)
        if (L->value[i]) before[i / 64] |= (kf__mask)1 << (i % 64);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint16_t arg = L->k->instrs[p->reds[r]].args[0];
        if (p->field > 0 && p->keep[r]) L->value[arg] = kf__l_item(L, p->keep[r], e);
    }
    kf__cpu_body(L, b, p->mask, e);
    if (p->field == 0) kf__cpu_stores(L, b, p->stores, p->n_stores, e);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (kf__fields(L, red) <= p->field) continue;
        const kf__lx *x = kf__value_of(L, L->k->instrs[red].args[0]);
        if (p->field == 0 && p->keep[r]) kf__put_set(L, kf__l_item(L, p->keep[r], e), x);
        const kf__lx *term = kf__term(L, red, p->field, x, at, p->fields[r]);
        if (term != x)
            term = kf__put_let(L, kf__ctype(kf__lane_type(L, red, p->field)),
                               kf__l_name(L, "term%u", (unsigned)red), term, NULL);
        const kf__lx *lane = kf__l_item(L, lanes_name(L, red, p->field), l);
        kf__put_set(L, lane, kf__fold_of(L, red, p->field, lane, term));
    }
    kf__close(L);
    for (uint32_t i = 0; before && i < L->k->n_instrs; ++i)
        if (!kf__has(before, i)) L->value[i] = NULL;
    if (!before) L->failed = true;
}

static void put_pass(kf__low *L, kf__cpu_block *b, pass *p) {
    uint16_t roots[256];
    uint32_t n = 0;
    for (uint32_t r = 0; r < p->n_reds && n < 128; ++r)
        if (kf__fields(L, p->reds[r]) > p->field && !(p->field > 0 && p->keep[r]))
            roots[n++] = L->k->instrs[p->reds[r]].args[0];
    for (uint32_t s = 0; p->field == 0 && s < p->n_stores; ++s)
        roots[n++] = L->k->stores[p->stores[s]].instr;
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    p->mask = mask;
    for (uint32_t r = 0; p->field == 0 && r < p->n_reds; ++r) {
        uint16_t arg = L->k->instrs[p->reds[r]].args[0];
        if (kf__fields(L, p->reds[r]) < 2) continue;
        if (!kf__is_dear(L, kf__low_needed(L, KF__LEVEL_FULL, &arg, 1))) continue;
        p->keep[r] = kf__l_name(L, "keep%u", (unsigned)p->reds[r]);
        kf__put_var(L, kf__ctype(kf__state_type(L, p->reds[r])), p->keep[r], KF__CPU_BLOCK, NULL);
    }
    kf__cpu_prepare(L, b, mask);
    if (p->field + 1 == p->n_fields) kf__cpu_prefetch(L, b, mask, false);
    if (p->field == 0) kf__cpu_store_targets(L, b, p->stores, p->n_stores);
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (kf__fields(L, p->reds[r]) > p->field) put_lanes(L, p->reds[r], p->field);

    const kf__lx *lanes = kf__l_int(L, KF__CPU_LANES), *zero = kf__l_int(L, 0);
    const char *name = kf__l_name(L, "whole%d", p->field);
    const kf__lx *whole = kf__put_let(
        L, "int64_t", name, kf__l_bin(L, "-", b->len, kf__l_bin(L, "%", b->len, lanes)), NULL);
    kf__open_for(L, "int64_t", "group", zero, whole, lanes, KF__SERIAL);
    put_group(L, b, p, kf__l_var(L, "group"), lanes);
    kf__close(L);
    put_group(L, b, p, whole, kf__l_bin(L, "-", b->len, whole));

    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (kf__fields(L, red) <= p->field) continue;
        put_tree(L, red, p->field);
        const kf__lx *folded = kf__l_item(L, lanes_name(L, red, p->field), zero);
        p->fields[r][p->field] =
            kf__put_let(L, kf__ctype(kf__field_type(L, red, p->field)),
                        kf__field_name(L, "block", red, p->field),
                        kf__close_of(L, red, p->field, folded, kf__count_as(L, red, b->len),
                                     b->begin), NULL);
    }
}

void kf__cpu_block_passes(kf__low *L, kf__cpu_block *b, const uint16_t *reds, uint32_t n_reds,
                          const uint16_t *stores, uint32_t n_stores,
                          const kf__lx *fields[][KF__MAX_FIELDS]) {
    const char **keep = KF__NEW(L->arena, const char *, n_reds + 1);
    if (!keep) {
        L->failed = true;
        return;
    }
    pass p = {.reds = reds, .n_reds = n_reds, .stores = stores, .n_stores = n_stores, .keep = keep,
              .fields = fields};
    int most = 1;
    for (uint32_t r = 0; r < n_reds; ++r)
        if (kf__fields(L, reds[r]) > most) most = kf__fields(L, reds[r]);
    p.n_fields = most;
    for (p.field = 0; p.field < most; ++p.field) put_pass(L, b, &p);
}

/* ---------------------------------------------------------------- one stage over a range */

typedef struct stage {
    uint16_t reds[64], stores[64];
    uint32_t n_reds, n_stores;
    state_fields running[64];
    const char *done; /* elements reduced so far */
} stage;

static void open_stage(kf__low *L, stage *st, uint32_t s) {
    uint16_t *all = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
    *st = (stage){0};
    if (!all) {
        L->failed = true;
        return;
    }
    st->n_reds = kf__low_reductions(L, s, all);
    if (st->n_reds > 64) {
        L->failed = true;
        st->n_reds = 64;
    }
    memcpy(st->reds, all, st->n_reds * sizeof *all);
    st->n_stores = kf__low_stores(L, s, st->stores);
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, st->reds[r]); ++f)
            st->running[r][f] = kf__put_var(L, kf__ctype(kf__field_type(L, st->reds[r], f)),
                                            kf__field_name(L, "state", st->reds[r], f),
                                            0, kf__identity(L, st->reds[r], f));
    if (st->n_reds) {
        st->done = kf__l_name(L, "done%u", (unsigned)s);
        kf__put_var(L, "int64_t", st->done, 0, kf__l_int(L, 0));
    }
}

/* begin: the block's index among what a row reduces. */
static void put_block_of_stage(kf__low *L, stage *st, const kf__lx *begin, const kf__lx *first,
                               const kf__lx *len) {
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, first, len);
    b.begin = begin;
    if (st->n_reds) {
        state_fields fields[64];
        kf__cpu_block_passes(L, &b, st->reds, st->n_reds, st->stores, st->n_stores, fields);
        for (uint32_t r = 0; r < st->n_reds; ++r)
            kf__put_merge(L, st->reds[r], st->running[r], fields[r],
                          kf__count_as(L, st->reds[r], kf__l_var(L, st->done)),
                          kf__count_as(L, st->reds[r], len));
        kf__put_set(L, kf__l_var(L, st->done), kf__l_bin(L, "+", kf__l_var(L, st->done), len));
    } else {
        uint16_t roots[64];
        for (uint32_t s = 0; s < st->n_stores; ++s) roots[s] = L->k->stores[st->stores[s]].instr;
        kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, st->n_stores);
        kf__cpu_prepare(L, &b, mask);
        kf__cpu_prefetch(L, &b, mask, true);
        kf__cpu_store_targets(L, &b, st->stores, st->n_stores);
        kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
        kf__cpu_body(L, &b, mask, kf__l_var(L, "l"));
        kf__cpu_stores(L, &b, st->stores, st->n_stores, kf__l_var(L, "l"));
        kf__close(L);
    }
    kf__cpu_flush(L, &b, st->stores, st->n_stores);
    kf__cpu_forget(L, NULL);
}

static int reduced_axes(const kf__low *L) {
    int n = 0;
    for (int m = 0; m < L->n_axes; ++m) n += L->axes[m].reduced;
    return n;
}

/* The stage over the reduced indices [from, to), block by block. */
static void put_stage(kf__low *L, stage *st, const kf__lx *from, const kf__lx *to) {
    const kf__lx *block = kf__l_int(L, KF__CPU_BLOCK);
    if (reduced_axes(L) == 1) {
        kf__open_for(L, "int64_t", "first", from, to, block, KF__SERIAL);
        const kf__lx *first = kf__l_var(L, "first");
        const kf__lx *len = kf__put_let(
            L, "int64_t", "len",
            kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", to, first), block), NULL);
        put_block_of_stage(L, st, first, first, len);
        kf__close(L);
        return;
    }
    const kf__lx *line = kf__word_size(L, kf__last(L)), *at = kf__l_var(L, "at");
    kf__open_block(L);
    const kf__lx *len = kf__put_var(L, "int64_t", "len", 0, kf__l_int(L, 0));
    kf__open_for(L, "int64_t", "at", from, to, len, KF__SERIAL);
    kf__put_let(L, "int64_t", "line", kf__l_bin(L, "/", at, line), NULL);
    kf__put_decode(L, true, true, kf__l_var(L, "line"));
    const kf__lx *first = kf__put_let(L, "int64_t", "first", kf__l_bin(L, "%", at, line), NULL);
    const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", line, first),
                                    kf__l_bin(L, "-", to, at));
    kf__put_set(L, len, kf__l_call(L, "kf_min_i64", KF__I64, left, block));
    put_block_of_stage(L, st, at, first, len);
    kf__close(L);
    kf__close(L);
}

static void project_all(kf__low *L, const stage *st, const kf__lx *total) {
    for (uint32_t r = 0; r < st->n_reds; ++r)
        kf__put_project(L, st->reds[r], st->running[r], total);
}

/* ---------------------------------------------------------------- rows */

void kf__cpu_rows(kf__low *L) {
    kf__low_begin(L, "", "One row after another, all stages of a row together.");
    L->fn->units = kf__low_extent(L, false);
    int64_t length = kf__low_extent(L, true);
    L->fn->grain = kf__max(1, 4096 / kf__max(1, length));
    bool stream = kf__cpu_stream_word(L);
    const kf__lx *n = reduced_axes(L) == 1 ? kf__word_size(L, kf__last(L))
                                           : kf__word_int(L, "reduced", length);
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    kf__put_decode(L, false, false, kf__l_var(L, "u"));
    kf__put_rows(L, 0);
    for (uint32_t s = 0; s < L->k->n_stages; ++s) {
        stage *st = KF__NEW(L->arena, stage, 1);
        if (!st) {
            L->failed = true;
            return;
        }
        open_stage(L, st, s);
        if (st->n_reds || st->n_stores) put_stage(L, st, kf__l_int(L, 0), n);
        project_all(L, st, n);
        kf__put_rows(L, s + 1);
    }
    kf__put_row_stores(L);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
}

/* ---------------------------------------------------------------- reduce */

static const kf__lx *partial(kf__low *L, const int64_t offsets[][KF__MAX_FIELDS], uint32_t r,
                             uint32_t red, int f) {
    return kf__word_partial(L, kf__field_name(L, "part", red, f),
                            kf__field_type(L, red, f), offsets[r][f]);
}

static void put_finish(kf__low *L, const stage *st, const kf__lx *total) {
    project_all(L, st, total);
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
}

/* Merge a row's chunks, in order; sums over 64 lanes, so that no chain gets long. */
static void put_combine(kf__low *L, const stage *st, const int64_t offsets[][KF__MAX_FIELDS],
                        const kf__lx *chunks, const kf__lx *n) {
    const kf__lx *c = kf__l_var(L, "c"), *lanes = kf__l_int(L, KF__CPU_LANES);
    for (uint32_t r = 0; r < st->n_reds; ++r)
        if (kf__is_simple(L, st->reds[r])) put_lanes(L, st->reds[r], 0);
    kf__open_for(L, "int64_t", "c", kf__l_int(L, 0), chunks, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *at =
        kf__put_let(L, "int64_t", "at",
                    kf__l_bin(L, "+", kf__l_bin(L, "*", kf__l_var(L, "u"), chunks), c), NULL);
    const kf__lx *size = kf__l_int(L, KF__CPU_CHUNK);
    const kf__lx *before = kf__put_let(L, "int64_t", "before", kf__l_bin(L, "*", c, size), NULL);
    const kf__lx *count = kf__put_let(
        L, "int64_t", "count",
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", n, before), size), NULL);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        uint32_t red = st->reds[r];
        state_fields q;
        for (int f = 0; f < kf__fields(L, red); ++f)
            q[f] = kf__put_let(L, kf__ctype(kf__field_type(L, red, f)),
                               kf__field_name(L, "q", red, f),
                               kf__l_call(L, "kf_load_T", kf__field_type(L, red, f),
                                          partial(L, offsets, r, red, f), at),
                               NULL);
        if (kf__is_simple(L, red)) {
            const kf__lx *lane = kf__l_item(L, lanes_name(L, red, 0), kf__l_bin(L, "%", c, lanes));
            kf__put_set(L, lane, kf__fold_of(L, red, 0, lane, q[0]));
        } else {
            kf__put_merge(L, red, st->running[r], q, kf__count_as(L, red, before),
                          kf__count_as(L, red, count));
        }
    }
    kf__close(L);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        if (!kf__is_simple(L, st->reds[r])) continue;
        put_tree(L, st->reds[r], 0);
        kf__put_set(L, st->running[r][0],
                    kf__l_item(L, lanes_name(L, st->reds[r], 0), kf__l_int(L, 0)));
    }
}

void kf__cpu_reduce(kf__low *L) {
    stage *st = KF__NEW(L->arena, stage, 1);
    int64_t(*offsets)[KF__MAX_FIELDS] = (int64_t(*)[KF__MAX_FIELDS])KF__NEW(
        L->arena, int64_t, KF__MAX_FIELDS * (size_t)(L->k->n_instrs + 1));
    if (!st || !offsets) {
        L->failed = true;
        return;
    }
    int64_t length = kf__low_extent(L, true), rows = kf__low_extent(L, false);
    int64_t n_chunks = kf__max(1, kf__ceil_div(length, KF__CPU_CHUNK));

    kf__low_begin(L, "", "A chunk of a row after another; a row of one chunk is finished here.");
    L->fn->units = rows * n_chunks;
    L->fn->grain = kf__max(1, 4096 / kf__max(1, length));
    bool stream = kf__cpu_stream_word(L);
    const kf__lx *n = kf__word_int(L, "reduced", length), *u = kf__l_var(L, "u");
    const kf__lx *chunks = kf__word_int(L, "chunks", n_chunks), *one = kf__l_int(L, 1);
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), one, KF__SERIAL);
    kf__put_let(L, "int64_t", "row", kf__l_bin(L, "/", u, chunks), NULL);
    const kf__lx *from = kf__put_let(
        L, "int64_t", "from",
        kf__l_bin(L, "*", kf__l_bin(L, "%", u, chunks), kf__l_int(L, KF__CPU_CHUNK)), NULL);
    const kf__lx *to = kf__put_let(L, "int64_t", "to",
                                   kf__l_call(L, "kf_min_i64", KF__I64, n,
                                              kf__l_bin(L, "+", from, kf__l_int(L, KF__CPU_CHUNK))),
                                   NULL);
    kf__put_decode(L, false, false, kf__l_var(L, "row"));
    kf__put_rows(L, 0);
    open_stage(L, st, 0);
    put_stage(L, st, from, to);
    kf__open_if(L, kf__l_bin(L, "==", chunks, one));
    put_finish(L, st, n);
    kf__open_else(L);
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, st->reds[r]); ++f) {
            kf__dtype type = kf__field_type(L, st->reds[r], f);
            offsets[r][f] = kf__low_scratch(L, n_chunks > 1 ? rows * n_chunks : 0, type);
            kf__put_call(L, kf__l_call(L, "kf_store_T", type,
                                       partial(L, (const int64_t(*)[KF__MAX_FIELDS])offsets, r,
                                               st->reds[r], f),
                                       u, st->running[r][f]));
        }
    kf__close(L);
    kf__close(L);
    if (stream) kf__cpu_fence(L);

    kf__low_begin(L, "_merge", "Merges the chunks of each row.");
    L->fn->units = n_chunks > 1 ? rows : 0;
    L->fn->work_bytes = rows * n_chunks * 8;
    n = kf__word_int(L, "reduced", length);
    chunks = kf__word_int(L, "chunks", n_chunks);
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), one, KF__SERIAL);
    kf__put_decode(L, false, false, u);
    kf__put_rows(L, 0);
    open_stage(L, st, 0);
    put_combine(L, st, (const int64_t(*)[KF__MAX_FIELDS])offsets, chunks, n);
    put_finish(L, st, n);
    kf__close(L);
}
