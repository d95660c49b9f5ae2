/* run: other devices than the CPU: CUDA emulated, compiled, and where there is one a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/cuda_driver.h"
#include "pipeline.h"
#include "support/run.h"

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
            kf__target target = {.kind = KF__TARGET_CUDA, .sm = sms[j], .sms = 100,
                                 .cache_bytes = 32 << 20};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(emulated_cuda_agrees, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(cuda_sources_compile, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(cuda_agrees, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(cuda_runs_are_captured, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
