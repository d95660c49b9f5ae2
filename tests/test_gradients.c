/* The gradients in ops.def, as text in the language: each is evaluated by the oracle, and compared
 * with the row's oracle column by central differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ir/numbers.h"
#include "oracle/oracle.h"
#include "parse/parse.h"
#include "support/functions.h"

enum { POINTS = 64, TEXT = 600 };

static double points[4][POINTS]; /* a, b, c, g */

static long double of(int op, const double *at, int k, long double by) {
    long double v[3] = {at[0], at[1], at[2]};
    v[k] += by;
    return kf__ops_on_numbers[op](v[0], v[1], v[2]);
}

/* Where two steps disagree there is a kink or a jump: no derivative is asked for. */
static int derivative(int op, const double *at, int k, double *out) {
    long double h = 1e-5L * (1 + fabsl(at[k]));
    long double d = (of(op, at, k, h) - of(op, at, k, -h)) / (2 * h);
    long double e = (of(op, at, k, h / 2) - of(op, at, k, -h / 2)) / h;
    *out = (double)((4 * e - d) / 3);
    return isfinite(d) && isfinite(e) && fabsl(d - e) <= 1e-4L * (1 + fabsl(d));
}

/* The text's only result at all points. */
static void evaluate(const char *text, double *out) {
    kf_error err = {0};
    kf_function *function = NULL;
    kf_graph *g = NULL;
    kf_spec specs[4] = {{0}};
    kf_array arrays[4];
    kf__oracle_result got;
    int64_t shape[1] = {POINTS};
    if (kf__parse(&kf__malloc, text, NULL, &function, &err) != KF_OK)
        fail_msg("%s: %s", text, err.message);
    int n = kf_function_input_count(function);
    assert_true(n <= 4);
    for (int i = 0; i < n; i++) {
        char name = kf_function_input_name(function, i)[0];
        int which = name == 'g' ? 3 : name - 'a';
        assert_true(which >= 0 && which < 4);
        arrays[i] = (kf_array){points[which], {KF_CPU, 0}, 1, KF_F64, shape, NULL, 0};
        specs[i] = (kf_spec){.dtype = KF_F64, .ndim = 1, .shape = shape};
    }
    if (kf__instantiate(&kf__malloc, function, n, specs, KF_FUSED, &g, &err) != KF_OK ||
        kf__oracle(g, n, arrays, NULL, &(kf__oracle_options){.samples = -1}, &got, &err) != KF_OK)
        fail_msg("%s: %s", text, err.message);
    for (int i = 0; i < POINTS; i++) out[i] = got.values[got.count == POINTS ? i : 0];
    kf__oracle_free(g, &got);
    kf_graph_free(g);
    kf_function_free(function);
}

static void check(int op, int k, const char *gradient) {
    static const char *const calls[] = {"", "a", "a, b", "a, b, c"};
    char text[TEXT];
    double got[POINTS] = {0};
    int compared = 0;
    while (*gradient == ' ') gradient++;
    if (*gradient) {
        int length = snprintf(text, sizeof text, "r = %s(%s); %s", kf__ops[op].name,
                              calls[kf__ops[op].arity], gradient);
        assert_true(length < TEXT);
        evaluate(text, got);
    }
    for (int i = 0; i < POINTS; i++) {
        double at[3] = {points[0][i], points[1][i], points[2][i]}, want;
        if (!derivative(op, at, k, &want)) continue;
        want *= points[3][i];
        compared++;
        if (!(fabs(got[i] - want) <= 1e-6 * (1 + fabs(want))))
            fail_msg("%s: its derivative by argument %d at %g, %g, %g is %g, not %g",
                     kf__ops[op].name, k, at[0], at[1], at[2], want, got[i]);
    }
    if (compared < POINTS / 4)
        fail_msg("%s: only %d points could be compared", kf__ops[op].name, compared);
}

/* In the row's domain, and never at its very ends. */
static void fill(int op) {
    uint64_t state = (uint64_t)op;
    double lo = kf__ops[op].lo, hi = kf__ops[op].hi;
    if (hi > 20) hi = 20;
    if (lo < -20) lo = -20;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < POINTS; i++) {
            double u = (double)(functions_random(&state) >> 11) * 0x1p-53;
            points[k][i] = k == 3 ? 0.5 + u : lo + (hi - lo) * (0.01 + 0.98 * u);
        }
}

static void test_gradients(void **state) {
    (void)state;
    for (int op = 0; op < KF__OP_COUNT; op++) {
        char text[TEXT], *rest = text;
        if (!functions_has(op) || op == KF__NEXTAFTER || strstr(kf__ops[op].gradient, "_fail"))
            continue;
        fill(op);
        snprintf(text, sizeof text, "%s", kf__ops[op].gradient);
        for (int k = 0; k < kf__ops[op].arity; k++) {
            char *part = rest ? strsep(&rest, ";") : text + strlen(text);
            check(op, k, part);
        }
        if (rest) fail_msg("%s has more gradients than arguments", kf__ops[op].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
