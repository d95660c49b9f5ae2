/* The shape of columns on CUDA: how many rows and columns a thread, a block and a part have. What
 * the text and the bits depend on, the tile and the parts, is a function of the kernel and of the
 * number of rows; how many groups, pieces or lines a block takes beside one another depends on the
 * columns and lines, too. */
#include "lower/cuda_columns.h"

enum {
    KF__ROWS_IN_FLIGHT = 8,
    KF__ELEMENTS_IN_FLIGHT = 96, /* of a thread, at most: registers */
    KF__LONG_ROWS = 4,           /* of long functions, one column a thread */
    KF__FEW_ROWS = 16,           /* at most, of one thread */
    KF__FEW_DEAR_ROWS = 4,       /* of them in flight where there are functions */
    KF__CLUSTER_ROWS = 2048,     /* at most; of more rows clusters lose to groups */
    KF__BLOCKS_A_SM = 2,         /* of clusters: more of them gain nothing */
    KF__LONG_BLOCKS_A_SM = 8,    /* of long functions */
    KF__GROUP_ROWS = 128,        /* at least */
    KF__LIGHT_GROUP_ROWS = 256,  /* of sums of what is read: more blocks only wait for their turn */
    KF__LONG_GROUP_ROWS = 32,    /* of long functions, */
    KF__DEAR_GROUP_ROWS = 64,    /* of others, where states take time to merge, */
    KF__DEAR_ROWS = 1 << 15,     /* up to so many rows */
    KF__COLUMN_GROUPS = 2048,    /* at most, of one column; of functions twice as many */
};

/* Is there such an operation in what is reduced? */
static bool has_function(kf__low *L, const kf__column_kernel *c, bool (*such)(kf__opcode op)) {
    uint16_t roots[64];
    if (L->tiled) return false;
    uint32_t n = (uint32_t)kf__min(c->phase.n_reds, 64);
    for (uint32_t r = 0; r < n; ++r) roots[r] = L->k->instrs[c->reds[r]].args[0];
    const kf__mask *mask = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    for (uint32_t i = 0; mask && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (kf__has(mask, i) && in->kind == KF__I_OP && such((kf__opcode)in->op)) return true;
    }
    return false;
}

/* Side by side these don't help each other: of two columns a thread logsumexp(atan2(x, y), 0) of
 * 97x103 took an H100 4.6 us, of one 3.2; softmax(fmod(x, y), 0) 7.0 and 5.0. */
static bool is_branching(kf__opcode op) {
    return kf__op_is_long(op) || op == KF__ATAN2 || op == KF__TAN;
}

static bool are_simple(const kf__low *L, const kf__column_kernel *c) {
    bool simple = true;
    for (uint32_t r = 0; r < c->phase.n_reds; ++r) simple &= kf__is_simple(L, c->reds[r]);
    return simple;
}

/* Twice the rows in flight, where a chunk has as many: loads that wait for the stores of the tile
 * before, or of which a cluster's threads have few. */
static bool is_worth_twice(const kf__column_kernel *c) {
    if (c->pieces) return false;
    return c->clusters ? c->rows > KF__CLUSTER_BLOCKS * KF__DOWN * KF__ROWS_IN_FLIGHT
                       : c->phase.n_stores > 0;
}

static int64_t group_rows(const kf__low *L, const kf__column_kernel *c) {
    if (c->is_long) return KF__LONG_GROUP_ROWS;
    if (c->dear && !c->simple && c->rows <= KF__DEAR_ROWS) return KF__DEAR_GROUP_ROWS;
    bool light = c->simple && !c->dear && !c->gathers && !c->phase.n_stores && !L->tiled;
    return light ? KF__LIGHT_GROUP_ROWS : KF__GROUP_ROWS;
}

static int64_t most_parts(const kf__column_kernel *c) {
    if (c->clusters) return KF__CLUSTER_BLOCKS;
    return (c->dear ? 2 : 1) * KF__COLUMN_GROUPS;
}

static void pick_parts(const kf__low *L, kf__column_kernel *c) {
    int64_t step = c->step, most = most_parts(c);
    c->parts = 1;
    if (c->down == 1) return;
    c->part = kf__ceil_div(kf__ceil_div(c->rows, most), step) * step;
    c->part = kf__max(c->part, c->clusters ? step : group_rows(L, c));
    c->parts = kf__max(1, kf__ceil_div(c->rows, c->part));
    if (!c->pieces) return;
    c->piece = kf__ceil_div(kf__ceil_div(c->part, KF__PIECES), step) * step;
    c->pieces = kf__ceil_div(c->part, c->piece);
}

/* Threads, in whole warps, of a block that takes so many groups beside one another; and of an SM's
 * blocks, where all SMs have equally many: how long it takes. */
static int64_t threads_of(const kf__column_kernel *c, int64_t beside) {
    return kf__ceil_div(c->across * beside * KF__DOWN, 32) * 32;
}

static int64_t threads_of_all(const kf__low *L, const kf__column_kernel *c, int64_t beside) {
    int64_t tiles = kf__ceil_div(c->width, c->across * c->tile.W);
    int64_t blocks = c->outer * tiles * kf__ceil_div(c->parts, beside);
    return kf__ceil_div(blocks, L->target->sms) * threads_of(c, beside);
}

/* Threads beyond the last column would idle: a block takes several groups, where enough blocks are
 * left, and is launched without the warps that have none. var(softplus(x), 0) of 100,000 x 10 takes
 * an H100 13.8 us by two groups, 20 columns of whole warps, 14.7 us by three. Of tiles all threads
 * go round as often. */
static void pick_groups_beside(kf__low *L, kf__column_kernel *c) {
    int64_t threads = kf__max(1, kf__ceil_div(c->width, c->tile.W));
    if (L->tiled) return;
    c->across = kf__min(threads, KF__ACROSS);
    int64_t most = kf__min(KF__ACROSS / c->across, c->outer * c->parts / L->target->sms);
    most = kf__max(1, kf__min(most, c->parts));
    c->beside = most;
    for (int64_t n = most - 1; 2 * n >= most; --n)
        if (threads_of_all(L, c, n) < threads_of_all(L, c, c->beside)) c->beside = n;
    c->launched = (int)threads_of(c, c->beside);
}

/* A cluster's block takes several lines of few columns, outers, as long as enough blocks are left:
 * 15,624 of 64 rows and three columns took an H100 55 us by a block each. And several pieces of
 * each: of a single line also of fewer columns as long as more blocks gain. */
static void pick_lines_beside(kf__low *L, kf__column_kernel *c) {
    int64_t threads = kf__max(1, kf__ceil_div(c->width, c->tile.W));
    int64_t enough = (c->is_long ? KF__LONG_BLOCKS_A_SM : KF__BLOCKS_A_SM) * L->target->sms;
    c->across = KF__ACROSS;
    if (L->tiled) return; /* all threads go round as often */
    c->lines = kf__max(1, kf__min(KF__ACROSS / threads, c->outer / enough));
    for (int k = 0; 1 << k <= kf__max(1, c->pieces); ++k) {
        int64_t across = KF__ACROSS >> k, tiles = kf__ceil_div(threads, across);
        bool none = c->lines > 1 ? threads * c->lines > across
                                 : tiles > 1 && c->outer * tiles * c->parts > enough;
        if (k && none) break;
        c->across = c->lines > 1 ? threads : across;
        c->shift = k;
        c->beside = c->lines << k;
    }
}

/* Does it pay to have threads beside one another do a chunk's functions, of which there is more
 * than a tile? Reads alone are better off with as many rows of a thread in flight. */
static bool is_in_pieces(const kf__column_kernel *c) {
    int64_t rows = KF__DOWN * (c->is_long ? KF__LONG_ROWS : KF__ROWS_IN_FLIGHT);
    return c->clusters && c->rows > KF__CLUSTER_BLOCKS * rows && c->dear;
}

/* Does a column choose by itself what is loaded? A row that a gather's index leads to is there or
 * not for all of them. gathers: are there such? */
static bool are_guarded(kf__low *L, bool *gathers) {
    const uint16_t *lead = L->lead;
    kf__mask *guarded = kf__low_mask(L);
    bool any = false;
    for (uint32_t i = 0; guarded && i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind == KF__I_LOAD && in->level == KF__LEVEL_FULL && in->n_args)
            kf__add(guarded, i);
    }
    if (!guarded) {
        L->failed = true;
        return false;
    }
    kf__cuda_share(L, guarded); /* as far as is known yet */
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(guarded, i)) continue;
        any = any || !kf__cuda_is_of_rows(L, i);
        *gathers = true;
    }
    L->lead = lead;
    *gathers = *gathers && !any;
    return any;
}

/* bytes: of a column's states of all threads in shared memory, of which there is `room`. */
static void pick_tile(kf__low *L, kf__column_kernel *c, int bytes, int room) {
    kf__tile *t = &c->tile;
    bool single = are_guarded(L, &c->gathers) || L->tiled;
    int width = kf__cuda_width(L), loads = (int)kf__max(1, kf__cuda_n_loads(L));
    /* Of few rows by two: halves of rows that aren't aligned are loaded one by one. */
    int most = c->clusters ? 2 : 4;
    if (c->down == 1) most = width / 4; /* neighbours' results by neighbouring threads */
    c->pieces = is_in_pieces(c) && bytes * (KF__PIECES + 1) <= room;
    if (c->clusters) bytes *= c->pieces ? KF__PIECES + 1 : 2; /* and of as many chunks */
    t->W = single ? 1 : (int)kf__max(1, kf__min(most, kf__max(2, width / 2)));
    while (t->W > 1 && bytes * t->W > room) t->W /= 2;
    t->V = KF__ROWS_IN_FLIGHT;
    /* Gathers wait twice for memory, for an index and for what it leads to. */
    if (c->gathers && (c->clusters ? is_worth_twice(c) : c->down > 1)) t->V *= 2;
    while (t->V > 1 && t->V * t->W * loads > KF__ELEMENTS_IN_FLIGHT) t->V /= 2;
    if (L->tiled) {
        t->V = KF__TILE_ROWS / KF__DOWN;
        t->between = kf__cuda_exchange_tiles;
    }
    c->step = c->down * t->V; /* whatever a thread holds then */
    if (has_function(L, c, is_branching)) t->W = 1;
    if (c->down == 1) {
        if (c->dear) t->V = (int)kf__min(t->V, KF__FEW_DEAR_ROWS);
    } else if (!L->tiled && c->simple) { /* else what a tile holds shows in the bits */
        int rows = t->V > KF__ROWS_IN_FLIGHT ? t->V : 2 * t->V;
        /* Long functions unrolled 16 times don't fit the cache of instructions, and where threads
         * are few they wait for each other. */
        if (c->is_long)
            t->V = (int)kf__min(t->V, KF__LONG_ROWS), c->step = KF__DOWN * t->V;
        else if (t->W <= 2 && is_worth_twice(c) && rows * t->W * loads <= KF__ELEMENTS_IN_FLIGHT)
            t->V = rows;
    }
    c->apart = !single && !c->is_long;
    t->inside = t->W == 1;
    t->vec = kf__cuda_wide(L, t->W);
}

void kf__pick_columns(kf__low *L, kf__column_kernel *c) {
    /* Shared memory has the states of a block's threads and, in a cluster, as many of its
     * chunks. */
    int bytes = kf__column_bytes(L, c) * KF__THREADS;
    int room = KF__SHARED_BYTES - kf__cuda_tile_bytes(L) - (int)sizeof(uint64_t); /* messages' */
    c->is_long = has_function(L, c, kf__op_is_long);
    c->dear = has_function(L, c, kf__op_is_dear);
    c->simple = are_simple(L, c);
    c->down = c->rows <= KF__FEW_ROWS && !L->tiled ? 1 : KF__DOWN;
    c->clusters = c->down > 1 && L->target->sm >= 90 && c->rows <= KF__CLUSTER_ROWS &&
                  2 * bytes <= room;
    pick_tile(L, c, bytes, room);
    pick_parts(L, c);
    c->across = c->down == 1 ? 1 : KF__ACROSS;
    if (c->clusters)
        pick_lines_beside(L, c);
    else if (c->down > 1)
        pick_groups_beside(L, c);
    c->tiles = kf__max(1, kf__ceil_div(c->width, c->across * c->tile.W));
    int64_t outers = kf__ceil_div(c->outer, kf__max(1, c->lines));
    int64_t enough = KF__BLOCKS_A_SM * L->target->sms / kf__max(1, outers * c->tiles);
    c->blocks = c->clusters ? kf__max(1, kf__min(c->parts, enough))
                            : kf__ceil_div(c->parts, kf__max(1, c->beside));
}
