/* Calls: a builtin makes nodes of its arguments, a def's statements are evaluated in a frame of
 * their own. arguments.c binds the arguments, into.c writes into out=. */
#include "parse/makers.h"

/* ---------------------------------------------------------------- builtins */

static bool is_of_arrays(const kf__object *tuple) {
    for (uint32_t i = 0; i < tuple->n; i++)
        if (tuple->items[i].kind == KF__O_ARRAY) return true;
    return false;
}

/* Sums and products of integers and sizes stay known, as those of a shape. */
static bool stays_known(const kf__builtin *b, const kf__object *args) {
    bool sums = b->data == KF__RED_SUM || b->data == KF__RED_PROD || b->data == KF__RED_ANY ||
                b->data == KF__RED_ALL || !args[0].list;
    for (uint32_t i = 0; i < args[0].n && sums; i++)
        sums = kf__is_numeric(&args[0].items[i]) && args[0].items[i].kind != KF__O_FLOAT;
    for (uint32_t i = 1; i < KF__MAX_PARAMETERS && sums; i++)
        sums = args[i].kind == KF__O_UNSET || args[i].kind == KF__O_NONE;
    return sums;
}

static bool lists_are_arrays(const kf__ast *node) {
    return node->family == KF__NUMPY || node->family == KF__LINALG;
}

/* NumPy takes a list for an array: np.sum([x, y]), np.max([1, 2]), np.exp([1, 2]). */
static bool arrays_of_lists(kf__evaluator *ev, const kf__ast *node, const kf__signature *s,
                            kf__object *args) {
    const kf__builtin *b = node->call.builtin;
    bool each = strcmp(b->kind, "elementwise") == 0, reduces = strcmp(b->kind, "reduction") == 0;
    bool first = reduces || b->make == kf__make_take || b->make == kf__make_fill_like ||
                 b->make == kf__make_cast_named || b->make == kf__make_shape ||
                 b->make == kf__make_size ||
                 (strcmp(b->kind, "view") == 0 && s->length[0] == 1); /* `x` */
    if (!lists_are_arrays(node) || (!each && !first)) return true;
    if (reduces && args[0].kind == KF__O_TUPLE && !is_of_arrays(&args[0]) &&
        stays_known(b, args))
        return true;
    for (uint32_t i = 0; i < (each ? s->n : 1); i++)
        if (args[i].kind == KF__O_TUPLE && !kf__array_of_list(ev, &args[i], &args[i]))
            return false;
    return true;
}

/* Is it an array, by its annotation or by its name? */
static bool is_array(const kf__def *def, const kf__param *p) {
    const kf__annotation *a = &p->annotation;
    if (a->present) return a->kind == KF__ANNOTATED_ARRAY || a->kind == KF__ANNOTATED_REAL;
    return !p->fallback && !p->rest && p->name_n == 1 && strchr("xab", def->module->text[p->name]);
}

/* The same of a composite. */
static bool arrays_of_def(kf__evaluator *ev, const kf__ast *node, const kf__def *def,
                          kf__object *frame) {
    if (!lists_are_arrays(node) || !def->library) return true;
    for (uint32_t i = 0; i < def->n_params; i++) {
        kf__object *o = &frame[def->params[i].slot];
        if (o->kind == KF__O_TUPLE && is_array(def, &def->params[i]) &&
            !kf__array_of_list(ev, o, o))
            return false;
    }
    return true;
}

/* How many arguments by position a call of the user's has that is Python's by its form. */
static uint32_t count_plain(const kf__evaluator *ev, const kf__ast *node, const kf__object *args) {
    uint32_t n = 0;
    if (node->family != KF__OURS || ev->def->library) return 0;
    for (uint32_t i = 0; i < node->n; i++)
        if (node->part[i].name_n) return 0;
    while (n < KF__MAX_PARAMETERS && !args[n].left_out && args[n].kind != KF__O_UNSET) n++;
    return n;
}

/* dtype: that the arguments are taken in; NULL: their own */
static bool call_builtin(kf__evaluator *ev, const kf__ast *node, const kf__dtype *dtype,
                         kf__object *out) {
    const kf__builtin *b = node->call.builtin;
    kf__object args[KF__MAX_PARAMETERS] = {0};
    kf__signature s;
    kf__read_signature(b, &s);
    uint32_t wanted = ev->wanted;
    ev->wanted = 0;
    if (!kf__bind_arguments(ev, &s, node, args) || !arrays_of_lists(ev, node, &s, args))
        return false;
    ev->wanted = wanted;
    for (uint32_t i = 0; i < s.n; i++)
        if (args[i].kind == KF__O_UNSET) args[i].kind = KF__O_NONE, args[i].left_out = true;
    for (uint32_t i = 0; dtype && i < s.n; i++)
        if (!kf__in_dtype(ev, *dtype, &args[i])) return false;
    uint32_t plain = count_plain(ev, node, args);
    bool ok = kf__is_extremum_of(ev, b, plain, args)
                  ? kf__make_extremum_of(ev, b, plain, args, out)
                  : b->make(ev, b, args, out);
    ok = ok && (!dtype || kf__is_in_dtype(ev, b->name, *dtype, out));
    ev->wanted = 0;
    return ok;
}

/* ---------------------------------------------------------------- defs */

static bool assign(kf__evaluator *ev, const kf__statement *s, const kf__object *value) {
    if (!s->unpack) {
        ev->frame[s->target[0]] = *value;
        return true;
    }
    ev->at = s->at;
    if (value->kind != KF__O_TUPLE)
        return kf__eval_fail(ev, KF_ERR_TYPE, "%u name%s on the left, but the value is %s",
                             s->n_targets, s->n_targets == 1 ? "" : "s", kf__object_text(value));
    if (value->n != s->n_targets)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "%u name%s on the left, but %u values",
                             s->n_targets, s->n_targets == 1 ? "" : "s", value->n);
    for (uint32_t i = 0; i < s->n_targets; i++) ev->frame[s->target[i]] = value->items[i];
    return true;
}

/* A value that n names take: split and unbind make so many parts, also where the size that decides
 * about it is known only when planned. */
static bool evaluate_for(kf__evaluator *ev, const kf__ast *node, uint32_t n, kf__object *out) {
    ev->wanted = node->kind == KF__A_CALL ? n : 0;
    return kf__evaluate(ev, node, out);
}

static bool evaluate_body(kf__evaluator *ev, const kf__def *def, kf__object *out) {
    uint32_t wanted = ev->wanted;
    ev->wanted = 0;
    for (uint32_t i = 0; i < def->n_params; i++) {
        kf__object *o = &ev->frame[def->params[i].slot];
        if (o->kind == KF__O_UNSET && !kf__evaluate(ev, def->params[i].fallback, o)) return false;
    }
    for (uint32_t i = 0; i < def->n_params; i++)
        if (!kf__check_parameter(ev, &def->params[i], ev->frame)) return false;
    for (uint32_t i = 0; i < def->n_statements; i++) {
        const kf__statement *s = &def->statements[i];
        kf__object value;
        if (!evaluate_for(ev, s->value, s->unpack ? s->n_targets : 0, &value) ||
            !assign(ev, s, &value))
            return false;
    }
    return evaluate_for(ev, def->result, wanted, out);
}

bool kf__call_def(kf__evaluator *ev, const kf__def *def, kf__object *frame, kf__object *out) {
    if (ev->calls >= KF__MAX_NESTING)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "calls are nested more than %d deep",
                             KF__MAX_NESTING);
    const kf__def *def_before = ev->def;
    kf__object *frame_before = ev->frame;
    ev->def = def, ev->frame = frame;
    ev->calls++;
    bool ok = evaluate_body(ev, def, out);
    ev->calls--;
    ev->def = def_before, ev->frame = frame_before;
    return ok;
}

/* torch.var, a def called _torch_var, is var to its user. */
static const char *called(const kf__def *def) {
    for (int i = KF__OURS + 1; def->library && i < KF__FAMILIES; i++)
        if (strncmp(def->name, kf__family_prefix[i], strlen(kf__family_prefix[i])) == 0)
            return def->name + strlen(kf__family_prefix[i]);
    return def->name;
}

void kf__enter_composite(kf__evaluator *ev, const kf__def *def) {
    kf__begin_call(ev, called(def));
    ev->outer = ev->def->module, ev->outer_at = ev->at, ev->outer_name = called(def);
    ev->opaque = true;
}

static bool call_library(kf__evaluator *ev, const kf__def *def, kf__object *frame,
                         kf__object *out) {
    kf__enter_composite(ev, def);
    bool ok = kf__call_def(ev, def, frame, out);
    ev->opaque = false;
    return ok && kf__round(ev, out);
}

static bool call_def(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    const kf__def *def = node->call.def;
    kf__signature s = {.name = called(def), .def = def, .n = def->n_params, .rest = def->n_params};
    for (uint32_t i = def->n_params; i-- > 0;)
        if (def->params[i].rest) s.rest = i;
    uint32_t wanted = ev->wanted;
    ev->wanted = 0;
    kf__object *frame = kf__allocate(ev->mem, (def->n_slots + 1) * sizeof *frame);
    if (!frame) return kf__eval_memory(ev);
    memset(frame, 0, (def->n_slots + 1) * sizeof *frame);
    bool ok = kf__bind_arguments(ev, &s, node, frame) && arrays_of_def(ev, node, def, frame);
    ev->at = node->at, ev->wanted = wanted;
    for (uint32_t i = 0; i < def->n_params && def->library && !ev->def->library; i++) {
        const kf__param *p = &def->params[i]; /* dtype=None: as if it weren't given */
        bool dtype = p->name_n == 5 && !memcmp(def->module->text + p->name, "dtype", 5);
        kf__object *o = &frame[p->slot];
        if (dtype && p->fallback && o->kind == KF__O_NONE) o->kind = KF__O_UNSET;
    }
    if (ok && def->library && !ev->opaque) ok = call_library(ev, def, frame, out);
    else if (ok) ok = kf__call_def(ev, def, frame, out);
    kf__release(ev->mem, frame);
    return ok;
}

/* ---------------------------------------------------------------- out=, where=, dtype= */

/* What stands beside the arguments of a call, NumPy's way. */
typedef struct beside {
    const kf__part *out, *where, *dtype;
    kf__ast *without; /* the call without them; NULL: there are none */
} beside;

/* Is each element of the result computed from one of each argument? */
static bool is_elementwise(const kf__ast *node) {
    static const char *const others[] = {"allclose", "array_equal", "array_equiv", "isin",
                                         "polyval"}; /* of the same files */
    if (node->call.builtin) return strcmp(node->call.builtin->kind, "elementwise") == 0;
    const char *file = node->call.def->module->file, *name = node->call.def->name;
    return (strstr(file, "elementwise.kf") || strstr(file, "special.kf")) &&
           kf__index_of(others, KF__COUNT(others), name, (uint32_t)strlen(name)) ==
               KF__COUNT(others);
}

/* What is written into an array broadcasts, if it is elementwise; else it has as many axes. */
static bool fits_into(kf__evaluator *ev, const kf__ast *node, const char *name,
                      const kf__object *to, const kf__object *o) {
    if (is_elementwise(node) || to->kind != KF__O_ARRAY || o->kind != KF__O_ARRAY) return true;
    int own = kf__at(ev->g, o->ref)->rank, rank = kf__at(ev->g, to->ref)->rank;
    return own == rank ||
           kf__eval_fail(ev, KF_ERR_SHAPE, "%s() gives an array of rank %d, out= is one of rank "
                                           "%d", name, own, rank);
}

/* Is it computed in a dtype of one's choice? */
static bool has_dtype(const kf__builtin *b) {
    kf__rule rule = kf__ops[b->data].rule;
    return rule == KF__RULE_ARITH || rule == KF__RULE_SAME || rule == KF__RULE_FLOAT ||
           rule == KF__RULE_DIVIDE || rule == KF__RULE_BITS || rule == KF__RULE_INTEGER;
}

static bool is_option(kf__evaluator *ev, const kf__part *part, const char *name) {
    return part->name_n == strlen(name) &&
           memcmp(ev->def->module->text + part->name, name, part->name_n) == 0;
}

/* Those that what is called has no parameter for. */
static bool look_beside(kf__evaluator *ev, const kf__ast *node, beside *b) {
    const kf__def *def = node->call.builtin ? NULL : node->call.def;
    if (ev->def->library || (def && !def->library)) return true;
    kf__signature s = {.def = def, .n = def ? def->n_params : 0};
    if (!def) kf__read_signature(node->call.builtin, &s);
    bool each = is_elementwise(node), typed = each && !def && has_dtype(node->call.builtin);
    uint32_t n = 0;
    kf__part *rest = NULL;
    for (uint32_t i = 0; i < node->n; i++) {
        const kf__part *part = &node->part[i];
        const kf__part **to = is_option(ev, part, "out")             ? &b->out
                              : each && is_option(ev, part, "where") ? &b->where
                              : typed && is_option(ev, part, "dtype") ? &b->dtype
                                                                     : NULL;
        uint32_t length = part->name_n;
        if (to && kf__find_parameter(&s, ev->def->module->text + part->name, length) < s.n)
            to = NULL;
        if (!to && !rest) continue;
        if (!rest) {
            b->without = KF__NEW(&ev->arena, kf__ast, 1);
            rest = KF__NEW(&ev->arena, kf__part, node->n);
            if (!b->without || !rest) return kf__eval_memory(ev);
            memcpy(rest, node->part, node->n * sizeof *rest);
            n = i;
        }
        if (to) *to = part;
        else rest[n++] = *part;
    }
    if (!rest) return true;
    *b->without = *node;
    b->without->part = rest, b->without->n = n;
    return true;
}

/* The value of an option; given: is it there, and not None? */
static bool option(kf__evaluator *ev, const kf__part *part, kf__object *value, bool *given) {
    *given = false;
    if (!part) return true;
    if (!kf__evaluate(ev, part->node, value)) return false;
    *given = value->kind != KF__O_NONE;
    return true;
}

static bool call(kf__evaluator *ev, const kf__ast *node, const kf__dtype *dtype,
                 kf__object *out) {
    return node->call.builtin ? call_builtin(ev, node, dtype, out) : call_def(ev, node, out);
}

static bool call_beside(kf__evaluator *ev, const kf__ast *node, const beside *b,
                        kf__object *out) {
    kf__object to, where, type;
    bool into, masked, typed;
    kf__dtype dtype;
    const char *name = node->call.builtin ? node->call.builtin->name : called(node->call.def);
    ev->wanted = 0;
    if (!option(ev, b->out, &to, &into) || !option(ev, b->where, &where, &masked) ||
        !option(ev, b->dtype, &type, &typed) || (typed && !kf__to_dtype(ev, &type, &dtype)) ||
        !call(ev, b->without, typed ? &dtype : NULL, out))
        return false;
    ev->at = node->at;
    if (masked && where.kind == KF__O_BOOL && where.integer) masked = false;
    if (masked && !into)
        return kf__eval_fail(ev, KF_ERR_ARGUMENT, "where= of %s() leaves undefined what isn't "
                             "computed: give out=z too, or write where(mask, %s(...), z)", name,
                             name);
    return !into || (fits_into(ev, node, name, &to, out) &&
                     kf__store_in(ev, name, masked ? &where : NULL, &to, out));
}

bool kf__evaluate_call(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    beside b = {0};
    if (!look_beside(ev, node, &b)) return false;
    return b.without ? call_beside(ev, node, &b, out) : call(ev, node, NULL, out);
}
