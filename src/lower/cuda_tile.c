/* Packs and tiles: loads (cuda_load.c), values of elements, folds and stores. See cuda.h. */
#include "lower/cuda.h"

/* The widest and the narrowest type of what is contiguous, in bytes. */
static void find_sizes(const kf__low *L, int *widest, int *narrowest) {
    int any = 0;
    *widest = 0, *narrowest = 16;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        if (!o->value || kf__low_step(L, i) != 1) continue;
        bool all = true;
        for (int m = 0; m < L->n_axes; ++m) all &= o->varies[m];
        int size = kf__types[o->dtype].size;
        if (size > any) any = size;
        if (all && size > *widest) *widest = size;
        if (all && size < *narrowest) *narrowest = size;
    }
    if (!*widest) *widest = any;
}

/* Are floats stored in rows that may not be aligned? Then a lane stores one after the other, and of
 * packs of 32 bytes each is alone in a sector. */
static bool stores_rows(const kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        bool row = o->value && o->store && kf__low_step(L, i) == 1;
        any = any || (row && kf__types[o->dtype].size == 4);
    }
    return any && L->n_axes > 1 && L->tile < 0;
}

bool kf__cuda_is_double(const kf__low *L) {
    int widest, narrowest;
    find_sizes(L, &widest, &narrowest);
    return widest == 4 && narrowest == 1 && !stores_rows(L);
}

int kf__cuda_width(const kf__low *L) {
    int widest, narrowest;
    find_sizes(L, &widest, &narrowest);
    if (kf__cuda_is_double(L)) return 8; /* bytes by twos would be too short runs */
    return widest ? 16 / widest : 4;
}

/* ---------------------------------------------------------------- loops over packs and elements */

static const kf__lx *open_packs(kf__low *L, kf__tile *t) {
    const kf__lx *s = kf__l_int(L, 0);
    if (t->V > 1) {
        kf__open_for(L, "int", "s", kf__l_int(L, 0), kf__l_int(L, t->V), kf__l_int(L, 1),
                     KF__UNROLL);
        s = kf__l_var(L, "s");
    } else {
        kf__open_block(L);
    }
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) L->pointer[i] = NULL;
    t->head(L, t, s);
    return s;
}

const kf__lx *kf__cuda_is_held(kf__low *L, const kf__tile *t, const kf__lx *s) {
    const kf__lx *first = kf__l_bin(L, "*", s, kf__l_bin(L, "*", t->step, kf__l_int(L, t->W)));
    return kf__l_bin(L, "||", kf__l_bin(L, "<", s, kf__l_int(L, t->filled)),
                     kf__l_bin(L, "<", first, t->skip));
}

/* The same to compute: packs that no thread has an element of are left out. */
static const kf__lx *open_held_packs(kf__low *L, kf__tile *t) {
    const kf__lx *s = open_packs(L, t);
    if (t->skip) kf__open_if(L, kf__cuda_is_held(L, t, s));
    return s;
}

static void close_held_packs(kf__low *L, const kf__tile *t) {
    if (t->skip) kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- what is kept for later */

/* Is instruction i of this stage used at element level by a later one, or by a later field? Where
 * an element is, is told again: loads of packs ask before there is one. */
static bool is_kept(const kf__low *L, uint32_t i, uint32_t stage) {
    if (kf__is_place(L, i)) return false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        if (in->kind == KF__I_PROJECT || in->kind == KF__I_SCAN) continue; /* folded at once */
        for (int a = 0; a < in->n_args; ++a) {
            if (in->args[a] != i) continue;
            if (in->kind == KF__I_REDUCE && kf__fields(L, u) > 1) return true;
            if (in->kind == KF__I_REDUCE && L->k->instrs[i].stage > stage) return true;
            /* a load may be wanted only by what is computed in a later phase */
            if (in->kind != KF__I_REDUCE && kf__at_level(L, u, KF__LEVEL_FULL) &&
                (in->stage > stage || kf__cuda_in_registers(L, i)))
                return true;
        }
    }
    return false;
}

static const char *kept_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "keep%u", (unsigned)i);
}

void kf__cuda_forget(kf__low *L, uint32_t stage) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__at_level(L, i, KF__LEVEL_FULL) || !L->value[i]) continue;
        bool kept = L->value[i]->kind == KF__L_ITEM || L->value[i]->kind == KF__L_CALL;
        if (kept && is_kept(L, i, stage)) continue;
        L->value[i] = NULL;
    }
}

/* ---------------------------------------------------------------- a phase */

static const kf__lx *accumulator(kf__low *L, const kf__phase *p, uint32_t r, int f,
                                 const kf__lx *e) {
    const kf__lx *acc = p->acc[r][f];
    if (p->by_pack) return kf__l_item(L, acc->name, kf__l_var(L, "s"));
    return p->by_element ? kf__l_item(L, acc->name, e) : acc;
}

/* acc = fold(acc, there is such an element ? term : identity) */
static void put_fold(kf__low *L, const kf__tile *t, const kf__phase *p, uint32_t r, int f,
                     const kf__lx *const *fields, const kf__lx *x, const kf__lx *e) {
    uint32_t red = p->reds[r];
    const kf__lx *acc = accumulator(L, p, r, f, e);
    const kf__lx *at = t->index ? t->index : t->j;
    if (!p->by_element) at = kf__l_bin(L, "+", at, e);
    const kf__lx *there = kf__l_bin(L, "<", e, t->left), *none = kf__identity(L, red, f);
    if (p->runs) { /* what is behind a row's end is before nothing */
        kf__put_set(L, acc, kf__fold_of(L, red, f, acc, x));
        return;
    }
    const kf__lx *term = kf__term(L, red, f, x, at, fields);
    if (t->whole) { /* what is folded of a column that isn't there, nobody reads */
        kf__put_set(L, acc, kf__fold_of(L, red, f, acc, term));
        return;
    }
    kf__dtype type = kf__field_type(L, red, f);
    bool exponential = L->k->instrs[red].op == KF__RED_MAX_SUMEXP && f > 0;
    if (exponential && type == KF__F32) /* in a branch they would be taken one by one */
        term = kf__l_call(L, "kf_select_T", type, there, term, none);
    else
        term = kf__l_select(L, there, term, none);
    term = kf__put_let(L, kf__ctype(type), kf__l_name(L, "term%u", (unsigned)red), term, NULL);
    kf__put_set(L, acc, kf__fold_of(L, red, f, acc, term));
}

static void put_value(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *e);

/* A pick whose parts are computed in branches. */
static void put_branches(kf__low *L, const kf__tile *t, uint32_t pick, const kf__lx *e) {
    const kf__instr *in = &L->k->instrs[pick];
    const char *name = kf__l_name(L, "v%u", (unsigned)pick);
    kf__put_var(L, kf__ctype(in->dtype), name, 0, NULL);
    kf__open_if(L, kf__value_of(L, in->args[0]));
    for (uint32_t part = 0; part < 2; ++part) {
        if (part) kf__open_else(L);
        for (uint32_t i = 0; i < pick; ++i)
            if (t->sides[i] == 2 * pick + part) put_value(L, t, i, e);
        kf__put_set(L, kf__l_var(L, name), kf__value_of(L, in->args[1 + part]));
    }
    kf__close(L);
    L->value[pick] = kf__l_var(L, name);
}

/* A value of element e that isn't in registers: made, or loaded where its guard is known now. */
static void put_value(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *e) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_PICK && kf__cuda_is_picked(L, i)) {
        L->value[i] = L->value[in->args[1]];
        return;
    }
    if (in->kind == KF__I_PICK && kf__cuda_has_sides(L, t->sides, i)) {
        put_branches(L, t, i, e);
        return;
    }
    if (in->kind != KF__I_LOAD) {
        kf__put_instr(L, i);
        return;
    }
    const kf__lx *index = kf__element(L, in->access, e, kf__l_bin(L, "+", t->j, e));
    const kf__lx *load = kf__low_load(L, in->access, kf__l_var(L, L->pointer[in->access]), index);
    L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                              kf__cuda_below_left(L, t, in, load, e), NULL);
}

/* What store s of a phase stores: of what was rounded to a half in f32, what was rounded, as
 * storing a half rounds. */
static uint32_t stored(const kf__low *L, const kf__phase *p, uint32_t s) {
    const kf__store *store = &L->k->stores[p->stores[s]];
    const kf__instr *in = &L->k->instrs[store->instr];
    kf__dtype type = L->operands[store->access].dtype;
    bool rounds = in->kind == KF__I_CAST && in->dtype == type && kf__is_narrow(type);
    bool is_float = kf__compute(L->k->instrs[in->args[0]].dtype) == KF__F32;
    return rounds && is_float ? in->args[0] : store->instr;
}

/* What stands in branches of picks: not what is reduced, stored or kept. */
static const uint16_t *sides_of(kf__low *L, const kf__phase *p, const kf__mask *mask,
                                uint32_t stage) {
    kf__mask *held = kf__low_mask(L);
    if (!held) {
        L->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__cuda_in_registers(L, i) || L->value[i] || is_kept(L, i, stage))
            kf__add(held, i);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t i = L->k->instrs[p->reds[r]].args[0];
        kf__add(held, i);
    }
    for (uint32_t s = 0; s < p->n_stores; ++s) {
        uint32_t i = stored(L, p, s);
        kf__add(held, i);
    }
    return kf__cuda_sides(L, mask, held);
}

/* Of several rows: is it the same for all of one's, and loaded with what isn't? Behind the first
 * row's stores it would wait for memory once a row. */
static bool is_same(const kf__low *L, const kf__tile *t, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (kf__cuda_is_fixed(L, i) || kf__cuda_in_registers(L, i)) return false;
    return t->V > 1 && in->kind == KF__I_LOAD && !in->n_args;
}

/* Each stage loads it again. */
static const char *same_name(kf__low *L, uint32_t i, uint32_t stage) {
    if (stage) return kf__l_name(L, "same%u_%u", (unsigned)i, (unsigned)stage);
    return kf__l_name(L, "same%u", (unsigned)i);
}

static const kf__lx *load_same(kf__low *L, const kf__tile *t, uint32_t i) {
    uint32_t access = L->k->instrs[i].access;
    kf__cuda_need_pointer(L, t, access);
    return kf__low_load(L, access, kf__l_var(L, L->pointer[access]), kf__l_int(L, 0));
}

static void put_same(kf__low *L, const kf__tile *t, const kf__mask *mask, uint32_t stage,
                     const kf__lx *s) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && !L->value[i] && is_same(L, t, i))
            kf__put_set(L, kf__l_item(L, same_name(L, i, stage), s), load_same(L, t, i));
}

static void put_values(kf__low *L, kf__tile *t, kf__phase *p, const kf__mask *mask, uint32_t stage,
                       const kf__lx *s) {
    for (uint32_t i = 0; i < p->n_stores; ++i)
        kf__put_var(L, kf__ctype(L->operands[L->k->stores[p->stores[i]].access].dtype),
                    kf__l_name(L, "w%u", (unsigned)p->stores[i]), t->W, NULL);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) { /* the same for all elements of the pack */
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || L->value[i] || in->kind != KF__I_LOAD ||
            kf__cuda_in_registers(L, i))
            continue;
        if (is_same(L, t, i)) {
            L->value[i] = kf__l_item(L, same_name(L, i, stage), s);
            continue;
        }
        kf__cuda_need_pointer(L, t, in->access);
        if (!in->n_args)
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                                      load_same(L, t, i), NULL);
    }
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_LOAD && kf__low_tiled(L, in->access) && t->across)
            kf__cuda_from_shared(L, t, in->access, kf__cuda_words_of(L, t, i, s));
    }
    const kf__lx *e = kf__cuda_open_elements(L, t), *at = kf__cuda_slot(L, t, s, e);
    L->at = kf__l_bin(L, "+", t->j, e);
    t->sides = sides_of(L, p, mask, stage);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i) || (t->sides && t->sides[i] != KF__EITHER)) continue;
        uint32_t lead = kf__cuda_lead(L, i);
        if (lead != i && L->value[lead]) {
            L->value[i] = L->value[lead];
        } else if (kf__cuda_in_registers(L, i)) {
            L->value[i] = kf__cuda_register_item(L, t, i, s, e);
            if (L->value[i]->kind == KF__L_CALL)
                L->value[i] = kf__put_let(L, kf__ctype(L->k->instrs[i].dtype),
                                          kf__l_name(L, "v%u", (unsigned)i), L->value[i], NULL);
        } else if (!L->value[i])
            put_value(L, t, i, e);
        if (!is_kept(L, i, stage) || kf__cuda_in_registers(L, i)) continue;
        kf__put_set(L, kf__l_item(L, kept_name(L, i), at), L->value[i]);
    }
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        put_fold(L, t, p, r, 0, NULL, kf__value_of(L, L->k->instrs[p->reds[r]].args[0]), e);
        if (p->runs)
            kf__put_set(L, kf__l_item(L, kept_name(L, p->reds[r]), at),
                        accumulator(L, p, r, 0, e));
    }
    for (uint32_t i = 0; i < p->n_stores; ++i)
        kf__put_set(L, kf__l_item(L, kf__l_name(L, "w%u", (unsigned)p->stores[i]), e),
                    kf__value_of(L, stored(L, p, i)));
    kf__close(L);
}

/* Packs of rows that aren't aligned are stored by the lanes of a warp together: of f32 softmax(x)
 * 3163x3161 took 37 us on an H200, and then 30. */
static void put_pack_store(kf__low *L, const kf__tile *t, uint32_t access, const char *array) {
    kf__dtype type = L->operands[access].dtype;
    int size = kf__types[type].size;
    const kf__lx *p = kf__l_var(L, L->pointer[access]), *from = kf__l_var(L, array);
    const kf__lx *aligned = kf__cuda_aligned(L, t, access);
    if (t->warps && t->W * size == 16 && (size >= 4 || type == KF__F16 || type == KF__BF16))
        kf__put_call(L, kf__l_call(L, kf__cuda_wide_name(L, "row_store", t->W, type), KF__I64, p,
                                   t->left, aligned, from));
    else
        kf__put_call(L, kf__l_call(L, kf__cuda_wide_name(L, "store", t->W, type), KF__I64, p,
                                   kf__l_int(L, 0), t->left, aligned, from));
}

static void put_pack_stores(kf__low *L, kf__tile *t, const kf__phase *p) {
    for (uint32_t i = 0; i < p->n_stores; ++i) {
        uint32_t access = L->k->stores[p->stores[i]].access;
        const char *array = kf__l_name(L, "w%u", (unsigned)p->stores[i]);
        if (kf__low_tiled(L, access)) {
            if (p->by_element)
                kf__cuda_put_in_tile(L, t, access, array);
            else
                kf__cuda_to_shared(L, t, access, array);
            continue;
        }
        kf__cuda_need_pointer(L, t, access);
        if (kf__low_step(L, access) == 1 && t->W > 1) {
            put_pack_store(L, t, access, array);
            continue;
        }
        const kf__lx *e = kf__cuda_open_elements(L, t);
        kf__open_if(L, kf__l_bin(L, "<", e, t->left));
        kf__put_store(L, access, L->pointer[access],
                      kf__element(L, access, e, kf__l_bin(L, "+", t->j, e)),
                      kf__l_item(L, array, e));
        kf__close(L);
        kf__close(L);
    }
}

static void put_raw_loads(kf__low *L, kf__tile *t) {
    const kf__lx *wide = kf__word_aligned(L, "vec", t->vec);
    if (t->row_left)
        wide = kf__l_bin(L, "&&", wide, kf__l_bin(L, "==", t->row_left, kf__l_int(L, t->W)));
    kf__open_if(L, wide);
    for (kf__raw_step step = KF__RAW_WIDE; step <= KF__RAW_SETTLE; ++step) {
        const kf__lx *s = open_packs(L, t);
        if (step != KF__RAW_SETTLE) kf__cuda_put_fixed(L);
        kf__cuda_put_raw(L, t, s, step);
        kf__close(L);
        kf__cuda_forget_fixed(L);
        if (step > KF__RAW_WIDE) continue;
        kf__open_else(L);
        kf__cuda_put_raw_registers(L, t);
    }
    kf__close(L);
}

/* Of columns: what is chosen among parts, for all rows in flight where they are of one. */
static void put_span_loads(kf__low *L, kf__tile *t, const kf__mask *mask) {
    const kf__lx *one = NULL;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i) || !kf__cuda_leads_span(L, t, i)) continue;
        const kf__lx *all =
            kf__cuda_put_span_choice(t->choices[i], t->row_axis, t->first_row, t->last_row);
        one = one ? kf__l_bin(L, "&", one, all) : all;
    }
    if (!one) return;
    kf__put_comment(L, "all rows in flight are of one part");
    kf__open_if(L, one);
    kf__cuda_put_span_loads(L, t, mask, open_packs(L, t), true);
    kf__close(L);
    kf__open_else(L);
    kf__cuda_put_span_loads(L, t, mask, open_packs(L, t), false);
    kf__close(L);
    kf__close(L);
}

/* The instructions of a phase; which of its loads share registers. NULL: no memory. */
static const kf__mask *begin_phase(kf__low *L, const kf__phase *p) {
    uint16_t *roots = KF__NEW(L->arena, uint16_t, p->n_reds + p->n_stores + 1);
    if (!roots) {
        L->failed = true;
        return NULL;
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < p->n_reds; ++r) roots[n++] = L->k->instrs[p->reds[r]].args[0];
    for (uint32_t s = 0; s < p->n_stores; ++s) roots[n++] = stored(L, p, s);
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    L->fixed = L->k->n_symbols ? kf__low_fixed(L, mask) : NULL;
    kf__cuda_share_registers(L, mask);
    return mask;
}

void kf__cuda_prepare(kf__low *L, kf__tile *t, const kf__phase *p) {
    const kf__mask *mask = begin_phase(L, p);
    t->choices = KF__NEW(L->arena, kf__choice *, L->k->n_instrs + 1);
    if (!t->choices) L->failed = true;
    for (uint32_t i = 0; mask && t->choices && i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && kf__cuda_is_chosen(L, t, i) && kf__cuda_lead(L, i) == i)
            t->choices[i] = kf__cuda_begin_choice(L, t, i);
}

void kf__cuda_phase(kf__low *L, kf__tile *t, kf__phase *p, uint32_t stage, bool split) {
    const kf__mask *mask = begin_phase(L, p);
    if (!mask) return;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        if (kf__cuda_in_registers(L, i) && kf__cuda_lead(L, i) == i)
            kf__cuda_put_registers(L, t, i);
        else if (kf__cuda_in_registers(L, i))
            continue;
        else if (is_kept(L, i, stage))
            kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), kept_name(L, i), t->V * t->W, NULL);
        if (!L->value[i] && is_same(L, t, i))
            kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), same_name(L, i, stage), t->V, NULL);
    }
    for (uint32_t r = 0; p->runs && r < p->n_reds; ++r)
        kf__put_var(L, kf__ctype(L->k->instrs[p->reds[r]].dtype), kept_name(L, p->reds[r]),
                    t->V * t->W, NULL);
    bool loads = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        loads |= kf__has(mask, i) && !L->value[i] && kf__cuda_in_registers(L, i) &&
                 L->k->instrs[i].kind == KF__I_LOAD;
    bool apart = split && (loads || t->between);
    L->raw = split ? kf__cuda_find_raw(L, t, mask) : NULL;
    const kf__lx *s = apart ? open_packs(L, t) : open_held_packs(L, t);
    kf__cuda_put_fixed(L);
    put_same(L, t, mask, stage, s);
    kf__cuda_put_loads(L, t, mask, s);
    if (apart) {
        if (t->tail) t->tail(L, true);
        kf__close(L);
        kf__cuda_forget_fixed(L);
        if (L->raw) put_raw_loads(L, t);
        put_span_loads(L, t, mask);
        if (t->between) t->between(L, t);
        s = open_held_packs(L, t);
        kf__cuda_put_fixed(L);
    }
    kf__cuda_put_randoms(L, t, mask, s);
    put_values(L, t, p, mask, stage, s);
    put_pack_stores(L, t, p);
    if (t->tail) t->tail(L, false);
    close_held_packs(L, t);
    /* From here on: what is kept, by slot of the loops over s and e. */
    const kf__lx *pack = t->V > 1 ? kf__l_var(L, "s") : kf__l_int(L, 0);
    const kf__lx *e = t->W > 1 ? kf__l_var(L, "e") : kf__l_int(L, 0);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        L->value[i] = NULL;
        if (!is_kept(L, i, stage)) continue;
        L->value[i] = kf__cuda_in_registers(L, i)
                          ? kf__cuda_register_item(L, t, i, pack, e)
                          : kf__l_item(L, kept_name(L, i), kf__cuda_slot(L, t, pack, e));
    }
    for (uint32_t r = 0; p->runs && r < p->n_reds; ++r)
        L->value[p->reds[r]] =
            kf__l_item(L, kept_name(L, p->reds[r]), kf__cuda_slot(L, t, pack, e));
}

void kf__cuda_field(kf__low *L, kf__tile *t, kf__phase *p, int f, kf__fields_of *fields) {
    bool any = false;
    for (uint32_t r = 0; r < p->n_reds; ++r) any |= kf__fields(L, p->reds[r]) > f;
    if (!any) return;
    open_held_packs(L, t);
    const kf__lx *e = kf__cuda_open_elements(L, t);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        if (kf__fields(L, p->reds[r]) <= f) continue;
        const kf__lx *before[KF__MAX_FIELDS];
        for (int g = 0; g < f; ++g)
            before[g] = p->by_element ? kf__l_item(L, fields[r][g]->name, e) : fields[r][g];
        put_fold(L, t, p, r, f, before, kf__value_of(L, L->k->instrs[p->reds[r]].args[0]), e);
    }
    kf__close(L);
    close_held_packs(L, t);
}

const kf__lx *kf__cuda_exp(kf__low *L, kf__tile *t, uint32_t red, uint32_t difference,
                           uint32_t power) {
    kf__dtype type = kf__state_type(L, red);
    const char *keep = kept_name(L, power);
    const kf__lx *sum = kf__put_var(L, kf__ctype(type), kf__field_name(L, "state", red, 1), 0,
                                    kf__identity(L, red, 1));
    kf__put_var(L, kf__ctype(type), keep, t->V * t->W, NULL);
    const kf__lx *s = open_held_packs(L, t), *e = kf__cuda_open_elements(L, t);
    kf__put_instr(L, difference);
    kf__put_instr(L, power);
    kf__put_set(L, kf__l_item(L, keep, kf__cuda_slot(L, t, s, e)), L->value[power]);
    const kf__lx *term = kf__l_select(L, kf__l_bin(L, "<", e, t->left), L->value[power],
                                      kf__identity(L, red, 1));
    kf__put_set(L, sum, kf__l_bin(L, "+", sum, term));
    kf__close(L);
    close_held_packs(L, t);
    L->value[difference] = NULL;
    L->value[power] = kf__l_item(L, keep,
                                 kf__cuda_slot(L, t, t->V > 1 ? kf__l_var(L, "s") : kf__l_int(L, 0),
                                               t->W > 1 ? kf__l_var(L, "e") : kf__l_int(L, 0)));
    return sum;
}

const kf__lx *kf__cuda_count(kf__low *L, kf__tile *t, const char *name) {
    const kf__lx *count = kf__put_var(L, "int64_t", name, 0, kf__l_int(L, 0));
    open_packs(L, t);
    const kf__lx *here =
        kf__l_call(L, "kf_max_i64", KF__I64, kf__l_int(L, 0),
                   kf__l_call(L, "kf_min_i64", KF__I64, kf__l_int(L, t->W), t->left));
    kf__put_set(L, count, kf__l_bin(L, "+", count, here));
    kf__close(L);
    return count;
}
