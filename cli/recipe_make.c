/* Making the arrays of recipes. Random numbers come from kfuse's own language, so that they are the
 * same bits on every device, and those that a text gets with the same seed and stream. */
#include <math.h>
#include <stdio.h>

#include "element.h"
#include "recipe.h"

/* ---------------------------------------------------------------- random numbers */

static void random_text(const struct recipe *r, kf__text *text) {
    kf__dtype dtype = KF__F32;
    kf__dtype_from_dlpack(r->dtype, &dtype);
    const char *name = kf__types[dtype].name;
    char shape[220] = "(";
    size_t n = 1;
    for (int i = 0; i < r->ndim; i++)
        n += (size_t)snprintf(shape + n, sizeof shape - n, "%lld, ", (long long)r->shape[i]);
    snprintf(shape + n, sizeof shape - n, ")");
    const char *wide = dtype == KF__F64 ? "float64" : "float32";
    if (r->kind == RECIPE_RANDN)
        kf__print(text, "cast(randn(%s, seed, stream, %s), %s)", shape, wide, name);
    else if (r->kind == RECIPE_RANDINT)
        kf__print(text, "randint(%lld, %lld, %s, seed, stream, %s)", (long long)r->value.integer,
                  (long long)r->step.integer, shape, name);
    else if (dtype == KF__BOOL)
        kf__print(text, "rand(%s, seed, stream) < 0.5", shape);
    else
        kf__print(text, "rand(%s, seed, stream, %s)", shape, name);
}

struct maker {
    kf_function *function;
    kf_graph *graph;
    kf_program *program;
    kf_plan *plan;
    kf_array workspace;
};

static kf_status compile(kf_context *ctx, const char *text, const struct recipe *r,
                         kf_device device, struct maker *m, kf_scalar *scalars, kf_error *err) {
    KF_TRY(kf_parse(ctx, text, NULL, &m->function, err));
    kf_spec specs[2];
    kf_array none[2] = {{0}};
    int n = kf_function_input_count(m->function);
    for (int i = 0; i < n && i < 2; i++) {
        int64_t value = kf_function_input_name(m->function, i)[1] == 'e' ? r->seed : r->stream;
        specs[i] = (kf_spec){.kind = KF_SPEC_INT, .integer = value};
        scalars[i].i = value;
    }
    kf_compile_options o = {.struct_size = sizeof o, .device = device};
    KF_TRY(kf_graph_create(ctx, m->function, n, specs, KF_FUSED, &m->graph, err));
    KF_TRY(kf_compile(ctx, m->graph, &o, &m->program, err));
    KF_TRY(kf_plan_for(m->program, n, none, 1, NULL, &m->plan, err));
    int64_t workspace = (int64_t)kf_plan_workspace_size(m->plan);
    return kf_array_create(ctx, device, KF_U8, 1, &workspace, &m->workspace, err);
}

static kf_status make_random(kf_context *ctx, const struct recipe *r, kf_array *array,
                             kf_error *err) {
    struct maker m = {0};
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    random_text(r, &text);
    kf_scalar scalars[2];
    const void *inputs[2] = {NULL};
    void *results[1] = {array->data};
    kf_status status = text.failed ? kf__out_of_memory(err)
                                   : compile(ctx, text.at, r, array->device, &m, scalars, err);
    if (status == KF_OK)
        status = kf_run(m.plan, inputs, results, scalars, m.workspace.data, NULL, err);
    if (status == KF_OK) status = kf_synchronize(ctx, array->device, NULL, err);
    kf_array_free(ctx, &m.workspace);
    kf_plan_free(m.plan);
    kf_program_free(m.program);
    kf_graph_free(m.graph);
    kf_function_free(m.function);
    if (status != KF_OK && err->line > 0 && text.at) { /* that text isn't the user's */
        char why[sizeof err->message];
        snprintf(why, sizeof why, "%.*s", (int)strcspn(err->message, "\n"), err->message);
        const char *sentence = strstr(why, ": ");
        kf__fail(err, status, "%s: %s", text.at,
                 strncmp(why, "line ", 5) == 0 && sentence ? sentence + 2 : why);
    }
    kf__text_free(&text);
    return status;
}

/* ---------------------------------------------------------------- plain ones */

static void fill(const struct recipe *r, kf_array *array) {
    kf__dtype dtype;
    int64_t count = 1;
    if (!kf__dtype_from_dlpack(r->dtype, &dtype)) return;
    bool exact = r->value.whole && (!kf__is_float(dtype) || dtype == KF__F32);
    for (int i = 0; i < r->ndim; i++) count *= r->shape[i];
    for (int64_t i = 0; i < count; i++) {
        char *to = (char *)array->data + i * kf__types[dtype].size;
        int64_t integer = recipe_element(r, r->kind == RECIPE_ARANGE ? i : 0);
        double value = r->value.value;
        if (r->kind == RECIPE_ARANGE) value += (double)i * r->step.value;
        if (exact) element_store_integer(dtype, to, integer);
        else element_store(dtype, to, r->value.whole ? (double)integer : value);
    }
}

static kf_status make_plain(kf_context *ctx, const struct recipe *r, kf_array *array,
                            kf_error *err) {
    if (array->device.type != KF_CUDA) {
        fill(r, array);
        return KF_OK;
    }
    kf_array host;
    KF_TRY(kf_array_create(ctx, (kf_device){KF_CPU, 0}, r->dtype, r->ndim, r->shape, &host, err));
    fill(r, &host);
    kf_status status = kf_array_copy(ctx, &host, array, err);
    kf_array_free(ctx, &host);
    return status;
}

kf_status recipe_make(kf_context *ctx, const struct recipe *r, kf_device device, kf_array *array,
                      kf_error *err) {
    kf_device made_on = device;
    if (device.type == KF_CUDA_EMULATED) made_on = (kf_device){KF_CPU, 0}; /* it is slow */
    KF_TRY(kf_array_create(ctx, made_on, r->dtype, r->ndim, r->shape, array, err));
    bool empty = false;
    for (int i = 0; i < r->ndim; i++) empty = empty || r->shape[i] == 0;
    bool random = r->kind <= RECIPE_RANDINT;
    kf_status status = empty ? KF_OK
                       : random ? make_random(ctx, r, array, err)
                                : make_plain(ctx, r, array, err);
    array->device = device;
    if (status != KF_OK) kf_array_free(ctx, array);
    return status;
}
