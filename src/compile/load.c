/* See load.h.
 *
 * A library is opened as /proc/self/fd/N, so that what is loaded is what was tested. The loader,
 * though, takes two names that are equal for the same library, and descriptors' numbers come again.
 * So the name spells the content's hash: "./" for a zero and ".//" for a one between fd/ and N,
 * which mean nothing to the system. Equal content under an equal name is then as it should be. */
#include "compile/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "compile/process.h"

enum { HASH_BITS = 128, NAME_SIZE = 64 + 3 * HASH_BITS };

static void name_of(const kf__image *image, int fd, char name[NAME_SIZE]) {
    uint64_t hash[2] = {kf__hash(image->bytes, image->n, 4), kf__hash(image->bytes, image->n, 5)};
    char *at = name + snprintf(name, NAME_SIZE, "/proc/self/fd/");
    for (int i = 0; i < HASH_BITS; i++) {
        bool one = hash[i / 64] >> (i % 64) & 1;
        *at++ = '.';
        *at++ = '/';
        if (one) *at++ = '/';
    }
    snprintf(at, 32, "%d", fd);
}

static void *load_descriptor(const kf__image *image, int fd) {
    char name[NAME_SIZE];
    name_of(image, fd, name);
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static void *load_memory(const kf__image *image) {
    int fd = kf__nameless_file(image->bytes, image->n);
    if (fd < 0) return NULL;
    void *handle = load_descriptor(image, fd);
    close(fd);
    return handle;
}

/* Where there is no /proc: a file in a folder that only we can write. */
static void *load_file(const kf__image *image) {
    char path[KF__PATH_SIZE], file[KF__PATH_SIZE + 32];
    void *handle = NULL;
    for (int i = 0; !handle && kf__make_private_folder(&i, path); i++) {
        snprintf(file, sizeof(file), "%s/kernel.so", path);
        int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        bool written = fd >= 0 && kf__write_all(fd, image->bytes, image->n);
        if (fd >= 0) close(fd);
        if (written) handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        kf__remove_folder(path);
    }
    return handle;
}

kf_status kf__load_library(const kf__image *image, void **handle, kf_error *err) {
    char why[400] = "no temporary file could be made";
    *handle = image->fd >= 0 ? load_descriptor(image, image->fd) : NULL;
    if (!*handle) *handle = load_memory(image); /* a cache on a disk mounted noexec comes here */
    if (!*handle) {
        const char *text = dlerror();
        if (text) snprintf(why, sizeof(why), "%s", text);
        *handle = load_file(image);
    }
    if (*handle) return KF_OK;
    /* The loader's sentence begins with the spelled name, which nobody wants to read. */
    const char *sentence = strstr(why, ": ");
    return kf__fail(err, KF_ERR_COMPILER,
                    "the compiled library can't be loaded: %s (a compiler for this machine is "
                    "needed: see KFUSE_CC)", sentence ? sentence + 2 : why);
}
