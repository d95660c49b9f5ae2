/* Nothing is read before an array or behind its end, not even what is then dropped: arrays begin or
 * end where a page does that may not be touched. Of rows whose last elements are computed by whole
 * vectors, of parts that are read in place, of tiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kfuse/kfuse.h"

static const char *const texts[] = {
    "exp(x)", "sum(exp(x), 1)", "softmax(x)", "gelu(layer_norm(x))", "x.T + y",
    "exp(concatenate([x, y]))", "sum(exp(concatenate([x, y])), 1)",
    "exp(softmax(concatenate([x, y])))", "sum(exp(concatenate([x, y], 1)), 1)",
    "var(concatenate([x, y]), 1)", "exp(pad(x, ((1, 2), (0, 0))) * 2)",
    "sum(exp(pad(x, ((1, 2), (0, 0)))), 1)", "max(exp(pad(x, ((0, 0), (3, 0)))), 1)",
    "sum(roll(x, 1, 0) * y, 0)", "exp(roll(x, 1, 0)) - y", "take(x, cast(abs(y[0]), i64), 0)",
    "exp(take_along_axis(x, cast(y, i64), 1))", "cumsum(x, 1), cumsum(x, 0)", "x[:, ::-1] * 2",
    "cast(x, f16), cast(x * 9, i8)", "sum(pad(x, 2), 0)", "softmax(pad(x, 1, mode='edge'))",
    "exp(roll(softmax(x), 2, 1))", "erf(stack([x, y], -1))", "exp(x[:, 1:] - x[:, :-1])",
    "argmax(concatenate([x, y]), 1)", "sum(exp(x), (0, 1))", "sum(exp(concatenate([x, y])), 0)",
    "exp(x[::-1]) + sum(y, 1, keepdims=True)", "softmax(roll(x, 1, 0))", "x.T, sum(x, 0)",
};

enum { PAGES = 16 };

/* Memory between two pages that may not be touched. */
static char *borders(size_t page) {
    char *at = mmap(NULL, (PAGES + 2) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
    assert_true(at != MAP_FAILED);
    assert_int_equal(mprotect(at, page, PROT_NONE), 0);
    assert_int_equal(mprotect(at + (PAGES + 1) * page, page, PROT_NONE), 0);
    return at + page;
}

static void test_borders(void **state) {
    (void)state;
    const int64_t lengths[] = {1, 7, 27, 100, 130};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory[2] = {borders(page), borders(page)};
    kf_error err = {0};
    kf_context *ctx = kf_context_create(NULL, &err);
    assert_non_null(ctx);
    for (size_t k = 0; k < 2 * sizeof lengths / sizeof *lengths; k++) {
        int64_t n = lengths[k / 2], shape[] = {k % 4 > 1 ? n : 5, n};
        bool at_end = k % 2 == 0;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            kf_array in[2], out[2] = {0};
            if (strstr(texts[i], ".T") && shape[0] != shape[1]) continue;
            size_t bytes = (size_t)(shape[0] * n) * sizeof(float);
            assert_true(bytes <= PAGES * page);
            for (int a = 0; a < 2; a++) {
                char *first = memory[a] + (at_end ? PAGES * page - bytes : 0);
                float *data = (float *)(void *)first;
                for (int64_t e = 0; e < shape[0] * n; e++) data[e] = (float)(e % 7) - 3;
                in[a] = (kf_array){.data = data, .device = {.type = KF_CPU}, .ndim = 2,
                                   .dtype = {.code = 2, .bits = 32, .lanes = 1}, .shape = shape};
            }
            bool both = strstr(texts[i], " y") || strstr(texts[i], "(y");
            int n_in = 1 + both, n_out = 1;
            n_out += strstr(texts[i], ".T, ") || strstr(texts[i], "), c");
            if (kf_eval(ctx, texts[i], n_in, in, n_out, out, &err) != KF_OK)
                fail_msg("%s: %s", texts[i], err.message);
            for (int r = 0; r < n_out; r++) kf_array_free(ctx, &out[r]);
        }
    }
    kf_context_free(ctx);
    for (int a = 0; a < 2; a++) munmap(memory[a] - page, (PAGES + 2) * page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_borders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
