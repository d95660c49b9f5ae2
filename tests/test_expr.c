/* src/ir/expr*.c: canonical forms, proofs, and both against direct evaluation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/expr.h"

/* Names N, M, K; axes i (N), j (M), k (4), l (6), z (2), e (0). */
typedef struct world {
    kf__exprs pool;
    kf__expr n, m, k;
} world;

static void begin(world *w) {
    kf__exprs_init(&w->pool, &kf__malloc);
    w->n = kf__x_name(&w->pool, "N", 1);
    w->m = kf__x_name(&w->pool, "M", 1);
    w->k = kf__x_name(&w->pool, "K", 1);
}

/* ---------------------------------------------------------------- a reader for the tables */

static kf__expr read_sum(world *w, const char **at);

static void skip_spaces(const char **at) {
    while (**at == ' ') ++*at;
}

static kf__expr read_atom(world *w, const char **at) {
    kf__exprs *p = &w->pool;
    skip_spaces(at);
    char c = *(*at)++;
    if (c >= '0' && c <= '9') {
        int64_t v = c - '0';
        while (**at >= '0' && **at <= '9') v = v * 10 + (*(*at)++ - '0');
        return kf__x_const(p, v);
    }
    if (c == '(') {
        kf__expr e = read_sum(w, at);
        skip_spaces(at);
        assert_int_equal(*(*at)++, ')');
        return e;
    }
    if (c == '<' || c == '>') { /* <(a, b): min, >(a, b): max */
        assert_int_equal(*(*at)++, '(');
        kf__expr a = read_sum(w, at);
        assert_int_equal(*(*at)++, ',');
        kf__expr b = read_sum(w, at);
        assert_int_equal(*(*at)++, ')');
        return c == '<' ? kf__x_min(p, a, b) : kf__x_max(p, a, b);
    }
    switch (c) {
    case 'N': return w->n;
    case 'M': return w->m;
    case 'K': return w->k;
    case 'i': return kf__x_axis(p, 0, w->n);
    case 'j': return kf__x_axis(p, 1, w->m);
    case 'k': return kf__x_axis(p, 2, kf__x_const(p, 4));
    case 'l': return kf__x_axis(p, 3, kf__x_const(p, 6));
    case 'z': return kf__x_axis(p, 4, kf__x_const(p, 2));
    case 'e': return kf__x_axis(p, 5, kf__x_const(p, 0));
    case 'p': return kf__x_axis(p, 6, kf__x_add(p, w->n, kf__x_const(p, 2)));
    case 's': return kf__x_axis(p, 7, kf__x_add(p, w->n, kf__x_const(p, -2)));
    case 'q': return kf__x_axis(p, 8, kf__x_mul(p, w->n, w->m));
    default: fail_msg("'%c'", c); return 0;
    }
}

static kf__expr read_product(world *w, const char **at) {
    kf__expr e = read_atom(w, at);
    for (;;) {
        skip_spaces(at);
        char c = **at;
        if (c != '*' && c != '/' && c != '%') return e;
        ++*at;
        kf__expr f = read_atom(w, at);
        e = c == '*' ? kf__x_mul(&w->pool, e, f)
            : c == '/' ? kf__x_div(&w->pool, e, f) : kf__x_mod(&w->pool, e, f);
    }
}

static kf__expr read_sum(world *w, const char **at) {
    kf__expr e = read_product(w, at);
    for (;;) {
        skip_spaces(at);
        char c = **at;
        if (c != '+' && c != '-') return e;
        ++*at;
        kf__expr f = read_product(w, at);
        e = c == '+' ? kf__x_add(&w->pool, e, f) : kf__x_sub(&w->pool, e, f);
    }
}

static kf__expr from_text(world *w, const char *text) {
    kf__expr e = read_sum(w, &text);
    skip_spaces(&text);
    assert_int_equal(*text, 0);
    assert_int_not_equal(e, 0);
    return e;
}

/* ---------------------------------------------------------------- canonical forms */

static const struct {
    const char *text, *same;
} equal[] = {
    {"N + M", "M + N"}, {"N - N", "0"}, {"(N + 1) * (N - 1)", "N*N - 1"}, {"2*N + 3*N", "5*N"},
    {"i*N*0", "0"}, {"(N + M)*K", "K*M + N*K"}, {"1 + N + 2", "N + 3"},
    /* exact division */
    {"N*M/N", "M"}, {"N*M % N", "0"}, {"N/N", "1"}, {"6*N/3", "2*N"}, {"(4*N + 4)/4", "N + 1"},
    {"N*M*K/(N*K)", "M"}, {"(N + 2)*M/(N + 2)", "M"}, {"(N+2)*(M+1)/(M+1)", "N + 2"},
    {"(N + 3)/4 + 1", "(N + 7)/4"}, {"(N - 1)/2 + 1", "(N + 1)/2"}, {"N/4/8", "N/32"},
    {"(N/4 + 3)/8", "(N + 12)/32"}, {"(N % 8) % 4", "N % 4"}, {"(N % 8) / 4", "N / 4 % 2"},
    {"5*N % 4", "N % 4"}, {"(0 - 1) % 4", "3"}, {"(0 - 1) / 4", "0 - 1"}, {"7/2", "3"},
    /* ranges */
    {"(i*4 + k)/4", "i"}, {"(i*4 + k)%4", "k"}, {"(i*M + j)/M", "i"}, {"(i*M + j)%M", "j"},
    {"(j*N + i)/N", "j"}, {"k/4", "0"}, {"k%4", "k"}, {"l/4*4 + l%4", "l"}, {"(N-1-i)/N", "0"},
    {"(j*N + N - 1 - i)/N", "j"}, {"(j*N + N - 1 - i)%N", "N - 1 - i"}, {"(3 - k)%4", "3 - k"},
    {"((M - 1 - j)*N + i)/N", "M - 1 - j"}, {"((M - 1 - j)*N + i)%N", "i"},
    {"(i*M*4 + j*4 + k)/(M*4)", "i"}, {"(i*M*4 + j*4 + k)%(M*4)", "j*4 + k"},
    {"(i*M*4 + j*4 + k)/4%M", "j"}, {"(i*M*4 + j*4 + k)%4", "k"}, {"q/M*M + q%M", "q"},
    {"(q/M*M + q%M)/M", "q/M"}, {"(q/M)/N", "0"}, {"q/(N*M)", "0"}, {"(q/M)%N", "q/M"},
    {"(i*6 + l)/2", "3*i + l/2"}, {"(i*2*N + j)/(2*N)", "i + j/(2*N)"},
    {"(4*i + k)/8", "i/2"}, {"(4*i + k)%8", "4*(i%2) + k"},
    {"(l*4 + k)/8*8 + (l*4 + k)%8", "l*4+k"},
    {"(N*j + i)/(2*N)", "j/2"}, {"(N*j + i)%(2*N)", "N*(j%2) + i"}, {"p/(N + 2)", "0"},
    {"(j*(N + 2) + p)/(N + 2)", "j"}, {"(j*(N + 2) + p)%(N + 2)", "p"}, {"(s + 2)/N", "0"},
    {"(s + 1)%N", "s + 1"}, {"e/7", "0"}, {"(z*3 + l/2)/3", "z"}, {"(z*3 + l/2)%3", "l/2"},
    {"(M*i + j)%M*K", "j*K"}, {"K*(N/4)*4 + K*(N%4)", "K*N"},
    /* order */
    {"<(N, N + 2)", "N"}, {">(N, 0)", "N"}, {"<(N, N)", "N"}, {">(3, 5)", "5"},
    {"<(i, N - 1)", "i"}, {">(<(N, M), M)", "M"}, {"<(<(N, M), M)", "<(M, N)"}, {"<(k, 3)", "k"},
    {">(0, N - 5) + <(N, 5)", "N"}, {"2*<(N, M) + 2*>(N, M) - M", "M + 2*N"},
    {"<(N + 3, M) + >(N, M - 3) + K", "K + M + N"},
    {">(0, N - 5) + <(N, 4)", ">(0, N - 5) + <(N, 4)"},
    {"<(N/2, N)", "N/2"}, {"<(N % 4, N)", "N % 4"},
};

static void test_canonical(void **state) {
    (void)state;
    for (size_t t = 0; t < KF__COUNT(equal); t++) {
        world w;
        begin(&w);
        kf__expr a = from_text(&w, equal[t].text), b = from_text(&w, equal[t].same);
        if (a != b) {
            kf__text text;
            kf__text_init(&text, &kf__malloc);
            kf__x_print(&w.pool, a, &text);
            print_error("%s gives %s, not %s\n", equal[t].text, text.at, equal[t].same);
            kf__text_free(&text);
        }
        assert_int_equal(a, b);
        kf__exprs_free(&w.pool);
    }
}

/* What must not be concluded: names may be 0, divisors larger than what they divide. */
static void test_not_equal(void **state) {
    (void)state;
    static const struct {
        const char *text, *other;
    } rows[] = {
        {"N*M/M + 1", "N"}, {"(i*4 + l)/4", "i"}, {"(i*M + j)/N", "i"}, {"l%4", "l"}, {"q/M", "0"},
        {"<(N, M)", "N"}, {">(N, 1)", "N"}, {"(i*N + j)/N", "i"}, {"p/N", "0"}, {"N/(N + 1)", "1"},
        {"(i*4 + k + 1)/4", "i"}, {"N/2*2", "N"}, {"(k - 1)/4", "0"}, {"(k - 1)%4", "k - 1"},
    };
    for (size_t t = 0; t < KF__COUNT(rows); t++) {
        world w;
        begin(&w);
        assert_int_not_equal(from_text(&w, rows[t].text), from_text(&w, rows[t].other));
        kf__exprs_free(&w.pool);
    }
}

static void test_below(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool below;
    } rows[] = {
        {"i", "N", true}, {"i", "N - 1", false}, {"i*M + j", "N*M", true}, {"N", "N", false},
        {"N", "N + 1", true}, {"l/2", "3", true}, {"l/2", "2", false}, {"N % 4", "4", true},
        {"N - 1 - i", "N", true}, {"0 - 1", "i", true}, {"0", "i + 1", true}, {"0", "N", false},
        {"0", "N*N + 1 - 2*N", false}, {"q/M", "N", true}, {"<(i, M)", "N", true},
        {"i", "M", false},
        {">(i, k)", ">(N, 4)", true}, {"e", "0", true}, {"l*4 + k", "24", true},
        {"l*4 + k", "23", false}, {"i*4 + k", "4*N", true},
    };
    for (size_t t = 0; t < KF__COUNT(rows); t++) {
        world w;
        begin(&w);
        bool below = kf__x_below(&w.pool, from_text(&w, rows[t].a), from_text(&w, rows[t].b));
        if (below != rows[t].below) print_error("%s < %s\n", rows[t].a, rows[t].b);
        assert_int_equal(below, rows[t].below);
        kf__exprs_free(&w.pool);
    }
}

static void test_print(void **state) {
    (void)state;
    static const struct {
        const char *text, *printed;
    } rows[] = {
        {"0", "0"}, {"N*4 + M - 2", "N*4 + M - 2"}, {"N/4", "N//4"}, {"N/(M*4)", "N//(M*4)"},
        {"N/(M + 4)", "N//(M + 4)"}, {"(N + M)/4", "(N + M)//4"}, {"4*(N/3)", "(N//3)*4"},
        {"0 - N", "N*(-1)"}, {"N % 3 + 1", "N % 3 + 1"}, {"<(N, 5)", "min(N, 5)"},
        {"i + k", "i0 + i2"},
    };
    for (size_t t = 0; t < KF__COUNT(rows); t++) {
        world w;
        kf__text text;
        begin(&w);
        kf__text_init(&text, &kf__malloc);
        kf__x_print(&w.pool, from_text(&w, rows[t].text), &text);
        assert_string_equal(text.at, rows[t].printed);
        kf__text_free(&text);
        kf__exprs_free(&w.pool);
    }
}

static void test_affine(void **state) {
    (void)state;
    static const struct {
        const char *text, *c[3], *offset; /* NULL text of c: none */
        bool affine;
    } rows[] = {
        {"i*M + j*2 + 3", {"M", "2", NULL}, "3", true},
        {"i*M + i*2 - k + N", {"M + 2", NULL, "0 - 1"}, "N", true},
        {"N/2", {NULL, NULL, NULL}, "N/2", true}, {"i*j", {NULL}, NULL, false},
        {"q/M", {NULL}, NULL, false}, {"i*i", {NULL}, NULL, false},
        {"i*(q/M)", {NULL}, NULL, false},
        {"l", {NULL}, NULL, false},
    };
    for (size_t t = 0; t < KF__COUNT(rows); t++) {
        world w;
        kf__expr c[3], offset;
        begin(&w);
        bool affine = kf__x_affine(&w.pool, from_text(&w, rows[t].text), 3, c, &offset);
        assert_int_equal(affine, rows[t].affine);
        for (int k = 0; k < 3 && affine; k++)
            assert_int_equal(c[k], rows[t].c[k] ? from_text(&w, rows[t].c[k]) : 0);
        if (affine) assert_int_equal(offset, from_text(&w, rows[t].offset));
        kf__exprs_free(&w.pool);
    }
}

static void test_substitute(void **state) {
    (void)state;
    world w;
    begin(&w);
    kf__expr flat = from_text(&w, "q/M"), with[9] = {0};
    with[8] = from_text(&w, "i*M + j");
    assert_int_equal(kf__x_substitute(&w.pool, flat, with, 9), from_text(&w, "i"));
    assert_int_equal(kf__x_substitute(&w.pool, flat, with, 8), flat);
    kf__expr names[2] = {0, from_text(&w, "4")};
    assert_int_equal(kf__x_rename(&w.pool, from_text(&w, "N*4/M + M"), names, 2),
                     from_text(&w, "N + 4"));
    names[1] = 0;
    names[0] = from_text(&w, "1"); /* an axis over 1 is 0 */
    assert_int_equal(kf__x_rename(&w.pool, from_text(&w, "i*M + j"), names, 1),
                     kf__x_axis(&w.pool, 1, w.m));
    kf__exprs_free(&w.pool);
}

static void test_overflow(void **state) {
    (void)state;
    world w;
    int64_t v, names[3] = {INT64_MAX, 2, -1};
    begin(&w);
    kf__expr big = kf__x_const(&w.pool, INT64_MAX);
    kf__expr sum = kf__x_add(&w.pool, big, kf__x_const(&w.pool, 1));
    assert_int_not_equal(sum, 0);
    assert_false(kf__x_eval(&w.pool, sum, names, NULL, &v));
    assert_false(kf__x_eval(&w.pool, kf__x_mul(&w.pool, w.n, w.m), names, NULL, &v));
    assert_false(kf__x_eval(&w.pool, w.k, names, NULL, &v)); /* unset */
    assert_true(kf__x_eval(&w.pool, w.n, names, NULL, &v));
    assert_false(kf__x_eval(&w.pool, kf__x_div(&w.pool, w.n, kf__x_const(&w.pool, 0)), names, NULL,
                            &v));
    names[0] = 3; /* by what is below 1 only when sizes are known */
    kf__expr below = from_text(&w, "M % (N - 5)");
    assert_false(kf__x_eval(&w.pool, below, names, NULL, &v));
    assert_false(kf__x_eval(&w.pool, from_text(&w, "M / (N - 5)"), names, NULL, &v));
    assert_false(kf__x_below(&w.pool, sum, sum));
    assert_int_not_equal(kf__x_div(&w.pool, sum, w.n), 0);
    assert_int_not_equal(kf__x_sub(&w.pool, sum, w.n), 0);
    assert_int_equal(kf__x_add(&w.pool, 0, w.n), 0);
    kf__exprs_free(&w.pool);
}

/* As Python has bounds of slices. */
static void test_wrapped(void **state) {
    (void)state;
    world w;
    int64_t v, names[3] = {0, 7, 5};
    begin(&w);
    kf__expr natural = from_text(&w, "(N + 63)/64*64");
    assert_int_equal(kf__x_wrapped(&w.pool, natural, w.m, 0), natural);
    kf__expr a = from_text(&w, "N - 9"), up = kf__x_wrapped(&w.pool, a, w.m, 0);
    kf__expr down = kf__x_wrapped(&w.pool, a, w.m, -1);
    for (names[0] = 0; names[0] < 20; names[0]++) {
        int64_t at = names[0] - 9 < 0 ? names[0] - 9 + 7 : names[0] - 9;
        assert_true(kf__x_eval(&w.pool, up, names, NULL, &v));
        assert_int_equal(v, at < 0 ? 0 : at);
        assert_true(kf__x_eval(&w.pool, down, names, NULL, &v));
        assert_int_equal(v, at < -1 ? -1 : at);
    }
    kf__exprs_free(&w.pool);
}

/* Shared parts are walked once; nesting is bounded. */
static void test_deep(void **state) {
    (void)state;
    world w;
    int64_t v = 0, names[3] = {1 << 20, 3, 5};
    begin(&w);
    kf__expr e = w.n;
    for (int i = 0; i < 300; i++) {
        kf__expr a = kf__x_min(&w.pool, kf__x_add(&w.pool, e, w.m), kf__x_mul(&w.pool, e, w.k));
        e = kf__x_max(&w.pool, a, kf__x_div(&w.pool, e, kf__x_const(&w.pool, 3)));
    }
    kf__x_eval(&w.pool, e, names, NULL, &v);
    assert_true(kf__x_has_name(&w.pool, e, 2) && !kf__x_has_name(&w.pool, e, 3));
    kf__expr with[1] = {w.m};
    kf__x_rename(&w.pool, e, with, 1);
    for (int i = 0; i < 3 * KF__EXPR_DEPTH && e; i++)
        e = kf__x_div(&w.pool, kf__x_add(&w.pool, kf__x_mul(&w.pool, e, w.k), w.n), w.m);
    assert_int_equal(e, 0);
    assert_true(w.pool.failed && w.pool.too_deep);
    kf__exprs_free(&w.pool);
    for (int kind = 0; kind < 4; kind++) { /* each of them nested */
        begin(&w);
        e = w.n;
        for (int i = 0; i < KF__EXPR_DEPTH && e; i++) {
            kf__expr more = kf__x_add(&w.pool, kf__x_mul(&w.pool, e, w.k), w.n);
            e = kind == 0   ? kf__x_mod(&w.pool, more, w.m)
                : kind == 1 ? kf__x_min(&w.pool, more, w.m)
                : kind == 2 ? kf__x_max(&w.pool, more, w.m)
                            : kf__x_div(&w.pool, kf__x_mod(&w.pool, more, w.m), w.k);
        }
        if (e) kf__x_eval(&w.pool, e, (int64_t[]){5, 7, 3}, NULL, &v);
        kf__exprs_free(&w.pool);
    }
}

/* ---------------------------------------------------------------- random ones */

enum { WORLDS = 48, ITEMS = 40, NAMES = 3, AXES = 9 };

static uint64_t seed = 1;

static int64_t roll(int64_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

typedef struct item {
    kf__expr e;
    bool ok[WORLDS]; /* defined there: axes not empty, divisors positive */
    int64_t value[WORLDS];
} item;

typedef struct assignment {
    int64_t names[NAMES], axes[AXES], extents[AXES];
} assignment;

static void assign(assignment *a) {
    for (int i = 0; i < NAMES; i++) a->names[i] = roll(7);
    const int64_t extents[AXES] = {a->names[0], a->names[1], 4, 6, 2, 0, a->names[0] + 2,
                                   a->names[0] - 2, a->names[0] * a->names[1]};
    for (int i = 0; i < AXES; i++) {
        a->extents[i] = extents[i];
        a->axes[i] = extents[i] > 0 ? roll(extents[i]) : 0;
    }
}

static void leaf(world *w, item *out, const assignment *a) {
    static const char letters[] = "ijklzepsqNMK";
    int64_t c = roll(18);
    char text[2] = {c < 12 ? letters[c] : (char)('0' + roll(8)), 0};
    out->e = from_text(w, text);
    for (int t = 0; t < WORLDS; t++) {
        out->ok[t] = c >= AXES || a[t].extents[c] > 0;
        out->value[t] = c < AXES ? a[t].axes[c] : c < 12 ? a[t].names[c - AXES] : text[0] - '0';
    }
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static void join(world *w, item *out, const item *x, const item *y) {
    int64_t op = roll(10);
    kf__exprs *p = &w->pool;
    out->e = op < 2   ? kf__x_add(p, x->e, y->e)
             : op < 3 ? kf__x_sub(p, x->e, y->e)
             : op < 5 ? kf__x_mul(p, x->e, y->e)
             : op < 7 ? kf__x_div(p, x->e, y->e)
             : op < 8 ? kf__x_mod(p, x->e, y->e)
             : op < 9 ? kf__x_min(p, x->e, y->e) : kf__x_max(p, x->e, y->e);
    for (int t = 0; t < WORLDS; t++) {
        int64_t a = x->value[t], b = y->value[t];
        bool divides = op >= 5 && op < 8;
        out->ok[t] = x->ok[t] && y->ok[t] && (!divides || b > 0) && a < 1 << 20 && b < 1 << 20 &&
                     a > -(1 << 20) && b > -(1 << 20);
        if (!out->ok[t]) continue;
        out->value[t] = op < 2   ? a + b
                        : op < 3 ? a - b
                        : op < 5 ? a * b
                        : op < 7 ? floor_div(a, b)
                        : op < 8 ? a - b * floor_div(a, b)
                        : op < 9 ? kf__min(a, b) : kf__max(a, b);
    }
}

static void check_value(world *w, const item *x, const assignment *a) {
    for (int t = 0; t < WORLDS; t++) {
        int64_t v;
        if (!x->ok[t]) continue;
        bool ok = kf__x_eval(&w->pool, x->e, a[t].names, a[t].axes, &v);
        if (!ok || v != x->value[t]) {
            kf__text text;
            kf__text_init(&text, &kf__malloc);
            kf__x_print(&w->pool, x->e, &text);
            print_error("%s: %lld, not %lld\n", text.at, (long long)v, (long long)x->value[t]);
            kf__text_free(&text);
        }
        assert_true(ok);
        assert_int_equal(v, x->value[t]);
    }
}

static void check_below(world *w, const item *x, const item *y) {
    if (!kf__x_below(&w->pool, x->e, y->e)) return;
    for (int t = 0; t < WORLDS; t++)
        if (x->ok[t] && y->ok[t]) assert_true(x->value[t] < y->value[t]);
}

static void check_affine(world *w, const item *x, const assignment *a) {
    kf__expr c[AXES], offset;
    int64_t v, f;
    if (!kf__x_affine(&w->pool, x->e, AXES, c, &offset)) return;
    for (int t = 0; t < WORLDS; t++) {
        if (!x->ok[t] || !kf__x_eval(&w->pool, offset, a[t].names, NULL, &v)) continue;
        for (int k = 0; k < AXES; k++) {
            if (!c[k]) continue;
            assert_true(kf__x_eval(&w->pool, c[k], a[t].names, NULL, &f));
            v += f * a[t].axes[k];
        }
        assert_int_equal(v, x->value[t]);
    }
}

static void test_random(void **state) {
    (void)state;
    const char *rounds_text = getenv("KFUSE_TEST_ROUNDS");
    int rounds = rounds_text ? atoi(rounds_text) : 400;
    static item items[ITEMS];
    static assignment a[WORLDS];
    for (int round = 0; round < rounds; round++) {
        world w;
        begin(&w);
        for (int t = 0; t < WORLDS; t++) assign(&a[t]);
        for (int i = 0; i < ITEMS; i++) {
            if (i < 12)
                leaf(&w, &items[i], a);
            else
                join(&w, &items[i], &items[roll(i)], &items[roll(i)]);
            check_value(&w, &items[i], a);
            check_affine(&w, &items[i], a);
            check_below(&w, &items[i], &items[roll(i + 1)]);
        }
        kf__exprs_free(&w.pool);
    }
}

/* ---------------------------------------------------------------- memory */

static void *failing_allocate(void *user, size_t size) {
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void failing_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (int n = 0; n < 40; n++) {
        int left = n;
        kf_allocator mem = {failing_allocate, failing_release, &left};
        kf__exprs pool;
        kf__exprs_init(&pool, &mem);
        kf__expr e = kf__x_name(&pool, "N", 1);
        for (uint32_t i = 0; i < 50; i++)
            e = kf__x_add(&pool, kf__x_axis(&pool, i, kf__x_const(&pool, i + 2)), e);
        assert_true((e != 0) == !pool.failed);
        kf__exprs_free(&pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),  cmocka_unit_test(test_not_equal),
        cmocka_unit_test(test_below),      cmocka_unit_test(test_print),
        cmocka_unit_test(test_affine),     cmocka_unit_test(test_substitute),
        cmocka_unit_test(test_overflow), cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
