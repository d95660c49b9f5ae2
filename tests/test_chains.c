/* Chains of many operations: what planning them takes, counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/stages.h"

/* A text: `line`, n times, between y = x and y. */
static void chain(kf__text *out, const char *line, int n) {
    kf__text_init(out, &kf__malloc);
    kf__print(out, "y = x\n");
    for (int i = 0; i < n; i++) kf__print(out, "%s\n", line);
    kf__print(out, "y\n");
}

static void plan(stages *s, const char *line, int n, const char *head, kf__target_kind target) {
    kf__text text;
    kf_error err = {0};
    chain(&text, line, n);
    if (stages_make(s, text.at, head, target, &err)) fail_msg("%s: %s", line, err.message);
    kf__text_free(&text);
}

/* While kernels are tried the same is asked of indices and sizes over and over: of the first chain
 * twelve million times. */
static const struct {
    const char *line, *head;
    int n;
    unsigned long long most; /* questions whose answers weren't known */
} indexed[] = {
    {"y = concatenate([y, y[:1]])", "# x: f32[4, 3]\n", 60, 200000},
    {"y = concatenate([y * 2, sin(y[:2])])", "# x: f32[4, 3]\n", 60, 300000},
    {"y = y.T.reshape(y.shape) + y", "# x: f32[4, 3]\n", 60, 10000},
    {"y = concatenate([y, y[-1:] + y[-2:-1]])", "# x: f32[2]\n", 100, 100000},
    {"y = roll(y, 1)", "# x: f32[1000]\n", 300, 100000},
};

static void test_indices(void **state) {
    (void)state;
    for (size_t i = 0; i < KF__COUNT(indexed); i++) {
        stages s;
        plan(&s, indexed[i].line, indexed[i].n, indexed[i].head, KF__TARGET_C);
        unsigned long long answers = s.partition->graph->exprs.answers;
        if (answers > indexed[i].most) fail_msg("%s: %llu answers", indexed[i].line, answers);
        stages_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
