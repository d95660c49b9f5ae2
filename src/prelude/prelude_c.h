/* The prelude of generated C, before prelude_common.h (which says how a source is put together).
 *
 * No #include: the text is compiled at run time, and parsing headers would take longer than the
 * kernel. gcc from 12 on and clang; made to vectorize in plain loops under KF_SIMD, with the flags
 * of src/compile/cc.c. Only f64's functions need libm (prelude_libm.h). What only the CPU has:
 * kf_philox_fill*, kf_prefetch, kf_nothing, kf_opaque, kf_blend_*, kf_has_bit, kf_stream_*,
 * kf_repeat, kf_strided*, kf_transpose*, kf_turn1, kf_widen_f16, kf_narrow_f16. */

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef uint16_t kf_f16, kf_bf16; /* storage: bits */
typedef uint8_t kf_f8e4m3, kf_f8e5m2;

/* Lanes that begin as zeros: a few stores, not `rep stos`, which takes longer than a short row. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

/* gcc follows an answer to where it is asked again, by jumps, which no vector makes: where(h > 0,
 * h, x), asked twice more, of bf16 took 12 ms, then .7. An argmax of rows is faster by jumps. */
#ifdef __clang__
#define KF_JUMPS
#else
#pragma GCC optimize("no-thread-jumps")
#define KF_JUMPS __attribute__((optimize("thread-jumps")))
#endif

#define KF_FN static inline __attribute__((always_inline, unused))
#define KF_UNSEEN(x) (x)
#define KF_LARGER_I32 KF_LARGER
#define KF_SMALLER_I32 KF_SMALLER
#define KF_RESTRICT restrict
#define KF_SIMD _Pragma("omp simd")
#ifdef __clang__
#define KF_UNROLL _Pragma("unroll")
#else
#define KF_UNROLL _Pragma("GCC unroll 16")
#endif
/* The same number, of which a compiler doesn't know that it is 0 or 1: gcc 12 leaves loops as they
 * are that choose by what they don't change. */
KF_FN int kf_opaque(int v) {
#if defined(__GNUC__) && !defined(__TINYC__)
    __asm__("" : "+r"(v));
#endif
    return v;
}

#define KF_HUGE_F32 __builtin_inff()
#define KF_HUGE_F64 __builtin_inf()
#define KF_NAN_F32 __builtin_nanf("")
#define KF_NAN_F64 __builtin_nan("")

/* ---------------------------------------------------------------- floats */

KF_FN int32_t kf_bits_f32(float v) {
    int32_t bits;
    __builtin_memcpy(&bits, &v, 4);
    return bits;
}
KF_FN float kf_float_f32(int32_t bits) {
    float v;
    __builtin_memcpy(&v, &bits, 4);
    return v;
}
KF_FN int64_t kf_bits_f64(double v) {
    int64_t bits;
    __builtin_memcpy(&bits, &v, 8);
    return bits;
}
KF_FN double kf_float_f64(int64_t bits) {
    double v;
    __builtin_memcpy(&v, &bits, 8);
    return v;
}
#if defined(__FMA__) || defined(__aarch64__)
#define KF_HAS_FMA 1
#define KF_NEAR_TURNS 65536.0f /* up to it sin and cos reduce in f32, by FMA */
KF_FN float kf_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KF_FN float kf_fma_exact_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
#define KF_HAS_FMA 0
#define KF_NEAR_TURNS 0.5f
KF_FN float kf_fma_f32(float a, float b, float c) { return a * b + c; }
KF_FN float kf_fma_exact_f32(float a, float b, float c) {
    return (float)((double)a * (double)b + (double)c);
}
#endif
/* a b + c rounded once, on every machine: the sum of the exact product is rounded to odd, so that
 * rounding that to f32 is rounding once. */
#if KF_HAS_FMA
KF_FN float kf_fused_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
KF_FN float kf_fused_f32(float a, float b, float c) {
    double p = (double)a * (double)b, d = (double)c, sum = p + d, t = sum - p;
    double rest = (p - (sum - t)) + (d - t);
    int64_t bits = kf_bits_f64(sum), away = (rest > 0) == (sum > 0) ? 1 : -1;
    int odd = rest != 0 && rest == rest && (bits & 1) == 0;
    return (float)kf_float_f64(odd ? bits + away : bits);
}
#endif
KF_FN double kf_fused_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
KF_FN float kf_divn_f32(float a, float b) { return a / b; }
KF_FN float kf_select_f32(int condition, float a, float b) { return condition ? a : b; }
KF_FN float kf_raise_f32(float x, float bound) { return bound > x ? bound : x; }
/* By integers, which order floats of one sign as floats do: gcc turns two selects that follow one
 * another into three. */
KF_FN float kf_clamp_f32(float x, float low, float high) {
    int32_t bits = kf_bits_f32(x), top = kf_bits_f32(high);
    uint32_t below = (uint32_t)kf_bits_f32(low), c = (uint32_t)(bits < top ? bits : top);
    float r = kf_float_f32((int32_t)(c < below ? c : below));
    return x == x ? r : x;
}

#define KF_BASIC(N, T, F)                                                                     \
    KF_FN T kf_abs_##N(T a) { return __builtin_fabs##F(a); }                                  \
    KF_FN T kf_sqrt_##N(T a) { return __builtin_sqrt##F(a); }                                 \
    KF_FN T kf_round_##N(T a) { return __builtin_rint##F(a); }                                \
    KF_FN T kf_floor_##N(T a) { return __builtin_floor##F(a); }                               \
    KF_FN T kf_ceil_##N(T a) { return __builtin_ceil##F(a); }                                 \
    KF_FN T kf_trunc_##N(T a) { return __builtin_trunc##F(a); }                               \
    KF_FN T kf_max_##N(T a, T b) {                                                            \
        T r = b > a ? b : a; /* a if either is NaN: one compare where b is a constant */      \
        return b != b ? b : r;                                                                \
    }                                                                                         \
    KF_FN T kf_min_##N(T a, T b) {                                                            \
        T r = b < a ? b : a;                                                                  \
        return b != b ? b : r;                                                                \
    }
KF_BASIC(f32, float, f)
KF_BASIC(f64, double, )

/* The same without jumps that a compiler might see in them, for cumulative maxima b, one for each
 * column: gcc 12 would store an element only where it changes, under a mask, which x86 processors
 * are slow to store and to load again. cummax(x, 0) of 10,000 x 100 took 1.2 ms, then 0.4. A row's,
 * one after another, would wait longer for each other. */
#define KF_BLEND(N, T, B)                                                                     \
    KF_FN T kf__blend_##N(T v, T b) { /* b where that is NaN */                               \
        B nan = -(B)(b != b);                                                                 \
        return kf_float_##N((kf_bits_##N(v) & ~nan) | (kf_bits_##N(b) & nan));                \
    }                                                                                         \
    KF_FN T kf_blend_max_##N(T a, T b) { return kf__blend_##N(b > a ? b : a, b); }            \
    KF_FN T kf_blend_min_##N(T a, T b) { return kf__blend_##N(b < a ? b : a, b); }
KF_BLEND(f32, float, int32_t)
KF_BLEND(f64, double, int64_t)


/* The exact remainder without loops: the quotient has up to 277 bits, of which each step takes as
 * many as double's arithmetic is exact for. A step may miss by one, also of what is below 0 already;
 * the end puts that right. */
#if KF_HAS_FMA
#define KF_MOD_STEP(s)                                                                        \
    q = __builtin_trunc(r * (inverse * 0x1p-##s)), r = __builtin_fma(-q, d * 0x1p##s, r);
#define KF_MOD_STEPS                                                                          \
    KF_MOD_STEP(240) KF_MOD_STEP(192) KF_MOD_STEP(144) KF_MOD_STEP(96) KF_MOD_STEP(48)        \
    KF_MOD_STEP(0)
#else
#define KF_MOD_STEP(s) \
    q = __builtin_trunc(r * (inverse * 0x1p-##s)), r -= q * (d * 0x1p##s);
#define KF_MOD_STEPS                                                                          \
    KF_MOD_STEP(260) KF_MOD_STEP(234) KF_MOD_STEP(208) KF_MOD_STEP(182) KF_MOD_STEP(156)      \
    KF_MOD_STEP(130) KF_MOD_STEP(104) KF_MOD_STEP(78) KF_MOD_STEP(52) KF_MOD_STEP(26)         \
    KF_MOD_STEP(0)
#endif
KF_FN float kf_fmod_f32(float a, float b) {
    double r = __builtin_fabs((double)a), d = __builtin_fabs((double)b), inverse = 1.0 / d, q;
    KF_MOD_STEPS
    r = r < 0 ? r + d : r;
    r = r < 0 ? r + d : r;
    r = r >= d ? r - d : r;
    float m = __builtin_copysignf((float)r, a);
    return d == KF_HUGE_F64 && __builtin_fabsf(a) < KF_HUGE_F32 ? a : m;
}

#define KF_TO_INT(FROM, F, TO, T, one_below, bound, highest)                                  \
    KF_FN T kf_cast_##FROM##_##TO(F v) {                                                      \
        F x = v == v ? v : 0;                                                                 \
        x = x < -bound ? -bound : x;                                                          \
        x = x > one_below ? one_below : x;                                                    \
        return v >= bound ? highest : (T)x;                                                   \
    }
KF_TO_INT(f32, float, i32, int32_t, 0x1.fffffep30f, 0x1p31f, 0x7fffffff)
KF_TO_INT(f32, float, i64, int64_t, 0x1.fffffep62f, 0x1p63f, 0x7fffffffffffffff)
KF_TO_INT(f64, double, i32, int32_t, 0x1.fffffffcp30, 0x1p31, 0x7fffffff)
KF_TO_INT(f64, double, i64, int64_t, 0x1.fffffffffffffp62, 0x1p63, 0x7fffffffffffffff)

/* ---------------------------------------------------------------- f16 and bf16
 * In integer arithmetic, so that loops vectorize at every level. */

KF_FN float kf__from_f16(kf_f16 h) {
    int32_t bits = (int32_t)(h & 0x7fff) << 13, exponent = bits & 0x0f800000;
    int32_t normal = bits + (exponent == 0x0f800000 ? (224 << 23) : (112 << 23)); /* inf, NaN */
    float tiny = kf_float_f32(bits + (113 << 23)) - 0x1p-14f;
    int32_t size = exponent == 0 ? kf_bits_f32(tiny) : normal;
    return kf_float_f32(size | (int32_t)((uint32_t)(h & 0x8000) << 16));
}
KF_FN kf_f16 kf__to_f16(float v) {
    int32_t bits = kf_bits_f32(v), size = bits & 0x7fffffff;
    int32_t normal = (size - (112 << 23) + 0xfff + ((size >> 13) & 1)) >> 13;
    int32_t tiny = kf_bits_f32(kf_float_f32(size) + 0.5f) - 0x3f000000; /* adding rounds it */
    int32_t h = size < (113 << 23) ? tiny : normal;
    h = size >= 0x47800000 ? 0x7c00 : h; /* 65536 and above */
    h = size > 0x7f800000 ? 0x7e00 | ((size >> 13) & 0x3ff) : h;
    return (kf_f16)(h | ((bits >> 16) & 0x8000));
}
KF_FN float kf__from_bf16(kf_bf16 h) { return kf_float_f32((int32_t)((uint32_t)h << 16)); }
/* In the upper half; chosen before it is shifted, as gcc chooses halves by masks that it packs. */
KF_FN uint32_t kf__nearest_bf16(float v) {
    uint32_t bits = (uint32_t)kf_bits_f32(v);
    uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
    return v == v ? rounded : bits | 0x400000;
}
KF_FN kf_bf16 kf__to_bf16(float v) { return (kf_bf16)(kf__nearest_bf16(v) >> 16); }
/* n of them at once. gcc doesn't use what processors have for these in a loop of other things: x + y
 * took 1.3 ns an element on a Zen 4, and by way of arrays of floats in L1 takes .5. */
#if defined(__F16C__) && !defined(__TINYC__)
typedef int16_t kf__v8i16 __attribute__((vector_size(16)));
typedef float kf__v8f32 __attribute__((vector_size(32)));
typedef float kf__v4f32 __attribute__((vector_size(16)));
KF_FN void kf__widen8(float *to, const kf_f16 *from) {
    kf__v8i16 half;
    __builtin_memcpy(&half, from, 16);
    kf__v8f32 v = __builtin_ia32_vcvtph2ps256(half);
    __builtin_memcpy(to, &v, 32);
}
KF_FN void kf__narrow8(kf_f16 *to, const float *from) {
    kf__v8f32 v;
    __builtin_memcpy(&v, from, 32);
    kf__v8i16 half = __builtin_ia32_vcvtps2ph256(v, 0); /* to nearest, ties to even */
    __builtin_memcpy(to, &half, 16);
}
KF_FN void kf__widen1(float *to, const kf_f16 *from) {
    kf__v8i16 half = {(int16_t)*from};
    *to = __builtin_ia32_vcvtph2ps(half)[0];
}
KF_FN void kf__narrow1(kf_f16 *to, const float *from) {
    kf__v4f32 v = {*from};
    *to = (kf_f16)__builtin_ia32_vcvtps2ph(v, 0)[0];
}
#else
KF_FN void kf__widen1(float *to, const kf_f16 *from) { *to = kf__from_f16(*from); }
KF_FN void kf__narrow1(kf_f16 *to, const float *from) { *to = kf__to_f16(*from); }
KF_FN void kf__widen8(float *to, const kf_f16 *from) {
    KF_SIMD
    for (int k = 0; k < 8; k++) kf__widen1(to + k, from + k);
}
KF_FN void kf__narrow8(kf_f16 *to, const float *from) {
    KF_SIMD
    for (int k = 0; k < 8; k++) kf__narrow1(to + k, from + k);
}
#endif
/* The last ones one by one: a vector that is put together on the stack waits for its parts, and one
 * that begins before them for what was stored twice. t = x + y; t, sum(t, 0) of 1000x700 took a
 * Zen 4 234 us by the first, then 194; of 317x316 a Sapphire Rapids 44 us by the second, then 28. */
static __attribute__((noinline, unused)) void kf_widen_f16(float *to, const kf_f16 *from,
                                                           int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) kf__widen8(to + i, from + i);
    for (; i < n; i++) kf__widen1(to + i, from + i);
}
static __attribute__((noinline, unused)) void kf_narrow_f16(kf_f16 *to, const float *from,
                                                            int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) kf__narrow8(to + i, from + i);
    for (; i < n; i++) kf__narrow1(to + i, from + i);
}
/* As there and back, in lanes of 32 bits throughout: a sum with so large a power of 2 that its last
 * bit is a half's, of 2^-24 at least, is rounded to that; NaNs keep the bits that a half has. */
KF_FN float kf_round_f16(float v) {
    int32_t bits = kf_bits_f32(v), size = bits & 0x7fffffff, power = size & 0x7f800000;
    power = power < (113 << 23) ? 113 << 23 : power;
    power = power > (143 << 23) ? 143 << 23 : power; /* 2^16: all above is infinite */
    float unit = kf_float_f32(power + (13 << 23));
    float r = (kf_float_f32(size) + unit) - unit;
    r = r > 65504.0f ? KF_HUGE_F32 : r;
    return kf_float_f32((kf_bits_f32(r) & ~0x1fff) | (bits & (int32_t)0x80000000));
}
KF_FN float kf_round_bf16(float v) {
    return kf_float_f32((int32_t)(kf__nearest_bf16(v) & 0xffff0000));
}

/* ---------------------------------------------------------------- loads and stores
 * The wide ones: elements i to i + W - 1; from n on they are 0, and untouched in memory. */

#define KF_WIDE(W, N, S, T)                                                                   \
    KF_FN void kf_load##W##_##N(const S *p, int64_t i, int64_t n, int vec, uint32_t *words) { \
        (void)vec;                                                                            \
        __builtin_memset(words, 0, (W * sizeof(S) + 3) / 4 * 4);                              \
        for (int k = 0; k < W && i + k < n; k++)                                              \
            __builtin_memcpy((char *)words + k * (int)sizeof(S), p + i + k, sizeof(S));       \
    }                                                                                         \
    KF_FN void kf_part##W##_##N(const S *p, int64_t begin, int64_t end, uint32_t *words) {    \
        __builtin_memset(words, 0, (W * sizeof(S) + 3) / 4 * 4);                              \
        for (int k = 0; k < W; k++)                                                           \
            if (k >= begin && k < end)                                                        \
                __builtin_memcpy((char *)words + k * (int)sizeof(S), p + k, sizeof(S));       \
    }                                                                                         \
    KF_FN void kf_store##W##_##N(S *p, int64_t i, int64_t n, int vec, const T *r) {           \
        (void)vec;                                                                            \
        for (int k = 0; k < W; k++)                                                           \
            if (i + k < n) kf_store_##N(p, i + k, r[k]);                                      \
    }
#define KF_MEMORY(N, S, T, FROM, TO)                                                          \
    KF_FN T kf_load_##N(const S *p, int64_t i) { return FROM(p[i]); }                         \
    KF_FN void kf_store_##N(S *p, int64_t i, T v) { p[i] = TO(v); }                           \
    KF_FN T kf_item_##N(const uint32_t *words, int e) {                                       \
        S v;                                                                                  \
        __builtin_memcpy(&v, (const char *)words + e * (int)sizeof v, sizeof v);              \
        return (T)FROM(v);                                                                    \
    }                                                                                         \
    KF_WIDE(2, N, S, T) KF_WIDE(4, N, S, T) KF_WIDE(8, N, S, T) KF_WIDE(16, N, S, T)
#define KF_IS_SET(v) ((v) != 0)
KF_MEMORY(f64, double, double, , )
KF_MEMORY(f32, float, float, , )
KF_MEMORY(f16, kf_f16, float, kf__from_f16, kf__to_f16)
KF_MEMORY(bf16, kf_bf16, float, kf__from_bf16, kf__to_bf16)
KF_MEMORY(i64, int64_t, int64_t, , )
KF_MEMORY(i32, int32_t, int32_t, , )
KF_MEMORY(i16, int16_t, int16_t, , )
KF_MEMORY(i8, int8_t, int8_t, , )
KF_MEMORY(u8, uint8_t, uint8_t, , )
KF_MEMORY(bool, uint8_t, int, KF_IS_SET, KF_IS_SET)

/* As many zeros as a block of the widest type has: what a load reads whose guard doesn't hold. */
KF_FN const void *kf_nothing(void) {
    static const uint64_t zeros[2048];
    return zeros;
}
/* Of a binary counter: its lowest ones, its digits, and digit k. */
KF_FN int64_t kf_trailing_ones(int64_t n) {
    int64_t k = 0;
    while (n >> k & 1) ++k;
    return k;
}
KF_FN int64_t kf_bit_length(int64_t n) {
    int64_t k = 0;
    while (n >> k) ++k;
    return k;
}
KF_FN int kf_has_bit(int64_t n, int64_t k) { return (int)(n >> k & 1); }

KF_FN void kf_prefetch(const void *p) { __builtin_prefetch(p, 0, 3); }
KF_FN void kf_prefetch_far(const void *p) { __builtin_prefetch(p, 0, 2); } /* to L2 */
KF_FN void kf_prefetch_write(const void *p) { __builtin_prefetch(p, 1, 2); }

/* The cache's lines that have the n bytes from p on, which needn't begin one, to L2. */
#define KF_PREFETCH_RUN(NAME, PREFETCH)                                                       \
    KF_FN void NAME(const void *p, int64_t n) {                                               \
        const char *line = (const char *)((__UINTPTR_TYPE__)p & ~(__UINTPTR_TYPE__)63);       \
        for (; line < (const char *)p + n; line += 64) PREFETCH(line);                        \
    }
KF_PREFETCH_RUN(kf_prefetch_run, kf_prefetch_far)
KF_PREFETCH_RUN(kf_prefetch_write_run, kf_prefetch_write)

/* ---------------------------------------------------------------- vectors of this machine
 * KF_VECTOR bytes each. Rows of the table: the widest that there is. */

#if defined(__AVX512F__)
#define KF_VECTOR 64
#elif defined(__AVX__)
#define KF_VECTOR 32
#else
#define KF_VECTOR 16
#endif
#define KF_LINE 64 /* of the cache */
typedef float kf__vf __attribute__((vector_size(KF_VECTOR)));

KF_FN void kf__stream_store(void *dst, kf__vf v) {
#if defined(__clang__)
    __builtin_nontemporal_store(v, (kf__vf *)dst);
#elif defined(__AVX512F__)
    __builtin_ia32_movntps512((float *)dst, v);
#elif defined(__AVX__)
    __builtin_ia32_movntps256((float *)dst, v);
#elif defined(__SSE__)
    __builtin_ia32_movntps((float *)dst, v);
#else
    *(kf__vf *)dst = v;
#endif
}
/* Less than a line of the cache, in at most a handful of moves. */
KF_FN void kf__copy_few(char *to, const char *from, int64_t bytes) {
    KF_UNROLL
    for (int64_t n = KF_LINE / 2; n > 0; n /= 2) {
        if (!(bytes & n)) continue;
        __builtin_memcpy(to, from, (unsigned long)n);
        to += n;
        from += n;
    }
}
/* A line again and again. */
KF_FN void kf_repeat(void *dst, const void *line, int64_t line_bytes, int64_t bytes) {
    char *to = (char *)dst;
    __builtin_memcpy(to, line, (unsigned long)line_bytes);
    for (int64_t done = line_bytes; done < bytes; done *= 2) {
        int64_t n = done < bytes - done ? done : bytes - done;
        __builtin_memcpy(to + done, to, (unsigned long)n);
    }
}
/* Copy past the caches, from a buffer that is in them: whole lines, as half of one that is streamed
 * and half that isn't take long. Before others read dst: kf_stream_fence. */
KF_FN void kf_stream_copy(void *dst, const void *src, int64_t bytes) {
    char *to = (char *)dst;
    const char *from = (const char *)src;
    int64_t head = (int64_t)(-(uint64_t)(__UINTPTR_TYPE__)to & (KF_LINE - 1));
    head = head < bytes ? head : bytes;
    int64_t i = head, end = head + ((bytes - head) & -KF_LINE);
    kf__copy_few(to, from, head);
    for (; i < end; i += KF_VECTOR) {
        kf__vf v;
        __builtin_memcpy(&v, from + i, KF_VECTOR);
        kf__stream_store(to + i, v);
    }
    kf__copy_few(to + i, from + i, bytes - i);
}
/* Asks for the last line of what will be streamed, if it isn't whole: stores are seen in order, so
 * those of whole lines would wait for it. x + b, x * 2 of bf16 3163x3161 took 4.3 ms, then 3.3. */
KF_FN void kf_stream_ahead(const void *dst, int64_t bytes) {
    const char *end = (const char *)dst + bytes;
    if ((__UINTPTR_TYPE__)end & (KF_LINE - 1)) kf_prefetch_write(end - 1);
}
/* Bytes of p's line that are before it. */
KF_FN int64_t kf_stream_skew(const void *p) {
    return (int64_t)((__UINTPTR_TYPE__)p & (KF_LINE - 1));
}
KF_FN void kf_stream_fence(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* ---------------------------------------------------------------- strided runs
 * to[l] = from[l * step], l < n: of the steps that are common a vector is made of vectors. */

#define KF_STRIDED(SIZE, T)                                                                   \
    typedef T __attribute__((may_alias)) kf__strided##SIZE;                                   \
    static __attribute__((noinline, unused)) void kf_strided##SIZE(void *to, const void *from, \
                                                                   int64_t step, int64_t n) { \
        kf__strided##SIZE *dst = (kf__strided##SIZE *)to;                                     \
        const kf__strided##SIZE *src = (const kf__strided##SIZE *)from;                       \
        if (step == -1) {                                                                     \
            src -= n - 1;                                                                     \
            KF_SIMD for (int64_t l = 0; l < n; l++) dst[l] = src[n - 1 - l];                  \
        } else if (step == 2) {                                                               \
            KF_SIMD for (int64_t l = 0; l < n; l++) dst[l] = src[2 * l];                      \
        } else if (step == 3) {                                                               \
            KF_SIMD for (int64_t l = 0; l < n; l++) dst[l] = src[3 * l];                      \
        } else if (step == 4) {                                                               \
            KF_SIMD for (int64_t l = 0; l < n; l++) dst[l] = src[4 * l];                      \
        } else {                                                                              \
            KF_SIMD for (int64_t l = 0; l < n; l++) dst[l] = src[l * step];                   \
        }                                                                                     \
    }
KF_STRIDED(1, uint8_t)
KF_STRIDED(2, uint16_t)
KF_STRIDED(4, uint32_t)
KF_STRIDED(8, uint64_t)

/* ---------------------------------------------------------------- transposing
 * Bits of 1, 2, 4 or 8 bytes, in square blocks in registers: vectors zipped with those half a block
 * away, as often as makes the block's side, are its columns.
 *
 *     0 1    0 2   zip(row 0, row 1)          kf_transpose: dst[j * dst_pitch + i] =
 *     2 3    1 3                                  src[i * src_pitch + j], i < n, j < m
 */

#if KF_VECTOR == 64
#define KF_SIDE8 8
#define KF_SIDE4 16
#define KF_SIDE2 16
#define KF_ROUNDS8 3
#define KF_ROUNDS4 4
#define KF_ROUNDS2 4
#elif KF_VECTOR == 32
#define KF_SIDE8 4
#define KF_SIDE4 8
#define KF_SIDE2 8
#define KF_ROUNDS8 2
#define KF_ROUNDS4 3
#define KF_ROUNDS2 3
#else
#define KF_SIDE8 2
#define KF_SIDE4 4
#define KF_SIDE2 8
#define KF_ROUNDS8 1
#define KF_ROUNDS4 2
#define KF_ROUNDS2 3
#endif
#define KF_SIDE1 16
#define KF_ROUNDS1 4
#define KF_ZIP2_LOW 0, 2
#define KF_ZIP2_HIGH 1, 3
#define KF_ZIP4_LOW 0, 4, 1, 5
#define KF_ZIP4_HIGH 2, 6, 3, 7
#define KF_ZIP8_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define KF_ZIP8_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define KF_ZIP16_LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define KF_ZIP16_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define KF_ZIP(a, b, side, half) KF_ZIP_(a, b, side, half)
#define KF_ZIP_(a, b, side, half) __builtin_shufflevector(a, b, KF_ZIP##side##_##half)

enum { KF_STREAMED = 64 }; /* items that a streamed column gets at a time */

/* Pairs, threes and fours that lie one behind the other are split into lines, and joined of lines. */
#define KF_EACH2(DO) DO(0) DO(1)
#define KF_EACH3(DO) DO(0) DO(1) DO(2)
#define KF_EACH4(DO) DO(0) DO(1) DO(2) DO(3)
#define KF_OUT(k) to[k * pitch + i] = from[i * N + k];
#define KF_IN(k) to[i * N + k] = from[k * pitch + i];
#define KF_SPLIT(SIZE, COUNT, EACH)                                                           \
    KF_FN void kf__split##COUNT##_##SIZE(void *dst, int64_t pitch, const void *src, int64_t n) { \
        enum { N = COUNT };                                                                   \
        kf__item##SIZE *KF_RESTRICT to = (kf__item##SIZE *)dst;                               \
        const kf__item##SIZE *KF_RESTRICT from = (const kf__item##SIZE *)src;                 \
        KF_SIMD                                                                               \
        for (int64_t i = 0; i < n; i++) { EACH(KF_OUT) }                                      \
    }                                                                                         \
    KF_FN void kf__join##COUNT##_##SIZE(void *dst, const void *src, int64_t pitch, int64_t n) { \
        enum { N = COUNT };                                                                   \
        kf__item##SIZE *KF_RESTRICT to = (kf__item##SIZE *)dst;                               \
        const kf__item##SIZE *KF_RESTRICT from = (const kf__item##SIZE *)src;                 \
        KF_SIMD                                                                               \
        for (int64_t i = 0; i < n; i++) { EACH(KF_IN) }                                       \
    }

#define KF_TRANSPOSE(SIZE, T)                                                                 \
    typedef T kf__v##SIZE __attribute__((vector_size(SIZE * KF_SIDE##SIZE)));                 \
    KF_FN void kf__block##SIZE(T *dst, int64_t dst_pitch, const T *src, int64_t src_pitch) {  \
        enum { SIDE = KF_SIDE##SIZE };                                                        \
        kf__v##SIZE a[SIDE], b[SIDE];                                                         \
        KF_UNROLL                                                                             \
        for (int i = 0; i < SIDE; i++) __builtin_memcpy(&a[i], src + i * src_pitch, sizeof *a); \
        KF_UNROLL                                                                             \
        for (int round = 0; round < KF_ROUNDS##SIZE; round++) {                               \
            KF_UNROLL                                                                         \
            for (int i = 0; i < SIDE / 2; i++) {                                              \
                b[2 * i] = KF_ZIP(a[i], a[i + SIDE / 2], KF_SIDE##SIZE, LOW);                 \
                b[2 * i + 1] = KF_ZIP(a[i], a[i + SIDE / 2], KF_SIDE##SIZE, HIGH);            \
            }                                                                                 \
            KF_UNROLL                                                                         \
            for (int i = 0; i < SIDE; i++) a[i] = b[i];                                       \
        }                                                                                     \
        KF_UNROLL                                                                             \
        for (int i = 0; i < SIDE; i++) __builtin_memcpy(dst + i * dst_pitch, &a[i], sizeof *a); \
    }                                                                                         \
    KF_FN void kf__items##SIZE(T *dst, int64_t dst_pitch, const T *src, int64_t src_pitch,    \
                               int64_t n, int64_t m) {                                        \
        for (int64_t i = 0; i < n; i++)                                                       \
            for (int64_t j = 0; j < m; j++)                                                   \
                __builtin_memcpy(dst + j * dst_pitch + i, src + i * src_pitch + j, SIZE);     \
    }                                                                                         \
    typedef T __attribute__((may_alias)) kf__item##SIZE;                                      \
    KF_SPLIT(SIZE, 2, KF_EACH2) KF_SPLIT(SIZE, 3, KF_EACH3) KF_SPLIT(SIZE, 4, KF_EACH4)       \
    static __attribute__((noinline, unused)) void kf_transpose##SIZE(                         \
        void *to, int64_t dst_pitch, const void *from, int64_t src_pitch, int64_t n,          \
        int64_t m) {                                                                          \
        enum { SIDE = KF_SIDE##SIZE };                                                        \
        T *dst = (T *)to;                                                                     \
        const T *src = (const T *)from;                                                       \
        if (src_pitch == m && m == 2) return kf__split2_##SIZE(dst, dst_pitch, src, n);       \
        if (src_pitch == m && m == 3) return kf__split3_##SIZE(dst, dst_pitch, src, n);       \
        if (src_pitch == m && m == 4) return kf__split4_##SIZE(dst, dst_pitch, src, n);       \
        if (dst_pitch == n && n == 2) return kf__join2_##SIZE(dst, src, src_pitch, m);        \
        if (dst_pitch == n && n == 3) return kf__join3_##SIZE(dst, src, src_pitch, m);        \
        if (dst_pitch == n && n == 4) return kf__join4_##SIZE(dst, src, src_pitch, m);        \
        for (; n >= SIDE; n -= SIDE, src += SIDE * src_pitch, dst += SIDE) {                  \
            int64_t j = 0;                                                                    \
            for (; j + SIDE <= m; j += SIDE)                                                  \
                kf__block##SIZE(dst + j * dst_pitch, dst_pitch, src + j, src_pitch);          \
            kf__items##SIZE(dst + j * dst_pitch, dst_pitch, src + j, src_pitch, SIDE, m - j); \
        }                                                                                     \
        kf__items##SIZE(dst, dst_pitch, src, src_pitch, n, m);                                \
    }                                                                                         \
    static __attribute__((noinline, unused)) void kf_stream_transpose##SIZE(                  \
        void *to, int64_t dst_pitch, const void *from, int64_t src_pitch, int64_t n,          \
        int64_t m) {                                                                          \
        enum { SIDE = KF_SIDE##SIZE };                                                        \
        T buffer[SIDE * KF_STREAMED];                                                         \
        if (dst_pitch == n && n <= KF_STREAMED) { /* one run: a part of all columns at a time */ \
            int64_t most = n ? SIDE * KF_STREAMED / n : 1;                                    \
            for (int64_t j = 0; j < m; j += most) {                                           \
                int64_t wide = m - j < most ? m - j : most;                                   \
                kf_transpose##SIZE(buffer, n, (const T *)from + j, src_pitch, n, wide);       \
                kf_stream_copy((T *)to + j * n, buffer, n * wide * SIZE);                     \
            }                                                                                 \
            return;                                                                           \
        }                                                                                     \
        for (int64_t j = 0; j < m; j += SIDE)                                                 \
            for (int64_t i = 0; i < n; i += KF_STREAMED) {                                    \
                int64_t wide = m - j < SIDE ? m - j : SIDE;                                   \
                int64_t high = n - i < KF_STREAMED ? n - i : KF_STREAMED;                     \
                kf_transpose##SIZE(buffer, KF_STREAMED,                                       \
                                   (const T *)from + i * src_pitch + j, src_pitch, high, wide); \
                for (int64_t k = 0; k < wide; k++)                                            \
                    kf_stream_copy((T *)to + (j + k) * dst_pitch + i,                         \
                                   buffer + k * KF_STREAMED, high * SIZE);                    \
            }                                                                                 \
    }
KF_TRANSPOSE(1, uint8_t)
KF_TRANSPOSE(2, uint16_t)
KF_TRANSPOSE(4, uint32_t)
KF_TRANSPOSE(8, uint64_t)

/* Bytes that go from a tile to memory: a line there is filled by four blocks, one after the other,
 * or it would leave L1 meanwhile. x.T, x * 2 of int8 1024x1024 took a Zen 3 320 us, then 140. */
static __attribute__((noinline, unused)) void kf_turn1(void *to, int64_t dst_pitch,
                                                       const void *from, int64_t src_pitch,
                                                       int64_t n, int64_t m) {
    enum { SIDE = KF_SIDE1 };
    uint8_t *dst = (uint8_t *)to;
    const uint8_t *src = (const uint8_t *)from;
    for (; n >= SIDE && m >= SIDE; m -= SIDE, src += SIDE, dst += SIDE * dst_pitch) {
        int64_t i = 0;
        for (; i + SIDE <= n; i += SIDE)
            kf__block1(dst + i, dst_pitch, src + i * src_pitch, src_pitch);
        kf__items1(dst + i, dst_pitch, src + i * src_pitch, src_pitch, n - i, SIDE);
    }
    kf_transpose1(dst, dst_pitch, src, src_pitch, n, m);
}

/* ---------------------------------------------------------------- random numbers in bulk
 * One Philox block a 64-bit lane; what the algorithm calls words are the lanes' low halves, and
 * whatever is in the high halves doesn't matter, as a product takes the low ones only. */

#if defined(__AVX2__)
#define KF_PHILOX KF_VECTOR
#else
#define KF_PHILOX 16
#endif
#define KF_LANES (KF_PHILOX / 8)
#if KF_LANES == 8
#define KF_LANE_INDICES {0, 1, 2, 3, 4, 5, 6, 7}
#elif KF_LANES == 4
#define KF_LANE_INDICES {0, 1, 2, 3}
#else
#define KF_LANE_INDICES {0, 1}
#endif
typedef uint64_t kf__vu64 __attribute__((vector_size(KF_PHILOX)));
typedef int32_t kf__vi32 __attribute__((vector_size(KF_PHILOX)));

KF_FN kf__vu64 kf__mul_low(kf__vu64 a, kf__vu64 b) {
#if !defined(__clang__) && defined(__AVX512F__)
    typedef long long vi64 __attribute__((vector_size(64)));
    return (kf__vu64)__builtin_ia32_pmuludq512_mask((kf__vi32)a, (kf__vi32)b, (vi64)a, 255);
#elif !defined(__clang__) && defined(__AVX2__)
    return (kf__vu64)__builtin_ia32_pmuludq256((kf__vi32)a, (kf__vi32)b);
#elif !defined(__clang__) && defined(__SSE2__)
    return (kf__vu64)__builtin_ia32_pmuludq128((kf__vi32)a, (kf__vi32)b);
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}
typedef int32_t __attribute__((may_alias)) kf__word;
/* 4 KF_LANES words from block `block` on. */
KF_FN void kf__philox_blocks(uint64_t seed, uint64_t stream, uint64_t block, kf__word *out) {
    const kf__vu64 zero = {0}, lane = KF_LANE_INDICES;
    /* an index is 64 bits and a block 62: runs that begin before 0, as a part's do, go on from 0 */
    kf__vu64 c0 = (lane + block) & (zero + 0x3fffffffffffffffu), c1 = c0 >> 32;
    kf__vu64 c2 = zero + stream, c3 = zero + (stream >> 32);
    const kf__vu64 m0 = zero + 0xD2511F53u, m1 = zero + 0xCD9E8D57u;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    KF_UNROLL
    for (int round = 0; round < 10; round++) {
        kf__vu64 a = kf__mul_low(c0, m0), b = kf__mul_low(c2, m1);
        c0 = (b >> 32) ^ c1 ^ (zero + k0);
        c1 = b;
        c2 = (a >> 32) ^ c3 ^ (zero + k1);
        c3 = a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    kf__vu64 w01 = (c0 & 0xffffffff) | (c1 << 32), w23 = (c2 & 0xffffffff) | (c3 << 32);
#if KF_PHILOX == 64
    kf__vu64 x = __builtin_shufflevector(w01, w23, 0, 8, 1, 9, 2, 10, 3, 11);
    kf__vu64 y = __builtin_shufflevector(w01, w23, 4, 12, 5, 13, 6, 14, 7, 15);
#elif KF_PHILOX == 32
    kf__vu64 x = __builtin_shufflevector(w01, w23, 0, 4, 1, 5);
    kf__vu64 y = __builtin_shufflevector(w01, w23, 2, 6, 3, 7);
#else
    kf__vu64 x = __builtin_shufflevector(w01, w23, 0, 2);
    kf__vu64 y = __builtin_shufflevector(w01, w23, 1, 3);
#endif
    __builtin_memcpy(out, &x, KF_PHILOX);
    __builtin_memcpy(out + KF_PHILOX / 4, &y, KF_PHILOX);
}
/* Words first to first + n - 1, as kf_philox_word gives them. Not inlined: it is long, and called
 * for many words at a time. */
static __attribute__((noinline, unused)) void kf_philox_fill(int64_t seed, int64_t stream,
                                                             int64_t first, int64_t n,
                                                             kf__word *words) {
    int32_t part[4 * KF_LANES];
    int64_t i = 0;
    while (i < n) {
        uint64_t at = (uint64_t)(first + i), block = at >> 2;
        int64_t skip = (int64_t)(at & 3);
        if (skip == 0)
            for (; i + 4 * KF_LANES <= n; i += 4 * KF_LANES, block += KF_LANES)
                kf__philox_blocks((uint64_t)seed, (uint64_t)stream, block, words + i);
        if (i >= n) break;
        kf__philox_blocks((uint64_t)seed, (uint64_t)stream, block, part);
        int64_t count = 4 * KF_LANES - skip < n - i ? 4 * KF_LANES - skip : n - i;
        for (int64_t k = 0; k < count; k++) words[i + k] = part[skip + k];
        i += count;
    }
}
/* As kf_philox_wide; a little-endian machine's words are in order. */
KF_FN void kf_philox_fill_wide(int64_t seed, int64_t stream, int64_t first, int64_t n,
                               int64_t *words) {
    kf_philox_fill(seed, stream, 2 * first, 2 * n, (kf__word *)words);
}
