/* kfuse run: compute, print or save. */
#include "commands.h"
#include "report.h"

static kf_status check_outputs(const struct options *o, const struct variant *v, kf_error *err) {
    if (o->outputs.n && (int)o->outputs.n != v->n_results)
        return kf__fail(err, KF_ERR_ARGUMENT, "%u files are given with -o, but there %s %d "
                        "result%s: one file for each", o->outputs.n,
                        v->n_results == 1 ? "is" : "are", v->n_results,
                        v->n_results == 1 ? "" : "s");
    return KF_OK;
}

static void print_heading(FILE *to, const char *name, const kf_array *array, const char *file) {
    kf__text shape;
    kf__text_init(&shape, &kf__malloc);
    report_shape(&shape, array);
    fprintf(to, "%s: %s %s%s%s\n", name, report_dtype(array->dtype), shape.at ? shape.at : "",
            file ? " -> " : "", file ? file : "");
    kf__text_free(&shape);
}

static void json_result(struct json *j, const char *name, const kf_array *array,
                        const char *file) {
    json_open_object(j, NULL);
    json_string(j, "name", name);
    json_string(j, "dtype", report_dtype(array->dtype));
    json_open_array(j, "shape");
    for (int d = 0; d < array->ndim; d++) json_int(j, NULL, array->shape[d]);
    json_close(j);
    json_string(j, "file", file);
    json_close(j);
}

static kf_status give_result(struct job *job, const struct variant *v, int i, struct output *out,
                             kf_error *err) {
    const words *files = &job->options->outputs;
    const char *file = files->n ? files->at[i] : NULL;
    const char *name = kf_graph_result_name(job->graph, i);
    kf_array host, made;
    kf_status status = variant_host_result(job, v, i, &host, &made, err);
    if (status == KF_OK && file) status = npy_write(file, &host, err);
    if (status == KF_OK) {
        print_heading(out->table, name, &host, file);
        if (!file) report_array(out->table, &host);
        if (out->json_file) json_result(&out->json, name, &host, file);
    }
    kf_array_free(job->ctx, &made);
    return status;
}

static kf_status give_results(struct job *job, struct variant *v, struct output *out,
                              kf_error *err) {
    kf_statistics before, after;
    kf_context_statistics(job->ctx, &before);
    double start = now_us();
    KF_TRY(variant_run(job, v, err));
    double us = now_us() - start;
    kf_context_statistics(job->ctx, &after);
    long long launches = (long long)(after.launches - before.launches);
    if (out->json_file) {
        json_open_object(&out->json, NULL);
        json_open_array(&out->json, "results");
    }
    for (int i = 0; i < v->n_results; i++) KF_TRY(give_result(job, v, i, out, err));
    char device[24], plan[REPORT_SHORT], run[REPORT_SHORT];
    device_name(job->device, device);
    fprintf(out->table, "%s: %lld kernel%s in %s (planned in %s, %lld compiled, %lld from the "
            "cache)\n", device, launches, launches == 1 ? "" : "s", report_us(run, us),
            report_us(plan, v->compile_us), (long long)v->spent.compiled,
            (long long)v->spent.cache_hits);
    if (!out->json_file) return KF_OK;
    json_close(&out->json);
    json_string(&out->json, "device", device);
    json_int(&out->json, "kernels", launches);
    json_int(&out->json, "compiled", v->spent.compiled);
    json_int(&out->json, "cache_hits", v->spent.cache_hits);
    json_double(&out->json, "plan_us", v->compile_us);
    json_double(&out->json, "run_us", us);
    json_close(&out->json);
    return KF_OK;
}

kf_status command_run(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)code;
    struct output out;
    struct variant v = {0};
    KF_TRY(job_begin(job, o, err));
    KF_TRY(job_open(job, true, err));
    KF_TRY(output_open(&out, o, err));
    kf_status status = variant_make(job, o->fusion, &v, err);
    if (status == KF_OK) status = check_outputs(o, &v, err);
    if (status == KF_OK) status = give_results(job, &v, &out, err);
    variant_free(job, &v);
    return output_close(&out, o, status, err);
}
