/* Text -> tokens, one at a time. Inside brackets line ends are nothing; elsewhere they are a
 * NEWLINE token, blank lines and comments left out. The first token of a line knows its
 * indentation. */
#ifndef KFUSE_PARSE_LEX_H
#define KFUSE_PARSE_LEX_H

#include "base/base.h"

typedef enum kf__token_kind {
#define TOKEN(id, text) KF__T_##id,
#include "parse/tokens.def"
#undef TOKEN
    KF__T_COUNT
} kf__token_kind;

typedef struct kf__token {
    uint8_t kind;
    bool first;      /* of its line */
    uint32_t indent; /* of its line, where it is the first */
    uint32_t at, length; /* bytes of the module's text */
} kf__token;

/* A text that tokens and syntax trees point into. */
typedef struct kf__module {
    const char *text; /* n bytes */
    uint32_t n;
    const char *file; /* of the library: its name; NULL: the user's text */
} kf__module;

typedef struct kf__lexer {
    const kf__module *module;
    uint32_t at, end;
    uint32_t open;   /* brackets */
    bool line_start;
    kf_error *err;
} kf__lexer;

/* The next token. On a fault the error is in lexer->err and the token is an END. */
kf__token kf__lex(kf__lexer *lexer);
/* "`+`", "end of text": how a token is named in a message. */
const char *kf__token_text(kf__token_kind kind);

/* Fail at a place of the text: the sentence, the line and a caret. */
kf_status kf__fail_in(kf_error *err, kf_status status, const kf__module *module, uint32_t at,
                      const char *format, ...) KF__PRINTF(5, 6);
void kf__place(const kf__module *module, uint32_t at, int *line, int *column);
/* Line, column, and the line itself with a caret below, as kf__fail_in prints them. */
enum { KF__SHOWN = 300 };
void kf__show_place(const kf__module *module, uint32_t at, int *line, int *column,
                    char shown[KF__SHOWN]);

#endif
