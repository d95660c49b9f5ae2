/* Before anything is timed: the same program at smaller sizes against the oracle, element by
 * element; and at full size the fused results against the unfused ones. */
#include <math.h>

#include "bench.h"
#include "check.h"
#include "element.h"

enum { ORACLE_ELEMENTS = 1 << 18, SMALLEST = 64 };

/* ---------------------------------------------------------------- smaller sizes */

static int64_t resized(const struct job *job, int64_t size) {
    for (int i = 0; i < job->n_resized; i++)
        if (job->resized[i][0] == size) return job->resized[i][1];
    return size;
}

static int64_t largest_array(const struct job *full, const struct job *small) {
    int64_t largest = 0;
    for (int i = 0; i < full->n_inputs; i++) {
        const kf_array *a = &full->inputs[i].array;
        int64_t count = 1;
        if (full->inputs[i].spec.kind != KF_SPEC_ARRAY) continue;
        for (int d = 0; d < a->ndim; d++) count *= resized(small, a->shape[d]);
        largest = kf__max(largest, count);
    }
    return largest;
}

/* The size to halve: of axes that aren't the last, which rows are reduced over, else of any. */
static int64_t size_to_halve(const struct job *full, const struct job *small) {
    int64_t best = 0;
    for (int pass = 0; pass < 2 && best == 0; pass++)
        for (int i = 0; i < full->n_inputs; i++) {
            const struct input *input = &full->inputs[i];
            if (input->spec.kind != KF_SPEC_ARRAY || input->is_file) continue;
            for (int d = 0; d < input->array.ndim - (pass == 0); d++) {
                int64_t size = input->array.shape[d];
                if (resized(small, size) > SMALLEST &&
                    (best == 0 || resized(small, size) > resized(small, best)))
                    best = size;
            }
        }
    return best;
}

static void halve(struct job *small, int64_t size) {
    for (int i = 0; i < small->n_resized; i++)
        if (small->resized[i][0] == size) {
            small->resized[i][1] = (small->resized[i][1] + 1) / 2;
            return;
        }
    if (small->n_resized == (int)KF__COUNT(small->resized)) return;
    small->resized[small->n_resized][0] = size;
    small->resized[small->n_resized++][1] = (size + 1) / 2;
}

/* A size stands for itself wherever it appears, so arrays that fit each other still do. */
static bool shrink(const struct job *full, struct job *small) {
    for (int step = 0; step < 400 && largest_array(full, small) > ORACLE_ELEMENTS; step++) {
        int64_t size = size_to_halve(full, small);
        if (!size) return false;
        halve(small, size);
    }
    return largest_array(full, small) <= 4 * ORACLE_ELEMENTS;
}

/* ---------------------------------------------------------------- fused against unfused */

static double float_at(kf__dtype dtype, const void *data, int64_t i) {
    int64_t none;
    return element_load(dtype, (const char *)data + i * kf__types[dtype].size, &none);
}

/* The largest difference, relative to an element's own size and the array's together. */
static double difference(kf__dtype dtype, const void *a, const void *b, int64_t n) {
    double squares = 0, worst = 0;
    for (int64_t i = 0; i < n; i += 17) {
        double v = float_at(dtype, b, i);
        if (isfinite(v)) squares += v * v;
    }
    double size = sqrt(squares / (double)(n / 17 + 1));
    for (int64_t i = 0; i < n; i++) {
        double x = float_at(dtype, a, i), y = float_at(dtype, b, i);
        if (x == y || (isnan(x) && isnan(y))) continue;
        double d = fabs(x - y) / (fabs(y) + size);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static double allowed(kf__dtype dtype) {
    if (kf__is_storage(dtype)) return dtype == KF__F8E4M3 ? 0.5 : 1;
    return dtype == KF__F64 ? 1e-9 : dtype == KF__F32 ? 1e-4 : dtype == KF__F16 ? 4e-3 : 3e-2;
}

/* Of what is between unfused kernels stored in fewer digits than the result has, as many count. */
static double allowed_of(const struct job *job, kf__dtype result) {
    double most = kf__is_float(result) ? allowed(result) : 0;
    for (int i = 0; i < job->n_inputs; i++) {
        const struct input *in = &job->inputs[i];
        kf__dtype dtype;
        bool array = in->spec.kind == KF_SPEC_ARRAY;
        if (array && kf__dtype_from_dlpack(in->array.dtype, &dtype) && kf__is_float(dtype))
            most = fmax(most, allowed(dtype));
    }
    return most;
}

/* The share of bools that differ, of integers those that aren't next to each other: a float that
 * was rounded otherwise may have become the next one. */
static double share_apart(kf__dtype dtype, const void *a, const void *b, int64_t n) {
    uint64_t next = dtype == KF__BOOL ? 0 : 1;
    int64_t apart = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t x, y;
        element_load(dtype, (const char *)a + i * kf__types[dtype].size, &x);
        element_load(dtype, (const char *)b + i * kf__types[dtype].size, &y);
        apart += x > y ? (uint64_t)x - (uint64_t)y > next : (uint64_t)y - (uint64_t)x > next;
    }
    return (double)apart / (double)n;
}

/* How far result i of the two variants is apart, in *apart if that is more; *agree: as the same as
 * floats of its inputs can be. */
static kf_status compare_result(struct job *job, struct variant *variants, int i, double *apart,
                                bool *agree, kf_error *err) {
    kf_array host[2], made[2] = {{0}};
    kf_status status = KF_OK;
    for (int k = 0; k < 2 && status == KF_OK; k++)
        status = variant_host_result(job, &variants[k], i, &host[k], &made[k], err);
    kf__dtype dtype;
    if (status == KF_OK && kf__dtype_from_dlpack(host[0].dtype, &dtype)) {
        bool exact = memcmp(host[0].data, host[1].data, (size_t)array_bytes(&host[0])) == 0;
        double d = exact ? 0
                   : kf__is_float(dtype)
                       ? difference(dtype, host[0].data, host[1].data, array_count(&host[0]))
                       : share_apart(dtype, host[0].data, host[1].data, array_count(&host[0]));
        if (!(d <= *apart)) *apart = d;
        if (!exact && !(d <= allowed_of(job, dtype))) *agree = false;
    }
    for (int k = 0; k < 2; k++) kf_array_free(job->ctx, &made[k]);
    return status;
}

static kf_status compare_results(struct job *job, struct variant *variants, double *apart,
                                 bool *agree, kf_error *err) {
    for (int i = 0; i < variants[FUSED].n_results; i++)
        KF_TRY(compare_result(job, variants, i, apart, agree, err));
    return KF_OK;
}

/* ---------------------------------------------------------------- against the oracle */

static void keep_worst(kf__compare_stats *worst, const kf__compare_stats *s, bool first) {
    bool ok = first ? s->ok : worst->ok && s->ok;
    if (first || s->ulp_max > worst->ulp_max || (!s->ok && worst->ok)) *worst = *s;
    worst->ok = ok;
}

static kf_status check_one(struct job *job, kf_fusion fusion, struct variant *v,
                           kf__compare_stats *worst, kf_error *err) {
    kf__compare_stats stats[64];
    kf_status status = variant_make(job, fusion, v, err);
    if (status == KF_OK && v->n_results > (int)KF__COUNT(stats))
        status = kf__fail(err, KF_ERR_LIMIT, "more than 64 results");
    if (status == KF_OK) status = variant_run(job, v, err);
    if (status == KF_OK) status = check_variant(job, v, stats, err);
    for (int i = 0; i < v->n_results && status == KF_OK; i++) keep_worst(worst, &stats[i], i == 0);
    return status;
}

/* *agree: do the variants, too? Where both are right and apart nevertheless, as the mean of what is
 * left of x - mean(x) is, nothing can be said of larger sizes by comparing them. */
static kf_status check_small(const struct options *o, const struct bench_item *item,
                             struct job *small, struct bench_errors *errors, bool *agree,
                             kf_error *err) {
    struct variant v[2] = {{0}};
    double apart = 0;
    kf_fusion off = o->fusion ? o->fusion : KF_FUSION_OFF;
    KF_TRY(job_begin(small, o, err));
    const char *const *args = (const char *const *)item->args.at;
    KF_TRY(job_function(small, item->text, args, item->args.n, err));
    KF_TRY(job_inputs(small, args, item->args.n, true, err));
    KF_TRY(job_host_inputs(small, err));
    kf_status status = check_one(small, KF_FUSION_ON, &v[FUSED], &errors->stats[FUSED], err);
    if (status == KF_OK)
        status = check_one(small, off, &v[UNFUSED], &errors->stats[UNFUSED], err);
    if (status == KF_OK) status = compare_results(small, v, &apart, agree, err);
    for (int k = 0; k < 2; k++) variant_free(small, &v[k]);
    return status;
}

kf_status bench_verify(const struct options *o, const struct bench_item *item, struct bench *b,
                       struct bench_errors *errors, kf_error *err) {
    struct job small = {0};
    bool agree = true; /* do the smaller results? */
    kf_error trouble = {0};
    *errors = (struct bench_errors){.agree = true};
    if (!shrink(b->job, &small)) {
        snprintf(errors->trouble, sizeof errors->trouble,
                 "too large for the oracle: fused was compared with unfused only");
    } else if (check_small(o, item, &small, errors, &agree, &trouble) != KF_OK) {
        snprintf(errors->trouble, sizeof errors->trouble, "not checked by the oracle: %.230s",
                 trouble.message);
    } else {
        errors->checked = true;
        errors->ok = errors->stats[FUSED].ok && errors->stats[UNFUSED].ok;
        errors->elements = largest_array(b->job, &small);
    }
    job_end(&small);
    for (int k = 0; k < 2; k++) KF_TRY(variant_run(b->job, &b->variant[k], err));
    KF_TRY(compare_results(b->job, b->variant, &errors->difference, &errors->agree, err));
    if (errors->checked && errors->ok && !agree) errors->agree = true;
    return KF_OK;
}
