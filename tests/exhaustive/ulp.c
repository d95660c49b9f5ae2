/* How far the preludes' functions are from the oracle column of ops.def, over all floats there are:
 * the largest error in ulp, where it is, and docs/numerics.md's table made of it.
 *
 *     build/kfuse-ulp                            all functions, all 2^32 floats: hours
 *     build/kfuse-ulp --stride 61 exp tanh       every 61st float, two functions
 *     build/kfuse-ulp --write docs/numerics.md   the table's rows of what was measured; others stay
 *
 * Functions of two arguments: random pairs, as many as there are floats in a run by 256. The
 * reference is the oracle column in double (whose libm is right to 2^-28 of an f32's ulp), for f64
 * in long double. Every thread that OpenMP has. Exit status 1 if an error is above the promise. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/functions.h"
#include "support/table.h"

/* ---------------------------------------------------------------- the oracle column in double */

#define expl exp
#define exp2l exp2
#define expm1l expm1
#define logl log
#define log2l log2
#define log10l log10
#define log1pl log1p
#define sqrtl sqrt
#define cbrtl cbrt
#define hypotl hypot
#define powl pow
#define sinhl sinh
#define coshl cosh
#define tanhl tanh
#define asinhl asinh
#define acoshl acosh
#define atanhl atanh
#define sinl sin
#define cosl cos
#define tanl tan
#define asinl asin
#define acosl acos
#define atanl atan
#define atan2l atan2
#define erfl erf
#define erfcl erfc
#define lgammal(x) lgamma_r(x, &(int){0})
#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    static double in_double_##id(double a, double b, double c) {                          \
        (void)a, (void)b, (void)c;                                                        \
        return (double)(foracle);                                                         \
    }
#include "ir/ops.def"
#undef OP
#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    in_double_##id,
static double (*const in_double[])(double, double, double) = {
#include "ir/ops.def"
};
#undef OP

/* ---------------------------------------------------------------- measuring */

enum { BLOCK = 1 << 14, WIDE = 1 << 20 };

typedef struct worst {
    double ulp;
    double a, b, got, want;
} worst;

static void keep(worst *w, double ulp, double a, double b, double got, double want) {
    if (ulp > w->ulp) *w = (worst){ulp, a, b, got, want};
}

typedef struct block {
    float a[BLOCK], b[BLOCK], c[BLOCK], y[BLOCK];
} block;

/* Block k: floats k BLOCK stride and on, or random arguments. */
static void measure_block(const functions_build *with, int op, int64_t k, uint64_t stride, block *m,
                          worst *w) {
    if (kf__ops[op].arity == 1)
        for (int i = 0; i < BLOCK; i++) {
            uint32_t bits = (uint32_t)(((uint64_t)k * BLOCK + (uint64_t)i) * stride);
            memcpy(&m->a[i], &bits, 4);
        }
    else
        functions_fill_f32(op, (uint64_t)k * 77, m->a, m->b, m->c, BLOCK);
    functions_run_f32(with, op, m->a, m->b, m->c, m->y, BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        double want = in_double[op](m->a[i], m->b[i], m->c[i]);
        if (m->y[i] == (float)want) continue; /* at most half an ulp */
        keep(w, functions_error_f32(m->y[i], want), m->a[i], m->b[i], m->y[i], want);
    }
}

static worst measure_f32(const functions_build *with, int op, uint64_t stride) {
    int64_t blocks = (int64_t)((((uint64_t)1 << 32) / stride + BLOCK - 1) / BLOCK);
    if (kf__ops[op].arity > 1) blocks = blocks / 256 + 1;
    worst all = {0.5, 0, 0, 0, 0};
#pragma omp parallel
    {
        worst own = {0.5, 0, 0, 0, 0};
        block *m = malloc(sizeof *m);
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < blocks; k++)
            if (m) measure_block(with, op, k, stride, m, &own);
        free(m);
#pragma omp critical
        keep(&all, own.ulp, own.a, own.b, own.got, own.want);
    }
    return all;
}

static worst measure_f64(const functions_build *with, int op) {
    worst w = {0.5, 0, 0, 0, 0};
    double *a = malloc(4 * WIDE * sizeof *a), *b = a + WIDE, *c = b + WIDE, *y = c + WIDE;
    if (!a) abort();
    functions_fill_f64(op, 1, a, b, c, WIDE);
    functions_run_f64(with, op, a, b, c, y, WIDE);
    for (int i = 0; i < WIDE; i++) {
        long double want = kf__ops_on_numbers[op](a[i], b[i], c[i]);
        if (functions_exempt_f64(op, a[i], want)) continue;
        keep(&w, functions_error_f64(y[i], want), a[i], b[i], y[i], (double)want);
    }
    free(a);
    return w;
}

/* ---------------------------------------------------------------- the table */

/* Rounded up, so that it is never exceeded. */
static double up(double ulp) { return ceil(ulp * 100 - 1e-9) / 100; }

typedef struct measured {
    int done;
    double fma, no_fma, f64;
    char over[TABLE_CELL];
} measured;

static int write_table(const char *path, const measured *m) {
    char line[TABLE_LINE], *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r"), *out = in ? open_memstream(&text, &size) : NULL;
    if (!out) return 0;
    while (fgets(line, sizeof line, in) && strncmp(line, "<!-- ulp -->", 12) != 0) fputs(line, out);
    fputs("<!-- ulp -->\n| function | promised | f32 | f32 without FMA | f32 over | f64 |\n"
          "|---|---|---|---|---|---|\n", out);
    for (int op = 0; op < KF__OP_COUNT; op++) {
        double fma = 0, no_fma = 0, f64 = 0;
        char over[TABLE_CELL];
        if (!functions_has(op) || kf__ops[op].ulp == 0) continue;
        const char *name = kf__ops[op].name;
        if (m[op].done)
            fprintf(out, "| `%s` | %g | %.2f | %.2f | %s | %.2f |\n", name, kf__ops[op].ulp,
                    up(m[op].fma), up(m[op].no_fma), m[op].over, up(m[op].f64));
        else if (table_ulp(name, "f32", &fma) && table_ulp(name, "f32 without FMA", &no_fma) &&
                 table_ulp(name, "f64", &f64) && table_ulp_cell(name, "f32 over", over))
            fprintf(out, "| `%s` | %g | %.2f | %.2f | %s | %.2f |\n", name, kf__ops[op].ulp, fma,
                    no_fma, over, f64);
    }
    while (fgets(line, sizeof line, in) && strncmp(line, "<!-- end -->", 12) != 0) continue;
    do fputs(line, out);
    while (fgets(line, sizeof line, in));
    fclose(in);
    fclose(out);
    FILE *to = fopen(path, "w");
    int ok = to && fwrite(text, 1, size, to) == size;
    if (to) ok &= fclose(to) == 0;
    free(text);
    return ok;
}

/* ---------------------------------------------------------------- the command */

static const functions_build *build_with(int fma) {
    for (int k = 0; k < FUNCTIONS_BUILDS; k++)
        if (functions_builds[k].name && functions_builds[k].fma == fma &&
            functions_load(&functions_builds[k]) && functions_builds[k].object)
            return &functions_builds[k];
    return NULL;
}

static void print(const char *name, const char *what, double promised, const worst *w) {
    printf("%-10s %-18s %8.3f ulp (%g)  at %a, %a: %a, should be %a\n", name, what, w->ulp, promised,
           w->a, w->b, w->got, w->want);
    fflush(stdout);
}

static int measure(int op, uint64_t stride, measured *m) {
    const functions_build *with = build_with(1), *without = build_with(0);
    const char *name = kf__ops[op].name;
    double promised = kf__ops[op].ulp;
    worst f64 = {0}, fma = {0}, no_fma = {0};
    if (with) fma = measure_f32(with, op, stride), print(name, "f32", promised, &fma);
    if (without)
        no_fma = measure_f32(without, op, stride), print(name, "f32 without FMA", promised, &no_fma);
    f64 = measure_f64(with ? with : without, op), print(name, "f64", promised, &f64);
    *m = (measured){1, fma.ulp, no_fma.ulp, f64.ulp, ""};
    if (kf__ops[op].arity > 1) snprintf(m->over, sizeof m->over, "random pairs");
    else if (stride == 1) snprintf(m->over, sizeof m->over, "all floats");
    else snprintf(m->over, sizeof m->over, "one of %llu", (unsigned long long)stride);
    return fma.ulp <= promised && no_fma.ulp <= promised && f64.ulp <= promised;
}

static int usage(void) {
    fprintf(stderr, "usage: kfuse-ulp [--stride N] [--write docs/numerics.md] [FUNCTION ...]\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct option options[] = {{"stride", required_argument, NULL, 's'},
                                            {"write", required_argument, NULL, 'w'},
                                            {NULL, 0, NULL, 0}};
    static measured m[KF__OP_COUNT];
    uint64_t stride = 1;
    const char *path = NULL;
    int ok = 1;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 's') stride = strtoull(optarg, NULL, 10);
        else if (o == 'w') path = optarg;
        else return usage();
    }
    if (stride == 0) return usage();
    for (int op = 0; op < KF__OP_COUNT; op++) {
        int wanted = optind == argc;
        for (int k = optind; k < argc; k++) wanted |= !strcmp(argv[k], kf__ops[op].name);
        if (!wanted || !functions_has(op) || kf__ops[op].ulp == 0) continue;
        ok &= measure(op, stride, &m[op]);
        if (path && !write_table(path, m)) {
            fprintf(stderr, "kfuse-ulp: %s can't be written\n", path);
            return 2;
        }
    }
    functions_unload();
    return !ok;
}
