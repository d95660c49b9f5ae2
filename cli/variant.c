/* A program and a plan of a job's graph, with results and workspace to run it. */
#include <stdlib.h>

#include "job.h"
#include "pipeline.h"

static kf_status plan(struct job *job, kf_fusion fusion, bool texts, struct variant *v,
                      kf_error *err) {
    *v = (struct variant){0};
    kf_compile_options o = {.struct_size = sizeof o, .device = job->device, .fusion = fusion};
    kf_statistics before, after;
    kf_context_statistics(job->ctx, &before);
    double start = now_us();
    KF_TRY(kf_compile(job->ctx, job->graph, &o, &v->program, err));
    if (texts) kf__program_for_texts(v->program);
    KF_TRY(kf_plan_for(v->program, job->n_inputs, job->arrays, kf_graph_result_count(job->graph),
                       NULL, &v->plan, err));
    v->compile_us = now_us() - start;
    kf_context_statistics(job->ctx, &after);
    v->spent.compiled = after.compiled - before.compiled;
    v->spent.cache_hits = after.cache_hits - before.cache_hits;
    v->n_results = kf_plan_result_count(v->plan);
    return KF_OK;
}

kf_status variant_texts(struct job *job, kf_fusion fusion, struct variant *v, kf_error *err) {
    return plan(job, fusion, true, v, err);
}

kf_status variant_make(struct job *job, kf_fusion fusion, struct variant *v, kf_error *err) {
    KF_TRY(plan(job, fusion, false, v, err));
    v->results = calloc((size_t)v->n_results + 1, sizeof *v->results);
    v->addresses = calloc((size_t)v->n_results + 1, sizeof *v->addresses);
    if (!v->results || !v->addresses) return kf__out_of_memory(err);
    for (int i = 0; i < v->n_results; i++) {
        kf_array like;
        kf_plan_result(v->plan, i, &like);
        KF_TRY(kf_array_create(job->ctx, job->device, like.dtype, like.ndim, like.shape,
                               &v->results[i], err));
        v->addresses[i] = v->results[i].data;
    }
    int64_t bytes = (int64_t)kf_plan_workspace_size(v->plan);
    return kf_array_create(job->ctx, job->device, KF_U8, 1, &bytes, &v->workspace, err);
}

kf_status variant_run(struct job *job, struct variant *v, kf_error *err) {
    KF_TRY(kf_run(v->plan, job->addresses, v->addresses, job->scalars, v->workspace.data, NULL,
                  err));
    return kf_synchronize(job->ctx, job->device, NULL, err);
}

void variant_free(struct job *job, struct variant *v) {
    for (int i = 0; i < v->n_results && v->results; i++) kf_array_free(job->ctx, &v->results[i]);
    kf_array_free(job->ctx, &v->workspace);
    free(v->results);
    free(v->addresses);
    kf_plan_free(v->plan);
    kf_program_free(v->program);
    *v = (struct variant){0};
}

kf_status variant_host_result(struct job *job, const struct variant *v, int i, kf_array *host,
                              kf_array *made, kf_error *err) {
    *made = (kf_array){0};
    *host = v->results[i];
    host->device = (kf_device){KF_CPU, 0};
    if (job->device.type != KF_CUDA) return KF_OK;
    KF_TRY(kf_array_create(job->ctx, host->device, host->dtype, host->ndim, host->shape, made,
                           err));
    *host = *made;
    return kf_array_copy(job->ctx, &v->results[i], made, err);
}
