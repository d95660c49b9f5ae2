/* The folder that the disk cache lives in: which one it is, whether it can be trusted, and keeping
 * it below its limit. See cache.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/cache.h"

enum { ABANDONED_SECONDS = 3600 };

/* ---------------------------------------------------------------- which one, and its trust */

static char *join(const kf_allocator *mem, const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 1;
    char *path = kf__allocate(mem, size);
    if (path) snprintf(path, size, "%s%s", a, b);
    return path;
}

bool kf__folder_init(kf__folder *folder, const kf_allocator *mem, const char *path) {
    *folder = (kf__folder){.mem = mem, .fd = -1};
    const char *own = secure_getenv("KFUSE_CACHE_DIR");
    const char *xdg = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    if (!path && own && *own) path = own;
    if (path)
        folder->path = join(mem, path, "");
    else if (xdg && xdg[0] == '/')
        folder->path = join(mem, xdg, "/kfuse");
    else if (home && home[0] == '/')
        folder->path = join(mem, home, "/.cache/kfuse");
    else
        return true;
    return folder->path != NULL;
}

void kf__folder_close(kf__folder *folder) {
    if (folder->fd >= 0) close(folder->fd);
    folder->fd = -1;
}

/* As mkdir -p; parents that are missing are made 0700 too. */
static bool make_folder(char *path) {
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at) continue;
        char kept = *at;
        *at = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = kept;
        if (!kept) return made; /* a parent that can't be made or seen may still be there */
    }
}

static bool trust(kf__folder *folder) {
    struct stat info;
    if (fstat(folder->fd, &info) != 0) {
        snprintf(folder->trouble, sizeof(folder->trouble), "%s", strerror(errno));
        return false;
    }
    if (info.st_uid != geteuid() && info.st_uid != 0)
        snprintf(folder->trouble, sizeof(folder->trouble),
                 "it belongs to another user (uid %ld); set KFUSE_CACHE_DIR to a folder of yours",
                 (long)info.st_uid);
    else if (info.st_mode & (S_IWGRP | S_IWOTH))
        snprintf(folder->trouble, sizeof(folder->trouble),
                 "others can write it (mode %04o); chmod 700 it, or set KFUSE_CACHE_DIR",
                 (unsigned)info.st_mode & 07777);
    return !folder->trouble[0];
}

bool kf__folder_open(kf__folder *folder) {
    if (folder->fd >= 0) return true;
    folder->trouble[0] = 0;
    if (!folder->path || !*folder->path) {
        snprintf(folder->trouble, sizeof(folder->trouble),
                 "neither KFUSE_CACHE_DIR nor XDG_CACHE_HOME nor HOME names a folder");
        return false;
    }
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0 && errno == ENOENT && make_folder(folder->path))
        folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0) {
        snprintf(folder->trouble, sizeof(folder->trouble), "%s", strerror(errno));
        return false;
    }
    if (trust(folder)) return true;
    kf__folder_close(folder);
    return false;
}

/* ---------------------------------------------------------------- what is in it */

typedef struct entry {
    char name[72];
    int64_t size;
    struct timespec used;
} entry;

bool kf__is_entry(const char *name) {
    if (strncmp(name, "kf-", 3) != 0 || strspn(name + 3, "0123456789abcdef") != 32) return false;
    if (name[35] != '-' || strspn(name + 36, "0123456789abcdef") != 16) return false;
    return strcmp(name + 52, ".so") == 0 || strcmp(name + 52, ".cubin") == 0;
}

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* A temporary file of ours whose writer must be gone. */
static void remove_abandoned(int folder, const char *name) {
    struct stat info;
    if (strncmp(name, ".kf-tmp-", 8) != 0) return;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        info.st_mtim.tv_sec + ABANDONED_SECONDS < time(NULL))
        unlinkat(folder, name, 0);
}

/* All that fit into memory: with too little of it fewer are seen, and fewer removed. */
static entry *list(kf__folder *folder, size_t *n) {
    KF__VEC(entry) found = {0};
    *n = 0;
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        if (fd >= 0) close(fd);
        return NULL;
    }
    for (struct dirent *item; (item = readdir(stream));) {
        struct stat info;
        remove_abandoned(folder->fd, item->d_name);
        if (!kf__is_entry(item->d_name) ||
            fstatat(folder->fd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        entry one = {.size = (int64_t)info.st_blocks * 512, .used = info.st_mtim};
        if (one.size < info.st_size) one.size = info.st_size;
        memcpy(one.name, item->d_name, strlen(item->d_name) + 1); /* fits: kf__is_entry */
        if (!KF__PUSH(folder->mem, &found, one)) break;
    }
    closedir(stream);
    *n = found.n;
    return found.at;
}

int64_t kf__folder_shrink(kf__folder *folder, int64_t most, int64_t *entries, int64_t *removed,
                          int64_t *removed_bytes) {
    size_t n;
    entry *all = list(folder, &n);
    int64_t total = 0, gone = 0, gone_bytes = 0;
    for (size_t i = 0; i < n; i++) total += all[i].size;
    if (total > most) qsort(all, n, sizeof(*all), by_use);
    for (size_t i = 0; i < n && total - gone_bytes > most; i++) {
        if (unlinkat(folder->fd, all[i].name, 0) != 0 && errno != ENOENT) continue;
        gone++;
        gone_bytes += all[i].size;
    }
    kf__release(folder->mem, all);
    if (entries) *entries = (int64_t)n - gone;
    if (removed) *removed = gone;
    if (removed_bytes) *removed_bytes = gone_bytes;
    return total - gone_bytes;
}
