/* Source text -> loaded object.
 *
 *     kf__compile -- in memory: same target and source? --------> the object
 *          |                                                         ^
 *          +-- on disk (cache.h): same flags, compiler too? ------ load
 *          |                                                         ^
 *          +-- cc.h: C, emulated CUDA; nvrtc.h: CUDA ------------- store
 *
 * One kf__compiler belongs to one context and may be used by any number of threads. Objects live as
 * long as it does. Nothing here prints: what a user should know goes once through `log`. */
#ifndef KFUSE_COMPILE_COMPILE_H
#define KFUSE_COMPILE_COMPILE_H

#include "ir/loop.h"

typedef struct kf__compiler kf__compiler;
typedef struct kf__object kf__object;

/* C: C17 by the system's compiler. CUDA: CUDA C++ by NVRTC, to a cubin. EMULATED: CUDA source as C,
 * by the system's compiler, optimised little. */
typedef struct kf__compile_target {
    kf__target_kind kind;
    int cpu_level; /* C, EMULATED: x86-64-v1 to v4; 0: kf__cpu_level() */
    int sm;        /* CUDA: 75, 80, 90, 120... */
} kf__compile_target;

typedef void (*kf__log)(void *user, const char *line);

/* `mem` must outlive the compiler and is kept by pointer. `log` may be NULL: silence. `cache_dir`
 * NULL: $KFUSE_CACHE_DIR, $XDG_CACHE_HOME/kfuse, ~/.cache/kfuse. Touches no file yet. */
kf_status kf__compiler_create(const kf_allocator *mem, kf__log log, void *log_user,
                              const char *cache_dir, kf__compiler **out, kf_error *err);
void kf__compiler_free(kf__compiler *compiler);

/* An object for `source` (n bytes, may be freed afterwards), from memory, disk or a compiler.
 * `label` names it in messages. *out belongs to the compiler. */
kf_status kf__compile(kf__compiler *compiler, const kf__compile_target *target, const char *source,
                      size_t n, const char *label, kf__object **out, kf_error *err);

/* CPU: address of a function; NULL: it isn't there. */
void *kf__object_symbol(kf__object *object, const char *name);
/* CUDA: the kernel (a CUfunction), loaded in the device's primary context so fully that its launch
 * may be captured. The thread's current context stays as it was. */
kf_status kf__object_kernel(kf__object *object, int device, const char *name, void **function,
                            kf_error *err);
/* The shared library or cubin itself, n bytes; the object's. */
const void *kf__object_image(const kf__object *object, size_t *n);

/* Runs of a compiler, and objects loaded from disk, since the compiler was created. */
void kf__compiler_statistics(const kf__compiler *compiler, int64_t *compiled, int64_t *cache_hits);

/* The x86-64 level that processor and system support, 1 to 4, or the lower one that
 * $KFUSE_CPU_LEVEL asks for ("2", "v2" or "x86-64-v2"); 1 on other processors. */
int kf__cpu_level(void);
/* Says so where $KFUSE_CPU_LEVEL isn't one. */
void kf__cpu_level_check(kf__log log, void *log_user);
/* "x86-64-v3", "aarch64"... `level` as in kf__compile_target, not 0. Static. */
const char *kf__cpu_architecture(int level);

/* ---------------------------------------------------------------- for `kfuse cache` */

typedef struct kf__cache_info {
    const char *folder;  /* NULL: none could be found by the environment. The compiler's */
    const char *trouble; /* why the folder isn't used; NULL: it is. The compiler's */
    int64_t entries, bytes, limit; /* limit: $KFUSE_CACHE_MAX */
} kf__cache_info;

void kf__compiler_cache_info(kf__compiler *compiler, kf__cache_info *out);
/* Remove all entries (and no other files). */
kf_status kf__compiler_cache_clear(kf__compiler *compiler, int64_t *entries, int64_t *bytes,
                                   kf_error *err);

/* ---------------------------------------------------------------- for `kfuse doctor` */

typedef struct kf__fact { /* strings are in the arena, never NULL */
    const char *name;
    bool found;
    const char *path, *version, *needed_for, *install; /* "" where there is nothing to say */
} kf__fact;

enum { KF__FACT_COUNT = 6 };
/* Processor, C compiler (runs it with --version), kernel cache, NVRTC, CUDA driver, CUDA devices.
 * False: out of memory. */
bool kf__compiler_facts(kf__compiler *compiler, kf__arena *arena, kf__fact facts[KF__FACT_COUNT]);

#endif
