/* Values of a row that later stages read again, kept: the exponentials of a softmax, or what is
 * dear to compute (a function, random bits, a gather) and reduced before it is used.
 *
 *     stack      a row of up to KF__CPU_KEPT bytes
 *     scratch    longer ones: a row for each range of units, at most 256 of them; it stays in a
 *                core's caches, if these are as large */
#include "lower/cpu.h"

enum {
    MOST_KEPT = 4, /* rows of exponentials of a stage */
    SLOTS = 256,   /* of long rows: ranges of units, at most */
};

/* Is an argument of exponentials, needed for the maximum and for them, more work than to keep
 * it? */
static bool is_work(kf__low *L, uint16_t i) {
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    int n = 0;
    for (uint32_t k = 0; k < L->k->n_instrs; ++k)
        n += kf__has(mask, k) &&
             (L->k->instrs[k].kind == KF__I_OP || L->k->instrs[k].kind == KF__I_CAST);
    return n > 1 || kf__is_dear(L, mask);
}

/* Elements of a row that can be kept; of short rows those of a group, and what vectors write behind
 * the last. */
static int64_t most_kept(const kf__low *L, kf__dtype type) {
    return L->held ? KF__CPU_BLOCK + KF__CPU_LANES : KF__CPU_KEPT / kf__types[type].size;
}

static void set_row(kf__low *L, kf__kept *k, const char *of, uint32_t i) {
    k->row = kf__l_name(L, "%s%u", of, (unsigned)i);
    if (L->own) k->row = L->held ? L->own->rows : L->own->name;
    k->from = kf__l_name(L, "%s_from", k->row);
}

/* Exponentials of the first reduction from `red` on that has some. */
static bool find_exps_from(kf__low *L, uint32_t red, kf__kept *k) {
    uint32_t difference;
    *k = (kf__kept){0};
    for (uint32_t i = red; i < L->k->n_instrs; ++i) {
        if (L->k->instrs[i].kind != KF__I_REDUCE || (L->own && i != L->own->red) ||
            !kf__low_find_exp(L, i, &difference, &k->power))
            continue;
        k->red = i;
        uint16_t argument = L->k->instrs[i].args[0];
        bool held = L->held && (!L->k->instrs[i].stage || kf__holds(L->held, argument));
        k->argument = !held && is_work(L, argument);
        k->most = most_kept(L, kf__state_type(L, i));
        set_row(L, k, "exps", i);
        return true;
    }
    return false;
}

/* What else the stage of k can keep; all together no more bytes than one. */
static void find_next(kf__low *L, kf__kept *k) {
    int64_t n = 1;
    kf__kept *last = k, next;
    uint32_t stage = L->k->instrs[k->red].stage;
    while (n < MOST_KEPT && find_exps_from(L, last->red + 1, &next)) {
        kf__kept *one = KF__NEW(L->arena, kf__kept, 1);
        if (!one) L->failed = true;
        if (!one || L->k->instrs[next.red].stage != stage) return;
        *one = next;
        last = last->next = one;
        ++n;
    }
    for (kf__kept *one = k; !L->held && n > 1 && one; one = one->next)
        one->most = one->most / n / KF__CPU_LANES * KF__CPU_LANES; /* vectors write up to there */
}

bool kf__cpu_find_exps(kf__low *L, kf__kept *k) {
    if (kf__low_reduced_axes(L) != 1 || !find_exps_from(L, 0, k)) return false;
    if (!L->carried) find_next(L, k);
    return true;
}

/* Elements of scratch that rows of `length` take: one for each range of units. */
static int64_t scratch_of(kf__low *L, int64_t length) {
    int64_t n = kf__ceil_div(L->fn->units, L->fn->grain);
    if (!kf__mul_ok(n, length, &n) || !kf__mul_ok(n, 16, &(int64_t){0})) L->failed = true;
    return L->failed ? 0 : n;
}

static bool fits(const kf__low *L, int64_t most) {
    return L->axes[kf__last(L)].size <= most;
}

const kf__lx *kf__cpu_put_slot(kf__low *L, int64_t most) {
    bool fit = fits(L, most);
    if (!fit) L->fn->grain = kf__max(1, kf__ceil_div(L->fn->units, SLOTS));
    const kf__lx *grain = kf__word_int(L, "grain", fit ? 0 : L->fn->grain), *zero = kf__l_int(L, 0);
    const kf__lx *length = kf__l_bin(L, "+", kf__word_size(L, kf__last(L)),
                                     kf__l_int(L, KF__CPU_LANES));
    const kf__lx *slot = kf__l_bin(L, "*", kf__l_bin(L, "/", kf__l_var(L, "begin"), grain), length);
    slot = kf__l_select(L, kf__l_bin(L, "==", grain, zero), kf__l_int(L, -1), slot);
    return kf__put_let(L, "int64_t", "slot", slot, "of a row that doesn't fit on the stack");
}

void kf__cpu_put_kept_row(kf__low *L, const char *name, kf__dtype type, int64_t most,
                          const kf__lx *slot) {
    const char *c = kf__ctype(type), *stack = kf__l_name(L, "%s_stack", name);
    int64_t length = L->axes[kf__last(L)].size + KF__CPU_LANES;
    int64_t at = kf__low_scratch(L, fits(L, most) ? 0 : scratch_of(L, length), type);
    const kf__lx *memory = kf__word_partial(L, kf__l_name(L, "%s_memory", name), type, at);
    kf__put_var(L, c, stack, most, NULL);
    kf__put_let(L, kf__l_name(L, "%s *", c), name,
                kf__l_select(L, kf__l_bin(L, "<", slot, kf__l_int(L, 0)), kf__l_var(L, stack),
                             kf__l_bin(L, "+", memory, slot)),
                NULL);
}

/* Short rows that are held are on the stack, always. */
static void put_row(kf__low *L, const kf__kept *k, const kf__lx *slot) {
    kf__dtype type = kf__compute((kf__dtype)L->k->instrs[k->power].dtype);
    if (slot) kf__cpu_put_kept_row(L, k->row, type, k->most, slot);
    else kf__put_var(L, kf__ctype(type), k->row, k->most, NULL);
}

bool kf__cpu_keep_exps(kf__low *L, kf__kept *k) {
    if (!kf__cpu_find_exps(L, k)) return false;
    if (L->carried) return true; /* as what is carried */
    const kf__lx *slot = L->held ? NULL : kf__cpu_put_slot(L, k->most);
    for (const kf__kept *one = k; one; one = one->next) put_row(L, one, slot);
    return true;
}

const kf__kept *kf__cpu_kept_of(const kf__kept *k, uint32_t red) {
    while (k && k->red != red) k = k->next;
    return k;
}

void kf__cpu_read_kept(kf__low *L, const kf__kept *k, const kf__lx *l) {
    for (; k; k = k->next) L->value[k->power] = l ? kf__l_item(L, k->from, l) : NULL;
}

uint32_t kf__cpu_roots(kf__low *L, uint32_t s, uint16_t **roots) {
    uint16_t stores[64];
    *roots = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 65);
    if (!*roots) {
        L->failed = true;
        return 0;
    }
    uint32_t n = kf__low_reductions(L, s, *roots), n_stores = kf__low_stores(L, s, stores);
    for (uint32_t r = 0; r < n; ++r) (*roots)[r] = L->k->instrs[(*roots)[r]].args[0];
    for (uint32_t i = 0; i < n_stores; ++i) (*roots)[n++] = L->k->stores[stores[i]].instr;
    return n;
}

kf__mask *kf__cpu_of_stage(kf__low *L, uint32_t s) {
    uint16_t *roots;
    uint32_t n = kf__cpu_roots(L, s, &roots);
    return kf__low_needed(L, KF__LEVEL_FULL, roots, n);
}

kf__mask **kf__cpu_of_stages(kf__low *L) {
    kf__mask **of = KF__NEW(L->arena, kf__mask *, L->k->n_stages);
    for (uint32_t s = 0; of && s < L->k->n_stages; ++s) of[s] = kf__cpu_of_stage(L, s);
    if (!of) L->failed = true;
    return of;
}

bool kf__cpu_is_dear(kf__low *L, uint16_t i) {
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    bool dear = kf__is_dear(L, mask);
    for (uint32_t k = 0; k < L->k->n_instrs && !dear; ++k)
        dear = kf__has(mask, k) && L->k->instrs[k].kind == KF__I_LOAD &&
               L->operands[L->k->instrs[k].access].symbols;
    return dear;
}

/* Does it take more to widen what it is made of than to read it from L1: bytes, or two halves? */
static bool widens(const kf__low *L, const kf__mask *mask) {
    uint32_t halves = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        int size = kf__types[in->dtype].size;
        if (!kf__has(mask, i) || in->kind != KF__I_LOAD || size > 2) continue;
        halves += size == 2 ? 1 : 2;
    }
    return halves > 1;
}

/* To widen bytes takes a few operations each time, and a division as long as two passes in L1.
 * layer_norm(x + y) in bf16 of 3163x3161 takes a Zen 4 4.9 ms, kept 4. */
bool kf__cpu_is_kept_well(kf__low *L, uint16_t i) {
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &i, 1);
    bool divides = false;
    for (uint32_t k = 0; k < L->k->n_instrs; ++k)
        divides = divides || (kf__has(mask, k) && kf__divides(L, k));
    bool wide = kf__types[L->k->instrs[i].dtype].size > 1;
    return kf__cpu_is_dear(L, i) || divides || (wide && widens(L, mask));
}

/* What is dear, reduced in an early stage and needed by a later one. */
bool kf__cpu_find_dear(kf__low *L, kf__kept *k) {
    if (kf__low_reduced_axes(L) != 1 || L->k->n_stages < 2) return false;
    kf__mask **of = kf__cpu_of_stages(L);
    if (!of) return false;
    for (uint32_t i = L->k->n_instrs; i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        bool later = L->own && L->own->value == i;
        if (L->own && !later) continue;
        if (in->level != KF__LEVEL_FULL || !kf__has(of[in->stage], i)) continue;
        for (uint32_t s = in->stage + 1u; s < L->k->n_stages; ++s) later |= kf__has(of[s], i);
        if (!later || !kf__cpu_is_kept_well(L, (uint16_t)i)) continue;
        kf__dtype type = kf__compute((kf__dtype)in->dtype);
        *k = (kf__kept){.red = UINT32_MAX, .power = i, .stage = in->stage,
                        .most = most_kept(L, type)};
        set_row(L, k, "row", i);
        return true;
    }
    return false;
}

bool kf__cpu_keep_dear(kf__low *L, kf__kept *k) {
    if (!kf__cpu_find_dear(L, k) || (L->held && k->stage == 0)) return false;
    put_row(L, k, L->held ? NULL : kf__cpu_put_slot(L, k->most));
    return true;
}

void kf__cpu_put_kept_from(kf__low *L, const kf__kept *k, const kf__lx *first) {
    for (; k; k = k->next) {
        const char *type = kf__ctype((kf__dtype)L->k->instrs[k->power].dtype);
        const kf__lx *at = k->begin ? kf__l_bin(L, "+", k->begin, first) : first;
        kf__put_let(L, kf__l_name(L, "%s *", type), k->from,
                    kf__l_bin(L, "+", kf__l_var(L, k->row), at), NULL);
    }
}
