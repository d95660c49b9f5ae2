/* Values of a row that later stages read again, kept on the stack: the exponentials of a softmax,
 * or what is dear to compute (a function, random bits, a gather) and reduced before it is used. */
#include "lower/cpu.h"

int kf__cpu_reduced_axes(const kf__low *L) {
    int n = 0;
    for (int m = 0; m < L->n_axes; ++m) n += L->axes[m].reduced;
    return n;
}

/* Is an argument of exponentials, needed for the maximum and for them, more work than to keep
 * it? */
static bool is_work(kf__low *L, uint16_t i) {
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    int n = 0;
    for (uint32_t k = 0; k < L->k->n_instrs; ++k)
        n += kf__has(mask, k) &&
             (L->k->instrs[k].kind == KF__I_OP || L->k->instrs[k].kind == KF__I_CAST);
    return n > 1;
}

/* Is a row's value NaN where the maximum of `red` is infinite, as a sum of exponentials is? */
static bool is_lost(const kf__low *L, uint32_t red, uint32_t i, int depth) {
    const kf__instr *in = &L->k->instrs[i], *max = &L->k->instrs[in->args[0]];
    if (in->kind == KF__I_OP && in->op == KF__SUBTRACT && in->args[0] == in->args[1] &&
        max->kind == KF__I_PROJECT && max->field == 0 && max->args[0] == red)
        return true;
    bool keeps = in->kind == KF__I_CAST ? kf__is_float(in->dtype) : in->kind == KF__I_OP &&
                 (in->op == KF__ADD || in->op == KF__SUBTRACT || in->op == KF__MULTIPLY ||
                  in->op == KF__DIVIDE || in->op == KF__RECIPROCAL || in->op == KF__NEGATIVE);
    for (int a = 0; keeps && depth > 0 && a < in->n_args; ++a)
        if (is_lost(L, red, in->args[a], depth - 1)) return true;
    return false;
}

/* Is all that is made of instruction i, an exponential of `red`, such a value times or over it? */
static bool is_divided(const kf__low *L, uint32_t red, uint32_t i) {
    enum { DEPTH = 6 };
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i) return false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        bool times = in->kind == KF__I_OP && (in->op == KF__DIVIDE || in->op == KF__MULTIPLY);
        for (int a = 0; a < in->n_args; ++a) {
            if (in->args[a] != i) continue;
            if (in->kind == KF__I_PICK && is_divided(L, red, u)) continue;
            if (!times || !is_lost(L, red, in->args[1 - a], DEPTH)) return false;
        }
    }
    return true;
}

/* Do the exponentials that are kept count where the maximum is infinite? Not in a softmax. What is
 * summed is 1 for the maximum itself, and exp(inf - inf) is NaN. */
static bool counts_alone(const kf__low *L, const kf__kept *k) {
    bool divided = is_divided(L, k->red, k->power);
    for (uint32_t i = 0; L->own && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind == KF__I_LOAD && in->access >= L->own->access)
            divided = divided && is_divided(L, k->red, i);
    }
    return !divided;
}

/* Elements of a row that can be kept; of short rows those of a group, and what vectors write behind
 * the last. */
static int64_t most_kept(const kf__low *L, kf__dtype type) {
    return L->held ? KF__CPU_BLOCK + KF__CPU_LANES : KF__CPU_KEPT / kf__types[type].size;
}

bool kf__cpu_keep_exps(kf__low *L, kf__kept *k) {
    *k = (kf__kept){0};
    for (uint32_t i = 0; kf__cpu_reduced_axes(L) == 1 && i < L->k->n_instrs; ++i) {
        if (L->k->instrs[i].kind != KF__I_REDUCE || (L->own && i != L->own->red) ||
            !kf__low_find_exp(L, i, &k->difference, &k->power))
            continue;
        kf__dtype type = kf__state_type(L, i);
        k->red = i;
        k->argument = !L->held && is_work(L, L->k->instrs[i].args[0]);
        k->alone = counts_alone(L, k);
        k->most = most_kept(L, type);
        k->row = L->own ? L->own->name : kf__l_name(L, "exps%u", (unsigned)i);
        kf__put_var(L, kf__ctype(type), k->row, k->most, NULL);
        return true;
    }
    return false;
}

/* What a stage computes for every element. */
kf__mask *kf__cpu_of_stage(kf__low *L, uint32_t s) {
    uint16_t stores[64];
    uint16_t *roots = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 65);
    if (!roots) {
        L->failed = true;
        return kf__low_needed(L, KF__LEVEL_FULL, NULL, 0);
    }
    uint32_t n = kf__low_reductions(L, s, roots), n_stores = kf__low_stores(L, s, stores);
    for (uint32_t r = 0; r < n; ++r) roots[r] = L->k->instrs[roots[r]].args[0];
    for (uint32_t i = 0; i < n_stores; ++i) roots[n++] = L->k->stores[stores[i]].instr;
    return kf__low_needed(L, KF__LEVEL_FULL, roots, n);
}

kf__mask **kf__cpu_of_stages(kf__low *L) {
    kf__mask **of = KF__NEW(L->arena, kf__mask *, L->k->n_stages);
    for (uint32_t s = 0; of && s < L->k->n_stages; ++s) of[s] = kf__cpu_of_stage(L, s);
    if (!of) L->failed = true;
    return of;
}

bool kf__cpu_is_dear(kf__low *L, uint16_t i) {
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    bool dear = kf__is_dear(L, mask);
    for (uint32_t k = 0; k < L->k->n_instrs && !dear; ++k)
        dear = kf__has(mask, k) && L->k->instrs[k].kind == KF__I_LOAD &&
               L->operands[L->k->instrs[k].access].symbols;
    return dear;
}

/* What is dear, reduced in an early stage and needed by a later one. */
bool kf__cpu_find_dear(kf__low *L, kf__kept *k) {
    if (kf__cpu_reduced_axes(L) != 1 || L->k->n_stages < 2) return false;
    kf__mask **of = kf__cpu_of_stages(L);
    if (!of) return false;
    for (uint32_t i = L->k->n_instrs; i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        bool later = L->own && L->own->value == i;
        if (L->own && !later) continue;
        if (in->level != KF__LEVEL_FULL || !kf__has(of[in->stage], i)) continue;
        for (uint32_t s = in->stage + 1u; s < L->k->n_stages; ++s) later |= kf__has(of[s], i);
        if (!later || !kf__cpu_is_dear(L, (uint16_t)i)) continue;
        kf__dtype type = kf__compute((kf__dtype)in->dtype);
        *k = (kf__kept){.red = UINT32_MAX, .power = i, .stage = in->stage,
                        .most = most_kept(L, type),
                        .row = L->own ? L->own->name : kf__l_name(L, "row%u", (unsigned)i)};
        return true;
    }
    return false;
}

bool kf__cpu_keep_dear(kf__low *L, kf__kept *k) {
    if (!kf__cpu_find_dear(L, k) || (L->held && k->stage == 0)) return false;
    kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[k->power].dtype), k->row, k->most, NULL);
    return true;
}

static const kf__lx *fits_kept(kf__low *L, const kf__kept *k) {
    return kf__l_bin(L, "<=", kf__word_size(L, kf__last(L)), kf__l_int(L, k->most));
}

/* Where the block's values are kept; of a row that is too long for that, at the front. */
const char *kf__cpu_kept_from(kf__low *L, const kf__kept *k, const kf__lx *first) {
    const char *name = kf__l_name(L, "%s_from", k->row);
    if (!L->own && !L->held) first = kf__l_select(L, fits_kept(L, k), first, kf__l_int(L, 0));
    if (k->begin) first = kf__l_bin(L, "+", k->begin, first);
    const char *type = kf__ctype((kf__dtype)L->k->instrs[k->power].dtype);
    kf__put_let(L, kf__l_name(L, "%s *", type), name,
                kf__l_bin(L, "+", kf__l_var(L, k->row), first), NULL);
    return name;
}
