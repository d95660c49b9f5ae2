/* kernel -> loop IR, for one target and one layout.
 *
 * The text that a lowering leads to depends on the kernel, the target, which axes merge, the stride
 * class of each operand and, for CUDA, a bucket of the reduced length: never on other
 * sizes. Sizes, strides and offsets become words of the argument struct, and the launch geometry.
 */
#ifndef KFUSE_LOWER_LOWER_H
#define KFUSE_LOWER_LOWER_H

#include "ir/loop.h"

/* `out` and all that it points to live in `arena`. */
kf_status kf__lower(const kf__partition *p, const kf__kernel *k, const kf__layout *layout,
                    const kf__target *target, kf__arena *arena, kf__lowered *out, kf_error *err);

/* Are there divisions in its index? In this layout; NULL: in none. */
bool kf__low_divides(const kf__partition *p, const kf__access *a, const kf__layout *layout);

#endif
