/* Instructions of a body as it is built: each is made once, at its level and stage; accesses,
 * guards and symbols that they need. */
#include "fuse/internal.h"

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

uint16_t kf__body_push(kf__body *b, const kf__instr *i) {
    uint32_t *bucket = &b->instr_table[hash_instr(i) % KF__BUCKETS];
    for (uint32_t at = *bucket; at; at = b->instr_next[at])
        if (same_instr(&b->instrs.at[at - 1], i)) return (uint16_t)(at - 1);
    bool rows = b->kind == KF__ROW || b->domain.scans;
    if (i->level == KF__LEVEL_FULL && i->stage > 0 && !rows) {
        for (uint32_t k = 0; k < i->n_args; k++) { /* a row's value: its node is below views */
            if (b->instrs.at[i->args[k]].stage > 0)
                return kf__cut_row(b, i->args[k], b->path[b->depth - 1]);
        }
    }
    if (b->instrs.n >= KF__MAX_INSTRS) return kf__cut_capacity(b);
    if (!b->f->scalars[i->node]) b->text += kf__text_of(i); /* numbers can't be stored */
    if (b->text > KF__MAX_TEXT) return kf__cut_capacity(b);
    if (i->kind == KF__I_PICK && ++b->picks > KF__MAX_PICKS) return kf__cut_capacity(b);
    if (!KF__PUSH(b->f->mem, &b->instrs, *i)) return kf__body_no_memory(b);
    b->instr_next[b->instrs.n] = *bucket;
    *bucket = b->instrs.n;
    return (uint16_t)(b->instrs.n - 1);
}

uint8_t kf__body_level(const kf__body *b, uint32_t axes) {
    axes &= (1u << KF__FIRST_SYMBOL) - 1; /* a symbol's level is its instruction's */
    if (axes & b->domain.reduced) return KF__LEVEL_FULL;
    if (!axes) return KF__LEVEL_SCALAR;
    return b->domain.reduced ? KF__LEVEL_ROW : KF__LEVEL_FULL;
}

uint32_t kf__body_axes(const kf__body *b, int rank, const kf__expr *index) {
    uint32_t axes = 0;
    for (int i = 0; i < rank; i++) axes |= kf__axes_of(&b->f->g->exprs, index[i]);
    return axes;
}

static uint32_t axes_inside(const kf__body *b, kf__expr e) {
    const kf__exprs *x = &b->f->g->exprs;
    const kf__expr_node *n = &x->nodes.at[e];
    if (n->kind == KF__X_AXIS) return kf__axes_of(x, e);
    if (n->kind <= KF__X_NAME) return 0;
    bool of_chunks = n->kind == KF__X_DIV && x->nodes.at[n->a].kind == KF__X_AXIS &&
                     (kf__axes_of(x, n->a) & b->domain.reduced) &&
                     kf__x_is(x, n->b, b->domain.chunk);
    return of_chunks ? 0 : axes_inside(b, n->a) | axes_inside(b, n->b);
}

uint32_t kf__body_axes_inside(const kf__body *b, int rank, const kf__expr *index) {
    if (!b->domain.scans || !b->domain.chunk) return kf__body_axes(b, rank, index);
    uint32_t axes = 0;
    for (int i = 0; i < rank; i++) axes |= axes_inside(b, index[i]);
    return axes;
}

static bool is_affine(kf__exprs *pool, kf__expr e) {
    kf__expr coefficient[KF__ALL_AXES], offset;
    return kf__x_affine(pool, e, KF__ALL_AXES, coefficient, &offset);
}

uint32_t kf__body_access(kf__body *b, uint32_t value, int rank, const kf__expr *index,
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
    kf__exprs *pool = &b->f->g->exprs;
    for (int i = 0; i < rank && a.affine; i++) a.affine = is_affine(pool, index[i]);
    a.flat = a.affine || is_affine(pool, kf__x_place(pool, (uint32_t)rank, index, shape));
    return KF__PUSH(b->f->mem, &b->accesses, a) ? b->accesses.n - 1 : UINT32_MAX;
}

bool kf__body_is_full(const kf__body *b) {
    uint32_t accesses = b->accesses.n + b->n_stores - b->stores.n;
    return b->operands > KF__MAX_OPERANDS || accesses > KF__MAX_ACCESSES;
}

void kf__body_add_arg(kf__body *b, kf__instr *i, uint16_t arg) {
    const kf__instr *a = &b->instrs.at[arg];
    i->args[i->n_args++] = arg;
    if (a->level > i->level) i->level = a->level;
    if (a->stage > i->stage) i->stage = a->stage;
}

/* The array that is gathered from is stored. */
bool kf__body_has_symbol(kf__body *b, int rank, const kf__expr *index) {
    if (kf__body_axes(b, rank, index) < 1u << KF__FIRST_SYMBOL) return false;
    kf__cut_at(b, b->gathered, b->gather, KF__CUT_GATHER);
    return true;
}

uint16_t kf__body_place(kf__body *b, kf__ref ref, kf__expr index, kf__expr *shape,
                        bool inside) {
    kf__exprs *x = &b->f->g->exprs;
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.node = ref, i.dtype = inside ? KF__BOOL : KF__I64;
    uint32_t axes = kf__axes_of(x, index);
    if (kf__body_has_symbol(b, 1, &index)) return KF__NO_INSTR;
    if (!inside && !axes) {
        bool known = kf__x_is_const(x, index, &i.integer);
        i.kind = known ? KF__I_CONSTANT : KF__I_SIZE;
        if (!known) i.index = index;
        return kf__body_push(b, &i);
    }
    i.kind = inside ? KF__I_INSIDE : KF__I_INDEX;
    i.level = kf__body_level(b, axes);
    i.access = kf__body_access(b, KF__NO_VALUE, 1, &index, shape, inside, 0);
    if (i.access == UINT32_MAX) return kf__body_no_memory(b);
    if (kf__body_is_full(b)) return kf__cut_capacity(b);
    return kf__body_push(b, &i);
}

uint16_t kf__body_emit(kf__body *b, kf__ref ref, kf__instr_kind kind, int op, kf__dtype dtype,
                       int n, const uint16_t *args) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = (uint8_t)kind, i.op = (uint8_t)op, i.dtype = (uint8_t)dtype, i.node = ref;
    for (int k = 0; k < n; k++) kf__body_add_arg(b, &i, args[k]);
    return kf__body_push(b, &i);
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
        if (i->kind == KF__I_SCAN) axes |= b->domain.reduced; /* cumsum(ones) too */
        if (i->kind == KF__I_PROJECT) axes |= ((1u << b->domain.n) - 1) & ~b->domain.reduced;
        if (i->kind != KF__I_LOAD && i->kind != KF__I_RANDOM && i->kind != KF__I_INDEX &&
            i->kind != KF__I_INSIDE)
            continue;
        const kf__access *a = &b->accesses.at[i->access];
        axes |= kf__access_axes(&b->f->g->exprs, a);
    }
    axes |= kf__symbol_axes(b->n_symbols, b->symbol_axes, axes);
    return axes & ((1u << KF__FIRST_SYMBOL) - 1);
}

kf__expr kf__body_symbol(kf__body *b, uint16_t instr, kf__expr extent) {
    uint32_t k = 0;
    while (k < b->n_symbols && b->symbols[k] != instr) k++;
    if (k == KF__MAX_SYMBOLS) {
        kf__cut_capacity(b);
        return 0;
    }
    if (k == b->n_symbols) {
        b->symbols[k] = instr;
        b->symbol_axes[k] = axes_of_instr(b, instr);
        b->n_symbols++;
    }
    kf__expr symbol = kf__x_axis(&b->f->g->exprs, KF__FIRST_SYMBOL + k, extent);
    if (!symbol) kf__body_no_memory(b);
    return symbol;
}

static bool is_true(const kf__body *b, uint16_t instr) {
    const kf__instr *i = &b->instrs.at[instr];
    return i->kind == KF__I_CONSTANT && i->dtype == KF__BOOL && i->integer;
}

uint16_t kf__body_both(kf__body *b, kf__ref ref, uint16_t x, uint16_t y) {
    kf__instr i;
    if (is_true(b, x)) return y;
    if (is_true(b, y)) return x;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_OP, i.op = KF__BITWISE_AND, i.dtype = KF__BOOL, i.node = ref;
    kf__body_add_arg(b, &i, x);
    kf__body_add_arg(b, &i, y);
    return kf__body_push(b, &i);
}

uint16_t kf__body_pick(kf__body *b, kf__ref ref, kf__pick how, uint16_t inside, uint16_t x,
                       uint16_t y) {
    kf__instr i;
    memset(&i, 0, sizeof(i));
    i.kind = KF__I_PICK, i.field = (uint8_t)how, i.dtype = kf__at(b->f->g, ref)->dtype;
    i.node = ref;
    kf__body_add_arg(b, &i, inside);
    kf__body_add_arg(b, &i, x);
    kf__body_add_arg(b, &i, y);
    return kf__body_push(b, &i);
}

