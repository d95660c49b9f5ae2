/* Short rows of several stages, where one behind the first is long or reduces, by eight:
 * gelu(layer_norm(x)) takes the moments of eight rows, then the gelus of them.
 *
 *     for (first_row = begin; first_row < end; first_row += most_rows)
 *         for (r = 0; r < rows; ++r)                the first stage of row first_row + r
 *             rows_v3[r] = v3, ...
 *         for (r = 0; r < rows; ++r)                their second stages
 *         ...
 *
 * What a row reduces takes long until it is known, and a long stage is more than a processor looks
 * ahead. So it is at other rows meanwhile. In functions of short rows each field of the states
 * comes by itself, too: the means of eight rows, then the sums of their squares. Functions of what
 * was reduced are a loop over the rows, as vectors, between two of these.
 *
 * Where the last stage reads other arrays too, only rows of a few vectors once memory has to be
 * read: eight longer ones of each array come later than one. */
#include "lower/cpu.h"

enum {
    LONG = 5,             /* operations: two or three gain nothing */
    FEW_ELEMENTS = 64,    /* of a row, which is a few vectors */
    FAR_ELEMENTS = 256,
    CACHED = 16 << 20,    /* bytes of all arrays */
    L1_BYTES = 32 << 10,  /* of most cores; others have 48 KiB */
};

/* Does a load of the last stage read what no other stage does, row by row? */
static bool reads_more(const kf__low *L, kf__mask *const *of, uint32_t last, uint32_t load) {
    const kf__operand *o = &L->operands[L->k->instrs[load].access];
    bool rows = !o->affine;
    for (uint32_t s = 0; s < last; ++s)
        if (kf__has(of[s], load)) return false;
    for (int m = 0; m < L->n_axes; ++m) rows |= !L->axes[m].reduced && o->varies[m];
    return rows;
}

/* Is a function taken of what a row reduces, before its last stage can begin? */
static bool waits_for_function(const kf__low *L, uint32_t last) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__is_function(L, i) && in->level == KF__LEVEL_ROW && in->stage == last) return true;
    }
    return false;
}

/* Is the last stage long? Of g: what it reads of other arrays, and whether it waits for memory. */
static bool is_worth_it(kf__low *L, uint32_t last, const kf__kept *kept, kf__cpu_group *g) {
    uint32_t ops = 0;
    kf__mask **more = &g->more;
    kf__mask **of = kf__cpu_of_stages(L);
    kf__cpu_read_kept(L, kept, kf__l_int(L, 0)); /* that is there already */
    for (uint32_t i = 0; L->held && i < L->held->n; ++i)
        L->value[L->held->instr[i]] = kf__l_int(L, 0);
    kf__mask *mask = kf__cpu_of_stage(L, last);
    kf__cpu_forget(L, NULL);
    for (uint32_t i = 0; of && i < L->k->n_instrs; ++i) {
        uint8_t kind = L->k->instrs[i].kind;
        if (!kf__has(mask, i)) continue;
        if (kind == KF__I_LOAD && reads_more(L, of, last, i)) {
            if (!*more) *more = kf__low_mask(L);
            if (*more) kf__add(*more, i);
            else L->failed = true;
        }
        ops += kind == KF__I_OP || kind == KF__I_CAST;
    }
    bool dear = kf__is_dear(L, mask);
    g->ahead = !dear && !L->held;
    return of && (ops >= LONG || dear || waits_for_function(L, last));
}

/* Is it made where rows' instructions are? */
static bool is_of_row(const kf__instr *in) {
    if (in->kind == KF__I_REDUCE) return false;
    return in->level == KF__LEVEL_ROW || (in->level == KF__LEVEL_SCALAR && in->stage > 0);
}

/* The last stage in whose loop over rows instruction i is needed. What rows compute for a stage is
 * made at the end of the one before. of: [n_stages] what each computes of every element. */
static uint32_t needed_until(const kf__low *L, const kf__cpu_group *g, kf__mask *const *of,
                             uint16_t i) {
    uint32_t until = 0, last = L->k->n_stages - 1;
    uint16_t stores[64];
    uint32_t n = g->reduces ? L->k->n_stores : kf__low_stores(L, last, stores);
    for (uint32_t s = 0; s < n; ++s) /* rows' results are stored in the last loop, if it reduces */
        if (L->k->stores[g->reduces ? s : stores[s]].instr == i) return last;
    for (uint32_t j = i + 1u; j < L->k->n_instrs; ++j) {
        const kf__instr *in = &L->k->instrs[j];
        if (!kf__uses(in, i)) continue;
        if (is_of_row(in) && in->stage > until + 1) until = in->stage - 1u;
        if (in->kind == KF__I_REDUCE && L->k->instrs[i].stage > until)
            until = L->k->instrs[i].stage;
        for (uint32_t s = until; s <= last; ++s)
            if (kf__has(of[s], j)) until = s;
    }
    return until;
}

/* Functions of what short rows reduce are taken of the group's rows as vectors, by a loop between
 * two of theirs: log(sum(x, 1)) reduces each row first. A row's cosine alone takes as long as all
 * else of a row of 28. */
static bool is_late_value(const kf__instr *in, uint32_t s) {
    return is_of_row(in) && in->stage == s && in->kind != KF__I_PROJECT;
}

static bool is_late(const kf__low *L, uint32_t s) {
    bool takes = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!is_late_value(in, s)) continue;
        if (in->kind != KF__I_OP && in->kind != KF__I_CAST) return false;
        takes = takes || (in->level == KF__LEVEL_ROW && kf__is_function(L, i));
    }
    return takes;
}

bool kf__cpu_is_late(const kf__low *L, uint32_t s) {
    return L->group && L->held && !L->carried && is_late(L, s);
}

bool kf__cpu_are_late(const kf__low *L) {
    bool late = false;
    for (uint32_t s = 1; s <= L->k->n_stages; ++s) late = late || is_late(L, s);
    return late;
}

/* Value i is needed in the loop of stage s. */
static void need(const kf__low *L, kf__cpu_group *g, uint16_t i, uint32_t s) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->level != KF__LEVEL_ROW && !is_of_row(in)) return;
    for (uint32_t k = 0; k < g->n_values; ++k) {
        if (g->values[k] != i) continue;
        if (g->until[k] < s) g->until[k] = (uint8_t)s;
        return;
    }
    g->until[g->n_values] = (uint8_t)s;
    g->values[g->n_values++] = i;
}

/* What late values are made of, and what is stored of rows by then. */
static void add_late(const kf__low *L, kf__cpu_group *g) {
    for (uint32_t s = 1; s <= L->k->n_stages; ++s) {
        if (!L->held || !is_late(L, s)) continue;
        for (uint32_t j = 0; j < L->k->n_instrs; ++j)
            for (int a = 0; is_late_value(&L->k->instrs[j], s) && a < L->k->instrs[j].n_args; ++a)
                if (!is_late_value(&L->k->instrs[L->k->instrs[j].args[a]], s))
                    need(L, g, L->k->instrs[j].args[a], s);
        for (uint32_t k = 0; k < L->k->n_stores; ++k)
            if (L->k->instrs[L->k->stores[k].instr].stage <= s)
                need(L, g, L->k->stores[k].instr, s);
    }
}

static bool init_group(kf__low *L, kf__cpu_group *g, int64_t most) {
    *g = (kf__cpu_group){.most = most,
                         .values = KF__NEW(L->arena, uint16_t, L->k->n_instrs),
                         .until = KF__NEW(L->arena, uint8_t, L->k->n_instrs),
                         .saved = KF__NEW(L->arena, const char *, L->k->n_instrs)};
    if (!g->values || !g->until || !g->saved) L->failed = true;
    return !L->failed;
}

static void add_values(kf__low *L, kf__cpu_group *g, kf__mask *const *of) {
    for (uint16_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        uint32_t until = is_of_row(in) ? needed_until(L, g, of, i) : 0;
        if (until < kf__max(1u, in->stage)) continue;
        g->until[g->n_values] = (uint8_t)until;
        g->values[g->n_values++] = i;
    }
}

void kf__cpu_group_late(kf__low *L, kf__cpu_group *g) {
    if (!kf__low_later(L, 1) && init_group(L, g, KF__CPU_GROUP_ROW)) add_late(L, g);
}

bool kf__cpu_reduces_later(const kf__low *L) {
    uint16_t reds[64];
    for (uint32_t s = 1; s < L->k->n_stages; ++s)
        if (kf__low_reductions(L, s, reds)) return true;
    return false;
}

bool kf__cpu_may_group(kf__low *L, const kf__kept *kept, kf__cpu_group *g) {
    uint16_t stores[64];
    uint32_t last = L->k->n_stages - 1;
    if (!kf__low_later(L, last) && last) --last; /* nothing of each element */
    if (!init_group(L, g, KF__CPU_GROUP_ROW)) return false;
    if (L->own && !L->held) return false;
    if (!last || kf__low_reduced_axes(L) != 1 || L->k->n_instrs > 64) return false;
    g->reduces = kf__cpu_reduces_later(L);
    if (!g->reduces && !kf__low_stores(L, last, stores)) return false;
    if (!is_worth_it(L, last, kept, g) && !g->reduces && !L->held) {
        g->more = NULL;
        return false;
    }
    kf__mask **of = kf__cpu_of_stages(L);
    if (of) add_values(L, g, of), add_late(L, g);
    return of;
}

bool kf__cpu_carry_groups(kf__low *L, kf__cpu_group *g) {
    int64_t most = (L->carried->most - KF__CPU_LANES) / KF__CPU_GROUP;
    if (!init_group(L, g, kf__min(KF__CPU_GROUP_ROW, most))) return false;
    g->reduces = true;
    add_values(L, g, L->carried->of);
    return true;
}

/* Row by row, and the same address each time? */
static bool may_ask(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    bool rows = false;
    for (int m = 0; m < L->n_axes; ++m) rows |= !L->axes[m].reduced && o->varies[m];
    return rows && o->value && !o->row && kf__low_step(L, access) == 1 &&
           !kf__has_symbols(L, access);
}

/* Row r of the access, `later` rows behind this one. */
static void ask(kf__low *L, uint32_t access, const kf__lx *later, const kf__lx *n) {
    const kf__lx *row = kf__low_offset(L, access, kf__l_int(L, 0));
    if (later) row = kf__l_bin(L, "+", row, later);
    row = kf__l_bin(L, "+", kf__l_var(L, kf__word_operand(L, access)), row);
    kf__cpu_prefetch_run(L, access, row, n);
}

/* What the first stage reads of a row of the next group. */
static void ask_for_next(kf__low *L, int axis, const kf__lx *most, const kf__lx *n) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind != KF__I_LOAD || in->n_args || in->stage || !may_ask(L, in->access)) continue;
        const kf__lx *row = kf__word_stride(L, in->access, axis);
        ask(L, in->access, kf__l_bin(L, "*", row, most), n);
    }
}

/* What only the last stage reads is asked for while the others are made. */
static void put_ahead(kf__low *L, const kf__cpu_group *g, const kf__lx *most, const kf__lx *n) {
    bool open = false;
    for (uint32_t i = 0; g->more && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(g->more, i) || in->n_args || !may_ask(L, in->access)) continue;
        if (!open) kf__open_if(L, kf__l_bin(L, ">", most, kf__l_int(L, 1)));
        open = true;
        ask(L, in->access, NULL, n);
    }
    if (open) kf__close(L);
}

/* Of a short last stage, and of rows of one axis: so are the places of its results, and what is
 * read of the next group. Both take longer than that stage: of x - logsumexp(x) 317x316 on a Zen 5
 * 94 us, asked for there, and 67. */
static void put_far_ahead(kf__low *L, const kf__lx *most, const kf__lx *n) {
    uint16_t stores[64];
    uint32_t n_stores = kf__low_all_stores(L, stores);
    int axis = kf__low_only_kept(L);
    if (axis < 0 || kf__cpu_scatters(L)) return;
    L->asked = true;
    kf__open_if(L, kf__l_bin(L, "&&", kf__cpu_is_far(L), kf__l_bin(L, ">", most, kf__l_int(L, 1))));
    ask_for_next(L, axis, most, n);
    kf__open_if(L, kf__l_bin(L, "==", kf__l_var(L, "stream"), kf__l_int(L, 0)));
    for (uint32_t s = 0; s < n_stores; ++s) {
        uint32_t access = L->k->stores[stores[s]].access;
        if (may_ask(L, access)) ask(L, access, NULL, n);
    }
    kf__close(L);
    kf__close(L);
}

/* While exponentials are taken of a row: what is read, and stored at once, of the next group, and
 * this row's places in the other results. The loops that do so wait for nothing else. softmax(x),
 * x > 0 of 317x316 takes a Zen 4 64 us, as many as row by row, and without this 71; in the caches
 * 49, where row by row they are 57. */
void kf__cpu_ask_for_rows(kf__low *L, const kf__lx *n) {
    uint16_t stores[64];
    uint32_t n_stores = kf__low_all_stores(L, stores);
    int axis = kf__low_only_kept(L);
    if (axis < 0 || kf__cpu_scatters(L)) return;
    L->asked = true;
    kf__open_if(L, kf__word_int(L, "ahead", L->axes[kf__last(L)].size > KF__CPU_LANES));
    ask_for_next(L, axis, L->together, n);
    for (uint32_t s = 0; s < n_stores; ++s) {
        uint32_t access = L->k->stores[stores[s]].access;
        bool first = L->k->instrs[L->k->stores[stores[s]].instr].stage == 0;
        const kf__lx *row = kf__word_stride(L, access, axis);
        const kf__lx *later = first ? kf__l_bin(L, "*", row, L->together) : NULL;
        if (may_ask(L, access)) ask(L, access, later, n);
    }
    kf__close(L);
}

/* The loop over the group's rows, of which this one is u. */
static void open_group(kf__low *L, const kf__cpu_group *g, const kf__lx *first) {
    kf__open_for(L, "int64_t", "r", kf__l_int(L, 0), g->rows, kf__l_int(L, 1), KF__SERIAL);
    kf__put_let(L, "int64_t", "u", kf__l_bin(L, "+", first, g->r), NULL);
    kf__put_decode(L, false, false, kf__l_var(L, "u"));
    if (!L->own || !L->held) return;
    const kf__lx *at = kf__l_bin(L, "*", g->r, kf__word_size(L, kf__last(L)));
    kf__put_let(L, kf__l_name(L, "%s *", kf__ctype(L->own->type)), L->own->name,
                kf__l_bin(L, "+", kf__l_var(L, L->own->rows), at), NULL);
}

static int64_t most_rows(const kf__low *L) { return L->held ? KF__CPU_TINY : KF__CPU_GROUP; }

/* Arrays of the states; tidy.c takes those out that nobody reads. */
static void put_states(kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        for (int f = 0; L->k->instrs[i].kind == KF__I_REDUCE && f < kf__fields(L, i); ++f)
            kf__put_var(L, kf__ctype(kf__field_type(L, i, f)), kf__field_name(L, "rows", i, f),
                        most_rows(L), NULL);
}

int64_t kf__cpu_rows_of_group(const kf__low *L) {
    return kf__max(1, KF__CPU_GROUP * KF__CPU_SHORT / kf__max(1, L->axes[kf__last(L)].size));
}

const kf__lx *kf__cpu_most_rows(kf__low *L) {
    return kf__word_int(L, "most_rows", kf__cpu_rows_of_group(L));
}

const kf__lx *kf__cpu_open_rows(kf__low *L, const kf__lx *most) {
    const kf__lx *end = kf__l_var(L, "end"), *first = kf__l_var(L, "first_row");
    kf__open_for(L, "int64_t", "first_row", kf__l_var(L, "begin"), end, most, KF__SERIAL);
    const kf__lx *left = kf__l_bin(L, "-", end, first);
    const kf__lx *rows = kf__l_call(L, "kf_min_i64", KF__I64, left, most);
    return kf__put_let(L, "int64_t", "rows", rows, NULL);
}

/* The elements of the longest rows that go by eight: of longer ones from far each is on its way
 * while the one before it is made, and eight would be too much at once. layer_norm(x) of 2000x500
 * takes a Zen 4 400 us by eight, and 275; of 4000x200 280 either way. */
static int64_t longest_grouped(const kf__low *L, const kf__cpu_group *g) {
    int64_t most = kf__cpu_comes_from_far(L) ? kf__min(g->most, FAR_ELEMENTS) : g->most;
    return g->more && kf__low_bytes(L) >= CACHED ? FEW_ELEMENTS : most;
}

/* Of a half with the float that it is widened to, or rounded from. */
static int64_t bytes_of(kf__dtype t) { return kf__types[t].size + (t == KF__F16 ? 4 : 0); }

/* Bytes that an element of what is held goes through on its way: in memory and, as floats, on the
 * stack, where halves are widened and rounded, and what a row has once is repeated. */
static int64_t bytes_of_held(const kf__low *L, const kf__held *h) {
    int64_t bytes = 0;
    if (!h) return 0;
    for (uint32_t k = 0; k < h->n; ++k) bytes += kf__types[L->k->instrs[h->instr[k]].dtype].size;
    for (uint32_t k = 0; k < h->n_stores; ++k)
        bytes += bytes_of(L->operands[L->k->stores[h->stores[k]].access].dtype);
    for (uint32_t i = 0; h->mask && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(h->mask, i) || in->kind != KF__I_LOAD || in->level < KF__LEVEL_ROW) continue;
        bytes += in->level == KF__LEVEL_FULL ? bytes_of(L->operands[in->access].dtype) : 4;
    }
    return bytes;
}

int64_t kf__cpu_near_elements(const kf__low *L, const kf__held *h) {
    return L1_BYTES / 2 / kf__max(1, bytes_of_held(L, h));
}

/* How many elements of what is held are made at once: as many as stay in half of L1 with what they
 * are made of. h = x * 2; h, sum(h, 1) of f16 1024x1024, from memory, takes a Zen 4 447 us by 2048
 * and 272 by 1024. Where they are stored again they would push those places out: var(cbrt(x), 1) of
 * 317x316 takes 73 us by 1024 and 69 by 2048, but rms_norm(hypot(x, y)), from memory, 71 and 94. */
int64_t kf__cpu_together(const kf__low *L) {
    const int64_t least = KF__CPU_GROUP * KF__CPU_SHORT;
    uint16_t stores[64];
    for (uint32_t s = 1; s < L->k->n_stages; ++s)
        if (kf__low_stores(L, s, stores)) return least;
    return kf__min(2 * least, kf__max(least, kf__cpu_near_elements(L, L->held)));
}

void kf__cpu_open_groups(kf__low *L, kf__cpu_group *g, const kf__lx *n, kf__kept *kept,
                         kf__held *held) {
    const kf__lx *first = kf__l_var(L, "first_row");
    const kf__lx *limit = kf__l_int(L, held ? KF__CPU_SHORT : g->most); /* elements of a row */
    const kf__lx *most = kf__l_int(L, KF__CPU_GROUP);
    const kf__lx *rest = kf__l_int(L, 1);
    if (held && kf__cpu_keeps_nothing(L, held))
        rest = most;
    else if (held)
        rest = kf__l_bin(L, "/", kf__l_int(L, kf__cpu_together(L)), n);
    else if (!L->carried)
        limit = kf__word_int(L, "grouped", longest_grouped(L, g));
    most = kf__l_select(L, kf__l_bin(L, "<=", n, limit), most, rest);
    const kf__lx *tiny = kf__l_int(L, KF__CPU_TINY);
    if (held) most = kf__l_select(L, kf__l_bin(L, "<=", n, tiny), tiny, most);
    most = kf__put_let(L, "int64_t", "most_rows", most, NULL);
    g->rows = kf__cpu_open_rows(L, most);
    g->r = kf__l_var(L, "r");
    L->together = most;
    for (kf__kept *k = kept; k; k = k->next) k->begin = kf__l_bin(L, "*", g->r, n);
    for (uint32_t k = 0; k < g->n_values; ++k) {
        const char *type = kf__ctype(L->k->instrs[g->values[k]].dtype);
        g->saved[k] = kf__l_name(L, "rows_v%u", (unsigned)g->values[k]);
        kf__put_var(L, type, g->saved[k], most_rows(L), NULL);
    }
    if (L->group) put_states(L);
    if (held) kf__cpu_put_held(L, held, g->rows, n);
    open_group(L, g, first);
    put_ahead(L, g, most, n);
    if (g->ahead) put_far_ahead(L, most, n);
}

/* The values of this row that stage s, or one behind it, needs. */
static void put_values(kf__low *L, const kf__cpu_group *g, uint32_t s) {
    for (uint32_t k = 0; k < g->n_values; ++k) {
        uint16_t i = g->values[k];
        if (L->k->instrs[i].stage > s || g->until[k] < s) continue;
        L->value[i] = kf__put_let(L, kf__ctype(L->k->instrs[i].dtype),
                                  kf__l_name(L, "v%u", (unsigned)i),
                                  kf__l_item(L, g->saved[k], g->r), NULL);
    }
}

/* Saves this row's values that were made since the last turn, late ones or the others. */
static void save_values(kf__low *L, const kf__cpu_group *g, uint32_t s, bool late, bool all) {
    for (uint32_t k = 0; k < g->n_values; ++k) {
        const kf__instr *in = &L->k->instrs[g->values[k]];
        if (!all && is_late_value(in, s) != late) continue;
        if (in->stage == s || (s == 1 && !in->stage && !late))
            kf__put_set(L, kf__l_item(L, g->saved[k], g->r), kf__value_of(L, g->values[k]));
    }
}

void kf__cpu_put_late(kf__low *L, const kf__cpu_group *g, uint32_t s) {
    save_values(L, g, s, false, false);
    kf__close(L);
    kf__open_for(L, "int64_t", "r", kf__l_int(L, 0), g->rows, kf__l_int(L, 1), KF__SIMD);
    for (uint32_t k = 0; k < g->n_values; ++k) {
        const kf__instr *in = &L->k->instrs[g->values[k]];
        bool there = in->stage <= s && !is_late_value(in, s);
        if (there) L->value[g->values[k]] = kf__l_item(L, g->saved[k], g->r);
    }
    kf__put_rows(L, s);
    save_values(L, g, s, true, false);
    kf__close(L);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (is_late_value(&L->k->instrs[i], s)) L->value[i] = NULL;
    open_group(L, g, kf__l_var(L, "first_row"));
    put_values(L, g, s);
}

void kf__cpu_turn_group(kf__low *L, const kf__cpu_group *g, uint32_t s) {
    if (kf__cpu_is_late(L, s)) {
        kf__cpu_put_late(L, g, s);
        if (!g->reduces) kf__put_row_stores(L);
        return;
    }
    save_values(L, g, s, false, true);
    if (!g->reduces) kf__put_row_stores(L);
    kf__close(L);
    open_group(L, g, kf__l_var(L, "first_row"));
    put_values(L, g, s);
}

const kf__lx *kf__cpu_state_of_row(kf__low *L, uint32_t red, int field) {
    return kf__l_item(L, kf__field_name(L, "rows", red, field), L->group->r);
}

int kf__cpu_made(const kf__low *L, const kf__cpu_stage *st, uint32_t r, int fields) {
    int all = kf__fields(L, st->reds[r]);
    if (kf__cpu_kept_of(st->fill, st->reds[r])) all = 1; /* its sum comes last */
    return fields < all ? fields : all;
}

void kf__cpu_turn_inside(kf__low *L, kf__cpu_stage *st, int fields) {
    for (uint32_t r = 0; r < st->n_reds; ++r)
        for (int f = 0; f < kf__cpu_made(L, st, r, fields); ++f)
            kf__put_set(L, kf__cpu_state_of_row(L, st->reds[r], f), st->running[r][f]);
    kf__close(L);
    open_group(L, L->group, kf__l_var(L, "first_row"));
    for (uint32_t i = 0; st->s == 0 && i < L->k->n_instrs; ++i)
        if (L->k->instrs[i].level == KF__LEVEL_ROW && L->k->instrs[i].stage == 0)
            L->value[i] = NULL;
    if (st->s) put_values(L, L->group, st->s);
    else kf__put_rows(L, 0); /* nothing of these is in the arrays yet */
    kf__cpu_put_states(L, st, fields);
}

void kf__cpu_close_groups(kf__low *L) {
    L->together = NULL;
    L->asked = false;
    kf__close(L);
}
