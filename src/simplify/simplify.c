/* The pass: every node that a result needs is made again in a new graph, through the rules,
 * arguments first. Rules look at simple arguments only, so one round does nearly all; rounds are
 * repeated while the graph gets smaller, which also drops what the rules left dead.
 */
#include "simplify/simplify.h"

#include "simplify/rules.h"

enum { MAX_ROUNDS = 6, STORED = 3 /* needed as a result, perhaps moved */ };

typedef struct pass {
    const kf_graph *in;
    kf_graph *g;       /* made like `in`: the same ids of expressions */
    kf__expr *renamed; /* [names] what a name is replaced by; 0: nothing */
    kf__ref *made;     /* [nodes of in] simple node in g; 0: not needed */
    uint8_t *needed;   /* [nodes of in] 1, or STORED */
    uint32_t *sumexp;  /* [nodes of in] axes of a max_sumexp of it */
    uint32_t *m2;      /* [nodes of in] axes of a sum of squares about the mean of it */
    uint32_t *means;   /* [nodes of in] axes of a mean of it */
    uint32_t *summed;  /* [nodes of in] axes of a sum of it that is a half; of several: all */
    bool first;        /* round: what is equal needn't be one node yet */
} pass;

/* ---------------------------------------------------------------- sizes */

/* A name that must equal something else is replaced by it; of two names the later one. One whose
 * size is known (sizes[] isn't -1) is that. seen: scratch, names in what names are replaced by. */
static void rename_sizes(pass *p, const int64_t *sizes, uint8_t *seen) {
    kf__exprs *x = &p->g->exprs;
    uint32_t n = x->names.n;
    for (uint32_t i = 0; sizes && i < n; i++)
        if (sizes[i] >= 0) p->renamed[i] = kf__x_const(x, sizes[i]);
    for (uint32_t i = 0; i < p->in->constraints.n; i++) {
        const kf__constraint *c = &p->in->constraints.at[i];
        kf__expr a = kf__x_rename(x, c->a, p->renamed, n);
        kf__expr b = kf__x_rename(x, c->b, p->renamed, n);
        if (!a || !b || a == b) continue;
        const kf__expr_node *na = &x->nodes.at[a], *nb = &x->nodes.at[b];
        bool take_a = na->kind == KF__X_NAME &&
                      (nb->kind != KF__X_NAME || na->value > nb->value);
        if (!take_a && nb->kind != KF__X_NAME) continue;
        kf__expr with = take_a ? b : a;
        int64_t name = take_a ? na->value : nb->value;
        if (kf__x_has_name(x, with, name)) continue;
        p->renamed[name] = with;
        kf__x_note_names(x, with, seen);
        for (uint32_t k = 0; k < n && seen[name]; k++) /* earlier ones may contain it */
            if (p->renamed[k]) p->renamed[k] = kf__x_rename(x, p->renamed[k], p->renamed, n);
    }
}

/* Constraints between expressions, such as a reshape's, also with the names that shapes now have,
 * so that kf__sizes_equal finds them. */
static void rename_constraints(pass *p) {
    kf__exprs *x = &p->g->exprs;
    for (uint32_t i = 0; i < p->in->constraints.n; i++) {
        kf__constraint c = p->in->constraints.at[i];
        c.a = kf__x_rename(x, c.a, p->renamed, x->names.n);
        c.b = kf__x_rename(x, c.b, p->renamed, x->names.n);
        if (!c.a || !c.b || kf__sizes_equal(p->g, c.a, c.b)) continue;
        if (!kf__keep_constraint(p->g, c)) kf__out_of_memory(&p->g->error);
    }
}

static void sizes_of(pass *p, int rank, const kf__expr *from, kf__expr *to) {
    kf__exprs *x = &p->g->exprs;
    for (int i = 0; i < rank; i++) to[i] = kf__x_rename(x, from[i], p->renamed, x->names.n);
}

/* ---------------------------------------------------------------- nodes */

static bool is_moved(const kf__node *n) {
    return kf__is_view(n) || n->kind == KF__PAD || n->kind == KF__CONCAT;
}

static void mark_needed(pass *p) {
    const kf_graph *in = p->in;
    for (uint32_t i = 0; i < in->results.n; i++) p->needed[in->results.at[i]] = STORED;
    for (kf__ref r = in->nodes.n; r-- > 1;) {
        const kf__node *n = kf__at(in, r);
        if (!p->needed[r]) continue;
        for (int i = 0; i < n->n_args; i++)
            p->needed[n->args[i]] |= is_moved(n) ? p->needed[r] : 1;
        if (n->kind != KF__REDUCE) continue;
        if (n->op == KF__RED_MAX_SUMEXP) p->sumexp[n->args[0]] = n->axes;
        if (n->op == KF__RED_MOMENTS) (n->field ? p->m2 : p->means)[n->args[0]] = n->axes;
        if (n->op == KF__RED_SUM && kf__is_narrow((kf__dtype)n->dtype))
            p->summed[n->args[0]] |= n->axes;
    }
}

kf__ref kf__simple_input(kf_graph *g, const kf__node *n, const kf__expr *shape) {
    kf__node like = *n;
    kf__expr size[KF__MAX_ARRAY_RANK] = {0};
    memcpy(size, g->inputs.at[n->index].size, sizeof(size));
    like.shape = size;
    like.weak = false;
    kf__ref ref = kf__remake(g, &like, NULL);
    if (ref) memcpy(g->nodes.at[ref].shape, shape, sizeof(*shape) * n->rank);
    return ref;
}

/* A mean whose variance nobody asks for is a sum, over the number of elements. Not where somebody
 * asks for the sum, and it is a half: stored, it is rounded, or infinite where no mean is. */
static bool is_plain_mean(const pass *p, const kf__node *n, kf__ref a) {
    if (n->op != KF__RED_MOMENTS || n->field != 0 || !a) return false;
    if (p->first && kf__is_narrow((kf__dtype)n->dtype)) return false;
    return p->m2[n->args[0]] != n->axes && (p->summed[n->args[0]] & n->axes) != n->axes;
}

static kf__ref mean(pass *p, const kf__node *n, kf__ref a) {
    kf_graph *g = p->g;
    kf__expr count = kf__x_const(&g->exprs, 1);
    for (int d = 0; d < kf__at(g, a)->rank; d++)
        if (n->axes >> d & 1) count = kf__x_mul(&g->exprs, count, kf__at(g, a)->shape[d]);
    kf__ref sum = kf__simple_reduce(g, KF__RED_SUM, 0, n->axes, a);
    return kf__apply2(g, KF__DIVIDE, sum, kf__size(g, count));
}

/* Is it the sum of squares about the mean of halves, and stored, beside their mean or a variance?
 * It is rounded then, which these aren't made of. */
static bool is_stored_beside(const pass *p, kf__ref old, kf__ref a) {
    const kf__node *n = kf__at(p->in, old);
    if (!a || n->op != KF__RED_SUM || !kf__is_narrow((kf__dtype)n->dtype)) return false;
    if (p->needed[old] != STORED || !kf__m2_of(p->g, n->axes, a)) return false;
    if (p->first || p->means[n->args[0]] == n->axes) return true;
    const kf__node *square = kf__at(p->in, n->args[0]);
    const kf__node *distance = square->n_args ? kf__at(p->in, square->args[0]) : NULL;
    return !distance || !distance->n_args || p->m2[distance->args[0]] == n->axes;
}

/* Is it given a half that is a result, of which a rule would take what it negates? Who uses a
 * result has it rounded, so infinite where what it is made of isn't. */
static bool uses_stored_sign(const pass *p, const kf__node *n) {
    bool any = false;
    for (int i = 0; i < n->n_args; i++) {
        const kf__node *a = kf__at(p->in, n->args[i]);
        bool sign = a->kind == KF__OP && (a->op == KF__NEGATIVE || a->op == KF__ABS);
        any |= sign && kf__is_narrow((kf__dtype)a->dtype) && p->needed[n->args[i]] == STORED;
    }
    return any;
}

/* The other way round: a mean beside its variance comes from the same pass. */
static kf__ref operation(pass *p, const kf__node *n, const kf__ref *args) {
    kf_graph *g = p->g;
    if (uses_stored_sign(p, n)) return kf__op(g, (kf__opcode)n->op, (kf__dtype)n->dtype, args);
    kf__ref r = kf__simple_op(g, (kf__opcode)n->op, (kf__dtype)n->dtype, args);
    uint32_t axes;
    if ((n->op != KF__DIVIDE && n->op != KF__MULTIPLY) || !r) return r;
    kf__ref old = kf__at(p->in, n->args[0])->args[0], x = kf__mean_of(g, r, &axes);
    bool beside = x && kf__at(p->in, n->args[0])->kind == KF__REDUCE && p->m2[old] == axes;
    return beside ? kf__reduce(g, KF__RED_MOMENTS, 0, axes, x) : r;
}

/* Of nothing, whatever the run-time sizes are: any constant does. */
static bool is_empty(const kf_graph *g, int rank, const kf__expr *shape) {
    for (int i = 0; i < rank; i++)
        if (kf__x_is(&g->exprs, shape[i], 0)) return true;
    return false;
}

static kf__ref remake(pass *p, kf__ref old) {
    kf_graph *g = p->g;
    const kf__node *n = kf__at(p->in, old);
    kf__expr shape[KF__MAX_RANK], start[KF__MAX_RANK];
    kf__ref args[3] = {0};
    sizes_of(p, n->rank, n->shape, shape);
    for (int i = 0; i < n->n_args; i++) args[i] = p->made[n->args[i]];
    if (n->kind != KF__INPUT && is_empty(g, n->rank, shape))
        return kf__splat(g, kf__constant(g, n->dtype, 0, 0, false), n->rank, shape);
    switch (n->kind) {
    case KF__INPUT:
    case KF__SCALAR: return kf__simple_input(g, n, shape);
    case KF__SIZE:
        sizes_of(p, 1, (const kf__expr[]){n->index}, shape);
        return kf__size(g, shape[0]);
    case KF__CONSTANT: return kf__constant(g, n->dtype, n->u.number, n->u.integer, false);
    case KF__OP: return operation(p, n, args);
    case KF__CAST: return kf__simple_cast(g, args[0], n->dtype);
    case KF__REDUCE:
        if (n->op == KF__RED_MAX && p->sumexp[n->args[0]] == n->axes)
            return kf__reduce(g, KF__RED_MAX_SUMEXP, 0, n->axes, args[0]);
        if (is_plain_mean(p, n, args[0])) return mean(p, n, args[0]);
        if (is_stored_beside(p, old, args[0]))
            return kf__plain_reduce(g, n->op, n->field, n->axes, args[0]);
        return kf__simple_reduce(g, n->op, n->field, n->axes, args[0]);
    case KF__SCAN: return kf__scan(g, n->op, (int)n->index, n->axes, args[0]);
    case KF__EXPAND: return kf__simple_expand(g, args[0], shape);
    case KF__PERMUTE: return kf__simple_permute(g, args[0], n->u.perm);
    case KF__RESHAPE: return kf__simple_reshape(g, args[0], n->rank, shape);
    case KF__SLICE:
        sizes_of(p, n->rank, n->u.slice.start, start);
        return kf__simple_slice(g, args[0], shape, start, n->u.slice.step);
    case KF__RANDOM: return kf__random(g, (kf__dtype)n->dtype, args[0], args[1], n->rank, shape);
    case KF__PAD:
        sizes_of(p, n->rank, n->u.slice.start, start);
        return kf__simple_pad(g, args[0], args[1], shape, start);
    case KF__CONCAT: return kf__simple_concat(g, (int)n->index, args[0], args[1]);
    case KF__GATHER: return kf__gather(g, (int)n->index, args[0], args[1]);
    case KF__IOTA:
        sizes_of(p, 1, n->u.slice.start, start);
        return kf__iota(g, shape[0], start[0], n->u.slice.step[0]);
    default: return kf__graph_fail(g, KF_ERR_INTERNAL, "simplify met a node of unknown kind");
    }
}

static void copy_nodes(pass *p) {
    kf_graph *g = p->g;
    const kf_graph *in = p->in;
    for (kf__ref r = 1; r < in->nodes.n && kf__graph_ok(g); r++) {
        if (!p->needed[r]) continue;
        g->call = kf__at(in, r)->call;
        p->made[r] = remake(p, r);
    }
    g->call = 0;
    for (uint32_t i = 0; i < in->results.n && kf__graph_ok(g); i++)
        kf__result(g, p->made[in->results.at[i]], in->result_names.at[i]);
}

/* ---------------------------------------------------------------- rounds */

static kf_status round_of(const kf_graph *in, const int64_t *sizes, bool first, kf_graph **out,
                          kf_error *err) {
    kf__arena arena;
    kf__arena_init(&arena, in->mem);
    pass p = {.in = in, .g = kf__graph_like(in), .first = first};
    p.renamed = KF__NEW(&arena, kf__expr, in->exprs.names.n + 1);
    p.made = KF__NEW(&arena, kf__ref, in->nodes.n + 1);
    p.needed = KF__NEW(&arena, uint8_t, in->nodes.n + 1);
    uint8_t *seen = KF__NEW(&arena, uint8_t, in->exprs.names.n + 1);
    p.sumexp = KF__NEW(&arena, uint32_t, in->nodes.n + 1);
    p.m2 = KF__NEW(&arena, uint32_t, in->nodes.n + 1);
    p.means = KF__NEW(&arena, uint32_t, in->nodes.n + 1);
    p.summed = KF__NEW(&arena, uint32_t, in->nodes.n + 1);
    kf_status status = KF_OK;
    if (!p.g || !p.renamed || !p.made || !p.needed || !seen || !p.sumexp || !p.m2 ||
        !p.means || !p.summed) {
        status = kf__out_of_memory(err);
    } else {
        rename_sizes(&p, sizes, seen);
        rename_constraints(&p);
        mark_needed(&p);
        copy_nodes(&p);
        if (p.g->exprs.failed) status = kf__out_of_memory(err);
        else if (!kf__graph_ok(p.g))
            status = kf__fail(err, p.g->error.status, "%s", p.g->error.message);
    }
    kf__arena_free(&arena);
    if (status != KF_OK) kf_graph_free(p.g);
    else *out = p.g;
    return status;
}

/* Rounds from `in`, which is kept, while there is less each time. */
static kf_status rounds(const kf_graph *in, const int64_t *sizes, kf_graph **out,
                        kf_error *err) {
    const kf_graph *from = in;
    kf_status status = KF_OK;
    for (int i = 0; i < MAX_ROUNDS; i++) {
        kf_graph *next = NULL;
        status = round_of(from, i == 0 ? sizes : NULL, i == 0, &next, err);
        bool done = status != KF_OK || next->nodes.n >= from->nodes.n;
        if (from != in) kf_graph_free((kf_graph *)from);
        from = next;
        if (done && i > 0) break;
        if (status != KF_OK) break;
    }
    *out = (kf_graph *)from;
    return status;
}

kf_status kf__simplify_sized(const kf_graph *in, const int64_t *sizes, kf_graph **out,
                             kf_error *err) {
    kf_graph *simple = NULL, *cut = NULL;
    *out = NULL;
    kf_status status = rounds(in, sizes, &simple, err);
    if (status == KF_OK) status = kf__cut_reductions(simple, &cut, err);
    if (status == KF_OK && cut) {
        kf_graph_free(simple);
        simple = NULL;
        status = rounds(cut, NULL, &simple, err);
    }
    kf_graph_free(cut);
    if (status == KF_OK) *out = simple;
    else kf_graph_free(simple);
    return status;
}

kf_status kf__simplify(const kf_graph *in, kf_graph **out, kf_error *err) {
    return kf__simplify_sized(in, NULL, out, err);
}
