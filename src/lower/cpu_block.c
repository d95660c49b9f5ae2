/* Blocks of the innermost axis, for all CPU nests: pointers to a block's start, its random words,
 * the values of its elements, and its stores, which go to the result or to a buffer in L1 that is
 * then streamed past the caches, where that wins. */
#include "lower/cpu.h"

/* From here on streaming stores win: they lose inside L2 and break even near 4 MB (bench/results).
 * Of several results one has to be as large, as it would have to be alone; or all of them together
 * are larger than what is left of most caches: x + 1, x * 2 of 3 MB each took a Zen 3 .30 ms
 * streamed and .21 not, warm, the same cold; eight of them the same either way. */
enum {
    KF__STREAM_BYTES = 4 << 20,
    KF__STREAMS_BYTES = 16 << 20,
    KF__PIECE_BYTES = 1 << 10, /* of a store: what is made before it is streamed */
    KF__WHOLE_BYTES = 4 << 10, /* the same, of columns' rows that needn't be cut */
    KF__APART_BYTES = 192, /* columns: loads wait for stores at the same place of another page */
    KF__CORE_BYTES = 512 << 10, /* of a core's own cache, where that isn't known */
    KF__SHORT_LINE = 64, /* elements */
    KF__BACK_BYTES = 32, /* between elements that are asked for as one run */
    KF__LINES_AHEAD = 4 << 10, /* bytes: what takes as long as memory does to answer */
};

const kf__lx *kf__cpu_last(kf__low *L, const kf__cpu_block *b, const kf__lx *l) {
    return kf__l_bin(L, "+", b->first, l);
}

int64_t kf__cpu_per_line(const kf__low *L, uint32_t access) {
    enum { LINE = 64 }; /* bytes */
    return LINE / kf__types[L->operands[access].dtype].size;
}

int64_t kf__cpu_even_tile(int64_t n, int64_t most) {
    int64_t even = kf__ceil_div(kf__max(1, n), kf__max(1, kf__ceil_div(n, most)));
    return kf__ceil_div(even, KF__CPU_VECTOR) * KF__CPU_VECTOR;
}

void kf__cpu_open_line(kf__low *L, kf__cpu_block *b, const kf__lx *first, const kf__lx *len) {
    b->first = first;
    b->len = len;
    b->begin = first;
    b->inside = NULL;
    b->folds = b->by_groups = false;
    b->widens = b->narrows = false;
    memset(b->half, 0, sizeof b->half);
    memset(b->made, 0, sizeof b->made);
    memset(b->again, 0, sizeof b->again);
    b->cached = false;
    b->kept = NULL;
    b->n_kept = 0;
    b->down = -1;
    b->into = NULL;
    b->into_at = NULL;
    memset(b->put, 0, sizeof b->put);
    b->most = KF__CPU_BLOCK;
    b->piece = kf__l_int(L, 0);
    b->end = len;
    b->streamed = 0;
    memset(b->random, 0, sizeof b->random);
    memset(b->tile, 0, sizeof b->tile);
    b->pick = KF__NEW(L->arena, const char *, L->k->n_instrs + 1);
    b->from = KF__NEW(L->arena, const char *, L->k->n_instrs + 1);
    b->in_place = kf__low_mask(L);
    b->raw = kf__low_mask(L);
    if (!b->pick || !b->from || !b->in_place || !b->raw) {
        static const char *none[8192]; /* only read from here on; a kernel has fewer */
        static kf__mask no_pick[128];
        L->failed = true;
        b->pick = b->from = none;
        b->in_place = b->raw = no_pick;
    }
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) L->pointer[i] = NULL;
}

void kf__cpu_need_pointer(kf__low *L, const kf__cpu_block *b, uint32_t access) {
    if (L->pointer[access]) return;
    kf__put_pointer(L, access, kf__low_step(L, access) ? b->first : NULL);
}

bool kf__cpu_lies_apart(const kf__low *L, const kf__instr *in) {
    if (in->kind != KF__I_LOAD) return false;
    const kf__operand *o = &L->operands[in->access];
    return o->value && !o->symbols && kf__low_step(L, in->access) == 2 &&
           !kf__low_tiled(L, in->access);
}

bool kf__cpu_is_strided(const kf__low *L, const kf__instr *in) {
    return kf__cpu_lies_apart(L, in) && !in->n_args;
}

void kf__cpu_put_strided(kf__low *L, kf__cpu_block *b, uint32_t access, const kf__lx *from,
                         const kf__lx *to) {
    const kf__operand *o = &L->operands[access];
    const char *name = kf__l_name(L, "run%u", (unsigned)access);
    const char *function = kf__l_name(L, "kf_strided%d", kf__types[o->dtype].size);
    const kf__lx *stride = kf__word_stride(L, access, kf__last(L));
    kf__cpu_need_pointer(L, b, access);
    kf__put_var(L, kf__types[o->dtype].stored, name, b->most, NULL);
    kf__put_call(L, kf__l_call(L, function, KF__I64, kf__l_bin(L, "+", kf__l_var(L, name), from),
                               kf__l_bin(L, "+", kf__l_var(L, L->pointer[access]),
                                         kf__l_bin(L, "*", from, stride)),
                               stride, kf__l_bin(L, "-", to, from)));
    b->tile[access] = name;
}

static bool has_words(const kf__low *L, const kf__cpu_block *b, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_RANDOM && kf__low_step(L, in->access) == 1 && !b->random[in->access];
}

/* The random words of elements [from, to) of the block; from NULL: of all. */
static void put_words(kf__low *L, kf__cpu_block *b, uint32_t i, const kf__lx *from,
                      const kf__lx *to) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    const char *words = kf__l_name(L, "words%u", (unsigned)i);
    kf__put_var(L, kf__ctype(in->dtype), words, b->most, NULL);
    const kf__lx *at = kf__l_var(L, words), *n = b->len, *index = b->first;
    if (from) {
        at = kf__l_bin(L, "+", at, from);
        n = kf__l_bin(L, "-", to, from);
        index = kf__l_bin(L, "+", index, from);
    }
    index = kf__l_bin(L, "+", kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset),
                      kf__low_offset(L, in->access, index));
    const char *fill = in->dtype == KF__I64 ? "kf_philox_fill_wide" : "kf_philox_fill";
    kf__put_call(L, kf__l_call(L, fill, KF__I32, kf__value_of(L, in->args[0]),
                               kf__value_of(L, in->args[1]), index, n, at));
    b->random[in->access] = words;
}

bool kf__cpu_put_words(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                       const kf__lx *to) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i) || !has_words(L, b, i)) continue;
        if (!any) kf__open_if(L, kf__l_bin(L, "<", from, to));
        any = true;
        put_words(L, b, i, from, to);
    }
    return any;
}

void kf__cpu_widen(kf__low *L, const char *floats, const char *halves, const kf__lx *from,
                   const kf__lx *to) {
    kf__put_call(L, kf__l_call(L, "kf_widen_f16", KF__I64,
                               kf__l_bin(L, "+", kf__l_var(L, floats), from),
                               kf__l_bin(L, "+", kf__l_var(L, halves), from),
                               kf__l_bin(L, "-", to, from)));
}

void kf__cpu_put_floats(kf__low *L, const kf__cpu_block *b, const char *name, const char *halves,
                        const kf__lx *from, const kf__lx *to) {
    kf__put_var(L, "float", name, b->most, NULL);
    kf__cpu_widen(L, name, halves, from, to);
}

/* Which of b->into instruction i is; -1: none. */
static int array_of(const kf__cpu_block *b, uint32_t i) {
    for (uint32_t k = 0; b->into && k < b->into->n; ++k)
        if (b->into->instr[k] == i) return (int)k;
    return -1;
}

bool kf__cpu_goes_into(const kf__cpu_block *b, uint32_t i) { return array_of(b, i) >= 0; }

bool kf__cpu_is_put_into(const kf__cpu_block *b, uint32_t i) {
    int k = array_of(b, i);
    return k >= 0 && b->put[k];
}

void kf__cpu_put_array(kf__low *L, kf__cpu_block *b, uint32_t i, const char *type,
                       const char *name) {
    int k = array_of(b, i);
    if (k < 0) {
        kf__put_var(L, type, name, b->most, NULL);
        return;
    }
    kf__put_let(L, kf__l_name(L, "%s *", type), name,
                kf__l_bin(L, "+", kf__l_var(L, b->into->name[k]), b->into_at), NULL);
    b->put[k] = true;
}

/* A half that the loop computes with: as floats before it, see kf_widen_f16. */
static void put_widened(kf__low *L, kf__cpu_block *b, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const char *row = b->tile[in->access];
    if (!b->widens || in->kind != KF__I_LOAD || L->operands[in->access].dtype != KF__F16 ||
        L->value[i] || b->pick[i])
        return;
    if (!kf__cpu_is_guard_known(L, b, i)) return;
    if (!row && (L->operands[in->access].row || kf__low_step(L, in->access) != 1)) return;
    const char *name = kf__l_name(L, "wide%u_%s", (unsigned)i, L->operands[in->access].name);
    kf__cpu_put_array(L, b, i, "float", name);
    kf__cpu_widen(L, name, row ? row : kf__cpu_from(L, b, i), kf__l_int(L, 0), b->len);
    b->pick[i] = name;
}

/* Is it made of what the line's elements share, all of which is there? */
static bool is_shared(const kf__low *L, const kf__cpu_block *b, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    bool made = in->kind == KF__I_OP || in->kind == KF__I_CAST;
    if (!made || L->value[i] || b->pick[i] || !kf__low_is_same(L, i)) return false;
    bool there = true;
    for (int a = 0; a < in->n_args; ++a) {
        const kf__lx *value = L->value[in->args[a]];
        there = there && (value ? value->kind == KF__L_VAR
                                : L->k->instrs[in->args[a]].kind == KF__I_CONSTANT);
    }
    return there;
}

/* Pointers, random words and values that don't change along the block, before its loop. */
void kf__cpu_prepare(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    kf__mask *fixed = L->k->n_symbols ? kf__low_fixed(L, mask) : NULL;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        if ((fixed && kf__has(fixed, i) && !L->value[i]) || is_shared(L, b, i))
            kf__low_put_fixed(L, i);
        if (in->kind == KF__I_PICK) kf__cpu_put_picks(L, b, i);
        if (in->kind == KF__I_RANDOM && b->tile[in->access])
            b->random[in->access] = b->tile[in->access];
        if (kf__cpu_lies_apart(L, in) && !b->tile[in->access] && !L->value[i] &&
            kf__cpu_is_guard_known(L, b, i))
            kf__cpu_put_strided(L, b, in->access, kf__l_int(L, 0), b->len);
        if (in->kind == KF__I_LOAD && !b->tile[in->access]) {
            kf__cpu_need_pointer(L, b, in->access);
            kf__cpu_put_from(L, b, i);
            bool guarded = in->n_args && !b->from[i];
            if (kf__low_step(L, in->access) == 0 && !L->value[i] && !guarded) {
                const kf__lx *p = kf__l_var(L, kf__cpu_from(L, b, i));
                L->value[i] = kf__put_let(L, kf__ctype(in->dtype),
                                          kf__l_name(L, "v%u", (unsigned)i),
                                          kf__low_load(L, in->access, p, kf__l_int(L, 0)), NULL);
            }
        }
        put_widened(L, b, i);
        if (has_words(L, b, i) && !kf__cpu_is_in_picks(L, mask, i)) put_words(L, b, i, NULL, NULL);
    }
    if (L->k->n_symbols && !b->by_groups) kf__cpu_put_elements(L, b, mask, NULL, NULL);
    kf__cpu_put_chains(L, b, mask, NULL, NULL, NULL);
}

int64_t kf__cpu_core_bytes(const kf__low *L) {
    return L->target->core_bytes ? L->target->core_bytes : KF__CORE_BYTES;
}

bool kf__cpu_comes_from_far(const kf__low *L) {
    return kf__low_bytes(L) >= kf__cpu_core_bytes(L) / 2;
}

/* Of several reduced axes, how far the same part of a later line is: lines of one row are as far
 * apart as rows are long, which no processor foresees. The row's last lines ask for the first ones
 * of what is next; where a row has few lines, all do. *is: a word, 0: none is asked for. */
static const kf__lx *lines_distance(kf__low *L, uint32_t access, const kf__lx **is) {
    const kf__operand *o = &L->operands[access];
    int line = -1, row = -1, above = -1; /* the innermost kept axis, and reduced one above lines */
    for (int m = 0; m < kf__last(L); ++m)
        if (L->axes[m].reduced) above = line, line = m;
        else row = m;
    int64_t bytes = L->axes[kf__last(L)].size * kf__types[o->dtype].size;
    int64_t ahead = kf__ceil_div(KF__LINES_AHEAD, kf__max(1, bytes)), by = 0, turned = 0, near = 0;
    if (kf__has_symbols(L, access) || !o->affine || line < 0 || !o->varies[line]) return NULL;
    int next = above >= 0 ? above : row;
    int64_t size = L->axes[line].size, further = next >= 0 ? o->stride[next] : 0;
    if (size >= 2 * ahead) {
        by = ahead * o->stride[line];
        turned = by - size * o->stride[line] + further;
        near = size - ahead;
    } else if (row >= 0 && o->varies[row]) {
        by = turned = o->stride[row];
    }
    if (!kf__cpu_comes_from_far(L)) by = 0;
    *is = kf__word_int(L, kf__l_name(L, "ahead_%s", o->name), by);
    const kf__lx *there = kf__l_bin(L, "<", kf__l_var(L, L->axes[line].var),
                                    kf__word_int(L, kf__l_name(L, "near_%s", o->name), near));
    return kf__l_select(L, there, *is,
                        kf__word_int(L, kf__l_name(L, "turned_%s", o->name), turned));
}

static const kf__lx *next_distance(kf__low *L, uint32_t access, bool next_row) {
    if (!next_row) return kf__l_int(L, KF__CPU_BLOCK);
    int kept = kf__low_only_kept(L);
    if (kept < 0 || !L->operands[access].varies[kept]) return NULL;
    if (kf__has_symbols(L, access)) return NULL; /* where the next one is read isn't known */
    const kf__lx *row = kf__word_stride(L, access, kept);
    return L->together ? kf__l_bin(L, "*", row, L->together) : row;
}

/* Of a pad of edges most parts have a few elements of the block: asking for all of each would take
 * longer than reading them. */
static bool is_one_of_many(const kf__low *L, const kf__mask *mask, uint32_t load) {
    uint32_t n = 0, value = L->operands[L->k->instrs[load].access].access->value;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        n += kf__has(mask, i) && in->kind == KF__I_LOAD && in->n_args &&
             L->operands[in->access].access->value == value;
    }
    return L->k->instrs[load].n_args && n > 2;
}

/* Ask for the lines of a block that an access has at a distance from this one's. */
static void prefetch(kf__low *L, const kf__cpu_block *b, uint32_t access, const kf__lx *distance,
                     const char *function) {
    kf__cpu_need_pointer(L, b, access);
    const kf__lx *l = kf__l_var(L, "l"), *from = kf__l_var(L, L->pointer[access]);
    int64_t per_line = kf__cpu_per_line(L, access);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), b->len, kf__l_int(L, per_line), KF__SERIAL);
    const kf__lx *at = kf__l_bin(L, "+", kf__l_bin(L, "+", from, distance), l);
    kf__put_call(L, kf__l_call(L, function, KF__I64, at));
    kf__close(L);
}

void kf__cpu_prefetch_line(kf__low *L, const kf__cpu_block *b, uint32_t access,
                           const kf__lx *distance) {
    kf__cpu_need_pointer(L, b, access);
    const kf__lx *at = kf__l_bin(L, "+", kf__l_var(L, L->pointer[access]), distance);
    kf__cpu_prefetch_run(L, access, at, b->len);
}

/* Is what comes next worth asking for? To ask takes a twentieth of a short row's time, a sixth of
 * one of a few vectors, and what a core has in its own cache needn't be asked for. */
static bool is_far(const kf__low *L) {
    return kf__cpu_comes_from_far(L) && L->axes[kf__last(L)].size > KF__SHORT_LINE;
}

const kf__lx *kf__cpu_is_far(kf__low *L) { return kf__word_int(L, "far", is_far(L)); }

void kf__cpu_prefetch(kf__low *L, const kf__cpu_block *b, const kf__mask *mask, bool next_row) {
    if (kf__cpu_scatters(L)) return;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || in->kind != KF__I_LOAD || kf__low_step(L, in->access) != 1)
            continue;
        if (L->operands[in->access].row || is_one_of_many(L, mask, i)) continue;
        const kf__lx *is = NULL, *distance;
        bool lines = !next_row && kf__low_reduced_axes(L) > 1;
        if (lines) distance = lines_distance(L, in->access, &is);
        else distance = next_distance(L, in->access, next_row);
        if (!distance) continue;
        kf__open_if(L, lines ? kf__l_bin(L, "!=", is, kf__l_int(L, 0)) : kf__cpu_is_far(L));
        if (lines) kf__cpu_prefetch_line(L, b, in->access, distance);
        else prefetch(L, b, in->access, distance, next_row ? "kf_prefetch_far" : "kf_prefetch");
        kf__close(L);
    }
}

bool kf__cpu_is_backwards(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    int64_t step = o->stride[kf__last(L)];
    return step < 0 && -step * kf__types[o->dtype].size <= KF__BACK_BYTES;
}

void kf__cpu_ask_backwards(kf__low *L, kf__cpu_block *b, uint32_t access, const kf__lx *distance) {
    const kf__operand *o = &L->operands[access];
    bool asked = kf__cpu_comes_from_far(L) && kf__cpu_is_backwards(L, access);
    const kf__lx *back = kf__word_int(L, kf__l_name(L, "back_%s", o->name),
                                      asked ? -o->stride[kf__last(L)] : 0);
    kf__cpu_need_pointer(L, b, access);
    kf__open_if(L, back);
    const kf__lx *run = kf__l_bin(L, "*", back, b->len);
    const kf__lx *at = kf__l_bin(L, "+", kf__l_var(L, L->pointer[access]), distance);
    kf__cpu_prefetch_run(L, access, kf__l_bin(L, "-", at, run), run);
    kf__close(L);
}

void kf__cpu_ask_for_rows_backwards(kf__low *L, kf__cpu_block *b, const kf__mask *mask, int axis,
                                    const kf__lx *rows) {
    for (uint32_t i = 0; axis >= 0 && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || !kf__cpu_is_strided(L, in) || L->value[i]) continue;
        if (!L->operands[in->access].varies[axis]) continue;
        const kf__lx *row = kf__word_stride(L, in->access, axis);
        kf__cpu_ask_backwards(L, b, in->access, rows ? kf__l_bin(L, "*", row, rows) : row);
    }
}

/* Is it said to be read the other way along the axis, as x[::-1] is? */
static bool goes_up(kf__low *L, uint32_t access, int axis) {
    kf__exprs *pool = &L->p->graph->exprs;
    const kf__access *a = L->operands[access].access;
    kf__expr by[KF__ALL_AXES], offset;
    bool up = false;
    for (int d = 0; d < a->rank; ++d) {
        int64_t step;
        memset(by, 0, sizeof by);
        if (!kf__x_affine(pool, a->index[d], KF__ALL_AXES, by, &offset)) return false;
        kf__expr along = by[L->axes[axis].original];
        up = up || (along && kf__x_is_const(pool, along, &step) && step < 0);
    }
    return up;
}

void kf__cpu_ask_upwards(kf__low *L, kf__cpu_block *b, const kf__mask *mask, int axis) {
    enum { AHEAD = 4 }; /* rows */
    for (uint32_t i = 0; axis >= 0 && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || in->kind != KF__I_LOAD || in->n_args || L->value[i]) continue;
        if (kf__low_step(L, in->access) != 1 || kf__has_symbols(L, in->access)) continue;
        if (L->operands[in->access].row || !goes_up(L, in->access, axis)) continue;
        bool far = kf__low_bytes(L) >= kf__cpu_core_bytes(L) / 4;
        kf__open_if(L, kf__word_int(L, "up", far));
        kf__cpu_prefetch_line(L, b, in->access,
                              kf__l_bin(L, "*", kf__l_int(L, AHEAD),
                                        kf__word_stride(L, in->access, axis)));
        kf__close(L);
    }
}

/* AMD's fetch lines that are stored in time, but for rows with gaps, and where loads from all over
 * the row come before. Of x - mean(x, 1) 317x316, in the caches, a Zen 4 takes 15.7 us where it is
 * asked for them, and 13.2, of softmax(x * s) * 2 of 1000x1000 from memory 660 us and 500, but of
 * softmax(take_along_axis(x, i, 1)) 1930 and 2050, and of concatenate([layer_norm(x),
 * layer_norm(y)], 1) of 317x316 100 and 158; a Sapphire Rapids of rms_norm(x, w) 800 and 920. */
static bool asks_for(const kf__low *L, uint32_t access) {
    bool gaps = L->operands[access].stride[kf__low_only_kept(L)] != L->axes[kf__last(L)].size;
    return is_far(L) && (!L->target->amd || L->k->n_symbols || gaps);
}

/* The processor's own prefetch follows results that are whole rows, not parts of them. */
void kf__cpu_prefetch_stores(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                             uint32_t n) {
    for (uint32_t s = 0; s < n; ++s) {
        uint32_t access = L->k->stores[stores[s]].access;
        if (kf__low_step(L, access) != 1) continue;
        const kf__lx *distance = next_distance(L, access, true);
        if (!distance) continue;
        kf__cpu_need_pointer(L, b, access);
        const kf__lx *far = kf__word_int(L, kf__l_name(L, "far_%s", L->operands[access].name),
                                         asks_for(L, access));
        if (!L->held)
            far = kf__l_bin(L, "&&", far,
                            kf__l_bin(L, "==", kf__cpu_stream_of(L, access), kf__l_int(L, 0)));
        kf__open_if(L, far);
        prefetch(L, b, access, distance, "kf_prefetch_write");
        kf__close(L);
    }
}

/* The FULL instructions of `mask`, for element l of the block. */
void kf__cpu_body(kf__low *L, const kf__cpu_block *b, const kf__mask *mask, const kf__lx *l) {
    const kf__lx *at = L->at = kf__cpu_last(L, b, l);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || L->value[i]) continue;
        const char *name = kf__l_name(L, "v%u", (unsigned)i);
        if (b->pick[i]) {
            L->value[i] = kf__l_item(L, b->pick[i], l);
            if (kf__has(b->raw, i))
                L->value[i] = kf__l_call(L, kf__l_name(L, "kf_load_%s", kf__types[in->dtype].alias),
                                         KF__F32, kf__l_var(L, b->pick[i]), l);
            if (b->inside && kf__has(b->in_place, i))
                L->value[i] = kf__put_let(
                    L, kf__ctype(in->dtype), name,
                    kf__l_select(L, b->inside, L->value[i], kf__l_const(L, in->dtype, 0, 0)), NULL);
        } else if (in->kind == KF__I_LOAD) {
            const char *row = b->tile[in->access];
            const kf__lx *p = kf__l_var(L, row ? row : kf__cpu_from(L, b, i));
            const kf__lx *index = row ? l : kf__element(L, in->access, l, at);
            const kf__lx *load = kf__low_load(L, in->access, p, index);
            if (!b->from[i]) load = kf__guarded(L, in, load, at);
            if (b->inside && (!row || L->tile >= 0))
                load = kf__l_select(L, b->inside, load, kf__l_const(L, in->dtype, 0, 0));
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name, load, NULL);
        } else if (in->kind == KF__I_RANDOM && b->random[in->access]) {
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name,
                                      kf__l_item(L, b->random[in->access], l), "random bits");
        } else if (in->kind == KF__I_RANDOM) {
            const kf__operand *o = &L->operands[in->access];
            const kf__lx *index = kf__low_offset(L, in->access, at);
            if (o->affine)
                index = kf__l_bin(
                    L, "+", kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset), index);
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name,
                                      kf__random_call(L, in, index), "random bits");
        } else if (kf__cpu_is_pick_or_zero(L, b, i)) {
            L->value[i] = L->value[in->args[1]];
        } else {
            kf__put_instr(L, i);
        }
    }
}

/* Values of FULL instructions end with their loop. `mask` NULL: all of them. */
void kf__cpu_forget(kf__low *L, const kf__mask *keep) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__at_level(L, i, KF__LEVEL_FULL) && !(keep && kf__has(keep, i)))
            L->value[i] = NULL;
}

/* ---------------------------------------------------------------- stores of a block */

static bool streams(const kf__low *L, uint32_t s) { /* no short lines */
    return !L->held && kf__low_step(L, L->k->stores[s].access) == 1;
}

/* Do an operand's runs begin lines of the cache? Of a tile they are short: parts of lines that pass
 * it would take most of the time. */
static bool fills_lines(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    int size = kf__types[o->dtype].size;
    if (kf__low_tiled(L, access) && L->axes[L->tile].reduced && size == 1)
        return false; /* 64 rows of columns: one line */
    for (int m = 0; m < L->n_axes; ++m)
        if (o->varies[m] && !o->along[m].unit && o->stride[m] * size % 64 != 0) return false;
    return true;
}

static bool reduces_rows(const kf__low *L) {
    return L->n_axes && L->axes[kf__last(L)].reduced;
}

static bool is_read_later(const kf__operand *o) {
    return o->packed || o->value->kind == KF__VALUE_TEMP;
}

/* Will the rest of the program find it in the caches? */
static bool stays(const kf__low *L, const kf__operand *o, int64_t bytes) {
    return is_read_later(o) && bytes <= L->target->cache_bytes / 4;
}

static bool may_pass(const kf__low *L, uint32_t s) { /* the caches */
    return streams(L, s) || kf__low_tiled(L, L->k->stores[s].access);
}

/* What is read later stays in the caches though results beside it pass them: h = x / y; h * 2,
 * h[:, ::-1] of 1024x1024 takes a Zen 4 510 us warm then, and 700 if h passes them, too. */
static bool stays_apart(const kf__low *L, uint32_t access) {
    bool results = false;
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        results = results ||
                  (may_pass(L, s) && !is_read_later(&L->operands[L->k->stores[s].access]));
    return results && is_read_later(&L->operands[access]);
}

static const char *stream_of(kf__low *L, uint32_t access) {
    if (!stays_apart(L, access)) return "stream";
    return kf__l_name(L, "stream_%s", L->operands[access].name);
}

const kf__lx *kf__cpu_stream_of(kf__low *L, uint32_t access) {
    return kf__l_var(L, stream_of(L, access));
}

static void put_words_apart(kf__low *L, bool large) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s) {
        uint32_t access = L->k->stores[s].access;
        const kf__operand *o = &L->operands[access];
        if (!may_pass(L, s) || !stays_apart(L, access)) continue;
        bool passes = L->target->streams ? s % 2 : large && !stays(L, o, kf__low_bytes_of(L, access));
        kf__word_int(L, stream_of(L, access), passes);
    }
}

/* Rows, too, may begin no lines. Of halves and bytes these aren't streamed: where(k, x - mean(x,
 * 1), 0) in bf16 of 3163x3161 takes a Zen 4 3.1 ms, streamed 3.9 (a Sapphire Rapids 5.6 and 5.4),
 * x + z.T in f16 4.9 and 7.3 (7.7 and 10). Beside twice as many bytes of wider types that come of
 * reduced rows they are: layer_norm(x), x > 0 of 3163x3161 5.1 ms, streamed 3.6 (12 and 6.9). Nor
 * is less than 16 MiB of a tile's, which are parts of rows: pad(z.T, 1) of 1024x1024 takes a Zen 4
 * 675 us, streamed 860; x + z.T of 3161x3163 6.7 ms and 7.5, but a Sapphire Rapids 12 and 10. */
bool kf__cpu_stream_word_if(kf__low *L, bool wins) {
    int64_t bytes = 0, largest = 0, staying = 0, narrow = 0;
    bool any = false, lines = true, parts = false, apart = false;
    for (uint32_t s = 0; s < L->k->n_stores; ++s) {
        uint32_t access = L->k->stores[s].access;
        const kf__operand *o = &L->operands[access];
        bool tiled = kf__low_tiled(L, access);
        if (!may_pass(L, s)) continue;
        any = true;
        int64_t n = kf__types[o->dtype].size;
        bool fills = fills_lines(L, access);
        bool parts_of_lines = !fills && (tiled || (n <= 2 && !L->run));
        lines = lines && (!parts_of_lines || (!tiled && reduces_rows(L)));
        parts = parts || (!fills && !tiled && L->tile >= 0 && !L->k->reduced);
        n = kf__low_bytes_of(L, access);
        if (parts_of_lines) narrow += n;
        if (stays(L, o, n)) staying += n;
        else bytes += n, largest = kf__max(largest, n);
        apart = apart || stays_apart(L, access);
    }
    int64_t line = L->run ? L->run : L->n_axes ? L->axes[kf__last(L)].size : 0;
    if (L->tile >= 0) line = kf__min(4 * line, 16 * L->axes[L->tile].size); /* runs of a tile */
    if (L->tile >= 0) largest = bytes; /* what is turned would have each line fetched for a part */
    bool large = largest >= KF__STREAM_BYTES || bytes >= KF__STREAMS_BYTES;
    if (parts) large = bytes >= KF__STREAMS_BYTES;
    lines = lines && narrow <= (bytes + staying) / 3;
    large = large && wins && (apart || bytes >= staying) && line >= 256 && lines;
    if (any) kf__word_int(L, "stream", large || L->target->streams);
    if (apart) put_words_apart(L, large);
    return any;
}

bool kf__cpu_stream_word(kf__low *L) { return kf__cpu_stream_word_if(L, true); }

const kf__lx *kf__cpu_in_piece(kf__low *L, const kf__cpu_block *b, const kf__lx *l) {
    return l == b->piece ? kf__l_int(L, 0) : kf__l_bin(L, "-", l, b->piece);
}

static const kf__lx *piece_pointer(kf__low *L, const kf__cpu_block *b, uint32_t access) {
    return kf__l_bin(L, "+", kf__l_var(L, L->pointer[access]), b->piece);
}

bool kf__cpu_lies_as_stored(const kf__low *L, const kf__cpu_block *b, uint32_t load,
                            uint32_t store) {
    uint8_t type = L->operands[store].dtype;
    return !L->held && type == L->operands[load].dtype && type != KF__BOOL && !b->tile[load] &&
           !b->tile[store] && kf__low_step(L, load) == 1 && kf__low_step(L, store) == 1;
}

void kf__cpu_open_uncopied(kf__low *L, uint32_t access, const char *source, const kf__lx *from,
                           const kf__lx *to) {
    const kf__lx *size = kf__l_int(L, kf__types[L->operands[access].dtype].size);
    kf__open_if(L, kf__cpu_stream_of(L, access));
    kf__put_call(L, kf__l_call(L, "kf_stream_copy", KF__I64,
                               kf__l_bin(L, "+", kf__l_var(L, L->pointer[access]), from),
                               kf__l_bin(L, "+", kf__l_var(L, source), from),
                               kf__l_bin(L, "*", kf__l_bin(L, "-", to, from), size)));
    kf__open_else(L);
}

/* Of each store that is streamed: where the piece goes, and for kf_stream_copy its buffer.
 * kf_stream_ahead is called for the next row's, too, which then is there in time. */
static void put_stream_calls(kf__low *L, const kf__cpu_block *b, const uint16_t *stores,
                             uint32_t n, const char *function) {
    bool copies = !strcmp(function, "kf_stream_copy");
    const char *open = NULL;
    for (uint32_t i = 0; i < n; ++i) {
        if (!streams(L, stores[i])) continue;
        uint32_t access = L->k->stores[stores[i]].access;
        const char *stream = stream_of(L, access);
        if (open && strcmp(open, stream) != 0) kf__close(L), open = NULL;
        if (!open) kf__open_if(L, kf__l_var(L, stream));
        open = stream;
        const kf__lx *to = piece_pointer(L, b, access);
        const kf__lx *from = kf__l_var(L, kf__l_name(L, "buffer%u", (unsigned)stores[i]));
        const kf__lx *size = kf__l_int(L, kf__types[L->operands[access].dtype].size);
        const kf__lx *bytes = kf__l_bin(L, "*", kf__cpu_in_piece(L, b, b->end), size);
        kf__put_call(L, copies ? kf__l_call(L, function, KF__I64, to, from, bytes)
                               : kf__l_call(L, function, KF__I64, to, bytes));
        const kf__lx *row = copies || !reduces_rows(L) ? NULL : next_distance(L, access, true);
        if (row)
            kf__put_call(L, kf__l_call(L, function, KF__I64, kf__l_bin(L, "+", to, row), bytes));
    }
    if (open) kf__close(L);
}

bool kf__cpu_is_half(const kf__low *L, uint16_t s) {
    const kf__store *store = &L->k->stores[s];
    return L->operands[store->access].dtype == KF__F16 &&
           kf__at_level(L, store->instr, KF__LEVEL_FULL) &&
           (kf__low_tiled(L, store->access) || kf__low_step(L, store->access) == 1);
}

void kf__cpu_store_targets(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t access = L->k->stores[stores[i]].access;
        uint16_t value = kf__cpu_unrounded(L, stores[i]);
        bool floats = kf__compute((kf__dtype)L->k->instrs[value].dtype) == KF__F32 &&
                      !kf__has(b->raw, value);
        b->half[i] = b->made[i] = NULL;
        const kf__lx *item = L->value[value];
        if (b->narrows && kf__cpu_is_half(L, stores[i]) && floats && b->pick[value] &&
            (!item || item->kind == KF__L_ITEM)) {
            b->half[i] = b->made[i] = b->pick[value];
        } else if (b->narrows && kf__cpu_is_half(L, stores[i])) {
            b->half[i] = kf__l_name(L, "half%u", (unsigned)stores[i]);
            kf__put_var(L, "float", b->half[i], b->most + KF__CPU_VECTOR, NULL);
        }
        if (b->tile[access]) {
            b->target[i] = b->tile[access];
            continue;
        }
        kf__cpu_need_pointer(L, b, access);
        b->target[i] = L->pointer[access];
        if (!streams(L, stores[i])) continue;
        const char *stored = kf__types[L->operands[access].dtype].stored;
        const char *buffer = kf__l_name(L, "buffer%u", (unsigned)stores[i]);
        b->target[i] = kf__l_name(L, "to%u", (unsigned)stores[i]);
        int size = kf__types[L->operands[access].dtype].size;
        int64_t apart = L->k->reduced ? KF__APART_BYTES / size : 0;
        kf__put_var(L, stored, buffer, (b->streamed ? b->streamed : b->most) + apart, NULL);
        kf__put_let(L, kf__l_name(L, "%s *", stored), b->target[i],
                    kf__l_select(L, kf__cpu_stream_of(L, access), kf__l_var(L, buffer),
                                 piece_pointer(L, b, access)), NULL);
    }
    if (!b->streamed) put_stream_calls(L, b, stores, n, "kf_stream_ahead");
}

uint16_t kf__cpu_unrounded(const kf__low *L, uint16_t s) {
    const kf__store *store = &L->k->stores[s];
    const kf__instr *in = &L->k->instrs[store->instr];
    kf__dtype stored = (kf__dtype)L->operands[store->access].dtype;
    bool half = stored != KF__F32 && kf__compute(stored) == KF__F32;
    bool rounds = half && in->level == KF__LEVEL_FULL && in->kind == KF__I_CAST &&
                  (kf__dtype)in->dtype == stored &&
                  kf__compute((kf__dtype)L->k->instrs[in->args[0]].dtype) == KF__F32;
    return rounds ? in->args[0] : store->instr;
}

int kf__cpu_rounded(const kf__low *L, const kf__mask *mask, uint16_t s) {
    uint16_t of = kf__cpu_unrounded(L, s);
    uint8_t type = L->operands[L->k->stores[s].access].dtype;
    if (type == KF__F32 || kf__compute((kf__dtype)type) != KF__F32) return -1;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_CAST && in->dtype == type && in->args[0] == of)
            return (int)i;
    }
    return -1;
}

/* Of a cast to a half what it is taken of, where that is there: the store rounds it anyway. Of a
 * row's value it is another loop's over the rows. */
static const kf__lx *stored_value(kf__low *L, uint16_t s) {
    uint16_t value = kf__cpu_unrounded(L, s);
    return L->value[value] ? L->value[value] : kf__value_of(L, L->k->stores[s].instr);
}

const kf__lx *kf__cpu_store_index(kf__low *L, const kf__cpu_block *b, uint16_t store,
                                  const kf__lx *l) {
    uint32_t access = L->k->stores[store].access;
    if (b->tile[access]) return l;
    return streams(L, store) ? kf__cpu_in_piece(L, b, l)
                             : kf__element(L, access, l, kf__cpu_last(L, b, l));
}

void kf__cpu_stores(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                    const kf__lx *l) {
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t access = L->k->stores[stores[i]].access;
        const kf__lx *value = stored_value(L, stores[i]);
        if (b->made[i]) continue;
        if (b->half[i])
            kf__put_set(L, kf__l_item(L, b->half[i], kf__cpu_in_piece(L, b, l)), value);
        else
            kf__put_store(L, access, b->target[i], kf__cpu_store_index(L, b, stores[i], l), value);
        if (!b->again[i] || b->half[i]) continue;
        const char *type = kf__types[L->operands[access].dtype].alias;
        kf__put_set(L, kf__l_item(L, b->again[i], l),
                    kf__l_call(L, kf__l_name(L, "kf_round_%s", type), KF__F32, value));
    }
}

bool kf__cpu_are_made(const kf__cpu_block *b, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
        if (!b->made[i]) return false;
    return true;
}

void kf__cpu_flush(kf__low *L, const kf__cpu_block *b, const uint16_t *stores, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
        if (!b->half[i]) continue;
        const kf__lx *to = kf__l_bin(L, "+", kf__l_var(L, b->target[i]),
                                     kf__cpu_store_index(L, b, stores[i], b->piece));
        const kf__lx *len = kf__cpu_in_piece(L, b, b->end);
        const kf__lx *from = kf__l_var(L, b->half[i]);
        if (b->made[i]) from = kf__l_bin(L, "+", from, b->piece);
        kf__put_call(L, kf__l_call(L, "kf_narrow_f16", KF__I64, to, from, len));
        if (!b->again[i]) continue;
        const kf__lx *again = kf__l_bin(L, "+", kf__l_var(L, b->again[i]), b->piece);
        kf__put_call(L, kf__l_call(L, "kf_widen_f16", KF__I64, again, to, len));
    }
    put_stream_calls(L, b, stores, n, "kf_stream_copy");
}

/* Where the block is large, what is streamed would push what is read out of L1, and nothing would
 * be read while it leaves: by pieces that are a few hundred instructions, the processor does both.
 * x + y of 12M took a Zen 4 6.9 ms, then 4.5; what reads one array, best by longer ones. Pieces
 * begin at lines, of the first store at least. */
static void open_pieces(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                        const kf__lx **from, const kf__lx **to) {
    int first = -1, widest = 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t access = L->k->stores[stores[i]].access;
        if (!streams(L, stores[i]) || b->tile[access]) continue;
        if (first < 0) kf__open_block(L);
        if (first < 0 || stays_apart(L, (uint32_t)first)) first = (int)access;
        kf__cpu_need_pointer(L, b, access);
        int size = kf__types[L->operands[access].dtype].size;
        if (size > widest) widest = size;
    }
    if (first < 0) return;
    b->piece = *from;
    b->end = *to;
    int64_t most = KF__PIECE_BYTES / widest << (L->k->n_accesses <= 2);
    b->streamed = L->k->reduced ? kf__max(most, KF__WHOLE_BYTES / widest) : most;
    put_stream_calls(L, b, stores, n, "kf_stream_ahead");
    const kf__lx *stream = kf__l_var(L, "stream");
    const kf__lx *past = kf__l_bin(
        L, "/", kf__l_call(L, "kf_stream_skew", KF__I64, piece_pointer(L, b, (uint32_t)first)),
        kf__l_int(L, kf__types[L->operands[first].dtype].size));
    const kf__lx *longest = kf__l_int(L, b->streamed), *size = kf__l_int(L, most);
    if (b->streamed > most)
        size = kf__l_select(L, kf__l_bin(L, "<=", b->len, longest), longest, size);
    size = kf__put_let(L, "int64_t", "size",
                       kf__l_select(L, stream, size, kf__l_int(L, b->most)), "of a piece");
    const kf__lx *start = kf__put_let(
        L, "int64_t", "start", kf__l_select(L, stream, kf__l_bin(L, "-", *from, past), *from),
        NULL);
    kf__open_for(L, "int64_t", "piece", start, *to, size, KF__SERIAL);
    const kf__lx *piece = kf__l_var(L, "piece"), *end = kf__l_bin(L, "+", piece, size);
    b->piece = kf__put_let(L, "int64_t", "l0", kf__l_call(L, "kf_max_i64", KF__I64, piece, *from),
                           NULL);
    b->end = kf__put_let(L, "int64_t", "l1", kf__l_call(L, "kf_min_i64", KF__I64, end, *to), NULL);
    *from = b->piece;
    *to = b->end;
}

void kf__cpu_open_pieces(kf__low *L, kf__cpu_block *b, const uint16_t *stores, uint32_t n,
                         const kf__lx **from, const kf__lx **to) {
    open_pieces(L, b, stores, n, from, to);
    kf__cpu_store_targets(L, b, stores, n);
}

void kf__cpu_close_pieces(kf__low *L, kf__cpu_block *b) {
    if (!b->streamed) return;
    b->piece = kf__l_int(L, 0);
    b->end = b->len;
    b->streamed = 0;
    kf__close(L);
    kf__close(L);
}

void kf__cpu_fence(kf__low *L) {
    kf__open_if(L, kf__l_var(L, "stream"));
    kf__put_call(L, kf__l_callv(L, "kf_stream_fence", KF__I64, 0, NULL));
    kf__close(L);
}

/* ---------------------------------------------------------------- tiles */

const char *kf__cpu_corner(kf__low *L, uint32_t access) {
    return kf__l_name(L, "corner%u", (unsigned)access);
}

void kf__cpu_put_transpose(kf__low *L, uint32_t access, const char *function, const kf__lx *to,
                           const kf__lx *to_pitch, const kf__lx *from, const kf__lx *from_pitch,
                           const kf__lx *n, const kf__lx *m) {
    const char *name = kf__l_name(L, "%s%d", function, kf__types[L->operands[access].dtype].size);
    kf__put_call(L, kf__l_call(L, name, KF__I64, to, to_pitch, from, from_pitch, n, m));
}

bool kf__cpu_turns_bytes(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    return o->store && kf__low_tiled(L, access) && kf__types[o->dtype].size == 1;
}

void kf__cpu_flush_tile(kf__low *L, uint32_t access, const char *from, const kf__lx *pitch,
                        const kf__lx *n, const kf__lx *m, const kf__lx *wide) {
    const kf__lx *to = kf__l_var(L, kf__cpu_corner(L, access)), *tile = kf__l_var(L, from);
    const kf__lx *stride = kf__word_stride(L, access, kf__last(L));
    bool turns = wide && kf__cpu_turns_bytes(L, access);
    if (turns) {
        kf__open_if(L, wide);
        kf__cpu_put_transpose(L, access, "kf_turn", to, stride, tile, pitch, n, m);
        kf__open_else(L);
    }
    kf__open_if(L, kf__cpu_stream_of(L, access));
    kf__cpu_put_transpose(L, access, "kf_stream_transpose", to, stride, tile, pitch, n, m);
    kf__open_else(L);
    kf__cpu_put_transpose(L, access, "kf_transpose", to, stride, tile, pitch, n, m);
    kf__close(L);
    if (turns) kf__close(L);
}
