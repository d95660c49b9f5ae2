/* See cc.h. gcc and clang know all of the flags and mean the same by them; the reason for one that
 * isn't plain stands beside it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/cc.h"

enum { MAX_ARGUMENTS = 64, MAX_MESSAGE = 4000, MAX_IMAGE = 1 << 28 };
enum { PATIENCE = 30 }; /* seconds until it is said that a compiler takes long */

/* ---------------------------------------------------------------- flags */

typedef enum flag_use {
    ALWAYS = 0,
    FULL = 1,     /* KF__TARGET_C */
    LIGHT = 2,    /* KF__TARGET_EMULATED */
    LEVEL_2 = 4,  /* from x86-64-v2 on */
    LEVEL_3 = 8,
    LEVEL_4 = 16,
    SHORT = 32, LONG = 64, /* sources */
} flag_use;

/* Some of gcc's passes at -O2 take four times as long for twice as much text: of 64 parts of an
 * array that are joined, each computed from others, 20 seconds for 5 at -O1. A long kernel is no
 * more than a few percent slower; usual ones have 10 to 40 KiB. */
enum { LONG_SOURCE = 64 << 10 };

static const struct flag {
    const char *text;
    int use;
} compiler_flags[] = {
    {"-std=c17", ALWAYS},
    /* As quick as -O3 on generated kernels, and compiled in two thirds of the time. */
    {"-O2", FULL | SHORT}, {"-O1", FULL | LONG}, {"-ftree-vectorize", FULL},
    {"-fpeel-loops", FULL},         /* lanes of known number stay in registers: short rows */
    {"-O0", LIGHT},                 /* a test runs it once: -O1 takes twice as long to compile */
    {"-w", ALWAYS},
    {"-fPIC", ALWAYS},
    {"-fvisibility=default", ALWAYS},
    {"-fopenmp-simd", ALWAYS},      /* `omp simd` without the runtime */
    {"-fno-math-errno", ALWAYS},    /* these two change no result, and let loops be vectorized */
    {"-fno-trapping-math", ALWAYS},
    {"-ffp-contract=off", ALWAYS},  /* fma only where the source says so */
    {"-fno-stack-protector", ALWAYS}, /* some distributions turn it on: it costs in small kernels */
    /* The levels by their features, not by -march=x86-64-vN, which gcc knows only since 11. */
    {"-msse3", LEVEL_2}, {"-mssse3", LEVEL_2}, {"-msse4.1", LEVEL_2}, {"-msse4.2", LEVEL_2},
    {"-mpopcnt", LEVEL_2}, {"-mcx16", LEVEL_2}, {"-msahf", LEVEL_2},
    {"-mavx", LEVEL_3}, {"-mavx2", LEVEL_3}, {"-mbmi", LEVEL_3}, {"-mbmi2", LEVEL_3},
    {"-mf16c", LEVEL_3}, {"-mfma", LEVEL_3}, {"-mlzcnt", LEVEL_3}, {"-mmovbe", LEVEL_3},
    {"-mxsave", LEVEL_3},
    {"-mavx512f", LEVEL_4}, {"-mavx512bw", LEVEL_4}, {"-mavx512cd", LEVEL_4},
    {"-mavx512dq", LEVEL_4}, {"-mavx512vl", LEVEL_4}, {"-mprefer-vector-width=512", LEVEL_4},
};

/* At link. Never -ffast-math nor -Ofast: gcc then links code that sets flush-to-zero in the thread
 * that loads the object. */
static const char *const link_flags[] = {
    "-shared",
    "-nostdlib", /* no start files: kernels have no constructors, and linking is 5 ms shorter */
    "-Wl,-Bsymbolic", /* a symbol of the host with a kernel's name doesn't replace the kernel */
};
static const char *const libraries[] = {"-Wl,--as-needed", "-lm", "-lgcc"};

static bool wanted(const struct flag *flag, const kf__compile_target *target, size_t n_source) {
    bool light = target->kind == KF__TARGET_EMULATED, is_long = n_source > LONG_SOURCE;
    if ((flag->use & SHORT && is_long) || (flag->use & LONG && !is_long)) return false;
    if ((flag->use & FULL && light) || (flag->use & LIGHT && !light)) return false;
    int level = flag->use & LEVEL_4 ? 4 : flag->use & LEVEL_3 ? 3 : flag->use & LEVEL_2 ? 2 : 0;
    return target->cpu_level >= level;
}

void kf__cc_flags(const kf__compile_target *target, size_t n_source, kf__text *out) {
    for (size_t i = 0; i < KF__COUNT(compiler_flags); i++) {
        const struct flag *flag = &compiler_flags[i];
        if (wanted(flag, target, n_source)) kf__print(out, "%s ", flag->text);
    }
    for (size_t i = 0; i < KF__COUNT(link_flags); i++) kf__print(out, "%s ", link_flags[i]);
    for (size_t i = 0; i < KF__COUNT(libraries); i++) kf__print(out, "%s ", libraries[i]);
}

/* ---------------------------------------------------------------- finding it */

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool kf__find_program(const char *name, char *path) {
    if (strchr(name, '/')) {
        int length = snprintf(path, KF__PATH_SIZE, "%s", name);
        return length < KF__PATH_SIZE && is_program(path);
    }
    const char *folders = secure_getenv("PATH");
    if (!folders) folders = "/usr/local/bin:/usr/bin:/bin";
    while (*folders) {
        size_t n = strcspn(folders, ":");
        /* Relative folders are left out: what they mean changes with the current one. */
        if (folders[0] == '/') {
            int length = snprintf(path, KF__PATH_SIZE, "%.*s/%s", (int)n, folders, name);
            if (length < KF__PATH_SIZE && is_program(path)) return true;
        }
        folders += n + (folders[n] == ':');
    }
    return false;
}

static bool find_path(char *path) {
    const char *chosen = secure_getenv("KFUSE_CC");
    if (chosen && *chosen) return kf__find_program(chosen, path);
    const char *usual = secure_getenv("CC");
    if (usual && *usual && !strpbrk(usual, " \t") && kf__find_program(usual, path)) return true;
    return kf__find_program("cc", path) || kf__find_program("gcc", path) ||
           kf__find_program("clang", path);
}

bool kf__cc_find(kf__cc *cc) {
    struct stat info;
    if (!find_path(cc->path) || stat(cc->path, &info) != 0) {
        cc->path[0] = cc->identity[0] = 0;
        return false;
    }
    snprintf(cc->identity, sizeof(cc->identity), "%s inode %llu size %lld mtime %lld.%09ld",
             cc->path, (unsigned long long)info.st_ino, (long long)info.st_size,
             (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    return true;
}

/* ---------------------------------------------------------------- running it */

/* One attempt with temporary files in `folder`; the compiler's words go to `messages`. */
static bool run_in(const kf__cc *cc, const kf_allocator *mem, const kf__compile_target *target,
                   const kf__watch *watch, int source, size_t n_source, const char *folder,
                   char *object, int messages, int *code) {
    char *argv[MAX_ARGUMENTS];
    size_t n = 0;
    argv[n++] = (char *)cc->path;
    for (size_t i = 0; i < KF__COUNT(compiler_flags); i++)
        if (wanted(&compiler_flags[i], target, n_source))
            argv[n++] = (char *)compiler_flags[i].text;
    for (size_t i = 0; i < KF__COUNT(link_flags); i++) argv[n++] = (char *)link_flags[i];
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = "-xc";
    argv[n++] = "-";
    argv[n++] = "-xnone";
    for (size_t i = 0; i < KF__COUNT(libraries); i++) argv[n++] = (char *)libraries[i];
    argv[n] = NULL;
    lseek(source, 0, SEEK_SET);
    return kf__run_process(mem, argv, folder, source, messages, watch, code);
}
_Static_assert(KF__COUNT(compiler_flags) + KF__COUNT(link_flags) + KF__COUNT(libraries) + 7 <=
                   MAX_ARGUMENTS,
               "argv is large enough");

static kf_status read_image(const char *path, const kf_allocator *mem, void **image, size_t *n,
                            kf_error *err) {
    struct stat info;
    char *bytes = NULL;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool fine = fd >= 0 && fstat(fd, &info) == 0 && info.st_size >= 64 && info.st_size < MAX_IMAGE;
    bool enough = true;
    if (fine) {
        bytes = kf__allocate(mem, (size_t)info.st_size);
        enough = bytes != NULL;
        fine = enough && kf__read_all(fd, bytes, (size_t)info.st_size) &&
               memcmp(bytes, "\177ELF", 4) == 0;
    }
    if (fd >= 0) close(fd);
    if (fine) {
        *image = bytes;
        *n = (size_t)info.st_size;
        return KF_OK;
    }
    kf__release(mem, bytes);
    if (!enough) return kf__out_of_memory(err);
    return kf__fail(err, KF_ERR_COMPILER, "the C compiler made no shared library");
}

/* What the compiler said, without what doesn't fit; ends with 0. */
static void read_messages(int fd, char *text, size_t size) {
    ssize_t n = pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = 0;
    for (char *end = strchr(text, 0); end > text && end[-1] == '\n';) *--end = 0;
}

static bool disk_trouble(const char *messages) {
    return strstr(messages, "No space left") || strstr(messages, "quota exceeded") ||
           strstr(messages, "Read-only file system");
}

static kf_status explain(const kf__cc *cc, int code, const char *label, const char *messages,
                         kf_error *err) {
    char how[64];
    if (code > 256)
        snprintf(how, sizeof(how), "was ended by signal %d%s", code - 256,
                 code == 256 + SIGKILL ? " (out of memory?)" : "");
    else
        snprintf(how, sizeof(how), "failed with exit code %d", code);
    return kf__fail(err, KF_ERR_COMPILER, "the C compiler %s %s on %s%s%s", cc->path, how, label,
                    *messages ? ":\n" : "", messages);
}

/* In one private folder. *again: another folder may do better. */
static kf_status attempt(const kf__cc *cc, const kf_allocator *mem,
                         const kf__compile_target *target, const kf__watch *watch, int source,
                         size_t n_source, const char *folder, const char *label, void **image,
                         size_t *n, bool *again, kf_error *err) {
    char object[KF__PATH_SIZE], messages[MAX_MESSAGE];
    snprintf(object, sizeof(object), "%.*s/kernel.so", KF__PATH_SIZE - 16, folder);
    int code = 0, output = kf__nameless_file("", 0);
    if (output < 0)
        return kf__fail(err, KF_ERR_IO, "no temporary file could be made: %s", strerror(errno));
    bool ran = run_in(cc, mem, target, watch, source, n_source, folder, object, output, &code);
    int reason = errno;
    read_messages(output, messages, sizeof(messages));
    close(output);
    kf_status status;
    if (!ran && reason == ENOMEM)
        status = kf__out_of_memory(err);
    else if (!ran)
        status = kf__fail(err, KF_ERR_COMPILER, "the C compiler %s couldn't be started: %s",
                          cc->path, strerror(reason));
    else if (code == KF__OUT_OF_TIME)
        status = kf__fail(err, KF_ERR_COMPILER,
                          "the C compiler %s was ended: it took more than the %d seconds of "
                          "KFUSE_CC_SECONDS for %s", cc->path, watch->limit, label);
    else if (code > 0)
        status = explain(cc, code, label, messages, err);
    else
        status = read_image(object, mem, image, n, err);
    *again = ran && code > 0 && disk_trouble(messages);
    return status;
}

typedef struct slow {
    const kf__cc *cc;
    const char *label;
    kf__log log;
    void *log_user;
} slow;

static void say_waiting(void *user, int seconds) {
    const slow *s = user;
    char line[KF__PATH_SIZE + 256];
    snprintf(line, sizeof(line), "the C compiler %s has taken %d seconds for %s so far%s",
             s->cc->path, seconds, s->label,
             secure_getenv("KFUSE_CC_SECONDS") ? "" : "; KFUSE_CC_SECONDS sets a limit");
    if (s->log) s->log(s->log_user, line);
}

/* $KFUSE_CC_SECONDS; 0 or not set: no limit. */
static kf_status seconds_allowed(int *out, kf_error *err) {
    const char *text = secure_getenv("KFUSE_CC_SECONDS");
    int64_t seconds = 0;
    if (text && *text && (!kf__parse_int(text, strlen(text), &seconds) || seconds < 0))
        return kf__fail(err, KF_ERR_ARGUMENT, "KFUSE_CC_SECONDS is a whole number of seconds, 0: "
                                              "no limit; it is \"%.40s\"", text);
    *out = (int)kf__min(seconds, INT_MAX);
    return KF_OK;
}

kf_status kf__cc_run(const kf__cc *cc, const kf_allocator *mem, kf__log log, void *log_user,
                     const kf__compile_target *target, const char *source, size_t n_source,
                     const char *label, void **image, size_t *n, kf_error *err) {
    slow watched = {cc, label, log, log_user};
    kf__watch watch = {.patience = PATIENCE, .waiting = say_waiting, .user = &watched};
    KF_TRY(seconds_allowed(&watch.limit, err));
    int input = kf__nameless_file(source, n_source);
    if (input < 0)
        return kf__fail(err, KF_ERR_IO, "the source couldn't be written to a temporary file: %s",
                        strerror(errno));
    char folder[KF__PATH_SIZE];
    kf_error failure = {0};
    kf_status status = KF_ERR_IO;
    bool again = true;
    for (int i = 0; again && kf__make_private_folder(&i, folder); i++) {
        kf__error_clear(&failure);
        status = attempt(cc, mem, target, &watch, input, n_source, folder, label, image, n, &again,
                         &failure);
        kf__remove_folder(folder);
    }
    close(input);
    if (status == KF_OK) return KF_OK;
    if (failure.status == KF_OK)
        return kf__fail(err, KF_ERR_IO,
                        "the C compiler needs room for temporary files: no folder with 4 MB free "
                        "was found among $TMPDIR, /tmp, /var/tmp and /dev/shm");
    return kf__fail(err, status, "%s", failure.message);
}

void kf__cc_version(const kf__cc *cc, const kf_allocator *mem, char *line, size_t size) {
    line[0] = 0;
    int input = kf__nameless_file("", 0), output = kf__nameless_file("", 0), code;
    char *argv[] = {(char *)cc->path, "--version", NULL};
    if (input >= 0 && output >= 0 && kf__run_process(mem, argv, "/tmp", input, output, NULL, &code))
        read_messages(output, line, size);
    line[strcspn(line, "\n")] = 0;
    if (input >= 0) close(input);
    if (output >= 0) close(output);
}
