/* simplify: what each identity leaves, as a line of the nodes that remain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "simplify/simplify.h"

/* Arguments of the cases: x and y are arrays [x.0, x.1] of f32, h of f16, i of i32, k of bool. */
typedef struct inputs {
    kf_graph *g;
    kf__ref x, y, h, i, k;
} inputs;

static kf__ref num(const inputs *in, double v) { return kf__number(in->g, v); }
static kf__ref op1(const inputs *in, kf__opcode op, kf__ref a) { return kf__apply1(in->g, op, a); }
static kf__ref op2(const inputs *in, kf__opcode op, kf__ref a, kf__ref b) {
    return kf__apply2(in->g, op, a, b);
}
static kf__ref where(const inputs *in, kf__ref c, kf__ref a, kf__ref b) {
    return kf__apply(in->g, KF__WHERE, (kf__ref[]){c, a, b});
}
static kf__ref inverted(const inputs *in) { return op1(in, KF__BITWISE_INVERT, in->k); }
static kf__ref transposed(const inputs *in, kf__ref a) {
    return kf__permute(in->g, a, (const uint8_t[]){1, 0});
}
static kf__ref full(const inputs *in, double v) {
    return kf__broadcast_to(in->g, num(in, v), 2, kf__at(in->g, in->x)->shape);
}
static kf__ref rows(const inputs *in, kf__reduction r, int field, kf__ref a) {
    return kf__reduce_axes(in->g, r, field, a, (const int64_t[]){-1}, 1, true);
}
static kf__ref softmax(const inputs *in) {
    kf__ref e = op1(in, KF__EXP, op2(in, KF__SUBTRACT, in->x, rows(in, KF__RED_MAX, 0, in->x)));
    return op2(in, KF__DIVIDE, e, rows(in, KF__RED_SUM, 0, e));
}
static kf__ref variance(const inputs *in) {
    kf__ref d = op2(in, KF__SUBTRACT, in->x, rows(in, KF__RED_MOMENTS, 0, in->x));
    return rows(in, KF__RED_MOMENTS, 0, op2(in, KF__POW, d, num(in, 2)));
}
static kf__ref row_bias(const inputs *in) { /* two rows, expanded each, then added */
    kf__ref a = rows(in, KF__RED_SUM, 0, in->x), b = rows(in, KF__RED_MAX, 0, in->y);
    const kf__expr *shape = kf__at(in->g, in->x)->shape;
    return op2(in, KF__ADD, kf__broadcast_to(in->g, a, 2, shape),
               kf__broadcast_to(in->g, b, 2, shape));
}
static kf__ref twice_sliced(const inputs *in) {
    kf_graph *g = in->g;
    kf__exprs *e = &g->exprs;
    const kf__node *n = kf__at(g, in->x);
    kf__expr zero = kf__x_const(e, 0), shape[2] = {n->shape[0], n->shape[1]}, start[2];
    start[0] = kf__x_sub(e, shape[0], kf__x_const(e, 1)), start[1] = zero;
    const int64_t step[2] = {-1, 1};
    kf__ref a = kf__slice(g, in->x, shape, start, step);
    return kf__slice(g, a, shape, start, step);
}

/* a[first::step], or a[:, first::step] of axis 1, up to the last but one */
static kf__ref part(const inputs *in, kf__ref a, int axis, int64_t first, int64_t step) {
    kf__exprs *e = &in->g->exprs;
    kf__expr shape[2] = {kf__at(in->g, a)->shape[0], kf__at(in->g, a)->shape[1]}, start[2];
    int64_t steps[2] = {1, 1};
    start[0] = start[1] = kf__x_const(e, 0);
    start[axis] = kf__x_const(e, first);
    steps[axis] = step;
    kf__expr left = kf__x_sub(e, shape[axis], kf__x_const(e, first + 1));
    shape[axis] = step < 0 ? kf__x_const(e, first + 1)
                           : kf__x_div(e, left, kf__x_const(e, step));
    return kf__slice(in->g, a, shape, start, steps);
}
static kf__ref columns(const inputs *in) {
    return kf__reduce_axes(in->g, KF__RED_SUM, 0, in->x, (const int64_t[]){0}, 1, true);
}
static kf__ref centered(const inputs *in) {
    kf__ref mean = rows(in, KF__RED_MOMENTS, 0, in->x);
    return op2(in, KF__SUBTRACT, op1(in, KF__EXP, in->x), mean);
}

#define CASE(name, text, expression) \
    static kf__ref name(const inputs *in) { return expression; }
#include "test_simplify.def"
#undef CASE

static const struct {
    const char *name, *text;
    kf__ref (*build)(const inputs *in);
} cases[] = {
#define CASE(name, text, expression) {#name, text, name},
#include "test_simplify.def"
#undef CASE
};

static kf__ref array(kf_graph *g, const char *name, kf__dtype t) {
    kf__expr size[2];
    char text[24];
    for (int i = 0; i < 2; i++) {
        int n = snprintf(text, sizeof(text), "%s.%d", name, i);
        size[i] = kf__x_name(&g->exprs, text, (size_t)n);
    }
    return kf__input(g, name, t, 2, size);
}

static void describe(const kf_graph *g, char *out, size_t size) {
    static const char *const kinds[KF__KIND_COUNT] = {
        [KF__SCALAR] = "scalar", [KF__SIZE] = "size",
        [KF__EXPAND] = "expand", [KF__PERMUTE] = "permute",
        [KF__RESHAPE] = "reshape", [KF__SLICE] = "slice", [KF__RANDOM] = "random"};
    size_t n = 0;
    out[0] = 0;
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        const kf__node *x = kf__at(g, r);
        char text[64];
        switch (x->kind) {
        case KF__INPUT: snprintf(text, sizeof(text), "%s", g->inputs.at[x->index].name); break;
        case KF__CONSTANT:
            snprintf(text, sizeof(text), "%g",
                     kf__is_float(x->dtype) ? x->u.number : (double)x->u.integer);
            break;
        case KF__OP: snprintf(text, sizeof(text), "%s", kf__ops[x->op].name); break;
        case KF__CAST: snprintf(text, sizeof(text), ">%s", kf__types[x->dtype].alias); break;
        case KF__REDUCE:
            snprintf(text, sizeof(text), "%s", kf__reds[x->op].field[x->field].name);
            break;
        default: snprintf(text, sizeof(text), "%s", kinds[x->kind]);
        }
        if (x->kind == KF__RESHAPE || x->kind == KF__EXPAND) continue; /* broadcasting */
        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", text);
    }
}

static kf_graph *simplify(kf__ref (*build)(const inputs *)) {
    kf_error err = {0};
    kf_graph *g = kf__graph_new(&kf__malloc), *simple = NULL;
    inputs in = {.g = g};
    in.x = array(g, "x", KF__F32);
    in.y = array(g, "y", KF__F32);
    in.h = array(g, "h", KF__F16);
    in.i = array(g, "i", KF__I32);
    in.k = array(g, "k", KF__BOOL);
    kf__result(g, build(&in), "out");
    if (g->error.message[0]) fail_msg("%s", g->error.message);
    if (kf__simplify(g, &simple, &err)) fail_msg("%s", err.message);
    if (kf__graph_verify(simple, &err)) fail_msg("%s", err.message);
    assert_int_equal(simple->inputs.n, g->inputs.n);
    assert_string_equal(simple->result_names.at[0], "out");
    kf_graph_free(g);
    return simple;
}

static void test_cases(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < KF__COUNT(cases); i++) {
        char text[400];
        kf_graph *g = simplify(cases[i].build);
        describe(g, text, sizeof(text));
        if (strcmp(text, cases[i].text)) {
            print_error("%s: '%s', not '%s'\n", cases[i].name, text, cases[i].text);
            wrong++;
        }
        kf_graph_free(g);
    }
    assert_int_equal(wrong, 0);
}

static kf__ref sum_of_two(const inputs *in) { return op2(in, KF__ADD, in->x, in->y); }

/* y's sizes become x's, but stay y's own in the inputs, for the plan to check. */
static void test_sizes(void **state) {
    (void)state;
    kf_graph *g = simplify(sum_of_two);
    assert_int_equal(g->constraints.n, 2);
    const kf__graph_input *x = &g->inputs.at[0], *y = &g->inputs.at[1];
    assert_int_equal(kf__at(g, y->node)->shape[0], x->size[0]);
    assert_int_equal(kf__at(g, y->node)->shape[1], x->size[1]);
    assert_int_not_equal(y->size[0], x->size[0]);
    assert_int_equal(g->inputs.at[2].node, 0); /* h isn't used */
    assert_true(g->inputs.at[2].present);
    kf_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
