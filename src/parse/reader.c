/* The reader's helpers: tokens, names and their slots, and what is said about text that isn't in
 * the language but is in Python or C. */
#include "parse/reader.h"

#include <stdio.h>

void *kf__reader_fail(kf__reader *r, kf_status status, uint32_t at, const char *format, ...) {
    char sentence[600];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    kf__fail_in(r->err, status, r->lexer.module, at, "%s", sentence);
    return NULL;
}

void *kf__reader_memory(kf__reader *r) {
    kf__out_of_memory(r->err);
    return NULL;
}

void kf__take(kf__reader *r) { r->token = kf__lex(&r->lexer); }

/* ---------------------------------------------------------------- text that can't stand there */

#define NO_IMPORTS                                                                              \
    "there are no imports: np, torch, F, math and scipy are known; leave this line out"
#define NO_EXCEPTIONS "there are no exceptions: a def has assignments and one `return`"

static const struct {
    kf__token_kind kind;
    const char *sentence;
} hints[] = {
    {KF__T_AND, "there is no `and`: use & (with parentheses around comparisons)"},
    {KF__T_OR, "there is no `or`: use | (with parentheses around comparisons)"},
    {KF__T_NOT, "there is no `not`: use ~ (with parentheses around comparisons)"},
    {KF__T_AND_AND, "there is no `&&`: use & (with parentheses around comparisons)"},
    {KF__T_OR_OR, "there is no `||`: use | (with parentheses around comparisons)"},
    {KF__T_EXCLAMATION, "there is no `!`: use ~ (with parentheses around comparisons)"},
    {KF__T_IN, "there is no `in`; compare with == and join with |"},
    {KF__T_QUESTION, "there is no `?`: write `a if condition else b`, or where(condition, a, b)"},
    {KF__T_WALRUS, "there is no `:=`: give the value a name with `=` on a line of its own, or "
                   "before a `;`"},
    {KF__T_FOR, "there are no loops; operations work on whole arrays"},
    {KF__T_WHILE, "there are no loops; operations work on whole arrays"},
    {KF__T_LAMBDA, "there is no `lambda`; write a def"},
    {KF__T_IMPORT, NO_IMPORTS},
    {KF__T_FROM, NO_IMPORTS},
    {KF__T_CLASS, "there are no classes; write a def"},
    {KF__T_ELIF, "there is no `elif`: write `a if c else b if d else e`"},
    {KF__T_OPEN_BRACE, "there are no sets or dictionaries; tuples are written (a, b)"},
    {KF__T_AT_SET, "matrix products (@) are not supported yet"},
    {KF__T_ARROW, "results have no annotations: leave `->` and what follows out"},
    {KF__T_DEF, "a def stands on a line of its own, not inside another or in an expression"},
    {KF__T_SET, "an assignment is `name = value` or `a, b = values`, with plain names on the left; "
                "== compares; where(), slice_scatter() and index_put() give new arrays for "
                "x[i] = y"},
    {KF__T_RETURN, "`return` only stands at the end of a def"},
    {KF__T_ASSERT, "there is no `assert`; annotations check sizes: x: f32[B, N], y: f32[N]"},
    {KF__T_WITH, "there is no `with`: a def has assignments and one `return`"},
    {KF__T_RAISE, NO_EXCEPTIONS},
    {KF__T_TRY, NO_EXCEPTIONS},
    {KF__T_DEL, "there is no `del`: what isn't used any more takes no memory"},
    {KF__T_GLOBAL, "there is no `global`: a def knows its parameters and what it assigns"},
    {KF__T_YIELD, "there is no `yield`: a def gives all its results by one `return`"},
    {KF__T_ASYNC, "there is no `async`"},
    {KF__T_AWAIT, "there is no `await`"},
};

kf__token_kind kf__augmented(kf__token_kind set) {
    switch (set) {
    case KF__T_PLUS_SET: return KF__T_PLUS;
    case KF__T_MINUS_SET: return KF__T_MINUS;
    case KF__T_TIMES_SET: return KF__T_TIMES;
    case KF__T_POWER_SET: return KF__T_POWER;
    case KF__T_DIVIDE_SET: return KF__T_DIVIDE;
    case KF__T_FLOOR_SET: return KF__T_FLOOR;
    case KF__T_MODULO_SET: return KF__T_MODULO;
    case KF__T_SHIFT_LEFT_SET: return KF__T_SHIFT_LEFT;
    case KF__T_SHIFT_RIGHT_SET: return KF__T_SHIFT_RIGHT;
    case KF__T_AND_SET: return KF__T_BIT_AND;
    case KF__T_OR_SET: return KF__T_BIT_OR;
    case KF__T_XOR_SET: return KF__T_BIT_XOR;
    default: return KF__T_END;
    }
}

/* `x[0] += 1` where it can't stand is said to be what `x[0] = 1` is. */
static kf__token_kind hinted(kf__token_kind kind) {
    return kf__augmented(kind) == KF__T_END || kind == KF__T_AT_SET ? kind : KF__T_SET;
}

void *kf__reader_unexpected(kf__reader *r, const char *wanted) {
    kf__token t = r->token;
    for (size_t i = 0; i < KF__COUNT(hints); i++)
        if (hints[i].kind == hinted((kf__token_kind)t.kind))
            return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "%s", hints[i].sentence);
    if (t.kind == KF__T_NAME)
        return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "expected %s, not the name `%.*s`", wanted,
                               (int)t.length, r->lexer.module->text + t.at);
    return kf__reader_fail(r, KF_ERR_SYNTAX, t.at, "expected %s, not %s", wanted,
                           kf__token_text((kf__token_kind)t.kind));
}

bool kf__expect(kf__reader *r, kf__token_kind kind, const char *where) {
    if (r->token.kind != kind) {
        char wanted[120];
        snprintf(wanted, sizeof wanted, "%s %s", kf__token_text(kind), where);
        return kf__reader_unexpected(r, wanted);
    }
    kf__take(r);
    return kf__reader_ok(r);
}

/* ---------------------------------------------------------------- names */

static bool slot_is(const kf__reader *r, uint32_t slot, const char *name, uint32_t n) {
    const char *at = r->slots.at[slot];
    return strncmp(at, name, n) == 0 && at[n] == 0;
}

static bool grow_table(kf__reader *r) {
    uint32_t size = r->table_size ? r->table_size * 2 : 64;
    uint32_t *table = kf__allocate(r->mem, size * sizeof *table);
    if (!table) return kf__reader_memory(r);
    memset(table, 0, size * sizeof *table);
    for (uint32_t s = 0; s < r->slots.n; s++) {
        uint64_t h = kf__hash(r->slots.at[s], strlen(r->slots.at[s]), 0);
        while (table[h & (size - 1)]) h++;
        table[h & (size - 1)] = s + 1;
    }
    kf__release(r->mem, r->table);
    r->table = table;
    r->table_size = size;
    return true;
}

uint32_t kf__slot(kf__reader *r, const kf__token *t, bool make) {
    const char *name = r->lexer.module->text + t->at;
    if (r->slots.n * 2 >= r->table_size && !grow_table(r)) return UINT32_MAX;
    uint64_t h = kf__hash(name, t->length, 0);
    uint32_t mask = r->table_size - 1;
    for (; r->table[h & mask]; h++)
        if (slot_is(r, r->table[h & mask] - 1, name, t->length)) return r->table[h & mask] - 1;
    if (!make) return UINT32_MAX;
    char *kept = kf__arena_string(r->arena, name, t->length);
    if (!kept || !KF__PUSH(r->mem, &r->slots, kept)) {
        kf__reader_memory(r);
        return UINT32_MAX;
    }
    r->table[h & mask] = r->slots.n;
    return r->slots.n - 1;
}
