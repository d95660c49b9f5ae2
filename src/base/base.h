/* What every room stands on: errors, arenas, growing arrays, text, hashes, checked integers.
 *
 *   kf_error      one status, one sentence, one place; KF_TRY passes it up
 *   kf__arena     memory of one owner (a graph, a plan), freed in one call
 *   KF__VEC       a growing array over a kf_allocator
 *   kf__text      a growing string; remembers that it ran out of memory, so only the end is checked
 */
#ifndef KFUSE_BASE_BASE_H
#define KFUSE_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <kfuse/kfuse.h>

#define KF__PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define KF__COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---------------------------------------------------------------- errors */

#define KF_TRY(call)                             \
    do {                                         \
        kf_status status_ = (call);              \
        if (status_ != KF_OK) return status_;    \
    } while (0)

/* Write a sentence into err (may be NULL) and return status. The first failure stays: an err that
 * already holds one isn't overwritten. */
kf_status kf__fail(kf_error *err, kf_status status, const char *format, ...) KF__PRINTF(3, 4);
kf_status kf__fail_at(kf_error *err, kf_status status, int line, int column, const char *format,
                      ...) KF__PRINTF(5, 6);
kf_status kf__out_of_memory(kf_error *err);
void kf__error_clear(kf_error *err);

/* ---------------------------------------------------------------- memory */

extern const kf_allocator kf__malloc; /* malloc and free */

static inline void *kf__allocate(const kf_allocator *mem, size_t size) {
    return mem->allocate(mem->user, size);
}
static inline void kf__release(const kf_allocator *mem, void *memory) {
    if (memory) mem->release(mem->user, memory);
}

/* Chunks in a list, newest first; each allocation is the next 16-byte step of the newest chunk:
 *
 *   first -> [link | used used used free....] -> [link | full] -> NULL */
typedef struct kf__arena {
    const kf_allocator *mem; /* outlives the arena */
    struct kf__chunk *first;
    size_t left; /* free bytes at the end of the first chunk */
} kf__arena;

void kf__arena_init(kf__arena *arena, const kf_allocator *mem);
void kf__arena_free(kf__arena *arena);
void *kf__arena_alloc(kf__arena *arena, size_t size); /* zeroed; NULL when out of memory */
void *kf__arena_copy(kf__arena *arena, const void *from, size_t size);
char *kf__arena_string(kf__arena *arena, const char *text, size_t length);
char *kf__arena_printf(kf__arena *arena, const char *format, ...) KF__PRINTF(2, 3);
#define KF__NEW(arena, type, n) ((type *)kf__arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* A growing array. Zero-initialised is empty. KF__PUSH gives false when out of memory. */
#define KF__VEC(type) \
    struct {          \
        type *at;     \
        uint32_t n, capacity; \
    }
#define KF__PUSH(mem, vec, value)                                                                 \
    (((vec)->n < (vec)->capacity ||                                                               \
      kf__vec_grow((mem), (void **)&(vec)->at, &(vec)->capacity, sizeof((vec)->at[0]))) &&        \
     ((vec)->at[(vec)->n++] = (value), true))
#define KF__VEC_FREE(mem, vec) \
    (kf__release((mem), (vec)->at), (vec)->at = NULL, (vec)->n = (vec)->capacity = 0)
bool kf__vec_grow(const kf_allocator *mem, void **at, uint32_t *capacity, size_t item_size);

/* ---------------------------------------------------------------- text */

typedef struct kf__text {
    const kf_allocator *mem;
    char *at; /* always ends with 0 when not NULL */
    size_t n, capacity;
    bool failed;
} kf__text;

/* vsnprintf in the C locale, whatever the program's locale is. */
int kf__vsnprintf(char *to, size_t size, const char *format, va_list args) KF__PRINTF(3, 0);

void kf__text_init(kf__text *text, const kf_allocator *mem);
void kf__text_free(kf__text *text);
void kf__print(kf__text *text, const char *format, ...) KF__PRINTF(2, 3);
void kf__print_bytes(kf__text *text, const char *bytes, size_t n);
void kf__print_double(kf__text *text, double value);     /* shortest that reads back, C locale */
void kf__print_hexfloat(kf__text *text, double value); /* C99 hexadecimal, C locale; no inf, nan */
void kf__print_json(kf__text *text, const char *string); /* quoted and escaped */
/* Numbers in the C locale, whatever the program's locale is. False if it isn't all of the text. */
bool kf__parse_double(const char *text, size_t n, double *out);
bool kf__parse_int(const char *text, size_t n, int64_t *out); /* false also when out of range */

/* ---------------------------------------------------------------- hashes and integers */

uint64_t kf__hash(const void *bytes, size_t n, uint64_t seed);
/* Which of `names` is nearest to `word` (edit distance at most a third of it)? NULL: none is. */
/* Length of the valid UTF-8 sequence at `s`, 0 if there is none. `s` ends with 0. */
size_t kf__utf8_length(const unsigned char *s);
const char *kf__nearest(const char *word, size_t length, const char *const *names, size_t n);

static inline bool kf__add_ok(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}
static inline bool kf__mul_ok(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline int64_t kf__ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static inline int kf__log2_up(int64_t n) { /* the least k of which 2^k is n at least */
    int k = 0;
    while ((int64_t)1 << k < n) ++k;
    return k;
}
static inline int64_t kf__min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t kf__max(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
