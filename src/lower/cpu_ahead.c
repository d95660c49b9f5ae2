/* What tiles on the CPU read and store next is asked for: no processor foresees where it is.
 *
 *     if (prefetch && u + 1 < end)                            in each row r of a tile: a part
 *         far0 = corner0 + (last ? below_in_x : next_in_x)    the same place of the next tile
 *         for (l = r; l < len; l += rows)                     of what isn't contiguous some runs
 *             kf_prefetch_run(far0 + l * stride, ...)
 *         kf_prefetch_run(far1, ...)                          of what is, this row's line
 *
 * To L2: a tile of what comes next and one of now don't fit in L1. */
#include "lower/cpu.h"

enum { FAR_BYTES = 1 << 14 }; /* asking takes time: less than this is in L1 all along */

/* How many kernels come before this one; of a copy of its text, too. */
static uint32_t before(const kf__low *L) {
    const kf__partition *p = L->p;
    uint32_t stored = L->k->n_stores ? L->k->accesses[L->k->stores[0].access].value : KF__NO_VALUE;
    for (uint32_t n = 0; n < p->n_kernels && stored != KF__NO_VALUE; ++n) {
        const kf__kernel *k = &p->kernels[n];
        if (k->accesses[k->stores[0].access].value == stored) return n;
    }
    return 0;
}

/* Did an earlier kernel read or write the value? */
static bool was_there(const kf__low *L, uint32_t value) {
    for (uint32_t n = before(L); n-- > 0;)
        for (uint32_t i = 0; i < L->p->kernels[n].n_accesses; ++i)
            if (L->p->kernels[n].accesses[i].value == value) return true;
    return false;
}

/* Have earlier kernels left all that is turned in the core's cache? There it needn't be asked for:
 * x + softmax(z, 0).T of 97x103 takes a Zen 4 10.4 us, and 9.7; x from further, 14.9 and 12.9. */
static bool is_left(const kf__low *L) {
    if (kf__cpu_comes_from_far(L)) return false;
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        if (!o->value || o->store || !kf__low_tiled(L, i)) continue;
        if (!was_there(L, L->k->accesses[i].value)) return false;
        any = true;
    }
    return any;
}

void kf__cpu_prefetch_word(kf__low *L, bool useful) {
    kf__word_int(L, "prefetch", useful && kf__low_bytes(L) >= FAR_BYTES && !is_left(L));
}

static const kf__lx *corner(kf__low *L, uint32_t access) {
    return kf__l_var(L, kf__cpu_corner(L, access));
}

/* How far the operand's next tile is, in elements. Beyond the end of d it is nowhere, which costs
 * little. */
static const kf__lx *next_tile(kf__low *L, uint32_t access, const kf__tiling *t,
                               const kf__lx *last) {
    const kf__operand *o = &L->operands[access];
    int64_t step = t->along * o->stride[t->a];
    int64_t size = t->size ? kf__min(t->size, L->axes[t->a].size) : L->axes[t->a].size;
    int64_t back = (kf__ceil_div(size, t->along) - 1) * step;
    const kf__lx *next = kf__word_int(L, kf__l_name(L, "next_%s", o->name), step);
    const kf__lx *below = kf__word_int(L, kf__l_name(L, "below_%s", o->name),
                                       t->down * o->stride[t->d] - back);
    if (t->wraps)
        below = kf__l_select(L, t->wraps,
                             kf__word_int(L, kf__l_name(L, "wrapped_%s", o->name),
                                          step - (t->tiles - 1) * t->down * o->stride[t->d]),
                             below);
    return kf__l_select(L, last, below, next);
}

/* Does the row read, by loads of `mask`, or store a line of the operand, to which there is a
 * pointer? */
static bool has_line(const kf__low *L, const kf__mask *mask, uint32_t access) {
    if (kf__low_step(L, access) != 1 || !L->pointer[access]) return false;
    if (L->operands[access].store) return true;
    for (uint32_t n = 0; n < L->k->n_instrs; ++n) {
        const kf__instr *in = &L->k->instrs[n];
        if (in->kind == KF__I_LOAD && in->access == access && kf__has(mask, n)) return true;
    }
    return false;
}

void kf__cpu_prefetch_run(kf__low *L, uint32_t access, const kf__lx *at, const kf__lx *n) {
    const kf__operand *o = &L->operands[access];
    const kf__lx *bytes = kf__l_bin(L, "*", n, kf__l_int(L, kf__types[o->dtype].size));
    kf__put_call(L, kf__l_call(L, o->store ? "kf_prefetch_write_run" : "kf_prefetch_run", KF__I64,
                               at, bytes));
}

/* Runs of n elements from `at` on, for l in [from, to) by `step`; one of those that share a line
 * of the cache: x.T of 3000000x3 bytes took a Zen 3 4.1 ms, then 1.4. */
static void put_runs(kf__low *L, uint32_t access, const kf__lx *at, const kf__lx *n,
                     const kf__lx *from, const kf__lx *to, const kf__lx *step) {
    const kf__operand *o = &L->operands[access];
    const kf__lx *stride = kf__word_stride(L, access, kf__last(L));
    int64_t by = o->stride[kf__last(L)], apart = kf__max(1, by < 0 ? -by : by);
    const kf__lx *each = kf__word_int(L, kf__l_name(L, "each_%s", o->name),
                                      kf__max(1, kf__cpu_per_line(L, access) / apart));
    from = kf__l_bin(L, "*", from, each);
    kf__open_for(L, "int64_t", "l", from, to, kf__l_bin(L, "*", step, each), KF__SERIAL);
    const kf__lx *first = kf__l_bin(L, "+", at, kf__l_bin(L, "*", kf__l_var(L, "l"), stride));
    kf__cpu_prefetch_run(L, access, first, n);
    kf__close(L);
}

void kf__cpu_prefetch_first(kf__low *L, uint32_t access, const kf__lx *where, const kf__lx *n,
                            const kf__lx *len) {
    const kf__lx *first = kf__l_bin(L, "==", kf__l_var(L, "u"), kf__l_var(L, "begin"));
    if (where) first = kf__l_bin(L, "&&", first, where);
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_var(L, "prefetch"), first));
    put_runs(L, access, corner(L, access), n, kf__l_int(L, 0), len, kf__l_int(L, 1));
    kf__close(L);
}

/* What is streamed past the caches isn't asked for. */
static const kf__lx *when(kf__low *L, const kf__tiling *t, uint32_t access) {
    bool tiled = kf__low_tiled(L, access);
    const kf__lx *lines = tiled ? NULL : t->lines;
    if (!L->operands[access].store || (t->cached && !tiled)) return lines;
    const kf__lx *cached = kf__l_bin(L, "==", kf__cpu_stream_of(L, access), kf__l_int(L, 0));
    if (t->wide && kf__cpu_turns_bytes(L, access)) return kf__l_bin(L, "||", t->wide, cached);
    return lines ? kf__l_bin(L, "&&", lines, cached) : cached;
}

void kf__cpu_prefetch_rows(kf__low *L, const kf__mask *mask, const kf__tiling *t) {
    enum { AHEAD = 8 };
    const kf__lx *ahead = kf__l_bin(L, "+", t->row, kf__l_int(L, AHEAD));
    const kf__lx *first = kf__l_bin(L, "==", kf__l_var(L, "u"), kf__l_var(L, "begin"));
    bool open = false;
    first = kf__l_bin(L, "&&", kf__l_var(L, "prefetch"), first);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!L->operands[i].value || kf__low_tiled(L, i) || !has_line(L, mask, i)) continue;
        if (!open) kf__open_if(L, kf__l_bin(L, "&&", first, kf__l_bin(L, "<", ahead, t->rows)));
        open = true;
        const kf__lx *asked = when(L, t, i);
        const kf__lx *step = kf__l_bin(L, "*", kf__l_int(L, AHEAD), kf__word_stride(L, i, t->d));
        if (asked) kf__open_if(L, asked);
        kf__cpu_prefetch_run(L, i, kf__l_bin(L, "+", kf__l_var(L, L->pointer[i]), step), t->len);
        if (asked) kf__close(L);
    }
    if (open) kf__close(L);
}

void kf__cpu_prefetch_next(kf__low *L, const kf__mask *mask, const kf__tiling *t) {
    const kf__lx *unit = kf__l_bin(L, "+", kf__l_var(L, "u"), kf__l_int(L, 1));
    const kf__lx *more = kf__l_bin(L, "<", unit, kf__l_var(L, "end"));
    if (t->more) more = kf__l_bin(L, "||", t->more, more);
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_var(L, "prefetch"), more));
    const kf__lx *last = kf__put_let(L, "int", "last", t->last, NULL);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        bool tiled = kf__low_tiled(L, i);
        if (!L->operands[i].value || (!tiled && !has_line(L, mask, i))) continue; /* random words */
        const kf__lx *at = tiled ? corner(L, i) : kf__l_var(L, L->pointer[i]);
        at = kf__put_let(L, kf__l_name(L, "const %s *", kf__types[L->operands[i].dtype].stored),
                         kf__l_name(L, "far%u", (unsigned)i),
                         kf__l_bin(L, "+", at, next_tile(L, i, t, last)), NULL);
        const kf__lx *asked = when(L, t, i);
        if (asked) kf__open_if(L, asked);
        if (tiled) put_runs(L, i, at, t->run, t->row, t->runs, t->rows);
        else kf__cpu_prefetch_run(L, i, at, t->len);
        if (asked) kf__close(L);
    }
    kf__close(L);
}
