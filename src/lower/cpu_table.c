/* What depends on nothing but the place in a line is computed once, for the first of the lines that
 * begin at the same place, and kept in tables: indices that elements are read at, weights, ramps.
 * What depends on the line alone, once a line.
 *
 *     interpolate(u, size)       tabled = -1
 *                                for (u = begin; u < end; ++u)
 *                                    if (first != tabled) for (l ...) table22[l] = v22
 *                                    v42 of the line
 *                                    for (l ...) ... u[v42 * row + table22[l]] ...
 *     x * linspace(0, 1, n)      likewise */
#include "lower/cpu.h"

enum { ALONG = 1, ACROSS = 2, LEAST_OPS = 2 /* less than that isn't worth a table */ };

/* Of guarded ones those that are picked. */
static bool counts_as_place(const kf__low *L, const kf__instr *in, bool picks) {
    const kf__operand *o = &L->operands[in->access];
    if (in->kind == KF__I_INDEX || in->kind == KF__I_INSIDE) return true;
    bool load = in->kind == KF__I_LOAD &&
                (!in->n_args || (picks && !L->k->n_symbols) || kf__is_place(L, in->args[0]));
    return load && !o->symbols && !o->row;
}

/* [n_instrs] Of what is computed for each element: does it change along a line, across lines? */
static uint8_t *find_ways(kf__low *L, const kf__mask *mask) {
    uint8_t *way = KF__NEW(L->arena, uint8_t, L->k->n_instrs + 1);
    bool picks = false;
    if (!way) L->failed = true;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        picks |= kf__has(mask, i) && L->k->instrs[i].kind == KF__I_PICK;
    for (uint32_t i = 0; way && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (L->value[i]) continue;
        if (!kf__has(mask, i)) { /* it is made elsewhere, perhaps of lines */
            bool fixed = in->level == KF__LEVEL_SCALAR || in->kind == KF__I_CONSTANT;
            way[i] = fixed ? 0 : ALONG | ACROSS;
            continue;
        }
        bool place = counts_as_place(L, in, picks);
        const kf__operand *o = place ? &L->operands[in->access] : NULL;
        way[i] = ALONG | ACROSS;
        if (place && o->affine) {
            way[i] = in->kind == KF__I_LOAD && in->n_args ? way[in->args[0]] : 0;
            for (int m = 0; m < L->n_axes; ++m)
                if (o->varies[m]) way[i] |= m == kf__last(L) ? ALONG : ACROSS;
        } else if (in->kind == KF__I_OP || in->kind == KF__I_CAST || in->kind == KF__I_PICK) {
            way[i] = 0;
            for (int a = 0; a < in->n_args; ++a) way[i] |= way[in->args[a]];
        }
    }
    return way;
}

/* Floats of int64 take as long as a division's half. */
static bool is_costly(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    bool wide = in->kind == KF__I_CAST && kf__is_float((kf__dtype)in->dtype) &&
                L->k->instrs[in->args[0]].dtype == KF__I64;
    return wide || kf__is_function(L, i) || kf__divides(L, i);
}

/* Elements that are made into indices, or picked, or ramps; others cost no more than their table,
 * if no function is taken of them. */
static bool is_worth(kf__low *L, uint16_t i) {
    const kf__mask *made = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    bool loads = false, worth = L->k->n_symbols;
    for (uint32_t m = 0; m < L->k->n_instrs; ++m) {
        if (!kf__has(made, m)) continue;
        loads |= L->k->instrs[m].kind == KF__I_LOAD;
        worth |= L->k->instrs[m].kind == KF__I_PICK || is_costly(L, m);
    }
    return worth || !loads;
}

/* Is it costly, and nothing of it picked? */
static bool is_apart(kf__low *L, uint16_t i) {
    const kf__mask *made = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    bool costly = false;
    for (uint32_t m = 0; m < L->k->n_instrs; ++m) {
        const kf__instr *in = &L->k->instrs[m];
        if (!kf__has(made, m)) continue;
        if (in->kind == KF__I_PICK || in->kind == KF__I_INSIDE) return false;
        if (in->kind == KF__I_LOAD && in->n_args) return false;
        costly |= is_costly(L, m);
    }
    return costly;
}

/* Tables of what other instructions use. picks: runs of each line are picked, which tables of what
 * is picked would hide. */
static uint32_t find_kept(kf__low *L, const kf__mask *mask, const uint8_t *way, bool picks,
                          uint16_t *kept) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        bool used = false;
        bool given = L->k->instrs[i].kind == KF__I_INDEX || L->k->instrs[i].kind == KF__I_LOAD;
        if (!kf__has(mask, i) || way[i] != ALONG || given) continue;
        for (uint32_t u = i + 1; u < L->k->n_instrs && !used; ++u)
            for (int a = 0; a < L->k->instrs[u].n_args; ++a)
                used |= L->k->instrs[u].args[a] == i && kf__has(mask, u) && way[u] != ALONG;
        if (used && (picks ? is_apart(L, (uint16_t)i) : is_worth(L, (uint16_t)i)))
            kept[n++] = (uint16_t)i;
    }
    return n;
}

/* Is anything of each line taken where a guard holds? */
static bool has_guards(const kf__low *L, const kf__mask *mask, const uint8_t *way) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        any = any || (kf__has(mask, i) && way[i] & ACROSS &&
                      (in->kind == KF__I_PICK || in->kind == KF__I_INSIDE ||
                       (in->kind == KF__I_LOAD && in->n_args)));
    }
    return any;
}

/* Of those of `mask` that change in these ways alone; NULL: tables would hide runs. */
static kf__mask *those_that(kf__low *L, const kf__mask *mask, uint8_t ways) {
    kf__mask *those = kf__low_mask(L);
    const uint8_t *way = find_ways(L, mask);
    if (!those) L->failed = true;
    if (L->failed || L->n_axes < 2 || (!L->k->n_symbols && has_guards(L, mask, way))) return NULL;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && way[i] == ways) kf__add(those, i);
    return those;
}

const kf__mask *kf__cpu_varying(kf__low *L, const kf__mask *mask) {
    const kf__mask *varying = those_that(L, mask, ALONG | ACROSS);
    return varying ? varying : mask;
}

bool kf__cpu_find_tables(kf__low *L, const kf__mask *mask, int64_t most, kf__tables *t) {
    *t = (kf__tables){.parts = t->parts};
    if (L->n_axes < 2) return false;
    const uint8_t *way = find_ways(L, mask);
    bool picks = way && !L->k->n_symbols && has_guards(L, mask, way);
    t->kept = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
    t->name = KF__NEW(L->arena, const char *, L->k->n_instrs + 1);
    if (!way || !t->kept || !t->name) {
        L->failed = true;
        return false;
    }
    uint32_t ops = 0;
    t->way = picks ? NULL : way;
    t->n = find_kept(L, mask, way, picks, t->kept);
    t->made = kf__low_needed(L, KF__LEVEL_FULL, t->kept, t->n);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        uint8_t kind = L->k->instrs[i].kind;
        bool counts = kind == KF__I_OP || (kind == KF__I_CAST && !L->k->n_symbols) ||
                      kind == KF__I_PICK;
        ops += kf__has(t->made, i) && counts;
    }
    if (ops < (L->k->n_symbols ? LEAST_OPS : 1)) t->n = 0;
    for (uint32_t k = 0; k < t->n; ++k) {
        uint16_t i = t->kept[k];
        t->name[k] = kf__l_name(L, "table%u", (unsigned)i);
        kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), t->name[k], most, NULL);
    }
    if (t->n) kf__put_var(L, "int64_t", "tabled", 0, kf__l_int(L, -1));
    t->parts |= kf__low_reduced_axes(L) > 1 && L->axes[kf__last(L)].reduced;
    if (t->n && t->parts) kf__put_var(L, "int64_t", "tabled_len", 0, kf__l_int(L, 0));
    return t->n > 0;
}

void kf__cpu_need_tables(kf__low *L, const kf__cpu_block *b, const kf__tables *t) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(t->made, i) && L->k->instrs[i].kind == KF__I_LOAD)
            kf__cpu_need_pointer(L, b, L->k->instrs[i].access);
}

void kf__cpu_fill_tables(kf__low *L, const kf__cpu_block *b, const kf__tables *t) {
    const kf__lx *l = kf__l_var(L, "l");
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), b->len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, b, t->made, l);
    for (uint32_t k = 0; k < t->n; ++k)
        kf__put_set(L, kf__l_item(L, t->name[k], l), kf__value_of(L, t->kept[k]));
    kf__close(L);
    kf__cpu_forget(L, NULL);
}

void kf__cpu_put_tables(kf__low *L, kf__cpu_block *b, const kf__tables *t) {
    const kf__lx *tabled = kf__l_var(L, "tabled");
    const kf__lx *until = t->parts ? kf__l_var(L, "tabled_len") : NULL;
    const kf__lx *other = kf__l_bin(L, "!=", b->first, tabled);
    kf__cpu_need_tables(L, b, t);
    kf__open_if(L, until ? kf__l_bin(L, "||", other, kf__l_bin(L, ">", b->len, until)) : other);
    kf__cpu_fill_tables(L, b, t);
    kf__put_set(L, tabled, b->first);
    if (until) kf__put_set(L, until, b->len);
    kf__close(L);
    for (uint32_t k = 0; k < t->n; ++k) b->pick[t->kept[k]] = t->name[k];
}

bool kf__cpu_has_across(const kf__low *L, const kf__tables *t, const kf__mask *mask) {
    bool any = false;
    for (uint32_t i = 0; t->way && i < L->k->n_instrs; ++i)
        any |= kf__has(mask, i) && t->way[i] == ACROSS && L->k->instrs[i].kind == KF__I_OP;
    return any;
}

/* Is it a part of what is picked of elements, by runs, and of nothing that isn't of elements? */
static bool is_picked(const kf__low *L, const kf__tables *t, const kf__mask *mask, uint32_t i) {
    bool picked = false, across = false;
    for (uint32_t u = i + 1; u < L->k->n_instrs && L->k->instrs[i].kind == KF__I_PICK; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        if (!kf__has(mask, u) || !kf__uses(in, i)) continue;
        if (!(t->way[u] & ALONG)) across = true;
        else picked |= in->kind == KF__I_PICK;
    }
    return picked && !across;
}

void kf__cpu_put_across(kf__low *L, const kf__tables *t, const kf__mask *mask) {
    for (uint32_t i = 0; t->way && i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && !L->value[i] && !(t->way[i] & ALONG) &&
            L->k->instrs[i].kind != KF__I_CONSTANT && !is_picked(L, t, mask, i))
            kf__low_put_fixed(L, i);
}

/* Masks stop at tables, which then are of them: what those are made of isn't needed. */
static const kf__lx **hide(kf__low *L, const kf__tables *t) {
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs + 1);
    if (!before) L->failed = true;
    for (uint32_t k = 0; before && k < t->n; ++k) {
        before[k] = L->value[t->kept[k]];
        L->value[t->kept[k]] = kf__l_int(L, 0);
    }
    return before;
}

static void show(kf__low *L, const kf__tables *t, const kf__lx **before, kf__mask *mask) {
    for (uint32_t k = 0; before && k < t->n && !L->failed; ++k) {
        L->value[t->kept[k]] = before[k];
        kf__add(mask, t->kept[k]);
    }
}

kf__mask *kf__cpu_table_mask(kf__low *L, const kf__tables *t, const uint16_t *stores, uint32_t n) {
    const kf__lx **before = hide(L, t);
    kf__mask *mask = kf__cpu_line_mask(L, stores, n);
    show(L, t, before, mask);
    return mask;
}

/* ---------------------------------------------------------------- what is reduced */

void kf__cpu_use_tables(kf__low *L, int64_t most, kf__tables *t) {
    kf__mask *all = kf__low_mask(L);
    if (!all) L->failed = true;
    for (uint32_t s = 0; all && s < L->k->n_stages; ++s) {
        const kf__mask *mask = kf__cpu_of_stage(L, s);
        for (uint32_t i = 0; i < L->k->n_instrs; ++i)
            if (kf__has(mask, i)) kf__add(all, i);
    }
    if (all && (kf__cpu_find_tables(L, all, most, t) || kf__cpu_has_across(L, t, all)))
        L->tables = t;
}

static bool is_there(const kf__low *L, const kf__cpu_block *b) {
    const kf__tables *t = L->tables;
    return t && t->n && b->pick[t->kept[0]] == t->name[0];
}

kf__mask *kf__cpu_needed(kf__low *L, const kf__cpu_block *b, const uint16_t *roots, uint32_t n) {
    bool there = is_there(L, b);
    const kf__lx **before = there ? hide(L, L->tables) : NULL;
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    if (there) show(L, L->tables, before, mask);
    return mask;
}

kf__mask *kf__cpu_needed_line(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                              uint32_t n) {
    return is_there(L, b) ? kf__cpu_table_mask(L, L->tables, stores, n)
                          : kf__cpu_line_mask(L, stores, n);
}

void kf__cpu_put_block_tables(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    const kf__tables *t = L->tables;
    bool any = false;
    if (!t) return;
    for (uint32_t k = 0; k < t->n; ++k) any |= kf__has(mask, t->kept[k]);
    const kf__lx **before = any ? KF__NEW(L->arena, const kf__lx *, L->k->n_instrs + 1) : NULL;
    if (any && !before) L->failed = true;
    if (before) {
        memcpy(before, L->value, sizeof *before * L->k->n_instrs);
        kf__cpu_put_tables(L, b, t);
        memcpy(L->value, before, sizeof *before * L->k->n_instrs);
    }
    kf__cpu_put_across(L, t, mask);
}
