/* A dialect's prelude, cut into its definitions, so that a source carries only those that its
 * kernels name: it compiles in half the time, and a reader sees the whole of it. */
#ifndef KFUSE_EMIT_PRELUDE_H
#define KFUSE_EMIT_PRELUDE_H

#include "base/base.h"

typedef struct kf__prelude kf__prelude;

/* Read the embedded files with these names (NULL behind the last), in order. NULL: out of memory.
 * Immutable from then on; `mem` is kept by pointer. */
kf__prelude *kf__prelude_read(const kf_allocator *mem, const char *const *files);
void kf__prelude_free(kf__prelude *prelude);

/* Append the definitions that `code` (n bytes) names, with all that these name in turn, in the
 * prelude's order. */
kf_status kf__prelude_print(const kf__prelude *prelude, const char *code, size_t n, kf__text *out);

#endif
