/* loop IR -> C or CUDA C: one walker, one record for each dialect. */
#ifndef KFUSE_EMIT_EMIT_H
#define KFUSE_EMIT_EMIT_H

#include "ir/loop.h"

/* Append the text of the functions, without the prelude. */
kf_status kf__emit(const kf__lowered *lowered, const kf__target *target, kf__text *out,
                   kf_error *err);
/* Append the target's prelude, which goes before any functions. */
kf_status kf__emit_prelude(const kf__target *target, kf__text *out);

#endif
