/* Each step once: parse, graph, program, plan; then a loop that does nothing but launch, over the
 * caller's own buffers, with a number that changes from run to run. */
#include <kfuse/kfuse.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static kf_error err;

static void check(kf_status status) {
    if (status == KF_OK) return;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

int main(void) {
    static float w[N], gradient[N];
    for (int i = 0; i < N; i++) gradient[i] = (float)i;
    int64_t shape[] = {N};
    /* inputs are in the order of their first appearance in the text: w, rate, gradient */
    kf_array arrays[] = {{w, {KF_CPU, 0}, 1, KF_F32, shape, NULL, 0},
                         {NULL, {0, 0}, 0, {0, 0, 0}, NULL, NULL, 0}, /* a number: ignored */
                         {gradient, {KF_CPU, 0}, 1, KF_F32, shape, NULL, 0}};
    kf_spec specs[] = {{.kind = KF_SPEC_ARRAY, .dtype = KF_F32, .ndim = 1},
                       {.kind = KF_SPEC_FLOAT},
                       {.kind = KF_SPEC_ARRAY, .dtype = KF_F32, .ndim = 1}};
    kf_function *function = NULL;
    kf_graph *graph = NULL;
    kf_program *program = NULL;
    kf_plan *plan = NULL;

    kf_context *ctx = kf_context_create(NULL, &err);
    if (!ctx) check(err.status);
    check(kf_parse(ctx, "w - rate * gradient", NULL, &function, &err));
    check(kf_graph_create(ctx, function, 3, specs, KF_FUSED, &graph, &err));
    check(kf_compile(ctx, graph, NULL, &program, &err));
    check(kf_plan_for(program, 3, arrays, 1, NULL, &plan, &err));
    void *workspace = malloc(kf_plan_workspace_size(plan) + 1);

    for (int step = 1; step <= 10; step++) { /* in place: the plan knows that it may */
        const void *inputs[] = {w, NULL, gradient};
        void *results[] = {w};
        kf_scalar rate = {.f = 1.0 / step};
        check(kf_run(plan, inputs, results, &rate, workspace, NULL, &err));
    }
    printf("%g\n", (double)w[N - 1]);

    free(workspace);
    kf_plan_free(plan);
    kf_program_free(program);
    kf_graph_free(graph);
    kf_function_free(function);
    kf_context_free(ctx);
    return 0;
}
