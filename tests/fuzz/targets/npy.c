/* libFuzzer: any bytes as a .npy file. What can be read is written, read again, and must be the
 * same array. The first byte says which dtype raw elements are to have. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ir/ops.h"
#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void judge(const char *what, kf_status status, const kf_error *err) {
    if (status == KF_OK || (status != KF_ERR_INTERNAL && err->status == status && err->message[0]))
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, status, err->message);
    abort();
}

static size_t bytes_of(const kf_array *a) {
    size_t n = a->dtype.bits / 8;
    for (int d = 0; d < a->ndim; d++) n *= (size_t)a->shape[d];
    return n;
}

/* Written in C order, so a Fortran array's memory may differ; its shape may not. */
static void compare(const struct npy *a, const struct npy *b) {
    bool same = a->array.ndim == b->array.ndim && a->array.dtype.bits == b->array.dtype.bits &&
                a->array.dtype.code == b->array.dtype.code;
    for (int d = 0; same && d < a->array.ndim; d++)
        same = a->array.shape[d] == b->array.shape[d];
    if (same && !a->array.strides)
        same = memcmp(a->memory, b->memory, bytes_of(&a->array)) == 0;
    if (!same) abort();
}

static void round_trip(const char *path, const struct npy *npy) {
    struct npy again;
    kf_error err = {0};
    kf_status status = npy_write(path, &npy->array, &err);
    judge("write", status, &err);
    if (status != KF_OK) return;
    status = npy_read(path, npy->array.dtype, &again, &err);
    if (status != KF_OK) {
        fprintf(stderr, "what was written can't be read: %s\n", err.message);
        abort();
    }
    compare(npy, &again);
    npy_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static char in[64], out[64];
    static int fd = -1;
    if (fd < 0) { /* in memory, not on the disk */
        fd = memfd_create("npy", MFD_CLOEXEC);
        if (fd < 0) abort();
        snprintf(in, sizeof in, "/proc/self/fd/%d", fd);
        snprintf(out, sizeof out, "/dev/shm/kfuse-npy-%d", getpid());
    }
    if (n < 1) return 0;
    kf_dtype as = {0};
    if (data[0] % 16 < KF__DTYPE_COUNT) as = kf__types[data[0] % 16].dlpack;
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data + 1, n - 1, 0) != (ssize_t)(n - 1)) abort();
    struct npy npy;
    kf_error err = {0};
    kf_status status = npy_read(in, as, &npy, &err);
    judge("read", status, &err);
    if (status == KF_OK && bytes_of(&npy.array) <= n) round_trip(out, &npy);
    npy_free(&npy);
    unlink(out);
    return 0;
}
