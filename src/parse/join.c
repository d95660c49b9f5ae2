/* Makers of builtins that join arrays or take them apart: concatenate, stack, split, roll, tile. */
#include "parse/makers.h"

static int rank_of(const kf__evaluator *ev, kf__ref x) { return kf__at(ev->g, x)->rank; }

static bool axis_of(kf__evaluator *ev, const kf__object *o, int rank, int *out) {
    int64_t axis = 0;
    if (o->kind != KF__O_NONE && !kf__to_axis(ev, o, "axis", &axis)) return false;
    if (axis < -rank || axis >= rank)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld of an array of rank %d",
                             (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

static kf__ref flat(kf_graph *g, kf__ref x) {
    kf__expr n = kf__x_const(&g->exprs, 1);
    for (int d = 0; x && d < kf__at(g, x)->rank; d++)
        n = kf__x_mul(&g->exprs, n, kf__at(g, x)->shape[d]);
    return x ? kf__reshape(g, x, 1, &n) : 0;
}

/* ---------------------------------------------------------------- several as one */

enum { CONCATENATE, STACK, VSTACK, HSTACK, DSTACK, COLUMN_STACK };

/* New axes of size 1 in front and behind, as NumPy's stacks have them. */
static kf__ref at_least(kf_graph *g, kf__ref x, int how) {
    int rank = x ? kf__at(g, x)->rank : 0;
    if (how == HSTACK && rank == 0) x = kf__insert_axis(g, x, 0);
    if (how == VSTACK || how == DSTACK)
        for (; x && kf__at(g, x)->rank < 2;) x = kf__insert_axis(g, x, 0);
    if (how == COLUMN_STACK)
        for (; x && kf__at(g, x)->rank < 2;) x = kf__insert_axis(g, x, kf__at(g, x)->rank);
    if (how == DSTACK && x && kf__at(g, x)->rank < 3) x = kf__insert_axis(g, x, 2);
    return x;
}

/* type: what they are cast to; NULL: as they are */
static bool read_arrays(kf__evaluator *ev, const kf__builtin *b, const kf__object *o, int how,
                        const kf__dtype *type, kf__ref **out) {
    if (o->kind != KF__O_TUPLE)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() needs a list of arrays, not %s", b->name,
                             kf__object_text(o));
    if (o->n == 0)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%s() of no arrays", b->name);
    *out = KF__NEW(&ev->arena, kf__ref, o->n);
    if (!*out) return kf__eval_memory(ev);
    for (uint32_t i = 0; i < o->n; i++) {
        kf__object made = o->items[i];
        if (made.kind == KF__O_TUPLE && !kf__array_of_list(ev, &o->items[i], &made)) return false;
        if (!kf__to_node(ev, &made, &(*out)[i])) return false;
        if (type && !((*out)[i] = kf__cast(ev->g, (*out)[i], *type)))
            return kf__eval_node(ev, 0, &made);
        if (!kf__eval_node(ev, at_least(ev->g, (*out)[i], how), &made)) return false;
        (*out)[i] = made.ref;
    }
    return true;
}

bool kf__make_concatenate(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                          kf__object *out) {
    static const int axes[] = {[VSTACK] = 0, [HSTACK] = 1, [DSTACK] = 2, [COLUMN_STACK] = 1};
    kf__ref *x = NULL;
    int how = b->data, axis = 0, n = (int)args[0].n;
    const kf__object *type = &args[how <= STACK ? 2 : 1];
    bool typed = how <= HSTACK && type->kind != KF__O_NONE && type->kind != KF__O_UNSET;
    kf__dtype dtype;
    kf__begin_call(ev, b->name);
    if (typed && !kf__to_dtype(ev, type, &dtype)) return false;
    if (!read_arrays(ev, b, &args[0], how, typed ? &dtype : NULL, &x)) return false;
    bool in_a_row = how == CONCATENATE && args[1].kind == KF__O_NONE && !args[1].left_out;
    for (int i = 0; i < n && in_a_row; i++)
        if (!(x[i] = kf__flat(ev->g, x[i]))) return kf__eval_node(ev, 0, out);
    int rank = rank_of(ev, x[0]) + (how == STACK);
    bool whole = how == CONCATENATE && args[1].kind == KF__O_TUPLE;
    if (whole) return kf__eval_fail(ev, KF_ERR_ARGUMENT, "concatenate() has one axis");
    if (rank == 0)
        return kf__eval_fail(ev, KF_ERR_SHAPE, "%s() of numbers: stack() makes an array of them",
                             b->name);
    if (how == STACK && args[1].kind == KF__O_NONE && !args[1].left_out)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "stack() needs an axis");
    if (how <= STACK && !in_a_row && !axis_of(ev, &args[1], rank, &axis)) return false;
    if (how > STACK) axis = axes[how] < rank ? axes[how] : 0;
    for (int i = 0; i < n && how == STACK; i++) {
        kf__object made;
        if (rank_of(ev, x[i]) + 1 != rank)
            return kf__eval_fail(ev, KF_ERR_SHAPE, "stack() of arrays of rank %d and %d", rank - 1,
                                 rank_of(ev, x[i]));
        if (!kf__eval_node(ev, kf__insert_axis(ev->g, x[i], axis), &made)) return false;
        x[i] = made.ref;
    }
    return kf__eval_node(ev, kf__concat_all(ev->g, axis, x, n), out);
}

/* ---------------------------------------------------------------- one as several */

enum { SPLIT, CHUNK, UNBIND, BALANCED };

typedef struct pieces {
    kf__object *items;
    uint32_t n, most;
} pieces;

static bool begin_pieces(kf__evaluator *ev, int64_t n, pieces *p) {
    if (n < 1 || n > KF__MAX_TUPLE)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%lld parts: 1 to %d are possible", (long long)n,
                             KF__MAX_TUPLE);
    *p = (pieces){.items = KF__NEW(&ev->arena, kf__object, n), .most = (uint32_t)n};
    return p->items || kf__eval_memory(ev);
}

static bool add_piece(kf__evaluator *ev, pieces *p, kf__ref x, int axis, kf__expr start,
                      kf__expr size) {
    return kf__eval_node(ev, kf__slice_axis(ev->g, x, axis, start, size, 1), &p->items[p->n++]);
}

/* n parts of one size. */
static bool equal_parts(kf__evaluator *ev, kf__ref x, int axis, int64_t n, pieces *p) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr whole = kf__at(ev->g, x)->shape[axis], count = kf__x_const(pool, n);
    kf__object ignored;
    if (!begin_pieces(ev, n, p)) return false;
    kf__expr step = kf__x_div(pool, whole, count);
    const char *why = kf__arena_printf(&ev->arena, KF__WHY_ELEMENTS "split into %lld equal parts",
                                       (long long)n);
    if (!why) return kf__eval_memory(ev);
    if (!kf__eval_node(ev, kf__same_size(ev->g, kf__x_mul(pool, step, count), whole, why),
                       &ignored))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!add_piece(ev, p, x, axis, kf__x_mul(pool, step, kf__x_const(pool, i)), step))
            return false;
    return true;
}

/* How many parts of `each` elements there are; of nothing n. */
static kf__expr count_of_chunks(kf__exprs *pool, kf__expr whole, kf__expr each, int64_t n) {
    kf__expr one = kf__x_const(pool, 1), all = kf__x_const(pool, n);
    kf__expr last = kf__x_sub(pool, kf__x_max(pool, whole, one), one);
    kf__expr some = kf__x_add(pool, kf__x_div(pool, last, kf__x_max(pool, each, one)), one);
    return kf__x_add(pool, all, kf__x_mul(pool, kf__x_min(pool, whole, one),
                                          kf__x_sub(pool, some, all)));
}

/* Parts of ceil(size / n) elements and what is left, so perhaps fewer than n: 4 elements in chunks
 * of a third are two. Where the size isn't known there are as many as names take them, else n,
 * which is checked when planned. */
static bool chunks(kf__evaluator *ev, kf__ref x, int axis, int64_t n, pieces *p) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr whole = kf__at(ev->g, x)->shape[axis], zero = kf__x_const(pool, 0);
    uint32_t wanted = ev->wanted;
    int64_t parts;
    kf__object ignored;
    if (!begin_pieces(ev, n, p)) return false;
    kf__expr up = kf__x_add(pool, whole, kf__x_const(pool, n - 1));
    kf__expr each = kf__x_div(pool, up, kf__x_const(pool, n));
    kf__expr count = count_of_chunks(pool, whole, each, n);
    if (!kf__x_is_const(pool, count, &parts)) {
        parts = wanted && wanted <= n ? wanted : n;
        const char *why = "how many parts chunk() gives, each but the last of ceil(size / chunks): "
                          "name as many, a, b = chunk(...)";
        kf__expr same = kf__same_size(ev->g, count, kf__x_const(pool, parts), why);
        if (!kf__eval_node(ev, same, &ignored))
            return false;
    }
    for (int64_t i = 0; i < parts; i++) {
        kf__expr start = kf__x_mul(pool, each, kf__x_const(pool, i));
        kf__expr left = kf__x_max(pool, kf__x_sub(pool, whole, start), zero);
        if (!add_piece(ev, p, x, axis, start, kf__x_min(pool, each, left))) return false;
    }
    return true;
}

/* Of given sizes (with the whole as their sum), or up to given indices. */
static bool listed_parts(kf__evaluator *ev, kf__ref x, int axis, const kf__object *list, bool sizes,
                         pieces *p) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr whole = kf__at(ev->g, x)->shape[axis], at = kf__x_const(pool, 0), zero = at;
    if (!begin_pieces(ev, (int64_t)list->n + !sizes, p)) return false;
    for (uint32_t i = 0; i < p->most; i++) {
        kf__expr next = whole, size;
        int64_t value;
        if (i < list->n && !kf__to_size(ev, &list->items[i], "sections", &next)) return false;
        if (kf__x_is_const(pool, next, &value) && value < 0) {
            if (sizes) return kf__eval_fail(ev, KF_ERR_ARGUMENT, "a part of size %lld",
                                            (long long)value);
            next = kf__x_max(pool, kf__x_add(pool, whole, next), zero); /* from the end */
        }
        if (!sizes) next = kf__x_wrapped(pool, next, whole, 0);
        size = next;
        if (!sizes) {
            next = kf__x_min(pool, next, whole);
            size = kf__x_max(pool, kf__x_sub(pool, next, at), zero);
        }
        if (!size || !add_piece(ev, p, x, axis, at, size)) return false;
        at = sizes ? kf__x_add(pool, at, size) : next;
    }
    kf__object ignored;
    return !sizes ||
           kf__eval_node(ev, kf__same_size(ev->g, at, whole, "the sizes of split's parts"),
                         &ignored);
}

/* n parts, the first size % n of them longer by one. */
static bool balanced_parts(kf__evaluator *ev, kf__ref x, int axis, int64_t n, pieces *p) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr whole = kf__at(ev->g, x)->shape[axis], start = kf__x_const(pool, 0);
    if (!begin_pieces(ev, n, p)) return false;
    kf__expr each = kf__x_div(pool, whole, kf__x_const(pool, n));
    kf__expr longer = kf__x_mod(pool, whole, kf__x_const(pool, n));
    for (int64_t i = 0; i < n; i++) {
        kf__expr count = kf__x_const(pool, i + 1);
        kf__expr end = kf__x_add(pool, kf__x_mul(pool, each, count),
                                 kf__x_min(pool, count, longer));
        if (!add_piece(ev, p, x, axis, start, kf__x_sub(pool, end, start))) return false;
        start = end;
    }
    return true;
}

/* n parts, of `each` elements and the last of what is left: planned only for lengths of which there
 * are so many. */
static bool wanted_parts(kf__evaluator *ev, kf__ref x, int axis, kf__expr each, uint32_t n,
                         pieces *p) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr whole = kf__at(ev->g, x)->shape[axis], one = kf__x_const(pool, 1);
    kf__expr left = kf__x_sub(pool, kf__x_max(pool, whole, one), one);
    kf__object ignored;
    if (!kf__eval_node(ev, kf__same_size(ev->g, kf__x_add(pool, kf__x_div(pool, left, each), one),
                                         kf__x_const(pool, n), "how many parts split() gives"),
                       &ignored) ||
        !begin_pieces(ev, n, p))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        kf__expr start = kf__x_mul(pool, each, kf__x_const(pool, i));
        if (!add_piece(ev, p, x, axis, start,
                       i + 1 < n ? each : kf__x_sub(pool, whole, start)))
            return false;
    }
    return true;
}

/* A part each so many elements, as torch.split(x, n). */
static bool parts_of_size(kf__evaluator *ev, kf__ref x, int axis, const kf__object *of,
                          pieces *p) {
    uint32_t wanted = ev->wanted;
    int64_t size, each;
    kf__expr length;
    if (!kf__to_size(ev, of, "sizes", &length)) return false;
    bool known = kf__x_is_const(&ev->g->exprs, length, &each);
    if (known && each < 1)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "parts of size %lld", (long long)each);
    if (!known || !kf__x_is_const(&ev->g->exprs, kf__at(ev->g, x)->shape[axis], &size))
        return wanted ? wanted_parts(ev, x, axis, length, wanted, p)
                      : kf__eval_fail(ev, KF_ERR_ARGUMENT, "how many parts there are depends on a "
                                      "size that is known only when planned: give the number of "
                                      "parts or all sizes, or name the parts, a, b = split(...)");
    if (!begin_pieces(ev, size ? kf__ceil_div(size, each) : 1, p)) return false;
    for (int64_t at = 0; p->n < p->most; at += each)
        if (!add_piece(ev, p, x, axis, kf__x_const(&ev->g->exprs, at),
                       kf__x_const(&ev->g->exprs, kf__min(each, size - at))))
            return false;
    return true;
}

bool kf__make_split(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                    kf__object *out) {
    const kf__object *sections = &args[1], *sizes = &args[3];
    kf__ref x;
    pieces p = {0};
    int axis = 0;
    int64_t n;
    kf__begin_call(ev, b->name);
    if (!kf__to_node(ev, &args[0], &x)) return false;
    if (rank_of(ev, x) == 0)
        return kf__eval_fail(ev, KF_ERR_SHAPE, "%s() of a number", b->name);
    if (!axis_of(ev, &args[2], rank_of(ev, x), &axis)) return false;
    if (b->data == 0 && (sizes->kind == KF__O_NONE) == (sections->kind == KF__O_NONE))
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "split() needs either `sections`, how many parts "
                                                  "or before which indices, or `sizes`, of how "
                                                  "many elements");
    bool ok;
    if (b->data == CHUNK) {
        ok = kf__to_int(ev, sections, "chunks", &n) && chunks(ev, x, axis, n, &p);
    } else if (sections->kind != KF__O_NONE) {
        ok = sections->kind == KF__O_TUPLE
                 ? listed_parts(ev, x, axis, sections, false, &p)
                 : kf__to_int(ev, sections, "sections", &n) &&
                       (b->data == BALANCED ? balanced_parts(ev, x, axis, n, &p)
                                            : equal_parts(ev, x, axis, n, &p));
    } else if (sizes->kind == KF__O_TUPLE) {
        ok = listed_parts(ev, x, axis, sizes, true, &p);
    } else {
        ok = parts_of_size(ev, x, axis, sizes, &p);
    }
    if (!ok) return false;
    *out = (kf__object){.kind = KF__O_TUPLE, .n = p.n, .items = p.items};
    return true;
}

bool kf__make_unbind(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    kf__ref x;
    pieces p = {0};
    int axis = 0;
    int64_t size;
    kf__begin_call(ev, b->name);
    if (!kf__to_node(ev, &args[0], &x) || !axis_of(ev, &args[1], rank_of(ev, x), &axis))
        return false;
    kf__expr whole = kf__at(ev->g, x)->shape[axis];
    bool given = args[2].kind != KF__O_NONE;
    if (given || (!kf__x_is_const(&ev->g->exprs, whole, &size) && ev->wanted)) {
        kf__object ignored;
        size = ev->wanted;
        if ((given && !kf__to_int(ev, &args[2], "n", &size)) ||
            !kf__eval_node(ev, kf__same_size(ev->g, whole, kf__x_const(&ev->g->exprs, size),
                                             given ? "the `n` of unbind()"
                                                    : "the names on the left"),
                           &ignored))
            return false;
    } else if (!kf__x_is_const(&ev->g->exprs, whole, &size)) {
        return kf__eval_fail(ev, KF_ERR_ARGUMENT,
                             "%s() along an axis whose size is known only when "
                             "planned: say how many there are, unbind(x, axis, n=3) or a, b, c = "
                             "unbind(x, axis)", b->name);
    }
    if (size == 0) return kf__eval_fail(ev, KF_ERR_SHAPE, "%s() along an axis of size 0", b->name);
    if (!begin_pieces(ev, size, &p)) return false;
    for (int64_t i = 0; i < size; i++) {
        kf__ref part = kf__slice_axis(ev->g, x, axis, kf__x_const(&ev->g->exprs, i),
                                      kf__x_const(&ev->g->exprs, 1), 1);
        if (!kf__eval_node(ev, kf__remove_axis(ev->g, part, axis), &p.items[p.n++])) return false;
    }
    *out = (kf__object){.kind = KF__O_TUPLE, .n = p.n, .items = p.items};
    return true;
}

/* ---------------------------------------------------------------- roll, tile, repeat */

/* The last `shift` elements first. */
static kf__ref rolled(kf_graph *g, kf__ref x, int axis, kf__expr shift, bool back) {
    kf__exprs *pool = &g->exprs;
    if (!x) return 0;
    kf__expr n = kf__at(g, x)->shape[axis], zero = kf__x_const(pool, 0);
    kf__expr one = kf__x_const(pool, 1);
    kf__expr by = kf__x_mod(pool, shift, kf__x_max(pool, n, one)), rest = kf__x_sub(pool, n, by);
    if (kf__x_is(pool, n, 0)) return x;
    kf__expr border = back ? by : rest, behind = back ? rest : by;
    kf__ref parts[2] = {kf__slice_axis(g, x, axis, border, behind, 1),
                        kf__slice_axis(g, x, axis, zero, border, 1)};
    return parts[0] && parts[1] ? kf__concat_all(g, axis, parts, 2) : 0;
}

static bool roll_axis(kf__evaluator *ev, const kf__object *shift, int axis, kf__ref *x) {
    kf__expr by;
    int64_t value;
    kf__object made;
    if (!kf__to_size(ev, shift, "shift", &by)) return false;
    bool back = kf__x_is_const(&ev->g->exprs, by, &value) && value < 0;
    if (back) by = kf__x_const(&ev->g->exprs, value == INT64_MIN ? INT64_MAX : -value);
    if (!kf__eval_node(ev, rolled(ev->g, *x, axis, by, back), &made)) return false;
    *x = made.ref;
    return true;
}

/* All shifts along one axis, as one. */
static bool sum_of_shifts(kf__evaluator *ev, const kf__object *shifts, kf__object *out) {
    *out = (kf__object){.kind = KF__O_INT};
    for (uint32_t i = 0; i < shifts->n; i++) {
        kf__object shift = kf__known(&shifts->items[i]), sum = *out;
        if (!kf__binary(ev, KF__T_PLUS, &sum, &shift, out)) return false;
    }
    return true;
}

bool kf__make_roll(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    int64_t axes[KF__MAX_RANK];
    kf__expr shape[KF__MAX_RANK];
    kf__object shift = args[1];
    kf__ref x;
    int n;
    (void)b;
    kf__begin_call(ev, "roll");
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_ints(ev, &args[2], "axis", axes, &n))
        return false;
    int rank = rank_of(ev, x);
    if (shift.kind == KF__O_TUPLE && n < 2 && !sum_of_shifts(ev, &args[1], &shift)) return false;
    if (n < 0) { /* as if it had one axis */
        memcpy(shape, kf__at(ev->g, x)->shape, (size_t)rank * sizeof *shape);
        kf__object made;
        if (!kf__eval_node(ev, flat(ev->g, x), &made)) return false;
        x = made.ref;
        return roll_axis(ev, &shift, 0, &x) &&
               kf__eval_node(ev, kf__reshape(ev->g, x, rank, shape), out);
    }
    bool many = shift.kind == KF__O_TUPLE;
    if (many && (int)shift.n != n)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u shifts for %d axes", shift.n, n);
    for (int i = 0; i < n; i++) {
        if (axes[i] < -rank || axes[i] >= rank)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "axis %lld of an array of rank %d",
                                 (long long)axes[i], rank);
        int axis = (int)(axes[i] < 0 ? axes[i] + rank : axes[i]);
        if (!roll_axis(ev, many ? &shift.items[i] : &shift, axis, &x)) return false;
    }
    return kf__eval_node(ev, x, out);
}

/* Axis `at` becomes `times` as long: each element `times` times, or the whole as often. */
static kf__ref repeated(kf_graph *g, kf__ref x, int at, kf__expr times, bool each) {
    kf__expr shape[KF__MAX_RANK], merged[KF__MAX_RANK];
    if (!x || kf__x_is(&g->exprs, times, 1)) return x;
    int rank = kf__at(g, x)->rank;
    for (int d = 0; d < rank; d++) merged[d] = kf__at(g, x)->shape[d];
    merged[at] = kf__x_mul(&g->exprs, merged[at], times);
    x = kf__insert_axis(g, x, at + each);
    if (!x) return 0;
    for (int d = 0; d <= rank; d++) shape[d] = kf__at(g, x)->shape[d];
    shape[at + each] = times;
    return kf__reshape(g, kf__expand(g, x, shape), rank, merged);
}

bool kf__make_tile(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                   kf__object *out) {
    kf__expr times[KF__MAX_RANK];
    kf__ref x;
    int n;
    (void)b;
    kf__begin_call(ev, "tile");
    if (!kf__to_node(ev, &args[0], &x) || !kf__to_shape(ev, &args[1], times, &n)) return false;
    while (x && rank_of(ev, x) < n) x = kf__insert_axis(ev->g, x, 0);
    for (int d = 0; x && d < n; d++)
        x = repeated(ev->g, x, rank_of(ev, x) - n + d, times[d], false);
    return kf__eval_node(ev, x, out);
}

bool kf__make_repeat(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    kf__expr times;
    kf__ref x;
    int axis = 0;
    (void)b;
    kf__begin_call(ev, "repeat");
    if (!kf__to_node(ev, &args[0], &x)) return false;
    if (args[1].kind == KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED,
                             "repeat() with an array of counts gives as many elements as its "
                             "values say: a list of counts, one for each element, is possible");
    if (args[2].kind == KF__O_NONE) x = flat(ev->g, x);
    else if (!axis_of(ev, &args[2], rank_of(ev, x), &axis)) return false;
    if (!x) return kf__eval_node(ev, 0, out);
    if (args[1].kind == KF__O_TUPLE && args[1].n > 1)
        return kf__repeat_each(ev, x, axis, &args[1], out);
    const kf__object *count = args[1].kind == KF__O_TUPLE && args[1].n ? args[1].items : &args[1];
    if (!kf__to_size(ev, count, "repeats", &times)) return false;
    return kf__eval_node(ev, repeated(ev->g, x, axis, times, true), out);
}
