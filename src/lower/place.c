/* Values of indices (INDEX), whether they are inside (INSIDE), and the guards of loads that are made
 * of these:
 *
 *     const int v2 = kf_inside(first_index2 + (first + l), size_index2);
 *     const float v3 = v2 ? kf_load_f32(p0_in_x, l) : 0x0p+0f;
 *
 * A guard's load is C's `?:`, so memory outside is never touched; compilers make masked loads of it.
 * A guard made of indices alone can be evaluated anywhere, also before its instruction has been. */
#include "lower/low.h"

static const kf__lx *index_at(kf__low *L, uint32_t access, const kf__lx *at) {
    const kf__operand *o = &L->operands[access];
    const kf__lx *index = kf__low_offset(L, access, at);
    if (!o->access->affine || o->origin) return index;
    return kf__l_bin(L, "+", kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset), index);
}

const kf__lx *kf__place_value(kf__low *L, uint32_t i, const kf__lx *at) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    if (!at && L->n_axes && o->access->affine && o->varies[kf__last(L)])
        at = kf__l_var(L, L->axes[kf__last(L)].var);
    const kf__lx *index = index_at(L, in->access, at);
    if (in->kind == KF__I_INDEX) return index;
    return kf__l_call(L, "kf_inside", KF__I64, index,
                      kf__word_int(L, kf__l_name(L, "size_%s", o->name), o->bound));
}

bool kf__is_place(const kf__low *L, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind == KF__I_INSIDE) return true;
    return in->kind == KF__I_OP && in->op == KF__BITWISE_AND && kf__is_place(L, in->args[0]) &&
           kf__is_place(L, in->args[1]);
}

const kf__lx *kf__guard_at(kf__low *L, uint32_t guard, const kf__lx *at) {
    const kf__instr *in = &L->k->instrs[guard];
    if (L->value[guard]) return L->value[guard];
    if (in->kind == KF__I_INSIDE) return kf__place_value(L, guard, at);
    if (!kf__is_place(L, guard)) return kf__value_of(L, guard);
    return kf__l_bin(L, "&", kf__guard_at(L, in->args[0], at), kf__guard_at(L, in->args[1], at));
}

const kf__lx *kf__guarded(kf__low *L, const kf__instr *in, const kf__lx *load, const kf__lx *at) {
    if (!in->n_args) return load;
    return kf__l_select(L, kf__guard_at(L, in->args[0], at), load,
                        kf__l_const(L, in->dtype, 0, 0));
}
