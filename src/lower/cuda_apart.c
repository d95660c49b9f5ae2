/* Bytes stored across a transposed array and along it: by one function where rows are whole
 * sectors, else by two.
 *
 *     z.T, z * 2 of int8      k0           a tile a block, both results
 *                             k0_across    a tile a block, z.T
 *                             k0_along     packs, wherever they begin, z * 2
 *
 * A tile stores but 64 bytes of a row. Where rows begin anywhere these go byte by byte, and what is
 * part of a sector only is written twice: of 3163x3161 the first takes 26 us on an H100, the other
 * two 18; of 3168x3168 14, and 16. Of small arrays a launch takes longer than that. */
#include "lower/cuda.h"
#include "lower/lower.h"

enum { SECTOR = 32, WORTH = 4 << 20 /* bytes of all arrays */ };

typedef struct part {
    kf__low *L;
    kf__kernel *k;
    uint16_t *as;  /* [instructions of the other kernel] here, + 1 */
    uint32_t *at;  /* [accesses of the other kernel] here, + 1 */
} part;

static uint32_t add_access(part *p, uint32_t access) {
    if (!p->at[access]) {
        p->k->accesses[p->k->n_accesses++] = p->L->k->accesses[access];
        p->at[access] = p->k->n_accesses;
    }
    return p->at[access] - 1;
}

/* Instructions as they are in order, of what `mask` has. */
static void add_instrs(part *p, const kf__mask *mask) {
    for (uint32_t i = 0; i < p->L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        kf__instr in = p->L->k->instrs[i];
        for (int a = 0; a < in.n_args; ++a) in.args[a] = (uint16_t)(p->as[in.args[a]] - 1);
        if (in.kind == KF__I_LOAD || in.kind == KF__I_RANDOM || in.kind == KF__I_INDEX ||
            in.kind == KF__I_INSIDE)
            in.access = add_access(p, in.access);
        p->k->instrs[p->k->n_instrs++] = in;
        p->as[i] = (uint16_t)p->k->n_instrs;
    }
}

/* All that instruction i is made of, whatever its level. */
static kf__mask *made_of(kf__low *L, kf__mask *mask, uint32_t i) {
    kf__add(mask, i);
    for (uint32_t j = i + 1; j-- > 0;)
        for (int a = 0; kf__has(mask, j) && a < L->k->instrs[j].n_args; ++a)
            kf__add(mask, L->k->instrs[j].args[a]);
    return mask;
}

/* Is it a row of bytes, made of what lies as it does, and of no function, which would be taken
 * twice? */
static bool is_along(kf__low *L, uint32_t s) {
    const kf__store *store = &L->k->stores[s];
    kf__mask *mask = kf__low_mask(L);
    bool along = mask && kf__low_step(L, store->access) == 1 && L->operands[store->access].affine &&
                 kf__types[L->operands[store->access].dtype].size == 1;
    if (mask) made_of(L, mask, store->instr);
    for (uint32_t i = 0; along && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        along = in->kind != KF__I_RANDOM && in->kind != KF__I_PICK &&
                !(in->kind == KF__I_OP && kf__ops[in->op].ulp);
        if (in->kind != KF__I_LOAD) continue;
        along = along && !in->n_args && !kf__low_tiled(L, in->access) &&
                L->operands[in->access].affine && kf__low_step(L, in->access) < 2;
    }
    return along;
}

/* A kernel of the stores that are, or aren't, along. NULL: there are none, or no memory. */
static const kf__kernel *part_of(kf__low *L, const bool *along, bool is, const char *suffix) {
    part p = {.L = L, .k = kf__low_copy_kernel(L, 0, 0),
              .as = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1),
              .at = KF__NEW(L->arena, uint32_t, L->k->n_accesses + 1)};
    kf__mask *mask = kf__low_mask(L);
    if (!p.k || !p.as || !p.at || !mask) {
        L->failed = true;
        return NULL;
    }
    p.k->n_instrs = p.k->n_accesses = p.k->n_stores = 0;
    p.k->name = (char *)(uintptr_t)kf__l_name(L, "%s_%s", L->k->name, suffix);
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (along[s] == is) made_of(L, mask, L->k->stores[s].instr);
    add_instrs(&p, mask);
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (along[s] == is)
            p.k->stores[p.k->n_stores++] =
                (kf__store){.access = add_access(&p, L->k->stores[s].access),
                            .instr = (uint16_t)(p.as[L->k->stores[s].instr] - 1)};
    return p.k->n_stores ? p.k : NULL;
}

static void put_function(kf__low *L, const kf__kernel *k, bool launched) {
    kf__lowered one, *out = L->out;
    kf_status status = kf__lower(L->p, k, L->layout, L->target, L->arena, &one, NULL);
    kf__loop_fn *fns = KF__NEW(L->arena, kf__loop_fn, out->n_fns + one.n_fns);
    if (status != KF_OK || !fns) {
        L->failed = true;
        return;
    }
    memcpy(fns, out->fns, out->n_fns * sizeof *fns);
    memcpy(fns + out->n_fns, one.fns, one.n_fns * sizeof *fns);
    for (uint32_t f = out->n_fns; !launched && f < out->n_fns + one.n_fns; ++f) fns[f].grid = 0;
    out->fns = fns;
    out->n_fns += one.n_fns;
}

void kf__cuda_apart(kf__low *L) {
    bool along[64] = {false}, any = false;
    if (L->dense || L->k->n_symbols || L->k->n_stores > 64) return;
    for (uint32_t s = 0; s < L->k->n_stores; ++s) {
        along[s] = is_along(L, s);
        any = any || along[s];
        if (!along[s] && !kf__low_tiled(L, L->k->stores[s].access)) return;
    }
    /* That across is first: what is along may be written over what it reads. */
    const kf__kernel *first = any ? part_of(L, along, false, "across") : NULL;
    const kf__kernel *second = first ? part_of(L, along, true, "along") : NULL;
    if (!second) return;
    bool apart = L->axes[kf__last(L)].size % SECTOR != 0 && kf__low_bytes(L) >= WORTH;
    uint32_t both = L->out->n_fns - 1;
    put_function(L, first, apart);
    put_function(L, second, apart);
    if (apart && !L->failed) L->out->fns[both].grid = 0;
}
