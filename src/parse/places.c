/* Makers of what stands at a list of places of an axis: inserted, deleted, repeated. What is
 * between them is sliced, and joined with what comes to stand there.
 *
 *     _insert_at(x, (3, 1, -1), v)     x[:1] v[1] x[1:3] v[0] x[3:-1] v[2] x[-1:]
 *     _delete_at(x, (1, -2))           x[:1] x[2:-2] x[-1:]
 */
#include <stdlib.h>

#include "parse/makers.h"

typedef struct place {
    int64_t at; /* below 0: from the end */
    uint32_t of; /* which of the list's it is */
} place;

/* Those from the beginning, then those from the end. */
static int by_place(const void *a, const void *b) {
    const place *p = a, *q = b;
    if ((p->at < 0) != (q->at < 0)) return p->at < 0 ? 1 : -1;
    return p->at != q->at ? (p->at < q->at ? -1 : 1) : (p->of > q->of) - (p->of < q->of);
}

static bool read_places(kf__evaluator *ev, const kf__object *list, place **out) {
    place *p = KF__NEW(&ev->arena, place, list->n + 1);
    if (!p) return kf__eval_memory(ev);
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->items[i].kind == KF__O_BOOL)
            return kf__eval_fail(ev, KF_ERR_TYPE, "obj has indices, not bools");
        if (!kf__to_int(ev, &list->items[i], "obj", &p[i].at)) return false;
        p[i].of = i;
    }
    qsort(p, list->n, sizeof *p, by_place);
    *out = p;
    return true;
}

/* What is joined, along axis 0. */
typedef struct between {
    kf_graph *g;
    kf__ref x, *parts;
    int n;
    kf__expr size, so_far; /* of x; what of it is joined */
} between;

static bool begin(kf__evaluator *ev, kf__ref x, uint32_t places, between *b) {
    *b = (between){.g = ev->g, .x = x, .size = kf__at(ev->g, x)->shape[0],
                   .so_far = kf__x_const(&ev->g->exprs, 0)};
    b->parts = KF__NEW(&ev->arena, kf__ref, 2 * places + 1);
    return b->parts || kf__eval_memory(ev);
}

static kf__expr place_of(const between *b, int64_t at) {
    kf__expr e = kf__x_const(&b->g->exprs, at);
    return at < 0 ? kf__x_add(&b->g->exprs, b->size, e) : e;
}

static void up_to(between *b, kf__expr at) {
    kf__expr n = kf__x_sub(&b->g->exprs, at, b->so_far);
    if (!kf__x_is(&b->g->exprs, n, 0))
        b->parts[b->n++] = kf__slice_axis(b->g, b->x, 0, b->so_far, n, 1);
    b->so_far = at;
}

static bool join(kf__evaluator *ev, between *b, kf__object *out) {
    up_to(b, b->size);
    if (!b->n) b->parts[b->n++] = b->x; /* of size 0 */
    for (int i = 0; i < b->n; i++)
        if (!b->parts[i]) return kf__eval_node(ev, 0, out);
    return kf__eval_node(ev, kf__concat_all(b->g, 0, b->parts, b->n), out);
}

/* Are all inside? `width`: of each place, 0 where it is between two elements. */
static bool are_inside(const between *b, const place *p, uint32_t n, int width, const char *why) {
    kf__exprs *pool = &b->g->exprs;
    for (uint32_t i = 0; i < n; i++) {
        bool last = i + 1 == n, turns = !last && p[i].at >= 0 && p[i + 1].at < 0;
        if (i > 0 && !last && !turns) continue;
        kf__expr e = kf__x_const(pool, p[i].at < 0 ? -p[i].at : p[i].at + width);
        bool outermost = p[i].at < 0 ? i == 0 : last || turns;
        if (outermost && !kf__same_size(b->g, kf__x_min(pool, e, b->size), e, why)) return false;
        if (!turns) continue;
        kf__expr next = place_of(b, p[i + 1].at);
        if (!kf__same_size(b->g, kf__x_min(pool, e, next), e,
                           "places counted from the end must lie behind those from the beginning"))
            return false;
    }
    return true;
}

bool kf__make_insert_at(kf__evaluator *ev, const kf__builtin *builtin, const kf__object *args,
                        kf__object *out) {
    kf__ref x, values;
    between b;
    place *p;
    (void)builtin;
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_node(ev, &args[2], &values) ||
        !read_places(ev, &args[1], &p) || !begin(ev, x, args[1].n, &b))
        return false;
    if (!are_inside(&b, p, args[1].n, 0, "insert outside of an axis"))
        return kf__eval_node(ev, 0, out);
    for (uint32_t i = 0; i < args[1].n; i++) {
        up_to(&b, place_of(&b, p[i].at));
        b.parts[b.n++] = kf__slice_axis(ev->g, values, 0, kf__x_const(&ev->g->exprs, p[i].of),
                                        kf__x_const(&ev->g->exprs, 1), 1);
    }
    return join(ev, &b, out);
}

bool kf__make_delete_at(kf__evaluator *ev, const kf__builtin *builtin, const kf__object *args,
                        kf__object *out) {
    kf__ref x;
    between b;
    place *p;
    (void)builtin;
    if (!kf__to_node(ev, &args[0], &x) || !read_places(ev, &args[1], &p) ||
        !begin(ev, x, args[1].n, &b))
        return false;
    if (!are_inside(&b, p, args[1].n, 1, "delete outside of an axis"))
        return kf__eval_node(ev, 0, out);
    for (uint32_t i = 0; i < args[1].n; i++) {
        kf__expr at = place_of(&b, p[i].at);
        if (i && p[i].at == p[i - 1].at) continue;
        up_to(&b, at);
        b.so_far = kf__x_add(&ev->g->exprs, at, kf__x_const(&ev->g->exprs, 1));
    }
    return join(ev, &b, out);
}

bool kf__repeat_each(kf__evaluator *ev, kf__ref x, int axis, const kf__object *counts,
                     kf__object *out) {
    kf__exprs *pool = &ev->g->exprs;
    kf__ref *parts = KF__NEW(&ev->arena, kf__ref, counts->n + 1);
    kf__expr shape[KF__MAX_RANK], one = kf__x_const(pool, 1), size;
    int64_t count;
    int n = 0;
    if (!parts) return kf__eval_memory(ev);
    if (!kf__same_size(ev->g, kf__at(ev->g, x)->shape[axis], kf__x_const(pool, counts->n),
                       "repeat() has a count for each element"))
        return kf__eval_node(ev, 0, out);
    for (uint32_t i = 0; i < counts->n; i++) {
        if (!kf__to_size(ev, &counts->items[i], "repeats", &size)) return false;
        if (kf__x_is_const(pool, size, &count) && count < 0)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "counts of repeat() can't be negative: %lld",
                                 (long long)count);
        kf__ref part = kf__slice_axis(ev->g, x, axis, kf__x_const(pool, i), one, 1);
        if (!part) return kf__eval_node(ev, 0, out);
        const kf__node *node = kf__at(ev->g, part);
        for (int d = 0; d < node->rank; d++) shape[d] = d == axis ? size : node->shape[d];
        parts[n++] = kf__expand(ev->g, part, shape);
        if (!parts[n - 1]) return kf__eval_node(ev, 0, out);
    }
    return kf__eval_node(ev, kf__concat_all(ev->g, axis, parts, n), out);
}
