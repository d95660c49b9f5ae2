/* Kernels that reduce, with operands that are contiguous along another axis than the innermost one:
 * read element by element they would be many times slower. Copies in the kernel's scratch, in the
 * order in which it reads or writes, are made by functions of their own before and after it, which
 * are pointwise and so go by tiles:
 *
 *     layer_norm(x.T + y)      k0_pack0    packed_in_x = x, transposed
 *                              k0          rows of packed_in_x and y
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

/* A kernel that copies one operand to another, which have the same axes. */
static void put_copy(kf__low *L, const char *name, const kf__operand *from, const kf__operand *to) {
    kf__kernel *k = KF__NEW(L->arena, kf__kernel, 1);
    kf__instr *load = KF__NEW(L->arena, kf__instr, 1);
    kf__store *store = KF__NEW(L->arena, kf__store, 1);
    kf__access *accesses = KF__NEW(L->arena, kf__access, 2);
    kf__operand *operands = KF__NEW(L->arena, kf__operand, 2);
    const char **pointer = KF__NEW(L->arena, const char *, 3);
    const kf__lx **value = KF__NEW(L->arena, const kf__lx *, 2);
    char **ops = KF__NEW(L->arena, char *, 1);
    if (!k || !load || !store || !accesses || !operands || !pointer || !value || !ops) {
        L->failed = true;
        return;
    }
    ops[0] = (char *)(uintptr_t)kf__l_name(L, "a copy of %s", from->packed ? to->name : from->name);
    *load = (kf__instr){.kind = KF__I_LOAD, .dtype = (uint8_t)from->dtype, .level = KF__LEVEL_FULL};
    *store = (kf__store){.access = 1};
    operands[0] = *from, operands[1] = *to;
    operands[0].store = false, operands[1].store = true;
    for (int i = 0; i < 2; ++i) {
        accesses[i] = *operands[i].access;
        operands[i].access = &accesses[i];
    }
    *k = (kf__kernel){.name = (char *)(uintptr_t)name, .n_instrs = 1, .n_accesses = 2,
                      .n_stores = 1, .n_stages = 1, .instrs = load, .accesses = accesses,
                      .stores = store, .n_ops = 1, .ops = ops};
    kf__low copy = *L;
    copy.k = k;
    copy.operands = operands;
    copy.pointer = pointer;
    copy.value = value;
    copy.n_axes = 0;
    for (int m = 0; m < L->n_axes; ++m) {
        if (!from->varies[m]) continue;
        int a = copy.n_axes++;
        copy.axes[a] = L->axes[m];
        copy.axes[a].reduced = false;
        copy.axes[a].var = kf__l_name(L, "i%d", a);
        copy.axes[a].n = kf__l_name(L, "n%d", a);
        for (int i = 0; i < 2; ++i) {
            operands[i].stride[a] = operands[i].stride[m];
            operands[i].along[a] = operands[i].along[m];
            operands[i].varies[a] = true;
        }
    }
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

void kf__low_pack(kf__low *L) {
    if (!L->k->reduced || !L->affine) return;
    if (kf__kernel_chunk(L->k) < 0) kf__low_find_column_tiles(L); /* of what is cumulative none */
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        kf__operand *o = &L->operands[i], was = *o, *all = L->unpacked;
        if (!is_transposed(L, i) || kf__low_tiled(L, i)) continue;
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
        if (o->store)
            L->unpacked = all, all[i] = was;
        else
            put_copy(L, kf__l_name(L, "%s_pack%u", L->k->name, (unsigned)i), &was, o);
    }
}

void kf__low_unpack(kf__low *L) {
    for (uint32_t i = 0; L->unpacked && i < L->k->n_accesses; ++i)
        if (L->unpacked[i].value)
            put_copy(L, kf__l_name(L, "%s_unpack%u", L->k->name, (unsigned)i), &L->operands[i],
                     &L->unpacked[i]);
}
