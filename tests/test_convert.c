/* Conversions between dtypes, as generated code does them: both preludes, all instruction sets that
 * this machine has. Against a table of every value that a storage type has, made by ldexp.
 *
 * All codes to f32 and back; around each border between two codes f32 and f64 to codes; integers,
 * each rounded once; codes to integers. Between borders every 1009th f32, or each one if
 * KFUSE_EXHAUSTIVE is set (a minute). */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/prelude.h"

/* ---------------------------------------------------------------- the storage types */

typedef struct {
    const char *name;
    int exponent, mantissa; /* bits */
    bool infinite;          /* else overflow gives NaN, all ones */
} format_t;

static const format_t formats[] = {
    {"f16", 5, 10, true}, {"bf16", 8, 7, true}, {"f8e4m3", 4, 3, false}, {"f8e5m2", 5, 2, true},
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

static int n_finite(const format_t *f) { /* non-negative ones */
    return (((1 << f->exponent) - 1) << f->mantissa) + (f->infinite ? 0 : (1 << f->mantissa) - 1);
}
/* Of a code below n_finite; of n_finite itself what would come next. */
static double value(const format_t *f, int code) {
    int e = code >> f->mantissa, m = code & ((1 << f->mantissa) - 1);
    int least = 2 - (1 << (f->exponent - 1)) - f->mantissa;
    return e ? ldexp((1 << f->mantissa) + m, e - 1 + least) : ldexp(m, least);
}
/* The border between a code and the next; at it the even one wins. */
static double border(const format_t *f, int code) {
    return (value(f, code) + value(f, code + 1)) / 2;
}
static int overflow(const format_t *f) { return n_finite(f); } /* infinity, or the NaN */
static bool is_nan(const format_t *f, int code) {
    return (code & ((1 << (f->exponent + f->mantissa)) - 1)) > n_finite(f) - (f->infinite ? 0 : 1);
}

/* The code of a size >= 0: bisection over the borders. */
static int code_of(const format_t *f, long double size) {
    int low = 0, high = n_finite(f); /* the code is in [low, high] */
    while (low < high) {
        int mid = (low + high) / 2;
        long double at = border(f, mid);
        if (size < at || (size == at && mid % 2 == 0)) high = mid;
        else low = mid + 1;
    }
    return low == n_finite(f) ? overflow(f) : low;
}

/* ---------------------------------------------------------------- generated code */

typedef void convert_fn(const void *from, void *to, int64_t n);

static const char *const ints[] = {"i64", "i32", "i16", "i8", "u8", "bool"};
static const char *const int_types[] = {"int64_t", "int32_t", "int16_t", "int8_t", "uint8_t",
                                        "int"};
enum { INTS = sizeof(ints) / sizeof(ints[0]) };

static char *text; /* of the functions below, NAME_to_NAME over arrays */
static size_t text_size;

static void write_text(void) {
    FILE *out = open_memstream(&text, &text_size);
    fputs("#define CONVERT(name, FROM, TO, code) void name(const void *from, void *to, int64_t n) {"
          "\\\n    for (int64_t i = 0; i < n; i++) { const FROM v = ((const FROM *)from)[i]; "
          "((TO *)to)[i] = code; } }\n", out);
    for (int t = 0; t < FORMATS; t++) {
        const char *T = formats[t].name;
        fprintf(out, "CONVERT(%s_to_f32, kf_%s, float, kf__from_%s(v))\n", T, T, T);
        fprintf(out, "CONVERT(f32_to_%s, float, kf_%s, kf__to_%s(v))\n", T, T, T);
        fprintf(out, "CONVERT(f32_round_%s, float, float, kf_round_%s(v))\n", T, T);
        fprintf(out, "CONVERT(f64_to_%s, double, kf_%s, kf__to_%s(kf_round_%s_f64(v)))\n", T, T, T,
                T);
        for (int i = 0; i < INTS; i++)
            fprintf(out, "CONVERT(%s_to_%s, %s, kf_%s, "
                    "kf__to_%s(kf_round_%s_f64(kf_cast_%s_%s(v))))\n",
                    ints[i], T, int_types[i], T, T, T, ints[i], i == 0 ? "odd" : "f64");
    }
    for (int i = 0; i < INTS; i++)
        for (int k = 32; k <= 64; k += 32) {
            const char *F = k == 32 ? "float" : "double";
            fprintf(out, "CONVERT(f%d_to_%s, %s, %s, kf_cast_f%d_%s(v))\n", k, ints[i], F,
                    int_types[i], k, ints[i]);
            fprintf(out, "CONVERT(%s_to_f%d, %s, %s, kf_cast_%s_f%d(v))\n", ints[i], k,
                    int_types[i], F, ints[i], k);
        }
    fputs("CONVERT(f64_to_f32, double, float, kf_cast_f64_f32(v))\n", out);
    fputs("#ifdef KF_LINE /* the CPU's */\n"
          "#define RUNS(name, code) void name(const void *from, void *to, int64_t n) { code; }\n"
          "RUNS(f16_runs_f32, kf_widen_f16(to, from, n))\n"
          "RUNS(f32_runs_f16, kf_narrow_f16(to, from, n))\n"
          "#endif\n", out);
    fclose(out);
}

static struct build {
    const char *name, *dialect, *flags, *cpu;
    void *object;
} builds[] = {
    {"baseline", "prelude_c.h", "-O2 -ftree-vectorize", NULL, NULL},
#ifdef __x86_64__
    {"x86-64-v3", "prelude_c.h", "-O2 -ftree-vectorize -march=x86-64-v3", "avx2", NULL},
    {"x86-64-v4", "prelude_c.h", "-O2 -ftree-vectorize -march=x86-64-v4", "avx512f", NULL},
#endif
    {"emulated", "prelude_emu.h", "-O1", NULL, NULL},
};
enum { BUILDS = sizeof(builds) / sizeof(builds[0]) };

static bool runs_here(const char *cpu) {
#ifdef __x86_64__
    if (cpu && !strcmp(cpu, "avx2")) return __builtin_cpu_supports("avx2");
    if (cpu && !strcmp(cpu, "avx512f")) return __builtin_cpu_supports("avx512f");
#endif
    return !cpu;
}

static convert_fn *find(const struct build *b, const char *from, const char *how, const char *to) {
    char name[64];
    convert_fn *fn;
    snprintf(name, sizeof name, "%s_%s_%s", from, how, to);
    *(void **)&fn = dlsym(b->object, name);
    if (!fn) fail_msg("%s isn't there", name);
    return fn;
}

static int setup(void **state) {
    (void)state;
    write_text();
    for (int b = 0; b < BUILDS; b++) {
        if (!runs_here(builds[b].cpu)) continue;
        builds[b].object = prelude_build(builds[b].dialect, builds[b].flags, text);
        if (!builds[b].object) return -1;
    }
    return 0;
}
static int teardown(void **state) {
    (void)state;
    for (int b = 0; b < BUILDS; b++)
        if (builds[b].object) dlclose(builds[b].object);
    free(text);
    return 0;
}

#define FOR_BUILDS(b) \
    for (struct build *b = builds; b < builds + BUILDS; b++) \
        if (b->object)

/* ---------------------------------------------------------------- codes */

/* Codes of one or two bytes in an array. */
static int get(const format_t *f, const void *codes, int64_t i) {
    return f->exponent + f->mantissa > 7 ? ((const uint16_t *)codes)[i]
                                         : ((const uint8_t *)codes)[i];
}
static void put(const format_t *f, void *codes, int64_t i, int code) {
    if (f->exponent + f->mantissa > 7) ((uint16_t *)codes)[i] = (uint16_t)code;
    else ((uint8_t *)codes)[i] = (uint8_t)code;
}

static void check_codes(const struct build *b, const format_t *f) {
    enum { MOST = 65536 };
    static uint16_t codes[MOST], back[MOST];
    static float floats[MOST], again[MOST];
    int sign = 1 << (f->exponent + f->mantissa), n = 2 * sign;
    for (int i = 0; i < n; i++) put(f, codes, i, i);
    find(b, f->name, "to", "f32")(codes, floats, n);
    find(b, "f32", "to", f->name)(floats, back, n);
    find(b, "f32", "round", f->name)(floats, again, n);
    for (int i = 0; i < n; i++) {
        int size = i & (sign - 1);
        double want = size < n_finite(f) ? value(f, size) : (double)INFINITY;
        bool nan = is_nan(f, i), negative = (i & sign) != 0;
        if (nan ? !isnan(floats[i]) || !is_nan(f, get(f, back, i)) || !isnan(again[i])
                : (double)fabsf(floats[i]) != want || (signbit(floats[i]) != 0) != negative ||
                      get(f, back, i) != i || again[i] != floats[i])
            fail_msg("%s, %s: code %#x is %a, back %#x", b->name, f->name, i, (double)floats[i],
                     get(f, back, i));
    }
}

static void test_codes(void **state) {
    (void)state;
    FOR_BUILDS(b)
        for (int t = 0; t < FORMATS; t++) check_codes(b, &formats[t]);
}

/* ---------------------------------------------------------------- borders */

static void expect(const struct build *b, const format_t *f, const char *from, double v, int got) {
    int sign = 1 << (f->exponent + f->mantissa), want = code_of(f, fabsl((long double)v));
    bool nan = isnan(v) || is_nan(f, want);
    if (isinf(v)) want = overflow(f);
    if (signbit(v)) want |= sign;
    if (nan ? !is_nan(f, got) : got != want)
        fail_msg("%s: %s %a to %s gives %#x, not %#x", b->name, from, v, f->name, got, want);
}

static void check_borders(const struct build *b, const format_t *f) {
    enum { AROUND = 14, MOST = AROUND * 0x8000 };
    static double doubles[MOST];
    static float floats[MOST];
    static uint16_t got[MOST];
    int n = 0;
    for (int code = 0; code < n_finite(f); code++) {
        double at = border(f, code), exact = value(f, code);
        float f32 = (float)at; /* a border has one digit more than its format: exact in f32 */
        double set[AROUND] = {at, nextafter(at, 0), nextafter(at, INFINITY), nextafterf(f32, 0),
                              nextafterf(f32, INFINITY), exact, nextafter(exact, 0),
                              nextafter(exact, INFINITY), at + at * 0x1p-23, at - at * 0x1p-23,
                              nextafter(nextafterf(f32, INFINITY), INFINITY), at * (1 + 0x1p-30),
                              at * (1 - 0x1p-30), nextafter(nextafterf(f32, 0), 0)};
        for (int k = 0; k < AROUND; k++) doubles[n++] = (code + k) % 2 ? -set[k] : set[k];
    }
    static const double wild[] = {1e300, -1e300, 0x1p-1074, -0x1p-149, 3.4e38, 0x1.fffffep127,
                                  0x1.ffffffp127, INFINITY, -INFINITY, NAN, 0.0, -0.0};
    memcpy(doubles + n - 12, wild, sizeof wild);
    for (int i = 0; i < n; i++) floats[i] = (float)doubles[i];
    find(b, "f64", "to", f->name)(doubles, got, n);
    for (int i = 0; i < n; i++) expect(b, f, "f64", doubles[i], get(f, got, i));
    find(b, "f32", "to", f->name)(floats, got, n);
    for (int i = 0; i < n; i++) expect(b, f, "f32", floats[i], get(f, got, i));
    static float back[MOST], rounded[MOST];
    find(b, f->name, "to", "f32")(got, back, n);
    find(b, "f32", "round", f->name)(floats, rounded, n);
    for (int i = 0; i < n; i++)
        if (memcmp(&back[i], &rounded[i], 4) != 0)
            fail_msg("%s: f32 %a rounded to %s is %a, not %a", b->name, (double)floats[i], f->name,
                     (double)rounded[i], (double)back[i]);
}

static void test_borders(void **state) {
    (void)state;
    FOR_BUILDS(b)
        for (int t = 0; t < FORMATS; t++) check_borders(b, &formats[t]);
}

/* Every f32, or a sample: codes never fall as the float rises, and change at borders only. */
static void check_floats(const struct build *b, const format_t *f, uint32_t step) {
    enum { BLOCK = 1 << 16 };
    static float floats[BLOCK];
    static uint16_t got[BLOCK];
    convert_fn *to = find(b, "f32", "to", f->name);
    int code = 0;
    double next = border(f, 0); /* from which on the code is greater */
    for (uint64_t first = 0; first <= 0x7f800000; first += (uint64_t)BLOCK * step) {
        int n = 0;
        for (uint64_t bits = first; n < BLOCK && bits <= 0x7f800000; bits += step, n++) {
            uint32_t low = (uint32_t)bits;
            memcpy(&floats[n], &low, 4);
        }
        to(floats, got, n);
        for (int i = 0; i < n; i++) {
            while (code < n_finite(f) &&
                   ((double)floats[i] > next || ((double)floats[i] == next && code % 2)))
                next = ++code < n_finite(f) ? border(f, code) : INFINITY;
            if (get(f, got, i) != code)
                fail_msg("%s: f32 %a to %s gives %#x, not %#x", b->name, (double)floats[i], f->name,
                         get(f, got, i), code);
        }
    }
}

static void test_floats(void **state) {
    (void)state;
    FOR_BUILDS(b)
        for (int t = 0; t < FORMATS; t++)
            check_floats(b, &formats[t], getenv("KFUSE_EXHAUSTIVE") ? 1 : 1009);
}

/* Runs of halves of any length, with the processor's own instructions where it has them: as one by
 * one, and nothing behind them. */
static void check_runs(const struct build *b) {
    enum { CODES = 65536, MOST = 3 * CODES, LENGTHS = 40 };
    static uint16_t codes[CODES], one[MOST], many[MOST + LENGTHS];
    static float floats[MOST], wide[CODES + LENGTHS];
    const format_t *f = &formats[0];
    for (int i = 0; i < CODES; i++) codes[i] = (uint16_t)i;
    find(b, "f16", "to", "f32")(codes, floats, CODES);
    find(b, "f16", "runs", "f32")(codes, wide, CODES);
    for (int i = 0; i < CODES; i++)
        if (is_nan(f, i) ? !isnan(wide[i]) : memcmp(&wide[i], &floats[i], 4) != 0)
            fail_msg("%s: code %#x is %a, not %a", b->name, i, (double)wide[i], (double)floats[i]);
    for (int code = 0; code < n_finite(f); code++) {
        float at = (float)border(f, code), sign = code % 2 ? -1 : 1;
        floats[3 * code] = sign * at;
        floats[3 * code + 1] = sign * nextafterf(at, 0);
        floats[3 * code + 2] = sign * nextafterf(at, INFINITY);
    }
    int n = 3 * n_finite(f);
    for (int e = -149; e < 128; e++) floats[n++] = ldexpf(e % 2 ? -1 : 1, e);
    static const float wild[] = {0.0f, -0.0f, INFINITY, -INFINITY, 0x1.fffffep127f};
    memcpy(floats + n, wild, sizeof wild);
    n += sizeof wild / sizeof *wild;
    find(b, "f32", "to", "f16")(floats, one, n);
    find(b, "f32", "runs", "f16")(floats, many, n);
    for (int i = 0; i < n; i++)
        if (one[i] != many[i])
            fail_msg("%s: %a is %#x, not %#x", b->name, (double)floats[i], many[i], one[i]);
    float nan = NAN;
    find(b, "f32", "runs", "f16")(&nan, many, 1);
    if (!is_nan(f, many[0])) fail_msg("%s: NaN is %#x", b->name, many[0]);
    for (int length = 0; length < LENGTHS; length++) {
        memset(wide, 0x55, sizeof wide);
        memset(many, 0x55, sizeof many);
        find(b, "f16", "runs", "f32")(codes + 15361, wide, length);
        find(b, "f32", "runs", "f16")(floats + 30000, many, length);
        for (int i = 0; i < LENGTHS; i++) {
            int32_t bits;
            memcpy(&bits, &wide[i], 4);
            bool right = i < length ? wide[i] == (float)value(f, 15361 + i) &&
                                          many[i] == one[30000 + i]
                                    : bits == 0x55555555 && many[i] == 0x5555;
            if (!right) fail_msg("%s: element %d of a run of %d", b->name, i, length);
        }
    }
}

static void test_runs(void **state) {
    (void)state;
    FOR_BUILDS(b)
        if (strcmp(b->dialect, "prelude_emu.h")) check_runs(b);
}

/* ---------------------------------------------------------------- integers */

static int64_t lowest_of(int t) {
    static const int64_t low[INTS] = {INT64_MIN, INT32_MIN, INT16_MIN, INT8_MIN, 0, 0};
    return low[t];
}
static int64_t highest_of(int t) {
    static const int64_t high[INTS] = {INT64_MAX, INT32_MAX, INT16_MAX, INT8_MAX, UINT8_MAX, 1};
    return high[t];
}
static void put_int(int t, void *to, int64_t i, int64_t v) {
    switch (t) {
    case 0: ((int64_t *)to)[i] = v; break;
    case 1: ((int32_t *)to)[i] = (int32_t)v; break;
    case 2: ((int16_t *)to)[i] = (int16_t)v; break;
    case 3: ((int8_t *)to)[i] = (int8_t)v; break;
    case 4: ((uint8_t *)to)[i] = (uint8_t)v; break;
    default: ((int *)to)[i] = (int)v;
    }
}
static int64_t get_int(int t, const void *from, int64_t i) {
    switch (t) {
    case 0: return ((const int64_t *)from)[i];
    case 1: return ((const int32_t *)from)[i];
    case 2: return ((const int16_t *)from)[i];
    case 3: return ((const int8_t *)from)[i];
    case 4: return ((const uint8_t *)from)[i];
    default: return ((const int *)from)[i];
    }
}

enum { VALUES = 270000 };
static int64_t numbers[VALUES], stored[VALUES];

/* All of a narrow type; of the others each border of bf16 and f32, and what is beside it. */
static int make_numbers(int t) {
    int n = 0;
    if (highest_of(t) < 40000) {
        for (int64_t v = lowest_of(t); v <= highest_of(t); v++) numbers[n++] = v;
        return n;
    }
    for (int e = 0; e < 63; e++)
        for (int m = 0; m < 1024; m++) { /* two digits more than bf16, and ties of f32 and f64 */
            int64_t v = (int64_t)1 << e;
            v |= e >= 10 ? (int64_t)m << (e - 10) : 0;
            if (v > highest_of(t) - 3) continue;
            numbers[n++] = v;
            numbers[n++] = -v;
            numbers[n++] = v + 1;
            numbers[n++] = m % 2 ? 1 - v : v - 1;
        }
    for (int64_t k = 0; k < 3; k++) {
        numbers[n - 1 - k] = lowest_of(t) + k;
        numbers[n - 4 - k] = highest_of(t) - k;
    }
    return n;
}

static void test_from_integers(void **state) {
    static uint16_t codes[VALUES];
    static float floats[VALUES];
    static double doubles[VALUES];
    (void)state;
    FOR_BUILDS(b)
        for (int t = 0; t < INTS; t++) {
            int n = make_numbers(t);
            assert_true(n <= VALUES);
            for (int i = 0; i < n; i++) put_int(t, stored, i, numbers[i]);
            find(b, ints[t], "to", "f32")(stored, floats, n);
            find(b, ints[t], "to", "f64")(stored, doubles, n);
            for (int i = 0; i < n; i++)
                if (floats[i] != (float)numbers[i] || doubles[i] != (double)numbers[i])
                    fail_msg("%s: %s %lld to f32 gives %a", b->name, ints[t], (long long)numbers[i],
                             (double)floats[i]);
            for (int k = 0; k < FORMATS; k++) {
                const format_t *f = &formats[k];
                int sign = 1 << (f->exponent + f->mantissa);
                find(b, ints[t], "to", f->name)(stored, codes, n);
                for (int i = 0; i < n; i++) {
                    int want = code_of(f, fabsl((long double)numbers[i])), got = get(f, codes, i);
                    if (numbers[i] < 0) want |= sign;
                    if (is_nan(f, want) ? !is_nan(f, got) : got != want)
                        fail_msg("%s: %s %lld to %s gives %#x, not %#x", b->name, ints[t],
                                 (long long)numbers[i], f->name, got, want);
                }
            }
        }
}

static int64_t saturated(int t, double v) {
    if (t == INTS - 1) return v != 0;
    if (isnan(v)) return 0;
    long double whole = truncl((long double)v);
    if (whole <= (long double)lowest_of(t)) return lowest_of(t);
    return whole >= (long double)highest_of(t) ? highest_of(t) : (int64_t)whole;
}

static void check_to_integers(const struct build *b, const double *doubles, int n) {
    static float floats[VALUES];
    for (int i = 0; i < n; i++) floats[i] = (float)doubles[i];
    for (int t = 0; t < INTS; t++)
        for (int k = 32; k <= 64; k += 32) {
            find(b, k == 32 ? "f32" : "f64", "to", ints[t])(
                k == 32 ? (const void *)floats : doubles, stored, n);
            for (int i = 0; i < n; i++) {
                double v = k == 32 ? floats[i] : doubles[i];
                if (get_int(t, stored, i) != saturated(t, v))
                    fail_msg("%s: f%d %a to %s gives %lld, not %lld", b->name, k, v, ints[t],
                             (long long)get_int(t, stored, i), (long long)saturated(t, v));
            }
        }
}

static void test_to_integers(void **state) {
    static double v[VALUES];
    (void)state;
    for (int t = 0; t < FORMATS; t++) { /* all values of the storage types */
        const format_t *f = &formats[t];
        int n = 0;
        for (int code = 0; code < n_finite(f); code++) {
            v[n++] = value(f, code);
            v[n++] = -value(f, code);
        }
        FOR_BUILDS(b) check_to_integers(b, v, n);
    }
    int n = 0;
    for (int e = 0; e <= 64; e++) /* borders of all integers */
        for (int k = -3; k <= 3; k++) {
            double at = ldexp(1, e);
            double set[] = {at + k, at + k * 0.5, nextafter(at, k < 0 ? 0 : INFINITY),
                            nextafterf((float)at, k < 0 ? 0 : INFINITY)};
            for (int i = 0; i < 4; i++) {
                v[n++] = set[i];
                v[n++] = -set[i];
            }
        }
    static const double wild[] = {NAN, -NAN, INFINITY, -INFINITY, 1e300, -1e300, 0.0, -0.0, 0.9,
                                  -0.9, 1e-310, -1e-45, 255.99999, -0.5, 3.4e38};
    memcpy(v + n, wild, sizeof wild);
    n += (int)(sizeof wild / sizeof wild[0]);
    FOR_BUILDS(b) check_to_integers(b, v, n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),         cmocka_unit_test(test_borders),
        cmocka_unit_test(test_floats),        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_from_integers), cmocka_unit_test(test_to_integers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
