/* What is at element level but doesn't change along the innermost axis, because a gather's index
 * doesn't: it is made once, before the loop over elements, and the row it leads to is read as any
 * other.
 *
 *     take(w, i, axis=0)      v0 = i[line], wrapped; v8 = is it inside?; v9 = v8 ? v0 : 0
 *                             p = w + v9 * row; elements l: p[l] */
#include "lower/low.h"

bool kf__low_reads_rows(const kf__low *L, const kf__mask *mask, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return kf__has(mask, i) && in->kind == KF__I_LOAD && L->operands[in->access].affine &&
           kf__has_symbols(L, in->access);
}

enum { KF__SAME_DEPTH = 16 };

static bool is_same(const kf__low *L, uint32_t i, int depth) {
    const kf__instr *in = &L->k->instrs[i];
    bool load = in->kind == KF__I_LOAD, op = in->kind == KF__I_OP || in->kind == KF__I_CAST;
    if (in->level == KF__LEVEL_SCALAR) return true;
    if (in->level == KF__LEVEL_ROW && L->axes[kf__last(L)].reduced) return true; /* no column's */
    if (depth == KF__SAME_DEPTH || (!load && !op)) return false;
    if (load && kf__low_step(L, in->access) != 0) return false;
    bool same = true;
    for (int a = 0; a < in->n_args && same; ++a) same = is_same(L, in->args[a], depth + 1);
    return same;
}

bool kf__low_is_same(const kf__low *L, uint32_t i) { return is_same(L, i, 0); }

/* What a pick's bool has besides places. */
static void add_same(const kf__low *L, uint32_t guard, kf__mask *fixed) {
    const kf__instr *in = &L->k->instrs[guard];
    if (L->value[guard] || in->kind != KF__I_OP) return;
    if (kf__low_is_same(L, guard)) {
        kf__add(fixed, guard);
    } else if (in->op == KF__BITWISE_AND) {
        add_same(L, in->args[0], fixed);
        add_same(L, in->args[1], fixed);
    }
}

kf__mask *kf__low_fixed(kf__low *L, const kf__mask *mask) {
    const kf__kernel *k = L->k;
    kf__mask *fixed = kf__low_mask(L);
    if (!fixed) {
        L->failed = true;
        return NULL;
    }
    for (uint32_t i = k->n_instrs; i-- > 0;) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind == KF__I_PICK && kf__has(mask, i) && L->target->kind == KF__TARGET_C)
            add_same(L, in->args[0], fixed);
        int first = kf__has(fixed, i) ? 0 : kf__low_reads_rows(L, mask, i) ? 1 : in->n_args;
        for (int a = first; a < in->n_args; ++a)
            if (!L->value[in->args[a]])
                kf__add(fixed, in->args[a]);
    }
    return fixed;
}

/* Does each element choose by it? */
static bool chooses(const kf__low *L, uint32_t i) {
    bool any = false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        any |= in->kind == KF__I_OP && in->op == KF__WHERE && in->args[0] == i &&
               !kf__low_is_same(L, u);
    }
    return any;
}

/* On CUDA without a condition, which would be waited for before the next load starts. */
static const kf__lx *guarded_load(kf__low *L, const kf__instr *in, const kf__lx *p,
                                  const kf__lx *element) {
    const kf__lx *load = kf__low_load(L, in->access, p, element);
    const kf__lx *guarded = kf__guarded(L, in, load, NULL);
    if (L->target->kind == KF__TARGET_C || guarded == load) return guarded;
    p = kf__l_select(L, kf__guard_at(L, in->args[0], NULL), kf__l_bin(L, "+", p, element),
                     kf__low_zeros(L, in->access));
    return kf__low_load(L, in->access, p, kf__l_int(L, 0));
}

void kf__low_put_fixed(kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const char *name = kf__l_name(L, "v%u", (unsigned)i);
    L->at = NULL;
    if (in->kind == KF__I_RANDOM) {
        const kf__operand *o = &L->operands[in->access];
        const kf__lx *first = kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset);
        const kf__lx *index = kf__low_offset(L, in->access, NULL);
        if (o->affine) index = kf__l_bin(L, "+", first, index);
        L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name, kf__random_call(L, in, index),
                                  "random bits");
    } else if (in->kind == KF__I_LOAD) {
        if (!L->pointer[in->access]) kf__put_pointer(L, in->access, NULL);
        const kf__lx *p = kf__l_var(L, L->pointer[in->access]);
        L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name,
                                  guarded_load(L, in, p, kf__element(L, in->access, NULL, NULL)),
                                  NULL);
    } else if (in->kind != KF__I_CONSTANT) {
        kf__put_instr(L, i);
        if (L->target->kind == KF__TARGET_C && chooses(L, i))
            L->value[i] = kf__put_let(L, "int", kf__l_name(L, "is%u", (unsigned)i),
                                      kf__l_call(L, "kf_opaque", KF__I32, L->value[i]), NULL);
    }
}
