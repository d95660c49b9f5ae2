/* Generated CUDA, run on the CPU by prelude_emu.h: right by the oracle, like the CPU's kernels, and
 * without a report of the emulation (accesses out of bounds, races, threads that wait in vain).
 *
 * Two lists: the golden cases at smaller sizes, and texts by families of shapes that reach every
 * nest and its edges: nothing, one, odd, one past a vector, each bucket of rows, many chunks. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/oracle.h"
#include "support/stages.h"

enum { MOST_RESULTS = 8 };
static const kf_device cpu = {KF_CPU, 0}, emulated = {KF_CUDA_EMULATED, 0};

/* ---------------------------------------------------------------- arrays */

typedef struct trial {
    const char *text, *head;
    kf_context *ctx;
    kf_graph *graph;
    stages s; /* the inputs' descriptions */
    void *data[STAGES_INPUTS];
    kf_array inputs[STAGES_INPUTS]; /* on the CPU */
    kf_scalar scalars[STAGES_INPUTS];
    kf__oracle_result want[MOST_RESULTS];
    int n_results;
} trial;

static double next_value(uint64_t *state, kf__dtype t) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    int64_t n = (int64_t)(*state >> 40) % 2001 - 1000;
    if (t == KF__BOOL) return n % 2 != 0;
    if (t == KF__U8) return (double)(n & 255);
    if (!kf__is_float(t)) return (double)(n % 128);
    return (double)n / 256;
}

static void put_value(void *data, int64_t i, kf__dtype t, double value) {
    switch (t) {
    case KF__F64: ((double *)data)[i] = value; break;
    case KF__F32: ((float *)data)[i] = (float)value; break;
    case KF__I64: ((int64_t *)data)[i] = (int64_t)value; break;
    case KF__I32: ((int32_t *)data)[i] = (int32_t)value; break;
    case KF__I16: ((int16_t *)data)[i] = (int16_t)value; break;
    case KF__F16: ((_Float16 *)data)[i] = (_Float16)value; break;
    case KF__BF16: {
        union {
            float f;
            uint32_t u;
        } bits = {(float)value};
        ((uint16_t *)data)[i] = (uint16_t)(bits.u >> 16);
        break;
    }
    default: ((uint8_t *)data)[i] = (uint8_t)(int)value;
    }
}

static void make_input(trial *t, int i) {
    const stages_input *in = &t->s.input[i];
    kf_array *a = &t->inputs[i];
    *a = t->s.arrays[i];
    t->scalars[i].f = in->spec.number;
    if (in->spec.kind == KF_SPEC_INT) t->scalars[i].i = in->spec.integer;
    if (in->spec.kind != KF_SPEC_ARRAY) return;
    int64_t last = 0, count = 1;
    for (int d = 0; d < a->ndim; d++) {
        last += (a->shape[d] > 0 ? a->shape[d] - 1 : 0) * a->strides[d];
        count *= a->shape[d];
    }
    kf__dtype type = KF__F32;
    kf__dtype_from_dlpack(a->dtype, &type);
    size_t bytes = count ? (size_t)(last + 1) * (size_t)kf__types[type].size : 0;
    t->data[i] = a->data = malloc(bytes + 1);
    uint64_t state = (uint64_t)i * 77 + 5;
    for (int64_t k = 0; count && k <= last; k++)
        put_value(a->data, k, type, next_value(&state, type));
}

/* ---------------------------------------------------------------- running */

#define CHECK(t, call)                                                                 \
    do {                                                                               \
        kf_error err = {0};                                                            \
        if ((call) != KF_OK) failed((t), &err);                                        \
    } while (0)

static void failed(const trial *t, const kf_error *err) {
    fail_msg("%s\n%s\n%s", t->head, t->text, err->message);
}

static void ask_oracle(trial *t, int samples) {
    kf__oracle_options options = {.samples = samples};
    if (samples) kf__oracle_free(t->graph, t->want);
    CHECK(t, kf__oracle(t->graph, t->s.n_inputs, t->inputs, t->scalars, &options, t->want, &err));
}

static void compare_results(trial *t, const kf_plan *plan, void *const *data) {
    for (int i = 0; i < t->n_results; i++) {
        kf_array got;
        kf__compare_stats stats;
        kf_plan_result(plan, i, &got);
        got.data = data[i];
        got.device = cpu;
        CHECK(t, kf__compare(t->graph, &t->want[i], &got, &stats, &err));
        if (stats.ok) continue;
        ask_oracle(t, 64); /* a tolerance of more samples, before we complain */
        CHECK(t, kf__compare(t->graph, &t->want[i], &got, &stats, &err));
        if (stats.ok) continue;
        fail_msg("%s\n%s\nresult %d at %lld is %g, should be %g within %g; %lld of %lld are wrong",
                 t->head, t->text, i, (long long)stats.worst, stats.got, stats.want,
                 stats.tolerance, (long long)stats.wrong, (long long)stats.count);
    }
}

static void run_plan(trial *t, const kf_plan *plan) {
    const void *inputs[STAGES_INPUTS];
    void *results[MOST_RESULTS], *workspace = NULL;
    size_t size = (kf_plan_workspace_size(plan) + 255) / 256 * 256;
    for (int i = 0; i < t->s.n_inputs; i++) inputs[i] = t->data[i];
    for (int i = 0; i < t->n_results; i++) {
        kf_array r;
        kf_plan_result(plan, i, &r);
        size_t bytes = r.dtype.bits / 8;
        for (int d = 0; d < r.ndim; d++) bytes *= (size_t)r.shape[d];
        results[i] = malloc(bytes + 1);
        memset(results[i], 0xcd, bytes + 1);
    }
    if (size) workspace = aligned_alloc(256, size);
    kf_scalar numbers[STAGES_INPUTS];
    for (int i = 0, n = 0; i < t->s.n_inputs; i++)
        if (t->s.specs[i].kind == KF_SPEC_FLOAT || t->s.specs[i].kind == KF_SPEC_INT)
            numbers[n++] = t->scalars[i];
    CHECK(t, kf_run(plan, inputs, results, numbers, workspace, NULL, &err));
    compare_results(t, plan, results);
    free(workspace);
    for (int i = 0; i < t->n_results; i++) free(results[i]);
}

static void run_on(trial *t, kf_device device, kf_fusion fusion) {
    kf_program *program = NULL;
    kf_plan *plan = NULL;
    kf_compile_options options = {sizeof options, device, fusion};
    kf_array inputs[STAGES_INPUTS];
    for (int i = 0; i < t->s.n_inputs; i++) {
        inputs[i] = t->inputs[i];
        inputs[i].device = device;
    }
    CHECK(t, kf_compile(t->ctx, t->graph, &options, &program, &err));
    CHECK(t, kf_plan_for(program, t->s.n_inputs, inputs, 0, NULL, &plan, &err));
    run_plan(t, plan);
    kf_plan_free(plan);
    kf_program_free(program);
}

/* Fused and unfused on the emulated GPU, and fused on the CPU, against the oracle. */
static void check(kf_context *ctx, const char *text, const char *head) {
    trial t = {.text = text, .head = head, .ctx = ctx};
    kf_function *f = NULL;
    CHECK(&t, stages_make(&t.s, text, head, KF__TARGET_EMULATED, &err));
    CHECK(&t, kf_parse(ctx, text, NULL, &f, &err));
    CHECK(&t, kf_graph_create(ctx, f, t.s.n_inputs, t.s.specs, KF_FUSED, &t.graph, &err));
    for (int i = 0; i < t.s.n_inputs; i++) make_input(&t, i);
    t.n_results = kf_graph_result_count(t.graph);
    assert_in_range(t.n_results, 1, MOST_RESULTS);
    ask_oracle(&t, 0);
    run_on(&t, emulated, KF_FUSION_ON);
    run_on(&t, cpu, KF_FUSION_ON);
    kf__oracle_free(t.graph, t.want);
    kf_graph_free(t.graph);
    kf_function_free(f);
    for (int i = 0; i < t.s.n_inputs; i++) free(t.data[i]);
    stages_free(&t.s);
}

/* ---------------------------------------------------------------- texts by shapes */

static const int64_t pointwise_shapes[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 4}, {3, 5}, {1, 257},
                                              {2, 9}, {33, 65}, {7, 128}, {1, 4099}};
/* A length for each bucket of f32 rows, and one for rows that are too long for registers. */
static const int64_t row_shapes[][2] = {{5, 1},   {70, 31}, {9, 33},   {6, 129},  {5, 257},
                                        {3, 513}, {3, 1025}, {2, 2052}, {2, 4097}, {2, 8193},
                                        {2, 16388}, {2, 32772}, {2, 65537}};
static const int64_t few_row_shapes[][2] = {{0, 9}, {9, 1}, {33, 60}, {3, 1001}, {2, 9000},
                                            {1, 70000}};
static const int64_t column_shapes[][2] = {{1, 1}, {1, 9}, {7, 3}, {300, 33}, {1000, 130},
                                           {2, 1025}, {2100, 5}};
static const int64_t full_shapes[][2] = {{1, 1}, {3, 5}, {1, 4097}, {100, 999}, {1, 300001}};
static const int64_t empty_shapes[][2] = {{4, 0}, {0, 4}, {0, 0}};

/* One axis short beside the other: see order.c. */
static const int64_t short_shapes[][2] = {{650, 3}, {3, 515}, {1, 640}, {640, 1}, {2049, 2},
                                          {5, 1031}, {32, 67}, {700, 31}, {64, 33}};

#define SHAPES(list) list, KF__COUNT(list)
static const struct family {
    const char *text;
    const char *types; /* of x and y: by the first word, or each of several */
    const char *layouts;
    const int64_t (*shapes)[2];
    size_t n_shapes;
} families[] = {
    {"exp((x + y) * 2)", "f32 bf16 f16 f64", "row transposed step broadcast",
     SHAPES(pointwise_shapes)},
    {"x.T + 1, x * 2", "f32 i8", "row transposed", SHAPES(pointwise_shapes)},
    {"x * 2 + y, x < y, cast(x, f32) / 3", "i8 i64 u8 i16 f32", "row step",
     SHAPES(pointwise_shapes)},
    {"x & y, x ^ y, where(x, 1.5, 2)", "bool", "row transposed", SHAPES(pointwise_shapes)},
    {"dropout(relu(x), 0.3, seed=7), rand_like(x, seed=1, stream=2)", "f32 bf16", "row transposed",
     SHAPES(pointwise_shapes)},
    {"x[::2, 1:-1] - y[::2, ::-1][:, 1:-1]", "f32 i8", "row transposed", SHAPES(few_row_shapes)},
    {"softmax(x)", "f32 bf16", "row", SHAPES(row_shapes)},
    {"softmax(x)", "f64 f16", "transposed step broadcast", SHAPES(few_row_shapes)},
    {"layer_norm(relu(x) + y)", "f32", "row", SHAPES(row_shapes)},
    {"layer_norm(gelu(x + y) + x)", "bf16 f64", "row step", SHAPES(few_row_shapes)},
    {"x / sqrt(sum(x * x + 1, axis=-1, keepdims=True))", "f32 f16", "row transposed",
     SHAPES(few_row_shapes)},
    {"p = softmax(x); -sum(p * log(p), axis=-1)", "f32", "row", SHAPES(few_row_shapes)},
    {"h = relu(x); h, h * 2 + y, mean(h, axis=-1)", "f32 bf16", "row step",
     SHAPES(few_row_shapes)},
    {"sum(x, axis=-1), min(x, axis=-1), prod(sign(x + 0.5), axis=-1)", "f32 i8 i64", "row",
     SHAPES(few_row_shapes)},
    {"any(x, axis=-1), all(x | y, axis=-1)", "bool", "row", SHAPES(few_row_shapes)},
    {"sum(relu(x), axis=0), max(x, axis=0)", "f32 bf16 i8", "row transposed step",
     SHAPES(column_shapes)},
    {"var(x, axis=0), x - mean(x, axis=0)", "f32 f64", "row", SHAPES(column_shapes)},
    {"softmax(x, axis=0)", "f32 f16", "row transposed", SHAPES(column_shapes)},
    {"any(x, axis=0), all(x | y, axis=0)", "bool", "row", SHAPES(column_shapes)},
    {"mean((x - y) ** 2), max(x)", "f32 bf16", "row transposed", SHAPES(full_shapes)},
    {"var(x), logsumexp(y, axis=None)", "f32", "row step", SHAPES(full_shapes)},
    {"sum(x), any(x > 100)", "i8 u8 i64", "row", SHAPES(full_shapes)},
    {"sum(x), prod(x, axis=0), mean(x, axis=1), var(x, axis=0), layer_norm(x)", "f32", "row",
     SHAPES(empty_shapes)},
    {"x, x + 0", "f32 i8", "row transposed", SHAPES(pointwise_shapes)},
    {"x.T * 2, x[:, :1] - y", "f32 bf16 i8 f64", "row transposed", SHAPES(short_shapes)},
    {"stack([x, y * 2], axis=-1), cast(stack([x, x, y], axis=-1), f32)", "f32 f16 u8", "row",
     SHAPES(short_shapes)},
    {"x[:, ::2] * 2, x[1::3].T, x[:, 1::2].T, x[:, ::-1].T", "f32 i16", "row",
     SHAPES(short_shapes)},
};

/* The next word of a list, or false. */
static bool next_word(const char **list, char word[16]) {
    size_t n = strcspn(*list, " ");
    if (!n) return false;
    snprintf(word, 16, "%.*s", (int)n, *list);
    *list += n + ((*list)[n] == ' ');
    return true;
}

static void check_family(void **state) {
    const struct family *f = *state;
    char type[16], layout[16], head[200];
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    for (const char *types = f->types; next_word(&types, type);)
        for (const char *layouts = f->layouts; next_word(&layouts, layout);)
            for (size_t i = 0; i < f->n_shapes; i++) {
                const char *how = !strcmp(layout, "row")    ? ""
                                  : !strcmp(layout, "step") ? " step 3"
                                                            : layout;
                snprintf(head, sizeof head, "# x: %s[%lld, %lld] %s\n# y: %s[%lld, %lld]\n", type,
                         (long long)f->shapes[i][0], (long long)f->shapes[i][1], how, type,
                         (long long)f->shapes[i][0], (long long)f->shapes[i][1]);
                check(ctx, f->text, head);
            }
    kf_context_free(ctx);
}

/* ---------------------------------------------------------------- single ones */

static const struct {
    const char *text, *head;
} singles[] = {
    {"x", "# x: f32[]\n"},
    {"x + y", "# x: f32[]\n# y: f32[5, 7]\n"},
    {"softmax(x), sum(x)", "# x: f32[1, 70000]\n"},
    {"sum(x, axis=1), max(x, axis=(0, 2))", "# x: f32[3, 50, 17]\n"},
    {"max(x, axis=1), softmax(x, axis=1)", "# x: bf16[5, 300, 40]\n"},
    {"mean(x, axis=(1, 3), keepdims=True) * x", "# x: f32[2, 30, 5, 40]\n"},
    {"reshape(x.T, -1) * 2", "# x: f32[33, 70]\n"},
    {"reshape(x, (4, -1, 3))[1] + b", "# x: f32[24, 9]\n# b: f32[3]\n"},
    {"permute(x, (2, 0, 1)) + 1", "# x: f32[3, 40, 9]\n"},
    {"layer_norm(x, None, b, b)", "# x: f32[700, 96]\n# b: f32[96]\n"},
    {"layer_norm(x + b)", "# x: f32[3, 7, 1000] \n# b: f32[7, 1000]\n"},
    {"softmax(x * s + m)", "# x: f16[2, 3, 5, 129]\n# s: float 0.125\n# m: f32[2, 1, 5, 129]\n"},
    {"cast(clip(round(x / s + z), -128, 127), int8)",
     "# x: f32[100003]\n# s: float 0.05\n# z: float 3\n"},
    {"pad(x, ((1, 2), (3, 1))), pad(x, pad=(-2, 4), value=7)", "# x: f32[5, 30]\n"},
    {"concatenate([x, y]), concatenate([y, x * 2, y])", "# x: f32[3, 40]\n# y: f32[5, 40]\n"},
    {"concatenate([x, y], axis=-1) + b", "# x: bf16[3, 24]\n# y: bf16[3, 39]\n# b: f32[63]\n"},
    {"softmax(concatenate([x, y], axis=-1)), sum(pad(x, 1), axis=0)",
     "# x: f32[7, 300]\n# y: f32[7, 801]\n"},
    {"h = 32; concatenate([-x[..., h:], x[..., :h]], axis=-1) * s + x * c",
     "# x: f16[3, 5, 64]\n# s: f32[5, 64]\n# c: f32[5, 64]\n"},
    {"roll(x, 3, axis=-1) + tril(x), stack([x, x.T], axis=-1)", "# x: f32[33, 33]\n"},
    {"pad(gelu(x), ((3, 1), (2, 5)))", "# x: bf16[20, 9]\n"}, /* short lines, of which some are */
    {"exp(pad(exp(x) * y, ((200, -1), (-1, 4)), value=7)) - 1",
     "# x: f32[90, 20] step 2\n# y: f32[20]\n"},
    {"pad(sum(x, axis=1), 2), pad(x, (0, 3), mode='edge')", "# x: i8[70, 9]\n"},
    /* lines of several axes: by each bucket of rows, of fewer elements than a pack, of nothing */
    {"max(reshape(gelu(x), (3, 5, 2, 17, 2)), axis=(2, 4))", "# x: f32[3, 10, 34]\n"},
    {"sum(silu(x), axis=(1, 3)), var(x, axis=(1, 3)), argmax(x, axis=1)", "# x: f32[3, 5, 7, 3]\n"},
    {"sum(silu(x), axis=(1, 3)), max(x, axis=(1, 3)), max(gelu(gelu(x)), axis=(1, 3))",
     "# x: bf16[2, 90, 3, 7]\n"}, /* functions of a part of them after another */
    {"sum(exp(x), axis=(0, 2, 4)), var(silu(x), axis=(0, 2, 4))", "# x: f32[3, 2, 60, 2, 19]\n"},
    {"logsumexp(gelu(x), axis=(1, 3)), prod(exp(x) + y, axis=(1, 3))", /* of eight short rows */
     "# x: f32[3, 4, 11, 7] step 2\n# y: f32[4, 1, 7]\n"},
    {"logsumexp(x, axis=(1, 3)), x - mean(x, axis=(1, 3), keepdims=True)",
     "# x: bf16[2, 40, 3, 7] step 3\n"},
    {"sum(x * 2, axis=(1, 3)), max(x, axis=(1, 3))", "# x: i8[3, 12, 2, 65]\n"},
    {"var(x, axis=(0, 2)), x / std(x, axis=(0, 2), keepdims=True)", "# x: f64[9, 3, 101]\n"},
    {"sum(exp(x), axis=(0, 2)), any(x > 3, axis=(0, 2))", "# x: f32[40, 3, 300]\n"},
    {"mean(x, axis=(0, 2)), sum(exp(x), axis=(0, 2))", "# x: f32[4, 300, 0]\n"},
    {"sum(exp(x), axis=(0, 2)), prod(x, axis=(0, 2))", "# x: f32[0, 3, 5]\n"},
    {"all(x[..., :1] + arange(3) == x[..., :1] + arange(3))", "# x: f32[0, 1]\n"},
    /* lines of a run for each outer index, which a line repeats along */
    {"x - mean(x, axis=1, keepdims=True), exp(x * m)", "# x: f32[5, 70, 3]\n# m: f32[5, 1, 3]\n"},
    {"x - y * z, x + z", "# x: bf16[3, 900, 5]\n# y: f32[3, 1, 5]\n# z: f32[3, 1, 1]\n"},
    {"sum(gelu(x), axis=1), var(exp(x), axis=1)", "# x: bf16[2, 40, 3]\n"},
    {"softmax(gelu(x), axis=1), sum(dropout(exp(x), 0.5, seed=3), axis=1)", "# x: f32[3, 37, 5]\n"},
    {"x * m + 1", "# x: f32[4, 9, 6] step 3\n# m: f32[4, 1, 6]\n"},
    {"dropout(x, 0.5, seed=3) + m", "# x: f32[3, 40, 7]\n# m: f32[3, 1, 7]\n"},
    /* small matrices, transposed by elements */
    {"permute(x, (0, 2, 1)) + 1, x * 2", "# x: f32[40, 3, 33]\n"},
    {"permute(x, (0, 2, 1)) * y, dropout(y, 0.5, seed=3)",
     "# x: bf16[9, 5, 8]\n# y: f32[9, 8, 5]\n"},
    {"reshape(permute(reshape(x, (2, 3, 2, 2, 4, 5)), (0, 1, 4, 2, 5, 3)), (2, 3, 8, 10))",
     "# x: i8[2, 12, 4, 5]\n"},
    {"permute(x[:, ::-1], (0, 2, 1)) + 1", "# x: f64[7, 6, 2] step 3\n"},
    /* random words of columns, two of a counter; rows begin at odd ones too */
    {"t = rand_like(x, seed=1); mean(t, axis=0), t * x", "# x: f32[70, 65]\n"},
    {"t = dropout(x, 0.5, seed=3); sum(t, axis=0), t", "# x: f32[300, 66]\n"},
    /* what is gathered keeps its lines, all else is turned */
    {"take(x, y, axis=0).T + z", "# x: f32[130, 70]\n# y: i8[45]\n# z: f32[70, 45]\n"},
    {"t = take(x, y, axis=1).T; t * 2, t.T", "# x: bf16[37, 130]\n# y: i8[300]\n"},
    {"take_along_axis(x, y, axis=1).T + 1, take_along_axis(x, y, axis=0).T * 2",
     "# x: f16[40, 129] step 3\n# y: i8[40, 129]\n"},
    {"permute(take(x, y, axis=1), (2, 0, 1)), "
     "take(z.T, y, axis=1) * dropout(z.T, 0.5, seed=3)[:, :9]",
     "# x: i8[3, 200, 5]\n# y: i8[9]\n# z: f64[150, 33]\n"},
    {"take(exp(x), y, axis=0).T + take(z, y, axis=1)",
     "# x: f32[128, 3]\n# y: u8[500]\n# z: f32[3, 90]\n"},
    /* functions of sums, in whole vectors */
    {"gelu(cumsum(x * 2, axis=1)), cumsum(exp(x), axis=1)", "# x: bf16[5, 41]\n"},
    {"tanh(cumsum(x, axis=1)) * x", "# x: f32[2, 2055]\n"},
};

static void check_single(void **state) {
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    size_t i = (size_t)(uintptr_t)*state;
    check(ctx, singles[i].text, singles[i].head);
    kf_context_free(ctx);
}

/* ---------------------------------------------------------------- the golden cases */

static const char *const folder = KFUSE_SOURCE_DIR "/tests/golden";

/* Fewer rows, and not millions of elements. A size that is some array's number of rows becomes
 * smaller wherever it stands, so that shapes still fit. */
static int64_t smaller(const char *text, int64_t size) {
    for (const char *at = text; (at = strchr(at, '[')); at++) {
        char *end;
        if (strtoll(at + 1, &end, 10) == size && *end == ',') return size % 7 + 2;
    }
    return size > 1000000 ? 100003 : size;
}

static char *with_smaller_sizes(const char *text) {
    kf__text out;
    kf__text_init(&out, &kf__malloc);
    for (const char *at = text; *at == '#'; at += *at == '\n') {
        bool shape = false;
        for (; *at && *at != '\n'; at++) {
            char *end = NULL;
            shape = *at == '[' || (shape && *at != ']');
            int64_t size = shape && *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
            if (end) {
                kf__print(&out, "%lld", (long long)smaller(text, size));
                at = end - 1;
            } else {
                kf__print_bytes(&out, at, 1);
            }
        }
        kf__print(&out, "\n");
    }
    return out.at;
}

static void check_golden(void **state) {
    char path[600];
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    snprintf(path, sizeof path, "%s/%s", folder, (const char *)*state);
    char *text = read_text(path);
    assert_non_null(text);
    char *head = with_smaller_sizes(text);
    assert_non_null(head);
    check(ctx, text, head);
    free(head);
    free(text);
    kf_context_free(ctx);
}

static int is_case(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 3 && !strcmp(e->d_name + n - 3, ".kf");
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]); /* "*concatenate*" */
    static struct CMUnitTest tests[300];
    struct dirent **files;
    int n_files = scandir(folder, &files, is_case, alphasort);
    size_t n = 0;
    for (int i = 0; i < n_files && n < 200; i++)
        tests[n++] = (struct CMUnitTest){.name = files[i]->d_name, .test_func = check_golden,
                                         .initial_state = files[i]->d_name};
    for (size_t i = 0; i < KF__COUNT(families); i++)
        tests[n++] = (struct CMUnitTest){.name = families[i].text, .test_func = check_family,
                                         .initial_state = (void *)(uintptr_t)&families[i]};
    for (size_t i = 0; i < KF__COUNT(singles); i++)
        tests[n++] = (struct CMUnitTest){.name = singles[i].text, .test_func = check_single,
                                         .initial_state = (void *)(uintptr_t)i};
    int result = _cmocka_run_group_tests("emulated", tests, n, NULL, NULL);
    for (int i = 0; i < n_files; i++) free(files[i]);
    free(files);
    return result;
}
