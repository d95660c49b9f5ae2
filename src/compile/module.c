/* A cubin's modules, one in each device's primary context that asked, and kernels in them.
 *
 * The driver loads kernels lazily, at first use; a first use while a stream is being captured is an
 * error. So each kernel is loaded when it is looked up. The thread's capture mode is relaxed
 * meanwhile: another thread's capture forbids nothing here. */
#include "compile/cuda_driver.h"
#include "compile/object.h"

/* A module keeps the primary context retained. */
static kf_status load_module(kf__object *object, const kf__cuda *cuda, int device,
                             kf__cu_module *module, kf_error *err) {
    kf__cu_device id;
    kf__cu_context context;
    KF_TRY(kf__cuda_device(device, &id, err));
    KF__CU_TRY(cuda->primary_retain(&context, id), "cuDevicePrimaryCtxRetain");
    int result = cuda->module_load_data(module, object->image.bytes);
    if (result == KF__CU_SUCCESS) return KF_OK;
    cuda->primary_release(id);
    return kf__cuda_fail(result, "cuModuleLoadData", err);
}

kf_status kf__modules_find(kf__object *object, const kf_allocator *mem, int device, void **module,
                           kf_error *err) {
    for (kf__cuda_module *at = object->modules; at; at = at->next) {
        if (at->device != device) continue;
        *module = at->module;
        return KF_OK;
    }
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return KF_ERR_DEVICE;
    kf__cuda_module *made = kf__allocate(mem, sizeof(*made));
    if (!made) return kf__out_of_memory(err);
    kf_status status = kf__cuda_enter(device, err);
    if (status == KF_OK) {
        int mode = KF__CU_CAPTURE_RELAXED;
        cuda->capture_exchange_mode(&mode);
        status = load_module(object, cuda, device, module, err);
        cuda->capture_exchange_mode(&mode);
        kf__cuda_leave(device);
    }
    if (status != KF_OK) {
        kf__release(mem, made);
        return status;
    }
    *made = (kf__cuda_module){device, *module, object->modules};
    object->modules = made;
    return KF_OK;
}

static kf_status load_kernel(const kf__cuda *cuda, kf__cu_module module, const char *name,
                             kf__cu_function *function, kf_error *err) {
    int version; /* asking for an attribute loads the kernel where the driver has no cuFuncLoad */
    KF__CU_TRY(cuda->module_get_function(function, module, name), name);
    KF__CU_TRY(cuda->func_get_attribute(&version, KF__CU_FUNC_BINARY_VERSION, *function),
               "cuFuncGetAttribute");
    if (cuda->func_load) KF__CU_TRY(cuda->func_load(*function), "cuFuncLoad");
    return KF_OK;
}

kf_status kf__modules_kernel(int device, void *module, const char *name, void **function,
                             kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return KF_ERR_DEVICE;
    KF_TRY(kf__cuda_enter(device, err));
    int mode = KF__CU_CAPTURE_RELAXED;
    cuda->capture_exchange_mode(&mode);
    kf_status status = load_kernel(cuda, module, name, function, err);
    cuda->capture_exchange_mode(&mode);
    kf__cuda_leave(device);
    return status;
}

void kf__modules_free(kf__object *object, const kf_allocator *mem) {
    const kf__cuda *cuda = object->modules ? kf__cuda_get(NULL) : NULL;
    for (kf__cuda_module *at = object->modules, *next; at; at = next) {
        kf__cu_device id;
        next = at->next;
        if (cuda && kf__cuda_enter(at->device, NULL) == KF_OK) {
            cuda->module_unload(at->module);
            kf__cuda_leave(at->device);
            if (kf__cuda_device(at->device, &id, NULL) == KF_OK) cuda->primary_release(id);
        }
        kf__release(mem, at);
    }
    object->modules = NULL;
}
