/* kfuse explain: the library's own account of a plan. */
#include "commands.h"
#include "target.h"

static kf_status give_text(struct job *job, const kf_plan *plan, kf_text_kind kind, FILE *to,
                           kf_error *err) {
    char *text;
    KF_TRY(kf_plan_text(plan, kind, &text, err));
    bool written = fputs(text, to) >= 0;
    kf_text_free(job->ctx, text);
    return written ? KF_OK : kf__fail(err, KF_ERR_IO, "can't write the explanation");
}

kf_status command_explain(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)code;
    struct output out;
    struct variant v = {0};
    KF_TRY(job_begin(job, o, err));
    KF_TRY(job_open(job, false, err));
    KF_TRY(output_open(&out, o, err));
    kf_status status = variant_plan(job, o->fusion, &v, err);
    if (status == KF_OK) status = give_text(job, v.plan, KF_TEXT_EXPLAIN, out.table, err);
    if (status == KF_OK && out.json_file)
        status = give_text(job, v.plan, KF_TEXT_EXPLAIN_JSON, out.json_file, err);
    variant_free(job, &v);
    if (out.json_file) { /* the text was the JSON */
        kf__text_free(&out.json.text);
        bool failed = fflush(out.json_file) != 0;
        if (out.json_file != stdout && fclose(out.json_file) != 0) failed = true;
        if (failed && status == KF_OK)
            status = kf__fail(err, KF_ERR_IO, "can't write '%s'", o->json);
        unfinished_end(out.ticket);
    }
    return status;
}
