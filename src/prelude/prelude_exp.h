/* Exponentials, logarithms, powers and hyperbolic functions of f32 (see prelude_common.h). */

/* ---------------------------------------------------------------- exponentials */

/* x = n ln 2 + r: gives r, and n + bias in the low bits of *k. |x| <= 104, or NaN; bias even. */
KF_FN float kf__exp_reduce_biased(float x, float bias, int32_t *k) {
    float magic = KF_MAGIC + bias;
    float t = kf_fma_f32(x, 0x1.715476p0f, magic);
    float n = t - magic;
    *k = kf_bits_f32(t);
    return kf_fma_f32(n, -0x1.7f7d1cp-20f, kf_fma_f32(n, -0x1.62e4p-1f, x)); /* inner: exact */
}
KF_FN float kf__exp_reduce(float x, int32_t *k) { return kf__exp_reduce_biased(x, 0.0f, k); }
KF_FN float kf__exp_slope(float r) { /* (e^r - 1) / r for |r| <= ln 2 / 2 */
    float p = kf_fma_f32(0x1.695d7ap-10f, r, 0x1.123c7ep-7f);
    p = kf_fma_f32(p, r, 0x1.555a1cp-5f);
    p = kf_fma_f32(p, r, 0x1.55548ep-3f);
    p = kf_fma_f32(p, r, 0x1.fffffap-2f);
    return kf_fma_f32(p, r, 1.0f);
}
KF_FN float kf__exp_near_0(float r) { return kf_fma_f32(kf__exp_slope(r), r, 1.0f); }
/* p 2^n in two steps, of which only the last can overflow or be denormal; |n| <= 150. */
KF_FN float kf__exp_scale(float p, int32_t k) {
    int32_t half = k >> 1;
    return p * kf__power_of_2(half) * kf__power_of_2(kf__minus(k, half));
}
KF_FN float kf_exp_f32(float x) {
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(x, -104.0f, 89.0f), &k);
    return kf__exp_scale(kf__exp_near_0(r), k);
}
/* For x <= 0, or NaN, to the same bits: n + 152 is at least 2, so that its lowest 8 bits are all of
 * a normal power's exponent, 2^(n + 25). Of the two products only the last is rounded. CPUs take the
 * time of all of this again for one that underflows: of what is masked by -inf 0 is made of 0. */
KF_FN float kf_exp_nonpositive_f32(float x) {
    int32_t k;
    float r = kf__exp_reduce_biased(kf_raise_f32(x, -104.0f), 152.0f, &k);
#ifndef KF_BRANCHY
    k = x < -104.0f ? 0 : k;
#endif
    float power = kf_float_f32((int32_t)((uint32_t)k << 23));
    return kf__exp_near_0(r) * power * 0x1p-25f;
}

/* 2^x = 2^n 2^r: the reduction is exact. */
KF_FN float kf_exp2_f32(float x) {
    x = kf_clamp_f32(x, -151.0f, 129.0f);
    float t = x + KF_MAGIC, r = x - (t - KF_MAGIC);
    float p = kf_fma_f32(0x1.4447b8p-13f, r, 0x1.5f096p-10f);
    p = kf_fma_f32(p, r, 0x1.3b2a28p-7f);
    p = kf_fma_f32(p, r, 0x1.c6af7ap-5f);
    p = kf_fma_f32(p, r, 0x1.ebfbep-3f);
    p = kf_fma_f32(p, r, 0x1.62e43p-1f);
    return kf__exp_scale(kf_fma_f32(p, r, 1.0f), kf_bits_f32(t));
}

/* e^x - 1 = 2^n (e^r - 1) + (2^n - 1); half of everything is taken, as 2^128 is too large. */
KF_FN float kf_expm1_f32(float x) {
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(x, -26.0f, 89.0f), &k);
    float p = kf_fma_f32(0x1.9e1d76p-13f, r, 0x1.6d465ep-10f);
    p = kf_fma_f32(p, r, 0x1.1113p-7f);
    p = kf_fma_f32(p, r, 0x1.5554eep-5f);
    p = kf_fma_f32(p, r, 0x1.555554p-3f);
    p = kf_fma_f32(p, r, 0.5f);
    p = kf_fma_f32(p * r, r, r);
    float half = kf__power_of_2(kf__minus(k, 1));
    float e = kf_fma_f32(p, half, half - 0.5f);
    e = kf_select_f32(half == 0.5f, p, e + e); /* halving p would round a denormal one */
    return kf__signed(e, x);                    /* -0 */
}

/* Below 0.55: x plus x times a polynomial in x^2. From there 1 - 2 / (e^2x + 1). */
KF_FN float kf_tanh_f32(float x) {
    int32_t k;
    float a = kf_abs_f32(x), s = x * x;
    float p = kf_fma_f32(0x1.0d5184p-6f, s, -0x1.af7d38p-5f);
    p = kf_fma_f32(p, s, 0x1.10cefcp-3f);
    p = kf_fma_f32(p, s, -0x1.555452p-2f);
    float r = kf__exp_reduce(2.0f * (a < 9.2f ? a : 9.2f), &k);
    float e = kf_fma_f32(kf__exp_near_0(r), kf__power_of_2(k), 1.0f);
    r = 1.0f - kf_divn_f32(2.0f, e);
    return kf__signed(kf_select_f32(a >= 0.55f, r, kf_fma_f32(p * s, x, x)), x);
}

/* e^a = 2^n (cosh r + sinh r), so that with A = 2^(n-2) and B = 2^(-n-2) half of sinh a is
 * (A - B) cosh r + (A + B) sinh r, half of cosh a (A + B) cosh r + (A - B) sinh r. For a near 0,
 * A = B, and nothing is lost. Half, as 2^129 is too large. */
KF_FN float kf__hyperbolic(float a, float *sum, float *difference, float *cosh_less_1) {
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(a, -1.0f, 89.6f), &k), s = r * r;
    float up = kf__power_of_2(kf__minus(k, 2));
    float down = kf_select_f32(a < 40.0f, kf__power_of_2(kf__minus(-2, k)), 0.0f);
    float p = kf_fma_f32(0x1.a2e2d8p-13f, s, 0x1.110fbep-7f);
    p = kf_fma_f32(p, s, 0x1.555556p-3f);
    float q = kf_fma_f32(0x1.6d4f38p-10f, s, 0x1.5554e6p-5f);
    *cosh_less_1 = kf_fma_f32(q, s, 0.5f) * s;
    *sum = up + down;
    *difference = up - down;
    return kf_fma_f32(p * s, r, r);
}
KF_FN float kf_sinh_f32(float x) {
    float sum, difference, c, a = kf_abs_f32(x);
    float s = kf__hyperbolic(a, &sum, &difference, &c);
    float h = difference + kf_fma_f32(difference, c, sum * s);
    return kf__signed(kf_select_f32(difference == 0, s, h + h), x); /* denormals: not halved */
}
KF_FN float kf_cosh_f32(float x) {
    float sum, difference, c;
    float s = kf__hyperbolic(kf_abs_f32(x), &sum, &difference, &c);
    float h = sum + kf_fma_f32(sum, c, difference * s);
    return h + h;
}

/* ---------------------------------------------------------------- logarithms */

/* log(1 + f) + n ln 2 for -1/4 <= f <= 1/2: the sum cancels little, as |log(1 + f)| < 0.41. */
KF_FN float kf__log_of(float f, float n) {
    float p = kf_fma_f32(-0x1.721d3ep-5f, f, 0x1.ad4188p-4f);
    p = kf_fma_f32(p, f, -0x1.0db586p-3f);
    p = kf_fma_f32(p, f, 0x1.28852ep-3f);
    p = kf_fma_f32(p, f, -0x1.54eb54p-3f);
    p = kf_fma_f32(p, f, 0x1.9968fp-3f);
    p = kf_fma_f32(p, f, -0x1.00004ep-2f);
    p = kf_fma_f32(p, f, 0x1.5555a6p-2f);
    p = kf_fma_f32(p, f, -0.5f);
    return kf_fma_f32(n, 0x1.62e43p-1f, kf_fma_f32(p, f * f, f));
}
/* x = 2^n (1 + f), -1/4 <= f < 1/2, for x that are positive and finite. */
KF_FN float kf__log_split(float x, float *n) {
    float tiny = x < 0x1p-126f ? 0x1p23f : 1.0f;
    int32_t bits = kf_bits_f32(x * tiny);
    int32_t e = kf__minus(bits, 0x3f400000) & (int32_t)0xff800000;
    *n = kf_fma_f32((float)e, 0x1p-23f, tiny > 1.0f ? -23.0f : 0.0f);
    return kf_float_f32(kf__minus(bits, e)) - 1.0f;
}
KF_FN float kf__log_special(float x, float r) {
    r = kf_select_f32(x < kf_inf_f32, r, x); /* inf, NaN */
    r = kf_select_f32(x == 0, -kf_inf_f32, r);
    return kf_select_f32(x < 0, kf_nan_f32, r);
}
KF_FN float kf_log_f32(float x) {
    float n, f = kf__log_split(x, &n);
    return kf__log_special(x, kf__log_of(f, n));
}
/* 1 / ln 2 and 1 / ln 10 as sums of two; what follows the linear term is a polynomial of its own. */
KF_FN float kf_log2_f32(float x) {
    float n, f = kf__log_split(x, &n);
    float p = kf_fma_f32(-0x1.0b4826p-4f, f, 0x1.3595b6p-3f);
    p = kf_fma_f32(p, f, -0x1.84dfeap-3f);
    p = kf_fma_f32(p, f, 0x1.abb1cep-3f);
    p = kf_fma_f32(p, f, -0x1.ebda92p-3f);
    p = kf_fma_f32(p, f, 0x1.2754f2p-2f);
    p = kf_fma_f32(p, f, -0x1.7154f6p-2f);
    p = kf_fma_f32(p, f, 0x1.ec710ap-2f);
    p = kf_fma_f32(p, f, -0x1.715476p-1f);
    float low = kf_fma_f32(f, 0x1.4ae0cp-26f, p * (f * f));
    return kf__log_special(x, kf_fma_f32(f, 0x1.715476p0f, n) + low);
}
KF_FN float kf_log10_f32(float x) {
    float n, f = kf__log_split(x, &n);
    float p = kf_fma_f32(-0x1.3f2668p-6f, f, 0x1.736c24p-5f);
    p = kf_fma_f32(p, f, -0x1.d4285ap-5f);
    p = kf_fma_f32(p, f, 0x1.01a044p-4f);
    p = kf_fma_f32(p, f, -0x1.2826cp-4f);
    p = kf_fma_f32(p, f, 0x1.639b7ep-4f);
    p = kf_fma_f32(p, f, -0x1.bcb7d6p-4f);
    p = kf_fma_f32(p, f, 0x1.287abcp-3f);
    p = kf_fma_f32(p, f, -0x1.bcb7b2p-3f);
    float r = kf_fma_f32(f, 0x1.bcb7b2p-2f, kf_fma_f32(f, -0x1.5b235ep-27f, p * (f * f)));
    return kf__log_special(x, kf_fma_f32(n, 0x1.344p-2f, kf_fma_f32(n, 0x1.3509f8p-18f, r)));
}
/* log(one + t) + more ln 2, where one is 1 or 0: one + t = 2^n (1 + f) with n from the rounded sum
 * and f from t itself, so that no bit is lost. t is finite. */
KF_FN float kf__log_plus(float t, float one, float more) {
    int32_t e = kf__minus(kf_bits_f32(t + one), 0x3f400000) & (int32_t)0xff800000;
    float scale = kf_float_f32(kf__minus(0x40800000, e)); /* 4 / 2^n */
    float f = kf_float_f32(kf__minus(kf_bits_f32(t), e));
    f = f + kf_fma_f32(0.25f * one, scale, -1.0f);
    return kf__log_of(f, kf_fma_f32((float)e, 0x1p-23f, more));
}
KF_FN float kf_log1p_f32(float x) {
    float r = kf__log_plus(x, 1.0f, 0.0f);
    r = kf_select_f32(kf_abs_f32(x) < 0x1p-24f, x, r); /* denormals and -0 too */
    r = kf_select_f32(x < kf_inf_f32, r, x);
    r = kf_select_f32(x == -1.0f, -kf_inf_f32, r);
    return kf_select_f32(x < -1.0f, kf_nan_f32, r);
}

/* log(a + sqrt(a^2 + 1)), the sum less 1 without cancellation; far from 0 log 2a. */
KF_FN float kf_asinh_f32(float x) {
    float a = kf_abs_f32(x), s = a * a;
    int far = a > 4096.0f;
    float t = a + s / (1.0f + kf_sqrt_f32(1.0f + s));
    t = kf_select_f32(far, a, t);
    float r = kf__log_plus(t, kf_select_f32(far, 0.0f, 1.0f), kf_select_f32(far, 1.0f, 0.0f));
    return kf__signed(kf_select_f32(a < kf_inf_f32, r, a), x);
}
/* The same of x + sqrt(x^2 - 1). */
KF_FN float kf_acosh_f32(float x) {
    float t = x - 1.0f;
    int far = x > 4096.0f;
    t = kf_select_f32(far, x, t + kf_sqrt_f32(kf_fma_f32(t, t, t + t)));
    float r = kf__log_plus(t, kf_select_f32(far, 0.0f, 1.0f), kf_select_f32(far, 1.0f, 0.0f));
    r = kf_select_f32(x < kf_inf_f32, r, x);
    return kf_select_f32(x < 1.0f, kf_nan_f32, r);
}
/* log(1 + 2a / (1 - a)) / 2 */
KF_FN float kf_atanh_f32(float x) {
    float a = kf_abs_f32(x);
    float r = 0.5f * kf__log_plus((a + a) / (1.0f - a), 1.0f, 0.0f);
    r = kf_select_f32(a < 0x1p-13f, a, r); /* halving would round denormals */
    r = kf_select_f32(a == 1.0f, kf_inf_f32, r);
    return kf__signed(kf_select_f32(a <= 1.0f, r, kf_nan_f32), x);
}

/* x^y = e^(y log x), the logarithm as a sum of two floats: log m = 2 atanh((m - 1) / (m + 1)). */
KF_FN float kf_pow_f32(float x, float y) {
    float a = kf_abs_f32(x), tiny = a < 0x1p-126f ? 0x1p23f : 1.0f;
    int32_t bits = kf_bits_f32(a * tiny);
    int32_t e = kf__minus(bits, 0x3f3504f3) & (int32_t)0xff800000;
    float n = kf_fma_f32((float)e, 0x1p-23f, tiny > 1.0f ? -23.0f : 0.0f);
    float m = kf_float_f32(kf__minus(bits, e));
    float v = m - 1.0f, d = m + 1.0f;
    float inverse = kf_divn_f32(1.0f, d), q = v * inverse;
    float ql = inverse * kf_fma_exact_f32(-q, v, v - 2.0f * q); /* of v - q (m + 1) */
    float s = q * q;
    float sl = kf_fma_f32(q, ql + ql, kf_fma_exact_f32(q, q, -s));
    float p = kf_fma_f32(0x1.ce64bep-4f, s, 0x1.24c1fep-3f);
    p = kf_fma_f32(p, s, 0x1.99986cp-3f);
    p = kf_fma_f32(p, s, 0x1.555556p-2f);
    float c = s * q;
    float cl = kf_fma_f32(s, ql, kf_fma_f32(sl, q, kf_fma_exact_f32(s, q, -c)));
    float low = kf_fma_f32(p, c, kf_fma_f32(p, cl, ql));
    float high = kf_fma_exact_f32(0x1.62e4p-1f, n, 2.0f * q); /* n times it is exact */
    float error = 2.0f * q - (high - 0x1.62e4p-1f * n);
    low = kf_fma_f32(0x1.7f7d1cp-20f, n, kf_fma_f32(2.0f, low, error));
    float log_high = high + low, log_low = (high - log_high) + low;
    log_high = kf_select_f32(a == 0, -kf_inf_f32, log_high);
    log_high = kf_select_f32(a == kf_inf_f32, kf_inf_f32, log_high);
    float h = y * log_high;
    float l = kf_fma_f32(y, log_low, kf_fma_exact_f32(y, log_high, -h));
    l = kf_select_f32(kf_abs_f32(h) <= 120.0f, l, 0.0f);
    int32_t k;
    float r = kf__exp_reduce(kf_clamp_f32(h, -104.0f, 89.0f), &k) + l;
    r = kf__exp_scale(kf__exp_near_0(r), k);

    int integer = kf_trunc_f32(y) == y;
    int odd = integer & (kf_trunc_f32(0.5f * y) != 0.5f * y);
    r = kf_select_f32((kf_bits_f32(x) < 0) & odd, -r, r);
    r = kf_select_f32((x < 0) & !integer & (a < kf_inf_f32), kf_nan_f32, r);
    r = kf_select_f32((a == 1.0f) & (kf_abs_f32(y) == kf_inf_f32), 1.0f, r);
    r = kf_select_f32((x != x) | (y != y), x + y, r);
    return kf_select_f32((x == 1.0f) | (y == 0), 1.0f, r);
}

/* ---------------------------------------------------------------- roots */

/* y = a r^2 with r = a^(-1/3): a guess from the bits, two steps that triple the digits, and one of
 * Newton's on y itself. */
KF_FN float kf_cbrt_f32(float x) {
    float a = kf_abs_f32(x), tiny = a < 0x1p-60f ? 0x1p60f : 1.0f;
    float m = a * tiny; /* far from denormals, as what is left of it must be */
    float r = kf_float_f32((int32_t)(0x1.5288p30f - (float)kf_bits_f32(m) * 0x1.555556p-2f));
    KF_UNROLL
    for (int i = 0; i < 2; i++) {
        float e = kf_fma_f32(-(m * r), r * r, 1.0f);
        r = kf_fma_f32(r * e, kf_fma_f32(e, 0x1.c71c72p-3f, 0x1.555556p-2f), r);
    }
    float y = m * (r * r), s = y * y;
    float rest = kf_fma_exact_f32(-y, s, m) - y * kf_fma_exact_f32(y, y, -s);
    y = kf_fma_f32(rest * 0x1.555556p-2f, r * r, y);
    y = y * (tiny > 1.0f ? 0x1p-20f : 1.0f);
    return kf__signed((a == 0) | !(a < kf_inf_f32) ? a : y, x);
}
KF_FN double kf_cbrt_f64(double x) {
    double a = kf_abs_f64(x), tiny = a < 0x1p-900 ? 0x1p180 : 1.0, m = a * tiny;
    int32_t high = (int32_t)(kf_bits_f64(m) >> 32);
    int32_t guess = (int32_t)(1430235819.0 - (double)high * 0x1.5555555555555p-2);
    double r = kf_float_f64((int64_t)guess << 32);
    KF_UNROLL
    for (int i = 0; i < 3; i++) {
        double e = 1.0 - (m * r) * (r * r);
        r = r + r * e * (0x1.5555555555555p-2 + e * 0x1.c71c71c71c71cp-3);
    }
    double y = m * (r * r), s = y * y;
    double rest = kf_fused_f64(-y, s, m) - y * kf_fused_f64(y, y, -s);
    y = kf_fused_f64(rest * 0x1.5555555555555p-2, r * r, y);
    y = y * (tiny > 1.0 ? 0x1p-60 : 1.0);
    return kf_copysign_f64((a == 0) | !(a < kf_inf_f64) ? a : y, x);
}
/* The larger one is brought far from overflow and denormals. */
KF_FN float kf_hypot_f32(float a, float b) {
    float x = kf_abs_f32(a), y = kf_abs_f32(b), m = x > y ? x : y;
    float scale = m > 0x1p60f ? 0x1p-70f : m < 0x1p-60f ? 0x1p100f : 1.0f;
    float back = m > 0x1p60f ? 0x1p70f : m < 0x1p-60f ? 0x1p-100f : 1.0f;
    float p = x * scale, q = y * scale;
    float r = kf_sqrt_f32(kf_fma_f32(p, p, q * q)) * back;
    return kf_select_f32((x == kf_inf_f32) | (y == kf_inf_f32), kf_inf_f32, r);
}
