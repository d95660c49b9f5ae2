/* See process.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compile/process.h"

extern char **environ;

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3: wanted where vm.memfd_noexec is set, since we load objects */
#endif

/* ---------------------------------------------------------------- files */

bool kf__write_all(int fd, const void *bytes, size_t n) {
    const char *at = bytes;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

bool kf__read_all(int fd, void *bytes, size_t n) {
    char *at = bytes;
    off_t offset = 0;
    while (n) {
        ssize_t done = pread(fd, at, n, offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        n -= (size_t)done;
        offset += done;
    }
    return true;
}

static int removed_file(void) {
    char path[KF__PATH_SIZE];
    for (int i = 0; kf__temporary_folder(i); i++) {
        int length = snprintf(path, sizeof(path), "%s/kfuse-XXXXXX", kf__temporary_folder(i));
        if (length >= (int)sizeof(path)) continue;
        int fd = mkostemp(path, O_CLOEXEC);
        if (fd < 0) continue;
        unlink(path);
        return fd;
    }
    return -1;
}

int kf__nameless_file(const void *bytes, size_t n) {
    int fd = memfd_create("kfuse", MFD_CLOEXEC | MFD_EXEC);
    if (fd < 0) fd = memfd_create("kfuse", MFD_CLOEXEC);
    if (fd < 0) fd = removed_file();
    if (fd >= 0 && fd <= 2) { /* the host closed its own: a child's stdin to stderr go there */
        int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        close(fd);
        fd = above;
    }
    if (fd < 0) return -1;
    if (kf__write_all(fd, bytes, n) && lseek(fd, 0, SEEK_SET) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* ---------------------------------------------------------------- temporary folders */

const char *kf__temporary_folder(int i) {
    static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm", NULL};
    const char *chosen = secure_getenv("TMPDIR");
    if (chosen && chosen[0] != '/') chosen = NULL;
    if (!chosen) return folders[i];
    return i == 0 ? chosen : folders[i - 1];
}

bool kf__make_private_folder(int *i, char *path) {
    enum { NEEDED = 4 << 20 }; /* bytes: assembly, object and library of a large kernel */
    for (const char *folder; (folder = kf__temporary_folder(*i)); ++*i) {
        struct statvfs space;
        if (statvfs(folder, &space) || (double)space.f_bavail * (double)space.f_frsize < NEEDED)
            continue;
        int length = snprintf(path, KF__PATH_SIZE, "%s/kfuse-%ld-XXXXXX", folder, (long)getpid());
        if (length < KF__PATH_SIZE - 64 && mkdtemp(path)) return true;
    }
    return false;
}

void kf__remove_folder(const char *path) {
    DIR *folder = opendir(path);
    if (folder) {
        for (struct dirent *entry; (entry = readdir(folder));)
            unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
    }
    rmdir(path);
}

/* ---------------------------------------------------------------- in a signal's handler */

/* As the kernel gives them: readdir may not be called by a handler. */
typedef struct item {
    uint64_t inode;
    int64_t offset;
    uint16_t size; /* of this record */
    uint8_t type;
    char name[];
} item;

/* Calls `each` with all names in the folder that begin with `start`. */
static void for_names(int folder, const char *start, void (*each)(int folder, const char *name)) {
    _Alignas(item) char buffer[4096];
    long n;
    while ((n = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0)
        for (long at = 0; at < n; at += ((const item *)(buffer + at))->size) {
            const char *name = ((const item *)(buffer + at))->name;
            if (strncmp(name, start, strlen(start)) == 0) each(folder, name);
        }
}

static void remove_name(int folder, const char *name) {
    unlinkat(folder, name, 0);
}

static void remove_private(int folder, const char *name) {
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return;
    for_names(inner, "", remove_name);
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void kf__remove_private_folders(void) {
    char start[40] = "kfuse-", digits[24];
    size_t n = 0, at = strlen(start);
    for (long pid = (long)getpid(); pid > 0; pid /= 10) digits[n++] = (char)('0' + pid % 10);
    while (n > 0) start[at++] = digits[--n];
    start[at] = '-';
    for (int i = 0; kf__temporary_folder(i); i++) {
        int folder = open(kf__temporary_folder(i), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0) continue;
        for_names(folder, start, remove_private);
        close(folder);
    }
}

/* ---------------------------------------------------------------- processes */

static char **environment_with(const kf_allocator *mem, const char *tmpdir) {
    size_t n = 0, length = strlen("TMPDIR=") + strlen(tmpdir) + 1;
    while (environ[n]) n++;
    char **copy = kf__allocate(mem, (n + 2) * sizeof(*copy) + length);
    if (!copy) return NULL;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) copy[kept++] = environ[i];
    char *setting = (char *)(copy + n + 2);
    snprintf(setting, length, "TMPDIR=%s", tmpdir);
    copy[kept++] = setting;
    copy[kept] = NULL;
    return copy;
}

/* The groups of children that run. Of the process, as its signals are: their handlers read it. */
enum { MOST_GROUPS = 64 };
static _Atomic pid_t groups[MOST_GROUPS];

static void replace_group(pid_t from, pid_t to) {
    for (int i = 0; i < MOST_GROUPS; i++) {
        pid_t expected = from;
        if (atomic_compare_exchange_strong(&groups[i], &expected, to)) return;
    }
}

void kf__end_processes(void) {
    for (int i = 0; i < MOST_GROUPS; i++) {
        pid_t group = atomic_load(&groups[i]);
        if (group > 0) kill(-group, SIGKILL);
    }
}

/* The child must see SIGCHLD and SIGPIPE as usual and block nothing, whatever the host does. */
static int set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    int code = posix_spawnattr_setsigmask(attributes, &none);
    if (!code) code = posix_spawnattr_setsigdefault(attributes, &usual);
    if (!code)
        code = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                        POSIX_SPAWN_SETPGROUP);
    return code;
}

/* In a group of its own, of its pid: `cc` is ended with the `cc1` that it started. */
static int spawn(pid_t *pid, char *const *argv, char **environment, int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code) {
        code = set_signals(&attributes);
        if (!code) code = posix_spawn_file_actions_adddup2(&actions, input, 0);
        if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 1);
        if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 2);
        if (!code) code = posix_spawn(pid, argv[0], &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* True: it has ended, *got is what waitpid gave. A kernel without descriptors of processes is asked
 * fifty times a second. */
static bool wait_watching(pid_t pid, const kf__watch *watch, int *status, pid_t *got) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0), next = watch->patience;
    struct pollfd fd = {.fd = process, .events = POLLIN};
    double start = seconds_now(), past = 0;
    while (*got == 0 && !(watch->limit && past >= watch->limit)) {
        poll(&fd, process >= 0, process >= 0 ? 1000 : 20);
        *got = waitpid(pid, status, WNOHANG);
        past = seconds_now() - start;
        if (*got != 0 || past < next) continue;
        watch->waiting(watch->user, next);
        next = next < INT_MAX / 2 ? next * 2 : INT_MAX;
    }
    if (process >= 0) close(process);
    return *got != 0;
}

/* What we end if we are there to. If this process is killed first, the system ends what a child
 * starts once it has computed for longer. */
static void limit_time(pid_t pid, int seconds) {
    rlim_t most = (rlim_t)seconds + 2;
    prlimit(pid, RLIMIT_CPU, &(struct rlimit){most, most}, NULL);
}

bool kf__run_process(const kf_allocator *mem, char *const *argv, const char *tmpdir, int input,
                     int output, const kf__watch *watch, int *code) {
    char **environment = environment_with(mem, tmpdir);
    if (!environment) {
        errno = ENOMEM;
        return false;
    }
    pid_t pid = 0;
    int trouble = spawn(&pid, argv, environment, input, output);
    kf__release(mem, environment);
    if (trouble) {
        errno = trouble;
        return false;
    }
    replace_group(0, pid);
    if (watch && watch->limit) limit_time(pid, watch->limit);
    int status = 0;
    pid_t got = 0;
    bool ended = !watch || wait_watching(pid, watch, &status, &got);
    if (!ended) kill(-pid, SIGKILL);
    while (got == 0 || (got < 0 && errno == EINTR)) got = waitpid(pid, &status, 0);
    replace_group(pid, 0);
    if (!ended)
        *code = KF__OUT_OF_TIME;
    else if (got < 0)
        *code = -1;
    else
        *code = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
    return true;
}
