/* kfuse-fuzz: random programs, fused and unfused, against the oracle.
 *
 *   generate.c   a random program: lines of kfuse's language, each accepted by the parser
 *   library.c    calls of composites, by their signatures
 *   aim.c        a program made for a cell of coverage.h's table
 *   data.c       a trial: sizes, layouts and values of the inputs, between guard zones
 *   execute.c    one trial of one compiled program: plan, run, compare, look for damage
 *   bits.c       whose bits must be equal: fused and unfused, other threads, other addresses
 *   shrink.c     a failing program with as few lines, inputs, elements and odd values as still fail
 *   coverage.h   what has run, as tables
 *   main.c       the loop, the report, the replay
 *
 * A program is text, so what failed is one line that anyone can run again. */
#ifndef KFUSE_FUZZ_H
#define KFUSE_FUZZ_H

#include "ir/graph.h"
#include "oracle/oracle.h"

enum {
    FZ_INPUTS = 4, FZ_STEPS = 16, FZ_VALUES = FZ_INPUTS + FZ_STEPS, FZ_RESULTS = 3,
    FZ_OUTPUTS = 8, /* a result may be a tuple */
    FZ_SYMBOLS = 8, FZ_RANK = 4, FZ_LINE = 800, FZ_TEXT = 8192,
};

/* ---------------------------------------------------------------- random numbers */

typedef struct fz_random {
    uint64_t state;
} fz_random;

uint64_t fz_next(fz_random *r);
static inline int fz_below(fz_random *r, int n) { return (int)(fz_next(r) % (uint64_t)n); }
static inline bool fz_chance(fz_random *r, int percent) { return fz_below(r, 100) < percent; }
static inline double fz_unit(fz_random *r) { return (double)(fz_next(r) >> 11) * 0x1p-53; }

/* ---------------------------------------------------------------- programs */

typedef struct fz_input {
    kf__dtype dtype;
    int rank;
    int dim[FZ_RANK]; /* a symbol, or -1: literally 1 */
    bool number;      /* a run-time scalar, f64 or i64 by dtype */
} fz_input;

typedef struct fz_step {
    char text[FZ_LINE]; /* "maximum($0, $1)" */
    int n_args, args[3]; /* values: inputs, then steps from FZ_INPUTS on */
} fz_step;

typedef struct fz_program {
    int n_inputs, n_steps, n_results;
    fz_input inputs[FZ_INPUTS];
    fz_step steps[FZ_STEPS];
    int results[FZ_RESULTS];
    char fixed[FZ_TEXT]; /* replayed text; "" where it is made of the steps */
} fz_program;

extern const char *const fz_input_names[FZ_INPUTS];

void fz_generate(fz_program *p, fz_random *r);
/* What a program is made for, by the axes of coverage.h; layout is for its trials, too. */
typedef struct fz_aim {
    int operation, type, layout, kind, cut;
} fz_aim;
typedef struct fz_coverage fz_coverage;
/* A cell that is rare in c (NULL: any). False: none was found. target: a kf__target_kind. */
bool fz_choose_aim(const fz_coverage *c, int target, fz_random *r, fz_aim *aim);
bool fz_generate_for(fz_program *p, fz_random *r, const fz_aim *aim); /* false: no such program */
/* A row of ops.def as a line. Gives what its first argument should be: see generate.c. */
char fz_op_text(kf__opcode op, char *text, size_t size);
/* The text of what the results need; marks the inputs that appear in it. */
void fz_print(const fz_program *p, char *text, bool used[FZ_INPUTS]);
/* The text's graph, and for each graph input which of the program's it is. */
kf_status fz_graph(const fz_program *p, kf_numerics numerics, kf_graph **out, int *which,
                   kf_error *err);
/* Do all shapes and constraints hold for these sizes of the symbols? `elements`: of the largest
 * node. */
bool fz_sizes_fit(const fz_program *p, const kf_graph *g, const int *which, const int64_t *sizes,
                  int64_t *elements);

/* Is any element of a result made of the largest of nothing, and the like? What only empty values
 * need may be left out, with what is wrong about it. */
bool fz_wants_of_nothing(const fz_program *p, const kf_graph *g, const int *which,
                         const int64_t *sizes);

/* ---------------------------------------------------------------- trials */

typedef enum fz_layout {
    FZ_PLAIN, FZ_TRANSPOSED, FZ_FLIPPED, FZ_SLICED, FZ_BROADCAST, FZ_LAYOUTS,
} fz_layout;
typedef enum fz_values { FZ_TAME, FZ_SMALL_INTEGERS, FZ_WILD, FZ_VALUE_KINDS } fz_values;

typedef struct fz_trial {
    int64_t sizes[FZ_SYMBOLS];
    fz_layout results;
    struct {
        fz_layout layout;
        fz_values values;
        uint64_t seed;
        int shift; /* elements before the first one: misaligned */
    } inputs[FZ_INPUTS];
} fz_trial;

typedef struct fz_array {
    kf_array array;
    int64_t shape[FZ_RANK * 2], strides[FZ_RANK * 2];
    char *memory, *copy; /* with guard zones; [bytes] each */
    size_t bytes;
    bool owned;
} fz_array;

/* plain: inputs as new arrays are; large: now and then millions of elements. */
void fz_make_trial(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                   bool plain, bool large, fz_trial *trial);
/* n trials of one program. Runs are nearly free, kernels for another layout aren't: some are plain,
 * the last `odd` share their inputs' and results' layouts. layout: one that most inputs of these
 * have; -1: none in particular. */
void fz_make_trials(const fz_program *p, const kf_graph *g, const int *which, fz_random *r,
                    bool large, int n, int odd, int layout, fz_trial *trials);
/* What results' layout is by chance: plain, transposed or sliced. */
fz_layout fz_some_result_layout(uint64_t seed);
/* false: out of memory */
bool fz_make_input(const fz_input *in, const fz_trial *trial, int i, fz_array *out,
                   kf_scalar *number);
/* poisoned; `shift` elements off an address for vectors */
bool fz_make_result(const kf_array *like, fz_layout layout, int shift, fz_array *out);
void fz_poison(fz_array *a);
/* Did anything change but the elements (of a result: `elements`)? */
bool fz_damaged(fz_array *a, bool elements);
typedef void fz_visit(fz_array *a, char *element, void *arg);
void fz_for_each(fz_array *a, fz_visit *visit, void *arg); /* in row-major order */
void fz_free_array(fz_array *a);

/* ---------------------------------------------------------------- equal bits */

/* Must a result have the same bits however the graph is cut into kernels? */
bool fz_is_exact(const kf_graph *g, uint32_t result);
char *fz_pack(fz_array *a); /* its elements, row-major; freed by the caller; NULL: no memory */
/* The first of `like`'s elements that differs between two packs, NaNs being alike; or -1. */
int64_t fz_first_difference(const fz_array *like, const char *a, const char *b);
bool fz_same_bits(double a, double b);
/* A kf_parallel_for. user: a uint64_t; 0: all in one piece, else a seed of how it is divided. */
void fz_parallel(void *user, int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                 void *arg);

/* ---------------------------------------------------------------- running */

/* What has run: coverage.h. */
fz_coverage *fz_coverage_new(void); /* NULL: out of memory */
void fz_coverage_free(fz_coverage *c);
void fz_coverage_graph(fz_coverage *c, const kf_program *program);
/* A fused program ran on these arrays; results NULL: plain ones. False: out of memory. */
bool fz_coverage_add(fz_coverage *c, const kf_program *program, const kf_array *inputs,
                     const kf_array *results);
/* Adds a file's counts; false: it can't be read. */
bool fz_coverage_read(fz_coverage *c, const char *path);
bool fz_coverage_write(const fz_coverage *c, const char *path);

typedef struct fz_options {
    kf_device device;
    bool eager;
    uint64_t *division; /* what the context's fz_parallel is given, or NULL */
    fz_coverage *coverage; /* or NULL */
} fz_options;

typedef struct fz_failure {
    char what[1500]; /* "fused: result 0 at 12: got 3, expected 4 (tolerance 0)" */
} fz_failure;

typedef struct fz_counts {
    int64_t graphs, trials, runs, elements, undecided, refused;
    int64_t exact; /* results of two partitions, bits compared */
} fz_counts;

typedef enum fz_outcome { FZ_PASS, FZ_FAIL, FZ_REFUSED } fz_outcome;

/* One program: compiled in `modes` (bits by kf_fusion), each trial run in each. */
fz_outcome fz_check(kf_context *ctx, const fz_program *p, int n_trials, const fz_trial *trials,
                    int modes, const fz_options *opt, fz_counts *counts, fz_failure *failure);

/* Counts what the program would do, in opt's coverage, without compiling or running its kernels. */
fz_outcome fz_foresee(kf_context *ctx, const fz_program *p, int n_trials, const fz_trial *trials,
                      const fz_options *opt, fz_failure *failure);

/* ---------------------------------------------------------------- shrinking and replaying */

/* Shrink in place; `tries` and `seconds` bound the work. */
void fz_shrink(kf_context *ctx, fz_program *p, fz_trial *trial, int *modes, const fz_options *opt,
               int tries, double seconds, fz_failure *failure);
double fz_seconds(void); /* since some time */
/* The line that replays it, and, where its inputs can be said there, the one for `kfuse check`. */
void fz_print_replay(const fz_program *p, const fz_trial *trial, int modes, const fz_options *opt,
                     char *line, size_t size);
void fz_print_check(const fz_program *p, const fz_trial *trial, const fz_options *opt, char *line,
                    size_t size);
/* A layout by its letter. */
bool fz_layout_from(char letter, fz_layout *out);
/* "x=f32[7,13]/s/w/123/1": dtype, sizes, layout, values, seed, shift; "x=f64/123": a number. */
bool fz_parse_argument(const char *text, fz_program *p, fz_trial *trial);

#endif
