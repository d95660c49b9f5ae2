/* One source, one object: the table in memory, then the disk, then a compiler. See compile.h.
 *
 * The table is under a lock that is never held while something is loaded or compiled. An object
 * that a thread is making is already in the table, not ready; others who want it wait for that
 * thread. If it fails, it takes the object out again and one of the others tries. */
#include "compile/compile.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile/cc.h"
#include "compile/load.h"
#include "compile/nvrtc.h"
#include "compile/object.h"

enum { BUCKETS = 256 };

struct kf__compiler {
    const kf_allocator *mem;
    kf__cache *cache;
    kf__log log; /* may be NULL */
    void *log_user;
    pthread_mutex_t lock; /* of the table */
    pthread_cond_t done;  /* an object became ready, or failed */
    pthread_mutex_t module_lock;
    kf__object *table[BUCKETS];
    _Atomic int64_t compiled, cache_hits;
};

/* ---------------------------------------------------------------- life */

kf_status kf__compiler_create(const kf_allocator *mem, kf__log log, void *log_user,
                              const char *cache_dir, kf__compiler **out, kf_error *err) {
    kf__compiler *compiler = kf__allocate(mem, sizeof(*compiler));
    if (!compiler) return kf__out_of_memory(err);
    memset(compiler, 0, sizeof(*compiler));
    compiler->mem = mem, compiler->log = log, compiler->log_user = log_user;
    kf_status status = kf__cache_create(mem, log, log_user, cache_dir, &compiler->cache, err);
    if (status != KF_OK) {
        kf__release(mem, compiler);
        return status;
    }
    kf__cpu_level_check(log, log_user);
    pthread_mutex_init(&compiler->lock, NULL);
    pthread_mutex_init(&compiler->module_lock, NULL);
    pthread_cond_init(&compiler->done, NULL);
    *out = compiler;
    return KF_OK;
}

static void free_object(const kf_allocator *mem, kf__object *object) {
    kf__modules_free(object, mem);
    if (object->library) dlclose(object->library);
    kf__release(mem, object->image.bytes);
    kf__release(mem, object->source);
    kf__release(mem, object);
}

void kf__compiler_free(kf__compiler *compiler) {
    if (!compiler) return;
    for (int i = 0; i < BUCKETS; i++) {
        for (kf__object *object = compiler->table[i], *next; object; object = next) {
            next = object->next;
            free_object(compiler->mem, object);
        }
    }
    kf__cache_free(compiler->cache);
    pthread_mutex_destroy(&compiler->lock);
    pthread_mutex_destroy(&compiler->module_lock);
    pthread_cond_destroy(&compiler->done);
    kf__release(compiler->mem, compiler);
}

void kf__compiler_statistics(const kf__compiler *compiler, int64_t *compiled, int64_t *cache_hits) {
    *compiled = atomic_load(&compiler->compiled);
    *cache_hits = atomic_load(&compiler->cache_hits);
}

void kf__compiler_cache_info(kf__compiler *compiler, kf__cache_info *out) {
    kf__cache_info_get(compiler->cache, out);
}

kf_status kf__compiler_cache_clear(kf__compiler *compiler, int64_t *entries, int64_t *bytes,
                                   kf_error *err) {
    return kf__cache_clear(compiler->cache, entries, bytes, err);
}

/* ---------------------------------------------------------------- one object */

static kf_status no_compiler(const kf__object *object, kf_error *err) {
    if (object->target.kind == KF__TARGET_CUDA) return kf__nvrtc_missing(err);
    const char *chosen = secure_getenv("KFUSE_CC");
    if (chosen && *chosen)
        return kf__fail(err, KF_ERR_COMPILER,
                        "KFUSE_CC is \"%s\", which isn't an executable file: set it to a C "
                        "compiler (gcc, clang), or unset it", chosen);
    return kf__fail(err, KF_ERR_COMPILER,
                    "no C compiler was found: install gcc or clang (Debian: apt install gcc), or "
                    "set KFUSE_CC");
}

static kf_status load(kf__object *object, kf_error *err) {
    if (object->target.kind == KF__TARGET_CUDA) return KF_OK;
    return kf__load_library(&object->image, &object->library, err);
}

static void close_image_file(kf__image *image) {
    if (image->fd >= 0) close(image->fd);
    image->fd = -1;
}

static bool from_disk(kf__object *object, const kf__cache_key *key) {
    kf__compiler *compiler = object->compiler;
    if (!kf__cache_load(compiler->cache, key, &object->image)) return false;
    bool fine = load(object, NULL) == KF_OK;
    close_image_file(&object->image);
    if (fine) {
        atomic_fetch_add(&compiler->cache_hits, 1);
    } else { /* it was made on a machine with other libraries: as none */
        kf__release(compiler->mem, object->image.bytes);
        object->image = (kf__image){.fd = -1};
    }
    return fine;
}

static kf_status from_compiler(kf__object *object, const kf__cc *cc, const kf__cache_key *key,
                               const char *label, kf_error *err) {
    kf__compiler *compiler = object->compiler;
    kf__image *image = &object->image;
    if (!key->compiler) return no_compiler(object, err);
    atomic_fetch_add(&compiler->compiled, 1);
    if (object->target.kind == KF__TARGET_CUDA)
        KF_TRY(kf__nvrtc_run(compiler->mem, object->target.sm, object->source, label,
                             &image->bytes, &image->n, err));
    else
        KF_TRY(kf__cc_run(cc, compiler->mem, compiler->log, compiler->log_user, &object->target,
                          object->source, object->n_source, label, &image->bytes, &image->n, err));
    kf__cache_store(compiler->cache, key, image);
    kf_status status = load(object, err);
    close_image_file(image);
    return status;
}

static kf_status make(kf__object *object, const char *label, kf_error *err) {
    bool cuda = object->target.kind == KF__TARGET_CUDA;
    kf__text flags;
    kf__cc cc;
    char architecture[32], nvrtc[KF__NVRTC_IDENTITY];
    kf__cache_key key = {object->source, object->n_source, .architecture = architecture,
                         .cubin = cuda};
    kf__text_init(&flags, object->compiler->mem);
    if (cuda) {
        kf__nvrtc_flags(object->target.sm, &flags);
        if (kf__nvrtc_identity(nvrtc)) key.compiler = nvrtc;
        snprintf(architecture, sizeof(architecture), "sm_%d", object->target.sm);
    } else {
        kf__cc_flags(&object->target, object->n_source, &flags);
        if (kf__cc_find(&cc)) key.compiler = cc.identity;
        snprintf(architecture, sizeof(architecture), "%s",
                 kf__cpu_architecture(object->target.cpu_level));
    }
    key.flags = flags.at;
    kf_status status = KF_OK;
    if (flags.failed)
        status = kf__out_of_memory(err);
    else if (!from_disk(object, &key))
        status = from_compiler(object, &cc, &key, label, err);
    kf__text_free(&flags);
    return status;
}

/* ---------------------------------------------------------------- the table */

static kf__object **bucket_of(kf__compiler *compiler, const kf__object *wanted) {
    return &compiler->table[wanted->hash[0] % BUCKETS];
}

static bool same(const kf__object *a, const kf__object *b) {
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1] && a->n_source == b->n_source &&
           a->target.kind == b->target.kind && a->target.cpu_level == b->target.cpu_level &&
           a->target.sm == b->target.sm && memcmp(a->source, b->source, a->n_source) == 0;
}

static kf__object *find(kf__compiler *compiler, const kf__object *wanted) {
    kf__object *object = *bucket_of(compiler, wanted);
    while (object && !same(object, wanted)) object = object->next;
    return object;
}

/* The lock is held. A ready object, or NULL: the caller is to make it. */
static kf__object *find_ready(kf__compiler *compiler, const kf__object *wanted) {
    kf__object *object;
    while ((object = find(compiler, wanted)) && !object->ready)
        pthread_cond_wait(&compiler->done, &compiler->lock);
    return object;
}

static void take_out(kf__compiler *compiler, kf__object *object) {
    kf__object **at = bucket_of(compiler, object);
    while (*at != object) at = &(*at)->next;
    *at = object->next;
}

/* With its own copy of the source, which ends with 0; not ready. */
static kf__object *new_object(kf__compiler *compiler, const kf__object *wanted) {
    kf__object *object = kf__allocate(compiler->mem, sizeof(*object));
    char *source = kf__allocate(compiler->mem, wanted->n_source + 1);
    if (!object || !source) {
        kf__release(compiler->mem, object);
        kf__release(compiler->mem, source);
        return NULL;
    }
    *object = *wanted;
    if (wanted->n_source) memcpy(source, wanted->source, wanted->n_source);
    source[wanted->n_source] = 0;
    object->source = source;
    return object;
}

static kf_status check_target(kf__compile_target *target, kf_error *err) {
    if (target->kind == KF__TARGET_CUDA) {
        target->cpu_level = 0;
        if (target->sm >= 50 && target->sm < 1000) return KF_OK;
        return kf__fail(err, KF_ERR_ARGUMENT, "sm_%d isn't a CUDA architecture", target->sm);
    }
    target->sm = 0;
    if (target->cpu_level == 0) target->cpu_level = kf__cpu_level();
    if (target->cpu_level >= 1 && target->cpu_level <= kf__cpu_level()) return KF_OK;
    return kf__fail(err, KF_ERR_ARGUMENT, "level %d isn't one that this processor (%s) can run",
                    target->cpu_level, kf__cpu_architecture(kf__cpu_level()));
}

kf_status kf__compile(kf__compiler *compiler, const kf__compile_target *target, const char *source,
                      size_t n, const char *label, kf__object **out, kf_error *err) {
    kf__object wanted = {.compiler = compiler, .target = *target, .source = (char *)source,
                         .n_source = n, .hash = {kf__hash(source, n, 6), kf__hash(source, n, 7)},
                         .image = {.fd = -1}};
    *out = NULL;
    KF_TRY(check_target(&wanted.target, err));
    pthread_mutex_lock(&compiler->lock);
    kf__object *object = find_ready(compiler, &wanted);
    bool ours = !object;
    if (ours && (object = new_object(compiler, &wanted))) {
        kf__object **bucket = bucket_of(compiler, object);
        object->next = *bucket;
        *bucket = object;
    }
    pthread_mutex_unlock(&compiler->lock);
    if (!object) return kf__out_of_memory(err);
    *out = object;
    if (!ours) return KF_OK;

    kf_status status = make(object, label, err);
    pthread_mutex_lock(&compiler->lock);
    object->ready = status == KF_OK;
    if (!object->ready) take_out(compiler, object);
    pthread_cond_broadcast(&compiler->done);
    pthread_mutex_unlock(&compiler->lock);
    if (status != KF_OK) {
        *out = NULL;
        free_object(compiler->mem, object);
    }
    return status;
}

/* ---------------------------------------------------------------- what an object gives */

void *kf__object_symbol(kf__object *object, const char *name) {
    return object->library ? dlsym(object->library, name) : NULL;
}

const void *kf__object_image(const kf__object *object, size_t *n) {
    *n = object->image.n;
    return object->image.bytes;
}

kf_status kf__object_kernel(kf__object *object, int device, const char *name, void **function,
                            kf_error *err) {
    kf__compiler *compiler = object->compiler;
    if (object->target.kind != KF__TARGET_CUDA)
        return kf__fail(err, KF_ERR_ARGUMENT, "%s isn't compiled for CUDA", name);
    pthread_mutex_lock(&compiler->module_lock);
    void *module;
    kf_status status = kf__modules_find(object, compiler->mem, device, &module, err);
    if (status == KF_OK) status = kf__modules_kernel(device, module, name, function, err);
    pthread_mutex_unlock(&compiler->module_lock);
    return status;
}
