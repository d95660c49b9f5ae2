/* What the files that read text share: the reader's state and its helpers. */
#ifndef KFUSE_PARSE_READER_H
#define KFUSE_PARSE_READER_H

#include "parse/ast.h"

typedef struct kf__reader {
    kf_function *function;
    kf__arena *arena;
    const kf_allocator *mem;
    kf__lexer lexer;
    kf__token token; /* the next one, not taken yet */
    kf_error *err;   /* never NULL */
    int depth;
    uint32_t base_indent;
    /* the def that is being read */
    kf__def *def;
    bool constants_only; /* a default: no names */
    bool script;         /* unknown names are inputs */
    KF__VEC(kf__param) params;
    KF__VEC(kf__statement) statements;
    KF__VEC(char *) slots;
    uint32_t *table; /* name -> slot + 1, open addressing; size a power of two */
    uint32_t table_size;
} kf__reader;

static inline bool kf__reader_ok(const kf__reader *r) { return r->err->status == KF_OK; }

/* Fail at a place; NULL for returning. */
void *kf__reader_fail(kf__reader *r, kf_status status, uint32_t at, const char *format, ...)
    KF__PRINTF(4, 5);
void *kf__reader_memory(kf__reader *r);
void kf__take(kf__reader *r);
/* Take a token of that kind, or fail: "expected `)` after ...". */
bool kf__expect(kf__reader *r, kf__token_kind kind, const char *where);
kf__ast *kf__ast_new(kf__reader *r, kf__ast_kind kind, uint32_t at);
/* The slot of a name, made where `make`; UINT32_MAX where there is none (or out of memory). */
uint32_t kf__slot(kf__reader *r, const kf__token *name, bool make);
/* What can't stand here and what to write instead. Always fails. */
void *kf__reader_unexpected(kf__reader *r, const char *wanted);

static inline const char *kf__spelling(const kf__reader *r, const kf__token *t) {
    return r->lexer.module->text + t->at;
}
/* The operator of `+=` and the like; END: it is none of them. */
kf__token_kind kf__augmented(kf__token_kind set);
bool kf__token_is(const kf__reader *r, const kf__token *t, const char *word);

/* ---------------------------------------------------------------- names.c */

/* Names that stand for a value unless something else was given the name: inf, pi, f32, ... */
bool kf__constant_named(const char *name, size_t n, kf__object *out);
bool kf__constant_name(const kf__reader *r, const kf__token *t, kf__object *out);
/* What `np` and `torch` are names of; OURS: this is no module. */
kf__family kf__module_family(const kf__reader *r, const kf__token *t);
/* np.exp(x), torch.nn.functional.relu(x), np.pi: what stands behind the module's name. */
kf__ast *kf__read_of_module(kf__reader *r, const kf__token *module, kf__family family);

/* ---------------------------------------------------------------- literal.c, expression.c,
 *                                                                  statement.c */

kf__ast *kf__literal(kf__reader *r, uint32_t at, kf__object object);
kf__ast *kf__read_number(kf__reader *r);
kf__ast *kf__read_string(kf__reader *r);
/* A name that isn't called, where it has a slot: a variable; else a constant or, outside of defs, a
 * new input. */
kf__ast *kf__read_variable(kf__reader *r, const kf__token *name, uint32_t slot);
kf__ast *kf__read_call(kf__reader *r, const kf__token *name, kf__family family);
kf__ast *kf__read_expression(kf__reader *r);  /* no commas */
kf__ast *kf__read_expressions(kf__reader *r); /* a tuple where there are commas */
bool kf__read_annotation(kf__reader *r, kf__annotation *out);

#endif
