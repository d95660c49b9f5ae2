/* The makers that rows of builtins.def name: elementary.c has those of operations,
 * numbers and constants, views.c those of views, ranges.c arange, pad.c pad,
 * limits.c finfo and iinfo, join.c what joins arrays and takes them apart, places.c what stands at a
 * list of places, slide.c windows, scan.c what is cumulative. */
#ifndef KFUSE_PARSE_MAKERS_H
#define KFUSE_PARSE_MAKERS_H

#include "parse/evaluate.h"

#define MAKER(name)                                                                             \
    bool kf__make_##name(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,       \
                         kf__object *out)
MAKER(op);
MAKER(reduce);
MAKER(reduce_index);
MAKER(reduce_kept);
MAKER(count);
MAKER(cast);
MAKER(cast_named);
MAKER(to_float);
MAKER(to_integer);
MAKER(length);
MAKER(tuple);
MAKER(shape);
MAKER(size);
MAKER(fill_like);
MAKER(fill);
MAKER(random_bits);
MAKER(fail);
MAKER(must);
MAKER(kind);
MAKER(listed);
MAKER(array);
MAKER(horner);
MAKER(arange);
MAKER(pad);
MAKER(concatenate);
MAKER(split);
MAKER(unbind);
MAKER(roll);
MAKER(tile);
MAKER(repeat);
MAKER(insert_at);
MAKER(delete_at);
MAKER(reshape);
MAKER(ravel);
MAKER(flatten);
MAKER(broadcast);
MAKER(permute);
MAKER(move_axis);
MAKER(flip);
MAKER(squeeze);
MAKER(expand_dims);
MAKER(take);
MAKER(limits);
MAKER(slide);
MAKER(slide_first);
MAKER(unslide);
MAKER(scan);
/* Is max or min called as Python's of n numbers, max(1, n // 2)? Then this is what makes it. */
bool kf__is_extremum_of(kf__evaluator *ev, const kf__builtin *b, uint32_t n,
                        const kf__object *args);
bool kf__make_extremum_of(kf__evaluator *ev, const kf__builtin *b, uint32_t n,
                          const kf__object *args, kf__object *out);
/* All elements in a row. */
kf__ref kf__flat(kf_graph *g, kf__ref x);
/* x at the indices `at` of an axis, which they take the place of. */
bool kf__take_at(kf__evaluator *ev, const char *name, kf__ref x, kf__ref at, int axis,
              kf__object *out);
/* The same with several arrays of indices, which broadcast, for n axes side by side. */
bool kf__take_many(kf__evaluator *ev, kf__ref x, kf__ref *at, int n, int axis, kf__object *out);
/* repeat(x, (2, 0, 1), axis): each element of the axis as often as its count says. */
bool kf__repeat_each(kf__evaluator *ev, kf__ref x, int axis, const kf__object *counts,
                     kf__object *out);
/* array(list), of nested lists of numbers. */
bool kf__array_of_list(kf__evaluator *ev, const kf__object *list, kf__object *out);
/* A list of integers as an array of indices. */
bool kf__listed_indices(kf__evaluator *ev, const kf__object *list, kf__object *out);

#endif
