/* Entries of the disk cache: naming, reading and testing, writing. See cache.h. */
#include "compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "compile/process.h"

enum { NAME_SIZE = 72, PREFIX = 36, /* "kf-", 32 digits, "-" */ PARTS = 6 };
#define DEFAULT_LIMIT ((int64_t)1 << 30)
#define MOST_BYTES ((off_t)1 << 30)

typedef struct trailer {
    uint64_t length[PARTS]; /* object, source, flags, compiler, architecture, version */
    uint64_t checksum[2];   /* of all bytes before this field */
    char magic[16];
} trailer;
static const char magic[16] = "kfuse entry 1\r\n";
#define CHECKED offsetof(trailer, checksum) /* bytes of the trailer under the checksum */

struct kf__cache {
    const kf_allocator *mem;
    kf__log log;
    void *log_user;
    pthread_mutex_t lock; /* of all below */
    kf__folder folder;
    int64_t limit;
    int64_t total; /* bytes in the folder as last counted, plus what we wrote; -1: not counted */
    uint64_t serial; /* of temporary files */
    bool said;
};

/* ---------------------------------------------------------------- life */

bool kf__parse_bytes(const char *text, int64_t *out) {
    size_t digits = strspn(text, "0123456789");
    if (!digits || !kf__parse_int(text, digits, out)) return false;
    static const char units[] = "KMGT";
    const char *rest = text + digits;
    const char *unit = *rest >= 'A' ? strchr(units, *rest & ~0x20) : NULL; /* a space isn't one */
    if (unit) {
        rest++;
        if (!kf__mul_ok(*out, (int64_t)1 << (10 * (unit - units + 1)), out)) *out = INT64_MAX;
        if (*rest == 'i') rest++;
    }
    return !*rest || strcmp(rest, "B") == 0;
}

static void say(kf__cache *cache, const char *format, ...) KF__PRINTF(2, 3);
static void say(kf__cache *cache, const char *format, ...) {
    char line[1024];
    if (cache->said || !cache->log) return;
    cache->said = true;
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof(line), format, values);
    va_end(values);
    cache->log(cache->log_user, line);
}

kf_status kf__cache_create(const kf_allocator *mem, kf__log log, void *log_user, const char *folder,
                           kf__cache **out, kf_error *err) {
    kf__cache *cache = kf__allocate(mem, sizeof(*cache));
    if (!cache) return kf__out_of_memory(err);
    *cache = (kf__cache){.mem = mem, .log = log, .log_user = log_user, .total = -1};
    cache->limit = DEFAULT_LIMIT;
    const char *limit = getenv("KFUSE_CACHE_MAX");
    if (limit && *limit && !kf__parse_bytes(limit, &cache->limit)) {
        cache->limit = DEFAULT_LIMIT;
        if (log) log(log_user, "KFUSE_CACHE_MAX isn't a size such as 512M: 1G is used");
    }
    if (!kf__folder_init(&cache->folder, mem, folder) || pthread_mutex_init(&cache->lock, NULL)) {
        kf__release(mem, cache->folder.path);
        kf__release(mem, cache);
        return kf__out_of_memory(err);
    }
    *out = cache;
    return KF_OK;
}

void kf__cache_free(kf__cache *cache) {
    if (!cache) return;
    kf__folder_close(&cache->folder);
    pthread_mutex_destroy(&cache->lock);
    kf__release(cache->mem, cache->folder.path);
    kf__release(cache->mem, cache);
}

/* The lock is held. A descriptor of the folder, or -1. */
static int folder_of(kf__cache *cache) {
    if (cache->limit == 0) return -1;
    if (kf__folder_open(&cache->folder)) return cache->folder.fd;
    const char *path = cache->folder.path ? cache->folder.path : "";
    say(cache, "the kernel cache%s%s isn't used, so each process compiles anew: %s",
        *path ? " " : "", path, cache->folder.trouble);
    return -1;
}

/* ---------------------------------------------------------------- names */

typedef struct part {
    const void *at;
    size_t n;
} part;

/* What follows the object, in its order in the file. */
static void parts_of(const kf__cache_key *key, part parts[PARTS]) {
    const char *compiler = key->compiler ? key->compiler : "";
    parts[1] = (part){key->source, key->n_source};
    parts[2] = (part){key->flags, strlen(key->flags)};
    parts[3] = (part){compiler, strlen(compiler)};
    parts[4] = (part){key->architecture, strlen(key->architecture)};
    parts[5] = (part){KF_VERSION, strlen(KF_VERSION)};
}

static void name_of(const kf__cache_key *key, char name[NAME_SIZE]) {
    part parts[PARTS];
    parts_of(key, parts);
    uint64_t hash[2] = {1, 2};
    for (int i = 1; i < PARTS; i++)
        if (i != 3)
            for (int k = 0; k < 2; k++) hash[k] = kf__hash(parts[i].at, parts[i].n, hash[k]);
    snprintf(name, NAME_SIZE, "kf-%016llx%016llx-%016llx%s", (unsigned long long)hash[0],
             (unsigned long long)hash[1],
             (unsigned long long)kf__hash(parts[3].at, parts[3].n, 3),
             key->cubin ? ".cubin" : ".so");
}

/* ---------------------------------------------------------------- reading */

static void checksum(const void *bytes, size_t n, uint64_t sum[2]) {
    sum[0] = kf__hash(bytes, n, 0x6b66);
    sum[1] = kf__hash(bytes, n, 0x75736521);
}

/* Whether the n bytes are an undamaged entry for this very key. */
static bool matches(const unsigned char *bytes, size_t n, const kf__cache_key *key,
                    size_t *n_object) {
    trailer end;
    uint64_t sum[2];
    memcpy(&end, bytes + n - sizeof(end), sizeof(end));
    checksum(bytes, n - sizeof(end) + CHECKED, sum);
    if (memcmp(end.magic, magic, sizeof(magic)) || memcmp(end.checksum, sum, sizeof(sum)))
        return false;
    part parts[PARTS];
    parts_of(key, parts);
    size_t at = 0, left = n - sizeof(end);
    for (int i = 0; i < PARTS; i++) {
        if (end.length[i] > left) return false;
        size_t length = (size_t)end.length[i];
        bool free_choice = i == 0 || (i == 3 && !key->compiler);
        if (!free_choice && (length != parts[i].n || memcmp(bytes + at, parts[i].at, length) != 0))
            return false;
        at += length;
        left -= length;
    }
    *n_object = (size_t)end.length[0];
    return left == 0;
}

static bool trusted(const struct stat *info) {
    return S_ISREG(info->st_mode) && (info->st_uid == geteuid() || info->st_uid == 0) &&
           !(info->st_mode & (S_IWGRP | S_IWOTH)) && info->st_size > (off_t)sizeof(trailer) &&
           info->st_size <= MOST_BYTES;
}

static bool load_named(kf__cache *cache, int folder, const char *name, const kf__cache_key *key,
                       kf__image *out) {
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    if (fstat(fd, &info) == 0 && trusted(&info)) {
        size_t n = (size_t)info.st_size, n_object;
        unsigned char *bytes = kf__allocate(cache->mem, n);
        if (bytes && kf__read_all(fd, bytes, n) && matches(bytes, n, key, &n_object)) {
            futimens(fd, NULL); /* used now */
            *out = (kf__image){bytes, n_object, fd};
            return true;
        }
        kf__release(cache->mem, bytes);
    }
    close(fd);
    return false;
}

/* Without a compiler its identity is unknown: try every entry that agrees in all else. */
static bool load_any(kf__cache *cache, int folder, const char *name, const kf__cache_key *key,
                     kf__image *out) {
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        if (fd >= 0) close(fd);
        return false;
    }
    bool found = false;
    for (struct dirent *item; !found && (item = readdir(stream));)
        found = strncmp(item->d_name, name, PREFIX) == 0 && kf__is_entry(item->d_name) &&
                load_named(cache, folder, item->d_name, key, out);
    closedir(stream);
    return found;
}

bool kf__cache_load(kf__cache *cache, const kf__cache_key *key, kf__image *out) {
    char name[NAME_SIZE];
    name_of(key, name);
    pthread_mutex_lock(&cache->lock);
    int folder = folder_of(cache);
    bool found = false;
    if (folder >= 0)
        found = key->compiler ? load_named(cache, folder, name, key, out)
                              : load_any(cache, folder, name, key, out);
    pthread_mutex_unlock(&cache->lock);
    return found;
}

/* ---------------------------------------------------------------- writing */

/* The whole entry in one buffer of mem; NULL: out of memory. */
static unsigned char *lay_out(const kf_allocator *mem, const kf__cache_key *key,
                              const kf__image *image, size_t *n) {
    part parts[PARTS] = {{image->bytes, image->n}};
    parts_of(key, parts);
    trailer end = {.length = {0}};
    size_t total = sizeof(end), at = 0;
    for (int i = 0; i < PARTS; i++) total += parts[i].n;
    unsigned char *bytes = kf__allocate(mem, total);
    if (!bytes) return NULL;
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].n) memcpy(bytes + at, parts[i].at, parts[i].n);
        end.length[i] = parts[i].n;
        at += parts[i].n;
    }
    memcpy(end.magic, magic, sizeof(magic));
    memcpy(bytes + at, &end, sizeof(end));
    checksum(bytes, at + CHECKED, end.checksum);
    memcpy(bytes + at, &end, sizeof(end));
    *n = total;
    return bytes;
}

/* Write beside, then rename. The new file's descriptor, or -1 with errno. */
static int write_entry(kf__cache *cache, int folder, const char *name, const void *bytes,
                       size_t n) {
    char beside[NAME_SIZE];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(beside, sizeof(beside), ".kf-tmp-%ld-%llx-%llx", (long)getpid(),
             (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec,
             (unsigned long long)cache->serial++);
    int fd = openat(folder, beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    if (kf__write_all(fd, bytes, n) && renameat(folder, beside, folder, name) == 0) return fd;
    int reason = errno;
    unlinkat(folder, beside, 0);
    close(fd);
    errno = reason;
    return -1;
}

/* The lock is held. Make room for n more bytes; counts the folder once, then only adds up. */
static bool make_room(kf__cache *cache, int64_t n) {
    if (n > cache->limit) return false;
    if (cache->total < 0 || cache->total + n > cache->limit) {
        int64_t most = cache->limit - n;
        int64_t total = kf__folder_shrink(&cache->folder, INT64_MAX, NULL, NULL, NULL);
        if (total > most) /* some more than needed, or each write would look through the folder */
            total = kf__folder_shrink(&cache->folder, most - most / 16, NULL, NULL, NULL);
        cache->total = total;
    }
    return cache->total + n <= cache->limit;
}

static int64_t on_disk(size_t n) { return ((int64_t)n + 4095) / 4096 * 4096; }

void kf__cache_store(kf__cache *cache, const kf__cache_key *key, kf__image *image) {
    char name[NAME_SIZE];
    size_t n;
    unsigned char *bytes = lay_out(cache->mem, key, image, &n);
    if (!bytes) return;
    name_of(key, name);
    pthread_mutex_lock(&cache->lock);
    int fd = -1, folder = folder_of(cache);
    if (folder >= 0 && make_room(cache, on_disk(n))) {
        fd = write_entry(cache, folder, name, bytes, n);
        if (fd < 0 && errno == ENOENT) { /* the folder was removed meanwhile: make it anew */
            kf__folder_close(&cache->folder);
            if ((folder = folder_of(cache)) >= 0)
                fd = write_entry(cache, folder, name, bytes, n);
        }
        if (fd >= 0)
            cache->total += on_disk(n);
        else if (folder >= 0)
            say(cache, "kernels can't be kept in the cache %s, so each process compiles anew: %s",
                cache->folder.path, strerror(errno));
    }
    pthread_mutex_unlock(&cache->lock);
    image->fd = fd;
    kf__release(cache->mem, bytes);
}

/* ---------------------------------------------------------------- for the command */

void kf__cache_info_get(kf__cache *cache, kf__cache_info *out) {
    pthread_mutex_lock(&cache->lock);
    *out = (kf__cache_info){.folder = cache->folder.path, .limit = cache->limit};
    if (cache->limit == 0)
        out->trouble = "KFUSE_CACHE_MAX is 0";
    else if (!kf__folder_open(&cache->folder))
        out->trouble = cache->folder.trouble;
    else
        out->bytes =
            kf__folder_shrink(&cache->folder, INT64_MAX, &out->entries, NULL, NULL);
    pthread_mutex_unlock(&cache->lock);
}

kf_status kf__cache_clear(kf__cache *cache, int64_t *entries, int64_t *bytes, kf_error *err) {
    kf_status status = KF_OK;
    int64_t left = 0;
    *entries = *bytes = 0;
    pthread_mutex_lock(&cache->lock);
    if (!kf__folder_open(&cache->folder))
        status = kf__fail(err, KF_ERR_IO, "the kernel cache %s isn't used: %s",
                          cache->folder.path ? cache->folder.path : "", cache->folder.trouble);
    else if ((cache->total = kf__folder_shrink(&cache->folder, -1, &left, entries, bytes)) > 0)
        status = kf__fail(err, KF_ERR_IO, "%lld entries of %s couldn't be removed",
                          (long long)left, cache->folder.path);
    pthread_mutex_unlock(&cache->lock);
    return status;
}
