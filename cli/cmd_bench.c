/* kfuse bench: for each item verify, then time; a row as soon as it is known. */
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "report.h"
#include "run/device.h"
#include "run/explain.h"

struct session {
    const struct options *o;
    struct job *shown; /* the command's job: of the item in work, for carets */
    struct output *out;
    bench_rows rows;
    bench_marks old; /* --compare */
    bool wrong;
};

static void progress(const struct bench_item *item, const char *what) {
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r\033[K%s%s%s%s%s", item->name, item->size[0] ? " " : "", item->size,
            what[0] ? ": " : "", what);
    if (!what[0]) fprintf(stderr, "\r\033[K");
    fflush(stderr);
}

/* ---------------------------------------------------------------- facts that aren't timed */

static kf_status figures(struct bench *b, struct bench_row *row, kf_error *err) {
    kf__arena arena;
    kf__arena_init(&arena, &kf__malloc);
    kf_status status = KF_OK;
    for (int i = 0; i < 2 && status == KF_OK; i++) {
        kf__figures f;
        status = kf__plan_figures(b->variant[i].plan, &arena, &f, err);
        if (status != KF_OK) break;
        row->kernels[i] = f.kernels;
        row->bytes_of[i] = f.bytes;
        row->temp_bytes[i] = f.temp_bytes;
        row->predicted_us[i] = f.us;
    }
    kf__arena_free(&arena);
    if (b->job->device.type == KF_CUDA)
        row->spec_gbs = kf__cuda_bandwidth(b->job->device.id) / 1000;
    return status;
}

/* Text to plan in a new context whose disk cache is empty. */
static kf_status cold_compile(const struct bench *b, double *ms, kf_error *err) {
    const struct job *job = b->job;
    char *folder = scratch_folder();
    if (!folder) return kf__fail(err, KF_ERR_IO, "no folder for temporary files");
    kf_context_options options = {.struct_size = sizeof options, .cache_dir = folder,
                                  .threads = job->options->threads};
    kf_compile_options compile = {.struct_size = sizeof compile, .device = job->device};
    kf_context *ctx = kf_context_create(&options, err);
    kf_graph *graph = NULL;
    kf_program *program = NULL;
    kf_plan *plan = NULL;
    double start = now_us();
    kf_status status = ctx ? kf_graph_create(ctx, job->function, job->n_inputs, job->specs,
                                             job->options->numerics, &graph, err) : err->status;
    if (status == KF_OK) status = kf_compile(ctx, graph, &compile, &program, err);
    if (status == KF_OK)
        status = kf_plan_for(program, job->n_inputs, job->arrays, kf_graph_result_count(graph),
                             NULL, &plan, err);
    *ms = (now_us() - start) / 1000;
    kf_plan_free(plan);
    kf_program_free(program);
    kf_graph_free(graph);
    kf_context_free(ctx);
    remove_scratch(folder);
    return status;
}

/* ---------------------------------------------------------------- timing */

static double best_copy(const struct bench *b, const struct timing *timings) {
    double plain = timings[COPY_PLAIN].median, stream = timings[COPY_STREAM].median;
    return 2 * (double)b->copy_bytes / 1000 / (plain < stream ? plain : stream);
}

static kf_status print_profile(struct session *s, struct bench *b, kf_error *err) {
    static const char *const names[] = {"fused", "unfused"};
    for (int c = 0; c < 2; c++) {
        const kf_plan *plan = b->variant[c].plan;
        double *us = calloc(plan->n_steps + 1, sizeof *us);
        if (!us) return kf__out_of_memory(err);
        kf_status status = bench_profile(b, (enum contender)c, us, err);
        for (uint32_t i = 0; i < plan->n_steps && status == KF_OK; i++) {
            char text[REPORT_SHORT];
            fprintf(s->out->table, "    %-8s %-40s %9s\n", i ? "" : names[c],
                    plan->steps[i].name, report_us(text, us[i]));
        }
        free(us);
        KF_TRY(status);
    }
    return KF_OK;
}

static kf_status time_item(struct session *s, struct bench *b, const struct bench_row *facts,
                           bool warm, kf_error *err) {
    struct timing *timings = calloc(CONTENDERS, sizeof *timings);
    struct bench_row *row = malloc(sizeof *row);
    if (!timings || !row) {
        free(timings);
        free(row);
        return kf__out_of_memory(err);
    }
    *row = *facts;
    row->warm = warm;
    kf_status status = bench_measure(b, warm, s->o->repeats, timings, err);
    if (status == KF_OK) {
        memcpy(row->timing, timings, 2 * sizeof *timings);
        memcpy(row->copy, timings + COPY_PLAIN, 2 * sizeof *timings);
        row->limit_gbs = best_copy(b, timings);
        for (int i = 0; i < 2; i++) row->gbs[i] = (double)b->bytes / 1000 / timings[i].median;
        progress(b->item, "");
        bench_print_row(s->out->table, row);
        fflush(s->out->table);
        if (s->out->json_file) bench_json_row(&s->out->json, row);
    }
    free(timings);
    if (status == KF_OK && KF__PUSH(&kf__malloc, &s->rows, row)) return KF_OK;
    free(row);
    return status == KF_OK ? kf__out_of_memory(err) : status;
}

static kf_status bench_job(struct session *s, struct bench *b, const struct bench_item *item,
                           struct job *job, kf_error *err) {
    struct bench_row *facts = calloc(1, sizeof *facts);
    if (!facts) return kf__out_of_memory(err);
    facts->item = item;
    device_name(job->device, facts->device);
    machine_name(job, facts->machine);
    progress(item, "compiling");
    kf_status status = bench_begin(b, item, job, err);
    facts->elements = b->elements;
    facts->bytes = b->bytes;
    if (status == KF_OK) status = cold_compile(b, &facts->compile_ms, err);
    if (status == KF_OK) status = figures(b, facts, err);
    if (status == KF_OK) progress(item, "verifying");
    if (status == KF_OK) status = bench_verify(s->o, item, b, &facts->errors, err);
    const struct bench_errors *e = &facts->errors;
    if (!e->agree || (e->checked && !e->ok)) s->wrong = true;
    if (status == KF_OK) progress(item, "timing");
    if (status == KF_OK) status = time_item(s, b, facts, false, err);
    if (status == KF_OK && s->o->warm) status = time_item(s, b, facts, true, err);
    if (status == KF_OK && s->o->profile) status = print_profile(s, b, err);
    free(facts);
    return status;
}

/* An item has a job of its own; where it fails it stays the command's, for the message. */
static kf_status bench_item(struct session *s, const struct bench_item *item, kf_error *err) {
    struct job *job = s->shown;
    struct bench *b = calloc(1, sizeof *b);
    if (!b) return kf__out_of_memory(err);
    const char *const *args = (const char *const *)item->args.at;
    kf_status status = job_function(job, item->text, args, item->args.n, err);
    progress(item, "making inputs");
    if (status == KF_OK) status = job_inputs(job, args, item->args.n, true, err);
    if (status == KF_OK) status = bench_job(s, b, item, job, err);
    progress(item, "");
    bench_end(b);
    free(b);
    return status;
}

static kf_status bench_all(struct session *s, const bench_items *items, kf_error *err) {
    char device[24], machine[80], heading[128];
    snprintf(heading, sizeof heading, "%s (%s)", device_name(s->shown->device, device),
             machine_name(s->shown, machine));
    bench_print_heading(s->out->table, s->o, heading);
    if (s->out->json_file) json_open_array(&s->out->json, NULL);
    for (uint32_t i = 0; i < items->n; i++) {
        if (i) {
            job_end(s->shown);
            KF_TRY(job_begin(s->shown, s->o, err));
        }
        KF_TRY(bench_item(s, &items->at[i], err));
    }
    if (s->out->json_file) json_close(&s->out->json);
    if (s->o->plot) {
        bench_marks marks = {0};
        kf_status status = bench_marks_of(&s->rows, &marks, err);
        if (status == KF_OK) status = bench_plot(s->o->plot, &marks, err);
        KF__VEC_FREE(&kf__malloc, &marks);
        KF_TRY(status);
    }
    if (s->o->compare) bench_compare(s->out->table, s->o->compare, &s->old, &s->rows);
    return KF_OK;
}

/* --from: a plot of earlier results. */
static kf_status plot_earlier(const struct options *o, kf_error *err) {
    bench_marks marks = {0};
    if (!o->plot || o->words.n)
        return kf__fail(err, KF_ERR_ARGUMENT, "write `kfuse bench --from FILE.json --plot "
                        "FILE.svg`: --from measures nothing");
    kf_status status = bench_marks_read(o->from, &marks, err);
    if (status == KF_OK) status = bench_plot(o->plot, &marks, err);
    KF__VEC_FREE(&kf__malloc, &marks);
    return status;
}

kf_status command_bench(const struct options *o, struct job *job, int *code, kf_error *err) {
    struct output out;
    bench_items items = {0};
    struct session s = {.o = o, .shown = job, .out = &out};
    if (o->plot) KF_TRY(bench_plot_check(o->plot, err));
    if (o->from) return plot_earlier(o, err);
    KF_TRY(job_begin(job, o, err));
    kf_status status = o->overhead ? KF_OK
                       : bench_items_read(o, job->device.type == KF_CUDA, &items, err);
    if (status == KF_OK && o->compare) status = bench_marks_read(o->compare, &s.old, err);
    if (status == KF_OK) {
        status = output_open(&out, o, err);
        if (status == KF_OK)
            status = o->overhead ? bench_overhead(o, job, &out, err) : bench_all(&s, &items, err);
        status = output_close(&out, o, status, err);
    }
    if (s.wrong) *code = 1;
    for (uint32_t i = 0; i < s.rows.n; i++) free(s.rows.at[i]);
    KF__VEC_FREE(&kf__malloc, &s.rows);
    KF__VEC_FREE(&kf__malloc, &s.old);
    bench_items_free(&items);
    return status;
}
