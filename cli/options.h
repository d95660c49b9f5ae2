/* The command line as a struct: positional words, and options that may stand anywhere. */
#ifndef KFUSE_CLI_OPTIONS_H
#define KFUSE_CLI_OPTIONS_H

#include <stdio.h>

#include "base/base.h"

/* Commands as bits: which options belong to which. */
enum {
    CMD_RUN = 1, CMD_CHECK = 2, CMD_EXPLAIN = 4, CMD_EMIT = 8, CMD_BENCH = 16, CMD_OPS = 32,
    CMD_DOCTOR = 64, CMD_CACHE = 128,
};

typedef KF__VEC(const char *) words;

struct options {
    unsigned command;         /* one CMD_ bit; 0: none was given */
    const char *command_name;
    words words;              /* positional ones behind the command */
    words outputs;            /* -o */
    bool help, version;

    kf_device device;         /* type 0: the GPU where there is one */
    kf_fusion fusion;
    kf_numerics numerics;
    const char *json;         /* "-": standard output */
    int threads;              /* 0: as OpenMP decides */

    const char *target, *arch, *cubin, *standalone; /* emit */

    const char *sizes, *plot, *compare, *from; /* bench */
    bool warm, profile, overhead;
    int repeats;                        /* 0: as many as the time allows */
};

/* argv as main got it. Strings stay argv's. */
kf_status options_read(struct options *o, int argc, char **argv, kf_error *err);
void options_free(struct options *o);

/* Print the overview, or a command's own help (bit; 0: overview). */
void options_help(FILE *to, unsigned command);

#endif
