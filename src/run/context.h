/* A context: what programs, plans and runs share.
 *
 *   allocator, log, threads    as the user gave them
 *   compiler                   compiled kernels by their source (room compile)
 *   pool                       pages of freed results, kept for the next ones
 *   eval                       programs and plans that kf_eval made, by text and layouts
 *
 * All of it may be used by several threads at once; every table has its own lock, and none is taken
 * by kf_run. */
#ifndef KFUSE_RUN_CONTEXT_H
#define KFUSE_RUN_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "compile/compile.h"
#include "ir/loop.h"

/* What KFUSE_DUMP asks for: bits in the order of the table in context.c. */
enum {
    KF__DUMP_GRAPH = 1, KF__DUMP_FUSE = 2, KF__DUMP_LOOP = 4, KF__DUMP_SOURCE = 8,
    KF__DUMP_LAUNCH = 16, KF__DUMP_TIME = 32,
};

/* ---------------------------------------------------------------- pages of freed results */

typedef struct kf__block {
    void *base; /* what the allocator gave */
    void *data; /* the same or, aligned, behind it */
    size_t size;
    kf_device device;
    uint8_t origin; /* enum in pool.c */
} kf__block;

enum { KF__POOL_BLOCKS = 64 };

typedef struct kf__pool {
    pthread_mutex_t mutex;
    kf__block kept[KF__POOL_BLOCKS]; /* oldest first */
    int n;
    size_t kept_bytes, used_bytes, peak_bytes; /* of blocks worth keeping; peak: of used_bytes */
} kf__pool;

/* At least `bytes`, 64-byte aligned (CUDA: 256); contents unset. */
kf_status kf__pool_take(kf_context *ctx, kf_device device, size_t bytes, kf__block *out,
                        kf_error *err);
void kf__pool_give(kf_context *ctx, kf__block *block);
void kf__pool_init(kf__pool *pool);
void kf__pool_free(kf_context *ctx);

/* ---------------------------------------------------------------- the context */

enum { KF__MAX_GPUS = 64 };

struct kf__eval_cache; /* eval.c */
struct kf__eval_cache *kf__eval_cache_new(const kf_allocator *mem);
void kf__eval_cache_free(const kf_allocator *mem, struct kf__eval_cache *cache);

struct kf_context {
    kf_allocator mem;
    bool own_allocator; /* the user's: nothing is kept behind its back */
    kf_parallel_for parallel_for; /* NULL: OpenMP */
    void *parallel_user;
    int threads; /* 0: as OpenMP decides */
    _Atomic int proven_team; /* threads that there were at once (parallel.c) */
    _Atomic int team_limit;  /* 0: none was found */
    int64_t bytes_a_thread; /* less work isn't worth another thread; tests set it to 1 */
    void (*log)(void *user, const char *line);
    void *log_user;
    unsigned dump;
    kf__compiler *compiler;
    _Atomic(struct kf__prelude *) preludes[KF__TARGET_KINDS]; /* NULL: not read yet (pipeline.c) */
    struct kf__eval_cache *eval;
    kf__pool pool;
    pthread_mutex_t cuda_mutex;
    void *cuda_context[KF__MAX_GPUS]; /* retained primary contexts; see device.h */
    _Atomic int64_t launches;
    _Atomic double copy_speed; /* bytes a microsecond of the CPU; 0: not measured yet (cost.c) */
};

/* A line for the log, without its newline. */
void kf__context_log(const kf_context *ctx, const char *line);
/* A text of several lines, for dumps; its lines go to the log one by one. */
void kf__context_log_text(const kf_context *ctx, const char *title, const char *text);

const kf_allocator *kf__context_allocator(const kf_context *ctx);

/* The target that kernels for a device are made for; fails where there is no such device. */
kf_status kf__context_target(kf_context *ctx, kf_device device, kf__target *out, kf_error *err);

/* Of this machine's processor: the cache of a core alone (L2), 0 where it isn't known, and the last
 * one that it reaches, a guess then. */
int64_t kf__core_cache_bytes(void);
bool kf__is_amd(void); /* did AMD make the processor? */
int64_t kf__last_cache_bytes(void);

/* Is it of a type that there is? A GPU needn't be there. */
kf_status kf__check_device(kf_device device, kf_error *err);

/* "cpu", "cuda:1", "cuda-emulated"; to is 24 bytes. */
const char *kf__device_name(kf_device device, char *to);

/* ---------------------------------------------------------------- threads */

typedef void (*kf__range_fn)(void *arg, int64_t begin, int64_t end);

/* body(arg, begin, end) over ranges of [0, n) in multiples of grain, on as many threads as bytes
 * are worth; returns when all are done. */
void kf__parallel(kf_context *ctx, int64_t n, int64_t grain, int64_t bytes,
                  kf__range_fn body, void *arg);
bool kf__has_threads(const kf_context *ctx); /* more than one */

#endif
