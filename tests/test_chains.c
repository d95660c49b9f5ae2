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

/* Compilers take long for long kernels, more than twice for twice as much. */
static const struct {
    const char *line;
    int n;
    uint32_t kernels;
} cut[] = {
    {"y = sin(y)", 60, 1},
    {"y = sin(y)", 200, 4},
    {"y = y * 1.5 - x", 500, 1},
};

static void test_kernels(void **state) {
    (void)state;
    for (int target = 0; target < KF__TARGET_KINDS; target++)
        for (size_t i = 0; i < KF__COUNT(cut); i++) {
            stages s;
            plan(&s, cut[i].line, cut[i].n, "# x: f32[1000]\n", (kf__target_kind)target);
            const kf__partition *p = s.partition;
            if (p->n_kernels != cut[i].kernels)
                fail_msg("%s: %u kernels", cut[i].line, (unsigned)p->n_kernels);
            for (uint32_t c = 0; c < p->n_cuts; c++)
                assert_string_equal(p->cuts[c].code, "capacity");
            stages_free(&s);
        }
}

/* What is made of numbers alone isn't stored, however long. */
static void test_numbers(void **state) {
    (void)state;
    kf__text text;
    kf_error err = {0};
    stages s;
    kf__text_init(&text, &kf__malloc);
    kf__print(&text, "y = sum(ones(x.shape))\n");
    for (int i = 0; i < 150; i++) kf__print(&text, "y = sin(y) + 1\n");
    kf__print(&text, "x * y\n");
    if (stages_make(&s, text.at, "# x: f32[1000]\n", KF__TARGET_C, &err))
        fail_msg("%s", err.message);
    stages_free(&s);
    kf__text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
