/* Of loads that share registers, as the parts of a mirrored pad do, one is made: from the address
 * that their guards choose, in two steps.
 *
 * A pad of two dims has nine parts, by three ranges of rows and three of columns. A thread of
 * columns goes down one column, so which range of columns that is in is known early: where its
 * three parts begin, and by how much they go down, is chosen once, and each row chooses among
 * three.
 *
 *     from3 = early23 ? p12 : early13 ? p8 : p3      of the rows that part 3 is of
 *     a row: there9 ? from9 + i * by9 : there6 ? from6 + i * by6 : from3 + i * by3
 *
 * Where all rows of a tile are of one range, as nearly all are, it is chosen once for them.
 *
 *     span3 = all9 ? from9 : all6 ? from6 : from3    a row: span3 + i * span_by3
 *
 * Elsewhere a pack is of one row, and it is the other way round: three ranges of columns, each from
 * the address that the row chooses. A pack that lies in one of them, in which columns go on by one,
 * is loaded by 16 bytes, and any other by elements.
 *
 *     if (begin3 == 0 && end3 == left) kf_load4_f32(from3, ...)
 *     else                             each element from the address that its guards choose
 *
 * An element of no part comes from kf_zeros_T: a load under a condition would be waited for. */
#include "lower/cuda_choice.h"

/* Does it change with what is late? 0, 1; 2: with both. */
static int is_late(const kf__choice *c, uint32_t leaf) {
    kf__low *L = c->L;
    const kf__instr *in = &L->k->instrs[leaf];
    if (in->kind != KF__I_INSIDE) return c->down ? 2 : 0;
    const kf__operand *o = &L->operands[in->access];
    int last = kf__last(L);
    bool along = !o->affine || o->varies[last], across = !o->affine || o->symbols;
    for (int m = 0; m < last; ++m) across |= o->varies[m];
    if (!c->down) return along;
    return across && along ? 2 : across;
}

static bool add_leaves(const kf__choice *c, kf__choice_part *p, uint32_t guard) {
    const kf__instr *in = &c->L->k->instrs[guard];
    if (in->kind == KF__I_OP && in->op == KF__BITWISE_AND && !c->L->value[guard])
        return add_leaves(c, p, in->args[0]) && add_leaves(c, p, in->args[1]);
    int late = is_late(c, guard);
    uint32_t *leaves = late ? p->late : p->early, *n = late ? &p->n_late : &p->n_early;
    if (late == 2 || *n == KF__MOST_LEAVES) return false;
    uint32_t k = (*n)++;
    for (; k > 0 && leaves[k - 1] > guard; --k) leaves[k] = leaves[k - 1];
    leaves[k] = guard;
    return true;
}

static bool same_late(const kf__choice_part *p, const kf__choice_part *q) {
    return p->n_late == q->n_late && !memcmp(p->late, q->late, p->n_late * sizeof *p->late);
}

bool kf__cuda_is_part(const kf__low *L, uint32_t lead, uint32_t i) {
    return L->k->instrs[i].kind == KF__I_LOAD && kf__cuda_lead(L, i) == lead;
}

kf__dtype kf__choice_type(const kf__low *L, uint32_t lead) {
    return L->operands[L->k->instrs[lead].access].dtype;
}

const char *kf__choice_pointer(kf__low *L, uint32_t lead) {
    return kf__pointer_type(L, L->k->instrs[lead].access);
}

/* Has the part less elements in a row than a pack has, so that no whole pack lies in it? A shift by
 * 1 is 1 % the size. */
static bool is_short(const kf__choice *c, const kf__choice_part *p) {
    const kf__exprs *pool = &c->L->p->graph->exprs;
    bool is = false;
    for (uint32_t k = 0; k < p->n_late; ++k) {
        const kf__instr *in = &c->L->k->instrs[p->late[k]];
        if (in->kind != KF__I_INSIDE) continue;
        kf__expr size = c->L->k->accesses[in->access].shape[0];
        int64_t n = c->t->W;
        if (pool->nodes.at[size].kind == KF__X_MOD) size = pool->nodes.at[size].a;
        is |= kf__x_is_const(pool, size, &n) && n >= 0 && n < c->t->W;
    }
    return is;
}

/* The parts, by what is late of them. false: they aren't such. */
static bool find_parts(kf__choice *c, uint32_t lead) {
    kf__low *L = c->L;
    for (uint32_t i = lead; i < L->k->n_instrs; ++i) {
        if (!kf__cuda_is_part(L, lead, i)) continue;
        if (c->n == KF__MOST_PARTS) return false;
        kf__choice_part *p = &c->parts[c->n];
        *p = (kf__choice_part){.instr = i, .group = c->n};
        const kf__operand *o = &L->operands[L->k->instrs[i].access];
        if (!o->affine || (c->down && (o->symbols || o->row))) return false;
        if (!add_leaves(c, p, L->k->instrs[i].args[0])) return false;
        for (uint32_t k = c->n; k-- > 0;)
            if (same_late(&c->parts[k], p)) p->group = k;
        bool pack = kf__cuda_is_pack(L, c->t, i) && !is_short(c, p);
        c->groups[p->group].pack = pack && (p->group == c->n || c->groups[p->group].pack);
        c->n++;
    }
    return true;
}

/* Guards that hold where a pick is asked: those of the picks that lead there. */
typedef struct path {
    const struct path *before;
    uint32_t guard;
} path;

static bool holds(const kf__low *L, const path *p, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    for (; p; p = p->before) {
        const kf__instr *known = &L->k->instrs[p->guard];
        if (p->guard == guard) return true;
        if (known->kind != KF__I_OP || known->op != KF__BITWISE_AND) continue;
        path left = {p->before, known->args[0]}, right = {&left, known->args[1]};
        return holds(L, &right, guard);
    }
    return in->kind == KF__I_OP && in->op == KF__BITWISE_AND && holds(L, p, in->args[0]) &&
           holds(L, p, in->args[1]);
}

/* Whatever counts of instruction i, is it one of the parts, and inside? Counts these. */
static bool is_inside(const kf__low *L, uint32_t i, uint32_t lead, const path *p, uint32_t *n) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_LOAD) {
        *n += 1;
        return *n <= KF__MOST_PARTS && kf__cuda_lead(L, i) == lead && in->n_args == 1 &&
               holds(L, p, in->args[0]);
    }
    if (in->kind == KF__I_CAST) return is_inside(L, in->args[0], lead, p, n);
    if (in->kind != KF__I_PICK) return false;
    path here = {p, in->args[0]};
    if (!is_inside(L, in->args[1], lead, &here, n)) return false;
    return in->field == KF__PICK_LAST || is_inside(L, in->args[2], lead, p, n);
}

/* What counts wherever the kernel is: not what a pick may leave out. */
static const kf__mask *find_wanted(const kf__low *L) {
    const kf__kernel *k = L->k;
    kf__mask *wanted = kf__low_mask(L);
    for (uint32_t s = 0; wanted && s < k->n_stores; ++s)
        kf__add(wanted, k->stores[s].instr);
    for (uint32_t i = k->n_instrs; wanted && i-- > 0;) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind != KF__I_REDUCE && !kf__has(wanted, i)) continue;
        for (int a = 0; a < (in->kind == KF__I_PICK ? 1 : in->n_args); ++a)
            kf__add(wanted, in->args[a]);
    }
    return wanted;
}

/* Are the parts all that some pick chooses among, and does that always count? */
static bool are_all(const kf__choice *c, uint32_t lead) {
    const kf__mask *wanted = find_wanted(c->L);
    for (uint32_t i = lead; wanted && i < c->L->k->n_instrs; ++i) {
        uint32_t n = 0;
        if (c->L->k->instrs[i].kind != KF__I_PICK || !kf__has(wanted, i)) continue;
        if (is_inside(c->L, i, lead, NULL, &n) && n == c->n) return true;
    }
    return false;
}

/* A value of the group's parts: the one of that whose early guard holds. */
typedef const kf__lx *value_of(const kf__choice *c, const kf__choice_part *p, int axis);

static const kf__lx *stride_value(const kf__choice *c, const kf__choice_part *p, int axis) {
    uint32_t access = c->L->k->instrs[p->instr].access;
    if (!c->L->operands[access].varies[axis]) return kf__l_int(c->L, 0);
    bool unit = axis == kf__last(c->L) && c->L->operands[access].along[axis].unit;
    return unit ? kf__l_int(c->L, 1) : kf__word_stride(c->L, access, axis);
}

/* Where the part is for what is early. */
static const kf__lx *place_value(const kf__choice *c, const kf__choice_part *p, int axis) {
    kf__low *L = c->L;
    uint32_t access = L->k->instrs[p->instr].access;
    if (!c->down) {
        kf__cuda_need_pointer(L, c->t, access);
        return kf__l_var(L, L->pointer[access]);
    }
    const kf__lx *place = kf__l_var(L, kf__word_operand(L, access));
    if (!L->operands[access].varies[axis]) return place;
    return kf__l_bin(L, "+", place, kf__l_bin(L, "*", c->t->j, stride_value(c, p, axis)));
}

static const kf__lx *aligned_value(const kf__choice *c, const kf__choice_part *p, int axis) {
    (void)axis;
    return kf__cuda_aligned(c->L, c->t, c->L->k->instrs[p->instr].access);
}

static bool same(const kf__lx *a, const kf__lx *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == KF__L_INT) return a->integer == b->integer;
    return a->kind == KF__L_VAR && !strcmp(a->name, b->name);
}

static const kf__lx *chosen(const kf__choice *c, uint32_t group, value_of *value, int axis) {
    kf__low *L = c->L;
    const kf__lx *sum = NULL;
    for (uint32_t k = group; k < c->n; ++k) {
        const kf__choice_part *p = &c->parts[k];
        if (p->group != group) continue;
        const kf__lx *one = value(c, p, axis);
        sum = sum && p->here && !same(sum, one) ? kf__l_select(L, p->here, one, sum) : one;
    }
    return sum;
}

const kf__lx *kf__choice_aligned(const kf__choice *c, uint32_t group) {
    return chosen(c, group, aligned_value, 0);
}

/* Does any part of the group count? NULL: one does. */
static const kf__lx *any_early(const kf__choice *c, uint32_t group) {
    const kf__lx *any = NULL;
    for (uint32_t k = group; k < c->n; ++k) {
        const kf__choice_part *p = &c->parts[k];
        if (p->group != group) continue;
        if (!p->here) return NULL;
        any = any ? kf__l_bin(c->L, "|", any, p->here) : p->here;
    }
    return any;
}

/* An early guard, as a variable where it is computed. */
static const kf__lx *early_guard(const kf__choice *c, uint32_t guard) {
    kf__low *L = c->L;
    const kf__lx *here = kf__guard_at(L, guard, c->t->j);
    const char *name = kf__l_name(L, "early%u_%u", (unsigned)guard, (unsigned)c->parts[0].instr);
    return L->value[guard] ? here : kf__put_let(L, "int", name, here, NULL);
}

/* What of the guards is early: each guard once. */
static void put_early_guards(kf__choice *c) {
    kf__low *L = c->L;
    const kf__lx **known = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs + 1);
    if (!known) L->failed = true;
    for (uint32_t k = 0; known && k < c->n; ++k) {
        kf__choice_part *p = &c->parts[k];
        for (uint32_t i = 0; i < p->n_early; ++i) {
            uint32_t guard = p->early[i];
            if (!known[guard]) known[guard] = early_guard(c, guard);
            p->here = p->here ? kf__l_bin(L, "&", p->here, known[guard]) : known[guard];
        }
    }
}

void kf__choice_put(kf__choice *c, uint32_t group) {
    kf__low *L = c->L;
    const char *type = kf__choice_pointer(L, c->parts[0].instr);
    kf__choice_group *g = &c->groups[group];
    if (g->from) return;
    unsigned i = (unsigned)c->parts[group].instr;
    g->from = chosen(c, group, place_value, kf__last(L));
    if (g->from->kind != KF__L_VAR)
        g->from = kf__put_let(L, type, kf__l_name(L, "from%u", i), g->from, NULL);
    g->some = any_early(c, group);
    if (g->some)
        g->some = kf__put_let(L, "int", kf__l_name(L, "some%u", i), g->some, NULL);
    for (int m = 0; m < L->n_axes; ++m) {
        bool late = (m == kf__last(L)) != c->down;
        bool goes_on = false;
        for (uint32_t k = 0; k < c->n; ++k)
            goes_on |= L->operands[L->k->instrs[c->parts[k].instr].access].varies[m];
        if (!late || !goes_on) continue;
        g->by[m] = chosen(c, group, stride_value, m);
        if (g->by[m]->kind == KF__L_SELECT)
            g->by[m] = kf__put_let(L, "int64_t", kf__l_name(L, "by%d_%u", m, i), g->by[m], NULL);
    }
}

/* Do the late guards of a group hold? NULL: it has none. */
static const kf__lx *all_late(const kf__choice *c, uint32_t group, const kf__lx *at) {
    const kf__choice_part *p = &c->parts[group];
    const kf__lx *all = NULL;
    for (uint32_t k = 0; k < p->n_late; ++k) {
        const kf__lx *leaf = kf__guard_at(c->L, p->late[k], at);
        all = all ? kf__l_bin(c->L, "&", all, leaf) : leaf;
    }
    return all;
}

const kf__lx *kf__choice_guard(const kf__choice *c, uint32_t group, const kf__lx *at) {
    kf__low *L = c->L;
    const kf__lx *some = c->groups[group].some, *here = all_late(c, group, at);
    if (!here) return some ? some : kf__l_int(L, 1);
    const char *name = kf__l_name(L, "there%u", (unsigned)c->parts[group].instr);
    here = kf__put_let(L, "int", name, here, NULL);
    return some ? kf__l_bin(L, "&", here, some) : here;
}

/* Of the groups the one that counts: where it begins, or its stride along an axis. */
static const kf__lx *late_choice(const kf__choice *c, const kf__lx *const *here, int axis) {
    const kf__lx *sum = NULL;
    for (uint32_t k = 0; k < c->n; ++k) {
        if (c->parts[k].group != k) continue;
        const kf__lx *one = axis < 0 ? c->groups[k].from : c->groups[k].by[axis];
        sum = sum && !same(sum, one) ? kf__l_select(c->L, here[k], one, sum) : one;
    }
    return sum;
}

void kf__choice_late(const kf__choice *c, const kf__lx *const *here, kf__choice_group *out) {
    out->from = late_choice(c, here, -1);
    for (int m = 0; m < c->L->n_axes; ++m)
        if (c->groups[0].by[m]) out->by[m] = late_choice(c, here, m);
}

const kf__lx *kf__choice_place(const kf__choice *c, const kf__choice_group *g, const kf__lx *e) {
    kf__low *L = c->L;
    const kf__lx *place = g->from;
    for (int m = 0; m < L->n_axes; ++m) {
        const kf__lx *i = m == kf__last(L) ? e : kf__l_var(L, L->axes[m].var);
        if (g->by[m]) place = kf__l_bin(L, "+", place, kf__l_bin(L, "*", i, g->by[m]));
    }
    return place;
}

kf__choice *kf__cuda_begin_choice(kf__low *L, kf__tile *t, uint32_t lead) {
    if (t->row_left) return NULL;
    kf__choice *c = KF__NEW(L->arena, kf__choice, 1);
    if (!c) {
        L->failed = true;
        return NULL;
    }
    c->L = L, c->t = t, c->down = t->inside;
    if (!find_parts(c, lead) || !c->n) return NULL;
    c->all = are_all(c, lead);
    put_early_guards(c);
    for (uint32_t k = 0; k < c->n; ++k)
        if (c->parts[k].group == k && c->down) kf__choice_put(c, k);
    return c;
}

bool kf__cuda_is_late(const kf__choice *c) {
    bool late = false;
    for (uint32_t k = 0; k < c->n; ++k) late |= c->parts[k].n_late > 0;
    return c->down && late;
}

/* Do the late guards of a group hold in `row`? */
static const kf__lx *late_in(const kf__choice *c, uint32_t group, int axis, const kf__lx *row) {
    const char *var = c->L->axes[axis].var;
    c->L->axes[axis].var = row->name;
    const kf__lx *all = all_late(c, group, c->t->j);
    c->L->axes[axis].var = var;
    return all;
}

const kf__lx *kf__cuda_put_span_choice(kf__choice *c, int axis, const kf__lx *first,
                                       const kf__lx *last) {
    kf__low *L = c->L;
    const kf__lx *here[KF__MOST_PARTS], *any = NULL;
    unsigned lead = (unsigned)c->parts[0].instr;
    for (uint32_t k = 0; k < c->n; ++k) {
        if (c->parts[k].group != k) continue;
        const kf__lx *begin = late_in(c, k, axis, first), *end = late_in(c, k, axis, last);
        here[k] = begin ? kf__l_bin(L, "&", begin, end) : kf__l_int(L, 1);
        if (c->groups[k].some)
            here[k] = begin ? kf__l_bin(L, "&", here[k], c->groups[k].some) : c->groups[k].some;
        here[k] = kf__put_let(L, "int", kf__l_name(L, "all%u", (unsigned)c->parts[k].instr),
                              here[k], NULL);
        any = any ? kf__l_bin(L, "|", any, here[k]) : here[k];
    }
    kf__choice_group *span = &c->span;
    kf__choice_late(c, here, span);
    if (span->from->kind == KF__L_SELECT)
        span->from = kf__put_let(L, kf__choice_pointer(L, lead), kf__l_name(L, "span%u", lead),
                                 span->from, NULL);
    for (int m = 0; m < L->n_axes; ++m)
        if (span->by[m] && span->by[m]->kind == KF__L_SELECT)
            span->by[m] = kf__put_let(L, "int64_t", kf__l_name(L, "span_by%d_%u", m, lead),
                                      span->by[m], NULL);
    return any;
}
