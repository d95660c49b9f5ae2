/* Numbers as each dtype holds them: rounding, wrapping, saturating, loading; and the random numbers
 * that disturb the samples. Written for itself: nothing is shared with generated code. */
#include "oracle/eval.h"

#include <math.h>

/* ---------------------------------------------------------------- floats */

typedef struct format {
    int digits;  /* of the significand, the hidden one included */
    int quantum; /* 2^quantum is the smallest denormal */
    int top;     /* 2^top is beyond the largest number */
} format;

static format format_of(kf__dtype t) {
    switch (t) {
    case KF__F8E4M3: return (format){4, -9, 9};
    case KF__F8E5M2: return (format){3, -16, 16};
    case KF__F16: return (format){11, -24, 16};
    case KF__BF16: return (format){8, -133, 128};
    case KF__F64: return (format){53, -1074, 1024};
    default: return (format){24, -149, 128};
    }
}

/* Exponent e of x = m * 2^e, m in [1/2, 1); x is finite and not 0. */
static int exponent(long double x) {
    int e;
    frexpl(x, &e);
    return e;
}

double kf__o_ulp(kf__dtype t, long double x) {
    format f = format_of(t);
    int e = f.quantum;
    if (isnan(x)) return 0;
    if (isinf(x)) e = f.top - f.digits;
    else if (x != 0) e = exponent(x) - f.digits;
    if (e > f.top - f.digits) e = f.top - f.digits;
    return ldexp(1, e < f.quantum ? f.quantum : e);
}

static double round_half(kf__dtype t, long double x) {
    format f = format_of(t);
    if (x == 0 || !isfinite(x)) return (double)x;
    double narrow = (double)x;
    uint64_t u;
    memcpy(&u, &narrow, 8);
    int e = (int)(u >> 52 & 2047) - 1022 - f.digits, drop = 53 - f.digits;
    if (narrow == x && e >= f.quantum && e + f.digits < f.top) { /* usually; ten times as fast */
        u += ((uint64_t)1 << (drop - 1)) - 1 + (u >> drop & 1);
        u = u >> drop << drop;
        memcpy(&narrow, &u, 8);
        return narrow;
    }
    e = exponent(x) - f.digits;
    if (e < f.quantum) e = f.quantum;
    double y = (double)ldexpl(rintl(ldexpl(x, -e)), e);
    return fabs(y) >= ldexp(1, f.top) ? copysign(INFINITY, y) : y;
}

double kf__o_round(kf__dtype t, long double x) {
    switch (t) {
    case KF__F32: return (float)x;
    case KF__F8E4M3: /* no infinities */
        x = round_half(t, x);
        return fabsl(x) > 448 ? (double)NAN : (double)x;
    case KF__F8E5M2:
    case KF__F16:
    case KF__BF16: return round_half(t, x);
    default: return (double)x;
    }
}

/* The number next to x on the way to y. */
double kf__o_next(kf__dtype t, double x, double y) {
    format f = format_of(t);
    if (isnan(x) || isnan(y)) return NAN;
    x = kf__o_round(t, x), y = kf__o_round(t, y);
    if (x == y) return y;
    if (x == 0) return copysign(ldexp(1, f.quantum), y);
    if (isinf(x)) return copysign(ldexp(1 - ldexp(1, -f.digits), f.top), x);
    int e;
    bool out = (x < y) == (x > 0); /* away from 0: below a power of 2 the step is half */
    if (frexp(fabs(x), &e) == 0.5 && !out) e--;
    double step = ldexp(1, e - f.digits < f.quantum ? f.quantum : e - f.digits);
    double r = fabs(x) + (out ? step : -step);
    return copysign(t != KF__F64 && r >= ldexp(1, f.top) ? INFINITY : r, x);
}

/* ---------------------------------------------------------------- integers */

int64_t kf__o_wrap(kf__dtype t, int64_t x) {
    switch (t) {
    case KF__BOOL: return x != 0;
    case KF__U8: return (uint8_t)x;
    case KF__I8: return (int8_t)x;
    case KF__I16: return (int16_t)x;
    case KF__I32: return (int32_t)x;
    default: return x;
    }
}

int64_t kf__o_saturate(kf__dtype t, long double x) {
    int bits = kf__types[t].dlpack.bits;
    if (t == KF__BOOL) return x != 0;
    if (isnan(x)) return 0;
    x = truncl(x);
    if (t == KF__U8) return x < 0 ? 0 : x > 255 ? 255 : (int64_t)x;
    long double top = ldexpl(1, bits - 1); /* one beyond the largest */
    if (x >= top) return (int64_t)(UINT64_MAX >> (65 - bits));
    if (x < -top) x = -top;
    return (int64_t)x;
}

/* ---------------------------------------------------------------- loading */

static double half_value(uint16_t bits) {
    int e = bits >> 10 & 31, m = bits & 1023;
    double x = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return bits >> 15 ? -x : x;
}

static double float8_value(uint8_t bits) {
    int e = bits >> 3 & 15, m = bits & 7;
    double x = (bits & 127) == 127 ? NAN : e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
    return bits >> 7 ? -x : x;
}

static double bfloat_value(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

#define LOAD(type, to, expression)                          \
    for (int64_t j = 0; j < n; j++) {                       \
        type x;                                             \
        memcpy(&x, from + j * stride, sizeof x);            \
        (to)[j] = expression;                               \
    }                                                       \
    return

void kf__o_load(kf__dtype t, const char *from, int64_t stride, int64_t n, void *to) {
    double *f = to;
    int64_t *i = to;
    switch (t) {
    case KF__BOOL: LOAD(uint8_t, i, x != 0);
    case KF__U8: LOAD(uint8_t, i, x);
    case KF__I8: LOAD(int8_t, i, x);
    case KF__I16: LOAD(int16_t, i, x);
    case KF__I32: LOAD(int32_t, i, x);
    case KF__I64: LOAD(int64_t, i, x);
    case KF__F8E4M3: LOAD(uint8_t, f, float8_value(x));
    case KF__F8E5M2: LOAD(uint8_t, f, half_value((uint16_t)(x << 8)));
    case KF__F16: LOAD(uint16_t, f, half_value(x));
    case KF__BF16: LOAD(uint16_t, f, bfloat_value(x));
    case KF__F32: LOAD(float, f, x);
    default: LOAD(double, f, x);
    }
}

/* ---------------------------------------------------------------- casts */

/* Rounds once. */
void kf__o_cast(kf__dtype from, kf__dtype to, const void *a, int64_t n, void *out) {
    const double *fa = a;
    const int64_t *ia = a;
    double *f = out;
    int64_t *i = out;
    if (kf__is_float(from) && kf__is_float(to)) {
        for (int64_t j = 0; j < n; j++) f[j] = kf__o_round(to, fa[j]);
    } else if (kf__is_float(from)) {
        for (int64_t j = 0; j < n; j++) i[j] = kf__o_saturate(to, fa[j]);
    } else if (kf__is_float(to)) {
        for (int64_t j = 0; j < n; j++) f[j] = kf__o_round(to, ia[j]);
    } else {
        for (int64_t j = 0; j < n; j++) i[j] = kf__o_wrap(to, ia[j]);
    }
}

/* ---------------------------------------------------------------- noise */

uint64_t kf__o_hash(uint64_t x) { /* splitmix64's mixer */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

double kf__o_random(const kf__o_noise *noise, int64_t element) {
    uint64_t h = kf__o_hash(noise->key + (uint64_t)element);
    double u = 0.5 + 0.5 * (double)(h >> 11) * 0x1p-53;
    return ((h ^ (uint64_t)noise->sample) & 1) ? u : -u;
}

long double kf__o_disturb(const kf__o_noise *noise, int64_t element, kf__dtype t, long double x,
                          long double error) {
    if (!(error > 0)) return x;
    if (noise->sample > KF__O_FIRST_LOOK) /* a large error may hide what a small one does: in
                                           * x % 0.5 */
        error = ldexpl(error, -(int)(kf__o_hash(noise->key - (uint64_t)element) % 24));
    if (noise->all && noise->sample == KF__O_BORDERS) error = ldexpl(error, -8);
    if (noise->sample > 1) return x + (long double)kf__o_random(noise, element) * error;
    long double grid = 32 * kf__o_ulp(t, x);
    return fabsl(x) <= error ? 0 : rintl(x / grid) * grid;
}

/* Are all halves moved by about as much as rounding would, either way? The roundings of two that
 * cancel don't then, however few the samples are. */
bool kf__o_scatters(const kf__o_noise *noise) {
    return noise->sample == (noise->all ? 2 : 3) && noise->few > 1;
}

/* Is a half that a kernel may store stored in this sample? Then whoever uses it, in the kernel that
 * makes it too, gets it rounded (src/fuse/body.c). In the second sample those are that calls hand
 * on, which one kernel a call stores; in the fourth all are, in the first all or none, in the third
 * none. Other looks swap the second and the fourth. In the sixth those are that are reduced, behind
 * which kernels end; in other looks rows' values and what calls hand on, with little else
 * disturbed, so that all are rounded as in the kernels that end there. In the fifth of other looks
 * all are but what is only reduced, in the kernel that makes it. Of the others one in 4, 16, 2, ..:
 * most kernels store few. Further looks of three samples have no others, so there the third is one
 * of these, or one of both scatters. */
bool kf__o_border(const kf__o_noise *noise) {
    int bits = 1 + noise->sample % 4;
    if (kf__o_scatters(noise)) return true;
    switch (noise->sample) {
    case 1: return noise->all;
    case 2: return noise->all || noise->border;
    case 3:
        if (!noise->few) return false;
        bits = 1 + noise->other;
        break;
    case 4: return !noise->all || noise->border;
    case KF__O_BORDERS: return noise->all ? noise->widened || noise->border : noise->reduced;
    case 5:
        if (noise->other) return !noise->folded;
        break;
    default: break;
    }
    uint64_t h = kf__o_hash((noise->key ^ 0x5555555555555555u) + (uint64_t)noise->sample);
    return (h & ((1u << bits) - 1)) == 0;
}
