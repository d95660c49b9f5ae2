/* Measuring on CUDA: graphs of several runs, replayed and timed by events, so that what the host
 * does in between doesn't count; and the copies: a kernel that moves 16 bytes a thread, and the
 * driver's own. */
#include <stdlib.h>

#include "bench.h"
#include "compile/compile.h"
#include "compile/cuda_driver.h"
#include "pipeline.h"
#include "run/device.h"

enum { LEAST_RUNS = 20, COPY_THREADS = 256 };

struct bench_gpu {
    const kf__cuda *cuda;
    void *context;
    kf__cu_stream stream;
    kf__cu_event start, end;
    kf__cu_function copy;
    kf__cu_graph_exec graph[CONTENDERS]; /* NULL: not captured yet */
    int next[CONTENDERS];                /* where the next sample's sets begin, without graphs */
};

static const char copy_source[] =
    "extern \"C\" __global__ void kf_bench_copy(const uint4 *from, uint4 *to, long long n) {\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) to[i] = from[i];\n"
    "}\n";

static kf_status begin_in_context(struct bench *b, struct bench_gpu *g, kf_error *err) {
    const kf_program *program = b->variant[FUSED].program;
    kf__compile_target target = {KF__TARGET_CUDA, 0, program->target.sm};
    kf__object *object;
    KF__CU_TRY(g->cuda->stream_create(&g->stream, KF__CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    KF__CU_TRY(g->cuda->event_create(&g->start, 0), "cuEventCreate");
    KF__CU_TRY(g->cuda->event_create(&g->end, 0), "cuEventCreate");
    KF_TRY(kf__compile(program->ctx->compiler, &target, copy_source, sizeof copy_source - 1,
                       "the copy", &object, err));
    return kf__object_kernel(object, b->job->device.id, "kf_bench_copy", &g->copy, err);
}

kf_status bench_gpu_begin(struct bench *b, kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return err->status;
    b->gpu = calloc(1, sizeof *b->gpu);
    if (!b->gpu) return kf__out_of_memory(err);
    b->gpu->cuda = cuda;
    KF_TRY(kf__cuda_context(b->job->ctx, b->job->device.id, &b->gpu->context, err));
    KF__CU_TRY(cuda->ctx_push(b->gpu->context), "cuCtxPushCurrent");
    kf_status status = begin_in_context(b, b->gpu, err);
    void *popped;
    cuda->ctx_pop(&popped);
    return status;
}

void bench_gpu_forget(struct bench *b) {
    struct bench_gpu *g = b->gpu;
    for (int c = 0; g && c < CONTENDERS; c++) {
        if (g->graph[c]) g->cuda->graph_exec_destroy(g->graph[c]);
        g->graph[c] = NULL;
    }
}

void bench_gpu_end(struct bench *b) {
    struct bench_gpu *g = b->gpu;
    if (!g) return;
    bench_gpu_forget(b);
    if (g->start) g->cuda->event_destroy(g->start);
    if (g->end) g->cuda->event_destroy(g->end);
    if (g->stream) g->cuda->stream_destroy(g->stream);
    free(g);
    b->gpu = NULL;
}

static kf_status copy_once(struct bench *b, struct bench_gpu *g, enum contender c, int s,
                           void *stream, kf_error *err) {
    const struct bench_set *set = &b->set[s];
    kf__cu_pointer from = (kf__cu_pointer)(uintptr_t)set->copy_from;
    kf__cu_pointer to = (kf__cu_pointer)(uintptr_t)set->copy_to;
    if (c == COPY_PLAIN) {
        KF__CU_TRY(g->cuda->copy_on_device_async(to, from, (size_t)b->copy_bytes, stream),
                   "cuMemcpyDtoDAsync");
        return KF_OK;
    }
    long long n = b->copy_bytes / 16;
    void *arguments[] = {&from, &to, &n};
    KF__CU_TRY(g->cuda->launch_kernel(g->copy, (unsigned)kf__ceil_div(n, COPY_THREADS), 1, 1,
                                      COPY_THREADS, 1, 1, 0, stream, arguments, NULL),
               "cuLaunchKernel");
    return KF_OK;
}

kf_status bench_gpu_copy(struct bench *b, enum contender c, int s, void *stream, kf_error *err) {
    struct bench_gpu *g = b->gpu;
    void *popped;
    KF__CU_TRY(g->cuda->ctx_push(g->context), "cuCtxPushCurrent");
    kf_status status = copy_once(b, g, c, s, stream, err);
    g->cuda->ctx_pop(&popped);
    return status;
}

/* Runs of a sample: through all sets, else those of a graph would stay in the caches. */
static int runs_of(const struct bench *b) {
    return b->used_sets > LEAST_RUNS ? b->used_sets : LEAST_RUNS;
}

/* Several runs, each on the next set. */
static kf_status enqueue(struct bench *b, enum contender c, kf_error *err) {
    struct bench_gpu *g = b->gpu;
    for (int i = 0; i < runs_of(b); i++) {
        KF_TRY(bench_once(b, c, g->next[c], g->stream, err));
        g->next[c] = (g->next[c] + 1) % b->used_sets;
    }
    return KF_OK;
}

static kf_status capture(struct bench *b, enum contender c, kf_error *err) {
    struct bench_gpu *g = b->gpu;
    kf__cu_graph graph = NULL;
    g->next[c] = 0;
    KF__CU_TRY(g->cuda->capture_begin(g->stream, KF__CU_CAPTURE_THREAD_LOCAL),
               "cuStreamBeginCapture");
    kf_status status = enqueue(b, c, err);
    int result = g->cuda->capture_end(g->stream, &graph);
    if (status == KF_OK && result != KF__CU_SUCCESS)
        status = kf__cuda_fail(result, "cuStreamEndCapture", err);
    if (status == KF_OK) {
        result = g->cuda->graph_instantiate(&g->graph[c], graph, 0);
        if (result != KF__CU_SUCCESS) status = kf__cuda_fail(result, "cuGraphInstantiate", err);
    }
    if (graph) g->cuda->graph_destroy(graph);
    return status;
}

static kf_status sample_in_context(struct bench *b, enum contender c, bool warm, double *us,
                                   kf_error *err) {
    struct bench_gpu *g = b->gpu;
    float ms = 0;
    if (g->next[c] >= b->used_sets) g->next[c] = 0;
    if (!g->graph[c] && g->cuda->graph_instantiate) KF_TRY(capture(b, c, err));
    for (int i = 0; i < (warm ? 2 : 1); i++) {
        KF__CU_TRY(g->cuda->event_record(g->start, g->stream), "cuEventRecord");
        if (g->graph[c])
            KF__CU_TRY(g->cuda->graph_launch(g->graph[c], g->stream), "cuGraphLaunch");
        else
            KF_TRY(enqueue(b, c, err));
        KF__CU_TRY(g->cuda->event_record(g->end, g->stream), "cuEventRecord");
    }
    KF__CU_TRY(g->cuda->event_synchronize(g->end), "cuEventSynchronize");
    KF__CU_TRY(g->cuda->event_elapsed_time(&ms, g->start, g->end), "cuEventElapsedTime");
    *us = (double)ms * 1000 / runs_of(b);
    return KF_OK;
}

kf_status bench_gpu_sample(struct bench *b, enum contender c, bool warm, double *us,
                           kf_error *err) {
    struct bench_gpu *g = b->gpu;
    void *popped;
    KF__CU_TRY(g->cuda->ctx_push(g->context), "cuCtxPushCurrent");
    kf_status status = sample_in_context(b, c, warm, us, err);
    g->cuda->ctx_pop(&popped);
    return status;
}
