/* Every operation, reduction and cast in every dtype, over special values and the ends of each
 * range, on the CPU and the emulated GPU, against the oracle. What must be refused is refused with
 * a sentence; every pair of dtypes gives what the promotion table says. Kernels are compiled for
 * many operations at a time: a text has as many results as there are rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "element.h"
#include "support/check.h"

enum { TEXT = 16384 };
static const kf_device cpu = {KF_CPU, 0};

/* ---------------------------------------------------------------- values */

static const double float_values[] = {
    0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 100.25, 0.1, -1e-3, 448, 464, 57344, 65504,
    65520, 3e38, -3.4e38, 1e-45, -1e-40, 0x1p-149, 0x1p-126, 0x1p-24, 2147483648.0, -2147483649.0,
    9.3e18, -9.3e18, INFINITY, -INFINITY, NAN, 127.5, -128.5, 255.5};
static const double f64_values[] = {1e300, -1e300, 5e-324, 1e-310, 0x1.fffffffffffffp1023, 0.1,
                                    0x1.0000000000001p0, 0x1.00000010000000p0, 4.2e9};
static const int64_t int_values[] = {0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 8, 15, 16, 31, 32, 33, 63,
                                     64, 65, 100, 127, 128, 255, 256, INT64_MAX, INT64_MIN,
                                     INT64_MAX - 1, INT64_MIN + 1};

static void put_int(kf__dtype t, void *at, int64_t v) {
    if (t == KF__BOOL) v = v != 0; /* and a byte that is neither 0 nor 1 is tested by the fuzzer */
    memcpy(at, &v, (size_t)kf__types[t].size);
}

/* The values of a dtype: for ints with the ends of its own range. */
static int fill_values(kf__dtype t, char *to) {
    int n = 0, size = kf__types[t].size;
    if (kf__is_float(t)) {
        for (size_t i = 0; i < KF__COUNT(float_values); i++)
            element_store(t, to + n++ * size, float_values[i]);
        for (size_t i = 0; t == KF__F64 && i < KF__COUNT(f64_values); i++)
            element_store(t, to + n++ * size, f64_values[i]);
        return n;
    }
    for (size_t i = 0; i < KF__COUNT(int_values); i++) {
        int64_t v = int_values[i];
        int shift = 64 - size * 8;
        if (v > INT64_MAX - 2 || v < INT64_MIN + 2) /* the ends of 64 bits become its own */
            v = t == KF__U8 ? (int64_t)((uint64_t)v >> 55) : v >> shift;
        put_int(t, to + n++ * size, v);
    }
    return n;
}

/* All pairs (left: x[i], else x[j]) of n values each, as one array of n * n. */
static kf_array pairs_of(kf__dtype t, bool left, int n, int64_t *shape) {
    char values[64 * 8];
    int own = fill_values(t, values), size = kf__types[t].size;
    kf_array a = {malloc((size_t)(n * n * size)), cpu, 1, kf__types[t].dlpack, shape, NULL, 0};
    shape[0] = (int64_t)n * n;
    for (int i = 0; i < n * n; i++)
        memcpy((char *)a.data + i * size, values + (left ? i / n : i % n) % own * size,
               (size_t)size);
    return a;
}
enum { PAIRS = 45 }; /* at least as many as any dtype has values */

static void free_inputs(trial_t *t) {
    for (int i = 0; i < t->n; i++) free(t->inputs[i].data);
}

/* ---------------------------------------------------------------- operations */

/* Does a rule take arguments of a class? */
static bool is_allowed(kf__rule rule, kf__class class) {
    switch (rule) {
    case KF__RULE_ARITH:
    case KF__RULE_SAME: return class != KF__CLASS_BOOL;
    case KF__RULE_BITS: return class != KF__CLASS_FLOAT;
    case KF__RULE_INTEGER: return class == KF__CLASS_INT;
    default: return true;
    }
}

static void must_fail(const trial_t *t) {
    kf_graph *g = NULL;
    kf_error err = {0};
    kf_status status = check_graph(t, &g, &err);
    if (status != KF_ERR_TYPE || strlen(err.message) < 20)
        fail_msg("%s of %d must be refused: status %d, %s", t->text,
                 (int)t->inputs[0].dtype.code, (int)status, err.message);
}

static void test_operations(void **state) {
    static const char *const calls[] = {"", "%s(x)", "%s(x, y)", "%s(x > y, x, y)"};
    char text[TEXT], one[80];
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        trial_t trial = {*state, text, 2, {{0}}, {{0}}, {{0}}};
        size_t n = 0;
        for (int i = 0; i < 2; i++)
            trial.inputs[i] = pairs_of((kf__dtype)t, i == 0, PAIRS, trial.shapes[i]);
        for (int op = 0; op < KF__OP_COUNT; op++) {
            const kf__op_row *row = &kf__ops[op];
            if (row->rule >= KF__RULE_UNIFORM) continue;
            snprintf(one, sizeof one, calls[row->arity], row->name);
            if (row->arity == 3 && row->rule != KF__RULE_WHERE)
                snprintf(one, sizeof one, "%s(x, y, x)", row->name);
            if (is_allowed(row->rule, kf__types[t].class)) {
                n += (size_t)snprintf(text + n, TEXT - n, "%s%s", n ? ", " : "", one);
                continue;
            }
            trial.text = one;
            trial.n = row->arity > 1 ? 2 : 1;
            must_fail(&trial);
            trial.text = text;
            trial.n = 2;
        }
        assert_true(n < TEXT);
        check(&trial);
        free_inputs(&trial);
    }
}

/* ---------------------------------------------------------------- promotion */

/* Each dtype with each, in the operation's own dtype and result. */
static void check_row(kf_context *ctx, int row, const char *format) {
    char text[TEXT];
    trial_t trial = {ctx, text, 0, {{0}}, {{0}}, {{0}}};
    size_t n = 0;
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        int i = trial.n++;
        trial.inputs[i] = pairs_of((kf__dtype)t, t != row, PAIRS, trial.shapes[i]);
        n += (size_t)snprintf(text + n, TEXT - n, "%sx%d = cast(x%d, %s)", n ? "; " : "", t, t,
                              kf__types[t].alias);
    }
    const char *comma = "; ";
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        if (strstr(format, "+") && t == KF__BOOL && row == KF__BOOL) continue;
        char left[8], right[8];
        snprintf(left, sizeof left, "x%d", row);
        snprintf(right, sizeof right, "x%d", t);
        n += (size_t)snprintf(text + n, TEXT - n, "%s", comma);
        n += (size_t)snprintf(text + n, TEXT - n, format, left, right);
        comma = ", ";
    }
    assert_true(n < TEXT);
    check_on(&trial, strchr(format, '+') != NULL); /* compiling is slow */
    free_inputs(&trial);
}

static void test_promotion(void **state) {
    for (int row = 0; row < KF__DTYPE_COUNT; row++) {
        check_row(*state, row, "(%s + %s)");
        check_row(*state, row, "(%s < %s)");
    }
}

static void test_dtypes(void **state) { /* the result's dtype is the table's */
    for (int a = 0; a < KF__DTYPE_COUNT; a++)
        for (int b = 0; b < KF__DTYPE_COUNT; b++) {
            trial_t trial = {*state, "where(x == y, x, y), x < y, x / y, concat((x, y))", 2,
                             {{0}}, {{0}}, {{0}}};
            int64_t one[1] = {3};
            kf_graph *g = NULL;
            kf_error err = {0};
            trial.inputs[0] = (kf_array){NULL, cpu, 1, kf__types[a].dlpack, one, NULL, 0};
            trial.inputs[1] = (kf_array){NULL, cpu, 1, kf__types[b].dlpack, one, NULL, 0};
            assert_int_equal(check_graph(&trial, &g, &err), KF_OK);
            kf__dtype both = kf__promote((kf__dtype)a, (kf__dtype)b);
            kf__dtype held = a == b ? (kf__dtype)a : both; /* where only moves a float8 */
            assert_int_equal(kf__at(g, g->results.at[0])->dtype, held);
            assert_int_equal(kf__at(g, g->results.at[1])->dtype, KF__BOOL);
            assert_int_equal(kf__at(g, g->results.at[2])->dtype,
                             kf__is_float(both) ? both : KF__F32);
            assert_int_equal(kf__at(g, g->results.at[3])->dtype, held);
            kf_graph_free(g);
        }
}

/* ---------------------------------------------------------------- casts */

static void test_casts(void **state) {
    char text[TEXT];
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        trial_t trial = {*state, text, 1, {{0}}, {{0}}, {{0}}};
        size_t n = 0;
        trial.inputs[0] = pairs_of((kf__dtype)t, true, PAIRS, trial.shapes[0]);
        for (int to = 0; to < KF__DTYPE_COUNT; to++)
            n += (size_t)snprintf(text + n, TEXT - n, "%scast(x, %s)", n ? ", " : "",
                                  kf__types[to].alias);
        check(&trial);
        n = 0;
        for (int to = 0; to < KF__DTYPE_COUNT; to++) /* by way of it, and on to a narrow one */
            n += (size_t)snprintf(text + n, TEXT - n, "%scast(cast(x, %s), bf16)", n ? ", " : "",
                                  kf__types[to].alias);
        check_on(&trial, false);
        free_inputs(&trial);
    }
}

/* ---------------------------------------------------------------- reductions */

static const char *const reductions[] = {
    "sum(x, %s), prod(x, %s)", "max(x, %s), min(x, %s)", "any(x, %s), all(x, %s)",
    "mean(x, %s), var(x, %s)",
};

static void reduce(kf_context *ctx, kf__dtype t, bool special, int rows, int columns) {
    static const char *const axes[] = {"-1", "0", "None"};
    trial_t trial = {ctx, NULL, 1, {{0}}, {{0}}, {{0}}};
    char text[TEXT], values[64 * 8];
    int size = kf__types[t].size, n = rows * columns, own = fill_values(t, values);
    kf_array *a = &trial.inputs[0];
    *a = (kf_array){malloc((size_t)(n * size)), cpu, 2, kf__types[t].dlpack, trial.shapes[0], NULL,
                    0};
    trial.shapes[0][0] = rows, trial.shapes[0][1] = columns;
    for (int i = 0; i < n; i++) {
        char *at = (char *)a->data + i * size;
        int v = (i * 7 + i / columns * 3) % 11;
        if (special) memcpy(at, values + (i * 5 + i / 13) % own * size, (size_t)size);
        else if (kf__is_float(t)) element_store(t, at, v * 0.375 - 1.5);
        else put_int(t, at, t == KF__U8 ? v : v - 4);
    }
    for (size_t k = 0; k < KF__COUNT(axes); k++) {
        size_t length = 0;
        for (size_t r = 0; r < KF__COUNT(reductions); r++) {
            length += (size_t)snprintf(text + length, TEXT - length, "%s", r ? ", " : "");
            length += (size_t)snprintf(text + length, TEXT - length, reductions[r], axes[k],
                                       axes[k]);
        }
        trial.text = text;
        check(&trial);
    }
    trial.text = "x - max(x, -1, keepdims=True), cast(x, f32) / (sum(x, -1, keepdims=True) + 1)";
    if (t == KF__BOOL) trial.text = "x ^ any(x, -1, keepdims=True)";
    check(&trial);
    free_inputs(&trial);
}

static void test_reductions(void **state) {
    for (int t = 0; t < KF__DTYPE_COUNT; t++) {
        reduce(*state, (kf__dtype)t, false, 9, 40);
        reduce(*state, (kf__dtype)t, true, 5, 37);
    }
}

/* ---------------------------------------------------------------- weak numbers */

static void test_weak(void **state) {
    static const struct {
        const char *type, *text, *result; /* NULL: refused */
    } cases[] = {
        {"u8", "x + 255", "u8"},        {"u8", "x + 256", NULL},      {"u8", "x - -1", NULL},
        {"i8", "x + 127", "i8"},        {"i8", "x * 128", NULL},      {"i8", "x + -128", "i8"},
        {"i16", "x // 40000", NULL},    {"i32", "x ^ 2147483648", NULL},
        {"i32", "x + 2147483647", "i32"},
        {"u8", "x < 300", "bool"},      {"u8", "x == -1", "bool"},    {"i8", "x > 1000", "bool"},
        {"i64", "x + 9223372036854775807", "i64"},
        {"i8", "x * 0.5", "f32"},       {"i64", "x * 0.5", "f32"},    {"i32", "x / 2", "f32"},
        {"bool", "x + 1", "i64"},       {"bool", "x * 2.5", "f32"},   {"bool", "x / 2", "f32"},
        {"f16", "x * 2", "f16"},        {"bf16", "x + 0.1", "bf16"},  {"f8e4m3", "x * 2", "f32"},
        {"f8e5m2", "-x", "f32"},        {"f64", "x * 0.1", "f64"},    {"f16", "x + 1e6", "f16"},
        {"f16", "where(x > 0, 1, 0.5)", "f32"},                       {"bool", "x & True", "bool"},
        {"bool", "-x", NULL},           {"bool", "x + x", NULL},      {"bool", "x // x", NULL},
        {"bool", "x ** x", NULL},       {"bool", "x << 1", "i64"},    {"f32", "x & 1", NULL},
        {"f32", "x << 1", NULL},        {"bool", "x / x", "f32"},     {"i8", "x ** 2", "i8"},
        {"u8", "~x", "u8"},             {"f16", "x ** 0.5", "f16"},   {"i8", "exp(x)", "f32"},
    };
    for (size_t i = 0; i < KF__COUNT(cases); i++) {
        trial_t trial = {*state, cases[i].text, 1, {{0}}, {{0}}, {{0}}};
        kf__dtype t, want;
        kf_graph *g = NULL;
        kf_error err = {0};
        assert_true(kf__dtype_from_name(cases[i].type, strlen(cases[i].type), &t));
        trial.inputs[0] = pairs_of(t, true, PAIRS, trial.shapes[0]);
        kf_status status = check_graph(&trial, &g, &err);
        if (!cases[i].result) {
            if (status != KF_ERR_TYPE || strlen(err.message) < 20)
                fail_msg("%s of %s: status %d, %s", cases[i].text, cases[i].type, (int)status,
                         err.message);
        } else {
            if (status != KF_OK)
                fail_msg("%s of %s: %s", cases[i].text, cases[i].type, err.message);
            assert_true(kf__dtype_from_name(cases[i].result, strlen(cases[i].result), &want));
            if (kf__at(g, g->results.at[0])->dtype != want)
                fail_msg("%s of %s is %s", cases[i].text, cases[i].type,
                         kf__types[kf__at(g, g->results.at[0])->dtype].name);
            check(&trial);
        }
        kf_graph_free(g);
        free_inputs(&trial);
    }
}

static int setup(void **state) {
    kf_error err = {0};
    *state = kf_context_create(NULL, &err);
    return *state ? 0 : 1;
}
static int teardown(void **state) {
    kf_context_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_dtypes),     cmocka_unit_test(test_casts),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_weak),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
