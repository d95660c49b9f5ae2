/* The system's C compiler: which one, with which flags, and running it.
 *
 * $KFUSE_CC (a path or a name on PATH) is final; else $CC where it is one word that is found, then
 * cc, gcc, clang on PATH. No shell is started, and nothing is run to find out what a compiler is:
 * its identity is path, inode, size and mtime. */
#ifndef KFUSE_COMPILE_CC_H
#define KFUSE_COMPILE_CC_H

#include "compile/compile.h"
#include "compile/process.h"

typedef struct kf__cc {
    char path[KF__PATH_SIZE];           /* "" when there is none */
    char identity[KF__PATH_SIZE + 128]; /* part of the cache's key */
} kf__cc;

/* False: there is none, cc->path is "". */
bool kf__cc_find(kf__cc *cc);
/* A name on PATH, or a path, to the path of an executable file. */
bool kf__find_program(const char *name, char *path);

/* Flags of a target in one line, whoever compiles: part of the cache's key. Those of a long source
 * (n_source bytes) are others. */
void kf__cc_flags(const kf__compile_target *target, size_t n_source, kf__text *out);

/* Compile to a shared library: *image (of mem, n bytes). What takes long is said through `log`, and
 * ended after $KFUSE_CC_SECONDS. */
kf_status kf__cc_run(const kf__cc *cc, const kf_allocator *mem, kf__log log, void *log_user,
                     const kf__compile_target *target, const char *source, size_t n_source,
                     const char *label, void **image, size_t *n, kf_error *err);

/* First line of --version, up to `size`; "" when it can't be had. */
void kf__cc_version(const kf__cc *cc, const kf_allocator *mem, char *line, size_t size);

#endif
