/* NumPy's options of elementwise functions that aren't arguments of what they compute:
 *
 *     np.divide(x, y, out=z, where=m)     where(m, x / y, z), of z's shape and dtype
 *     np.add(i, j, dtype=float64)         of the arguments in that dtype
 *
 * Values never change here: what is out= stays what it was, the call gives the result. */
#include "parse/evaluate.h"

/* NumPy casts without being asked within a kind and to a higher one. */
static bool may_become(kf__dtype from, kf__dtype to) {
    bool sign_lost = to == KF__U8 && kf__types[from].class == KF__CLASS_INT && from != KF__U8;
    return kf__types[from].class <= kf__types[to].class && !sign_lost;
}

bool kf__in_dtype(kf__evaluator *ev, kf__dtype dtype, kf__object *o) {
    kf__ref x;
    if (!kf__to_node(ev, o, &x)) return false;
    kf__dtype own = (kf__dtype)kf__at(ev->g, x)->dtype;
    bool fits = kf__at(ev->g, x)->weak ? kf__types[own].class <= kf__types[dtype].class
                                       : may_become(own, dtype);
    if (!fits)
        return kf__eval_fail(ev, KF_ERR_TYPE, "dtype=%s is asked for, but an argument is %s: cast "
                                              "it", kf__types[dtype].name, kf__types[own].name);
    return kf__ask_object_fits(ev, dtype, o) && kf__eval_node(ev, kf__cast(ev->g, x, dtype), o);
}

bool kf__is_in_dtype(kf__evaluator *ev, const char *name, kf__dtype dtype, const kf__object *o) {
    kf__dtype got = o->kind == KF__O_ARRAY ? (kf__dtype)kf__at(ev->g, o->ref)->dtype : dtype;
    return got == dtype ||
           kf__eval_fail(ev, KF_ERR_TYPE, "%s() gives %s of %s, so dtype= can't be %s", name,
                         kf__types[got].name, kf__types[dtype].name, kf__types[dtype].name);
}

bool kf__store_in(kf__evaluator *ev, const char *name, const kf__object *where,
                  const kf__object *to, kf__object *o) {
    kf_graph *g = ev->g;
    kf__ref x, z, mask = 0;
    if (o->kind == KF__O_TUPLE)
        return kf__eval_fail(ev, KF_ERR_UNSUPPORTED, "%s() gives several results, for which out= "
                                                     "isn't supported", name);
    if (to->kind != KF__O_ARRAY)
        return kf__eval_fail(ev, KF_ERR_TYPE, "out= of %s() must be an array, not %s", name,
                             kf__object_text(to));
    z = to->ref;
    if (!kf__to_node(ev, o, &x) || (where && !kf__to_node(ev, where, &mask))) return false;
    kf__dtype from = (kf__dtype)kf__at(g, x)->dtype, dtype = (kf__dtype)kf__at(g, z)->dtype;
    if (mask && kf__at(g, mask)->dtype != KF__BOOL)
        return kf__eval_fail(ev, KF_ERR_TYPE, "where= of %s() must be bools, not %s", name,
                             kf__types[kf__at(g, mask)->dtype].name);
    if (!may_become(from, dtype))
        return kf__eval_fail(ev, KF_ERR_TYPE, "%s() gives %s, which doesn't go into out=, %s: "
                                              "cast one of them", name, kf__types[from].name,
                             kf__types[dtype].name);
    int rank = kf__at(g, z)->rank;
    x = kf__cast(g, x, dtype);
    if (x) x = kf__broadcast_to(g, x, rank, kf__at(g, z)->shape);
    if (x && mask) mask = kf__broadcast_to(g, mask, rank, kf__at(g, z)->shape);
    if (x && where) x = mask ? kf__apply(g, KF__WHERE, (kf__ref[]){mask, x, z}) : 0;
    return kf__eval_node(ev, x, o) && kf__round(ev, o);
}
