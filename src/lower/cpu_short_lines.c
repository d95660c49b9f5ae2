/* Short lines of a pointwise kernel that are no run, as picks or columns are in them: a group of
 * them at a time, along the axis before theirs. What functions are taken of, or what they give, is
 * one run of all of them; each line's few vectors would wait for one another, and what they leave
 * takes as long as one.
 *
 *     exp(roll(x, 1))              what is made of each line, then the functions of it: cpu_flat.c
 *
 *     concatenate((gelu(x + b), y))   parts of lines: each with a function is made first, of all
 *         for (r = 0; ...)                       what a run can't read of x and b: cpu_leaves.c
 *             leaf9_2[...] = b[l]
 *         for (l = begin7; l < ...; ++l)         one run where x has no gaps, else line by line
 *             part9[r * width9 + l - begin7] = v9            of a pad's lines those that have it
 *         for (r = 0; r < rows; ++r)             then the lines, of what is there
 */
#include "lower/cpu.h"

enum { LONGER = 512 }; /* elements of a line of halves; of others KF__CPU_SHORT */

/* The group's first line, along that axis. */
static const kf__lx *first_line(kf__low *L) {
    return kf__l_var(L, kf__before_last(L) ? "top_row" : "first_row");
}

/* Opens the loop over groups, none of which goes on from one outer index to the next. Gives how
 * many lines a group has. */
static const kf__lx *open_groups(kf__low *L) {
    const kf__lx *most = kf__cpu_most_rows(L);
    if (!kf__before_last(L)) return kf__cpu_open_rows(L, most);
    const kf__lx *end = kf__l_var(L, "end"), *first = kf__l_var(L, "first_row");
    const kf__lx *rows = kf__put_var(L, "int64_t", "rows", 0, kf__l_int(L, 0));
    kf__open_for(L, "int64_t", "first_row", kf__l_var(L, "begin"), end, rows, KF__SERIAL);
    kf__put_decode(L, false, true, first);
    const char *var = L->axes[kf__before_last(L)].var;
    const kf__lx *top = kf__put_let(L, "int64_t", "top_row", kf__l_var(L, var), NULL);
    const kf__lx *left = kf__l_bin(L, "-", kf__word_size(L, kf__before_last(L)), top);
    kf__put_set(L, rows, kf__l_call(L, "kf_min_i64", KF__I64, kf__l_bin(L, "-", end, first), most));
    kf__put_set(L, rows, kf__l_call(L, "kf_min_i64", KF__I64, rows, left));
    return rows;
}

/* Of the group's lines [from, to). */
static void open_line(kf__low *L, const kf__lx *from, const kf__lx *to) {
    const kf__lx *r = kf__l_var(L, "r");
    const kf__lx *line = kf__l_bin(L, "+", kf__l_var(L, "first_row"), r);
    kf__open_for(L, "int64_t", "r", from, to, kf__l_int(L, 1), KF__SERIAL);
    line = kf__put_let(L, "int64_t", "line", line, NULL);
    if (!kf__before_last(L)) kf__put_decode(L, false, true, line);
    else
        kf__put_let(L, kf__index_type(L), L->axes[kf__before_last(L)].var,
                    kf__l_bin(L, "+", first_line(L), r), NULL);
}

/* ---------------------------------------------------------------- parts */

typedef struct part {
    uint16_t instr, pick;       /* the one that it is a part of, of a range of each line */
    kf__leaves leaves;          /* what a run of lines can't read */
    const kf__mask *mask;       /* what it is made of, given those */
    const kf__lx *from, *width; /* of each line */
} part;

typedef struct parts {
    kf__held held; /* their instructions, and arrays */
    part at[KF__HELD];
} parts;

/* Does some part of the guard ask for ranges of other axes than the last one? */
static bool asks_for_lines(const kf__low *L, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind != KF__I_INSIDE)
        return asks_for_lines(L, in->args[0]) || asks_for_lines(L, in->args[1]);
    return !L->operands[in->access].varies[kf__last(L)];
}

/* Do only the last axis and the one before it decide? */
static bool is_of_last_two(const kf__low *L, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    if (in->kind != KF__I_INSIDE)
        return is_of_last_two(L, in->args[0]) && is_of_last_two(L, in->args[1]);
    bool only = true;
    for (int m = 0; m < kf__before_last(L); ++m)
        only = only && !L->operands[in->access].varies[m];
    return only;
}

/* Is the pick's first argument one range, the same of all lines, or of all in a range of them? */
static bool is_of_lines(const kf__low *L, const kf__instr *pick) {
    uint32_t guard = pick->args[0];
    if (!kf__is_place(L, guard) || !kf__is_range(L, guard)) return false;
    bool alone = L->k->instrs[guard].kind == KF__I_INSIDE;
    const kf__operand *o = &L->operands[L->k->instrs[guard].access];
    for (int m = 0; alone && m < L->n_axes; ++m) alone = o->varies[m] == (m == kf__last(L));
    return alone || (kf__is_rectangle(L, guard, kf__before_last(L)) && is_of_last_two(L, guard));
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

/* Is it worth a run: with a function, a choice, or of halves, of which short lines leave most? */
static bool is_worth_run(kf__low *L, const kf__mask *mask) {
    uint32_t ops = 0;
    bool halves = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(mask, i)) continue;
        ops += in->kind == KF__I_OP;
        halves |= in->kind == KF__I_LOAD && kf__is_narrow((kf__dtype)in->dtype);
    }
    return kf__is_dear(L, mask) || kf__chooses(L, mask) || (halves && ops > 1);
}

/* What part q is made of, where its pick's guard holds. */
static bool find_part(kf__low *L, part *q) {
    L->holds = L->k->instrs[q->pick].args[0];
    bool any = kf__cpu_find_leaves(L, &q->instr, 1, kf__before_last(L), &q->leaves);
    bool is = any || !q->leaves.n; /* else there are too many */
    for (uint32_t k = 0; is && k < q->leaves.n; ++k)
        q->leaves.name[k] = kf__l_name(L, "leaf%u_%u", (unsigned)q->instr,
                                       (unsigned)q->leaves.instr[k]);
    kf__cpu_hold_leaves(L, &q->leaves, kf__l_int(L, 0));
    if (is) q->mask = kf__low_needed(L, KF__LEVEL_FULL, &q->instr, 1);
    kf__cpu_hold_leaves(L, &q->leaves, NULL);
    L->holds = -1;
    return is && is_worth_run(L, q->mask);
}

static bool find_parts(kf__low *L, parts *p) {
    *p = (parts){0};
    for (uint32_t i = 0; i < L->k->n_instrs && p->held.n < KF__HELD; ++i) {
        uint32_t pick = kf__at_level(L, i, KF__LEVEL_FULL) ? pick_of(L, i) : UINT32_MAX;
        part *q = &p->at[p->held.n];
        *q = (part){.instr = (uint16_t)i, .pick = (uint16_t)pick};
        if (pick == UINT32_MAX || !find_part(L, q)) continue;
        p->held.name[p->held.n] = kf__l_name(L, "part%u", (unsigned)i);
        p->held.instr[p->held.n++] = (uint16_t)i;
    }
    return p->held.n > 0;
}

/* Indices that lines read at are the same for all. */
static void use_tables(kf__low *L, parts *p, kf__tables *tables) {
    tables->parts = true; /* of several widths */
    kf__cpu_use_tables(L, LONGER, tables);
    for (uint32_t k = 0; L->tables && k < p->held.n; ++k) {
        part q = p->at[k];
        if (find_part(L, &q)) p->at[k] = q;
    }
}

static bool reads(const kf__low *L, const part *q, uint32_t access) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool at = in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM;
        if (kf__has(q->mask, i) && at && in->access == access) return true;
    }
    return false;
}

/* Do the part's loads, and its random words, of one line go on with those of the next? */
static const kf__lx *is_one_run(kf__low *L, const part *q) {
    const kf__lx *is = NULL;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!reads(L, q, i)) continue;
        const kf__lx *one = kf__l_bin(L, "==", kf__word_stride(L, i, kf__before_last(L)), q->width);
        is = is ? kf__l_bin(L, "&&", is, one) : one;
    }
    return is ? is : kf__l_int(L, 1);
}

/* The part of all lines of a group that have it. */
static void put_part(kf__low *L, const part *q, const char *name, const kf__lx *rows) {
    const kf__lx *l = kf__l_var(L, "l"), *r = kf__l_var(L, "r"), *zero = kf__l_int(L, 0), *len;
    const kf__lx *top = zero, *end, *first = first_line(L);
    kf__cpu_block b;
    kf__open_block(L);
    if (asks_for_lines(L, L->k->instrs[q->pick].args[0])) {
        if (!kf__before_last(L)) kf__put_decode(L, false, true, kf__l_var(L, "first_row"));
        kf__put_side(L, q->pick, kf__before_last(L), false, zero, rows, &top, &end);
        rows = kf__put_let(L, "int64_t", "inner", kf__l_bin(L, "-", end, top), NULL);
        first = kf__l_bin(L, "+", first, top);
    }
    L->holds = L->k->instrs[q->pick].args[0];
    kf__leaf_rows of = {first, rows, q->from, q->width, KF__LEAVES_OF_TILES};
    if (q->leaves.n) kf__cpu_put_leaves(L, &q->leaves, &of);
    const kf__lx *lines = kf__cpu_put_runs(L, is_one_run(L, q), rows, q->width, "len", &len);
    open_line(L, top, kf__l_bin(L, "+", top, lines));
    kf__cpu_open_line(L, &b, q->from, len);
    b.widens = true;
    const kf__lx *at = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", r, q->width), NULL);
    const kf__lx *leaf = at;
    if (top != zero) leaf = kf__l_bin(L, "-", at, kf__l_bin(L, "*", top, q->width));
    if (q->leaves.n) kf__cpu_hold_leaves(L, &q->leaves, kf__l_bin(L, "+", leaf, l));
    kf__cpu_prepare(L, &b, q->mask);
    kf__open_for(L, "int64_t", "l", zero, len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, q->mask, l);
    kf__put_set(L, kf__l_item(L, name, kf__l_bin(L, "+", at, l)), kf__value_of(L, q->instr));
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
        kf__put_side(L, q->pick, -1, true, kf__l_int(L, 0), n, &from, &to);
        q->from = from;
        q->width = kf__put_let(L, "int64_t", kf__l_name(L, "width%u", (unsigned)q->instr),
                               kf__l_bin(L, "-", to, from), "of a line");
        kf__put_var(L, kf__ctype((kf__dtype)L->k->instrs[q->instr].dtype), p->held.name[k],
                    KF__CPU_GROUP * KF__CPU_SHORT, NULL);
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

/* Lines of halves leave more: of 300 elements twelve. */
static bool moves_halves(const kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        any |= L->operands[i].value && kf__is_narrow(L->operands[i].dtype);
    return any;
}

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
    if (L->n_axes < 2) return false;
    p = (parts){0};
    bool scatters = kf__cpu_scatters(L); /* others of those have tables */
    bool any = (!L->k->n_symbols || scatters) && find_parts(L, &p);
    bool flattens = !scatters && find_flat(L, &p, &flat);
    if (!any && !flattens) return false;
    kf__of_lines own;
    bool has_own = !L->k->n_symbols && kf__cpu_find_of_lines(L, kf__cpu_of_stage(L, 0), &own);
    kf__low_begin(L, "_short", flattens && any ? "Short lines: parts with functions, then what is "
                                                 "made of each line, then functions of it."
                               : any ? "Short lines: parts with functions, then all lines of these."
                                     : "Short lines: what is made of each, then functions of it, "
                                       "as one run.");
    const kf__lx *n = kf__word_size(L, kf__last(L));
    L->fn->units = kf__low_extent(L, false) / kf__max(1, L->axes[kf__last(L)].size);
    L->fn->grain = kf__cpu_rows_of_group(L);
    kf__put_scalars(L);
    kf__tables tables = {0};
    if (any && scatters) use_tables(L, &p, &tables);
    declare_parts(L, &p, n);
    if (flattens) kf__cpu_declare_flat(L, &flat);
    if (has_own) declare_own(L, &own);
    const kf__lx *rows = open_groups(L);
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
    if (flattens) kf__cpu_put_flat_run(L, &flat, NULL, rows, n);
    kf__close(L);
    L->held = NULL;
    L->tables = NULL;
    int64_t most = moves_halves(L) ? LONGER : KF__CPU_SHORT;
    bool is = L->axes[kf__last(L)].size > 0 && L->axes[kf__last(L)].size <= most;
    if (!is) L->fn->units = 0;
    return is;
}
