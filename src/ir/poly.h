/* Expressions as polynomials over atoms, for canonicalising and for proofs. Only expr*.c use it.
 *
 *     3*N*i + j + 2   ->   terms [3: N i] [1: j] [2: ]
 *
 * An atom is a name, an axis, or a DIV, MOD, MIN or MAX. Terms are sorted: higher degree first,
 * then by the ids of their atoms (themselves sorted); no term has coefficient 0. Functions give
 * false where int64 or the fixed room doesn't suffice; the caller then leaves the expression as it
 * was written.
 */
#ifndef KFUSE_IR_POLY_H
#define KFUSE_IR_POLY_H

#include "ir/expr.h"

enum { KF__POLY_DEGREE = 10, KF__POLY_TERMS = 48, KF__FACTS = 24 };

typedef struct kf__term {
    int64_t c;
    uint32_t n;
    kf__expr atom[KF__POLY_DEGREE]; /* [n], ascending */
} kf__term;

typedef struct kf__poly {
    uint32_t n;
    kf__term term[KF__POLY_TERMS];
} kf__poly;

static inline const kf__expr_node *kf__x_at(const kf__exprs *pool, kf__expr a) {
    return &pool->nodes.at[a];
}

/* This very node, made once. */
kf__expr kf__x_raw(kf__exprs *pool, kf__expr_node x);
/* For what couldn't be canonicalised: at least the order of operands doesn't matter. */
kf__expr kf__x_sorted(kf__exprs *pool, kf__expr_kind kind, kf__expr a, kf__expr b);

/* What is made of two expressions takes polynomials and proofs, and while kernels are tried the same
 * is asked over and over. So answers are kept, direct-mapped, as many as the pool has room for
 * expressions; an answer that is 0 isn't. */
typedef enum kf__question {
    KF__ASK_SUM, KF__ASK_DIFFERENCE, KF__ASK_PRODUCT, KF__ASK_QUOTIENT, KF__ASK_REST,
    KF__ASK_AT_MOST, KF__ASK_BELOW,
} kf__question;

typedef struct kf__known {
    kf__expr a, b, is;
    kf__question asked;
} kf__known;

typedef kf__expr kf__answer(kf__exprs *pool, kf__expr a, kf__expr b);
kf__expr kf__x_ask(kf__exprs *pool, kf__question asked, kf__expr a, kf__expr b, kf__answer *answer);

bool kf__poly_of(const kf__exprs *pool, kf__expr a, kf__poly *out);
kf__expr kf__poly_expr(kf__exprs *pool, const kf__poly *p);
void kf__poly_const(kf__poly *p, int64_t value);
bool kf__poly_add_term(kf__poly *p, const kf__term *t, int64_t factor);
bool kf__poly_add(kf__poly *p, const kf__poly *q, int64_t factor); /* p += factor * q */
bool kf__term_mul(const kf__term *a, const kf__term *b, kf__term *out);
bool kf__term_div(const kf__term *a, const kf__term *b, kf__term *out); /* exactly, else false */
bool kf__poly_add_product(kf__poly *p, const kf__poly *a, const kf__poly *b); /* p += a * b */
/* p = c * atom + r, both without atom. False if p has a power of it. */
bool kf__poly_split(const kf__poly *p, kf__expr atom, kf__poly *c, kf__poly *r);

/* What is known where an expression is evaluated: its axes aren't empty, divisors are positive. */
typedef struct kf__facts {
    struct {
        kf__expr atom;
        int64_t least;
    } at[KF__FACTS];
    uint32_t n;
    int budget; /* steps left: a proof gives up when it is spent */
    int depth;  /* of the proof now: it is recursive, and its polynomials are on the stack */
    bool never; /* an axis is empty: the expression is never evaluated */
} kf__facts;

void kf__facts_init(kf__facts *facts);
void kf__facts_of(const kf__exprs *pool, kf__facts *facts, kf__expr a);
void kf__facts_positive(const kf__exprs *pool, kf__facts *facts, kf__expr a); /* a >= 1 */
/* Is p >= 0 always? True only where it can be proved. */
bool kf__prove(const kf__exprs *pool, kf__facts *facts, const kf__poly *p);

#endif
