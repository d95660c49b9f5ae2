/* Domains: the axes of a kernel.
 *
 * A kernel's axes come from its reductions' argument, else from its root. A value fits where it has
 * an element for each index of the domain or of the kept axes; it may have them in another shape:
 *
 *     group_norm of x[N, C, H, W] reduces rows[N, G, P]       axes N, G | Q, H, W    P = Q * H * W
 *     and scales by w[C]                                      w's index: g * Q + q
 *
 * Axes are split (refined) by the shapes of the root and of reshapes, so that maps become affine.
 */
#include "fuse/internal.h"

/* ---------------------------------------------------------------- numbers of elements */

static kf__expr count(kf__exprs *x, uint32_t n, const kf__expr *size, uint32_t mask) {
    kf__expr product = kf__x_const(x, 1);
    for (uint32_t i = 0; i < n; i++)
        if (mask >> i & 1) product = kf__x_mul(x, product, size[i]);
    return product;
}

static uint32_t mask_of(const kf__domain *d, bool all) {
    return ((1u << d->n) - 1) & (all ? UINT32_MAX : ~d->reduced);
}

/* Is the one a reshape of the other, element by element? Of none it isn't: [3, 3, 0] would store
 * its rows where [3, 0] has no place. Where a constraint says that all are as many as are kept,
 * what is exactly the one isn't the other. */
static bool same_count(kf_graph *g, const kf__domain *d, bool all, int rank,
                       const kf__expr *shape) {
    kf__expr a = count(&g->exprs, d->n, d->size, mask_of(d, all));
    kf__expr b = count(&g->exprs, (uint32_t)rank, shape, UINT32_MAX);
    if (!a || !b || kf__x_is(&g->exprs, a, 0)) return false;
    if (a == b) return true;
    return count(&g->exprs, d->n, d->size, mask_of(d, !all)) != b && kf__sizes_equal(g, a, b);
}

/* ---------------------------------------------------------------- what fits */

/* Dims but literal ones are the domain's axes, one by one. */
static bool exact_index(kf_graph *g, const kf__domain *d, uint32_t mask, int rank,
                        const kf__expr *shape, kf__expr *index) {
    kf__exprs *x = &g->exprs;
    uint32_t axis = 0;
    for (int i = 0; i < rank; i++) {
        index[i] = kf__x_const(x, 0);
        if (kf__x_is(x, shape[i], 1)) continue;
        while (axis < d->n && !(mask >> axis & 1)) axis++;
        if (axis == d->n || d->size[axis] != shape[i]) return false;
        index[i] = kf__x_axis(x, axis, shape[i]);
        axis++;
    }
    return (mask >> axis) == 0;
}

/* Dims but literal ones are the axes in another order; where nothing is reduced, any order will do:
 * what is stored transposed lies beside what isn't. */
static bool permuted_index(kf_graph *g, const kf__domain *d, int rank, const kf__expr *shape,
                           kf__expr *index) {
    kf__exprs *x = &g->exprs;
    uint32_t used = 0;
    if (d->reduced) return false;
    for (int i = 0; i < rank; i++) {
        uint32_t axis = 0;
        index[i] = kf__x_const(x, 0);
        if (kf__x_is(x, shape[i], 1)) continue;
        while (axis < d->n && ((used >> axis & 1) || d->size[axis] != shape[i])) axis++;
        if (axis == d->n) return false;
        index[i] = kf__x_axis(x, axis, shape[i]);
        used |= 1u << axis;
    }
    return used == mask_of(d, true);
}

bool kf__domain_index(kf_graph *g, const kf__domain *d, bool all, int rank, const kf__expr *shape,
                      kf__expr *index) {
    uint32_t mask = mask_of(d, all);
    kf__expr from[KF__MAX_AXES], axes[KF__MAX_AXES];
    int n = 0;
    if (exact_index(g, d, mask, rank, shape, index)) return true;
    if (permuted_index(g, d, rank, shape, index)) return true;
    if (!same_count(g, d, all, rank, shape)) return false;
    for (uint32_t i = 0; i < d->n; i++) {
        if (!(mask >> i & 1)) continue;
        from[n] = d->size[i];
        axes[n++] = kf__x_axis(&g->exprs, i, d->size[i]);
    }
    return kf__reshape_index(&g->exprs, n, from, axes, rank, shape, index);
}

bool kf__domain_reduces(kf_graph *g, const kf__domain *d, const kf__node *reduce,
                        const kf__expr *index, kf__expr *own) {
    const kf__node *a = kf__at(g, reduce->args[0]);
    uint32_t kept = 0, reduced = 0;
    if (!d->reduced || d->scans) return false;
    if (!kf__domain_index(g, d, true, a->rank, a->shape, own)) return false;
    for (int i = 0; i < a->rank; i++) {
        bool is_reduced = reduce->axes >> i & 1;
        uint32_t axes = kf__axes_of(&g->exprs, own[i]);
        if (is_reduced) reduced |= axes;
        else kept |= axes;
        if (!is_reduced && own[i] != index[i]) return false;
    }
    return reduced == d->reduced && !(kept & reduced);
}

bool kf__domain_scans(kf_graph *g, const kf__domain *d, const kf__node *scan,
                      const kf__expr *index) {
    kf__expr own[KF__MAX_RANK];
    if (!d->scans || d->chunk != scan->axes) return false;
    if (!kf__domain_index(g, d, true, scan->rank, scan->shape, own)) return false;
    uint32_t axis = 0;
    while (!(d->reduced >> axis & 1)) axis++;
    for (int i = 0; i < scan->rank; i++) {
        bool along = i == (int)scan->index;
        if (own[i] != index[i]) return false;
        if (along && own[i] != kf__x_axis(&g->exprs, axis, d->size[axis])) return false;
        if (!along && (kf__axes_of(&g->exprs, own[i]) & d->reduced)) return false;
    }
    return true;
}

kf__kernel_kind kf__domain_kind(const kf__domain *d) {
    uint32_t kept = mask_of(d, false);
    if (!d->reduced) return KF__POINTWISE;
    if (!kept) return KF__FULL;
    return kept < (d->reduced & -d->reduced) ? KF__ROW : KF__COLUMN;
}

/* ---------------------------------------------------------------- splitting axes */

enum { MAX_FACTORS = 32 };

static bool factors(const kf__exprs *x, kf__expr e, kf__expr *list, int *n, int64_t *constant) {
    const kf__expr_node *node = &x->nodes.at[e];
    if (node->kind == KF__X_MUL)
        return factors(x, node->a, list, n, constant) && factors(x, node->b, list, n, constant);
    if (node->kind == KF__X_CONST) return kf__mul_ok(*constant, node->value, constant);
    if (*n == MAX_FACTORS) return false;
    list[(*n)++] = e;
    return true;
}

/* a / b where b's factors are among a's; else 0. */
static kf__expr quotient(kf__exprs *x, kf__expr a, kf__expr b) {
    kf__expr fa[MAX_FACTORS], fb[MAX_FACTORS];
    int na = 0, nb = 0;
    int64_t ca = 1, cb = 1;
    if (!factors(x, a, fa, &na, &ca) || !factors(x, b, fb, &nb, &cb)) return 0;
    if (ca <= 0 || cb <= 0 || ca % cb) return 0;
    for (int i = 0; i < nb; i++) {
        int k = 0;
        while (k < na && fa[k] != fb[i]) k++;
        if (k == na) return 0;
        fa[k] = fa[--na];
    }
    kf__expr q = kf__x_const(x, ca / cb);
    for (int i = 0; i < na; i++) q = kf__x_mul(x, q, fa[i]);
    return q;
}

/* a / b where a is the product of b and of dims before it; else 0. Sums aren't factored: it finds
 * (h + 2) (w + 2) / (w + 2). */
static kf__expr outer_dims(kf__exprs *x, kf__expr a, kf__expr b, const kf__expr *shape, int dim) {
    kf__expr outer = kf__x_const(x, 1);
    for (; dim >= 0; dim--) {
        outer = kf__x_mul(x, outer, shape[dim]);
        if (outer && kf__x_mul(x, outer, b) == a) return outer;
    }
    return 0;
}

/* Split axes where a shape with as many elements has a border inside, from the last on. */
static bool refine(kf__exprs *x, kf__domain *d, int rank, const kf__expr *shape) {
    kf__expr size[KF__MAX_AXES]; /* backwards */
    uint32_t n = 0, reduced = 0;
    int dim = rank - 1;
    kf__expr want = 0; /* what is left of the shape's dim */
    for (uint32_t i = d->n; i-- > 0;) {
        kf__expr left = d->size[i];
        uint32_t bit = d->reduced >> i & 1;
        while (left) {
            while (!want && dim >= 0) {
                want = shape[dim--];
                if (kf__x_is(x, want, 1)) want = 0;
            }
            kf__expr inner = want ? quotient(x, left, want) : 0;
            if (want && !inner) inner = outer_dims(x, left, want, shape, dim);
            if (n == KF__MAX_AXES) return false;
            reduced |= bit << n;
            if (inner && inner != kf__x_const(x, 1)) {
                size[n++] = want;
                left = inner;
                want = 0;
                continue;
            }
            size[n++] = left;
            kf__expr outer = want ? quotient(x, want, left) : 0;
            want = outer && !kf__x_is(x, outer, 1) ? outer : 0;
            if (!outer) dim = -1; /* no common border: leave the rest */
            left = 0;
        }
    }
    if (n == d->n) return false;
    uint32_t cumulative = d->scans ? reduced : 0;
    if (cumulative & (cumulative - 1)) return false; /* it stays one axis */
    d->n = n;
    d->reduced = 0;
    for (uint32_t i = 0; i < n; i++) {
        d->size[i] = size[n - 1 - i];
        d->reduced |= (reduced >> (n - 1 - i) & 1) << i;
    }
    return true;
}

static void domain_of_shape(const kf_graph *g, int rank, const kf__expr *shape, kf__domain *out) {
    memset(out, 0, sizeof(*out));
    for (int i = 0; i < rank; i++)
        if (!kf__x_is(&g->exprs, shape[i], 1)) out->size[out->n++] = shape[i];
}

/* ---------------------------------------------------------------- searching below a root */

typedef struct walk {
    kf__fuse_state *f;
    KF__VEC(kf__ref) stack;
    uint8_t *seen;
    kf__ref root, anchor;
    bool failed; /* out of memory */
} walk;

static void walk_begin(walk *w, kf__fuse_state *f, kf__ref root) {
    *w = (walk){.f = f, .root = root, .anchor = kf__anchor(f, root)};
    w->seen = kf__allocate(f->mem, f->g->nodes.n);
    w->failed = !w->seen || !KF__PUSH(f->mem, &w->stack, w->anchor);
    if (w->seen) memset(w->seen, 0, f->g->nodes.n);
}

/* The next node that a kernel for the root computes, outer ones first; 0: no more. */
static kf__ref walk_next(walk *w) {
    while (!w->failed && w->stack.n) {
        kf__ref ref = w->stack.at[--w->stack.n];
        const kf__node *n = kf__at(w->f->g, ref);
        bool inner = ref == w->root || ref == w->anchor || w->f->twin[ref] == w->root;
        if (w->seen[ref] || (kf__in_memory(w->f, ref) && !inner)) continue;
        w->seen[ref] = 1;
        for (int i = n->n_args; i-- > 0;)
            w->failed |= !KF__PUSH(w->f->mem, &w->stack, n->args[i]);
        return ref;
    }
    return 0;
}

static void walk_end(walk *w) {
    KF__VEC_FREE(w->f->mem, &w->stack);
    kf__release(w->f->mem, w->seen);
}

/* Does a kernel over the reduction's or scan's argument have a place for a root of shape `n`?
 * exact: dim by dim; else reshaped. */
static bool serves(kf_graph *g, const kf__node *n, const kf__node *reduce, bool exact,
                   kf__domain *out) {
    const kf__node *a = kf__at(g, reduce->args[0]);
    kf__expr index[KF__MAX_RANK];
    domain_of_shape(g, a->rank, a->shape, out);
    uint32_t axis = 0;
    if (reduce->kind == KF__SCAN) {
        for (int i = 0; i < (int)reduce->index; i++) axis += !kf__x_is(&g->exprs, a->shape[i], 1);
        out->reduced = 1u << axis, out->scans = true, out->chunk = reduce->axes;
        if (exact) return exact_index(g, out, mask_of(out, true), n->rank, n->shape, index);
        if (!same_count(g, out, true, n->rank, n->shape)) return false;
        refine(&g->exprs, out, n->rank, n->shape);
        return true;
    }
    for (int i = 0; i < a->rank; i++) {
        if (kf__x_is(&g->exprs, a->shape[i], 1)) continue;
        out->reduced |= (reduce->axes >> i & 1) << axis++;
    }
    if (!out->reduced) return false;
    bool is_row = kf__domain_kind(out) == KF__ROW;
    if (exact)
        return exact_index(g, out, mask_of(out, false), n->rank, n->shape, index) ||
               (is_row && exact_index(g, out, mask_of(out, true), n->rank, n->shape, index));
    if (is_row && same_count(g, out, true, n->rank, n->shape)) {
        refine(&g->exprs, out, n->rank, n->shape);
        return true;
    }
    return same_count(g, out, false, n->rank, n->shape);
}

static bool is_along(const kf__node *n) { return n->kind == KF__REDUCE || n->kind == KF__SCAN; }

kf_status kf__domain_find(kf__fuse_state *f, kf__ref root, kf__domain *out) {
    bool found = false;
    for (int exact = 1; exact >= 0 && !found; exact--) {
        walk w;
        walk_begin(&w, f, root);
        const kf__node *n = kf__at(f->g, w.anchor);
        for (kf__ref r; !found && (r = walk_next(&w)) != 0;)
            found = is_along(kf__at(f->g, r)) && serves(f->g, n, kf__at(f->g, r), exact, out);
        if (!found) domain_of_shape(f->g, n->rank, n->shape, out);
        walk_end(&w);
        if (w.failed) return KF_ERR_MEMORY;
    }
    return KF_OK;
}

bool kf__domain_split(kf__fuse_state *f, kf__ref root, kf__domain *domain, bool *no_memory) {
    bool split = false;
    walk w;
    walk_begin(&w, f, root);
    for (kf__ref r; (r = walk_next(&w)) != 0;) {
        const kf__node *n = kf__at(f->g, r);
        if (n->kind != KF__RESHAPE) continue;
        const kf__node *a = kf__at(f->g, n->args[0]);
        split |= refine(&f->g->exprs, domain, a->rank, a->shape);
        split |= refine(&f->g->exprs, domain, n->rank, n->shape);
    }
    walk_end(&w);
    *no_memory = w.failed;
    return split && !w.failed;
}

/* ---------------------------------------------------------------- joining */

static bool same_domain(const kf__domain *a, const kf__domain *b) {
    return a->n == b->n && !memcmp(a->size, b->size, sizeof(a->size[0]) * a->n);
}

bool kf__domain_join(kf_graph *g, const kf__domain *a, const kf__domain *b, kf__domain *out) {
    bool both = a->reduced && b->reduced;
    if (both && (a->scans != b->scans || a->chunk != b->chunk)) return false;
    if (same_domain(a, b)) {
        if (both && a->reduced != b->reduced) return false;
        *out = a->reduced ? *a : *b;
        return true;
    }
    if (both) return false;
    bool take_a = a->reduced || (!b->reduced && a->n > b->n); /* the finer one */
    const kf__domain *with = take_a ? a : b, *other = take_a ? b : a;
    *out = *with;
    return same_count(g, with, true, (int)other->n, other->size) ||
           (!with->scans && same_count(g, with, false, (int)other->n, other->size));
}
