/* The tolerance of what is stored between kernels: random expressions of halves, whose values are
 * rounded at random places, as kernels' ends do, must be within what the oracle grants the
 * expression without them; and what it grants must be of the size of those roundings.
 *
 * The places are casts in the text, to the type that a value has, and the oracle evaluates both
 * texts: nothing is compiled, so there can be many. KFUSE_TRIALS=N tries N expressions of each type
 * (60); KFUSE_SEED=N others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/eval.h"
#include "support/check.h"
#include "support/functions.h"

enum { ROWS = 12, COLUMNS = 256, N = ROWS * COLUMNS, TEXT = 20000, DEPTH = 4, ROUNDINGS = 3 };

static const struct half {
    const char *name;
    kf__dtype type;
    int mantissa, bias;
} halves[] = {{"f16", KF__F16, 10, 15}, {"bf16", KF__BF16, 7, 127}};
enum { HALVES = sizeof(halves) / sizeof(halves[0]) };

static uint64_t state;

static int below(int n) { return (int)(functions_random(&state) % (uint64_t)n); }

static int from_environment(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* ---------------------------------------------------------------- expressions */

/* One expression without and with roundings: texts[0] has none, texts[1] all, the others some. */
typedef struct texts {
    char of[ROUNDINGS][TEXT];
} texts;

static const char *const forms[] = {
    "(A + B)", "(A - B)", "(A * B)", "(A + B)", "(A - B)", "maximum(A, B)", "(A / B)",
    "where(A < B, B, A)", "abs(A)", "tanh(A)", "sqrt(abs(A))", "exp(-abs(A))", "(A * 0.3)",
    "(3 - A)", "round(A)", "mean(A, axis=-1, keepdims=True)", "sum(A, axis=-1, keepdims=True)",
    "max(A, axis=-1, keepdims=True)",
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]), BINARY = 8 };

static void apply(const char *form, const char *a, const char *b, char *to) {
    for (; *form; form++) {
        if (*form == 'A' || *form == 'B') to = stpcpy(to, *form == 'A' ? a : b);
        else *to++ = *form;
    }
    *to = 0;
}

static void expression(int depth, const struct half *h, texts *out) {
    static const char *const inputs[] = {"x", "y", "z"};
    if (depth == 0 || below(8) == 0) {
        const char *name = inputs[below(3)];
        for (int k = 0; k < ROUNDINGS; k++) snprintf(out->of[k], TEXT, "%s", name);
        return;
    }
    texts *a = malloc(2 * sizeof *a), *b = a + 1;
    char text[2 * TEXT];
    int form = below(FORMS), random = below(1 << ROUNDINGS);
    if (!a) abort();
    expression(depth - 1, h, a);
    if (form < BINARY) expression(depth - 1, h, b);
    for (int k = 0; k < ROUNDINGS; k++) {
        apply(forms[form], a->of[k], b->of[k], text);
        bool rounded = k == 1 || (k > 1 && random >> k & 1);
        if (strlen(text) + 12 > TEXT) fail_msg("too long");
        snprintf(out->of[k], TEXT, rounded ? "cast(%s, %s)" : "%s", text, h->name);
    }
    free(a);
}

/* ---------------------------------------------------------------- evaluating */

static kf_context *ctx;
static uint16_t data[3][N];

static void fill(const struct half *h) {
    for (int i = 0; i < 3 * N; i++) {
        uint64_t r = functions_random(&state);
        int exponent = h->bias + 1 - __builtin_ctzll(r | 1 << 8), sign = (int)(r >> 20 & 1);
        int mantissa = (int)(r >> 40) & ((1 << h->mantissa) - 1);
        data[i / N][i % N] = (uint16_t)(sign << 15 | exponent << h->mantissa | mantissa);
    }
}

/* The graph of a text in x, y and z, over `data`. */
static kf_graph *graph_of(const char *text, const struct half *h, trial_t *t) {
    static char whole[TEXT + 40];
    kf_graph *g = NULL;
    kf_error err = {0};
    snprintf(whole, sizeof whole, "def f(x, y, z): return %s", text);
    *t = (trial_t){.ctx = ctx, .text = whole, .n = 3};
    for (int i = 0; i < 3; i++) {
        t->shapes[i][0] = ROWS, t->shapes[i][1] = COLUMNS;
        t->inputs[i] = (kf_array){data[i], {KF_CPU, 0}, 2, kf__types[h->type].dlpack, t->shapes[i],
                                  NULL, 0};
    }
    if (check_graph(t, &g, &err) != KF_OK) fail_msg("%s\n%s", whole, err.message);
    return g;
}

static void ask(const kf_graph *g, const trial_t *t, int samples, uint64_t seed, bool again,
                kf__oracle_result *out) {
    kf_error err = {0};
    kf__oracle_options opt = {.samples = samples, .seed = seed};
    kf_status status = (again ? kf__oracle_again : kf__oracle)(g, t->n, t->inputs, NULL, &opt, out,
                                                               &err);
    if (status != KF_OK) fail_msg("%s\n%s", t->text, err.message);
}

/* The first element beyond its tolerance, -1 if there is none. */
static int64_t beyond(const kf__oracle_result *want, const kf__oracle_result *got) {
    assert_int_equal(want->count, got->count);
    for (int64_t j = 0; j < want->count; j++) {
        double w = want->values[j], g = got->values[j];
        if ((want->decided && !want->decided[j]) || w == g || (isnan(w) && isnan(g))) continue;
        if (!(fabs(w - g) <= (want->tolerance ? want->tolerance[j] : 0))) return j;
    }
    return -1;
}

/* ---------------------------------------------------------------- the tests */

static int64_t compared, second;

static void one_expression(const struct half *h) {
    texts *t = malloc(sizeof *t);
    kf__oracle_result want, got;
    trial_t of;
    if (!t) abort();
    expression(DEPTH, h, t);
    fill(h);
    for (int k = 1; k < ROUNDINGS; k++) {
        kf_graph *rounded = graph_of(t->of[k], h, &of);
        ask(rounded, &of, -1, 0, false, &got);
        kf_graph *g = graph_of(t->of[0], h, &of);
        ask(g, &of, 0, 0, false, &want);
        int64_t at = beyond(&want, &got);
        if (at >= 0) { /* as `kfuse check` does it */
            ask(g, &of, 65, 1, true, &want);
            at = beyond(&want, &got);
            second++;
        }
        compared++;
        if (at >= 0)
            fail_msg("%s of %s\n%s\nelement %lld is %g, must be %g within %g", t->of[0], h->name,
                     t->of[k], (long long)at, got.values[at], want.values[at], want.tolerance[at]);
        kf__oracle_free(rounded, &got);
        kf__oracle_free(g, &want);
        kf_graph_free(rounded);
        kf_graph_free(g);
    }
    free(t);
}

static void test_enough(void **unused) {
    (void)unused;
    state = (uint64_t)from_environment("KFUSE_SEED", 1) * 1000003;
    int n = from_environment("KFUSE_TRIALS", 60);
    for (int k = 0; k < HALVES; k++)
        for (int i = 0; i < n; i++) one_expression(&halves[k]);
    print_message("%lld comparisons, %lld needed a second look\n", (long long)compared,
                  (long long)second);
}

/* Of x + z + (x - y) the sums' roundings are what can show: no less than they make together is
 * granted, and no more than ten times what they could make. */
static void test_not_lax(void **unused) {
    static const char *const sums[] = {"cast(x, f32) + cast(z, f32)",
                                       "cast(x, f32) - cast(y, f32)"};
    (void)unused;
    state = 7;
    for (int k = 0; k < HALVES; k++) {
        const struct half *h = &halves[k];
        kf__oracle_result want, sum[2];
        kf_graph *part[2];
        trial_t of;
        fill(h);
        for (int p = 0; p < 2; p++) {
            part[p] = graph_of(sums[p], h, &of);
            ask(part[p], &of, -1, 0, false, &sum[p]);
        }
        kf_graph *g = graph_of("x + z + (x - y)", h, &of);
        ask(g, &of, 65, 1, false, &want);
        for (int64_t j = 0; j < N; j++) {
            double done = 0, possible = 0;
            for (int p = 0; p < 2; p++) {
                double x = sum[p].values[j], rounded = kf__o_round(h->type, x);
                done += fabs(rounded - x);
                if (rounded != x) possible += kf__o_ulp(h->type, x) / 2;
            }
            double ulp = kf__o_ulp(h->type, want.values[j]);
            if (want.tolerance[j] < done || want.tolerance[j] > 10 * possible + 5 * ulp)
                fail_msg("%s: element %lld is %g, rounded by %g of %g, granted are %g", h->name,
                         (long long)j, want.values[j], done, possible, want.tolerance[j]);
        }
        for (int p = 0; p < 2; p++) {
            kf__oracle_free(part[p], &sum[p]);
            kf_graph_free(part[p]);
        }
        kf__oracle_free(g, &want);
        kf_graph_free(g);
    }
}

/* Arrays of millions of elements have three samples a look. A long sum, cut somewhere, whose terms
 * cancel: in f32 it is a few units that the cut's rounding is large beside. */
static void test_few_samples(void **unused) {
    enum { TERMS = 24, CUTS = 6, LOOKS = 10 };
    static const char *const terms[] = {"x", "y", "z"};
    char whole[TEXT], cut[TEXT];
    (void)unused;
    state = 5;
    for (int k = 0; k < HALVES * CUTS; k++) {
        const struct half *h = &halves[k % HALVES];
        kf__oracle_result want, got;
        trial_t of;
        char *to = stpcpy(whole, "x"), *into = stpcpy(cut, "cast(x");
        fill(h);
        for (int i = 1, at = 3 + below(TERMS - 6); i < TERMS; i++) {
            const char *term = terms[below(3)];
            int sign = "+-"[below(2)], shift = below(9) - 4;
            to += sprintf(to, " %c roll(%s, %d, 1)", sign, term, shift);
            into += sprintf(into, " %c roll(%s, %d, 1)%s", sign, term, shift, i == at ? ", " : "");
            if (i == at) into += sprintf(into, "%s)", h->name);
        }
        kf_graph *rounded = graph_of(cut, h, &of);
        ask(rounded, &of, -1, 0, false, &got);
        kf_graph *g = graph_of(whole, h, &of);
        for (int look = 0; look <= LOOKS; look++) ask(g, &of, 3, (uint64_t)look, look > 0, &want);
        int64_t at = beyond(&want, &got);
        if (at >= 0)
            fail_msg("%s of %s\nelement %lld is %g, must be %g within %g", cut, h->name,
                     (long long)at, got.values[at], want.values[at], want.tolerance[at]);
        kf__oracle_free(rounded, &got);
        kf__oracle_free(g, &want);
        kf_graph_free(rounded);
        kf_graph_free(g);
    }
}

/* Whichever way a number is rounded next to the border between two halves is granted, though all
 * samples stay on its side: of the same sum in another order. Further off nothing is. */
static void test_next_to_border(void **unused) {
    static float x[ROWS][COLUMNS];
    const double border = 1 + 0x1p-8, ulp = 0x1p-23, promised = kf__ops[KF__EXP].ulp;
    (void)unused;
    for (int i = 0; i < N; i++) { /* a fifth of them by no more than the promise */
        double off = i % 5 ? 64 : 1 + (promised - 1) * i / N;
        x[i / COLUMNS][i % COLUMNS] = (float)log(border + (i % 2 ? off : -off) * ulp);
    }
    trial_t t = {.ctx = ctx, .text = "def f(x): return cast(cast(exp(x), bf16), f32)", .n = 1};
    t.shapes[0][0] = ROWS, t.shapes[0][1] = COLUMNS;
    t.inputs[0] = (kf_array){x, {KF_CPU, 0}, 2, kf__types[KF__F32].dlpack, t.shapes[0], NULL, 0};
    kf_graph *g = NULL;
    kf_error err = {0};
    if (check_graph(&t, &g, &err) != KF_OK) fail_msg("%s\n%s", t.text, err.message);
    for (int samples = 3; samples <= 7; samples += 4) {
        kf__oracle_result want;
        ask(g, &t, samples, 0, false, &want);
        for (int i = 0; i < N; i++) {
            bool above = want.values[i] > border, near = i % 5 == 0;
            if (above != (i % 2 == 1)) fail_msg("element %d is %.9g", i, want.values[i]);
            if (near ? want.tolerance[i] < 0x1p-7 : want.tolerance[i] > ulp)
                fail_msg("%d samples: element %d is %.9g, granted are %g", samples, i,
                         want.values[i], want.tolerance[i]);
        }
        kf__oracle_free(g, &want);
    }
    kf_graph_free(g);
}

static int begin(void **unused) {
    (void)unused;
    return (ctx = kf_context_create(NULL, NULL)) ? 0 : -1;
}
static int finish(void **unused) {
    (void)unused;
    kf_context_free(ctx);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enough),
        cmocka_unit_test(test_not_lax),
        cmocka_unit_test(test_few_samples),
        cmocka_unit_test(test_next_to_border),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
