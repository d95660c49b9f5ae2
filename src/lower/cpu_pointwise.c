/* Pointwise kernels on the CPU.
 *
 *     for (u = begin; u < end; ++u)            a unit: one block of one line
 *         i0, i1, ... of the line, pointers to the block's start
 *         random words of the block, if any    kf_philox_fill, into words on the stack
 *         for (piece = ...)                    all of the block, or what is streamed at once
 *             for (l = l0; l < l1; ++l)        SIMD
 *                 loads, values, stores        to the result, or to a buffer in L1 that is then
 *             kf_stream_copy of the buffers    streamed past the caches, where that wins
 */
#include "lower/cpu.h"

/* ---------------------------------------------------------------- narrowing */

/* A float that is cast to a byte or two when it is stored: gcc mixes the cast's bounds with
 * whatever comparisons the value is made of, and takes as many elements at once as make vectors of
 * halves, which costs more than a loop of its own over a buffer in L1. */
static bool narrows(const kf__low *L, uint32_t s) {
    const kf__instr *in = &L->k->instrs[L->k->stores[s].instr];
    if (in->kind != KF__I_CAST || !kf__at_level(L, L->k->stores[s].instr, KF__LEVEL_FULL))
        return false;
    kf__dtype from = kf__compute(L->k->instrs[in->args[0]].dtype), to = kf__compute(in->dtype);
    const kf__instr *of = &L->k->instrs[in->args[0]];
    bool buffered = of->kind == KF__I_PICK && kf__is_range(L, of->args[0]); /* see cpu_pick.c */
    return kf__is_float(from) && !kf__is_float(to) && to != KF__BOOL && kf__types[to].size < 4 &&
           of->kind != KF__I_LOAD && !buffered;
}

static const char *wide_name(kf__low *L, uint32_t s) {
    return kf__l_name(L, "wide%u", (unsigned)s);
}

static void put_store(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t i) {
    kf__cpu_block one = *b;
    one.target[0] = b->target[i];
    one.half[0] = b->half[i];
    one.made[0] = b->made[i];
    one.again[0] = b->again[i];
    kf__cpu_stores(L, &one, &stores[i], 1, kf__l_var(L, "l"));
}

/* Stores of the main loop: those that narrow leave their float in the buffer. */
static void put_stores(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n) {
    const kf__lx *l = kf__l_var(L, "l");
    for (uint32_t i = 0; i < n; ++i) {
        const kf__instr *in = &L->k->instrs[L->k->stores[stores[i]].instr];
        if (narrows(L, stores[i])) {
            kf__put_set(L, kf__l_item(L, wide_name(L, stores[i]), kf__cpu_in_piece(L, b, l)),
                        kf__value_of(L, in->args[0]));
            continue;
        }
        put_store(L, b, stores, i);
    }
}

static void put_narrowing(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                          const kf__lx *from, const kf__lx *to) {
    const kf__lx *l = kf__l_var(L, "l");
    for (uint32_t i = 0; i < n; ++i) {
        if (!narrows(L, stores[i])) continue;
        uint32_t cast = L->k->stores[stores[i]].instr;
        kf__open_for(L, "int64_t", "l", from, to, kf__l_int(L, 1), KF__SIMD);
        kf__cpu_forget(L, NULL);
        L->value[L->k->instrs[cast].args[0]] =
            kf__l_item(L, wide_name(L, stores[i]), kf__cpu_in_piece(L, b, l));
        kf__put_instr(L, cast);
        put_store(L, b, stores, i);
        kf__cpu_forget(L, NULL);
        kf__close(L);
    }
}

/* ---------------------------------------------------------------- a block */

kf__mask *kf__cpu_line_mask(kf__low *L, const uint16_t *stores, uint32_t n) {
    uint16_t roots[64];
    for (uint32_t i = 0; i < n; ++i) {
        roots[i] = L->k->stores[stores[i]].instr;
        if (kf__cpu_is_half(L, stores[i])) roots[i] = kf__cpu_unrounded(L, stores[i]);
        if (narrows(L, stores[i])) roots[i] = L->k->instrs[roots[i]].args[0];
    }
    return kf__low_needed(L, KF__LEVEL_FULL, roots, n);
}

/* Is what is stored but an array's elements, bit for bit? Then a block is copied at once, without
 * a buffer in between; what is guarded isn't if each element has its own answer. */
static bool copies(const kf__low *L, const kf__cpu_block *b, uint16_t s) {
    const kf__store *store = &L->k->stores[s];
    const kf__instr *in = &L->k->instrs[store->instr];
    if (in->kind != KF__I_LOAD || L->value[store->instr]) return false;
    kf__dtype type = L->operands[store->access].dtype;
    if (type == KF__BOOL || type != L->operands[in->access].dtype) return false;
    bool reads = b->tile[in->access] || kf__low_step(L, in->access) == 1;
    return reads && (b->tile[store->access] || kf__low_step(L, store->access) == 1);
}

/* Of what store s copies: the line of its elements. */
static const char *copied_line(kf__low *L, const kf__cpu_block *b, uint16_t s) {
    uint32_t instr = L->k->stores[s].instr, load = L->k->instrs[instr].access;
    return b->tile[load] ? b->tile[load] : kf__cpu_from(L, b, instr);
}

static void put_items(kf__low *L, const char *to, const char *from, const kf__lx *n) {
    const kf__lx *l = kf__l_var(L, "l");
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), n, kf__l_int(L, 1), KF__SIMD);
    kf__put_set(L, kf__l_item(L, to, l), kf__l_item(L, from, l));
    kf__close(L);
}

/* Copies the block from line `from`. */
static void put_copy(kf__low *L, kf__cpu_block *b, uint16_t s, const char *from, bool streams) {
    uint32_t access = L->k->stores[s].access;
    const char *to = b->tile[access];
    if (!to) {
        kf__cpu_need_pointer(L, b, access);
        to = L->pointer[access];
    }
    if (streams) kf__cpu_open_uncopied(L, access, from, kf__l_int(L, 0), b->len);
    put_items(L, to, from, b->len);
    if (streams) kf__close(L);
}

/* Lines that may be short, with a function: are the elements that vectors leave worth one more of
 * these, stored from a buffer? */
static bool leaves_few(const kf__low *L, const kf__cpu_block *b, const kf__mask *mask,
                       const uint16_t *stores, uint32_t n) {
    bool lines = L->k->reduced || L->n_axes > 1;
    bool few = lines && kf__cpu_is_worth_few(L, mask);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t access = L->k->stores[stores[i]].access;
        few = few && L->operands[access].dtype == KF__F32 &&
              (b->tile[access] || kf__low_step(L, access) == 1) &&
              kf__at_level(L, L->k->stores[stores[i]].instr, KF__LEVEL_FULL);
    }
    return few;
}

static const char *few_name(kf__low *L, uint16_t store) {
    return kf__l_name(L, "few%u", (unsigned)store);
}

/* Values that are there already are those of element l: unlike those of cpu_few.c, this vector
 * counts on from the last one. */
static void put_few(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const uint16_t *stores,
                    uint32_t n, const kf__lx *whole, const kf__lx *to) {
    const kf__lx *l = kf__l_var(L, "l"), *few = kf__l_int(L, KF__CPU_FEW);
    const kf__lx *at = kf__l_bin(L, "-", l, whole), *one = kf__l_int(L, 1);
    kf__open_if(L, kf__l_bin(L, "<", whole, to));
    for (uint32_t i = 0; i < n; ++i)
        kf__put_var(L, "float", few_name(L, stores[i]), KF__CPU_FEW, NULL);
    kf__open_for(L, "int64_t", "l", whole, kf__l_bin(L, "+", whole, few), one, KF__SIMD);
    b->inside = kf__l_bin(L, "<", l, to);
    kf__cpu_body(L, b, mask, l);
    for (uint32_t i = 0; i < n; ++i)
        kf__put_set(L, kf__l_item(L, few_name(L, stores[i]), at),
                    kf__value_of(L, L->k->stores[stores[i]].instr));
    b->inside = NULL;
    kf__close(L);
    kf__open_for(L, "int64_t", "l", whole, to, one, KF__SERIAL);
    for (uint32_t i = 0; i < n; ++i)
        kf__put_store(L, L->k->stores[stores[i]].access, b->target[i],
                      kf__cpu_store_index(L, b, stores[i], l),
                      kf__l_item(L, few_name(L, stores[i]), at));
    kf__close(L);
    kf__close(L);
}

/* The block's loop; of a short row its last elements apart. */
static void put_elements(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const uint16_t *stores,
                         uint32_t n, const kf__lx *from, const kf__lx *to) {
    bool few = leaves_few(L, b, mask, stores, n);
    const kf__lx **before = few ? KF__NEW(L->arena, const kf__lx *, L->k->n_instrs) : NULL;
    const kf__lx *whole = to;
    if (few && !before) {
        L->failed = true;
        return;
    }
    if (few) {
        whole = kf__cpu_put_whole(L, "whole", from, to);
        memcpy(before, L->value, sizeof *before * L->k->n_instrs);
    }
    kf__open_for(L, "int64_t", "l", from, whole, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, b, mask, kf__l_var(L, "l"));
    put_stores(L, b, stores, n);
    kf__close(L);
    if (!few) return;
    memcpy(L->value, before, sizeof *before * L->k->n_instrs);
    put_few(L, b, mask, stores, n, whole, to);
}

/* Opens a block of its own, of the same elements: the line's pointers are its, too. */
static void open_apart(kf__low *L, kf__cpu_block *one, const kf__cpu_block *b) {
    const char *pointer[KF__MAX_ACCESSES];
    kf__cpu_forget(L, NULL);
    kf__open_block(L);
    memcpy((void *)pointer, (const void *)L->pointer, sizeof *pointer * L->k->n_accesses);
    kf__cpu_open_line(L, one, b->first, b->len);
    memcpy((void *)L->pointer, (const void *)pointer, sizeof *pointer * L->k->n_accesses);
    one->most = b->most;
    memcpy(one->tile, b->tile, sizeof one->tile);
}

/* Leaves the stores for which `is` doesn't hold, the others in taken[n]; of how many it doesn't. */
static uint32_t take(const kf__low *L, const kf__cpu_block *b, uint16_t *stores, uint32_t n,
                     uint16_t *taken,
                     bool (*is)(const kf__low *L, const kf__cpu_block *b, uint16_t store)) {
    uint32_t rest = 0, found = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (is(L, b, stores[i])) taken[found++] = stores[i];
        else stores[rest++] = stores[i];
    }
    return rest;
}

static bool is_raw_pick(const kf__low *L, const kf__cpu_block *b, uint16_t s) {
    return !L->k->n_symbols && kf__cpu_stores_pick_raw(L, b, s);
}

uint32_t kf__cpu_take_raw(kf__low *L, const kf__cpu_block *b, uint16_t *stores, uint32_t n,
                          uint16_t *raw) {
    return take(L, b, stores, n, raw, is_raw_pick);
}

void kf__cpu_copy_raw(kf__low *L, const kf__cpu_block *b, const uint16_t *raw, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        kf__cpu_block one;
        open_apart(L, &one, b);
        kf__cpu_store_pick(L, &one, kf__cpu_line_mask(L, &raw[i], 1), raw[i],
                           L->k->stores[raw[i]].instr);
        kf__close(L);
    }
}

static const char *kept_name(kf__low *L, uint16_t s) {
    return kf__l_name(L, "kept%u", (unsigned)s);
}

/* Elements that a store copies from memory to memory are kept in L1 until the other stores are
 * done, as one of those may lie over them. To a tile, the kernel's own, they go at once. */
static void keep_copied(kf__low *L, const kf__cpu_block *b, uint16_t s) {
    uint32_t access = L->k->stores[s].access, load = L->k->instrs[L->k->stores[s].instr].access;
    const char *to = b->tile[access] ? b->tile[access] : kept_name(L, s);
    kf__cpu_block one;
    if (b->tile[load]) return;
    if (!b->tile[access])
        kf__put_var(L, kf__types[L->operands[access].dtype].stored, to, b->most, NULL);
    open_apart(L, &one, b);
    kf__cpu_prepare(L, &one, kf__cpu_line_mask(L, &s, 1));
    put_items(L, to, copied_line(L, &one, s), b->len);
    kf__close(L);
}

static void put_copied(kf__low *L, const kf__cpu_block *b, uint16_t s) {
    uint32_t access = L->k->stores[s].access, load = L->k->instrs[L->k->stores[s].instr].access;
    const char *from = b->tile[load] ? b->tile[load] : kept_name(L, s);
    kf__cpu_block one;
    if (b->tile[access] && !b->tile[load]) return;
    open_apart(L, &one, b);
    put_copy(L, &one, s, from, !b->tile[access]);
    kf__close(L);
}

/* Are an array's halves stored beside other results, as arrays have them, not as floats? */
static bool is_copied(const kf__low *L, const kf__cpu_block *b, uint16_t s) {
    return !L->held && kf__cpu_is_half(L, s) && copies(L, b, s) &&
           !L->k->instrs[L->k->stores[s].instr].n_args;
}

/* What is stored as it lies in memory, beside other results. */
static bool put_apart(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n) {
    uint16_t rest[64], raw[64], copied[64];
    if (n < 2) return false;
    memcpy(rest, stores, n * sizeof *stores);
    uint32_t unpicked = kf__cpu_take_raw(L, b, rest, n, raw);
    uint32_t left = take(L, b, rest, unpicked, copied, is_copied);
    if (left == n) return false;
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs + 1);
    if (!before) L->failed = true;
    if (!before) return true;
    memcpy(before, L->value, sizeof *before * L->k->n_instrs);
    for (uint32_t i = 0; i < unpicked - left; ++i) keep_copied(L, b, copied[i]);
    memcpy(L->value, before, sizeof *before * L->k->n_instrs);
    if (left) {
        kf__cpu_block others = *b;
        kf__open_block(L);
        kf__cpu_line(L, &others, kf__cpu_line_mask(L, rest, left), rest, left);
        kf__close(L);
    }
    for (uint32_t i = 0; i < unpicked - left; ++i) put_copied(L, b, copied[i]);
    kf__cpu_copy_raw(L, b, raw, n - unpicked);
    memcpy(L->value, before, sizeof *before * L->k->n_instrs);
    return true;
}

void kf__cpu_line(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const uint16_t *stores,
                  uint32_t n) {
    uint32_t pick;
    if (put_apart(L, b, stores, n)) return;
    bool alone = n == 1 && !narrows(L, stores[0]) &&
                 (!kf__cpu_is_half(L, stores[0]) || kf__cpu_stores_pick_raw(L, b, stores[0]));
    if (alone && kf__cpu_stores_pick(L, b, stores, n, &pick)) {
        kf__cpu_store_pick(L, b, mask, stores[0], pick);
        return;
    }
    bool copy = n == 1 && copies(L, b, stores[0]);
    b->widens = b->narrows = !copy;
    kf__cpu_prepare(L, b, mask);
    uint32_t instr = L->k->stores[stores[0]].instr;
    const kf__instr *in = &L->k->instrs[instr];
    if (copy && (!in->n_args || b->from[instr])) {
        bool streams = !L->held && !b->tile[L->k->stores[stores[0]].access];
        b->cached = !streams;
        put_copy(L, b, stores[0], copied_line(L, b, stores[0]), streams);
        return;
    }
    const kf__lx *from = kf__l_int(L, 0), *to = b->len;
    kf__cpu_open_pieces(L, b, stores, n, &from, &to);
    for (uint32_t i = 0; i < n; ++i)
        if (narrows(L, stores[i])) {
            const kf__instr *cast = &L->k->instrs[L->k->stores[stores[i]].instr];
            kf__put_var(L, kf__ctype(L->k->instrs[cast->args[0]].dtype), wide_name(L, stores[i]),
                        b->most, NULL);
        }
    if (!kf__cpu_are_made(b, n)) put_elements(L, b, mask, stores, n, from, to);
    put_narrowing(L, b, stores, n, from, to);
    kf__cpu_flush(L, b, stores, n);
    kf__cpu_close_pieces(L, b);
}

/* ---------------------------------------------------------------- the nest */

enum {
    CHAINED_BLOCK = 512, /* elements of a block of functions of functions, and of halves */
    COPIED_BLOCK = 1024, /* of halves, beside what is copied */
    FEW_LINES = 16,
};

/* Of functions of functions, each a loop of its own, blocks are small: while the last ones are
 * computed, the processor goes on reading by itself, but not far. Of halves, widened by a loop of
 * their own, too: x + y of 4M took a Zen 4 2.8 ms with blocks of 2048, then 2.2; and functions of
 * what is read element by element: exp(take_along_axis(x, i, 1)) 20.8 ms, then 19.4. A copy of few
 * elements takes longer to begin than to do: roll(x, 3, 1), x * 2 of 1M took a Zen 3 .32 ms with
 * blocks of 512, then .28. */
static int64_t block_of(kf__low *L, const kf__mask *mask, const uint16_t *stores, uint32_t n) {
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), kf__l_int(L, 0));
    for (uint32_t i = 0; i < n; ++i)
        if (kf__cpu_is_half(L, stores[i]) && is_raw_pick(L, &b, stores[i])) return COPIED_BLOCK;
    for (uint32_t i = 0; i < n; ++i)
        if (kf__cpu_is_half(L, stores[i]) || (narrows(L, stores[i]) && kf__is_dear(L, mask)))
            return CHAINED_BLOCK;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool whole = kf__has(mask, i) && in->kind == KF__I_LOAD && !in->n_args;
        if (whole && L->operands[in->access].dtype == KF__F16 && kf__low_step(L, in->access) == 1)
            return CHAINED_BLOCK;
    }
    bool loops = kf__cpu_has_chains(L, &b, mask) || (kf__is_dear(L, mask) && kf__cpu_scatters(L));
    return loops ? CHAINED_BLOCK : KF__CPU_BLOCK;
}

static const kf__lx *axis_var(kf__low *L, int m) { return kf__l_var(L, L->axes[m].var); }

/* Lines in order: the axes but the last one count on, which takes less than to divide by them. At
 * unit `begin`, before the loop. */
static void put_counters(kf__low *L) {
    const kf__lx *u = kf__l_var(L, "begin"), *n = kf__l_var(L, "blocks");
    const char *type = kf__index_type(L);
    kf__put_var(L, "int64_t", "part", 0, kf__l_bin(L, "%", u, n));
    const kf__lx *rest = kf__put_let(L, "int64_t", "first_line", kf__l_bin(L, "/", u, n), NULL);
    for (int m = kf__last(L) - 1; m > 0; --m) {
        const kf__lx *size = kf__word_size(L, m);
        kf__put_var(L, type, L->axes[m].var, 0, kf__l_bin(L, "%", rest, size));
        rest = kf__put_let(L, type, kf__l_name(L, "above%d", m), kf__l_bin(L, "/", rest, size),
                           NULL);
    }
    kf__put_var(L, type, L->axes[0].var, 0, rest);
}

static void count_on(kf__low *L, const kf__lx *counter, const kf__lx *size) {
    kf__put_set(L, counter, kf__l_bin(L, "+", counter, kf__l_int(L, 1)));
    if (!size) return;
    kf__open_if(L, kf__l_bin(L, "==", counter, size));
    kf__put_set(L, counter, kf__l_int(L, 0));
}

/* To the next unit. */
static void put_next(kf__low *L) {
    count_on(L, kf__l_var(L, "part"), kf__l_var(L, "blocks"));
    for (int m = kf__last(L) - 1; m >= 0; --m)
        count_on(L, axis_var(L, m), m ? kf__word_size(L, m) : NULL);
    for (int m = 0; m < kf__last(L); ++m) kf__close(L);
}

typedef struct units {
    int64_t most;          /* elements of a block, at most */
    const kf__lx *block;   /* of this one */
    const kf__lx *size;    /* of a line */
    const kf__lx *lines;   /* how many there are, where units go from one line to the next; NULL:
                            * from one block of a line to the next */
    kf__repeats *same;     /* what repeats along lines; or NULL */
    bool counts;           /* are there counters of the line and its part? */
} units;

/* The axes' variables of unit u, and its block. */
static void put_unit(kf__low *L, kf__cpu_block *b, const kf__lx *u, const units *of) {
    const kf__lx *part = u, *block = of->block;
    if (of->counts) {
        part = kf__l_var(L, "part");
    } else if (L->n_axes > 1) {
        const kf__lx *n = of->lines ? of->lines : kf__l_var(L, "blocks");
        kf__put_let(L, "int64_t", "line", kf__l_bin(L, of->lines ? "%" : "/", u, n), NULL);
        part = kf__l_bin(L, of->lines ? "/" : "%", u, n);
        if (of->same && of->same->lines) kf__cpu_put_of_run(L, of->same, kf__l_var(L, "line"));
        else kf__put_decode(L, false, true, kf__l_var(L, "line"));
    }
    const kf__lx *first = kf__put_let(L, "int64_t", "first", kf__l_bin(L, "*", part, block), NULL);
    const kf__lx *len = kf__put_let(
        L, "int64_t", "len",
        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", of->size, first), block), NULL);
    kf__cpu_open_line(L, b, first, len);
    b->most = of->most;
}

/* Are there a few lines, of which each is picked from another array? Then each thread should have
 * parts of all: stack([gelu(x), y]). */
static bool picks_lines(const kf__low *L, const kf__mask *mask) {
    const kf__exprs *x = &L->p->graph->exprs;
    int64_t size;
    if (L->n_axes != 2 || !kf__x_is_const(x, L->k->size[L->axes[0].original], &size) ||
        size > FEW_LINES)
        return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_INSIDE &&
            kf__axes_of(x, L->k->accesses[in->access].index[0]) >> L->axes[0].original & 1)
            return true;
    }
    return false;
}

/* The line's number; by the axis before the last one alone, if all others have the same. */
static const kf__lx *line_of(kf__low *L, const kf__of_lines *own) {
    int last = kf__last(L) - 1, m = own->outer ? 0 : last;
    const kf__lx *line = axis_var(L, m);
    while (++m <= last)
        line = kf__l_bin(L, "+", kf__l_bin(L, "*", line, kf__word_size(L, m)), axis_var(L, m));
    return own->outer && last > 0 ? kf__put_let(L, "int64_t", "line", line, NULL) : line;
}

static void declare_own(kf__low *L, const kf__of_lines *own) {
    kf__cpu_declare_of_lines(L, own, KF__CPU_LINES);
    kf__put_var(L, "int64_t", "made_line", 0, kf__l_int(L, 0));
    kf__put_var(L, "int64_t", "made_lines", 0, kf__l_int(L, 0));
}

/* What this line and the next ones have of their own; gives which of them this is. */
static const kf__lx *put_own(kf__low *L, const kf__of_lines *own) {
    int m = kf__last(L) - 1;
    const kf__lx *made = kf__l_var(L, "made_line"), *lines = kf__l_var(L, "made_lines");
    const kf__lx *line = line_of(L, own), *r = kf__l_var(L, "r"), *at = axis_var(L, m);
    const kf__lx *other = kf__l_bin(L, ">=", kf__l_bin(L, "-", line, made), lines);
    if (!own->outer) other = kf__l_bin(L, "||", kf__l_bin(L, "<", line, made), other);
    kf__open_if(L, other);
    kf__put_set(L, made, line);
    kf__put_set(L, lines, kf__l_call(L, "kf_min_i64", KF__I64,
                                     kf__l_bin(L, "-", kf__word_size(L, m), at),
                                     kf__l_int(L, KF__CPU_LINES)));
    const kf__lx *from = kf__put_let(L, "int64_t", "from", at, NULL);
    kf__open_for(L, "int64_t", "r", kf__l_int(L, 0), lines, kf__l_int(L, 1), KF__SIMD);
    kf__put_let(L, kf__index_type(L), L->axes[m].var, kf__l_bin(L, "+", from, r), NULL);
    kf__cpu_put_of_line(L, own, r);
    kf__close(L);
    kf__close(L);
    return kf__l_bin(L, "-", line, made);
}

static bool has_strided(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && kf__cpu_is_strided(L, &L->k->instrs[i])) return true;
    return false;
}

static bool goes_backwards(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && kf__cpu_is_strided(L, in) && kf__cpu_is_backwards(L, in->access))
            return true;
    }
    return false;
}

/* What is read backwards is put in order before anything is made of it, and memory would have
 * nothing to do meanwhile: it is asked for a block before, by smaller ones. x[::-1] * 2 of 10M
 * takes a Zen 4 4.4 ms without that, and 3.0; x[::3] + 1 of 3M 580 us without it, and 650. */
static void put_strided_ahead(kf__low *L, kf__cpu_block *b, const kf__mask *mask,
                              const units *of) {
    int last = kf__last(L);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || !kf__cpu_is_strided(L, in)) continue;
        const kf__lx *stride = kf__word_stride(L, in->access, last);
        const kf__lx *next = kf__l_bin(L, "*", of->block, stride);
        if (of->counts) {
            const kf__lx *end = kf__l_bin(L, "+", kf__l_var(L, "part"), kf__l_int(L, 1));
            const kf__lx *line = kf__l_bin(L, "-", kf__word_stride(L, in->access, last - 1),
                                           kf__l_bin(L, "*", b->first, stride));
            next = kf__l_select(L, kf__l_bin(L, "<", end, kf__l_var(L, "blocks")), next, line);
        }
        kf__cpu_ask_backwards(L, b, in->access, next);
    }
}

/* same: what repeats along lines that may be one run; NULL: they may not. */
static void put_lines(kf__low *L, kf__repeats *same) {
    kf__low_begin(L, "", "One pass over the elements, in blocks of the innermost axis.");
    kf__loop_fn *fn = L->fn;
    int64_t line = L->n_axes ? L->axes[kf__last(L)].size : 1;
    int64_t lines = 1;
    for (int m = 0; m + 1 < L->n_axes; ++m) lines *= L->axes[m].size;
    L->run = same ? kf__cpu_run(L, same) : 0;
    if (L->run) line = L->run, lines = kf__cpu_runs(L);
    uint16_t stores[64];
    uint32_t n = kf__low_stores(L, 0, stores);
    const kf__lx *size = L->n_axes ? kf__word_size(L, kf__last(L)) : kf__l_int(L, 1);
    bool stream = kf__cpu_stream_word(L);
    kf__put_scalars(L);
    const kf__lx *u = kf__l_var(L, "u"), *end = kf__l_var(L, "end"), *one = kf__l_int(L, 1);
    kf__mask *mask = kf__cpu_line_mask(L, stores, n);
    kf__tables tables = {0};
    kf__of_lines own;
    bool tabled = kf__cpu_find_tables(L, mask, same ? KF__REPEATED : KF__CPU_BLOCK, &tables);
    bool across = !same && (tabled || picks_lines(L, mask));
    bool has_own = !across && !same && !L->k->n_symbols && kf__cpu_find_of_lines(L, mask, &own);
    if (has_own) mask = kf__cpu_mask_of_elements(L, &own, stores, n);
    int64_t most = block_of(L, mask, stores, n), block = most;
    bool strided = has_strided(L, mask);
    if (goes_backwards(L, mask)) block = kf__min(block, CHAINED_BLOCK);
    fn->units = lines * kf__ceil_div(line, block);
    fn->grain = kf__max(1, 4096 / kf__max(1, kf__min(line, block)));
    const kf__lx *each = across ? kf__word_int(L, "lines", lines) : NULL;
    if (tabled) mask = kf__cpu_table_mask(L, &tables, stores, n);
    if (same) {
        same->tables = tabled ? &tables : NULL;
        kf__cpu_put_repeats(L, same);
        size = same->length;
    }
    const kf__lx *of_block = strided ? kf__word_int(L, "block", block) : kf__l_int(L, block);
    if (L->n_axes > 1 && !across) {
        const kf__lx *up = strided ? kf__l_bin(L, "-", kf__l_bin(L, "+", size, of_block), one)
                                   : kf__l_bin(L, "+", size, kf__l_int(L, block - 1));
        kf__put_let(L, "int64_t", "blocks", kf__l_bin(L, "/", up, of_block),
                    "of a line");
    }
    kf__cpu_block b;
    const kf__lx *ahead = kf__cpu_ahead(L, mask);
    if (has_own) declare_own(L, &own);
    units of = {most, of_block, size, each, same, L->n_axes > 1 && !across && !same && !ahead};
    if (of.counts) put_counters(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), end, one, KF__SERIAL);
    if (ahead) {
        kf__open_if(L, kf__l_bin(L, "&&", ahead,
                                 kf__l_bin(L, "<", kf__l_bin(L, "+", u, one), end)));
        put_unit(L, &b, kf__put_let(L, "int64_t", "next", kf__l_bin(L, "+", u, one), NULL), &of);
        kf__cpu_put_ahead(L, &b, mask);
        kf__close(L);
    }
    const kf__lx *nth = has_own ? put_own(L, &own) : NULL;
    put_unit(L, &b, u, &of);
    if (has_own) kf__cpu_read_of_lines(L, &own, nth);
    if (same) kf__cpu_put_repeated(L, &b, same);
    if (tabled && !same) kf__cpu_put_tables(L, &b, &tables);
    if (!same && (tabled || kf__cpu_has_across(L, &tables, mask)))
        kf__cpu_put_across(L, &tables, mask);
    if (!across && !same && !ahead) {
        put_strided_ahead(L, &b, mask, &of);
        if (L->n_axes > 1) kf__cpu_ask_upwards(L, &b, mask, kf__before_last(L));
    }
    kf__cpu_line(L, &b, mask, stores, n);
    if (of.counts) put_next(L);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
    L->run = 0;
}

void kf__cpu_pointwise(kf__low *L) {
    kf__repeats same;
    L->rows_inside = true;
    if (L->tile >= 0) {
        kf__cpu_tiles(L);
        return;
    }
    bool repeats = kf__cpu_find_repeats(L, &same);
    bool is_short = !repeats && kf__cpu_short_lines(L);
    put_lines(L, repeats ? &same : NULL);
    if (is_short) L->fn->units = 0;
}
