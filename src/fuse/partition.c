/* The result of fuse: program values, kernels in an order in which they can run, and the cuts.
 * All of it is copied into the partition's arena; the graph moves into it.
 */
#include "fuse/internal.h"

typedef struct maker {
    kf__fuse_state *f;
    kf__partition *p;
    const kf__groups *groups;
    uint32_t *order;    /* [kernels] groups */
    uint32_t *value_of; /* [nodes] where a kernel finds it; KF__NO_VALUE: nowhere */
    uint32_t *maker_of; /* [values] kernel that stores it */
    kf__readers readers;
    uint32_t first_result;
} maker;

/* Count the group's stores where others wait for them, by `by`. */
static void count_waited(const maker *m, uint32_t group, uint32_t *waits, uint32_t by) {
    const kf__roots *roots = &m->groups->at[group].roots;
    for (uint32_t r = 0; r < roots->n; r++) {
        kf__ref node = kf__root_fed_as(m->f, &roots->at[r]);
        for (uint32_t k = m->readers.first[node]; k < m->readers.first[node + 1]; k++)
            if (node && m->readers.group[k] != group) waits[m->readers.group[k]] += by;
    }
}

/* A kernel comes when all that it reads is there; among those the one made first. */
static bool sort_groups(maker *m) {
    const kf__groups *groups = m->groups;
    kf__arena *arena = &m->p->arena;
    uint8_t *done = KF__NEW(arena, uint8_t, groups->n + 1);
    uint32_t *waits = KF__NEW(arena, uint32_t, groups->n + 1); /* for so many stores */
    m->order = KF__NEW(arena, uint32_t, groups->n + 1);
    if (!done || !waits) m->order = NULL; /* the caller looks at it alone */
    if (!m->order) return false;
    uint32_t n = 0, left = 0;
    for (uint32_t i = 0; i < groups->n; i++) {
        if (groups->at[i].dead) continue;
        left++;
        count_waited(m, i, waits, 1);
    }
    while (n < left) {
        uint32_t before = n;
        for (uint32_t i = 0; i < groups->n; i++) {
            if (groups->at[i].dead || done[i] || waits[i]) continue;
            count_waited(m, i, waits, (uint32_t)-1);
            done[i] = 1;
            m->order[n++] = i;
        }
        if (n == before) break; /* a cycle: the caller sees too few kernels */
    }
    m->p->n_kernels = n;
    return n == left;
}

static void add_value(maker *m, kf__value_kind kind, uint32_t index, kf__ref node) {
    const kf__node *n = kf__at(m->f->g, node);
    kf__value *v = &m->p->values[m->p->n_values];
    *v = (kf__value){.kind = kind, .index = index, .dtype = n->dtype, .rank = n->rank,
                     .shape = n->shape, .node = node};
    if (m->value_of[node] == KF__NO_VALUE) m->value_of[node] = m->p->n_values;
    m->p->n_values++;
}

/* Inputs that are read, results, temporaries. A result that kernels read is no temporary. */
static bool make_values(maker *m) {
    const kf_graph *g = m->f->g;
    kf__arena *arena = &m->p->arena;
    uint32_t most = g->inputs.n + g->results.n;
    for (uint32_t i = 0; i < m->groups->n; i++)
        most += m->groups->at[i].dead ? 0 : m->groups->at[i].roots.n;
    m->p->values = KF__NEW(arena, kf__value, most + 1);
    m->maker_of = KF__NEW(arena, uint32_t, most + 1);
    m->value_of = KF__NEW(arena, uint32_t, g->nodes.n);
    if (!m->p->values || !m->maker_of || !m->value_of) return false;
    memset(m->value_of, 0xff, sizeof(uint32_t) * g->nodes.n);
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        const kf__graph_input *in = &g->inputs.at[i];
        if (in->node && kf__readers_but(&m->readers, in->node, UINT32_MAX))
            add_value(m, KF__VALUE_INPUT, i, in->node);
    }
    m->first_result = m->p->n_values;
    for (uint32_t i = 0; i < g->results.n; i++) add_value(m, KF__VALUE_RESULT, i, g->results.at[i]);
    for (uint32_t i = 0; i < m->p->n_kernels; i++) {
        const kf__roots *roots = &m->groups->at[m->order[i]].roots;
        for (uint32_t r = 0; r < roots->n; r++)
            if (roots->at[r].store && roots->at[r].result < 0)
                add_value(m, KF__VALUE_TEMP, 0, roots->at[r].node);
    }
    return true;
}

static bool copy_access(maker *m, kf__access *to, const kf__access *from) {
    *to = *from;
    if (from->value == KF__NO_VALUE) to->value = KF__NO_VALUE;
    else if (from->value & KF__RESULT_BIT)
        to->value = m->first_result + (from->value & ~KF__RESULT_BIT);
    else to->value = m->value_of[from->value];
    to->index = kf__arena_copy(&m->p->arena, from->index, sizeof(kf__expr) * (size_t)from->rank);
    return to->index || !from->rank;
}

static bool make_kernel(maker *m, uint32_t number) {
    const kf__group *group = &m->groups->at[m->order[number]];
    const kf__body *b = group->body;
    kf__kernel *k = &m->p->kernels[number];
    kf__arena *arena = &m->p->arena;
    k->kind = b->kind;
    k->n_symbols = b->n_symbols;
    memcpy(k->symbols, b->symbols, sizeof(k->symbols));
    memcpy(k->symbol_axes, b->symbol_axes, sizeof(k->symbol_axes));
    k->n_axes = b->domain.n, k->reduced = b->domain.reduced;
    k->n_instrs = b->instrs.n, k->n_accesses = b->accesses.n, k->n_stores = b->stores.n;
    k->size = kf__arena_copy(arena, b->domain.size, sizeof(kf__expr) * (b->domain.n + 1));
    k->instrs = kf__arena_copy(arena, b->instrs.at, sizeof(kf__instr) * b->instrs.n);
    k->accesses = KF__NEW(arena, kf__access, b->accesses.n + 1);
    k->stores = kf__arena_copy(arena, b->stores.at, sizeof(kf__store) * b->stores.n);
    if (!k->size || !k->instrs || !k->accesses || !k->stores) return false;
    for (uint32_t i = 0; i < k->n_accesses; i++)
        if (!copy_access(m, &k->accesses[i], &b->accesses.at[i])) return false;
    for (uint32_t i = 0; i < k->n_instrs; i++)
        if (k->instrs[i].stage >= k->n_stages) k->n_stages = k->instrs[i].stage + 1u;
    for (uint32_t i = 0; i < k->n_stores; i++) {
        uint32_t value = k->accesses[k->stores[i].access].value;
        m->maker_of[value] = number;
        m->p->values[value].parts++;
    }
    return kf__kernel_names(m->p, number, k, &group->roots);
}

/* The operation of kernel k that needs what instruction `at` loads. */
static kf__ref user_of(const kf__kernel *k, uint32_t at) {
    for (uint32_t i = at + 1; i < k->n_instrs; i++)
        for (uint32_t a = 0; a < k->instrs[i].n_args; a++)
            if (k->instrs[i].args[a] == at) return k->instrs[i].node;
    return k->instrs[at].node;
}

static bool make_cuts(maker *m) {
    kf__partition *p = m->p;
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->n_kernels; i++) most += p->kernels[i].n_accesses;
    p->cuts = KF__NEW(&p->arena, kf__cut, most + 1);
    if (!p->cuts) return false;
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        const kf__kernel *k = &p->kernels[i];
        uint32_t first = p->n_cuts;
        for (uint32_t n = 0; n < k->n_instrs; n++) {
            if (k->instrs[n].kind != KF__I_LOAD) continue;
            uint32_t value = k->accesses[k->instrs[n].access].value;
            if (p->values[value].kind == KF__VALUE_INPUT) continue;
            bool known = false; /* by another index map */
            for (uint32_t c = first; c < p->n_cuts; c++) known |= p->cuts[c].value == value;
            if (known) continue;
            kf__ref node = p->values[value].node;
            kf__cut *cut = &p->cuts[p->n_cuts++];
            *cut = (kf__cut){.from = m->maker_of[value], .to = i, .value = value,
                             .code = kf__cut_codes[m->f->stored[node]]};
            kf__ref user = user_of(k, n); /* a gather is nothing but its load */
            bool gathered = m->f->stored[node] == KF__CUT_GATHER; /* other loads may come first */
            if ((user == node || gathered) && m->f->user[node]) user = m->f->user[node];
            cut->why = kf__cut_sentence(p, m->f->stored[node], node, user);
            if (!cut->why) return false;
        }
    }
    return true;
}

kf_status kf__partition_make(kf__fuse_state *f, const kf__groups *groups, kf__partition **out,
                             kf_error *err) {
    maker m = {.f = f, .groups = groups};
    *out = NULL;
    m.p = kf__allocate(f->mem, sizeof(*m.p));
    if (!m.p) return kf__out_of_memory(err);
    memset(m.p, 0, sizeof(*m.p));
    kf__arena_init(&m.p->arena, f->mem);
    m.p->graph = f->g;
    kf_status status = KF_OK;
    if (!kf__readers_find(f, groups, &m.readers) || !sort_groups(&m))
        status = m.order ? kf__fail(err, KF_ERR_INTERNAL, "fuse made a cycle of kernels")
                         : kf__out_of_memory(err);
    m.p->kernels = KF__NEW(&m.p->arena, kf__kernel, m.p->n_kernels + 1);
    bool ok = status == KF_OK && m.p->kernels && make_values(&m);
    for (uint32_t i = 0; ok && i < m.p->n_kernels; i++) ok = make_kernel(&m, i);
    ok = ok && make_cuts(&m);
    kf__readers_free(f, &m.readers);
    if (ok) {
        *out = m.p;
        return KF_OK;
    }
    m.p->graph = NULL; /* still the caller's */
    kf__partition_free(m.p);
    return status != KF_OK ? status : kf__out_of_memory(err);
}
