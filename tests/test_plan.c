/* run: plans, and threads that make and run them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline.h"
#include "support/run.h"

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

/* Kernels that are alike but for names are compiled once. */
static void names_compile_nothing(void **state) {
    enum { PARTS = 80 };
    float x[PARTS], out[PARTS];
    int64_t n = PARTS;
    kf_array in[1] = {vector(x, &n)};
    const void *addresses[] = {x};
    void *results[PARTS];
    made m;
    kf_error err = {0};
    kf_statistics before, after;
    fill(x, PARTS, 3);
    for (int i = 0; i < PARTS; i++) results[i] = &out[i];
    kf_context_statistics(*state, &before);
    make(*state, "out_in_x = split(x, 80); out_in_x", 1, in, NULL, &m);
    kf_context_statistics(*state, &after);
    int64_t objects = after.compiled - before.compiled + after.cache_hits - before.cache_hits;
    assert_in_range(objects, 1, 2); /* the last one has fewer parts */
    assert_true(m.program->partition->n_kernels > 3);
    expect_ok(kf_run(m.plan, addresses, results, NULL, NULL, NULL, &err), &err);
    for (int i = 0; i < PARTS; i++) assert_true(out[i] == x[i]);
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

/* An interval that ends beyond the address space overlaps what is at its beginning all the same. */
static void a_span_of_nearly_all_memory_overlaps(void **state) {
    char bytes[4] = {0};
    tensor x, r;
    made m;
    kf_error err = {0};
    kf_array in = *describe(&x, bytes, KF_I8, 1, (int64_t[]){2}, (int64_t[]){INT64_MAX - 1});
    describe(&r, bytes, KF_I8, 1, (int64_t[]){2}, NULL);
    make(*state, "x", 1, &in, &r.array, &m);
    expect_error(kf_run(m.plan, (const void *[]){bytes + 1}, (void *[]){bytes}, NULL, NULL, NULL,
                        &err), KF_ERR_ALIAS, &err, "overlaps input x");
    expect_error(kf_run(m.plan, (const void *[]){bytes}, (void *[]){bytes + 1}, NULL, NULL, NULL,
                        &err), KF_ERR_ALIAS, &err, "overlaps input x");
    free_made(&m);
}

/* A plan may be larger than memory, and its texts asked for. Fused it moves nearly 6 * 2^60 bytes,
 * unfused 10 * 2^60. */
static void explaining_more_bytes_than_fit(void **state) {
    tensor x;
    made m;
    kf_error err = {0};
    char *text = NULL;
    kf_array in = *describe(&x, NULL, KF_F64, 1, (int64_t[]){((int64_t)1 << 57) - 1}, NULL);
    make(*state, "x + 1, x + 2, x + 3, x + 4, x + 5", 1, &in, NULL, &m);
    expect_error(kf_plan_text(m.plan, KF_TEXT_EXPLAIN, &text, &err), KF_ERR_LIMIT, &err,
                 "64 bits");
    assert_null(text);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plan_checks_inputs, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(numbers_are_passed_by_value, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(names_compile_nothing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(aliases, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_span_of_nearly_all_memory_overlaps, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(explaining_more_bytes_than_fit, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(workspace_is_used, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(texts, context_setup, context_teardown),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test_setup_teardown(one_context_for_many_threads, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(a_forked_child_computes_too, context_setup,
                                        context_teardown),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
