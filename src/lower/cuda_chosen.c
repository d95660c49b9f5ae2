/* Loads from where a choice among parts tells; of what no choice was found for, one part after the
 * other. See cuda_choose.c. */
#include "lower/cuda_choice.h"

/* Registers that are loaded: pack s of `array`, of so many words a pack, or, 0, of elements. */
typedef struct target {
    kf__low *L;
    kf__tile *t;
    uint32_t lead;
    const char *array;
    int words;
    const kf__lx *s;
} target;

static int words_of_one(const target *to) {
    return (int)kf__max(1, kf__types[kf__choice_type(to->L, to->lead)].size / 4);
}

/* The first of pack s's words in the array. */
static const kf__lx *first_word(const target *to) {
    return kf__l_bin(to->L, "*", to->s, kf__l_int(to->L, to->words));
}

static void put_empty(const target *to) {
    kf__cuda_put_empty(to->L, to->array, first_word(to), to->words);
}

/* Of a pack that is one in memory, too, the `here` elements that there are. */
static void put_wide(const target *to, const kf__lx *p, const kf__lx *here, const kf__lx *aligned) {
    kf__low *L = to->L;
    const char *load = kf__cuda_wide_name(L, "load", to->t->W, kf__choice_type(L, to->lead));
    kf__put_call(L, kf__l_call(L, load, KF__I64, p, kf__l_int(L, 0), here, aligned,
                               kf__cuda_words_of(L, to->t, to->lead, to->s)));
}

static const char *raw_name(const target *to) { return kf__l_name(to->L, "raw_%s", to->array); }

/* Element e, from where `any` holds; NULL: it does. Of packs into words of its own. */
static void put_element(const target *to, const kf__lx *place, const kf__lx *any, const kf__lx *e) {
    kf__low *L = to->L;
    const char *type = kf__types[kf__choice_type(L, to->lead)].alias;
    const kf__lx *left = to->t->inside ? NULL : kf__l_bin(L, "<", e, to->t->left);
    if (left) any = any ? kf__l_bin(L, "&", any, left) : left;
    if (any)
        place = kf__l_select(L, any, place, kf__low_zeros(L, L->k->instrs[to->lead].access));
    const char *name = kf__l_name(L, "p_%s", to->array);
    place = kf__put_let(L, kf__choice_pointer(L, to->lead), name, place, NULL);
    if (to->words) {
        const kf__lx *at = kf__l_bin(L, "*", e, kf__l_int(L, words_of_one(to)));
        kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_single_%s", type), KF__I64, place,
                                   kf__l_bin(L, "+", kf__l_var(L, raw_name(to)), at)));
        return;
    }
    const kf__lx *load = kf__low_load(L, L->k->instrs[to->lead].access, place, kf__l_int(L, 0));
    kf__put_set(L, kf__l_item(L, to->array, kf__cuda_slot(L, to->t, to->s, e)), load);
}

static void put_raw(const target *to) {
    if (to->words)
        kf__put_var(to->L, "uint32_t", raw_name(to), to->t->W * words_of_one(to), NULL);
}

static void put_join(const target *to, const kf__lx *words) {
    kf__low *L = to->L;
    const char *join = kf__cuda_wide_name(L, "join", to->t->W, kf__choice_type(L, to->lead));
    kf__put_call(L, kf__l_call(L, join, KF__I64, kf__l_var(L, raw_name(to)), words));
}

/* Is it to be chosen by elements? Else it is loaded as a pack. */
static bool is_element(const target *to, uint32_t i) {
    return kf__cuda_is_part(to->L, to->lead, i) && !kf__cuda_is_pack(to->L, to->t, i);
}

/* Any elements: each guard and each address by itself. */
static void put_each(const target *to) {
    kf__low *L = to->L;
    kf__tile *t = to->t;
    for (uint32_t i = to->lead; i < L->k->n_instrs; ++i)
        if (is_element(to, i)) kf__cuda_need_pointer(L, t, L->k->instrs[i].access);
    const kf__lx *e = kf__cuda_open_elements(L, t), *at = kf__l_bin(L, "+", t->j, e);
    const kf__lx *any = NULL, *place = NULL;
    for (uint32_t i = to->lead; i < L->k->n_instrs; ++i) {
        if (!is_element(to, i)) continue;
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

/* Any pack, of what no choice was found for: its parts one after the other. */
static void put_pack(const target *to, uint32_t i) {
    kf__low *L = to->L;
    kf__tile *t = to->t;
    const kf__instr *in = &L->k->instrs[i];
    kf__cuda_need_pointer(L, t, in->access);
    const kf__lx *known = kf__known_guard(L, in->args[0]), *begin, *end;
    if (known) kf__open_if(L, known); /* passed by where it is another row's */
    L->known_holds = true;
    const kf__lx *p = kf__l_var(L, L->pointer[in->access]);
    const kf__lx *here = kf__cuda_elements_here(L, t, i);
    kf__put_range(L, i, t->j, here, &begin, &end);
    kf__open_if(L, kf__l_bin(L, "<", begin, end));
    kf__open_if(L, kf__l_bin(L, "==", kf__l_bin(L, "-", end, begin), here));
    put_wide(to, p, here, kf__cuda_aligned(L, t, in->access));
    kf__open_else(L);
    const char *some = kf__cuda_wide_name(L, "part", t->W, kf__choice_type(L, to->lead));
    kf__cuda_put_part(L, to->array, first_word(to), to->words, some, p, begin, end);
    kf__close(L);
    kf__close(L);
    L->known_holds = false;
    if (known) kf__close(L);
}

static void put_parts(const target *to) {
    kf__low *L = to->L;
    bool elements = false;
    if (to->words) put_empty(to);
    for (uint32_t i = to->lead; i < L->k->n_instrs; ++i) {
        if (is_element(to, i))
            elements = true;
        else if (kf__cuda_is_part(L, to->lead, i))
            put_pack(to, i);
    }
    if (!elements) return;
    put_raw(to);
    put_each(to);
    if (!to->words) return;
    const char *some = kf__l_name(L, "some_%s", to->array);
    kf__put_var(L, "uint32_t", some, to->words, NULL);
    put_join(to, kf__l_var(L, some));
    kf__cuda_add_words(L, to->array, first_word(to), to->words, some);
}

bool kf__cuda_is_chosen(const kf__low *L, const kf__tile *t, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind != KF__I_LOAD || !kf__cuda_in_registers(L, i)) return false;
    return kf__cuda_shares(L, i) || (t->inside && in->n_args);
}

/* The pack from a group that it lies in altogether. false: there may be packs that lie in no group,
 * which are to be loaded by elements in the branch that is left open. depth: branches to close. */
static bool put_whole(const target *to, kf__choice *c, int *depth) {
    kf__low *L = to->L;
    kf__tile *t = to->t;
    bool others = false;
    for (uint32_t k = 0; k < c->n; ++k) {
        const kf__choice_part *p = &c->parts[k];
        const kf__choice_group *g = &c->groups[k];
        if (p->group != k) continue;
        others |= !g->pack || p->n_late;
        if (!g->pack) continue;
        kf__choice_put(c, k);
        const kf__lx *here = kf__cuda_elements_here(L, t, p->instr), *whole = NULL;
        const kf__lx *last = kf__l_bin(L, "-", kf__l_bin(L, "+", t->j, here), kf__l_int(L, 1));
        for (uint32_t n = 0; n < p->n_late; ++n) {
            const kf__lx *holds = kf__holds_from(L, p->late[n], t->j, last);
            whole = whole ? kf__l_bin(L, "&", whole, holds) : holds;
        }
        if (g->some) whole = whole ? kf__l_bin(L, "&", g->some, whole) : g->some;
        const kf__lx *wide = kf__choice_aligned(c, k);
        if (whole) kf__open_if(L, whole), ++*depth;
        put_wide(to, g->from, here, wide);
        if (!whole) return true; /* all that there are */
        kf__open_else(L);
    }
    return !others;
}

void kf__cuda_put_of_span(kf__low *L, kf__tile *t, uint32_t lead, const char *array,
                          const kf__lx *s) {
    target to = {L, t, lead, array, 0, s};
    const kf__choice *c = t->choices[lead];
    const kf__lx *e = kf__cuda_open_elements(L, t);
    put_element(&to, kf__choice_place(c, &c->span, e), NULL, e);
    kf__close(L);
}

static void put_elements(const target *to, kf__choice *c) {
    kf__low *L = c->L;
    kf__tile *t = c->t;
    put_raw(to);
    for (uint32_t k = 0; k < c->n; ++k)
        if (c->parts[k].group == k) kf__choice_put(c, k);
    const kf__lx *e = kf__cuda_open_elements(L, t), *at = kf__l_bin(L, "+", t->j, e);
    const kf__lx *any = NULL, *here[KF__MOST_PARTS];
    for (uint32_t k = 0; k < c->n; ++k) {
        if (c->parts[k].group != k) continue;
        here[k] = kf__choice_guard(c, k, at);
        any = any ? kf__l_bin(L, "|", any, here[k]) : here[k];
    }
    if (c->all) any = NULL;
    kf__choice_group late = {0};
    kf__choice_late(c, here, &late);
    put_element(to, kf__choice_place(c, &late, e), any, e);
    kf__close(L);
    if (to->words) put_join(to, kf__cuda_words_of(L, t, to->lead, to->s));
}

/* Packs of a choice: whole ones, or elements, or nothing. */
static void put_packs(const target *to, kf__choice *c) {
    kf__low *L = to->L;
    int depth = 0;
    if (!put_whole(to, c, &depth)) {
        kf__open_if(L, kf__l_bin(L, "<", kf__l_int(L, 0), to->t->left));
        put_elements(to, c);
        kf__open_else(L);
        ++depth;
    }
    if (depth) put_empty(to);
    while (depth--) kf__close(L);
}

void kf__cuda_put_chosen(kf__low *L, kf__tile *t, uint32_t lead, const char *array, int words,
                         const kf__lx *s) {
    target to = {L, t, lead, array, words, s};
    kf__choice *c = t->choices ? t->choices[lead] : kf__cuda_begin_choice(L, t, lead);
    if (!c)
        put_parts(&to);
    else if (words)
        put_packs(&to, c);
    else
        put_elements(&to, c);
}
