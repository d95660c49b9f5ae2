/* Every composite of src/library against values from elsewhere: tests/reference/composites, a file
 * for each of the library's.
 *
 * A case is compiled as float32, float64 and some as float16 or bfloat16. Each must agree with the
 * oracle, float32 fused and unfused; float32 and float64 with the reference values, to a few ulp;
 * and each dtype has as many kernels, of the kind, as the case says. A composite, or a parameter of
 * one, that no case calls fails the test.
 *
 *     test_library [FILE]      one file of the library; "coverage": only that all is called */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "oracle/eval.h"
#include "parse/builtin.h"
#include "pipeline.h"
#include "support/reference.h"

static int failures;

#define COMPLAIN(...) (failures++, print_error(__VA_ARGS__))

/* ---------------------------------------------------------------- one case in one dtype */

typedef struct trial {
    kf_context *ctx;
    const reference *r;
    const kf_function *function;
    kf__dtype floats; /* what the case's floats are */
    kf_fusion fusion;
    bool run;         /* else: only made, and its kernels counted */
    int n;            /* of inputs, in the function's order */
    kf_array arrays[REFERENCE_INPUTS];
    kf_spec specs[REFERENCE_INPUTS];
    kf_scalar by_input[REFERENCE_INPUTS], scalars[REFERENCE_INPUTS]; /* these: numbers alone */
} trial;

static const char *told(const trial *t) {
    static char text[80];
    snprintf(text, sizeof text, "%s, %s", kf__types[t->floats].name,
             t->fusion == KF_FUSION_ON ? "fused" : "unfused");
    return text;
}

/* An array of halves that are nearest to the case's numbers. */
static kf_array halves(kf_context *ctx, reference_value *v, kf__dtype half) {
    kf_error err = {0};
    kf_array from = reference_array(v, KF__F32), to = {0};
    const char *text = half == KF__F16 ? "cast(x, float16)" : "cast(x, bfloat16)";
    if (kf_eval(ctx, text, 1, &from, 1, &to, &err) != KF_OK) fail_msg("%s", err.message);
    kf_array array = {calloc((size_t)v->n + 1, 2), {KF_CPU, 0}, v->rank, to.dtype, v->shape,
                      NULL, 0};
    assert_non_null(array.data);
    memcpy(array.data, to.data, (size_t)v->n * 2);
    kf_array_free(ctx, &to);
    free(from.data);
    return array;
}

static void make_inputs(trial *t, reference *r) {
    int numbers = 0;
    for (int i = 0; i < t->n; i++) {
        reference_value *v = reference_input(r, kf_function_input_name(t->function, i));
        bool half = t->floats == KF__F16 || t->floats == KF__BF16;
        if (v->scalar) t->scalars[numbers++] = t->by_input[i] = reference_scalar(v);
        else if (half && kf__is_float(v->dtype)) t->arrays[i] = halves(t->ctx, v, t->floats);
        else t->arrays[i] = reference_array(v, t->floats);
        t->specs[i] = reference_spec(v, &t->arrays[i]);
    }
}

static void check_kernels(const trial *t, const kf_program *program) {
    const kf__partition *p = program->partition;
    if (!t->r->kernels || t->fusion != KF_FUSION_ON) return;
    if ((int)p->n_kernels != t->r->kernels)
        COMPLAIN("%s (%s): %d kernels, expected %d\n", t->r->text, told(t), (int)p->n_kernels,
                 t->r->kernels);
    for (uint32_t k = 0; k < p->n_kernels && t->r->kind[0]; k++)
        if (strcmp(kf__kernel_kinds[p->kernels[k].kind], t->r->kind) != 0)
            COMPLAIN("%s (%s): a %s kernel, expected %s\n", t->r->text, told(t),
                     kf__kernel_kinds[p->kernels[k].kind], t->r->kind);
}

/* Against the reference values, in float32 and float64. */
static void check_values(const trial *t, int i, kf__dtype dtype, const double *floats,
                         const int64_t *integers, const char *by) {
    const reference_value *v = &t->r->results[i];
    if (t->floats != KF__F32 && t->floats != KF__F64) return;
    int64_t first = -1, wrong = 0;
    for (int64_t k = v->n; k-- > 0;) {
        if (v->numbers ? reference_near(v, dtype, floats[k], k) : integers[k] == v->integers[k])
            continue;
        first = k, wrong++;
    }
    if (!wrong) return;
    COMPLAIN("%s (%s, %s), result %d: %d wrong; element %d: got %.17g, expected %.17g\n",
             t->r->text, told(t), by, i, (int)wrong, (int)first,
             floats ? floats[first] : (double)integers[first],
             v->numbers ? v->numbers[first] : (double)v->integers[first]);
}

static bool same_form(const trial *t, int i, const kf__oracle_result *o) {
    const reference_value *v = &t->r->results[i];
    bool ok = o->rank == v->rank && !memcmp(o->shape, v->shape, (size_t)v->rank * 8) &&
              kf__is_float(o->dtype) == kf__is_float(v->dtype) &&
              (t->floats != KF__F32 || o->dtype == v->dtype);
    if (!ok)
        COMPLAIN("%s (%s), result %d: %s of rank %d, expected %s of rank %d, or another shape\n",
                 t->r->text, told(t), i, kf__types[o->dtype].name, o->rank,
                 kf__types[v->dtype].name, v->rank);
    return ok;
}

static void check_results(const trial *t, const kf_graph *g, kf__oracle_result *want,
                          kf_array *got) {
    kf_error err = {0};
    for (int i = 0; i < t->r->n_results; i++) {
        kf__compare_stats s;
        if (!same_form(t, i, &want[i])) continue;
        if (kf__compare(g, &want[i], &got[i], &s, &err) != KF_OK) fail_msg("%s", err.message);
        if (!s.ok)
            COMPLAIN("%s (%s), result %d, element %d: got %.9g, the oracle says %.9g within %.3g\n",
                     t->r->text, told(t), i, (int)s.worst, s.got, s.want, s.tolerance);
        double *numbers = calloc((size_t)want[i].count + 1, 8); /* integers: int64_t */
        assert_non_null(numbers);
        kf__o_load(want[i].dtype, got[i].data, kf__types[want[i].dtype].size, want[i].count,
                   numbers);
        check_values(t, i, want[i].dtype, want[i].values ? numbers : NULL,
                     (const int64_t *)(void *)numbers, "compiled");
        check_values(t, i, want[i].dtype, want[i].values, want[i].integers, "oracle");
        free(numbers);
    }
}

/* Run the program; results are made by the library. */
static kf_status run_program(const trial *t, kf_program *program, kf_array *got, kf_error *err) {
    kf_plan *plan = NULL;
    const void *inputs[REFERENCE_INPUTS];
    void *results[REFERENCE_RESULTS];
    KF_TRY(kf_plan_for(program, t->n, t->arrays, t->r->n_results, NULL, &plan, err));
    kf_status status = KF_OK;
    for (int i = 0; i < t->n; i++) inputs[i] = t->arrays[i].data;
    for (int i = 0; i < t->r->n_results && status == KF_OK; i++) {
        kf_plan_result(plan, i, &got[i]);
        status = kf_array_create(t->ctx, (kf_device){KF_CPU, 0}, got[i].dtype, got[i].ndim,
                                 got[i].shape, &got[i], err);
        results[i] = got[i].data;
    }
    void *workspace = malloc(kf_plan_workspace_size(plan) + 256);
    assert_non_null(workspace);
    void *aligned = (void *)(((uintptr_t)workspace + 255) & ~(uintptr_t)255);
    if (status == KF_OK)
        status = kf_run(plan, inputs, results, t->scalars, aligned, NULL, err);
    free(workspace);
    kf_plan_free(plan);
    return status;
}

static kf_status run_trial(trial *t, kf_error *err) {
    kf_graph *g = NULL;
    kf_program *program = NULL;
    kf__oracle_result want[REFERENCE_RESULTS];
    kf_array got[REFERENCE_RESULTS] = {{0}};
    kf_compile_options options = {.struct_size = sizeof options, .fusion = t->fusion};
    KF_TRY(kf_graph_create(t->ctx, t->function, t->n, t->specs, KF_FUSED, &g, err));
    if (kf_graph_result_count(g) != t->r->n_results)
        fail_msg("%s: %d results, expected %d", t->r->text, kf_graph_result_count(g),
                 t->r->n_results);
    KF_TRY(kf_compile(t->ctx, g, &options, &program, err));
    check_kernels(t, program);
    if (!t->run) {
        kf_program_free(program);
        kf_graph_free(g);
        return KF_OK;
    }
    kf__oracle_options how = {.one_kernel = program->partition->n_kernels == 1};
    KF_TRY(kf__oracle(g, t->n, t->arrays, t->by_input, &how, want, err));
    KF_TRY(run_program(t, program, got, err));
    check_results(t, g, want, got);
    for (int i = 0; i < t->r->n_results; i++) kf_array_free(t->ctx, &got[i]);
    kf__oracle_free(g, want);
    kf_program_free(program);
    kf_graph_free(g);
    return KF_OK;
}

/* Compiling is what takes time: the halves take turns, and one of four cases is run in one. */
static void run_case(kf_context *ctx, reference *r, int index) {
    const struct {
        kf__dtype floats;
        kf_fusion fusion;
        bool run;
    } ways[] = {{KF__F32, KF_FUSION_ON, true}, {KF__F32, KF_FUSION_OFF, true},
                {KF__F64, KF_FUSION_ON, true}, {KF__F16, KF_FUSION_ON, index % 8 == 0},
                {KF__BF16, KF_FUSION_ON, index % 8 == 4}};
    kf_error err = {0};
    kf_function *function = NULL;
    bool floats = false;
    if (kf_parse(ctx, r->text, NULL, &function, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    for (int i = 0; i < r->n_inputs; i++)
        floats |= !r->inputs[i].scalar && kf__is_float(r->inputs[i].dtype);
    for (size_t k = 0; k < (floats ? KF__COUNT(ways) : 2); k++) {
        trial t = {.ctx = ctx, .r = r, .function = function, .floats = ways[k].floats,
                   .fusion = ways[k].fusion, .run = ways[k].run,
                   .n = kf_function_input_count(function)};
        assert_true(t.n <= REFERENCE_INPUTS);
        make_inputs(&t, r);
        if (run_trial(&t, &err) != KF_OK)
            fail_msg("%s (%s): %s", r->text, told(&t), err.message);
        for (int i = 0; i < t.n; i++) free(t.arrays[i].data);
    }
    kf_function_free(function);
}

/* ---------------------------------------------------------------- files of the library */

static const char *only; /* the file that was asked for */

/* The i-th file of the library without its ending; false behind the last. */
static bool library_file(size_t i, char *name, size_t size) {
    for (const struct kf__embedded *file = kf__embedded_files; file->name; file++) {
        size_t n = strlen(file->name);
        if (n < 4 || strcmp(file->name + n - 3, ".kf") != 0 || i-- > 0) continue;
        snprintf(name, size, "%.*s", (int)n - 3, file->name);
        return true;
    }
    return false;
}

static FILE *open_cases(const char *name) {
    char path[100];
    snprintf(path, sizeof path, "composites/%s", name);
    return reference_open(path);
}

static void test_values(void **state) {
    (void)state;
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    char name[60];
    assert_non_null(ctx);
    failures = 0;
    for (size_t i = 0; library_file(i, name, sizeof name); i++) {
        reference r;
        if (only && strcmp(only, name) != 0) continue;
        FILE *file = open_cases(name);
        for (int k = 0; reference_next(file, &r); reference_free(&r)) run_case(ctx, &r, k++);
        fclose(file);
    }
    kf_context_free(ctx);
    assert_int_equal(failures, 0);
}

/* ---------------------------------------------------------------- what is called */

typedef struct called {
    char name[60];
    uint64_t params; /* which of them a case gives */
    bool at_all;
} called;

enum { MAX_COMPOSITES = 1000 };
static called composites[MAX_COMPOSITES];
static int n_composites;

static void list_composites(void) {
    kf__library_place place = {0};
    const char *name;
    size_t n;
    while (kf__library_next(&place, &name, &n)) {
        kf__library_place first;
        assert_true(kf__library_find(name, n, &first));
        if (first.text != place.text || first.begin != place.begin)
            COMPLAIN("%.*s is defined in %s and again in %s\n", (int)n, name, first.file,
                     place.file);
        if (name[0] == '_' || kf__builtin_find(name, n)) continue; /* a case named like an op */
        assert_true(n_composites < MAX_COMPOSITES);
        snprintf(composites[n_composites++].name, sizeof composites[0].name, "%.*s", (int)n, name);
    }
}

static void mark_call(const kf__module *module, const kf__ast *call) {
    const kf__def *def = call->call.def;
    called *c = NULL;
    for (int i = 0; def && def->library && i < n_composites; i++)
        if (!strcmp(composites[i].name, def->name)) c = &composites[i];
    if (!c) return;
    c->at_all = true;
    for (uint32_t i = 0; i < call->n; i++) {
        const kf__part *part = &call->part[i];
        uint32_t at = i;
        for (uint32_t k = 0; k < def->n_params && part->name_n; k++)
            if (def->params[k].name_n == part->name_n &&
                !memcmp(def->module->text + def->params[k].name, module->text + part->name,
                        part->name_n))
                at = k;
        c->params |= (uint64_t)1 << at;
    }
}

static void mark_case(const reference *r) {
    kf_error err = {0};
    kf_function *function = NULL;
    if (kf__parse(&kf__malloc, r->text, NULL, &function, &err) != KF_OK)
        fail_msg("%s: %s", r->text, err.message);
    for (const kf__def *d = function->defs; d; d = d->next)
        for (const kf__ast *call = d->library ? NULL : d->calls; call; call = call->call.next_call)
            mark_call(d->module, call);
    kf_function_free(function);
}

static void complain_of_missing(const called *c) {
    kf_error err = {0};
    kf_function *function = NULL;
    if (!c->at_all)
        COMPLAIN("%s has no reference values: see CONTRIBUTING.md\n", c->name);
    else if (kf__parse(&kf__malloc, "", c->name, &function, &err) != KF_OK)
        fail_msg("%s: %s", c->name, err.message);
    for (int i = 0; function && i < kf_function_input_count(function); i++)
        if (!(c->params >> i & 1))
            COMPLAIN("%s: no reference case gives `%s`\n", c->name,
                     kf_function_input_name(function, i));
    kf_function_free(function);
}

static void test_coverage(void **state) {
    (void)state;
    char name[60];
    failures = 0;
    list_composites();
    for (size_t i = 0; library_file(i, name, sizeof name); i++) {
        reference r;
        FILE *file = open_cases(name);
        for (; reference_next(file, &r); reference_free(&r)) mark_case(&r);
        fclose(file);
    }
    for (int i = 0; i < n_composites; i++) complain_of_missing(&composites[i]);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    const struct CMUnitTest coverage[] = {cmocka_unit_test(test_coverage)};
    only = argc > 1 ? argv[1] : NULL;
    if (only && strcmp(only, "coverage") != 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    int failed = cmocka_run_group_tests(coverage, NULL, NULL);
    return only ? failed : failed + cmocka_run_group_tests(tests, NULL, NULL);
}
