/* A body can't be built: which value to store first.
 *
 * Where a reduction or a row's value doesn't fit, the smallest value on the way: the argument of
 * the nearest expand. Where a body grows too large or too deep, the value whose computing took
 * most. */
#include "fuse/internal.h"

bool kf__body_owns(const kf__body *b, kf__ref node) {
    for (uint32_t i = 0; i < b->roots->n; i++)
        if (b->roots->at[i].node == node) return true;
    return false;
}

uint16_t kf__body_no_memory(kf__body *b) {
    b->failed = b->no_memory = true;
    return KF__NO_INSTR;
}

static uint16_t cut_itself(kf__body *b, kf__ref node, kf__ref user, kf__cut_code code) {
    if (!b->failed) {
        b->failed = true;
        b->cut = node;
        b->user = user;
        b->code = code;
    }
    return KF__NO_INSTR;
}

/* What a view is of, not the view. */
uint16_t kf__cut_at(kf__body *b, kf__ref node, kf__ref user, kf__cut_code code) {
    return cut_itself(b, kf__peel(b->f->g, node), user, code);
}

/* Is it made of such reductions and numbers alone, element by element: as small as they are? */
static bool is_of_rows(const kf__body *b, kf__ref ref, const kf__node *reduce, int *budget) {
    const kf_graph *g = b->f->g;
    const kf__node *n = kf__at(g, ref);
    if (b->f->scalars[ref]) return true;
    if (--*budget < 0 || kf__in_memory(b->f, ref)) return false;
    if (n->kind == KF__REDUCE) {
        const kf__node *x = kf__at(g, n->args[0]), *y = kf__at(g, reduce->args[0]);
        return n->axes == reduce->axes && x->rank == y->rank &&
               !memcmp(x->shape, y->shape, sizeof(*x->shape) * x->rank);
    }
    bool ok = n->kind == KF__OP || n->kind == KF__CAST;
    for (int i = 0; i < n->n_args && ok; i++) ok = is_of_rows(b, n->args[i], reduce, budget);
    return ok;
}

static bool is_epilogue(const kf__body *b, kf__ref ref, kf__ref reduce) {
    int budget = 64;
    return is_of_rows(b, ref, kf__at(b->f->g, reduce), &budget);
}

/* A reduction on the path doesn't fit: store the argument of the nearest expand above it, the
 * smallest value with its epilogue done; else itself after operations with numbers, so that a mean
 * is stored and not its sum, which a half may not hold. */
uint16_t kf__cut_reduction(kf__body *b, kf__ref reduce) {
    const kf_graph *g = b->f->g;
    kf__ref cut = reduce, user = 0;
    bool climbing = true, expanded = false;
    for (uint32_t i = b->depth - 1; i-- > 0;) {
        const kf__node *n = kf__at(g, b->path[i]);
        if (n->kind == KF__EXPAND && !expanded) {
            cut = n->args[0];
            user = 0;
            expanded = true;
        } else if (kf__is_view(n)) {
            climbing &= n->kind != KF__SLICE;
        } else if (climbing && !expanded && i > 0 && is_epilogue(b, b->path[i], reduce)) {
            cut = b->path[i];
        } else {
            climbing = false;
            if (!user) user = b->path[i];
            if (expanded || n->kind == KF__REDUCE || n->kind == KF__GATHER) break;
        }
    }
    return kf__cut_at(b, cut, user ? user : b->path[0], KF__CUT_REDUCTION_AXIS);
}

/* A scan along another axis, or whose values are wanted in another order. */
uint16_t kf__cut_scan(kf__body *b, kf__ref scan) {
    kf__ref user = b->path[0];
    for (uint32_t i = b->depth - 1; i-- > 0;) {
        if (kf__is_view(kf__at(b->f->g, b->path[i]))) continue;
        user = b->path[i];
        break;
    }
    return kf__cut_at(b, scan, user, KF__CUT_REDUCTION_AXIS);
}

/* Whose value `instr` is: of a load for a gather, its result. */
static kf__ref owner(const kf__body *b, uint16_t instr) {
    const kf__instr *in = &b->instrs.at[instr];
    for (uint32_t i = 0; i < b->memos.n && in->kind == KF__I_LOAD; i++) {
        const kf__memo *m = &b->memos.at[i];
        if (m->instr == instr && kf__at(b->f->g, m->node)->kind == KF__GATHER) return m->node;
    }
    return in->node;
}

/* The row's value in `instr` is needed by all of the domain. It may have been computed at the
 * domain's shape, from expanded arguments: store what is no larger than a row. */
uint16_t kf__cut_row(kf__body *b, uint16_t instr, kf__ref user) {
    kf_graph *g = b->f->g;
    for (;;) {
        const kf__instr *i = &b->instrs.at[instr];
        const kf__node *n = kf__at(g, i->node);
        kf__expr index[KF__MAX_RANK];
        bool whole = kf__domain_index(g, &b->domain, true, n->rank, n->shape, index);
        if (!whole || (n->kind != KF__OP && n->kind != KF__CAST)) /* a gather's work is its own */
            return kf__cut_at(b, owner(b, instr), user, KF__CUT_REDUCTION_AXIS);
        uint32_t k = 0;
        while (k + 1u < i->n_args && b->instrs.at[i->args[k]].stage == 0) k++;
        user = i->node;
        instr = i->args[k];
    }
}

/* Too deep: store what is demanded, or the nearest above it that is neither a number nor in memory
 * already. */
uint16_t kf__cut_depth(kf__body *b, kf__ref ref) {
    const kf_graph *g = b->f->g;
    for (uint32_t i = b->depth; i > 0; i--) {
        kf__ref cut = kf__peel(g, ref);
        if (kf__at(g, cut)->kind != KF__INPUT && !b->f->scalars[cut] &&
            !kf__in_memory(b->f, cut))
            return kf__cut_at(b, cut, b->path[i - 1], KF__CUT_CAPACITY);
        ref = b->path[i - 1];
    }
    b->failed = true;
    return KF__NO_INSTR;
}

/* Can it be stored, and isn't yet? */
static bool can_store(const kf__body *b, kf__ref node) {
    return !b->f->scalars[node] && !kf__body_owns(b, node) && !kf__in_memory(b->f, node);
}

bool kf__cut_view(kf__body *b, kf__ref view) {
    if (!can_store(b, view) || kf__at(b->f->g, view)->kind == KF__EXPAND) return false;
    cut_itself(b, view, b->path[b->depth > 1 ? b->depth - 2 : 0], KF__CUT_CAPACITY);
    return true;
}

static bool computes(const kf__body *b, kf__ref node) {
    kf__kind kind = kf__at(b->f->g, node)->kind;
    return kind == KF__OP || kind == KF__REDUCE || kind == KF__SCAN || kind == KF__CAST;
}

static bool joins(const kf__body *b, kf__ref node) {
    return kf__at(b->f->g, node)->kind == KF__CONCAT;
}

/* Not a view, but elements of others. */
static bool moves(const kf__body *b, kf__ref node) {
    kf__kind kind = kf__at(b->f->g, node)->kind;
    return kind == KF__PAD || kind == KF__GATHER;
}

/* Cut at one of these that is being made, from the middle down, then up. */
static bool cut_middle(kf__body *b, bool (*wanted)(const kf__body *b, kf__ref node)) {
    for (uint32_t n = 1; n < b->depth; n++) {
        uint32_t middle = b->depth / 2, i = middle + n <= b->depth ? middle + n - 1 : b->depth - n;
        if (i == 0 || !wanted(b, b->path[i]) || !can_store(b, b->path[i])) continue;
        kf__cut_at(b, b->path[i], b->path[i - 1], KF__CUT_CAPACITY);
        return true;
    }
    return false;
}

/* Of these that can be stored the one that took most so far; 0: there is none. */
static kf__ref largest(const kf__body *b, bool (*wanted)(const kf__body *b, kf__ref node)) {
    kf__ref best = 0;
    uint16_t span = 0;
    for (uint32_t i = 0; i < b->memos.n; i++) {
        const kf__memo *m = &b->memos.at[i];
        if (m->span <= span || !wanted(b, m->node) || !can_store(b, m->node)) continue;
        best = m->node;
        span = m->span;
    }
    return best;
}

/* Of the concatenations that one is put together of, the one with about half of the arrays. */
static kf__ref half_of(const kf__body *b, kf__ref whole) {
    const kf_graph *g = b->f->g;
    uint32_t axis = kf__at(g, whole)->index;
    uint32_t all = kf__arrays_in(g, whole, axis, KF__MAX_PICKS);
    for (kf__ref at = whole; kf__arrays_in(g, at, axis, 2) > 1;) {
        const kf__node *n = kf__at(g, at);
        uint32_t first = kf__arrays_in(g, n->args[0], axis, KF__MAX_PICKS);
        at = n->args[first < kf__arrays_in(g, n->args[1], axis, KF__MAX_PICKS)];
        if (can_store(b, at) && kf__arrays_in(g, at, axis, all) <= (all + 1) / 2)
            return joins(b, at) ? at : 0;
    }
    return 0;
}

/* Too large: store the value whose computing took most so far. Where nothing has been computed yet
 * that can be stored, the lower half of what is being computed; where nothing is computed, what
 * takes most of what is but put together, or the lower half of what only moves. Of too many arrays
 * that are put together, half. */
uint16_t kf__cut_capacity(kf__body *b) {
    for (uint32_t i = b->depth; i-- > 1;) /* of a long chain the rest */
        if (joins(b, b->path[i]) && can_store(b, b->path[i]))
            return kf__cut_at(b, b->path[i], b->path[i - 1], KF__CUT_CAPACITY);
    for (uint32_t i = kf__body_is_full(b) ? b->depth : 0; i-- > 0;) {
        kf__ref half = joins(b, b->path[i]) ? half_of(b, b->path[i]) : 0;
        if (half) return kf__cut_at(b, half, b->path[i], KF__CUT_CAPACITY);
    }
    kf__ref best = largest(b, computes);
    kf__ref user = b->path[b->depth ? b->depth - 1 : 0];
    if (best) return kf__cut_at(b, best, user, KF__CUT_CAPACITY);
    if (cut_middle(b, computes)) return KF__NO_INSTR;
    best = largest(b, joins);
    if (best) return kf__cut_at(b, best, user, KF__CUT_CAPACITY);
    if (cut_middle(b, moves)) return KF__NO_INSTR;
    best = largest(b, moves);
    if (best) return kf__cut_at(b, best, user, KF__CUT_CAPACITY);
    b->failed = true; /* cut stays 0: the driver reports a limit */
    return KF__NO_INSTR;
}
