/* run: kf_eval, layouts, arrays, memory that runs out, through the real pipeline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/run.h"

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
    expect_error(kf_eval(*state, "x + 1", 1, xs, 2, out, &err), KF_ERR_ARGUMENT, &err,
                 "has 1 result, but 2");
    kf_array other[] = {xs[0], xs[0]};
    other[1].device = (kf_device){KF_CUDA_EMULATED, 0};
    expect_error(kf_eval(*state, "x + y", 2, other, 1, out, &err), KF_ERR_DEVICE, &err,
                 "one device");
    assert_null(out[0].data);
}

/* NULL where something is needed, and arrays without a shape or with an offset that is none. */
static void eval_without_arguments(void **state) {
    kf_context *ctx = *state;
    float x[4] = {0};
    int64_t four = 4;
    kf_array in = vector(x, &four), out = {0}, bare = vector(x, NULL), far = in;
    far.byte_offset = UINT64_MAX;
    kf_error err = {0};
    expect_error(kf_eval(NULL, "x", 1, &in, 1, &out, &err), KF_ERR_ARGUMENT, &err, "context");
    expect_error(kf_eval(ctx, NULL, 1, &in, 1, &out, &err), KF_ERR_ARGUMENT, &err, "text");
    expect_error(kf_eval(ctx, "x", 1, NULL, 1, &out, &err), KF_ERR_ARGUMENT, &err, "inputs");
    expect_error(kf_eval(ctx, "x", 1, &in, 1, NULL, &err), KF_ERR_ARGUMENT, &err, "results");
    expect_error(kf_eval(ctx, "x", 1, &bare, 1, &out, &err), KF_ERR_ARGUMENT, &err, "no shape");
    expect_error(kf_eval(ctx, "x", 1, &in, 1, &bare, &err), KF_ERR_ARGUMENT, &err, "no shape");
    expect_error(kf_eval(ctx, "x", 1, &far, 1, &out, &err), KF_ERR_ARGUMENT, &err, "byte_offset");
    expect_error(kf_array_create(ctx, cpu, KF_F32, 1, NULL, &out, &err), KF_ERR_ARGUMENT, &err,
                 "shape");
    expect_error(kf_array_copy(ctx, &in, NULL, &err), KF_ERR_ARGUMENT, &err, "two arrays");
    expect_error(kf_array_copy(ctx, &in, &bare, &err), KF_ERR_ARGUMENT, &err, "shapes");
    expect_error(kf_array_copy(ctx, &bare, &in, &err), KF_ERR_ARGUMENT, &err, "shapes");
    expect_error(kf_synchronize(NULL, cpu, NULL, &err), KF_ERR_ARGUMENT, &err, "context");
    bare = vector(NULL, &four);
    expect_error(kf_array_copy(ctx, &in, &bare, &err), KF_ERR_ARGUMENT, &err, "address");
}

/* Sizes are named after their inputs, whole. */
static void names_that_begin_alike(void **state) {
    char text[200], name[72];
    float x[3] = {1, 2, 3}, y[2] = {1, 10};
    int64_t three = 3, two = 2;
    kf_array in[] = {vector(x, &three), vector(y, &two)}, out = {0};
    kf_error err = {0};
    memset(name, 'a', 70);
    name[70] = 0;
    snprintf(text, sizeof text, "sum(%s1) + sum(%s2)", name, name);
    expect_ok(kf_eval(*state, text, 2, in, 1, &out, &err), &err);
    assert_true(*(float *)out.data == 17);
    kf_array_free(*state, &out);
}

/* Memory of a device that there isn't isn't the host's. */
static void devices_that_there_are_not(void **state) {
    float x[4] = {1, 2, 3, 4}, y[4] = {0};
    int64_t four = 4;
    kf_array a = vector(x, &four), b = vector(y, &four), out = {0};
    kf_device none = {5, 0}, negative = {KF_CUDA, -1};
    kf_error err = {0};
    b.device = none;
    expect_error(kf_array_copy(*state, &a, &b, &err), KF_ERR_ARGUMENT, &err, "type 5");
    expect_error(kf_array_copy(*state, &b, &a, &err), KF_ERR_ARGUMENT, &err, "type 5");
    b.device = negative;
    expect_error(kf_array_copy(*state, &a, &b, &err), KF_ERR_DEVICE, &err, "cuda:-1");
    expect_error(kf_array_create(*state, none, KF_F32, 1, &four, &out, &err), KF_ERR_ARGUMENT,
                 &err, "type 5");
    expect_error(kf_array_create(*state, negative, KF_F32, 1, &four, &out, &err), KF_ERR_DEVICE,
                 &err, "cuda:-1");
    expect_error(kf_synchronize(*state, none, NULL, &err), KF_ERR_ARGUMENT, &err, "type 5");
    for (int i = 0; i < 4; i++) assert_true(y[i] == 0);
}

static void questions_about_nothing(void **state) {
    (void)state;
    kf_array array = {.ndim = 3};
    kf_statistics statistics = {.compiled = 7};
    assert_int_equal(kf_function_input_count(NULL), 0);
    assert_null(kf_function_input_name(NULL, 0));
    assert_int_equal(kf_function_input_optional(NULL, 0), 0);
    assert_int_equal(kf_graph_result_count(NULL), 0);
    assert_null(kf_graph_result_name(NULL, 0));
    assert_int_equal(kf_plan_workspace_size(NULL), 0);
    assert_int_equal(kf_plan_result_count(NULL), 0);
    kf_plan_result(NULL, 0, &array);
    assert_int_equal(array.ndim, 0);
    kf_context_statistics(NULL, &statistics);
    assert_int_equal(statistics.compiled, 0);
    kf_context_statistics(NULL, NULL);
}

static void steps_without_arguments(void **state) {
    kf_context *ctx = *state;
    kf_function *function = NULL;
    kf_graph *graph = NULL;
    kf_program *program = NULL;
    kf_plan *plan = NULL;
    kf_error err = {0};
    kf_spec spec = {.dtype = KF_F32, .ndim = 1};
    float x[4] = {0};
    int64_t four = 4;
    kf_array in = vector(x, &four), described;
    expect_ok(kf_parse(ctx, "x + 1", NULL, &function, &err), &err);
    expect_error(kf_graph_create(ctx, function, 1, NULL, KF_FUSED, &graph, &err), KF_ERR_ARGUMENT,
                 &err, "specs");
    expect_error(kf_graph_create(ctx, function, 1, &spec, (kf_numerics)7, &graph, &err),
                 KF_ERR_ARGUMENT, &err, "numerics 7");
    expect_ok(kf_graph_create(ctx, function, 1, &spec, KF_FUSED, &graph, &err), &err);
    kf_compile_options options = {.struct_size = sizeof options, .fusion = (kf_fusion)9};
    expect_error(kf_compile(ctx, graph, &options, &program, &err), KF_ERR_ARGUMENT, &err,
                 "fusion 9");
    expect_error(kf_compile(ctx, NULL, NULL, &program, &err), KF_ERR_ARGUMENT, &err, "graph");
    expect_ok(kf_compile(ctx, graph, NULL, &program, &err), &err);
    expect_error(kf_plan_for(program, 1, NULL, 0, NULL, &plan, &err), KF_ERR_ARGUMENT, &err,
                 "inputs");
    expect_error(kf_plan_for(NULL, 1, &in, 0, NULL, &plan, &err), KF_ERR_ARGUMENT, &err,
                 "program");
    expect_ok(kf_plan_for(program, 1, &in, 0, NULL, &plan, &err), &err);
    kf_plan_result(plan, 1, &described);
    assert_null(described.shape);
    void *out[] = {x};
    expect_error(kf_run(plan, NULL, out, NULL, NULL, NULL, &err), KF_ERR_ARGUMENT, &err, "inputs");
    expect_error(kf_run(NULL, NULL, out, NULL, NULL, NULL, &err), KF_ERR_ARGUMENT, &err, "plan");
    expect_error(kf_plan_text(plan, KF_TEXT_STEPS, NULL, &err), KF_ERR_ARGUMENT, &err, "result");
    kf_plan_free(plan);
    kf_program_free(program);
    kf_graph_free(graph);
    kf_function_free(function);
}

static void eval_keeps_programs_and_plans(void **state) {
    static float x[5000];
    kf_statistics before = {0}, after;
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

/* Sizes that become numbers in programs of their own (src/sized.c), more than are kept. */
static void reshapes_of_many_sizes(void **state) {
    static float x[12 * 70];
    kf_error err = {0};
    fill(x, 12 * 70, 5);
    for (int64_t n = 1; n <= 70; n += n < 8 ? 1 : 3) {
        tensor in;
        kf_array out = {0};
        describe(&in, x, KF_F32, 3, (int64_t[]){n, 6, 2}, NULL);
        for (int64_t more = 0; more < 3 && n + more <= 70; more++) {
            in.array.shape[0] = n + more;
            expect_ok(kf_eval(*state, "x.permute(1, 0, 2).reshape(-1, 4) + 1", 1, &in.array, 1,
                              &out, &err), &err);
            int64_t wide = (n + more) * 2;
            for (int64_t i = 0; i < 6 * wide; i++) {
                float want = x[i % wide / 2 * 12 + i / wide * 2 + i % 2] + 1;
                assert_true(((float *)out.data)[i] == want);
            }
            kf_array_free(*state, &out);
            out = (kf_array){0};
        }
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
        cmocka_unit_test_setup_teardown(eval_gives_values, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(eval_of_rows, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(eval_reductions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(eval_into_given_results, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(eval_reports_mistakes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(eval_without_arguments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(names_that_begin_alike, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(devices_that_there_are_not, context_setup,
                                        context_teardown),
        cmocka_unit_test(questions_about_nothing),
        cmocka_unit_test_setup_teardown(steps_without_arguments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(eval_keeps_programs_and_plans, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(reshapes_of_many_sizes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(strides_of_any_kind, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(byte_offsets, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(empty_arrays, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(pages_are_kept, context_setup, context_teardown),
        cmocka_unit_test(out_of_memory_at_any_call),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
