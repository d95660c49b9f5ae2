/* Inside of compile: what a kf__object is. */
#ifndef KFUSE_COMPILE_OBJECT_H
#define KFUSE_COMPILE_OBJECT_H

#include "compile/cache.h"

typedef struct kf__cuda_module { /* an object's module in one device's primary context */
    int device;
    void *module;
    struct kf__cuda_module *next;
} kf__cuda_module;

struct kf__object {
    kf__compiler *compiler;
    kf__object *next; /* in the table's bucket */
    kf__compile_target target;
    uint64_t hash[2];
    char *source;
    size_t n_source;
    bool ready; /* false: a thread is making it */
    kf__image image;
    void *library;            /* C, EMULATED: of dlopen */
    kf__cuda_module *modules; /* CUDA; under the compiler's module lock */
};

/* module.c; under the compiler's module lock. */
kf_status kf__modules_find(kf__object *object, const kf_allocator *mem, int device, void **module,
                           kf_error *err);
kf_status kf__modules_kernel(int device, void *module, const char *name, void **function,
                             kf_error *err);
void kf__modules_free(kf__object *object, const kf_allocator *mem);

#endif
