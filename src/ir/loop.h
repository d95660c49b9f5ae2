/* The loop IR: what a kernel does, statement by statement, for either dialect.
 *
 * A function has parameters (one struct of 8-byte words), local variables and a body of structured
 * statements. Expressions are small: index arithmetic, and calls of prelude functions on variables;
 * values of the graph are one statement each, `float v3 = kf_max_f32(v1, 0.0f);`. The lowering for
 * a target makes the nest and binds loops to hardware:
 *
 *     SERIAL  an ordinary loop          SIMD    the C dialect's vector loop
 *     UNROLL  unrolled over registers
 *
 * Grid, block and thread are ordinary variables, set from kf_block() and so on (CUDA) or from the
 * range loop over [begin, end) that the emitter's C signature provides.
 */
#ifndef KFUSE_IR_LOOP_H
#define KFUSE_IR_LOOP_H

#include "ir/kernel.h"

/* ---------------------------------------------------------------- expressions */

typedef enum kf__lx_kind {
    KF__L_VAR,    /* name */
    KF__L_INT,    /* integer, of the dtype `type` */
    KF__L_FLOAT,  /* number of the dtype `type`; inf and nan allowed */
    KF__L_PARAM,  /* a field of the argument struct: name */
    KF__L_BINARY, /* name: + - * / % < <= > >= == != && || & */
    KF__L_CALL,   /* name(args); T in the name stands for the suffix of `type` */
    KF__L_ITEM,   /* name[args[0]] */
    KF__L_CODE,   /* name: a template; formals: the words that args replace; `type` is T */
    KF__L_SELECT, /* args[0] ? args[1] : args[2] */
} kf__lx_kind;

typedef struct kf__lx kf__lx;
struct kf__lx {
    uint8_t kind, type; /* type: kf__dtype, for FLOAT, INT of a value, and CODE */
    uint8_t n_args;
    const char *name;
    const char *formals; /* CODE: "a b c", one word for each argument */
    int64_t integer;
    double number;
    const kf__lx *args[6];
};

/* ---------------------------------------------------------------- statements */

typedef enum kf__ls_kind {
    KF__S_COMMENT, /* text */
    KF__S_LET,     /* const ctype name = value */
    KF__S_VAR,     /* ctype name [count] (= value, for scalars) */
    KF__S_SET,     /* target = value */
    KF__S_CALL,    /* value, a call */
    KF__S_FOR,     /* for (ctype name = from; name < to; name += step) body; bind */
    KF__S_HALVE,   /* for (int name = from; name > 0; name /= 2) body: butterflies, trees */
    KF__S_IF,      /* if (value) body else other */
    KF__S_SHARED,  /* shared array: ctype name[count] */
    KF__S_BLOCK,   /* { body } */
} kf__ls_kind;

typedef enum kf__bind { KF__SERIAL, KF__SIMD, KF__UNROLL } kf__bind;

typedef struct kf__ls kf__ls;
struct kf__ls {
    uint8_t kind, bind;
    const char *ctype, *name;
    const char *comment; /* printed behind the statement */
    const kf__lx *target, *value, *from, *to, *step;
    int64_t count; /* of array items; 0: a scalar */
    kf__ls *body, *other; /* first statements */
    kf__ls *next;
};

/* ---------------------------------------------------------------- functions and launches */

typedef enum kf__word_kind {
    KF__W_INPUT,   /* address of program input `index` + offset bytes */
    KF__W_RESULT,
    KF__W_TEMP,    /* address in the workspace: value `index` + offset bytes */
    KF__W_PARTIAL, /* address in the kernel's own scratch + offset bytes */
    KF__W_SCALAR,  /* input `index`, f64 or i64 */
    KF__W_INT,     /* number known to the plan */
    KF__W_ALIGNED, /* 1 if the addresses in bit mask `number` are all 16-byte aligned, else 0; bit
                    * k: the k-th word that is an address */
} kf__word_kind;

typedef struct kf__word { /* one 8-byte field of the argument struct */
    uint8_t kind;
    const char *ctype, *name; /* "const float *", "x" */
    uint32_t index;
    int64_t number; /* INT: the value; addresses: offset in bytes */
    bool apart;     /* an address that no flag but its own is about */
} kf__word;

typedef struct kf__loop_fn {
    const char *name; /* C identifier, unique in its source */
    const char *doc;  /* the comment before it, lines without a comment mark */
    uint32_t n_words;
    kf__word *words;
    kf__ls *body;
    /* geometry, from actual sizes; nothing of it is in the text except threads */
    int64_t units, grain; /* CPU: range [0, units) in multiples of grain */
    int64_t work_bytes;   /* bytes that it moves: how many threads are worth it */
    int64_t grid;         /* CUDA: blocks */
    int threads;          /* CUDA: of a block, at most; in the text */
    int launched;         /* of these so many are launched; 0: all */
    int cluster;          /* CUDA: blocks of a cluster, 1: none; in the text */
    bool jumps;           /* CPU: faster by jumps, see KF_JUMPS; in the text */
} kf__loop_fn;

static inline bool kf__is_address(const kf__word *w) { return w->kind <= KF__W_PARTIAL; }

/* Is a KF__W_ALIGNED about this address? */
static inline bool kf__is_about(const kf__loop_fn *fn, const kf__word *flag, uint32_t word) {
    uint32_t k = 0;
    for (uint32_t w = 0; w < word; ++w) k += kf__is_address(&fn->words[w]);
    return kf__is_address(&fn->words[word]) && k < 63 && flag->number >> k & 1;
}

static inline int kf__launched(const kf__loop_fn *fn) {
    return fn->launched ? fn->launched : fn->threads;
}

/* One kernel lowered for one layout. */
typedef struct kf__lowered {
    uint32_t n_fns;
    kf__loop_fn *fns; /* launched one after another */
    int64_t scratch;  /* bytes of partials */
} kf__lowered;

void kf__loop_print(const kf__loop_fn *fn, kf__text *text); /* for dumps */
kf_status kf__loop_verify(const kf__loop_fn *fn, kf_error *err);

/* ---------------------------------------------------------------- layout: what the plan knows */

typedef enum kf__target_kind { KF__TARGET_C, KF__TARGET_CUDA, KF__TARGET_EMULATED } kf__target_kind;
enum { KF__TARGET_KINDS = KF__TARGET_EMULATED + 1 };

typedef struct kf__target {
    kf__target_kind kind;
    int cpu_level; /* x86-64-v2, 3, 4; 1: baseline of any machine */
    int sm;        /* 75, 80, 90, 120 */
    int sms;       /* multiprocessors; only for geometry */
    int64_t cache_bytes; /* last-level cache; only for geometry */
    int64_t core_bytes;  /* CPU: cache of a core alone, 0: not known; only for geometry */
    int64_t thread_bytes; /* CPU: less isn't worth a thread, 0: there is one; only for geometry */
    bool amd;            /* CPU: AMD made it, whose prefetch is another; only for geometry */
    bool streams;        /* results of any size go past the caches, for tests; only for geometry */
} kf__target;

/* Sizes of names, and for each program value its strides in elements. */
typedef struct kf__layout {
    const int64_t *names;              /* [graph names] */
    const int64_t (*strides)[KF__MAX_RANK]; /* [n_values] */
} kf__layout;

#endif
