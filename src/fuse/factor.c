/* Reductions over several axes of what is made of rows, in two steps: along the rows, where they are
 * on the chip, then what is left of each row.
 *
 *     sum(softmax(x) * y)      k0   rows: softmax, the product, the sum of the row
 *                              k1   the sum of the rows' sums
 *
 * In one step the kernel that sums would reduce both axes; it would be another one than that of the
 * rows, read x again and take the exponentials again. The driver compares both (fuse.c). Not of
 * halves: the rows' sums would be rounded where they are stored.
 */
#include "fuse/internal.h"

/* Is it a monoid whose elements are its states? */
static bool may_be_split(const kf__node *n) {
    bool folds = kf__reds[n->op].n_fields == 1;
    return n->kind == KF__REDUCE && folds && kf__compute((kf__dtype)n->dtype) == n->dtype;
}

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
    if (!may_be_split(n)) return 0;
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

static kf__ref remake(kf_graph *g, const kf_graph *from, kf__ref r, const kf__ref *made,
                      uint32_t rows) {
    const kf__node *n = kf__at(from, r);
    kf__ref args[3] = {0};
    if (n->kind == KF__INPUT) return remake_input(g, from, n);
    for (int i = 0; i < n->n_args; i++) args[i] = made[n->args[i]];
    if (rows) {
        kf__node inner = *n, outer = *n;
        inner.axes = rows, outer.axes &= ~rows;
        args[0] = kf__remake(g, &inner, args);
        return kf__remake(g, &outer, args);
    }
    return kf__remake(g, n, args);
}

/* Rebuilds the graph; a node's number may change, its expressions' stay. */
kf_status kf__factor(const kf_graph *from, kf_graph **out, kf_error *err) {
    kf__arena arena;
    bool any = false;
    *out = NULL;
    kf__arena_init(&arena, from->mem);
    uint8_t *cone = KF__NEW(&arena, uint8_t, from->nodes.n);
    uint32_t *rows = KF__NEW(&arena, uint32_t, from->nodes.n);
    kf__ref *made = KF__NEW(&arena, kf__ref, from->nodes.n);
    bool ok = cone && rows && made;
    for (kf__ref r = 1; ok && r < from->nodes.n; r++) {
        if (kf__at(from, r)->kind == KF__REDUCE) rows[r] = rows_of(from, r, cone);
        any |= rows[r] != 0;
    }
    kf_graph *g = ok && any ? kf__graph_like(from) : NULL;
    ok = ok && (g || !any);
    for (kf__ref r = 1; g && r < from->nodes.n; r++)
        made[r] = remake(g, from, r, made, rows[r]);
    for (uint32_t i = 0; g && i < from->results.n; i++)
        kf__result(g, made[from->results.at[i]], from->result_names.at[i]);
    kf__arena_free(&arena);
    if (ok && g && kf__graph_ok(g)) *out = g;
    else kf_graph_free(g);
    return *out || (ok && !any) ? KF_OK : kf__out_of_memory(err);
}
