/* fuse: which kernels a graph becomes. Each case builds a graph, simplifies and fuses it, and
 * states the kinds of its kernels in order, with how many values each loads and stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuse/fuse.h"
#include "simplify/simplify.h"

/* ---------------------------------------------------------------- small makers */

static kf__ref input(kf_graph *g, const char *name, int rank) {
    kf__expr size[KF__MAX_ARRAY_RANK];
    char text[40];
    for (int i = 0; i < rank; i++) {
        int n = snprintf(text, sizeof(text), "%s.%d", name, i);
        size[i] = kf__x_name(&g->exprs, text, (size_t)n);
    }
    return kf__input(g, name, KF__F32, rank, size);
}

static kf__ref op1(kf_graph *g, kf__opcode op, kf__ref a) {
    g->call = kf__call(g, kf__ops[op].name);
    return kf__apply1(g, op, a);
}

static kf__ref op2(kf_graph *g, kf__opcode op, kf__ref a, kf__ref b) {
    g->call = kf__call(g, kf__ops[op].name);
    return kf__apply2(g, op, a, b);
}

static kf__ref num(kf_graph *g, double v) { return kf__number(g, v); }

static kf__ref red(kf_graph *g, kf__reduction r, int field, kf__ref a, int64_t axis, bool keep) {
    return kf__reduce_axes(g, r, field, a, &axis, axis == 99 ? -1 : 1, keep);
}

static kf__ref relu(kf_graph *g, kf__ref a) {
    g->call = kf__call(g, "relu");
    return kf__apply2(g, KF__MAXIMUM, a, num(g, 0));
}

static kf__ref gelu(kf_graph *g, kf__ref a) {
    g->call = kf__call(g, "gelu");
    kf__ref e = kf__apply1(g, KF__ERF, kf__apply2(g, KF__MULTIPLY, a, num(g, 0.70710678)));
    kf__ref h = kf__apply2(g, KF__MULTIPLY, a, num(g, 0.5));
    return kf__apply2(g, KF__MULTIPLY, h, kf__apply2(g, KF__ADD, e, num(g, 1)));
}

static kf__ref norm(kf_graph *g, const char *name, kf__ref a, int64_t axis) {
    g->call = kf__call(g, name);
    kf__ref m = red(g, KF__RED_MOMENTS, 0, a, axis, true);
    kf__ref v = red(g, KF__RED_MOMENTS, 1, a, axis, true);
    v = kf__apply2(g, KF__ADD, kf__apply2(g, KF__MULTIPLY, v, num(g, 0.001)), num(g, 1e-5));
    kf__ref c = kf__apply2(g, KF__SUBTRACT, a, m);
    return kf__apply2(g, KF__MULTIPLY, c, kf__apply1(g, KF__RSQRT, v));
}

static kf__ref softmax(kf_graph *g, kf__ref a, int64_t axis) {
    g->call = kf__call(g, "softmax");
    kf__ref m = red(g, KF__RED_MAX_SUMEXP, 0, a, axis, true);
    kf__ref s = red(g, KF__RED_MAX_SUMEXP, 1, a, axis, true);
    kf__ref e = kf__apply1(g, KF__EXP, kf__apply2(g, KF__SUBTRACT, a, m));
    return kf__apply2(g, KF__DIVIDE, e, s);
}

static void out(kf_graph *g, kf__ref a) { kf__result(g, a, "out"); }

/* ---------------------------------------------------------------- graphs */

static void relu_dropout(kf_graph *g) {
    kf__ref x = input(g, "x", 1);
    kf__ref seed = kf__scalar(g, "seed", KF__I64), p = kf__scalar(g, "p", KF__F64);
    kf__ref h = relu(g, x);
    g->call = kf__call(g, "dropout");
    kf__ref bits = kf__random(g, KF__I32, seed, kf__integer(g, 0), 1, kf__at(g, x)->shape);
    kf__ref limit = kf__op(g, KF__KEEP_LIMIT, KF__I64, &p);
    limit = kf__broadcast_to(g, limit, 1, kf__at(g, x)->shape);
    kf__ref keep = kf__op(g, KF__KEEP_BITS, KF__BOOL, (kf__ref[]){bits, limit});
    kf__ref scaled = kf__apply2(g, KF__MULTIPLY, h, num(g, 1.25));
    out(g, kf__apply(g, KF__WHERE, (kf__ref[]){keep, scaled, num(g, 0)}));
}

static void relu_dropout_mask(kf_graph *g) {
    kf__ref x = input(g, "x", 1), m = input(g, "m", 1);
    kf__ref keep = op2(g, KF__GREATER, m, num(g, 0.5));
    kf__ref scaled = op2(g, KF__MULTIPLY, relu(g, x), num(g, 1.25));
    out(g, kf__apply(g, KF__WHERE, (kf__ref[]){keep, scaled, num(g, 0)}));
}

static void fma3(kf_graph *g) {
    kf__ref q = input(g, "q", 1), k = input(g, "k", 1), v = input(g, "v", 1);
    out(g, op2(g, KF__ADD, op2(g, KF__MULTIPLY, q, k), v));
}

static void quantize(kf_graph *g) {
    kf__ref x = input(g, "x", 1), s = kf__scalar(g, "scale", KF__F64);
    kf__ref z = kf__scalar(g, "zero_point", KF__F64);
    s = kf__cast(g, s, KF__F32), z = kf__cast(g, z, KF__F32);
    kf__ref r = op1(g, KF__ROUND, op2(g, KF__ADD, op2(g, KF__DIVIDE, x, s), z));
    r = op2(g, KF__MINIMUM, op2(g, KF__MAXIMUM, r, num(g, -128)), num(g, 127));
    out(g, kf__cast(g, r, KF__I8));
}

static void add_mul_exp(kf_graph *g) {
    kf__ref x = input(g, "x", 1), y = input(g, "y", 1);
    out(g, op1(g, KF__EXP, op2(g, KF__MULTIPLY, op2(g, KF__ADD, x, y), num(g, 2))));
}

static void relu_layernorm(kf_graph *g) {
    out(g, norm(g, "layer_norm", relu(g, input(g, "x", 2)), -1));
}

static void softmax_rows(kf_graph *g) { out(g, softmax(g, input(g, "x", 2), -1)); }
static void softmax_columns(kf_graph *g) { out(g, softmax(g, input(g, "x", 2), 0)); }
static void softmax_vector(kf_graph *g) { out(g, softmax(g, input(g, "x", 1), 0)); }

/* exp(x - max(x)) / sum(exp(x - max(x))), as a user spells it */
static void softmax_plain(kf_graph *g) {
    kf__ref x = input(g, "x", 2);
    kf__ref e = op1(g, KF__EXP, op2(g, KF__SUBTRACT, x, red(g, KF__RED_MAX, 0, x, 0, true)));
    out(g, op2(g, KF__DIVIDE, e, red(g, KF__RED_SUM, 0, e, 0, true)));
}

static void gelu_residual_norm(kf_graph *g) {
    kf__ref x = input(g, "x", 2), b = input(g, "b", 1), r = input(g, "r", 2);
    kf__ref h = op2(g, KF__ADD, gelu(g, op2(g, KF__ADD, x, b)), r);
    out(g, norm(g, "layer_norm", h, -1));
}

static void unit_rows(kf_graph *g) {
    kf__ref x = input(g, "x", 2);
    kf__ref s = red(g, KF__RED_SUM, 0, op2(g, KF__MULTIPLY, x, x), -1, true);
    out(g, op2(g, KF__DIVIDE, x, op1(g, KF__SQRT, s)));
}

/* -sum(p * log(p)) of a softmax: the second reduction needs the first */
static void entropy(kf_graph *g) {
    kf__ref p = softmax(g, input(g, "x", 2), -1);
    kf__ref t = op2(g, KF__MULTIPLY, p, op1(g, KF__LOG, p));
    out(g, op1(g, KF__NEGATIVE, red(g, KF__RED_SUM, 0, t, -1, false)));
}

/* sum(softmax(x) * y): of each row, where it is on the chip, then of the rows */
static void sum_of_rows(kf_graph *g) {
    kf__ref t = op2(g, KF__MULTIPLY, softmax(g, input(g, "x", 2), -1), input(g, "y", 2));
    out(g, red(g, KF__RED_SUM, 0, t, 99, false));
}

/* The columns' sums need every row: nothing is gained in two steps. */
static void sum_of_columns(kf_graph *g) {
    kf__ref t = op2(g, KF__MULTIPLY, softmax(g, input(g, "x", 2), -1), input(g, "y", 2));
    out(g, red(g, KF__RED_SUM, 0, t, 0, false));
}

static void three_results(kf_graph *g) {
    kf__ref h = relu(g, input(g, "x", 2)), y = input(g, "y", 2);
    out(g, h);
    out(g, op2(g, KF__ADD, op2(g, KF__MULTIPLY, h, num(g, 2)), y));
    out(g, red(g, KF__RED_MOMENTS, 0, h, -1, false));
}

static void mean_square_error(kf_graph *g) {
    kf__ref d = op2(g, KF__SUBTRACT, input(g, "x", 2), input(g, "y", 2));
    out(g, red(g, KF__RED_MOMENTS, 0, op1(g, KF__SQUARE, d), 99, false));
}

static void column_sum(kf_graph *g) {
    out(g, red(g, KF__RED_SUM, 0, relu(g, input(g, "x", 2)), 0, false));
}

static void batch_norm(kf_graph *g) {
    out(g, norm(g, "batch_norm", input(g, "x", 2), 0));
}

/* the same as a user spells it: mean((x - m)**2) */
static void batch_norm_plain(kf_graph *g) {
    kf__ref x = input(g, "x", 2), m = red(g, KF__RED_MOMENTS, 0, x, 0, true);
    kf__ref d = op2(g, KF__SUBTRACT, x, m);
    kf__ref v = red(g, KF__RED_MOMENTS, 0, op2(g, KF__POW, d, num(g, 2)), 0, true);
    out(g, op2(g, KF__DIVIDE, d, op1(g, KF__SQRT, op2(g, KF__ADD, v, num(g, 1e-5)))));
}

static void batch_norm_relu(kf_graph *g) {
    out(g, relu(g, norm(g, "batch_norm", relu(g, input(g, "x", 2)), 0)));
}

static void two_axes(kf_graph *g) {
    kf__ref x = input(g, "x", 2);
    out(g, red(g, KF__RED_SUM, 0, x, 0, false));
    out(g, red(g, KF__RED_SUM, 0, x, 1, false));
}

static void reduce_of_reduce(kf_graph *g) {
    out(g, red(g, KF__RED_MAX, 0, red(g, KF__RED_SUM, 0, input(g, "x", 2), 1, false), 0, false));
}

static void transpose_only(kf_graph *g) {
    out(g, kf__permute(g, input(g, "x", 2), (const uint8_t[]){1, 0}));
}

static void transposed_operand(kf_graph *g) {
    kf__ref x = input(g, "x", 2), y = input(g, "y", 2);
    out(g, op2(g, KF__ADD, x, kf__permute(g, y, (const uint8_t[]){1, 0})));
}

static void softmax_transposed(kf_graph *g) {
    kf__ref s = softmax(g, input(g, "x", 2), -1);
    out(g, kf__permute(g, s, (const uint8_t[]){1, 0}));
}

static void same_result_twice(kf_graph *g) {
    kf__ref h = relu(g, input(g, "x", 1));
    out(g, h);
    out(g, h);
}

static void sum_and_apply(kf_graph *g) { /* relu(x), and its column sums */
    kf__ref h = relu(g, input(g, "x", 2));
    out(g, h);
    out(g, red(g, KF__RED_SUM, 0, h, 0, false));
}

static void long_sum(kf_graph *g) { /* 40 inputs are too many for one kernel */
    kf__ref sum = 0;
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof(name), "x%d", i);
        kf__ref x = input(g, name, 1);
        sum = sum ? op2(g, KF__ADD, sum, x) : x;
    }
    out(g, sum);
}

static void constant_result(kf_graph *g) {
    kf__ref x = input(g, "x", 2);
    out(g, kf__broadcast_to(g, num(g, 1), 2, kf__at(g, x)->shape));
}

static void copies(kf_graph *g) { out(g, input(g, "x", 2)); }

static void flat_softmax(kf_graph *g) { /* a result that is a reshape of rows */
    kf__ref s = softmax(g, input(g, "x", 2), -1);
    const kf__expr *shape = kf__at(g, s)->shape;
    kf__expr all = kf__x_mul(&g->exprs, shape[0], shape[1]);
    out(g, kf__reshape(g, s, 1, &all));
}

static void row_function(kf_graph *g) { /* x + exp(b), b for every row: computed once */
    kf__ref x = input(g, "x", 2), b = input(g, "b", 1);
    out(g, op2(g, KF__ADD, x, op1(g, KF__EXP, b)));
}

static void dear_shared(kf_graph *g) { /* a + b + c + d in two kernels: stored by one */
    kf__ref a = input(g, "a", 2), b = input(g, "b", 2), c = input(g, "c", 2), d = input(g, "d", 2);
    kf__ref s = op2(g, KF__ADD, op2(g, KF__ADD, a, b), op2(g, KF__ADD, c, d));
    out(g, norm(g, "batch_norm", s, 0));
}

/* The gradient of layer_norm: dx by rows, the weight's and bias's gradients by columns. The columns
 * need the rows' mean and deviation, so the row kernel stores those. */
static void layer_norm_backward(kf_graph *g) {
    kf__ref x = input(g, "x", 2), dy = input(g, "x", 2), w = input(g, "w", 1);
    kf__ref m = red(g, KF__RED_MOMENTS, 0, x, -1, true);
    kf__ref v = red(g, KF__RED_MOMENTS, 1, x, -1, true);
    kf__ref r = op1(g, KF__RSQRT, op2(g, KF__ADD, v, num(g, 1e-5)));
    kf__ref xhat = op2(g, KF__MULTIPLY, op2(g, KF__SUBTRACT, x, m), r);
    kf__ref dyw = op2(g, KF__MULTIPLY, dy, w);
    kf__ref a = red(g, KF__RED_MOMENTS, 0, dyw, -1, true);
    kf__ref b = red(g, KF__RED_MOMENTS, 0, op2(g, KF__MULTIPLY, dyw, xhat), -1, true);
    kf__ref c = op2(g, KF__ADD, a, op2(g, KF__MULTIPLY, xhat, b));
    out(g, op2(g, KF__MULTIPLY, op2(g, KF__SUBTRACT, dyw, c), r));
    out(g, red(g, KF__RED_SUM, 0, op2(g, KF__MULTIPLY, dy, xhat), 0, false));
    out(g, red(g, KF__RED_SUM, 0, dy, 0, false));
}

static void group_norm(kf_graph *g) { /* in 8 groups, a weight for each channel */
    kf__exprs *e = &g->exprs;
    kf__ref x = input(g, "x", 4), w = input(g, "w", 1);
    kf__expr s[4], rows[3], channels[3];
    memcpy(s, kf__at(g, x)->shape, sizeof(s));
    rows[0] = s[0], rows[1] = kf__x_const(e, 8);
    rows[2] = kf__x_mul(e, kf__x_div(e, s[1], rows[1]), kf__x_mul(e, s[2], s[3]));
    kf__ref y = kf__reshape(g, norm(g, "group_norm", kf__reshape(g, x, 3, rows), -1), 4, s);
    channels[0] = s[1], channels[1] = channels[2] = kf__x_const(e, 1);
    out(g, op2(g, KF__MULTIPLY, y, kf__reshape(g, w, 3, channels)));
}

static void flat_sum(kf_graph *g) { /* reshape(x * b, -1) + y */
    kf__ref x = input(g, "x", 2), b = input(g, "b", 1), y = input(g, "y", 1);
    const kf__expr *shape = kf__at(g, x)->shape;
    kf__expr all = kf__x_mul(&g->exprs, shape[0], shape[1]);
    out(g, op2(g, KF__ADD, kf__reshape(g, op2(g, KF__MULTIPLY, x, b), 1, &all), y));
}

static void unfold_rows(kf_graph *g) { /* reshape(y, (B, N)) * x, then a norm of rows */
    kf__ref x = input(g, "x", 2), y = input(g, "y", 1);
    kf__expr s[2];
    memcpy(s, kf__at(g, x)->shape, sizeof(s));
    out(g, norm(g, "layer_norm", op2(g, KF__MULTIPLY, kf__reshape(g, y, 2, s), x), -1));
}

static void outer(kf_graph *g) { /* x[:, None] * y[None, :] */
    kf__ref x = kf__insert_axis(g, input(g, "x", 1), 1);
    kf__ref y = kf__insert_axis(g, input(g, "y", 1), 0);
    out(g, op2(g, KF__MULTIPLY, x, y));
}

static void masked_softmax(kf_graph *g) { /* four dims, a mask that broadcasts */
    kf__ref x = input(g, "x", 4), m = input(g, "m", 2);
    out(g, softmax(g, op2(g, KF__ADD, op2(g, KF__MULTIPLY, x, num(g, 0.125)), m), -1));
}

static void two_norms(kf_graph *g) { /* rows of rows: one after the other in one kernel */
    out(g, norm(g, "layer_norm", gelu(g, norm(g, "layer_norm", input(g, "x", 2), -1)), -1));
}

static void independent(kf_graph *g) { /* nothing shared: still one launch */
    out(g, relu(g, input(g, "x", 1)));
    out(g, op1(g, KF__EXP, input(g, "x", 1)));
}

static void unused_result(kf_graph *g) { /* a step that no result needs */
    kf__ref x = input(g, "x", 1);
    op1(g, KF__EXP, x);
    out(g, relu(g, x));
}

/* ---------------------------------------------------------------- pads, concatenations */

static kf__ref cut(kf_graph *g, kf__ref a, kf__expr first, kf__expr size) { /* of the last axis */
    kf__exprs *x = &g->exprs;
    const kf__node *n = kf__at(g, a);
    kf__expr shape[4], start[4];
    int64_t step[4];
    for (int i = 0; i < n->rank; i++) {
        bool last = i == n->rank - 1;
        shape[i] = last ? size : n->shape[i];
        start[i] = last ? first : kf__x_const(x, 0);
        step[i] = 1;
    }
    return kf__slice(g, a, shape, start, step);
}

static void rotary(kf_graph *g) {
    kf__exprs *x = &g->exprs;
    kf__ref a = input(g, "x", 2), c = input(g, "c", 1), s = input(g, "s", 1);
    kf__expr n = kf__at(g, a)->shape[1], half = kf__x_div(x, n, kf__x_const(x, 2));
    kf__ref low = cut(g, a, kf__x_const(x, 0), half), high = cut(g, a, half, kf__x_sub(x, n, half));
    high = op1(g, KF__NEGATIVE, high);
    g->call = kf__call(g, "concatenate");
    kf__ref turned = kf__concat_all(g, 1, (kf__ref[]){high, low}, 2);
    out(g, op2(g, KF__ADD, op2(g, KF__MULTIPLY, turned, s), op2(g, KF__MULTIPLY, a, c)));
}

static kf__ref padded(kf_graph *g, kf__ref a) { /* one behind the last axis */
    kf__expr shape[4], zero = kf__x_const(&g->exprs, 0), before[] = {zero, zero, zero, zero};
    const kf__node *n = kf__at(g, a);
    memcpy(shape, n->shape, n->rank * sizeof *shape);
    shape[n->rank - 1] = kf__x_add(&g->exprs, shape[n->rank - 1], kf__x_const(&g->exprs, 1));
    g->call = kf__call(g, "pad");
    return kf__pad(g, a, kf__constant(g, KF__F32, 0, 0, false), shape, before);
}

static void pad_between(kf_graph *g) { out(g, relu(g, padded(g, gelu(g, input(g, "x", 2))))); }
static void pad_of_softmax(kf_graph *g) { out(g, padded(g, softmax(g, input(g, "x", 2), -1))); }
static void softmax_of_pad(kf_graph *g) { out(g, softmax(g, padded(g, input(g, "x", 2)), -1)); }
static void pad_of_sum(kf_graph *g) {
    out(g, padded(g, red(g, KF__RED_SUM, 0, input(g, "x", 2), 1, false)));
}

static void concat_many(kf_graph *g) { /* more arrays than a kernel takes */
    kf__ref part[30];
    char name[16];
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "x%d", i);
        part[i] = input(g, name, 1);
    }
    g->call = kf__call(g, "concatenate");
    out(g, kf__concat_all(g, 0, part, 30));
}

static void slice_of_concat(kf_graph *g) { /* nothing of y is read */
    kf__ref x = input(g, "x", 1), y = input(g, "y", 1);
    kf__ref both = kf__concat_all(g, 0, (kf__ref[]){x, y}, 2);
    out(g, cut(g, both, kf__x_const(&g->exprs, 0), kf__at(g, x)->shape[0]));
}

static void parts(kf_graph *g) { /* each is stored where it belongs */
    kf__ref x = input(g, "x", 2), y = input(g, "y", 2), rows = softmax(g, x, -1);
    g->call = kf__call(g, "concatenate");
    out(g, kf__concat_all(g, 0, (kf__ref[]){rows, y}, 2));
}

/* ---------------------------------------------------------------- cases */

/* kernels: kind letter (p r c f y) and "loads>stores" of each, ! for div or mod */
static const struct {
    const char *name;
    void (*build)(kf_graph *g);
    kf_fusion mode;
    const char *kernels, *codes;
} cases[] = {
    {"relu_dropout", relu_dropout, KF_FUSION_ON, "p1>1", ""},
    {"relu_dropout off", relu_dropout, KF_FUSION_OFF, "p1>1 p1>1", "user"},
    {"relu_dropout_mask", relu_dropout_mask, KF_FUSION_ON, "p2>1", ""},
    {"fma", fma3, KF_FUSION_ON, "p3>1", ""},
    {"fma off", fma3, KF_FUSION_OFF, "p2>1 p2>1", "user"},
    {"quantize_int8", quantize, KF_FUSION_ON, "p1>1", ""},
    {"add_mul_exp", add_mul_exp, KF_FUSION_ON, "p2>1", ""},
    {"add_mul_exp off", add_mul_exp, KF_FUSION_OFF, "p2>1 p1>1 p1>1", "user user"},
    {"relu_layernorm", relu_layernorm, KF_FUSION_ON, "r1>1", ""},
    {"relu_layernorm off", relu_layernorm, KF_FUSION_OFF, "p1>1 r1>1", "user"},
    {"softmax", softmax_rows, KF_FUSION_ON, "r1>1", ""},
    {"softmax off", softmax_rows, KF_FUSION_OFF, "r1>1", ""},
    {"softmax of columns", softmax_columns, KF_FUSION_ON, "c1>2 p3>1",
     "reduction-axis reduction-axis"},
    {"softmax of a vector", softmax_vector, KF_FUSION_ON, "f1>2 p3>1",
     "reduction-axis reduction-axis"},
    {"softmax of columns, plain", softmax_plain, KF_FUSION_ON, "c1>2 p3>1",
     "reduction-axis reduction-axis"},
    {"gelu_residual_norm", gelu_residual_norm, KF_FUSION_ON, "r3>1", ""},
    {"a row's function", row_function, KF_FUSION_ON, "p1>1 p2>1", "recompute-dearer"},
    {"unit rows", unit_rows, KF_FUSION_ON, "r1>1", ""},
    {"entropy", entropy, KF_FUSION_ON, "r1>1", ""},
    {"three results", three_results, KF_FUSION_ON, "r2>3", ""},
    {"mean square error", mean_square_error, KF_FUSION_ON, "f2>1", ""},
    {"column sum", column_sum, KF_FUSION_ON, "c1>1", ""},
    {"batch norm", batch_norm, KF_FUSION_ON, "c1>2 p3>1", "reduction-axis reduction-axis"},
    {"batch norm, plain", batch_norm_plain, KF_FUSION_ON, "c1>2 p3>1",
     "reduction-axis reduction-axis"},
    {"batch norm, relu", batch_norm_relu, KF_FUSION_ON, "c1>2 p3>1",
     "reduction-axis reduction-axis"},
    {"two axes", two_axes, KF_FUSION_ON, "c1>1 r1>1", ""},
    {"reduce of reduce", reduce_of_reduce, KF_FUSION_ON, "r1>1 f1>1", "reduction-axis"},
    {"transpose", transpose_only, KF_FUSION_ON, "y1>1", ""},
    {"transposed operand", transposed_operand, KF_FUSION_ON, "p2>1", ""},
    {"softmax transposed", softmax_transposed, KF_FUSION_ON, "r1>1", ""},
    {"same result twice", same_result_twice, KF_FUSION_ON, "p1>2", ""},
    {"relu and column sums", sum_and_apply, KF_FUSION_ON, "c1>2", ""},
    {"long sum", long_sum, KF_FUSION_ON, "p23>1 p18>1", "capacity"},
    {"constant", constant_result, KF_FUSION_ON, "p0>1", ""},
    {"copy", copies, KF_FUSION_ON, "y1>1", ""},
    {"softmax, flat", flat_softmax, KF_FUSION_ON, "r1>1", ""},
    {"layer norm backward", layer_norm_backward, KF_FUSION_ON, "r3>3 c4>2",
     "reduction-axis reduction-axis"},
    {"group norm", group_norm, KF_FUSION_ON, "r2>1", ""},
    {"flat sum", flat_sum, KF_FUSION_ON, "p3>1", ""},
    {"unfold rows", unfold_rows, KF_FUSION_ON, "r2>1", ""},
    {"outer", outer, KF_FUSION_ON, "p2>1", ""},
    {"masked softmax", masked_softmax, KF_FUSION_ON, "r2>1", ""},
    {"two norms", two_norms, KF_FUSION_ON, "r1>1", ""},
    {"two norms off", two_norms, KF_FUSION_OFF, "r1>1 p1>1 r1>1", "user user"},
    {"independent", independent, KF_FUSION_ON, "p2>2", ""},
    {"unused", unused_result, KF_FUSION_OFF, "p1>1", ""},
    {"softmax, primitives", softmax_rows, KF_FUSION_OPS, "r1>2 p2>1 p1>1 p2>1",
     "user user user user"},
    {"rotary", rotary, KF_FUSION_ON, "p5>1", ""},
    {"rotary off", rotary, KF_FUSION_OFF, "p1>1 p2>1 p2>1 p2>1 p2>1", "user user user user"},
    {"pad between", pad_between, KF_FUSION_ON, "p1>1", ""},
    {"pad between off", pad_between, KF_FUSION_OFF, "p1>1 p1>1 p1>1", "user user"},
    {"softmax of a pad", softmax_of_pad, KF_FUSION_ON, "r1>1", ""},
    {"pad of a softmax", pad_of_softmax, KF_FUSION_ON, "r1>1 p1>1", "recompute-dearer"},
    {"pad of a sum", pad_of_sum, KF_FUSION_ON, "r1>1 p1>1", "reduction-axis"},
    {"many parts", concat_many, KF_FUSION_ON, "p7>1 p8>1 p7>1 p8>1", ""},
    {"slice of a concatenation", slice_of_concat, KF_FUSION_ON, "y1>1", ""},
    {"sum of rows", sum_of_rows, KF_FUSION_ON, "r2>1 f1>1", "reduction-axis"},
    {"sum of rows off", sum_of_rows, KF_FUSION_OFF, "r1>1 f2>1", "user"},
    {"sum of columns", sum_of_columns, KF_FUSION_ON, "r1>2 c4>1", "reduction-axis reduction-axis"},
    {"parts", parts, KF_FUSION_ON, "r1>1 y1>1", ""},
    {"parts off", parts, KF_FUSION_OFF, "r1>1 p2>1", "user"},
    {"dear and shared", dear_shared, KF_FUSION_ON, "c4>3 p3>1",
     "recompute-dearer reduction-axis reduction-axis"},
};

static kf__partition *fuse(void (*build)(kf_graph *), kf_fusion mode) {
    kf_error err = {0};
    kf_graph *simple = NULL, *g = kf__graph_new(&kf__malloc);
    kf__partition *p = NULL;
    assert_non_null(g);
    build(g);
    assert_string_equal(g->error.message, "");
    if (kf__simplify(g, &simple, &err)) fail_msg("simplify: %s", err.message);
    kf_graph_free(g);
    if (kf__graph_verify(simple, &err)) fail_msg("graph: %s", err.message);
    if (kf__fuse(simple, mode, KF__TARGET_CUDA, &p, &err)) fail_msg("fuse: %s", err.message);
    if (kf__partition_verify(p, &err)) fail_msg("partition: %s", err.message);
    return p;
}

static void describe(const kf__partition *p, char *kernels, size_t nk, char *codes, size_t nc) {
    size_t n = 0, c = 0;
    kernels[0] = codes[0] = 0;
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        const kf__kernel *k = &p->kernels[i];
        int loads = 0;
        for (uint32_t j = 0; j < k->n_instrs; j++) loads += k->instrs[j].kind == KF__I_LOAD;
        bool affine = true;
        for (uint32_t j = 0; j < k->n_accesses; j++) affine &= k->accesses[j].affine;
        n += (size_t)snprintf(kernels + n, nk - n, "%s%c%d>%u%s", i ? " " : "", "prcfy"[k->kind],
                              loads, k->n_stores, affine ? "" : "!");
    }
    for (uint32_t i = 0; i < p->n_cuts; i++)
        c += (size_t)snprintf(codes + c, nc - c, "%s%s", i ? " " : "", p->cuts[i].code);
}

static void test_cases(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < KF__COUNT(cases); i++) {
        char kernels[400], codes[400];
        kf__partition *p = fuse(cases[i].build, cases[i].mode);
        describe(p, kernels, sizeof(kernels), codes, sizeof(codes));
        if (strcmp(kernels, cases[i].kernels) || strcmp(codes, cases[i].codes)) {
            print_error("%s: %s [%s], not %s [%s]\n", cases[i].name, kernels, codes,
                        cases[i].kernels, cases[i].codes);
            wrong++;
        }
        if (getenv("KFUSE_TEST_SHOW")) {
            kf__text text;
            kf__text_init(&text, &kf__malloc);
            kf__partition_print(p, &text);
            printf("---- %s\n%s\n", cases[i].name, text.at ? text.at : "");
            kf__text_free(&text);
        }
        kf__partition_free(p);
    }
    assert_int_equal(wrong, 0);
}

/* exp((x + y) * 2) over 1000 elements: two reads, one write */
static void test_cost(void **state) {
    (void)state;
    kf__partition *p = fuse(add_mul_exp, KF_FUSION_ON);
    int64_t names[] = {1000, 1000}, read, written, flops;
    assert_int_equal(kf__kernel_cost(p, &p->kernels[0], names, &read, &written, &flops), KF_OK);
    assert_int_equal(read, 8000);
    assert_int_equal(written, 4000);
    assert_int_equal(flops, 3000);
    assert_string_equal(p->kernels[0].name, "k0_add_multiply_exp");
    assert_int_equal(p->kernels[0].n_ops, 3);
    kf__partition_free(p);
    p = fuse(gelu_residual_norm, KF_FUSION_ON); /* the bias counts once */
    int64_t sizes[] = {10, 100, 100, 10, 100};
    assert_int_equal(kf__kernel_cost(p, &p->kernels[0], sizes, &read, &written, &flops), KF_OK);
    assert_int_equal(read, 4 * (1000 + 100 + 1000));
    assert_int_equal(written, 4000);
    int64_t again, row, widest; /* x and the residual are needed by the sums, then by the result */
    assert_int_equal(kf__kernel_again(p, &p->kernels[0], sizes, &again, &row, &widest), KF_OK);
    assert_int_equal(again, 4 * (1000 + 100 + 1000));
    assert_int_equal(row, 4 * (100 + 10 + 100));
    assert_int_equal(widest, 400);
    kf__partition_free(p);
    p = fuse(rotary, KF_FUSION_ON); /* rows of x are read once, though by three maps */
    int64_t rows[] = {100, 64, 64, 64};
    assert_int_equal(kf__kernel_cost(p, &p->kernels[0], rows, &read, &written, &flops), KF_OK);
    assert_int_equal(read, 4 * (6400 + 64 + 64));
    kf__partition_free(p);
}

/* Every allocation may fail: an error, no leak, no crash. */
static int64_t left;
static void *scarce(void *user, size_t size) {
    (void)user;
    return left-- > 0 ? malloc(size) : NULL;
}
static void scarce_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void short_of_memory(void (*build_graph)(kf_graph *g)) {
    const kf_allocator mem = {scarce, scarce_free, NULL};
    kf_status status = KF_ERR_MEMORY;
    for (int64_t n = 0; status != KF_OK && n < 20000; n++) {
        kf_error err = {0};
        kf_graph *simple = NULL;
        kf__partition *p = NULL;
        left = 1 << 20;
        kf_graph *g = kf__graph_new(&mem);
        assert_non_null(g);
        build_graph(g);
        assert_true(kf__graph_ok(g));
        left = n;
        status = kf__simplify(g, &simple, &err);
        if (status == KF_OK) status = kf__fuse(simple, KF_FUSION_ON, KF__TARGET_CUDA, &p, &err);
        if (status != KF_OK) assert_int_equal(status, KF_ERR_MEMORY);
        kf__partition_free(p);
        kf_graph_free(g);
    }
    assert_int_equal(status, KF_OK);
}

static void test_out_of_memory(void **state) {
    (void)state;
    short_of_memory(batch_norm_relu);
    short_of_memory(rotary);
    short_of_memory(softmax_of_pad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
