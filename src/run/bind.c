/* Binding: the inputs' shapes give the named sizes their values, and everything that the graph
 * assumed is checked, with a sentence that says whose size is what. */
#include "run/array.h"
#include "run/plan.h"

/* ---------------------------------------------------------------- one input */

static kf_status check_kind(const kf__graph_input *in, const kf_array *a, kf_device device,
                            kf_error *err) {
    kf__dtype t;
    char have[24], want[24];
    if (!kf__dtype_from_dlpack(a->dtype, &t))
        return kf__fail(err, KF_ERR_TYPE,
                        "%s has a dtype that isn't supported: code %d, %d bits, %d lanes",
                        in->name, a->dtype.code, a->dtype.bits, a->dtype.lanes);
    if (t != in->dtype)
        return kf__fail(err, KF_ERR_TYPE, "%s is %s, but the graph was made for %s", in->name,
                        kf__types[t].name, kf__types[in->dtype].name);
    if (a->ndim != in->rank)
        return kf__fail(err, KF_ERR_SHAPE, "%s has rank %d, but the graph was made for rank %d",
                        in->name, a->ndim, in->rank);
    if (a->ndim && !a->shape)
        return kf__fail(err, KF_ERR_ARGUMENT, "%s has rank %d but no shape", in->name, a->ndim);
    if (a->device.type != device.type || (device.type == KF_CUDA && a->device.id != device.id))
        return kf__fail(err, KF_ERR_DEVICE, "%s is on %s, but the program is for %s", in->name,
                        kf__device_name(a->device, have), kf__device_name(device, want));
    return KF_OK;
}

/* Where a name got its value, for messages. */
typedef struct origin {
    int input, dim;
} origin;

static kf_status bind_size(const kf_graph *g, int i, int d, int64_t size, int64_t *names,
                           origin *origins, kf_error *err) {
    const kf__graph_input *in = &g->inputs.at[i];
    const kf__expr_node *x = &g->exprs.nodes.at[in->size[d]];
    if (size < 0)
        return kf__fail(err, KF_ERR_SHAPE, "%s.shape[%d] is %lld", in->name, d, (long long)size);
    if (x->kind == KF__X_CONST) {
        if (x->value == size) return KF_OK;
        const char *hint =
            x->value == 1 ? "; it had size 1, which broadcasts, when the graph was made" : "";
        return kf__fail(err, KF_ERR_SHAPE, "%s.shape[%d] is %lld but must be %lld%s", in->name, d,
                        (long long)size, (long long)x->value, hint);
    }
    if (x->kind != KF__X_NAME)
        return kf__fail(err, KF_ERR_INTERNAL, "size %d of input %s isn't a name", d, in->name);
    int64_t name = x->value;
    if (names[name] < 0) {
        names[name] = size;
        origins[name] = (origin){i, d};
    } else if (names[name] != size) {
        const origin *first = &origins[name];
        return kf__fail(err, KF_ERR_SHAPE, "%s.shape[%d] is %lld but %s.shape[%d] is %lld (%s)",
                        g->inputs.at[first->input].name, first->dim, (long long)names[name],
                        in->name, d, (long long)size, g->exprs.names.at[name]);
    }
    return KF_OK;
}

/* ---------------------------------------------------------------- constraints */

/* "x.shape[1] is" for a size that an input has, else the expression itself; "must be" for a
 * number. */
static void describe_size(const kf_graph *g, const origin *origins, kf__expr size, const char *verb,
                          kf__text *text) {
    const kf__expr_node *x = &g->exprs.nodes.at[size];
    if (x->kind == KF__X_NAME && origins[x->value].input >= 0) {
        const origin *o = &origins[x->value];
        kf__print(text, "%s.shape[%d]%s", g->inputs.at[o->input].name, o->dim, verb);
    } else if (x->kind == KF__X_CONST) {
        kf__print(text, "must be");
    } else {
        kf__x_print(&g->exprs, size, text);
        kf__print(text, "%s", verb);
    }
}

static kf_status fail_constraint(const kf_graph *g, const origin *origins, const kf__constraint *c,
                                 int64_t a, int64_t b, kf_error *err) {
    kf__text left, right;
    const char *shown = c->shown ? c->shown : "";
    bool index = c->why && strncmp(c->why, KF__WHY_INDEX, strlen(KF__WHY_INDEX)) == 0;
    if (index && kf__min(a, b) < 0)
        return kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column,
                           "%s is out of range: it is before the first element%s", c->why, shown);
    if (index)
        return kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column,
                           "%s is out of range: its size is %lld%s", c->why,
                           (long long)kf__min(a, b), shown);
    if (c->why && strcmp(c->why, KF__WHY_SIZE) == 0)
        return kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column,
                           "a size can't be negative: %lld%s", (long long)b, shown);
    if (c->why && strncmp(c->why, KF__WHY_FITS, strlen(KF__WHY_FITS)) == 0)
        return kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column, "a size of %lld %s%s",
                           (long long)b, c->why, shown);
    if (c->why && strncmp(c->why, KF__WHY_ELEMENTS, strlen(KF__WHY_ELEMENTS)) == 0)
        return kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column, "%lld %s%s",
                           (long long)kf__max(a, b), c->why, shown);
    if (c->why && strstr(c->why, KF__WHY_NOTHING))
        return kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column, "%s%s", c->why, shown);
    kf__text_init(&left, g->mem);
    kf__text_init(&right, g->mem);
    bool fixed = g->exprs.nodes.at[c->a].kind == KF__X_CONST; /* said last: "must be 2" */
    int64_t first = fixed ? b : a, second = fixed ? a : b;
    describe_size(g, origins, fixed ? c->b : c->a, "", &left);
    describe_size(g, origins, fixed ? c->a : c->b, " is", &right);
    bool named_a = g->exprs.nodes.at[c->a].kind == KF__X_NAME;
    bool named_b = g->exprs.nodes.at[c->b].kind == KF__X_NAME;
    const char *hint = a && b && ((a == 1 && named_a) || (b == 1 && named_b))
                           ? "; a size of 1 broadcasts only where the graph was made for it"
                           : "";
    kf_status status =
        left.failed || right.failed
            ? kf__out_of_memory(err)
            : kf__fail_at(err, KF_ERR_SHAPE, c->line, c->column,
                          "%s is %lld but %s %lld (%s)%s%s", left.at, (long long)first, right.at,
                          (long long)second, c->why ? c->why : "", hint, shown);
    kf__text_free(&left);
    kf__text_free(&right);
    return status;
}

/* c: what asks for it; or NULL */
static kf_status eval_size(const kf_graph *g, kf__expr size, const kf__constraint *c,
                           const int64_t *names, int64_t *out, kf_error *err) {
    static const char sentence[] = "a size can't be computed: it overflows 64 bits, divides by "
                                   "zero, or uses a name that no input gives a value";
    if (kf__x_eval(&g->exprs, size, names, NULL, out)) return KF_OK;
    if (!c || !c->shown) return kf__fail(err, KF_ERR_LIMIT, sentence);
    return kf__fail_at(err, KF_ERR_LIMIT, c->line, c->column, "%s%s", sentence, c->shown);
}

static kf_status check_constraints(const kf_graph *g, const int64_t *names, const origin *origins,
                                   kf_error *err) {
    for (uint32_t i = 0; i < g->constraints.n; i++) {
        const kf__constraint *c = &g->constraints.at[i];
        int64_t a = 0, b = 0;
        KF_TRY(eval_size(g, c->a, c, names, &a, err));
        KF_TRY(eval_size(g, c->b, c, names, &b, err));
        if (a != b) return fail_constraint(g, origins, c, a, b, err);
    }
    return KF_OK;
}

/* ---------------------------------------------------------------- all inputs */

static kf_status bind_inputs(const kf_graph *g, const kf_array *inputs, kf_device device,
                             int64_t *names, origin *origins, kf_error *err) {
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        const kf__graph_input *in = &g->inputs.at[i];
        if (in->scalar || !in->present) continue; /* unused ones still have sizes */
        KF_TRY(check_kind(in, &inputs[i], device, err));
        for (int d = 0; d < in->rank; d++)
            KF_TRY(bind_size(g, (int)i, d, inputs[i].shape[d], names, origins, err));
    }
    return check_constraints(g, names, origins, err);
}

kf_status kf__bind_sizes(const kf_graph *g, int n_inputs, const kf_array *inputs, kf_device device,
                   int64_t *names, kf_error *err) {
    if (n_inputs != (int)g->inputs.n)
        return kf__fail(err, KF_ERR_ARGUMENT, "%d inputs were given, but the graph has %u",
                        n_inputs, g->inputs.n);
    uint32_t n = g->exprs.names.n;
    origin *origins = kf__allocate(g->mem, (n + 1) * sizeof *origins);
    if (!origins) return kf__out_of_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = -1;
        origins[i] = (origin){-1, 0};
    }
    kf_status status = bind_inputs(g, inputs, device, names, origins, err);
    kf__release(g->mem, origins);
    return status;
}

/* ---------------------------------------------------------------- values */

const char *kf__value_name(const kf_graph *g, const kf__value *v) {
    switch (v->kind) {
    case KF__VALUE_INPUT: return g->inputs.at[v->index].name;
    case KF__VALUE_RESULT: return g->result_names.at[v->index];
    default: return "a temporary";
    }
}

static kf_status value_shape(const kf__partition *p, uint32_t v, const int64_t *names,
                             int64_t *shape, int64_t *bytes, kf_error *err) {
    const kf__value *value = &p->values[v];
    int64_t total = kf__types[value->dtype].size;
    bool empty = false, fits = true;
    for (int d = 0; d < value->rank; d++) {
        KF_TRY(eval_size(p->graph, value->shape[d], NULL, names, &shape[d], err));
        if (shape[d] < 0)
            return kf__fail(err, KF_ERR_SHAPE, "size %d of %s is %lld", d,
                            kf__value_name(p->graph, value), (long long)shape[d]);
        empty |= shape[d] == 0;
        fits = fits && kf__mul_ok(total, shape[d] ? shape[d] : 1, &total);
    }
    if (!fits && !empty)
        return kf__fail(err, KF_ERR_LIMIT, "%s has more bytes than fit in 64 bits",
                        kf__value_name(p->graph, value));
    *bytes = empty ? 0 : total;
    return KF_OK;
}

/* A maximum of nothing is an error, unless nobody asks for it: no kept index. */
static kf_status check_empty_reductions(const kf__partition *p, const kf__kernel *k,
                                        const int64_t *names, kf_error *err) {
    bool kept_empty = false, reduced_empty = false;
    for (uint32_t a = 0; a < k->n_axes; a++) {
        int64_t size = 0;
        KF_TRY(eval_size(p->graph, k->size[a], NULL, names, &size, err));
        if (size == 0 && (k->reduced >> a & 1))
            reduced_empty = true;
        else if (size == 0)
            kept_empty = true;
    }
    if (!reduced_empty || kept_empty) return KF_OK;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind == KF__I_REDUCE && !kf__reds[in->op].empty)
            return kf__fail(err, KF_ERR_SHAPE, "%s of nothing: a reduced axis has size 0 (%s)",
                            kf__reds[in->op].name, k->name);
    }
    return KF_OK;
}

kf_status kf__bind_shapes(const kf__partition *p, const int64_t *names,
                          int64_t (*shapes)[KF__MAX_RANK], int64_t *bytes, kf_error *err) {
    for (uint32_t v = 0; v < p->n_values; v++)
        KF_TRY(value_shape(p, v, names, shapes[v], &bytes[v], err));
    for (uint32_t k = 0; k < p->n_kernels; k++)
        KF_TRY(check_empty_reductions(p, &p->kernels[k], names, err));
    return KF_OK;
}

/* ---------------------------------------------------------------- strides */

/* What lies behind an array of nothing may be too large to count: any stride does then. */
static int64_t behind(int64_t stride, int64_t size) {
    int64_t next;
    return kf__mul_ok(stride, size > 1 ? size : 1, &next) ? next : 1;
}

void kf__row_major(int rank, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = step;
        step = behind(step, shape[d]);
    }
}

/* A dim of size 1 is never stepped along, so it may have the stride that merges best: that of a
 * row-major array. Where it is given a larger one it keeps that, as its array is a part of another
 * or transposed, and arrays of other sizes there would have such a stride too. */
static void given_strides(int rank, const int64_t *shape, const int64_t *given, int64_t *strides) {
    int64_t next = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = shape[d] > 1 || given[d] > next ? given[d] : next;
        next = behind(strides[d], shape[d]);
    }
}

void kf__bind_strides(const kf__partition *p, const int64_t (*shapes)[KF__MAX_RANK],
                      const kf_array *inputs, const kf_array *results,
                      int64_t (*strides)[KF__MAX_RANK]) {
    for (uint32_t v = 0; v < p->n_values; v++) {
        const kf__value *value = &p->values[v];
        const kf_array *array = NULL;
        if (value->kind == KF__VALUE_INPUT) array = &inputs[value->index];
        if (value->kind == KF__VALUE_RESULT && results) array = &results[value->index];
        if (array && array->strides)
            given_strides(value->rank, shapes[v], array->strides, strides[v]);
        else
            kf__row_major(value->rank, shapes[v], strides[v]);
    }
}
