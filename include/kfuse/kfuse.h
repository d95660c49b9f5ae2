/* kfuse: fused kernels from a line of text.
 *
 *     kf_context *ctx = kf_context_create(NULL, &err);
 *     kf_array x = ..., out = {0};
 *     kf_eval(ctx, "exp(x * 2)", 1, &x, 1, &out, &err);
 *     ...
 *     kf_array_free(ctx, &out);
 *     kf_context_free(ctx);
 *
 * The header is ordered by need: Simple (one call), Explicit (parse, compile, plan, run: each step
 * once, so that the last one does nothing but launch), Advanced (allocator, threads, log, source).
 *
 * Every function that can fail returns a kf_status, and where `err` isn't NULL writes a sentence
 * and, for text, its line and column there. Nothing here prints, exits or aborts. Freeing NULL is
 * fine; NULL where something is needed is KF_ERR_ARGUMENT, and functions that only say something
 * about it give 0 or NULL. Unless a function says otherwise, what it is given isn't kept after it
 * returns.
 * Option structs begin with `size_t struct_size`; all other fields zero means the defaults.
 */
#ifndef KFUSE_KFUSE_H
#define KFUSE_KFUSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KF_VERSION "0.1.0"

#if defined(__GNUC__)
#define KF_API __attribute__((visibility("default")))
#else
#define KF_API
#endif

/* ---------------------------------------------------------------- status and errors */

typedef enum kf_status {
#define KF_STATUS(id, value, sentence) id = value,
#include <kfuse/status.def>
#undef KF_STATUS
} kf_status;

typedef struct kf_error {
    kf_status status;
    int line, column;  /* place in the text, from 1; 0 where there is none */
    char message[1000]; /* one sentence or more, UTF-8, ends with 0 */
} kf_error;

/* The sentence that stands for a status. Static, never NULL. */
KF_API const char *kf_status_text(kf_status status);

/* ---------------------------------------------------------------- arrays (DLPack's DLTensor) */

typedef struct kf_device {
    int32_t type; /* KF_CPU or KF_CUDA (DLDeviceType) */
    int32_t id;
} kf_device;

enum { KF_CPU = 1, KF_CUDA = 2, KF_CUDA_EMULATED = 0x4b46 /* CUDA source on the CPU: for tests */ };

typedef struct kf_dtype {
    uint8_t code; /* DLDataTypeCode: 0 int, 1 uint, 2 float, 4 bfloat, 6 bool,
                   * 10 float8_e4m3fn, 12 float8_e5m2 */
    uint8_t bits;
    uint16_t lanes; /* 1 */
} kf_dtype;

static const kf_dtype KF_F64 = {2, 64, 1}, KF_F32 = {2, 32, 1}, KF_F16 = {2, 16, 1},
                      KF_BF16 = {4, 16, 1}, KF_I64 = {0, 64, 1}, KF_I32 = {0, 32, 1},
                      KF_I16 = {0, 16, 1}, KF_I8 = {0, 8, 1}, KF_U8 = {1, 8, 1},
                      KF_BOOL = {6, 8, 1}, KF_F8E4M3 = {10, 8, 1}, KF_F8E5M2 = {12, 8, 1};

/* Same layout as DLTensor. `strides` count elements; NULL means row-major. The first element is at
 * data + byte_offset. */
typedef struct kf_array {
    void *data;
    kf_device device;
    int32_t ndim; /* 0 to 8 */
    kf_dtype dtype;
    int64_t *shape;   /* [ndim] */
    int64_t *strides; /* [ndim] or NULL */
    uint64_t byte_offset;
} kf_array;

typedef struct kf_context kf_context;   /* devices, caches, threads; one a process is enough */
typedef struct kf_function kf_function; /* parsed text: any dtype and rank */
typedef struct kf_graph kf_graph;       /* dtypes, ranks and named sizes fixed */
typedef struct kf_program kf_program;   /* its partition into kernels, fixed */
typedef struct kf_plan kf_plan;         /* shapes and strides fixed, kernels loaded */

typedef struct kf_context_options kf_context_options;

/* NULL options: defaults. All contexts share the process's discovery of processors and libraries.
 * A context may be used by several threads at once. */
KF_API kf_context *kf_context_create(const kf_context_options *options, kf_error *err);
KF_API void kf_context_free(kf_context *ctx);

/* ================================================================ Simple */

/* Evaluate `text` over `inputs`, in the order of their first appearance in the text (a single
 * `def`: its parameters), on the device that the inputs are on, and wait for the results. Programs
 * and plans are kept in the context, so the second call with the same text and layouts only runs.
 * A result with data NULL is made by the library, row-major, on that device, and freed with
 * kf_array_free; its other fields are ignored. A result with data is written in place and must have
 * the right shape and dtype. */
KF_API kf_status kf_eval(kf_context *ctx, const char *text, int n_inputs, const kf_array *inputs,
                         int n_results, kf_array *results, kf_error *err);

/* Free what the library allocated in `array` and clear it. Only for arrays that the library
 * made. */
KF_API void kf_array_free(kf_context *ctx, kf_array *array);

/* Make a row-major array of unset elements. */
KF_API kf_status kf_array_create(kf_context *ctx, kf_device device, kf_dtype dtype, int ndim,
                                 const int64_t *shape, kf_array *array, kf_error *err);

/* Copy between arrays of the same shape and dtype, both row-major, any devices; waits. */
KF_API kf_status kf_array_copy(kf_context *ctx, const kf_array *from, kf_array *to, kf_error *err);

/* ================================================================ Explicit */

/* Parse an expression, assignments, or a file's worth of `def`s; `name` picks a def (NULL: the
 * last; one that the text doesn't have: a composite or operation of the library, so that "" with
 * "softmax" is softmax). `text` isn't kept. Free with kf_function_free. */
KF_API kf_status kf_parse(kf_context *ctx, const char *text, const char *name, kf_function **out,
                          kf_error *err);
KF_API void kf_function_free(kf_function *function);

KF_API int kf_function_input_count(const kf_function *function);
/* Name of input i; owned by the function. */
KF_API const char *kf_function_input_name(const kf_function *function, int i);
/* Whether input i has a default, so that its spec may be KF_SPEC_DEFAULT. */
KF_API int kf_function_input_optional(const kf_function *function, int i);

/* What one input will be. Zero is: an array of rank `ndim` whose sizes are run-time values. */
typedef enum kf_spec_kind {
    KF_SPEC_ARRAY,   /* dtype, ndim; shape where known */
    KF_SPEC_FLOAT,   /* a number passed by value at each run, as f64; `number` is its value now */
    KF_SPEC_INT,     /* the same as i64; `integer` is its value now */
    KF_SPEC_DEFAULT, /* left out: the def's default */
} kf_spec_kind;

typedef struct kf_spec {
    kf_spec_kind kind;
    kf_dtype dtype;
    int32_t ndim;
    const int64_t *shape; /* [ndim] or NULL. Only a size of exactly 1 is looked at: it broadcasts */
    double number;        /* becomes part of the graph only where it is used structurally
                           * (axis...) */
    int64_t integer;
} kf_spec;

typedef enum kf_numerics { KF_FUSED = 0, KF_EAGER = 1 } kf_numerics;

/* One spec for each of the function's inputs. Free with kf_graph_free; the function may go
 * first. */
KF_API kf_status kf_graph_create(kf_context *ctx, const kf_function *function, int n_specs,
                                 const kf_spec *specs, kf_numerics numerics, kf_graph **out,
                                 kf_error *err);
KF_API void kf_graph_free(kf_graph *graph);
KF_API int kf_graph_result_count(const kf_graph *graph);
KF_API const char *kf_graph_result_name(const kf_graph *graph, int i);

typedef enum kf_fusion {
    KF_FUSION_ON = 0,
    KF_FUSION_OFF = 1, /* one kernel an operator or library call as the user wrote it */
    KF_FUSION_OPS = 2, /* one kernel a primitive operation */
} kf_fusion;

typedef struct kf_compile_options {
    size_t struct_size;
    kf_device device; /* type 0: the CPU */
    kf_fusion fusion;
} kf_compile_options;

/* Partition the graph into kernels. The program keeps what it needs: the graph may be freed. */
KF_API kf_status kf_compile(kf_context *ctx, const kf_graph *graph,
                            const kf_compile_options *options, kf_program **out, kf_error *err);
KF_API void kf_program_free(kf_program *program);

/* Fix shapes and strides (data pointers aren't looked at), compile and load whatever kernel is
 * missing. Inputs that are numbers have an entry too, ignored. `results` NULL: row-major ones.
 * The program must outlive the plan. Immutable: many threads may run one plan. */
KF_API kf_status kf_plan_for(kf_program *program, int n_inputs, const kf_array *inputs,
                             int n_results, const kf_array *results, kf_plan **out, kf_error *err);
KF_API void kf_plan_free(kf_plan *plan);

/* Bytes of workspace that a run needs, 256-byte aligned; contents undefined on entry and exit. */
KF_API size_t kf_plan_workspace_size(const kf_plan *plan);
KF_API int kf_plan_result_count(const kf_plan *plan);
/* Dtype and shape of result i: fields of *array, whose shape and strides the plan owns; data
 * NULL. */
KF_API void kf_plan_result(const kf_plan *plan, int i, kf_array *array);

typedef union kf_scalar {
    double f; /* for KF_SPEC_FLOAT */
    int64_t i; /* for KF_SPEC_INT */
} kf_scalar;

/* Launch. inputs[i]: address of input i's first element (its data + byte_offset; NULL for numbers).
 * results[i]: likewise, with the plan's strides. scalars[i]: one per input that is a number, in
 * order; NULL where there is none. `stream`: a CUstream, NULL for the default one; ignored on the
 * CPU, where the call returns when the results are written. Neither compiles, allocates nor
 * synchronises, so it can be captured into a CUDA graph. KF_ERR_ALIAS where a result overlaps an
 * input or another result in a way that the plan can't do. */
KF_API kf_status kf_run(const kf_plan *plan, const void *const *inputs, void *const *results,
                        const kf_scalar *scalars, void *workspace, void *stream, kf_error *err);

/* Wait for everything on a device's stream. Returns the first error of its kernels. */
KF_API kf_status kf_synchronize(kf_context *ctx, kf_device device, void *stream, kf_error *err);

/* ================================================================ Advanced */

typedef struct kf_allocator {
    void *(*allocate)(void *user, size_t size); /* like malloc, 16-byte aligned */
    void (*release)(void *user, void *memory);
    void *user;
} kf_allocator;

/* Call body(arg, begin, end) over disjoint ranges that cover [0, n), on any threads; return when
 * all have returned. Ranges are multiples of `grain` except the last. */
typedef void (*kf_parallel_for)(void *user, int64_t n, int64_t grain,
                                void (*body)(void *arg, int64_t begin, int64_t end), void *arg);

struct kf_context_options {
    size_t struct_size;
    kf_allocator allocator;       /* all zero: malloc and free */
    kf_parallel_for parallel_for; /* NULL: OpenMP */
    void *parallel_user;
    int threads; /* 0: as OpenMP decides */
    void (*log)(void *user, const char *line); /* NULL: standard error, warnings and KFUSE_DUMP */
    void *log_user;
    const char *cache_dir; /* NULL: $KFUSE_CACHE_DIR, $XDG_CACHE_HOME/kfuse, ~/.cache/kfuse */
};

typedef enum kf_text_kind {
    KF_TEXT_EXPLAIN,      /* the kernels, cuts and bytes, for a person */
    KF_TEXT_EXPLAIN_JSON, /* the same, for a program */
    KF_TEXT_SOURCE,       /* the generated source of every kernel */
    KF_TEXT_STEPS,        /* the plan's steps and workspace */
} kf_text_kind;

/* A text about a plan. Free with kf_text_free. */
KF_API kf_status kf_plan_text(const kf_plan *plan, kf_text_kind kind, char **out, kf_error *err);
KF_API void kf_text_free(kf_context *ctx, char *text);

typedef struct kf_statistics {
    int64_t compiled;   /* runs of a compiler since the context was made */
    int64_t cache_hits; /* kernels loaded from the disk cache */
    int64_t launches;   /* kernels launched */
} kf_statistics;
KF_API void kf_context_statistics(const kf_context *ctx, kf_statistics *out);

#ifdef __cplusplus
}
#endif
#endif
