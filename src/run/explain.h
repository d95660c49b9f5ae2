/* What a plan costs, counted and predicted: explain.c writes it, cost.c finds it. */
#ifndef KFUSE_RUN_EXPLAIN_H
#define KFUSE_RUN_EXPLAIN_H

#include "run/plan.h"

typedef struct kf__kernel_figures {
    int64_t read, written, flops;
    int launches;
    double us; /* predicted */
} kf__kernel_figures;

typedef struct kf__figures {
    int64_t kernels, bytes, temp_bytes; /* kernels: launches */
    int64_t parts;                      /* kernels with anything to do, of any number of launches */
    double us;
    kf__kernel_figures *kernel; /* [partition's kernels] */
} kf__figures;

/* Of the plan itself, and of the same graph with fusion off; in arena. */
kf_status kf__plan_figures(const kf_plan *plan, kf__arena *arena, kf__figures *out, kf_error *err);
kf_status kf__plan_unfused(const kf_plan *plan, kf__arena *arena, kf__figures *out, kf_error *err);

#endif
