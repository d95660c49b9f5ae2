/* Stacks of what is made of every second element, as rotary embeddings by pairs:
 *
 *     a = x[..., ::2], b = x[..., 1::2]
 *     stack([a * c - b * s, a * s + b * c], axis=-1)
 *
 * Each part is asked for along the new axis alone, where a and b don't vary: they are read for
 * every element anyway, so that the guard of their loads keeps nothing from being read. Without it
 * they are runs that go through shared memory (cuda_dense.c), and one load serves both parts. */
#include "lower/low.h"

/* Is the guard about axes alone along which the load doesn't vary, and holds somewhere on them? */
static bool is_idle(const kf__low *L, const kf__instr *load) {
    if (load->kind != KF__I_LOAD || load->n_args != 1) return false;
    const kf__instr *guard = &L->k->instrs[load->args[0]];
    if (guard->kind != KF__I_INSIDE) return false;
    const kf__operand *x = &L->operands[load->access], *o = &L->operands[guard->access];
    int axis = -1;
    for (int m = 0; m < L->n_axes; ++m) {
        if (x->varies[m] && x->along[m].unit) return false; /* a part of packs is read as such */
        if (!o->varies[m]) continue;
        if (axis >= 0 || x->varies[m] || L->axes[m].size > KF__SHORT_AXIS) return false;
        axis = m;
    }
    bool holds = false;
    for (int64_t at = 0; axis >= 0 && at < L->axes[axis].size; ++at) {
        int64_t index = o->offset + at * o->stride[axis];
        holds |= index >= 0 && index < o->bound;
    }
    return holds;
}

const kf__kernel *kf__low_unguarded(kf__low *L) {
    uint32_t n = L->k->n_instrs, changed = 0;
    for (uint32_t i = 0; i < n; ++i) changed += is_idle(L, &L->k->instrs[i]);
    if (!changed) return NULL;
    kf__kernel *k = kf__low_copy_kernel(L, 0, 0);
    uint16_t *same = KF__NEW(L->arena, uint16_t, n); /* the first load of it */
    if (!k || !same) {
        L->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < n; ++i) {
        kf__instr *in = &k->instrs[i], *b = k->instrs;
        same[i] = (uint16_t)i;
        if (is_idle(L, in)) in->n_args = 0;
        for (int a = 0; a < in->n_args; ++a) in->args[a] = same[in->args[a]];
        for (; in->kind == KF__I_LOAD && !in->n_args && b < in; ++b)
            if (b->kind == KF__I_LOAD && !b->n_args && b->access == in->access &&
                same[b - k->instrs] == b - k->instrs)
                same[i] = (uint16_t)(b - k->instrs);
    }
    for (uint32_t s = 0; s < k->n_stores; ++s) k->stores[s].instr = same[k->stores[s].instr];
    return k;
}

/* Do strides, as they are, make one axis of both? */
static bool is_run(const kf__low *L, int a, int b) {
    bool one = L->axes[b].size > KF__SHORT_AXIS;
    for (uint32_t i = 0; one && i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        one = o->varies[a] == o->varies[b] &&
              (!o->varies[a] || o->stride[a] == o->stride[b] * L->axes[b].size);
    }
    return one;
}

void kf__low_merge_runs(kf__low *L) {
    for (int a = 0; a < L->n_axes; ++a)
        for (int b = 0; b < L->n_axes; ++b)
            if (a != b && is_run(L, a, b)) {
                kf__low_merge(L, a, b);
                a = -1;
                break;
            }
}
