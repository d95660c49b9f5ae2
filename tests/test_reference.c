/* The reference values in tests/reference (see make.py there), by the oracle and compiled for the
 * CPU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/eval.h"
#include "parse/parse.h"

enum { MAX_INPUTS = 6, MAX_RESULTS = 4, MAX_DIMS = 4 };

typedef struct value {
    char name[8];
    kf__dtype dtype;
    int rank;
    int64_t shape[MAX_DIMS], n;
    double *numbers;   /* of results that are floats */
    int64_t *integers; /* of other results */
    void *data;        /* as the dtype stores it, of inputs */
    double ulp, rel, abs;
} value;

typedef struct reference {
    char text[160];
    int n_inputs, n_results;
    value inputs[MAX_INPUTS], results[MAX_RESULTS];
} reference;

/* ---------------------------------------------------------------- reading */

static void put(kf__dtype t, void *data, int64_t i, const char *word) {
    switch (t) {
    case KF__F64: ((double *)data)[i] = strtod(word, NULL); return;
    case KF__F32: ((float *)data)[i] = strtof(word, NULL); return;
    case KF__I64: ((int64_t *)data)[i] = strtoll(word, NULL, 10); return;
    case KF__I32: ((int32_t *)data)[i] = (int32_t)strtoll(word, NULL, 10); return;
    case KF__I16: ((int16_t *)data)[i] = (int16_t)strtoll(word, NULL, 10); return;
    case KF__I8: ((int8_t *)data)[i] = (int8_t)strtoll(word, NULL, 10); return;
    default: ((uint8_t *)data)[i] = (uint8_t)strtoll(word, NULL, 10);
    }
}

static void *make(int64_t n, size_t size) {
    void *p = calloc((size_t)n + 1, size);
    assert_non_null(p);
    return p;
}

/* "x float32 3,4 : 1 2 3", "> float32 3,4 ulp 2 : 1 2 3"; a rank of 0 has no shape. */
static void read_value(char *line, value *v, bool result) {
    char *at = line, *word = strsep(&at, " ");
    memset(v, 0, sizeof *v);
    snprintf(v->name, sizeof v->name, "%s", word);
    word = strsep(&at, " ");
    assert_true(kf__dtype_from_name(word, strlen(word), &v->dtype));
    word = strsep(&at, " ");
    v->n = 1;
    for (char *dim; word && *word && (dim = strsep(&word, ","));) {
        assert_true(v->rank < MAX_DIMS);
        v->n *= v->shape[v->rank++] = strtoll(dim, NULL, 10);
    }
    while ((word = strsep(&at, " ")) && strcmp(word, ":") != 0) {
        double number = strtod(strsep(&at, " "), NULL);
        *(!strcmp(word, "ulp") ? &v->ulp : !strcmp(word, "rel") ? &v->rel : &v->abs) = number;
    }
    if (result && kf__is_float(v->dtype)) v->numbers = make(v->n, 8);
    else if (result) v->integers = make(v->n, 8);
    else v->data = make(v->n, 8);
    for (int64_t i = 0; i < v->n; i++) {
        word = strsep(&at, " ");
        assert_non_null(word);
        if (v->numbers) v->numbers[i] = strtod(word, NULL);
        else if (v->integers) v->integers[i] = strtoll(word, NULL, 10);
        else put(v->dtype, v->data, i, word);
    }
}

static void free_values(reference *r) {
    for (int i = 0; i < r->n_inputs; i++) free(r->inputs[i].data);
    for (int i = 0; i < r->n_results; i++) {
        free(r->results[i].numbers);
        free(r->results[i].integers);
    }
}

/* ---------------------------------------------------------------- comparing */

static bool near(const value *v, double got, double want) {
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    double room = v->ulp * kf__o_ulp(v->dtype, want) + v->rel * fabs(want) + v->abs;
    if (got == want || (room == 0 && got == kf__o_round(v->dtype, want))) return true;
    return isfinite(got) == isfinite(want) && fabs(got - want) <= room;
}

static int failures; /* of a file */

static void check(const reference *r, int i, int64_t k, double number, int64_t integer,
                  const char *by) {
    const value *v = &r->results[i];
    if (v->numbers && !near(v, number, v->numbers[k]))
        failures++, print_error("%s: %s, result %d, element %d: got %.9g, expected %.9g\n", by,
                                r->text, i, (int)k, number, v->numbers[k]);
    if (v->integers && integer != v->integers[k])
        failures++, print_error("%s: %s, result %d, element %d: got %lld, expected %lld\n", by,
                                r->text, i, (int)k, (long long)integer, (long long)v->integers[k]);
}

/* ---------------------------------------------------------------- running */

static value *input_named(reference *r, const char *name) {
    for (int i = 0; i < r->n_inputs; i++)
        if (!strcmp(r->inputs[i].name, name)) return &r->inputs[i];
    fail_msg("%s: no input %s", r->text, name);
    return NULL;
}

static kf_array array_of(value *v) {
    return (kf_array){v->data, {KF_CPU, 0}, v->rank, kf__types[v->dtype].dlpack, v->shape, NULL, 0};
}

static void by_oracle(reference *r, const kf_function *function, const kf_array *arrays, int n) {
    kf_error err = {0};
    kf_graph *g = NULL;
    kf_spec specs[MAX_INPUTS] = {{0}};
    kf__oracle_result got[MAX_RESULTS];
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
    kf_array out[MAX_RESULTS] = {{0}};
    if (kf_eval(ctx, r->text, n, arrays, r->n_results, out, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    for (int i = 0; i < r->n_results; i++) {
        const value *v = &r->results[i];
        double *got = make(v->n, 8);
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
    kf_array arrays[MAX_INPUTS];
    if (!r->n_results) return;
    if (kf__parse(&kf__malloc, r->text, NULL, &function, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    int n = kf_function_input_count(function);
    assert_true(n <= MAX_INPUTS);
    for (int i = 0; i < n; i++)
        arrays[i] = array_of(input_named(r, kf_function_input_name(function, i)));
    by_oracle(r, function, arrays, n);
    by_kernels(r, ctx, arrays, n);
    kf_function_free(function);
    free_values(r);
}

static void run_file(const char *name) {
    char path[512], *line = NULL;
    size_t size = 0;
    ssize_t n;
    reference r;
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    memset(&r, 0, sizeof r);
    snprintf(path, sizeof path, "%s/tests/reference/%s.txt", KFUSE_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    failures = 0;
    while ((n = getline(&line, &size, file)) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#') continue;
        if (line[0] == '=') {
            run(&r, ctx);
            memset(&r, 0, sizeof r);
            snprintf(r.text, sizeof r.text, "%s", line + 2);
        } else if (line[0] == '>') {
            assert_true(r.n_results < MAX_RESULTS);
            read_value(line, &r.results[r.n_results++], true);
        } else {
            assert_true(r.n_inputs < MAX_INPUTS);
            read_value(line, &r.inputs[r.n_inputs++], false);
        }
    }
    run(&r, ctx);
    fclose(file);
    free(line);
    kf_context_free(ctx);
    assert_int_equal(failures, 0);
}

static void test_float_ops(void **state) { (void)state; run_file("float_ops"); }
static void test_int_ops(void **state) { (void)state; run_file("int_ops"); }
static void test_reductions(void **state) { (void)state; run_file("reductions"); }
static void test_composites(void **state) { (void)state; run_file("composites"); }
static void test_functions(void **state) { (void)state; run_file("functions"); }
static void test_random(void **state) { (void)state; run_file("random"); }
static void test_joins(void **state) { (void)state; run_file("joins"); }

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_ops), cmocka_unit_test(test_int_ops),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_composites),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_random), cmocka_unit_test(test_joins),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]); /* "test_joins": one file */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
