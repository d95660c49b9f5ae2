/* What the files of the graph share and no other room needs. */
#ifndef KFUSE_IR_GRAPH_CORE_H
#define KFUSE_IR_GRAPH_CORE_H

#include "ir/graph.h"

/* The node that computes the same, or a new one; what `like` points to is copied. */
kf__ref kf__node_find_or_add(kf_graph *g, const kf__node *like);
kf__ref kf__graph_no_memory(kf_graph *g);
kf__ref kf__graph_no_expr(kf_graph *g); /* why a kf__expr is 0; returns 0 */
/* As kf__op and kf__cast, with the weakness given. */
kf__ref kf__op_weak(kf_graph *g, kf__opcode op, kf__dtype dtype, const kf__ref *args, bool weak);
kf__ref kf__cast_weak(kf_graph *g, kf__ref a, kf__dtype dtype, bool weak);
/* A weak number as what it is on its own: f32 or i64. Others stay. */
kf__ref kf__solid(kf_graph *g, kf__ref a);
/* May an operation of these dtypes give `to`? */
bool kf__dtypes_fit(const kf__op_row *row, kf__dtype to, const kf__dtype *from);
/* As casting rounds: to the dtype, f16, bf16 and float8 included. */
double kf__round_to(kf__dtype t, double v);
/* "float32[3] and float32[4]", in the arena; never NULL. */
const char *kf__types_text(kf_graph *g, const kf__ref *args, int n);
void kf__print_shape(const kf_graph *g, int rank, const kf__expr *shape, kf__text *text);
const char *kf__shape_text(kf_graph *g, int rank, const kf__expr *shape);

#endif
