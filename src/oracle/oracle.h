/* The oracle: a typed interpreter over the graph that everything is checked against.
 *
 * Every node is evaluated over a dense buffer: integers as int64 wrapped to their width, floats in
 * long double by the oracle column of ops.def and then rounded to the compute type (f32 for halves,
 * which are rounded only by casts and where a result is stored).
 *
 * Tolerances come from a stochastic perturbation. Besides the reference, `samples` runs disturb
 * each result that isn't promised to be correctly rounded by about what is promised for it; how far
 * the samples get from the reference at an element says how far a right implementation may.
 *
 *     sample 1       rounded to a coarse grid: finds what jumps at round numbers (floor, ==, %)
 *     sample 2j      reference + random * promise         random: half to all of the promise,
 *     sample 2j + 1  reference - the same                 sign by element and node
 *
 * What no sample disturbs is exact and has tolerance 0. Where samples disagree on an integer, or on
 * being finite, or the first one jumps, the element is undecided, and is skipped by comparisons.
 */
#ifndef KFUSE_ORACLE_ORACLE_H
#define KFUSE_ORACLE_ORACLE_H

#include "ir/graph.h"

typedef struct kf__oracle_options {
    int samples;   /* perturbed runs, odd; 0: 7, or 3 for millions of elements; -1: none */
    uint64_t seed; /* of the perturbation */
    double factor; /* of the samples' spread, for the tolerance; 0: 4 */
    /* Every half stays f32 but for results: true of a program of one kernel. Else each may be one
     * that a kernel stores, so that all see it rounded, and that is part of the perturbation. */
    bool one_kernel;
} kf__oracle_options;

/* Row-major. Freed with kf__oracle_free. */
typedef struct kf__oracle_result {
    kf__dtype dtype;
    int rank;
    int64_t shape[KF__MAX_RANK], count;
    double *values;    /* [count] of a float dtype, already rounded to it; else NULL */
    int64_t *integers; /* [count] of other dtypes; else NULL */
    double *tolerance; /* [count], absolute; NULL: exact */
    uint8_t *decided;  /* [count]; NULL: all are */
    int64_t outside;   /* indices that were out of range, in all of the graph: they read 0 */
} kf__oracle_result;

/* Evaluate all results of g. inputs: [n_inputs] arrays on the CPU with any strides, in the order of
 * g->inputs (those of scalars aren't looked at); scalars: [n_inputs] likewise, or NULL where there
 * are none. results: [g->results.n], cleared when the call fails. opt may be NULL. */
kf_status kf__oracle(const kf_graph *g, int n_inputs, const kf_array *inputs,
                     const kf_scalar *scalars, const kf__oracle_options *opt,
                     kf__oracle_result *results, kf_error *err);
/* The same with other disturbances, into results that kf__oracle gave: tolerances grow to those of
 * both, and what either leaves undecided is. Few samples miss some element of very many where their
 * disturbances cancel and an implementation's don't: so before an element is called wrong. */
kf_status kf__oracle_again(const kf_graph *g, int n_inputs, const kf_array *inputs,
                           const kf_scalar *scalars, const kf__oracle_options *opt,
                           kf__oracle_result *results, kf_error *err);
void kf__oracle_free(const kf_graph *g, kf__oracle_result *results); /* all of g's */

typedef struct kf__compare_stats {
    bool ok;
    int64_t count, undecided, wrong;
    int64_t outside; /* as in kf__oracle_result; set by who compares */
    int64_t worst;        /* row-major index of the element furthest beyond its tolerance, or of the
                           * largest error where all are within; -1: none */
    double got, want;     /* there; integers as doubles */
    double tolerance;     /* there */
    double ulp_max, ulp_median, ulp_p90, ulp_p99; /* of the stored dtype; integers: difference */
    double abs, rel;      /* largest */
} kf__compare_stats;

/* Compare an array on the CPU with a result. KF_ERR_SHAPE where dtype or shape differ. */
kf_status kf__compare(const kf_graph *g, const kf__oracle_result *want, const kf_array *got,
                      kf__compare_stats *stats, kf_error *err);

/* What a result must be, for messages: "1.25", "nan", "-3". */
void kf__oracle_print(const kf__oracle_result *result, int64_t index, kf__text *text);

#endif
