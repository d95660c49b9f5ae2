/* Programs made for a cell of the table: an operation on a type, in a kernel of some kind, beside a
 * cut of some code. What comes out may be another cell: it is only likelier.
 *
 *     before    what stores a temporary, or makes numbers of nothing
 *     operation one of its lines, on inputs of the type
 *     context   a reduction, a gather or a view that the kernel is of
 *     cut       another reduction, a gather of what must be stored, many users, many operands
 */
#include <stdio.h>

#include "coverage.h"
#include "generate.h"

/* ---------------------------------------------------------------- lines around an operation */

enum { MOST_LINES = 10 };
/* The axis stands as @: -1 for rows, 0 for columns, None for all. */
static const char *const reducing[MOST_LINES] = {
    "max($0, axis=@)", "sum($0, axis=@)", "any($0, axis=@)", "argmax($0, axis=@)",
    "mean($0, axis=@)", "$0 - max($0, axis=@, keepdims=True)",
    "where(any($0, axis=@, keepdims=True), $0, $1)", "argmin($0, axis=@)",
    "$0 * (min($0, axis=@, keepdims=True) + 1)", "all($0, axis=@, keepdims=True)"};
static const char *const gathering[MOST_LINES] = {
    "take($0, randint(-9, 9, 6, seed=2), axis=0)", "take($0, randint(-3, 12, 5, seed=7), axis=-1)",
    "take($0, cast(ravel($1), i16), axis=0)", "take_along_axis($0, cast($0, i32), axis=-1)",
    "$0[randint(0, 5, 4, seed=3)]"};
static const char *const pointwise[MOST_LINES] = {
    "$0 == $1", "where($0 == $1, $0, $1)", "cast($0, f32)", "-$0", "pad($0, 1)",
    "concatenate([$0, $0], axis=0)", "$0 + 1"};
static const char *const views[MOST_LINES] = {
    "$0.T", "$0[1:]", "flip($0, axis=-1)", "$0[..., ::-2]", "ravel($0)", "$0[None]",
    "broadcast_to($0, (2,) + $0.shape)"};
/* What keeps its shape and type and lies in memory before it can go on. */
static const char *const whole[MOST_LINES] = {
    "where(max($0, axis=@, keepdims=True) == $0, $0, $1)",
    "where(any($0, axis=@, keepdims=True), $0, $1)", "maximum($0, min($0, axis=@, keepdims=True))",
    "$0 * max($0, axis=@, keepdims=True)", "where(argmax($0, axis=@, keepdims=True) > 2, $0, $1)"};
static const char *const stored_for_gather[MOST_LINES] = {
    "concatenate([$0, $1], axis=0)", "pad($0, 1)", "concatenate([$0, $0], axis=-1)",
    "where(rand_like($0, seed=3) > 0.5, $0, $1)"};
static const char *const dear[MOST_LINES] = {
    "erfinv(sin(lgamma($0)))", "pow(tan($0), atan2($0, $1))", "digamma(pow($0, $1))",
    "randn_like($0, seed=4) * erfinv(tan($0))", "lgamma(lgamma(lgamma($0)))"};
static int count(const char *const *lines) {
    int n = 0;
    while (n < MOST_LINES && lines[n]) n++;
    return n;
}

static const char *axis_of(int kind) {
    return kind == KF__ROW ? "-1" : kind == KF__COLUMN ? "0" : "None";
}

/* One of the lines that the parser takes; -1: none of them. */
static int add_one_of(fz_program *p, fz_pool *pool, fz_random *r, const char *const *lines,
                      int kind, const int args[3]) {
    int n = count(lines), first = fz_below(r, n);
    for (int i = 0; i < n; i++) {
        char text[FZ_LINE], filled[FZ_LINE];
        snprintf(text, sizeof text, "%s", lines[(first + i) % n]);
        char *at = strchr(text, '@');
        if (at) {
            snprintf(filled, sizeof filled, "%.*s%s%s", (int)(at - text), text, axis_of(kind),
                     at + 1);
            snprintf(text, sizeof text, "%s", filled);
        }
        fz_fill(r, text, 2, pool->dtype[pool->n - 1], filled, sizeof filled);
        int v = fz_add_step(p, pool, filled, args);
        if (v >= 0) return v;
    }
    return -1;
}

static int other_reducing(fz_random *r, int kind) {
    static const int kinds[] = {KF__ROW, KF__COLUMN, KF__FULL};
    int other = kinds[fz_below(r, 3)];
    return other == kind ? kinds[(other - KF__ROW + 1) % 3] : other;
}

/* More operands than a kernel may have, as two arrays at many places; *stored: what has as many as
 * it may. */
static int add_wide(fz_program *p, fz_pool *pool, fz_random *r, int *stored, const int args[3]) {
    static const char *const joins[] = {"+", "^", "=="};
    int first = fz_below(r, 3), v = -1;
    for (int i = 0; i < 3 && v < 0; i++) {
        const char *join = joins[(first + i) % 3];
        int of[3] = {args[0], args[1], args[0]};
        for (int half = 0; half < 2; half++) {
            char text[FZ_LINE];
            size_t n = (size_t)snprintf(text, sizeof text, "%s", half ? "$2" : "$0");
            for (int k = half ? 6 : -6; k <= (half ? 6 : 5); k++)
                n += k == 0 ? 0 : (size_t)snprintf(text + n, sizeof text - n,
                                      "%spad($0,(%d,%d))%spad($1[::-1],(%d,%d))", join, k, -k,
                                      join, k, -k);
            v = fz_add_step(p, pool, text, of);
            if (v < 0) break;
            if (!half) *stored = of[2] = v;
        }
    }
    return v;
}

/* *stored: what is gathered from; or -1. */
static int add_stored_gather(fz_program *p, fz_pool *pool, fz_random *r, int *stored,
                             const int args[3]) {
    *stored = add_one_of(p, pool, r, stored_for_gather, 0, args);
    if (*stored < 0) return -1;
    return add_one_of(p, pool, r, gathering, 0, (int[]){*stored, *stored, *stored});
}

/* ---------------------------------------------------------------- the parts */

/* What the operation is applied to, in place of args[0]; -1: that. */
static int add_before(fz_program *p, fz_pool *pool, fz_random *r, const fz_aim *aim,
                      int args[3]) {
    static const char *const numbers[] = {
        "cast(full_like($0, 3), ~)", "cast(arange($0.shape[-1]), ~)",
        "cast(rand_like($0, seed=1) * 10, ~)",
        "cast(randint_like($0, -3, 9, seed=6), ~)"};
    int v = -1, stored;
    if (aim->layout == FZ_CELL_NONE) {
        for (int i = 1, first = fz_below(r, 4); i >= 0; i--) { /* two: x | x is nothing but x */
            const char *line = numbers[(first + i) % 4];
            char text[FZ_LINE];
            snprintf(text, sizeof text, "%.*s%s)", (int)strcspn(line, "~"), line,
                     kf__types[aim->type].alias);
            v = fz_add_step(p, pool, text, args);
            if (v >= 0 && i) args[1] = args[2] = v;
        }
    } else if (aim->cut == KF__CUT_GATHER && fz_chance(r, 50)) {
        v = add_stored_gather(p, pool, r, &stored, args);
    } else if (aim->kind == KF__GATHERING && fz_chance(r, 50)) {
        v = add_one_of(p, pool, r, gathering, 0, args);
    } else if (aim->layout == FZ_CELL_TEMPORARY ||
               (aim->cut == KF__CUT_REDUCTION_AXIS && fz_chance(r, 50))) {
        v = add_one_of(p, pool, r, whole, other_reducing(r, aim->kind), args);
    } else if (aim->cut == KF__CUT_CAPACITY && fz_chance(r, 50)) {
        v = add_wide(p, pool, r, &stored, args);
    } else if (aim->kind >= KF__ROW && aim->kind <= KF__FULL && fz_chance(r, 30)) {
        v = add_one_of(p, pool, r, whole, aim->kind, args);
    }
    return v;
}

static int add_operation(fz_program *p, fz_pool *pool, fz_random *r, const fz_aim *aim,
                         const int args[3]) {
    char lines[FZ_PROBES][FZ_LINE], text[FZ_LINE];
    int n = fz_probes(aim->operation, lines), first = fz_below(r, n);
    if (n == FZ_PROBES && aim->layout != FZ_CELL_NONE) first = n - 1; /* that one reads an array */
    for (int i = 0; i < n; i++) {
        const char *line = lines[(first + i) % n], *axis = strstr(line, "axis=-1");
        bool reduces = (aim->operation >= FZ_FIRST_REDUCTION && aim->operation < FZ_FIRST_CAST) ||
                       aim->operation == FZ_FIRST_STRUCTURAL + FZ_SCAN;
        const char *mark = strstr(line, "~)");
        if (reduces && axis)
            snprintf(text, sizeof text, "%.*saxis=%s%s", (int)(axis - line), line,
                     axis_of(aim->kind), axis + strlen("axis=-1"));
        else if (mark)
            snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - line), line,
                     kf__types[aim->type].alias, mark + 1);
        else
            snprintf(text, sizeof text, "%s", line);
        int v = fz_add_step(p, pool, text, args);
        if (v >= 0) return v;
    }
    return -1;
}

static int add_context(fz_program *p, fz_pool *pool, fz_random *r, const fz_aim *aim,
                       const int args[3]) {
    switch (aim->kind) {
    case KF__COPY: return fz_chance(r, 30) ? add_one_of(p, pool, r, views, 0, args) : -1;
    case KF__GATHERING: return add_one_of(p, pool, r, gathering, 0, args);
    case KF__POINTWISE: return fz_chance(r, 50) ? add_one_of(p, pool, r, pointwise, 0, args) : -1;
    default: return add_one_of(p, pool, r, reducing, aim->kind, args);
    }
}

static int add_cut(fz_program *p, fz_pool *pool, fz_random *r, const fz_aim *aim, int *stored,
                   const int args[3]) {
    *stored = -1;
    switch (aim->cut) {
    case KF__CUT_REDUCTION_AXIS:
        return add_one_of(p, pool, r, fz_chance(r, 50) ? whole : reducing,
                          other_reducing(r, aim->kind), args);
    case KF__CUT_GATHER: return add_stored_gather(p, pool, r, stored, args);
    case KF__CUT_CAPACITY: return add_wide(p, pool, r, stored, args);
    default: return -1;
    }
}

/* ---------------------------------------------------------------- the program */

static void add_result(fz_program *p, int v) {
    for (int i = 0; i < p->n_results; i++)
        if (p->results[i] == v) return;
    if (v >= 0 && p->n_results < FZ_RESULTS) p->results[p->n_results++] = v;
}

/* The last input becomes a run-time number: some lines name it. */
static void want_number(fz_program *p, fz_pool *pool, kf__dtype t) {
    for (; p->n_inputs < FZ_INPUTS; p->n_inputs++) pool->value[pool->n++] = p->n_inputs;
    t = t == KF__I64 ? KF__I64 : KF__F64;
    p->inputs[FZ_INPUTS - 1] = (fz_input){.dtype = t, .number = true};
    for (int i = 0; i < FZ_INPUTS; i++) {
        if (p->inputs[i].rank == 0 && i > 0) p->inputs[i] = p->inputs[FZ_INPUTS - 1];
        pool->dtype[i] = p->inputs[i].dtype;
        pool->rank[i] = p->inputs[i].rank;
    }
}

bool fz_generate_for(fz_program *p, fz_random *r, const fz_aim *aim) {
    fz_pool pool = {0};
    int results[3], n = 0, v, stored;
    memset(p, 0, sizeof *p);
    fz_make_inputs(p, &pool, r, fz_chance(r, 15) ? 1 : 2 + fz_below(r, 2), (kf__dtype)aim->type,
                   true);
    int args[3] = {0, 1 % p->n_inputs, 2 % p->n_inputs};
    if (aim->operation == FZ_FIRST_STRUCTURAL + FZ_SCALAR || aim->operation == KF__KEEP_LIMIT)
        want_number(p, &pool, (kf__dtype)aim->type);
    if ((v = add_before(p, &pool, r, aim, args)) >= 0) {
        args[0] = v;
        if (aim->layout == FZ_CELL_TEMPORARY) args[1] = args[2] = v;
    }
    int operation = add_operation(p, &pool, r, aim, args), last = operation;
    if (operation < 0) return false;
    if (aim->cut == KF__CUT_RECOMPUTE_DEARER) { /* two kernels want what is dear */
        if ((v = add_one_of(p, &pool, r, dear, 0, (int[]){last, args[0], last})) >= 0) last = v;
        int kind = other_reducing(r, aim->kind);
        results[n++] = add_one_of(p, &pool, r, reducing, kind, (int[]){last, last, last});
    }
    if ((v = add_context(p, &pool, r, aim, (int[]){last, args[1], args[2]})) >= 0) last = v;
    results[n++] = last;
    if ((v = add_cut(p, &pool, r, aim, &stored, (int[]){last, args[1], last})) >= 0)
        results[n++] = v;
    if (aim->kind == KF__COPY && stored >= 0) /* a view of what is stored */
        results[0] = add_one_of(p, &pool, r, views, 0, (int[]){stored, stored, stored});
    for (int extra = fz_chance(r, 40) ? fz_below(r, 4) : 0; extra > 0; extra--)
        if ((v = fz_add_random_step(p, &pool, r)) >= 0 && extra == 1 && n < 3) results[n++] = v;
    p->n_results = 0;
    bool alone = aim->kind != KF__COPY && aim->cut != KF__CUT_RECOMPUTE_DEARER && fz_chance(r, 60);
    for (int i = n - 1; i >= 0; i--)
        if (!alone || p->n_results == 0) add_result(p, results[i]);
    if (aim->kind == KF__COPY) add_result(p, operation);
    fz_settle_results(p);
    return p->n_results > 0;
}

/* ---------------------------------------------------------------- what to aim at */

static bool is_possible(const fz_aim *aim) {
    const int cell[FZ_AXES] = {aim->operation, aim->type, aim->layout, aim->kind, aim->cut};
    for (int a = 0; a < FZ_AXES; a++)
        for (int b = a + 1; b < FZ_AXES; b++)
            if (fz_impossible(a, cell[a], b, cell[b])) return false;
    return true;
}

/* How rare are its pairs? */
static double need_of(const fz_pairs *pairs, const int *cell) {
    double need = 0;
    for (int a = 0; a < FZ_AXES; a++)
        for (int b = a + 1; b < FZ_AXES; b++) {
            double n = (double)pairs->at[a][b][cell[a]][cell[b]];
            need += n == 0 ? 10 : 1 / n;
        }
    return need;
}

/* Some pair that hasn't been seen yet: the aim's cell gets it. False: all have. */
static bool choose_empty(const fz_pairs *pairs, fz_random *r, int *cell) {
    int seen = 0;
    for (int a = 0; a < FZ_AXES; a++)
        for (int b = a + 1; b < FZ_AXES; b++)
            for (int i = 0; i < fz_axes[a].n; i++)
                for (int j = 0; j < fz_axes[b].n; j++) {
                    if (pairs->at[a][b][i][j] || fz_impossible(a, i, b, j)) continue;
                    if (fz_below(r, ++seen) > 0) continue;
                    for (int k = 0; k < FZ_AXES; k++) cell[k] = -1;
                    cell[a] = i, cell[b] = j;
                }
    return seen > 0;
}

/* Of random cells the one with the rarest pairs, where it is known what is rare. Half of the time
 * all have some pair that is empty, not always, as it may be hard to hit. */
bool fz_choose_aim(const fz_coverage *c, int target, fz_random *r, fz_aim *aim) {
    const fz_pairs *pairs = c ? c->pairs[target] : NULL;
    int fixed[FZ_AXES] = {-1, -1, -1, -1, -1}, cell[FZ_AXES];
    double best = -1;
    if (pairs && fz_chance(r, 50)) choose_empty(pairs, r, fixed);
    for (int left = pairs ? 400 : 20; left > 0; left--) {
        for (int a = 0; a < FZ_AXES; a++)
            cell[a] = fixed[a] < 0 ? fz_below(r, fz_axes[a].n) : fixed[a];
        fz_aim one = {cell[0], cell[1], cell[2], cell[3], cell[4]};
        if (!is_possible(&one)) continue;
        double need = pairs ? need_of(pairs, cell) : 0;
        if (need <= best) continue;
        best = need;
        *aim = one;
        if (!pairs) break;
    }
    return best >= 0;
}
