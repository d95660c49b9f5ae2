#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/run.h"

kf_array *describe(tensor *t, void *data, kf_dtype dtype, int ndim, const int64_t *shape,
                          const int64_t *strides) {
    *t = (tensor){.array = {.data = data, .device = {KF_CPU, 0}, .ndim = ndim, .dtype = dtype}};
    if (ndim) memcpy(t->shape, shape, (size_t)ndim * sizeof *shape);
    if (ndim && strides) memcpy(t->strides, strides, (size_t)ndim * sizeof *strides);
    t->array.shape = t->shape;
    t->array.strides = strides ? t->strides : NULL;
    return &t->array;
}

kf_array vector(float *data, int64_t *n) {
    return (kf_array){.data = data, .device = {KF_CPU, 0}, .ndim = 1, .dtype = KF_F32, .shape = n};
}

void expect_ok(kf_status status, const kf_error *err) {
    if (status != KF_OK) fail_msg("%s", err->message);
}

void expect_error(kf_status status, kf_status wanted, const kf_error *err,
                         const char *part) {
    if (status != wanted || !strstr(err->message, part))
        fail_msg("status %d (wanted %d): '%s' should have '%s'", status, wanted, err->message,
                 part);
}

void quiet(void *user, const char *line) {
    (void)user;
    (void)line;
}

kf_context *new_context(int threads) {
    kf_error err = {0};
    kf_context_options options = {.struct_size = sizeof options, .threads = threads, .log = quiet};
    kf_context *ctx = kf_context_create(&options, &err);
    if (!ctx) fail_msg("%s", err.message);
    return ctx;
}

int context_setup(void **state) {
    *state = new_context(0);
    return 0;
}

int context_teardown(void **state) {
    kf_context_free(*state);
    return 0;
}

void free_made(made *m) {
    kf_plan_free(m->plan);
    kf_program_free(m->program);
    *m = (made){0};
}

kf_status make_program(kf_context *ctx, const char *text, int n, const kf_array *inputs,
                              kf_device device, made *m, kf_error *err) {
    kf_function *function = NULL;
    kf_graph *graph = NULL;
    kf_spec specs[8] = {{0}};
    for (int i = 0; i < n; i++)
        if (inputs[i].ndim < 0)
            specs[i] = (kf_spec){.kind = KF_SPEC_FLOAT};
        else
            specs[i] = (kf_spec){.dtype = inputs[i].dtype, .ndim = inputs[i].ndim,
                                 .shape = inputs[i].shape};
    kf_compile_options options = {sizeof options, device, KF_FUSION_ON};
    kf_status status = kf_parse(ctx, text, NULL, &function, err);
    if (status == KF_OK)
        status = kf_graph_create(ctx, function, n, specs, KF_FUSED, &graph, err);
    if (status == KF_OK) status = kf_compile(ctx, graph, &options, &m->program, err);
    kf_graph_free(graph);
    kf_function_free(function);
    return status;
}

void make(kf_context *ctx, const char *text, int n, const kf_array *inputs,
                 const kf_array *results, made *m) {
    kf_error err = {0};
    *m = (made){0};
    expect_ok(make_program(ctx, text, n, inputs, (kf_device){KF_CPU, 0}, m, &err), &err);
    expect_ok(kf_plan_for(m->program, n, inputs, results ? 1 : 0, results, &m->plan, &err), &err);
}

void fill(float *x, size_t n, unsigned seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (1 << 24) * 4 - 2;
    }
}
