/* Pointwise kernels whose lines have no gaps, and that read some array again for each line:
 *
 *     relu(x + b)      x and the result are one run; of b, one line
 *
 *     kf_repeat(lines_in_b, in_b, ...)            b again and again, a block of it and a line more
 *     for (u = begin; u < end; ++u)               a block of the run
 *         p1_in_b = lines_in_b + first % n1       begins anywhere in a line
 *
 * A line alone costs some elements at its end that its vectors leave, seven bytes of 103 as long as
 * the others together, and a division to find it. Where lines have gaps, or are long, or few, they
 * go one by one: that is a matter of words, not of the text. */
#include "lower/cpu.h"

enum {
    LONGEST = 512,       /* elements of a line */
    SHORT_BYTES = 512,   /* of a line: to repeat it takes less than to begin so many */
    MANY = 16,           /* blocks, for which longer lines are repeated too */
    ALL_BYTES = 24 << 10 /* of what is repeated, which should stay in L1 */
};

/* Is an operand the same for all lines? */
static bool repeats(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    return !o->store && o->varies[1] && !o->varies[0];
}

/* Does the run have it, or its line, or one element of it? */
static bool fits(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    if (!o->affine || o->row) return false;
    if (!o->value) return o->varies[0] && o->varies[1] && o->along[1].unit; /* random bits */
    if (!o->varies[1]) return !o->varies[0] && !o->store;
    return o->along[1].unit && (o->varies[0] || !o->store);
}

bool kf__cpu_find_repeats(const kf__low *L, kf__repeats *r) {
    int64_t bytes = 0;
    *r = (kf__repeats){0};
    if (L->n_axes != 2 || L->k->n_symbols || L->tile >= 0) return false;
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
        bytes += (KF__CPU_BLOCK + LONGEST) * kf__types[L->operands[i].dtype].size;
    }
    return r->n && bytes <= ALL_BYTES;
}

int64_t kf__cpu_run(const kf__low *L, const kf__repeats *r) {
    int64_t n = L->axes[1].size, widest = 1;
    if (n == 0 || n > LONGEST || L->axes[0].size < 2) return 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (L->operands[i].varies[0] && L->operands[i].stride[0] != n) return 0;
    for (uint32_t i = 0; i < r->n; ++i)
        widest = kf__max(widest, kf__types[L->operands[r->access[i]].dtype].size);
    int64_t all = L->axes[0].size * n;
    return n * widest <= SHORT_BYTES || all >= MANY * KF__CPU_BLOCK ? all : 0;
}

void kf__cpu_put_repeats(kf__low *L, kf__repeats *r) {
    const kf__lx *n = kf__word_size(L, 1), *block = kf__l_int(L, KF__CPU_BLOCK);
    r->length = kf__word_int(L, "length", L->run ? L->run : L->axes[1].size);
    r->is = kf__word_int(L, "run", L->run > 0);
    for (uint32_t i = 0; i < r->n; ++i) {
        r->name[i] = kf__l_name(L, "lines_%s", L->operands[r->access[i]].name);
        kf__put_var(L, kf__types[L->operands[r->access[i]].dtype].stored, r->name[i],
                    KF__CPU_BLOCK + LONGEST, NULL);
    }
    kf__open_if(L, r->is);
    const kf__lx *most = kf__l_call(L, "kf_min_i64", KF__I64, r->length, block);
    most = kf__l_bin(L, "+", most, n);
    for (uint32_t i = 0; i < r->n; ++i) {
        const kf__lx *size = kf__l_int(L, kf__types[L->operands[r->access[i]].dtype].size);
        kf__put_call(L, kf__l_call(L, "kf_repeat", KF__I64, kf__l_var(L, r->name[i]),
                                   kf__l_var(L, kf__word_operand(L, r->access[i])),
                                   kf__l_bin(L, "*", n, size), kf__l_bin(L, "*", most, size)));
    }
    kf__close(L);
}

void kf__cpu_put_repeated(kf__low *L, const kf__cpu_block *b, const kf__repeats *r) {
    const kf__lx *n = kf__word_size(L, 1);
    for (uint32_t i = 0; i < r->n; ++i) {
        uint32_t access = r->access[i];
        const char *name = kf__l_name(L, "p%u_%s", (unsigned)access, L->operands[access].name);
        const kf__lx *alone = kf__l_var(L, kf__word_operand(L, access));
        kf__put_let(L, kf__pointer_type(L, access), name,
                    kf__l_select(L, r->is,
                                 kf__l_bin(L, "+", kf__l_var(L, r->name[i]),
                                           kf__l_bin(L, "%", b->first, n)),
                                 kf__l_bin(L, "+", alone, b->first)), NULL);
        L->pointer[access] = name;
        L->pointer_depth[access] = (uint8_t)L->depth;
    }
}
