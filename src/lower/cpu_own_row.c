/* Values of a row that are kept (cpu_kept.c) and needed at other places of the row, too:
 *
 *     roll(softmax(x), 3, axis=1)     exp(x[i] - max) is summed,
 *                                     exp(x[i - 3] - max) and exp(x[i + n - 3] - max) are stored
 *
 * To the kernel's body these are different instructions: the same operations over loads at another
 * index. They are replaced: each becomes a load of the row on the stack, with that index as its
 * map, so that guards, runs and gathers are what they are for any other load. */
#include "lower/cpu.h"

typedef struct match {
    kf__low *L;
    uint32_t axis;             /* the innermost one */
    kf__expr at[KF__ALL_AXES]; /* [axis]: the other place; 0: not known yet */
    const kf__instr *load;     /* one that reads there; with a guard, if any has one */
    bool whole;                /* is what is read there without a guard inside of the row? */
    bool inside;               /* of what has a guard: is the array's inside the row's? */
} match;

/* The dim along which an access runs as the innermost axis does; -1: none. */
static int dim_of_axis(const match *m, const kf__access *a) {
    kf__expr coefficient[KF__ALL_AXES], offset;
    for (int d = 0; d < a->rank; ++d) {
        memset(coefficient, 0, sizeof coefficient);
        if (kf__x_affine(&m->L->p->graph->exprs, a->index[d], KF__ALL_AXES, coefficient, &offset) &&
            coefficient[m->axis])
            return kf__x_is(&m->L->p->graph->exprs, coefficient[m->axis], 1) ? d : -1;
    }
    return -1;
}

/* The place at which `index` is `other`. */
static kf__expr place_of(const match *m, kf__expr index, kf__expr other) {
    kf__exprs *pool = &m->L->p->graph->exprs;
    kf__expr axis = kf__x_axis(pool, m->axis, m->L->k->size[m->axis]);
    return kf__x_add(pool, other, kf__x_sub(pool, axis, index));
}

static bool same_indices(const match *m, const kf__access *a, const kf__access *b) {
    kf__exprs *pool = &m->L->p->graph->exprs;
    for (int d = 0; d < a->rank; ++d)
        if (kf__x_substitute(pool, a->index[d], m->at, KF__ALL_AXES) != b->index[d]) return false;
    return true;
}

static bool is_inside(const match *m, const kf__access *a, int along) {
    kf__exprs *pool = &m->L->p->graph->exprs;
    kf__expr size = m->L->k->size[m->axis];
    return a->shape[along] == size || (kf__x_below(pool, m->at[m->axis], size) &&
                                       kf__x_below(pool, kf__x_const(pool, -1), m->at[m->axis]));
}

static bool same_load(match *m, const kf__instr *in, const kf__instr *other) {
    const kf__access *a = &m->L->k->accesses[in->access];
    const kf__access *b = &m->L->k->accesses[other->access];
    if (in->n_args || a->value != b->value || a->rank != b->rank) return false;
    int along = dim_of_axis(m, a);
    if (along < 0) /* the same at both places, if it is at all places */
        return a == b && !(kf__access_axes(&m->L->p->graph->exprs, a) >> m->axis & 1);
    if (!m->at[m->axis]) m->at[m->axis] = place_of(m, a->index[along], b->index[along]);
    if (!m->at[m->axis] || !same_indices(m, a, b)) return false;
    bool guarded = m->load && m->load->n_args;
    if (guarded && other->n_args && m->load->args[0] != other->args[0]) return false;
    if (other->n_args) m->inside = m->inside || is_inside(m, a, along);
    else m->whole = m->whole && is_inside(m, a, along);
    if (!guarded) m->load = other;
    return true;
}

/* Is j what i is, at another place of the row? */
static bool same(match *m, uint32_t i, uint32_t j) {
    const kf__instr *in = &m->L->k->instrs[i], *other = &m->L->k->instrs[j];
    if (in->kind != other->kind || in->op != other->op || in->dtype != other->dtype) return false;
    if (in->level != KF__LEVEL_FULL && i == j) return true;
    switch ((kf__instr_kind)in->kind) {
    case KF__I_LOAD: return same_load(m, in, other);
    case KF__I_INDEX: /* once the place is known */
        return !m->at[m->axis] || same_indices(m, &m->L->k->accesses[in->access],
                                               &m->L->k->accesses[other->access]);
    case KF__I_OP:
    case KF__I_CAST: break;
    default: return false;
    }
    for (int a = 0; a < in->n_args; ++a)
        if (!same(m, in->args[a], other->args[a])) return false;
    return in->n_args == other->n_args;
}

/* Does the guard keep the place inside of the row? A row may be a part of the array that is read,
 * as the mean's in pad(exp(x), (0, 20))[12:-18] - mean(exp(x[:-10])): what is inside of the array
 * isn't all inside of the row. */
static bool keeps_inside(const match *m, uint32_t guard) {
    kf__exprs *pool = &m->L->p->graph->exprs;
    const kf__instr *in = &m->L->k->instrs[guard];
    if (in->kind == KF__I_OP && in->op == KF__BITWISE_AND)
        return keeps_inside(m, in->args[0]) || keeps_inside(m, in->args[1]);
    if (in->kind != KF__I_INSIDE) return false;
    const kf__access *a = &m->L->k->accesses[in->access]; /* index in [0, shape) */
    kf__expr minus = kf__x_const(pool, -1), by = kf__x_sub(pool, m->at[m->axis], a->index[0]);
    kf__expr last = kf__x_add(pool, kf__x_add(pool, a->shape[0], by), minus);
    return by && last && kf__x_below(pool, minus, by) &&
           kf__x_below(pool, last, m->L->k->size[m->axis]);
}

/* What is read of the row must be inside of it: everywhere, or where a guard holds. */
static bool is_match(match *m, uint32_t i, uint32_t j) {
    memset(m->at, 0, sizeof m->at);
    m->load = NULL;
    m->whole = true;
    m->inside = false;
    if (!same(m, i, j) || !same(m, i, j) || !m->load) return false;
    return m->load->n_args ? m->inside || keeps_inside(m, m->load->args[0]) : m->whole;
}

/* ---------------------------------------------------------------- what is kept */

/* The projection that is the maximum of `red`; UINT32_MAX: none. */
static uint32_t maximum_of(const kf__low *L, uint32_t red) {
    for (uint32_t i = red + 1; i < L->k->n_instrs; ++i)
        if (L->k->instrs[i].kind == KF__I_PROJECT && L->k->instrs[i].field == 0 &&
            L->k->instrs[i].args[0] == red)
            return i;
    return UINT32_MAX;
}

/* Is j exp(y - max), y being what `red` reduces at another place of the row? */
static bool is_exp(match *m, uint32_t red, uint32_t j) {
    const kf__instr *all = m->L->k->instrs, *e = &all[j], *d = &all[e->args[0]];
    if (e->kind != KF__I_OP || e->op != KF__EXP || e->level != KF__LEVEL_FULL) return false;
    if (d->kind != KF__I_OP || d->op != KF__SUBTRACT || d->args[1] != maximum_of(m->L, red))
        return false;
    return d->args[0] != all[red].args[0] && is_match(m, all[red].args[0], d->args[0]);
}

/* A copy of the kernel, with room for what is added. */
static kf__kernel *open_kernel(kf__low *L) {
    return kf__low_copy_kernel(L, 2, KF__MAX_ACCESSES);
}

/* An access of the row at m's place. False: there are too many. */
static bool find_access(match *m, kf__kernel *k, uint32_t first, uint32_t *access) {
    kf__expr at = m->at[m->axis], coefficient[KF__ALL_AXES], offset;
    for (*access = first; *access < k->n_accesses; ++*access)
        if (k->accesses[*access].index[0] == at) return true;
    kf__expr *both = KF__NEW(m->L->arena, kf__expr, 2);
    if (!both) m->L->failed = true;
    if (!both || k->n_accesses >= KF__MAX_ACCESSES) return false;
    both[0] = at, both[1] = k->size[m->axis];
    bool affine = kf__x_affine(&m->L->p->graph->exprs, at, KF__ALL_AXES, coefficient, &offset);
    k->accesses[k->n_accesses++] = (kf__access){.value = KF__NO_VALUE, .rank = 1, .index = both,
                                                .shape = both + 1, .affine = affine};
    return true;
}

/* Instruction j is but a load of the row. */
static bool replace(match *m, kf__kernel *k, uint32_t first, uint32_t j) {
    uint32_t access;
    kf__instr load = *m->load;
    if (!find_access(m, k, first, &access)) return false;
    load.dtype = k->instrs[j].dtype, load.stage = k->instrs[j].stage;
    load.node = k->instrs[j].node;
    load.access = access;
    k->instrs[j] = load;
    return true;
}

/* Exponentials of a softmax, whose own place may be nowhere in the kernel: it is added, so that
 * there is something to be kept. */
static bool keep_exps(match *m, kf__kernel *k, kf__own_row *own) {
    kf__low *L = m->L;
    for (uint32_t red = 0; red < L->k->n_instrs; ++red) {
        const kf__instr *r = &L->k->instrs[red];
        bool any = false;
        if (r->kind != KF__I_REDUCE || r->op != KF__RED_MAX_SUMEXP) continue;
        uint32_t max = maximum_of(L, red);
        for (uint32_t j = max; max < UINT32_MAX && j < L->k->n_instrs; ++j) {
            if (!is_exp(m, red, j)) continue;
            if (!replace(m, k, own->access, j)) return false;
            any = true;
        }
        if (!any) continue;
        kf__instr e = {.kind = KF__I_OP, .op = KF__SUBTRACT, .dtype = L->k->instrs[max].dtype,
                       .level = KF__LEVEL_FULL, .stage = r->stage, .n_args = 2,
                       .args = {r->args[0], (uint16_t)max}, .node = r->node};
        k->instrs[k->n_instrs++] = e;
        e.op = KF__EXP, e.n_args = 1, e.args[0] = (uint16_t)(k->n_instrs - 1);
        k->instrs[k->n_instrs++] = e;
        own->red = red;
        own->type = kf__state_type(L, red);
        return true;
    }
    return false;
}

/* What is dear, reduced, and needed elsewhere by a later stage. */
static bool keep_dear(match *m, kf__kernel *k, kf__own_row *own) {
    kf__low *L = m->L;
    kf__mask **of = kf__cpu_of_stages(L);
    if (!of) return false;
    for (uint32_t i = L->k->n_instrs; i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        bool any = false;
        if (in->level != KF__LEVEL_FULL || in->kind != KF__I_OP || !kf__is_float(in->dtype) ||
            !kf__has(of[in->stage], i) || !kf__cpu_is_dear(L, (uint16_t)i))
            continue;
        for (uint32_t j = 0; j < L->k->n_instrs; ++j) {
            const kf__instr *other = &L->k->instrs[j];
            if (other->level != KF__LEVEL_FULL || other->op != in->op || j == i) continue;
            if (!is_match(m, i, j)) continue;
            bool later = false, now = false;
            for (uint32_t s = 0; s < L->k->n_stages; ++s)
                *(s > in->stage ? &later : &now) |= kf__has(of[s], j);
            if (!later || now) continue;
            if (!replace(m, k, own->access, j)) return false;
            any = true;
        }
        if (!any) continue;
        own->red = UINT32_MAX;
        own->value = i;
        own->type = kf__compute((kf__dtype)in->dtype);
        return true;
    }
    return false;
}

static bool may_keep(const kf__low *L) {
    bool packed = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) packed |= L->operands[i].packed;
    return !packed && L->k->n_stages > 1 && L->k->n_axes && kf__low_reduced_axes(L) == 1 &&
           L->k->reduced == 1u << (L->k->n_axes - 1);
}

const kf__kernel *kf__cpu_own_row(kf__low *L, kf__own_row *own) {
    if (!may_keep(L)) return NULL;
    match m = {.L = L, .axis = L->k->n_axes - 1};
    kf__kernel *k = open_kernel(L);
    if (!k) return NULL;
    *own = (kf__own_row){.access = k->n_accesses, .name = "own_row", .rows = "own_rows"};
    if (keep_exps(&m, k, own)) return k;
    k = open_kernel(L);
    return k && keep_dear(&m, k, own) ? k : NULL;
}
