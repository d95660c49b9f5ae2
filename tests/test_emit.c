/* src/emit: numbers and names of every kind give source that means what the loop IR says; bodies
 * name nothing but the prelude; the same graph always gives the same text. */
#include <ctype.h>
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emit/emit.h"
#include "support/stages.h"

/* ---------------------------------------------------------------- by hand: one statement */

/* What `float v = value;` prints, without declaration and semicolon; to be freed. */
static char *printed(const kf__lx *value) {
    kf__ls s = {.kind = KF__S_SET, .target = &(kf__lx){.kind = KF__L_VAR, .name = "v"},
                .value = value};
    kf__loop_fn fn = {.name = "f", .doc = "A test.", .body = &s};
    kf__lowered lowered = {.n_fns = 1, .fns = &fn};
    kf__target target = stages_target(KF__TARGET_C, 0);
    kf__text out;
    kf_error err = {0};
    kf__text_init(&out, &kf__malloc);
    assert_int_equal(kf__emit(&lowered, &target, &out, &err), KF_OK);
    const char *from = strstr(out.at, "    v = ") + 8;
    char *copy = strndup(from, strcspn(from, ";"));
    kf__text_free(&out);
    return copy;
}

static kf__lx number(double value, kf__dtype type) {
    return (kf__lx){.kind = KF__L_FLOAT, .type = (uint8_t)type, .number = value};
}

static void check_printed(const kf__lx *x, const char *text) {
    char *now = printed(x);
    assert_string_equal(now, text);
    free(now);
}

static void special_numbers(void **state) {
    (void)state;
    const struct {
        double value;
        kf__dtype type;
        const char *text;
    } cases[] = {
        {0, KF__F32, "0.0f"}, {-0.0, KF__F32, "-0.0f"}, {2, KF__F32, "2.0f"}, {2, KF__F64, "2.0"},
        {-0.5, KF__BF16, "-0.5f"}, {1000000, KF__F32, "1000000.0f"},
        {0.015625, KF__F64, "0.015625"}, {0.1, KF__F64, "0x1.999999999999ap-4 /* 0.1 */"},
        {1e-5f, KF__F32, "0x1.4f8b58p-17f /* 1e-05 */"},
        {(double)INFINITY, KF__F32, "kf_inf_f32"}, {-(double)INFINITY, KF__F64, "-kf_inf_f64"},
        {(double)NAN, KF__F16, "kf_nan_f32"}, {-(double)NAN, KF__F64, "kf_nan_f64"},
        {0x1p-149, KF__F32, "0x1p-149f /* 1.4e-45 */"},
        {0x1p-1074, KF__F64, "0x0.0000000000001p-1022 /* 4.94e-324 */"},
        {(double)FLT_MAX, KF__F32, "0x1.fffffep+127f /* 3.4028235e+38 */"},
    };
    for (size_t i = 0; i < KF__COUNT(cases); i++) {
        kf__lx x = number(cases[i].value, cases[i].type);
        check_printed(&x, cases[i].text);
    }
    const struct {
        int64_t value;
        const char *text;
    } integers[] = {
        {0, "0"}, {-1, "-1"}, {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "(-9223372036854775807 - 1)"}, {INT32_MIN, "-2147483648"},
    };
    for (size_t i = 0; i < KF__COUNT(integers); i++) {
        kf__lx x = {.kind = KF__L_INT, .type = KF__I64, .integer = integers[i].value};
        check_printed(&x, integers[i].text);
    }
}

/* Any number reads back as the same bits. */
static void numbers_read_back(void **state) {
    (void)state;
    uint64_t bits = 12345;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value;
        uint64_t pattern = i % 2 ? bits ^ (bits >> 31) : (uint64_t)(int64_t)(i - 10000);
        memcpy(&value, &pattern, sizeof value);
        if (i % 2 == 0) value = (double)(i - 10000) / (1 << (i % 9));
        kf__dtype type = i % 3 ? KF__F32 : KF__F64;
        if (type == KF__F32) value = (double)(float)value;
        if (!isfinite(value)) continue;
        kf__lx x = number(value, type);
        char *text = printed(&x);
        double back = strtod(text, NULL);
        if (memcmp(&back, &value, sizeof back)) fail_msg("%a is printed as %s", value, text);
        free(text);
    }
}

#define VAR(n) &(kf__lx){.kind = KF__L_VAR, .name = n}
#define BIN(op, l, r) &(kf__lx){.kind = KF__L_BINARY, .name = op, .n_args = 2, .args = {l, r}}
#define CODE(text, words, l, r) \
    &(kf__lx){.kind = KF__L_CODE, .type = KF__F32, .name = text, .formals = words, .n_args = 2, \
              .args = {l, r}}
#define MINUS_ONE &(kf__lx){.kind = KF__L_INT, .type = KF__I64, .integer = -1}

static void parentheses(void **state) {
    (void)state;
    const struct {
        const kf__lx *x;
        const char *text;
    } cases[] = {
        {BIN("+", BIN("*", VAR("a"), VAR("b")), VAR("c")), "a * b + c"},
        {BIN("*", BIN("+", VAR("a"), VAR("b")), VAR("c")), "(a + b) * c"},
        {BIN("+", BIN("+", VAR("a"), VAR("b")), VAR("c")), "a + b + c"},
        {BIN("+", VAR("a"), BIN("+", VAR("b"), VAR("c"))), "a + (b + c)"},
        {BIN("-", VAR("a"), BIN("-", VAR("b"), VAR("c"))), "a - (b - c)"},
        {BIN("-", BIN("-", VAR("a"), VAR("b")), VAR("c")), "a - b - c"},
        {BIN("*", BIN("/", VAR("a"), VAR("b")), VAR("c")), "(a / b) * c"},
        {BIN("/", VAR("a"), BIN("*", VAR("b"), VAR("c"))), "a / (b * c)"},
        {BIN("%", BIN("%", VAR("a"), VAR("b")), VAR("c")), "(a % b) % c"},
        {BIN("&&", BIN("==", BIN("%", VAR("a"), VAR("b")), VAR("c")), VAR("d")), "a % b == c && d"},
        {BIN("==", BIN("<", VAR("a"), VAR("b")), VAR("c")), "(a < b) == c"},
        {BIN("&", BIN("+", VAR("a"), VAR("b")), VAR("c")), "(a + b) & c"},
        {BIN("-", VAR("a"), MINUS_ONE), "a - (-1)"},
        {CODE("a * b", "a b", BIN("+", VAR("x"), VAR("y")), VAR("a")), "(x + y) * a"},
        {CODE("kf_max_T(a, b)", "a b", BIN("+", VAR("x"), VAR("y")), MINUS_ONE),
         "kf_max_f32(x + y, -1)"},
        {BIN("+", CODE("kf_max_T(a, b)", "a b", VAR("x"), VAR("y")), VAR("z")),
         "kf_max_f32(x, y) + z"},
        {BIN("+", CODE("(a) + (b)", "a b", VAR("x"), VAR("y")), VAR("z")), "((x) + (y)) + z"},
        {BIN("*", CODE("-a", "a b", VAR("x"), VAR("y")), VAR("z")), "(-x) * z"},
    };
    for (size_t i = 0; i < KF__COUNT(cases); i++) check_printed(cases[i].x, cases[i].text);
}

/* ---------------------------------------------------------------- names */

#define LONG "a_name_that_is_longer_than_what_one_would_think_of_and_still_is_allowed_"

/* $ and a digit stand for names; the text with them must give what it gives with harmless ones. */
static const struct {
    const char *text, *names[4];
} named[] = {
    {"$0 * 2 + $1 - $2 / 3", {"int", "double", "register"}},
    {"$0 * 2 + $1 - $2 / 3", {"begin", "end", "a"}},
    {"$0 * 2 + $1 - softmax($2)", {"u", "len", "first"}},
    {"$0 * 2 + $1 - layer_norm($2)", {"v0", "n0", "i0"}},
    {"$0.T * 2 + $1", {"x", "x_s0"}},
    {"$0.T * 2 + $1", {"x", "s0_in_x"}},
    {"$0.T * 2 + $1.T * $2", {"x", "x_s0", "x_s1"}},
    {"$2.T * 2 + $1.T * $0", {"x", "x_s0", "x_s1"}},
    {"$0 + $0.T * 2 - $1 * 3 + $1.T * $2", {"x", "x_1", "x_2"}},
    {"$0 * 3 + $1 - $1.T + $1[::-1] * 5", {"x_2", "x"}},
    {"$0 * 3 + $1 - $1.T + $1[::-1] * 5", {"x_3", "x"}},
    {"$0 * 3 - $2 + $1 - $1.T + $1[::-1] * 5", {"x_4", "x", "x_5"}},
    {"$0 - $1 * 2", {LONG "1", LONG "2"}},
    {"$1 = $0 + 1; $1", {"x", "out_x"}},
    {"$1 = $0 + 1; $2 = $0 * 2; $1, $2, $0 - 1", {"out", "out0", "out1"}},
    {"$1 = $0 + 1; $2 = sum($0); $1, $2", {"vec", "stream", "chunks"}},
    {"$1 = $0 + 1; $1 * $2", {"kf_add", "KF_SIMD", "restrict"}},
    {"$0 / (1 + sum($1, axis=0)) + mean($2)", {"lanes_max0", "sum1", "reduced"}},
    {"dropout($0, 0.5, seed=1) + $1", {"random0", "words2"}},
};
static const char *const harmless[] = {"alpha", "beta", "gamma_", "delta"};

static void with_names(const char *text, const char *const *names, char *out, size_t size) {
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        if (*text == '$')
            n += (size_t)snprintf(out + n, size - n, "%s", names[*++text - '0']);
        else
            out[n++] = *text;
    }
    out[n] = 0;
}

static void evaluate(kf_context *ctx, const char *text, kf_device device, kf_array *results,
                     int n) {
    enum { SIDE = 6 };
    static float data[4][SIDE * SIDE];
    kf_error err = {0};
    kf_function *f = NULL;
    kf_array inputs[4];
    if (kf_parse(ctx, text, NULL, &f, &err) != KF_OK) fail_msg("%s: %s", text, err.message);
    int n_inputs = kf_function_input_count(f);
    kf_function_free(f);
    for (int i = 0; i < n_inputs; i++) {
        for (int k = 0; k < SIDE * SIDE; k++) data[i][k] = (float)((k * 7 + i * 11) % 23) / 4;
        static int64_t shape[] = {SIDE, SIDE};
        inputs[i] = (kf_array){.data = data[i], .device = device, .ndim = 2, .dtype = KF_F32,
                               .shape = shape};
    }
    if (kf_eval(ctx, text, n_inputs, inputs, n, results, &err) != KF_OK)
        fail_msg("%s: %s", text, err.message);
}

static void names_of_all_kinds(void **state) {
    (void)state;
    static const kf_device devices[] = {{KF_CPU, 0}, {KF_CUDA_EMULATED, 0}};
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    for (size_t i = 0; i < KF__COUNT(named); i++)
        for (size_t d = 0; d < KF__COUNT(devices); d++) {
            char odd[600], plain[600];
            with_names(named[i].text, named[i].names, odd, sizeof odd);
            with_names(named[i].text, harmless, plain, sizeof plain);
            int n = 1;
            const char *last = strrchr(plain, ';');
            for (const char *c = last ? last : ""; *c; c++) n += *c == ',';
            kf_array got[4] = {{0}}, want[4] = {{0}};
            evaluate(ctx, odd, devices[d], got, n);
            evaluate(ctx, plain, devices[d], want, n);
            for (int r = 0; r < n; r++) {
                size_t bytes = 4;
                for (int a = 0; a < want[r].ndim; a++) bytes *= (size_t)want[r].shape[a];
                if (memcmp(got[r].data, want[r].data, bytes))
                    fail_msg("%s: result %d isn't that of %s", odd, r, plain);
                kf_array_free(ctx, &got[r]);
                kf_array_free(ctx, &want[r]);
            }
        }
    kf_context_free(ctx);
}

/* ---------------------------------------------------------------- what bodies name */

/* Words that aren't ours and may stand before a bracket. */
static bool is_keyword(const char *c, size_t n) {
    static const char *const words[] = {"for", "if", "void", "int64_t", "sizeof"};
    for (size_t i = 0; i < KF__COUNT(words); i++)
        if (strlen(words[i]) == n && !memcmp(words[i], c, n)) return true;
    return false;
}

static void check_calls(const char *source, const char *name) {
    bool comment = false, line_comment = false;
    for (const char *c = source; *c; c++) {
        if (!comment && !strncmp(c, "/*", 2)) comment = true;
        if (!comment && !strncmp(c, "//", 2)) line_comment = true;
        if (comment && !strncmp(c, "*/", 2)) comment = false;
        if (*c == '\n') line_comment = false;
        if (comment || line_comment || !(isalpha((unsigned char)*c) || *c == '_')) continue;
        size_t n = 0;
        while (isalnum((unsigned char)c[n]) || c[n] == '_') n++;
        bool call = c[n] == '(', ours = !strncmp(c, "kf_", 3) || !strncmp(c, "KF_", 3);
        bool builtin = n > 2 && (!strncmp(c, "__", 2) || !strncmp(c, "blockIdx", 8) ||
                                 !strncmp(c, "threadIdx", 9));
        bool definition = c - source >= 5 && !strncmp(c - 5, "void ", 5);
        if (builtin || (call && !ours && !definition && !is_keyword(c, n)))
            fail_msg("%s: the source names %.*s", name, (int)n, c);
        c += n - 1;
    }
}

static void bodies_name_the_prelude(void **state) {
    (void)state;
    const char *folder = KFUSE_SOURCE_DIR "/tests/golden";
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int files = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || (strcmp(dot, ".c") && strcmp(dot, ".cu"))) continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = read_text(path);
        assert_non_null(text);
        check_calls(text, e->d_name);
        free(text);
        files++;
    }
    closedir(dir);
    assert_true(files > 30);
}

/* ---------------------------------------------------------------- the same text */

static char *source_of(const char *text, const char *head, kf__target_kind kind) {
    stages s;
    kf__text out;
    kf_error err = {0};
    kf__target target = stages_target(kind, 90);
    kf__text_init(&out, &kf__malloc);
    if (stages_make(&s, text, head, kind, &err) != KF_OK ||
        stages_source(&s, &target, true, &out, &err) != KF_OK)
        fail_msg("%s: %s", text, err.message);
    stages_free(&s);
    return out.at;
}

static void always_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {
        "softmax(x) + y.T", "layer_norm(gelu(x * y)), sum(x, axis=0), var(y)",
        "dropout(x, 0.3, seed=4) * rand_like(y, stream=1)"};
    const char *head = "# x: f32[64, 64]\n# y: f32[64, 64]\n";
    for (size_t i = 0; i < KF__COUNT(texts); i++)
        for (int kind = KF__TARGET_C; kind <= KF__TARGET_EMULATED; kind++) {
            char *first = source_of(texts[i], head, (kf__target_kind)kind);
            for (size_t k = 0; k < 3; k++) {
                void *shift = malloc(1000 * (k + 1)); /* other addresses */
                char *again = source_of(texts[i], head, (kf__target_kind)kind);
                assert_string_equal(first, again);
                free(again);
                free(shift);
            }
            free(first);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_numbers),   cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(parentheses),       cmocka_unit_test(names_of_all_kinds),
        cmocka_unit_test(bodies_name_the_prelude), cmocka_unit_test(always_the_same),
    };
    return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
