/* Kernels on the CPU that reduce rows, and compute nothing of elements behind that: units are
 * chunks of rows, and a second function merges a row's chunks. A chunk is a fixed number of
 * elements, so that the order of a sum depends on the row's length only. For short rows: see
 * cpu_short.c. */
#include "lower/cpu.h"

enum {
    CHUNK = 16 * KF__CPU_BLOCK,
    DEAR_CHUNK = 2 * KF__CPU_BLOCK, /* takes as long where a function is taken of each */
};

static const kf__lx *partial(kf__low *L, const int64_t offsets[][KF__MAX_FIELDS], uint32_t r,
                             uint32_t red, int f) {
    return kf__word_partial(L, kf__field_name(L, "part", red, f),
                            kf__field_type(L, red, f), offsets[r][f]);
}

static void put_finish(kf__low *L, const kf__cpu_stage *st, const kf__lx *total) {
    kf__cpu_project_all(L, st, total);
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
}

/* Merge a row's chunks, in order; sums over 64 lanes and other states as a tree, so that no chain
 * gets long. */
static void put_combine(kf__low *L, const kf__cpu_stage *st,
                        const int64_t offsets[][KF__MAX_FIELDS], const kf__lx *chunks,
                        const kf__lx *size, const kf__lx *n) {
    const kf__lx *c = kf__l_var(L, "c"), *lanes = kf__l_int(L, KF__CPU_LANES);
    kf__merges m = {.n = 0};
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        if (kf__is_simple(L, st->reds[r])) kf__cpu_put_lanes(L, st->reds[r], 0);
        kf__cpu_add_merge(L, &m, st->reds[r], st->running[r]);
    }
    kf__cpu_open_merges(L, &m);
    kf__open_for(L, "int64_t", "c", kf__l_int(L, 0), chunks, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *at =
        kf__put_let(L, "int64_t", "at",
                    kf__l_bin(L, "+", kf__l_bin(L, "*", kf__l_var(L, "u"), chunks), c), NULL);
    const kf__lx *before = kf__put_let(L, "int64_t", "before", kf__l_bin(L, "*", c, size), NULL);
    const kf__lx *count = kf__put_let(
        L, "int64_t", "count",
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", n, before), size), NULL);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        uint32_t red = st->reds[r];
        kf__state_fields q;
        for (int f = 0; f < kf__fields(L, red); ++f)
            q[f] = kf__put_let(L, kf__ctype(kf__field_type(L, red, f)),
                               kf__field_name(L, "q", red, f),
                               kf__l_call(L, "kf_load_T", kf__field_type(L, red, f),
                                          partial(L, offsets, r, red, f), at),
                               NULL);
        if (kf__is_simple(L, red)) {
            const kf__lx *lane =
                kf__l_item(L, kf__cpu_lanes_name(L, red, 0), kf__l_bin(L, "%", c, lanes));
            kf__put_set(L, lane, kf__fold_of(L, red, 0, lane, q[0]));
        } else if (!kf__cpu_take_block(L, &m, red, q)) {
            kf__put_merge(L, red, st->running[r], q, kf__count_as(L, red, before),
                          kf__count_as(L, red, count));
        }
    }
    kf__cpu_put_merges(L, &m, count);
    kf__close(L);
    kf__cpu_close_merges(L, &m);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        if (!kf__is_simple(L, st->reds[r])) continue;
        kf__cpu_put_tree(L, st->reds[r], 0);
        kf__put_set(L, st->running[r][0],
                    kf__l_item(L, kf__cpu_lanes_name(L, st->reds[r], 0), kf__l_int(L, 0)));
    }
}

/* Of 100,000 elements four large chunks would be two for one thread of two, and one and a bit for
 * the other. */
static int64_t chunk_of(kf__low *L) {
    return kf__is_dear(L, kf__cpu_of_stage(L, 0)) ? DEAR_CHUNK : CHUNK;
}

void kf__cpu_reduce(kf__low *L) {
    kf__cpu_stage *st = KF__NEW(L->arena, kf__cpu_stage, 1);
    int64_t(*offsets)[KF__MAX_FIELDS] = (int64_t(*)[KF__MAX_FIELDS])KF__NEW(
        L->arena, int64_t, KF__MAX_FIELDS * (size_t)(L->k->n_instrs + 1));
    if (!st || !offsets) {
        L->failed = true;
        return;
    }
    int64_t length = kf__low_extent(L, true), rows = kf__low_extent(L, false);
    int64_t chunk = chunk_of(L);
    const kf__lx *size = kf__l_int(L, chunk);
    int64_t n_chunks = kf__max(1, kf__ceil_div(length, chunk));

    bool done = kf__cpu_short_rows(L);
    kf__low_begin(L, "", "A chunk of a row after another; a row of one chunk is finished here.");
    L->fn->units = done ? 0 : rows * n_chunks;
    L->fn->grain = kf__max(1, 4096 / kf__max(1, length));
    bool stream = kf__cpu_stream_word(L);
    const kf__lx *n = kf__word_int(L, "reduced", length), *u = kf__l_var(L, "u");
    const kf__lx *chunks = kf__word_int(L, "chunks", n_chunks), *one = kf__l_int(L, 1);
    kf__put_scalars(L);
    kf__tables tables = {0};
    kf__cpu_use_tables(L, KF__CPU_BLOCK, &tables);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), one, KF__SERIAL);
    kf__put_let(L, "int64_t", "row", kf__l_bin(L, "/", u, chunks), NULL);
    const kf__lx *from = kf__put_let(
        L, "int64_t", "from",
        kf__l_bin(L, "*", kf__l_bin(L, "%", u, chunks), size), NULL);
    const kf__lx *to = kf__put_let(L, "int64_t", "to",
                                   kf__l_call(L, "kf_min_i64", KF__I64, n,
                                              kf__l_bin(L, "+", from, size)),
                                   NULL);
    kf__put_decode(L, false, false, kf__l_var(L, "row"));
    kf__put_rows(L, 0);
    kf__cpu_open_stage(L, st, 0);
    kf__cpu_put_stage(L, st, from, to);
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
    L->tables = NULL;

    kf__low_begin(L, "_merge", "Merges the chunks of each row.");
    L->fn->units = n_chunks > 1 ? rows : 0;
    L->fn->work_bytes = rows * n_chunks * 8;
    n = kf__word_int(L, "reduced", length);
    chunks = kf__word_int(L, "chunks", n_chunks);
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), one, KF__SERIAL);
    kf__put_decode(L, false, false, u);
    kf__put_rows(L, 0);
    kf__cpu_open_stage(L, st, 0);
    put_combine(L, st, (const int64_t(*)[KF__MAX_FIELDS])offsets, chunks, size, n);
    put_finish(L, st, n);
    kf__close(L);
}
