/* The part of a prelude that a source needs (src/emit/prelude.h). */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emit/dialect.h"
#include "emit/prelude.h"
#include "support/prelude.h"

/* Is `name` defined in the text, by a function or a macro? */
static int is_defined(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *p = strstr(text, name); p; p = strstr(p + 1, name)) {
        const char *line = p;
        while (line > text && line[-1] != '\n') --line;
        int whole = (p[n] == '(' || p[n] == ' ') && !isalnum((unsigned char)p[-1]) && p[-1] != '_';
        int called = strncmp(line, "    ", 4) == 0 && strncmp(line, "    struct", 10) != 0;
        if (whole && !called) return 1;
    }
    return 0;
}
static void check_compiles(const char *text, const char *name) {
    char command[256];
    const char *cc = getenv("CC");
    snprintf(command, sizeof command, "%s -std=c17 -w -Werror=implicit-function-declaration "
             "-fsyntax-only -x c -", cc ? cc : "cc");
    FILE *compiler = popen(command, "w");
    assert_non_null(compiler);
    assert_true(fputs(text, compiler) >= 0);
    if (pclose(compiler) != 0) fail_msg("what %s needs isn't enough:\n%s", name, text);
}
/* For each name of a dialect: it comes with its definition, everything else that comes along is
 * needed by it, and (every 40th is tried) a compiler finds nothing missing. */
static void check_parts(kf__target_kind kind, const prelude_names *names) {
    kf__prelude *prelude = kf__prelude_read(&kf__malloc, kf__dialects[kind].preludes);
    assert_non_null(prelude);
    for (int i = 0; i < names->n; i++) {
        const char *name = names->at[i];
        kf__text part, again;
        kf__text_init(&part, &kf__malloc);
        kf__text_init(&again, &kf__malloc);
        assert_int_equal(kf__prelude_print(prelude, name, strlen(name), &part), KF_OK);
        assert_int_equal(kf__prelude_print(prelude, part.at, part.n, &again), KF_OK);
        /* By macros that depend on the architecture, in the source too. */
        bool made = strncmp(name, "kf_cluster_put_", 15) == 0 ||
                    strncmp(name, "kf_cluster_send_", 16) == 0;
        if (!made && !is_defined(part.at, name)) fail_msg("%s isn't in its part", name);
        if (!made && strcmp(part.at, again.at))
            fail_msg("of the part for %s only %zu of %zu bytes are needed", name, again.n, part.n);
        if (i % 40 == 0 && kind != KF__TARGET_CUDA) check_compiles(part.at, name);
        kf__text_free(&part);
        kf__text_free(&again);
    }
    kf__prelude_free(prelude);
}
static void test_parts(void **state) {
    static prelude_names names;
    (void)state;
    prelude_read_names("prelude_c.h prelude_libm.h", "", &names);
    check_parts(KF__TARGET_C, &names);
    prelude_read_names("prelude_cuda.cuh", "-D__CUDACC_RTC__ -D__CUDA_ARCH__=900", &names);
    check_parts(KF__TARGET_CUDA, &names);
    prelude_read_names("prelude_emu.h prelude_libm.h", "", &names);
    check_parts(KF__TARGET_EMULATED, &names);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
