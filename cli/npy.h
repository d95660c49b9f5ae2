/* NumPy's .npy files, versions 1.0 to 3.0: read into memory, written beside and renamed. */
#ifndef KFUSE_CLI_NPY_H
#define KFUSE_CLI_NPY_H

#include <kfuse/kfuse.h>

struct npy {
    kf_array array; /* on the CPU; strides NULL for C order, set for Fortran order */
    void *memory;   /* what array.data points into, 64-byte aligned */
    int64_t *sizes; /* what array.shape and array.strides point into */
};

/* Read a file. `as` says what raw bytes are, which is how NumPy stores dtypes that it doesn't know:
 * bf16 for `<V2`, a float8 for `|V1`; bits 0: as the file says. Bytes after the array are ignored,
 * as NumPy does. Free with npy_free; *out is cleared on failure. */
kf_status npy_read(const char *path, kf_dtype as, struct npy *out, kf_error *err);
void npy_free(struct npy *npy);

/* Write an array on the CPU, any strides, in C order; bfloat16 as `<V2`. A file of that name is
 * replaced only once all is written; a pipe or a device is written to. */
kf_status npy_write(const char *path, const kf_array *array, kf_error *err);

/* How a dtype is written in a header: "<f4". Static; NULL for none that kfuse knows. */
const char *npy_descr(kf_dtype dtype);

#endif
