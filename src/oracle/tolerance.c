/* How far from the reference a result may be, from how far the samples are: see oracle.h. And what
 * it may be though no disturbance makes it that. */
#include <math.h>
#include <stdlib.h>

#include "oracle/eval.h"

#define PI 0x1.921fb54442d18p1

enum { JUMP = 64 }; /* times the spread of the others: more than a coarser grid explains */

/* How far samples get from the reference; false where they disagree on what can't be measured. The
 * first one only says whether there is a jump nearby. */
static bool spread_at(void *const *run, int samples, kf__dtype t, int64_t j, double *spread) {
    double ref = kf__is_float(t) ? kf__o_round(t, ((double *)run[0])[j]) : 0, coarse = 0;
    for (int k = 1; k <= samples; k++) {
        if (!kf__is_float(t)) {
            if (((int64_t *)run[k])[j] != ((int64_t *)run[0])[j]) return false;
            continue;
        }
        double x = kf__o_round(t, ((double *)run[k])[j]);
        if (isnan(x) != isnan(ref) || (isinf(x) || isinf(ref) ? x != ref && !isnan(x) : 0))
            return false;
        if (!isfinite(x)) continue;
        if (k == 1) coarse = fabs(x - ref);
        else if (fabs(x - ref) > *spread) *spread = fabs(x - ref);
    }
    return !(coarse > JUMP * (*spread + kf__o_ulp(t, ref)));
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The usual spread in ulp. In few samples of very many elements two disturbances cancel somewhere;
 * half of what is usual is granted there too. Of halves most elements may not move at all, where
 * one of four does: what is rounded on the way then goes either way at any. */
static double usual_spread(const kf__oracle_result *r) {
    enum { MOST = 1000 };
    double found[MOST];
    int64_t n = 0, step = 1 + r->count / MOST;
    for (int64_t j = 0; j < r->count; j += step)
        if (r->decided[j] && isfinite(r->values[j]))
            found[n++] = r->tolerance[j] / kf__o_ulp(r->dtype, r->values[j]);
    qsort(found, (size_t)n, sizeof *found, by_size);
    return n ? found[kf__is_narrow(r->dtype) ? n * 3 / 4 : n / 2] : 0;
}

void kf__o_tolerance(void *const *run, int samples, double factor, kf__oracle_result *out) {
    for (int64_t j = 0; j < out->count; j++) {
        double spread = 0;
        out->decided[j] = spread_at(run, samples, out->dtype, j, &spread);
        if (out->values) out->tolerance[j] = spread;
    }
    double usual = out->values ? usual_spread(out) : 0;
    for (int64_t j = 0; out->values && j < out->count; j++) {
        double ulp = kf__o_ulp(out->dtype, out->values[j]);
        double spread = fmax(out->tolerance[j], 0.5 * usual * ulp);
        out->tolerance[j] = isfinite(out->values[j]) ? factor * spread + ulp : 0;
    }
}

/* ---------------------------------------------------------------- what no disturbance shows */

/* The sign of a NaN that was computed, asked for or handed on to a number: all of them one in the
 * first two samples, in others each for itself. */
static void show_signs(bool asked, int samples, uint64_t seed, int64_t n, void *const *by,
                       void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        uint64_t signs = kf__o_hash(seed + (uint64_t)j);
        for (int k = 2; isnan(((double *)by[0])[j]) && k <= samples; k++) {
            bool is = asked ? ((int64_t *)run[k])[j] & 1 : signbit(((double *)run[k])[j]);
            bool other = k == 2 ? is : k == 3 ? !is : signs >> k % 64 & 1;
            if (asked) ((int64_t *)run[k])[j] ^= other;
            else ((double *)run[k])[j] *= other ? -1 : 1;
        }
    }
}

/* Is d[.][j] the border but for roundings, as the sum of a row less its mean is 0? They are rounded
 * to t, too, if a kernel stores them. What may overflow shows all that it may be by itself. */
static bool may_be(double border, kf__dtype t, void *const *d, int samples, double factor,
                   int64_t j) {
    double ref = ((double *)d[0])[j], spread = 0;
    for (int k = 1; k <= samples; k++) {
        double x = ((double *)d[k])[j];
        if (!isfinite(x)) return false;
        if (k > 1) spread = fmax(spread, fmax(fabs(x - ref), fabs(kf__o_round(t, x) - ref)));
    }
    return spread > 0 && fabs(ref - border) <= factor * spread;
}

/* What an operation may make of a number at the border next to it: what it makes of a little more
 * and of a little less. Of a division that is for each sign of what is divided. Of each element by
 * itself samples show it anyway; but where a minimum is taken of many, some are always below. */
static bool at_border(kf__opcode op, double x, double *border, double *above, double *below) {
    *border = 0, *above = INFINITY, *below = NAN;
    switch (op) {
    case KF__FLOOR: *above = *border = rint(x), *below = *above - 1; return true;
    case KF__CEIL: *below = *border = rint(x), *above = *below + 1; return true;
    case KF__TRUNC: /* up to 0 as ceil; at 0 from both sides */
        *border = rint(x) == 0 ? NAN : rint(x);
        *above = *border + (x < 0), *below = *border - (x > 0);
        return true;
    case KF__ROUND: *border = floor(x) + .5, *above = floor(x) + 1, *below = floor(x); return true;
    case KF__SIGN: *above = 1, *below = -1; return true;
    case KF__DIVIDE: case KF__FLOOR_DIVIDE: case KF__RECIPROCAL: *below = -INFINITY; return true;
    case KF__FMOD: case KF__REMAINDER: *above = 0.0, *below = -0.0; return true;
    case KF__LOG: case KF__LOG2: case KF__LOG10: *above = -INFINITY; return true;
    case KF__LOGB: *above = *below = -INFINITY; return true; /* of 0 itself */
    case KF__LGAMMA: case KF__DIGAMMA: /* poles: the whole numbers up to 0 */
        *border = fmin(rint(x), 0);
        *below = *above = op == KF__LGAMMA ? INFINITY : NAN;
        return true;
    case KF__TAN: /* poles half a period from its zeros */
        *border = (floor(x / PI) + .5) * PI, *above = -INFINITY, *below = INFINITY;
        return true;
    case KF__SQRT: *above = 0.0; return true;
    case KF__RSQRT: return true;
    case KF__LOG1P: *border = -1, *above = -INFINITY; return true;
    case KF__ACOSH: *border = 1, *above = 0.0; return true;
    case KF__ASIN: case KF__ACOS: case KF__ATANH: case KF__ERFINV: { /* of -1 to 1 */
        double first = op == KF__ACOS ? PI : -INFINITY;
        double last = op == KF__ACOS ? 0 : INFINITY;
        if (op == KF__ASIN) first = -PI / 2, last = -first;
        *border = copysign(1, x), *above = x > 0 ? NAN : first, *below = x > 0 ? last : NAN;
        return true;
    }
    default: return false;
    }
}

/* What is left of a division wraps: next to 0 it may be next to the divisor too, and the other way
 * round. A sample that shows it by itself is far off, so nothing is to be added there. */
static void show_wraps(int samples, double factor, int64_t n, void *const *by, void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        double left = ((double *)run[0])[j], most = fabs(((double *)by[0])[j]), spread = 0;
        if (!isfinite(left) || !isfinite(most)) continue;
        for (int k = 2; k <= samples; k++) {
            double off = fabs(((double *)run[k])[j] - left);
            if (off < most / 2) spread = fmax(spread, off);
        }
        if (spread == 0) continue;
        if (fabs(left) <= factor * spread)
            ((double *)run[3])[j] = copysign(most, left == 0 ? ((double *)by[0])[j] : left);
        else if (most - fabs(left) <= factor * spread)
            ((double *)run[3])[j] = copysign(0.0, left);
    }
}

/* A power of what may be below 0 may be NaN. */
static void show_powers(int samples, double factor, int64_t n, void *const *base, void *const *by,
                        void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        double power = ((double *)by[0])[j];
        if (power != rint(power) && may_be(0, KF__F64, base, samples, factor, j))
            ((double *)run[3])[j] = isnan(((double *)run[0])[j]) ? 0 : NAN;
    }
}

void kf__o_show_exponents(kf__dtype type, int samples, double factor, int64_t n,
                          const double *base, void *const *by, void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        double whole = rint(((double *)by[0])[j]);
        if (base[j] < 0 && may_be(whole, type, by, samples, factor, j))
            ((double *)run[2])[j] = pow(base[j], whole);
    }
}

void kf__o_show_others(const kf__node *node, kf__dtype type, int samples, double factor,
                       uint64_t seed, int64_t n, void *const *first, void *const *by,
                       void *const *run) {
    double border, above, below;
    if (!kf__is_float(type)) return;
    if (node->op == KF__COPYSIGN || node->op == KF__SIGNBIT)
        show_signs(node->op == KF__SIGNBIT, samples, seed, n, by, run);
    if (node->op == KF__FMOD || node->op == KF__REMAINDER)
        show_wraps(samples, factor, n, by, run);
    if (node->op == KF__POW && first) show_powers(samples, factor, n, first, by, run);
    for (int64_t j = 0; j < n; j++) {
        double x = ((double *)by[0])[j];
        if (!at_border((kf__opcode)node->op, x, &border, &above, &below)) return;
        if (!may_be(border, type, by, samples, factor, j)) continue;
        ((double *)run[2])[j] = above;
        ((double *)run[3])[j] = below;
        /* An infinity may be a number: next to 1 erfinv is 4. */
        if (samples >= 4 && !isfinite(((double *)run[0])[j]) && (isinf(above) || isinf(below)))
            ((double *)run[4])[j] = copysign(64, isinf(above) ? above : below);
    }
}

/* In sample 2 all a are a little more than b, in 3 a little less, as at_border has them, so that
 * what is asked of one number in several ways has one answer. Equal they are in sample `equal`: 4,
 * or where there are fewer 2. */
static bool tie(kf__opcode op, int sample, int equal) {
    switch (op) {
    case KF__LESS: case KF__LESS_EQUAL: return sample == 3;
    case KF__GREATER: case KF__GREATER_EQUAL: return sample == 2;
    case KF__NOT_EQUAL: return sample != equal;
    default: return sample == equal;
    }
}

void kf__o_show_ties(kf__opcode op, int samples, double factor, int64_t n, void *const *a,
                     void *const *b, void *const *run) {
    bool ordered = op != KF__EQUAL && op != KF__NOT_EQUAL;
    int equal = samples >= 4 ? 4 : 2, last = ordered ? 3 : kf__max(3, equal);
    for (int64_t j = 0; j < n; j++) {
        double apart = ((double *)a[0])[j] - ((double *)b[0])[j], spread = 0;
        for (int k = 2; k <= samples; k++)
            spread = fmax(spread, fabs(((double *)a[k])[j] - ((double *)b[k])[j] - apart));
        if (!(spread > 0 && spread < INFINITY && fabs(apart) <= factor * spread)) continue;
        for (int k = 2; k <= last; k++) ((int64_t *)run[k])[j] = tie(op, k, equal);
    }
}

void kf__o_show_roundings(kf__dtype to, int samples, double factor, int64_t n, void *const *by,
                          void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        double x = ((double *)by[0])[j], ref = ((double *)run[0])[j], spread = 0;
        bool moves = false;
        for (int k = 2; k <= samples; k++) { /* the first one only says whether there is a jump */
            spread = fmax(spread, fabs(((double *)by[k])[j] - x));
            moves |= ((double *)run[k])[j] != ref;
        }
        if (moves || !isfinite(ref) || !(spread > 0 && spread < INFINITY)) continue;
        double above = kf__o_round(to, x + factor * spread);
        double below = kf__o_round(to, x - factor * spread);
        if (above == ref && below == ref) continue;
        ((double *)run[2])[j] = above != ref ? kf__o_next(to, ref, INFINITY) : ref;
        ((double *)run[3])[j] = below != ref ? kf__o_next(to, ref, -INFINITY) : ref;
    }
}

void kf__o_show_integers(kf__dtype to, kf__dtype from, int samples, double factor, int64_t n,
                         void *const *by, void *const *run) {
    double most = ldexp(1, 8 * kf__types[to].size - 1) - 1; /* beyond that casts saturate */
    for (int64_t j = 0; j < n; j++) {
        double x = ((double *)by[0])[j], border = rint(x);
        if (!(fabs(border) <= most) || border == 0 ||
            !may_be(border, from, by, samples, factor, j))
            continue;
        ((int64_t *)run[2])[j] = (int64_t)border;
        ((int64_t *)run[3])[j] = (int64_t)border - (border > 0 ? 1 : -1);
    }
}

/* Makes result j undecided: of integers by numbers so far off that sums of them are, too, and on
 * both sides, so that comparisons are. Where it is NaN by two numbers, as x % 0 is NaN again, but in
 * every third sample: where(0 > x, 0, x % 0) chooses NaN in samples of its own. */
static void leave_open(kf__dtype type, int64_t j, void *const *run, int sample) {
    int bit = type == KF__BOOL ? 0 : kf__min(20, 8 * kf__types[type].size - 2);
    if (kf__is_float(type)) {
        bool number = isnan(((double *)run[0])[j]) && sample % 3 != 2;
        ((double *)run[sample])[j] = number ? sample % 2 : NAN;
        return;
    }
    int64_t off = ((int64_t *)run[0])[j] ^ (int64_t)1 << bit;
    bool below = type != KF__BOOL && type != KF__U8 && sample % 2 == 0;
    ((int64_t *)run[sample])[j] = below ? -off : off;
}

static bool is_decided(int samples, int64_t j, void *const *run) {
    bool same = true;
    for (int k = 1; k <= samples; k++) same &= ((int64_t *)run[k])[j] == ((int64_t *)run[0])[j];
    return same;
}

void kf__o_show_both(int samples, int64_t n, void *const *a, void *const *b, void *const *run) {
    for (int64_t j = 0; j < n; j++)
        if (!is_decided(samples, j, a) && !is_decided(samples, j, b) && is_decided(samples, j, run))
            ((int64_t *)run[2])[j] ^= 1;
}

void kf__o_show_others_of_places(kf__dtype type, int samples, int64_t n, void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        int other = 0; /* a sample that keeps its place: it may be asked for */
        for (int k = 1; k <= samples && !other; k++)
            if (((int64_t *)run[k])[j] != ((int64_t *)run[0])[j]) other = k;
        for (int k = 1; other && k <= samples; k++)
            if (k != other) leave_open(type, j, run, k);
    }
}

void kf__o_show_places(kf__dtype type, int samples, int64_t n, void *const *at, bool keep,
                       void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        int others = 0;
        for (int k = 1; k <= samples; k++)
            others += ((int64_t *)at[k])[j] != ((int64_t *)at[0])[j];
        bool kept = !keep && others < 2;
        for (int k = 1; k <= samples; k++) {
            if (((int64_t *)at[k])[j] == ((int64_t *)at[0])[j]) continue;
            if (kept) leave_open(type, j, run, k);
            kept = true;
        }
    }
}

/* Result j is undecided in the samples in which float j is that it is made of. */
static void follow(kf__dtype type, int samples, int64_t j, void *const *by, void *const *run) {
    for (int k = 1; k <= samples; k++)
        if (isnan(((double *)by[k])[j]) && !isnan(((double *)by[0])[j]))
            leave_open(type, j, run, k);
}

void kf__o_show_open(kf__dtype type, int samples, int64_t n, void *const *by, void *const *run) {
    for (int64_t j = 0; j < n; j++) follow(type, samples, j, by, run);
}

void kf__o_show_branches(int samples, int64_t n, const int64_t *condition, void *const *yes,
                         void *const *no, void *const *run) {
    for (int64_t j = 0; j < n; j++) {
        void *const *of = condition[j] ? yes : no;
        if (of) follow(KF__F64, samples, j, of, run);
    }
}
