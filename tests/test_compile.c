/* kf__compile: kernels that run, errors that help, threads, processors' levels, CUDA without a GPU
 * and, where there is one, with it. The disk cache's own promises are in test_cache.c. */
#include <pthread.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/cc.h"
#include "compile/compile.h"
#include "compile/cuda_driver.h"
#include "compile/nvrtc.h"

static char root[] = "/tmp/kfuse-test-compile-XXXXXX";
static const kf__compile_target c_target = {KF__TARGET_C, 0, 0};

/* ---------------------------------------------------------------- helpers */

/* `cached`: keeps entries in the run's folder; else nothing is kept. */
static kf__compiler *new_compiler(bool cached) {
    kf__compiler *compiler;
    kf_error err = {0};
    setenv("KFUSE_CACHE_MAX", cached ? "1G" : "0", 1);
    if (kf__compiler_create(&kf__malloc, NULL, NULL, root, &compiler, &err) != KF_OK)
        fail_msg("%s", err.message);
    return compiler;
}

static kf_status compile(kf__compiler *compiler, kf__compile_target target, const char *source,
                         kf__object **out, kf_error *err) {
    return kf__compile(compiler, &target, source, strlen(source), "a test", out, err);
}

typedef int (*int_function)(void);
static int_function function(kf__object *object, const char *name) {
    int_function f = (int_function)(intptr_t)kf__object_symbol(object, name);
    if (!f) fail_msg("no %s", name);
    return f;
}

static int run(kf__compiler *compiler, kf__compile_target target, const char *source) {
    kf__object *object;
    kf_error err = {0};
    if (compile(compiler, target, source, &object, &err) != KF_OK) fail_msg("%s", err.message);
    return function(object, "f")();
}

static void expect_error(kf__compile_target target, const char *source, kf_status status,
                         const char *const *words) {
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    kf_error err = {0};
    assert_int_equal(compile(compiler, target, source, &object, &err), status);
    assert_null(object);
    for (; *words; words++)
        if (!strstr(err.message, *words)) fail_msg("no \"%s\" in: %s", *words, err.message);
    kf__compiler_free(compiler);
}

static void in_child(void (*body)(void)) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status) fail_msg("child: status %x", status);
}
#define CHILD(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                                 \
        }                                                                             \
    } while (0)

/* ---------------------------------------------------------------- kernels */

static void test_kernel(void **state) {
    (void)state;
    static const char source[] =
        "typedef struct { const float *x; float *out; } args;\n"
        "void k(const args *a, long begin, long end) {\n"
        "    const float *restrict x = a->x; float *restrict out = a->out;\n"
        "    for (long i = begin; i < end; i++) out[i] = x[i] * 2.0f + 1.0f;\n"
        "}\n";
    static const kf__target_kind kinds[] = {KF__TARGET_C, KF__TARGET_EMULATED};
    float x[100], out[100];
    struct {
        const float *x;
        float *out;
    } args = {x, out};
    kf__compiler *compiler = new_compiler(false);
    for (int i = 0; i < 100; i++) x[i] = (float)i;
    for (size_t kind = 0; kind < KF__COUNT(kinds); kind++) {
        for (int level = 1; level <= kf__cpu_level(); level++) {
            kf__object *object;
            kf_error err = {0};
            if (compile(compiler, (kf__compile_target){kinds[kind], level, 0}, source, &object,
                        &err) != KF_OK)
                fail_msg("%s", err.message);
            void (*k)(const void *, long, long) =
                (void (*)(const void *, long, long))(intptr_t)kf__object_symbol(object, "k");
            memset(out, 0, sizeof(out));
            k(&args, 0, 100);
            for (int i = 0; i < 100; i++) assert_true(out[i] == (float)(2 * i + 1));
            assert_null(kf__object_symbol(object, "nothing"));
        }
    }
    kf__compiler_free(compiler);
}

static void test_memory_hit(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(false);
    kf__object *a, *b, *c;
    int64_t compiled, hits;
    assert_int_equal(compile(compiler, c_target, "int f(void) { return 1; }", &a, NULL), KF_OK);
    assert_int_equal(compile(compiler, c_target, "int f(void) { return 1; }", &b, NULL), KF_OK);
    assert_int_equal(compile(compiler, c_target, "int f(void) { return 2; }", &c, NULL), KF_OK);
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, c);
    kf__compiler_statistics(compiler, &compiled, &hits);
    assert_int_equal(compiled, 2);
    assert_int_equal(hits, 0);
    size_t n;
    assert_memory_equal(kf__object_image(a, &n), "\177ELF", 4);
    assert_true(n > 1000);
    kf__compiler_free(compiler);
}

/* Many objects alive at once, through descriptors whose numbers repeat: each must be its own. */
static void test_many_objects(void **state) {
    (void)state;
    enum { OBJECTS = 40 };
    for (int cached = 0; cached < 3; cached++) { /* memory, fresh entries, entries from disk */
        kf__compiler *compiler = new_compiler(cached > 0);
        int_function functions[OBJECTS];
        for (int i = 0; i < OBJECTS; i++) {
            char source[64];
            kf__object *object;
            snprintf(source, sizeof(source), "int f(void) { return %d; }", i);
            assert_int_equal(compile(compiler, c_target, source, &object, NULL), KF_OK);
            functions[i] = function(object, "f");
        }
        for (int i = 0; i < OBJECTS; i++) assert_int_equal(functions[i](), i);
        int64_t compiled, hits;
        kf__compiler_statistics(compiler, &compiled, &hits);
        assert_int_equal(cached < 2 ? compiled : hits, OBJECTS);
        kf__compiler_free(compiler);
    }
}

static void test_two_contexts(void **state) {
    (void)state;
    static const char source[] = "static int n; int f(void) { return ++n; }";
    kf__compiler *a = new_compiler(true), *b = new_compiler(true);
    assert_int_equal(run(a, c_target, source), 1);
    run(b, c_target, source);
    kf__compiler_free(a);
    assert_true(run(b, c_target, source) > 1);
    kf__compiler_free(b);
}

/* A function of the C library with a kernel's name doesn't replace the kernel. */
static void test_host_symbols_do_not_replace(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(false);
    assert_int_equal(run(compiler, c_target,
                         "__attribute__((noinline)) int getpid(void) { return 42; }\n"
                         "int f(void) { return getpid(); }"), 42);
    kf__compiler_free(compiler);
}

static void test_library_functions_are_found(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(false);
    assert_int_equal(run(compiler, c_target,
                         "void *memset(void *, int, unsigned long); double lgamma(double);\n"
                         "volatile double x = 5; volatile __int128 y = 70; volatile _Float16 z;\n"
                         "char b[1000]; int f(void) { memset(b, 1, sizeof b); z = 1;\n"
                         "return (int)(lgamma(x) + 0.5) + b[9] + (int)(y / 7) + (int)z; }"), 15);
    kf__compiler_free(compiler);
}

/* Loading must not set flush-to-zero in the host's thread. */
static void test_denormals_stay(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(false);
    volatile float tiny = 1e-30f;
    run(compiler, c_target, "int f(void) { return 3; }");
    assert_true(tiny * 1e-10f > 0);
    kf__compiler_free(compiler);
}

static void test_no_contraction(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(false);
    assert_int_equal(run(compiler, c_target,
                         "volatile float a = 1.0f + 0x1p-12f;\n"
                         "int f(void) { float x = a; return x * x - (1.0f + 0x1p-11f) == 0; }"), 1);
    kf__compiler_free(compiler);
}

/* ---------------------------------------------------------------- errors */

/* Long sources are optimised less. */
static void test_flags(void **state) {
    (void)state;
    static const struct {
        kf__target_kind kind;
        size_t n;
        const char *level;
    } rows[] = {
        {KF__TARGET_C, 40 << 10, " -O2 "},
        {KF__TARGET_C, 200 << 10, " -O1 "},
        {KF__TARGET_EMULATED, 200 << 10, " -O0 "},
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        kf__compile_target target = {.kind = rows[i].kind, .cpu_level = 3};
        kf__text flags;
        kf__text_init(&flags, &kf__malloc);
        kf__cc_flags(&target, rows[i].n, &flags);
        const char *level = strstr(flags.at, " -O");
        assert_non_null(level);
        assert_memory_equal(level, rows[i].level, strlen(rows[i].level));
        assert_null(strstr(level + 1, " -O"));
        kf__text_free(&flags);
    }
}

static void test_errors(void **state) {
    (void)state;
    char fails[64];
    const kf__compile_target above = {KF__TARGET_C, 5, 0}, below = {KF__TARGET_C, -1, 0};
    expect_error(c_target, "int f(void) { return here_is_no_such_thing; }", KF_ERR_COMPILER,
                 (const char *[]){"a test", "here_is_no_such_thing", "exit code", NULL});
    expect_error(c_target, "int f(void) { return missing_function(); }", KF_ERR_COMPILER,
                 (const char *[]){"missing_function", NULL});
    expect_error(above, "", KF_ERR_ARGUMENT, (const char *[]){"level 5", NULL});
    expect_error(below, "", KF_ERR_ARGUMENT, (const char *[]){"level -1", NULL});
    snprintf(fails, sizeof(fails), "%s/killed-cc", root);
    FILE *file = fopen(fails, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nkill -9 $$\n", file);
    fclose(file);
    assert_int_equal(chmod(fails, 0755), 0);
    setenv("KFUSE_CC", fails, 1);
    expect_error(c_target, "int x;", KF_ERR_COMPILER, (const char *[]){"signal 9", "memory", NULL});
    setenv("KFUSE_CC", "/bin/true", 1);
    expect_error(c_target, "int x;", KF_ERR_COMPILER, (const char *[]){"no shared library", NULL});
    setenv("KFUSE_CC", "/etc/passwd", 1);
    expect_error(c_target, "int x;", KF_ERR_COMPILER, (const char *[]){"/etc/passwd", NULL});
    unsetenv("KFUSE_CC");
}

static void test_failure_is_not_kept(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    setenv("KFUSE_CC", "/bin/false", 1);
    assert_int_equal(compile(compiler, c_target, "int f(void) { return 6; }", &object, NULL),
                     KF_ERR_COMPILER);
    unsetenv("KFUSE_CC");
    assert_int_equal(run(compiler, c_target, "int f(void) { return 6; }"), 6);
    kf__compiler_free(compiler);
}

static void test_find_compiler(void **state) {
    (void)state;
    kf__cc cc;
    assert_true(kf__cc_find(&cc));
    char usual[KF__PATH_SIZE];
    strcpy(usual, cc.path);
    static const struct {
        const char *kfuse_cc, *cc, *found; /* found NULL: the usual one; "": none */
    } rows[] = {
        {NULL, "/bin/true", "/bin/true"}, {"/bin/cat", "/bin/true", "/bin/cat"},
        {NULL, "gcc -m32", NULL},         {NULL, "/nonexistent", NULL},
        {"/nonexistent", NULL, ""},       {"", "", NULL},
        {"/bin", NULL, ""},
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        if (rows[i].kfuse_cc) setenv("KFUSE_CC", rows[i].kfuse_cc, 1);
        if (rows[i].cc) setenv("CC", rows[i].cc, 1);
        kf__cc_find(&cc);
        assert_string_equal(cc.path, rows[i].found ? rows[i].found : usual);
        unsetenv("KFUSE_CC");
        unsetenv("CC");
    }
}

/* ---------------------------------------------------------------- hosts of many kinds */

static void host_that_ignores_children(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN, .sa_flags = SA_NOCLDWAIT};
    sigset_t all;
    sigfillset(&all);
    sigaction(SIGCHLD, &ignore, NULL);
    sigprocmask(SIG_BLOCK, &all, NULL);
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    CHILD(compile(compiler, c_target, "int f(void) { return 9; }", &object, NULL) == KF_OK);
    CHILD(compile(compiler, c_target, "int f(void) { return }", &object, NULL) == KF_ERR_COMPILER);
    kf__compiler_free(compiler);
}

static void host_without_streams(void) {
    for (int fd = 0; fd < 3; fd++) close(fd);
    kf__compiler *compiler = new_compiler(true);
    kf__object *object;
    CHILD(compile(compiler, c_target, "int f(void) { return 10; }", &object, NULL) == KF_OK);
    CHILD(compile(compiler, c_target, "int f(void) { return }", &object, NULL) == KF_ERR_COMPILER);
    kf__compiler_free(compiler);
    CHILD(open("/dev/null", O_RDONLY) == 0); /* nothing of ours stayed open */
}

static void host_without_temporary_folder(void) {
    setenv("TMPDIR", "/nonexistent", 1);
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    CHILD(compile(compiler, c_target, "int f(void) { return 11; }", &object, NULL) == KF_OK);
    kf__compiler_free(compiler);
}

static void test_hosts(void **state) {
    (void)state;
    in_child(host_that_ignores_children);
    in_child(host_without_streams);
    in_child(host_without_temporary_folder);
}

/* ---------------------------------------------------------------- threads */

typedef struct work {
    kf__compiler *compiler;
    int source;
    kf__object *object;
} work;

static void *work_on(void *arg) {
    work *w = arg;
    char source[64];
    snprintf(source, sizeof(source), "int f(void) { return %d; }", w->source);
    if (compile(w->compiler, c_target, source, &w->object, NULL) != KF_OK) w->object = NULL;
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    enum { THREADS = 12, SOURCES = 3 };
    kf__compiler *compiler = new_compiler(false);
    pthread_t threads[THREADS];
    work works[THREADS];
    for (int i = 0; i < THREADS; i++) {
        works[i] = (work){compiler, i % SOURCES, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, work_on, &works[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_non_null(works[i].object);
        assert_ptr_equal(works[i].object, works[i % SOURCES].object);
        assert_int_equal(function(works[i].object, "f")(), i % SOURCES);
    }
    int64_t compiled, hits;
    kf__compiler_statistics(compiler, &compiled, &hits);
    assert_int_equal(compiled, SOURCES);
    kf__compiler_free(compiler);
}

/* ---------------------------------------------------------------- memory */

typedef struct failing {
    int calls_left, live;
} failing;

static void *failing_allocate(void *user, size_t size) {
    failing *f = user;
    if (f->calls_left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}

static void failing_release(void *user, void *memory) {
    ((failing *)user)->live--;
    free(memory);
}

/* With the n-th allocation failing, for every n: an error or a result, and nothing leaks. An entry
 * that can't be written or read for want of memory isn't an error. */
static void test_failing_allocator(void **state) {
    (void)state;
    setenv("KFUSE_CACHE_MAX", "1G", 1);
    int n = 0;
    for (bool done = false; !done && n < 100; n++) {
        failing f = {n, 0};
        kf_allocator mem = {failing_allocate, failing_release, &f};
        kf__compiler *compiler = NULL;
        kf__object *object;
        kf_error err = {0};
        kf_status status = kf__compiler_create(&mem, NULL, NULL, root, &compiler, &err);
        if (status == KF_OK) {
            char source[64];
            snprintf(source, sizeof(source), "int f(void) { return %d; }", 1000 + n / 2);
            status = compile(compiler, c_target, source, &object, &err);
            if (status == KF_OK) assert_int_equal(function(object, "f")(), 1000 + n / 2);
        }
        done = status == KF_OK && f.calls_left > 0;
        assert_true(status == KF_OK || status == KF_ERR_MEMORY || status == KF_ERR_COMPILER);
        kf__compiler_free(compiler);
        assert_int_equal(f.live, 0);
    }
    assert_in_range(n, 5, 60);
}

/* ---------------------------------------------------------------- the processor */

static void test_cpu_level(void **state) {
    (void)state;
    int hardware = kf__cpu_level();
    assert_in_range(hardware, 1, 4);
    static const struct {
        const char *wish;
        int level; /* 0: the processor's */
    } rows[] = {
        {"1", 1}, {"v1", 1}, {"x86-64-v1", 1}, {"2", 2}, {"4", 4}, {"9", 0}, {"", 0}, {"fast", 0},
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        setenv("KFUSE_CPU_LEVEL", rows[i].wish, 1);
        int level = rows[i].level && rows[i].level < hardware ? rows[i].level : hardware;
        assert_int_equal(kf__cpu_level(), level);
    }
    unsetenv("KFUSE_CPU_LEVEL");
}

static void test_facts(void **state) {
    (void)state;
    kf__compiler *compiler = new_compiler(true);
    kf__arena arena;
    kf__fact facts[KF__FACT_COUNT];
    kf__arena_init(&arena, &kf__malloc);
    assert_true(kf__compiler_facts(compiler, &arena, facts));
    for (int i = 0; i < KF__FACT_COUNT; i++)
        assert_true(facts[i].name && facts[i].path && facts[i].version && facts[i].needed_for &&
                    facts[i].install && (facts[i].found || *facts[i].install));
    assert_true(facts[1].found);
    assert_non_null(strchr(facts[1].version, '.'));
    kf__arena_free(&arena);
    kf__compiler_free(compiler);
}

/* ---------------------------------------------------------------- CUDA */

static const kf__compile_target sm_90 = {KF__TARGET_CUDA, 0, 90};
static const char cuda_source[] =
    "extern \"C\" __global__ void k(float *x, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) x[i] = x[i] * 2.0f + 1.0f;\n"
    "}\n";

static void without_nvrtc(void) {
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    kf_error err = {0};
    setenv("KFUSE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    CHILD(compile(compiler, sm_90, cuda_source, &object, &err) == KF_ERR_COMPILER);
    CHILD(strstr(err.message, "/nonexistent/libnvrtc.so"));
    kf__error_clear(&err);
    unsetenv("KFUSE_NVRTC"); /* looked for once a process: still none */
    CHILD(compile(compiler, sm_90, cuda_source, &object, &err) == KF_ERR_COMPILER);
    CHILD(strstr(err.message, "pip install nvidia-cuda-nvrtc"));
    kf__compiler_free(compiler);
}

/* Before anything of this process has looked for NVRTC. */
static void test_no_nvrtc(void **state) {
    (void)state;
    in_child(without_nvrtc);
}

static void cubin_from_disk(void) {
    setenv("KFUSE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    kf__compiler *compiler = new_compiler(true);
    kf__object *object;
    int64_t compiled, hits;
    CHILD(compile(compiler, sm_90, cuda_source, &object, NULL) == KF_OK);
    kf__compiler_statistics(compiler, &compiled, &hits);
    CHILD(compiled == 0 && hits == 1);
    kf__compiler_free(compiler);
}

static void make_cubin(void) {
    kf__compiler *compiler = new_compiler(true);
    kf__object *object;
    kf_error err = {0};
    if (compile(compiler, sm_90, cuda_source, &object, &err) != KF_OK)
        fprintf(stderr, "%s\n", err.message);
    CHILD(err.status == KF_OK);
    kf__compiler_free(compiler);
}

static void test_cubin_without_nvrtc(void **state) {
    (void)state;
    fflush(NULL);
    pid_t pid = fork(); /* this process looks for NVRTC only later */
    if (pid == 0) _exit(kf__nvrtc_path() ? 0 : 77);
    int status;
    waitpid(pid, &status, 0);
    if (status) skip();
    in_child(make_cubin);
    in_child(cubin_from_disk);
}

static void test_cuda_errors(void **state) {
    (void)state;
    const kf__compile_target nonsense = {KF__TARGET_CUDA, 0, 7}, old = {KF__TARGET_CUDA, 0, 52};
    expect_error(nonsense, "", KF_ERR_ARGUMENT, (const char *[]){"sm_7", NULL});
    if (!kf__nvrtc_path()) skip();
    expect_error(sm_90, "void f( { }", KF_ERR_COMPILER,
                 (const char *[]){"a test", "NVRTC", "error", NULL});
    if (kf__nvrtc_version(&(int){0}, &(int){0}))
        expect_error(old, cuda_source, KF_ERR_COMPILER, (const char *[]){"sm_52", NULL});
}

static void test_cubin(void **state) {
    (void)state;
    if (!kf__nvrtc_path()) skip();
    kf__compiler *compiler = new_compiler(false);
    static const int architectures[] = {75, 80, 90, 120};
    for (size_t i = 0; i < KF__COUNT(architectures); i++) {
        kf__object *object;
        kf_error err = {0};
        kf__compile_target target = {KF__TARGET_CUDA, 0, architectures[i]};
        int major = 0, minor = 0;
        if (!kf__nvrtc_version(&major, &minor)) skip();
        if (architectures[i] == 120 && major * 100 + minor < 1208) continue;
        if (compile(compiler, target, cuda_source, &object, &err) != KF_OK)
            fail_msg("%s", err.message);
        size_t n;
        const unsigned char *image = kf__object_image(object, &n);
        assert_memory_equal(image, "\177ELF", 4);
        assert_int_equal(image[18], 190); /* EM_CUDA */
        assert_null(kf__object_symbol(object, "k"));
    }
    kf__compiler_free(compiler);
}

static void test_no_driver(void **state) {
    (void)state;
    kf_error err = {0};
    if (kf__cuda_get(&err)) skip();
    assert_int_equal(err.status, KF_ERR_DEVICE);
    assert_non_null(strstr(err.message, "driver"));
    if (!kf__nvrtc_path()) return;
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    void *kernel;
    kf__error_clear(&err);
    assert_int_equal(compile(compiler, sm_90, cuda_source, &object, &err), KF_OK);
    assert_int_equal(kf__object_kernel(object, 0, "k", &kernel, &err), KF_ERR_DEVICE);
    assert_non_null(strstr(err.message, "driver"));
    kf__compiler_free(compiler);
}

#define CU_OK(call) assert_int_equal((call), KF__CU_SUCCESS)

/* Load while another stream is being captured, capture the first launch ever, replay it. */
static void test_kernel_on_gpu(void **state) {
    (void)state;
    const kf__cuda *cuda = kf__cuda_get(NULL);
    kf__compile_target target = {KF__TARGET_CUDA, 0, 0};
    if (!cuda || !kf__nvrtc_path() || kf__cuda_sm(0, &target.sm, NULL) != KF_OK) skip();
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    kf_error err = {0};
    kf__cu_stream stream;
    kf__cu_graph graph;
    kf__cu_graph_exec exec;
    kf__cu_pointer x;
    kf__cu_context before, after;
    void *kernel;
    float values[1000];
    int n = 1000;
    if (compile(compiler, target, cuda_source, &object, &err) != KF_OK) fail_msg("%s", err.message);
    assert_int_equal(kf__cuda_enter(0, &err), KF_OK);
    for (int i = 0; i < n; i++) values[i] = (float)i;
    CU_OK(cuda->mem_alloc(&x, sizeof(values)));
    CU_OK(cuda->copy_to_device(x, values, sizeof(values)));
    CU_OK(cuda->stream_create(&stream, KF__CU_STREAM_NON_BLOCKING));
    CU_OK(cuda->ctx_get_current(&before));
    CU_OK(cuda->capture_begin(stream, KF__CU_CAPTURE_GLOBAL));
    if (kf__object_kernel(object, 0, "k", &kernel, &err) != KF_OK) fail_msg("%s", err.message);
    void *arguments[] = {&x, &n};
    CU_OK(cuda->launch_kernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    CU_OK(cuda->capture_end(stream, &graph));
    CU_OK(cuda->ctx_get_current(&after));
    assert_ptr_equal(before, after);
    CU_OK(cuda->graph_instantiate(&exec, graph, 0));
    CU_OK(cuda->graph_launch(exec, stream));
    CU_OK(cuda->graph_launch(exec, stream));
    CU_OK(cuda->stream_synchronize(stream));
    CU_OK(cuda->copy_to_host(values, x, sizeof(values)));
    for (int i = 0; i < n; i++) assert_true(values[i] == (float)(4 * i + 3));
    assert_int_equal(kf__object_kernel(object, 0, "nothing", &kernel, NULL), KF_ERR_DEVICE);
    assert_int_equal(kf__object_kernel(object, 99, "k", &kernel, &err), KF_ERR_DEVICE);
    assert_non_null(strstr(err.message, "cuda:99"));
    CU_OK(cuda->graph_exec_destroy(exec));
    CU_OK(cuda->graph_destroy(graph));
    CU_OK(cuda->stream_destroy(stream));
    CU_OK(cuda->mem_free(x));
    kf__compiler_free(compiler);
    kf__cuda_leave(0);
}

/* A launch with clusters: each block reads its neighbour's rank. */
static void test_cluster_on_gpu(void **state) {
    (void)state;
    static const char source[] =
        "extern \"C\" __global__ void k(int *x) { unsigned n;\n"
        "asm(\"mov.u32 %0, %%cluster_nctaid.x;\" : \"=r\"(n)); x[blockIdx.x] = (int)n; }\n";
    const kf__cuda *cuda = kf__cuda_get(NULL);
    kf__compile_target target = {KF__TARGET_CUDA, 0, 0};
    if (!cuda || !kf__nvrtc_path() || kf__cuda_sm(0, &target.sm, NULL) != KF_OK) skip();
    if (target.sm < 90 || !cuda->launch_kernel_ex) skip();
    kf__compiler *compiler = new_compiler(false);
    kf__object *object;
    kf__cu_pointer x;
    void *kernel;
    int values[8] = {0};
    assert_int_equal(compile(compiler, target, source, &object, NULL), KF_OK);
    assert_int_equal(kf__object_kernel(object, 0, "k", &kernel, NULL), KF_OK);
    assert_int_equal(kf__cuda_enter(0, NULL), KF_OK);
    CU_OK(cuda->mem_alloc(&x, sizeof(values)));
    kf__cu_launch_attribute cluster = {.id = KF__CU_ATTRIBUTE_CLUSTER, .value.cluster = {4, 1, 1}};
    kf__cu_launch_config config = {8, 1, 1, 32, 1, 1, 0, NULL, &cluster, 1};
    void *arguments[] = {&x};
    CU_OK(cuda->launch_kernel_ex(&config, kernel, arguments, NULL));
    CU_OK(cuda->copy_to_host(values, x, sizeof(values)));
    for (int i = 0; i < 8; i++) assert_int_equal(values[i], 4);
    CU_OK(cuda->mem_free(x));
    kf__cuda_leave(0);
    kf__compiler_free(compiler);
}

static int make_root(void **state) {
    (void)state;
    unsetenv("KFUSE_CC");
    unsetenv("CC");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_nvrtc),
        cmocka_unit_test(test_cubin_without_nvrtc),
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_memory_hit),
        cmocka_unit_test(test_many_objects),
        cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_host_symbols_do_not_replace),
        cmocka_unit_test(test_library_functions_are_found),
        cmocka_unit_test(test_denormals_stay),
        cmocka_unit_test(test_no_contraction),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_failure_is_not_kept),
        cmocka_unit_test(test_find_compiler),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_cpu_level),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_cuda_errors),
        cmocka_unit_test(test_cubin),
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_kernel_on_gpu),
        cmocka_unit_test(test_cluster_on_gpu),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
