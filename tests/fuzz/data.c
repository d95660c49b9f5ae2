/* Trials: sizes at the edges of vectors, chunks and nothing; layouts with gaps, zero and negative
 * strides; values tame, with many ties, or special. Arrays lie between guard zones:
 *
 *     guard | shift | elements and gaps ... | guard
 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle/eval.h"

enum { GUARD = 512, FILL = 0xff, POISON = 0xcd };

/* ---------------------------------------------------------------- sizes */

static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 33, 64, 65, 100, 127,
                                129, 255, 256, 257, 509, 1000, 1025, 2049, 4097, 5003, 16411};

static int64_t random_size(fz_random *r) {
    if (fz_chance(r, 90)) return sizes[1 + fz_below(r, fz_chance(r, 70) ? 18 : 27)];
    return sizes[fz_below(r, (int)KF__COUNT(sizes))];
}

/* Two sizes past one tile of what transposes go through, the rest small. */
static void tile_sizes(fz_random *r, int64_t *out) {
    static const int64_t past[] = {70, 96, 129, 131, 160, 200};
    for (int s = 0; s < FZ_SYMBOLS; s++) out[s] = 1 + fz_below(r, 3);
    for (int n = 0; n < 2; n++)
        out[fz_below(r, FZ_SYMBOLS)] = past[fz_below(r, (int)KF__COUNT(past))];
}

/* Sizes for which the program means something and isn't too large; else small ones. */
static void make_sizes(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                       int64_t *out) {
    int64_t elements;
    bool tiles = fz_chance(r, 15);
    for (int tries = 0; tries < 20; tries++) {
        for (int s = 0; s < FZ_SYMBOLS; s++) out[s] = random_size(r);
        if (tiles && tries < 10) tile_sizes(r, out);
        if (fz_sizes_fit(p, g, which, out, &elements) && elements <= 20000 + 20000 * tiles) return;
    }
    for (int s = 0; s < FZ_SYMBOLS; s++) out[s] = 3 + 2 * s;
}

/* The oracle takes two minutes for the 300 nodes of an erfcinv of 1,500,000 elements. */
enum { LARGE_NODES = 100 };

/* Several megabytes: stores past the caches, many chunks. False: no such sizes were found. */
static bool make_large(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                       int64_t *out) {
    static const int64_t large[] = {33, 257, 1025, 4097, 16411, 40000, 65537, 1100003, 1500000};
    int64_t elements;
    for (int tries = 0; tries < 40; tries++) {
        for (int s = 0; s < FZ_SYMBOLS; s++) out[s] = large[fz_below(r, (int)KF__COUNT(large))];
        if (fz_sizes_fit(p, g, which, out, &elements) && elements > 1000000 && elements < 2000000)
            return true;
    }
    return false;
}

void fz_make_trial(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                   bool plain, bool large, fz_trial *trial) {
    memset(trial, 0, sizeof *trial);
    large = large && plain && p->n_steps <= 5 && fz_chance(r, 1) && g->nodes.n <= LARGE_NODES;
    if (!large || !make_large(p, g, which, r, trial->sizes))
        make_sizes(p, g, which, r, trial->sizes);
    if (!plain) trial->results = fz_some_result_layout(fz_next(r));
    fz_values common = (fz_values)(fz_chance(r, 60) ? FZ_TAME : fz_below(r, FZ_VALUE_KINDS));
    for (int i = 0; i < p->n_inputs; i++) {
        trial->inputs[i].values = common;
        trial->inputs[i].seed = fz_next(r) % 100000;
        if (plain) continue;
        if (fz_chance(r, 50)) trial->inputs[i].layout = (fz_layout)fz_below(r, FZ_LAYOUTS);
        if (fz_chance(r, 20)) trial->inputs[i].shift = 1 + fz_below(r, 5);
    }
}

fz_layout fz_some_result_layout(uint64_t seed) {
    static const fz_layout layouts[] = {FZ_SLICED, FZ_TRANSPOSED, FZ_PLAIN, FZ_PLAIN, FZ_PLAIN};
    return layouts[seed % KF__COUNT(layouts)];
}

/* The same layouts with other sizes and values. A layout's details come from its seed modulo the
 * rank and its lowest bits: lay_out. */
enum { SAME_LAYOUTS = 48 };
static void vary(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                 const fz_trial *from, fz_trial *trial) {
    *trial = *from;
    make_sizes(p, g, which, r, trial->sizes);
    fz_values common = (fz_values)fz_below(r, FZ_VALUE_KINDS);
    for (int i = 0; i < p->n_inputs; i++) {
        trial->inputs[i].values = common;
        trial->inputs[i].seed += (uint64_t)SAME_LAYOUTS * (uint64_t)fz_below(r, 2000);
        trial->inputs[i].shift = fz_chance(r, 20) ? 1 + fz_below(r, 5) : 0;
    }
}

void fz_make_trials(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                    bool large, int n, int odd, int layout, fz_trial *trials) {
    for (int t = 0; t < n; t++) {
        if (t > n - odd) {
            vary(p, g, which, r, &trials[n - odd], &trials[t]);
            continue;
        }
        /* the oracle of millions of elements takes as long as a dozen kernels' compiler */
        fz_make_trial(p, g, which, r, t < n - odd, large && t == 0, &trials[t]);
        for (int i = 0; i < p->n_inputs && layout >= 0 && layout < FZ_LAYOUTS && t == n - odd; i++)
            if (fz_chance(r, 80)) trials[t].inputs[i].layout = (fz_layout)layout;
    }
}

/* ---------------------------------------------------------------- values */

static const double specials[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5, 1.5, 2.5, 88.7,
                                  -103.9, 1e-45, -1e-40, 3.4028234663852886e38, -3e38, 65504,
                                  65520, 1e-8, 127.5, -128.5, 255.5, 2147483648.0, -2147483649.0};

static double random_value(const fz_input *in, fz_values kind, fz_random *r) {
    bool is_float = kf__is_float(in->dtype);
    if (in->dtype == KF__BOOL)
        return kind == FZ_WILD ? (double)(fz_below(r, 3) * 127) : fz_below(r, 2);
    if (kind == FZ_SMALL_INTEGERS) return fz_below(r, 7) - 3;
    if (kind == FZ_TAME) return is_float ? fz_unit(r) * 6 - 3 : fz_below(r, 21) - 10;
    if (!is_float) {
        int bits = kf__types[in->dtype].dlpack.bits;
        return fz_chance(r, 50) ? ldexp(fz_unit(r) * 2 - 1, bits - 1)
                                : ldexp(fz_below(r, 2) ? 1 : -1, bits - 1) + fz_below(r, 3);
    }
    if (fz_chance(r, 30)) return specials[fz_below(r, (int)KF__COUNT(specials))];
    double x = ldexp(fz_unit(r) * 2 - 1, fz_below(r, 20) - 8);
    return fz_chance(r, 8) ? ldexp(x, fz_below(r, 240) - 120) : x;
}

/* A value of a float with so many bits for the exponent and the mantissa; not beyond its range. */
static uint16_t narrow_bits(int exponent, int mantissa, double x) {
    int e, least = 2 - (1 << (exponent - 1)) - mantissa; /* a denormal's last bit */
    uint16_t sign = (uint16_t)(signbit(x) ? 1 << (exponent + mantissa) : 0);
    uint16_t infinity = (uint16_t)(((1 << exponent) - 1) << mantissa);
    if (isnan(x)) return (uint16_t)(infinity + (1 << mantissa) - 1);
    if (isinf(x)) return sign | infinity;
    frexp(x, &e);
    e = x == 0 ? least : (int)kf__max(least, e - 1 - mantissa);
    return (uint16_t)(sign | (((e - least) << mantissa) + (int)ldexp(fabs(x), -e)));
}

static void store(kf__dtype t, char *to, double x) {
    int64_t i = kf__is_float(t) ? 0 : kf__o_saturate(t == KF__BOOL ? KF__U8 : t, x);
    float f = (float)x;
    uint16_t bits = 0;
    if (kf__is_float(t)) x = kf__o_round(t, x);
    switch (t) {
    case KF__F64: memcpy(to, &x, 8); return;
    case KF__F32: memcpy(to, &f, 4); return;
    case KF__BF16: bits = narrow_bits(8, 7, x); break;
    case KF__F16: bits = narrow_bits(5, 10, x); break;
    case KF__F8E4M3: bits = narrow_bits(4, 3, x); break;
    case KF__F8E5M2: bits = narrow_bits(5, 2, x); break;
    default: memcpy(to, &i, (size_t)kf__types[t].size); return; /* little-endian */
    }
    memcpy(to, &bits, (size_t)kf__types[t].size);
}

/* ---------------------------------------------------------------- arrays */

/* Row-major strides, `gap` times as far apart in every dim but where it has size 1. */
static void dense(int rank, const int64_t *shape, int64_t gap, int64_t *strides) {
    int64_t step = gap;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = step;
        step *= kf__max(1, shape[d]) + (gap > 1);
    }
}

static void lay_out(fz_layout layout, uint64_t seed, int rank, const int64_t *shape,
                    int64_t *strides) {
    int64_t step = 1;
    dense(rank, shape, layout == FZ_SLICED ? 2 : 1, strides);
    for (int d = 0; d < rank && layout == FZ_TRANSPOSED; d++) {
        strides[d] = step;
        step *= kf__max(1, shape[d]);
    }
    for (int d = 0; d < rank && layout == FZ_FLIPPED; d++)
        if (d == rank - 1 || (seed >> d & 1)) strides[d] = -strides[d];
    if (layout == FZ_BROADCAST && rank) strides[seed % (uint64_t)rank] = 0;
}

/* Memory for the strided elements, all FILL; array.data at the first element. Of none, none: the
 * other dims may be large. */
static bool allocate(fz_array *a, int shift) {
    int64_t low = 0, high = 0;
    int size = a->array.dtype.bits / 8;
    bool empty = false;
    for (int d = 0; d < a->array.ndim; d++) empty = empty || a->shape[d] == 0;
    for (int d = 0; d < a->array.ndim && !empty; d++) {
        int64_t reach = (a->shape[d] - 1) * a->strides[d];
        *(reach < 0 ? &low : &high) += reach;
    }
    a->bytes = (size_t)((high - low + 1 + shift) * size + 2 * GUARD);
    a->bytes = (a->bytes + 255) / 256 * 256;
    a->memory = aligned_alloc(256, a->bytes);
    a->copy = malloc(a->bytes);
    if (!a->memory || !a->copy) return false;
    memset(a->memory, FILL, a->bytes);
    a->array.data = a->memory + GUARD + (shift - low) * size;
    a->array.shape = a->shape;
    a->array.strides = a->strides;
    a->array.device = (kf_device){KF_CPU, 0};
    return true;
}

void fz_for_each(fz_array *a, fz_visit *visit, void *arg) {
    int64_t index[FZ_RANK * 2] = {0}, n = 1;
    for (int d = 0; d < a->array.ndim; d++) n *= a->shape[d];
    for (; n > 0; n--) {
        int64_t offset = 0;
        for (int d = 0; d < a->array.ndim; d++) offset += index[d] * a->strides[d];
        visit(a, (char *)a->array.data + offset * (a->array.dtype.bits / 8), arg);
        for (int d = a->array.ndim - 1; d >= 0 && ++index[d] == a->shape[d]; d--) index[d] = 0;
    }
}

typedef struct filling {
    const fz_input *in;
    fz_values kind;
    fz_random random;
} filling;

static void fill_element(fz_array *a, char *element, void *arg) {
    filling *f = arg;
    (void)a;
    store(f->in->dtype, element, random_value(f->in, f->kind, &f->random));
}

bool fz_make_input(const fz_input *in, const fz_trial *trial, int i, fz_array *out,
                   kf_scalar *number) {
    filling f = {in, trial->inputs[i].values, {trial->inputs[i].seed}};
    memset(out, 0, sizeof *out);
    if (in->number) {
        double x = random_value(in, FZ_TAME, &f.random);
        if (kf__is_float(in->dtype)) number->f = x;
        else number->i = (int64_t)x;
        return true;
    }
    out->array.dtype = kf__types[in->dtype].dlpack;
    out->array.ndim = in->rank;
    for (int d = 0; d < in->rank; d++)
        out->shape[d] = in->dim[d] < 0 ? 1 : trial->sizes[in->dim[d]];
    lay_out(trial->inputs[i].layout, f.random.state, in->rank, out->shape, out->strides);
    if (!allocate(out, trial->inputs[i].shift)) return false;
    fz_for_each(out, fill_element, &f);
    memcpy(out->copy, out->memory, out->bytes);
    return true;
}

bool fz_make_result(const kf_array *like, fz_layout layout, int shift, fz_array *out) {
    memset(out, 0, sizeof *out);
    out->array = *like;
    out->array.byte_offset = 0;
    memcpy(out->shape, like->shape, (size_t)like->ndim * sizeof *out->shape);
    lay_out(layout, 0, like->ndim, out->shape, out->strides);
    if (!allocate(out, shift)) return false;
    fz_poison(out);
    return true;
}

void fz_poison(fz_array *a) {
    memset(a->memory, POISON, a->bytes);
    memcpy(a->copy, a->memory, a->bytes);
}

static void restore_element(fz_array *a, char *element, void *arg) {
    (void)arg;
    memcpy(a->copy + (element - a->memory), element, a->array.dtype.bits / 8u);
}

bool fz_damaged(fz_array *a, bool elements) {
    if (!a->memory) return false;
    if (elements) fz_for_each(a, restore_element, NULL);
    return memcmp(a->memory, a->copy, a->bytes) != 0;
}

void fz_free_array(fz_array *a) {
    free(a->memory);
    free(a->copy);
    memset(a, 0, sizeof *a);
}
