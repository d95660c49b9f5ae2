/* Demand traversal: what one kernel computes.
 *
 * From each root, at the index of its own elements, down through the graph: an elementwise
 * operation passes its index on to its arguments, a view changes it, and what lies in memory
 * becomes a load with that index as its map. So no view is left, and what is needed at two indices
 * is computed twice.
 *
 *     out = x - mean(x)      demand(out, [a0, a1])
 *                              demand(x, [a0, a1])              load x[a0, a1]     FULL 0
 *                              demand(expand, [a0, a1])
 *                                demand(mean, [a0, 0])          reduce over a1     ROW  1
 *
 * A reduction fits where it is demanded for the row that the kernel is at, and reduces exactly the
 * kernel's reduced axes. Where something doesn't fit, the build fails and names the node to store
 * first: the smallest value on the way, which is the argument of the nearest expand.
 */
#include "fuse/internal.h"

static uint16_t demand(kf__body *b, kf__ref ref, const kf__expr *index);
/* ---------------------------------------------------------------- leaves and operations */

/* Is it there whatever a guard says, and little: a row's value, a bias? A load without a guard is
 * one for a whole line. Of an array with all axes only what is inside is worth reading. */
static bool is_always_there(kf__body *b, const kf__node *n, const kf__expr *index, uint32_t axes) {
    kf__exprs *x = &b->f->g->exprs;
    bool there = axes != (1u << b->domain.n) - 1 && !(axes >> KF__FIRST_SYMBOL);
    for (int d = 0; d < n->rank && there; d++) {
        const kf__expr_node *at = &x->nodes.at[index[d]];
        there = (at->kind == KF__X_AXIS || kf__x_is(x, index[d], 0)) &&
                kf__x_below(x, index[d], n->shape[d]);
    }
    return there;
}

/* What of a guard is about any of these axes, or sizes alone; KF__NO_INSTR: nothing. */
static uint16_t guard_of(kf__body *b, kf__ref ref, uint16_t guard, uint32_t axes) {
    const kf__instr *in = &b->instrs.at[guard];
    if (in->kind == KF__I_INSIDE) {
        uint32_t of = kf__axes_of(&b->f->g->exprs, b->accesses.at[in->access].index[0]);
        return !of || of & axes ? guard : KF__NO_INSTR;
    }
    if (in->kind != KF__I_OP || in->op != KF__BITWISE_AND || in->dtype != KF__BOOL) return guard;
    uint16_t first = in->args[0], second = in->args[1];
    uint16_t x = guard_of(b, ref, first, axes), y = guard_of(b, ref, second, axes);
    if (x == KF__NO_INSTR || y == KF__NO_INSTR) return x == KF__NO_INSTR ? y : x;
    return x == first && y == second ? guard : kf__body_both(b, ref, x, y);
}

/* Is it there whatever the other axes' guards say, if those of its own axes do? Not where a part is
 * fixed that may be of nothing: x[..., 0]. */
static bool is_of_its_axes(const kf__body *b, const kf__node *n, const kf__expr *index,
                           uint32_t axes) {
    kf__exprs *x = &b->f->g->exprs;
    bool is = !(axes >> KF__FIRST_SYMBOL);
    for (int d = 0; d < n->rank && is; d++)
        is = kf__axes_of(x, index[d]) || (kf__x_below(x, kf__x_const(x, -1), index[d]) &&
                                          kf__x_below(x, index[d], n->shape[d]));
    return is;
}

static uint16_t load(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    uint32_t before = b->accesses.n;
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_LOAD, i.dtype = n->dtype, i.node = ref;
    i.access = kf__body_access(b, ref, n->rank, index, n->shape, false, 0);
    if (i.access == UINT32_MAX) return kf__body_no_memory(b);
    b->operands += b->accesses.n - before;
    if (kf__body_is_full(b)) return kf__cut_capacity(b);
    uint32_t axes = kf__body_axes(b, n->rank, index);
    i.level = kf__body_level(b, kf__body_axes_inside(b, n->rank, index));
    if ((axes & b->domain.reduced) && i.level == KF__LEVEL_SCALAR) i.level = KF__LEVEL_ROW;
    uint16_t guard = b->guard;
    if (n->rank == 0 || guard == KF__NO_INSTR || is_always_there(b, n, index, axes))
        guard = KF__NO_INSTR;
    else if (is_of_its_axes(b, n, index, axes)) /* what a row has is asked for once */
        guard = guard_of(b, ref, guard, axes);
    if (b->failed) return KF__NO_INSTR;
    if (guard != KF__NO_INSTR) kf__body_add_arg(b, &i, guard);
    for (uint32_t k = 0; k < b->n_symbols; k++) {
        if (!(axes >> (KF__FIRST_SYMBOL + k) & 1)) continue;
        if (i.n_args == KF__COUNT(i.args))
            return kf__cut_at(b, b->gather, b->gather, KF__CUT_GATHER);
        kf__body_add_arg(b, &i, b->symbols[k]);
    }
    return kf__body_push(b, &i);
}

static uint16_t random_bits(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf__instr i;
    if (kf__body_has_symbol(b, n->rank, index)) return KF__NO_INSTR;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_RANDOM, i.dtype = n->dtype, i.node = ref;
    i.level = kf__body_level(b, kf__body_axes(b, n->rank, index));
    uint16_t guard = b->guard;
    b->guard = KF__NO_INSTR; /* seed and stream are there, wherever the words are wanted */
    for (int k = 0; k < 2 && !b->failed; k++) {
        uint16_t arg = demand(b, n->args[k], NULL);
        if (!b->failed) kf__body_add_arg(b, &i, arg);
    }
    b->guard = guard;
    if (b->failed) return KF__NO_INSTR;
    uint32_t before = b->accesses.n;
    i.access = kf__body_access(b, KF__NO_VALUE, n->rank, index, n->shape, false, ref);
    if (i.access == UINT32_MAX) return kf__body_no_memory(b);
    b->operands += b->accesses.n - before;
    if (kf__body_is_full(b)) return kf__cut_capacity(b);
    return kf__body_push(b, &i);
}

/* What is stored with its own index, or as a view of itself. */
static kf__ref under_views(const kf_graph *g, kf__ref ref) {
    const kf__node *n = kf__at(g, ref);
    while (n->kind == KF__EXPAND || n->kind == KF__PERMUTE || n->kind == KF__RESHAPE ||
           n->kind == KF__SLICE)
        ref = n->args[0], n = kf__at(g, ref);
    return ref;
}

/* Is it a half that is stored: a result, or one that this kernel leaves for others? */
static bool is_stored_rounded(const kf__body *b, kf__ref ref) {
    const kf_graph *g = b->f->g;
    if (!kf__is_narrow((kf__dtype)kf__at(g, ref)->dtype)) return false;
    ref = under_views(g, ref);
    if (kf__at(g, ref)->kind == KF__CAST) return false; /* it rounds */
    if (b->f->results[ref] & KF__UNDER_RESULT) return true;
    for (uint32_t i = 0; i < b->roots->n; i++)
        if (b->roots->at[i].store && under_views(g, b->roots->at[i].node) == ref) return true;
    return false;
}

/* What an operation is given. A half that is stored is rounded for who uses it where it is made
 * too, or made again: in t - max(t), whose maximum another kernel takes of what it reads, both mean
 * the same t. */
static uint16_t argument(kf__body *b, kf__ref ref, const kf__expr *index) {
    uint16_t value = demand(b, ref, index);
    if (b->failed || b->instrs.at[value].kind == KF__I_LOAD || !is_stored_rounded(b, ref))
        return value;
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_CAST, i.dtype = kf__at(b->f->g, ref)->dtype, i.node = ref;
    kf__body_add_arg(b, &i, value);
    return kf__body_push(b, &i);
}

static uint16_t operation(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = n->kind == KF__CAST ? KF__I_CAST : KF__I_OP;
    i.op = n->kind == KF__CAST ? 0 : n->op;
    i.dtype = n->dtype, i.node = ref;
    for (int k = 0; k < n->n_args; k++) {
        uint16_t arg = argument(b, n->args[k], index);
        if (b->failed) return KF__NO_INSTR;
        kf__body_add_arg(b, &i, arg);
    }
    return kf__body_push(b, &i);
}

static uint16_t iota(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf__exprs *x = &b->f->g->exprs;
    kf__expr by = kf__x_mul(x, kf__x_const(x, n->u.slice.step[0]), index[0]);
    kf__expr at = kf__x_add(x, n->u.slice.start[0], by);
    return at ? kf__body_place(b, ref, at, n->shape, false) : kf__body_no_memory(b);
}

/* ---------------------------------------------------------------- reductions */

/* Is it field 0 of the other one, and nothing else: max of argmax? */
static bool is_first_field(uint8_t red, uint8_t of) {
    const kf__field_row *x = &kf__reds[red].field[0], *y = &kf__reds[of].field[0];
    return kf__reds[red].n_fields == 1 && x->fold == y->fold && x->index == y->index &&
           !strcmp(x->term, y->term) && !strcmp(x->close, y->close);
}

/* The state of a reduction, or of one that has its field, too. */
static uint16_t state_of(kf__body *b, const kf__instr *i) {
    for (uint32_t k = 0; k < b->instrs.n; k++) {
        kf__instr *other = &b->instrs.at[k];
        if (other->kind != KF__I_REDUCE || other->args[0] != i->args[0]) continue;
        if (other->op == i->op || is_first_field(i->op, other->op)) return (uint16_t)k;
        if (!is_first_field(other->op, i->op)) continue;
        b->states += (uint32_t)(kf__reds[i->op].n_fields - kf__reds[other->op].n_fields);
        other->op = i->op;
        return (uint16_t)k;
    }
    b->states += (uint32_t)kf__reds[i->op].n_fields;
    return kf__body_push(b, i);
}

static uint16_t reduction(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf_graph *g = b->f->g;
    kf__expr own[KF__MAX_RANK];
    if (!kf__domain_reduces(g, &b->domain, n, index, own)) return kf__cut_reduction(b, ref);
    kf__instr i;
    memset(&i, 0, sizeof(i));
    uint16_t guard = b->guard; /* every element of the row counts, wherever the result is needed */
    b->guard = KF__NO_INSTR;
    i.args[0] = argument(b, n->args[0], own);
    b->guard = guard;
    if (b->failed) return KF__NO_INSTR;
    uint8_t stage = b->instrs.at[i.args[0]].stage;
    if (stage > 0 && b->kind != KF__ROW) /* one pass over what a column is made of */
        return kf__cut_row(b, i.args[0], ref);
    i.kind = KF__I_REDUCE, i.op = n->op, i.n_args = 1, i.node = ref;
    i.dtype = kf__at(g, n->args[0])->dtype; /* the same for all of its fields */
    i.level = KF__LEVEL_ROW, i.stage = (uint8_t)(stage + 1);
    uint16_t state = state_of(b, &i);
    if (b->failed) return KF__NO_INSTR;
    if (i.stage >= KF__MAX_STAGES || b->states > KF__MAX_STATES) return kf__cut_capacity(b);
    i.kind = KF__I_PROJECT, i.field = n->field, i.dtype = n->dtype, i.args[0] = state;
    return kf__body_push(b, &i);
}

static uint16_t scan(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    if (!kf__domain_scans(b->f->g, &b->domain, n, index)) return kf__cut_scan(b, ref);
    kf__instr i;
    memset(&i, 0, sizeof(i));
    uint16_t guard = b->guard; /* as of a reduction */
    b->guard = KF__NO_INSTR;
    uint16_t arg = argument(b, n->args[0], index);
    b->guard = guard;
    if (b->failed) return KF__NO_INSTR;
    i.kind = KF__I_SCAN, i.op = n->op, i.dtype = n->dtype, i.node = ref, i.integer = n->axes;
    kf__body_add_arg(b, &i, arg);
    i.level = KF__LEVEL_FULL;
    i.stage++;
    if (i.stage >= KF__MAX_STAGES || ++b->states > KF__MAX_STATES) return kf__cut_capacity(b);
    return kf__body_push(b, &i);
}

/* ---------------------------------------------------------------- demand */

/* The index of `of`, a renumbering view of `from` or of a chain of them, from that of `from`. */
static bool outer_index(kf__body *b, kf__ref from, kf__ref of, const kf__expr *inner,
                        kf__expr *index) {
    kf_graph *g = b->f->g;
    kf__ref chain[KF__MAX_DEPTH];
    kf__expr outer[KF__MAX_RANK];
    uint32_t n = 0;
    for (kf__ref at = of; at != from; at = kf__at(g, at)->args[0]) {
        if (n == KF__MAX_DEPTH) return false;
        chain[n++] = at;
    }
    memcpy(index, inner, sizeof(*index) * kf__at(g, from)->rank);
    while (n-- > 0) {
        const kf__node *view = kf__at(g, chain[n]);
        if (!kf__view_inverse(g, view, index, outer)) return false;
        memcpy(index, outer, sizeof(*index) * view->rank);
    }
    return true;
}

static uint16_t load_twin(kf__body *b, kf__ref ref, kf__ref twin, const kf__expr *index) {
    kf__expr outer[KF__MAX_RANK];
    if (!outer_index(b, ref, twin, index, outer)) return kf__body_no_memory(b);
    return load(b, twin, kf__at(b->f->g, twin), outer);
}

/* Reshapes of what is turned, one after the other, divide indices again and again. */
static bool is_long(const kf__body *b, int rank, const kf__expr *index) {
    for (int d = 0; d < rank; d++)
        if (b->f->g->exprs.nodes.at[index[d]].leaves > KF__MAX_LEAVES) return true;
    return false;
}

static uint16_t demand_new(kf__body *b, kf__ref ref, const kf__expr *index) {
    kf_graph *g = b->f->g;
    const kf__node *n = kf__at(g, ref);
    kf__instr i;
    if (n->kind == KF__INPUT || (b->f->stored[ref] && !kf__body_owns(b, ref)))
        return load(b, ref, n, index);
    kf__ref twin = b->f->twin[ref];
    if (twin && b->f->stored[twin] && !kf__body_owns(b, twin))
        return load_twin(b, ref, twin, index);
    switch (n->kind) {
    case KF__CONSTANT:
    case KF__SIZE:
    case KF__SCALAR:
        memset(&i, 0, sizeof(i));
        i.kind = n->kind == KF__SCALAR ? KF__I_SCALAR
                 : n->kind == KF__SIZE ? KF__I_SIZE
                                       : KF__I_CONSTANT;
        i.dtype = n->dtype, i.node = ref;
        if (n->kind != KF__CONSTANT) i.index = n->index;
        else if (kf__is_float(n->dtype)) i.number = n->u.number;
        else i.integer = n->u.integer;
        return kf__body_push(b, &i);
    case KF__OP:
    case KF__CAST: return operation(b, ref, n, index);
    case KF__REDUCE: return reduction(b, ref, n, index);
    case KF__SCAN: return scan(b, ref, n, index);
    case KF__RANDOM: return random_bits(b, ref, n, index);
    case KF__IOTA: return iota(b, ref, n, index);
    case KF__PAD: return kf__demand_pad(b, ref, index);
    case KF__CONCAT: return kf__demand_concat(b, ref, index);
    case KF__GATHER: return kf__demand_gather(b, ref, index);
    default: break;
    }
    kf__expr arg[KF__MAX_RANK];
    if (!kf__view_index(g, n, index, arg)) return kf__body_no_memory(b);
    if (is_long(b, kf__at(g, n->args[0])->rank, arg) && kf__cut_view(b, ref)) return KF__NO_INSTR;
    return demand(b, n->args[0], arg);
}

/* The instruction that gives a node's element at `index`. KF__NO_INSTR: b->failed. */
static uint16_t demand(kf__body *b, kf__ref ref, const kf__expr *index) {
    int rank = kf__at(b->f->g, ref)->rank;
    size_t bytes = sizeof(*index) * (size_t)rank;
    uint64_t hash = kf__hash(index ? (const void *)index : "", index ? bytes : 0, ref);
    uint32_t *bucket = &b->memo_table[hash % KF__BUCKETS];
    for (uint32_t at = *bucket; at; at = b->memos.at[at - 1].next) {
        const kf__memo *m = &b->memos.at[at - 1];
        if (m->node == ref && (m->guard == b->guard || m->guard == KF__NO_INSTR) &&
            (!rank || !memcmp(m->index, index, bytes)))
            return m->instr;
    }
    bool leaf = kf__at(b->f->g, ref)->n_args == 0 ||
                (kf__in_memory(b->f, ref) && !kf__body_owns(b, ref));
    if (b->depth >= KF__MAX_DEPTH && !leaf) return kf__cut_depth(b, ref);
    b->path[b->depth++] = ref;
    uint32_t before = b->instrs.n;
    uint16_t instr = demand_new(b, ref, index);
    b->depth--;
    if (b->failed) return KF__NO_INSTR;
    kf__memo m = {.node = ref, .guard = b->guard, .instr = instr,
                  .span = (uint16_t)(b->instrs.n - before)};
    m.index = rank ? kf__arena_copy(&b->arena, index, bytes) : NULL;
    m.next = *bucket;
    if ((rank && !m.index) || !KF__PUSH(b->f->mem, &b->memos, m)) return kf__body_no_memory(b);
    *bucket = b->memos.n;
    return instr;
}

uint16_t kf__body_demand(kf__body *b, kf__ref ref, const kf__expr *index) {
    return argument(b, ref, index);
}

/* ---------------------------------------------------------------- building */

static void store_root(kf__body *b, const kf__root *root) {
    kf_graph *g = b->f->g;
    kf__ref anchor = kf__anchor(b->f, root->node);
    const kf__node *n = kf__at(g, anchor);
    kf__expr index[KF__MAX_RANK], outer[KF__MAX_RANK];
    if (!kf__domain_index(g, &b->domain, true, n->rank, n->shape, index) &&
        !kf__domain_index(g, &b->domain, false, n->rank, n->shape, index)) {
        b->failed = true;
        return;
    }
    uint16_t instr = demand(b, anchor, index);
    if (b->failed) return;
    if (!outer_index(b, anchor, root->node, index, outer)) {
        kf__body_no_memory(b);
        return;
    }
    n = kf__at(g, root->node);
    memcpy(index, outer, sizeof(*index) * n->rank);
    const kf__instr *i = &b->instrs.at[instr];
    uint32_t axes = kf__body_axes(b, n->rank, index);
    bool rows = b->kind == KF__ROW || b->domain.scans;
    if (i->stage > 0 && !rows && (axes & b->domain.reduced)) {
        kf__cut_row(b, instr, root->node);
        return;
    }
    uint32_t value = root->result >= 0 ? KF__RESULT_BIT | (uint32_t)root->result : root->node;
    if (root->whole) {
        n = kf__at(g, root->whole);
        index[n->index] = kf__x_add(&g->exprs, index[n->index], root->at);
        if (!index[n->index]) {
            kf__body_no_memory(b);
            return;
        }
    }
    kf__store s = {.access = kf__body_access(b, value, n->rank, index, n->shape, false, 0),
                   .instr = instr};
    if (s.access == UINT32_MAX || !KF__PUSH(b->f->mem, &b->stores, s)) kf__body_no_memory(b);
}

kf__body *kf__body_build(kf__fuse_state *f, const kf__roots *roots, const kf__domain *domain) {
    kf__body *b = kf__allocate(f->mem, sizeof(*b));
    if (!b) return NULL;
    memset(b, 0, sizeof(*b));
    kf__arena_init(&b->arena, f->mem);
    b->f = f, b->roots = roots, b->domain = *domain, b->kind = kf__domain_kind(domain);
    b->guard = KF__NO_INSTR;
    b->memo_table = KF__NEW(&b->arena, uint32_t, KF__BUCKETS);
    b->instr_table = KF__NEW(&b->arena, uint32_t, KF__BUCKETS);
    b->instr_next = KF__NEW(&b->arena, uint32_t, KF__MAX_INSTRS + 1);
    if (!b->memo_table || !b->instr_table || !b->instr_next) {
        kf__body_free(b);
        return NULL;
    }
    for (uint32_t i = 0; i < roots->n; i++) b->n_stores += roots->at[i].store;
    b->operands = b->n_stores;
    if (kf__body_is_full(b)) b->failed = true;
    for (uint32_t i = 0; i < roots->n && !b->failed; i++)
        if (roots->at[i].store) store_root(b, &roots->at[i]);
    if (!b->failed && b->kind == KF__POINTWISE) {
        bool copy = true;
        for (uint32_t i = 0; i < b->instrs.n; i++) copy &= b->instrs.at[i].kind == KF__I_LOAD;
        if (copy) b->kind = KF__COPY;
        if (b->n_symbols) b->kind = KF__GATHERING;
    }
    b->cost = b->failed ? 0 : kf__body_cost(b, &b->bytes, &b->again);
    return b;
}

void kf__body_free(kf__body *b) {
    if (!b) return;
    const kf_allocator *mem = b->f->mem;
    KF__VEC_FREE(mem, &b->instrs);
    KF__VEC_FREE(mem, &b->accesses);
    KF__VEC_FREE(mem, &b->stores);
    KF__VEC_FREE(mem, &b->memos);
    kf__arena_free(&b->arena);
    kf__release(mem, b);
}
