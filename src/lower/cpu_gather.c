/* Gathers in blocks: their guards are asked once a block.
 *
 *     v0 = i[line], wrapped; v8 = is it inside?; v9 = v8 ? v0 : 0      see fixed.c
 *     from = v8 ? w + v9 * row : kf_nothing()                          zeros, so that no element
 *     for (l = 0; l < len; ++l) ... from[l] ...                        asks again
 *
 * No hardware foresees which row is next: where rows are long enough, the next block's is asked for
 * while this one is read.
 *
 * What is read for all lines, as the indices of take(x, i, axis=1), is asked for where it is in a
 * line only, not whether the line is a pad's: so it is the same for all, see cpu_table.c.
 *
 * Elements that are read at indices of their own keep a loop from being vectorized. Where something
 * dear is made of them, or they are reduced, they are read into L1 first, in a loop that does
 * nothing else (softmax(take_along_axis(x, i, 1)) of 317x316 took 115 us without it, and 64), and
 * where something is chosen, or a part of a pick is made of them:
 *
 *     exp(take_along_axis(x, i, 1))      for (l ...) read3[l] = inside of x ? x[i[l]] : 0
 *                                        for (l ...) ... kf_exp_f32(read3[l]) ... */
#include "lower/cpu.h"

enum {
    KF__AHEAD_BYTES = 1 << 20, /* from there on rows aren't in L2 */
    KF__AHEAD_ROW = 256,       /* bytes; shorter rows cost less than asking for them */
};

/* ---------------------------------------------------------------- guards */

/* What the guard says of axes along which the operand varies, if an instruction says that; else all
 * of it. UINT32_MAX: nothing. */
static uint32_t narrowed(const kf__low *L, uint32_t guard, const kf__operand *of) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind == KF__I_INSIDE) {
        bool shares = false;
        for (int m = 0; m < L->n_axes; ++m)
            shares |= of->varies[m] && L->operands[in->access].varies[m];
        return shares ? guard : UINT32_MAX;
    }
    uint32_t a = narrowed(L, in->args[0], of), b = narrowed(L, in->args[1], of);
    return a == UINT32_MAX ? b : b == UINT32_MAX ? a : guard;
}

void kf__cpu_narrow_guards(kf__low *L) {
    kf__kernel *k = L->k->n_symbols ? kf__low_copy_kernel(L, 0, 0) : NULL;
    for (uint32_t i = 0; k && i < k->n_instrs; ++i) {
        kf__instr *in = &k->instrs[i];
        const kf__operand *o = &L->operands[in->access];
        if (in->kind != KF__I_LOAD || !in->n_args || !o->affine || o->symbols) continue;
        if (!kf__is_place(L, in->args[0])) continue;
        uint32_t guard = narrowed(L, in->args[0], o);
        if (guard < UINT32_MAX) in->args[0] = (uint16_t)guard;
    }
    if (k) L->k = k;
}

/* ---------------------------------------------------------------- guards before the loop */

/* Adds what a guard says besides L->holds to *all. False: it isn't all known yet. */
static bool is_known(kf__low *L, uint32_t guard, const kf__lx **all) {
    const kf__instr *in = &L->k->instrs[guard];
    if (kf__is_known(L, guard)) return true;
    if (L->value[guard]) {
        *all = *all ? kf__l_bin(L, "&", *all, L->value[guard]) : L->value[guard];
        return true;
    }
    return in->kind == KF__I_OP && in->op == KF__BITWISE_AND && is_known(L, in->args[0], all) &&
           is_known(L, in->args[1], all);
}

void kf__cpu_put_from(kf__low *L, kf__cpu_block *b, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__lx *known = NULL;
    if (L->failed || b->from[i] || !in->n_args || b->most > KF__CPU_BLOCK) return;
    if (kf__low_step(L, in->access) > 1 || !is_known(L, in->args[0], &known) || !known) return;
    const char *stored = kf__types[L->operands[in->access].dtype].stored;
    b->from[i] = kf__l_name(L, "from%u", (unsigned)i);
    kf__put_let(L, kf__l_name(L, "const %s *", stored), b->from[i],
                kf__l_select(L, known, kf__l_var(L, L->pointer[in->access]),
                             kf__l_callv(L, "kf_nothing", KF__I64, 0, NULL)),
                NULL);
}

bool kf__cpu_is_guard_known(const kf__low *L, const kf__cpu_block *b, uint32_t i) {
    return b->from[i] || !kf__asks(L, &L->k->instrs[i]);
}

const char *kf__cpu_from(const kf__low *L, const kf__cpu_block *b, uint32_t i) {
    return b->from[i] ? b->from[i] : L->pointer[L->k->instrs[i].access];
}

/* ---------------------------------------------------------------- single elements */

/* Does each element have an index of its own in this array? */
static bool by_elements(const kf__low *L, uint32_t access) {
    return !L->operands[access].affine && kf__has_symbols(L, access);
}

static bool is_scattered(const kf__low *L, const kf__cpu_block *b, const kf__mask *mask,
                         uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return kf__has(mask, i) && in->kind == KF__I_LOAD && !L->value[i] && !b->pick[i] &&
           by_elements(L, in->access);
}

bool kf__cpu_scatters(const kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (by_elements(L, i)) return true;
    return false;
}

/* Keep element l of instruction i in an array. */
static const char *open_array(kf__low *L, const kf__cpu_block *b, uint32_t i) {
    const char *name = kf__l_name(L, "read%u", (unsigned)i);
    kf__put_var(L, kf__ctype(L->k->instrs[i].dtype), name, b->most, NULL);
    return name;
}

/* What is cumulative goes on from one element to the next: it is computed once, in its own loop. */
bool kf__cpu_has_scan(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && L->k->instrs[i].kind == KF__I_SCAN) return true;
    return false;
}

/* Is what is read so made into integers, within their bounds? */
static bool saturates(kf__low *L, const kf__cpu_block *b, const kf__mask *mask) {
    bool *of = KF__NEW(L->arena, bool, L->k->n_instrs + 1), any = false;
    if (!of) L->failed = true;
    for (uint32_t i = 0; of && i < L->k->n_instrs && !any; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        of[i] = is_scattered(L, b, mask, i);
        for (int a = 0; a < in->n_args && in->kind != KF__I_LOAD; ++a) of[i] |= of[in->args[a]];
        any = of[i] && kf__has(mask, i) && kf__saturates(L, i);
    }
    return any;
}

/* Is anything chosen? gcc makes of where(c, take(x, i, 1), y) a jump for each element. */
static bool chooses(const kf__low *L, const kf__mask *mask, const kf__mask *needed) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool by = in->op == KF__WHERE || in->op == KF__MAXIMUM || in->op == KF__MINIMUM;
        by = by && in->kind == KF__I_OP && !L->value[i];
        any |= by && kf__has(mask, i) && !kf__has(needed, i);
    }
    return any;
}

bool kf__cpu_put_elements(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                          const kf__lx *to) {
    uint32_t n = 0, most = L->k->n_instrs;
    uint16_t *reads = KF__NEW(L->arena, uint16_t, most + 1);
    const char **names = KF__NEW(L->arena, const char *, most + 1);
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, most + 1);
    if (!reads || !names || !before) {
        L->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < most; ++i)
        if (is_scattered(L, b, mask, i) && (from || !kf__cpu_is_in_picks(L, mask, i)))
            reads[n++] = (uint16_t)i;
    kf__mask *needed = n ? kf__low_needed(L, KF__LEVEL_FULL, reads, n) : NULL;
    for (uint32_t w = 0; needed && w <= most / 64; ++w) needed[w] &= mask[w];
    if (!needed || kf__is_dear(L, needed) || kf__cpu_has_scan(L, needed)) return false;
    if (!from && !b->folds && !kf__is_dear(L, mask) && !saturates(L, b, mask) &&
        !chooses(L, mask, needed))
        return false;
    if (from) kf__open_block(L);
    for (uint32_t r = 0; r < n; ++r)
        if (!names[reads[r]]) names[reads[r]] = open_array(L, b, reads[r]);
    memcpy(before, L->value, sizeof *before * most);
    const kf__lx *l = kf__l_var(L, "l");
    kf__open_for(L, "int64_t", "l", from ? from : kf__l_int(L, 0), from ? to : b->len,
                 kf__l_int(L, 1), KF__SERIAL);
    kf__cpu_body(L, b, needed, l);
    for (uint32_t i = 0; i < most; ++i)
        if (names[i]) kf__put_set(L, kf__l_item(L, names[i], l), kf__value_of(L, i));
    kf__close(L);
    memcpy(L->value, before, sizeof *before * most);
    for (uint32_t i = 0; i < most; ++i)
        if (names[i]) b->pick[i] = names[i];
    return from != NULL;
}

/* ---------------------------------------------------------------- the next row */

static bool has_next(const kf__low *L, const kf__mask *mask, uint32_t i) {
    uint32_t access = L->k->instrs[i].access;
    return kf__low_reads_rows(L, mask, i) && kf__low_step(L, access) == 1 &&
           !L->operands[access].row;
}

const kf__lx *kf__cpu_ahead(kf__low *L, const kf__mask *mask) {
    kf__mask *fixed = L->k->n_symbols ? kf__low_fixed(L, mask) : NULL;
    int64_t widest = 0, row = L->n_axes ? kf__min(L->axes[kf__last(L)].size, KF__CPU_BLOCK) : 1;
    if (!fixed || kf__is_dear(L, fixed)) return NULL;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (has_next(L, mask, i))
            widest = kf__max(widest, kf__types[L->operands[L->k->instrs[i].access].dtype].size);
    if (!widest) return NULL;
    bool far = kf__low_bytes(L) >= KF__AHEAD_BYTES && widest * row >= KF__AHEAD_ROW;
    return kf__word_int(L, "ahead", far);
}

void kf__cpu_put_ahead(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    kf__mask *fixed = kf__low_fixed(L, mask);
    for (uint32_t i = 0; fixed && i < L->k->n_instrs; ++i) {
        uint32_t access = L->k->instrs[i].access;
        if (kf__has(fixed, i) && !L->value[i]) kf__low_put_fixed(L, i);
        if (!has_next(L, mask, i)) continue;
        kf__cpu_need_pointer(L, b, access);
        const kf__lx *p = kf__l_var(L, L->pointer[access]), *l = kf__l_var(L, "l");
        const kf__lx *line = kf__l_int(L, kf__cpu_per_line(L, access));
        kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), b->len, line, KF__SERIAL);
        kf__put_call(L, kf__l_call(L, "kf_prefetch_far", KF__I64, kf__l_bin(L, "+", p, l)));
        kf__close(L);
    }
    kf__cpu_forget(L, NULL);
}
