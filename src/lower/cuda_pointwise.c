/* Pointwise kernels on CUDA: one pack a thread, no loop; threads count packs line by line.
 *
 *     t = block * 256 + thread         line = t / packs, j = (t % packs) * W
 *
 * Where lines aren't aligned but are alike, as those of arrays without gaps, packs are as if all
 * lines were one, and a line's first and last pack are short:
 *
 *     line 0   |0 1 2 3|4 5 6 7|8 9                   W = 4, 10 elements
 *     line 1                       0 1|2 3 4 5|6 7 8 9|
 */
#include "lower/cuda.h"

enum {
    KF__CUDA_THREADS = 256,
    SMALL_TILE = 1024, /* elements */
};

static void head(kf__low *L, kf__tile *t, const kf__lx *s) {
    (void)L;
    (void)t;
    (void)s;
}

/* All of the kernel for a pack, as k has it. */
static void put_pack(kf__low *L, kf__tile *t, const kf__kernel *k) {
    const kf__kernel *whole = L->k;
    const kf__lx **values = KF__NEW(L->arena, const kf__lx *, whole->n_instrs + 1), *at = L->at;
    uint16_t stores[64];
    kf__phase p = {.stores = stores};
    if (!values) {
        L->failed = true;
        return;
    }
    memcpy(values, L->value, sizeof *values * whole->n_instrs);
    L->k = k;
    p.n_stores = kf__low_stores(L, 0, stores);
    kf__cuda_phase(L, t, &p, 0, false);
    L->k = whole;
    memcpy(L->value, values, sizeof *values * whole->n_instrs);
    L->at = at;
    L->lead = NULL;
}

/* j and left of the pack that begins so far behind the aligned place that the line begins at or
 * behind. The last pack may have no elements. */
static void put_skewed(kf__low *L, kf__tile *t, uint32_t store, const kf__lx *begin) {
    const kf__lx *size = kf__word_size(L, kf__last(L)), *line = kf__low_offset(L, store, NULL);
    const kf__lx *width = kf__l_int(L, t->W), *zero = kf__l_int(L, 0);
    t->like = (int)store;
    t->skew = kf__put_let(L, "int", "skew", kf__l_bin(L, "&", line, kf__l_int(L, t->W - 1)),
                          "elements of the first pack that are before the line");
    begin = kf__put_let(L, "int64_t", "begin", kf__l_bin(L, "-", begin, t->skew), NULL);
    t->j = kf__put_let(L, "int64_t", "j", kf__l_call(L, "kf_max_i64", KF__I64, begin, zero), NULL);
    const kf__lx *end =
        kf__l_call(L, "kf_min_i64", KF__I64, size, kf__l_bin(L, "+", begin, width));
    t->left = kf__put_let(L, "int", "left", kf__l_bin(L, "-", end, t->j), "elements of the pack");
    kf__open_if(L, kf__l_bin(L, "<", zero, t->left));
}

typedef struct lines {
    int64_t n, packs; /* packs of one */
    bool few;         /* are 32 bits enough for what is counted? */
    int like;         /* the store whose lines they are skewed like; -1: packs begin with lines */
} lines;

static lines find_lines(const kf__low *L, const kf__tile *t) {
    int64_t size = L->n_axes ? L->axes[kf__last(L)].size : 1;
    lines l = {.n = 1, .like = -1};
    for (int m = 0; m + 1 < L->n_axes; ++m) l.n *= L->axes[m].size;
    if (L->affine && L->n_axes > 1 && t->W > 1) l.like = kf__cuda_skewed_store(L, t->W);
    bool aligned = l.like < 0 || kf__cuda_has_aligned_rows(L, (uint32_t)l.like, t->W);
    l.packs = kf__ceil_div(size + (aligned ? 0 : t->W - 1), t->W);
    l.few = l.n < INT32_MAX && l.packs < INT32_MAX && size < INT32_MAX &&
            l.n * l.packs < INT32_MAX;
    return l;
}

/* The place of thread `at`, if it has one. */
static void open_place(kf__low *L, kf__tile *t, const lines *l, const kf__lx *at) {
    const char *type = l->few ? "uint32_t" : "int64_t";
    const kf__lx *size = L->n_axes ? kf__word_size(L, kf__last(L)) : kf__l_int(L, 1);
    const kf__lx *width = kf__l_int(L, t->W), *line = NULL, *q = at;
    if (L->n_axes > 1) {
        const kf__lx *n = kf__l_bin(L, "+", size, kf__l_int(L, t->W - 1));
        n = l->like < 0 ? kf__l_bin(L, "/", n, width) : kf__word_int(L, "line_packs", l->packs);
        n = kf__put_let(L, type, "packs", n, "of a line");
        line = kf__put_let(L, type, "line", kf__l_bin(L, "/", at, n), NULL);
        q = kf__l_bin(L, "%", at, n);
    }
    const kf__lx *begin = kf__l_bin(L, "*", l->few ? kf__as_i64(L, q) : q, width);
    if (l->like < 0) t->j = kf__put_let(L, "int64_t", "j", begin, NULL);
    kf__open_if(L, line ? kf__l_bin(L, "<", line, kf__word_int(L, "lines", l->n))
                        : kf__l_bin(L, "<", t->j, size));
    if (line) kf__put_decode(L, false, true, line);
    if (l->like >= 0) put_skewed(L, t, (uint32_t)l->like, begin);
    kf__put_scalars(L); /* only here: a result of one element may lie where a scalar is */
    if (l->like >= 0) return;
    const kf__lx *left =
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, t->j), width);
    t->left = kf__put_let(L, "int", "left", left, "elements of the pack");
}

/* Are both axes of a tile short, as those of many small matrices? The cache has all of one then,
 * whoever reads it in whatever order, and a tile would be of a few elements: permute_dims(x, (0, 2,
 * 1)) of 10000x3x33 39 us on an H100. Two more buckets of their lengths; of one matrix, whose
 * sides may be a batch, there are none. */
static bool has_small_tile(const kf__low *L) {
    return L->tile >= 0 && !L->dense && L->n_axes > 2 &&
           L->axes[L->tile].size * L->axes[kf__last(L)].size <= SMALL_TILE;
}

/* Of short lines that aren't whole packs, single elements. */
static int width_of_small(const kf__low *L) {
    int width = kf__cuda_width(L);
    return L->axes[kf__last(L)].size % width ? 1 : width;
}

void kf__cuda_pointwise(kf__low *L) {
    L->rows_inside = true;
    bool small = has_small_tile(L);
    if (small) L->tile = -1, L->tiled = 0;
    else if (kf__cuda_transpose(L)) {
        kf__cuda_apart(L);
        return;
    }
    kf__tile t = {.V = 1, .W = small ? width_of_small(L) : kf__cuda_width(L), .head = head};
    lines l = find_lines(L, &t);
    L->small = L->affine && l.few; /* else what is computed of indices may be negative */
    t.vec = l.like < 0 ? kf__cuda_wide(L, t.W) : kf__cuda_are_alike(L, l.like, t.W);
    kf__low_begin(L, "", "One pass over the elements, one pack of the innermost axis a thread.");
    L->fn->threads = KF__CUDA_THREADS;
    L->fn->grid = kf__ceil_div(l.n * l.packs, KF__CUDA_THREADS);
    const kf__lx *at = kf__l_bin(L, "+",
                                 kf__l_bin(L, "*", kf__l_callv(L, "kf_block", KF__I64, 0, NULL),
                                           kf__l_int(L, KF__CUDA_THREADS)),
                                 kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
    open_place(L, &t, &l, kf__put_let(L, l.few ? "uint32_t" : "int64_t", "t", at, NULL));
    const kf__lx *condition;
    const kf__kernel *most = kf__cuda_main(L, &t, &condition);
    if (most) {
        kf__open_if(L, condition);
        put_pack(L, &t, most);
        kf__open_else(L);
    }
    put_pack(L, &t, L->k);
    if (most) kf__close(L);
    if (l.like >= 0) kf__close(L);
    kf__close(L);
}
