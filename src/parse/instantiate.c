/* kf_graph_create: a function and the specs of its inputs -> a graph. */
#include "parse/evaluate.h"

#include <stdio.h>

/* ---------------------------------------------------------------- inputs */

/* Sizes of an array input: the annotation's, or "x.0" for each axis; 1 where the spec says so. */
static bool input_sizes(kf__evaluator *ev, const kf__param *param, const kf_spec *spec,
                        const char *name, kf__expr *size) {
    kf__exprs *pool = &ev->g->exprs;
    const kf__annotation *a = &param->annotation;
    for (int d = 0; d < spec->ndim; d++) {
        if (a->sizes && a->size[d].name_n) {
            size[d] = kf__x_name(pool, ev->def->module->text + a->size[d].name, a->size[d].name_n);
        } else if (a->sizes) {
            size[d] = kf__x_const(pool, a->size[d].number);
        } else if (spec->shape && spec->shape[d] == 1) {
            size[d] = kf__x_const(pool, 1);
        } else {
            const char *own = kf__arena_printf(&ev->arena, "%s.%d", name, d);
            size[d] = own ? kf__x_name(pool, own, strlen(own)) : 0;
        }
        if (!size[d]) return kf__eval_memory(ev);
    }
    return true;
}

static bool array_input(kf__evaluator *ev, const kf__param *param, const kf_spec *spec,
                        const char *name, kf__object *out) {
    const kf__annotation *a = &param->annotation;
    kf__expr size[KF__MAX_ARRAY_RANK];
    kf__dtype dtype;
    if (spec->ndim < 0 || spec->ndim > KF__MAX_ARRAY_RANK)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "`%s` has rank %d; arrays have at most %d "
                                               "dimensions", name, (int)spec->ndim,
                             KF__MAX_ARRAY_RANK);
    if (!kf__dtype_from_dlpack(spec->dtype, &dtype))
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "`%s` has a dtype that isn't supported "
                                                     "(DLPack code %d, %d bits, %d lanes)", name,
                             spec->dtype.code, spec->dtype.bits, spec->dtype.lanes);
    if (a->sizes && a->rank != spec->ndim)
        return kf__eval_fail(ev, KF_ERR_SHAPE, "`%s` must have rank %d, not %d", name, a->rank,
                             (int)spec->ndim);
    return input_sizes(ev, param, spec, name, size) &&
           kf__eval_node(ev, kf__input(ev->g, name, dtype, spec->ndim, size), out);
}

static bool scalar_input(kf__evaluator *ev, const kf_spec *spec, const char *name,
                         kf__object *out) {
    bool real = spec->kind == KF_SPEC_FLOAT;
    kf__object node;
    if (!kf__eval_node(ev, kf__scalar(ev->g, name, real ? KF__F64 : KF__I64), &node)) return false;
    *out = (kf__object){.kind = KF__O_SCALAR, .dtype = real ? KF__F64 : KF__I64, .ref = node.ref};
    if (real) out->number = spec->number;
    else out->integer = spec->integer;
    return true;
}

static bool make_input(kf__evaluator *ev, const kf__param *param, const kf_spec *spec,
                       kf__object *out) {
    const char *name = ev->def->slots[param->slot];
    ev->at = param->at;
    switch (spec->kind) {
    case KF_SPEC_ARRAY: return array_input(ev, param, spec, name, out);
    case KF_SPEC_FLOAT:
    case KF_SPEC_INT: return scalar_input(ev, spec, name, out);
    case KF_SPEC_DEFAULT:
        if (!param->fallback)
            return kf__eval_fail(ev, KF_ERR_ARGUMENT, "`%s` needs a value: it has no default",
                                 name);
        kf__input_unused(ev->g, name, false);
        return kf__graph_ok(ev->g) || kf__eval_memory(ev);
    }
    return kf__eval_fail(ev, KF_ERR_ARGUMENT, "the spec of `%s` is of no known kind", name);
}

/* ---------------------------------------------------------------- results */

/* A result has a dtype of its own: numbers are float32 or int64. */
static bool to_result(kf__evaluator *ev, const kf__object *o, kf__ref *out) {
    if (!kf__is_numeric(o))
        return kf__eval_fail(ev, KF_ERR_TYPE, "a result must be an array, not %s%s",
                             kf__object_text(o), o->kind == KF__O_TUPLE
                                 ? ", beside others: name its items, a, b = ..., and then a, b, c"
                                 : "");
    kf__object ignored;
    if (!kf__to_node(ev, o, out)) return false;
    const kf__node *node = kf__at(ev->g, *out);
    kf__dtype dtype = (kf__dtype)node->dtype;
    if (node->weak && kf__is_float(dtype)) dtype = KF__F32;
    if (node->weak && kf__types[dtype].class == KF__CLASS_INT) dtype = KF__I64;
    if (dtype != node->dtype) *out = kf__cast(ev->g, *out, dtype);
    return kf__eval_node(ev, *out, &ignored);
}

static bool name_taken(const kf_graph *g, const char *name) {
    for (uint32_t i = 0; i < g->result_names.n; i++)
        if (strcmp(g->result_names.at[i], name) == 0) return true;
    return false;
}

/* Named by their variable where they are one, else out0, out1, ... */
static bool add_result(kf__evaluator *ev, const kf__ast *node, const kf__object *value,
                       uint32_t i) {
    char own[32];
    kf__ref ref;
    bool named = node && node->kind == KF__A_NAME;
    const char *name = named ? ev->def->slots[node->slot] : own;
    snprintf(own, sizeof own, "out%u", i);
    for (uint32_t next = i; name_taken(ev->g, name); next++) { /* a variable may be called out1 */
        snprintf(own, sizeof own, "out%u", next);
        name = own;
    }
    if (!to_result(ev, value, &ref)) return false;
    kf__result(ev->g, ref, name);
    return kf__graph_ok(ev->g) || kf__eval_memory(ev);
}

/* Does each part of the tuple in the text stand for one item? */
static bool is_written_out(const kf__ast *node) {
    bool out = node->kind == KF__A_TUPLE;
    for (uint32_t i = 0; out && i < node->n; i++) out = node->part[i].node->kind != KF__A_STAR;
    return out;
}

static bool add_results(kf__evaluator *ev, const kf__ast *node, const kf__object *value) {
    ev->at = node->at;
    if (value->kind != KF__O_TUPLE) return add_result(ev, node, value, 0);
    if (value->n == 0) return kf__eval_fail(ev, KF_ERR_TYPE, "there are no results");
    bool written_out = is_written_out(node);
    for (uint32_t i = 0; i < value->n; i++) {
        const kf__ast *item = written_out ? node->part[i].node : NULL;
        ev->at = item ? item->at : node->at;
        if (!add_result(ev, item, &value->items[i], i)) return false;
    }
    return true;
}

/* Inputs that no result depends on say so, so that nobody binds them. */
static bool forget_unused(kf__evaluator *ev) {
    kf_graph *g = ev->g;
    bool *live = kf__allocate(ev->mem, g->nodes.n);
    if (!live) return kf__eval_memory(ev);
    memset(live, 0, g->nodes.n);
    for (uint32_t i = 0; i < g->results.n; i++) live[g->results.at[i]] = true;
    for (uint32_t i = g->nodes.n; i-- > 1;)
        for (int k = 0; live[i] && k < g->nodes.at[i].n_args; k++)
            live[g->nodes.at[i].args[k]] = true;
    for (uint32_t i = 0; i < g->inputs.n; i++)
        if (!live[g->inputs.at[i].node]) g->inputs.at[i].node = 0;
    kf__release(ev->mem, live);
    return true;
}

/* ---------------------------------------------------------------- all of it */

/* A composite picked by name is one call, as if the user had called it; the cases aren't. */
static bool instantiate(kf__evaluator *ev, const kf__def *def, const kf_spec *specs,
                        kf__object *frame) {
    kf__object value;
    for (uint32_t i = 0; i < def->n_params; i++)
        if (!make_input(ev, &def->params[i], &specs[i], &frame[def->params[i].slot])) return false;
    bool composite = def->library && strcmp(def->module->file, "cases.kf") != 0;
    if (composite) kf__enter_composite(ev, def);
    bool ok = kf__call_def(ev, def, frame, &value);
    ev->opaque = false;
    if (!ok || (composite && !kf__round(ev, &value))) return false;
    return add_results(ev, def->result, &value) && forget_unused(ev);
}

static kf_status check_specs(const kf_allocator *mem, const kf__def *def, int n_specs,
                             const kf_spec *specs, kf_error *err) {
    if (n_specs == (int)def->n_params && (specs || !n_specs)) return KF_OK;
    kf__text names;
    kf__text_init(&names, mem);
    for (uint32_t i = 0; i < def->n_params && i < 20; i++)
        kf__print(&names, "%s%s", i ? ", " : "", def->slots[def->params[i].slot]);
    kf_status status =
        kf__fail(err, KF_ERR_ARGUMENT, "%d %s given, but the text has %u: %s", n_specs,
                 n_specs == 1 ? "input was" : "inputs were", def->n_params,
                 names.at ? names.at : "none");
    kf__text_free(&names);
    return status;
}

kf_status kf__instantiate(const kf_allocator *mem, const kf_function *function, int n_specs,
                          const kf_spec *specs, kf_numerics numerics, kf_graph **out,
                          kf_error *err) {
    const kf__def *def = function->main;
    kf_error local = {0};
    *out = NULL;
    KF_TRY(check_specs(mem, def, n_specs, specs, err));
    kf_graph *g = kf__graph_new(mem);
    size_t frame_size = (def->n_slots + 1) * sizeof(kf__object);
    kf__object *frame = g ? kf__allocate(mem, frame_size) : NULL;
    if (!frame) {
        kf_graph_free(g);
        return kf__out_of_memory(err);
    }
    memset(frame, 0, frame_size);
    g->numerics = numerics;
    kf__evaluator ev = {.mem = mem, .g = g, .err = &local, .def = def, .frame = frame};
    kf__arena_init(&ev.arena, mem);
    bool ok = instantiate(&ev, def, specs, frame);
    kf__arena_free(&ev.arena);
    kf__release(mem, frame);
    if (ok && numerics == KF_EAGER) ok = kf__make_explicit(&g, &local) == KF_OK;
    if (ok) {
        *out = g;
        return KF_OK;
    }
    kf_graph_free(g);
    if (local.status == KF_OK) kf__out_of_memory(&local);
    if (err && err->status == KF_OK) *err = local;
    return local.status;
}
