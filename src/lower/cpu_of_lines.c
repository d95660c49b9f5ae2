/* Functions of what all elements of a line share, of many lines at once: of one alone a function
 * takes as long as of a vector, which is as long as a line of a hundred elements.
 *
 *     x * sin(s)         for (u = begin; u < end; ++u)
 *                            if (i0 - made_line >= made_lines)
 *                                made_line = i0, made_lines = 128 at most
 *                                for (r = 0; r < made_lines; ++r)        SIMD
 *                                    line2[r] = sin(s[made_line + r])
 *                            v2 = line2[i0 - made_line]
 *                            for (l ...) out[l] = x[l] * v2
 *     sum(x * sin(s), 0) of a chunk of rows, likewise */
#include "lower/cpu.h"

static bool reads_place(const kf__low *L, uint32_t i) {
    return L->k->instrs[i].kind == KF__I_INDEX || L->k->instrs[i].kind == KF__I_LOAD;
}

/* [n_instrs] Is it the same for all elements of a line, and not of all lines? */
static bool *find_shared(kf__low *L, const kf__mask *mask) {
    bool *shared = KF__NEW(L->arena, bool, L->k->n_instrs + 1);
    if (!shared) L->failed = true;
    for (uint32_t i = 0; shared && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        const kf__operand *o = &L->operands[in->access];
        bool place = reads_place(L, i) && !in->n_args;
        bool made = in->kind == KF__I_OP || in->kind == KF__I_CAST;
        if (!kf__has(mask, i) || L->value[i]) continue;
        if (place) shared[i] = o->affine && !o->symbols && !o->varies[kf__last(L)];
        bool any = false, all = made;
        for (int a = 0; made && a < in->n_args; ++a) {
            uint16_t arg = in->args[a];
            bool same = L->value[arg] || L->k->instrs[arg].kind == KF__I_CONSTANT;
            any |= shared[arg];
            all &= shared[arg] || (same && !kf__has(mask, arg));
        }
        shared[i] |= any && all;
    }
    return shared;
}

static bool is_needed(const kf__low *L, const kf__mask *mask, const bool *shared, uint32_t i) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i) return true;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u)
        if (kf__has(mask, u) && !shared[u] && kf__uses(&L->k->instrs[u], i)) return true;
    return false;
}

/* A function, or halves that are computed with: each is rounded. */
static bool is_worth(kf__low *L, uint16_t i) {
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    return kf__is_dear(L, mask) || kf__is_narrow((kf__dtype)L->k->instrs[i].dtype);
}

bool kf__cpu_find_of_lines(kf__low *L, const kf__mask *mask, kf__of_lines *of) {
    *of = (kf__of_lines){0};
    const bool *shared = L->n_axes > 1 ? find_shared(L, mask) : NULL;
    for (uint32_t i = 0; shared && i < L->k->n_instrs && of->n < KF__HELD; ++i) {
        uint16_t instr = (uint16_t)i;
        if (!shared[i] || L->k->instrs[i].kind != KF__I_OP || !is_needed(L, mask, shared, i))
            continue;
        if (!is_worth(L, instr)) continue;
        of->name[of->n] = kf__l_name(L, "line%u", (unsigned)i);
        of->kept[of->n++] = instr;
    }
    if (of->n) of->made = kf__low_needed(L, KF__LEVEL_FULL, of->kept, of->n);
    for (uint32_t i = 0; of->n && i < L->k->n_instrs; ++i)
        for (int m = 0; kf__has(of->made, i) && reads_place(L, i) && m + 1 < kf__last(L); ++m)
            of->outer |= L->operands[L->k->instrs[i].access].varies[m];
    return of->n > 0 && !L->failed;
}

kf__mask *kf__cpu_mask_of_elements(kf__low *L, const kf__of_lines *of, const uint16_t *stores,
                                   uint32_t n) {
    for (uint32_t k = 0; k < of->n; ++k) L->value[of->kept[k]] = kf__l_int(L, 0);
    kf__mask *mask = kf__cpu_line_mask(L, stores, n);
    for (uint32_t k = 0; k < of->n; ++k) L->value[of->kept[k]] = NULL;
    return mask;
}

void kf__cpu_declare_of_lines(kf__low *L, const kf__of_lines *of, int64_t most) {
    for (uint32_t k = 0; k < of->n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[of->kept[k]].dtype), of->name[k], most,
                    NULL);
}

void kf__cpu_put_of_line(kf__low *L, const kf__of_lines *of, const kf__lx *at) {
    const kf__lx *zero = kf__l_int(L, 0);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(of->made, i) || L->value[i]) continue;
        if (in->kind == KF__I_LOAD)
            L->value[i] = kf__put_let(
                L, kf__ctype((kf__dtype)in->dtype), kf__l_name(L, "v%u", (unsigned)i),
                kf__low_load(L, in->access, kf__l_var(L, kf__word_operand(L, in->access)),
                             kf__low_offset(L, in->access, zero)),
                NULL);
        else kf__put_instr(L, i);
    }
    for (uint32_t k = 0; k < of->n; ++k)
        kf__put_set(L, kf__l_item(L, of->name[k], at), kf__value_of(L, of->kept[k]));
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(of->made, i)) L->value[i] = NULL;
}

void kf__cpu_read_of_lines(kf__low *L, const kf__of_lines *of, const kf__lx *r) {
    for (uint32_t k = 0; k < of->n; ++k)
        L->value[of->kept[k]] =
            kf__put_let(L, kf__ctype((kf__dtype)L->k->instrs[of->kept[k]].dtype),
                        kf__l_name(L, "v%u", (unsigned)of->kept[k]),
                        kf__l_item(L, of->name[k], r), "of the line");
}
