/* How far the preludes' functions are from the oracle column of ops.def, over all floats there are:
 * the largest error in ulp, where it is, and docs/numerics.md's table made of it.
 *
 *     build/kfuse-ulp                            all functions, all 2^32 floats: 5,000 CPU seconds
 *     build/kfuse-ulp --stride 61 exp tanh       every 61st float, two functions
 *     build/kfuse-ulp --write docs/numerics.md   the table's rows of what was measured; others stay
 *
 * Functions of two arguments: random pairs, as many as there are floats in a run by 256. Those of
 * one that promise correct rounding are held to it, zeros' signs too. The reference is the oracle
 * column in double (whose libm is right to 2^-28 of an f32's ulp), for f64 in long double. All
 * builds of the prelude: each instruction set of this CPU, and emulated CUDA; those with FMA must
 * give the same bits. Every thread that OpenMP has. Exit status 1 if a promise isn't kept. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What one operation gave: the largest errors with and without FMA, and how many floats have not
 * the bits that the first build with FMA gives them, of each other build with FMA. */
typedef struct found {
    worst of[2]; /* [with FMA] */
    int64_t differ[FUNCTIONS_BUILDS];
    double where[FUNCTIONS_BUILDS];
} found;

static const found nothing = {.of = {{.ulp = 0.5}, {.ulp = 0.5}}};

static void gather(found *all, const found *own) {
    for (int k = 0; k < 2; k++)
        keep(&all->of[k], own->of[k].ulp, own->of[k].a, own->of[k].b, own->of[k].got,
             own->of[k].want);
    for (int k = 0; k < FUNCTIONS_BUILDS; k++) {
        if (own->differ[k] && !all->differ[k]) all->where[k] = own->where[k];
        all->differ[k] += own->differ[k];
    }
}

typedef struct block {
    float a[BLOCK], b[BLOCK], c[BLOCK], y[BLOCK], first[BLOCK];
    double want[BLOCK];
} block;

static void compare_errors(const block *m, bool exact, worst *w) {
    for (int i = 0; i < BLOCK; i++) {
        float y = m->y[i], want = (float)m->want[i];
        if ((y == want && (!exact || !signbit(y) == !signbit(want))) || (y != y && want != want))
            continue; /* at most half an ulp */
        double error = exact ? 1e9 : functions_error_f32(y, m->want[i]);
        keep(w, error, m->a[i], m->b[i], y, m->want[i]);
    }
}

static void compare_bits(const block *m, int64_t *differ, double *where) {
    if (memcmp(m->y, m->first, sizeof m->y) == 0) return;
    for (int i = 0; i < BLOCK; i++)
        if (memcmp(&m->y[i], &m->first[i], 4) != 0 && (m->y[i] == m->y[i] ||
                                                       m->first[i] == m->first[i]))
            if ((*differ)++ == 0) *where = m->a[i];
}

/* Block k: floats k BLOCK stride and on, or random arguments. The reference is computed once for
 * all builds; those with FMA that give the first one's bits have its errors. */
static void measure_block(int op, int64_t k, uint64_t stride, block *m, found *f) {
    bool exact = kf__ops[op].ulp == 0, first = true;
    if (kf__ops[op].arity == 1)
        for (int i = 0; i < BLOCK; i++) {
            uint32_t bits = (uint32_t)(((uint64_t)k * BLOCK + (uint64_t)i) * stride);
            memcpy(&m->a[i], &bits, 4);
        }
    else
        functions_fill_f32(op, (uint64_t)k * 77, m->a, m->b, m->c, BLOCK);
    for (int i = 0; i < BLOCK; i++) m->want[i] = in_double[op](m->a[i], m->b[i], m->c[i]);
    for (int b = 0; b < FUNCTIONS_BUILDS; b++) {
        const functions_build *with = &functions_builds[b];
        if (!with->object) continue;
        functions_run_f32(with, op, m->a, m->b, m->c, m->y, BLOCK);
        if (with->fma && !first) {
            compare_bits(m, &f->differ[b], &f->where[b]);
            continue;
        }
        compare_errors(m, exact, &f->of[with->fma]);
        if (with->fma) memcpy(m->first, m->y, sizeof m->y), first = false;
    }
}

static found measure_f32(int op, uint64_t stride) {
    int64_t blocks = (int64_t)((((uint64_t)1 << 32) / stride + BLOCK - 1) / BLOCK);
    if (kf__ops[op].arity > 1) blocks = blocks / 256 + 1;
    found all = nothing;
#pragma omp parallel
    {
        found own = nothing;
        block *m = malloc(sizeof *m);
        if (!m) abort();
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < blocks; k++) measure_block(op, k, stride, m, &own);
        free(m);
#pragma omp critical
        gather(&all, &own);
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

static void print(int op, const char *what, const worst *w) {
    const kf__op_row *row = &kf__ops[op];
    printf("%-10s %-18s", row->name, what);
    if (row->ulp == 0 && w->ulp == 0.5) printf(" correctly rounded\n");
    else {
        printf(" %8.3f ulp (%g)  at %a", w->ulp, row->ulp, w->a);
        if (row->arity > 1) printf(", %a", w->b);
        printf(": %a, should be %a\n", w->got, w->want);
    }
    fflush(stdout);
}

static const functions_build *any_build(void) {
    for (int k = 0; k < FUNCTIONS_BUILDS; k++)
        if (functions_builds[k].object) return &functions_builds[k];
    abort();
}

static bool measure(int op, uint64_t stride, measured *m) {
    const char *name = kf__ops[op].name;
    double promised = kf__ops[op].ulp, limit = promised == 0 ? 0.5 : promised;
    bool ok = true;
    found f = measure_f32(op, stride);
    print(op, "f32", &f.of[1]);
    print(op, "f32 without FMA", &f.of[0]);
    for (int b = 0; b < FUNCTIONS_BUILDS; b++) {
        if (!f.differ[b]) continue;
        printf("%-10s %-18s %lld floats have other bits, the first at %a\n", name,
               functions_builds[b].name, (long long)f.differ[b], f.where[b]);
        ok = false;
    }
    ok &= f.of[0].ulp <= limit && f.of[1].ulp <= limit;
    if (promised == 0) return ok;
    worst f64 = measure_f64(any_build(), op);
    print(op, "f64", &f64);
    *m = (measured){1, f.of[1].ulp, f.of[0].ulp, f64.ulp, ""};
    if (kf__ops[op].arity > 1) snprintf(m->over, sizeof m->over, "random pairs");
    else if (stride == 1) snprintf(m->over, sizeof m->over, "all 2^32");
    else snprintf(m->over, sizeof m->over, "one of %llu", (unsigned long long)stride);
    return ok && f64.ulp <= promised;
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
    bool ok = true;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == 's') stride = strtoull(optarg, NULL, 10);
        else if (o == 'w') path = optarg;
        else return usage();
    }
    if (stride == 0) return usage();
    for (int b = 0; b < FUNCTIONS_BUILDS; b++)
        if (!functions_load(&functions_builds[b])) return 2;
    for (int op = 0; op < KF__OP_COUNT; op++) {
        int wanted = optind == argc;
        for (int k = optind; k < argc; k++) wanted |= !strcmp(argv[k], kf__ops[op].name);
        if (!wanted || !functions_has(op)) continue;
        if (kf__ops[op].ulp == 0 && kf__ops[op].arity > 1) continue;
        ok &= measure(op, stride, &m[op]);
        if (m[op].done && path && !write_table(path, m)) {
            fprintf(stderr, "kfuse-ulp: %s can't be written\n", path);
            return 2;
        }
    }
    functions_unload();
    return !ok;
}
