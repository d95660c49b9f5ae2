/* What is done with finished expressions: values, substitution, splitting into strides, printing.
 *
 * Expressions are DAGs: walks remember what they did in a small cache, direct-mapped by id, so that
 * shared parts aren't walked again and again. */
#include "ir/poly.h"

enum { CACHE = 256 };

/* ---------------------------------------------------------------- back to expressions */

static kf__expr node(kf__exprs *pool, kf__expr_kind kind, kf__expr a, kf__expr b) {
    return kf__x_raw(pool, (kf__expr_node){.kind = (uint8_t)kind, .a = a, .b = b});
}

static kf__expr term_expr(kf__exprs *pool, const kf__term *t) {
    if (t->n == 0) return kf__x_const(pool, t->c);
    kf__expr e = t->atom[0];
    for (uint32_t k = 1; k < t->n && e; k++) e = node(pool, KF__X_MUL, e, t->atom[k]);
    if (t->c == 1 || !e) return e;
    kf__expr c = kf__x_const(pool, t->c);
    return c ? node(pool, KF__X_MUL, e, c) : 0;
}

kf__expr kf__poly_expr(kf__exprs *pool, const kf__poly *p) {
    if (p->n == 0) return kf__x_const(pool, 0);
    kf__expr sum = term_expr(pool, &p->term[0]);
    for (uint32_t i = 1; i < p->n && sum; i++) {
        kf__expr t = term_expr(pool, &p->term[i]);
        sum = t ? node(pool, KF__X_ADD, sum, t) : 0;
    }
    return sum;
}

/* ---------------------------------------------------------------- substitution */

typedef struct substitution {
    kf__exprs *pool;
    uint8_t kind; /* NAME or AXIS */
    const kf__expr *with;
    uint32_t n;
    kf__expr from[CACHE], to[CACHE];
} substitution;

static kf__expr make(kf__exprs *pool, kf__expr_node x, kf__expr a, kf__expr b) {
    switch (x.kind) {
    case KF__X_AXIS: return kf__x_axis(pool, (uint32_t)x.value, b);
    case KF__X_ADD: return kf__x_add(pool, a, b);
    case KF__X_MUL: return kf__x_mul(pool, a, b);
    case KF__X_DIV: return kf__x_div(pool, a, b);
    case KF__X_MOD: return kf__x_mod(pool, a, b);
    case KF__X_MIN: return kf__x_min(pool, a, b);
    case KF__X_MAX: return kf__x_max(pool, a, b);
    default: return 0;
    }
}

static kf__expr substitute(substitution *s, kf__expr a) {
    if (!a) return 0;
    kf__expr_node x = *kf__x_at(s->pool, a);
    if (x.kind == s->kind && x.value < s->n && s->with[x.value]) return s->with[x.value];
    if (x.kind == KF__X_CONST || x.kind == KF__X_NAME) return a;
    if (x.kind == KF__X_AXIS && s->kind == KF__X_AXIS) return a;
    uint32_t slot = a % CACHE;
    if (s->from[slot] == a) return s->to[slot];
    kf__expr l = x.a ? substitute(s, x.a) : 0, r = substitute(s, x.b);
    if ((x.a && !l) || !r) return 0;
    kf__expr e = l == x.a && r == x.b ? a : make(s->pool, x, l, r);
    s->from[slot] = a;
    s->to[slot] = e;
    return e;
}

kf__expr kf__x_substitute(kf__exprs *pool, kf__expr a, const kf__expr *with, uint32_t n) {
    substitution s = {.pool = pool, .kind = KF__X_AXIS, .with = with, .n = n};
    return substitute(&s, a);
}

kf__expr kf__x_rename(kf__exprs *pool, kf__expr a, const kf__expr *with, uint32_t n) {
    if (!a) return 0;
    const kf__expr_node *x = kf__x_at(pool, a); /* most are a name or a number: no table for them */
    if (x->kind == KF__X_CONST) return a;
    if (x->kind == KF__X_NAME) return x->value < n && with[x->value] ? with[x->value] : a;
    substitution s = {.pool = pool, .kind = KF__X_NAME, .with = with, .n = n};
    return substitute(&s, a);
}

/* ---------------------------------------------------------------- affine */

typedef struct axis_search {
    const kf__exprs *pool;
    kf__expr none[CACHE]; /* known to have no axis */
} axis_search;

static bool has_axis(axis_search *s, kf__expr a) {
    const kf__expr_node *x = kf__x_at(s->pool, a);
    if (x->kind <= KF__X_NAME) return false;
    if (x->kind == KF__X_AXIS) return true;
    if (s->none[a % CACHE] == a) return false;
    if (has_axis(s, x->a) || has_axis(s, x->b)) return true;
    s->none[a % CACHE] = a;
    return false;
}

bool kf__x_affine(kf__exprs *pool, kf__expr a, uint32_t n, kf__expr *coefficient,
                  kf__expr *offset) {
    axis_search search = {.pool = pool};
    kf__poly p, part, rest = {0};
    memset(coefficient, 0, n * sizeof *coefficient);
    *offset = 0;
    if (!kf__poly_of(pool, a, &p)) return false;
    for (uint32_t i = 0; i < p.n; i++) {
        kf__term t = p.term[i];
        kf__expr *to = NULL;
        for (uint32_t k = 0; k < t.n;) {
            const kf__expr_node *x = kf__x_at(pool, t.atom[k]);
            if (x->kind != KF__X_AXIS) {
                if (has_axis(&search, t.atom[k++])) return false;
                continue;
            }
            if (to || x->value >= n) return false;
            to = &coefficient[x->value];
            t.n--;
            memmove(&t.atom[k], &t.atom[k + 1], (t.n - k) * sizeof(kf__expr));
        }
        if (!to) {
            if (!kf__poly_add_term(&rest, &t, 1)) return false;
            continue;
        }
        part.n = 1;
        part.term[0] = t;
        kf__expr e = kf__poly_expr(pool, &part);
        *to = *to ? kf__x_add(pool, *to, e) : e;
        if (!*to) return false;
    }
    *offset = kf__poly_expr(pool, &rest);
    return *offset != 0;
}

/* size * high + low; of n // size + k and n % size that is n + size * k. */
static kf__expr join(kf__exprs *pool, kf__expr high, kf__expr size, kf__expr low) {
    kf__expr_node mod = pool->nodes.at[low];
    if (mod.kind == KF__X_MOD && mod.b == size) {
        high = kf__x_sub(pool, high, kf__x_div(pool, mod.a, size));
        low = mod.a;
    }
    return kf__x_add(pool, kf__x_mul(pool, high, size), low);
}

kf__expr kf__x_place(kf__exprs *pool, uint32_t rank, const kf__expr *index, const kf__expr *shape) {
    kf__expr at = rank ? index[0] : kf__x_const(pool, 0);
    for (uint32_t d = 1; d < rank; d++) at = join(pool, at, shape[d], index[d]);
    return at;
}

/* ---------------------------------------------------------------- values */

typedef struct evaluation {
    const kf__exprs *pool;
    const int64_t *names, *axes;
    bool place; /* a division by what isn't above 0 is 0 */
    kf__expr from[CACHE];
    int64_t to[CACHE];
} evaluation;

/* What was proved of quotients and remainders holds for divisors above 0 only: x % b is no index of
 * anything where b is y.shape[0] - 10, and that is less. */
static bool divide(const evaluation *e, int64_t a, int64_t b, bool rest, int64_t *out) {
    *out = 0;
    if (b <= 0) return e->place;
    int64_t r = a % b;
    bool down = r < 0;
    *out = rest ? r + (down ? b : 0) : a / b - down;
    return true;
}

static bool value_of(evaluation *e, kf__expr id, int64_t *out);

static bool value_of_pair(evaluation *e, const kf__expr_node *x, int64_t *out) {
    int64_t a, b;
    if (!value_of(e, x->a, &a) || !value_of(e, x->b, &b)) return false;
    switch (x->kind) {
    case KF__X_ADD: return kf__add_ok(a, b, out);
    case KF__X_MUL: return kf__mul_ok(a, b, out);
    case KF__X_DIV: return divide(e, a, b, false, out);
    case KF__X_MOD: return divide(e, a, b, true, out);
    case KF__X_MIN: *out = kf__min(a, b); return true;
    case KF__X_MAX: *out = kf__max(a, b); return true;
    default: return false;
    }
}

static bool value_of(evaluation *e, kf__expr id, int64_t *out) {
    const kf__expr_node *x = kf__x_at(e->pool, id);
    uint32_t slot = id % CACHE;
    switch (x->kind) {
    case KF__X_NONE: return false;
    case KF__X_CONST: *out = x->value; return true;
    case KF__X_NAME:
        if (!e->names || e->names[x->value] < 0) return false;
        *out = e->names[x->value];
        return true;
    case KF__X_AXIS:
        if (!e->axes) return false;
        *out = e->axes[x->value];
        return true;
    default: break;
    }
    if (e->from[slot] == id) {
        *out = e->to[slot];
        return true;
    }
    if (!value_of_pair(e, x, out)) return false;
    e->from[slot] = id;
    e->to[slot] = *out;
    return true;
}

bool kf__x_eval(const kf__exprs *pool, kf__expr a, const int64_t *names, const int64_t *axes,
                int64_t *out) {
    if (kf__x_is_const(pool, a, out)) return true;
    evaluation e = {.pool = pool, .names = names, .axes = axes};
    return value_of(&e, a, out);
}

bool kf__x_eval_place(const kf__exprs *pool, kf__expr a, const int64_t *names, int64_t *out) {
    evaluation e = {.pool = pool, .names = names, .place = true};
    return value_of(&e, a, out);
}

/* ---------------------------------------------------------------- text */

enum { LOOSE, SUM, PRODUCT };

static void print(const kf__exprs *pool, kf__expr a, kf__text *text, int around, int most);

/* Of more than so many leaves only that there is something. */
static void print_part(const kf__exprs *pool, kf__expr a, kf__text *text, int around, int most) {
    if (kf__x_at(pool, a)->leaves > most)
        kf__print(text, "...");
    else
        print(pool, a, text, around, most);
}

static void print(const kf__exprs *pool, kf__expr a, kf__text *text, int around, int most) {
    static const char *const operators[] = {
        [KF__X_ADD] = " + ", [KF__X_MUL] = "*", [KF__X_DIV] = "//", [KF__X_MOD] = " % "};
    const kf__expr_node *x = kf__x_at(pool, a);
    int own = x->kind == KF__X_ADD ? SUM : PRODUCT;
    switch (x->kind) {
    case KF__X_NONE: kf__print(text, "?"); return;
    case KF__X_CONST:
        kf__print(text, around == PRODUCT && x->value < 0 ? "(%lld)" : "%lld", (long long)x->value);
        return;
    case KF__X_NAME: kf__print(text, "%s", pool->names.at[x->value]); return;
    case KF__X_AXIS: kf__print(text, "i%lld", (long long)x->value); return;
    case KF__X_MIN:
    case KF__X_MAX:
        kf__print(text, x->kind == KF__X_MIN ? "min(" : "max(");
        print_part(pool, x->a, text, LOOSE, most);
        kf__print(text, ", ");
        print_part(pool, x->b, text, LOOSE, most);
        kf__print(text, ")");
        return;
    default: break;
    }
    bool division = x->kind == KF__X_DIV || x->kind == KF__X_MOD;
    bool brackets = around == PRODUCT && (own == SUM || division);
    int64_t c;
    if (brackets) kf__print(text, "(");
    print_part(pool, x->a, text, own, most);
    if (x->kind == KF__X_ADD && kf__x_is_const(pool, x->b, &c) && c < 0 && c > INT64_MIN) {
        kf__print(text, " - %lld", (long long)-c);
    } else {
        kf__print(text, "%s", operators[x->kind]);
        bool tight = division && kf__x_at(pool, x->b)->kind == KF__X_MUL; /* a//(b*c) */
        if (tight) kf__print(text, "(");
        print_part(pool, x->b, text, own, most);
        if (tight) kf__print(text, ")");
    }
    if (brackets) kf__print(text, ")");
}

void kf__x_print(const kf__exprs *pool, kf__expr a, kf__text *text) {
    print(pool, a, text, LOOSE, kf__x_at(pool, a)->leaves < 255 ? 254 : 16);
}
