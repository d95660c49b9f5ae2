/* What can be called without being written in the language: rows of builtins.def and of ir/ops.def.
 * A builtin has a signature in the language's syntax, so its arguments are bound like a def's. */
#ifndef KFUSE_PARSE_BUILTIN_H
#define KFUSE_PARSE_BUILTIN_H

#include "parse/ast.h"

typedef struct kf__evaluator kf__evaluator;

enum { KF__MAX_PARAMETERS = 8 };

struct kf__builtin {
    const char *name, *kind;
    const char *signature; /* "x, axis=None": "=" means that it may be left out, then it is NONE;
                              "*shape": several arguments by position are one tuple */
    bool (*make)(kf__evaluator *ev, const kf__builtin *b, const kf__object *args,
                 kf__object *out);
    int data;         /* an opcode, a reduction, ... */
    const char *doc;  /* begins with "Private" where only the library may call it */
};

const kf__builtin *kf__builtin_find(const char *name, size_t n);
const kf__builtin *kf__builtin_at(size_t i); /* NULL behind the last */
/* What the first n characters are another name of, a builtin or a composite; NULL: nothing. */
const char *kf__alias_in(const char *name, size_t n);
static inline bool kf__builtin_private(const kf__builtin *b) {
    return strncmp(b->doc, "Private", 7) == 0;
}
/* Names that are known elsewhere: what to say about them. NULL: nothing. */
const char *kf__unsupported(const char *name, size_t n);

#endif
