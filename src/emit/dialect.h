/* A dialect is data: how C and CUDA C spell what differs between them. */
#ifndef KFUSE_EMIT_DIALECT_H
#define KFUSE_EMIT_DIALECT_H

#include "ir/loop.h"

typedef struct kf__dialect {
    const char *name;
    const char *open;         /* a function's head; $ stands for its name, # for its threads */
    const char *close;        /* after its last brace; "" for nothing */
    const char *field;        /* how a word is read: "a->" */
    const char *simd;         /* before a SIMD loop */
    const char *unroll;       /* before an UNROLL loop */
    const char *preludes[9];  /* embedded files, in order; NULL behind */
} kf__dialect;

extern const kf__dialect kf__dialects[]; /* by kf__target_kind */

#endif
