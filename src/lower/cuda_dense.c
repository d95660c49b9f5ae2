/* Tiles over an axis t of a few elements: images with 3 channels, pairs, what is stacked. An
 * operand whose elements of t and of the innermost axis are one run in memory goes through shared
 * memory as it lies there, 16 bytes a thread; only where packs take from it and put into it, it is
 * transposed.
 *
 *     memory     r g b r g b r g b ...     l K + r    K = 3: the stride along the innermost axis
 *     shared     the same, with 4 bytes left out behind each 128: see kf__dense of the prelude
 *     a pack     r r r r                   l, l + 1, .. of row r
 *
 * What is known to be one run: kf__low_dense. */
#include "lower/cuda_transpose.h"

static const kf__lx *less(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_bin(L, "<", a, b);
}

static int item_size(const kf__low *L, uint32_t i) { return kf__types[L->operands[i].dtype].size; }
static int per_run(const kf__low *L, uint32_t i) { return 16 / item_size(L, i); }

static const char *bits_name(const kf__low *L, uint32_t i, bool store) {
    static const char *const loads[] = {[1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64"};
    static const char *const stores[] = {
        [1] = "bits8", [2] = "bits16", [4] = "bits32", [8] = "bits64"};
    return (store ? stores : loads)[item_size(L, i)];
}

static const char *pitch_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "pitch%u", (unsigned)i);
}
static const kf__lx *pitch(kf__low *L, uint32_t i) { return var(L, pitch_name(L, i)); }

int64_t kf__dense_items(const kf__low *L, int64_t tile, uint32_t i) {
    int size = item_size(L, i);
    return tile + tile / (128 / size) * (size < 4 ? 4 / size : 1);
}

void kf__dense_put_shared(kf__low *L, int64_t tile, uint32_t i) {
    const char *type = L->operands[i].store ? kf__types[L->operands[i].dtype].stored
                                            : kf__l_name(L, "int%d_t", 8 * item_size(L, i));
    kf__put_shared(L, type, kf__cuda_tile_name(L, i), kf__dense_items(L, tile, i));
    kf__put_let(L, "int", pitch_name(L, i), kf__word_stride(L, i, kf__last(L)), NULL);
}

/* Opens the loop over this thread's runs: f is where one begins in the tile. */
static const kf__lx *open_runs(kf__low *L, int64_t tile, uint32_t i) {
    int W = per_run(L, i), threads = L->fn->threads;
    int64_t n = kf__ceil_div(tile, (int64_t)threads * W);
    kf__open_for(L, "int", "q", kf__l_int(L, 0), kf__l_int(L, n), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *thread = plus(L, times(L, var(L, "q"), kf__l_int(L, threads)), var(L, "tid"));
    return kf__put_let(L, "int", "f", times(L, thread, kf__l_int(L, W)), NULL);
}

/* The tile's first element in memory, and how many elements there are from there on. Of a
 * load the last K may be less than K elements, and are one where it doesn't vary along t: what is
 * between is read too, what is behind isn't. */
static void put_place(kf__low *L, uint32_t i) {
    const kf__operand *o = &L->operands[i];
    const char *axis = L->axes[L->tile].var;
    const kf__lx *one = kf__l_int(L, 1), *size = kf__word_size(L, kf__last(L));
    const kf__lx *of_last = o->varies[L->tile] ? kf__word_size(L, L->tile) : one;
    kf__put_let(L, kf__index_type(L), axis, kf__l_int(L, 0), NULL);
    kf__put_let(L, kf__pointer_type(L, i), "p",
                plus(L, var(L, kf__word_operand(L, i)), kf__low_offset(L, i, var(L, "l0"))), NULL);
    const kf__lx *here = kf__l_call(L, "kf_min_i64", KF__I64,
                                    kf__l_bin(L, "-", size, var(L, "l0")), var(L, "tile_len"));
    here = kf__put_let(L, "int", "here", here, NULL);
    const kf__lx *before = times(L, kf__l_bin(L, "-", here, one), pitch(L, i));
    kf__put_let(L, "int", "count", plus(L, before, of_last), NULL);
}

static const kf__lx *words_of_run(kf__low *L, uint32_t i) {
    return plus(L, var(L, kf__l_name(L, "g%u", (unsigned)i)),
                times(L, var(L, "q"), kf__l_int(L, 4)));
}

void kf__dense_early(kf__low *L, int64_t tile, uint32_t i, const kf__lx *wide) {
    int64_t runs = kf__ceil_div(tile, (int64_t)L->fn->threads * per_run(L, i));
    kf__put_var(L, "uint32_t", kf__l_name(L, "g%u", (unsigned)i), 4 * runs, NULL);
    kf__open_block(L);
    put_place(L, i);
    const kf__lx *f = open_runs(L, tile, i);
    const char *name = kf__l_name(L, "kf_load%d_%s", per_run(L, i),
                                  kf__types[L->operands[i].dtype].alias);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, "p"), f, var(L, "count"), wide,
                               words_of_run(L, i)));
    kf__close(L);
    kf__close(L);
}

/* Items of the tile: all of them are written, so that packs may take what is outside. */
static const kf__lx *slots(kf__low *L, uint32_t i) {
    return times(L, var(L, "tile_len"), pitch(L, i));
}

void kf__dense_between(kf__low *L, int64_t tile, uint32_t i) {
    const kf__lx *f = open_runs(L, tile, i);
    kf__open_if(L, less(L, f, slots(L, i)));
    kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_dense_put16_%s", bits_name(L, i, false)),
                               KF__I64, var(L, kf__cuda_tile_name(L, i)), f, words_of_run(L, i)));
    kf__close(L);
    kf__close(L);
}

/* Item (t->along, row) of the tile. */
static const kf__lx *item(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *row) {
    return plus(L, times(L, t->along, pitch(L, i)), row);
}

/* Is the pack's row one of t? Else another one is taken, and none is put: of rows that are there
 * all packs are put, so that runs are whole. */
static const kf__lx *there(kf__low *L) {
    return less(L, var(L, "any_row"), kf__word_size(L, L->tile));
}

void kf__dense_take(kf__low *L, const kf__tile *t, uint32_t i, const kf__lx *words) {
    const char *name = kf__l_name(L, "kf_dense_take%d_%s", t->W, bits_name(L, i, false));
    const kf__lx *zero = kf__l_int(L, 0), *row = zero;
    if (L->operands[i].varies[L->tile]) row = kf__l_select(L, there(L), t->across, zero);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, kf__cuda_tile_name(L, i)),
                               item(L, t, i, row), pitch(L, i), words));
}

void kf__dense_put(kf__low *L, const kf__tile *t, uint32_t i, const char *array) {
    const kf__lx *e = var(L, "e"), *zero = kf__l_int(L, 0);
    kf__open_if(L, there(L));
    kf__open_for(L, "int", "e", zero, kf__l_int(L, t->W), kf__l_int(L, 1), KF__UNROLL);
    const char *name = kf__l_name(L, "kf_dense_put_%s", kf__types[L->operands[i].dtype].alias);
    kf__put_call(L, kf__l_call(L, name, KF__I64, var(L, kf__cuda_tile_name(L, i)),
                               plus(L, item(L, t, i, t->across), times(L, e, pitch(L, i))),
                               kf__l_item(L, array, e)));
    kf__close(L);
    kf__close(L);
}

void kf__dense_late(kf__low *L, int64_t tile, uint32_t i, const kf__lx *wide) {
    kf__open_block(L);
    put_place(L, i);
    const kf__lx *f = open_runs(L, tile, i), *words = var(L, "w");
    kf__open_if(L, less(L, f, var(L, "count")));
    kf__put_var(L, "uint32_t", "w", 4, NULL);
    kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_dense_get16_%s", bits_name(L, i, false)),
                               KF__I64, var(L, kf__cuda_tile_name(L, i)), f, words));
    kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_store16_%s", bits_name(L, i, true)), KF__I64,
                               var(L, "p"), f, var(L, "count"), wide, words));
    kf__close(L);
    kf__close(L);
    kf__close(L);
}
