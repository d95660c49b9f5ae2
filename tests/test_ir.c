/* src/ir: tables, promotion, the graph's makers, printing and verifying. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/graph.h"

/* ---------------------------------------------------------------- tables */

static void test_tables(void **state) {
    (void)state;
    kf__dtype t;
    kf__opcode op;
    for (int i = 0; i < KF__DTYPE_COUNT; i++) {
        const kf__type *row = &kf__types[i];
        assert_true(kf__dtype_from_name(row->name, strlen(row->name), &t) && (int)t == i);
        assert_true(kf__dtype_from_name(row->alias, strlen(row->alias), &t) && (int)t == i);
        assert_true(kf__dtype_from_dlpack(row->dlpack, &t) && (int)t == i);
        assert_int_equal(row->size, row->dlpack.bits / 8);
        assert_int_equal(kf__compute(row->compute), row->compute);
    }
    assert_false(kf__dtype_from_name("float3", 6, &t));
    assert_false(kf__dtype_from_dlpack((kf_dtype){2, 32, 2}, &t));
    for (int i = 0; i < KF__OP_COUNT; i++) {
        const kf__op_row *row = &kf__ops[i];
        assert_true(kf__op_from_name(row->name, strlen(row->name), &op) && (int)op == i);
        assert_in_range(row->arity, 1, 3);
        assert_true(row->float_code || row->int_code);
    }
    assert_false(kf__op_from_name("ad", 2, &op));
    for (int i = 0; i < KF__RED_COUNT; i++) {
        assert_in_range(kf__reds[i].n_fields, 1, KF__MAX_FIELDS);
        for (int k = 0; k < kf__reds[i].n_fields; k++) assert_non_null(kf__reds[i].field[k].merge);
    }
}

static void test_promote(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        {"f32", "f32", "f32"},  {"i64", "f16", "f16"}, {"f16", "bf16", "f32"}, {"u8", "i8", "i16"},
        {"u8", "i32", "i32"},   {"bool", "u8", "u8"},  {"f64", "f32", "f64"},  {"i8", "i16", "i16"},
        {"bf16", "f32", "f32"}, {"bool", "bf16", "bf16"}, {"u8", "i16", "i16"},
        {"i64", "u8", "i64"},
    };
    for (size_t r = 0; r < KF__COUNT(rows); r++) {
        kf__dtype a, b, c;
        kf__dtype_from_name(rows[r][0], strlen(rows[r][0]), &a);
        kf__dtype_from_name(rows[r][1], strlen(rows[r][1]), &b);
        kf__dtype_from_name(rows[r][2], strlen(rows[r][2]), &c);
        assert_int_equal(kf__promote(a, b), c);
        assert_int_equal(kf__promote(b, a), c);
    }
}

/* ---------------------------------------------------------------- a world of arguments */

/* "f32[a,3]", "2", "0.5", "int" and "float" (scalars): names are shared, so is the text. */
static kf__ref argument(kf_graph *g, const char *text) {
    kf__dtype t;
    kf__expr size[8];
    int rank = 0;
    size_t n = strcspn(text, "[");
    if (strcmp(text, "int") == 0) return kf__scalar(g, text, KF__I64);
    if (strcmp(text, "float") == 0) return kf__scalar(g, text, KF__F64);
    if (text[n] != '[') {
        int64_t i;
        double d;
        if (kf__parse_int(text, n, &i)) return kf__integer(g, i);
        assert_true(kf__parse_double(text, n, &d));
        return kf__number(g, d);
    }
    assert_true(kf__dtype_from_name(text, n, &t));
    for (const char *at = text + n + 1; *at && *at != ']'; rank++) {
        size_t length = strcspn(at, ",]");
        int64_t i;
        size[rank] = kf__parse_int(at, length, &i) ? kf__x_const(&g->exprs, i)
                                                   : kf__x_name(&g->exprs, at, length);
        at += length + (at[length] == ',');
    }
    return kf__input(g, "x", t, rank, size);
}

static void check_type(kf_graph *g, kf__ref a, const char *type, const char *what) {
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    if (a)
        kf__print_type(g, a, &text);
    else
        kf__print(&text, "%s", g->error.message);
    if (strcmp(text.at, type) != 0) print_error("%s\n", what);
    assert_string_equal(text.at, type);
    kf__text_free(&text);
}

static void check_graph(kf_graph *g) {
    kf_error err = {0};
    if (!kf__graph_ok(g)) return;
    kf__graph_verify(g, &err);
    assert_string_equal(err.message, "");
}

/* ---------------------------------------------------------------- apply */

static const struct {
    const char *op, *a, *b, *c;
    const char *type; /* of the result, or the error's sentence */
} applied[] = {
    {"add", "f32[a]", "f32[a]", NULL, "float32[a]"},
    {"add", "f32[3,4]", "f32[5]", NULL,
     "add of float32[3, 4] and float32[5]: sizes 4 and 5 don't broadcast"},
    {"add", "f32[3,4]", "f32[4]", NULL, "float32[3, 4]"},
    {"add", "f32[a,1]", "f32[1,b]", NULL, "float32[a, b]"},
    {"add", "f32[a]", "f32[b]", NULL, "float32[a]"},
    {"add", "f32[a]", "f32[7]", NULL, "float32[7]"},
    {"add", "bool[a]", "bool[a]", NULL,
     "add of bool[a] and bool[a]: bools have & | ^ and ~; for numbers cast one of them"},
    {"add", "bool[a]", "i8[a]", NULL, "int8[a]"},
    {"add", "bool[a]", "2", NULL, "int64[a]"},
    {"add", "bool[a]", "0.5", NULL, "float32[a]"},
    {"multiply", "i32[a]", "2", NULL, "int32[a]"},
    {"multiply", "i32[a]", "0.5", NULL, "float32[a]"},
    {"multiply", "f16[a]", "0.5", NULL, "float16[a]"},
    {"multiply", "f16[a]", "float", NULL, "float16[a]"},
    {"multiply", "f16[a]", "bf16[a]", NULL, "float32[a]"},
    {"multiply", "f16[a]", "i64[a]", NULL, "float16[a]"},
    {"multiply", "f64[a]", "f32[]", NULL, "float64[a]"},
    {"multiply", "float", "2", NULL, "a float"},
    {"multiply", "int", "2", NULL, "an int"},
    {"divide", "int", "2", NULL, "a float"},
    {"divide", "i32[a]", "i32[a]", NULL, "float32[a]"},
    {"divide", "f16[a]", "2", NULL, "float16[a]"},
    {"add", "u8[a]", "i8[a]", NULL, "int16[a]"},
    {"add", "u8[a]", "300", NULL,
     "add of uint8[a] and an int: 300 doesn't fit uint8; cast the array first"},
    {"add", "u8[a]", "int", NULL, "uint8[a]"},
    {"less", "u8[a]", "300", NULL, "bool[a]"},
    {"less", "2", "float", NULL, "bool[]"},
    {"equal", "bool[a]", "bool[a]", NULL, "bool[a]"},
    {"exp", "i32[a]", NULL, NULL, "float32[a]"},
    {"exp", "bool[a]", NULL, NULL, "float32[a]"},
    {"exp", "bf16[a]", NULL, NULL, "bfloat16[a]"},
    {"exp", "2", NULL, NULL, "a float"},
    {"isnan", "f16[a]", NULL, NULL, "bool[a]"},
    {"negative", "bool[a]", NULL, NULL,
     "negative of bool[a]: bools have & | ^ and ~; for a number cast it"},
    {"bitwise_and", "bool[a]", "bool[a]", NULL, "bool[a]"},
    {"bitwise_and", "u8[a]", "1", NULL, "uint8[a]"},
    {"bitwise_and", "f32[a]", "1", NULL,
     "bitwise_and of float32[a] and an int: only integers and bools have bits; cast first"},
    {"bitwise_left_shift", "bool[a]", "bool[a]", NULL,
     "bitwise_left_shift of bool[a] and bool[a]: only integers are taken; cast first"},
    {"bitwise_left_shift", "1", "i32[a]", NULL, "int32[a]"},
    {"where", "bool[a,1]", "f32[b]", "0", "float32[a, b]"},
    {"where", "bool[a]", "1", "0.5", "float32[a]"},
    {"where", "bool[a]", "1", "0", "int64[a]"},
    {"where", "f32[a]", "bool[a]", "bool[a]", "bool[a]"},
    {"where", "bool[]", "1", "float", "a float"},
    {"uniform_bits", "i32[a]", NULL, NULL, "float32[a]"},
    {"uniform_bits", "f32[a]", NULL, NULL,
     "uniform_bits of float32[a]: the first is random bits, int32 or int64"},
    {"keep_limit", "float", NULL, NULL, "int64[]"},
    {"keep_bits", "i32[a]", "int", NULL, "bool[a]"},
};

static void test_apply(void **state) {
    (void)state;
    for (size_t r = 0; r < KF__COUNT(applied); r++) {
        kf_graph *g = kf__graph_new(&kf__malloc);
        kf__opcode op;
        assert_true(kf__op_from_name(applied[r].op, strlen(applied[r].op), &op));
        kf__ref args[3] = {argument(g, applied[r].a)};
        if (applied[r].b) args[1] = argument(g, applied[r].b);
        if (applied[r].c) args[2] = argument(g, applied[r].c);
        char what[64];
        snprintf(what, sizeof what, "row %zu: %s", r, applied[r].op);
        check_type(g, kf__apply(g, op, args), applied[r].type, what);
        check_graph(g);
        kf_graph_free(g);
    }
}

static void test_constraints(void **state) {
    (void)state;
    kf_graph *g = kf__graph_new(&kf__malloc);
    kf__ref a = argument(g, "f32[a]"), b = argument(g, "f32[b]"), c = argument(g, "f32[c,1,b]");
    kf__ref sum = kf__apply2(g, KF__ADD, a, b);
    assert_int_equal(g->constraints.n, 1);
    assert_string_equal(g->constraints.at[0].why, "add of float32[a] and float32[b]");
    kf__apply2(g, KF__MULTIPLY, a, b);
    assert_int_equal(g->constraints.n, 1);
    check_type(g, kf__apply2(g, KF__ADD, c, sum), "float32[c, 1, a]", "renamed");
    check_graph(g);
    kf__expr n = kf__at(g, a)->shape[0], more = kf__x_add(&g->exprs, n, kf__x_const(&g->exprs, 2));
    assert_int_equal(kf__same_size(g, n, more, "here"), 0);
    assert_string_equal(g->error.message, "here: one size is larger than the other by 2");
    assert_int_equal(kf__apply2(g, KF__ADD, a, a), 0); /* errors stay */
    kf_graph_free(g);
}

/* ---------------------------------------------------------------- constants */

static void test_constants(void **state) {
    (void)state;
    kf_graph *g = kf__graph_new(&kf__malloc);
    static const struct {
        kf__dtype to;
        double from, value; /* as ints where `to` is one */
    } rows[] = {
        {KF__F32, 0.1, 0.1f}, {KF__F64, 0.1, 0.1}, {KF__F16, 0.1, 0x1.998p-4},
        {KF__F16, 65520, INFINITY}, {KF__F16, 65519, 65504}, {KF__F16, 0x1p-25, 0},
        {KF__F16, 0x1.8p-25, 0x1p-24}, {KF__F16, 2049, 2048}, {KF__F16, 2051, 2052},
        {KF__BF16, 0.1, 0x1.9ap-4}, {KF__BF16, 3.4e38, INFINITY}, {KF__BF16, 257, 256},
        {KF__I8, 300, 127}, {KF__I8, -300, -128}, {KF__U8, -1, 0}, {KF__U8, 255.9, 255},
        {KF__I64, 1e30, (double)INT64_MAX}, {KF__I32, -3e9, INT32_MIN}, {KF__I32, -1.9, -1},
        {KF__BOOL, 0.25, 1}, {KF__I16, NAN, 0}, {KF__BOOL, 0, 0},
    };
    for (size_t r = 0; r < KF__COUNT(rows); r++) {
        kf__ref a = kf__cast(g, kf__number(g, rows[r].from), rows[r].to);
        const kf__node *x = kf__at(g, a);
        assert_int_equal(x->kind, KF__CONSTANT);
        assert_int_equal(x->dtype, rows[r].to);
        assert_false(x->weak);
        double v = kf__is_float(rows[r].to) ? x->u.number : (double)x->u.integer;
        if (!(v == rows[r].value)) print_error("row %zu: %a\n", r, v);
        assert_true(v == rows[r].value);
    }
    kf__ref wrapped = kf__cast(g, kf__integer(g, 300), KF__U8);
    assert_int_equal(kf__at(g, wrapped)->u.integer, 44);
    assert_int_not_equal(kf__number(g, 0.0), kf__number(g, -0.0));
    assert_int_equal(kf__number(g, NAN), kf__number(g, NAN));
    assert_true(kf__at(g, kf__number(g, 0.1))->u.number == 0.1);
    kf_graph_free(g);
}

/* ---------------------------------------------------------------- views and reductions */

static void test_views_fold(void **state) {
    (void)state;
    kf_graph *g = kf__graph_new(&kf__malloc);
    kf__exprs *p = &g->exprs;
    kf__ref x = argument(g, "f32[a,b,1]");
    kf__expr a = kf__at(g, x)->shape[0], b = kf__at(g, x)->shape[1], one = kf__x_const(p, 1);
    kf__expr flat = kf__x_mul(p, a, b), four = kf__x_const(p, 4);
    const uint8_t turn[] = {1, 2, 0}, back[] = {2, 0, 1}, none[] = {0, 1, 2};

    assert_int_equal(kf__permute(g, x, none), x);
    assert_int_equal(kf__permute(g, kf__permute(g, x, turn), back), x);
    assert_int_equal(kf__permute(g, kf__permute(g, x, turn), turn), kf__permute(g, x, back));
    assert_int_equal(kf__reshape(g, x, 3, (kf__expr[]){a, b, one}), x);
    kf__ref f = kf__reshape(g, x, 1, &flat);
    check_type(g, f, "float32[a*b]", "flat");
    assert_int_equal(kf__reshape(g, f, 3, (kf__expr[]){a, b, one}), x);
    assert_int_equal(kf__reshape(g, f, 2, (kf__expr[]){b, a}),
                     kf__reshape(g, x, 2, (kf__expr[]){b, a}));
    assert_int_equal(g->constraints.n, 0);
    assert_int_equal(kf__expand(g, x, (kf__expr[]){a, b, one}), x);
    kf__ref e = kf__expand(g, x, (kf__expr[]){a, b, four});
    check_type(g, e, "float32[a, b, 4]", "expand");
    kf__expr zero = kf__x_const(p, 0), starts[] = {zero, zero, zero};
    const int64_t steps[] = {1, 1, 1}, reversed[] = {-1, 1, 1};
    assert_int_equal(kf__slice(g, x, (kf__expr[]){a, b, one}, starts, steps), x);
    starts[0] = kf__x_sub(p, a, one);
    kf__ref s = kf__slice(g, x, (kf__expr[]){a, b, one}, starts, reversed);
    assert_int_not_equal(s, x);
    assert_int_equal(kf__insert_axis(g, x, 0), kf__insert_axis(g, x, -4));
    check_type(g, kf__insert_axis(g, x, 1), "float32[a, 1, b, 1]", "insert");
    check_type(g, kf__remove_axis(g, x, -1), "float32[a, b]", "remove");
    assert_int_equal(kf__insert_axis(g, kf__remove_axis(g, x, 2), 2), x);
    check_type(g, kf__broadcast_to(g, kf__number(g, 2), 1, &a), "float32[a]", "full");
    kf__ref seed = kf__integer(g, 7);
    check_type(g, kf__random(g, KF__I32, seed, seed, 1, &a), "int32[a]", "random");
    assert_int_equal(kf__random(g, KF__I32, seed, seed, 1, &a),
                     kf__random(g, KF__I32, seed, seed, 1, &a));
    kf__result(g, s, NULL);
    kf__result(g, kf__number(g, 1), "n");
    assert_string_equal(kf_graph_result_name(g, 0), "out0");
    assert_int_equal(kf__at(g, g->results.at[1])->dtype, KF__F32);
    check_graph(g);
    assert_true(kf__graph_ok(g));
    kf_graph_free(g);
}

static void test_view_errors(void **state) {
    (void)state;
    for (int r = 0; r < 9; r++) {
        kf_graph *g = kf__graph_new(&kf__malloc);
        kf__exprs *p = &g->exprs;
        kf__ref x = argument(g, "f32[3,4]");
        kf__expr two = kf__x_const(p, 2), four = kf__x_const(p, 4);
        const int64_t axes[] = {1, -1}, step[] = {1, 2};
        static const char *const messages[] = {
            "reshape of float32[3, 4] to [2, 4]: 12 elements aren't 8",
            "broadcasting float32[3, 4] to [4, 4]: sizes 3 and 4 differ",
            "sum of float32[3, 4]: axis 1 is given twice",
            "sum of float32[3, 4]: there is no axis 2, only -2 to 1",
            "squeeze of float32[3, 4]: axis 1 has size 4, not 1",
            "slice of float32[3, 4] reads beyond axis 1",
            "float32[3, 4] doesn't broadcast to [4]",
            "the seed of random numbers is float32[3, 4]: one int64 is needed",
            "an array of rank 17: the largest rank is 16",
        };
        kf__ref a = 1;
        switch (r) {
        case 0: a = kf__reshape(g, x, 2, (kf__expr[]){two, four}); break;
        case 1: a = kf__expand(g, x, (kf__expr[]){four, four}); break;
        case 2: a = kf__reduce_axes(g, KF__RED_SUM, 0, x, axes, 2, true); break;
        case 3: a = kf__reduce_axes(g, KF__RED_SUM, 0, x, (int64_t[]){2}, 1, true); break;
        case 4: a = kf__remove_axis(g, x, 1); break;
        case 5:
            a = kf__slice(g, x, (kf__expr[]){two, two}, (kf__expr[]){kf__x_const(p, 0), two}, step);
            break;
        case 6: a = kf__broadcast_to(g, x, 1, &four); break;
        case 7: a = kf__random(g, KF__I32, x, x, 0, NULL); break;
        default:
            for (a = x; a;) a = kf__insert_axis(g, a, 0);
        }
        assert_int_equal(a, 0);
        assert_string_equal(g->error.message, messages[r]);
        kf_graph_free(g);
    }
}

static void test_reduce(void **state) {
    (void)state;
    static const struct {
        kf__reduction red;
        int field, n, axis;
        const char *x;
        bool keepdims;
        const char *type;
    } rows[] = {
        {KF__RED_SUM, 0, 1, -1, "f16[a,b]", false, "float16[a]"},
        {KF__RED_SUM, 0, 1, 0, "i8[a,b]", true, "int64[1, b]"},
        {KF__RED_PROD, 0, -1, 0, "bool[a,b]", false, "int64[]"},
        {KF__RED_MAX, 0, -1, 0, "u8[a,b]", false, "uint8[]"},
        {KF__RED_MAX, 0, 1, 1, "bool[a,b]", false, "bool[a]"},
        {KF__RED_ANY, 0, -1, 0, "f32[a]", true, "bool[1]"},
        {KF__RED_ALL, 0, 0, 0, "f32[a]", true, "bool[a]"},
        {KF__RED_SUM, 0, 0, 0, "i32[a]", true, "int64[a]"},
        {KF__RED_SUM, 0, -1, 0, "2", false, "int64[]"},
        {KF__RED_MOMENTS, 1, 1, 0, "i32[a]", false, "float32[]"},
        {KF__RED_MOMENTS, 1, 0, 0, "f32[a]", false, "float32[a]"},
        {KF__RED_MAX_SUMEXP, 1, 1, 0, "bf16[a]", false, "bfloat16[]"},
    };
    for (size_t r = 0; r < KF__COUNT(rows); r++) {
        kf_graph *g = kf__graph_new(&kf__malloc);
        int64_t axes[] = {rows[r].axis};
        kf__ref a = kf__reduce_axes(g, rows[r].red, rows[r].field, argument(g, rows[r].x), axes,
                                    rows[r].n, rows[r].keepdims);
        check_type(g, a, rows[r].type, "reduce");
        check_graph(g);
        kf_graph_free(g);
    }
}

static void test_scan(void **state) {
    (void)state;
    static const struct {
        kf__reduction red;
        int axis;
        uint32_t chunk;
        const char *x, *type; /* or the error's sentence */
    } rows[] = {
        {KF__RED_SUM, 0, 0, "f16[a,b]", "float16[a, b]"},
        {KF__RED_MAX, 1, 64, "u8[a,b]", "uint8[a, b]"},
        {KF__RED_SUM, 0, 0, "i32[a]", "cumulative sum of int32[a] along axis 0"},
        {KF__RED_MIN, 0, 0, "bool[a]", "cumulative min of bool[a] along axis 0"},
        {KF__RED_SUM, 2, 0, "f32[a,b]", "cumulative sum of float32[a, b] along axis 2"},
        {KF__RED_LOGADDEXP, 1, 64, "f64[a,b]", "float64[a, b]"},
        {KF__RED_LOGADDEXP, 0, 0, "i32[a]", "cumulative logaddexp of int32[a] along axis 0"},
        {KF__RED_MOMENTS, 0, 0, "f32[a]", "cumulative moments of float32[a] along axis 0"},
    };
    for (size_t r = 0; r < KF__COUNT(rows); r++) {
        kf_graph *g = kf__graph_new(&kf__malloc);
        kf__ref x = argument(g, rows[r].x);
        kf__ref a = kf__scan(g, rows[r].red, rows[r].axis, rows[r].chunk, x);
        check_type(g, a, rows[r].type, "scan");
        if (a) assert_int_equal(a, kf__scan(g, rows[r].red, rows[r].axis, rows[r].chunk, x));
        if (a) assert_int_not_equal(a, kf__scan(g, rows[r].red, rows[r].axis, 7, x));
        check_graph(g);
        kf_graph_free(g);
    }
    kf_graph *g = kf__graph_new(&kf__malloc); /* of one element it is that */
    kf__ref x = argument(g, "f32[a,1]");
    assert_int_equal(kf__scan(g, KF__RED_SUM, 1, 0, x), x);
    kf_graph_free(g);
}

/* A cast rounds: it goes away only where the value is known to be rounded. */
static void test_casts(void **state) {
    (void)state;
    kf_graph *g = kf__graph_new(&kf__malloc);
    kf__ref x = argument(g, "f16[a]"), y = argument(g, "f32[a]"), s = argument(g, "float");
    kf__ref sum = kf__apply2(g, KF__ADD, x, x);
    assert_int_equal(kf__cast(g, x, KF__F16), x);
    kf__ref rounded = kf__cast(g, sum, KF__F16);
    assert_int_not_equal(rounded, sum);
    assert_int_equal(kf__cast(g, rounded, KF__F16), rounded);
    assert_int_equal(kf__cast(g, y, KF__F32), y);
    kf__ref solid = kf__cast(g, s, KF__F64);
    assert_false(kf__at(g, solid)->weak);
    assert_true(kf__at(g, kf__to_float(g, kf__integer(g, 1)))->weak);
    assert_int_equal(kf__at(g, kf__to_float(g, argument(g, "u8[a]")))->dtype, KF__F32);
    kf_graph_free(g);
}

/* ---------------------------------------------------------------- print, remake, memory */

static kf_graph *example(const kf_allocator *mem) {
    kf_graph *g = kf__graph_new(mem);
    if (!g) return NULL;
    kf__expr size[2] = {kf__x_name(&g->exprs, "x.0", 3), kf__x_name(&g->exprs, "x.1", 3)};
    kf__expr other = kf__x_name(&g->exprs, "w.0", 3);
    kf__ref x = kf__input(g, "x", KF__F32, 2, size), w = kf__input(g, "w", KF__F16, 1, &other);
    kf__ref p = kf__scalar(g, "p", KF__F64);
    kf__input_unused(g, "unused", false);
    g->call = kf__call(g, "relu");
    kf__ref r = kf__apply2(g, KF__MAXIMUM, x, kf__integer(g, 0));
    g->call = 0;
    kf__ref m = kf__reduce_axes(g, KF__RED_MOMENTS, 0, r, (int64_t[]){-1}, 1, true);
    kf__ref d = kf__apply2(g, KF__MULTIPLY, kf__apply2(g, KF__SUBTRACT, r, m), w);
    kf__ref t = kf__permute(g, kf__apply2(g, KF__MULTIPLY, d, p), (uint8_t[]){1, 0});
    kf__result(g, t, "out");
    return g;
}

static const char *const printed =
    "input x: f32[x.0, x.1]\n"
    "input w: f16[w.0]\n"
    "input p: scalar f64\n"
    "input unused: left out\n"
    "%1 = input f32[x.0, x.1] x\n"
    "%2 = input f16[w.0] w\n"
    "%3 = scalar f64[] p weak\n"
    "%4 = constant i64[] 0 weak    # call relu\n"
    "%5 = constant f32[] 0    # call relu\n"
    "%6 = reshape f32[1, 1] %5    # call relu\n"
    "%7 = expand f32[x.0, x.1] %6    # call relu\n"
    "%8 = maximum f32[x.0, x.1] %1 %7    # call relu\n"
    "%9 = moments.mean f32[x.0, 1] %8 axes=1\n"
    "%10 = expand f32[x.0, x.1] %9\n"
    "%11 = subtract f32[x.0, x.1] %8 %10\n"
    "%12 = reshape f16[1, w.0] %2\n"
    "%13 = expand f16[x.0, x.1] %12\n"
    "%14 = multiply f32[x.0, x.1] %11 %13\n"
    "%15 = cast f32[] %3\n"
    "%16 = reshape f32[1, 1] %15\n"
    "%17 = expand f32[x.0, x.1] %16\n"
    "%18 = multiply f32[x.0, x.1] %14 %17\n"
    "%19 = permute f32[x.1, x.0] %18 perm=1,0\n"
    "result out %19\n"
    "require x.1 == w.0    # multiply of float32[x.0, x.1] and float16[w.0]\n";

static void check_printed(const kf_graph *g) {
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    kf__graph_print(g, &text);
    assert_string_equal(text.at, printed);
    kf__text_free(&text);
}

static void test_print_and_remake(void **state) {
    (void)state;
    kf_graph *g = example(&kf__malloc);
    assert_string_equal(g->error.message, "");
    check_graph(g);
    check_printed(g);
    kf_graph *h = kf__graph_like(g);
    kf__ref to[64] = {0};
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        const kf__node *x = kf__at(g, r);
        kf__ref args[3] = {to[x->args[0]], to[x->args[1]], to[x->args[2]]};
        to[r] = kf__remake(h, x, args);
        assert_int_equal(to[r], r);
        assert_int_equal(kf__remake(g, x, x->args), r);
    }
    kf__result(h, to[g->results.at[0]], "out");
    kf_graph_free(g);
    check_graph(h);
    check_printed(h);
    kf_graph_free(h);
}

static void test_verify_sees(void **state) {
    (void)state;
    kf_error err = {0};
    kf_graph *g = example(&kf__malloc);
    g->nodes.at[11].args[1] = 12;
    assert_int_equal(kf__graph_verify(g, &err), KF_ERR_INTERNAL);
    assert_string_equal(err.message,
                        "the graph is broken at %11 (kind 5): an argument isn't before it");
    kf__error_clear(&err);
    g->nodes.at[11].args[1] = 4;
    assert_int_equal(kf__graph_verify(g, &err), KF_ERR_INTERNAL);
    kf_graph_free(g);
}

static void *failing_allocate(void *user, size_t size) {
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void failing_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void test_out_of_memory(void **state) {
    (void)state;
    bool whole = false;
    for (int n = 0; !whole; n++) {
        int left = n;
        kf_allocator mem = {failing_allocate, failing_release, &left};
        kf_graph *g = example(&mem);
        whole = g && kf__graph_ok(g);
        if (g && !whole) assert_int_equal(g->error.status, KF_ERR_MEMORY);
        if (whole) check_printed(g);
        kf_graph_free(g);
        assert_true(n < 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_promote),
        cmocka_unit_test(test_apply),        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_constants),    cmocka_unit_test(test_views_fold),
        cmocka_unit_test(test_view_errors),  cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_casts),        cmocka_unit_test(test_print_and_remake),
        cmocka_unit_test(test_verify_sees),  cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
