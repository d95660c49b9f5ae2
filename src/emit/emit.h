/* loop IR -> C or CUDA C: one walker, one record for each dialect. */
#ifndef KFUSE_EMIT_EMIT_H
#define KFUSE_EMIT_EMIT_H

#include "ir/loop.h"

/* Append the text of the functions, without the prelude (prelude.h), which goes before them. */
kf_status kf__emit(const kf__lowered *lowered, const kf__target *target, kf__text *out,
                   kf_error *err);

/* Append functions of a kernel as kf__emit gave them (C) under names that say nothing of their
 * program: kernel k17_exp is k_exp, the array in_x operand0. Without comments. */
void kf__print_nameless(const kf__text *functions, const char *kernel, kf__text *out);
/* What the function `name` is called there. */
void kf__print_nameless_function(const char *name, kf__text *out);

#endif
