/* Figures for explain: bytes and operations of kernels, launches, and predicted times.
 *
 * A prediction is a launch's overhead plus the bytes at the speed of a plain copy: measured on the
 * CPU (once a context), from the specification on a GPU, of which good kernels reach 85 percent. It
 * says what the work should cost, not what this code reaches. */
#include <time.h>

#include "fuse/fuse.h"
#include "lower/lower.h"
#include "run/device.h"
#include "run/explain.h"
#include "simplify/simplify.h"

/* ---------------------------------------------------------------- the speed of a copy */

enum { COPY_BYTES = 32 << 20, COPY_TRIALS = 3 };

typedef struct copy {
    const char *from;
    char *to;
} copy;

static void copy_range(void *arg, int64_t begin, int64_t end) {
    const copy *c = arg;
    memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Bytes a microsecond, read and written together; 10000 (10 GB/s) where it can't be measured. */
static double measure_copy(kf_context *ctx) {
    const double assumed = 10000;
    kf_device cpu = {KF_CPU, 0};
    kf__block from = {0}, to = {0};
    double best = 0;
    if (kf__pool_take(ctx, cpu, COPY_BYTES, &from, NULL) == KF_OK &&
        kf__pool_take(ctx, cpu, COPY_BYTES, &to, NULL) == KF_OK) {
        memset(from.data, 1, COPY_BYTES);
        copy c = {from.data, to.data};
        for (int i = 0; i <= COPY_TRIALS; i++) { /* the first one faults the pages in */
            double start = now_us();
            kf__parallel(ctx, COPY_BYTES, 1 << 16, 2 * (int64_t)COPY_BYTES, copy_range, &c);
            double us = now_us() - start;
            if (i && us > 0 && 2.0 * COPY_BYTES / us > best) best = 2.0 * COPY_BYTES / us;
        }
    }
    kf__pool_give(ctx, &from);
    kf__pool_give(ctx, &to);
    return best > 0 ? best : assumed;
}

static double copy_speed(const kf_plan *plan) {
    kf_context *ctx = plan->program->ctx;
    if (plan->program->target.kind == KF__TARGET_CUDA) {
        double specified = kf__cuda_bandwidth(plan->program->device.id);
        return 0.85 * (specified > 0 ? specified : 500000);
    }
    double known = atomic_load(&ctx->copy_speed);
    if (known > 0) return known;
    known = measure_copy(ctx);
    atomic_store(&ctx->copy_speed, known);
    return known;
}

static double launch_us(const kf_plan *plan) {
    return plan->program->target.kind == KF__TARGET_CUDA ? 3.2 : 0.5;
}

/* ---------------------------------------------------------------- figures of a partition */

/* Rows that don't stay in caches, or a GPU's registers (16384 packs), come from memory again for
 * each stage. */
static kf_status read_again(const kf_plan *plan, const kf__partition *p, const kf__kernel *k,
                            kf__kernel_figures *f) {
    const kf__target *target = &plan->program->target;
    int64_t again, row, widest;
    kf_status status = kf__kernel_again(p, k, plan->names, &again, &row, &widest);
    if (status != KF_OK || again == 0) return status;
    bool cuda = target->kind == KF__TARGET_CUDA;
    int64_t at_once = cuda ? target->sms : 1; /* rows that are worked on at a time, at the least */
    int64_t rows = row ? kf__max(1, f->read / row) : 1;
    if (cuda && widest <= 16384 * 16) return KF_OK;
    if (row <= target->cache_bytes / kf__max(1, kf__min(at_once, rows))) return KF_OK;
    return kf__add_ok(f->read, again, &f->read) ? KF_OK : KF_ERR_LIMIT;
}

static kf_status figures_of(const kf_plan *plan, const kf__partition *p, const kf__lowered *lowered,
                            const int64_t *bytes, kf__arena *arena, kf__figures *out,
                            kf_error *err) {
    double speed = copy_speed(plan), launch = launch_us(plan);
    bool fits = true;
    *out = (kf__figures){.kernel = KF__NEW(arena, kf__kernel_figures, p->n_kernels)};
    if (!out->kernel) return kf__out_of_memory(err);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        kf__kernel_figures *f = &out->kernel[k];
        if (lowered[k].n_fns == 0) continue;
        kf_status status = kf__kernel_cost(p, &p->kernels[k], plan->names, &f->read, &f->written,
                                           &f->flops);
        if (status != KF_OK)
            return kf__fail(err, status, "the bytes of %s don't fit in 64 bits",
                            p->kernels[k].name);
        status = read_again(plan, p, &p->kernels[k], f);
        if (status != KF_OK)
            return kf__fail(err, status, "the bytes of %s don't fit in 64 bits",
                            p->kernels[k].name);
        for (uint32_t i = 0; i < lowered[k].n_fns; i++)
            f->launches += kf__has_work(&plan->program->target, &lowered[k].fns[i]);
        f->us = launch * f->launches + ((double)f->read + (double)f->written) / speed;
        out->kernels += f->launches;
        out->parts += f->launches > 0;
        fits = fits && kf__add_ok(out->bytes, f->read, &out->bytes) &&
               kf__add_ok(out->bytes, f->written, &out->bytes);
        out->us += f->us;
    }
    for (uint32_t v = 0; v < p->n_values; v++)
        if (p->values[v].kind == KF__VALUE_TEMP)
            fits = fits && kf__add_ok(out->temp_bytes, bytes[v], &out->temp_bytes);
    if (fits) return KF_OK;
    return kf__fail(err, KF_ERR_LIMIT, "the bytes of all kernels don't fit in 64 bits");
}

kf_status kf__plan_figures(const kf_plan *plan, kf__arena *arena, kf__figures *out, kf_error *err) {
    return figures_of(plan, plan->program->partition, plan->lowered, plan->bytes, arena, out, err);
}

/* ---------------------------------------------------------------- the same, unfused */

/* Inputs and results as the plan has them; temporaries row-major. */
static void unfused_strides(const kf_plan *plan, const kf__partition *p,
                            int64_t (*shapes)[KF__MAX_RANK], int64_t (*strides)[KF__MAX_RANK]) {
    const kf__partition *fused = plan->program->partition;
    for (uint32_t v = 0; v < p->n_values; v++) {
        const kf__value *value = &p->values[v];
        kf__row_major(value->rank, shapes[v], strides[v]);
        for (uint32_t w = 0; w < fused->n_values && value->kind != KF__VALUE_TEMP; w++)
            if (fused->values[w].kind == value->kind && fused->values[w].index == value->index)
                memcpy(strides[v], plan->strides[w], sizeof strides[v]);
    }
}

static kf_status lower_unfused(const kf_plan *plan, const kf__partition *p, kf__arena *arena,
                               kf__figures *out, kf_error *err) {
    const kf_program *program = plan->program;
    int64_t(*shapes)[KF__MAX_RANK] = kf__arena_alloc(arena, sizeof *shapes * p->n_values);
    int64_t(*strides)[KF__MAX_RANK] = kf__arena_alloc(arena, sizeof *strides * p->n_values);
    int64_t *bytes = KF__NEW(arena, int64_t, p->n_values);
    kf__lowered *lowered = KF__NEW(arena, kf__lowered, p->n_kernels);
    if (!shapes || !strides || !bytes || !lowered) return kf__out_of_memory(err);
    KF_TRY(kf__bind_shapes(p, plan->names, shapes, bytes, err));
    unfused_strides(plan, p, shapes, strides);
    kf__layout layout = {plan->names, (const int64_t(*)[KF__MAX_RANK])strides};
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        const kf__kernel *kernel = &p->kernels[k];
        bool any = false;
        for (uint32_t s = 0; s < kernel->n_stores; s++)
            any |= bytes[kernel->accesses[kernel->stores[s].access].value] > 0;
        if (!any) continue;
        KF_TRY(kf__lower(p, kernel, &layout, &program->target, arena, &lowered[k], err));
    }
    return figures_of(plan, p, lowered, bytes, arena, out, err);
}

kf_status kf__plan_unfused(const kf_plan *plan, kf__arena *arena, kf__figures *out, kf_error *err) {
    kf_program *program = plan->program;
    kf_graph *graph = NULL;
    kf__partition *p = NULL;
    const kf__partition *fused = program->partition;
    kf_status status = kf__simplify(kf__unstepped(fused), &graph, err);
    if (status == KF_OK) status = kf__fuse(graph, KF_FUSION_OFF, program->target.kind, &p, err);
    if (status == KF_OK) status = lower_unfused(plan, p, arena, out, err);
    kf__partition_free(p);
    return status;
}
