/* Statements and defs: text -> kf__def. Each function stands under the rule of the grammar that it
 * reads; docs/language.md has all rules together. */
#include "parse/reader.h"

/* ---------------------------------------------------------------- annotations */

/* size := NAME | integer */
static bool read_size(kf__reader *r, kf__annotation *a) {
    kf__token t = r->token;
    if (a->rank == KF__MAX_ARRAY_RANK)
        return kf__reader_fail(r, KF_ERR_LIMIT, t.at, "arrays have at most %d dimensions",
                               KF__MAX_ARRAY_RANK);
    int i = a->rank++;
    if (t.kind == KF__T_NAME) {
        a->size[i].name = t.at, a->size[i].name_n = t.length;
    } else if (t.kind == KF__T_FLOAT ||
               (t.kind == KF__T_INT && !kf__parse_int(kf__spelling(r, &t), t.length,
                                                      &a->size[i].number))) {
        return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "a size is a name or an integer of 64 bits, "
                               "not %.*s", (int)t.length, kf__spelling(r, &t));
    } else if (t.kind != KF__T_INT) {
        return kf__reader_unexpected(r, "a size: a name or an integer");
    }
    kf__take(r);
    return kf__reader_ok(r);
}

/* annotation := (dtype | "any" | "float" | "int" | ...) ["[" [size {"," size}] "]"] */
bool kf__read_annotation(kf__reader *r, kf__annotation *a) {
    kf__token t = r->token;
    const char *text = r->lexer.module->text + t.at;
    *a = (kf__annotation){.present = true, .any_dtype = true, .at = t.at};
    if (t.kind == KF__T_NAME && kf__dtype_from_name(text, t.length, &a->dtype)) {
        a->any_dtype = false;
    } else if (t.kind == KF__T_NAME) {
        static const char *const others[] = {"any", "float", "int", "tuple", "str", "real"};
        size_t i = 0; /* a kf__annotated */
        while (i < KF__COUNT(others) &&
               (strlen(others[i]) != t.length || memcmp(text, others[i], t.length) != 0))
            i++;
        if (i == KF__COUNT(others))
            return kf__reader_fail(r, KF_ERR_NAME, t.at,
                                   "unknown dtype `%.*s`; an annotation is f32, f16[B, N], "
                                   "any[N], real, int, float, tuple or str", (int)t.length, text);
        a->kind = (uint8_t)i;
    } else {
        return kf__reader_unexpected(r, "a dtype after `:`");
    }
    kf__take(r);
    if (r->token.kind != KF__T_OPEN_SQUARE) return kf__reader_ok(r);
    if (a->kind != KF__ANNOTATED_ARRAY)
        return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                               "`%.*s` has no sizes; an array is f32[B, N] or any[B, N]",
                               (int)t.length, text);
    kf__take(r);
    a->sizes = true;
    while (r->token.kind != KF__T_CLOSE_SQUARE) {
        if (!read_size(r, a)) return false;
        if (r->token.kind != KF__T_COMMA) break;
        kf__take(r);
    }
    return kf__expect(r, KF__T_CLOSE_SQUARE, "after sizes");
}

/* ---------------------------------------------------------------- statements */

typedef KF__VEC(kf__token) tokens;

/* names := NAME {"," NAME} [","]        targets := names | "(" names ")" | "[" names "]"
 * where "=" or ":" or an operator with "=" follows; else nothing is taken and there are none. False
 * when out of memory. */
static bool read_targets(kf__reader *r, tokens *targets, bool *unpack) {
    kf__lexer lexer = r->lexer;
    kf__token first = r->token;
    kf__token_kind close = first.kind == KF__T_OPEN          ? KF__T_CLOSE
                           : first.kind == KF__T_OPEN_SQUARE ? KF__T_CLOSE_SQUARE
                                                             : KF__T_END;
    bool ok = true;
    targets->n = 0, *unpack = close == KF__T_CLOSE_SQUARE;
    if (close != KF__T_END) kf__take(r);
    while (ok && r->token.kind == KF__T_NAME) {
        ok = KF__PUSH(r->mem, targets, r->token);
        kf__take(r);
        if (r->token.kind != KF__T_COMMA) break;
        *unpack = true;
        kf__take(r);
    }
    bool closed = close == KF__T_END || r->token.kind == close;
    if (close != KF__T_END && closed) kf__take(r);
    kf__token_kind kind = (kf__token_kind)r->token.kind;
    bool set = kind == KF__T_SET || (close == KF__T_END && (kind == KF__T_COLON ||
                                                            kf__augmented(kind) != KF__T_END));
    if (!set || !closed || !targets->n) {
        r->lexer = lexer, r->token = first;
        targets->n = 0;
    }
    return ok || kf__reader_memory(r);
}

static kf__ast *name_of(kf__reader *r, const kf__token *t, uint32_t slot) {
    kf__ast *node = kf__ast_new(r, KF__A_NAME, t->at);
    if (node) node->slot = slot, node->name = t->at, node->name_n = t->length;
    return node;
}

/* What an assignment that stands last gives: its targets. */
static kf__ast *targets_tuple(kf__reader *r, const tokens *names, const uint32_t *slots) {
    if (names->n == 1) return name_of(r, &names->at[0], slots[0]);
    kf__ast *tuple = kf__ast_new(r, KF__A_TUPLE, names->at[0].at);
    for (uint32_t i = 0; tuple && i < names->n; i++) {
        kf__ast *node = name_of(r, &names->at[i], slots[i]);
        if (!node) return NULL;
        if (!kf__ast_push(r->arena, tuple, (kf__part){.node = node, .at = node->at}))
            return kf__reader_memory(r);
    }
    return tuple;
}

/* `a += b` is `a = a + b` */
static kf__ast *read_augmented(kf__reader *r, const kf__token *target) {
    kf__part part = {.at = r->token.at,
                     .op = (uint8_t)kf__augmented((kf__token_kind)r->token.kind)};
    kf__take(r);
    kf__ast *left = kf__read_variable(r, target, kf__slot(r, target, false));
    kf__ast *chain = left ? kf__ast_new(r, KF__A_CHAIN, part.at) : NULL;
    if (!chain || !(part.node = kf__read_expressions(r))) return NULL;
    if (!kf__ast_push(r->arena, chain, (kf__part){.node = left, .at = target->at}) ||
        !kf__ast_push(r->arena, chain, part))
        return kf__reader_memory(r);
    return chain;
}

/* assignment := targets "=" expressions | NAME operator"=" expressions */
static bool read_assignment(kf__reader *r, const tokens *names, bool unpack, bool *last) {
    kf__statement s = {.at = names->at[0].at, .n_targets = names->n, .unpack = unpack};
    if (r->token.kind == KF__T_COLON)
        return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                               "only the parameters of a def have annotations");
    if (r->token.kind == KF__T_SET) {
        kf__take(r);
        s.value = kf__read_expressions(r);
    } else if (unpack) {
        return kf__reader_unexpected(r, "`=` after several names");
    } else {
        s.value = read_augmented(r, &names->at[0]);
    }
    if (s.value && r->token.kind == KF__T_SET)
        return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                               "one `=` in a statement; assign the others on lines of their own");
    if (!s.value || !(s.target = KF__NEW(r->arena, uint32_t, names->n)))
        return s.value ? kf__reader_memory(r) : NULL;
    for (uint32_t i = 0; i < names->n; i++) {
        s.target[i] = kf__slot(r, &names->at[i], true);
        if (s.target[i] == UINT32_MAX) return false;
    }
    if (!KF__PUSH(r->mem, &r->statements, s)) return kf__reader_memory(r);
    r->def->result = targets_tuple(r, names, s.target);
    *last = false;
    return r->def->result != NULL;
}

/* A line of a def that is none: `x[0] = 1`, perhaps, `print(x)` or `pass`. */
static bool no_statement(kf__reader *r) {
    uint32_t at = r->token.at;
    if (r->token.kind != KF__T_PASS && !kf__read_expressions(r)) return false;
    if (r->token.kind == KF__T_SET || kf__augmented((kf__token_kind)r->token.kind) != KF__T_END)
        return kf__reader_unexpected(r, "");
    return kf__reader_fail(r, KF_ERR_SYNTAX, at, "a line of a def is an assignment or `return`");
}

/* statement := assignment | "return" expressions | expressions
 * *last: nothing may follow. *only: an expression, which must be the last. */
static bool read_statement(kf__reader *r, tokens *names, bool *last) {
    uint32_t at = r->token.at;
    bool unpack;
    if (!read_targets(r, names, &unpack)) return false;
    if (names->n) return read_assignment(r, names, unpack, last);
    if (r->token.kind == KF__T_RETURN) {
        if (r->script)
            return kf__reader_fail(r, KF_ERR_SYNTAX, at,
                                   "`return` only stands in a def; here the last line is the "
                                   "result");
        kf__take(r);
        *last = true;
    } else if (r->token.kind == KF__T_IF) {
        return kf__reader_fail(r, KF_ERR_SYNTAX, at,
                               "there is no `if` statement: write `a if condition else b`");
    } else if (r->token.kind == KF__T_STRING) { /* a line of documentation, perhaps */
        kf__take(r);
        if (r->token.kind == KF__T_NEWLINE || r->token.kind == KF__T_SEMICOLON) return true;
        return kf__reader_fail(r, KF_ERR_TYPE, at, "a string isn't an array");
    } else if (!r->script) {
        return no_statement(r);
    } else {
        *last = true;
    }
    r->def->result = kf__read_expressions(r);
    return r->def->result != NULL;
}

/* line := statement {";" statement} [";"] NEWLINE */
static bool read_line(kf__reader *r, tokens *names, bool *last) {
    for (;;) {
        uint32_t at = r->token.at;
        if (*last)
            return kf__reader_fail(r, KF_ERR_SYNTAX, r->def->result ? r->def->result->at : at,
                                   r->script ? "the value of this line isn't used; assign it to a "
                                               "name, or separate results by commas"
                                             : "nothing may follow `return`");
        if (!read_statement(r, names, last)) return false;
        if (r->token.kind != KF__T_SEMICOLON) break;
        kf__take(r);
        if (r->token.kind == KF__T_NEWLINE || r->token.kind == KF__T_END) break;
    }
    if (r->token.kind == KF__T_NEWLINE) kf__take(r);
    else if (r->token.kind != KF__T_END)
        return kf__reader_unexpected(r, "an operator or a new line");
    return kf__reader_ok(r);
}

/* ---------------------------------------------------------------- defs */

/* The room that a def is collected in; finish_def copies it. */
static bool begin_def(kf__reader *r, bool script) {
    r->params.n = r->statements.n = r->slots.n = 0;
    if (r->table) memset(r->table, 0, r->table_size * sizeof *r->table);
    r->script = script;
    r->depth = 0;
    r->def = KF__NEW(r->arena, kf__def, 1);
    if (!r->def) return kf__reader_memory(r);
    r->def->module = r->lexer.module;
    r->def->library = r->lexer.module->file != NULL;
    r->def->at = r->token.at;
    r->def->name = "";
    return true;
}

static bool finish_def(kf__reader *r) {
    kf__def *d = r->def;
    d->n_params = r->params.n, d->n_statements = r->statements.n, d->n_slots = r->slots.n;
    d->params = kf__arena_copy(r->arena, r->params.at, r->params.n * sizeof *d->params);
    d->statements =
        kf__arena_copy(r->arena, r->statements.at, r->statements.n * sizeof *d->statements);
    d->slots = kf__arena_copy(r->arena, r->slots.at, r->slots.n * sizeof *d->slots);
    bool ok = (d->params || !d->n_params) && (d->statements || !d->n_statements) &&
              (d->slots || !d->n_slots);
    return ok || kf__reader_memory(r);
}

/* parameter := NAME [":" annotation] ["=" expression] */
static bool read_parameter(kf__reader *r) {
    bool rest = r->def->library && r->token.kind == KF__T_TIMES;
    if (rest) kf__take(r);
    kf__token t = r->token;
    kf__param param = {.name = t.at, .name_n = t.length, .at = t.at, .rest = rest};
    if (t.kind == KF__T_TIMES || t.kind == KF__T_POWER || t.kind == KF__T_DIVIDE)
        return kf__reader_fail(r, KF_ERR_UNSUPPORTED, t.at,
                               "parameters are plain names; there is no %s among them",
                               kf__token_text((kf__token_kind)t.kind));
    if (!kf__expect(r, KF__T_NAME, "of a parameter")) return false;
    if (kf__slot(r, &t, false) != UINT32_MAX)
        return kf__reader_fail(r, KF_ERR_NAME, t.at, "two parameters are called `%.*s`",
                               (int)t.length, r->lexer.module->text + t.at);
    if ((param.slot = kf__slot(r, &t, true)) == UINT32_MAX) return false;
    if (r->token.kind == KF__T_COLON) {
        kf__take(r);
        if (!kf__read_annotation(r, &param.annotation)) return false;
    }
    if (r->token.kind == KF__T_SET) {
        kf__take(r);
        r->constants_only = true;
        param.fallback = kf__read_expression(r);
        r->constants_only = false;
        if (!param.fallback) return false;
    } else if (r->params.n && r->params.at[r->params.n - 1].fallback) {
        return kf__reader_fail(r, KF_ERR_SYNTAX, t.at,
                               "`%.*s` needs a default, because the parameter before it has one",
                               (int)t.length, r->lexer.module->text + t.at);
    }
    return KF__PUSH(r->mem, &r->params, param) || kf__reader_memory(r);
}

/* Names of sizes in annotations are variables of the def, unless a parameter has the name. */
static bool declare_sizes(kf__reader *r) {
    for (uint32_t i = 0; i < r->params.n; i++) {
        kf__annotation *a = &r->params.at[i].annotation;
        for (int d = 0; a->sizes && d < a->rank; d++) {
            kf__token t = {.at = a->size[d].name, .length = a->size[d].name_n};
            if (t.length && (a->size[d].slot = kf__slot(r, &t, true)) == UINT32_MAX) return false;
        }
    }
    return true;
}

/* body := statement {";" statement} NEWLINE        behind the colon, or
 *         NEWLINE line {line}                      all indented alike, deeper than the def */
static bool read_body(kf__reader *r, tokens *names, uint32_t indent) {
    bool last = false;
    if (r->token.kind != KF__T_NEWLINE) {
        if (!read_line(r, names, &last)) return false;
    } else {
        kf__take(r);
        uint32_t inner = r->token.indent;
        if (r->token.kind == KF__T_END || inner <= indent)
            return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                                   "expected the lines of `%s`, indented", r->def->name);
        while (r->token.kind != KF__T_END && r->token.indent > indent) {
            if (r->token.indent != inner)
                return kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                                       "the lines of a def are indented alike (%u, not %u)",
                                       inner, r->token.indent);
            if (!read_line(r, names, &last)) return false;
        }
    }
    if (!last)
        return kf__reader_fail(r, KF_ERR_SYNTAX, r->def->at, "`%s` has no `return`",
                               r->def->name);
    return true;
}

/* def := "def" NAME "(" [parameter {"," parameter} [","]] ")" ":" body */
static bool read_def(kf__reader *r, tokens *names) {
    uint32_t indent = r->token.indent;
    kf__take(r);
    if (!begin_def(r, false)) return false;
    kf__token t = r->token;
    if (!kf__expect(r, KF__T_NAME, "after `def`")) return false;
    r->def->name = kf__arena_string(r->arena, r->lexer.module->text + t.at, t.length);
    if (!r->def->name) return kf__reader_memory(r);
    if (!kf__expect(r, KF__T_OPEN, "after the name of a def")) return false;
    while (r->token.kind != KF__T_CLOSE) {
        if (!read_parameter(r)) return false;
        if (r->token.kind != KF__T_COMMA) break;
        kf__take(r);
    }
    if (!kf__expect(r, KF__T_CLOSE, "after the parameters") ||
        !kf__expect(r, KF__T_COLON, "after the parameters") || !declare_sizes(r))
        return false;
    return read_body(r, names, indent) && finish_def(r);
}

/* A string on a line of its own before the defs, with more behind it: documentation. */
static bool skip_documentation(kf__reader *r) {
    kf__lexer lexer = r->lexer;
    kf__token string = r->token;
    if (string.kind != KF__T_STRING) return false;
    kf__take(r);
    if (r->token.kind == KF__T_NEWLINE) kf__take(r);
    if (r->token.kind != KF__T_END && r->token.first) return true;
    r->lexer = lexer, r->token = string;
    return false;
}

/* text := {def | line}        the lines that stand before or between defs are one script */
static bool read_text(kf__reader *r, kf__def ***list_at, kf__def **script) {
    tokens names = {0};
    bool last = false, ok = true;
    kf__take(r);
    r->base_indent = r->token.indent;
    while (ok && r->token.kind != KF__T_END) {
        if (r->token.indent != r->base_indent && r->token.first) {
            ok = kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                                 "this line is indented differently from the first");
        } else if (r->token.kind == KF__T_DEF && *script) {
            ok = kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at,
                                 "defs stand before the lines that use them, and know no names "
                                 "but their own: give EPS = 1e-5 as a parameter, eps=1e-5");
        } else if (r->token.kind == KF__T_DEF) {
            ok = read_def(r, &names);
            if (ok) **list_at = r->def, *list_at = &r->def->next;
        } else if (*script || !skip_documentation(r)) {
            if (!*script) ok = begin_def(r, true);
            *script = r->def;
            ok = ok && read_line(r, &names, &last);
        }
    }
    KF__VEC_FREE(r->mem, &names);
    if (ok && *script && !(*script)->result)
        ok = kf__reader_fail(r, KF_ERR_SYNTAX, r->token.at, "there is nothing to compute");
    return ok && (!*script || finish_def(r));
}

kf_status kf__read(kf_function *f, const kf__module *module, uint32_t begin, uint32_t end,
                   kf__def ***list_at, kf__def **script, kf_error *err) {
    kf__reader r = {.function = f, .arena = &f->arena, .mem = f->mem, .err = err};
    r.lexer = (kf__lexer){
        .module = module, .at = begin, .end = end, .line_start = true, .err = err};
    *script = NULL;
    bool ok = read_text(&r, list_at, script) && kf__reader_ok(&r);
    KF__VEC_FREE(r.mem, &r.params);
    KF__VEC_FREE(r.mem, &r.statements);
    KF__VEC_FREE(r.mem, &r.slots);
    kf__release(r.mem, r.table);
    if (!ok && err->status == KF_OK) kf__out_of_memory(err);
    return ok ? KF_OK : err->status;
}
