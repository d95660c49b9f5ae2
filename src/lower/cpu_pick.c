/* Picks in a block: pads and concatenations on the CPU without a choice for each element.
 *
 * Where a pick's bool is made of ranges of the innermost axis and of what is the same for the whole
 * block, the block falls into runs. Each part is computed for its run only, without a guard, into a
 * buffer in L1:
 *
 *     begin5, end5 = the elements of the block that are inside
 *     at5 = pick5
 *     if (begin5 == 0 && end5 == len) at5 = x               all of them, as they are in memory
 *     else for (l = begin5; l < end5; ++l) pick5[l] = x[l]  the part
 *     for (l = end5; l < len; ++l) pick5[l] = value         a pad's else; or the next part, its run
 *     for (l = 0; l < len; ++l) ... at5[l] ...              the block's loop
 *
 * Where little is made of a pick before it is stored, each run makes and stores it.
 *
 * Elsewhere a pick is C's `?:`, and its loads have guards. */
#include <math.h>

#include "lower/cpu.h"

enum {
    LITTLE = 6, /* operations on what is picked, which each run does by itself */
    DEEP = 12,  /* operations on random words before they are picked */
};

static bool has_runs(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_PICK && kf__at_level(L, i, KF__LEVEL_FULL) &&
           kf__is_range(L, in->args[0]);
}

static bool by_runs(const kf__low *L, uint32_t i) { return has_runs(L, i) && !L->value[i]; }

/* Is it but the rest of a chain: filled with the first pick of it? */
static bool is_rest(const kf__low *L, uint32_t i) {
    bool rest = false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u)
        for (int a = 0; a < L->k->instrs[u].n_args; ++a) {
            if (L->k->instrs[u].args[a] != i) continue;
            if (L->k->instrs[u].kind != KF__I_PICK || a != 2 ||
                L->k->instrs[u].field != KF__PICK_MORE)
                return false;
            rest = true;
        }
    for (uint32_t s = 0; s < L->k->n_stores; ++s) rest = rest && L->k->stores[s].instr != i;
    return rest;
}

/* Is it a part of another pick, and nothing else? Its runs are then made within that one's: an edge
 * of a pad, which is picked from the first, the last and the other rows. */
static bool is_part(const kf__low *L, uint32_t i) {
    uint32_t pick = UINT32_MAX;
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i) return false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        if (!kf__uses(&L->k->instrs[u], i)) continue;
        if (pick < UINT32_MAX) return false;
        pick = u;
    }
    if (pick == UINT32_MAX || !by_runs(L, pick) || !by_runs(L, i)) return false;
    const kf__instr *in = &L->k->instrs[pick];
    return in->args[0] != i && (in->args[1] == i || in->field != KF__PICK_MORE);
}

static bool is_in_picks(const kf__low *L, const kf__mask *mask, uint32_t i, int depth) {
    bool used = false;
    if (depth > DEEP) return false;
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i) return false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        if (!kf__uses(in, i)) continue;
        used = true;
        bool part = by_runs(L, u) && in->args[0] != i;
        if (!kf__has(mask, u) || (!part && !is_in_picks(L, mask, u, depth + 1))) return false;
    }
    return used;
}

bool kf__cpu_is_in_picks(const kf__low *L, const kf__mask *mask, uint32_t i) {
    return is_in_picks(L, mask, i, 0);
}

/* Where elements go: a buffer, or what an access points to. */
typedef struct goal {
    const char *name; /* of a buffer */
    int store;        /* -1: a buffer */
    const char *at;   /* of a buffer: where to read it, or what would be copied into it */
    const char *raw;  /* of a buffer of elements as arrays have them: their type; or NULL */
    uint16_t pick, instr; /* of a store: it is made of which pick; may be the same */
} goal;

/* Are a run's values as they lie in memory, one behind the other? */
static bool is_copied(const kf__low *L, const kf__cpu_block *b, uint16_t arg, bool raw) {
    const kf__instr *in = &L->k->instrs[arg];
    if (in->kind != KF__I_LOAD || b->inside || b->pick[arg] || L->value[arg]) return false;
    const kf__operand *o = &L->operands[in->access];
    bool contiguous = b->tile[in->access] || (!o->row && kf__low_step(L, in->access) == 1);
    return contiguous &&
           (raw || !strcmp(kf__types[o->dtype].stored, kf__ctype((kf__dtype)in->dtype)));
}

/* Are a run's values stored as they lie in memory, bit for bit? */
static bool is_raw(const kf__low *L, const kf__cpu_block *b, const goal *g, uint16_t arg) {
    const kf__instr *in = &L->k->instrs[arg];
    if (g->store < 0 || g->instr != g->pick || in->kind != KF__I_LOAD) return false;
    if (b->inside || b->pick[arg] || L->value[arg] || L->operands[in->access].row) return false;
    if (!kf__cpu_is_guard_known(L, b, arg)) return false;
    return kf__cpu_lies_as_stored(L, b, in->access, L->k->stores[g->store].access);
}

/* Loads of a run whose guards say nothing more than what is known, and that the run's does. */
static bool put_froms(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || in->kind != KF__I_LOAD || !in->n_args || b->from[i]) continue;
        if (b->tile[in->access] || kf__is_known(L, in->args[0])) continue;
        if (!any) kf__open_block(L);
        any = true;
        kf__cpu_put_from(L, b, i);
    }
    return any;
}

/* Are a run's last few elements worth a vector: of a function, in lines that may be short? */
static bool leaves_few(const kf__low *L, const kf__cpu_block *b, const goal *g,
                       const kf__mask *mask) {
    if (L->n_axes < 2 || b->inside || !kf__cpu_is_worth_few(L, mask) || kf__cpu_is_given(L, mask))
        return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        if (b->pick[i] || (in->kind == KF__I_LOAD && b->tile[in->access])) return false;
    }
    return g->store < 0 || (g->instr == g->pick && !b->tile[L->k->stores[g->store].access]);
}

/* To where element l goes, or into `few`. */
static void put_value(kf__low *L, const kf__cpu_block *b, const goal *g, const kf__lx *l,
                      const kf__lx *value, const kf__lx *few) {
    if (few) kf__put_set(L, few, value);
    else if (g->store < 0 && g->raw)
        kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_store_%s", g->raw), KF__I64,
                                   kf__l_var(L, g->name), l, value));
    else if (g->store < 0) kf__put_set(L, kf__l_item(L, g->name, l), value);
    else
        kf__put_store(L, L->k->stores[g->store].access, b->target[0], kf__cpu_in_piece(L, b, l),
                      value);
}

/* Element l of the run's value: to where it goes, or into `few`, from its first one on. */
static void put_element(kf__low *L, kf__cpu_block *b, const goal *g, const kf__mask *mask,
                        uint16_t arg, int holds, const kf__lx *l, const kf__lx *few) {
    int outer = L->holds;
    L->holds = holds;
    kf__cpu_body(L, b, mask, l);
    if (g->store >= 0 && g->instr != g->pick) {
        L->value[g->pick] = kf__value_of(L, arg);
        arg = g->instr;
        kf__cpu_body(L, b, kf__low_needed(L, KF__LEVEL_FULL, &arg, 1), l);
    }
    L->holds = outer;
    put_value(L, b, g, l, kf__value_of(L, arg), few);
}

/* The elements [whole, to). */
static void put_few(kf__low *L, kf__cpu_block *b, const goal *g, const kf__mask *mask,
                    uint16_t arg, int holds, const kf__lx *whole, const kf__lx *to) {
    const kf__lx *few = kf__l_item(L, "few", kf__l_var(L, "l"));
    kf__cpu_open_few(L, whole, to);
    kf__put_var(L, kf__ctype(L->k->instrs[arg].dtype), "few", KF__CPU_FEW, NULL);
    const kf__lx *e = kf__cpu_open_vector(L, b, whole);
    put_element(L, b, g, mask, arg, holds, e, few);
    kf__cpu_close_vector(L, b);
    kf__cpu_open_left(L);
    put_value(L, b, g, e, few, NULL);
    kf__close(L);
    kf__close(L);
}

/* Of rows that are picked, then looked at, the processor doesn't foresee the next one: it waits for
 * what it has read, and has read the edges last. */
static void put_next_row(kf__low *L, const kf__cpu_block *b, uint16_t arg, const kf__lx *from,
                         const kf__lx *to) {
    const kf__instr *in = &L->k->instrs[arg];
    if (b->down < 0 || in->kind != KF__I_LOAD || b->pick[arg] || L->value[arg]) return;
    const kf__operand *o = &L->operands[in->access];
    if (b->tile[in->access] || o->row || kf__low_step(L, in->access) != 1 || !o->affine ||
        kf__has_symbols(L, in->access) || !o->varies[b->down])
        return;
    const kf__lx *at = kf__l_bin(L, "+", kf__l_var(L, kf__cpu_from(L, b, arg)), from);
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_var(L, "prefetch"), kf__l_bin(L, "<", from, to)));
    kf__cpu_prefetch_run(L, in->access,
                         kf__l_bin(L, "+", at, kf__word_stride(L, in->access, b->down)),
                         kf__l_bin(L, "-", to, from));
    kf__close(L);
}

/* Is it made of what doesn't change along the run, all of which is there? */
static bool is_of_same(const kf__low *L, const kf__mask *same, const kf__instr *in) {
    bool is = in->kind == KF__I_OP || in->kind == KF__I_CAST, any = false;
    for (int a = 0; is && a < in->n_args; ++a) {
        uint16_t arg = in->args[a];
        const kf__lx *value = L->value[arg];
        bool fixed = value && value->kind == KF__L_VAR && kf__low_is_same(L, arg);
        any |= kf__has(same, arg);
        is = kf__has(same, arg) || fixed || L->k->instrs[arg].kind == KF__I_CONSTANT;
    }
    return is && any;
}

/* What doesn't change along the run is read and made before it, and halves that it computes with
 * are floats in L1 then; of no element nothing is read. b->pick and L->value are the run's. */
static bool put_loads(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                      const kf__lx *to) {
    bool any = false;
    kf__mask *same = kf__low_mask(L);
    if (!same) L->failed = true;
    for (uint32_t i = 0; same && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || b->pick[i] || L->value[i]) continue;
        if (is_of_same(L, same, in)) {
            if (!any) kf__open_block(L);
            any = true;
            kf__low_put_fixed(L, i);
            kf__add(same, i);
        }
        if (in->kind != KF__I_LOAD) continue;
        const kf__operand *o = &L->operands[in->access];
        if (kf__cpu_lies_apart(L, in) && !b->tile[in->access] && kf__cpu_is_guard_known(L, b, i)) {
            if (!any) kf__open_block(L);
            any = true;
            kf__cpu_put_strided(L, b, in->access, from, to);
        }
        const char *row = b->tile[in->access];
        int step = row ? 1 : kf__low_step(L, in->access);
        if ((step && o->dtype != KF__F16) || (!row && o->row) || step > 1) continue;
        if (!kf__cpu_is_guard_known(L, b, i)) continue;
        if (!any) kf__open_block(L);
        any = true;
        const char *halves = row ? row : kf__cpu_from(L, b, i);
        if (step == 0) {
            const kf__lx *load = kf__l_select(L, kf__l_bin(L, "<", from, to),
                                              kf__low_load(L, in->access, kf__l_var(L, halves),
                                                           kf__l_int(L, 0)),
                                              kf__l_const(L, in->dtype, 0, 0));
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                                      load, NULL);
            kf__add(same, i);
            continue;
        }
        const char *name = kf__l_name(L, "wide%u_%s", (unsigned)i, o->name);
        kf__cpu_put_floats(L, b, name, halves, from, to);
        b->pick[i] = name;
    }
    return any;
}

/* Are a run's values halves that only have to be widened? */
static bool is_widened(const kf__low *L, const kf__cpu_block *b, const goal *g, uint16_t arg) {
    return g->store < 0 && !g->raw && is_copied(L, b, arg, true) &&
           L->operands[L->k->instrs[arg].access].dtype == KF__F16 &&
           kf__cpu_is_guard_known(L, b, arg);
}

/* Where a load's elements lie, one behind the other; NULL: it is no load. */
static const char *place_of(const kf__low *L, const kf__cpu_block *b, uint16_t arg) {
    const kf__instr *in = &L->k->instrs[arg];
    if (in->kind != KF__I_LOAD) return NULL;
    return b->tile[in->access] ? b->tile[in->access] : kf__cpu_from(L, b, arg);
}

/* goal[l] = value of instruction `arg`, which is made of `mask`, for l in [from, to). */
static void put_made_run(kf__low *L, kf__cpu_block *b, const goal *g, const kf__mask *mask,
                         uint16_t arg, int holds, const kf__lx *from, const kf__lx *to) {
    const kf__lx **made = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs);
    const kf__lx *l = kf__l_var(L, "l");
    if (!made) {
        L->failed = true;
        return;
    }
    bool copied = is_copied(L, b, arg, g->raw != NULL) && kf__cpu_is_guard_known(L, b, arg);
    bool whole = g->at && copied, streamed = is_raw(L, b, g, arg);
    const char *target = copied && g->raw ? g->name : NULL, *lies = place_of(L, b, arg);
    if (whole) {
        const kf__lx *all = kf__l_bin(L, "==", to, b->len), *zero = kf__l_int(L, 0);
        if (from->kind != KF__L_INT || from->integer)
            all = kf__l_bin(L, "&&", kf__l_bin(L, "==", from, zero), all);
        kf__open_if(L, all);
        kf__put_set(L, kf__l_var(L, g->at), kf__l_var(L, lies));
        kf__open_else(L);
    }
    bool loads = !streamed && !target && put_loads(L, b, mask, from, to);
    bool makes = L->k->instrs[arg].kind != KF__I_LOAD || (g->store >= 0 && g->instr != g->pick);
    bool reads = makes && L->k->n_symbols && kf__cpu_put_elements(L, b, mask, from, to);
    bool words = kf__cpu_put_words(L, b, mask, from, to);
    bool chains = kf__cpu_has_chains(L, b, mask), few = leaves_few(L, b, g, mask);
    uint16_t store = (uint16_t)g->store;
    if (streamed) {
        uint32_t access = L->k->stores[store].access;
        kf__cpu_open_uncopied(L, access, lies, from, to);
        target = L->pointer[access];
    } else if (g->store >= 0) {
        kf__cpu_open_pieces(L, b, &store, 1, &from, &to);
    }
    const kf__lx *last = to;
    if (chains || few) kf__open_block(L);
    if (few) last = kf__cpu_put_whole(L, "whole", from, to);
    if (chains) kf__cpu_put_chains(L, b, mask, from, to, few ? last : NULL);
    memcpy(made, L->value, sizeof *made * L->k->n_instrs);
    kf__open_for(L, "int64_t", "l", from, last, kf__l_int(L, 1), KF__SIMD);
    if (target)
        kf__put_set(L, kf__l_item(L, target, l), kf__l_item(L, lies, l));
    else
        put_element(L, b, g, mask, arg, holds, l, NULL);
    kf__close(L);
    memcpy(L->value, made, sizeof *made * L->k->n_instrs);
    if (few) put_few(L, b, g, mask, arg, holds, last, to);
    if (chains || few) kf__close(L);
    if (streamed) kf__close(L);
    else if (g->store >= 0) kf__cpu_flush(L, b, &store, 1), kf__cpu_close_pieces(L, b);
    if (words) kf__close(L);
    if (reads) kf__close(L);
    if (loads) kf__close(L);
    if (whole) kf__close(L);
}

/* The same where `holds` does; -1: nothing. */
static void put_run(kf__low *L, kf__cpu_block *b, const goal *g, uint16_t arg, int holds,
                    const kf__lx *from, const kf__lx *to) {
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs);
    const char **froms = KF__NEW(L->arena, const char *, L->k->n_instrs), **outer = b->from;
    const char **picks = KF__NEW(L->arena, const char *, L->k->n_instrs), *random[64], *tiles[64];
    if (!before || !froms || !picks) {
        L->failed = true;
        return;
    }
    memcpy(before, L->value, sizeof *before * L->k->n_instrs);
    memcpy(froms, outer, sizeof *froms * L->k->n_instrs);
    memcpy(picks, b->pick, sizeof *picks * L->k->n_instrs);
    memcpy(random, b->random, sizeof random);
    memcpy(tiles, b->tile, sizeof tiles);
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &arg, 1);
    int known = L->holds;
    L->holds = holds;
    b->from = froms; /* what the run's guard makes known holds in the run only */
    bool block = put_froms(L, b, mask);
    put_next_row(L, b, arg, from, to);
    if (is_widened(L, b, g, arg))
        kf__cpu_widen(L, g->name, place_of(L, b, arg), from, to);
    else
        put_made_run(L, b, g, mask, arg, holds, from, to);
    if (block) kf__close(L);
    L->holds = known;
    b->from = outer;
    memcpy(b->random, random, sizeof random);
    memcpy(b->tile, tiles, sizeof tiles);
    memcpy(b->pick, picks, sizeof *picks * L->k->n_instrs);
    memcpy(L->value, before, sizeof *before * L->k->n_instrs);
}

static void fill(kf__low *L, kf__cpu_block *b, const goal *g, uint32_t i, const kf__lx *low,
                 const kf__lx *high);

/* A pick's part: its run, or those of the pick that it is. */
static void put_part(kf__low *L, kf__cpu_block *b, const goal *g, uint16_t arg, int holds,
                     const kf__lx *from, const kf__lx *to) {
    if (!is_part(L, arg)) {
        put_run(L, b, g, arg, holds, from, to);
        return;
    }
    kf__open_block(L);
    fill(L, b, g, arg, from, to);
    kf__close(L);
}

/* The runs of pick i and those that it goes on with, but not what pick `end` has else. */
static void fill_runs(kf__low *L, kf__cpu_block *b, const goal *g, uint32_t i, const kf__lx *low,
                      const kf__lx *high, uint32_t end) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__lx *from, *to;
    kf__put_range(L, i, b->first, b->len, &from, &to);
    if (low) {
        from = kf__l_call(L, "kf_max_i64", KF__I64, from, low);
        from = kf__put_let(L, "int64_t", kf__l_name(L, "from%u", (unsigned)i),
                           kf__l_call(L, "kf_min_i64", KF__I64, from, high), NULL);
        to = kf__l_call(L, "kf_min_i64", KF__I64, to, high);
        to = kf__put_let(L, "int64_t", kf__l_name(L, "to%u", (unsigned)i),
                         kf__l_call(L, "kf_max_i64", KF__I64, to, from), NULL);
    }
    put_part(L, b, g, in->args[1], in->args[0], from, to);
    if (in->field == KF__PICK_LAST) return;
    if (in->field == KF__PICK_MORE && by_runs(L, in->args[2])) {
        fill_runs(L, b, g, in->args[2], low, high, end);
        return;
    }
    if (i == end) return;
    put_part(L, b, g, in->args[2], -1, low ? low : kf__l_int(L, 0), from);
    put_part(L, b, g, in->args[2], -1, to, low ? high : b->len);
}

/* The pick that a chain of disjoint parts ends with, if what it has else is no run, as it is the
 * same for all elements: another part may have some of those. UINT32_MAX: there is none. */
static uint32_t end_without_run(const kf__low *L, uint32_t i) {
    uint32_t end = i;
    while (L->k->instrs[end].field == KF__PICK_MORE && by_runs(L, L->k->instrs[end].args[2]))
        end = L->k->instrs[end].args[2];
    return end != i && L->k->instrs[end].field == KF__PICK_MORE ? end : UINT32_MAX;
}

/* Elements [low, high) of pick i. low: NULL: all of the block's. */
static void fill(kf__low *L, kf__cpu_block *b, const goal *g, uint32_t i, const kf__lx *low,
                 const kf__lx *high) {
    uint32_t end = end_without_run(L, i);
    uint16_t other = end < UINT32_MAX ? L->k->instrs[end].args[2] : 0;
    if (end < UINT32_MAX && is_copied(L, b, other, g->raw != NULL)) end = UINT32_MAX;
    if (end < UINT32_MAX) { /* the runs of the others go over it */
        const kf__lx *first = low ? low : kf__l_int(L, 0);
        put_part(L, b, g, other, -1, first, low ? high : b->len);
    }
    fill_runs(L, b, g, i, low, high, end);
}

static uint32_t users(const kf__low *L, uint32_t i) {
    uint32_t n = 0;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u)
        for (int a = 0; a < L->k->instrs[u].n_args; ++a) n += L->k->instrs[u].args[a] == i;
    for (uint32_t s = 0; s < L->k->n_stores; ++s) n += L->k->stores[s].instr == i;
    return n;
}

/* Is some pick of the chain filled for others, too, so that its run is put more than once? */
static bool shares_runs(const kf__low *L, uint32_t i) {
    for (;; i = L->k->instrs[i].args[2]) {
        const kf__instr *in = &L->k->instrs[i];
        if (users(L, i) > 1) return true;
        if (in->field != KF__PICK_MORE || !by_runs(L, in->args[2])) return false;
    }
}

/* Does some part of the chain of picks only copy? */
static bool copies(const kf__low *L, const kf__cpu_block *b, uint32_t i, bool raw) {
    for (;; i = L->k->instrs[i].args[2]) {
        const kf__instr *in = &L->k->instrs[i];
        if (is_copied(L, b, in->args[1], raw)) return true;
        if (in->field == KF__PICK_LAST) return false;
        if (in->field != KF__PICK_MORE || !by_runs(L, in->args[2]))
            return is_copied(L, b, in->args[2], raw);
    }
}

/* Is all that pick i has a constant, or lies in memory as its type's elements do, which are
 * narrower than what is computed? */
static bool is_all_narrow(const kf__low *L, const kf__cpu_block *b, uint32_t i, uint8_t type) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->dtype != type) return false;
    if (in->kind == KF__I_CONSTANT) return true;
    if (in->kind == KF__I_LOAD)
        return L->operands[in->access].dtype == type && is_copied(L, b, (uint16_t)i, true);
    return by_runs(L, i) && is_all_narrow(L, b, in->args[1], type) &&
           (in->field == KF__PICK_LAST || is_all_narrow(L, b, in->args[2], type));
}

/* The last pick of i's chain. */
static const kf__instr *last_of(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    while (in->field == KF__PICK_MORE && has_runs(L, in->args[2])) in = &L->k->instrs[in->args[2]];
    return in;
}

static bool asks_more(const kf__low *L, uint32_t guard) { /* than places */
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind == KF__I_INSIDE || kf__is_always(L, guard)) return false;
    return kf__low_is_same(L, guard) || asks_more(L, in->args[0]) || asks_more(L, in->args[1]);
}

/* May it be that no part has a run: of a chain without an else, in a row that a gather doesn't
 * find? */
static bool may_miss(const kf__low *L, uint32_t i) {
    if (!L->k->n_symbols || !has_runs(L, i)) return false;
    const kf__instr *in = last_of(L, i);
    return in->field == KF__PICK_LAST && asks_more(L, in->args[0]);
}

bool kf__cpu_is_pick_or_zero(const kf__low *L, const kf__cpu_block *b, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind != KF__I_OP || in->op != KF__WHERE || !b->pick[in->args[1]]) return false;
    const kf__instr *pick = &L->k->instrs[in->args[1]], *other = &L->k->instrs[in->args[2]];
    bool is = other->kind == KF__I_CONSTANT && other->integer == 0 && other->number == 0 &&
              !signbit(other->number) && pick->kind == KF__I_PICK && may_miss(L, in->args[1]);
    for (; is && kf__implies(L, pick->args[0], in->args[0]); pick = &L->k->instrs[pick->args[2]])
        if (pick->field == KF__PICK_LAST) return true;
    return false;
}

/* Zeros, then: no row is zeros, as the gather has it. Before the runs, as the last part's place may
 * be what doesn't hold. */
static void put_nothing(kf__low *L, kf__cpu_block *b, uint32_t i, const char *name, bool raw) {
    const kf__instr *in = last_of(L, i);
    const kf__lx *zero = kf__l_int(L, 0), *l = kf__l_var(L, "l");
    kf__open_if(L, kf__l_bin(L, "==", kf__known_guard(L, in->args[0]), zero));
    kf__open_for(L, "int64_t", "l", zero, b->len, kf__l_int(L, 1), KF__SIMD);
    kf__put_set(L, kf__l_item(L, name, l), raw ? zero : kf__l_const(L, in->dtype, 0, 0));
    kf__close(L);
    kf__close(L);
}

void kf__cpu_put_picks(kf__low *L, kf__cpu_block *b, uint32_t i) {
    if (L->failed || !by_runs(L, i) || b->pick[i] || is_rest(L, i) || is_part(L, i)) return;
    const char *name = kf__l_name(L, "pick%u", (unsigned)i);
    bool apart = !kf__cpu_goes_into(b, i);
    uint8_t dtype = L->k->instrs[i].dtype;
    bool raw = apart && dtype != KF__BOOL &&
               strcmp(kf__types[dtype].stored, kf__ctype(dtype)) != 0 &&
               is_all_narrow(L, b, i, dtype);
    const char *type = raw ? kf__types[dtype].stored : kf__ctype(dtype);
    kf__cpu_put_array(L, b, i, type, name);
    goal g = {.name = name, .store = -1, .raw = raw ? kf__types[dtype].alias : NULL,
              .at = apart && copies(L, b, i, raw) ? kf__l_name(L, "at%u", (unsigned)i) : NULL};
    if (g.at)
        kf__put_var(L, kf__l_name(L, "const %s *", type), g.at, 0, kf__l_var(L, name));
    bool block = shares_runs(L, i);
    if (may_miss(L, i)) put_nothing(L, b, i, name, raw);
    if (block) kf__open_block(L);
    fill(L, b, &g, i, NULL, NULL);
    if (block) kf__close(L);
    b->pick[i] = g.at ? g.at : name;
    if (g.at && !L->failed) kf__add(b->in_place, i);
    if (!raw || L->failed) return;
    if (dtype != KF__F16) {
        kf__add(b->raw, i);
        return;
    }
    const char *wide = kf__l_name(L, "wide%u", (unsigned)i);
    kf__cpu_put_floats(L, b, wide, b->pick[i], kf__l_int(L, 0), b->len);
    b->pick[i] = wide;
}

/* Is it so little to make of instruction `of` that each run may do it? */
static bool is_little(kf__low *L, uint16_t instr, uint32_t of) {
    uint32_t ops = 0;
    L->value[of] = kf__l_int(L, 0); /* it is there */
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &instr, 1);
    bool little = !kf__is_dear(L, mask);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        little = little && in->kind != KF__I_PICK && in->kind != KF__I_RANDOM &&
                 !(in->kind == KF__I_LOAD && in->n_args);
        ops += in->kind == KF__I_OP || in->kind == KF__I_CAST;
    }
    L->value[of] = NULL;
    return little && ops <= LITTLE;
}

/* The pick that is stored, or of which little is made that is. */
static bool find_stored(kf__low *L, const kf__cpu_block *b, uint16_t instr, uint32_t *pick) {
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &instr, 1);
    for (uint32_t i = instr + 1u; i-- > 0;) { /* the last one: others are parts of it */
        if (!kf__has(mask, i) || !by_runs(L, i)) continue;
        *pick = i;
        return !b->pick[i] && !may_miss(L, i) && (i == instr || is_little(L, instr, i));
    }
    return false;
}

/* Is all that pick i has a constant, or stored by store s as it lies in memory? */
static bool is_all_raw(const kf__low *L, const kf__cpu_block *b, uint32_t i, uint16_t s) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_CONSTANT) return true;
    if (in->kind == KF__I_LOAD)
        return !L->value[i] && !b->pick[i] && !L->operands[in->access].row &&
               kf__cpu_lies_as_stored(L, b, in->access, L->k->stores[s].access);
    return by_runs(L, i) && is_all_raw(L, b, in->args[1], s) &&
           (in->field == KF__PICK_LAST || is_all_raw(L, b, in->args[2], s));
}

bool kf__cpu_stores_pick_raw(const kf__low *L, const kf__cpu_block *b, uint16_t store) {
    const kf__store *s = &L->k->stores[store];
    bool dense = b->tile[s->access] || kf__low_step(L, s->access) == 1;
    return dense && L->k->instrs[s->instr].kind == KF__I_PICK && !b->pick[s->instr] &&
           !may_miss(L, s->instr) && is_all_raw(L, b, s->instr, store);
}

bool kf__cpu_stores_pick(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                         uint32_t *pick) {
    if (n != 1 || L->k->n_stores != 1) return false; /* a result may lie over another's input */
    const kf__store *store = &L->k->stores[stores[0]];
    return (b->tile[store->access] || kf__low_step(L, store->access) == 1) &&
           find_stored(L, b, store->instr, pick);
}

void kf__cpu_store_pick(kf__low *L, kf__cpu_block *b, const kf__mask *mask, uint16_t store,
                        uint32_t pick) {
    const kf__store *s = &L->k->stores[store];
    if (L->failed) return;
    if (!b->tile[s->access]) kf__cpu_need_pointer(L, b, s->access);
    b->pick[pick] = ""; /* no buffer of its own */
    kf__cpu_prepare(L, b, mask);
    goal g = {.store = (int)store, .pick = (uint16_t)pick, .instr = s->instr};
    fill(L, b, &g, pick, NULL, NULL);
}
