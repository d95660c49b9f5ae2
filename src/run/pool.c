/* The pool: pages of freed results are kept for the next ones.
 *
 * Faulting in the fresh pages of a large result costs three to six times the work of a pointwise
 * kernel, so a program that frees and makes results of the same size in a loop must get the same
 * pages again. Blocks come in size classes, eighths of a power of two; a freed block is kept until
 * the pool would hold more than was ever in use at once (or a quarter of the machine); oldest go
 * first.
 *
 *     CPU, default allocator   large: mmap, 2 MB aligned, huge pages asked for; small: malloc
 *     CPU, user's allocator    goes straight through: what is kept is then the user's business
 *     CUDA                     cuMemAlloc, which synchronises, so keeping saves even more there */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/context.h"
#include "run/device.h"

enum { FROM_ALLOCATOR, FROM_MMAP, FROM_CUDA };
enum { ALIGNMENT = 64, LARGE = 256 << 10, HUGE_PAGE = 2 << 20 };

/* The next multiple of an eighth of size's power of two. */
static size_t size_class(size_t size) {
    if (size <= ALIGNMENT) return ALIGNMENT;
    int bits = 63 - __builtin_clzll((unsigned long long)size);
    size_t step = (size_t)1 << (bits >= 9 ? bits - 3 : 6);
    return (size + step - 1) & ~(step - 1);
}

/* ---------------------------------------------------------------- where blocks come from */

static bool take_from_allocator(const kf_allocator *mem, size_t size, kf__block *out) {
    char *base = kf__allocate(mem, size + ALIGNMENT);
    if (!base) return false;
    out->base = base;
    out->data = base + (ALIGNMENT - (uintptr_t)base % ALIGNMENT) % ALIGNMENT;
    out->origin = FROM_ALLOCATOR;
    return true;
}

/* Maps more than asked for and gives back what is before and behind the aligned part. */
static bool take_from_mmap(size_t size, kf__block *out) {
    size_t align = size >= HUGE_PAGE ? HUGE_PAGE : 4096;
    size_t mapped = size + align;
    char *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return false;
    size_t before = (align - (uintptr_t)base % align) % align;
    if (before) munmap(base, before);
    if (mapped > before + size) munmap(base + before + size, mapped - before - size);
    out->base = out->data = base + before;
    out->origin = FROM_MMAP;
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_PAGE) madvise(out->data, size, MADV_HUGEPAGE);
#endif
    return true;
}

/* `bytes`: what was asked for, of which out->size is made. */
static kf_status take_fresh(kf_context *ctx, size_t bytes, kf__block *out, kf_error *err) {
    if (out->device.type == KF_CUDA) {
        KF_TRY(kf__cuda_allocate(ctx, out->device.id, out->size, &out->data, err));
        out->base = out->data;
        out->origin = FROM_CUDA;
        return KF_OK;
    }
    bool large = out->size >= LARGE && !ctx->own_allocator;
    bool ok = large ? take_from_mmap(out->size, out)
                    : take_from_allocator(&ctx->mem, out->size, out);
    if (ok) return KF_OK;
    return kf__fail(err, KF_ERR_MEMORY, "no memory for an array of %zu bytes", bytes);
}

static void release(kf_context *ctx, kf__block *block) {
    switch (block->origin) {
    case FROM_ALLOCATOR: kf__release(&ctx->mem, block->base); break;
    case FROM_MMAP: munmap(block->base, block->size); break;
    default: kf__cuda_release(ctx, block->device.id, block->base); break;
    }
}

/* ---------------------------------------------------------------- what is kept */

static size_t most_kept(const kf__pool *pool) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t quarter = pages > 0 && page > 0 ? (size_t)pages / 4 * (size_t)page : (size_t)1 << 30;
    return pool->peak_bytes < quarter ? pool->peak_bytes : quarter;
}

static kf__block forget(kf__pool *pool, int i) {
    kf__block block = pool->kept[i];
    pool->n--;
    memmove(&pool->kept[i], &pool->kept[i + 1], (size_t)(pool->n - i) * sizeof block);
    pool->kept_bytes -= block.size;
    return block;
}

static bool find_kept(kf__pool *pool, kf__block *wanted) {
    for (int i = pool->n - 1; i >= 0; i--) {
        const kf__block *b = &pool->kept[i];
        if (b->size == wanted->size && b->device.type == wanted->device.type &&
            b->device.id == wanted->device.id) {
            *wanted = forget(pool, i);
            return true;
        }
    }
    return false;
}

static bool worth_keeping(const kf_context *ctx, const kf__block *block) {
    return block->device.type == KF_CUDA || (block->size >= LARGE && !ctx->own_allocator);
}

static void release_kept(kf_context *ctx) {
    for (;;) {
        pthread_mutex_lock(&ctx->pool.mutex);
        bool any = ctx->pool.n > 0;
        kf__block block = {0};
        if (any) block = forget(&ctx->pool, 0);
        pthread_mutex_unlock(&ctx->pool.mutex);
        if (!any) return;
        release(ctx, &block);
    }
}

kf_status kf__pool_take(kf_context *ctx, kf_device device, size_t bytes, kf__block *out,
                        kf_error *err) {
    if (bytes > SIZE_MAX / 4)
        return kf__fail(err, KF_ERR_LIMIT, "an array of %zu bytes is too large", bytes);
    *out = (kf__block){.size = size_class(bytes), .device = device};
    if (!worth_keeping(ctx, out)) return take_fresh(ctx, bytes, out, err);
    kf__pool *pool = &ctx->pool;
    pthread_mutex_lock(&pool->mutex);
    bool found = find_kept(pool, out);
    pool->used_bytes += out->size;
    if (pool->used_bytes > pool->peak_bytes) pool->peak_bytes = pool->used_bytes;
    pthread_mutex_unlock(&pool->mutex);
    if (found || take_fresh(ctx, bytes, out, NULL) == KF_OK) return KF_OK;
    release_kept(ctx); /* perhaps what is kept is in the way */
    kf_status status = take_fresh(ctx, bytes, out, err);
    if (status != KF_OK) {
        pthread_mutex_lock(&pool->mutex);
        pool->used_bytes -= out->size;
        pthread_mutex_unlock(&pool->mutex);
    }
    return status;
}

void kf__pool_give(kf_context *ctx, kf__block *block) {
    if (!block->base) return;
    kf__pool *pool = &ctx->pool;
    kf__block given = *block;
    *block = (kf__block){0};
    if (!worth_keeping(ctx, &given)) {
        release(ctx, &given);
        return;
    }
    /* A kernel may still be reading it; its next owner may be on another stream. */
    if (given.device.type == KF_CUDA) kf__cuda_wait(ctx, given.device.id, NULL);
    kf__block out[KF__POOL_BLOCKS + 1];
    int n = 0;
    pthread_mutex_lock(&pool->mutex);
    pool->used_bytes -= given.size;
    size_t most = most_kept(pool);
    while (pool->n && (pool->n == KF__POOL_BLOCKS || pool->kept_bytes + given.size > most))
        out[n++] = forget(pool, 0);
    if (given.size <= most) {
        pool->kept[pool->n++] = given;
        pool->kept_bytes += given.size;
    } else {
        out[n++] = given;
    }
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < n; i++) release(ctx, &out[i]);
}

void kf__pool_init(kf__pool *pool) {
    pthread_mutex_init(&pool->mutex, NULL);
}

void kf__pool_free(kf_context *ctx) {
    release_kept(ctx);
    pthread_mutex_destroy(&ctx->pool.mutex);
}
