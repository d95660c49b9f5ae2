/* The disk cache: each promise about it is a test. Compiles tiny sources with the system's C
 * compiler into folders of its own. */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/cache.h"
#include "compile/compile.h"

enum { PATH = 512 };
static char root[PATH];   /* of this run's folders */
static int folders;       /* made so far */
static int said;          /* lines through the log */
static char last[1024];   /* the last of them */

/* ---------------------------------------------------------------- helpers */

static void note(void *user, const char *line) {
    (void)user;
    said++;
    snprintf(last, sizeof(last), "%s", line);
}

static const char *joined(const char *a, const char *b) {
    static char paths[4][2 * PATH];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", a, b);
    return path;
}

static const char *fresh_folder(void) {
    static char paths[8][PATH];
    char *path = paths[folders % 8];
    snprintf(path, PATH, "%.400s/%d", root, folders++);
    return path;
}

static void write_file(const char *path, const char *text, mode_t mode) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

/* Entries in the folder; the name of one of them. */
static int count_entries(const char *folder, char *name) {
    int n = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *item; stream && (item = readdir(stream));) {
        if (!kf__is_entry(item->d_name)) continue;
        if (name) strcpy(name, item->d_name);
        n++;
    }
    if (stream) closedir(stream);
    return n;
}

typedef struct result {
    kf_status status;
    int value; /* what the compiled function returns */
    int64_t compiled, hits;
    kf_error err;
} result;

static const char *source_of(int value) {
    static char text[128];
    snprintf(text, sizeof(text), "int f(void) { return %d; }\n", value);
    return text;
}

/* What a new process would do: compile one source with nothing in memory. */
static result compile_in(const char *folder, const char *source, kf__compile_target target) {
    result r = {.value = -1};
    kf__compiler *compiler;
    kf__object *object;
    assert_int_equal(kf__compiler_create(&kf__malloc, note, NULL, folder, &compiler, &r.err),
                     KF_OK);
    r.status = kf__compile(compiler, &target, source, strlen(source), "f", &object, &r.err);
    if (r.status == KF_OK && target.kind != KF__TARGET_CUDA) {
        int (*f)(void) = (int (*)(void))(intptr_t)kf__object_symbol(object, "f");
        assert_non_null(f);
        r.value = f();
    }
    kf__compiler_statistics(compiler, &r.compiled, &r.hits);
    kf__compiler_free(compiler);
    return r;
}

static const kf__compile_target c_target = {KF__TARGET_C, 0, 0};

static void expect(const char *folder, int value, int compiled, int hits) {
    result r = compile_in(folder, source_of(value), c_target);
    if (r.status != KF_OK) fail_msg("%s", r.err.message);
    assert_int_equal(r.value, value);
    assert_int_equal(r.compiled, compiled);
    assert_int_equal(r.hits, hits);
}

/* Run `body` in a child process; it must exit with 0 (77: skip). */
static void in_child(void (*body)(const char *), const char *argument) {
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        body(argument);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
    if (!WIFEXITED(status) || WEXITSTATUS(status)) fail_msg("child: status %x", status);
}
#define CHILD(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, last); \
            _exit(1);                                                        \
        }                                                                    \
    } while (0)

static int clean_state(void **state) {
    (void)state;
    static char *path;
    if (!path) path = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
    unsetenv("KFUSE_CC");
    unsetenv("CC");
    unsetenv("KFUSE_CACHE_MAX");
    unsetenv("KFUSE_CACHE_DIR");
    said = 0;
    last[0] = 0;
    return 0;
}

/* ---------------------------------------------------------------- hits */

static void test_hit_from_another_process(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    struct stat info;
    expect(folder, 1, 1, 0);
    expect(folder, 1, 0, 1);
    expect(folder, 2, 1, 0);
    assert_int_equal(count_entries(folder, NULL), 2);
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(said, 0);
}

static void test_target_is_part_of_the_key(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    for (int level = 1; level <= kf__cpu_level(); level++) {
        kf__compile_target target = {KF__TARGET_C, level, 0};
        assert_int_equal(compile_in(folder, source_of(1), target).compiled, 1);
        assert_int_equal(compile_in(folder, source_of(1), target).hits, 1);
    }
    kf__compile_target emulated = {KF__TARGET_EMULATED, 0, 0};
    assert_int_equal(compile_in(folder, source_of(1), emulated).compiled, 1);
    assert_int_equal(count_entries(folder, NULL), kf__cpu_level() + 1);
}

static void test_folder_by_environment(void **state) {
    (void)state;
    const char *home = fresh_folder(), *xdg = fresh_folder(), *own = fresh_folder();
    char *kept_home = strdup(getenv("HOME") ? getenv("HOME") : "/"), *kept_xdg = NULL;
    if (getenv("XDG_CACHE_HOME")) kept_xdg = strdup(getenv("XDG_CACHE_HOME"));
    setenv("HOME", home, 1);
    unsetenv("XDG_CACHE_HOME");
    expect(NULL, 1, 1, 0);
    assert_int_equal(count_entries(joined(home, ".cache/kfuse"), NULL), 1);
    setenv("XDG_CACHE_HOME", "relative", 1); /* not allowed by its specification */
    expect(NULL, 1, 0, 1);
    setenv("XDG_CACHE_HOME", xdg, 1);
    expect(NULL, 1, 1, 0);
    assert_int_equal(count_entries(joined(xdg, "kfuse"), NULL), 1);
    setenv("KFUSE_CACHE_DIR", own, 1);
    expect(NULL, 1, 1, 0);
    assert_int_equal(count_entries(own, NULL), 1);
    unsetenv("KFUSE_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    expect(NULL, 1, 1, 0); /* nowhere to keep it: works, and says so */
    assert_int_equal(said, 1);
    assert_non_null(strstr(last, "KFUSE_CACHE_DIR"));
    setenv("HOME", kept_home, 1);
    if (kept_xdg) setenv("XDG_CACHE_HOME", kept_xdg, 1);
    free(kept_home);
    free(kept_xdg);
}

/* A compiler that writes a line for each run of it. */
static const char *counting_compiler(const char *folder) {
    char text[3 * PATH];
    mkdir(folder, 0700);
    snprintf(text, sizeof(text), "#!/bin/sh\necho run >> %s/runs\nexec cc \"$@\"\n", folder);
    write_file(joined(folder, "counting-cc"), text, 0755);
    setenv("KFUSE_CC", joined(folder, "counting-cc"), 1);
    return joined(folder, "counting-cc");
}

static long runs(const char *folder) {
    struct stat info;
    return stat(joined(folder, "runs"), &info) == 0 ? (long)info.st_size / 4 : 0;
}

static void test_hit_starts_no_process(void **state) {
    (void)state;
    const char *folder = fresh_folder(), *tools = fresh_folder();
    counting_compiler(tools);
    expect(folder, 1, 1, 0);
    assert_int_equal(runs(tools), 1);
    expect(folder, 1, 0, 1);
    assert_int_equal(runs(tools), 1);
}

static void test_changed_compiler(void **state) {
    (void)state;
    const char *folder = fresh_folder(), *tools = fresh_folder();
    const char *compiler = counting_compiler(tools);
    struct timespec times[2] = {{1000000000, 0}, {1000000000, 1}};
    expect(folder, 1, 1, 0);
    assert_int_equal(utimensat(AT_FDCWD, compiler, times, 0), 0);
    expect(folder, 1, 1, 0); /* other mtime */
    expect(folder, 1, 0, 1);
    counting_compiler(fresh_folder());
    expect(folder, 1, 1, 0); /* other path */
    assert_int_equal(count_entries(folder, NULL), 3);
}

static void test_no_compiler(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    expect(folder, 1, 1, 0);
    setenv("PATH", "/nonexistent", 1);
    expect(folder, 1, 0, 1);
    result r = compile_in(folder, source_of(2), c_target);
    assert_int_equal(r.status, KF_ERR_COMPILER);
    assert_non_null(strstr(r.err.message, "no C compiler was found"));
    assert_non_null(strstr(r.err.message, "KFUSE_CC"));
    assert_int_equal(r.compiled, 0);
    setenv("KFUSE_CC", "/nonexistent/gcc", 1);
    expect(folder, 1, 0, 1);
    r = compile_in(folder, source_of(2), c_target);
    assert_non_null(strstr(r.err.message, "/nonexistent/gcc"));
}

/* ---------------------------------------------------------------- entries not to be loaded */

typedef struct damage {
    const char *what;
    long at;    /* byte to flip; negative: from the end */
    long keep;  /* bytes to keep; -1: all but flip */
} damage;

static void test_damaged_entries(void **state) {
    (void)state;
    static const damage damages[] = {
        {"header", 1, -1},   {"code", 5000, -1},      {"checksum", -20, -1}, {"magic", -1, -1},
        {"length", -75, -1}, {"version", -82, -1},    {"source", -3000, -1}, {"empty", 0, 0},
        {"short", 0, 40},    {"no trailer", 0, 9000},
    };
    const char *folder = fresh_folder();
    char name[300], source[4000];
    snprintf(source, sizeof(source), "int f(void) { return 1; } /* %3000s */\n", "");
    for (size_t i = 0; i < KF__COUNT(damages); i++) {
        compile_in(folder, source, c_target);
        assert_int_equal(count_entries(folder, name), 1);
        const damage *d = &damages[i];
        FILE *file = fopen(joined(folder, name), "r+b");
        assert_non_null(file);
        if (d->keep >= 0) {
            assert_int_equal(ftruncate(fileno(file), d->keep), 0);
        } else {
            fseek(file, d->at, d->at < 0 ? SEEK_END : SEEK_SET);
            int byte = fgetc(file);
            fseek(file, -1, SEEK_CUR);
            fputc(byte ^ 1, file);
        }
        fclose(file);
        result r = compile_in(folder, source, c_target);
        if (r.value != 1 || r.compiled != 1) fail_msg("damaged %s was loaded", d->what);
        r = compile_in(folder, source, c_target);
        if (r.hits != 1) fail_msg("damaged %s wasn't rebuilt", d->what);
    }
}

static void test_foreign_entries(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    char name[300], path[PATH], elsewhere[PATH];
    expect(folder, 1, 1, 0);
    count_entries(folder, name);
    snprintf(path, sizeof(path), "%.200s/%.200s", folder, name);
    snprintf(elsewhere, sizeof(elsewhere), "%.200s/elsewhere", folder);

    assert_int_equal(chmod(path, 0620), 0); /* writable by others */
    expect(folder, 1, 1, 0);
    expect(folder, 1, 0, 1);

    assert_int_equal(rename(path, elsewhere), 0); /* a link */
    assert_int_equal(symlink(elsewhere, path), 0);
    expect(folder, 1, 1, 0);
    expect(folder, 1, 0, 1);

    unlink(path); /* not a file */
    assert_int_equal(mkfifo(path, 0600), 0);
    expect(folder, 1, 1, 0);
    expect(folder, 1, 0, 1);

    if (geteuid() != 0) return;
    assert_int_equal(chown(path, 12345, 12345), 0); /* of another user */
    expect(folder, 1, 1, 0);
    expect(folder, 1, 0, 1);
}

static void test_equal_hashes(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    char one[300], other[300];
    expect(folder, 1, 1, 0);
    count_entries(folder, one);
    const char *aside = joined(root, "aside");
    assert_int_equal(rename(joined(folder, one), aside), 0);
    expect(folder, 2, 1, 0);
    count_entries(folder, other);
    /* The entry of source 1 under the name of source 2: as if their hashes were the same. */
    assert_int_equal(rename(aside, joined(folder, other)), 0);
    expect(folder, 2, 1, 0);
    expect(folder, 2, 0, 1);
}

/* ---------------------------------------------------------------- folders that can't be used */

static void test_folder_that_others_write(void **state) {
    (void)state;
    static const mode_t modes[] = {0777, 01777, 0770, 0722};
    for (size_t i = 0; i < KF__COUNT(modes); i++) {
        const char *folder = fresh_folder();
        assert_int_equal(mkdir(folder, 0700), 0);
        assert_int_equal(chmod(folder, modes[i]), 0);
        said = 0;
        expect(folder, 1, 1, 0);
        expect(folder, 1, 1, 0);
        assert_int_equal(said, 2); /* once in each */
        assert_non_null(strstr(last, "others can write it"));
        assert_int_equal(count_entries(folder, NULL), 0);
    }
}

static void test_folder_of_another_user(void **state) {
    (void)state;
    if (geteuid() != 0) skip();
    const char *folder = fresh_folder();
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chown(folder, 12345, 12345), 0);
    expect(folder, 1, 1, 0);
    assert_int_equal(count_entries(folder, NULL), 0);
    assert_non_null(strstr(last, "another user"));
}

static void test_said_once(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    write_file(folder, "not a folder", 0600);
    kf__compiler *compiler;
    kf__object *object;
    assert_int_equal(kf__compiler_create(&kf__malloc, note, NULL, folder, &compiler, NULL), KF_OK);
    for (int i = 0; i < 3; i++) {
        const char *source = source_of(i);
        assert_int_equal(kf__compile(compiler, &c_target, source, strlen(source), "f", &object,
                                     NULL),
                         KF_OK);
    }
    assert_int_equal(said, 1);
    kf__compiler_free(compiler);
}

static void read_only(const char *folder) {
    CHILD(mkdir(folder, 0755) == 0);
    if (geteuid() == 0) CHILD(chown(folder, 65534, 65534) == 0 && chmod(root, 0755) == 0);
    if (geteuid() == 0) CHILD(setegid(65534) == 0 && seteuid(65534) == 0);
    result r = compile_in(folder, source_of(1), c_target);
    CHILD(r.compiled == 1 && said == 0);
    CHILD(chmod(folder, 0500) == 0);
    r = compile_in(folder, source_of(1), c_target);
    CHILD(r.value == 1 && r.hits == 1 && said == 0); /* reading goes on */
    r = compile_in(folder, source_of(2), c_target);
    CHILD(r.value == 2 && r.compiled == 1 && said == 1);
    CHILD(strstr(last, "can't be kept"));
    chmod(folder, 0700);
}
static void test_read_only_folder(void **state) {
    (void)state;
    in_child(read_only, fresh_folder());
}

static void full_disk(const char *folder) {
    mkdir(folder, 0700);
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, "size=16k,mode=700") != 0)
        _exit(77);
    result r = compile_in(folder, source_of(1), c_target);
    CHILD(r.value == 1 && r.compiled == 1);
    r = compile_in(folder, source_of(2), c_target);
    CHILD(r.value == 2 && r.compiled == 1 && said >= 1);
    CHILD(strstr(last, "No space left"));
    DIR *stream = opendir(folder); /* nothing half-written stays */
    for (struct dirent *item; (item = readdir(stream));)
        CHILD(item->d_name[0] != '.' || !item->d_name[1] || item->d_name[1] == '.');
    closedir(stream);
}
static void test_full_disk(void **state) {
    (void)state;
    in_child(full_disk, fresh_folder());
}

static void no_execution(const char *folder) {
    mkdir(folder, 0700);
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", MS_NOEXEC, "size=1m,mode=700") != 0)
        _exit(77);
    result r = compile_in(folder, source_of(1), c_target);
    CHILD(r.value == 1 && r.compiled == 1);
    r = compile_in(folder, source_of(1), c_target);
    CHILD(r.value == 1 && r.hits == 1);
}
static void test_folder_mounted_noexec(void **state) {
    (void)state;
    in_child(no_execution, fresh_folder());
}

static void test_folder_removed_meanwhile(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    char name[300];
    kf__compiler *compiler;
    kf__object *object;
    assert_int_equal(kf__compiler_create(&kf__malloc, note, NULL, folder, &compiler, NULL), KF_OK);
    for (int i = 0; i < 2; i++) {
        const char *source = source_of(i);
        assert_int_equal(kf__compile(compiler, &c_target, source, strlen(source), "f", &object,
                                     NULL),
                         KF_OK);
        assert_int_equal(count_entries(folder, name), 1);
        unlink(joined(folder, name));
        assert_int_equal(rmdir(folder), 0);
    }
    assert_int_equal(said, 0);
    kf__compiler_free(compiler);
}

/* ---------------------------------------------------------------- size */

static void test_least_recently_used_goes(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    char name[300];
    setenv("KFUSE_CACHE_MAX", "64K", 1);
    expect(folder, 100, 1, 0);
    count_entries(folder, name);
    struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, joined(folder, name), old, 0), 0);
    expect(folder, 101, 1, 0);
    expect(folder, 100, 0, 1); /* used: now younger than 101 */
    for (int i = 0; i < 8; i++) {
        expect(folder, i, 1, 0);
        expect(folder, 100, 0, 1);
    }
    expect(folder, 7, 0, 1);
    expect(folder, 101, 1, 0);
    kf__compiler *compiler;
    kf__cache_info info;
    assert_int_equal(kf__compiler_create(&kf__malloc, note, NULL, folder, &compiler, NULL), KF_OK);
    kf__compiler_cache_info(compiler, &info);
    assert_null(info.trouble);
    assert_int_equal(info.limit, 65536);
    assert_true(info.bytes <= 65536 && info.bytes > 0);
    assert_int_equal(info.entries, count_entries(folder, NULL));
    kf__compiler_free(compiler);
}

static void test_limit_of_nothing(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    setenv("KFUSE_CACHE_MAX", "0", 1);
    expect(folder, 1, 1, 0);
    expect(folder, 1, 1, 0);
    assert_int_equal(count_entries(folder, NULL), 0);
    assert_int_equal(said, 0);
    setenv("KFUSE_CACHE_MAX", "lots", 1);
    expect(folder, 1, 1, 0);
    assert_int_equal(said, 1);
    assert_int_equal(count_entries(folder, NULL), 1);
}

static void test_parse_bytes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value; /* -1: not a size */
    } rows[] = {
        {"0", 0}, {"123", 123}, {"1K", 1024}, {"1k", 1024}, {"2M", 2 << 20}, {"1G", 1 << 30},
        {"3MiB", 3 << 20}, {"3MB", 3 << 20}, {"10B", 10}, {"1T", (int64_t)1 << 40},
        {"9000000000G", INT64_MAX}, {"", -1}, {"G", -1}, {"1X", -1}, {"-1", -1}, {"1GG", -1},
        {"1.5G", -1}, {"512 ", -1}, {"512 M", -1}, {"1\t", -1}, {"1 B", -1},
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        int64_t value = -1;
        if (!kf__parse_bytes(rows[i].text, &value)) value = -1;
        assert_int_equal(value, rows[i].value);
    }
}

static void test_clear(void **state) {
    (void)state;
    const char *folder = fresh_folder();
    kf__compiler *compiler;
    int64_t entries, bytes;
    for (int i = 0; i < 3; i++) expect(folder, i, 1, 0);
    write_file(joined(folder, "notes.txt"), "mine", 0600);
    write_file(joined(folder, ".kf-tmp-1-2-3"), "half", 0600);
    write_file(joined(folder, ".kf-tmp-1-2-4"), "half", 0600);
    struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, joined(folder, ".kf-tmp-1-2-3"), old, 0), 0);
    assert_int_equal(kf__compiler_create(&kf__malloc, note, NULL, folder, &compiler, NULL), KF_OK);
    assert_int_equal(kf__compiler_cache_clear(compiler, &entries, &bytes, NULL), KF_OK);
    assert_int_equal(entries, 3);
    assert_true(bytes > 3000);
    kf__compiler_free(compiler);
    assert_int_equal(count_entries(folder, NULL), 0);
    assert_int_equal(access(joined(folder, "notes.txt"), F_OK), 0);
    assert_int_not_equal(access(joined(folder, ".kf-tmp-1-2-3"), F_OK), 0);
    assert_int_equal(access(joined(folder, ".kf-tmp-1-2-4"), F_OK), 0); /* its writer may live */
}

/* ---------------------------------------------------------------- many writers */

static void test_many_processes(void **state) {
    (void)state;
    enum { PROCESSES = 4, SOURCES = 3 };
    const char *folder = fresh_folder();
    pid_t pids[PROCESSES];
    fflush(NULL);
    for (int p = 0; p < PROCESSES; p++) {
        pids[p] = fork();
        assert_true(pids[p] >= 0);
        if (pids[p]) continue;
        for (int i = 0; i < SOURCES; i++) {
            result r = compile_in(folder, source_of(i), c_target);
            if (r.status != KF_OK || r.value != i || said) _exit(1);
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_entries(folder, NULL), SOURCES);
    for (int i = 0; i < SOURCES; i++) expect(folder, i, 0, 1);
}

static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/kfuse-test-cache-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[2 * PATH];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

#define TEST(name) cmocka_unit_test_setup(name, clean_state)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_hit_from_another_process), TEST(test_target_is_part_of_the_key),
        TEST(test_folder_by_environment), TEST(test_hit_starts_no_process),
        TEST(test_changed_compiler), TEST(test_no_compiler),
        TEST(test_damaged_entries), TEST(test_foreign_entries), TEST(test_equal_hashes),
        TEST(test_folder_that_others_write), TEST(test_folder_of_another_user),
        TEST(test_said_once), TEST(test_read_only_folder), TEST(test_full_disk),
        TEST(test_folder_mounted_noexec), TEST(test_folder_removed_meanwhile),
        TEST(test_least_recently_used_goes), TEST(test_limit_of_nothing), TEST(test_parse_bytes),
        TEST(test_clear), TEST(test_many_processes),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
