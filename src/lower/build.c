/* Makers of loop IR: expressions, statements, nesting. Out of memory is remembered in L->failed;
 * the makers then give a harmless expression, so that only the end checks. */
#include <stdio.h>

#include "lower/low.h"

static const kf__lx kf__nothing = {.kind = KF__L_INT, .type = KF__I64};

const char *kf__l_name(kf__low *L, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *copy = kf__arena_string(L->arena, text, strlen(text));
    if (!copy) L->failed = true;
    return copy ? copy : "";
}

static kf__lx *make(kf__low *L, kf__lx_kind kind) {
    kf__lx *x = KF__NEW(L->arena, kf__lx, 1);
    if (!x) {
        L->failed = true;
        return NULL;
    }
    x->kind = (uint8_t)kind;
    x->type = KF__I64;
    return x;
}

const kf__lx *kf__l_var(kf__low *L, const char *name) {
    kf__lx *x = make(L, KF__L_VAR);
    if (!x) return &kf__nothing;
    x->name = name;
    return x;
}

const kf__lx *kf__l_const(kf__low *L, kf__dtype type, double number, int64_t integer) {
    kf__lx *x = make(L, kf__is_float(type) ? KF__L_FLOAT : KF__L_INT);
    if (!x) return &kf__nothing;
    x->type = (uint8_t)kf__compute(type);
    x->number = number;
    x->integer = integer;
    return x;
}

const kf__lx *kf__l_int(kf__low *L, int64_t value) { return kf__l_const(L, KF__I64, 0, value); }

static bool is_int(const kf__lx *x, int64_t value) {
    return x->kind == KF__L_INT && x->integer == value;
}

const kf__lx *kf__l_bin(kf__low *L, const char *op, const kf__lx *a, const kf__lx *b) {
    if (!strcmp(op, "+") && is_int(a, 0)) return b;
    if (!strcmp(op, "+") && is_int(b, 0)) return a;
    if (!strcmp(op, "-") && is_int(b, 0)) return a;
    if (!strcmp(op, "*") && (is_int(a, 0) || is_int(b, 1))) return a;
    if (!strcmp(op, "*") && (is_int(b, 0) || is_int(a, 1))) return b;
    if (!strcmp(op, "/") && is_int(b, 1)) return a;
    if (!strcmp(op, "%") && is_int(b, 1)) return kf__l_int(L, 0);
    kf__lx *x = make(L, KF__L_BINARY);
    if (!x) return &kf__nothing;
    x->name = op;
    x->n_args = 2;
    x->args[0] = a;
    x->args[1] = b;
    return x;
}

const kf__lx *kf__l_item(kf__low *L, const char *name, const kf__lx *index) {
    kf__lx *x = make(L, KF__L_ITEM);
    if (!x) return &kf__nothing;
    x->name = name;
    x->n_args = 1;
    x->args[0] = index;
    return x;
}

const kf__lx *kf__l_select(kf__low *L, const kf__lx *c, const kf__lx *a, const kf__lx *b) {
    kf__lx *x = make(L, KF__L_SELECT);
    if (!x) return &kf__nothing;
    x->n_args = 3;
    x->args[0] = c;
    x->args[1] = a;
    x->args[2] = b;
    return x;
}

/* Is the first word of `formals` one of the template's? To merge sums takes no counts. */
static bool has_formal(const char *code, const char *formals) {
    static const char *const letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strcspn(formals, " ");
    while (*code) {
        size_t n = strspn(code, letters);
        if (n == length && !memcmp(code, formals, n)) return true;
        code += n ? n : 1;
    }
    return false;
}

const kf__lx *kf__l_code(kf__low *L, const char *code, kf__dtype type, const char *formals, int n,
                         const kf__lx *const *args) {
    kf__lx *x = make(L, formals ? KF__L_CODE : KF__L_CALL);
    if (!x) return &kf__nothing;
    x->name = code;
    x->formals = formals;
    x->type = (uint8_t)type;
    x->n_args = (uint8_t)n;
    for (int i = 0; i < n; ++i) {
        x->args[i] = !formals || has_formal(code, formals) ? args[i] : &kf__nothing;
        if (formals) formals += strcspn(formals, " "), formals += *formals == ' ';
    }
    return x;
}

const kf__lx *kf__l_callv(kf__low *L, const char *name, kf__dtype type, int n,
                          const kf__lx *const *args) {
    return kf__l_code(L, name, type, NULL, n, args);
}

/* ---------------------------------------------------------------- statements */

static kf__ls *put(kf__low *L, kf__ls_kind kind) {
    static _Thread_local kf__ls spare; /* after a failure: nobody looks at it */
    kf__ls *s = KF__NEW(L->arena, kf__ls, 1);
    if (!s) {
        L->failed = true;
        s = &spare;
        memset(s, 0, sizeof *s);
        return s;
    }
    s->kind = (uint8_t)kind;
    *L->tail = s;
    L->tail = &s->next;
    return s;
}

void kf__put_comment(kf__low *L, const char *text) { put(L, KF__S_COMMENT)->comment = text; }

const kf__lx *kf__put_let(kf__low *L, const char *ctype, const char *name, const kf__lx *value,
                          const char *comment) {
    kf__ls *s = put(L, KF__S_LET);
    s->ctype = ctype;
    s->name = name;
    s->value = value;
    s->comment = comment;
    return kf__l_var(L, name);
}

const kf__lx *kf__put_var(kf__low *L, const char *ctype, const char *name, int64_t count,
                          const kf__lx *value) {
    kf__ls *s = put(L, KF__S_VAR);
    s->ctype = ctype;
    s->name = name;
    s->count = count;
    s->value = value;
    return kf__l_var(L, name);
}

void kf__put_set(kf__low *L, const kf__lx *target, const kf__lx *value) {
    kf__ls *s = put(L, KF__S_SET);
    s->target = target;
    s->value = value;
}

void kf__put_call(kf__low *L, const kf__lx *call) { put(L, KF__S_CALL)->value = call; }

void kf__put_shared(kf__low *L, const char *ctype, const char *name, int64_t count) {
    kf__ls *s = put(L, KF__S_SHARED);
    s->ctype = ctype;
    s->name = name;
    s->count = count;
}

/* ---------------------------------------------------------------- nesting */

static void enter(kf__low *L, kf__ls **body) {
    if (L->depth == (int)KF__COUNT(L->stack)) {
        L->failed = true;
        return;
    }
    L->stack[L->depth++] = L->tail;
    L->tail = body;
}

void kf__open_for(kf__low *L, const char *ctype, const char *name, const kf__lx *from,
                  const kf__lx *to, const kf__lx *step, kf__bind bind) {
    kf__ls *s = put(L, KF__S_FOR);
    s->ctype = ctype;
    s->name = name;
    s->from = from;
    s->to = to;
    s->step = step;
    s->bind = (uint8_t)bind;
    enter(L, &s->body);
}

void kf__open_halve(kf__low *L, const char *name, const kf__lx *from) {
    kf__ls *s = put(L, KF__S_HALVE);
    s->name = name;
    s->from = from;
    enter(L, &s->body);
}

void kf__open_if(kf__low *L, const kf__lx *condition) {
    kf__ls *s = put(L, KF__S_IF);
    s->value = condition;
    enter(L, &s->body);
}

void kf__open_block(kf__low *L) {
    kf__ls *s = put(L, KF__S_BLOCK);
    enter(L, &s->body);
}

void kf__close(kf__low *L) {
    if (L->depth > 0) L->tail = L->stack[--L->depth];
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (L->pointer_depth[i] <= L->depth) continue;
        L->pointer[i] = NULL;
        L->pointer_depth[i] = 0;
    }
}

void kf__open_else(kf__low *L) {
    kf__close(L);
    /* L->tail is &if->next: the if itself holds it. */
    kf__ls *s = (kf__ls *)((char *)L->tail - offsetof(kf__ls, next));
    enter(L, &s->other);
}
