/* kfuse doctor and kfuse cache: the machine, and what is kept on it. */
#include <stdlib.h>

#include "commands.h"
#include "compile/compile.h"
#include "report.h"
#include "run/context.h"

/* ---------------------------------------------------------------- doctor */

static void give_fact(const kf__fact *f, struct output *out, struct table *t) {
    table_cell(t, "%s", f->found ? "ok" : "--");
    table_cell(t, "%s", f->name);
    table_cell(t, "%s", f->found ? f->version : "missing");
    table_cell(t, "%s", f->path);
    table_cell(t, "%s", f->needed_for);
    if (!out->json_file) return;
    json_open_object(&out->json, NULL);
    json_string(&out->json, "name", f->name);
    json_bool(&out->json, "found", f->found);
    json_string(&out->json, "path", f->path);
    json_string(&out->json, "version", f->version);
    json_string(&out->json, "needed_for", f->needed_for);
    json_string(&out->json, "install", f->found ? "" : f->install);
    json_close(&out->json);
}

static void give_facts(const kf__fact *facts, size_t n, struct output *out) {
    struct table t;
    if (out->json_file) json_open_array(&out->json, NULL);
    table_begin(&t, "lllll");
    static const char *const heading[] = {"", "what", "version", "where", "needed for"};
    for (size_t i = 0; i < KF__COUNT(heading); i++) table_cell(&t, "%s", heading[i]);
    for (size_t i = 0; i < n; i++) give_fact(&facts[i], out, &t);
    table_end(&t, out->table);
    for (size_t i = 0; i < n; i++) {
        const kf__fact *f = &facts[i];
        if (!f->found && f->install[0])
            fprintf(out->table, "\nTo have %s: %s\n", f->name, f->install);
        if (!f->found && f->version[0]) fprintf(out->table, "  (%s)\n", f->version);
    }
    if (out->json_file) json_close(&out->json);
}

kf_status command_doctor(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)code;
    struct output out;
    kf__fact facts[KF__FACT_COUNT + 1];
    kf__arena arena;
    if (o->words.n) return kf__fail(err, KF_ERR_ARGUMENT, "`kfuse doctor` takes no arguments");
    KF_TRY(job_begin(job, o, err));
    kf__arena_init(&arena, &kf__malloc);
    char *gnuplot = find_program("gnuplot");
    kf_status status = kf__compiler_facts(job->ctx->compiler, &arena, facts)
                           ? KF_OK : kf__out_of_memory(err);
    facts[KF__FACT_COUNT] = (kf__fact){
        .name = "gnuplot", .found = gnuplot, .path = gnuplot ? gnuplot : "", .version = "",
        .needed_for = "kfuse bench --plot",
        .install = "install gnuplot (Debian: apt install gnuplot-nox)"};
    if (status == KF_OK) status = output_open(&out, o, err);
    if (status == KF_OK) {
        give_facts(facts, KF__COUNT(facts), &out);
        status = output_close(&out, o, status, err);
    }
    free(gnuplot);
    kf__arena_free(&arena);
    return status;
}

/* ---------------------------------------------------------------- cache */

static void give_cache(const kf__cache_info *info, int64_t entries, int64_t bytes, bool cleared,
                       struct output *out) {
    char a[REPORT_SHORT], b[REPORT_SHORT];
    fprintf(out->table, "%s\n", info->folder ? info->folder : "no folder");
    if (info->trouble) fprintf(out->table, "not used: %s\n", info->trouble);
    fprintf(out->table, "%s%lld kernels, %s, of at most %s\n", cleared ? "removed " : "",
            (long long)entries, report_bytes(a, (double)bytes),
            report_bytes(b, (double)info->limit));
    if (!out->json_file) return;
    json_open_object(&out->json, NULL);
    json_string(&out->json, "path", info->folder);
    json_int(&out->json, "entries", cleared ? 0 : entries);
    json_int(&out->json, "bytes", cleared ? 0 : bytes);
    json_int(&out->json, "limit", info->limit);
    json_string(&out->json, "trouble", info->trouble);
    if (cleared) json_int(&out->json, "removed", entries);
    json_close(&out->json);
}

kf_status command_cache(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)code;
    struct output out;
    bool clear = o->words.n == 1 && strcmp(o->words.at[0], "clear") == 0;
    if (o->words.n && !clear)
        return kf__fail(err, KF_ERR_ARGUMENT, "write `kfuse cache` or `kfuse cache clear`");
    KF_TRY(job_begin(job, o, err));
    kf__cache_info info;
    kf__compiler_cache_info(job->ctx->compiler, &info);
    int64_t entries = info.entries, bytes = info.bytes;
    if (clear)
        KF_TRY(kf__compiler_cache_clear(job->ctx->compiler, &entries, &bytes, err));
    KF_TRY(output_open(&out, o, err));
    give_cache(&info, entries, bytes, clear, &out);
    return output_close(&out, o, KF_OK, err);
}
