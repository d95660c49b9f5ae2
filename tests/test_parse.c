/* src/parse: text -> graph. tests/golden/parse.txt has rows of text ("> "), specs of the inputs
 * ("| ") and what comes of it ("= "): the results as expressions, or the error with its place.
 * KFUSE_REGENERATE=1 writes the file anew; read the difference. Then text that is broken in every
 * way that comes to mind.
 *
 * "@f" in front of the text picks the def f. Specs: "f32[2,1]" an array of rank 2 whose second size
 * is 1 (others are run-time sizes), "0.5" and "3" run-time numbers, "-" the default. One an
 * input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "parse/builtin.h"
#include "parse/parse.h"

enum { MAX_SPECS = 10 };

typedef struct input_specs {
    int n;
    kf_spec at[MAX_SPECS];
    int64_t shape[MAX_SPECS][KF__MAX_ARRAY_RANK + 1];
} input_specs;

static void read_array(kf_spec *spec, int64_t *shape, const char *word, const char *open) {
    kf__dtype dtype;
    assert_true(kf__dtype_from_name(word, (size_t)(open - word), &dtype));
    spec->dtype = kf__types[dtype].dlpack;
    spec->shape = shape;
    for (const char *at = open + 1; *at != ']'; spec->ndim++) {
        shape[spec->ndim] = strtol(at, (char **)&at, 10);
        if (*at == ',') at++;
    }
}

static void read_specs(const char *text, input_specs *out) {
    char copy[200];
    memset(out, 0, sizeof *out);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        kf_spec *spec = &out->at[out->n];
        const char *open = strchr(word, '[');
        if (open) {
            read_array(spec, out->shape[out->n], word, open);
        } else if (strcmp(word, "-") == 0) {
            spec->kind = KF_SPEC_DEFAULT;
        } else if (strchr(word, '.')) {
            spec->kind = KF_SPEC_FLOAT, spec->number = atof(word);
        } else {
            spec->kind = KF_SPEC_INT, spec->integer = atoll(word);
        }
        out->n++;
    }
}

static kf_status run(const kf_allocator *mem, const char *text, const char *spec_text,
                     kf_numerics numerics, kf_graph **g, kf_error *err) {
    char name[64] = "";
    input_specs s;
    if (text[0] == '@') {
        size_t n = strcspn(text, ":");
        snprintf(name, sizeof name, "%.*s", (int)n - 1, text + 1);
        text += n + 1;
        text += *text == ' ';
    }
    kf_function *f = NULL;
    *g = NULL;
    memset(err, 0, sizeof *err);
    kf_status status = kf__parse(mem, text, name[0] ? name : NULL, &f, err);
    if (status != KF_OK) return status;
    read_specs(spec_text, &s);
    status = kf__instantiate(mem, f, s.n, s.at, numerics, g, err);
    kf_function_free(f);
    return status;
}


/* ---------------------------------------------------------------- graphs as expressions */

static void print_node(const kf_graph *g, kf__ref r, int depth, kf__text *out);

static void print_args(const kf_graph *g, const kf__node *x, int depth, kf__text *out) {
    kf__print(out, "(");
    for (int i = 0; i < x->n_args; i++) {
        if (i) kf__print(out, ", ");
        print_node(g, x->args[i], depth + 1, out);
    }
    kf__print(out, ")");
}

static void print_sizes(const kf_graph *g, const kf__node *x, kf__text *out) {
    kf__print(out, "[");
    for (int i = 0; i < x->rank; i++) {
        if (i) kf__print(out, ", ");
        kf__x_print(&g->exprs, x->shape[i], out);
    }
    kf__print(out, "]");
}

static void print_slice(const kf_graph *g, const kf__node *x, const char *name, kf__text *out) {
    kf__print(out, "%s[", name);
    for (int i = 0; i < x->rank; i++) {
        kf__print(out, i ? ", " : "");
        kf__x_print(&g->exprs, x->u.slice.start[i], out);
        kf__print(out, " +");
        kf__x_print(&g->exprs, x->shape[i], out);
        if (x->u.slice.step[i] != 1) kf__print(out, " by %d", (int)x->u.slice.step[i]);
    }
    kf__print(out, "]");
}

static void print_constant(const kf__node *x, kf__text *out) {
    if (kf__is_float((kf__dtype)x->dtype)) kf__print_double(out, x->u.number);
    else kf__print(out, "%lld", (long long)x->u.integer);
}

static bool is_number(const kf_graph *g, kf__ref r) { return kf__at(g, r)->rank == 0; }

/* Broadcasts are left out, and so are new axes of numbers. */
static void print_node(const kf_graph *g, kf__ref r, int depth, kf__text *out) {
    const kf__node *x = kf__at(g, r);
    if (depth > 30) {
        kf__print(out, "...");
        return;
    }
    switch (x->kind) {
    case KF__INPUT:
    case KF__SCALAR: kf__print(out, "%s", g->inputs.at[x->index].name); return;
    case KF__CONSTANT: print_constant(x, out); return;
    case KF__SIZE: kf__x_print(&g->exprs, x->index, out); return;
    case KF__EXPAND: print_node(g, x->args[0], depth, out); return;
    case KF__RESHAPE:
        if (is_number(g, x->args[0])) {
            print_node(g, x->args[0], depth, out);
            return;
        }
        kf__print(out, "reshape");
        print_sizes(g, x, out);
        break;
    case KF__OP: kf__print(out, "%s", kf__ops[x->op].name); break;
    case KF__CAST: kf__print(out, "%s", kf__types[x->dtype].alias); break;
    case KF__REDUCE:
        kf__print(out, "%s.%s<%x>", kf__reds[x->op].name, kf__reds[x->op].field[x->field].name,
                  (unsigned)x->axes);
        break;
    case KF__PERMUTE:
        kf__print(out, "permute<");
        for (int i = 0; i < x->rank; i++) kf__print(out, "%d", x->u.perm[i]);
        kf__print(out, ">");
        break;
    case KF__SLICE: print_slice(g, x, "slice", out); break;
    case KF__IOTA: print_slice(g, x, "iota", out); return;
    case KF__PAD: print_slice(g, x, "pad", out); break;
    case KF__CONCAT: kf__print(out, "concat<%u>", x->index); break;
    case KF__GATHER: kf__print(out, "gather<%u>", x->index); break;
    case KF__SCAN: kf__print(out, "scan.%s<%u>", kf__reds[x->op].name, x->index); break;
    case KF__RANDOM:
        kf__print(out, "random");
        print_sizes(g, x, out);
        break;
    default: kf__print(out, "?"); break;
    }
    print_args(g, x, depth, out);
}

static void print_results(const kf_graph *g, bool calls, kf__text *out) {
    for (uint32_t i = 0; i < g->results.n; i++) {
        const kf__node *x = kf__at(g, g->results.at[i]);
        kf__print(out, "= %s: %s", g->result_names.at[i], kf__types[x->dtype].alias);
        print_sizes(g, x, out);
        kf__print(out, " ");
        print_node(g, g->results.at[i], 0, out);
        kf__print(out, "\n");
    }
    for (uint32_t i = 0; i < g->inputs.n; i++)
        if (!g->inputs.at[i].node)
            kf__print(out, "= unused %s%s\n", g->inputs.at[i].name,
                      g->inputs.at[i].present ? "" : ", left out");
    for (uint32_t i = 0; i < g->constraints.n; i++) {
        kf__print(out, "= require ");
        kf__x_print(&g->exprs, g->constraints.at[i].a, out);
        kf__print(out, " == ");
        kf__x_print(&g->exprs, g->constraints.at[i].b, out);
        kf__print(out, "\n");
    }
    for (uint32_t i = 1; calls && i < g->calls.n; i++)
        kf__print(out, "%s %s%s", i == 1 ? "= calls" : "", g->calls.at[i],
                  i + 1 == g->calls.n ? "\n" : "");
}

/* ---------------------------------------------------------------- golden rows */

typedef struct row {
    char text[4000], specs[200], wanted[4000], tail[4000];
} row;

static void append(char *to, size_t size, const char *line) {
    size_t n = strlen(to);
    snprintf(to + n, size - n, "%s", line);
}

/* One row; lines of other kinds before it are copied to `rest`. */
static bool read_row(FILE *file, row *out, kf__text *rest) {
    char line[4000];
    bool any = false;
    memset(out, 0, sizeof *out);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '>') append(out->text, sizeof out->text, line + (line[1] == ' ' ? 2 : 1));
        else if (line[0] == '|') append(out->specs, sizeof out->specs, line + 1);
        else if (line[0] == '=') append(out->wanted, sizeof out->wanted, line);
        else if (any) return append(out->tail, sizeof out->tail, line), true;
        else kf__print(rest, "%s", line);
        any |= line[0] == '>';
    }
    return any;
}

/* What a row gives, as lines that begin with "= ". */
static void run_row(const row *r, kf__text *out) {
    kf_graph *g;
    kf_error err;
    char text[4000], specs[200];
    snprintf(text, sizeof text, "%s", r->text);
    snprintf(specs, sizeof specs, "%s", r->specs);
    text[strlen(text) - 1] = 0; /* the last line end */
    specs[strcspn(specs, "\n")] = 0;
    char *eager = strstr(specs, " eager"), *calls = strstr(specs, " calls");
    if (eager) *eager = 0;
    if (calls) *calls = 0;
    if (run(&kf__malloc, text, specs, eager ? KF_EAGER : KF_FUSED, &g, &err) != KF_OK) {
        kf__print(out, "= error %d at %d:%d: ", err.status, err.line, err.column);
        for (const char *at = err.message; *at; at++)
            kf__print(out, *at == '\n' ? "\n=   " : "%c", *at);
        kf__print(out, "\n");
        assert_null(g);
        return;
    }
    memset(&err, 0, sizeof err);
    if (kf__graph_verify(g, &err) != KF_OK) kf__print(out, "= INVALID: %s\n", err.message);
    print_results(g, calls != NULL, out);
    kf_graph_free(g);
}

static void print_row(const row *r, const char *got, kf__text *out) {
    for (const char *at = r->text; *at;) {
        int n = (int)strcspn(at, "\n");
        kf__print(out, n ? "> %.*s\n" : ">\n", n, at);
        at += n + (at[n] == '\n');
    }
    kf__print(out, "|%s%s%s", r->specs, strchr(r->specs, '\n') ? "" : "\n", got);
}

static const char golden[] = KFUSE_SOURCE_DIR "/tests/golden/parse.txt";

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(golden, "r");
    assert_non_null(file);
    static row r;
    kf__text all, got;
    int rows = 0, wrong = 0;
    kf__text_init(&all, &kf__malloc);
    while (read_row(file, &r, &all)) {
        kf__text_init(&got, &kf__malloc);
        run_row(&r, &got);
        rows++;
        if (!got.at || strcmp(got.at, r.wanted) != 0) {
            wrong++;
            print_error("%s| %s\nwanted\n%sgot\n%s\n", r.text, r.specs, r.wanted,
                        got.at ? got.at : "");
        }
        print_row(&r, got.at ? got.at : "", &all);
        kf__print(&all, "%s", r.tail);
        kf__text_free(&got);
    }
    fclose(file);
    if (getenv("KFUSE_REGENERATE") && (file = fopen(golden, "w"))) {
        fwrite(all.at, 1, all.n, file);
        fclose(file);
        wrong = 0;
    }
    kf__text_free(&all);
    assert_true(rows > 100);
    assert_int_equal(wrong, 0);
}

/* ---------------------------------------------------------------- text that is hard on a parser */

/* `n` times `part`, between `before` and `after`. */
static char *repeated(const char *before, const char *part, size_t n, const char *after) {
    size_t size = strlen(part);
    char *text = malloc(strlen(before) + n * size + strlen(after) + 1), *at = text;
    assert_non_null(text);
    at = stpcpy(at, before);
    for (size_t i = 0; i < n; i++) at = stpcpy(at, part);
    stpcpy(at, after);
    return text;
}

static kf_status status_of(const char *text, const char *spec_text) {
    kf_graph *g;
    kf_error err;
    kf_status status = run(&kf__malloc, text, spec_text, KF_FUSED, &g, &err);
    assert_int_equal(status, err.status);
    if (status == KF_OK) assert_int_equal(kf__graph_verify(g, &err), KF_OK);
    else assert_true(err.message[0] && strlen(err.message) < sizeof err.message);
    kf_graph_free(g);
    return status;
}

static void test_deep(void **state) {
    (void)state;
    static const struct {
        const char *before, *part, *after;
        size_t n;
        kf_status wanted;
    } rows[] = {
        {"", "(", "", 100000, KF_ERR_LIMIT},
        {"x", ")", "", 100000, KF_ERR_SYNTAX},
        {"", "[", "", 100000, KF_ERR_LIMIT},
        {"", "exp(", "", 100000, KF_ERR_LIMIT},
        {"x", "[", "", 100000, KF_ERR_LIMIT},
        {"x", "[0]", "", 100000, KF_ERR_LIMIT},
        {"x", ".T", "", 100000, KF_ERR_LIMIT},
        {"", "-", "x", 100000, KF_ERR_LIMIT},
        {"", "~", "x", 100000, KF_ERR_LIMIT},
        {"x", "**x", "", 100000, KF_ERR_LIMIT},
        {"", "x if x else ", "x", 100000, KF_ERR_LIMIT},
        {"x", "+x", "", 100000, KF_OK},
        {"x", "*x-x", "", 50000, KF_OK},
        {"x", "<x", "", 20000, KF_OK},
        {"x", "+x*x", "", 20000, KF_OK},
        {"y = x\n", "y = y + x\n", "y", 50000, KF_OK},
        {"y = 1,\n", "y = y + y\n", "x", 50, KF_ERR_LIMIT},
        {"y = 3\n", "y = y * y\n", "y + x", 50, KF_ERR_LIMIT},
        {"", "x,", "", 100000, KF_ERR_LIMIT},
        {"exp(", "x,", ")", 100000, KF_ERR_ARGUMENT},
        {"", "\n", "x", 100000, KF_OK},
        {"x", " ", "", 1000000, KF_OK},
        {"#", "(", "\nx", 1000000, KF_OK},
        {"x + ", "9", "", 100000, KF_ERR_LIMIT},
        {"x + 1.", "9", "", 350, KF_OK},
        {"", "y", " * 2", 100000, KF_OK},
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        char *text = repeated(rows[i].before, rows[i].part, rows[i].n, rows[i].after);
        kf_status status = status_of(text, "f32[9,9]");
        if (status != rows[i].wanted)
            fail_msg("\"%s\" \"%s\" x %zu \"%s\": %d", rows[i].before, rows[i].part, rows[i].n,
                     rows[i].after, status);
        free(text);
    }
}

/* def f0(x): return x + x;  def f1(x): return f0(x) + f0(x); ... */
static char *tower(int n, const char *body) {
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    kf__print(&text, "def f0(x): return x\n");
    for (int i = 1; i <= n; i++) {
        kf__print(&text, "def f%d(x): return ", i);
        kf__print(&text, body, i - 1, i - 1);
        kf__print(&text, "\n");
    }
    return text.at;
}

static void test_towers(void **state) {
    (void)state;
    char *text = tower(250, "f%d(x)");
    assert_int_equal(status_of(text, "f32[9]"), KF_OK);
    free(text);
    text = tower(300, "f%d(x)");
    assert_int_equal(status_of(text, "f32[9]"), KF_ERR_LIMIT);
    free(text);
    text = tower(40, "f%d(x) + f%d(x)"); /* 2^40 calls */
    assert_int_equal(status_of(text, "f32[9]"), KF_ERR_LIMIT);
    free(text);
    text = tower(100, "f%d((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))");
    assert_int_equal(status_of(text, "f32[9]"), KF_OK);
    free(text);
}

/* ---------------------------------------------------------------- text by chance */

static uint64_t chance(uint64_t *state, uint64_t n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % n;
}

static void try_text(const char *text) {
    kf_function *f = NULL;
    kf_graph *g = NULL;
    kf_error err = {0};
    static const int64_t shape[] = {9, 1};
    static const kf_spec kinds[] = {
        {.dtype = {2, 32, 1}, .ndim = 2, .shape = shape}, {.kind = KF_SPEC_INT, .integer = 1},
        {.kind = KF_SPEC_FLOAT, .number = 0.5},           {.kind = KF_SPEC_DEFAULT},
        {.dtype = {2, 16, 1}, .ndim = 1},                 {.dtype = {0, 32, 1}, .ndim = 1},
    };
    if (kf__parse(&kf__malloc, text, NULL, &f, &err) != KF_OK) {
        assert_true(err.status != KF_ERR_INTERNAL && err.message[0]);
        return;
    }
    int n = kf_function_input_count(f);
    if (n <= 6 && kf__instantiate(&kf__malloc, f, n, kinds, KF_EAGER, &g, &err) != KF_OK) {
        if (err.status == KF_ERR_INTERNAL || !err.message[0])
            fail_msg("%s\n-> %d %s", text, err.status, err.message);
    } else if (g) {
        if (kf__graph_verify(g, &err) != KF_OK) fail_msg("%s\n-> invalid: %s", text, err.message);
    }
    kf_graph_free(g);
    kf_function_free(f);
}

static void test_random_bytes(void **state) {
    (void)state;
    uint64_t seed = 1;
    char text[200];
    for (int i = 0; i < 20000; i++) {
        size_t n = chance(&seed, sizeof text - 1);
        for (size_t k = 0; k < n; k++)
            text[k] = (char)(chance(&seed, 8) ? 32 + chance(&seed, 96) : 1 + chance(&seed, 255));
        text[n] = 0;
        try_text(text);
    }
}

static void test_random_tokens(void **state) {
    (void)state;
    static const char *const words[] = {
        "x", "y", "z", "w", "x", "y", "1", "2", "0", "0.5", "-1", "(", ")", "(", ")", "[", "]",
        ",", ",", ":", "=", ";", "\n", "+", "-", "*", "/", "//", "%", "**", "<", "==", "&", "|",
        "~", "<<", ">>", "if", "else", "None", "True", "...", ".T", ".shape", ".dtype", ".ndim",
        "sum(", "mean(", "exp(", "reshape(", "softmax(", "layer_norm(", "dropout(", "axis=",
        "keepdims=", "is", "not", "def f(", "):", "return", "f(", "f32", "'tanh'", "::", "-1",
        "cast(", "where(", "clip(", "var(", "squeeze(", "flip(", "len(", "full(", "maximum(",
        "[0]", "[1:]", "[::-1]", "[..., None]", "    ", "1 if x > 0 else 2", "x.shape[0]", "(-1,)",
        "group_norm(", "expand_dims(", "permute_dims(", "broadcast_to(", "y = ", "x", "x", "x",
    };
    uint64_t seed = 2;
    char text[600];
    for (int i = 0; i < 60000; i++) {
        size_t n = 1 + chance(&seed, 24), open = 0;
        text[0] = 0;
        for (size_t k = 0; k < n; k++) {
            const char *word = words[chance(&seed, KF__COUNT(words))];
            if (*word == ')' && !open) continue; /* more of them are well formed */
            size_t length = strlen(word);
            open += word[length - 1] == '(';
            open -= *word == ')' && open;
            append(text, sizeof text, word);
            append(text, sizeof text, " ");
        }
        for (; open && i % 2; open--) append(text, sizeof text, ")");
        try_text(text);
    }
}

/* Good rows with a byte changed, left out or doubled. */
static void test_mutations(void **state) {
    (void)state;
    FILE *file = fopen(golden, "r");
    assert_non_null(file);
    static row r;
    kf__text rest;
    uint64_t seed = 3;
    kf__text_init(&rest, &kf__malloc);
    while (read_row(file, &r, &rest)) {
        size_t n = strlen(r.text);
        for (int i = 0; i < 60 && n > 1 && r.text[0] != '@'; i++) {
            char text[4100];
            size_t at = chance(&seed, n - 1), skip = chance(&seed, 3);
            static const char extra[] = "()[],.:=+-*/x1 \n";
            snprintf(text, sizeof text, "%.*s%.*s%s", (int)at, r.text, (int)(i % 2),
                     extra + chance(&seed, sizeof extra - 1),
                     r.text + (at + skip < n ? at + skip : n));
            try_text(text);
        }
    }
    kf__text_free(&rest);
    fclose(file);
}

/* ---------------------------------------------------------------- memory */

typedef struct failing {
    long left; /* allocations that succeed */
    long live;
} failing;

static void *failing_allocate(void *user, size_t size) {
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}
static void failing_release(void *user, void *memory) {
    if (memory) ((failing *)user)->live--;
    free(memory);
}

/* The n-th allocation fails, for every n: a clean error and nothing left over. */
static void test_memory(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"def f(x, w=None):\n  y = layer_norm(relu(x), w)\n  return y[..., 1:], sum(y, -1)\n"
         "a, b = f(x)\na * 2 if k > 0.5 else softmax(b)", "f16[9,9] 0.7"},
        {"reluu(x)", "f32[9]"},
        {"dropout(x, seed=s) + x[3] + (1, 2)[0]", "f32[9,9] 3"},
        {"@exp: ", "f32[9]"},
    };
    for (size_t t = 0; t < KF__COUNT(texts); t++) {
        kf_status status = KF_ERR_MEMORY;
        for (long n = 0; status == KF_ERR_MEMORY; n++) {
            failing f = {.left = n};
            kf_allocator mem = {failing_allocate, failing_release, &f};
            kf_graph *g;
            kf_error err;
            status = run(&mem, texts[t][0], texts[t][1], KF_EAGER, &g, &err);
            if (status == KF_ERR_MEMORY) assert_null(g);
            assert_int_equal(err.status, status);
            kf_graph_free(g);
            assert_int_equal(f.live, 0);
            assert_true(n < 100000);
        }
        assert_int_equal(status, t == 1 ? KF_ERR_NAME : KF_OK);
    }
}

/* ---------------------------------------------------------------- the rest */

static void test_function(void **state) {
    (void)state;
    kf_function *f;
    kf_error err = {0};
    assert_int_equal(kf__parse(&kf__malloc, "def f(b, a=2): return a * b", NULL, &f, &err), KF_OK);
    assert_int_equal(kf_function_input_count(f), 2);
    assert_string_equal(kf_function_input_name(f, 0), "b");
    assert_string_equal(kf_function_input_name(f, 1), "a");
    assert_null(kf_function_input_name(f, 2));
    assert_null(kf_function_input_name(f, -1));
    assert_false(kf_function_input_optional(f, 0));
    assert_true(kf_function_input_optional(f, 1));
    kf_function_free(f);
    kf_function_free(NULL);
    assert_int_equal(kf__parse(&kf__malloc, "z * (y + z) + x", NULL, &f, NULL), KF_OK);
    assert_string_equal(kf_function_input_name(f, 0), "z");
    assert_string_equal(kf_function_input_name(f, 1), "y");
    assert_string_equal(kf_function_input_name(f, 2), "x");
    kf_function_free(f);
    assert_int_equal(kf__parse(&kf__malloc, "z *", NULL, &f, NULL), KF_ERR_SYNTAX);
    assert_null(f);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Everything that can be called by name parses, and has a signature and a sentence; no name has two
 * definitions, nor a definition and another meaning. */
static void test_callables(void **state) {
    (void)state;
    kf__callable c = {0};
    static char names[2000][64];
    size_t n = 0;
    for (; kf__callable_next(&c); n++) {
        kf_function *f;
        kf_error err = {0};
        assert_true(n < KF__COUNT(names));
        snprintf(names[n], sizeof names[n], "%s", c.name);
        if (kf__alias_of(c.name) || kf__unsupported(c.name, strlen(c.name)))
            fail_msg("%s is another name, or unsupported, too", c.name);
        if (kf__parse(&kf__malloc, "", c.name, &f, &err) != KF_OK)
            fail_msg("%s: %s", c.name, err.message);
        kf_function_free(f);
        assert_true(c.signature[0]);
        if (!c.doc[0]) fail_msg("%s has no comment", c.name);
    }
    assert_true(n > 180);
    qsort(names, n, sizeof names[0], by_name);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(names[i - 1], names[i]) && strcmp(names[i], "fma")) /* and a case of bench */
            fail_msg("%s is defined twice", names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_function),
        cmocka_unit_test(test_callables),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_towers),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_random_tokens),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
