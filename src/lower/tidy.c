/* What nobody reads is taken out of a function: values, variables that are only written, statements
 * that became empty, words of the argument struct. The nests can then make what they may need, and
 * the text has what is needed.
 *
 *     const int64_t rows = a.rows;     never named again            -> out, and the word too
 *     done = done + len;               done is read nowhere else    -> out, and its declaration
 *     for (...) { }                                                 -> out
 *
 * Statements are walked backwards. A name's uses are kept as a set of depths of nesting: a use in a
 * body is one of its enclosing bodies too, unless the body declares the name. */
#include "lower/low.h"

typedef struct name {
    const char *text;
    uint64_t used;   /* bit d: at depth d, behind the statement that is looked at */
    uint32_t reads;  /* in the whole function, not counting those that a variable's own sets do */
    bool word;       /* a PARAM is named so */
} name;

typedef struct tidy {
    kf__low *L;
    name *names; /* open addressing */
    uint32_t size, n;
    bool changed;
} tidy;

static name *look_up(tidy *t, const char *text) {
    uint32_t at = (uint32_t)kf__hash(text, strlen(text), 0) & (t->size - 1);
    while (t->names[at].text && strcmp(t->names[at].text, text)) at = (at + 1) & (t->size - 1);
    if (!t->names[at].text) t->n++;
    t->names[at].text = text;
    return &t->names[at];
}

/* How many names and statements there are at most, for the table. */
static uint32_t count(const kf__ls *s) {
    uint32_t n = 0;
    for (; s; s = s->next) n += 1 + count(s->body) + count(s->other);
    return n;
}

/* ---------------------------------------------------------------- every read */

typedef void (*visitor)(tidy *t, name *n, int depth);

static void count_read(tidy *t, name *n, int depth) {
    (void)t, (void)depth;
    n->reads++;
}

static void mark_used(tidy *t, name *n, int depth) {
    (void)t;
    n->used |= (uint64_t)1 << depth;
}

static void visit(tidy *t, const kf__lx *x, visitor seen, int depth) {
    if (!x) return;
    if (x->kind == KF__L_VAR || x->kind == KF__L_ITEM) seen(t, look_up(t, x->name), depth);
    if (x->kind == KF__L_PARAM) look_up(t, x->name)->word = true;
    for (int i = 0; i < x->n_args; ++i) visit(t, x->args[i], seen, depth);
}

/* x = x + 1 is no reason to keep x. */
static void count_set(tidy *t, const kf__ls *s) {
    for (int i = 0; i < s->target->n_args; ++i) visit(t, s->target->args[i], count_read, 0);
    name *own = s->target->kind == KF__L_VAR ? look_up(t, s->target->name) : NULL;
    uint32_t before = own ? own->reads : 0;
    visit(t, s->value, count_read, 0);
    if (own) own->reads = before;
}

static void count_reads(tidy *t, const kf__ls *s) {
    for (; s; s = s->next) {
        if (s->kind == KF__S_SET)
            count_set(t, s);
        else
            visit(t, s->value, count_read, 0);
        visit(t, s->from, count_read, 0);
        visit(t, s->to, count_read, 0);
        visit(t, s->step, count_read, 0);
        count_reads(t, s->body);
        count_reads(t, s->other);
    }
}

/* ---------------------------------------------------------------- backwards */

static bool is_needed(tidy *t, const kf__ls *s, int depth) {
    switch ((kf__ls_kind)s->kind) {
    case KF__S_LET:
    case KF__S_SHARED: return look_up(t, s->name)->used >> depth & 1;
    case KF__S_VAR:
        return look_up(t, s->name)->used >> depth & (s->count || look_up(t, s->name)->reads);
    case KF__S_SET: return s->target->kind != KF__L_VAR || look_up(t, s->target->name)->reads;
    case KF__S_FOR:
    case KF__S_HALVE:
    case KF__S_IF:
    case KF__S_BLOCK: return s->body || s->other;
    case KF__S_COMMENT:
    case KF__S_CALL: return true;
    }
    return true;
}

/* What a body used is used where it stands. */
static void leave(tidy *t, int depth) {
    for (uint32_t i = 0; i < t->size; ++i) {
        name *n = &t->names[i];
        if (n->used >> depth & 1) n->used = (n->used & ~((uint64_t)1 << depth)) |
                                            (uint64_t)1 << (depth - 1);
    }
}

static kf__ls *walk(tidy *t, kf__ls *first, int depth);

static void walk_body(tidy *t, kf__ls **body, const char *loop, int depth) {
    if (!*body) return;
    *body = walk(t, *body, depth + 1);
    if (loop) look_up(t, loop)->used &= ~((uint64_t)1 << (depth + 1));
    leave(t, depth + 1);
}

/* The statements from `first` on without those that aren't needed. */
static kf__ls *walk(tidy *t, kf__ls *first, int depth) {
    uint32_t n = 0;
    for (kf__ls *s = first; s; s = s->next) ++n;
    kf__ls **all = KF__NEW(t->L->arena, kf__ls *, n + 1);
    if (!all || depth > 62) {
        t->L->failed = true;
        return first;
    }
    n = 0;
    for (kf__ls *s = first; s; s = s->next) all[n++] = s;
    kf__ls *kept = NULL;
    while (n-- > 0) {
        kf__ls *s = all[n];
        walk_body(t, &s->other, NULL, depth);
        bool loop = s->kind == KF__S_FOR || s->kind == KF__S_HALVE;
        walk_body(t, &s->body, loop ? s->name : NULL, depth);
        bool needed = is_needed(t, s, depth);
        if (s->kind == KF__S_LET || s->kind == KF__S_VAR || s->kind == KF__S_SHARED)
            look_up(t, s->name)->used &= ~((uint64_t)1 << depth);
        if (!needed) {
            t->changed = true;
            continue;
        }
        const kf__lx *values[] = {s->target, s->value, s->from, s->to, s->step};
        for (size_t i = 0; i < KF__COUNT(values); ++i) visit(t, values[i], mark_used, depth);
        s->next = kept;
        kept = s;
    }
    return kept;
}

/* ---------------------------------------------------------------- a function */

static void drop_words(tidy *t, kf__loop_fn *fn) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < fn->n_words; ++w)
        if (look_up(t, fn->words[w].name)->word) fn->words[n++] = fn->words[w];
    fn->n_words = n;
}

void kf__low_tidy(kf__low *L, kf__loop_fn *fn) {
    tidy t = {.L = L, .size = 64};
    while (t.size < 8 * (count(fn->body) + fn->n_words)) t.size *= 2;
    t.names = KF__NEW(L->arena, name, t.size);
    if (!t.names) {
        L->failed = true;
        return;
    }
    do {
        memset(t.names, 0, t.size * sizeof *t.names);
        t.changed = false;
        count_reads(&t, fn->body);
        for (uint32_t i = 0; i < t.size; ++i) t.names[i].word = false;
        fn->body = walk(&t, fn->body, 0);
    } while (t.changed && !L->failed);
    drop_words(&t, fn);
}
