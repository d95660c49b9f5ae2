/* Error functions and the logarithm of the gamma function, of f32 (see prelude_common.h). */

/* ---------------------------------------------------------------- error functions */

/* Below 0.9: x plus x times a polynomial in x^2. From there 1 - erfc, which is the fourth power of
 * a polynomial: of a lower degree than for erfc itself. From 4 on it is 1. */
KF_FN float kf_erf_f32(float x) {
    float a = kf_abs_f32(x), s = x * x;
    float p = kf_fma_f32(-0x1.3ed77ap-11f, s, 0x1.48558cp-8f);
    p = kf_fma_f32(p, s, -0x1.b6b838p-6f);
    p = kf_fma_f32(p, s, 0x1.ce1d3ep-4f);
    p = kf_fma_f32(p, s, -0x1.8126f4p-2f);
    p = kf_fma_f32(p, s, 0x1.06eba6p-3f);
    float u = a < 4.0f ? a : 4.0f;
    float q = kf_fma_f32(-0x1.f7622ap-16f, u, 0x1.3ab12ep-12f);
    q = kf_fma_f32(q, u, -0x1.89f904p-15f);
    q = kf_fma_f32(q, u, -0x1.3c9b4p-7f);
    q = kf_fma_f32(q, u, 0x1.2d0baap-5f);
    q = kf_fma_f32(q, u, -0x1.e4ae5cp-8f);
    q = kf_fma_f32(q, u, -0x1.a25090p-4f);
    q = kf_fma_f32(q, u, -0x1.283ffp-2f);
    q = kf_fma_f32(q, u, 0x1.00548p0f);
    q = q * q;
    q = kf__signed(kf_fma_f32(-q, q, 1.0f), x);
    return kf_select_f32(a >= 0.9f, q, kf_fma_f32(p, x, x));
}

/* Near 0 and below 1 - erf. Else e^(-a^2) g / (1 + 2a), where g is nearly constant: a polynomial in
 * (a - 2) / (a + 2). a^2 is taken as a sum of two. */
KF_FN float kf_erfc_f32(float x) {
    float s = x * x, a = kf_clamp_f32(kf_abs_f32(x), -1.0f, 10.2f);
    float p = kf_fma_f32(-0x1.75d884p-11f, s, 0x1.521b0ep-8f);
    p = kf_fma_f32(p, s, -0x1.b7f18cp-6f);
    p = kf_fma_f32(p, s, 0x1.ce2d8ep-4f);
    p = kf_fma_f32(p, s, -0x1.812742p-2f);
    p = kf_fma_f32(p, s, 0x1.06eba8p-3f);
    p = kf_fma_f32(-p, x, 1.0f - x);
    float t = kf_divn_f32(a - 2.0f, a + 2.0f);
    float g = kf_fma_f32(-0x1.11d3dp-12f, t, -0x1.4b1bd6p-10f);
    g = kf_fma_f32(g, t, 0x1.34761ep-10f);
    g = kf_fma_f32(g, t, 0x1.1bd234p-7f);
    g = kf_fma_f32(g, t, -0x1.06a156p-7f);
    g = kf_fma_f32(g, t, -0x1.bc1d54p-5f);
    g = kf_fma_f32(g, t, 0x1.4ff964p-3f);
    g = kf_fma_f32(g, t, -0x1.5407ccp-3f);
    g = kf_fma_f32(g, t, -0x1.7bf5e8p-4f);
    g = kf_fma_f32(g, t, 0x1.46e80ep0f);
    g = kf_divn_f32(g, kf_fma_f32(2.0f, a, 1.0f));
    int32_t k;
    float h = a * a, r = kf__exp_reduce(-h, &k) - kf_fma_exact_f32(a, a, -h);
    float far = kf__exp_scale(kf_fma_f32(g, kf__exp_slope(r) * r, g), k);
    far = kf_select_f32(x < 0, 2.0f - far, far);
    return kf_select_f32(kf_abs_f32(x) < 0.45f, p, far);
}
