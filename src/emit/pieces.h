/* C text, cut into top-level pieces, and the little of the preprocessor that says which names a
 * piece defines. It knows the form that the preludes are written in, not all of C. */
#ifndef KFUSE_EMIT_PIECES_H
#define KFUSE_EMIT_PIECES_H

#include "base/base.h"

typedef enum kf__piece_kind {
    KF__DIRECTIVE, /* #include, #pragma, #else... */
    KF__DEFINE,    /* #define */
    KF__REGION,    /* #if to its #endif */
    KF__INVOKED,   /* NAME(...) of a macro, without a semicolon */
    KF__CODE,      /* a function, type, enum or variable */
} kf__piece_kind;

typedef struct kf__piece {
    kf__piece_kind kind;
    const char *begin; /* with the comment right before it */
    const char *core;  /* behind that */
    const char *end;
} kf__piece;

/* A run of letters, digits and _: an identifier or a number, of which only its length is said. */
typedef struct kf__token {
    const char *at;
    size_t n;
} kf__token;

/* The next piece from c on; false: there is none. The next begins at out->end. */
bool kf__next_piece(const char *c, const char *end, kf__piece *out);

/* Behind what begins at c: a comment, a string, a word or number, else one byte. */
const char *kf__skip_token(const char *c, const char *end);

/* The next identifier from c on, not in comments, strings and numbers; n is 0 behind the last.
 * Look for more at at + n. */
kf__token kf__next_token(const char *c, const char *end);

/* The word at c, n 0 if there is none. */
kf__token kf__token_at(const char *c, const char *end);
static inline bool kf__token_is(kf__token w, const char *text) {
    return strlen(text) == w.n && memcmp(text, w.at, w.n) == 0;
}

/* A #define's name, and where its parameters (NULL: it has none) and its body are. */
typedef struct kf__macro {
    kf__token name;
    const char *parameters; /* at the ( */
    const char *body, *end;
} kf__macro;

kf__macro kf__macro_of(const kf__piece *define);

/* Append the macro's body with the arguments of the invocation at `call`, which is NAME(...),
 * pasted in. */
void kf__expand_macro(const kf__macro *macro, const char *call, const char *end, kf__text *out);

/* The names that a piece of kind CODE defines: calls `found` for each. */
void kf__defined_names(const kf__piece *code, void (*found)(void *user, kf__token name),
                       void *user);

#endif
