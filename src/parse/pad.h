/* What pad.c, which reads the arguments, and pad_border.c, which makes borders, share. */
#ifndef KFUSE_PARSE_PAD_H
#define KFUSE_PARSE_PAD_H

#include "parse/makers.h"

typedef enum kf__pad_mode {
    KF__PAD_CONSTANT,
    KF__PAD_EMPTY, /* zeros, as good as any */
    KF__PAD_REFLECT,
    KF__PAD_SYMMETRIC,
    KF__PAD_EDGE,
    KF__PAD_WRAP,
    KF__PAD_RAMP,
    KF__PAD_MAXIMUM, /* from here on of stat_length elements */
    KF__PAD_MINIMUM,
    KF__PAD_MEAN,
} kf__pad_mode;

/* What stands before an array along one axis, or behind it. */
typedef struct kf__border {
    kf__pad_mode mode;
    int axis;
    bool behind, odd; /* odd: mirrored at the edge's value as well */
    bool numpy; /* which pads one element as wide as it is asked to */
    kf__expr width, length; /* length: of so many elements is the statistic, at most all */
    kf__ref end; /* a ramp's outermost number */
} kf__border;

kf__ref kf__pad_border(kf_graph *g, kf__ref x, const kf__border *b);

#endif
