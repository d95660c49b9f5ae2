/* The reductions of one stage over one block, field after field: 64 lanes, then a tree, so that the
 * order of a sum doesn't depend on the vectors' width. */
#include "lower/cpu.h"

const char *kf__cpu_lanes_name(kf__low *L, uint32_t red, int f) {
    return kf__field_name(L, "lanes", red, f);
}

void kf__cpu_put_lanes(kf__low *L, uint32_t red, int f) {
    const char *lanes = kf__cpu_lanes_name(L, red, f);
    kf__put_var(L, kf__ctype(kf__lane_type(L, red, f)), lanes, KF__CPU_LANES, NULL);
    kf__open_for(L, "int", "l", kf__l_int(L, 0), kf__l_int(L, KF__CPU_LANES), kf__l_int(L, 1),
                 KF__SIMD);
    kf__put_set(L, kf__l_item(L, lanes, kf__l_var(L, "l")), kf__lane_identity(L, red, f));
    kf__close(L);
}

/* Lane l + w, or w where there is one l. */
static const kf__lx *lane_of(kf__low *L, uint32_t red, int f, const kf__lx *l, int w) {
    const kf__lx *at = kf__l_int(L, w);
    if (l) at = w ? kf__l_bin(L, "+", l, at) : l;
    return kf__l_item(L, kf__cpu_lanes_name(L, red, f), at);
}

/* A binary tree, two levels at a time: what one has stored the next one has to load, which takes as
 * long as the elements of a short row. Loops of known lengths become vectors. */
void kf__cpu_put_tree(kf__low *L, uint32_t red, int f) {
    const char *type = kf__ctype(kf__lane_type(L, red, f));
    for (int w = KF__CPU_LANES / 4; w > 0; w /= 4) {
        const kf__lx *l = w > 1 ? kf__l_var(L, "l") : NULL, *half[2];
        if (l) kf__open_for(L, "int", "l", kf__l_int(L, 0), kf__l_int(L, w), kf__l_int(L, 1),
                            KF__SIMD);
        else kf__open_block(L);
        for (int k = 0; k < 2; ++k) {
            const kf__lx *a = lane_of(L, red, f, l, k * w), *b = lane_of(L, red, f, l, (k + 2) * w);
            half[k] = kf__put_let(L, type, k ? "high" : "low", kf__fold_of(L, red, f, a, b), NULL);
        }
        kf__put_set(L, lane_of(L, red, f, l, 0), kf__fold_of(L, red, f, half[0], half[1]));
        kf__close(L);
    }
}

/* Has the reduction to do with this pass? */
static bool takes_part(const kf__low *L, const kf__pass *p, uint32_t r) {
    if (p->lanes && kf__types[kf__lane_type(L, p->reds[r], p->field)].size != p->lanes)
        return false;
    if (kf__cpu_kept_of(p->fill, p->reds[r])) return p->field == p->summing;
    return kf__fields(L, p->reds[r]) > p->field;
}

static bool has_lanes(const kf__low *L, const kf__pass *p, int size) {
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (takes_part(L, p, r) && kf__types[kf__lane_type(L, p->reds[r], p->field)].size == size)
            return true;
    return false;
}

/* Of what is held loops cost little, and bytes among lanes of i64 make all vectors narrow: each
 * size of lanes has its own. */
static bool folds_apart(const kf__low *L, const kf__pass *p) {
    return L->held && !p->n_stores && !p->fill && !p->use && !p->save;
}

/* The reduction before r that has the same in this field: of max(x) and argmax(x), or of max(x) and
 * softmax(x), the maximum. r: none has. */
static uint32_t same_before(const kf__low *L, const kf__pass *p, uint32_t r) {
    uint32_t red = p->reds[r];
    const kf__field_row *row = &kf__reds[L->k->instrs[red].op].field[p->field];
    if (p->fill || strcmp(row->term, "x") != 0 || strcmp(row->close, "f") != 0) return r;
    for (uint32_t i = 0; i < r; ++i) {
        const kf__instr *in = &L->k->instrs[p->reds[i]];
        if (!takes_part(L, p, i) || in->args[0] != L->k->instrs[red].args[0]) continue;
        const kf__field_row *other = &kf__reds[in->op].field[p->field];
        if (other->fold == row->fold && strcmp(other->term, row->term) == 0 &&
            strcmp(other->close, row->close) == 0 &&
            kf__lane_type(L, p->reds[i], p->field) == kf__lane_type(L, red, p->field))
            return i;
    }
    return r;
}

/* Is the reduction's argument in its buffer already? */
static bool is_read(const kf__pass *p, uint32_t r) {
    return p->keep[r] && (p->field > 0 || p->kept);
}

/* Is its buffer that of the value which the stage keeps? */
static bool is_saved(const kf__pass *p, uint32_t r) {
    return p->save && p->keep[r] == p->save->from;
}

/* Is the argument in an array of the block anyway? */
static bool is_there(const kf__low *L, const kf__cpu_block *b, uint32_t red) {
    uint16_t arg = L->k->instrs[red].args[0];
    kf__dtype type = kf__compute((kf__dtype)L->k->instrs[arg].dtype);
    return b->pick[arg] && !kf__has(b->raw, arg) && kf__state_type(L, red) == type;
}

/* Does a reduction of the pass fold places? Blocks have them as 32 bits. */
static bool folds_places(const kf__low *L, const kf__pass *p) {
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (takes_part(L, p, r) && kf__lane_type(L, p->reds[r], p->field) == KF__I32) return true;
    return false;
}

/* What has a value now; later on only that has: what a line's elements share, for one. */
kf__mask *kf__cpu_known(kf__low *L) {
    kf__mask *mask = kf__low_mask(L);
    if (!mask) L->failed = true;
    for (uint32_t i = 0; mask && i < L->k->n_instrs; ++i)
        if (L->value[i]) kf__add(mask, i);
    return mask;
}

static void keep_only(kf__low *L, const kf__mask *before) {
    for (uint32_t i = 0; before && i < L->k->n_instrs; ++i)
        if (!kf__has(before, i)) L->value[i] = NULL;
}

/* Elements l of a group that starts at `group`, up to `to`; `first_lane`: of the first. Behind the
 * end an identity is folded: of lanes that are told to stay gcc makes stores under masks, which
 * take long. */
static void put_group(kf__low *L, kf__cpu_block *b, const kf__pass *p, const kf__lx *group,
                      const kf__lx *to, const kf__lx *first_lane) {
    const kf__lx *l = kf__l_var(L, "l"), *e = kf__l_bin(L, "+", group, l);
    const kf__lx *at = kf__l_bin(L, "+", kf__l_call(L, "kf_cast_i64_i32", KF__I64, group), l);
    /* Masks and places of 32 bits, as the elements have. */
    bool narrow = b->inside || folds_places(L, p);
    kf__open_for(L, narrow ? "int" : "int64_t", "l", kf__l_int(L, 0), to, kf__l_int(L, 1),
                 KF__SIMD);
    kf__mask *before = kf__cpu_known(L);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint16_t arg = L->k->instrs[p->reds[r]].args[0];
        if (is_read(p, r)) L->value[arg] = kf__l_item(L, p->keep[r], e);
    }
    for (const kf__kept *k = p->summing ? p->fill : NULL; k; k = k->next)
        if (k->argument) L->value[L->k->instrs[k->red].args[0]] = kf__l_item(L, k->from, e);
    kf__cpu_read_kept(L, p->use, e);
    kf__cpu_read_kept(L, p->stored, e);
    kf__cpu_hold(L, e);
    kf__cpu_read_carried(L, e);
    kf__cpu_body(L, b, p->mask, e);
    if (p->field == 0) kf__cpu_carry(L, e);
    if (p->save && p->field == 0)
        kf__put_set(L, kf__l_item(L, p->save->from, e), kf__value_of(L, p->save->power));
    if (p->field == 0) kf__cpu_stores(L, b, p->stores, p->n_stores, e);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (!takes_part(L, p, r)) continue;
        const kf__lx *x = kf__value_of(L, L->k->instrs[red].args[0]);
        const kf__kept *exps = kf__cpu_kept_of(p->fill, red);
        bool there = p->keep[r] == b->pick[L->k->instrs[red].args[0]]; /* by the block */
        if (p->keep[r] && !is_read(p, r) && !is_saved(p, r) && !there)
            kf__put_set(L, kf__l_item(L, p->keep[r], e), x);
        if (exps && exps->argument && !p->summing)
            kf__put_set(L, kf__l_item(L, exps->from, e), x);
        if (same_before(L, p, r) != r) continue;
        const kf__lx *term = kf__term(L, red, p->field, x, at, p->fields[r]);
        if (term != x)
            term = kf__put_let(L, kf__ctype(kf__lane_type(L, red, p->field)),
                               kf__l_name(L, "term%u", (unsigned)red), term, NULL);
        if (p->summing) {
            const kf__lx *place = kf__l_item(L, exps->from, e);
            bool next = b->inside && exps->argument && L->held; /* row's arguments lie behind */
            kf__put_set(L, place, next ? kf__l_select(L, b->inside, term, place) : term);
        }
        const kf__lx *lane = kf__l_item(L, kf__cpu_lanes_name(L, red, p->field),
                                        kf__l_bin(L, "+", first_lane, l));
        if (b->inside)
            term = kf__l_select(L, b->inside, term, kf__lane_identity(L, red, p->field));
        kf__put_set(L, lane, kf__fold_of(L, red, p->field, lane, term));
    }
    kf__close(L);
    keep_only(L, before);
}

static bool takes_mask(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_OP) return in->dtype != KF__F64 || !kf__ops[in->op].ulp; /* libm's */
    if (in->kind != KF__I_LOAD) return in->kind != KF__I_RANDOM;
    const kf__operand *o = &L->operands[in->access];
    bool row = kf__low_step(L, in->access) < 2 || kf__cpu_is_strided(L, in) ||
               (!L->k->reduced && kf__low_tiled(L, in->access));
    return row && !o->symbols &&
           kf__types[o->dtype].size >= 4; /* AVX2 has masks for these */
}

bool kf__cpu_is_masked_well(const kf__low *L, const kf__mask *mask) {
    bool well = L->target->cpu_level > 2;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i)) well = well && takes_mask(L, i);
    return well;
}

/* The stores of what is less than a group, in a loop of their own: vectors of which a part doesn't
 * count can't store. */
static void put_rest_of_stores(kf__low *L, kf__cpu_block *b, const kf__pass *p,
                               const kf__lx *whole) {
    uint16_t roots[64];
    for (uint32_t s = 0; s < p->n_stores; ++s) roots[s] = L->k->stores[p->stores[s]].instr;
    const kf__lx *l = kf__l_var(L, "l");
    const kf__mask *before = kf__cpu_known(L);
    kf__open_for(L, "int64_t", "l", whole, b->len, kf__l_int(L, 1), KF__SIMD);
    kf__cpu_body(L, b, kf__cpu_needed(L, b, roots, p->n_stores), l);
    kf__cpu_stores(L, b, p->stores, p->n_stores, l);
    keep_only(L, before);
    kf__close(L);
}

/* What is less than a group: by vectors, too, of which what is behind the last element doesn't
 * count. Single elements, which a loop's vectors leave, would take longer than all of a short
 * row. made: what of it isn't there already. */
static void put_rest(kf__low *L, kf__cpu_block *b, const kf__pass *p, const kf__mask *made,
                     const kf__lx *whole) {
    /* a long chain has so much to do for each element that few are too many */
    const kf__lx *vector = kf__l_int(L, L->carried ? KF__CPU_FEW : KF__CPU_VECTOR);
    const kf__lx *zero = kf__l_int(L, 0);
    bool stores = p->field == 0 && p->n_stores;
    bool apart = stores && !L->held && !L->carried && !p->use && !p->save && !p->kept;
    bool vectors = (!stores || apart) && kf__cpu_is_masked_well(L, made);
    for (uint32_t r = 0; r < p->n_reds; ++r) {
        kf__dtype lane = kf__lane_type(L, p->reds[r], p->field);
        vectors = vectors && (!takes_part(L, p, r) || lane == KF__F32 || lane == KF__I32);
    }
    if (!vectors) {
        put_group(L, b, p, whole, kf__l_bin(L, "-", b->len, whole), zero);
        return;
    }
    if (stores) put_rest_of_stores(L, b, p, whole);
    kf__pass folds = *p;
    folds.n_stores = 0;
    const kf__lx *part = kf__l_var(L, "part"), *l = kf__l_var(L, "l");
    kf__open_for(L, "int64_t", "part", whole, b->len, vector, KF__SERIAL);
    const kf__lx *left = kf__l_call(L, "kf_cast_i64_i32", KF__I64, kf__l_bin(L, "-", b->len, part));
    b->inside = kf__l_bin(L, "<", l, kf__put_let(L, "int", "left", left, NULL));
    put_group(L, b, &folds, part, vector, kf__l_bin(L, "-", part, whole));
    b->inside = NULL;
    kf__close(L);
}

/* The row's next block is asked for; after its last one, where the last stage doesn't do that, the
 * next row's. Not where each block is read once and left: what is read in order is foreseen, and to
 * ask for it takes as long as a sum (of 317x316 21 us on a Zen 4, not 10.5). Of several axes it is a
 * later line. */
static void put_ahead(kf__low *L, const kf__cpu_block *b, const kf__pass *p, const kf__mask *mask) {
    uint16_t stores[64];
    bool lines = kf__low_reduced_axes(L) > 1;
    if (L->held || (p->n_fields == 1 && !kf__low_later(L, 1) && !lines)) return;
    bool by_last = L->k->n_stages > 1 && !lines &&
                   kf__low_stores(L, (int)L->k->n_stages - 1, stores) > 0;
    if (by_last) kf__open_if(L, kf__l_bin(L, "==", b->len, kf__l_int(L, KF__CPU_BLOCK)));
    kf__cpu_prefetch(L, b, mask, false);
    if (by_last) kf__close(L);
}

/* Elements at indices of their own are read a group at a time, so that what is read in order
 * besides goes on coming: sum(take_along_axis(x, i, 1) * y, 1) of 3163x3161 took a Zen 4 20 ms by
 * blocks, and 18. Not where functions of them are loops over the block. */
static bool reads_by_groups(const kf__low *L, const kf__pass *p, const kf__mask *mask) {
    bool picks = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        picks |= kf__has(mask, i) && L->k->instrs[i].kind == KF__I_PICK;
    return L->k->n_symbols && !picks && !L->held && !p->n_stores && !kf__is_dear(L, mask);
}

/* Elements [from, to) of it; picks: those that there are in any case. Is a scope left open? */
static bool put_reads(kf__low *L, kf__cpu_block *b, const kf__pass *p, const kf__lx *from,
                      const kf__lx *to, const char ***picks) {
    size_t n = L->k->n_instrs;
    if (!b->by_groups) return false;
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, n + 1);
    *picks = KF__NEW(L->arena, const char *, n + 1);
    if (!*picks || !before) {
        L->failed = true;
        return false;
    }
    memcpy(*picks, b->pick, n * sizeof **picks);
    memcpy(before, L->value, n * sizeof *before);
    kf__cpu_read_kept(L, p->use, kf__l_var(L, "l")); /* what an index is made of may be kept */
    kf__cpu_read_kept(L, p->stored, kf__l_var(L, "l"));
    kf__cpu_read_carried(L, kf__l_var(L, "l"));
    bool reads = kf__cpu_put_elements(L, b, p->mask, from, to);
    memcpy(L->value, before, n * sizeof *before);
    return reads;
}

/* What of the roots is made of what was read. */
static const kf__mask *made_of_reads(kf__low *L, const kf__cpu_block *b, const uint16_t *roots,
                                     uint32_t n) {
    size_t all = L->k->n_instrs;
    const kf__lx **before = KF__NEW(L->arena, const kf__lx *, all + 1);
    if (!before) {
        L->failed = true;
        return NULL;
    }
    memcpy(before, L->value, all * sizeof *before);
    for (uint32_t i = 0; i < all; ++i)
        if (b->pick[i]) L->value[i] = kf__l_int(L, 0);
    const kf__mask *made = kf__low_needed(L, KF__LEVEL_FULL, roots, n);
    memcpy(L->value, before, all * sizeof *before);
    return made;
}

static void close_reads(kf__low *L, kf__cpu_block *b, const char *const *picks) {
    memcpy(b->pick, picks, L->k->n_instrs * sizeof *picks);
    kf__close(L);
}

void kf__cpu_put_pass(kf__low *L, kf__cpu_block *b, kf__pass *p) {
    uint16_t roots[256];
    uint32_t n = 0;
    if (p->save && p->field > 0) { /* its arguments aren't needed again */
        p->use = p->save;
        L->value[p->save->power] = kf__l_var(L, p->save->from);
    }
    kf__cpu_read_carried(L, kf__l_var(L, "l"));
    kf__cpu_read_kept(L, p->stored, kf__l_var(L, "l"));
    for (uint32_t r = 0; r < p->n_reds && n < 128; ++r)
        if (takes_part(L, p, r) && !is_read(p, r) &&
            !(p->summing && kf__cpu_kept_of(p->fill, p->reds[r])->argument))
            roots[n++] = L->k->instrs[p->reds[r]].args[0];
    for (uint32_t s = 0; p->field == 0 && s < p->n_stores; ++s)
        roots[n++] = L->k->stores[p->stores[s]].instr;
    kf__mask *mask = kf__cpu_needed(L, b, roots, n);
    p->mask = mask;
    b->by_groups = reads_by_groups(L, p, mask);
    b->folds = b->widens = true;
    kf__cpu_prepare(L, b, mask);
    b->folds = b->widens = false;
    for (uint32_t r = 0; p->field == 0 && !p->kept && r < p->n_reds; ++r) {
        uint16_t arg = L->k->instrs[p->reds[r]].args[0];
        if (kf__fields(L, p->reds[r]) < 2) continue;
        if (!kf__cpu_is_kept_well(L, arg)) continue;
        if (kf__cpu_kept_of(p->fill, p->reds[r])) continue; /* computed again when it is summed */
        if (p->save && p->save->power == arg) {
            p->keep[r] = p->save->from;
            continue;
        }
        if (kf__cpu_is_carried(L, arg)) continue;
        if (is_there(L, b, p->reds[r])) {
            p->keep[r] = b->pick[arg];
            continue;
        }
        p->keep[r] = kf__l_name(L, "keep%u", (unsigned)p->reds[r]);
        kf__put_var(L, kf__ctype(kf__state_type(L, p->reds[r])), p->keep[r], KF__CPU_BLOCK, NULL);
    }
    if (p->field + 1 == p->n_fields) put_ahead(L, b, p, mask);
    if (p->field == 0) kf__cpu_store_targets(L, b, p->stores, p->n_stores);
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (takes_part(L, p, r) && same_before(L, p, r) == r)
            kf__cpu_put_lanes(L, p->reds[r], p->field);

    const kf__lx *lanes = kf__l_int(L, KF__CPU_LANES), *zero = kf__l_int(L, 0);
    const char *name = kf__l_name(L, "whole%d", p->field);
    bool apart = folds_apart(L, p);
    const kf__lx *whole = kf__put_let(
        L, "int64_t", name, kf__l_bin(L, "-", b->len, kf__l_bin(L, "%", b->len, lanes)), NULL);
    for (int size = 1; size <= 8; size *= 2) {
        if (apart && !has_lanes(L, p, size)) continue;
        p->lanes = apart ? size : 0;
        kf__open_for(L, "int64_t", "group", zero, whole, lanes, KF__SERIAL);
        const kf__lx *group = kf__l_var(L, "group");
        const char **picks;
        bool reads = put_reads(L, b, p, group, kf__l_bin(L, "+", group, lanes), &picks);
        put_group(L, b, p, group, lanes, zero);
        if (reads) close_reads(L, b, picks);
        kf__close(L);
        reads = put_reads(L, b, p, whole, b->len, &picks);
        const kf__mask *made = reads ? made_of_reads(L, b, roots, n) : NULL;
        put_rest(L, b, p, made ? made : mask, whole);
        if (reads) close_reads(L, b, picks);
        p->lanes = 0;
        if (!apart) break;
    }

    for (uint32_t r = 0; r < p->n_reds; ++r) {
        uint32_t red = p->reds[r];
        if (!takes_part(L, p, r)) continue;
        uint32_t same = same_before(L, p, r);
        if (same != r) {
            p->fields[r][p->field] = p->fields[same][p->field];
            continue;
        }
        kf__cpu_put_tree(L, red, p->field);
        const kf__lx *folded = kf__l_item(L, kf__cpu_lanes_name(L, red, p->field), zero);
        p->fields[r][p->field] =
            kf__put_let(L, kf__ctype(kf__field_type(L, red, p->field)),
                        kf__field_name(L, "block", red, p->field),
                        kf__close_of(L, red, p->field, folded, p->field ? p->fields[r][0] : folded,
                                     kf__count_as(L, red, b->len), b->begin), NULL);
    }
    if (L->carried) L->carried->made = true;
}

/* May the group's rows turn to the next field? Not where a pass leaves something in the block. */
static bool may_turn(const kf__low *L, const kf__pass *p) {
    bool may = L->group && !p->kept && !p->stored;
    for (uint32_t r = 0; r < p->n_reds; ++r) may = may && (!p->keep[r] || is_saved(p, r));
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        may = may && !(kf__has(p->mask, i) && (L->k->instrs[i].kind == KF__I_PICK ||
                                               L->k->instrs[i].kind == KF__I_RANDOM));
    return may;
}

/* The fields so far of all rows, then the others: a mean is a tree of lanes, which takes long until
 * it is there. */
static void turn(kf__low *L, kf__cpu_block *b, kf__pass *p) {
    kf__cpu_stage *st = p->stage;
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (takes_part(L, p, r)) kf__put_set(L, st->running[r][p->field], p->fields[r][p->field]);
    if (p->field == 0) kf__cpu_flush(L, b, p->stores, p->n_stores);
    kf__cpu_forget(L, NULL);
    kf__close(L);
    kf__cpu_turn_inside(L, st, p->field + 1);
    kf__open_block(L);
    const kf__lx *begin = b->begin;
    kf__cpu_open_block(L, b, st, b->first, b->len);
    b->begin = begin;
    for (uint32_t r = 0; r < p->n_reds; ++r)
        for (int f = 0; f <= p->field && f < kf__cpu_made(L, st, r, p->field + 1); ++f)
            p->fields[r][f] = st->running[r][f];
}

void kf__cpu_put_passes(kf__low *L, kf__cpu_block *b, kf__pass *p) {
    if (!p->kept) p->keep = KF__NEW(L->arena, const char *, p->n_reds + 1);
    if (!p->keep) {
        L->failed = true;
        return;
    }
    p->n_fields = 1;
    for (uint32_t r = 0; r < p->n_reds; ++r)
        if (!(p->fill && p->fill->red == p->reds[r]) && kf__fields(L, p->reds[r]) > p->n_fields)
            p->n_fields = kf__fields(L, p->reds[r]);
    const kf__mask *read;
    if (!p->kept && !p->n_stores && !p->fill && !p->use && !p->save && !L->held && !L->carried &&
        kf__cpu_split(L, b, p->reds, p->n_reds, p->keep, &read)) {
        put_ahead(L, b, p, read);
        p->kept = true;
    }
    for (p->field = 0; p->field < p->n_fields; ++p->field) {
        kf__cpu_put_pass(L, b, p);
        if (p->field + 1 < p->n_fields && may_turn(L, p)) turn(L, b, p);
    }
}
