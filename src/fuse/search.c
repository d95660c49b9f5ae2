/* Which values are stored: other sets than the one that had to be, where they cost less.
 *
 *   parts           of results that are concatenations: a kernel for each (parts.c)
 *   dear values     many at once, by an estimate of the work that storing them saves (recompute.c)
 *   shared ones     one by one: what is computed more than once
 *   early ones      what a kernel could make that reads the same input anyway
 *   small graphs    any value more or less, any in place of another, until none of these costs less
 *   results         of halves, on a CPU
 *
 * Each try makes all kernels again and counts their cost.
 */
#include "fuse/internal.h"

#define ENOUGH 0.996 /* of the cost before: what saves less isn't taken */
enum { MAX_CANDIDATES = 12, SEARCH_KERNELS = 400 /* candidates times kernels */ };

/* Of all kernels. bytes: moved, and while kernels are launched. again: work that is done for more
 * elements than there are, as a row's exponential for each of many rows. */
typedef struct totals {
    double cost, bytes, again;
    uint32_t kernels;
} totals;

static totals total(const kf__groups *groups) {
    totals t = {0};
    for (uint32_t i = 0; i < groups->n; i++) {
        const kf__body *b = groups->at[i].body;
        if (groups->at[i].dead) continue;
        t.kernels++;
        t.cost += b->cost;
        t.bytes += KF__LAUNCH_BYTES + b->bytes;
        t.again += b->again;
    }
    return t;
}

double kf__total_cost(const kf__groups *groups) { return total(groups).cost; }

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
            if (kf__is_result(f, n->args[i]) && kf__at(f->g, n->args[i])->kind != KF__INPUT)
                makers[n->args[i]] = 2;
    }
}

/* Take the partition with the values that are marked now where it costs less (moves: and has no
 * kernel more that saves other work alone); else those marked `before` again, which is released. */
static kf_status try_marked(kf__fuse_state *f, kf__groups *groups, bool moves, uint8_t *before,
                            kf_error *err) {
    kf__groups other = {0};
    kf_status status = kf__make_groups(f, &other, err);
    bool less = false;
    if (status == KF_OK) {
        totals now = total(&other), was = total(groups);
        less = now.cost < ENOUGH * was.cost;
        if (less && moves && now.kernels > was.kernels)
            less = now.bytes < ENOUGH * was.bytes || now.again + KF__LAUNCH_BYTES < was.again;
    }
    if (less) {
        kf__groups swap = *groups;
        *groups = other;
        other = swap;
    } else {
        memcpy(f->stored, before, f->g->nodes.n);
        if (status == KF_ERR_LIMIT) { /* it is only a try */
            kf__error_clear(err);
            status = KF_OK;
        }
    }
    kf__groups_free(f, &other);
    kf__release(f->mem, before);
    return status;
}

static uint8_t *copy_marks(const kf__fuse_state *f) {
    uint8_t *copy = kf__allocate(f->mem, f->g->nodes.n);
    if (copy) memcpy(copy, f->stored, f->g->nodes.n);
    return copy;
}

/* The same with these values stored too. */
static kf_status try_stored(kf__fuse_state *f, kf__groups *groups, const kf__ref *nodes,
                            uint32_t n_nodes, kf_error *err) {
    uint8_t *before = copy_marks(f);
    if (!before) return kf__out_of_memory(err);
    for (uint32_t i = 0; i < n_nodes; i++) kf__mark(f, nodes[i], 0, KF__CUT_RECOMPUTE_DEARER);
    return try_marked(f, groups, false, before, err);
}

/* Results that are concatenations: do kernels of their own for the parts cost less? Where it is one
 * kernel anyway they don't. */
static kf_status search_parts(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    static const uint8_t most[] = {1, KF__MOST_IN_CHAIN};
    uint32_t tried = 0;
    for (uint32_t i = 0; i < 2 * f->g->results.n && groups->n > 1 && tried < MAX_CANDIDATES; i++) {
        kf__ref node = f->g->results.at[i / 2];
        double cost = total(groups).cost;
        uint8_t was = f->split[node];
        if (!kf__may_split(f, node, most[i % 2])) continue;
        uint8_t *before = copy_marks(f);
        if (!before) return kf__out_of_memory(err);
        tried++;
        memset(f->stored, 0, f->g->nodes.n); /* where it is cut may change as a whole */
        f->split[node] = most[i % 2];
        KF_TRY(try_marked(f, groups, false, before, err));
        if (total(groups).cost >= cost) f->split[node] = was;
    }
    return KF_OK;
}

/* Does a kernel read an input that another one reads too? */
static bool shares_input(const kf__fuse_state *f, const kf__readers *readers,
                         const kf__body *b, uint32_t group) {
    for (uint32_t i = 0; i < b->accesses.n; i++) {
        uint32_t value = b->accesses.at[i].value;
        if (value >= f->g->nodes.n || kf__at(f->g, value)->kind != KF__INPUT) continue;
        if (kf__readers_but(readers, value, group)) return true;
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
        uint8_t kind = kf__at(f->g, in->node)->kind; /* a guard's node is what it guards */
        if (kind != KF__OP && kind != KF__CAST && kind != KF__REDUCE) continue;
        if (kf__is_half_sum(kf__at(f->g, in->node))) continue;
        out[n++] = in->node;
    }
    return n;
}

static kf_status search_early(kf__fuse_state *f, kf__groups *groups, uint32_t most, kf_error *err) {
    kf__readers readers = {0}; /* of the groups as they are: each try may change them */
    kf_status status = KF_OK;
    for (int level = KF__LEVEL_ROW; level <= KF__LEVEL_FULL; level++) {
        for (uint32_t i = 0; i < groups->n && most > 0 && status == KF_OK; i++) {
            kf__ref early[MOST_EARLY];
            if (groups->at[i].dead) continue;
            uint32_t n = early_values(f, &groups->at[i], (kf__level)level, early);
            if (n == 0) continue;
            if (!readers.first && !kf__readers_find(f, groups, &readers)) {
                status = kf__out_of_memory(err);
            } else if (shares_input(f, &readers, groups->at[i].body, i)) {
                most--;
                status = try_stored(f, groups, early, n, err);
                kf__readers_free(f, &readers);
            }
        }
    }
    kf__readers_free(f, &readers);
    return status;
}

/* All at once what saves work by an estimate. */
static kf_status search_dear(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    kf__ref dear[MOST_DEAR];
    uint32_t n;
    if (groups->n < 2) return KF_OK;
    if (!kf__dear_values(f, groups, dear, MOST_DEAR, &n)) return kf__out_of_memory(err);
    return n ? try_stored(f, groups, dear, n, err) : KF_OK;
}

static kf_status search_shared(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
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
        bool fixed = kf__in_memory(f, r) || f->scalars[r] || kf__is_half_sum(kf__at(f->g, r));
        if (makers[r] < 2 || fixed) continue;
        tried++; /* last ones first: they hold most of the work */
        status = try_stored(f, groups, &r, 1, err);
    }
    if (status == KF_OK) status = search_early(f, groups, most, err);
    kf__release(f->mem, makers);
    return status;
}

/* ---------------------------------------------------------------- small graphs */

enum { FEW_NODES = 96, MOST_VALUES = 24, MOST_TRIES = 64 };

typedef struct values { /* that could be stored */
    kf__ref at[MOST_VALUES];
    double bytes[MOST_VALUES]; /* that storing costs: written and read; of a result read */
    uint32_t n, tries;
    double least; /* bytes of any partition: inputs that are needed whole, results */
} values;

static bool could_be_stored(const kf__fuse_state *f, kf__ref r) {
    const kf__node *n = kf__at(f->g, r);
    bool made = n->kind == KF__OP || n->kind == KF__CAST || n->kind == KF__REDUCE ||
                n->kind == KF__SCAN ||
                n->kind == KF__RANDOM || n->kind == KF__PAD || n->kind == KF__CONCAT ||
                n->kind == KF__GATHER || n->kind == KF__SLICE || kf__is_result(f, r);
    return made && !f->scalars[r] && !kf__is_half_sum(n) &&
           kf__at(f->g, kf__peel(f->g, r))->kind != KF__INPUT;
}

/* Is an argument needed whole for a whole result? */
static bool takes_all(const kf__node *n, int arg) {
    if (n->kind == KF__PAD || n->kind == KF__GATHER) return arg == 1;
    return n->kind != KF__SLICE;
}

/* False: there are too many, or no memory. */
static bool find_values(const kf__fuse_state *f, values *v, kf_error *err, kf_status *status) {
    const kf_graph *g = f->g;
    uint8_t *whole = kf__allocate(f->mem, g->nodes.n); /* 1: needed, 3: needed whole */
    *v = (values){0};
    *status = whole ? KF_OK : kf__out_of_memory(err);
    if (!whole) return false;
    memset(whole, 0, g->nodes.n);
    for (uint32_t i = 0; i < g->results.n; i++) {
        v->least += kf__node_bytes(f, g->results.at[i]);
        whole[g->results.at[i]] = 3;
    }
    bool few = true;
    for (kf__ref r = g->nodes.n; r-- > 1 && few;) {
        const kf__node *n = kf__at(g, r);
        if (!whole[r]) continue;
        if (n->kind == KF__INPUT && whole[r] == 3) v->least += kf__node_bytes(f, r);
        for (int i = 0; i < n->n_args; i++)
            whole[n->args[i]] |= whole[r] == 3 && takes_all(n, i) ? 3 : 1;
        if (!could_be_stored(f, r)) continue;
        few = v->n < MOST_VALUES;
        if (!few) break;
        v->bytes[v->n] = kf__node_bytes(f, r) * (kf__is_result(f, r) ? 1 : 2);
        v->at[v->n++] = r;
    }
    kf__release(f->mem, whole);
    return few;
}

/* Try with nothing stored but what has to be. */
static kf_status try_none(kf__fuse_state *f, kf__groups *groups, values *v, kf_error *err) {
    uint8_t *before = copy_marks(f);
    if (!before) return kf__out_of_memory(err);
    v->tries++;
    memset(f->stored, 0, f->g->nodes.n);
    return try_marked(f, groups, true, before, err);
}

/* Itself, or what it is first made into where a half may not hold it. */
static kf__ref as_stored(const kf__fuse_state *f, kf__ref r) {
    if (!kf__is_half_sum(kf__at(f->g, r))) return r;
    for (kf__ref i = r + 1; i < f->g->nodes.n; i++)
        if (kf__at(f->g, i)->kind == KF__OP && kf__at(f->g, i)->args[0] == r) return i;
    return 0;
}

/* A reduction's fields come together: with only one of them stored the rows stay where they are. */
static void mark_fields(kf__fuse_state *f, kf__ref r) {
    const kf__node n = *kf__at(f->g, r);
    for (kf__ref i = 1; i < f->g->nodes.n && n.kind == KF__REDUCE; i++) {
        const kf__node *o = kf__at(f->g, i);
        if (o->kind != KF__REDUCE || o->op != n.op || o->args[0] != n.args[0] || o->axes != n.axes)
            continue;
        kf__ref field = as_stored(f, i);
        if (field) kf__mark(f, field, 0, KF__CUT_RECOMPUTE_DEARER);
    }
}

/* Try with one value more and one less (0: none). */
static kf_status try_change(kf__fuse_state *f, kf__groups *groups, values *v, kf__ref more,
                            kf__ref less, kf_error *err) {
    double least = v->least;
    for (uint32_t i = 0; i < v->n; i++)
        if ((f->stored[v->at[i]] && v->at[i] != less) || v->at[i] == more) least += v->bytes[i];
    if (least >= ENOUGH * total(groups).cost || v->tries == MOST_TRIES) return KF_OK;
    uint8_t *before = copy_marks(f);
    if (!before) return kf__out_of_memory(err);
    v->tries++;
    if (less) f->stored[less] = 0;
    if (more) kf__mark(f, more, 0, KF__CUT_RECOMPUTE_DEARER);
    if (more) mark_fields(f, more);
    return try_marked(f, groups, true, before, err);
}

/* One kernel that moves no more than it has to, and hardly computes a thing for more elements than
 * it has. What it computes twice isn't worth another kernel. */
static bool is_best(const kf__groups *groups, const values *v) {
    totals t = total(groups);
    return t.kernels == 1 && ENOUGH * (t.bytes - KF__LAUNCH_BYTES) <= v->least &&
           t.again < 0.05 * t.cost;
}

static kf_status search_changes(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    values v;
    kf_status status = KF_OK;
    if (f->g->nodes.n > FEW_NODES || !find_values(f, &v, err, &status)) return status;
    if (is_best(groups, &v)) return KF_OK;
    KF_TRY(try_none(f, groups, &v, err));
    for (double before = 0; before != total(groups).cost && v.tries < MOST_TRIES;) {
        before = total(groups).cost;
        for (uint32_t i = 0; i < v.n; i++) {
            bool stored = f->stored[v.at[i]];
            KF_TRY(try_change(f, groups, &v, stored ? 0 : v.at[i], stored ? v.at[i] : 0, err));
        }
        for (uint32_t i = 0; i < v.n; i++)
            for (uint32_t k = 0; k < v.n; k++)
                if (f->stored[v.at[i]] && !f->stored[v.at[k]] &&
                    (total(groups).kernels > 2 ||
                     kf__max(v.bytes[i], v.bytes[k]) > (1 - ENOUGH) * before))
                    KF_TRY(try_change(f, groups, &v, v.at[k], v.at[i], err));
    }
    return KF_OK;
}

/* ---------------------------------------------------------------- halves on a CPU */

/* All kernels again, of the values that are marked. */
static kf_status remake(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    kf__groups other = {0};
    kf_status status = kf__make_groups(f, &other, err);
    if (status == KF_OK) {
        kf__groups_free(f, groups);
        *groups = other;
    } else {
        kf__groups_free(f, &other);
    }
    return status;
}

/* What is chosen for a GPU, but that results may be read, as they are rounded in any case:
 * functions are dear on a CPU. h = cbrt(x); h, h[:, ::-1] * 2 in bf16 of 317x316 takes a Zen 4
 * 157 us with two of them, and 77. */
static kf_status search_results(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    uint8_t *makers = kf__allocate(f->mem, f->g->nodes.n);
    if (!makers) return kf__out_of_memory(err);
    memset(makers, 0, f->g->nodes.n);
    count_makers(groups, makers);
    f->cpu = true;
    kf_status status = remake(f, groups, err);
    for (kf__ref r = 1, tried = 0; r < f->g->nodes.n && status == KF_OK; r++) {
        if (makers[r] < 2 || f->stored[r] || !kf__is_result(f, r)) continue;
        if (!could_be_stored(f, r)) continue;
        if (tried++ == MAX_CANDIDATES) break;
        status = try_stored(f, groups, &r, 1, err);
    }
    kf__release(f->mem, makers);
    return status;
}

kf_status kf__search(kf__fuse_state *f, kf__groups *groups, kf_error *err) {
    KF_TRY(search_parts(f, groups, err));
    KF_TRY(search_dear(f, groups, err));
    KF_TRY(search_shared(f, groups, err));
    KF_TRY(search_changes(f, groups, err));
    return f->like_gpu ? search_results(f, groups, err) : KF_OK;
}

