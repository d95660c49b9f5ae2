/* Golden files: what every stage makes of tests/golden/NAME.kf, beside it:
 *
 *     NAME.graph   the simplified graph            NAME.c    generated C, without the prelude
 *     NAME.plan    kernels, cuts, launches         NAME.cu   generated CUDA, for sm_90
 *
 * KFUSE_REGENERATE=1 writes them anew; then read the diff. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run/plan.h"
#include "support/stages.h"

static const char *const folder = KFUSE_SOURCE_DIR "/tests/golden";
static const char *const made = KFUSE_BINARY_DIR "/tests/golden"; /* what differs is kept there */

/* ---------------------------------------------------------------- what stages print */

typedef struct both { /* a partition for each target */
    stages c, cuda;
} both;

static kf_status print_graph(both *s, kf__text *out, kf_error *err) {
    (void)err;
    kf__graph_print(s->c.partition->graph, out);
    return KF_OK;
}

static void print_launch(const kf__target *target, const kf__loop_fn *fn, kf__text *out) {
    kf__print(out, "    %s: ", fn->name);
    if (!kf__has_work(target, fn))
        kf__print(out, "nothing to do");
    else if (target->kind == KF__TARGET_C)
        kf__print(out, "%lld units by %lld, %lld bytes", (long long)fn->units,
                  (long long)fn->grain, (long long)fn->work_bytes);
    else
        kf__print(out, "%lld blocks of %d threads", (long long)fn->grid, kf__launched(fn));
    if (target->kind == KF__TARGET_CUDA && fn->cluster > 1)
        kf__print(out, ", in clusters of %d", fn->cluster);
    const char *before = "; ";
    for (uint32_t w = 0; w < fn->n_words; w++)
        if (fn->words[w].kind == KF__W_INT) {
            kf__print(out, "%s%s = %lld", before, fn->words[w].name,
                      (long long)fn->words[w].number);
            before = ", ";
        }
    kf__print(out, "\n");
}

static kf_status print_launches(stages *s, const kf__target *target, kf__text *out, kf_error *err) {
    for (uint32_t k = 0; k < s->partition->n_kernels; k++) {
        kf__lowered lowered;
        KF_TRY(stages_lower(s, k, target, &lowered, err));
        for (uint32_t i = 0; i < lowered.n_fns; i++) print_launch(target, &lowered.fns[i], out);
        if (lowered.scratch)
            kf__print(out, "    scratch: %lld bytes\n", (long long)lowered.scratch);
    }
    return KF_OK;
}

/* Where the targets' partitions differ, CUDA's comes before its launches. */
static kf_status print_plan(both *s, kf__text *out, kf_error *err) {
    kf__target c = stages_target(KF__TARGET_C, 0), cuda = stages_target(KF__TARGET_CUDA, 90);
    kf__text other;
    kf__text_init(&other, &kf__malloc);
    kf__partition_print(s->c.partition, out);
    kf__partition_print(s->cuda.partition, &other);
    bool same = other.n == out->n && !memcmp(other.at, out->at, out->n);
    kf__print(out, "launches of C\n");
    kf_status status = print_launches(&s->c, &c, out, err);
    if (!same) kf__print(out, "\non CUDA\n%s", other.at);
    kf__text_free(&other);
    KF_TRY(status);
    kf__print(out, "launches of CUDA, sm_90\n");
    return print_launches(&s->cuda, &cuda, out, err);
}

static kf_status print_c(both *s, kf__text *out, kf_error *err) {
    kf__target target = stages_target(KF__TARGET_C, 0);
    return stages_source(&s->c, &target, false, out, err);
}

static kf_status print_cu(both *s, kf__text *out, kf_error *err) {
    kf__target target = stages_target(KF__TARGET_CUDA, 90);
    return stages_source(&s->cuda, &target, false, out, err);
}

static const struct {
    const char *extension;
    kf_status (*print)(both *s, kf__text *out, kf_error *err);
} prints[] = {{"graph", print_graph}, {"plan", print_plan}, {"c", print_c}, {"cu", print_cu}};

/* ---------------------------------------------------------------- compared with the files */

static void write_text(const char *path, const kf__text *text) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text->at, 1, text->n, file) != text->n)
        fail_msg("%s can't be written", path);
    fclose(file);
}

/* 0 where they agree. */
static int compare(const char *name, const char *extension, const kf__text *text) {
    char path[600], other[600], command[1300];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
    if (getenv("KFUSE_REGENERATE")) {
        write_text(path, text);
        return 0;
    }
    char *golden = read_text(path);
    bool same = golden && !strcmp(golden, text->at);
    free(golden);
    if (same) return 0;
    snprintf(command, sizeof command, "mkdir -p %s", made);
    if (system(command) != 0) return 1;
    snprintf(other, sizeof other, "%s/%s.%s", made, name, extension);
    write_text(other, text);
    print_error("%s/%s.%s isn't what the stages print now (- golden, + now):\n", folder, name,
                extension);
    snprintf(command, sizeof command, "diff -u -N %s %s >&2", path, other);
    return system(command) == 0 ? 0 : 1;
}

static void check_case(void **state) {
    const char *name = *state;
    char path[600];
    snprintf(path, sizeof path, "%s/%s.kf", folder, name);
    char *text = read_text(path);
    assert_non_null(text);
    both s;
    kf_error err = {0};
    int wrong = 0;
    if (stages_make(&s.c, text, text, KF__TARGET_C, &err) != KF_OK ||
        stages_make(&s.cuda, text, text, KF__TARGET_CUDA, &err) != KF_OK)
        fail_msg("%s: %s", name, err.message);
    for (size_t i = 0; i < KF__COUNT(prints); i++) {
        kf__text out;
        kf__text_init(&out, &kf__malloc);
        if (prints[i].print(&s, &out, &err) != KF_OK) fail_msg("%s: %s", name, err.message);
        assert_false(out.failed);
        wrong += compare(name, prints[i].extension, &out);
        kf__text_free(&out);
    }
    stages_free(&s.c);
    stages_free(&s.cuda);
    free(text);
    if (wrong)
        fail_msg("%d of %s's files differ: if that is right, KFUSE_REGENERATE=1 writes them anew",
                 wrong, name);
}

/* ---------------------------------------------------------------- the files */

static bool has_extension(const char *file, const char *extension) {
    const char *dot = strrchr(file, '.');
    return dot && !strcmp(dot + 1, extension);
}

/* Files that no case makes. */
static void check_strays(void **state) {
    (void)state;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int strays = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        bool ours = false;
        for (size_t i = 0; i < KF__COUNT(prints); i++)
            ours |= has_extension(e->d_name, prints[i].extension);
        if (!ours) continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%.*s.kf", folder,
                 (int)(strrchr(e->d_name, '.') - e->d_name), e->d_name);
        char *text = read_text(path);
        if (!text) print_error("%s is of no case: remove it\n", e->d_name), strays++;
        free(text);
    }
    closedir(dir);
    assert_int_equal(strays, 0);
}

int main(void) {
    static struct CMUnitTest tests[200];
    struct dirent **entries;
    size_t n_tests = 0;
    int n = scandir(folder, &entries, NULL, alphasort);
    tests[n_tests++] = (struct CMUnitTest)cmocka_unit_test(check_strays);
    for (int i = 0; i < n; i++) {
        char *name = entries[i]->d_name;
        if (has_extension(name, "kf") && n_tests < KF__COUNT(tests)) {
            *strrchr(name, '.') = 0;
            tests[n_tests++] = (struct CMUnitTest){.name = name, .test_func = check_case,
                                                   .initial_state = name};
        }
    }
    int result = _cmocka_run_group_tests("golden", tests, n_tests, NULL, NULL);
    for (int i = 0; i < n; i++) free(entries[i]);
    free(entries);
    return result;
}
