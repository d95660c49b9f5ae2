/* Counting what a fused program's kernels did in a trial, and files of counts:
 *
 *     graphs cpu 120
 *     17 cpu add f32 plain row reduction-axis
 */
#include "coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline.h"

const char *const fz_target_names[FZ_TARGETS] = {
    [KF__TARGET_C] = "cpu", [KF__TARGET_CUDA] = "cuda", [KF__TARGET_EMULATED] = "cuda-emulated"};

fz_coverage *fz_coverage_new(void) { return calloc(1, sizeof(fz_coverage)); }

void fz_coverage_free(fz_coverage *c) {
    for (int t = 0; c && t < FZ_TARGETS; t++) {
        free(c->target[t]);
        free(c->pairs[t]);
    }
    free(c);
}

static fz_cells *cells_of(fz_coverage *c, int target) {
    if (!c->target[target]) c->target[target] = calloc(1, sizeof(fz_cells));
    if (!c->pairs[target]) c->pairs[target] = calloc(1, sizeof(fz_pairs));
    return c->pairs[target] ? c->target[target] : NULL;
}

static void count_cell(fz_coverage *c, int target, const int *cell, uint32_t n) {
    (*c->target[target])[cell[0]][cell[1]][cell[2]][cell[3]][cell[4]] += n;
    for (int a = 0; a < FZ_AXES; a++)
        for (int b = a + 1; b < FZ_AXES; b++) c->pairs[target]->at[a][b][cell[a]][cell[b]] += n;
}

void fz_coverage_graph(fz_coverage *c, const kf_program *program) {
    c->graphs[program->target.kind]++;
}

/* ---------------------------------------------------------------- counting */

/* What the strides of a dim larger than 1 say, whatever the fuzzer meant to make. */
static int layout_of(const kf_array *a) {
    int64_t next = 1, least = INT64_MAX;
    bool plain = true, sorted = true;
    for (int d = a->ndim - 1; d >= 0; d--) {
        int64_t s = a->strides ? a->strides[d] : next;
        if (a->shape[d] == 1) continue;
        if (s == 0) return FZ_BROADCAST;
        if (s < 0) return FZ_FLIPPED;
        plain &= s == next;
        sorted &= least == INT64_MAX || s >= least;
        next = s * a->shape[d];
        least = s;
    }
    return plain ? FZ_PLAIN : sorted ? FZ_SLICED : FZ_TRANSPOSED;
}

/* For each node of the kernel: 0 it isn't part of it, else PART and bits of the layouts that reach
 * it. Views have no instructions: they are what lies between nodes that have. */
enum { PART = 1 << 15, LOADED = 1 << 14, COMPUTED = 1 << 13, BITS = COMPUTED - 1 };

static bool goes_on(const kf_graph *g, kf__ref r, uint16_t bits) {
    const kf__node *n = kf__at(g, r);
    return (bits & PART) && !(bits & LOADED) && (kf__is_view(n) || (bits & COMPUTED));
}

/* Does it hand on the layouts that reach its arguments? A concatenation or pad without instructions
 * does: the kernel reads nothing but elements of one part. */
static bool hands_on(const kf_graph *g, kf__ref r, uint16_t bits) {
    const kf__node *n = kf__at(g, r);
    if (bits & LOADED) return false;
    return kf__is_view(n) || (bits & COMPUTED) || n->kind == KF__CONCAT || n->kind == KF__PAD;
}

/* A node that is loaded, or a view of which is: a result that others read. */
static void mark_loaded(const kf_graph *g, kf__ref r, int layout, uint16_t *nodes) {
    nodes[r] |= (uint16_t)(LOADED | 1 << layout);
    if (!kf__is_view(kf__at(g, r))) return;
    while (kf__is_view(kf__at(g, r))) r = kf__at(g, r)->args[0];
    if (kf__at(g, r)->kind != KF__INPUT && !(nodes[r] & COMPUTED))
        nodes[r] |= (uint16_t)(LOADED | 1 << layout);
}

static void find_nodes(const kf__partition *p, const kf__kernel *k, const kf_array *inputs,
                       const kf_array *results, uint16_t *nodes) {
    const kf_graph *g = p->graph;
    memset(nodes, 0, sizeof *nodes * g->nodes.n);
    for (uint32_t i = 0; i < k->n_stores; i++)
        nodes[p->values[k->accesses[k->stores[i].access].value].node] |= PART;
    for (uint32_t i = 0; i < k->n_instrs; i++)
        if (k->instrs[i].kind != KF__I_LOAD) nodes[k->instrs[i].node] |= COMPUTED;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        if (k->instrs[i].kind != KF__I_LOAD) continue;
        const kf__value *v = &p->values[k->accesses[k->instrs[i].access].value];
        int layout = v->kind == KF__VALUE_INPUT    ? layout_of(&inputs[v->index])
                     : v->kind == KF__VALUE_RESULT ? results ? layout_of(&results[v->index])
                                                             : FZ_PLAIN
                                                   : FZ_CELL_TEMPORARY;
        mark_loaded(g, v->node, layout, nodes);
        mark_loaded(g, k->instrs[i].node, layout, nodes);
    }
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        const kf__node *n = kf__at(g, r);
        for (int a = 0; a < n->n_args && hands_on(g, r, nodes[r]); a++)
            nodes[r] |= nodes[n->args[a]] & BITS;
    }
    for (kf__ref r = g->nodes.n; r-- > 1;) { /* users come behind their arguments */
        const kf__node *n = kf__at(g, r);
        bool all = goes_on(g, r, nodes[r]), read = nodes[r] & PART && hands_on(g, r, nodes[r]);
        for (int a = 0; a < n->n_args; a++)
            if (all || (read && nodes[n->args[a]] & BITS)) nodes[n->args[a]] |= PART;
    }
}

static uint32_t cuts_of(const kf__partition *p, uint32_t kernel) {
    uint32_t codes = 0;
    for (uint32_t i = 0; i < p->n_cuts; i++) {
        if (p->cuts[i].from != kernel && p->cuts[i].to != kernel) continue;
        for (int c = 0; c < KF__CUT_COUNT; c++)
            if (!strcmp(p->cuts[i].code, kf__cut_codes[c])) codes |= 1u << c;
    }
    return codes ? codes : 1u << KF__CUT_NONE;
}

bool fz_coverage_add(fz_coverage *c, const kf_program *program, const kf_array *inputs,
                     const kf_array *results) {
    const kf__partition *p = program->partition;
    int target = (int)program->target.kind;
    fz_cells *cells = cells_of(c, target);
    uint16_t *nodes = calloc(p->graph->nodes.n, sizeof *nodes);
    for (uint32_t k = 0; cells && nodes && k < p->n_kernels; k++) {
        uint32_t codes = cuts_of(p, k);
        find_nodes(p, &p->kernels[k], inputs, results, nodes);
        for (kf__ref r = 1; r < p->graph->nodes.n; r++) {
            kf__dtype type;
            bool part = goes_on(p->graph, r, nodes[r]);
            int operation = part ? fz_operation_of(p->graph, r, &type) : -1;
            uint32_t layouts = nodes[r] & BITS ? nodes[r] & BITS : 1u << FZ_CELL_NONE;
            if (operation < 0) continue;
            for (int l = 0; l < FZ_CELL_LAYOUTS; l++)
                for (int code = 0; code < KF__CUT_COUNT; code++)
                    if ((layouts >> l & 1) && (codes >> code & 1))
                        count_cell(c, target, (int[]){operation, (int)type, l,
                                                      (int)p->kernels[k].kind, code}, 1);
        }
    }
    free(nodes);
    return cells && nodes;
}

/* ---------------------------------------------------------------- files */

static int find_name(int axis, const char *name) {
    for (int i = 0; i < fz_axes[axis].n; i++)
        if (!strcmp(fz_cell_name(axis, i), name)) return i;
    return -1;
}

static int find_target(const char *name) {
    for (int t = 0; t < FZ_TARGETS; t++)
        if (!strcmp(fz_target_names[t], name)) return t;
    return -1;
}

/* One line of counts, its names behind tabs. */
static bool read_line(fz_coverage *c, char *line) {
    char *parts[2 + FZ_AXES], *at = line;
    int n = 0, cell[FZ_AXES];
    line[strcspn(line, "\n")] = 0;
    for (; n < 2 + FZ_AXES && at; n++) {
        parts[n] = at;
        if ((at = strchr(at, '\t'))) *at++ = 0;
    }
    int target = n >= 2 ? find_target(parts[1]) : -1;
    if (target < 0 || at) return false;
    if (n == 3 && !strcmp(parts[0], "graphs")) {
        c->graphs[target] += atoll(parts[2]);
        return true;
    }
    if (n != 2 + FZ_AXES || !cells_of(c, target)) return false;
    for (int a = 0; a < FZ_AXES; a++)
        if ((cell[a] = find_name(a, parts[2 + a])) < 0) return false;
    count_cell(c, target, cell, (uint32_t)strtoul(parts[0], NULL, 10));
    return true;
}

bool fz_coverage_read(fz_coverage *c, const char *path) {
    char line[256];
    FILE *file = fopen(path, "r");
    bool fine = file != NULL;
    while (fine && fgets(line, sizeof line, file)) fine = read_line(c, line);
    if (file) fclose(file);
    return fine;
}

static void write_target(const fz_coverage *c, int t, FILE *file) {
    const uint32_t *count = c->target[t] ? &(*c->target[t])[0][0][0][0][0] : NULL;
    fprintf(file, "graphs\t%s\t%lld\n", fz_target_names[t], (long long)c->graphs[t]);
    for (int o = 0; count && o < FZ_OPERATIONS; o++)
        for (int type = 0; type < KF__DTYPE_COUNT; type++)
            for (int l = 0; l < FZ_CELL_LAYOUTS; l++)
                for (int k = 0; k < KF__KERNEL_KIND_COUNT; k++)
                    for (int code = 0; code < KF__CUT_COUNT; code++, count++)
                        if (*count)
                            fprintf(file, "%u\t%s\t%s\t%s\t%s\t%s\t%s\n", *count,
                                    fz_target_names[t], fz_cell_name(0, o), fz_cell_name(1, type),
                                    fz_cell_name(2, l), fz_cell_name(3, k), fz_cell_name(4, code));
}

/* Beside it, then renamed: who is killed meanwhile leaves the old counts. */
bool fz_coverage_write(const fz_coverage *c, const char *path) {
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid()) >= (int)sizeof beside)
        return false;
    FILE *file = fopen(beside, "w");
    for (int t = 0; file && t < FZ_TARGETS; t++)
        if (c->graphs[t]) write_target(c, t, file);
    bool fine = file && !ferror(file);
    if (file) fine &= fclose(file) == 0;
    if (fine && rename(beside, path) == 0) return true;
    unlink(beside);
    return false;
}
