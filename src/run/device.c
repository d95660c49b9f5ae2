/* See device.h. */
#include "run/device.h"

#include "compile/cuda_driver.h"

/* ---------------------------------------------------------------- facts */

static kf_status attribute(const kf__cuda *cuda, kf__cu_device device, int which, int *out,
                           kf_error *err) {
    KF__CU_TRY(cuda->device_attribute(out, which, device), "cuDeviceGetAttribute");
    return KF_OK;
}

kf_status kf__cuda_target(int device, kf__target *out, kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return KF_ERR_DEVICE;
    kf__cu_device id;
    KF_TRY(kf__cuda_device(device, &id, err));
    KF_TRY(kf__cuda_sm(device, &out->sm, err));
    KF_TRY(attribute(cuda, id, KF__CU_MULTIPROCESSORS, &out->sms, err));
    int l2 = 0;
    KF_TRY(attribute(cuda, id, KF__CU_L2_BYTES, &l2, err));
    out->cache_bytes = l2;
    return KF_OK;
}

double kf__cuda_bandwidth(int device) {
    const kf__cuda *cuda = kf__cuda_get(NULL);
    kf__cu_device id;
    int khz = 0, bits = 0;
    if (!cuda || kf__cuda_device(device, &id, NULL) != KF_OK ||
        attribute(cuda, id, KF__CU_MEMORY_CLOCK_KHZ, &khz, NULL) != KF_OK ||
        attribute(cuda, id, KF__CU_MEMORY_BUS_BITS, &bits, NULL) != KF_OK)
        return 0;
    return 2.0 * khz * 1e3 * bits / 8 / 1e6; /* two transfers a clock */
}

/* ---------------------------------------------------------------- contexts */

kf_status kf__cuda_context(kf_context *ctx, int device, void **out, kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return KF_ERR_DEVICE;
    kf__cu_device id;
    KF_TRY(kf__cuda_device(device, &id, err));
    if (device >= KF__MAX_GPUS)
        return kf__fail(err, KF_ERR_LIMIT, "cuda:%d: at most %d GPUs", device, KF__MAX_GPUS);
    pthread_mutex_lock(&ctx->cuda_mutex);
    int result = KF__CU_SUCCESS;
    if (!ctx->cuda_context[device])
        result = cuda->primary_retain(&ctx->cuda_context[device], id);
    *out = ctx->cuda_context[device];
    pthread_mutex_unlock(&ctx->cuda_mutex);
    return result == KF__CU_SUCCESS ? KF_OK
                                    : kf__cuda_fail(result, "cuDevicePrimaryCtxRetain", err);
}

void kf__cuda_release_contexts(kf_context *ctx) {
    for (int i = 0; i < KF__MAX_GPUS; i++) {
        kf__cu_device id;
        if (ctx->cuda_context[i] && kf__cuda_device(i, &id, NULL) == KF_OK)
            kf__cuda_get(NULL)->primary_release(id);
        ctx->cuda_context[i] = NULL;
    }
}

/* Make a context current; *pushed says whether leave() must undo it. Mostly it is current. */
static kf_status enter(const kf__cuda *cuda, void *context, bool *pushed, kf_error *err) {
    kf__cu_context current = NULL;
    *pushed = false;
    KF__CU_TRY(cuda->ctx_get_current(&current), "cuCtxGetCurrent");
    if (current == context) return KF_OK;
    KF__CU_TRY(cuda->ctx_push(context), "cuCtxPushCurrent");
    *pushed = true;
    return KF_OK;
}

static void leave(const kf__cuda *cuda, bool pushed) {
    kf__cu_context popped;
    if (pushed) cuda->ctx_pop(&popped);
}

/* Run a driver call in a device's context. */
#define IN_CONTEXT(ctx, device, call, what, err)                                      \
    do {                                                                              \
        void *context_ = NULL;                                                        \
        bool pushed_ = false;                                                         \
        KF_TRY(kf__cuda_context((ctx), (device), &context_, (err)));                  \
        const kf__cuda *cuda = kf__cuda_get(NULL);                                    \
        KF_TRY(enter(cuda, context_, &pushed_, (err)));                               \
        int result_ = (call);                                                         \
        leave(cuda, pushed_);                                                         \
        if (result_ != KF__CU_SUCCESS) return kf__cuda_fail(result_, (what), (err));  \
    } while (0)

/* ---------------------------------------------------------------- memory */

kf_status kf__cuda_allocate(kf_context *ctx, int device, size_t bytes, void **out, kf_error *err) {
    kf__cu_pointer pointer = 0;
    IN_CONTEXT(ctx, device, cuda->mem_alloc(&pointer, bytes), "cuMemAlloc", err);
    *out = (void *)(uintptr_t)pointer;
    return KF_OK;
}

static kf_status release_memory(kf_context *ctx, int device, void *memory, kf_error *err) {
    IN_CONTEXT(ctx, device, cuda->mem_free((kf__cu_pointer)(uintptr_t)memory), "cuMemFree", err);
    return KF_OK;
}

void kf__cuda_release(kf_context *ctx, int device, void *memory) {
    (void)release_memory(ctx, device, memory, NULL); /* freeing can't be refused in a useful way */
}

kf_status kf__cuda_wait(kf_context *ctx, int device, kf_error *err) {
    IN_CONTEXT(ctx, device, cuda->ctx_synchronize(), "cuCtxSynchronize", err);
    return KF_OK;
}

kf_status kf__cuda_wait_stream(kf_context *ctx, int device, void *stream, kf_error *err) {
    IN_CONTEXT(ctx, device, cuda->stream_synchronize(stream), "cuStreamSynchronize", err);
    return KF_OK;
}

kf_status kf__cuda_copy(kf_context *ctx, int from_device, const void *from, int to_device, void *to,
                        size_t bytes, kf_error *err) {
    kf__cu_pointer source = (kf__cu_pointer)(uintptr_t)from;
    kf__cu_pointer target = (kf__cu_pointer)(uintptr_t)to;
    if (from_device < 0) {
        IN_CONTEXT(ctx, to_device, cuda->copy_to_device(target, from, bytes), "cuMemcpyHtoD", err);
    } else if (to_device < 0) {
        IN_CONTEXT(ctx, from_device, cuda->copy_to_host(to, source, bytes), "cuMemcpyDtoH", err);
    } else if (from_device == to_device) {
        IN_CONTEXT(ctx, to_device, cuda->copy_on_device(target, source, bytes), "cuMemcpyDtoD",
                   err);
    } else {
        void *from_context = NULL, *to_context = NULL;
        KF_TRY(kf__cuda_context(ctx, from_device, &from_context, err));
        KF_TRY(kf__cuda_context(ctx, to_device, &to_context, err));
        IN_CONTEXT(ctx, to_device,
                   cuda->copy_between(target, to_context, source, from_context, bytes),
                   "cuMemcpyPeer", err);
    }
    /* copies on a device don't wait for themselves */
    return kf__cuda_wait_stream(ctx, to_device >= 0 ? to_device : from_device, NULL, err);
}

/* ---------------------------------------------------------------- launches */

static int launch(const kf__cuda *cuda, void *function, unsigned grid, int threads, int cluster,
                  void *stream, void **arguments) {
    if (cluster <= 1)
        return cuda->launch_kernel(function, grid, 1, 1, (unsigned)threads, 1, 1, 0, stream,
                                   arguments, NULL);
    kf__cu_launch_attribute attribute = {.id = KF__CU_ATTRIBUTE_CLUSTER};
    attribute.value.cluster.x = (unsigned)cluster;
    attribute.value.cluster.y = attribute.value.cluster.z = 1;
    kf__cu_launch_config config = {.grid_x = grid, .grid_y = 1, .grid_z = 1,
                                   .block_x = (unsigned)threads, .block_y = 1, .block_z = 1,
                                   .stream = stream, .attributes = &attribute, .n_attributes = 1};
    return cuda->launch_kernel_ex(&config, function, arguments, NULL);
}

kf_status kf__cuda_launch(void *context, void *function, int64_t grid, int threads, int cluster,
                          void *stream, uint64_t *words, kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return KF_ERR_DEVICE;
    if (cluster > 1 && !cuda->launch_kernel_ex)
        return kf__fail(err, KF_ERR_DEVICE,
                        "clusters of blocks need a driver of CUDA 11.8 or newer");
    if (grid > INT32_MAX)
        return kf__fail(err, KF_ERR_LIMIT, "a grid of %lld blocks; at most 2^31 - 1",
                        (long long)grid);
    bool pushed;
    KF_TRY(enter(cuda, context, &pushed, err));
    void *arguments[] = {words};
    int result = launch(cuda, function, (unsigned)grid, threads, cluster, stream, arguments);
    leave(cuda, pushed);
    return result == KF__CU_SUCCESS ? KF_OK : kf__cuda_fail(result, "cuLaunchKernel", err);
}
