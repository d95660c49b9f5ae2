/* Memory: the default allocator, arenas, growing arrays.
 *
 * Chunks double from 4 KiB to 1 MiB, so that a small graph costs one allocation and a large one
 * few. A request larger than the next chunk gets a chunk of its own, linked behind the first, so
 * that the free end of the first stays in use. */

#include <stdlib.h>

#include "base/base.h"

enum { ALIGNMENT = 16, FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20 };

struct kf__chunk {
    struct kf__chunk *next;
    size_t size; /* of what follows this header */
};

_Static_assert(sizeof(struct kf__chunk) % ALIGNMENT == 0, "what follows the header is aligned");

static void *malloc_allocate(void *user, size_t size) {
    (void)user;
    return malloc(size ? size : 1);
}

static void malloc_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

const kf_allocator kf__malloc = {malloc_allocate, malloc_release, NULL};

void kf__arena_init(kf__arena *arena, const kf_allocator *mem) {
    arena->mem = mem;
    arena->first = NULL;
    arena->left = 0;
}

void kf__arena_free(kf__arena *arena) {
    struct kf__chunk *chunk = arena->first;
    while (chunk) {
        struct kf__chunk *next = chunk->next;
        kf__release(arena->mem, chunk);
        chunk = next;
    }
    arena->first = NULL;
    arena->left = 0;
}

static struct kf__chunk *new_chunk(kf__arena *arena, size_t size) {
    struct kf__chunk *chunk = kf__allocate(arena->mem, sizeof *chunk + size);
    if (chunk) chunk->size = size;
    return chunk;
}

/* Room for `size` bytes that the first chunk hasn't left. */
static void *alloc_in_new_chunk(kf__arena *arena, size_t size) {
    struct kf__chunk *first = arena->first;
    size_t next_size = first ? first->size * 2 : FIRST_CHUNK;
    if (next_size > LAST_CHUNK) next_size = LAST_CHUNK;
    bool alone = size > next_size;
    struct kf__chunk *chunk = new_chunk(arena, alone ? size : next_size);
    if (!chunk) return NULL;
    if (alone && first) {
        chunk->next = first->next;
        first->next = chunk;
    } else {
        chunk->next = first;
        arena->first = chunk;
        arena->left = chunk->size - size;
    }
    return chunk + 1;
}

void *kf__arena_alloc(kf__arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    if (size == 0) size = 1;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory;
    if (arena->first && size <= arena->left) {
        memory = (char *)(arena->first + 1) + arena->first->size - arena->left;
        arena->left -= size;
    } else {
        memory = alloc_in_new_chunk(arena, size);
    }
    if (memory) memset(memory, 0, size);
    return memory;
}

void *kf__arena_copy(kf__arena *arena, const void *from, size_t size) {
    void *memory = kf__arena_alloc(arena, size);
    if (memory && size) memcpy(memory, from, size);
    return memory;
}

char *kf__arena_string(kf__arena *arena, const char *text, size_t length) {
    char *string = kf__arena_alloc(arena, length + 1); /* zeroed, so it ends */
    if (string && length) memcpy(string, text, length);
    return string;
}

char *kf__arena_printf(kf__arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = kf__vsnprintf(NULL, 0, format, args);
    char *string = n < 0 ? NULL : kf__arena_alloc(arena, (size_t)n + 1);
    if (string) kf__vsnprintf(string, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return string;
}

bool kf__vec_grow(const kf_allocator *mem, void **at, uint32_t *capacity, size_t item_size) {
    if (*capacity > UINT32_MAX / 2) return false;
    uint32_t wanted = *capacity ? *capacity * 2 : 8;
    size_t bytes;
    if (__builtin_mul_overflow((size_t)wanted, item_size, &bytes)) return false;
    void *larger = kf__allocate(mem, bytes);
    if (!larger) return false;
    if (*at) memcpy(larger, *at, *capacity * item_size);
    kf__release(mem, *at);
    *at = larger;
    *capacity = wanted;
    return true;
}
