/* The driver: which values go through memory.
 *
 *   1  every result, and every value already marked as stored, is the root of a kernel of its own;
 *      where its body can't be built, one more value is marked, until all can be
 *   2  kernels merge (merge.c)
 *   3  is another set of stored values cheaper? (search.c) Then 1 and 2 again with it
 *
 * With fusion off the marks of step 1 begin with each value that leaves the user's operation.
 */
#include "fuse/internal.h"

/* ---------------------------------------------------------------- state */

/* Sizes to guess costs with: the input of the highest rank has about a million elements, its last
 * two axes are long, those before are few (a batch, heads, channels). */
static void guess_names(kf__fuse_state *f) {
    static const int64_t few[] = {1, 1, 1, 1 << 4, 1 << 4, 1 << 3, 6, 5, 4};
    static const int64_t many[] = {1, 1 << 20, 1 << 10, 1 << 8, 1 << 6, 1 << 5, 32, 24, 20};
    const kf_graph *g = f->g;
    int rank = 1;
    for (uint32_t i = 0; i < g->inputs.n; i++)
        if (g->inputs.at[i].node) rank = kf__max(rank, kf__at(g, g->inputs.at[i].node)->rank);
    for (uint32_t i = 0; i < g->results.n; i++) /* of random numbers alone */
        rank = kf__max(rank, kf__min(kf__at(g, g->results.at[i])->rank, KF__MAX_ARRAY_RANK));
    for (uint32_t i = 0; i < g->exprs.names.n; i++) f->names[i] = many[rank];
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        if (!g->inputs.at[i].node) continue;
        const kf__node *n = kf__at(g, g->inputs.at[i].node);
        for (int d = 0; d < n->rank - 2; d++) {
            const kf__expr_node *x = &g->exprs.nodes.at[n->shape[d]];
            if (x->kind == KF__X_NAME)
                f->names[x->value] = kf__min(f->names[x->value], few[n->rank]);
        }
    }
}

static void find_scalars(kf__fuse_state *f) {
    for (kf__ref r = 1; r < f->g->nodes.n; r++) {
        const kf__node *n = kf__at(f->g, r);
        bool array = n->kind == KF__INPUT || n->kind == KF__RANDOM || n->kind == KF__IOTA ||
                     n->kind == KF__PAD || n->kind == KF__CONCAT || n->kind == KF__GATHER ||
                     n->kind == KF__SCAN;
        uint8_t all = array ? 0 : n->kind == KF__REDUCE ? 2 : 1;
        for (int i = 0; i < n->n_args && all; i++)
            all = f->scalars[n->args[i]] ? (uint8_t)kf__max(all, f->scalars[n->args[i]]) : 0;
        f->scalars[r] = all;
    }
}

static void find_results(kf__fuse_state *f) {
    for (uint32_t i = 0; i < f->g->results.n; i++) {
        kf__ref r = f->g->results.at[i];
        f->results[r] |= KF__IS_RESULT;
        while (kf__is_view(kf__at(f->g, r))) r = kf__at(f->g, r)->args[0];
        f->results[r] |= KF__UNDER_RESULT;
    }
}

/* Results that are another value in another shape: who needs that one can read the result. */
static void find_twins(kf__fuse_state *f) {
    for (uint32_t i = 0; i < f->g->results.n; i++) {
        kf__ref result = f->g->results.at[i], r = result;
        while (kf__at(f->g, r)->kind == KF__RESHAPE) {
            r = kf__at(f->g, r)->args[0];
            if (!f->twin[r] && kf__at(f->g, r)->kind != KF__INPUT) f->twin[r] = result;
        }
    }
    for (uint32_t i = 0; i < f->g->results.n; i++) f->twin[f->g->results.at[i]] = 0;
}

void kf__mark(kf__fuse_state *f, kf__ref node, kf__ref user, kf__cut_code code) {
    if (f->twin[node]) node = f->twin[node];
    if (f->stored[node] || kf__at(f->g, node)->kind == KF__INPUT) return; /* it is in memory */
    f->stored[node] = (uint8_t)code;
    f->user[node] = user;
    f->marked[node] = ++f->marks;
}

bool kf__is_half_sum(const kf__node *n) {
    bool sums = n->op == KF__RED_SUM || (n->op == KF__RED_MOMENTS && n->field == 1);
    return n->kind == KF__REDUCE && sums && kf__is_narrow((kf__dtype)n->dtype);
}

static bool is_own_cast(const kf__node *n) { return n->kind == KF__CAST && n->call == 0; }

/* Below all views, and below casts that no operation of the user's made (parse/eager.c): a half
 * that is computed with. */
static kf__ref peel_casts(const kf_graph *g, kf__ref r) {
    r = kf__peel(g, r);
    while (is_own_cast(kf__at(g, r))) r = kf__peel(g, kf__at(g, r)->args[0]);
    return r;
}

/* With fusion off: what an operation of the user takes from another one lies in memory. `needed` is
 * scratch: nodes that no result needs don't count. */
static void mark_operations(kf__fuse_state *f, uint8_t *needed) {
    const kf_graph *g = f->g;
    memset(needed, 0, g->nodes.n);
    for (uint32_t i = 0; i < g->results.n; i++) needed[g->results.at[i]] = 1;
    for (kf__ref r = g->nodes.n; r-- > 1;) {
        const kf__node *n = kf__at(g, r);
        for (int i = 0; i < n->n_args && needed[r]; i++) {
            kf__ref arg = peel_casts(g, n->args[i]);
            const kf__node *a = kf__at(g, arg);
            needed[n->args[i]] = 1;
            bool moves = kf__is_view(n) || is_own_cast(n);
            if (moves || a->kind == KF__INPUT || f->scalars[arg]) continue;
            if (a->kind == KF__CONCAT && n->kind == KF__CONCAT && a->call == n->call)
                continue; /* a chain is one operation */
            if (a->call == n->call && (f->mode != KF_FUSION_OPS || kf__is_half_sum(a))) continue;
            kf__mark(f, arg, r, KF__CUT_USER);
        }
    }
}

/* Halves are rounded where kernels end, and what is elementwise has the same bits on both. */
bool kf__may_differ(const kf_graph *g) {
    bool halves = false, reduces = false;
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        const kf__node *n = kf__at(g, r);
        halves = halves || (n->kind == KF__OP && kf__is_narrow((kf__dtype)n->dtype));
        reduces = reduces || n->kind == KF__REDUCE || n->kind == KF__SCAN;
    }
    return !halves || reduces;
}

static kf_status state_init(kf__fuse_state *f, kf_graph *g, kf_fusion mode, bool cpu,
                            kf_error *err) {
    bool differs = kf__may_differ(g);
    *f = (kf__fuse_state){.g = g, .mem = g->mem, .mode = mode, .cpu = cpu && differs,
                          .like_gpu = cpu && !differs};
    size_t n = g->nodes.n, names = g->exprs.names.n + 1u;
    f->stored = kf__allocate(f->mem, n);
    f->scalars = kf__allocate(f->mem, n);
    f->user = kf__allocate(f->mem, n * sizeof(*f->user));
    f->twin = kf__allocate(f->mem, n * sizeof(*f->twin));
    f->marked = kf__allocate(f->mem, n * sizeof(*f->marked));
    f->newest = kf__allocate(f->mem, n * sizeof(*f->newest));
    f->split = kf__allocate(f->mem, n);
    f->results = kf__allocate(f->mem, n);
    f->names = kf__allocate(f->mem, names * sizeof(*f->names));
    if (!f->stored || !f->scalars || !f->user || !f->twin || !f->split || !f->results ||
        !f->marked || !f->newest || !f->names)
        return kf__out_of_memory(err);
    memset(f->stored, 0, n);
    memset(f->scalars, 0, n);
    memset(f->split, 0, n);
    memset(f->results, 0, n);
    memset(f->user, 0, n * sizeof(*f->user));
    memset(f->twin, 0, n * sizeof(*f->twin));
    memset(f->marked, 0, n * sizeof(*f->marked));
    guess_names(f);
    find_scalars(f);
    find_results(f);
    if (mode == KF_FUSION_ON) {
        find_twins(f);
        return KF_OK;
    }
    uint8_t *needed = kf__allocate(f->mem, n);
    if (!needed) return kf__out_of_memory(err);
    mark_operations(f, needed);
    kf__release(f->mem, needed);
    return KF_OK;
}

static void state_free(kf__fuse_state *f) {
    kf__release(f->mem, f->stored);
    kf__release(f->mem, f->scalars);
    kf__release(f->mem, f->user);
    kf__release(f->mem, f->twin);
    kf__release(f->mem, f->marked);
    kf__release(f->mem, f->newest);
    kf__release(f->mem, f->split);
    kf__release(f->mem, f->results);
    kf__release(f->mem, f->names);
}

/* ---------------------------------------------------------------- one kernel for each root */

void kf__groups_free(const kf__fuse_state *f, kf__groups *groups) {
    for (uint32_t i = 0; i < groups->n; i++) {
        kf__body_free(groups->at[i].body);
        KF__VEC_FREE(f->mem, &groups->at[i].roots);
    }
    KF__VEC_FREE(f->mem, groups);
}

/* Where indices need div or mod: once more, with axes split as the reshapes have them. */
static kf_status split_axes(kf__fuse_state *f, kf__group *group) {
    kf__domain domain = group->domain;
    bool no_memory = false, affine = true;
    for (uint32_t i = 0; i < group->body->accesses.n; i++)
        affine &= group->body->accesses.at[i].affine;
    if (affine) return KF_OK;
    if (!kf__domain_split(f, group->roots.at[0].node, &domain, &no_memory))
        return no_memory ? KF_ERR_MEMORY : KF_OK;
    kf__body *body = kf__body_build(f, &group->roots, &domain);
    if (!body) return KF_ERR_MEMORY;
    if (body->failed || body->cost >= group->body->cost) {
        no_memory = body->no_memory;
        kf__body_free(body);
        return no_memory ? KF_ERR_MEMORY : KF_OK;
    }
    kf__body_free(group->body);
    group->body = body;
    group->domain = domain;
    return KF_OK;
}

/* Add a kernel for one root, marking values until it can be. *marked: whether any was. */
static kf_status add_group(kf__fuse_state *f, kf__groups *groups, kf__root root, bool *marked,
                           kf_error *err) {
    kf__group group = {0};
    bool ok = KF__PUSH(f->mem, &group.roots, root);
    while (ok) {
        ok = kf__domain_find(f, root.node, &group.domain) == KF_OK;
        group.body = ok ? kf__body_build(f, &group.roots, &group.domain) : NULL;
        ok = group.body && !group.body->no_memory;
        if (!ok) break;
        if (!group.body->failed) {
            group.built = f->marks;
            ok = split_axes(f, &group) == KF_OK && KF__PUSH(f->mem, groups, group);
            if (ok) {
                group.body->roots = NULL;
                return KF_OK;
            }
            break;
        }
        kf__ref cut = group.body->cut;
        kf__cut_code code = group.body->code;
        kf__ref user = group.body->user;
        kf__body_free(group.body);
        group.body = NULL;
        bool fits = cut && kf__at(f->g, cut)->kind != KF__INPUT && !kf__in_memory(f, cut);
        if (!fits || cut == root.node || f->scalars[cut] == 1) {
            KF__VEC_FREE(f->mem, &group.roots);
            return kf__fail(err, KF_ERR_LIMIT, "no kernel can hold result or value %u (%s)",
                            root.node, cut ? "a cut doesn't help" : "too many operands");
        }
        kf__mark(f, cut, user, code);
        *marked = true;
    }
    kf__body_free(group.body);
    KF__VEC_FREE(f->mem, &group.roots);
    return kf__out_of_memory(err);
}

/* Do others that aren't dead read what the group stores? */
static bool is_read(const kf__groups *groups, const kf__readers *readers, uint32_t group) {
    kf__ref node = groups->at[group].roots.at[0].node;
    for (uint32_t i = readers->first[node]; i < readers->first[node + 1]; i++)
        if (readers->group[i] != group && !groups->at[readers->group[i]].dead) return true;
    return false;
}

/* Marks that in the end nobody reads: their kernels go, and what only those read. Last ones first,
 * as those read the others. */
static kf_status drop_unread(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    kf__readers readers;
    bool ok = kf__readers_find(f, groups, &readers);
    for (bool changed = ok; changed;) {
        changed = false;
        for (uint32_t i = groups->n; i-- > 0;) {
            kf__group *group = &groups->at[i];
            if (group->dead || group->roots.at[0].result >= 0) continue;
            if (is_read(groups, &readers, i)) continue;
            group->dead = changed = true;
            f->stored[group->roots.at[0].node] = 0;
        }
    }
    kf__readers_free(f, &readers);
    return ok ? KF_OK : kf__out_of_memory(err);
}

/* A kernel for each part of a result that is a concatenation. */
static kf_status add_parts(kf__fuse_state *f, kf__groups *groups, kf__root whole, bool *marked,
                           kf_error *err) {
    kf__roots roots = {0};
    kf_status status = KF_OK;
    if (!kf__split_roots(f, whole.node, whole.result, &roots)) status = kf__out_of_memory(err);
    for (uint32_t i = 0; i < roots.n && status == KF_OK; i++)
        status = add_group(f, groups, roots.at[i], marked, err);
    KF__VEC_FREE(f->mem, &roots);
    return status;
}

/* A kernel looks at the marks of what it computes and of what it loads, no further: of each node
 * the newest of these. */
static void find_newest(kf__fuse_state *f) {
    for (kf__ref r = 1; r < f->g->nodes.n; r++) {
        const kf__node *n = kf__at(f->g, r);
        f->newest[r] = 0;
        for (int i = 0; i < n->n_args; i++) {
            kf__ref a = n->args[i], twin = f->twin[a];
            uint32_t mark = kf__in_memory(f, a) ? 0 : f->newest[a];
            if (f->stored[a]) mark = kf__max(mark, f->marked[a]);
            if (twin && f->stored[twin]) mark = kf__max(mark, f->marked[twin]);
            f->newest[r] = kf__max(f->newest[r], mark);
        }
    }
    f->newest_of = f->marks;
}

/* Values come before results, those by their nodes, these as they are. */
static bool comes_before(const kf__root *a, const kf__root *b) {
    if (a->result < 0 && b->result < 0) return a->node < b->node;
    return a->result < b->result;
}

/* Take the root's kernel over from the round before, where no mark since then concerns it. `at`
 * goes through those, which have the same order. A result that is a reshape is made anew: what it
 * is made of may stand for it. */
static bool take_over(kf__fuse_state *f, kf__groups *old, uint32_t *at, kf__root root,
                      kf__groups *groups) {
    while (*at < old->n && comes_before(&old->at[*at].roots.at[0], &root)) ++*at;
    if (*at == old->n) return false;
    kf__group *group = &old->at[*at];
    const kf__root *before = &group->roots.at[0];
    if (before->node != root.node || before->result != root.result || before->whole) return false;
    if (f->newest_of != f->marks) find_newest(f);
    bool older = f->stored[root.node] && f->marked[root.node] > group->built;
    if (older || f->newest[root.node] > group->built) return false;
    if (kf__at(f->g, root.node)->kind == KF__RESHAPE || !KF__PUSH(f->mem, groups, *group))
        return false;
    *group = (kf__group){.dead = true};
    ++*at;
    return true;
}

/* A kernel for each root; `old`: of the round before. */
static kf_status make_round(kf__fuse_state *f, kf__groups *old, kf__groups *groups, bool *marked,
                            kf_error *err) {
    const kf_graph *g = f->g;
    uint32_t at = 0;
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        if (!f->stored[r] || kf__is_result(f, r)) continue;
        kf__root root = {.node = r, .result = -1, .store = true};
        if (!take_over(f, old, &at, root, groups))
            KF_TRY(add_group(f, groups, root, marked, err));
    }
    for (uint32_t i = 0; i < g->results.n; i++) {
        kf__root root = {.node = g->results.at[i], .result = (int32_t)i, .store = true};
        if (f->split[root.node])
            KF_TRY(add_parts(f, groups, root, marked, err));
        else if (!take_over(f, old, &at, root, groups))
            KF_TRY(add_group(f, groups, root, marked, err));
    }
    return KF_OK;
}

kf_status kf__make_groups(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    f->newest_of = UINT32_MAX; /* marks were taken back */
    for (bool marked = true; marked;) { /* a later root's mark changes earlier ones */
        kf__groups old = *groups;
        *groups = (kf__groups){0};
        marked = false;
        kf_status status = make_round(f, &old, groups, &marked, err);
        kf__groups_free(f, &old);
        KF_TRY(status);
    }
    KF_TRY(drop_unread(f, groups, err));
    return kf__merge(f, groups, err);
}

/* ---------------------------------------------------------------- fuse */

typedef struct choice {
    kf__fuse_state f;
    kf__groups groups;
} choice;

static kf_status choose(choice *c, kf_graph *graph, kf_fusion mode, bool cpu, kf_error *err) {
    KF_TRY(state_init(&c->f, graph, mode, cpu, err));
    KF_TRY(kf__make_groups(&c->f, &c->groups, err));
    return mode == KF_FUSION_ON ? kf__search(&c->f, &c->groups, err) : KF_OK;
}

static void choice_free(choice *c) {
    if (!c->f.g) return;
    kf__groups_free(&c->f, &c->groups);
    state_free(&c->f);
    c->f.g = NULL;
}

/* Reductions in two steps, of a graph of its own: *best, where that costs less. The groups of each
 * choice point to its state, so neither is moved. */
static kf_status choose_factored(choice *plain, choice *factored, choice **best, kf_error *err) {
    kf_graph *graph = NULL;
    kf_status status = kf__factor(plain->f.g, plain->f.results, &graph, err);
    if (!graph) return status;
    status = choose(factored, graph, KF_FUSION_ON, plain->f.cpu, err);
    if (status == KF_OK && kf__total_cost(&factored->groups) < kf__total_cost(&plain->groups)) {
        *best = factored;
        return KF_OK;
    }
    choice_free(factored);
    kf_graph_free(graph);
    if (status == KF_ERR_LIMIT) { /* it is only a try */
        kf__error_clear(err);
        status = KF_OK;
    }
    return status;
}

kf_status kf__fuse(kf_graph *graph, kf_fusion mode, kf__target_kind target,
                   kf__partition **out, kf_error *err) {
    choice plain = {0}, factored = {0}, *best = &plain;
    *out = NULL;
    kf_status status = choose(&plain, graph, mode, target == KF__TARGET_C, err);
    if (status == KF_OK && mode == KF_FUSION_ON)
        status = choose_factored(&plain, &factored, &best, err);
    if (status == KF_OK) status = kf__partition_make(&best->f, &best->groups, out, err);
    kf_graph *second = factored.f.g;
    if (status == KF_OK && second) (*out)->whole = graph;
    choice_free(&factored);
    choice_free(&plain);
    if (status != KF_OK) {
        kf_graph_free(second);
        kf_graph_free(graph);
    }
    return status;
}
