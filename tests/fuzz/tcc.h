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

double acos(double);
float acosf(float);
#define __builtin_acos acos
#define __builtin_acosf acosf
double acosh(double);
float acoshf(float);
#define __builtin_acosh acosh
#define __builtin_acoshf acoshf
double asin(double);
float asinf(float);
#define __builtin_asin asin
#define __builtin_asinf asinf
double asinh(double);
float asinhf(float);
#define __builtin_asinh asinh
#define __builtin_asinhf asinhf
double atan(double);
float atanf(float);
#define __builtin_atan atan
#define __builtin_atanf atanf
double atanh(double);
float atanhf(float);
#define __builtin_atanh atanh
#define __builtin_atanhf atanhf
double cbrt(double);
float cbrtf(float);
#define __builtin_cbrt cbrt
#define __builtin_cbrtf cbrtf
double ceil(double);
float ceilf(float);
#define __builtin_ceil ceil
#define __builtin_ceilf ceilf
double cos(double);
float cosf(float);
#define __builtin_cos cos
#define __builtin_cosf cosf
double cosh(double);
float coshf(float);
#define __builtin_cosh cosh
#define __builtin_coshf coshf
double erf(double);
float erff(float);
#define __builtin_erf erf
#define __builtin_erff erff
double erfc(double);
float erfcf(float);
#define __builtin_erfc erfc
#define __builtin_erfcf erfcf
double exp(double);
float expf(float);
#define __builtin_exp exp
#define __builtin_expf expf
double exp2(double);
float exp2f(float);
#define __builtin_exp2 exp2
#define __builtin_exp2f exp2f
double expm1(double);
float expm1f(float);
#define __builtin_expm1 expm1
#define __builtin_expm1f expm1f
double fabs(double);
float fabsf(float);
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
double floor(double);
float floorf(float);
#define __builtin_floor floor
#define __builtin_floorf floorf
double lgamma(double);
float lgammaf(float);
#define __builtin_lgamma lgamma
#define __builtin_lgammaf lgammaf
double log(double);
float logf(float);
#define __builtin_log log
#define __builtin_logf logf
double log10(double);
float log10f(float);
#define __builtin_log10 log10
#define __builtin_log10f log10f
double log1p(double);
float log1pf(float);
#define __builtin_log1p log1p
#define __builtin_log1pf log1pf
double log2(double);
float log2f(float);
#define __builtin_log2 log2
#define __builtin_log2f log2f
double rint(double);
float rintf(float);
#define __builtin_rint rint
#define __builtin_rintf rintf
double sin(double);
float sinf(float);
#define __builtin_sin sin
#define __builtin_sinf sinf
double sinh(double);
float sinhf(float);
#define __builtin_sinh sinh
#define __builtin_sinhf sinhf
double sqrt(double);
float sqrtf(float);
#define __builtin_sqrt sqrt
#define __builtin_sqrtf sqrtf
double tan(double);
float tanf(float);
#define __builtin_tan tan
#define __builtin_tanf tanf
double tanh(double);
float tanhf(float);
#define __builtin_tanh tanh
#define __builtin_tanhf tanhf
double tgamma(double);
float tgammaf(float);
#define __builtin_tgamma tgamma
#define __builtin_tgammaf tgammaf
double trunc(double);
float truncf(float);
#define __builtin_trunc trunc
#define __builtin_truncf truncf
double atan2(double, double);
float atan2f(float, float);
#define __builtin_atan2 atan2
#define __builtin_atan2f atan2f
double copysign(double, double);
float copysignf(float, float);
#define __builtin_copysign copysign
#define __builtin_copysignf copysignf
double fmod(double, double);
float fmodf(float, float);
#define __builtin_fmod fmod
#define __builtin_fmodf fmodf
double hypot(double, double);
float hypotf(float, float);
#define __builtin_hypot hypot
#define __builtin_hypotf hypotf
double nextafter(double, double);
float nextafterf(float, float);
#define __builtin_nextafter nextafter
#define __builtin_nextafterf nextafterf
double pow(double, double);
float powf(float, float);
#define __builtin_pow pow
#define __builtin_powf powf
double remainder(double, double);
float remainderf(float, float);
#define __builtin_remainder remainder
#define __builtin_remainderf remainderf
double fma(double, double, double);
float fmaf(float, float, float);
#define __builtin_fma fma
#define __builtin_fmaf fmaf
