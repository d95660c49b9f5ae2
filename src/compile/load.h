/* A shared library in memory or in an open file -> a handle of the dynamic loader. */
#ifndef KFUSE_COMPILE_LOAD_H
#define KFUSE_COMPILE_LOAD_H

#include "compile/cache.h"

/* Loads through image->fd where it isn't -1, else from the bytes. Closes nothing. */
kf_status kf__load_library(const kf__image *image, void **handle, kf_error *err);

#endif
