/* run: contexts, threads, arrays, plans, launches and kf_eval, through the real pipeline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kfuse/kfuse.h>

#include "compile/cuda_driver.h"
#include "pipeline.h"

/* ---------------------------------------------------------------- small helpers */

enum { RANK = 4 };

static const kf_device cpu = {KF_CPU, 0};

typedef struct tensor { /* a kf_array with its own shape and strides */
    kf_array array;
    int64_t shape[RANK], strides[RANK];
} tensor;

static kf_array *describe(tensor *t, void *data, kf_dtype dtype, int ndim, const int64_t *shape,
                          const int64_t *strides) {
    *t = (tensor){.array = {.data = data, .device = {KF_CPU, 0}, .ndim = ndim, .dtype = dtype}};
    if (ndim) memcpy(t->shape, shape, (size_t)ndim * sizeof *shape);
    if (ndim && strides) memcpy(t->strides, strides, (size_t)ndim * sizeof *strides);
    t->array.shape = t->shape;
    t->array.strides = strides ? t->strides : NULL;
    return &t->array;
}

static kf_array vector(float *data, int64_t *n) {
    return (kf_array){.data = data, .device = {KF_CPU, 0}, .ndim = 1, .dtype = KF_F32, .shape = n};
}

static void expect_ok(kf_status status, const kf_error *err) {
    if (status != KF_OK) fail_msg("%s", err->message);
}

static void expect_error(kf_status status, kf_status wanted, const kf_error *err,
                         const char *part) {
    if (status != wanted || !strstr(err->message, part))
        fail_msg("status %d (wanted %d): '%s' should have '%s'", status, wanted, err->message,
                 part);
}

static void quiet(void *user, const char *line) {
    (void)user;
    (void)line;
}

static kf_context *new_context(int threads) {
    kf_error err = {0};
    kf_context_options options = {.struct_size = sizeof options, .threads = threads, .log = quiet};
    kf_context *ctx = kf_context_create(&options, &err);
    if (!ctx) fail_msg("%s", err.message);
    return ctx;
}

static int setup(void **state) {
    *state = new_context(0);
    return 0;
}

static int teardown(void **state) {
    kf_context_free(*state);
    return 0;
}

/* A program and plan for text over arrays; inputs with data NULL and ndim -1 are f64 numbers. */
typedef struct made {
    kf_program *program;
    kf_plan *plan;
} made;

static void free_made(made *m) {
    kf_plan_free(m->plan);
    kf_program_free(m->program);
    *m = (made){0};
}

static kf_status make_program(kf_context *ctx, const char *text, int n, const kf_array *inputs,
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

static void make(kf_context *ctx, const char *text, int n, const kf_array *inputs,
                 const kf_array *results, made *m) {
    kf_error err = {0};
    *m = (made){0};
    expect_ok(make_program(ctx, text, n, inputs, (kf_device){KF_CPU, 0}, m, &err), &err);
    expect_ok(kf_plan_for(m->program, n, inputs, results ? 1 : 0, results, &m->plan, &err), &err);
}

static void fill(float *x, size_t n, unsigned seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (1 << 24) * 4 - 2;
    }
}

/* ---------------------------------------------------------------- kf_eval */

static void eval_gives_values(void **state) {
    float x[] = {0, 1, 2, 3}, y[] = {0, -1, -2, -2.5f};
    int64_t n = 4;
    kf_array in[] = {vector(x, &n), vector(y, &n)}, out = {0};
    kf_error err = {0};
    expect_ok(kf_eval(*state, "exp((x + y) * 2)", 2, in, 1, &out, &err), &err);
    const float *r = out.data;
    assert_int_equal(out.ndim, 1);
    assert_int_equal(out.shape[0], 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(r[i] - expf((x[i] + y[i]) * 2)) <= 4e-7f * r[i]);
    kf_array_free(*state, &out);
    assert_null(out.data);
}

static void eval_of_rows(void **state) {
    enum { ROWS = 37, COLUMNS = 129 };
    static float x[ROWS * COLUMNS];
    fill(x, ROWS * COLUMNS, 1);
    tensor t;
    kf_array *in = describe(&t, x, KF_F32, 2, (int64_t[]){ROWS, COLUMNS}, NULL), out = {0};
    kf_error err = {0};
    expect_ok(kf_eval(*state, "x - mean(x, axis=-1, keepdims=True)", 1, in, 1, &out, &err), &err);
    const float *r = out.data;
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++) sum += (double)x[i * COLUMNS + j];
        for (int j = 0; j < COLUMNS; j++)
            assert_true(fabs((double)r[i * COLUMNS + j] -
                             ((double)x[i * COLUMNS + j] - sum / COLUMNS)) < 1e-5);
    }
    kf_array_free(*state, &out);
}

static void eval_reductions(void **state) {
    enum { ROWS = 300, COLUMNS = 70 };
    static float x[ROWS * COLUMNS];
    fill(x, ROWS * COLUMNS, 2);
    tensor t;
    kf_array *in = describe(&t, x, KF_F32, 2, (int64_t[]){ROWS, COLUMNS}, NULL), out[3] = {{0}};
    kf_error err = {0};
    expect_ok(kf_eval(*state, "sum(x, axis=0), sum(x, axis=1), max(x)", 1, in, 3, out, &err), &err);
    double largest = -10;
    for (int j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (int i = 0; i < ROWS; i++) {
            sum += (double)x[i * COLUMNS + j];
            largest = fmax(largest, (double)x[i * COLUMNS + j]);
        }
        assert_true(fabs(sum - (double)((float *)out[0].data)[j]) < 1e-3);
    }
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++) sum += (double)x[i * COLUMNS + j];
        assert_true(fabs(sum - (double)((float *)out[1].data)[i]) < 1e-3);
    }
    assert_int_equal(out[2].ndim, 0);
    assert_true((double)*(float *)out[2].data == largest);
    for (int i = 0; i < 3; i++) kf_array_free(*state, &out[i]);
}

/* Given results are written in place, in any layout. */
static void eval_into_given_results(void **state) {
    float x[6] = {0, 1, 2, 3, 4, 5}, out[12];
    tensor a, r;
    describe(&a, x, KF_F32, 2, (int64_t[]){2, 3}, NULL);
    kf_error err = {0};
    describe(&r, out, KF_F32, 2, (int64_t[]){2, 3}, (int64_t[]){1, 2}); /* transposed */
    for (int twice = 0; twice < 2; twice++) {
        memset(out, 0, sizeof out);
        expect_ok(kf_eval(*state, "x + 1", 1, &a.array, 1, &r.array, &err), &err);
        for (int i = 0; i < 6; i++) assert_true(out[i % 3 * 2 + i / 3] == x[i] + 1);
    }
    describe(&r, out, KF_F32, 2, (int64_t[]){3, 2}, NULL);
    expect_error(kf_eval(*state, "x + 1", 1, &a.array, 1, &r.array, &err), KF_ERR_SHAPE, &err,
                 "shape[0] is 2");
    describe(&r, out, KF_F64, 2, (int64_t[]){2, 3}, NULL);
    expect_error(kf_eval(*state, "x + 1", 1, &a.array, 1, &r.array, &err), KF_ERR_TYPE, &err,
                 "float32");
}

static void eval_reports_mistakes(void **state) {
    float x[8] = {0};
    int64_t four = 4, five = 5;
    kf_array xs[] = {vector(x, &four), vector(x, &five)}, out[2] = {{0}};
    kf_error err = {0};
    expect_error(kf_eval(*state, "x + y", 2, xs, 1, out, &err), KF_ERR_SHAPE, &err,
                 "x.shape[0] is 4 but y.shape[0] is 5");
    expect_error(kf_eval(*state, "x + y", 1, xs, 1, out, &err), KF_ERR_ARGUMENT, &err, "y");
    expect_error(kf_eval(*state, "x + 1", 2, xs, 1, out, &err), KF_ERR_ARGUMENT, &err, "2 inputs");
    expect_error(kf_eval(*state, "x + 1", 1, xs, 2, out, &err), KF_ERR_ARGUMENT, &err, "results");
    kf_array other[] = {xs[0], xs[0]};
    other[1].device = (kf_device){KF_CUDA_EMULATED, 0};
    expect_error(kf_eval(*state, "x + y", 2, other, 1, out, &err), KF_ERR_DEVICE, &err,
                 "one device");
    assert_null(out[0].data);
}

static void eval_keeps_programs_and_plans(void **state) {
    static float x[5000];
    kf_statistics before, after;
    kf_error err = {0};
    for (int64_t n = 2; n < 1500; n = n * 2 + 1) { /* a new batch compiles nothing */
        kf_array in = vector(x, &n), out = {0};
        expect_ok(kf_eval(*state, "tanh(x) * 2", 1, &in, 1, &out, &err), &err);
        kf_array_free(*state, &out);
        kf_context_statistics(*state, &after);
        if (n == 2) before = after;
        assert_int_equal(before.compiled, after.compiled);
        assert_int_equal(before.cache_hits, after.cache_hits);
    }
}

/* ---------------------------------------------------------------- layouts */

static void strides_of_any_kind(void **state) {
    static float x[400], y[400];
    fill(x, 400, 3);
    fill(y, 400, 4);
    const struct {
        int64_t offset, strides[2];
    } cases[] = {
        {0, {7, 1}}, {0, {1, 5}},    {0, {20, 3}}, {0, {0, 1}},  {0, {1, 0}},
        {0, {0, 0}}, {6, {7, -1}},   {28, {-7, 1}}, {34, {-7, -1}}, {3, {11, 2}},
    };
    kf_error err = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int second = 0; second < 2; second++) {
            tensor a, b;
            describe(&a, x + cases[c].offset, KF_F32, 2, (int64_t[]){5, 7}, cases[c].strides);
            describe(&b, y, KF_F32, 2, (int64_t[]){5, 7}, NULL);
            kf_array in[2], out[2] = {{0}};
            in[second] = a.array;
            in[!second] = b.array;
            expect_ok(kf_eval(*state, "x * 3 - y, sum(x - y, axis=1)", 2, in, 2, out, &err), &err);
            for (int i = 0; i < 5; i++) {
                float sum = 0;
                for (int j = 0; j < 7; j++) {
                    float v[2];
                    v[second] = x[cases[c].offset + i * cases[c].strides[0] +
                                  j * cases[c].strides[1]];
                    v[!second] = y[i * 7 + j];
                    assert_true(((float *)out[0].data)[i * 7 + j] == v[0] * 3 - v[1]);
                    sum += v[0] - v[1];
                }
                assert_true(fabsf(sum - ((float *)out[1].data)[i]) < 1e-4f);
            }
            kf_array_free(*state, &out[0]);
            kf_array_free(*state, &out[1]);
        }
}

static void byte_offsets(void **state) {
    float x[] = {0, 1, 2, 3, 4};
    int64_t n = 3;
    kf_array in = vector(x, &n), out = {0};
    in.byte_offset = 2 * sizeof *x;
    kf_error err = {0};
    expect_ok(kf_eval(*state, "x + 1", 1, &in, 1, &out, &err), &err);
    for (int i = 0; i < 3; i++) assert_true(((float *)out.data)[i] == x[i + 2] + 1);
    kf_array_free(*state, &out);
}

static void empty_arrays(void **state) {
    tensor t;
    kf_array *in = describe(&t, NULL, KF_F32, 2, (int64_t[]){0, 3}, NULL), out[3] = {{0}};
    kf_error err = {0};
    expect_ok(kf_eval(*state, "exp(x), sum(x, axis=0), sum(x, axis=1)", 1, in, 3, out, &err), &err);
    assert_int_equal(out[0].shape[0], 0);
    assert_int_equal(out[1].shape[0], 3);
    for (int i = 0; i < 3; i++) assert_true(((float *)out[1].data)[i] == 0);
    assert_int_equal(out[2].shape[0], 0);
    for (int i = 0; i < 3; i++) kf_array_free(*state, &out[i]);

    expect_ok(kf_eval(*state, "max(x, axis=1)", 1, in, 1, out, &err), &err); /* of no rows */
    kf_array_free(*state, &out[0]);
    expect_ok(kf_eval(*state, "mean(x)", 1, in, 1, out, &err), &err);
    assert_true(isnan(*(float *)out[0].data));
    kf_array_free(*state, &out[0]);
    expect_error(kf_eval(*state, "max(x, axis=0)", 1, in, 1, out, &err), KF_ERR_SHAPE, &err,
                 "of nothing");
}

/* ---------------------------------------------------------------- plans */

static void plan_checks_inputs(void **state) {
    float x[12];
    tensor a, b;
    made m;
    kf_error err = {0};
    kf_plan *plan = NULL;
    kf_array in[2] = {*describe(&a, x, KF_F32, 2, (int64_t[]){3, 4}, NULL),
                      *describe(&b, x, KF_F32, 2, (int64_t[]){3, 4}, NULL)};
    make(*state, "x + y", 2, in, NULL, &m);
    describe(&b, x, KF_F32, 1, (int64_t[]){4}, NULL);
    in[1] = b.array;
    expect_error(kf_plan_for(m.program, 2, in, 0, NULL, &plan, &err), KF_ERR_SHAPE, &err,
                 "y has rank 1");
    in[1] = *describe(&b, x, KF_F64, 2, (int64_t[]){3, 4}, NULL);
    expect_error(kf_plan_for(m.program, 2, in, 0, NULL, &plan, &err), KF_ERR_TYPE, &err,
                 "y is float64, but the graph was made for float32");
    in[1] = *describe(&b, x, KF_F32, 2, (int64_t[]){3, 5}, NULL);
    expect_error(kf_plan_for(m.program, 2, in, 0, NULL, &plan, &err), KF_ERR_SHAPE, &err,
                 "x.shape[1] is 4 but y.shape[1] is 5");
    in[1] = *describe(&b, x, KF_F32, 2, (int64_t[]){3, -4}, NULL);
    expect_error(kf_plan_for(m.program, 2, in, 0, NULL, &plan, &err), KF_ERR_SHAPE, &err, "-4");
    in[1] = *describe(&b, x, KF_F32, 2, (int64_t[]){INT64_MAX / 2, 4}, NULL);
    in[0] = in[1];
    expect_error(kf_plan_for(m.program, 2, in, 0, NULL, &plan, &err), KF_ERR_LIMIT, &err,
                 "64 bits");
    expect_error(kf_plan_for(m.program, 1, in, 0, NULL, &plan, &err), KF_ERR_ARGUMENT, &err,
                 "1 inputs");
    assert_null(plan);
    free_made(&m);
}

static void numbers_are_passed_by_value(void **state) {
    float x[] = {1, 2, 3}, out[3];
    int64_t n = 3;
    kf_array in[2] = {vector(x, &n), {.ndim = -1}};
    made m;
    kf_error err = {0};
    kf_statistics before, after;
    make(*state, "x * k", 2, in, NULL, &m);
    kf_context_statistics(*state, &before);
    const void *addresses[] = {x, NULL};
    void *results[] = {out};
    for (int k = 0; k < 5; k++) {
        kf_scalar scalar = {.f = k};
        expect_ok(kf_run(m.plan, addresses, results, &scalar, NULL, NULL, &err), &err);
        for (int i = 0; i < 3; i++) assert_true(out[i] == x[i] * (float)k);
    }
    expect_error(kf_run(m.plan, addresses, results, NULL, NULL, NULL, &err), KF_ERR_ARGUMENT, &err,
                 "scalars");
    kf_context_statistics(*state, &after);
    assert_int_equal(before.compiled, after.compiled);
    assert_int_equal(after.launches - before.launches, 5);
    free_made(&m);
}

static void aliases(void **state) {
    static float x[64], y[64], plain[64];
    tensor a, b;
    made m;
    kf_error err = {0};
    kf_array in[2] = {*describe(&a, x, KF_F32, 2, (int64_t[]){8, 8}, NULL),
                      *describe(&b, y, KF_F32, 2, (int64_t[]){8, 8}, NULL)};
    const void *addresses[] = {x, y};
    fill(y, 64, 6);

    make(*state, "x * 2 + y", 2, in, NULL, &m); /* in place over either */
    fill(x, 64, 5);
    expect_ok(kf_run(m.plan, addresses, (void *[]){plain}, NULL, NULL, NULL, &err), &err);
    expect_ok(kf_run(m.plan, addresses, (void *[]){x}, NULL, NULL, NULL, &err), &err);
    assert_memory_equal(x, plain, sizeof x);
    expect_error(kf_run(m.plan, addresses, (void *[]){x + 4}, NULL, NULL, NULL, &err), KF_ERR_ALIAS,
                 &err, "overlaps input x");
    expect_error(kf_run(m.plan, (const void *[]){x, NULL}, (void *[]){plain}, NULL, NULL, NULL,
                        &err), KF_ERR_ARGUMENT, &err, "input y");
    free_made(&m);

    make(*state, "x + x.T", 1, in, NULL, &m); /* another element is read later */
    expect_error(kf_run(m.plan, addresses, (void *[]){x}, NULL, NULL, NULL, &err), KF_ERR_ALIAS,
                 &err, "still read");
    free_made(&m);

    make(*state, "x - mean(x, axis=-1, keepdims=True)", 1, in, NULL, &m); /* rows: in place */
    fill(x, 64, 7);
    void *workspace = malloc(kf_plan_workspace_size(m.plan) + 1);
    expect_ok(kf_run(m.plan, addresses, (void *[]){plain}, NULL, workspace, NULL, &err), &err);
    expect_ok(kf_run(m.plan, addresses, (void *[]){x}, NULL, workspace, NULL, &err), &err);
    assert_memory_equal(x, plain, sizeof x);
    free(workspace);
    free_made(&m);

    make(*state, "x + y, x - y", 2, in, NULL, &m);
    expect_error(kf_run(m.plan, addresses, (void *[]){plain, plain}, NULL, NULL, NULL, &err),
                 KF_ERR_ALIAS, &err, "results");
    free_made(&m);

    tensor r; /* elements that lie on each other */
    kf_plan *plan = NULL;
    describe(&r, plain, KF_F32, 2, (int64_t[]){8, 8}, (int64_t[]){0, 1});
    make(*state, "x + y", 2, in, NULL, &m);
    expect_error(kf_plan_for(m.program, 2, in, 1, &r.array, &plan, &err), KF_ERR_ALIAS, &err,
                 "overlap");
    free_made(&m);
}

/* Later kernels read what earlier ones left in the workspace. */
static void workspace_is_used(void **state) {
    enum { N = 50, M = 40 };
    static float x[N * M], out[N * M];
    fill(x, N * M, 8);
    tensor t;
    kf_array *in = describe(&t, x, KF_F32, 2, (int64_t[]){N, M}, NULL);
    made m;
    kf_error err = {0};
    make(*state, "x / sum(abs(x), axis=0) + x / sum(abs(x), axis=1, keepdims=True)", 1, in, NULL,
         &m);
    size_t size = kf_plan_workspace_size(m.plan);
    assert_true(size > 0 && size % 256 == 0);
    unsigned char *workspace = malloc(size + 256);
    memset(workspace, 0xff, size + 256); /* NaN */
    expect_error(kf_run(m.plan, (const void *[]){x}, (void *[]){out}, NULL, NULL, NULL, &err),
                 KF_ERR_ARGUMENT, &err, "workspace");
    expect_ok(kf_run(m.plan, (const void *[]){x}, (void *[]){out}, NULL, workspace, NULL, &err),
              &err);
    for (size_t i = 0; i < 256; i++) assert_int_equal(workspace[size + i], 0xff);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            double row = 0, column = 0, v = (double)x[i * M + j];
            for (int k = 0; k < M; k++) row += fabs((double)x[i * M + k]);
            for (int k = 0; k < N; k++) column += fabs((double)x[k * M + j]);
            assert_true(fabs(v / row + v / column - (double)out[i * M + j]) < 1e-5);
        }
    free(workspace);
    free_made(&m);
}

static void texts(void **state) {
    float x[12], out[12];
    tensor t;
    kf_array *in = describe(&t, x, KF_F32, 2, (int64_t[]){3, 4}, NULL);
    made m;
    kf_error err = {0};
    kf_statistics before, after;
    make(*state, "relu(exp(x) * 2)", 1, in, NULL, &m);
    const struct {
        kf_text_kind kind;
        const char *part;
    } cases[] = {
        {KF_TEXT_EXPLAIN, "1 kernel instead of 3"},
        {KF_TEXT_EXPLAIN_JSON, "\"fused\": {\"kernels\": 1, \"bytes\": 96, \"temp_bytes\": 0}"},
        {KF_TEXT_EXPLAIN_JSON, "\"launches\": 1"},
        {KF_TEXT_SOURCE, "kf_exp"},
        {KF_TEXT_STEPS, "1 step, workspace 0 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        expect_ok(kf_plan_text(m.plan, cases[i].kind, &text, &err), &err);
        if (!strstr(text, cases[i].part)) fail_msg("no '%s' in\n%s", cases[i].part, text);
        kf_text_free(*state, text);
    }
    kf_context_statistics(*state, &before);
    expect_ok(kf_run(m.plan, (const void *[]){x}, (void *[]){out}, NULL, NULL, NULL, &err), &err);
    kf_context_statistics(*state, &after);
    assert_int_equal(after.launches - before.launches, 1);
    free_made(&m);
}

/* ---------------------------------------------------------------- threads */

static void pieces(void *user, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                   void *arg) { /* backwards, in pieces of one to three grains */
    int64_t grains = (n + grain - 1) / grain, size = *(int64_t *)user;
    for (int64_t end = grains; end > 0; end -= size) {
        int64_t begin = end > size ? end - size : 0, last = end * grain;
        body(arg, begin * grain, last < n ? last : n);
    }
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    enum { ROWS = 700, COLUMNS = 501 };
    static float x[ROWS * COLUMNS];
    fill(x, ROWS * COLUMNS, 9);
    tensor t;
    kf_array *in = describe(&t, x, KF_F32, 2, (int64_t[]){ROWS, COLUMNS}, NULL);
    static const char text[] = "sum(x), sum(x, axis=0), sum(x, axis=1), exp(x) - mean(x, axis=1, "
                               "keepdims=True)";
    kf_array first[4] = {{0}};
    kf_context *one = new_context(1);
    kf_error err = {0};
    expect_ok(kf_eval(one, text, 1, in, 4, first, &err), &err);
    for (int threads = 2; threads <= 11; threads++) {
        int64_t piece = threads - 8;
        kf_context_options options = {.struct_size = sizeof options, .threads = threads,
                                      .log = quiet};
        if (threads > 8) {
            options.parallel_for = pieces;
            options.parallel_user = &piece;
        }
        kf_context *ctx = kf_context_create(&options, &err);
        assert_non_null(ctx);
        kf_array out[4] = {{0}};
        expect_ok(kf_eval(ctx, text, 1, in, 4, out, &err), &err);
        size_t sizes[] = {1, COLUMNS, ROWS, ROWS * COLUMNS};
        for (int i = 0; i < 4; i++) {
            assert_memory_equal(out[i].data, first[i].data, sizes[i] * sizeof(float));
            kf_array_free(ctx, &out[i]);
        }
        kf_context_free(ctx);
    }
    for (int i = 0; i < 4; i++) kf_array_free(one, &first[i]);
    kf_context_free(one);
}

typedef struct worker {
    kf_context *ctx;
    int64_t n;
    bool bad;
} worker;

static void *work(void *arg) {
    worker *w = arg;
    float *x = malloc((size_t)w->n * sizeof *x);
    fill(x, (size_t)w->n, (unsigned)w->n);
    for (int i = 0; i < 20 && !w->bad; i++) {
        int64_t n = w->n + i % 3;
        if (n > w->n) n = w->n - 1;
        kf_array in = vector(x, &n), out = {0};
        kf_error err = {0};
        w->bad = kf_eval(w->ctx, "x * x + 1", 1, &in, 1, &out, &err) != KF_OK;
        for (int64_t j = 0; j < n && !w->bad; j++)
            w->bad = ((float *)out.data)[j] != x[j] * x[j] + 1;
        kf_array_free(w->ctx, &out);
    }
    free(x);
    return NULL;
}

static void one_context_for_many_threads(void **state) {
    worker workers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (worker){*state, 1000 + 40000 * (i / 2), false};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_false(workers[i].bad);
    }
}

static void a_forked_child_computes_too(void **state) {
    enum { N = 1 << 20 };
    static float x[N];
    int64_t n = N;
    kf_array in = vector(x, &n), out = {0};
    kf_error err = {0};
    expect_ok(kf_eval(*state, "x + 2", 1, &in, 1, &out, &err), &err); /* OpenMP has threads now */
    kf_array_free(*state, &out);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        bool ok = kf_eval(*state, "x + 2", 1, &in, 1, &out, &err) == KF_OK &&
                  ((float *)out.data)[N - 1] == 2;
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* ---------------------------------------------------------------- arrays */

static void pages_are_kept(void **state) {
    int64_t n = 4 << 20;
    kf_error err = {0};
    kf_array a, b;
    expect_ok(kf_array_create(*state, cpu, KF_F32, 1, &n, &a, &err), &err);
    void *first = a.data;
    assert_int_equal((uintptr_t)first % (2 << 20), 0);
    memset(first, 1, (size_t)n * 4);
    kf_array_free(*state, &a);
    expect_ok(kf_array_create(*state, cpu, KF_F32, 1, &n, &a, &err), &err);
    assert_ptr_equal(a.data, first);
    expect_ok(kf_array_create(*state, cpu, KF_F32, 1, &n, &b, &err), &err);
    assert_ptr_not_equal(b.data, first);
    expect_ok(kf_array_copy(*state, &a, &b, &err), &err);
    assert_memory_equal(a.data, b.data, (size_t)n * 4);
    kf_array_free(*state, &a);
    kf_array_free(*state, &b);
    kf_array_free(*state, &b);
    kf_array_free(*state, NULL);
    int64_t huge[] = {INT64_MAX, 2}, negative = -1;
    expect_error(kf_array_create(*state, cpu, KF_F32, 2, huge, &a, &err), KF_ERR_LIMIT, &err,
                 "64 bits");
    expect_error(kf_array_create(*state, cpu, KF_F32, 1, &negative, &a, &err), KF_ERR_SHAPE, &err,
                 "negative");
}

/* ---------------------------------------------------------------- other devices */

/* Results on a device against those on the CPU, to a few ulp of sums. */
static void compare_with_cpu(kf_context *ctx, kf_device device, const char *text, int n,
                             int n_results, int64_t rows, int64_t columns) {
    int64_t shape[] = {rows, columns};
    kf_array host[2] = {{0}}, there[2] = {{0}}, expected[4] = {{0}}, got[4] = {{0}}, back;
    kf_error err = {0};
    for (int i = 0; i < 2; i++) {
        expect_ok(kf_array_create(ctx, cpu, KF_F32, 2, shape, &host[i], &err), &err);
        fill(host[i].data, (size_t)(rows * columns), (unsigned)i + 20);
        expect_ok(kf_array_create(ctx, device, KF_F32, 2, shape, &there[i], &err), &err);
        expect_ok(kf_array_copy(ctx, &host[i], &there[i], &err), &err);
    }
    expect_ok(kf_eval(ctx, text, n, host, n_results, expected, &err), &err);
    kf_status status = kf_eval(ctx, text, n, there, n_results, got, &err);
    if (status != KF_OK) fail_msg("%s, %d x %d: %s", text, (int)rows, (int)columns, err.message);
    for (int i = 0; i < n_results; i++) {
        expect_ok(kf_array_create(ctx, cpu, KF_F32, got[i].ndim, got[i].shape, &back, &err), &err);
        expect_ok(kf_array_copy(ctx, &got[i], &back, &err), &err);
        size_t count = 1;
        for (int d = 0; d < back.ndim; d++) count *= (size_t)back.shape[d];
        for (size_t j = 0; j < count; j++) {
            float a = ((float *)expected[i].data)[j], b = ((float *)back.data)[j];
            if (fabsf(a - b) > 1e-5f * fabsf(a) + 1e-4f)
                fail_msg("%s, %d x %d, result %d [%zu]: %g, on the CPU %g", text, (int)rows,
                         (int)columns, i, j, (double)b, (double)a);
        }
        kf_array_free(ctx, &back);
        kf_array_free(ctx, &got[i]);
        kf_array_free(ctx, &expected[i]);
    }
    for (int i = 0; i < 2; i++) {
        kf_array_free(ctx, &host[i]);
        kf_array_free(ctx, &there[i]);
    }
}

static void compare_all(kf_context *ctx, kf_device device) {
    static const struct {
        const char *text;
        int n_inputs, n_results;
    } cases[] = {
        {"exp((x + y) * 2)", 2, 1},
        {"x + 1, x * y.T.T", 2, 2},
        {"sum(x, axis=1), max(x, axis=1)", 1, 2},
        {"sum(x, axis=0), min(x, axis=0)", 1, 2},
        {"sum(x * y), mean(x)", 2, 2},
        {"layer_norm(relu(x))", 1, 1},
        {"softmax(x)", 1, 1},
        {"x / (1 + sum(abs(x), axis=0)) + softmax(y)", 2, 1},
    };
    static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {64, 128}, {33, 1000}, {2, 5000}, {700, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            compare_with_cpu(ctx, device, cases[c].text, cases[c].n_inputs, cases[c].n_results,
                             sizes[s][0], sizes[s][1]);
}

static void emulated_cuda_agrees(void **state) {
    kf_device device = {KF_CUDA_EMULATED, 0};
    compare_all(*state, device);
    /* long enough for clusters of blocks */
    compare_with_cpu(*state, device, "layer_norm(relu(x)), softmax(x)", 1, 2, 2, 65536);
}

/* Every kernel for a GPU that needn't be there: NVRTC takes it. */
static void cuda_sources_compile(void **state) {
    static const int sms[] = {75, 80, 90, 120};
    static const char *const texts[] = {
        "exp((x + y) * 2)", "sum(x * y), sum(x, axis=0)", "layer_norm(relu(x)), x.T + 1",
        "dropout(x, 0.5, seed=3)", "softmax(x)",
    };
    float *x = NULL;
    tensor t;
    kf_array in[2];
    kf_error err = {0};
    kf_spec specs[2] = {{.dtype = KF_F32, .ndim = 2}, {.dtype = KF_F32, .ndim = 2}};
    in[0] = in[1] = *describe(&t, x, KF_F32, 2, (int64_t[]){1000, 1024}, NULL);
    in[0].device = in[1].device = (kf_device){KF_CUDA, 0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof sms / sizeof *sms; j++) {
            kf_function *function = NULL;
            kf_graph *graph = NULL;
            made m = {0};
            kf__target target = {KF__TARGET_CUDA, 0, sms[j], 100, 32 << 20};
            int n = i < 2 ? 2 : 1;
            expect_ok(kf_parse(*state, texts[i], NULL, &function, &err), &err);
            expect_ok(kf_graph_create(*state, function, n, specs, KF_FUSED, &graph, &err), &err);
            expect_ok(kf__compile_offline(*state, graph, KF_FUSION_ON, in[0].device, &target,
                                          &m.program, &err), &err);
            kf_status status = kf_plan_for(m.program, n, in, 0, NULL, &m.plan, &err);
            bool no_nvrtc = status == KF_ERR_COMPILER && strstr(err.message, "libnvrtc");
            if (status != KF_OK && !no_nvrtc)
                fail_msg("%s, sm_%d: %s", texts[i], sms[j], err.message);
            free_made(&m);
            kf_graph_free(graph);
            kf_function_free(function);
            if (!no_nvrtc) continue;
            print_message("%s\n", err.message);
            skip();
        }
}

static bool cuda_is_there(kf_context *ctx) {
    int64_t one = 1;
    kf_array a;
    kf_error err = {0};
    bool there = kf_array_create(ctx, (kf_device){KF_CUDA, 0}, KF_F32, 1, &one, &a, &err) == KF_OK;
    if (there)
        kf_array_free(ctx, &a);
    else
        print_message("%s\n", err.message);
    return there;
}

static void cuda_agrees(void **state) {
    if (!cuda_is_there(*state)) skip();
    compare_all(*state, (kf_device){KF_CUDA, 0});
    compare_with_cpu(*state, (kf_device){KF_CUDA, 0}, "layer_norm(relu(x)), sum(x, axis=0)", 1, 2,
                     70, 65536);
    compare_with_cpu(*state, (kf_device){KF_CUDA, 0}, "exp((x + y) * 2), sum(x * y)", 2, 2, 3000,
                     3000);
}

/* A run allocates, compiles and waits for nothing, so it can be captured and replayed. */
static void cuda_runs_are_captured(void **state) {
    kf_context *ctx = *state;
    if (!cuda_is_there(ctx)) skip();
    kf_device device = {KF_CUDA, 0};
    int64_t shape[] = {100, 200};
    kf_array host, in, out;
    made m = {0};
    kf_error err = {0};
    expect_ok(kf_array_create(ctx, cpu, KF_F32, 2, shape, &host, &err), &err);
    expect_ok(kf_array_create(ctx, device, KF_F32, 2, shape, &in, &err), &err);
    expect_ok(kf_array_create(ctx, device, KF_F32, 2, shape, &out, &err), &err);
    fill(host.data, 20000, 30);
    expect_ok(kf_array_copy(ctx, &host, &in, &err), &err);
    expect_ok(make_program(ctx, "x / (1 + sum(abs(x), axis=0))", 1, &in, device, &m, &err), &err);
    expect_ok(kf_plan_for(m.program, 1, &in, 0, NULL, &m.plan, &err), &err);
    int64_t size = (int64_t)kf_plan_workspace_size(m.plan) + 1;
    kf_array workspace;
    expect_ok(kf_array_create(ctx, device, KF_U8, 1, &size, &workspace, &err), &err);

    const kf__cuda *cuda = kf__cuda_get(&err);
    expect_ok(kf__cuda_enter(0, &err), &err);
    kf__cu_stream stream;
    kf__cu_graph graph;
    kf__cu_graph_exec exec;
    assert_int_equal(cuda->stream_create(&stream, KF__CU_STREAM_NON_BLOCKING), 0);
    assert_int_equal(cuda->capture_begin(stream, KF__CU_CAPTURE_GLOBAL), 0);
    expect_ok(kf_run(m.plan, (const void *[]){in.data}, (void *[]){out.data}, NULL, workspace.data,
                     stream, &err), &err);
    assert_int_equal(cuda->capture_end(stream, &graph), 0);
    assert_int_equal(cuda->graph_instantiate(&exec, graph, 0), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(cuda->graph_launch(exec, stream), 0);
    expect_ok(kf_synchronize(ctx, device, stream, &err), &err);
    cuda->graph_exec_destroy(exec);
    cuda->graph_destroy(graph);
    cuda->stream_destroy(stream);
    kf__cuda_leave(0);

    expect_ok(kf_array_copy(ctx, &out, &host, &err), &err);
    kf_array once = {0}, first;
    expect_ok(kf_eval(ctx, "x / (1 + sum(abs(x), axis=0))", 1, &in, 1, &once, &err), &err);
    expect_ok(kf_array_create(ctx, cpu, KF_F32, 2, shape, &first, &err), &err);
    expect_ok(kf_array_copy(ctx, &once, &first, &err), &err);
    assert_memory_equal(host.data, first.data, 20000 * sizeof(float));
    kf_array *all[] = {&host, &in, &out, &workspace, &once, &first};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) kf_array_free(ctx, all[i]);
    free_made(&m);
}

/* ---------------------------------------------------------------- memory that runs out */

typedef struct failing {
    int64_t calls, fail_at, live;
} failing;

static void *failing_allocate(void *user, size_t size) {
    failing *f = user;
    if (++f->calls == f->fail_at) return NULL;
    f->live++;
    return malloc(size ? size : 1);
}

static void failing_release(void *user, void *memory) {
    failing *f = user;
    f->live--;
    free(memory);
}

static kf_status all_of_it(failing *f, kf_error *err) {
    float x[15];
    fill(x, 15, 10);
    kf_context_options options = {.struct_size = sizeof options, .threads = 1, .log = quiet,
                                  .allocator = {failing_allocate, failing_release, f}};
    kf_context *ctx = kf_context_create(&options, err);
    if (!ctx) return err->status;
    tensor t;
    kf_array *in = describe(&t, x, KF_F32, 2, (int64_t[]){3, 5}, NULL), out[2] = {{0}};
    kf_status status =
        kf_eval(ctx, "x / sum(x, axis=0), softmax(relu(x) + 1)", 1, in, 2, out, err);
    kf_array_free(ctx, &out[0]);
    kf_array_free(ctx, &out[1]);
    made m = {0};
    char *text = NULL;
    if (status == KF_OK)
        status = make_program(ctx, "max(x) * 2", 1, in, (kf_device){KF_CPU, 0}, &m, err);
    if (status == KF_OK) status = kf_plan_for(m.program, 1, in, 0, NULL, &m.plan, err);
    if (status == KF_OK) status = kf_plan_text(m.plan, KF_TEXT_EXPLAIN_JSON, &text, err);
    if (status == KF_OK) kf_text_free(ctx, text);
    if (status == KF_OK) status = kf_plan_text(m.plan, KF_TEXT_STEPS, &text, err);
    if (status == KF_OK) kf_text_free(ctx, text);
    free_made(&m);
    kf_context_free(ctx);
    return status;
}

static void out_of_memory_at_any_call(void **state) {
    (void)state;
    failing f = {0};
    kf_error err = {0};
    expect_ok(all_of_it(&f, &err), &err);
    assert_int_equal(f.live, 0);
    int64_t calls = f.calls;
    for (int64_t n = 1; n <= calls; n++) {
        f = (failing){.fail_at = n};
        err = (kf_error){0};
        kf_status status = all_of_it(&f, &err);
        if (status != KF_OK && status != KF_ERR_MEMORY)
            fail_msg("call %lld of %lld: %s", (long long)n, (long long)calls, err.message);
        if (f.live) fail_msg("call %lld leaks %lld", (long long)n, (long long)f.live);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(eval_gives_values, setup, teardown),
        cmocka_unit_test_setup_teardown(eval_of_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(eval_reductions, setup, teardown),
        cmocka_unit_test_setup_teardown(eval_into_given_results, setup, teardown),
        cmocka_unit_test_setup_teardown(eval_reports_mistakes, setup, teardown),
        cmocka_unit_test_setup_teardown(eval_keeps_programs_and_plans, setup, teardown),
        cmocka_unit_test_setup_teardown(strides_of_any_kind, setup, teardown),
        cmocka_unit_test_setup_teardown(byte_offsets, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(plan_checks_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_are_passed_by_value, setup, teardown),
        cmocka_unit_test_setup_teardown(aliases, setup, teardown),
        cmocka_unit_test_setup_teardown(workspace_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(texts, setup, teardown),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test_setup_teardown(one_context_for_many_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(a_forked_child_computes_too, setup, teardown),
        cmocka_unit_test_setup_teardown(pages_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(emulated_cuda_agrees, setup, teardown),
        cmocka_unit_test_setup_teardown(cuda_sources_compile, setup, teardown),
        cmocka_unit_test_setup_teardown(cuda_agrees, setup, teardown),
        cmocka_unit_test_setup_teardown(cuda_runs_are_captured, setup, teardown),
        cmocka_unit_test(out_of_memory_at_any_call),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
