/* Rows of several reduced axes, on the CPU: the innermost one makes lines, which lie apart.
 *
 *     line = from / n2, first = from % n2
 *     for (q = from; q < to; q += len)           what is left of a line, from `first` on
 *         for (l = 0; l < len; ++l)              short ones are put one behind the other,
 *             lines0[q + l] = x[..., first + l]
 *     for (l = 0; l < n; ++l)                    and functions taken of all of them
 *         lines7[l] = ... lines0[l] ...
 */
#include "lower/cpu.h"

const kf__lx *kf__cpu_open_row_lines(kf__low *L, const char *name, const kf__lx *from,
                                     const kf__lx *to, const kf__lx **first, const kf__lx **len) {
    const kf__lx *size = kf__word_size(L, kf__last(L)), *at = kf__l_var(L, name);
    const kf__lx *by = kf__l_call(L, "kf_max_i64", KF__I64, size, kf__l_int(L, 1)); /* of nothing */
    const kf__lx *line = kf__put_var(L, "int64_t", "line", 0, kf__l_bin(L, "/", from, by));
    *first = kf__put_var(L, "int64_t", "first", 0, kf__l_bin(L, "%", from, by));
    *len = kf__put_var(L, "int64_t", "len", 0, kf__l_int(L, 0));
    kf__open_for(L, "int64_t", name, from, to, *len, KF__SERIAL);
    kf__put_decode(L, true, true, line);
    return kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", size, *first),
                      kf__l_bin(L, "-", to, at));
}

void kf__cpu_close_row_lines(kf__low *L, const kf__lx *first, const kf__lx *len) {
    const kf__lx *line = kf__l_var(L, "line"), *zero = kf__l_int(L, 0);
    kf__put_set(L, first, kf__l_bin(L, "+", first, len));
    kf__open_if(L, kf__l_bin(L, "==", first, kf__word_size(L, kf__last(L))));
    kf__put_set(L, line, kf__l_bin(L, "+", line, kf__l_int(L, 1)));
    kf__put_set(L, first, zero);
    kf__close(L);
    kf__close(L);
}

static bool is_leaf(const kf__row_lines *s, uint16_t instr) {
    for (uint32_t k = 0; k < s->n; ++k)
        if (s->at[k] == instr) return true;
    return false;
}

static void add_line(kf__low *L, kf__row_lines *s, uint16_t instr) {
    if (is_leaf(s, instr)) return;
    s->name[s->n] = kf__l_name(L, "lines%u", (unsigned)instr);
    s->at[s->n++] = instr;
}

/* What the operations of `mask` are made of. False: that is too much. */
static bool find_leaves(kf__low *L, const kf__mask *mask, kf__row_lines *s) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool leaf = in->kind != KF__I_OP && in->kind != KF__I_CAST, used = false;
        if (!kf__has(mask, i) || !leaf) continue;
        for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
            const kf__instr *by = &L->k->instrs[u];
            used |= kf__has(mask, u) && (by->kind == KF__I_OP || by->kind == KF__I_CAST) &&
                    kf__uses(by, i);
        }
        for (uint32_t r = 0; r < s->n_args; ++r) used |= s->args[r] == i;
        if (!used) continue;
        if (s->n == 8) return false; /* they'd not stay in L1 */
        add_line(L, s, (uint16_t)i);
    }
    return s->n > 0;
}

void kf__cpu_find_row_lines(kf__low *L, const uint16_t *reds, uint32_t n, kf__row_lines *s) {
    *s = (kf__row_lines){.n_args = n};
    for (uint32_t r = 0; r < n; ++r) {
        s->args[r] = L->k->instrs[reds[r]].args[0];
        s->value[r] = L->value[s->args[r]];
        s->kept[r] = kf__l_name(L, "lines%u", (unsigned)s->args[r]);
    }
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, s->args, s->n_args);
    s->makes = kf__is_dear(L, kf__cpu_varying(L, mask)) && find_leaves(L, mask, s);
    if (s->makes) return;
    s->n = 0;
    for (uint32_t r = 0; r < s->n_args; ++r) add_line(L, s, s->args[r]);
}

void kf__cpu_declare_row_lines(kf__low *L, const kf__row_lines *s) {
    for (uint32_t k = 0; k < s->n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[s->at[k]].dtype), s->name[k],
                    KF__CPU_BLOCK, NULL);
    for (uint32_t r = 0; r < s->n_args && s->makes; ++r) {
        bool there = is_leaf(s, s->args[r]);
        for (uint32_t k = 0; k < r; ++k) there |= s->args[k] == s->args[r];
        if (!there)
            kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[s->args[r]].dtype), s->kept[r],
                        KF__CPU_BLOCK, NULL);
    }
}

void kf__cpu_make_of_row_lines(kf__low *L, const kf__row_lines *s, const kf__lx *from,
                               const kf__lx *n) {
    const kf__lx *one = kf__l_int(L, 1), *l = kf__l_var(L, "l");
    kf__cpu_block b;
    const kf__lx *whole = kf__cpu_put_padded(L, "whole", n);
    kf__open_for(L, "int64_t", "l", n, whole, one, KF__SERIAL);
    for (uint32_t k = 0; k < s->n; ++k)
        kf__put_set(L, kf__l_item(L, s->name[k], l),
                    kf__l_const(L, L->k->instrs[s->at[k]].dtype, 0, 0));
    kf__close(L);
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), whole);
    for (uint32_t k = 0; k < s->n; ++k) L->value[s->at[k]] = kf__l_item(L, s->name[k], l);
    kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, s->args, s->n_args);
    kf__cpu_put_chains(L, &b, mask, from, whole, NULL);
    kf__open_for(L, "int64_t", "l", from, whole, one, KF__SIMD);
    kf__cpu_body(L, &b, mask, l);
    for (uint32_t r = 0; r < s->n_args; ++r)
        if (!is_leaf(s, s->args[r])) /* it may be what all elements share */
            kf__put_set(L, kf__l_item(L, s->kept[r], l), kf__value_of(L, s->args[r]));
    kf__close(L);
    kf__cpu_forget(L, NULL);
}

void kf__cpu_copy_row_lines(kf__low *L, const kf__row_lines *s, const kf__lx *put,
                            const kf__lx *from, const kf__lx *to) {
    const kf__lx *l = kf__l_var(L, "l"), *first, *len;
    kf__cpu_block b;
    const kf__lx *left = kf__cpu_open_row_lines(L, "q", from, to, &first, &len);
    kf__put_set(L, len, left);
    kf__cpu_open_line(L, &b, first, len);
    b.kept = s->at; /* others may be made of them */
    b.n_kept = s->n;
    kf__cpu_put_block_tables(L, &b, kf__low_needed(L, KF__LEVEL_FULL, s->at, s->n));
    kf__mask *mask = kf__cpu_needed(L, &b, s->at, s->n);
    kf__cpu_prepare(L, &b, mask);
    kf__cpu_prefetch(L, &b, mask, false);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, mask, l);
    for (uint32_t k = 0; k < s->n; ++k)
        kf__put_set(L, kf__l_item(L, s->name[k], kf__l_bin(L, "+", put, l)),
                    kf__value_of(L, s->at[k]));
    kf__close(L);
    kf__cpu_forget(L, NULL);
    kf__cpu_close_row_lines(L, first, len);
}
