/* Short lines of a pointwise kernel that are no run, as picks or columns are in them: a group of
 * them at a time. What functions are taken of, or what they give, is one run of all of them; each
 * line's few vectors would wait for one another, and what they leave takes as long as one.
 *
 *     exp(roll(x, 1))              what is made of each line, then the functions of it: cpu_flat.c
 *
 *     concatenate((gelu(x), y))    parts of lines: each with a function is made first, of all lines
 *         for (l = begin7; l < ...; ++l)         one run where x has no gaps, else line by line
 *             part9[r * width9 + l - begin7] = v9            of a pad's lines those that have it
 *         for (r = 0; r < rows; ++r)             then the lines, of what is there
 */
#include "lower/cpu.h"

/* Of the group's lines [from, to). */
static void open_line(kf__low *L, const kf__lx *from, const kf__lx *to) {
    const kf__lx *line = kf__l_bin(L, "+", kf__l_var(L, "first_row"), kf__l_var(L, "r"));
    kf__open_for(L, "int64_t", "r", from, to, kf__l_int(L, 1), KF__SERIAL);
    kf__put_decode(L, false, true, kf__put_let(L, "int64_t", "line", line, NULL));
}

/* ---------------------------------------------------------------- parts */

typedef struct part {
    uint16_t instr, pick;     /* the one that it is a part of, of a range of each line */
    const kf__mask *mask;     /* what it is made of */
    const kf__lx *from, *width; /* of each line */
} part;

typedef struct parts {
    kf__held held; /* their instructions, and arrays */
    part at[KF__HELD];
} parts;

/* Does some part of the guard ask for a range of this axis alone? */
static bool asks_for(const kf__low *L, uint32_t guard, int axis) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind != KF__I_INSIDE)
        return asks_for(L, in->args[0], axis) || asks_for(L, in->args[1], axis);
    const kf__access *a = &L->k->accesses[in->access];
    return kf__axes_of(&L->p->graph->exprs, a->index[0]) == 1u << L->axes[axis].original;
}

/* Is the pick's first argument one range, the same of all lines, or of all in a range of them? */
static bool is_of_lines(const kf__low *L, const kf__instr *pick) {
    uint32_t guard = pick->args[0];
    if (!kf__is_place(L, guard) || !kf__is_range(L, guard)) return false;
    if (L->k->instrs[guard].kind != KF__I_INSIDE && !kf__is_rectangle(L, guard, 0)) return false;
    return asks_for(L, guard, 1);
}

static bool is_of_guard(const kf__low *L, uint32_t guard, uint32_t i) {
    const kf__instr *in = &L->k->instrs[guard];
    if (guard == i || in->kind == KF__I_INSIDE) return guard == i;
    return is_of_guard(L, in->args[0], i) || is_of_guard(L, in->args[1], i);
}

/* The one pick that instruction i is a part of, and nothing else; UINT32_MAX: there is none. */
static uint32_t pick_of(const kf__low *L, uint32_t i) {
    uint32_t pick = UINT32_MAX;
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i) return UINT32_MAX;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u) {
        const kf__instr *in = &L->k->instrs[u];
        if (!kf__uses(in, i)) continue;
        bool is = in->kind == KF__I_PICK && kf__at_level(L, u, KF__LEVEL_FULL) &&
                  in->args[1] == i && (in->args[2] != i || in->field == KF__PICK_LAST) &&
                  is_of_lines(L, in);
        if (!is || pick < UINT32_MAX) return UINT32_MAX;
        pick = u;
    }
    return pick;
}

/* Is a part made of elements that lie one behind the other in each line, where its range is? */
static bool is_made_well(const kf__low *L, const kf__mask *mask, uint16_t guard) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i) || is_of_guard(L, guard, i)) continue;
        for (int a = 0; a < in->n_args; ++a)
            if (kf__at_level(L, in->args[a], KF__LEVEL_ROW) &&
                !kf__at_level(L, in->args[a], KF__LEVEL_FULL))
                return false;
        if (in->kind == KF__I_OP || in->kind == KF__I_CAST) continue;
        if (in->kind != KF__I_LOAD || (in->n_args && !kf__implies(L, guard, in->args[0])))
            return false;
        if (!L->operands[in->access].affine || kf__low_step(L, in->access) != 1) return false;
    }
    return true;
}

static bool find_parts(kf__low *L, parts *p) {
    *p = (parts){0};
    for (uint32_t i = 0; i < L->k->n_instrs && p->held.n < KF__HELD; ++i) {
        uint16_t instr = (uint16_t)i;
        uint32_t pick = kf__at_level(L, i, KF__LEVEL_FULL) ? pick_of(L, i) : UINT32_MAX;
        if (pick == UINT32_MAX) continue;
        const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, &instr, 1);
        if (!kf__is_dear(L, mask) || !is_made_well(L, mask, L->k->instrs[pick].args[0])) continue;
        p->at[p->held.n] = (part){.instr = instr, .pick = (uint16_t)pick, .mask = mask};
        p->held.name[p->held.n] = kf__l_name(L, "part%u", (unsigned)i);
        p->held.instr[p->held.n++] = instr;
    }
    return p->held.n > 0;
}

static bool reads(const kf__low *L, const part *q, uint32_t access) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(q->mask, i) && L->k->instrs[i].kind == KF__I_LOAD &&
            L->k->instrs[i].access == access)
            return true;
    return false;
}

/* Do the part's loads of one line go on with those of the next? NULL: there are none that could. */
static const kf__lx *is_one_run(kf__low *L, const part *q) {
    const kf__lx *is = NULL;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!reads(L, q, i) || !L->operands[i].varies[0]) continue;
        const kf__lx *one = kf__l_bin(L, "==", kf__word_stride(L, i, 0), q->width);
        is = is ? kf__l_bin(L, "&&", is, one) : one;
    }
    return is;
}

static const char *repeated_name(kf__low *L, const part *q, uint32_t access) {
    return kf__l_name(L, "again%u_%s", (unsigned)q->instr, L->operands[access].name);
}

/* What all lines read, as a bias, as often as a group may have lines. */
static void put_repeated(kf__low *L, const part *q) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!reads(L, q, i) || L->operands[i].varies[0]) continue;
        const char *name = repeated_name(L, q, i), *stored = kf__types[L->operands[i].dtype].stored;
        const kf__lx *size = kf__l_int(L, kf__types[L->operands[i].dtype].size);
        const kf__lx *line = kf__l_bin(L, "*", q->width, size);
        const kf__lx *from = kf__l_var(L, kf__word_operand(L, i));
        kf__put_var(L, stored, name, KF__CPU_BLOCK, NULL);
        kf__put_call(L, kf__l_call(L, "kf_repeat", KF__I64,
                                   kf__l_bin(L, "+", kf__l_var(L, name), q->from),
                                   kf__l_bin(L, "+", from, q->from), line,
                                   kf__l_bin(L, "*", kf__cpu_most_rows(L), line)));
    }
}

/* The part of all lines of a group that have it. */
static void put_part(kf__low *L, const part *q, const char *name, const kf__lx *rows) {
    const kf__lx *l = kf__l_var(L, "l"), *zero = kf__l_int(L, 0), *len, *top = zero, *end;
    const kf__lx *begin = kf__l_bin(L, "*", kf__l_var(L, "r"), q->width);
    kf__cpu_block b;
    kf__open_block(L);
    if (asks_for(L, L->k->instrs[q->pick].args[0], 0)) {
        kf__put_decode(L, false, true, kf__l_var(L, "first_row"));
        kf__put_side(L, q->pick, 0, false, zero, rows, &top, &end);
        rows = kf__put_let(L, "int64_t", "inner", kf__l_bin(L, "-", end, top), NULL);
    }
    const kf__lx *lines = kf__cpu_put_runs(L, is_one_run(L, q), rows, q->width, "len", &len);
    open_line(L, top, kf__l_bin(L, "+", top, lines));
    kf__cpu_open_line(L, &b, zero, len);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!reads(L, q, i)) continue;
        if (L->operands[i].varies[0]) kf__cpu_need_pointer(L, &b, i);
        else b.tile[i] = repeated_name(L, q, i);
    }
    L->holds = L->k->instrs[q->pick].args[0];
    const kf__lx *to = kf__put_let(L, "int64_t", "to", kf__l_bin(L, "+", q->from, len), NULL);
    kf__cpu_put_chains(L, &b, q->mask, q->from, to, NULL);
    kf__open_for(L, "int64_t", "l", q->from, to, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, q->mask, l);
    const kf__lx *at = kf__l_bin(L, "+", begin, kf__l_bin(L, "-", l, q->from));
    kf__put_set(L, kf__l_item(L, name, at), kf__value_of(L, q->instr));
    kf__close(L);
    L->holds = -1;
    kf__cpu_forget(L, NULL);
    kf__close(L);
    kf__close(L);
}

/* Element l of this line, of each part. */
static void hold_parts(kf__low *L, const parts *p) {
    for (uint32_t k = 0; k < p->held.n; ++k) {
        const part *q = &p->at[k];
        const kf__lx *at = kf__l_bin(L, "*", kf__l_var(L, "r"), q->width);
        at = kf__put_let(L, "int64_t", kf__l_name(L, "at_%s", p->held.name[k]),
                         kf__l_bin(L, "-", at, q->from), NULL);
        at = kf__l_bin(L, "+", at, kf__l_var(L, "l"));
        L->value[q->instr] = kf__l_item(L, p->held.name[k], at);
    }
}

static void declare_parts(kf__low *L, parts *p, const kf__lx *n) {
    const kf__lx *from, *to;
    for (uint32_t k = 0; k < p->held.n; ++k) {
        part *q = &p->at[k];
        kf__put_side(L, q->pick, 0, true, kf__l_int(L, 0), n, &from, &to);
        q->from = from;
        q->width = kf__put_let(L, "int64_t", kf__l_name(L, "width%u", (unsigned)q->instr),
                               kf__l_bin(L, "-", to, from), "of a line");
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[q->instr].dtype), p->held.name[k],
                    KF__CPU_GROUP * KF__CPU_SHORT, NULL);
        put_repeated(L, q);
    }
}

static void put_line(kf__low *L, const kf__lx *n) {
    uint16_t stores[64];
    uint32_t n_stores = kf__low_stores(L, 0, stores);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, kf__l_int(L, 0), n);
    kf__cpu_line(L, &b, kf__cpu_line_mask(L, stores, n_stores), stores, n_stores);
    kf__cpu_forget(L, NULL);
}

static void declare_own(kf__low *L, const kf__of_lines *own) {
    kf__cpu_declare_of_lines(L, own, KF__CPU_GROUP * KF__CPU_SHORT);
    kf__put_var(L, "int64_t", "made_row", 0, kf__l_int(L, 0));
    kf__put_var(L, "int64_t", "made_end", 0, kf__l_int(L, 0));
}

/* What these lines and the next ones have of their own. */
static void put_own(kf__low *L, const kf__of_lines *own, const kf__lx *rows) {
    const kf__lx *row = kf__l_var(L, "made_row"), *made = kf__l_var(L, "made_end");
    const kf__lx *first = kf__l_var(L, "first_row"), *r = kf__l_var(L, "r");
    const kf__lx *most = kf__l_bin(L, "+", first, kf__l_int(L, KF__CPU_GROUP * KF__CPU_SHORT));
    kf__open_if(L, kf__l_bin(L, ">", kf__l_bin(L, "+", first, rows), made));
    kf__put_set(L, row, first);
    kf__put_set(L, made, kf__l_call(L, "kf_min_i64", KF__I64, kf__l_var(L, "end"), most));
    kf__open_for(L, "int64_t", "r", kf__l_int(L, 0), kf__l_bin(L, "-", made, row),
                 kf__l_int(L, 1), KF__SIMD);
    kf__put_decode(L, false, true, kf__l_bin(L, "+", row, r));
    kf__cpu_put_of_line(L, own, r);
    kf__close(L);
    kf__close(L);
}

/* ---------------------------------------------------------------- the function */

/* Are functions taken of what is made of each line, given its parts? */
static bool find_flat(kf__low *L, const parts *p, kf__flat *flat) {
    for (uint32_t k = 0; k < p->held.n; ++k) L->value[p->at[k].instr] = kf__l_int(L, 0);
    bool is = kf__cpu_find_flat(L, 0, NULL, flat);
    for (uint32_t k = 0; k < p->held.n; ++k) L->value[p->at[k].instr] = NULL;
    return is;
}

bool kf__cpu_short_lines(kf__low *L) {
    parts p;
    kf__flat flat;
    if (L->n_axes != 2 || kf__cpu_scatters(L)) return false; /* those have tables */
    p = (parts){0};
    bool any = !L->k->n_symbols && find_parts(L, &p), flattens = find_flat(L, &p, &flat);
    if (!any && !flattens) return false;
    kf__of_lines own;
    bool has_own = !L->k->n_symbols && kf__cpu_find_of_lines(L, kf__cpu_of_stage(L, 0), &own);
    kf__low_begin(L, "_short", flattens && any ? "Short lines: parts with functions, then what is "
                                                 "made of each line, then functions of it."
                               : any ? "Short lines: parts with functions, then all lines of these."
                                     : "Short lines: what is made of each, then functions of it, "
                                       "as one run.");
    const kf__lx *n = kf__word_size(L, 1);
    L->fn->units = L->axes[0].size;
    L->fn->grain = kf__cpu_rows_of_group(L);
    kf__put_scalars(L);
    declare_parts(L, &p, n);
    if (flattens) kf__cpu_declare_flat(L, &flat);
    if (has_own) declare_own(L, &own);
    const kf__lx *rows = kf__cpu_open_rows(L, kf__cpu_most_rows(L));
    if (has_own) put_own(L, &own, rows);
    for (uint32_t k = 0; k < p.held.n; ++k) put_part(L, &p.at[k], p.held.name[k], rows);
    L->held = any ? &p.held : NULL;
    open_line(L, kf__l_int(L, 0), rows);
    hold_parts(L, &p);
    if (has_own)
        kf__cpu_read_of_lines(L, &own,
                              kf__l_bin(L, "-", kf__l_var(L, "line"), kf__l_var(L, "made_row")));
    if (flattens) kf__cpu_put_flat(L, &flat, NULL, n);
    else put_line(L, n);
    kf__close(L);
    if (flattens) kf__cpu_put_flat_run(L, &flat, rows, n);
    kf__close(L);
    L->held = NULL;
    bool is = L->axes[1].size > 0 && L->axes[1].size <= KF__CPU_SHORT;
    if (!is) L->fn->units = 0;
    return is;
}
