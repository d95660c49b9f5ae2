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

/* ---------------------------------------------------------------- failing */

static bool is_owned(const kf__body *b, kf__ref node) {
    for (uint32_t i = 0; i < b->roots->n; i++)
        if (b->roots->at[i].node == node) return true;
    return false;
}

static uint16_t out_of_memory(kf__body *b) {
    b->failed = b->no_memory = true;
    return KF__NO_INSTR;
}

static uint16_t cut_at(kf__body *b, kf__ref node, kf__ref user, kf__cut_code code) {
    if (!b->failed) {
        b->failed = true;
        b->cut = kf__peel(b->f->g, node);
        b->user = user;
        b->code = code;
    }
    return KF__NO_INSTR;
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
static uint16_t cut_reduction(kf__body *b, kf__ref reduce) {
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
    return cut_at(b, cut, user ? user : b->path[0], KF__CUT_REDUCTION_AXIS);
}

/* The row's value in `instr` is needed by all of the domain. It may have been computed at the
 * domain's shape, from expanded arguments: store what is no larger than a row. */
static uint16_t cut_row(kf__body *b, uint16_t instr, kf__ref user) {
    kf_graph *g = b->f->g;
    for (;;) {
        const kf__instr *i = &b->instrs.at[instr];
        const kf__node *n = kf__at(g, i->node);
        kf__expr index[KF__MAX_RANK];
        bool whole = kf__domain_index(g, &b->domain, true, n->rank, n->shape, index);
        if (!whole || (i->kind != KF__I_OP && i->kind != KF__I_CAST))
            return cut_at(b, i->node, user, KF__CUT_REDUCTION_AXIS);
        uint32_t k = 0;
        while (k + 1u < i->n_args && b->instrs.at[i->args[k]].stage == 0) k++;
        user = i->node;
        instr = i->args[k];
    }
}

/* Too deep: store what is demanded, or the nearest above it that is neither a number nor in memory
 * already. */
static uint16_t cut_depth(kf__body *b, kf__ref ref) {
    const kf_graph *g = b->f->g;
    for (uint32_t i = b->depth; i > 0; i--) {
        kf__ref cut = kf__peel(g, ref);
        if (kf__at(g, cut)->kind != KF__INPUT && !b->f->scalars[cut] &&
            !kf__in_memory(b->f, cut))
            return cut_at(b, cut, b->path[i - 1], KF__CUT_CAPACITY);
        ref = b->path[i - 1];
    }
    b->failed = true;
    return KF__NO_INSTR;
}

/* Too large: store the value whose computing took most so far. */
static uint16_t cut_capacity(kf__body *b) {
    kf__ref best = 0;
    uint16_t span = 0;
    for (uint32_t i = b->depth; i-- > 1;) /* of a long chain the rest */
        if (kf__at(b->f->g, b->path[i])->kind == KF__CONCAT && !is_owned(b, b->path[i]))
            return cut_at(b, b->path[i], b->path[i - 1], KF__CUT_CAPACITY);
    for (uint32_t i = 0; i < b->memos.n; i++) {
        const kf__memo *m = &b->memos.at[i];
        kf__kind kind = kf__at(b->f->g, m->node)->kind;
        if (kind != KF__OP && kind != KF__REDUCE && kind != KF__CAST) continue;
        if (m->span <= span || b->f->scalars[m->node] || is_owned(b, m->node)) continue;
        best = m->node;
        span = m->span;
    }
    kf__ref user = b->path[b->depth ? b->depth - 1 : 0];
    if (best) return cut_at(b, best, user, KF__CUT_CAPACITY);
    b->failed = true; /* cut stays 0: the driver reports a limit */
    return KF__NO_INSTR;
}

/* ---------------------------------------------------------------- instructions */

static uint64_t hash_instr(const kf__instr *i) {
    kf__instr key = *i;
    key.node = 0;
    return kf__hash(&key, sizeof(key), 1);
}

static bool same_instr(const kf__instr *a, const kf__instr *b) {
    kf__instr x = *a, y = *b;
    x.node = y.node = 0;
    return memcmp(&x, &y, sizeof(x)) == 0;
}

enum { BUCKETS = 1024 };

/* `i` was zeroed as a whole before its fields were set, so that its bytes can be compared. */
static uint16_t emit(kf__body *b, const kf__instr *i) {
    uint32_t *bucket = &b->instr_table[hash_instr(i) % BUCKETS];
    for (uint32_t at = *bucket; at; at = b->instr_next[at])
        if (same_instr(&b->instrs.at[at - 1], i)) return (uint16_t)(at - 1);
    if (i->level == KF__LEVEL_FULL && i->stage > 0 && b->kind != KF__ROW) {
        for (uint32_t k = 0; k < i->n_args; k++) { /* a row's value: its node is below views */
            if (b->instrs.at[i->args[k]].stage > 0)
                return cut_row(b, i->args[k], b->path[b->depth - 1]);
        }
    }
    if (b->instrs.n >= KF__MAX_INSTRS) return cut_capacity(b);
    if (!KF__PUSH(b->f->mem, &b->instrs, *i)) return out_of_memory(b);
    b->instr_next[b->instrs.n] = *bucket;
    *bucket = b->instrs.n;
    return (uint16_t)(b->instrs.n - 1);
}

static uint8_t level_of(const kf__body *b, uint32_t axes) {
    axes &= (1u << KF__FIRST_SYMBOL) - 1; /* a symbol's level is its instruction's */
    if (axes & b->domain.reduced) return KF__LEVEL_FULL;
    if (!axes) return KF__LEVEL_SCALAR;
    return b->domain.reduced ? KF__LEVEL_ROW : KF__LEVEL_FULL;
}

static uint32_t axes_of_index(const kf__body *b, int rank, const kf__expr *index) {
    uint32_t axes = 0;
    for (int i = 0; i < rank; i++) axes |= kf__axes_of(&b->f->g->exprs, index[i]);
    return axes;
}

/* The access of `value` at index; the same one again where there is one. `random`: the node whose
 * bits it is of, as nests keep words by access. UINT32_MAX: no memory. `shape` stays the graph's. */
static uint32_t access_of(kf__body *b, uint32_t value, int rank, const kf__expr *index,
                          kf__expr *shape, bool inside, kf__ref random) {
    for (uint32_t i = 0; i < b->accesses.n; i++) {
        const kf__access *a = &b->accesses.at[i];
        if (a->value == value && a->rank == rank && a->inside == inside &&
            a->random == random && !memcmp(a->shape, shape, sizeof(*shape) * (size_t)rank) &&
            !memcmp(a->index, index, sizeof(*index) * (size_t)rank))
            return i;
    }
    kf__access a = {.value = value, .rank = rank, .shape = shape, .affine = true,
                    .inside = inside, .random = random};
    a.index = kf__arena_copy(&b->arena, index, sizeof(*index) * (size_t)rank);
    if (!a.index && rank) return UINT32_MAX;
    kf__expr coefficient[KF__ALL_AXES], offset;
    for (int i = 0; i < rank && a.affine; i++)
        a.affine = kf__x_affine(&b->f->g->exprs, index[i], KF__ALL_AXES, coefficient, &offset);
    return KF__PUSH(b->f->mem, &b->accesses, a) ? b->accesses.n - 1 : UINT32_MAX;
}

static void add_arg(kf__body *b, kf__instr *i, uint16_t arg) {
    const kf__instr *a = &b->instrs.at[arg];
    i->args[i->n_args++] = arg;
    if (a->level > i->level) i->level = a->level;
    if (a->stage > i->stage) i->stage = a->stage;
}

/* Indices of random bits, of ranges and of what is joined have no symbols: the array that is
 * gathered from is stored. */
static bool has_symbol(kf__body *b, int rank, const kf__expr *index) {
    if (axes_of_index(b, rank, index) < 1u << KF__FIRST_SYMBOL) return false;
    cut_at(b, b->gathered, b->gather, KF__CUT_GATHER);
    return true;
}

static uint16_t load(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    uint32_t before = b->accesses.n;
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_LOAD, i.dtype = n->dtype, i.node = ref;
    i.access = access_of(b, ref, n->rank, index, n->shape, false, 0);
    if (i.access == UINT32_MAX) return out_of_memory(b);
    if (b->accesses.n > before && ++b->operands > KF__MAX_OPERANDS) return cut_capacity(b);
    uint32_t axes = axes_of_index(b, n->rank, index);
    i.level = level_of(b, axes);
    if (b->guard != KF__NO_INSTR && n->rank > 0) add_arg(b, &i, b->guard);
    for (uint32_t k = 0; k < b->n_symbols; k++) {
        if (!(axes >> (KF__FIRST_SYMBOL + k) & 1)) continue;
        if (i.n_args == KF__COUNT(i.args)) return cut_at(b, b->gather, b->gather, KF__CUT_GATHER);
        add_arg(b, &i, b->symbols[k]);
    }
    return emit(b, &i);
}

static uint16_t random_bits(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf__instr i;
    if (has_symbol(b, n->rank, index)) return KF__NO_INSTR;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_RANDOM, i.dtype = n->dtype, i.node = ref;
    i.level = level_of(b, axes_of_index(b, n->rank, index));
    for (int k = 0; k < 2; k++) {
        uint16_t arg = demand(b, n->args[k], NULL);
        if (b->failed) return KF__NO_INSTR;
        add_arg(b, &i, arg);
    }
    uint32_t before = b->accesses.n;
    i.access = access_of(b, KF__NO_VALUE, n->rank, index, n->shape, false, ref);
    if (i.access == UINT32_MAX) return out_of_memory(b);
    if (b->accesses.n > before && ++b->operands > KF__MAX_OPERANDS) return cut_capacity(b);
    return emit(b, &i);
}

static uint16_t operation(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = n->kind == KF__CAST ? KF__I_CAST : KF__I_OP;
    i.op = n->kind == KF__CAST ? 0 : n->op;
    i.dtype = n->dtype, i.node = ref;
    for (int k = 0; k < n->n_args; k++) {
        uint16_t arg = demand(b, n->args[k], index);
        if (b->failed) return KF__NO_INSTR;
        add_arg(b, &i, arg);
    }
    return emit(b, &i);
}

uint16_t kf__body_place(kf__body *b, kf__ref ref, kf__expr index, kf__expr *shape,
                        bool inside) {
    kf__exprs *x = &b->f->g->exprs;
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.node = ref, i.dtype = inside ? KF__BOOL : KF__I64;
    uint32_t axes = kf__axes_of(x, index);
    if (has_symbol(b, 1, &index)) return KF__NO_INSTR;
    if (!inside && !axes) {
        bool known = kf__x_is_const(x, index, &i.integer);
        i.kind = known ? KF__I_CONSTANT : KF__I_SIZE;
        if (!known) i.index = index;
        return emit(b, &i);
    }
    i.kind = inside ? KF__I_INSIDE : KF__I_INDEX;
    i.level = level_of(b, axes);
    i.access = access_of(b, KF__NO_VALUE, 1, &index, shape, inside, 0);
    if (i.access == UINT32_MAX) return out_of_memory(b);
    if (b->accesses.n > KF__MAX_ACCESSES) return cut_capacity(b);
    return emit(b, &i);
}

uint16_t kf__body_emit(kf__body *b, kf__ref ref, kf__instr_kind kind, int op, kf__dtype dtype, int n,
                       const uint16_t *args) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = (uint8_t)kind, i.op = (uint8_t)op, i.dtype = (uint8_t)dtype, i.node = ref;
    for (int k = 0; k < n; k++) add_arg(b, &i, args[k]);
    return emit(b, &i);
}

/* Which axes does an instruction's value depend on? */
static uint32_t axes_of_instr(kf__body *b, uint16_t instr) {
    uint8_t needed[KF__MAX_INSTRS] = {0};
    uint32_t axes = 0;
    needed[instr] = 1;
    for (uint32_t k = instr + 1u; k-- > 0;) {
        const kf__instr *i = &b->instrs.at[k];
        if (!needed[k]) continue;
        for (int a = 0; a < i->n_args; a++) needed[i->args[a]] = 1;
        if (i->kind == KF__I_PROJECT) axes |= ((1u << b->domain.n) - 1) & ~b->domain.reduced;
        if (i->kind != KF__I_LOAD && i->kind != KF__I_RANDOM && i->kind != KF__I_INDEX &&
            i->kind != KF__I_INSIDE)
            continue;
        const kf__access *a = &b->accesses.at[i->access];
        axes |= axes_of_index(b, a->rank, a->index);
    }
    for (uint32_t k = 0; k < b->n_symbols; k++)
        if (axes >> (KF__FIRST_SYMBOL + k) & 1) axes |= b->symbol_axes[k];
    return axes & ((1u << KF__FIRST_SYMBOL) - 1);
}

kf__expr kf__body_symbol(kf__body *b, uint16_t instr, kf__expr extent) {
    uint32_t k = 0;
    while (k < b->n_symbols && b->symbols[k] != instr) k++;
    if (k == KF__MAX_SYMBOLS) {
        cut_capacity(b);
        return 0;
    }
    if (k == b->n_symbols) {
        b->symbols[k] = instr;
        b->symbol_axes[k] = axes_of_instr(b, instr);
        b->n_symbols++;
    }
    kf__expr symbol = kf__x_axis(&b->f->g->exprs, KF__FIRST_SYMBOL + k, extent);
    if (!symbol) out_of_memory(b);
    return symbol;
}

uint16_t kf__body_both(kf__body *b, kf__ref ref, uint16_t x, uint16_t y) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_OP, i.op = KF__BITWISE_AND, i.dtype = KF__BOOL, i.node = ref;
    add_arg(b, &i, x);
    add_arg(b, &i, y);
    return emit(b, &i);
}

uint16_t kf__body_pick(kf__body *b, kf__ref ref, kf__pick how, uint16_t inside, uint16_t x,
                       uint16_t y) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_PICK, i.field = (uint8_t)how, i.dtype = kf__at(b->f->g, ref)->dtype;
    i.node = ref;
    add_arg(b, &i, inside);
    add_arg(b, &i, x);
    add_arg(b, &i, y);
    return emit(b, &i);
}

/* start + step * index */
static uint16_t iota(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf__exprs *x = &b->f->g->exprs;
    kf__expr by = kf__x_mul(x, kf__x_const(x, n->u.slice.step[0]), index[0]);
    kf__expr at = kf__x_add(x, n->u.slice.start[0], by);
    return at ? kf__body_place(b, ref, at, n->shape, false) : out_of_memory(b);
}

/* ---------------------------------------------------------------- reductions */

static uint16_t reduction(kf__body *b, kf__ref ref, const kf__node *n, const kf__expr *index) {
    kf_graph *g = b->f->g;
    kf__expr own[KF__MAX_RANK];
    if (!kf__domain_reduces(g, &b->domain, n, index, own)) return cut_reduction(b, ref);
    kf__instr i;
    memset(&i, 0, sizeof(i));
    uint16_t guard = b->guard; /* every element of the row counts, wherever the result is needed */
    b->guard = KF__NO_INSTR;
    i.args[0] = demand(b, n->args[0], own);
    b->guard = guard;
    if (b->failed) return KF__NO_INSTR;
    uint8_t stage = b->instrs.at[i.args[0]].stage;
    if (stage > 0 && b->kind != KF__ROW) /* one pass over what a column is made of */
        return cut_row(b, i.args[0], ref);
    i.kind = KF__I_REDUCE, i.op = n->op, i.n_args = 1, i.node = ref;
    i.dtype = kf__at(g, n->args[0])->dtype; /* the same for all of its fields */
    i.level = KF__LEVEL_ROW, i.stage = (uint8_t)(stage + 1);
    uint32_t before = b->instrs.n;
    uint16_t state = emit(b, &i);
    if (b->failed) return KF__NO_INSTR;
    if (b->instrs.n > before) b->states += (uint32_t)kf__reds[n->op].n_fields;
    if (i.stage >= KF__MAX_STAGES || b->states > KF__MAX_STATES) return cut_capacity(b);
    i.kind = KF__I_PROJECT, i.field = n->field, i.dtype = n->dtype, i.args[0] = state;
    return emit(b, &i);
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
    if (!outer_index(b, ref, twin, index, outer)) return out_of_memory(b);
    return load(b, twin, kf__at(b->f->g, twin), outer);
}

static uint16_t demand_new(kf__body *b, kf__ref ref, const kf__expr *index) {
    kf_graph *g = b->f->g;
    const kf__node *n = kf__at(g, ref);
    kf__instr i;
    if (n->kind == KF__INPUT || (b->f->stored[ref] && !is_owned(b, ref)))
        return load(b, ref, n, index);
    kf__ref twin = b->f->twin[ref];
    if (twin && b->f->stored[twin] && !is_owned(b, twin)) return load_twin(b, ref, twin, index);
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
        return emit(b, &i);
    case KF__OP:
    case KF__CAST: return operation(b, ref, n, index);
    case KF__REDUCE: return reduction(b, ref, n, index);
    case KF__RANDOM: return random_bits(b, ref, n, index);
    case KF__IOTA: return iota(b, ref, n, index);
    case KF__PAD: return kf__demand_pad(b, ref, index);
    case KF__CONCAT: return kf__demand_concat(b, ref, index);
    case KF__GATHER: return kf__demand_gather(b, ref, index);
    default: break;
    }
    kf__expr arg[KF__MAX_RANK];
    if (!kf__view_index(g, n, index, arg)) return out_of_memory(b);
    return demand(b, n->args[0], arg);
}

/* The instruction that gives a node's element at `index`. KF__NO_INSTR: b->failed. */
static uint16_t demand(kf__body *b, kf__ref ref, const kf__expr *index) {
    int rank = kf__at(b->f->g, ref)->rank;
    size_t bytes = sizeof(*index) * (size_t)rank;
    uint64_t hash = kf__hash(index ? (const void *)index : "", index ? bytes : 0, ref);
    uint32_t *bucket = &b->memo_table[hash % BUCKETS];
    for (uint32_t at = *bucket; at; at = b->memos.at[at - 1].next) {
        const kf__memo *m = &b->memos.at[at - 1];
        if (m->node == ref && (m->guard == b->guard || m->guard == KF__NO_INSTR) &&
            (!rank || !memcmp(m->index, index, bytes)))
            return m->instr;
    }
    bool leaf = kf__at(b->f->g, ref)->n_args == 0 ||
                (kf__in_memory(b->f, ref) && !is_owned(b, ref));
    if (b->depth >= KF__MAX_DEPTH && !leaf) return cut_depth(b, ref);
    b->path[b->depth++] = ref;
    uint32_t before = b->instrs.n;
    uint16_t instr = demand_new(b, ref, index);
    b->depth--;
    if (b->failed) return KF__NO_INSTR;
    kf__memo m = {.node = ref, .guard = b->guard, .instr = instr,
                  .span = (uint16_t)(b->instrs.n - before)};
    m.index = rank ? kf__arena_copy(&b->arena, index, bytes) : NULL;
    m.next = *bucket;
    if ((rank && !m.index) || !KF__PUSH(b->f->mem, &b->memos, m)) return out_of_memory(b);
    *bucket = b->memos.n;
    return instr;
}

uint16_t kf__body_demand(kf__body *b, kf__ref ref, const kf__expr *index) {
    return demand(b, ref, index);
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
        out_of_memory(b);
        return;
    }
    n = kf__at(g, root->node);
    memcpy(index, outer, sizeof(*index) * n->rank);
    const kf__instr *i = &b->instrs.at[instr];
    uint32_t axes = axes_of_index(b, n->rank, index);
    if (i->stage > 0 && b->kind != KF__ROW && (axes & b->domain.reduced)) {
        cut_row(b, instr, root->node);
        return;
    }
    uint32_t value = root->result >= 0 ? KF__RESULT_BIT | (uint32_t)root->result : root->node;
    kf__store s = {.access = access_of(b, value, n->rank, index, n->shape, false, 0),
                   .instr = instr};
    if (s.access == UINT32_MAX || !KF__PUSH(b->f->mem, &b->stores, s)) out_of_memory(b);
}

kf__body *kf__body_build(kf__fuse_state *f, const kf__roots *roots, const kf__domain *domain) {
    kf__body *b = kf__allocate(f->mem, sizeof(*b));
    if (!b) return NULL;
    memset(b, 0, sizeof(*b));
    kf__arena_init(&b->arena, f->mem);
    b->f = f, b->roots = roots, b->domain = *domain, b->kind = kf__domain_kind(domain);
    b->guard = KF__NO_INSTR;
    b->memo_table = KF__NEW(&b->arena, uint32_t, BUCKETS);
    b->instr_table = KF__NEW(&b->arena, uint32_t, BUCKETS);
    b->instr_next = KF__NEW(&b->arena, uint32_t, KF__MAX_INSTRS + 1);
    if (!b->memo_table || !b->instr_table || !b->instr_next) {
        kf__body_free(b);
        return NULL;
    }
    for (uint32_t i = 0; i < roots->n; i++) b->operands += roots->at[i].store;
    if (b->operands > KF__MAX_OPERANDS) b->failed = true;
    for (uint32_t i = 0; i < roots->n && !b->failed; i++)
        if (roots->at[i].store) store_root(b, &roots->at[i]);
    if (!b->failed && b->kind == KF__POINTWISE) {
        bool copy = true;
        for (uint32_t i = 0; i < b->instrs.n; i++) copy &= b->instrs.at[i].kind == KF__I_LOAD;
        if (copy) b->kind = KF__COPY;
        if (b->n_symbols) b->kind = KF__GATHERING;
    }
    b->cost = b->failed ? 0 : kf__body_cost(b);
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
