/* The stages one by one, without a context or a device: text and layouts of its inputs -> graph,
 * partition, and for any target the loops and the source. What test_golden, test_lower, test_emit,
 * test_nvrtc and test_emulated share.
 *
 * Inputs are described as at the head of a golden file, a line each:
 *
 *     # x: f32[4096, 1024]            row-major
 *     # y: f16[1024, 4096] transposed strides as if its last two dims had been swapped
 *     # z: i8[0, 7] step 2            every second element of a row-major array, along the last dim
 *     # b: f32[4096, 1024] broadcast  the rows are one row: stride 0 along the first dim
 *     # c: f32[7, 33] pitch 50       rows are 50 elements apart: a part of wider ones
 *     # p: float 0.2                  a number given at each run       # seed: int 7
 */
#ifndef KFUSE_TESTS_STAGES_H
#define KFUSE_TESTS_STAGES_H

#include "ir/loop.h"

enum { STAGES_INPUTS = 8 };

typedef struct stages_input {
    char name[64];
    kf_spec spec;
    kf_array array; /* data NULL; shape and strides point into this */
    int64_t shape[KF__MAX_ARRAY_RANK], strides[KF__MAX_ARRAY_RANK];
} stages_input;

typedef struct stages {
    int n_inputs;
    stages_input input[STAGES_INPUTS]; /* in the order of the function's inputs */
    kf_array arrays[STAGES_INPUTS];    /* theirs */
    kf_spec specs[STAGES_INPUTS];
    kf__partition *partition; /* with the simplified graph */
    kf__arena arena;          /* of what follows */
    int64_t *names;
    int64_t (*shapes)[KF__MAX_RANK], (*strides)[KF__MAX_RANK];
} stages;

/* Targets of the tests: x86-64-v3; sm on an H200's multiprocessors; the same, emulated. */
kf__target stages_target(kf__target_kind kind, int sm);

/* Parse text (a def or an expression) with inputs as `head` describes them, fuse it for a target,
 * bind sizes. Free in any case with stages_free. */
kf_status stages_make(stages *s, const char *text, const char *head, kf__target_kind target,
                      kf_error *err);
/* Other layouts of the same inputs for the same partition. */
kf_status stages_bind(stages *s, const char *head, kf_error *err);
void stages_free(stages *s);

/* Lower kernel k, verified, into s->arena. */
kf_status stages_lower(stages *s, uint32_t k, const kf__target *target, kf__lowered *out,
                       kf_error *err);
/* The functions of all kernels, behind the prelude where that is asked for. */
kf_status stages_source(stages *s, const kf__target *target, bool prelude, kf__text *out,
                        kf_error *err);

/* The whole of a file, to be freed; NULL: it can't be read. */
char *read_text(const char *path);

#endif
