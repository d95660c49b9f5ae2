/* kfuse check: fused and unfused against the oracle. */
#include <stdlib.h>

#include "check.h"
#include "commands.h"
#include "pipeline.h"
#include "report.h"

static kf_status graph_scalars(struct job *job, kf_scalar **out, kf_error *err) {
    *out = calloc((size_t)job->n_inputs + 1, sizeof **out);
    if (!*out) return kf__out_of_memory(err);
    for (int i = 0; i < job->n_inputs; i++) (*out)[i] = job->inputs[i].scalar;
    return KF_OK;
}

/* The oracle's first look, or a further one into the same results. */
static kf_status look(struct job *job, const kf__oracle_options *options, bool again,
                      kf__oracle_result *results, kf_error *err) {
    kf_scalar *scalars = NULL;
    kf_array *hosts = calloc((size_t)job->n_inputs + 1, sizeof *hosts);
    if (!hosts) return kf__out_of_memory(err);
    for (int i = 0; i < job->n_inputs; i++) hosts[i] = job->inputs[i].host;
    kf_status status = graph_scalars(job, &scalars, err);
    if (status == KF_OK)
        status = (again ? kf__oracle_again : kf__oracle)(job->graph, job->n_inputs, hosts, scalars,
                                                         options, results, err);
    free(hosts);
    free(scalars);
    return status;
}

kf_status check_oracle(struct job *job, bool one_kernel, kf__oracle_result **out, kf_error *err) {
    *out = calloc((size_t)kf_graph_result_count(job->graph) + 1, sizeof **out);
    if (!*out) return kf__out_of_memory(err);
    return look(job, &(kf__oracle_options){.one_kernel = one_kernel}, false, *out, err);
}

void check_oracle_free(struct job *job, kf__oracle_result *want) {
    if (want) kf__oracle_free(job->graph, want);
    free(want);
}

/* Before an element is called wrong its tolerance is that of many samples: of large arrays by
 * looks of few, which is slower, and needs no more memory than the first. */
enum { SMALL = 100000, LOOKS = 10, MANY_SAMPLES = 65 };

static bool is_small(const struct job *job, const kf_array *result) {
    int64_t most = array_count(result);
    for (int i = 0; i < job->n_inputs; i++)
        if (job->inputs[i].host.data) most = kf__max(most, array_count(&job->inputs[i].host));
    return most <= SMALL;
}

static kf_status compare_well(struct job *job, kf__oracle_options options, int result,
                              const kf_array *host, int *looks, kf__oracle_result *want,
                              kf__compare_stats *stats, kf_error *err) {
    KF_TRY(kf__compare(job->graph, &want[result], host, stats, err));
    bool small = is_small(job, host);
    if (small) options.samples = MANY_SAMPLES;
    while (!stats->ok && *looks < (small ? 1 : LOOKS)) {
        options.seed = (uint64_t)++*looks;
        KF_TRY(look(job, &options, true, want, err));
        KF_TRY(kf__compare(job->graph, &want[result], host, stats, err));
    }
    return KF_OK;
}

kf_status check_variant(struct job *job, struct variant *v, kf__compare_stats *stats,
                        kf_error *err) {
    kf__oracle_options options = {.one_kernel = v->program->partition->n_kernels == 1};
    kf__oracle_result *want = NULL;
    int looks = 0;
    kf_status status = check_oracle(job, options.one_kernel, &want, err);
    for (int i = 0; i < v->n_results && status == KF_OK; i++) {
        kf_array host, made;
        status = variant_host_result(job, v, i, &host, &made, err);
        if (status == KF_OK)
            status = compare_well(job, options, i, &host, &looks, want, &stats[i], err);
        stats[i].outside = want[i].outside;
        kf_array_free(job->ctx, &made);
    }
    check_oracle_free(job, want);
    return status;
}

/* ---------------------------------------------------------------- the command */

static const char *const names[] = {"fused", "unfused"};

static kf_status run_variants(struct job *job, kf__compare_stats *stats[2], kf_error *err) {
    kf_fusion off = job->options->fusion ? job->options->fusion : KF_FUSION_OFF;
    kf_fusion modes[2] = {KF_FUSION_ON, off};
    KF_TRY(job_host_inputs(job, err));
    for (int i = 0; i < 2; i++) {
        struct variant v = {0};
        kf_status status = variant_make(job, modes[i], &v, err);
        if (status == KF_OK) status = variant_run(job, &v, err);
        if (status == KF_OK) status = check_variant(job, &v, stats[i], err);
        variant_free(job, &v);
        KF_TRY(status);
    }
    return KF_OK;
}

static void json_errors(struct json *j, const char *key, const kf__compare_stats *s) {
    json_open_object(j, key);
    json_double(j, "ulp", s->ulp_max);
    json_double(j, "abs", s->abs);
    json_double(j, "rel", s->rel);
    json_int(j, "wrong", s->wrong);
    json_int(j, "undecided", s->undecided);
    json_close(j);
}

static void give_rows(struct job *job, kf__compare_stats *stats[2], int n, struct table *t) {
    static const char *const heading[] = {"result", "variant", "max ulp", "p99", "max abs",
                                          "max rel", "elements", "wrong", "undecided", ""};
    for (size_t i = 0; i < KF__COUNT(heading); i++) table_cell(t, "%s", heading[i]);
    for (int i = 0; i < 2 * n; i++) {
        const kf__compare_stats *s = &stats[i % 2][i / 2];
        table_cell(t, "%s", kf_graph_result_name(job->graph, i / 2));
        table_cell(t, "%s", names[i % 2]);
        table_cell(t, "%.3g", s->ulp_max);
        table_cell(t, "%.3g", s->ulp_p99);
        table_cell(t, "%.3g", s->abs);
        table_cell(t, "%.3g", s->rel);
        table_cell(t, "%lld", (long long)s->count);
        table_cell(t, "%lld", (long long)s->wrong);
        table_cell(t, "%lld", (long long)s->undecided);
        table_cell(t, "%s", s->ok ? "ok" : "WRONG");
    }
}

static void give_worst(struct job *job, kf__compare_stats *stats[2], int n, FILE *to) {
    for (int i = 0; i < 2 * n; i++) {
        const kf__compare_stats *s = &stats[i % 2][i / 2];
        if (s->ok || s->worst < 0) continue;
        fprintf(to, "%s, %s: element %lld is %.9g, should be %.9g within %.3g\n",
                kf_graph_result_name(job->graph, i / 2), names[i % 2], (long long)s->worst, s->got,
                s->want, s->tolerance);
    }
}

static bool give_all(struct job *job, kf__compare_stats *stats[2], int n, struct output *out) {
    struct table t;
    struct json *j = out->json_file ? &out->json : NULL;
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && stats[0][i].ok && stats[1][i].ok;
    table_begin(&t, "llrrrrrrrl");
    give_rows(job, stats, n, &t);
    table_end(&t, out->table);
    give_worst(job, stats, n, out->table);
    if (n && stats[0][0].outside)
        fprintf(out->table, "reads at indices out of range, which give 0: %lld\n",
                (long long)stats[0][0].outside);
    if (!j) return ok;
    json_open_object(j, NULL);
    json_bool(j, "ok", ok);
    json_open_array(j, "results");
    for (int i = 0; i < n; i++) {
        json_open_object(j, NULL);
        json_string(j, "name", kf_graph_result_name(job->graph, i));
        json_errors(j, "fused", &stats[0][i]);
        json_errors(j, "unfused", &stats[1][i]);
        json_double(j, "tolerance", stats[0][i].tolerance);
        json_close(j);
    }
    json_close(j);
    json_int(j, "outside", n ? stats[0][0].outside : 0);
    json_close(j);
    return ok;
}

kf_status command_check(const struct options *o, struct job *job, int *code, kf_error *err) {
    struct output out;
    KF_TRY(job_begin(job, o, err));
    KF_TRY(job_open(job, true, err));
    int n = kf_graph_result_count(job->graph);
    kf__compare_stats *memory = calloc(2 * (size_t)n + 1, sizeof *memory);
    if (!memory) return kf__out_of_memory(err);
    kf__compare_stats *stats[2] = {memory, memory + n};
    kf_status status = run_variants(job, stats, err);
    if (status == KF_OK) status = output_open(&out, o, err);
    if (status == KF_OK) {
        if (!give_all(job, stats, n, &out)) *code = 1;
        status = output_close(&out, o, status, err);
    }
    free(memory);
    return status;
}
