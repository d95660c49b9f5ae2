/* Running NVRTC. See nvrtc.h; nvrtc_find.c says where it is. */
#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>

typedef void *handle; /* nvrtcProgram */

enum { INVALID_OPTION = 5 /* NVRTC_ERROR_INVALID_OPTION */ };

static struct nvrtc {
    int (*nvrtcVersion)(int *major, int *minor);
    const char *(*nvrtcGetErrorString)(int result);
    int (*nvrtcCreateProgram)(handle *out, const char *source, const char *name, int n_headers,
                              const char *const *headers, const char *const *include_names);
    int (*nvrtcDestroyProgram)(handle *program);
    int (*nvrtcCompileProgram)(handle program, int n_options, const char *const *options);
    int (*nvrtcGetCUBINSize)(handle program, size_t *size);
    int (*nvrtcGetCUBIN)(handle program, char *cubin);
    int (*nvrtcGetProgramLogSize)(handle program, size_t *size);
    int (*nvrtcGetProgramLog)(handle program, char *log);
    int (*nvrtcGetNumSupportedArchs)(int *n); /* these two since 11.2 */
    int (*nvrtcGetSupportedArchs)(int *architectures);
} nvrtc;                  /* these two are written once */
static char trouble[512]; /* why it can't be used; "": it can */
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define ROW(name) {#name, offsetof(struct nvrtc, name)}
static const struct row {
    const char *symbol;
    size_t field;
} rows[] = {
    ROW(nvrtcVersion), ROW(nvrtcGetErrorString), ROW(nvrtcCreateProgram),
    ROW(nvrtcDestroyProgram), ROW(nvrtcCompileProgram), ROW(nvrtcGetCUBINSize),
    ROW(nvrtcGetCUBIN), ROW(nvrtcGetProgramLogSize), ROW(nvrtcGetProgramLog),
    ROW(nvrtcGetNumSupportedArchs), ROW(nvrtcGetSupportedArchs),
};

/* NVRTC opens its headers' library by name alone, and finds it only on the loader's path. Loaded
 * before, from beside NVRTC, it is found in memory. */
static void load_builtins(const char *path) {
    char pattern[4096];
    glob_t files;
    const char *name = strrchr(path, '/');
    int folder = name ? (int)(name - path) : 0;
    int length = snprintf(pattern, sizeof(pattern), "%.*s/libnvrtc-builtins.so.*", folder, path);
    if (length >= (int)sizeof(pattern) || glob(pattern, GLOB_NOESCAPE, NULL, &files) != 0) return;
    for (size_t i = 0; i < files.gl_pathc; i++) dlopen(files.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&files);
}

static void load_once(void) {
    const char *path = kf__nvrtc_path();
    if (path) load_builtins(path);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *why = path ? dlerror() : NULL;
        snprintf(trouble, sizeof(trouble), "NVRTC can't be loaded: %s", why ? why : "not found");
        return;
    }
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        void *function = dlsym(library, rows[i].symbol);
        memcpy((char *)&nvrtc + rows[i].field, &function, sizeof(function));
        if (!function)
            snprintf(trouble, sizeof(trouble), "NVRTC %.300s is too old: it has no %s", path,
                     rows[i].symbol);
    }
}

static bool ready(void) {
    pthread_once(&once, load_once);
    return !trouble[0];
}

bool kf__nvrtc_version(int *major, int *minor) {
    return ready() && nvrtc.nvrtcVersion(major, minor) == 0;
}

/* ---------------------------------------------------------------- options */

/* The last one is newer than some versions that do, and only saves time. */
static const char *const options[] = {
    "-std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false", "--minimal",
};

void kf__nvrtc_flags(int sm, kf__text *out) {
    kf__print(out, "--gpu-architecture=sm_%d", sm);
    for (size_t i = 0; i < KF__COUNT(options); i++) kf__print(out, " %s", options[i]);
}

/* ---------------------------------------------------------------- running it */

static kf_status fail(int result, const char *what, kf_error *err) {
    return kf__fail(err, result == 1 ? KF_ERR_MEMORY : KF_ERR_COMPILER, "NVRTC: %s failed: %s",
                    what, nvrtc.nvrtcGetErrorString(result));
}

#define NVRTC_TRY(function, ...)                                     \
    do {                                                             \
        int result_ = nvrtc.function(__VA_ARGS__);                   \
        if (result_ != 0) return fail(result_, #function, err);      \
    } while (0)

static kf_status check_architecture(int sm, kf_error *err) {
    int n, known[256], major = 0, minor = 0;
    NVRTC_TRY(nvrtcGetNumSupportedArchs, &n);
    if (n < 1 || n > (int)KF__COUNT(known)) return KF_OK;
    NVRTC_TRY(nvrtcGetSupportedArchs, known);
    for (int i = 0; i < n; i++)
        if (known[i] == sm) return KF_OK;
    nvrtc.nvrtcVersion(&major, &minor);
    return kf__fail(err, KF_ERR_COMPILER,
                    "NVRTC %d.%d can't compile for sm_%d: it knows sm_%d to sm_%d; another version "
                    "may (pip install nvidia-cuda-nvrtc==..., or set KFUSE_NVRTC)", major, minor,
                    sm, known[0], known[n - 1]);
}

static kf_status explain(const kf_allocator *mem, handle program, int result, const char *label,
                         kf_error *err) {
    size_t n = 0;
    char *log = NULL;
    if (nvrtc.nvrtcGetProgramLogSize(program, &n) == 0 && n && (log = kf__allocate(mem, n)) &&
        nvrtc.nvrtcGetProgramLog(program, log) != 0)
        *log = 0;
    kf__fail(err, KF_ERR_COMPILER, "NVRTC failed on %s: %s%s%.900s", label,
             nvrtc.nvrtcGetErrorString(result), log && *log ? ":\n" : "", log ? log : "");
    kf__release(mem, log);
    return KF_ERR_COMPILER;
}

static kf_status compile(const kf_allocator *mem, handle program, int sm, const char *label,
                         void **image, size_t *n, kf_error *err) {
    char architecture[48];
    const char *all[1 + KF__COUNT(options)] = {architecture};
    snprintf(architecture, sizeof(architecture), "--gpu-architecture=sm_%d", sm);
    memcpy(all + 1, options, sizeof(options));
    int result = nvrtc.nvrtcCompileProgram(program, (int)KF__COUNT(all), all);
    if (result == INVALID_OPTION)
        result = nvrtc.nvrtcCompileProgram(program, (int)KF__COUNT(all) - 1, all);
    if (result != 0) return explain(mem, program, result, label, err);
    NVRTC_TRY(nvrtcGetCUBINSize, program, n);
    char *cubin = kf__allocate(mem, *n);
    if (!cubin) return kf__out_of_memory(err);
    result = nvrtc.nvrtcGetCUBIN(program, cubin);
    if (result != 0) {
        kf__release(mem, cubin);
        return fail(result, "nvrtcGetCUBIN", err);
    }
    *image = cubin;
    return KF_OK;
}

kf_status kf__nvrtc_run(const kf_allocator *mem, int sm, const char *source, const char *label,
                        void **image, size_t *n, kf_error *err) {
    handle program;
    char name[128];
    if (!ready()) return kf__fail(err, KF_ERR_COMPILER, "%s", trouble);
    KF_TRY(check_architecture(sm, err));
    snprintf(name, sizeof(name), "%.100s.cu", label);
    NVRTC_TRY(nvrtcCreateProgram, &program, source, name, 0, NULL, NULL);
    kf_status status = compile(mem, program, sm, label, image, n, err);
    nvrtc.nvrtcDestroyProgram(&program);
    return status;
}
