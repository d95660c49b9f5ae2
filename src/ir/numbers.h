/* What operations are on numbers, for the oracle column of ops.def: helpers that its expressions
 * name, and the column as functions. libm and plain C: nothing is shared with generated code. */
#ifndef KFUSE_IR_NUMBERS_H
#define KFUSE_IR_NUMBERS_H

#include <float.h>
#include <math.h>

#include "ir/ops.h"

/* An operation of floats; arguments beyond its own are ignored. */
typedef long double kf__on_numbers(long double a, long double b, long double c);
extern kf__on_numbers *const kf__ops_on_numbers[KF__OP_COUNT];

static inline int64_t kf_o_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t kf_o_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t kf_o_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static inline int64_t kf_o_floordiv(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (b == -1) return kf_o_sub(0, a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t kf_o_mod(int64_t a, int64_t b) {
    if (b == 0 || b == -1) return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* From 2^63 on every number is even. glibc 2.36 has powl(-inf, -2^63) infinite; it is 0. */
static inline long double kf_o_powl(long double a, long double b) {
    return powl(fabsl(b) >= 0x1p63L ? fabsl(a) : a, b);
}

static inline int64_t kf_o_pow(int64_t a, int64_t b) {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
    int64_t r = 1;
    for (; b; b >>= 1) {
        if (b & 1) r = kf_o_mul(r, a);
        a = kf_o_mul(a, a);
    }
    return r;
}

/* By taking factors of 2 out and differences (Stein): no division. */
static inline uint64_t kf_o_gcd_of(uint64_t a, uint64_t b) {
    int twos = 0;
    if (!a || !b) return a | b;
    for (; !((a | b) & 1); a >>= 1, b >>= 1) twos++;
    while (b) {
        while (!(a & 1)) a >>= 1;
        while (!(b & 1)) b >>= 1;
        uint64_t less = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = less;
    }
    return a << twos;
}
static inline uint64_t kf_o_size(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }
static inline int64_t kf_o_gcd(int64_t a, int64_t b) {
    return (int64_t)kf_o_gcd_of(kf_o_size(a), kf_o_size(b));
}
static inline int64_t kf_o_lcm(int64_t a, int64_t b) {
    uint64_t g = kf_o_gcd_of(kf_o_size(a), kf_o_size(b));
    return g ? (int64_t)(kf_o_size(a) / g * kf_o_size(b)) : 0;
}

static inline int64_t kf_o_shl(int64_t a, int64_t b, int bits) {
    return b < 0 || b >= bits ? 0 : (int64_t)((uint64_t)a << b);
}

static inline int64_t kf_o_shr(int64_t a, int64_t b, int bits) {
    return b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> b;
}

static inline long double kf_o_maxf(long double a, long double b) {
    return isnan(a) || isnan(b) ? (long double)NAN : a > b ? a : b;
}
static inline long double kf_o_minf(long double a, long double b) {
    return isnan(a) || isnan(b) ? (long double)NAN : a < b ? a : b;
}
/* NaN stays; of -0 it is 0. */
static inline long double kf_o_signf(long double a) { return a > 0 ? 1 : a < 0 ? -1 : a + 0; }

static inline long double kf_o_scalb(long double a, long double b) {
    if (isnan(b)) return b;
    return ldexpl(a, b > 5000 ? 5000 : b < -5000 ? -5000 : (int)b);
}

/* Python's %: the exact remainder, moved to b's sign. In the type that it is called with: the sum
 * is rounded once. */
static inline long double kf_o_mod_wide(long double a, long double b) {
    long double r = fmodl(a, b);
    if (r != 0 && (r < 0) != (b < 0)) r += b;
    return r == 0 ? copysignl(0, b) : r;
}
static inline double kf_o_mod_double(double a, double b) {
    double r = fmod(a, b);
    if (r != 0 && (r < 0) != (b < 0)) r += b;
    return r == 0 ? copysign(0, b) : r;
}
#define kf_o_modf(a, b) _Generic((a), double: kf_o_mod_double, default: kf_o_mod_wide)(a, b)

/* The floor of the exact quotient; a / b for b = 0, else NaN for infinite a. */
static inline long double kf_o_floordivf(long double a, long double b) {
    if (b == 0) return a / b;
    if (isinf(a)) return a - a;
    long double r = fmodl(a, b), q = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    if (fabsl(q) >= 0x1p53L) return (double)a / (double)b; /* as docs/numerics.md has it */
    return q == 0 ? copysignl(0, a / b) : rintl(q);
}

/* C's %, with the rules of the others. */
static inline int64_t kf_o_rem(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

/* Newton's steps, which are safe from above 0 outwards: erf is concave there. */
static inline long double kf_o_erfinv(long double a) {
    const long double half_root_pi = 0.886226925452758013649083741670572591L;
    long double size = fabsl(a), y = size * half_root_pi;
    if (!(size < 1)) return size == 1 ? a * INFINITY : NAN;
    for (int i = 0; i < 200; i++) {
        long double e = size < 0.5L ? erfl(y) - size : (1 - size) - erfcl(y);
        long double next = y - e * half_root_pi * expl(y * y);
        if (fabsl(next - y) <= 1e-19L * y) break;
        y = next;
    }
    return copysignl(y, a);
}

/* digamma around its zero, which is a sum of two: Taylor's series. */
static inline long double kf_o_digamma_at_zero(long double a) {
    static const long double series[] = {
        -0.00157693677143019725427093497173231304L, 0.00230512632673492693783898028298239433L,
        -0.00336980165543932808279285672353242187L, 0.00492678139572985344635426640268448286L,
        -0.00720453438635686824097047437039685845L, 0.0105387916166121753881240498824307545L,
        -0.0154247659049489591388003168412215322L, 0.0225976482322181046596248251178293953L,
        -0.0331611264748473592922583984044751833L, 0.0488042881641431072250925255079069185L,
        -0.0721995612564547109261217836051120763L, 0.107824050691251262365757182948866756971L,
        -0.163942705442406527504251292746656393L,  0.258499760955651010624401385700954228L,
        -0.44276316898359210609286528185250925L,   0.96767224544762117042744476170965074L};
    long double d = (a - 1.46163214496836234117249642139L) - 9.01631209325869591861442831156e-20L;
    long double r = 0;
    for (int k = 0; k < 16; k++) r = r * d + series[k];
    return r * d;
}

/* lgamma's derivative, by reflection, recurrence and an asymptotic series. */
static inline long double kf_o_digamma(long double a) {
    static const long double series[] = {1 / 12.0L, -1 / 120.0L, 1 / 252.0L, -1 / 240.0L,
                                         1 / 132.0L, -691 / 32760.0L, 1 / 12.0L};
    const long double pi = 3.14159265358979323846264338327950288L;
    long double r = 0, power = 1;
    if (a == 0) return -copysignl(INFINITY, a);
    if (a < 0 && floorl(a) == a) return NAN;
    if (a < 0) { /* tan has the period 1 here: exact in the rest */
        long double rest = a - rintl(a);
        return kf_o_digamma(1 - a) - pi / tanl(pi * rest);
    }
    if (fabsl(a - 1.4616321449683623L) < 0.1L) return kf_o_digamma_at_zero(a);
    for (; a < 30; a++) r -= 1 / a;
    for (int k = 0; k < 7; k++) r -= series[k] * (power /= a * a);
    return isinf(a) ? a : r + logl(a) - 0.5L / a;
}

/* The next number: of f32 where the numbers are wide. */
static inline long double kf_o_next_f32(long double a, long double b) {
    return nextafterf((float)a, (float)b);
}
#define kf_o_next(a, b) _Generic((a), double: nextafter, default: kf_o_next_f32)(a, b)

/* In the type that it is called with: rounded once. */
/* Of f32 arguments the product is exact. The sum is rounded to odd, so that rounding it to f32
 * afterwards is as rounding once (Boldo, Melquiond 2008). */
static inline long double kf_o_fma_wide(long double a, long double b, long double c) {
    long double p = a * b, s = p + c;
    if (!isfinite(s) || fmal(a, b, -p) != 0) return fmal(a, b, c);
    long double t = s - p, rest = (p - (s - t)) + (c - t);
    int exponent;
    if (rest == 0 || fmodl(ldexpl(frexpl(s, &exponent), LDBL_MANT_DIG), 2) != 0) return s;
    return nextafterl(s, rest > 0 ? INFINITY : -INFINITY);
}
#define kf_o_fma(a, b, c) _Generic((a), double: fma, default: kf_o_fma_wide)(a, b, c)

#endif
