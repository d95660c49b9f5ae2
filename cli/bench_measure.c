/* Buffers, rounds of samples, statistics. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "run/plan.h"

/* ---------------------------------------------------------------- statistics */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void timing_finish(struct timing *t) {
    if (t->n == 0) return;
    double sum = 0, squares = 0;
    qsort(t->sample, (size_t)t->n, sizeof *t->sample, compare_doubles);
    for (int i = 0; i < t->n; i++) sum += t->sample[i];
    t->mean = sum / t->n;
    for (int i = 0; i < t->n; i++)
        squares += (t->sample[i] - t->mean) * (t->sample[i] - t->mean);
    t->std = t->n > 1 ? sqrt(squares / (t->n - 1)) : 0;
    t->min = t->sample[0];
    t->median = (t->sample[t->n / 2] + t->sample[(t->n - 1) / 2]) / 2;
    t->ci95 = 1.96 * t->std / sqrt(t->n);
}

/* ---------------------------------------------------------------- buffers */

static int64_t input_bytes(const struct job *job, int i) {
    const struct input *input = &job->inputs[i];
    return input->array.data ? array_bytes(&input->array) : 0;
}

static void count_bytes(struct bench *b) {
    struct job *job = b->job;
    for (int i = 0; i < job->n_inputs; i++) {
        if (!input_bytes(job, i)) continue;
        b->bytes += input_bytes(job, i);
        b->elements = kf__max(b->elements, array_count(&job->inputs[i].array));
    }
    for (int i = 0; i < b->variant[FUSED].n_results; i++) {
        b->bytes += array_bytes(&b->variant[FUSED].results[i]);
        b->elements = kf__max(b->elements, array_count(&b->variant[FUSED].results[i]));
    }
    b->copy_bytes = kf__max(b->bytes / 2 / 64 * 64, 64);
}

/* As many sets as lie together beyond the caches: four times the last one, but not without end. */
static int sets_for(const struct bench *b) {
    int64_t cache = kf__max(b->variant[FUSED].program->target.cache_bytes, 16 << 20);
    int64_t n = kf__ceil_div(4 * cache, kf__max(b->bytes, 1));
    return (int)kf__max(1, kf__min(n, BENCH_MAX_SETS));
}

/* The same bytes as they lie, whatever the strides. */
static kf_status copy_flat(struct bench *b, const kf_array *from, kf_array *made, kf_error *err) {
    int64_t bytes = array_bytes(from);
    kf_device device = b->job->device;
    kf_array flat = {.data = (char *)from->data + from->byte_offset, .device = device, .ndim = 1,
                     .dtype = KF_U8, .shape = &bytes};
    KF_TRY(kf_array_create(b->job->ctx, device, KF_U8, 1, &bytes, made, err));
    return kf_array_copy(b->job->ctx, &flat, made, err);
}

static kf_status make_set(struct bench *b, int s, kf_error *err) {
    struct job *job = b->job;
    struct bench_set *set = &b->set[s];
    int n_results = b->variant[FUSED].n_results;
    size_t n = (size_t)(job->n_inputs + n_results) + 1;
    set->made = calloc(n, sizeof *set->made);
    set->inputs = calloc(n, sizeof *set->inputs);
    set->results = calloc(n, sizeof *set->results);
    if (!set->made || !set->inputs || !set->results) return kf__out_of_memory(err);
    for (int i = 0; i < job->n_inputs; i++) {
        set->inputs[i] = job->addresses[i];
        if (s == 0 || !job->inputs[i].array.data) continue;
        KF_TRY(copy_flat(b, &job->inputs[i].array, &set->made[i], err));
        set->inputs[i] = set->made[i].data;
    }
    for (int i = 0; i < n_results; i++) {
        const kf_array *like = &b->variant[FUSED].results[i];
        kf_array *made = &set->made[job->n_inputs + i];
        set->results[i] = like->data;
        if (s == 0) continue;
        KF_TRY(kf_array_create(job->ctx, job->device, like->dtype, like->ndim, like->shape, made,
                               err));
        set->results[i] = made->data;
    }
    set->copy_from = (char *)b->copy_from.data + s * b->copy_bytes;
    set->copy_to = (char *)b->copy_to.data + s * b->copy_bytes;
    return KF_OK;
}

static kf_status make_sets(struct bench *b, kf_error *err) {
    kf_context *ctx = b->job->ctx;
    b->n_sets = sets_for(b);
    int64_t all = b->copy_bytes * b->n_sets;
    KF_TRY(kf_array_create(ctx, b->job->device, KF_U8, 1, &all, &b->copy_from, err));
    KF_TRY(kf_array_create(ctx, b->job->device, KF_U8, 1, &all, &b->copy_to, err));
    if (b->job->device.type != KF_CUDA) memset(b->copy_from.data, 1, (size_t)all);
    for (int s = 0; s < b->n_sets; s++) KF_TRY(make_set(b, s, err));
    return KF_OK;
}

kf_status bench_begin(struct bench *b, const struct bench_item *item, struct job *job,
                      kf_error *err) {
    *b = (struct bench){.item = item, .job = job};
    KF_TRY(variant_make(job, KF_FUSION_ON, &b->variant[FUSED], err));
    kf_fusion off = job->options->fusion ? job->options->fusion : KF_FUSION_OFF;
    KF_TRY(variant_make(job, off, &b->variant[UNFUSED], err));
    count_bytes(b);
    return KF_OK;
}

void bench_end(struct bench *b) {
    if (!b->job) return;
    kf_context *ctx = b->job->ctx;
    bench_gpu_end(b);
    for (int s = 0; s < BENCH_MAX_SETS; s++) {
        struct bench_set *set = &b->set[s];
        int n = set->made ? b->job->n_inputs + b->variant[FUSED].n_results : 0;
        for (int i = 0; i < n; i++) kf_array_free(ctx, &set->made[i]);
        free(set->made);
        free(set->inputs);
        free(set->results);
    }
    kf_array_free(ctx, &b->copy_from);
    kf_array_free(ctx, &b->copy_to);
    variant_free(b->job, &b->variant[FUSED]);
    variant_free(b->job, &b->variant[UNFUSED]);
    b->job = NULL;
}

/* ---------------------------------------------------------------- samples */

enum { WARM_UP = 2 }; /* rounds */

kf_status bench_once(struct bench *b, enum contender c, int s, void *stream, kf_error *err) {
    const struct bench_set *set = &b->set[s];
    if (c == FUSED || c == UNFUSED)
        return kf_run(b->variant[c].plan, set->inputs, set->results, b->job->scalars,
                      b->variant[c].workspace.data, stream, err);
    if (b->job->device.type == KF_CUDA) return bench_gpu_copy(b, c, s, stream, err);
    bench_cpu_copy(b->job->ctx, set->copy_from, set->copy_to, b->copy_bytes, c == COPY_STREAM);
    return KF_OK;
}

static kf_status sample(struct bench *b, enum contender c, int round, bool warm, double *us,
                        kf_error *err) {
    if (b->job->device.type == KF_CUDA) return bench_gpu_sample(b, c, warm, us, err);
    int s = (round * CONTENDERS + (int)c) % b->used_sets;
    if (warm) KF_TRY(bench_once(b, c, s, NULL, err));
    double start = now_us();
    KF_TRY(bench_once(b, c, s, NULL, err));
    *us = now_us() - start;
    return KF_OK;
}

static kf_status touch_all(struct bench *b, kf_error *err) {
    for (int s = 0; s < b->used_sets; s++)
        for (int c = 0; c < CONTENDERS; c++)
            KF_TRY(bench_once(b, (enum contender)c, s, NULL, err));
    return kf_synchronize(b->job->ctx, b->job->device, NULL, err);
}

/* About a second, 10 to 200 rounds. */
static bool is_enough(int round, double us) {
    enum { LEAST = 10, MOST = 200 };
    return round >= MOST || (round >= LEAST && us > 1e6);
}

/* Fused and unfused change places: what follows the copy finds memory busy, and is up to a sixth
 * slower for it. */
static enum contender in_turn(int round, int i) {
    if (i == FUSED || i == UNFUSED) return (enum contender)((i + round) % 2);
    return (enum contender)i;
}

kf_status bench_measure(struct bench *b, bool warm, int repeats, struct timing *timings,
                        kf_error *err) {
    if (!b->n_sets) KF_TRY(make_sets(b, err));
    if (!b->gpu && b->job->device.type == KF_CUDA) KF_TRY(bench_gpu_begin(b, err));
    b->used_sets = warm ? 1 : b->n_sets;
    bench_gpu_forget(b);
    KF_TRY(touch_all(b, err)); /* pages, too */
    for (int c = 0; c < CONTENDERS; c++) timings[c].n = 0;
    double start = now_us();
    for (int round = -WARM_UP; round < BENCH_MAX_SAMPLES; round++) {
        if (round == 0) start = now_us();
        if (repeats ? round >= repeats : is_enough(round, now_us() - start)) break;
        for (int i = 0; i < CONTENDERS; i++) {
            enum contender c = in_turn(round + WARM_UP, i);
            struct timing *t = &timings[c];
            KF_TRY(sample(b, c, round + WARM_UP, warm, &t->sample[t->n], err));
            if (round >= 0) t->n++;
        }
    }
    for (int c = 0; c < CONTENDERS; c++) timing_finish(&timings[c]);
    return KF_OK;
}

/* ---------------------------------------------------------------- each kernel by itself */

kf_status bench_profile(struct bench *b, enum contender c, double *us, kf_error *err) {
    struct variant *v = &b->variant[c], whole = *v;
    kf_status status = KF_OK;
    for (uint32_t s = 0; s < whole.plan->n_steps && status == KF_OK; s++) {
        kf_plan one = *whole.plan; /* the same plan, of which one step is left */
        struct timing t = {0};
        one.steps += s;
        one.n_steps = 1;
        v->plan = &one;
        bench_gpu_forget(b);
        for (int i = 0; i < 23 && status == KF_OK; i++) {
            status = sample(b, c, i, false, &t.sample[t.n], err);
            if (i >= 3) t.n++;
        }
        timing_finish(&t);
        us[s] = t.median;
    }
    v->plan = whole.plan;
    bench_gpu_forget(b);
    return status;
}
