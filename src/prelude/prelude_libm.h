/* What the dialects that run on a CPU have alike: packs in two halves, which aren't halves there, or
 * by elements, and functions of f64 by the system's libm. */

/* What isn't settled yet lies a word further on, so that its use shows. */
#define KF_RAW(W, N, S)                                                                       \
    KF_FN void kf_raw##W##_##N(const S *p, int64_t n, uint32_t *raw) {                        \
        raw[0] = 0x7fc07fc0;                                                                  \
        kf_load##W##_##N(p, 0, n, 0, raw + 1);                                                \
    }                                                                                         \
    KF_FN void kf_settle##W##_##N(const S *p, int64_t n, uint32_t *raw, uint32_t *words) {    \
        (void)p, (void)n;                                                                     \
        for (int k = 0; k < W / 2; k++) words[k] = raw[k + 1];                                \
    }
#define KF_RAWS(N, S) KF_RAW(2, N, S) KF_RAW(4, N, S) KF_RAW(8, N, S) KF_RAW(16, N, S)
KF_RAWS(f16, kf_f16)
KF_RAWS(bf16, kf_bf16)
KF_RAWS(i16, int16_t)

#define KF_BY_ELEMENT(W, N, S)                                                                \
    KF_FN void kf_whole##W##_##N(const S *p, uint32_t *words) {                               \
        kf_load##W##_##N(p, 0, W, 1, words);                                                  \
    }                                                                                         \
    KF_FN void kf_each##W##_##N(const S *p, int n, uint32_t *raw) {                           \
        uint32_t one[(W * sizeof(S) + 3) / 4];                                                \
        for (int k = 0; k < W; k++) {                                                         \
            kf_load##W##_##N(p + (k < n ? k : n - 1), 0, 1, 0, one);                          \
            __builtin_memcpy(raw + k * (int)((sizeof(S) + 3) / 4), one,                       \
                             (sizeof(S) + 3) / 4 * 4);                                        \
        }                                                                                     \
    }
#define KF_JOIN(W, N, S)                                                                      \
    KF_FN void kf_join##W##_##N(const uint32_t *raw, uint32_t *words) {                       \
        words[(W * sizeof(S) + 3) / 4 - 1] = 0;                                               \
        for (int k = 0; k < W; k++)                                                           \
            __builtin_memcpy((char *)words + k * (int)sizeof(S),                              \
                             raw + k * (int)((sizeof(S) + 3) / 4), sizeof(S));                \
    }
#define KF_BY_ELEMENTS(N, S)                                                                  \
    KF_BY_ELEMENT(2, N, S) KF_BY_ELEMENT(4, N, S)                                             \
    KF_JOIN(2, N, S) KF_JOIN(4, N, S) KF_JOIN(8, N, S) KF_JOIN(16, N, S)
KF_BY_ELEMENTS(f64, double)
KF_BY_ELEMENTS(f32, float)
KF_BY_ELEMENTS(f16, kf_f16)
KF_BY_ELEMENTS(bf16, kf_bf16)
KF_BY_ELEMENTS(i64, int64_t)
KF_BY_ELEMENTS(i32, int32_t)
KF_BY_ELEMENTS(i16, int16_t)
KF_BY_ELEMENTS(i8, int8_t)
KF_BY_ELEMENTS(u8, uint8_t)
KF_BY_ELEMENTS(bool, uint8_t)
#define KF_MEMORY8(N, S, T, FROM, TO) KF_MEMORY(N, S, T, FROM, TO) KF_BY_ELEMENTS(N, S)

#define KF_LIBM(name) \
    KF_FN double kf_##name##_f64(double a) { return __builtin_##name(a); }
#define KF_LIBM2(name) \
    KF_FN double kf_##name##_f64(double a, double b) { return __builtin_##name(a, b); }
KF_LIBM(exp) KF_LIBM(exp2) KF_LIBM(expm1)
KF_LIBM(log) KF_LIBM(log2) KF_LIBM(log10) KF_LIBM(log1p)
KF_LIBM(sinh) KF_LIBM(cosh) KF_LIBM(tanh) KF_LIBM(asinh) KF_LIBM(acosh) KF_LIBM(atanh)
KF_LIBM(sin) KF_LIBM(cos) KF_LIBM(tan) KF_LIBM(asin) KF_LIBM(acos) KF_LIBM(atan)
KF_LIBM(erf) KF_LIBM(erfc)
KF_LIBM2(atan2) KF_LIBM2(hypot) KF_LIBM2(pow) KF_LIBM2(fmod)

/* Not lgamma, which writes a variable of the process. */
double lgamma_r(double, int *);
KF_FN double kf_lgamma_f64(double a) {
    int sign;
    return lgamma_r(a, &sign);
}
