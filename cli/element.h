/* One element of any dtype, to and from a double. */
#ifndef KFUSE_CLI_ELEMENT_H
#define KFUSE_CLI_ELEMENT_H

#include "ir/ops.h"

/* Integers and bools in *integer, and 0 is returned; floats are returned. */
double element_load(kf__dtype dtype, const void *at, int64_t *integer);
/* Rounds half to even; beyond a float's range as casting does. v must fit an integer dtype. */
void element_store(kf__dtype dtype, void *at, double v);
/* Into an integer dtype, which it must fit, bool or f32: without a double between. */
void element_store_integer(kf__dtype dtype, void *at, int64_t v);

#endif
