/* Threads: OpenMP's, or the user's parallel_for.
 *
 * The library links the OpenMP runtime that PyTorch and oneDNN use too (libgomp where gcc built
 * it), so that threads are shared and not oversubscribed. Each thread gets one range of grains:
 *
 *     grains   0 1 2 3 | 4 5 6 | 7 8 9        10 grains, 3 threads
 *
 * Which thread computes a grain never shows in the result: a kernel's arithmetic depends on grains
 * only. Serial where it is nested in a parallel region, where the work isn't worth the 1.5 us that
 * a region costs, and in a child of fork(), whose copy of the OpenMP runtime believes in threads
 * that aren't there any more. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>

#include "run/context.h"

/* Whether this process is a child of fork(): the handler outlives any context, so this is one of
 * the process-wide facts. Set once, before the child has a second thread. */
static volatile bool in_forked_child;

static void after_fork(void) {
    in_forked_child = true;
}

__attribute__((constructor)) static void watch_fork(void) {
    pthread_atfork(NULL, NULL, after_fork);
}

static int threads_for(const kf_context *ctx, int64_t grains, int64_t bytes) {
    if (grains < 2 || bytes / 2 < ctx->bytes_a_thread) return 1;
    if (ctx->parallel_for) return 2; /* how many is the user's business */
#ifdef _OPENMP
    if (in_forked_child || omp_in_parallel()) return 1;
    int most = ctx->threads > 0 ? ctx->threads : omp_get_max_threads();
    int64_t worth = kf__min(grains, bytes / ctx->bytes_a_thread);
    return worth < most ? (int)worth : most;
#else
    return 1;
#endif
}

#ifdef _OPENMP
static void run_openmp(int threads, int64_t n, int64_t grain, kf__range_fn body, void *arg) {
    int64_t grains = kf__ceil_div(n, grain);
#pragma omp parallel num_threads(threads)
    {
        int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
        int64_t each = grains / team, more = grains % team;
        int64_t first = me * each + kf__min(me, more);
        int64_t last = first + each + (me < more);
        if (first < last) body(arg, first * grain, kf__min(last * grain, n));
    }
}
#else /* never called: threads_for gives 1 */
static void run_openmp(int threads, int64_t n, int64_t grain, kf__range_fn body, void *arg) {
    (void)threads, (void)grain;
    body(arg, 0, n);
}
#endif

void kf__parallel(const kf_context *ctx, int64_t n, int64_t grain, int64_t bytes,
                  kf__range_fn body, void *arg) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    int threads = threads_for(ctx, kf__ceil_div(n, grain), bytes);
    if (threads <= 1)
        body(arg, 0, n);
    else if (ctx->parallel_for)
        ctx->parallel_for(ctx->parallel_user, n, grain, body, arg);
    else
        run_openmp(threads, n, grain, body, arg);
}
