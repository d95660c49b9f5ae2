/* NVIDIA's run-time compiler: where it is, and running it. Needs neither a GPU nor the driver.
 *
 * The library is looked for as $KFUSE_NVRTC (a path), among those already loaded, in Python's
 * wheels, conda, the loader's path, $CUDA_PATH, $CUDA_HOME. It is looked for once a process, loaded
 * only when something has to be compiled (5 ms), and never unloaded. */
#ifndef KFUSE_COMPILE_NVRTC_H
#define KFUSE_COMPILE_NVRTC_H

#include "base/base.h"

enum { KF__NVRTC_IDENTITY = 320 };

/* Path of the library, or NULL. Static. */
const char *kf__nvrtc_path(void);
/* File name and size: part of the cache's key. False: there is no NVRTC. */
bool kf__nvrtc_identity(char identity[KF__NVRTC_IDENTITY]);
/* "13.0"; false: it can't be loaded. Loads it. */
bool kf__nvrtc_version(int *major, int *minor);
/* The sentence that says what to install. */
kf_status kf__nvrtc_missing(kf_error *err);

/* Options in one line: part of the cache's key. */
void kf__nvrtc_flags(int sm, kf__text *out);
/* Compile to a cubin: *image (of mem, n bytes). `source` ends with 0. */
kf_status kf__nvrtc_run(const kf_allocator *mem, int sm, const char *source, const char *label,
                        void **image, size_t *n, kf_error *err);

#endif
