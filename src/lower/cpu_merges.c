/* Many states on the CPU, merged as a tree: one after another roundings would add up, of states
 * that are alike in one direction. Levels are a binary counter's; level k has the state of 2^k
 * blocks, or of the last ones.
 *
 *     for each block
 *         mean = its mean, n = its elements
 *         full = trailing_ones(blocks)
 *         for (level = 0; level < full; ++level)
 *             mean = merge(mean, tree_mean[level])    1 block and 1, 2 and 2, 4 and 4, ...
 *             n = n + tree_n[level]
 *         tree_mean[full] = mean, tree_n[full] = n
 *         blocks = blocks + 1
 *     for each level that is a bit of `blocks`
 *         mean = merge(mean, tree_mean[level]) */
#include "lower/cpu.h"

enum { LEVELS = 48 }; /* 2^48 blocks */

void kf__cpu_add_merge(const kf__low *L, kf__merges *m, uint32_t red, const kf__lx *const *state) {
    int n = kf__fields(L, red);
    if (n < 2 || !kf__is_float(kf__field_type(L, red, n - 1))) return;
    memcpy(m->state[m->n], state, sizeof *state * (size_t)n);
    m->reds[m->n++] = (uint16_t)red;
}

bool kf__cpu_take_block(const kf__low *L, kf__merges *m, uint32_t red, const kf__lx *const *block) {
    for (uint32_t r = 0; r < m->n; ++r) {
        if (m->reds[r] != red) continue;
        memcpy(m->block[r], block, sizeof *block * (size_t)kf__fields(L, red));
        return true;
    }
    return false;
}

static const kf__lx *level_of(kf__low *L, uint32_t red, int f) {
    return kf__l_item(L, kf__field_name(L, "tree", red, f), kf__l_var(L, "level"));
}

void kf__cpu_open_merges(kf__low *L, kf__merges *m) {
    if (!m->n) return;
    for (uint32_t r = 0; r < m->n; ++r)
        for (int f = 0; f < kf__fields(L, m->reds[r]); ++f)
            kf__put_var(L, kf__ctype(kf__field_type(L, m->reds[r], f)),
                        kf__field_name(L, "tree", m->reds[r], f), LEVELS, NULL);
    kf__put_var(L, "int64_t", "tree_n", LEVELS, NULL);
    m->blocks = kf__put_var(L, "int64_t", "blocks", 0, kf__l_int(L, 0));
}

/* Into the states, of n elements: the level's. */
static void put_level(kf__low *L, const kf__merges *m, const kf__lx *n) {
    const kf__lx *more = kf__l_item(L, "tree_n", kf__l_var(L, "level"));
    for (uint32_t r = 0; r < m->n; ++r) {
        kf__state_fields q;
        for (int f = 0; f < kf__fields(L, m->reds[r]); ++f) q[f] = level_of(L, m->reds[r], f);
        kf__put_merge(L, m->reds[r], m->state[r], q, kf__count_as(L, m->reds[r], n),
                      kf__count_as(L, m->reds[r], more));
    }
    kf__put_set(L, n, kf__l_bin(L, "+", n, more));
}

void kf__cpu_put_merges(kf__low *L, const kf__merges *m, const kf__lx *len) {
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1);
    if (!m->n) return;
    kf__open_block(L);
    for (uint32_t r = 0; r < m->n; ++r)
        for (int f = 0; f < kf__fields(L, m->reds[r]); ++f)
            kf__put_set(L, m->state[r][f], m->block[r][f]);
    const kf__lx *n = kf__put_var(L, "int64_t", "n_merged", 0, len);
    const kf__lx *full = kf__put_let(
        L, "int64_t", "full", kf__l_call(L, "kf_trailing_ones", KF__I64, m->blocks), NULL);
    kf__open_for(L, "int64_t", "level", zero, full, one, KF__SERIAL);
    put_level(L, m, n);
    kf__close(L);
    for (uint32_t r = 0; r < m->n; ++r)
        for (int f = 0; f < kf__fields(L, m->reds[r]); ++f)
            kf__put_set(L, kf__l_item(L, kf__field_name(L, "tree", m->reds[r], f), full),
                        m->state[r][f]);
    kf__put_set(L, kf__l_item(L, "tree_n", full), n);
    kf__put_set(L, m->blocks, kf__l_bin(L, "+", m->blocks, one));
    kf__close(L);
}

void kf__cpu_close_merges(kf__low *L, const kf__merges *m) {
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1), *level = kf__l_var(L, "level");
    if (!m->n) return;
    for (uint32_t r = 0; r < m->n; ++r)
        for (int f = 0; f < kf__fields(L, m->reds[r]); ++f)
            kf__put_set(L, m->state[r][f], kf__identity(L, m->reds[r], f));
    const kf__lx *n = kf__put_var(L, "int64_t", "n_merged", 0, zero);
    kf__open_for(L, "int64_t", "level", zero,
                 kf__l_call(L, "kf_bit_length", KF__I64, m->blocks), one, KF__SERIAL);
    kf__open_if(L, kf__l_call(L, "kf_has_bit", KF__BOOL, m->blocks, level));
    put_level(L, m, n);
    kf__close(L);
    kf__close(L);
}
