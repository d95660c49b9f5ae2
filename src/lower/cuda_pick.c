/* Picks between dear parts: each part is computed where it counts.
 *
 *     concatenate([gelu(x), y])     float v9;
 *                                   if (v0) { v4 ... v8 of v3 = x; v9 = v8; } else { v9 = y; }
 *
 * The loads have been made before, by packs; only what is computed of them for one part alone moves
 * into the branch. Elements next to one another are mostly of one part, and so are a warp's. Not a
 * pad: nearly all of it is inside, and without branches a pack's elements are computed side by
 * side. */
#include "lower/cuda.h"

/* Fills sides[]: 2 p for what only the first part of pick p needs, 2 p + 1 for the second,
 * KF__EITHER. picks: those that count; held: what stands outside anyway. */
static void find_sides(const kf__low *L, const kf__mask *mask, const kf__mask *held,
                       const uint8_t *picks, uint8_t *used, uint16_t *sides) {
    memset(used, 0, L->k->n_instrs);
    for (uint32_t i = L->k->n_instrs; i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        if (!used[i] || !kf__has(mask, i) || kf__has(held, i)) sides[i] = KF__EITHER;
        if (!kf__has(mask, i)) continue;
        for (int a = 0; a < in->n_args; ++a) {
            uint32_t arg = in->args[a];
            uint16_t by = picks[i] && a > 0 ? (uint16_t)(2 * i + (a == 2)) : sides[i];
            sides[arg] = used[arg] && sides[arg] != by ? KF__EITHER : by;
            used[arg] = 1;
        }
    }
}

/* Keep the picks with something dear in a part, and those around them. */
static bool keep_dear(const kf__low *L, const kf__mask *mask, const uint16_t *sides,
                      uint8_t *picks) {
    bool any = false;
    memset(picks, 0, L->k->n_instrs);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || in->kind != KF__I_OP || kf__ops[in->op].ulp <= 0) continue;
        for (uint16_t side = sides[i]; side != KF__EITHER; side = sides[side / 2])
            picks[side / 2] = any = true;
    }
    return any;
}

const uint16_t *kf__cuda_sides(kf__low *L, const kf__mask *mask, const kf__mask *held) {
    uint32_t n = L->k->n_instrs;
    uint16_t *sides = KF__NEW(L->arena, uint16_t, n + 1);
    uint8_t *picks = KF__NEW(L->arena, uint8_t, n + 1), *used = KF__NEW(L->arena, uint8_t, n + 1);
    bool any = false;
    if (!sides || !picks || !used) {
        L->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < n; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        picks[i] = kf__has(mask, i) && in->kind == KF__I_PICK && in->field == KF__PICK_MORE;
        any |= picks[i];
    }
    if (!any || 2 * n >= KF__EITHER) return NULL;
    find_sides(L, mask, held, picks, used, sides);
    if (!keep_dear(L, mask, sides, picks)) return NULL;
    find_sides(L, mask, held, picks, used, sides);
    return sides;
}

bool kf__cuda_has_sides(const kf__low *L, const uint16_t *sides, uint32_t pick) {
    bool any = false;
    for (uint32_t i = 0; sides && i < L->k->n_instrs; ++i)
        any |= sides[i] != KF__EITHER && sides[i] / 2u == pick;
    return any;
}
