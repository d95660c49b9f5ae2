/* What has run, counted by operation x type x layout x kernel kind x cut code.
 *
 *   cells.c      the names along each axis, and which pairs can't be
 *   coverage.c   counting a program's kernels; files of counts
 *   report.c     tables of several files
 *
 * A cell is (operation, type, layout, kind, cut): the operation ran on arguments of the type in a
 * kernel of that kind, which an array of that layout reached it through, and which a cut with that
 * code leads from or to. Only fused kernels count. Every pair of names that can be must be seen. */
#ifndef KFUSE_FUZZ_COVERAGE_H
#define KFUSE_FUZZ_COVERAGE_H

#include "fuse/internal.h"
#include "fuzz.h"
#include "ir/loop.h"

enum {
    FZ_EXPAND, FZ_PERMUTE, FZ_RESHAPE, FZ_SLICE, FZ_FLIP, /* views */
    FZ_PAD, FZ_CONCAT, FZ_GATHER, FZ_SCAN, FZ_RANDOM, FZ_IOTA, FZ_SCALAR, FZ_SIZE,
    FZ_STRUCTURAL,
};

/* Numbers of operations: kf__opcode, then kf__reduction, casts by what they cast to, structure. */
enum {
    FZ_FIRST_REDUCTION = KF__OP_COUNT,
    FZ_FIRST_CAST = FZ_FIRST_REDUCTION + KF__RED_COUNT,
    FZ_FIRST_STRUCTURAL = FZ_FIRST_CAST + KF__DTYPE_COUNT,
    FZ_OPERATIONS = FZ_FIRST_STRUCTURAL + FZ_STRUCTURAL,
};

/* An input's layout by its strides, or where it comes from: another kernel, nowhere (numbers). */
enum { FZ_CELL_TEMPORARY = FZ_LAYOUTS, FZ_CELL_NONE, FZ_CELL_LAYOUTS };

enum {
    FZ_AXIS_OPERATION, FZ_AXIS_TYPE, FZ_AXIS_LAYOUT, FZ_AXIS_KIND, FZ_AXIS_CUT, FZ_AXES,
    FZ_TARGETS = 3,
};

typedef struct fz_axis {
    const char *name;
    int n;
} fz_axis;
extern const fz_axis fz_axes[FZ_AXES];
const char *fz_cell_name(int axis, int i);
const char *fz_operation_name(int operation);
/* Which operation a node is, on which type; -1: none (a constant, an input). */
int fz_operation_of(const kf_graph *g, kf__ref ref, kf__dtype *type);
/* Lines that make the operation; ~ stands for its type. */
enum { FZ_PROBES = 3 };
int fz_probes(int operation, char text[FZ_PROBES][FZ_LINE]);
/* [operation][type]: can it be? Asks the parser, once. */
const bool (*fz_operation_types(void))[KF__DTYPE_COUNT];
/* Why a pair (the axes in their order) can't be; NULL: it can. */
const char *fz_impossible(int axis_a, int a, int axis_b, int b);

typedef uint32_t fz_cells[FZ_OPERATIONS][KF__DTYPE_COUNT][FZ_CELL_LAYOUTS][KF__KERNEL_KIND_COUNT]
                         [KF__CUT_COUNT];
/* Counts of all pairs of an axis with a later one. */
typedef struct fz_pairs {
    int64_t at[FZ_AXES][FZ_AXES][FZ_OPERATIONS][FZ_OPERATIONS];
} fz_pairs;
struct fz_coverage {
    fz_cells *target[FZ_TARGETS]; /* by kf__target_kind; NULL: nothing */
    fz_pairs *pairs[FZ_TARGETS];  /* of these */
    int64_t graphs[FZ_TARGETS];
};

extern const char *const fz_target_names[FZ_TARGETS];
/* How many pairs that can be are empty, or seen though they can't be; prints them. */
int fz_missing(const fz_pairs *p, bool print);
/* Prints the tables; 0: no reachable pair is empty, 1: some are, 2: nothing to report. */
int fz_report(const fz_coverage *c);

#endif
