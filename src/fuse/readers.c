/* Which kernels read a value: a table, so that nothing asks every kernel about every value.
 *
 *     first    0 2 2 3 ...        of value v: group[first[v]] to group[first[v + 1] - 1]
 *     group    4 7 9 ...          ascending, each once
 */
#include "fuse/internal.h"

/* The value of a group's access i, if it is a node that no access before i has. */
static bool reads_first(const kf__fuse_state *f, const kf__body *b, uint32_t i, uint32_t *value) {
    *value = b->accesses.at[i].value;
    if (*value >= f->g->nodes.n) return false; /* a result, or no value */
    for (uint32_t k = 0; k < i; k++)
        if (b->accesses.at[k].value == *value) return false;
    return true;
}

bool kf__readers_find(const kf__fuse_state *f, const kf__groups *groups, kf__readers *out) {
    uint32_t value, nodes = f->g->nodes.n;
    size_t all = 0;
    *out = (kf__readers){.first = kf__allocate(f->mem, sizeof(*out->first) * (nodes + 2u))};
    if (!out->first) return false;
    memset(out->first, 0, sizeof(*out->first) * (nodes + 2u));
    for (uint32_t i = 0; i < groups->n; i++) {
        const kf__body *b = groups->at[i].body;
        for (uint32_t k = 0; !groups->at[i].dead && k < b->accesses.n; k++)
            if (reads_first(f, b, k, &value)) out->first[value + 2]++, all++;
    }
    for (uint32_t v = 2; v < nodes + 2; v++) out->first[v] += out->first[v - 1];
    out->group = kf__allocate(f->mem, sizeof(*out->group) * (all + 1));
    if (!out->group) return false;
    for (uint32_t i = 0; i < groups->n; i++) { /* first[v + 1] moves to where v ends */
        const kf__body *b = groups->at[i].body;
        for (uint32_t k = 0; !groups->at[i].dead && k < b->accesses.n; k++)
            if (reads_first(f, b, k, &value)) out->group[out->first[value + 1]++] = i;
    }
    return true;
}

void kf__readers_free(const kf__fuse_state *f, kf__readers *readers) {
    kf__release(f->mem, readers->first);
    kf__release(f->mem, readers->group);
    *readers = (kf__readers){0};
}

uint32_t kf__readers_but(const kf__readers *readers, kf__ref node, uint32_t group) {
    uint32_t n = 0;
    for (uint32_t i = readers->first[node]; i < readers->first[node + 1]; i++)
        n += readers->group[i] != group;
    return n;
}
