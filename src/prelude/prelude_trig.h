/* Trigonometric functions of f32 and their inverses (see prelude_common.h). */

/* ---------------------------------------------------------------- trigonometry */

/* Quadrant `n` (its low bits count) and rest r of a sine or cosine. */
KF_FN float kf__sin_in(float r, int32_t n) {
    float s = r * r;
    float p = kf_fma_f32(-0x1.991e08p-13f, s, 0x1.1106cap-7f);
    p = kf_fma_f32(p, s, -0x1.555544p-3f);
    float sine = kf__signed(kf_fma_f32(p * s, r, r), r); /* -0 */
    float q = kf_fma_f32(0x1.99a21p-16f, s, -0x1.6c0b18p-10f);
    q = kf_fma_f32(q, s, 0x1.555548p-5f);
    q = kf_fma_f32(q, s, -0.5f);
    float cosine = kf_fma_f32(q, s, 1.0f);
    float v = kf_select_f32(n & 1, cosine, sine);
    return kf_float_f32(kf_bits_f32(v) ^ (int32_t)((uint32_t)(n & 2) << 30));
}
/* x / (2 pi) without its integer part, for any x: 1 / (2 pi) in pieces of 29 bits, whose products
 * with x are exact in double. */
KF_FN double kf__turn(double x, double piece, double sum) {
    double p = x * piece;
    return sum + (p - kf_round_f64(p));
}
KF_FN float kf__reduce_far(float x, float *quadrant) {
    double d = (double)x;
    double f = kf__turn(d, 0x1.45f306ep-3, 0.0);
    f = kf__turn(d, -0x1.b1bbeadp-34, f);
    f = kf__turn(d, -0x1.80f62a1p-64, f);
    f = kf__turn(d, 0x1.1f534dep-94, f);
    f = kf__turn(d, -0x1.f924eb5p-125, f);
    f = 4.0 * (f + d * -0x1.9b0ef1bef806cp-156);
    double n = kf_round_f64(f);
    *quadrant = (float)n;
    return (float)((f - n) * 0x1.921fb54442d18p0);
}
KF_FN float kf__reduce(float x, int32_t *quadrant) {
    float n = kf_fma_f32(x, 0x1.45f306p-1f, KF_MAGIC) - KF_MAGIC;
    float r = kf_fma_f32(n, -0x1.921fb4p0f, x);
    r = kf_fma_f32(n, -0x1.4442dp-24f, r);
    r = kf_fma_f32(n, -0x1.84698ap-48f, r);
    int far = !(kf_abs_f32(x) <= KF_NEAR_TURNS);
#ifdef KF_BRANCHY
    if (far) r = kf__reduce_far(x, &n);
#else
    float far_n, far_r = kf__reduce_far(x, &far_n);
    r = far ? far_r : r;
    n = far ? far_n : n;
#endif
    *quadrant = kf_bits_f32(n + KF_MAGIC);
    return r;
}
KF_FN float kf_sin_f32(float x) {
    int32_t n;
    float r = kf__reduce(x, &n);
    return kf__sin_in(r, n);
}
KF_FN float kf_cos_f32(float x) {
    int32_t n;
    float r = kf__reduce(x, &n);
    return kf__sin_in(r, kf__minus(n, -1));
}
/* The tangent of the rest; in odd quadrants -1 over it. */
KF_FN float kf_tan_f32(float x) {
    int32_t n;
    float r = kf__reduce(x, &n), s = r * r;
    float p = kf_fma_f32(0x1.1e8af8p-8f, s, 0x1.9ecfc2p-14f);
    p = kf_fma_f32(p, s, 0x1.62c8p-7f);
    p = kf_fma_f32(p, s, 0x1.5cc136p-6f);
    p = kf_fma_f32(p, s, 0x1.bad9bep-5f);
    p = kf_fma_f32(p, s, 0x1.110d9ep-3f);
    p = kf_fma_f32(p, s, 0x1.55556p-2f);
    float t = kf_fma_f32(p * s, r, r);
    return kf_select_f32(n & 1, -1.0f / t, t);
}
/* sin(pi x) and cos(pi x): the reduction is exact. */
KF_FN float kf__sinpi_in(float x, int32_t shift) {
    /* + 0.0f makes 0 of -0, so that -0 stays through the sums; both are exact */
    float y = kf_fma_f32(kf_round_f32(0.5f * x) + 0.0f, -2.0f, x);
    float n = kf_round_f32(y + y) + 0.0f;
    float r = kf_fma_f32(n, -0.5f, y);
    int32_t k = kf__minus(kf_bits_f32(n + KF_MAGIC), -shift);
    float s = r * r;
    float p = kf_fma_f32(-0x1.2dbd7ep-1f, s, 0x1.465fc4p1f);
    p = kf_fma_f32(p, s, -0x1.4abbbep2f);
    p = kf_fma_f32(p, s, 0x1.4442d2p-23f); /* pi's lower part */
    float sine = kf_fma_f32(r, 0x1.921fb4p1f, p * r);
    float q = kf_fma_f32(0x1.d684b4p-3f, s, -0x1.55b7cep0f);
    q = kf_fma_f32(q, s, 0x1.03c1b8p2f);
    q = kf_fma_f32(q, s, -0x1.3bd3ccp2f);
    float cosine = kf_fma_f32(q, s, 1.0f);
    float v = kf_select_f32(k & 1, cosine, sine);
    return kf_float_f32(kf_bits_f32(v) ^ (int32_t)((uint32_t)(k & 2) << 30));
}
KF_FN float kf_sinpi_f32(float x) { return kf__sinpi_in(x, 0); }
KF_FN float kf_cospi_f32(float x) { return kf__sinpi_in(x, 1); }

/* ---------------------------------------------------------------- inverse functions */

#define KF_PI_F32 0x1.921fb6p1f
#define KF_PI_REST_F32 -0x1.777a5cp-24f /* what pi is less */

/* m (1 + p) beside a multiple of pi / 2: high + m is nearly exact, the rest is small. */
KF_FN float kf__beside(float quarters, float m, float p) {
    float high = quarters * (0.5f * KF_PI_F32), low = quarters * (0.5f * KF_PI_REST_F32);
    return (high + m) + kf_fma_f32(p, m, low);
}
/* asin z = z (1 + p), given z^2 <= 1/4 */
KF_FN float kf__asin_of(float s) {
    float p = kf_fma_f32(0x1.34807ap-5f, s, 0x1.d5c53ep-7f);
    p = kf_fma_f32(p, s, 0x1.04cab4p-5f);
    p = kf_fma_f32(p, s, 0x1.6ca7fap-5f);
    p = kf_fma_f32(p, s, 0x1.3338aap-4f);
    return kf_fma_f32(p, s, 0x1.55554cp-3f) * s;
}
/* Above 1/2 by asin x = pi / 2 - 2 asin(sqrt((1 - x) / 2)). */
KF_FN float kf_asin_f32(float x) {
    float a = kf_abs_f32(x), s = kf_select_f32(a > 0.5f, kf_fma_f32(-0.5f, a, 0.5f), a * a);
    float m = kf_select_f32(a > 0.5f, -2.0f * kf_sqrt_f32(s), a), p = kf__asin_of(s);
    return kf__signed(kf__beside(kf_select_f32(a > 0.5f, 1.0f, 0.0f), m, p), x);
}
KF_FN float kf_acos_f32(float x) {
    float a = kf_abs_f32(x), s = kf_select_f32(a > 0.5f, kf_fma_f32(-0.5f, a, 0.5f), a * a);
    float root = 2.0f * kf_sqrt_f32(s);
    float m = kf_select_f32(a > 0.5f, kf_select_f32(x > 0, root, -root), -x);
    float quarters = kf_select_f32(a > 0.5f, kf_select_f32(x > 0, 0.0f, 2.0f), 1.0f);
    return kf__beside(quarters, m, kf__asin_of(s));
}
/* atan z = z (1 + p), given z^2 <= 1 */
KF_FN float kf__atan_of(float s) {
    float p = kf_fma_f32(-0x1.d4984ap-10f, s, 0x1.64c1cep-7f);
    p = kf_fma_f32(p, s, -0x1.fdfc1cp-6f);
    p = kf_fma_f32(p, s, 0x1.da5ed4p-5f);
    p = kf_fma_f32(p, s, -0x1.58155ep-4f);
    p = kf_fma_f32(p, s, 0x1.c08f64p-4f);
    p = kf_fma_f32(p, s, -0x1.2420b6p-3f);
    p = kf_fma_f32(p, s, 0x1.9991e6p-3f);
    return kf_fma_f32(p, s, -0x1.55553ep-2f) * s;
}
KF_FN float kf_atan_f32(float x) {
    float a = kf_abs_f32(x);
    float m = kf_select_f32(a > 1.0f, -1.0f / a, a);
    float r = kf__beside(kf_select_f32(a > 1.0f, 1.0f, 0.0f), m, kf__atan_of(m * m));
    return kf__signed(r, x);
}
/* The angle of the smaller to the larger, reflected into the right octant. */
KF_FN float kf_atan2_f32(float y, float x) {
    float a = kf_abs_f32(y), b = kf_abs_f32(x);
    int steep = a > b, left = kf_bits_f32(x) < 0;
    float t = (steep ? b : a) / (steep ? a : b);
    t = kf_select_f32((a == kf_inf_f32) & (b == kf_inf_f32), 1.0f, t);
    t = kf_select_f32((a == 0) & (b == 0), 0.0f, t);
    float m = kf_select_f32(steep != left, -t, t);
    float quarters = kf_select_f32(steep, 1.0f, kf_select_f32(left, 2.0f, 0.0f));
    float r = kf_copysign_f32(kf__beside(quarters, m, kf__atan_of(t * t)), y);
    return kf_select_f32((x != x) | (y != y), x + y, r);
}
