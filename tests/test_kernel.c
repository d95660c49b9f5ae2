/* src/ir: partitions and the loop IR: printing, verifying. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/loop.h"

/* ---------------------------------------------------------------- out = (x - mean(x)) by hand */

static kf__partition *example(void) {
    kf__partition *p = calloc(1, sizeof *p);
    kf__arena_init(&p->arena, &kf__malloc);
    kf_graph *g = p->graph = kf__graph_new(&kf__malloc);
    kf__exprs *e = &g->exprs;
    kf__expr *shape = KF__NEW(&p->arena, kf__expr, 2), *index = KF__NEW(&p->arena, kf__expr, 2);
    for (uint32_t i = 0; i < 2; i++) {
        shape[i] = kf__x_name(e, i ? "x.1" : "x.0", 3);
        index[i] = kf__x_axis(e, i, shape[i]);
    }
    kf__ref x = kf__input(g, "x", KF__F32, 2, shape);
    kf__ref mean = kf__reduce_axes(g, KF__RED_MOMENTS, 0, x, (int64_t[]){1}, 1, true);
    kf__ref out = kf__apply2(g, KF__SUBTRACT, x, mean);
    kf__result(g, out, "out");

    static const kf__instr body[] = {
        {.kind = KF__I_LOAD, .dtype = KF__F32, .level = KF__LEVEL_FULL},
        {.kind = KF__I_REDUCE, .op = KF__RED_MOMENTS, .dtype = KF__F32, .level = KF__LEVEL_ROW,
         .stage = 1, .n_args = 1},
        {.kind = KF__I_PROJECT, .dtype = KF__F32, .level = KF__LEVEL_ROW, .stage = 1, .n_args = 1,
         .args = {1}},
        {.kind = KF__I_OP, .op = KF__SUBTRACT, .dtype = KF__F32, .level = KF__LEVEL_FULL,
         .stage = 1, .n_args = 2, .args = {0, 2}},
    };
    p->n_values = 2;
    p->values = KF__NEW(&p->arena, kf__value, 2);
    p->values[0] = (kf__value){KF__VALUE_INPUT, 0, KF__F32, 2, shape, x, 0};
    p->values[1] = (kf__value){KF__VALUE_RESULT, 0, KF__F32, 2, shape, out, 0};
    p->n_kernels = p->n_cuts = 1;
    kf__kernel *k = p->kernels = KF__NEW(&p->arena, kf__kernel, 1);
    p->cuts = KF__NEW(&p->arena, kf__cut, 1);
    p->cuts[0] = (kf__cut){0, 0, 1, "user", "it is a result"};
    k->name = kf__arena_string(&p->arena, "k0_mean", 7);
    k->kind = KF__ROW;
    k->n_axes = 2, k->reduced = 2, k->size = shape, k->n_stages = 2;
    k->n_instrs = KF__COUNT(body);
    k->instrs = kf__arena_copy(&p->arena, body, sizeof body);
    k->n_accesses = 2;
    k->accesses = KF__NEW(&p->arena, kf__access, 2);
    k->accesses[0] = (kf__access){.value = 0, .rank = 2, .index = index, .shape = shape,
                                  .affine = true};
    k->accesses[1] = (kf__access){.value = 1, .rank = 2, .index = index, .shape = shape,
                                  .affine = true};
    k->n_stores = 1;
    k->stores = KF__NEW(&p->arena, kf__store, 1);
    k->stores[0] = (kf__store){1, 3};
    k->n_ops = 2;
    k->ops = KF__NEW(&p->arena, char *, 2);
    k->ops[0] = kf__arena_string(&p->arena, "mean", 4);
    k->ops[1] = kf__arena_string(&p->arena, "-", 1);
    return p;
}

static const char *const printed =
    "value 0: input x f32[x.0, x.1]\n"
    "value 1: result out f32[x.0, x.1]\n"
    "kernel k0_mean (row): [x.0, x.1] reduces 1    # mean, -\n"
    "    v0 = load f32 value 0[i0, i1]             full 0\n"
    "    v1 = moments f32 v0                       row 1\n"
    "    v2 = mean f32 v1                          row 1\n"
    "    v3 = subtract f32 v0 v2                   full 1\n"
    "    value 1[i0, i1] = v3\n"
    "cut k0_mean -> k0_mean, value 1: user: it is a result\n";

static void test_partition(void **state) {
    (void)state;
    kf__partition *p = example();
    kf_error err = {0};
    kf__text text;
    kf__partition_verify(p, &err);
    assert_string_equal(err.message, "");
    kf__text_init(&text, &kf__malloc);
    kf__partition_print(p, &text);
    assert_string_equal(text.at, printed);
    kf__text_free(&text);
    kf__partition_free(p);
    kf__partition_free(NULL);
}

static void test_broken_partitions(void **state) {
    (void)state;
    static const char *const sentences[] = {
        "an argument isn't before it", "an argument is at an inner level", "dtypes",
        "a state is for projections only", "no such access", "a value is stored twice",
        "a row that isn't the last axes", "an access by an axis of another kernel",
        "an argument is at a later stage", "stores into an input", "no such field",
    };
    kf__store twice[] = {{1, 3}, {1, 3}};
    for (size_t r = 0; r < KF__COUNT(sentences); r++) {
        kf__partition *p = example();
        kf__kernel *k = p->kernels;
        kf_error err = {0};
        char sentence[200];
        switch (r) {
        case 0: k->instrs[1].args[0] = 1; break;
        case 1: k->instrs[3].level = KF__LEVEL_ROW; break;
        case 2: k->instrs[3].dtype = KF__I32; break;
        case 3: k->instrs[3].args[1] = 1; break;
        case 4: k->instrs[0].access = 7; break;
        case 5: k->n_stores = 2, k->stores = twice; break;
        case 6: k->reduced = 1; break;
        case 7: k->n_axes = 1, k->reduced = 1; break;
        case 8: k->instrs[3].stage = 0; break;
        case 9: p->values[1].kind = KF__VALUE_INPUT; break;
        default: k->instrs[2].field = 2;
        }
        assert_int_equal(kf__partition_verify(p, &err), KF_ERR_INTERNAL);
        snprintf(sentence, sizeof sentence, "kernel 0 (k0_mean) is broken: %s", sentences[r]);
        assert_string_equal(err.message, sentence);
        kf__partition_free(p);
    }
    kf__partition *p = example();
    kf_error err = {0};
    p->kernels[0].n_stores = 0;
    assert_int_equal(kf__partition_verify(p, &err), KF_ERR_INTERNAL);
    assert_string_equal(err.message, "value 1 is stored by no kernel");
    kf__partition_free(p);
}

/* ---------------------------------------------------------------- loops */

static const kf__lx zero = {.kind = KF__L_INT, .type = KF__I64}, one = {.kind = KF__L_INT,
                    .type = KF__I64, .integer = 1},
                    begin = {.kind = KF__L_VAR, .name = "begin"},
                    end = {.kind = KF__L_VAR, .name = "end"}, i = {.kind = KF__L_VAR, .name = "i"},
                    x = {.kind = KF__L_PARAM, .name = "x"}, v0 = {.kind = KF__L_VAR, .name = "v0"},
                    load = {.kind = KF__L_CALL, .type = KF__F32, .name = "kf_load_T", .n_args = 2,
                            .args = {&x, &i}},
                    half = {.kind = KF__L_FLOAT, .type = KF__F32, .number = 0.5},
                    code = {.kind = KF__L_CODE, .type = KF__F32, .name = "kf_max_T(a, b) + a",
                            .formals = "a b", .n_args = 2, .args = {&v0, &half}},
                    item = {.kind = KF__L_ITEM, .name = "lanes", .n_args = 1, .args = {&zero}},
                    less = {.kind = KF__L_BINARY, .name = "<", .n_args = 2, .args = {&i, &end}},
                    pick = {.kind = KF__L_SELECT, .n_args = 3, .args = {&less, &code, &v0}};

typedef struct loops {
    kf__ls lanes, loop, let, branch, set, call;
    kf__word word;
    kf__loop_fn fn;
} loops;

static void make_loops(loops *l) {
    memset(l, 0, sizeof *l);
    l->lanes = (kf__ls){.kind = KF__S_VAR, .ctype = "float", .name = "lanes", .count = 16,
                        .next = &l->loop};
    l->loop = (kf__ls){.kind = KF__S_FOR, .bind = KF__SIMD, .ctype = "int64_t", .name = "i",
                       .from = &begin, .to = &end, .step = &one, .body = &l->let};
    l->let = (kf__ls){.kind = KF__S_LET, .ctype = "float", .name = "v0", .value = &load,
                      .comment = "x", .next = &l->branch};
    l->branch = (kf__ls){.kind = KF__S_IF, .value = &less, .body = &l->set, .other = &l->call};
    l->set = (kf__ls){.kind = KF__S_SET, .target = &item, .value = &pick};
    l->call = (kf__ls){.kind = KF__S_CALL, .value = &load};
    l->word = (kf__word){.kind = KF__W_INPUT, .ctype = "const float *", .name = "x", .number = 4};
    l->fn = (kf__loop_fn){.name = "k0", .doc = "", .n_words = 1, .words = &l->word,
                          .body = &l->lanes, .units = 100, .grain = 10};
}

static void test_loops(void **state) {
    (void)state;
    loops l;
    kf_error err = {0};
    kf__text text;
    make_loops(&l);
    kf__loop_verify(&l.fn, &err);
    assert_string_equal(err.message, "");
    kf__text_init(&text, &kf__malloc);
    kf__loop_print(&l.fn, &text);
    assert_string_equal(text.at,
                        "function k0, units 100 by 10\n"
                        "    args.x: const float *, input 0, 4\n"
                        "    float lanes[16]\n"
                        "    for simd i = begin to end step 1 {\n"
                        "        float v0 = kf_load_f32(args.x, i)    // x\n"
                        "        if i < end {\n"
                        "            lanes[0] = (i < end) ? (kf_max_f32(v0, 0.5) + v0) : v0\n"
                        "        } else {\n"
                        "            kf_load_f32(args.x, i)\n"
                        "        }\n"
                        "    }\n");
    kf__text_free(&text);
}

static void test_broken_loops(void **state) {
    (void)state;
    static const char *const sentences[] = {
        "isn't declared: v0", "declared twice: lanes", "no such argument: x",
        "an assignment to what can't be assigned: v0", "isn't declared: i",
        "an expression is missing", "a name that isn't one: 2x", "declared twice: begin",
    };
    for (size_t r = 0; r < KF__COUNT(sentences); r++) {
        loops l;
        kf_error err = {0};
        char sentence[200];
        make_loops(&l);
        switch (r) {
        case 0: l.let.name = "v1"; break;
        case 1: l.loop.kind = KF__S_LET, l.loop.name = "lanes", l.loop.value = &zero; break;
        case 2: l.fn.n_words = 0; break;
        case 3: l.set.target = &v0; break;
        case 4: l.lanes.next = &l.let; break;
        case 5: l.loop.step = NULL; break;
        case 6: l.let.name = "2x"; break;
        default: l.lanes.name = "begin";
        }
        assert_int_equal(kf__loop_verify(&l.fn, &err), KF_ERR_INTERNAL);
        snprintf(sentence, sizeof sentence, "the loops of k0 are broken: %s", sentences[r]);
        assert_string_equal(err.message, sentence);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition), cmocka_unit_test(test_broken_partitions),
        cmocka_unit_test(test_loops), cmocka_unit_test(test_broken_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
