/* The fuzzer itself: its programs are made in bounded time, its grammar reaches all of the library,
 * what it counts as covered is what ran, and its programs cover what can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/coverage.h"
#include "fuzz/generate.h"
#include "pipeline.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SLOW = 10 };
#else
enum { SLOW = 1 };
#endif

/* ---------------------------------------------------------------- generation */

static void programs_are_made_in_bounded_time(void **state) {
    (void)state;
    int64_t steps = 0, aimed = 0;
    alarm(SLOW * 600); /* one that hangs ends this, a busy machine doesn't */
    double begin = fz_seconds(), longest = 0;
    for (int i = 0; i < 20000 / SLOW; i++) {
        fz_random r = {(uint64_t)(i % 200) * 0x9e3779b97f4a7c15u + (uint64_t)i * 77};
        fz_program p;
        fz_aim aim;
        double t = fz_seconds();
        if (i % 3 || !fz_choose_aim(NULL, KF__TARGET_C, &r, &aim) || !fz_generate_for(&p, &r, &aim))
            fz_generate(&p, &r);
        else
            aimed++;
        assert_in_range(p.n_steps, 0, FZ_STEPS);
        assert_in_range(p.n_results, 1, FZ_RESULTS);
        steps += p.n_steps;
        longest = longest > fz_seconds() - t ? longest : fz_seconds() - t;
    }
    alarm(0);
    print_message("%.1f s, the longest %.3f s; %.1f lines a program\n", fz_seconds() - begin,
                  longest, (double)steps / (20000.0 / SLOW));
    assert_true(steps > 40000 / SLOW && aimed > 5000 / SLOW);
}

static bool can_be_made(int composite, fz_random *r) {
    static const kf__dtype types[] = {KF__F32, KF__F32, KF__I32, KF__I8, KF__BOOL};
    for (int tries = 0; tries < 400; tries++) {
        fz_program p = {0};
        fz_pool pool = {0};
        char text[FZ_LINE];
        fz_make_inputs(&p, &pool, r, 1 + fz_below(r, 3) + tries / 200,
                       types[fz_below(r, (int)KF__COUNT(types))], true);
        fz_composite_text(r, composite, text, sizeof text);
        int args[3] = {0, fz_below(r, p.n_inputs), fz_below(r, p.n_inputs)};
        if (fz_add_step(&p, &pool, text, args) >= 0) return true;
    }
    return false;
}

static void the_grammar_has_every_composite(void **state) {
    (void)state;
    fz_random r = {4};
    int missing = 0, n = 0;
    for (; fz_composite(n); n++) {
        bool made = can_be_made(n, &r);
        if (!made)
            print_message("%s: no random call is taken: see fuzz/library.c\n", fz_composite(n));
        missing += !made;
    }
    assert_true(n > 200);
    assert_int_equal(missing, 0);
}

/* ---------------------------------------------------------------- coverage */

typedef struct fixture {
    uint64_t division;
    kf_context *ctx;
    fz_coverage *coverage;
    fz_options opt;
} fixture;

static void begin(fixture *f) {
    kf_error err = {0};
    *f = (fixture){.ctx = kf_context_create(NULL, &err), .coverage = fz_coverage_new()};
    assert_non_null(f->ctx);
    assert_non_null(f->coverage);
    f->opt = (fz_options){.device = {KF_CPU, 0}, .coverage = f->coverage};
}

static void end(fixture *f) {
    fz_coverage_free(f->coverage);
    kf_context_free(f->ctx);
}

static uint32_t cell(const fz_coverage *c, int operation, kf__dtype t, int layout, int kind,
                     int cut) {
    return (*c->target[KF__TARGET_C])[operation][t][layout][kind][cut];
}

/* What a replayed text is counted as. */
static void foresee(fixture *f, const char *text, const char *const *arguments) {
    fz_program p = {.n_results = 1};
    fz_trial trial = {.results = FZ_PLAIN};
    fz_failure failure;
    for (int d = 0; d < FZ_SYMBOLS; d++) trial.sizes[d] = -1;
    snprintf(p.fixed, sizeof p.fixed, "%s", text);
    for (; *arguments; arguments++) assert_true(fz_parse_argument(*arguments, &p, &trial));
    assert_int_equal(fz_foresee(f->ctx, &p, 1, &trial, &f->opt, &failure), FZ_PASS);
}

static void cells_are_what_kernels_do(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    fz_coverage *c = f.coverage;
    const int sum = FZ_FIRST_REDUCTION + KF__RED_SUM; /* what a mean alone becomes */
    foresee(&f, "exp(x - mean(x, axis=0, keepdims=True))",
            (const char *const[]){"x=f16[70,9]/t/t/1/0", NULL});
    /* the column's mean is stored; then its difference is made beside it */
    const int axis = KF__CUT_REDUCTION_AXIS;
    assert_int_equal(cell(c, sum, KF__F16, FZ_TRANSPOSED, KF__COLUMN, axis), 1);
    assert_int_equal(cell(c, KF__SUBTRACT, KF__F16, FZ_TRANSPOSED, KF__POINTWISE, axis), 1);
    assert_int_equal(cell(c, KF__EXP, KF__F16, FZ_CELL_TEMPORARY, KF__POINTWISE, axis), 1);
    assert_int_equal(cell(c, KF__EXP, KF__F16, FZ_PLAIN, KF__POINTWISE, axis), 0);
    assert_int_equal(cell(c, KF__EXP, KF__F16, FZ_TRANSPOSED, KF__COLUMN, axis), 0);
    foresee(&f, "x.T", (const char *const[]){"x=i8[5,9]/b/t/1/0", NULL});
    const int permute = FZ_FIRST_STRUCTURAL + FZ_PERMUTE;
    assert_int_equal(cell(c, permute, KF__I8, FZ_BROADCAST, KF__COPY, KF__CUT_NONE), 1);
    foresee(&f, "cast(arange(7), u8)", (const char *const[]){NULL});
    assert_int_equal(cell(c, FZ_FIRST_CAST + KF__U8, KF__I64, FZ_CELL_NONE, KF__POINTWISE, 0), 1);
    /* of the concatenation that roll is only one part is read: it has no instruction */
    foresee(&f, "roll(sum(x, axis=-1, keepdims=True), 3, axis=0)[3:]",
            (const char *const[]){"x=f32[13,9]/p/t/1/0", NULL});
    const int slice = FZ_FIRST_STRUCTURAL + FZ_SLICE, temporary = FZ_CELL_TEMPORARY;
    assert_int_equal(cell(c, slice, KF__F32, FZ_CELL_NONE, KF__COPY, axis), 0);
    assert_int_not_equal(cell(c, slice, KF__F32, temporary, KF__COPY, axis), 0);
    assert_int_equal(c->graphs[KF__TARGET_C], 4);
    end(&f);
}

static void files_add_up(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    foresee(&f, "x + 1, sum(x)", (const char *const[]){"x=f32[70,9]/f/t/1/0", NULL});
    char path[] = "/tmp/kfuse-coverage-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(fz_coverage_write(f.coverage, path));
    fz_coverage *twice = fz_coverage_new();
    assert_true(fz_coverage_read(twice, path) && fz_coverage_read(twice, path));
    assert_int_equal(twice->graphs[KF__TARGET_C], 2);
    const uint32_t *one = &(*f.coverage->target[KF__TARGET_C])[0][0][0][0][0];
    const uint32_t *two = &(*twice->target[KF__TARGET_C])[0][0][0][0][0];
    for (size_t i = 0; i < sizeof(fz_cells) / sizeof *one; i++)
        assert_int_equal(two[i], 2 * one[i]);
    assert_true(fz_missing(twice->pairs[KF__TARGET_C], false) > 1000);
    static const char *const bad[] = {"3\tcpu\tadd\tf32\tplain\tpointwise\n", "x\n",
                                      "graphs\tgpu\t3\n",
                                      "3\tcpu\tadd\tf33\tplain\tpointwise\tnone\n"};
    for (size_t i = 0; i < KF__COUNT(bad); i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(bad[i], file);
        fclose(file);
        assert_false(fz_coverage_read(twice, path));
    }
    unlink(path);
    assert_false(fz_coverage_read(twice, path));
    fz_coverage_free(twice);
    end(&f);
}

/* Programs aimed at what is empty, counted but not run. */
static void some_thousand_programs_cover_all(void **state) {
    (void)state;
    fixture f;
    int missing = -1, n = 0;
    begin(&f);
    for (; n < (SLOW > 1 ? 1600 : 8000) && missing; n++) {
        fz_random r = {(uint64_t)n * 0xd1342543de82ef95u};
        fz_program p;
        fz_aim aim;
        fz_trial trials[2];
        fz_failure failure = {{0}};
        kf_graph *g = NULL;
        int which[FZ_INPUTS];
        if (!fz_choose_aim(f.coverage, KF__TARGET_C, &r, &aim) || !fz_generate_for(&p, &r, &aim))
            continue;
        assert_int_equal(fz_graph(&p, KF_FUSED, &g, which, NULL), KF_OK);
        fz_make_trials(&p, g, which, &r, false, 2, 1, aim.layout, trials);
        kf_graph_free(g);
        if (fz_foresee(f.ctx, &p, 2, trials, &f.opt, &failure) == FZ_FAIL) {
            char line[FZ_TEXT + 1024];
            fz_print_replay(&p, trials, 1, &f.opt, line, sizeof line);
            fail_msg("%s\n%s", failure.what, line);
        }
        if (n % 100 == 99) missing = fz_missing(f.coverage->pairs[KF__TARGET_C], false);
    }
    print_message("%d programs, %d pairs missing\n", n, missing);
    if (missing) fz_missing(f.coverage->pairs[KF__TARGET_C], true);
    assert_in_range(missing, 0, SLOW > 1 ? 60 : 0);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_made_in_bounded_time),
        cmocka_unit_test(the_grammar_has_every_composite),
        cmocka_unit_test(cells_are_what_kernels_do),
        cmocka_unit_test(files_add_up),
        cmocka_unit_test(some_thousand_programs_cover_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
