/* Small questions about a kf_array. */
#ifndef KFUSE_RUN_ARRAY_H
#define KFUSE_RUN_ARRAY_H

#include "run/context.h"

/* Bytes of row-major elements; a sentence where dtype, rank or sizes can't be. */
kf_status kf__array_bytes(kf_dtype dtype, int ndim, const int64_t *shape, int64_t *out,
                          kf_error *err);
bool kf__array_row_major(const kf_array *array);
/* Address of the first element. */
static inline void *kf__array_first(const kf_array *array) {
    return array->data ? (char *)array->data + array->byte_offset : NULL;
}

#endif
