/* The reference values in tests/reference (see make.py there), by the oracle and compiled for the
 * CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/eval.h"
#include "parse/parse.h"
#include "support/reference.h"

/* ---------------------------------------------------------------- comparing */

static int failures; /* of a file */

static void check(const reference *r, int i, int64_t k, double number, int64_t integer,
                  const char *by) {
    const reference_value *v = &r->results[i];
    if (v->numbers && !reference_near(v, v->dtype, number, k))
        failures++, print_error("%s: %s, result %d, element %d: got %.9g, expected %.9g\n", by,
                                r->text, i, (int)k, number, v->numbers[k]);
    if (v->integers && integer != v->integers[k])
        failures++, print_error("%s: %s, result %d, element %d: got %lld, expected %lld\n", by,
                                r->text, i, (int)k, (long long)integer, (long long)v->integers[k]);
}

/* ---------------------------------------------------------------- running */

static void by_oracle(reference *r, const kf_function *function, const kf_array *arrays, int n) {
    kf_error err = {0};
    kf_graph *g = NULL;
    kf_spec specs[REFERENCE_INPUTS] = {{0}};
    kf__oracle_result got[REFERENCE_RESULTS];
    for (int i = 0; i < n; i++)
        specs[i] = (kf_spec){.dtype = arrays[i].dtype, .ndim = arrays[i].ndim,
                             .shape = arrays[i].shape};
    if (kf__instantiate(&kf__malloc, function, n, specs, KF_FUSED, &g, &err) != KF_OK ||
        kf__oracle(g, n, arrays, NULL, &(kf__oracle_options){.samples = -1}, got, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    assert_int_equal(g->results.n, r->n_results);
    for (int i = 0; i < r->n_results; i++) {
        if (got[i].dtype != r->results[i].dtype || got[i].count != r->results[i].n)
            fail_msg("%s: another dtype or size", r->text);
        for (int64_t k = 0; k < got[i].count; k++)
            check(r, i, k, got[i].values ? got[i].values[k] : 0,
                  got[i].integers ? got[i].integers[k] : 0, "oracle");
    }
    kf__oracle_free(g, got);
    kf_graph_free(g);
}

static void by_kernels(reference *r, kf_context *ctx, const kf_array *arrays, int n) {
    kf_error err = {0};
    kf_array out[REFERENCE_RESULTS] = {{0}};
    if (kf_eval(ctx, r->text, n, arrays, r->n_results, out, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    for (int i = 0; i < r->n_results; i++) {
        const reference_value *v = &r->results[i];
        double *got = calloc((size_t)v->n + 1, 8);
        assert_non_null(got);
        kf__o_load(v->dtype, out[i].data, kf__types[v->dtype].size, v->n, got);
        for (int64_t k = 0; k < v->n; k++) {
            int64_t integer;
            memcpy(&integer, &got[k], 8);
            check(r, i, k, got[k], integer, "compiled");
        }
        free(got);
        kf_array_free(ctx, &out[i]);
    }
}

static void run(reference *r, kf_context *ctx) {
    kf_error err = {0};
    kf_function *function = NULL;
    kf_array arrays[REFERENCE_INPUTS];
    if (kf__parse(&kf__malloc, r->text, NULL, &function, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    int n = kf_function_input_count(function);
    assert_true(n <= REFERENCE_INPUTS);
    for (int i = 0; i < n; i++)
        arrays[i] = reference_array(reference_input(r, kf_function_input_name(function, i)),
                                    KF__DTYPE_COUNT);
    by_oracle(r, function, arrays, n);
    by_kernels(r, ctx, arrays, n);
    for (int i = 0; i < n; i++) free(arrays[i].data);
    kf_function_free(function);
}

static void run_file(const char *name) {
    kf_error err = {0};
    reference r;
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    FILE *file = reference_open(name);
    failures = 0;
    for (; reference_next(file, &r); reference_free(&r)) run(&r, ctx);
    fclose(file);
    kf_context_free(ctx);
    assert_int_equal(failures, 0);
}

static void test_float_ops(void **state) { (void)state; run_file("float_ops"); }
static void test_int_ops(void **state) { (void)state; run_file("int_ops"); }
static void test_reductions(void **state) { (void)state; run_file("reductions"); }
static void test_functions(void **state) { (void)state; run_file("functions"); }
static void test_random(void **state) { (void)state; run_file("random"); }
static void test_joins(void **state) { (void)state; run_file("joins"); }

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_ops), cmocka_unit_test(test_int_ops),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_functions),
        cmocka_unit_test(test_random), cmocka_unit_test(test_joins),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]); /* "test_joins": one file */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
