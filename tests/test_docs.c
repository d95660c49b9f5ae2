/* What the docs state as tables is what the code does: docs/design.md's dtypes, docs/numerics.md's
 * promised errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/ops.h"

enum { MAX_LINE = 400, MAX_CELLS = 16 };

typedef struct row {
    char line[MAX_LINE];
    int n;
    char *cell[MAX_CELLS];
} row;

/* "| a | b |" -> cells without spaces and backticks; false: no row of a table. */
static bool read_row(FILE *file, row *out) {
    out->n = 0;
    if (!fgets(out->line, sizeof out->line, file) || out->line[0] != '|') return false;
    for (char *at = strtok(out->line, "|\n"); at && out->n < MAX_CELLS; at = strtok(NULL, "|\n")) {
        at += strspn(at, " `");
        for (char *end = strchr(at, 0); end > at && strchr(" `", end[-1]);) *--end = 0;
        out->cell[out->n++] = at;
    }
    return true;
}

/* The file behind the line `mark`. */
static FILE *open_behind(const char *path, const char *mark) {
    char line[MAX_LINE];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    do assert_non_null(fgets(line, sizeof line, file));
    while (strncmp(line, mark, strlen(mark)) != 0);
    return file;
}

static kf__dtype dtype_of(const char *name) {
    kf__dtype t = KF__BOOL;
    assert_true(kf__dtype_from_name(name, strlen(name), &t));
    return t;
}

static void test_promotion(void **state) {
    (void)state;
    row head, line;
    FILE *file = open_behind(KFUSE_SOURCE_DIR "/docs/design.md", "<!-- promotion -->");
    assert_true(read_row(file, &head) && read_row(file, &line));
    assert_int_equal(head.n, KF__DTYPE_COUNT + 1);
    for (int i = 0; i < KF__DTYPE_COUNT; i++) {
        assert_true(read_row(file, &line));
        assert_int_equal(line.n, KF__DTYPE_COUNT + 1);
        for (int k = 1; k < line.n; k++)
            assert_int_equal(dtype_of(line.cell[k]),
                             kf__promote(dtype_of(line.cell[0]), dtype_of(head.cell[k])));
    }
    fclose(file);
}

/* Operations that aren't correctly rounded: each has a row, with the ulp that ops.def promises. */
static void test_promised_errors(void **state) {
    (void)state;
    bool told[KF__OP_COUNT] = {false};
    row line;
    FILE *file = open_behind(KFUSE_SOURCE_DIR "/docs/numerics.md", "<!-- ulp -->");
    assert_true(read_row(file, &line) && read_row(file, &line));
    while (read_row(file, &line)) {
        kf__opcode op = KF__OP_COUNT;
        assert_true(kf__op_from_name(line.cell[0], strlen(line.cell[0]), &op));
        assert_true(atof(line.cell[1]) == kf__ops[op].ulp);
        told[op] = true;
    }
    fclose(file);
    for (int op = 0; op < KF__OP_COUNT; op++)
        if (kf__ops[op].ulp > 0 && !told[op]) fail_msg("docs/numerics.md misses %s", kf__ops[op].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_promised_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
