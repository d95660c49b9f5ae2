/* Operands along t, through shared memory: loads by 16 bytes into registers and from there into the
 * tile, results from the tile to memory. See cuda_transpose.c. */
#include "lower/cuda_transpose.h"

static const char *register_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "g%u", (unsigned)i);
}

/* What an item of shared memory is, for a load: bits, by their number. */
static const char *bits_name(const kf__low *L, uint32_t i) {
    static const char *const names[] = {[1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64"};
    return names[kf__along_size(L, i)];
}

static const kf__lx *pitch(kf__low *L, uint32_t i) {
    const kf__lx *side = var(L, L->operands[i].store ? "tile_len" : "tile_rows");
    return plus(L, side, kf__l_int(L, kf__along_padding(L, i)));
}

void kf__cuda_from_shared(kf__low *L, const kf__tile *t, uint32_t access, const kf__lx *words) {
    if (L->dense) {
        kf__dense_take(L, t, access, words);
        return;
    }
    const char *name = kf__l_name(L, "kf_shared_take%d_%s", t->W, bits_name(L, access));
    const kf__lx *at = plus(L, times(L, t->along, pitch(L, access)), t->across);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, kf__cuda_tile_name(L, access)), at,
                               pitch(L, access), words));
}

void kf__cuda_to_shared(kf__low *L, const kf__tile *t, uint32_t access, const char *array) {
    if (L->dense) {
        kf__dense_put(L, t, access, array);
        return;
    }
    const kf__lx *e = var(L, "e");
    kf__open_for(L, "int", "e", kf__l_int(L, 0), kf__l_int(L, t->W), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *at = plus(L, plus(L, times(L, t->across, pitch(L, access)), t->along), e);
    kf__put_call(L, kf__l_call(L, "kf_shared_put_T", L->operands[access].dtype,
                               var(L, kf__cuda_tile_name(L, access)), at, kf__l_item(L, array, e)));
    kf__close(L);
}

/* Opens the loop over this thread's runs, of W elements, of operand i along t: r and l in the tile,
 * whether the run is in the array (left: how many of its elements are), and the pointer at it. */
static void open_runs(kf__low *L, const kf__shape *s, uint32_t i, int W, bool pointer) {
    const kf__lx *tid = var(L, "tid"), *q = var(L, "q"), *n = kf__l_int(L, W);
    const kf__lx *lanes = kf__put_let(L, "int", "lanes_t",
                                      kf__l_bin(L, "/", var(L, "tile_rows"), n), NULL);
    kf__open_for(L, "int", "q", kf__l_int(L, 0), kf__l_int(L, s->each / W), kf__l_int(L, 1),
                 KF__UNROLL);
    const kf__lx *step = kf__l_bin(L, "/", kf__l_int(L, KF__TILE_THREADS), lanes);
    kf__put_let(L, "int", "l", plus(L, kf__l_bin(L, "/", tid, lanes), times(L, q, step)), NULL);
    kf__put_let(L, "int", "r", times(L, kf__l_bin(L, "%", tid, lanes), n), NULL);
    if (!pointer) return;
    const char *type = kf__index_type(L), *axis = L->axes[L->tile].var;
    const kf__lx *at = kf__put_let(L, type, axis, plus(L, var(L, "t0"), var(L, "r")), NULL);
    const kf__lx *last = kf__put_let(L, type, "at", plus(L, var(L, "l0"), var(L, "l")), NULL);
    const kf__lx *size = kf__word_size(L, kf__last(L)), *high = kf__word_size(L, L->tile);
    const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", high, at), n);
    left = kf__l_select(L, kf__l_bin(L, "&&", kf__l_bin(L, "<", at, high),
                                     kf__l_bin(L, "<", last, size)),
                        left, kf__l_int(L, 0));
    kf__put_let(L, "int", "left", left, NULL);
    kf__put_let(L, kf__pointer_type(L, i), "p",
                plus(L, var(L, kf__word_operand(L, i)), kf__low_offset(L, i, last)), NULL);
}

static void close_runs(kf__low *L) {
    kf__close(L);
    kf__close(L);
}

/* The load of operand i. */
static uint32_t load_of(const kf__low *L, uint32_t i) {
    uint32_t n = 0;
    while (L->k->instrs[n].kind != KF__I_LOAD || L->k->instrs[n].access != i) ++n;
    return n;
}

/* The elements of a run that are inside, where load n has a guard: one line of a rectangle. */
static void put_inside(kf__low *L, uint32_t n, const kf__lx **begin, const kf__lx **end) {
    const kf__lx *size[] = {var(L, "left"), kf__l_int(L, 1)}, *from[2], *to[2];
    kf__put_rectangle(L, n, L->tile, var(L, "at"), size, from, to);
    if (from[0]->kind != KF__L_INT) *begin = from[0];
    *end = kf__l_select(L, kf__l_bin(L, "<", from[1], to[1]), to[0], from[0]);
    *end = kf__put_let(L, "int64_t", kf__l_name(L, "end%u", (unsigned)n), *end, NULL);
}

void kf__along_early(kf__low *L, const kf__shape *s, uint32_t i) {
    if (L->dense) {
        kf__dense_put_shared(L, kf__shape_size(s), i);
        kf__dense_early(L, kf__shape_size(s), i, kf__along_wide(L, i));
        return;
    }
    int items = kf__along_items(L, i);
    const char *words = register_name(L, i);
    kf__put_shared(L, kf__l_name(L, "int%d_t", 8 * kf__along_size(L, i)), kf__cuda_tile_name(L, i),
                   kf__shape_items(L, s, i));
    kf__put_var(L, "uint32_t", words, s->each * kf__along_size(L, i) / 4, NULL);
    kf__open_block(L);
    open_runs(L, s, i, items, true);
    const char *alias = kf__types[L->operands[i].dtype].alias;
    const kf__lx *to = plus(L, var(L, words), times(L, var(L, "q"), kf__l_int(L, 4)));
    const kf__lx *zero = kf__l_int(L, 0), *left = var(L, "left"), *begin = zero, *end = left;
    if (L->k->instrs[load_of(L, i)].n_args) put_inside(L, load_of(L, i), &begin, &end);
    if (begin != zero)
        kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", begin, zero),
                                 kf__l_bin(L, "==", end, left)));
    kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_load%d_%s", items, alias), KF__I64,
                               var(L, "p"), zero, begin == zero ? end : left,
                               kf__along_wide(L, i), to));
    if (begin != zero) {
        kf__open_else(L);
        kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_part%d_%s", items, alias), KF__I64,
                                   var(L, "p"), begin, end, to));
        kf__close(L);
    }
    close_runs(L);
}

bool kf__along_is_load(const kf__low *L, uint32_t i) {
    return kf__low_tiled(L, i) && !L->operands[i].store;
}

void kf__along_between(kf__low *L, kf__tile *t) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__along_is_load(L, i)) continue;
        kf__shape s = {.each = t->V * t->W};
        any = true;
        if (L->dense) {
            kf__dense_between(L, kf__shape_size(&s), i);
            continue;
        }
        kf__open_block(L);
        open_runs(L, &s, i, kf__along_items(L, i), false);
        const kf__lx *at = plus(L, times(L, var(L, "l"), pitch(L, i)), var(L, "r"));
        kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_shared_put16_%s", bits_name(L, i)), KF__I64,
                                   var(L, kf__cuda_tile_name(L, i)), at,
                                   plus(L, var(L, register_name(L, i)),
                                        times(L, var(L, "q"), kf__l_int(L, 4)))));
        close_runs(L);
    }
    if (any) kf__cuda_put_barrier(L);
}

void kf__put_advance(kf__low *L, const char *pointer, const char *step) {
    kf__put_set(L, var(L, pointer), plus(L, var(L, pointer), var(L, step)));
}

/* A thread's lines of a result along t, element by element: r of how many rows that are there, l of
 * how many lines, where its first one begins, and how far it is to the next one. */
static void put_lines(kf__low *L, uint32_t i) {
    const kf__lx *tid = var(L, "tid"), *t0 = var(L, "t0"), *zero = kf__l_int(L, 0);
    const kf__lx *lanes = kf__put_let(L, "int", "lanes_t", var(L, "tile_rows"), NULL);
    const kf__lx *step = kf__l_bin(L, "/", kf__l_int(L, KF__TILE_THREADS), lanes);
    step = kf__put_let(L, "int", "step_t", step, NULL);
    const kf__lx *l = kf__put_let(L, "int", "l", kf__l_bin(L, "/", tid, lanes), NULL);
    kf__put_let(L, "int", "r", kf__l_bin(L, "%", tid, lanes), NULL);
    const kf__lx *at = kf__put_let(L, kf__index_type(L), "at", plus(L, var(L, "l0"), l), NULL);
    const kf__lx *high = kf__word_size(L, L->tile), *size = kf__word_size(L, kf__last(L));
    const kf__lx *lines =
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, at), var(L, "tile_len"));
    lines = kf__l_select(L, kf__l_bin(L, "<", at, size), lines, zero);
    kf__put_let(L, "int", "lines", lines, NULL);
    high = kf__l_bin(L, "-", kf__as_i64(L, high), kf__as_i64(L, t0));
    kf__put_let(L, "int", "high", kf__l_call(L, "kf_min_i64", KF__I64, high, lanes),
                "rows that are there");
    kf__put_var(L, kf__pointer_type(L, i), "p", 0, kf__low_address(L, i, L->tile, "t0", at));
    kf__put_let(L, "int64_t", "d", times(L, step, kf__word_stride(L, i, kf__last(L))), NULL);
}

/* Neighbours by neighbouring threads, so that whole sectors are written; with rows above the tile
 * each line from a sector's beginning on. */
static void put_late_elements(kf__low *L, const kf__shape *s, uint32_t i) {
    kf__dtype type = L->operands[i].dtype;
    const kf__lx *zero = kf__l_int(L, 0), *above = var(L, "above"), *most = NULL;
    const kf__lx *passed = times(L, var(L, "q"), var(L, "step_t"));
    const kf__lx *there = kf__l_bin(L, "<", passed, var(L, "lines")), *r = var(L, "r"), *row = r;
    put_lines(L, i);
    if (s->above) {
        const kf__lx *low = kf__l_bin(L, "-", zero, above);
        low = kf__l_select(L, kf__l_bin(L, "<", zero, var(L, "t0")), low, zero);
        kf__put_let(L, "int", "low", low, NULL);
        most = kf__l_select(L, above, kf__l_int(L, kf__along_sector(L, i) - 1), zero);
        kf__put_let(L, "int", "most", most, "elements before a line, of its sector");
    }
    kf__open_for(L, "int", "q", zero, kf__l_int(L, s->each), kf__l_int(L, 1), KF__UNROLL);
    if (s->above) {
        const kf__lx *before = kf__l_call(L, "kf_in_sector", KF__I32, var(L, "p"),
                                          kf__l_int(L, kf__types[type].size));
        before = kf__l_bin(L, "&", before, var(L, "most"));
        r = kf__put_let(L, "int", "y", kf__l_bin(L, "-", r, before), NULL);
        there = kf__l_bin(L, "&&", there, kf__l_bin(L, "<=", var(L, "low"), r));
        row = plus(L, r, above);
    }
    kf__open_if(L, kf__l_bin(L, "&&", there, kf__l_bin(L, "<", r, var(L, "high"))));
    const kf__lx *item = plus(L, plus(L, times(L, row, pitch(L, i)), var(L, "l")), passed);
    item = kf__l_call(L, "kf_shared_get_T", type, var(L, kf__cuda_tile_name(L, i)), item);
    kf__put_store(L, i, "p", r, item);
    kf__close(L);
    kf__put_advance(L, "p", "d");
    kf__close(L);
}

void kf__along_late(kf__low *L, const kf__shape *s, uint32_t i) {
    if (L->dense) {
        kf__dense_late(L, kf__shape_size(s), i, kf__along_wide(L, i));
        return;
    }
    kf__dtype type = L->operands[i].dtype;
    const kf__lx *e = var(L, "e"), *n = kf__l_int(L, kf__along_items(L, i));
    kf__open_if(L, kf__along_wide(L, i));
    open_runs(L, s, i, kf__along_items(L, i), true);
    kf__put_var(L, kf__ctype(type), "w", kf__along_items(L, i), NULL);
    kf__open_for(L, "int", "e", kf__l_int(L, 0), n, kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *row = plus(L, var(L, "r"), e);
    if (s->above) row = plus(L, row, var(L, "above"));
    const kf__lx *at = plus(L, times(L, row, pitch(L, i)), var(L, "l"));
    kf__put_set(L, kf__l_item(L, "w", e),
                kf__l_call(L, "kf_shared_get_T", type, var(L, kf__cuda_tile_name(L, i)), at));
    kf__close(L);
    const char *name = kf__l_name(L, "kf_store%d_%s", kf__along_items(L, i), kf__types[type].alias);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, "p"), kf__l_int(L, 0), var(L, "left"),
                               kf__along_wide(L, i), var(L, "w")));
    kf__close(L);
    kf__open_else(L);
    put_late_elements(L, s, i);
    kf__close(L);
}
