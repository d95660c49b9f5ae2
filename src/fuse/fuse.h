/* fuse: graph -> kernels, by bytes moved.
 *
 * Every result and every cut value is a root of exactly one kernel; whatever else a kernel needs it
 * computes itself. See body.c for what one kernel can hold, fuse.c for how roots are found and
 * merge.c for how they come together.
 */
#ifndef KFUSE_FUSE_FUSE_H
#define KFUSE_FUSE_FUSE_H

#include "ir/kernel.h"
#include "ir/loop.h"

/* The graph is taken over, also on failure. Free *out with kf__partition_free. What is worth
 * storing depends on the target: a CPU's core computes a remainder for 30 bytes that it could have
 * copied, a GPU for 4. */
kf_status kf__fuse(kf_graph *simplified, kf_fusion mode, kf__target_kind target,
                   kf__partition **out, kf_error *err);

/* Bytes that a kernel reads and writes and operations that it does, for given sizes of names. Each
 * element counts once for each index map that reads it, but for maps along short rows. KF_ERR_LIMIT
 * where a product overflows. */
kf_status kf__kernel_cost(const kf__partition *p, const kf__kernel *k, const int64_t *names,
                          int64_t *read, int64_t *written, int64_t *flops);

/* What a kernel of several stages loads again in later ones: bytes that don't come from memory
 * where a row stays on the chip. row: bytes loaded for one row; widest: of these, of one array. */
kf_status kf__kernel_again(const kf__partition *p, const kf__kernel *k, const int64_t *names,
                           int64_t *again, int64_t *row, int64_t *widest);

#endif
