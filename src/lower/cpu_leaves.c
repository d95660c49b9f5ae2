/* What only a row's own loop can read, of several short rows one behind the other, so that the
 * functions of them are one run:
 *
 *     sum(tanh(x + b), 1)        if (rows_leaf2 < rows)          it is the same for all groups
 *                                    for (r = 0; r < rows; ++r)
 *                                        for (l = 0; l < n; ++l)
 *                                            leaf2[r * n + l] = b[l]
 *                                for (l = 0; l < rows * n; ++l)
 *                                    held4[l] = tanh(x[l] + leaf2[l])
 *
 * Those are biases, rolls, rows in reverse order or at other indices, values of rows, and tables.
 * Of ten elements vectors leave most: of bf16 10000x10 layer_norm(gelu(x + b)) took a Sapphire
 * Rapids 1.0 ms row by row, then .34. */
#include "lower/cpu.h"

static bool is_tabled(const kf__low *L, uint32_t i) {
    for (uint32_t k = 0; L->tables && k < L->tables->n; ++k)
        if (L->tables->kept[k] == i) return true;
    return false;
}

static bool is_tiled(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return (in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM) && kf__low_tiled(L, in->access);
}

/* Is something picked of what is in tiles? */
static bool hides_tiles(kf__low *L, const kf__leaves *f) {
    bool any = false;
    for (uint32_t k = 0; k < f->n; ++k) {
        const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &f->instr[k], 1);
        for (uint32_t i = 0; i < L->k->n_instrs; ++i) any |= kf__has(mask, i) && is_tiled(L, i);
    }
    return any;
}

/* What instruction i is made of. False: that is too much. */
static bool find(kf__low *L, kf__leaves *f, kf__mask *seen, uint16_t i) {
    const kf__instr *in = &L->k->instrs[i];
    bool element = kf__at_level(L, i, KF__LEVEL_FULL), row = kf__at_level(L, i, KF__LEVEL_ROW);
    if (kf__has(seen, i) || in->kind == KF__I_CONSTANT || (!element && !row)) return true;
    if (element && L->value[i]) return true; /* it is there already */
    kf__add(seen, i);
    bool made = in->kind == KF__I_OP || in->kind == KF__I_CAST;
    if (element && made && !is_tabled(L, i)) {
        for (int a = 0; a < in->n_args; ++a)
            if (!find(L, f, seen, in->args[a])) return false;
        return true;
    }
    if (element && kf__cpu_is_in_runs_along(L, i, f->axis)) return true;
    if (element && is_tiled(L, i)) return true;
    if (f->n == KF__LEAVES) return false;
    f->name[f->n] = kf__l_name(L, "leaf%u", (unsigned)i);
    f->instr[f->n++] = i;
    return true;
}

bool kf__cpu_find_leaves(kf__low *L, const uint16_t *roots, uint32_t n, int axis, kf__leaves *f) {
    *f = (kf__leaves){.axis = axis};
    kf__mask *seen = kf__low_mask(L);
    if (!seen) L->failed = true;
    for (uint32_t r = 0; seen && r < n; ++r)
        if (!find(L, f, seen, roots[r])) return false;
    return seen && f->n > 0 && !hides_tiles(L, f);
}

void kf__cpu_hold_leaves(kf__low *L, const kf__leaves *f, const kf__lx *at) {
    for (uint32_t k = 0; k < f->n; ++k)
        L->value[f->instr[k]] = at ? kf__l_item(L, f->name[k], at) : NULL;
}

/* Is it made of what is there already, of one row? */
static bool is_of_values(const kf__low *L, const kf__instr *in) {
    bool any = false;
    for (int a = 0; a < in->n_args; ++a)
        any = any || (L->value[in->args[a]] &&
                      L->k->instrs[in->args[a]].level != KF__LEVEL_SCALAR);
    return any;
}

bool kf__cpu_is_same(kf__low *L, uint16_t instr) {
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &instr, 1);
    bool same = kf__at_level(L, instr, KF__LEVEL_FULL) && !L->value[instr];
    for (uint32_t i = 0; i < L->k->n_instrs && same; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        same = !is_of_values(L, in);
        if (!same || in->kind == KF__I_OP || in->kind == KF__I_CAST) continue;
        const kf__operand *o = &L->operands[in->access];
        if (in->kind == KF__I_INSIDE && kf__is_known(L, i)) continue;
        bool place = in->kind == KF__I_INDEX || (in->kind == KF__I_LOAD && !kf__asks(L, in));
        same = place && o->affine && !o->symbols && !o->row;
        for (int m = 0; m < kf__last(L); ++m) same = same && !o->varies[m];
    }
    return same;
}

/* Of each row, those that are the same for all of them, or the others. */
static void put_rows(kf__low *L, const kf__leaves *f, const kf__leaf_rows *of, const bool *is,
                     bool same) {
    const kf__lx *r = kf__l_var(L, "r"), *l = kf__l_var(L, "l"), *zero = kf__l_int(L, 0);
    const char *pointer[KF__MAX_ACCESSES];
    uint16_t full[KF__LEAVES];
    uint32_t n_full = 0;
    for (uint32_t k = 0; k < f->n; ++k)
        if (is[k] == same && kf__at_level(L, f->instr[k], KF__LEVEL_FULL))
            full[n_full++] = f->instr[k];
    memcpy((void *)pointer, (const void *)L->pointer, sizeof *pointer * L->k->n_accesses);
    kf__open_for(L, "int64_t", "r", zero, of->rows, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *u = kf__l_bin(L, "+", of->first_row, r);
    if (of->kind == KF__LEAVES_OF_TILES) kf__put_let(L, "int64_t", L->axes[f->axis].var, u, NULL);
    else
        kf__put_decode(L, of->kind == KF__LEAVES_OF_COLUMNS, false,
                       kf__put_let(L, "int64_t", "u", u, NULL));
    if (of->kind == KF__LEAVES_OF_ROWS) kf__put_rows(L, 0);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, of->first, of->n);
    b.widens = true;
    b.kept = full; /* others may be made of them */
    b.n_kept = n_full;
    kf__cpu_put_block_tables(L, &b, kf__low_needed(L, KF__LEVEL_FULL, full, n_full));
    const kf__mask *mask = kf__cpu_needed(L, &b, full, n_full);
    const kf__lx *at = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", r, of->n), NULL);
    kf__cpu_ask_for_rows_backwards(L, &b, mask, f->axis, of->rows);
    kf__cpu_prepare(L, &b, mask);
    kf__open_for(L, "int64_t", "l", zero, of->n, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, mask, l);
    for (uint32_t k = 0; k < f->n; ++k)
        if (is[k] == same)
            kf__put_set(L, kf__l_item(L, f->name[k], kf__l_bin(L, "+", at, l)),
                        kf__value_of(L, f->instr[k]));
    kf__close(L);
    kf__cpu_forget(L, NULL);
    if (of->kind == KF__LEAVES_OF_ROWS) kf__forget(L, KF__LEVEL_ROW);
    kf__close(L);
    memcpy((void *)L->pointer, (const void *)pointer, sizeof *pointer * L->k->n_accesses);
}

void kf__cpu_put_leaves(kf__low *L, const kf__leaves *f, const kf__leaf_rows *of) {
    bool same[KF__LEAVES], any[2] = {false, false};
    for (uint32_t k = 0; k < f->n; ++k) {
        const char *type = kf__ctype((kf__dtype)L->k->instrs[f->instr[k]].dtype);
        any[same[k] = kf__cpu_is_same(L, f->instr[k])] = true;
        int64_t most = KF__CPU_BLOCK + KF__CPU_FEW;
        if (same[k]) kf__first_var(L, type, f->name[k], most, NULL);
        else kf__put_var(L, type, f->name[k], most, NULL);
    }
    if (any[true]) {
        const char *of_rows = kf__l_name(L, "rows_%s", f->name[0]);
        const char *at_first = kf__l_name(L, "first_%s", f->name[0]);
        const kf__lx *rows = kf__first_var(L, "int64_t", of_rows, 0, kf__l_int(L, 0));
        const kf__lx *first = kf__first_var(L, "int64_t", at_first, 0, kf__l_int(L, 0));
        const kf__lx *more = kf__l_bin(L, "<", rows, of->rows);
        kf__open_if(L, kf__l_bin(L, "||", more, kf__l_bin(L, "!=", first, of->first)));
        put_rows(L, f, of, same, true);
        kf__put_set(L, rows, of->rows);
        kf__put_set(L, first, of->first);
        kf__close(L);
    }
    if (any[false]) put_rows(L, f, of, same, false);
}
