/* What reductions and random numbers need, one text for all dialects (see prelude_common.h). */

/* ---------------------------------------------------------------- reductions: reductions.def */

#define KF_REDUCTIONS(N, T)                                                                   \
    KF_FN T kf_square_##N(T a) { return a * a; }                                              \
    KF_FN T kf_mean_of_##N(T sum, T n) { return n > 0 ? sum / n : (T)0; }                     \
    KF_FN T kf_merge_mean_##N(T p, T q, T np, T nq) {                                         \
        T n = np + nq, d = q - p, w = n > 0 ? nq / n : (T)0;                                  \
        T r = kf_isfinite_##N(d) ? p + d * w : p + q; /* infinities stay */                   \
        r = nq > 0 ? r : p;                                                                   \
        return np > 0 ? r : q;                                                                \
    }                                                                                         \
    KF_FN T kf_merge_m2_##N(T p, T p2, T q, T q2, T np, T nq) {                               \
        T n = np + nq, d = q - p;                                                             \
        T r = p2 + (q2 + d * d * (np > 0 && nq > 0 ? np * (nq / n) : (T)0));                  \
        r = nq > 0 ? r : p2;                                                                  \
        return np > 0 ? r : q2;                                                               \
    }                                                                                         \
    KF_FN T kf_merge_sumexp_##N(T p, T ps, T q, T qs) {                                       \
        T m = kf_max_##N(p, q);                                                               \
        return ps * kf_exp_below_##N(p, m) + qs * kf_exp_below_##N(q, m);                     \
    }
/* exp(x - m) where x <= m; 1 where they are equal, infinities included. */
KF_FN float kf_exp_below_f32(float x, float m) {
    return kf_select_f32(x == m, 1.0f, kf_exp_nonpositive_f32(x - m));
}
KF_FN double kf_exp_nonpositive_f64(double x) { return kf_exp_f64(x); }
KF_FN double kf_exp_below_f64(double x, double m) { return x == m ? 1.0 : kf_exp_f64(x - m); }
KF_REDUCTIONS(f32, float)
KF_REDUCTIONS(f64, double)

/* log(exp(a) + exp(b)); of two equal infinities it is that one. */
#define KF_LOGADDEXP(N, T)                                                                    \
    KF_FN T kf_logaddexp_##N(T a, T b) {                                                      \
        T m = kf_max_##N(a, b);                                                               \
        return m + kf_log1p_##N(kf_exp_below_##N(kf_min_##N(a, b), m));                       \
    }
KF_LOGADDEXP(f32, float)
KF_LOGADDEXP(f64, double)

/* Is x the extreme s? Of two sets with extremes p and q at pi and qi: where their extreme m is
 * first. */
#define KF_ARG(N, T)                                                                          \
    KF_FN int kf_is_##N(T x, T s) { return (x == s) | ((x != x) & (s != s)); }                \
    KF_FN int64_t kf_first_##N(T m, T p, int64_t pi, T q, int64_t qi) {                       \
        int64_t a = kf_is_##N(p, m) ? pi : kf_highest_i64;                                    \
        int64_t b = kf_is_##N(q, m) ? qi : kf_highest_i64;                                    \
        return a < b ? a : b;                                                                 \
    }
KF_ARG(f64, double)
KF_ARG(f32, float)
KF_ARG(i64, int64_t)
KF_ARG(i32, int32_t)
KF_ARG(i16, int16_t)
KF_ARG(i8, int8_t)
KF_ARG(u8, uint8_t)
KF_ARG(bool, int)

/* ---------------------------------------------------------------- random numbers */

/* Philox4x32-10 (Salmon et al. 2011). Counter words: block low and high, stream low and high; key:
 * the seed. */
KF_FN void kf__philox(int64_t seed, int64_t stream, uint64_t block, uint32_t *w) {
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)((uint64_t)seed >> 32);
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)((uint64_t)stream >> 32);
    KF_UNROLL
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)c0 * 0xD2511F53u, b = (uint64_t)c2 * 0xCD9E8D57u;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    w[0] = c0;
    w[1] = c1;
    w[2] = c2;
    w[3] = c3;
}
KF_FN int32_t kf_philox_word(int64_t seed, int64_t stream, int64_t index) {
    uint32_t w[4];
    kf__philox(seed, stream, (uint64_t)index >> 2, w);
    uint32_t even = index & 2 ? w[2] : w[0], odd = index & 2 ? w[3] : w[1];
    return (int32_t)(index & 1 ? odd : even);
}
/* Words index to index + 3, of one counter or two. A pack may begin before the array, at an index
 * below 0, where nobody asks for its first words. */
KF_FN void kf_philox4(int64_t seed, int64_t stream, int64_t index, int32_t *r) {
    uint32_t w[8];
    int64_t block = index >> 2;
    kf__philox(seed, stream, (uint64_t)block, w);
    if (index & 3) {
        kf__philox(seed, stream, (uint64_t)(block + 1), w + 4);
        KF_UNROLL
        for (int i = 0; i < 5; i++) w[i] = index & 2 ? w[i + 2] : w[i];
        KF_UNROLL
        for (int i = 0; i < 4; i++) w[i] = index & 1 ? w[i + 1] : w[i];
    }
    KF_UNROLL
    for (int i = 0; i < 4; i++) r[i] = (int32_t)w[i];
}
KF_FN void kf_philox2(int64_t seed, int64_t stream, int64_t index, int32_t *r) {
    uint32_t w[4];
    kf__philox(seed, stream, (uint64_t)index >> 2, w);
    r[0] = (int32_t)(index & 2 ? w[2] : w[0]);
    r[1] = (int32_t)(index & 2 ? w[3] : w[1]);
    if (index & 1) {
        r[0] = r[1];
        r[1] = index & 2 ? kf_philox_word(seed, stream, index + 1) : (int32_t)w[2];
    }
}
/* 64 bits an element: words 2 index and 2 index + 1, the lower half first. */
KF_FN int64_t kf_philox_wide(int64_t seed, int64_t stream, int64_t index) {
    uint32_t w[4];
    kf__philox(seed, stream, (uint64_t)index >> 1, w);
    uint32_t low = index & 1 ? w[2] : w[0], high = index & 1 ? w[3] : w[1];
    return (int64_t)((uint64_t)high << 32 | low);
}
KF_FN void kf_philox2_wide(int64_t seed, int64_t stream, int64_t index, int64_t *r) {
    uint32_t w[4];
    kf__philox(seed, stream, (uint64_t)index >> 1, w);
    r[0] = (int64_t)((uint64_t)w[1] << 32 | w[0]);
    r[1] = (int64_t)((uint64_t)w[3] << 32 | w[2]);
    if (index & 1) r[0] = r[1], r[1] = kf_philox_wide(seed, stream, index + 1);
}
KF_FN float kf_uniform_bits_i32(int32_t w) {
    return (float)(int32_t)((uint32_t)w >> 8) * 0x1p-24f;
}
KF_FN double kf_uniform_bits_i64(int64_t w) {
    return (double)(int64_t)((uint64_t)w >> 11) * 0x1p-53;
}
/* In (0, 1]: never 0, for logarithms, and finely divided near it. */
KF_FN float kf_open_bits_i32(int32_t w) { return ((float)(uint32_t)w + 0.5f) * 0x1p-32f; }
KF_FN double kf_open_bits_i64(int64_t w) {
    return ((double)(int64_t)((uint64_t)w >> 11) + 0.5) * 0x1p-53;
}
/* The upper half of the product; n <= 0: 0. */
KF_FN int64_t kf_below_bits(int64_t w, int64_t n) {
    uint64_t m = n > 0 ? (uint64_t)n : 0, w0 = (uint32_t)w, w1 = (uint64_t)w >> 32;
    uint64_t m0 = (uint32_t)m, m1 = m >> 32;
    uint64_t low = w0 * m0, a = w1 * m0 + (low >> 32), b = w0 * m1 + (uint32_t)a;
    return (int64_t)(w1 * m1 + (a >> 32) + (b >> 32));
}
/* floor(p 2^32), in [0, 2^32]; NaN: 0. */
KF_FN int64_t kf_keep_limit(double p) {
    double x = p == p ? p : 0.0;
    x = x < 0.0 ? 0.0 : x;
    x = x > 1.0 ? 1.0 : x;
    return (int64_t)kf_floor_f64(x * 0x1p32);
}
KF_FN int kf_keep_bits(int32_t w, int64_t limit) {
    return ((uint32_t)w >= (uint32_t)limit) & (limit <= 0xffffffff);
}
