/* Files that are written: which file a path means, and what is removed when a signal ends the
 * process before all is written. */
#ifndef KFUSE_CLI_TARGET_H
#define KFUSE_CLI_TARGET_H

#include <stdbool.h>

#include "options.h"

/* The file that writing to `path` makes or replaces: links are followed, a dangling one too. To be
 * freed; NULL: errno. */
char *target_of(const char *path);
/* No file may be given for two results. */
kf_status targets_differ(const struct options *o, kf_error *err);

/* SIGINT, SIGTERM and SIGHUP, where they aren't ignored, remove what is unfinished, and then end
 * the process as they do. */
void unfinished_watch(void);
/* From now on a file is unfinished, until its ticket is given back. -1: there is no place to
 * remember it. */
int unfinished_begin(const char *path);
void unfinished_end(int ticket);

#endif
