/* What the files that evaluate a syntax tree share. Every function that gives bool has said why in
 * ev->err when it gives false.
 *
 * Objects that are known (numbers, tuples, dtypes, sizes) are computed with here; arrays become
 * nodes. While ev->opaque, a composite of the library is being evaluated that the user called: its
 * nodes belong to that one call, and messages point at it.
 */
#ifndef KFUSE_PARSE_EVALUATE_H
#define KFUSE_PARSE_EVALUATE_H

#include "parse/builtin.h"

struct kf__evaluator {
    const kf_allocator *mem;
    kf__arena arena; /* tuples */
    kf_graph *g;
    kf_error *err; /* never NULL */
    const kf__def *def; /* being evaluated, with its variables */
    kf__object *frame;
    int depth, calls;
    uint32_t wanted; /* how many names take what the call that is next gives; 0: that isn't known */
    int64_t steps;
    uint32_t at; /* of the operator or call that is being evaluated, in def's module */
    bool opaque;
    const kf__module *outer; /* where the library was called */
    uint32_t outer_at;
    const char *outer_name;
    uint32_t placed; /* of the graph's constraints: have a place in the text */
    uint32_t sized;  /* of its nodes: sizes can't be negative, or a constraint asks for it */
};

enum { KF__MAX_TUPLE = 4096, KF__MAX_EVALUATION_DEPTH = 1500, KF__MAX_STEPS = 20000000 };

/* ---------------------------------------------------------------- evaluate.c */

bool kf__evaluate(kf__evaluator *ev, const kf__ast *node, kf__object *out);
/* What a tuple's or a call's part stands for: one value, or of `*` the items of a tuple. */
bool kf__evaluate_items(kf__evaluator *ev, const kf__ast *node, kf__object *value,
                        const kf__object **items, uint32_t *n);
/* Before what calls itself: counts a step and ev->depth, which is the caller's to take back. */
bool kf__deeper(kf__evaluator *ev);
bool kf__eval_fail(kf__evaluator *ev, kf_status status, const char *format, ...) KF__PRINTF(3, 4);
bool kf__eval_memory(kf__evaluator *ev);
/* A node that a maker gave: false where it is 0, with the graph's sentence. */
bool kf__eval_node(kf__evaluator *ev, kf__ref ref, kf__object *out);
/* The nodes that follow are one call of the user's, unless a composite is already. */
void kf__begin_call(kf__evaluator *ev, const char *name);
/* Eager numerics: what the user's call gave is rounded to its dtype. */
bool kf__round(kf__evaluator *ev, kf__object *object);

/* ---------------------------------------------------------------- object.c */

const char *kf__object_text(const kf__object *o); /* "a tuple" */
static inline bool kf__is_number(const kf__object *o) { /* a literal */
    return o->kind == KF__O_BOOL || o->kind == KF__O_INT || o->kind == KF__O_FLOAT;
}
static inline bool kf__is_numeric(const kf__object *o) {
    return kf__is_number(o) || o->kind == KF__O_SIZE || o->kind == KF__O_SCALAR ||
           o->kind == KF__O_ARRAY;
}
bool kf__to_node(kf__evaluator *ev, const kf__object *o, kf__ref *out);
/* Numbers that are needed now; what: "axis", for the message. */
bool kf__to_int(kf__evaluator *ev, const kf__object *o, const char *what, int64_t *out);
bool kf__to_bool(kf__evaluator *ev, const kf__object *o, const char *what, bool *out);
bool kf__to_size(kf__evaluator *ev, const kf__object *o, const char *what, kf__expr *out);
/* An integer, no bool: numpy.sum(x, True) isn't sum(x, 1): what is meant is another parameter. */
bool kf__to_axis(kf__evaluator *ev, const kf__object *o, const char *what, int64_t *out);
/* None: *n stays -1. An integer or a tuple of them. */
bool kf__to_ints(kf__evaluator *ev, const kf__object *o, const char *what, int64_t *out, int *n);
bool kf__to_shape(kf__evaluator *ev, const kf__object *o, kf__expr *out, int *rank);
/* An integer that is to be of a dtype: false where it doesn't fit. */
bool kf__ask_fits(kf__evaluator *ev, kf__dtype dtype, int64_t value);
/* The same of an integer or a size that an object is, of which planning asks; others fit. */
bool kf__ask_object_fits(kf__evaluator *ev, kf__dtype dtype, const kf__object *o);
bool kf__to_dtype(kf__evaluator *ev, const kf__object *o, kf__dtype *out);
kf__object kf__size_object(kf__evaluator *ev, kf__expr size); /* an INT where it is constant */
bool kf__tuple(kf__evaluator *ev, const kf__object *items, uint32_t n, kf__object *out);
/* The value now of a number or scalar, as a number; others are left as they are. */
kf__object kf__known(const kf__object *o);
/* A node of numbers that are given at run time, and the number that it is now: a SCALAR. */
void kf__keep_value(const kf__object *now, kf__object *node);
/* A size as a number in the graph. */
kf__ref kf__size_node(kf__evaluator *ev, kf__expr size);

/* Which of the names an attribute is; count: none. */
size_t kf__index_of(const char *const *names, size_t count, const char *name, uint32_t n);
/* finfo(dtype).eps and the like (limits.c). */
bool kf__dtype_attribute(kf__evaluator *ev, kf__dtype dtype, const char *name, uint32_t n,
                         kf__object *out);

/* ---------------------------------------------------------------- operator.c */

bool kf__binary(kf__evaluator *ev, kf__token_kind op, const kf__object *a, const kf__object *b,
                kf__object *out);
bool kf__unary(kf__evaluator *ev, kf__token_kind op, const kf__object *a, kf__object *out);

/* ---------------------------------------------------------------- annotation.c */

/* Of ev->def: fails where the argument in its slot isn't what it takes, and makes it real. */
bool kf__check_parameter(kf__evaluator *ev, const kf__param *param, kf__object *frame);

/* ---------------------------------------------------------------- arguments.c */

/* The parameters of whatever is called. */
typedef struct kf__signature {
    const char *name; /* of the function */
    const kf__def *def; /* or NULL: the builtin */
    const char *word[KF__MAX_PARAMETERS]; /* of a builtin */
    uint32_t length[KF__MAX_PARAMETERS];
    bool optional[KF__MAX_PARAMETERS];
    uint32_t n, rest; /* rest: the parameter that several arguments make; n: none */
} kf__signature;

void kf__read_signature(const kf__builtin *b, kf__signature *s);
/* s->n: there is none of that name */
uint32_t kf__find_parameter(const kf__signature *s, const char *name, uint32_t length);
/* Evaluate the arguments of a call into the places of their parameters. */
bool kf__bind_arguments(kf__evaluator *ev, const kf__signature *s, const kf__ast *node,
                        kf__object *to);

/* ---------------------------------------------------------------- into.c */

/* An argument in the dtype that dtype= asks for; is what came of it of that dtype? */
bool kf__in_dtype(kf__evaluator *ev, kf__dtype dtype, kf__object *o);
bool kf__is_in_dtype(kf__evaluator *ev, const char *name, kf__dtype dtype, const kf__object *o);
/* *o as what is written into out=, where= the mask holds (NULL: everywhere). */
bool kf__store_in(kf__evaluator *ev, const char *name, const kf__object *where,
                  const kf__object *to, kf__object *o);

/* ---------------------------------------------------------------- call.c, subscript.c */

bool kf__evaluate_call(kf__evaluator *ev, const kf__ast *node, kf__object *out);
/* `frame` has the arguments in the slots of the parameters; UNSET: the default. */
bool kf__call_def(kf__evaluator *ev, const kf__def *def, kf__object *frame, kf__object *out);
/* The user calls a composite of the library: one call from outside, until ev->opaque is cleared. */
void kf__enter_composite(kf__evaluator *ev, const kf__def *def);
bool kf__subscript(kf__evaluator *ev, const kf__ast *node, kf__object *out);
bool kf__attribute(kf__evaluator *ev, const kf__ast *node, kf__object *out);
bool kf__shape_of(kf__evaluator *ev, kf__ref ref, kf__object *out);
kf__ref kf__transposed(kf_graph *g, kf__ref a); /* all dims reversed */

#endif
