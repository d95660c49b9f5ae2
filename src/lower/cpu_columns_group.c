/* Columns on the CPU, a group of rows before it is reduced: what is contiguous along the rows is
 * transposed into L1, what is dear, or narrow in short rows, is made into arrays, and what comes
 * next is asked for.
 *
 *     turned[l][r] = x[r0 + r, first + l]      of tiled operands; of results, back afterwards
 *     for each of these rows                   or for all as one run
 *         made[r][l] = ... and stores of it
 *     ...                                      the fields of the states, cpu_columns.c
 */
#include "lower/cpu_columns.h"

enum { ASKED = 512 }; /* elements of a run that are asked for at once, and made meanwhile */

/* What is contiguous along the rows: a group of it, transposed into L1; of a result, from there. */
static const char *turned_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "turned%u", (unsigned)i);
}

/* Where the group that begins with row r0 is in memory. */
static const kf__lx *put_corner(kf__low *L, const kf__columns *c, uint32_t i, const kf__lx *r0) {
    const kf__lx *at = kf__low_address(L, i, L->tile, r0->name, c->first);
    return kf__put_let(L, kf__pointer_type(L, i), kf__cpu_corner(L, i), at, NULL);
}

void kf__columns_put_turned(kf__low *L, const kf__columns *c, const kf__lx *r0, const kf__lx *r1) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        kf__put_var(L, kf__types[L->operands[i].dtype].stored, turned_name(L, i),
                    KF__CPU_ROWS * KF__CPU_TURNED_PITCH, NULL);
        const kf__lx *from = put_corner(L, c, i, r0);
        if (L->operands[i].store) continue;
        kf__cpu_prefetch_first(L, i, kf__l_bin(L, "==", r0, c->from), kf__l_bin(L, "-", r1, r0),
                               c->len);
        kf__cpu_put_transpose(L, i, "kf_transpose", kf__l_var(L, turned_name(L, i)),
                              kf__l_int(L, KF__CPU_TURNED_PITCH), from,
                              kf__word_stride(L, i, kf__last(L)), c->len,
                              kf__l_bin(L, "-", r1, r0));
    }
}

void kf__columns_put_turned_stores(kf__low *L, const kf__columns *c, const kf__lx *r0,
                                   const kf__lx *r1) {
    const kf__lx *pitch = kf__l_int(L, KF__CPU_TURNED_PITCH), *rows = kf__l_bin(L, "-", r1, r0);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i) && L->operands[i].store)
            kf__cpu_flush_tile(L, i, turned_name(L, i), pitch, rows, c->len, NULL);
}

/* Their row r of the group that begins with r0. */
void kf__columns_put_turned_rows(kf__low *L, kf__cpu_block *b, const kf__lx *r0) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i)) continue;
        const kf__lx *row = kf__l_bin(L, "*", kf__l_bin(L, "-", kf__l_var(L, "r"), r0),
                                      kf__l_int(L, KF__CPU_TURNED_PITCH));
        b->tile[i] = kf__l_name(L, "row%u", (unsigned)i);
        kf__put_let(L, kf__pointer_type(L, i), b->tile[i],
                    kf__l_bin(L, "+", kf__l_var(L, turned_name(L, i)), row), NULL);
    }
}

/* How many of the rows are made at once, where each is looked at once. As many as stay in L1:
 * sum(x * y, 0) of f16 20000x40, from memory, took a Zen 4 282 us by 2048 elements, then 150;
 * t = x + y; t, sum(t, 0) of 317x316 70 us, then 39. */
static int64_t rows_made(const kf__low *L, const kf__held *made) {
    int64_t elements = kf__min(KF__CPU_MADE, kf__cpu_near_elements(L, made));
    return kf__max(1, elements / kf__max(1, L->axes[kf__last(L)].size));
}

const kf__lx *kf__columns_group(kf__low *L, const kf__columns *c) {
    return c->simple && c->makes ? kf__word_int(L, "most_rows", rows_made(L, &c->made))
                                 : kf__word_int(L, "group", c->group);
}

/* In row r of the group [r0, r1), of `len` elements. Without groups, and functions to wait for, rows
 * are long enough for the processor. */
void kf__columns_put_ahead(kf__low *L, const kf__columns *c, const kf__mask *mask,
                           const kf__lx *len, const kf__lx *r0, const kf__lx *r1) {
    bool lines = c->simple && !L->tiled;
    const kf__lx *rows = lines ? kf__l_int(L, 1) : kf__columns_group(L, c);
    const kf__lx *next = kf__l_bin(L, "+", lines ? kf__l_var(L, "r") : r0, rows);
    const kf__lx *end = kf__l_bin(L, "+", c->first, c->len);
    kf__tiling t = {.a = kf__low_only_reduced(L), .d = kf__last(L), .along = lines ? 1 : c->group,
                    .down = c->tile, .size = c->chunk, .tiles = c->tiles,
                    .wraps = kf__l_bin(L, ">=", end, kf__word_size(L, kf__last(L))),
                    .more = kf__l_bin(L, "<", next, c->to),
                    .last = kf__l_bin(L, ">=", next, c->to),
                    .row = kf__l_bin(L, "-", kf__l_var(L, "r"), r0),
                    .rows = kf__l_bin(L, "-", r1, r0), .run = rows, .runs = len,
                    .len = len};
    if (t.a >= 0 && (!lines || kf__is_dear(L, mask))) kf__cpu_prefetch_next(L, mask, &t);
}

/* The values of element l of row r that are made already. */
void kf__columns_read_made(kf__low *L, kf__columns *c, const kf__lx *r0, const kf__lx *l) {
    if (!c->makes) return;
    const kf__lx *row = kf__l_bin(L, "-", kf__l_var(L, "r"), r0);
    c->made.begin = kf__l_bin(L, "*", row, c->pitch);
    kf__cpu_hold_of(L, &c->made, l);
}

/* Of rows at indices of their own: asks for the next one. */
void kf__columns_put_next_row(kf__low *L, const kf__columns *c, const uint16_t *roots,
                              uint32_t n, const kf__lx *r1) {
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    const kf__lx *ahead = c->makes || L->tiled || c->wide >= 0 ? NULL : kf__cpu_ahead(L, mask);
    if (!ahead) return;
    const kf__lx *next = kf__l_bin(L, "+", kf__l_var(L, "r"), kf__l_int(L, 1));
    kf__open_if(L, kf__l_bin(L, "&&", ahead, kf__l_bin(L, "<", next, r1)));
    kf__put_decode(L, true, false, kf__put_let(L, "int64_t", "next", next, NULL));
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, c->first, c->len);
    kf__cpu_put_ahead(L, &b, mask);
    kf__close(L);
}

/* The rows of the next group that something is made of, while this one's are reduced: to make it
 * waits for memory, and functions don't. */
void kf__columns_put_ahead_of_made(kf__low *L, const kf__columns *c, kf__cpu_block *b,
                                   const kf__lx *r0, const kf__lx *r1) {
    if (c->run) kf__open_if(L, kf__l_bin(L, "==", c->run, kf__l_int(L, 0)));
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind == KF__I_LOAD && kf__has(c->made.mask, i) && !kf__low_tiled(L, in->access) &&
            kf__low_step(L, in->access) == 1 && !kf__has_symbols(L, in->access))
            kf__cpu_need_pointer(L, b, in->access);
    }
    for (uint32_t s = 0; s < c->made.n_stores; ++s)
        kf__cpu_need_pointer(L, b, L->k->stores[c->made.stores[s]].access);
    kf__columns_put_ahead(L, c, c->made.mask, c->len, r0, r1);
    if (c->run) kf__close(L);
}

/* Of how many elements of a row is it narrow, at most? Rounded, or of float16, or of bytes that get
 * wider: each row would leave some of it to single steps. To widen a bfloat16 is a shift, so that
 * only the shortest are: sum(x * y, 0) in bf16 of 100000x10 took a Zen 4 890 us, then 220. 0:
 * none. */
static int64_t narrow_row(kf__low *L, uint16_t arg) {
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &arg, 1);
    const kf__instr *in = &L->k->instrs[arg];
    if (in->dtype == KF__I8 || in->dtype == KF__U8) return 0;
    if (in->kind == KF__I_CAST && kf__types[in->dtype].size < 4) return KF__CPU_SHORT;
    int64_t most = kf__chooses(L, mask) ? KF__CPU_SHORT : 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        kf__dtype type = (kf__dtype)L->k->instrs[i].dtype;
        if (!kf__has(mask, i) || L->k->instrs[i].kind != KF__I_LOAD) continue;
        if (type == KF__F16) most = KF__CPU_SHORT;
        else if (kf__types[type].size == 1 || type == KF__BF16)
            most = kf__max(most, KF__CPU_FEW_BYTES);
    }
    return most;
}

/* The access that stores what is reduced as it is computed; -1: none does. */
static int stored_as_is(const kf__low *L, const kf__columns *c, uint16_t arg) {
    kf__dtype type = (kf__dtype)L->k->instrs[arg].dtype;
    for (uint32_t s = 0; s < c->n_stores && type != KF__BOOL; ++s) {
        const kf__store *store = &L->k->stores[c->stores[s]];
        if (store->instr == arg && L->operands[store->access].dtype == type &&
            kf__compute(type) == type && kf__low_step(L, store->access) == 1)
            return (int)store->access;
    }
    return -1;
}

/* Of several passes, what is stored anyway, or each would widen, round or divide. */
static bool is_made_for_passes(kf__low *L, const kf__columns *c, uint16_t arg) {
    const kf__instr *in = &L->k->instrs[arg];
    bool half = in->kind == KF__I_CAST && kf__compute((kf__dtype)in->dtype) != in->dtype;
    return half || kf__cpu_is_kept_well(L, arg) || stored_as_is(L, c, arg) >= 0;
}

/* Is it that of several passes, or of short rows, or of short lines that each pass would give their
 * leaves? */
static bool is_made_well(kf__low *L, kf__columns *c, uint32_t red) {
    uint16_t arg = L->k->instrs[red].args[0];
    const kf__instr *in = &L->k->instrs[arg];
    if (c->wide >= 0 && !c->simple && !c->n_stores) return in->kind != KF__I_LOAD;
    if (!c->simple && in->kind == KF__I_CAST && in->dtype == KF__F16) return true;
    if (!L->tiled && kf__fields(L, red) > 1 && in->kind != KF__I_LOAD)
        if (is_made_for_passes(L, c, arg)) return true;
    int64_t most = c->is_short ? narrow_row(L, arg) : 0;
    if (most) c->most_short = kf__min(c->most_short, most);
    return most;
}

/* What is stored is made with what is reduced where any of it is dear: of one function or random
 * number, or narrow where rows are short or looked at several times, or made for these anyway. */
static void find_stored(kf__low *L, kf__columns *c) {
    kf__held *h = &c->made;
    uint16_t roots[2 * KF__HELD];
    bool dear = false;
    if (L->tiled || c->n_stores > KF__HELD) return;
    for (uint32_t s = 0; s < c->n_stores; ++s) {
        uint16_t i = L->k->stores[c->stores[s]].instr;
        if (!kf__at_level(L, i, KF__LEVEL_FULL) ||
            kf__low_step(L, L->k->stores[c->stores[s]].access) != 1)
            return;
        const kf__operand *o = &L->operands[L->k->stores[c->stores[s]].access];
        bool narrow = kf__types[o->dtype].size < 4 || narrow_row(L, i) > KF__CPU_FEW_BYTES;
        dear = dear || kf__cpu_is_dear(L, i) || (narrow && (c->is_short || !c->simple)) ||
               (!c->simple && kf__holds(h, i));
        roots[s] = i;
    }
    if (!dear) return;
    h->n_stores = c->n_stores;
    for (uint32_t s = 0; s < c->n_stores; ++s) h->stores[s] = c->stores[s];
    memcpy(roots + h->n_stores, h->instr, sizeof *roots * h->n);
    h->mask = kf__low_needed(L, KF__LEVEL_FULL, roots, h->n_stores + h->n);
}

/* Are short rows of it one run, perhaps given leaves? */
static bool is_made_as_run(kf__low *L, const kf__held *h) {
    kf__leaves leaves;
    kf__held run;
    bool worth = kf__is_dear(L, kf__cpu_varying(L, h->mask));
    for (uint32_t k = 0; k < h->n; ++k) worth = worth || narrow_row(L, h->instr[k]);
    return !L->tiled && worth &&
           (kf__cpu_may_be_run(L, h) || kf__cpu_find_run_of_leaves(L, h, &leaves, &run));
}

/* Arguments of reductions that are dear, if their rows may have several passes, or are short. */
bool kf__columns_find_made(kf__low *L, kf__columns *c) {
    kf__held *h = &c->made;
    *h = (kf__held){0};
    c->most_short = KF__CPU_MADE_ROW;
    c->in_place = -1;
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint16_t arg = L->k->instrs[c->reds[r]].args[0];
        if (!kf__at_level(L, arg, KF__LEVEL_FULL) || kf__holds(h, arg)) continue;
        if (!kf__cpu_is_dear(L, arg) && !is_made_well(L, c, c->reds[r])) continue;
        if (h->n == KF__HELD) return false;
        h->name[h->n] = kf__l_name(L, "made%u", (unsigned)arg);
        h->instr[h->n++] = arg;
    }
    if (h->n) h->mask = kf__low_needed(L, KF__LEVEL_FULL, h->instr, h->n);
    if (!h->n) return false;
    const kf__held reduced = *h;
    find_stored(L, c);
    if (!c->simple) {
        kf__leaves leaves;
        kf__held run;
        c->leafs = !L->tiled && !L->k->n_symbols &&
                   kf__cpu_find_run_of_leaves(L, h, &leaves, &run);
        if (c->leafs) c->most_short = kf__min(c->most_short, KF__CPU_SHORT);
        bool one = h->n == 1 && h->n_stores && kf__low_only_reduced(L) >= 0 && !L->k->n_symbols;
        c->in_place = one ? stored_as_is(L, c, h->instr[0]) : -1;
        return true;
    }
    if (h->n_stores && is_made_as_run(L, h)) return true;
    *h = reduced;
    return is_made_as_run(L, h);
}

/* What is stored of these rows afterwards, without anything to wait for meanwhile, is asked for. */
static void put_places(kf__low *L, const kf__columns *c, kf__cpu_block *b) {
    for (uint32_t s = 0; s < c->n_stores; ++s) {
        uint32_t access = L->k->stores[c->stores[s]].access;
        if (kf__low_step(L, access) != 1 || kf__low_tiled(L, access)) continue;
        kf__cpu_need_pointer(L, b, access);
        const kf__lx *stream = kf__cpu_stream_of(L, access);
        kf__open_if(L, kf__l_bin(L, "&&", kf__cpu_is_far(L),
                                 kf__l_bin(L, "==", stream, kf__l_int(L, 0))));
        kf__cpu_prefetch_run(L, access, kf__l_var(L, L->pointer[access]), b->len);
        kf__close(L);
    }
}

/* Is what is made stored where it is made? t = exp(x); t, var(t, 0) of 1000x1000, from memory,
 * takes a Zen 4 670 us if it is copied there, and 430. */
static bool is_in_place(const kf__columns *c) {
    return c->makes && !c->simple && c->wide < 0 && c->in_place >= 0;
}

/* The stores of h but the one in place. */
static kf__held without_in_place(const kf__low *L, const kf__columns *c, const kf__held *h) {
    kf__held others = *h;
    others.exact = true;
    others.n_stores = 0;
    for (uint32_t s = 0; s < h->n_stores; ++s)
        if (L->k->stores[h->stores[s]].access != (uint32_t)c->in_place)
            others.stores[others.n_stores++] = h->stores[s];
    return others;
}

static void put_streamed(kf__low *L, const kf__columns *c, const kf__cpu_block *b,
                         const kf__lx *begin) {
    uint32_t access = (uint32_t)c->in_place;
    kf__cpu_need_pointer(L, b, access);
    kf__open_if(L, kf__cpu_stream_of(L, access));
    const kf__lx *bytes = kf__l_bin(L, "*", b->len,
                                    kf__l_int(L, kf__types[L->operands[access].dtype].size));
    kf__put_call(L, kf__l_call(L, "kf_stream_copy", KF__I64, kf__l_var(L, L->pointer[access]),
                               kf__l_bin(L, "+", kf__l_var(L, c->made.name[0]), begin), bytes));
    kf__close(L);
}

/* The access that all of h is made of, if it is one; -1: it isn't. */
static int single_load(const kf__low *L, const kf__held *h) {
    int single = -1;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(h->mask, i) || in->kind != KF__I_LOAD || L->operands[in->access].row) continue;
        if (single >= 0 || in->n_args || kf__low_step(L, in->access) != 1) return -1;
        single = (int)in->access;
    }
    return single;
}

/* Of a single array, whose elements go to the stack, a Zen 4 fetches too late what is read next:
 * var(tanh(x), 0) of 1000x1000, from memory, takes 640 us, and if that is asked for 575. It waits
 * for more lines at once than those of ASKED elements, and where it fetches in time, asking for
 * them as well takes longer: logsumexp(atan2(x, y), 0) 920 us, and 1050. Places that are stored
 * come with it: t = relu(x); t, var(t, 0) in bf16 takes 375 us without them, and 320. */
static void put_next_block(kf__low *L, kf__cpu_block *b, uint32_t load, const kf__held *h) {
    const kf__lx *ahead = kf__l_int(L, KF__CPU_MADE), *prefetch = kf__l_var(L, "prefetch");
    kf__cpu_need_pointer(L, b, load);
    kf__open_if(L, prefetch);
    kf__cpu_prefetch_line(L, b, load, ahead);
    kf__close(L);
    if (!h->n_stores) return;
    for (uint32_t s = 0; s < h->n_stores; ++s)
        kf__cpu_need_pointer(L, b, L->k->stores[h->stores[s]].access);
    kf__open_if(L, kf__l_bin(L, "&&", prefetch, kf__l_bin(L, "==", kf__l_var(L, "stream"),
                                                          kf__l_int(L, 0))));
    for (uint32_t s = 0; s < h->n_stores; ++s)
        kf__cpu_prefetch_line(L, b, L->k->stores[h->stores[s]].access, ahead);
    kf__close(L);
}

/* The rows [k0, k0 + n) behind r0, as one run where `is`; NULL: row by row. Their leaves, if there
 * are any, are of these rows. */
static void put_made_rows(kf__low *L, kf__columns *c, const kf__leaves *leaves,
                          const kf__held *made, const kf__lx *is, const kf__lx *r0,
                          const kf__lx *k0, const kf__lx *n) {
    const kf__lx *zero = kf__l_int(L, 0), *one = kf__l_int(L, 1), *k = kf__l_var(L, "k"), *len;
    const kf__lx *runs = kf__cpu_put_runs(L, is, n, c->len, "all", &len);
    kf__open_for(L, "int64_t", "k", k0, k0 == zero ? runs : kf__l_bin(L, "+", k0, runs), one,
                 KF__SERIAL);
    kf__put_decode(L, true, false,
                   kf__put_let(L, "int64_t", "r", kf__l_bin(L, "+", r0, k), NULL));
    kf__leaves wide;
    if (c->wide >= 0) {
        uint16_t roots[2 * KF__HELD];
        uint32_t n_roots = kf__cpu_roots_of_held(L, made, roots);
        kf__columns_put_wide_leaves(L, c, roots, n_roots, "made", &wide);
    }
    const kf__lx *begin = kf__l_bin(L, "*", k, c->pitch), *first = c->first;
    bool blocks = is && !c->simple && !leaves;
    int single = blocks && !is_in_place(c) ? single_load(L, made) : -1;
    const kf__lx *block = kf__l_int(L, single >= 0 ? ASKED : KF__CPU_MADE);
    if (blocks) {
        const kf__lx *from = kf__l_var(L, "b0");
        kf__open_for(L, "int64_t", "b0", zero, len, block, KF__SERIAL);
        len = kf__put_let(L, "int64_t", "n", kf__l_call(L, "kf_min_i64", KF__I64,
                                                        kf__l_bin(L, "-", len, from), block), NULL);
        first = kf__l_bin(L, "+", first, from);
        begin = kf__l_bin(L, "+", begin, from);
    }
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, first, len);
    b.widens = b.narrows = true;
    kf__columns_put_turned_rows(L, &b, r0);
    if (leaves) {
        const kf__lx *row = k0 == zero ? k : kf__l_bin(L, "-", k, k0);
        const kf__lx *at = kf__l_bin(L, "*", row, c->len);
        kf__cpu_hold_leaves(L, leaves, kf__l_bin(L, "+", at, kf__l_var(L, "l")));
    }
    if (c->wide >= 0) kf__cpu_hold_leaves(L, &wide, kf__l_var(L, "l"));
    c->made = leaves ? *made : kf__cpu_with_tables(L, &b, made);
    kf__cpu_prepare(L, &b, c->made.mask);
    if (c->wide >= 0) kf__columns_put_wide_ahead(L, c, c->made.mask);
    bool in_place = is_in_place(c);
    if (single >= 0) put_next_block(L, &b, (uint32_t)single, &c->made);
    const kf__held now = in_place ? without_in_place(L, c, &c->made) : c->made;
    if (now.n_stores) kf__cpu_store_targets(L, &b, now.stores, now.n_stores);
    else if (!in_place) put_places(L, c, &b);
    kf__cpu_make_and_store(L, &b, &now, begin);
    if (in_place) put_streamed(L, c, &b, begin);
    kf__cpu_forget(L, NULL);
    if (blocks) kf__close(L);
    kf__close(L);
}

static const char *streamed_name(kf__low *L, const kf__columns *c) {
    return kf__l_name(L, "streamed%u", (unsigned)c->made.instr[0]);
}

/* Where the group is made, and how far its rows are apart there. */
static void put_place(kf__low *L, kf__columns *c, const kf__lx *r0) {
    c->pitch = c->len;
    if (!is_in_place(c)) return;
    uint32_t access = (uint32_t)c->in_place;
    int rows = kf__low_only_reduced(L);
    const kf__lx *stream = kf__cpu_stream_of(L, access);
    const kf__lx *place = kf__low_address(L, access, rows, r0->name, c->first);
    kf__put_let(L, kf__l_name(L, "%s *", kf__types[L->operands[access].dtype].stored),
                c->made.name[0],
                kf__l_select(L, stream, kf__l_var(L, streamed_name(L, c)), place), NULL);
    c->pitch = kf__put_let(L, "int64_t", "pitch",
                           kf__l_select(L, stream, c->len, kf__word_stride(L, access, rows)), NULL);
}

/* Row by row; of rows without gaps, as one run; given leaves, of as many rows as have a block. */
void kf__columns_put_made(kf__low *L, kf__columns *c, const kf__lx *r0, const kf__lx *r1) {
    const kf__lx *is = NULL, *zero = kf__l_int(L, 0);
    const kf__lx *rows = kf__put_let(L, "int64_t", "rows", kf__l_bin(L, "-", r1, r0), NULL);
    put_place(L, c, r0);
    kf__leaves leaves;
    kf__held run;
    bool leafs = c->wide < 0 && (c->simple || c->leafs) && !L->tiled &&
                 kf__cpu_find_run_of_leaves(L, &c->made, &leaves, &run);
    const kf__held made = leafs ? run : c->made;
    if (!L->tiled && c->wide < 0 && (leafs || kf__cpu_may_be_run(L, &made)))
        c->run = is = kf__word_int(L, "run", c->tiles == 1 && kf__cpu_is_run(L, &made));
    if (!leafs) {
        put_made_rows(L, c, NULL, &made, is, r0, zero, rows);
        return;
    }
    const kf__lx *k0 = zero, *first = r0, *n = rows;
    if (!c->simple) { /* those are of a block already */
        const kf__lx *most = kf__word_int(L, "most_rows", rows_made(L, &c->made));
        k0 = kf__l_var(L, "k0");
        kf__open_for(L, "int64_t", "k0", zero, rows, most, KF__SERIAL);
        first = kf__put_let(L, "int64_t", "first_row", kf__l_bin(L, "+", r0, k0), NULL);
        n = kf__put_let(L, "int64_t", "some",
                        kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", rows, k0), most),
                        NULL);
    }
    kf__leaf_rows of = {first, n, c->first, c->len, KF__LEAVES_OF_COLUMNS};
    kf__cpu_put_leaves(L, &leaves, &of);
    put_made_rows(L, c, &leaves, &made, is, r0, k0, n);
    if (!c->simple) kf__close(L);
}

void kf__columns_put_made_arrays(kf__low *L, const kf__columns *c) {
    int64_t n = c->simple ? KF__CPU_MADE : KF__CPU_ROWS * c->most_tile;
    for (uint32_t k = 0; k < c->made.n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[c->made.instr[k]].dtype),
                    is_in_place(c) ? streamed_name(L, c) : c->made.name[k], n + KF__CPU_FEW, NULL);
}
