/* Files without a name, and child processes whose input and output are such files.
 *
 * With files instead of pipes nobody has to write and read at the same time, and no SIGPIPE can
 * reach the host. */
#ifndef KFUSE_COMPILE_PROCESS_H
#define KFUSE_COMPILE_PROCESS_H

#include "base/base.h"

enum { KF__PATH_SIZE = 4096 };

/* A new nameless file that holds n bytes, at offset 0, or -1 with errno. In memory; on a kernel
 * without memfd_create a removed file in the temporary folder. */
int kf__nameless_file(const void *bytes, size_t n);

bool kf__write_all(int fd, const void *bytes, size_t n);   /* false: errno */
bool kf__read_all(int fd, void *bytes, size_t n);          /* exactly n from offset 0 on */

/* While a process runs: `waiting` is called after `patience` seconds, then after twice as many and
 * so on; after `limit` seconds (0: never) it is killed, with all that it started. */
typedef struct kf__watch {
    int patience, limit;
    void (*waiting)(void *user, int seconds);
    void *user;
} kf__watch;

enum { KF__OUT_OF_TIME = -2 };

/* Each child leads a process group of its own, which is ended as a whole: `cc` starts others. So a
 * terminal's Ctrl-C reaches the host and not the children: a command's handler calls
 * kf__end_processes; in another host a compiler comes to its end, or to its limit.
 *
 * Start argv[0] (a path) with `input` as stdin and stdout and stderr in `output`, in the
 * environment plus TMPDIR=tmpdir, with no signal blocked, and wait. Returns false with errno when
 * it couldn't be started. *code: exit status; 256 + signal; -1 when the host reaped it first;
 * KF__OUT_OF_TIME. watch may be NULL. */
bool kf__run_process(const kf_allocator *mem, char *const *argv, const char *tmpdir, int input,
                     int output, const kf__watch *watch, int *code);

/* End all children that run. For a handler of a signal that ends this process: makes system calls
 * only. */
void kf__end_processes(void);

/* Folders for temporary files, best first: $TMPDIR, /tmp, /var/tmp, /dev/shm; NULL ends. */
const char *kf__temporary_folder(int i);
/* Make a private folder in one of them, from *i on; false: none. `path` needs KF__PATH_SIZE. */
bool kf__make_private_folder(int *i, char *path);
/* Remove it with the files in it. */
void kf__remove_folder(const char *path);
/* Remove all that this process made. For a handler of a signal that ends it: makes system calls
 * only. */
void kf__remove_private_folders(void);

#endif
