/* A plan: what kf_run does, ready but for addresses and numbers.
 *
 *     template   | fn 0: 8-byte words of its argument struct | fn 1: words | ...
 *     steps      {function, geometry, its words, its patches}
 *     patches    {word, input 2 + 64 bytes}, {word, workspace + 4096}, {word, scalar 0}, ...
 *
 * kf_run copies a step's words, applies its patches, and calls. */
#ifndef KFUSE_RUN_PLAN_H
#define KFUSE_RUN_PLAN_H

#include "pipeline.h"

enum {
    KF__MAX_WORDS = 512, /* of one function: CUDA takes 4 KiB of arguments */
    KF__WORKSPACE_ALIGNMENT = 256,
};

typedef enum kf__patch_kind {
    KF__PATCH_INPUT,     /* inputs[index] + offset */
    KF__PATCH_RESULT,    /* results[index] + offset */
    KF__PATCH_WORKSPACE, /* workspace + offset */
    KF__PATCH_SCALAR,    /* scalars[index] */
    KF__PATCH_ALIGNED,   /* 1 if the addresses in mask `offset` are 16-byte aligned: comes last */
} kf__patch_kind;

typedef struct kf__patch {
    uint16_t kind, word;
    uint32_t index;
    int64_t offset;
} kf__patch;

typedef struct kf__step {
    void *function; /* CPU: of type kf__range_fn; emulated: kf__emulate_fn; CUDA: CUfunction */
    uint32_t first_word, n_words;
    uint32_t first_patch, n_patches;
    int64_t units, grain, work_bytes;
    int64_t grid;
    int threads, cluster;
    uint32_t kernel;  /* of the partition */
    const char *name; /* of the function */
} kf__step;

/* Bytes that an array spans about its first element: [low, high); empty: low == high. */
typedef struct kf__span {
    int64_t low, high;
} kf__span;

/* Two arrays that may not overlap but, where `allowed`, if they are the same. */
typedef struct kf__overlap {
    uint16_t result, other;
    bool other_is_result, allowed;
} kf__overlap;

struct kf_plan {
    kf_program *program;
    kf_program *instead; /* while it is made: a program for these sizes, to start again with */
    kf__arena arena;
    uint32_t n_inputs, n_results, n_values, n_steps, n_overlaps, n_scalars;
    int64_t *names;                       /* [graph names] */
    int64_t (*shapes)[KF__MAX_RANK];      /* [n_values] */
    int64_t (*strides)[KF__MAX_RANK];     /* [n_values], elements */
    int64_t *bytes;                       /* [n_values], row-major */
    int64_t *temp_offset;                 /* [n_values], where in the workspace; -1: isn't there */
    kf__span *input_spans, *result_spans; /* [n_inputs], [n_results]; empty for unused inputs */
    kf__overlap *overlaps;
    kf__lowered *lowered;                 /* [kernels]; n_fns 0: has nothing to do */
    int64_t *scratch_offset;              /* [kernels] */
    kf__object **objects;                 /* [kernels]; the compiler's; NULL: nothing to do */
    kf__step *steps;
    uint64_t *words;
    kf__patch *patches;
    kf_array *results;                    /* [n_results], data NULL */
    int64_t workspace;
    bool needs_scalars;
    void *cuda_context; /* that kernels are launched in; NULL: not on CUDA */
};

/* ---------------------------------------------------------------- parts of kf_plan_for */

/* Have the arrays given for results the plan's dtypes, shapes and device? */
kf_status kf__plan_check_results(const kf_plan *plan, const kf_array *results, kf_error *err);

/* bind.c: values of names from the inputs' shapes, checked against each other, the constraints and
 * the graph's dtypes and ranks. names: [graph names]. */
kf_status kf__bind_sizes(const kf_graph *g, int n_inputs, const kf_array *inputs, kf_device device,
                   int64_t *names, kf_error *err);
/* Shapes and bytes of a partition's values, and whether any reduction has nothing to give. */
kf_status kf__bind_shapes(const kf__partition *p, const int64_t *names,
                          int64_t (*shapes)[KF__MAX_RANK], int64_t *bytes, kf_error *err);
/* Row-major strides; a dim of size 0 or 1 has that which would continue the dims after it. */
void kf__row_major(int rank, const int64_t *shape, int64_t *strides);
/* Strides of values: inputs' and results' (NULL: row-major) as given, temporaries row-major. */
void kf__bind_strides(const kf__partition *p, const int64_t (*shapes)[KF__MAX_RANK],
                      const kf_array *inputs, const kf_array *results,
                      int64_t (*strides)[KF__MAX_RANK]);
/* Where a value's name is known: "x", "out0", or "a temporary". */
const char *kf__value_name(const kf_graph *g, const kf__value *v);

/* alias.c: spans of arrays and which may overlap. */
kf_status kf__plan_alias(kf_plan *plan, kf_error *err);
/* workspace.c: offsets of temporaries and scratch by liveness. */
kf_status kf__plan_workspace(kf_plan *plan, kf_error *err);
/* A function of which nothing is to be run (no chunks to merge) isn't a step. */
static inline bool kf__has_work(const kf__target *target, const kf__loop_fn *fn) {
    return target->kind == KF__TARGET_C ? fn->units > 0 : fn->grid > 0;
}
/* steps.c: words, patches and steps of the lowered kernels. */
kf_status kf__plan_steps(kf_plan *plan, kf_error *err);
/* explain.c: the plan's steps, as KF_TEXT_STEPS and KFUSE_DUMP=launch give them. */
void kf__plan_print_steps(const kf_plan *plan, kf__text *text);

#endif
