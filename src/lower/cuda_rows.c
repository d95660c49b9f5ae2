/* Rows in registers: kernels whose innermost axis is reduced, and what they reduce short enough. Of
 * several reduced axes a row is so many lines, and its packs are counted through all of them.
 *
 *     lanes of a row   1, 2, 4, 8   as its packs are; several rows a block, butterflies only
 *                      32           the same
 *                      64 ... 512   a row a block: warps' states through shared memory
 *                      cluster      a row over 2, 4 or 8 blocks, which send each other their states
 *
 * Each thread loads its packs once and keeps what later stages need. The bucket, and with it the
 * order of every sum, is a function of the row's length, the pack's width and the architecture. */
#include "lower/cuda_loop.h"

typedef struct bucket {
    int64_t packs; /* rows of up to so many packs */
    int lanes, V, cluster; /* the first one's lanes are so many at most */
} bucket;

/* With the loops for still longer rows: ten texts over all lengths. */
static const bucket buckets[] = {
    {8, 8, 1, 1},      {32, 32, 1, 1},    {128, 32, 4, 1},
    {512, 128, 4, 1},  {1024, 256, 4, 1}, {2048, 256, 8, 1},
    {4096, 256, 8, 2}, {8192, 256, 8, 4}, {16384, 128, 16, 8},
};

enum { KF__ROW_THREADS = 128 }; /* of a block of several rows */

/* Elements times values kept for each that a thread has: of more of them, more threads. Blocks of a
 * cluster wait for each other, so that others should fit in beside them. What is far more than the
 * registers that there are is a loop's: unrolled, it would compile for a minute. */
enum { KF__KEPT = 96, KF__KEPT_OF_CLUSTER = 48, KF__MOST_KEPT = 1024 };

/* As many lanes as a row has packs: a number of the plan. */
static bool has_few(const bucket *b) { return b->lanes == 8; }

/* Half the lanes that merge by butterflies. */
static const kf__lx *half_of(kf__low *L, const bucket *b) {
    if (!has_few(b)) return kf__l_int(L, kf__min(b->lanes, 32) / 2);
    return kf__l_bin(L, "/", kf__l_var(L, "lanes"), kf__l_int(L, 2));
}

/* Values that a thread keeps for each element. */
static int kept_values(kf__low *L) {
    int n = kf__cuda_n_loads(L);
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        n += in->kind == KF__I_INDEX && in->level == KF__LEVEL_FULL && in->stage == 0;
    }
    return n;
}

/* filled: packs of a warp that each row of the bucket has some element of. */
static bool pick(kf__low *L, int width, bucket *out, int *filled) {
    int64_t packs = kf__loop_packs(L, width);
    for (size_t b = 0; b < KF__COUNT(buckets); ++b) {
        if (packs > buckets[b].packs) continue;
        *out = buckets[b];
        if (out->cluster > 1 && (L->target->sm < 90 || kf__low_reduced_axes(L) > 1)) return false;
        int kept = width * kept_values(L);
        int most = out->cluster > 1 ? KF__KEPT_OF_CLUSTER : KF__KEPT;
        while (out->V > 1 && out->lanes >= 32 && out->lanes < 512 && out->V * kept > most)
            out->V /= 2, out->lanes *= 2;
        /* Each load under a guard is waited for before the next pack's. */
        while (out->V > 1 && out->lanes < 128 && kf__cuda_is_guarded(L))
            out->V /= 2, out->lanes *= 2;
        if (out->V * kept > KF__MOST_KEPT) return false;
        int fewest = b ? (int)buckets[b - 1].packs + 1 : 1, all = out->lanes * out->cluster;
        *filled = (fewest + 31) / all; /* the last warp's first lane has pack 32 before the next */
        return true;
    }
    return false;
}

static void head(kf__low *L, kf__tile *t, const kf__lx *s) {
    const kf__lx *q = kf__l_bin(L, "+", t->base, kf__l_bin(L, "*", s, t->step));
    const char *type = L->affine ? "int" : "int64_t"; /* else it is multiplied with sizes,
                                                       * divided */
    t->j = kf__put_let(L, type, "j", kf__l_bin(L, "*", q, kf__l_int(L, t->W)), NULL);
    t->left = kf__put_let(L, "int", "left", kf__l_bin(L, "-", t->live, t->j), NULL);
}

/* Packs as long as a line is, where lines are shorter than a pack. */
static int pick_width(const kf__low *L) {
    int width = kf__cuda_width(L);
    int64_t line = L->axes[kf__last(L)].size;
    while (kf__low_reduced_axes(L) > 1 && width > 1 && line <= width / 2) width /= 2;
    return width;
}

static void put_accumulators(kf__low *L, kf__phase *p, int f) {
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (kf__fields(L, p->reds[r]) > f)
            p->acc[r][f] = kf__put_var(L, kf__ctype(kf__field_type(L, p->reds[r], f)),
                                       kf__field_name(L, "state", p->reds[r], f), 0,
                                       kf__identity(L, p->reds[r], f));
}

/* Fold field f over lanes, warps and the cluster's blocks. exchanges: how many have been. */
static void put_exchange(kf__low *L, const bucket *b, kf__phase *p, int f, uint32_t stage,
                         int *exchanges) {
    kf__states st = {.reds = p->reds, .n_reds = p->n_reds, .field = p->acc, .only = 1 + f};
    uint32_t id = stage + 64 * (uint32_t)f;
    kf__cuda_merge_lanes(L, &st, half_of(L, b));
    kf__cuda_merge_warps(L, &st, b->lanes, id);
    if (b->cluster == 1) return;
    if (!*exchanges) kf__put_call(L, kf__l_callv(L, "kf_cluster_wait", KF__I64, 0, NULL));
    kf__cuda_merge_cluster(L, &st, b->cluster, id, (*exchanges)++);
}

static int most_fields(const kf__low *L, const uint16_t *reds, uint32_t n) {
    int most = 0;
    for (uint32_t r = 0; r < n; ++r)
        if (kf__fields(L, reds[r]) > most) most = kf__fields(L, reds[r]);
    return most;
}

/* All exchanges of the kernel. */
static int count_exchanges(const kf__low *L, uint16_t *reds) {
    int exchanges = 0;
    for (uint32_t s = 0; s < L->k->n_stages; ++s)
        exchanges += most_fields(L, reds, kf__low_reductions(L, s, reds));
    return exchanges;
}

/* Reductions whose exponentials are shared go last; gives how many the others are. */
static uint32_t shared_last(const kf__low *L, uint16_t *reds, uint32_t n) {
    uint32_t plain = 0, difference, power;
    for (uint32_t r = 0; r < n; ++r) {
        if (kf__low_find_exp(L, reds[r], &difference, &power)) continue;
        uint16_t red = reds[r];
        reds[r] = reds[plain];
        reds[plain++] = red;
    }
    return plain;
}

/* Field f of each reduction is that of the whole row before field f + 1 is begun, over elements
 * that the threads still have: so states are folded, never merged. */
static void put_reductions(kf__low *L, kf__tile *t, const bucket *b, kf__phase *p, uint32_t plain,
                           uint32_t stage, int *exchanges) {
    int fields = most_fields(L, p->reds, p->n_reds);
    kf__phase rest = *p;
    rest.n_reds = plain;
    for (int f = 0; f < fields && !L->failed; ++f) {
        if (f > 0) {
            put_accumulators(L, &rest, f);
            kf__cuda_field(L, t, &rest, f, p->acc);
        }
        for (uint32_t r = plain; f == 1 && r < p->n_reds; ++r) {
            uint32_t difference, power;
            kf__low_find_exp(L, p->reds[r], &difference, &power);
            p->acc[r][1] = kf__cuda_exp(L, t, p->reds[r], difference, power);
        }
        put_exchange(L, b, p, f, stage, exchanges);
        for (uint32_t r = 0; r < p->n_reds; ++r) {
            if (kf__fields(L, p->reds[r]) <= f) continue;
            const kf__lx *acc = p->acc[r][f], *n = kf__count_as(L, p->reds[r], t->live);
            const kf__lx *closed = kf__close_of(L, p->reds[r], f, acc, p->acc[r][0], n, NULL);
            if (closed != acc) kf__put_set(L, acc, closed);
            kf__put_project_of(L, p->reds[r], f, acc, kf__l_var(L, "n"));
        }
    }
}

static void put_stage(kf__low *L, kf__tile *t, const bucket *b, uint32_t stage, int *exchanges) {
    kf__phase p = {0};
    uint16_t *reds = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
    uint16_t *stores = KF__NEW(L->arena, uint16_t, 64);
    p.acc = (kf__fields_of *)KF__NEW(L->arena, const kf__lx *,
                                     KF__MAX_FIELDS * (size_t)(L->k->n_instrs + 1));
    if (!reds || !stores || !p.acc) {
        L->failed = true;
        return;
    }
    p.reds = reds;
    p.stores = stores;
    p.n_reds = kf__low_reductions(L, stage, reds);
    p.n_stores = kf__low_stores(L, stage, stores);
    if (!p.n_reds && !p.n_stores) return;
    uint32_t plain = shared_last(L, reds, p.n_reds);
    put_accumulators(L, &p, 0);
    kf__cuda_phase(L, t, &p, stage, t->V > 1);
    if (p.n_reds) put_reductions(L, t, b, &p, plain, stage, exchanges);
    kf__cuda_forget(L, stage);
}

bool kf__cuda_rows(kf__low *L) {
    bool lines = kf__low_reduced_axes(L) > 1;
    kf__tile t = {.W = pick_width(L), .head = lines ? kf__loop_head : head};
    bucket b;
    if (lines && !kf__low_extent(L, true)) return false; /* there's no line to find packs in */
    if (!pick(L, t.W, &b, &t.filled)) return false;
    t.V = b.V;
    t.warps = b.lanes > 32 && !lines; /* of shorter rows the caches take parts of sectors */
    L->narrow = true;
    t.far = !lines;
    t.vec = kf__cuda_wide(L, t.W);
    int64_t n_rows = kf__low_extent(L, false), packs = kf__loop_packs(L, t.W);
    int bits = kf__log2_up(has_few(&b) ? packs : b.lanes);
    int per_block = b.lanes > 32 ? 1 : KF__ROW_THREADS >> bits;
    L->small = L->affine && n_rows < INT32_MAX;
    kf__low_begin(L, "", "A row stays in the registers of its threads through all stages.");
    L->fn->threads = (1 << bits) * per_block;
    L->fn->cluster = b.cluster;
    L->fn->grid = kf__ceil_div(n_rows, per_block) * b.cluster;
    const kf__lx *size = lines ? kf__word_int(L, "reduced", kf__low_extent(L, true))
                               : kf__word_size(L, kf__last(L));
    const kf__lx *rows = kf__word_int(L, "rows", n_rows), *all = NULL;
    if (lines) {
        all = kf__word_int(L, "all_packs", packs);
        kf__loop_put_packs(L, &t);
    }
    kf__put_scalars(L);
    const kf__lx *tid = kf__thread_id(L), *lanes = kf__l_int(L, b.lanes);
    const kf__lx *lane = tid, *row = kf__l_callv(L, "kf_block", KF__I64, 0, NULL);
    const char *index = kf__index_type(L);
    if (b.cluster > 1) {
        kf__put_let(L, "int", "rank", kf__l_callv(L, "kf_cluster_rank", KF__I64, 0, NULL), NULL);
        uint16_t *reds = KF__NEW(L->arena, uint16_t, L->k->n_instrs + 1);
        int exchanges = reds ? count_exchanges(L, reds) : 0;
        if (exchanges) kf__cuda_open_messages(L, exchanges); /* none: nobody asks for the reduction */
        L->failed |= !reds;
        row = kf__l_bin(L, "/", row, kf__l_int(L, b.cluster));
        lane = kf__put_let(L, "int", "lane",
                           kf__l_bin(L, "+", kf__l_bin(L, "*", kf__l_var(L, "rank"), lanes), tid),
                           NULL);
    } else if (has_few(&b)) {
        const kf__lx *lane_bits = kf__word_count(L, "lane_bits", bits), *one = kf__l_int(L, 1);
        lanes = kf__put_let(L, "int", "lanes", kf__l_bin(L, "<<", one, lane_bits), "of a row");
        lane = kf__l_bin(L, "&", tid, kf__l_bin(L, "-", lanes, one));
        lane = kf__put_let(L, "int", "lane", lane, NULL);
        row = kf__l_bin(L, "*", row, kf__l_bin(L, ">>", kf__l_int(L, KF__ROW_THREADS), lane_bits));
        row = kf__l_bin(L, "+", row, kf__l_bin(L, ">>", tid, lane_bits));
    } else if (per_block > 1) {
        lane = kf__put_let(L, "int", "lane", kf__l_bin(L, "%", tid, lanes), NULL);
        row = kf__l_bin(L, "+", kf__l_bin(L, "*", row, kf__l_int(L, per_block)),
                        kf__l_bin(L, "/", tid, lanes));
    }
    const kf__lx *n = kf__put_let(L, "int", "n", size, "elements of a row");
    t.live = n;
    t.end = all;
    if (per_block > 1) {
        const kf__lx *any = kf__put_let(L, index, "any_row", row, NULL);
        const kf__lx *is = kf__put_let(L, "int", "is_row", kf__l_bin(L, "<", any, rows), NULL);
        t.live = kf__put_let(L, "int", "live", kf__l_select(L, is, n, kf__l_int(L, 0)),
                             "elements that this thread's row has");
        if (lines)
            t.end = kf__put_let(L, "int", "live_packs", kf__l_select(L, is, all, kf__l_int(L, 0)),
                                NULL);
        row = kf__put_let(L, index, "row",
                          kf__l_select(L, is, any, kf__l_bin(L, "-", rows, kf__l_int(L, 1))), NULL);
    } else {
        row = kf__put_let(L, index, "row", row, NULL);
    }
    t.base = lane;
    t.step = kf__l_int(L, b.lanes * b.cluster);
    const kf__lx *width = kf__l_int(L, t.W);
    if (b.V > 1) t.skip = lines ? kf__l_bin(L, "*", all, width) : n;
    if (b.V > 1 && b.lanes > 32) {
        const kf__lx *first = kf__l_bin(L, "-", lane, kf__l_bin(L, "%", tid, kf__l_int(L, 32)));
        first = kf__l_bin(L, "*", first, width);
        t.skip = kf__put_let(L, "int", "rest", kf__l_bin(L, "-", t.skip, first),
                             "from its warp on");
    }
    kf__put_decode(L, false, false, row);
    kf__put_rows(L, 0);
    int exchanges = 0;
    for (uint32_t s = 0; s < L->k->n_stages; ++s) {
        put_stage(L, &t, &b, s, &exchanges);
        kf__put_rows(L, s + 1);
    }
    const kf__lx *first = kf__l_bin(L, "==", lane, kf__l_int(L, 0));
    if (per_block > 1) first = kf__l_bin(L, "&&", first, kf__l_var(L, "is_row"));
    if (!kf__has_row_stores(L)) return true;
    kf__open_if(L, first);
    kf__put_row_stores(L);
    kf__close(L);
    return true;
}
