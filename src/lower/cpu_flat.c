/* The last stage of short rows, of which a function is taken, or narrow elements are stored, as one
 * run: gelu(layer_norm(x) + y). So are short lines of which nothing is reduced: exp(roll(x, 1)).
 *
 *     for (r = 0; r < rows; ++r)                what needs the row's moments
 *         for (l = 0; l < n; ++l)
 *             flat12[r * n + l] = v12
 *     for (l = 0; l < rows * n; ++l)            all that is made of it, gelu(flat12[l] + y[l])
 *
 * A function takes as long of the elements that vectors leave as of a vector: of 25 elements twice
 * as long as of 16. Narrow ones are left to single steps. */
#include "lower/cpu.h"

enum { PAD = 16 }; /* elements that vectors may write behind the last row */

/* Can only a row's own loop make it, or read it? */
static bool is_rows(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (!kf__at_level(L, i, KF__LEVEL_FULL)) return in->level == KF__LEVEL_ROW;
    return in->kind != KF__I_OP && in->kind != KF__I_CAST && !kf__cpu_is_in_runs(L, i);
}

/* How many values are made by rows: beside moments a load by rows goes with what is made of it, so
 * that it is one; or is by itself; or what rows have alone is, too, each an array of its own. */
enum { ONE, SEVERAL, ALL, WAYS };

/* Of what is in `mask`: what is made by rows, of what is kept of them too, with all that it is made
 * of. */
static kf__mask *made_by_rows(kf__low *L, const kf__mask *mask, const kf__kept *kept, int way) {
    kf__mask *rows = kf__low_mask(L);
    kf__of_lines lines = {0};
    if (!rows) return NULL;
    if (!L->k->reduced) kf__cpu_find_of_lines(L, mask, &lines);
    for (uint32_t i = L->k->n_instrs; i-- > 0;) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        bool is = kf__has(rows, i) || (is_rows(L, i) && (in->kind != KF__I_LOAD || way != ONE));
        is = is || (lines.n && kf__has(lines.made, i));
        for (const kf__kept *k = kept; k; k = k->next) is = is || kf__uses(in, k->power);
        for (int a = 0; way != ALL && a < in->n_args; ++a)
            is = is || ((way == ONE || !kf__at_level(L, in->args[a], KF__LEVEL_FULL)) &&
                        is_rows(L, in->args[a]));
        if (!is) continue;
        kf__add(rows, i);
        for (int a = 0; a < in->n_args; ++a)
            if (kf__has(mask, in->args[a])) kf__add(rows, in->args[a]);
    }
    return rows;
}

/* Is instruction i of the rows needed by what isn't, or stored? */
static bool is_needed(const kf__low *L, const kf__flat *f, const kf__mask *mask,
                      const kf__mask *rows, uint32_t i) {
    for (uint32_t s = 0; s < f->run.n_stores; ++s)
        if (L->k->stores[f->run.stores[s]].instr == i) return true;
    for (uint32_t j = i + 1; j < L->k->n_instrs; ++j)
        if (kf__has(mask, j) && !kf__has(rows, j) && kf__uses(&L->k->instrs[j], i)) return true;
    return false;
}

/* What is made by rows of a stage, if it is one value, or else a few, and what the run is then made
 * of. */
static bool find_parts(kf__low *L, uint32_t last, const kf__kept *kept, int way, kf__flat *f) {
    uint16_t roots[KF__HELD];
    kf__mask *mask = kf__cpu_of_stage(L, last);
    kf__mask *rows = mask ? made_by_rows(L, mask, kept, way) : NULL;
    f->made = (kf__held){0};
    for (uint32_t i = 0; rows && i < L->k->n_instrs; ++i) {
        bool by_rows = kf__has(rows, i) || (way == ALL && L->k->instrs[i].level == KF__LEVEL_ROW);
        if (!by_rows || !is_needed(L, f, mask, rows, i)) continue;
        if (f->made.n == (way == ONE ? 1 : KF__HELD)) return false;
        f->made.name[f->made.n] = kf__l_name(L, "flat%u", (unsigned)i);
        f->made.instr[f->made.n++] = (uint16_t)i;
    }
    if (!f->made.n) return false;
    f->made.mask = kf__low_needed(L, KF__LEVEL_FULL, f->made.instr, f->made.n);
    for (uint32_t s = 0; s < f->run.n_stores; ++s)
        roots[s] = L->k->stores[f->run.stores[s]].instr;
    for (uint32_t k = 0; k < f->made.n; ++k)
        L->value[f->made.instr[k]] = kf__l_int(L, 0); /* it is there already */
    f->run.mask = kf__low_needed(L, KF__LEVEL_FULL, roots, f->run.n_stores);
    for (uint32_t k = 0; k < f->made.n; ++k) L->value[f->made.instr[k]] = NULL;
    return true;
}

/* What of it isn't a value of the whole line. */
static const kf__mask *made_of_elements(kf__low *L, const kf__held *made) {
    kf__of_lines lines;
    if (L->k->reduced || !kf__cpu_find_of_lines(L, kf__cpu_of_stage(L, 0), &lines))
        return made->mask;
    kf__mask *rest = kf__low_mask(L);
    for (uint32_t i = 0; rest && i < L->k->n_instrs; ++i)
        if (kf__has(made->mask, i) && !kf__has(lines.made, i)) kf__add(rest, i);
    return rest ? rest : made->mask;
}

static bool is_flat(kf__low *L, uint32_t last, const kf__kept *kept, int way, kf__flat *f) {
    kf__cpu_read_kept(L, kept, kf__l_int(L, 0)); /* it is there already */
    bool found = find_parts(L, last, kept, way, f);
    kf__cpu_read_kept(L, kept, NULL);
    if (!found) return false;
    for (uint32_t k = 0; L->held && k < L->held->n; ++k)
        if (kf__has(f->run.mask, L->held->instr[k])) return false;
    bool dear = kf__is_dear(L, f->run.mask);
    return (dear || (kf__cpu_stores_narrow(L, &f->run) && (way == ONE || !L->k->reduced))) &&
           !kf__is_dear(L, made_of_elements(L, &f->made)) &&
           kf__cpu_may_be_run_of(L, &f->run, f->made.instr, f->made.n);
}

bool kf__cpu_find_flat(kf__low *L, uint32_t last, const kf__kept *kept, kf__flat *f) {
    uint16_t reds[64], stores[64];
    *f = (kf__flat){.run.n_stores = kf__low_stores(L, last, stores)};
    if (L->n_axes < 2 || (L->k->reduced && L->n_axes > 2)) return false;
    if (!f->run.n_stores || f->run.n_stores > KF__HELD || kf__low_reductions(L, last, reds))
        return false;
    memcpy(f->run.stores, stores, sizeof *stores * f->run.n_stores);
    if (!L->k->reduced) return is_flat(L, last, kept, SEVERAL, f);
    for (int way = ONE; way < WAYS; ++way)
        if (is_flat(L, last, kept, way, f)) return true;
    return false;
}

void kf__cpu_declare_flat(kf__low *L, const kf__flat *f) {
    for (uint32_t k = 0; k < f->made.n; ++k)
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[f->made.instr[k]].dtype), f->made.name[k],
                    kf__cpu_together(L) + PAD, NULL);
}

/* Where row r begins in the arrays. */
static const kf__lx *row_at(kf__low *L, const kf__lx *n) {
    return kf__l_bin(L, "*", kf__l_var(L, "r"), n);
}

/* A loop over `len` elements of row r, into the arrays of the first n_made that `made` lists. */
static void put_elements(kf__low *L, const kf__flat *f, const kf__cpu_block *b,
                         const kf__mask *mask, const uint16_t *made, uint32_t n_made,
                         const kf__lx *len) {
    const kf__lx *l = kf__l_var(L, "l"), *at = row_at(L, b->len);
    bool there = true;
    for (uint32_t k = 0; k < n_made; ++k)
        there = there && kf__cpu_is_put_into(b, f->made.instr[made[k]]);
    if (there) {
        kf__cpu_forget(L, NULL);
        return;
    }
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, b, mask, l);
    for (uint32_t k = 0; k < n_made; ++k)
        if (!kf__cpu_is_put_into(b, f->made.instr[made[k]]))
            kf__put_set(L, kf__l_item(L, f->made.name[made[k]], kf__l_bin(L, "+", at, l)),
                        kf__value_of(L, f->made.instr[made[k]]));
    kf__close(L);
    kf__cpu_forget(L, NULL);
}

void kf__cpu_put_flat_of(kf__low *L, const kf__flat *f, const kf__cpu_block *b) {
    uint16_t made[KF__HELD];
    for (uint16_t k = 0; k < f->made.n; ++k) made[k] = k;
    const kf__mask *mask = kf__cpu_needed(L, b, f->made.instr, f->made.n);
    put_elements(L, f, b, mask, made, f->made.n, b->len);
}

/* Of row r: `made` of f's values. Of what is one value of the row vectors may write more than a row
 * has, which the next one writes again. */
static void put_made(kf__low *L, const kf__flat *f, const kf__kept *kept, const uint16_t *made,
                     uint32_t n_made, const kf__lx *n) {
    uint16_t roots[KF__HELD];
    kf__cpu_block b;
    bool same = !kept;
    for (uint32_t k = 0; k < n_made; ++k) {
        roots[k] = f->made.instr[made[k]];
        same = same && kf__low_is_same(L, roots[k]);
    }
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), n);
    b.widens = true;
    kf__cpu_hold(L, kf__l_var(L, "l"));
    kf__cpu_put_kept_from(L, kept, kf__l_int(L, 0));
    kf__cpu_read_kept(L, kept, kf__l_var(L, "l"));
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n_made);
    const kf__lx *len = same && !kf__is_dear(L, mask) ? kf__cpu_put_padded(L, "padded", n) : n;
    b.into = &f->made;
    b.into_at = row_at(L, n);
    if (!L->k->reduced)
        kf__cpu_ask_for_rows_backwards(L, &b, mask, kf__before_last(L), kf__cpu_most_rows(L));
    kf__cpu_prepare(L, &b, mask);
    put_elements(L, f, &b, mask, made, n_made, len);
}

/* What is the same for all rows is there from the groups before, as far as those went. */
void kf__cpu_put_flat(kf__low *L, const kf__flat *f, const kf__kept *kept, const kf__lx *n) {
    const kf__lx *r = kf__l_var(L, "r");
    uint16_t same[KF__HELD], own[KF__HELD];
    uint32_t n_same = 0, n_own = 0;
    for (uint32_t k = 0; k < f->made.n; ++k) {
        if (!kept && kf__cpu_is_same(L, f->made.instr[k])) same[n_same++] = (uint16_t)k;
        else own[n_own++] = (uint16_t)k;
    }
    if (n_same) {
        const kf__lx *there = kf__first_var(L, "int64_t", "there", 0, kf__l_int(L, 0));
        kf__open_if(L, kf__l_bin(L, "<=", there, r));
        put_made(L, f, NULL, same, n_same, n);
        kf__put_set(L, there, kf__l_bin(L, "+", r, kf__l_int(L, 1)));
        kf__close(L);
    }
    if (n_own) put_made(L, f, kept, own, n_own, n);
}

/* Halves that are stored as they were made are rounded from where they are. */
static void find_halves(kf__low *L, const kf__flat *f, kf__cpu_block *b) {
    for (uint32_t s = 0; s < f->run.n_stores; ++s) {
        uint16_t value = kf__cpu_unrounded(L, f->run.stores[s]);
        if (!kf__cpu_is_half(L, f->run.stores[s]) || !kf__holds(&f->made, value)) continue;
        if (kf__compute((kf__dtype)L->k->instrs[value].dtype) != KF__F32) continue;
        const char *name = kf__l_name(L, "made%u", (unsigned)value);
        const kf__lx *all = NULL;
        for (uint32_t k = 0; k < f->made.n; ++k)
            if (f->made.instr[k] == value) all = kf__l_var(L, f->made.name[k]);
        kf__put_let(L, "const float *", name, kf__l_bin(L, "+", all, f->made.begin), NULL);
        b->pick[value] = name;
    }
}

void kf__cpu_put_flat_run(kf__low *L, kf__flat *f, const kf__held *before, const kf__lx *rows,
                          const kf__lx *n) {
    const kf__lx *is = kf__word_int(L, "flat", kf__cpu_is_run(L, &f->run));
    const kf__held *held = L->held;
    kf__open_block(L);
    const kf__lx *len = kf__cpu_open_runs(L, is, rows, n);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), len);
    b.widens = b.narrows = true;
    f->made.begin = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", kf__l_var(L, "r"), n), NULL);
    kf__held also = before ? *before : (kf__held){0};
    also.begin = f->made.begin;
    kf__cpu_hold_of(L, &also, kf__l_var(L, "l"));
    L->held = &f->made;
    kf__cpu_hold(L, kf__l_var(L, "l"));
    find_halves(L, f, &b);
    kf__cpu_prepare(L, &b, f->run.mask);
    kf__cpu_store_targets(L, &b, f->run.stores, f->run.n_stores);
    kf__cpu_make(L, &b, &f->run, f->made.begin);
    kf__cpu_flush(L, &b, f->run.stores, f->run.n_stores);
    kf__cpu_forget(L, NULL);
    L->held = held;
    kf__close(L);
    kf__close(L);
}
