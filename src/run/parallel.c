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
 * that aren't there any more.
 *
 * libgomp ends the process where it can't make a thread. So before a team is larger than any that
 * its context had, as many threads are made here, all at once, and ended again: where that fails
 * (`ulimit -u`, `ulimit -v`, a container's limit) the context's teams stay small. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <stdio.h>

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

#ifdef _OPENMP
typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool open;
} gate;

static void *wait_at(void *arg) {
    gate *g = arg;
    pthread_mutex_lock(&g->mutex);
    while (!g->open) pthread_cond_wait(&g->opened, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
    return NULL;
}

enum { MOST_THREADS = 1024 };

/* How many threads can there be at once besides this one? At most n. */
static int try_threads(int n) {
    gate g = {.mutex = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
    pthread_t threads[MOST_THREADS];
    int made = 0;
    while (made < n && pthread_create(&threads[made], NULL, wait_at, &g) == 0) made++;
    pthread_mutex_lock(&g.mutex);
    g.open = true;
    pthread_cond_broadcast(&g.opened);
    pthread_mutex_unlock(&g.mutex);
    for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
    return made;
}

/* A team of at most `wanted`. Where threads are scarce half of them are left to others. */
static int possible_team(kf_context *ctx, int wanted) {
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    if (wanted <= atomic_load(&ctx->proven_team)) return wanted;
    int limit = atomic_load(&ctx->team_limit);
    if (limit) return wanted < limit ? wanted : limit;
    int made = try_threads(wanted - 1);
    if (made == wanted - 1) {
        atomic_store(&ctx->proven_team, wanted);
        return wanted;
    }
    char line[160];
    limit = 1 + made / 2;
    snprintf(line, sizeof line, "%d threads can't be made, only %d: kernels run on %d",
             wanted, made + 1, limit);
    if (atomic_exchange(&ctx->team_limit, limit) == 0) kf__context_log(ctx, line);
    return limit;
}
#endif

static int most_threads(const kf_context *ctx) {
#ifdef _OPENMP
    return ctx->threads > 0 ? ctx->threads : omp_get_max_threads();
#else
    (void)ctx;
    return 1;
#endif
}

bool kf__has_threads(const kf_context *ctx) { return ctx->parallel_for || most_threads(ctx) > 1; }

static int threads_for(kf_context *ctx, int64_t grains, int64_t bytes) {
    if (grains < 2 || bytes / 2 < ctx->bytes_a_thread) return 1;
    if (ctx->parallel_for) return 2; /* how many is the user's business */
#ifdef _OPENMP
    if (in_forked_child || omp_in_parallel()) return 1;
    int most = most_threads(ctx);
    int64_t worth = kf__min(grains, bytes / ctx->bytes_a_thread);
    int team = worth < most ? (int)worth : most;
    return team > 1 ? possible_team(ctx, team) : team;
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

void kf__parallel(kf_context *ctx, int64_t n, int64_t grain, int64_t bytes,
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
