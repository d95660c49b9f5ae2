/* What is less, as far as it can be proved, and what is made of it: minimum, maximum, places that
 * count from the end. */
#include "ir/poly.h"

/* b - a - by. False: too large for a polynomial. */
static bool less_by(kf__exprs *pool, kf__expr a, kf__expr b, int64_t by, kf__poly *p) {
    kf__poly q, offset;
    kf__poly_const(&offset, by);
    return kf__poly_of(pool, a, &q) && kf__poly_of(pool, b, p) && kf__poly_add(p, &q, -1) &&
           kf__poly_add(p, &offset, -1);
}

static bool prove_less(kf__exprs *pool, kf__expr a, kf__expr b, int64_t by) {
    kf__poly p;
    kf__facts facts;
    if (!less_by(pool, a, b, by, &p)) return false;
    kf__facts_init(&facts);
    kf__facts_of(pool, &facts, a);
    kf__facts_of(pool, &facts, b);
    return kf__prove(pool, &facts, &p);
}

/* a <= b, a < b: 1 no, or not known, 2 yes. */
static kf__expr prove_at_most(kf__exprs *pool, kf__expr a, kf__expr b) {
    return prove_less(pool, a, b, 0) ? 2 : 1;
}
static kf__expr prove_below(kf__exprs *pool, kf__expr a, kf__expr b) {
    return prove_less(pool, a, b, 1) ? 2 : 1;
}

static bool at_most(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_AT_MOST, a, b, prove_at_most) == 2;
}

bool kf__x_below(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_BELOW, a, b, prove_below) == 2;
}

bool kf__x_positive_where(kf__exprs *pool, kf__expr a, const kf__expr *positive, uint32_t n) {
    kf__poly p;
    kf__facts facts;
    if (!less_by(pool, kf__x_const(pool, 0), a, 1, &p)) return false;
    kf__facts_init(&facts);
    for (uint32_t i = 0; i < n; i++) kf__facts_positive(pool, &facts, positive[i]);
    return kf__prove(pool, &facts, &p);
}

kf__expr kf__x_min(kf__exprs *pool, kf__expr a, kf__expr b) {
    if (!a || !b) return 0;
    if (a == b || at_most(pool, a, b)) return a;
    if (at_most(pool, b, a)) return b;
    return kf__x_sorted(pool, KF__X_MIN, a, b);
}

kf__expr kf__x_max(kf__exprs *pool, kf__expr a, kf__expr b) {
    if (!a || !b) return 0;
    if (a == b || at_most(pool, a, b)) return b;
    if (at_most(pool, b, a)) return a;
    return kf__x_sorted(pool, KF__X_MAX, a, b);
}

/* A common factor would hide what floors make whole: 64 * ((max(n, 1) + 63) // 64) - 64. */
static bool is_natural(kf__exprs *pool, kf__expr a) {
    kf__poly p;
    kf__facts facts;
    int64_t factor = 0;
    if (!kf__poly_of(pool, a, &p)) return false;
    for (uint32_t i = 0; i < p.n; i++) {
        int64_t c = p.term[i].c;
        if (c == INT64_MIN) return false;
        for (c = c < 0 ? -c : c; c;) {
            int64_t rest = factor % c;
            factor = c;
            c = rest;
        }
    }
    for (uint32_t i = 0; i < p.n; i++) p.term[i].c /= factor;
    kf__facts_init(&facts);
    kf__facts_of(pool, &facts, a);
    return kf__prove(pool, &facts, &p);
}

kf__expr kf__x_wrapped(kf__exprs *pool, kf__expr a, kf__expr n, int64_t least) {
    kf__expr minus = kf__x_const(pool, -1), zero = kf__x_const(pool, 0);
    if (!a || is_natural(pool, a)) return a;
    kf__expr below = kf__x_min(pool, kf__x_max(pool, a, minus), zero); /* -1 where it is, else 0 */
    kf__expr from_0 = kf__x_sub(pool, a, kf__x_mul(pool, below, n));
    return kf__x_max(pool, from_0, kf__x_const(pool, least));
}
