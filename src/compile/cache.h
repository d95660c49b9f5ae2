/* The disk cache: a folder of entries that outlives the process.
 *
 * An entry is named by two hashes, of what must agree and of the compiler:
 *
 *     kf-<source, flags, architecture, version: 32 digits>-<compiler: 16 digits>.so | .cubin
 *
 *     | object: ELF or cubin | source | flags | compiler | architecture | version | trailer |
 *
 * and the trailer, of fixed size, has the lengths and a checksum of all before it. An ELF loader
 * doesn't mind what follows. The whole texts are compared, not only the hashes. Where the machine
 * has no compiler, an entry by any compiler serves.
 *
 * Entries are written beside and renamed, so a reader sees all or nothing, and opened once: owner,
 * mode and checksum are tested on the descriptor that the object is then loaded through. The folder
 * is opened once too and must be ours (or root's) and writable by nobody else; so must an entry.
 * Whatever fails here costs speed only and is said once. */
#ifndef KFUSE_COMPILE_CACHE_H
#define KFUSE_COMPILE_CACHE_H

#include "compile/compile.h"

typedef struct kf__cache kf__cache;

typedef struct kf__cache_key {
    const char *source;
    size_t n_source;
    const char *flags, *architecture;
    const char *compiler; /* identity; NULL: there is none on the machine */
    bool cubin;
} kf__cache_key;

/* An object in memory and, where fd isn't -1, in a file whose first n bytes it is. */
typedef struct kf__image {
    void *bytes; /* of the cache's allocator */
    size_t n;
    int fd;
} kf__image;

kf_status kf__cache_create(const kf_allocator *mem, kf__log log, void *log_user, const char *folder,
                           kf__cache **out, kf_error *err);
void kf__cache_free(kf__cache *cache);

/* False: no usable entry (a damaged one is as none). The caller closes out->fd and frees bytes. */
bool kf__cache_load(kf__cache *cache, const kf__cache_key *key, kf__image *out);
/* Write an entry; image->fd becomes a descriptor of it, or stays -1. */
void kf__cache_store(kf__cache *cache, const kf__cache_key *key, kf__image *image);

void kf__cache_info_get(kf__cache *cache, kf__cache_info *out);
kf_status kf__cache_clear(kf__cache *cache, int64_t *entries, int64_t *bytes, kf_error *err);

/* "512M" -> bytes; suffixes K M G T, with B or iB or not, in powers of 1024. */
bool kf__parse_bytes(const char *text, int64_t *out);

/* ---------------------------------------------------------------- folder.c: for cache.c only */

typedef struct kf__folder {
    const kf_allocator *mem;
    char *path;         /* NULL: the environment names none */
    char trouble[512];  /* why it isn't used; "": it is */
    int fd;             /* -1: not open */
} kf__folder;

bool kf__folder_init(kf__folder *folder, const kf_allocator *mem, const char *path);
bool kf__folder_open(kf__folder *folder); /* makes it, 0700; tests owner and mode */
void kf__folder_close(kf__folder *folder);

/* Names of entries: kf-...; everything else in the folder isn't ours to touch. */
bool kf__is_entry(const char *name);
/* Remove least recently used entries, and abandoned temporary files, until at most `most` bytes
 * stay. Returns the bytes left, and what it removed. */
int64_t kf__folder_shrink(kf__folder *folder, int64_t most, int64_t *entries, int64_t *removed,
                          int64_t *removed_bytes);

#endif
