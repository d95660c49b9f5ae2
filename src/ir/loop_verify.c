/* What must hold of the loop IR, so that the emitted text compiles: every variable is declared in a
 * scope around its use and once in its scope, only variables are assigned, arguments are words of
 * the function, every statement has its parts. */
#include <ctype.h>

#include "ir/loop.h"

enum { MOST_NAMES = 4096, DEPTH = 64 };

typedef struct declared {
    const char *name;
    bool constant; /* can't be assigned as a whole */
    bool items;    /* an array or a pointer */
} declared;

typedef struct verifier {
    const kf__loop_fn *fn;
    kf_error *err;
    KF__VEC(declared) names; /* of all open scopes; inner ones behind */
} verifier;

static kf_status bad(verifier *v, const char *what, const char *name) {
    return kf__fail(v->err, KF_ERR_INTERNAL, "the loops of %s are broken: %s%s%s",
                    v->fn->name ? v->fn->name : "?", what, name ? " " : "", name ? name : "");
}

static bool is_identifier(const char *name) {
    if (!name || (!isalpha((unsigned char)*name) && *name != '_')) return false;
    while (isalnum((unsigned char)*name) || *name == '_') name++;
    return *name == 0;
}

/* The innermost one of that name; NULL: none. */
static const declared *find(const verifier *v, const char *name) {
    for (uint32_t i = v->names.n; i-- > 0;)
        if (strcmp(v->names.at[i].name, name) == 0) return &v->names.at[i];
    return NULL;
}

static kf_status declare(verifier *v, const char *name, uint32_t scope, bool constant,
                         bool items) {
    if (!is_identifier(name)) return bad(v, "a name that isn't one:", name);
    for (uint32_t i = scope; i < v->names.n; i++)
        if (strcmp(v->names.at[i].name, name) == 0) return bad(v, "declared twice:", name);
    if (v->names.n >= MOST_NAMES) return bad(v, "too many names", NULL);
    declared d = {name, constant, items};
    return KF__PUSH(&kf__malloc, &v->names, d) ? KF_OK : kf__out_of_memory(v->err);
}

/* ---------------------------------------------------------------- expressions */

static bool is_word(const verifier *v, const char *name) {
    for (uint32_t w = 0; w < v->fn->n_words; w++)
        if (strcmp(v->fn->words[w].name, name) == 0) return true;
    return false;
}

static kf_status verify_name(verifier *v, const kf__lx *x) {
    if (!x->name) return bad(v, "an expression without a name", NULL);
    if (x->kind == KF__L_PARAM)
        return is_word(v, x->name) ? KF_OK : bad(v, "no such argument:", x->name);
    if (x->kind != KF__L_VAR && x->kind != KF__L_ITEM) return KF_OK;
    /* the prelude's */
    if (strncmp(x->name, "kf_", 3) == 0 || strncmp(x->name, "KF_", 3) == 0) return KF_OK;
    return find(v, x->name) ? KF_OK : bad(v, "isn't declared:", x->name);
}

static kf_status verify_expr(verifier *v, const kf__lx *x, int depth) {
    static const int n_args[] = {
        [KF__L_VAR] = 0,  [KF__L_INT] = 0,   [KF__L_FLOAT] = 0, [KF__L_PARAM] = 0,
        [KF__L_BINARY] = 2, [KF__L_CALL] = -1, [KF__L_ITEM] = 1, [KF__L_CODE] = -1,
        [KF__L_SELECT] = 3};
    if (!x) return bad(v, "an expression is missing", NULL);
    if (x->kind > KF__L_SELECT || x->type >= KF__DTYPE_COUNT) return bad(v, "an expression", NULL);
    if (depth > DEPTH) return bad(v, "an expression is nested too deeply", NULL);
    if (n_args[x->kind] >= 0 ? x->n_args != n_args[x->kind] : x->n_args > KF__COUNT(x->args))
        return bad(v, "an expression's arguments", x->name);
    if (x->kind != KF__L_INT && x->kind != KF__L_FLOAT && x->kind != KF__L_SELECT)
        KF_TRY(verify_name(v, x));
    for (int k = 0; k < x->n_args; k++) KF_TRY(verify_expr(v, x->args[k], depth + 1));
    return KF_OK;
}

/* ---------------------------------------------------------------- statements */

static kf_status verify_body(verifier *v, const kf__ls *s, int depth, uint32_t scope);

/* Its own scope, which ends with it. */
static kf_status verify_scope(verifier *v, const kf__ls *body, int depth) {
    uint32_t before = v->names.n;
    kf_status status = verify_body(v, body, depth + 1, before);
    v->names.n = before;
    return status;
}

static kf_status verify_set(verifier *v, const kf__ls *s) {
    KF_TRY(verify_expr(v, s->target, 0));
    KF_TRY(verify_expr(v, s->value, 0));
    if (s->target->kind != KF__L_VAR && s->target->kind != KF__L_ITEM)
        return bad(v, "an assignment to what isn't a variable", NULL);
    const declared *d = find(v, s->target->name);
    bool item = s->target->kind == KF__L_ITEM;
    if (!d || (item ? !d->items : d->constant))
        return bad(v, "an assignment to what can't be assigned:", s->target->name);
    return KF_OK;
}

static kf_status verify_loop(verifier *v, const kf__ls *s, int depth) {
    uint32_t before = v->names.n;
    KF_TRY(verify_expr(v, s->from, 0));
    if (s->kind == KF__S_FOR) {
        KF_TRY(verify_expr(v, s->to, 0));
        KF_TRY(verify_expr(v, s->step, 0));
        if (!s->ctype) return bad(v, "a loop without a type:", s->name);
    }
    KF_TRY(declare(v, s->name, before, true, false));
    kf_status status = verify_body(v, s->body, depth + 1, before);
    v->names.n = before;
    return status;
}

static kf_status verify_declaration(verifier *v, const kf__ls *s, uint32_t scope) {
    bool array = s->count > 0 || s->kind == KF__S_SHARED;
    if (!s->ctype) return bad(v, "a declaration without a type:", s->name);
    if (s->count < 0 || (s->kind == KF__S_SHARED && s->count == 0))
        return bad(v, "an array without a size:", s->name);
    if (s->value) KF_TRY(verify_expr(v, s->value, 0));
    if (array ? s->value != NULL : s->kind == KF__S_LET && !s->value)
        return bad(v, "a declaration's value:", s->name);
    bool pointer = strchr(s->ctype, '*') != NULL;
    return declare(v, s->name, scope, array || s->kind == KF__S_LET, array || pointer);
}

static kf_status verify_statement(verifier *v, const kf__ls *s, int depth, uint32_t scope) {
    switch (s->kind) {
    case KF__S_COMMENT: return s->comment ? KF_OK : bad(v, "an empty comment", NULL);
    case KF__S_LET:
    case KF__S_VAR:
    case KF__S_SHARED: return verify_declaration(v, s, scope);
    case KF__S_SET: return verify_set(v, s);
    case KF__S_CALL:
        KF_TRY(verify_expr(v, s->value, 0));
        return s->value->kind == KF__L_CALL ? KF_OK : bad(v, "a statement that is no call", NULL);
    case KF__S_FOR:
    case KF__S_HALVE: return verify_loop(v, s, depth);
    case KF__S_IF:
        KF_TRY(verify_expr(v, s->value, 0));
        KF_TRY(verify_scope(v, s->body, depth));
        return verify_scope(v, s->other, depth);
    case KF__S_BLOCK: return verify_scope(v, s->body, depth);
    default: return bad(v, "a statement of no kind", NULL);
    }
}

static kf_status verify_body(verifier *v, const kf__ls *s, int depth, uint32_t scope) {
    if (depth > DEPTH) return bad(v, "statements are nested too deeply", NULL);
    for (; s; s = s->next) KF_TRY(verify_statement(v, s, depth, scope));
    return KF_OK;
}

static kf_status verify_words(verifier *v) {
    for (uint32_t w = 0; w < v->fn->n_words; w++) {
        const kf__word *word = &v->fn->words[w];
        if (!word->ctype || !is_identifier(word->name)) return bad(v, "an argument's name", NULL);
        if (word->kind > KF__W_ALIGNED) return bad(v, "an argument's kind:", word->name);
        for (uint32_t o = 0; o < w; o++)
            if (strcmp(v->fn->words[o].name, word->name) == 0)
                return bad(v, "an argument is there twice:", word->name);
    }
    return KF_OK;
}

static kf_status verify_function(verifier *v) {
    if (!is_identifier(v->fn->name)) return bad(v, "its name", NULL);
    KF_TRY(verify_words(v));
    /* the C dialect's signature; scope 0 is the signature's */
    KF_TRY(declare(v, "begin", 0, true, false));
    KF_TRY(declare(v, "end", 0, true, false));
    return verify_body(v, v->fn->body, 0, 0);
}

kf_status kf__loop_verify(const kf__loop_fn *fn, kf_error *err) {
    verifier v = {.fn = fn, .err = err};
    kf_status status = verify_function(&v);
    KF__VEC_FREE(&kf__malloc, &v.names);
    return status;
}
