/* Columns on CUDA of which some operand is contiguous along the reduced axis t: it goes through
 * shared memory, a tile of 32 columns by 64 rows at a time.
 *
 *     sum(z.T + y, axis=0)     threads along t: 8 elements of z each, into registers
 *                              barrier; into shared memory, item (column, row) at column * 65 + row
 *                              barrier; threads along the columns: 8 rows of z and of y each
 *     relu(x).T, sum(x, 0)     threads along the columns: 8 rows of x each,
 *                              relu(x) into shared memory
 *                              barrier; threads along t: 8 elements each, stored
 *
 * So each operand is read by whole sectors, and nothing is written but the sums. */
#include "lower/cuda.h"

enum {
    ACROSS = 32,
    DOWN = 8,
    PITCH = KF__TILE_ROWS + 1,           /* neighbours across a column are in different banks */
    EACH = ACROSS * KF__TILE_ROWS / 256, /* elements of a thread */
    PARTS = ACROSS / DOWN,               /* columns that it has elements of */
};

int kf__cuda_tile_bytes(const kf__low *L) {
    int bytes = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i))
            bytes += ACROSS * (KF__TILE_ROWS + 1) *
                     kf__max(4, kf__types[kf__compute(L->operands[i].dtype)].size);
    return bytes;
}

static const char *early_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "g%u", (unsigned)i);
}

static const kf__lx *put_column(kf__low *L, const kf__lx *part) {
    const kf__lx *column = kf__l_bin(L, "*", part, kf__l_int(L, DOWN));
    return kf__put_let(L, "int", "tile_column", kf__l_bin(L, "+", kf__l_var(L, "down"), column),
                       NULL);
}

/* Element k of this thread along t: its column and row in the tile. */
static const kf__lx *open_elements(kf__low *L) {
    const kf__lx *k = kf__l_var(L, "k"), *parts = kf__l_int(L, PARTS);
    kf__open_for(L, "int", "k", kf__l_int(L, 0), kf__l_int(L, EACH), kf__l_int(L, 1), KF__UNROLL);
    const kf__lx *row = kf__l_bin(L, "*", kf__l_bin(L, "/", k, parts), kf__l_int(L, ACROSS));
    kf__put_let(L, "int", "tile_row", kf__l_bin(L, "+", kf__l_var(L, "across"), row), NULL);
    return kf__l_bin(L, "%", k, parts);
}

static const kf__lx *place(kf__low *L, const kf__lx *column, const kf__lx *row) {
    return kf__l_bin(L, "+", kf__l_bin(L, "*", column, kf__l_int(L, PITCH)), row);
}

void kf__cuda_put_tile_arrays(kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i))
            kf__put_shared(L, kf__ctype(L->operands[i].dtype), kf__cuda_tile_name(L, i),
                           ACROSS * PITCH);
}

const kf__lx *kf__cuda_at_most(kf__low *L, const kf__lx *index, const kf__lx *end) {
    return kf__l_select(L, kf__l_bin(L, "<", index, end), index,
                        kf__l_bin(L, "-", end, kf__l_int(L, 1)));
}

static const char *column_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "c%u", (unsigned)i);
}

void kf__cuda_put_tile_columns(kf__low *L, const kf__lx *first) {
    const kf__lx *part = kf__l_var(L, "k"), *n = kf__word_size(L, kf__last(L));
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        kf__put_var(L, kf__pointer_type(L, i), column_name(L, i), PARTS, NULL);
        kf__open_for(L, "int", "k", kf__l_int(L, 0), kf__l_int(L, PARTS), kf__l_int(L, 1),
                     KF__UNROLL);
        const kf__lx *at = kf__l_bin(L, "+", first, put_column(L, part));
        at = kf__put_let(L, "int64_t", "at", kf__cuda_at_most(L, at, n), NULL);
        kf__put_let(L, kf__index_type(L), L->axes[L->tile].var, kf__l_int(L, 0), NULL);
        const kf__lx *base = kf__l_var(L, kf__word_operand(L, i));
        kf__put_set(L, kf__l_item(L, column_name(L, i), part),
                    kf__l_bin(L, "+", base, kf__low_offset(L, i, at)));
        kf__close(L);
    }
}

/* Is it a tiled operand that is read? */
static bool is_load(const kf__low *L, uint32_t i) {
    return kf__low_tiled(L, i) && !L->operands[i].store;
}

void kf__cuda_put_tile_loads(kf__low *L, const kf__lx *row0, const kf__lx *to) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!is_load(L, i)) continue;
        kf__put_var(L, kf__ctype(L->operands[i].dtype), early_name(L, i), EACH, NULL);
        const kf__lx *column = kf__l_item(L, column_name(L, i), open_elements(L));
        /* What the tile has beyond an end is the last once more, read by nobody. */
        const kf__lx *t = kf__l_bin(L, "+", row0, kf__l_var(L, "tile_row"));
        kf__put_set(L, kf__l_item(L, early_name(L, i), kf__l_var(L, "k")),
                    kf__low_load(L, i, column, kf__cuda_at_most(L, t, to)));
        kf__close(L);
    }
}

void kf__cuda_exchange_tiles(kf__low *L, kf__tile *t) {
    bool any = false;
    kf__cuda_put_barrier(L); /* the tile before has been read */
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!is_load(L, i)) continue;
        any = true;
        const kf__lx *column = put_column(L, open_elements(L));
        const kf__lx *at = place(L, column, kf__l_var(L, "tile_row"));
        kf__put_call(L, kf__l_call(L, "kf_shared_put_T", L->operands[i].dtype,
                                   kf__l_var(L, kf__cuda_tile_name(L, i)), at,
                                   kf__l_item(L, early_name(L, i), kf__l_var(L, "k"))));
        kf__close(L);
    }
    if (any) kf__cuda_put_barrier(L);
    for (uint32_t n = 0; n < L->k->n_instrs; ++n) {
        const kf__instr *in = &L->k->instrs[n];
        if (in->kind != KF__I_LOAD || !kf__low_tiled(L, in->access)) continue;
        kf__open_for(L, "int", "s", kf__l_int(L, 0), kf__l_int(L, t->V), kf__l_int(L, 1),
                     KF__UNROLL);
        const kf__lx *s = kf__l_var(L, "s");
        const kf__lx *row = kf__l_bin(L, "+", kf__l_var(L, "down"),
                                      kf__l_bin(L, "*", s, kf__l_int(L, DOWN)));
        const kf__lx *at = place(L, kf__l_var(L, "across"), row);
        kf__put_set(L, kf__cuda_register_item(L, t, n, s, kf__l_int(L, 0)),
                    kf__l_call(L, "kf_shared_get_T", in->dtype,
                               kf__l_var(L, kf__cuda_tile_name(L, in->access)), at));
        kf__close(L);
    }
}

void kf__cuda_put_in_tile(kf__low *L, const kf__tile *t, uint32_t access, const char *array) {
    const kf__lx *row = kf__l_bin(L, "+", kf__l_var(L, "down"), t->index);
    kf__put_call(L, kf__l_call(L, "kf_shared_put_T", L->operands[access].dtype,
                               kf__l_var(L, kf__cuda_tile_name(L, access)),
                               place(L, kf__l_var(L, "across"), row),
                               kf__l_item(L, array, kf__l_int(L, 0))));
}

void kf__cuda_put_tile_stores(kf__low *L, const kf__lx *first, const kf__lx *row0,
                              const kf__lx *to) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i) || !L->operands[i].store) continue;
        if (!any) kf__cuda_put_barrier(L);
        any = true;
        const kf__lx *part = open_elements(L), *row = kf__l_var(L, "tile_row");
        const kf__lx *column = put_column(L, part), *n = kf__word_size(L, kf__last(L));
        const kf__lx *t = kf__l_bin(L, "+", row0, row);
        kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "<", t, to),
                                 kf__l_bin(L, "<", kf__l_bin(L, "+", first, column), n)));
        kf__dtype dtype = L->operands[i].dtype;
        const kf__lx *value =
            kf__l_call(L, "kf_shared_get_T", dtype, kf__l_var(L, kf__cuda_tile_name(L, i)),
                       place(L, column, row));
        const char *store = kf__l_name(L, "kf_store_%s", kf__types[dtype].alias);
        kf__put_call(L, kf__l_call(L, store, dtype, kf__l_item(L, column_name(L, i), part), t,
                                   value));
        kf__close(L);
        kf__close(L);
    }
}
