/* Partitions as text, for dumps and golden files:
 *
 *     value 0: input x f32[x.0, x.1]
 *     value 1: result out f32[x.0, x.1]
 *     kernel k0_mean (row): [x.0, x.1] reduces 1    # mean, subtract
 *         v0 = load f32 value 0[i0, i1]             full 0
 *         v1 = sum f32 v0                           row 1
 *         ...
 *         value 1[i0, i1] = v4
 *     cut k0_mean -> k1_exp, value 1: reduction-axis: ... */
#include "ir/kernel.h"

#include "ir/graph_core.h"

const char *const kf__kernel_kinds[KF__KERNEL_KIND_COUNT] = {
    [KF__POINTWISE] = "pointwise", [KF__ROW] = "row",   [KF__COLUMN] = "column",
    [KF__FULL] = "full",           [KF__COPY] = "copy",
    [KF__GATHERING] = "gather",
};

void kf__partition_free(kf__partition *p) {
    if (!p) return;
    const kf_allocator *mem = p->arena.mem;
    kf_graph_free(p->graph);
    kf_graph_free(p->whole);
    kf__arena_free(&p->arena);
    kf__release(mem, p);
}

static void print_access(const kf__partition *p, const kf__access *a, kf__text *text) {
    if (a->value == KF__NO_VALUE)
        kf__print_shape(p->graph, a->rank, a->shape, text);
    else
        kf__print(text, "value %u", a->value);
    kf__print_shape(p->graph, a->rank, a->index, text);
    if (!a->affine) kf__print(text, " not affine");
}

static void print_constant(const kf__instr *i, kf__text *text) {
    kf__print(text, "constant %s ", kf__types[i->dtype].alias);
    if (kf__is_float((kf__dtype)i->dtype))
        kf__print_double(text, i->number);
    else
        kf__print(text, "%lld", (long long)i->integer);
}

static const char *input_name(const kf__partition *p, uint32_t index) {
    return index < p->graph->inputs.n ? p->graph->inputs.at[index].name : "?";
}

static void print_instr(const kf__partition *p, const kf__kernel *k, uint32_t n, kf__text *text) {
    static const char *const levels[] = {"scalar", "row", "full"};
    const kf__instr *i = &k->instrs[n];
    const char *type = kf__types[i->dtype].alias;
    size_t begin = text->n;
    kf__print(text, "    v%u = ", n);
    switch (i->kind) {
    case KF__I_LOAD: kf__print(text, "load %s ", type); break;
    case KF__I_CONSTANT: print_constant(i, text); break;
    case KF__I_SCALAR: kf__print(text, "scalar %s %s", type, input_name(p, i->index)); break;
    case KF__I_SIZE:
        kf__print(text, "size ");
        kf__x_print(&p->graph->exprs, i->index, text);
        break;
    case KF__I_OP: kf__print(text, "%s %s", kf__ops[i->op].name, type); break;
    case KF__I_CAST: kf__print(text, "cast %s", type); break;
    case KF__I_REDUCE: kf__print(text, "%s %s", kf__reds[i->op].name, type); break;
    case KF__I_PROJECT:
        kf__print(text, "%s %s", kf__reds[k->instrs[i->args[0]].op].field[i->field].name, type);
        break;
    case KF__I_SCAN: kf__print(text, "scan.%s %s", kf__reds[i->op].name, type); break;
    case KF__I_RANDOM: kf__print(text, "random "); break;
    case KF__I_INDEX: kf__print(text, "index "); break;
    case KF__I_INSIDE: kf__print(text, "inside "); break;
    case KF__I_PICK:
        kf__print(text, "pick%s %s", i->field == KF__PICK_LAST ? " last" : "", type);
        break;
    default: kf__print(text, "kind %d", i->kind);
    }
    if (i->kind == KF__I_LOAD || i->kind == KF__I_RANDOM || i->kind == KF__I_INDEX ||
        i->kind == KF__I_INSIDE)
        print_access(p, &k->accesses[i->access], text);
    if (i->kind == KF__I_LOAD && i->n_args) kf__print(text, " if");
    for (int a = 0; a < i->n_args; a++) kf__print(text, " v%u", i->args[a]);
    int width = 46 - (int)(text->n - begin);
    kf__print(text, "%*s%s %d\n", width > 2 ? width : 2, "", levels[i->level % 3], i->stage);
}

static void print_kernel(const kf__partition *p, const kf__kernel *k, kf__text *text) {
    kf__print(text, "kernel %s (%s): ", k->name, kf__kernel_kinds[k->kind]);
    kf__print_shape(p->graph, (int)k->n_axes, k->size, text);
    for (uint32_t a = 0, n = 0; a < k->n_axes; a++)
        if (k->reduced >> a & 1) kf__print(text, "%s%u", n++ ? "," : " reduces ", a);
    for (uint32_t o = 0; o < k->n_ops; o++)
        kf__print(text, "%s%s", o ? ", " : "    # ", k->ops[o]);
    kf__print(text, "\n");
    for (uint32_t i = 0; i < k->n_instrs; i++) print_instr(p, k, i, text);
    for (uint32_t s = 0; s < k->n_stores; s++) {
        kf__print(text, "    ");
        print_access(p, &k->accesses[k->stores[s].access], text);
        kf__print(text, " = v%u\n", k->stores[s].instr);
    }
}

static void print_value(const kf__partition *p, uint32_t n, kf__text *text) {
    const kf__value *v = &p->values[n];
    kf__print(text, "value %u: ", n);
    if (v->kind == KF__VALUE_INPUT)
        kf__print(text, "input %s ", input_name(p, v->index));
    else if (v->kind == KF__VALUE_RESULT)
        kf__print(text, "result %s ",
                  v->index < p->graph->results.n ? p->graph->result_names.at[v->index] : "?");
    else
        kf__print(text, "temporary ");
    kf__print(text, "%s", kf__types[v->dtype].alias);
    kf__print_shape(p->graph, v->rank, v->shape, text);
    kf__print(text, "\n");
}

void kf__partition_print(const kf__partition *p, kf__text *text) {
    for (uint32_t v = 0; v < p->n_values; v++) print_value(p, v, text);
    for (uint32_t k = 0; k < p->n_kernels; k++) print_kernel(p, &p->kernels[k], text);
    for (uint32_t c = 0; c < p->n_cuts; c++) {
        const kf__cut *cut = &p->cuts[c];
        kf__print(text, "cut %s -> %s, value %u: %s: %s\n", p->kernels[cut->from].name,
                  p->kernels[cut->to].name, cut->value, cut->code, cut->why);
    }
}
