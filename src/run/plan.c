/* kf_plan_for: from shapes and strides to steps.
 *
 *     bind       names of sizes, constraints, shapes, strides     bind.c
 *     kernels    lower, emit, compile each                        pipeline.c
 *     workspace  temporaries and scratch by liveness              workspace.c
 *     steps      argument words and patches                       steps.c
 *     alias      which results may overwrite which inputs         alias.c                        */
#include "run/plan.h"

#include "run/array.h"
#include "run/device.h"

/* ---------------------------------------------------------------- results */

static kf_status check_result(const kf_plan *plan, uint32_t i, const kf_array *given,
                              kf_error *err) {
    const kf_program *program = plan->program;
    const kf_array *r = &plan->results[i];
    const char *name = program->partition->graph->result_names.at[i];
    char have[24], want[24];
    kf__dtype t;
    if (!kf__dtype_from_dlpack(given->dtype, &t) ||
        memcmp(&given->dtype, &r->dtype, sizeof r->dtype) != 0) {
        kf__dtype is = KF__F32;
        kf__dtype_from_dlpack(r->dtype, &is);
        return kf__fail(err, KF_ERR_TYPE, "result %s is %s, but the array given for it isn't",
                        name, kf__types[is].name);
    }
    if (given->ndim != r->ndim)
        return kf__fail(err, KF_ERR_SHAPE, "result %s has rank %d, but the array given for it %d",
                        name, r->ndim, given->ndim);
    if (r->ndim && !given->shape)
        return kf__fail(err, KF_ERR_ARGUMENT, "the array given for result %s has rank %d but no "
                                              "shape", name, r->ndim);
    for (int d = 0; d < r->ndim; d++)
        if (given->shape[d] != r->shape[d])
            return kf__fail(err, KF_ERR_SHAPE,
                            "result %s: shape[%d] is %lld, but the array given for it has %lld",
                            name, d, (long long)r->shape[d], (long long)given->shape[d]);
    if (given->device.type != program->device.type ||
        (given->device.type == KF_CUDA && given->device.id != program->device.id))
        return kf__fail(err, KF_ERR_DEVICE, "result %s is on %s, but the program is for %s", name,
                        kf__device_name(given->device, have),
                        kf__device_name(program->device, want));
    return KF_OK;
}

kf_status kf__plan_check_results(const kf_plan *plan, const kf_array *results, kf_error *err) {
    for (uint32_t i = 0; i < plan->n_results; i++)
        KF_TRY(check_result(plan, i, &results[i], err));
    return KF_OK;
}

/* Result arrays point at the shapes and strides of their values. */
static kf_status describe_results(kf_plan *plan, const kf_array *given, kf_error *err) {
    const kf__partition *p = plan->program->partition;
    for (uint32_t v = 0; v < p->n_values; v++) {
        const kf__value *value = &p->values[v];
        if (value->kind != KF__VALUE_RESULT) continue;
        if (value->rank > KF__MAX_ARRAY_RANK)
            return kf__fail(err, KF_ERR_LIMIT, "result %s has rank %d; arrays have at most %d",
                            kf__value_name(p->graph, value), value->rank, KF__MAX_ARRAY_RANK);
        plan->results[value->index] =
            (kf_array){.device = plan->program->device, .ndim = value->rank,
                       .dtype = kf__types[value->dtype].dlpack, .shape = plan->shapes[v],
                       .strides = plan->strides[v]};
    }
    return given ? kf__plan_check_results(plan, given, err) : KF_OK;
}

/* ---------------------------------------------------------------- kernels */

static bool has_something_to_store(const kf_plan *plan, const kf__kernel *k) {
    for (uint32_t s = 0; s < k->n_stores; s++)
        if (plan->bytes[k->accesses[k->stores[s].access].value] > 0) return true;
    return false;
}

/* Kernels being compiled, and the first failure in their order. */
typedef struct compiling {
    kf__build *builds;
    kf_error *errors;
} compiling;

static void compile_range(void *arg, int64_t begin, int64_t end) {
    const compiling *c = arg;
    for (int64_t i = begin; i < end; i++) kf__build_object(&c->builds[i], &c->errors[i]);
}

static kf_status compile_all(kf_context *ctx, kf__build *builds, uint32_t n, kf_error *err) {
    kf_error *errors = kf__allocate(&ctx->mem, (n + 1) * sizeof *errors);
    if (!errors) return kf__out_of_memory(err);
    for (uint32_t i = 0; i < n; i++) kf__error_clear(&errors[i]);
    compiling c = {builds, errors};
    kf__parallel(ctx, n, 1, INT64_MAX, compile_range, &c);
    kf_status status = KF_OK;
    for (uint32_t i = 0; i < n && status == KF_OK; i++) {
        status = errors[i].status;
        if (status != KF_OK && err) *err = errors[i];
    }
    kf__release(&ctx->mem, errors);
    return status;
}

static kf_status build_kernels(kf_plan *plan, kf_error *err) {
    kf_program *program = plan->program;
    const kf_allocator *mem = &program->ctx->mem;
    kf__partition *p = program->partition;
    kf__layout layout = {plan->names, (const int64_t(*)[KF__MAX_RANK])plan->strides};
    kf__build *builds = kf__allocate(mem, (p->n_kernels + 1) * sizeof *builds);
    if (!builds) return kf__out_of_memory(err);
    kf_status status = KF_OK;
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_kernels && status == KF_OK; k++) {
        if (!has_something_to_store(plan, &p->kernels[k])) continue;
        builds[n] = (kf__build){.ctx = program->ctx, .target = &program->target, .partition = p,
                                .kernel = &p->kernels[k], .layout = &layout,
                                .arena = &plan->arena};
        status = kf__build_functions(&builds[n++], err);
    }
    if (status == KF_OK && !program->texts) status = compile_all(program->ctx, builds, n, err);
    for (uint32_t i = 0; i < n; i++) {
        size_t k = (size_t)(builds[i].kernel - p->kernels);
        kf__text_free(&builds[i].functions);
        plan->lowered[k] = builds[i].lowered;
        plan->objects[k] = builds[i].object;
    }
    kf__release(mem, builds);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static bool allocate_tables(kf_plan *plan) {
    const kf__partition *p = plan->program->partition;
    kf__arena *arena = &plan->arena;
    plan->n_inputs = p->graph->inputs.n;
    plan->n_results = p->graph->results.n;
    plan->n_values = p->n_values;
    plan->names = KF__NEW(arena, int64_t, p->graph->exprs.names.n);
    plan->shapes = kf__arena_alloc(arena, sizeof *plan->shapes * p->n_values);
    plan->strides = kf__arena_alloc(arena, sizeof *plan->strides * p->n_values);
    plan->bytes = KF__NEW(arena, int64_t, p->n_values);
    plan->temp_offset = KF__NEW(arena, int64_t, p->n_values);
    plan->input_spans = KF__NEW(arena, kf__span, plan->n_inputs);
    plan->result_spans = KF__NEW(arena, kf__span, plan->n_results);
    plan->lowered = KF__NEW(arena, kf__lowered, p->n_kernels);
    plan->objects = KF__NEW(arena, kf__object *, p->n_kernels);
    plan->scratch_offset = KF__NEW(arena, int64_t, p->n_kernels);
    plan->results = KF__NEW(arena, kf_array, plan->n_results);
    return plan->names && plan->shapes && plan->strides && plan->bytes && plan->temp_offset &&
           plan->input_spans && plan->result_spans && plan->lowered && plan->objects &&
           plan->scratch_offset && plan->results;
}

static void count_scalars(kf_plan *plan) {
    const kf_graph *g = plan->program->partition->graph;
    for (uint32_t i = 0; i < g->inputs.n; i++) plan->n_scalars += g->inputs.at[i].scalar;
    for (uint32_t s = 0; s < plan->n_steps; s++)
        for (uint32_t i = 0; i < plan->steps[s].n_patches; i++)
            if (plan->patches[plan->steps[s].first_patch + i].kind == KF__PATCH_SCALAR)
                plan->needs_scalars = true;
}

static kf_status make_plan(kf_plan *plan, int n_inputs, const kf_array *inputs,
                           const kf_array *results, kf_error *err) {
    const kf_program *program = plan->program;
    const kf__partition *p = program->partition;
    if (!allocate_tables(plan)) return kf__out_of_memory(err);
    KF_TRY(kf__bind_sizes(p->graph, n_inputs, inputs, program->device, plan->names, err));
    KF_TRY(kf__bind_shapes(p, plan->names, plan->shapes, plan->bytes, err));
    KF_TRY(describe_results(plan, results, err));
    kf__bind_strides(p, (const int64_t(*)[KF__MAX_RANK])plan->shapes, inputs, results,
                     plan->strides);
    kf__layout layout = {plan->names, (const int64_t(*)[KF__MAX_RANK])plan->strides};
    KF_TRY(kf__program_sized(plan->program, &layout, &plan->arena, &plan->instead, err));
    if (plan->instead) return KF_OK;
    KF_TRY(kf__plan_alias(plan, err)); /* before kernels: spans are checked there */
    KF_TRY(build_kernels(plan, err));
    KF_TRY(kf__plan_workspace(plan, err));
    KF_TRY(kf__plan_steps(plan, err));
    count_scalars(plan);
    if (program->target.kind == KF__TARGET_CUDA && !program->offline)
        return kf__cuda_context(program->ctx, program->device.id, &plan->cuda_context, err);
    return KF_OK;
}

static void dump_launches(const kf_plan *plan) {
    kf_context *ctx = plan->program->ctx;
    if (!(ctx->dump & KF__DUMP_LAUNCH)) return;
    kf__text text;
    kf__text_init(&text, &ctx->mem);
    kf__plan_print_steps(plan, &text);
    if (!text.failed) kf__context_log_text(ctx, "launch", text.at);
    kf__text_free(&text);
}

kf_status kf_plan_for(kf_program *program, int n_inputs, const kf_array *inputs, int n_results,
                      const kf_array *results, kf_plan **out, kf_error *err) {
    kf__error_clear(err);
    if (!program || !out || (n_inputs > 0 && !inputs))
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_plan_for needs a program, its inputs and a "
                                              "result");
    *out = NULL;
    const kf_graph *g = program->partition->graph;
    if (results && n_results != (int)g->results.n)
        return kf__fail(err, KF_ERR_ARGUMENT, "%d results were given, but the graph has %u",
                        n_results, g->results.n);
    if (g->inputs.n > UINT16_MAX || g->results.n > UINT16_MAX)
        return kf__fail(err, KF_ERR_LIMIT, "more than %d inputs or results", UINT16_MAX);
    kf_plan *plan = kf__allocate(&program->ctx->mem, sizeof *plan);
    if (!plan) return kf__out_of_memory(err);
    kf_status status = KF_OK;
    for (kf_program *with = program; with; with = status == KF_OK ? plan->instead : NULL) {
        if (with != program) kf__arena_free(&plan->arena);
        *plan = (kf_plan){.program = with};
        kf__arena_init(&plan->arena, &with->ctx->mem);
        pthread_mutex_lock(&with->lowering);
        status = make_plan(plan, n_inputs, inputs, results, err);
        pthread_mutex_unlock(&with->lowering);
    }
    if (status != KF_OK) {
        kf_plan_free(plan);
        return status;
    }
    dump_launches(plan);
    *out = plan;
    return KF_OK;
}

void kf_plan_free(kf_plan *plan) {
    if (!plan) return;
    kf__arena_free(&plan->arena);
    kf__release(&plan->program->ctx->mem, plan);
}

size_t kf_plan_workspace_size(const kf_plan *plan) {
    return plan ? (size_t)plan->workspace : 0;
}

int kf_plan_result_count(const kf_plan *plan) {
    return plan ? (int)plan->n_results : 0;
}

void kf_plan_result(const kf_plan *plan, int i, kf_array *array) {
    if (!array) return;
    bool there = plan && i >= 0 && (uint32_t)i < plan->n_results;
    *array = there ? plan->results[i] : (kf_array){0};
}
