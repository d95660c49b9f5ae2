/* Concatenations whose parts are written by kernels of their own, each into its slice of the
 * result:
 *
 *     concatenate([softmax(x), y])      one kernel for the rows of x, stored at out[i]
 *                                       one that copies y, stored at out[i + x.0]
 *
 * As ranges of one kernel's loop (join.c) the softmax's sums would be a kernel of their own, and x
 * be read twice. The driver takes whichever costs less. A part's root is as any other, but that its
 * store's index is moved; who reads the result waits for all of its parts. */
#include "fuse/internal.h"

enum { MOST_PARTS = 8 };

bool kf__split_roots(const kf__fuse_state *f, kf__ref node, int32_t result, kf__roots *out) {
    kf_graph *g = f->g;
    kf__expr at = kf__x_const(&g->exprs, 0);
    uint32_t axis = kf__at(g, node)->index, n = 0;
    kf__ref rest = node;
    for (bool more = true; more && at; n++) {
        const kf__node *c = kf__at(g, rest);
        more = c->kind == KF__CONCAT && c->index == axis;
        kf__ref part = more ? c->args[0] : rest;
        kf__root root = {.node = part, .result = result, .store = true, .whole = node, .at = at};
        if (n == MOST_PARTS || !KF__PUSH(f->mem, out, root)) return false;
        at = kf__x_add(&g->exprs, at, kf__at(g, part)->shape[axis]);
        if (more) rest = kf__at(g, rest)->args[1];
    }
    return at != 0;
}

bool kf__may_split(const kf__fuse_state *f, kf__ref node) {
    const kf_graph *g = f->g;
    uint32_t results = 0, parts = 1;
    kf__ref rest = node;
    for (uint32_t i = 0; i < g->results.n; i++) results += g->results.at[i] == node;
    for (; kf__at(g, rest)->kind == KF__CONCAT && parts <= MOST_PARTS; parts++)
        rest = kf__at(g, rest)->args[1];
    return results == 1 && parts > 1 && parts <= MOST_PARTS;
}

kf__ref kf__root_fed_as(const kf__fuse_state *f, const kf__root *root) {
    kf__ref node = root->whole ? root->whole : root->node;
    return root->store && f->stored[node] ? node : 0;
}

bool kf__reads_own_whole(const kf__group *a, const kf__group *b) {
    for (int side = 0; side < 2; side++) {
        const kf__roots *roots = side ? &b->roots : &a->roots;
        for (uint32_t i = 0; i < roots->n; i++)
            if (roots->at[i].whole && kf__group_reads(side ? a : b, roots->at[i].whole))
                return true;
    }
    return false;
}
