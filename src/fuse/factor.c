/* Reductions over several axes of what is made of rows, in two steps: along the rows, where they
 * are on the chip, then what is left of each row.
 *
 *     sum(softmax(x) * y)      k0   rows: softmax, the product, the sum of the row
 *                              k1   the sum of the rows' sums
 *
 * In one step the kernel that sums would reduce both axes; it would be another one than that of the
 * rows, read x again and take the exponentials again. The driver compares both (fuse.c).
 *
 * The rows' sums of halves would be rounded where they are stored. So these are f32, and so is what
 * is computed of them, up to the result, which rounds as before, for who uses it too.
 */
#include "fuse/internal.h"

/* Mark the elementwise nodes that a reduction's argument is made of, at the same index. */
static void mark_cone(const kf_graph *g, kf__ref root, uint8_t *cone) {
    memset(cone, 0, g->nodes.n);
    cone[root] = 1;
    for (kf__ref r = root; r > 0; r--) {
        const kf__node *n = kf__at(g, r);
        if (!cone[r]) continue;
        if (n->kind != KF__OP && n->kind != KF__CAST && n->kind != KF__EXPAND) continue;
        for (int i = 0; i < n->n_args; i++) cone[n->args[i]] = 1;
    }
}

/* The axes of the rows that a reduction's argument is made of: of the reductions in it, the fewest
 * that are all of them reduced here. 0: of none, or it reduces these alone. */
static uint32_t rows_of(const kf_graph *g, kf__ref reduce, uint8_t *cone) {
    const kf__node *n = kf__at(g, reduce);
    uint32_t rows = 0;
    if (kf__reds[n->op].n_fields > 1) return 0; /* an element is a state */
    mark_cone(g, n->args[0], cone);
    for (kf__ref r = n->args[0]; r > 0; r--) {
        const kf__node *inner = kf__at(g, r);
        if (!cone[r] || inner->kind != KF__REDUCE || inner->rank != n->rank) continue;
        if ((inner->axes & ~n->axes) == 0 && inner->axes != n->axes)
            rows = rows ? rows & inner->axes : inner->axes;
    }
    return rows;
}

/* As in simplify: an input's own sizes keep their names, its node has those that stand for them. */
static kf__ref remake_input(kf_graph *g, const kf_graph *from, const kf__node *n) {
    kf__node like = *n;
    kf__expr size[KF__MAX_ARRAY_RANK];
    memcpy(size, from->inputs.at[n->index].size, sizeof(size));
    like.shape = size;
    kf__ref r = kf__remake(g, &like, NULL);
    if (r && n->rank) memcpy(g->nodes.at[r].shape, n->shape, sizeof(*n->shape) * n->rank);
    return r;
}

typedef struct factoring {
    const kf_graph *from;
    kf_graph *g;
    uint8_t *cone;
    uint32_t *rows;    /* [nodes of from] of a reduction in two steps; 0: in one */
    kf__ref *made;     /* [nodes of from] the node in g; of what is wide and no result, that */
    kf__ref *wide;     /* [nodes of from] of a half: the same in f32 */
    uint8_t *is_wide;  /* [nodes of from] it is to be so */
    const uint8_t *results; /* [nodes of from] not 0: it is one, or what one is a view of */
} factoring;

/* Which halves become f32: those in two steps, and what is computed of them. False: something that
 * isn't computed, as a concatenation, takes one, or nextafter, of which f32 has others. */
static bool find_wide(factoring *p) {
    bool fits = true;
    for (kf__ref r = 1; r < p->from->nodes.n && fits; r++) {
        const kf__node *n = kf__at(p->from, r);
        bool narrow = kf__is_narrow((kf__dtype)n->dtype), any = p->rows[r] && narrow;
        bool computed = n->kind == KF__OP ? n->op != KF__NEXTAFTER : n->kind == KF__CAST;
        for (int i = 0; i < n->n_args; i++) any |= p->is_wide[n->args[i]] != 0;
        fits = !any || computed || n->kind == KF__REDUCE || kf__is_view(n);
        p->is_wide[r] = any && narrow && n->kind != KF__CAST;
    }
    return fits;
}

/* Node r in g. Arguments that are halves are taken as f32 where it or one of them is. */
static void remake(factoring *p, kf__ref r) {
    const kf__node *n = kf__at(p->from, r);
    kf__ref args[3] = {0}, made;
    bool wide = p->is_wide[r];
    kf__node like = *n;
    for (int i = 0; i < n->n_args; i++) wide |= p->is_wide[n->args[i]] != 0;
    for (int i = 0; i < n->n_args; i++) {
        kf__ref arg = n->args[i];
        args[i] = wide && p->wide[arg] ? p->wide[arg] : p->made[arg];
        if (wide && !p->wide[arg] && kf__is_narrow((kf__dtype)kf__at(p->from, arg)->dtype))
            args[i] = kf__cast(p->g, args[i], kf__compute((kf__dtype)kf__at(p->from, arg)->dtype));
    }
    if (p->is_wide[r]) like.dtype = (uint8_t)kf__compute((kf__dtype)n->dtype);
    if (p->rows[r]) {
        kf__node inner = like;
        inner.axes = p->rows[r];
        like.axes &= ~p->rows[r];
        args[0] = kf__remake(p->g, &inner, args);
    }
    made = n->kind == KF__INPUT ? remake_input(p->g, p->from, n) : kf__remake(p->g, &like, args);
    p->made[r] = made;
    if (!p->is_wide[r]) return;
    if (p->results[r]) p->made[r] = kf__cast(p->g, made, (kf__dtype)n->dtype);
    p->wide[r] = p->results[r] ? kf__cast(p->g, p->made[r], (kf__dtype)like.dtype) : made;
}

static void add_result(factoring *p, uint32_t i) {
    kf__ref r = p->from->results.at[i];
    kf__result(p->g, p->made[r], p->from->result_names.at[i]);
}

/* Rebuilds the graph; a node's number may change, its expressions' stay. */
kf_status kf__factor(const kf_graph *from, const uint8_t *results, kf_graph **out,
                     kf_error *err) {
    kf__arena arena;
    bool any = false;
    size_t n = from->nodes.n;
    *out = NULL;
    kf__arena_init(&arena, from->mem);
    factoring p = {.from = from, .results = results, .cone = KF__NEW(&arena, uint8_t, n)};
    p.rows = KF__NEW(&arena, uint32_t, n);
    p.made = KF__NEW(&arena, kf__ref, n);
    p.wide = KF__NEW(&arena, kf__ref, n);
    p.is_wide = KF__NEW(&arena, uint8_t, n);
    bool ok = p.cone && p.rows && p.made && p.wide && p.is_wide;
    for (kf__ref r = 1; ok && r < n; r++) {
        if (kf__at(from, r)->kind == KF__REDUCE) p.rows[r] = rows_of(from, r, p.cone);
        any |= p.rows[r] != 0;
    }
    any = any && find_wide(&p);
    p.g = ok && any ? kf__graph_like(from) : NULL;
    ok = ok && (p.g || !any);
    for (kf__ref r = 1; p.g && r < n; r++) remake(&p, r);
    for (uint32_t i = 0; p.g && i < from->results.n; i++) add_result(&p, i);
    kf__arena_free(&arena);
    if (ok && p.g && kf__graph_ok(p.g)) *out = p.g;
    else kf_graph_free(p.g);
    return *out || (ok && !any) ? KF_OK : kf__out_of_memory(err);
}
