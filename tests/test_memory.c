/* The allocator that fails at the n-th call, for every n, over all of the way: context, parse,
 * graph, compile, plan, run, eval, texts about plans. Each failure is KF_ERR_MEMORY with a sentence
 * (or is survived, where what failed was only a cache), nothing crashes, and nothing stays
 * allocated. What the compiler itself does is tests/test_compile.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kfuse/kfuse.h>

#include "run/context.h"

typedef struct failing { /* kernels are compiled by several threads */
    _Atomic int64_t left, live, calls; /* left: calls that still succeed */
} failing;

static void *failing_allocate(void *user, size_t size) {
    failing *f = user;
    f->calls++;
    if (f->left-- <= 0) return NULL;
    void *memory = malloc(size);
    if (memory) f->live++;
    return memory;
}

static void failing_release(void *user, void *memory) {
    failing *f = user;
    if (memory) f->live--;
    free(memory);
}

static void quiet(void *user, const char *line) { (void)user, (void)line; }

enum { ROWS = 5, COLUMNS = 40, INPUTS = 3, MOST_RESULTS = 4 };
static float x[ROWS * COLUMNS], y[ROWS * COLUMNS], b[COLUMNS];
static int64_t matrix[] = {ROWS, COLUMNS}, vector[] = {COLUMNS};
static const kf_device cpu = {KF_CPU, 0}; /* what is emulated reads its memory, too */

static const kf_array inputs[INPUTS] = {
    {x, {KF_CPU, 0}, 2, {2, 32, 1}, matrix, NULL, 0},
    {y, {KF_CPU, 0}, 2, {2, 32, 1}, matrix, NULL, 0},
    {b, {KF_CPU, 0}, 1, {2, 32, 1}, vector, NULL, 0},
};

/* All nodes, nests and stages; x, y and b are taken in this order. */
static const struct {
    const char *text;
    int inputs, results;
} rows[] = {
    {"exp((x + y) * 2) + b", 3, 1},
    {"softmax(x, axis=-1) * layer_norm(y, b)", 3, 1},
    {"def f(x, y, b=None): return sum(x, axis=0), max(y), x.T[::-1, 1:]", 2, 3},
    {"reshape(x, (-1, 2))[None, :, ::-1], broadcast_to(x[:, 0:1], x.shape) + y", 2, 2},
    {"dropout(relu(x), 0.3, seed=7) + rand((len(x), 1), seed=1)", 1, 1},
    {"argmax(x, axis=-1), arange(x.shape[0])[:, None] + cast(x > 0, i64)", 1, 2},
    {"var(x, axis=(0, 1)), x.astype(f16).sum(1), where(x < y, cast(x, i8), 3)", 2, 3},
    {"pad(x, ((1, 1), (0, 2))), concatenate((x, y), axis=0), take(x, cast(b, i64), axis=0)", 3, 3},
    {"concatenate((softmax(x), y, relu(x)), axis=1), pad(x.T, 1) + pad(y.T, 1)", 2, 2},
    {"x / sum(x, axis=0, keepdims=True) + transpose(y).T, mean((x - y) ** 2)", 2, 2},
    {"reshape(permute_dims(reshape(x, (x.shape[0], -1, 2)), (1, 0, 2)), (-1, 10)), sum(x, 1)[1:], "
     "softmax(y) * softmax(x), log1p(exp(sin(y))) + exp(sin(y))", 2, 4},
};

/* kf_parse to kf_run, one after another; the first failure's status. */
static kf_status way_on(kf_context *ctx, kf_device device, int row, kf_error *err) {
    int n = rows[row].inputs, results = rows[row].results;
    kf_function *f = NULL;
    kf_graph *g = NULL;
    kf_program *program = NULL;
    kf_plan *plan = NULL;
    char *text = NULL;
    kf_spec specs[INPUTS] = {{0}};
    for (int i = 0; i < n; i++)
        specs[i] = (kf_spec){.dtype = inputs[i].dtype, .ndim = inputs[i].ndim,
                             .shape = inputs[i].shape};
    specs[n < INPUTS ? n : 0].kind = n < INPUTS ? KF_SPEC_DEFAULT : KF_SPEC_ARRAY;
    kf_compile_options options = {sizeof options, device, row % 2 ? KF_FUSION_OFF : KF_FUSION_ON};
    kf_status status = kf_parse(ctx, rows[row].text, NULL, &f, err);
    if (status == KF_OK)
        status = kf_graph_create(ctx, f, kf_function_input_count(f), specs,
                                 row % 3 ? KF_FUSED : KF_EAGER, &g, err);
    if (status == KF_OK) status = kf_compile(ctx, g, &options, &program, err);
    kf_array all[INPUTS];
    memcpy(all, inputs, sizeof all);
    for (int i = 0; i < INPUTS; i++) all[i].device = device;
    if (status == KF_OK)
        status = kf_plan_for(program, kf_function_input_count(f), all, results, NULL, &plan, err);
    for (int kind = KF_TEXT_EXPLAIN; kind <= KF_TEXT_STEPS && status == KF_OK; kind++) {
        status = kf_plan_text(plan, (kf_text_kind)kind, &text, err);
        kf_text_free(ctx, text);
        text = NULL;
    }
    kf_plan_free(plan);
    kf_program_free(program);
    kf_graph_free(g);
    kf_function_free(f);
    return status;
}

static kf_status whole_way(kf_context *ctx, int row, kf_error *err) {
    return way_on(ctx, cpu, row, err);
}
static kf_status emulated(kf_context *ctx, int row, kf_error *err) {
    return way_on(ctx, (kf_device){KF_CUDA_EMULATED, 0}, row, err);
}

static kf_status evaluate(kf_context *ctx, int row, kf_error *err) {
    kf_array results[MOST_RESULTS];
    memset(results, 0, sizeof results);
    kf_status status = KF_OK;
    for (int again = 0; again < 2 && status == KF_OK; again++) { /* and from the context's caches */
        status = kf_eval(ctx, rows[row].text, rows[row].inputs, inputs, rows[row].results, results,
                         err);
        for (int i = 0; i < rows[row].results; i++) kf_array_free(ctx, &results[i]);
        memset(results, 0, sizeof results);
    }
    return status;
}

typedef kf_status (*way)(kf_context *ctx, int row, kf_error *err);

/* rows that have threads, and measure the machine for `explain`: that is slow */
enum { PLAIN = 2 };

/* With n calls that succeed. True: it went through. */
static bool attempt(way go, int row, int64_t n, failing *f) {
    f->left = n;
    f->live = 0;
    f->calls = 0;
    kf_error err = {0};
    kf_context_options options = {.struct_size = sizeof options, .log = quiet,
                                  .allocator = {failing_allocate, failing_release, f}};
    if (row >= PLAIN) options.threads = 1;
    kf_context *ctx = kf_context_create(&options, &err);
    if (ctx && row >= PLAIN) ctx->copy_speed = 10000;
    kf_status status = ctx ? go(ctx, row, &err) : err.status;
    bool out = !ctx || status != KF_OK;
    if (out && (status != KF_ERR_MEMORY || err.status != status || !err.message[0]))
        fail_msg("%s, call %lld: status %d: %s", rows[row].text, (long long)n, status,
                 err.message);
    kf_context_free(ctx);
    if (f->live)
        fail_msg("%s, call %lld: %lld blocks are still allocated", rows[row].text, (long long)n,
                 (long long)f->live);
    return !out;
}

/* Each of the first calls, then every k-th, until nothing fails any more: what a test can afford.
 * KFUSE_EVERY_CALL=1: every single one. KFUSE_EVERY_CALL=I/N: every one of the I-th of N parts. */
static void every_call(way go) {
    const char *every = getenv("KFUSE_EVERY_CALL");
    int part = 1, parts = 1;
    if (every && sscanf(every, "%d/%d", &part, &parts) < 2) part = parts = 1;
    for (int row = 0; row < (int)(sizeof rows / sizeof *rows); row++) {
        failing f;
        if (!attempt(go, row, INT64_MAX, &f)) fail_msg("%s doesn't work at all", rows[row].text);
        int64_t calls = f.calls, step = every ? parts : 1 + calls / 40, n = every ? part - 1 : 0;
        for (; n <= calls; n += !every && n < 20 && row == 0 ? 1 : step) attempt(go, row, n, &f);
    }
}

static void parse_compile_plan(void **state) {
    (void)state;
    every_call(whole_way);
}

static void compile_plan_emulated(void **state) {
    (void)state;
    every_call(emulated);
}

static void eval(void **state) {
    (void)state;
    every_call(evaluate);
}

int main(void) {
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(i % 7) - 3, y[i] = (float)(i % 5) + 1;
    for (int i = 0; i < COLUMNS; i++) b[i] = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_compile_plan),
        cmocka_unit_test(compile_plan_emulated),
        cmocka_unit_test(eval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
