/* The shape of a transpose's tile: as many elements a thread as keep many loads in flight and fit
 * into shared memory.
 *
 *     64 x 64                          where both axes are long
 *     as high or wide as the array     where it is narrow, so that no thread is idle
 *
 * Results along t whose lines aren't aligned: memory takes sectors of 32 bytes, and a part of one
 * costs more than a whole one. A tile then has some rows above it too, and stores of each line what
 * is from the sector's beginning on, up to that of the next tile's. z.T, z * 2 of 3163x3161 on an
 * H200: f32 52.6 -> 39.8 us, bf16 34.3 -> 25.8. */
#include "lower/cuda_transpose.h"

enum {
    SHARED_BYTES = 48 << 10,
    SECTOR = 32,
    LEAST_LEN = 16,
    LEAST_BYTES = 32 << 20, /* of all arrays, for rows above a tile */
    MOST_ARRAYS = 8,
};

/* Items of an operand in 16 bytes. */
int kf__along_items(const kf__low *L, uint32_t i) {
    return 16 / kf__types[L->operands[i].dtype].size;
}

/* Bytes of an item in shared memory: as stored for loads, as computed for stores. */
int kf__along_size(const kf__low *L, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    kf__dtype type = o->store ? kf__compute(o->dtype) : o->dtype;
    return type == KF__BOOL && o->store ? 4 : kf__types[type].size;
}

int kf__along_padding(const kf__low *L, uint32_t i) {
    int size = kf__along_size(L, i);
    return size >= 4 ? 1 : 4 / size;
}

int64_t kf__shape_size(const kf__shape *s) { return (int64_t)s->each * KF__TILE_THREADS; }

/* Items of shared memory, whatever the shape: the worst is the one with the most padding. */
int64_t kf__shape_items(const kf__low *L, const kf__shape *s, uint32_t i) {
    int64_t tile = kf__shape_size(s), pad = kf__along_padding(L, i);
    int64_t side = L->operands[i].store ? LEAST_LEN : s->least_rows;
    int64_t most = tile + tile / side * pad;
    if (!L->operands[i].store || !s->above) return most;
    return kf__max(most, (tile / KF__TILE_LEN + s->above) * (KF__TILE_LEN + pad));
}

/* Do strides allow 16-byte accesses along t of this operand? */
static bool is_wide(const kf__low *L, uint32_t i) {
    for (int m = 0; m < L->n_axes; ++m)
        if (m != L->tile && !(L->dense && m == kf__last(L)) && L->operands[i].varies[m] &&
            L->axes[m].size > 1 && L->operands[i].stride[m] % kf__along_items(L, i))
            return false;
    return true;
}

/* Do they of all the others? */
static bool are_wide(const kf__low *L) {
    bool all = true;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        all = all && (!kf__low_tiled(L, i) || kf__begins_inside(&L->operands[i]) || is_wide(L, i));
    return all;
}

/* A word: may operand i, which goes through shared memory, be accessed by 16 bytes? */
const kf__lx *kf__along_wide(kf__low *L, uint32_t i) {
    if (kf__begins_inside(&L->operands[i]))
        return kf__word_own_aligned(L, i, is_wide(L, i));
    return kf__word_aligned(L, "vec_t", are_wide(L));
}

/* ---------------------------------------------------------------- what fits */

static int64_t shared_bytes(const kf__low *L, const kf__shape *s) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        int64_t size = L->dense ? kf__types[L->operands[i].dtype].size : kf__along_size(L, i);
        int64_t items =
            L->dense ? kf__dense_items(L, kf__shape_size(s), i) : kf__shape_items(L, s, i);
        bytes += (items * size + 15) / 16 * 16;
    }
    return bytes;
}

/* For `each` elements a thread: fits, or not. */
static bool try_shape(const kf__low *L, int width, int each, kf__shape *s) {
    s->each = each;
    s->packs = each / width;
    if (L->dense) /* a tile has as many rows as a thread has packs, and more */
        return width <= each && each / width <= 4 && shared_bytes(L, s) <= SHARED_BYTES;
    s->least_rows = (int)kf__max(4, each / width);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        if (kf__along_items(L, i) > each) return false;
        s->least_rows = (int)kf__max(s->least_rows, kf__along_items(L, i));
    }
    return width <= each && shared_bytes(L, s) <= SHARED_BYTES;
}

/* ---------------------------------------------------------------- rows above a tile */

/* Random words are made four at a time. */
bool kf__shape_by_elements(const kf__low *L) {
    bool any = false;
    if (L->dense) return false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        any |= L->operands[i].value && !kf__low_tiled(L, i) && kf__low_step(L, i) == 1;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind == KF__I_RANDOM && in->level == KF__LEVEL_FULL) return false;
        if (in->kind == KF__I_LOAD && in->n_args && !kf__low_tiled(L, in->access)) return false;
    }
    return any;
}

int kf__along_sector(const kf__low *L, uint32_t i) {
    return SECTOR / kf__types[L->operands[i].dtype].size;
}

/* Rows above a tile that lines may begin in: not where anything is loaded along t, nor where too
 * many instructions for each byte are what takes the time; and of a few arrays, as each result may
 * be written over each input. */
static int find_above(const kf__low *L) {
    int above = 0;
    bool other = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        other |= o->value && o->store && !kf__low_tiled(L, i);
        if (!kf__low_tiled(L, i)) continue;
        int size = kf__types[o->dtype].size;
        if (!o->store || (size != 2 && size != 4)) return 0;
        above = (int)kf__max(above, kf__along_sector(L, i));
    }
    bool halves = above > SECTOR / 4;
    if (!kf__shape_by_elements(L) || L->k->n_accesses > MOST_ARRAYS) return 0;
    return halves && !other ? 0 : above;
}

static bool try_shapes(const kf__low *L, int width, int each, kf__shape *s) {
    s->above = find_above(L);
    if (try_shape(L, width, each, s)) return true;
    s->above = 0;
    return try_shape(L, width, each, s);
}

/* ---------------------------------------------------------------- the shape */

/* Elements of a thread: many loads in flight, but not more than there are registers for. Where a
 * gather's loads wait for its index, more threads do more than more loads of each (take(x, i, 0).T
 * of 317x316 4.2 us with 16 on an H100, 2.6 with 4); but of elements here and there a wider row has
 * more in the same sectors. */
static int most_elements(const kf__low *L, int width, int loads) {
    if (!L->k->n_symbols) return loads > 8 ? 8 : 16;
    return L->affine ? kf__max(4, width) : 8;
}

/* What doesn't fit into shared memory stays where it is. */
bool kf__shape_pick(kf__low *L, int width, kf__shape *s) {
    int loads = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!L->operands[i].value) L->tiled &= ~((uint64_t)1 << i); /* random words are made */
        loads += !L->operands[i].store;
    }
    while (L->tiled) {
        for (int each = most_elements(L, width, loads); each >= 4; each /= 2)
            if (try_shapes(L, width, each, s)) return true;
        if (try_shapes(L, width, 16, s)) return true;
        L->tiled &= L->tiled - 1;
    }
    return false;
}

/* Of this plan: where lines aren't aligned, tiles are as usual, and arrays are larger than the
 * cache, in which parts of sectors are put together. The emulated GPU has none. */
int64_t kf__shape_above(const kf__low *L, const kf__shape *s) {
    bool fits = L->target->kind == KF__TARGET_CUDA && kf__low_bytes(L) < LEAST_BYTES;
    return are_wide(L) || fits || s->len != KF__TILE_LEN ? 0 : s->above;
}

static int64_t power_of_two(int64_t n, int64_t least, int64_t most) {
    while (least < n && least < most) least *= 2;
    return least;
}

void kf__shape_sides(const kf__low *L, kf__shape *s) {
    int64_t tile = kf__shape_size(s), usual = s->each < 16 ? 32 : 64;
    int64_t high = L->axes[L->tile].size, wide = L->axes[kf__last(L)].size;
    s->rows = L->dense ? kf__max(kf__low_dense_rows(L), s->packs) : kf__max(usual, s->least_rows);
    s->len = tile / s->rows;
    if (L->dense) return;
    if (high <= usual / 2)
        s->rows = power_of_two(high, s->least_rows, usual);
    else if (wide <= tile / usual / 2)
        s->rows = tile / power_of_two(wide, LEAST_LEN, tile / usual);
    s->len = tile / s->rows;
}
