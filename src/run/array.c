/* Arrays that the library makes, and copies between devices.
 *
 * An array's shape lies at the start of a small record that also knows the block of its elements,
 * so kf_array_free needs nothing but the array:
 *
 *     array.shape --> [shape[8] | block]      array.data --> elements, from the pool */
#include "run/array.h"

#include "run/device.h"

struct made {
    int64_t shape[KF__MAX_ARRAY_RANK]; /* first: array.shape points at it */
    kf__block block;
};

/* Bytes of row-major elements; fails where they overflow int64. */
kf_status kf__array_bytes(kf_dtype dtype, int ndim, const int64_t *shape, int64_t *out,
                          kf_error *err) {
    kf__dtype t;
    if (!kf__dtype_from_dlpack(dtype, &t))
        return kf__fail(err, KF_ERR_TYPE,
                        "a dtype that isn't supported: code %d, %d bits, %d lanes", dtype.code,
                        dtype.bits, dtype.lanes);
    if (ndim < 0 || ndim > KF__MAX_ARRAY_RANK)
        return kf__fail(err, KF_ERR_LIMIT, "rank %d; arrays have rank 0 to %d", ndim,
                        KF__MAX_ARRAY_RANK);
    int64_t bytes = kf__types[t].size;
    bool empty = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return kf__fail(err, KF_ERR_SHAPE, "size %lld of dim %d is negative",
                            (long long)shape[i], i);
        empty |= shape[i] == 0;
    }
    for (int i = 0; i < ndim && !empty; i++)
        if (!kf__mul_ok(bytes, shape[i], &bytes))
            return kf__fail(err, KF_ERR_LIMIT, "the array's bytes don't fit in 64 bits");
    *out = empty ? 0 : bytes;
    return KF_OK;
}

kf_status kf_array_create(kf_context *ctx, kf_device device, kf_dtype dtype, int ndim,
                          const int64_t *shape, kf_array *array, kf_error *err) {
    kf__error_clear(err);
    if (!ctx || !array || (ndim > 0 && !shape))
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_array_create needs a context, a shape and a "
                                              "place for the array");
    memset(array, 0, sizeof *array);
    int64_t bytes = 0;
    KF_TRY(kf__array_bytes(dtype, ndim, shape, &bytes, err));
    KF_TRY(kf__check_device(device, err));
    struct made *made = kf__allocate(&ctx->mem, sizeof *made);
    if (!made) return kf__out_of_memory(err);
    memset(made, 0, sizeof *made);
    kf_status status = kf__pool_take(ctx, device, (size_t)bytes, &made->block, err);
    if (status != KF_OK) {
        kf__release(&ctx->mem, made);
        return status;
    }
    if (ndim) memcpy(made->shape, shape, (size_t)ndim * sizeof *shape);
    *array = (kf_array){.data = made->block.data, .device = device, .ndim = ndim, .dtype = dtype,
                        .shape = made->shape};
    return KF_OK;
}

void kf_array_free(kf_context *ctx, kf_array *array) {
    if (!ctx || !array || !array->data || !array->shape) return;
    struct made *made = (struct made *)array->shape;
    kf__pool_give(ctx, &made->block);
    kf__release(&ctx->mem, made);
    memset(array, 0, sizeof *array);
}

bool kf__array_row_major(const kf_array *a) {
    if (!a->strides) return true;
    int64_t step = 1;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] == 0) return true;
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (a->shape[i] != 1 && a->strides[i] != step) return false;
        step *= a->shape[i];
    }
    return true;
}

kf_status kf_array_copy(kf_context *ctx, const kf_array *from, kf_array *to, kf_error *err) {
    kf__error_clear(err);
    if (!ctx || !from || !to || (from->ndim > 0 && !from->shape) || (to->ndim > 0 && !to->shape))
        return kf__fail(err, KF_ERR_ARGUMENT, "kf_array_copy needs a context and two arrays, with "
                                              "shapes");
    KF_TRY(kf__check_device(from->device, err)); /* or its memory would count as the host's */
    KF_TRY(kf__check_device(to->device, err));
    int64_t bytes = 0;
    KF_TRY(kf__array_bytes(from->dtype, from->ndim, from->shape, &bytes, err));
    if (memcmp(&from->dtype, &to->dtype, sizeof from->dtype) != 0)
        return kf__fail(err, KF_ERR_TYPE, "a copy needs equal dtypes");
    bool same = from->ndim == to->ndim;
    for (int i = 0; same && i < from->ndim; i++) same = from->shape[i] == to->shape[i];
    if (!same) return kf__fail(err, KF_ERR_SHAPE, "a copy needs equal shapes");
    if (!kf__array_row_major(from) || !kf__array_row_major(to))
        return kf__fail(err, KF_ERR_ARGUMENT, "a copy needs row-major arrays");
    if (bytes == 0) return KF_OK;
    if (!from->data || !to->data)
        return kf__fail(err, KF_ERR_ARGUMENT, "a copy needs arrays with an address");
    const char *source = kf__array_first(from);
    char *target = kf__array_first(to);
    if (from->device.type != KF_CUDA && to->device.type != KF_CUDA) {
        memmove(target, source, (size_t)bytes);
        return KF_OK;
    }
    return kf__cuda_copy(ctx, from->device.type == KF_CUDA ? from->device.id : -1, source,
                         to->device.type == KF_CUDA ? to->device.id : -1, target, (size_t)bytes,
                         err);
}
