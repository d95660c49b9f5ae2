/* Text -> tokens, and places in the text for messages. */
#include "parse/lex.h"

#include <stdio.h>

static const char *const token_texts[KF__T_COUNT] = {
#define TOKEN(id, text) text,
#include "parse/tokens.def"
#undef TOKEN
};

/* The same in backquotes: what a message calls a token. */
static const char *const token_names[KF__T_COUNT] = {
#define TOKEN(id, text) "`" text "`",
#include "parse/tokens.def"
#undef TOKEN
};

const char *kf__token_text(kf__token_kind kind) {
    switch (kind) {
    case KF__T_END: return "the end of the text";
    case KF__T_NEWLINE: return "the end of the line";
    case KF__T_NAME: return "a name";
    case KF__T_INT:
    case KF__T_FLOAT: return "a number";
    case KF__T_STRING: return "a string";
    default: return token_names[kind];
    }
}

/* ---------------------------------------------------------------- places */

static bool starts_character(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

void kf__place(const kf__module *module, uint32_t at, int *line, int *column) {
    const char *c = module->text, *end = c + kf__min(at, module->n);
    int lines = 1, characters = 1;
    for (const char *feed; c < end && (feed = memchr(c, '\n', (size_t)(end - c))); c = feed + 1)
        lines++;
    for (; c < end; c++) characters += starts_character(*c);
    *line = lines, *column = characters;
}

enum { SHOWN = 76 }; /* bytes of a line that a message shows */

/* "\n<line>\n<spaces>^": long lines are shown around the caret only. */
static void print_caret(const kf__module *module, uint32_t at, char *to, size_t size) {
    uint32_t start = at, end = at;
    while (start > 0 && module->text[start - 1] != '\n' && at - start < SHOWN * 2 / 3) start--;
    while (start < at && !starts_character(module->text[start])) start++;
    while (end < module->n && module->text[end] != '\n' && end - start < SHOWN) end++;
    while (end > at && end < module->n && !starts_character(module->text[end])) end--;
    size_t n = 0;
    to[n++] = '\n';
    for (uint32_t i = start; i < end && n < size / 2; i++) {
        unsigned char c = (unsigned char)module->text[i];
        to[n++] = c < ' ' || c == 0x7f ? ' ' : (char)c;
    }
    to[n++] = '\n';
    for (uint32_t i = start; i < at && n < size - 2; i++)
        if (starts_character(module->text[i])) to[n++] = ' ';
    to[n++] = '^';
    to[n] = 0;
}

void kf__show_place(const kf__module *module, uint32_t at, int *line, int *column,
                    char shown[KF__SHOWN]) {
    if (at > module->n) at = module->n;
    kf__place(module, at, line, column);
    print_caret(module, at, shown, KF__SHOWN);
}

kf_status kf__fail_in(kf_error *err, kf_status status, const kf__module *module, uint32_t at,
                      const char *format, ...) {
    if (!err || err->status != KF_OK) return status;
    char sentence[600], shown[KF__SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    int line, column;
    kf__show_place(module, at, &line, &column, shown);
    return kf__fail_at(err, status, line, column, "%s%s", sentence, shown);
}

/* ---------------------------------------------------------------- tokens */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const kf__lexer *lx, uint32_t ahead) {
    return lx->at + ahead < lx->end ? lx->module->text[lx->at + ahead] : '\0';
}

static kf__token fault(kf__lexer *lx, uint32_t at, const char *sentence) {
    kf__fail_in(lx->err, KF_ERR_SYNTAX, lx->module, at, "%s", sentence);
    lx->at = lx->end;
    return (kf__token){.kind = KF__T_END, .at = lx->end};
}

/* Bytes of the line end behind a backslash; 0: there is none. */
static uint32_t joined_line(const kf__lexer *lx) {
    if (peek(lx, 1) == '\n') return 1;
    return peek(lx, 1) == '\r' && peek(lx, 2) == '\n' ? 2 : 0;
}

/* Spaces, comments, joined lines, and line ends inside brackets. Gives the indentation of the line
 * that is stood on. True where a line ended that had something on it. */
static bool skip_blanks(kf__lexer *lx, uint32_t *indent) {
    bool ended = false;
    *indent = 0;
    for (; lx->at < lx->end; lx->at++) {
        char c = peek(lx, 0);
        if (c == ' ' || c == '\f') {
            ++*indent;
        } else if (c == '\t') {
            *indent = (*indent / 8 + 1) * 8;
        } else if (c == '#') {
            while (lx->at + 1 < lx->end && peek(lx, 1) != '\n') lx->at++;
        } else if (c == '\\' && joined_line(lx)) {
            lx->at += joined_line(lx);
        } else if (c == '\n') {
            *indent = 0;
            if (!lx->open && !lx->line_start) ended = true;
            if (!lx->open) lx->line_start = true;
        } else if (c != '\r') {
            break;
        }
    }
    return ended;
}

static kf__token number(kf__lexer *lx, kf__token t) {
    bool based = peek(lx, 0) == '0' && strchr("xXbBoO", peek(lx, 1)) && peek(lx, 1);
    t.kind = KF__T_INT;
    if (based) {
        lx->at += 2;
        while (is_digit(peek(lx, 0)) || is_letter(peek(lx, 0))) lx->at++;
        t.length = lx->at - t.at;
        return t;
    }
    while (is_digit(peek(lx, 0)) || (peek(lx, 0) == '_' && is_digit(peek(lx, 1)))) lx->at++;
    if (peek(lx, 0) == '.' && !(peek(lx, 1) == '.' && peek(lx, 2) == '.')) {
        t.kind = KF__T_FLOAT;
        lx->at++;
        while (is_digit(peek(lx, 0)) || (peek(lx, 0) == '_' && is_digit(peek(lx, 1)))) lx->at++;
    }
    char sign = peek(lx, 1);
    if ((peek(lx, 0) == 'e' || peek(lx, 0) == 'E') &&
        (is_digit(sign) || ((sign == '+' || sign == '-') && is_digit(peek(lx, 2))))) {
        t.kind = KF__T_FLOAT;
        lx->at += 2;
        while (is_digit(peek(lx, 0))) lx->at++;
    }
    if (is_letter(peek(lx, 0)))
        return fault(lx, lx->at,
                     "a letter can't follow a number directly; is an operator missing?");
    t.length = lx->at - t.at;
    return t;
}

static kf__token string(kf__lexer *lx, kf__token t) {
    char quote = peek(lx, 0);
    uint32_t marks = peek(lx, 1) == quote && peek(lx, 2) == quote ? 3 : 1;
    lx->at += marks;
    for (; lx->at < lx->end; lx->at++) {
        char c = peek(lx, 0);
        if (c == '\\') return fault(lx, lx->at, "strings have no escapes with a backslash");
        if (c == '\n' && marks == 1) break;
        if (c != quote || (marks == 3 && (peek(lx, 1) != quote || peek(lx, 2) != quote))) continue;
        lx->at += marks;
        t.kind = KF__T_STRING;
        t.length = lx->at - t.at;
        return t;
    }
    return fault(lx, t.at, "this string is never closed");
}

static kf__token name(kf__lexer *lx, kf__token t) {
    while (is_letter(peek(lx, 0)) || is_digit(peek(lx, 0))) lx->at++;
    t.kind = KF__T_NAME;
    t.length = lx->at - t.at;
    for (int k = KF__T_AND; k < KF__T_COUNT; k++)
        if (strlen(token_texts[k]) == t.length &&
            memcmp(token_texts[k], lx->module->text + t.at, t.length) == 0)
            t.kind = (uint8_t)k;
    return t;
}

/* What is meant by characters that texts from elsewhere have. */
static const char *meant_by(uint32_t c) {
    return c == 0x2212 || c == 0x2013 || c == 0x2014 ? "-"
           : c == 0x2018 || c == 0x2019              ? "'"
           : c == 0x201c || c == 0x201d              ? "\""
           : c == 0xd7 || c == 0xb7                  ? "*"
           : c == 0xf7                               ? "/"
           : c == 0xb2                               ? "** 2"
           : c == 0x2264                             ? "<="
           : c == 0x2265                             ? ">="
           : c == 0x2260                             ? "!="
                                                     : NULL;
}

/* A character by itself, its number where it isn't seen, or a byte. */
static kf__token meaningless(kf__lexer *lx, uint32_t at) {
    char sentence[120];
    const unsigned char *c = (const unsigned char *)lx->module->text + at;
    size_t n = kf__utf8_length(c);
    uint32_t code = n == 0 ? 0 : n == 1 ? c[0] : c[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) code = code << 6 | (c[i] & 0x3fu);
    bool hidden = code <= ' ' || (code >= 0x7f && code <= 0xa0) || code == 0xad ||
                  (code >= 0x2000 && code < 0x2010) || (code >= 0x2028 && code < 0x2030) ||
                  (code >= 0x205f && code < 0x2070) || code == 0xfeff || n > lx->end - at;
    const char *meant = meant_by(code);
    if (hidden && n > 1 && n <= lx->end - at)
        snprintf(sentence, sizeof sentence, "a character that isn't seen, U+%04X, has no meaning "
                                            "here", (unsigned)code);
    else if (hidden)
        snprintf(sentence, sizeof sentence, "the byte 0x%02x has no meaning here", c[0]);
    else
        snprintf(sentence, sizeof sentence, "the character `%.*s` has no meaning here%s%s%s",
                 (int)n, (const char *)c, meant ? "; is `" : "", meant ? meant : "",
                 meant ? "` meant?" : "");
    return fault(lx, at, sentence);
}

static kf__token operator(kf__lexer *lx, kf__token t) {
    for (int k = KF__T_PLUS_SET; k < KF__T_AND; k++) {
        size_t n = strlen(token_texts[k]);
        if (n > lx->end - lx->at || memcmp(token_texts[k], lx->module->text + lx->at, n) != 0)
            continue;
        t.kind = (uint8_t)k;
        t.length = (uint32_t)n;
        lx->at += t.length;
        if (k == KF__T_OPEN || k == KF__T_OPEN_SQUARE || k == KF__T_OPEN_BRACE) lx->open++;
        if ((k == KF__T_CLOSE || k == KF__T_CLOSE_SQUARE || k == KF__T_CLOSE_BRACE) && lx->open)
            lx->open--;
        return t;
    }
    return meaningless(lx, t.at);
}

kf__token kf__lex(kf__lexer *lx) {
    kf__token t = {.kind = KF__T_END};
    uint32_t before = lx->at;
    if (skip_blanks(lx, &t.indent)) {
        t.kind = KF__T_NEWLINE;
        t.at = before;
        return t;
    }
    t.at = lx->at;
    if (lx->at >= lx->end) return t;
    t.first = lx->line_start;
    if (t.first) { /* the indentation again: a NEWLINE token may have been given in between */
        uint32_t start = lx->at;
        while (start > 0 && strchr(" \t\f", lx->module->text[start - 1])) start--;
        t.indent = 0;
        for (uint32_t i = start; i < lx->at; i++)
            t.indent = lx->module->text[i] == '\t' ? (t.indent / 8 + 1) * 8 : t.indent + 1;
    }
    lx->line_start = false;
    char c = peek(lx, 0);
    if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1)))) return number(lx, t);
    if (c == '"' || c == '\'') return string(lx, t);
    if (is_letter(c)) return name(lx, t);
    return operator(lx, t);
}
