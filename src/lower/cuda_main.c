/* Pads that copy edges or mirror them are nine parts in two dims, of which eight are a few elements
 * thick. Nearly all packs lie in the ninth altogether: whether one does takes a few comparisons,
 * and then nothing else is asked.
 *
 *     if (no element of the pack is in a thin part)     the kernel without picks: one load of 16
 *     else                                              bytes; the kernel as it is
 *
 * The kernel without picks is the kernel with its instructions rewritten: a pick is the part that
 * is known to count, and a load whose guard is known to hold has none. */
#include "lower/cuda.h"

enum { KF__THIN = 64, KF__HOLDS = 1, KF__FAILS = 2 };

typedef struct finding {
    kf__low *L;
    const kf__tile *t;
    uint8_t *known, *live; /* [n_instrs]: 0, KF__HOLDS, KF__FAILS; is it needed? */
    uint16_t *part;        /* [n_instrs] of a pick what it is; else itself */
    const kf__lx *condition;
    bool thin, none;       /* has a thin part been left out? Is there no other? */
} finding;

static bool is_thin(const kf__low *L, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind != KF__I_INSIDE) return is_thin(L, in->args[0]) || is_thin(L, in->args[1]);
    int64_t most;
    return kf__x_is_const(&L->p->graph->exprs, L->k->accesses[in->access].shape[0], &most) &&
           most <= KF__THIN;
}

static int is_known(const finding *f, uint32_t guard) {
    const kf__instr *in = &f->L->k->instrs[guard];
    if (f->known[guard] || in->kind == KF__I_INSIDE) return f->known[guard];
    int a = is_known(f, in->args[0]), b = is_known(f, in->args[1]);
    return a == KF__FAILS || b == KF__FAILS ? KF__FAILS : a && b ? KF__HOLDS : 0;
}

/* "Every element is inside", or "none is". NULL: always so, known before. */
static const kf__lx *inside_test(finding *f, uint32_t guard, int want) {
    kf__low *L = f->L;
    const kf__lx *first, *last, *size;
    int way = kf__place_ends(L, guard, f->t->j, f->t->left, &first, &last, &size);
    const kf__lx *zero = kf__l_int(L, 0);
    if (way == 0) {
        const kf__lx *inside = kf__l_call(L, "kf_inside", KF__I64, first, size);
        return want == KF__HOLDS ? inside : kf__l_bin(L, "==", inside, zero);
    }
    const kf__lx *low = way > 0 ? first : last, *high = way > 0 ? last : first;
    if (want == KF__HOLDS)
        return kf__l_bin(L, "&&", kf__l_bin(L, "<=", zero, low), kf__l_bin(L, "<", high, size));
    return kf__l_bin(L, "||", kf__l_bin(L, "<", high, zero), kf__l_bin(L, "<=", size, low));
}

/* What makes the guard hold, or fail, for the whole pack. */
static const kf__lx *test(finding *f, uint32_t guard, int want) {
    const kf__instr *in = &f->L->k->instrs[guard];
    if (in->kind == KF__I_INSIDE) return inside_test(f, guard, want);
    int a = is_known(f, in->args[0]), b = is_known(f, in->args[1]);
    const kf__lx *x = a ? NULL : test(f, in->args[0], want);
    const kf__lx *y = b ? NULL : test(f, in->args[1], want);
    if (!x || !y) return x ? x : y;
    return kf__l_bin(f->L, want == KF__HOLDS ? "&&" : "||", x, y);
}

static void learn(finding *f, uint32_t guard, int what) {
    const kf__instr *in = &f->L->k->instrs[guard];
    f->known[guard] = (uint8_t)what;
    if (in->kind == KF__I_INSIDE) return;
    int a = is_known(f, in->args[0]), b = is_known(f, in->args[1]);
    if (what == KF__HOLDS) {
        learn(f, in->args[0], what);
        learn(f, in->args[1], what);
    } else if (a == KF__HOLDS && !b) {
        learn(f, in->args[1], what);
    } else if (b == KF__HOLDS && !a) {
        learn(f, in->args[0], what);
    }
}

/* Which part of the pick counts in the middle; what that takes. */
static void choose(finding *f, uint32_t i) {
    kf__low *L = f->L;
    const kf__instr *in = &L->k->instrs[i];
    uint32_t guard = in->args[0];
    int want = is_known(f, guard);
    if (!want) {
        if (in->field == KF__PICK_LAST && is_thin(L, guard)) { /* a stack: it has no thick part */
            f->none = true;
            return;
        }
        want = is_thin(L, guard) ? KF__FAILS : KF__HOLDS;
        const kf__lx *one = test(f, guard, want);
        if (!one) return;
        f->condition = f->condition ? kf__l_bin(L, "&&", f->condition, one) : one;
        f->thin |= want == KF__FAILS;
        learn(f, guard, want);
    }
    f->part[i] = in->args[want == KF__HOLDS ? 1 : 2];
}

static bool is_choice(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind != KF__I_PICK || !kf__at_level(L, i, KF__LEVEL_FULL)) return false;
    return !L->value[i] && !L->value[in->args[0]] && kf__is_range(L, in->args[0]);
}

static uint16_t part_of(const finding *f, uint16_t i) {
    while (f->part[i] != i) i = f->part[i];
    return i;
}

/* The kernel without what is left out. */
static kf__kernel *rewritten(finding *f) {
    kf__low *L = f->L;
    kf__kernel *k = kf__low_copy_kernel(L, 0, 0);
    for (uint32_t i = 0; k && i < k->n_instrs; ++i) {
        kf__instr *in = &k->instrs[i];
        if (in->kind == KF__I_LOAD && in->n_args == 1 && kf__is_place(L, in->args[0]) &&
            is_known(f, in->args[0]) == KF__HOLDS)
            in->n_args = 0;
        for (int a = 0; a < in->n_args; ++a) in->args[a] = part_of(f, in->args[a]);
    }
    for (uint32_t s = 0; k && s < k->n_stores; ++s)
        k->stores[s].instr = part_of(f, k->stores[s].instr);
    return k;
}

const kf__kernel *kf__cuda_main(kf__low *L, const kf__tile *t, const kf__lx **condition) {
    uint32_t n = L->k->n_instrs;
    bool any = false;
    for (uint32_t i = 0; i < n; ++i)
        any |= is_choice(L, i) && is_thin(L, L->k->instrs[i].args[0]);
    if (!any || !L->affine) return NULL;
    finding f = {.L = L, .t = t, .known = KF__NEW(L->arena, uint8_t, n),
                 .live = KF__NEW(L->arena, uint8_t, n), .part = KF__NEW(L->arena, uint16_t, n)};
    if (!f.known || !f.live || !f.part) {
        L->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < n; ++i) f.part[i] = (uint16_t)i;
    for (uint32_t s = 0; s < L->k->n_stores; ++s) f.live[L->k->stores[s].instr] = 1;
    for (uint32_t i = n; i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        if (!f.live[i]) continue;
        if (is_choice(L, i)) choose(&f, i);
        if (f.part[i] != i) f.live[f.part[i]] = 1;
        for (int a = 0; f.part[i] == i && a < in->n_args; ++a) f.live[in->args[a]] = 1;
    }
    *condition = f.condition;
    return f.thin && !f.none ? rewritten(&f) : NULL;
}
