/* Polynomials over atoms (poly.h): from expressions and back, sums, products, exact division. */
#include "ir/poly.h"

static int compare(const kf__term *a, const kf__term *b) {
    if (a->n != b->n) return a->n > b->n ? -1 : 1;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->atom[i] != b->atom[i]) return a->atom[i] < b->atom[i] ? -1 : 1;
    return 0;
}

void kf__poly_const(kf__poly *p, int64_t value) {
    p->n = value != 0;
    p->term[0].c = value;
    p->term[0].n = 0;
}

/* *from: p's terms before it are before t; then how many are. */
static bool add_term_from(kf__poly *p, const kf__term *t, int64_t factor, uint32_t *from) {
    int64_t c;
    if (!kf__mul_ok(t->c, factor, &c)) return false;
    if (c == 0) return true;
    uint32_t i = *from;
    int order = 1;
    while (i < p->n && (order = compare(&p->term[i], t)) < 0) i++;
    *from = i;
    if (i < p->n && order == 0) {
        if (!kf__add_ok(p->term[i].c, c, &p->term[i].c)) return false;
        if (p->term[i].c == 0) {
            p->n--;
            memmove(&p->term[i], &p->term[i + 1], (p->n - i) * sizeof(kf__term));
        }
        return true;
    }
    if (p->n == KF__POLY_TERMS) return false;
    memmove(&p->term[i + 1], &p->term[i], (p->n - i) * sizeof(kf__term));
    p->n++;
    p->term[i] = *t;
    p->term[i].c = c;
    return true;
}

bool kf__poly_add_term(kf__poly *p, const kf__term *t, int64_t factor) {
    uint32_t from = 0;
    return add_term_from(p, t, factor, &from);
}

bool kf__poly_add(kf__poly *p, const kf__poly *q, int64_t factor) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < q->n; i++)
        if (!add_term_from(p, &q->term[i], factor, &from)) return false;
    return true;
}

bool kf__term_mul(const kf__term *a, const kf__term *b, kf__term *out) {
    kf__term r;
    if (a->n + b->n > KF__POLY_DEGREE || !kf__mul_ok(a->c, b->c, &r.c)) return false;
    uint32_t i = 0, k = 0;
    r.n = 0;
    while (i < a->n || k < b->n)
        if (k == b->n || (i < a->n && a->atom[i] <= b->atom[k]))
            r.atom[r.n++] = a->atom[i++];
        else
            r.atom[r.n++] = b->atom[k++];
    *out = r;
    return true;
}

bool kf__term_div(const kf__term *a, const kf__term *b, kf__term *out) {
    if (b->c == 0 || (b->c == -1 && a->c == INT64_MIN) || a->c % b->c != 0) return false;
    kf__term r = {.c = a->c / b->c};
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (k < b->n && a->atom[i] == b->atom[k])
            k++;
        else
            r.atom[r.n++] = a->atom[i];
    if (k < b->n) return false;
    *out = r;
    return true;
}

bool kf__poly_add_product(kf__poly *p, const kf__poly *a, const kf__poly *b) {
    kf__term t;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            if (!kf__term_mul(&a->term[i], &b->term[k], &t) || !kf__poly_add_term(p, &t, 1))
                return false;
    return true;
}

bool kf__poly_split(const kf__poly *p, kf__expr atom, kf__poly *c, kf__poly *r) {
    kf__term one = {.c = 1, .n = 1, .atom = {atom}}, q;
    c->n = r->n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!kf__term_div(&p->term[i], &one, &q)) {
            if (!kf__poly_add_term(r, &p->term[i], 1)) return false;
            continue;
        }
        for (uint32_t k = 0; k < q.n; k++)
            if (q.atom[k] == atom) return false;
        if (!kf__poly_add_term(c, &q, 1)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- from and to expressions */

static bool factors_of(const kf__exprs *pool, kf__expr a, kf__term *t) {
    const kf__expr_node *x = kf__x_at(pool, a);
    if (x->kind == KF__X_MUL) return factors_of(pool, x->a, t) && factors_of(pool, x->b, t);
    if (x->kind == KF__X_CONST) return kf__mul_ok(t->c, x->value, &t->c);
    kf__term atom = {.c = 1, .n = 1, .atom = {a}};
    return x->kind != KF__X_ADD && x->kind != KF__X_NONE && kf__term_mul(t, &atom, t);
}

/* Only chains of the canonical form get far: any other MUL holds an ADD or overflows. */
static bool add_terms_of(const kf__exprs *pool, kf__expr a, kf__poly *p) {
    for (; kf__x_at(pool, a)->kind == KF__X_ADD; a = kf__x_at(pool, a)->a) {
        kf__term t = {.c = 1};
        kf__expr b = kf__x_at(pool, a)->b;
        if (!factors_of(pool, b, &t) || !kf__poly_add_term(p, &t, 1)) return false;
    }
    kf__term t = {.c = 1};
    return factors_of(pool, a, &t) && kf__poly_add_term(p, &t, 1);
}

bool kf__poly_of(const kf__exprs *pool, kf__expr a, kf__poly *out) {
    out->n = 0;
    return a && add_terms_of(pool, a, out);
}
