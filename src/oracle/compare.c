/* Comparing an array with what the oracle says it must be, and how far it is, in ulp; and
 * tolerances of several evaluations. */
#include "oracle/eval.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SORTED = 1 << 20 }; /* errors kept for percentiles; of more elements, every k-th */

typedef struct comparison {
    const kf__oracle_result *want;
    kf__compare_stats *stats;
    double excess; /* of the worst so far: error / tolerance */
    float *ulps;   /* [every k-th element] */
    int64_t n_ulps, every;
} comparison;

static int by_size(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void remember(comparison *c, int64_t j, double got, double want, double error, double tol) {
    kf__compare_stats *s = c->stats;
    bool wrong = !(error <= tol);
    double excess = wrong ? (tol > 0 ? 1 + error / tol : INFINITY) : tol > 0 ? error / tol : 0;
    if (isnan(excess)) excess = INFINITY;
    s->wrong += wrong;
    if (s->worst >= 0 && excess <= c->excess) return;
    c->excess = excess;
    s->worst = j;
    s->got = got;
    s->want = want;
    s->tolerance = tol;
}

static void compare_float(comparison *c, int64_t j, double got) {
    kf__compare_stats *s = c->stats;
    double want = c->want->values[j];
    double tol = c->want->tolerance ? c->want->tolerance[j] : 0;
    double error = same(got, want) ? 0 : fabs(got - want);
    if (isnan(error)) error = INFINITY;
    double ulp = error == 0 ? 0 : error / kf__o_ulp(c->want->dtype, want);
    if (isnan(ulp)) ulp = INFINITY; /* a number where a NaN must be */
    if (j % c->every == 0) c->ulps[c->n_ulps++] = (float)ulp;
    if (ulp > s->ulp_max) s->ulp_max = ulp;
    if (error > s->abs) s->abs = error;
    if (error > 0 && !(error / fabs(want) <= s->rel)) s->rel = error / fabs(want);
    remember(c, j, got, want, error, tol);
}

static void compare_int(comparison *c, int64_t j, int64_t got) {
    int64_t want = c->want->integers[j];
    double error = fabs((double)((long double)got - (long double)want));
    if (error > c->stats->ulp_max) c->stats->ulp_max = error;
    if (error > c->stats->abs) c->stats->abs = error;
    if (error > 0 && !(error / fabs((double)want) <= c->stats->rel))
        c->stats->rel = error / fabs((double)want);
    if (j % c->every == 0) c->ulps[c->n_ulps++] = (float)error;
    remember(c, j, (double)got, (double)want, error, 0);
}

static void compare_elements(comparison *c, const kf_array *got) {
    int64_t dense[KF__MAX_RANK], index[KF__MAX_RANK] = {0};
    const int64_t *strides = got->strides ? got->strides : dense;
    const char *data = (const char *)got->data + got->byte_offset;
    kf__o_row_major(got->ndim, got->shape, dense);
    for (int64_t j = 0; j < c->want->count; j++) {
        int64_t offset = 0, integer;
        double number;
        for (int d = 0; d < got->ndim; d++) offset += index[d] * strides[d];
        const char *at = data + offset * kf__types[c->want->dtype].size;
        kf__o_load(c->want->dtype, at, 0, 1, c->want->values ? (void *)&number : &integer);
        if (c->want->decided && !c->want->decided[j]) c->stats->undecided++;
        else if (c->want->values) compare_float(c, j, number);
        else compare_int(c, j, integer);
        for (int d = got->ndim - 1; d >= 0 && ++index[d] == got->shape[d]; d--) index[d] = 0;
    }
}

static void percentiles(comparison *c) {
    int64_t n = c->n_ulps;
    if (n == 0) return;
    qsort(c->ulps, (size_t)n, sizeof *c->ulps, by_size);
    c->stats->ulp_median = c->ulps[n / 2];
    c->stats->ulp_p90 = c->ulps[kf__min(n - 1, n * 9 / 10)];
    c->stats->ulp_p99 = c->ulps[kf__min(n - 1, n * 99 / 100)];
}

kf_status kf__compare(const kf_graph *g, const kf__oracle_result *want, const kf_array *got,
                      kf__compare_stats *stats, kf_error *err) {
    kf__dtype t;
    bool fits = kf__dtype_from_dlpack(got->dtype, &t) && t == want->dtype &&
                got->ndim == want->rank;
    *stats = (kf__compare_stats){.count = want->count, .worst = -1};
    for (int d = 0; fits && d < want->rank; d++) fits = got->shape[d] == want->shape[d];
    if (!fits)
        return kf__fail(err, KF_ERR_SHAPE, "the result must be %s and have the right shape",
                        kf__types[want->dtype].name);
    comparison c = {want, stats, -1, NULL, 0, 1 + want->count / MAX_SORTED};
    c.ulps = kf__allocate(g->mem, sizeof(float) * (size_t)(want->count / c.every + 1));
    if (!c.ulps) return kf__out_of_memory(err);
    compare_elements(&c, got);
    percentiles(&c);
    kf__release(g->mem, c.ulps);
    stats->ok = stats->wrong == 0;
    return KF_OK;
}

void kf__oracle_print(const kf__oracle_result *result, int64_t index, kf__text *text) {
    if (result->values) kf__print_double(text, result->values[index]);
    else kf__print(text, "%lld", (long long)result->integers[index]);
}

/* ---------------------------------------------------------------- a second look */

static void merge(kf__oracle_result *to, const kf__oracle_result *from) {
    for (int64_t j = 0; j < to->count; j++) {
        if (to->tolerance && from->tolerance)
            to->tolerance[j] = fmax(to->tolerance[j], from->tolerance[j]);
        if (to->decided && from->decided) to->decided[j] &= from->decided[j];
    }
}

kf_status kf__oracle_again(const kf_graph *g, int n_inputs, const kf_array *inputs,
                           const kf_scalar *scalars, const kf__oracle_options *opt,
                           kf__oracle_result *results, kf_error *err) {
    kf__oracle_result *more = kf__allocate(g->mem, g->results.n * sizeof *more + 1);
    if (!more) return kf__out_of_memory(err);
    kf_status status = kf__oracle(g, n_inputs, inputs, scalars, opt, more, err);
    for (uint32_t i = 0; i < g->results.n && status == KF_OK; i++) merge(&results[i], &more[i]);
    if (status == KF_OK) kf__oracle_free(g, more);
    kf__release(g->mem, more);
    return status;
}
