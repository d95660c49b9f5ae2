/* The oracle's walk over the graph.
 *
 *     bind names of sizes -> mark what the results need -> for each node, in order:
 *         reference run; does anything disturb it?  -> the sample runs; free arguments at last use
 *     -> results: round to storage, spread of the samples -> tolerance, decided
 *
 * A node that no sample disturbs has one buffer for all runs, so exact parts are evaluated once. */
#include "oracle/eval.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_SAMPLES = 255,
};

typedef struct value {
    void **run; /* [samples + 1] where disturbed, else [1]; NULL: not evaluated, or freed */
    int64_t shape[KF__MAX_RANK], count;
    uint32_t uses; /* yet to come */
    bool disturbed, needed;
    bool kept; /* a result, or what one is a view of */
    bool border; /* used outside of the operator or library call that makes it */
    bool handed; /* it, or a view of it, is used by others than reductions */
    bool widened; /* it, or a view of it, is used at each of more elements than it has */
    bool passed; /* a view that only a slice of it asks: it is never made as a whole */
} value;

typedef struct walk {
    const kf_graph *g;
    const kf_allocator *mem;
    const kf_array *inputs;
    const kf_scalar *scalars;
    kf__oracle_options opt;
    int64_t *names; /* [g->exprs.names.n] */
    value *values;  /* [g->nodes.n] */
    kf_error *err;
    int64_t outside; /* indices out of range */
} walk;

static void *take(walk *w, size_t n, size_t size) {
    if (n > SIZE_MAX / 2 / size) n = SIZE_MAX / 2 / size;
    void *p = kf__allocate(w->mem, n > 0 ? n * size : 1);
    if (p) memset(p, 0, n * size);
    return p;
}

static void drop(walk *w, kf__ref r) {
    value *v = &w->values[r];
    for (int k = 0; v->run && k <= (v->disturbed ? w->opt.samples : 0); k++)
        kf__release(w->mem, v->run[k]);
    kf__release(w->mem, v->run);
    v->run = NULL;
}

static const void *run_of(const walk *w, kf__ref r, int k) {
    const value *v = &w->values[r];
    return v->run[v->disturbed ? k : 0];
}

/* ---------------------------------------------------------------- sizes */

static kf_status bind_size(walk *w, const kf__graph_input *in, int d, int64_t size) {
    kf__expr e = in->size[d];
    const kf__expr_node *x = &w->g->exprs.nodes.at[e];
    int64_t old = -1;
    if (x->kind == KF__X_NAME) {
        old = w->names[x->value];
        if (old < 0) old = w->names[x->value] = size;
    } else if (!kf__x_is_const(&w->g->exprs, e, &old)) {
        return KF_OK; /* an expression of names: nothing binds here */
    }
    if (old == size) return KF_OK;
    return kf__fail(w->err, KF_ERR_SHAPE, "%s has size %lld in dim %d, expected %lld", in->name,
                    (long long)size, d, (long long)old);
}

static kf_status bind_input(walk *w, uint32_t i) {
    const kf__graph_input *in = &w->g->inputs.at[i];
    const kf_array *a = &w->inputs[i];
    kf__dtype t;
    if (in->scalar || !in->present || !in->rank) return KF_OK;
    if (!kf__dtype_from_dlpack(a->dtype, &t) || t != in->dtype || a->ndim != in->rank)
        return kf__fail(w->err, KF_ERR_SHAPE, "%s must be %s of rank %d", in->name,
                        kf__types[in->dtype].name, in->rank);
    for (int d = 0; d < in->rank; d++) KF_TRY(bind_size(w, in, d, a->shape[d]));
    return KF_OK;
}

static kf_status size_of(walk *w, kf__expr e, int64_t *out) {
    if (kf__x_eval(&w->g->exprs, e, w->names, NULL, out) && *out >= 0) return KF_OK;
    return kf__fail(w->err, KF_ERR_SHAPE, "a size isn't known or out of range");
}

static kf_status bind(walk *w, int n_inputs) {
    const kf_graph *g = w->g;
    if ((uint32_t)n_inputs != g->inputs.n)
        return kf__fail(w->err, KF_ERR_ARGUMENT, "%d inputs given, %u expected", n_inputs,
                        g->inputs.n);
    for (uint32_t i = 0; i < g->exprs.names.n; i++) w->names[i] = -1;
    for (uint32_t i = 0; i < g->inputs.n; i++) KF_TRY(bind_input(w, i));
    for (uint32_t i = 0; i < g->constraints.n; i++) {
        const kf__constraint *c = &g->constraints.at[i];
        int64_t a, b;
        if (c->a == c->b) continue; /* a number that must be computable: its node fails */
        KF_TRY(size_of(w, c->a, &a));
        KF_TRY(size_of(w, c->b, &b));
        if (a != b)
            return kf__fail(w->err, KF_ERR_SHAPE, "%s: sizes %lld and %lld differ",
                            c->why ? c->why : "", (long long)a, (long long)b);
    }
    return KF_OK;
}

/* Whatever sizes names have: nothing of it is stored. */
static bool has_no_elements(const kf_graph *g, const kf__node *node) {
    for (int d = 0; d < node->rank; d++)
        if (kf__x_is(&g->exprs, node->shape[d], 0)) return true;
    return false;
}

static void mark_needed(walk *w) {
    const kf_graph *g = w->g;
    for (uint32_t i = 0; i < g->results.n; i++) {
        w->values[g->results.at[i]].needed = w->values[g->results.at[i]].kept = true;
        w->values[g->results.at[i]].uses++; /* for the end */
    }
    for (kf__ref r = g->nodes.n; r-- > 1;) {
        const kf__node *node = kf__at(g, r);
        bool view = node->kind == KF__EXPAND || node->kind == KF__PERMUTE ||
                    node->kind == KF__RESHAPE || node->kind == KF__SLICE;
        if (view && w->values[r].kept && !has_no_elements(g, node))
            w->values[node->args[0]].kept = true;
        for (int k = 0; w->values[r].needed && k < node->n_args; k++) {
            value *arg = &w->values[node->args[k]];
            arg->needed = true;
            arg->uses++;
            arg->border |= kf__at(g, node->args[k])->call != node->call;
            arg->handed |= view ? w->values[r].handed : node->kind != KF__REDUCE;
            arg->widened |= node->kind == KF__EXPAND || (view && w->values[r].widened);
        }
    }
}

/* Views may have far more elements than what is sliced of them: cumsum's sums of chunks, each as
 * often as its chunk has elements. Where a slice is all that asks for one, it isn't made. */
static void mark_passed(walk *w) {
    for (kf__ref r = w->g->nodes.n; r-- > 1;) {
        const kf__node *node = kf__at(w->g, r);
        value *arg = &w->values[node->n_args ? node->args[0] : 0];
        if (!w->values[r].needed || (node->kind != KF__SLICE && !w->values[r].passed)) continue;
        int kind = kf__at(w->g, node->args[0])->kind;
        bool view = kind == KF__EXPAND || kind == KF__PERMUTE || kind == KF__RESHAPE;
        arg->passed = view && arg->uses == 1 && !arg->kept;
    }
}

/* What is there, of a view that may be passed by. */
static kf__ref under(const walk *w, kf__ref r) {
    while (w->values[r].passed) r = kf__at(w->g, r)->args[0];
    return r;
}

/* ---------------------------------------------------------------- nodes */

/* A strided array as a dense buffer: rows along the last dim. */
static void load_input(const kf_array *a, kf__dtype t, void *out) {
    int64_t dense[KF__MAX_RANK], index[KF__MAX_RANK] = {0}, size = kf__types[t].size;
    const int64_t *strides = a->strides ? a->strides : dense;
    const char *at = (const char *)a->data + a->byte_offset;
    int inner = a->ndim - 1;
    kf__o_row_major(a->ndim, a->shape, dense);
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 0) return;
    int64_t n = a->ndim ? a->shape[inner] : 1;
    for (char *to = out;; to += n * 8) {
        int64_t offset = 0;
        for (int d = 0; d < inner; d++) offset += index[d] * strides[d];
        kf__o_load(t, at + offset * size, a->ndim ? strides[inner] * size : 0, n, to);
        int d = inner - 1;
        for (; d >= 0 && ++index[d] == a->shape[d]; d--) index[d] = 0;
        if (d < 0) return;
    }
}

static void load_number(const walk *w, const kf__node *node, void *out) {
    kf__dtype t = (kf__dtype)node->dtype;
    if (node->kind == KF__SCALAR) {
        kf_scalar s = w->scalars[node->index];
        if (kf__is_float(t)) *(double *)out = s.f;
        else *(int64_t *)out = s.i;
    } else if (kf__is_float(t)) {
        *(double *)out = kf__o_round(kf__compute(t), node->u.number);
    } else {
        *(int64_t *)out = kf__o_wrap(t, node->u.integer);
    }
}

/* The place in `under` of element `at` of view r. */
static int64_t place_under(const walk *w, kf__ref r, int64_t at) {
    for (; w->values[r].passed; r = kf__at(w->g, r)->args[0]) {
        const kf__node *node = kf__at(w->g, r);
        const value *v = &w->values[r], *arg = &w->values[node->args[0]];
        int64_t index[KF__MAX_RANK] = {0}, left = at;
        if (node->kind == KF__RESHAPE) continue;
        for (int d = node->rank; d-- > 0; left /= v->shape[d]) {
            int to = node->kind == KF__PERMUTE ? node->u.perm[d] : d;
            index[to] = arg->shape[to] == 1 ? 0 : left % v->shape[d];
        }
        at = 0;
        for (int d = 0; d < node->rank; d++) at = at * arg->shape[d] + index[d];
    }
    return at;
}

/* Elements of view r, which may be passed by; strides are those of its places. */
static void gather_under(const walk *w, kf__ref r, const value *v, int rank,
                         const int64_t *strides, int64_t offset, const void *from, void *out) {
    const uint64_t *in = from;
    uint64_t *to = out;
    if (!w->values[r].passed) {
        kf__o_gather(rank, v->shape, strides, offset, from, out);
        return;
    }
    for (int64_t j = 0; j < v->count; j++) {
        int64_t at = offset, left = j;
        for (int d = rank; d-- > 0; left /= v->shape[d]) at += left % v->shape[d] * strides[d];
        to[j] = in[place_under(w, r, at)];
    }
}

static kf_status view(walk *w, const kf__node *node, const value *v, const void *from, void *out) {
    const value *arg = &w->values[node->args[0]];
    int64_t dense[KF__MAX_RANK], strides[KF__MAX_RANK] = {0}, offset = 0;
    kf__o_row_major(kf__at(w->g, node->args[0])->rank, arg->shape, dense);
    for (int d = 0; d < node->rank; d++) {
        switch (node->kind) {
        case KF__EXPAND: strides[d] = arg->shape[d] == 1 ? 0 : dense[d]; break;
        case KF__PERMUTE: strides[d] = dense[node->u.perm[d]]; break;
        default: {
            int64_t start; /* anything where there are no elements */
            if (!kf__x_eval(&w->g->exprs, node->u.slice.start[d], w->names, NULL, &start))
                return kf__fail(w->err, KF_ERR_SHAPE, "a slice's start isn't known");
            int64_t last = start + (v->shape[d] - 1) * node->u.slice.step[d];
            if (v->shape[d] == 0) continue;
            if (start < 0 || start >= arg->shape[d] || last < 0 || last >= arg->shape[d])
                return kf__fail(w->err, KF_ERR_SHAPE, "a slice reads elements %lld to %lld of %lld",
                                (long long)start, (long long)last, (long long)arg->shape[d]);
            offset += start * dense[d];
            strides[d] = node->u.slice.step[d] * dense[d];
        }
        }
    }
    gather_under(w, node->args[0], v, node->rank, strides, offset, from, out);
    return KF_OK;
}

static kf_status pad(walk *w, const kf__node *node, const value *v, const void *const *args,
                     void *out) {
    int64_t before[KF__MAX_RANK] = {0};
    for (int d = 0; d < node->rank; d++)
        if (!kf__x_eval(&w->g->exprs, node->u.slice.start[d], w->names, NULL, &before[d]))
            return kf__fail(w->err, KF_ERR_SHAPE, "a width of pad isn't known");
    kf__o_pad(node->rank, w->values[node->args[0]].shape, before, v->shape, args[0], args[1], out);
    return KF_OK;
}

static kf_status iota(walk *w, const kf__node *node, int64_t n, int64_t *out) {
    int64_t start, last;
    bool ok = n == 0 || kf__x_eval(&w->g->exprs, node->u.slice.start[0], w->names, NULL, &start);
    if (n == 0) return KF_OK;
    ok = ok && kf__mul_ok(n - 1, node->u.slice.step[0], &last) && kf__add_ok(start, last, &last);
    if (!ok) return kf__fail(w->err, KF_ERR_LIMIT, "an arange beyond 64 bits");
    for (int64_t i = 0; i < n; i++) out[i] = start + i * node->u.slice.step[0];
    return KF_OK;
}

/* Bring the reduced dims last, then reduce rows. */
static kf_status reduce(walk *w, const kf__node *node, const value *v, const void *from,
                        const kf__o_noise *noise, void *out) {
    const value *arg = &w->values[node->args[0]];
    int64_t dense[KF__MAX_RANK], shape[KF__MAX_RANK], strides[KF__MAX_RANK], n = 1;
    int m = 0;
    kf__o_row_major(node->rank, arg->shape, dense);
    for (int reduced = 0; reduced < 2; reduced++) {
        for (int d = 0; d < node->rank; d++) {
            if ((int)(node->axes >> d & 1) != reduced) continue;
            shape[m] = arg->shape[d];
            strides[m++] = dense[d];
            if (reduced && !kf__mul_ok(n, arg->shape[d], &n)) n = 0; /* another size is 0 */
        }
    }
    void *rows = take(w, (size_t)arg->count, 8);
    if (!rows) return kf__out_of_memory(w->err);
    kf__o_gather(m, shape, strides, 0, from, rows);
    kf_status status = kf__o_reduce(node, (kf__dtype)kf__at(w->g, node->args[0])->dtype, rows,
                                    v->count, n, noise, out, w->err);
    kf__release(w->mem, rows);
    return status;
}

/* Bring the dim last, fold rows, bring it back. */
static kf_status scan(walk *w, const kf__node *node, const value *v, const void *from,
                      const kf__o_noise *noise, void *out) {
    int64_t dense[KF__MAX_RANK], shape[KF__MAX_RANK], strides[KF__MAX_RANK], back[KF__MAX_RANK];
    int rank = node->rank, axis = (int)node->index, m = 0;
    int64_t n = v->shape[axis];
    kf__o_row_major(rank, v->shape, dense);
    for (int d = 0; d < rank; d++)
        if (d != axis) shape[m] = v->shape[d], strides[m++] = dense[d];
    shape[m] = n, strides[m] = dense[axis];
    kf__o_row_major(rank, shape, dense);
    m = 0;
    for (int d = 0; d < rank; d++) back[d] = d == axis ? 1 : dense[m++];
    void *rows = take(w, (size_t)v->count, 8);
    if (!rows) return kf__out_of_memory(w->err);
    kf__o_gather(rank, shape, strides, 0, from, rows);
    kf__o_scan(node, rows, n ? v->count / n : 0, n, noise);
    kf__o_gather(rank, v->shape, back, 0, rows, out);
    kf__release(w->mem, rows);
    return KF_OK;
}

static kf_status evaluate_on(walk *w, kf__ref r, const void *const *args,
                             const kf__o_noise *noise, void *out) {
    const kf__node *node = kf__at(w->g, r);
    const value *v = &w->values[r];
    int64_t outside;
    if (v->count == 0) return KF_OK; /* many rows of nothing would take their time */
    switch ((kf__kind)node->kind) {
    case KF__INPUT: load_input(&w->inputs[node->index], (kf__dtype)node->dtype, out); break;
    case KF__CONSTANT:
    case KF__SCALAR: load_number(w, node, out); break;
    case KF__SIZE: /* a number: n - 5 may be negative */
        if (!kf__x_eval(&w->g->exprs, node->index, w->names, NULL, out))
            return kf__fail(w->err, KF_ERR_SHAPE, "a size isn't known or exceeds 64 bits");
        break;
    case KF__OP: kf__o_op(w->g, node, args, v->count, noise, out); break;
    case KF__CAST:
        kf__o_cast((kf__dtype)kf__at(w->g, node->args[0])->dtype, (kf__dtype)node->dtype, args[0],
                   v->count, out);
        break;
    case KF__REDUCE: KF_TRY(reduce(w, node, v, args[0], noise, out)); break;
    case KF__SCAN: KF_TRY(scan(w, node, v, args[0], noise, out)); break;
    case KF__EXPAND:
    case KF__PERMUTE:
    case KF__SLICE: KF_TRY(view(w, node, v, args[0], out)); break;
    case KF__RESHAPE: memcpy(out, args[0], (size_t)v->count * 8); break;
    case KF__PAD: KF_TRY(pad(w, node, v, args, out)); break;
    case KF__CONCAT:
        kf__o_concat(node->rank, (int)node->index, w->values[node->args[0]].shape,
                     w->values[node->args[1]].shape, args[0], args[1], out);
        break;
    case KF__GATHER:
        outside = kf__o_take(node->rank, (int)node->index, w->values[node->args[0]].shape, v->shape,
                             args[0], args[1], out);
        if (!noise->sample) w->outside += outside;
        break;
    case KF__IOTA: KF_TRY(iota(w, node, v->count, out)); break;
    case KF__RANDOM:
        kf__o_philox(*(const uint64_t *)args[0], *(const uint64_t *)args[1],
                     node->dtype == KF__I64, v->count, out);
        break;
    default:
        return kf__fail(w->err, KF_ERR_UNSUPPORTED, "the oracle doesn't know nodes of kind %d",
                        node->kind);
    }
    return KF_OK;
}

/* Is it a half that may have more digits, and that the end of a kernel may round? In a program of
 * one kernel only results are stored. These always are, so that who uses one gets it rounded. */
static bool may_round(const walk *w, kf__ref r) {
    const kf__node *node = kf__at(w->g, r);
    if (!kf__is_narrow((kf__dtype)node->dtype)) return false;
    if (node->kind == KF__CAST || node->kind == KF__INPUT) return false;
    return !w->opt.one_kernel || w->values[r].kept;
}

/* The value as those who use it see it in a sample, in a new buffer where it is rounded. */
static void *round_argument(walk *w, kf__ref arg, const kf__o_noise *noise) {
    const value *v = &w->values[arg];
    const double *from = run_of(w, arg, noise->sample);
    double *to = take(w, (size_t)v->count, 8);
    bool scattered = kf__o_scatters(noise) && !v->kept;
    for (int64_t j = 0; to && j < v->count; j++) {
        to[j] = kf__o_round((kf__dtype)kf__at(w->g, arg)->dtype, from[j]);
        if (scattered && isfinite(to[j]))
            to[j] = from[j] + kf__o_random(noise, j) * (to[j] - from[j]);
    }
    return to;
}

static kf__o_noise noise_of(const walk *w, kf__ref r, int sample) {
    uint64_t key = kf__o_hash(w->opt.seed * 64 + (uint64_t)(sample / 2));
    return (kf__o_noise){sample, kf__o_hash(key + r), w->opt.seed & 1, w->opt.seed >> 1 & 1,
                         w->opt.samples <= 3 ? w->opt.seed : 0, w->values[r].border,
                         kf__at(w->g, r)->kind == KF__REDUCE || kf__at(w->g, r)->kind == KF__SCAN,
                         !w->values[r].handed, w->values[r].widened};
}

static kf_status evaluate(walk *w, kf__ref r, int sample, void *out) {
    const kf__node *node = kf__at(w->g, r);
    kf__o_noise noise = noise_of(w, r, sample);
    const void *args[3] = {NULL};
    void *rounded[3] = {NULL};
    bool ok = true;
    for (int k = 0; k < node->n_args; k++) {
        kf__ref arg = under(w, node->args[k]);
        kf__o_noise edge = noise_of(w, arg, sample);
        args[k] = run_of(w, arg, sample);
        bool stored = w->values[arg].kept || (sample && kf__o_border(&edge));
        if (!stored || !may_round(w, arg)) continue;
        args[k] = rounded[k] = round_argument(w, arg, &edge);
        ok = ok && rounded[k];
    }
    kf_status status = ok ? evaluate_on(w, r, args, &noise, out) : kf__out_of_memory(w->err);
    for (int k = 0; k < node->n_args; k++) kf__release(w->mem, rounded[k]);
    return status;
}

static bool disturbs(const walk *w, kf__ref r) {
    const kf__node *node = kf__at(w->g, r);
    const value *v = &w->values[r];
    const void *args[3] = {NULL};
    for (int k = 0; k < node->n_args; k++) {
        kf__ref arg = under(w, node->args[k]);
        if (w->values[arg].disturbed || may_round(w, arg)) return true;
        args[k] = run_of(w, arg, 0);
    }
    if (node->kind == KF__SCAN)
        return kf__is_float((kf__dtype)node->dtype) && v->count &&
               kf__o_scan_inexact(node, args[0], v->count);
    if (node->kind == KF__REDUCE) {
        const value *arg = &w->values[node->args[0]];
        return kf__is_float((kf__dtype)node->dtype) &&
               kf__o_reduce_inexact(node, args[0], arg->count, v->count);
    }
    return node->kind == KF__OP && kf__o_inexact(w->g, node, args, v->count);
}

static kf_status one_run(walk *w, kf__ref r, int k) {
    value *v = &w->values[r];
    v->run[k] = take(w, (size_t)v->count, 8);
    return v->run[k] ? evaluate(w, r, k, v->run[k]) : kf__out_of_memory(w->err);
}

static bool compares(int op) {
    return op == KF__EQUAL || op == KF__NOT_EQUAL || op == KF__LESS || op == KF__LESS_EQUAL ||
           op == KF__GREATER || op == KF__GREATER_EQUAL;
}

static void show_ties(const walk *w, kf__ref r) {
    const kf__node *node = kf__at(w->g, r);
    const value *a = &w->values[node->args[0]], *b = &w->values[node->args[1]];
    void *at[2][MAX_SAMPLES + 1];
    if (!kf__is_float((kf__dtype)kf__at(w->g, node->args[0])->dtype)) return;
    for (int k = 0; k <= w->opt.samples; k++) {
        at[0][k] = a->run[a->disturbed ? k : 0];
        at[1][k] = b->run[b->disturbed ? k : 0];
    }
    const value *v = &w->values[r];
    kf__o_show_ties((kf__opcode)node->op, w->opt.samples, w->opt.factor, v->count, at[0], at[1],
                    v->run);
}

static bool joins(int op, kf__dtype type) {
    if (op == KF__EQUAL || op == KF__NOT_EQUAL) return !kf__is_float(type);
    return type == KF__BOOL &&
           (op == KF__BITWISE_AND || op == KF__BITWISE_OR || op == KF__BITWISE_XOR);
}

/* Two bools or places that are open may be the same, or not. */
static void show_both(const walk *w, kf__ref r) {
    const kf__node *node = kf__at(w->g, r);
    const value *v = &w->values[r], *a = &w->values[node->args[0]];
    if (node->n_args != 2 || node->args[0] == node->args[1]) return;
    const value *b = &w->values[node->args[1]];
    kf__dtype type = (kf__dtype)kf__at(w->g, node->args[0])->dtype;
    bool same = kf__at(w->g, node->args[1])->dtype == type;
    if (same && joins(node->op, type) && a->disturbed && b->disturbed)
        kf__o_show_both(w->opt.samples, v->count, a->run, b->run, v->run);
}

static void show_others(walk *w, kf__ref r) {
    const kf__node *node = kf__at(w->g, r);
    kf__ref last = node->n_args ? node->args[node->n_args - 1] : 0;
    value *v = &w->values[r], *by = &w->values[last];
    kf__dtype type = (kf__dtype)node->dtype;
    bool asks = node->kind == KF__CAST || (node->kind == KF__OP && node->op != KF__WHERE);
    for (int i = 0; i < node->n_args && asks; i++) {
        const value *arg = &w->values[node->args[i]];
        if (arg->disturbed && kf__is_float((kf__dtype)kf__at(w->g, node->args[i])->dtype))
            kf__o_show_open(type, w->opt.samples, v->count, arg->run, v->run);
    }
    if (node->kind == KF__OP && node->op == KF__WHERE && kf__is_float(type)) {
        const value *yes = &w->values[node->args[1]], *no = &w->values[node->args[2]];
        kf__o_show_branches(w->opt.samples, v->count, run_of(w, node->args[0], 0),
                            yes->disturbed ? yes->run : NULL, no->disturbed ? no->run : NULL,
                            v->run);
    }
    bool places = node->kind == KF__REDUCE &&
                  (node->op == KF__RED_ARGMAX || node->op == KF__RED_ARGMIN);
    if (places && !kf__is_float(type))
        kf__o_show_others_of_places(type, w->opt.samples, v->count, v->run);
    bool recast = node->kind == KF__CAST && kf__types[type].class == KF__CLASS_INT &&
                  !kf__is_float((kf__dtype)kf__at(w->g, last)->dtype);
    if ((node->kind == KF__GATHER || recast) && by->disturbed)
        kf__o_show_places(type, w->opt.samples, v->count, by->run, recast, v->run);
    kf__dtype from = (kf__dtype)kf__at(w->g, last)->dtype; /* as the last argument may be stored */
    if (kf__is_narrow(from) && !may_round(w, last)) from = KF__F64;
    if (node->kind == KF__CAST && w->opt.samples >= 3 && by->disturbed && kf__is_float(from) &&
        kf__types[type].class == KF__CLASS_INT)
        kf__o_show_integers(type, from, w->opt.samples, w->opt.factor, v->count, by->run, v->run);
    if (node->kind == KF__CAST && w->opt.samples >= 3 && by->disturbed && kf__is_float(from) &&
        kf__is_float(type) && kf__is_narrow(type))
        kf__o_show_roundings(type, w->opt.samples, w->opt.factor, v->count, by->run, v->run);
    if (node->kind == KF__OP && compares(node->op) && w->opt.samples >= 3) show_ties(w, r);
    if (node->kind == KF__OP && w->opt.samples >= 3) show_both(w, r);
    if (node->kind == KF__OP && node->op == KF__POW && w->opt.samples >= 3 && by->disturbed &&
        kf__is_float(from))
        kf__o_show_exponents(from, w->opt.samples, w->opt.factor, v->count,
                             run_of(w, node->args[0], 0), by->run, v->run);
    const value *first = node->n_args > 1 ? &w->values[node->args[0]] : NULL;
    bool base = node->op == KF__POW && first && first->disturbed;
    if (node->kind == KF__OP && w->opt.samples >= 3 && (by->disturbed || base))
        kf__o_show_others(node, from, w->opt.samples, w->opt.factor, w->opt.seed, v->count,
                          base ? first->run : NULL, by->run, v->run);
}

static kf_status one_node(walk *w, kf__ref r) {
    const kf__node *node = kf__at(w->g, r);
    value *v = &w->values[r];
    bool empty = false, fits = true; /* of nothing the other sizes may be any */
    v->count = 1;
    for (int d = 0; d < node->rank; d++) {
        KF_TRY(size_of(w, node->shape[d], &v->shape[d]));
        fits = fits && kf__mul_ok(v->count, v->shape[d], &v->count);
        empty = empty || v->shape[d] == 0;
    }
    if (empty) v->count = 0;
    else if (!fits || v->count > INT64_MAX / 8)
        return kf__fail(w->err, KF_ERR_LIMIT, "a value has too many elements");
    if (v->passed) return KF_OK;
    v->disturbed = w->opt.samples > 0 && disturbs(w, r);
    v->run = take(w, v->disturbed ? (size_t)w->opt.samples + 1 : 1, sizeof *v->run);
    if (!v->run) return kf__out_of_memory(w->err);
    for (int k = 0; k <= (v->disturbed ? w->opt.samples : 0); k++) KF_TRY(one_run(w, r, k));
    if (v->disturbed) show_others(w, r);
    for (int k = 0; k < node->n_args; k++)
        if (--w->values[under(w, node->args[k])].uses == 0) drop(w, under(w, node->args[k]));
    return KF_OK;
}

/* ---------------------------------------------------------------- results */

static kf_status measure(walk *w, const value *v, kf__oracle_result *out) {
    out->decided = take(w, (size_t)out->count, 1);
    if (out->values) out->tolerance = take(w, (size_t)out->count, sizeof(double));
    if (!out->decided || (out->values && !out->tolerance)) return kf__out_of_memory(w->err);
    kf__o_tolerance(v->run, w->opt.samples, w->opt.factor, out);
    return KF_OK;
}

static kf_status finish(walk *w, kf__ref r, kf__oracle_result *out) {
    const kf__node *node = kf__at(w->g, r);
    const value *v = &w->values[r];
    out->dtype = (kf__dtype)node->dtype;
    out->rank = node->rank;
    out->count = v->count;
    memcpy(out->shape, v->shape, sizeof out->shape);
    void *copy = take(w, (size_t)v->count, 8);
    if (!copy) return kf__out_of_memory(w->err);
    memcpy(copy, v->run[0], (size_t)v->count * 8);
    if (!kf__is_float(out->dtype)) {
        out->integers = copy;
    } else {
        out->values = copy;
        for (int64_t j = 0; j < v->count; j++)
            out->values[j] = kf__o_round(out->dtype, out->values[j]);
    }
    return v->disturbed ? measure(w, v, out) : KF_OK;
}

static void set_defaults(walk *w) {
    double elements = 0;
    for (uint32_t i = 0; i < w->g->inputs.n; i++) {
        double n = 1;
        if (w->g->inputs.at[i].scalar || !w->g->inputs.at[i].present) continue;
        for (int d = 0; d < w->inputs[i].ndim; d++) n *= (double)w->inputs[i].shape[d];
        elements += n;
    }
    for (uint32_t i = 0; i < w->g->results.n; i++) { /* perhaps of numbers made there */
        const kf__node *node = kf__at(w->g, w->g->results.at[i]);
        double n = 1;
        int64_t size = 0;
        for (int d = 0; d < node->rank; d++)
            n *= size_of(w, node->shape[d], &size) == KF_OK ? (double)size : 0;
        elements = n > elements ? n : elements;
    }
    if (w->opt.samples == 0) w->opt.samples = elements > 1e6 ? 3 : 7;
    if (w->opt.samples < 0) w->opt.samples = 0;
    if (w->opt.samples > MAX_SAMPLES) w->opt.samples = MAX_SAMPLES;
    if (w->opt.factor == 0) w->opt.factor = 4;
}

static kf_status walk_all(walk *w, int n_inputs, kf__oracle_result *results) {
    const kf_graph *g = w->g;
    w->names = take(w, g->exprs.names.n, sizeof *w->names);
    w->values = take(w, g->nodes.n, sizeof *w->values);
    if (!w->names || !w->values) return kf__out_of_memory(w->err);
    KF_TRY(bind(w, n_inputs));
    set_defaults(w);
    mark_needed(w);
    mark_passed(w);
    for (kf__ref r = 1; r < g->nodes.n; r++)
        if (w->values[r].needed) KF_TRY(one_node(w, r));
    for (uint32_t i = 0; i < g->results.n; i++)
        KF_TRY(finish(w, g->results.at[i], &results[i]));
    for (uint32_t i = 0; i < g->results.n; i++) results[i].outside = w->outside;
    return KF_OK;
}

kf_status kf__oracle(const kf_graph *g, int n_inputs, const kf_array *inputs,
                     const kf_scalar *scalars, const kf__oracle_options *opt,
                     kf__oracle_result *results, kf_error *err) {
    walk w = {.g = g, .mem = g->mem, .inputs = inputs, .scalars = scalars, .err = err};
    if (opt) w.opt = *opt;
    memset(results, 0, g->results.n * sizeof *results);
    kf_status status = walk_all(&w, n_inputs, results);
    for (kf__ref r = 1; w.values && r < g->nodes.n; r++) drop(&w, r);
    kf__release(w.mem, w.values);
    kf__release(w.mem, w.names);
    if (status != KF_OK) kf__oracle_free(g, results);
    return status;
}

void kf__oracle_free(const kf_graph *g, kf__oracle_result *results) {
    for (uint32_t i = 0; i < g->results.n; i++) {
        kf__release(g->mem, results[i].values);
        kf__release(g->mem, results[i].integers);
        kf__release(g->mem, results[i].tolerance);
        kf__release(g->mem, results[i].decided);
        results[i] = (kf__oracle_result){0};
    }
}
