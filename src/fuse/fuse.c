/* The driver: which values go through memory.
 *
 *   1  every result, and every value already marked as stored, is the root of a kernel of its own;
 *      where its body can't be built, one more value is marked, until all can be
 *   2  kernels merge (merge.c)
 *   3  values that several kernels compute: is storing one cheaper? Then 1 and 2 again with it
 *
 * With fusion off the marks of step 1 begin with each value that leaves the user's operation.
 */
#include "fuse/internal.h"

enum { MAX_CANDIDATES = 12, SEARCH_KERNELS = 400 /* candidates times kernels */ };

/* ---------------------------------------------------------------- state */

/* Sizes to guess costs with: an array whose sizes are all free has about a million elements. */
static void guess_names(kf__fuse_state *f) {
    static const int64_t each[] = {1, 1 << 20, 1 << 10, 1 << 7, 1 << 5, 1 << 4, 10, 8, 6};
    const kf_graph *g = f->g;
    for (uint32_t i = 0; i < g->exprs.names.n; i++) f->names[i] = 1 << 20;
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        const kf__graph_input *in = &g->inputs.at[i];
        int free_dims = 0;
        if (!in->node) continue;
        const kf__node *n = kf__at(g, in->node);
        for (int d = 0; d < n->rank; d++)
            free_dims += g->exprs.nodes.at[n->shape[d]].kind == KF__X_NAME;
        for (int d = 0; d < n->rank; d++) {
            const kf__expr_node *x = &g->exprs.nodes.at[n->shape[d]];
            if (x->kind != KF__X_NAME) continue;
            f->names[x->value] = kf__min(f->names[x->value], each[free_dims]);
        }
    }
}

static void find_scalars(kf__fuse_state *f) {
    for (kf__ref r = 1; r < f->g->nodes.n; r++) {
        const kf__node *n = kf__at(f->g, r);
        bool array = n->kind == KF__INPUT || n->kind == KF__RANDOM || n->kind == KF__IOTA ||
                     n->kind == KF__PAD || n->kind == KF__CONCAT || n->kind == KF__GATHER;
        uint8_t all = array ? 0 : n->kind == KF__REDUCE ? 2 : 1;
        for (int i = 0; i < n->n_args && all; i++)
            all = f->scalars[n->args[i]] ? (uint8_t)kf__max(all, f->scalars[n->args[i]]) : 0;
        f->scalars[r] = all;
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

static void mark(kf__fuse_state *f, kf__ref node, kf__ref user, kf__cut_code code) {
    if (f->twin[node]) node = f->twin[node];
    if (f->stored[node]) return;
    f->stored[node] = (uint8_t)code;
    f->user[node] = user;
}

/* A sum that was made of a mean: a half may not hold it before it is divided. */
static bool is_half_sum(const kf__node *n) {
    return n->kind == KF__REDUCE && n->op == KF__RED_SUM &&
           kf__compute((kf__dtype)n->dtype) != n->dtype;
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
            if (a->call == n->call && (f->mode != KF_FUSION_OPS || is_half_sum(a))) continue;
            mark(f, arg, r, KF__CUT_USER);
        }
    }
}

static kf_status state_init(kf__fuse_state *f, kf_graph *g, kf_fusion mode, kf_error *err) {
    *f = (kf__fuse_state){.g = g, .mem = g->mem, .mode = mode};
    size_t n = g->nodes.n, names = g->exprs.names.n + 1u;
    f->stored = kf__allocate(f->mem, n);
    f->scalars = kf__allocate(f->mem, n);
    f->user = kf__allocate(f->mem, n * sizeof(*f->user));
    f->twin = kf__allocate(f->mem, n * sizeof(*f->twin));
    f->split = kf__allocate(f->mem, n);
    f->names = kf__allocate(f->mem, names * sizeof(*f->names));
    if (!f->stored || !f->scalars || !f->user || !f->twin || !f->split || !f->names)
        return kf__out_of_memory(err);
    memset(f->stored, 0, n);
    memset(f->scalars, 0, n);
    memset(f->split, 0, n);
    memset(f->user, 0, n * sizeof(*f->user));
    memset(f->twin, 0, n * sizeof(*f->twin));
    guess_names(f);
    find_scalars(f);
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
    kf__release(f->mem, f->split);
    kf__release(f->mem, f->names);
}

/* ---------------------------------------------------------------- one kernel for each root */

static void groups_free(const kf__fuse_state *f, kf__groups *groups) {
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
        if (!cut || kf__in_memory(f, cut) || cut == root.node || f->scalars[cut] == 1) {
            KF__VEC_FREE(f->mem, &group.roots);
            return kf__fail(err, KF_ERR_LIMIT, "no kernel can hold result or value %u (%s)",
                            root.node, cut ? "a cut doesn't help" : "too many operands");
        }
        mark(f, cut, user, code);
        *marked = true;
    }
    kf__body_free(group.body);
    KF__VEC_FREE(f->mem, &group.roots);
    return kf__out_of_memory(err);
}

static bool is_result(const kf_graph *g, kf__ref node) {
    for (uint32_t i = 0; i < g->results.n; i++)
        if (g->results.at[i] == node) return true;
    return false;
}

/* Marks that in the end nobody reads: their kernels go, and what only those read. */
static void drop_unread(kf__fuse_state *f, kf__groups *groups) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < groups->n; i++) {
            kf__group *group = &groups->at[i];
            if (group->dead || group->roots.at[0].result >= 0) continue;
            bool read = false;
            for (uint32_t k = 0; k < groups->n && !read; k++)
                read = k != i && !groups->at[k].dead &&
                       kf__group_reads(&groups->at[k], group->roots.at[0].node);
            if (read) continue;
            group->dead = changed = true;
            f->stored[group->roots.at[0].node] = 0;
        }
    }
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

static kf_status make_groups(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    const kf_graph *g = f->g;
    for (bool marked = true; marked;) { /* a later root's mark changes earlier ones */
        marked = false;
        groups_free(f, groups);
        for (kf__ref r = 1; r < g->nodes.n; r++) {
            if (!f->stored[r] || is_result(g, r)) continue;
            kf__root root = {.node = r, .result = -1, .store = true};
            KF_TRY(add_group(f, groups, root, &marked, err));
        }
        for (uint32_t i = 0; i < g->results.n; i++) {
            kf__root root = {.node = g->results.at[i], .result = (int32_t)i, .store = true};
            if (f->split[root.node])
                KF_TRY(add_parts(f, groups, root, &marked, err));
            else
                KF_TRY(add_group(f, groups, root, &marked, err));
        }
    }
    drop_unread(f, groups);
    return kf__merge(f, groups, err);
}

/* ---------------------------------------------------------------- recompute or store */

static double cost_of(const kf__groups *groups) {
    double cost = 0;
    for (uint32_t i = 0; i < groups->n; i++)
        if (!groups->at[i].dead) cost += groups->at[i].body->cost;
    return cost;
}

/* Count how often each node is computed, by several kernels or at several indices. */
static void count_makers(const kf__groups *groups, uint8_t *makers) {
    for (uint32_t i = 0; i < groups->n; i++) {
        if (groups->at[i].dead) continue;
        const kf__body *b = groups->at[i].body;
        for (uint32_t k = 0; k < b->instrs.n; k++) {
            const kf__instr *in = &b->instrs.at[k];
            bool work = in->kind == KF__I_OP || in->kind == KF__I_PROJECT ||
                        in->kind == KF__I_RANDOM || in->kind == KF__I_CAST ||
                        in->kind == KF__I_PICK;
            if (!work || in->level == KF__LEVEL_SCALAR) continue;
            if (makers[in->node] < 255) makers[in->node]++;
        }
    }
}

/* Results that others are made of lie in memory anyway: reading one may cost less. */
static void count_results(const kf__fuse_state *f, uint8_t *makers) {
    for (kf__ref r = 1; r < f->g->nodes.n; r++) {
        const kf__node *n = kf__at(f->g, r);
        for (int i = 0; i < n->n_args; i++)
            if (is_result(f->g, n->args[i]) && kf__at(f->g, n->args[i])->kind != KF__INPUT)
                makers[n->args[i]] = 2;
    }
}

/* Take the partition with these values stored too, or with the parts of `split` stored apart, where
 * that costs less. */
static kf_status try_other(kf__fuse_state *f, kf__groups *groups, const kf__ref *nodes,
                           uint32_t n_nodes, kf__ref split, kf_error *err) {
    uint32_t n = f->g->nodes.n;
    uint8_t *before = kf__allocate(f->mem, n);
    kf__groups other = {0};
    if (!before) return kf__out_of_memory(err);
    memcpy(before, f->stored, n);
    for (uint32_t i = 0; i < n_nodes; i++) mark(f, nodes[i], 0, KF__CUT_RECOMPUTE_DEARER);
    for (kf__ref r = 0; split && r < n; r++) /* where it is cut may change as a whole */
        if (f->stored[r] != KF__CUT_USER) f->stored[r] = 0;
    f->split[split] = split != 0;
    kf_status status = make_groups(f, &other, err);
    if (status == KF_OK && cost_of(&other) < 0.996 * cost_of(groups)) {
        kf__groups swap = *groups;
        *groups = other;
        other = swap;
    } else {
        memcpy(f->stored, before, n);
        f->split[split] = 0;
        if (status == KF_ERR_LIMIT) { /* it is only a try */
            kf__error_clear(err);
            status = KF_OK;
        }
    }
    groups_free(f, &other);
    kf__release(f->mem, before);
    return status;
}

static kf_status try_stored(kf__fuse_state *f, kf__groups *groups, const kf__ref *nodes,
                            uint32_t n_nodes, kf_error *err) {
    return try_other(f, groups, nodes, n_nodes, 0, err);
}

/* Results that are concatenations: do kernels of their own for the parts cost less? Where it is one
 * kernel anyway they don't. */
static kf_status search_parts(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    uint32_t tried = 0;
    for (uint32_t i = 0; i < f->g->results.n && groups->n > 1 && tried < MAX_CANDIDATES; i++) {
        kf__ref node = f->g->results.at[i];
        if (!kf__may_split(f, node)) continue;
        tried++;
        KF_TRY(try_other(f, groups, NULL, 0, node, err));
    }
    return KF_OK;
}

/* Does a kernel read an input that another one reads too? */
static bool shares_input(const kf__fuse_state *f, const kf__groups *groups, uint32_t group) {
    const kf__body *b = groups->at[group].body;
    for (uint32_t i = 0; i < b->accesses.n; i++) {
        uint32_t value = b->accesses.at[i].value;
        if (value >= f->g->nodes.n || kf__at(f->g, value)->kind != KF__INPUT) continue;
        for (uint32_t k = 0; k < groups->n; k++)
            if (k != group && !groups->at[k].dead && kf__group_reads(&groups->at[k], value))
                return true;
    }
    return false;
}

enum { MOST_EARLY = 16, MOST_DEAR = 64 };

/* What a kernel makes of inputs alone, for results or what waits for other kernels: rows' values,
 * or narrow elements, could be made earlier, where the input is read anyway. Gives how many. */
static uint32_t early_values(const kf__fuse_state *f, const kf__group *group, kf__level level,
                             kf__ref *out) {
    const kf__body *b = group->body;
    uint8_t early[KF__MAX_INSTRS], wanted[KF__MAX_INSTRS] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->instrs.n; i++) {
        const kf__instr *in = &b->instrs.at[i];
        early[i] = in->kind != KF__I_LOAD || kf__at(f->g, in->node)->kind == KF__INPUT;
        for (uint32_t k = 0; k < in->n_args; k++) early[i] &= early[in->args[k]];
        for (uint32_t k = 0; k < in->n_args && !early[i]; k++) wanted[in->args[k]] = 1;
    }
    for (uint32_t i = 0; i < b->stores.n; i++) wanted[b->stores.at[i].instr] = 1;
    for (uint32_t i = b->instrs.n; i-- > 0;) { /* before a cast it may be narrower */
        const kf__instr *in = &b->instrs.at[i];
        const kf__instr *a = &b->instrs.at[in->args[0]];
        if (wanted[i] && in->kind == KF__I_CAST && a->kind != KF__I_LOAD &&
            kf__types[a->dtype].size < kf__types[in->dtype].size)
            wanted[in->args[0]] = 1;
    }
    for (uint32_t i = 0; i < b->instrs.n && n < MOST_EARLY; i++) {
        const kf__instr *in = &b->instrs.at[i];
        bool made = in->kind == KF__I_OP || in->kind == KF__I_CAST || in->kind == KF__I_PROJECT;
        if (!wanted[i] || !early[i] || !made || in->level != level) continue;
        if (level == KF__LEVEL_ROW ? !in->stage : kf__types[in->dtype].size > 2) continue;
        if (kf__in_memory(f, in->node) || f->scalars[in->node]) continue;
        if (is_half_sum(kf__at(f->g, in->node))) continue;
        out[n++] = in->node;
    }
    return n;
}

static kf_status search_early(kf__fuse_state *f, kf__groups *groups, uint32_t most, kf_error *err) {
    for (int level = KF__LEVEL_ROW; level <= KF__LEVEL_FULL; level++) {
        for (uint32_t i = 0; i < groups->n && most > 0; i++) {
            kf__ref early[MOST_EARLY];
            if (groups->at[i].dead) continue;
            uint32_t n = early_values(f, &groups->at[i], (kf__level)level, early);
            if (n == 0 || !shares_input(f, groups, i)) continue;
            most--;
            KF_TRY(try_stored(f, groups, early, n, err));
        }
    }
    return KF_OK;
}

/* All at once what saves work by an estimate. */
static kf_status search_dear(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    kf__ref dear[MOST_DEAR];
    uint32_t n;
    if (groups->n < 2) return KF_OK;
    if (!kf__dear_values(f, groups, dear, MOST_DEAR, &n)) return kf__out_of_memory(err);
    return n ? try_stored(f, groups, dear, n, err) : KF_OK;
}

static kf_status search(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    uint32_t n = f->g->nodes.n, tried = 0, most = MAX_CANDIDATES;
    if (groups->n > SEARCH_KERNELS / MAX_CANDIDATES) most = SEARCH_KERNELS / groups->n;
    uint8_t *makers = kf__allocate(f->mem, n);
    kf_status status = makers ? KF_OK : kf__out_of_memory(err);
    if (status == KF_OK) {
        memset(makers, 0, n);
        count_makers(groups, makers);
        if (groups->n > 1) count_results(f, makers);
    }
    for (kf__ref r = n; status == KF_OK && r-- > 1 && tried < most;) {
        bool fixed = kf__in_memory(f, r) || f->scalars[r] || is_half_sum(kf__at(f->g, r));
        if (makers[r] < 2 || fixed) continue;
        tried++; /* last ones first: they hold most of the work */
        status = try_stored(f, groups, &r, 1, err);
    }
    if (status == KF_OK) status = search_early(f, groups, most, err);
    kf__release(f->mem, makers);
    return status;
}

/* ---------------------------------------------------------------- fuse */

kf_status kf__fuse(kf_graph *graph, kf_fusion mode, kf__partition **out, kf_error *err) {
    kf__fuse_state f;
    kf__groups groups = {0};
    *out = NULL;
    kf_status status = state_init(&f, graph, mode, err);
    if (status == KF_OK) status = make_groups(&f, &groups, err);
    if (status == KF_OK && mode == KF_FUSION_ON) status = search_parts(&f, &groups, err);
    if (status == KF_OK && mode == KF_FUSION_ON) status = search_dear(&f, &groups, err);
    if (status == KF_OK && mode == KF_FUSION_ON) status = search(&f, &groups, err);
    if (status == KF_OK) status = kf__partition_make(&f, &groups, out, err);
    groups_free(&f, &groups);
    state_free(&f);
    if (status != KF_OK) kf_graph_free(graph);
    return status;
}
