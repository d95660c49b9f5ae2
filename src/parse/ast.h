/* The syntax tree, and what its expressions stand for.
 *
 * Names are resolved while the text is read (there are no loops, so text order is the order of
 * evaluation): a name is a slot of its def's frame. Calls are resolved when all of the text is
 * known. A chain of operators of one precedence, `a + b - c + ...`, is one node however long it is,
 * so the depth of a tree is what the text nests, and that is limited.
 */
#ifndef KFUSE_PARSE_AST_H
#define KFUSE_PARSE_AST_H

#include "parse/lex.h"
#include "parse/parse.h"

/* ---------------------------------------------------------------- objects */

typedef enum kf__object_kind {
    KF__O_UNSET, KF__O_NONE, KF__O_BOOL, KF__O_INT, KF__O_FLOAT, KF__O_DTYPE, KF__O_STRING,
    KF__O_TUPLE, KF__O_ELLIPSIS,
    KF__O_SIZE,   /* an integer known when planned */
    KF__O_SCALAR, /* a number given at run time; its value now, for structural uses */
    KF__O_ARRAY,
} kf__object_kind;

/* What an expression gives. */
typedef struct kf__object {
    uint8_t kind;
    uint8_t dtype; /* DTYPE; SCALAR: F64, I64 or BOOL */
    bool joined;   /* TUPLE, while arguments are bound: made of several */
    bool list;     /* TUPLE: written with square brackets */
    bool left_out; /* NONE, of a builtin's argument: it wasn't given */
    uint32_t n;    /* of items or text */
    kf__ref ref;   /* SCALAR, ARRAY */
    union {
        int64_t integer; /* BOOL, INT, SCALAR */
        double number;   /* FLOAT, SCALAR of F64 */
        const struct kf__object *items;
        const char *text;
        kf__expr size;
    };
} kf__object;

/* ---------------------------------------------------------------- the tree */

typedef struct kf__ast kf__ast;
typedef struct kf__def kf__def;
typedef struct kf__builtin kf__builtin;

typedef enum kf__ast_kind {
    KF__A_LITERAL,
    KF__A_NAME,      /* slot */
    KF__A_CHAIN,     /* part[0], then op and part[i], applied from the left */
    KF__A_COMPARE,   /* a < b <= c: the same, but all of (a < b), (b <= c) */
    KF__A_UNARY,     /* op, part[0] */
    KF__A_CHOICE,    /* part[0] if part[1] else part[2] */
    KF__A_CALL,      /* name, parts: the arguments, with names where they are keywords */
    KF__A_INDEX,     /* part[0][part[1], ...] */
    KF__A_SLICE,     /* part[0]:part[1]:part[2], NULL where left out; only inside an INDEX */
    KF__A_ATTRIBUTE, /* part[0].name */
    KF__A_TUPLE,
    KF__A_STAR,      /* *part[0]: the items of a tuple; only among a TUPLE's and a CALL's parts */
} kf__ast_kind;

typedef struct kf__part {
    kf__ast *node;
    uint32_t at;          /* of the operator or keyword before it */
    uint8_t op;           /* kf__token_kind */
    uint32_t name, name_n; /* keyword, in the module's text; name_n 0: none */
} kf__part;

/* Whose name is called: exp, np.exp, torch.exp, scipy.special.expit. */
typedef enum kf__family {
    KF__OURS, KF__NUMPY, KF__TORCH, KF__SCIPY, KF__LINALG, KF__METHOD, KF__FAMILIES
} kf__family;
/* What a def of the library begins with that is but one family's: "_torch_"; of ours "". */
extern const char *const kf__family_prefix[KF__FAMILIES];

struct kf__ast {
    uint8_t kind, op;
    bool closed;    /* in parentheses of its own */
    uint8_t family; /* CALL: kf__family */
    uint32_t at; /* where messages about it point */
    uint32_t n, capacity;
    kf__part *part;
    uint32_t name, name_n; /* CALL, ATTRIBUTE, NAME: in the module's text */
    union {
        kf__object literal;
        uint32_t slot;
        struct {
            const kf__def *def; /* one of the two, once resolved */
            const kf__builtin *builtin;
            kf__ast *next_call; /* of the same def */
        } call;
    };
};

/* ---------------------------------------------------------------- defs */

/* `x: f16[B, 3]` */
typedef enum kf__annotated {
    KF__ANNOTATED_ARRAY, KF__ANNOTATED_FLOAT, KF__ANNOTATED_INT, KF__ANNOTATED_TUPLE,
    KF__ANNOTATED_STRING,
    KF__ANNOTATED_REAL, /* an array, of integers and bools as float32; or a number */
} kf__annotated;

typedef struct kf__annotation {
    bool present, any_dtype, sizes; /* sizes: rank and size are meaningful */
    uint8_t kind;                   /* kf__annotated */
    kf__dtype dtype;
    int rank;
    struct {
        uint32_t name, name_n; /* name_n 0: the number */
        uint32_t slot;         /* of the name */
        int64_t number;
    } size[KF__MAX_ARRAY_RANK];
    uint32_t at;
} kf__annotation;

typedef struct kf__param {
    uint32_t name, name_n; /* in the module's text */
    uint32_t at, slot;
    bool rest;         /* of the library, `*shape`: several arguments by position are one tuple */
    kf__ast *fallback; /* the default; NULL: none */
    kf__annotation annotation;
} kf__param;

typedef struct kf__statement {
    uint32_t n_targets; /* 0: only evaluated (for its errors) */
    bool unpack;        /* `a, = t` too */
    uint32_t *target;   /* slots */
    kf__ast *value;
    uint32_t at;
} kf__statement;

typedef KF__VEC(kf__param) kf__params;
typedef KF__VEC(kf__statement) kf__statements;

/* A def, or the text itself where it is an expression or assignments. */
struct kf__def {
    const kf__module *module;
    char *name; /* "" for the text itself */
    uint32_t at;
    bool library;
    uint32_t n_params, n_statements, n_slots;
    kf__param *params;
    kf__statement *statements;
    char **slots;  /* names */
    kf__ast *result;
    kf__ast *calls; /* in a list */
    kf__def *next;  /* of the function's list */
    /* while calls are resolved and cycles looked for */
    uint8_t state;
    kf__ast *cursor;
    kf__def *from;
};

struct kf_function {
    const kf_allocator *mem;
    kf__arena arena;
    kf__module text;
    kf__def *defs; /* of the text and what they need of the library */
    kf__def *main;
    bool fixed_inputs; /* main is a def */
};

/* A growing list of parts in an arena. */
bool kf__ast_push(kf__arena *arena, kf__ast *node, kf__part part);

/* ---------------------------------------------------------------- reading */

/* Read `module` from `begin` to `end` and add its defs to the function's list; what stands outside
 * of defs becomes a def without a name, last in *script (NULL where there is nothing). `list_at` is
 * where defs are appended. */
kf_status kf__read(kf_function *f, const kf__module *module, uint32_t begin, uint32_t end,
                   kf__def ***list_at, kf__def **script, kf_error *err);

/* ---------------------------------------------------------------- the library */

bool kf__library_find(const char *name, size_t n, kf__library_place *place);
/* A walk over the defs of all files, from a place of zeros on: false behind the last. *place's
 * begin is at "def". */
bool kf__library_next(kf__library_place *place, const char **name, size_t *n);

#endif
