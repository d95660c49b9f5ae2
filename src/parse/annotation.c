/* What a parameter takes: its annotation, and in the library its default, too. */
#include <math.h>

#include "parse/evaluate.h"

/* What keeps a float from being an integer. */
static const char *float_text(double number) {
    return isnan(number) ? "nan" : isinf(number) ? "an infinity"
           : number != floor(number) ? "a number with a fraction"
           : fabs(number) >= 0x1p63 ? "a number beyond 64 bits" : "a float";
}

/* `k: int`, `s: float`, `axes: tuple`, `mode: str`. An array of rank 0 may stand for a number. */
static bool check_kind(kf__evaluator *ev, const char *name, kf__annotated kind,
                       const kf__object *o) {
    const char *wanted = kind == KF__ANNOTATED_INT     ? "an integer"
                         : kind == KF__ANNOTATED_FLOAT ? "a number"
                         : kind == KF__ANNOTATED_TUPLE ? "a tuple"
                                                       : "a string";
    bool number = kf__is_numeric(o), whole = number && o->kind != KF__O_FLOAT, fits = false;
    if (o->kind == KF__O_SCALAR) whole = o->dtype != KF__F64;
    if (o->kind == KF__O_ARRAY) {
        const kf__node *node = kf__at(ev->g, o->ref);
        number = node->rank == 0;
        whole = number && !kf__is_float((kf__dtype)node->dtype);
    }
    switch (kind) {
    case KF__ANNOTATED_INT: fits = whole; break;
    case KF__ANNOTATED_FLOAT: fits = number; break;
    case KF__ANNOTATED_TUPLE: fits = o->kind == KF__O_TUPLE; break;
    case KF__ANNOTATED_STRING: fits = o->kind == KF__O_STRING; break;
    default: return true;
    }
    const char *given = o->kind == KF__O_SCALAR && kind == KF__ANNOTATED_INT
                            ? float_text(o->number) : kf__object_text(o);
    return fits ||
           kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be %s, not %s", name, wanted, given);
}

static bool fail_array(kf__evaluator *ev, const char *name, const kf__object *o) {
    return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be an array or a number, not %s", name,
                         kf__object_text(o));
}

/* `x: real`: what follows is computed in floating point, so that no integer wraps on the way. */
static bool make_real(kf__evaluator *ev, const char *name, kf__object *o) {
    if (o->kind != KF__O_ARRAY) return kf__is_numeric(o) || fail_array(ev, name, o);
    const kf__node *node = kf__at(ev->g, o->ref);
    if (node->weak || kf__is_float((kf__dtype)node->dtype)) return true;
    if (!ev->opaque) kf__begin_call(ev, "cast");
    return kf__eval_node(ev, kf__cast(ev->g, o->ref, KF__F32), o);
}

/* `x: f16[B, N]`: dtype, rank, and that sizes of the same name are the same. */
static bool check_array(kf__evaluator *ev, const kf__param *param, kf__object *frame) {
    const kf__annotation *a = &param->annotation;
    kf__object *o = &frame[param->slot];
    const char *name = ev->def->slots[param->slot];
    if (o->kind != KF__O_ARRAY && a->sizes && a->rank)
        return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be an array of rank %d, not %s", name,
                             a->rank, kf__object_text(o));
    if (o->kind != KF__O_ARRAY) return kf__is_numeric(o) || fail_array(ev, name, o);
    const kf__node *node = kf__at(ev->g, o->ref);
    if (!a->any_dtype && !node->weak && node->dtype != a->dtype)
        return kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be %s, not %s", name,
                             kf__types[a->dtype].name, kf__types[node->dtype].name);
    if (a->sizes && node->rank != a->rank)
        return kf__eval_fail(ev, KF_ERR_SHAPE, "`%s` must have rank %d, not %d", name, a->rank,
                             node->rank);
    for (int i = 0; a->sizes && i < a->rank; i++) {
        kf__expr size = kf__at(ev->g, o->ref)->shape[i], wanted;
        kf__object *known = a->size[i].name_n ? &frame[a->size[i].slot] : NULL;
        if (known && known->kind == KF__O_UNSET) {
            *known = kf__size_object(ev, size);
            continue;
        }
        kf__object number = {.kind = KF__O_INT, .integer = a->size[i].number};
        if (!kf__to_size(ev, known ? known : &number, "a size", &wanted)) return false;
        kf__object ignored;
        if (!kf__eval_node(ev, kf__same_size(ev->g, size, wanted, name), &ignored)) return false;
    }
    return true;
}

/* The library's parameters say by their default what they take: `training=True`, `eps=1e-5`. A
 * number may be a tuple, too, one for each axis. Else a string would count as True, or as another
 * number than any that is asked about. */
static bool check_by_default(kf__evaluator *ev, const kf__ast *fallback, const char *name,
                             const kf__object *o) {
    while (fallback->kind == KF__A_UNARY) fallback = fallback->part[0].node; /* -1 */
    kf__object_kind kind =
        fallback->kind == KF__A_LITERAL ? (kf__object_kind)fallback->literal.kind : KF__O_NONE;
    bool number = kind == KF__O_INT || kind == KF__O_FLOAT;
    if (kf__is_numeric(o) || (kind != KF__O_BOOL && !number)) return true;
    return (number && o->kind == KF__O_TUPLE) ||
           kf__eval_fail(ev, KF_ERR_TYPE, "`%s` must be %s, not %s", name,
                         number ? "a number" : "True or False", kf__object_text(o));
}

bool kf__check_parameter(kf__evaluator *ev, const kf__param *param, kf__object *frame) {
    const kf__annotation *a = &param->annotation;
    kf__object *o = &frame[param->slot];
    const char *name = ev->def->slots[param->slot];
    if (o->kind == KF__O_NONE && ev->def->library && !param->fallback && a->present)
        return fail_array(ev, name, o);
    if (o->kind == KF__O_NONE) return true;
    if (!a->present)
        return !ev->def->library || !param->fallback ||
               check_by_default(ev, param->fallback, name, o);
    if (a->kind == KF__ANNOTATED_REAL) return make_real(ev, name, o);
    ev->at = a->at;
    return a->kind == KF__ANNOTATED_ARRAY ? check_array(ev, param, frame)
                                          : check_kind(ev, name, (kf__annotated)a->kind, o);
}
