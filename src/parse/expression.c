/* Expressions. Each function stands under the rule of the grammar that it reads; docs/language.md
 * has all rules together. */
#include "parse/reader.h"

/* ---------------------------------------------------------------- helpers */

bool kf__ast_push(kf__arena *arena, kf__ast *node, kf__part part) {
    if (node->n == node->capacity) {
        uint32_t capacity = node->capacity ? node->capacity * 2 : 3;
        kf__part *grown = KF__NEW(arena, kf__part, capacity);
        if (!grown) return false;
        if (node->n) memcpy(grown, node->part, node->n * sizeof *grown);
        node->part = grown;
        node->capacity = capacity;
    }
    node->part[node->n++] = part;
    return true;
}

kf__ast *kf__ast_new(kf__reader *r, kf__ast_kind kind, uint32_t at) {
    kf__ast *node = KF__NEW(r->arena, kf__ast, 1);
    if (!node) return kf__reader_memory(r);
    node->kind = (uint8_t)kind;
    node->at = at;
    return node;
}

static bool push(kf__reader *r, kf__ast *node, kf__part part) {
    return kf__ast_push(r->arena, node, part) || kf__reader_memory(r);
}

/* One level deeper; false (and failed) below the limit. The text itself is one. */
static bool enter(kf__reader *r) {
    if (++r->depth <= KF__MAX_NESTING + 1) return true;
    kf__reader_fail(r, KF_ERR_LIMIT, r->token.at,
                    "this is nested more than %d deep; give parts of it names", KF__MAX_NESTING);
    return false;
}
static void leave(kf__reader *r) { r->depth--; }


/* ---------------------------------------------------------------- atoms */

static kf__ast *unknown_name(kf__reader *r, const kf__token *t) {
    const char *near = kf__nearest(kf__spelling(r, t), t->length, (const char *const *)r->slots.at,
                                   r->slots.n);
    if (r->constants_only)
        return kf__reader_fail(r, KF_ERR_NAME, t->at,
                               "a default is made of constants; `%.*s` isn't one",
                               (int)t->length, kf__spelling(r, t));
    return kf__reader_fail(r, KF_ERR_NAME, t->at,
                           near ? "unknown name `%.*s`; did you mean `%s`?"
                                : "unknown name `%.*s`: inside a def, names are parameters or "
                                  "were assigned before",
                           (int)t->length, kf__spelling(r, t), near);
}

/* float or int alone as an argument, x.astype(float): what NumPy and PyTorch take them for. */
static kf__ast *read_python_type(kf__reader *r) {
    kf__token t = r->token;
    kf__lexer lexer = r->lexer;
    bool real = t.kind == KF__T_NAME && kf__token_is(r, &t, "float");
    if (!real && !(t.kind == KF__T_NAME && kf__token_is(r, &t, "int"))) return NULL;
    kf__take(r);
    if ((r->token.kind == KF__T_CLOSE || r->token.kind == KF__T_COMMA) &&
        kf__slot(r, &t, false) == UINT32_MAX)
        return kf__literal(r, t.at, (kf__object){.kind = KF__O_DTYPE,
                                                 .dtype = real ? KF__F64 : KF__I64});
    r->lexer = lexer, r->token = t;
    return NULL;
}

/* item := expression | "*" expression        of a tuple, a list, or a call's arguments */
static kf__ast *read_item(kf__reader *r) {
    kf__token t = r->token;
    if (t.kind != KF__T_TIMES) return kf__read_expression(r);
    kf__take(r);
    kf__ast *star = kf__ast_new(r, KF__A_STAR, t.at), *tuple = star ? kf__read_expression(r) : NULL;
    return tuple && push(r, star, (kf__part){.node = tuple, .at = tuple->at}) ? star : NULL;
}

/* arguments := [argument {"," argument} [","]]
 * argument := item | NAME "=" expression */
static bool read_arguments(kf__reader *r, kf__ast *call) {
    uint32_t open = r->token.at;
    kf__take(r);
    while (r->token.kind != KF__T_CLOSE) {
        kf__part part = {.at = r->token.at};
        if (r->token.kind == KF__T_NAME) {
            kf__lexer lexer = r->lexer;
            kf__token name = r->token;
            kf__take(r);
            if (r->token.kind == KF__T_SET) {
                part.name = name.at, part.name_n = name.length;
                kf__take(r);
            } else {
                r->lexer = lexer, r->token = name;
            }
        }
        if (r->token.kind == KF__T_POWER)
            return kf__reader_fail(r, KF_ERR_UNSUPPORTED, r->token.at,
                                   "arguments can't be unpacked with `**`; write them one by one");
        part.node = read_python_type(r);
        if (!part.node) part.node = part.name_n ? kf__read_expression(r) : read_item(r);
        if (!part.node || !push(r, call, part)) return false;
        if (r->token.kind == KF__T_COMMA) {
            kf__take(r);
        } else if (r->token.kind == KF__T_END) {
            return kf__reader_fail(r, KF_ERR_SYNTAX, open, "this `(` is never closed");
        } else if (r->token.kind != KF__T_CLOSE) {
            return kf__reader_unexpected(r, "`,` or `)` in the arguments of a call");
        }
        if (!kf__reader_ok(r)) return false;
    }
    kf__take(r);
    return kf__reader_ok(r);
}

/* The arguments of a call whose name was read. */
static bool read_call(kf__reader *r, kf__ast *node) {
    if (!read_arguments(r, node)) return false;
    node->call.next_call = r->def->calls;
    r->def->calls = node;
    return true;
}

/* call := NAME "(" arguments ")" */
kf__ast *kf__read_call(kf__reader *r, const kf__token *name, kf__family family) {
    kf__ast *node = kf__ast_new(r, KF__A_CALL, name->at);
    if (!node) return NULL;
    node->name = name->at, node->name_n = name->length, node->family = (uint8_t)family;
    return read_call(r, node) ? node : NULL;
}

kf__ast *kf__read_variable(kf__reader *r, const kf__token *t, uint32_t slot) {
    kf__object constant;
    if (slot == UINT32_MAX && kf__constant_name(r, t, &constant))
        return kf__literal(r, t->at, constant);
    if (slot == UINT32_MAX && r->script && !r->constants_only) {
        kf__param param = {.name = t->at, .name_n = t->length, .at = t->at};
        slot = param.slot = kf__slot(r, t, true);
        if (slot == UINT32_MAX || !KF__PUSH(r->mem, &r->params, param))
            return kf__reader_memory(r);
    }
    if (slot == UINT32_MAX) return unknown_name(r, t);
    kf__ast *node = kf__ast_new(r, KF__A_NAME, t->at);
    if (node) node->slot = slot, node->name = t->at, node->name_n = t->length;
    return node;
}

/* NAME, or the name and arguments of a call */
static kf__ast *read_name(kf__reader *r) {
    kf__token t = r->token;
    kf__take(r);
    if (r->token.kind == KF__T_OPEN) return kf__read_call(r, &t, KF__OURS);
    uint32_t slot = r->constants_only ? UINT32_MAX : kf__slot(r, &t, false);
    if (slot == UINT32_MAX && r->token.kind == KF__T_DOT) {
        kf__family family = kf__module_family(r, &t);
        if (family != KF__OURS) return kf__read_of_module(r, &t, family);
    }
    return kf__read_variable(r, &t, slot);
}

/* group := "(" [expressions] ")" | "[" [expressions] "]"        a list is a tuple */
static kf__ast *read_group(kf__reader *r) {
    kf__token open = r->token;
    kf__token_kind close = open.kind == KF__T_OPEN ? KF__T_CLOSE : KF__T_CLOSE_SQUARE;
    kf__take(r);
    kf__ast *node;
    if (r->token.kind == close) {
        node = kf__ast_new(r, KF__A_TUPLE, open.at);
    } else {
        node = kf__read_expressions(r);
        if (node && close == KF__T_CLOSE_SQUARE && (node->kind != KF__A_TUPLE || node->closed)) {
            kf__ast *list = kf__ast_new(r, KF__A_TUPLE, open.at);
            if (!list || !push(r, list, (kf__part){.node = node, .at = node->at})) return NULL;
            node = list;
        }
    }
    if (!node) return NULL;
    if (r->token.kind == KF__T_END && kf__reader_ok(r))
        return kf__reader_fail(r, KF_ERR_SYNTAX, open.at, "this %s is never closed",
                               kf__token_text(open.kind));
    if (r->token.kind == KF__T_FOR)
        return kf__reader_fail(r, KF_ERR_UNSUPPORTED, r->token.at,
                               "there are no comprehensions; operations work on whole arrays");
    if (r->token.kind != close)
        return kf__reader_unexpected(r, close == KF__T_CLOSE ? "an operator, `,` or `)`"
                                                             : "an operator, `,` or `]`");
    kf__take(r);
    node->closed = true;
    if (close == KF__T_CLOSE_SQUARE) node->op = KF__T_OPEN_SQUARE; /* a list */
    return node;
}

/* atom := number | string | NAME | call | group | "..." | "None" | "True" | "False" */
static kf__ast *read_atom(kf__reader *r) {
    uint32_t at = r->token.at;
    kf__object o = {.kind = KF__O_NONE};
    switch (r->token.kind) {
    case KF__T_INT:
    case KF__T_FLOAT: return kf__read_number(r);
    case KF__T_STRING: return kf__read_string(r);
    case KF__T_NAME: return read_name(r);
    case KF__T_OPEN:
    case KF__T_OPEN_SQUARE: return read_group(r);
    case KF__T_ELLIPSIS: o.kind = KF__O_ELLIPSIS; break;
    case KF__T_NONE: break;
    case KF__T_TRUE: o = (kf__object){.kind = KF__O_BOOL, .integer = 1}; break;
    case KF__T_FALSE: o = (kf__object){.kind = KF__O_BOOL}; break;
    default: return kf__reader_unexpected(r, "a value");
    }
    kf__take(r);
    return kf__literal(r, at, o);
}

/* ---------------------------------------------------------------- behind an atom */

/* at := expression | [expression] ":" [expression] [":" [expression]] */
static kf__ast *read_place(kf__reader *r) {
    uint32_t at = r->token.at;
    kf__ast *bound[3] = {0};
    int colons = 0;
    for (;; colons++) {
        kf__token_kind kind = (kf__token_kind)r->token.kind;
        if (kind != KF__T_COLON && kind != KF__T_COMMA && kind != KF__T_CLOSE_SQUARE &&
            !(bound[colons] = kf__read_expression(r)))
            return NULL;
        if (r->token.kind != KF__T_COLON || colons == 2) break;
        kf__take(r);
    }
    if (colons == 0) return bound[0] ? bound[0] : kf__reader_unexpected(r, "an index");
    kf__ast *slice = kf__ast_new(r, KF__A_SLICE, at);
    for (int i = 0; slice && i < 3; i++)
        if (!push(r, slice, (kf__part){.node = bound[i], .at = at})) return NULL;
    return slice;
}

/* index := "[" at {"," at} [","] "]" */
static kf__ast *read_index(kf__reader *r, kf__ast *base) {
    uint32_t open = r->token.at;
    kf__ast *node = kf__ast_new(r, KF__A_INDEX, open);
    if (!node || !push(r, node, (kf__part){.node = base, .at = base->at})) return NULL;
    kf__take(r);
    do {
        kf__ast *item = read_place(r);
        if (!item || !push(r, node, (kf__part){.node = item, .at = item->at})) return NULL;
        if (r->token.kind != KF__T_COMMA) break;
        kf__take(r);
    } while (r->token.kind != KF__T_CLOSE_SQUARE);
    if (r->token.kind == KF__T_END && kf__reader_ok(r))
        return kf__reader_fail(r, KF_ERR_SYNTAX, open, "this `[` is never closed");
    return kf__expect(r, KF__T_CLOSE_SQUARE, "after an index") ? node : NULL;
}

/* x.max(1).values is meant as PyTorch has it, without its module's name too. */
static void read_as_pair(kf__reader *r, kf__ast *call, const kf__token *t) {
    bool item = kf__token_is(r, t, "values") || kf__token_is(r, t, "indices");
    const char *name = r->lexer.module->text + call->name;
    bool pair = call->kind == KF__A_CALL && call->name_n == 3 &&
                (!memcmp(name, "max", 3) || !memcmp(name, "min", 3));
    if (item && pair && (call->family == KF__METHOD || call->family == KF__OURS))
        call->family = KF__TORCH;
}

/* attribute := "." NAME                    method := "." NAME "(" arguments ")"
 * x.f(a) is f(x, a) */
static kf__ast *read_attribute(kf__reader *r, kf__ast *base) {
    kf__take(r);
    kf__token t = r->token;
    if (!kf__expect(r, KF__T_NAME, "after `.`")) return NULL;
    bool method = r->token.kind == KF__T_OPEN && !r->token.first;
    kf__ast *node = kf__ast_new(r, method ? KF__A_CALL : KF__A_ATTRIBUTE, t.at);
    if (node && method) node->family = KF__METHOD;
    if (!method) read_as_pair(r, base, &t);
    if (!node || !push(r, node, (kf__part){.node = base, .at = base->at})) return NULL;
    node->name = t.at, node->name_n = t.length;
    return !method || read_call(r, node) ? node : NULL;
}

/* postfix := atom {index | attribute | method} */
static kf__ast *read_postfix(kf__reader *r) {
    kf__ast *node = read_atom(r);
    int depth = r->depth;
    while (node && !r->token.first) {
        if (r->token.kind == KF__T_OPEN_SQUARE) node = read_index(r, node);
        else if (r->token.kind == KF__T_DOT) node = read_attribute(r, node);
        else if (r->token.kind == KF__T_OPEN)
            return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                                   "only names can be called; is an operator missing?");
        else break;
        if (node && !enter(r)) return NULL; /* each one is a level of the tree */
    }
    r->depth = depth;
    return node;
}

/* ---------------------------------------------------------------- operators */

static kf__ast *read_unary(kf__reader *r);

/* power := postfix ["**" unary] */
static kf__ast *read_power(kf__reader *r) {
    kf__ast *left = read_postfix(r);
    if (!left || r->token.kind != KF__T_POWER) return left;
    kf__part part = {.op = KF__T_POWER, .at = r->token.at};
    kf__ast *node = kf__ast_new(r, KF__A_CHAIN, part.at);
    kf__take(r);
    if (!node || !enter(r) || !(part.node = read_unary(r))) return NULL;
    leave(r);
    if (!push(r, node, (kf__part){.node = left, .at = left->at}) || !push(r, node, part))
        return NULL;
    return node;
}

/* unary := ("+" | "-" | "~") unary | power */
static kf__ast *read_unary(kf__reader *r) {
    kf__token t = r->token;
    if (t.kind != KF__T_PLUS && t.kind != KF__T_MINUS && t.kind != KF__T_BIT_NOT)
        return read_power(r);
    if (!enter(r)) return NULL;
    kf__take(r);
    if (t.kind == KF__T_MINUS && r->token.kind == KF__T_INT &&
        kf__token_is(r, &r->token, "9223372036854775808")) {
        kf__take(r); /* the one integer that only fits with its sign */
        leave(r);
        return kf__literal(r, t.at, (kf__object){.kind = KF__O_INT, .integer = INT64_MIN});
    }
    kf__ast *operand = read_unary(r);
    leave(r);
    kf__ast *node = operand ? kf__ast_new(r, KF__A_UNARY, t.at) : NULL;
    if (!node || !push(r, node, (kf__part){.node = operand, .at = t.at})) return NULL;
    node->op = t.kind;
    return node;
}

/* Binding of operators, as Python's. 0: none. */
enum { COMPARISON = 1, LOOSEST = COMPARISON };
static int binding(kf__token_kind op) {
    switch (op) {
    case KF__T_LESS:
    case KF__T_LESS_EQUAL:
    case KF__T_GREATER:
    case KF__T_GREATER_EQUAL:
    case KF__T_EQUAL:
    case KF__T_NOT_EQUAL:
    case KF__T_IS: return COMPARISON;
    case KF__T_BIT_OR: return 2;
    case KF__T_BIT_XOR: return 3;
    case KF__T_BIT_AND: return 4;
    case KF__T_SHIFT_LEFT:
    case KF__T_SHIFT_RIGHT: return 5;
    case KF__T_PLUS:
    case KF__T_MINUS: return 6;
    case KF__T_TIMES:
    case KF__T_DIVIDE:
    case KF__T_FLOOR:
    case KF__T_MODULO:
    case KF__T_AT: return 7;
    default: return 0;
    }
}

/* Join `part` to the chain on the left, or begin one. */
static kf__ast *join(kf__reader *r, kf__ast *left, kf__part part, int level) {
    kf__ast_kind kind = level == COMPARISON ? KF__A_COMPARE : KF__A_CHAIN;
    bool more = left->kind == kind && !left->closed &&
                binding((kf__token_kind)left->part[1].op) == level;
    if (!more) {
        kf__ast *chain = kf__ast_new(r, kind, part.at);
        if (!chain || !push(r, chain, (kf__part){.node = left, .at = left->at})) return NULL;
        left = chain;
    }
    return push(r, left, part) ? left : NULL;
}

/* binary := unary {operator unary}        by the operators' binding, in the order of Python:
 *     comparisons and `is [not] None`   |   ^   &   << >>   + -   * / // % @ */
static kf__ast *read_binary(kf__reader *r, int loosest) {
    kf__ast *left = read_unary(r);
    for (;;) {
        int level = binding((kf__token_kind)r->token.kind);
        if (!left || !level || level < loosest) return left;
        kf__part part = {.op = r->token.kind, .at = r->token.at};
        kf__take(r);
        if (part.op == KF__T_IS) {
            if (r->token.kind == KF__T_NOT) part.name_n = 1, kf__take(r);
            if (r->token.kind != KF__T_NONE)
                return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                                       "`is` only compares with None; use == for other values");
        }
        part.node = read_binary(r, level + 1);
        left = part.node ? join(r, left, part, level) : NULL;
    }
}

/* expression := binary ["if" binary "else" expression] */
kf__ast *kf__read_expression(kf__reader *r) {
    if (!enter(r)) return NULL;
    kf__ast *node = read_binary(r, LOOSEST);
    if (node && r->token.kind == KF__T_IF) {
        kf__ast *choice = kf__ast_new(r, KF__A_CHOICE, r->token.at);
        if (!choice || !push(r, choice, (kf__part){.node = node, .at = node->at})) return NULL;
        kf__take(r);
        kf__ast *condition = read_binary(r, LOOSEST);
        if (!condition || !push(r, choice, (kf__part){.node = condition, .at = condition->at}))
            return NULL;
        if (!kf__expect(r, KF__T_ELSE, "after a condition")) return NULL;
        kf__ast *other = kf__read_expression(r);
        if (!other || !push(r, choice, (kf__part){.node = other, .at = other->at})) return NULL;
        node = choice;
    }
    leave(r);
    return kf__reader_ok(r) ? node : NULL;
}

/* expressions := item {"," item} [","] */
kf__ast *kf__read_expressions(kf__reader *r) {
    kf__ast *first = read_item(r);
    if (!first || r->token.kind != KF__T_COMMA) return first;
    kf__ast *tuple = kf__ast_new(r, KF__A_TUPLE, first->at);
    if (!tuple || !push(r, tuple, (kf__part){.node = first, .at = first->at})) return NULL;
    while (r->token.kind == KF__T_COMMA) {
        kf__take(r);
        kf__token_kind kind = (kf__token_kind)r->token.kind;
        if (kind == KF__T_CLOSE || kind == KF__T_CLOSE_SQUARE || kind == KF__T_END ||
            kind == KF__T_NEWLINE || kind == KF__T_SEMICOLON)
            break;
        kf__ast *item = read_item(r);
        if (!item || !push(r, tuple, (kf__part){.node = item, .at = item->at})) return NULL;
    }
    return kf__reader_ok(r) ? tuple : NULL;
}
