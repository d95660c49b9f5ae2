/* Demand through pads and concatenations: index maps with a range of validity.
 *
 *     pad(x, (lo, hi), v)[i]      i - lo inside of n  ?  x[i - lo]  :  v
 *     concatenate([x, y])[i]      i inside of n  ?  x[i]  :  y[i - n]
 *
 * What is inside is demanded under a guard, which reaches every load below: nothing outside of an
 * array is read, and what is computed from it is dropped by the PICK.
 *
 * On CPUs a PICK asks for its own range only where the guard around it comes from data (a gather's
 * index is inside, too): what that one holds back is dropped by the gather. A range of a line is
 * known before the loop over it, data are not. take(concatenate([y, z]), i, axis=1) of 1024x1024
 * took a Sapphire Rapids 2.6 ms, then 1.1. */
#include "fuse/internal.h"

enum { MOST_PARTS = 20 }; /* of one body: then concatenations are parts */

enum { ALWAYS = 0xfffe, NEVER = 0xfffd }; /* guards that are known */

/* Is index in [0, size)? KF__NO_INSTR: it isn't known. */
static uint16_t known(kf__exprs *x, kf__expr index, kf__expr size) {
    kf__expr below = kf__x_const(x, -1), last = kf__x_sub(x, size, kf__x_const(x, 1));
    if (kf__x_below(x, below, index) && kf__x_below(x, index, size)) return ALWAYS;
    bool never = kf__x_below(x, index, kf__x_const(x, 0)) || kf__x_below(x, last, index);
    return never ? NEVER : KF__NO_INSTR;
}

/* `guard`, and that the index is in [0, *size). */
static uint16_t narrower(kf__body *b, kf__ref ref, uint16_t guard, kf__expr index, kf__expr *size) {
    uint16_t here = kf__body_place(b, ref, index, size, true);
    if (b->failed || guard == ALWAYS) return here;
    return kf__body_both(b, ref, guard, here);
}

static bool is_range(const kf__body *b, uint16_t guard) {
    const kf__instr *in = &b->instrs.at[guard];
    if (in->kind != KF__I_OP) return in->kind == KF__I_INSIDE;
    return in->op == KF__BITWISE_AND && is_range(b, in->args[0]) && is_range(b, in->args[1]);
}

/* What a PICK within `outer` asks for besides its own range: `outer` or ALWAYS. */
static uint16_t asked_around(const kf__body *b, uint16_t outer) {
    return b->f->cpu && outer != ALWAYS && !is_range(b, outer) ? ALWAYS : outer;
}

/* `outer`, and what a PICK within it asks for, which began as `around`. */
static uint16_t within(kf__body *b, kf__ref ref, uint16_t outer, uint16_t around, uint16_t asked) {
    if (b->failed || asked == around) return outer;
    return around == outer ? asked : kf__body_both(b, ref, outer, asked);
}

/* The value of `ref` at `index` where `guard` holds. */
static uint16_t demand_where(kf__body *b, uint16_t guard, kf__ref ref, const kf__expr *index) {
    uint16_t before = b->guard;
    b->guard = guard == ALWAYS ? KF__NO_INSTR : guard;
    uint16_t value = kf__body_demand(b, ref, index);
    b->guard = before;
    return value;
}

static uint16_t outer_guard(const kf__body *b) {
    return b->guard == KF__NO_INSTR ? ALWAYS : b->guard;
}

uint16_t kf__demand_pad(kf__body *b, kf__ref ref, const kf__expr *index) {
    kf_graph *g = b->f->g;
    const kf__node n = *kf__at(g, ref);
    kf__expr arg[KF__MAX_RANK] = {0};
    uint16_t outer = outer_guard(b), around = asked_around(b, outer), asked = around;
    for (int d = 0; d < n.rank; d++) {
        kf__expr *size = &kf__at(g, n.args[0])->shape[d];
        arg[d] = kf__x_sub(&g->exprs, index[d], n.u.slice.start[d]);
        if (!arg[d]) return kf__body_no_memory(b);
        uint16_t is = known(&g->exprs, arg[d], *size);
        if (is == NEVER) return kf__body_demand(b, n.args[1], NULL);
        if (is != ALWAYS) asked = narrower(b, ref, asked, arg[d], size);
        if (b->failed) return KF__NO_INSTR;
    }
    uint16_t guard = within(b, ref, outer, around, asked);
    if (b->failed) return KF__NO_INSTR;
    uint16_t value = demand_where(b, guard, n.args[0], arg);
    if (b->failed || guard == outer) return value;
    uint16_t other = demand_where(b, outer, n.args[1], NULL);
    if (b->failed) return KF__NO_INSTR;
    return kf__body_pick(b, ref, KF__PICK_ELSE, asked, value, other);
}

/* ---------------------------------------------------------------- concatenations */

typedef struct parts {
    kf__ref at[MOST_PARTS];
    kf__expr index[MOST_PARTS], *size[MOST_PARTS]; /* along the axis */
    uint16_t asked[MOST_PARTS], value[MOST_PARTS];
    uint32_t n;
} parts;

/* The arrays that are put together, but for those that the index never is in; some may be what
 * others are put together to. One where it always is stands alone. So does the last where it is in
 * none: then it is demanded under a guard that never holds. False: out of memory. */
static bool find_parts(const kf__body *b, kf__ref whole, kf__expr index, parts *p) {
    kf_graph *g = b->f->g;
    uint32_t axis = kf__at(g, whole)->index, n = 1, seen = 0;
    kf__ref open[MOST_PARTS] = {whole}; /* the last one is next */
    p->n = 0;
    while (n > 0 && index) {
        kf__ref part = open[--n];
        const kf__node *c = kf__at(g, part);
        bool more = c->kind == KF__CONCAT && c->index == axis && seen + n + 2 <= MOST_PARTS;
        if (more && (part == whole || !b->f->stored[part])) {
            open[n++] = c->args[1];
            open[n++] = c->args[0];
            continue;
        }
        kf__expr *size = &kf__at(g, part)->shape[axis];
        uint16_t is = known(&g->exprs, index, *size);
        if (is == ALWAYS) p->n = 0;
        if (is != NEVER || (n == 0 && p->n == 0)) {
            p->at[p->n] = part;
            p->index[p->n] = index;
            p->size[p->n++] = size;
        }
        if (is == ALWAYS) break;
        index = kf__x_sub(&g->exprs, index, *size);
        seen++;
    }
    return index && p->n > 0;
}

uint16_t kf__demand_concat(kf__body *b, kf__ref ref, const kf__expr *index) {
    const kf__node n = *kf__at(b->f->g, ref);
    uint16_t outer = outer_guard(b), around = asked_around(b, outer);
    kf__expr arg[KF__MAX_RANK] = {0};
    parts p;
    memcpy(arg, index, sizeof(*arg) * n.rank);
    if (!find_parts(b, ref, index[n.index], &p)) return kf__body_no_memory(b);
    for (uint32_t i = 0; i < p.n; i++) {
        arg[n.index] = p.index[i];
        if (p.n == 1) return demand_where(b, outer, p.at[i], arg);
        p.asked[i] = narrower(b, ref, around, p.index[i], p.size[i]);
        uint16_t guard = within(b, ref, outer, around, p.asked[i]);
        if (b->failed) return KF__NO_INSTR;
        p.value[i] = demand_where(b, guard, p.at[i], arg);
        if (b->failed) return KF__NO_INSTR;
    }
    uint16_t last = p.value[p.n - 1];
    uint16_t value = kf__body_pick(b, ref, KF__PICK_LAST, p.asked[p.n - 1], last, last);
    for (uint32_t i = p.n - 1; i-- > 0 && !b->failed;)
        value = kf__body_pick(b, ref, KF__PICK_MORE, p.asked[i], p.value[i], value);
    return b->failed ? KF__NO_INSTR : value;
}
