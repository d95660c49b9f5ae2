/* Do the CPU and the GPU give the same bits? Every f32 through each operation of one argument and
 * each cast, random pairs through those of two, every number of each narrower type through each
 * cast. For a machine with a GPU and a CPU that has FMA; run by hand:
 *
 *     cc -O2 -fopenmp -std=c17 -Iinclude -Isrc tests/exhaustive/cpu_gpu_bits.c -Lbuild -lkfuse \
 *        -lm -o cpu_gpu_bits
 *     LD_LIBRARY_PATH=build ./cpu_gpu_bits [chunks of 2^24 floats, 256: all] [emulated]
 *
 * NaNs count as equal, and zeros of either sign are counted apart (of max and min of two zeros the
 * sign is left open). A chunk is every 256th float, so that fewer chunks are a sample of all; of
 * pairs there are at most 16 chunks. Exit status 1 if anything else differs. */
#include <kfuse/kfuse.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 24, CHUNKS = 256, PAIRS = 16 };

/* Rows of ops.def that take floats and give one; further texts of one and two arguments. */
static const struct {
    const char *name, *rule, *code;
    int arity;
} rows[] = {
#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    {name, #rule, fcode, arity},
#include "ir/ops.def"
#undef OP
};
static const char *const further[] = {
    "cast(x, i8)", "cast(x, u8)", "cast(x, i16)", "cast(x, i32)", "cast(x, i64)", "cast(x, bool)",
    "cast(x, f16)", "cast(x, bf16)", "cast(x, f8e4m3)", "cast(x, f8e5m2)",
    /* Of f64: at every border, just above and just below. */
    "cast(cast(x, f64) * 1.0000000000001, f16)", "cast(cast(x, f64) * 0.9999999999999, f16)",
    "cast(cast(x, f64) * 1.0000000000001, bf16)", "cast(cast(x, f64) * 0.9999999999999, bf16)",
    "cast(cast(x, f64) * 1.0000000000001, f8e4m3)", "cast(cast(x, f64) * 0.9999999999999, f8e5m2)",
    "cast(cast(x, f64) * 1.0000000000001, f32)", "cast(cast(x, f64), i64)",
    "pow(abs(x), y)", "pow(x, round(y))", "fma(x, y, x)", "where(x < y, x, y)",
};
static const char *const narrow[] = {"f16", "bf16", "f8e4m3", "f8e5m2", "i16", "i8", "u8"};
static const char *const types[] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2",
                                    "i64", "i32", "i16", "i8", "u8", "bool"};
#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))
enum { TEXTS = sizeof(rows) / sizeof(rows[0]) + sizeof(further) / sizeof(further[0]) };

/* A text, where its results go on both devices, and what was found. */
typedef struct {
    char text[64];
    int inputs;
    kf_array host, device;
    int64_t compared, differ, signs;
    uint64_t where; /* the first that differs: the float's bits, a pair's number, a code */
} test;

static test tests[TEXTS];
static int n_tests;

static void list_texts(void) {
    for (int i = 0; i < COUNT(rows); i++) {
        bool fits = !strcmp(rows[i].rule, "ARITH") || !strcmp(rows[i].rule, "SAME") ||
                    !strcmp(rows[i].rule, "FLOAT") || !strcmp(rows[i].rule, "DIVIDE");
        if (!fits || !rows[i].code || rows[i].arity > 2) continue;
        test *t = &tests[n_tests++];
        snprintf(t->text, sizeof t->text, rows[i].arity == 1 ? "%s(x)" : "%s(x, y)", rows[i].name);
        t->inputs = rows[i].arity;
    }
    for (int i = 0; i < COUNT(further); i++) {
        test *t = &tests[n_tests++];
        snprintf(t->text, sizeof t->text, "%s", further[i]);
        t->inputs = strchr(further[i], 'y') ? 2 : 1;
    }
}

/* ---------------------------------------------------------------- comparing */

static uint64_t bits_at(const char *data, size_t size, int64_t i) {
    uint64_t bits = 0;
    memcpy(&bits, data + (size_t)i * size, size);
    return bits;
}

/* What is above it, but for the sign, is NaN. */
static uint64_t infinity_of(kf_dtype t) {
    static const struct {
        kf_dtype type;
        uint64_t bits;
    } infinities[] = {{KF_F64, 0x7ff0000000000000}, {KF_F32, 0x7f800000}, {KF_F16, 0x7c00},
                      {KF_BF16, 0x7f80}, {KF_F8E4M3, 0x7e /* 448 */}, {KF_F8E5M2, 0x7c}};
    for (int i = 0; i < COUNT(infinities); i++)
        if (t.code == infinities[i].type.code && t.bits == infinities[i].type.bits)
            return infinities[i].bits;
    return UINT64_MAX;
}

/* Element i stands for number `first` + i `step`. */
static void compare(const char *a, const char *b, kf_dtype t, int64_t n, uint64_t first,
                    uint64_t step, test *found) {
    size_t size = t.bits / 8u;
    uint64_t above = infinity_of(t), size_bits = (1ull << (t.bits - 1)) - 1;
    int64_t differ = 0, signs = 0;
    uint64_t where = UINT64_MAX;
#pragma omp parallel for reduction(+ : differ, signs) reduction(min : where)
    for (int64_t i = 0; i < n; i++) {
        uint64_t p = bits_at(a, size, i), q = bits_at(b, size, i);
        if (p == q || ((p & size_bits) > above && (q & size_bits) > above)) continue;
        if (above != UINT64_MAX && ((p | q) & size_bits) == 0) {
            signs++;
            continue;
        }
        differ++;
        uint64_t number = first + (uint64_t)i * step;
        if (number < where) where = number;
    }
    if (differ && !found->differ) found->where = where;
    found->compared += n;
    found->differ += differ;
    found->signs += signs;
}

/* Evaluate on both devices into the arrays of `t`, which the first time makes. */
static kf_status one(kf_context *ctx, test *t, const kf_array *host, const kf_array *device,
                     char *copy, uint64_t first, uint64_t step, kf_error *err) {
    kf_status status = kf_eval(ctx, t->text, t->inputs, host, 1, &t->host, err);
    if (!status) status = kf_eval(ctx, t->text, t->inputs, device, 1, &t->device, err);
    kf_array back = t->host;
    back.data = copy;
    if (!status) status = kf_array_copy(ctx, &t->device, &back, err);
    if (!status) compare(t->host.data, copy, t->host.dtype, t->host.shape[0], first, step, t);
    return status;
}

static void end(kf_context *ctx, test *t) {
    if (t->host.data) kf_array_free(ctx, &t->host);
    if (t->device.data) kf_array_free(ctx, &t->device);
}

static bool report(const test *t) {
    printf("%-44s %12lld compared %9lld differ %9lld signs of zeros", t->text,
           (long long)t->compared, (long long)t->differ, (long long)t->signs);
    if (t->differ) printf("  the first at %#llx", (unsigned long long)t->where);
    printf("\n");
    fflush(stdout);
    return t->differ != 0;
}

/* ---------------------------------------------------------------- f32 */

static uint64_t random_bits(uint64_t x) { /* splitmix64's mixer */
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Chunk c: floats c, c + 256, ..; of pairs half over all floats, half of moderate size. */
static void fill(float *x, float *y, uint32_t c) {
#pragma omp parallel for
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t bits = i * CHUNKS + c;
        if (y) {
            uint64_t r = random_bits((uint64_t)c * CHUNK + i);
            uint32_t other = (uint32_t)r;
            bits = (uint32_t)(r >> 32);
            memcpy(&y[i], &other, 4);
            if (i & 1) y[i] = (float)(int32_t)other * 0x1p-27f;
        }
        memcpy(&x[i], &bits, 4);
        if (y && i & 1) x[i] = (float)(int32_t)bits * 0x1p-28f;
    }
}

static kf_status all_floats(kf_context *ctx, kf_device gpu, int chunks, bool *bad, kf_error *err) {
    static const kf_device cpu = {KF_CPU, 0};
    kf_array host[2] = {{0}}, device[2] = {{0}};
    int64_t shape[1] = {CHUNK};
    int every = CHUNKS / chunks;
    char *copy = malloc((size_t)CHUNK * 8);
    kf_status status = copy ? KF_OK : KF_ERR_MEMORY;
    for (int k = 0; k < 2 && !status; k++) {
        status = kf_array_create(ctx, cpu, KF_F32, 1, shape, &host[k], err);
        if (!status) status = kf_array_create(ctx, gpu, KF_F32, 1, shape, &device[k], err);
    }
    for (int c = 0; c < 2 * chunks && !status; c++) {
        int two = c % 2;
        if (two && c / 2 >= PAIRS) continue;
        fill((float *)host[0].data, two ? (float *)host[1].data : NULL,
             (uint32_t)(c / 2 * every));
        for (int k = 0; k <= two && !status; k++)
            status = kf_array_copy(ctx, &host[k], &device[k], err);
        for (int i = 0; i < n_tests && !status; i++)
            if (tests[i].inputs == 1 + two)
                status = one(ctx, &tests[i], host, device, copy,
                             two ? (uint64_t)c / 2 * CHUNK : (uint64_t)(c / 2 * every),
                             two ? 1 : CHUNKS, err);
    }
    for (int i = 0; i < n_tests; i++) {
        if (!status) *bad |= report(&tests[i]);
        end(ctx, &tests[i]);
    }
    for (int k = 0; k < 2; k++) {
        if (host[k].data) kf_array_free(ctx, &host[k]);
        if (device[k].data) kf_array_free(ctx, &device[k]);
    }
    free(copy);
    return status;
}

/* ---------------------------------------------------------------- narrower types */

/* All numbers of a type are bytes of arange, cast where the device makes it. */
static kf_status all_codes(kf_context *ctx, kf_device gpu, const char *from, const char *to,
                           bool *bad, kf_error *err) {
    static const kf_dtype dtypes[] = {KF_F16, KF_BF16, KF_F8E4M3, KF_F8E5M2, KF_I16, KF_I8, KF_U8};
    static const kf_device cpu = {KF_CPU, 0};
    static uint16_t codes[1 << 16];
    char copy[(1 << 16) * 8];
    kf_array host = {0}, device = {0};
    int64_t shape[1] = {1 << 16};
    test t = {.inputs = 1};
    kf_dtype type = {0};
    for (int i = 0; i < COUNT(narrow); i++)
        if (!strcmp(narrow[i], from)) type = dtypes[i];
    for (int i = 0; i < 1 << 16; i++) {
        if (type.bits == 8) ((uint8_t *)codes)[i] = (uint8_t)i;
        else codes[i] = (uint16_t)i;
    }
    snprintf(t.text, sizeof t.text, "cast(x, %s)", to);
    kf_status status = kf_array_create(ctx, cpu, type, 1, shape, &host, err);
    if (!status) status = kf_array_create(ctx, gpu, type, 1, shape, &device, err);
    if (!status) memcpy(host.data, codes, (size_t)(type.bits / 8) << 16);
    if (!status) status = kf_array_copy(ctx, &host, &device, err);
    if (!status) status = one(ctx, &t, &host, &device, copy, 0, 1, err);
    snprintf(t.text, sizeof t.text, "cast(x: %s, %s)", from, to);
    if (!status) *bad |= report(&t);
    end(ctx, &t);
    if (host.data) kf_array_free(ctx, &host);
    if (device.data) kf_array_free(ctx, &device);
    return status;
}

int main(int argc, char **argv) {
    long chunks = argc > 1 ? strtol(argv[1], NULL, 10) : CHUNKS;
    kf_device gpu = {argc > 2 ? KF_CUDA_EMULATED : KF_CUDA, 0};
    kf_error err = {0};
    bool bad = false;
    time_t start = time(NULL);
    kf_context *ctx = kf_context_create(NULL, &err);
    kf_status status = ctx ? KF_OK : err.status;
    list_texts();
    for (int i = 0; i < COUNT(narrow); i++)
        for (int k = 0; k < COUNT(types) && !status; k++)
            status = all_codes(ctx, gpu, narrow[i], types[k], &bad, &err);
    if (!status)
        status = all_floats(ctx, gpu, (int)(chunks < 1 ? 1 : chunks > CHUNKS ? CHUNKS : chunks),
                            &bad, &err);
    if (status) fprintf(stderr, "%s\n", err.message);
    printf("%s in %lld s\n", status ? "ended" : bad ? "there are differences" : "the same bits",
           (long long)(time(NULL) - start));
    kf_context_free(ctx);
    return status ? 2 : bad;
}
