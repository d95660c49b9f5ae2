/* What coverage is counted by: the names along each axis, lines that make each operation, and which
 * pairs can't be. */
#include "fuzz.h"

#include <stdio.h>

#include "coverage.h"
#include "simplify/simplify.h"

/* ---------------------------------------------------------------- operations */

/* What isn't a row of ops.def or reductions.def. */
static const struct {
    const char *name, *probes[FZ_PROBES]; /* lines that make it of $0, or of numbers */
} structural[FZ_STRUCTURAL] = {
    [FZ_EXPAND] = {"expand", {"broadcast_to($0, (3,) + $0.shape)", "$0 == $0[..., :1]"}},
    [FZ_PERMUTE] = {"permute", {"permute($0, (1, 0))"}},
    [FZ_RESHAPE] = {"reshape", {"ravel($0)"}},
    [FZ_SLICE] = {"slice", {"$0[..., 1:]"}},
    [FZ_FLIP] = {"flip", {"flip($0, axis=-1)"}},
    [FZ_PAD] = {"pad", {"pad($0, 2)"}},
    [FZ_CONCAT] = {"concatenate", {"concatenate([$0, $1], axis=-1)"}},
    [FZ_GATHER] = {"gather", {"take($0, randint(-9, 9, 6, seed=2), axis=0)"}},
    [FZ_SCAN] = {"scan", {"cumsum($0, axis=-1)", "cummax($0, axis=-1)[0]",
                          "cumsum(stack([$0, $0]), axis=0)"}},
    [FZ_RANDOM] = {"random bits", {"rand_like($0, seed=3)", "rand_like($0, seed=3, dtype=f64)",
                                   "rand_like($0, seed=cast(ravel($1)[0], i64))"}},
    [FZ_IOTA] = {"arange", {"arange($0.shape[0])"}},
    [FZ_SCALAR] = {"scalar", {"$0 + cast(w, ~)"}},
    [FZ_SIZE] = {"size", {"cast($0, i64) + $0.shape[0]"}},
};

static const struct {
    kf__reduction red;
    const char *probes[FZ_PROBES];
} reductions[] = {
    {KF__RED_MOMENTS, {"mean($0, axis=-1)", "var($0, axis=-1)"}},
    {KF__RED_MAX_SUMEXP, {"logsumexp($0, axis=-1)"}},
    {KF__RED_LOGADDEXP, {"logcumsumexp($0, axis=-1)", /* of float32 in float64 */
                         "logcumsumexp(cast($0, f16), axis=-1)",
                         "logcumsumexp(stack([$0, $0]), axis=0)"}},
};

static const struct {
    kf__opcode op;
    const char *probes[FZ_PROBES];
} random_ops[] = {
    {KF__UNIFORM_BITS, {"rand_like($0, seed=3)", "rand_like($0, seed=3, dtype=f64)",
                        "rand_like($0, seed=cast(ravel($1)[0], i64))"}},
    {KF__OPEN_BITS, {"randn_like($0, seed=4)", "randn_like($0, seed=4, dtype=f64)",
                     "randn_like($0, seed=cast(ravel($1)[0], i64))"}},
    {KF__BELOW_BITS, {"randint_like($0, -3, 9, seed=6)",
                      "randint_like($0, -3, 9, seed=cast(ravel($1)[0], i64))"}},
    {KF__KEEP_LIMIT, {"dropout(cast($0, f32), w, seed=5)",
                      "dropout(cast($0, f32), sigmoid(ravel($1)[0]), seed=5)"}},
    {KF__KEEP_BITS, {"dropout(cast($0, f32), 0.3, seed=5)",
                     "dropout(cast($0, f32), 0.3, seed=cast(ravel($1)[0], i64))"}},
};

const char *fz_operation_name(int operation) {
    static char cast[KF__DTYPE_COUNT][16];
    if (operation < FZ_FIRST_REDUCTION) return kf__ops[operation].name;
    if (operation < FZ_FIRST_CAST) return kf__reds[operation - FZ_FIRST_REDUCTION].name;
    if (operation >= FZ_FIRST_STRUCTURAL) return structural[operation - FZ_FIRST_STRUCTURAL].name;
    int t = operation - FZ_FIRST_CAST;
    snprintf(cast[t], sizeof cast[t], "cast to %s", kf__types[t].alias);
    return cast[t];
}

static bool is_flip(const kf__node *n) {
    for (int d = 0; d < n->rank; d++)
        if (n->u.slice.step[d] < 0) return true;
    return false;
}

int fz_operation_of(const kf_graph *g, kf__ref ref, kf__dtype *type) {
    const kf__node *n = kf__at(g, ref);
    bool where = n->kind == KF__OP && n->op == KF__WHERE; /* its first one is a bool */
    const kf__node *of = n->n_args ? kf__at(g, n->args[where]) : n;
    *type = (kf__dtype)of->dtype;
    switch (n->kind) {
    case KF__OP: return n->op;
    case KF__CAST: return FZ_FIRST_CAST + n->dtype;
    case KF__REDUCE: return FZ_FIRST_REDUCTION + n->op;
    case KF__EXPAND: return FZ_FIRST_STRUCTURAL + FZ_EXPAND;
    case KF__PERMUTE: return FZ_FIRST_STRUCTURAL + FZ_PERMUTE;
    case KF__RESHAPE: return FZ_FIRST_STRUCTURAL + FZ_RESHAPE;
    case KF__SLICE: return FZ_FIRST_STRUCTURAL + (is_flip(n) ? FZ_FLIP : FZ_SLICE);
    case KF__PAD: return FZ_FIRST_STRUCTURAL + FZ_PAD;
    case KF__CONCAT: return FZ_FIRST_STRUCTURAL + FZ_CONCAT;
    case KF__GATHER: return FZ_FIRST_STRUCTURAL + FZ_GATHER;
    case KF__SCAN: /* that one reduction is nothing but scans */
        return n->op == KF__RED_LOGADDEXP ? FZ_FIRST_REDUCTION + KF__RED_LOGADDEXP
                                          : FZ_FIRST_STRUCTURAL + FZ_SCAN;
    case KF__RANDOM: *type = (kf__dtype)n->dtype; return FZ_FIRST_STRUCTURAL + FZ_RANDOM;
    case KF__IOTA: return FZ_FIRST_STRUCTURAL + FZ_IOTA;
    case KF__SCALAR: return FZ_FIRST_STRUCTURAL + FZ_SCALAR;
    case KF__SIZE: return FZ_FIRST_STRUCTURAL + FZ_SIZE;
    default: return -1;
    }
}

int fz_probes(int operation, char text[FZ_PROBES][FZ_LINE]) {
    const char *const *from = NULL;
    for (int i = 0; i < FZ_PROBES; i++) text[i][0] = 0;
    if (operation < FZ_FIRST_REDUCTION) {
        for (size_t i = 0; i < KF__COUNT(random_ops); i++)
            if ((int)random_ops[i].op == operation) from = random_ops[i].probes;
        if (!from) fz_op_text((kf__opcode)operation, text[0], FZ_LINE);
    } else if (operation < FZ_FIRST_CAST) {
        int red = operation - FZ_FIRST_REDUCTION;
        for (size_t i = 0; i < KF__COUNT(reductions); i++)
            if ((int)reductions[i].red == red) from = reductions[i].probes;
        if (!from) snprintf(text[0], FZ_LINE, "%s($0, axis=-1)", kf__reds[red].name);
    } else if (operation < FZ_FIRST_STRUCTURAL) {
        snprintf(text[0], FZ_LINE, "cast($0, %s)",
                 kf__types[operation - FZ_FIRST_CAST].alias);
    } else {
        from = structural[operation - FZ_FIRST_STRUCTURAL].probes;
    }
    for (int i = 0; from && i < FZ_PROBES; i++)
        snprintf(text[i], FZ_LINE, "%s", from[i] ? from[i] : "");
    int n = 0;
    while (n < FZ_PROBES && text[n][0]) n++;
    return n;
}

/* ---------------------------------------------------------------- names of the other axes */

static const char *const layout_names[FZ_CELL_LAYOUTS] = {
    "plain", "transposed", "flipped", "sliced", "broadcast", "temporary", "none"};

const fz_axis fz_axes[FZ_AXES] = {
    {"operation", FZ_OPERATIONS}, {"type", KF__DTYPE_COUNT}, {"layout", FZ_CELL_LAYOUTS},
    {"kind", KF__KERNEL_KIND_COUNT}, {"cut", KF__CUT_COUNT}};

const char *fz_cell_name(int axis, int i) {
    switch (axis) {
    case FZ_AXIS_OPERATION: return fz_operation_name(i);
    case FZ_AXIS_TYPE: return kf__types[i].alias;
    case FZ_AXIS_LAYOUT: return layout_names[i];
    case FZ_AXIS_KIND: return kf__kernel_kinds[i];
    default: return i ? kf__cut_codes[i] : "none";
    }
}

/* ---------------------------------------------------------------- what can't be */

/* operation x type: does the front end, and then simplify, give any of the operation's lines such a
 * node? All arguments are of the type. */
static void probe(const char *text, kf__dtype t, bool (*seen)[KF__DTYPE_COUNT]) {
    fz_program p = {.n_inputs = FZ_INPUTS, .n_results = 1, .n_steps = 1, .results = {FZ_INPUTS}};
    int which[FZ_INPUTS];
    kf_graph *g = NULL, *simple = NULL;
    for (int i = 0; i < FZ_INPUTS; i++) p.inputs[i] = (fz_input){t, 2, {0, 1}, false};
    p.inputs[3] = (fz_input){.dtype = KF__F64, .number = true};
    p.steps[0].n_args = 3;
    for (int i = 0; i < 3; i++) p.steps[0].args[i] = i;
    snprintf(p.steps[0].text, FZ_LINE, "%s", text);
    char *mark = strchr(p.steps[0].text, '~');
    if (mark && mark[1] == ')')
        snprintf(mark, FZ_LINE - (size_t)(mark - p.steps[0].text), "%s)", kf__types[t].alias);
    if (fz_graph(&p, KF_FUSED, &g, which, NULL) == KF_OK &&
        kf__simplify(g, &simple, NULL) == KF_OK) {
        kf__dtype type;
        for (kf__ref r = 1; r < simple->nodes.n; r++) {
            int operation = fz_operation_of(simple, r, &type);
            if (operation >= 0) seen[operation][type] = true;
        }
    }
    kf_graph_free(simple);
    kf_graph_free(g);
}

const bool (*fz_operation_types(void))[KF__DTYPE_COUNT] {
    static bool seen[FZ_OPERATIONS][KF__DTYPE_COUNT], made;
    char text[FZ_PROBES][FZ_LINE];
    for (int operation = 0; operation < FZ_OPERATIONS && !made; operation++)
        for (int i = fz_probes(operation, text); i-- > 0;)
            for (int t = 0; t < KF__DTYPE_COUNT; t++) probe(text[i], (kf__dtype)t, seen);
    made = true;
    return (const bool(*)[KF__DTYPE_COUNT])seen;
}

typedef enum set { SAME, REDUCTIONS, NO_VIEWS, NUMBERS } set;

static bool in_set(set s, int operation, int i) {
    int structure = operation - FZ_FIRST_STRUCTURAL;
    bool view = structure >= FZ_EXPAND && structure <= FZ_FLIP;
    switch (s) {
    case NO_VIEWS: return !view;
    case NUMBERS: return structure >= FZ_IOTA && structure <= FZ_SIZE;
    case REDUCTIONS:
        return (operation >= FZ_FIRST_REDUCTION && operation < FZ_FIRST_CAST) ||
               structure == FZ_SCAN;
    default: return operation == i;
    }
}

/* Of all pairs of names these can't be. `a` of axis SET: of a set of operations. -1: any. */
static const struct {
    int axis_a, a, axis_b, b;
    set of;
    const char *why;
} impossible[] = {
    {FZ_AXIS_CUT, KF__CUT_USER, -1, -1, SAME, "only with fusion off"},
    {FZ_AXIS_CUT, KF__CUT_LIBRARY, -1, -1, SAME, "products aren't supported yet"},
    {FZ_AXIS_CUT, KF__CUT_CYCLE, -1, -1, SAME, 
     "kernels in a circle aren't merged, and the cut keeps its code"},
    {FZ_AXIS_CUT, KF__CUT_ALIAS, -1, -1, SAME, "aliases are refused when run, not cut"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_KIND, KF__COPY, NO_VIEWS, "a copy holds nothing but views"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_KIND, KF__POINTWISE, REDUCTIONS,
     "what reduces is row, column or full"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_KIND, KF__GATHERING, REDUCTIONS,
     "what reduces is row, column or full"},
    {FZ_AXIS_LAYOUT, FZ_CELL_TEMPORARY, FZ_AXIS_CUT, KF__CUT_NONE, SAME, "a temporary is a cut"},
    {FZ_AXIS_LAYOUT, FZ_CELL_NONE, FZ_AXIS_KIND, KF__COPY, SAME, "a copy reads an array"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_LAYOUT, FZ_PLAIN, NUMBERS, "it reads nothing"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_LAYOUT, FZ_TRANSPOSED, NUMBERS, "it reads nothing"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_LAYOUT, FZ_FLIPPED, NUMBERS, "it reads nothing"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_LAYOUT, FZ_SLICED, NUMBERS, "it reads nothing"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_LAYOUT, FZ_BROADCAST, NUMBERS, "it reads nothing"},
    {FZ_AXIS_OPERATION, -1, FZ_AXIS_LAYOUT, FZ_CELL_TEMPORARY, NUMBERS, "it reads nothing"},
};

const char *fz_impossible(int axis_a, int a, int axis_b, int b) {
    if (axis_a == FZ_AXIS_OPERATION && axis_b == FZ_AXIS_TYPE && !fz_operation_types()[a][b])
        return "no line of the operation gives such a node";
    for (size_t i = 0; i < KF__COUNT(impossible); i++) {
        int x = impossible[i].axis_a, y = impossible[i].axis_b;
        int of_x = x == axis_a ? a : x == axis_b ? b : -1;
        if (y < 0 && impossible[i].a == of_x) return impossible[i].why;
        if (x != axis_a || y != axis_b || impossible[i].b != b) continue;
        bool same = x == FZ_AXIS_OPERATION ? in_set(impossible[i].of, a, impossible[i].a)
                                           : impossible[i].a == a;
        if (same) return impossible[i].why;
    }
    return NULL;
}
