/* Every f32 there is through the prelude's functions of one argument, and many pairs through pow,
 * against double's libm: the largest error in ulp, where it is, and the speed. Run by hand:
 *
 *     cc -O3 -march=x86-64-v3 -mprefer-vector-width=512 -fopenmp-simd -fno-math-errno \
 *        -fno-trapping-math -ffp-contract=off -Isrc tests/exhaustive/math_f32.c -lm -o math_f32
 *     ./math_f32 [function | all] [stride, to take every n-th float only]
 *
 * Exit status 1 if an error is above the promised one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prelude/prelude_c.h"
#include "prelude/prelude_libm.h"

#include "prelude/prelude_common.h"

#include "prelude/prelude_convert.h"

#include "prelude/prelude_exp.h"

#include "prelude/prelude_trig.h"

#include "prelude/prelude_special.h"

#include "prelude/prelude_reduce.h"

enum { BLOCK = 4096 };

static const double pi = 3.14159265358979323846;
static double ref_rsqrt(double x) { return 1 / sqrt(x); }
static double ref_sinpi(double x) {
    double r = fmod(x, 2);
    return fabs(r) == 1 ? 0 : sin(pi * r);
}
static double ref_cospi(double x) {
    double r = fabs(fmod(x, 2)); /* near 1/2 and 3/2 by the sine of the distance */
    return r < 0.25 || r > 1.75 ? cos(pi * r) : r < 1 ? sin(pi * (0.5 - r)) : sin(pi * (r - 1.5));
}

#define FUNCTIONS                                                                             \
    ROW(exp, exp, 2) ROW(expm1, expm1, 4) ROW(log, log, 2) ROW(log1p, log1p, 4)               \
    ROW(sqrt, sqrt, 0.5) ROW(rsqrt, ref_rsqrt, 2) ROW(tanh, tanh, 2) ROW(erf, erf, 4)         \
    ROW(exp2, exp2, 2) ROW(log2, log2, 4) ROW(log10, log10, 2) ROW(cbrt, cbrt, 2)             \
    ROW(sinh, sinh, 4) ROW(cosh, cosh, 4) ROW(asinh, asinh, 4) ROW(acosh, acosh, 4)           \
    ROW(atanh, atanh, 4) ROW(tan, tan, 4) ROW(asin, asin, 4) ROW(acos, acos, 4)               \
    ROW(atan, atan, 4) ROW(erfc, erfc, 4)                                                     \
    ROW(sin, sin, 4) ROW(cos, cos, 4) ROW(sinpi, ref_sinpi, 4) ROW(cospi, ref_cospi, 4)

#define ROW(name, reference, ulp)                                                             \
    static __attribute__((noinline)) void run_##name(const float *x, float *y, int n) {       \
        KF_SIMD for (int i = 0; i < n; i++) y[i] = kf_##name##_f32(x[i]);                     \
    }
FUNCTIONS
#undef ROW
static __attribute__((noinline)) void run_pow(const float *x, const float *y, float *z, int n) {
    KF_SIMD for (int i = 0; i < n; i++) z[i] = kf_pow_f32(x[i], y[i]);
}

static const struct {
    const char *name;
    void (*run)(const float *, float *, int);
    double (*reference)(double);
    double ulp;
} functions[] = {
#define ROW(name, reference, ulp) {#name, run_##name, reference, ulp},
    FUNCTIONS
#undef ROW
};

/* Error in ulp of the float that `want` rounds to; huge where NaN or the sign of a zero differs. */
static double error(float got, double want) {
    float w = (float)want, size = fabsf(w), up = nextafterf(size, INFINITY);
    if (w != w || got != got) return (w != w) == (got != got) ? 0 : 1e9;
    if (w == got && (isinf(w) || w == 0)) return signbit(w) == signbit(got) ? 0 : 1e8;
    double ulp = isinf(up) ? 0x1p104 : (double)up - (double)size;
    double g = isinf(got) ? copysign(0x1p128, (double)got) : (double)got; /* the next float */
    return fabs(g - (isinf(want) ? copysign(0x1p128, want) : want)) / ulp;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int test(size_t f, uint64_t stride) {
    static float x[BLOCK], y[BLOCK];
    double worst = 0, time = 0;
    float at = 0, got = 0;
    uint64_t count = 0;
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32;) {
        int n = 0;
        for (; n < BLOCK && bits < (uint64_t)1 << 32; n++, bits += stride) {
            uint32_t low = (uint32_t)bits;
            memcpy(&x[n], &low, 4);
        }
        double start = seconds();
        functions[f].run(x, y, n);
        time += seconds() - start;
        count += (uint64_t)n;
        for (int i = 0; i < n; i++) {
            double want = functions[f].reference((double)x[i]);
            double e = want == 0 && y[i] == 0 && x[i] != 0 ? 0 : error(y[i], want); /* any sign */
            if (e > worst) worst = e, at = x[i], got = y[i];
        }
    }
    printf("%-6s %8.3f ulp (%g) at %a: %a, should be %a   %.2f Gelem/s\n", functions[f].name, worst,
           functions[f].ulp, (double)at, (double)got, functions[f].reference((double)at),
           (double)count / time * 1e-9);
    return worst > functions[f].ulp;
}

static uint64_t random_state = 1;

/* A third each: results over the whole range of floats, bases near 1, and special cases. */
static void pow_arguments(float *x, float *y) {
    static const float special[] = {0.0f,      -0.0f,     1.0f,      -1.0f,    0.5f,    2.0f,
                                    3.0f,      -3.0f,     INFINITY,  -INFINITY, NAN,    0x1p-149f,
                                    0x1p127f,  -0x1p24f,  0x1.8p1f,  -0.5f};
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(random_state >> 32), low = (uint32_t)(random_state >> 16);
    double exponent = (double)(int32_t)(random_state >> 8) * 0x1p-31 * 120; /* of the result, * e */
    memcpy(x, &bits, 4);
    *x = fabsf(*x);
    if (low % 3 == 1) *x = 1.0f + (float)(int32_t)bits * (low & 64 ? 0x1p-33f : 0x1p-45f);
    *y = (float)(exponent / fmax(fabs(log((double)*x)), 1e-7));
    if (low % 3 != 2) return;
    if (low & 64) *x = -*x;
    *y = (float)((int)(low >> 8 & 63) - 32);
    if (low & 128) *x = special[low >> 16 & 15];
    if (low & 2048) *y = special[low >> 20 & 15];
}

static int test_pow(uint64_t pairs) {
    static float x[BLOCK], y[BLOCK], z[BLOCK];
    double worst = 0, time = 0;
    float ax = 0, ay = 0, got = 0;
    for (uint64_t k = 0; k < pairs; k += BLOCK) {
        for (int i = 0; i < BLOCK; i++) pow_arguments(&x[i], &y[i]);
        double start = seconds();
        run_pow(x, y, z, BLOCK);
        time += seconds() - start;
        for (int i = 0; i < BLOCK; i++) {
            double e = error(z[i], pow((double)x[i], (double)y[i]));
            if (e > worst) worst = e, ax = x[i], ay = y[i], got = z[i];
        }
    }
    printf("%-6s %8.3f ulp (4) at %a, %a: %a, should be %a   %.2f Gelem/s\n", "pow", worst,
           (double)ax, (double)ay, (double)got, pow((double)ax, (double)ay),
           (double)pairs / time * 1e-9);
    return worst > 4;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "all";
    uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    int all = strcmp(name, "all") == 0, bad = 0;
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
        if (all || strcmp(name, functions[f].name) == 0) bad |= test(f, stride);
    if (all || strcmp(name, "pow") == 0) bad |= test_pow(((uint64_t)1 << 32) / stride / 8);
    return bad;
}
