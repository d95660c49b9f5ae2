/* Packs and tiles: loads into registers, values of elements, folds and stores. See cuda.h. */
#include "lower/cuda.h"

int kf__cuda_width(const kf__low *L) {
    int widest = 0, any = 0, narrowest = 16;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        if (!o->value || kf__low_step(L, i) != 1) continue;
        bool all = true;
        for (int m = 0; m < L->n_axes; ++m) all &= o->varies[m];
        int size = kf__types[o->dtype].size;
        if (size > any) any = size;
        if (all && size > widest) widest = size;
        if (all && size < narrowest) narrowest = size;
    }
    if (!widest) widest = any;
    if (widest == 4 && narrowest == 1) return 8; /* bytes by twos would be too short runs */
    return widest ? 16 / widest : 4;
}

static bool is_wide(const kf__low *L, uint32_t i, int width) {
    for (int m = 0; m + 1 < L->n_axes; ++m)
        if (L->operands[i].varies[m] && L->axes[m].size > 1 && L->operands[i].stride[m] % width)
            return false;
    for (uint32_t k = 0; k < L->k->n_symbols; ++k)
        if (L->operands[i].symbol_stride[k] % width) return false;
    return true;
}

/* Does it begin in the middle of an array, as slices and parts do? Then its alignment is its own
 * affair: others are still accessed by 16 bytes. */
static bool is_apart(const kf__low *L, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    return o->value && !o->store && !o->packed && !o->origin && kf__low_step(L, i) == 1;
}

bool kf__cuda_wide(const kf__low *L, int width) {
    if (width < 2) return false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!L->operands[i].value || kf__low_step(L, i) != 1 || is_apart(L, i)) continue;
        if (!is_wide(L, i, width)) return false;
    }
    return true;
}

/* May a pack of this load be read by 16 bytes? */
static const kf__lx *aligned(kf__low *L, const kf__tile *t, uint32_t access) {
    if (!is_apart(L, access)) return kf__word_aligned(L, "vec", t->vec);
    return kf__word_aligned(L, kf__l_name(L, "vec_%s", L->operands[access].name),
                            is_wide(L, access, t->W));
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

static const kf__lx *open_elements(kf__low *L, const kf__tile *t) {
    if (t->W == 1) {
        kf__open_block(L);
        return kf__l_int(L, 0);
    }
    kf__open_for(L, "int", "e", kf__l_int(L, 0), kf__l_int(L, t->W), kf__l_int(L, 1), KF__UNROLL);
    return kf__l_var(L, "e");
}

/* Index of element e of pack s in a register array. */
static const kf__lx *slot(kf__low *L, const kf__tile *t, const kf__lx *s, const kf__lx *e) {
    return kf__l_bin(L, "+", kf__l_bin(L, "*", s, kf__l_int(L, t->W)), e);
}

static const kf__lx *address(kf__low *L, const kf__tile *t, const char *array, const kf__lx *s) {
    return kf__l_bin(L, "+", kf__l_var(L, array), kf__l_bin(L, "*", s, kf__l_int(L, t->W)));
}

static void need_pointer(kf__low *L, const kf__tile *t, uint32_t access) {
    if (!L->pointer[access]) kf__put_pointer(L, access, kf__low_step(L, access) ? t->j : NULL);
}

static const char *wide_name(kf__low *L, const char *what, int W, kf__dtype dtype) {
    return kf__l_name(L, "kf_%s%d_%s", what, W, kf__types[dtype].alias);
}

static bool in_registers(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind != KF__I_LOAD) return in->kind == KF__I_RANDOM && !kf__cuda_is_fixed(L, i);
    bool early = !in->n_args || kf__cuda_is_early(L, in->args[0], false);
    return early && kf__low_step(L, in->access) != 0;
}

static const char *register_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "r%u", (unsigned)kf__cuda_lead(L, i));
}

/* Words of a pack of this load, where it is loaded as such; else 0. */
static int pack_words(const kf__low *L, const kf__tile *t, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind != KF__I_LOAD || t->W == 1) return 0;
    if (in->n_args && !kf__cuda_is_early(L, in->args[0], true)) return 0;
    if (kf__low_step(L, in->access) != 1 && !kf__low_tiled(L, in->access)) return 0;
    return (t->W * kf__types[L->operands[in->access].dtype].size + 3) / 4;
}

static void put_registers(kf__low *L, const kf__tile *t, uint32_t i) {
    int words = pack_words(L, t, i);
    if (words)
        kf__put_var(L, "uint32_t", register_name(L, i), t->V * words, NULL);
    else
        kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), register_name(L, i), t->V * t->W, NULL);
}

/* Where the words of pack s of a load are. */
static const kf__lx *words_of(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *s) {
    return kf__l_bin(L, "+", kf__l_var(L, register_name(L, i)),
                     kf__l_bin(L, "*", s, kf__l_int(L, pack_words(L, t, i))));
}

/* Element e of pack s of a load or random instruction. */
static const kf__lx *register_item(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *s,
                                   const kf__lx *e) {
    int words = pack_words(L, t, i);
    if (!words) return kf__l_item(L, register_name(L, i), slot(L, t, s, e));
    const kf__lx *pack = words_of(L, t, i, s);
    const char *suffix = kf__types[L->operands[L->k->instrs[i].access].dtype].alias;
    return kf__l_call(L, kf__l_name(L, "kf_item_%s", suffix), KF__I64, pack, e);
}

/* How many elements of the pack there are, for the ranges of guards; may be negative. */
static const kf__lx *elements_here(kf__low *L, const kf__tile *t, uint32_t i) {
    if (!t->far) return t->left;
    return kf__put_let(L, "int", kf__l_name(L, "here%u", (unsigned)i),
                       kf__l_call(L, "kf_min_i64", KF__I64, t->left, kf__l_int(L, t->W)), NULL);
}

/* A pack of a load that shares its registers: what is inside is added to what others left. */
static void put_shared_load(kf__low *L, kf__tile *t, uint32_t i, const kf__lx *s, const kf__lx *p) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__lx *words = words_of(L, t, i, s), *zero = kf__l_int(L, 0), *begin, *end;
    kf__dtype dtype = L->operands[in->access].dtype;
    int n = pack_words(L, t, i);
    const kf__lx *first = kf__l_bin(L, "*", s, kf__l_int(L, n));
    if (kf__cuda_lead(L, i) == i) kf__cuda_put_empty(L, register_name(L, i), first, n);
    const kf__lx *here = elements_here(L, t, i);
    kf__put_range(L, i, t->j, here, &begin, &end);
    kf__open_if(L, kf__l_bin(L, "<", begin, end));
    kf__open_if(L, kf__l_bin(L, "==", kf__l_bin(L, "-", end, begin), here));
    kf__put_call(L, kf__l_call(L, wide_name(L, "load", t->W, dtype), KF__I64, p, zero, here,
                               aligned(L, t, in->access), words));
    kf__open_else(L);
    kf__cuda_put_part(L, register_name(L, i), first, n, wide_name(L, "part", t->W, dtype), p, begin,
                      end);
    kf__close(L);
    kf__close(L);
}

/* The element of a load; 0 where there is none, or its guard doesn't hold. */
static const kf__lx *below_left(kf__low *L, const kf__tile *t, const kf__instr *in,
                                const kf__lx *load, const kf__lx *e) {
    const kf__lx *there = kf__l_bin(L, "<", e, t->left);
    if (in->n_args)
        there = kf__l_bin(L, "&&", there,
                          kf__guard_at(L, in->args[0], kf__l_bin(L, "+", t->j, e)));
    return kf__l_select(L, there, load, kf__l_const(L, in->dtype, 0, 0));
}

static void put_load(kf__low *L, kf__tile *t, uint32_t i, const kf__lx *s) {
    const kf__instr *in = &L->k->instrs[i];
    const char *array = register_name(L, i);
    if (kf__low_tiled(L, in->access)) return; /* put_values takes it from shared memory */
    need_pointer(L, t, in->access);
    const kf__lx *p = kf__l_var(L, L->pointer[in->access]);
    if (kf__cuda_shares(L, i)) {
        put_shared_load(L, t, i, s, p);
        return;
    }
    if (pack_words(L, t, i)) {
        const kf__lx *words = words_of(L, t, i, s), *zero = kf__l_int(L, 0), *begin = zero;
        const kf__lx *end = t->left, *here = in->n_args ? elements_here(L, t, i) : NULL;
        if (in->n_args) kf__put_range(L, i, t->j, here, &begin, &end);
        bool partly = begin->kind != KF__L_INT; /* else it begins with the pack */
        if (partly)
            kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", begin, zero),
                                     kf__l_bin(L, "==", end, here)));
        kf__put_call(L, kf__l_call(L, wide_name(L, "load", t->W, L->operands[in->access].dtype),
                                   KF__I64, p, zero, end, aligned(L, t, in->access), words));
        if (!partly) return;
        kf__open_else(L);
        kf__put_call(L, kf__l_call(L, wide_name(L, "part", t->W, L->operands[in->access].dtype),
                                   KF__I64, p, begin, end, words));
        kf__close(L);
        return;
    }
    const kf__lx *e = open_elements(L, t), *at = kf__l_bin(L, "+", t->j, e);
    const kf__lx *load = kf__low_load(L, in->access, p, kf__element(L, in->access, e, at));
    kf__put_set(L, kf__l_item(L, array, slot(L, t, s, e)), below_left(L, t, in, load, e));
    kf__close(L);
}

static void put_random(kf__low *L, kf__tile *t, uint32_t i, const kf__lx *s) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    const char *array = register_name(L, i);
    const kf__lx *seed = kf__value_of(L, in->args[0]), *stream = kf__value_of(L, in->args[1]);
    const kf__lx *start = kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset);
    int step = kf__low_step(L, in->access);
    int run = in->dtype == KF__I64 ? 2 : 4; /* elements of one counter */
    bool runs = step == 1 && t->W % run == 0;
    const char *index = kf__l_name(L, "index%u", (unsigned)i);
    if (runs) {
        kf__put_let(L, "int64_t", index,
                    kf__l_bin(L, "+", start, kf__low_offset(L, in->access, t->j)), NULL);
        const kf__lx *rest = kf__l_bin(L, "&", kf__l_var(L, index), kf__l_int(L, run - 1));
        kf__open_if(L, kf__l_bin(L, "==", rest, kf__l_int(L, 0)));
        for (int q = 0; q < t->W; q += run)
            kf__put_call(L,
                         kf__l_call(L, run == 2 ? "kf_philox2_wide" : "kf_philox4", KF__I32, seed,
                                    stream,
                                    kf__l_bin(L, "+", kf__l_var(L, index), kf__l_int(L, q)),
                                    kf__l_bin(L, "+", address(L, t, array, s), kf__l_int(L, q))));
        kf__open_else(L);
    }
    const kf__lx *e = open_elements(L, t), *at = kf__l_bin(L, "+", t->j, e);
    const kf__lx *offset = kf__low_offset(L, in->access, step ? at : NULL);
    if (o->affine) offset = kf__l_bin(L, "+", start, offset);
    kf__put_set(L, kf__l_item(L, array, slot(L, t, s, e)),
                kf__random_call(L, in, offset));
    kf__close(L);
    if (runs) kf__close(L);
}

static void put_loads(kf__low *L, kf__tile *t, const kf__mask *mask, const kf__lx *s) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i) || L->value[i] || !in_registers(L, i)) continue;
        if (L->k->instrs[i].kind == KF__I_LOAD)
            put_load(L, t, i, s);
        else
            put_random(L, t, i, s);
    }
}

/* ---------------------------------------------------------------- what is kept for later */

/* Is instruction i of this stage used at element level by a later one, or by a later field? */
static bool is_kept(const kf__low *L, uint32_t i, uint32_t stage) {
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        if (in->kind == KF__I_PROJECT) continue;
        for (int a = 0; a < in->n_args; ++a) {
            if (in->args[a] != i) continue;
            if (in->kind == KF__I_REDUCE && kf__fields(L, u) > 1) return true;
            if (in->kind != KF__I_REDUCE && in->level == KF__LEVEL_FULL && in->stage > stage)
                return true;
            if (in->kind == KF__I_REDUCE && L->k->instrs[i].stage > stage) return true;
            /* it may be wanted only by what is computed in a later phase */
            if (in->kind != KF__I_REDUCE && in->level == KF__LEVEL_FULL && in_registers(L, i))
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
    return p->by_element ? kf__l_item(L, acc->name, e) : acc;
}

/* acc = fold(acc, there is such an element ? term : identity) */
static void put_fold(kf__low *L, const kf__tile *t, const kf__phase *p, uint32_t r, int f,
                     const kf__lx *const *fields, const kf__lx *x, const kf__lx *e) {
    uint32_t red = p->reds[r];
    const kf__lx *acc = accumulator(L, p, r, f, e);
    const kf__lx *at = t->index ? t->index : t->j;
    if (!p->by_element) at = kf__l_bin(L, "+", at, e);
    const kf__lx *term = kf__l_select(L, kf__l_bin(L, "<", e, t->left),
                                      kf__term(L, red, f, x, at, fields), kf__identity(L, red, f));
    term = kf__put_let(L, kf__ctype(kf__field_type(L, red, f)), kf__l_name(L, "term%u", (unsigned)red),
                       term, NULL);
    kf__put_set(L, acc, kf__fold_of(L, red, f, acc, term));
}

/* A value of element e that isn't in registers: made, or loaded where its guard is known now. */
static void put_value(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *e) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_PICK && kf__cuda_is_picked(L, i)) {
        L->value[i] = L->value[in->args[1]];
        return;
    }
    if (in->kind != KF__I_LOAD) {
        kf__put_instr(L, i);
        return;
    }
    const kf__lx *index = kf__element(L, in->access, e, kf__l_bin(L, "+", t->j, e));
    const kf__lx *load = kf__low_load(L, in->access, kf__l_var(L, L->pointer[in->access]), index);
    L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                              below_left(L, t, in, load, e), NULL);
}

static void put_values(kf__low *L, kf__tile *t, kf__phase *p, const kf__mask *mask, uint32_t stage,
                       const kf__lx *s) {
    for (uint32_t i = 0; i < p->n_stores; ++i)
        kf__put_var(L, kf__ctype(L->operands[L->k->stores[p->stores[i]].access].dtype),
                    kf__l_name(L, "w%u", (unsigned)p->stores[i]), t->W, NULL);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) { /* the same for all elements of the pack */
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || L->value[i] || in->kind != KF__I_LOAD || in_registers(L, i))
            continue;
        need_pointer(L, t, in->access);
        if (in->n_args) continue;
        const kf__lx *p0 = kf__l_var(L, L->pointer[in->access]);
        L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                                  kf__low_load(L, in->access, p0, kf__l_int(L, 0)), NULL);
    }
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_LOAD && kf__low_tiled(L, in->access))
            kf__cuda_from_shared(L, t, in->access, words_of(L, t, i, s));
    }
    const kf__lx *e = open_elements(L, t), *at = slot(L, t, s, e);
    L->at = kf__l_bin(L, "+", t->j, e);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        uint32_t lead = kf__cuda_lead(L, i);
        if (lead != i && L->value[lead]) {
            L->value[i] = L->value[lead];
        } else if (in_registers(L, i)) {
            L->value[i] = register_item(L, t, i, s, e);
            if (L->value[i]->kind == KF__L_CALL)
                L->value[i] = kf__put_let(L, kf__ctype(L->k->instrs[i].dtype),
                                          kf__l_name(L, "v%u", (unsigned)i), L->value[i], NULL);
        } else if (!L->value[i])
            put_value(L, t, i, e);
        if (!is_kept(L, i, stage) || in_registers(L, i)) continue;
        kf__put_set(L, kf__l_item(L, kept_name(L, i), at), L->value[i]);
    }
    for (uint32_t r = 0; r < p->n_reds; ++r)
        put_fold(L, t, p, r, 0, NULL, kf__value_of(L, L->k->instrs[p->reds[r]].args[0]), e);
    for (uint32_t i = 0; i < p->n_stores; ++i)
        kf__put_set(L, kf__l_item(L, kf__l_name(L, "w%u", (unsigned)p->stores[i]), e),
                    kf__value_of(L, L->k->stores[p->stores[i]].instr));
    kf__close(L);
}

static void put_pack_stores(kf__low *L, kf__tile *t, const kf__phase *p) {
    for (uint32_t i = 0; i < p->n_stores; ++i) {
        uint32_t access = L->k->stores[p->stores[i]].access;
        const char *array = kf__l_name(L, "w%u", (unsigned)p->stores[i]);
        if (kf__low_tiled(L, access)) {
            kf__cuda_to_shared(L, t, access, array);
            continue;
        }
        need_pointer(L, t, access);
        if (kf__low_step(L, access) == 1 && t->W > 1) {
            kf__put_call(L, kf__l_call(L, wide_name(L, "store", t->W, L->operands[access].dtype),
                                       KF__I64, kf__l_var(L, L->pointer[access]), kf__l_int(L, 0),
                                       t->left, kf__word_aligned(L, "vec", t->vec), kf__l_var(L, array)));
            continue;
        }
        const kf__lx *e = open_elements(L, t);
        kf__open_if(L, kf__l_bin(L, "<", e, t->left));
        kf__put_store(L, access, L->pointer[access],
                      kf__element(L, access, e, kf__l_bin(L, "+", t->j, e)),
                      kf__l_item(L, array, e));
        kf__close(L);
        kf__close(L);
    }
}

/* Guarded loads of packs, that this phase loads. */
static void share_registers(kf__low *L, const kf__tile *t, const kf__mask *mask) {
    kf__mask *loaded = KF__NEW(L->arena, kf__mask, L->k->n_instrs / 64 + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; loaded && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || L->value[i] || !in->n_args || !pack_words(L, t, i)) continue;
        if (kf__low_tiled(L, in->access) || !in_registers(L, i)) continue;
        loaded[i / 64] |= (kf__mask)1 << i % 64;
        n++;
    }
    if (!loaded) L->failed = true;
    else if (n > 1) kf__cuda_share(L, loaded);
}

void kf__cuda_phase(kf__low *L, kf__tile *t, kf__phase *p, uint32_t stage, bool split) {
    uint16_t *roots = KF__NEW(L->arena, uint16_t, p->n_reds + p->n_stores + 1);
    if (!roots) {
        L->failed = true;
        return;
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < p->n_reds; ++r) roots[n++] = L->k->instrs[p->reds[r]].args[0];
    for (uint32_t s = 0; s < p->n_stores; ++s) roots[n++] = L->k->stores[p->stores[s]].instr;
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    L->fixed = L->k->n_symbols ? kf__low_fixed(L, mask) : NULL;
    share_registers(L, t, mask);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        if (in_registers(L, i) && kf__cuda_lead(L, i) == i)
            put_registers(L, t, i);
        else if (in_registers(L, i))
            continue;
        else if (is_kept(L, i, stage))
            kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), kept_name(L, i), t->V * t->W, NULL);
    }
    bool loads = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        loads |= kf__has(mask, i) && !L->value[i] && in_registers(L, i);
    const kf__lx *s = open_packs(L, t);
    kf__cuda_put_fixed(L);
    put_loads(L, t, mask, s);
    if (split && (loads || t->between)) {
        kf__close(L);
        kf__cuda_forget_fixed(L);
        if (t->between) t->between(L, t);
        s = open_packs(L, t);
        kf__cuda_put_fixed(L);
    }
    put_values(L, t, p, mask, stage, s);
    put_pack_stores(L, t, p);
    kf__close(L);
    /* From here on: what is kept, by slot of the loops over s and e. */
    const kf__lx *pack = t->V > 1 ? kf__l_var(L, "s") : kf__l_int(L, 0);
    const kf__lx *e = t->W > 1 ? kf__l_var(L, "e") : kf__l_int(L, 0);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        L->value[i] = NULL;
        if (!is_kept(L, i, stage)) continue;
        L->value[i] = in_registers(L, i) ? register_item(L, t, i, pack, e)
                                         : kf__l_item(L, kept_name(L, i), slot(L, t, pack, e));
    }
}

void kf__cuda_field(kf__low *L, kf__tile *t, kf__phase *p, int f, kf__fields_of *fields) {
    bool any = false;
    for (uint32_t r = 0; r < p->n_reds; ++r) any |= kf__fields(L, p->reds[r]) > f;
    if (!any) return;
    open_packs(L, t);
    const kf__lx *e = open_elements(L, t);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        if (kf__fields(L, p->reds[r]) <= f) continue;
        const kf__lx *before[KF__MAX_FIELDS];
        for (int g = 0; g < f; ++g)
            before[g] = p->by_element ? kf__l_item(L, fields[r][g]->name, e) : fields[r][g];
        put_fold(L, t, p, r, f, before, kf__value_of(L, L->k->instrs[p->reds[r]].args[0]), e);
    }
    kf__close(L);
    kf__close(L);
}

const kf__lx *kf__cuda_exp(kf__low *L, kf__tile *t, uint32_t red, uint32_t difference,
                           uint32_t power) {
    kf__dtype type = kf__state_type(L, red);
    const char *keep = kept_name(L, power);
    const kf__lx *sum = kf__put_var(L, kf__ctype(type), kf__field_name(L, "state", red, 1), 0,
                                    kf__identity(L, red, 1));
    kf__put_var(L, kf__ctype(type), keep, t->V * t->W, NULL);
    const kf__lx *s = open_packs(L, t), *e = open_elements(L, t);
    kf__put_instr(L, difference);
    kf__put_instr(L, power);
    kf__put_set(L, kf__l_item(L, keep, slot(L, t, s, e)), L->value[power]);
    const kf__lx *x = kf__value_of(L, L->k->instrs[red].args[0]);
    const kf__lx *max = kf__value_of(L, L->k->instrs[difference].args[1]);
    /* As kf_exp_below: 1 for the maximum itself, infinite or not. */
    const kf__lx *one = kf__l_const(L, type, 1, 1);
    const kf__lx *term = kf__l_select(L, kf__l_bin(L, "==", x, max), one, L->value[power]);
    term = kf__l_select(L, kf__l_bin(L, "<", e, t->left), term, kf__identity(L, red, 1));
    kf__put_set(L, sum, kf__l_bin(L, "+", sum, term));
    kf__close(L);
    kf__close(L);
    L->value[difference] = NULL;
    L->value[power] = kf__l_item(L, keep, slot(L, t, t->V > 1 ? kf__l_var(L, "s") : kf__l_int(L, 0),
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
