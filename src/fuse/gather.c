/* Demand through gathers: the index is a value, which becomes a symbol in the index maps below.
 *
 *     take(x, i)[a]       v0 = i[a]                  wrapped: v0 < 0 ? v0 + n : v0
 *                         v1 = 0 <= v0 < n           the guard of everything below
 *                         v2 = v1 ? v0 : 0           the symbol s
 *                         x[s], where v1; else 0
 *
 * So views and elementwise work on x stay in the kernel, and maps are affine over axes and symbols:
 * a row of an embedding is contiguous. */
#include "fuse/internal.h"

static uint16_t make(kf__body *b, kf__ref ref, kf__opcode op, kf__dtype dtype, uint16_t x,
                     uint16_t y) {
    if (b->failed) return KF__NO_INSTR;
    return kf__body_emit(b, ref, KF__I_OP, op, dtype, 2, (const uint16_t[]){x, y});
}

static uint16_t where(kf__body *b, kf__ref ref, kf__dtype dtype, uint16_t c, uint16_t x,
                      uint16_t y) {
    if (b->failed) return KF__NO_INSTR;
    return kf__body_emit(b, ref, KF__I_OP, KF__WHERE, dtype, 3, (const uint16_t[]){c, x, y});
}

/* 0 of a dtype */
static uint16_t zero(kf__body *b, kf__ref ref, kf__dtype dtype) {
    if (b->failed) return KF__NO_INSTR;
    return kf__body_emit(b, ref, KF__I_CONSTANT, 0, dtype, 0, NULL);
}

/* Where to read: a value in [0, size), and whether the index was in there. */
static uint16_t place(kf__body *b, kf__ref ref, kf__dtype from, uint16_t at, kf__expr *size,
                      uint16_t *ok) {
    if (from != KF__I64)
        at = kf__body_emit(b, ref, KF__I_CAST, 0, KF__I64, 1, (const uint16_t[]){at});
    if (b->failed) return KF__NO_INSTR;
    uint16_t n = kf__body_place(b, ref, *size, size, false), nothing = zero(b, ref, KF__I64);
    if (from != KF__U8) {
        uint16_t back = make(b, ref, KF__ADD, KF__I64, at, n);
        at = where(b, ref, KF__I64, make(b, ref, KF__LESS, KF__BOOL, at, nothing), back, at);
    }
    *ok = make(b, ref, KF__LESS, KF__BOOL, at, n);
    if (from != KF__U8) {
        uint16_t from_0 = make(b, ref, KF__GREATER_EQUAL, KF__BOOL, at, nothing);
        *ok = make(b, ref, KF__BITWISE_AND, KF__BOOL, from_0, *ok);
    }
    return where(b, ref, KF__I64, *ok, at, nothing);
}

uint16_t kf__demand_gather(kf__body *b, kf__ref ref, const kf__expr *index) {
    kf_graph *g = b->f->g;
    const kf__node n = *kf__at(g, ref);
    kf__expr *size = &kf__at(g, n.args[0])->shape[n.index], arg[KF__MAX_RANK];
    uint16_t ok = KF__NO_INSTR, at = kf__body_demand(b, n.args[1], index);
    if (b->failed) return KF__NO_INSTR;
    at = place(b, ref, (kf__dtype)kf__at(g, n.args[1])->dtype, at, size, &ok);
    if (b->failed) return KF__NO_INSTR;
    memcpy(arg, index, sizeof(*arg) * n.rank);
    arg[n.index] = kf__x_is(&g->exprs, *size, 1) ? kf__x_const(&g->exprs, 0)
                                                 : kf__body_symbol(b, at, *size);
    if (b->failed) return KF__NO_INSTR;
    kf__ref gathered = b->gathered, gather = b->gather;
    uint16_t guard = b->guard;
    b->gathered = n.args[0], b->gather = ref;
    b->guard = guard == KF__NO_INSTR ? ok : kf__body_both(b, ref, guard, ok);
    uint16_t mine = b->guard, value = b->failed ? KF__NO_INSTR : kf__body_demand(b, n.args[0], arg);
    b->gathered = gathered, b->gather = gather, b->guard = guard;
    if (b->failed) return KF__NO_INSTR;
    const kf__instr *v = &b->instrs.at[value]; /* perhaps loaded before, under another guard */
    if (v->kind == KF__I_LOAD && v->n_args && v->args[0] == mine) return value; /* 0 outside */
    return where(b, ref, (kf__dtype)n.dtype, ok, value, zero(b, ref, (kf__dtype)n.dtype));
}
