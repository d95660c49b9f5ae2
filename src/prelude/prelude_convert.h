/* Conversions between dtypes, one text for every dialect; after prelude_common.h.
 *
 * Float to integer saturates and gives 0 for NaN; integers wrap. To a narrower float is one
 * rounding, half to even, from wherever it begins: by way of f32 only what is exact there, or
 * rounded to odd, which leaves the later rounding as it would have been.
 *
 * f16, bf16 and float8 are storage: kf_round_T gives the f32 that storing and loading would. The
 * dialect brings f16 and bf16, KF_MEMORY8 (loads and stores of a dtype of one byte) and the
 * conversions of floats to i32 and i64. */

/* ---------------------------------------------------------------- between compute types */

#define KF_CAST(FROM, F, TO, T) \
    KF_FN T kf_cast_##FROM##_##TO(F v) { return (T)v; }
#define KF_CASTS_TO(TO, T)        \
    KF_CAST(i16, int16_t, TO, T)  \
    KF_CAST(i8, int8_t, TO, T)    \
    KF_CAST(u8, uint8_t, TO, T)   \
    KF_CAST(bool, int, TO, T)
/* 0 is +0: of a float that becomes an integer and a float again gcc 12 makes trunc(x) under
 * -fno-trapping-math, which gives -0 for -0.5. */
#define KF_CAST_WIDE(FROM, F, TO, T) \
    KF_FN T kf_cast_##FROM##_##TO(F v) { return v == 0 ? 0 : (T)v; }
KF_CAST_WIDE(i64, int64_t, f64, double)
KF_CAST_WIDE(i32, int32_t, f64, double)
KF_CAST_WIDE(i64, int64_t, f32, float)
KF_CAST_WIDE(i32, int32_t, f32, float)
KF_CASTS_TO(f64, double)
KF_CASTS_TO(f32, float)
KF_CASTS_TO(i64, int64_t)
KF_CASTS_TO(i32, int32_t)
KF_CASTS_TO(i16, int16_t)
KF_CASTS_TO(i8, int8_t)
KF_CASTS_TO(u8, uint8_t)
#define KF_CASTS_OF(FROM, F)        \
    KF_CAST(FROM, F, i64, int64_t)  \
    KF_CAST(FROM, F, i32, int32_t)  \
    KF_CAST(FROM, F, i16, int16_t)  \
    KF_CAST(FROM, F, i8, int8_t)    \
    KF_CAST(FROM, F, u8, uint8_t)
KF_CASTS_OF(i64, int64_t)
KF_CASTS_OF(i32, int32_t)
KF_CAST(f32, float, f32, float)
KF_CAST(f64, double, f64, double)
KF_CAST(f32, float, f64, double)
KF_CAST(f64, double, f32, float)

#define KF_CAST_SMALL(FROM, F, TO, T, low, high)                   \
    KF_FN T kf_cast_##FROM##_##TO(F v) {                           \
        F x = v < high ? v : high;                                 \
        x = x > low ? x : low;                                     \
        int32_t i = (int32_t)x;                                    \
        return (T)(v == v ? i : 0);                                \
    }                                                              \
    KF_FN T kf_cast_##FROM##_##TO##_fits(F v) { /* within T's range, or NaN */ \
        F x = v == v ? v : 0;                                      \
        return (T)(int32_t)x;                                      \
    }
KF_CAST_SMALL(f32, float, i16, int16_t, -32768.0f, 32767.0f)
KF_CAST_SMALL(f32, float, i8, int8_t, -128.0f, 127.0f)
KF_CAST_SMALL(f32, float, u8, uint8_t, 0.0f, 255.0f)
KF_CAST_SMALL(f64, double, i16, int16_t, -32768.0, 32767.0)
KF_CAST_SMALL(f64, double, i8, int8_t, -128.0, 127.0)
KF_CAST_SMALL(f64, double, u8, uint8_t, 0.0, 255.0)

#define KF_CAST_BOOL(FROM, F) \
    KF_FN int kf_cast_##FROM##_bool(F v) { return v != 0; }
KF_CAST_BOOL(f64, double)
KF_CAST_BOOL(f32, float)
KF_CAST_BOOL(i64, int64_t)
KF_CAST_BOOL(i32, int32_t)
KF_CAST_BOOL(i16, int16_t)
KF_CAST_BOOL(i8, int8_t)
KF_CAST_BOOL(u8, uint8_t)
KF_CAST_BOOL(bool, int)

/* ---------------------------------------------------------------- rounding to storage */

/* An i64 as a double that rounds as it does to 40 binary digits and fewer. */
KF_FN double kf_cast_i64_odd(int64_t v) {
    int64_t low = v & 0xfffff;
    return (double)(v < 0x40000000000 && v > -0x40000000000 ? v
                                                            : (v - low) | (low ? 0x100000 : 0));
}
/* A double in f32's range, rounded to odd: rounding that to fewer bits is rounding once. */
KF_FN float kf__to_odd(double v) {
    float f = (float)v;
    double back = (double)f;
    int32_t bits = kf_bits_f32(f);
    int32_t inexact = back != v && v == v;
    int32_t step = kf_abs_f64(back) < kf_abs_f64(v) ? 1 : -1;
    return kf_float_f32(inexact && (bits & 1) == 0 ? bits + step : bits);
}
KF_FN float kf_round_f16_f64(double v) { return kf_round_f16(kf__to_odd(v)); }
KF_FN float kf_round_bf16_f64(double v) { return kf_round_bf16(kf__to_odd(v)); }

/* ---------------------------------------------------------------- float8
 * e5m2 is the upper half of an f16. e4m3fn has exponents to 8, no infinities, and one NaN of each
 * sign: s1111111. Everything by integers, without branches, so that loops vectorize and all
 * targets agree. Where a value is denormal there, adding a power of 2 rounds it: its bits are then
 * the sum's lowest. */

KF_FN float kf__from_f8e5m2(kf_f8e5m2 b) { return kf__from_f16((kf_f16)((uint32_t)b << 8)); }
KF_FN kf_f8e5m2 kf__to_f8e5m2(float v) {
    int32_t bits = kf_bits_f32(v), size = bits & 0x7fffffff;
    int32_t normal = (size - (112 << 23) + 0xfffff + ((size >> 21) & 1)) >> 21;
    int32_t tiny = kf_bits_f32(kf_float_f32(size) + 0x1p7f) - 0x43000000;
    int32_t b = size < (113 << 23) ? tiny : normal;
    b = size >= 0x47800000 ? 0x7c : b; /* 65536 and above */
    b = size > 0x7f800000 ? 0x7f : b;
    return (kf_f8e5m2)(b | ((bits >> 24) & 0x80));
}
KF_FN float kf__from_f8e4m3(kf_f8e4m3 b) {
    int32_t size = (int32_t)(b & 0x7f), bits = size << 20;
    float tiny = kf_float_f32(bits + (121 << 23)) - 0x1p-6f;
    int32_t value = size < 8 ? kf_bits_f32(tiny) : bits + (120 << 23);
    value = size == 0x7f ? 0x7fc00000 : value;
    return kf_float_f32(value | (int32_t)((uint32_t)(b & 0x80) << 24));
}
KF_FN kf_f8e4m3 kf__to_f8e4m3(float v) {
    int32_t bits = kf_bits_f32(v), size = bits & 0x7fffffff;
    int32_t normal = (size - (120 << 23) + 0x7ffff + ((size >> 20) & 1)) >> 20;
    int32_t tiny = kf_bits_f32(kf_float_f32(size) + 0x1p14f) - 0x46800000;
    int32_t b = size < (121 << 23) ? tiny : normal;
    b = size > 0x43e80000 ? 0x7f : b; /* 464, half way to the next: above it, NaN */
    return (kf_f8e4m3)(b | ((bits >> 24) & 0x80));
}
KF_FN float kf_round_f8e4m3(float v) { return kf__from_f8e4m3(kf__to_f8e4m3(v)); }
KF_FN float kf_round_f8e5m2(float v) { return kf__from_f8e5m2(kf__to_f8e5m2(v)); }
KF_FN float kf_round_f8e4m3_f64(double v) { return kf_round_f8e4m3(kf__to_odd(v)); }
KF_FN float kf_round_f8e5m2_f64(double v) { return kf_round_f8e5m2(kf__to_odd(v)); }

KF_MEMORY8(f8e4m3, kf_f8e4m3, float, kf__from_f8e4m3, kf__to_f8e4m3)
KF_MEMORY8(f8e5m2, kf_f8e5m2, float, kf__from_f8e5m2, kf__to_f8e5m2)
