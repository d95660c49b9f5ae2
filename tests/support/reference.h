/* The committed reference values: tests/reference, where make.py says how a case is written. */
#ifndef KFUSE_TESTS_REFERENCE_H
#define KFUSE_TESTS_REFERENCE_H

#include <stdio.h>

#include "ir/kernel.h"

enum { REFERENCE_INPUTS = 12, REFERENCE_RESULTS = 6, REFERENCE_DIMS = 6 };

typedef struct reference_value {
    char name[32];
    bool scalar; /* a number given at run time: F64 or I64, rank 0 */
    kf__dtype dtype;
    int rank;
    int64_t shape[REFERENCE_DIMS], n;
    double *numbers;        /* [n] of floats */
    int64_t *integers;      /* [n] of other dtypes */
    double ulp, rel, abs;   /* of a result: how far off it may be */
    double wide;            /* the same for float64, as a multiple of these; 0: 2^-27 */
} reference_value;

typedef struct reference {
    char text[400];
    int n_inputs, n_results;
    reference_value inputs[REFERENCE_INPUTS], results[REFERENCE_RESULTS];
    int kernels;        /* that its program has; 0: not said */
    char kind[16];      /* of the kernel where there is one; "": not said */
} reference;

/* The file tests/reference/NAME.txt; fails the test where it isn't there. */
FILE *reference_open(const char *name);
/* The next case, false behind the last. Free in any case with reference_free. */
bool reference_next(FILE *file, reference *out);
void reference_free(reference *r);

/* An input as an array of the CPU, row-major; its floats, which the file says in f32 or f64, in the
 * one of these that `floats` is (KF__DTYPE_COUNT: as they are). Free data with free(). */
kf_array reference_array(reference_value *v, kf__dtype floats);
kf_scalar reference_scalar(const reference_value *v);
kf_spec reference_spec(const reference_value *v, const kf_array *array);
/* The input of that name; fails the test where there is none. */
reference_value *reference_input(reference *r, const char *name);

/* Is `got`, of dtype `as`, near enough to element k of a float result? */
bool reference_near(const reference_value *v, kf__dtype as, double got, int64_t k);

#endif
