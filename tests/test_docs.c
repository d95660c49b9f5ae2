/* What the docs state as tables is what the code does: docs/design.md's dtypes, docs/numerics.md's
 * promised errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/ops.h"
#include "parse/parse.h"
#include "support/stages.h"
#include "support/table.h"

static kf__dtype dtype_of(const char *name) {
    kf__dtype t = KF__BOOL;
    assert_true(kf__dtype_from_name(name, strlen(name), &t));
    return t;
}

static void test_promotion(void **state) {
    (void)state;
    table_row head, line;
    FILE *file = table_open(KFUSE_SOURCE_DIR "/docs/design.md", "<!-- promotion -->");
    assert_non_null(file);
    assert_true(table_read_row(file, &head) && table_read_row(file, &line));
    assert_int_equal(head.n, KF__DTYPE_COUNT + 1);
    for (int i = 0; i < KF__DTYPE_COUNT; i++) {
        assert_true(table_read_row(file, &line));
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
    table_row line;
    FILE *file = table_open(KFUSE_SOURCE_DIR "/docs/numerics.md", "<!-- ulp -->");
    assert_non_null(file);
    assert_true(table_read_row(file, &line) && table_read_row(file, &line));
    while (table_read_row(file, &line)) {
        kf__opcode op = KF__OP_COUNT;
        assert_true(kf__op_from_name(line.cell[0], strlen(line.cell[0]), &op));
        assert_true(atof(line.cell[1]) == kf__ops[op].ulp);
        told[op] = true;
    }
    fclose(file);
    for (int op = 0; op < KF__OP_COUNT; op++)
        if (kf__ops[op].ulp > 0 && !told[op])
            fail_msg("docs/numerics.md misses %s", kf__ops[op].name);
}

/* ---------------------------------------------------------------- docs/library.md */

/* "`" and "|" would end code and cells. */
static void print_cell(kf__text *out, const char *text) {
    for (; *text; text++) kf__print(out, *text == '|' ? "\\|" : "%c", *text);
}

static void print_library(kf__text *out) {
    const char *last = "";
    kf__callable c = {0};
    kf__print(out, "# The library\n\nComposites: definitions in kfuse's own language, one file of "
                   "`src/library` a section. `kfuse ops NAME`\nshows one with its source. "
                   "Made by `KFUSE_REGENERATE=1 build/tests/test_docs`.\n"
                   "\nA parameter that is `real` takes integers and bools as float32.\n");
    while (kf__callable_next(&c)) {
        if (strcmp(c.kind, "composite") != 0) continue;
        const char *file = NULL;
        kf__text source;
        kf__text_init(&source, &kf__malloc);
        assert_true(kf__composite_source(c.name, &source, &file));
        kf__text_free(&source);
        if (strcmp(file, last) != 0)
            kf__print(out, "\n## %.*s\n\n| | |\n|---|---|\n", (int)strcspn(file, "."), file);
        last = file;
        kf__print(out, "| `%s(%s)` | ", c.name, c.signature);
        print_cell(out, c.doc);
        kf__print(out, " |\n");
    }
}

static void test_library(void **state) {
    (void)state;
    const char *path = KFUSE_SOURCE_DIR "/docs/library.md";
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    print_library(&text);
    if (getenv("KFUSE_REGENERATE")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(text.at, file) >= 0 && fclose(file) == 0);
    }
    char *there = read_text(path);
    if (!there || strcmp(there, text.at) != 0)
        fail_msg("docs/library.md isn't what src/library says: "
                 "KFUSE_REGENERATE=1 build/tests/test_docs makes it again");
    free(there);
    kf__text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_promised_errors),
        cmocka_unit_test(test_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
