/* See cuda_driver.h. */
#include "compile/cuda_driver.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static kf__cuda driver;   /* these three are written once */
static char trouble[512]; /* why it can't be used; "": it can */

static bool find_functions(void *library) {
    static const struct row {
        const char *symbol;
        size_t field;
        bool required;
    } rows[] = {
#define CU(field, symbol, required, parameters) {#symbol, offsetof(kf__cuda, field), required},
#include "compile/cuda_driver.def"
#undef CU
    };
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        void *function = dlsym(library, rows[i].symbol);
        if (!function && rows[i].required) {
            snprintf(trouble, sizeof(trouble),
                     "the CUDA driver %.300s has no %s: update NVIDIA's driver (11.2 or newer)",
                     driver.path, rows[i].symbol);
            return false;
        }
        memcpy((char *)&driver + rows[i].field, &function, sizeof(function));
    }
    return true;
}

static void describe(int result, char *text, size_t size) {
    const char *name = NULL, *sentence = NULL;
    if (driver.error_name) driver.error_name(result, &name);
    if (driver.error_string) driver.error_string(result, &sentence);
    snprintf(text, size, "%s (%s, %d)", sentence ? sentence : "unknown error", name ? name : "?",
             result);
}

static void load_once(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(trouble, sizeof(trouble),
                 "no CUDA driver was found: install NVIDIA's driver, or run on the CPU (%s)",
                 why ? why : "libcuda.so.1");
        return;
    }
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
        snprintf(driver.path, sizeof(driver.path), "%s", map->l_name);
    if (!find_functions(library)) return;
    int result = driver.init(0);
    if (result == KF__CU_SUCCESS) result = driver.driver_version(&driver.version);
    if (result == KF__CU_SUCCESS) result = driver.device_count(&driver.n_devices);
    if (result == KF__CU_SUCCESS) return;
    char text[256];
    describe(result, text, sizeof(text));
    snprintf(trouble, sizeof(trouble), "the CUDA driver can't be used: %s", text);
}

const kf__cuda *kf__cuda_get(kf_error *err) {
    pthread_once(&once, load_once);
    if (!trouble[0]) return &driver;
    kf__fail(err, KF_ERR_DEVICE, "%s", trouble);
    return NULL;
}

kf_status kf__cuda_fail(int result, const char *what, kf_error *err) {
    char text[256];
    describe(result, text, sizeof(text));
    return kf__fail(err, result == KF__CU_OUT_OF_MEMORY ? KF_ERR_MEMORY : KF_ERR_DEVICE,
                    "CUDA: %s failed: %s", what, text);
}

kf_status kf__cuda_device(int ordinal, kf__cu_device *out, kf_error *err) {
    const kf__cuda *cuda = kf__cuda_get(err);
    if (!cuda) return KF_ERR_DEVICE;
    if (ordinal < 0 || ordinal >= cuda->n_devices)
        return kf__fail(err, KF_ERR_DEVICE,
                        "there is no device cuda:%d: the driver sees %d device%s", ordinal,
                        cuda->n_devices, cuda->n_devices == 1 ? "" : "s");
    KF__CU_TRY(cuda->device_get(out, ordinal), "cuDeviceGet");
    return KF_OK;
}

kf_status kf__cuda_sm(int ordinal, int *sm, kf_error *err) {
    kf__cu_device device;
    int major, minor;
    KF_TRY(kf__cuda_device(ordinal, &device, err));
    KF__CU_TRY(driver.device_attribute(&major, KF__CU_CAPABILITY_MAJOR, device),
               "cuDeviceGetAttribute");
    KF__CU_TRY(driver.device_attribute(&minor, KF__CU_CAPABILITY_MINOR, device),
               "cuDeviceGetAttribute");
    *sm = major * 10 + minor;
    return KF_OK;
}

kf_status kf__cuda_enter(int ordinal, kf_error *err) {
    kf__cu_device device;
    kf__cu_context context;
    KF_TRY(kf__cuda_device(ordinal, &device, err));
    KF__CU_TRY(driver.primary_retain(&context, device), "cuDevicePrimaryCtxRetain");
    int result = driver.ctx_push(context);
    if (result == KF__CU_SUCCESS) return KF_OK;
    driver.primary_release(device);
    return kf__cuda_fail(result, "cuCtxPushCurrent", err);
}

void kf__cuda_leave(int ordinal) {
    kf__cu_context context;
    kf__cu_device device;
    driver.ctx_pop(&context);
    if (driver.device_get(&device, ordinal) == KF__CU_SUCCESS) driver.primary_release(device);
}
