/* Kernels on the CPU that reduce outer axes and keep the innermost one: columns.
 *
 *     for (u = begin; u < end; ++u)              a unit: a tile of columns, a chunk of rows
 *         for (r0 = ...; r0 += group)            a few rows, still in cache for a second pass
 *             for each of these rows             what is dear and reduced, into an array
 *             for each field of the states
 *                 for each of these rows         random words, stores of stage 0
 *                     for (l = 0; l < len; ++l)  SIMD: lanes[l] = fold(lanes[l], term)
 *             state[l] = merge(state[l], lanes[l])
 *         finish, or keep the chunk's state for the second function
 *
 * The tiles of a chunk come one after another: its rows stay with one thread, and no two threads
 * write parts of one line of the cache all along.
 *
 * Of short rows without gaps what is stored is made behind what is reduced of a block of them, as
 * one run: each row would leave elements to single steps, bytes and halves most of all. Of long ones
 * that are stored, too, a piece is looked at at a time, which stays in L1.
 *
 * A plain fold goes into state[l] directly. Where every reduction is one, a row is looked at once:
 * tiles are wide, so that memory is read in long runs, and there are groups only of short rows of
 * which something dear is made, as one run. Chunks and groups are numbers of rows that depend on
 * the number of all rows alone, and so does the order of a column's sum. */
#include "lower/cpu_columns.h"

enum {
    ROW_CHUNK = 128,    /* rows of a chunk, at most */
    CHUNKS = 16,        /* chunks that there should be, of 32 rows at least */
    MERGED = 32,        /* chunks that are merged before the rest sees them */
    TILE_SIMPLE = 4096, /* columns, where every element is looked at once: at most, */
    STATE_BYTES = 64 << 10, /* and of their states, where nothing else is kept of a row */
    TILE_LEAST = 512,   /* and at least, where there are few chunks */
    PIECE_BYTES = 640,  /* of a row that is stored, too, which are looked at at once, at most */
    WIDENED = 2432,     /* columns that are widened from float16, and not stored, in one piece, */
    STAY_BYTES = 24 << 10, /* if all that has to do with them isn't more: half of Intel's L1 */
    TILE_DEAR = 1280,   /* where functions are taken of them: a row's part is asked for meanwhile */
    TILE = 256,         /* columns, so that a group stays in L1 for two passes */
    WIDE_SIMPLE = 1024, /* of short lines that are one, where every element is looked at once */
};

static const kf__lx *min_of(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_call(L, "kf_min_i64", KF__I64, a, b);
}

static const char *array_name(kf__low *L, const char *what, uint32_t red, int f) {
    return kf__field_name(L, what, red, f);
}

static const kf__lx *open_lanes(kf__low *L, const kf__lx *len) {
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), len, kf__l_int(L, 1), KF__SIMD);
    return kf__l_var(L, "l");
}

/* Is it folded into the state at once, without lanes of its group of rows? */
static bool is_direct(const kf__low *L, const kf__columns *c, uint32_t red) {
    return c->simple || kf__is_simple(L, red);
}

static void put_array(kf__low *L, const kf__columns *c, const char *what, uint32_t red, int f) {
    const char *name = array_name(L, what, red, f);
    bool lanes = !strcmp(what, "lanes");
    kf__dtype type = lanes ? kf__lane_type(L, red, f) : kf__field_type(L, red, f);
    kf__put_var(L, kf__ctype(type), name, c->most_tile, NULL);
    const kf__lx *l = open_lanes(L, c->len);
    kf__put_set(L, kf__l_item(L, name, l),
                lanes ? kf__lane_identity(L, red, f) : kf__identity(L, red, f));
    kf__close(L);
}

/* As of nothing; what: "state", or "group" of states. */
static void put_states(kf__low *L, const kf__columns *c, const char *what) {
    for (uint32_t r = 0; r < c->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f) put_array(L, c, what, c->reds[r], f);
}

/* What rows have of their own. */
static void put_own(kf__low *L, const kf__columns *c, const kf__lx *r0, const kf__lx *r1) {
    const kf__lx *at = kf__l_bin(L, "-", kf__l_var(L, "r"), r0);
    kf__open_for(L, "int64_t", "r", r0, r1, kf__l_int(L, 1), KF__SIMD);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    kf__cpu_put_of_line(L, &c->own, at);
    kf__close(L);
}

/* Is it of no use but rounded, by what `rounded` is or by a store? */
static bool is_only_rounded(const kf__low *L, uint32_t i, uint32_t rounded) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].instr == i &&
            L->operands[L->k->stores[s].access].dtype != L->k->instrs[rounded].dtype)
            return false;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u)
        if (u != rounded && kf__uses(&L->k->instrs[u], i)) return false;
    return true;
}

/* What is stored as a half, and reduced as that half, which is made already: is stored of it. */
static void read_rounded(kf__low *L, const kf__columns *c, uint32_t n_stores) {
    for (uint32_t s = 0; c->makes && s < n_stores; ++s) {
        uint16_t value = kf__cpu_unrounded(L, c->stores[s]);
        for (uint32_t k = 0; k < c->made.n; ++k) {
            uint16_t i = c->made.instr[k];
            const kf__instr *in = &L->k->instrs[i];
            if (in->kind == KF__I_CAST && in->args[0] == value && L->value[i] &&
                in->dtype == L->operands[L->k->stores[c->stores[s]].access].dtype &&
                !L->value[value] && is_only_rounded(L, value, i))
                L->value[value] = L->value[i];
        }
    }
}

/* What is reduced as it is stored is folded by a loop of its own, of what the first one left in L1:
 * stores to a result and to the state by turns take long. t = x * 2; t, sum(t, 0) of 64 x 512 took
 * a Sapphire Rapids 7.7 us, then 3.9. Into apart, for each reduction: where its elements are then,
 * NULL of those that aren't stored so. A float16 is widened again, which is sooner than to round it
 * twice. */
static bool find_apart(kf__low *L, const kf__columns *c, kf__cpu_block *b, const kf__mask *mask,
                       uint32_t n_stores, const kf__lx **apart) {
    const kf__lx *l = kf__l_var(L, "l");
    bool any = false;
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint32_t arg = L->k->instrs[c->reds[r]].args[0];
        apart[r] = NULL;
        for (uint32_t s = 0; s < n_stores && !L->value[arg] && !apart[r]; ++s) {
            uint32_t access = L->k->stores[c->stores[s]].access;
            kf__dtype type = L->operands[access].dtype;
            bool half = kf__compute(type) != type;
            if (type != L->k->instrs[arg].dtype || b->made[s] || b->tile[access] ||
                kf__low_step(L, access) != 1)
                continue;
            if (half ? !b->half[s] || kf__cpu_rounded(L, mask, c->stores[s]) != (int)arg
                     : L->k->stores[c->stores[s]].instr != arg)
                continue;
            if (half && !b->again[s]) {
                b->again[s] = kf__l_name(L, "again%u", (unsigned)arg);
                kf__put_var(L, "float", b->again[s], b->most + KF__CPU_VECTOR, NULL);
            }
            apart[r] = half ? kf__l_item(L, b->again[s], l)
                            : kf__l_item(L, b->target[s],
                                         kf__cpu_store_index(L, b, c->stores[s], l));
            any = true;
        }
    }
    return any;
}

/* Element l of field f: of those reductions that are apart, or the others. */
static void put_folds(kf__low *L, const kf__columns *c, int f, const kf__lx *r0,
                      const kf__lx *const *apart, bool are_apart) {
    const kf__lx *l = kf__l_var(L, "l"), *row = kf__l_bin(L, "-", kf__l_var(L, "r"), r0);
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint32_t red = c->reds[r];
        if (kf__fields(L, red) <= f || (apart[r] != NULL) != are_apart) continue;
        const kf__lx *before[KF__MAX_FIELDS];
        for (int g = 0; g < f; ++g) before[g] = kf__l_item(L, array_name(L, "lanes", red, g), l);
        const kf__lx *x = are_apart ? apart[r] : kf__value_of(L, L->k->instrs[red].args[0]);
        const kf__lx *at = kf__l_call(L, "kf_cast_i64_i32", KF__I64, row);
        const kf__lx *term = kf__term(L, red, f, x, at, before);
        if (term != x)
            term = kf__put_let(L, kf__ctype(kf__lane_type(L, red, f)),
                               kf__l_name(L, "term%u", (unsigned)red), term, NULL);
        const kf__lx *lane =
            kf__l_item(L, array_name(L, is_direct(L, c, red) ? "state" : "lanes", red, f),
                       c->piece ? kf__l_bin(L, "+", c->piece, l) : l);
        kf__put_set(L, lane, kf__fold_of(L, red, f, lane, term));
    }
}

/* Columns of a piece: whole lines of whatever is narrowest, as vectors are of that. Of rows that
 * are streamed past the caches each would leave parts of lines, and rows of bytes or bfloat16 alone
 * fill no L1: those are one, where no arrays of float16 go with them. */
static const kf__lx *piece_len(kf__low *L, const kf__columns *c) {
    int64_t least = 8, most = 0, bytes = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        if (!o->value || !o->varies[kf__last(L)] || !kf__low_is_full(L, o)) continue;
        int64_t size = kf__types[o->dtype].size;
        least = kf__min(least, kf__max(2, size));
        most = kf__max(most, size);
        bytes += o->dtype == KF__F16 ? 6 : size;
    }
    int64_t all = c->tile * (bytes + 4 * c->n_reds), stay = STAY_BYTES >> L->target->amd;
    int64_t even = kf__cpu_even_tile(c->tile, PIECE_BYTES / least), line = 64 / least;
    bool tests = L->target->streams; /* of rows that are short, too */
    bool whole = !c->rounds && !tests && (most <= 2 || kf__word_number(L, "stream"));
    whole = whole || (!c->n_stores && c->tile <= WIDENED && all <= stay && !tests);
    int64_t lines = tests ? 1 : kf__ceil_div(even, line);
    return kf__word_int(L, "piece_len", whole ? kf__min(c->tile, TILE_SIMPLE) : lines * line);
}

/* The row's next piece: its first column and elements. */
static void open_piece(kf__low *L, kf__columns *c, const kf__lx **first, const kf__lx **len) {
    const kf__lx *size = piece_len(L, c), *at = kf__l_var(L, "at");
    kf__open_for(L, "int64_t", "at", kf__l_int(L, 0), c->len, size, KF__SERIAL);
    c->piece = at;
    *first = kf__l_bin(L, "+", c->first, at);
    *len = kf__put_let(L, "int64_t", "n", min_of(L, kf__l_bin(L, "-", c->len, at), size), NULL);
}

/* Elements of a row that are looked at at once, at most. */
static int64_t most_of_row(const kf__columns *c) {
    if (!c->pieces) return c->most_tile;
    return !c->rounds ? TILE_SIMPLE : c->n_stores ? PIECE_BYTES : WIDENED;
}

/* One field of the states, `last` or others behind it, over the rows [r0, r1). */
static void put_field(kf__low *L, kf__columns *c, int f, bool last, const kf__lx *r0,
                      const kf__lx *r1) {
    uint16_t *roots = KF__NEW(L->arena, uint16_t, c->n_reds + 64);
    const kf__lx **apart = KF__NEW(L->arena, const kf__lx *, c->n_reds + 1);
    if (!roots || !apart) {
        L->failed = true;
        return;
    }
    uint32_t n = 0, n_stores = f == 0 && !c->made.n_stores ? c->n_stores : 0;
    for (uint32_t r = 0; r < c->n_reds; ++r)
        if (kf__fields(L, c->reds[r]) > f) {
            roots[n++] = L->k->instrs[c->reds[r]].args[0];
            if (!is_direct(L, c, c->reds[r])) put_array(L, c, "lanes", c->reds[r], f);
        }
    for (uint32_t s = 0; s < n_stores; ++s) roots[n++] = L->k->stores[c->stores[s]].instr;
    if (c->own.n) put_own(L, c, r0, r1);
    kf__open_for(L, "int64_t", "r", r0, r1, kf__l_int(L, 1), KF__SERIAL);
    kf__columns_put_next_row(L, c, roots, n, r1);
    kf__put_decode(L, true, false, kf__l_var(L, "r"));
    kf__leaves leaves = {0};
    if (c->wide >= 0) {
        kf__columns_read_made(L, c, r0, kf__l_var(L, "l"));
        kf__columns_put_wide_leaves(L, c, roots, n, kf__l_name(L, "%d", f), &leaves);
    }
    const kf__lx *left = c->first, *len = c->len;
    if (c->pieces) open_piece(L, c, &left, &len);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, left, len);
    b.most = most_of_row(c);
    if (c->simple && !L->tiled && !c->makes && c->wide < 0) b.down = kf__low_only_reduced(L);
    kf__columns_put_turned_rows(L, &b, r0);
    kf__columns_read_made(L, c, r0, kf__l_var(L, "l"));
    if (leaves.n) kf__cpu_hold_leaves(L, &leaves, kf__l_var(L, "l"));
    read_rounded(L, c, n_stores);
    kf__cpu_read_of_lines(L, &c->own, kf__l_bin(L, "-", kf__l_var(L, "r"), r0));
    kf__cpu_put_block_tables(L, &b, kf__low_needed(L, KF__LEVEL_FULL, roots, n));
    kf__mask *mask = kf__cpu_needed(L, &b, roots, n);
    b.widens = b.narrows = true;
    if (!f && c->wide < 0) kf__cpu_ask_upwards(L, &b, mask, kf__low_only_reduced(L));
    kf__cpu_prepare(L, &b, mask);
    if (c->wide >= 0) kf__columns_put_wide_ahead(L, c, mask);
    else if (c->makes && !c->simple && last) kf__columns_put_ahead_of_made(L, c, &b, r0, r1);
    else if (!c->makes && f == 0) kf__columns_put_ahead(L, c, mask, len, r0, r1);
    const kf__lx *from = kf__l_int(L, 0), *to = len, *l = kf__l_var(L, "l");
    kf__cpu_open_pieces(L, &b, c->stores, n_stores, &from, &to);
    bool any = find_apart(L, c, &b, mask, n_stores, apart);
    kf__open_for(L, "int64_t", "l", from, to, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, &b, mask, l);
    kf__cpu_stores(L, &b, c->stores, n_stores, l);
    put_folds(L, c, f, r0, apart, false);
    kf__close(L);
    kf__cpu_flush(L, &b, c->stores, n_stores);
    if (any) {
        kf__open_for(L, "int64_t", "l", from, to, kf__l_int(L, 1), KF__SIMD);
        put_folds(L, c, f, r0, apart, true);
        kf__close(L);
    }
    kf__cpu_close_pieces(L, &b);
    kf__cpu_forget(L, NULL);
    if (c->pieces) kf__close(L);
    c->piece = NULL;
    kf__close(L);
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint32_t red = c->reds[r];
        if (kf__fields(L, red) <= f || is_direct(L, c, red)) continue;
        const kf__lx *lane = kf__l_item(L, array_name(L, "lanes", red, f), kf__l_var(L, "l"));
        const kf__lx *first = kf__l_item(L, array_name(L, "lanes", red, 0), kf__l_var(L, "l"));
        const kf__lx *count = kf__count_as(L, red, kf__l_bin(L, "-", r1, r0));
        const kf__lx *closed = kf__close_of(L, red, f, lane, first, count, NULL);
        if (closed == lane) continue;
        open_lanes(L, c->len);
        kf__put_set(L, lane, closed);
        kf__close(L);
    }
}

/* into[l] = merge(into[l], q[l]) for every reduction; q: the arrays `from`, of rows from `begin` on
 * (NULL: any); or, where that is NULL, loads from partials. */
static void put_merges(kf__low *L, const kf__columns *c, const char *into, const char *from,
                       const kf__lx *np, const kf__lx *nq, const kf__lx *begin,
                       const kf__lx *part_at) {
    const kf__lx *l = open_lanes(L, c->len);
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint32_t red = c->reds[r];
        if (begin && is_direct(L, c, red)) continue;
        const kf__lx *p[KF__MAX_FIELDS], *q[KF__MAX_FIELDS];
        for (int f = 0; f < kf__fields(L, red); ++f) {
            kf__dtype type = kf__field_type(L, red, f);
            p[f] = kf__l_item(L, array_name(L, into, red, f), l);
            if (from) {
                q[f] = kf__l_item(L, array_name(L, from, red, f), l);
                if (begin && kf__lane_type(L, red, f) != type)
                    q[f] = kf__put_let(L, kf__ctype(type), array_name(L, "q", red, f),
                                       kf__close_of(L, red, f, q[f], q[0], NULL, begin), NULL);
                continue;
            }
            const kf__lx *part =
                kf__word_partial(L, array_name(L, "part", red, f), type, c->offsets[r][f]);
            q[f] = kf__put_let(
                L, kf__ctype(type), array_name(L, "q", red, f),
                kf__l_call(L, "kf_load_T", type, part, kf__l_bin(L, "+", part_at, l)), NULL);
        }
        kf__put_merge(L, red, p, q, kf__count_as(L, red, np), kf__count_as(L, red, nq));
    }
    kf__close(L);
}

static void put_finish(kf__low *L, const kf__columns *c) {
    const kf__lx *n = c->len, *e = NULL;
    bool wide = c->wide >= 0;
    if (wide) { /* line by line */
        const kf__lx *line = kf__l_var(L, "line");
        n = kf__word_size(L, kf__last(L));
        kf__open_for(L, "int64_t", "line", kf__l_int(L, 0), c->lines, kf__l_int(L, 1), KF__SERIAL);
        kf__put_let(L, kf__index_type(L), L->axes[c->wide].var, kf__l_bin(L, "+", c->line, line),
                    NULL);
        e = kf__put_let(L, "int64_t", "at", kf__l_bin(L, "*", line, n), NULL);
    }
    const kf__lx *l = open_lanes(L, n);
    e = wide ? kf__l_bin(L, "+", e, l) : l;
    kf__put_let(L, "int64_t", L->axes[kf__last(L)].var, kf__l_bin(L, "+", c->first, l), NULL);
    L->rows_inside = false;
    kf__put_rows(L, 0);
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        const kf__lx *fields[KF__MAX_FIELDS];
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            fields[f] = kf__l_item(L, array_name(L, "state", c->reds[r], f), e);
        kf__put_project(L, c->reds[r], fields, c->total);
    }
    for (uint32_t s = 1; s < L->k->n_stages; ++s) kf__put_rows(L, s);
    kf__put_row_stores(L);
    kf__forget(L, KF__LEVEL_ROW);
    L->rows_inside = true;
    kf__close(L);
    if (wide) kf__close(L);
}

/* first and len of tile `tile`; kept outer axes from `outer`. */
static void put_tile(kf__low *L, kf__columns *c, const kf__lx *tile, const kf__lx *outer) {
    if (c->wide >= 0) {
        kf__columns_put_wide_tile(L, c, tile, outer);
        return;
    }
    const kf__lx *n = kf__word_size(L, kf__last(L)), *width = kf__word_int(L, "tile", c->tile);
    kf__put_decode(L, false, true, outer);
    c->first = kf__put_let(L, "int64_t", "first", kf__l_bin(L, "*", tile, width), NULL);
    c->len = kf__put_let(L, "int64_t", "len", min_of(L, kf__l_bin(L, "-", n, c->first), width),
                         NULL);
}

/* Where chunks leave their states, for whichever function merges them. */
static void place_partials(kf__low *L, kf__columns *c) {
    int64_t n = c->chunks > 1 ? c->chunks * c->outer * L->axes[kf__last(L)].size : 0;
    for (uint32_t r = 0; r < c->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f)
            c->offsets[r][f] = kf__low_scratch(L, n, kf__field_type(L, c->reds[r], f));
}

static void put_partials(kf__low *L, kf__columns *c, const kf__lx *at) {
    const kf__lx *l = open_lanes(L, c->len);
    for (uint32_t r = 0; r < c->n_reds; ++r)
        for (int f = 0; f < kf__fields(L, c->reds[r]); ++f) {
            kf__dtype type = kf__field_type(L, c->reds[r], f);
            const kf__lx *part =
                kf__word_partial(L, array_name(L, "part", c->reds[r], f), type, c->offsets[r][f]);
            kf__put_call(L, kf__l_call(L, "kf_store_T", type, part, kf__l_bin(L, "+", at, l),
                                       kf__l_item(L, array_name(L, "state", c->reds[r], f), l)));
        }
    kf__close(L);
}

/* A few rows folded, then what is stored of them, as of no reduction. */
static void put_folded_groups(kf__low *L, const kf__columns *c, const kf__lx *from,
                              const kf__lx *to) {
    const kf__lx *r0 = kf__l_var(L, "r0"), *group = kf__l_int(L, KF__CPU_FOLDED);
    kf__columns stores = *c;
    stores.n_reds = 0;
    kf__open_for(L, "int64_t", "r0", from, to, group, KF__SERIAL);
    const kf__lx *r1 =
        kf__put_let(L, "int64_t", "r1", min_of(L, to, kf__l_bin(L, "+", r0, group)), NULL);
    kf__columns_put_folded(L, c, r0, r1);
    if (c->n_stores) put_field(L, &stores, 0, true, r0, r1);
    kf__close(L);
}

/* By pieces, but not where four rows are folded ahead of what is stored beside them. */
static void put_pieces(kf__low *L, kf__columns *c, const kf__lx *from, const kf__lx *to) {
    kf__columns by_fours = *c;
    by_fours.pieces = false;
    by_fours.most_tile = TILE_SIMPLE;
    bool ahead = c->ahead && kf__columns_folds_ahead(L, &by_fours);
    if (ahead) {
        kf__open_if(L, kf__columns_by_fours(L, c));
        put_folded_groups(L, &by_fours, from, to);
        kf__open_else(L);
    }
    put_field(L, c, 0, true, from, to);
    if (ahead) kf__close(L);
}

/* The rows [from, to) into the states. */
static void put_groups(kf__low *L, kf__columns *c, const kf__lx *from, const kf__lx *to) {
    c->from = from;
    c->to = to;
    if (kf__columns_folds_ahead(L, c)) {
        put_folded_groups(L, c, from, to);
        return;
    }
    if (c->simple && !L->tiled && !c->makes) {
        put_pieces(L, c, from, to);
        return;
    }
    const kf__lx *r0 = kf__l_var(L, "r0"), *group = kf__columns_group(L, c);
    if (c->makes) kf__columns_put_made_arrays(L, c);
    kf__open_for(L, "int64_t", "r0", from, to, group, KF__SERIAL);
    const kf__lx *r1 =
        kf__put_let(L, "int64_t", "r1", min_of(L, to, kf__l_bin(L, "+", r0, group)), NULL);
    kf__columns_put_turned(L, c, r0, r1);
    if (c->makes) kf__columns_put_made(L, c, r0, r1);
    if (kf__columns_folds_made(L, c)) {
        kf__columns_put_folded_made(L, c, r0, r1);
        kf__close(L);
        return;
    }
    int most = 1;
    for (uint32_t r = 0; r < c->n_reds; ++r)
        if (kf__fields(L, c->reds[r]) > most) most = kf__fields(L, c->reds[r]);
    for (int f = 0; f < most; ++f) {
        put_field(L, c, f, f == most - 1, r0, r1);
        if (f == 0) kf__columns_put_turned_stores(L, c, r0, r1);
    }
    if (!c->simple)
        put_merges(L, c, "state", "lanes", kf__l_bin(L, "-", r0, from), kf__l_bin(L, "-", r1, r0),
                   r0, NULL);
    kf__close(L);
}

/* Stores of narrow elements, or beside rows that are folded by four, of what takes no function,
 * which may be one run, perhaps given leaves: into c->leaves. */
static bool find_run(kf__low *L, kf__columns *c, kf__held *run) {
    uint16_t roots[KF__HELD];
    *run = (kf__held){.n_stores = c->n_stores};
    c->leaves.n = 0;
    if (!c->simple || L->tiled || !c->n_stores || c->n_stores > KF__HELD) return false;
    for (uint32_t s = 0; s < c->n_stores; ++s) {
        run->stores[s] = c->stores[s];
        roots[s] = L->k->stores[c->stores[s]].instr;
    }
    run->mask = kf__low_needed(L, KF__LEVEL_FULL, roots, c->n_stores);
    bool folds = kf__columns_folds_ahead(L, c);
    if (!run->mask || kf__is_dear(L, run->mask) || !(kf__cpu_stores_narrow(L, run) || folds))
        return false;
    if (kf__cpu_may_be_run(L, run)) return true;
    const kf__held all = *run;
    return folds && kf__cpu_find_run_given(L, &all, &c->leaves, run);
}

/* Behind the reductions: a result may be stored over what they read. */
static void put_run(kf__low *L, const kf__columns *c, kf__held *run) {
    const kf__lx *zero = kf__l_int(L, 0), *rows = kf__l_bin(L, "-", c->to, c->from);
    const kf__lx *n = kf__word_size(L, kf__last(L));
    kf__cpu_block b;
    kf__open_block(L);
    if (c->leaves.n) {
        rows = kf__put_let(L, "int64_t", "rows", rows, NULL);
        kf__leaf_rows of = {c->from, rows, zero, n, KF__LEAVES_OF_COLUMNS};
        kf__cpu_put_leaves(L, &c->leaves, &of);
    }
    kf__put_decode(L, true, false, c->from);
    const kf__lx *all = kf__l_bin(L, "*", rows, n);
    L->held = run;
    kf__cpu_open_line(L, &b, zero, kf__put_let(L, "int64_t", "all", all, "elements of all rows"));
    if (c->leaves.n) kf__cpu_hold_leaves(L, &c->leaves, kf__l_var(L, "l"));
    kf__cpu_prepare(L, &b, run->mask);
    kf__cpu_store_targets(L, &b, run->stores, run->n_stores);
    kf__cpu_make(L, &b, run, zero);
    kf__cpu_forget(L, NULL);
    L->held = NULL;
    kf__close(L);
}

/* So many rows at once that what is reduced is still in L1 when it is stored. */
static void put_runs(kf__low *L, kf__columns *c, kf__held *run, const kf__lx *from,
                     const kf__lx *to) {
    int64_t rows = KF__CPU_MADE / kf__max(1, L->axes[kf__last(L)].size);
    rows = kf__max(1, rows / KF__CPU_FOLDED) * KF__CPU_FOLDED;
    const kf__lx *g0 = kf__l_var(L, "g0"), *run_rows = kf__word_int(L, "run_rows", rows);
    kf__open_for(L, "int64_t", "g0", from, to, run_rows, KF__SERIAL);
    put_groups(L, c, g0,
               kf__put_let(L, "int64_t", "g1", min_of(L, to, kf__l_bin(L, "+", g0, run_rows)),
                           NULL));
    put_run(L, c, run);
    kf__close(L);
}

/* Does anything not go on from row to row, so that no processor foresees where the next one is? */
static bool has_gaps(const kf__low *L) {
    int m = kf__low_only_reduced(L), last = kf__last(L);
    for (uint32_t i = 0; m >= 0 && i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        int64_t stride = o->stride[m] < 0 ? -o->stride[m] : o->stride[m];
        if (o->value && o->varies[m] && o->varies[last] && stride != L->axes[last].size)
            return true;
    }
    return false;
}

/* run: what is stored of short rows, or NULL */
static void put_chunks(kf__low *L, kf__columns *c, kf__held *run) {
    bool wide = c->wide >= 0;
    kf__low_begin(L, wide ? "_wide" : c->few ? "_few" : c->is_short ? "_short" : "",
                  wide ? "Short lines, as one, over a chunk of rows; of one chunk, finished here."
                  : run ? "Short rows without gaps: their columns, then what is stored, as one run."
                  : c->is_short ? "Short rows: what is reduced is made of several at once."
                  : "A tile of columns over a chunk of rows; of one chunk, finished here.");
    int64_t n_outer = c->outer, n_tiles = c->tiles;
    if (wide) {
        n_tiles = kf__ceil_div(L->axes[c->wide].size, kf__columns_wide_lines(L, c));
        n_outer /= kf__max(1, L->axes[c->wide].size);
    }
    L->fn->units = n_outer * n_tiles * c->chunks;
    const kf__lx *u = kf__l_var(L, "u"), *chunks = kf__word_int(L, "chunks", c->chunks);
    const kf__lx *tiles = kf__word_int(L, "tiles", n_tiles), *one = kf__l_int(L, 1);
    const kf__lx *size = kf__word_int(L, "chunk_rows", c->chunk);
    c->total = kf__word_int(L, "reduced", c->rows);
    const kf__lx *outer_n = kf__word_int(L, "outer_n", c->outer);
    /* h = x + y; h, sum(h, 0) of 3163x3161, past the caches, takes a Zen 4 6.2 ms, and 4.5 without */
    bool wins = !c->pieces || !L->target->amd;
    bool stream = !run && kf__cpu_stream_word_if(L, wins);
    c->n_stores = run ? 0 : kf__low_stores(L, 0, c->stores);
    kf__cpu_prefetch_word(L, !c->pieces || has_gaps(L));
    kf__put_scalars(L);
    kf__tables tables = {0};
    c->own = (kf__of_lines){0};
    if (!wide && !L->tiled && !c->makes && !L->k->n_symbols && kf__low_reduced_axes(L) == 1 &&
        kf__cpu_find_of_lines(L, kf__cpu_of_stage(L, 0), &c->own))
        kf__cpu_declare_of_lines(L, &c->own, ROW_CHUNK);
    if (!wide && !L->tiled && !c->pieces && !(c->makes && kf__cpu_may_be_run(L, &c->made)))
        kf__cpu_use_tables(L, c->most_tile, &tables);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), one, KF__SERIAL);
    const kf__lx *rest = kf__put_let(L, "int64_t", "rest", kf__l_bin(L, "/", u, tiles), NULL);
    const kf__lx *chunk = kf__put_let(L, "int64_t", "chunk", kf__l_bin(L, "%", rest, chunks), NULL);
    const kf__lx *outer = kf__put_let(L, "int64_t", "outer", kf__l_bin(L, "/", rest, chunks), NULL);
    put_tile(L, c, kf__l_bin(L, "%", u, tiles), outer);
    const kf__lx *from = kf__put_let(L, "int64_t", "from", kf__l_bin(L, "*", chunk, size), NULL);
    const kf__lx *to = kf__put_let(L, "int64_t", "to",
                                   min_of(L, c->total, kf__l_bin(L, "+", from, size)), NULL);
    put_states(L, c, "state");
    if (run) put_runs(L, c, run, from, to);
    else put_groups(L, c, from, to);
    kf__open_if(L, kf__l_bin(L, "==", chunks, one));
    put_finish(L, c);
    kf__open_else(L);
    if (wide) /* of all outer indices the first line's */
        outer = kf__l_bin(L, "+", kf__l_bin(L, "*", outer, kf__word_size(L, c->wide)), c->line);
    const kf__lx *row = kf__l_bin(L, "+", kf__l_bin(L, "*", chunk, outer_n), outer);
    const kf__lx *line = kf__l_bin(L, "*", row, kf__word_size(L, kf__last(L)));
    put_partials(L, c,
                 kf__put_let(L, "int64_t", "part_at", kf__l_bin(L, "+", line, c->first), NULL));
    kf__close(L);
    kf__close(L);
    if (stream) kf__cpu_fence(L);
    L->tables = NULL;
}

/* Merge the chunks in order, in groups, so that no chain of roundings gets long. */
static void put_merged_chunks(kf__low *L, kf__columns *c, const kf__lx *chunks, const kf__lx *size,
                              const kf__lx *outer_n, const kf__lx *outer) {
    const kf__lx *chunk = kf__l_var(L, "chunk"), *c0 = kf__l_var(L, "c0");
    const kf__lx *group = kf__l_int(L, MERGED);
    kf__open_for(L, "int64_t", "c0", kf__l_int(L, 0), chunks, group, KF__SERIAL);
    put_states(L, c, "group");
    const kf__lx *c1 =
        kf__put_let(L, "int64_t", "c1", min_of(L, chunks, kf__l_bin(L, "+", c0, group)), NULL);
    const kf__lx *first = kf__put_let(L, "int64_t", "r0", kf__l_bin(L, "*", c0, size), NULL);
    kf__open_for(L, "int64_t", "chunk", c0, c1, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *before =
        kf__put_let(L, "int64_t", "before", kf__l_bin(L, "*", chunk, size), NULL);
    const kf__lx *count = kf__put_let(L, "int64_t", "count",
                                      min_of(L, kf__l_bin(L, "-", c->total, before), size), NULL);
    const kf__lx *row = kf__l_bin(L, "+", kf__l_bin(L, "*", chunk, outer_n), outer);
    const kf__lx *line = kf__l_bin(L, "*", row, kf__word_size(L, kf__last(L)));
    const kf__lx *at =
        kf__put_let(L, "int64_t", "part_at", kf__l_bin(L, "+", line, c->first), NULL);
    put_merges(L, c, "group", NULL, kf__l_bin(L, "-", before, first), count, NULL, at);
    kf__close(L);
    const kf__lx *n = min_of(L, kf__l_bin(L, "-", c->total, first),
                             kf__l_bin(L, "*", size, group));
    put_merges(L, c, "state", "group", first, kf__put_let(L, "int64_t", "n", n, NULL), NULL, NULL);
    kf__close(L);
}

static void put_merge_function(kf__low *L, kf__columns *c) {
    kf__low_begin(L, "_merge", "Merges the chunks of each column.");
    L->fn->units = c->chunks > 1 ? c->outer * c->tiles : 0;
    L->fn->work_bytes = c->chunks * c->outer * L->axes[kf__last(L)].size * 4;
    const kf__lx *u = kf__l_var(L, "u"), *chunks = kf__word_int(L, "chunks", c->chunks);
    const kf__lx *tiles = kf__word_int(L, "tiles", c->tiles);
    const kf__lx *outer_n = kf__word_int(L, "outer_n", c->outer);
    const kf__lx *size = kf__word_int(L, "chunk_rows", c->chunk);
    c->total = kf__word_int(L, "reduced", c->rows);
    kf__put_scalars(L);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    const kf__lx *outer = kf__put_let(L, "int64_t", "outer", kf__l_bin(L, "/", u, tiles), NULL);
    put_tile(L, c, kf__l_bin(L, "%", u, tiles), outer);
    put_states(L, c, "state");
    put_merged_chunks(L, c, chunks, size, outer_n, outer);
    put_finish(L, c);
    kf__close(L);
}

/* By the number of rows alone: a column's sum is the same in any kernel. */
static int64_t chunk_rows(int64_t rows) {
    int64_t even = kf__ceil_div(rows, 32 * CHUNKS) * 32;
    return rows <= ROW_CHUNK ? ROW_CHUNK : kf__min(even, ROW_CHUNK);
}

/* So that several threads have something to do, where that is worth it. Whole rows, where there are
 * chunks enough: to read parts of rows memory begins anew with each, mean(x, 0) of 1028x1028 took
 * 440 us, and then 205. A Sapphire Rapids, which foresees more of it, is up to a third slower with
 * states that don't stay in L1. */
static int64_t tile_columns(const kf__low *L, const kf__columns *c, int64_t n) {
    int64_t widest = L->target->amd ? c->most_tile : kf__min(c->most_tile, TILE_SIMPLE);
    int64_t each = L->target->thread_bytes, units = kf__max(1, c->chunks * c->outer);
    int64_t wanted = each ? kf__min(CHUNKS, kf__low_bytes(L) / each) : 1;
    int64_t most = units < wanted / 2 ? kf__ceil_div(n * units, wanted) : n;
    most = kf__ceil_div(kf__max(most, TILE_LEAST), KF__CPU_ROWS) * KF__CPU_ROWS;
    return kf__cpu_even_tile(n, kf__min(widest, most));
}

/* A function of short lines that are one given their leaves, if there may be any. True: they
 * are. */
static bool put_wide(kf__low *L, const kf__columns *c) {
    kf__columns wide = *c;
    int axis = kf__columns_find_wide(L, &wide);
    if (axis < 0) return false;
    wide.wide = axis;
    wide.most_tile = c->simple ? WIDE_SIMPLE : KF__CPU_MADE_ROW;
    wide.makes = !c->simple && (c->makes || kf__columns_find_made(L, &wide));
    if (!wide.makes) wide.made = (kf__held){0};
    bool is = kf__columns_is_wide(L, &wide, axis);
    put_chunks(L, &wide, NULL);
    if (!is) L->fn->units = 0;
    return is;
}

static bool is_same(const kf__held *a, const kf__held *b) {
    return a->n == b->n && a->n_stores == b->n_stores &&
           !memcmp(a->instr, b->instr, a->n * sizeof *a->instr);
}

/* A function of short rows, s, if they are made or stored otherwise than by c, of any rows, which
 * makes something or not. True: these are short. */
static bool put_short(kf__low *L, const kf__columns *c, kf__columns *s, bool makes) {
    kf__held run;
    if (!s->makes) s->made = (kf__held){0};
    bool runs = !s->made.n_stores && find_run(L, s, &run);
    bool other = s->makes && (s->simple || s->leafs || !makes || !is_same(&s->made, &c->made));
    if (!runs && !other) return false;
    int64_t n = L->axes[kf__last(L)].size, most = runs ? KF__CPU_SHORT : s->most_short;
    put_chunks(L, s, runs ? &run : NULL);
    bool is = n <= most && (!runs || kf__cpu_is_run(L, &run));
    if (s->few && !s->simple && n % KF__CPU_VECTOR == 0) is = false; /* nothing is left of it */
    if (s->made.n && kf__chooses(L, s->made.mask) && n % KF__CPU_LANES == 0)
        is = false; /* nor of bools */
    if (!is) L->fn->units = 0;
    return is;
}

/* Bytes and bfloat16 are made before they are reduced, in a function of their own, only in rows of
 * fewer elements than those that may be stored as one run. */
static bool put_few(kf__low *L, const kf__columns *c, kf__columns *s, bool makes) {
    if (!s->makes || makes || s->most_short > KF__CPU_FEW_BYTES) return false;
    kf__columns few = *s;
    few.few = true;
    bool are = put_short(L, c, &few, makes);
    s->makes = false;
    return are;
}

/* Are rows of float16 read, and nothing that is the same for all rows and would be widened once? */
static bool widens_rows(const kf__low *L, const kf__mask *mask) {
    int m = kf__low_only_reduced(L), last = kf__last(L);
    bool any = false;
    for (uint32_t i = 0; m >= 0 && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        const kf__operand *o = &L->operands[in->access];
        if (!kf__has(mask, i) || in->kind != KF__I_LOAD || o->dtype != KF__F16) continue;
        if (o->varies[last] && !o->varies[m]) return false;
        any = any || kf__low_step(L, in->access) == 1;
    }
    return any;
}

/* Is all that is reduced stored? */
static bool reduces_stored(const kf__low *L, const kf__columns *c) {
    bool all = true;
    for (uint32_t r = 0; r < c->n_reds; ++r) {
        uint16_t of = L->k->instrs[c->reds[r]].args[0];
        bool is = false;
        for (uint32_t s = 0; s < c->n_stores; ++s)
            is = is || L->k->stores[c->stores[s]].instr == of ||
                 kf__cpu_unrounded(L, c->stores[s]) == of;
        all = all && is;
    }
    return all;
}

/* Are rows that are stored reduced, or of float16, and nothing dear of them but rounding to that? A
 * row and all that is made of it would fill L1: of 3163x3161 float16 t = x + y; t, sum(t, 0) took a
 * Zen 4 5.8 ms, then 3.5; of 700x1000 float32 436 us, then 292; sum(x * y, 0) of 3000x3000 float16
 * 3.4 ms, then 1.8. */
static void find_pieces(kf__low *L, kf__columns *c) {
    if (!c->simple || L->tiled || L->k->n_symbols) return;
    const kf__mask *mask = kf__cpu_of_stage(L, 0);
    if (!mask || kf__takes_functions(L, mask)) return;
    for (uint32_t s = 0; s < c->n_stores; ++s) c->rounds |= kf__cpu_is_half(L, c->stores[s]);
    if (!c->n_stores) c->rounds = widens_rows(L, mask);
    c->ahead = c->n_stores && !reduces_stored(L, c) && kf__columns_folds_ahead(L, c);
    c->pieces = c->n_stores || c->rounds;
}

/* Columns of a tile where every element is looked at once. Memory begins anew with each part of a
 * row: h = x + y; h, sum(h, 0) of 300x8192 takes a Zen 4 1.6 ms in halves of rows, and 1.25; of
 * float16 sum(x * y, 0) 1.2 and .75. */
static int64_t simple_columns(kf__low *L, const kf__columns *c) {
    const kf__mask *mask = kf__cpu_of_stage(L, 0);
    int64_t bytes = 0;
    bool keeps = !mask;
    for (uint32_t i = 0; !keeps && !c->pieces && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool load = in->kind == KF__I_LOAD && (in->n_args || kf__low_step(L, in->access) > 1 ||
                                               L->operands[in->access].dtype == KF__F16);
        keeps = kf__has(mask, i) && (load || in->kind == KF__I_PICK || in->kind == KF__I_RANDOM);
    }
    for (uint32_t r = 0; r < c->n_reds; ++r)
        bytes += kf__types[kf__field_type(L, c->reds[r], 0)].size;
    if (keeps) return TILE_SIMPLE;
    return kf__max(TILE_SIMPLE, STATE_BYTES / kf__max(1, bytes));
}

/* What depends on how wide a tile is, and on what memory sees of it. */
static void set_tiles(kf__low *L, kf__columns *c, bool makes) {
    int64_t n = L->axes[kf__last(L)].size;
    c->most_tile = L->tiled ? KF__CPU_TURNED : c->simple ? simple_columns(L, c) : TILE;
    if (makes && !c->simple && !L->tiled) c->most_tile = KF__CPU_MADE_TILE;
    if (c->simple && !L->tiled && !c->pieces && kf__is_dear(L, kf__cpu_of_stage(L, 0)))
        c->most_tile = TILE_DEAR;
    if (L->k->n_symbols) c->most_tile = kf__min(c->most_tile, KF__CPU_BLOCK); /* see kf_nothing */
    c->tile = tile_columns(L, c, n);
    c->tiles = kf__max(1, kf__ceil_div(n, c->tile));
}

void kf__cpu_columns(kf__low *L) {
    kf__columns c = {.wide = -1};
    c.reds = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
    c.offsets = (int64_t(*)[KF__MAX_FIELDS])KF__NEW(L->arena, int64_t,
                                                     KF__MAX_FIELDS * (size_t)(L->k->n_instrs + 1));
    if (!c.reds || !c.offsets) {
        L->failed = true;
        return;
    }
    L->rows_inside = true;
    c.n_reds = kf__low_reductions(L, 0, c.reds);
    c.n_stores = kf__low_stores(L, 0, c.stores);
    c.simple = c.n_reds <= 2;
    for (uint32_t r = 0; r < c.n_reds; ++r) c.simple = c.simple && kf__is_simple(L, c.reds[r]);
    c.rows = kf__low_extent(L, true);
    c.chunk = chunk_rows(c.rows);
    c.chunks = kf__max(1, kf__ceil_div(c.rows, c.chunk));
    c.group = kf__min(c.chunk, KF__CPU_ROWS);
    int64_t n = L->axes[kf__last(L)].size;
    c.outer = n ? kf__low_extent(L, false) / n : 0;
    kf__columns s = c;
    s.is_short = true;
    s.makes = kf__columns_find_made(L, &s);
    bool makes = kf__columns_find_made(L, &c);
    find_pieces(L, &c);
    set_tiles(L, &c, makes);
    set_tiles(L, &s, s.makes);
    place_partials(L, &c);
    bool is_wide = put_wide(L, &s), are_few = put_few(L, &c, &s, makes);
    if (is_wide && are_few) L->fn->units = 0;
    bool is_short = put_short(L, &c, &s, makes);
    if (is_short && (is_wide || are_few)) L->fn->units = 0;
    is_short = is_short || are_few;
    c.makes = makes && !c.simple;
    if (!c.makes) c.made = (kf__held){0};
    c.leafs = false;
    put_chunks(L, &c, NULL);
    if (is_wide || is_short) L->fn->units = 0;
    put_merge_function(L, &c);
}
