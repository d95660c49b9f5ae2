/* Rows of up to 128 elements, in a function of their own: what is made of a row's elements before
 * anything is reduced is made for eight rows first, of up to 32 elements for 32, and kept on the
 * stack. Where that takes a function, rows of up to 1024 too; where it widens bytes or halves, of
 * which vectors leave most, of up to 500: by as many as stay in L1 with what they are made of.
 *
 *     for (first_row = begin; first_row < end; first_row += most_rows)
 *         for (r = 0; r < runs; ++r)                gelu(layer_norm(relu(x))): of eight rows
 *             for (l = 0; l < len; ++l)             the relus; one run, where rows have no gaps
 *                 held2[r * n + l] = v2
 *         for (r = 0; r < rows; ++r)                each row's moments, of what is held
 *         ...
 *
 * Rows of several axes, whose lines lie apart, go so if functions are taken of them: the lines of
 * eight rows, one behind the other, then the functions of all of them.
 *
 * A row's reductions wait for each other, some hundred cycles, and a loop over a short row leaves
 * elements to single steps, bytes and halves most of all. Its twin has none of both: its other
 * kernels go over all elements at once. So do these loops; what they store besides, too, and
 * functions that only later stages take, of elements alone, where those reduce. */
#include "lower/cpu.h"

enum {
    STORED = 48, /* elements of a row, to store several things of by turns: that takes long */
    PAD = 64,  /* elements that a last vector may write behind the rows */
    MOST = 64, /* instructions: a second function of many takes long to be compiled */
    LONGER = 1024, /* elements of a row, of which a function is taken; */
    WIDENED = 500, /* or that is only widened, to be stored, or read more than once; */
    WIDENED_ONCE = 320, /* or to be folded; */
    NEAR = 512,    /* of one of which nothing is made first, where the core's cache holds all; */
    NEAR_FIRST = LONGER / 3, /* and if something is: three rows are made together */
    NEAR_BYTES = 4 << 20, /* of such rows that a later stage stores as floats: more are streamed */
};

/* How often is an argument of reductions of the first stage read? */
static uint32_t reads(kf__low *L, uint16_t i) {
    uint32_t n = 0;
    for (uint32_t r = 0; r < L->k->n_instrs; ++r)
        if (L->k->instrs[r].kind == KF__I_REDUCE && L->k->instrs[r].args[0] == i)
            n += (uint32_t)kf__fields(L, r);
    for (uint32_t s = 1; s < L->k->n_stages; ++s) n += kf__has(kf__cpu_of_stage(L, s), i);
    return n;
}

/* Is it read, or made, where it is needed as well as it is from the stack? */
static bool is_plain(kf__low *L, uint16_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->level != KF__LEVEL_FULL) return true;
    if (in->kind == KF__I_LOAD && !in->n_args && kf__low_step(L, in->access) < 2 &&
        !L->operands[in->access].symbols && kf__types[in->dtype].size >= 4)
        return true;
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    if (!kf__cpu_is_masked_well(L, mask) || kf__is_dear(L, mask)) return false;
    return reads(L, i) < 2;
}

static bool hold(kf__held *h, uint16_t instr) {
    if (kf__holds(h, instr)) return true;
    if (h->n == KF__HELD) return false;
    h->instr[h->n++] = instr;
    return true;
}

/* What is held for a reduction of this: an integer as it was before it was only made wider. */
static uint16_t narrowest(const kf__low *L, uint16_t arg) {
    for (;;) {
        const kf__instr *in = &L->k->instrs[arg], *from = &L->k->instrs[in->args[0]];
        if (in->kind != KF__I_CAST || from->level != KF__LEVEL_FULL) return arg;
        if (kf__is_float((kf__dtype)in->dtype) || kf__is_float((kf__dtype)from->dtype)) return arg;
        if (kf__types[from->dtype].size >= kf__types[in->dtype].size) return arg;
        arg = in->args[0];
    }
}

bool kf__cpu_stores_narrow(const kf__low *L, const kf__held *h) {
    bool narrow = false;
    for (uint32_t s = 0; s < h->n_stores; ++s)
        narrow |= kf__types[L->operands[L->k->stores[h->stores[s]].access].dtype].size < 4;
    return narrow;
}

/* The axis along which the rows of a run follow one another; -1: there is none. Columns have runs
 * along what they reduce, of each index of other axes. */
static int across(const kf__low *L) {
    int reduced = kf__low_only_reduced(L);
    if (reduced >= 0 && reduced != kf__last(L)) return reduced;
    return L->n_axes == 2 || (L->n_axes > 2 && !L->k->reduced) ? kf__before_last(L) : -1;
}

bool kf__cpu_is_in_runs_along(const kf__low *L, uint32_t i, int m) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    bool is = in->kind == KF__I_RANDOM || (in->kind == KF__I_LOAD && !kf__asks(L, in));
    return is && o->affine && o->varies[m] && kf__low_step(L, in->access) == 1;
}

bool kf__cpu_is_in_runs(const kf__low *L, uint32_t i) {
    int m = across(L);
    return m >= 0 && kf__cpu_is_in_runs_along(L, i, m);
}

static bool is_of(const uint16_t *instrs, uint32_t n, uint32_t i) {
    bool is = false;
    for (uint32_t k = 0; k < n; ++k) is = is || instrs[k] == i;
    return is;
}

bool kf__cpu_may_be_run_of(const kf__low *L, const kf__held *h, const uint16_t *there,
                           uint32_t n_there) {
    int m = across(L);
    if (m < 0) return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(h->mask, i)) continue;
        for (int a = 0; a < in->n_args; ++a)
            if (kf__at_level(L, in->args[a], KF__LEVEL_ROW) &&
                !kf__at_level(L, in->args[a], KF__LEVEL_FULL) && !is_of(there, n_there, in->args[a]))
                return false;
        if (in->kind == KF__I_OP || in->kind == KF__I_CAST) continue;
        if (!kf__cpu_is_in_runs_along(L, i, m)) return false;
    }
    for (uint32_t s = 0; s < h->n_stores; ++s) {
        uint32_t access = L->k->stores[h->stores[s]].access;
        if (!kf__at_level(L, L->k->stores[h->stores[s]].instr, KF__LEVEL_FULL) ||
            !L->operands[access].varies[m] || kf__low_step(L, access) != 1)
            return false;
    }
    return true;
}

bool kf__cpu_may_be_run(const kf__low *L, const kf__held *h) {
    return kf__cpu_may_be_run_of(L, h, NULL, 0);
}

bool kf__cpu_is_run(const kf__low *L, const kf__held *h) {
    int m = across(L);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        bool used = false;
        for (uint32_t n = 0; n < L->k->n_instrs; ++n)
            used |= kf__has(h->mask, n) && kf__cpu_is_in_runs_along(L, n, m) &&
                    L->k->instrs[n].access == i;
        for (uint32_t s = 0; s < h->n_stores; ++s)
            used |= L->k->stores[h->stores[s]].access == i;
        if (used && L->operands[i].stride[m] != L->axes[kf__last(L)].size) return false;
    }
    return true;
}

/* Of rows of several axes: all that is reduced. */
static bool find_held_lines(kf__low *L, kf__held *h) {
    kf__row_lines s;
    uint16_t reds[MOST + 1], stores[64];
    uint32_t n = kf__low_reductions(L, 0, reds);
    if (!n || kf__low_stores(L, 0, stores) || kf__low_later(L, 1)) return false;
    kf__cpu_find_row_lines(L, reds, n, &s);
    if (!s.makes) return false;
    h->mask = kf__low_needed(L, KF__LEVEL_FULL, s.args, n);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) /* other rows' values would be others */
        for (int a = 0; kf__has(h->mask, i) && a < L->k->instrs[i].n_args; ++a)
            if (L->k->instrs[L->k->instrs[i].args[a]].level == KF__LEVEL_ROW) return false;
    for (uint32_t r = 0; r < n; ++r) {
        if (!kf__at_level(L, s.args[r], KF__LEVEL_FULL) || !hold(h, s.args[r])) return false;
        for (uint32_t k = 0; k < h->n; ++k)
            if (h->instr[k] == s.args[r]) h->name[k] = s.kept[r];
    }
    return true;
}

static void put_held_lines(kf__low *L, kf__held *h, const kf__lx *rows, const kf__lx *n) {
    kf__row_lines s;
    uint16_t reds[MOST + 1];
    const kf__lx *r = kf__l_var(L, "r"), *zero = kf__l_int(L, 0);
    const kf__lx *u = kf__l_bin(L, "+", kf__l_var(L, "first_row"), r);
    kf__cpu_find_row_lines(L, reds, kf__low_reductions(L, 0, reds), &s);
    kf__cpu_declare_row_lines(L, &s);
    kf__open_for(L, "int64_t", "r", zero, rows, kf__l_int(L, 1), KF__SERIAL);
    kf__put_decode(L, false, false, kf__put_let(L, "int64_t", "u", u, NULL));
    kf__put_rows(L, 0);
    const kf__lx *at = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", r, n), NULL);
    kf__cpu_copy_row_lines(L, &s, kf__l_bin(L, "+", at, kf__l_var(L, "q")), zero, n);
    kf__forget(L, KF__LEVEL_ROW);
    kf__close(L);
    kf__open_block(L);
    kf__cpu_make_of_row_lines(L, &s, zero,
                              kf__put_let(L, "int64_t", "all", kf__l_bin(L, "*", rows, n), NULL));
    kf__close(L);
    h->begin = kf__l_bin(L, "*", r, n);
}

uint32_t kf__cpu_roots_of_held(const kf__low *L, const kf__held *h, uint16_t *roots) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < h->n; ++k) roots[n++] = h->instr[k];
    for (uint32_t s = 0; s < h->n_stores; ++s) roots[n++] = L->k->stores[h->stores[s]].instr;
    return n;
}

/* Is it made of no row's own values, and used by what is? */
static bool is_left(const kf__low *L, const kf__mask *stage, uint16_t i) {
    if (L->k->instrs[i].stage > 0 || !kf__at_level(L, i, KF__LEVEL_FULL)) return false;
    for (uint32_t u = i + 1u; u < L->k->n_instrs; ++u)
        if (kf__has(stage, u) && L->k->instrs[u].stage > 0 && kf__uses(&L->k->instrs[u], i))
            return true;
    return false;
}

/* Does it read what is kept of this row, which isn't made yet? */
static bool reads_own_row(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; L->own && i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && L->k->instrs[i].kind == KF__I_LOAD &&
            L->k->instrs[i].access >= L->own->access)
            return true;
    return false;
}

/* Functions that only later stages take, of elements alone: where those stages reduce, each row
 * would leave most of a vector. t = tanh(y) * mean(x, 1), sum(t, 1) of 200000 x 3. reds: scratch,
 * one longer than the instructions. */
static void hold_for_later(kf__low *L, uint16_t *reds, kf__held *h) {
    int64_t n = kf__low_extent(L, true);
    if (n <= 0 || n > KF__CPU_SHORT) return;
    for (uint32_t s = 1; s < L->k->n_stages; ++s) {
        if (!kf__low_reductions(L, s, reds)) continue;
        const kf__mask *stage = kf__cpu_of_stage(L, s);
        for (uint16_t i = 0; i < L->k->n_instrs; ++i) {
            if (!kf__has(stage, i) || !is_left(L, stage, i)) continue;
            const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
            if (kf__is_dear(L, mask) && !reads_own_row(L, mask)) hold(h, i);
        }
    }
}

bool kf__cpu_find_held(kf__low *L, kf__held *h) {
    *h = (kf__held){0};
    if (kf__low_reduced_axes(L) > 1 && L->axes[kf__last(L)].reduced && L->k->n_instrs <= MOST)
        return find_held_lines(L, h);
    if (kf__low_reduced_axes(L) != 1 || !L->axes[kf__last(L)].reduced ||
        L->k->n_instrs > MOST)
        return false;
    uint16_t *reds = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
    if (!reds) {
        L->failed = true;
        return false;
    }
    uint32_t n = kf__low_reductions(L, 0, reds);
    uint16_t stores[64]; /* of any kernel */
    h->n_stores = kf__low_stores(L, 0, stores);
    if (!n || h->n_stores > KF__HELD) return false;
    memcpy(h->stores, stores, sizeof *stores * h->n_stores);
    kf__kept dear;
    if (kf__cpu_find_dear(L, &dear) && dear.stage == 0 && !hold(h, (uint16_t)dear.power))
        return false;
    for (uint32_t r = 0; r < n; ++r) {
        uint16_t arg = L->k->instrs[reds[r]].args[0];
        if (!is_plain(L, arg) && !hold(h, narrowest(L, arg))) return false;
    }
    hold_for_later(L, reds, h);
    for (uint32_t k = 0; k < h->n; ++k) {
        /* later stages read it at other places, too: cpu_own_row.c */
        bool own = L->own && L->own->red == UINT32_MAX && L->own->value == h->instr[k];
        h->name[k] = own ? L->own->rows : kf__l_name(L, "held%u", (unsigned)h->instr[k]);
    }
    uint16_t roots[2 * KF__HELD];
    uint32_t n_roots = kf__cpu_roots_of_held(L, h, roots);
    if (n_roots) h->mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n_roots);
    return true;
}

bool kf__cpu_leaves_much(const kf__low *L, const kf__mask *mask) {
    bool widens = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        widens |= kf__has(mask, i) && L->k->instrs[i].kind == KF__I_LOAD &&
                  kf__types[L->k->instrs[i].dtype].size < 4;
    return widens || kf__is_dear(L, mask);
}

bool kf__cpu_keeps_nothing(const kf__low *L, const kf__held *h) {
    return !h->n && !h->n_stores && !kf__low_later(L, 1);
}

/* Does a later stage store rows of floats? Those stream better. */
static bool stores_later(const kf__low *L) {
    uint16_t stores[64];
    for (uint32_t s = 1; s < L->k->n_stages; ++s)
        for (uint32_t n = kf__low_stores(L, s, stores); n-- > 0;)
            if (kf__types[L->operands[L->k->stores[stores[n]].access].dtype].size >= 4) return true;
    return false;
}

/* Is something stored as it lies in memory? By whole rows that is copied. */
static bool copies(kf__low *L, const kf__held *h) {
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), kf__l_int(L, 0));
    for (uint32_t s = 0; s < h->n_stores; ++s)
        if (!L->k->n_symbols && kf__cpu_stores_pick_raw(L, &b, h->stores[s])) return true;
    return false;
}

/* Where is it held as it is stored? NULL: nowhere. */
static const char *stored_of(const kf__low *L, const kf__held *h, uint16_t store) {
    uint16_t i = L->k->stores[store].instr;
    kf__dtype type = (kf__dtype)L->k->instrs[i].dtype;
    if (L->operands[L->k->stores[store].access].dtype != type || kf__compute(type) != type)
        return NULL;
    for (uint32_t k = 0; k < h->n; ++k)
        if (h->instr[k] == i) return h->name[k];
    return NULL;
}

/* What is held is stored by a loop of its own: stores to the stack, and by turns to a result, whose
 * lines come from further, would wait for those. h = x + y; h, layer_norm(h) of 150x200 took a
 * Sapphire Rapids 19 us, then 12; a Zen 4 takes 10 either way. False: something else is stored. */
static bool stores_apart(const kf__low *L, const kf__held *h) {
    bool all = h->n_stores > 0;
    for (uint32_t s = 0; s < h->n_stores; ++s) all = all && stored_of(L, h, h->stores[s]);
    return all;
}

static bool sums_exponentials(const kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        any |= L->k->instrs[i].kind == KF__I_REDUCE && L->k->instrs[i].op == KF__RED_MAX_SUMEXP;
    return any;
}

/* Are all rows in the core's own cache, with room for others, unless exponentials are summed? Then
 * nothing is to be asked for, and their loops are the shorter ones here: of 317x316, in the caches,
 * x - logsumexp(x) takes a Zen 4 44 us, not 48, layer_norm(x) of 100x200 3.4 us, not 4.5, and
 * softmax(x), x > 0 of 200x200 19 us, not 24. Of what is held first fewer elements, and only if it
 * is stored, too, or for exponentials, and where one row follows the other, so that the next ones
 * are asked for: of softmax(a + m), 4x78x316, a from memory takes 94 us, and row by row 72. */
static bool is_near(const kf__low *L, const kf__held *h) {
    bool exponentials = sums_exponentials(L), first = h->n || h->n_stores;
    if (first && !kf__low_later(L, 1)) return false;
    if (h->n && (L->n_axes > 2 || (!h->n_stores && !exponentials))) return false;
    bool fits = exponentials ? kf__low_bytes(L) < kf__cpu_core_bytes(L)
                             : !kf__cpu_comes_from_far(L);
    return fits && kf__low_extent(L, true) <= (first ? NEAR_FIRST : NEAR);
}

/* Are exponentials of what is read taken, while the next rows are on their way? softmax(x) of
 * 20000x316 takes a Zen 4 3.4 ms, and row by row 4.2. */
static bool asks(const kf__low *L, const kf__held *h, bool plain) {
    bool first = h->n || (h->n_stores && !kf__cpu_stores_narrow(L, h));
    return !plain && !first && L->n_axes == 2 && sums_exponentials(L) && kf__low_later(L, 1) &&
           kf__low_extent(L, true) <= NEAR_FIRST;
}

/* Is something that a row has once repeated, to make one run of several rows: a scale? */
static bool repeats(const kf__low *L, const kf__mask *mask) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        for (int a = 0; kf__has(mask, i) && a < L->k->instrs[i].n_args; ++a)
            any |= L->k->instrs[L->k->instrs[i].args[a]].level == KF__LEVEL_ROW;
    return any;
}

/* The elements of a row that are worth it, of what vectors leave much of. What is only widened is
 * folded as it is read: sum(x * s, 1) of bf16 1000x250 takes a Zen 4 28 us, and widened as a run
 * before that 79; of 3170x316 a Sapphire Rapids 115 and 233, but sum(x, 1) of 5000x200 147 and 95.
 * Of h = x * s; h, var(h, 1) float16 317x316 a Zen 4 takes 32 us then, not 35, but the other 60, not
 * 31. */
static int64_t most_dear(kf__low *L, const kf__held *h) {
    if (kf__is_dear(L, h->mask) || sums_exponentials(L)) return LONGER;
    int fields = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (L->k->instrs[i].kind == KF__I_REDUCE) fields = kf__max(fields, kf__fields(L, i));
    bool once = fields <= 1, later = kf__low_later(L, 1);
    if (repeats(L, h->mask) && !later && (once || L->target->amd)) return KF__CPU_SHORT;
    return once && !later && !h->n_stores ? WIDENED_ONCE : WIDENED;
}

bool kf__cpu_is_short(kf__low *L, const kf__held *h, bool plain) {
    int64_t n = kf__low_extent(L, true);
    if (kf__low_reduced_axes(L) > 1) return n > 0 && n <= KF__CPU_SHORT;
    bool dear = h->mask && kf__cpu_leaves_much(L, h->mask) && !copies(L, h);
    bool stored = h->n_stores && !dear && !kf__cpu_stores_narrow(L, h);
    if (is_near(L, h) || asks(L, h, plain)) return n > 0;
    if (plain) return n > 0 && n <= KF__CPU_LANES; /* longer ones are better asked for */
    if (stored && n >= STORED && !stores_apart(L, h)) return false;
    bool late = kf__cpu_keeps_nothing(L, h) && kf__cpu_are_late(L);
    if (late && n <= KF__CPU_BLOCK) return n > 0;
    bool longer = dear && n <= most_dear(L, h) &&
                  (kf__low_bytes(L) < NEAR_BYTES || !stores_later(L));
    return n > 0 && (n <= KF__CPU_SHORT || longer);
}

void kf__cpu_hold_of(kf__low *L, const kf__held *h, const kf__lx *e) {
    for (uint32_t k = 0; h && h->begin && k < h->n; ++k)
        L->value[h->instr[k]] = kf__l_item(L, h->name[k], kf__l_bin(L, "+", h->begin, e));
}

void kf__cpu_hold(kf__low *L, const kf__lx *e) { kf__cpu_hold_of(L, L->held, e); }

/* One element of the run: held, and stored. */
static void put_element(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin,
                        const kf__lx *e) {
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs);
    if (!before) {
        L->failed = true;
        return;
    }
    memcpy(before, L->value, sizeof *before * L->k->n_instrs);
    kf__cpu_body(L, b, h->mask, e);
    for (uint32_t k = 0; k < h->n; ++k)
        kf__put_set(L, kf__l_item(L, h->name[k], kf__l_bin(L, "+", begin, e)),
                    kf__value_of(L, h->instr[k]));
    kf__cpu_stores(L, b, h->stores, h->n_stores, e);
    memcpy(L->value, before, sizeof *before * L->k->n_instrs);
}

void kf__cpu_make_last(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin,
                       const kf__lx *whole, const kf__lx *to) {
    kf__cpu_open_few(L, whole, to);
    put_element(L, b, h, begin, kf__cpu_open_vector(L, b, whole));
    kf__cpu_close_vector(L, b);
    kf__close(L);
}

void kf__cpu_make_run(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin,
                      const kf__lx *from, const kf__lx *to) {
    kf__open_for(L, "int64_t", "l", from, to, kf__l_int(L, 1), KF__SIMD);
    put_element(L, b, h, begin, kf__l_var(L, "l"));
    kf__close(L);
}

bool kf__cpu_is_given(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        for (int a = 0; kf__has(mask, i) && a < L->k->instrs[i].n_args; ++a) {
            uint16_t arg = L->k->instrs[i].args[a];
            const kf__lx *value = L->value[arg];
            bool element = kf__at_level(L, arg, KF__LEVEL_FULL); /* variables are of the line */
            if (value && (value->kind == KF__L_ITEM || (element && value->kind != KF__L_VAR)))
                return true;
        }
    return false;
}

/* Where whole vectors end, if their rest is worth a vector of its own; else the line's end. */
static const kf__lx *put_whole_of(kf__low *L, kf__cpu_block *b, const kf__held *h) {
    bool given = kf__cpu_is_given(L, h->mask);
    for (uint32_t k = 0; k < h->n; ++k) given = given || L->value[h->instr[k]];
    if (h->n_stores || h->exact || given || !kf__cpu_is_worth_few(L, h->mask)) return b->len;
    const char *name = h->whole ? h->whole : kf__l_name(L, "whole_%s", h->name[0]);
    return kf__cpu_put_whole(L, name, kf__l_int(L, 0), b->len);
}

/* What whole vectors leave is made as `last` has it. Returns where that begins, the line's end if
 * nothing is. */
static const kf__lx *make_with(kf__low *L, kf__cpu_block *b, const kf__held *h,
                               const kf__held *last, const kf__lx *begin) {
    const kf__lx *whole = put_whole_of(L, b, last);
    kf__cpu_make_run(L, b, h, begin, kf__l_int(L, 0), whole);
    if (whole != b->len) kf__cpu_make_last(L, b, last, begin, whole, b->len);
    return whole;
}

void kf__cpu_make(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin) {
    make_with(L, b, h, h, begin);
}

const kf__lx *kf__cpu_put_runs(kf__low *L, const kf__lx *is, const kf__lx *rows, const kf__lx *n,
                               const char *name, const kf__lx **len) {
    *len = n;
    if (!is) return rows;
    const kf__lx *runs = kf__put_let(L, "int64_t", "runs",
                                     kf__l_select(L, is, kf__l_int(L, 1), rows),
                                     "rows without gaps are one");
    *len = kf__put_let(L, "int64_t", name, kf__l_select(L, is, kf__l_bin(L, "*", rows, n), n),
                       NULL);
    return runs;
}

const kf__lx *kf__cpu_open_runs(kf__low *L, const kf__lx *is, const kf__lx *rows,
                                const kf__lx *n) {
    const kf__lx *len, *one = kf__l_int(L, 1), *r = kf__l_var(L, "r");
    const kf__lx *runs = kf__cpu_put_runs(L, is, rows, n, "len", &len);
    kf__open_for(L, "int64_t", "r", kf__l_int(L, 0), runs, one, KF__SERIAL);
    const kf__lx *u = kf__l_bin(L, "+", kf__l_var(L, "first_row"), r);
    bool lines = !L->axes[kf__last(L)].reduced;
    kf__put_decode(L, false, lines, kf__put_let(L, "int64_t", "u", u, NULL));
    return len;
}

static bool is_argument(const kf__low *L, const kf__mask *mask, uint16_t i) {
    for (uint32_t k = 0; k < L->k->n_instrs; ++k)
        if (kf__has(mask, k) && kf__uses(&L->k->instrs[k], i)) return true;
    return false;
}

/* What is held and stored as a half is read back, rounded, once the run is: the others of h. */
static kf__held held_again(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin) {
    kf__held others = *h;
    kf__mask *mask = kf__low_mask(L);
    if (!mask) L->failed = true;
    for (uint32_t s = 0; mask && s < h->n_stores; ++s) {
        int value = b->half[s] ? kf__cpu_rounded(L, h->mask, h->stores[s]) : -1;
        if (value < 0 || is_argument(L, h->mask, (uint16_t)value)) continue;
        for (uint32_t k = 0; k < others.n; ++k) {
            if (others.instr[k] != value) continue;
            b->again[s] = kf__l_name(L, "again%d", value);
            kf__put_let(L, "float *", b->again[s],
                        kf__l_bin(L, "+", kf__l_var(L, others.name[k]), begin), NULL);
            others.instr[k] = others.instr[--others.n];
            others.name[k] = others.name[others.n];
        }
    }
    for (uint32_t i = 0; mask && i < L->k->n_instrs; ++i)
        if (kf__has(h->mask, i) && (!kf__holds(h, i) || kf__holds(&others, i))) kf__add(mask, i);
    if (mask) others.mask = mask;
    return others;
}

/* From element `from` of the run on, of what is held. */
static void put_stores_apart(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin,
                             const kf__lx *from) {
    const kf__lx *l = kf__l_var(L, "l");
    kf__open_for(L, "int64_t", "l", from, b->len, kf__l_int(L, 1), KF__SIMD);
    for (uint32_t s = 0; s < h->n_stores; ++s)
        L->value[L->k->stores[h->stores[s]].instr] =
            kf__l_item(L, stored_of(L, h, h->stores[s]), kf__l_bin(L, "+", begin, l));
    kf__cpu_stores(L, b, h->stores, h->n_stores, l);
    for (uint32_t s = 0; s < h->n_stores; ++s)
        L->value[L->k->stores[h->stores[s]].instr] = NULL;
    kf__close(L);
}

/* Beside functions stores cost nothing: h = tanh(x); h, sum(h, 1) of 317x316 takes a Zen 4 48 us
 * with them in the loop that makes h, and 52 behind it. What vectors leave is stored behind. */
static void make_storing(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__held *others,
                         const kf__lx *begin) {
    const kf__lx *whole = make_with(L, b, h, others, begin);
    if (whole != b->len) put_stores_apart(L, b, h, begin, whole);
}

void kf__cpu_make_and_store(kf__low *L, kf__cpu_block *b, const kf__held *h,
                            const kf__lx *begin) {
    kf__held others = held_again(L, b, h, begin);
    bool apart = others.n == h->n && stores_apart(L, &others);
    if (apart) others.n_stores = 0;
    if (apart && kf__is_dear(L, h->mask)) {
        make_storing(L, b, h, &others, begin);
    } else {
        bool makes = apart || others.n || !kf__cpu_are_made(b, h->n_stores);
        if (makes) kf__cpu_make(L, b, &others, begin);
        if (apart) put_stores_apart(L, b, h, begin, kf__l_int(L, 0));
    }
    kf__cpu_flush(L, b, h->stores, h->n_stores);
}

kf__held kf__cpu_with_tables(kf__low *L, kf__cpu_block *b, const kf__held *h) {
    uint16_t roots[2 * KF__HELD];
    kf__held with = *h;
    kf__cpu_put_block_tables(L, b, h->mask);
    with.mask = kf__cpu_needed(L, b, roots, kf__cpu_roots_of_held(L, h, roots));
    return with;
}

bool kf__cpu_find_run_given(kf__low *L, const kf__held *h, kf__leaves *leaves, kf__held *run) {
    uint16_t roots[2 * KF__HELD];
    uint32_t n = kf__cpu_roots_of_held(L, h, roots);
    leaves->n = 0;
    if (!h->mask || across(L) < 0 || kf__cpu_may_be_run(L, h) ||
        !kf__cpu_find_leaves(L, roots, n, across(L), leaves))
        return false;
    kf__cpu_hold_leaves(L, leaves, kf__l_int(L, 0));
    *run = *h;
    run->mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    bool is = kf__cpu_may_be_run_of(L, run, leaves->instr, leaves->n);
    kf__cpu_hold_leaves(L, leaves, NULL);
    return is;
}

bool kf__cpu_find_run_of_leaves(kf__low *L, const kf__held *h, kf__leaves *leaves,
                                kf__held *run) {
    leaves->n = 0;
    return h->mask && kf__cpu_leaves_much(L, h->mask) &&
           kf__cpu_find_run_given(L, h, leaves, run) &&
           (kf__cpu_leaves_much(L, run->mask) || kf__cpu_stores_narrow(L, h));
}

void kf__cpu_put_held(kf__low *L, kf__held *h, const kf__lx *rows, const kf__lx *n) {
    const kf__lx *r = kf__l_var(L, "r"), *is = NULL;
    if (!h->n && !h->n_stores) return;
    if (kf__low_reduced_axes(L) > 1) {
        put_held_lines(L, h, rows, n);
        return;
    }
    for (uint32_t k = 0; k < h->n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[h->instr[k]].dtype), h->name[k],
                    kf__cpu_together(L) + PAD, NULL);
    kf__leaves leaves;
    kf__held run;
    kf__leaf_rows of = {kf__l_var(L, "first_row"), rows, kf__l_int(L, 0), n, KF__LEAVES_OF_ROWS};
    bool leafs = kf__cpu_find_run_of_leaves(L, h, &leaves, &run);
    if (leafs) kf__cpu_put_leaves(L, &leaves, &of);
    if (leafs) is = kf__word_int(L, "run", kf__cpu_is_run(L, &run));
    else if (kf__cpu_may_be_run(L, h)) is = kf__word_int(L, "run", kf__cpu_is_run(L, h));
    const kf__lx *len = kf__cpu_open_runs(L, is, rows, n);
    kf__put_rows(L, 0);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), len);
    b.widens = b.narrows = true;
    const kf__lx *begin = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", r, n), NULL);
    if (leafs) kf__cpu_hold_leaves(L, &leaves, kf__l_bin(L, "+", begin, kf__l_var(L, "l")));
    const kf__held own = leafs ? run : kf__cpu_with_tables(L, &b, h);
    kf__cpu_ask_for_rows_backwards(L, &b, own.mask, kf__low_only_kept(L), L->together);
    kf__cpu_prepare(L, &b, own.mask);
    kf__cpu_store_targets(L, &b, h->stores, h->n_stores);
    kf__cpu_make_and_store(L, &b, &own, begin);
    kf__cpu_forget(L, NULL);
    kf__forget(L, KF__LEVEL_ROW);
    kf__close(L);
    h->begin = kf__l_bin(L, "*", r, n);
}
