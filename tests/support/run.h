/* Contexts, arrays, programs and plans through the real pipeline: what test_run, test_plan and
 * test_devices share. What fails ends the test. */
#ifndef KFUSE_TESTS_RUN_H
#define KFUSE_TESTS_RUN_H

#include <stdbool.h>

#include <kfuse/kfuse.h>

enum { RANK = 4 };

static const kf_device cpu = {KF_CPU, 0};

typedef struct tensor { /* a kf_array with its own shape and strides */
    kf_array array;
    int64_t shape[RANK], strides[RANK];
} tensor;

/* strides NULL: row-major */
kf_array *describe(tensor *t, void *data, kf_dtype dtype, int ndim, const int64_t *shape,
                   const int64_t *strides);
kf_array vector(float *data, int64_t *n);
void fill(float *x, size_t n, unsigned seed); /* with numbers from -2 to 2 */

void expect_ok(kf_status status, const kf_error *err);
void expect_error(kf_status status, kf_status wanted, const kf_error *err, const char *part);

void quiet(void *user, const char *line); /* a log that says nothing */
kf_context *new_context(int threads);
int context_setup(void **state); /* *state: a context */
int context_teardown(void **state);

/* A program and plan for text over arrays; inputs with data NULL and ndim -1 are f64 numbers. */
typedef struct made {
    kf_program *program;
    kf_plan *plan;
} made;

kf_status make_program(kf_context *ctx, const char *text, int n, const kf_array *inputs,
                       kf_device device, made *m, kf_error *err);
/* results NULL: the plan's own layout */
void make(kf_context *ctx, const char *text, int n, const kf_array *inputs,
          const kf_array *results, made *m);
void free_made(made *m);

#endif
