/* Pointwise kernels on the CPU with operands that are contiguous along another axis t than the
 * innermost one: tiles over both, moved through L1 by blocks in registers.
 *
 *     for (u = begin; u < end; ++u)               a unit: one tile, `rows` of t by `len`
 *         kf_transpose4(tile0, pitch, p, ...)     for each such load; random words likewise
 *         for (line = 0; line < lines; ++line)    a block: a row, or several that are neighbours,
 *             kf_prefetch_run(...)                as without tiles, but loads are from the tiles
 *             for (l = 0; l < line_len; ++l)      and stores go to tiles; and a part of the next
 *                                                 tile is asked for
 *         kf_stream_transpose4(p, ..., tile1)     for each such store; kf_turn1 of bytes
 *
 * What is stored as it was loaded, beside other results, goes from memory to memory, first of all.
 *
 * Tiles are run-time words, as wide and high as the sizes allow: NHWC to NCHW has 3 rows. Their
 * rows are padded, as lines a power of two apart would share a set of the cache. */
#include "lower/cpu.h"

enum {
    KF__TILE_BYTES = 256, /* of a row of t: four lines of cache, as memory is slow to give fewer */
    KF__TILE_LEN = 128,   /* elements of the innermost axis */
    KF__TURNED_BYTES = 128, /* of a row of t, of results of few bytes that are turned, */
    KF__TURNED_LEN = 512,   /* and of their innermost axis */
    KF__WIDE_ROWS = 64,     /* a line of bytes, written whole, needn't go past the caches */
    KF__TILE_PAD = 16,
    KF__TILES = 512 << 10, /* bytes of all tiles, on the stack: bytes beside doubles are lower */
    KF__LEAST_ROWS = 16,
    KF__FEW_COLUMNS = 16, /* rows that leave vectors most of their elements; */
    MORE_COLUMNS = 80,    /* and some of a function: twice as many take the time of these */
    LONG_RUN = 1024,      /* elements that the processor itself asks for in time */
    CONVERTED = 512,      /* and of float16, which fill L1 while they are converted */
    SHARED_LINES = 8,     /* as much work for a thread, where threads share lines of results */
};

typedef struct tiles {
    uint16_t stores[64];
    uint32_t n_stores;
    uint16_t copied[64]; /* stores, too: turned, of what lies in memory; beside the others */
    uint32_t n_copied;
    kf__mask *mask;
    int t;
    int64_t rows, len, most; /* most: elements of a tile's buffer */
    const kf__lx *wide; /* a word: are they, so that bytes need not be streamed? NULL: no bytes */
    kf__of_lines own; /* of rows; n: 0, if they have nothing */
    bool flat; /* for this plan: several rows are a block */
    kf__leaves leaves; /* of short rows: what only a row's own loop can read; n: 0, or nothing */
    const kf__lx *pitch, *r0, *n_rows, *first, *n_len;
    const kf__lx *block, *lines; /* rows of a block, and blocks of the tile */
} tiles;

/* ---------------------------------------------------------------- the tile's shape */

/* Elements of t in a tile: those of whole lines of the narrowest array that is contiguous there. */
static int64_t most_rows(const kf__low *L) {
    int narrowest = 8;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        int size = kf__types[L->operands[i].dtype].size;
        if (kf__low_tiled(L, i) && size < narrowest) narrowest = size;
    }
    return KF__TILE_BYTES / narrowest;
}

static bool is_used(const kf__low *L, const tiles *s, uint32_t access) {
    bool used = L->operands[access].store;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        used |= kf__has(s->mask, i) && L->k->instrs[i].kind != KF__I_OP &&
                L->k->instrs[i].kind != KF__I_CAST && L->k->instrs[i].access == access;
    return used;
}

/* Of a short innermost axis all of a tile's elements are neighbours where all operands are, given
 * leaves: three channels of an image that had them apart. */
static bool is_flat(const kf__low *L, const tiles *s) {
    int last = kf__last(L), t = s->t;
    bool more = s->leaves.n && kf__is_dear(L, s->mask);
    bool few = L->axes[last].size <= (more ? MORE_COLUMNS : KF__FEW_COLUMNS);
    bool flat = s->leaves.n ? few : !L->k->n_symbols;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        if (s->leaves.n && !is_used(L, s, i)) continue;
        bool element = o->value || o->access->random,
             along = o->varies[last] && o->along[last].unit;
        if (kf__low_tiled(L, i) || (!o->varies[last] && !o->varies[t])) continue;
        flat &= element && along && o->varies[t] && o->stride[t] == L->axes[last].size;
    }
    return flat;
}

/* For each of their elements; random words are there twice. */
static int64_t bytes_of_tiles(const kf__low *L) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i))
            bytes += kf__types[L->operands[i].dtype].size * (L->operands[i].value ? 1 : 2);
    return bytes;
}

static bool turns_results(const kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i) && L->operands[i].value && L->operands[i].store) return true;
    return false;
}

/* Are there float16, in loops of their own? */
static bool converts(const kf__low *L) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (L->operands[i].value && L->operands[i].dtype == KF__F16) return true;
    return false;
}

/* Are they bytes, some of them at least? */
static bool turns_bytes(const kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) any |= kf__cpu_turns_bytes(L, i);
    return any;
}

/* Where results are turned, what is read isn't, and a row of halves takes a few calls to convert:
 * long rows then. x.T * 2, x + 1 of f16 2048x3000 took a Zen 3 8 to 9 ms by 128x128, then 6 to 8.
 * How large the buffer is does not depend on the sizes. */
static void pick_shape(const kf__low *L, tiles *s) {
    int64_t rows = most_rows(L), high = L->axes[s->t].size, wide = L->axes[kf__last(L)].size;
    int64_t area, fewer, bytes = bytes_of_tiles(L);
    bool turns = turns_results(L) && KF__TILE_BYTES / rows < 4, narrow = wide < KF__TILE_LEN;
    for (;; rows /= 2) {
        area = rows * (KF__TILE_LEN + KF__TILE_PAD);
        fewer = rows * KF__TURNED_BYTES / KF__TILE_BYTES;
        s->most = turns ? fewer * (KF__TURNED_LEN + KF__TILE_PAD) : area;
        if (rows <= KF__LEAST_ROWS || s->most * bytes <= KF__TILES) break;
    }
    s->rows = rows;
    s->len = KF__TILE_LEN;
    s->flat = narrow && is_flat(L, s);
    if (turns && high >= fewer && wide >= KF__TURNED_LEN) {
        s->rows = fewer;
        s->len = KF__TURNED_LEN;
    } else if (high < rows && !s->flat) {
        s->rows = kf__max(1, high);
        s->len = kf__min(converts(L) ? CONVERTED : KF__CPU_BLOCK, area / s->rows - KF__TILE_PAD);
        s->len = s->len / 16 * 16;
    } else if (narrow) {
        s->len = kf__max(1, wide);
        s->rows = kf__min(KF__CPU_BLOCK, area / (s->len + KF__TILE_PAD)) / 16 * 16;
        /* Long runs of what is turned; of what is read a tile that is in L1 with all else. x.T,
         * x * 2 of 100000x64 bytes took a Sapphire Rapids 2.7 ms by 32 rows, 1.8 by 576. */
        int64_t most = turns_results(L) ? s->most : kf__min(KF__CPU_BLOCK, area);
        if (s->flat) s->rows = most / s->len / 16 * 16;
    } else {
        /* What is next is asked for as far as this tile goes: relu(x).T of 317x316, in tiles of
         * 128, 128 and 60, took a Zen 4 95 us, then 77. */
        s->len = kf__cpu_even_tile(wide, KF__TILE_LEN);
    }
}

/* ---------------------------------------------------------------- between memory and tiles */

static const char *tile_name(kf__low *L, uint32_t i) {
    return kf__l_name(L, "tile%u", (unsigned)i);
}

/* Which accesses go through tiles here, with the instruction that reads it; stores have none. */
static bool is_read(const kf__low *L, const kf__mask *mask, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return kf__has(mask, i) && (in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM) &&
           kf__low_tiled(L, in->access);
}

static const kf__lx *item(kf__low *L, const char *pointer, const kf__lx *index) {
    return kf__l_bin(L, "+", kf__l_var(L, pointer), index);
}

/* A pointer to the tile's first element in memory. */
static void put_corner(kf__low *L, const tiles *s, uint32_t i) {
    const char *base = kf__word_operand(L, i);
    kf__put_let(L, kf__pointer_type(L, i), kf__cpu_corner(L, i),
                item(L, base, kf__low_offset(L, i, s->first)), NULL);
}

/* Does a guard say the same of all elements of a tile? */
static bool is_of_tile(const kf__low *L, const tiles *s, uint32_t guard) {
    const kf__instr *in = &L->k->instrs[guard];
    if (!kf__is_place(L, guard)) return false;
    if (in->kind != KF__I_INSIDE)
        return is_of_tile(L, s, in->args[0]) && is_of_tile(L, s, in->args[1]);
    const kf__operand *o = &L->operands[in->access];
    return o->affine && !o->varies[kf__last(L)] && !o->varies[s->t];
}

/* Whether what is read is part of this tile, where only a part of a pick is made of it, which other
 * tiles don't have: stack([z.T * x, x]). NULL: it may be. */
static const kf__lx *is_in_tile(kf__low *L, const tiles *s, uint32_t i) {
    uint32_t user = kf__only_user(L, i);
    while (user < UINT32_MAX &&
           (L->k->instrs[user].kind == KF__I_OP || L->k->instrs[user].kind == KF__I_CAST))
        i = user, user = kf__only_user(L, i);
    if (user == UINT32_MAX || L->k->instrs[user].kind != KF__I_PICK) return NULL;
    const kf__instr *pick = &L->k->instrs[user];
    bool part = pick->args[1] == i && (pick->args[2] != i || pick->field == KF__PICK_LAST);
    if (!part || pick->args[0] == i || !is_of_tile(L, s, pick->args[0])) return NULL;
    return kf__guard_at(L, pick->args[0], NULL);
}

static void put_fill(kf__low *L, const tiles *s, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__operand *o = &L->operands[in->access];
    const char *tile = tile_name(L, in->access);
    const kf__lx *stride = kf__word_stride(L, in->access, kf__last(L));
    if (in->kind == KF__I_LOAD) {
        put_corner(L, s, in->access);
        kf__put_var(L, kf__types[o->dtype].stored, tile, s->most, NULL);
        const kf__lx *zero = kf__l_int(L, 0), *size[] = {s->n_rows, s->n_len};
        const kf__lx *from[] = {zero, zero}, *to[] = {size[0], size[1]};
        if (in->n_args) kf__put_rectangle(L, i, s->t, s->first, size, from, to);
        const kf__lx *is = is_in_tile(L, s, i);
        if (is) kf__open_if(L, is);
        kf__cpu_prefetch_first(L, in->access, NULL, s->n_rows, s->n_len);
        const kf__lx *corner = kf__l_bin(L, "+", kf__l_bin(L, "*", from[1], stride), from[0]);
        const kf__lx *at = kf__l_bin(L, "+", kf__l_bin(L, "*", from[0], s->pitch), from[1]);
        kf__cpu_put_transpose(
            L, in->access, "kf_transpose", item(L, tile, at), s->pitch,
            item(L, kf__cpu_corner(L, in->access), corner), stride,
            kf__l_bin(L, "-", to[1], from[1]), kf__l_bin(L, "-", to[0], from[0]));
        if (is) kf__close(L);
        return;
    }
    const char *words = kf__l_name(L, "words%u", (unsigned)in->access);
    kf__put_var(L, kf__ctype(o->dtype), tile, s->most, NULL);
    kf__put_var(L, kf__ctype(o->dtype), words, s->most, NULL);
    const kf__lx *l = kf__l_var(L, "l"), *start = kf__l_bin(L, "*", l, s->n_rows);
    kf__open_for(L, "int64_t", "l", kf__l_int(L, 0), s->n_len, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *index =
        kf__l_bin(L, "+", kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset),
                  kf__low_offset(L, in->access, kf__l_bin(L, "+", s->first, l)));
    const char *fill = o->dtype == KF__I64 ? "kf_philox_fill_wide" : "kf_philox_fill";
    kf__put_call(L, kf__l_call(L, fill, KF__I32, kf__value_of(L, in->args[0]),
                               kf__value_of(L, in->args[1]), index, s->n_rows,
                               item(L, words, start)));
    kf__close(L);
    kf__cpu_put_transpose(L, in->access, "kf_transpose", kf__l_var(L, tile), s->pitch,
                          kf__l_var(L, words), s->n_rows, s->n_len, s->n_rows);
}

/* Of contiguous operands nothing where a tile has whole lines, which the processor foresees. */
static void put_prefetch(kf__low *L, const tiles *s, const kf__cpu_block *b) {
    const kf__lx *end = kf__l_bin(L, "+", s->first, s->n_len);
    kf__tiling t = {.a = kf__last(L), .d = s->t, .along = s->len, .down = s->rows,
                    .last = kf__l_bin(L, "==", end, kf__word_size(L, kf__last(L))),
                    .lines = kf__l_bin(L, ">", kf__l_var(L, "along"), kf__l_int(L, 1)),
                    .row = kf__l_var(L, "line"), .rows = s->lines, .run = s->n_rows,
                    .runs = s->n_len, .len = b->len, .cached = b->cached, .wide = s->wide};
    kf__cpu_prefetch_rows(L, s->mask, &t);
    kf__cpu_prefetch_next(L, s->mask, &t);
}

/* What is stored, or copied beside other results, has pointers of its own: those of lines, which
 * are asked for after them. Of parts of rows no processor foresees where the next one goes:
 * relu(z).T, z * 2 of 316x317 took a Zen 4 119 us, then 93; of 3161x3163 10.3 ms, then 8.4. */
static void need_lines(kf__low *L, const tiles *s, const kf__cpu_block *b) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (!kf__has(s->mask, i) || in->kind != KF__I_LOAD || in->n_args || b->tile[in->access])
            continue;
        if (kf__low_step(L, in->access) == 1) kf__cpu_need_pointer(L, b, in->access);
    }
    for (uint32_t i = 0; i < s->n_stores; ++i) {
        uint32_t access = L->k->stores[s->stores[i]].access;
        if (!kf__low_tiled(L, access) && kf__low_step(L, access) == 1)
            kf__cpu_need_pointer(L, b, access);
    }
}

static const kf__lx *min_of(kf__low *L, const kf__lx *a, const kf__lx *b) {
    return kf__l_call(L, "kf_min_i64", KF__I64, a, b);
}

/* What the tile's rows have of their own. */
static void put_own(kf__low *L, const tiles *s) {
    const kf__lx *r = kf__l_var(L, "r");
    kf__cpu_declare_of_lines(L, &s->own, KF__CPU_BLOCK);
    kf__open_for(L, "int64_t", "r", kf__l_int(L, 0), s->n_rows, kf__l_int(L, 1), KF__SIMD);
    kf__put_let(L, "int64_t", L->axes[s->t].var, kf__l_bin(L, "+", s->r0, r), NULL);
    kf__cpu_put_of_line(L, &s->own, r);
    kf__close(L);
}

static bool is_of(const kf__low *L, const uint16_t *stores, uint32_t n, uint32_t access) {
    for (uint32_t i = 0; i < n; ++i)
        if (L->k->stores[stores[i]].access == access) return true;
    return false;
}

static void put_row(kf__low *L, const tiles *s) {
    const kf__lx *line = kf__l_var(L, "line");
    kf__open_for(L, "int64_t", "line", kf__l_int(L, 0), s->lines, kf__l_int(L, 1), KF__SERIAL);
    const kf__lx *r = kf__put_let(L, "int64_t", "r", kf__l_bin(L, "*", line, s->block), NULL);
    const kf__lx *rows = min_of(L, kf__l_bin(L, "-", s->n_rows, r), s->block);
    const kf__lx *len =
        kf__put_let(L, "int64_t", "line_len", kf__l_bin(L, "*", rows, s->n_len), NULL);
    kf__put_let(L, "int64_t", L->axes[s->t].var, kf__l_bin(L, "+", s->r0, r), NULL);
    kf__cpu_block b;
    kf__cpu_open_line(L, &b, s->first, len);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (!kf__low_tiled(L, i) || is_of(L, s->copied, s->n_copied, i)) continue;
        b.tile[i] = kf__l_name(L, "row%u", (unsigned)i);
        kf__put_let(L, kf__pointer_type(L, i), b.tile[i],
                    item(L, tile_name(L, i), kf__l_bin(L, "*", r, s->pitch)), NULL);
    }
    if (s->leaves.n) {
        const kf__lx *row = kf__l_bin(L, "+", s->r0, r);
        row = kf__put_let(L, "int64_t", "first_row", row, NULL);
        const kf__lx *n = kf__put_let(L, "int64_t", "line_rows", rows, NULL);
        kf__leaf_rows of = {row, n, s->first, s->n_len, KF__LEAVES_OF_TILES};
        kf__cpu_put_leaves(L, &s->leaves, &of);
        kf__cpu_hold_leaves(L, &s->leaves, kf__l_var(L, "l"));
    } else {
        kf__cpu_read_of_lines(L, &s->own, r);
        kf__cpu_put_block_tables(L, &b, s->mask);
    }
    kf__cpu_line(L, &b, s->mask, s->stores, s->n_stores);
    need_lines(L, s, &b);
    put_prefetch(L, s, &b);
    kf__cpu_forget(L, NULL);
    kf__close(L);
}

/* ---------------------------------------------------------------- the nest */

/* Rows that are one block: a few where they are neighbours, of which only what is turned is asked
 * for ahead. */
static int64_t rows_of_block(const tiles *s) {
    return s->flat ? KF__CPU_BLOCK / s->len / 16 * 16 : 1;
}

static const kf__lx *blocks_of(kf__low *L, const tiles *s) {
    const kf__lx *more = kf__l_bin(L, "-", kf__l_bin(L, "+", s->n_rows, s->block), kf__l_int(L, 1));
    return kf__l_bin(L, "/", more, s->block);
}

/* The axes' variables and the tile's corner, from the unit's number. */
static void put_tile(kf__low *L, tiles *s) {
    const kf__lx *u = kf__l_var(L, "u");
    const kf__lx *size = kf__word_size(L, kf__last(L)), *high = kf__word_size(L, s->t);
    const kf__lx *len = kf__word_int(L, "tile_len", s->len);
    const kf__lx *rows = kf__word_int(L, "tile_rows", s->rows);
    const kf__lx *along = kf__word_int(L, "along", kf__ceil_div(L->axes[kf__last(L)].size, s->len));
    const kf__lx *across = kf__word_int(L, "across", kf__ceil_div(L->axes[s->t].size, s->rows));
    bool wide = s->rows >= KF__WIDE_ROWS && s->len >= KF__TURNED_LEN;
    if (turns_bytes(L)) s->wide = kf__word_int(L, "wide", wide);
    s->pitch = kf__word_int(L, "pitch", s->len + (s->flat ? 0 : KF__TILE_PAD));
    const kf__lx *rest = kf__put_let(L, "int64_t", "rest", kf__l_bin(L, "/", u, along), NULL);
    s->first = kf__put_let(L, "int64_t", "first",
                           kf__l_bin(L, "*", kf__l_bin(L, "%", u, along), len), NULL);
    s->r0 = kf__put_let(L, "int64_t", "r0",
                        kf__l_bin(L, "*", kf__l_bin(L, "%", rest, across), rows), NULL);
    s->n_len = kf__put_let(L, "int64_t", "len", min_of(L, kf__l_bin(L, "-", size, s->first), len),
                           NULL);
    s->n_rows = kf__put_let(L, "int64_t", "rows", min_of(L, kf__l_bin(L, "-", high, s->r0), rows),
                            NULL);
    s->block = kf__word_int(L, "block", rows_of_block(s));
    s->lines = kf__put_let(L, "int64_t", "lines", blocks_of(L, s), NULL);
    kf__put_decode(L, false, true,
                   kf__put_let(L, "int64_t", "outer", kf__l_bin(L, "/", rest, across), NULL));
}

static int64_t count_units(const kf__low *L, const tiles *s) {
    int64_t n = kf__ceil_div(L->axes[kf__last(L)].size, s->len) *
                kf__ceil_div(L->axes[s->t].size, s->rows);
    for (int m = 0; m < kf__last(L); ++m)
        if (m != s->t) n *= L->axes[m].size;
    return n;
}

/* How many bytes of work it is: what is transposed moves twice. Of results that are, threads write
 * parts of the same lines of the cache, so that several are worth while for large ones only. */
static int64_t work_bytes(const kf__low *L) {
    int64_t bytes = L->fn->work_bytes;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i)
        if (kf__low_tiled(L, i) && L->operands[i].value) bytes += kf__low_bytes_of(L, i);
    return turns_results(L) ? bytes / SHARED_LINES : bytes;
}

static bool is_copied(const kf__low *L, uint16_t store, int t) {
    const kf__store *to = &L->k->stores[store];
    const kf__instr *in = &L->k->instrs[to->instr];
    if (in->kind != KF__I_LOAD || in->n_args || !kf__low_tiled(L, to->access)) return false;
    const kf__operand *from = &L->operands[in->access];
    return from->dtype == L->operands[to->access].dtype && from->dtype != KF__BOOL &&
           !kf__low_tiled(L, in->access) && kf__low_step(L, in->access) == 1 && from->varies[t];
}

static void find_copied(const kf__low *L, tiles *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_stores && !L->k->n_symbols; ++i) {
        if (is_copied(L, s->stores[i], s->t)) s->copied[s->n_copied++] = s->stores[i];
        else s->stores[n++] = s->stores[i];
    }
    if (n) s->n_stores = n;
    else s->n_copied = 0;
}

/* To where it is turned. 317x316: z.T, z + x took a Zen 4 134 us through a tile, then 117. */
static void put_copied(kf__low *L, const tiles *s, uint16_t store) {
    uint32_t access = L->k->stores[store].access;
    uint32_t load = L->k->instrs[L->k->stores[store].instr].access;
    const char *from = kf__l_name(L, "from%u", (unsigned)access);
    put_corner(L, s, access);
    kf__put_let(L, kf__pointer_type(L, load), from,
                item(L, kf__word_operand(L, load), kf__low_offset(L, load, s->first)), NULL);
    kf__cpu_flush_tile(L, access, from, kf__word_stride(L, load, s->t), s->n_rows, s->n_len,
                       s->wide);
}

/* What the tile's elements are made of, given leaves. */
static void find_leaves(kf__low *L, tiles *s) {
    uint16_t roots[64];
    kf__mask *all = s->mask;
    for (uint32_t i = 0; i < s->n_stores; ++i) roots[i] = L->k->stores[s->stores[i]].instr;
    if (kf__cpu_scatters(L) || !kf__cpu_find_leaves(L, roots, s->n_stores, s->t, &s->leaves)) {
        s->leaves.n = 0;
        return;
    }
    kf__cpu_hold_leaves(L, &s->leaves, kf__l_int(L, 0));
    s->mask = kf__cpu_line_mask(L, s->stores, s->n_stores);
    kf__cpu_hold_leaves(L, &s->leaves, NULL);
    bool makes = false; /* anything of them */
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        makes |= kf__has(s->mask, i) && L->k->instrs[i].kind == KF__I_OP;
    if (makes) return;
    s->leaves.n = 0;
    s->mask = all;
}

/* short_rows: given leaves, if there are any. Is it for this plan? */
static bool put_tiles(kf__low *L, bool short_rows) {
    tiles s = {.t = L->tile};
    s.n_stores = kf__low_stores(L, 0, s.stores);
    find_copied(L, &s);
    if (short_rows) find_leaves(L, &s);
    if (short_rows && !s.leaves.n) return false;
    pick_shape(L, &s);
    kf__low_begin(L, short_rows ? "_short" : "",
                  short_rows ? "Tile by tile, of short rows, which are one run: what is transposed "
                               "goes through tiles in L1."
                             : "Tile by tile: what is transposed goes through tiles in L1.");
    L->fn->units = count_units(L, &s);
    L->fn->work_bytes = work_bytes(L);
    int64_t line = kf__min(s.len, L->axes[kf__last(L)].size);
    L->fn->grain = kf__max(1, 4096 / kf__max(1, line * kf__min(s.rows, L->axes[s.t].size)));
    bool stream = kf__cpu_stream_word(L);
    kf__put_scalars(L);
    kf__mask *all = s.mask = kf__cpu_line_mask(L, s.stores, s.n_stores);
    if (!short_rows && !L->k->n_symbols && kf__cpu_find_of_lines(L, s.mask, &s.own))
        s.mask = kf__cpu_mask_of_elements(L, &s.own, s.stores, s.n_stores);
    kf__tables tables = {0};
    if (kf__cpu_find_tables(L, s.mask, KF__CPU_BLOCK, &tables)) {
        L->tables = &tables;
        s.mask = kf__cpu_table_mask(L, &tables, s.stores, s.n_stores);
    }
    if (short_rows) find_leaves(L, &s);
    s.flat = s.flat && (!short_rows || s.leaves.n); /* tables may leave nothing, or too much */
    bool few = s.flat && L->axes[kf__last(L)].size <= KF__FEW_COLUMNS;
    /* z.T, z * 2 of 3x1000000: a Zen 4 took 2.0 ms, and then 1.5. */
    bool runs = s.len >= LONG_RUN && turns_results(L) && !converts(L);
    kf__cpu_prefetch_word(L, !few && !runs);
    kf__open_for(L, "int64_t", "u", kf__l_var(L, "begin"), kf__l_var(L, "end"), kf__l_int(L, 1),
                 KF__SERIAL);
    put_tile(L, &s);
    const char *var = L->axes[s.t].var;
    L->axes[s.t].var = "r0"; /* corners are where the tile begins */
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (is_read(L, all, i)) put_fill(L, &s, i);
    for (uint32_t i = 0; i < s.n_copied; ++i) put_copied(L, &s, s.copied[i]);
    for (uint32_t i = 0; i < s.n_stores; ++i) {
        uint32_t access = L->k->stores[s.stores[i]].access;
        if (!kf__low_tiled(L, access)) continue;
        put_corner(L, &s, access);
        kf__put_var(L, kf__types[L->operands[access].dtype].stored, tile_name(L, access), s.most,
                    NULL);
    }
    L->axes[s.t].var = var;
    if (s.own.n) put_own(L, &s);
    put_row(L, &s);
    for (uint32_t i = 0; i < s.n_stores; ++i) {
        uint32_t access = L->k->stores[s.stores[i]].access;
        if (kf__low_tiled(L, access))
            kf__cpu_flush_tile(L, access, tile_name(L, access), s.pitch, s.n_rows, s.n_len,
                               s.wide);
    }
    kf__close(L);
    if (stream) kf__cpu_fence(L);
    L->tables = NULL;
    if (short_rows && !s.flat) L->fn->units = 0;
    return short_rows && s.flat;
}

void kf__cpu_tiles(kf__low *L) {
    bool is_short = put_tiles(L, true);
    put_tiles(L, false);
    if (is_short) L->fn->units = 0;
}
