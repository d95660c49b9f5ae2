/* What a device is called by its maker. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "bench.h"
#include "compile/cuda_driver.h"

/* The first "model name" of /proc/cpuinfo. */
static bool processor_name(char *to, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        found = colon && strncmp(line, "model name", 10) == 0;
        if (found) snprintf(to, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file) fclose(file);
    return found;
}

const char *machine_name(const struct job *job, char *to) {
    enum { SIZE = 80 };
    char name[56] = "";
    int threads = job->options->threads;
#ifdef _OPENMP
    if (!threads) threads = omp_get_max_threads();
#else
    threads = 1;
#endif
    if (job->device.type == KF_CUDA) {
        const kf__cuda *cuda = kf__cuda_get(NULL);
        kf__cu_device device;
        if (!cuda || kf__cuda_device(job->device.id, &device, NULL) != KF_OK ||
            cuda->device_name(name, sizeof name, device) != KF__CU_SUCCESS)
            snprintf(name, sizeof name, "CUDA");
        snprintf(to, SIZE, "%s", name);
    } else {
        if (!processor_name(name, sizeof name)) snprintf(name, sizeof name, "CPU");
        snprintf(to, SIZE, "%s, %d thread%s", name, threads, threads == 1 ? "" : "s");
    }
    return to;
}
