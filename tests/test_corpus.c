/* libFuzzer's targets over the committed corpus, without libFuzzer: tests/fuzz/targets/run.sh adds
 * what covers more, and what once crashed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>

#define LLVMFuzzerTestOneInput fuzz_text
#define judge judge_text
#include "fuzz/targets/text.c"
#undef LLVMFuzzerTestOneInput
#undef judge
#define LLVMFuzzerTestOneInput fuzz_npy
#define judge judge_npy
#include "fuzz/targets/npy.c"

static int replay(const char *folder, int (*target)(const uint8_t *data, size_t n)) {
    char path[600];
    static uint8_t bytes[1 << 16];
    int count = 0;
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *entry; (entry = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file) continue;
        size_t n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_int_equal(target(bytes, n), 0);
        count++;
    }
    closedir(files);
    return count;
}

static void texts(void **state) {
    (void)state;
    assert_true(replay(KFUSE_SOURCE_DIR "/tests/fuzz/corpus/text", fuzz_text) > 100);
}

static void npy_files(void **state) {
    (void)state;
    assert_true(replay(KFUSE_SOURCE_DIR "/tests/fuzz/corpus/npy", fuzz_npy) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(npy_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
