/* Writing .npy files: version 1.0, C order, elements aligned to 64 bytes.
 *
 * All is written to a new file beside the old one, which it replaces by a rename: who reads the old
 * one meanwhile, or runs out of disk, loses nothing. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "npy.h"
#include "target.h"

enum { ALIGNMENT = 64, BLOCK = 1 << 20 };

/* Small writes collected into blocks. */
typedef struct sink {
    int fd;
    bool failed; /* errno at that time in `code` */
    int code;
    size_t used;
    char *block; /* [BLOCK] */
} sink;

static void write_bytes(sink *s, const char *from, size_t n) {
    while (n > 0 && !s->failed) {
        ssize_t w = write(s->fd, from, n < (1u << 30) ? n : 1u << 30);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) {
            s->failed = true;
            s->code = w < 0 ? errno : EIO;
            return;
        }
        from += w;
        n -= (size_t)w;
    }
}

static void flush(sink *s) {
    write_bytes(s, s->block, s->used);
    s->used = 0;
}

static void put(sink *s, const void *from, size_t n) {
    if (n > BLOCK - s->used) flush(s);
    if (n >= BLOCK) {
        write_bytes(s, from, n);
        return;
    }
    memcpy(s->block + s->used, from, n);
    s->used += n;
}

/* Dimension d and those inside it, whose elements are `at` and on. */
static void put_dimension(sink *s, const kf_array *a, int d, size_t item, const char *at) {
    int64_t n = d < a->ndim ? a->shape[d] : 1, stride = d < a->ndim ? a->strides[d] : 0;
    for (int64_t i = 0; i < n && !s->failed; i++) {
        const char *element = at + i * stride * (int64_t)item;
        if (d + 1 < a->ndim)
            put_dimension(s, a, d + 1, item, element);
        else
            put(s, element, item);
    }
}

static bool is_row_major(const kf_array *a) {
    int64_t expected = 1;
    for (int d = a->ndim; a->strides && d-- > 0;) {
        if (a->shape[d] != 1 && a->strides[d] != expected) return false;
        expected *= a->shape[d];
    }
    return true;
}

static void put_elements(sink *s, const kf_array *a) {
    size_t item = a->dtype.bits / 8, n = 1;
    const char *data = (const char *)a->data + a->byte_offset;
    for (int d = 0; d < a->ndim; d++) n *= (size_t)a->shape[d];
    if (n == 0) return;
    if (is_row_major(a))
        put(s, data, n * item);
    else
        put_dimension(s, a, 0, item, data);
}

/* 10 bytes before the text; the text is padded so that the elements begin at a multiple of 64. */
static void put_header(sink *s, const kf_array *a) {
    char text[10 + 512];
    int n = 10 + sprintf(text + 10, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                         npy_descr(a->dtype));
    for (int d = 0; d < a->ndim; d++)
        n += sprintf(text + n, d + 1 < a->ndim ? "%" PRId64 ", " : "%" PRId64, a->shape[d]);
    n += sprintf(text + n, a->ndim == 1 ? ",), }" : "), }");
    while ((n + 1) % ALIGNMENT != 0) text[n++] = ' ';
    text[n++] = '\n';
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    text[8] = (char)((n - 10) & 0xff);
    text[9] = (char)((n - 10) >> 8);
    put(s, text, (size_t)n);
}

static kf_status write_to(int fd, const char *path, const kf_array *array, kf_error *err) {
    sink s = {.fd = fd, .block = malloc(BLOCK)};
    if (!s.block) return kf__out_of_memory(err);
    put_header(&s, array);
    put_elements(&s, array);
    flush(&s);
    free(s.block);
    if (s.failed)
        return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(s.code));
    return KF_OK;
}

static kf_status close_file(int fd, const char *path, kf_status status, kf_error *err) {
    if (close(fd) != 0 && status == KF_OK)
        return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
    return status;
}

/* A new file beside `target`; its name goes to `name`. It is unfinished before it is there, so that
 * no signal comes in between: what has such a name already is this process's, or nobody's any more.
 * -1: errno. */
static int create_beside(const char *target, char *name, size_t size, int *ticket) {
    for (int i = 0; i < 100; i++) {
        int n = snprintf(name, size, "%s.%ld-%d.tmp", target, (long)getpid(), i);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        *ticket = unfinished_begin(name);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), code = errno;
        if (fd >= 0) return fd;
        unfinished_end(*ticket);
        errno = code;
        if (code != EEXIST) return -1;
    }
    return -1;
}

static kf_status replace_file(const char *path, const char *target, const kf_array *array,
                              kf_error *err) {
    char name[PATH_MAX + 64];
    int ticket = -1, fd = create_beside(target, name, sizeof name, &ticket);
    if (fd < 0)
        return kf__fail(err, KF_ERR_IO, "can't create a file beside '%s': %s", path,
                        strerror(errno));
    kf_status status = close_file(fd, path, write_to(fd, path, array, err), err);
    if (status == KF_OK && rename(name, target) != 0)
        status = kf__fail(err, KF_ERR_IO, "can't replace '%s': %s", path, strerror(errno));
    if (status != KF_OK) unlink(name);
    unfinished_end(ticket);
    return status;
}

kf_status npy_write(const char *path, const kf_array *array, kf_error *err) {
    if (array->device.type != KF_CPU)
        return kf__fail(err, KF_ERR_ARGUMENT, "'%s' can't be written from device memory: copy the "
                        "array to the CPU first", path);
    if (!npy_descr(array->dtype) || array->ndim < 0 || array->ndim > 8)
        return kf__fail(err, KF_ERR_UNSUPPORTED, "'%s': this dtype or rank can't be written", path);
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
        return close_file(fd, path, write_to(fd, path, array, err), err);
    }
    char *target = target_of(path); /* what a link points to is replaced, not the link */
    if (!target) return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
    kf_status status = replace_file(path, target, array, err);
    free(target);
    return status;
}
