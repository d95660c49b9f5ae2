/* The last few elements of a run, which vectors leave, as one more vector where what is made of
 * them takes long: of functions eight at once take as long as one.
 *
 *     whole = to - (to - from) % 8
 *     ...                                  the run's loop, over [from, whole)
 *     if (whole < to) {
 *         left = to - whole
 *         for (l = 0; l < 8; ++l)          loads are guarded by l < left
 *             few[l] = ... x[whole + l] ...
 *         for (l = 0; l < left; ++l)
 *             to[whole + l] = few[l]
 *     }
 *
 * Where there is room behind the last element, the first loop stores by itself. */
#include "lower/cpu.h"

static bool saturates(const kf__low *L, const kf__mask *mask) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) any |= kf__has(mask, i) && kf__saturates(L, i);
    return any;
}

bool kf__cpu_is_worth_few(const kf__low *L, const kf__mask *mask) {
    return (kf__is_dear(L, mask) || saturates(L, mask)) && kf__cpu_is_masked_well(L, mask);
}

const kf__lx *kf__cpu_put_whole(kf__low *L, const char *name, const kf__lx *from,
                                const kf__lx *to) {
    const kf__lx *left =
        kf__l_bin(L, "%", kf__l_bin(L, "-", to, from), kf__l_int(L, KF__CPU_FEW));
    return kf__put_let(L, "int64_t", name, kf__l_bin(L, "-", to, left), NULL);
}

enum { WIDEST = 16 }; /* elements */

const kf__lx *kf__cpu_put_padded(kf__low *L, const char *name, const kf__lx *n) {
    const kf__lx *up = kf__l_bin(L, "+", n, kf__l_int(L, WIDEST - 1));
    const kf__lx *over = kf__l_bin(L, "%", up, kf__l_int(L, WIDEST));
    return kf__put_let(L, "int64_t", name, kf__l_bin(L, "-", up, over), NULL);
}

void kf__cpu_open_few(kf__low *L, const kf__lx *whole, const kf__lx *to) {
    const kf__lx *left = kf__l_bin(L, "-", to, whole);
    kf__open_if(L, kf__l_bin(L, "<", whole, to));
    kf__put_let(L, "int", "left", kf__l_call(L, "kf_cast_i64_i32", KF__I64, left), NULL);
}

const kf__lx *kf__cpu_open_vector(kf__low *L, kf__cpu_block *b, const kf__lx *whole) {
    const kf__lx *l = kf__l_var(L, "l");
    kf__open_for(L, "int", "l", kf__l_int(L, 0), kf__l_int(L, KF__CPU_FEW), kf__l_int(L, 1),
                 KF__SIMD);
    b->inside = kf__l_bin(L, "<", l, kf__l_var(L, "left"));
    return kf__l_bin(L, "+", whole, l);
}

void kf__cpu_close_vector(kf__low *L, kf__cpu_block *b) {
    b->inside = NULL;
    kf__close(L);
}

void kf__cpu_open_left(kf__low *L) {
    kf__open_for(L, "int", "l", kf__l_int(L, 0), kf__l_var(L, "left"), kf__l_int(L, 1),
                 KF__SERIAL);
}
