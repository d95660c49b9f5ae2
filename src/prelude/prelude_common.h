/* The prelude's part that every dialect shares. The text of a generated source is
 *
 *     prelude_c.h | prelude_cuda.cuh | prelude_emu.h      a dialect: types, memory, hardware
 *     prelude_libm.h                                      but for CUDA: libm of f64, halves of packs
 *     prelude_common.h                                    this: arithmetic, one text for all
 *     prelude_convert.h                                   from type to type, one text for all
 *     prelude_exp.h prelude_trig.h prelude_special.h      functions of f32, one text for all
 *     prelude_reduce.h                                    reductions and random numbers, likewise
 *     kernels                                             name nothing but kf_ functions
 *
 * and no file includes another. What all share is C17 and C++17. A function's suffix is the dtype
 * that it works on. Functions of f32 have no branches, tables or calls, so that loops of them
 * vectorize, and CPU and GPU give the same bits: kf_fma_f32 rounds once in both. (x86-64-v2 has no
 * FMA: there it is a multiplication and an addition, and kf_fma_exact_f32, which gives the rounding
 * error of a product, goes through double.) Of NaNs only that they are NaN is the same.
 *
 * The dialect brings: KF_FN; int64_t and so on; kf_bits_T, kf_float_T of f32 and f64 (reinterpret);
 * kf_fma_f32, kf_fma_exact_f32; kf_fused_T (rounded once on every machine); kf_divn_f32 (a / b where
 * operands and quotient are far from overflow and denormals); kf_select_f32; kf_raise_f32 (the
 * greater of x and a bound, NaN stays), kf_clamp_f32 (low < 0 < high, NaN stays); max min abs sqrt
 * round floor ceil trunc fmod of floats; floats to i32 and i64; other functions of f64; loads and
 * stores. KF_BRANCHY: a branch that is rarely taken is cheap, as on a GPU. */

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
/* The same where both, also negative indices, fit in 32 bits: one comparison. */
KF_FN int kf_within(uint32_t i, uint32_t n) { return i < n; }
KF_FN int kf_same_place(const void *p, const void *q) { return p == q; }
/* Elements of `size` bytes between the beginning of p's 32 bytes and p. */
KF_FN int kf_in_sector(const void *p, int size) { return (int)((uint64_t)p % 32) / size; }

/* ---------------------------------------------------------------- integers */

#define KF_NEGATIVE(x) ((x) < 0)
#define KF_NEVER(x) ((void)(x), 0)
#define KF_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define KF_SMALLER(a, b) ((a) < (b) ? (a) : (b))
/* KF_UNSEEN: of what may be -a in T's width. LARGER: KF_LARGER, or KF_LARGER_I32; so SMALLER. */
#define KF_INT(N, T, U, BITS, RIGHT, NEG, LARGER, SMALLER)                                    \
    KF_FN T kf_add_##N(T a, T b) { return (T)KF_UNSEEN((U)a + (U)b); }                        \
    KF_FN T kf_sub_##N(T a, T b) { return (T)KF_UNSEEN((U)a - (U)b); }                        \
    KF_FN T kf_mul_##N(T a, T b) { return (T)KF_UNSEEN((U)a * (U)b); }                        \
    KF_FN T kf_neg_##N(T a) { return (T)KF_UNSEEN((U)0 - (U)a); }                             \
    KF_FN T kf_abs_##N(T a) { return NEG(a) ? (T)KF_UNSEEN((U)0 - (U)a) : a; }                \
    KF_FN T kf_sign_##N(T a) { return (T)((a > 0) - NEG(a)); }                                \
    KF_FN int kf_signbit_##N(T a) { return NEG(a); }                                          \
    KF_FN T kf_max_##N(T a, T b) { return LARGER(a, b); }                                     \
    KF_FN T kf_min_##N(T a, T b) { return SMALLER(a, b); }                                    \
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
        f = b == (T)-1 ? (NEG((T)-1) ? (T)KF_UNSEEN((U)0 - (U)a) : (T)(a == b)) : f;          \
        return b == 0 ? (T)0 : f;                                                             \
    }                                                                                         \
    KF_FN T kf_mod_##N(T a, T b) {                                                            \
        T d = b == 0 || (b == (T)-1 && NEG((T)-1)) ? (T)1 : b;                                \
        T r = (T)(a % d);                                                                     \
        return r != 0 && NEG(r) != NEG(d) ? (T)(r + d) : r;                                   \
    }                                                                                         \
    KF_FN T kf_fmod_##N(T a, T b) {                                                           \
        return (T)(a % (b == 0 || (b == (T)-1 && NEG((T)-1)) ? (T)1 : b));                    \
    }                                                                                         \
    KF_FN T kf_fused_##N(T a, T b, T c) { return (T)KF_UNSEEN((U)a * (U)b + (U)c); }          \
    KF_FN T kf_pow_##N(T a, T b) {                                                            \
        U base = (U)a, r = 1;                                                                 \
        if (NEG(b)) return a == 1 ? (T)1 : a == (T)-1 ? (T)(b & 1 ? -1 : 1) : (T)0;           \
        for (U n = (U)b; n; n >>= 1, base *= base) r *= n & 1 ? base : (U)1;                  \
        return (T)r;                                                                          \
    }                                                                                         \
    /* Euclid's, of absolute values: less than 1.5 BITS rounds. */                            \
    KF_FN U kf__gcd_##N(T a, T b) {                                                           \
        U x = NEG(a) ? (U)0 - (U)a : (U)a, y = NEG(b) ? (U)0 - (U)b : (U)b;                   \
        for (U r = 0; y; x = y, y = r) r = x % y;                                             \
        return x;                                                                             \
    }                                                                                         \
    KF_FN T kf_gcd_##N(T a, T b) { return (T)KF_UNSEEN(kf__gcd_##N(a, b)); }                  \
    KF_FN T kf_lcm_##N(T a, T b) {                                                            \
        U g = kf__gcd_##N(a, b), y = NEG(b) ? (U)0 - (U)b : (U)b;                             \
        U x = NEG(a) ? (U)0 - (U)a : (U)a;                                                    \
        return (T)KF_UNSEEN(x / (g ? g : (U)1) * y);                                          \
    }
KF_INT(i64, int64_t, uint64_t, 64, 63, KF_NEGATIVE, KF_LARGER, KF_SMALLER)
KF_INT(i32, int32_t, uint32_t, 32, 31, KF_NEGATIVE, KF_LARGER_I32, KF_SMALLER_I32)
KF_INT(i16, int16_t, uint32_t, 16, 15, KF_NEGATIVE, KF_LARGER, KF_SMALLER)
KF_INT(i8, int8_t, uint32_t, 8, 7, KF_NEGATIVE, KF_LARGER, KF_SMALLER)
KF_INT(u8, uint8_t, uint32_t, 8, 8, KF_NEVER, KF_LARGER, KF_SMALLER)
KF_FN int kf_max_bool(int a, int b) { return a | b; }
KF_FN int kf_min_bool(int a, int b) { return a & b; }
KF_FN int kf_not_bool(int a) { return !a; }
KF_FN int kf_signbit_bool(int a) { return a & 0; }

/* ---------------------------------------------------------------- floats, both widths */

#define KF_FLOAT(N, T, INT, SIGN)                                                             \
    KF_FN T kf_add_##N(T a, T b) { return a + b; }                                            \
    KF_FN T kf_sub_##N(T a, T b) { return a - b; }                                            \
    KF_FN T kf_mul_##N(T a, T b) { return a * b; }                                            \
    KF_FN T kf_neg_##N(T a) { return -a; }                                                    \
    KF_FN T kf_sign_##N(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a + (T)0; }                     \
    KF_FN int kf_signbit_##N(T a) { return kf_bits_##N(a) < 0; }                              \
    KF_FN int kf_isnan_##N(T a) { return a != a; }                                            \
    KF_FN int kf_isinf_##N(T a) { return kf_abs_##N(a) == kf_inf_##N; }                       \
    KF_FN int kf_isfinite_##N(T a) { return kf_abs_##N(a) < kf_inf_##N; }                     \
    /* What the rounding of c = a + b left; a sum and what those of its additions did. */     \
    KF_FN T kf_sum_rest_##N(T a, T b, T c) { return (a - (c - (c - a))) + (b - (c - a)); }    \
    KF_FN T kf_sum_whole_##N(T a, T b) { return a + b == a + b ? a + b : a; }                 \
    KF_FN T kf_rsqrt_##N(T a) { return (T)1 / kf_sqrt_##N(a); }                               \
    KF_FN T kf_fmax_##N(T a, T b) { return a > b || b != b ? a : b; }                         \
    KF_FN T kf_fmin_##N(T a, T b) { return a < b || b != b ? a : b; }                         \
    KF_FN T kf_copysign_##N(T size, T sign) {                                                 \
        return kf_float_##N((kf_bits_##N(size) & ~SIGN) | (kf_bits_##N(sign) & SIGN));        \
    }                                                                                         \
    /* Floats of one sign are ordered as their bits are; from 0 the way leads by b's sign. */ \
    KF_FN T kf_nextafter_##N(T a, T b) {                                                      \
        INT bits = kf_bits_##N(a == 0 ? (T)1 : a) + ((a < b) == (a > 0) ? 1 : -1);            \
        bits = a == 0 ? (INT)((kf_bits_##N(b) & SIGN) | 1) : bits;                            \
        T r = kf_float_##N(a == b ? kf_bits_##N(b) : bits);                                   \
        return a != a || b != b ? a + b : r;                                                  \
    }
KF_FLOAT(f32, float, int32_t, kf_lowest_i32)
KF_FLOAT(f64, double, int64_t, kf_lowest_i64)

/* ---------------------------------------------------------------- exponents */

/* The exponent of |a| = m 2^e, 1 <= m < 2. */
KF_FN float kf_logb_f32(float a) {
    float x = kf_abs_f32(a), y = x < 0x1p-126f ? x * 0x1p24f : x;
    float e = (float)((kf_bits_f32(y) >> 23) - (x < 0x1p-126f ? 151 : 127));
    return x == 0 ? -kf_inf_f32 : x - x == 0 ? e : x;
}
KF_FN double kf_logb_f64(double a) {
    double x = kf_abs_f64(a), y = x < 0x1p-1022 ? x * 0x1p54 : x;
    double e = (double)((int32_t)(kf_bits_f64(y) >> 52) - (x < 0x1p-1022 ? 1077 : 1023));
    return x == 0 ? -kf_inf_f64 : x - x == 0 ? e : x;
}
/* 2^n in f64, -1022 <= n <= 1023 */
KF_FN double kf__power_of_two(int32_t n) { return kf_float_f64(((int64_t)n + 1023) << 52); }
/* a 2^b, b without its fraction. In f64 the product is exact, so it is rounded once. */
KF_FN float kf_scalb_f32(float a, float b) {
    int32_t n = kf_max_i32(-300, kf_min_i32(kf_cast_f32_i32(b), 300));
    return b == b ? (float)((double)a * kf__power_of_two(n)) : b;
}
/* What is too far for one factor: a step back that leaves all digits, or makes so little of a that
 * nothing is left of it in the end; only the last one rounds. */
KF_FN int32_t kf__scalb_step(int32_t n) { return n < -1022 ? -969 : n > 1023 ? 1023 : 0; }
KF_FN double kf_scalb_f64(double a, double b) {
    int32_t n = kf_max_i32(-2200, kf_min_i32(kf_cast_f64_i32(b), 2200));
    int32_t p = kf__scalb_step(n), q = kf__scalb_step(n - p);
    double y = a * kf__power_of_two(p) * kf__power_of_two(q) * kf__power_of_two(n - p - q);
    return b == b ? y : b;
}

#define KF_NEXT_HALF(N)                                                                       \
    KF_FN float kf_nextafter_##N(float a, float b) {                                          \
        int32_t h = kf__to_##N(a), g = kf__to_##N(b);                                         \
        float x = kf__from_##N((kf_##N)h), y = kf__from_##N((kf_##N)g);                       \
        int32_t bits = h + ((x < y) == (x > 0) ? 1 : -1);                                     \
        bits = x == 0 ? (g & 0x8000) | 1 : bits;                                              \
        float r = kf__from_##N((kf_##N)(x == y ? g : bits));                                  \
        return a != a || b != b ? a + b : r;                                                  \
    }
KF_NEXT_HALF(f16)
KF_NEXT_HALF(bf16)

/* copysign for a size without a sign, or with the right one, in one operation less. */
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

/* ---------------------------------------------------------------- division */

/* a / c, over = 1 / c, without a branch. q is right to 2^-52, and a quotient of floats is at least
 * 2^-49 off what lies half-way between two floats, or, if the result is a denormal, that itself,
 * which the correction gives. What isn't finite, or 0, is q: there rest is 0 or NaN. */
KF_FN float kf_over_f32(float a, float c, double over) {
    double q = (double)a * over, rest = kf_fused_f64(-q, (double)c, (double)a);
    return (float)(kf_abs_f64(rest) > 0 ? kf_fused_f64(rest, over, q) : q);
}

/* ---------------------------------------------------------------- division with a floor */

/* Exact floor of the quotient, rounded to f32; Python's signs. In double it is exact as long as
 * the quotient is below 2^28, and from there on f32 can't tell. */
KF_FN float kf_floordiv_f32(float a, float b) {
    float q = (float)kf_floor_f64((double)a / (double)b);
    int opposite = (kf_bits_f32(a) ^ kf_bits_f32(b)) < 0 && a != 0;
    float f = opposite && kf_abs_f32(b) == kf_inf_f32 ? -1.0f : q;
    return a - a == 0 ? f : b == 0 ? a / b : a - a; /* of infinity NaN, as its remainder */
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
/* Below 2^53 the truncated quotient, less one where rounding a / b made it the next integer. From
 * there on a / b, which differs from its floor only where that lies between two floats. */
KF_FN double kf_floordiv_f64(double a, double b) {
    double r = kf_fmod_f64(a, b), q = a / b, t = kf_trunc_f64(q);
    int up = t == q && r != 0 && kf_abs_f64(r) > 0.5 * kf_abs_f64(b);
    t = t - (up ? (t > 0 ? 1.0 : -1.0) : 0.0);
    t = t - ((r < 0) != (b < 0) && r != 0 ? 1.0 : 0.0);
    double f = b != 0 && kf_abs_f64(q) < 0x1p53 ? t : q;
    return a - a == 0 ? f : b == 0 ? q : a - a; /* of infinity NaN, as its remainder */
}
