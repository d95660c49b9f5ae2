/* The tables of what can be called: operations, builtins, other names, and what isn't there. */
#include "parse/builtin.h"

#include <stdio.h>

#include "parse/makers.h"

#define OP(id, name, arity, rule, fcode, icode, foracle, ioracle, ulp, lo, hi, grad, doc)       \
    {name, "elementwise",                                                                       \
     KF__RULE_##rule == KF__RULE_WHERE ? "condition, x, y" : (arity) == 1   ? "x"       \
     : (arity) == 2 ? "a, b" : "a, b, c",                                                       \
     kf__make_op, KF__##id, KF__RULE_##rule >= KF__RULE_UNIFORM ? "Private: " doc : doc},
#define BUILTIN(name, kind, signature, maker, data, doc) \
    {name, kind, signature, kf__make_##maker, data, doc},
#define TYPE(id, name, alias, code, bits, class, compute, stored, computed) \
    {name, "other", "x", kf__make_cast_named, KF__##id, "cast(x, " name ")"},
#define ALIAS(other, name)
#define UNSUPPORTED(name, why)
static const kf__builtin builtins[] = {
#include "ir/ops.def"
#include "ir/types.def"
#include "parse/builtins.def"
};
#undef OP
#undef BUILTIN
#undef TYPE
#undef ALIAS
#undef UNSUPPORTED

typedef struct pair {
    const char *name, *text;
} pair;

#define BUILTIN(name, kind, signature, maker, data, doc)
#define UNSUPPORTED(name, why)
#define ALIAS(other, name) {other, name},
static const pair aliases[] = {
#include "parse/builtins.def"
};
#undef ALIAS
#undef UNSUPPORTED

#define ALIAS(other, name)
#define UNSUPPORTED(name, why) {name, why},
static const pair unsupported[] = {
#include "parse/builtins.def"
};
#undef BUILTIN
#undef ALIAS
#undef UNSUPPORTED

static bool same(const char *a, const char *b, size_t n) {
    return strncmp(a, b, n) == 0 && a[n] == 0;
}

static const kf__builtin *find(const char *name, size_t n) {
    for (size_t i = 0; i < KF__COUNT(builtins); i++)
        if (same(builtins[i].name, name, n)) return &builtins[i];
    return NULL;
}

const kf__builtin *kf__builtin_find(const char *name, size_t n) {
    const kf__builtin *b = find(name, n);
    const char *other = b ? NULL : kf__alias_in(name, n);
    if (other) b = find(other, strlen(other));
    kf__dtype dtype;
    if (!b && kf__dtype_from_name(name, n, &dtype)) /* f16(x) */
        b = find(kf__types[dtype].name, strlen(kf__types[dtype].name));
    return b;
}

const kf__builtin *kf__builtin_at(size_t i) {
    return i < KF__COUNT(builtins) ? &builtins[i] : NULL;
}

const char *kf__unsupported(const char *name, size_t n) {
    for (size_t i = 0; i < KF__COUNT(unsupported); i++)
        if (same(unsupported[i].name, name, n)) return unsupported[i].text;
    return NULL;
}

/* ---------------------------------------------------------------- for `kfuse ops` */

/* The comment that stands directly above a def, as one line. */
static void comment_above(const kf__library_place *place, char *to, size_t size) {
    const char *text = place->text;
    uint32_t end = place->begin ? place->begin - 1 : 0, start = end;
    while (start > 0) { /* as many comment lines as there are */
        uint32_t line = start;
        while (line > 0 && text[line - 1] != '\n') line--;
        if (text[line] != '#') break;
        start = line ? line - 1 : 0;
        if (!line) break;
    }
    size_t n = 0;
    for (uint32_t i = start; i < end && n + 1 < size; i++) {
        bool mark = text[i] == '#' || text[i] == '\n';
        if (mark && (n == 0 || to[n - 1] == ' ')) continue;
        if (text[i] == ' ' && (n == 0 || to[n - 1] == ' ')) continue;
        to[n++] = mark ? ' ' : text[i];
    }
    to[n] = 0;
}

const char *kf__alias_in(const char *name, size_t n) {
    for (size_t i = 0; i < KF__COUNT(aliases); i++)
        if (same(aliases[i].name, name, n)) return aliases[i].text;
    return NULL;
}

const char *kf__alias_of(const char *name) { return kf__alias_in(name, strlen(name)); }

const char *kf__other_name(const char *name, size_t i) {
    for (size_t k = 0; k < KF__COUNT(aliases); k++)
        if (strcmp(aliases[k].text, name) == 0 && i-- == 0) return aliases[k].name;
    return NULL;
}

bool kf__composite_source(const char *name, kf__text *out, const char **file) {
    kf__library_place place;
    if (!kf__library_find(name, strlen(name), &place)) return false;
    const char *text = place.text;
    uint32_t begin = place.begin, end = place.end;
    while (begin > 1) { /* the comment above */
        uint32_t line = begin - 1;
        while (line > 0 && text[line - 1] != '\n') line--;
        if (text[line] != '#') break;
        begin = line;
    }
    while (end > place.begin) { /* without the comment of the next def */
        uint32_t line = end - 1;
        while (line > place.begin && text[line - 1] != '\n') line--;
        if (text[line] != '#' && text[line] != '\n') break;
        end = line;
    }
    kf__print(out, "%.*s", (int)(end - begin), text + begin);
    *file = place.file;
    return true;
}

/* n characters with a single space for each stretch of spaces and ends of lines. */
static void one_line(const char *text, size_t n, char *to, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < n && used + 1 < size; i++) {
        bool space = text[i] == ' ' || text[i] == '\n';
        if (!space || (used && to[used - 1] != ' ')) to[used++] = space ? ' ' : text[i];
    }
    to[used] = 0;
}

static void describe(const kf__library_place *place, const char *name, size_t n,
                     kf__callable *out) {
    const char *open = memchr(name, '(', place->n - (size_t)(name - place->text));
    size_t length = 0;
    for (int depth = 0; open && open + length < place->text + place->end; length++) {
        depth += open[length] == '(';
        depth -= open[length] == ')';
        if (depth == 0) break;
    }
    out->kind = "composite";
    snprintf(out->name, sizeof out->name, "%.*s", (int)n, name);
    one_line(open ? open + 1 : "", length ? length - 1 : 0, out->signature, sizeof out->signature);
    comment_above(place, out->doc, sizeof out->doc);
}

bool kf__callable_next(kf__callable *c) {
    while (c->builtins < KF__COUNT(builtins)) {
        const kf__builtin *b = &builtins[c->builtins++];
        if (kf__builtin_private(b)) continue;
        c->kind = b->kind;
        snprintf(c->name, sizeof c->name, "%s", b->name);
        snprintf(c->signature, sizeof c->signature, "%s", b->signature);
        snprintf(c->doc, sizeof c->doc, "%s", b->doc);
        return true;
    }
    const char *name;
    size_t n;
    do
        if (!kf__library_next(&c->place, &name, &n)) return false;
    while (name[0] == '_');
    describe(&c->place, name, n, c);
    return true;
}
