/* Texts about a plan: what its kernels are and cost (for a person and as JSON), their source, and
 * its steps. */
#include "run/explain.h"

/* ---------------------------------------------------------------- for a person */

/* "1.50 GB", three digits. */
static void print_bytes(kf__text *text, int64_t bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < KF__COUNT(units)) {
        value /= 1000;
        unit++;
    }
    int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    kf__print(text, "%.*f %s", digits, value, units[unit]);
}

static void print_us(kf__text *text, double us) {
    bool ms = us >= 999.5;
    double value = ms ? us / 1000 : us;
    kf__print(text, "%.*f %s", value >= 99.5 ? 0 : value >= 9.995 ? 1 : 2, value, ms ? "ms" : "us");
}

static void print_kernel(const kf_plan *plan, uint32_t k, const kf__kernel_figures *f,
                         kf__text *text) {
    enum { MOST = 12 };
    const kf__kernel *kernel = &plan->program->partition->kernels[k];
    uint32_t shown = kernel->n_ops > MOST ? MOST - 2 : kernel->n_ops;
    kf__print(text, "  %s (%s): ", kernel->name, kf__kernel_kinds[kernel->kind]);
    for (uint32_t i = 0; i < shown; i++)
        kf__print(text, "%s%s", i ? ", " : "", kernel->ops[i]);
    if (shown < kernel->n_ops)
        kf__print(text, " and %u more operations", (unsigned)(kernel->n_ops - shown));
    if (kernel->n_ops == 0) kf__print(text, "no operation, only a copy");
    kf__print(text, "\n    ");
    if (f->launches == 0) {
        kf__print(text, "nothing to do: its results are empty\n");
        return;
    }
    kf__print(text, "reads ");
    print_bytes(text, f->read);
    kf__print(text, ", writes ");
    print_bytes(text, f->written);
    kf__print(text, ", about ");
    print_us(text, f->us);
    if (f->launches > 1) kf__print(text, ", in %d launches", f->launches);
    kf__print(text, "\n");
}

static uint32_t readers_of(const kf__partition *p, uint32_t value) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        const kf__kernel *kernel = &p->kernels[k];
        bool reads = false;
        for (uint32_t i = 0; i < kernel->n_accesses && !reads; i++)
            reads = kernel->accesses[i].value == value;
        n += reads;
    }
    return n;
}

/* "; nothing is fused, x is read by 3 kernels" */
static void print_unfused(const kf__partition *p, kf__text *text) {
    kf__print(text, "; nothing is fused");
    for (uint32_t v = 0, shown = 0; v < p->n_values && shown < 4; v++) {
        uint32_t n = p->values[v].kind == KF__VALUE_INPUT ? readers_of(p, v) : 0;
        if (n < 2) continue;
        kf__print(text, ", %s is read by %u kernels", p->graph->inputs.at[p->values[v].index].name,
                  (unsigned)n);
        shown++;
    }
}

static void print_summary(const kf_plan *plan, const kf__figures *fused,
                          const kf__figures *unfused, kf__text *text) {
    bool same = fused->kernels == unfused->kernels && fused->bytes == unfused->bytes;
    kf__print(text, "%lld kernel%s", (long long)fused->parts, fused->parts == 1 ? "" : "s");
    if (!same) kf__print(text, " instead of %lld", (long long)unfused->parts);
    if (fused->kernels != fused->parts || unfused->kernels != unfused->parts) {
        kf__print(text, ", %lld launch%s", (long long)fused->kernels,
                  fused->kernels == 1 ? "" : "es");
        if (!same) kf__print(text, " instead of %lld", (long long)unfused->kernels);
    }
    kf__print(text, "; ");
    print_bytes(text, fused->bytes);
    kf__print(text, " moved");
    if (same) {
        if (fused->parts > 1) print_unfused(plan->program->partition, text);
        else kf__print(text, "; there is nothing to fuse");
        kf__print(text, "\npredicted: about ");
        print_us(text, fused->us);
        return;
    }
    kf__print(text, " instead of ");
    print_bytes(text, unfused->bytes);
    if (fused->temp_bytes || unfused->temp_bytes) {
        kf__print(text, "; temporaries ");
        print_bytes(text, fused->temp_bytes);
        kf__print(text, " instead of ");
        print_bytes(text, unfused->temp_bytes);
    }
    kf__print(text, "\npredicted: about ");
    print_us(text, fused->us);
    kf__print(text, " instead of ");
    print_us(text, unfused->us);
}

/* The sentence, with the value's sizes in place of their names. */
static void print_why(const kf_plan *plan, const kf__cut *cut, kf__text *text) {
    const kf__partition *p = plan->program->partition;
    const kf__value *value = &p->values[cut->value];
    kf__text type;
    kf__text_init(&type, &plan->program->ctx->mem);
    kf__print_type(p->graph, value->node, &type);
    const char *at = type.failed || !type.at ? NULL : strstr(cut->why, type.at);
    if (!at) {
        kf__print(text, "%s", cut->why);
        kf__text_free(&type);
        return;
    }
    kf__print_bytes(text, cut->why, (size_t)(at - cut->why));
    kf__print(text, "%s[", kf__types[value->dtype].name);
    for (int d = 0; d < value->rank; d++) {
        int64_t size = 0;
        kf__x_eval(&p->graph->exprs, value->shape[d], plan->names, NULL, &size);
        kf__print(text, "%s%lld", d ? ", " : "", (long long)size);
    }
    kf__print(text, "]%s", at + type.n);
    kf__text_free(&type);
}

static void print_cuts(const kf_plan *plan, kf__text *text) {
    const kf__partition *p = plan->program->partition;
    for (uint32_t i = 0; i < p->n_cuts; i++) {
        const kf__cut *cut = &p->cuts[i], *before = i ? cut - 1 : NULL;
        if (!before || before->from != cut->from || before->to != cut->to)
            kf__print(text, "  %s -> %s\n", p->kernels[cut->from].name, p->kernels[cut->to].name);
        kf__print(text, "    %s: ", cut->code);
        print_why(plan, cut, text);
        kf__print(text, "\n");
    }
}

static void print_explain(const kf_plan *plan, const kf__figures *fused, const kf__figures *unfused,
                          kf__text *text) {
    const kf__partition *p = plan->program->partition;
    print_summary(plan, fused, unfused, text);
    kf__print(text, "\n\nkernels\n");
    for (uint32_t k = 0; k < p->n_kernels; k++) print_kernel(plan, k, &fused->kernel[k], text);
    if (p->n_cuts) kf__print(text, "\nwhat goes through memory between kernels, and why\n");
    print_cuts(plan, text);
}

/* ---------------------------------------------------------------- JSON */

static void print_json_kernel(const kf__kernel *kernel, const kf__kernel_figures *f,
                              kf__text *text) {
    kf__print(text, "{\"name\": ");
    kf__print_json(text, kernel->name);
    kf__print(text, ", \"kind\": ");
    kf__print_json(text, kf__kernel_kinds[kernel->kind]);
    kf__print(text, ", \"ops\": [");
    for (uint32_t i = 0; i < kernel->n_ops; i++) {
        kf__print(text, "%s", i ? ", " : "");
        kf__print_json(text, kernel->ops[i]);
    }
    kf__print(text, "], \"bytes_read\": %lld, \"bytes_written\": %lld, \"flops\": %lld, "
                    "\"predicted_us\": %.3f, \"launches\": %d}",
              (long long)f->read, (long long)f->written, (long long)f->flops, f->us, f->launches);
}

static void print_json_figures(const char *name, const kf__figures *f, kf__text *text) {
    kf__print(text, "\"%s\": {\"kernels\": %lld, \"bytes\": %lld, \"temp_bytes\": %lld}", name,
              (long long)f->kernels, (long long)f->bytes, (long long)f->temp_bytes);
}

static void print_explain_json(const kf_plan *plan, const kf__figures *fused,
                               const kf__figures *unfused, kf__text *text) {
    const kf__partition *p = plan->program->partition;
    kf__print(text, "{\"kernels\": [");
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        kf__print(text, "%s", k ? ", " : "");
        print_json_kernel(&p->kernels[k], &fused->kernel[k], text);
    }
    kf__print(text, "], \"cuts\": [");
    for (uint32_t i = 0; i < p->n_cuts; i++) {
        const kf__cut *cut = &p->cuts[i];
        kf__print(text, "%s{\"from\": ", i ? ", " : "");
        kf__print_json(text, p->kernels[cut->from].name);
        kf__print(text, ", \"to\": ");
        kf__print_json(text, p->kernels[cut->to].name);
        kf__print(text, ", \"code\": ");
        kf__print_json(text, cut->code);
        kf__print(text, ", \"why\": ");
        kf__text why;
        kf__text_init(&why, &plan->program->ctx->mem);
        print_why(plan, cut, &why);
        if (why.failed) text->failed = true;
        else kf__print_json(text, why.at ? why.at : "");
        kf__text_free(&why);
        kf__print(text, "}");
    }
    kf__print(text, "], ");
    print_json_figures("fused", fused, text);
    kf__print(text, ", ");
    print_json_figures("unfused", unfused, text);
    kf__print(text, "}\n");
}

static kf_status explain(const kf_plan *plan, bool json, kf__text *text, kf_error *err) {
    kf__arena arena;
    kf__arena_init(&arena, &plan->program->ctx->mem);
    kf__figures fused, unfused;
    kf_status status = kf__plan_figures(plan, &arena, &fused, err);
    if (status == KF_OK) status = kf__plan_unfused(plan, &arena, &unfused, err);
    if (status == KF_OK)
        (json ? print_explain_json : print_explain)(plan, &fused, &unfused, text);
    kf__arena_free(&arena);
    return status;
}

/* ---------------------------------------------------------------- source */

static kf_status print_sources(const kf_plan *plan, kf__text *text, kf_error *err) {
    kf__layout layout = {plan->names, (const int64_t(*)[KF__MAX_RANK])plan->strides};
    return kf__build_source(plan->program, &layout, plan->lowered, text, err);
}

/* ---------------------------------------------------------------- steps */

static void print_aligned(const kf__loop_fn *fn, const kf__word *flag, kf__text *text) {
    kf__print(text, "1 where 16-byte aligned:");
    const char *before = "";
    for (uint32_t i = 0; i < fn->n_words; i++) {
        if (!kf__is_about(fn, flag, i)) continue;
        kf__print(text, "%s %s", before, fn->words[i].name);
        before = ",";
    }
}

static void print_word(const kf_plan *plan, const kf__step *step, const kf__loop_fn *fn,
                       uint32_t i, kf__text *text) {
    const kf__word *w = &fn->words[i];
    const kf_graph *g = plan->program->partition->graph;
    const kf__patch *patch = NULL;
    for (uint32_t p = 0; p < step->n_patches; p++)
        if (plan->patches[step->first_patch + p].word == i)
            patch = &plan->patches[step->first_patch + p];
    kf__print(text, "      %-16s ", w->name);
    switch ((kf__word_kind)w->kind) {
    case KF__W_INPUT: kf__print(text, "input %s", g->inputs.at[w->index].name); break;
    case KF__W_RESULT: kf__print(text, "result %s", g->result_names.at[w->index]); break;
    case KF__W_TEMP:
    case KF__W_PARTIAL: kf__print(text, "workspace"); break;
    case KF__W_SCALAR: kf__print(text, "number %s", g->inputs.at[w->index].name); break;
    case KF__W_INT: kf__print(text, "%lld", (long long)w->number); break;
    case KF__W_ALIGNED: print_aligned(fn, w, text); break;
    }
    if (patch && patch->offset && w->kind <= KF__W_PARTIAL)
        kf__print(text, " + %lld", (long long)patch->offset);
    kf__print(text, "\n");
}

static const kf__loop_fn *function_of(const kf_plan *plan, const kf__step *step) {
    const kf__lowered *lowered = &plan->lowered[step->kernel];
    for (uint32_t f = 0; f < lowered->n_fns; f++)
        if (strcmp(lowered->fns[f].name, step->name) == 0) return &lowered->fns[f];
    return NULL;
}

void kf__plan_print_steps(const kf_plan *plan, kf__text *text) {
    const kf__partition *p = plan->program->partition;
    kf__print(text, "%u step%s, workspace %lld bytes\n", plan->n_steps,
              plan->n_steps == 1 ? "" : "s", (long long)plan->workspace);
    for (uint32_t v = 0; v < p->n_values; v++)
        if (p->values[v].kind == KF__VALUE_TEMP && plan->temp_offset[v] >= 0)
            kf__print(text, "  temporary of %lld bytes at %lld\n", (long long)plan->bytes[v],
                      (long long)plan->temp_offset[v]);
    for (uint32_t s = 0; s < plan->n_steps; s++) {
        const kf__step *step = &plan->steps[s];
        kf__print(text, "  %u  %s  ", s, step->name);
        if (plan->program->target.kind == KF__TARGET_C)
            kf__print(text, "%lld units, grain %lld, %lld bytes\n", (long long)step->units,
                      (long long)step->grain, (long long)step->work_bytes);
        else
            kf__print(text, "%lld blocks of %d threads, clusters of %d\n", (long long)step->grid,
                      step->threads, step->cluster);
        const kf__loop_fn *fn = function_of(plan, step);
        for (uint32_t i = 0; fn && i < fn->n_words; i++)
            print_word(plan, step, fn, i, text);
    }
}

/* ---------------------------------------------------------------- */

kf_status kf_plan_text(const kf_plan *plan, kf_text_kind kind, char **out, kf_error *err) {
    kf__error_clear(err);
    if (!plan || !out)
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_plan_text needs a plan and a result");
    *out = NULL;
    kf__text text;
    kf__text_init(&text, &plan->program->ctx->mem);
    kf__print_bytes(&text, "", 0); /* an empty text is a text */
    kf_status status = KF_OK;
    pthread_mutex_lock(&plan->program->lowering);
    switch (kind) {
    case KF_TEXT_EXPLAIN: status = explain(plan, false, &text, err); break;
    case KF_TEXT_EXPLAIN_JSON: status = explain(plan, true, &text, err); break;
    case KF_TEXT_SOURCE: status = print_sources(plan, &text, err); break;
    case KF_TEXT_STEPS: kf__plan_print_steps(plan, &text); break;
    default: status = kf__fail(err, KF_ERR_ARGUMENT, "there is no text of kind %d", (int)kind);
    }
    pthread_mutex_unlock(&plan->program->lowering);
    if (status == KF_OK && text.failed) status = kf__out_of_memory(err);
    if (status == KF_OK)
        *out = text.at;
    else
        kf__text_free(&text);
    return status;
}
