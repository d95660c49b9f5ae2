/* What is known before a pack is loaded: indices of gathers, made once a pack (fixed.c), and guards
 * of loads, so that what is inside is loaded by 16 bytes. */
#include "lower/cuda.h"

bool kf__cuda_is_fixed(const kf__low *L, uint32_t i) { return L->fixed && kf__has(L->fixed, i); }

bool kf__cuda_is_early(const kf__low *L, uint32_t guard, bool pack) {
    const kf__instr *in = &L->k->instrs[guard];
    if (kf__cuda_is_fixed(L, guard)) return true;
    if (!kf__at_level(L, guard, KF__LEVEL_FULL) && L->value[guard]) return true;
    if (in->kind == KF__I_INSIDE) return !pack || kf__is_range(L, guard);
    return in->kind == KF__I_OP && in->op == KF__BITWISE_AND &&
           kf__cuda_is_early(L, in->args[0], pack) && kf__cuda_is_early(L, in->args[1], pack);
}

void kf__cuda_put_fixed(kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__cuda_is_fixed(L, i) && !L->value[i]) kf__low_put_fixed(L, i);
}

void kf__cuda_forget_fixed(kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__cuda_is_fixed(L, i) && kf__at_level(L, i, KF__LEVEL_FULL)) L->value[i] = NULL;
}

enum { KF__ROW_OPERATIONS = 256 };

/* Is it the same for all of a row? Of more operations than the budget it may be. */
static bool is_of_row(const kf__low *L, uint32_t i, int *budget) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    if (in->level == KF__LEVEL_SCALAR) return true;
    if (in->kind == KF__I_INSIDE) return o->affine && !o->varies[kf__last(L)];
    bool same = in->kind == KF__I_OP || in->kind == KF__I_CAST;
    if (in->kind == KF__I_LOAD) same = kf__low_step(L, in->access) == 0;
    for (int a = 0; a < in->n_args && same; ++a)
        same = --*budget > 0 && is_of_row(L, in->args[a], budget);
    return same;
}

bool kf__cuda_is_of_rows(const kf__low *L, uint32_t i) {
    bool gathers = false;
    for (uint32_t k = 0; k < L->k->n_instrs; ++k) {
        const kf__instr *in = &L->k->instrs[k];
        if (in->kind != KF__I_LOAD || !in->n_args || kf__cuda_lead(L, k) != kf__cuda_lead(L, i))
            continue;
        int budget = KF__ROW_OPERATIONS;
        if (!is_of_row(L, in->args[0], &budget)) return false;
        gathers |= kf__has_symbols(L, in->access) || kf__low_step(L, in->access) == 0;
    }
    return gathers;
}

bool kf__cuda_is_guarded(const kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind == KF__I_LOAD && in->level == KF__LEVEL_FULL && in->n_args) return true;
    }
    return false;
}
