/* Kernels on the CPU whose innermost axis is reduced, and that compute something of elements behind
 * that: every stage of a row in one unit, the row read again from cache by the later ones.
 *
 *     for (u = begin; u < end; ++u)                one row
 *         for each stage                           cpu_stage.c
 *             for each block of the row            running state = merge(running state, block's)
 *                 for each field of the states     64 lanes, then a tree; the block is in L1
 *                 stores of this stage
 *             results of the stage, row-level instructions
 *
 * softmax takes each exponential once: first the row's maximum, then the exponentials, which are
 * summed and kept for the stage that needs them; in their place, until then, what they are taken
 * of, if that is more than a load. So is what is dear to compute (a function, random bits, a
 * gather) and reduced: layer_norm(gelu(x)) has one gelu. Where they are needed at other places of
 * the row, too: see cpu_own_row.c
 *
 * Stages of a long chain carry what they make to the next ones: see cpu_carried.c
 * Short rows with long stages, or several that reduce, go by eight: see cpu_group.c
 * Of short rows what is made of elements first is made for eight: see cpu_short.c
 * Of short rows what is made last is one run: see cpu_flat.c
 *
 * Of several reduced axes the innermost one makes lines. Short ones are put one behind the other in
 * L1, until they are a block. */
#include "lower/cpu.h"

/* Instructions of a kernel that has a second function for what its rows' loops alone make shorter:
 * of x - mean(x, 1), 97x103 in the caches, a Zen 4 takes 2.4 us row by row, and 1.8. It takes gcc a
 * third of the time to compile it. */
enum { FEW = 24 };

static bool has_reduction(const kf__cpu_stage *st, uint32_t red) {
    for (uint32_t r = 0; r < st->n_reds; ++r)
        if (st->reds[r] == red) return true;
    return false;
}

static void put_rows(kf__low *L, const char *suffix, kf__held *held) {
    kf__cpu_group g;
    kf__low_begin(L, suffix, held ? "Eight short rows after eight; loops over all of their elements."
                                  : "One row after another, all stages of a row together.");
    L->fn->units = kf__low_extent(L, false);
    int64_t length = kf__low_extent(L, true);
    L->fn->grain = kf__max(1, 4096 / kf__max(1, length));
    bool stream = !held && kf__cpu_stream_word(L);
    const kf__lx *n = kf__low_reduced_axes(L) == 1 ? kf__word_size(L, kf__last(L))
                                           : kf__word_int(L, "reduced", length);
    kf__put_scalars(L);
    kf__tables tables = {0};
    if (L->carried) kf__cpu_put_carried(L);
    else if (!L->own) kf__cpu_use_tables(L, KF__CPU_BLOCK, &tables);
    kf__kept exps, dear;
    bool keeps = kf__cpu_keep_exps(L, &exps);
    bool keeps_dear = !keeps && !L->carried && kf__cpu_keep_dear(L, &dear);
    kf__kept *kept = keeps ? &exps : keeps_dear ? &dear : NULL;
    bool turns = L->carried ? kf__cpu_carry_groups(L, &g) : kf__cpu_may_group(L, kept, &g);
    bool groups = turns || held;
    if (held && !turns) kf__cpu_group_late(L, &g);
    kf__flat flat;
    uint32_t last = L->k->n_stages - 1;
    bool flattens = held && turns && kf__cpu_find_flat(L, last, kept, &flat);
    if (flattens) kf__cpu_declare_flat(L, &flat);
    if (groups) {
        if (held && (turns || !kf__low_later(L, 1))) L->group = &g;
        kf__cpu_open_groups(L, &g, n, kept, held);
        if (L->carried) L->carried->begin = kf__l_bin(L, "*", g.r, n);
    } else {
        kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"),
                     kf__l_int(L, 1), KF__SERIAL);
        kf__put_decode(L, false, false, kf__l_var(L, "u"));
    }
    kf__put_rows(L, 0);
    for (uint32_t s = 0; s < L->k->n_stages; ++s) {
        if (turns && s && kf__low_later(L, s)) kf__cpu_turn_group(L, &g, s);
        kf__cpu_stage *st = KF__NEW(L->arena, kf__cpu_stage, 1);
        if (!st) {
            L->failed = true;
            return;
        }
        if (L->carried) L->carried->stage = s, L->carried->made = false;
        kf__cpu_open_stage(L, st, s);
        if (held && s == 0) st->n_stores = 0;
        const kf__lx *zero = kf__l_int(L, 0);
        if (keeps && has_reduction(st, exps.red)) st->fill = &exps;
        for (const kf__kept *k = keeps ? &exps : NULL; k; k = k->next)
            if (kf__has(kf__cpu_of_stage(L, s), k->power)) st->use = &exps;
        if (keeps_dear && s == dear.stage) st->save = &dear;
        if (keeps_dear && s > dear.stage && kf__has(kf__cpu_of_stage(L, s), dear.power))
            st->use = &dear;
        if (flattens && s == last)
            kf__cpu_put_flat(L, &flat, st->use, n);
        else if (st->n_reds || st->n_stores)
            kf__cpu_put_stage(L, st, zero, n);
        st->summing = st->fill;
        if (st->summing && L->group) {
            kf__cpu_turn_inside(L, st, KF__MAX_FIELDS);
            if (s == 0 && held) kf__cpu_ask_for_rows(L, n);
        }
        if (st->summing) kf__cpu_put_stage(L, st, zero, n);
        kf__cpu_project_all(L, st, n);
        if (!kf__cpu_is_late(L, s + 1)) kf__put_rows(L, s + 1);
        else if (!turns || !kf__low_later(L, s + 1)) kf__cpu_put_late(L, &g, s + 1);
    }
    if (!turns || g.reduces) kf__put_row_stores(L);
    kf__close(L);
    if (flattens) kf__cpu_put_flat_run(L, &flat, NULL, g.rows, n);
    if (groups) kf__cpu_close_groups(L);
    L->group = NULL;
    L->tables = NULL;
    if (stream) kf__cpu_fence(L);
}

bool kf__cpu_short_rows(kf__low *L) {
    kf__held held;
    kf__flat flat;
    if (!kf__cpu_find_held(L, &held)) return false;
    bool first = held.n || held.n_stores;
    kf__kept kept;
    bool keeps = !first && (kf__cpu_find_exps(L, &kept) || kf__cpu_find_dear(L, &kept));
    bool plain = !first && !kf__cpu_reduces_later(L) && !kf__cpu_are_late(L) &&
                 !kf__cpu_find_flat(L, L->k->n_stages - 1, keeps ? &kept : NULL, &flat);
    if (plain && !(kf__low_later(L, 1) && L->k->n_instrs <= FEW)) return false;
    L->held = &held;
    put_rows(L, "_short", &held);
    L->held = NULL;
    bool is = kf__cpu_is_short(L, &held, plain && !keeps);
    if (!is) L->fn->units = 0;
    return is;
}

static bool put_carrying_rows(kf__low *L) {
    kf__carried carried;
    if (!kf__cpu_find_carried(L, &carried)) return false;
    L->carried = &carried;
    put_rows(L, "", NULL);
    L->carried = NULL;
    return true;
}

static void put_all_rows(kf__low *L) {
    bool done = kf__cpu_short_rows(L);
    put_rows(L, "", NULL);
    if (done) L->fn->units = 0;
}

void kf__cpu_rows(kf__low *L) {
    kf__own_row own;
    kf__low kept = *L;
    kept.k = kf__cpu_own_row(L, &own);
    if (L->failed || !kept.k) {
        if (!put_carrying_rows(L)) put_all_rows(L);
        return;
    }
    kept.own = &own;
    kept.pointer = KF__NEW(L->arena, const char *, kept.k->n_accesses + 1);
    kept.value = KF__NEW(L->arena, const kf__lx *, kept.k->n_instrs + 1);
    if (!kept.pointer || !kept.value || kf__low_layout(&kept, NULL) != KF_OK) {
        L->failed = true;
        return;
    }
    put_all_rows(&kept);
    L->failed = L->failed || kept.failed;
}
