/* What an access takes besides its bytes: an index with div or mod, and on CPUs what lies across
 * the lines that the kernel goes along.
 *
 *     sum(x.T, 1)         goes along i0, as lower turns it: columns of x     x[i1, i0] as it lies
 *     x.T, sum(x.T, 1)    goes along i0 too: x.T is written by tiles         out[i0, i1] turned
 *     softmax(x.T, 1)     needs each row again: along i1                     x is copied first
 *
 * The same choice as lower/order.c makes, of which axis is innermost. */
#include "fuse/internal.h"

enum {
    DIVISION_BYTES = 8,       /* an index with div or mod, though the array were one run */
    CPU_DIVISION_BYTES = 32,  /* which no loop is vectorized with */
    TURNED_BYTES = 8,         /* on a CPU, a load across the lines of its array: through tiles */
    TURNED_COLUMN_BYTES = 1,  /* by tiles where columns are reduced meanwhile */
    COPIED_BYTES = 3,         /* for each byte of what is copied first: turned, written, read */
    APART_RANDOM_BYTES = 80,  /* words that are made for one element each, not for four */
    TURNED_COPY_BYTES = 16,   /* a result that is an array, turned, beside others */
    MOST_TILES = 2,           /* of columns, in L1: of more arrays each is copied */
    SCATTERED_BYTES = 8,      /* an element that is read at an index of its own */
    CPU_SCATTERED_BYTES = 20, /* one after another, while a vector is copied from a cache */
    BACKWARDS_BYTES = 6,      /* put in order first: of up to 4 bytes */
    BRIEF = 16,               /* elements */
};

/* For each access: */
typedef struct lines {
    uint32_t axes[KF__MAX_ACCESSES];  /* that it depends on */
    uint32_t inner[KF__MAX_ACCESSES]; /* along which its elements are neighbours */
    uint8_t size[KF__MAX_ACCESSES];   /* bytes of an element; 0: nothing is moved */
    bool guarded[KF__MAX_ACCESSES], stored[KF__MAX_ACCESSES], random[KF__MAX_ACCESSES];
    bool copied[KF__MAX_ACCESSES]; /* stored as it was loaded, */
    bool copies[KF__MAX_ACCESSES]; /* or loaded, and so stored */
    uint32_t brief; /* axes that are known to be too short to go along */
} lines;

/* The axes along which its elements are neighbours; of what is one run in another shape the last
 * one. */
static uint32_t inner_axes(const kf__exprs *x, const kf__kernel *k, const kf__access *a) {
    uint32_t axes = 0;
    if (!a->affine && a->flat) return 1u << k->n_axes >> 1;
    for (int d = a->rank; !axes && d-- > 0;) axes = kf__axes_of(x, a->index[d]);
    return axes;
}

bool kf__goes_by_rows(const kf__exprs *x, const kf__kernel *k) {
    bool turned = false;
    for (uint32_t i = 0; i < k->n_accesses && k->n_axes; i++) {
        const kf__access *a = &k->accesses[i];
        uint32_t axes = kf__access_axes(x, a) & ~inner_axes(x, k, a);
        turned |= a->value != KF__NO_VALUE && axes >> (k->n_axes - 1) & 1;
    }
    return !turned;
}

static void find_lines(const kf__exprs *x, const kf__kernel *k, lines *l) {
    memset(l, 0, sizeof(*l));
    for (uint32_t i = 0; i < k->n_axes; i++) {
        int64_t size;
        if (kf__x_is_const(x, k->size[i], &size) && size < BRIEF) l->brief |= 1u << i;
    }
    for (uint32_t i = 0; i < k->n_accesses; i++) {
        const kf__access *a = &k->accesses[i];
        l->axes[i] = kf__access_axes(x, a);
        l->inner[i] = inner_axes(x, k, a);
    }
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind != KF__I_LOAD && in->kind != KF__I_RANDOM) continue;
        l->size[in->access] = (uint8_t)kf__types[in->dtype].size;
        l->guarded[in->access] |= in->kind == KF__I_LOAD && in->n_args;
        l->random[in->access] |= in->kind == KF__I_RANDOM;
    }
    for (uint32_t i = 0; i < k->n_stores; i++) {
        l->size[k->stores[i].access] = (uint8_t)kf__types[k->instrs[k->stores[i].instr].dtype].size;
        l->stored[k->stores[i].access] = true;
        const kf__instr *in = &k->instrs[k->stores[i].instr];
        l->copied[k->stores[i].access] = in->kind == KF__I_LOAD;
        if (in->kind == KF__I_LOAD) l->copies[in->access] = true;
    }
}

static bool is_turned(const lines *l, uint32_t access, uint32_t axis) {
    return l->size[access] && (l->axes[access] & ~l->inner[access]) >> axis & 1;
}

/* Are elements of a row needed once it has been reduced? Then the reduced axes stay innermost. */
static bool needs_rows_again(const kf__kernel *k, const lines *l) {
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind == KF__I_SCAN) return true;
        if (in->kind == KF__I_REDUCE && k->instrs[in->args[0]].stage) return true;
    }
    for (uint32_t i = 0; i < k->n_stores; i++)
        if (k->instrs[k->stores[i].instr].stage && l->axes[k->stores[i].access] & k->reduced)
            return true;
    return false;
}

/* Bytes of what is turned along an axis; what has all axes is larger. */
static int turned_along(const kf__kernel *k, const lines *l, uint32_t axis) {
    uint32_t all = (1u << k->n_axes) - 1;
    int bytes = 0;
    for (uint32_t i = 0; i < k->n_accesses; i++)
        if (is_turned(l, i, axis)) bytes += l->size[i] * ((l->axes[i] & all) == all ? 16 : 1);
    return bytes;
}

/* Is what is turned along a kept axis read and written by tiles, as columns are? */
static bool makes_tiles(const kf__kernel *k, const lines *l, uint32_t axis) {
    uint32_t tiles = 0, reduced = k->reduced;
    if (reduced >> axis & 1 || reduced & (reduced - 1)) return false;
    for (uint32_t i = 0; i < k->n_accesses; i++) {
        if (!is_turned(l, i, axis)) continue;
        if (!(l->inner[i] & reduced) || l->guarded[i] || ++tiles > MOST_TILES) return false;
    }
    return true;
}

/* The axis that its loops go along. Of several reduced ones only the last may be it. */
static uint32_t innermost(const kf__kernel *k, const lines *l) {
    uint32_t last = k->n_axes - 1, best = last;
    for (uint32_t m = last; m-- > 0;) {
        int turned = turned_along(k, l, m), least = turned_along(k, l, best);
        if ((k->reduced >> m & 1 && k->reduced >> m > 1) || l->brief >> m & 1) continue;
        if (l->brief >> best & 1 || turned < least || (turned == least && turned &&
                                                        k->reduced >> best & 1 &&
                                                        makes_tiles(k, l, m)))
            best = m;
    }
    return best;
}

/* The axis that a kernel on CPUs goes along, and whether what is turned goes by tiles there, or is
 * copied first. */
static uint32_t way_of(const kf__kernel *k, const lines *l, bool *tiles) {
    bool fixed = !k->reduced || k->n_symbols || needs_rows_again(k, l);
    uint32_t axis = fixed ? k->n_axes - 1 : innermost(k, l);
    *tiles = !k->reduced || (!fixed && makes_tiles(k, l, axis));
    return axis;
}

uint64_t kf__copied_first(const kf__exprs *x, const kf__kernel *k) {
    uint64_t copied = 0;
    bool tiles;
    lines l;
    if (!k->n_axes) return 0;
    find_lines(x, k, &l);
    uint32_t axis = way_of(k, &l, &tiles);
    for (uint32_t i = 0; i < k->n_accesses && !tiles; i++)
        if (is_turned(&l, i, axis) && !l.guarded[i] && !l.random[i]) copied |= (uint64_t)1 << i;
    return copied;
}

bool kf__has_passes(const kf__kernel *k) {
    bool any = false;
    for (uint32_t i = 0; i < k->n_instrs; i++)
        any |= k->instrs[i].kind == KF__I_REDUCE && kf__reds[k->instrs[i].op].n_fields > 1;
    return any;
}

static uint64_t add_turned(const kf__exprs *x, const kf__kernel *k, double *bytes) {
    uint64_t dear = 0;
    bool tiles;
    lines l;
    find_lines(x, k, &l);
    uint32_t axis = way_of(k, &l, &tiles);
    for (uint32_t i = 0; i < k->n_accesses; i++) {
        bool divides = !k->accesses[i].affine && !k->accesses[i].flat;
        if (!is_turned(&l, i, axis) && !(l.random[i] && divides)) continue;
        if (l.random[i] || !tiles) dear |= (uint64_t)1 << i;
        if (l.random[i]) bytes[i] += APART_RANDOM_BYTES;
        else if (!tiles) bytes[i] += COPIED_BYTES * l.size[i];
        else if (l.copies[i] && k->reduced && kf__has_passes(k))
            bytes[i] += TURNED_COPY_BYTES; /* h = z.T; h, var(h, 0) of 317x316 takes a Zen 4 1.4
                                            * times as long as one after the other */
        else if (!l.stored[i]) /* whoever reads straight afterwards what is stored saves that */
            bytes[i] += k->reduced ? TURNED_COLUMN_BYTES : TURNED_BYTES;
        else if (l.copied[i] && !k->reduced && k->n_stores > 1)
            bytes[i] += TURNED_COPY_BYTES; /* of up to 4 bytes it isn't worth it: z.T, z * 2 of f16
                                            * takes a Zen 4 1.4 times as long as one after the
                                            * other, of f32 3163x3161 a Sapphire Rapids 1.6 */
    }
    return dear;
}

/* Does a gather's index change along the axis that the kernel goes along, or along each, where any
 * may be it? Where nothing is reduced CPUs go along indices within rows, which are nearer than rows
 * are. */
static bool is_scattered(const kf__fuse_state *f, const kf__kernel *k, uint32_t access) {
    const kf__exprs *x = &f->g->exprs;
    uint32_t of = kf__symbol_axes(k->n_symbols, k->symbol_axes,
                                  kf__access_axes(x, &k->accesses[access]));
    uint32_t all = (1u << k->n_axes) - 1, last = (all + 1) >> 1;
    uint32_t inner = inner_axes(x, k, &k->accesses[access]);
    if (!k->reduced && f->cpu && inner >> KF__FIRST_SYMBOL) return true;
    return k->reduced ? of & last : of && of == all;
}

/* By how much the access's last index moves with the kernel's last axis, and from where; 0: not at
 * all, or who knows. */
static kf__expr step_of(kf__exprs *x, const kf__kernel *k, uint32_t access, kf__expr *offset) {
    const kf__access *a = &k->accesses[access];
    kf__expr by[KF__ALL_AXES] = {0}, last = a->rank ? a->index[a->rank - 1] : 0;
    if (!last || !kf__x_affine(x, last, KF__ALL_AXES, by, offset)) return 0;
    return by[k->n_axes - 1];
}

/* A counter of Philox gives four words, and a pack of elements one counter's. What is rolled or
 * padded has packs of two of them, what is turned around a counter for each element. */
static void add_uneven(const kf__fuse_state *f, const kf__kernel *k, double *bytes) {
    kf__exprs *x = &f->g->exprs;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        kf__expr offset;
        if (in->kind != KF__I_RANDOM || in->level != KF__LEVEL_FULL) continue;
        kf__expr step = step_of(x, k, in->access, &offset);
        int words = in->dtype == KF__I64 ? 2 : 1, each = 4 / words;
        if (step && !kf__x_is(x, step, 1)) bytes[in->access] += (each - 1) * words * KF__WORD_BYTES;
        else if (step && !kf__x_is(x, offset, 0)) bytes[in->access] += words * KF__WORD_BYTES;
    }
}

/* On CPUs what goes backwards is put in order first. h = x + y; h, h[:, ::-1] * 2 of
 * 1000x1000 takes a Zen 4 485 us by reading x and y that way, and 420 by reading h. */
static void add_backwards(const kf__fuse_state *f, const kf__kernel *k, double *bytes) {
    kf__exprs *x = &f->g->exprs;
    for (uint32_t i = 0; i < k->n_instrs && !k->reduced; i++) {
        const kf__instr *in = &k->instrs[i];
        kf__expr offset;
        if (in->kind != KF__I_LOAD) continue;
        kf__expr along = step_of(x, k, in->access, &offset);
        int64_t step;
        bool backwards = along && kf__x_is_const(x, along, &step) && step < 0;
        if (backwards && bytes[in->access] == 0)
            bytes[in->access] = kf__max(BACKWARDS_BYTES, kf__types[in->dtype].size + 2);
    }
}

uint64_t kf__access_bytes(const kf__fuse_state *f, const kf__kernel *k, double *bytes) {
    for (uint32_t i = 0; i < k->n_accesses; i++) {
        bool divides = !k->accesses[i].flat && k->accesses[i].value != KF__NO_VALUE;
        bytes[i] = !divides ? 0 : f->cpu ? CPU_DIVISION_BYTES : DIVISION_BYTES;
        if (is_scattered(f, k, i)) bytes[i] += f->cpu ? CPU_SCATTERED_BYTES : SCATTERED_BYTES;
    }
    if (!k->n_axes) return 0;
    if (f->cpu) add_backwards(f, k, bytes);
    if (f->cpu) return add_turned(&f->g->exprs, k, bytes);
    add_uneven(f, k, bytes);
    return 0;
}
