/* The pool of expressions and its makers, which canonicalise.
 *
 * Sums and products are brought to a polynomial (poly.h) and written back as one chain:
 *
 *     ADD(ADD(MUL(MUL(N, i), 3), j), 2)      3*N*i + j + 2
 *
 * Floor division of p by n > 0 takes out what n divides, p = q*n + r, which holds whatever r is:
 * p//n = q + r//n and p%n = r%n. Then ranges may prove 0 <= r < n (or -n <= r < 0), or find a
 * divisor g of n with r = g*s + t and 0 <= t < g: then r//n = s//(n/g) and r%n = g*(s%(n/g)) + t.
 */
#include "ir/poly.h"

/* ---------------------------------------------------------------- the pool */

void kf__exprs_init(kf__exprs *pool, const kf_allocator *mem) {
    memset(pool, 0, sizeof *pool);
    pool->mem = mem;
    pool->failed = !KF__PUSH(mem, &pool->nodes, (kf__expr_node){0});
}

void kf__exprs_free(kf__exprs *pool) {
    for (uint32_t i = 0; i < pool->names.n; i++) kf__release(pool->mem, pool->names.at[i]);
    KF__VEC_FREE(pool->mem, &pool->names);
    KF__VEC_FREE(pool->mem, &pool->nodes);
    kf__release(pool->mem, pool->table);
    kf__release(pool->mem, pool->name_table);
    kf__release(pool->mem, pool->known);
    pool->table = pool->name_table = NULL;
    pool->known = NULL;
    pool->table_size = pool->name_slots = 0;
}

static uint64_t hash_of(const kf__expr_node *x) {
    uint64_t words[3] = {x->kind, (uint64_t)x->a << 32 | x->b, (uint64_t)x->value};
    return kf__hash(words, sizeof words, 0);
}

static kf__expr give_up(kf__exprs *pool, bool too_deep) {
    pool->failed = true;
    pool->too_deep |= too_deep;
    return 0;
}

static void put(uint32_t *table, uint32_t size, uint64_t hash, kf__expr a) {
    uint32_t slot = (uint32_t)hash & (size - 1);
    while (table[slot]) slot = (slot + 1) & (size - 1);
    table[slot] = a;
}

static bool grow_table(kf__exprs *pool) {
    uint32_t size = pool->table_size ? pool->table_size * 2 : 64;
    uint32_t *table = kf__allocate(pool->mem, size * sizeof *table);
    if (!table) return false;
    memset(table, 0, size * sizeof *table);
    for (uint32_t i = 1; i < pool->nodes.n; i++) put(table, size, hash_of(&pool->nodes.at[i]), i);
    kf__release(pool->mem, pool->table);
    kf__release(pool->mem, pool->known); /* made anew, larger, when it is needed */
    pool->known = NULL;
    pool->table = table;
    pool->table_size = size;
    return true;
}

static kf__known *known_slot(kf__exprs *pool, kf__question asked, kf__expr a, kf__expr b) {
    if (!pool->known && pool->table_size) {
        pool->known = kf__allocate(pool->mem, pool->table_size * sizeof *pool->known);
        if (pool->known) memset(pool->known, 0, pool->table_size * sizeof *pool->known);
    }
    if (!pool->known) return NULL; /* out of memory: only slower */
    uint64_t key = (uint64_t)a << 32 | b;
    return &pool->known[kf__hash(&key, sizeof key, asked) & (pool->table_size - 1)];
}

kf__expr kf__x_ask(kf__exprs *pool, kf__question asked, kf__expr a, kf__expr b,
                   kf__answer *answer) {
    if (!a || !b) return 0;
    kf__known *known = known_slot(pool, asked, a, b);
    if (known && known->a == a && known->b == b && known->asked == asked) return known->is;
    kf__expr is = answer(pool, a, b);
    pool->answers++;
    known = known_slot(pool, asked, a, b); /* the table may be another one */
    if (is && known) *known = (kf__known){a, b, is, asked};
    return is;
}

kf__expr kf__x_raw(kf__exprs *pool, kf__expr_node x) {
    if (pool->nodes.n == 0) return give_up(pool, false);
    if (pool->nodes.n * 2 >= pool->table_size && !grow_table(pool)) return give_up(pool, false);
    uint64_t hash = hash_of(&x);
    uint32_t slot = (uint32_t)hash & (pool->table_size - 1);
    for (; pool->table[slot]; slot = (slot + 1) & (pool->table_size - 1)) {
        const kf__expr_node *y = &pool->nodes.at[pool->table[slot]];
        if (y->kind == x.kind && y->a == x.a && y->b == x.b && y->value == x.value)
            return pool->table[slot];
    }
    uint32_t da = pool->nodes.at[x.a].depth, db = pool->nodes.at[x.b].depth;
    uint32_t depth = (da > db ? da : db) + 1;
    if (depth > KF__EXPR_DEPTH) return give_up(pool, true);
    x.depth = (uint16_t)depth;
    x.leaves = 1;
    x.axes = x.kind == KF__X_AXIS && x.value < 32 ? 1u << x.value : 0;
    if (x.kind >= KF__X_ADD) {
        const kf__expr_node *a = &pool->nodes.at[x.a], *b = &pool->nodes.at[x.b];
        x.leaves = (uint8_t)kf__min(255, a->leaves + b->leaves);
        x.axes = a->axes | b->axes;
    }
    if (!KF__PUSH(pool->mem, &pool->nodes, x)) return give_up(pool, false);
    pool->table[slot] = pool->nodes.n - 1;
    return pool->nodes.n - 1;
}

static kf__expr pair(kf__exprs *pool, kf__expr_kind kind, kf__expr a, kf__expr b) {
    if (!a || !b) return 0;
    return kf__x_raw(pool, (kf__expr_node){.kind = (uint8_t)kind, .a = a, .b = b});
}

/* For what couldn't be canonicalised: at least the order of operands doesn't matter. */
kf__expr kf__x_sorted(kf__exprs *pool, kf__expr_kind kind, kf__expr a, kf__expr b) {
    return a < b ? pair(pool, kind, a, b) : pair(pool, kind, b, a);
}

/* ---------------------------------------------------------------- leaves */

kf__expr kf__x_const(kf__exprs *pool, int64_t value) {
    return kf__x_raw(pool, (kf__expr_node){.kind = KF__X_CONST, .value = value});
}

static bool grow_name_table(kf__exprs *pool) {
    uint32_t size = pool->name_slots ? pool->name_slots * 2 : 64;
    uint32_t *table = kf__allocate(pool->mem, size * sizeof *table);
    if (!table) return false;
    memset(table, 0, size * sizeof *table);
    for (uint32_t i = 0; i < pool->names.n; i++) {
        const char *name = pool->names.at[i];
        put(table, size, kf__hash(name, strlen(name), 0), i + 1);
    }
    kf__release(pool->mem, pool->name_table);
    pool->name_table = table;
    pool->name_slots = size;
    return true;
}

/* Where the name's index + 1 is, or is to be. */
static uint32_t *name_slot(kf__exprs *pool, const char *name, size_t n) {
    uint32_t slot = (uint32_t)kf__hash(name, n, 0) & (pool->name_slots - 1);
    for (; pool->name_table[slot]; slot = (slot + 1) & (pool->name_slots - 1)) {
        const char *other = pool->names.at[pool->name_table[slot] - 1];
        if (strlen(other) == n && memcmp(other, name, n) == 0) break;
    }
    return &pool->name_table[slot];
}

kf__expr kf__x_name(kf__exprs *pool, const char *name, size_t n) {
    if (pool->names.n * 2 >= pool->name_slots && !grow_name_table(pool))
        return give_up(pool, false);
    uint32_t *slot = name_slot(pool, name, n), i = *slot - 1;
    if (!*slot) {
        i = pool->names.n;
        char *copy = kf__allocate(pool->mem, n + 1);
        if (!copy) return give_up(pool, false);
        memcpy(copy, name, n);
        copy[n] = 0;
        if (!KF__PUSH(pool->mem, &pool->names, copy)) {
            kf__release(pool->mem, copy);
            return give_up(pool, false);
        }
        *slot = i + 1;
    }
    return kf__x_raw(pool, (kf__expr_node){.kind = KF__X_NAME, .value = i});
}

kf__expr kf__x_axis(kf__exprs *pool, uint32_t axis, kf__expr extent) {
    if (!extent) return 0;
    if (kf__x_is(pool, extent, 1)) return kf__x_const(pool, 0);
    return kf__x_raw(pool, (kf__expr_node){.kind = KF__X_AXIS, .b = extent, .value = axis});
}

bool kf__x_is_const(const kf__exprs *pool, kf__expr a, int64_t *value) {
    if (!a || kf__x_at(pool, a)->kind != KF__X_CONST) return false;
    *value = kf__x_at(pool, a)->value;
    return true;
}

/* ---------------------------------------------------------------- sums and products */

/* n*(x//n) + x%n is x, also with a common factor: looked for at every MOD of the sum. */
static bool join_mod(kf__exprs *pool, kf__poly *p, uint32_t t) {
    kf__term factor = p->term[t];
    kf__expr mod = 0;
    for (uint32_t k = 0; k < factor.n && !mod; k++) {
        if (kf__x_at(pool, factor.atom[k])->kind != KF__X_MOD) continue;
        mod = factor.atom[k];
        memmove(&factor.atom[k], &factor.atom[k + 1], (factor.n - k - 1) * sizeof(kf__expr));
        factor.n--;
    }
    if (!mod) return false;
    kf__expr x = kf__x_at(pool, mod)->a, n = kf__x_at(pool, mod)->b;
    kf__poly f = {1, {factor}}, part, scaled, whole, joined = *p;
    if (!kf__poly_of(pool, kf__x_mul(pool, kf__x_div(pool, x, n), n), &part)) return false;
    if (!kf__poly_add_term(&joined, &p->term[t], -1)) return false;
    scaled.n = 0;
    if (!kf__poly_add_product(&scaled, &f, &part) || !kf__poly_add(&joined, &scaled, -1))
        return false;
    if (!kf__poly_of(pool, x, &whole) || !kf__poly_add_product(&joined, &f, &whole)) return false;
    if (joined.n >= p->n) return false;
    *p = joined;
    return true;
}

static void join_mods(kf__exprs *pool, kf__poly *p) {
    for (uint32_t t = 0; t < p->n && p->n > 1;) t = join_mod(pool, p, t) ? 0 : t + 1;
}

/* What max(a, b) + min(v, w) is where v and w are a and b, moved by the same: 0: they aren't. */
static kf__expr max_and_min(kf__exprs *pool, kf__expr max, kf__expr min) {
    kf__expr a = kf__x_at(pool, max)->a, b = kf__x_at(pool, max)->b;
    for (int turned = 0; turned < 2; turned++) {
        kf__expr v = turned ? kf__x_at(pool, min)->b : kf__x_at(pool, min)->a;
        kf__expr w = turned ? kf__x_at(pool, min)->a : kf__x_at(pool, min)->b;
        kf__expr by = kf__x_sub(pool, v, a);
        if (by && by == kf__x_sub(pool, w, b)) return kf__x_add(pool, v, b);
    }
    return 0;
}

/* max(0, n - 5) + min(n, 5) is n: the size of concatenate([x[5:], x[:5]]), and of whatever is made
 * of it in turn, which would double each time. */
static bool join_max(kf__exprs *pool, kf__poly *p) {
    for (uint32_t t = 0; t < p->n; t++)
        for (uint32_t s = 0; s < p->n; s++) {
            const kf__term *x = &p->term[t], *y = &p->term[s];
            if (x->n != 1 || y->n != 1 || x->c != y->c ||
                kf__x_at(pool, x->atom[0])->kind != KF__X_MAX ||
                kf__x_at(pool, y->atom[0])->kind != KF__X_MIN)
                continue;
            kf__expr sum = max_and_min(pool, x->atom[0], y->atom[0]);
            kf__poly joined = *p, whole;
            if (!sum || !kf__poly_of(pool, sum, &whole) ||
                !kf__poly_add_term(&joined, x, -1) || !kf__poly_add_term(&joined, y, -1) ||
                !kf__poly_add(&joined, &whole, x->c))
                continue;
            *p = joined;
            return true;
        }
    return false;
}

static kf__expr add_scaled(kf__exprs *pool, kf__expr a, kf__expr b, int64_t factor) {
    kf__poly p, q;
    if (kf__poly_of(pool, a, &p) && kf__poly_of(pool, b, &q) && kf__poly_add(&p, &q, factor)) {
        join_mods(pool, &p);
        while (join_max(pool, &p)) continue;
        return kf__poly_expr(pool, &p);
    }
    if (factor == -1) b = pair(pool, KF__X_MUL, b, kf__x_const(pool, -1));
    return kf__x_sorted(pool, KF__X_ADD, a, b);
}

static kf__expr sum(kf__exprs *pool, kf__expr a, kf__expr b) { return add_scaled(pool, a, b, 1); }
static kf__expr difference(kf__exprs *pool, kf__expr a, kf__expr b) {
    return add_scaled(pool, a, b, -1);
}

kf__expr kf__x_add(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_SUM, a, b, sum);
}

kf__expr kf__x_sub(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_DIFFERENCE, a, b, difference);
}

static kf__expr product(kf__exprs *pool, kf__expr a, kf__expr b) {
    kf__poly p, q, r;
    r.n = 0;
    if (kf__poly_of(pool, a, &p) && kf__poly_of(pool, b, &q) && kf__poly_add_product(&r, &p, &q)) {
        join_mods(pool, &r);
        return kf__poly_expr(pool, &r);
    }
    return kf__x_sorted(pool, KF__X_MUL, a, b);
}

kf__expr kf__x_mul(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_PRODUCT, a, b, product);
}

/* ---------------------------------------------------------------- division */

typedef struct division {
    kf__exprs *pool;
    kf__facts facts;
    kf__poly p, n; /* p by n; p becomes the rest */
    kf__poly q;    /* what was taken out */
} division;

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* How often n's leading term is in term t. */
static bool times(const kf__term *t, const kf__poly *n, bool exactly, kf__term *out) {
    if (kf__term_div(t, &n->term[0], out)) return true;
    /* constants and large coefficients by a constant: what remains is in [0, n) */
    int64_t by = n->term[0].c;
    if (exactly || n->term[0].n || by <= 0 || (t->n && t->c > -by && t->c < by)) return false;
    *out = *t;
    out->c = t->n ? t->c / by : floor_div(t->c, by);
    return out->c != 0;
}

static bool take_out(division *d, bool exactly) {
    for (int round = 0; round < 4 * KF__POLY_TERMS; round++) {
        kf__poly one, product;
        one.n = 1;
        uint32_t t = 0;
        while (t < d->p.n && !times(&d->p.term[t], &d->n, exactly, &one.term[0])) t++;
        if (t == d->p.n) return true;
        product.n = 0;
        if (!kf__poly_add(&d->q, &one, 1) || !kf__poly_add_product(&product, &one, &d->n) ||
            !kf__poly_add(&d->p, &product, -1))
            return false;
    }
    return false;
}

/* p in [0, n)? */
static bool within(const kf__exprs *pool, kf__facts *facts, const kf__poly *p, const kf__poly *n) {
    kf__poly above = *n, one;
    kf__poly_const(&one, 1);
    return kf__poly_add(&above, p, -1) && kf__poly_add(&above, &one, -1) &&
           kf__prove(pool, facts, p) && kf__prove(pool, facts, &above);
}

/* Is the rest in [0, n), perhaps after adding n once? */
static bool settled(division *d) {
    if (within(d->pool, &d->facts, &d->p, &d->n)) return true;
    kf__poly up = d->p, one;
    kf__poly_const(&one, 1);
    if (!kf__poly_add(&up, &d->n, 1) || !within(d->pool, &d->facts, &up, &d->n)) return false;
    if (!kf__poly_add(&d->q, &one, -1)) return false;
    d->p = up;
    return true;
}

/* Modulo n, x % (k*n) is x. Only for the rest of a MOD. */
static bool drop_mods(division *d) {
    for (uint32_t t = 0; t < d->p.n; t++) {
        for (uint32_t k = 0; k < d->p.term[t].n; k++) {
            kf__expr_node x = *kf__x_at(d->pool, d->p.term[t].atom[k]);
            division inner = {.pool = d->pool, .n = d->n};
            kf__poly c, rest, inside;
            if (x.kind != KF__X_MOD || !kf__poly_of(d->pool, x.b, &inner.p) ||
                !take_out(&inner, true) || inner.p.n != 0)
                continue;
            if (!kf__poly_split(&d->p, d->p.term[t].atom[k], &c, &rest) ||
                !kf__poly_of(d->pool, x.a, &inside) || !kf__poly_add_product(&rest, &c, &inside))
                continue;
            d->p = rest;
            return true;
        }
    }
    return false;
}

/* gcd of a term and n, where n is one term. */
static bool common(const kf__term *a, const kf__term *n, kf__term *out) {
    int64_t x = a->c < 0 ? -a->c : a->c, y = n->c;
    while (y) {
        int64_t r = x % y;
        x = y;
        y = r;
    }
    *out = (kf__term){.c = x};
    for (uint32_t i = 0, k = 0; i < a->n && k < n->n;) {
        if (a->atom[i] == n->atom[k]) {
            out->atom[out->n++] = a->atom[i++];
            k++;
        } else if (a->atom[i] < n->atom[k]) {
            i++;
        } else {
            k++;
        }
    }
    return out->n > 0 || out->c > 1;
}

/* A divisor g of n with p = g*s + t, 0 <= t < g: s, t and n/g. */
static bool by_divisor(division *d, kf__poly *g, kf__poly *s, kf__poly *t, kf__poly *m) {
    if (d->n.n != 1 || d->n.term[0].c <= 0) return false;
    for (uint32_t i = 0; i < d->p.n; i++) {
        division inner = {.pool = d->pool, .p = d->p};
        m->n = g->n = inner.n.n = 1;
        if (d->p.term[i].c == INT64_MIN || !common(&d->p.term[i], &d->n.term[0], &g->term[0]) ||
            !kf__term_div(&d->n.term[0], &g->term[0], &m->term[0]) ||
            (m->term[0].n == 0 && m->term[0].c == 1))
            continue;
        inner.n = *g;
        inner.facts = d->facts;
        if (!take_out(&inner, true) || !settled(&inner)) {
            d->facts.budget = inner.facts.budget;
            continue;
        }
        *s = inner.q;
        *t = inner.p;
        return true;
    }
    return false;
}

static bool begin_division(kf__exprs *pool, kf__expr a, kf__expr b, division *d) {
    d->pool = pool;
    d->q.n = 0;
    if (!kf__poly_of(pool, a, &d->p) || !kf__poly_of(pool, b, &d->n) || d->n.n == 0) return false;
    kf__facts_init(&d->facts);
    kf__facts_of(pool, &d->facts, a);
    kf__facts_of(pool, &d->facts, b);
    kf__facts_positive(pool, &d->facts, b);
    return true;
}

/* True when d->q and d->p are quotient and rest. Else what is left is d->p by n. */
static bool divide(division *d, bool *failed) {
    *failed = false;
    if (within(d->pool, &d->facts, &d->p, &d->n)) return true;
    if (!take_out(d, true)) return *failed = true, false;
    if (settled(d)) return true;
    if (!take_out(d, false)) return *failed = true, false;
    return settled(d);
}

/* (x//k) // n and (x % (n*m)) // n for a whole p; 0: neither. */
static kf__expr div_of_atom(division *d, kf__expr rest, kf__expr n) {
    kf__exprs *pool = d->pool;
    kf__expr_node x = *kf__x_at(pool, rest);
    int64_t k, offset = 0;
    if (x.kind == KF__X_ADD && kf__x_is_const(pool, x.b, &offset)) x = *kf__x_at(pool, x.a);
    if (x.kind == KF__X_DIV && (offset == 0 || kf__x_is_const(pool, x.b, &k))) {
        kf__expr add = kf__x_mul(pool, x.b, kf__x_const(pool, offset));
        return kf__x_div(pool, kf__x_add(pool, x.a, add), kf__x_mul(pool, x.b, n));
    }
    if (x.kind == KF__X_MOD && offset == 0) {
        division inner = {.pool = pool, .n = d->n};
        if (kf__poly_of(pool, x.b, &inner.p) && take_out(&inner, true) && inner.p.n == 0)
            return kf__x_mod(pool, kf__x_div(pool, x.a, n), kf__poly_expr(pool, &inner.q));
    }
    return 0;
}

static bool bad_divisor(const kf__exprs *pool, kf__expr b) {
    int64_t v;
    return kf__x_is_const(pool, b, &v) && v <= 0;
}

static kf__expr quotient(kf__exprs *pool, kf__expr a, kf__expr b) {
    if (kf__x_is(pool, b, 1)) return a;
    division d;
    bool failed;
    if (bad_divisor(pool, b) || !begin_division(pool, a, b, &d)) return pair(pool, KF__X_DIV, a, b);
    if (divide(&d, &failed)) return kf__poly_expr(pool, &d.q);
    if (failed) return pair(pool, KF__X_DIV, a, b);
    kf__expr q = kf__poly_expr(pool, &d.q), rest = kf__poly_expr(pool, &d.p);
    kf__poly g, s, t, m;
    kf__expr part;
    if (by_divisor(&d, &g, &s, &t, &m))
        part = kf__x_div(pool, kf__poly_expr(pool, &s), kf__poly_expr(pool, &m));
    else if (!(part = div_of_atom(&d, rest, b)))
        part = pair(pool, KF__X_DIV, rest, b);
    return d.q.n ? kf__x_add(pool, q, part) : part;
}

kf__expr kf__x_div(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_QUOTIENT, a, b, quotient);
}

static kf__expr rest_of(kf__exprs *pool, kf__expr a, kf__expr b) {
    if (kf__x_is(pool, b, 1)) return kf__x_const(pool, 0);
    division d;
    bool failed;
    if (bad_divisor(pool, b) || !begin_division(pool, a, b, &d)) return pair(pool, KF__X_MOD, a, b);
    do {
        if (divide(&d, &failed)) return kf__poly_expr(pool, &d.p);
        if (failed) return pair(pool, KF__X_MOD, a, b);
    } while (drop_mods(&d));
    kf__poly g, s, t, m;
    if (by_divisor(&d, &g, &s, &t, &m)) {
        kf__expr high = kf__x_mod(pool, kf__poly_expr(pool, &s), kf__poly_expr(pool, &m));
        high = kf__x_mul(pool, high, kf__poly_expr(pool, &g));
        return kf__x_add(pool, high, kf__poly_expr(pool, &t));
    }
    return pair(pool, KF__X_MOD, kf__poly_expr(pool, &d.p), b);
}

kf__expr kf__x_mod(kf__exprs *pool, kf__expr a, kf__expr b) {
    return kf__x_ask(pool, KF__ASK_REST, a, b, rest_of);
}

/* ---------------------------------------------------------------- names */

enum { NOTED = 64 }; /* of shared parts, direct-mapped by id */

/* Notes names in `seen`, where there is one, until `wanted` is found. */
static bool names_of(const kf__exprs *pool, kf__expr e, uint8_t *seen, int64_t wanted,
                     kf__expr *noted) {
    const kf__expr_node *n = &pool->nodes.at[e];
    if (n->kind == KF__X_NAME && seen) seen[n->value] = 1;
    if (n->kind == KF__X_NAME) return n->value == wanted;
    if (n->kind < KF__X_ADD || noted[e % NOTED] == e) return false;
    if (names_of(pool, n->a, seen, wanted, noted) || names_of(pool, n->b, seen, wanted, noted))
        return true;
    noted[e % NOTED] = e;
    return false;
}

void kf__x_note_names(const kf__exprs *pool, kf__expr e, uint8_t *seen) {
    kf__expr noted[NOTED] = {0};
    names_of(pool, e, seen, -1, noted);
}

bool kf__x_has_name(const kf__exprs *pool, kf__expr e, int64_t name) {
    kf__expr noted[NOTED] = {0};
    return names_of(pool, e, NULL, name, noted);
}
