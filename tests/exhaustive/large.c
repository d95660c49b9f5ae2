/* More than 2^31 elements of int8: sums of arrays, transposed and flipped ones, reductions, each
 * element compared. Takes 7 GB; run by hand:
 *
 *     cc -O2 -std=c17 -Iinclude tests/exhaustive/large.c -Lbuild -lkfuse -o large
 *     LD_LIBRARY_PATH=build ./large
 *
 * Exit status 1 if anything differs. */
#include <kfuse/kfuse.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 65537, COLUMNS = 32771 };
static const int64_t n_all = (int64_t)ROWS * COLUMNS; /* 2^31 + 229379 */

static int8_t x_at(int64_t i) { return (int8_t)((uint64_t)i * 0x9E3779B97F4A7C15u >> 56); }
static int8_t y_at(int64_t i) { return (int8_t)((uint64_t)i * 0xD1B54A32D192ED03u >> 57); }

typedef int64_t expected(int64_t i);
static int64_t add(int64_t i) { return (int8_t)(x_at(i) + y_at(i)); }
static int64_t add_flipped(int64_t i) { return (int8_t)(x_at(n_all - 1 - i) + y_at(i)); }
static int64_t add_transposed(int64_t i) { /* x is [COLUMNS, ROWS] there, y [ROWS, COLUMNS] */
    return (int8_t)(x_at(i % COLUMNS * ROWS + i / COLUMNS) + y_at(i));
}
static int64_t sum(int64_t i) {
    int64_t total = 0;
    for (i = 0; i < n_all; i++) total += x_at(i);
    return total;
}
static int64_t sum_of_row(int64_t row) {
    int64_t total = 0;
    for (int64_t i = 0; i < COLUMNS; i++) total += x_at(row * COLUMNS + i);
    return total;
}
static int64_t last(int64_t i) {
    (void)i;
    return x_at(n_all - 1);
}

typedef struct test {
    const char *text;
    int rank, rows; /* x's shape: [n], [ROWS, COLUMNS], or with rows 0 [COLUMNS, ROWS] */
    int64_t n;
    expected *want;
} test;

static int run(kf_context *ctx, const test *t, void *x, void *y) {
    int64_t flat[] = {n_all}, straight[] = {ROWS, COLUMNS}, turned[] = {COLUMNS, ROWS};
    kf_array inputs[] = {{x, {KF_CPU, 0}, t->rank, KF_I8, t->rows ? straight : turned, NULL, 0},
                         {y, {KF_CPU, 0}, t->rank, KF_I8, straight, NULL, 0}};
    if (t->rank == 1) inputs[0].shape = inputs[1].shape = flat;
    kf_array out = {0};
    kf_error err = {0};
    int n_inputs = t->want == add || t->want == add_flipped || t->want == add_transposed ? 2 : 1;
    if (kf_eval(ctx, t->text, n_inputs, inputs, 1, &out, &err) != KF_OK) {
        printf("%-24s %s\n", t->text, err.message);
        return 1;
    }
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t got = out.dtype.bits == 8 ? ((int8_t *)out.data)[i] : ((int64_t *)out.data)[i];
        if (got == t->want(i)) continue;
        if (!wrong++) first = i;
    }
    printf("%-24s %lld elements, %lld wrong", t->text, (long long)t->n, (long long)wrong);
    printf(wrong ? ", the first at %lld\n" : "\n", (long long)first);
    kf_array_free(ctx, &out);
    return wrong != 0;
}

int main(void) {
    static const test tests[] = {
        {"x + y", 1, 0, (int64_t)ROWS * COLUMNS, add},
        {"x[::-1] + y", 1, 0, (int64_t)ROWS * COLUMNS, add_flipped},
        {"x + y", 2, 1, (int64_t)ROWS * COLUMNS, add},
        {"x.T + y", 2, 0, (int64_t)ROWS * COLUMNS, add_transposed},
        {"sum(x)", 1, 0, 1, sum},
        {"sum(x, axis=-1)", 2, 1, ROWS, sum_of_row},
        {"x[-1]", 1, 0, 1, last},
    };
    int8_t *x = malloc((size_t)n_all), *y = malloc((size_t)n_all);
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    if (!x || !y || !ctx) {
        printf("%s\n", ctx ? "no memory" : err.message);
        return 2;
    }
    for (int64_t i = 0; i < n_all; i++) x[i] = x_at(i), y[i] = y_at(i);
    int failed = 0;
    for (size_t t = 0; t < sizeof(tests) / sizeof(tests[0]); t++)
        failed |= run(ctx, &tests[t], x, y);
    kf_context_free(ctx);
    free(x);
    free(y);
    return failed;
}
