/* The graph as text: one line a node, for dumps and golden files.
 *
 *     input x: f32[x.0, x.1]
 *     %1 = input f32[x.0, x.1] x
 *     %2 = max f32[x.0, 1] %1 axes=1    # call softmax
 *     result out %2 */
#include "ir/graph_core.h"

static const char *const kinds[KF__KIND_COUNT] = {
    [KF__NONE] = "none",       [KF__INPUT] = "input",     [KF__CONSTANT] = "constant",
    [KF__SCALAR] = "scalar", [KF__SIZE] = "size",   [KF__OP] = "op",           [KF__CAST] = "cast",
    [KF__REDUCE] = "reduce",   [KF__EXPAND] = "expand",   [KF__PERMUTE] = "permute",
    [KF__RESHAPE] = "reshape", [KF__SLICE] = "slice",     [KF__RANDOM] = "random",
    [KF__IOTA] = "iota", [KF__PAD] = "pad", [KF__CONCAT] = "concat",
    [KF__GATHER] = "gather",   [KF__SCAN] = "scan"};

static void print_input(const kf_graph *g, uint32_t i, kf__text *text) {
    const kf__graph_input *input = &g->inputs.at[i];
    if (!input->present) {
        kf__print(text, "input %s: left out\n", input->name);
    } else if (input->scalar) {
        kf__print(text, "input %s: scalar %s\n", input->name, kf__types[input->dtype].alias);
    } else if (!input->node && input->rank == 0) {
        kf__print(text, "input %s: not used\n", input->name);
    } else {
        kf__print(text, "input %s: %s", input->name, kf__types[input->dtype].alias);
        kf__print_shape(g, input->rank, input->size, text);
        kf__print(text, "\n");
    }
}

static void print_name(const kf__node *x, kf__text *text) {
    if (x->kind == KF__OP)
        kf__print(text, "%s", kf__ops[x->op].name);
    else if (x->kind == KF__REDUCE && kf__reds[x->op].n_fields > 1)
        kf__print(text, "%s.%s", kf__reds[x->op].name, kf__reds[x->op].field[x->field].name);
    else if (x->kind == KF__REDUCE)
        kf__print(text, "%s", kf__reds[x->op].name);
    else if (x->kind == KF__SCAN)
        kf__print(text, "scan.%s", kf__reds[x->op].name);
    else
        kf__print(text, "%s", kinds[x->kind]);
}

static void print_slice(const kf_graph *g, const kf__node *x, kf__text *text) {
    kf__print(text, " start=");
    kf__print_shape(g, x->rank, x->u.slice.start, text);
    kf__print(text, " step=[");
    for (int i = 0; i < x->rank; i++)
        kf__print(text, "%s%lld", i ? ", " : "", (long long)x->u.slice.step[i]);
    kf__print(text, "]");
}

static void print_axes(const kf__node *x, kf__text *text) {
    const char *between = " axes=";
    for (int i = 0; i < x->rank; i++) {
        if (!(x->axes >> i & 1)) continue;
        kf__print(text, "%s%d", between, i);
        between = ",";
    }
}

/* What the arguments don't tell. */
static void print_rest(const kf_graph *g, const kf__node *x, kf__text *text) {
    switch (x->kind) {
    case KF__INPUT:
    case KF__SCALAR:
        if (x->index < g->inputs.n) kf__print(text, " %s", g->inputs.at[x->index].name);
        break;
    case KF__SIZE:
        kf__print(text, " ");
        kf__x_print(&g->exprs, x->index, text);
        break;
    case KF__CONSTANT:
        kf__print(text, " ");
        if (kf__is_float((kf__dtype)x->dtype))
            kf__print_double(text, x->u.number);
        else
            kf__print(text, "%lld", (long long)x->u.integer);
        break;
    case KF__REDUCE: print_axes(x, text); break;
    case KF__PERMUTE:
        for (int i = 0; i < x->rank; i++) kf__print(text, "%s%d", i ? "," : " perm=", x->u.perm[i]);
        break;
    case KF__PAD:
        kf__print(text, " before=");
        kf__print_shape(g, x->rank, x->u.slice.start, text);
        break;
    case KF__SCAN:
        kf__print(text, " axis=%u", x->index);
        if (x->axes) kf__print(text, " chunk=%u", x->axes);
        break;
    case KF__GATHER:
    case KF__CONCAT: kf__print(text, " axis=%u", x->index); break;
    case KF__IOTA:
    case KF__SLICE: print_slice(g, x, text); break;
    default: break;
    }
    if (x->weak) kf__print(text, " weak");
}

static void print_node(const kf_graph *g, kf__ref a, kf__text *text) {
    const kf__node *x = kf__at(g, a);
    kf__print(text, "%%%u = ", a);
    print_name(x, text);
    kf__print(text, " %s", kf__types[x->dtype].alias);
    kf__print_shape(g, x->rank, x->shape, text);
    for (int k = 0; k < x->n_args; k++) kf__print(text, " %%%u", x->args[k]);
    print_rest(g, x, text);
    if (x->call && x->call < g->calls.n) kf__print(text, "    # call %s", g->calls.at[x->call]);
    kf__print(text, "\n");
}

void kf__graph_print(const kf_graph *g, kf__text *text) {
    for (uint32_t i = 0; i < g->inputs.n; i++) print_input(g, i, text);
    for (kf__ref a = 1; a < g->nodes.n; a++) print_node(g, a, text);
    for (uint32_t i = 0; i < g->results.n; i++)
        kf__print(text, "result %s %%%u\n", g->result_names.at[i], g->results.at[i]);
    for (uint32_t i = 0; i < g->constraints.n; i++) {
        const kf__constraint *c = &g->constraints.at[i];
        kf__print(text, "require ");
        kf__x_print(&g->exprs, c->a, text);
        kf__print(text, " == ");
        kf__x_print(&g->exprs, c->b, text);
        kf__print(text, "    # %s\n", c->why);
    }
}
