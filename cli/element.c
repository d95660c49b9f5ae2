/* One element of any dtype, to and from a double. Floats that C hasn't are fields of bits: sign,
 * exponent, mantissa. */
#include "element.h"

#include <math.h>

typedef struct fields {
    int exponent, mantissa; /* bits of each */
    bool infinite;          /* the last exponent is infinity's and NaN's; else only all ones
                             * is NaN */
} fields;

static fields fields_of(kf__dtype dtype) {
    switch (dtype) {
    case KF__F8E4M3: return (fields){4, 3, false};
    case KF__F8E5M2: return (fields){5, 2, true};
    case KF__F16: return (fields){5, 10, true};
    default: return (fields){8, 7, true};
    }
}

/* The exponent of a denormal's last bit. */
static int least(fields f) { return 2 - (1 << (f.exponent - 1)) - f.mantissa; }

static double decode(fields f, uint32_t bits) {
    int e = (int)(bits >> f.mantissa) & ((1 << f.exponent) - 1), last = (1 << f.exponent) - 1;
    int m = (int)bits & ((1 << f.mantissa) - 1), ones = (1 << f.mantissa) - 1;
    double v = e == last && f.infinite        ? (m ? (double)NAN : (double)INFINITY)
               : e == last && m == ones       ? (double)NAN
               : e                            ? ldexp(ones + 1 + m, e - 1 + least(f))
                                              : ldexp(m, least(f));
    return bits >> (f.exponent + f.mantissa) & 1 ? -v : v;
}

static uint32_t encode(fields f, double v) {
    uint32_t sign = signbit(v) ? 1u << (f.exponent + f.mantissa) : 0;
    uint32_t infinity = (uint32_t)((1 << f.exponent) - 1) << f.mantissa;
    uint32_t nan = infinity | ((1u << f.mantissa) - 1), code = infinity;
    double size = fabs(v);
    if (isnan(v)) return nan;
    if (isfinite(v)) {
        int exponent;
        frexp(size, &exponent); /* size < 2^exponent */
        int step = exponent - 1 - f.mantissa;
        if (size == 0 || step < least(f)) step = least(f);
        code = ((uint32_t)(step - least(f)) << f.mantissa) + (uint32_t)rint(ldexp(size, -step));
    }
    if (f.infinite) return sign | (code < infinity ? code : infinity);
    return sign | (isfinite(v) && code < nan ? code : nan);
}

#define LOAD(type, to)            \
    do {                          \
        type x;                   \
        memcpy(&x, at, sizeof x); \
        to = x;                   \
    } while (0)

double element_load(kf__dtype dtype, const void *at, int64_t *integer) {
    double v = 0;
    uint32_t bits;
    *integer = 0;
    switch (dtype) {
    case KF__BOOL: LOAD(uint8_t, *integer); *integer = *integer != 0; break;
    case KF__U8: LOAD(uint8_t, *integer); break;
    case KF__I8: LOAD(int8_t, *integer); break;
    case KF__I16: LOAD(int16_t, *integer); break;
    case KF__I32: LOAD(int32_t, *integer); break;
    case KF__I64: LOAD(int64_t, *integer); break;
    case KF__F8E4M3:
    case KF__F8E5M2: LOAD(uint8_t, bits); return decode(fields_of(dtype), bits);
    case KF__F16:
    case KF__BF16: LOAD(uint16_t, bits); return decode(fields_of(dtype), bits);
    case KF__F32: LOAD(float, v); break;
    case KF__F64: LOAD(double, v); break;
    default: break;
    }
    return v;
}

void element_store_integer(kf__dtype dtype, void *at, int64_t v) {
    float f = (float)v;
    if (dtype == KF__BOOL) v = v != 0;
    memcpy(at, dtype == KF__F32 ? (const void *)&f : &v, (size_t)kf__types[dtype].size);
}

void element_store(kf__dtype dtype, void *at, double v) {
    float f;
    uint32_t bits;
    size_t size = (size_t)kf__types[dtype].size;
    if (dtype == KF__F64) {
        memcpy(at, &v, size);
    } else if (dtype == KF__F32) {
        f = (float)v;
        memcpy(at, &f, size);
    } else if (kf__is_float(dtype)) { /* numbers are little-endian wherever kfuse runs */
        bits = encode(fields_of(dtype), v);
        memcpy(at, &bits, size);
    } else {
        element_store_integer(dtype, at, dtype == KF__BOOL ? v != 0 : (int64_t)v);
    }
}
