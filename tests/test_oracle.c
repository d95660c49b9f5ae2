/* The oracle against results known by hand: each operation at its edges, reductions, views, random
 * bits (known answers of Philox), and what is exact, disturbed and undecided. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/oracle.h"

#define INF INFINITY

/* ---------------------------------------------------------------- one-dimensional inputs */

enum { MAX_N = 64, MAX_INPUTS = 3 };

typedef struct fixture {
    kf_graph *g;
    int n;
    kf_array inputs[MAX_INPUTS];
    int64_t shapes[MAX_INPUTS][3];
    double data[MAX_INPUTS][MAX_N];
    kf__oracle_result out[4];
} fixture;

static void start(fixture *f) {
    memset(f, 0, sizeof *f);
    f->g = kf__graph_new(&kf__malloc);
    assert_non_null(f->g);
}

static uint16_t half_bits(double x) { /* exact small values only */
    for (uint32_t b = 0; b < 65536; b++) {
        int e = (int)(b >> 10 & 31), m = (int)(b & 1023);
        double v = e == 31 ? (m ? NAN : INF) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
        if (b >> 15) v = -v;
        if (v == x && signbit(v) == signbit(x)) return (uint16_t)b;
    }
    return 0x7e00;
}

static void store(kf__dtype t, void *to, int64_t i, double x) {
    switch (t) {
    case KF__F64: ((double *)to)[i] = x; break;
    case KF__F32: ((float *)to)[i] = (float)x; break;
    case KF__F16: ((uint16_t *)to)[i] = half_bits(x); break;
    case KF__BF16: {
        float v = (float)x;
        uint32_t b;
        memcpy(&b, &v, 4);
        ((uint16_t *)to)[i] = (uint16_t)(b >> 16);
        break;
    }
    case KF__I64: ((int64_t *)to)[i] = (int64_t)x; break;
    case KF__I32: ((int32_t *)to)[i] = (int32_t)x; break;
    case KF__I16: ((int16_t *)to)[i] = (int16_t)x; break;
    case KF__I8: ((int8_t *)to)[i] = (int8_t)x; break;
    default: ((uint8_t *)to)[i] = (uint8_t)x;
    }
}

/* An input of `rank` dims; its sizes are names, but 1 is literal. */
static kf__ref input(fixture *f, kf__dtype t, int rank, const int64_t *shape, const double *data) {
    static const char *const names[] = {"x", "y", "z"};
    kf__expr size[3];
    int64_t n = 1;
    int i = f->n++;
    for (int d = 0; d < rank; d++) {
        char name[8] = {names[i][0], '.', (char)('0' + d)};
        size[d] = shape[d] == 1 ? kf__x_const(&f->g->exprs, 1)
                                : kf__x_name(&f->g->exprs, name, strlen(name));
        f->shapes[i][d] = shape[d];
        n *= shape[d];
    }
    for (int64_t j = 0; j < n; j++) store(t, f->data[i], j, data[j]);
    f->inputs[i] = (kf_array){f->data[i], {KF_CPU, 0}, rank, kf__types[t].dlpack, f->shapes[i],
                              NULL, 0};
    return kf__input(f->g, names[i], t, rank, size);
}

static kf__ref vector(fixture *f, kf__dtype t, int64_t n, const double *data) {
    return input(f, t, 1, &n, data);
}

static kf_status evaluate(fixture *f, const kf__oracle_options *opt) {
    kf_error err = {0};
    if (!kf__graph_ok(f->g)) fail_msg("%s", f->g->error.message);
    kf_scalar none[MAX_INPUTS] = {{0}};
    return kf__oracle(f->g, f->n, f->inputs, none, opt, f->out, &err);
}

static void stop(fixture *f) {
    kf__oracle_free(f->g, f->out);
    kf_graph_free(f->g);
}

static double out(const fixture *f, int r, int64_t j) {
    const kf__oracle_result *o = &f->out[r];
    return o->values ? o->values[j] : (double)o->integers[j];
}

static bool same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

#define CHECK(f, r, j, want)                                                            \
    do {                                                                                \
        double got_ = out(f, r, j), want_ = (want);                                     \
        if (!same(got_, want_))                                                         \
            fail_msg("line %d, element %d: got %.17g, expected %.17g", __LINE__, (int)(j), got_, \
                     want_);                                                            \
    } while (0)

/* ---------------------------------------------------------------- elementwise */

typedef struct op_case {
    kf__opcode op;
    kf__dtype dtype;
    double a, b, c, want;
} op_case;

static const op_case op_cases[] = {
    {KF__ADD, KF__F32, 16777216, 1, 0, 16777216},
    {KF__ADD, KF__F64, 16777216, 1, 0, 16777217},
    {KF__ADD, KF__I8, 127, 1, 0, -128},
    {KF__ADD, KF__U8, 255, 1, 0, 0},
    {KF__SUBTRACT, KF__U8, 0, 1, 0, 255},
    {KF__SUBTRACT, KF__F32, INF, INF, 0, NAN},
    {KF__MULTIPLY, KF__I16, 300, 300, 0, 90000 - 65536},
    {KF__MULTIPLY, KF__F32, 3e38f, 10, 0, INF},
    {KF__DIVIDE, KF__F32, 1, 3, 0, 1.0f / 3.0f},
    {KF__DIVIDE, KF__F32, 1, -0.0, 0, -INF},
    {KF__DIVIDE, KF__I32, 1, 2, 0, 0.5},
    {KF__FLOOR_DIVIDE, KF__I32, -7, 2, 0, -4},
    {KF__FLOOR_DIVIDE, KF__I32, 7, 0, 0, 0},
    {KF__FLOOR_DIVIDE, KF__I32, -2147483648.0, -1, 0, -2147483648.0},
    {KF__FLOOR_DIVIDE, KF__F32, -7, 2, 0, -4},
    {KF__FLOOR_DIVIDE, KF__F32, 1, 0, 0, INF},
    {KF__FLOOR_DIVIDE, KF__F32, NAN, 2, 0, NAN},
    {KF__REMAINDER, KF__I8, -7, 3, 0, 2},
    {KF__REMAINDER, KF__I8, 7, -3, 0, -2},
    {KF__REMAINDER, KF__I8, 7, 0, 0, 0},
    {KF__REMAINDER, KF__F32, -7, 3, 0, 2},
    {KF__REMAINDER, KF__F32, 5.5, 2, 0, 1.5},
    {KF__REMAINDER, KF__F32, 1, 0, 0, NAN},
    {KF__POW, KF__F32, 2, 0.5, 0, 1.41421354f},
    {KF__POW, KF__F32, NAN, 0, 0, 1},
    {KF__POW, KF__I32, 3, 4, 0, 81},
    {KF__POW, KF__I32, 2, -1, 0, 0},
    {KF__POW, KF__I32, -1, -3, 0, -1},
    {KF__POW, KF__I8, 2, 9, 0, 0},
    {KF__MAXIMUM, KF__F32, NAN, 1, 0, NAN},
    {KF__MAXIMUM, KF__F32, 1, NAN, 0, NAN},
    {KF__MAXIMUM, KF__F32, -INF, 2, 0, 2},
    {KF__MINIMUM, KF__F32, 1, NAN, 0, NAN},
    {KF__MINIMUM, KF__I64, -3, 2, 0, -3},
    {KF__NEGATIVE, KF__F32, 0, 0, 0, -0.0},
    {KF__NEGATIVE, KF__I8, -128, 0, 0, -128},
    {KF__ABS, KF__F32, -0.0, 0, 0, 0},
    {KF__ABS, KF__I8, -128, 0, 0, -128},
    {KF__SIGN, KF__F32, -2.5, 0, 0, -1},
    {KF__SIGN, KF__F32, NAN, 0, 0, NAN},
    {KF__SIGN, KF__U8, 200, 0, 0, 1},
    {KF__SQUARE, KF__I32, 65536, 0, 0, 0},
    {KF__ROUND, KF__F32, 0.5, 0, 0, 0},
    {KF__ROUND, KF__F32, 1.5, 0, 0, 2},
    {KF__ROUND, KF__F32, -2.5, 0, 0, -2},
    {KF__FLOOR, KF__F32, -0.5, 0, 0, -1},
    {KF__CEIL, KF__F32, -0.5, 0, 0, -0.0},
    {KF__TRUNC, KF__F64, -1.75, 0, 0, -1},
    {KF__EXP, KF__F32, 1, 0, 0, 2.71828175f},
    {KF__EXP, KF__F32, -INF, 0, 0, 0},
    {KF__EXP, KF__F32, 89, 0, 0, INF},
    {KF__EXP, KF__F64, 1, 0, 0, 2.718281828459045},
    {KF__EXPM1, KF__F64, 1e-20, 0, 0, 1e-20},
    {KF__LOG, KF__F32, 0, 0, 0, -INF},
    {KF__LOG, KF__F32, -1, 0, 0, NAN},
    {KF__LOG1P, KF__F64, 1e-20, 0, 0, 1e-20},
    {KF__SQRT, KF__F32, 2, 0, 0, 1.41421354f},
    {KF__SQRT, KF__F32, -1, 0, 0, NAN},
    {KF__SQRT, KF__F64, 2, 0, 0, 1.4142135623730951},
    {KF__RSQRT, KF__F32, 0, 0, 0, INF},
    {KF__RECIPROCAL, KF__F32, -0.0, 0, 0, -INF},
    {KF__TANH, KF__F32, INF, 0, 0, 1},
    {KF__ERF, KF__F32, -INF, 0, 0, -1},
    {KF__SIN, KF__F32, INF, 0, 0, NAN},
    {KF__COS, KF__F32, 0, 0, 0, 1},
    {KF__EQUAL, KF__F32, NAN, NAN, 0, 0},
    {KF__NOT_EQUAL, KF__F32, NAN, NAN, 0, 1},
    {KF__EQUAL, KF__F32, 0, -0.0, 0, 1},
    {KF__LESS, KF__U8, 1, 255, 0, 1},
    {KF__LESS_EQUAL, KF__F16, 1, 1, 0, 1},
    {KF__GREATER, KF__F32, INF, NAN, 0, 0},
    {KF__GREATER_EQUAL, KF__I64, 3, 3, 0, 1},
    {KF__ISNAN, KF__F16, NAN, 0, 0, 1},
    {KF__ISNAN, KF__I32, 3, 0, 0, 0},
    {KF__ISINF, KF__F32, -INF, 0, 0, 1},
    {KF__ISFINITE, KF__F32, NAN, 0, 0, 0},
    {KF__ISFINITE, KF__I8, 3, 0, 0, 1},
    {KF__BITWISE_AND, KF__I32, 12, 10, 0, 8},
    {KF__BITWISE_OR, KF__BOOL, 0, 1, 0, 1},
    {KF__BITWISE_XOR, KF__I8, -1, 1, 0, -2},
    {KF__BITWISE_INVERT, KF__BOOL, 1, 0, 0, 0},
    {KF__BITWISE_INVERT, KF__U8, 1, 0, 0, 254},
    {KF__SHIFT_LEFT, KF__I8, 1, 7, 0, -128},
    {KF__SHIFT_LEFT, KF__I8, 1, 8, 0, 0},
    {KF__SHIFT_RIGHT, KF__I8, -128, 9, 0, -1},
    {KF__SHIFT_RIGHT, KF__U8, 128, 7, 0, 1},
};

/* Two elements, so that the size is a name, on the edge of nothing. */
static void test_operations(void **state) {
    (void)state;
    for (size_t i = 0; i < KF__COUNT(op_cases); i++) {
        const op_case *c = &op_cases[i];
        fixture f;
        start(&f);
        kf__ref args[3] = {vector(&f, c->dtype, 2, (double[]){c->a, c->a})};
        if (kf__ops[c->op].arity > 1)
            args[1] = vector(&f, c->dtype, 2, (double[]){c->b, c->b});
        kf__result(f.g, kf__apply(f.g, c->op, args), "r");
        assert_int_equal(evaluate(&f, NULL), KF_OK);
        if (!same(out(&f, 0, 1), c->want))
            fail_msg("%s of %s %g, %g: got %.17g, expected %.17g", kf__ops[c->op].name,
                     kf__types[c->dtype].name, c->a, c->b, out(&f, 0, 1), c->want);
        stop(&f);
    }
}

static void test_where(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref c = vector(&f, KF__BOOL, 2, (double[]){1, 0});
    kf__ref x = vector(&f, KF__F32, 2, (double[]){1.5, NAN});
    kf__ref y = vector(&f, KF__I8, 2, (double[]){7, 8});
    kf__result(f.g, kf__apply(f.g, KF__WHERE, (kf__ref[]){c, x, y}), "a");
    kf__result(f.g, kf__apply(f.g, KF__WHERE, (kf__ref[]){c, y, c}), "b");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    CHECK(&f, 0, 0, 1.5);
    CHECK(&f, 0, 1, 8);
    CHECK(&f, 1, 0, 7);
    CHECK(&f, 1, 1, 0);
    stop(&f);
}

typedef struct cast_case {
    kf__dtype from, to;
    double x, want;
} cast_case;

static const cast_case cast_cases[] = {
    {KF__F32, KF__I8, 300, 127},         {KF__F32, KF__I8, -1e9, -128},
    {KF__F32, KF__I8, -1.9, -1},         {KF__F32, KF__U8, -1, 0},
    {KF__F32, KF__U8, 256, 255},         {KF__F32, KF__I32, NAN, 0},
    {KF__F32, KF__I32, INF, 2147483647}, {KF__F64, KF__I64, -INF, -9223372036854775808.0},
    {KF__F32, KF__BOOL, NAN, 1},         {KF__F32, KF__BOOL, -0.0, 0},
    {KF__I32, KF__BOOL, 256, 1},         {KF__I32, KF__I8, 200, -56},
    {KF__I32, KF__U8, -1, 255},          {KF__U8, KF__I8, 255, -1},
    {KF__BOOL, KF__F32, 1, 1},           {KF__I32, KF__F32, 16777217, 16777216},
    {KF__F32, KF__F16, 65519, 65504},    {KF__F32, KF__F16, 65520, INF},
    {KF__F32, KF__F16, 1e-8, 0},         {KF__F32, KF__F16, 0x1.8p-24, 0x1p-23},
    {KF__F32, KF__BF16, 1.00390625, 1},  {KF__F32, KF__BF16, 1.01171875, 1.015625},
    {KF__F32, KF__BF16, 3.4e38, INF},    {KF__F64, KF__F32, 1e300, INF},
    {KF__F16, KF__F64, -0.0, -0.0},      {KF__F64, KF__F16, 0x1.0020000001p0, 0x1.004p0},
};

static void test_casts(void **state) {
    (void)state;
    for (size_t i = 0; i < KF__COUNT(cast_cases); i++) {
        const cast_case *c = &cast_cases[i];
        fixture f;
        start(&f);
        kf__ref x = vector(&f, c->from, 2, (double[]){c->x, c->x});
        kf__result(f.g, kf__cast(f.g, x, c->to), "r");
        assert_int_equal(evaluate(&f, NULL), KF_OK);
        if (!same(out(&f, 0, 0), c->want))
            fail_msg("%s to %s of %g: got %.17g", kf__types[c->from].name, kf__types[c->to].name,
                     c->x, out(&f, 0, 0));
        assert_null(f.out[0].tolerance);
        stop(&f);
    }
}

/* ---------------------------------------------------------------- reductions */

typedef struct red_case {
    kf__reduction red;
    int field;
    kf__dtype dtype;
    int n;
    double x[4];
    double want;
} red_case;

static const red_case red_cases[] = {
    {KF__RED_SUM, 0, KF__F32, 3, {1, 2, 4}, 7},
    {KF__RED_SUM, 0, KF__F32, 0, {0}, 0},
    {KF__RED_SUM, 0, KF__F32, 2, {INF, -INF}, NAN},
    {KF__RED_SUM, 0, KF__F32, 4, {1e10, 1, -1e10, 1}, 2},
    {KF__RED_SUM, 0, KF__I8, 3, {100, 100, 100}, 300},
    {KF__RED_SUM, 0, KF__BOOL, 3, {1, 0, 1}, 2},
    {KF__RED_PROD, 0, KF__F32, 0, {0}, 1},
    {KF__RED_PROD, 0, KF__I32, 3, {65536, 65536, 2}, 8589934592.0},
    {KF__RED_MAX, 0, KF__F32, 3, {1, NAN, 3}, NAN},
    {KF__RED_MAX, 0, KF__F32, 2, {-INF, -5}, -5},
    {KF__RED_MIN, 0, KF__U8, 3, {200, 3, 255}, 3},
    {KF__RED_MIN, 0, KF__F32, 2, {NAN, -5}, NAN},
    {KF__RED_ANY, 0, KF__BOOL, 3, {0, 0, 1}, 1},
    {KF__RED_ANY, 0, KF__BOOL, 0, {0}, 0},
    {KF__RED_ALL, 0, KF__BOOL, 0, {0}, 1},
    {KF__RED_ALL, 0, KF__BOOL, 2, {1, 0}, 0},
    {KF__RED_MOMENTS, 0, KF__F32, 4, {1, 2, 3, 4}, 2.5},
    {KF__RED_MOMENTS, 1, KF__F32, 4, {1, 2, 3, 4}, 5},
    {KF__RED_MOMENTS, 0, KF__F32, 0, {0}, NAN},
    {KF__RED_MOMENTS, 1, KF__F32, 2, {1, INF}, NAN},
    {KF__RED_MOMENTS, 0, KF__I8, 2, {1, 2}, 1.5},
    {KF__RED_MAX_SUMEXP, 0, KF__F32, 2, {3, 1}, 3},
    {KF__RED_MAX_SUMEXP, 1, KF__F32, 2, {3, 3}, 2},
    {KF__RED_MAX_SUMEXP, 1, KF__F32, 2, {-INF, -INF}, 2},
    {KF__RED_MAX_SUMEXP, 1, KF__F32, 3, {INF, INF, 1}, 2},
    {KF__RED_MAX_SUMEXP, 1, KF__F32, 2, {0, -INF}, 1},
    {KF__RED_MAX_SUMEXP, 1, KF__F32, 2, {0, NAN}, NAN},
};

static void test_reductions(void **state) {
    (void)state;
    for (size_t i = 0; i < KF__COUNT(red_cases); i++) {
        const red_case *c = &red_cases[i];
        fixture f;
        start(&f);
        kf__ref x = vector(&f, c->dtype, c->n, c->x);
        kf__result(f.g, kf__reduce_axes(f.g, c->red, c->field, x, NULL, -1, false), "r");
        assert_int_equal(evaluate(&f, NULL), KF_OK);
        assert_int_equal(f.out[0].count, 1);
        if (!same(out(&f, 0, 0), c->want))
            fail_msg("%s of %s, case %d: got %.17g, expected %.17g", kf__reds[c->red].name,
                     kf__types[c->dtype].name, (int)i, out(&f, 0, 0), c->want);
        stop(&f);
    }
}

static void test_argmax_of_nothing_is_an_error(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = vector(&f, KF__F32, 0, (double[]){0});
    kf__result(f.g, kf__reduce_axes(f.g, KF__RED_ARGMAX, 1, x, NULL, -1, false), "r");
    assert_int_equal(evaluate(&f, NULL), KF_ERR_SHAPE);
    stop(&f);
}

static void test_axes(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = input(&f, KF__I32, 2, (int64_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
    kf__result(f.g, kf__reduce_axes(f.g, KF__RED_SUM, 0, x, (int64_t[]){0}, 1, false), "columns");
    kf__result(f.g, kf__reduce_axes(f.g, KF__RED_SUM, 0, x, (int64_t[]){-1}, 1, true), "rows");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    assert_int_equal(f.out[0].rank, 1);
    CHECK(&f, 0, 0, 5);
    CHECK(&f, 0, 2, 9);
    assert_int_equal(f.out[1].rank, 2);
    CHECK(&f, 1, 0, 6);
    CHECK(&f, 1, 1, 15);
    stop(&f);
}

/* ---------------------------------------------------------------- views and strided inputs */

static void test_views(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = input(&f, KF__F32, 2, (int64_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
    const kf__expr *s = kf__at(f.g, x)->shape;
    kf__exprs *e = &f.g->exprs;
    kf__expr one = kf__x_const(e, 1), two = kf__x_const(e, 2), zero = kf__x_const(e, 0);
    kf__expr rows = s[0], columns = s[1];
    kf__result(f.g, kf__permute(f.g, x, (uint8_t[]){1, 0}), "transposed");
    kf__ref last = kf__slice(f.g, x, (kf__expr[]){rows, two},
                             (kf__expr[]){zero, kf__x_sub(e, columns, one)}, (int64_t[]){1, -2});
    kf__result(f.g, last, "flipped");
    kf__result(f.g, kf__reshape(f.g, x, 1, (kf__expr[]){kf__x_mul(e, rows, columns)}), "flat");
    kf__ref row = kf__reduce_axes(f.g, KF__RED_MAX, 0, x, (int64_t[]){0}, 1, true);
    kf__result(f.g, kf__expand(f.g, row, (kf__expr[]){rows, columns}), "expanded");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    for (int j = 0; j < 6; j++) CHECK(&f, 0, j, ((double[]){1, 4, 2, 5, 3, 6})[j]);
    for (int j = 0; j < 4; j++) CHECK(&f, 1, j, ((double[]){3, 1, 6, 4})[j]);
    for (int j = 0; j < 6; j++) CHECK(&f, 2, j, j + 1);
    for (int j = 0; j < 6; j++) CHECK(&f, 3, j, j % 3 + 4);
    stop(&f);
}

static void test_strides(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = input(&f, KF__I16, 2, (int64_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
    int64_t strides[2] = {-3, 0};
    f.inputs[0].strides = strides;
    f.inputs[0].byte_offset = 8; /* at 5 */
    kf__result(f.g, kf__apply1(f.g, KF__NEGATIVE, x), "r");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    for (int j = 0; j < 6; j++) CHECK(&f, 0, j, j < 3 ? -5 : -2);
    stop(&f);
}

/* ---------------------------------------------------------------- random numbers */

/* Salmon et al., Random123's known answers: counter and key all zeros, and digits of pi. */
static void test_philox(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__expr five = kf__x_const(&f.g->exprs, 5);
    kf__ref zero = kf__constant(f.g, KF__I64, 0, 0, false);
    kf__ref bits = kf__random(f.g, KF__I32, zero, zero, 1, &five);
    kf__result(f.g, bits, "bits");
    kf__result(f.g, kf__apply1(f.g, KF__UNIFORM_BITS, bits), "uniform");
    kf__ref p = kf__constant(f.g, KF__F64, 0.5, 0, false);
    kf__ref limit = kf__broadcast_to(f.g, kf__apply1(f.g, KF__KEEP_LIMIT, p), 1, &five);
    kf__result(f.g, kf__apply2(f.g, KF__KEEP_BITS, bits, limit), "keep");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    const uint32_t known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    for (int j = 0; j < 4; j++) {
        assert_int_equal((uint32_t)f.out[0].integers[j], known[j]);
        assert_true(f.out[0].integers[j] == (int32_t)known[j]);
        CHECK(&f, 1, j, ldexp(known[j] >> 8, -24));
        CHECK(&f, 2, j, known[j] >= 0x80000000u);
    }
    assert_null(f.out[1].tolerance);
    stop(&f);
}

/* ---------------------------------------------------------------- tolerances */

static void test_exact_chains_have_no_tolerance(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = vector(&f, KF__F32, 3, (double[]){1, 2, 3});
    kf__ref y = vector(&f, KF__F32, 3, (double[]){.1, .2, .3});
    kf__ref r = kf__apply2(f.g, KF__ADD, kf__apply2(f.g, KF__DIVIDE, x, y), y);
    kf__result(f.g, kf__apply1(f.g, KF__SQRT, r), "exact");
    kf__result(f.g, kf__apply1(f.g, KF__EXP, r), "disturbed");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    assert_null(f.out[0].tolerance);
    assert_null(f.out[0].decided);
    for (int j = 0; j < 3; j++) {
        double ulp = nextafterf((float)out(&f, 1, j), INF) - (float)out(&f, 1, j);
        assert_true(f.out[1].tolerance[j] >= 3 * ulp && f.out[1].tolerance[j] <= 12 * ulp);
        assert_true(f.out[1].decided[j]);
    }
    stop(&f);
}

/* floor(exp(log(x))) is on the border at integers: undecided for ints, but not elsewhere. */
static void test_borders_are_undecided(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = vector(&f, KF__F32, 4, (double[]){3, 3.5, 7, INF});
    kf__ref r = kf__apply1(f.g, KF__EXP, kf__apply1(f.g, KF__LOG, x));
    kf__result(f.g, kf__cast(f.g, r, KF__I32), "r");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    assert_false(f.out[0].decided[0]);
    assert_true(f.out[0].decided[1]);
    assert_false(f.out[0].decided[2]);
    assert_true(f.out[0].decided[3]);
    assert_int_equal(f.out[0].integers[3], 2147483647);
    stop(&f);
}

/* hypot(0, 3e38) is 3e38 everywhere, hypot(1, 3e38) may be off by its promise: either is the
 * smallest. Of equal arguments it is the first. */
static void test_places_of_equal_results(void **state) {
    (void)state;
    for (int same = 0; same < 2; same++) {
        fixture f;
        start(&f);
        kf__ref x = vector(&f, KF__F64, 3, same ? (double[]){2, 2, 2} : (double[]){1.5, 2, 0});
        kf__ref y = vector(&f, KF__F64, 3, (double[]){3e38, 3e38, 3e38});
        kf__ref r = kf__apply2(f.g, KF__HYPOT, x, y);
        kf__result(f.g, kf__reduce_axes(f.g, KF__RED_ARGMIN, 1, r, NULL, -1, false), "r");
        assert_int_equal(evaluate(&f, NULL), KF_OK);
        assert_int_equal(f.out[0].integers[0], 0);
        if (same) assert_true(!f.out[0].decided || f.out[0].decided[0]);
        else assert_false(f.out[0].decided[0]);
        stop(&f);
    }
}

/* -90000 and -120000 are the same half, if they are stored: whether the smallest is at 1 is open. */
static void test_places_are_asked_for(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = vector(&f, KF__F16, 3, (double[]){1, 300, 400});
    kf__ref y = vector(&f, KF__F16, 3, (double[]){-300, -300, -300});
    kf__ref r = kf__apply2(f.g, KF__MULTIPLY, x, y);
    r = kf__reduce_axes(f.g, KF__RED_ARGMIN, 1, r, NULL, -1, false);
    kf__ref at = vector(&f, KF__I64, 3, (double[]){0, 1, 2});
    kf__result(f.g, kf__apply2(f.g, KF__EQUAL, r, at), "r");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    assert_true(f.out[0].decided[0]);
    assert_false(f.out[0].decided[1]);
    stop(&f);
}

/* Which sign NaN has is open, and so is what a cast of that is compared with. */
static void test_signs_of_nan_are_open(void **state) {
    (void)state;
    fixture f;
    start(&f);
    kf__ref x = vector(&f, KF__F32, 2, (double[]){0, 1});
    kf__ref zero = vector(&f, KF__I64, 2, (double[]){0, 0});
    kf__ref r = kf__apply1(f.g, KF__SIGNBIT, kf__apply2(f.g, KF__DIVIDE, x, x));
    r = kf__apply2(f.g, KF__EQUAL, kf__cast(f.g, r, KF__I64), zero);
    kf__result(f.g, r, "r");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    assert_false(f.out[0].decided[0]);
    assert_true(f.out[0].decided[1]);
    stop(&f);
}

/* 60000 + 60000 overflows a half where a kernel ends between, not within one kernel. */
static void test_halves_between_kernels(void **state) {
    (void)state;
    for (int one = 0; one < 2; one++) {
        fixture f;
        start(&f);
        kf__ref x = vector(&f, KF__F16, 2, (double[]){60000, 1.5});
        kf__ref sum = kf__apply2(f.g, KF__ADD, x, x);
        kf__result(f.g, kf__apply2(f.g, KF__SUBTRACT, sum, x), "r");
        assert_int_equal(evaluate(&f, &(kf__oracle_options){.one_kernel = one}), KF_OK);
        CHECK(&f, 0, 0, 60000);
        CHECK(&f, 0, 1, 1.5);
        if (one) assert_null(f.out[0].decided);
        else assert_false(f.out[0].decided[0]);
        stop(&f);
    }
}

static void test_compare(void **state) {
    (void)state;
    fixture f;
    kf__compare_stats s;
    float got[4] = {2.71828175f, 1, NAN, INF};
    int64_t shape = 4;
    kf_array a = {got, {KF_CPU, 0}, 1, KF_F32, &shape, NULL, 0};
    start(&f);
    kf__ref x = vector(&f, KF__F32, 4, (double[]){1, 0, NAN, INF});
    kf__result(f.g, kf__apply1(f.g, KF__EXP, x), "r");
    assert_int_equal(evaluate(&f, NULL), KF_OK);
    assert_int_equal(kf__compare(f.g, &f.out[0], &a, &s, NULL), KF_OK);
    assert_true(s.ok && s.ulp_max == 0);
    got[0] = nextafterf(got[0], 0);
    assert_int_equal(kf__compare(f.g, &f.out[0], &a, &s, NULL), KF_OK);
    assert_true(s.ok && s.ulp_max == 1 && s.worst == 0);
    got[2] = 1;
    assert_int_equal(kf__compare(f.g, &f.out[0], &a, &s, NULL), KF_OK);
    assert_true(!s.ok && s.wrong == 1 && s.worst == 2 && isnan(s.want));
    a.dtype = KF_F64;
    assert_int_equal(kf__compare(f.g, &f.out[0], &a, &s, NULL), KF_ERR_SHAPE);
    stop(&f);
}

/* ---------------------------------------------------------------- memory */

typedef struct failing {
    int left;
    int live;
} failing;

static void *failing_allocate(void *user, size_t size) {
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}

static void failing_release(void *user, void *memory) {
    ((failing *)user)->live--;
    free(memory);
}

/* Every allocation fails once; nothing is leaked. */
static void test_failing_allocations(void **state) {
    (void)state;
    failing fail = {0};
    const kf_allocator mem = {failing_allocate, failing_release, &fail};
    fixture f;
    start(&f);
    kf__ref x = vector(&f, KF__F32, 3, (double[]){1, 2, 3});
    kf__ref r = kf__reduce_axes(f.g, KF__RED_SUM, 0, kf__apply1(f.g, KF__EXP, x), NULL, -1, false);
    kf__result(f.g, r, "r");
    f.g->mem = &mem;
    kf_status status = KF_ERR_MEMORY;
    int n = 0;
    for (; status == KF_ERR_MEMORY && n < 1000; n++) {
        fail = (failing){.left = n};
        status = evaluate(&f, NULL);
        if (status == KF_ERR_MEMORY) assert_int_equal(fail.live, 0);
    }
    assert_int_equal(status, KF_OK);
    assert_true(n > 10);
    kf__oracle_free(f.g, f.out);
    assert_int_equal(fail.live, 0);
    f.g->mem = &kf__malloc;
    stop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_argmax_of_nothing_is_an_error),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_philox),
        cmocka_unit_test(test_exact_chains_have_no_tolerance),
        cmocka_unit_test(test_borders_are_undecided),
        cmocka_unit_test(test_places_of_equal_results),
        cmocka_unit_test(test_places_are_asked_for),
        cmocka_unit_test(test_signs_of_nan_are_open),
        cmocka_unit_test(test_halves_between_kernels),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
