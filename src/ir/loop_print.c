/* The loop IR as text, for dumps: like the C that comes of it, without a dialect's spelling.
 * Argument words are `args.x`, templates are shown with their arguments in place. */
#include <ctype.h>

#include "ir/loop.h"

static void print_expr(const kf__lx *x, kf__text *text, bool nested);

/* Which argument of a template does the word stand for? -1: none. */
static int formal_of(const kf__lx *x, const char *word, size_t n) {
    const char *at = x->formals ? x->formals : "";
    for (int k = 0; k < x->n_args && *at; k++) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, word, n) == 0) return k;
        at += length + (at[length] == ' ');
    }
    return -1;
}

static void print_code(const kf__lx *x, kf__text *text) {
    const char *at = x->name;
    while (*at) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
        int k = n ? formal_of(x, at, n) : -1;
        if (k >= 0)
            print_expr(x->args[k], text, true);
        else if (n > 2 && at[n - 2] == '_' && at[n - 1] == 'T')
            kf__print(text, "%.*s%s", (int)n - 1, at,
                      kf__types[kf__compute((kf__dtype)x->type)].alias);
        else if (n > 2 && at[n - 2] == '_' && at[n - 1] == 'S')
            kf__print(text, "%.*s%s", (int)n - 1, at, kf__types[x->type].alias);
        else
            kf__print_bytes(text, at, n ? n : 1);
        at += n ? n : 1;
    }
}

static void print_list(const kf__lx *x, kf__text *text) {
    for (int k = 0; k < x->n_args; k++) {
        if (k) kf__print(text, ", ");
        print_expr(x->args[k], text, false);
    }
}

static void print_expr(const kf__lx *x, kf__text *text, bool nested) {
    bool brackets = nested && (x->kind == KF__L_BINARY || x->kind == KF__L_CODE ||
                               x->kind == KF__L_SELECT);
    if (brackets) kf__print(text, "(");
    switch (x->kind) {
    case KF__L_VAR: kf__print(text, "%s", x->name); break;
    case KF__L_INT: kf__print(text, "%lld", (long long)x->integer); break;
    case KF__L_FLOAT: kf__print_double(text, x->number); break;
    case KF__L_PARAM: kf__print(text, "args.%s", x->name); break;
    case KF__L_BINARY:
        print_expr(x->args[0], text, true);
        kf__print(text, " %s ", x->name);
        print_expr(x->args[1], text, true);
        break;
    case KF__L_CALL:
        print_code(x, text);
        kf__print(text, "(");
        print_list(x, text);
        kf__print(text, ")");
        break;
    case KF__L_ITEM:
        kf__print(text, "%s[", x->name);
        print_list(x, text);
        kf__print(text, "]");
        break;
    case KF__L_CODE: print_code(x, text); break;
    case KF__L_SELECT:
        print_expr(x->args[0], text, true);
        kf__print(text, " ? ");
        print_expr(x->args[1], text, true);
        kf__print(text, " : ");
        print_expr(x->args[2], text, true);
        break;
    default: kf__print(text, "?");
    }
    if (brackets) kf__print(text, ")");
}

/* ---------------------------------------------------------------- statements */

static void print_body(const kf__ls *s, kf__text *text, int depth);

static void print_block(const kf__ls *body, kf__text *text, int depth) {
    kf__print(text, " {\n");
    print_body(body, text, depth + 1);
    kf__print(text, "%*s}", 4 * depth, "");
}

static void print_declaration(const kf__ls *s, kf__text *text) {
    size_t n = strlen(s->ctype);
    const char *shared = s->kind == KF__S_SHARED ? "shared " : "";
    kf__print(text, "%s%s%s%s", shared, s->ctype, n && s->ctype[n - 1] == '*' ? "" : " ", s->name);
    if (s->count) kf__print(text, "[%lld]", (long long)s->count);
    if (!s->value) return;
    kf__print(text, " = ");
    print_expr(s->value, text, false);
}

static void print_for(const kf__ls *s, kf__text *text, int depth) {
    static const char *const binds[] = {
        [KF__SERIAL] = "", [KF__SIMD] = "simd ", [KF__UNROLL] = "unroll "};
    kf__print(text, "%s %s%s = ", s->kind == KF__S_HALVE ? "halve" : "for", binds[s->bind % 3],
              s->name);
    print_expr(s->from, text, false);
    if (s->kind == KF__S_FOR) {
        kf__print(text, " to ");
        print_expr(s->to, text, false);
        kf__print(text, " step ");
        print_expr(s->step, text, false);
    }
    print_block(s->body, text, depth);
}

static void print_statement(const kf__ls *s, kf__text *text, int depth) {
    kf__print(text, "%*s", 4 * depth, "");
    switch (s->kind) {
    case KF__S_COMMENT: kf__print(text, "// %s\n", s->comment); return;
    case KF__S_LET:
    case KF__S_VAR:
    case KF__S_SHARED: print_declaration(s, text); break;
    case KF__S_SET:
        print_expr(s->target, text, false);
        kf__print(text, " = ");
        print_expr(s->value, text, false);
        break;
    case KF__S_CALL: print_expr(s->value, text, false); break;
    case KF__S_FOR:
    case KF__S_HALVE: print_for(s, text, depth); break;
    case KF__S_IF:
        kf__print(text, "if ");
        print_expr(s->value, text, false);
        print_block(s->body, text, depth);
        if (s->other) {
            kf__print(text, " else");
            print_block(s->other, text, depth);
        }
        break;
    case KF__S_BLOCK:
        kf__print(text, "block");
        print_block(s->body, text, depth);
        break;
    default: kf__print(text, "statement %d", s->kind);
    }
    if (s->comment) kf__print(text, "    // %s", s->comment);
    kf__print(text, "\n");
}

static void print_body(const kf__ls *s, kf__text *text, int depth) {
    for (; s; s = s->next) print_statement(s, text, depth);
}

void kf__loop_print(const kf__loop_fn *fn, kf__text *text) {
    static const char *const words[] = {
        [KF__W_INPUT] = "input",   [KF__W_RESULT] = "result", [KF__W_TEMP] = "temporary",
        [KF__W_PARTIAL] = "partial", [KF__W_SCALAR] = "scalar", [KF__W_INT] = "number",
        [KF__W_ALIGNED] = "aligned"};
    kf__print(text, "function %s", fn->name);
    if (fn->units) kf__print(text, ", units %lld by %lld", (long long)fn->units,
                             (long long)fn->grain);
    if (fn->grid) kf__print(text, ", grid %lld of %d threads, cluster %d", (long long)fn->grid,
                            fn->threads, fn->cluster);
    kf__print(text, "\n");
    for (uint32_t w = 0; w < fn->n_words; w++) {
        const kf__word *word = &fn->words[w];
        size_t n = strlen(word->ctype);
        kf__print(text, "    args.%s: %.*s, %s %u, %lld\n", word->name,
                  (int)(n && word->ctype[n - 1] == ' ' ? n - 1 : n), word->ctype,
                  words[word->kind % KF__COUNT(words)], word->index, (long long)word->number);
    }
    print_body(fn->body, text, 1);
}
