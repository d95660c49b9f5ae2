/* See pieces.h. */
#include "emit/pieces.h"

#include <ctype.h>

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool at_word(const char *c, const char *end, const char *text) {
    size_t n = strlen(text);
    return (size_t)(end - c) >= n && memcmp(c, text, n) == 0;
}

const char *kf__skip_token(const char *c, const char *end) {
    if (at_word(c, end, "/*")) {
        for (c += 2; c < end && !at_word(c, end, "*/"); ++c) {}
        return c < end ? c + 2 : end;
    }
    if (at_word(c, end, "//")) {
        while (c < end && *c != '\n') ++c;
        return c;
    }
    if (*c == '"' || *c == '\'') {
        char quote = *c++;
        while (c < end && *c != quote) c += *c == '\\' && c + 1 < end ? 2 : 1;
        return c < end ? c + 1 : end;
    }
    if (!is_letter(*c)) return c + 1;
    while (c < end && is_letter(*c)) ++c;
    return c;
}

static const char *skip_blank(const char *c, const char *end) {
    while (c < end && (isspace((unsigned char)*c) || at_word(c, end, "/*")))
        c = kf__skip_token(c, end);
    return c;
}

kf__token kf__token_at(const char *c, const char *end) {
    kf__token w = {c, 0};
    while (c + w.n < end && is_letter(c[w.n])) ++w.n;
    return w;
}

kf__token kf__next_token(const char *c, const char *end) {
    while (c < end && (!is_letter(*c) || isdigit((unsigned char)*c))) c = kf__skip_token(c, end);
    return kf__token_at(c, end);
}

/* ---------------------------------------------------------------- cutting */

/* Behind the bracket that closes the one at c. */
static const char *skip_brackets(const char *c, const char *end) {
    int depth = 0;
    for (; c < end; c = kf__skip_token(c, end)) {
        depth += *c == '(' || *c == '[' || *c == '{';
        depth -= *c == ')' || *c == ']' || *c == '}';
        if (!depth) return c + 1;
    }
    return end;
}

/* At the end of the directive's line, which a backslash or a comment may continue. */
static const char *skip_line(const char *c, const char *end) {
    while (c < end && *c != '\n') c = *c == '\\' && c + 1 < end ? c + 2 : kf__skip_token(c, end);
    return c;
}

static kf__token directive_at(const char *c, const char *end) {
    c += *c == '#';
    while (c < end && *c == ' ') ++c;
    return kf__token_at(c, end);
}

static bool opens(kf__token w) {
    return kf__token_is(w, "if") || kf__token_is(w, "ifdef") || kf__token_is(w, "ifndef");
}

static const char *skip_region(const char *c, const char *end) {
    int depth = 0;
    bool fresh = true; /* nothing but spaces since the line began */
    while (c < end) {
        if (fresh && *c == '#') {
            kf__token w = directive_at(c, end);
            depth += opens(w) - kf__token_is(w, "endif");
            c = skip_line(c, end);
            if (!depth) return c;
            continue;
        }
        fresh = *c == '\n' || (fresh && *c == ' ');
        c = kf__skip_token(c, end);
    }
    return end;
}

/* A function ends with its body, anything else with a semicolon; what has neither before the next
 * line begins is the invocation of a macro. */
static const char *skip_code(const char *c, const char *end, kf__piece_kind *kind) {
    kf__token first = kf__token_at(c, end);
    const char *behind = skip_blank(c + first.n, end);
    *kind = KF__CODE;
    if (first.n && behind < end && *behind == '(') {
        *kind = KF__INVOKED;
        return skip_brackets(behind, end);
    }
    bool called = false, assigned = false;
    while (c < end) {
        if (*c == ';') return c + 1;
        bool body = *c == '{' && called && !assigned;
        called = called || *c == '(';
        assigned = assigned || *c == '=';
        kf__token w = kf__token_at(c, end);
        if (kf__token_is(w, "__attribute__") || kf__token_is(w, "alignas"))
            c = skip_brackets(skip_blank(c + w.n, end), end);
        else if (*c == '(' || *c == '{')
            c = skip_brackets(c, end);
        else
            c = kf__skip_token(c, end);
        if (body) return c;
    }
    return end;
}

/* A comment that begins in the line in which the piece ends. */
static const char *with_remark(const char *c, const char *end) {
    const char *remark = c;
    while (remark < end && *remark == ' ') ++remark;
    return at_word(remark, end, "/*") ? kf__skip_token(remark, end) : c;
}

bool kf__next_piece(const char *c, const char *end, kf__piece *out) {
    int lines = 2;
    out->begin = NULL;
    for (; c < end && (isspace((unsigned char)*c) || at_word(c, end, "/*"));
         c = kf__skip_token(c, end)) {
        lines += *c == '\n';
        if (lines > 1 && isspace((unsigned char)*c)) out->begin = NULL;
        if (*c != '/') continue;
        if (!out->begin) out->begin = c;
        lines = 0;
    }
    if (c >= end) return false;
    if (!out->begin) out->begin = c;
    out->core = c;
    if (*c == '#') {
        kf__token w = directive_at(c, end);
        out->kind = opens(w) ? KF__REGION : kf__token_is(w, "define") ? KF__DEFINE : KF__DIRECTIVE;
        out->end = out->kind == KF__REGION ? skip_region(c, end) : skip_line(c, end);
    } else
        out->end = with_remark(skip_code(c, end, &out->kind), end);
    return true;
}

/* ---------------------------------------------------------------- macros */

kf__macro kf__macro_of(const kf__piece *define) {
    const char *c = kf__next_token(define->core, define->end).at; /* at `define` */
    kf__macro m = {kf__next_token(c + strlen("define"), define->end), NULL, NULL, define->end};
    m.body = m.name.at + m.name.n;
    if (m.body < m.end && *m.body == '(') {
        m.parameters = m.body;
        m.body = skip_brackets(m.body, m.end);
    }
    return m;
}

/* Behind the argument at c, that is at its comma or closing bracket. */
static const char *skip_argument(const char *c, const char *end) {
    while (c < end && *c != ',' && *c != ')')
        c = *c == '(' || *c == '{' || *c == '[' ? skip_brackets(c, end) : kf__skip_token(c, end);
    return c;
}

/* The argument for the parameter called `name`; false: none is. */
static bool find_argument(const kf__macro *m, kf__token name, const char *call, const char *end,
                          const char **from, const char **to) {
    const char *p = m->parameters + 1, *a = call;
    while (a < end && *a != '(') ++a;
    for (++a; p < m->body && a < end;) {
        kf__token parameter = kf__next_token(p, m->body);
        const char *behind = skip_argument(a, end);
        if (parameter.n == name.n && !memcmp(parameter.at, name.at, name.n)) {
            *from = skip_blank(a, behind), *to = behind;
            return true;
        }
        p = skip_argument(p, m->body) + 1;
        a = behind + 1;
    }
    return false;
}

/* The end of a line, without the spaces and the backslash before it and a body's indent behind
 * it. */
static const char *end_line(const char *c, const char *end, kf__text *out) {
    while (out->n && out->at[out->n - 1] == ' ') --out->n;
    kf__print_bytes(out, "\n", 1);
    const char *code = c + 1;
    while (code < end && code < c + 5 && *code == ' ') ++code;
    return code;
}

void kf__expand_macro(const kf__macro *m, const char *call, const char *end, kf__text *out) {
    for (const char *c = m->body, *next; c < m->end; c = next) {
        next = kf__skip_token(c, m->end);
        const char *from, *to;
        kf__token w = kf__token_at(c, m->end);
        if (w.n && find_argument(m, w, call, end, &from, &to))
            kf__print_bytes(out, from, (size_t)(to - from));
        else if (at_word(c, m->end, "##")) /* what is around it becomes one word */
            next = c + 2;
        else if (*c == '\n')
            next = end_line(c, m->end, out);
        else if (*c != '\\')
            kf__print_bytes(out, c, (size_t)(next - c));
    }
}

/* ---------------------------------------------------------------- names */

void kf__defined_names(const kf__piece *code, void (*found)(void *, kf__token), void *user) {
    kf__token first = kf__token_at(code->core, code->end), last = {NULL, 0};
    const char *c = code->core;
    bool type = kf__token_is(first, "typedef"), generic = kf__token_is(first, "template");
    bool list = kf__token_is(first, "enum"),
         tags = generic || list || kf__token_is(first, "struct");
    while (generic && c < code->end && *c++ != '>') {} /* parameters */
    while (c < code->end) {
        kf__token w = kf__token_at(c, code->end);
        if (kf__token_is(w, "__attribute__") || kf__token_is(w, "alignas")) {
            c = skip_brackets(skip_blank(c + w.n, code->end), code->end);
        } else if (w.n) {
            if (tags && last.n && (kf__token_is(last, "struct") || kf__token_is(last, "enum")))
                found(user, w);
            last = w;
            c += w.n;
        } else if (*c == '(' && !type) { /* a function's parameters: the rest defines nothing */
            if (last.n) found(user, last);
            return;
        } else if (*c == '{' && list) {
            const char *close = skip_brackets(c, code->end);
            for (w = kf__next_token(c, close); w.n; w = kf__next_token(w.at + w.n, close))
                found(user, w);
            c = close;
        } else if (*c == '{' || *c == '[') {
            c = skip_brackets(c, code->end);
        } else {
            if ((*c == ';' || *c == ',' || *c == '=') && last.n) found(user, last);
            c = kf__skip_token(c, code->end);
        }
    }
}
