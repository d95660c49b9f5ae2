/* Columns on the CPU of which the rows are stored, too: sum(x, 0), x * 2.
 *
 *     for (r0 = from; r0 < to; r0 += 4)          four rows
 *         for (l = 0; l < len; ++l)              SIMD
 *             state[l] = the state after all four, in a register
 *         for each of these rows                 what is stored of it, cpu_columns.c
 *
 * Stores to a result wait for its lines, and the state's, which the next row reads, wait behind
 * them: once x and the result fill L1, sum(x, 0), x * 2 of 97 x 103 took a Sapphire Rapids 3.4 us,
 * and as two kernels 2. What is reduced is made again for what is stored, so only what takes few
 * operations is folded so, and no divisions (h = sqrt(x); h, sum(h, 0) of 317x316 took a Zen 4
 * 41 us, and as two kernels 23). Sums alone are folded so, too, and rows that are made before. Rows
 * are folded in order: the sum is the same to the last bit. */
#include "lower/cpu_columns.h"

enum {
    FOLDED = KF__CPU_FOLDED,
    OPERATIONS = 8,
    LOADS = 3,
    TURNS_LEAST = 64,  /* elements of a row that is folded by itself: of fewer loops are short; */
    TURNS_MOST = 1024, /* and of a page or more each is a run that the processor finds again */
};

/* Are four rows folded at once? Not rows of less than a page by AMD's: from memory their prefetch
 * loses runs of a few lines of which several are read by turns, which Intel's follows
 * (bench/results/2026-11-29-cpu-rows-by-turns.txt). sum(relu(x), 0) of 317x316 takes a Zen 4 41 us
 * by fours, and row by row 18; h = x + y; h, sum(h, 0) of 97x103 7.3 and 4.6; in the caches they
 * take the same. Nor what is stored by pieces, too: sum(x, 0), x * 2 of 1024x1024 takes a Zen 4 363
 * us by fours, by pieces 268; a Sapphire Rapids of 317x316 17 and 34, but 300x8192 970 and 690. */
const kf__lx *kf__columns_by_fours(kf__low *L, const kf__columns *c) {
    int64_t n = L->axes[kf__last(L)].size;
    bool amd = L->target->amd, short_runs = n >= TURNS_LEAST && n <= TURNS_MOST;
    bool lost = c->ahead ? n > TURNS_MOST || (amd && !L->target->streams)
                         : amd && c->tile >= n && short_runs;
    return kf__word_int(L, "by_fours", !lost);
}

/* One that doesn't have to be looked up, widened by a loop or guarded: its next row is a stride
 * away. */
static bool is_plain_load(const kf__low *L, const kf__instr *in) {
    const kf__operand *o = &L->operands[in->access];
    return !in->n_args && o->value && o->affine && !o->row && kf__types[o->dtype].size >= 4 &&
           kf__low_step(L, in->access) == 1 && !kf__has_symbols(L, in->access);
}

static kf__mask *folded_mask(kf__low *L, const kf__columns *c) {
    uint16_t *roots = KF__NEW(L->arena, uint16_t, c->n_reds + 1);
    if (!roots) L->failed = true;
    for (uint32_t r = 0; roots && r < c->n_reds; ++r)
        roots[r] = L->k->instrs[c->reds[r]].args[0];
    return roots ? kf__low_needed(L, KF__LEVEL_FULL, roots, c->n_reds) : NULL;
}

bool kf__columns_folds_ahead(kf__low *L, const kf__columns *c) {
    if (!c->simple || L->tiled || c->pieces || c->makes || c->wide >= 0 || c->own.n || L->tables ||
        L->k->n_symbols || kf__low_only_reduced(L) < 0)
        return false;
    const kf__mask *mask = folded_mask(L, c);
    const kf__mask *stored = kf__cpu_line_mask(L, c->stores, c->n_stores);
    if (!mask || !stored || kf__is_dear(L, mask)) return false;
    uint32_t loads = 0, operations = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        bool load = in->kind == KF__I_LOAD;
        bool made = (in->kind == KF__I_OP || in->kind == KF__I_CAST) && !kf__saturates(L, i);
        if (!(load ? is_plain_load(L, in) : made)) return false;
        if (kf__divides(L, i) && kf__has(stored, i)) return false;
        loads += load, operations += !load;
    }
    return loads <= LOADS && operations <= OPERATIONS;
}

static const kf__lx *state_of(kf__low *L, uint32_t red, const kf__lx *l) {
    return kf__l_item(L, kf__field_name(L, "state", red, 0), l);
}

static void put_fold(kf__low *L, uint32_t red, const kf__lx *x, const kf__lx *into) {
    const kf__lx *term = kf__term(L, red, 0, x, kf__l_int(L, 0), NULL);
    kf__put_set(L, into, kf__fold_of(L, red, 0, into, term));
}

/* Variables that begin as the states of element l: into `into`. */
static void put_folded(kf__low *L, const kf__columns *c, const kf__lx *l, const kf__lx **into) {
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        const char *name = kf__field_name(L, "folded", c->reds[r], 0);
        kf__put_var(L, kf__ctype(kf__field_type(L, c->reds[r], 0)), name, 0,
                    state_of(L, c->reds[r], l));
        into[r] = kf__l_var(L, name);
    }
}

/* The states of element l are those then. */
static void keep_folded(kf__low *L, const kf__columns *c, const kf__lx *l,
                        const kf__lx *const *into) {
    for (uint32_t r = 0; r < c->n_reds; ++r)
        kf__put_set(L, state_of(L, c->reds[r], l), into[r]);
}

/* Element l of one row, whose loads' pointers are there, into `into` of each reduction. */
static void put_row(kf__low *L, const kf__columns *c, const kf__cpu_block *b, const kf__mask *mask,
                    const kf__mask *there, const kf__lx *l, const kf__lx *const *into) {
    kf__cpu_body(L, b, mask, l);
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint32_t red = c->reds[r];
        put_fold(L, red, kf__value_of(L, L->k->instrs[red].args[0]), into[r]);
    }
    kf__cpu_forget(L, there);
}

/* The loads' pointers of the q-th row behind r0's, whose own are `first`. */
static void put_pointers(kf__low *L, const kf__mask *mask, const char *const *first, int64_t q) {
    int axis = kf__low_only_reduced(L);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        uint32_t access = L->k->instrs[i].access;
        if (!kf__has(mask, i) || L->k->instrs[i].kind != KF__I_LOAD) continue;
        if (L->pointer[access] != first[access] || !L->operands[access].varies[axis]) continue;
        const kf__lx *rows = kf__l_bin(L, "*", kf__l_int(L, q), kf__word_stride(L, access, axis));
        const kf__lx *at = kf__l_bin(L, "+", kf__l_var(L, first[access]), rows);
        const char *name = kf__l_name(L, "%s_%d", first[access], (int)q);
        kf__put_let(L, kf__pointer_type(L, access), name, at, NULL);
        L->pointer[access] = name;
    }
}

static void put_four(kf__low *L, const kf__columns *c, const kf__cpu_block *b,
                     const kf__mask *mask) {
    uint32_t n = L->k->n_accesses;
    const kf__mask *there = kf__cpu_known(L);
    const char **at = KF__NEW(L->arena, const char *, FOLDED * n + 1);
    const kf__lx **into = KF__NEW(L->arena, const kf__lx *, c->n_reds + 1);
    if (!at || !into || !there) {
        L->failed = true;
        return;
    }
    memcpy(at, L->pointer, n * sizeof *at);
    for (int64_t q = 1; q < FOLDED; ++q) {
        memcpy(L->pointer, at, n * sizeof *at);
        put_pointers(L, mask, at, q);
        memcpy(at + q * n, L->pointer, n * sizeof *at);
    }
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), c->len, kf__l_int(L, 1), KF__SIMD);
    const kf__lx *l = kf__l_var(L, "l");
    put_folded(L, c, l, into);
    for (int64_t q = 0; q < FOLDED; ++q) {
        memcpy(L->pointer, at + q * n, n * sizeof *at);
        kf__open_block(L);
        put_row(L, c, b, mask, there, l, into);
        kf__close(L);
    }
    keep_folded(L, c, l, into);
    kf__close(L);
    memcpy(L->pointer, at, n * sizeof *at);
}

/* ---------------------------------------------------------------- of rows that are made already */

bool kf__columns_folds_made(const kf__low *L, const kf__columns *c) {
    bool all = c->simple && c->makes && !L->tiled && c->wide < 0 &&
               (c->made.n_stores || !c->n_stores);
    for (uint32_t r = 0; r < c->n_reds; ++r)
        all = all && kf__holds(&c->made, L->k->instrs[c->reds[r]].args[0]);
    return all;
}

/* Element l of row `row`, counted from r0, into `into` of each reduction. */
static void put_made_row(kf__low *L, const kf__columns *c, const kf__lx *row, const kf__lx *l,
                         const kf__lx *const *into) {
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint32_t red = c->reds[r], k = 0;
        while (c->made.instr[k] != L->k->instrs[red].args[0]) ++k;
        const kf__lx *at = kf__l_bin(L, "+", kf__l_bin(L, "*", row, c->pitch), l);
        put_fold(L, red, kf__l_item(L, c->made.name[k], at), into[r]);
    }
}

void kf__columns_put_folded_made(kf__low *L, const kf__columns *c, const kf__lx *r0,
                                 const kf__lx *r1) {
    const kf__lx **into = KF__NEW(L->arena, const kf__lx *, c->n_reds + 1);
    const kf__lx *r = kf__l_var(L, "r"), *l = kf__l_var(L, "l"), *one = kf__l_int(L, 1);
    const kf__lx *four = kf__l_int(L, FOLDED), *zero = kf__l_int(L, 0);
    const kf__lx *last = kf__l_var(L, "last");
    if (!into) {
        L->failed = true;
        return;
    }
    kf__open_for(L, "int64_t", "r", r0, r1, four, KF__SERIAL);
    const kf__lx *row = kf__put_let(L, "int64_t", "row", kf__l_bin(L, "-", r, r0), NULL);
    kf__open_if(L, kf__l_bin(L, "<=", kf__l_bin(L, "+", r, four), r1));
    kf__open_for(L, "int64_t", "l", zero, c->len, one, KF__SIMD);
    put_folded(L, c, l, into);
    for (int64_t q = 0; q < FOLDED; ++q)
        put_made_row(L, c, q ? kf__l_bin(L, "+", row, kf__l_int(L, q)) : row, l, into);
    keep_folded(L, c, l, into);
    kf__close(L);
    kf__open_else(L);
    for (uint32_t k = 0; k < c->n_reds; ++k) into[k] = state_of(L, c->reds[k], l);
    kf__open_for(L, "int64_t", "last", row, kf__l_bin(L, "-", r1, r0), one, KF__SERIAL);
    kf__open_for(L, "int64_t", "l", zero, c->len, one, KF__SIMD);
    put_made_row(L, c, last, l, into);
    kf__close(L);
    kf__close(L);
    kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- of rows that are stored, too */

/* One after another: fewer than four, or not by fours. */
static void put_each(kf__low *L, const kf__columns *c, const kf__mask *mask, const kf__lx *r0,
                     const kf__lx *r1) {
    const kf__lx **into = KF__NEW(L->arena, const kf__lx *, c->n_reds + 1);
    const kf__lx *l = kf__l_var(L, "l");
    kf__cpu_block b;
    if (!into) L->failed = true;
    for (uint32_t r = 0; into && r < c->n_reds; ++r) into[r] = state_of(L, c->reds[r], l);
    kf__open_for(L, "int64_t", "r", r0, r1, kf__l_int(L, 1), KF__SERIAL);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    kf__cpu_open_line(L, &b, c->first, c->len);
    kf__cpu_ask_upwards(L, &b, mask, kf__low_only_reduced(L));
    kf__cpu_prepare(L, &b, mask);
    const kf__mask *there = kf__cpu_known(L);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), c->len, kf__l_int(L, 1), KF__SIMD);
    if (into && there) put_row(L, c, &b, mask, there, l, into);
    kf__close(L);
    kf__close(L);
}

void kf__columns_put_folded(kf__low *L, const kf__columns *c, const kf__lx *r0,
                            const kf__lx *r1) {
    const kf__mask *mask = folded_mask(L, c), *there = kf__cpu_known(L);
    if (!mask || !there) return;
    kf__cpu_block b;
    const kf__lx *four = kf__l_bin(L, "==", kf__l_bin(L, "-", r1, r0), kf__l_int(L, FOLDED));
    kf__open_if(L, kf__l_bin(L, "&&", kf__columns_by_fours(L, c), four));
    kf__put_decode(L, true, false, r0);
    kf__cpu_open_line(L, &b, c->first, c->len);
    kf__cpu_prepare(L, &b, mask);
    put_four(L, c, &b, mask);
    kf__cpu_forget(L, there);
    kf__open_else(L);
    put_each(L, c, mask, r0, r1);
    kf__cpu_forget(L, there);
    kf__close(L);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) L->pointer[i] = NULL;
}

