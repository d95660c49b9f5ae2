/* Every operation of ops.def that takes floats and gives one, as generated code computes it, for
 * every instruction set that this machine has and in the dialect of emulated CUDA: no further from
 * the oracle column than docs/numerics.md says that was measured over all floats; the same bits on
 * all that have FMA; zeros' signs. A sample; exhaustive/ulp.c takes all. */
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

#include "support/functions.h"
#include "support/prelude.h"
#include "support/table.h"

enum { SAMPLES = 60000, ROUNDED = 501 /* thousandths: correctly, but for double rounding */ };

static float a[SAMPLES], b[SAMPLES], c[SAMPLES], got[SAMPLES], first[SAMPLES];
static double wide_a[SAMPLES], wide_b[SAMPLES], wide_c[SAMPLES], wide[SAMPLES];

static int build(void **state) {
    (void)state;
    for (int k = 0; k < FUNCTIONS_BUILDS; k++)
        if (!functions_load(&functions_builds[k])) return -1;
    return 0;
}
static int unload(void **state) {
    (void)state;
    functions_unload();
    return 0;
}

/* What the table says was measured, and a little more where that wasn't over all floats. Of pairs
 * and of f64 a sample says little: the promise. */
static double limit_of(int op, const char *column) {
    double value;
    if (kf__ops[op].ulp == 0) return 1e-3 * ROUNDED;
    if (kf__ops[op].arity > 1 || !strcmp(column, "f64")) return kf__ops[op].ulp;
    if (!table_ulp(kf__ops[op].name, column, &value))
        fail_msg("docs/numerics.md has no %s of %s", column, kf__ops[op].name);
    return fmin(kf__ops[op].ulp, value + (table_ulp_of_all(kf__ops[op].name) ? 0 : 0.15));
}

static void test_f32(void **state) {
    static long double want[SAMPLES];
    (void)state;
    for (int op = 0; op < KF__OP_COUNT; op++) {
        if (!functions_has(op)) continue;
        functions_fill_f32(op, (uint64_t)op, a, b, c, SAMPLES);
        for (int i = 0; i < SAMPLES; i++) want[i] = kf__ops_on_numbers[op](a[i], b[i], c[i]);
        for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
            const functions_build *with = &functions_builds[k];
            if (!with->object) continue;
            double limit = limit_of(op, with->fma ? "f32" : "f32 without FMA");
            functions_run_f32(with, op, a, b, c, got, SAMPLES);
            for (int i = 0; i < SAMPLES; i++) {
                double e = functions_error_f32(got[i], want[i]);
                if (e > limit)
                    fail_msg("%s, %s: %g ulp at %a, %a, %a: %a instead of %La", with->name,
                             kf__ops[op].name, e, (double)a[i], (double)b[i], (double)c[i],
                             (double)got[i], want[i]);
            }
        }
    }
}

static void test_f64(void **state) {
    (void)state;
    for (int op = 0; op < KF__OP_COUNT; op++) {
        if (!functions_has(op) || op == KF__NEXTAFTER) continue;
        functions_fill_f64(op, (uint64_t)op, wide_a, wide_b, wide_c, SAMPLES);
        for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
            const functions_build *with = &functions_builds[k];
            if (!with->object) continue;
            double limit = limit_of(op, "f64");
            functions_run_f64(with, op, wide_a, wide_b, wide_c, wide, SAMPLES);
            for (int i = 0; i < SAMPLES; i++) {
                long double want = kf__ops_on_numbers[op](wide_a[i], wide_b[i], wide_c[i]);
                double e = functions_error_f64(wide[i], want);
                if (e > limit && !functions_exempt_f64(op, wide_a[i], want))
                    fail_msg("%s, %s of f64: %g ulp at %a, %a, %a: %a instead of %La", with->name,
                             kf__ops[op].name, e, wide_a[i], wide_b[i], wide_c[i], wide[i], want);
            }
        }
    }
}

static void test_equal_bits(void **state) {
    (void)state;
    for (int op = 0; op < KF__OP_COUNT; op++) {
        int reference = -1;
        if (!functions_has(op)) continue;
        functions_fill_f32(op, (uint64_t)op + 99, a, b, c, SAMPLES);
        for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
            if (!functions_builds[k].object || !functions_builds[k].fma) continue;
            functions_run_f32(&functions_builds[k], op, a, b, c, reference < 0 ? first : got,
                              SAMPLES);
            if (reference < 0) {
                reference = k;
                continue;
            }
            for (int i = 0; i < SAMPLES; i++) {
                int zeros = first[i] == 0 && got[i] == 0 &&
                            (op == KF__MAXIMUM || op == KF__MINIMUM || op == KF__FMAX ||
                             op == KF__FMIN);
                if (memcmp(&first[i], &got[i], 4) != 0 && (!isnan(first[i]) || !isnan(got[i])) &&
                    !zeros)
                    fail_msg("%s of %a, %a, %a: %a in %s, %a in %s", kf__ops[op].name, (double)a[i],
                             (double)b[i], (double)c[i], (double)first[i],
                             functions_builds[reference].name, (double)got[i],
                             functions_builds[k].name);
            }
        }
    }
}

/* Of one zero each: where the exact result is a zero, its sign is the oracle's. */
static void test_zeros(void **state) {
    (void)state;
    a[0] = -0.0f, a[1] = 0.0f;
    wide_a[0] = -0.0, wide_a[1] = 0.0;
    for (int op = 0; op < KF__OP_COUNT; op++)
        for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
            if (!functions_has(op) || kf__ops[op].arity > 1 || !functions_builds[k].object)
                continue;
            functions_run_f32(&functions_builds[k], op, a, a, a, got, 2);
            functions_run_f64(&functions_builds[k], op, wide_a, wide_a, wide_a, wide, 2);
            for (int i = 0; i < 2; i++) {
                long double want = kf__ops_on_numbers[op](a[i], 0, 0);
                if (want != 0) continue;
                if (got[i] != 0 || !signbit(got[i]) != !signbit(want) || wide[i] != 0 ||
                    !signbit(wide[i]) != !signbit(want))
                    fail_msg("%s, %s: of %g it is %g, of f64 %g", functions_builds[k].name,
                             kf__ops[op].name, (double)a[i], (double)got[i], wide[i]);
            }
        }
}

/* fmod and the remainder are exact. Of three pairs, found among 2^28 on a GPU, a step of the CPU's
 * left a little more than one divisor below 0; the others are about multiples of their divisors. */
static void test_remainders(void **state) {
    static const float hard[][2] = {{0x1.b1eeaap+124f, 0x1.fd13p-131f},
                                    {-0x1.a9a0f6p+125f, -0x1.7f7b6p-77f},
                                    {-0x1.85e572p+71f, -0x1.8ed69cp-127f}};
    (void)state;
    functions_fill_f32(KF__FMOD, 7, a, b, c, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        if (i < 3) a[i] = hard[i][0], b[i] = hard[i][1];
        else a[i] = nextafterf(b[i] * (float)(1 + i * 7), i % 2 ? INFINITY : -INFINITY);
    }
    for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
        if (!functions_builds[k].object) continue;
        functions_run_f32(&functions_builds[k], KF__FMOD, a, b, c, got, SAMPLES);
        for (int i = 0; i < SAMPLES; i++) {
            float want = fmodf(a[i], b[i]);
            if (memcmp(&want, &got[i], 4) != 0 && (!isnan(want) || !isnan(got[i])))
                fail_msg("%s: fmod(%a, %a) is %a instead of %a", functions_builds[k].name,
                         (double)a[i], (double)b[i], (double)got[i], (double)want);
        }
    }
}

typedef void map(const float *, float *, int);

/* sin and cos of multiples of pi, which no row has. */
static void test_turns(void **state) {
    static const char text[] =
        "void run_sinpi(const float *a, float *y, int n) {\n"
        "    KF_SIMD\n    for (int i = 0; i < n; i++) y[i] = kf_sinpi_f32(a[i]);\n}\n"
        "void run_cospi(const float *a, float *y, int n) {\n"
        "    KF_SIMD\n    for (int i = 0; i < n; i++) y[i] = kf_cospi_f32(a[i]);\n}\n";
    (void)state;
    functions_fill_f32(KF__SIN, 5, a, b, c, SAMPLES);
    for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
        const functions_build *with = &functions_builds[k];
        if (!with->object) continue;
        void *object = prelude_build(with->dialect, with->flags, text);
        assert_non_null(object);
        for (int cosine = 0; cosine < 2; cosine++) {
            void *symbol = dlsym(object, cosine ? "run_cospi" : "run_sinpi");
            map *run;
            assert_non_null(symbol);
            memcpy(&run, &symbol, sizeof run);
            run(a, got, SAMPLES);
            for (int i = 0; i < SAMPLES; i++) {
                long double r = fabsl(fmodl(a[i], 2)) + (cosine ? 0.5L : 0);
                long double want = r == 1 || r == 2 ? 0
                                                    : sinl(r * 3.14159265358979323846264338328L);
                if (!cosine && a[i] < 0) want = -want;
                if (functions_error_f32(got[i], want) > 2)
                    fail_msg("%s, %s of %a: %a instead of %La", with->name,
                             cosine ? "cospi" : "sinpi", (double)a[i], (double)got[i], want);
            }
        }
        dlclose(object);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_equal_bits), cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_turns),      cmocka_unit_test(test_remainders),
    };
    return cmocka_run_group_tests(tests, build, unload);
}
