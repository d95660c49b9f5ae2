/* Demand through gathers: the index is a value, which becomes a symbol in the index maps below.
 *
 *     take(x, i)[a]       v0 = i[a]                  wrapped: v0 < 0 ? v0 + n : v0
 *                         v1 = 0 <= v0 < n           the guard of everything below
 *                         v2 = v1 ? v0 : 0           the symbol s
 *                         x[s], where v1; else 0
 *
 * So views and elementwise work on x stay in the kernel, and maps are affine over axes and symbols:
 * a row of an embedding is contiguous. Of an index that was clipped, max(min(i, n - 1), 0), nothing
 * is asked but whether there is anything to read. */
#include "fuse/internal.h"

/* ---------------------------------------------------------------- indices that are inside */

enum { MOST_STEPS = 16 };

/* The value below views and casts that keep it. */
static const kf__node *seen_through(const kf_graph *g, kf__ref ref) {
    const kf__node *n = kf__at(g, ref);
    while (kf__is_view(n) || (n->kind == KF__CAST && n->dtype == KF__I64 &&
                              kf__types[kf__at(g, n->args[0])->dtype].class == KF__CLASS_INT))
        n = kf__at(g, n->args[0]);
    return n;
}

/* Is it never negative, wherever there are at least one of `size`? */
static bool is_natural(kf_graph *g, kf__ref ref, kf__expr size, int steps) {
    kf__exprs *x = &g->exprs;
    const kf__node *n = seen_through(g, ref);
    if (n->kind == KF__CONSTANT) return n->u.integer >= 0;
    if (n->kind == KF__SIZE)
        return kf__x_below(x, kf__x_const(x, -1), n->index) ||
               n->index == kf__x_add(x, size, kf__x_const(x, -1));
    if (n->kind == KF__IOTA)
        return n->dtype == KF__I64 && n->u.slice.step[0] >= 0 &&
               kf__x_below(x, kf__x_const(x, -1), n->u.slice.start[0]);
    if (n->kind != KF__OP || n->dtype != KF__I64 || n->n_args != 2 || !steps) return false;
    kf__ref a = n->args[0], b = n->args[1];
    if (n->op == KF__MAXIMUM)
        return is_natural(g, a, size, steps - 1) || is_natural(g, b, size, steps - 1);
    return (n->op == KF__MINIMUM || n->op == KF__FLOOR_DIVIDE || n->op == KF__REMAINDER) &&
           is_natural(g, a, size, steps - 1) && is_natural(g, b, size, steps - 1);
}

/* Is it always below `size`, wherever that is at least 1? */
static bool is_below(kf_graph *g, kf__ref ref, kf__expr size, int steps) {
    kf__exprs *x = &g->exprs;
    const kf__node *n = seen_through(g, ref);
    if (n->kind == KF__CONSTANT)
        return n->u.integer <= 0 || kf__x_below(x, kf__x_const(x, n->u.integer), size);
    if (n->kind == KF__SIZE) return kf__x_below(x, n->index, size);
    if (n->kind != KF__OP || n->dtype != KF__I64 || n->n_args != 2 || !steps) return false;
    kf__ref a = n->args[0], b = n->args[1];
    if (n->op == KF__MINIMUM)
        return is_below(g, a, size, steps - 1) || is_below(g, b, size, steps - 1);
    if (n->op == KF__REMAINDER) {
        const kf__node *by = seen_through(g, b);
        return by->kind == KF__SIZE && by->index == size;
    }
    return n->op == KF__MAXIMUM && is_below(g, a, size, steps - 1) &&
           is_below(g, b, size, steps - 1);
}

/* Is there at least one of `size` wherever the kernel has elements? */
static bool is_never_empty(const kf__body *b, kf__expr size) {
    kf__expr positive[KF__MAX_AXES];
    uint32_t n = 0;
    for (uint32_t m = 0; m < b->domain.n; m++)
        if (!(b->domain.reduced >> m & 1)) positive[n++] = b->domain.size[m];
    return kf__x_positive_where(&b->f->g->exprs, size, positive, n);
}

/* ---------------------------------------------------------------- the index in a kernel */

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

static uint16_t yes(kf__body *b, kf__ref ref) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_CONSTANT, i.dtype = KF__BOOL, i.node = ref, i.integer = 1, i.number = 1;
    return b->failed ? KF__NO_INSTR : kf__body_push(b, &i);
}

/* Where to read: a value in [0, size), and whether the index was in there. natural: it isn't
 * negative; inside: it is in there, if there is anything to read. */
static uint16_t place(kf__body *b, kf__ref ref, kf__dtype from, uint16_t at, kf__expr *size,
                      bool natural, bool inside, uint16_t *ok) {
    if (from != KF__I64)
        at = kf__body_emit(b, ref, KF__I_CAST, 0, KF__I64, 1, (const uint16_t[]){at});
    if (b->failed) return KF__NO_INSTR;
    uint16_t n = kf__body_place(b, ref, *size, size, false), nothing = zero(b, ref, KF__I64);
    if (inside) {
        *ok = is_never_empty(b, *size) ? yes(b, ref)
                                       : make(b, ref, KF__LESS, KF__BOOL, nothing, n);
        return at;
    }
    if (!natural) {
        uint16_t back = make(b, ref, KF__ADD, KF__I64, at, n);
        at = where(b, ref, KF__I64, make(b, ref, KF__LESS, KF__BOOL, at, nothing), back, at);
    }
    *ok = make(b, ref, KF__LESS, KF__BOOL, at, n);
    if (!natural) {
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
    kf__dtype from = (kf__dtype)kf__at(g, n.args[1])->dtype;
    bool natural = from == KF__U8 || is_natural(g, n.args[1], *size, MOST_STEPS);
    bool inside = natural && is_below(g, n.args[1], *size, MOST_STEPS);
    at = place(b, ref, from, at, size, natural, inside, &ok);
    if (b->failed) return KF__NO_INSTR;
    memcpy(arg, index, sizeof(*arg) * n.rank);
    arg[n.index] = kf__x_is(&g->exprs, *size, 1) ? kf__x_const(&g->exprs, 0)
                                                 : kf__body_symbol(b, at, *size);
    if (b->failed) return KF__NO_INSTR;
    kf__ref gathered = b->gathered, gather = b->gather;
    uint16_t guard = b->guard;
    b->gathered = n.args[0], b->gather = ref;
    bool always = b->instrs.at[ok].kind == KF__I_CONSTANT;
    if (guard == KF__NO_INSTR)
        b->guard = ok;
    else if (!always)
        b->guard = kf__body_both(b, ref, guard, ok);
    uint16_t mine = b->guard, value = b->failed ? KF__NO_INSTR : kf__body_demand(b, n.args[0], arg);
    b->gathered = gathered, b->gather = gather, b->guard = guard;
    if (b->failed || always) return value;
    const kf__instr *v = &b->instrs.at[value]; /* perhaps loaded before, under another guard */
    if (v->kind == KF__I_LOAD && v->n_args && v->args[0] == mine) return value; /* 0 outside */
    return where(b, ref, (kf__dtype)n.dtype, ok, value, zero(b, ref, (kf__dtype)n.dtype));
}
