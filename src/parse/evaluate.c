/* Evaluating a syntax tree. Recursion follows the tree, whose depth is limited, and is counted. */
#include "parse/evaluate.h"

#include <stdio.h>

/* ---------------------------------------------------------------- failing */

bool kf__eval_fail(kf__evaluator *ev, kf_status status, const char *format, ...) {
    char sentence[500];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (ev->opaque)
        kf__fail_in(ev->err, status, ev->outer, ev->outer_at, "in %s: %s", ev->outer_name,
                    sentence);
    else
        kf__fail_in(ev->err, status, ev->def->module, ev->at, "%s", sentence);
    return false;
}

bool kf__eval_memory(kf__evaluator *ev) {
    if (ev->g && ev->g->exprs.too_deep) /* that is why there is no size */
        return kf__eval_fail(ev, KF_ERR_LIMIT, KF__SIZES_TOO_DEEP, (int)KF__EXPR_DEPTH);
    kf__out_of_memory(ev->err);
    return false;
}

/* What the last maker assumed about sizes, it assumed for what is being evaluated. */
static void place_constraints(kf__evaluator *ev) {
    const kf__module *module = ev->opaque ? ev->outer : ev->def->module;
    char shown[KF__SHOWN];
    kf__constraint place = {0};
    kf__show_place(module, ev->opaque ? ev->outer_at : ev->at, &place.line, &place.column, shown);
    for (; ev->placed < ev->g->constraints.n; ev->placed++) {
        kf__constraint *c = &ev->g->constraints.at[ev->placed];
        c->shown = kf__arena_string(&ev->g->arena, shown, strlen(shown)); /* NULL: not shown */
        c->line = place.line, c->column = place.column;
    }
}

static bool is_argument_size(const kf_graph *g, const kf__node *n, kf__expr size) {
    for (int a = 0; a < n->n_args; a++) {
        const kf__node *x = kf__at(g, n->args[a]);
        for (int d = 0; d < x->rank; d++)
            if (x->shape[d] == size) return true;
    }
    return false;
}

/* A size that may be negative, as far as is known now, is asked for when sizes are. */
static bool ask_size(kf__evaluator *ev, kf__expr size) {
    kf__exprs *pool = &ev->g->exprs;
    kf__expr zero = kf__x_const(pool, 0), below = kf__x_const(pool, -1);
    int64_t known;
    if (kf__x_is_const(pool, size, &known))
        return known >= 0 || kf__eval_fail(ev, KF_ERR_SHAPE, "a size can't be negative: %lld",
                                           (long long)known);
    if (kf__x_below(pool, below, size)) return true;
    kf__constraint c = {.a = kf__x_max(pool, size, zero), .b = size, .why = KF__WHY_SIZE};
    return (c.a && (kf__sizes_equal(ev->g, c.a, c.b) || kf__keep_constraint(ev->g, c))) ||
           kf__eval_memory(ev);
}

typedef struct product {
    int64_t name[KF__MAX_ARRAY_RANK];
    int n;
} product;

/* Might it be beyond 64 bits, or divide by zero? What only counts elements isn't: products of
 * different names, sums of these and of small numbers. What is too long to tell may be. */
static bool is_far(const kf__exprs *pool, kf__expr size, product *of, int *budget) {
    const kf__expr_node *x = &pool->nodes.at[size];
    product a = {.n = 0}, b = {.n = 0};
    int64_t divisor;
    if (--*budget < 0) return true;
    switch ((kf__expr_kind)x->kind) {
    case KF__X_NONE:
    case KF__X_AXIS: return false;
    case KF__X_CONST: return x->value > INT32_MAX || x->value < INT32_MIN;
    case KF__X_NAME:
        for (int i = 0; i < of->n; i++)
            if (of->name[i] == x->value) return true;
        if (of->n == KF__MAX_ARRAY_RANK) return true;
        of->name[of->n++] = x->value;
        return false;
    case KF__X_MUL: return is_far(pool, x->a, of, budget) || is_far(pool, x->b, of, budget);
    case KF__X_DIV:
    case KF__X_MOD:
        if (!kf__x_is_const(pool, x->b, &divisor)) return true;
        break;
    case KF__X_ADD:
    case KF__X_MIN:
    case KF__X_MAX: break;
    }
    return is_far(pool, x->a, &a, budget) || is_far(pool, x->b, &b, budget);
}

/* A size as a number: planning fails where it can't be computed. */
static bool ask_number(kf__evaluator *ev, kf__expr size) {
    kf__constraint c = {.a = size, .b = size, .why = KF__WHY_SIZE};
    product of = {.n = 0};
    int budget = 200;
    return !is_far(&ev->g->exprs, size, &of, &budget) || kf__keep_constraint(ev->g, c) ||
           kf__eval_memory(ev);
}

static bool ask_sizes(kf__evaluator *ev) {
    const kf_graph *g = ev->g;
    for (; ev->sized < g->nodes.n; ev->sized++) {
        const kf__node *n = kf__at(g, ev->sized);
        if (n->kind == KF__SIZE && !ask_number(ev, n->index)) return false;
        for (int d = 0; d < n->rank; d++)
            if (!is_argument_size(g, n, n->shape[d]) && !ask_size(ev, n->shape[d])) return false;
    }
    return true;
}

bool kf__eval_node(kf__evaluator *ev, kf__ref ref, kf__object *out) {
    *out = (kf__object){.kind = KF__O_ARRAY, .ref = ref};
    if (ref && !ask_sizes(ev)) return false;
    if (ev->placed < ev->g->constraints.n) place_constraints(ev);
    if (ref) return true;
    const kf_error *why = &ev->g->error;
    if (why->status == KF_OK || why->status == KF_ERR_MEMORY) return kf__eval_memory(ev);
    return kf__eval_fail(ev, why->status, "%s", why->message);
}

/* ---------------------------------------------------------------- calls as the user wrote them */

void kf__begin_call(kf__evaluator *ev, const char *name) {
    if (!ev->opaque) ev->g->call = kf__call(ev->g, name);
}

static bool round_one(kf__evaluator *ev, kf__object *o) {
    if (o->kind != KF__O_ARRAY) return true;
    const kf__node *node = kf__at(ev->g, o->ref);
    kf__dtype dtype = (kf__dtype)node->dtype;
    if (!kf__is_narrow(dtype) || node->kind == KF__INPUT || node->kind == KF__CAST)
        return true;
    return kf__eval_node(ev, kf__cast(ev->g, o->ref, dtype), o);
}

bool kf__round(kf__evaluator *ev, kf__object *o) {
    if (ev->opaque || ev->g->numerics != KF_EAGER) return true;
    if (o->kind != KF__O_TUPLE) return round_one(ev, o);
    /* of a composite with several results; a tuple in it is none of them */
    kf__object *items = kf__arena_copy(&ev->arena, o->items, o->n * sizeof *items);
    if (o->n && !items) return kf__eval_memory(ev);
    for (uint32_t i = 0; i < o->n; i++)
        if (!round_one(ev, &items[i])) return false;
    o->items = items;
    return true;
}

/* ---------------------------------------------------------------- nodes of the tree */

static bool evaluate_chain(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    if (!kf__evaluate(ev, node->part[0].node, out)) return false;
    for (uint32_t i = 1; i < node->n; i++) {
        kf__object left = *out, right;
        if (!kf__evaluate(ev, node->part[i].node, &right)) return false;
        ev->at = node->part[i].at;
        if (!kf__binary(ev, (kf__token_kind)node->part[i].op, &left, &right, out)) return false;
    }
    return true;
}

/* One comparison of a chain; `is None` is one, too. */
static bool compare(kf__evaluator *ev, const kf__part *part, const kf__object *left,
                    kf__object *right, kf__object *out) {
    if (!kf__evaluate(ev, part->node, right)) return false;
    ev->at = part->at;
    if (part->op != KF__T_IS)
        return kf__binary(ev, (kf__token_kind)part->op, left, right, out);
    bool negated = part->name_n != 0;
    *out = (kf__object){.kind = KF__O_BOOL,
                        .integer = (left->kind == KF__O_NONE) != negated};
    return true;
}

static bool evaluate_compare(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    kf__object left, right, one;
    if (!kf__evaluate(ev, node->part[0].node, &left)) return false;
    for (uint32_t i = 1; i < node->n; i++, left = right) {
        if (!compare(ev, &node->part[i], &left, &right, &one)) return false;
        if (i == 1) {
            *out = one;
            continue;
        }
        kf__object so_far = *out;
        if (!kf__binary(ev, KF__T_BIT_AND, &so_far, &one, out)) return false;
    }
    return true;
}

static bool evaluate_unary(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    kf__object operand;
    if (!kf__evaluate(ev, node->part[0].node, &operand)) return false;
    ev->at = node->at;
    return kf__unary(ev, (kf__token_kind)node->op, &operand, out);
}

static bool where(kf__evaluator *ev, const kf__object *condition, const kf__object *yes,
                  const kf__object *no, kf__object *out) {
    kf__ref args[3];
    kf__begin_call(ev, "where");
    if (!kf__to_node(ev, condition, &args[0]) || !kf__to_node(ev, yes, &args[1]) ||
        !kf__to_node(ev, no, &args[2]))
        return false;
    if (kf__at(ev->g, args[0])->dtype != KF__BOOL)
        args[0] = kf__apply2(ev->g, KF__NOT_EQUAL, args[0], kf__integer(ev->g, 0));
    return kf__eval_node(ev, kf__apply(ev->g, KF__WHERE, args), out) && kf__round(ev, out);
}

/* `_fail(why) if k < 1 else ...`: what fails can't be a side of `where`, nor a choice that does. */
static bool is_failure(const kf__ast *node) {
    if (node->kind == KF__A_CHOICE)
        return is_failure(node->part[0].node) || is_failure(node->part[2].node);
    return node->kind == KF__A_CALL && node->call.builtin &&
           strcmp(node->call.builtin->name, "_fail") == 0;
}

/* Where both sides are numbers that are known now, so is the choice. */
static bool choose_running(kf__evaluator *ev, const kf__object *condition, const kf__object *yes,
                           const kf__object *no, kf__object *out) {
    if (!where(ev, condition, yes, no, out)) return false;
    kf__object now = kf__known(condition), a = kf__known(yes), b = kf__known(no);
    if (!kf__is_number(&now) || !kf__is_number(&a) || !kf__is_number(&b)) return true;
    kf__object value = now.integer ? a : b;
    if (value.kind != KF__O_FLOAT && (a.kind == KF__O_FLOAT || b.kind == KF__O_FLOAT))
        value = (kf__object){.kind = KF__O_FLOAT, .number = (double)value.integer};
    kf__keep_value(&value, out);
    return true;
}

/* A condition that is known picks one side; the other isn't evaluated. One that is known only at
 * run time, an array or a comparison with a run-time scalar, is `where`. */
static bool evaluate_choice(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    kf__object condition, yes, no;
    bool known;
    if (!kf__evaluate(ev, node->part[1].node, &condition)) return false;
    ev->at = node->at;
    bool scalar = condition.kind == KF__O_SCALAR && condition.dtype == KF__BOOL;
    if (scalar) scalar = !is_failure(node->part[0].node) && !is_failure(node->part[2].node);
    if (condition.kind != KF__O_ARRAY && !scalar) {
        if (!kf__to_bool(ev, &condition, "if", &known)) return false;
        return kf__evaluate(ev, node->part[known ? 0 : 2].node, out);
    }
    if (!kf__evaluate(ev, node->part[0].node, &yes) || !kf__evaluate(ev, node->part[2].node, &no))
        return false;
    ev->at = node->at;
    if (kf__is_numeric(&yes) && kf__is_numeric(&no))
        return choose_running(ev, &condition, &yes, &no, out);
    if (!kf__to_bool(ev, &condition, "if", &known)) return false;
    *out = known ? yes : no;
    return true;
}

bool kf__evaluate_items(kf__evaluator *ev, const kf__ast *node, kf__object *value,
                        const kf__object **items, uint32_t *n) {
    bool star = node->kind == KF__A_STAR;
    if (!kf__evaluate(ev, star ? node->part[0].node : node, value)) return false;
    ev->at = node->at;
    if (star && value->kind != KF__O_TUPLE)
        return kf__eval_fail(ev, KF_ERR_TYPE, "`*` gives the items of a tuple, and this is %s",
                             kf__object_text(value));
    *items = star ? value->items : value;
    *n = star ? value->n : 1;
    return true;
}

static bool evaluate_tuple(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    uint32_t room = node->n, n = 0, more = 0;
    kf__object *items = KF__NEW(&ev->arena, kf__object, room + 1), value;
    const kf__object *from = NULL;
    for (uint32_t i = 0; items && i < node->n; i++, n += more) {
        if (!kf__evaluate_items(ev, node->part[i].node, &value, &from, &more)) return false;
        uint32_t wanted = n + more + (node->n - 1 - i);
        if (wanted > KF__MAX_TUPLE)
            return kf__eval_fail(ev, KF_ERR_LIMIT, "a tuple of more than %d items", KF__MAX_TUPLE);
        if (wanted > room) {
            kf__object *grown = KF__NEW(&ev->arena, kf__object, room = 2 * wanted);
            if (grown) memcpy(grown, items, n * sizeof *items);
            if (!(items = grown)) break;
        }
        memcpy(items + n, from, more * sizeof *items);
    }
    *out = (kf__object){.kind = KF__O_TUPLE, .n = n, .items = items,
                        .list = node->op == KF__T_OPEN_SQUARE};
    return items || kf__eval_memory(ev);
}

static bool evaluate_node(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    switch (node->kind) {
    case KF__A_LITERAL: *out = node->literal; return true;
    case KF__A_NAME: *out = ev->frame[node->slot]; return true;
    case KF__A_CHAIN: return evaluate_chain(ev, node, out);
    case KF__A_COMPARE: return evaluate_compare(ev, node, out);
    case KF__A_UNARY: return evaluate_unary(ev, node, out);
    case KF__A_CHOICE: return evaluate_choice(ev, node, out);
    case KF__A_CALL: return kf__evaluate_call(ev, node, out);
    case KF__A_INDEX: return kf__subscript(ev, node, out);
    case KF__A_ATTRIBUTE: return kf__attribute(ev, node, out);
    case KF__A_TUPLE: return evaluate_tuple(ev, node, out);
    case KF__A_STAR:
        return kf__eval_fail(ev, KF_ERR_SYNTAX, "`*` before a tuple stands in another one, in a "
                                                "list, or among arguments");
    default:
        ev->at = node->at;
        return kf__eval_fail(ev, KF_ERR_SYNTAX, "a slice only stands in an index");
    }
}

bool kf__deeper(kf__evaluator *ev) {
    if (ev->depth >= KF__MAX_EVALUATION_DEPTH)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "calls and brackets are nested too deeply");
    if (++ev->steps > KF__MAX_STEPS)
        return kf__eval_fail(ev, KF_ERR_LIMIT, "evaluating this takes more than %d steps",
                             KF__MAX_STEPS);
    ev->depth++;
    return true;
}

bool kf__evaluate(kf__evaluator *ev, const kf__ast *node, kf__object *out) {
    ev->at = node->at;
    if (!kf__deeper(ev)) return false;
    bool ok = evaluate_node(ev, node, out);
    ev->depth--;
    return ok;
}
