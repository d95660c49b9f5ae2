/* Values of indices (INDEX), whether they are inside (INSIDE), and the guards of loads that are
 * made of these:
 *
 *     const int v2 = kf_inside(first_index2 + (first + l), size_index2);
 *     const float v3 = v2 ? kf_load_f32(p0_in_x, l) : 0x0p+0f;
 *
 * A guard's load is C's `?:`, so memory outside is never touched; compilers make masked loads of
 * it. A guard made of indices alone can be evaluated anywhere, also before its instruction has
 * been. */
#include "lower/low.h"

enum { STEPS = 2, OTHERWISE }; /* by a known number greater than 1 */

/* How an index moves along an axis (-1: there is none): 0, 1, -1, STEPS or OTHERWISE. */
static int direction(const kf__low *L, uint32_t access, int axis) {
    const kf__operand *o = &L->operands[access];
    int64_t by;
    if (!o->affine) return OTHERWISE;
    if (axis < 0 || !o->varies[axis]) return 0;
    if (!kf__x_is_const(&L->p->graph->exprs, o->along[axis].coefficient, &by)) return OTHERWISE;
    return by == 1 || by == -1 ? (int)by : by > 1 ? STEPS : OTHERWISE;
}

/* CUDA: an index that only counts, up or down, takes no products. Axes may be unsigned. */
static bool counts(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    if (L->target->kind == KF__TARGET_C || !o->affine || o->symbols) return false;
    for (int m = 0; m < L->n_axes; ++m) {
        int way = direction(L, access, m);
        if (way > 1 || (way < 0 && o->origin)) return false;
    }
    return true;
}

/* Are the index and its bound far from the ends of 32 bits? */
static bool is_small(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    int64_t reach = o->offset < 0 ? -o->offset : o->offset;
    for (int m = 0; m < L->n_axes && reach < INT32_MAX / 2; ++m)
        if (o->varies[m]) reach += L->axes[m].size;
    return reach < INT32_MAX / 2 && o->bound < INT32_MAX / 2;
}

static const kf__lx *first_index(kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    if (!o->affine || o->origin) return kf__l_int(L, 0);
    return kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset);
}

/* wide: in 64 bits, else only its lower 32 bits are right. */
static const kf__lx *counted(kf__low *L, uint32_t access, const kf__lx *last, bool wide) {
    const kf__lx *sum = first_index(L, access);
    wide = wide && L->operands[access].origin;
    for (int m = 0; m < L->n_axes; ++m) {
        int way = direction(L, access, m);
        bool inner = m == kf__last(L);
        if (!way || (inner && !last)) continue;
        const kf__lx *at = inner ? last : kf__l_var(L, L->axes[m].var);
        if (wide && !inner) at = kf__as_i64(L, at);
        sum = kf__l_bin(L, way > 0 ? "+" : "-", sum, at);
    }
    return sum;
}

static const kf__lx *index_at(kf__low *L, uint32_t access, const kf__lx *at) {
    if (counts(L, access)) return counted(L, access, at, true);
    return kf__l_bin(L, "+", first_index(L, access), kf__low_offset(L, access, at));
}

const kf__lx *kf__place_value(kf__low *L, uint32_t i, const kf__lx *at) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    if (!at && L->n_axes && o->affine && o->varies[kf__last(L)])
        at = kf__l_var(L, L->axes[kf__last(L)].var);
    if (in->kind == KF__I_INDEX) return index_at(L, in->access, at);
    bool small = counts(L, in->access) && is_small(L, in->access);
    const kf__lx *index = small ? counted(L, in->access, at, false) : index_at(L, in->access, at);
    return kf__l_call(L, small ? "kf_within" : "kf_inside", KF__I64, index,
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
    if (in->kind != KF__I_OP || in->op != KF__BITWISE_AND) return kf__value_of(L, guard);
    return kf__l_bin(L, "&", kf__guard_at(L, in->args[0], at), kf__guard_at(L, in->args[1], at));
}

static bool is_both(const kf__instr *in) {
    return in->kind == KF__I_OP && in->op == KF__BITWISE_AND && in->dtype == KF__BOOL;
}

bool kf__implies(const kf__low *L, uint32_t guard, uint32_t other) {
    const kf__instr *in = &L->k->instrs[guard], *of = &L->k->instrs[other];
    if (guard == other) return true;
    if (is_both(of))
        return kf__implies(L, guard, of->args[0]) && kf__implies(L, guard, of->args[1]);
    return is_both(in) &&
           (kf__implies(L, in->args[0], other) || kf__implies(L, in->args[1], other));
}

bool kf__is_known(const kf__low *L, uint32_t guard) {
    return L->holds >= 0 && kf__implies(L, (uint32_t)L->holds, guard);
}

const kf__lx *kf__guarded(kf__low *L, const kf__instr *in, const kf__lx *load, const kf__lx *at) {
    if (!in->n_args || kf__is_known(L, in->args[0]) || kf__is_always(L, in->args[0])) return load;
    return kf__l_select(L, kf__guard_at(L, in->args[0], at), load,
                        kf__l_const(L, in->dtype, 0, 0));
}

/* ---------------------------------------------------------------- guards as ranges */

bool kf__is_range(const kf__low *L, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    bool cpu = L->target->kind == KF__TARGET_C;
    if (in->kind == KF__I_INSIDE)
        return direction(L, in->access, kf__last(L)) <= (cpu ? STEPS : 1);
    if (cpu && L->k->n_symbols && kf__low_is_same(L, guard)) return true; /* is the row there? */
    return in->kind == KF__I_OP && in->op == KF__BITWISE_AND && kf__is_range(L, in->args[0]) &&
           kf__is_range(L, in->args[1]);
}

bool kf__is_rectangle(const kf__low *L, uint32_t guard, int t) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind != KF__I_INSIDE)
        return kf__is_place(L, guard) && kf__is_rectangle(L, in->args[0], t) &&
               kf__is_rectangle(L, in->args[1], t);
    int along = direction(L, in->access, kf__last(L)), across = direction(L, in->access, t);
    return (along == 0 || along == 1) && (across == 0 || across == 1) && !(along && across);
}

/* Is the index but this axis itself? */
static bool is_counted(const kf__low *L, const kf__operand *o, int axis) {
    bool alone = o->origin;
    for (int m = 0; m < L->n_axes; ++m) alone = alone && (m == axis || !o->varies[m]);
    return alone;
}

static const kf__lx *most(kf__low *L, const char *which, const kf__lx *a, const kf__lx *b) {
    return kf__l_call(L, which, KF__I64, a, b);
}

const kf__lx *kf__known_guard(kf__low *L, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    if (L->value[guard] || in->kind == KF__I_INSIDE || kf__is_always(L, guard))
        return L->value[guard];
    const kf__lx *a = kf__known_guard(L, in->args[0]), *b = kf__known_guard(L, in->args[1]);
    return a && b ? kf__l_bin(L, "&", a, b) : a ? a : b;
}

/* ceil(far / step); not above 0 where `far` isn't */
static const kf__lx *steps_to(kf__low *L, const kf__lx *far, const kf__lx *step) {
    const kf__lx *up = kf__l_bin(L, "+", far, kf__l_bin(L, "-", step, kf__l_int(L, 1)));
    return kf__l_bin(L, "/", up, step);
}

enum { NO_AXIS = -1, ALL_OTHERS = -2 };

/* Along `axis`; what moves along `other`, or not along `axis` at all, isn't asked. */
static void add_range(kf__low *L, uint32_t guard, int axis, int other, const kf__lx *first,
                      const kf__lx **from, const kf__lx **to) {
    const kf__instr *in = &L->k->instrs[guard];
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1);
    if (kf__is_always(L, guard)) return;
    if (L->value[guard]) { /* it is the same for all of them */
        if (!L->known_holds) *to = kf__l_select(L, L->value[guard], *to, zero);
        return;
    }
    if (in->kind != KF__I_INSIDE) {
        add_range(L, in->args[0], axis, other, first, from, to);
        add_range(L, in->args[1], axis, other, first, from, to);
        return;
    }
    const kf__operand *o = &L->operands[in->access];
    if (other == ALL_OTHERS ? !o->varies[axis] : other >= 0 && o->varies[other]) return;
    const kf__lx *size = kf__word_int(L, kf__l_name(L, "size_%s", o->name), o->bound);
    const kf__lx *e = index_at(L, in->access, first); /* of the block's first element */
    int way = direction(L, in->access, axis);
    if (way == 0) {
        const kf__lx *inside = kf__l_call(L, "kf_inside", KF__I64, e, size);
        *to = kf__l_select(L, inside, *to, zero);
        return;
    }
    if (way == 1) {
        if (!is_counted(L, o, axis))
            *from = most(L, "kf_max_i64", *from, kf__l_bin(L, "-", zero, e));
        *to = most(L, "kf_min_i64", *to, kf__l_bin(L, "-", size, e));
    } else if (way == STEPS) {
        const kf__lx *step = kf__word_stride(L, in->access, axis);
        *from = most(L, "kf_max_i64", *from, steps_to(L, kf__l_bin(L, "-", zero, e), step));
        *to = most(L, "kf_min_i64", *to, steps_to(L, kf__l_bin(L, "-", size, e), step));
    } else {
        *from = most(L, "kf_max_i64", *from,
                     kf__l_bin(L, "+", kf__l_bin(L, "-", e, size), one));
        *to = most(L, "kf_min_i64", *to, kf__l_bin(L, "+", e, one));
    }
}

const kf__lx *kf__holds_from(kf__low *L, uint32_t guard, const kf__lx *first, const kf__lx *last) {
    const kf__instr *in = &L->k->instrs[guard];
    const kf__lx *to = kf__guard_at(L, guard, last);
    bool counted = in->kind == KF__I_INSIDE && direction(L, in->access, kf__last(L)) == 1 &&
                   is_counted(L, &L->operands[in->access], kf__last(L));
    if (counted) return to;
    return kf__l_bin(L, "&", kf__guard_at(L, guard, first), to);
}

void kf__put_range(kf__low *L, uint32_t i, const kf__lx *first, const kf__lx *len,
                   const kf__lx **from, const kf__lx **to) {
    *from = kf__l_int(L, 0);
    *to = len;
    add_range(L, L->k->instrs[i].args[0], kf__last(L), NO_AXIS, first, from, to);
    if ((*from)->kind != KF__L_INT)
        *from = kf__put_let(L, "int64_t", kf__l_name(L, "begin%u", (unsigned)i),
                            most(L, "kf_min_i64", *from, len), NULL);
    *to = kf__put_let(L, "int64_t", kf__l_name(L, "end%u", (unsigned)i),
                      most(L, "kf_max_i64", *from, *to), NULL);
}

int kf__place_ends(kf__low *L, uint32_t guard, const kf__lx *first, const kf__lx *len,
                   const kf__lx **begin, const kf__lx **end, const kf__lx **size) {
    uint32_t access = L->k->instrs[guard].access;
    const kf__operand *o = &L->operands[access];
    int way = direction(L, access, kf__last(L));
    const kf__lx *more = kf__l_bin(L, "-", len, kf__l_int(L, 1));
    *size = kf__word_int(L, kf__l_name(L, "size_%s", o->name), o->bound);
    *begin = index_at(L, access, first);
    *end = way ? kf__l_bin(L, way > 0 ? "+" : "-", *begin, more) : *begin;
    return way;
}

void kf__put_side(kf__low *L, uint32_t i, int t, bool along, const kf__lx *first,
                  const kf__lx *size, const kf__lx **from, const kf__lx **to) {
    const char *side = along ? "along" : "across";
    int axis = along ? kf__last(L) : t, other = !along ? kf__last(L) : t < 0 ? ALL_OTHERS : t;
    const kf__lx *begin = kf__l_int(L, 0), *end = size;
    add_range(L, L->k->instrs[i].args[0], axis, other, first, &begin, &end);
    if (begin->kind != KF__L_INT)
        begin = kf__put_let(L, "int64_t", kf__l_name(L, "%s_begin%u", side, (unsigned)i),
                            most(L, "kf_min_i64", begin, size), NULL);
    *from = begin;
    *to = kf__put_let(L, "int64_t", kf__l_name(L, "%s_end%u", side, (unsigned)i),
                      most(L, "kf_max_i64", begin, end), NULL);
}

void kf__put_rectangle(kf__low *L, uint32_t i, int t, const kf__lx *first,
                       const kf__lx *const *size, const kf__lx **from, const kf__lx **to) {
    for (int side = 0; side < 2; ++side)
        kf__put_side(L, i, t, side, first, size[side], &from[side], &to[side]);
}
