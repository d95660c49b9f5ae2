/* kfuse bench --overhead: what a call costs besides its kernels: a ready plan, kf_eval, the first
 * call with and without the disk cache, and on CUDA against a bare launch. */
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "compile/cuda_driver.h"
#include "report.h"
#include "run/device.h"
#include "run/plan.h"

enum { N = 1000 };
static const char text[] = "exp((x + y) * 2)";

struct overhead {
    double run_ns, eval_ns, cold_ms, disk_ms, launch_ns; /* launch_ns 0: not on CUDA */
};

/* ---------------------------------------------------------------- ready plans */

static kf_status time_run(struct job *job, struct variant *v, int rounds, double *ns,
                          kf_error *err) {
    double start = now_us();
    for (int i = 0; i < rounds; i++)
        KF_TRY(kf_run(v->plan, job->addresses, v->addresses, job->scalars, v->workspace.data, NULL,
                      err));
    *ns = (now_us() - start) * 1000 / rounds;
    return kf_synchronize(job->ctx, job->device, NULL, err);
}

static kf_status time_eval(kf_context *ctx, struct job *job, struct variant *v, int rounds,
                           double *ns, kf_error *err) {
    double start = now_us();
    for (int i = 0; i < rounds; i++) {
        kf_array result = v->results[0];
        KF_TRY(kf_eval(ctx, text, 2, job->arrays, 1, &result, err));
    }
    *ns = (now_us() - start) * 1000 / rounds;
    return KF_OK;
}

/* The same kernel by the driver alone. */
static kf_status time_launch(struct job *job, struct variant *v, int rounds, double *ns,
                             kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    void *context, *popped;
    if (!cuda) return err->status;
    const kf__step *step = &v->plan->steps[0];
    uint64_t block[KF__MAX_WORDS];
    size_t bytes = step->n_words * sizeof *block;
    memcpy(block, v->plan->words + step->first_word, bytes);
    for (uint32_t i = 0; i < step->n_patches; i++) {
        const kf__patch *p = &v->plan->patches[step->first_patch + i];
        if (p->kind == KF__PATCH_INPUT) block[p->word] = (uint64_t)job->addresses[p->index];
        if (p->kind == KF__PATCH_RESULT) block[p->word] = (uint64_t)v->addresses[p->index];
    }
    void *arguments[] = {block};
    KF_TRY(kf__cuda_context(job->ctx, job->device.id, &context, err));
    KF__CU_TRY(cuda->ctx_push(context), "cuCtxPushCurrent");
    double start = now_us();
    int result = KF__CU_SUCCESS;
    for (int i = 0; i < rounds && result == KF__CU_SUCCESS; i++)
        result = cuda->launch_kernel(step->function, (unsigned)step->grid, 1, 1,
                                     (unsigned)step->threads, 1, 1, 0, NULL, arguments, NULL);
    *ns = (now_us() - start) * 1000 / rounds;
    cuda->ctx_synchronize();
    cuda->ctx_pop(&popped);
    return result == KF__CU_SUCCESS ? KF_OK : kf__cuda_fail(result, "cuLaunchKernel", err);
}

static kf_status time_ready(struct job *job, struct overhead *out, kf_error *err) {
    const char *args[] = {"x=ones(1000)", "y=ones(1000)"};
    struct variant v = {0};
    bool cuda = job->device.type == KF_CUDA;
    KF_TRY(job_function(job, text, args, 2, err));
    KF_TRY(job_inputs(job, args, 2, true, err));
    kf_status status = variant_make(job, KF_FUSION_ON, &v, err);
    double ignored;
    for (int pass = 0; pass < 2 && status == KF_OK; pass++) {
        int rounds = pass ? (cuda ? 20000 : 200000) : 1000;
        status = time_run(job, &v, rounds, &out->run_ns, err);
        if (status == KF_OK && cuda) status = time_launch(job, &v, rounds, &out->launch_ns, err);
        if (status == KF_OK)
            status = time_eval(job->ctx, job, &v, rounds / 10, pass ? &out->eval_ns : &ignored,
                               err);
    }
    variant_free(job, &v);
    return status;
}

/* ---------------------------------------------------------------- first calls */

/* A new context's first kf_eval, with its disk cache in `folder`. */
static kf_status time_first(struct job *job, const char *folder, double *ms, kf_error *err) {
    kf_context_options options = {.struct_size = sizeof options, .cache_dir = folder};
    kf_context *ctx = kf_context_create(&options, err);
    if (!ctx) return err->status;
    kf_array result = {0};
    double start = now_us();
    kf_status status = kf_eval(ctx, text, 2, job->arrays, 1, &result, err);
    *ms = (now_us() - start) / 1000;
    kf_array_free(ctx, &result);
    kf_context_free(ctx);
    return status;
}

static kf_status time_first_calls(struct job *job, struct overhead *out, kf_error *err) {
    char *folder = scratch_folder();
    if (!folder) return kf__fail(err, KF_ERR_IO, "no folder for temporary files");
    kf_status status = time_first(job, folder, &out->cold_ms, err);
    if (status == KF_OK) status = time_first(job, folder, &out->disk_ms, err);
    remove_scratch(folder);
    return status;
}

/* ---------------------------------------------------------------- */

static void give(const struct overhead *v, const char *device, struct output *out) {
    FILE *to = out->table;
    fprintf(to, "%s, %s over %d elements\n\n", device, text, N);
    fprintf(to, "kf_run of a ready plan        %9.0f ns\n", v->run_ns);
    if (v->launch_ns > 0)
        fprintf(to, "cuLaunchKernel, bare          %9.0f ns   ratio %.2f\n", v->launch_ns,
                v->run_ns / v->launch_ns);
    fprintf(to, "kf_eval, plan in its cache    %9.0f ns\n", v->eval_ns);
    fprintf(to, "first kf_eval, from disk      %9.2f ms\n", v->disk_ms);
    fprintf(to, "first kf_eval, compiling      %9.1f ms\n", v->cold_ms);
    if (!out->json_file) return;
    struct json *j = &out->json;
    json_open_object(j, NULL);
    json_string(j, "device", device);
    json_int(j, "elements", N);
    json_double(j, "run_ns", v->run_ns);
    json_double(j, "eval_ns", v->eval_ns);
    json_double(j, "first_call_ms", v->cold_ms);
    json_double(j, "disk_cache_ms", v->disk_ms);
    if (v->launch_ns > 0) {
        json_double(j, "launch_ns", v->launch_ns);
        json_double(j, "run_to_launch", v->run_ns / v->launch_ns);
    }
    json_close(j);
}

kf_status bench_overhead(const struct options *o, struct job *job, struct output *out,
                         kf_error *err) {
    struct overhead v = {0};
    char device[24];
    if (o->words.n)
        return kf__fail(err, KF_ERR_ARGUMENT, "--overhead has an expression of its own");
    KF_TRY(time_ready(job, &v, err));
    KF_TRY(time_first_calls(job, &v, err));
    give(&v, device_name(job->device, device), out);
    return KF_OK;
}
