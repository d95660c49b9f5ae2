/* src/lower: what the generated text depends on, and what not.
 *
 * Text is what a compiler is run for, so these are the promises that a new batch, length or seed
 * compiles nothing, and that a sum's order doesn't depend on how many rows there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/stages.h"

static const struct {
    const char *name;
    kf__target_kind kind;
    int sm;
} targets[] = {
    {"C", KF__TARGET_C, 0}, {"sm_75", KF__TARGET_CUDA, 75}, {"sm_90", KF__TARGET_CUDA, 90}};

static kf__target target_of(size_t t) { return stages_target(targets[t].kind, targets[t].sm); }

static void must(kf_status status, const char *text, const char *head, const kf_error *err) {
    if (status != KF_OK) fail_msg("%s\n%s\n%s", head, text, err->message);
}

/* The source for a layout; to be freed. */
static char *source_of(stages *s, const char *text, const char *head, const kf__target *target) {
    kf__text out;
    kf_error err = {0};
    kf__text_init(&out, &kf__malloc);
    must(stages_bind(s, head, &err), text, head, &err);
    must(stages_source(s, target, false, &out, &err), text, head, &err);
    assert_non_null(out.at);
    return out.at;
}

/* The first line in which they differ, of each. */
static void first_difference(const char *a, const char *b, char *message, size_t size) {
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (n != m || memcmp(a, b, n)) {
            snprintf(message, size, "- %.*s\n+ %.*s", (int)n, a, (int)m, b);
            return;
        }
        a += n + (a[n] != 0);
        b += m + (b[m] != 0);
    }
    snprintf(message, size, "one is longer");
}

/* ---------------------------------------------------------------- the same text */

/* %lld stand for sizes, in turn: each row of sizes must give the text that the first one gives. */
typedef struct same {
    const char *text, *head;
    int64_t sizes[9][4]; /* a row of -1: the end */
    bool c_only;         /* on GPUs these lengths are of several buckets */
} same;

#define NAMED "def f(x: f32[B, N]): return "
#define END {-1}
#define CHAIN "def f(x: f32[B, N]):\n t = relu(x * 0.5 + 3) * x - abs(x) * 0.1\n" \
              " u = abs(t - mean(t, axis=1, keepdims=True)) + x * t\n" \
              " v = clip(u / (1 + max(u, axis=1, keepdims=True)), 0.1, 0.9) * t\n" \
              " w = v - mean(v, axis=1, keepdims=True)\n" \
              " return w * sum(w * w, axis=1, keepdims=True)"
static const same sames[] = {
    /* batches */
    {NAMED "exp(x * 2)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {8, 33}, {1, 33}, {0, 33}, {100000, 33}, {7, 1}, {1, 1}, {7, 1000000}, END}, 0},
    {NAMED "softmax(x)", "# x: f32[%lld, %lld]\n",
     {{7, 1000}, {8, 1000}, {1, 1000}, {0, 1000}, {100000, 1000}, {1, 513}, {9, 1024}, END}, 0},
    {NAMED "layer_norm(relu(x))", "# x: f32[%lld, %lld]\n",
     {{7, 16000}, {1, 16000}, {3, 8193}, {2, 16383}, {100, 16384}, END}, 0},
    {NAMED "sum(x, axis=0), var(x, axis=0)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {0, 33}, {100000, 33}, {33, 100000}, {4096, 4096}, END}, 1},
    {NAMED "sum(x, axis=0), var(x, axis=0)", "# x: f32[%lld, %lld]\n", /* by single threads */
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {0, 33}, {16, 100000}, END}, 0},
    {NAMED "sum(x, axis=0), var(x, axis=0)", "# x: f32[%lld, %lld]\n", /* by clusters */
     {{17, 33}, {17, 1}, {2048, 33}, {33, 100000}, {700, 4096}, END}, 0},
    {NAMED "sum(x, axis=0), var(x, axis=0)", "# x: f32[%lld, %lld]\n",
     {{2049, 33}, {3000, 1}, {100000, 33}, {10000000, 1}, {4096, 4096}, END}, 0},
    {NAMED "sum(x * x), max(x)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {100000, 33}, {33, 100000}, {4096, 4096}, END}, 1},
    {NAMED "sum(x * x), max(x)", "# x: f32[%lld, %lld]\n",
     {{700, 330}, {1, 100000}, {100000, 1}, {100000, 33}, {33, 100000}, {4096, 4096}, END}, 0},
    {NAMED "x - mean(x, axis=0)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {100000, 33}, {4096, 4096}, END}, 1},
    {NAMED "x - mean(x, axis=0)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {16, 4096}, END}, 0},
    {NAMED "x - mean(x, axis=0)", "# x: f32[%lld, %lld]\n",
     {{17, 33}, {40, 1}, {512, 33}, {96, 4096}, END}, 0},
    {NAMED "x - mean(x, axis=0)", "# x: f32[%lld, %lld]\n",
     {{513, 33}, {1000, 40}, {2000, 33}, {2048, 4096}, END}, 0},
    {"def f(x: f32[B, N], i: i64[M], y: f32[N, M]): return take(x, i, axis=0).T + y",
     "# x: f32[%lld, %lld]\n# i: i64[%lld]\n# y: f32[33, %lld]\n",
     {{7, 33, 9, 9}, {1, 33, 9, 9}, {0, 33, 9, 9}, {7, 33, 1, 1}, {4096, 33, 100000, 100000}, END},
     0},
    {NAMED "x.T * 2", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {100000, 33}, {4096, 4096}, {33, 100000}, {2, 2}, {1, 33}, {7, 1}, {1, 1}, END}, 0},
    {NAMED "x[1:, ::2] + 1", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {100000, 33}, {4096, 4096}, {8, 2}, {2, 33}, {2, 2}, END}, 0},
    {NAMED "dropout(x, 0.2, seed=1)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {100000, 33}, {4096, 4096}, END}, 0},
    {"def f(x: f32[B, N], b: f32[N]): return x + b", "# x: f32[%lld, %lld]\n# b: f32[%lld]\n",
     {{7, 33, 33}, {1, 33, 33}, {7, 1, 1}, {100000, 32, 32}, {4096, 4096, 4096}, END}, 0},
    {"def f(x: bf16[B, S, N]): return rms_norm(x)", "# x: bf16[%lld, %lld, %lld]\n",
     {{7, 33, 4000}, {1, 33, 4000}, {7, 1, 4000}, {1, 1, 4000}, {2, 2000, 4096}, {1, 1, 2049},
      END}, 0},
    {"def f(x: f32[B, C, N]): return max(x, axis=1)", "# x: f32[%lld, %lld, %lld]\n",
     {{7, 33, 40}, {1, 33, 40}, {7, 33, 1}, {7, 17, 40}, {200, 500, 300}, END}, 0},
    {"def f(x: f32[B, C, N]): return max(x, axis=1)", "# x: f32[%lld, %lld, %lld]\n",
     {{7, 16, 40}, {1, 3, 40}, {7, 1, 40}, {1, 1, 40}, {7, 3, 1}, {1000000, 3, 3}, END}, 0},
    {"def f(x: f32[B, C, N]): return sum(exp(x), axis=1)", "# x: f32[%lld, %lld, %lld]\n",
     {{7, 64, 40}, {15624, 64, 3}, {10000, 500, 10}, {1, 17, 1}, {1000000, 64, 1}, END}, 0},
    {"def f(x: f32[B, C, N]): return sum(exp(x), axis=1)", "# x: f32[%lld, %lld, %lld]\n",
     {{7, 640, 40}, {15624, 640, 3}, {10000, 2000, 10}, {1, 513, 1}, {1000000, 513, 1}, END}, 0},
    {NAMED "sum(lgamma(x), axis=0), var(exp(x), axis=0)", "# x: f32[%lld, %lld]\n", /* in pieces */
     {{600, 33}, {2000, 10}, {2000, 33}, {2048, 1}, {1000, 100000}, END}, 0},
    {NAMED "var(exp(x), axis=0)", "# x: f32[%lld, %lld]\n", /* groups beside one another */
     {{2500, 33}, {100000, 10}, {10000000, 1}, {1000000, 3}, {4096, 4096}, END}, 0},
    /* lengths, for the CPU */
    {NAMED "softmax(x)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {7, 1}, {7, 2048}, {7, 2049}, {1, 1000000}, {0, 3}, {100000, 16}, END}, 1},
    {NAMED "layer_norm(relu(x))", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {7, 1}, {7, 2048}, {7, 2049}, {1, 1000000}, {100000, 16}, END}, 1},
    {NAMED "sum(x, axis=1), mean(x * x, axis=1)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {7, 1}, {7, 2048}, {7, 2049}, {1, 1000000}, {7, 0}, {100000, 16}, END}, 1},
    {"def f(x: f32[B, C, N]): return sum(gelu(x), axis=1)", "# x: f32[%lld, %lld, %lld]\n",
     {{7, 33, 3}, {1, 1, 1}, {7, 1, 40}, {7, 300, 513}, {2, 5, 10000}, {9, 17, 128}, END}, 1},
    {CHAIN, "# x: f32[%lld, %lld]\n",
     {{7, 33}, {7, 1}, {7, 256}, {7, 2049}, {3, 40000}, {1, 1000000}, {0, 3}, {1000, 300},
      END}, 1},
    /* layouts of one class */
    {"x + y", "# x: f32[%lld, %lld] transposed\n# y: f32[%lld, %lld]\n",
     {{70, 33, 70, 33}, {7, 33, 7, 33}, {4096, 64, 4096, 64}, {33, 100000, 33, 100000}, END}, 0},
    {"softmax(x)", "# x: f32[7, %lld] step %lld\n",
     {{1000, 2}, {1000, 3}, {1000, 64}, {600, 5}, END}, 0},
    {NAMED "exp(x * 2)", "# x: f32[%lld, %lld] pitch %lld\n",
     {{7, 33, 50}, {8, 30, 32}, {1, 33, 50}, {1, 1, 50}, {7, 1, 50}, {1000, 1000, 5000}, END}, 0},
    {NAMED "x * 2, x.T * 2", "# x: f32[%lld, %lld] transposed\n",
     {{7, 33}, {8, 30}, {33, 1}, {1000, 1000}, END}, 0}, /* of {1, 33} strides don't tell */
    {"def f(x: f32[B, C, H, W]): return permute_dims(x, (0, 2, 3, 1)) + 1",
     "# x: f32[%lld, %lld, %lld, %lld]\n",
     {{7, 5, 3, 8}, {1, 5, 3, 8}, {7, 1, 3, 8}, {7, 5, 1, 8}, {7, 5, 9, 1}, {1, 1, 1, 1},
      {100, 61, 4, 4}, END}, 0},
    /* on GPUs matrices of more than 1024 elements are a bucket, smaller ones whose rows are whole
     * packs another */
    {"def f(x: f32[B, C, H, W]): return permute_dims(x, (0, 2, 3, 1)) + 1",
     "# x: f32[%lld, %lld, %lld, %lld]\n",
     {{7, 64, 9, 8}, {1, 64, 9, 8}, {7, 40, 1, 800}, {100, 64, 56, 56}, END}, 0},
    {"def f(x: f32[B, C, H, W]): return permute_dims(x, (0, 2, 3, 1)) + 1",
     "# x: f32[%lld, %lld, %lld, %lld]\n",
     {{7, 64, 3, 5}, {1, 64, 3, 5}, {7, 4, 1, 8}, {100, 32, 4, 4}, END}, 0},
    /* an axis of up to 32 beside one that makes half a tile with it is a bucket */
    {"def f(x: f32[B, C, H, W]): return permute_dims(x, (0, 2, 3, 1)) + 1",
     "# x: f32[%lld, %lld, %lld, %lld]\n",
     {{7, 5, 90, 8}, {1, 5, 90, 8}, {7, 1, 90, 8}, {7, 3, 1, 800}, {7, 2, 640, 1}, {1, 32, 8, 8},
      {100, 3, 224, 224}, END}, 0},
    {"def f(x: u8[B, H, W, C], m: f32[C]): return permute_dims(x, (0, 3, 1, 2)) - m[:, None, None]",
     "# x: u8[%lld, %lld, %lld, %lld]\n# m: f32[3]\n",
     {{7, 90, 8, 3}, {1, 90, 8, 3}, {7, 1, 800, 3}, {7, 640, 1, 3}, {100, 224, 224, 3}, END}, 0},
    {"def f(x: f32[B, N], y: f32[B, N]): return stack([x, y], axis=-1)",
     "# x: f32[%lld, %lld]\n# y: f32[%lld, %lld]\n",
     {{70, 33, 70, 33}, {1, 650, 1, 650}, {650, 1, 650, 1}, {4096, 64, 4096, 64}, END}, 0},
    {"def f(x: f32[B, C, N]): return group_norm(x, 4)", "# x: f32[%lld, %lld, %lld]\n",
     {{7, 8, 2000}, {1, 8, 1999}, {7, 4, 4000}, {100, 16, 1000}, END}, 0},
    {NAMED "sum(x, axis=0)", "# x: f32[%lld, %lld] step %lld\n",
     {{70, 33, 2}, {70, 33, 3}, {500, 5, 64}, END}, 0},
    /* pads and concatenations */
    {NAMED "pad(x, ((1, 0), (2, 3)), value=7)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {100000, 33}, {33, 100000}, {4096, 4096}, END}, 0},
    {"def f(x: f32[B, N], y: f32[C, N]): return concatenate([x, y])",
     "# x: f32[%lld, %lld]\n# y: f32[%lld, %lld]\n",
     {{7, 33, 5, 33}, {1, 33, 1, 33}, {7, 1, 8, 1}, {1, 1, 1, 1}, {4096, 64, 0, 64}, END}, 0},
    {"def f(x: f32[B, N], y: f32[B, M]): return relu(concatenate([x, y], axis=1))",
     "# x: f32[%lld, %lld]\n# y: f32[%lld, %lld]\n",
     {{7, 33, 7, 5}, {1, 33, 1, 33}, {7, 1, 7, 8}, {1, 1, 1, 1}, {4096, 64, 4096, 0}, END}, 0},
    {NAMED "x * arange(x.shape[-1]) + tril(x)", "# x: f32[%lld, %lld]\n",
     {{7, 33}, {1, 33}, {7, 1}, {1, 1}, {100000, 33}, {4096, 4096}, END}, 0},
    /* numbers given at each run */
    {"dropout(x, p, seed=s)", "# x: f32[1000]\n# p: float 0.%lld\n# s: int %lld\n",
     {{1, 7}, {5, 8}, {9, 0}, {0, -5}, END}, 0},
    {"x * a + b", "# x: f32[1000]\n# a: float %lld\n# b: float %lld\n",
     {{1, 0}, {0, 1}, {-3, 5}, {2, 2}, END}, 0},
};

static void check_same(void **state) {
    const same *c = *state;
    char head[300], message[1200];
    kf_error err = {0};
    for (size_t t = 0; t < KF__COUNT(targets); t++) {
        if (c->c_only && targets[t].kind != KF__TARGET_C) continue;
        kf__target target = target_of(t);
        char *first = NULL;
        for (size_t i = 0; i < KF__COUNT(c->sizes) && c->sizes[i][0] != -1; i++) {
            stages s;
            const int64_t *n = c->sizes[i];
            snprintf(head, sizeof head, c->head, (long long)n[0], (long long)n[1], (long long)n[2],
                     (long long)n[3]);
            must(stages_make(&s, c->text, head, target.kind, &err), c->text, head, &err);
            char *now = source_of(&s, c->text, head, &target);
            stages_free(&s);
            if (!first) {
                first = now;
                continue;
            }
            if (strcmp(first, now)) {
                first_difference(first, now, message, sizeof message);
                fail_msg("%s\n%sfor %s another source than for the first sizes:\n%s", c->text, head,
                         targets[t].name, message);
            }
            free(now);
        }
        free(first);
    }
}

/* ---------------------------------------------------------------- the emulated GPU */

/* Drop the lines by which the emulation enters a kernel. */
static void drop_entries(char *text) {
    static const char entry[] = "KF_EMU_ENTRY(";
    for (char *at; (at = strstr(text, entry)) != NULL;) {
        char *end = strchr(at, '\n');
        memmove(at, end + 1, strlen(end + 1) + 1);
    }
}

/* What runs on the CPU in the tests is what a GPU runs. */
static void check_emulated(void **state) {
    (void)state;
    char head[300], message[1200];
    kf_error err = {0};
    kf__target cuda = stages_target(KF__TARGET_CUDA, 90), emulated = cuda;
    emulated.kind = KF__TARGET_EMULATED;
    for (size_t i = 0; i < KF__COUNT(sames); i++) {
        stages s;
        const int64_t *n = sames[i].sizes[0];
        if (sames[i].c_only) continue;
        snprintf(head, sizeof head, sames[i].head, (long long)n[0], (long long)n[1],
                 (long long)n[2], (long long)n[3]);
        must(stages_make(&s, sames[i].text, head, cuda.kind, &err), sames[i].text, head, &err);
        char *on_gpu = source_of(&s, sames[i].text, head, &cuda);
        char *on_cpu = source_of(&s, sames[i].text, head, &emulated);
        stages_free(&s);
        drop_entries(on_cpu);
        if (strcmp(on_gpu, on_cpu)) {
            first_difference(on_gpu, on_cpu, message, sizeof message);
            fail_msg("%s\n%semulated it is another kernel:\n%s", sames[i].text, head, message);
        }
        free(on_gpu);
        free(on_cpu);
    }
}

/* ---------------------------------------------------------------- how many texts */

static size_t add_text(char **texts, size_t n, size_t most, char *text) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(texts[i], text)) {
            free(text);
            return n;
        }
    assert_true(n < most);
    texts[n] = text;
    return n + 1;
}

static const struct {
    const char *text, *head;
} row_kernels[] = {
    {"softmax(x)", "# x: f32[7, %lld]\n"},
    {"softmax(x)", "# x: bf16[7, %lld]\n"},
    {"softmax(x)", "# x: f64[7, %lld]\n"},
    {"softmax(x)", "# x: f32[7, %lld] transposed\n"},
    {"layer_norm(relu(x))", "# x: f32[7, %lld]\n"},
    {"layer_norm(gelu(x + b) + r)", "# x: bf16[7, %lld]\n# b: bf16[%lld]\n# r: bf16[7, %lld]\n"},
    {"a * x + b * y + c * z + softmax(x)",
     "# x: f32[7, %lld]\n# y: f32[7, %lld]\n# z: f32[7, %lld]\n# a: f32[7, %lld]\n"
     "# b: f32[7, %lld]\n# c: f32[7, %lld]\n"},
    {"sum(x * x, axis=1)", "# x: f32[7, %lld]\n"},
    {"h = relu(x); h, h * 2, mean(h, axis=-1)", "# x: f16[7, %lld]\n"},
    {"var(x, axis=0)", "# x: f16[%lld, 33]\n"},
    {"sum(x * y.T, axis=0)", "# x: f32[%lld, 7]\n# y: f32[7, %lld]\n"},
};

/* Over all lengths of a row or column, a kernel has at most ten texts. */
static void count_buckets(void **state) {
    (void)state;
    char head[400];
    kf_error err = {0};
    for (size_t i = 0; i < KF__COUNT(row_kernels); i++)
        for (size_t t = 1; t < KF__COUNT(targets); t++) {
            kf__target target = target_of(t);
            char *texts[32];
            size_t n_texts = 0;
            const char *text = row_kernels[i].text;
            for (int64_t n = 2; n < 1000000; n += 1 + n / 40) {
                stages s;
                long long l = (long long)n;
                snprintf(head, sizeof head, row_kernels[i].head, l, l, l, l, l, l);
                must(stages_make(&s, text, head, target.kind, &err), text, head, &err);
                n_texts = add_text(texts, n_texts, KF__COUNT(texts),
                                   source_of(&s, text, head, &target));
                stages_free(&s);
            }
            if (n_texts > 10)
                fail_msg("%s\n%s%zu texts over all lengths for %s", text, head, n_texts,
                         targets[t].name);
            while (n_texts) free(texts[--n_texts]);
        }
}

/* ---------------------------------------------------------------- no size in the text */

static bool has_number(const char *source, int64_t number) {
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%lld", (long long)number);
    for (const char *at = source; (at = strstr(at, digits)); at++)
        if ((at == source || at[-1] < '0' || at[-1] > '9') && (at[n] < '0' || at[n] > '9'))
            return true;
    return false;
}

static const char *const sized[] = {
    "def f(x: f32[B, N]): return exp(x * 2)",
    "def f(x: f32[B, N]): return softmax(x), mean(x)",
    "def f(x: f32[B, N]): return x / sum(x, axis=0), x.T * 2",
    "def f(x: f32[B, N]): return reshape(x, (-1,))[3:], cast(x.shape[1], f32) * x",
    "def f(x: f32[B, N]): return dropout(layer_norm(x), 0.3)",
    "def f(x: f32[B, N]): return reshape(x.T, (N, B)), reshape(x.T, (B, N)) + 1",
};

static void no_sizes(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{7919, 611}, {611, 7919}, {617, 48611}, {3, 300007}};
    char head[100];
    kf_error err = {0};
    for (size_t i = 0; i < KF__COUNT(sized); i++)
        for (size_t k = 0; k < KF__COUNT(sizes); k++)
            for (size_t t = 0; t < KF__COUNT(targets); t++) {
                stages s;
                kf__target target = target_of(t);
                int64_t b = sizes[k][0], n = sizes[k][1];
                snprintf(head, sizeof head, "# x: f32[%lld, %lld]\n", (long long)b, (long long)n);
                must(stages_make(&s, sized[i], head, target.kind, &err), sized[i], head, &err);
                char *source = source_of(&s, sized[i], head, &target);
                if ((b > 10 && has_number(source, b)) || has_number(source, n) ||
                    has_number(source, b * n))
                    fail_msg("%s\n%sa size is in the source for %s:\n%s", sized[i], head,
                             targets[t].name, source);
                free(source);
                stages_free(&s);
            }
}

/* ---------------------------------------------------------------- the order of a sum */

static bool is_of_order(const char *word) {
    return !strncmp(word, "chunk", 5) || !strncmp(word, "group", 5) || !strcmp(word, "reduced");
}

/* Everything of a lowering that the order of a reduction can depend on: words about chunks, and the
 * threads that share one. How many blocks take a cluster's chunks in turn isn't: their states are
 * merged chunk by chunk. */
static void print_order(stages *s, const kf__target *target, kf__text *out, kf_error *err) {
    for (uint32_t k = 0; k < s->partition->n_kernels; k++) {
        kf__lowered lowered;
        assert_int_equal(stages_lower(s, k, target, &lowered, err), KF_OK);
        for (uint32_t i = 0; i < lowered.n_fns; i++) {
            const kf__loop_fn *fn = &lowered.fns[i];
            bool in_turn = false;
            kf__print(out, "%s %d", fn->name, fn->threads);
            for (uint32_t w = 0; w < fn->n_words; w++) {
                in_turn |= !strcmp(fn->words[w].name, "blocks");
                if (is_of_order(fn->words[w].name))
                    kf__print(out, " %s %lld", fn->words[w].name, (long long)fn->words[w].number);
            }
            kf__print(out, " %d\n", in_turn ? 0 : fn->cluster);
        }
    }
}

static const struct {
    const char *text, *head; /* %lld: what isn't reduced */
} orders[] = {
    {"sum(x, axis=1)", "# x: f32[%lld, 300]\n"},
    {"sum(x, axis=1)", "# x: f32[%lld, 1000000]\n"},
    {"softmax(x)", "# x: f32[%lld, 1000000]\n"},
    {"layer_norm(x)", "# x: f32[%lld, 30000]\n"},
    {"sum(x, axis=0)", "# x: f32[300, %lld]\n"},
    {"sum(x, axis=0)", "# x: f32[1000000, %lld]\n"},
    {"var(x, axis=0)", "# x: f32[100000, %lld]\n"},
    {"sum(x, axis=1)", "# x: f32[3, 100000, %lld]\n"},
    {"sum(x, axis=1)", "# x: f32[%lld, 5000, 7]\n"},
};

static void same_order(void **state) {
    (void)state;
    static const int64_t counts[] = {2, 3, 31, 132, 500, 4096, 100000};
    char head[100];
    kf_error err = {0};
    for (size_t i = 0; i < KF__COUNT(orders); i++)
        for (size_t t = 0; t < KF__COUNT(targets); t++) {
            kf__target target = target_of(t);
            kf__text first, now;
            kf__text_init(&first, &kf__malloc);
            for (size_t c = 0; c < KF__COUNT(counts); c++) {
                stages s;
                kf__text_init(&now, &kf__malloc);
                snprintf(head, sizeof head, orders[i].head, (long long)counts[c]);
                must(stages_make(&s, orders[i].text, head, target.kind, &err), orders[i].text, head,
                     &err);
                print_order(&s, &target, c ? &now : &first, &err);
                stages_free(&s);
                if (c && strcmp(first.at, now.at))
                    fail_msg("%s\n%sfor %s: the order of a sum changes\n%s%s", orders[i].text, head,
                             targets[t].name, first.at, now.at);
                kf__text_free(&now);
            }
            kf__text_free(&first);
        }
}

/* ---------------------------------------------------------------- chains */

/* C of a chain of n times ten operations and a mean. */
static size_t text_of_chain(int n) {
    char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "t0 = x\n");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "u%d = maximum(abs(t%d * 0.5 + x) - 0.25, t%d) * (t%d + x)\n"
                               "t%d = u%d - mean(u%d, axis=-1, keepdims=True)\n",
                               i, i, i, i, i + 1, i, i);
    snprintf(text + at, sizeof text - at, "t%d", n);
    stages s;
    kf_error err = {0};
    kf__target target = target_of(0);
    must(stages_make(&s, text, "# x: f32[33, 70]\n", target.kind, &err), text, "", &err);
    assert_int_equal(s.partition->n_kernels, 1);
    char *source = source_of(&s, text, "# x: f32[33, 70]\n", &target);
    size_t length = strlen(source);
    free(source);
    stages_free(&s);
    return length;
}

/* Each stage computes what it adds, not all that came before it. */
static void long_chains(void **state) {
    (void)state;
    size_t five = text_of_chain(5), ten = text_of_chain(10), fifteen = text_of_chain(15);
    if (4 * (fifteen - ten) > 5 * (ten - five))
        fail_msg("text of 5, 10 and 15 stages: %zu, %zu, %zu bytes", five, ten, fifteen);
}

/* ---------------------------------------------------------------- partitions by target */

static char *partition_of(const char *text, const char *head, kf__target_kind target) {
    stages s;
    kf_error err = {0};
    kf__text out;
    kf__text_init(&out, &kf__malloc);
    must(stages_make(&s, text, head, target, &err), text, head, &err);
    kf__partition_print(s.partition, &out);
    stages_free(&s);
    return out.at;
}

/* What is elementwise has the same bits on both, so halves are rounded between the same kernels; of
 * floats a CPU stores what is dear to compute twice. */
static void same_kernels_of_halves(void **state) {
    static const char *const texts[] = {"t = x % y; t + flip(t, 0)",
                                        "t = lgamma(x); t[1:] - t[:-1]",
                                        "t = x % y; t[:, ::2] + 1, flip(t, 1)"};
    static const char *const types[] = {"f32", "f16", "bf16"};
    (void)state;
    for (size_t i = 0; i < KF__COUNT(texts); i++)
        for (size_t k = 0; k < KF__COUNT(types); k++) {
            char head[200];
            snprintf(head, sizeof head, "# x: %s[300, 200]\n# y: %s[300, 200]\n", types[k],
                     types[k]);
            char *cpu = partition_of(texts[i], head, KF__TARGET_C);
            char *cuda = partition_of(texts[i], head, KF__TARGET_CUDA);
            if (!strcmp(cpu, cuda) != (k > 0))
                fail_msg("%s of %s\non CPUs:\n%s\non CUDA:\n%s", texts[i], types[k], cpu, cuda);
            free(cpu);
            free(cuda);
        }
}

static bool adds_again(const char *partition) {
    const char *second = strstr(partition, "kernel k1");
    return second && strstr(second, "= add f32");
}

/* What is read across its lines takes a CPU longer than to store and read it once: softmax's second
 * kernel reads the sum there. */
static void turned_once(void **state) {
    (void)state;
    char *turned = partition_of("softmax(z.T + y, axis=0)",
                                "# y: f32[300, 200]\n# z: f32[200, 300]\n", KF__TARGET_C);
    char *straight = partition_of("softmax(z + y, axis=0)",
                                  "# y: f32[300, 200]\n# z: f32[300, 200]\n", KF__TARGET_C);
    if (adds_again(turned)) fail_msg("z.T + y is computed again:\n%s", turned);
    if (!adds_again(straight)) fail_msg("z + y is stored:\n%s", straight);
    free(turned);
    free(straight);
}

/* The addresses that a flag of a kernel is about. */
static void addresses_of(const kf__loop_fn *fn, const char *flag, char *out, size_t size) {
    *out = 0;
    for (uint32_t f = 0; f < fn->n_words; f++)
        for (uint32_t w = 0; w < fn->n_words; w++)
            if (!strcmp(fn->words[f].name, flag) && kf__is_about(fn, &fn->words[f], w)) {
                size_t n = strlen(out);
                snprintf(out + n, size - n, "%s%s", n ? " " : "", fn->words[w].name);
            }
}

/* What is never loaded by 16 bytes, as the elements that a roll takes from a row's end and one
 * number a row, doesn't keep others from it where it isn't aligned; nor do loads keep stores. */
#define MANY_ROLLS                                                                       \
    "x + roll(x, 1, 1) + roll(x, 2, 1) + roll(x, 3, 1) + roll(x, 4, 1) + roll(x, 5, 1) + " \
    "roll(x, 6, 1) + roll(x, 7, 1) + roll(x, 8, 1) + roll(x, 9, 1) + roll(x, 10, 1)"
static void aligned_alone(void **state) {
    static const struct {
        const char *text, *head, *flag, *addresses;
    } cases[] = {
        {"-x, roll(x, 3, 1)", "# x: f32[64, 1448]\n", "vec", "out0 out1"},
        {"-x, roll(x, 3, 1)", "# x: f32[64, 1448]\n", "vec_in_x", "in_x"},
        {"-x, roll(x, 3, 1)", "# x: f32[64, 1448]\n", "vec_in_x_3", ""}, /* single elements */
        {"x * s", "# x: f32[64, 1000]\n# s: f32[64, 1]\n", "vec", "out0"},
        {"x + b", "# x: f32[64, 1000]\n# b: f32[1000]\n", "vec_in_b", "in_b"},
        {"x - x[:, 1:2]", "# x: f32[64, 1000]\n", "vec", "out0"},
        {"softmax(x) * s", "# x: f32[64, 1000]\n# s: f32[64, 1]\n", "vec", "in_x out0"},
        {"pad(x, (0, 2))", "# x: f32[64, 96]\n", "vec", "out0"}, /* whose rows are others */
        {"pad(x, (0, 2))", "# x: f32[64, 96]\n", "vec_in_x", "in_x"},
        {"x * y", "# x: f32[64, 96]\n# y: f32[64, 96]\n", "vec", "in_x in_y out0"}, /* a row */
        {"sum(take(s, j, axis=0), 0)", "# s: f32[3000, 256]\n# j: i64[1500]\n", "vec", "in_s out0"},
        {"sum(concatenate([take(s, j, 0), take(y, j, 0)], 0), 0)",
         "# s: f32[99, 256]\n# y: f32[99, 256]\n# j: i64[1500]\n", "vec", "in_s in_y out0"},
        {MANY_ROLLS, "# x: f32[64, 1448]\n", "vec", "out0"}, /* of more words than masks have bits */
        {MANY_ROLLS, "# x: f32[64, 1448]\n", "vec_in_x", "in_x"},
    };
    (void)state;
    kf__target target = stages_target(KF__TARGET_CUDA, 90);
    for (size_t i = 0; i < KF__COUNT(cases); i++) {
        stages s;
        kf_error err = {0};
        kf__lowered lowered;
        char got[200];
        const char *text = cases[i].text, *head = cases[i].head;
        must(stages_make(&s, text, head, KF__TARGET_CUDA, &err), text, head, &err);
        must(stages_lower(&s, 0, &target, &lowered, &err), text, head, &err);
        addresses_of(&lowered.fns[0], cases[i].flag, got, sizeof got);
        if (strcmp(got, cases[i].addresses))
            fail_msg("%s\n%s\n%s is about %s, not %s", head, text, cases[i].flag, got,
                     cases[i].addresses);
        stages_free(&s);
    }
}

int main(void) {
    enum { N = KF__COUNT(sames) };
    static struct CMUnitTest tests[N + 8];
    for (size_t i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){.name = sames[i].text, .test_func = check_same,
                                       .initial_state = (void *)(uintptr_t)&sames[i]};
    tests[N] = (struct CMUnitTest)cmocka_unit_test(count_buckets);
    tests[N + 1] = (struct CMUnitTest)cmocka_unit_test(no_sizes);
    tests[N + 2] = (struct CMUnitTest)cmocka_unit_test(same_order);
    tests[N + 3] = (struct CMUnitTest)cmocka_unit_test(check_emulated);
    tests[N + 4] = (struct CMUnitTest)cmocka_unit_test(long_chains);
    tests[N + 5] = (struct CMUnitTest)cmocka_unit_test(same_kernels_of_halves);
    tests[N + 6] = (struct CMUnitTest)cmocka_unit_test(turned_once);
    tests[N + 7] = (struct CMUnitTest)cmocka_unit_test(aligned_alone);
    return _cmocka_run_group_tests("lower", tests, N + 8, NULL, NULL);
}
