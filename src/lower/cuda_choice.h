/* The choice among loads that share registers: cuda_choose.c makes it, cuda_chosen.c loads from
 * where it tells. */
#ifndef KFUSE_LOWER_CUDA_CHOICE_H
#define KFUSE_LOWER_CUDA_CHOICE_H

#include "lower/cuda.h"

enum { KF__MOST_PARTS = 64, KF__MOST_LEAVES = 4 };

/* What of a guard changes in the pack, or down the column. */
typedef struct kf__choice_part {
    uint32_t instr, group; /* group: the first one with this late[] */
    /* Guards that all hold; late[] is sorted. */
    uint32_t late[KF__MOST_LEAVES], early[KF__MOST_LEAVES], n_late, n_early;
    const kf__lx *here; /* do those of early[] hold? NULL: always */
} kf__choice_part;

/* What is early of a group, and how it goes on along what is late. */
typedef struct kf__choice_group {
    const kf__lx *from, *by[KF__MAX_AXES], *some;
    bool pack; /* of all its parts a pack is loaded as one */
} kf__choice_group;

struct kf__choice {
    kf__low *L;
    kf__tile *t;
    bool down; /* columns: j stays, rows change; else the other way round */
    bool all;  /* one of the parts counts, wherever that is */
    kf__choice_part parts[KF__MOST_PARTS];
    kf__choice_group groups[KF__MOST_PARTS];
    uint32_t n;
    kf__choice_group span; /* of all rows in flight, where they are of one group */
};

/* Is instruction i one of the loads that share lead's registers? */
bool kf__cuda_is_part(const kf__low *L, uint32_t lead, uint32_t i);
kf__dtype kf__choice_type(const kf__low *L, uint32_t lead); /* as it is stored */
const char *kf__choice_pointer(kf__low *L, uint32_t lead);
/* Where the group is, unless that has been put: of columns before all rows, else where asked. */
void kf__choice_put(kf__choice *c, uint32_t group);
/* May a pack of the group be read by 16 bytes? */
const kf__lx *kf__choice_aligned(const kf__choice *c, uint32_t group);
/* Does the group count for the element at `at`? */
const kf__lx *kf__choice_guard(const kf__choice *c, uint32_t group, const kf__lx *at);
/* Of the groups the one that counts, where here[group] holds. */
void kf__choice_late(const kf__choice *c, const kf__lx *const *here, kf__choice_group *out);
/* Where it is at element e of the pack, or in the row that the axes' variables tell. */
const kf__lx *kf__choice_place(const kf__choice *c, const kf__choice_group *g, const kf__lx *e);

#endif
