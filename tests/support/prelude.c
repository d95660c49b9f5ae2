#include "support/prelude.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
