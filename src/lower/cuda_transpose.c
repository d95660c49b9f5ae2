/* Pointwise kernels on CUDA with operands that are contiguous along another axis t than the
 * innermost one: a block has a tile over both, and such operands go through shared memory.
 *
 *     threads along t: 16 bytes of each such load, into registers      all global loads first, so
 *     threads along the innermost axis: packs of the other loads       that they are in flight
 *     what is along t into shared memory; barrier
 *     for (s = 0; s < V; ++s)             packs, as without tiles, but of shared memory too
 *         values; stores, or results along t into shared memory
 *     barrier; threads along t: results from shared memory, 16 bytes each
 *
 *     shared, of a load      item (l, r) of the tile at l * (rows + pad) + r
 *             of a result    at r * (len + pad) + l
 *
 * Items are padded so that neighbours across a line are in different banks. rows and len are words,
 * powers of two. */
#include "lower/cuda_transpose.h"

/* ---------------------------------------------------------------- packs */

/* Pack s: its row, clamped, as what doesn't depend on the innermost axis is loaded anyway. */
static void head(kf__low *L, kf__tile *t, const kf__lx *s) {
    const kf__lx *high = kf__word_size(L, L->tile);
    const char *type = kf__index_type(L);
    const kf__lx *r = kf__put_let(L, "int", "r",
                                  plus(L, var(L, "row"), times(L, s, var(L, "row_step"))), NULL);
    t->across = t->above ? plus(L, r, var(L, "above")) : r;
    const kf__lx *any = kf__put_let(L, type, "any_row", plus(L, var(L, "t0"), r), NULL);
    const kf__lx *is = kf__l_bin(L, "<", any, high);
    t->left = kf__put_let(L, "int", "left",
                          kf__l_select(L, is, var(L, "whole"), kf__l_int(L, 0)), NULL);
    kf__put_let(L, type, L->axes[L->tile].var,
                kf__l_select(L, is, any, kf__l_bin(L, "-", high, kf__l_int(L, 1))), NULL);
}

/* Of the rows above a tile; those of the first tile aren't there. */
static void head_above(kf__low *L, kf__tile *t, const kf__lx *s) {
    const char *type = kf__index_type(L);
    const kf__lx *high = kf__word_size(L, L->tile), *zero = kf__l_int(L, 0), *t0 = var(L, "t0");
    t->across = kf__put_let(L, "int", "r",
                            plus(L, var(L, "row"), times(L, s, var(L, "row_step"))), NULL);
    const kf__lx *any =
        kf__put_let(L, type, "any_row",
                    kf__l_bin(L, "-", plus(L, t0, t->across), var(L, "above")), NULL);
    const kf__lx *is = kf__l_bin(L, "<", any, high);
    is = kf__l_bin(L, "&&", kf__l_bin(L, "<", zero, t0), is);
    t->left = kf__put_let(L, "int", "left", kf__l_select(L, is, var(L, "whole"), zero), NULL);
    kf__put_let(L, type, L->axes[L->tile].var, kf__l_select(L, is, any, zero), NULL);
}

static int64_t tiles_across(const kf__low *L, const kf__shape *s) {
    int64_t size = L->axes[L->tile].size, above = kf__shape_above(L, s);
    return kf__ceil_div(above && size ? size + above - 1 : size, s->rows);
}

/* The tile's corner and the other axes' variables, from the block's number. */
static void put_corner(kf__low *L, const kf__shape *s) {
    const char *type = kf__index_type(L);
    int64_t n_along = kf__ceil_div(L->axes[kf__last(L)].size, s->len);
    int64_t n_across = tiles_across(L, s);
    const kf__lx *along =
        kf__put_let(L, type, "along", kf__word_int(L, "tiles_along", n_along), NULL);
    const kf__lx *across =
        kf__put_let(L, type, "across", kf__word_int(L, "tiles_across", n_across), NULL);
    kf__put_let(L, "int", "tile_rows", kf__word_int(L, "rows", s->rows), NULL);
    kf__put_let(L, "int", "tile_len", kf__word_int(L, "len", s->len), NULL);
    const kf__lx *u = kf__put_let(L, type, "u", kf__l_callv(L, "kf_block", KF__I64, 0, NULL), NULL);
    const kf__lx *rest = kf__put_let(L, type, "rest", kf__l_bin(L, "/", u, along), NULL);
    kf__put_let(L, type, "l0", times(L, kf__l_bin(L, "%", u, along), var(L, "tile_len")), NULL);
    kf__put_let(L, type, "t0", times(L, kf__l_bin(L, "%", rest, across), var(L, "tile_rows")),
                NULL);
    kf__put_decode(L, false, true,
                   kf__put_let(L, type, "outer", kf__l_bin(L, "/", rest, across), NULL));
}

static void put_threads(kf__low *L, kf__tile *t) {
    const kf__lx *tid = var(L, "tid"), *width = kf__l_int(L, t->W);
    const kf__lx *lanes = kf__put_let(L, "int", "lanes",
                                      kf__l_bin(L, "/", var(L, "tile_len"), width), "of a row");
    kf__put_let(L, "int", "row", kf__l_bin(L, "/", tid, lanes), NULL);
    kf__put_let(L, "int", "row_step", kf__l_bin(L, "/", kf__l_int(L, KF__TILE_THREADS), lanes),
                NULL);
    t->along = kf__put_let(L, "int", "in_row",
                           times(L, kf__l_bin(L, "%", tid, lanes), width), NULL);
    t->j = kf__put_let(L, "int64_t", "j", plus(L, var(L, "l0"), t->along), NULL);
    const kf__lx *size = kf__word_size(L, kf__last(L));
    kf__put_let(L, "int", "whole",
                kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, t->j), width),
                "elements of a pack");
}

/* Of tiles by elements: does the pointer of this operand go on from row to row? */
static bool is_carried(const kf__low *L, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    int step = kf__low_step(L, i);
    return o->value && o->affine && !o->symbols && !kf__low_tiled(L, i) && o->varies[L->tile] &&
           (step == 1 || step == 2);
}

static const char *carried_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "p%u_%s", (unsigned)i, L->operands[i].name);
}

static const char *advance_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "d%u_%s", (unsigned)i, L->operands[i].name);
}

static void put_carried(kf__low *L, const kf__tile *t) {
    kf__put_let(L, kf__index_type(L), "first_row", plus(L, var(L, "t0"), var(L, "row")), NULL);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!is_carried(L, i)) continue;
        kf__put_var(L, kf__pointer_type(L, i), carried_name(L, i), 0,
                    kf__low_address(L, i, L->tile, "first_row", t->j));
        kf__put_let(L, "int64_t", advance_name(L, i),
                    times(L, var(L, "row_step"), kf__word_stride(L, i, L->tile)), NULL);
    }
}

static void head_of_element(kf__low *L, kf__tile *t, const kf__lx *s) {
    head(L, t, s);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (is_carried(L, i)) L->pointer[i] = carried_name(L, i);
}

/* Each is used in one of the two loops. */
static void tail_of_element(kf__low *L, bool loads) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (is_carried(L, i) && L->operands[i].store != loads)
            kf__put_advance(L, carried_name(L, i), advance_name(L, i));
}

/* Is all that it stores packed, in aligned rows? */
static bool stores_packed(const kf__low *L) {
    bool all = true;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        all &= !L->operands[i].store || L->operands[i].packed;
    return all;
}

static kf__tile by_elements(const kf__tile *t, int V) {
    kf__tile single = *t;
    single.W = 1, single.V = V, single.vec = false, single.taken = true;
    return single;
}

/* By packs where all are aligned; else element by element, neighbours by neighbouring threads: of
 * packs that aren't, each store writes an element here and there. */
static void put_elements(kf__low *L, const kf__tile *t, kf__phase *p) {
    bool either = kf__shape_by_elements(L) && t->W > 1 && !stores_packed(L);
    kf__tile packs = *t, single = by_elements(t, t->V * t->W);
    packs.wide = either;
    if (either) /* a row may be longer than there are threads */
        kf__open_if(L, kf__l_bin(L, "||", kf__word_aligned(L, "vec", t->vec),
                                 kf__l_bin(L, "<", kf__l_int(L, KF__TILE_THREADS),
                                           var(L, "tile_len"))));
    put_threads(L, &packs);
    kf__cuda_phase(L, &packs, p, 0, true);
    if (!either) return;
    kf__forget(L, KF__LEVEL_FULL);
    kf__open_else(L);
    put_threads(L, &single);
    single.head = head_of_element;
    single.tail = tail_of_element;
    put_carried(L, &single);
    kf__cuda_phase(L, &single, p, 0, true);
    kf__close(L);
}

/* Is a result written over what is loaded where it is stored? Then each of its elements is read by
 * the thread that stores it, and by no other one. */
static const kf__lx *written_over(kf__low *L) {
    const kf__lx *any = NULL;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        for (uint32_t k = 0; k < L->k->n_accesses; ++k) {
            const kf__operand *load = &L->operands[i], *store = &L->operands[k];
            if (!load->value || !store->value || load->store || !store->store) continue;
            if (kf__types[load->dtype].size != kf__types[store->dtype].size) continue;
            const kf__lx *same =
                kf__l_call(L, "kf_same_place", KF__I32, var(L, kf__word_operand(L, i)),
                           var(L, kf__word_operand(L, k)));
            any = any ? kf__l_bin(L, "||", any, same) : same;
        }
    return any;
}

/* The rows above the tile: what goes into shared memory of them. */
static void put_above(kf__low *L, const kf__shape *s, const kf__tile *t, const kf__phase *p) {
    uint16_t stores[64];
    kf__phase above = {.stores = stores};
    kf__tile single = by_elements(t, s->above / (KF__TILE_THREADS / KF__TILE_LEN));
    for (uint32_t i = 0; i < p->n_stores; ++i)
        if (kf__low_tiled(L, L->k->stores[p->stores[i]].access))
            stores[above.n_stores++] = p->stores[i];
    const kf__lx *rows = kf__word_int(L, "rows_above", kf__shape_above(L, s));
    const kf__lx *over = written_over(L);
    if (over) rows = kf__l_select(L, over, kf__l_int(L, 0), rows);
    kf__open_if(L, kf__put_let(L, "int", "above", rows, "rows that lines may begin in"));
    single.head = head_above;
    put_threads(L, &single);
    kf__cuda_phase(L, &single, &above, 0, true);
    kf__close(L);
    kf__forget(L, KF__LEVEL_FULL);
}

bool kf__cuda_transpose(kf__low *L) {
    kf__tile t = {.W = kf__cuda_width(L), .head = head, .between = kf__along_between};
    kf__shape s = {0};
    if (L->tile < 0 || !kf__shape_pick(L, t.W, &s)) {
        L->tile = -1;
        L->tiled = 0;
        L->dense = false;
        return false;
    }
    kf__shape_sides(L, &s);
    t.V = s.each / t.W;
    t.above = s.above > 0;
    t.vec = kf__cuda_wide(L, t.W);
    int64_t tiles = kf__ceil_div(L->axes[kf__last(L)].size, s.len) * tiles_across(L, &s);
    int64_t most = kf__max(L->axes[kf__last(L)].size, L->axes[L->tile].size);
    for (int m = 0; m < kf__last(L); ++m)
        if (m != L->tile) tiles *= L->axes[m].size, most = kf__max(most, L->axes[m].size);
    L->small = L->affine && tiles < INT32_MAX && most < INT32_MAX;
    kf__low_begin(L, "", "A tile a block: what is transposed goes through shared memory.");
    L->fn->threads = KF__TILE_THREADS;
    L->fn->grid = tiles;
    uint16_t stores[64];
    kf__phase p = {.stores = stores, .n_stores = kf__low_stores(L, 0, stores)};
    put_corner(L, &s);
    kf__put_scalars(L);
    kf__thread_id(L);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__along_is_load(L, i)) kf__along_early(L, &s, i);
    bool late = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i) || !L->operands[i].store) continue;
        late = true;
        if (L->dense)
            kf__dense_put_shared(L, kf__shape_size(&s), i);
        else
            kf__put_shared(L, kf__ctype(L->operands[i].dtype), kf__cuda_tile_name(L, i),
                           kf__shape_items(L, &s, i));
    }
    if (s.above) put_above(L, &s, &t, &p);
    put_elements(L, &t, &p);
    if (late) kf__cuda_put_barrier(L);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i) && L->operands[i].store) kf__along_late(L, &s, i);
    return true;
}
