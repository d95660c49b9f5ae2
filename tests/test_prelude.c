/* The preludes but for f32's functions (test_prelude_math.c): the three dialects have the same
 * names; integers, conversions (test_convert.c has all of them), random numbers, reductions'
 * helpers and memory do what they promise. The C prelude is simply included here. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prelude/prelude_c.h"

#include "prelude/prelude_libm.h"

#include "prelude/prelude_common.h"

#include "prelude/prelude_convert.h"

#include "prelude/prelude_exp.h"

#include "prelude/prelude_trig.h"

#include "prelude/prelude_special.h"

#include "prelude/prelude_reduce.h"

#include "support/prelude.h"

/* ---------------------------------------------------------------- names */

/* What only one side has, by the prelude's own design. */
static int is_exception(const char *name) {
    static const char *const only[] = {
        "kf_philox_fill", "kf_prefetch", "kf_nothing", "kf_stream_", "kf_transpose", /* C */
        "kf_turn1", "kf_repeat", "kf_strided", "kf_trailing_ones", "kf_bit_length", "kf_has_bit",
        "kf_opaque", "kf_blend_", "kf_widen_f16", "kf_narrow_f16",
        "kf_thread", "kf_block", "kf_barrier", "kf_shfl_", "kf_shared_", "kf_cluster_", /* CUDA */
        "kf_dense_", "kf_store16_bits", "kf_single_", "kf_zeros_", "kf_row_store",
        "kf_emu_",
    };
    for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
        if (strncmp(name, only[i], strlen(only[i])) == 0) return 1;
    return 0;
}
static void compare_names(const prelude_names *a, const char *name_a, const prelude_names *b,
                          const char *name_b, int with_exceptions) {
    for (int i = 0; i < a->n; i++)
        if ((with_exceptions || !is_exception(a->at[i])) &&
            !bsearch(a->at[i], b->at, (size_t)b->n, PRELUDE_NAME,
                     (int (*)(const void *, const void *))strcmp))
            fail_msg("%s is in the dialect %s, not in %s", a->at[i], name_a, name_b);
}
static void test_names(void **state) {
    static prelude_names c, cuda, emu;
    (void)state;
    prelude_read_names("prelude_c.h prelude_libm.h", "", &c);
    prelude_read_names("prelude_cuda.cuh", "-D__CUDACC_RTC__ -D__CUDA_ARCH__=900", &cuda);
    prelude_read_names("prelude_emu.h prelude_libm.h", "", &emu);
    assert_true(c.n > 300);
    compare_names(&c, "C", &cuda, "CUDA", 0);
    compare_names(&cuda, "CUDA", &c, "C", 0);
    compare_names(&cuda, "CUDA", &emu, "emulation", 1);
    compare_names(&emu, "emulation", &cuda, "CUDA", 0);
}

/* ---------------------------------------------------------------- integers */

static __int128 wrap(__int128 v, int bits, int is_signed) {
    unsigned __int128 low = (unsigned __int128)v & (((unsigned __int128)1 << bits) - 1);
    if (is_signed && low >> (bits - 1)) return (__int128)low - ((__int128)1 << bits);
    return (__int128)low;
}
static __int128 floordiv(__int128 a, __int128 b) {
    if (b == 0) return 0;
    __int128 q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
static __int128 power(__int128 a, __int128 b, int bits) {
    __int128 r = 1;
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (; b > 0; b /= 2, a = wrap(a * a, bits, 1))
        if (b % 2) r = wrap(r * a, bits, 1);
    return r;
}
static __int128 common(__int128 a, __int128 b) {
    __int128 x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    return y ? common(y, x % y) : x;
}
static int sign(__int128 a, __int128 b) { return (a < 0) == (b < 0) ? 1 : -1; }
static void check_int(const char *op, const char *type, __int128 a, __int128 b, __int128 got,
                      __int128 want) {
    if (got != want)
        fail_msg("%s_%s(%lld, %lld) is %lld, not %lld", op, type, (long long)a, (long long)b,
                 (long long)got, (long long)want);
}

static const int64_t edges[] = {0, 1, -1, 2, -2, 3, -3, 7, -7, 8, 10, 15, 16, 31, 32, 63, 64, 100,
                                127, 128, 129, 255, 256, -127, -128, -129, 32767, -32768, 65535,
                                INT32_MAX, INT32_MIN, (int64_t)INT32_MAX + 1, INT64_MAX, INT64_MIN,
                                INT64_MAX - 1, INT64_MIN + 1, 0x123456789abcdef};
enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

#define TEST_INT(N, T, BITS, SIGNED)                                                          \
    static void test_int_##N(void **state) {                                                  \
        (void)state;                                                                          \
        for (int i = 0; i < EDGES * EDGES; i++) {                                             \
            T a = (T)edges[i % EDGES], b = (T)edges[i / EDGES];                               \
            __int128 x = a, y = b, q = floordiv(x, y), two = 1;                               \
            int inside = y >= 0 && y < BITS;                                                  \
            if (inside) two <<= (int)y;                                                       \
            CHECK(N, BITS, SIGNED, add, (a, b), x + y);                                       \
            CHECK(N, BITS, SIGNED, sub, (a, b), x - y);                                       \
            CHECK(N, BITS, SIGNED, mul, (a, b), x * y);                                       \
            CHECK(N, BITS, SIGNED, max, (a, b), x > y ? x : y);                               \
            CHECK(N, BITS, SIGNED, min, (a, b), x < y ? x : y);                               \
            CHECK(N, BITS, SIGNED, floordiv, (a, b), q);                                      \
            CHECK(N, BITS, SIGNED, mod, (a, b), y == 0 ? 0 : x - q * y);                      \
            CHECK(N, BITS, SIGNED, shl, (a, b), inside ? x * two : 0);                        \
            CHECK(N, BITS, SIGNED, shr, (a, b), inside ? x >> (int)y : x < 0 ? -1 : 0);       \
            CHECK(N, BITS, SIGNED, pow, (a, b), power(x, y, BITS));                           \
            CHECK(N, BITS, SIGNED, gcd, (a, b), common(x, y));                                \
            CHECK(N, BITS, SIGNED, lcm, (a, b), x && y ? x / common(x, y) * y * sign(x, y) : 0); \
            CHECK(N, BITS, SIGNED, neg, (a), -x);                                             \
            CHECK(N, BITS, SIGNED, abs, (a), x < 0 ? -x : x);                                 \
            CHECK(N, BITS, SIGNED, not, (a), ~x);                                             \
            CHECK(N, BITS, SIGNED, sign, (a), (x > 0) - (x < 0));                             \
        }                                                                                     \
    }
#define CHECK(N, BITS, SIGNED, op, args, want) \
    check_int(#op, #N, x, y, kf_##op##_##N args, wrap((want), BITS, SIGNED))

TEST_INT(i64, int64_t, 64, 1)
TEST_INT(i32, int32_t, 32, 1)
TEST_INT(i16, int16_t, 16, 1)
TEST_INT(i8, int8_t, 8, 1)
TEST_INT(u8, uint8_t, 8, 0)

/* ---------------------------------------------------------------- conversions */

static __int128 saturated(long double v, int bits, int is_signed) {
    long double low = is_signed ? -ldexpl(1, bits - 1) : 0;
    long double high = ldexpl(1, is_signed ? bits - 1 : bits);
    if (isnan(v)) return 0;
    if (v <= low) return (__int128)low;
    if (v >= high) return (__int128)high - 1;
    return (__int128)v;
}
static void test_float_to_int(void **state) {
    static const double extra[] = {NAN, INFINITY, -INFINITY, 0.5, -0.5, 0.99, -0.99, 1e-30, 1e30,
                                   -1e30, 2147483520, 2147483647.5, -2147483648.5, 127.9, 128,
                                   -128.9, 255.5, 256, -1, 0x1p63, -0x1p63, 0x1.fffffep62};
    enum { EXTRA = sizeof(extra) / sizeof(extra[0]) };
    (void)state;
    for (int i = 0; i < EXTRA + EDGES; i++) {
        double d = i < EXTRA ? extra[i] : (double)edges[i - EXTRA];
        float f = (float)d;
        check_int("f64", "i64", 0, i, kf_cast_f64_i64(d), saturated(d, 64, 1));
        check_int("f64", "i32", 0, i, kf_cast_f64_i32(d), saturated(d, 32, 1));
        check_int("f64", "i16", 0, i, kf_cast_f64_i16(d), saturated(d, 16, 1));
        check_int("f64", "i8", 0, i, kf_cast_f64_i8(d), saturated(d, 8, 1));
        check_int("f64", "u8", 0, i, kf_cast_f64_u8(d), saturated(d, 8, 0));
        check_int("f64", "bool", 0, i, kf_cast_f64_bool(d), d != 0);
        check_int("f32", "i64", 0, i, kf_cast_f32_i64(f), saturated(f, 64, 1));
        check_int("f32", "i32", 0, i, kf_cast_f32_i32(f), saturated(f, 32, 1));
        check_int("f32", "i16", 0, i, kf_cast_f32_i16(f), saturated(f, 16, 1));
        check_int("f32", "i8", 0, i, kf_cast_f32_i8(f), saturated(f, 8, 1));
        if (!(f < -128 || f > 127))
            check_int("f32", "i8 fits", 0, i, kf_cast_f32_i8_fits(f), saturated(f, 8, 1));
        if (!(d < 0 || d > 255))
            check_int("f64", "u8 fits", 0, i, kf_cast_f64_u8_fits(d), saturated(d, 8, 0));
        check_int("f32", "u8", 0, i, kf_cast_f32_u8(f), saturated(f, 8, 0));
        check_int("f32", "bool", 0, i, kf_cast_f32_bool(f), f != 0);
    }
    assert_int_equal(kf_cast_i64_i8(-129), 127);
    assert_int_equal(kf_cast_i64_u8(-1), 255);
    assert_int_equal(kf_cast_i8_bool(-4), 1);
    assert_true(kf_cast_i64_f32(16777217) == 16777216.0f);
    assert_true(kf_cast_u8_f64(200) == 200.0);
}

/* v rounded to `digits` binary digits, with denormals below 2^lowest; ties to even. */
static double rounded(double v, int digits, int lowest, double limit) {
    if (v == 0 || isnan(v) || isinf(v)) return v;
    int exponent = ilogb(v) < lowest ? lowest : ilogb(v);
    double unit = ldexp(1, exponent - digits + 1), r = rint(v / unit) * unit;
    return fabs(r) >= limit ? copysign(INFINITY, v) : r;
}
static void check_half(double v) {
    float f = (float)v, h = kf_round_f16(f), b = kf_round_bf16(f);
    float hd = kf_round_f16_f64(v), bd = kf_round_bf16_f64(v);
    double want[4] = {rounded(f, 11, -14, 65536), rounded(f, 8, -126, 0x1p128),
                      rounded(v, 11, -14, 65536), rounded(v, 8, -126, 0x1p128)};
    double got[4] = {h, b, hd, bd};
    static const char *const names[] = {"f16 of f32", "bf16 of f32", "f16 of f64", "bf16 of f64"};
    for (int k = 0; k < 4; k++)
        if (isnan(v) ? !isnan(got[k]) : got[k] != want[k] || signbit(got[k]) != signbit(v))
            fail_msg("%s: %a becomes %a, not %a", names[k], v, got[k], want[k]);
}
static void test_halves(void **state) {
    (void)state;
    for (int i = 0; i < 65536; i++) { /* all f16 and bf16, what lies between, and around that */
        kf_f16 bits = (kf_f16)i, next = (kf_f16)(i + 1), back;
        float f = kf_load_f16(&bits, 0), g = kf_load_f16(&next, 0);
        kf_store_f16(&back, 0, f);
        assert_true(isnan(f) ? (back & 0x7fff) > 0x7c00 : back == bits);
        assert_true(isnan(f) || rounded(f, 11, -14, 65536) == f);
        float bf = kf_load_bf16(&bits, 0), bg = kf_load_bf16(&next, 0);
        kf_store_bf16(&back, 0, bf);
        assert_true(isnan(bf) ? (back & 0x7fff) > 0x7f80 : back == bits);
        double at[] = {f, ((double)f + g) / 2, bf, ((double)bf + bg) / 2};
        for (int k = 0; k < 4; k++) {
            if (isnan(at[k])) continue;
            check_half(at[k]);
            check_half((double)nextafterf((float)at[k], INFINITY));
            check_half((double)nextafterf((float)at[k], -INFINITY));
            check_half(nextafter(at[k], INFINITY));
            check_half(nextafter(at[k], -INFINITY));
        }
    }
    static const double more[] = {NAN, INFINITY, 1e300, -1e300, 1e-300, 65519.9, 65520, 3.4e38,
                                  0x1p-149, 0x1p-25, 0x1.8p-25, 0x1.0000000000001p-25};
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) check_half(more[i]);
}

/* ---------------------------------------------------------------- max, min and reductions */

static void test_max_min(void **state) {
    static const float v[] = {NAN, -INFINITY, -1, -0.0f, 0, 2, INFINITY};
    (void)state;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            float a = v[i], b = v[j];
            float most = kf_max_f32(a, b), least = kf_min_f32(a, b);
            int nan = isnan(a) || isnan(b);
            assert_true(nan ? isnan(most) : most == (a > b ? a : b));
            assert_true(nan ? isnan(least) : least == (a < b ? a : b));
            most = kf_blend_max_f32(a, b), least = kf_blend_min_f32(a, b);
            assert_true(nan ? isnan(most) : most == (a > b ? a : b));
            assert_true(nan ? isnan(least) : least == (a < b ? a : b));
            assert_true(nan ? isnan(kf_blend_max_f64(a, b)) : kf_blend_max_f64(a, b) == most);
            assert_true(nan ? isnan(kf_blend_min_f64(a, b)) : kf_blend_min_f64(a, b) == least);
            assert_true(nan ? isnan(kf_max_f64(a, b)) : kf_max_f64(a, b) == (a > b ? a : b));
            assert_true(nan ? isnan(kf_min_f64(a, b)) : kf_min_f64(a, b) == (a < b ? a : b));
        }
    assert_true(kf_sign_f32(-3) == -1 && kf_sign_f32(0) == 0 && isnan(kf_sign_f32(NAN)));
    assert_true(kf_isnan_f32(NAN) && !kf_isnan_f32(INFINITY) && kf_isinf_f64(-INFINITY));
    assert_true(kf_isfinite_f32(1) && !kf_isfinite_f32(NAN) && !kf_isfinite_f64(INFINITY));
}

static void test_reductions(void **state) {
    (void)state;
    /* {1, 2, 6} and {10}, and with nothing */
    float mean = kf_merge_mean_f32(3, 10, 3, 1), m2 = kf_merge_m2_f32(3, 14, 10, 0, 3, 1);
    assert_true(mean == 4.75f && m2 == 50.75f);
    assert_true(kf_merge_mean_f32(3, 0, 3, 0) == 3 && kf_merge_mean_f32(0, 3, 0, 3) == 3);
    assert_true(kf_merge_m2_f32(3, 14, 0, 0, 3, 0) == 14);
    assert_true(kf_merge_m2_f32(0, 0, 3, 14, 0, 3) == 14);
    assert_true(kf_merge_mean_f64(0, 0, 0, 0) == 0 && kf_merge_m2_f64(0, 0, 0, 0, 0, 0) == 0);
    assert_true(kf_mean_of_f32(0, 0) == 0 && kf_mean_of_f64(9, 2) == 4.5);
    assert_true(kf_merge_mean_f32(INFINITY, 1, 4, 4) == INFINITY);
    assert_true(isnan(kf_merge_mean_f32(INFINITY, -INFINITY, 4, 4)));
    /* sums of exponentials */
    float low = kf_lowest_f32;
    assert_true(kf_exp_below_f32(low, low) == 1 && kf_exp_below_f32(INFINITY, INFINITY) == 1);
    assert_true(kf_exp_below_f32(low, 3) == 0 && isnan(kf_exp_below_f32(1, NAN)));
    assert_true(kf_merge_sumexp_f32(low, 0, 5, 2.5f) == 2.5f);
    assert_true(kf_merge_sumexp_f32(5, 2.5f, low, 0) == 2.5f);
    assert_true(kf_merge_sumexp_f64(kf_lowest_f64, 0, kf_lowest_f64, 0) == 0);
    assert_true(kf_merge_sumexp_f32(5, 2, INFINITY, 3) == 3);
    assert_true(fabs(kf_merge_sumexp_f64(1, 2, 3, 4) - (2 * exp(-2) + 4)) < 1e-15);
    assert_true(fabs(kf_logaddexp_f64(1, 3) - log(exp(1) + exp(3))) < 1e-15);
    assert_true(kf_logaddexp_f32(low, 3) == 3 && kf_logaddexp_f32(low, low) == low);
    assert_true(kf_logaddexp_f32(INFINITY, low) == INFINITY);
    assert_true(kf_logaddexp_f64(INFINITY, INFINITY) == INFINITY);
    assert_true(isnan(kf_logaddexp_f32(NAN, low)) && isnan(kf_logaddexp_f64(INFINITY, NAN)));
}

/* exp of what is not above 0 is exp, to the bit: denormal results, infinities, zeros, NaN. */
static void test_nonpositive_exp(void **state) {
    (void)state;
    uint32_t step = getenv("KFUSE_EXHAUSTIVE") ? 1 : 997;
    for (uint64_t bits = 0x80000000u; bits <= UINT32_MAX; bits += step) {
        float x = kf_float_f32((int32_t)(uint32_t)bits);
        float expected = kf_exp_f32(x), got = kf_exp_nonpositive_f32(x);
        if (x == x ? kf_bits_f32(got) != kf_bits_f32(expected) : got == got)
            fail_msg("exp(%a) is %a, not %a", (double)x, (double)got, (double)expected);
    }
    assert_true(kf_exp_nonpositive_f32(0.0f) == 1.0f);
}

/* ---------------------------------------------------------------- random numbers */

static void test_philox(void **state) {
    /* Random123's known answers */
    static const struct {
        uint64_t block;
        int64_t stream, seed;
        uint32_t want[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, -1, -1, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    static int32_t words[512];
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint32_t w[4];
        kf__philox(known[i].seed, known[i].stream, known[i].block, w);
        assert_memory_equal(w, known[i].want, sizeof(w));
    }
    static const int64_t starts[] = {-33, -7, 0, 1, 2, 3, 4, 5, 30, 31, 17179869180 - 3,
                                     INT64_MAX / 2};
    for (size_t s = 0; s < sizeof(starts) / sizeof(starts[0]); s++)
        for (int n = 0; n < 300; n = n < 80 ? n + 1 : n + 37) {
            words[n] = 77;
            kf_philox_fill(0x123456789abcdef, -5, starts[s], n, words);
            for (int i = 0; i < n; i++)
                assert_int_equal(words[i], kf_philox_word(0x123456789abcdef, -5, starts[s] + i));
            assert_int_equal(words[n], 77);
        }
    int32_t four[4];
    int64_t wide[7], two[2];
    for (int64_t start = 4000; start < 4008; start++) { /* packs, wherever they begin */
        int32_t pack[4], half[2];
        int64_t pair[2];
        kf_philox4(9, 2, start, pack);
        kf_philox2(9, 2, start, half);
        kf_philox2_wide(9, 2, start, pair);
        for (int i = 0; i < 4; i++) assert_int_equal(pack[i], kf_philox_word(9, 2, start + i));
        for (int i = 0; i < 2; i++) assert_int_equal(half[i], pack[i]);
        for (int i = 0; i < 2; i++) assert_int_equal(pair[i], kf_philox_wide(9, 2, start + i));
    }
    for (int before = 1; before < 4; before++) { /* and where they begin before the array */
        int32_t pack[4], half[2];
        kf_philox4(9, 2, -before, pack);
        kf_philox2(9, 2, -1, half);
        for (int i = before; i < 4; i++)
            assert_int_equal(pack[i], kf_philox_word(9, 2, i - before));
        assert_int_equal(half[1], kf_philox_word(9, 2, 0));
    }
    kf_philox_fill_wide(9, 2, 4001, 7, wide);
    for (int i = 0; i < 7; i++) {
        uint64_t low = (uint32_t)kf_philox_word(9, 2, 2 * (4001 + i));
        uint64_t high = (uint32_t)kf_philox_word(9, 2, 2 * (4001 + i) + 1);
        assert_true(wide[i] == (int64_t)(high << 32 | low));
        assert_true(wide[i] == kf_philox_wide(9, 2, 4001 + i));
    }
    kf_philox2_wide(9, 2, 4002, two);
    assert_true(two[0] == wide[1] && two[1] == wide[2]);
    kf_philox4(9, 2, 4000, four);
    for (int i = 0; i < 4; i++) assert_int_equal(four[i], kf_philox_word(9, 2, 4000 + i));
    for (int i = 0; i < 4; i += 2) {
        int32_t pair[2];
        kf_philox2(9, 2, 4000 + i, pair);
        assert_true(pair[0] == four[i] && pair[1] == four[i + 1]);
    }
}

static void test_random_helpers(void **state) {
    (void)state;
    assert_true(kf_uniform_bits_i32(0) == 0 && kf_uniform_bits_i32(-1) == 0x1.fffffep-1f);
    assert_true(kf_uniform_bits_i32(INT32_MIN) == 0.5f);
    assert_true(kf_uniform_bits_i64(0) == 0 && kf_uniform_bits_i64(-1) == 0x1.fffffffffffffp-1);
    assert_true(kf_open_bits_i32(0) == 0x1p-33f && kf_open_bits_i32(-1) == 1.0f);
    assert_true(kf_open_bits_i64(0) == 0x1p-54 && kf_open_bits_i64(-1) <= 1.0);
    assert_true(kf_below_bits(-1, 7) == 6 && kf_below_bits(0, 7) == 0 && kf_below_bits(5, -7) == 0);
    assert_true(kf_below_bits(INT64_MIN, INT64_MAX) == INT64_MAX / 2);
    assert_true(kf_below_bits(-1, INT64_MAX) == INT64_MAX - 1);
    assert_true(kf_keep_limit(0) == 0 && kf_keep_limit(1) == (int64_t)1 << 32);
    assert_true(kf_keep_limit(0.2) == 858993459 && kf_keep_limit(NAN) == 0);
    assert_true(kf_keep_limit(-3) == 0 && kf_keep_limit(7) == (int64_t)1 << 32);
    assert_true(kf_keep_bits(0, 0) && !kf_keep_bits(0, 1) && kf_keep_bits(1, 1));
    assert_true(kf_keep_bits(-1, 0xffffffff) && !kf_keep_bits(-1, (int64_t)1 << 32));
    assert_true(kf_keep_bits(INT32_MIN, 0x80000000) && !kf_keep_bits(INT32_MAX, 0x80000000));
}

/* ---------------------------------------------------------------- memory */

typedef void transpose_fn(void *, int64_t, const void *, int64_t, int64_t, int64_t);

/* Every item arrives, and nothing else is written. */
static void check_transpose(transpose_fn *fn, int size, int n, int m, int at) {
    static char from[160 * 160 * 8], to[160 * 160 * 8], want[160 * 160 * 8];
    int src_pitch = m + 3, dst_pitch = n + 5;
    for (size_t i = 0; i < sizeof(from); i++) from[i] = (char)(i * 31 + i / 256);
    memset(to, 99, sizeof(to));
    memset(want, 99, sizeof(want));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            memcpy(want + at + (j * dst_pitch + i) * size, from + (i * src_pitch + j) * size,
                   (size_t)size);
    fn(to + at, dst_pitch, from, src_pitch, n, m);
    assert_memory_equal(to, want, sizeof(to));
}

static void test_transpose(void **state) {
    static const struct {
        transpose_fn *plain, *stream;
        int size;
    } rows[] = {{kf_transpose1, kf_stream_transpose1, 1},
                {kf_transpose2, kf_stream_transpose2, 2},
                {kf_transpose4, kf_stream_transpose4, 4},
                {kf_transpose8, kf_stream_transpose8, 8},
                {kf_turn1, kf_turn1, 1}};
    static const int sizes[][2] = {{0, 5},   {5, 0},   {1, 1},   {3, 17},   {16, 16}, {15, 33},
                                   {32, 32}, {64, 64}, {65, 70}, {100, 40}, {128, 7}, {31, 150}};
    (void)state;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
            for (int at = 0; at < 64; at += 24) {
                check_transpose(rows[r].plain, rows[r].size, sizes[s][0], sizes[s][1], at);
                check_transpose(rows[r].stream, rows[r].size, sizes[s][0], sizes[s][1], at);
            }
}

static void test_strided(void **state) {
    typedef void strided_fn(void *, const void *, int64_t, int64_t);
    static strided_fn *const functions[] = {kf_strided1, kf_strided2, kf_strided4, kf_strided8};
    static char from[8 * 2000], to[8 * 140];
    (void)state;
    for (size_t i = 0; i < sizeof(from); i++) from[i] = (char)(i * 31 + i / 256 + 1);
    for (int f = 0; f < 4; f++)
        for (int64_t step = -6; step <= 6; step++)
            for (int64_t n = 0; n < 130; n += n < 70 ? 1 : 19) {
                int64_t size = 1 << f, middle = 1000;
                memset(to, 0, sizeof(to));
                functions[f](to, from + middle * size, step, n);
                for (int64_t l = 0; l < n; l++)
                    assert_memory_equal(to + l * size, from + (middle + l * step) * size,
                                        (size_t)size);
                assert_true(to[n * size] == 0);
            }
}

static void test_memory(void **state) {
    static _Alignas(64) char from[1024], to[1024];
    (void)state;
    for (int i = 0; i < 1024; i++) from[i] = (char)(i * 7 + 1);
    for (int at = 0; at < 70; at++)
        for (int n = 0; n < 500; n += n < 140 ? 1 : 53) {
            memset(to, 0, sizeof(to));
            kf_stream_ahead(to + at, n);
            kf_stream_copy(to + at, from + at / 2, n);
            kf_stream_fence();
            assert_memory_equal(to + at, from + at / 2, (size_t)n);
            assert_true((at == 0 || to[at - 1] == 0) && to[at + n] == 0);
        }
    uint8_t truth[3] = {0, 1, 200};
    assert_true(!kf_load_bool(truth, 0) && kf_load_bool(truth, 2) == 1);
    kf_store_bool(truth, 0, 4);
    assert_int_equal(truth[0], 1);
    float x[5] = {1, 2, 3, 4, 5}, y[5] = {0};
    uint32_t words[4];
    kf_load4_f32(x, 3, 5, 0, words);
    assert_true(kf_item_f32(words, 0) == 4 && kf_item_f32(words, 1) == 5);
    assert_true(kf_item_f32(words, 2) == 0 && kf_item_f32(words, 3) == 0);
    kf_part4_f32(x, 1, 3, words);
    assert_true(kf_item_f32(words, 0) == 0 && kf_item_f32(words, 1) == 2);
    assert_true(kf_item_f32(words, 2) == 3 && kf_item_f32(words, 3) == 0);
    const int8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    kf_part8_i8(bytes, -2, 2, words);
    assert_true(kf_item_i8(words, 0) == 1 && kf_item_i8(words, 1) == 2 && words[1] == 0);
    assert_int_equal(kf_item_i8(words, 2), 0);
    const int16_t shorts[5] = {1, 2, 3, 4, 5};
    for (int first = 0; first < 2; first++) { /* on a word, and within one */
        uint32_t raw[3];
        kf_raw4_i16(shorts + first, 4, raw);
        kf_settle4_i16(shorts + first, 4, raw, words);
        for (int e = 0; e < 4; e++) assert_int_equal(kf_item_i16(words, e), first + e + 1);
    }
    uint32_t raw[4];
    kf_each4_i16(shorts + 1, 3, raw); /* of a row of three the last one stands for a fourth */
    kf_join4_i16(raw, words);
    for (int e = 0; e < 4; e++) assert_int_equal(kf_item_i16(words, e), e < 3 ? e + 2 : 4);
    kf_each2_i8(bytes, 2, raw);
    kf_join2_i8(raw, words);
    assert_int_equal(words[0], 2 << 8 | 1);
    const double doubles[2] = {1.5, -2.5};
    kf_each2_f64(doubles, 1, raw);
    kf_join2_f64(raw, words);
    assert_true(kf_item_f64(words, 0) == 1.5 && kf_item_f64(words, 1) == 1.5);
    kf_whole2_f64(doubles, words);
    assert_true(kf_item_f64(words, 0) == 1.5 && kf_item_f64(words, 1) == -2.5);
    kf_store4_f32(y, 2, 4, 0, x);
    assert_true(y[2] == 1 && y[3] == 2 && y[4] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_int_i64),
        cmocka_unit_test(test_int_i32),      cmocka_unit_test(test_int_i16),
        cmocka_unit_test(test_int_i8),       cmocka_unit_test(test_int_u8),
        cmocka_unit_test(test_float_to_int), cmocka_unit_test(test_halves),
        cmocka_unit_test(test_max_min),      cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_philox),       cmocka_unit_test(test_random_helpers),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_strided),
        cmocka_unit_test(test_nonpositive_exp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
