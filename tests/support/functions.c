#include "support/functions.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/prelude.h"

functions_build functions_builds[FUNCTIONS_BUILDS] = {
#ifdef __x86_64__
    {"x86-64-v2", "prelude_c.h", "-O2 -ftree-vectorize -fopenmp-simd -march=x86-64-v2", "sse4.2", 0,
     NULL},
    {"x86-64-v3", "prelude_c.h", "-O2 -ftree-vectorize -fopenmp-simd -march=x86-64-v3", "fma", 1,
     NULL},
    {"x86-64-v4", "prelude_c.h",
     "-O2 -ftree-vectorize -fopenmp-simd -march=x86-64-v4 -mprefer-vector-width=512", "avx512", 1,
     NULL},
    {"emulated", "prelude_emu.h", "-O1 -march=x86-64-v3", "fma", 1, NULL},
#else
    {"baseline", "prelude_c.h", "-O2 -ftree-vectorize -fopenmp-simd", NULL, 1, NULL},
    {"emulated", "prelude_emu.h", "-O1", NULL, 1, NULL},
#endif
};

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

int functions_has(int op) {
    kf__rule rule = kf__ops[op].rule;
    return kf__ops[op].float_code && (rule == KF__RULE_ARITH || rule == KF__RULE_SAME ||
                                      rule == KF__RULE_FLOAT || rule == KF__RULE_DIVIDE);
}

/* A row's code over elements i: "kf_max_f32(a[i], b[i])". */
static void print_code(FILE *out, const char *code, const char *type) {
    while (*code) {
        size_t n = 0;
        while (isalnum((unsigned char)code[n]) || code[n] == '_') n++;
        if (n == 1 && *code >= 'a' && *code <= 'c') fprintf(out, "%c[i]", *code);
        else if (n > 2 && code[n - 2] == '_' && (code[n - 1] == 'T' || code[n - 1] == 'S'))
            fprintf(out, "%.*s%s", (int)n - 1, code, type);
        else fwrite(code, 1, n ? n : 1, out);
        code += n ? n : 1;
    }
}

int functions_load(functions_build *build) {
    char *text = NULL;
    size_t size = 0;
    if (!build->name || build->object || !has(build->feature)) return 1;
    FILE *out = open_memstream(&text, &size);
    if (!out) return 0;
    for (int op = 0; op < KF__OP_COUNT; op++)
        for (int wide = 0; wide < 2 && functions_has(op); wide++) {
            const char *type = wide ? "double" : "float";
            fprintf(out, "void run_%s_%s(const %s *a, const %s *b, const %s *c, %s *y, int n) {\n"
                         "    KF_SIMD\n    for (int i = 0; i < n; i++) y[i] = ",
                    wide ? "f64" : "f32", kf__ops[op].name, type, type, type, type);
            print_code(out, kf__ops[op].float_code, wide ? "f64" : "f32");
            fprintf(out, ";\n}\n");
        }
    fclose(out);
    build->object = prelude_build(build->dialect, build->flags, text);
    free(text);
    return build->object != NULL;
}

void functions_unload(void) {
    for (int b = 0; b < FUNCTIONS_BUILDS; b++) {
        if (functions_builds[b].object) dlclose(functions_builds[b].object);
        functions_builds[b].object = NULL;
    }
}

static void *find(const functions_build *build, const char *type, int op) {
    char name[64];
    snprintf(name, sizeof name, "run_%s_%s", type, kf__ops[op].name);
    void *symbol = dlsym(build->object, name);
    if (!symbol) fprintf(stderr, "%s wasn't compiled\n", name), abort();
    return symbol;
}

void functions_run_f32(const functions_build *build, int op, const float *a, const float *b,
                       const float *c, float *y, int n) {
    void (*run)(const float *, const float *, const float *, float *, int);
    void *symbol = find(build, "f32", op);
    memcpy(&run, &symbol, sizeof run);
    run(a, b, c, y, n);
}
void functions_run_f64(const functions_build *build, int op, const double *a, const double *b,
                       const double *c, double *y, int n) {
    void (*run)(const double *, const double *, const double *, double *, int);
    void *symbol = find(build, "f64", op);
    memcpy(&run, &symbol, sizeof run);
    run(a, b, c, y, n);
}

/* ---------------------------------------------------------------- errors */

/* ulp of |w|, or the spacing below infinity. */
static double error(long double got, long double want, long double rounded, long double ulp,
                    long double beyond) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : 1e9;
    if (rounded == got && (isinf(rounded) || rounded == 0)) return 0;
    long double g = isinf(got) ? copysignl(beyond, got) : got;
    long double w = isinf(want) ? copysignl(beyond, want) : want;
    return (double)(fabsl(g - w) / ulp);
}
double functions_error_f32(float got, long double want) {
    float w = (float)want, size = fabsf(w), up = nextafterf(size, INFINITY);
    return error(got, want, w, isinf(up) ? 0x1p104L : (long double)up - size, 0x1p128L);
}
double functions_error_f64(double got, long double want) {
    double w = (double)want, size = fabs(w), up = nextafter(size, INFINITY);
    return error(got, want, w, isinf(up) ? 0x1p971L : (long double)up - size, 0x1p1024L);
}

/* ---------------------------------------------------------------- arguments */

uint64_t functions_random(uint64_t *state) { /* splitmix64 */
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static const double special[] = {0.0,      -0.0,     1.0,      -1.0,     0.5,       -0.5,
                                 2.0,      3.0,      -3.0,     INFINITY, -INFINITY, NAN,
                                 0x1p-149, -0x1p-149, 0x1p-126, 0x1.fffffep127, -0x1.fffffep127,
                                 88.7228394, -103.972076, 0x1p24, 1e30, 0.99999994, 1.0000001};
enum { SPECIAL = sizeof(special) / sizeof(special[0]) };

static float one_f32(int op, int kind, uint64_t r, int k) {
    float f;
    uint32_t bits = (uint32_t)r;
    double lo = kf__ops[op].lo, hi = kf__ops[op].hi;
    memcpy(&f, &bits, 4);
    if (kind == 1) return (float)(lo + (hi - lo) * (double)(r >> 11) * 0x1p-53);
    if (kind == 2 && k) return (float)(int)(r % 64) - 32.0f;
    if (kind == 2) return (float)(int32_t)bits * 0x1p-28f;
    return f;
}
void functions_fill_f32(int op, uint64_t seed, float *a, float *b, float *c, int n) {
    float *to[3] = {a, b, c};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            int at = k == 0 ? i : k == 1 ? i / SPECIAL : i / 7;
            to[k][i] = one_f32(op, i % 3, functions_random(&seed), k);
            if (i < SPECIAL * SPECIAL) to[k][i] = (float)special[at % SPECIAL];
        }
}

static double one_f64(int op, int kind, uint64_t r, int k) {
    double f, lo = kf__ops[op].lo, hi = kf__ops[op].hi;
    memcpy(&f, &r, 8);
    if (kind == 1) return lo + (hi - lo) * (double)(r >> 11) * 0x1p-53;
    if (kind == 2 && k) return (double)(int)(r % 64) - 32.0;
    if (kind == 2) return (double)(int64_t)r * 0x1p-60;
    return f;
}
void functions_fill_f64(int op, uint64_t seed, double *a, double *b, double *c, int n) {
    double *to[3] = {a, b, c};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            int at = k == 0 ? i : k == 1 ? i / SPECIAL : i / 7;
            to[k][i] = one_f64(op, i % 3, functions_random(&seed), k);
            if (i < SPECIAL * SPECIAL) to[k][i] = special[at % SPECIAL];
        }
}
