/* Programs, and the stages that make them and their kernels: see pipeline.c. */
#ifndef KFUSE_PIPELINE_H
#define KFUSE_PIPELINE_H

#include "run/context.h"

struct kf_program {
    kf_context *ctx;
    kf_device device;
    kf_fusion fusion;
    kf__target target;
    bool offline; /* for a device that needn't be there: plans can't be run */
    bool texts;   /* plans are for their texts alone: nothing is compiled */
    kf__partition *partition;
    pthread_mutex_t lowering; /* plans being made: lower adds expressions to the partition's pool */
    struct kf__sized *sized;  /* under `lowering`: programs for sizes, see sized.c */
    bool is_sized;            /* it is one itself */
};

/* What stages read and write, in their order. */
typedef struct kf__build {
    kf_context *ctx;
    kf_fusion fusion;
    const kf__target *target;
    const kf_graph *given;
    const int64_t *sizes;     /* [names] of sizes that are known, -1: isn't; NULL: none is */
    kf_graph *graph;          /* simplify; fuse takes it over: then NULL */
    kf__partition *partition; /* fuse */
    const kf__kernel *kernel; /* given, from here on one kernel for one layout */
    const kf__layout *layout;
    kf__arena *arena;    /* what lower makes lives there */
    kf__lowered lowered; /* lower */
    kf__text functions;  /* emit: without what they need of the prelude */
    kf__object *object;  /* compile; the compiler's */
} kf__build;

/* The stages up to fuse, on b->given. */
kf_status kf__build_partition(kf__build *b, kf_error *err);
/* lower and emit. The text stays in b->functions, to be freed by kf__text_free also on failure. */
kf_status kf__build_functions(kf__build *b, kf_error *err);
/* compile. May be called for several builds at once. */
kf_status kf__build_object(kf__build *b, kf_error *err);
/* Append the functions of all kernels behind what they need of the prelude. made: what a plan
 * lowered, a row for each kernel, of which those without functions are left out; or NULL: all. */
kf_status kf__build_source(const kf_program *program, const kf__layout *layout,
                           const kf__lowered *made, kf__text *out, kf_error *err);

/* The program for some sizes: of the same graph, with these as numbers. */
kf_status kf__compile_sized(const kf_program *program, const int64_t *sizes, kf_program **out,
                            kf_error *err);
/* The one, kept by `program`, whose kernels divide less in this layout; NULL: no other does.
 * Called under program->lowering. */
kf_status kf__program_sized(kf_program *program, const kf__layout *layout, kf__arena *arena,
                            kf_program **out, kf_error *err);
void kf__sized_free(kf_program *program);

/* kf_compile for a target that needn't be on this machine. Its plans, over arrays of `device`, have
 * texts and compiled objects, but can't be run. */
kf_status kf__compile_offline(kf_context *ctx, const kf_graph *graph, kf_fusion fusion,
                              kf_device device, const kf__target *target, kf_program **out,
                              kf_error *err);

/* Plans that are made of it from now on have texts, compile nothing and can't be run. */
void kf__program_for_texts(kf_program *program);

#endif
