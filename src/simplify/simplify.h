/* simplify: a smaller graph with the same bits. */
#ifndef KFUSE_SIMPLIFY_SIMPLIFY_H
#define KFUSE_SIMPLIFY_SIMPLIFY_H

#include "ir/graph.h"

/* A new graph with the results of `in`: without dead nodes, sizes renamed by the constraints (which
 * stay, for the plan to check), identities of IEEE arithmetic applied, constants folded, views of
 * views joined. Inputs, names, calls and result names keep their numbers. `in` is kept as it is. */
kf_status kf__simplify(const kf_graph *in, kf_graph **out, kf_error *err);
/* For these sizes only: of each name, or -1 where it may be any. */
kf_status kf__simplify_sized(const kf_graph *in, const int64_t *sizes, kf_graph **out,
                             kf_error *err);

#endif
