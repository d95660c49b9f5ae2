/* The files that the library carries: preludes of generated code and composites in kfuse's own
 * language. cmake/embed.cmake writes them, sorted by name, as `kf__embedded_NAME` (dots become
 * underscores) and `kf__embedded_NAME_size`, and this table of all. */
#ifndef KFUSE_BASE_EMBEDDED_H
#define KFUSE_BASE_EMBEDDED_H

#include <stddef.h>
#include <string.h>

struct kf__embedded {
    const char *name; /* of the file, without its folder: "activation.kf" */
    const char *text; /* ends with a 0 that `size` doesn't count */
    size_t size;
};

extern const struct kf__embedded kf__embedded_files[]; /* one row more ends it, name NULL */
extern const size_t kf__embedded_file_count;

static inline const struct kf__embedded *kf__embedded_find(const char *name) {
    for (size_t i = 0; i < kf__embedded_file_count; i++)
        if (strcmp(kf__embedded_files[i].name, name) == 0) return &kf__embedded_files[i];
    return NULL;
}

#endif
