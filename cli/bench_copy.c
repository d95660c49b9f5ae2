/* Copies on the CPU, to know what its memory can do: by the C library's memcpy, and with stores
 * that go around the caches where the processor has them; both by all threads of the context. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bench.h"
#include "run/context.h"

typedef struct copy {
    const char *from;
    char *to;
} copy;

static void plain_range(void *arg, int64_t begin, int64_t end) {
    const copy *c = arg;
    memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
}

#ifdef __SSE2__
static void stream_range(void *arg, int64_t begin, int64_t end) {
    const copy *c = arg;
    int64_t i = begin;
    for (; i + 64 <= end; i += 64) {
        const __m128i *from = (const __m128i *)(const void *)(c->from + i);
        __m128i *to = (__m128i *)(void *)(c->to + i);
        __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
        __m128i d = _mm_loadu_si128(from + 2), e = _mm_loadu_si128(from + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, d);
        _mm_stream_si128(to + 3, e);
    }
    memcpy(c->to + i, c->from + i, (size_t)(end - i));
    _mm_sfence();
}
#else
#define stream_range plain_range
#endif

void bench_cpu_copy(kf_context *ctx, const void *from, void *to, int64_t bytes, bool stream) {
    enum { GRAIN = 1 << 15 };
    copy c = {from, to};
    kf__parallel(ctx, bytes, GRAIN, 2 * bytes, stream ? stream_range : plain_range, &c);
}
