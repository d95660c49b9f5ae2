/* Equal bits: one program gives the same for 1 to 8 threads, for work divided in any order, for
 * misaligned arrays (the plan's scalar kernels), for another batch, and run after run; on the CPU
 * and the emulated GPU, for every kind of kernel, over row lengths of every bucket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "element.h"
#include "run/context.h"

enum { RESULTS = 4, INPUTS = 2, THREADS = 8, GUARD = 64 };
static const kf_device cpu = {KF_CPU, 0}, emulated = {KF_CUDA_EMULATED, 0};

typedef struct {
    kf_context *threads[THREADS + 1]; /* by their number; [0] divides at random */
    uint64_t division;                /* how, there */
} contexts;

/* ---------------------------------------------------------------- work in any order */

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 27;
}

/* The last ranges first, of one to three grains. */
static void divide(void *user, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                   void *arg) {
    uint64_t state = ++*(uint64_t *)user;
    for (int64_t end = (n + grain - 1) / grain; end > 0;) {
        int64_t begin = kf__max(0, end - 1 - (int64_t)(next(&state) % 3));
        body(arg, begin * grain, kf__min(end * grain, n));
        end = begin;
    }
}

static int setup(void **state) {
    contexts *c = calloc(1, sizeof *c);
    kf_error err = {0};
    for (int t = 0; t <= THREADS; t++) {
        kf_context_options options = {.struct_size = sizeof options, .threads = t};
        if (t == 0) options.parallel_for = divide, options.parallel_user = &c->division;
        c->threads[t] = kf_context_create(&options, &err);
        if (!c->threads[t]) return 1;
        c->threads[t]->bytes_a_thread = 1;
    }
    *state = c;
    return 0;
}
static int teardown(void **state) {
    contexts *c = *state;
    for (int t = 0; t <= THREADS; t++) kf_context_free(c->threads[t]);
    free(c);
    return 0;
}

/* ---------------------------------------------------------------- arrays */

typedef struct {
    kf_array array;
    int64_t shape[4];
    char *memory;
    size_t bytes; /* of the elements */
} array_t;

static void make_array(array_t *a, kf_dtype dtype, int rank, const int64_t *shape, int shift) {
    size_t size = dtype.bits / 8;
    a->bytes = size;
    for (int d = 0; d < rank; d++) a->bytes *= (size_t)(a->shape[d] = shape[d]);
    a->memory = aligned_alloc(256, (a->bytes + (size_t)shift * size + 2 * GUARD + 255) / 256 * 256);
    assert_non_null(a->memory);
    a->array = (kf_array){a->memory + (size_t)shift * size, cpu, rank, dtype, a->shape, NULL, 0};
}

/* Ordinary numbers, every bit of which a sum's order would move; those of a place in a matrix don't
 * depend on how large it is. */
static void fill(array_t *a, int seed) {
    kf__dtype t = KF__F32;
    kf__dtype_from_dlpack(a->array.dtype, &t);
    size_t size = (size_t)kf__types[t].size, columns = (size_t)a->shape[1];
    for (size_t i = 0; i < a->bytes / size; i++) {
        uint64_t state = (uint64_t)seed << 60 ^ (uint64_t)(i / columns) << 30 ^ i % columns;
        double u = (double)(next(&state) >> 11) * 0x1p-53;
        element_store(t, (char *)a->array.data + i * size,
                      kf__is_float(t) ? u * 6 - 3 : (double)(int)(u * 21) - (t == KF__U8 ? 0 : 10));
    }
}

/* ---------------------------------------------------------------- one run */

typedef struct {
    const char *text, *types;
    int n;
    int64_t shapes[INPUTS][2];
    kf__dtype dtypes[INPUTS];
} program_t;

typedef struct {
    char *bits[RESULTS];
    size_t bytes[RESULTS];
    int n;
} bits_t;

static void free_bits(bits_t *b) {
    for (int i = 0; i < b->n; i++) free(b->bits[i]);
    memset(b, 0, sizeof *b);
}

/* batch: its rows or, where these are given, columns; shift: elements that the arrays begin behind an
 * aligned address. */
static void run(kf_context *ctx, const program_t *p, kf_device device, int64_t batch, int shift,
                bits_t *out) {
    array_t in[INPUTS];
    kf_array inputs[INPUTS];
    kf_spec specs[INPUTS];
    kf_function *f = NULL;
    kf_graph *g = NULL;
    kf_program *program = NULL;
    kf_plan *plan = NULL;
    kf_error err = {0};
    for (int i = 0; i < p->n; i++) {
        int64_t shape[2];
        for (int d = 0; d < 2; d++) shape[d] = p->shapes[i][d] < 0 ? batch : p->shapes[i][d];
        make_array(&in[i], kf__types[p->dtypes[i]].dlpack, 2, shape, shift ? shift + i : 0);
        fill(&in[i], i + 1);
        inputs[i] = in[i].array;
        inputs[i].device = device;
        specs[i] = (kf_spec){.kind = KF_SPEC_ARRAY, .dtype = in[i].array.dtype, .ndim = 2};
    }
    kf_compile_options options = {sizeof options, device, KF_FUSION_ON};
    kf_status status = kf_parse(ctx, p->text, NULL, &f, &err);
    if (status == KF_OK) status = kf_graph_create(ctx, f, p->n, specs, KF_FUSED, &g, &err);
    if (status == KF_OK) status = kf_compile(ctx, g, &options, &program, &err);
    if (status == KF_OK) status = kf_plan_for(program, p->n, inputs, 0, NULL, &plan, &err);
    if (status != KF_OK) fail_msg("%s: %s", p->text, err.message);
    array_t results[RESULTS];
    const void *from[INPUTS];
    void *to[RESULTS], *workspace = NULL;
    out->n = kf_plan_result_count(plan);
    assert_in_range(out->n, 1, RESULTS);
    for (int i = 0; i < p->n; i++) from[i] = in[i].array.data;
    for (int i = 0; i < out->n; i++) {
        kf_array r;
        kf_plan_result(plan, i, &r);
        make_array(&results[i], r.dtype, r.ndim, r.shape, shift ? shift + 2 * i + 1 : 0);
        to[i] = results[i].array.data;
    }
    size_t size = (kf_plan_workspace_size(plan) + 255) / 256 * 256;
    if (size) workspace = aligned_alloc(256, size);
    if (kf_run(plan, from, to, NULL, workspace, NULL, &err) != KF_OK)
        fail_msg("%s: %s", p->text, err.message);
    for (int i = 0; i < out->n; i++) {
        out->bytes[i] = results[i].bytes;
        out->bits[i] = malloc(out->bytes[i] + 1);
        memcpy(out->bits[i], to[i], out->bytes[i]);
        free(results[i].memory);
    }
    for (int i = 0; i < p->n; i++) free(in[i].memory);
    free(workspace);
    kf_plan_free(plan);
    kf_program_free(program);
    kf_graph_free(g);
    kf_function_free(f);
}

static void expect_same(const program_t *p, const bits_t *a, bits_t *b, const char *what, int n) {
    for (int i = 0; i < a->n; i++) {
        size_t bytes = kf__min(a->bytes[i], b->bytes[i]);
        if (memcmp(a->bits[i], b->bits[i], bytes) != 0)
            fail_msg("%s (%s, %lld x %lld): result %d has other bits %s %d", p->text, p->types,
                     (long long)p->shapes[0][0], (long long)p->shapes[0][1], i, what, n);
    }
    free_bits(b);
}

/* ---------------------------------------------------------------- what is run */

static kf__dtype dtype_named(const char *name, size_t n) {
    kf__dtype t = KF__F32;
    assert_true(kf__dtype_from_name(name, n, &t));
    return t;
}

static program_t program(const char *text, const char *types, int64_t rows, int64_t columns) {
    program_t p = {.text = text, .types = types, .n = strchr(types, ' ') ? 2 : 1};
    const char *type = types;
    for (int i = 0; i < p.n; i++) {
        size_t n = strcspn(type, " ");
        p.dtypes[i] = dtype_named(type, n);
        p.shapes[i][0] = rows, p.shapes[i][1] = columns;
        if (type[n]) type += n + 1;
    }
    return p;
}

/* Threads, divisions, addresses. */
static void check(const contexts *c, const program_t *p, kf_device device) {
    bits_t first = {0}, other = {0};
    run(c->threads[1], p, device, 5, 0, &first);
    for (int t = 2; t <= THREADS && device.type == KF_CPU; t++) {
        run(c->threads[t], p, device, 5, 0, &other);
        expect_same(p, &first, &other, "with threads:", t);
    }
    for (int k = 0; k < 3 && device.type == KF_CPU; k++) {
        run(c->threads[0], p, device, 5, 0, &other);
        expect_same(p, &first, &other, "divided otherwise,", k);
    }
    static const int shifts[] = {1, 2, 3, 4, 7, 8, 15};
    for (size_t k = 0; k < KF__COUNT(shifts); k++) {
        run(c->threads[k % THREADS + 1], p, device, 5, shifts[k], &other);
        expect_same(p, &first, &other, "behind an aligned address by elements:", shifts[k]);
    }
    run(c->threads[1], p, device, 5, 0, &other);
    expect_same(p, &first, &other, "in run", 2);
    free_bits(&first);
}

/* ---------------------------------------------------------------- tests */

static const struct {
    const char *text, *types;
} kinds[] = {
    {"exp((x + y) * 2), x > y", "f32 f16"},                      /* pointwise */
    {"tanh(x) * y", "bf16 f32"},
    {"cast(x * 3, f8e4m3), x // y", "i8 i16"},
    {"cast(x, f32) * y, cast(y, f8e5m2)", "f8e4m3 f64"},
    {"x + y.T", "f32 f32"},                                      /* through tiles */
    {"softmax(x) * y", "f32 f32"},                               /* rows */
    {"layer_norm(gelu(x)), rms_norm(x)", "f16"},
    {"x / sum(abs(x), -1, keepdims=True)", "f64"},
    {"sum(x, -1), max(x, -1), var(x, -1)", "f32"},           /* rows, reduced only */
    {"mean(x * y, -1), prod(y, -1)", "bf16 f32"},
    {"sum(x, 0), mean(relu(y), 0)", "f32 bf16"},                 /* columns */
    {"var(x, 0), min(x, 0), sum(y, 0)", "f64 u8"},
    {"relu(x).T, sum(x, 0)", "f16"},
    {"mean(pad(x, ((2, 2), (2, 2)), 'reflect'), 0)", "f32"},
    {"sum(x * y), logsumexp(x), mean(x)", "f32 f32"},            /* all */
    {"max(x, 0), mean(x, 0), prod(x * 0.5, 0)", "f16"},
    {"argmax(x, -1), argmin(x, 0), any(x > 0, -1)", "f32"},
    {"cumsum(x, -1) * 2, cumprod(y, -1)", "f32 f16"},            /* cumulative */
    {"cumsum(x * 3, 0), cummax(x, 0)[0]", "f32"},
    {"logcumsumexp(x, -1), logcumsumexp(y, 0)", "f32 f16"},
    {"dropout(x, 0.3, seed=7), rand_like(x, seed=1, stream=2)", "f32"},
    {"randn(x.shape, seed=3) * x, randint(-5, 100, x.shape, seed=5)", "f32"}, /* random, wide */
    {"sum(randn(x.shape, seed=3) * x, 0)", "f16"},
    {"take(x, y[:, 0], axis=0) * 2, take_along_axis(x, y, 1)", "f32 i64"},    /* gathers */
    {"softmax(take(x, y[:, 0], axis=0)), sum(take_along_axis(x, y, 0), 0)", "f16 i32"},
    {"take(x, (arange(40) * 3 + 1) % 7 // 2 - 1, axis=1)", "f32"}, /* tables */
    {"concatenate((x, y), 1), concatenate((exp(x), y), 0)", "f32 f32"},       /* joins */
    {"softmax(concatenate((x, y), 1)), sum(pad(y, ((1, 2), (3, 0))), 0)", "bf16 f32"},
    {"pad(x, ((1, 2), (3, 0))), x[::-1, 1:] * 2", "i8"},
};

static void run_kinds(const contexts *c, kf_device device) {
    static const int64_t shapes[][2] = {{37, 37}, {130, 130}, {3, 5003}, {3001, 9}};
    for (size_t k = 0; k < KF__COUNT(kinds); k++)
        for (size_t s = 0; s < KF__COUNT(shapes); s++) {
            if (strstr(kinds[k].text, ".T") && shapes[s][0] != shapes[s][1]) continue;
            if (device.type != KF_CPU && s == 3 && k % 2) continue; /* slow */
            program_t p = program(kinds[k].text, kinds[k].types, shapes[s][0], shapes[s][1]);
            check(c, &p, device);
        }
}

static void test_kinds(void **state) { run_kinds(*state, cpu); }
static void test_kinds_emulated(void **state) { run_kinds(*state, emulated); }

/* A length for each bucket of a GPU's rows, and blocks and chunks of a CPU's. */
static const int64_t lengths[] = {1, 7, 31, 33, 64, 129, 257, 513, 1025, 2049, 2052, 4097, 8193,
                                  16388, 32772, 65537, 131073};

static void run_lengths(const contexts *c, kf_device device, size_t step) {
    for (size_t k = 0; k < KF__COUNT(lengths); k += step) {
        program_t p = program("softmax(x), x - mean(x, -1, keepdims=True)", "f32", 3, lengths[k]);
        check(c, &p, device);
        p = program("sum(x, -1), var(x, -1)", "f16", 3, lengths[k]);
        check(c, &p, device);
    }
}

static void test_lengths(void **state) { run_lengths(*state, cpu, 1); }
static void test_lengths_emulated(void **state) { run_lengths(*state, emulated, 1); }

/* Rows of a batch don't know how many others there are; nor do columns. */
static void run_batch(const contexts *c, kf_device device, const program_t *p) {
    static const int64_t sizes[] = {1, 2, 3, 8, 33};
    bits_t first = {0}, other = {0};
    run(c->threads[1], p, device, 70, 0, &first);
    for (size_t r = 0; r < KF__COUNT(sizes); r++) {
        run(c->threads[r % 4 + 1], p, device, sizes[r], r % 2 ? 3 : 0, &other);
        expect_same(p, &first, &other, "in a batch of", (int)sizes[r]);
    }
    free_bits(&first);
}

/* As many rows as a cluster has, in one piece and in several, and more, in groups. */
static void run_columns(const contexts *c, kf_device device) {
    static const char *const texts[] = {
        "def f(x: any[N, B]): return sum(gelu(x), 0), max(x, 0), mean(x, 0)",
        "def f(x: any[N, B]): return var(softplus(x), 0), argmax(x, 0)",
        "def f(x: any[N, B]): return sum(lgamma(x + 4), 0), logsumexp(tanh(x), 0)",
    };
    static const int64_t rows[] = {3, 30, 100, 700, 2000, 2500, 9000};
    for (size_t k = 0; k < KF__COUNT(texts) * KF__COUNT(rows); k++) {
        program_t p = program(texts[k % 3], k % 2 ? "f32" : "f16", rows[k / 3], -1);
        run_batch(c, device, &p);
    }
}

static void test_columns(void **state) { run_columns(*state, cpu); }
static void test_columns_emulated(void **state) { run_columns(*state, emulated); }

static void run_batches(const contexts *c, kf_device device) {
    static const char *const texts[] = {
        "def f(x: any[B, N]): return softmax(x), x - mean(x, -1, keepdims=True)",
        "def f(x: any[B, N]): return sum(x, -1), var(x, -1)",
        "def f(x: any[B, N]): return layer_norm(exp(x)), max(x, -1)",
    };
    static const int64_t widths[] = {5, 64, 1000, 4100};
    static const char *const types[] = {"f32", "bf16", "f64"};
    for (size_t k = 0; k < KF__COUNT(texts) * KF__COUNT(widths); k++) {
        size_t text = k % KF__COUNT(texts);
        program_t p = program(texts[text], types[k % 3], -1, widths[k / KF__COUNT(texts)]);
        run_batch(c, device, &p);
    }
    /* Columns: of 600 rows, which several blocks of a GPU share where the batch is small. */
    program_t p = program("def f(x: any[B, N]): y = x.reshape(-1, 600, 5); "
                          "return sum(y, 1), var(y, 1), argmax(y, 1)", "f32", -1, 3000);
    run_batch(c, device, &p);
    p = program("def f(x: any[B, N]): y = x.reshape(-1, 700, 4); return mean(y, 1), max(y, 1)",
                "f16", -1, 2800);
    run_batch(c, device, &p);
    /* Of few rows a block has several lines beside one another where the batch is large. */
    p = program("def f(x: any[B, N]): y = x.reshape(-1, 64, 3); "
                "return sum(gelu(y), 1), argmax(y, 1), y * 2", "f32", -1, 192);
    run_batch(c, device, &p);
    p = program("def f(x: any[B, N]): y = x.reshape(-1, 100, 10); return var(softplus(y), 1)",
                "f16", -1, 1000);
    run_batch(c, device, &p);
    p = program("def f(x: any[B, N]): y = x.reshape(-1, 700, 3); "
                "return sum(gelu(y), 1), var(exp(y), 1)",
                "f32", -1, 2100);
    run_batch(c, device, &p);
    p = program("def f(x: any[B, N]): y = x.reshape(-1, 70, 17); return sum(lgamma(y + 4), 1)",
                "f64", -1, 70 * 17);
    run_batch(c, device, &p);
}

/* Rows that are kept in scratch: of a range of rows each, of which a batch has fewer or more. */
static void test_long_rows(void **state) {
    static const char *const texts[] = {
        "def f(x: any[B, N]): return softmax(gelu(x))",
        "def f(x: any[B, N]): return roll(softmax(x), 3, axis=1), layer_norm(tanh(x))",
    };
    static const char *const types[] = {"f32", "f64", "bf16"};
    for (size_t k = 0; k < KF__COUNT(types); k++) {
        program_t p = program(texts[k % 2], types[k], -1, 66000);
        run_batch(*state, cpu, &p);
    }
}

static void test_batches(void **state) { run_batches(*state, cpu); }
static void test_batches_emulated(void **state) { run_batches(*state, emulated); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_kinds_emulated),
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_lengths_emulated),
        cmocka_unit_test(test_batches), cmocka_unit_test(test_batches_emulated),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_columns_emulated),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
