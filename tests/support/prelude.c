#include "support/prelude.h"

#include <ctype.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void include_file(FILE *out, const char *name) {
    fprintf(out, "#include \"%s/src/prelude/%s\"\n", KFUSE_SOURCE_DIR, name);
}

void *prelude_build(const char *dialect, const char *flags, const char *text) {
    char folder[512], path[600], command[2048];
    snprintf(folder, sizeof(folder), "%s/tests/prelude-XXXXXX", KFUSE_BINARY_DIR);
    if (!mkdtemp(folder)) return NULL;
    snprintf(path, sizeof(path), "%s/k.c", folder);
    FILE *out = fopen(path, "w");
    if (!out) return NULL;
    static const char *const shared[] = {"prelude_common.h", "prelude_convert.h", "prelude_exp.h",
                                         "prelude_trig.h", "prelude_special.h", "prelude_reduce.h"};
    include_file(out, dialect);
    if (!strstr(dialect, ".cuh")) include_file(out, "prelude_libm.h");
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) include_file(out, shared[i]);
    fputs(text, out);
    fclose(out);
    const char *cc = getenv("CC");
    snprintf(command, sizeof(command),
             "%s -std=c17 -w -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -shared %s "
             "%s/k.c -o %s/k.so -lm", cc ? cc : "cc", flags, folder, folder);
    void *object = NULL;
    if (system(command) == 0) {
        snprintf(path, sizeof(path), "%s/k.so", folder);
        object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!object) fprintf(stderr, "%s\n", dlerror());
    }
    snprintf(command, sizeof(command), "rm -r %s", folder);
    if (system(command) != 0) fprintf(stderr, "%s wasn't removed\n", folder);
    return object;
}

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static void add_name(prelude_names *names, const char *name, size_t n) {
    char word[PRELUDE_NAME] = "";
    assert_true(n < PRELUDE_NAME);
    memcpy(word, name, n);
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->at[i], word) == 0) return;
    assert_true(names->n < PRELUDE_NAMES);
    memcpy(names->at[names->n++], word, PRELUDE_NAME);
}

void prelude_read_names(const char *files, const char *flags, prelude_names *names) {
    static char line[1 << 16];
    char command[1024];
    const char *cc = getenv("CC");
    names->n = 0;
    snprintf(command, sizeof(command),
             "cd %s/src/prelude && cat %s prelude_common.h prelude_convert.h prelude_exp.h "
             "prelude_trig.h prelude_special.h prelude_reduce.h | %s -E -P -dD -x c %s -",
             KFUSE_SOURCE_DIR, files, cc ? cc : "cc", flags);
    FILE *text = popen(command, "r");
    assert_non_null(text);
    while (fgets(line, sizeof(line), text))
        for (char *p = strstr(line, "kf_"); p; p = strstr(p, "kf_")) {
            size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789_");
            int macro = p - line == 8 && strncmp(line, "#define ", 8) == 0;
            int inside = p > line && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
            if (!inside && p[3] != '_' && (macro || p[n] == '(')) add_name(names, p, n);
            p += n;
        }
    assert_int_equal(pclose(text), 0);
    qsort(names->at, (size_t)names->n, PRELUDE_NAME, compare);
}
