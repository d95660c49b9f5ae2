/* The operations of ops.def as generated code computes them: loops around each row's code, compiled
 * from the prelude as kernels are, to be compared with the row's oracle column. */
#ifndef KFUSE_TESTS_FUNCTIONS_H
#define KFUSE_TESTS_FUNCTIONS_H

#include <stdint.h>

#include "ir/numbers.h"

typedef struct functions_build {
    const char *name, *dialect, *flags, *feature; /* feature: what the CPU must have, or NULL */
    int fma;
    void *object; /* after functions_load */
} functions_build;

enum { FUNCTIONS_BUILDS = 4 };
extern functions_build functions_builds[FUNCTIONS_BUILDS]; /* name NULL: not on this machine */

/* Compile `build` unless this CPU lacks its feature; 0 if the compiler failed. */
int functions_load(functions_build *build);
void functions_unload(void);

/* Is row `op` one that takes floats and gives one? */
int functions_has(int op);

/* y[i] = op(a[i], b[i], c[i]), in f32 or f64. */
void functions_run_f32(const functions_build *build, int op, const float *a, const float *b,
                       const float *c, float *y, int n);
void functions_run_f64(const functions_build *build, int op, const double *a, const double *b,
                       const double *c, double *y, int n);

/* In ulp of the number that `want` rounds to; 1e9 where only one is NaN. The next number after the
 * largest stands for infinity. */
double functions_error_f32(float got, long double want);
double functions_error_f64(double got, long double want);

/* Below 0 digamma of f64 is only promised in ulp of the larger of its two terms, so where it is no
 * smaller than what it is reflected to. */
static inline int functions_exempt_f64(int op, double a, long double want) {
    return op == KF__DIGAMMA && a < 0 && fabsl(want) < fabsl(kf_o_digamma(1 - (long double)a));
}

/* Random arguments: a third over all numbers, a third in the row's domain, a third of moderate
 * size; special values and their pairs first. */
uint64_t functions_random(uint64_t *state);
void functions_fill_f32(int op, uint64_t seed, float *a, float *b, float *c, int n);
void functions_fill_f64(int op, uint64_t seed, double *a, double *b, double *c, int n);

#endif
