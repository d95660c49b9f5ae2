/* The oracle column of ops.def as functions. */
#include "ir/numbers.h"

#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    static long double on_##id(long double a, long double b, long double c) {             \
        (void)a, (void)b, (void)c;                                                        \
        return (foracle);                                                                 \
    }
#include "ir/ops.def"
#undef OP

#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc) \
    [KF__##id] = on_##id,
kf__on_numbers *const kf__ops_on_numbers[KF__OP_COUNT] = {
#include "ir/ops.def"
};
#undef OP
