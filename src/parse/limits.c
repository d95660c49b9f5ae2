/* finfo(dtype) and iinfo(dtype): the dtype itself, after a look at its class. What they are asked
 * for, .min .max .eps .tiny .bits, every dtype has, as .itemsize and .is_floating_point. */
#include <float.h>

#include "parse/makers.h"

static const struct {
    kf__dtype dtype;
    double max, tiny, eps; /* tiny: the smallest normal number; 1 + eps comes behind 1 */
} floats[] = {
    {KF__F8E4M3, 448.0, 0x1p-6, 0x1p-3},           {KF__F8E5M2, 57344.0, 0x1p-14, 0x1p-2},
    {KF__F16, 65504.0, 0x1p-14, 0x1p-10},          {KF__BF16, 0x1.fep127, 0x1p-126, 0x1p-7},
    {KF__F32, (double)FLT_MAX, 0x1p-126, 0x1p-23}, {KF__F64, DBL_MAX, DBL_MIN, DBL_EPSILON},
};

/* b->data: of floats */
bool kf__make_limits(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                     kf__object *out) {
    kf__dtype dtype = KF__F32;
    if (!args[0].left_out && !kf__to_dtype(ev, &args[0], &dtype)) return false;
    bool fits = b->data ? kf__is_float(dtype) : !kf__is_float(dtype) && dtype != KF__BOOL;
    if (args[0].left_out && !b->data)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "iinfo() needs an argument for `dtype`");
    if (!fits)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() of %s: %s", b->name, kf__types[dtype].name,
                             b->data ? "only floats; integers have iinfo()"
                                     : "only integers; floats have finfo()");
    *out = (kf__object){.kind = KF__O_DTYPE, .dtype = (uint8_t)dtype};
    return true;
}

static bool limit_of_float(kf__dtype dtype, size_t which, kf__object *out) {
    size_t i = 0;
    while (i < KF__COUNT(floats) && floats[i].dtype != dtype) i++;
    if (i == KF__COUNT(floats)) return false;
    const double values[] = {-floats[i].max, floats[i].max, floats[i].eps, floats[i].tiny,
                             floats[i].tiny};
    *out = (kf__object){.kind = KF__O_FLOAT, .number = values[which]};
    return true;
}

static bool limit_of_integer(kf__dtype dtype, size_t which, kf__object *out) {
    if (which > 1 || kf__is_float(dtype)) return false;
    int bits = 8 * kf__types[dtype].size;
    bool from_zero = dtype == KF__U8 || dtype == KF__BOOL;
    int64_t top = dtype == KF__BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits + !from_zero));
    *out = (kf__object){.kind = KF__O_INT,
                        .integer = which ? top : from_zero ? 0 : -top - 1};
    return true;
}

bool kf__dtype_attribute(kf__evaluator *ev, kf__dtype dtype, const char *name, uint32_t n,
                         kf__object *out) {
    static const char *const names[] = {"min", "max", "eps", "tiny", "smallest_normal", "bits",
                                        "itemsize", "dtype", "is_floating_point"};
    enum { BITS = 5 };
    size_t which = kf__index_of(names, KF__COUNT(names), name, n);
    int64_t bits = 8 * kf__types[dtype].size;
    if (which < BITS
            ? limit_of_float(dtype, which, out) || limit_of_integer(dtype, which, out)
            : which < KF__COUNT(names)) {
        if (which == BITS) *out = (kf__object){.kind = KF__O_INT, .integer = bits};
        if (which == BITS + 1) *out = (kf__object){.kind = KF__O_INT, .integer = bits / 8};
        if (which == BITS + 2) *out = (kf__object){.kind = KF__O_DTYPE, .dtype = (uint8_t)dtype};
        if (which == BITS + 3)
            *out = (kf__object){.kind = KF__O_BOOL, .integer = kf__is_float(dtype)};
        return true;
    }
    return kf__eval_fail(ev, KF_ERR_NAME, "%s has %s, not .%.*s", kf__types[dtype].name,
                         kf__is_float(dtype) ? ".min .max .eps .tiny .bits .itemsize"
                                             : ".min .max .bits .itemsize",
                         (int)n, name);
}
