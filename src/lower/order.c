/* Which axis a kernel's inner loop runs over, and what must go through tiles then.
 *
 * Where nothing is reduced, or nothing of element level follows, any axis may be the innermost one.
 * It is the one along which the most bytes are contiguous: if all operands are transposed, none is
 * after this. What still steps through memory along it, but is contiguous along another axis t,
 * goes through tiles over t and the innermost axis, which the nests move through L1 or shared
 * memory:
 *
 *     x.T + y      y, out   contiguous along the innermost axis      read and written in place
 *                  x        contiguous along t                       by a tile
 *
 * Only classes of strides and dtypes decide, not sizes, as the text would change with them; but for
 * short axes on CUDA. */
#include <limits.h>

#include "lower/low.h"

/* Does the access move anything? Indices as values don't. A guarded load stays where it is: a tile
 * would read what its guard keeps it from. */
bool kf__low_moves(const kf__low *L, uint32_t i, bool guarded) {
    bool read = L->operands[i].store;
    for (uint32_t n = 0; n < L->k->n_instrs; ++n) {
        const kf__instr *in = &L->k->instrs[n];
        if (in->kind != KF__I_LOAD && in->kind != KF__I_RANDOM) continue;
        if (in->access != i) continue;
        if (in->kind == KF__I_LOAD && in->n_args && !guarded) return false;
        read = true;
    }
    return read;
}

/* May it go through tiles with axis t? A guarded load may where its guard is a rectangle of the
 * tile: what is outside isn't moved. */
static bool may_tile(const kf__low *L, uint32_t i, int t) {
    uint32_t loads = 0;
    bool fits = true;
    if (L->operands[i].symbols) return false; /* where its rows are is known behind the tile */
    if (kf__low_moves(L, i, false)) return true;
    for (uint32_t n = 0; n < L->k->n_instrs && fits; ++n) {
        const kf__instr *in = &L->k->instrs[n];
        if (in->kind != KF__I_LOAD || in->access != i) continue;
        fits = ++loads == 1 && in->n_args == 1 && kf__is_rectangle(L, in->args[0], t);
    }
    return fits && loads;
}

/* Bytes of an element, more where the operand has all axes: it is larger then. */
static int weight(const kf__low *L, uint32_t i) {
    bool all = true;
    if (!kf__low_moves(L, i, true)) return 0;
    for (int m = 0; m < L->n_axes; ++m) all = all && L->operands[i].varies[m];
    return kf__types[L->operands[i].dtype].size * (all ? 16 : 1);
}

/* Bytes that aren't contiguous with axis m as the innermost one; of stores only, or of all. */
static int cost_of(const kf__low *L, int m, bool stores) {
    int sum = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (L->operands[i].varies[m] && !L->operands[i].along[m].unit &&
            (L->operands[i].store || !stores))
            sum += weight(L, i);
    return sum;
}

static int cost(const kf__low *L, int m) { return cost_of(L, m, false); }

static bool is_unit(const kf__low *L, uint32_t i, int m) {
    return L->operands[i].varies[m] && L->operands[i].along[m].unit;
}

/* Make axis m the last one; the others keep their order. */
static void move_last(kf__low *L, int m) {
    for (; m < kf__last(L); ++m) {
        kf__axis axis = L->axes[m];
        L->axes[m] = L->axes[m + 1];
        L->axes[m + 1] = axis;
        for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
            kf__operand *o = &L->operands[i];
            int64_t stride = o->stride[m];
            bool varies = o->varies[m];
            kf__along along = o->along[m];
            o->stride[m] = o->stride[m + 1], o->stride[m + 1] = stride;
            o->varies[m] = o->varies[m + 1], o->varies[m + 1] = varies;
            o->along[m] = o->along[m + 1], o->along[m + 1] = along;
        }
    }
}

/* The axis along which the most of what isn't contiguous along the last one is. */
static int tile_axis(const kf__low *L) {
    int best = -1, most = 0;
    for (int m = 0; m < kf__last(L); ++m) {
        int sum = 0;
        for (uint32_t i = 0; i < L->k->n_accesses; ++i)
            if (kf__low_step(L, i) == 2 && is_unit(L, i, m) && may_tile(L, i, m))
                sum += weight(L, i);
        if (sum > most) best = m, most = sum;
    }
    return best;
}

/* On the CPU a line costs as much as some tens of elements: an axis that is known to be shorter, as
 * stack's new one, isn't the innermost one. */
static bool is_short(const kf__low *L, int m) {
    int64_t size;
    return L->target->kind == KF__TARGET_C &&
           kf__x_is_const(&L->p->graph->exprs, L->axes[m].extent, &size) && size < 16;
}

/* Reduced axes keep their order, which argmax counts by. */
static bool may_be_last(const kf__low *L, int m) {
    for (int b = m + 1; L->axes[m].reduced && b < L->n_axes; ++b)
        if (L->axes[b].reduced) return false;
    return true;
}

/* ---------------------------------------------------------------- short axes
 * On CUDA: images with 3 channels, pairs, what is stacked on its last axis. A tile has all of axis
 * c and a part of p, and what is one run along both is moved as that, 16 bytes a thread, whichever
 * of them is innermost in memory. Here sizes decide: whether c is short beside p is one more
 * bucket. */

enum { KF__LEAST_LINE = 64, KF__LEAST_TILE = 2048 };

static int64_t short_rows(int64_t size) {
    int64_t rows = 4;
    while (rows < size) rows *= 2;
    return rows;
}

static bool is_dense(const kf__low *L, uint32_t i, int p, int c) {
    const kf__operand *o = &L->operands[i];
    int64_t size = L->axes[c].size, step = o->stride[p];
    if (!o->varies[p] || !kf__low_moves(L, i, false)) return false;
    if (o->store) return is_unit(L, i, c) && step == size;
    if (!o->varies[c]) return step > 1 && step <= short_rows(size);
    return is_unit(L, i, c) && step >= size && step <= short_rows(size);
}

int64_t kf__low_dense_rows(const kf__low *L) {
    int64_t rows = 2, most = L->axes[L->tile].size;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i)) most = kf__max(most, L->operands[i].stride[kf__last(L)]);
    while (rows < most) rows *= 2;
    return rows;
}

/* Does the pair (p, c) serve all operands, and better than by elements or packs along c? */
static bool is_pair(const kf__low *L, int p, int c, uint64_t *dense) {
    bool gains = false;
    *dense = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        if (!kf__low_moves(L, i, true)) continue;
        if (!o->value || o->packed) return false; /* random words are made by runs */
        if (is_dense(L, i, p, c)) {
            *dense |= (uint64_t)1 << i;
            gains |= !o->varies[c] || L->axes[c].size * kf__types[o->dtype].size % 16;
        } else if (o->varies[p]) {
            if (!is_unit(L, i, p)) return false;
            gains = true;
        }
    }
    return *dense && gains;
}

/* Makes the longest p of such a pair the innermost axis, and c that of tiles. */
static bool order_dense(kf__low *L) {
    int line = -1, rows = -1;
    uint64_t dense;
    for (int c = 0; c < L->n_axes; ++c) {
        if (L->axes[c].size > KF__SHORT_AXIS) continue;
        for (int p = 0; p < L->n_axes; ++p) {
            int64_t size = L->axes[p].size; /* at least half a tile of it */
            if (p == c || size < KF__LEAST_LINE || (line >= 0 && size <= L->axes[line].size))
                continue;
            if (size < KF__LEAST_TILE / short_rows(L->axes[c].size)) continue;
            if (is_pair(L, p, c, &dense)) line = p, rows = c, L->tiled = dense;
        }
    }
    if (line < 0) return false;
    move_last(L, line);
    L->tile = rows - (rows > line);
    return L->dense = true;
}

/* The same without guards that say nothing, and with runs that only sizes tell. */
static bool order_pairs(kf__low *L) {
    const kf__kernel *k = L->k, *free = kf__low_unguarded(L);
    kf__operand *operands = free ? KF__NEW(L->arena, kf__operand, k->n_accesses) : NULL;
    kf__axis axes[KF__MAX_AXES];
    int n_axes = L->n_axes;
    if (!operands) {
        L->failed = L->failed || free;
        return false;
    }
    memcpy(operands, L->operands, sizeof *operands * k->n_accesses);
    memcpy(axes, L->axes, sizeof axes);
    kf__low_merge_runs(L);
    L->k = free;
    if (order_dense(L)) return true;
    L->k = k;
    L->n_axes = n_axes;
    memcpy(L->operands, operands, sizeof *operands * k->n_accesses);
    memcpy(L->axes, axes, sizeof axes);
    return false;
}

/* ---------------------------------------------------------------- gathers
 * What is read at indices that are values goes through no tile: it decides which axis is innermost,
 * and all else is turned.
 *
 *     take(x, i, axis=0).T + y    x[i[b], a] along a, which is a run; y[a, b] and the result by
 *                                 tiles
 *     take(x, i, axis=1).T        x[b, i[a]] along a: in the same row, here and there
 */

enum { IN_ROW = 1, TURNED = 2, ELSEWHERE = 16 }; /* for each byte */

static bool divides(const kf__kernel *k) {
    bool any = false;
    for (uint32_t i = 0; i < k->n_accesses; ++i) any |= !k->accesses[i].affine;
    return any;
}

static uint32_t of_symbols(const kf__low *L, uint32_t axes) {
    return kf__symbol_axes(L->k->n_symbols, L->k->symbol_axes, axes);
}

/* The axes along which it moves by more than one element of a run. */
static uint32_t strided(kf__exprs *x, kf__expr index) {
    kf__expr by[KF__ALL_AXES] = {0}, offset;
    uint32_t axes = 0;
    if (!kf__x_affine(x, index, KF__ALL_AXES, by, &offset)) return 0;
    for (uint32_t m = 0; m < KF__ALL_AXES; ++m)
        if (by[m] && !kf__x_is(x, by[m], 1)) axes |= 1u << m;
    return axes;
}

/* What neighbours along axis m take that aren't neighbours in memory, more where it has all axes. */
static int access_cost(const kf__low *L, const kf__access *a, int size, uint32_t m, bool guarded) {
    kf__exprs *x = &L->p->graph->exprs;
    int inner = kf__low_innermost(L, a);
    uint32_t own = inner < 0 ? 0 : kf__axes_of(x, a->index[inner]), others = 0;
    if (a->run) others = strided(x, a->index[inner]), own &= ~others;
    for (int d = 0; d < a->rank; ++d)
        if (d != inner) others |= kf__axes_of(x, a->index[d]);
    bool gathered = (own | others) >> KF__FIRST_SYMBOL;
    others |= of_symbols(L, others);
    uint32_t axes = own | others | of_symbols(L, own), all = (1u << L->k->n_axes) - 1;
    if ((axes & all) == all) size *= 16;
    if (others >> m & 1) return size * (gathered || guarded ? ELSEWHERE : TURNED);
    return !(axes >> m & 1) || own >> m & 1 ? 0 : size * IN_ROW;
}

static int gathers_cost(const kf__low *L, uint32_t m) {
    const kf__kernel *k = L->k;
    int sum = 0;
    for (uint32_t i = 0; i < k->n_instrs; ++i) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind != KF__I_LOAD) continue;
        sum += access_cost(L, &k->accesses[in->access], kf__types[in->dtype].size, m, in->n_args);
    }
    for (uint32_t s = 0; s < k->n_stores; ++s)
        sum += access_cost(L, &k->accesses[k->stores[s].access],
                           kf__types[k->instrs[k->stores[s].instr].dtype].size, m, false);
    return sum;
}

void kf__low_order_gathers(kf__low *L) {
    int best = kf__last(L), least = INT_MAX;
    if (divides(L->k)) return;
    for (int m = best; m >= 0; --m) {
        int cost = m < kf__last(L) && is_short(L, m) ? INT_MAX : gathers_cost(L, (uint32_t)m);
        if (cost < least) best = m, least = cost;
    }
    move_last(L, best);
}

/* ---------------------------------------------------------------- the order */

/* With m innermost, is all that isn't contiguous along it read by tiles (columns), where it would
 * be copied first with a reduced axis innermost? */
static bool makes_columns(const kf__low *L, int m, int best) {
    bool tiles = L->axes[best].reduced && !L->axes[m].reduced;
    for (uint32_t i = 0; tiles && i < L->k->n_accesses; ++i)
        if (kf__low_moves(L, i, true) && L->operands[i].varies[m] && !L->operands[i].along[m].unit)
            tiles = kf__low_is_column_tile(L, i, m);
    return tiles && cost(L, m) == cost(L, best);
}

/* What goes through tiles over axis t and the innermost one. */
static void put_tile(kf__low *L) {
    if (!L->k->reduced) L->tile = tile_axis(L);
    for (uint32_t i = 0; L->tile >= 0 && i < L->k->n_accesses; ++i)
        if (kf__low_step(L, i) == 2 && is_unit(L, i, L->tile) && may_tile(L, i, L->tile))
            L->tiled |= (uint64_t)1 << i;
}

void kf__low_order(kf__low *L) {
    L->tile = -1;
    L->tiled = 0;
    if (L->n_axes < 2) return;
    if (L->k->n_symbols) {
        if (!divides(L->k)) put_tile(L);
        return;
    }
    if (!L->affine || (L->k->reduced && kf__low_later(L, 1))) return;
    bool packs = L->target->kind != KF__TARGET_C && !L->k->reduced;
    if (packs && (order_dense(L) || order_pairs(L))) return;
    int best = kf__last(L);
    for (int m = kf__last(L); m >= 0; --m) {
        if (!may_be_last(L, m)) continue;
        bool any = false;
        for (uint32_t i = 0; i < L->k->n_accesses; ++i) any = any || is_unit(L, i, m);
        bool worse = is_short(L, m) && !is_short(L, best);
        bool better = is_short(L, best) && !is_short(L, m);
        better = better || cost(L, m) < cost(L, best) || (cost(L, m) && makes_columns(L, m, best));
        if (packs && cost(L, m) == cost(L, best)) /* tiles of loads are the quicker ones */
            better = better || cost_of(L, m, true) < cost_of(L, best, true);
        if (any && !worse && better) best = m;
    }
    move_last(L, best);
    put_tile(L);
}

bool kf__low_tiled(const kf__low *L, uint32_t access) { return L->tiled >> access & 1; }
