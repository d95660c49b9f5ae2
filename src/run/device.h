/* CUDA as far as run needs it: memory, copies, launches, waiting; through the driver, which is
 * loaded at run time. A kf_context retains the primary context of each device that it used until it
 * is freed, so memory and modules live as long. All functions leave the thread's current context as
 * it was. */
#ifndef KFUSE_RUN_DEVICE_H
#define KFUSE_RUN_DEVICE_H

#include "run/context.h"

/* sm, sms and cache_bytes of a device. */
kf_status kf__cuda_target(int device, kf__target *out, kf_error *err);
/* Bytes a microsecond that its memory can move by specification; 0 where that isn't known. */
double kf__cuda_bandwidth(int device);

/* The device's primary context (a CUcontext), retained by ctx. */
kf_status kf__cuda_context(kf_context *ctx, int device, void **out, kf_error *err);
void kf__cuda_release_contexts(kf_context *ctx);

kf_status kf__cuda_allocate(kf_context *ctx, int device, size_t bytes, void **out, kf_error *err);
void kf__cuda_release(kf_context *ctx, int device, void *memory);
/* Wait until nothing runs on the device. */
kf_status kf__cuda_wait(kf_context *ctx, int device, kf_error *err);
kf_status kf__cuda_wait_stream(kf_context *ctx, int device, void *stream, kf_error *err);

/* Copy bytes between addresses, each of a device or, where that is -1, of the host; waits. */
kf_status kf__cuda_copy(kf_context *ctx, int from_device, const void *from, int to_device, void *to,
                        size_t bytes, kf_error *err);

/* Launch a kernel whose argument is one struct of words, in the context it is loaded in. */
kf_status kf__cuda_launch(void *context, void *function, int64_t grid, int threads, int cluster,
                          void *stream, uint64_t *words, kf_error *err);

#endif
