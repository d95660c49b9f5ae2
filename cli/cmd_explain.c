/* kfuse explain: the library's own account of a plan. */
#include "commands.h"

static kf_status give_texts(struct job *job, const kf_plan *plan, struct output *out,
                            kf_error *err) {
    char *text;
    KF_TRY(kf_plan_text(plan, KF_TEXT_EXPLAIN, &text, err));
    bool written = fputs(text, out->table) >= 0;
    kf_text_free(job->ctx, text);
    if (!written) return kf__fail(err, KF_ERR_IO, "can't write the explanation");
    if (!out->json_file) return KF_OK;
    KF_TRY(kf_plan_text(plan, KF_TEXT_EXPLAIN_JSON, &text, err)); /* one line */
    kf__print_bytes(&out->json.text, text, strcspn(text, "\n"));
    kf_text_free(job->ctx, text);
    return KF_OK;
}

kf_status command_explain(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)code;
    struct output out;
    struct variant v = {0};
    KF_TRY(job_begin(job, o, err));
    KF_TRY(job_open(job, false, err));
    KF_TRY(output_open(&out, o, err));
    kf_status status = variant_texts(job, o->fusion, &v, err);
    if (status == KF_OK) status = give_texts(job, v.plan, &out, err);
    variant_free(job, &v);
    return output_close(&out, o, status, err);
}
