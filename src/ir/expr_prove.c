/* Proofs that a polynomial is never negative.
 *
 * Names are >= 0, and >= 1 where an axis over them or a division by them is in sight (facts). Atoms
 * are replaced by their bounds, newest first, since an atom's bounds only have older ones:
 *
 *     axis      linear in it, so its least value is at one of the ends 0 and extent - 1
 *     x % n     0 and n - 1, or x
 *     x // n    n*(x//n) is in [x - n + 1, x], and p >= 0 is n*p >= -(n - 1) for integers
 *     min, max  one of the two
 *
 * until only names are left: with name = least + t, t >= 0, all coefficients must be >= 0. Each
 * step costs one of facts->budget; a proof that spends it has failed. */
#include "ir/poly.h"

enum { BUDGET = 400, FACT_DEPTH = 40, PROOF_DEPTH = 20 };

void kf__facts_init(kf__facts *facts) {
    memset(facts, 0, sizeof *facts);
    facts->budget = BUDGET;
}

static void learn(kf__facts *facts, kf__expr atom, int64_t least) {
    for (uint32_t i = 0; i < facts->n; i++) {
        if (facts->at[i].atom != atom) continue;
        facts->at[i].least = kf__max(facts->at[i].least, least);
        return;
    }
    if (facts->n == KF__FACTS) return;
    facts->at[facts->n].atom = atom;
    facts->at[facts->n++].least = least;
}

static int64_t least_of(const kf__facts *facts, kf__expr atom) {
    for (uint32_t i = 0; i < facts->n; i++)
        if (facts->at[i].atom == atom) return facts->at[i].least;
    return 0;
}

static bool leaf(const kf__exprs *pool, kf__expr atom) {
    uint8_t kind = kf__x_at(pool, atom)->kind;
    return kind == KF__X_NAME || kind == KF__X_AXIS || kind == KF__X_MOD;
}

void kf__facts_positive(const kf__exprs *pool, kf__facts *facts, kf__expr a) {
    kf__poly p;
    if (!kf__poly_of(pool, a, &p)) return;
    if (p.n == 0 || (p.n == 1 && p.term[0].n == 0 && p.term[0].c < 1)) facts->never = true;
    if (p.n == 0 || p.term[0].c < 1) return;
    for (uint32_t k = 0; k < p.term[0].n; k++)
        if (!leaf(pool, p.term[0].atom[k]) && kf__x_at(pool, p.term[0].atom[k])->kind != KF__X_DIV)
            return;
    if (p.n == 1) { /* a product: each factor, since none is negative */
        for (uint32_t k = 0; k < p.term[0].n; k++) learn(facts, p.term[0].atom[k], 1);
    } else if (p.n == 2 && p.term[0].n == 1 && p.term[1].n == 0 && p.term[1].c < 0 &&
               p.term[1].c > INT64_MIN + 1) { /* c * atom + d >= 1 */
        learn(facts, p.term[0].atom[0], kf__ceil_div(1 - p.term[1].c, p.term[0].c));
    }
}

static void gather(const kf__exprs *pool, kf__facts *facts, kf__expr a, int depth) {
    if (!a || depth == 0 || facts->budget <= BUDGET / 2) return;
    const kf__expr_node *x = kf__x_at(pool, a);
    if (x->kind <= KF__X_NAME) return;
    facts->budget--;
    if (x->kind == KF__X_AXIS || x->kind == KF__X_DIV || x->kind == KF__X_MOD)
        kf__facts_positive(pool, facts, x->b);
    gather(pool, facts, x->a, depth - 1);
    gather(pool, facts, x->b, depth - 1);
}

void kf__facts_of(const kf__exprs *pool, kf__facts *facts, kf__expr a) {
    gather(pool, facts, a, FACT_DEPTH);
    facts->budget = BUDGET;
}

/* ---------------------------------------------------------------- the proof */

static bool never_negative(const kf__exprs *pool, kf__facts *facts, kf__expr atom);

static bool never_negative_inside(const kf__exprs *pool, kf__facts *facts, kf__expr atom) {
    const kf__expr_node *x = kf__x_at(pool, atom);
    kf__poly p;
    if (x->kind == KF__X_MIN)
        return never_negative(pool, facts, x->a) && never_negative(pool, facts, x->b);
    if (x->kind == KF__X_MAX &&
        (never_negative(pool, facts, x->a) || never_negative(pool, facts, x->b)))
        return true;
    if (x->kind == KF__X_CONST) return x->value >= 0;
    if (x->kind == KF__X_MAX) return false;
    return kf__poly_of(pool, x->kind == KF__X_DIV ? x->a : atom, &p) &&
           (p.n == 0 || x->kind == KF__X_DIV || p.n > 1 || p.term[0].n > 1) &&
           kf__prove(pool, facts, &p);
}

static bool never_negative(const kf__exprs *pool, kf__facts *facts, kf__expr atom) {
    if (leaf(pool, atom)) return true;
    if (--facts->budget < 0 || facts->depth >= PROOF_DEPTH) return false;
    facts->depth++;
    bool proved = never_negative_inside(pool, facts, atom);
    facts->depth--;
    return proved;
}

/* 1: all terms >= 0; -1: all <= 0; 0: not known. */
static int sign_of(const kf__exprs *pool, kf__facts *facts, const kf__poly *p) {
    int sign = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        int s = p->term[i].c < 0 ? -1 : 1;
        if (sign && s != sign) return 0;
        sign = s;
        for (uint32_t k = 0; k < p->term[i].n; k++)
            if (!never_negative(pool, facts, p->term[i].atom[k])) return 0;
    }
    return sign ? sign : 1;
}

static bool any_least(const kf__facts *facts, const kf__term *t) {
    for (uint32_t k = 0; k < t->n; k++)
        if (least_of(facts, t->atom[k])) return true;
    return false;
}

/* With every atom as least + t, t >= 0: are all coefficients >= 0? */
static bool obvious(const kf__exprs *pool, kf__facts *facts, const kf__poly *p) {
    kf__poly sum;
    sum.n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        kf__poly product, next, factor;
        if (!any_least(facts, &p->term[i])) {
            if (!kf__poly_add_term(&sum, &p->term[i], 1)) return false;
            continue;
        }
        kf__poly_const(&product, p->term[i].c);
        for (uint32_t k = 0; k < p->term[i].n; k++) {
            kf__term t = {.c = 1, .n = 1, .atom = {p->term[i].atom[k]}};
            kf__poly_const(&factor, least_of(facts, t.atom[0]));
            next.n = 0;
            if (!kf__poly_add_term(&factor, &t, 1) ||
                !kf__poly_add_product(&next, &product, &factor))
                return false;
            product = next;
        }
        if (!kf__poly_add(&sum, &product, 1)) return false;
    }
    for (uint32_t i = 0; i < sum.n; i++)
        if (sum.term[i].c < 0) return false;
    return sign_of(pool, facts, &sum) == 1;
}

static kf__expr newest(const kf__exprs *pool, const kf__poly *p) {
    kf__expr best = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->term[i].n; k++) {
            kf__expr a = p->term[i].atom[k];
            if (a > best && kf__x_at(pool, a)->kind != KF__X_NAME) best = a;
        }
    return best;
}

/* c * with + r >= 0? */
static bool prove_with(const kf__exprs *pool, kf__facts *facts, const kf__poly *c,
                       const kf__poly *with, const kf__poly *r) {
    kf__poly p = *r;
    return kf__poly_add_product(&p, c, with) && kf__prove(pool, facts, &p);
}

static bool prove_with_expr(const kf__exprs *pool, kf__facts *facts, const kf__poly *c,
                            kf__expr with, const kf__poly *r) {
    kf__poly w;
    return kf__poly_of(pool, with, &w) && prove_with(pool, facts, c, &w, r);
}

/* At atom = extent - 1, an axis's or a MOD's largest value. */
static bool prove_at_end(const kf__exprs *pool, kf__facts *facts, const kf__poly *c,
                         kf__expr extent, const kf__poly *r) {
    kf__poly end, one;
    kf__poly_const(&one, 1);
    return kf__poly_of(pool, extent, &end) && kf__poly_add(&end, &one, -1) &&
           prove_with(pool, facts, c, &end, r);
}

/* atom = a // n */
static bool prove_div(const kf__exprs *pool, kf__facts *facts, const kf__poly *c, kf__expr atom,
                      const kf__poly *r, int sign) {
    const kf__expr_node *x = kf__x_at(pool, atom);
    kf__poly n, a, one, scaled = {0};
    kf__poly_const(&one, 1);
    if (sign == 0) return false;
    if (sign > 0 && never_negative(pool, facts, atom) && kf__prove(pool, facts, r)) return true;
    if (!kf__poly_of(pool, x->b, &n) || !kf__poly_of(pool, x->a, &a)) return false;
    if (sign > 0 && (!kf__poly_add(&a, &n, -1) || !kf__poly_add(&a, &one, 1))) return false;
    return kf__poly_add_product(&scaled, &n, r) && kf__poly_add(&scaled, &n, 1) &&
           kf__poly_add(&scaled, &one, -1) && prove_with(pool, facts, c, &a, &scaled);
}

static bool prove_without(const kf__exprs *pool, kf__facts *facts, const kf__poly *c,
                          kf__expr atom, const kf__poly *r) {
    const kf__expr_node *x = kf__x_at(pool, atom);
    int sign = sign_of(pool, facts, c);
    bool first;
    switch (x->kind) {
    case KF__X_AXIS:
        return (sign < 0 || kf__prove(pool, facts, r)) &&
               (sign > 0 || prove_at_end(pool, facts, c, x->b, r));
    case KF__X_MOD:
        if (sign >= 0 && !kf__prove(pool, facts, r)) return false;
        if (sign > 0 || prove_at_end(pool, facts, c, x->b, r)) return true;
        kf__poly a;
        return sign < 0 && kf__poly_of(pool, x->a, &a) && kf__prove(pool, facts, &a) &&
               prove_with(pool, facts, c, &a, r);
    case KF__X_DIV: return prove_div(pool, facts, c, atom, r, sign);
    case KF__X_MIN:
    case KF__X_MAX:
        /* p is p(a) or p(b); one suffices where the other can only be larger */
        first = prove_with_expr(pool, facts, c, x->a, r);
        if (first && sign == (x->kind == KF__X_MAX ? 1 : -1)) return true;
        if (!first && sign != (x->kind == KF__X_MAX ? 1 : -1)) return false;
        return prove_with_expr(pool, facts, c, x->b, r);
    default: return false;
    }
}

bool kf__prove(const kf__exprs *pool, kf__facts *facts, const kf__poly *p) {
    if (facts->never || p->n == 0) return true;
    if (--facts->budget < 0 || facts->depth >= PROOF_DEPTH) return false;
    if (p->n == 1 && p->term[0].n == 0) return p->term[0].c >= 0;
    if (obvious(pool, facts, p)) return true;
    kf__poly c, r;
    kf__expr atom = newest(pool, p);
    if (!atom || !kf__poly_split(p, atom, &c, &r)) return false;
    facts->depth++;
    bool proved = prove_without(pool, facts, &c, atom, &r);
    facts->depth--;
    return proved;
}
