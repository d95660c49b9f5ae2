/* What commands work on: a function, its inputs and, made of them, graphs, programs and plans.
 *
 *     job_begin      context and device
 *     job_function   EXPR | NAME | FILE.kf[:NAME]     -> job->function
 *     job_inputs     name=VALUE ...                   -> job->inputs, and the graph
 *     variant_make   fused, unfused                   -> program, plan, results, workspace
 *     variant_run    once, and wait
 */
#ifndef KFUSE_CLI_JOB_H
#define KFUSE_CLI_JOB_H

#include "npy.h"
#include "options.h"
#include "recipe.h"

struct input {
    const char *name; /* the function's */
    kf_spec spec;
    kf_scalar scalar; /* FLOAT, INT */
    struct npy file;
    bool is_file;
    struct recipe recipe;
    kf_array array; /* as the device sees it; data NULL where none was asked for */
    kf_array made;  /* on the device, what `array` lies in; to be freed */
    kf_array host;  /* job_host_inputs: the same on the CPU */
    kf_array host_made;
    int64_t shape[8];
};

struct job {
    const struct options *options;
    kf_context *ctx;
    kf_device device;
    char *text;            /* that the function was parsed from, for carets */
    const char *file_name; /* that text's file; NULL: the command line */
    char *path;            /* owned copy of it */
    bool made_call;        /* the text is a call of a NAME, its literal arguments in it */
    kf_function *function;
    int n_inputs;
    struct input *inputs;
    kf_spec *specs;     /* [n_inputs] */
    kf_array *arrays;   /* [n_inputs] on the device */
    kf_scalar *scalars; /* one for each input that is a number, in order */
    const void **addresses;
    kf_graph *graph;
    int n_resized; /* sizes that recipes have here instead: {4096, 64} */
    int64_t resized[16][2];
};

struct variant {
    kf_program *program;
    kf_plan *plan;
    int n_results;
    kf_array *results; /* [n_results], on the device */
    void **addresses;
    kf_array workspace;
    double compile_us; /* of program and plan */
    kf_statistics spent; /* compiler runs and cache hits for them */
};

double now_us(void);

/* A zeroed job; freed by job_end also when anything fails. */
kf_status job_begin(struct job *job, const struct options *o, kf_error *err);
void job_end(struct job *job);

/* `words`: the arguments that follow; one of them naming a lone NAME makes it an expression. */
kf_status job_function(struct job *job, const char *what, const char *const *args, uint32_t n,
                       kf_error *err);
/* Bind arguments to the function's inputs and make the graph. Without data only shapes are made. */
kf_status job_inputs(struct job *job, const char *const *args, uint32_t n, bool data,
                     kf_error *err);
/* The words of a command: what to compute, then its arguments. */
kf_status job_open(struct job *job, bool data, kf_error *err);
/* Copies on the CPU, where the inputs aren't there: job->inputs[i].host. */
kf_status job_host_inputs(struct job *job, kf_error *err);

kf_status variant_make(struct job *job, kf_fusion fusion, struct variant *v, kf_error *err);
/* The plan only, for its texts: nothing is compiled, and it can't be run. */
kf_status variant_texts(struct job *job, kf_fusion fusion, struct variant *v, kf_error *err);
kf_status variant_run(struct job *job, struct variant *v, kf_error *err);
void variant_free(struct job *job, struct variant *v);

/* Result i of a variant on the CPU: a copy to be freed with kf_array_free, or the thing itself
 * (*made cleared). */
kf_status variant_host_result(struct job *job, const struct variant *v, int i, kf_array *host,
                              kf_array *made, kf_error *err);

const char *device_name(kf_device device, char *to); /* "cuda:0"; to is 24 bytes */
int64_t array_count(const kf_array *array);
int64_t array_bytes(const kf_array *array);

#endif
