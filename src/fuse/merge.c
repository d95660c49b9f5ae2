/* Kernels that come together: two become one where a single domain serves both, the pair's body can
 * be built without a new cut, no kernel stands between them, and the cost isn't higher. What only
 * the merged kernel needs is no longer stored.
 *
 * Of few kernels always the two that save most. Of many first producers with their consumers, then
 * siblings: results over the same domain, reductions of the same argument.
 */
#include "fuse/internal.h"

bool kf__group_reads(const kf__group *group, kf__ref node) {
    const kf__body *b = group->body;
    for (uint32_t i = 0; i < b->accesses.n; i++)
        if (b->accesses.at[i].value == node) return true;
    return false;
}

/* ---------------------------------------------------------------- which group needs which */

enum { MOST_GROUPS = 8192, FEW_GROUPS = 32 };

/* Bits [from * words + to / 64]: edges, paths of any length, and these [to * words + from / 64]. */
typedef struct paths {
    uint32_t n, words;
    uint64_t *edge, *path, *back;
} paths;

static bool bit(const paths *p, const uint64_t *bits, uint32_t from, uint32_t to) {
    return bits[from * p->words + to / 64] >> to % 64 & 1;
}

static void set(const paths *p, uint64_t *bits, uint32_t from, uint32_t to) {
    bits[from * p->words + to / 64] |= 1ULL << to % 64;
}

static void add_row(const paths *p, uint64_t *bits, uint32_t to, uint32_t from) {
    for (uint32_t w = 0; w < p->words; w++) bits[to * p->words + w] |= bits[from * p->words + w];
}

/* An edge to who reads something that the group stores. */
static void add_edges(paths *p, const kf__fuse_state *f, const kf__readers *readers,
                      const kf__group *group, uint32_t from) {
    for (uint32_t i = 0; i < group->roots.n; i++) {
        kf__ref node = kf__root_fed_as(f, &group->roots.at[i]);
        for (uint32_t k = readers->first[node]; node && k < readers->first[node + 1]; k++)
            if (readers->group[k] != from) set(p, p->edge, from, readers->group[k]);
    }
}

static bool paths_init(paths *p, const kf__fuse_state *f, const kf__groups *groups) {
    p->n = groups->n, p->words = groups->n / 64 + 1;
    size_t bytes = (size_t)p->n * p->words * sizeof(uint64_t);
    p->edge = kf__allocate(f->mem, bytes);
    p->path = kf__allocate(f->mem, bytes);
    p->back = kf__allocate(f->mem, bytes);
    kf__readers readers = {0};
    bool ok = p->edge && p->path && p->back && kf__readers_find(f, groups, &readers);
    if (ok) {
        memset(p->edge, 0, bytes);
        memset(p->back, 0, bytes);
        for (uint32_t i = 0; i < p->n; i++)
            if (!groups->at[i].dead) add_edges(p, f, &readers, &groups->at[i], i);
        memcpy(p->path, p->edge, bytes);
        for (uint32_t k = 0; k < p->n; k++) /* Warshall */
            for (uint32_t i = 0; i < p->n; i++)
                if (bit(p, p->path, i, k)) add_row(p, p->path, i, k);
        for (uint32_t i = 0; i < p->n; i++)
            for (uint32_t k = 0; k < p->n; k++)
                if (bit(p, p->path, i, k)) set(p, p->back, k, i);
    }
    kf__readers_free(f, &readers);
    return ok;
}

static void paths_free(paths *p, const kf_allocator *mem) {
    kf__release(mem, p->edge);
    kf__release(mem, p->path);
    kf__release(mem, p->back);
}

/* Is there a way from one to the other through a third? */
static bool way_between(const paths *p, uint32_t from, uint32_t to) {
    const uint64_t *edge = p->edge + from * p->words, *back = p->back + to * p->words;
    for (uint32_t w = 0; w < p->words; w++) {
        uint64_t third = edge[w] & back[w];
        if (w == to / 64) third &= ~(1ULL << to % 64);
        if (third) return true;
    }
    return false;
}

static void clear(const paths *p, uint64_t *bits, uint32_t from, uint32_t to) {
    bits[from * p->words + to / 64] &= ~(1ULL << to % 64);
}

/* b becomes part of a. What leads to one of them leads to all that a leads to now. */
static void paths_merge(paths *p, uint32_t a, uint32_t b) {
    add_row(p, p->edge, a, b);
    add_row(p, p->path, a, b);
    add_row(p, p->back, a, b);
    for (int side = 0; side < 2; side++) { /* none to themselves */
        clear(p, p->edge, a, side ? a : b);
        clear(p, p->path, a, side ? a : b);
        clear(p, p->back, a, side ? a : b);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (i == a || i == b) continue;
        if (bit(p, p->edge, i, b)) set(p, p->edge, i, a);
        clear(p, p->edge, i, b);
        if (bit(p, p->back, a, i)) {
            set(p, p->path, i, a);
            add_row(p, p->path, i, a);
        }
        if (bit(p, p->path, a, i)) {
            set(p, p->back, i, a);
            add_row(p, p->back, i, a);
        }
    }
}

/* ---------------------------------------------------------------- pairs */

static bool makes(const kf__group *group, uint32_t value) {
    for (uint32_t i = 0; i < group->roots.n; i++)
        if (group->roots.at[i].node == value) return true;
    return false;
}

static bool same_domain(const kf__domain *a, const kf__domain *b) {
    return a->n == b->n && a->reduced == b->reduced && a->scans == b->scans &&
           a->chunk == b->chunk && !memcmp(a->size, b->size, sizeof(*a->size) * a->n);
}

/* Is all that it stores a result? Then it is stored, at the same indices, whoever joins. */
static bool only_results(const kf__group *group) {
    for (uint32_t i = 0; i < group->roots.n; i++)
        if (group->roots.at[i].result < 0 && group->roots.at[i].store) return false;
    return true;
}

/* Is it the same load? Both are over the same domain. */
static bool same_access(const kf__access *a, const kf__access *b) {
    return a->value == b->value && a->rank == b->rank &&
           !memcmp(a->index, b->index, sizeof(*a->index) * (size_t)a->rank);
}

/* Is it, or (not exact) its value, among the body's first n accesses? */
static bool has_access(const kf__body *body, uint32_t n, const kf__access *access, bool exact) {
    for (uint32_t i = 0; i < n; i++)
        if (exact ? same_access(&body->accesses.at[i], access)
                  : body->accesses.at[i].value == access->value)
            return true;
    return false;
}

/* At least so many operands has the pair's kernel: results, and what either loads and neither
 * makes. Rules out most pairs of large kernels before their body is built. Where both have the same
 * domain and only results, each load at an index of its own counts. */
static bool may_fit(const kf__group *a, const kf__group *b) {
    uint32_t n = 0;
    bool exact = same_domain(&a->domain, &b->domain) && only_results(a) && only_results(b);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < (side ? b : a)->roots.n; i++)
            n += (side ? b : a)->roots.at[i].result >= 0;
    for (int side = 0; side < 2 && n <= KF__MAX_OPERANDS; side++) {
        const kf__body *body = (side ? b : a)->body;
        for (uint32_t i = 0; i < body->accesses.n; i++) {
            const kf__access *access = &body->accesses.at[i];
            uint32_t value = access->value;
            bool again = (value & KF__RESULT_BIT) || makes(a, value) || makes(b, value);
            if (!again) again = side && has_access(a->body, a->body->accesses.n, access, exact);
            if (!again) again = has_access(body, i, access, exact);
            n += !again;
        }
    }
    return n <= KF__MAX_OPERANDS;
}

/* With fusion off only what one call of the user makes comes together, and of primitives only the
 * fields of one reduction. */
static bool mode_allows(const kf__fuse_state *f, const kf__group *a, const kf__group *b) {
    if (f->mode == KF_FUSION_ON) return true;
    const kf_graph *g = f->g;
    for (uint32_t i = 0; i < a->roots.n; i++)
        for (uint32_t j = 0; j < b->roots.n; j++) {
            const kf__node *x = kf__at(g, kf__peel(g, a->roots.at[i].node));
            const kf__node *y = kf__at(g, kf__peel(g, b->roots.at[j].node));
            if (x->call != y->call) return false;
            if (f->mode == KF_FUSION_OPS && x != y &&
                (x->kind != KF__REDUCE || y->kind != KF__REDUCE || x->op != y->op ||
                 x->args[0] != y->args[0] || x->axes != y->axes))
                return false;
        }
    return true;
}

/* Do any but a and b read the node, of the groups from `first` on whose bits are set? */
static bool is_read_in(const kf__groups *groups, uint64_t bits, uint32_t first, uint32_t a,
                       uint32_t b, kf__ref node) {
    for (uint32_t k = first; bits; bits >>= 1, k++)
        if ((bits & 1) && k != a && k != b && kf__group_reads(&groups->at[k], node)) return true;
    return false;
}

/* The roots of both; temporaries that nobody else reads are no longer stored. */
static bool join_roots(const kf__fuse_state *f, const kf__groups *groups, const paths *ways,
                       uint32_t a, uint32_t b, kf__roots *out) {
    for (int side = 0; side < 2; side++) {
        const kf__roots *roots = &groups->at[side ? b : a].roots;
        for (uint32_t i = 0; i < roots->n; i++) {
            kf__root root = roots->at[i];
            if (root.result < 0 && root.store && f->mode == KF_FUSION_ON) {
                const uint64_t *edge = ways->edge + (side ? b : a) * ways->words;
                root.store = false;
                for (uint32_t w = 0; w < ways->words && !root.store; w++)
                    root.store = edge[w] && is_read_in(groups, edge[w], w * 64, a, b, root.node);
            }
            if (!KF__PUSH(f->mem, out, root)) return false;
        }
    }
    return true;
}

/* The merged group in *out where it can be and is worth it, out->body NULL where not. */
static kf_status try_merge(kf__fuse_state *f, const kf__groups *groups, const paths *ways,
                           uint32_t a, uint32_t b, kf__group *out) {
    const kf__group *x = &groups->at[a], *y = &groups->at[b];
    memset(out, 0, sizeof(*out));
    if (!kf__domain_join(f->g, &x->domain, &y->domain, &out->domain) || !mode_allows(f, x, y) ||
        kf__reads_own_whole(x, y) || !may_fit(x, y) || way_between(ways, a, b) ||
        way_between(ways, b, a))
        return KF_OK;
    bool ok = join_roots(f, groups, ways, a, b, &out->roots);
    out->body = ok ? kf__body_build(f, &out->roots, &out->domain) : NULL;
    ok = out->body && !out->body->no_memory;
    if (!ok || out->body->failed || out->body->cost > x->body->cost + y->body->cost) {
        kf__body_free(out->body);
        KF__VEC_FREE(f->mem, &out->roots);
        out->body = NULL;
    }
    return ok ? KF_OK : KF_ERR_MEMORY;
}

/* The body keeps a pointer to its roots, which move with the group. */
static void replace(kf__fuse_state *f, kf__groups *groups, uint32_t a, uint32_t b,
                    const kf__group *with) {
    for (int side = 0; side < 2; side++) {
        kf__group *old = &groups->at[side ? b : a];
        kf__body_free(old->body);
        KF__VEC_FREE(f->mem, &old->roots);
        old->body = NULL;
        old->dead = true;
    }
    groups->at[a] = *with;
    groups->at[a].body->roots = NULL;
}

/* All pairs of producer and consumer, or of siblings, until none merges. */
static kf_status merge_all(kf__fuse_state *f, kf__groups *groups, paths *ways, bool siblings) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < groups->n; a++) {
            for (uint32_t b = a + 1; b < groups->n && !groups->at[a].dead; b++) {
                kf__group merged;
                if (groups->at[b].dead) continue;
                if (!siblings && !bit(ways, ways->edge, a, b) && !bit(ways, ways->edge, b, a))
                    continue;
                KF_TRY(try_merge(f, groups, ways, a, b, &merged));
                if (!merged.body) continue;
                replace(f, groups, a, b, &merged);
                paths_merge(ways, a, b);
                changed = true;
            }
        }
    }
    return KF_OK;
}

/* What a pair saves is kept for all pairs: [a * n + b], a < b. */
#define UNKNOWN 1e300

static kf_status best_pair(kf__fuse_state *f, const kf__groups *groups, const paths *ways,
                           double *saved, uint32_t *best_a, uint32_t *best_b) {
    double best = -1;
    for (uint32_t a = 0; a < groups->n; a++) {
        for (uint32_t b = a + 1; b < groups->n && !groups->at[a].dead; b++) {
            double *s = &saved[a * groups->n + b];
            kf__group merged;
            if (groups->at[b].dead) continue;
            if (*s == UNKNOWN) {
                KF_TRY(try_merge(f, groups, ways, a, b, &merged));
                *s = -1;
                if (!merged.body) continue;
                *s = groups->at[a].body->cost + groups->at[b].body->cost - merged.body->cost;
                kf__body_free(merged.body);
                KF__VEC_FREE(f->mem, &merged.roots);
            }
            if (*s > best) best = *s, *best_a = a, *best_b = b;
        }
    }
    if (best < 0) *best_a = *best_b = 0;
    return KF_OK;
}

/* Always the pair that saves most. Of few groups only: all pairs are tried first. */
static kf_status merge_best(kf__fuse_state *f, kf__groups *groups, paths *ways) {
    uint32_t n = groups->n, a = 0, b = 0;
    double *saved = kf__allocate(f->mem, sizeof(*saved) * n * n);
    kf_status status = saved ? KF_OK : KF_ERR_MEMORY;
    for (uint32_t i = 0; saved && i < n * n; i++) saved[i] = UNKNOWN;
    while (status == KF_OK) {
        kf__group merged;
        status = best_pair(f, groups, ways, saved, &a, &b);
        if (status != KF_OK || a == b) break;
        saved[a * n + b] = -1; /* in case another pair's merge forbids it now */
        status = try_merge(f, groups, ways, a, b, &merged);
        if (status != KF_OK || !merged.body) continue;
        replace(f, groups, a, b, &merged);
        paths_merge(ways, a, b);
        for (uint32_t i = 0; i < n; i++) saved[i < a ? i * n + a : a * n + i] = UNKNOWN;
    }
    kf__release(f->mem, saved);
    return status;
}

kf_status kf__merge(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    paths ways = {0};
    uint32_t live = 0;
    for (uint32_t i = 0; i < groups->n; i++) live += !groups->at[i].dead;
    if (live < 2 || groups->n > MOST_GROUPS) return KF_OK;
    bool few = groups->n <= FEW_GROUPS, ok = paths_init(&ways, f, groups);
    if (ok && few) ok = !merge_best(f, groups, &ways);
    else ok = ok && !merge_all(f, groups, &ways, false) && !merge_all(f, groups, &ways, true);
    paths_free(&ways, f->mem);
    return ok ? KF_OK : kf__out_of_memory(err);
}
