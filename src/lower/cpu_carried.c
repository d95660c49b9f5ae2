/* Long chains with several reductions of a row: what a stage makes and later ones are made of is
 * carried to them in arrays on the stack.
 *
 *     t = x * 2 + y ...; u = t - mean(t); v = tanh(u) * 3 ...; v - mean(v)
 *
 *     for each element    v8 = ..., carried0[l] = v8, lanes += v8     stage 0
 *     for each element    v9 = carried0[l] - mean, ...                stage 1, not from x on
 *
 * Without that each stage computes all that came before it again: of s stages s / 2 times as much
 * as there is, which is less than to keep it for two or three short stages only. An array is free
 * for others behind the last stage that reads it. */
#include "lower/cpu.h"

#include <stdlib.h>

enum {
    WORTH = 32, /* operations that stages would compute again, from which on anything is carried */
    DEAR = 4,   /* of one value, from which on it is carried: less is as quick as to read it */
    FUNCTION = 8, /* operations that one of the prelude takes, at least */
};

typedef enum way { OPEN, AGAIN, CARRIED } way; /* to later stages */

typedef struct search {
    kf__low *L;
    const kf__kept *kept;         /* one that is kept anyway; or NULL */
    uint8_t *first;               /* [n_instrs] stage that computes it first, + 1; 0: none yet */
    way *way;                     /* [n_instrs] */
    kf__carried *to;              /* NULL: nothing is carried */
    uint32_t again;               /* operations that are computed again */
} search;

static uint32_t operations(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    switch ((kf__instr_kind)in->kind) {
    case KF__I_LOAD: return L->operands[in->access].symbols || in->n_args ? 2 : 1;
    case KF__I_RANDOM: return FUNCTION;
    case KF__I_OP: return kf__is_function(L, i) ? FUNCTION : 1;
    case KF__I_CAST: case KF__I_PICK: return 1;
    default: return 0;
    }
}

/* What instruction i is made of, of each element, is needed too. */
static void add_args(const kf__low *L, uint32_t i, kf__mask *mask) {
    for (int a = 0; a < L->k->instrs[i].n_args; ++a) {
        uint16_t arg = L->k->instrs[i].args[a];
        if (kf__at_level(L, arg, KF__LEVEL_FULL)) kf__add(mask, arg);
    }
}

/* To compute instruction i again, of what is carried so far. */
static uint32_t operations_of(const search *s, uint32_t root) {
    const kf__low *L = s->L;
    uint32_t n = 0;
    kf__mask *mask = kf__low_mask(L);
    if (!mask) return 0;
    kf__add(mask, root);
    for (uint32_t i = root + 1; i-- > 0 && n < DEAR;) {
        if (!kf__has(mask, i)) continue;
        if (i != root && s->way[i] == CARRIED) {
            n++; /* it is read */
            continue;
        }
        n += operations(L, i);
        add_args(L, i, mask);
    }
    return n;
}

/* Is instruction i, which an earlier stage computes, carried to this one? */
static bool is_carried(search *s, uint32_t i, uint32_t stage) {
    const kf__instr *in = &s->L->k->instrs[i];
    kf__carried *c = s->to;
    if (!c) return false;
    if (s->way[i] == OPEN) {
        bool made = in->kind == KF__I_OP || in->kind == KF__I_CAST || in->kind == KF__I_PICK ||
                    in->kind == KF__I_RANDOM;
        bool wide = kf__types[in->dtype].size >= 4; /* narrow ones make all vectors narrow */
        s->way[i] = made && wide && operations_of(s, i) >= DEAR ? CARRIED : AGAIN;
        if (s->way[i] == CARRIED) {
            c->at[c->n].instr = (uint16_t)i;
            c->at[c->n++].first = s->first[i] - 1u;
        }
    }
    for (uint32_t k = 0; k < c->n; ++k)
        if (c->at[k].instr == i) c->at[k].last = stage;
    return s->way[i] == CARRIED;
}

/* What a stage computes, given what earlier ones carry to it. */
static void visit(search *s, uint32_t stage) {
    const kf__low *L = s->L;
    uint16_t *roots;
    uint32_t n = kf__cpu_roots(s->L, stage, &roots);
    kf__mask *mask = kf__low_mask(L);
    if (!mask) s->L->failed = true;
    for (uint32_t r = 0; mask && r < n; ++r)
        if (kf__at_level(L, roots[r], KF__LEVEL_FULL)) kf__add(mask, roots[r]);
    for (uint32_t i = L->k->n_instrs; mask && i-- > 0;) {
        bool before = s->first[i] && s->first[i] <= stage;
        if (!kf__has(mask, i)) continue;
        if (s->kept && s->kept->power == i && (before || s->kept->red < UINT32_MAX)) continue;
        if (before && is_carried(s, i, stage)) continue;
        if (before) s->again += operations(L, i);
        else s->first[i] = (uint8_t)(stage + 1);
        if (s->to) kf__add(s->to->of[stage], i);
        add_args(L, i, mask);
    }
}

static bool search_all(search *s) {
    kf__low *L = s->L;
    s->first = KF__NEW(L->arena, uint8_t, L->k->n_instrs + 1);
    s->way = KF__NEW(L->arena, way, L->k->n_instrs + 1);
    if (!s->first || !s->way) L->failed = true;
    for (uint32_t stage = 0; stage < L->k->n_stages && !L->failed; ++stage) visit(s, stage);
    return !L->failed;
}

/* Arrays: one for all values of a type that are never needed at the same stage. */
static void share_arrays(kf__low *L, kf__carried *c) {
    uint32_t *until = KF__NEW(L->arena, uint32_t, c->n + 1);
    if (!until) L->failed = true;
    for (uint32_t k = 0; k < c->n && !L->failed; ++k) {
        kf__carry *v = &c->at[k];
        kf__dtype type = (kf__dtype)L->k->instrs[v->instr].dtype;
        uint32_t a = 0;
        while (a < c->n_arrays && (c->array[a].type != type || until[a] >= v->first)) ++a;
        if (a == c->n_arrays)
            c->array[c->n_arrays++] =
                (kf__carry_array){.type = type, .name = kf__l_name(L, "carried%u", (unsigned)a)};
        until[a] = v->last;
        v->array = a;
    }
}

static int by_first(const void *a, const void *b) {
    const kf__carry *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->instr < y->instr ? -1 : x->instr > y->instr;
}

bool kf__cpu_find_carried(kf__low *L, kf__carried *c) {
    *c = (kf__carried){0};
    if (kf__low_reduced_axes(L) != 1 || L->k->n_stages < 2 || L->own) return false;
    kf__kept kept;
    bool exps = kf__cpu_find_exps(L, &kept), any = exps || kf__cpu_find_dear(L, &kept);
    kept.next = NULL; /* of others what is dear is carried */
    search s = {.L = L, .kept = any ? &kept : NULL};
    if (!search_all(&s) || s.again < WORTH) return false;
    c->at = KF__NEW(L->arena, kf__carry, L->k->n_instrs + 1);
    c->array = KF__NEW(L->arena, kf__carry_array, L->k->n_instrs + 1);
    c->of = KF__NEW(L->arena, kf__mask *, L->k->n_stages);
    for (uint32_t stage = 0; c->of && stage < L->k->n_stages; ++stage) {
        c->of[stage] = kf__low_mask(L);
        if (!c->of[stage]) L->failed = true;
    }
    if (!c->at || !c->array || !c->of) L->failed = true;
    s = (search){.L = L, .kept = exps ? &kept : NULL, .to = c};
    if (L->failed || !search_all(&s) || !c->n) return false;
    qsort(c->at, c->n, sizeof *c->at, by_first);
    share_arrays(L, c);
    if (exps)
        c->array[c->n_arrays++] = (kf__carry_array){kf__state_type(L, kept.red), kept.row};
    int64_t bytes = 0;
    for (uint32_t a = 0; a < c->n_arrays; ++a) bytes += kf__types[c->array[a].type].size;
    c->most = KF__CPU_KEPT / kf__max(8, bytes) / KF__CPU_LANES * KF__CPU_LANES;
    return !L->failed;
}

void kf__cpu_put_carried(kf__low *L) {
    const kf__carried *c = L->carried;
    const kf__lx *slot = kf__cpu_put_slot(L, c->most);
    for (uint32_t a = 0; a < c->n_arrays; ++a)
        kf__cpu_put_kept_row(L, c->array[a].name, c->array[a].type, c->most, slot);
}

bool kf__cpu_carries(const kf__low *L) {
    const kf__carried *c = L->carried;
    for (uint32_t k = 0; c && k < c->n; ++k)
        if (c->at[k].first == c->stage) return true;
    return false;
}

static bool is_there(const kf__carried *c, const kf__carry *v) {
    return v->first + !c->made <= c->stage && v->last >= c->stage;
}

static const char *pointer(kf__low *L, const kf__carry *v) {
    return kf__l_name(L, "%s_from", L->carried->array[v->array].name);
}

void kf__cpu_point_at_carried(kf__low *L, const kf__lx *first) {
    const kf__carried *c = L->carried;
    for (uint32_t k = 0; c && k < c->n; ++k) {
        const kf__carry *v = &c->at[k];
        if (v->first > c->stage || v->last < c->stage) continue;
        const kf__carry_array *array = &c->array[v->array];
        const kf__lx *at = kf__l_bin(L, "+", c->begin, first);
        kf__put_let(L, kf__l_name(L, "%s *", kf__ctype(array->type)), pointer(L, v),
                    kf__l_bin(L, "+", kf__l_var(L, array->name), at), NULL);
    }
}

void kf__cpu_read_carried(kf__low *L, const kf__lx *e) {
    const kf__carried *c = L->carried;
    for (uint32_t k = 0; c && k < c->n; ++k)
        if (is_there(c, &c->at[k]))
            L->value[c->at[k].instr] = kf__l_item(L, pointer(L, &c->at[k]), e);
}

bool kf__cpu_is_carried(const kf__low *L, uint32_t i) {
    const kf__carried *c = L->carried;
    for (uint32_t k = 0; c && k < c->n; ++k)
        if (c->at[k].instr == i) return c->at[k].first == c->stage;
    return false;
}

void kf__cpu_carry(kf__low *L, const kf__lx *e) {
    const kf__carried *c = L->carried;
    for (uint32_t k = 0; c && !c->made && k < c->n; ++k)
        if (c->at[k].first == c->stage)
            kf__put_set(L, kf__l_item(L, pointer(L, &c->at[k]), e),
                        kf__value_of(L, c->at[k].instr));
}
