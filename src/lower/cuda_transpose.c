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
 * powers of two: 64 x 64, or as high or wide as the array is narrow.
 *
 * Results along t whose lines aren't aligned: memory takes sectors of 32 bytes, and a part of one
 * costs more than a whole one. A tile then has some rows above it too, and stores of each line what
 * is from the sector's beginning on, up to that of the next tile. (z.T, z * 2 of 3163x3161 on an
 * H200, f32 54 -> 42 us, bf16 36 -> 26.) */
#include "lower/cuda.h"

enum {
    KF__TILE_THREADS = 256,
    KF__SHARED_BYTES = 48 << 10,
    KF__LEAST_LEN = 16, /* of a tile */
    KF__SECTOR = 32,    /* bytes that memory takes at once */
    USUAL_LEN = 64,
    LEAST_BYTES = 32 << 20, /* of all arrays, for rows above a tile */
};

typedef struct shape {
    int each;          /* elements of a thread; a tile has 256 times as many */
    int packs;         /* of a thread */
    int least_rows;
    int above;         /* rows above a tile that there is room for */
    int64_t rows, len; /* of this plan */
} shape;

/* ---------------------------------------------------------------- the tile's shape */

/* Items of an operand in 16 bytes. */
static int along_t(const kf__low *L, uint32_t i) {
    return 16 / kf__types[L->operands[i].dtype].size;
}

/* Bytes of an item in shared memory: as stored for loads, as computed for stores. */
static int item_size(const kf__low *L, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    kf__dtype type = o->store ? kf__compute(o->dtype) : o->dtype;
    return type == KF__BOOL && o->store ? 4 : kf__types[type].size;
}

static int padding(int size) { return size >= 4 ? 1 : 4 / size; }

static int64_t tile_size(const shape *s) { return (int64_t)s->each * KF__TILE_THREADS; }

/* Items of shared memory, whatever the shape: the worst is the one with the most padding. */
static int64_t shared_items(const kf__low *L, const shape *s, uint32_t i) {
    int64_t tile = tile_size(s), pad = padding(item_size(L, i));
    int64_t side = L->operands[i].store ? KF__LEAST_LEN : s->least_rows;
    int64_t most = tile + tile / side * pad;
    if (!L->operands[i].store || !s->above) return most;
    return kf__max(most, (tile / USUAL_LEN + s->above) * (USUAL_LEN + pad));
}

static int64_t shared_bytes(const kf__low *L, const shape *s) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        int64_t size = L->dense ? kf__types[L->operands[i].dtype].size : item_size(L, i);
        int64_t items = L->dense ? kf__dense_items(L, tile_size(s), i) : shared_items(L, s, i);
        bytes += (items * size + 15) / 16 * 16;
    }
    return bytes;
}

/* For `each` elements a thread: fits, or not. */
static bool try_shape(const kf__low *L, int width, int each, shape *s) {
    s->each = each;
    s->packs = each / width;
    if (L->dense) /* a tile has as many rows as a thread has packs, and more */
        return width <= each && each / width <= 4 && shared_bytes(L, s) <= KF__SHARED_BYTES;
    s->least_rows = (int)kf__max(4, each / width);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        if (along_t(L, i) > each) return false;
        s->least_rows = (int)kf__max(s->least_rows, along_t(L, i));
    }
    return width <= each && shared_bytes(L, s) <= KF__SHARED_BYTES;
}

static int find_above(const kf__low *L);

static bool try_shapes(const kf__low *L, int width, int each, shape *s) {
    s->above = find_above(L);
    if (try_shape(L, width, each, s)) return true;
    s->above = 0;
    return try_shape(L, width, each, s);
}

/* Many loads in flight, but not more than there are registers for; what doesn't fit into shared
 * memory stays where it is. */
static bool pick_shape(kf__low *L, int width, shape *s) {
    int loads = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!L->operands[i].value) L->tiled &= ~((uint64_t)1 << i); /* random words are made */
        loads += !L->operands[i].store;
    }
    while (L->tiled) {
        for (int each = loads > 8 ? 8 : 16; each >= 4; each /= 2)
            if (try_shapes(L, width, each, s)) return true;
        if (try_shapes(L, width, 16, s)) return true;
        L->tiled &= L->tiled - 1;
    }
    return false;
}

/* Do strides allow 16-byte accesses along t of this operand? */
static bool is_wide(const kf__low *L, uint32_t i) {
    for (int m = 0; m < L->n_axes; ++m)
        if (m != L->tile && !(L->dense && m == kf__last(L)) && L->operands[i].varies[m] &&
            L->axes[m].size > 1 && L->operands[i].stride[m] % along_t(L, i))
            return false;
    return true;
}

static int in_sector(const kf__low *L, uint32_t i) {
    return KF__SECTOR / kf__types[L->operands[i].dtype].size;
}

static bool has_packs(const kf__low *L);

/* Rows above a tile that lines may begin in: not where anything is loaded along t, nor where too
 * many instructions for each byte are what takes the time. */
static int find_above(const kf__low *L) {
    int above = 0;
    bool other = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        other |= o->value && o->store && !kf__low_tiled(L, i);
        if (!kf__low_tiled(L, i)) continue;
        int size = kf__types[o->dtype].size;
        if (!o->store || (size != 2 && size != 4)) return 0;
        above = (int)kf__max(above, in_sector(L, i));
    }
    bool halves = above > KF__SECTOR / 4;
    return L->dense || !has_packs(L) || (halves && !other) ? 0 : above;
}

/* Of this plan: where lines aren't aligned, tiles are as usual, and arrays are larger than the cache,
 * in which parts of sectors are put together. The emulated GPU has none. */
static int64_t rows_above(const kf__low *L, const shape *s) {
    bool all = true;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) all &= !kf__low_tiled(L, i) || is_wide(L, i);
    bool fits = L->target->kind == KF__TARGET_CUDA && kf__low_bytes(L) < LEAST_BYTES;
    return all || fits || s->len != USUAL_LEN ? 0 : s->above;
}

static int64_t power_of_two(int64_t n, int64_t least, int64_t most) {
    while (least < n && least < most) least *= 2;
    return least;
}

static void pick_sides(const kf__low *L, shape *s) {
    int64_t tile = tile_size(s), usual = s->each < 16 ? 32 : 64;
    int64_t high = L->axes[L->tile].size, wide = L->axes[kf__last(L)].size;
    s->rows = L->dense ? kf__max(kf__low_dense_rows(L), s->packs) : kf__max(usual, s->least_rows);
    s->len = tile / s->rows;
    if (L->dense) return;
    if (high <= usual / 2)
        s->rows = power_of_two(high, s->least_rows, usual);
    else if (wide <= tile / usual / 2)
        s->rows = tile / power_of_two(wide, KF__LEAST_LEN, tile / usual);
    s->len = tile / s->rows;
}

/* Does it begin in the middle of an array? Then its alignment is its own affair. */
static bool is_apart(const kf__low *L, uint32_t i) {
    return !L->operands[i].store && !L->operands[i].origin;
}

/* A word: may operand i, which goes through shared memory, be accessed by 16 bytes? */
static const kf__lx *wide(kf__low *L, uint32_t i) {
    bool all = true;
    if (is_apart(L, i))
        return kf__word_aligned(L, kf__l_name(L, "vec_%s", L->operands[i].name), is_wide(L, i));
    for (uint32_t k = 0; k < L->k->n_accesses; ++k)
        all = all && (!kf__low_tiled(L, k) || is_apart(L, k) || is_wide(L, k));
    return kf__word_aligned(L, "vec_t", all);
}

/* ---------------------------------------------------------------- small expressions */

static const kf__lx *plus(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_bin(L, "+", a, b);
}
static const kf__lx *times(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_bin(L, "*", a, b);
}
static const kf__lx *var(kf__low *L, const char *name) { return kf__l_var(L, name); }

static const char *register_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "g%u", (unsigned)i);
}

/* What an item of shared memory is, for a load: bits, by their number. */
static const char *bits_name(const kf__low *L, uint32_t i) {
    static const char *const names[] = {[1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64"};
    return names[item_size(L, i)];
}

static const kf__lx *pitch(kf__low *L, uint32_t i) {
    const kf__lx *side = var(L, L->operands[i].store ? "tile_len" : "tile_rows");
    return plus(L, side, kf__l_int(L, padding(item_size(L, i))));
}

void kf__cuda_from_shared(kf__low *L, const kf__tile *t, uint32_t access, const kf__lx *words) {
    if (L->dense) {
        kf__dense_take(L, t, access, words);
        return;
    }
    const char *name = kf__l_name(L, "kf_shared_take%d_%s", t->W, bits_name(L, access));
    const kf__lx *at = plus(L, times(L, t->along, pitch(L, access)), t->across);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, kf__cuda_tile_name(L, access)), at,
                               pitch(L, access), words));
}

void kf__cuda_to_shared(kf__low *L, const kf__tile *t, uint32_t access, const char *array) {
    if (L->dense) {
        kf__dense_put(L, t, access, array);
        return;
    }
    const kf__lx *e = var(L, "e");
    kf__open_for(L, "int", "e", kf__l_int(L, 0), kf__l_int(L, t->W), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *at = plus(L, plus(L, times(L, t->across, pitch(L, access)), t->along), e);
    kf__put_call(L, kf__l_call(L, "kf_shared_put_T", L->operands[access].dtype,
                               var(L, kf__cuda_tile_name(L, access)), at, kf__l_item(L, array, e)));
    kf__close(L);
}

/* ---------------------------------------------------------------- along t */

/* Opens the loop over this thread's runs, of W elements, of operand i along t: r and l in the tile,
 * whether the run is in the array (left: how many of its elements are), and the pointer at it. */
static void open_runs(kf__low *L, const shape *s, uint32_t i, int W, bool pointer) {
    const kf__operand *o = &L->operands[i];
    const kf__lx *tid = var(L, "tid"), *q = var(L, "q"), *n = kf__l_int(L, W);
    const kf__lx *lanes = kf__put_let(L, "int", "lanes_t",
                                      kf__l_bin(L, "/", var(L, "tile_rows"), n), NULL);
    kf__open_for(L, "int", "q", kf__l_int(L, 0), kf__l_int(L, s->each / W), kf__l_int(L, 1),
                 KF__UNROLL);
    const kf__lx *step = kf__l_bin(L, "/", kf__l_int(L, KF__TILE_THREADS), lanes);
    kf__put_let(L, "int", "l", plus(L, kf__l_bin(L, "/", tid, lanes), times(L, q, step)), NULL);
    kf__put_let(L, "int", "r", times(L, kf__l_bin(L, "%", tid, lanes), n), NULL);
    if (!pointer) return;
    const char *type = kf__index_type(L), *axis = L->axes[L->tile].var;
    const kf__lx *at = kf__put_let(L, type, axis, plus(L, var(L, "t0"), var(L, "r")), NULL);
    const kf__lx *last = kf__put_let(L, type, "at", plus(L, var(L, "l0"), var(L, "l")), NULL);
    const kf__lx *size = kf__word_size(L, kf__last(L)), *high = kf__word_size(L, L->tile);
    const kf__lx *left = kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", high, at), n);
    left = kf__l_select(L, kf__l_bin(L, "&&", kf__l_bin(L, "<", at, high),
                                     kf__l_bin(L, "<", last, size)),
                        left, kf__l_int(L, 0));
    kf__put_let(L, "int", "left", left, NULL);
    kf__put_let(L, kf__l_name(L, o->store ? "%s *" : "const %s *", kf__types[o->dtype].stored), "p",
                plus(L, var(L, kf__word_operand(L, i)), kf__low_offset(L, i, last)), NULL);
}

static void close_runs(kf__low *L) {
    kf__close(L);
    kf__close(L);
}

/* The load of operand i. */
static uint32_t load_of(const kf__low *L, uint32_t i) {
    uint32_t n = 0;
    while (L->k->instrs[n].kind != KF__I_LOAD || L->k->instrs[n].access != i) ++n;
    return n;
}

/* The elements of a run that are inside, where load n has a guard: one line of a rectangle. */
static void put_inside(kf__low *L, uint32_t n, const kf__lx **begin, const kf__lx **end) {
    const kf__lx *size[] = {var(L, "left"), kf__l_int(L, 1)}, *from[2], *to[2];
    kf__put_rectangle(L, n, L->tile, var(L, "at"), size, from, to);
    if (from[0]->kind != KF__L_INT) *begin = from[0];
    *end = kf__l_select(L, kf__l_bin(L, "<", from[1], to[1]), to[0], from[0]);
    *end = kf__put_let(L, "int64_t", kf__l_name(L, "end%u", (unsigned)n), *end, NULL);
}

static void put_early(kf__low *L, const shape *s, uint32_t i) {
    if (L->dense) {
        kf__dense_put_shared(L, tile_size(s), i);
        kf__dense_early(L, tile_size(s), i, wide(L, i));
        return;
    }
    const char *words = register_name(L, i);
    kf__put_shared(L, kf__l_name(L, "int%d_t", 8 * item_size(L, i)), kf__cuda_tile_name(L, i),
                   shared_items(L, s, i));
    kf__put_var(L, "uint32_t", words, s->each * item_size(L, i) / 4, NULL);
    kf__open_block(L);
    open_runs(L, s, i, along_t(L, i), true);
    const char *alias = kf__types[L->operands[i].dtype].alias;
    const kf__lx *to = plus(L, var(L, words), times(L, var(L, "q"), kf__l_int(L, 4)));
    const kf__lx *zero = kf__l_int(L, 0), *left = var(L, "left"), *begin = zero, *end = left;
    if (L->k->instrs[load_of(L, i)].n_args) put_inside(L, load_of(L, i), &begin, &end);
    if (begin != zero)
        kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", begin, zero),
                                 kf__l_bin(L, "==", end, left)));
    kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_load%d_%s", along_t(L, i), alias), KF__I64,
                               var(L, "p"), zero, begin == zero ? end : left, wide(L, i), to));
    if (begin != zero) {
        kf__open_else(L);
        kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_part%d_%s", along_t(L, i), alias), KF__I64,
                                   var(L, "p"), begin, end, to));
        kf__close(L);
    }
    close_runs(L);
}

static bool is_load(const kf__low *L, uint32_t i) {
    return kf__low_tiled(L, i) && !L->operands[i].store;
}

static void between(kf__low *L, kf__tile *t) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!is_load(L, i)) continue;
        shape s = {.each = t->V * t->W};
        any = true;
        if (L->dense) {
            kf__dense_between(L, tile_size(&s), i);
            continue;
        }
        kf__open_block(L);
        open_runs(L, &s, i, along_t(L, i), false);
        const kf__lx *at = plus(L, times(L, var(L, "l"), pitch(L, i)), var(L, "r"));
        kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_shared_put16_%s", bits_name(L, i)), KF__I64,
                                   var(L, kf__cuda_tile_name(L, i)), at,
                                   plus(L, var(L, register_name(L, i)),
                                        times(L, var(L, "q"), kf__l_int(L, 4)))));
        close_runs(L);
    }
    if (any) kf__cuda_put_barrier(L);
}

/* Pointers go on from element to element: products and sums of 64 bits for each of them would be
 * more instructions than everything else. */
static void put_advance(kf__low *L, const char *pointer, const char *step) {
    kf__put_set(L, var(L, pointer), plus(L, var(L, pointer), var(L, step)));
}

/* A result along t, element by element: of each line that from a sector's beginning on. */
static void put_late_elements(kf__low *L, const shape *s, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    const kf__lx *tid = var(L, "tid"), *q = var(L, "q"), *zero = kf__l_int(L, 0), *t0 = var(L, "t0");
    const kf__lx *lanes = kf__put_let(L, "int", "lanes_t", var(L, "tile_rows"), NULL);
    const kf__lx *step = kf__put_let(
        L, "int", "step_t", kf__l_bin(L, "/", kf__l_int(L, KF__TILE_THREADS), lanes), NULL);
    const kf__lx *l = kf__put_let(L, "int", "l", kf__l_bin(L, "/", tid, lanes), NULL);
    const kf__lx *r = kf__put_let(L, "int", "r", kf__l_bin(L, "%", tid, lanes), NULL);
    const kf__lx *at =
        kf__put_let(L, kf__index_type(L), "at", plus(L, var(L, "l0"), l), NULL);
    const kf__lx *high = kf__word_size(L, L->tile), *size = kf__word_size(L, kf__last(L));
    const kf__lx *lines =
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, at), var(L, "tile_len"));
    lines = kf__put_let(L, "int", "lines",
                        kf__l_select(L, kf__l_bin(L, "<", at, size), lines, zero), NULL);
    high = kf__l_call(L, "kf_min_i64", KF__I64,
                      kf__l_bin(L, "-", kf__as_i64(L, high), kf__as_i64(L, t0)), lanes);
    high = kf__put_let(L, "int", "high", high, "rows that are there");
    const char *usual = L->axes[L->tile].var;
    L->axes[L->tile].var = "t0";
    const kf__lx *p = kf__put_var(
        L, kf__pointer_type(L, i), "p", 0,
        plus(L, var(L, kf__word_operand(L, i)), kf__low_offset(L, i, at)));
    L->axes[L->tile].var = usual;
    kf__put_let(L, "int64_t", "d", times(L, step, kf__word_stride(L, i, kf__last(L))), NULL);
    const kf__lx *low = zero, *most = zero;
    if (s->above) {
        low = kf__l_select(L, kf__l_bin(L, "<", zero, t0), kf__l_bin(L, "-", zero, var(L, "above")),
                           zero);
        low = kf__put_let(L, "int", "low", low, NULL);
        most = kf__l_select(L, var(L, "above"), kf__l_int(L, in_sector(L, i) - 1), zero);
        most = kf__put_let(L, "int", "most", most, "elements before a line, of its sector");
    }
    kf__open_for(L, "int", "q", zero, kf__l_int(L, s->each), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *there = kf__l_bin(L, "<", times(L, q, step), lines), *y = r;
    if (s->above) {
        const kf__lx *bytes = kf__l_int(L, kf__types[o->dtype].size);
        const kf__lx *before = kf__l_call(L, "kf_in_sector", KF__I32, p, bytes);
        y = kf__put_let(L, "int", "y", kf__l_bin(L, "-", r, kf__l_bin(L, "&", before, most)), NULL);
        there = kf__l_bin(L, "&&", there, kf__l_bin(L, "<=", low, y));
    }
    kf__open_if(L, kf__l_bin(L, "&&", there, kf__l_bin(L, "<", y, high)));
    const kf__lx *row = s->above ? plus(L, y, var(L, "above")) : y;
    const kf__lx *item = plus(L, plus(L, times(L, row, pitch(L, i)), l), times(L, q, step));
    kf__put_store(L, i, p->name, y,
                  kf__l_call(L, "kf_shared_get_T", o->dtype, var(L, kf__cuda_tile_name(L, i)),
                             item));
    kf__close(L);
    put_advance(L, "p", "d");
    kf__close(L);
}

static void put_late(kf__low *L, const shape *s, uint32_t i) {
    if (L->dense) {
        kf__dense_late(L, tile_size(s), i, wide(L, i));
        return;
    }
    kf__dtype type = L->operands[i].dtype;
    const kf__lx *e = var(L, "e"), *n = kf__l_int(L, along_t(L, i));
    kf__open_if(L, wide(L, i));
    open_runs(L, s, i, along_t(L, i), true);
    kf__put_var(L, kf__ctype(type), "w", along_t(L, i), NULL);
    kf__open_for(L, "int", "e", kf__l_int(L, 0), n, kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *row = plus(L, var(L, "r"), e);
    if (s->above) row = plus(L, row, var(L, "above"));
    const kf__lx *at = plus(L, times(L, row, pitch(L, i)), var(L, "l"));
    kf__put_set(L, kf__l_item(L, "w", e),
                kf__l_call(L, "kf_shared_get_T", type, var(L, kf__cuda_tile_name(L, i)), at));
    kf__close(L);
    const char *name = kf__l_name(L, "kf_store%d_%s", along_t(L, i), kf__types[type].alias);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, "p"), kf__l_int(L, 0), var(L, "left"),
                               wide(L, i), var(L, "w")));
    kf__close(L);
    kf__open_else(L); /* neighbours by neighbouring threads, so that whole sectors are written */
    put_late_elements(L, s, i);
    kf__close(L);
}

/* ---------------------------------------------------------------- the nest */

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
    const kf__lx *is = kf__l_bin(L, "&&", kf__l_bin(L, "<", zero, t0), kf__l_bin(L, "<", any, high));
    t->left = kf__put_let(L, "int", "left", kf__l_select(L, is, var(L, "whole"), zero), NULL);
    kf__put_let(L, type, L->axes[L->tile].var, kf__l_select(L, is, any, zero), NULL);
}

static int64_t tiles_across(const kf__low *L, const shape *s) {
    int64_t size = L->axes[L->tile].size, above = rows_above(L, s);
    return kf__ceil_div(above && size ? size + above - 1 : size, s->rows);
}

/* The tile's corner and the other axes' variables, from the block's number. */
static void put_corner(kf__low *L, const shape *s) {
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
    return o->value && o->affine && !o->row && !kf__low_tiled(L, i) && o->varies[L->tile] &&
           (step == 1 || step == 2);
}

static const char *carried_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "p%u_%s", (unsigned)i, L->operands[i].name);
}

static const char *advance_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "d%u_%s", (unsigned)i, L->operands[i].name);
}

static void put_carried(kf__low *L, const kf__tile *t) {
    const char *usual = L->axes[L->tile].var;
    kf__put_let(L, kf__index_type(L), "first_row", plus(L, var(L, "t0"), var(L, "row")), NULL);
    L->axes[L->tile].var = "first_row";
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!is_carried(L, i)) continue;
        kf__put_var(L, kf__pointer_type(L, i), carried_name(L, i), 0,
                    plus(L, var(L, kf__word_operand(L, i)), kf__low_offset(L, i, t->j)));
        kf__put_let(L, "int64_t", advance_name(L, i),
                    times(L, var(L, "row_step"), kf__word_stride(L, i, L->tile)), NULL);
    }
    L->axes[L->tile].var = usual;
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
            put_advance(L, carried_name(L, i), advance_name(L, i));
}

/* Is there anything in packs that may as well go by elements? Random words are made four at a
 * time. */
static bool has_packs(const kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        any |= L->operands[i].value && !kf__low_tiled(L, i) && kf__low_step(L, i) == 1;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind == KF__I_RANDOM && in->level == KF__LEVEL_FULL) return false;
        if (in->kind == KF__I_LOAD && in->n_args && !kf__low_tiled(L, in->access)) return false;
    }
    return any;
}

/* By packs where all are aligned; else element by element, neighbours by neighbouring threads: of
 * packs that aren't, each store writes an element here and there. */
static void put_elements(kf__low *L, const kf__tile *t, kf__phase *p) {
    kf__tile packs = *t, single = *t;
    bool either = has_packs(L) && t->W > 1 && !L->dense;
    single.W = 1, single.V = t->V * t->W, single.vec = false;
    single.taken = packs.wide = either;
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
static void put_above(kf__low *L, const shape *s, const kf__tile *t, const kf__phase *p) {
    uint16_t stores[64];
    kf__phase above = {.stores = stores};
    kf__tile single = *t;
    for (uint32_t i = 0; i < p->n_stores; ++i)
        if (kf__low_tiled(L, L->k->stores[p->stores[i]].access))
            stores[above.n_stores++] = p->stores[i];
    const kf__lx *rows = kf__word_int(L, "rows_above", rows_above(L, s)), *over = written_over(L);
    if (over) rows = kf__l_select(L, over, kf__l_int(L, 0), rows);
    kf__open_if(L, kf__put_let(L, "int", "above", rows, "rows that lines may begin in"));
    single.W = 1, single.vec = false, single.taken = true;
    single.V = s->above / (KF__TILE_THREADS / USUAL_LEN);
    single.head = head_above;
    put_threads(L, &single);
    kf__cuda_phase(L, &single, &above, 0, true);
    kf__close(L);
    kf__forget(L, KF__LEVEL_FULL);
}

bool kf__cuda_transpose(kf__low *L) {
    kf__tile t = {.W = kf__cuda_width(L), .head = head, .between = between};
    shape s = {0};
    if (L->tile < 0 || !pick_shape(L, t.W, &s)) {
        L->tile = -1;
        L->tiled = 0;
        L->dense = false;
        return false;
    }
    pick_sides(L, &s);
    t.V = s.each / t.W;
    t.above = s.above > 0;
    t.vec = kf__cuda_wide(L, t.W);
    int64_t tiles = kf__ceil_div(L->axes[kf__last(L)].size, s.len) * tiles_across(L, &s);
    int64_t most = kf__max(L->axes[kf__last(L)].size, L->axes[L->tile].size);
    for (int m = 0; m < kf__last(L); ++m)
        if (m != L->tile) tiles *= L->axes[m].size, most = kf__max(most, L->axes[m].size);
    L->small = tiles < INT32_MAX && most < INT32_MAX;
    kf__low_begin(L, "", "A tile a block: what is transposed goes through shared memory.");
    L->fn->threads = KF__TILE_THREADS;
    L->fn->grid = tiles;
    uint16_t stores[64];
    kf__phase p = {.stores = stores, .n_stores = kf__low_stores(L, 0, stores)};
    put_corner(L, &s);
    kf__put_scalars(L);
    kf__thread_id(L);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (is_load(L, i)) put_early(L, &s, i);
    bool late = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i) || !L->operands[i].store) continue;
        late = true;
        if (L->dense)
            kf__dense_put_shared(L, tile_size(&s), i);
        else
            kf__put_shared(L, kf__ctype(L->operands[i].dtype), kf__cuda_tile_name(L, i),
                           shared_items(L, &s, i));
    }
    if (s.above) put_above(L, &s, &t, &p);
    put_elements(L, &t, &p);
    if (late) kf__cuda_put_barrier(L);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i) && L->operands[i].store) put_late(L, &s, i);
    return true;
}
