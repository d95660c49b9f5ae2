/* Reductions of contiguous rows: sums in long double with compensation, moments and sums of
 * exponentials in two passes.
 *
 * Samples disturb a sum of n terms by about (log2 n + 64) eps sum|terms|, as promised. What depends
 * on the order of adding (partial sums that overflow) becomes NaN and infinities: undecided. */
#include "oracle/eval.h"

#include <math.h>

typedef struct row {
    kf__dtype compute;
    double eps, largest, smallest; /* of the compute type */
    double promise;      /* (log2 n + 64) eps */
    const double *x;
    int64_t n;
    const kf__o_noise *noise;
    int64_t index;
} row;

static row row_of(kf__dtype type, const kf__o_noise *noise) {
    row r = {.compute = kf__compute(type), .noise = noise};
    r.eps = r.compute == KF__F64 ? 0x1p-53 : 0x1p-24;
    r.largest = r.compute == KF__F64 ? 0x1p1023 : 0x1p127;
    r.smallest = r.compute == KF__F64 ? 0x1p-1074 : 0x1p-149;
    return r;
}

/* Neumaier's sum; term(r, i) may be called twice as often as there are elements. */
typedef struct partial {
    long double s, c, magnitude;
    long double finite; /* magnitude of the finite terms: their sum may overflow by itself */
} partial;

static void add(partial *a, long double x) {
    long double t = a->s + x;
    if (isfinite(t)) a->c += fabsl(a->s) >= fabsl(x) ? (a->s - t) + x : (x - t) + a->s;
    a->s = t;
    a->magnitude += fabsl(x);
    if (isfinite(x)) a->finite += fabsl(x);
}

static long double total(const partial *a) { return isfinite(a->s) ? a->s + a->c : a->s; }

/* What a sum or product may be that overflows in some orders: in the first four samples one of
 * these after another, each row beginning elsewhere; then about what it should be, and of a product
 * whose parts may underflow anything up to twice that, and zeros. In samples that only a second
 * look has also one of the four, each row's its own: what is made of two rows needs them
 * together. */
static double overflowed(const row *r, long double x, long double error, bool underflows) {
    double some[] = {NAN, fabsl(x) <= error ? 0 : kf__o_round(r->compute, x), INFINITY, -INFINITY};
    uint64_t way = (uint64_t)r->noise->sample + kf__o_hash((uint64_t)r->index);
    uint64_t other = kf__o_hash(r->noise->key + 2 * (uint64_t)r->index +
                                (uint64_t)r->noise->sample % 2);
    if (r->noise->sample <= 4) return some[way % 4];
    if (r->noise->sample > KF__O_FIRST_LOOK && other % 8 < 4) return some[other % 4];
    double random = kf__o_random(r->noise, r->index);
    if (underflows && way % 4 < 2)
        return kf__o_round(r->compute, way % 4 ? x + random * x : random * 0);
    if (isfinite(x) && isfinite(error)) x = kf__o_disturb(r->noise, r->index, r->compute, x, error);
    return kf__o_round(r->compute, fminl(fmaxl(x, -r->largest), r->largest));
}

/* x, in a sample off by at most `error`. `overflows`: the true value depends on the order. */
static double disturbed(const row *r, long double x, long double error, bool overflows) {
    if (r->noise->sample) {
        if (overflows) return overflowed(r, x, error, false);
        if (isfinite(x) && isfinite(error) && error > 0)
            x = kf__o_disturb(r->noise, r->index, r->compute, x, error);
        else if (x == 0) /* -0 + 0 in any order; in one sample as all of a kernel's: 0 + -0 */
            x = r->noise->sample > 1 && kf__o_random(r->noise, r->index) < 0 ? -0.0L : 0.0L;
    }
    return kf__o_round(r->compute, x);
}

static double reduce_sum(const row *r) {
    partial s = {0};
    for (int64_t j = 0; j < r->n; j++) add(&s, r->x[j]);
    bool overflows = s.finite > r->largest / 2;
    long double error = r->n == 1 ? 0 : r->promise * s.magnitude;
    return disturbed(r, r->n == 1 ? r->x[0] + 0.0 : total(&s), error, overflows && r->n > 1);
}

static double reduce_prod(const row *r) {
    long double p = 1, up = 0, down = 0; /* log2 of the factors above and below 1 */
    bool zero = false;
    for (int64_t j = 0; j < r->n; j++) {
        double x = r->x[j];
        p *= x;
        zero |= x == 0;
        if (x != 0 && isfinite(x)) *(fabs(x) > 1 ? &up : &down) += log2l(fabsl((long double)x));
    }
    if (r->n == 1) return r->x[0];
    bool f64 = r->compute == KF__F64;
    bool underflows = !zero && down < (f64 ? -1021 : -125);
    long double error = (r->promise + (double)r->n * r->eps) * fabsl(p);
    if (underflows && r->noise->sample) return overflowed(r, p, error, true);
    return disturbed(r, p, error, up > (f64 ? 1023 : 127));
}

static double reduce_extreme(const row *r, bool largest) {
    double m = r->x[0];
    bool zeros[2] = {false, false};
    for (int64_t j = 0; j < r->n; j++) {
        double x = r->x[j];
        if (isnan(m) || isnan(x)) m = NAN;
        else if (largest ? x > m : x < m) m = x;
        if (x == 0) zeros[signbit(x) != 0] = true;
    }
    if (m == 0 && zeros[0] && zeros[1] && r->noise->sample)
        return kf__o_random(r->noise, r->index) < 0 ? -0.0 : 0.0;
    return m;
}

/* The mean, and the sum of squares about it. An M2 by merging is off by its own rounding, and by
 * how far the means of the parts are off. */
static double reduce_moments(const row *r, bool mean_only) {
    partial s = {0}, squares = {0};
    for (int64_t j = 0; j < r->n; j++) add(&s, r->x[j]);
    bool large = s.finite > r->largest / 2;
    long double n = kf__o_round(r->compute, (long double)r->n);
    long double mean = total(&s) / n, size = s.magnitude / (long double)r->n;
    if (r->n == 1) mean = r->x[0];
    bool wide = large && r->noise->sample; /* partial sums needn't overflow */
    if (mean_only && r->n > 1 && !wide) /* as sum(x) / n */
        mean = kf__o_round(r->compute, total(&s)) / n;
    if (mean_only) return disturbed(r, mean, r->n == 1 ? 0 : r->promise * size, large);
    for (int64_t j = 0; j < r->n; j++) {
        long double d = r->x[j] - mean;
        add(&squares, d * d);
    }
    long double m2 = total(&squares), off = (8 + log2l((long double)r->n)) * r->eps * size;
    long double error = r->promise * m2 + 2 * off * sqrtl((long double)r->n * m2) +
                        (long double)r->n * (off * off + r->smallest);
    if (r->n == 1) error = 0;
    /* Of equal elements it is nothing, or what their mean's rounding makes of it: all rows alike;
     * in half of a second look's samples each has its own. */
    if (r->noise->sample > 1 && m2 <= error && !large) {
        bool more = r->noise->sample > KF__O_FIRST_LOOK && r->noise->sample % 4 > 1;
        double own = more ? kf__o_random(r->noise, r->index) : r->noise->sample % 2 ? -1 : 1;
        return own < 0 ? 0 : kf__o_round(r->compute, own * (m2 + error));
    }
    return disturbed(r, m2, error, large || (isfinite(m2) && m2 > r->largest / 8));
}

/* The sum of exp(x - max), where x == max gives 1, infinities included. */
static double reduce_sumexp(const row *r) {
    double max = reduce_extreme(&(row){.x = r->x, .n = r->n, .noise = &(kf__o_noise){0}}, true);
    partial s = {0};
    long double rounding = 0; /* of x - max: an absolute error there is a relative one here */
    for (int64_t j = 0; j < r->n; j++) {
        long double d = (long double)r->x[j] - max;
        long double e = isnan(r->x[j]) || isnan(max) ? (long double)NAN
                        : r->x[j] == max             ? 1.0L
                                                     : expl(d);
        add(&s, e);
        if (isfinite(d)) rounding += e * -d * 4 * r->eps;
    }
    return disturbed(r, total(&s), r->n == 1 ? 0 : r->promise * s.magnitude + rounding, false);
}

/* Where the extreme is first; NaN counts as one. */
static int64_t first_extreme(const row *r, bool largest) {
    int64_t at = 0;
    for (int64_t j = 1; j < r->n && !isnan(r->x[at]); j++)
        if (isnan(r->x[j]) || (largest ? r->x[j] > r->x[at] : r->x[j] < r->x[at])) at = j;
    return at;
}

static double reduce_float(const kf__node *node, const row *r) {
    switch ((kf__reduction)node->op) {
    case KF__RED_SUM: return reduce_sum(r);
    case KF__RED_PROD: return reduce_prod(r);
    case KF__RED_MAX:
    case KF__RED_ARGMAX: return reduce_extreme(r, true);
    case KF__RED_MIN:
    case KF__RED_ARGMIN: return reduce_extreme(r, false);
    case KF__RED_MOMENTS: return reduce_moments(r, node->field == 0);
    default: return node->field == 0 ? reduce_extreme(r, true) : reduce_sumexp(r);
    }
}

static int64_t reduce_int(kf__reduction red, int field, const int64_t *x, int64_t n) {
    uint64_t sum = 0, prod = 1;
    int64_t max = INT64_MIN, min = INT64_MAX, max_at = 0, min_at = 0;
    bool any = false, all = true;
    for (int64_t j = 0; j < n; j++) {
        sum += (uint64_t)x[j];
        prod *= (uint64_t)x[j];
        if (x[j] > x[max_at]) max_at = j;
        if (x[j] < x[min_at]) min_at = j;
        max = kf__max(max, x[j]);
        min = kf__min(min, x[j]);
        any |= x[j] != 0;
        all &= x[j] != 0;
    }
    switch (red) {
    case KF__RED_SUM: return (int64_t)sum;
    case KF__RED_PROD: return (int64_t)prod;
    case KF__RED_MAX: return max;
    case KF__RED_MIN: return min;
    case KF__RED_ARGMAX: return field ? max_at : max;
    case KF__RED_ARGMIN: return field ? min_at : min;
    case KF__RED_ANY: return any;
    default: return all;
    }
}

/* A maximum is exact, but for which zero it gives, and a reduction of one element, but that -0 may
 * become 0. */
bool kf__o_reduce_inexact(const kf__node *node, const double *x, int64_t n, int64_t n_rows) {
    kf__reduction red = (kf__reduction)node->op;
    bool zeros[2] = {false, false};
    bool maximum = red == KF__RED_MAX || red == KF__RED_MIN || red == KF__RED_ARGMAX ||
                   red == KF__RED_ARGMIN ||
                   (red == KF__RED_MAX_SUMEXP && node->field == 0);
    if (!maximum && n > n_rows) return true;
    for (int64_t j = 0; j < n; j++)
        if (x[j] == 0) zeros[signbit(x[j]) != 0] = true;
    return zeros[1] && (zeros[0] || !maximum);
}

/* ---------------------------------------------------------------- cumulative */

/* What the elements of a row up to one of them are folded to. */
typedef struct prefix {
    partial sum;
    long double product, up, down; /* and log2 of the factors above and below 1 */
    long double logarithm, largest; /* and the largest of what it was made of */
    double extreme;
    bool zero, zeros[2];
} prefix;

static double prefix_prod(const row *r, const prefix *p) {
    bool f64 = r->compute == KF__F64;
    bool underflows = !p->zero && p->down < (f64 ? -1021 : -125);
    long double error = (r->promise + (double)r->n * r->eps) * fabsl(p->product);
    if (r->n == 1) return r->x[0];
    if (underflows && r->noise->sample) return overflowed(r, p->product, error, true);
    return disturbed(r, p->product, error, p->up > (f64 ? 1023 : 127));
}

static double prefix_extreme(const row *r, const prefix *p) {
    if (p->extreme == 0 && p->zeros[0] && p->zeros[1] && r->noise->sample)
        return kf__o_random(r->noise, r->index) < 0 ? -0.0 : 0.0;
    return p->extreme;
}

/* Each step is a logarithm and an exponential, of 4 ulp together. */
static double prefix_logaddexp(const row *r, prefix *p, double next) {
    long double high = fmaxl(p->logarithm, next), low = fminl(p->logarithm, next);
    if (r->n == 1) high = next, p->largest = 0;
    else if (isnan(p->logarithm) || isnan(next)) high = NAN;
    else if (low > -INFINITY && high < INFINITY) high += log1pl(expl(low - high));
    p->logarithm = high;
    if (isfinite(next)) p->largest = fmaxl(p->largest, fabsl((long double)next));
    if (isfinite(high)) p->largest = fmaxl(p->largest, fabsl(high));
    return disturbed(r, high, r->n == 1 ? 0 : (double)r->n * 8 * r->eps * p->largest, false);
}

/* Element j of the row, in place. */
static void scan_float(const kf__node *node, row *r, prefix *p, double *x, int64_t j) {
    double next = x[j];
    r->x = x;
    r->n = j + 1;
    r->promise = (log2((double)r->n) + 64) * r->eps;
    if (node->op == KF__RED_SUM) {
        add(&p->sum, next);
        bool overflows = p->sum.finite > r->largest / 2;
        x[j] = disturbed(r, j ? total(&p->sum) : next, j ? r->promise * p->sum.magnitude : 0,
                         overflows && j);
    } else if (node->op == KF__RED_PROD) {
        p->product *= next;
        p->zero |= next == 0;
        if (next != 0 && isfinite(next))
            *(fabs(next) > 1 ? &p->up : &p->down) += log2l(fabsl((long double)next));
        x[j] = prefix_prod(r, p);
    } else if (node->op == KF__RED_LOGADDEXP) {
        x[j] = prefix_logaddexp(r, p, next);
    } else {
        bool largest = node->op == KF__RED_MAX;
        if (!j || isnan(next)) p->extreme = next;
        else if (!isnan(p->extreme) && (largest ? next > p->extreme : next < p->extreme))
            p->extreme = next;
        if (isnan(p->extreme)) p->extreme = NAN;
        if (next == 0) p->zeros[signbit(next) != 0] = true;
        x[j] = prefix_extreme(r, p);
    }
    r->index++;
}

static int64_t scan_int(const kf__node *node, int64_t before, int64_t x) {
    switch ((kf__reduction)node->op) {
    case KF__RED_SUM: x = (int64_t)((uint64_t)before + (uint64_t)x); break;
    case KF__RED_PROD: x = (int64_t)((uint64_t)before * (uint64_t)x); break;
    case KF__RED_MAX: return kf__max(before, x);
    default: return kf__min(before, x);
    }
    return kf__o_wrap((kf__dtype)node->dtype, x);
}

bool kf__o_scan_inexact(const kf__node *node, const double *x, int64_t n) {
    bool zeros[2] = {false, false};
    if (node->op != KF__RED_MAX && node->op != KF__RED_MIN) return true;
    for (int64_t j = 0; j < n; j++)
        if (x[j] == 0) zeros[signbit(x[j]) != 0] = true;
    return zeros[0] && zeros[1];
}

void kf__o_scan(const kf__node *node, void *rows, int64_t n_rows, int64_t n,
                const kf__o_noise *noise) {
    row r = row_of((kf__dtype)node->dtype, noise);
    int64_t chunk = node->axes ? node->axes : n;
    prefix p = {.product = 1};
    for (int64_t i = 0; i < n_rows * n; i++) {
        int64_t j = i % n % chunk;
        if (!j) p = (prefix){.product = 1};
        if (kf__is_float((kf__dtype)node->dtype))
            scan_float(node, &r, &p, (double *)rows + i - j, j);
        else if (j)
            ((int64_t *)rows)[i] = scan_int(node, ((int64_t *)rows)[i - 1], ((int64_t *)rows)[i]);
    }
}

/* ---------------------------------------------------------------- rows */

/* Results of nothing: "0", "1", "nan", "-inf", "least" or "largest" by the table. */
static void fill_empty(const kf__node *node, const char *text, int64_t n_rows, void *out) {
    kf__dtype dtype = (kf__dtype)node->dtype;
    double value = text[0] == '1';
    if (text[0] == 'n' && node->field == 0) value = (double)NAN;
    if (text[0] == '-' && node->field == 0) value = -(double)INFINITY;
    if (text[0] == 'l') value = strcmp(text, "least") == 0 ? -(double)INFINITY : (double)INFINITY;
    for (int64_t i = 0; i < n_rows; i++) {
        if (kf__is_float(dtype)) ((double *)out)[i] = value;
        else ((int64_t *)out)[i] = kf__o_saturate(dtype, value);
    }
}

kf_status kf__o_reduce(const kf__node *node, kf__dtype from, const void *rows, int64_t n_rows,
                       int64_t n, const kf__o_noise *noise, void *out, kf_error *err) {
    const kf__red_row *red = &kf__reds[node->op];
    if (n == 0 && n_rows > 0 && !red->empty)
        return kf__fail(err, KF_ERR_SHAPE, "%s of nothing: a reduced axis has size 0", red->name);
    if (n == 0) {
        fill_empty(node, red->empty ? red->empty : "0", n_rows, out);
        return KF_OK;
    }
    row r = row_of((kf__dtype)node->dtype, noise);
    r.n = n;
    r.promise = (log2((double)n) + 64) * r.eps;
    for (int64_t i = 0; i < n_rows; i++) {
        r.index = i;
        r.x = (const double *)rows + i * n;
        bool index = red->field[node->field].index;
        if (index && kf__is_float(from))
            ((int64_t *)out)[i] = first_extreme(&r, node->op == KF__RED_ARGMAX);
        else if (kf__is_float(from)) ((double *)out)[i] = reduce_float(node, &r);
        else
            ((int64_t *)out)[i] = kf__o_wrap(
                (kf__dtype)node->dtype,
                reduce_int((kf__reduction)node->op, node->field, (const int64_t *)rows + i * n, n));
    }
    return KF_OK;
}
