/* Between the files of the oracle. A buffer has 8 bytes an element: double for floats (which holds
 * every rounded f64, f32 and half), int64_t for integers and bools. */
#ifndef KFUSE_ORACLE_EVAL_H
#define KFUSE_ORACLE_EVAL_H

#include "oracle/oracle.h"

typedef struct kf__o_buffer {
    union {
        void *data;
        double *f;
        int64_t *i;
    };
} kf__o_buffer;

/* How one run disturbs one node. Sample 0 is the reference: nothing is disturbed. */
typedef struct kf__o_noise {
    int sample;
    uint64_t key; /* of node and pair of samples */
    bool all;     /* of the first sample: halves are rounded in it */
    bool other;   /* it is of another look */
    uint64_t few; /* which further look of no more than three samples it is of; 0: of none */
    bool border;  /* of the node: what others than its own operator or library call use */
    bool reduced; /* it is a reduction */
    bool folded;  /* all who use it reduce it */
    bool widened; /* there are users of more elements: rows' values */
} kf__o_noise;
enum {
    KF__O_BORDERS = 6,    /* the sample that stores what kernels end behind, and little else */
    KF__O_FIRST_LOOK = 8, /* samples behind this one only a second look has */
};

/* ---------------------------------------------------------------- numbers.c */

double kf__o_round(kf__dtype t, long double x);     /* to what t's storage holds */
double kf__o_next(kf__dtype t, double x, double y); /* the number next to x towards y */
double kf__o_ulp(kf__dtype t, long double x);       /* distance of t's numbers around x */
int64_t kf__o_wrap(kf__dtype t, int64_t x);         /* bool: != 0 */
int64_t kf__o_saturate(kf__dtype t, long double x); /* towards zero; NaN: 0 */
void kf__o_load(kf__dtype t, const char *from, int64_t stride, int64_t n, void *to);
uint64_t kf__o_hash(uint64_t x);
/* In [-1, -1/2] or [1/2, 1], opposite in samples 2j and 2j + 1. */
double kf__o_random(const kf__o_noise *noise, int64_t element);
/* x, off by about `error`; in the first sample 0 where that is as near, else on a coarse grid. */
long double kf__o_disturb(const kf__o_noise *noise, int64_t element, kf__dtype t, long double x,
                          long double error);
bool kf__o_scatters(const kf__o_noise *noise);
bool kf__o_border(const kf__o_noise *noise);
void kf__o_cast(kf__dtype from, kf__dtype to, const void *a, int64_t n, void *out);

/* ---------------------------------------------------------------- elementwise.c */

/* Does this node's operation disturb its result in samples? */
bool kf__o_inexact(const kf_graph *g, const kf__node *node, const void *const *args, int64_t n);
void kf__o_op(const kf_graph *g, const kf__node *node, const void *const *args, int64_t n,
              const kf__o_noise *noise, void *out);

/* ---------------------------------------------------------------- views.c, reduce.c, random.c */

/* out[i, j, ...] = from[offset + i * strides[0] + j * strides[1] ...] */
void kf__o_gather(int rank, const int64_t *shape, const int64_t *strides, int64_t offset,
                  const void *from, void *out);
void kf__o_row_major(int rank, const int64_t *shape, int64_t *strides);
/* `from`, of `shape`, in an array of shape `wide` that is `value` elsewhere. */
void kf__o_pad(int rank, const int64_t *shape, const int64_t *before, const int64_t *wide,
               const void *from, const void *value, void *out);
void kf__o_concat(int rank, int axis, const int64_t *shape_a, const int64_t *shape_b, const void *a,
                  const void *b, void *out);
/* out[.., i, ..] = from[.., at[.., i, ..], ..] along an axis; negative from the end, outside 0.
 * Gives how many are outside. */
int64_t kf__o_take(int rank, int axis, const int64_t *from_shape, const int64_t *shape,
                const void *from, const int64_t *at, void *out);
bool kf__o_reduce_inexact(const kf__node *node, const double *x, int64_t n, int64_t n_rows);
/* Reduce rows of n elements that lie one behind the other. */
kf_status kf__o_reduce(const kf__node *node, kf__dtype from, const void *rows, int64_t n_rows,
                       int64_t n, const kf__o_noise *noise, void *out, kf_error *err);
/* Of rows what all up to each element are folded to, in place; does it differ in samples? */
void kf__o_scan(const kf__node *node, void *rows, int64_t n_rows, int64_t n,
                const kf__o_noise *noise);
bool kf__o_scan_inexact(const kf__node *node, const double *x, int64_t n);
/* 32 bits an element, or 64: words 2 j and 2 j + 1, the lower half first. */
void kf__o_philox(uint64_t seed, uint64_t stream, bool wide, int64_t n, int64_t *out);

/* ---------------------------------------------------------------- tolerance.c */

/* Fills out->decided and, of floats, out->tolerance, which are allocated. run: [samples + 1] */
void kf__o_tolerance(void *const *run, int samples, double factor, kf__oracle_result *out);
/* A power of a negative number is one where the exponent may be whole. */
void kf__o_show_exponents(kf__dtype type, int samples, double factor, int64_t n,
                          const double *base, void *const *by, void *const *run);
/* Writes into samples of an operation's n results what they may be too, though no disturbance makes
 * them that. type, by: of its last argument, of f64 where no kernel stores it rounded; first: of a
 * power's base that was disturbed, or NULL.
 * run, first, by: [samples + 1], 3 samples at least; of a power only by[0] has to be there */
void kf__o_show_others(const kf__node *node, kf__dtype type, int samples, double factor,
                       uint64_t seed, int64_t n, void *const *first, void *const *by,
                       void *const *run);
/* The same of a float's cast to integers: of a little less than an integer, and a little more. */
void kf__o_show_integers(kf__dtype to, kf__dtype from, int samples, double factor, int64_t n,
                         void *const *by, void *const *run);
/* The same of a float's cast to a half: next to the border between two it may be the other one. */
void kf__o_show_roundings(kf__dtype to, int samples, double factor, int64_t n, void *const *by,
                          void *const *run);
/* The same of n places of extremes: where samples disagree there may be others that none shows. */
void kf__o_show_others_of_places(kf__dtype type, int samples, int64_t n, void *const *run);
/* The same of n comparisons of floats a and b, [samples + 1]: each answer is what they may give
 * where the difference is nothing but roundings, though no disturbance makes it 0. */
void kf__o_show_ties(kf__opcode op, int samples, double factor, int64_t n, void *const *a,
                     void *const *b, void *const *run);
/* The same of n floats, each from the branch that the condition names: undecided where its own
 * branch is, also in samples that take the other one. yes, no: [samples + 1]; NULL: it is not
 * disturbed */
void kf__o_show_branches(int samples, int64_t n, const int64_t *condition, void *const *yes,
                         void *const *no, void *const *run);
/* The same of a gather's n results, where samples disagree on which element is taken: they are made
 * undecided, but in one sample of several, whose element may be the largest. type: of the results;
 * at: of its indices. keep: a cast, of which one sample keeps what it is even if no other
 * disagrees, a bool's 0 or 1: it may be compared with that */
void kf__o_show_places(kf__dtype type, int samples, int64_t n, void *const *at, bool keep,
                       void *const *run);
/* Of two bools, or places, a and b that are both undecided, what is made of them shows both answers:
 * an argmax of three places has samples of two. */
void kf__o_show_both(int samples, int64_t n, void *const *a, void *const *b, void *const *run);
/* The same of an operation's or a cast's n results, where an argument `by`, floats, is undecided: a
 * comparison or a cast of its NaN would be a number like any other. */
void kf__o_show_open(kf__dtype type, int samples, int64_t n, void *const *by, void *const *run);

#endif
