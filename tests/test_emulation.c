/* prelude_emu.h: right kernels run right, and of wrong ones it says what is wrong. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "prelude/emulation.h"
#include "support/prelude.h"

enum { N = 1024, THREADS = 128 };

typedef struct {
    const float *x; /* [n] */
    float *y;       /* [n] */
    int64_t n;
} args_t;

#define ROW "int t = kf_thread(); int64_t i = kf_block() * 128 + t; "
#define SUM_OF_WARP "KF_UNROLL for (int o = 16; o; o >>= 1) v += kf_shfl_xor_f32(v, o); "
#define MESSAGES                                                                              \
    ROW "KF_SHARED(float, part, 16); KF_SHARED(uint64_t, m, 2); kf_cluster_open(m, 2); "
#define SEND(K, LANES)                                                                        \
    "if (t % 32 < " #LANES ") kf_cluster_send_f32(part, kf_cluster_rank() * 4 + t / 32, "     \
    "t % 32, v, m, " #K "); "
#define EACH "kf_store_f32(a.y, i, kf_load_f32(a.x, i)"

static const struct {
    const char *name, *body;
    int cluster;
    const char *report; /* part of what must be said; NULL: nothing is wrong */
} kernels[] = {
    {"elementwise", ROW EACH " + 1.0f);", 1, NULL},
    {"wide",
     "uint32_t w[4]; float r[4]; int64_t i = (kf_block() * 128 + kf_thread()) * 4; "
     "kf_load4_f32(a.x, i, a.n, 1, w); "
     "KF_UNROLL for (int k = 0; k < 4; k++) r[k] = kf_item_f32(w, k) + 1.0f; "
     "kf_store4_f32(a.y, i, a.n, 1, r);", 1, NULL},
    {"block_sum", /* of 128: two levels, and the sum goes to every thread */
     ROW "KF_SHARED(float, part, 4); float v = kf_load_f32(a.x, i); " SUM_OF_WARP
     "if (t % 32 == 0) kf_shared_put_f32(part, t / 32, v); kf_barrier(); v = 0; "
     "for (int w = 0; w < 4; w++) v += kf_shared_get_f32(part, w); kf_store_f32(a.y, i, v);",
     1, NULL},
    {"block_sum_twice", /* the array is used again: a barrier before the second write */
     ROW "KF_SHARED(float, part, 4); float v = kf_load_f32(a.x, i); for (int k = 0; k < 2; k++) { "
     SUM_OF_WARP "kf_barrier(); if (t % 32 == 0) kf_shared_put_f32(part, t / 32, v); "
     "kf_barrier(); v = 0; for (int w = 0; w < 4; w++) v += kf_shared_get_f32(part, w); "
     "v *= 1.0f / 128; } kf_store_f32(a.y, i, v * 128);", 1, NULL},
    {"cluster_sum", /* of 512: every warp tells every block */
     ROW "KF_SHARED(float, part, 16); kf_cluster_arrive(); float v = kf_load_f32(a.x, i); "
     SUM_OF_WARP "kf_cluster_wait(); int rank = kf_cluster_rank(); "
     "if (t % 32 < 4) kf_cluster_put_f32(part, rank * 4 + t / 32, t % 32, v); "
     "kf_cluster_arrive(); kf_cluster_wait(); v = 0; "
     "for (int w = 0; w < 16; w++) v += kf_shared_get_f32(part, w); kf_store_f32(a.y, i, v);",
     4, NULL},
    {"message_to_first", /* the others wait for nothing */
     MESSAGES "float v = kf_load_f32(a.x, i); kf_cluster_wait(); "
     "if (t % 32 == 0) kf_cluster_send_f32(part, kf_cluster_rank() * 4 + t / 32, 0, v, m, 0); "
     "kf_cluster_collect(m, 0, kf_cluster_rank() ? 0 : 64); "
     "if (kf_cluster_rank() == 0) v = v + 0.0f * kf_shared_get_f32(part, t % 16); "
     "kf_store_f32(a.y, i, v + 1.0f);", 4, NULL},
    {"message_sum", /* of 512, by messages, and again */
     MESSAGES "float v = kf_load_f32(a.x, i); " SUM_OF_WARP "kf_cluster_wait(); " SEND(0, 4)
     "kf_cluster_collect(m, 0, 64); v = kf_shared_get_f32(part, t % 16); "
     "KF_SHARED(double, two, 4); if (t < 4) kf_cluster_send_f64(two, kf_cluster_rank(), t, 1.0 * v, m, 1); "
     "kf_cluster_collect(m, 1, 32); v = 0.0f * (float)kf_shared_get_f64(two, t % 4); "
     "for (int w = 0; w < 16; w++) v += kf_shared_get_f32(part, w); kf_store_f32(a.y, i, v);",
     4, NULL},
    {"shuffle_lane",
     ROW "double v = kf_shfl_f64((double)kf_load_f32(a.x, i), 3); "
     "kf_store_f32(a.y, i, (float)v);", 1, NULL},

    {"read_outside", ROW "kf_store_f32(a.y, i, kf_load_f32(a.x, i + 1));", 1,
     "reads 4 bytes at offset 4096 of a buffer of 4096 bytes"},
    {"write_outside", ROW "kf_store_f32(a.y, i - 1, 1.0f);", 1, "writes 4 bytes at offset -4"},
    {"write_input", ROW "kf_store_f32((float *)a.x, i, 1.0f);", 1, "a buffer that is only read"},
    {"misaligned",
     "uint32_t w[4]; kf_load4_f32(a.x, kf_thread() + 1, a.n, 1, w); "
     "kf_store_f32(a.y, kf_block() * 128 + kf_thread(), kf_item_f32(w, 0));",
     1, "isn't a multiple of 16"},
    {"write_race", ROW "kf_store_f32(a.y, i / 2, 1.0f);", 1,
     "where another thread of the launch"},
    {"exchange_in_place", /* read by one thread, behind a barrier written by another of the block */
     ROW "KF_SHARED(float, part, 128); float v = 0.0f * kf_load_f32(a.y, i); "
     "kf_shared_put_f32(part, t, kf_load_f32(a.x, i) + 1.0f + v); "
     "kf_barrier(); kf_store_f32(a.y, i ^ 64, kf_shared_get_f32(part, t ^ 64));", 1, NULL},
    {"read_and_write_race", /* without one */
     ROW "float v = kf_load_f32(a.y, i); kf_store_f32(a.y, i ^ 64, v);", 1,
     "where another thread of the launch"},
    {"read_race", ROW "kf_store_f32(a.y, i, kf_load_f32(a.y, i ^ 64));", 1,
     "where another thread of the launch"},
    {"shared_outside",
     ROW "KF_SHARED(float, s, 4); if (t == 9) kf_shared_put_f32(s, 4, 1.0f); " EACH ");", 1,
     "writes item 4 of the shared array s, which has 4"},
    {"shared_never_written",
     ROW "KF_SHARED(float, s, 4); kf_store_f32(a.y, i, kf_shared_get_f32(s, 1));", 1,
     "never written"},
    {"shared_race", /* no barrier between */
     ROW "KF_SHARED(float, s, 128); kf_shared_put_f32(s, t, 1.0f); "
     "kf_store_f32(a.y, i, kf_shared_get_f32(s, t ^ 32));", 1, "shared array s"},
    {"shared_write_after_read",
     ROW "KF_SHARED(float, s, 1); if (t == 0) kf_shared_put_f32(s, 0, 1.0f); kf_barrier(); "
     "float v = kf_shared_get_f32(s, 0); if (t == 0) kf_shared_put_f32(s, 0, 2.0f); "
     "kf_store_f32(a.y, i, v);", 1, "without a barrier between"},
    {"shared_two_writers",
     ROW "KF_SHARED(float, s, 1); kf_shared_put_f32(s, 0, 1.0f); " EACH ");", 1, "writes too"},
    {"divergent_barrier", ROW "if (t < 64) kf_barrier(); " EACH ");", 1,
     "waits at a barrier, but"},
    {"divergent_shuffle",
     ROW "float v = 1; if (t % 32 < 16) v = kf_shfl_xor_f32(v, 1); kf_store_f32(a.y, i, v);", 1,
     "waits at a shuffle, but"},
    {"barrier_and_shuffle",
     ROW "float v = 1; if (t == 5) kf_barrier(); else v = kf_shfl_f32(v, 0); "
     "kf_store_f32(a.y, i, v);", 1, "at a"},
    {"two_shuffles",
     ROW "float v = t % 2 ? kf_shfl_f32(1, 0) : (float)kf_shfl_i32(1, 0); "
     "kf_store_f32(a.y, i, v);", 1, "another shuffle"},
    {"cluster_too_early",
     ROW "KF_SHARED(float, s, 1); if (t == 0) kf_cluster_put_f32(s, 0, 1, 1.0f); " EACH ");", 2,
     "has started"},
    {"cluster_unordered", /* read without waiting for the others' writes */
     ROW "KF_SHARED(float, s, 2); kf_cluster_arrive(); kf_cluster_wait(); "
     "if (t < 2) kf_cluster_put_f32(s, kf_cluster_rank(), t, 1.0f); kf_barrier(); "
     "float v = kf_shared_get_f32(s, 0) + kf_shared_get_f32(s, 1); "
     "kf_cluster_arrive(); kf_cluster_wait(); kf_store_f32(a.y, i, v);", 2, "shared array s"},
    {"cluster_ends_early",
     ROW "KF_SHARED(float, s, 2); kf_cluster_arrive(); kf_cluster_wait(); "
     "if (t < 2) kf_cluster_put_f32(s, kf_cluster_rank(), t, 1.0f); " EACH ");", 2,
     "may still write"},
    {"cluster_half", ROW "if (kf_cluster_rank() == 0) { kf_cluster_arrive(); kf_cluster_wait(); } "
     EACH ");", 2, "waits at the cluster's barrier, but"},
    {"message_unexpected",
     MESSAGES "float v = 1; kf_cluster_wait(); " SEND(0, 4)
     "kf_cluster_collect(m, 0, kf_cluster_rank() ? 64 : 0); " EACH ");", 4,
     "bytes of messages instead of 0"},
    {"message_too_early", MESSAGES "float v = 1; " SEND(0, 4) EACH ");", 4, "has started"},
    {"message_read_early",
     MESSAGES "float v = 1; kf_cluster_wait(); " SEND(0, 4) "kf_barrier(); "
     "v = kf_shared_get_f32(part, 1); kf_cluster_collect(m, 0, 64); kf_store_f32(a.y, i, v);", 4,
     "shared array part"},
    {"message_of_another_set",
     MESSAGES "float v = 1; kf_cluster_wait(); " SEND(0, 4) SEND(1, 4)
     "kf_cluster_collect(m, 1, 64); v = kf_shared_get_f32(part, 1); kf_cluster_collect(m, 0, 64); kf_store_f32(a.y, i, v);", 4,
     "writes too"},
    {"message_missing",
     MESSAGES "float v = 1; kf_cluster_wait(); " SEND(0, 3)
     "kf_cluster_collect(m, 0, 64); " EACH ");", 4, "waits at a set of messages, but"},
    {"message_too_many",
     MESSAGES "float v = 1; kf_cluster_wait(); " SEND(0, 4)
     "kf_cluster_collect(m, 0, 48); " EACH ");", 4, "bytes of messages instead of 48"},
    {"message_not_collected",
     MESSAGES "float v = 1; kf_cluster_wait(); " SEND(0, 4) EACH ");", 4, "haven't been collected"},
    {"wait_without_arrival", ROW "kf_cluster_wait(); " EACH ");", 2, "without having arrived"},
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static void *object;

static int build(void **state) {
    static char text[1 << 16];
    (void)state;
    size_t n = (size_t)snprintf(text, sizeof(text), "%s",
                                "typedef struct { const float *x; float *y; int64_t n; } args;\n");
    for (int k = 0; k < KERNELS; k++)
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "KF_KERNEL(%s, args, 128) { %s }\nKF_EMU_ENTRY(%s, args)\n",
                              kernels[k].name, kernels[k].body, kernels[k].name);
    object = prelude_build("prelude_emu.h", "-O1", text);
    return object ? 0 : -1;
}
static int unload(void **state) {
    (void)state;
    return object ? dlclose(object) : 0;
}

/* Apart: what is read behind x isn't y's. */
static _Alignas(64) float memory[2 * N + 64];
static float *const x = memory, *const y = memory + N + 64;

static int run(int k, char *report, size_t report_size) {
    char symbol[64];
    snprintf(symbol, sizeof(symbol), "%s_emulate", kernels[k].name);
    kf__emulate_fn *emulate;
    void *found = dlsym(object, symbol);
    assert_non_null(found);
    memcpy(&emulate, &found, sizeof(found));
    for (int i = 0; i < N; i++) x[i] = (float)(i % 37), y[i] = -1;
    args_t a = {x, y, N};
    struct kf_emu_range ranges[] = {{x, x + N, 0}, {y, y + N, 1}};
    int64_t grid[3] = {strcmp(kernels[k].name, "wide") ? N / THREADS : N / THREADS / 4, 1, 1};
    return emulate(&a, sizeof(a), grid, THREADS, kernels[k].cluster, ranges, 2, report,
                   report_size);
}

static float expected(const char *name, int i) {
    bool of_cluster = !strcmp(name, "cluster_sum") || !strcmp(name, "message_sum");
    int width = of_cluster ? 512 : strstr(name, "sum") ? THREADS : 0;
    float sum = 0;
    if (strcmp(name, "shuffle_lane") == 0) return x[i / 32 * 32 + 3];
    if (!width) return x[i] + 1;
    for (int k = 0; k < width; k++) sum += x[i / width * width + k]; /* exact */
    return sum;
}

static void test_right_kernels(void **state) {
    (void)state;
    for (int k = 0; k < KERNELS; k++) {
        char report[256];
        if (kernels[k].report) continue;
        int status = run(k, report, sizeof(report));
        if (status) fail_msg("%s", report);
        for (int i = 0; i < N; i++)
            if (y[i] != expected(kernels[k].name, i))
                fail_msg("%s: item %d is %g instead of %g", kernels[k].name, i, (double)y[i],
                         (double)expected(kernels[k].name, i));
    }
}

static void test_wrong_kernels(void **state) {
    (void)state;
    for (int k = 0; k < KERNELS; k++) {
        char report[256] = "";
        if (!kernels[k].report) continue;
        if (run(k, report, sizeof(report)) == 0)
            fail_msg("%s: nothing was noticed", kernels[k].name);
        if (!strstr(report, kernels[k].report) || strncmp(report, kernels[k].name,
                                                          strlen(kernels[k].name)) != 0)
            fail_msg("%s: '%s' doesn't say '%s'", kernels[k].name, report, kernels[k].report);
    }
}

static void test_wrong_launch(void **state) {
    (void)state;
    char report[256];
    int64_t grid[3] = {3, 1, 1};
    kf__emulate_fn *emulate;
    void *found = dlsym(object, "cluster_sum_emulate");
    memcpy(&emulate, &found, sizeof(found));
    args_t a = {x, y, N};
    assert_int_not_equal(emulate(&a, 8, grid, THREADS, 1, NULL, 0, report, sizeof(report)), 0);
    assert_non_null(strstr(report, "8 bytes of arguments"));
    assert_int_not_equal(emulate(&a, sizeof(a), grid, THREADS, 2, NULL, 0, report, 9), 0);
    assert_int_equal(strlen(report), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_kernels),
        cmocka_unit_test(test_wrong_kernels),
        cmocka_unit_test(test_wrong_launch),
    };
    return cmocka_run_group_tests(tests, build, unload);
}
