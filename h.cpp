#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define __device__
#define __forceinline__ inline
#define KF_FN static inline
typedef uint16_t kf_f16, kf_bf16;
static uint32_t __funnelshift_r(uint32_t lo, uint32_t hi, uint32_t s){ s&=31; return (uint32_t)((((uint64_t)hi<<32)|lo)>>s);}
static uint32_t __funnelshift_l(uint32_t lo, uint32_t hi, uint32_t s){ s&=31; return (uint32_t)(((((uint64_t)hi<<32)|lo)<<s)>>32);}
template<typename T> static int kf__dense(int i){return i;}
static float kf_float_f32(int32_t b){float f;memcpy(&f,&b,4);return f;}
static double __longlong_as_double(long long b){double f;memcpy(&f,&b,8);return f;}
static float kf__from_f16(kf_f16 v){return v;} static kf_f16 kf__to_f16(float v){return v;}
static float kf__from_bf16(kf_f16 v){return v;} static kf_f16 kf__to_bf16(float v){return v;}
static uint32_t kf__to_2f16(float l,float h){return (uint32_t)l|(uint32_t)h<<16;}
static uint32_t kf__to_2bf16(float l,float h){return (uint32_t)l|(uint32_t)h<<16;}
template <typename S, int W> struct alignas(W * sizeof(S)) kf__pack {
    S at[W];
};
/* How many of W elements from i on are below n? */
template <int W> KF_FN int kf__left(int i, int n) {
    int left = n - i;
    return left >= W ? W : left > 0 ? left : 0;
}
/* Unsigned integers of a size, for moving bits. */
template <int SIZE> struct kf__bits { typedef uint32_t type; };
template <> struct kf__bits<1> { typedef uint8_t type; };
template <> struct kf__bits<2> { typedef uint16_t type; };

/* A dtype: how it is stored (S) and computed with (T). */
#define KF_DTYPE(N, STORED, COMPUTED, FROM, TO)                                               \
    struct kf__##N {                                                                          \
        typedef STORED S;                                                                     \
        typedef COMPUTED T;                                                                   \
        static __device__ __forceinline__ T from(S v) { return FROM(v); }                     \
        static __device__ __forceinline__ S to(T v) { return TO(v); }                         \
    };                                                                                        \
    KF_FN COMPUTED kf_load_##N(const STORED *p, int64_t i) { return FROM(p[i]); }             \
    KF_FN void kf_store_##N(STORED *p, int64_t i, COMPUTED v) { p[i] = TO(v); }               \
    KF_FN void kf_dense_put_##N(STORED *array, int i, COMPUTED v) {                           \
        array[kf__dense<STORED>(i)] = TO(v);                                                  \
    }
#define KF_IS_SET(v) ((v) != 0)
#define KF_AS_IS(v) (v)
KF_DTYPE(f64, double, double, KF_AS_IS, KF_AS_IS)
KF_DTYPE(f32, float, float, KF_AS_IS, KF_AS_IS)
KF_DTYPE(f16, kf_f16, float, kf__from_f16, kf__to_f16)
KF_DTYPE(bf16, kf_bf16, float, kf__from_bf16, kf__to_bf16)
KF_DTYPE(i64, int64_t, int64_t, KF_AS_IS, KF_AS_IS)
KF_DTYPE(i32, int32_t, int32_t, KF_AS_IS, KF_AS_IS)
KF_DTYPE(i16, int16_t, int16_t, KF_AS_IS, KF_AS_IS)
KF_DTYPE(i8, int8_t, int8_t, KF_AS_IS, KF_AS_IS)
KF_DTYPE(u8, uint8_t, uint8_t, KF_AS_IS, KF_AS_IS)
KF_DTYPE(bool, uint8_t, int, KF_IS_SET, KF_IS_SET)

/* N words of elements of SIZE bytes, less than 4, wherever they begin: what is a word in memory goes
 * as one, and the elements before the first such and behind the last one alone. So no byte but
 * theirs is touched. */
template <int SIZE, int N> KF_FN void kf__load_words(const void *p, uint32_t *words) {
    typedef typename kf__bits<SIZE>::type bits;
    uint32_t over = (uint32_t)(uint64_t)p % 4; /* bytes of the first word that are before p */
    const uint32_t *at = (const uint32_t *)((const char *)p - over);
    if (over == 0) {
        _Pragma("unroll") for (int k = 0; k < N; k++) words[k] = at[k];
        return;
    }
    uint32_t low = 0, high = 0;
    _Pragma("unroll") for (int j = 1; j < 4 / SIZE; j++)
        if (j * SIZE >= over) low |= (uint32_t)((const bits *)at)[j] << (8 * SIZE * j);
    _Pragma("unroll") for (int k = 1; k < N; k++) words[k] = at[k];
    _Pragma("unroll") for (int j = 0; j < 4 / SIZE - 1; j++)
        if (j * SIZE < over) high |= (uint32_t)((const bits *)(at + N))[j] << (8 * SIZE * j);
    _Pragma("unroll") for (int k = 1; k <= N; k++) {
        uint32_t next = k < N ? words[k % N] : high;
        words[k - 1] = __funnelshift_r(low, next, 8 * over);
        low = next;
    }
}
template <int SIZE, int N> KF_FN void kf__store_words(void *p, const uint32_t *words) {
    typedef typename kf__bits<SIZE>::type bits;
    uint32_t over = (uint32_t)(uint64_t)p % 4;
    uint32_t *at = (uint32_t *)((char *)p - over);
    if (over == 0) {
        _Pragma("unroll") for (int k = 0; k < N; k++) at[k] = words[k];
        return;
    }
    uint32_t low = words[0] << (8 * over), high = words[N - 1] >> (32 - 8 * over);
    _Pragma("unroll") for (int j = 1; j < 4 / SIZE; j++)
        if (j * SIZE >= over) ((bits *)at)[j] = (bits)(low >> (8 * SIZE * j));
    _Pragma("unroll") for (int k = 1; k < N; k++)
        at[k] = __funnelshift_l(words[k - 1], words[k], 8 * over);
    _Pragma("unroll") for (int j = 0; j < 4 / SIZE - 1; j++)
        if (j * SIZE < over) ((bits *)(at + N))[j] = (bits)(high >> (8 * SIZE * j));
}
/* A pack is loaded as words, which kf_item_T takes apart only where an element is used: so a load
 * doesn't wait for itself, and the next one starts. */
template <typename D, int W>
KF_FN void kf__load(const typename D::S *p, int i, int n, int vec, uint32_t *words) {
    constexpr int SIZE = sizeof(typename D::S), BYTES = W * SIZE;
    constexpr int STEP = BYTES >= 16 ? 16 : BYTES, N = STEP < 4 ? 1 : STEP / 4;
    int left = kf__left<W>(i, n);
    p += i;
    if (vec && left == W) {
        typedef kf__pack<typename kf__bits<(STEP < 4 ? STEP : 4)>::type, N> pack;
        _Pragma("unroll") for (int k = 0; k < BYTES; k += STEP) {
            pack v = *(const pack *)((const char *)p + k);
            _Pragma("unroll") for (int j = 0; j < N; j++) words[k / 4 + j] = v.at[j];
        }
        return;
    }
    if (SIZE < 4 && BYTES >= 4 && left == W) {
        kf__load_words<SIZE, (BYTES < 4 ? 1 : BYTES / 4)>(p, words);
        return;
    }
    _Pragma("unroll") for (int k = 0; k < (BYTES + 3) / 4; k++) words[k] = 0;
    if (left == 0) return;
    if (SIZE >= 4) {
        constexpr int PER = SIZE / 4;
        const uint32_t *from = (const uint32_t *)p;
        _Pragma("unroll") for (int k = 0; k < W; k++)
            _Pragma("unroll") for (int j = 0; j < PER; j++)
                if (k < left) words[k * PER + j] = from[k * PER + j];
    } else {
        typedef typename kf__bits<SIZE>::type bits;
        _Pragma("unroll") for (int k = 0; k < W; k++)
            if (k < left)
                words[k * SIZE / 4] |= (uint32_t)((const bits *)p)[k] << (k * SIZE % 4 * 8);
    }
}
/* Only the elements from begin to end - 1 of the pack: of one that is partly outside. */
template <typename D, int W>
KF_FN void kf__part(const typename D::S *p, int64_t begin, int64_t end, uint32_t *words) {
    constexpr int SIZE = sizeof(typename D::S), PER = SIZE < 4 ? 1 : SIZE / 4;
    typedef typename kf__bits<(SIZE < 4 ? SIZE : 4)>::type bits;
    _Pragma("unroll") for (int k = 0; k < (W * SIZE + 3) / 4; k++) words[k] = 0;
    if (begin >= end) return;
    _Pragma("unroll") for (int k = 0; k < W; k++)
        _Pragma("unroll") for (int j = 0; j < PER; j++)
            if (k >= begin && k < end)
                words[(k * SIZE + 4 * j) / 4] |= (uint32_t)((const bits *)p)[k * PER + j]
                                                << (k * SIZE % 4 * 8);
}
/* Element e of a pack's words. */
KF_FN double kf_item_f64(const uint32_t *words, int e) {
    return __longlong_as_double((long long)(words[2 * e] | (uint64_t)words[2 * e + 1] << 32));
}
KF_FN int64_t kf_item_i64(const uint32_t *words, int e) {
    return (int64_t)(words[2 * e] | (uint64_t)words[2 * e + 1] << 32);
}
KF_FN float kf_item_f32(const uint32_t *words, int e) { return kf_float_f32((int32_t)words[e]); }
KF_FN int32_t kf_item_i32(const uint32_t *words, int e) { return (int32_t)words[e]; }
KF_FN float kf_item_f16(const uint32_t *words, int e) {
    return kf__from_f16((kf_f16)(words[e / 2] >> (e % 2 * 16)));
}
KF_FN float kf_item_bf16(const uint32_t *words, int e) {
    return kf_float_f32((int32_t)(e % 2 ? words[e / 2] & 0xffff0000 : words[e / 2] << 16));
}
KF_FN int16_t kf_item_i16(const uint32_t *words, int e) {
    return (int16_t)(words[e / 2] >> (e % 2 * 16));
}
KF_FN int8_t kf_item_i8(const uint32_t *words, int e) {
    return (int8_t)(words[e / 4] >> (e % 4 * 8));
}
KF_FN uint8_t kf_item_u8(const uint32_t *words, int e) {
    return (uint8_t)(words[e / 4] >> (e % 4 * 8));
}
KF_FN int kf_item_bool(const uint32_t *words, int e) { return kf_item_u8(words, e) != 0; }
#define KF_MEMORY8(N, STORED, COMPUTED, FROM, TO)                                             \
    KF_DTYPE(N, STORED, COMPUTED, FROM, TO)                                                   \
    KF_FN COMPUTED kf_item_##N(const uint32_t *words, int e) {                                \
        return FROM((STORED)kf_item_u8(words, e));                                            \
    }

/* A pack, as words: wide, or word by word, or element by element where there are less than W. */
template <int SIZE, int W>
KF_FN void kf__store_pack(void *p, int left, int vec, const uint32_t *words) {
    constexpr int N = W * SIZE / 4, K = N > 4 ? 4 : N;
    typedef typename kf__bits<(SIZE < 4 ? SIZE : 4)>::type bits;
    if (vec && left == W) {
        typedef kf__pack<uint32_t, K> pack;
        _Pragma("unroll") for (int k = 0; k < N; k += K) {
            pack v;
            _Pragma("unroll") for (int j = 0; j < K; j++) v.at[j] = words[k + j];
            *(pack *)((char *)p + 4 * k) = v;
        }
    } else if (SIZE < 4 && left == W) {
        kf__store_words<(SIZE < 4 ? SIZE : 1), N>(p, words);
    } else {
        constexpr int PER = SIZE < 4 ? 1 : SIZE / 4;
        _Pragma("unroll") for (int k = 0; k < W; k++)
            _Pragma("unroll") for (int j = 0; j < PER; j++)
                if (k < left)
                    ((bits *)p)[k * PER + j] =
                        (bits)(words[(k * SIZE + 4 * j) / 4] >> (k * SIZE % 4 * 8));
    }
}
/* 16 bytes of elements as they are stored. */
#define KF_STORE16(N, SIZE)                                                                   \
    KF_FN void kf_store16_##N(void *p, int i, int n, int vec, const uint32_t *words) {        \
        constexpr int W = 16 / SIZE;                                                          \
        kf__store_pack<SIZE, W>((char *)p + (int64_t)i * SIZE, kf__left<W>(i, n), vec, words); \
    }
KF_STORE16(bits8, 1)
KF_STORE16(bits16, 2)
KF_STORE16(bits32, 4)
KF_STORE16(bits64, 8)
template <typename D, int W>
KF_FN void kf__store(typename D::S *p, int i, int n, int vec, const typename D::T *r) {
    constexpr int SIZE = sizeof(typename D::S), K = W * SIZE > 16 ? 16 / SIZE : W;
    int left = kf__left<W>(i, n);
    p += i;
    if (SIZE < 4 && W * SIZE >= 4) {
        constexpr int N = W * SIZE < 4 ? 1 : W * SIZE / 4, FEW = SIZE < 4 ? SIZE : 1;
        uint32_t words[N];
        _Pragma("unroll") for (int k = 0; k < N; k++) words[k] = 0;
        _Pragma("unroll") for (int k = 0; k < W; k++)
            words[k * SIZE / 4 % N] |= (uint32_t)(typename kf__bits<FEW>::type)D::to(r[k])
                                       << (k * SIZE % 4 * 8);
        kf__store_pack<FEW, N * 4 / FEW>(p, left, vec, words);
    } else if (vec && left == W) {
        _Pragma("unroll") for (int k = 0; k < W; k += K) {
            typedef kf__pack<typename D::S, K> pack;
            pack v;
            _Pragma("unroll") for (int j = 0; j < K; j++) v.at[j] = D::to(r[k + j]);
            *(pack *)(p + k) = v;
        }
    } else {
        _Pragma("unroll") for (int k = 0; k < W; k++)
            if (k < left) p[k] = D::to(r[k]);
    }
}
/* f16 and bf16, two elements to a word at a time. */
template <typename D, int W>
KF_FN void kf__store_pairs(typename D::S *p, int i, int n, int vec, const float *r) {
    uint32_t words[W / 2];
    _Pragma("unroll") for (int k = 0; k < W / 2; k++)
        words[k] = D::pair(r[2 * k], r[2 * k + 1]);
    kf__store_pack<2, W>(p + i, kf__left<W>(i, n), vec, words);
}
struct kf__f16_pairs : kf__f16 {
    static __device__ __forceinline__ uint32_t pair(float low, float high) {
        return kf__to_2f16(low, high);
    }
};
struct kf__bf16_pairs : kf__bf16 {
    static __device__ __forceinline__ uint32_t pair(float low, float high) {
        return kf__to_2bf16(low, high);
    }
};
/* Macros, because a hundred functions more would take milliseconds of every compilation. */
#define kf_load2_f64 kf__load<kf__f64, 2>
#define kf_part2_f64 kf__part<kf__f64, 2>
#define kf_load4_f64 kf__load<kf__f64, 4>
#define kf_part4_f64 kf__part<kf__f64, 4>
#define kf_load8_f64 kf__load<kf__f64, 8>
#define kf_part8_f64 kf__part<kf__f64, 8>
#define kf_load16_f64 kf__load<kf__f64, 16>
#define kf_part16_f64 kf__part<kf__f64, 16>
#define kf_store2_f64 kf__store<kf__f64, 2>
#define kf_store4_f64 kf__store<kf__f64, 4>
#define kf_store8_f64 kf__store<kf__f64, 8>
#define kf_store16_f64 kf__store<kf__f64, 16>
#define kf_load2_f32 kf__load<kf__f32, 2>
#define kf_part2_f32 kf__part<kf__f32, 2>
#define kf_load4_f32 kf__load<kf__f32, 4>
#define kf_part4_f32 kf__part<kf__f32, 4>
#define kf_load8_f32 kf__load<kf__f32, 8>
#define kf_part8_f32 kf__part<kf__f32, 8>
#define kf_load16_f32 kf__load<kf__f32, 16>
#define kf_part16_f32 kf__part<kf__f32, 16>
#define kf_store2_f32 kf__store<kf__f32, 2>
#define kf_store4_f32 kf__store<kf__f32, 4>
#define kf_store8_f32 kf__store<kf__f32, 8>
#define kf_store16_f32 kf__store<kf__f32, 16>
#define kf_load2_f16 kf__load<kf__f16, 2>
#define kf_part2_f16 kf__part<kf__f16, 2>
#define kf_load4_f16 kf__load<kf__f16, 4>
#define kf_part4_f16 kf__part<kf__f16, 4>
#define kf_load8_f16 kf__load<kf__f16, 8>
#define kf_part8_f16 kf__part<kf__f16, 8>
#define kf_load16_f16 kf__load<kf__f16, 16>
#define kf_part16_f16 kf__part<kf__f16, 16>
#define kf_store2_f16 kf__store_pairs<kf__f16_pairs, 2>
#define kf_store4_f16 kf__store_pairs<kf__f16_pairs, 4>
#define kf_store8_f16 kf__store_pairs<kf__f16_pairs, 8>
#define kf_store16_f16 kf__store_pairs<kf__f16_pairs, 16>
#define kf_load2_bf16 kf__load<kf__bf16, 2>
#define kf_part2_bf16 kf__part<kf__bf16, 2>
#define kf_load4_bf16 kf__load<kf__bf16, 4>
#define kf_part4_bf16 kf__part<kf__bf16, 4>
#define kf_load8_bf16 kf__load<kf__bf16, 8>
#define kf_part8_bf16 kf__part<kf__bf16, 8>
#define kf_load16_bf16 kf__load<kf__bf16, 16>
#define kf_part16_bf16 kf__part<kf__bf16, 16>
#define kf_store2_bf16 kf__store_pairs<kf__bf16_pairs, 2>
#define kf_store4_bf16 kf__store_pairs<kf__bf16_pairs, 4>
#define kf_store8_bf16 kf__store_pairs<kf__bf16_pairs, 8>
#define kf_store16_bf16 kf__store_pairs<kf__bf16_pairs, 16>
#define kf_load2_i64 kf__load<kf__i64, 2>
#define kf_part2_i64 kf__part<kf__i64, 2>
#define kf_load4_i64 kf__load<kf__i64, 4>
#define kf_part4_i64 kf__part<kf__i64, 4>
#define kf_load8_i64 kf__load<kf__i64, 8>
#define kf_part8_i64 kf__part<kf__i64, 8>
#define kf_load16_i64 kf__load<kf__i64, 16>
#define kf_part16_i64 kf__part<kf__i64, 16>
#define kf_store2_i64 kf__store<kf__i64, 2>
#define kf_store4_i64 kf__store<kf__i64, 4>
#define kf_store8_i64 kf__store<kf__i64, 8>
#define kf_store16_i64 kf__store<kf__i64, 16>
#define kf_load2_i32 kf__load<kf__i32, 2>
#define kf_part2_i32 kf__part<kf__i32, 2>
#define kf_load4_i32 kf__load<kf__i32, 4>
#define kf_part4_i32 kf__part<kf__i32, 4>
#define kf_load8_i32 kf__load<kf__i32, 8>
#define kf_part8_i32 kf__part<kf__i32, 8>
#define kf_load16_i32 kf__load<kf__i32, 16>
#define kf_part16_i32 kf__part<kf__i32, 16>
#define kf_store2_i32 kf__store<kf__i32, 2>
#define kf_store4_i32 kf__store<kf__i32, 4>
#define kf_store8_i32 kf__store<kf__i32, 8>
#define kf_store16_i32 kf__store<kf__i32, 16>
#define kf_load2_i16 kf__load<kf__i16, 2>
#define kf_part2_i16 kf__part<kf__i16, 2>
#define kf_load4_i16 kf__load<kf__i16, 4>
#define kf_part4_i16 kf__part<kf__i16, 4>
#define kf_load8_i16 kf__load<kf__i16, 8>
#define kf_part8_i16 kf__part<kf__i16, 8>
#define kf_load16_i16 kf__load<kf__i16, 16>
#define kf_part16_i16 kf__part<kf__i16, 16>
#define kf_store2_i16 kf__store<kf__i16, 2>
#define kf_store4_i16 kf__store<kf__i16, 4>
#define kf_store8_i16 kf__store<kf__i16, 8>
#define kf_store16_i16 kf__store<kf__i16, 16>
#define kf_load2_i8 kf__load<kf__i8, 2>
#define kf_part2_i8 kf__part<kf__i8, 2>
#define kf_load4_i8 kf__load<kf__i8, 4>
#define kf_part4_i8 kf__part<kf__i8, 4>
#define kf_load8_i8 kf__load<kf__i8, 8>
#define kf_part8_i8 kf__part<kf__i8, 8>
#define kf_load16_i8 kf__load<kf__i8, 16>
#define kf_part16_i8 kf__part<kf__i8, 16>
#define kf_store2_i8 kf__store<kf__i8, 2>
#define kf_store4_i8 kf__store<kf__i8, 4>
#define kf_store8_i8 kf__store<kf__i8, 8>
#define kf_store16_i8 kf__store<kf__i8, 16>
#define kf_load2_u8 kf__load<kf__u8, 2>
#define kf_part2_u8 kf__part<kf__u8, 2>
#define kf_load4_u8 kf__load<kf__u8, 4>
#define kf_part4_u8 kf__part<kf__u8, 4>
#define kf_load8_u8 kf__load<kf__u8, 8>
#define kf_part8_u8 kf__part<kf__u8, 8>
#define kf_load16_u8 kf__load<kf__u8, 16>
#define kf_part16_u8 kf__part<kf__u8, 16>
#define kf_store2_u8 kf__store<kf__u8, 2>
#define kf_store4_u8 kf__store<kf__u8, 4>
#define kf_store8_u8 kf__store<kf__u8, 8>
#define kf_store16_u8 kf__store<kf__u8, 16>
#define kf_load2_bool kf__load<kf__bool, 2>
#define kf_part2_bool kf__part<kf__bool, 2>
#define kf_load4_bool kf__load<kf__bool, 4>
#define kf_part4_bool kf__part<kf__bool, 4>
#define kf_load8_bool kf__load<kf__bool, 8>
#define kf_part8_bool kf__part<kf__bool, 8>
#define kf_load16_bool kf__load<kf__bool, 16>
#define kf_part16_bool kf__part<kf__bool, 16>
#define kf_store2_bool kf__store<kf__bool, 2>
#define kf_store4_bool kf__store<kf__bool, 4>
#define kf_store8_bool kf__store<kf__bool, 8>
#define kf_store16_bool kf__store<kf__bool, 16>
#define kf_load2_f8e4m3 kf__load<kf__f8e4m3, 2>
#define kf_part2_f8e4m3 kf__part<kf__f8e4m3, 2>
#define kf_load4_f8e4m3 kf__load<kf__f8e4m3, 4>
#define kf_part4_f8e4m3 kf__part<kf__f8e4m3, 4>
#define kf_load8_f8e4m3 kf__load<kf__f8e4m3, 8>
#define kf_part8_f8e4m3 kf__part<kf__f8e4m3, 8>
#define kf_load16_f8e4m3 kf__load<kf__f8e4m3, 16>
#define kf_part16_f8e4m3 kf__part<kf__f8e4m3, 16>
#define kf_store2_f8e4m3 kf__store<kf__f8e4m3, 2>
#define kf_store4_f8e4m3 kf__store<kf__f8e4m3, 4>
#define kf_store8_f8e4m3 kf__store<kf__f8e4m3, 8>
#define kf_store16_f8e4m3 kf__store<kf__f8e4m3, 16>
#define kf_load2_f8e5m2 kf__load<kf__f8e5m2, 2>
#define kf_part2_f8e5m2 kf__part<kf__f8e5m2, 2>
#define kf_load4_f8e5m2 kf__load<kf__f8e5m2, 4>
#define kf_part4_f8e5m2 kf__part<kf__f8e5m2, 4>
#define kf_load8_f8e5m2 kf__load<kf__f8e5m2, 8>
#define kf_part8_f8e5m2 kf__part<kf__f8e5m2, 8>
#define kf_load16_f8e5m2 kf__load<kf__f8e5m2, 16>
#define kf_part16_f8e5m2 kf__part<kf__f8e5m2, 16>
#define kf_store2_f8e5m2 kf__store<kf__f8e5m2, 2>
#define kf_store4_f8e5m2 kf__store<kf__f8e5m2, 4>
#define kf_store8_f8e5m2 kf__store<kf__f8e5m2, 8>
#define kf_store16_f8e5m2 kf__store<kf__f8e5m2, 16>
template<typename D,int W> int test(){ typedef typename D::S S; int bad=0;
 for(int off=0; off<16/(int)sizeof(S); off++) for(int left=0; left<=W; left++) for (int vec=0; vec<2; vec++){
  if (vec && off*sizeof(S)%(W*sizeof(S)>16?16:W*sizeof(S))) continue;
  S *b=(S*)aligned_alloc(64,64*sizeof(S)*4); for(int k=0;k<256;k++) b[k]=(S)(k*37+1);
  uint32_t w[64]; memset(w,0xcd,sizeof w); kf__load<D,W>(b+16+off,0,left,vec,w);
  for(int k=0;k<W;k++){ S want= k<left? b[16+off+k]:(S)0, got; memcpy(&got,(char*)w+k*sizeof(S),sizeof(S)); if(got!=want) bad++; }
  typename D::T r[W]; for(int k=0;k<W;k++) r[k]=(S)(k*11+3);
  S *c=(S*)aligned_alloc(64,64*sizeof(S)*4); memcpy(c,b,256*sizeof(S));
  kf__store<D,W>(c+16+off,0,left,vec,r);
  for(int k=0;k<256;k++){ int q=k-16-off; S want= q>=0&&q<left? (S)r[q]:b[k]; if(c[k]!=want) bad++; }
  free(b); free(c);
 } return bad; }
template<typename D,int W> int testp(){ typedef typename D::S S; int bad=0;
 for(int off=0; off<8; off++) for(int left=0; left<=W; left++) for (int vec=0; vec<2; vec++){
  if (vec && off*sizeof(S)%(W*sizeof(S)>16?16:W*sizeof(S))) continue;
  S *b=(S*)aligned_alloc(64,512); for(int k=0;k<256;k++) b[k]=(S)(k*37+1);
  float r[W]; for(int k=0;k<W;k++) r[k]=(S)(k*11+3);
  S c[512] __attribute__((aligned(64))); memcpy(c,b,512);
  kf__store_pairs<D,W>(c+16+off,0,left,vec,r);
  for(int k=0;k<256;k++){ int q=k-16-off; S want= q>=0&&q<left? (S)r[q]:b[k]; if(c[k]!=want) bad++; }
  free(b);
 } return bad; }
int main(){
 printf("%d\n", test<kf__u8,2>()+test<kf__u8,4>()+test<kf__u8,8>()+test<kf__u8,16>()+test<kf__i8,16>()+test<kf__i16,2>()+test<kf__i16,4>()+test<kf__i16,8>()+test<kf__i16,16>()+test<kf__f16,8>()+test<kf__i32,4>()+test<kf__f64,2>());
 printf("%d\n", testp<kf__f16_pairs,2>()+testp<kf__bf16_pairs,4>()+testp<kf__f16_pairs,8>()+testp<kf__f16_pairs,16>());
}
