/* loop IR -> C or CUDA C: one walker, one record for each dialect. */
#ifndef KFUSE_EMIT_EMIT_H
#define KFUSE_EMIT_EMIT_H

#include "ir/loop.h"

/* Append the text of the functions, without the prelude (prelude.h), which goes before them. */
kf_status kf__emit(const kf__lowered *lowered, const kf__target *target, kf__text *out,
                   kf_error *err);

#endif
