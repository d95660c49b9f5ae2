/* Ranks 0 to 8, sizes 0 and 1, any strides, for every kind of kernel, on the CPU and the emulated
 * GPU, against the oracle; and sizes whose products don't fit 63 bits, which must end in a
 * sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "element.h"
#include "support/check.h"

static const kf_device cpu = {KF_CPU, 0};

/* ---------------------------------------------------------------- arrays */

typedef enum { PLAIN, REVERSED, BACKWARDS, SPARSE, LAYOUTS } layout_t;

/* Strides by the layout: row-major, column-major, negative ones, every third element. */
static void lay_out(trial_t *t, int i, layout_t layout) {
    int rank = t->inputs[i].ndim;
    int64_t step = layout == SPARSE ? 3 : 1;
    for (int k = 0; k < rank; k++) {
        int d = layout == REVERSED ? k : rank - 1 - k;
        t->strides[i][d] = layout == BACKWARDS && d % 2 == 0 ? -step : step;
        step *= kf__max(1, t->shapes[i][d]);
    }
}

static char *make_input(trial_t *t, int i, kf__dtype dtype, int rank, const int64_t *shape,
                        layout_t layout) {
    int64_t low = 0, high = 0, size = kf__types[dtype].size;
    memcpy(t->shapes[i], shape, (size_t)rank * sizeof *shape);
    t->inputs[i] = (kf_array){NULL, cpu, rank, kf__types[dtype].dlpack, t->shapes[i],
                              t->strides[i], 0};
    lay_out(t, i, layout);
    for (int d = 0; d < rank; d++) {
        int64_t reach = (kf__max(1, shape[d]) - 1) * t->strides[i][d];
        *(reach < 0 ? &low : &high) += reach;
    }
    char *memory = malloc((size_t)((high - low + 1) * size));
    for (int64_t k = 0; k <= high - low; k++)
        element_store(dtype, memory + k * size, (double)((k * 37 + i * 11) % 23) * 0.25 - 2);
    t->inputs[i].data = memory - low * size;
    return memory;
}

/* ---------------------------------------------------------------- every kind at every rank */

static const struct {
    int rank;
    int64_t shape[KF__MAX_ARRAY_RANK];
} shapes[] = {
    {0, {0}},
    {1, {0}},
    {1, {1}},
    {2, {1, 1}},
    {2, {0, 3}},
    {2, {3, 0}},
    {3, {1, 7, 1}},
    {8, {2, 3, 2, 1, 2, 3, 2, 5}},
    {8, {1, 1, 1, 1, 1, 1, 1, 1}},
    {8, {2, 3, 0, 1, 2, 3, 2, 5}},
    {8, {1, 2, 1, 2, 1, 33, 1, 1}},
    {8, {1, 1, 1, 1, 1, 1, 1, 130}},
    {7, {65, 1, 1, 2, 1, 1, 3}},
};

/* least: the rank from which on the text means something. One text has several kinds, so that
 * compiling takes less long. */
static const struct {
    int least;
    const char *text;
} texts[] = {
    {0, "exp(x) * y, x.T, sum(x), mean(y), (x[..., None] * 2)[..., 0], any(x > 0), var(x)"},
    {1, "softmax(x, -1), sum(x, 0), sum(y, -1), x[..., ::-1] + y, x[1:], y - mean(y, 0, "
        "keepdims=True)"},
    {2, "x.T + y.T[::-1], sum(x, (0, -1)), x - mean(x, (-2, -1), keepdims=True), var(y, (0, 1)), "
        "layer_norm(x)"},
    {7, "sum(x, (0, 2, 4, 6)), mean(x, (1, 3, 5), keepdims=True) * y, softmax(y, 3), "
        "reshape(x, (-1,)), swapaxes(swapaxes(x, 0, 3), 1, 6)"},
};

static void run_shapes(kf_context *ctx, bool both, layout_t layout) {
    for (size_t s = 0; s < KF__COUNT(shapes); s++)
        for (size_t k = 0; k < KF__COUNT(texts); k++) {
            trial_t trial = {.ctx = ctx, .text = texts[k].text, .n = 2};
            bool empty = false;
            if (shapes[s].rank < texts[k].least) continue;
            for (int d = 0; d < shapes[s].rank; d++) empty |= shapes[s].shape[d] == 0;
            bool of_nothing = strstr(trial.text, "reshape") || strstr(trial.text, "softmax");
            if (empty && of_nothing) continue; /* -1 of nothing, the largest of nothing */
            char *memory[2];
            for (int i = 0; i < 2; i++)
                memory[i] = make_input(&trial, i, i ? KF__F16 : KF__F32, shapes[s].rank,
                                       shapes[s].shape, i ? PLAIN : layout);
            check_on(&trial, both);
            for (int i = 0; i < 2; i++) free(memory[i]);
        }
}

static void test_plain(void **state) { run_shapes(*state, true, PLAIN); }
static void test_reversed(void **state) { run_shapes(*state, true, REVERSED); }
static void test_backwards(void **state) { run_shapes(*state, false, BACKWARDS); }
static void test_sparse(void **state) { run_shapes(*state, false, SPARSE); }

/* ---------------------------------------------------------------- too large */

#define HUGE ((int64_t)1 << 62)
#define LARGE ((int64_t)1 << 40)

static const struct {
    const char *text;
    int rank[2];
    int64_t shape[2][3], strides[2][3]; /* of x, y */
    bool fine;                          /* it is planned */
} sizes[] = {
    {"x + 1", {2}, {{LARGE, LARGE}}, {{LARGE, 1}}, false},
    {"x + 1", {1}, {{HUGE}}, {{1}}, false},                      /* its bytes */
    {"x + 1", {1}, {{HUGE}}, {{0}}, false},
    {"sum(x)", {1}, {{LARGE}}, {{0}}, true},
    {"sum(x)", {2}, {{LARGE, LARGE}}, {{0, 0}}, false},
    {"sum(x, 0)", {2}, {{HUGE, 8}}, {{0, 1}}, false},
    {"x + y", {1, 2}, {{LARGE}, {LARGE, 1}}, {{1}, {1, 1}}, false}, /* an outer product */
    {"sum(x + y)", {1, 2}, {{LARGE}, {LARGE, 1}}, {{1}, {1, 1}}, false},
    {"x + 1", {2}, {{5, 4}}, {{HUGE, 1}}, false},                /* where the last element is */
    {"x + 1", {2}, {{5, 4}}, {{-HUGE, 1}}, false},
    {"x[::-1] + 1", {2}, {{3, 4}}, {{HUGE, 1}}, false},
    {"x + 1", {3}, {{LARGE, 0, LARGE}}, {{LARGE, 1, 1}}, true},  /* nothing */
    {"sum(x, 1)", {3}, {{LARGE, 0, LARGE}}, {{LARGE, 1, 1}}, false},
    {"concat((x, x))", {1}, {{HUGE}}, {{0}}, false},
    {"sum(concat((x, x)))", {1}, {{HUGE}}, {{0}}, false},
    {"concat((x, x, x))", {1}, {{LARGE}}, {{0}}, true},
    {"x[:, None] * x", {1}, {{LARGE}}, {{0}}, false},
    {"reshape(x, (-1,))", {2}, {{LARGE, LARGE}}, {{0, 0}}, false},
    {"x", {1}, {{-1}}, {{1}}, false},
    {"sum(x)", {1}, {{INT64_MIN}}, {{1}}, false},
    {"pad(x, 1)", {1}, {{INT64_MAX}}, {{0}}, false},
    {"mean(x, 0)", {2}, {{INT64_MAX, INT64_MAX}}, {{0, 0}}, false},
    {"tile(x, (4,))", {1}, {{HUGE}}, {{0}}, false},
    {"softmax(x)", {2}, {{LARGE, LARGE}}, {{0, 0}}, false},
    {"x.T + 1", {2}, {{LARGE, LARGE}}, {{0, 0}}, false},
    {"dropout(x)", {1}, {{HUGE}}, {{0}}, false},
    {"arange(len(x) * 4)", {1}, {{HUGE}}, {{0}}, false},
};

static void plan(kf_context *ctx, size_t c, kf_device device) {
    trial_t trial = {.ctx = ctx, .text = sizes[c].text, .n = sizes[c].rank[1] ? 2 : 1};
    kf_graph *g = NULL;
    kf_program *program = NULL;
    kf_plan *made = NULL;
    kf_error err = {0};
    for (int i = 0; i < trial.n; i++) {
        memcpy(trial.shapes[i], sizes[c].shape[i], sizeof sizes[c].shape[i]);
        memcpy(trial.strides[i], sizes[c].strides[i], sizeof sizes[c].strides[i]);
        trial.inputs[i] = (kf_array){NULL, device, sizes[c].rank[i], KF_I8, trial.shapes[i],
                                     trial.strides[i], 0};
    }
    kf_compile_options options = {sizeof options, device, KF_FUSION_ON};
    kf_status status = check_graph(&trial, &g, &err);
    if (status == KF_OK) status = kf_compile(ctx, g, &options, &program, &err);
    if (status == KF_OK)
        status = kf_plan_for(program, trial.n, trial.inputs, 0, NULL, &made, &err);
    if (sizes[c].fine ? status != KF_OK
                      : status == KF_OK || status == KF_ERR_INTERNAL || strlen(err.message) < 14)
        fail_msg("%zu: %s: status %d, %s", c, trial.text, (int)status, err.message);
    if (getenv("KFUSE_SHOW")) printf("%s: %s\n", trial.text, status ? err.message : "planned");
    kf_plan_free(made);
    kf_program_free(program);
    kf_graph_free(g);
}

static void test_too_large(void **state) {
    for (size_t c = 0; c < KF__COUNT(sizes); c++) {
        plan(*state, c, cpu);
        plan(*state, c, (kf_device){KF_CUDA_EMULATED, 0});
    }
}

static void test_rank(void **state) { /* nine axes */
    int64_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    float one = 1;
    kf_array nine = {&one, cpu, 9, KF_F32, shape, NULL, 0}, result = {0};
    kf_error err = {0};
    assert_int_equal(kf_eval(*state, "x + 1", 1, &nine, 1, &result, &err), KF_ERR_LIMIT);
    assert_non_null(strstr(err.message, "8"));
    nine.ndim = 8;
    if (kf_eval(*state, "x[None] + 1", 1, &nine, 1, &result, &err) != KF_ERR_LIMIT)
        fail_msg("a result of rank 9: %s", err.message);
    assert_non_null(strstr(err.message, "8"));
    nine.ndim = -1;
    assert_int_not_equal(kf_eval(*state, "x + 1", 1, &nine, 1, &result, &err), KF_OK);
}

static int setup(void **state) {
    kf_error err = {0};
    *state = kf_context_create(NULL, &err);
    return *state ? 0 : 1;
}
static int teardown(void **state) {
    kf_context_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_large), cmocka_unit_test(test_rank),
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_reversed),
        cmocka_unit_test(test_backwards), cmocka_unit_test(test_sparse),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
