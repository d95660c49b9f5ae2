/* What must hold of every graph, whoever made it: arguments come before users, dtypes obey the
 * operation's rule, shapes follow from the arguments' shapes and the constraints. It checks what
 * the strict makers promise, without them, so that a pass that edits nodes in place is checked too.
 */
#include "ir/graph_core.h"

static bool same_shape(const kf_graph *g, const kf__node *x, const kf__node *y) {
    if (x->rank != y->rank) return false;
    for (int i = 0; i < x->rank; i++)
        if (!kf__sizes_equal(g, x->shape[i], y->shape[i])) return false;
    return true;
}

static const char *verify_reduce(const kf_graph *g, const kf__node *x, const kf__node *a) {
    if (x->op >= KF__RED_COUNT || x->field >= kf__reds[x->op].n_fields) return "no such reduction";
    if (!x->axes || x->axes >> x->rank || x->rank != a->rank) return "axes";
    kf__dtype t = (kf__dtype)a->dtype;
    if (kf__red_dtype((kf__reduction)x->op, t) != t ||
        kf__field_dtype((kf__reduction)x->op, x->field, t) != (kf__dtype)x->dtype)
        return "dtype";
    for (int i = 0; i < x->rank; i++) {
        bool reduced = x->axes >> i & 1;
        if (reduced ? !kf__x_is(&g->exprs, x->shape[i], 1)
                    : !kf__sizes_equal(g, x->shape[i], a->shape[i]))
            return "shape";
    }
    return NULL;
}

static const char *verify_permute(const kf_graph *g, const kf__node *x, const kf__node *a) {
    uint32_t seen = 0;
    if (x->rank != a->rank) return "rank";
    for (int i = 0; i < x->rank; i++) {
        if (x->u.perm[i] >= x->rank || seen >> x->u.perm[i] & 1) return "not a permutation";
        seen |= 1u << x->u.perm[i];
        if (!kf__sizes_equal(g, x->shape[i], a->shape[x->u.perm[i]])) return "shape";
    }
    return NULL;
}

static const char *verify_view(const kf_graph *g, const kf__node *x, const kf__node *a) {
    if (x->dtype != a->dtype) return "a view changes the dtype";
    if (x->weak) return "a view is weak";
    if (x->kind == KF__PERMUTE) return verify_permute(g, x, a);
    if (x->kind == KF__RESHAPE) return NULL; /* numbers of elements: by constraints */
    if (x->rank != a->rank) return "rank";
    for (int i = 0; i < x->rank; i++) {
        if (x->kind == KF__SLICE && (x->u.slice.step[i] == 0 || !x->u.slice.start[i]))
            return "start or step";
        if (x->kind == KF__EXPAND && !kf__sizes_equal(g, x->shape[i], a->shape[i]) &&
            !kf__x_is(&g->exprs, a->shape[i], 1))
            return "expands a size other than 1";
    }
    return NULL;
}

static const char *verify_op(const kf_graph *g, const kf__node *x) {
    kf__dtype from[3] = {KF__BOOL};
    if (x->op >= KF__OP_COUNT || x->n_args != kf__ops[x->op].arity) return "no such operation";
    for (int k = 0; k < x->n_args; k++) {
        const kf__node *a = kf__at(g, x->args[k]);
        from[k] = (kf__dtype)a->dtype;
        if (!same_shape(g, x, a)) return "shapes of arguments";
    }
    return kf__dtypes_fit(&kf__ops[x->op], (kf__dtype)x->dtype, from) ? NULL : "dtypes";
}

static const char *verify_joined(const kf_graph *g, const kf__node *x) {
    const kf__node *a = kf__at(g, x->args[0]), *b = kf__at(g, x->args[1]);
    if (x->dtype != a->dtype || x->dtype != b->dtype || x->weak) return "dtype";
    if (x->rank != a->rank) return "rank";
    if (x->kind == KF__PAD) {
        for (int i = 0; i < x->rank; i++)
            if (!x->u.slice.start[i]) return "a width isn't set";
        return b->rank || b->weak ? "what it is padded with" : NULL;
    }
    if (x->rank != b->rank || x->index >= x->rank) return "rank or axis";
    for (int i = 0; i < x->rank; i++)
        if (i != (int)x->index && (!kf__sizes_equal(g, x->shape[i], a->shape[i]) ||
                                   !kf__sizes_equal(g, x->shape[i], b->shape[i])))
            return "shape";
    return NULL;
}

static const char *verify_gather(const kf_graph *g, const kf__node *x, const kf__node *a,
                                 const kf__node *at) {
    if (kf__types[at->dtype].class != KF__CLASS_INT || a->dtype != x->dtype) return "dtype";
    if (!same_shape(g, x, at) || a->rank != x->rank || x->index >= x->rank) return "shape";
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != x->index && !kf__sizes_equal(g, a->shape[i], x->shape[i])) return "shape";
    return NULL;
}

static int n_args_of(const kf__node *x) {
    switch (x->kind) {
    case KF__INPUT:
    case KF__CONSTANT:
    case KF__SIZE:
    case KF__IOTA:
    case KF__SCALAR: return 0;
    case KF__OP: return x->op < KF__OP_COUNT ? kf__ops[x->op].arity : -1;
    case KF__PAD:
    case KF__CONCAT:
    case KF__GATHER:
    case KF__RANDOM: return 2;
    default: return 1;
    }
}

static const char *verify_leaf(const kf_graph *g, const kf__node *x) {
    if (x->kind == KF__CONSTANT) return x->rank ? "a constant has rank 0" : NULL;
    if (x->kind == KF__SIZE)
        return x->rank || !x->index || x->index >= g->exprs.nodes.n ? "a size" : NULL;
    if (x->index >= g->inputs.n) return "no such input";
    const kf__graph_input *input = &g->inputs.at[x->index];
    if (!input->present || input->scalar != (x->kind == KF__SCALAR)) return "another kind of input";
    return input->dtype != x->dtype || input->rank != x->rank ? "dtype or rank of the input" : NULL;
}

static const char *verify_node(const kf_graph *g, kf__ref r) {
    const kf__node *x = kf__at(g, r), *a = kf__at(g, x->args[0]);
    if (x->kind == KF__NONE || x->kind >= KF__KIND_COUNT) return "no such kind";
    if (x->dtype >= KF__DTYPE_COUNT || x->rank > KF__MAX_RANK) return "dtype or rank";
    if (x->n_args != n_args_of(x)) return "number of arguments";
    for (int k = 0; k < x->n_args; k++)
        if (x->args[k] == 0 || x->args[k] >= r) return "an argument isn't before it";
    for (int i = 0; i < x->rank; i++)
        if (!x->shape[i] || x->shape[i] >= g->exprs.nodes.n) return "a size isn't set";
    if (x->weak && x->rank) return "a weak array";
    switch (x->kind) {
    case KF__INPUT:
    case KF__SCALAR:
    case KF__SIZE:
    case KF__CONSTANT: return verify_leaf(g, x);
    case KF__OP: return verify_op(g, x);
    case KF__IOTA:
        return x->rank == 1 && x->dtype == KF__I64 && x->u.slice.start[0] ? NULL : "an iota";
    case KF__PAD:
    case KF__CONCAT: return verify_joined(g, x);
    case KF__GATHER: return verify_gather(g, x, a, kf__at(g, x->args[1]));
    case KF__CAST: return same_shape(g, x, a) ? NULL : "a cast changes the shape";
    case KF__REDUCE: return verify_reduce(g, x, a);
    case KF__SCAN:
        return !same_shape(g, x, a) || x->index >= x->rank ? "shape"
               : x->dtype != a->dtype || kf__reds[x->op].n_fields != 1 ? "dtype" : NULL;
    case KF__RANDOM:
        return (x->dtype != KF__I32 && x->dtype != KF__I64) || a->dtype != KF__I64 || a->rank ||
                       kf__at(g, x->args[1])->dtype != KF__I64 || kf__at(g, x->args[1])->rank
                   ? "seed and stream" : NULL;
    default: return verify_view(g, x, a);
    }
}

kf_status kf__graph_verify(const kf_graph *g, kf_error *err) {
    if (!kf__graph_ok(g)) return kf__fail(err, g->error.status, "%s", g->error.message);
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        const char *wrong = verify_node(g, r);
        if (wrong)
            return kf__fail(err, KF_ERR_INTERNAL, "the graph is broken at %%%u (kind %d): %s", r,
                            kf__at(g, r)->kind, wrong);
    }
    for (uint32_t i = 0; i < g->results.n; i++) {
        kf__ref r = g->results.at[i];
        if (r == 0 || r >= g->nodes.n || kf__at(g, r)->weak)
            return kf__fail(err, KF_ERR_INTERNAL, "result %u of the graph is %%%u", i, r);
    }
    return KF_OK;
}
