/* The graph's life, its table of nodes, and sizes that must be equal.
 *
 * A node is found again by everything that it computes: all but `call`, which only names it. */
#include "ir/graph_core.h"

/* ---------------------------------------------------------------- life */

kf_graph *kf__graph_new(const kf_allocator *mem) {
    kf_graph *g = kf__allocate(mem, sizeof *g);
    if (!g) return NULL;
    memset(g, 0, sizeof *g);
    g->mem = mem;
    kf__arena_init(&g->arena, mem);
    kf__exprs_init(&g->exprs, mem);
    char *no_call = kf__arena_string(&g->arena, "", 0);
    if (!no_call || g->exprs.failed || !KF__PUSH(mem, &g->nodes, (kf__node){0}) ||
        !KF__PUSH(mem, &g->calls, no_call)) {
        kf_graph_free(g);
        return NULL;
    }
    return g;
}

void kf_graph_free(kf_graph *g) {
    if (!g) return;
    const kf_allocator *mem = g->mem;
    kf__exprs_free(&g->exprs);
    KF__VEC_FREE(mem, &g->nodes);
    KF__VEC_FREE(mem, &g->inputs);
    KF__VEC_FREE(mem, &g->results);
    KF__VEC_FREE(mem, &g->result_names);
    KF__VEC_FREE(mem, &g->constraints);
    KF__VEC_FREE(mem, &g->equal);
    KF__VEC_FREE(mem, &g->calls);
    kf__release(mem, g->table);
    kf__arena_free(&g->arena);
    kf__release(mem, g);
}

int kf_graph_result_count(const kf_graph *g) { return g ? (int)g->results.n : 0; }

const char *kf_graph_result_name(const kf_graph *g, int i) {
    return i >= 0 && i < kf_graph_result_count(g) ? g->result_names.at[i] : NULL;
}

static bool copy_calls_and_inputs(kf_graph *g, const kf_graph *from) {
    for (uint32_t i = 1; i < from->calls.n; i++) kf__call(g, from->calls.at[i]);
    for (uint32_t i = 0; i < from->inputs.n; i++) {
        kf__graph_input input = from->inputs.at[i];
        input.name = kf__arena_string(&g->arena, input.name, strlen(input.name));
        input.node = 0;
        if (!input.name || !KF__PUSH(g->mem, &g->inputs, input)) return false;
    }
    for (uint32_t i = 0; i < from->constraints.n; i++)
        if (!kf__keep_constraint(g, from->constraints.at[i])) return false;
    return kf__graph_ok(g);
}

static bool copy_exprs(kf__exprs *to, const kf__exprs *from) {
    for (uint32_t i = 0; i < from->names.n; i++)
        if (!kf__x_name(to, from->names.at[i], strlen(from->names.at[i]))) return false;
    kf__release(to->mem, to->table);
    to->table = NULL;
    to->table_size = 0;
    to->nodes.n = 1;
    for (uint32_t i = 1; i < from->nodes.n; i++)
        if (!KF__PUSH(to->mem, &to->nodes, from->nodes.at[i])) return false;
    size_t bytes = from->table_size * sizeof *from->table;
    if (!bytes) return true;
    to->table = kf__allocate(to->mem, bytes);
    if (!to->table) return false;
    memcpy(to->table, from->table, bytes);
    to->table_size = from->table_size;
    return true;
}

kf_graph *kf__graph_like(const kf_graph *from) {
    kf_graph *g = kf__graph_new(from->mem);
    if (!g) return NULL;
    g->numerics = from->numerics;
    if (copy_exprs(&g->exprs, &from->exprs) && copy_calls_and_inputs(g, from)) return g;
    kf_graph_free(g);
    return NULL;
}

/* ---------------------------------------------------------------- failures */

kf__ref kf__graph_fail(kf_graph *g, kf_status status, const char *format, ...) {
    char message[sizeof g->error.message];
    va_list args;
    va_start(args, format);
    kf__vsnprintf(message, sizeof message, format, args);
    va_end(args);
    kf__fail(&g->error, status, "%s", message);
    return 0;
}

kf__ref kf__graph_no_memory(kf_graph *g) {
    kf__out_of_memory(&g->error);
    return 0;
}

kf__ref kf__graph_no_expr(kf_graph *g) {
    if (!g->exprs.too_deep) return kf__graph_no_memory(g);
    return kf__graph_fail(g, KF_ERR_LIMIT, KF__SIZES_TOO_DEEP, (int)KF__EXPR_DEPTH);
}

uint32_t kf__call(kf_graph *g, const char *name) {
    char *copy = kf__arena_string(&g->arena, name, strlen(name));
    if (!copy || !KF__PUSH(g->mem, &g->calls, copy)) return kf__graph_no_memory(g);
    return g->calls.n - 1;
}

/* ---------------------------------------------------------------- the table */

/* Does it have starts and steps, one for each dim? */
static bool has_starts(const kf__node *x) {
    return x->kind == KF__SLICE || x->kind == KF__IOTA || x->kind == KF__PAD;
}

static uint64_t hash_of(const kf__node *x) {
    uint64_t words[10] = {
        (uint64_t)x->kind | (uint64_t)x->dtype << 8 | (uint64_t)x->rank << 16 |
            (uint64_t)x->n_args << 24 | (uint64_t)x->op << 32 | (uint64_t)x->field << 40 |
            (uint64_t)x->weak << 48,
        (uint64_t)x->axes << 32 | x->index, x->args[0], x->args[1], x->args[2]};
    if (x->kind == KF__CONSTANT) memcpy(&words[5], &x->u, 8);
    if (x->kind == KF__PERMUTE) memcpy(&words[5], x->u.perm, x->rank);
    uint64_t hash = kf__hash(words, sizeof words, 0);
    hash = kf__hash(x->shape, x->rank * sizeof *x->shape, hash);
    if (!has_starts(x)) return hash;
    hash = kf__hash(x->u.slice.start, x->rank * sizeof *x->u.slice.start, hash);
    return kf__hash(x->u.slice.step, x->rank * sizeof *x->u.slice.step, hash);
}

static bool same(const void *a, const void *b, size_t n) { return n == 0 || memcmp(a, b, n) == 0; }

static bool same_node(const kf__node *x, const kf__node *y) {
    if (x->kind != y->kind || x->dtype != y->dtype || x->rank != y->rank ||
        x->n_args != y->n_args || x->op != y->op || x->field != y->field || x->weak != y->weak ||
        x->axes != y->axes || x->index != y->index)
        return false;
    if (!same(x->args, y->args, sizeof x->args) ||
        !same(x->shape, y->shape, x->rank * sizeof *x->shape))
        return false;
    if (x->kind == KF__CONSTANT) return same(&x->u, &y->u, 8);
    if (x->kind == KF__PERMUTE) return same(x->u.perm, y->u.perm, x->rank);
    if (!has_starts(x)) return true;
    return same(x->u.slice.start, y->u.slice.start, x->rank * sizeof *x->u.slice.start) &&
           same(x->u.slice.step, y->u.slice.step, x->rank * sizeof *x->u.slice.step);
}

static bool grow_table(kf_graph *g) {
    uint32_t size = g->table_size ? g->table_size * 2 : 64;
    uint32_t *table = kf__allocate(g->mem, size * sizeof *table);
    if (!table) return false;
    memset(table, 0, size * sizeof *table);
    for (uint32_t i = 1; i < g->nodes.n; i++) {
        uint32_t slot = (uint32_t)hash_of(kf__at(g, i)) & (size - 1);
        while (table[slot]) slot = (slot + 1) & (size - 1);
        table[slot] = i;
    }
    kf__release(g->mem, g->table);
    g->table = table;
    g->table_size = size;
    return true;
}

/* The node's own copies of what it points to. */
static bool own(kf_graph *g, kf__node *x) {
    x->shape = kf__arena_copy(&g->arena, x->shape, x->rank * sizeof *x->shape);
    if (!x->shape) return false;
    if (!has_starts(x)) return true;
    x->u.slice.start =
        kf__arena_copy(&g->arena, x->u.slice.start, x->rank * sizeof *x->u.slice.start);
    x->u.slice.step = kf__arena_copy(&g->arena, x->u.slice.step, x->rank * sizeof *x->u.slice.step);
    return x->u.slice.start && x->u.slice.step;
}

kf__ref kf__node_find_or_add(kf_graph *g, const kf__node *like) {
    kf__node x = *like;
    if (!kf__graph_ok(g)) return 0;
    for (int i = 0; i < x.rank; i++)
        if (!x.shape[i]) return kf__graph_no_expr(g);
    if (g->nodes.n * 2 >= g->table_size && !grow_table(g)) return kf__graph_no_memory(g);
    uint32_t slot = (uint32_t)hash_of(&x) & (g->table_size - 1);
    for (; g->table[slot]; slot = (slot + 1) & (g->table_size - 1))
        if (same_node(kf__at(g, g->table[slot]), &x)) return g->table[slot];
    if (g->nodes.n > KF__MAX_NODES)
        return kf__graph_fail(g, KF_ERR_LIMIT, "more than %d operations: split the computation",
                              (int)KF__MAX_NODES);
    x.call = g->call;
    if (!own(g, &x) || !KF__PUSH(g->mem, &g->nodes, x)) return kf__graph_no_memory(g);
    g->table[slot] = g->nodes.n - 1;
    return g->nodes.n - 1;
}

/* ---------------------------------------------------------------- sizes that must be equal */

/* Who stands for all that are equal to it. The smaller class joined the larger one each time, so
 * ways are short. */
static kf__expr class_of(const kf_graph *g, kf__expr e) {
    while (e < g->equal.n && g->equal.at[e].to) e = g->equal.at[e].to;
    return e;
}

static bool join_classes(kf_graph *g, kf__expr a, kf__expr b) {
    while (g->equal.n <= kf__max(a, b))
        if (!KF__PUSH(g->mem, &g->equal, ((kf__equal){0, 1}))) return false;
    a = class_of(g, a), b = class_of(g, b);
    if (a == b) return true;
    bool swap = g->equal.at[a].n < g->equal.at[b].n;
    kf__expr large = swap ? b : a, small = swap ? a : b;
    g->equal.at[small].to = large;
    g->equal.at[large].n += g->equal.at[small].n;
    return true;
}

bool kf__keep_constraint(kf_graph *g, kf__constraint c) {
    c.why = kf__arena_string(&g->arena, c.why, strlen(c.why));
    if (c.shown) {
        c.shown = kf__arena_string(&g->arena, c.shown, strlen(c.shown));
        if (!c.shown) return false;
    }
    return c.why && join_classes(g, c.a, c.b) && KF__PUSH(g->mem, &g->constraints, c);
}

bool kf__sizes_equal(const kf_graph *g, kf__expr a, kf__expr b) {
    return a == b || class_of(g, a) == class_of(g, b);
}

kf__expr kf__same_size(kf_graph *g, kf__expr a, kf__expr b, const char *why) {
    int64_t x, y, difference;
    if (!a || !b) return kf__graph_no_expr(g);
    if (a == b) return a;
    bool const_a = kf__x_is_const(&g->exprs, a, &x), const_b = kf__x_is_const(&g->exprs, b, &y);
    if (const_a && const_b && strncmp(why, KF__WHY_ELEMENTS, strlen(KF__WHY_ELEMENTS)) == 0)
        return kf__graph_fail(g, KF_ERR_SHAPE, "%lld %s", (long long)kf__max(x, y), why);
    if (const_a && const_b)
        return kf__graph_fail(g, KF_ERR_SHAPE, "%s: sizes %lld and %lld differ", why, (long long)x,
                              (long long)y);
    kf__expr minus = kf__x_sub(&g->exprs, a, b);
    if (!minus) return kf__graph_no_expr(g);
    if (kf__x_is_const(&g->exprs, minus, &difference))
        return kf__graph_fail(g, KF_ERR_SHAPE, "%s: one size is larger than the other by %lld", why,
                              (long long)(difference < 0 ? -difference : difference));
    kf__constraint c = {.a = a, .b = b, .why = (char *)why};
    if (!kf__sizes_equal(g, a, b) && !kf__keep_constraint(g, c)) return kf__graph_no_memory(g);
    if (const_a || const_b) return const_a ? a : b;
    return a < b ? a : b;
}

bool kf__size_fits(kf_graph *g, kf__dtype dtype, kf__expr size) {
    int bits = 8 * kf__types[dtype].size;
    if (kf__types[dtype].class != KF__CLASS_INT || bits == 64) return true;
    int64_t low = dtype == KF__U8 ? 0 : -((int64_t)1 << (bits - 1));
    int64_t high = dtype == KF__U8 ? 255 : -(low + 1);
    kf__expr most = kf__x_const(&g->exprs, high), least = kf__x_const(&g->exprs, low);
    if (!most || !least) return kf__graph_no_expr(g);
    kf__expr near = kf__x_max(&g->exprs, kf__x_min(&g->exprs, size, most), least);
    char *why = kf__arena_printf(&g->arena, KF__WHY_FITS "%s", kf__types[dtype].name);
    if (!near || !why) return kf__graph_no_memory(g);
    kf__constraint c = {.a = near, .b = size, .why = why};
    return kf__sizes_equal(g, near, size) || kf__keep_constraint(g, c) || kf__graph_no_memory(g);
}
