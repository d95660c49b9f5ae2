/* The parse room: text -> kf_function -> kf_graph.
 *
 *   text --kf__parse--> kf_function      a syntax tree: any dtype, any rank; immutable, so threads
 *                                        may share it
 *   kf_function + specs --kf__instantiate--> kf_graph      the tree is evaluated: numbers, tuples,
 *                                        dtypes and sizes here and now, arrays into nodes
 */
#ifndef KFUSE_PARSE_PARSE_H
#define KFUSE_PARSE_PARSE_H

#include "ir/graph.h"

enum { KF__MAX_NESTING = 256 };

/* The allocator that a context was made with (the run room). */
const kf_allocator *kf__context_allocator(const kf_context *ctx);

/* What kf_parse and kf_graph_create do, without a context. mem must outlive what is made. A name
 * that `text` has no def for is looked for in the library of composites and among the operations. */
kf_status kf__parse(const kf_allocator *mem, const char *text, const char *name,
                    kf_function **out, kf_error *err);
kf_status kf__instantiate(const kf_allocator *mem, const kf_function *function, int n_specs,
                          const kf_spec *specs, kf_numerics numerics, kf_graph **out,
                          kf_error *err);

/* The input that an argument is for; of what the library has also by NumPy's and PyTorch's names of
 * its parameters. -1: none. */
int kf__input_named(const kf_function *f, const char *name, size_t n);
/* What may be given to an input that is no array: "f16", "'(3, 4)'". NULL: arrays may. */
const char *kf__input_example(const kf_function *f, int i);
/* The def that a function is; "": the text's lines outside of defs. */
const char *kf__function_name(const kf_function *f);

/* Of a graph made for KF_EAGER: halves that aren't rounded are f32 from here on (eager.c). The
 * graph is replaced; on failure it stays. */
kf_status kf__make_explicit(kf_graph **graph, kf_error *err);

/* Where a def stands in the embedded files. */
typedef struct kf__library_place {
    const struct kf__embedded *in;
    const char *file, *text;
    uint32_t n;          /* of the file's text */
    uint32_t begin, end; /* of the def */
} kf__library_place;

/* Everything that can be called, for `kfuse ops`: one after the other from {0} on, false behind the
 * last. */
typedef struct kf__callable {
    const char *kind; /* "elementwise", "reduction", "view", "other", "composite" */
    char name[40], signature[320], doc[480];
    size_t builtins;         /* how many of them have been */
    kf__library_place place; /* where the walk is */
} kf__callable;
bool kf__callable_next(kf__callable *c);
/* What `name` is another name of; NULL: nothing. The i-th other name of `name`; NULL behind
 * them. */
const char *kf__alias_of(const char *name);
/* "F.relu" is `relu`, which points into `name`, and "torch.var" `_torch_var`, which is written to
 * `own`. NULL: it isn't the name of a module's function. */
enum { KF__OWN_NAME = 80 };
const char *kf__name_of_module(const char *name, char *own);
const char *kf__other_name(const char *name, size_t i);
/* The text of a composite, comment included, and the file it is in; false: it is none. */
bool kf__composite_source(const char *name, kf__text *out, const char **file);

#endif
