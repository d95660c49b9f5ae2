/* Which operands of columns, kernels that reduce outer axes and keep the innermost one, are
 * contiguous along the reduced axis and read or written by tiles: through shared memory
 * (cuda_column_tiles.c) or L1 (cpu_columns.c). What doesn't fit is copied (pack.c). */
#include "lower/low.h"

enum {
    TILE_BYTES = 17 << 10, /* CUDA, of all tiles of 32 by 65: two of f32 */
    STATE_BYTES = 104,     /* CUDA, of a thread beside them */
    MOST_TILES = 2,        /* CPU: they stay in L1 */
};

static int only_one(const kf__low *L, bool reduced) {
    int t = -1, n = 0;
    for (int m = 0; m < L->n_axes; ++m)
        if (L->axes[m].reduced == reduced) t = m, n++;
    return n == 1 ? t : -1;
}

int kf__low_only_reduced(const kf__low *L) { return only_one(L, true); }
int kf__low_only_kept(const kf__low *L) { return only_one(L, false); }

bool kf__low_is_column_tile(const kf__low *L, uint32_t i, int last) {
    const kf__operand *o = &L->operands[i];
    int t = kf__low_only_reduced(L);
    return t >= 0 && o->value && o->affine && o->varies[last] &&
           !o->along[last].unit && o->varies[t] && o->along[t].unit && kf__low_moves(L, i, false);
}

static int state_bytes(const kf__low *L) {
    int n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        for (int f = 0; L->k->instrs[i].kind == KF__I_REDUCE && f < kf__fields(L, i); ++f)
            n += kf__max(4, kf__types[kf__field_type(L, i, f)].size);
    return n;
}

void kf__low_find_column_tiles(kf__low *L) {
    bool cuda = L->target->kind != KF__TARGET_C;
    int bytes = 0, n = 0;
    if (L->axes[kf__last(L)].reduced || L->k->n_symbols) return;
    if (cuda && state_bytes(L) > STATE_BYTES) return;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_is_column_tile(L, i, kf__last(L))) continue;
        bytes += 32 * 65 * kf__max(4, kf__types[kf__compute(L->operands[i].dtype)].size);
        if (cuda ? bytes > TILE_BYTES : ++n > MOST_TILES) return;
        L->tile = kf__low_only_reduced(L);
        L->tiled |= (uint64_t)1 << i;
    }
}
