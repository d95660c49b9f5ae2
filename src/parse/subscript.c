/* x[...] and x.shape: slices and new axes of arrays, items and slices of tuples, attributes.
 *
 * A slice of a named size n is clamped as Python does it, by size expressions: x[1:5] has
 * max(min(5, n) - 1, 0) elements. An index beyond the end is found when planned. */
#include "parse/makers.h"

#include <stdio.h>

/* ---------------------------------------------------------------- one axis */

/* What becomes of one axis of the argument. */
typedef struct cut {
    kf__expr start, size;
    int64_t step;
    bool drop; /* an index: the axis goes away */
} cut;

typedef struct bounds {
    bool has[2];
    kf__expr at[2];
    bool negative[2]; /* counted from the end; then `at` is how far */
    bool either[2];   /* that is known when sizes are: -y.shape[0] is 0 or below */
} bounds;

/* start or stop, if it is there */
static bool read_bound(kf__evaluator *ev, const kf__ast *node, int i, bounds *b) {
    kf__object o;
    int64_t value;
    if (!node || (node->kind == KF__A_LITERAL && node->literal.kind == KF__O_NONE)) return true;
    if (!kf__evaluate(ev, node, &o)) return false;
    if (o.kind == KF__O_NONE) return true;
    if (o.kind == KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "slices whose bounds are arrays are not "
                                                     "supported yet");
    if (!kf__to_size(ev, &o, "a bound of a slice", &b->at[i])) return false;
    b->has[i] = true;
    b->either[i] = !kf__x_is_const(&ev->g->exprs, b->at[i], &value);
    b->negative[i] = !b->either[i] && value < 0;
    if (b->negative[i])
        b->at[i] = kf__x_const(&ev->g->exprs, value == INT64_MIN ? INT64_MAX : -value);
    return true;
}

static kf__expr at_most(kf__exprs *pool, kf__expr a, kf__expr limit) {
    return kf__x_min(pool, a, limit);
}

/* n - far, but not below 0 */
static kf__expr from_end(kf__exprs *pool, kf__expr n, kf__expr far) {
    return kf__x_max(pool, kf__x_sub(pool, n, far), kf__x_const(pool, 0));
}

/* ceil(length / step) where length may be negative: then 0 */
static kf__expr steps(kf__exprs *pool, kf__expr length, int64_t step) {
    length = kf__x_max(pool, length, kf__x_const(pool, 0));
    if (step == 1) return length;
    return kf__x_div(pool, kf__x_add(pool, length, kf__x_const(pool, step - 1)),
                     kf__x_const(pool, step));
}

/* Upwards: from start to before stop. Where nothing is left, start doesn't matter, so a start that
 * is a number stays that number. */
static void cut_upwards(kf__exprs *pool, const bounds *b, kf__expr n, cut *c) {
    c->start = !b->has[0]        ? kf__x_const(pool, 0)
               : b->negative[0]  ? from_end(pool, n, b->at[0])
                                 : b->at[0];
    if (b->has[0] && b->negative[0] && !b->has[1]) { /* the last few: x[-3:] */
        c->size = steps(pool, at_most(pool, b->at[0], n), c->step);
        return;
    }
    kf__expr stop = !b->has[1]       ? n
                    : b->negative[1] ? from_end(pool, n, b->at[1])
                                     : at_most(pool, b->at[1], n);
    c->size = steps(pool, kf__x_sub(pool, stop, c->start), c->step);
}

/* Downwards: from start to behind stop. Where nothing is left, start doesn't matter. */
static void cut_downwards(kf__exprs *pool, const bounds *b, kf__expr n, cut *c) {
    kf__expr one = kf__x_const(pool, 1), last = kf__x_sub(pool, n, one), length;
    c->start = last;
    if (b->has[0] && b->negative[0]) /* max(n - far, -1) */
        c->start = kf__x_sub(pool, from_end(pool, n, kf__x_sub(pool, b->at[0], one)), one);
    else if (b->has[0])
        c->start = at_most(pool, b->at[0], last);
    if (!b->has[1])
        length = kf__x_add(pool, c->start, one);
    else if (!b->negative[1])
        length = kf__x_sub(pool, c->start, b->at[1]);
    else if (!b->has[0]) /* the last few: x[:-3:-1] */
        length = at_most(pool, kf__x_sub(pool, b->at[1], one), n);
    else
        length = kf__x_sub(pool, kf__x_add(pool, c->start, one),
                           from_end(pool, n, kf__x_sub(pool, b->at[1], one)));
    c->size = steps(pool, length, -c->step);
}

static bool cut_slice(kf__evaluator *ev, const kf__ast *node, kf__expr n, cut *c) {
    bounds b = {0};
    kf__object step;
    c->step = 1;
    if (!read_bound(ev, node->part[0].node, 0, &b) || !read_bound(ev, node->part[1].node, 1, &b))
        return false;
    if (node->part[2].node) {
        if (!kf__evaluate(ev, node->part[2].node, &step)) return false;
        if (step.kind != KF__O_NONE && !kf__to_int(ev, &step, "the step of a slice", &c->step))
            return false;
    }
    if (c->step == 0 || c->step == INT64_MIN)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "the step of a slice can't be %lld",
                             (long long)c->step);
    int64_t far = (int64_t)1 << 61; /* beyond any axis, and sums with it fit in 64 bits */
    c->step = kf__max(kf__min(c->step, far), -far);
    for (int i = 0; i < 2; i++)
        if (b.either[i])
            b.at[i] = kf__x_wrapped(&ev->g->exprs, b.at[i], n, c->step > 0 ? 0 : -1);
    if (c->step > 0) cut_upwards(&ev->g->exprs, &b, n, c);
    else cut_downwards(&ev->g->exprs, &b, n, c);
    return (c->start && c->size) || kf__eval_memory(ev);
}

static const char *size_text(kf__evaluator *ev, kf__expr size) {
    kf__text text;
    kf__text_init(&text, ev->mem);
    kf__x_print(&ev->g->exprs, size, &text);
    const char *kept = text.failed ? NULL : kf__arena_string(&ev->arena, text.at, text.n);
    kf__text_free(&text);
    return kept;
}

/* The sizes are the same where the index lies within its axis, of n: now or when planned. */
static bool ask_inside(kf__evaluator *ev, kf__expr a, kf__expr b, kf__expr n, const char *why) {
    int64_t difference = 0;
    kf__object ignored;
    kf__expr minus = kf__x_sub(&ev->g->exprs, a, b);
    if (!minus) return kf__eval_memory(ev);
    if (!kf__x_is_const(&ev->g->exprs, minus, &difference) || difference == 0)
        return kf__eval_node(ev, kf__same_size(ev->g, a, b, why), &ignored);
    const char *size = size_text(ev, n);
    return size ? kf__eval_fail(ev, KF_ERR_SHAPE, "%s is out of range: its size is %s", why, size)
                : kf__eval_memory(ev);
}

/* x[len(x) // 2]: a size, checked when planned. */
static bool cut_size_index(kf__evaluator *ev, kf__expr at, int axis, kf__expr n, cut *c) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr zero = kf__x_const(pool, 0), one = kf__x_const(pool, 1);
    const char *index = size_text(ev, at);
    const char *why =
        index ? kf__arena_printf(&ev->arena, KF__WHY_INDEX "%s of axis %d", index, axis) : NULL;
    c->start = kf__x_wrapped(pool, at, n, -1);
    if (!c->start || !why) return kf__eval_memory(ev);
    kf__expr first = kf__x_max(pool, c->start, zero), reach = kf__x_add(pool, c->start, one);
    kf__expr last = kf__x_min(pool, n, reach);
    if (!reach || !first || !last) return kf__eval_memory(ev);
    if (!ask_inside(ev, first, c->start, n, why) || !ask_inside(ev, last, reach, n, why))
        return false;
    c->size = one, c->step = 1, c->drop = true;
    return true;
}

static bool cut_index(kf__evaluator *ev, const kf__object *o, int axis, kf__expr n, cut *c) {
    kf__exprs *pool = &ev->g->exprs;
    int64_t size, index;
    kf__object ignored;
    if (o->kind == KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED,
                             kf__at(ev->g, o->ref)->dtype == KF__BOOL
                                 ? "a mask as an index is not supported (the result's shape would "
                                   "depend on values); use where(mask, x, 0)"
                                 : "only one array can be an index");
    if (o->kind == KF__O_BOOL)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s as an index isn't supported; use 0 or 1, or "
                                              "where(condition, a, b)", kf__object_text(o));
    if (o->kind == KF__O_SIZE) return cut_size_index(ev, o->size, axis, n, c);
    if (!kf__to_int(ev, o, "index", &index)) return false;
    if (index == INT64_MIN || index == INT64_MAX)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "index %lld of axis %d is out of range",
                             (long long)index, axis);
    if (kf__x_is_const(pool, n, &size) && (index >= size || index < -size))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "index %lld of axis %d is out of range: its "
                                                  "size is %lld",
                             (long long)index, axis, (long long)size);
    char why[80];
    snprintf(why, sizeof why, KF__WHY_INDEX "%lld of axis %d", (long long)index, axis);
    kf__expr reach = kf__x_const(pool, index < 0 ? -index : index + 1);
    if (!kf__eval_node(ev, kf__same_size(ev->g, kf__x_min(pool, n, reach), reach, why), &ignored))
        return false;
    c->start = index < 0 ? kf__x_sub(pool, n, reach) : kf__x_const(pool, index);
    c->size = kf__x_const(pool, 1);
    c->step = 1;
    c->drop = true;
    return (c->start && c->size) || kf__eval_memory(ev);
}

/* ---------------------------------------------------------------- all axes */

/* The items of an index, evaluated but for slices. */
typedef struct index_items {
    uint32_t n;
    const kf__ast *slice[2 * KF__MAX_RANK]; /* NULL: the object */
    kf__object object[2 * KF__MAX_RANK];
} index_items;

/* x[[2, 0, -1]], and x[rows] where rows = [2, 0, -1]; a tuple is several indices. */
static bool read_item(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    kf__object item;
    if (!kf__evaluate(ev, node, &item)) return false;
    ev->at = node->at;
    *out = item;
    return item.kind != KF__O_TUPLE || !item.list || kf__listed_indices(ev, &item, out);
}

static bool read_items(kf__evaluator *ev, const kf__ast *node, index_items *out) {
    out->n = node->n - 1;
    if (out->n > KF__COUNT(out->slice))
        return kf__eval_fail(ev, KF_ERR_LIMIT, "an index of %u items, of at most %zu",
                             out->n, KF__COUNT(out->slice));
    for (uint32_t i = 0; i < out->n; i++) {
        const kf__ast *item = node->part[i + 1].node;
        out->slice[i] = item->kind == KF__A_SLICE ? item : NULL;
        ev->at = item->at;
        if (!out->slice[i] && !read_item(ev, item, &out->object[i])) return false;
    }
    ev->at = node->at;
    if (out->n == 1 && !out->slice[0] && out->object[0].kind == KF__O_TUPLE) {
        kf__object tuple = out->object[0]; /* x[(0, 1)] is x[0, 1] */
        if (tuple.n > KF__COUNT(out->slice))
            return kf__eval_fail(ev, KF_ERR_LIMIT, "an index of %u items, of at most %zu",
                                 tuple.n, KF__COUNT(out->slice));
        out->n = tuple.n;
        for (uint32_t i = 0; i < tuple.n; i++) {
            const kf__object *item = &tuple.items[i];
            out->object[i] = *item, out->slice[i] = NULL;
            if (item->kind == KF__O_TUPLE && item->list &&
                !kf__listed_indices(ev, item, &out->object[i]))
                return false;
        }
    }
    return true;
}

static bool is_kind(const index_items *it, uint32_t i, kf__object_kind kind) {
    return !it->slice[i] && it->object[i].kind == kind;
}

/* How many axes the ellipsis stands for; -1 where there are too many items. */
static int ellipsis_axes(const index_items *it, int rank) {
    int used = 0;
    for (uint32_t i = 0; i < it->n; i++)
        used += !is_kind(it, i, KF__O_NONE) && !is_kind(it, i, KF__O_ELLIPSIS);
    return rank - used;
}

/* The slice first, then axes go and come, from the last to the first. */
static bool apply_cuts(kf__evaluator *ev, kf__ref x, int rank, const cut *cuts,
                       const index_items *it, int left, kf__object *out) {
    kf__expr shape[KF__MAX_RANK], start[KF__MAX_RANK];
    int64_t step[KF__MAX_RANK];
    for (int d = 0; d < rank; d++)
        shape[d] = cuts[d].size, start[d] = cuts[d].start, step[d] = cuts[d].step;
    kf__begin_call(ev, "slice");
    kf__ref node = rank ? kf__slice(ev->g, x, shape, start, step) : x;
    bool ellipsis = false;
    for (uint32_t i = 0; i < it->n; i++) ellipsis |= is_kind(it, i, KF__O_ELLIPSIS);
    int d = rank - (ellipsis ? 0 : left); /* axes behind the last item stay */
    for (uint32_t i = it->n; node && i-- > 0;) {
        if (is_kind(it, i, KF__O_NONE)) node = kf__insert_axis(ev->g, node, d);
        else if (is_kind(it, i, KF__O_ELLIPSIS)) d -= left;
        else if (cuts[--d].drop) node = kf__remove_axis(ev->g, node, d);
    }
    return kf__eval_node(ev, node, out);
}

static bool subscript_array(kf__evaluator *ev, kf__ref x, const index_items *it, kf__object *out) {
    int rank = kf__at(ev->g, x)->rank, left = ellipsis_axes(it, rank), d = 0, dots = 0;
    cut cuts[KF__MAX_RANK];
    if (left < 0)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%d indices for an array of rank %d",
                             rank - left, rank);
    for (int i = 0; i < rank; i++)
        cuts[i] = (cut){.start = kf__x_const(&ev->g->exprs, 0),
                        .size = kf__at(ev->g, x)->shape[i], .step = 1};
    for (uint32_t i = 0; i < it->n; i++) {
        if (is_kind(it, i, KF__O_NONE)) continue;
        if (is_kind(it, i, KF__O_ELLIPSIS)) {
            if (dots++) return kf__eval_fail(ev, KF_ERR_SYNTAX, "`...` stands twice");
            d += left;
            continue;
        }
        kf__expr size = kf__at(ev->g, x)->shape[d];
        bool ok = it->slice[i] ? cut_slice(ev, it->slice[i], size, &cuts[d])
                               : cut_index(ev, &it->object[i], d, size, &cuts[d]);
        if (!ok) return false;
        d++;
    }
    return apply_cuts(ev, x, rank, cuts, it, left, out);
}

/* Which axes arrays of indices are for, once slices, None and integers are done with. */
typedef struct indexed {
    kf__ref at[KF__MAX_RANK];
    int axis[KF__MAX_RANK], n;
    bool apart, apart_with_integers; /* something stands between them */
} indexed;

static bool find_indexed(kf__evaluator *ev, index_items *it, const kf__ast *all, int left,
                         indexed *f) {
    bool gap = false, gap_with_integers = false, seen = false;
    int axis = 0;
    for (uint32_t i = 0; i < it->n; i++) {
        bool array = !it->slice[i] && is_kind(it, i, KF__O_ARRAY);
        bool dots = is_kind(it, i, KF__O_ELLIPSIS);
        if (it->slice[i] || dots || is_kind(it, i, KF__O_NONE)) {
            gap = gap_with_integers = true;
            axis += dots ? left : 1;
            continue;
        }
        f->apart_with_integers |= seen && gap_with_integers;
        seen = true, gap_with_integers = false;
        if (!array) continue; /* an integer: its axis goes away */
        if (f->n == KF__MAX_RANK) return kf__eval_fail(ev, KF_ERR_LIMIT, "too many indices");
        f->apart |= f->n && gap;
        gap = false;
        f->at[f->n] = it->object[i].ref;
        f->axis[f->n++] = axis++;
        it->slice[i] = all;
    }
    return true;
}

/* The indexed axes side by side, beginning at `to`. */
static kf__ref gathered_axes(kf_graph *g, kf__ref x, const indexed *f, int to) {
    uint8_t perm[KF__MAX_RANK];
    bool listed[KF__MAX_RANK] = {false};
    int rank = kf__at(g, x)->rank, n = 0;
    for (int k = 0; k < f->n; k++) listed[f->axis[k]] = true;
    for (int d = 0; d <= rank; d++) {
        if (n == to)
            for (int k = 0; k < f->n; k++) perm[n++] = (uint8_t)f->axis[k];
        if (d < rank && !listed[d]) perm[n++] = (uint8_t)d;
    }
    for (int d = 0; d < rank; d++)
        if (perm[d] != d) return kf__permute(g, x, perm);
    return x;
}

/* x[:, i, 1:], x[i, j] with arrays of integers: everything else first, then take along their axes.
 * The result's new axes stand where theirs were; first, where something stands between them. */
static bool subscript_gather(kf__evaluator *ev, kf__ref x, index_items *it, kf__object *out) {
    kf__part bound[3] = {{0}};
    kf__ast all = {.kind = KF__A_SLICE, .part = bound, .n = 3};
    int left = ellipsis_axes(it, kf__at(ev->g, x)->rank);
    indexed f = {.n = 0};
    kf__object made;
    if (!find_indexed(ev, it, &all, left, &f)) return false;
    int to = f.apart ? 0 : f.axis[0];
    if (f.apart_with_integers && to > 0)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "an integer and an array as indices with a "
                             "slice between them: NumPy and PyTorch order the result's axes "
                             "differently; write x[0][:, i] or x[:, i][0]");
    if (!subscript_array(ev, x, it, &made)) return false;
    kf__begin_call(ev, "take");
    return kf__eval_node(ev, gathered_axes(ev->g, made.ref, &f, to), &made) &&
           kf__take_many(ev, made.ref, f.at, f.n, to, out);
}

/* ---------------------------------------------------------------- tuples */

static bool tuple_slice(kf__evaluator *ev, const kf__object *tuple, const kf__ast *node,
                        kf__object *out) {
    int64_t bound[3], n = tuple->n;
    bool has[3] = {0};
    for (int i = 0; i < 3; i++) {
        kf__object o;
        if (!node->part[i].node) continue;
        if (!kf__evaluate(ev, node->part[i].node, &o)) return false;
        if (o.kind == KF__O_NONE) continue;
        if (!kf__to_int(ev, &o, "a bound of a slice", &bound[i])) return false;
        has[i] = true;
    }
    int64_t step = has[2] ? bound[2] : 1;
    if (step == 0 || step == INT64_MIN)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "the step of a slice can't be %lld",
                             (long long)step);
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1, from, to;
    for (int i = 0; i < 2; i++)
        if (has[i]) bound[i] = kf__min(kf__max(bound[i] < 0 ? bound[i] + n : bound[i], low), high);
    from = has[0] ? bound[0] : step > 0 ? low : high;
    to = has[1] ? bound[1] : step > 0 ? high : low;
    kf__object *items = KF__NEW(&ev->arena, kf__object, n + 1);
    if (!items) return kf__eval_memory(ev);
    uint32_t count = 0;
    while (step > 0 ? from < to : from > to) {
        items[count++] = tuple->items[from];
        if (!kf__add_ok(from, step, &from)) break;
    }
    *out = (kf__object){.kind = KF__O_TUPLE, .n = count, .items = items, .list = tuple->list};
    return true;
}

static bool subscript_tuple(kf__evaluator *ev, const kf__object *tuple, const index_items *it,
                            kf__object *out) {
    int64_t index, n = tuple->n;
    if (it->n != 1)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "a tuple has one index, not %u", it->n);
    if (it->slice[0]) return tuple_slice(ev, tuple, it->slice[0], out);
    if (!kf__to_int(ev, &it->object[0], "the index of a tuple", &index)) return false;
    if (index >= n || index < -n)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "index %lld of a tuple of %lld items",
                             (long long)index, (long long)n);
    *out = tuple->items[index < 0 ? index + n : index];
    return true;
}

static bool subscript(kf__evaluator *ev, const kf__ast *node, const kf__object *base,
                      kf__object *out) {
    index_items it;
    kf__ref x;
    if (!read_items(ev, node, &it)) return false;
    if (base->kind == KF__O_TUPLE) return subscript_tuple(ev, base, &it, out);
    if (!kf__is_numeric(base))
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s has no items", kf__object_text(base));
    if (!kf__to_node(ev, base, &x)) return false;
    for (uint32_t i = 0; i < it.n; i++)
        if (is_kind(&it, i, KF__O_ARRAY) &&
            kf__types[kf__at(ev->g, it.object[i].ref)->dtype].class != KF__CLASS_BOOL)
            return subscript_gather(ev, x, &it, out);
    return subscript_array(ev, x, &it, out);
}

bool kf__subscript(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    kf__object base;
    if (!kf__evaluate(ev, node->part[0].node, &base)) return false;
    ev->at = node->at;
    return subscript(ev, node, &base, out);
}

/* ---------------------------------------------------------------- attributes */

bool kf__shape_of(kf__evaluator *ev, kf__ref ref, kf__object *out) {
    kf__object items[KF__MAX_RANK];
    const kf__node *node = kf__at(ev->g, ref);
    for (int d = 0; d < node->rank; d++) items[d] = kf__size_object(ev, node->shape[d]);
    return kf__tuple(ev, items, node->rank, out);
}

static bool element_count(kf__evaluator *ev, kf__ref ref, kf__object *out) {
    const kf__node *node = kf__at(ev->g, ref);
    kf__expr size = kf__x_const(&ev->g->exprs, 1);
    for (int d = 0; d < node->rank; d++) size = kf__x_mul(&ev->g->exprs, size, node->shape[d]);
    *out = kf__size_object(ev, size);
    return size || kf__eval_memory(ev);
}

static bool swap_last(kf__evaluator *ev, kf__ref ref, kf__object *out) {
    uint8_t perm[KF__MAX_RANK];
    int rank = kf__at(ev->g, ref)->rank;
    if (rank < 2) return kf__eval_fail(ev, KF_ERR_SHAPE, ".mT of an array of rank %d", rank);
    for (int d = 0; d < rank; d++) perm[d] = (uint8_t)d;
    perm[rank - 1] = (uint8_t)(rank - 2), perm[rank - 2] = (uint8_t)(rank - 1);
    kf__begin_call(ev, "permute_dims");
    return kf__eval_node(ev, kf__permute(ev->g, ref, perm), out);
}

size_t kf__index_of(const char *const *names, size_t count, const char *name, uint32_t n) {
    size_t i = 0;
    while (i < count && (strlen(names[i]) != n || memcmp(names[i], name, n) != 0)) i++;
    return i;
}

/* What torch.max(x, axis) gives, whose items also have names. */
static const kf__object *named_item(const kf__evaluator *ev, const kf__object *o, const char *name,
                                    uint32_t n) {
    static const char *const names[] = {"values", "indices"};
    size_t which = kf__index_of(names, KF__COUNT(names), name, n);
    bool pair = o->kind == KF__O_TUPLE && o->n == 2 && o->items[0].kind == KF__O_ARRAY &&
                o->items[1].kind == KF__O_ARRAY &&
                kf__at(ev->g, o->items[1].ref)->dtype == KF__I64;
    return pair && which < KF__COUNT(names) ? &o->items[which] : NULL;
}

/* .imag: there are no complex numbers. */
static bool zeros_of(kf__evaluator *ev, kf__ref x, kf__object *out) {
    const kf__node *n = kf__at(ev->g, x);
    kf__ref zero = kf__constant(ev->g, (kf__dtype)n->dtype, 0, 0, false);
    kf__begin_call(ev, "imag");
    n = kf__at(ev->g, x);
    return kf__eval_node(ev, kf__broadcast_to(ev->g, zero, n->rank, n->shape), out);
}

bool kf__attribute(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    static const char *const names[] = {"T", "mT", "shape", "ndim", "dtype", "size", "real",
                                        "imag"};
    const char *name = ev->def->module->text + node->name;
    kf__object base;
    kf__ref x;
    if (!kf__evaluate(ev, node->part[0].node, &base)) return false;
    ev->at = node->at;
    if (base.kind == KF__O_DTYPE)
        return kf__dtype_attribute(ev, (kf__dtype)base.dtype, name, node->name_n, out);
    const kf__object *item = named_item(ev, &base, name, node->name_n);
    if (item) {
        *out = *item;
        return true;
    }
    size_t which = kf__index_of(names, KF__COUNT(names), name, node->name_n);
    kf__library_place place;
    if (which == KF__COUNT(names) && (kf__builtin_find(name, node->name_n) ||
                                      kf__library_find(name, node->name_n, &place)))
        return kf__eval_fail(ev, KF_ERR_NAME, "`%.*s` is a function: .%.*s(), with parentheses",
                             (int)node->name_n, name, (int)node->name_n, name);
    if (which == KF__COUNT(names))
        return kf__eval_fail(ev, KF_ERR_NAME, "arrays have .T .mT .shape .ndim .dtype .size, not "
                                              ".%.*s", (int)node->name_n, name);
    if (!kf__is_numeric(&base))
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s has no .%s%s", kf__object_text(&base),
                             names[which], base.kind == KF__O_TUPLE
                                               ? "; array([1, 2]) makes an array of a list" : "");
    if (!kf__to_node(ev, &base, &x)) return false;
    const kf__node *array = kf__at(ev->g, x);
    switch (which) {
    case 0:
        kf__begin_call(ev, "permute_dims");
        return kf__eval_node(ev, kf__transposed(ev->g, x), out);
    case 1: return swap_last(ev, x, out);
    case 2: return kf__shape_of(ev, x, out);
    case 3: *out = (kf__object){.kind = KF__O_INT, .integer = array->rank}; return true;
    case 4: *out = (kf__object){.kind = KF__O_DTYPE, .dtype = array->dtype}; return true;
    case 5: return element_count(ev, x, out);
    case 6: *out = base; return true;
    default: return zeros_of(ev, x, out);
    }
}
