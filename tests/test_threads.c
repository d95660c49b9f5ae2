/* Threads: one plan by many, one context by many, contexts side by side. Each thread compares with
 * what one thread alone computed, bit for bit. dev/test runs this under ThreadSanitizer, in a build
 * without OpenMP, whose runtime it doesn't understand: parallel_for is ours here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kfuse/kfuse.h>

enum { THREADS = 8, MOST = 1 << 16 };

static const kf_device cpu = {KF_CPU, 0};
static float x[MOST], y[MOST];

static void quiet(void *user, const char *line) { (void)user, (void)line; }

/* ---------------------------------------------------------------- a parallel_for of threads */

typedef struct share {
    void (*body)(void *arg, int64_t begin, int64_t end);
    void *arg;
    int64_t begin, end;
} share;

static void *do_share(void *arg) {
    share *s = arg;
    if (s->begin < s->end) s->body(s->arg, s->begin, s->end);
    return NULL;
}

static void threads_for(void *user, int64_t n, int64_t grain,
                        void (*body)(void *arg, int64_t begin, int64_t end), void *arg) {
    enum { TEAM = 3 };
    pthread_t threads[TEAM];
    share shares[TEAM];
    int64_t grains = (n + grain - 1) / grain, each = (grains + TEAM - 1) / TEAM * grain;
    (void)user;
    for (int i = 0; i < TEAM; i++) {
        int64_t begin = i * each, end = begin + each;
        shares[i] = (share){body, arg, begin < n ? begin : n, end < n ? end : n};
        if (pthread_create(&threads[i], NULL, do_share, &shares[i])) abort();
    }
    for (int i = 0; i < TEAM; i++) pthread_join(threads[i], NULL);
}

static kf_context *new_context(bool parallel) {
    kf_error err = {0};
    kf_context_options options = {.struct_size = sizeof options, .log = quiet};
    if (parallel) options.parallel_for = threads_for;
    kf_context *ctx = kf_context_create(&options, &err);
    if (!ctx) fail_msg("%s", err.message);
    return ctx;
}

/* THREADS of them at once; each says in its `bad` what went wrong. */
typedef struct worker {
    int number;
    kf_context *ctx;
    const void *shared;
    char bad[300];
} worker;

static void together(void *(*work)(void *), kf_context *ctx, const void *shared) {
    pthread_t threads[THREADS];
    static worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i, .ctx = ctx, .shared = shared};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].bad[0]) fail_msg("thread %d: %s", i, workers[i].bad);
}

/* ---------------------------------------------------------------- one plan */

typedef struct shared_plan {
    const kf_plan *plan;
    size_t bytes[3], workspace;
    void *wanted[3];
} shared_plan;

static kf_status run_once(const shared_plan *p, void *const *results, void *workspace, double s,
                          kf_error *err) {
    const void *inputs[] = {x, y, NULL};
    kf_scalar scalars[] = {{.f = s}};
    return kf_run(p->plan, inputs, results, scalars, workspace, NULL, err);
}

static void *run_the_plan(void *arg) {
    worker *w = arg;
    const shared_plan *p = w->shared;
    void *results[3], *workspace = malloc(p->workspace + 256);
    char *aligned = (char *)(((uintptr_t)workspace + 255) / 256 * 256);
    for (int i = 0; i < 3; i++) results[i] = malloc(p->bytes[i]);
    for (int k = 0; k < 30 && !w->bad[0]; k++) {
        kf_error err = {0};
        double s = k % 3 ? w->number : 2; /* another number at times: not compared */
        if (run_once(p, results, aligned, s, &err) != KF_OK)
            snprintf(w->bad, sizeof w->bad, "%.250s", err.message);
        for (int i = 0; i < 3 && s == 2; i++)
            if (memcmp(results[i], p->wanted[i], p->bytes[i]) != 0)
                snprintf(w->bad, sizeof w->bad, "result %d differs in run %d", i, k);
    }
    for (int i = 0; i < 3; i++) free(results[i]);
    free(workspace);
    return NULL;
}

/* Rows, columns and the whole: several kernels, temporaries and partial sums in the workspace. */
static void one_plan_for_many_threads(void **state) {
    int64_t shape[] = {64, 1000};
    kf_array inputs[] = {{x, cpu, 2, KF_F32, shape, NULL, 0}, {y, cpu, 2, KF_F32, shape, NULL, 0},
                         {0}};
    kf_spec specs[] = {{.dtype = KF_F32, .ndim = 2}, {.dtype = KF_F32, .ndim = 2},
                       {.kind = KF_SPEC_FLOAT}};
    (void)state;
    for (int parallel = 0; parallel < 2; parallel++) {
        kf_context *ctx = new_context(parallel);
        kf_function *f = NULL;
        kf_graph *g = NULL;
        kf_program *program = NULL;
        kf_plan *plan = NULL;
        kf_error err = {0};
        kf_compile_options options = {sizeof options, cpu, KF_FUSION_ON};
        bool ok = kf_parse(ctx, "softmax(x * s + y, axis=-1), sum(exp(x), axis=0) * s, "
                                "sum(x * y) - s", NULL, &f, &err) == KF_OK &&
                  kf_graph_create(ctx, f, 3, specs, KF_FUSED, &g, &err) == KF_OK &&
                  kf_compile(ctx, g, &options, &program, &err) == KF_OK &&
                  kf_plan_for(program, 3, inputs, 3, NULL, &plan, &err) == KF_OK;
        if (!ok) fail_msg("%s", err.message);
        shared_plan p = {.plan = plan, .workspace = kf_plan_workspace_size(plan)};
        for (int i = 0; i < 3; i++) {
            kf_array r;
            kf_plan_result(plan, i, &r);
            p.bytes[i] = 4;
            for (int d = 0; d < r.ndim; d++) p.bytes[i] *= (size_t)r.shape[d];
            p.wanted[i] = malloc(p.bytes[i]);
        }
        void *workspace = aligned_alloc(256, p.workspace + 256);
        assert_int_equal(run_once(&p, p.wanted, workspace, 2, &err), KF_OK);
        together(run_the_plan, ctx, &p);
        for (int i = 0; i < 3; i++) free(p.wanted[i]);
        free(workspace);
        kf_plan_free(plan);
        kf_program_free(program);
        kf_graph_free(g);
        kf_function_free(f);
        kf_context_free(ctx);
    }
}

/* ---------------------------------------------------------------- one context */

/* The same texts and ever other sizes: the caches of programs and plans grow, and plans go. */
static void *evaluate(void *arg) {
    static const char *const texts[] = { /* the last three are errors, the last when planned */
        "x * 3 + 1", "relu(x) - 2", "sum(x, axis=-1, keepdims=True) + x * 0",
        "x +", "reluu(x)", "x[1000]"};
    worker *w = arg;
    for (int k = 0; k < 150 && !w->bad[0]; k++) {
        int which = (k + w->number) % 6;
        int64_t n = 1 + (k * 7 + w->number * 13) % 400;
        kf_array in = {x, cpu, 1, KF_F32, &n, NULL, 0}, out = {0};
        kf_error err = {0};
        kf_status status = kf_eval(w->ctx, texts[which], 1, &in, 1, &out, &err);
        const float *r = out.data;
        if ((status == KF_OK) != (which < 3))
            snprintf(w->bad, sizeof w->bad, "%s: %.200s", texts[which], err.message);
        for (int64_t i = 0; i < n && which < 2 && status == KF_OK && n > 1; i++)
            if (r[i] != (which == 0 ? x[i] * 3 + 1 : (x[i] > 0 ? x[i] : 0) - 2))
                snprintf(w->bad, sizeof w->bad, "%s: wrong at %d", texts[which], (int)i);
        kf_array_free(w->ctx, &out);
    }
    return NULL;
}

static void one_context_for_many_threads(void **state) {
    (void)state;
    for (int parallel = 0; parallel < 2; parallel++) {
        kf_context *ctx = new_context(parallel);
        together(evaluate, ctx, NULL);
        kf_statistics s;
        kf_context_statistics(ctx, &s);
        assert_true(s.launches > 0);
        kf_context_free(ctx);
    }
}

/* A program for each pattern of sizes that are 1, used once: the tables are full after 256 of them,
 * so a plan and then its program are dropped, often by two threads. */
static void *evaluate_once(void *arg) {
    enum { EACH = 60 };
    worker *w = arg;
    for (int k = 0; k < EACH && !w->bad[0]; k++) {
        int64_t shape[8], n = 1;
        int rank = 0;
        for (int bits = 1 + w->number * EACH + k; bits > 1; bits /= 2) /* to 480: rank 8 */
            n *= shape[rank++] = 1 + bits % 2;
        kf_array in = {x, cpu, rank, KF_F32, shape, NULL, 0}, out = {0};
        kf_error err = {0};
        if (kf_eval(w->ctx, "x * 3 + 1", 1, &in, 1, &out, &err) != KF_OK)
            snprintf(w->bad, sizeof w->bad, "%.250s", err.message);
        const float *r = out.data;
        for (int64_t i = 0; i < n && !w->bad[0]; i++)
            if (r[i] != x[i] * 3 + 1) snprintf(w->bad, sizeof w->bad, "wrong at %d", (int)i);
        kf_array_free(w->ctx, &out);
    }
    return NULL;
}

static void programs_that_go(void **state) {
    (void)state;
    kf_context *ctx = new_context(false);
    together(evaluate_once, ctx, NULL);
    kf_context_free(ctx);
}

/* Arrays come from the pool of freed pages and go back to it. */
static void *take_and_give(void *arg) {
    worker *w = arg;
    for (int k = 0; k < 40 && !w->bad[0]; k++) {
        int64_t n = (int64_t)(1 + (k + w->number) % 4) << 18;
        kf_error err = {0};
        kf_array a;
        if (kf_array_create(w->ctx, cpu, KF_F32, 1, &n, &a, &err) != KF_OK) {
            snprintf(w->bad, sizeof w->bad, "%.250s", err.message);
            break;
        }
        float *data = a.data;
        for (int64_t i = 0; i < n; i += 1024) data[i] = (float)w->number;
        for (int64_t i = 0; i < n; i += 1024)
            if (data[i] != (float)w->number) snprintf(w->bad, sizeof w->bad, "shared pages");
        kf_array_free(w->ctx, &a);
    }
    return NULL;
}

static void the_pool(void **state) {
    (void)state;
    kf_context *ctx = new_context(false);
    together(take_and_give, ctx, NULL);
    kf_context_free(ctx);
}

/* ---------------------------------------------------------------- many contexts */

static void *own_context(void *arg) {
    worker *w = arg;
    for (int k = 0; k < 5 && !w->bad[0]; k++) {
        kf_error err = {0};
        kf_context_options options = {.struct_size = sizeof options, .log = quiet};
        kf_context *ctx = kf_context_create(&options, &err);
        int64_t n = 100;
        kf_array in = {x, cpu, 1, KF_F32, &n, NULL, 0}, out = {0};
        if (!ctx || kf_eval(ctx, "x * 5 - 1", 1, &in, 1, &out, &err) != KF_OK)
            snprintf(w->bad, sizeof w->bad, "%.250s", err.message);
        else if (((float *)out.data)[99] != x[99] * 5 - 1)
            snprintf(w->bad, sizeof w->bad, "wrong");
        if (ctx) kf_array_free(ctx, &out);
        kf_context_free(ctx);
    }
    return NULL;
}

static void a_context_for_each_thread(void **state) {
    (void)state;
    together(own_context, NULL, NULL);
}

int main(void) {
    for (int i = 0; i < MOST; i++) {
        x[i] = (float)(i % 37) - 18;
        y[i] = (float)(i % 11) * 0.25f;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_plan_for_many_threads),
        cmocka_unit_test(one_context_for_many_threads),
        cmocka_unit_test(programs_that_go),
        cmocka_unit_test(the_pool),
        cmocka_unit_test(a_context_for_each_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
