/* One stage of a kernel that reduces rows, over a range of a row: loops over blocks that are in L1,
 * or over short lines that are put one behind the other until they are a block. For each block the
 * fields of its states are reduced one after another, its results stored, and its states merged
 * into the row's. */
#include "lower/cpu.h"

enum {
    SHORT_LINE = 200, /* from there on its lanes and trees take less than to copy it */
    PART = 256, /* elements of lines that functions are taken of at once */
    MOST_AGAIN = 4, /* arrays of halves that are stored and reduced */
};

void kf__cpu_open_stage(kf__low *L, kf__cpu_stage *st, uint32_t s) {
    uint16_t *all = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
    *st = (kf__cpu_stage){0};
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
    st->s = s;
    if (st->n_reds) st->done = kf__l_name(L, "done%u", (unsigned)s);
    kf__cpu_put_states(L, st, 0);
}

void kf__cpu_put_states(kf__low *L, kf__cpu_stage *st, int made) {
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        uint32_t red = st->reds[r];
        for (int f = 0; f < kf__fields(L, red); ++f) {
            bool is = f < kf__cpu_made(L, st, r, made);
            const kf__lx *begin = is ? kf__cpu_state_of_row(L, red, f) : kf__identity(L, red, f);
            st->running[r][f] = kf__put_var(L, kf__ctype(kf__field_type(L, red, f)),
                                            kf__field_name(L, "state", red, f), 0, begin);
        }
    }
    if (st->n_reds) kf__put_var(L, "int64_t", st->done, 0, kf__l_int(L, 0));
}

/* Lines may be of one element: so many sums of lines, added in order, would lose digits. Their
 * roundings are added, too (Knuth's TwoSum), and finally made up for. States that are no sums are
 * merged as a tree. */
static void open_lines_states(kf__low *L, kf__cpu_stage *st) {
    kf__merges *m = &st->merges;
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        uint32_t red = st->reds[r];
        kf__dtype type = kf__state_type(L, red);
        st->rest[r] = NULL;
        if (!kf__cpu_kept_of(st->fill, red)) kf__cpu_add_merge(L, m, red, st->running[r]);
        if (L->k->instrs[red].op != KF__RED_SUM || !kf__is_float(type)) continue;
        st->rest[r] = kf__put_var(L, kf__ctype(type), kf__field_name(L, "rest", red, 0), 0,
                                  kf__identity(L, red, 0));
    }
    kf__cpu_open_merges(L, m);
}

static void put_rest(kf__low *L, const kf__cpu_stage *st, uint32_t r, const kf__lx *block) {
    kf__dtype type = kf__state_type(L, st->reds[r]);
    const kf__lx *sum = st->running[r][0], *rest = st->rest[r];
    const kf__lx *next = kf__put_let(L, kf__ctype(type), kf__field_name(L, "next", st->reds[r], 0),
                                     kf__l_bin(L, "+", sum, block), NULL);
    const kf__lx *lost = kf__l_code(L, "kf_sum_rest_T(a, b, c)", type, "a b c", 3,
                                    (const kf__lx *[]){sum, block, next});
    kf__put_set(L, rest, kf__l_bin(L, "+", rest, lost));
    kf__put_set(L, sum, next);
}

static void close_lines_states(kf__low *L, kf__cpu_stage *st) {
    kf__cpu_close_merges(L, &st->merges);
    st->merges.n = 0;
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        if (!st->rest[r]) continue;
        const kf__lx *both[] = {st->running[r][0], st->rest[r]};
        kf__put_set(L, both[0], kf__l_code(L, "kf_sum_whole_T(a, b)",
                                           kf__state_type(L, st->reds[r]), "a b", 2, both));
    }
}

/* The block's state is the row's, if it is the first: to merge would take a division of each short
 * row, or two exponentials. */
static void put_block_state(kf__low *L, const kf__cpu_stage *st, uint32_t r,
                            const kf__lx *const *block, const kf__lx *len) {
    uint32_t red = st->reds[r];
    const kf__lx *done = kf__l_var(L, st->done);
    bool simple = kf__is_simple(L, red);
    if (L->held) { /* there is no other one */
        for (int f = 0; f < kf__fields(L, red); ++f)
            if (block[f] != st->running[r][f]) kf__put_set(L, st->running[r][f], block[f]);
        return;
    }
    if (!simple) {
        kf__open_if(L, kf__l_bin(L, "==", done, kf__l_int(L, 0)));
        for (int f = 0; f < kf__fields(L, red); ++f) kf__put_set(L, st->running[r][f], block[f]);
        kf__open_else(L);
    }
    kf__put_merge(L, red, st->running[r], block, kf__count_as(L, red, done),
                  kf__count_as(L, red, len));
    if (!simple) kf__close(L);
}

/* kept: buffers of the reductions' arguments, if all are in one; or NULL. */
static void put_reductions(kf__low *L, kf__cpu_block *b, kf__cpu_stage *st, const char **kept) {
    kf__state_fields fields[64];
    kf__pass p = {.reds = st->reds, .n_reds = st->n_reds, .stores = st->stores,
              .n_stores = st->n_stores, .fields = fields, .fill = st->fill, .use = st->use,
              .save = st->save, .stored = st->stored, .keep = kept, .kept = kept, .stage = st};
    kf__cpu_put_passes(L, b, &p);
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        if (kf__cpu_kept_of(st->fill, st->reds[r])) {
            const kf__lx *max = st->running[r][0];
            if (max != fields[r][0])
                kf__put_set(L, max, kf__fold_of(L, st->reds[r], 0, max, fields[r][0]));
            continue;
        }
        if (st->rest[r]) {
            put_rest(L, st, r, fields[r][0]);
            continue;
        }
        if (!kf__cpu_take_block(L, &st->merges, st->reds[r], fields[r]))
            put_block_state(L, st, r, fields[r], b->len);
    }
    kf__cpu_put_merges(L, &st->merges, b->len);
    kf__put_set(L, kf__l_var(L, st->done), kf__l_bin(L, "+", kf__l_var(L, st->done), b->len));
}

/* The row's maxima are known: its exponentials, summed and kept. */
static void put_sums_of_kept(kf__low *L, kf__cpu_block *b, const kf__cpu_stage *st) {
    uint16_t reds[64];
    uint32_t n = 0;
    kf__state_fields fields[64];
    const kf__lx *sum[64];
    const char *keep[64] = {NULL};
    for (uint32_t r = 0; r < st->n_reds; ++r) {
        if (!kf__cpu_kept_of(st->fill, st->reds[r])) continue;
        fields[n][0] = st->running[r][0];
        sum[n] = st->running[r][1];
        reds[n++] = st->reds[r];
    }
    kf__pass p = {.field = 1, .n_fields = 1, .reds = reds, .n_reds = n, .keep = keep,
                  .fill = st->fill, .summing = true, .fields = fields};
    kf__cpu_put_pass(L, b, &p);
    for (uint32_t r = 0; r < n; ++r)
        kf__put_set(L, sum[r], kf__fold_of(L, reds[r], 1, sum[r], fields[r][1]));
}

/* Are the stage's stores better made by a loop of their own? Bytes and halves in a loop of lanes
 * make its vectors narrow, and leave single steps behind the lanes. */
static bool stores_apart(kf__low *L, const kf__cpu_stage *st, const kf__mask *mask) {
    bool narrow = false;
    if (!st->n_stores || st->save || st->use || kf__cpu_carries(L) || kf__is_dear(L, mask))
        return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && (L->k->instrs[i].kind == KF__I_PICK ||
                                 (L->k->instrs[i].kind == KF__I_LOAD &&
                                  L->operands[L->k->instrs[i].access].symbols)))
            return false;
    for (uint32_t s = 0; s < st->n_stores; ++s)
        narrow |= kf__types[L->operands[L->k->stores[st->stores[s]].access].dtype].size < 4;
    return narrow;
}

/* Halves that are reduced, too, are left as they were rounded for the passes over the block: to
 * round takes as long as a pass. */
static void keep_stored(kf__low *L, kf__cpu_stage *st, const char **again) {
    uint32_t n = 0;
    uint16_t args[64];
    for (uint32_t r = 0; r < st->n_reds; ++r) args[r] = L->k->instrs[st->reds[r]].args[0];
    const kf__mask *reduced = kf__low_needed(L, KF__LEVEL_FULL, args, st->n_reds);
    for (uint32_t s = 0; s < st->n_stores && n < MOST_AGAIN; ++s) {
        int value = kf__cpu_rounded(L, reduced, st->stores[s]);
        if (value < 0) continue;
        kf__kept *one = KF__NEW(L->arena, kf__kept, 1);
        if (!one) L->failed = true;
        if (!one) return;
        again[s] = kf__l_name(L, "stored%d", value);
        *one = (kf__kept){.power = (uint32_t)value, .from = again[s], .next = st->stored};
        st->stored = one;
        kf__put_var(L, "float", again[s], KF__CPU_BLOCK, NULL);
        ++n;
    }
}

static void put_stores_apart(kf__low *L, const kf__cpu_block *b, kf__cpu_stage *st) {
    kf__cpu_block all;
    const char *again[64] = {NULL}, *pointer[KF__MAX_ACCESSES];
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs + 1);
    if (!before) {
        L->failed = true;
        return;
    }
    memcpy(before, L->value, sizeof *before * L->k->n_instrs);
    memcpy((void *)pointer, (const void *)L->pointer, sizeof *pointer * L->k->n_accesses);
    keep_stored(L, st, again);
    kf__open_block(L);
    kf__cpu_open_line(L, &all, b->first, b->len);
    memcpy(all.again, again, sizeof again);
    kf__cpu_line(L, &all, kf__cpu_line_mask(L, st->stores, st->n_stores), st->stores,
                 st->n_stores);
    kf__close(L);
    memcpy(L->value, before, sizeof *before * L->k->n_instrs);
    memcpy((void *)L->pointer, (const void *)pointer, sizeof *pointer * L->k->n_accesses);
}

void kf__cpu_open_block(kf__low *L, kf__cpu_block *b, const kf__cpu_stage *st, const kf__lx *first,
                        const kf__lx *len) {
    kf__cpu_put_kept_from(L, st->fill ? st->fill : st->use ? st->use : st->save, first);
    kf__cpu_point_at_carried(L, first);
    kf__cpu_open_line(L, b, first, len);
    kf__cpu_hold(L, kf__l_var(L, "l"));
    kf__cpu_read_carried(L, kf__l_var(L, "l"));
    kf__cpu_read_kept(L, st->use, kf__l_var(L, "l")); /* its arguments aren't needed */
    kf__cpu_put_block_tables(L, b, kf__cpu_of_stage(L, st->s));
}

static kf__mask *read_by_stores(kf__low *L, const kf__cpu_stage *st) {
    uint16_t roots[64];
    for (uint32_t s = 0; s < st->n_stores; ++s) roots[s] = L->k->stores[st->stores[s]].instr;
    return kf__low_needed(L, KF__LEVEL_FULL, roots, st->n_stores);
}

/* begin: the block's index among what a row reduces. */
static void put_block_of_stage(kf__low *L, kf__cpu_stage *st, const kf__lx *begin,
                               const kf__lx *first, const kf__lx *len) {
    /* What the stage reads, or would read: the next row's is asked for. */
    kf__mask *reads = read_by_stores(L, st);
    kf__cpu_block b;
    kf__cpu_open_block(L, &b, st, first, len);
    b.begin = begin;
    if (!st->s && !L->held)
        kf__cpu_ask_for_rows_backwards(L, &b, kf__cpu_of_stage(L, 0), kf__low_only_kept(L),
                                       L->together);
    if (!st->s && !kf__low_later(L, 1) && !L->held)
        kf__cpu_ask_upwards(L, &b, kf__cpu_of_stage(L, 0), kf__low_only_kept(L));
    if (st->fill && st->summing) {
        put_sums_of_kept(L, &b, st);
    } else if (st->n_reds) {
        kf__cpu_stage alone = *st;
        uint16_t raw[64];
        if (!L->held && !st->use && !st->save)
            alone.n_stores = kf__cpu_take_raw(L, &b, alone.stores, st->n_stores, raw);
        uint32_t n_raw = st->n_stores - alone.n_stores;
        if (stores_apart(L, &alone, read_by_stores(L, &alone))) {
            put_stores_apart(L, &b, &alone);
            alone.n_stores = 0;
        }
        b.narrows = true;
        put_reductions(L, &b, &alone, NULL);
        kf__cpu_flush(L, &b, alone.stores, alone.n_stores);
        kf__cpu_copy_raw(L, &b, raw, n_raw);
    } else {
        bool either = L->asked && !L->held; /* short rows have asked for all */
        if (either) kf__open_if(L, kf__l_bin(L, "==", L->together, kf__l_int(L, 1)));
        if (either || !L->asked) {
            kf__cpu_prefetch(L, &b, reads, true);
            kf__cpu_prefetch_stores(L, &b, st->stores, st->n_stores);
        }
        if (either) kf__close(L);
        kf__cpu_line(L, &b, kf__cpu_needed_line(L, &b, st->stores, st->n_stores), st->stores,
                     st->n_stores);
    }
    kf__cpu_forget(L, NULL);
}

/* A block of them, a part after another: while functions are taken of one, memory sends the next,
 * but no more than was asked for. */
static void copy_and_make(kf__low *L, const kf__row_lines *s, const kf__lx *at,
                          const kf__lx *end) {
    const kf__lx *part = kf__l_int(L, PART), *from = kf__l_var(L, "part");
    kf__open_for(L, "int64_t", "part", at, end, part, KF__SERIAL);
    const kf__lx *to = kf__put_let(
        L, "int64_t", "stop",
        kf__l_call(L, "kf_min_i64", KF__I64, end, kf__l_bin(L, "+", from, part)), NULL);
    kf__cpu_copy_row_lines(L, s, kf__l_bin(L, "-", kf__l_var(L, "q"), at), from, to);
    const kf__lx *made = kf__put_let(L, "int64_t", "made", kf__l_bin(L, "-", from, at), NULL);
    const kf__lx *n = kf__put_let(L, "int64_t", "n", kf__l_bin(L, "-", to, at), NULL);
    kf__cpu_make_of_row_lines(L, s, made, n);
    kf__close(L);
}

/* 2048 elements of a stage's lines, reduced as one line is. */
static void put_lines(kf__low *L, kf__cpu_stage *st, const kf__lx *from, const kf__lx *to) {
    const kf__lx *block = kf__l_int(L, KF__CPU_BLOCK), *at = kf__l_var(L, "at");
    kf__row_lines s;
    kf__cpu_block b;
    kf__open_for(L, "int64_t", "at", from, to, block, KF__SERIAL);
    const kf__lx *end = kf__put_let(
        L, "int64_t", "end",
        kf__l_call(L, "kf_min_i64", KF__I64, to, kf__l_bin(L, "+", at, block)), NULL);
    kf__cpu_find_row_lines(L, st->reds, st->n_reds, &s);
    kf__cpu_declare_row_lines(L, &s);
    if (s.makes) copy_and_make(L, &s, at, end);
    else kf__cpu_copy_row_lines(L, &s, kf__l_bin(L, "-", kf__l_var(L, "q"), at), at, end);
    kf__cpu_open_line(L, &b, kf__l_int(L, 0),
                      kf__put_let(L, "int64_t", "n", kf__l_bin(L, "-", end, at), NULL));
    b.begin = at;
    put_reductions(L, &b, st, s.kept);
    for (uint32_t r = 0; r < s.n_args; ++r) L->value[s.args[r]] = s.value[r];
    kf__cpu_forget(L, NULL);
    kf__close(L);
}

/* The stage over the reduced indices [from, to), block by block. */
void kf__cpu_put_stage(kf__low *L, kf__cpu_stage *st, const kf__lx *from, const kf__lx *to) {
    const kf__lx *block = kf__l_int(L, KF__CPU_BLOCK);
    if (L->held) { /* one block */
        kf__open_block(L);
        put_block_of_stage(L, st, from, from, to);
        kf__close(L);
        return;
    }
    if (kf__low_reduced_axes(L) == 1) {
        kf__open_for(L, "int64_t", "first", from, to, block, KF__SERIAL);
        const kf__lx *first = kf__l_var(L, "first");
        const kf__lx *len = kf__put_let(
            L, "int64_t", "len",
            kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", to, first), block), NULL);
        put_block_of_stage(L, st, first, first, len);
        kf__close(L);
        return;
    }
    const kf__lx *first, *len, *line = kf__word_size(L, kf__last(L));
    if (st->n_reds && !st->n_stores) {
        kf__open_if(L, kf__l_bin(L, "<", line, kf__l_int(L, SHORT_LINE)));
        put_lines(L, st, from, to);
        kf__open_else(L);
    } else {
        kf__open_block(L);
    }
    open_lines_states(L, st);
    const kf__lx *left = kf__cpu_open_row_lines(L, "at", from, to, &first, &len);
    kf__put_set(L, len, kf__l_call(L, "kf_min_i64", KF__I64, left, block));
    put_block_of_stage(L, st, kf__l_var(L, "at"), first, len);
    kf__cpu_close_row_lines(L, first, len);
    close_lines_states(L, st);
    kf__close(L);
}

void kf__cpu_project_all(kf__low *L, const kf__cpu_stage *st, const kf__lx *total) {
    for (uint32_t r = 0; r < st->n_reds; ++r)
        kf__put_project(L, st->reds[r], st->running[r], total);
}
