/* The prelude's part that every dialect shares. The text of a generated source is
 *
 *     prelude_c.h | prelude_cuda.cuh | prelude_emu.h      a dialect: types, memory, hardware
 *     prelude_common.h                                    this: arithmetic, one text for all
 *     prelude_convert.h                                   from type to type, one text for all
 *     kernels                                             name nothing but kf_ functions
 *
 * and no file includes another. This one is C17 and C++17. A function's suffix is the dtype that it
 * works on. Functions of f32 have no branches, tables or calls, so that loops of them vectorize,
 * and CPU and GPU give the same bits: kf_fma_f32 rounds once in both. (x86-64-v2 has no FMA:
 * there it is a multiplication and an addition, and kf_fma_exact_f32, which gives the rounding
 * error of a product, goes through double.) Of NaNs only that they are NaN is the same.
 *
 * The dialect brings: KF_FN; int64_t and so on; kf_bits_f32, kf_float_f32 (reinterpret);
 * kf_fma_f32, kf_fma_exact_f32; kf_divn_f32 (a / b where operands and quotient are far from
 * overflow and denormals); kf_select_f32; kf_raise_f32 (the greater of x and a bound, NaN stays),
 * kf_clamp_f32 (low < 0 < high, NaN stays); max min abs sqrt round floor ceil trunc fmod of floats;
 * floats to i32 and i64; other functions of f64; loads and stores. KF_BRANCHY: a branch that is
 * rarely taken is cheap, as on a GPU. */

/* ---------------------------------------------------------------- numbers */

#define kf_one_f32 1.0f
#define kf_one_f64 1.0
#define kf_inf_f32 KF_HUGE_F32
#define kf_inf_f64 KF_HUGE_F64
#define kf_nan_f32 KF_NAN_F32
#define kf_nan_f64 KF_NAN_F64
#define kf_lowest_f32 (-KF_HUGE_F32)
#define kf_highest_f32 KF_HUGE_F32
#define kf_lowest_f64 (-KF_HUGE_F64)
#define kf_highest_f64 KF_HUGE_F64
#define kf_lowest_i64 ((int64_t)(-0x7fffffffffffffff - 1))
#define kf_highest_i64 ((int64_t)0x7fffffffffffffff)
#define kf_lowest_i32 ((int32_t)(-0x7fffffff - 1))
#define kf_highest_i32 ((int32_t)0x7fffffff)
#define kf_lowest_i16 ((int16_t)-0x8000)
#define kf_highest_i16 ((int16_t)0x7fff)
#define kf_lowest_i8 ((int8_t)-0x80)
#define kf_highest_i8 ((int8_t)0x7f)
#define kf_lowest_u8 ((uint8_t)0)
#define kf_highest_u8 ((uint8_t)0xff)
#define kf_lowest_bool 0
#define kf_highest_bool 1

/* ---------------------------------------------------------------- indices */

/* Is index i one of n? */
KF_FN int kf_inside(int64_t i, int64_t n) { return (i >= 0) & (i < n); }

/* ---------------------------------------------------------------- integers */

#define KF_NEGATIVE(x) ((x) < 0)
#define KF_NEVER(x) 0
#define KF_INT(N, T, U, BITS, RIGHT, NEG)                                                     \
    KF_FN T kf_add_##N(T a, T b) { return (T)((U)a + (U)b); }                                 \
    KF_FN T kf_sub_##N(T a, T b) { return (T)((U)a - (U)b); }                                 \
    KF_FN T kf_mul_##N(T a, T b) { return (T)((U)a * (U)b); }                                 \
    KF_FN T kf_neg_##N(T a) { return (T)((U)0 - (U)a); }                                      \
    KF_FN T kf_abs_##N(T a) { return NEG(a) ? (T)((U)0 - (U)a) : a; }                         \
    KF_FN T kf_sign_##N(T a) { return (T)((a > 0) - NEG(a)); }                                \
    KF_FN T kf_max_##N(T a, T b) { return a > b ? a : b; }                                    \
    KF_FN T kf_min_##N(T a, T b) { return a < b ? a : b; }                                    \
    KF_FN T kf_not_##N(T a) { return (T)~a; }                                                 \
    KF_FN T kf_shl_##N(T a, T b) {                                                            \
        return (U)b < BITS ? (T)((U)a << ((U)b & (BITS - 1))) : (T)0;                         \
    }                                                                                         \
    KF_FN T kf_shr_##N(T a, T b) { return (T)(a >> ((U)b < BITS ? (int)b : RIGHT)); }         \
    KF_FN T kf_floordiv_##N(T a, T b) {                                                       \
        T d = b == 0 || b == (T)-1 ? (T)1 : b;                                                \
        T q = (T)(a / d);                                                                     \
        T r = (T)(a - q * d);                                                                 \
        T f = r != 0 && NEG(r) != NEG(d) ? (T)(q - 1) : q;                                    \
        f = b == (T)-1 && NEG((T)-1) ? (T)((U)0 - (U)a) : b == (T)-1 ? (T)(a == b) : f;       \
        return b == 0 ? (T)0 : f;                                                             \
    }                                                                                         \
    KF_FN T kf_mod_##N(T a, T b) {                                                            \
        T d = b == 0 || (b == (T)-1 && NEG((T)-1)) ? (T)1 : b;                                \
        T r = (T)(a % d);                                                                     \
        return r != 0 && NEG(r) != NEG(d) ? (T)(r + d) : r;                                   \
    }                                                                                         \
    KF_FN T kf_pow_##N(T a, T b) {                                                            \
        U base = (U)a, r = 1;                                                                 \
        if (NEG(b)) return a == 1 ? (T)1 : a == (T)-1 ? (T)(b & 1 ? -1 : 1) : (T)0;           \
        for (U n = (U)b; n; n >>= 1, base *= base) r *= n & 1 ? base : (U)1;                  \
        return (T)r;                                                                          \
    }
KF_INT(i64, int64_t, uint64_t, 64, 63, KF_NEGATIVE)
KF_INT(i32, int32_t, uint32_t, 32, 31, KF_NEGATIVE)
KF_INT(i16, int16_t, uint32_t, 16, 15, KF_NEGATIVE)
KF_INT(i8, int8_t, uint32_t, 8, 7, KF_NEGATIVE)
KF_INT(u8, uint8_t, uint32_t, 8, 8, KF_NEVER)
KF_FN int kf_max_bool(int a, int b) { return a | b; }
KF_FN int kf_min_bool(int a, int b) { return a & b; }
KF_FN int kf_not_bool(int a) { return !a; }

/* ---------------------------------------------------------------- floats, both widths */

#define KF_FLOAT(N, T)                                                                        \
    KF_FN T kf_add_##N(T a, T b) { return a + b; }                                            \
    KF_FN T kf_sub_##N(T a, T b) { return a - b; }                                            \
    KF_FN T kf_mul_##N(T a, T b) { return a * b; }                                            \
    KF_FN T kf_neg_##N(T a) { return -a; }                                                    \
    KF_FN T kf_sign_##N(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a; }                     \
    KF_FN int kf_isnan_##N(T a) { return a != a; }                                            \
    KF_FN int kf_isinf_##N(T a) { return kf_abs_##N(a) == kf_inf_##N; }                       \
    KF_FN int kf_isfinite_##N(T a) { return kf_abs_##N(a) < kf_inf_##N; }                     \
    KF_FN T kf_rsqrt_##N(T a) { return (T)1 / kf_sqrt_##N(a); }
KF_FLOAT(f32, float)
KF_FLOAT(f64, double)

KF_FN float kf_copysign_f32(float size, float sign) {
    return kf_float_f32((kf_bits_f32(size) & 0x7fffffff) | (kf_bits_f32(sign) & kf_lowest_i32));
}
/* The same for a size without a sign, or with the right one, in one operation less. */
KF_FN float kf__signed(float size, float sign) {
    return kf_float_f32(kf_bits_f32(size) | (kf_bits_f32(sign) & kf_lowest_i32));
}
/* Adding it rounds to an integer, which then stands in the low bits; |x| < 2^22. */
#define KF_MAGIC 0x1.8p23f
/* Bits' differences may leave int32's range where a float is negative or NaN: they wrap. */
KF_FN int32_t kf__minus(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
/* 2^n from bits whose low 9 are n: -126 <= n <= 127. */
KF_FN float kf__power_of_2(int32_t n) {
    return kf_float_f32((int32_t)(((uint32_t)n << 23) + 0x3f800000u));
}

/* ---------------------------------------------------------------- exponentials */

/* x = n ln 2 + r: gives r, and n in the low bits of *k. |x| <= 104, or NaN. */
KF_FN float kf__exp_reduce(float x, int32_t *k) {
    float t = kf_fma_f32(x, 0x1.715476p0f, KF_MAGIC);
    float n = t - KF_MAGIC;
    *k = kf_bits_f32(t);
    return kf_fma_f32(n, -0x1.7f7d1cp-20f, kf_fma_f32(n, -0x1.62e4p-1f, x)); /* inner: exact */
}
KF_FN float kf__exp_near_0(float r) { /* |r| <= ln 2 / 2 */
    float p = kf_fma_f32(0x1.695d7ap-10f, r, 0x1.123c7ep-7f);
    p = kf_fma_f32(p, r, 0x1.555a1cp-5f);
    p = kf_fma_f32(p, r, 0x1.55548ep-3f);
    p = kf_fma_f32(p, r, 0x1.fffffap-2f);
    p = kf_fma_f32(p, r, 1.0f);
    return kf_fma_f32(p, r, 1.0f);
}
/* p 2^n in two steps, of which only the last can overflow or be denormal; |n| <= 150. */
KF_FN float kf__exp_scale(float p, int32_t k) {
    int32_t half = k >> 1;
    return p * kf__power_of_2(half) * kf__power_of_2(kf__minus(k, half));
}
KF_FN float kf_exp_f32(float x) {
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(x, -104.0f, 89.0f), &k);
    return kf__exp_scale(kf__exp_near_0(r), k);
}

/* e^x - 1 = 2^n (e^r - 1) + (2^n - 1); half of everything is taken, as 2^128 is too large. */
KF_FN float kf_expm1_f32(float x) {
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(x, -26.0f, 89.0f), &k);
    float p = kf_fma_f32(0x1.9e1d76p-13f, r, 0x1.6d465ep-10f);
    p = kf_fma_f32(p, r, 0x1.1113p-7f);
    p = kf_fma_f32(p, r, 0x1.5554eep-5f);
    p = kf_fma_f32(p, r, 0x1.555554p-3f);
    p = kf_fma_f32(p, r, 0.5f);
    p = kf_fma_f32(p * r, r, r);
    float half = kf__power_of_2(kf__minus(k, 1));
    float e = kf_fma_f32(p, half, half - 0.5f);
    e = kf_select_f32(half == 0.5f, p, e + e); /* halving p would round a denormal one */
    return kf__signed(e, x);                    /* -0 */
}

/* Below 0.55: x plus x times a polynomial in x^2. From there 1 - 2 / (e^2x + 1). */
KF_FN float kf_tanh_f32(float x) {
    int32_t k;
    float a = kf_abs_f32(x), s = x * x;
    float p = kf_fma_f32(0x1.0d5184p-6f, s, -0x1.af7d38p-5f);
    p = kf_fma_f32(p, s, 0x1.10cefcp-3f);
    p = kf_fma_f32(p, s, -0x1.555452p-2f);
    float r = kf__exp_reduce(2.0f * (a < 9.2f ? a : 9.2f), &k);
    float e = kf_fma_f32(kf__exp_near_0(r), kf__power_of_2(k), 1.0f);
    r = 1.0f - kf_divn_f32(2.0f, e);
    return kf__signed(kf_select_f32(a >= 0.55f, r, kf_fma_f32(p * s, x, x)), x);
}

/* Below 0.9: x plus x times a polynomial in x^2. From there 1 - erfc, which is the fourth power of
 * a polynomial: of a lower degree than for erfc itself. From 4 on it is 1. */
KF_FN float kf_erf_f32(float x) {
    float a = kf_abs_f32(x), s = x * x;
    float p = kf_fma_f32(-0x1.3ed77ap-11f, s, 0x1.48558cp-8f);
    p = kf_fma_f32(p, s, -0x1.b6b838p-6f);
    p = kf_fma_f32(p, s, 0x1.ce1d3ep-4f);
    p = kf_fma_f32(p, s, -0x1.8126f4p-2f);
    p = kf_fma_f32(p, s, 0x1.06eba6p-3f);
    float u = a < 4.0f ? a : 4.0f;
    float q = kf_fma_f32(-0x1.f7622ap-16f, u, 0x1.3ab12ep-12f);
    q = kf_fma_f32(q, u, -0x1.89f904p-15f);
    q = kf_fma_f32(q, u, -0x1.3c9b4p-7f);
    q = kf_fma_f32(q, u, 0x1.2d0baap-5f);
    q = kf_fma_f32(q, u, -0x1.e4ae5cp-8f);
    q = kf_fma_f32(q, u, -0x1.a25090p-4f);
    q = kf_fma_f32(q, u, -0x1.283ffp-2f);
    q = kf_fma_f32(q, u, 0x1.00548p0f);
    q = q * q;
    q = kf__signed(kf_fma_f32(-q, q, 1.0f), x);
    return kf_select_f32(a >= 0.9f, q, kf_fma_f32(p, x, x));
}

/* ---------------------------------------------------------------- logarithms */

/* log(1 + f) + n ln 2 for -1/4 <= f <= 1/2: the sum cancels little, as |log(1 + f)| < 0.41. */
KF_FN float kf__log_of(float f, float n) {
    float p = kf_fma_f32(-0x1.721d3ep-5f, f, 0x1.ad4188p-4f);
    p = kf_fma_f32(p, f, -0x1.0db586p-3f);
    p = kf_fma_f32(p, f, 0x1.28852ep-3f);
    p = kf_fma_f32(p, f, -0x1.54eb54p-3f);
    p = kf_fma_f32(p, f, 0x1.9968fp-3f);
    p = kf_fma_f32(p, f, -0x1.00004ep-2f);
    p = kf_fma_f32(p, f, 0x1.5555a6p-2f);
    p = kf_fma_f32(p, f, -0.5f);
    return kf_fma_f32(n, 0x1.62e43p-1f, kf_fma_f32(p, f * f, f));
}
KF_FN float kf_log_f32(float x) {
    float tiny = x < 0x1p-126f ? 0x1p23f : 1.0f;
    int32_t bits = kf_bits_f32(x * tiny);
    int32_t e = kf__minus(bits, 0x3f400000) & (int32_t)0xff800000; /* x = 2^n m, 3/4 <= m < 3/2 */
    float n = kf_fma_f32((float)e, 0x1p-23f, tiny > 1.0f ? -23.0f : 0.0f);
    float r = kf__log_of(kf_float_f32(kf__minus(bits, e)) - 1.0f, n);
    r = kf_select_f32(x < kf_inf_f32, r, x); /* inf, NaN */
    r = kf_select_f32(x == 0, -kf_inf_f32, r);
    return kf_select_f32(x < 0, kf_nan_f32, r);
}
/* 1 + x = 2^n (1 + f) with n from the rounded sum and f from x itself, so that no bit is lost. */
KF_FN float kf_log1p_f32(float x) {
    int32_t e = kf__minus(kf_bits_f32(x + 1.0f), 0x3f400000) & (int32_t)0xff800000;
    float scale = kf_float_f32(kf__minus(0x40800000, e)); /* 4 / 2^n */
    float f = kf_float_f32(kf__minus(kf_bits_f32(x), e));
    f = f + kf_fma_f32(0.25f, scale, -1.0f);
    float r = kf__log_of(f, (float)e * 0x1p-23f);
    r = kf_select_f32(kf_abs_f32(x) < 0x1p-24f, x, r); /* denormals and -0 too */
    r = kf_select_f32(x < kf_inf_f32, r, x);
    r = kf_select_f32(x == -1.0f, -kf_inf_f32, r);
    return kf_select_f32(x < -1.0f, kf_nan_f32, r);
}

/* x^y = e^(y log x), the logarithm as a sum of two floats: log m = 2 atanh((m - 1) / (m + 1)). */
KF_FN float kf_pow_f32(float x, float y) {
    float a = kf_abs_f32(x), tiny = a < 0x1p-126f ? 0x1p23f : 1.0f;
    int32_t bits = kf_bits_f32(a * tiny);
    int32_t e = kf__minus(bits, 0x3f3504f3) & (int32_t)0xff800000;
    float n = kf_fma_f32((float)e, 0x1p-23f, tiny > 1.0f ? -23.0f : 0.0f);
    float m = kf_float_f32(kf__minus(bits, e));
    float v = m - 1.0f, d = m + 1.0f;
    float inverse = kf_divn_f32(1.0f, d), q = v * inverse;
    float ql = inverse * kf_fma_exact_f32(-q, v, v - 2.0f * q); /* of v - q (m + 1) */
    float s = q * q;
    float sl = kf_fma_f32(q, ql + ql, kf_fma_exact_f32(q, q, -s));
    float p = kf_fma_f32(0x1.ce64bep-4f, s, 0x1.24c1fep-3f);
    p = kf_fma_f32(p, s, 0x1.99986cp-3f);
    p = kf_fma_f32(p, s, 0x1.555556p-2f);
    float c = s * q;
    float cl = kf_fma_f32(s, ql, kf_fma_f32(sl, q, kf_fma_exact_f32(s, q, -c)));
    float low = kf_fma_f32(p, c, kf_fma_f32(p, cl, ql));
    float high = kf_fma_exact_f32(0x1.62e4p-1f, n, 2.0f * q); /* n times it is exact */
    float error = 2.0f * q - (high - 0x1.62e4p-1f * n);
    low = kf_fma_f32(0x1.7f7d1cp-20f, n, kf_fma_f32(2.0f, low, error));
    float log_high = high + low, log_low = (high - log_high) + low;
    log_high = kf_select_f32(a == 0, -kf_inf_f32, log_high);
    log_high = kf_select_f32(a == kf_inf_f32, kf_inf_f32, log_high);
    float h = y * log_high;
    float l = kf_fma_f32(y, log_low, kf_fma_exact_f32(y, log_high, -h));
    l = kf_select_f32(kf_abs_f32(h) <= 120.0f, l, 0.0f);
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(h, -104.0f, 89.0f), &k) + l;
    r = kf__exp_scale(kf__exp_near_0(r), k);

    int integer = kf_trunc_f32(y) == y;
    int odd = integer & (kf_trunc_f32(0.5f * y) != 0.5f * y);
    r = kf_select_f32((kf_bits_f32(x) < 0) & odd, -r, r);
    r = kf_select_f32((x < 0) & !integer & (a < kf_inf_f32), kf_nan_f32, r);
    r = kf_select_f32((a == 1.0f) & (kf_abs_f32(y) == kf_inf_f32), 1.0f, r);
    r = kf_select_f32((x != x) | (y != y), x + y, r);
    return kf_select_f32((x == 1.0f) | (y == 0), 1.0f, r);
}

/* ---------------------------------------------------------------- trigonometry */

/* Quadrant `n` (its low bits count) and rest r of a sine or cosine. */
KF_FN float kf__sin_in(float r, int32_t n) {
    float s = r * r;
    float p = kf_fma_f32(-0x1.991e08p-13f, s, 0x1.1106cap-7f);
    p = kf_fma_f32(p, s, -0x1.555544p-3f);
    float sine = kf__signed(kf_fma_f32(p * s, r, r), r); /* -0 */
    float q = kf_fma_f32(0x1.99a21p-16f, s, -0x1.6c0b18p-10f);
    q = kf_fma_f32(q, s, 0x1.555548p-5f);
    q = kf_fma_f32(q, s, -0.5f);
    float cosine = kf_fma_f32(q, s, 1.0f);
    float v = kf_select_f32(n & 1, cosine, sine);
    return kf_float_f32(kf_bits_f32(v) ^ (int32_t)((uint32_t)(n & 2) << 30));
}
/* x / (2 pi) without its integer part, for any x: 1 / (2 pi) in pieces of 29 bits, whose products
 * with x are exact in double. */
KF_FN double kf__turn(double x, double piece, double sum) {
    double p = x * piece;
    return sum + (p - kf_round_f64(p));
}
KF_FN float kf__reduce_far(float x, float *quadrant) {
    double d = (double)x;
    double f = kf__turn(d, 0x1.45f306ep-3, 0.0);
    f = kf__turn(d, -0x1.b1bbeadp-34, f);
    f = kf__turn(d, -0x1.80f62a1p-64, f);
    f = kf__turn(d, 0x1.1f534dep-94, f);
    f = kf__turn(d, -0x1.f924eb5p-125, f);
    f = 4.0 * (f + d * -0x1.9b0ef1bef806cp-156);
    double n = kf_round_f64(f);
    *quadrant = (float)n;
    return (float)((f - n) * 0x1.921fb54442d18p0);
}
KF_FN float kf__reduce(float x, int32_t *quadrant) {
    float n = kf_fma_f32(x, 0x1.45f306p-1f, KF_MAGIC) - KF_MAGIC;
    float r = kf_fma_f32(n, -0x1.921fb4p0f, x);
    r = kf_fma_f32(n, -0x1.4442dp-24f, r);
    r = kf_fma_f32(n, -0x1.84698ap-48f, r);
    int far = !(kf_abs_f32(x) <= KF_NEAR_TURNS);
#ifdef KF_BRANCHY
    if (far) r = kf__reduce_far(x, &n);
#else
    float far_n, far_r = kf__reduce_far(x, &far_n);
    r = far ? far_r : r;
    n = far ? far_n : n;
#endif
    *quadrant = kf_bits_f32(n + KF_MAGIC);
    return r;
}
KF_FN float kf_sin_f32(float x) {
    int32_t n;
    float r = kf__reduce(x, &n);
    return kf__sin_in(r, n);
}
KF_FN float kf_cos_f32(float x) {
    int32_t n;
    float r = kf__reduce(x, &n);
    return kf__sin_in(r, kf__minus(n, -1));
}
/* sin(pi x) and cos(pi x): the reduction is exact. */
KF_FN float kf__sinpi_in(float x, int32_t shift) {
    /* + 0.0f makes 0 of -0, so that -0 stays through the sums; both are exact */
    float y = kf_fma_f32(kf_round_f32(0.5f * x) + 0.0f, -2.0f, x);
    float n = kf_round_f32(y + y) + 0.0f;
    float r = kf_fma_f32(n, -0.5f, y);
    int32_t k = kf__minus(kf_bits_f32(n + KF_MAGIC), -shift);
    float s = r * r;
    float p = kf_fma_f32(-0x1.2dbd7ep-1f, s, 0x1.465fc4p1f);
    p = kf_fma_f32(p, s, -0x1.4abbbep2f);
    p = kf_fma_f32(p, s, 0x1.4442d2p-23f); /* pi's lower part */
    float sine = kf_fma_f32(r, 0x1.921fb4p1f, p * r);
    float q = kf_fma_f32(0x1.d684b4p-3f, s, -0x1.55b7cep0f);
    q = kf_fma_f32(q, s, 0x1.03c1b8p2f);
    q = kf_fma_f32(q, s, -0x1.3bd3ccp2f);
    float cosine = kf_fma_f32(q, s, 1.0f);
    float v = kf_select_f32(k & 1, cosine, sine);
    return kf_float_f32(kf_bits_f32(v) ^ (int32_t)((uint32_t)(k & 2) << 30));
}
KF_FN float kf_sinpi_f32(float x) { return kf__sinpi_in(x, 0); }
KF_FN float kf_cospi_f32(float x) { return kf__sinpi_in(x, 1); }

/* ---------------------------------------------------------------- division with a floor */

/* Exact floor of the quotient, rounded to f32; Python's signs. In double it is exact as long as
 * the quotient is below 2^28, and from there on f32 can't tell. */
KF_FN float kf_floordiv_f32(float a, float b) {
    float q = (float)kf_floor_f64((double)a / (double)b);
    int opposite = (kf_bits_f32(a) ^ kf_bits_f32(b)) < 0 && a != 0;
    return opposite && kf_abs_f32(b) == kf_inf_f32 && kf_isfinite_f32(a) ? -1.0f : q;
}
/* The exact remainder, then b's sign. */
KF_FN float kf_mod_f32(float a, float b) {
    float r = kf_fmod_f32(a, b);
    float m = (r < 0) != (b < 0) && r != 0 ? r + b : r;
    return r == 0 ? kf_copysign_f32(0.0f, b) : m;
}
KF_FN double kf_mod_f64(double a, double b) {
    double r = kf_fmod_f64(a, b);
    double m = (r < 0) != (b < 0) && r != 0 ? r + b : r;
    return r == 0 ? (b < 0 ? -0.0 : 0.0) : m;
}
KF_FN double kf_floordiv_f64(double a, double b) {
    double r = kf_fmod_f64(a, b);
    double q = (a - r) / b;
    double f = kf_round_f64(q) - ((r < 0) != (b < 0) && r != 0 ? 1.0 : 0.0);
    return b == 0 || kf_isinf_f64(a) ? a / b : f;
}

/* ---------------------------------------------------------------- reductions: reductions.def */

#define KF_REDUCTIONS(N, T)                                                                   \
    KF_FN T kf_square_##N(T a) { return a * a; }                                              \
    KF_FN T kf_mean_of_##N(T sum, T n) { return n > 0 ? sum / n : (T)0; }                     \
    KF_FN T kf_merge_mean_##N(T p, T q, T np, T nq) {                                         \
        T n = np + nq, d = q - p, w = n > 0 ? nq / n : (T)0;                                  \
        T r = kf_isfinite_##N(d) ? p + d * w : p + q; /* infinities stay */                   \
        r = nq > 0 ? r : p;                                                                   \
        return np > 0 ? r : q;                                                                \
    }                                                                                         \
    KF_FN T kf_merge_m2_##N(T p, T p2, T q, T q2, T np, T nq) {                               \
        T n = np + nq, d = q - p;                                                             \
        T r = p2 + q2 + d * d * (np > 0 && nq > 0 ? np * (nq / n) : (T)0);                    \
        r = nq > 0 ? r : p2;                                                                  \
        return np > 0 ? r : q2;                                                               \
    }                                                                                         \
    KF_FN T kf_merge_sumexp_##N(T p, T ps, T q, T qs) {                                       \
        T m = kf_max_##N(p, q);                                                               \
        return ps * kf_exp_below_##N(p, m) + qs * kf_exp_below_##N(q, m);                     \
    }
/* exp(x - m) where x <= m; 1 where they are equal, infinities included. */
KF_FN float kf_exp_below_f32(float x, float m) {
    int32_t k;
    float r = kf__exp_reduce(kf_raise_f32(x - m, -104.0f), &k);
    r = kf__exp_scale(kf__exp_near_0(r), k);
    return kf_select_f32(x == m, 1.0f, r);
}
KF_FN double kf_exp_below_f64(double x, double m) { return x == m ? 1.0 : kf_exp_f64(x - m); }
KF_REDUCTIONS(f32, float)
KF_REDUCTIONS(f64, double)

/* Is x the extreme s? Of two sets with extremes p and q at pi and qi: where their extreme m is
 * first. */
#define KF_ARG(N, T)                                                                          \
    KF_FN int kf_is_##N(T x, T s) { return (x == s) | ((x != x) & (s != s)); }                \
    KF_FN int64_t kf_first_##N(T m, T p, int64_t pi, T q, int64_t qi) {                       \
        int64_t a = kf_is_##N(p, m) ? pi : kf_highest_i64;                                    \
        int64_t b = kf_is_##N(q, m) ? qi : kf_highest_i64;                                    \
        return a < b ? a : b;                                                                 \
    }
KF_ARG(f64, double)
KF_ARG(f32, float)
KF_ARG(i64, int64_t)
KF_ARG(i32, int32_t)
KF_ARG(i16, int16_t)
KF_ARG(i8, int8_t)
KF_ARG(u8, uint8_t)
KF_ARG(bool, int)

/* ---------------------------------------------------------------- random numbers */

/* Philox4x32-10 (Salmon et al. 2011). Counter words: block low and high, stream low and high; key:
 * the seed. */
KF_FN void kf__philox(int64_t seed, int64_t stream, uint64_t block, uint32_t *w) {
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)((uint64_t)seed >> 32);
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)((uint64_t)stream >> 32);
    KF_UNROLL
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)c0 * 0xD2511F53u, b = (uint64_t)c2 * 0xCD9E8D57u;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    w[0] = c0;
    w[1] = c1;
    w[2] = c2;
    w[3] = c3;
}
KF_FN int32_t kf_philox_word(int64_t seed, int64_t stream, int64_t index) {
    uint32_t w[4];
    kf__philox(seed, stream, (uint64_t)index >> 2, w);
    uint32_t even = index & 2 ? w[2] : w[0], odd = index & 2 ? w[3] : w[1];
    return (int32_t)(index & 1 ? odd : even);
}
/* Words index to index + 3; index is a multiple of 4. */
KF_FN void kf_philox4(int64_t seed, int64_t stream, int64_t index, int32_t *r) {
    uint32_t w[4];
    kf__philox(seed, stream, (uint64_t)index >> 2, w);
    KF_UNROLL
    for (int i = 0; i < 4; i++) r[i] = (int32_t)w[i];
}
KF_FN float kf_uniform_bits(int32_t w) { return (float)(int32_t)((uint32_t)w >> 8) * 0x1p-24f; }
/* floor(p 2^32), in [0, 2^32]; NaN: 0. */
KF_FN int64_t kf_keep_limit(double p) {
    double x = p == p ? p : 0.0;
    x = x < 0.0 ? 0.0 : x;
    x = x > 1.0 ? 1.0 : x;
    return (int64_t)kf_floor_f64(x * 0x1p32);
}
KF_FN int kf_keep_bits(int32_t w, int64_t limit) {
    return ((uint32_t)w >= (uint32_t)limit) & (limit <= 0xffffffff);
}
