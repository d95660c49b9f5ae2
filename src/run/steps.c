/* Steps: the argument words of each lowered function, known ones filled in, the others as patches,
 * and the function's address. */
#include "emit/emit.h"
#include "run/plan.h"

/* ---------------------------------------------------------------- numbers by value */

/* Inputs that are numbers are counted in order: scalars[ordinal] is what kf_run is given. */
static uint32_t scalar_ordinal(const kf_graph *g, uint32_t input) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < input; i++) n += g->inputs.at[i].scalar;
    return n;
}

/* ---------------------------------------------------------------- one word */

static kf__patch patch_for(const kf_plan *plan, uint32_t k, const kf__word *w, uint16_t at) {
    const kf_graph *g = plan->program->partition->graph;
    kf__patch patch = {.word = at, .index = w->index, .offset = w->number};
    switch ((kf__word_kind)w->kind) {
    case KF__W_INPUT: patch.kind = KF__PATCH_INPUT; break;
    case KF__W_RESULT: patch.kind = KF__PATCH_RESULT; break;
    case KF__W_TEMP:
        patch.kind = KF__PATCH_WORKSPACE;
        patch.offset += kf__max(plan->temp_offset[w->index], 0);
        break;
    case KF__W_PARTIAL:
        patch.kind = KF__PATCH_WORKSPACE;
        patch.offset += plan->scratch_offset[k];
        break;
    case KF__W_SCALAR:
        patch.kind = KF__PATCH_SCALAR;
        patch.index = scalar_ordinal(g, w->index);
        break;
    default: patch.kind = KF__PATCH_ALIGNED; break;
    }
    return patch;
}

static void add_words(kf_plan *plan, uint32_t k, const kf__loop_fn *fn, kf__step *step,
                      uint32_t *n_words, uint32_t *n_patches) {
    step->first_word = *n_words;
    step->n_words = fn->n_words;
    step->first_patch = *n_patches;
    for (int pass = 0; pass < 3; pass++) /* addresses first, alignment last: it looks at these */
        for (uint32_t i = 0; i < fn->n_words; i++) {
            const kf__word *w = &fn->words[i];
            if (w->kind == KF__W_INT) {
                plan->words[*n_words + i] = (uint64_t)w->number;
                continue;
            }
            if (pass != (kf__is_address(w) ? 0 : w->kind == KF__W_SCALAR ? 1 : 2)) continue;
            plan->patches[(*n_patches)++] = patch_for(plan, k, w, (uint16_t)i);
        }
    step->n_patches = *n_patches - step->first_patch;
    *n_words += fn->n_words;
}

/* ---------------------------------------------------------------- one function */

static kf_status find_function(const kf_plan *plan, kf__object *object, const kf__loop_fn *fn,
                               void **out, kf_error *err) {
    const kf_program *program = plan->program;
    if (program->target.kind == KF__TARGET_CUDA)
        return kf__object_kernel(object, program->device.id, fn->name, out, err);
    kf__text name;
    kf__text_init(&name, &program->ctx->mem);
    if (program->target.kind == KF__TARGET_EMULATED) kf__print(&name, "%s_emulate", fn->name);
    else kf__print_nameless_function(fn->name, &name);
    kf_status status = KF_OK;
    if (name.failed)
        status = kf__out_of_memory(err);
    else if (!(*out = kf__object_symbol(object, name.at)))
        status = kf__fail(err, KF_ERR_INTERNAL, "the compiled kernel has no function %s", name.at);
    kf__text_free(&name);
    return status;
}

static kf_status add_step(kf_plan *plan, uint32_t k, const kf__loop_fn *fn, uint32_t *n_words,
                          uint32_t *n_patches, kf_error *err) {
    if (fn->n_words > KF__MAX_WORDS)
        return kf__fail(err, KF_ERR_LIMIT, "%s needs %u arguments; a kernel takes %d", fn->name,
                        fn->n_words, KF__MAX_WORDS);
    kf__step *step = &plan->steps[plan->n_steps++];
    *step = (kf__step){.units = fn->units, .grain = fn->grain > 0 ? fn->grain : 1,
                       .work_bytes = fn->work_bytes, .grid = fn->grid, .threads = kf__launched(fn),
                       .cluster = fn->cluster > 0 ? fn->cluster : 1, .kernel = k};
    step->name = kf__arena_string(&plan->arena, fn->name, strlen(fn->name));
    if (!step->name) return kf__out_of_memory(err);
    add_words(plan, k, fn, step, n_words, n_patches);
    if (plan->program->offline) return KF_OK;
    return find_function(plan, plan->objects[k], fn, &step->function, err);
}

kf_status kf__plan_steps(kf_plan *plan, kf_error *err) {
    const kf__partition *p = plan->program->partition;
    size_t fns = 0, words = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t f = 0; f < plan->lowered[k].n_fns; f++, fns++)
            words += plan->lowered[k].fns[f].n_words;
    plan->steps = KF__NEW(&plan->arena, kf__step, fns);
    plan->words = KF__NEW(&plan->arena, uint64_t, words);
    plan->patches = KF__NEW(&plan->arena, kf__patch, words);
    if (!plan->steps || !plan->words || !plan->patches) return kf__out_of_memory(err);
    uint32_t n_words = 0, n_patches = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t f = 0; f < plan->lowered[k].n_fns; f++) {
            const kf__loop_fn *fn = &plan->lowered[k].fns[f];
            if (kf__has_work(&plan->program->target, fn))
                KF_TRY(add_step(plan, k, fn, &n_words, &n_patches, err));
        }
    return KF_OK;
}
