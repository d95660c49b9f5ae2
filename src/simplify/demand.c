/* A reduction of which only a slice is read computes only that slice.
 *
 * What of a node its users read is its demand: for each dim the whole of it or, if all users read
 * the same, a slice. Demands go from the results down, through what is computed and through views.
 * Reductions become smaller, and what stands between them and the slice too; the slice goes below:
 *
 *   layer_norm(x)[:, 0]     is layer_norm(x[:, 0]): one row of each batch is read
 *
 * Nothing is gained where others read the argument as a whole: there the reduction stays with them,
 * in one pass over it.
 */
#include "simplify/rules.h"

typedef struct extent {
    kf__expr start, size; /* size 0: the whole dim */
    int64_t step;
} extent;

typedef struct demand {
    extent dim[KF__MAX_RANK];
    uint32_t whole; /* dims that are read as a whole, whatever is asked for */
    bool asked;     /* by a user */
    bool cut;       /* the node is made of this much only */
} demand;

typedef struct pass {
    const kf_graph *in;
    kf_graph *g;    /* made like `in`; the expressions of extents are its */
    demand *of;     /* [nodes of in] */
    uint32_t *keep; /* [nodes of in] dims that a reduction keeps whole */
    kf__ref *made;  /* [nodes of in] in g; 0: not needed */
} pass;

static bool is_same(extent a, extent b) {
    return a.size == b.size && (!a.size || (a.start == b.start && a.step == b.step));
}

/* ---------------------------------------------------------------- what is read */

/* The dims of a reshape that only move: those before and behind what is joined or split.
 * from[d]: which dim of the argument dim d is, or -1. */
static void match_dims(const kf__node *n, const kf__node *a, int *from) {
    int first = 0, last = n->rank, i = 0, end = a->rank;
    for (int d = 0; d < n->rank; d++) from[d] = -1;
    for (; first < n->rank && i < a->rank; first++, i++) {
        if (n->shape[first] != a->shape[i]) break;
        from[first] = i;
    }
    while (last > first && end > i && n->shape[last - 1] == a->shape[end - 1]) from[--last] = --end;
}

/* One dim of a slice of which `of` is read, as it is read from the slice's argument. */
static bool slice_extent(pass *p, const kf__node *n, int d, extent of, extent *to) {
    kf__exprs *x = &p->g->exprs;
    const kf__node *a = kf__at(p->in, n->args[0]);
    extent own = {n->u.slice.start[d], n->shape[d], n->u.slice.step[d]};
    *to = own;
    if (!of.size) {
        if (own.step == 1 && own.size == a->shape[d]) *to = (extent){0};
        return true;
    }
    kf__expr at = kf__x_mul(x, kf__x_const(x, own.step), of.start);
    to->start = kf__x_add(x, own.start, at);
    to->size = of.size;
    return kf__mul_ok(own.step, of.step, &to->step);
}

/* What of argument i is read for `of` of the node, whole where it isn't divisible. Steps may be
 * negative. */
static bool read_of(pass *p, kf__ref r, int i, const extent *of, extent *to) {
    const kf__node *n = kf__at(p->in, r), *a = kf__at(p->in, n->args[i]);
    int from[KF__MAX_RANK];
    memset(to, 0, sizeof(*to) * KF__MAX_RANK);
    if (a->rank == 0) return true;
    if (n->kind == KF__RESHAPE) match_dims(n, a, from);
    for (int d = 0; d < n->rank; d++) {
        switch (n->kind) {
        case KF__OP:
        case KF__CAST:
        case KF__REDUCE:
        case KF__PAD:
        case KF__CONCAT: to[d] = of[d]; break;
        case KF__EXPAND:
            if (a->shape[d] == n->shape[d]) to[d] = of[d];
            break;
        case KF__PERMUTE: to[n->u.perm[d]] = of[d]; break;
        case KF__RESHAPE:
            if (from[d] >= 0) to[from[d]] = of[d];
            break;
        case KF__SLICE:
            if (!slice_extent(p, n, d, of[d], &to[d])) return false;
            break;
        case KF__SCAN:
            if (d != (int)n->index) to[d] = of[d];
            break;
        case KF__GATHER:
            if (i == 1 || d != (int)n->index) to[d] = of[d];
            break;
        default: break;
        }
    }
    return true;
}

/* Can the node be made of a part of this dim? */
static bool is_divisible(pass *p, kf__ref r, int d, extent e) {
    const kf__node *n = kf__at(p->in, r), *a = n->n_args ? kf__at(p->in, n->args[0]) : n;
    int from[KF__MAX_RANK];
    int64_t start;
    switch (n->kind) {
    case KF__RESHAPE: match_dims(n, a, from); return from[d] >= 0;
    case KF__PAD:
        return kf__x_is(&p->g->exprs, n->u.slice.start[d], 0) && a->shape[d] == n->shape[d];
    case KF__SCAN:
    case KF__CONCAT: return d != (int)n->index;
    case KF__REDUCE:
        if ((n->axes >> d & 1) || (p->keep[r] >> d & 1)) return false;
        if (d < n->rank - 1) return true;
        /* columns: of neighbours, and as they lie in vectors */
        return e.step == 1 && kf__x_is_const(&p->g->exprs, e.start, &start) && start % 8 == 0;
    default: return true;
    }
}

/* A user reads this much. */
static void ask(demand *of, const extent *e) {
    for (int d = 0; d < KF__MAX_RANK; d++) {
        bool fits = e[d].size && e[d].step > 0 && (!of->asked || is_same(of->dim[d], e[d]));
        of->dim[d] = fits ? e[d] : (extent){0};
        if (!fits) of->whole |= 1u << d;
    }
    of->asked = true;
}

static void find_demands(pass *p) {
    const kf_graph *in = p->in;
    const extent whole[KF__MAX_RANK] = {{0}};
    extent e[KF__MAX_RANK];
    memset(p->of, 0, sizeof(*p->of) * in->nodes.n);
    for (uint32_t i = 0; i < in->results.n; i++)
        ask(&p->of[in->results.at[i]], whole);
    for (kf__ref r = in->nodes.n; r-- > 1;) {
        const kf__node *n = kf__at(in, r);
        demand *of = &p->of[r];
        if (!of->asked) continue;
        for (int d = 0; d < n->rank; d++)
            if (of->dim[d].size && !is_divisible(p, r, d, of->dim[d])) of->dim[d] = (extent){0};
        for (int i = 0; i < n->n_args; i++)
            ask(&p->of[n->args[i]], read_of(p, r, i, of->dim, e) ? e : whole);
    }
}

/* Reductions keep the dims that others read from their argument as a whole: is there one that
 * wanted less? */
static bool keep_shared(pass *p) {
    bool more = false;
    for (kf__ref r = 1; r < p->in->nodes.n; r++) {
        const kf__node *n = kf__at(p->in, r);
        if (n->kind != KF__REDUCE || !p->of[r].asked) continue;
        for (int d = 0; d < n->rank; d++) {
            if (!p->of[r].dim[d].size || !(p->of[n->args[0]].whole >> d & 1)) continue;
            p->keep[r] |= 1u << d;
            more = true;
        }
    }
    return more;
}

/* ---------------------------------------------------------------- the smaller graph */

/* A node is made smaller where it is, or stands behind, a reduction that is. */
static bool mark_cut(pass *p) {
    bool any = false;
    for (kf__ref r = 1; r < p->in->nodes.n; r++) {
        const kf__node *n = kf__at(p->in, r);
        demand *of = &p->of[r];
        bool part = false, below = n->kind == KF__REDUCE;
        for (int d = 0; d < n->rank; d++) part |= of->dim[d].size != 0;
        for (int i = 0; i < n->n_args; i++) below |= p->of[n->args[i]].cut;
        of->cut = part && below;
        any |= of->cut;
    }
    return any;
}

/* Argument i as the node needs it: of what was made of it. */
static kf__ref part_of(pass *p, kf__ref r, int i) {
    kf_graph *g = p->g;
    kf__ref a = kf__at(p->in, r)->args[i], made = p->made[a];
    const extent none[KF__MAX_RANK] = {{0}};
    extent e[KF__MAX_RANK];
    kf__expr shape[KF__MAX_RANK], start[KF__MAX_RANK];
    int64_t step[KF__MAX_RANK];
    if (!made || !read_of(p, r, i, p->of[r].cut ? p->of[r].dim : none, e)) return made;
    int rank = kf__at(g, made)->rank;
    for (int d = 0; d < rank; d++) {
        bool done = !e[d].size || (p->of[a].cut && p->of[a].dim[d].size);
        start[d] = done ? kf__x_const(&g->exprs, 0) : e[d].start;
        shape[d] = done ? kf__at(g, made)->shape[d] : e[d].size;
        step[d] = done ? 1 : e[d].step;
    }
    return kf__simple_slice(g, made, shape, start, step);
}

static kf__ref remake(pass *p, kf__ref r) {
    kf_graph *g = p->g;
    kf__node n = *kf__at(p->in, r);
    kf__ref args[3] = {0};
    kf__expr shape[KF__MAX_RANK];
    if (n.kind == KF__INPUT || n.kind == KF__SCALAR) return kf__simple_input(g, &n, n.shape);
    if (n.kind == KF__SLICE) return part_of(p, r, 0);
    for (int i = 0; i < n.n_args; i++) args[i] = part_of(p, r, i);
    for (int d = 0; d < n.rank; d++)
        shape[d] = p->of[r].cut && p->of[r].dim[d].size ? p->of[r].dim[d].size : n.shape[d];
    n.shape = shape;
    return kf__remake(g, &n, args);
}

static void copy_nodes(pass *p) {
    kf_graph *g = p->g;
    for (kf__ref r = 1; r < p->in->nodes.n && kf__graph_ok(g); r++) {
        if (!p->of[r].asked) continue;
        g->call = kf__at(p->in, r)->call;
        p->made[r] = remake(p, r);
    }
    g->call = 0;
    for (uint32_t i = 0; i < p->in->results.n && kf__graph_ok(g); i++)
        kf__result(g, p->made[p->in->results.at[i]], p->in->result_names.at[i]);
}

static bool has_slice(const kf_graph *g) {
    for (kf__ref r = 1; r < g->nodes.n; r++)
        if (kf__at(g, r)->kind == KF__SLICE) return true;
    return false;
}

kf_status kf__cut_reductions(const kf_graph *in, kf_graph **out, kf_error *err) {
    enum { MAX_TRIES = 8 };
    kf__arena arena;
    *out = NULL;
    if (!has_slice(in)) return KF_OK;
    kf__arena_init(&arena, in->mem);
    pass p = {.in = in, .g = kf__graph_like(in)};
    p.of = KF__NEW(&arena, demand, in->nodes.n + 1);
    p.keep = KF__NEW(&arena, uint32_t, in->nodes.n + 1);
    p.made = KF__NEW(&arena, kf__ref, in->nodes.n + 1);
    kf_status status = KF_OK;
    bool shared = true;
    if (!p.g || !p.of || !p.keep || !p.made) status = kf__out_of_memory(err);
    for (int i = 0; i < MAX_TRIES && shared && status == KF_OK; i++) {
        find_demands(&p);
        shared = keep_shared(&p);
    }
    bool cut = status == KF_OK && !shared && mark_cut(&p);
    if (cut) copy_nodes(&p);
    if (status == KF_OK && p.g->exprs.failed) status = kf__out_of_memory(err);
    else if (cut && !kf__graph_ok(p.g))
        status = kf__fail(err, p.g->error.status, "%s", p.g->error.message);
    kf__arena_free(&arena);
    if (cut && status == KF_OK) *out = p.g;
    else kf_graph_free(p.g);
    return status;
}
