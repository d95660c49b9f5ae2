/* Of loads that share registers, as the parts of a mirrored pad do, one is made: from the address that
 * their guards choose, in two steps.
 *
 * A pad of two dims has nine parts, by three ranges of rows and three of columns. A thread of columns
 * goes down one column, so which range of columns that is in is known early: where its three parts
 * begin, and by how much they go down, is chosen once, and each row chooses among three.
 *
 *     from3 = early23 ? p12 : early13 ? p8 : p3      of the rows that part 3 is of
 *     a row: there9 ? from9 + i * by9 : there6 ? from6 + i * by6 : from3 + i * by3
 *
 * Elsewhere a pack is of one row, and it is the other way round: three ranges of columns, each from the
 * address that the row chooses. One of them is loaded by 16 bytes, and only packs that have an element
 * of the others, which run backwards, go by elements. */
#include "lower/cuda.h"

enum { KF__MOST_PARTS = 64, KF__MOST_LEAVES = 4 };

/* What of a guard changes in the pack, or down the column. */
typedef struct part {
    uint32_t instr, group;                                 /* group: the first one with this late[] */
    uint32_t late[KF__MOST_LEAVES], early[KF__MOST_LEAVES]; /* guards that all hold; late[] sorted */
    uint32_t n_late, n_early;
    const kf__lx *here; /* do those of early[] hold? NULL: always */
} part;

/* What is early of a group, and how it goes on along what is late. */
typedef struct group_place {
    const kf__lx *from, *by[KF__MAX_AXES], *some;
} group_place;

typedef struct kf__choice {
    kf__low *L;
    kf__tile *t;
    bool down; /* columns: j stays, rows change; else the other way round */
    bool all;  /* one of the parts counts, wherever that is */
    part parts[KF__MOST_PARTS];
    group_place groups[KF__MOST_PARTS];
    uint32_t n;
} choice;

/* Does it change with what is late? 0, 1; 2: with both. */
static int is_late(const choice *c, uint32_t leaf) {
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

static bool add_leaves(const choice *c, part *p, uint32_t guard) {
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

static bool same_late(const part *p, const part *q) {
    return p->n_late == q->n_late && !memcmp(p->late, q->late, p->n_late * sizeof *p->late);
}

/* Do parts p and q go on from where they begin along the same axes? */
static bool goes_alike(const choice *c, const part *p, const part *q) {
    const kf__low *L = c->L;
    const kf__operand *a = &L->operands[L->k->instrs[p->instr].access];
    const kf__operand *b = &L->operands[L->k->instrs[q->instr].access];
    for (int m = 0; m < L->n_axes; ++m)
        if (a->varies[m] != b->varies[m]) return false;
    return true;
}

static kf__dtype stored_type(const kf__low *L, uint32_t lead) {
    return L->operands[L->k->instrs[lead].access].dtype;
}

static const char *pointer_type(kf__low *L, uint32_t lead) {
    return kf__pointer_type(L, L->k->instrs[lead].access);
}

/* Is instruction i one of the packs, or elements, that share lead's registers? */
static bool is_part(const kf__low *L, const kf__tile *t, uint32_t lead, bool packs, uint32_t i) {
    return kf__cuda_lead(L, i) == lead && kf__cuda_is_pack(L, t, i) == packs;
}

/* The parts, by what is late of them. false: they aren't such. */
static bool find_parts(choice *c, uint32_t lead, bool packs) {
    kf__low *L = c->L;
    for (uint32_t i = lead; i < L->k->n_instrs; ++i) {
        if (!is_part(L, c->t, lead, packs, i)) continue;
        if (c->n == KF__MOST_PARTS) return false;
        part *p = &c->parts[c->n];
        *p = (part){.instr = i, .group = c->n};
        const kf__operand *o = &L->operands[L->k->instrs[i].access];
        if (!o->affine || (c->down && (o->symbols || o->row))) return false;
        if (!add_leaves(c, p, L->k->instrs[i].args[0])) return false;
        for (uint32_t k = c->n; k-- > 0;)
            if (same_late(&c->parts[k], p)) p->group = k;
        if (!goes_alike(c, p, &c->parts[0])) return false;
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
    if (in->kind != KF__I_PICK) return false;
    path here = {p, in->args[0]};
    if (!is_inside(L, in->args[1], lead, &here, n)) return false;
    return in->field == KF__PICK_LAST || is_inside(L, in->args[2], lead, p, n);
}

/* What counts wherever the kernel is: not what a pick may leave out. */
static const kf__mask *find_wanted(const kf__low *L) {
    const kf__kernel *k = L->k;
    kf__mask *wanted = KF__NEW(L->arena, kf__mask, k->n_instrs / 64 + 1);
    for (uint32_t s = 0; wanted && s < k->n_stores; ++s)
        wanted[k->stores[s].instr / 64] |= (kf__mask)1 << k->stores[s].instr % 64;
    for (uint32_t i = k->n_instrs; wanted && i-- > 0;) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind != KF__I_REDUCE && !kf__has(wanted, i)) continue;
        for (int a = 0; a < (in->kind == KF__I_PICK ? 1 : in->n_args); ++a)
            wanted[in->args[a] / 64] |= (kf__mask)1 << in->args[a] % 64;
    }
    return wanted;
}

/* Are the parts all that some pick chooses among, and does that always count? */
static bool are_all(const choice *c, uint32_t lead) {
    const kf__mask *wanted = find_wanted(c->L);
    for (uint32_t i = lead; wanted && i < c->L->k->n_instrs; ++i) {
        uint32_t n = 0;
        if (c->L->k->instrs[i].kind != KF__I_PICK || !kf__has(wanted, i)) continue;
        if (is_inside(c->L, i, lead, NULL, &n) && n == c->n) return true;
    }
    return false;
}

/* A value of the group's parts: the one of that whose early guard holds. */
typedef const kf__lx *value_of(const choice *c, const part *p, int axis);

static const kf__lx *stride_value(const choice *c, const part *p, int axis) {
    uint32_t access = c->L->k->instrs[p->instr].access;
    bool unit = axis == kf__last(c->L) && c->L->operands[access].along[axis].unit;
    return unit ? kf__l_int(c->L, 1) : kf__word_stride(c->L, access, axis);
}

/* Where the part is for what is early. */
static const kf__lx *place_value(const choice *c, const part *p, int axis) {
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

static const kf__lx *aligned_value(const choice *c, const part *p, int axis) {
    (void)axis;
    return kf__cuda_aligned(c->L, c->t, c->L->k->instrs[p->instr].access);
}

static bool same(const kf__lx *a, const kf__lx *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == KF__L_INT) return a->integer == b->integer;
    return a->kind == KF__L_VAR && !strcmp(a->name, b->name);
}

static const kf__lx *chosen(const choice *c, uint32_t group, value_of *value, int axis) {
    kf__low *L = c->L;
    const kf__lx *sum = NULL;
    for (uint32_t k = group; k < c->n; ++k) {
        const part *p = &c->parts[k];
        if (p->group != group) continue;
        const kf__lx *one = value(c, p, axis);
        sum = sum && p->here && !same(sum, one) ? kf__l_select(L, p->here, one, sum) : one;
    }
    return sum;
}

/* Does any part of the group count? NULL: one does. */
static const kf__lx *any_early(const choice *c, uint32_t group) {
    const kf__lx *any = NULL;
    for (uint32_t k = group; k < c->n; ++k) {
        const part *p = &c->parts[k];
        if (p->group != group) continue;
        if (!p->here) return NULL;
        any = any ? kf__l_bin(c->L, "|", any, p->here) : p->here;
    }
    return any;
}

/* An early guard, as a variable where it is computed. */
static const kf__lx *early_guard(const choice *c, uint32_t guard) {
    kf__low *L = c->L;
    const kf__lx *here = kf__guard_at(L, guard, c->t->j);
    const char *name = kf__l_name(L, "early%u_%u", (unsigned)guard, (unsigned)c->parts[0].instr);
    return L->value[guard] ? here : kf__put_let(L, "int", name, here, NULL);
}

/* What of the guards is early: each guard once. */
static void put_early_guards(choice *c) {
    kf__low *L = c->L;
    const kf__lx **known = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs + 1);
    if (!known) L->failed = true;
    for (uint32_t k = 0; known && k < c->n; ++k) {
        part *p = &c->parts[k];
        for (uint32_t i = 0; i < p->n_early; ++i) {
            uint32_t guard = p->early[i];
            if (!known[guard]) known[guard] = early_guard(c, guard);
            p->here = p->here ? kf__l_bin(L, "&", p->here, known[guard]) : known[guard];
        }
    }
}

static void put_early(choice *c, uint32_t group, const char *type) {
    kf__low *L = c->L;
    group_place *g = &c->groups[group];
    unsigned i = (unsigned)c->parts[group].instr;
    const kf__operand *o = &L->operands[L->k->instrs[i].access];
    g->from = chosen(c, group, place_value, kf__last(L));
    if (g->from->kind != KF__L_VAR)
        g->from = kf__put_let(L, type, kf__l_name(L, "from%u", i), g->from, NULL);
    g->some = any_early(c, group);
    if (g->some)
        g->some = kf__put_let(L, "int", kf__l_name(L, "some%u", i), g->some, NULL);
    for (int m = 0; m < L->n_axes; ++m) {
        bool late = (m == kf__last(L)) != c->down;
        if (!late || !o->varies[m]) continue;
        g->by[m] = chosen(c, group, stride_value, m);
        if (g->by[m]->kind == KF__L_SELECT)
            g->by[m] = kf__put_let(L, "int64_t", kf__l_name(L, "by%d_%u", m, i), g->by[m], NULL);
    }
}

static const kf__lx *late_guard(const choice *c, uint32_t group, const kf__lx *at) {
    kf__low *L = c->L;
    const part *p = &c->parts[group];
    const group_place *g = &c->groups[group];
    const kf__lx *here = NULL;
    for (uint32_t k = 0; k < p->n_late; ++k) {
        const kf__lx *leaf = kf__guard_at(L, p->late[k], at);
        here = here ? kf__l_bin(L, "&", here, leaf) : leaf;
    }
    if (!here) return g->some ? g->some : kf__l_int(L, 1);
    here = kf__put_let(L, "int", kf__l_name(L, "there%u", (unsigned)p->instr), here, NULL);
    return g->some ? kf__l_bin(L, "&", here, g->some) : here;
}

/* Of the groups the one that counts: where it begins, or its stride along an axis. */
static const kf__lx *late_choice(const choice *c, const kf__lx *const *here, int axis) {
    const kf__lx *sum = NULL;
    for (uint32_t k = 0; k < c->n; ++k) {
        if (c->parts[k].group != k) continue;
        const kf__lx *one = axis < 0 ? c->groups[k].from : c->groups[k].by[axis];
        sum = sum && !same(sum, one) ? kf__l_select(c->L, here[k], one, sum) : one;
    }
    return sum;
}

/* Registers that are loaded: pack s of `array`, of so many words a pack, or, 0, of elements. */
typedef struct target {
    kf__low *L;
    kf__tile *t;
    uint32_t lead;
    const char *array;
    int words;
    const kf__lx *s;
} target;


static void put_part(const target *to, const kf__lx *p, const kf__lx *begin, const kf__lx *end) {
    kf__low *L = to->L;
    const char *function = kf__cuda_wide_name(L, "part", to->t->W, stored_type(L, to->lead));
    const kf__lx *first = kf__l_bin(L, "*", to->s, kf__l_int(L, to->words));
    kf__cuda_put_part(L, to->array, first, to->words, function, p, begin, end);
}

/* Element e, from where `any` holds; NULL: it does. */
static void put_element(const target *to, const kf__lx *place, const kf__lx *any, const kf__lx *e) {
    kf__low *L = to->L;
    const kf__instr *in = &L->k->instrs[to->lead];
    place = kf__put_let(L, pointer_type(L, to->lead), kf__l_name(L, "p_%s", to->array), place, NULL);
    const kf__lx *left = to->t->inside ? NULL : kf__l_bin(L, "<", e, to->t->left);
    if (left) any = any ? kf__l_bin(L, "&&", left, any) : left;
    if (to->words) { /* as a pack's part of one element */
        any = kf__put_let(L, "int", kf__l_name(L, "any_%s", to->array), any, NULL);
        put_part(to, kf__l_bin(L, "-", place, e), e, kf__l_bin(L, "+", e, any));
        return;
    }
    const kf__lx *load = kf__low_load(L, in->access, place, kf__l_int(L, 0));
    if (any) load = kf__l_select(L, any, load, kf__l_const(L, in->dtype, 0, 0));
    kf__put_set(L, kf__l_item(L, to->array, kf__cuda_slot(L, to->t, to->s, e)), load);
}

/* Any elements: each guard and each address by itself. */
static void put_each(const target *to) {
    kf__low *L = to->L;
    kf__tile *t = to->t;
    for (uint32_t i = to->lead; i < L->k->n_instrs; ++i)
        if (is_part(L, t, to->lead, false, i))
            kf__cuda_need_pointer(L, t, L->k->instrs[i].access);
    const kf__lx *e = kf__cuda_open_elements(L, t), *at = kf__l_bin(L, "+", t->j, e);
    const kf__lx *any = NULL, *place = NULL;
    for (uint32_t i = to->lead; i < L->k->n_instrs; ++i) {
        if (!is_part(L, t, to->lead, false, i)) continue;
        uint32_t access = L->k->instrs[i].access;
        const kf__lx *here = kf__guard_at(L, L->k->instrs[i].args[0], at);
        here = kf__put_let(L, "int", kf__l_name(L, "here%u", (unsigned)i), here, NULL);
        const kf__lx *p = kf__l_var(L, L->pointer[access]);
        p = kf__l_bin(L, "+", p, kf__element(L, access, e, at));
        place = place ? kf__l_select(L, here, p, place) : p;
        any = any ? kf__l_bin(L, "|", any, here) : here;
    }
    put_element(to, place, any, e);
    kf__close(L);
}

/* Elements of the pack at `from` that the guards of part i leave. */
static void put_wide(const target *to, uint32_t i, const uint32_t *guards, uint32_t n,
                     const kf__lx *from, const kf__lx *aligned) {
    kf__low *L = to->L;
    kf__tile *t = to->t;
    const kf__lx *here = kf__cuda_elements_here(L, t, i), *begin, *end;
    kf__put_range_of(L, i, guards, n, t->j, here, &begin, &end);
    kf__open_if(L, kf__l_bin(L, "<", begin, end));
    kf__open_if(L, kf__l_bin(L, "==", kf__l_bin(L, "-", end, begin), here));
    const char *load = kf__cuda_wide_name(L, "load", t->W, stored_type(L, to->lead));
    kf__put_call(L, kf__l_call(L, load, KF__I64, from, kf__l_int(L, 0), here, aligned,
                               kf__cuda_words_of(L, t, to->lead, to->s)));
    kf__open_else(L);
    put_part(to, from, begin, end);
    kf__close(L);
    kf__close(L);
}

/* Any pack: passed by where it is another row's. */
static void put_pack(const target *to, uint32_t i) {
    kf__low *L = to->L;
    const kf__instr *in = &L->k->instrs[i];
    kf__cuda_need_pointer(L, to->t, in->access);
    const kf__lx *known = kf__known_guard(L, in->args[0]);
    if (known) kf__open_if(L, known);
    uint32_t guard = in->args[0];
    L->known_holds = true;
    put_wide(to, i, &guard, 1, kf__l_var(L, L->pointer[in->access]),
             kf__cuda_aligned(L, to->t, in->access));
    L->known_holds = false;
    if (known) kf__close(L);
}

kf__choice *kf__cuda_begin_choice(kf__low *L, kf__tile *t, uint32_t lead, bool packs) {
    if (t->row_left) return NULL;
    choice *c = KF__NEW(L->arena, choice, 1);
    if (!c) {
        L->failed = true;
        return NULL;
    }
    c->L = L, c->t = t, c->down = t->inside;
    if (!find_parts(c, lead, packs) || !c->n) return NULL;
    c->all = are_all(c, lead);
    put_early_guards(c);
    for (uint32_t k = 0; k < c->n; ++k)
        if (c->parts[k].group == k) put_early(c, k, pointer_type(L, lead));
    return c;
}

static void put_packs(const target *to) {
    kf__low *L = to->L;
    kf__cuda_put_empty(L, to->array, kf__l_bin(L, "*", to->s, kf__l_int(L, to->words)), to->words);
    const choice *c = kf__cuda_begin_choice(L, to->t, to->lead, true);
    for (uint32_t i = to->lead; !c && i < L->k->n_instrs; ++i)
        if (is_part(L, to->t, to->lead, true, i)) put_pack(to, i);
    for (uint32_t k = 0; c && k < c->n; ++k) {
        const part *p = &c->parts[k];
        if (p->group != k) continue;
        const group_place *g = &c->groups[k];
        if (g->some) kf__open_if(L, g->some);
        put_wide(to, p->instr, p->late, p->n_late, g->from, chosen(c, k, aligned_value, 0));
        if (g->some) kf__close(L);
    }
}

/* Has the pack an element of these parts? NULL: it isn't told by ranges. */
static const kf__lx *any_here(const choice *c) {
    kf__low *L = c->L;
    const kf__lx *any = NULL;
    for (uint32_t k = 0; k < c->n; ++k)
        for (uint32_t i = 0; i < c->parts[k].n_late; ++i)
            if (!kf__is_range(L, c->parts[k].late[i])) return NULL;
    for (uint32_t k = 0; k < c->n; ++k) {
        const part *p = &c->parts[k];
        if (p->group != k) continue;
        if (!p->n_late) return NULL;
        const kf__lx *here = kf__cuda_elements_here(L, c->t, p->instr), *begin, *end;
        kf__put_range_of(L, p->instr, p->late, p->n_late, c->t->j, here, &begin, &end);
        const kf__lx *some = kf__l_bin(L, "<", begin, end);
        if (c->groups[k].some) some = kf__l_bin(L, "&", c->groups[k].some, some);
        any = any ? kf__l_bin(L, "|", any, some) : some;
    }
    return any;
}

static void put_elements(const target *to, const choice *c) {
    kf__low *L = c->L;
    kf__tile *t = c->t;
    const kf__lx *rare = to->words ? any_here(c) : NULL;
    if (rare) kf__open_if(L, rare);
    const kf__lx *e = kf__cuda_open_elements(L, t), *at = kf__l_bin(L, "+", t->j, e);
    const kf__lx *any = NULL, *here[KF__MOST_PARTS];
    for (uint32_t k = 0; k < c->n; ++k) {
        if (c->parts[k].group != k) continue;
        here[k] = late_guard(c, k, at);
        any = any ? kf__l_bin(L, "|", any, here[k]) : here[k];
    }
    if (c->all) any = NULL; /* and the load, without a condition, waits for nothing */
    const kf__lx *place = late_choice(c, here, -1);
    for (int m = 0; m < L->n_axes; ++m) {
        const kf__lx *i = m == kf__last(L) ? e : kf__l_var(L, L->axes[m].var);
        if (c->groups[0].by[m])
            place = kf__l_bin(L, "+", place, kf__l_bin(L, "*", i, late_choice(c, here, m)));
    }
    put_element(to, place, any, e);
    kf__close(L);
    if (rare) kf__close(L);
}

void kf__cuda_put_chosen(kf__low *L, kf__tile *t, uint32_t lead, const char *array, int words,
                         const kf__lx *s) {
    target to = {L, t, lead, array, words, s};
    if (words) put_packs(&to);
    bool elements = false;
    for (uint32_t i = lead; i < L->k->n_instrs; ++i)
        elements |= is_part(L, t, lead, false, i);
    if (!elements) return;
    const choice *c = t->choices ? t->choices[lead] : kf__cuda_begin_choice(L, t, lead, false);
    if (c)
        put_elements(&to, c);
    else
        put_each(&to);
}
