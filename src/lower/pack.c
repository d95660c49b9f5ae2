/* Kernels that reduce, with operands that are contiguous along another axis than the innermost one:
 * read element by element they would be many times slower. Copies in the kernel's scratch, in the
 * order in which it reads or writes, are made by functions of their own before and after it, which
 * are pointwise and so go by tiles:
 *
 *     layer_norm(x.T + y)      k0_pack0    packed_in_x = x, transposed
 *                              k0          rows of packed_in_x and y
 *
 * Where the operand is only read to be part of a value of each element, that one is made there, and
 * read instead: x.T + y, which takes no byte more to store, and one array less to read.
 *
 * Which operands these are depends on classes of strides only. */
#include "lower/low.h"

/* Strides of a row-major array over the axes that the operand varies along; on CUDA its rows are
 * aligned, so that they are stored and loaded by 16 bytes. Elements, 0: too many. */
static int64_t pack_strides(const kf__low *L, kf__operand *o) {
    int64_t n = 1, pack = L->target->kind == KF__TARGET_C ? 1 : 16 / kf__types[o->dtype].size;
    bool fits = true;
    for (int m = kf__last(L); m >= 0; --m) {
        if (!o->varies[m]) continue;
        o->stride[m] = n;
        o->along[m].unit = m == kf__last(L);
        fits = fits && kf__mul_ok(n, kf__max(1, L->axes[m].size), &n);
        if (m == kf__last(L) && fits) fits = kf__mul_ok(kf__ceil_div(n, pack), pack, &n);
    }
    return fits && kf__mul_ok(n, 16, &(int64_t){0}) ? n : 0;
}

static bool is_transposed(const kf__low *L, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    if (!o->value || kf__low_step(L, i) != 2 || !kf__low_moves(L, i, false)) return false;
    for (int m = 0; m < kf__last(L); ++m)
        if (o->varies[m] && o->along[m].unit) return true;
    return false;
}

/* CUDA: of few elements to be stored, one for 32 or more that are read, a copy takes longer. */
static bool is_rare(const kf__low *L, const kf__operand *o) {
    int64_t n;
    if (!o->store || L->target->kind == KF__TARGET_C) return false;
    for (int m = 0; m < L->n_axes; ++m)
        if (L->axes[m].reduced && kf__x_is_const(&L->p->graph->exprs, L->axes[m].extent, &n) &&
            n >= 32)
            return true;
    return false;
}

/* ---------------------------------------------------------------- what is made instead */

static bool is_known(const kf__instr *in) { return in->level == KF__LEVEL_SCALAR && !in->stage; }

/* An operation on elements and on what is the same for all. */
static bool is_of_elements(const kf__instr *in) {
    return in->level == KF__LEVEL_FULL && !in->stage &&
           (in->kind == KF__I_OP || in->kind == KF__I_CAST);
}

/* Is i made for `user` alone, of elements that nothing else reads? */
static bool is_made_for(const kf__low *L, uint32_t i, uint32_t user) {
    const kf__instr *in = &L->k->instrs[i];
    if (is_known(in)) return true;
    if (kf__only_user(L, i) != user) return false;
    if (in->kind == KF__I_LOAD)
        return in->level == KF__LEVEL_FULL && !in->n_args && L->operands[in->access].value &&
               L->operands[in->access].affine;
    bool all = is_of_elements(in);
    for (int a = 0; a < in->n_args && all; ++a) all = is_made_for(L, in->args[a], i);
    return all;
}

static uint32_t loads_of(const kf__low *L, uint32_t access, uint32_t *load) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (L->k->instrs[i].kind == KF__I_LOAD && L->k->instrs[i].access == access)
            *load = i, ++n;
    return n;
}

/* What is made of operand `access`, as wide as it at most; UINT32_MAX: nothing is. */
static uint32_t made_of(const kf__low *L, uint32_t access) {
    uint32_t at = 0, best = UINT32_MAX;
    const kf__operand *o = &L->operands[access];
    if (o->store || loads_of(L, access, &at) != 1 || L->k->instrs[at].n_args) return UINT32_MAX;
    if (L->k->instrs[at].level != KF__LEVEL_FULL || L->k->n_symbols) return UINT32_MAX;
    for (int m = 0; m < L->n_axes; ++m)
        if (!o->varies[m]) return UINT32_MAX;
    for (;;) {
        uint32_t user = kf__only_user(L, at);
        if (user == UINT32_MAX || !is_of_elements(&L->k->instrs[user])) return best;
        const kf__instr *in = &L->k->instrs[user];
        for (int a = 0; a < in->n_args; ++a)
            if (in->args[a] != at && !is_made_for(L, in->args[a], user)) return best;
        at = user;
        if (in->dtype == KF__BOOL) continue;
        kf__dtype type = kf__compute((kf__dtype)in->dtype);
        if (kf__types[type].size <= kf__types[o->dtype].size) best = at;
    }
}

/* ---------------------------------------------------------------- functions */

typedef struct part { /* a kernel in the making, of instructions of another one */
    kf__instr *instrs;
    kf__access *accesses;
    kf__operand *operands;
    uint32_t n_instrs, n_accesses;
    uint16_t *as; /* [instructions of the other kernel] here, + 1 */
} part;

static uint16_t add_instr(const kf__low *L, part *p, uint32_t i) {
    if (p->as[i]) return (uint16_t)(p->as[i] - 1);
    kf__instr in = L->k->instrs[i];
    for (int a = 0; a < in.n_args; ++a) in.args[a] = add_instr(L, p, in.args[a]);
    if (in.kind == KF__I_LOAD) {
        p->operands[p->n_accesses] = L->operands[in.access];
        in.access = p->n_accesses++;
    }
    p->instrs[p->n_instrs++] = in;
    p->as[i] = (uint16_t)p->n_instrs;
    return (uint16_t)(p->n_instrs - 1);
}

/* A pointwise function that writes `to`, over those of L's axes along which it varies: a copy of
 * `from`, or (NULL) value `made` of the kernel. */
static void put_part(kf__low *L, const char *name, const kf__operand *from, uint32_t made,
                     const kf__operand *to) {
    uint32_t n = from ? 2 : L->k->n_instrs + 1;
    kf__kernel *k = KF__NEW(L->arena, kf__kernel, 1);
    kf__store *store = KF__NEW(L->arena, kf__store, 1);
    part p = {.instrs = KF__NEW(L->arena, kf__instr, n),
              .accesses = KF__NEW(L->arena, kf__access, n),
              .operands = KF__NEW(L->arena, kf__operand, n),
              .as = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1)};
    const char **pointer = KF__NEW(L->arena, const char *, n + 1);
    const kf__lx **value = KF__NEW(L->arena, const kf__lx *, n);
    char **ops = KF__NEW(L->arena, char *, n);
    if (!k || !store || !p.instrs || !p.accesses || !p.operands || !p.as || !pointer || !value ||
        !ops) {
        L->failed = true;
        return;
    }
    *k = (kf__kernel){.name = (char *)(uintptr_t)name, .n_stores = 1, .n_stages = 1,
                      .stores = store, .ops = ops};
    if (from) {
        p.instrs[p.n_instrs++] = (kf__instr){.kind = KF__I_LOAD, .dtype = (uint8_t)from->dtype,
                                             .level = KF__LEVEL_FULL};
        p.operands[p.n_accesses++] = *from;
        ops[k->n_ops++] = (char *)(uintptr_t)kf__l_name(L, "a copy of %s",
                                                        from->packed ? to->name : from->name);
    } else {
        add_instr(L, &p, made);
    }
    store->instr = (uint16_t)(p.n_instrs - 1);
    store->access = p.n_accesses;
    p.operands[p.n_accesses++] = *to;
    for (uint32_t i = 0; i < p.n_accesses; ++i) {
        p.operands[i].store = i == store->access;
        p.accesses[i] = *p.operands[i].access;
        p.operands[i].access = &p.accesses[i];
    }
    k->n_instrs = p.n_instrs, k->instrs = p.instrs;
    k->n_accesses = p.n_accesses, k->accesses = p.accesses;
    kf__low copy = *L;
    copy.k = k;
    copy.operands = p.operands;
    copy.pointer = pointer;
    copy.value = value;
    copy.n_axes = 0;
    for (uint32_t i = 0; !from && i < k->n_instrs; ++i)
        if (k->instrs[i].kind == KF__I_OP)
            ops[k->n_ops++] = (char *)(uintptr_t)kf__instr_comment(&copy, i);
    for (int m = 0; m < L->n_axes; ++m) {
        if (!to->varies[m]) continue;
        int a = copy.n_axes++;
        copy.axes[a] = L->axes[m];
        copy.axes[a].reduced = false;
        for (uint32_t i = 0; i < k->n_accesses; ++i) {
            p.operands[i].stride[a] = p.operands[i].stride[m];
            p.operands[i].along[a] = p.operands[i].along[m];
            p.operands[i].varies[a] = p.operands[i].varies[m];
        }
    }
    copy.affine = true; /* all that it reads is */
    kf__low_order(&copy);
    for (int a = 0; a < copy.n_axes; ++a) {
        copy.axes[a].var = kf__l_name(L, "i%d", a);
        copy.axes[a].n = kf__l_name(L, "n%d", a);
    }
    if (L->target->kind == KF__TARGET_C)
        kf__cpu_pointwise(&copy);
    else
        kf__cuda_pointwise(&copy);
    L->failed = L->failed || copy.failed;
}

/* The kernel reads it no more, nor its tiles. */
static void leave_out(kf__low *L, uint32_t access) {
    L->operands[access].value = NULL;
    if (!kf__low_tiled(L, access)) return;
    L->tiled &= ~((uint64_t)1 << access);
    if (!L->tiled) L->tile = -1;
}

/* The kernel reads `made` where it read operand `access`, and nothing that only `made` needed. */
static void read_made(kf__low *L, uint32_t made, uint32_t access) {
    kf__kernel *k = kf__low_copy_kernel(L, 0, 0);
    if (!k) return;
    kf__instr *in = &k->instrs[made];
    *in = (kf__instr){.kind = KF__I_LOAD, .dtype = in->dtype, .level = in->level,
                      .stage = in->stage, .node = in->node, .access = access};
    uint16_t *as = KF__NEW(L->arena, uint16_t, k->n_instrs);
    kf__mask *alive = kf__low_mask(L);
    if (!as || !alive) {
        L->failed = true;
        return;
    }
    for (uint32_t s = 0; s < k->n_stores; ++s) kf__add(alive, k->stores[s].instr);
    for (uint32_t i = k->n_instrs; i-- > 0;)
        for (int a = 0; kf__has(alive, i) && a < k->instrs[i].n_args; ++a)
            kf__add(alive, k->instrs[i].args[a]);
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_instrs; ++i) {
        if (!kf__has(alive, i)) {
            if (k->instrs[i].kind == KF__I_LOAD && k->instrs[i].access != access)
                leave_out(L, k->instrs[i].access);
            continue;
        }
        as[i] = (uint16_t)n;
        k->instrs[n] = k->instrs[i];
        for (int a = 0; a < k->instrs[n].n_args; ++a)
            k->instrs[n].args[a] = as[k->instrs[n].args[a]];
        ++n;
    }
    for (uint32_t s = 0; s < k->n_stores; ++s) k->stores[s].instr = as[k->stores[s].instr];
    k->n_instrs = n;
    L->k = k;
}

/* ---------------------------------------------------------------- which operands */

/* A cumulative kernel also reads what the chunks before it come to, which is at no affine index. */
static bool may_pack(const kf__low *L) {
    bool chunks = L->target->kind == KF__TARGET_C && kf__kernel_chunk(L->k) >= 0;
    return L->k->reduced && (L->affine || chunks);
}

void kf__low_pack(kf__low *L) {
    if (!may_pack(L)) return;
    if (kf__kernel_chunk(L->k) < 0) kf__low_find_column_tiles(L); /* of what is cumulative none */
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        kf__operand *o = &L->operands[i], was = *o, *all = L->unpacked;
        if (!o->affine || !is_transposed(L, i) || kf__low_tiled(L, i) || is_rare(L, o)) continue;
        uint32_t made = made_of(L, i);
        if (made < UINT32_MAX) o->dtype = kf__compute((kf__dtype)L->k->instrs[made].dtype);
        int64_t n = pack_strides(L, o);
        if (!all && o->store) all = KF__NEW(L->arena, kf__operand, L->k->n_accesses);
        if (!n || (o->store && !all)) {
            L->failed = L->failed || (o->store && !all);
            *o = was;
            continue;
        }
        o->packed = true;
        o->offset = kf__low_scratch(L, n, o->dtype);
        o->name = kf__l_name(L, "packed_%s", was.name);
        const char *name = kf__l_name(L, "%s_pack%u", L->k->name, (unsigned)i);
        if (o->store) {
            L->unpacked = all, all[i] = was;
        } else if (made < UINT32_MAX) {
            kf__operand to = *o;
            *o = was;
            put_part(L, name, NULL, made, &to);
            *o = to;
            read_made(L, made, i);
        } else {
            put_part(L, name, &was, 0, o);
        }
    }
}

void kf__low_unpack(kf__low *L) {
    for (uint32_t i = 0; L->unpacked && i < L->k->n_accesses; ++i)
        if (L->unpacked[i].value)
            put_part(L, kf__l_name(L, "%s_unpack%u", L->k->name, (unsigned)i), &L->operands[i], 0,
                     &L->unpacked[i]);
}
