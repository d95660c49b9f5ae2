/* See emulate.h. The emulation is told which memory a kernel may touch: the spans of the plan's
 * inputs and results, and its workspace. */
#include "run/emulate.h"

#include "prelude/emulation.h"

static void add_range(struct kf_emu_range *ranges, int *n, const void *first, kf__span span,
                      bool writable) {
    if (span.low == span.high) return;
    const char *at = (const char *)first + span.low;
    ranges[(*n)++] = (struct kf_emu_range){at, at + (span.high - span.low), writable};
}

kf_status kf__emulate(const kf_plan *plan, const kf__step *step, const uint64_t *words,
                      const void *const *inputs, void *const *results, void *workspace,
                      kf_error *err) {
    const kf_allocator *mem = &plan->program->ctx->mem;
    size_t most = (size_t)plan->n_inputs + plan->n_results + 1;
    struct kf_emu_range *ranges = kf__allocate(mem, most * sizeof *ranges);
    if (!ranges) return kf__out_of_memory(err);
    int n = 0;
    for (uint32_t i = 0; i < plan->n_inputs; i++)
        add_range(ranges, &n, inputs[i], plan->input_spans[i], false);
    for (uint32_t i = 0; i < plan->n_results; i++)
        add_range(ranges, &n, results[i], plan->result_spans[i], true);
    add_range(ranges, &n, workspace, (kf__span){0, plan->workspace}, true);
    char report[600] = "";
    int64_t grid[3] = {step->grid, 1, 1};
    int bad = ((kf__emulate_fn *)step->function)(words, step->n_words * sizeof *words, grid,
                                           step->threads, step->cluster, ranges, n, report,
                                           sizeof report);
    kf__release(mem, ranges);
    if (!bad) return KF_OK;
    return kf__fail(err, KF_ERR_DEVICE, "%s: %s", step->name, report);
}
