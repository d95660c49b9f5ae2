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

enum { MOST_PARTS = 128 };

uint32_t kf__arrays_in(const kf_graph *g, kf__ref node, uint32_t axis, uint32_t most) {
    const kf__node *n = kf__at(g, node);
    if (n->kind != KF__CONCAT || n->index != axis || most < 2) return 1;
    uint32_t first = kf__arrays_in(g, n->args[0], axis, most - 1);
    return first + kf__arrays_in(g, n->args[1], axis, most - first);
}

typedef struct parts {
    kf__ref at[MOST_PARTS];
    uint32_t arrays[MOST_PARTS], n;
} parts;

static void put(parts *p, const kf_graph *g, uint32_t i, kf__ref part, uint32_t axis) {
    p->at[i] = part;
    p->arrays[i] = kf__arrays_in(g, part, axis, KF__MOST_IN_CHAIN * MOST_PARTS);
}

/* What is concatenated, the largest halved until none has more than `most` arrays. */
static void find_parts(const kf_graph *g, kf__ref whole, uint32_t most, parts *p) {
    uint32_t axis = kf__at(g, whole)->index;
    put(p, g, 0, whole, axis);
    for (p->n = 1; p->n < MOST_PARTS; p->n++) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < p->n; i++)
            if (p->arrays[i] > p->arrays[largest]) largest = i;
        if (p->arrays[largest] <= most) return;
        const kf__node *n = kf__at(g, p->at[largest]);
        for (uint32_t i = p->n; i > largest + 1; i--) {
            p->at[i] = p->at[i - 1];
            p->arrays[i] = p->arrays[i - 1];
        }
        put(p, g, largest, n->args[0], axis);
        put(p, g, largest + 1, n->args[1], axis);
    }
}

bool kf__split_roots(const kf__fuse_state *f, kf__ref node, int32_t result, kf__roots *out) {
    kf_graph *g = f->g;
    kf__expr at = kf__x_const(&g->exprs, 0);
    uint32_t axis = kf__at(g, node)->index;
    parts p;
    find_parts(g, node, f->split[node], &p);
    for (uint32_t i = 0; i < p.n && at; i++) {
        kf__root root = {.node = p.at[i], .result = result, .store = true, .whole = node, .at = at};
        if (!KF__PUSH(f->mem, out, root)) return false;
        at = kf__x_add(&g->exprs, at, kf__at(g, p.at[i])->shape[axis]);
    }
    return at != 0;
}

bool kf__may_split(const kf__fuse_state *f, kf__ref node, uint32_t most) {
    const kf_graph *g = f->g;
    uint32_t results = 0, arrays;
    if (kf__at(g, node)->kind != KF__CONCAT) return false;
    for (uint32_t i = 0; i < g->results.n; i++) results += g->results.at[i] == node;
    arrays = kf__arrays_in(g, node, kf__at(g, node)->index, most * MOST_PARTS + 1);
    return results == 1 && arrays > most && arrays <= most * MOST_PARTS;
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
