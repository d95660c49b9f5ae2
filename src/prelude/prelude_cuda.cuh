/* The prelude of generated CUDA C++, before prelude_common.h (which says how a source is put
 * together). For NVRTC, sm_75 and newer, with
 * --fmad=false --prec-div=true --prec-sqrt=true --ftz=false -std=c++17.
 *
 * No header, not even cuda_fp16.h: parsing it takes longer than the kernel. What needs asm is here
 * and nowhere else, so that a kernel's text is C too and prelude_emu.h can run it on a CPU.
 * Clusters exist from sm_90 on; before, a block is a cluster of its own. */

#pragma nv_diag_suppress 177 /* functions that this source does not use */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
#ifdef __LP64__
typedef long int64_t;
typedef unsigned long uint64_t;
#else
typedef long long int64_t;
typedef unsigned long long uint64_t;
#endif
#else
#include <stdint.h>
#endif
typedef uint16_t kf_f16, kf_bf16; /* storage: bits */
typedef uint8_t kf_f8e4m3, kf_f8e5m2;

#define KF_FN static __device__ __forceinline__
#define KF_UNSEEN(x) kf__unseen(x)
#define KF_LARGER_I32(a, b) kf__larger(a, b)
#define KF_SMALLER_I32(a, b) kf__smaller(a, b)
#define KF_RESTRICT __restrict__
#define KF_SIMD
#define KF_UNROLL _Pragma("unroll")
#define KF_BRANCHY 1
#define KF_NEAR_TURNS 65536.0f
#define KF_HUGE_F32 __int_as_float(0x7f800000)
#define KF_HUGE_F64 __longlong_as_double(0x7ff0000000000000ll)
#define KF_NAN_F32 __int_as_float(0x7fc00000)
#define KF_NAN_F64 __longlong_as_double(0x7ff8000000000000ll)

/* A number that the compiler knows nothing of. Else it makes neg and abs instructions, with which
 * ptxas 13.0 makes mistakes: of the lowest number it takes the result for a positive one in what
 * comes next (-x > 0 was true of int16's, -x < 0 false of int8's, min(abs(x), 0) 0 of int64's). */
KF_FN uint32_t kf__unseen(uint32_t x) {
    asm("" : "+r"(x));
    return x;
}
KF_FN uint64_t kf__unseen(uint64_t x) {
    asm("" : "+l"(x));
    return x;
}

/* Of maxima and minima of int32 ptxas 13.0 makes one of three for sm_90, in which it leaves a
 * negation of what is compared out: max(-x, axis=0) was wrong. Here what is compared is the numbers
 * with the sign's bit turned, as unsigned ones, which nothing negates. */
KF_FN int32_t kf__larger(int32_t a, int32_t b) {
    int32_t r;
    asm("{ .reg .b32 p, q; xor.b32 p, %1, 0x80000000; xor.b32 q, %2, 0x80000000; max.u32 p, p, q;"
        " xor.b32 %0, p, 0x80000000; }" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
KF_FN int32_t kf__smaller(int32_t a, int32_t b) {
    int32_t r;
    asm("{ .reg .b32 p, q; xor.b32 p, %1, 0x80000000; xor.b32 q, %2, 0x80000000; min.u32 p, p, q;"
        " xor.b32 %0, p, 0x80000000; }" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

/* ---------------------------------------------------------------- threads */

#define KF_KERNEL(name, args_type, threads) \
    extern "C" __global__ void __launch_bounds__(threads) name(const args_type a)

KF_FN int kf_thread(void) { return (int)threadIdx.x; }
KF_FN int64_t kf_block(void) { return (int64_t)blockIdx.x; }
KF_FN int64_t kf_block_y(void) { return (int64_t)blockIdx.y; }
KF_FN void kf_barrier(void) { __syncthreads(); }

#define KF_SHUFFLE(N, T, AS)                                                                  \
    KF_FN T kf_shfl_xor_##N(T v, int lane_mask) {                                             \
        return (T)__shfl_xor_sync(0xffffffffu, (AS)v, lane_mask);                             \
    }                                                                                         \
    KF_FN T kf_shfl_##N(T v, int lane) { return (T)__shfl_sync(0xffffffffu, (AS)v, lane); }
KF_SHUFFLE(f64, double, double)
KF_SHUFFLE(f32, float, float)
KF_SHUFFLE(i64, int64_t, int64_t)
KF_SHUFFLE(i32, int32_t, int32_t)
KF_SHUFFLE(i16, int16_t, int32_t)
KF_SHUFFLE(i8, int8_t, int32_t)
KF_SHUFFLE(u8, uint8_t, int32_t)
KF_SHUFFLE(bool, int, int32_t)

/* ---------------------------------------------------------------- shared memory and clusters */

#define KF_SHARED(type, name, count) __shared__ alignas(16) type name[count]

#if __CUDA_ARCH__ >= 900
KF_FN int kf_cluster_rank(void) {
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
/* Every thread arrives, then waits; what was written before one is seen after the other. begin: the
 * first time, nothing was written. */
KF_FN void kf_cluster_begin(void) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;");
}
KF_FN void kf_cluster_arrive(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
KF_FN void kf_cluster_wait(void) {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
KF_FN uint32_t kf__in_block(const void *shared, int rank) {
    uint32_t here = (uint32_t)__cvta_generic_to_shared(shared), there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
}
#define KF_CLUSTER_PUT(N, T, TYPE, LETTER, AS)                                                \
    KF_FN void kf_cluster_put_##N(T *array, int i, int rank, T v) {                           \
        asm volatile("st.shared::cluster." TYPE " [%0], %1;" ::"r"(                           \
                         kf__in_block(array + i, rank)),                                      \
                     LETTER((AS)v)                                                            \
                     : "memory");                                                             \
    }
#else
KF_FN int kf_cluster_rank(void) { return 0; }
KF_FN void kf_cluster_begin(void) {}
KF_FN void kf_cluster_arrive(void) {}
KF_FN void kf_cluster_wait(void) { __syncthreads(); }
#define KF_CLUSTER_PUT(N, T, TYPE, LETTER, AS) \
    KF_FN void kf_cluster_put_##N(T *array, int i, int, T v) { array[i] = v; }
#endif
#define KF_IN_SHARED(N, T, TYPE, LETTER, AS)                                                  \
    KF_FN T kf_shared_get_##N(const T *array, int i) { return array[i]; }                     \
    KF_FN void kf_shared_put_##N(T *array, int i, T v) { array[i] = v; }                      \
    KF_CLUSTER_PUT(N, T, TYPE, LETTER, AS)
KF_IN_SHARED(f64, double, "f64", "d", double)
KF_IN_SHARED(f32, float, "f32", "f", float)
KF_IN_SHARED(i64, int64_t, "b64", "l", int64_t)
KF_IN_SHARED(i32, int32_t, "b32", "r", int32_t)
KF_IN_SHARED(i16, int16_t, "b16", "h", int16_t)
KF_IN_SHARED(i8, int8_t, "b8", "r", int32_t)
KF_IN_SHARED(u8, uint8_t, "b8", "r", int32_t)
KF_IN_SHARED(bool, int, "b32", "r", int32_t)

/* Messages to a block of the cluster, itself included, that wait for nothing else: the barrier also
 * waits for each thread's stores to memory. A set of messages has a number and a word of shared
 * memory at bars, where its bytes are counted as they come (st.async of PTX). open: before all else,
 * with kf_cluster_wait() before the first message. collect: every thread waits for the bytes of set
 * k; a block doesn't end before all that is sent to it has come. A block without others, which may
 * have been launched without a cluster, stores what it sends to itself. */
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1201
KF_FN void kf_cluster_open(uint64_t *bars, int n) {
    uint32_t bar = (uint32_t)__cvta_generic_to_shared(bars);
    if (threadIdx.x == 0) {
        for (int k = 0; k < n; k++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar + 8 * k));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    kf_cluster_begin();
}
KF_FN int kf__is_alone(void) {
    int blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks == 1;
}
KF_FN void kf_cluster_collect(uint64_t *bars, int k, int bytes) {
    if (kf__is_alone()) {
        __syncthreads();
        return;
    }
    uint32_t bar = (uint32_t)__cvta_generic_to_shared(bars + k);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(bytes)
                     : "memory");
    uint32_t all = 0;
    while (!all)
        asm volatile("{ .reg .pred p; "
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(all)
                     : "r"(bar)
                     : "memory");
}
#define KF_CLUSTER_SEND(N, T, TYPE, LETTER)                                                   \
    KF_FN void kf_cluster_send_##N(T *array, int i, int rank, T v, uint64_t *bars, int k) {   \
        if (kf__is_alone())                                                                   \
            array[i] = v;                                                                     \
        else                                                                                  \
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes." TYPE        \
                         " [%0], %1, [%2];" ::"r"(kf__in_block(array + i, rank)),             \
                         LETTER(v), "r"(kf__in_block(bars + k, rank))                         \
                         : "memory");                                                         \
    }
#else
KF_FN void kf_cluster_open(uint64_t *, int) { kf_cluster_begin(); }
KF_FN void kf_cluster_collect(uint64_t *, int, int) {
    kf_cluster_arrive();
    kf_cluster_wait();
}
#define KF_CLUSTER_SEND(N, T, TYPE, LETTER)                                                   \
    KF_FN void kf_cluster_send_##N(T *array, int i, int rank, T v, uint64_t *, int) {         \
        kf_cluster_put_##N(array, i, rank, v);                                                \
    }
#endif
KF_CLUSTER_SEND(f64, double, "f64", "d")
KF_CLUSTER_SEND(f32, float, "f32", "f")
KF_CLUSTER_SEND(i64, int64_t, "b64", "l")
KF_CLUSTER_SEND(i32, int32_t, "b32", "r")
KF_CLUSTER_SEND(bool, int, "b32", "r")

/* 16 bytes of neighbouring items at once, and W items that lie `pitch` apart, as a pack's words: to
 * shared memory along one axis, from there along another. Of bytes and halves i is a multiple of
 * what a word holds. */
KF_FN void kf__put16(void *to, const uint32_t *words) {
    uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    _Pragma("unroll") for (int k = 0; k < 4; k++)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + 4 * k), "r"(words[k]) : "memory");
}
KF_FN void kf__get16(const void *from, uint32_t *words) {
    _Pragma("unroll") for (int k = 0; k < 4; k++) words[k] = ((const uint32_t *)from)[k];
}
/* A dense array has 4 bytes left out behind each 128, so that items that lie a power of two apart are
 * in different banks: where item i is. */
template <typename T> KF_FN int kf__dense(int i) {
    constexpr int LINE = 128 / sizeof(T), GAP = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    return i + (int)((uint32_t)i / LINE) * GAP;
}
template <typename T, int W, bool DENSE>
KF_FN void kf__take(const T *array, int i, int pitch, uint32_t *words) {
    constexpr int SIZE = sizeof(T);
    _Pragma("unroll") for (int k = 0; k < (W * SIZE + 3) / 4; k++) words[k] = 0;
    _Pragma("unroll") for (int k = 0; k < W; k++) {
        int at = i + k * pitch;
        uint64_t item = (uint64_t)array[DENSE ? kf__dense<T>(at) : at];
        if (SIZE < 4) item &= (1u << (8 * SIZE % 32)) - 1;
        words[k * SIZE / 4] |= (uint32_t)item << (k * SIZE % 4 * 8);
        if (SIZE == 8) words[k * SIZE / 4 + SIZE / 8] = (uint32_t)(item >> 32);
    }
}
#define KF_THROUGH_SHARED(N, T)                                                               \
    KF_FN void kf_shared_put16_##N(T *array, int i, const uint32_t *words) {                  \
        kf__put16(array + i, words);                                                          \
    }                                                                                         \
    KF_FN void kf_dense_put16_##N(T *array, int i, const uint32_t *words) {                   \
        kf__put16(array + kf__dense<T>(i), words);                                            \
    }                                                                                         \
    KF_FN void kf_dense_get16_##N(const void *array, int i, uint32_t *words) {                \
        kf__get16((const T *)array + kf__dense<T>(i), words);                                 \
    }                                                                                         \
    KF_TAKE(1, N, T) KF_TAKE(2, N, T) KF_TAKE(4, N, T) KF_TAKE(8, N, T) KF_TAKE(16, N, T)
#define KF_TAKE(W, N, T)                                                                      \
    KF_FN void kf_shared_take##W##_##N(const T *array, int i, int pitch, uint32_t *words) {   \
        kf__take<T, W, false>(array, i, pitch, words);                                        \
    }                                                                                         \
    KF_FN void kf_dense_take##W##_##N(const T *array, int i, int pitch, uint32_t *words) {    \
        kf__take<T, W, true>(array, i, pitch, words);                                         \
    }
KF_THROUGH_SHARED(i64, int64_t)
KF_THROUGH_SHARED(i32, int32_t)
KF_THROUGH_SHARED(i16, int16_t)
KF_THROUGH_SHARED(i8, int8_t)

/* ---------------------------------------------------------------- floats */

KF_FN int32_t kf_bits_f32(float v) { return __float_as_int(v); }
KF_FN float kf_float_f32(int32_t bits) { return __int_as_float(bits); }
KF_FN int64_t kf_bits_f64(double v) { return (int64_t)__double_as_longlong(v); }
KF_FN double kf_float_f64(int64_t bits) { return __longlong_as_double((long long)bits); }
KF_FN float kf_fma_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }
KF_FN float kf_fma_exact_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }
KF_FN float kf_fused_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }
KF_FN double kf_fused_f64(double a, double b, double c) { return __fma_rn(a, b, c); }
/* Division by Newton's steps from an approximate reciprocal, the last of them exact enough for
 * rounding right; the general one does the same behind a test of the operands' exponents. */
KF_FN float kf_divn_f32(float a, float b) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
    y = __fmaf_rn(__fmaf_rn(-b, y, 1.0f), y, y);
    float q = a * y;
    q = __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
    return __fmaf_rn(__fmaf_rn(-b, q, a), y, q);
}

#if __CUDA_ARCH__ >= 800
KF_FN float kf_max_f32(float a, float b) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
KF_FN float kf_min_f32(float a, float b) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
#else
KF_FN float kf_max_f32(float a, float b) { return a > b || a != a ? a : b; }
KF_FN float kf_min_f32(float a, float b) { return a < b || a != a ? a : b; }
#endif
/* Both values are computed: a branch around either would do the elements of a thread one by one. */
KF_FN float kf_select_f32(int condition, float a, float b) {
    float r;
    asm("{\n.reg .pred p;\nsetp.ne.s32 p, %3, 0;\nselp.f32 %0, %1, %2, p;\n}"
        : "=f"(r)
        : "f"(a), "f"(b), "r"(condition));
    return r;
}
KF_FN float kf_raise_f32(float x, float bound) { return kf_max_f32(x, bound); }
KF_FN float kf_clamp_f32(float x, float low, float high) {
    return kf_min_f32(kf_max_f32(x, low), high);
}
KF_FN double kf_max_f64(double a, double b) { return a > b || a != a ? a : b; }
KF_FN double kf_min_f64(double a, double b) { return a < b || a != a ? a : b; }

/* Not fabsf: ptxas (of CUDA 13.0) takes |a| >= 0 to be true where a is NaN. */
KF_FN float kf_abs_f32(float a) {
    float r;
    asm("and.b32 %0, %1, 0x7fffffff;" : "=f"(r) : "f"(a));
    return r;
}
KF_FN float kf_sqrt_f32(float a) { return __fsqrt_rn(a); }
KF_FN float kf_round_f32(float a) { return rintf(a); }
KF_FN float kf_floor_f32(float a) { return floorf(a); }
KF_FN float kf_ceil_f32(float a) { return ceilf(a); }
KF_FN float kf_trunc_f32(float a) { return truncf(a); }
KF_FN float kf_fmod_f32(float a, float b) { return fmodf(a, b); }

KF_FN double kf_abs_f64(double a) { return fabs(a); }
KF_FN double kf_sqrt_f64(double a) { return sqrt(a); }
KF_FN double kf_round_f64(double a) { return rint(a); }
KF_FN double kf_floor_f64(double a) { return floor(a); }
KF_FN double kf_ceil_f64(double a) { return ceil(a); }
KF_FN double kf_trunc_f64(double a) { return trunc(a); }
#define KF_LIBM(name) \
    KF_FN double kf_##name##_f64(double a) { return name(a); }
#define KF_LIBM2(name) \
    KF_FN double kf_##name##_f64(double a, double b) { return name(a, b); }
KF_LIBM(exp) KF_LIBM(exp2) KF_LIBM(expm1)
KF_LIBM(log) KF_LIBM(log2) KF_LIBM(log10) KF_LIBM(log1p)
KF_LIBM(sinh) KF_LIBM(cosh) KF_LIBM(tanh) KF_LIBM(asinh) KF_LIBM(acosh) KF_LIBM(atanh)
KF_LIBM(sin) KF_LIBM(cos) KF_LIBM(tan) KF_LIBM(asin) KF_LIBM(acos) KF_LIBM(atan)
KF_LIBM(erf) KF_LIBM(erfc) KF_LIBM(lgamma)
KF_LIBM2(atan2) KF_LIBM2(hypot) KF_LIBM2(pow) KF_LIBM2(fmod)

/* The conversions saturate; what they make of NaN depends on the types. */
KF_FN int32_t kf_cast_f32_i32(float v) { return v == v ? __float2int_rz(v) : 0; }
KF_FN int64_t kf_cast_f32_i64(float v) { return v == v ? (int64_t)__float2ll_rz(v) : 0; }
KF_FN int32_t kf_cast_f64_i32(double v) { return v == v ? __double2int_rz(v) : 0; }
KF_FN int64_t kf_cast_f64_i64(double v) { return v == v ? (int64_t)__double2ll_rz(v) : 0; }

/* ---------------------------------------------------------------- f16 and bf16
 * Two at a time where there is an instruction for it: `low` is the one at the lower address. */

KF_FN float kf__from_f16(kf_f16 h) {
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h));
    return v;
}
KF_FN kf_f16 kf__to_f16(float v) {
    kf_f16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
    return h;
}
KF_FN float kf__from_bf16(kf_bf16 h) { return __int_as_float((int)((uint32_t)h << 16)); }
KF_FN kf_bf16 kf__to_bf16(float v) {
#if __CUDA_ARCH__ >= 800
    kf_bf16 h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(v));
    return h;
#else
    uint32_t bits = (uint32_t)__float_as_int(v);
    uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    return (kf_bf16)(v == v ? rounded : (bits >> 16) | 0x40);
#endif
}
KF_FN uint32_t kf__to_2f16(float low, float high) {
#if __CUDA_ARCH__ >= 800
    uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
#else
    return (uint32_t)kf__to_f16(low) | (uint32_t)kf__to_f16(high) << 16;
#endif
}
KF_FN uint32_t kf__to_2bf16(float low, float high) {
#if __CUDA_ARCH__ >= 800
    uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
#else
    return (uint32_t)kf__to_bf16(low) | (uint32_t)kf__to_bf16(high) << 16;
#endif
}
KF_FN float kf_round_f16(float v) { return kf__from_f16(kf__to_f16(v)); }
KF_FN float kf_round_bf16(float v) { return kf__from_bf16(kf__to_bf16(v)); }

/* ---------------------------------------------------------------- loads and stores
 * The wide ones: elements i to i + W - 1; from n on they are 0, and untouched in memory. vec: p + i
 * is aligned to W elements or to 16 bytes; then whole vectors go in accesses of 16 bytes, or of W
 * elements where that is less. All indices of arrays are constants: registers. */

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

/* Where a load goes that has nothing to load, and gives 0: under a condition it would be waited for
 * before the next one starts. As long as four elements. Not const, or compilers would know what is
 * there. */
__device__ alignas(16) uint64_t kf__zeros[4];

/* An element, as words of its own. */
template <typename S> KF_FN void kf__single(const S *p, uint32_t *raw) {
    constexpr int SIZE = sizeof(S), PER = SIZE < 4 ? 1 : SIZE / 4;
    typedef kf__pack<typename kf__bits<(SIZE < 4 ? SIZE : 4)>::type, PER> item;
    item v = *(const item *)p;
    _Pragma("unroll") for (int j = 0; j < PER; j++) raw[j] = v.at[j];
}

/* A dtype: how it is stored (S) and computed with (T). */
#define KF_DTYPE(N, STORED, COMPUTED, FROM, TO)                                               \
    struct kf__##N {                                                                          \
        typedef STORED S;                                                                     \
        typedef COMPUTED T;                                                                   \
        static __device__ __forceinline__ T from(S v) { return FROM(v); }                     \
        static __device__ __forceinline__ S to(T v) { return TO(v); }                         \
    };                                                                                        \
    KF_FN COMPUTED kf_load_##N(const STORED *p, int64_t i) { return FROM(p[i]); }             \
    KF_FN const STORED *kf_zeros_##N(void) { return (const STORED *)kf__zeros; }              \
    KF_FN void kf_single_##N(const STORED *p, uint32_t *raw) { kf__single(p, raw); }          \
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
 * theirs is touched. What is loaded is put into place by kf__settle_words: elements of two bytes
 * aren't used here, so nothing waits for them. words: N + 1. */
template <int SIZE, int N> KF_FN void kf__load_raw(const void *p, uint32_t *words) {
    typedef typename kf__bits<SIZE>::type bits;
    uint32_t over = (uint32_t)(uint64_t)p % 4; /* bytes of the first word that are before p */
    const uint32_t *at = (const uint32_t *)((const char *)p - over);
    _Pragma("unroll") for (int k = 1; k < N; k++) words[k] = at[k];
    words[N] = 0;
    if (over == 0) {
        words[0] = at[0];
    } else if (SIZE == 2) {
        words[0] = ((const bits *)at)[1];
        words[N] = ((const bits *)(at + N))[0];
    } else {
        words[0] = 0;
        _Pragma("unroll") for (int j = 1; j < 4 / SIZE; j++)
            if (j * SIZE >= over) words[0] |= (uint32_t)((const bits *)at)[j] << (8 * SIZE * j);
        _Pragma("unroll") for (int j = 0; j < 4 / SIZE - 1; j++)
            if (j * SIZE < over)
                words[N] |= (uint32_t)((const bits *)(at + N))[j] << (8 * SIZE * j);
    }
}
template <int SIZE, int N> KF_FN void kf__settle_words(const void *p, uint32_t *words) {
    uint32_t over = (uint32_t)(uint64_t)p % 4;
    if (over == 0) return;
    if (SIZE == 2) words[0] <<= 16;
    _Pragma("unroll") for (int k = 0; k < N; k++)
        words[k] = __funnelshift_r(words[k], words[k + 1], 8 * over);
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
/* The words of a pack that is aligned. */
template <typename D, int W> KF_FN void kf__whole(const typename D::S *p, uint32_t *words) {
    constexpr int BYTES = W * sizeof(typename D::S), STEP = BYTES >= 16 ? 16 : BYTES;
    constexpr int N = STEP < 4 ? 1 : STEP / 4;
    typedef kf__pack<typename kf__bits<(STEP < 4 ? STEP : 4)>::type, N> pack;
    _Pragma("unroll") for (int k = 0; k < BYTES; k += STEP) {
        pack v = *(const pack *)((const char *)p + k);
        _Pragma("unroll") for (int j = 0; j < N; j++) words[k / 4 + j] = v.at[j];
    }
}
/* A pack is loaded as words, which kf_item_T takes apart only where an element is used: so a load
 * doesn't wait for itself, and the next one starts. */
template <typename D, int W>
KF_FN void kf__load(const typename D::S *p, int i, int n, int vec, uint32_t *words) {
    constexpr int SIZE = sizeof(typename D::S), BYTES = W * SIZE;
    int left = kf__left<W>(i, n);
    p += i;
    if (vec && left == W) return kf__whole<D, W>(p, words);
    if (SIZE < 4 && BYTES >= 4 && left == W) {
        constexpr int WORDS = BYTES < 4 ? 1 : BYTES / 4;
        uint32_t raw[WORDS + 1];
        kf__load_raw<SIZE, WORDS>(p, raw);
        kf__settle_words<SIZE, WORDS>(p, raw);
        _Pragma("unroll") for (int k = 0; k < WORDS; k++) words[k] = raw[k];
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
/* The same in two halves, for elements of two bytes: a pack that begins within a word is shifted into
 * place when others have been loaded, too. raw: one word more than the pack has. */
template <typename D, int W> KF_FN void kf__raw(const typename D::S *p, int n, uint32_t *raw) {
    constexpr int SIZE = sizeof(typename D::S);
    if (n < W)
        kf__load<D, W>(p, 0, n, 0, raw);
    else
        kf__load_raw<SIZE, W * SIZE / 4>(p, raw);
}
template <typename D, int W>
KF_FN void kf__settle(const typename D::S *p, int n, uint32_t *raw, uint32_t *words) {
    constexpr int SIZE = sizeof(typename D::S), WORDS = W * SIZE / 4;
    if (n >= W) kf__settle_words<SIZE, WORDS>(p, raw);
    _Pragma("unroll") for (int k = 0; k < WORDS; k++) words[k] = raw[k];
}
/* Each element of a pack for itself, in two halves: of a row that has n elements from p on the last
 * one stands for what is beyond. So nothing waits for a condition. raw: W elements, in words of their
 * own. */
template <typename D, int W> KF_FN void kf__each(const typename D::S *p, int n, uint32_t *raw) {
    constexpr int SIZE = sizeof(typename D::S), PER = SIZE < 4 ? 1 : SIZE / 4;
    _Pragma("unroll") for (int k = 0; k < W; k++) kf__single(p + (k < n ? k : n - 1), raw + k * PER);
}
template <typename D, int W> KF_FN void kf__join(const uint32_t *raw, uint32_t *words) {
    constexpr int SIZE = sizeof(typename D::S), PER = SIZE < 4 ? 1 : SIZE / 4;
    _Pragma("unroll") for (int k = 0; k < (W * SIZE + 3) / 4; k++) words[k] = 0;
    _Pragma("unroll") for (int k = 0; k < W * PER; k++)
        words[k / PER * SIZE / 4 + k % PER] |= raw[k] << (k * SIZE % 4 * 8);
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
/* Two elements, by predicates: columns store many such packs, and branches would be one after the
 * other. */
template <typename S> KF_FN void kf__store_two(S *p, int left, int vec, S a, S b) {
    int wide = vec && left == 2;
    kf__pack<S, 2> v;
    v.at[0] = a;
    v.at[1] = b;
    if (wide) *(kf__pack<S, 2> *)p = v;
    if (!wide && 0 < left) p[0] = a;
    if (!wide && 1 < left) p[1] = b;
}
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
    } else if (W == 2) {
        kf__store_two(p, left, vec, D::to(r[0]), D::to(r[1]));
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
    typedef typename D::S S;
    if (W == 2)
        kf__store_two(p + i, kf__left<W>(i, n), vec, (S)words[0], (S)(words[0] >> 16));
    else
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
/* Packs of 16 bytes of a row that isn't aligned, of a warp's lanes side by side: stored where packs
 * are aligned. There a lane has the end of the pack of the lane before, in front of the beginning
 * of its own. The first lane has the end of the last one's, which comes behind all others. All
 * lanes of the warp call this. own: the pack, as words. */
template <int SIZE> struct kf__row {
    static constexpr int UNIT = SIZE < 4 ? SIZE : 4, FAR = 32 * 16;
    typedef typename kf__bits<UNIT>::type bits;
    char *at;                  /* the aligned pack */
    int lane, over, left, end; /* bytes: of it before the lane's own; of the row from these on, from
                                * `at` on */

    /* The first lane's pack, where all lanes have theirs. Elements of two bytes are stored by
     * shift, where it is known which words are whose; of f32, 1000x50257, that took 157 us for
     * 143. */
    __device__ __forceinline__ bool is_seam(void) const {
        return SIZE == 2 && lane == 0 && over && left >= FAR;
    }
    /* What is stored at `at`, of which the lane before has BEFORE words, or half a word more. */
    template <int BEFORE> __device__ __forceinline__ void shift(const uint32_t *own, uint32_t *to) {
        uint32_t from[5];
        _Pragma("unroll") for (int k = 0; k < 5; k++) {
            from[k] = 0;
            if (k > BEFORE)
                from[k] = own[k - BEFORE - 1];
            else if (k > 0 || SIZE < 4)
                from[k] = __shfl_sync(0xffffffffu, own[3 - BEFORE + k], (lane + 31) % 32);
        }
        _Pragma("unroll") for (int k = 0; k < 4; k++)
            to[k] = SIZE < 4 ? __funnelshift_l(from[k], from[k + 1], 8 * (over % 4)) : from[k + 1];
        if (!is_seam()) return;
        _Pragma("unroll") for (int k = 0; k < 4; k++) {
            if (k == BEFORE && over % 4) {
                *(bits *)(at + 4 * k + FAR) = (bits)to[k];
                *(bits *)(at + 4 * k + 2) = (bits)(to[k] >> 16);
            } else {
                *(uint32_t *)(at + 4 * k + (k < BEFORE ? FAR : 0)) = to[k];
            }
        }
    }
    __device__ __forceinline__ void store(const uint32_t *words) const {
        int ahead = lane ? 0 : over; /* bytes that are behind all others */
        if (ahead == 0 && end >= 16) {
            typedef kf__pack<uint32_t, 4> pack;
            *(pack *)at = pack{{words[0], words[1], words[2], words[3]}};
        } else if (!is_seam()) {
            _Pragma("unroll") for (int k = 0; k < 16; k += UNIT) {
                int i = k + (k < ahead ? FAR : 0);
                if (i < end) *(bits *)(at + i) = (bits)(words[k / 4] >> 8 * (k % 4));
            }
        }
    }
};
template <int SIZE> KF_FN void kf__row_words(void *p, int left, const uint32_t *own) {
    int over = (int)((uint32_t)(uint64_t)p % 16), bytes = left * SIZE;
    kf__row<SIZE> row = {(char *)p - over, (int)threadIdx.x % 32, over, bytes, bytes + over};
    uint32_t words[4];
    if (over >= 12)
        row.template shift<3>(own, words);
    else if (over >= 8)
        row.template shift<2>(own, words);
    else if (over >= 4)
        row.template shift<1>(own, words);
    else
        row.template shift<0>(own, words);
    row.store(words);
}
template <typename D, int W>
KF_FN void kf__row_store(typename D::S *p, int left, int vec, const typename D::T *r) {
    constexpr int SIZE = sizeof(typename D::S), PER = SIZE / 4;
    if (vec) return kf__store<D, W>(p, 0, left, vec, r);
    uint32_t words[4];
    _Pragma("unroll") for (int k = 0; k < 4; k++) {
        typename D::S v = D::to(r[k / PER]);
        words[k] = ((const uint32_t *)&v)[k % PER];
    }
    kf__row_words<SIZE>(p, left, words);
}
template <typename D, int W>
KF_FN void kf__row_store_pairs(typename D::S *p, int left, int vec, const float *r) {
    if (vec) return kf__store_pairs<D, W>(p, 0, left, vec, r);
    uint32_t words[4];
    _Pragma("unroll") for (int k = 0; k < 4; k++) words[k] = D::pair(r[2 * k], r[2 * k + 1]);
    kf__row_words<2>(p, left, words);
}
/* Macros, because a hundred functions more would take milliseconds of every compilation. */
#define kf_load2_f64 kf__load<kf__f64, 2>
#define kf_part2_f64 kf__part<kf__f64, 2>
#define kf_whole2_f64 kf__whole<kf__f64, 2>
#define kf_each2_f64 kf__each<kf__f64, 2>
#define kf_join2_f64 kf__join<kf__f64, 2>
#define kf_load4_f64 kf__load<kf__f64, 4>
#define kf_part4_f64 kf__part<kf__f64, 4>
#define kf_whole4_f64 kf__whole<kf__f64, 4>
#define kf_each4_f64 kf__each<kf__f64, 4>
#define kf_join4_f64 kf__join<kf__f64, 4>
#define kf_load8_f64 kf__load<kf__f64, 8>
#define kf_part8_f64 kf__part<kf__f64, 8>
#define kf_join8_f64 kf__join<kf__f64, 8>
#define kf_load16_f64 kf__load<kf__f64, 16>
#define kf_part16_f64 kf__part<kf__f64, 16>
#define kf_join16_f64 kf__join<kf__f64, 16>
#define kf_store2_f64 kf__store<kf__f64, 2>
#define kf_store4_f64 kf__store<kf__f64, 4>
#define kf_store8_f64 kf__store<kf__f64, 8>
#define kf_store16_f64 kf__store<kf__f64, 16>
#define kf_row_store2_f64 kf__row_store<kf__f64, 2>
#define kf_load2_f32 kf__load<kf__f32, 2>
#define kf_part2_f32 kf__part<kf__f32, 2>
#define kf_whole2_f32 kf__whole<kf__f32, 2>
#define kf_each2_f32 kf__each<kf__f32, 2>
#define kf_join2_f32 kf__join<kf__f32, 2>
#define kf_load4_f32 kf__load<kf__f32, 4>
#define kf_part4_f32 kf__part<kf__f32, 4>
#define kf_whole4_f32 kf__whole<kf__f32, 4>
#define kf_each4_f32 kf__each<kf__f32, 4>
#define kf_join4_f32 kf__join<kf__f32, 4>
#define kf_load8_f32 kf__load<kf__f32, 8>
#define kf_part8_f32 kf__part<kf__f32, 8>
#define kf_join8_f32 kf__join<kf__f32, 8>
#define kf_load16_f32 kf__load<kf__f32, 16>
#define kf_part16_f32 kf__part<kf__f32, 16>
#define kf_join16_f32 kf__join<kf__f32, 16>
#define kf_store2_f32 kf__store<kf__f32, 2>
#define kf_store4_f32 kf__store<kf__f32, 4>
#define kf_store8_f32 kf__store<kf__f32, 8>
#define kf_store16_f32 kf__store<kf__f32, 16>
#define kf_row_store4_f32 kf__row_store<kf__f32, 4>
#define kf_load2_f16 kf__load<kf__f16, 2>
#define kf_part2_f16 kf__part<kf__f16, 2>
#define kf_whole2_f16 kf__whole<kf__f16, 2>
#define kf_each2_f16 kf__each<kf__f16, 2>
#define kf_join2_f16 kf__join<kf__f16, 2>
#define kf_raw2_f16 kf__raw<kf__f16, 2>
#define kf_settle2_f16 kf__settle<kf__f16, 2>
#define kf_load4_f16 kf__load<kf__f16, 4>
#define kf_part4_f16 kf__part<kf__f16, 4>
#define kf_whole4_f16 kf__whole<kf__f16, 4>
#define kf_each4_f16 kf__each<kf__f16, 4>
#define kf_join4_f16 kf__join<kf__f16, 4>
#define kf_raw4_f16 kf__raw<kf__f16, 4>
#define kf_settle4_f16 kf__settle<kf__f16, 4>
#define kf_load8_f16 kf__load<kf__f16, 8>
#define kf_part8_f16 kf__part<kf__f16, 8>
#define kf_join8_f16 kf__join<kf__f16, 8>
#define kf_raw8_f16 kf__raw<kf__f16, 8>
#define kf_settle8_f16 kf__settle<kf__f16, 8>
#define kf_load16_f16 kf__load<kf__f16, 16>
#define kf_part16_f16 kf__part<kf__f16, 16>
#define kf_join16_f16 kf__join<kf__f16, 16>
#define kf_raw16_f16 kf__raw<kf__f16, 16>
#define kf_settle16_f16 kf__settle<kf__f16, 16>
#define kf_store2_f16 kf__store_pairs<kf__f16_pairs, 2>
#define kf_store4_f16 kf__store_pairs<kf__f16_pairs, 4>
#define kf_store8_f16 kf__store_pairs<kf__f16_pairs, 8>
#define kf_store16_f16 kf__store_pairs<kf__f16_pairs, 16>
#define kf_row_store8_f16 kf__row_store_pairs<kf__f16_pairs, 8>
#define kf_load2_bf16 kf__load<kf__bf16, 2>
#define kf_part2_bf16 kf__part<kf__bf16, 2>
#define kf_whole2_bf16 kf__whole<kf__bf16, 2>
#define kf_each2_bf16 kf__each<kf__bf16, 2>
#define kf_join2_bf16 kf__join<kf__bf16, 2>
#define kf_raw2_bf16 kf__raw<kf__bf16, 2>
#define kf_settle2_bf16 kf__settle<kf__bf16, 2>
#define kf_load4_bf16 kf__load<kf__bf16, 4>
#define kf_part4_bf16 kf__part<kf__bf16, 4>
#define kf_whole4_bf16 kf__whole<kf__bf16, 4>
#define kf_each4_bf16 kf__each<kf__bf16, 4>
#define kf_join4_bf16 kf__join<kf__bf16, 4>
#define kf_raw4_bf16 kf__raw<kf__bf16, 4>
#define kf_settle4_bf16 kf__settle<kf__bf16, 4>
#define kf_load8_bf16 kf__load<kf__bf16, 8>
#define kf_part8_bf16 kf__part<kf__bf16, 8>
#define kf_join8_bf16 kf__join<kf__bf16, 8>
#define kf_raw8_bf16 kf__raw<kf__bf16, 8>
#define kf_settle8_bf16 kf__settle<kf__bf16, 8>
#define kf_load16_bf16 kf__load<kf__bf16, 16>
#define kf_part16_bf16 kf__part<kf__bf16, 16>
#define kf_join16_bf16 kf__join<kf__bf16, 16>
#define kf_raw16_bf16 kf__raw<kf__bf16, 16>
#define kf_settle16_bf16 kf__settle<kf__bf16, 16>
#define kf_store2_bf16 kf__store_pairs<kf__bf16_pairs, 2>
#define kf_store4_bf16 kf__store_pairs<kf__bf16_pairs, 4>
#define kf_store8_bf16 kf__store_pairs<kf__bf16_pairs, 8>
#define kf_store16_bf16 kf__store_pairs<kf__bf16_pairs, 16>
#define kf_row_store8_bf16 kf__row_store_pairs<kf__bf16_pairs, 8>
#define kf_load2_i64 kf__load<kf__i64, 2>
#define kf_part2_i64 kf__part<kf__i64, 2>
#define kf_whole2_i64 kf__whole<kf__i64, 2>
#define kf_each2_i64 kf__each<kf__i64, 2>
#define kf_join2_i64 kf__join<kf__i64, 2>
#define kf_load4_i64 kf__load<kf__i64, 4>
#define kf_part4_i64 kf__part<kf__i64, 4>
#define kf_whole4_i64 kf__whole<kf__i64, 4>
#define kf_each4_i64 kf__each<kf__i64, 4>
#define kf_join4_i64 kf__join<kf__i64, 4>
#define kf_load8_i64 kf__load<kf__i64, 8>
#define kf_part8_i64 kf__part<kf__i64, 8>
#define kf_join8_i64 kf__join<kf__i64, 8>
#define kf_load16_i64 kf__load<kf__i64, 16>
#define kf_part16_i64 kf__part<kf__i64, 16>
#define kf_join16_i64 kf__join<kf__i64, 16>
#define kf_store2_i64 kf__store<kf__i64, 2>
#define kf_store4_i64 kf__store<kf__i64, 4>
#define kf_store8_i64 kf__store<kf__i64, 8>
#define kf_store16_i64 kf__store<kf__i64, 16>
#define kf_row_store2_i64 kf__row_store<kf__i64, 2>
#define kf_load2_i32 kf__load<kf__i32, 2>
#define kf_part2_i32 kf__part<kf__i32, 2>
#define kf_whole2_i32 kf__whole<kf__i32, 2>
#define kf_each2_i32 kf__each<kf__i32, 2>
#define kf_join2_i32 kf__join<kf__i32, 2>
#define kf_load4_i32 kf__load<kf__i32, 4>
#define kf_part4_i32 kf__part<kf__i32, 4>
#define kf_whole4_i32 kf__whole<kf__i32, 4>
#define kf_each4_i32 kf__each<kf__i32, 4>
#define kf_join4_i32 kf__join<kf__i32, 4>
#define kf_load8_i32 kf__load<kf__i32, 8>
#define kf_part8_i32 kf__part<kf__i32, 8>
#define kf_join8_i32 kf__join<kf__i32, 8>
#define kf_load16_i32 kf__load<kf__i32, 16>
#define kf_part16_i32 kf__part<kf__i32, 16>
#define kf_join16_i32 kf__join<kf__i32, 16>
#define kf_store2_i32 kf__store<kf__i32, 2>
#define kf_store4_i32 kf__store<kf__i32, 4>
#define kf_store8_i32 kf__store<kf__i32, 8>
#define kf_store16_i32 kf__store<kf__i32, 16>
#define kf_row_store4_i32 kf__row_store<kf__i32, 4>
#define kf_load2_i16 kf__load<kf__i16, 2>
#define kf_part2_i16 kf__part<kf__i16, 2>
#define kf_whole2_i16 kf__whole<kf__i16, 2>
#define kf_each2_i16 kf__each<kf__i16, 2>
#define kf_join2_i16 kf__join<kf__i16, 2>
#define kf_raw2_i16 kf__raw<kf__i16, 2>
#define kf_settle2_i16 kf__settle<kf__i16, 2>
#define kf_load4_i16 kf__load<kf__i16, 4>
#define kf_part4_i16 kf__part<kf__i16, 4>
#define kf_whole4_i16 kf__whole<kf__i16, 4>
#define kf_each4_i16 kf__each<kf__i16, 4>
#define kf_join4_i16 kf__join<kf__i16, 4>
#define kf_raw4_i16 kf__raw<kf__i16, 4>
#define kf_settle4_i16 kf__settle<kf__i16, 4>
#define kf_load8_i16 kf__load<kf__i16, 8>
#define kf_part8_i16 kf__part<kf__i16, 8>
#define kf_join8_i16 kf__join<kf__i16, 8>
#define kf_raw8_i16 kf__raw<kf__i16, 8>
#define kf_settle8_i16 kf__settle<kf__i16, 8>
#define kf_load16_i16 kf__load<kf__i16, 16>
#define kf_part16_i16 kf__part<kf__i16, 16>
#define kf_join16_i16 kf__join<kf__i16, 16>
#define kf_raw16_i16 kf__raw<kf__i16, 16>
#define kf_settle16_i16 kf__settle<kf__i16, 16>
#define kf_store2_i16 kf__store<kf__i16, 2>
#define kf_store4_i16 kf__store<kf__i16, 4>
#define kf_store8_i16 kf__store<kf__i16, 8>
#define kf_store16_i16 kf__store<kf__i16, 16>
#define kf_load2_i8 kf__load<kf__i8, 2>
#define kf_part2_i8 kf__part<kf__i8, 2>
#define kf_whole2_i8 kf__whole<kf__i8, 2>
#define kf_each2_i8 kf__each<kf__i8, 2>
#define kf_join2_i8 kf__join<kf__i8, 2>
#define kf_load4_i8 kf__load<kf__i8, 4>
#define kf_part4_i8 kf__part<kf__i8, 4>
#define kf_whole4_i8 kf__whole<kf__i8, 4>
#define kf_each4_i8 kf__each<kf__i8, 4>
#define kf_join4_i8 kf__join<kf__i8, 4>
#define kf_load8_i8 kf__load<kf__i8, 8>
#define kf_part8_i8 kf__part<kf__i8, 8>
#define kf_join8_i8 kf__join<kf__i8, 8>
#define kf_load16_i8 kf__load<kf__i8, 16>
#define kf_part16_i8 kf__part<kf__i8, 16>
#define kf_join16_i8 kf__join<kf__i8, 16>
#define kf_store2_i8 kf__store<kf__i8, 2>
#define kf_store4_i8 kf__store<kf__i8, 4>
#define kf_store8_i8 kf__store<kf__i8, 8>
#define kf_store16_i8 kf__store<kf__i8, 16>
#define kf_load2_u8 kf__load<kf__u8, 2>
#define kf_part2_u8 kf__part<kf__u8, 2>
#define kf_whole2_u8 kf__whole<kf__u8, 2>
#define kf_each2_u8 kf__each<kf__u8, 2>
#define kf_join2_u8 kf__join<kf__u8, 2>
#define kf_load4_u8 kf__load<kf__u8, 4>
#define kf_part4_u8 kf__part<kf__u8, 4>
#define kf_whole4_u8 kf__whole<kf__u8, 4>
#define kf_each4_u8 kf__each<kf__u8, 4>
#define kf_join4_u8 kf__join<kf__u8, 4>
#define kf_load8_u8 kf__load<kf__u8, 8>
#define kf_part8_u8 kf__part<kf__u8, 8>
#define kf_join8_u8 kf__join<kf__u8, 8>
#define kf_load16_u8 kf__load<kf__u8, 16>
#define kf_part16_u8 kf__part<kf__u8, 16>
#define kf_join16_u8 kf__join<kf__u8, 16>
#define kf_store2_u8 kf__store<kf__u8, 2>
#define kf_store4_u8 kf__store<kf__u8, 4>
#define kf_store8_u8 kf__store<kf__u8, 8>
#define kf_store16_u8 kf__store<kf__u8, 16>
#define kf_load2_bool kf__load<kf__bool, 2>
#define kf_part2_bool kf__part<kf__bool, 2>
#define kf_whole2_bool kf__whole<kf__bool, 2>
#define kf_each2_bool kf__each<kf__bool, 2>
#define kf_join2_bool kf__join<kf__bool, 2>
#define kf_load4_bool kf__load<kf__bool, 4>
#define kf_part4_bool kf__part<kf__bool, 4>
#define kf_whole4_bool kf__whole<kf__bool, 4>
#define kf_each4_bool kf__each<kf__bool, 4>
#define kf_join4_bool kf__join<kf__bool, 4>
#define kf_load8_bool kf__load<kf__bool, 8>
#define kf_part8_bool kf__part<kf__bool, 8>
#define kf_join8_bool kf__join<kf__bool, 8>
#define kf_load16_bool kf__load<kf__bool, 16>
#define kf_part16_bool kf__part<kf__bool, 16>
#define kf_join16_bool kf__join<kf__bool, 16>
#define kf_store2_bool kf__store<kf__bool, 2>
#define kf_store4_bool kf__store<kf__bool, 4>
#define kf_store8_bool kf__store<kf__bool, 8>
#define kf_store16_bool kf__store<kf__bool, 16>
#define kf_load2_f8e4m3 kf__load<kf__f8e4m3, 2>
#define kf_part2_f8e4m3 kf__part<kf__f8e4m3, 2>
#define kf_whole2_f8e4m3 kf__whole<kf__f8e4m3, 2>
#define kf_each2_f8e4m3 kf__each<kf__f8e4m3, 2>
#define kf_join2_f8e4m3 kf__join<kf__f8e4m3, 2>
#define kf_load4_f8e4m3 kf__load<kf__f8e4m3, 4>
#define kf_part4_f8e4m3 kf__part<kf__f8e4m3, 4>
#define kf_whole4_f8e4m3 kf__whole<kf__f8e4m3, 4>
#define kf_each4_f8e4m3 kf__each<kf__f8e4m3, 4>
#define kf_join4_f8e4m3 kf__join<kf__f8e4m3, 4>
#define kf_load8_f8e4m3 kf__load<kf__f8e4m3, 8>
#define kf_part8_f8e4m3 kf__part<kf__f8e4m3, 8>
#define kf_join8_f8e4m3 kf__join<kf__f8e4m3, 8>
#define kf_load16_f8e4m3 kf__load<kf__f8e4m3, 16>
#define kf_part16_f8e4m3 kf__part<kf__f8e4m3, 16>
#define kf_join16_f8e4m3 kf__join<kf__f8e4m3, 16>
#define kf_store2_f8e4m3 kf__store<kf__f8e4m3, 2>
#define kf_store4_f8e4m3 kf__store<kf__f8e4m3, 4>
#define kf_store8_f8e4m3 kf__store<kf__f8e4m3, 8>
#define kf_store16_f8e4m3 kf__store<kf__f8e4m3, 16>
#define kf_load2_f8e5m2 kf__load<kf__f8e5m2, 2>
#define kf_part2_f8e5m2 kf__part<kf__f8e5m2, 2>
#define kf_whole2_f8e5m2 kf__whole<kf__f8e5m2, 2>
#define kf_each2_f8e5m2 kf__each<kf__f8e5m2, 2>
#define kf_join2_f8e5m2 kf__join<kf__f8e5m2, 2>
#define kf_load4_f8e5m2 kf__load<kf__f8e5m2, 4>
#define kf_part4_f8e5m2 kf__part<kf__f8e5m2, 4>
#define kf_whole4_f8e5m2 kf__whole<kf__f8e5m2, 4>
#define kf_each4_f8e5m2 kf__each<kf__f8e5m2, 4>
#define kf_join4_f8e5m2 kf__join<kf__f8e5m2, 4>
#define kf_load8_f8e5m2 kf__load<kf__f8e5m2, 8>
#define kf_part8_f8e5m2 kf__part<kf__f8e5m2, 8>
#define kf_join8_f8e5m2 kf__join<kf__f8e5m2, 8>
#define kf_load16_f8e5m2 kf__load<kf__f8e5m2, 16>
#define kf_part16_f8e5m2 kf__part<kf__f8e5m2, 16>
#define kf_join16_f8e5m2 kf__join<kf__f8e5m2, 16>
#define kf_store2_f8e5m2 kf__store<kf__f8e5m2, 2>
#define kf_store4_f8e5m2 kf__store<kf__f8e5m2, 4>
#define kf_store8_f8e5m2 kf__store<kf__f8e5m2, 8>
#define kf_store16_f8e5m2 kf__store<kf__f8e5m2, 16>
