/* Loads of which each element of a pack wants at most one share the pack's registers: the parts of
 * a concatenation, the copies that a pad of edges is made of.
 *
 *     concatenate([x, y])     r[4] = 0
 *                             x begins to end of the pack are inside of it: r |= these
 *                             y the same
 *                             element e of either is item e of r; what picks is left out
 *
 * A part that has nothing of the pack costs no load, and a chain of parts no more registers than
 * one. That two loads exclude each other is read off the picks: each part of a concatenation is
 * demanded under its own guard, and the guard of what is inside of it is that one, or narrower. */
#include <math.h>

#include "lower/cuda.h"

/* Which part of the chain of picks does the guard belong to? -1: none. */
static int part_of(const kf__low *L, uint32_t pick, uint32_t guard) {
    for (int part = 0;; ++part) {
        const kf__instr *in = &L->k->instrs[pick];
        if (kf__implies(L, guard, in->args[0])) return part;
        if (in->field != KF__PICK_MORE) return -1;
        pick = in->args[2];
        if (L->k->instrs[pick].kind != KF__I_PICK) return -1;
    }
}

/* Does one of the guards fail wherever the other one holds? */
static bool exclude(const kf__low *L, uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind != KF__I_PICK || in->field != KF__PICK_MORE) continue;
        int first = part_of(L, i, x), second = part_of(L, i, y);
        if (first >= 0 && second >= 0 && first != second) return true;
    }
    return false;
}

/* May they lie in the same words? */
static bool may_share(const kf__low *L, uint32_t a, uint32_t b) {
    const kf__instr *x = &L->k->instrs[a], *y = &L->k->instrs[b];
    bool same = L->operands[x->access].dtype == L->operands[y->access].dtype;
    return same && x->dtype == y->dtype && exclude(L, x->args[0], y->args[0]);
}

/* [n_instrs] whose registers each has, those of `loaded` shared where they may be. NULL: no
 * memory. */
static uint16_t *shared(kf__low *L, const kf__mask *loaded) {
    uint32_t n = L->k->n_instrs;
    uint16_t *lead = KF__NEW(L->arena, uint16_t, n + 1);
    if (!lead) L->failed = true;
    for (uint32_t i = 0; lead && i < n; ++i) {
        lead[i] = L->lead ? L->lead[i] : (uint16_t)i;
        if (kf__has(loaded, i) && !kf__has(loaded, lead[i])) lead[i] = (uint16_t)i; /* not again */
        bool known = lead[i] != i || !kf__has(loaded, i);
        for (uint32_t k = 0; k < i && !known; ++k) {
            if (!kf__has(loaded, k) || lead[k] != k) continue;
            bool fits = true;
            for (uint32_t m = k; m < i && fits; ++m)
                if (kf__has(loaded, m) && lead[m] == k) fits = may_share(L, m, i);
            if (fits) lead[i] = (uint16_t)k, known = true;
        }
    }
    return lead;
}

void kf__cuda_share(kf__low *L, const kf__mask *loaded) {
    const uint16_t *lead = shared(L, loaded);
    if (lead) L->lead = lead;
}

int kf__cuda_n_loads(kf__low *L) {
    const kf__kernel *k = L->k;
    kf__mask *guarded = kf__low_mask(L);
    int n = 0;
    for (uint32_t i = 0; guarded && i < k->n_instrs; ++i) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind != KF__I_LOAD || in->level != KF__LEVEL_FULL || in->stage) continue;
        if (in->n_args)
            kf__add(guarded, i);
        else
            n += kf__low_step(L, in->access) != 0;
    }
    const uint16_t *lead = guarded ? shared(L, guarded) : NULL;
    for (uint32_t i = 0; lead && i < k->n_instrs; ++i) n += kf__has(guarded, i) && lead[i] == i;
    if (!guarded) L->failed = true;
    return n;
}

uint32_t kf__cuda_lead(const kf__low *L, uint32_t i) { return L->lead ? L->lead[i] : i; }

bool kf__cuda_shares(const kf__low *L, uint32_t i) {
    uint32_t lead = kf__cuda_lead(L, i);
    for (uint32_t k = 0; k < L->k->n_instrs; ++k)
        if (k != i && L->lead && L->lead[k] == lead) return true;
    return false;
}

static bool is_zero(const kf__instr *in) { /* of both kinds, and not -0 */
    return in->kind == KF__I_CONSTANT &&
           (kf__is_float(in->dtype) ? in->number == 0 && !signbit(in->number) : in->integer == 0);
}

/* May instruction i be wanted where the guard holds? */
static bool is_wanted(const kf__low *L, uint32_t i, uint32_t guard, int *budget) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i) return true;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        bool used = false, apart = false;
        for (int a = 0; a < in->n_args; ++a) used |= in->args[a] == i;
        if (!used) continue;
        if (in->kind == KF__I_PICK && in->args[1] == i && in->args[2] != i)
            apart = exclude(L, in->args[0], guard);
        if (in->kind == KF__I_PICK && in->field == KF__PICK_LAST)
            apart = exclude(L, in->args[0], guard);
        if (apart) continue;
        bool element = in->kind == KF__I_OP || in->kind == KF__I_CAST || in->kind == KF__I_PICK;
        if (!element || --*budget < 0 || is_wanted(L, u, guard, budget)) return true;
    }
    return false;
}

/* Is what pick i takes from load `inside` where that isn't inside 0, though others share its
 * registers? */
static bool is_zero_outside(const kf__low *L, uint32_t i, uint32_t inside) {
    for (uint32_t k = 0; L->lead && k < L->k->n_instrs; ++k) {
        int budget = 64;
        if (k == inside || L->lead[k] != L->lead[inside]) continue;
        if (is_wanted(L, i, L->k->instrs[k].args[0], &budget)) return false;
    }
    return true;
}

bool kf__cuda_is_picked(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i], *inside = &L->k->instrs[in->args[1]];
    const kf__lx *value = L->value[in->args[1]];
    if (!value) return false;
    bool else_zero = is_zero(&L->k->instrs[in->args[2]]) && inside->kind == KF__I_LOAD &&
                     inside->n_args && inside->args[0] == in->args[0] &&
                     is_zero_outside(L, i, in->args[1]);
    return else_zero || value == L->value[in->args[2]];
}

static const kf__lx *open_words(kf__low *L, int n) {
    kf__open_for(L, "int", "k", kf__l_int(L, 0), kf__l_int(L, n), kf__l_int(L, 1), KF__UNROLL);
    return kf__l_var(L, "k");
}

void kf__cuda_put_empty(kf__low *L, const char *array, const kf__lx *first, int words) {
    const kf__lx *k = open_words(L, words);
    kf__put_set(L, kf__l_item(L, array, kf__l_bin(L, "+", first, k)), kf__l_int(L, 0));
    kf__close(L);
}

void kf__cuda_put_part(kf__low *L, const char *array, const kf__lx *first, int words,
                       const char *function, const kf__lx *p, const kf__lx *begin,
                       const kf__lx *end) {
    const char *some = kf__l_name(L, "some_%s", array);
    kf__put_var(L, "uint32_t", some, words, NULL);
    kf__put_call(L, kf__l_call(L, function, KF__I64, p, begin, end, kf__l_var(L, some)));
    kf__cuda_add_words(L, array, first, words, some);
}

void kf__cuda_add_words(kf__low *L, const char *array, const kf__lx *first, int words,
                        const char *some) {
    const kf__lx *k = open_words(L, words);
    const kf__lx *word = kf__l_item(L, array, kf__l_bin(L, "+", first, k));
    kf__put_set(L, word, kf__l_bin(L, "|", word, kf__l_item(L, some, k)));
    kf__close(L);
}
