/* What generated C takes from gcc or clang, for tcc: see tcc.sh. */
#define __INT8_TYPE__ signed char
#define __INT16_TYPE__ short
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long long
#define __UINT8_TYPE__ unsigned char
#define __UINT16_TYPE__ unsigned short
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ unsigned long long
#define __UINTPTR_TYPE__ unsigned long
#define __ATOMIC_SEQ_CST 5
#define _Pragma(text)

/* Vectors of one element */
#define __builtin_shufflevector(a, b, i, ...) ((i) == 0 ? (a) : (b))
#define KF_ZIP1_LOW 0
#define KF_ZIP1_HIGH 0

#define __builtin_prefetch(...) ((void)0)
#define __builtin_ia32_sfence() ((void)0)
#define __atomic_thread_fence(order) ((void)0)

void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
#define __builtin_memcpy memcpy
#define __builtin_memset memset

static const unsigned int tcc_f32[] = {0x7f800000u, 0x7fc00000u};
static const unsigned long long tcc_f64[] = {0x7ff0000000000000ull, 0x7ff8000000000000ull};
#define __builtin_inff() (*(const float *)&tcc_f32[0])
#define __builtin_nanf(text) (*(const float *)&tcc_f32[1])
#define __builtin_inf() (*(const double *)&tcc_f64[0])
#define __builtin_nan(text) (*(const double *)&tcc_f64[1])

/* Of libm, for both types of floats. */
#define ONE(name)                                                               \
    double name(double);                                                        \
    float name##f(float);                                                       \
    static double __builtin_##name(double a) { return name(a); }                \
    static float __builtin_##name##f(float a) { return name##f(a); }
#define TWO(name)                                                               \
    double name(double, double);                                                \
    float name##f(float, float);                                                \
    static double __builtin_##name(double a, double b) { return name(a, b); }   \
    static float __builtin_##name##f(float a, float b) { return name##f(a, b); }
ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(ceil) ONE(cos)
ONE(cosh) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(expm1) ONE(fabs) ONE(floor) ONE(lgamma)
ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(rint) ONE(sin) ONE(sinh) ONE(sqrt) ONE(tan) ONE(tanh)
ONE(tgamma) ONE(trunc)
TWO(atan2) TWO(copysign) TWO(fmod) TWO(hypot) TWO(nextafter) TWO(pow) TWO(remainder)
double fma(double, double, double);
float fmaf(float, float, float);
#define __builtin_fma fma
#define __builtin_fmaf fmaf
