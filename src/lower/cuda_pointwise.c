/* Pointwise kernels on CUDA: one pack a thread, no loop; threads count packs line by line.
 *
 *     t = block * 256 + thread         line = t / packs, j = (t % packs) * W
 */
#include "lower/cuda.h"

enum { KF__CUDA_THREADS = 256 };

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

void kf__cuda_pointwise(kf__low *L) {
    L->rows_inside = true;
    if (kf__cuda_transpose(L)) return;
    kf__tile t = {.V = 1, .W = kf__cuda_width(L), .head = head};
    int64_t line = L->n_axes ? L->axes[kf__last(L)].size : 1, lines = 1;
    for (int m = 0; m + 1 < L->n_axes; ++m) lines *= L->axes[m].size;
    int64_t packs = kf__ceil_div(line, t.W);
    bool few = lines < INT32_MAX && packs < INT32_MAX && line < INT32_MAX &&
               lines * packs < INT32_MAX;
    L->small = L->affine && few; /* else what is computed of indices may be negative */
    t.vec = kf__cuda_wide(L, t.W);
    kf__low_begin(L, "", "One pass over the elements, one pack of the innermost axis a thread.");
    L->fn->threads = KF__CUDA_THREADS;
    L->fn->grid = kf__ceil_div(lines * packs, KF__CUDA_THREADS);
    const char *type = few ? "uint32_t" : "int64_t";
    const kf__lx *size = L->n_axes ? kf__word_size(L, kf__last(L)) : kf__l_int(L, 1);
    const kf__lx *width = kf__l_int(L, t.W);
    const kf__lx *at = kf__l_bin(L, "+",
                                 kf__l_bin(L, "*", kf__l_callv(L, "kf_block", KF__I64, 0, NULL),
                                           kf__l_int(L, KF__CUDA_THREADS)),
                                 kf__l_callv(L, "kf_thread", KF__I64, 0, NULL));
    at = kf__put_let(L, type, "t", at, NULL);
    if (L->n_axes > 1) {
        const kf__lx *up = kf__l_bin(L, "+", size, kf__l_int(L, t.W - 1));
        const kf__lx *n = kf__put_let(L, type, "packs", kf__l_bin(L, "/", up, width), "of a line");
        const kf__lx *in_line = kf__put_let(L, type, "line", kf__l_bin(L, "/", at, n), NULL);
        const kf__lx *q = kf__l_bin(L, "%", at, n);
        q = few ? kf__as_i64(L, q) : q;
        t.j = kf__put_let(L, "int64_t", "j", kf__l_bin(L, "*", q, width), NULL);
        kf__open_if(L, kf__l_bin(L, "<", in_line, kf__word_int(L, "lines", lines)));
        kf__put_decode(L, false, true, in_line);
    } else {
        at = few ? kf__as_i64(L, at) : at;
        t.j = kf__put_let(L, "int64_t", "j", kf__l_bin(L, "*", at, width), NULL);
        kf__open_if(L, kf__l_bin(L, "<", t.j, size));
    }
    kf__put_scalars(L); /* only here: a result of one element may lie where a scalar is */
    t.left = kf__put_let(L, "int", "left",
                         kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, t.j), width),
                         "elements of the pack");
    const kf__lx *condition;
    const kf__kernel *most = kf__cuda_main(L, &t, &condition);
    if (most) {
        kf__open_if(L, condition);
        put_pack(L, &t, most);
        kf__open_else(L);
    }
    put_pack(L, &t, L->k);
    if (most) kf__close(L);
    kf__close(L);
}
