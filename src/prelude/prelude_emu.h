/* The CUDA dialect on a CPU, before prelude_common.h (which says how a source is put together): the
 * text of a CUDA kernel, compiled by the system's C compiler, runs with its blocks, threads,
 * barriers, shuffles, shared memory and clusters, and every access is checked. For tests: exact,
 * not fast. After the kernels comes KF_EMU_ENTRY(name, args_type) for each; emulation.h is the
 * host's side.
 *
 * Threads are fibers of one OS thread. A fiber runs one thread after another until one has to wait;
 * then the next fiber goes on with the threads that haven't started, so that a kernel without
 * barriers needs one fiber and no switch at all:
 *
 *     fiber 0   [thread 7 ......... barrier]            [7 goes on .......]
 *     fiber 1                               [thread 0 .. last at barrier ..]
 *
 * Blocks and threads start in a scrambled order. What is reported doesn't depend on the order: each
 * word of shared memory knows who wrote and read it last and in which epoch, that is between which
 * barriers; each byte of the results which thread of the launch wrote and read it. */

#undef _FORTIFY_SOURCE /* its longjmp takes a change of stacks for an attack */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

typedef uint16_t kf_f16, kf_bf16;
typedef uint8_t kf_f8e4m3, kf_f8e5m2;

#define KF_FN static inline __attribute__((unused))
#define KF_UNSEEN(x) (x)
#define KF_LARGER_I32 KF_LARGER
#define KF_SMALLER_I32 KF_SMALLER
#define KF_RESTRICT restrict
#define KF_SIMD
#define KF_UNROLL
#define KF_BRANCHY 1
#define KF_NEAR_TURNS 65536.0f
#define KF_HUGE_F32 __builtin_inff()
#define KF_HUGE_F64 __builtin_inf()
#define KF_NAN_F32 __builtin_nanf("")
#define KF_NAN_F64 __builtin_nan("")

/* ---------------------------------------------------------------- the machine */

#ifndef KF_EMU_RANGE
#define KF_EMU_RANGE
struct kf_emu_range { /* a buffer: bytes [lo, hi) */
    const void *lo, *hi;
    int writable;
};
#endif

enum { KF_MANY = -1, KF_STACK = 1 << 16, KF_ARRAYS = 128, KF_WARP = 32,
       KF_SHARED_BYTES = 48 << 10, /* what a block may declare */
       KF_BARS = 64 /* sets of messages */ };
enum kf__state { KF_READY, KF_AT_BARRIER, KF_AT_SHUFFLE, KF_AT_CLUSTER, KF_AT_MESSAGES, KF_DONE };

struct kf__touch { /* by thread id (1 + its index in the cluster; 0: nobody; KF_MANY readers) */
    int id;
    uint32_t epoch;     /* of its block: barriers passed */
    uint32_t published; /* the cluster arrival that it comes before */
    int message;        /* 1 + the set of messages that it is of; 0: it is none */
};
struct kf__word {
    struct kf__touch write, read;
};
struct kf__array {
    const void *key;
    const char *name;
    char *data;
    int size, count; /* bytes of an item, items */
    struct kf__word *words;
};
struct kf__thread {
    struct kf__block *block;
    struct kf__fiber *fiber;
    struct kf__thread *next; /* in the queue of those that wait for the same or may go on */
    int index, id, state;    /* index in the block, id in the cluster */
    uint32_t arrivals, waits; /* at the cluster's barrier */
    uint32_t shuffles;
    uint64_t collected; /* a bit for each set of messages */
};
struct kf__bar { /* of a set of messages to a block */
    struct kf__thread *waiting;
    int told, expected, received; /* is it told how many bytes to expect? */
};
struct kf__warp {
    struct kf__thread *waiting;
    int arrived, kind;
    uint64_t value[2][KF_WARP]; /* of every other shuffle: a lane may be one ahead */
};
struct kf__block {
    struct kf__thread *waiting; /* at the barrier */
    struct kf__warp *warps;
    int64_t x, y;
    uint32_t epoch, put_published; /* the last cluster arrival that a put from elsewhere precedes */
    int rank, arrived, n_arrays, shared_bytes;
    struct kf__array arrays[KF_ARRAYS];
    struct kf__bar bars[KF_BARS];
    int n_bars;
};
struct kf__fiber {
    jmp_buf at;
    ucontext_t start;
    void *stack;
    struct kf__fiber *next_free, *next;
    int is_new;
};
struct kf__range {
    const char *lo, *hi;
    int writable;
    uint32_t *writer, *reader; /* of each byte: 1 + index of a thread of the launch, or 0 */
    uint32_t *read_at; /* in which epoch of its block it was last read, * 2, + 1: by several */
};
struct kf__machine {
    const char *kernel;
    void (*run)(const void *);
    const void *args;
    struct kf__thread *now, *threads, *ready, **ready_end, *cluster_waiting;
    struct kf__block *blocks;
    struct kf__fiber *fibers, *free, *starting;
    struct kf__range *ranges;
    int n_ranges, last_range;
    int64_t grid_x;
    int block_size, cluster, total, started, step, done; /* threads of the cluster in the making */
    int cluster_arrived;
    uint32_t phase; /* of the cluster's barrier */
    int failed;
    char *report;
    size_t report_size;
    jmp_buf idle; /* nothing can go on */
};
static _Thread_local struct kf__machine *kf__m;

static __attribute__((format(printf, 1, 2), noinline, unused)) void kf__wrong(const char *format,
                                                                             ...) {
    struct kf__machine *m = kf__m;
    if (m->failed++ || !m->report_size) return;
    int n = 0;
    if (m->now)
        n = snprintf(m->report, m->report_size, "%s: thread %d of block (%lld, %lld) ", m->kernel,
                     m->now->index, (long long)m->now->block->x, (long long)m->now->block->y);
    else
        n = snprintf(m->report, m->report_size, "%s: ", m->kernel);
    if (n < 0 || (size_t)n >= m->report_size) return;
    va_list args;
    va_start(args, format);
    vsnprintf(m->report + n, m->report_size - (size_t)n, format, args);
    va_end(args);
}

/* ---------------------------------------------------------------- fibers */

static void kf__fiber_main(void);

/* Leave this fiber, whose state is saved, for another one. */
static __attribute__((noreturn, noinline)) void kf__go_on(struct kf__machine *m) {
    if (m->started < m->total) {
        struct kf__fiber *f = m->free;
        if (f) {
            m->free = f->next_free;
            _longjmp(f->at, 1);
        }
        f = (struct kf__fiber *)calloc(1, sizeof(*f));
        void *stack = f ? malloc(KF_STACK) : NULL;
        if (stack && getcontext(&f->start) == 0) {
            f->stack = stack;
            f->next = m->fibers;
            m->fibers = m->starting = f;
            f->start.uc_stack.ss_sp = stack;
            f->start.uc_stack.ss_size = KF_STACK;
            f->start.uc_link = NULL;
            makecontext(&f->start, kf__fiber_main, 0);
            setcontext(&f->start);
        }
        free(stack);
        free(f);
        m->now = NULL;
        kf__wrong("out of memory for the stacks of %d threads", m->total);
        _longjmp(m->idle, 1);
    }
    struct kf__thread *t = m->ready;
    if (!t) _longjmp(m->idle, 1);
    m->ready = t->next;
    if (!m->ready) m->ready_end = &m->ready;
    m->now = t;
    t->state = KF_READY;
    _longjmp(t->fiber->at, 1);
}
static __attribute__((noinline)) void kf__leave(struct kf__machine *m, struct kf__fiber *f) {
    if (_setjmp(f->at) == 0) kf__go_on(m);
}
static void kf__fiber_main(void) {
    struct kf__machine *m = kf__m;
    struct kf__fiber *self = m->starting;
    for (;;) {
        while (m->started < m->total) {
            int i = (int)((int64_t)m->started++ * m->step % m->total);
            struct kf__thread *t = m->now = &m->threads[i];
            t->fiber = self;
            m->run(m->args);
            t->state = KF_DONE;
            m->done++;
        }
        self->next_free = m->free;
        m->free = self;
        kf__leave(m, self);
    }
}
static void kf__wait(struct kf__machine *m, struct kf__thread **queue, int state) {
    struct kf__thread *t = m->now;
    t->state = state;
    t->next = *queue;
    *queue = t;
    kf__leave(m, t->fiber);
}
static void kf__wake(struct kf__machine *m, struct kf__thread **queue) {
    if (!*queue) return;
    *m->ready_end = *queue;
    while (*m->ready_end) m->ready_end = &(*m->ready_end)->next;
    *queue = NULL;
}

/* ---------------------------------------------------------------- barriers and shuffles */

#define KF_KERNEL(name, args_type, threads) \
    enum { name##_threads = threads };      \
    static void name(const args_type a)

KF_FN int kf_thread(void) { return kf__m->now->index; }
KF_FN int64_t kf_block(void) { return kf__m->now->block->x; }
KF_FN int64_t kf_block_y(void) { return kf__m->now->block->y; }
KF_FN int kf_cluster_rank(void) { return kf__m->now->block->rank; }

static __attribute__((unused)) void kf_barrier(void) {
    struct kf__machine *m = kf__m;
    struct kf__block *b = m->now->block;
    if (++b->arrived < m->block_size) {
        kf__wait(m, &b->waiting, KF_AT_BARRIER);
        return;
    }
    b->arrived = 0;
    b->epoch++;
    kf__wake(m, &b->waiting);
}
static __attribute__((unused)) void kf_cluster_arrive(void) {
    struct kf__machine *m = kf__m;
    if (m->now->arrivals != m->now->waits)
        kf__wrong("arrives at the cluster's barrier twice without waiting");
    m->now->arrivals++;
    if (++m->cluster_arrived < m->total) return;
    m->cluster_arrived = 0;
    m->phase++;
    kf__wake(m, &m->cluster_waiting);
}
KF_FN void kf_cluster_begin(void) { kf_cluster_arrive(); }
static __attribute__((unused)) void kf_cluster_wait(void) {
    struct kf__machine *m = kf__m;
    struct kf__thread *t = m->now;
    if (t->arrivals != t->waits + 1)
        kf__wrong("waits at the cluster's barrier without having arrived");
    else if (m->phase < t->arrivals)
        kf__wait(m, &m->cluster_waiting, KF_AT_CLUSTER);
    t->waits = t->arrivals;
}
/* Messages: see prelude_cuda.cuh. */
static __attribute__((unused)) void kf_cluster_open(uint64_t *bars, int n) {
    (void)bars;
    if (n > KF_BARS) kf__wrong("opens %d sets of messages", n);
    kf__m->now->block->n_bars = n;
    kf_cluster_begin();
}
static struct kf__bar *kf__bar_of(struct kf__block *b, int k) {
    if (k >= 0 && k < b->n_bars && k < KF_BARS) return &b->bars[k];
    kf__wrong("uses set %d of messages, but its block has opened %d", k, b->n_bars);
    return NULL;
}
static void kf__wake_collectors(struct kf__machine *m, struct kf__bar *bar) {
    if (!bar->told) return;
    if (bar->received > bar->expected)
        kf__wrong("gets %d bytes of messages instead of %d", bar->received, bar->expected);
    if (bar->received >= bar->expected) kf__wake(m, &bar->waiting);
}
static __attribute__((unused)) void kf_cluster_collect(uint64_t *bars, int k, int bytes) {
    struct kf__machine *m = kf__m;
    struct kf__thread *t = m->now;
    struct kf__bar *bar = kf__bar_of(t->block, k);
    (void)bars;
    if (!bar) return;
    if (t->index == 0) {
        if (bar->told) kf__wrong("collects set %d of messages twice", k);
        bar->told = 1;
        bar->expected = bytes;
        kf__wake_collectors(m, bar);
    }
    if (!bar->told || bar->received < bar->expected)
        kf__wait(m, &bar->waiting, KF_AT_MESSAGES);
    t->collected |= (uint64_t)1 << k;
}
/* kind: which function of which dtype; all lanes must be at the same. */
static __attribute__((unused)) uint64_t kf__shuffle(uint64_t bits, int kind, int from) {
    struct kf__machine *m = kf__m;
    struct kf__thread *t = m->now;
    struct kf__warp *w = &t->block->warps[t->index / KF_WARP];
    uint32_t turn = t->shuffles++ & 1;
    if (w->arrived && w->kind != kind)
        kf__wrong("is at another shuffle than the other lanes of its warp");
    w->kind = kind;
    w->value[turn][t->index % KF_WARP] = bits;
    if (++w->arrived < KF_WARP) {
        kf__wait(m, &w->waiting, KF_AT_SHUFFLE);
    } else {
        w->arrived = 0;
        kf__wake(m, &w->waiting);
    }
    return w->value[turn][from & (KF_WARP - 1)];
}
#define KF_SHUFFLE(N, T, KIND)                                                                \
    KF_FN T kf__shfl_##N(T v, int kind, int lane) {                                           \
        uint64_t bits = 0;                                                                    \
        memcpy(&bits, &v, sizeof(v));                                                         \
        bits = kf__shuffle(bits, kind, lane);                                                 \
        memcpy(&v, &bits, sizeof(v));                                                         \
        return v;                                                                             \
    }                                                                                         \
    KF_FN T kf_shfl_xor_##N(T v, int lane_mask) {                                             \
        return kf__shfl_##N(v, 2 * KIND, (kf_thread() ^ lane_mask));                          \
    }                                                                                         \
    KF_FN T kf_shfl_##N(T v, int lane) { return kf__shfl_##N(v, 2 * KIND + 1, lane); }
KF_SHUFFLE(f64, double, 1)
KF_SHUFFLE(f32, float, 2)
KF_SHUFFLE(i64, int64_t, 3)
KF_SHUFFLE(i32, int32_t, 4)
KF_SHUFFLE(i16, int16_t, 5)
KF_SHUFFLE(i8, int8_t, 6)
KF_SHUFFLE(u8, uint8_t, 7)
KF_SHUFFLE(bool, int, 8)

/* ---------------------------------------------------------------- shared memory */

#define KF_SHARED(type, name, count)                                                          \
    static const char name##_key = 0;                                                         \
    type *const name =                                                                        \
        (type *)kf__shared(kf__m->now->block, &name##_key, #name, sizeof(type), count)

/* The array of a block; made, and filled with rubbish, by the first thread that comes to it. */
static __attribute__((unused)) void *kf__shared(struct kf__block *b, const void *key,
                                                const char *name, size_t size, int count) {
    static double nothing[2];
    struct kf__array *a = b->arrays;
    if (count < 1) kf__wrong("declares shared memory of no elements"); /* which NVRTC refuses */
    for (; a < b->arrays + b->n_arrays; a++)
        if (a->key == key) return a->data;
    int64_t bytes = b->shared_bytes + (int64_t)size * count;
    int fits = b->n_arrays < KF_ARRAYS && bytes <= KF_SHARED_BYTES;
    char *data = fits ? (char *)malloc(size * (size_t)count + 1) : NULL;
    struct kf__word *words = data ? (struct kf__word *)calloc((size_t)count, sizeof(*words)) : NULL;
    if (!words) {
        free(data);
        kf__wrong("declares too much shared memory");
        return nothing;
    }
    memset(data, 0xA5, size * (size_t)count);
    b->n_arrays++;
    b->shared_bytes = (int)bytes;
    *a = (struct kf__array){key, name, data, (int)size, count, words};
    return data;
}
static struct kf__array *kf__shared_item(const void *array, int i, const char *what) {
    struct kf__block *b = kf__m->now->block;
    for (struct kf__array *a = b->arrays; a < b->arrays + b->n_arrays; a++) {
        if (a->data != array) continue;
        if (i >= 0 && i < a->count) return a;
        kf__wrong("%s item %d of the shared array %s, which has %d", what, i, a->name, a->count);
        return NULL;
    }
    kf__wrong("%s through a pointer that isn't the start of a shared array", what);
    return NULL;
}
/* Does what `touch` says come before what the thread that runs does now? */
static int kf__before(const struct kf__touch *touch, const struct kf__block *home) {
    const struct kf__machine *m = kf__m;
    const struct kf__thread *t = m->now;
    if (touch->message) return (t->collected >> (touch->message - 1) & 1) != 0;
    if (touch->id == 0 || touch->id == t->id || touch->published <= t->waits) return 1;
    const struct kf__block *by =
        touch->id == KF_MANY ? home : &m->blocks[(touch->id - 1) / m->block_size];
    return by == t->block && touch->epoch < t->block->epoch;
}
static struct kf__touch kf__touched(void) {
    const struct kf__thread *t = kf__m->now;
    return (struct kf__touch){t->id, t->block->epoch, t->arrivals + 1, 0};
}
static void kf__race(const struct kf__array *a, int i, const char *what, const char *other,
                     int id) {
    if (id == KF_MANY)
        kf__wrong("%s item %d of the shared array %s, which several threads %s, without a barrier "
                  "between", what, i, a->name, other);
    else
        kf__wrong("%s item %d of the shared array %s, which thread %d of the cluster's block %d "
                  "%s, without a barrier between", what, i, a->name, (id - 1) % kf__m->block_size,
                  (id - 1) / kf__m->block_size, other);
}
static __attribute__((unused)) void kf__shared_read(const void *array, int i, void *value,
                                                    size_t size) {
    struct kf__array *a = kf__shared_item(array, i, "reads");
    memset(value, 0, size);
    if (!a) return;
    struct kf__block *home = kf__m->now->block;
    struct kf__word *w = &a->words[i];
    struct kf__touch me = kf__touched();
    if (w->write.id == 0)
        kf__wrong("reads item %d of the shared array %s, which was never written", i, a->name);
    else if (!kf__before(&w->write, home))
        kf__race(a, i, "reads", "writes", w->write.id);
    if (!kf__before(&w->read, home)) { /* others in the same epoch */
        if (w->read.epoch > me.epoch) me.epoch = w->read.epoch;
        if (w->read.published > me.published) me.published = w->read.published;
        me.id = KF_MANY;
    }
    w->read = me;
    memcpy(value, a->data + (size_t)i * size, size);
}
static void kf__shared_write_to(struct kf__array *a, struct kf__block *home, int i,
                                const void *value, size_t size, int message) {
    struct kf__word *w = &a->words[i];
    if (!kf__before(&w->write, home)) kf__race(a, i, "writes", "writes too", w->write.id);
    if (!kf__before(&w->read, home)) kf__race(a, i, "writes", "reads", w->read.id);
    w->write = kf__touched();
    w->write.message = message;
    w->read.id = 0;
    memcpy(a->data + (size_t)i * size, value, size);
}
static __attribute__((unused)) void kf__shared_write(void *array, int i, const void *value,
                                                     size_t size) {
    struct kf__array *a = kf__shared_item(array, i, "writes");
    if (a) kf__shared_write_to(a, kf__m->now->block, i, value, size, 0);
}
/* message: 1 + the set that it is of, or 0. */
static __attribute__((unused)) void kf__cluster_write(void *array, int i, int rank,
                                                      const void *value, size_t size,
                                                      int message) {
    struct kf__machine *m = kf__m;
    struct kf__array *a = kf__shared_item(array, i, "writes");
    if (!a) return;
    if (rank < 0 || rank >= m->cluster) {
        kf__wrong("writes to block %d of a cluster of %d", rank, m->cluster);
        return;
    }
    struct kf__block *there = &m->blocks[rank];
    if (there != m->now->block && m->now->waits == 0)
        kf__wrong("writes to another block's %s before a barrier of the cluster tells that the "
                  "block has started", a->name);
    if (!message && there != m->now->block && m->now->arrivals + 1 > there->put_published)
        there->put_published = m->now->arrivals + 1;
    void *data = kf__shared(there, a->key, a->name, (size_t)a->size, a->count);
    for (struct kf__array *to = there->arrays; to < there->arrays + there->n_arrays; to++)
        if (to->data == data) kf__shared_write_to(to, there, i, value, size, message);
    struct kf__bar *bar = message ? kf__bar_of(there, message - 1) : NULL;
    if (!bar) return;
    if (size < 4) kf__wrong("sends a message of %d bytes", (int)size);
    bar->received += (int)size;
    kf__wake_collectors(m, bar);
}
#define KF_IN_SHARED(N, T)                                                                    \
    KF_FN T kf_shared_get_##N(const T *array, int i) {                                        \
        T v;                                                                                  \
        kf__shared_read(array, i, &v, sizeof(v));                                             \
        return v;                                                                             \
    }                                                                                         \
    KF_FN void kf_shared_put_##N(T *array, int i, T v) {                                      \
        kf__shared_write(array, i, &v, sizeof(v));                                            \
    }                                                                                         \
    KF_FN void kf_cluster_put_##N(T *array, int i, int rank, T v) {                           \
        kf__cluster_write(array, i, rank, &v, sizeof(v), 0);                                  \
    }
KF_IN_SHARED(f64, double)
KF_IN_SHARED(f32, float)
KF_IN_SHARED(i64, int64_t)
KF_IN_SHARED(i32, int32_t)
KF_IN_SHARED(i16, int16_t)
KF_IN_SHARED(i8, int8_t)
KF_IN_SHARED(u8, uint8_t)
KF_IN_SHARED(bool, int)
#define KF_CLUSTER_SEND(N, T)                                                                 \
    KF_FN void kf_cluster_send_##N(T *array, int i, int rank, T v, uint64_t *bars, int k) {   \
        (void)bars;                                                                           \
        kf__cluster_write(array, i, rank, &v, sizeof(v), 1 + k);                              \
    }
KF_CLUSTER_SEND(f64, double)
KF_CLUSTER_SEND(f32, float)
KF_CLUSTER_SEND(i64, int64_t)
KF_CLUSTER_SEND(i32, int32_t)
KF_CLUSTER_SEND(bool, int)

/* Where item i of a dense array is: 4 bytes are left out behind each 128. */
KF_FN int kf__dense(int i, int size) { return i + i / (128 / size) * (size < 4 ? 4 / size : 1); }
#define KF_THROUGH_SHARED(N, T)                                                               \
    KF_FN void kf_dense_put16_##N(T *array, int i, const uint32_t *words) {                   \
        if (i * (int)sizeof(T) % 16) kf__wrong("writes 16 bytes to a place that isn't aligned"); \
        for (int k = 0; k < 16 / (int)sizeof(T); k++)                                         \
            kf__shared_write(array, kf__dense(i + k, sizeof(T)),                              \
                             (const char *)words + k * (int)sizeof(T), sizeof(T));            \
    }                                                                                         \
    KF_FN void kf_dense_get16_##N(const void *array, int i, uint32_t *words) {                \
        if (i * (int)sizeof(T) % 16) kf__wrong("reads 16 bytes from a place that isn't aligned"); \
        for (int k = 0; k < 16 / (int)sizeof(T); k++)                                         \
            kf__shared_read(array, kf__dense(i + k, sizeof(T)),                               \
                            (char *)words + k * (int)sizeof(T), sizeof(T));                   \
    }                                                                                         \
    KF_FN void kf_shared_put16_##N(T *array, int i, const uint32_t *words) {                  \
        if (i * (int)sizeof(T) % 4) kf__wrong("writes 16 bytes to a place that isn't aligned"); \
        for (int k = 0; k < 16 / (int)sizeof(T); k++)                                         \
            kf__shared_write(array, i + k, (const char *)words + k * (int)sizeof(T), sizeof(T)); \
    }                                                                                         \
    KF_TAKE(1, N, T) KF_TAKE(2, N, T) KF_TAKE(4, N, T) KF_TAKE(8, N, T) KF_TAKE(16, N, T)
#define KF_TAKE(W, N, T)                                                                      \
    KF_FN void kf_shared_take##W##_##N(const T *array, int i, int pitch, uint32_t *words) {   \
        __builtin_memset(words, 0, (W * sizeof(T) + 3) / 4 * 4);                              \
        for (int k = 0; k < W; k++)                                                           \
            kf__shared_read(array, i + k * pitch, (char *)words + k * (int)sizeof(T), sizeof(T)); \
    }                                                                                         \
    KF_FN void kf_dense_take##W##_##N(const T *array, int i, int pitch, uint32_t *words) {    \
        __builtin_memset(words, 0, (W * sizeof(T) + 3) / 4 * 4);                              \
        for (int k = 0; k < W; k++)                                                           \
            kf__shared_read(array, kf__dense(i + k * pitch, sizeof(T)),                       \
                            (char *)words + k * (int)sizeof(T), sizeof(T));                   \
    }
KF_THROUGH_SHARED(i64, int64_t)
KF_THROUGH_SHARED(i32, int32_t)
KF_THROUGH_SHARED(i16, int16_t)
KF_THROUGH_SHARED(i8, int8_t)

/* ---------------------------------------------------------------- global memory */

static __attribute__((noinline)) void kf__outside(const char *p, int size, int write) {
    struct kf__machine *m = kf__m;
    int64_t distance = INT64_MAX;
    const struct kf__range *nearest = NULL;
    for (const struct kf__range *r = m->ranges; r < m->ranges + m->n_ranges; r++) {
        int64_t d = p < r->lo ? r->lo - p : p - r->hi;
        if (d < distance) distance = d, nearest = r;
    }
    const char *what = write ? "writes" : "reads";
    if (!nearest)
        kf__wrong("%s %d bytes, but there are no buffers", what, size);
    else
        kf__wrong("%s %d bytes at offset %lld of a buffer of %lld bytes", what, size,
                  (long long)(p - nearest->lo), (long long)(nearest->hi - nearest->lo));
}
static __attribute__((unused)) int kf__other_block(uint32_t reader, uint32_t me) {
    uint32_t threads = (uint32_t)kf__m->block_size;
    return reader == UINT32_MAX || (reader - 1) / threads != (me - 1) / threads;
}
static __attribute__((unused)) void kf__note_read(struct kf__range *r, int64_t at, uint32_t me) {
    uint32_t reader = r->reader[at], epoch = kf__m->now->block->epoch;
    int others = reader != 0 && reader != me;
    if (others && kf__other_block(reader, me)) {
        r->reader[at] = UINT32_MAX;
        return;
    }
    r->reader[at] = me;
    r->read_at[at] = epoch * 2 + (uint32_t)(others || (reader && r->read_at[at] & 1));
}
/* May it be written, as for what has been read of it? By the thread that read it, and behind a
 * barrier by others of its block: results may lie in an input's place. */
static __attribute__((unused)) int kf__read_before(const struct kf__range *r, int64_t at,
                                                   uint32_t me) {
    uint32_t reader = r->reader[at], epoch = kf__m->now->block->epoch;
    if (reader == 0 || (reader == me && !(r->read_at[at] & 1))) return 1;
    return !kf__other_block(reader, me) && r->read_at[at] / 2 < epoch;
}

/* What a load reads that has nothing to load: from a multiple of 16 on. It isn't left to the
 * attribute, which tcc does without. */
static const uint64_t kf__zeros[6] __attribute__((unused));

/* May `size` bytes at p be read or written? Also notes that they were. */
static __attribute__((unused)) int kf__touch_memory(const void *at, int size, int write) {
    struct kf__machine *m = kf__m;
    const char *p = (const char *)at;
    if (p >= (const char *)kf__zeros && p + size <= (const char *)(kf__zeros + 6)) return !write;
    struct kf__range *r = &m->ranges[m->last_range];
    if (!m->n_ranges || p < r->lo || p + size > r->hi) {
        for (r = m->ranges; r < m->ranges + m->n_ranges; r++)
            if (p >= r->lo && p + size <= r->hi) break;
        if (r == m->ranges + m->n_ranges) {
            kf__outside(p, size, write);
            return 0;
        }
        m->last_range = (int)(r - m->ranges);
    }
    if (!r->writable) {
        if (write) kf__wrong("writes at offset %lld of a buffer that is only read",
                             (long long)(p - r->lo));
        return !write;
    }
    int64_t block = m->now->block->y * m->grid_x + m->now->block->x;
    uint32_t me = (uint32_t)(block * m->block_size + m->now->index) + 1;
    uint32_t *writer = r->writer + (p - r->lo);
    for (int k = 0; k < size; k++) {
        if (writer[k] && writer[k] != me)
            kf__wrong("%s at offset %lld of a buffer, where another thread of the launch writes",
                      write ? "writes" : "reads", (long long)(p - r->lo) + k);
        if (write && !kf__read_before(r, p - r->lo + k, me))
            kf__wrong("writes at offset %lld of a buffer, where another thread of the launch reads",
                      (long long)(p - r->lo) + k);
        if (write) writer[k] = me;
        else kf__note_read(r, p - r->lo + k, me);
    }
    return 1;
}
static __attribute__((unused)) void kf__check_vector(const void *p, size_t size) {
    size_t alignment = size < 16 ? size : 16;
    if ((uintptr_t)p % alignment != 0)
        kf__wrong("accesses a vector at an address that isn't a multiple of %d", (int)alignment);
}

/* ---------------------------------------------------------------- floats */

KF_FN int32_t kf_bits_f32(float v) {
    int32_t bits;
    memcpy(&bits, &v, 4);
    return bits;
}
KF_FN float kf_float_f32(int32_t bits) {
    float v;
    memcpy(&v, &bits, 4);
    return v;
}
KF_FN int64_t kf_bits_f64(double v) {
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
KF_FN double kf_float_f64(int64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
KF_FN float kf_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KF_FN float kf_fma_exact_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KF_FN float kf_divn_f32(float a, float b) { return a / b; }
KF_FN float kf_select_f32(int condition, float a, float b) { return condition ? a : b; }
KF_FN float kf_max_f32(float a, float b) { /* as the instruction: +0 above -0 */
    if (a == b) return kf_float_f32(kf_bits_f32(a) & kf_bits_f32(b));
    return a > b || a != a ? a : b;
}
KF_FN float kf_min_f32(float a, float b) {
    if (a == b) return kf_float_f32(kf_bits_f32(a) | kf_bits_f32(b));
    return a < b || a != a ? a : b;
}
KF_FN double kf_max_f64(double a, double b) { return a > b || a != a ? a : b; }
KF_FN double kf_min_f64(double a, double b) { return a < b || a != a ? a : b; }
KF_FN float kf_raise_f32(float x, float bound) { return kf_max_f32(x, bound); }
KF_FN float kf_clamp_f32(float x, float low, float high) {
    return kf_min_f32(kf_max_f32(x, low), high);
}

#define KF_BASIC(N, T, F)                                                                     \
    KF_FN T kf_abs_##N(T a) { return __builtin_fabs##F(a); }                                  \
    KF_FN T kf_sqrt_##N(T a) { return __builtin_sqrt##F(a); }                                 \
    KF_FN T kf_round_##N(T a) { return __builtin_rint##F(a); }                                \
    KF_FN T kf_floor_##N(T a) { return __builtin_floor##F(a); }                               \
    KF_FN T kf_ceil_##N(T a) { return __builtin_ceil##F(a); }                                 \
    KF_FN T kf_trunc_##N(T a) { return __builtin_trunc##F(a); }                               \
    KF_FN T kf_fused_##N(T a, T b, T c) { return __builtin_fma##F(a, b, c); }
KF_BASIC(f32, float, f)
KF_BASIC(f64, double, )
KF_FN float kf_fmod_f32(float a, float b) { return __builtin_fmodf(a, b); }

#define KF_TO_INT(FROM, F, TO, T, bound, lowest, highest)                                     \
    KF_FN T kf_cast_##FROM##_##TO(F v) {                                                      \
        return v != v ? 0 : v >= bound ? highest : v < -bound ? lowest : (T)v;                \
    }
KF_TO_INT(f32, float, i32, int32_t, 0x1p31f, INT32_MIN, INT32_MAX)
KF_TO_INT(f32, float, i64, int64_t, 0x1p63f, INT64_MIN, INT64_MAX)
KF_TO_INT(f64, double, i32, int32_t, 0x1p31, INT32_MIN, INT32_MAX)
KF_TO_INT(f64, double, i64, int64_t, 0x1p63, INT64_MIN, INT64_MAX)

/* ---------------------------------------------------------------- f16, bf16, loads, stores */

KF_FN float kf__from_f16(kf_f16 h) {
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float size = exponent == 31 ? kf_float_f32(0x7f800000 | mantissa << 13)
                 : exponent     ? kf_float_f32((exponent + 112) << 23 | mantissa << 13)
                                : (float)mantissa * 0x1p-24f;
    return h & 0x8000 ? -size : size;
}
KF_FN kf_f16 kf__to_f16(float v) {
    int32_t bits = kf_bits_f32(v), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (size > 0x7f800000) return (kf_f16)(sign | 0x7fff);
    if (size >= 0x47800000) return (kf_f16)(sign | 0x7c00);
    if (size < 0x38800000) /* denormal: in units of 2^-24 */
        return (kf_f16)(sign | (int)__builtin_rintf(kf_float_f32(size) * 0x1p24f));
    return (kf_f16)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}
KF_FN float kf__from_bf16(kf_bf16 h) { return kf_float_f32((int32_t)((uint32_t)h << 16)); }
KF_FN kf_bf16 kf__to_bf16(float v) {
    uint32_t bits = (uint32_t)kf_bits_f32(v);
    return (kf_bf16)(v == v ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fff);
}
KF_FN float kf_round_f16(float v) { return kf__from_f16(kf__to_f16(v)); }
KF_FN float kf_round_bf16(float v) { return kf__from_bf16(kf__to_bf16(v)); }

#define KF_WIDE(W, N, S, T)                                                                   \
    KF_FN void kf_load##W##_##N(const S *p, int64_t i, int64_t n, int vec, uint32_t *words) { \
        if (vec && i + W <= n) kf__check_vector(p + i, W * sizeof(S));                        \
        __builtin_memset(words, 0, (W * sizeof(S) + 3) / 4 * 4);                              \
        for (int k = 0; k < W && i + k < n; k++)                                              \
            if (kf__touch_memory(p + i + k, sizeof(S), 0))                                    \
                __builtin_memcpy((char *)words + k * (int)sizeof(S), p + i + k, sizeof(S));   \
    }                                                                                         \
    KF_FN void kf_part##W##_##N(const S *p, int64_t begin, int64_t end, uint32_t *words) {    \
        __builtin_memset(words, 0, (W * sizeof(S) + 3) / 4 * 4);                              \
        for (int k = 0; k < W; k++)                                                           \
            if (k >= begin && k < end && kf__touch_memory(p + k, sizeof(S), 0))               \
                __builtin_memcpy((char *)words + k * (int)sizeof(S), p + k, sizeof(S));       \
    }                                                                                         \
    KF_FN void kf_store##W##_##N(S *p, int64_t i, int64_t n, int vec, const T *r) {           \
        if (vec && i + W <= n) kf__check_vector(p + i, W * sizeof(S));                        \
        for (int k = 0; k < W; k++)                                                           \
            if (i + k < n) kf_store_##N(p, i + k, r[k]);                                      \
    }                                                                                         \
    KF_FN void kf_row_store##W##_##N(S *p, int64_t n, int vec, const T *r) {                  \
        kf_shfl_xor_i32(0, 1); /* all lanes are here */                                       \
        kf_store##W##_##N(p, 0, n, vec, r);                                                   \
    }
#define KF_MEMORY(N, S, T, FROM, TO)                                                          \
    KF_FN const S *kf_zeros_##N(void) {                                                       \
        return (const S *)(((uintptr_t)kf__zeros + 15) / 16 * 16);                            \
    }                                                                                         \
    KF_FN void kf_single_##N(const S *p, uint32_t *raw) {                                     \
        raw[0] = 0;                                                                           \
        if (kf__touch_memory(p, sizeof(S), 0)) __builtin_memcpy(raw, p, sizeof(S));           \
    }                                                                                         \
    KF_FN T kf_load_##N(const S *p, int64_t i) {                                              \
        return kf__touch_memory(p + i, sizeof(S), 0) ? (T)FROM(p[i]) : (T)0;                  \
    }                                                                                         \
    KF_FN void kf_store_##N(S *p, int64_t i, T v) {                                           \
        if (kf__touch_memory(p + i, sizeof(S), 1)) p[i] = (S)TO(v);                           \
    }                                                                                         \
    KF_FN void kf_dense_put_##N(S *array, int i, T v) {                                       \
        S stored = (S)TO(v);                                                                  \
        kf__shared_write(array, kf__dense(i, sizeof(S)), &stored, sizeof(S));                 \
    }                                                                                         \
    KF_FN T kf_item_##N(const uint32_t *words, int e) {                                       \
        S v;                                                                                  \
        __builtin_memcpy(&v, (const char *)words + e * (int)sizeof v, sizeof v);              \
        return (T)FROM(v);                                                                    \
    }                                                                                         \
    KF_WIDE(2, N, S, T) KF_WIDE(4, N, S, T) KF_WIDE(8, N, S, T) KF_WIDE(16, N, S, T)
#define KF_IS_SET(v) ((v) != 0)
KF_MEMORY(f64, double, double, , )
KF_MEMORY(f32, float, float, , )
KF_MEMORY(f16, kf_f16, float, kf__from_f16, kf__to_f16)
KF_MEMORY(bf16, kf_bf16, float, kf__from_bf16, kf__to_bf16)
KF_MEMORY(i64, int64_t, int64_t, , )
KF_MEMORY(i32, int32_t, int32_t, , )
KF_MEMORY(i16, int16_t, int16_t, , )
KF_MEMORY(i8, int8_t, int8_t, , )
KF_MEMORY(u8, uint8_t, uint8_t, , )
KF_MEMORY(bool, uint8_t, int, KF_IS_SET, KF_IS_SET)
#define KF_STORE16(N, SIZE)                                                                   \
    KF_FN void kf_store16_##N(void *p, int64_t i, int64_t n, int vec, const uint32_t *words) { \
        char *to = (char *)p + i * SIZE;                                                      \
        if (vec && i + 16 / SIZE <= n) kf__check_vector(to, 16);                              \
        for (int k = 0; k < 16 / SIZE && i + k < n; k++)                                      \
            if (kf__touch_memory(to + k * SIZE, SIZE, 1))                                     \
                __builtin_memcpy(to + k * SIZE, (const char *)words + k * SIZE, SIZE);        \
    }
KF_STORE16(bits8, 1)
KF_STORE16(bits16, 2)
KF_STORE16(bits32, 4)
KF_STORE16(bits64, 8)

/* ---------------------------------------------------------------- a launch */

/* A step that visits each of 0 .. n - 1 once in a scrambled order. */
static int64_t kf__scramble(int64_t n) {
    int64_t step = (int64_t)(0.618 * (double)n) | 1;
    for (;; step += 2) {
        int64_t a = n, b = step;
        while (b) {
            int64_t rest = a % b;
            a = b, b = rest;
        }
        if (a == 1) return step;
    }
}
/* Why nothing can go on though not all threads are done. */
static void kf__stuck(struct kf__machine *m) {
    static const char *const where[] = {"", "a barrier", "a shuffle", "the cluster's barrier",
                                        "a set of messages"};
    struct kf__thread *waits = NULL, *other = NULL;
    for (struct kf__thread *t = m->threads; t < m->threads + m->total; t++)
        if (t->state != KF_DONE && (!waits || t->state < waits->state)) waits = t;
    for (struct kf__thread *t = m->threads; t < m->threads + m->total; t++) {
        int peer = waits->state >= KF_AT_CLUSTER ||
                   (t->block == waits->block && (waits->state == KF_AT_BARRIER ||
                                                 t->index / KF_WARP == waits->index / KF_WARP));
        if (peer && t->state != waits->state) other = t;
    }
    m->now = waits;
    if (!other)
        kf__wrong("waits at %s in vain: its warp has fewer than 32 threads", where[waits->state]);
    else if (other->state == KF_DONE)
        kf__wrong("waits at %s, but thread %d of block (%lld, %lld) has ended", where[waits->state],
                  other->index, (long long)other->block->x, (long long)other->block->y);
    else
        kf__wrong("waits at %s, but thread %d of block (%lld, %lld) at %s", where[waits->state],
                  other->index, (long long)other->block->x, (long long)other->block->y,
                  where[other->state]);
}
/* The blocks of one cluster, from block (x, y) on. */
static __attribute__((noinline)) void kf__run_cluster(struct kf__machine *m, int64_t x, int64_t y) {
    int warps = (m->block_size + KF_WARP - 1) / KF_WARP;
    for (int r = 0; r < m->cluster; r++) {
        struct kf__block *b = &m->blocks[r];
        struct kf__warp *w = b->warps;
        memset(w, 0, sizeof(*w) * (size_t)warps);
        memset(b, 0, sizeof(*b));
        b->warps = w, b->x = x + r, b->y = y, b->rank = r;
    }
    memset(m->threads, 0, sizeof(*m->threads) * (size_t)m->total);
    for (int i = 0; i < m->total; i++) {
        m->threads[i].block = &m->blocks[i / m->block_size];
        m->threads[i].index = i % m->block_size;
        m->threads[i].id = i + 1;
    }
    m->started = m->done = m->cluster_arrived = 0;
    m->phase = 0;
    m->ready = m->cluster_waiting = NULL;
    m->ready_end = &m->ready;
    if (_setjmp(m->idle) == 0) kf__go_on(m);
    m->now = NULL;
    if (m->done < m->total && !m->failed) kf__stuck(m);
    for (int i = 0; i < m->total && !m->failed; i++) {
        m->now = &m->threads[i];
        if (m->now->block->put_published > m->now->waits)
            kf__wrong("ends, although another block may still write to its shared memory");
        for (int k = 0; k < m->now->block->n_bars; k++)
            if (m->now->block->bars[k].received != m->now->block->bars[k].expected)
                kf__wrong("ends, although messages to its block haven't been collected");
    }
    m->now = NULL;
    for (int r = 0; r < m->cluster; r++)
        for (int i = 0; i < m->blocks[r].n_arrays; i++) {
            free(m->blocks[r].arrays[i].data);
            free(m->blocks[r].arrays[i].words);
        }
}
static int kf__prepare(struct kf__machine *m, const struct kf_emu_range *ranges, int n_ranges) {
    int warps = (m->block_size + KF_WARP - 1) / KF_WARP;
    m->threads = (struct kf__thread *)malloc(sizeof(*m->threads) * (size_t)m->total);
    m->blocks = (struct kf__block *)calloc((size_t)m->cluster, sizeof(*m->blocks));
    m->ranges = (struct kf__range *)calloc((size_t)n_ranges + 1, sizeof(*m->ranges));
    if (!m->threads || !m->blocks || !m->ranges) return 0;
    for (int r = 0; r < m->cluster; r++) {
        m->blocks[r].warps = (struct kf__warp *)malloc(sizeof(struct kf__warp) * (size_t)warps);
        if (!m->blocks[r].warps) return 0;
    }
    for (int writable = 1; writable >= 0; writable--) /* writable ones are looked in first */
        for (int i = 0; i < n_ranges; i++) {
            if ((ranges[i].writable != 0) != writable) continue;
            struct kf__range *r = &m->ranges[m->n_ranges++];
            r->lo = (const char *)ranges[i].lo, r->hi = (const char *)ranges[i].hi;
            r->writable = writable;
            size_t bytes = (size_t)(r->hi - r->lo);
            if (!writable) continue;
            r->writer = (uint32_t *)calloc(bytes + 1, sizeof(uint32_t));
            r->reader = (uint32_t *)calloc(bytes + 1, sizeof(uint32_t));
            r->read_at = (uint32_t *)calloc(bytes + 1, sizeof(uint32_t));
            if (!r->writer || !r->reader || !r->read_at) return 0;
        }
    return 1;
}
static void kf__free_machine(struct kf__machine *m) {
    while (m->fibers) {
        struct kf__fiber *f = m->fibers;
        m->fibers = f->next;
        free(f->stack);
        free(f);
    }
    for (int r = 0; m->blocks && r < m->cluster; r++) free(m->blocks[r].warps);
    for (int i = 0; m->ranges && i < m->n_ranges; i++) {
        free(m->ranges[i].writer);
        free(m->ranges[i].reader);
        free(m->ranges[i].read_at);
    }
    free(m->ranges);
    free(m->blocks);
    free(m->threads);
}
static __attribute__((unused)) int kf__emulate(struct kf__machine *m, const int64_t grid[3],
                                               const struct kf_emu_range *ranges, int n_ranges) {
    kf__m = m;
    m->grid_x = grid[0];
    int64_t wide = grid[0] / m->cluster, clusters = wide * grid[1];
    m->total = m->block_size * m->cluster;
    m->step = (int)kf__scramble(m->total);
    if (m->report_size) m->report[0] = 0;
    if (grid[0] % m->cluster != 0)
        kf__wrong("%lld blocks aren't clusters of %d", (long long)grid[0], m->cluster);
    else if (!kf__prepare(m, ranges, n_ranges))
        kf__wrong("out of memory for %d threads and %d buffers", m->total, n_ranges);
    int64_t step = clusters > 0 ? kf__scramble(clusters) : 1;
    for (int64_t i = 0, c = 0; i < clusters && !m->failed; i++, c = (c + step) % clusters)
        kf__run_cluster(m, c % wide * m->cluster, c / wide);
    kf__free_machine(m);
    kf__m = NULL;
    return m->failed != 0;
}
/* Parameters have names that no argument struct's type has. */
#define KF_EMU_ENTRY(name, args_type)                                                         \
    static void name##_thread(const void *kf__args) { name(*(const args_type *)kf__args); }   \
    int name##_emulate(const void *kf__args, size_t kf__size, const int64_t kf__grid[3],      \
                       int kf__block, int kf__cluster, const struct kf_emu_range *kf__ranges, \
                       int kf__n_ranges, char *kf__report, size_t kf__report_size);           \
    __attribute__((visibility("default"))) int name##_emulate(                                \
        const void *kf__args, size_t kf__size, const int64_t kf__grid[3], int kf__block,      \
        int kf__cluster, const struct kf_emu_range *kf__ranges, int kf__n_ranges,             \
        char *kf__report, size_t kf__report_size) {                                           \
        struct kf__machine m = {0};                                                           \
        m.kernel = #name, m.run = name##_thread, m.args = kf__args;                           \
        m.block_size = kf__block, m.cluster = kf__cluster > 1 ? kf__cluster : 1;              \
        m.report = kf__report, m.report_size = kf__report_size;                               \
        if (kf__size == sizeof(args_type) && 0 < kf__block && kf__block <= name##_threads)    \
            return kf__emulate(&m, kf__grid, kf__ranges, kf__n_ranges);                       \
        if (kf__report_size)                                                                  \
            snprintf(kf__report, kf__report_size,                                             \
                     #name ": launched with %d bytes of arguments and %d threads, "           \
                           "but it has %d and at most %d", (int)kf__size, kf__block,          \
                     (int)sizeof(args_type), (int)name##_threads);                            \
        return 1;                                                                             \
    }
