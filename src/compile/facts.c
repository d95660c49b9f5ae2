/* What the machine has, for `kfuse doctor`. */
#include <stdio.h>
#include <unistd.h>

#include "compile/cc.h"
#include "compile/compile.h"
#include "compile/cuda_driver.h"
#include "compile/nvrtc.h"

static kf__fact about_processor(kf__arena *arena) {
    (void)arena;
    return (kf__fact){.name = "processor", .found = true,
                      .version = kf__cpu_architecture(kf__cpu_level()),
                      .needed_for = "the CPU"};
}

static kf__fact about_compiler(kf__arena *arena) {
    kf__fact fact = {.name = "C compiler", .needed_for = "the CPU, for kernels not in the cache",
                     .install = "install gcc or clang (Debian: apt install gcc), or set KFUSE_CC"};
    kf__cc cc;
    char line[200];
    if (!kf__cc_find(&cc)) return fact;
    kf__cc_version(&cc, arena->mem, line, sizeof(line));
    fact.found = true;
    fact.path = kf__arena_string(arena, cc.path, strlen(cc.path));
    fact.version = kf__arena_string(arena, line, strlen(line));
    return fact;
}

static kf__fact about_cache(kf__compiler *compiler, kf__arena *arena) {
    kf__cache_info info;
    kf__compiler_cache_info(compiler, &info);
    kf__fact fact = {.name = "kernel cache", .needed_for = "starting quickly",
                     .path = info.folder ? info.folder : "", .found = !info.trouble};
    if (info.trouble)
        fact.install = kf__arena_string(arena, info.trouble, strlen(info.trouble));
    else
        fact.version = kf__arena_printf(arena, "%lld kernels, %.1f of %.0f MiB",
                                        (long long)info.entries, (double)info.bytes / (1 << 20),
                                        (double)info.limit / (1 << 20));
    return fact;
}

static kf__fact about_nvrtc(kf__arena *arena) {
    kf__fact fact = {.name = "NVRTC", .needed_for = "CUDA, for kernels not in the cache",
                     .install = "pip install nvidia-cuda-nvrtc, or set KFUSE_NVRTC"};
    int major, minor;
    const char *path = kf__nvrtc_path();
    if (!path) return fact;
    fact.path = path;
    fact.found = kf__nvrtc_version(&major, &minor);
    if (fact.found) fact.version = kf__arena_printf(arena, "%d.%d", major, minor);
    return fact;
}

static kf__fact about_driver(kf__arena *arena) {
    kf__fact fact = {.name = "CUDA driver", .needed_for = "CUDA",
                     .install = "install NVIDIA's driver (525 or newer)"};
    kf_error err = {0};
    const kf__cuda *cuda = kf__cuda_get(&err);
    if (!cuda) {
        fact.version = kf__arena_string(arena, err.message, strlen(err.message));
        return fact;
    }
    fact.found = true;
    fact.path = cuda->path;
    fact.version = kf__arena_printf(arena, "%d.%d", cuda->version / 1000,
                                    cuda->version % 1000 / 10);
    return fact;
}

static kf__fact about_devices(kf__arena *arena) {
    kf__fact fact = {.name = "CUDA devices", .needed_for = "CUDA"};
    const kf__cuda *cuda = kf__cuda_get(NULL);
    kf__text names;
    kf__text_init(&names, arena->mem);
    for (int i = 0; cuda && i < cuda->n_devices; i++) {
        char name[128] = "";
        kf__cu_device device;
        int sm = 0;
        if (kf__cuda_device(i, &device, NULL) != KF_OK || kf__cuda_sm(i, &sm, NULL) != KF_OK)
            continue;
        cuda->device_name(name, sizeof(name), device);
        kf__print(&names, "%scuda:%d %s (sm_%d)", fact.found ? ", " : "", i, name, sm);
        fact.found = true;
    }
    if (fact.found) fact.version = names.failed ? NULL : kf__arena_string(arena, names.at, names.n);
    else fact.install = "none is seen: check CUDA_VISIBLE_DEVICES and nvidia-smi";
    kf__text_free(&names);
    return fact;
}

bool kf__compiler_facts(kf__compiler *compiler, kf__arena *arena, kf__fact facts[KF__FACT_COUNT]) {
    kf__fact all[KF__FACT_COUNT] = {
        about_processor(arena), about_compiler(arena), about_cache(compiler, arena),
        about_nvrtc(arena),     about_driver(arena),   about_devices(arena),
    };
    for (int i = 0; i < KF__FACT_COUNT; i++) {
        const char **fields[] = {&all[i].path, &all[i].version, &all[i].needed_for,
                                 &all[i].install};
        for (size_t k = 0; k < KF__COUNT(fields); k++)
            if (!*fields[k]) *fields[k] = "";
        facts[i] = all[i];
    }
    return kf__arena_alloc(arena, 1) != NULL;
}
