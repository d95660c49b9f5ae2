/* Pointwise kernels whose lines have no gaps, and that read some array again for each line:
 *
 *     relu(x + b)      x and the result are one run; of b, one line
 *
 *     kf_repeat(lines_in_b, in_b, ...)            b again and again, a block of it and a line more
 *     for (u = begin; u < end; ++u)               a block of the run
 *         p1_in_b = lines_in_b + first % n1       begins anywhere in a line
 *
 *     x - mean(x, axis=1, keepdims=True)          of each outer index one run, and a line for it
 *
 * A line alone costs some elements at its end that its vectors leave, seven bytes of 103 as long as
 * the others together, and a division to find it. Where lines have gaps, or are long, or few, they
 * go one by one: that is a matter of words, not of the text. */
#include "lower/cpu.h"

enum {
    LONGEST = KF__REPEATED - KF__CPU_BLOCK, /* elements of a line */
    SHORT_BYTES = 512,   /* of a line: to repeat it takes less than to begin so many */
    MANY = 16,           /* blocks, for which longer lines are repeated too */
    ALL_BYTES = 24 << 10 /* of what is repeated, which should stay in L1 */
};

/* Is an operand the same for all lines of a run? */
static bool repeats(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    return !o->store && o->varies[kf__last(L)] && !o->varies[kf__before_last(L)];
}

/* Does the run have it, or its line, or one element of it? */
static bool fits(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    int m = kf__before_last(L), last = kf__last(L);
    if (!o->affine || o->row) return false;
    if (!o->value) return o->varies[m] && o->varies[last] && o->along[last].unit; /* random bits */
    if (!o->varies[last]) return !o->varies[m] && !o->store;
    return o->along[last].unit && (o->varies[m] || !o->store);
}

bool kf__cpu_find_repeats(const kf__low *L, kf__repeats *r) {
    int64_t bytes = 0;
    *r = (kf__repeats){0};
    if (L->n_axes < 2 || L->n_axes > 3 || L->k->n_symbols || L->tile >= 0) return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        uint8_t kind = L->k->instrs[i].kind;
        bool plain = kind == KF__I_OP || kind == KF__I_CAST || kind == KF__I_LOAD ||
                     kind == KF__I_RANDOM;
        if (kind == KF__I_LOAD && L->k->instrs[i].n_args) return false;
        if (!plain && kf__at_level(L, i, KF__LEVEL_FULL)) return false;
    }
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!fits(L, i)) return false;
        if (!repeats(L, i)) continue;
        r->access[r->n++] = (uint16_t)i;
        bytes += KF__REPEATED * kf__types[L->operands[i].dtype].size;
    }
    return r->n && bytes <= ALL_BYTES;
}

int64_t kf__cpu_run(const kf__low *L, const kf__repeats *r) {
    int m = kf__before_last(L);
    int64_t n = L->axes[m + 1].size, widest = 1;
    if (n == 0 || n > LONGEST || L->axes[m].size < 2) return 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (L->operands[i].varies[m] && L->operands[i].stride[m] != n) return 0;
    for (uint32_t i = 0; i < r->n; ++i)
        widest = kf__max(widest, kf__types[L->operands[r->access[i]].dtype].size);
    int64_t all = L->axes[m].size * n;
    return n * widest <= SHORT_BYTES || all >= MANY * KF__CPU_BLOCK ? all : 0;
}

int64_t kf__cpu_runs(const kf__low *L) { return L->n_axes == 3 ? L->axes[0].size : 1; }

/* Tables of what is repeated, of `len` elements. */
static void put_tables(kf__low *L, const kf__repeats *r, const kf__lx *len) {
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), len);
    for (uint32_t i = 0; i < r->n; ++i) L->pointer[r->access[i]] = r->name[i];
    kf__cpu_need_tables(L, &b, r->tables);
    kf__cpu_fill_tables(L, &b, r->tables);
}

/* The lines of this outer index again and again. */
static void put_copies(kf__low *L, const kf__repeats *r) {
    const kf__lx *n = kf__word_size(L, kf__last(L)), *block = kf__l_int(L, KF__CPU_BLOCK);
    const kf__lx *most = kf__l_call(L, "kf_min_i64", KF__I64, r->length, block);
    most = kf__l_bin(L, "+", most, n);
    for (uint32_t i = 0; i < r->n; ++i) {
        uint32_t access = r->access[i];
        const kf__lx *size = kf__l_int(L, kf__types[L->operands[access].dtype].size);
        const kf__lx *line = kf__l_var(L, kf__word_operand(L, access));
        if (L->n_axes == 3) line = kf__l_bin(L, "+", line, kf__low_offset(L, access, NULL));
        kf__put_call(L, kf__l_call(L, "kf_repeat", KF__I64, kf__l_var(L, r->name[i]), line,
                                   kf__l_bin(L, "*", n, size), kf__l_bin(L, "*", most, size)));
    }
    if (r->tables) put_tables(L, r, most);
}

/* Where lines aren't one run, the block's tables are made for the first line that has it. */
static void put_repeated_tables(kf__low *L, kf__cpu_block *b, const kf__repeats *r) {
    const kf__tables *t = r->tables;
    const kf__lx *tabled = kf__l_var(L, "tabled"), *zero = kf__l_int(L, 0);
    kf__open_if(L, kf__l_bin(L, "&&", kf__l_bin(L, "==", r->is, zero),
                             kf__l_bin(L, "!=", b->first, tabled)));
    kf__cpu_fill_tables(L, b, t);
    kf__put_set(L, tabled, b->first);
    kf__close(L);
    const kf__lx *at = kf__l_bin(L, "%", b->first, kf__word_size(L, kf__last(L)));
    for (uint32_t k = 0; k < t->n; ++k) {
        const char *type = kf__ctype((kf__dtype)L->k->instrs[t->kept[k]].dtype);
        const char *name = kf__l_name(L, "at_%s", t->name[k]);
        kf__put_let(L, kf__l_name(L, "const %s *", type), name,
                    kf__l_bin(L, "+", kf__l_var(L, t->name[k]), kf__l_select(L, r->is, at, zero)),
                    NULL);
        b->pick[t->kept[k]] = name;
    }
}

void kf__cpu_put_repeats(kf__low *L, kf__repeats *r) {
    r->length = kf__word_int(L, "length", L->run ? L->run : L->axes[kf__last(L)].size);
    r->is = kf__word_int(L, "run", L->run > 0);
    for (uint32_t i = 0; i < r->n; ++i) {
        r->name[i] = kf__l_name(L, "lines_%s", L->operands[r->access[i]].name);
        kf__put_var(L, kf__types[L->operands[r->access[i]].dtype].stored, r->name[i],
                    KF__REPEATED, NULL);
    }
    if (L->n_axes == 3) {
        r->lines = kf__word_int(L, "run_lines", L->run ? 1 : L->axes[kf__before_last(L)].size);
        r->there = kf__put_var(L, "int64_t", "there", 0, kf__l_int(L, -1));
        return;
    }
    kf__open_if(L, r->is);
    put_copies(L, r);
    kf__close(L);
}

/* The axes but the last one. In a run index 0 stands for all of its lines. */
void kf__cpu_put_of_run(kf__low *L, const kf__repeats *r, const kf__lx *line) {
    const char *type = kf__index_type(L);
    kf__put_let(L, type, L->axes[kf__before_last(L)].var, kf__l_bin(L, "%", line, r->lines), NULL);
    kf__put_let(L, type, L->axes[0].var, kf__l_bin(L, "/", line, r->lines), NULL);
    const kf__lx *outer = kf__l_var(L, L->axes[0].var);
    kf__open_if(L, kf__l_bin(L, "&&", r->is, kf__l_bin(L, "!=", r->there, outer)));
    put_copies(L, r);
    kf__put_set(L, r->there, outer);
    kf__close(L);
}

void kf__cpu_put_repeated(kf__low *L, kf__cpu_block *b, const kf__repeats *r) {
    const kf__lx *n = kf__word_size(L, kf__last(L));
    for (uint32_t i = 0; i < r->n; ++i) {
        uint32_t access = r->access[i];
        const char *name = kf__l_name(L, "p%u_%s", (unsigned)access, L->operands[access].name);
        const kf__lx *alone = kf__l_var(L, kf__word_operand(L, access));
        kf__put_let(L, kf__pointer_type(L, access), name,
                    kf__l_select(L, r->is,
                                 kf__l_bin(L, "+", kf__l_var(L, r->name[i]),
                                           kf__l_bin(L, "%", b->first, n)),
                                 kf__l_bin(L, "+", alone, kf__low_offset(L, access, b->first))),
                    NULL);
        L->pointer[access] = name;
        L->pointer_depth[access] = (uint8_t)L->depth;
    }
    if (!r->tables) return;
    kf__cpu_need_tables(L, b, r->tables);
    put_repeated_tables(L, b, r);
}
