/* Columns of short lines, of which the array has many: sum(tanh(x + b), 0) of (32, 64, 28, 28).
 *
 *     for (u = begin; u < end; ++u)                  a unit: lines along the axis before theirs
 *         for each row
 *             for (r = 0; r < lines; ++r)            what those can't read as one: cpu_leaves.c
 *                 for (l = 0; l < n; ++l)
 *                     leaf2[r * n + l] = b[l]
 *             for (l = 0; l < lines * n; ++l)        else as one line is, cpu_columns.c
 *
 * Without b all of them would be one line anyway. Line by line, a unit of 32 rows of 28 elements
 * takes longer to begin than to do. */
#include "lower/cpu_columns.h"

/* The last kept axis before the lines' own; -1: there is none. */
static int axis_of(const kf__low *L) {
    int m = kf__last(L) - 1;
    while (m >= 0 && L->axes[m].reduced) --m;
    return m;
}

int kf__columns_find_wide(kf__low *L, kf__columns *c) {
    int m = axis_of(L);
    uint16_t *roots;
    uint32_t n = kf__cpu_roots(L, 0, &roots);
    if (!roots || m < 0 || L->tiled || L->k->n_symbols) return -1;
    for (uint32_t s = 0; s < c->n_stores; ++s) {
        uint32_t access = L->k->stores[c->stores[s]].access;
        if (!L->operands[access].varies[m] || kf__low_step(L, access) != 1) return -1;
    }
    return kf__cpu_find_leaves(L, roots, n, m, &c->leaves) ? m : -1;
}

bool kf__columns_is_wide(kf__low *L, const kf__columns *c, int axis) {
    int64_t n = L->axes[kf__last(L)].size;
    if (n > KF__CPU_SHORT || n == 0 || L->axes[axis].size < 2) return false;
    kf__cpu_hold_leaves(L, &c->leaves, kf__l_int(L, 0));
    const kf__mask *mask = kf__cpu_of_stage(L, 0);
    kf__cpu_hold_leaves(L, &c->leaves, NULL);
    bool is = true;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool at = in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM;
        if (kf__has(mask, i) && at) is = is && L->operands[in->access].stride[axis] == n;
    }
    for (uint32_t s = 0; s < c->n_stores; ++s)
        is = is && L->operands[L->k->stores[c->stores[s]].access].stride[axis] == n;
    return is;
}

int64_t kf__columns_wide_lines(const kf__low *L, const kf__columns *c) {
    return kf__max(1, c->most_tile / kf__max(1, L->axes[kf__last(L)].size));
}

void kf__columns_put_wide_tile(kf__low *L, kf__columns *c, const kf__lx *tile,
                               const kf__lx *outer) {
    const kf__lx *most = kf__word_int(L, "tile", kf__columns_wide_lines(L, c));
    L->tile = c->wide; /* the loop over it is the unit's own */
    kf__put_decode(L, false, true, outer);
    L->tile = -1;
    c->line = kf__put_let(L, "int64_t", "first_line", kf__l_bin(L, "*", tile, most), NULL);
    kf__put_let(L, kf__index_type(L), L->axes[c->wide].var, c->line, NULL);
    const kf__lx *left = kf__l_bin(L, "-", kf__word_size(L, c->wide), c->line);
    c->lines = kf__put_let(L, "int64_t", "lines",
                           kf__l_call(L, "kf_min_i64", KF__I64, left, most), NULL);
    c->first = kf__l_int(L, 0);
    c->len = kf__put_let(L, "int64_t", "len",
                         kf__l_bin(L, "*", c->lines, kf__word_size(L, kf__last(L))), NULL);
}

void kf__columns_put_wide_leaves(kf__low *L, const kf__columns *c, const uint16_t *roots,
                                 uint32_t n, const char *name, kf__leaves *put) {
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    *put = (kf__leaves){.axis = c->wide};
    for (uint32_t k = 0; k < c->leaves.n; ++k) {
        uint16_t i = c->leaves.instr[k];
        if (!kf__has(mask, i)) continue;
        put->name[put->n] = kf__l_name(L, "leaf%u_%s", (unsigned)i, name);
        put->instr[put->n++] = i;
    }
    kf__leaf_rows of = {c->line, c->lines, c->first, kf__word_size(L, kf__last(L)),
                        KF__LEAVES_OF_TILES};
    kf__cpu_forget(L, NULL);
    if (put->n) kf__cpu_put_leaves(L, put, &of);
}

void kf__columns_put_wide_ahead(kf__low *L, const kf__columns *c, const kf__mask *mask) {
    int m = kf__low_only_reduced(L);
    const kf__lx *next = kf__l_bin(L, "+", kf__l_var(L, "r"), kf__l_int(L, 1));
    bool any = false;
    for (uint32_t i = 0; m >= 0 && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || in->kind != KF__I_LOAD || !L->operands[in->access].varies[m])
            continue;
        if (!any)
            kf__open_if(L, kf__l_bin(L, "&&", kf__l_var(L, "prefetch"),
                                     kf__l_bin(L, "<", next, c->to)));
        any = true;
        const kf__lx *at = kf__l_bin(L, "+", kf__l_var(L, L->pointer[in->access]),
                                     kf__word_stride(L, in->access, m));
        kf__cpu_prefetch_run(L, in->access, at, c->len);
    }
    if (any) kf__close(L);
}
