/* Where NVRTC is: a list of folders by glob pattern, in the order of nvrtc.h. */
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/cc.h"
#include "compile/nvrtc.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char found[KF__PATH_SIZE]; /* written once; "": none */

static bool is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool take(const char *path) {
    if (!is_file(path)) return false;
    int length = snprintf(found, sizeof(found), "%s", path);
    if (length < (int)sizeof(found)) return true;
    found[0] = 0;
    return false;
}

/* ---------------------------------------------------------------- by the loader */

static bool take_handle(void *library) {
    struct link_map *map = NULL;
    return library && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && take(map->l_name);
}

static bool by_loader(int mode) {
    return take_handle(dlopen("libnvrtc.so.13", mode | RTLD_LAZY | RTLD_LOCAL)) ||
           take_handle(dlopen("libnvrtc.so.12", mode | RTLD_LAZY | RTLD_LOCAL));
}

/* ---------------------------------------------------------------- by folders */

/* Of the files that fit, the last in the order of names: the newest Python. */
static bool by_pattern(const char *pattern) {
    glob_t files;
    bool fine = false;
    if (glob(pattern, GLOB_NOSORT | GLOB_NOESCAPE, NULL, &files) != 0) return false;
    const char *best = NULL;
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (is_file(files.gl_pathv[i]) && (!best || strcmp(files.gl_pathv[i], best) > 0))
            best = files.gl_pathv[i];
    if (best) fine = take(best);
    globfree(&files);
    return fine;
}

/* In `root` + `middle`, each of `ends`. `root` may be NULL. */
static bool in_folder(const char *root, const char *middle, const char *const *ends) {
    char pattern[KF__PATH_SIZE];
    if (!root || root[0] != '/') return false;
    for (; *ends; ends++) {
        int length = snprintf(pattern, sizeof(pattern), "%s%s%s", root, middle, *ends);
        if (length < (int)sizeof(pattern) && by_pattern(pattern)) return true;
    }
    return false;
}

static bool in_site_packages(const char *root, const char *middle) {
    static const char *const ends[] = {
        "/nvidia/cu13/lib/libnvrtc.so.13",
        "/nvidia/cuda_nvrtc/lib/libnvrtc.so.13",
        "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        NULL,
    };
    return in_folder(root, middle, ends);
}

static bool in_library_folder(const char *root, const char *middle) {
    static const char *const ends[] = {"/libnvrtc.so.13", "/libnvrtc.so.12", NULL};
    return in_folder(root, middle, ends);
}

static bool in_toolkit(const char *root) {
    return in_library_folder(root, "/lib64") || in_library_folder(root, "/lib") ||
           in_library_folder(root, "/targets/*/lib");
}

/* An interpreter /a/bin/python3 has its packages in /a/lib/python3.X/site-packages. */
static bool of_interpreter(const char *program) {
    char real[PATH_MAX];
    if (!realpath(program, real)) return false;
    const char *name = strrchr(real, '/');
    if (!name || strncmp(name, "/python", 7) != 0) return false;
    real[name - real] = 0;
    char *folder = strrchr(real, '/');
    if (!folder || strcmp(folder, "/bin") != 0) return false;
    *folder = 0;
    return in_site_packages(real, "/lib/python3*/site-packages");
}

/* Where kfuse itself came as a wheel, its neighbours are NVIDIA's. */
static bool beside_this_library(void) {
    Dl_info info;
    char path[KF__PATH_SIZE];
    if (!dladdr((void *)&found, &info) || !info.dli_fname) return false;
    snprintf(path, sizeof(path), "%s", info.dli_fname);
    char *packages = strstr(path, "/site-packages/");
    if (!packages) return false;
    packages[strlen("/site-packages")] = 0;
    return in_site_packages(path, "");
}

static bool in_wheels(void) {
    static const char *const systems[] = {
        "/usr/local/lib/python3*/site-packages",
        "/usr/local/lib/python3*/dist-packages",
        "/usr/lib/python3*/site-packages",
        "/usr/lib/python3*/dist-packages",
        "/usr/lib64/python3*/site-packages",
        "/usr/local/lib64/python3*/site-packages",
    };
    char python[KF__PATH_SIZE];
    if (beside_this_library() || of_interpreter("/proc/self/exe") ||
        in_site_packages(secure_getenv("VIRTUAL_ENV"), "/lib/python3*/site-packages") ||
        in_site_packages(secure_getenv("HOME"), "/.local/lib/python3*/site-packages") ||
        (kf__find_program("python3", python) && of_interpreter(python)))
        return true;
    for (size_t i = 0; i < KF__COUNT(systems); i++)
        if (in_site_packages(systems[i], "")) return true;
    return false;
}

static bool in_conda(void) {
    const char *conda = secure_getenv("CONDA_PREFIX");
    return in_site_packages(conda, "/lib/python3*/site-packages") || in_toolkit(conda);
}

/* Folders with `separator` between them. */
static bool in_folders(const char *at, const char *separator) {
    char folder[KF__PATH_SIZE];
    while (at && *at) {
        size_t n = strcspn(at, separator);
        snprintf(folder, sizeof(folder), "%.*s", (int)n, at);
        if (in_library_folder(folder, "")) return true;
        at += n + (at[n] != 0);
    }
    return false;
}

/* Folders that a file of /etc/ld.so.conf.d names, one a line. */
static bool in_configured_folders(void) {
    glob_t files;
    bool fine = false;
    if (glob("/etc/ld.so.conf.d/*.conf", 0, NULL, &files) != 0) return false;
    for (size_t i = 0; i < files.gl_pathc && !fine; i++) {
        char text[4096];
        int fd = open(files.gl_pathv[i], O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        if (fd >= 0) close(fd);
        text[n > 0 ? n : 0] = 0;
        fine = in_folders(text, "\n");
    }
    globfree(&files);
    return fine;
}

/* Where the loader would find it, at first without loading it, which takes 5 ms that a kernel from
 * the cache doesn't need. */
static bool in_loader_path(void) {
    return in_folders(secure_getenv("LD_LIBRARY_PATH"), ":") || in_configured_folders() ||
           in_folders("/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:/usr/lib",
                      ":") ||
           by_loader(0);
}

static void find_once(void) {
    const char *chosen = secure_getenv("KFUSE_NVRTC");
    if (chosen && *chosen) {
        take(chosen);
        return;
    }
    (void)(by_loader(RTLD_NOLOAD) || in_wheels() || in_conda() || in_loader_path() ||
           in_toolkit(secure_getenv("CUDA_PATH")) || in_toolkit(secure_getenv("CUDA_HOME")) ||
           in_toolkit("/usr/local/cuda"));
}

const char *kf__nvrtc_path(void) {
    pthread_once(&once, find_once);
    return found[0] ? found : NULL;
}

bool kf__nvrtc_identity(char identity[KF__NVRTC_IDENTITY]) {
    struct stat info;
    char real[PATH_MAX];
    const char *path = kf__nvrtc_path();
    if (!path || stat(path, &info) != 0 || !realpath(path, real)) return false;
    snprintf(identity, KF__NVRTC_IDENTITY, "%.255s size %lld", strrchr(real, '/') + 1,
             (long long)info.st_size);
    return true;
}

kf_status kf__nvrtc_missing(kf_error *err) {
    const char *chosen = secure_getenv("KFUSE_NVRTC");
    if (chosen && *chosen && !kf__nvrtc_path())
        return kf__fail(err, KF_ERR_COMPILER,
                        "KFUSE_NVRTC is \"%s\", which isn't a file: set it to libnvrtc.so.13, or "
                        "unset it", chosen);
    return kf__fail(err, KF_ERR_COMPILER,
                    "no NVRTC was found (libnvrtc.so.13 or .12), which compiles CUDA kernels: "
                    "pip install nvidia-cuda-nvrtc, or install the CUDA toolkit and set CUDA_PATH, "
                    "or set KFUSE_NVRTC to the library");
}
