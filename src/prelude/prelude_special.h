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

/* x times a function of w = -log(1 - x^2): one polynomial in w, far out one in its root. */
KF_FN float kf_erfinv_f32(float x) {
    float a = kf_abs_f32(x), rest = (1.0f - a) * (1.0f + a);
    float n, f = kf__log_split(rest, &n), w = -kf__log_of(f, n);
    float t = w - 2.5f;
    float p = kf_fma_f32(-0x1.1b9f6ap-27f, t, 0x1.e16378p-26f);
    p = kf_fma_f32(p, t, 0x1.ee129cp-22f);
    p = kf_fma_f32(p, t, -0x1.d8b16cp-19f);
    p = kf_fma_f32(p, t, -0x1.4bcafcp-18f);
    p = kf_fma_f32(p, t, 0x1.ca60c4p-13f);
    p = kf_fma_f32(p, t, -0x1.4866f8p-10f);
    p = kf_fma_f32(p, t, -0x1.11c994p-8f);
    p = kf_fma_f32(p, t, 0x1.f91e8ap-3f);
    p = kf_fma_f32(p, t, 0x1.805c5ep0f);
    t = kf_sqrt_f32(w) - 3.0f;
    float q = kf_fma_f32(-0x1.9eceb2p-13f, t, 0x1.9e85c8p-14f);
    q = kf_fma_f32(q, t, 0x1.61da68p-10f);
    q = kf_fma_f32(q, t, -0x1.e1410ap-9f);
    q = kf_fma_f32(q, t, 0x1.77f316p-8f);
    q = kf_fma_f32(q, t, -0x1.f39436p-8f);
    q = kf_fma_f32(q, t, 0x1.355542p-7f);
    q = kf_fma_f32(q, t, 0x1.006db8p0f);
    q = kf_fma_f32(q, t, 0x1.6a9efcp1f);
    float r = kf_select_f32(w < 5.0f, p, q) * x;
    r = kf_select_f32(a == 1.0f, kf_inf_f32 * x, r);
    return kf_select_f32(a <= 1.0f, r, kf_nan_f32);
}
/* From a guess that is right to 1/500, three steps of Halley's, each of which triples the digits. */
KF_FN double kf_erfinv_f64(double x) {
    double a = kf_abs_f64(x), rest = 1.0 - a, l = kf_log_f64(rest * (1.0 + a));
    double t = 0x1.152af46b7c65ep2 + 0.5 * l; /* 2 / (0.147 pi) */
    double y = kf_sqrt_f64(kf_sqrt_f64(t * t - l * 0x1.b35fc845a8ecep2) - t);
    KF_UNROLL
    for (int i = 0; i < 3; i++) {
        double e = a < 0.5 ? kf_erf_f64(y) - a : rest - kf_erfc_f64(y);
        double u = e * 0x1.c5bf891b4ef6ap-1 * kf_exp_f64(y * y);
        y = y - u / (1.0 + y * u);
    }
    y = a < 0x1p-30 ? a * 0x1.c5bf891b4ef6ap-1 : y;
    y = a == 1.0 ? kf_inf_f64 : y;
    return kf_copysign_f64(a <= 1.0 ? y : kf_nan_f64, x);
}

/* ---------------------------------------------------------------- the gamma function
 * In double, whose rounding errors are far below a float's even where results cancel. */

/* log x for x that are positive, finite and no denormals: x = 2^n m, and 2 atanh((m - 1) / (m + 1)) */
KF_FN double kf__log_wide(double x) {
    int64_t bits = kf_bits_f64(x), shifted = bits + 0x95f619980c433; /* n steps at sqrt(1/2) */
    int64_t e = (int64_t)((uint64_t)shifted >> 52) + 0x4330000000000000;
    double n = kf_float_f64(e) - (0x1p52 + 1023.0);
    double m = kf_float_f64(bits - (shifted & 0x7ff0000000000000) + 0x3ff0000000000000);
    double q = (m - 1.0) / (m + 1.0), s = q * q;
    double p = 0x1.8618618618618p-4;
    p = p * s + 0x1.af286bca1af28p-4;
    p = p * s + 0x1.e1e1e1e1e1e1ep-4;
    p = p * s + 0x1.1111111111111p-3;
    p = p * s + 0x1.3b13b13b13b14p-3;
    p = p * s + 0x1.745d1745d1746p-3;
    p = p * s + 0x1.c71c71c71c71cp-3;
    p = p * s + 0x1.2492492492492p-2;
    p = p * s + 0x1.999999999999ap-2;
    p = p * s + 0x1.5555555555555p-1;
    return n * 0x1.62e42feep-1 + (q * 2.0 + (p * (s * q) + n * 0x1.a39ef35793c76p-33));
}
/* sin(pi r) for 0 <= r <= 1/2 */
KF_FN double kf__sinpi_wide(double r) {
    double s = r * r;
    double p = 0x1.2877020d52cf0p-31;
    p = p * s + -0x1.8a404211f9547p-26;
    p = p * s + 0x1.aaec32af93359p-21;
    p = p * s + -0x1.6fadb9f155744p-16;
    p = p * s + 0x1.e8f434d018d63p-12;
    p = p * s + -0x1.e3074fde8871fp-8;
    p = p * s + 0x1.50783487ee782p-4;
    p = p * s + -0x1.32d2cce62bd86p-1;
    p = p * s + 0x1.466bc6775aae2p1;
    p = p * s + -0x1.4abbce625be53p2;
    p = p * s + 0x1.921fb54442d18p1;
    return p * r;
}
/* The recurrence leads from below 8 to y = a + 8 by the product a (a + 1) .. (a + 7); from there on
 * Stirling's series. Below 0 by reflection. Around its zeros 1 and 2, a polynomial. */
KF_FN float kf_lgamma_f32(float x) {
    double z = (double)x, a = kf_abs_f64(z), product = 1.0;
    int below = a < 8.0;
    KF_UNROLL
    for (int i = 0; i < 8; i++) product = product * (a + (double)i);
    product = below ? product : 1.0;
    double y = below ? a + 8.0 : a, i = 1.0 / y, s = i * i;
    double p = 0x1.a41a41a41a41ap-8;
    p = p * s + -0x1.f6ab0d9993c7dp-10;
    p = p * s + 0x1.b951e2b18ff23p-11;
    p = p * s + -0x1.3813813813814p-11;
    p = p * s + 0x1.a01a01a01a01ap-11;
    p = p * s + -0x1.6c16c16c16c17p-9;
    p = p * s + 0x1.5555555555555p-4;
    p = (y - 0.5) * kf__log_wide(y) - y + (p * i + 0x1.d67f1c864beb5p-1);
    double sine = kf__sinpi_wide(kf_abs_f64(a - kf_round_f64(a)));
    double quotient = z < 0 ? 0x1.921fb54442d18p1 * product / (a * sine) : product;
    double l = kf__log_wide(quotient);
    double r = z < 0 ? l - p : p - l;
    double t = a - 1.75;
    double q = 0x1.0c83c9e58460ap-16;
    q = q * t + -0x1.c4b9fd5a27becp-16;
    q = q * t + -0x1.341bf5b8da198p-16;
    q = q * t + 0x1.8cc44eabbedfbp-16;
    q = q * t + 0x1.41072d7b2dad9p-14;
    q = q * t + -0x1.09a3fbca61505p-13;
    q = q * t + 0x1.08e6248119adp-13;
    q = q * t + -0x1.0c20b6290e54p-12;
    q = q * t + 0x1.21ef3f189b2c2p-11;
    q = q * t + -0x1.184be1736870cp-10;
    q = q * t + 0x1.12736cb345d8ap-9;
    q = q * t + -0x1.14dfb7ec2c3f3p-8;
    q = q * t + 0x1.1f96e96ed8c78p-7;
    q = q * t + -0x1.382e8897fdfa1p-6;
    q = q * t + 0x1.6cb621b26465dp-5;
    q = q * t + -0x1.e965859621b89p-4;
    q = q * t + 0x1.ccf151e14bcd2p-2;
    r = (z > 0.75) & (z < 2.75) ? (a - 1.0) * (a - 2.0) * q + 0.0 : r; /* +0 at 1 too */
    r = (z <= 0) & (kf_trunc_f64(a) == a) ? kf_inf_f64 : r;
    r = a < kf_inf_f64 ? r : a;
    return (float)r;
}
/* Its derivative, of floats. That of the product's logarithm is the sum of 1 / (a + i). */
KF_FN double kf__digamma_wide(double z) {
    double a = kf_abs_f64(z), product = 1.0, slope = 0.0;
    int below = a < 8.0;
    KF_UNROLL
    for (int i = 0; i < 8; i++) {
        slope = slope * (a + (double)i) + product;
        product = product * (a + (double)i);
    }
    double y = below ? a + 8.0 : a, i = 1.0 / y, s = i * i;
    double p = -0x1.c5e5e5e5e5e5ep-2;
    p = p * s + 0x1.5555555555555p-4;
    p = p * s + -0x1.5995995995996p-6;
    p = p * s + 0x1.f07c1f07c1f08p-8;
    p = p * s + -0x1.1111111111111p-8;
    p = p * s + 0x1.041041041041p-8;
    p = p * s + -0x1.1111111111111p-7;
    p = p * s + 0x1.5555555555555p-4;
    double r = kf__log_wide(y < kf_inf_f64 ? y : 1.0) - (0.5 * i + p * s);
    r = below ? r - slope / product : r;
    double rest = a - kf_round_f64(a), size = kf_abs_f64(rest);
    double cotangent = kf__sinpi_wide(0.5 - size) / kf__sinpi_wide(size);
    cotangent = rest < 0 ? -cotangent : cotangent;
    double left = (r + 1.0 / a) + 0x1.921fb54442d18p1 * cotangent;
    left = kf_trunc_f64(a) == a ? kf_nan_f64 : left;
    r = z < 0 ? left : r;
    r = a < 0x1p-60 ? -1.0 / z : r;
    return z == kf_inf_f64 || z != z ? z : r;
}
KF_FN float kf_digamma_f32(float x) { return (float)kf__digamma_wide((double)x); }
/* For f64 itself its zero x0 matters: from 1 to 2 it is (b - x0) times a polynomial, where x0 is a
 * sum of two. The recurrence leads there from below 8; from there on Stirling's series. Below 0 by
 * reflection: between its poles it is a difference, and as good as the larger of the two terms. */
KF_FN double kf_digamma_f64(double z) {
    double a = z < 0 ? 1.0 - z : z, b = a < 1.0 ? a + 1.0 : a, sum = a < 1.0 ? -1.0 / a : 0.0;
    KF_UNROLL
    for (int i = 0; i < 6; i++) {
        double less = b - 1.0, step = 1.0 / less;
        sum = b >= 2.0 ? sum + step : sum;
        b = b >= 2.0 ? less : b;
    }
    double t = b - 1.5, p = -0x1.5600aebc075a4p-14;
    p = p * t + 0x1.0080971c56181p-13;
    p = p * t + -0x1.0081238b96f80p-14;
    p = p * t + 0x1.80c273fb322bfp-14;
    p = p * t + -0x1.c8e71b670fd49p-13;
    p = p * t + 0x1.56ae8897d5d3ep-12;
    p = p * t + -0x1.e24e3f4fdc1d2p-12;
    p = p * t + 0x1.69be71d89ad3fp-11;
    p = p * t + -0x1.1138fd323dc0dp-10;
    p = p * t + 0x1.99e14548a2d9bp-10;
    p = p * t + -0x1.335166d938f39p-9;
    p = p * t + 0x1.cd1f2dbc0dbedp-9;
    p = p * t + -0x1.5a07ffdcf1525p-8;
    p = p * t + 0x1.03c0b29031197p-7;
    p = p * t + -0x1.8635595c28480p-7;
    p = p * t + 0x1.256471573c163p-6;
    p = p * t + -0x1.b9f8b14eb372ep-6;
    p = p * t + 0x1.4de9aa17fed5cp-5;
    p = p * t + -0x1.fb4420299c39ep-5;
    p = p * t + 0x1.8512e59037f3fp-4;
    p = p * t + -0x1.2feeeb98a7e14p-3;
    p = p * t + 0x1.eca189b8e6f7bp-3;
    p = p * t + -0x1.b1cb63005ee96p-2;
    p = p * t + 0x1.e6f0cbb873616p-1;
    double lost = (z < 0) & (a < 2.0) ? (1.0 - a) - z : 0.0; /* by a's rounding */
    double near = ((b - 0x1.762d86356be3fp+0) + (lost - 0x1.b86a722197829p-54)) * p + sum;
    double y = (a >= 8.0) & (a < kf_inf_f64) ? a : 8.0, j = 1.0 / y, s = j * j;
    double q = -0x1.c5e5e5e5e5e5ep-2;
    q = q * s + 0x1.5555555555555p-4;
    q = q * s + -0x1.5995995995996p-6;
    q = q * s + 0x1.f07c1f07c1f08p-8;
    q = q * s + -0x1.1111111111111p-8;
    q = q * s + 0x1.041041041041p-8;
    q = q * s + -0x1.1111111111111p-7;
    q = q * s + 0x1.5555555555555p-4;
    double r = a < 8.0 ? near : kf__log_wide(y) - (0.5 * j + q * s);
    double rest = kf_round_f64(z) - z, size = kf_abs_f64(rest);
    double cotangent = kf__sinpi_wide(0.5 - size) / kf__sinpi_wide(size);
    double left = r + 0x1.921fb54442d18p1 * (rest < 0 ? -cotangent : cotangent);
    r = z < 0 ? (rest == 0 ? kf_nan_f64 : left) : r;
    r = kf_abs_f64(z) < 0x1p-60 ? -1.0 / z : r;
    r = z == -kf_inf_f64 ? kf_nan_f64 : r;
    return z == kf_inf_f64 || z != z ? z : r;
}
