/* One program over its trials: the oracle once a trial, then each compiled mode against it.
 *
 * Besides values it checks that nothing outside of a result is written, that inputs stay as they
 * are, that a second run gives the same bits, that a result in an input's place is right or
 * refused, and that what the oracle calls an error is one. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipeline.h"
#include "simplify/simplify.h"

enum { MODES = 3, SIMPLIFIED = 3 };
static const char *const mode_names[] = {"fused", "unfused", "unfused ops", "simplified"};

typedef struct job {
    kf_context *ctx;
    const fz_program *p;
    const fz_options *opt;
    fz_counts *counts;
    fz_failure *failure;
    kf_graph *g;
    int which[FZ_INPUTS], n;
    kf_graph *simplified;
    kf_program *programs[MODES];
    /* of the trial */
    const fz_trial *trial;
    fz_array inputs[FZ_INPUTS]; /* by graph input */
    kf_scalar by_input[FZ_INPUTS], by_number[FZ_INPUTS];
    kf_array arrays[FZ_INPUTS];
    kf__oracle_result want[FZ_OUTPUTS];
    kf_status wanted; /* what the oracle says */
    int mode;
    char *bits[FZ_OUTPUTS]; /* of the first mode, where all modes must have the same */
} job;

static fz_outcome fail(job *j, const char *format, ...) KF__PRINTF(2, 3);
static fz_outcome fail(job *j, const char *format, ...) {
    char *to = j->failure->what;
    size_t size = sizeof j->failure->what;
    int n = snprintf(to, size, "%s: ", mode_names[j->mode]);
    va_list args;
    va_start(args, format);
    vsnprintf(to + n, size - (size_t)n, format, args);
    va_end(args);
    return FZ_FAIL;
}

/* ---------------------------------------------------------------- the oracle */

/* more: besides what is known already. */
static kf_status ask(job *j, const kf__oracle_options *opt, bool more, kf_error *err) {
    kf_array host[FZ_INPUTS]; /* as they were: a result may lie in an input's place */
    for (int i = 0; i < j->n; i++) {
        const fz_array *a = &j->inputs[i];
        host[i] = a->array;
        if (a->memory) host[i].data = a->copy + ((char *)a->array.data - a->memory);
    }
    return (more ? kf__oracle_again : kf__oracle)(j->g, j->n, host, j->by_input, opt, j->want, err);
}

static bool prepare(job *j) {
    int numbers = 0;
    for (int i = 0; i < j->n; i++) {
        const fz_input *in = &j->p->inputs[j->which[i]];
        if (!fz_make_input(in, j->trial, j->which[i], &j->inputs[i], &j->by_input[i])) return false;
        if (in->number) j->by_number[numbers++] = j->by_input[i];
    }
    return true;
}

static void discard(job *j) {
    for (int i = 0; i < j->n; i++) fz_free_array(&j->inputs[i]);
    kf__oracle_free(j->g, j->want);
    for (int i = 0; i < FZ_OUTPUTS; i++) {
        free(j->bits[i]);
        j->bits[i] = NULL;
    }
}

/* Compare; where it fails, again with the tolerance of many samples, and of more: where a result
 * hangs on an ulp, few of them show it. */
enum { LOOKS = 5 };

/* most: bytes of a result. Where the oracle fails, err says why. */
static bool look_again(job *j, int again, size_t most, kf_error *err) {
    for (int i = 0; i < j->n; i++) most = j->inputs[i].bytes > most ? j->inputs[i].bytes : most;
    kf__oracle_options many = {.samples = most > 500000 ? 7 : 65, .seed = 77 + (uint64_t)again};
    if (again == 0) kf__oracle_free(j->g, j->want);
    return ask(j, &many, again > 0, err) == KF_OK;
}

static fz_outcome compare(job *j, fz_array *results, const char *when) {
    kf__compare_stats s;
    kf_error err = {0};
    for (int again = 0; again < LOOKS; again++) {
        bool ok = true;
        for (uint32_t i = 0; i < j->g->results.n && ok; i++) {
            if (kf__compare(j->g, &j->want[i], &results[i].array, &s, &err) != KF_OK)
                return fail(j, "result %u%s: %s", i, when, err.message);
            if (again == 0) j->counts->elements += s.count, j->counts->undecided += s.undecided;
            ok = s.ok;
            if (!ok && again == LOOKS - 1)
                return fail(j, "result %u%s: %lld of %lld wrong; element %lld is %.9g, must be %.9g"
                            " (off by %.3g, tolerance %.3g)", i, when, (long long)s.wrong,
                            (long long)s.count, (long long)s.worst, s.got, s.want,
                            s.got - s.want, s.tolerance);
        }
        if (ok) return FZ_PASS;
        if (!look_again(j, again, results[0].bytes, &err))
            return fail(j, "the oracle: %s", err.message);
    }
    return FZ_PASS;
}

/* ---------------------------------------------------------------- memory of the device */

typedef struct device_array {
    kf_array blob; /* the whole of an fz_array's memory, as bytes */
    int64_t size;
} device_array;

static bool on_host(const job *j) { return j->opt->device.type != KF_CUDA; }

static kf_array host_blob(const fz_array *a, int64_t *size) {
    *size = (int64_t)a->bytes;
    return (kf_array){a->memory, {KF_CPU, 0}, 1, KF_U8, size, NULL, 0};
}

/* Where the first element of `a` is on the device; the memory is copied there when it must be. */
static kf_status upload(job *j, const fz_array *a, device_array *to, void **first, kf_error *err) {
    *first = a->array.data;
    if (on_host(j) || !a->memory) return KF_OK;
    kf_array from = host_blob(a, &to->size);
    if (!to->blob.data)
        KF_TRY(kf_array_create(j->ctx, j->opt->device, KF_U8, 1, &to->size, &to->blob, err));
    *first = (char *)to->blob.data + ((char *)a->array.data - a->memory);
    return kf_array_copy(j->ctx, &from, &to->blob, err);
}

static kf_status download(job *j, fz_array *a, const device_array *from, kf_error *err) {
    int64_t size;
    if (on_host(j) || !a->memory) return KF_OK;
    kf_array to = host_blob(a, &size);
    return kf_array_copy(j->ctx, &from->blob, &to, err);
}

/* ---------------------------------------------------------------- one run */

typedef struct attempt {
    kf_plan *plan;
    fz_array results[FZ_OUTPUTS];
    device_array device_inputs[FZ_INPUTS], device_results[FZ_OUTPUTS];
    fz_array workspace;
    device_array device_workspace;
    int64_t workspace_size;
} attempt;

static void free_device_arrays(job *j, attempt *a) {
    for (int i = 0; i < FZ_INPUTS; i++) kf_array_free(j->ctx, &a->device_inputs[i].blob);
    for (int k = 0; k < FZ_OUTPUTS; k++) kf_array_free(j->ctx, &a->device_results[k].blob);
}

static void end(job *j, attempt *a) {
    free_device_arrays(j, a);
    for (int i = 0; i < FZ_OUTPUTS; i++) fz_free_array(&a->results[i]);
    kf_array_free(j->ctx, &a->device_workspace.blob);
    fz_free_array(&a->workspace);
    kf_plan_free(a->plan);
}

/* Poison, run, look at what is around the results. replace: result `r` is written into input `i`'s
 * memory (r < 0: none is). */
static fz_outcome run(job *j, attempt *a, int r, int i, const char *when, bool *refused) {
    void *inputs[FZ_INPUTS], *results[FZ_OUTPUTS], *workspace;
    kf_error err = {0};
    kf_status status = KF_OK;
    int n_results = (int)j->g->results.n;
    for (int k = 0; k < n_results; k++) {
        fz_poison(&a->results[k]);
        if (status == KF_OK)
            status = upload(j, &a->results[k], &a->device_results[k], &results[k], &err);
    }
    for (int k = 0; k < j->n && status == KF_OK; k++)
        status = upload(j, &j->inputs[k], &a->device_inputs[k], &inputs[k], &err);
    fz_poison(&a->workspace);
    if (status == KF_OK)
        status = upload(j, &a->workspace, &a->device_workspace, &workspace, &err);
    if (r >= 0) results[r] = inputs[i];
    if (status == KF_OK)
        status = kf_run(a->plan, (const void *const *)inputs, results, j->by_number, workspace,
                        NULL, &err);
    if (status == KF_ERR_ALIAS && r >= 0) {
        *refused = true;
        return FZ_PASS;
    }
    if (status == KF_OK) status = kf_synchronize(j->ctx, j->opt->device, NULL, &err);
    for (int k = 0; k < n_results && status == KF_OK; k++)
        status = download(j, &a->results[k], &a->device_results[k], &err);
    if (status == KF_OK) status = download(j, &a->workspace, &a->device_workspace, &err);
    if (status != KF_OK) return fail(j, "run%s: %s", when, err.message);
    j->counts->runs++;
    for (int k = 0; k < n_results; k++)
        if (fz_damaged(&a->results[k], true))
            return fail(j, "result %d%s: memory beside it was written", k, when);
    if (fz_damaged(&a->workspace, true))
        return fail(j, "memory beside the workspace was written%s", when);
    for (int k = 0; k < j->n; k++)
        if (k != i && fz_damaged(&j->inputs[k], false))
            return fail(j, "input %s was written%s", fz_input_names[j->which[k]], when);
    return FZ_PASS;
}

static bool dense_like(const fz_array *a, const fz_array *b) {
    if (!a->memory || a->array.ndim != b->array.ndim ||
        memcmp(&a->array.dtype, &b->array.dtype, sizeof a->array.dtype) != 0)
        return false;
    for (int d = 0; d < a->array.ndim; d++)
        if (a->shape[d] != b->shape[d] || a->strides[d] != b->strides[d]) return false;
    return true;
}

/* Each result once in the place of each input of the same layout. */
static fz_outcome run_in_place(job *j, attempt *a) {
    fz_outcome outcome = FZ_PASS;
    for (int r = 0; r < (int)j->g->results.n; r++) {
        for (int i = 0; i < j->n && outcome == FZ_PASS; i++) {
            bool refused = false;
            fz_array *in = &j->inputs[i];
            if (!dense_like(in, &a->results[r])) continue;
            outcome = run(j, a, r, i, " in place", &refused);
            if (outcome != FZ_PASS || refused) continue;
            fz_array own = a->results[r];
            a->results[r].array.data = in->array.data;
            outcome = compare(j, a->results, " in place");
            a->results[r] = own;
            memcpy(in->memory, in->copy, in->bytes);
        }
    }
    return outcome;
}

/* What is left to chance in a run comes from the trial, so that a replay is the same. */
static uint64_t chance_of(const job *j) { return j->trial->inputs[j->n ? j->which[0] : 0].seed; }

static fz_outcome compare_bits(job *j, attempt *a, char *const *first, const char *what) {
    for (uint32_t k = 0; k < j->g->results.n; k++) {
        char *again = first[k] ? fz_pack(&a->results[k]) : NULL;
        int64_t at = again ? fz_first_difference(&a->results[k], first[k], again) : -1;
        free(again);
        if (at >= 0)
            return fail(j, "result %u: other bits %s, element %lld", k, what, (long long)at);
    }
    return FZ_PASS;
}

/* Once more: elsewhere in memory, and with the work divided otherwise. */
static fz_outcome run_elsewhere(job *j, attempt *a, char *const *first) {
    fz_array inputs[FZ_INPUTS], results[FZ_OUTPUTS];
    fz_trial trial = *j->trial;
    bool made = true;
    memcpy(inputs, j->inputs, sizeof inputs);
    memcpy(results, a->results, sizeof results);
    memset(j->inputs, 0, sizeof inputs);
    memset(a->results, 0, sizeof results);
    free_device_arrays(j, a); /* they have the others' sizes */
    for (int i = 0; i < j->n && made; i++) {
        trial.inputs[j->which[i]].shift += (int)(trial.inputs[i].seed % 17);
        made = fz_make_input(&j->p->inputs[j->which[i]], &trial, j->which[i], &j->inputs[i],
                             &j->by_input[i]);
    }
    for (uint32_t k = 0; k < j->g->results.n && made; k++) {
        kf_array like = results[k].array;
        like.shape = results[k].shape; /* it was a->results' own */
        made = fz_make_result(&like, trial.results, (int)((chance_of(j) + k) % 18),
                              &a->results[k]);
    }
    if (j->opt->division) *j->opt->division = chance_of(j) + 1;
    fz_outcome outcome = made ? run(j, a, -1, -1, " elsewhere", NULL) : fail(j, "out of memory");
    if (j->opt->division) *j->opt->division = 0;
    if (outcome == FZ_PASS) outcome = compare_bits(j, a, first, "elsewhere");
    free_device_arrays(j, a);
    for (int i = 0; i < FZ_INPUTS; i++) fz_free_array(&j->inputs[i]);
    for (int k = 0; k < FZ_OUTPUTS; k++) fz_free_array(&a->results[k]);
    memcpy(j->inputs, inputs, sizeof inputs);
    memcpy(a->results, results, sizeof results);
    return outcome;
}

static fz_outcome run_twice(job *j, attempt *a) {
    char *first[FZ_OUTPUTS] = {NULL};
    uint32_t n = j->g->results.n;
    fz_outcome outcome = run(j, a, -1, -1, "", NULL);
    if (outcome == FZ_PASS) outcome = compare(j, a->results, "");
    for (uint32_t k = 0; k < n; k++) j->counts->exact += j->bits[k] != NULL;
    if (outcome == FZ_PASS) outcome = compare_bits(j, a, j->bits, "than in another partition");
    for (uint32_t k = 0; k < n && outcome == FZ_PASS; k++) {
        first[k] = fz_pack(&a->results[k]);
        if (!first[k]) outcome = fail(j, "out of memory");
    }
    if (outcome == FZ_PASS) outcome = run(j, a, -1, -1, " again", NULL);
    if (outcome == FZ_PASS) outcome = compare_bits(j, a, first, "in a second run");
    if (outcome == FZ_PASS) outcome = run_elsewhere(j, a, first);
    for (uint32_t k = 0; k < n; k++) {
        bool keep = !j->bits[k] && fz_is_exact(j->g, k);
        if (keep) j->bits[k] = first[k];
        else free(first[k]);
    }
    return outcome;
}

static bool make_results(job *j, attempt *a, fz_layout layout, kf_array *arrays) {
    for (uint32_t i = 0; i < j->g->results.n; i++) {
        kf__oracle_result *w = &j->want[i];
        kf_array like = {NULL, {KF_CPU, 0}, w->rank, kf__types[w->dtype].dlpack, w->shape, NULL, 0};
        if (w->rank > FZ_RANK * 2 || !fz_make_result(&like, layout, 0, &a->results[i]))
            return false;
        arrays[i] = a->results[i].array;
        arrays[i].device = j->opt->device;
    }
    return true;
}

static bool must_fail(const job *j) {
    return j->wanted != KF_OK && fz_wants_of_nothing(j->p, j->g, j->which, j->trial->sizes);
}

static fz_outcome try_mode(job *j, kf_program *program, attempt *a) {
    kf_array arrays[FZ_OUTPUTS];
    kf_error err = {0};
    if (j->wanted == KF_OK && !make_results(j, a, j->trial->results, arrays))
        return fail(j, "out of memory");
    kf_status status = kf_plan_for(program, j->n, j->arrays, (int)j->g->results.n,
                                   j->wanted == KF_OK ? arrays : NULL, &a->plan, &err);
    if (j->wanted != KF_OK)
        return status == KF_OK && must_fail(j) ? fail(j, "planned, but it must fail") : FZ_PASS;
    if (status == KF_ERR_UNSUPPORTED) return FZ_REFUSED;
    if (status != KF_OK) return fail(j, "plan: %s", err.message);
    int64_t size = (int64_t)kf_plan_workspace_size(a->plan);
    kf_array like = {NULL, {KF_CPU, 0}, 1, KF_U8, &size, NULL, 0};
    if (!fz_make_result(&like, FZ_PLAIN, 0, &a->workspace)) return fail(j, "out of memory");
    fz_outcome outcome = run_twice(j, a);
    if (outcome == FZ_PASS && j->mode == 0 && j->opt->coverage &&
        !fz_coverage_add(j->opt->coverage, program, j->arrays, arrays))
        return fail(j, "out of memory");
    return outcome == FZ_PASS && on_host(j) ? run_in_place(j, a) : outcome;
}

/* ---------------------------------------------------------------- simplify */

static fz_outcome compare_simplified_results(job *j, const kf__oracle_result *got) {
    for (uint32_t i = 0; i < j->g->results.n; i++) {
        const kf__oracle_result *a = &got[i], *b = &j->want[i];
        if (a->count != b->count || a->dtype != b->dtype || a->rank != b->rank)
            return fail(j, "result %u: another shape or dtype", i);
        for (int64_t k = 0; k < b->count; k++) {
            if (b->decided && !b->decided[k]) continue;
            if (b->values && !fz_same_bits(a->values[k], b->values[k]) &&
                !(b->tolerance && fabs(a->values[k] - b->values[k]) <= b->tolerance[k]))
                return fail(j, "result %u: element %lld is %.9g, must be %.9g", i, (long long)k,
                            a->values[k], b->values[k]);
            if (b->integers && a->integers[k] != b->integers[k])
                return fail(j, "result %u: element %lld is %lld, must be %lld", i, (long long)k,
                            (long long)a->integers[k], (long long)b->integers[k]);
        }
    }
    return FZ_PASS;
}

/* The simplified graph must give the same bits where no rounding was left open; where it doesn't,
 * more samples may show that one was. */
static fz_outcome compare_simplified(job *j) {
    kf__oracle_result got[FZ_OUTPUTS];
    kf_array host[FZ_INPUTS];
    kf_error err = {0};
    j->mode = SIMPLIFIED;
    for (int i = 0; i < j->n; i++) host[i] = j->inputs[i].array;
    kf_status status = kf__oracle(j->simplified, j->n, host, j->by_input,
                                  &(kf__oracle_options){.samples = -1}, got, &err);
    if (status == KF_OK && j->wanted != KF_OK && !must_fail(j)) {
        kf__oracle_free(j->simplified, got);
        return FZ_PASS;
    }
    if (status != j->wanted) return fail(j, "status %d, must be %d", status, j->wanted);
    if (status != KF_OK) return FZ_PASS;
    fz_outcome outcome = compare_simplified_results(j, got);
    for (int again = 0; again < LOOKS - 1 && outcome == FZ_FAIL; again++)
        outcome = look_again(j, again, 0, &err) ? compare_simplified_results(j, got)
                                                : fail(j, "the oracle: %s", err.message);
    kf__oracle_free(j->simplified, got);
    return outcome;
}

/* ---------------------------------------------------------------- all */

static fz_outcome one_trial(job *j) {
    kf_error err = {0};
    fz_outcome outcome = FZ_PASS;
    if (!prepare(j)) return fail(j, "out of memory");
    for (int i = 0; i < j->n; i++) {
        j->arrays[i] = j->inputs[i].array;
        j->arrays[i].device = j->opt->device;
    }
    j->counts->trials++;
    j->wanted = ask(j, NULL, false, &err);
    if (j->wanted != KF_OK && j->wanted != KF_ERR_SHAPE)
        return fail(j, "the oracle: %s", err.message);
    if (j->simplified && (outcome = compare_simplified(j)) != FZ_PASS) return outcome;
    for (j->mode = 0; j->mode < MODES && outcome == FZ_PASS; j->mode++) {
        attempt a = {0};
        if (!j->programs[j->mode]) continue;
        outcome = try_mode(j, j->programs[j->mode], &a);
        end(j, &a);
        if (outcome != FZ_PASS) break;
    }
    return outcome;
}

static fz_outcome compile(job *j, int modes) {
    kf_error err = {0};
    for (j->mode = 0; j->mode < MODES; j->mode++) {
        kf_compile_options options = {sizeof options, j->opt->device, (kf_fusion)j->mode};
        if (!(modes >> j->mode & 1)) continue;
        kf_status status = kf_compile(j->ctx, j->g, &options, &j->programs[j->mode], &err);
        if (status == KF_ERR_UNSUPPORTED) return FZ_REFUSED;
        if (status != KF_OK) return fail(j, "compile: %s", err.message);
    }
    j->mode = SIMPLIFIED;
    if ((modes >> SIMPLIFIED & 1) && kf__simplify(j->g, &j->simplified, &err) != KF_OK)
        return fail(j, "%s", err.message);
    return FZ_PASS;
}

fz_outcome fz_check(kf_context *ctx, const fz_program *p, int n_trials, const fz_trial *trials,
                    int modes, const fz_options *opt, fz_counts *counts, fz_failure *failure) {
    job j = {.ctx = ctx, .p = p, .opt = opt, .counts = counts, .failure = failure};
    kf_error err = {0};
    int64_t elements;
    fz_outcome outcome = FZ_PASS;
    if (fz_graph(p, opt->eager ? KF_EAGER : KF_FUSED, &j.g, j.which, &err) != KF_OK) {
        snprintf(failure->what, sizeof failure->what, "parse: %s", err.message);
        return FZ_REFUSED;
    }
    if (j.g->results.n > FZ_OUTPUTS) {
        snprintf(failure->what, sizeof failure->what, "more than %d results", (int)FZ_OUTPUTS);
        kf_graph_free(j.g);
        return FZ_REFUSED;
    }
    j.n = (int)j.g->inputs.n;
    outcome = compile(&j, modes);
    if (j.programs[0] && n_trials) /* as large results do */
        j.programs[0]->target.streams = trials[0].inputs[0].seed & 1;
    if (outcome == FZ_PASS && opt->coverage && j.programs[0])
        fz_coverage_graph(opt->coverage, j.programs[0]);
    for (int t = 0; t < n_trials && outcome == FZ_PASS; t++) {
        j.trial = &trials[t];
        if (!fz_sizes_fit(p, j.g, j.which, j.trial->sizes, &elements)) continue;
        outcome = one_trial(&j);
        discard(&j);
    }
    for (int k = 0; k < MODES; k++) kf_program_free(j.programs[k]);
    kf_graph_free(j.simplified);
    kf_graph_free(j.g);
    if (outcome == FZ_REFUSED) counts->refused++;
    return outcome;
}

fz_outcome fz_foresee(kf_context *ctx, const fz_program *p, int n_trials, const fz_trial *trials,
                      const fz_options *opt, fz_failure *failure) {
    fz_counts counts = {0};
    job j = {.ctx = ctx, .p = p, .opt = opt, .counts = &counts, .failure = failure};
    kf_error err = {0};
    int64_t elements;
    if (fz_graph(p, opt->eager ? KF_EAGER : KF_FUSED, &j.g, j.which, &err) != KF_OK)
        return FZ_REFUSED;
    j.n = (int)j.g->inputs.n;
    fz_outcome outcome = j.g->results.n > FZ_OUTPUTS ? FZ_REFUSED : compile(&j, 1);
    if (outcome == FZ_PASS) fz_coverage_graph(opt->coverage, j.programs[0]);
    for (int t = 0; t < n_trials && outcome == FZ_PASS; t++) {
        j.trial = &trials[t];
        if (!fz_sizes_fit(p, j.g, j.which, j.trial->sizes, &elements)) continue;
        bool made = prepare(&j);
        for (int i = 0; i < j.n; i++) j.arrays[i] = j.inputs[i].array;
        if (!made || !fz_coverage_add(opt->coverage, j.programs[0], j.arrays, NULL))
            outcome = fail(&j, "out of memory");
        discard(&j);
    }
    kf_program_free(j.programs[0]);
    kf_graph_free(j.g);
    return outcome;
}
