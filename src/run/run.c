/* kf_run: overlaps, patches, launches. It neither allocates, locks, compiles nor waits. */
#include "run/device.h"
#include "run/emulate.h"
#include "run/plan.h"

/* ---------------------------------------------------------------- overlaps */

static kf_status fail_null(const kf_plan *plan, uint32_t i, bool result, kf_error *err) {
    const kf_graph *g = plan->program->partition->graph;
    return kf__fail(err, KF_ERR_ARGUMENT, "%s %s has no address",
                    result ? "result" : "input",
                    result ? g->result_names.at[i] : g->inputs.at[i].name);
}

static kf_status fail_overlap(const kf_plan *plan, const kf__overlap *o, bool same_address,
                              kf_error *err) {
    const kf_graph *g = plan->program->partition->graph;
    const char *result = g->result_names.at[o->result];
    if (o->other_is_result)
        return kf__fail(err, KF_ERR_ALIAS, "results %s and %s overlap", result,
                        g->result_names.at[o->other]);
    const char *input = g->inputs.at[o->other].name;
    if (same_address)
        return kf__fail(err, KF_ERR_ALIAS, "result %s is written over input %s, which is still "
                        "read after that (or with another layout); give it memory of its own",
                        result, input);
    return kf__fail(err, KF_ERR_ALIAS,
                    "result %s overlaps input %s without being the same array; give it memory of "
                    "its own", result, input);
}

/* Is what reaches so far from an array, which is so far apart, beyond a number? Adding to
 * distances, not to addresses, keeps this right at the ends of memory; a span may be nearly 2^63
 * bytes. */
static bool beyond(int64_t apart, int64_t reach, int64_t than) {
    int64_t at;
    if (__builtin_add_overflow(apart, reach, &at)) return apart > 0;
    return at > than;
}

static kf_status check_overlaps(const kf_plan *plan, const void *const *inputs,
                                void *const *results, kf_error *err) {
    for (uint32_t i = 0; i < plan->n_overlaps; i++) {
        const kf__overlap *o = &plan->overlaps[i];
        const kf__span *r = &plan->result_spans[o->result];
        const kf__span *s =
            o->other_is_result ? &plan->result_spans[o->other] : &plan->input_spans[o->other];
        uintptr_t a = (uintptr_t)results[o->result];
        uintptr_t b = o->other_is_result ? (uintptr_t)results[o->other]
                                         : (uintptr_t)inputs[o->other];
        int64_t apart = (int64_t)(b - a);
        if (beyond(apart, s->low, r->high - 1) || !beyond(apart, s->high, r->low)) continue;
        if (!(o->allowed && apart == 0)) return fail_overlap(plan, o, apart == 0, err);
    }
    return KF_OK;
}

static kf_status check_addresses(const kf_plan *plan, const void *const *inputs,
                                 void *const *results, kf_error *err) {
    for (uint32_t i = 0; i < plan->n_inputs; i++)
        if (plan->input_spans[i].low != plan->input_spans[i].high && !inputs[i])
            return fail_null(plan, i, false, err);
    for (uint32_t i = 0; i < plan->n_results; i++)
        if (plan->result_spans[i].low != plan->result_spans[i].high && !results[i])
            return fail_null(plan, i, true, err);
    return check_overlaps(plan, inputs, results, err);
}

/* ---------------------------------------------------------------- patches */

/* addresses: the patches that come first */
static uint64_t all_aligned(const uint64_t *words, const kf__patch *addresses, uint64_t mask) {
    uint64_t any = 0;
    for (; mask; mask &= mask - 1) any |= words[addresses[__builtin_ctzll(mask)].word];
    return (any & 15) == 0;
}

static void apply_patches(const kf_plan *plan, const kf__step *step, const void *const *inputs,
                          void *const *results, const kf_scalar *scalars, char *workspace,
                          uint64_t *words) {
    const kf__patch *first = plan->patches + step->first_patch, *end = first + step->n_patches;
    for (const kf__patch *patch = first; patch < end; patch++) {
        uint64_t *to = &words[patch->word];
        switch ((kf__patch_kind)patch->kind) {
        case KF__PATCH_INPUT:
            *to = (uint64_t)((uintptr_t)inputs[patch->index] + (uintptr_t)patch->offset);
            break;
        case KF__PATCH_RESULT:
            *to = (uint64_t)((uintptr_t)results[patch->index] + (uintptr_t)patch->offset);
            break;
        case KF__PATCH_WORKSPACE:
            *to = (uint64_t)((uintptr_t)workspace + (uintptr_t)patch->offset);
            break;
        case KF__PATCH_SCALAR: memcpy(to, &scalars[patch->index], sizeof *to); break;
        case KF__PATCH_ALIGNED: *to = all_aligned(words, first, (uint64_t)patch->offset); break;
        }
    }
}

/* ---------------------------------------------------------------- launches */

static kf_status launch(const kf_plan *plan, const kf__step *step, uint64_t *words, void *stream,
                        kf_error *err) {
    const kf_program *program = plan->program;
    switch (program->target.kind) {
    case KF__TARGET_C:
        kf__parallel(program->ctx, step->units, step->grain, step->work_bytes,
                     (kf__range_fn)step->function, words);
        return KF_OK;
    case KF__TARGET_CUDA:
        return kf__cuda_launch(plan->cuda_context, step->function, step->grid, step->threads,
                               step->cluster, stream, words, err);
    case KF__TARGET_EMULATED: break; /* kf_run has seen to it */
    }
    return KF_OK;
}

kf_status kf_run(const kf_plan *plan, const void *const *inputs, void *const *results,
                 const kf_scalar *scalars, void *workspace, void *stream, kf_error *err) {
    if (err) err->status = KF_OK;
    if (!plan || (plan->n_inputs && !inputs) || (plan->n_results && !results))
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_run needs a plan and the addresses of its inputs "
                                              "and results");
    if (plan->program->offline)
        return kf__fail(err, KF_ERR_UNSUPPORTED, "the program was made to be emitted, not run");
    KF_TRY(check_addresses(plan, inputs, results, err));
    if (plan->workspace && !workspace)
        return kf__fail(err, KF_ERR_ARGUMENT, "the plan needs a workspace of %lld bytes",
                        (long long)plan->workspace);
    if (plan->needs_scalars && !scalars)
        return kf__fail(err, KF_ERR_ARGUMENT, "the plan needs %u number%s, but scalars is NULL",
                        plan->n_scalars, plan->n_scalars == 1 ? "" : "s");
    uint64_t words[KF__MAX_WORDS];
    for (uint32_t i = 0; i < plan->n_steps; i++) {
        const kf__step *step = &plan->steps[i];
        memcpy(words, plan->words + step->first_word, step->n_words * sizeof *words);
        apply_patches(plan, step, inputs, results, scalars, workspace, words);
        if (plan->program->target.kind == KF__TARGET_EMULATED)
            KF_TRY(kf__emulate(plan, step, words, inputs, results, workspace, err));
        else
            KF_TRY(launch(plan, step, words, stream, err));
    }
    atomic_fetch_add_explicit(&plan->program->ctx->launches, plan->n_steps, memory_order_relaxed);
    return KF_OK;
}
