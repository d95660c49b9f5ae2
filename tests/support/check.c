#include "support/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const kf_device cpu = {KF_CPU, 0}, emulated = {KF_CUDA_EMULATED, 0};

kf_status check_graph(const trial_t *t, kf_graph **g, kf_error *err) {
    kf_function *f = NULL;
    kf_spec specs[CHECK_INPUTS];
    KF_TRY(kf_parse(t->ctx, t->text, NULL, &f, err));
    for (int i = 0; i < t->n; i++)
        specs[i] = (kf_spec){.kind = KF_SPEC_ARRAY, .dtype = t->inputs[i].dtype,
                             .ndim = t->inputs[i].ndim, .shape = t->inputs[i].shape};
    kf_status status = kf_graph_create(t->ctx, f, t->n, specs, KF_FUSED, g, err);
    kf_function_free(f);
    return status;
}

static void compare(const trial_t *t, const kf_graph *g, const kf__oracle_result *want,
                    const kf_array *got, int i, const char *where) {
    kf__compare_stats s;
    kf_error err = {0};
    if (kf__compare(g, &want[i], got, &s, &err) != KF_OK)
        fail_msg("%s\n%s: result %d: %s", t->text, where, i, err.message);
    if (s.ok) return;
    kf__oracle_result again[CHECK_RESULTS]; /* a tolerance of more samples before complaining */
    kf__oracle_options options = {.samples = 65};
    assert_int_equal(kf__oracle(g, t->n, t->inputs, NULL, &options, again, &err), KF_OK);
    assert_int_equal(kf__compare(g, &again[i], got, &s, &err), KF_OK);
    kf__oracle_free(g, again);
    if (!s.ok)
        fail_msg("%s\n%s, %s: result %d at %lld is %.17g, must be %.17g within %g; %lld wrong",
                 t->text, where, kf__types[kf__at(g, g->inputs.at[0].node)->dtype].name, i,
                 (long long)s.worst, s.got, s.want, s.tolerance, (long long)s.wrong);
}

static void run_on(const trial_t *t, const kf_graph *g, const kf__oracle_result *want,
                   kf_device device, const char *where) {
    kf_array inputs[CHECK_INPUTS], results[CHECK_RESULTS] = {{0}};
    kf_error err = {0};
    for (int i = 0; i < t->n; i++) {
        inputs[i] = t->inputs[i];
        inputs[i].device = device;
    }
    if (kf_eval(t->ctx, t->text, t->n, inputs, (int)g->results.n, results, &err) != KF_OK)
        fail_msg("%s\n%s: %s", t->text, where, err.message);
    for (uint32_t i = 0; i < g->results.n; i++) {
        kf_array host = results[i];
        host.device = cpu;
        compare(t, g, want, &host, (int)i, where);
        kf_array_free(t->ctx, &results[i]);
    }
}

void check_on(const trial_t *t, bool both_targets) {
    kf_graph *g = NULL;
    kf__oracle_result want[CHECK_RESULTS];
    kf_error err = {0};
    if (check_graph(t, &g, &err) != KF_OK) fail_msg("%s\n%s", t->text, err.message);
    assert_true(g->results.n <= CHECK_RESULTS);
    if (kf__oracle(g, t->n, t->inputs, NULL, NULL, want, &err) != KF_OK)
        fail_msg("%s\nthe oracle: %s", t->text, err.message);
    run_on(t, g, want, cpu, "cpu");
    if (both_targets) run_on(t, g, want, emulated, "emulated");
    kf__oracle_free(g, want);
    kf_graph_free(g);
}
