/* The workspace: temporaries and the kernels' scratch, laid out by liveness.
 *
 *     kernel      0   1   2   3
 *     t0          #####                  [0, 1]      offset 0
 *     t1              #####              [1, 2]      offset |t0|
 *     scratch 2           #              [2, 2]      offset 0: t0 is dead
 *
 * Each item takes the lowest offset at which it overlaps none that is alive with it, largest items
 * first, which keeps holes small. */
#include <stdlib.h>

#include "run/plan.h"

typedef struct item {
    int64_t size, offset;
    uint32_t first, last; /* kernels, both included */
    int64_t *place;       /* where the offset goes */
} item;

static int by_size(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_offset(const void *a, const void *b) {
    const item *const *x = a, *const *y = b;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

/* The lowest place among those placed that are alive with `it`; near is room for n pointers. */
static kf_status place(item *it, item *placed, uint32_t n, const item **near, int64_t *end,
                       kf_error *err) {
    uint32_t n_near = 0;
    for (uint32_t i = 0; i < n; i++)
        if (placed[i].first <= it->last && it->first <= placed[i].last) near[n_near++] = &placed[i];
    qsort(near, n_near, sizeof *near, by_offset);
    int64_t at = 0;
    for (uint32_t i = 0; i < n_near && near[i]->offset - at < it->size; i++)
        at = kf__max(at, near[i]->offset + near[i]->size);
    int64_t after;
    if (!kf__add_ok(at, it->size, &after))
        return kf__fail(err, KF_ERR_LIMIT, "the workspace's bytes don't fit in 64 bits");
    it->offset = *it->place = at;
    *end = kf__max(*end, after);
    return KF_OK;
}

static bool aligned(int64_t bytes, int64_t *out) {
    if (!kf__add_ok(bytes, KF__WORKSPACE_ALIGNMENT - 1, out)) return false;
    *out &= -(int64_t)KF__WORKSPACE_ALIGNMENT;
    return *out < INT64_MAX / 4;
}

static kf_status collect(kf_plan *plan, item *items, uint32_t *n, kf_error *err) {
    const kf__partition *p = plan->program->partition;
    uint32_t *slot = kf__allocate(&plan->program->ctx->mem, (p->n_values + 1) * sizeof *slot);
    if (!slot) return kf__out_of_memory(err);
    bool fits = true;
    for (uint32_t v = 0; v < p->n_values; v++) {
        plan->temp_offset[v] = -1;
        slot[v] = UINT32_MAX;
        if (p->values[v].kind != KF__VALUE_TEMP || plan->bytes[v] == 0) continue;
        slot[v] = *n;
        items[*n] = (item){.first = UINT32_MAX, .place = &plan->temp_offset[v]};
        fits = fits && aligned(plan->bytes[v], &items[(*n)++].size);
    }
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        const kf__kernel *kernel = &p->kernels[k];
        plan->scratch_offset[k] = 0;
        for (uint32_t a = 0; a < kernel->n_accesses; a++) {
            uint32_t v = kernel->accesses[a].value;
            if (v == KF__NO_VALUE || slot[v] == UINT32_MAX) continue;
            item *it = &items[slot[v]];
            if (it->first == UINT32_MAX) it->first = k;
            it->last = k;
        }
        if (plan->lowered[k].n_fns == 0 || plan->lowered[k].scratch == 0) continue;
        items[*n] = (item){.first = k, .last = k, .place = &plan->scratch_offset[k]};
        fits = fits && aligned(plan->lowered[k].scratch, &items[(*n)++].size);
    }
    kf__release(&plan->program->ctx->mem, slot);
    if (fits) return KF_OK;
    return kf__fail(err, KF_ERR_LIMIT, "the workspace's bytes don't fit in 64 bits");
}

kf_status kf__plan_workspace(kf_plan *plan, kf_error *err) {
    const kf__partition *p = plan->program->partition;
    const kf_allocator *mem = &plan->program->ctx->mem;
    size_t most = (size_t)p->n_values + p->n_kernels + 1;
    item *items = kf__allocate(mem, most * sizeof *items);
    const item **near = kf__allocate(mem, most * sizeof *near);
    uint32_t n = 0;
    kf_status status = items && near ? collect(plan, items, &n, err) : kf__out_of_memory(err);
    plan->workspace = 0;
    if (status == KF_OK) qsort(items, n, sizeof *items, by_size);
    for (uint32_t i = 0; i < n && status == KF_OK; i++)
        if (items[i].first != UINT32_MAX)
            status = place(&items[i], items, i, near, &plan->workspace, err);
    kf__release(mem, items);
    kf__release(mem, near);
    return status;
}
