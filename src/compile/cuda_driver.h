/* NVIDIA's driver interface, loaded at run time: no CUDA header is needed to build, and no driver
 * to start. Types are declared by hand from the documentation of the CUDA driver API; functions are
 * rows of cuda_driver.def. Loaded once a process, never unloaded. */
#ifndef KFUSE_COMPILE_CUDA_DRIVER_H
#define KFUSE_COMPILE_CUDA_DRIVER_H

#include "base/base.h"

typedef int kf__cu_device;
typedef unsigned long long kf__cu_pointer; /* CUdeviceptr */
typedef void *kf__cu_context, *kf__cu_module, *kf__cu_function, *kf__cu_stream, *kf__cu_event;
typedef void *kf__cu_graph, *kf__cu_graph_exec;

enum { /* CUresult */
    KF__CU_SUCCESS = 0,
    KF__CU_OUT_OF_MEMORY = 2,
    KF__CU_NO_DEVICE = 100,
    KF__CU_NOT_READY = 600,
};
enum { /* CUdevice_attribute */
    KF__CU_MAX_THREADS_PER_BLOCK = 1,
    KF__CU_MAX_SHARED_BYTES_PER_BLOCK = 8,
    KF__CU_WARP_SIZE = 10,
    KF__CU_CLOCK_KHZ = 13,
    KF__CU_MULTIPROCESSORS = 16,
    KF__CU_MEMORY_CLOCK_KHZ = 36,
    KF__CU_MEMORY_BUS_BITS = 37,
    KF__CU_L2_BYTES = 38,
    KF__CU_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    KF__CU_CAPABILITY_MAJOR = 75,
    KF__CU_CAPABILITY_MINOR = 76,
    KF__CU_MAX_SHARED_BYTES_OPTIN = 97,
    KF__CU_CLUSTER_LAUNCH = 120,
};
enum { /* CUfunction_attribute */
    KF__CU_FUNC_MAX_THREADS = 0,
    KF__CU_FUNC_SHARED_BYTES = 1,
    KF__CU_FUNC_LOCAL_BYTES = 3,
    KF__CU_FUNC_REGISTERS = 4,
    KF__CU_FUNC_BINARY_VERSION = 6,
    KF__CU_FUNC_MAX_DYNAMIC_SHARED_BYTES = 8,
    KF__CU_FUNC_NON_PORTABLE_CLUSTER = 14,
};
enum { /* CUpointer_attribute */
    KF__CU_POINTER_CONTEXT = 1,
    KF__CU_POINTER_MEMORY_TYPE = 2, /* unsigned: 1 host, 2 device, 4 unified */
    KF__CU_POINTER_DEVICE = 9,      /* int: ordinal */
};
enum { KF__CU_STREAM_NON_BLOCKING = 1, KF__CU_EVENT_NO_TIMING = 2 };
enum { KF__CU_CAPTURE_GLOBAL = 0, KF__CU_CAPTURE_THREAD_LOCAL = 1, KF__CU_CAPTURE_RELAXED = 2 };

enum { /* CUlaunchAttributeID */
    KF__CU_ATTRIBUTE_CLUSTER = 4,
    KF__CU_ATTRIBUTE_SERIALIZATION = 6,
};
typedef struct kf__cu_launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        struct {
            unsigned x, y, z;
        } cluster;         /* blocks; the grid's sizes are multiples */
        int serialization; /* 1: may start before the kernel ahead of it has ended */
    } value;
} kf__cu_launch_attribute;

typedef struct kf__cu_launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    kf__cu_stream stream;
    kf__cu_launch_attribute *attributes;
    unsigned n_attributes;
} kf__cu_launch_config;

typedef struct kf__cuda {
#define CU(field, symbol, required, parameters) int(*field) parameters;
#include "compile/cuda_driver.def"
#undef CU
    int n_devices;
    int version;    /* of the driver: 13000 is 13.0 */
    char path[512]; /* of the library */
} kf__cuda;

/* The functions, initialised, or NULL with a sentence: no driver, or it fails. */
const kf__cuda *kf__cuda_get(kf_error *err);
/* The sentence for a CUresult that isn't success; `what` was tried: "cuMemAlloc". */
kf_status kf__cuda_fail(int result, const char *what, kf_error *err);

#define KF__CU_TRY(call, what)                                                \
    do {                                                                      \
        int result_ = (call);                                                 \
        if (result_ != KF__CU_SUCCESS) return kf__cuda_fail(result_, what, err); \
    } while (0)

/* Device by ordinal: fails in a sentence where there is none. */
kf_status kf__cuda_device(int ordinal, kf__cu_device *out, kf_error *err);
/* 90 for compute capability 9.0. */
kf_status kf__cuda_sm(int ordinal, int *sm, kf_error *err);
/* Make the device's primary context current for this thread, retained, until kf__cuda_leave, which
 * restores the one before and releases: it ends the context if nobody else retains it. */
kf_status kf__cuda_enter(int ordinal, kf_error *err);
void kf__cuda_leave(int ordinal);

#endif
