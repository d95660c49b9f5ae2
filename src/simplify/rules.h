/* Between the files of this room. Each maker gives the simplest node for what it is asked, in a
 * graph whose nodes are already simple.
 *
 *   fold.c       numbers
 *   rules.c      elementwise operations, casts, reductions
 *   views.c      expand, permute, reshape, slice
 *   join.c       pad, concatenate
 *   demand.c     reductions of which only a slice is read
 *   simplify.c   the pass
 */
#ifndef KFUSE_SIMPLIFY_RULES_H
#define KFUSE_SIMPLIFY_RULES_H

#include "ir/graph.h"

/* The rank-0 node that all elements of `a` are; 0: there is none. */
kf__ref kf__splat_of(const kf_graph *g, kf__ref a);
kf__ref kf__splat(kf_graph *g, kf__ref scalar, int rank, const kf__expr *shape);
/* Is it that constant everywhere? A zero's sign counts. */
bool kf__is_number(const kf_graph *g, kf__ref a, double value);

/* The constant of an operation on constants; 0: not folded (not correctly rounded, or unknown). */
kf__ref kf__fold_op(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args);
kf__ref kf__fold_cast(kf_graph *g, kf__ref a, kf__dtype dtype);

kf__ref kf__simple_op(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args);
kf__ref kf__simple_cast(kf_graph *g, kf__ref a, kf__dtype dtype);
kf__ref kf__simple_reduce(kf_graph *g, kf__reduction red, int field, uint32_t axes, kf__ref a);
/* The same, but not as part of another reduction that makes more at once. */
kf__ref kf__plain_reduce(kf_graph *g, kf__reduction red, int field, uint32_t axes, kf__ref a);
kf__ref kf__simple_expand(kf_graph *g, kf__ref a, const kf__expr *shape);
kf__ref kf__simple_permute(kf_graph *g, kf__ref a, const uint8_t *perm);
kf__ref kf__simple_reshape(kf_graph *g, kf__ref a, int rank, const kf__expr *shape);
kf__ref kf__simple_slice(kf_graph *g, kf__ref a, const kf__expr *shape, const kf__expr *start,
                         const int64_t *step);

kf__ref kf__simple_pad(kf_graph *g, kf__ref a, kf__ref value, const kf__expr *shape,
                       const kf__expr *before);
kf__ref kf__simple_concat(kf_graph *g, int axis, kf__ref a, kf__ref b);
/* A slice of one of the arrays that `a` concatenates; 0: it isn't, as far as is known. */
kf__ref kf__slice_of_concat(kf_graph *g, kf__ref a, const kf__expr *shape, const kf__expr *start,
                            const int64_t *step);

/* An input or scalar again. Its own sizes keep their names, so that the plan can find all of them
 * and check the constraints; only the node's shape is `shape`. Nothing is weak any more: dtypes are
 * settled. */
kf__ref kf__simple_input(kf_graph *g, const kf__node *n, const kf__expr *shape);

/* `in` again with smaller reductions; *out is NULL where there are none to be had. */
kf_status kf__cut_reductions(const kf_graph *in, kf_graph **out, kf_error *err);

/* The x of a mean of x over *axes: of moments, or a sum over a count; else 0. */
kf__ref kf__mean_of(kf_graph *g, kf__ref a, uint32_t *axes);
/* Where a is (x - mean(x))^2, over the same axes: the x; else 0. */
kf__ref kf__m2_of(kf_graph *g, uint32_t axes, kf__ref a);

static inline bool kf__same_shape(const kf__node *n, int rank, const kf__expr *shape) {
    return n->rank == rank && !memcmp(n->shape, shape, sizeof(*shape) * (size_t)rank);
}

#endif
