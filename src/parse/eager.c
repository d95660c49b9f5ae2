/* KF_EAGER made explicit: a value of f16 or bf16 that nothing has rounded becomes f32.
 *
 *     h = gelu(x)      with x f16     as parsed: f16 operations, then a cast to f16
 *                                     here: x cast to f32, f32 operations, the same cast
 *
 * The casts after each operator and each outermost call are in the graph already (kf__round). What
 * lies between them, inside of composites, is f32: now in its dtype too, so that it stays f32
 * where it is stored between kernels, and no partition shows in the bits. */
#include "parse/parse.h"

typedef struct explicit {
    const kf_graph *in;
    kf_graph *g;
    kf__ref *made; /* by node of `in`; 0: no result needs it */
    bool *needed;
} explicit;

static kf__dtype dtype_of(const kf_graph *g, kf__ref a) { return (kf__dtype)kf__at(g, a)->dtype; }

/* The casts belong to no call: they are no operations of the user's. */
static void widen_all(kf_graph *g, int n, kf__ref *args) {
    uint32_t call = g->call;
    g->call = 0;
    for (int k = 0; k < n; k++)
        if (args[k] && kf__is_narrow(dtype_of(g, args[k]))) args[k] = kf__cast(g, args[k], KF__F32);
    g->call = call;
}

/* A node that moves elements of several arrays has one dtype: f32, if one of them became f32. */
static void widen_alike(explicit *e, const kf__node *n, kf__ref *args) {
    bool any = false;
    for (int k = 0; k < n->n_args; k++)
        any |= args[k] && dtype_of(e->in, n->args[k]) == n->dtype &&
               dtype_of(e->g, args[k]) != n->dtype;
    for (int k = 0; k < n->n_args && any; k++)
        if (dtype_of(e->in, n->args[k]) == n->dtype) widen_all(e->g, 1, &args[k]);
}

static kf__ref remake(explicit *e, const kf__node *n) {
    kf__node like = *n;
    kf__ref args[KF__COUNT(n->args)] = {0};
    for (int k = 0; k < n->n_args; k++) args[k] = e->made[n->args[k]];
    if (n->kind == KF__OP || n->kind == KF__REDUCE) {
        widen_all(e->g, n->n_args, args);
        like.dtype = (uint8_t)kf__compute((kf__dtype)n->dtype);
    } else if (n->kind != KF__CAST && kf__is_narrow((kf__dtype)n->dtype)) {
        widen_alike(e, n, args);
    }
    return kf__remake(e->g, &like, args);
}

static void rebuild(explicit *e) {
    for (uint32_t i = 0; i < e->in->results.n; i++) e->needed[e->in->results.at[i]] = true;
    for (kf__ref r = e->in->nodes.n; r-- > 1;)
        for (int k = 0; e->needed[r] && k < kf__at(e->in, r)->n_args; k++)
            e->needed[kf__at(e->in, r)->args[k]] = true;
    for (kf__ref r = 1; r < e->in->nodes.n && kf__graph_ok(e->g); r++) {
        if (!e->needed[r]) continue;
        e->g->call = kf__at(e->in, r)->call;
        e->made[r] = remake(e, kf__at(e->in, r));
    }
    e->g->call = 0;
    for (uint32_t i = 0; i < e->in->results.n && kf__graph_ok(e->g); i++) {
        kf__ref was = e->in->results.at[i];
        kf__result(e->g, kf__cast(e->g, e->made[was], dtype_of(e->in, was)),
                   e->in->result_names.at[i]);
    }
}

kf_status kf__make_explicit(kf_graph **graph, kf_error *err) {
    const kf_graph *in = *graph;
    explicit e = {.in = in, .g = kf__graph_like(in)};
    e.made = kf__allocate(in->mem, in->nodes.n * sizeof *e.made);
    e.needed = kf__allocate(in->mem, in->nodes.n * sizeof *e.needed);
    kf_status status = KF_OK;
    if (e.g && e.made && e.needed) {
        memset(e.needed, 0, in->nodes.n * sizeof *e.needed);
        rebuild(&e);
        if (!kf__graph_ok(e.g))
            status = kf__fail(err, e.g->error.status, "%s", e.g->error.message);
    } else {
        status = kf__out_of_memory(err);
    }
    kf__release(in->mem, e.made);
    kf__release(in->mem, e.needed);
    if (status != KF_OK) {
        kf_graph_free(e.g);
        return status;
    }
    kf_graph_free(*graph);
    *graph = e.g;
    return KF_OK;
}
