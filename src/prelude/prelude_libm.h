/* Functions of f64 by the system's libm, for the dialects that run on a CPU. */

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
