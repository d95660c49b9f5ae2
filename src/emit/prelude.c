/* See prelude.h. A definition is a piece of text (pieces.h) that makes names and refers to others.
 * KF_BASIC(f32, float, f) is replaced by the definitions that its macro makes of it, and an #if to
 * its #endif is one piece, with the names of all its branches.
 *
 *     names     kf_exp_f32  kf_fma_f32  ...                each with the definitions that make it
 *     pieces    [#define KF_FN ..] [KF_FN float kf_exp_f32(..) {..}] ...     in the text's order
 *     refers    of each piece: names
 *
 * What a source needs is then what can be reached from the names in it. */
#include "emit/prelude.h"

#include "base/embedded.h"
#include "emit/pieces.h"

typedef struct name {
    kf__token word;
    int32_t next;   /* of the same bucket; -1: none */
    int32_t makers; /* its first maker; -1: it isn't the prelude's */
} name;

typedef struct maker {
    uint32_t piece;
    int32_t next; /* of the same name; -1: none */
} maker;

typedef struct piece {
    kf__piece text;
    uint32_t refers, n_refers; /* in prelude->refers */
    bool always;               /* no name leads to it: #include, #pragma... */
} piece;

typedef struct macro {
    kf__macro text;
    uint32_t piece;
} macro;

enum { BUCKETS = 4096 };

struct kf__prelude {
    const kf_allocator *mem;
    kf__arena arena; /* expanded macros, which words point into */
    int32_t bucket[BUCKETS];
    KF__VEC(name) names;
    KF__VEC(maker) makers;
    KF__VEC(piece) pieces;
    KF__VEC(uint32_t) refers;
    KF__VEC(macro) macros;
    uint32_t reading; /* the piece that is being read */
    bool failed;      /* out of memory */
};

/* ---------------------------------------------------------------- names */

static uint32_t bucket_of(kf__token w) { return (uint32_t)(kf__hash(w.at, w.n, 0) % BUCKETS); }

static int32_t find(const kf__prelude *p, kf__token w) {
    int32_t i = p->bucket[bucket_of(w)];
    while (i >= 0 && (p->names.at[i].word.n != w.n || memcmp(p->names.at[i].word.at, w.at, w.n)))
        i = p->names.at[i].next;
    return i;
}

/* -1: out of memory. */
static int32_t intern(kf__prelude *p, kf__token w) {
    int32_t i = find(p, w);
    if (i >= 0) return i;
    int32_t *bucket = &p->bucket[bucket_of(w)];
    name fresh = {w, *bucket, -1};
    if (!KF__PUSH(p->mem, &p->names, fresh)) {
        p->failed = true;
        return -1;
    }
    return *bucket = (int32_t)p->names.n - 1;
}

/* The piece that is being read makes this name. */
static void make(void *user, kf__token w) {
    kf__prelude *p = user;
    int32_t i = intern(p, w);
    if (i < 0) return;
    maker fresh = {p->reading, p->names.at[i].makers};
    if (fresh.next >= 0 && p->makers.at[fresh.next].piece == p->reading) return;
    p->failed |= !KF__PUSH(p->mem, &p->makers, fresh);
    if (!p->failed) p->names.at[i].makers = (int32_t)p->makers.n - 1;
}

/* It refers to every word from c to end. */
static void refer(kf__prelude *p, const char *c, const char *end) {
    kf__token w = kf__next_token(c, end);
    for (; w.n && !p->failed; w = kf__next_token(w.at + w.n, end)) {
        int32_t i = intern(p, w);
        if (i < 0 || !KF__PUSH(p->mem, &p->refers, (uint32_t)i)) p->failed = true;
    }
}

/* ---------------------------------------------------------------- reading */

static void read_names(kf__prelude *p, const kf__piece *text);

/* The names of all pieces from c to end, as those of the one that is being read. */
static void read_parts(kf__prelude *p, const char *c, const char *end) {
    for (kf__piece part; !p->failed && kf__next_piece(c, end, &part); c = part.end)
        read_names(p, &part);
}

static void read_define(kf__prelude *p, const kf__piece *text) {
    macro m = {kf__macro_of(text), p->reading};
    make(p, m.text.name);
    p->failed |= !KF__PUSH(p->mem, &p->macros, m);
    /* What the system's headers look for, as _GNU_SOURCE. */
    if (m.text.name.n && m.text.name.at[0] == '_') p->pieces.at[p->reading].always = true;
}

/* The macro that `text` invokes, from the i-th on; NULL: there is none. An alias (#define A B)
 * stands for another. */
static const macro *find_macro(const kf__prelude *p, const kf__piece *text, uint32_t i) {
    kf__token called = kf__token_at(text->core, text->end);
    for (; i < p->macros.n; i++) {
        const macro *m = &p->macros.at[i];
        if (m->text.name.n != called.n || memcmp(m->text.name.at, called.at, called.n)) continue;
        if (m->text.parameters) return m;
        called = kf__next_token(m->text.body, m->text.end);
        i = (uint32_t)-1;
    }
    return NULL;
}

/* What the macro makes of the invocation, in the arena; NULL: out of memory. */
static char *expand(kf__prelude *p, const macro *m, const kf__piece *invoked, size_t *n) {
    kf__text text;
    kf__text_init(&text, p->mem);
    kf__expand_macro(&m->text, invoked->core, invoked->end, &text);
    char *kept = text.failed ? NULL : kf__arena_string(&p->arena, text.n ? text.at : "", text.n);
    *n = text.n;
    kf__text_free(&text);
    p->failed |= !kept;
    return kept;
}

/* Of a macro that the branches of an #if define differently: the names of all. */
static void read_invoked(kf__prelude *p, const kf__piece *text) {
    const macro *m = find_macro(p, text, 0);
    while (m && !p->failed) {
        uint32_t i = (uint32_t)(m - p->macros.at);
        size_t n;
        char *made = expand(p, m, text, &n);
        if (!made) return;
        refer(p, made, made + n);
        read_parts(p, made, made + n);
        m = find_macro(p, text, i + 1);
    }
}

static void read_names(kf__prelude *p, const kf__piece *text) {
    switch (text->kind) {
    case KF__DIRECTIVE: {
        kf__token w = kf__next_token(text->core, text->end);
        if (kf__token_is(w, "include") || kf__token_is(w, "pragma") || kf__token_is(w, "undef"))
            p->pieces.at[p->reading].always = true;
        break;
    }
    case KF__DEFINE: read_define(p, text); break;
    case KF__REGION: {
        const char *c = text->core;
        while (c < text->end && *c != '\n') ++c;
        read_parts(p, c, text->end);
        break;
    }
    case KF__INVOKED: read_invoked(p, text); break;
    case KF__CODE: kf__defined_names(text, make, p); break;
    }
}

static void read_piece(kf__prelude *p, const kf__piece *text) {
    piece fresh = {*text, p->refers.n, 0, false};
    if (!KF__PUSH(p->mem, &p->pieces, fresh)) {
        p->failed = true;
        return;
    }
    uint32_t i = p->reading = p->pieces.n - 1;
    refer(p, text->core, text->end);
    read_names(p, text);
    p->pieces.at[i].n_refers = p->refers.n - fresh.refers;
}

/* An invocation is replaced by what its macro makes of it, piece by piece, unless an #if decides
 * what that is. */
static void read_pieces(kf__prelude *p, const char *c, const char *end) {
    for (kf__piece text; !p->failed && kf__next_piece(c, end, &text); c = text.end) {
        const macro *m = text.kind == KF__INVOKED ? find_macro(p, &text, 0) : NULL;
        if (!m || p->pieces.at[m->piece].text.kind != KF__DEFINE) {
            read_piece(p, &text);
            continue;
        }
        size_t n;
        char *made = expand(p, m, &text, &n);
        if (made) read_pieces(p, made, made + n);
    }
}

/* In a macro that expressions use, KF_ZIP##n means every name that begins so. */
static void refer_to_pasted(kf__prelude *p, const macro *m) {
    piece *owner = &p->pieces.at[m->piece];
    if (owner->text.kind != KF__DEFINE) return;
    uint32_t first = p->refers.n;
    for (uint32_t r = 0; r < owner->n_refers && !p->failed; r++)
        p->failed |= !KF__PUSH(p->mem, &p->refers, p->refers.at[owner->refers + r]);
    kf__token w = kf__next_token(m->text.body, m->text.end);
    for (; w.n; w = kf__next_token(w.at + w.n, m->text.end))
        for (uint32_t i = 0; w.at[w.n] == '#' && i < p->names.n && !p->failed; i++)
            if (p->names.at[i].word.n > w.n && !memcmp(p->names.at[i].word.at, w.at, w.n))
                p->failed |= !KF__PUSH(p->mem, &p->refers, i);
    owner->refers = first;
    owner->n_refers = p->refers.n - first;
}

kf__prelude *kf__prelude_read(const kf_allocator *mem, const char *const *files) {
    kf__prelude *p = kf__allocate(mem, sizeof *p);
    if (!p) return NULL;
    *p = (kf__prelude){.mem = mem};
    kf__arena_init(&p->arena, mem);
    for (int i = 0; i < BUCKETS; i++) p->bucket[i] = -1;
    for (; *files && !p->failed; ++files) {
        const struct kf__embedded *file = kf__embedded_find(*files);
        read_pieces(p, file->text, file->text + file->size);
    }
    for (uint32_t i = 0; i < p->macros.n && !p->failed; i++)
        refer_to_pasted(p, &p->macros.at[i]);
    if (!p->failed) return p;
    kf__prelude_free(p);
    return NULL;
}

void kf__prelude_free(kf__prelude *p) {
    if (!p) return;
    KF__VEC_FREE(p->mem, &p->names);
    KF__VEC_FREE(p->mem, &p->makers);
    KF__VEC_FREE(p->mem, &p->pieces);
    KF__VEC_FREE(p->mem, &p->refers);
    KF__VEC_FREE(p->mem, &p->macros);
    kf__arena_free(&p->arena);
    kf__release(p->mem, p);
}

/* ---------------------------------------------------------------- what a source needs */

typedef struct search {
    const kf__prelude *p;
    bool *needed;     /* of each piece */
    uint32_t *queue;  /* needed pieces */
    uint32_t n;
} search;

static void need(search *s, int32_t named) {
    if (named < 0) return;
    int32_t m = s->p->names.at[named].makers;
    for (; m >= 0; m = s->p->makers.at[m].next) {
        uint32_t i = s->p->makers.at[m].piece;
        if (!s->needed[i]) s->needed[i] = true, s->queue[s->n++] = i;
    }
}

static void need_all(search *s, const char *c, const char *end) {
    for (uint32_t i = 0; i < s->p->pieces.n; i++)
        if (s->p->pieces.at[i].always) s->needed[i] = true, s->queue[s->n++] = i;
    kf__token w = kf__next_token(c, end);
    for (; w.n; w = kf__next_token(w.at + w.n, end)) need(s, find(s->p, w));
    for (uint32_t done = 0; done < s->n; done++) {
        const piece *at = &s->p->pieces.at[s->queue[done]];
        for (uint32_t r = 0; r < at->n_refers; r++)
            need(s, (int32_t)s->p->refers.at[at->refers + r]);
    }
}

kf_status kf__prelude_print(const kf__prelude *p, const char *code, size_t n, kf__text *out) {
    kf__arena scratch;
    kf__arena_init(&scratch, p->mem);
    search s = {p, KF__NEW(&scratch, bool, p->pieces.n + 1),
                KF__NEW(&scratch, uint32_t, p->pieces.n + 1), 0};
    if (!s.needed || !s.queue) {
        kf__arena_free(&scratch);
        return KF_ERR_MEMORY;
    }
    need_all(&s, code, code + n);
    bool was_tall = false; /* the piece before has several lines: an empty one sets it off */
    for (uint32_t i = 0; i < p->pieces.n; i++) {
        const kf__piece *text = &p->pieces.at[i].text;
        size_t size = (size_t)(text->end - text->begin);
        if (!s.needed[i]) continue;
        bool tall = memchr(text->begin, '\n', size) != NULL;
        if ((tall || was_tall) && out->n) kf__print_bytes(out, "\n", 1);
        was_tall = tall;
        kf__print_bytes(out, text->begin, size);
        kf__print_bytes(out, "\n", 1);
    }
    kf__arena_free(&scratch);
    return out->failed ? KF_ERR_MEMORY : KF_OK;
}
