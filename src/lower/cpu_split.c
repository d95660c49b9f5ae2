/* Functions of what is only reduced, in loops before the one that reduces:
 *
 *     sum(sigmoid(y) * log1p(exp(x)))      for (l < len)  made9[l] = sigmoid(y)
 *                                          for (l < len)  made12[l] = made9[l] * log1p(exp(x))
 *                                          for (l < len)  lanes[l % 64] += made12[l]
 *
 * The lanes stay in registers then, which a function's constants fill; and a loop of several
 * functions is more than a processor looks ahead, which waits for each of them.
 *
 * Where arrays are read in order those loops go over a piece of the block, one after another, and
 * then over the next one: each array's next elements are on their way while functions are taken of
 * the others'. Loops over a whole block would wait for each array in turn. */
#include "lower/cpu.h"

enum { PIECE = 512 }; /* elements: of a mean of log1p(exp(x)) and sigmoid(y), 1000000 of each from
                         memory, a Zen 4 waits for 20 us of 1550; by blocks of 2048 for 240 */

static uint32_t functions(const kf__low *L, const kf__mask *mask) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) n += kf__has(mask, i) && kf__is_function(L, i);
    return n;
}

/* What of `mask` instruction i is made of. */
static kf__mask *made_of(kf__low *L, const kf__mask *mask, uint16_t i) {
    kf__mask *of = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    if (L->failed) return of;
    for (uint32_t w = 0; w <= L->k->n_instrs / 64; ++w) of[w] &= mask[w];
    return of;
}

/* Is nothing but i and loads needed of `part`, which i is made of, by the rest of `mask`? */
static bool is_apart(const kf__low *L, const kf__mask *mask, const kf__mask *part, uint32_t i) {
    for (uint32_t u = 0; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        if (!kf__has(mask, u) || kf__has(part, u)) continue;
        for (int a = 0; a < in->n_args; ++a)
            if (in->args[a] != i && kf__has(part, in->args[a]) &&
                L->k->instrs[in->args[a]].kind != KF__I_LOAD)
                return false;
    }
    return true;
}

/* Half of the functions, or what comes next to it, by itself; arguments have their arrays. */
static void put_half(kf__low *L, kf__cpu_block *b, const kf__held *all_of) {
    const kf__mask *mask = all_of->mask;
    uint32_t all = functions(L, mask), best = 0, at = 0;
    for (uint32_t i = 0; all > 2 && i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i) || L->k->instrs[i].kind != KF__I_OP || b->pick[i]) continue;
        if (kf__holds(all_of, i)) continue;
        kf__mask *part = made_of(L, mask, (uint16_t)i);
        uint32_t n = functions(L, part);
        n = n < all - n ? n : all - n;
        if (n < best || !n || !is_apart(L, mask, part, i)) continue;
        best = n;
        at = i;
    }
    if (!best) return;
    kf__held h = {.n = 1, .instr = {(uint16_t)at},
                  .name = {kf__l_name(L, "made%u", (unsigned)at)},
                  .mask = made_of(L, mask, (uint16_t)at)};
    kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[at].dtype), h.name[0], b->most, NULL);
    kf__cpu_make(L, b, &h, kf__l_int(L, 0));
    b->pick[at] = h.name[0];
}

/* Is it made of arrays that are read in order, and of nothing that a block has made already? */
static bool reads_in_order(const kf__low *L, const kf__cpu_block *b, const kf__mask *mask) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        if (b->pick[i] || b->random[in->access] || b->tile[in->access]) return false;
        if (in->kind == KF__I_OP || in->kind == KF__I_CAST || in->kind == KF__I_CONSTANT) continue;
        const kf__operand *o = &L->operands[in->access];
        bool plain = in->kind == KF__I_LOAD && !in->n_args && o->affine && !o->row && !o->symbols;
        int step = plain ? kf__low_step(L, in->access) : 2;
        if (step > 1) return false;
        any = any || step;
    }
    return any;
}

/* What h holds, of the block or a piece of it, from `begin` on. */
static void put_made(kf__low *L, kf__cpu_block *b, const kf__held *h, const kf__lx *begin) {
    kf__cpu_prepare(L, b, h->mask);
    put_half(L, b, h);
    kf__cpu_make(L, b, h, begin);
}

static void put_pieces(kf__low *L, const kf__cpu_block *b, const kf__held *h) {
    const char **pointers = KF__NEW(L->arena, const char *, L->k->n_accesses + 1);
    const kf__mask *there = kf__cpu_known(L);
    if (!pointers || !there) {
        L->failed = true;
        return;
    }
    memcpy(pointers, L->pointer, sizeof *pointers * L->k->n_accesses);
    const kf__lx *piece = kf__l_var(L, "piece"), *size = kf__l_int(L, PIECE);
    kf__open_for(L, "int64_t", "piece", kf__l_int(L, 0), b->len, size, KF__SERIAL);
    kf__cpu_block part;
    const kf__lx *left = kf__l_bin(L, "-", b->len, piece);
    const kf__lx *n = kf__l_call(L, "kf_min_i64", KF__I64, left, size);
    n = kf__put_let(L, "int64_t", "n", n, NULL);
    kf__cpu_open_line(L, &part, kf__l_bin(L, "+", b->first, piece), n);
    part.most = PIECE;
    part.folds = b->folds;
    put_made(L, &part, h, piece);
    kf__close(L);
    kf__cpu_forget(L, there);
    memcpy(L->pointer, pointers, sizeof *pointers * L->k->n_accesses);
}

bool kf__cpu_split(kf__low *L, kf__cpu_block *b, const uint16_t *reds, uint32_t n,
                   const char **keep, const kf__mask **read) {
    kf__held h = {0};
    const char *name[KF__HELD];
    int fields = 1;
    if (n > KF__HELD) return false;
    for (uint32_t r = 0; r < n; ++r) {
        uint16_t arg = L->k->instrs[reds[r]].args[0];
        uint32_t k = 0;
        fields = kf__max(fields, kf__fields(L, reds[r]));
        if (!kf__at_level(L, arg, KF__LEVEL_FULL) || L->value[arg]) return false;
        while (k < h.n && h.instr[k] != arg) ++k;
        if (k == h.n) h.instr[h.n++] = arg;
        name[r] = h.name[k] = kf__l_name(L, "made%u", (unsigned)arg);
    }
    h.mask = *read = kf__cpu_needed(L, b, h.instr, h.n);
    /* of several fields the first one leaves its arguments to the others anyway */
    if (functions(L, h.mask) < 3 && (fields > 1 || !kf__cpu_has_chains(L, b, h.mask))) return false;
    for (uint32_t k = 0; k < h.n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[h.instr[k]].dtype), h.name[k], b->most,
                    NULL);
    if (reads_in_order(L, b, h.mask)) put_pieces(L, b, &h);
    else put_made(L, b, &h, kf__l_int(L, 0));
    for (uint32_t r = 0; r < n; ++r) keep[r] = name[r];
    return true;
}
