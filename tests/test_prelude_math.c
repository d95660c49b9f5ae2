/* The prelude's functions of f32, compiled as generated code is, for every instruction set that
 * this machine has and in the dialect of emulated CUDA: how far from long double's libm they are,
 * and whether all that have FMA give the same bits. A sample of the floats;
 * exhaustive/math_f32.c takes all. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/prelude.h"

typedef void map1(const float *x, float *y, int n);
typedef void map2(const float *a, const float *b, float *y, int n);

static long double ref_rsqrt(long double x) { return 1 / sqrtl(x); }
static long double ref_sinpi(long double x) {
    long double r = fmodl(x, 2);
    return fabsl(r) == 1 ? 0 : sinl(r * 3.14159265358979323846264338327950288L);
}
static long double ref_cospi(long double x) { return ref_sinpi(fmodl(fabsl(x), 2) + 0.5L); }
static long double ref_mod(long double a, long double b) {
    long double r = fmodl(a, b);
    return r != 0 && signbit(r) != signbit(b) ? r + b : r;
}
static long double ref_floordiv(long double a, long double b) {
    if (isinf(b) && isfinite(a)) return a != 0 && signbit(a) != signbit(b) ? -1 : 0;
    return floorl(a / b);
}

static const struct {
    const char *name;
    long double (*of1)(long double), (*of2)(long double, long double);
    double ulp;
} functions[] = {
    {"exp", expl, NULL, 2},         {"expm1", expm1l, NULL, 2},     {"log", logl, NULL, 2},
    {"log1p", log1pl, NULL, 2},     {"sqrt", sqrtl, NULL, 0.501},   {"rsqrt", ref_rsqrt, NULL, 2},
    {"tanh", tanhl, NULL, 2},       {"erf", erfl, NULL, 2},         {"sin", sinl, NULL, 2},
    {"cos", cosl, NULL, 2},         {"sinpi", ref_sinpi, NULL, 2},  {"cospi", ref_cospi, NULL, 2},
    {"abs", fabsl, NULL, 0},        {"round", rintl, NULL, 0},      {"floor", floorl, NULL, 0},
    {"ceil", ceill, NULL, 0},       {"trunc", truncl, NULL, 0},     {"pow", NULL, powl, 2},
    {"mod", NULL, ref_mod, 0.501},  {"floordiv", NULL, ref_floordiv, 0.501},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]), SAMPLES = 150000 };

/* ---------------------------------------------------------------- the objects */

static struct {
    const char *name, *dialect, *flags, *feature;
    int fma;
    void *object;
} builds[] = {
#ifdef __x86_64__
    {"x86-64-v2", "prelude_c.h", "-O3 -fopenmp-simd -march=x86-64-v2", "sse4.2", 0, NULL},
    {"x86-64-v3", "prelude_c.h", "-O3 -fopenmp-simd -march=x86-64-v3", "fma", 1, NULL},
    {"x86-64-v4", "prelude_c.h", "-O3 -fopenmp-simd -march=x86-64-v4 -mprefer-vector-width=512",
     "avx512", 1, NULL},
#else
    {"baseline", "prelude_c.h", "-O3 -fopenmp-simd", NULL, 1, NULL},
#endif
    {"emulated", "prelude_emu.h", "-O1", NULL, 1, NULL},
};
enum { BUILDS = sizeof(builds) / sizeof(builds[0]) };

static int has(const char *feature) {
#ifdef __x86_64__
    if (feature && strcmp(feature, "fma") == 0)
        return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    if (feature && strcmp(feature, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    if (feature) return __builtin_cpu_supports("sse4.2");
#endif
    (void)feature;
    return 1;
}

static int build(void **state) {
    static char text[1 << 14];
    size_t n = 0;
    (void)state;
    for (int f = 0; f < FUNCTIONS; f++)
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "void run_%s(const float *a, %sfloat *y, int n) {\n"
                              "    KF_SIMD\n"
                              "    for (int i = 0; i < n; i++) y[i] = kf_%s_f32(%s);\n}\n",
                              functions[f].name, functions[f].of1 ? "" : "const float *b, ",
                              functions[f].name, functions[f].of1 ? "a[i]" : "a[i], b[i]");
    for (int b = 0; b < BUILDS; b++) {
        if (!has(builds[b].feature)) continue;
        builds[b].object = prelude_build(builds[b].dialect, builds[b].flags, text);
        if (!builds[b].object) return -1;
    }
    return 0;
}
static int unload(void **state) {
    (void)state;
    for (int b = 0; b < BUILDS; b++)
        if (builds[b].object) dlclose(builds[b].object);
    return 0;
}

/* ---------------------------------------------------------------- arguments */

static float a[SAMPLES], b2[SAMPLES], got[SAMPLES];

static uint32_t random_bits(void) {
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}
static float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
/* A third over all floats, the rest where functions of two arguments are neither 0 nor infinite. */
static void fill(int two) {
    static const float special[] = {0.0f,      -0.0f,     1.0f,       -1.0f,      0.5f,     -0.5f,
                                    2.0f,      3.0f,      -3.0f,      INFINITY,   -INFINITY, NAN,
                                    0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f,
                                    -0x1.fffffep127f, 88.7228394f, -103.972076f, 0x1p24f};
    enum { S = sizeof(special) / sizeof(special[0]) };
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t r = random_bits(), s = random_bits();
        a[i] = as_float(two ? r : (uint32_t)i * 28633u + (r & 15)); /* * 150000 is just 2^32 */
        b2[i] = as_float(s);
        if (i < S * S) {
            a[i] = special[i % S];
            b2[i] = special[i / S];
        } else if (i % 3 == 1) {
            a[i] = (float)(int32_t)r * 0x1p-28f;
            b2[i] = (float)(int32_t)s * 0x1p-25f;
        } else if (i % 3 == 2) {
            a[i] = as_float((r & 0x07ffffff) + 0x3c000000);
            b2[i] = (float)(int)(s % 64) - 32.0f;
        }
    }
}

/* In ulp of the float that `want` rounds to. */
static double error(float value, long double want) {
    float w = (float)want, size = fabsf(w), up = nextafterf(size, INFINITY);
    if (isnan(w) || isnan(value)) return isnan(w) && isnan(value) ? 0 : 1e9;
    if (w == value && (isinf(w) || w == 0)) return 0;
    long double ulp = isinf(up) ? 0x1p104L : (long double)up - (long double)size;
    long double v = isinf(value) ? copysignl(0x1p128L, value) : (long double)value;
    return (double)(fabsl(v - (isinf(want) ? copysignl(0x1p128L, want) : want)) / ulp);
}

static void call(void *object, int f, float *out) {
    char name[32];
    snprintf(name, sizeof(name), "run_%s", functions[f].name);
    void *symbol = dlsym(object, name);
    assert_non_null(symbol);
    map1 *one;
    map2 *two;
    memcpy(&one, &symbol, sizeof(one));
    memcpy(&two, &symbol, sizeof(two));
    if (functions[f].of1) one(a, out, SAMPLES);
    else two(a, b2, out, SAMPLES);
}

/* ---------------------------------------------------------------- tests */

static void test_accuracy(void **state) {
    static long double want[SAMPLES];
    (void)state;
    for (int f = 0; f < FUNCTIONS; f++) {
        fill(!functions[f].of1);
        for (int i = 0; i < SAMPLES; i++)
            want[i] = functions[f].of1 ? functions[f].of1((long double)a[i])
                                       : functions[f].of2((long double)a[i], (long double)b2[i]);
        for (int k = 0; k < BUILDS; k++) {
            double worst = -1;
            int at = 0;
            if (!builds[k].object) continue;
            call(builds[k].object, f, got);
            for (int i = 0; i < SAMPLES; i++) {
                double e = error(got[i], want[i]);
                if (e > worst) worst = e, at = i;
            }
            if (worst > functions[f].ulp)
                fail_msg("%s, %s: %g ulp at %a, %a: %a instead of %La", builds[k].name,
                         functions[f].name, worst, (double)a[at], (double)b2[at], (double)got[at],
                         want[at]);
        }
    }
}

static void test_equal_bits(void **state) {
    static float first[SAMPLES];
    (void)state;
    for (int f = 0; f < FUNCTIONS; f++) {
        int reference = -1;
        fill(!functions[f].of1);
        for (int k = 0; k < BUILDS; k++) {
            if (!builds[k].object || !builds[k].fma) continue;
            call(builds[k].object, f, reference < 0 ? first : got);
            if (reference < 0) {
                reference = k;
                continue;
            }
            for (int i = 0; i < SAMPLES; i++)
                if (memcmp(&first[i], &got[i], 4) != 0 && (!isnan(first[i]) || !isnan(got[i])))
                    fail_msg("%s of %a, %a: %a in %s, %a in %s", functions[f].name, (double)a[i],
                             (double)b2[i], (double)first[i], builds[reference].name,
                             (double)got[i], builds[k].name);
        }
    }
}

/* The sign of zero where it has a meaning. */
static void test_zeros(void **state) {
    static const char *const odd[] = {"expm1", "log1p", "sqrt", "tanh", "erf",  "sin",
                                      "sinpi", "round", "ceil", "trunc", "floor"};
    (void)state;
    a[0] = -0.0f;
    a[1] = 0.0f;
    for (int k = 0; k < BUILDS; k++)
        for (int f = 0; f < FUNCTIONS && builds[k].object; f++)
            for (size_t o = 0; o < sizeof(odd) / sizeof(odd[0]); o++) {
                if (strcmp(odd[o], functions[f].name) != 0) continue;
                call(builds[k].object, f, got);
                if (got[0] != 0 || !signbit(got[0]) || got[1] != 0 || signbit(got[1]))
                    fail_msg("%s, %s: of -0 %g, of 0 %g", builds[k].name, odd[o], (double)got[0],
                             (double)got[1]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_equal_bits),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, build, unload);
}
