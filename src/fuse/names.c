/* What people read of a partition: names of kernels, the operations in them, sentences of cuts. */
#include <stdio.h>

#include "fuse/internal.h"

const char *const kf__cut_codes[KF__CUT_COUNT] = {
#define CUT(id, code, sentence) code,
#include "fuse/cuts.def"
#undef CUT
};

static const char *const sentences[KF__CUT_COUNT] = {
#define CUT(id, code, sentence) sentence,
#include "fuse/cuts.def"
#undef CUT
};

/* The same of a scan. */
static const char cumulative[] =
    "%u needs %v, which is made element by element along %a, and reads it otherwise: %t is stored "
    "first";

static const char *primitive_name(const kf_graph *g, kf__ref ref) {
    static const char *const kinds[KF__KIND_COUNT] = {
        [KF__INPUT] = "input", [KF__CONSTANT] = "constant", [KF__SCALAR] = "scalar",
        [KF__SIZE] = "size", [KF__CAST] = "cast", [KF__EXPAND] = "expand",
        [KF__PERMUTE] = "permute",
        [KF__RESHAPE] = "reshape", [KF__SLICE] = "slice", [KF__RANDOM] = "random",
        [KF__IOTA] = "arange", [KF__PAD] = "pad",
        [KF__CONCAT] = "concatenate", [KF__GATHER] = "take"};
    const kf__node *n = kf__at(g, ref);
    if (n->kind == KF__OP) return kf__ops[n->op].name;
    if (n->kind == KF__REDUCE) return kf__reds[n->op].field[n->field].name; /* "max" of a softmax */
    if (n->kind == KF__SCAN) return "scan";
    return kinds[n->kind] ? kinds[n->kind] : "value";
}

/* What the user called it; else what it is. */
static const char *name_of(const kf_graph *g, kf__ref ref) {
    uint32_t call = kf__at(g, ref)->call;
    if (call && call < g->calls.n && g->calls.at[call][0]) return g->calls.at[call];
    return primitive_name(g, ref);
}

/* "softmax", or its "subtract of softmax" where `other` is of the same call. */
static void print_name(const kf_graph *g, kf__ref ref, kf__ref other, kf__text *text) {
    uint32_t call = kf__at(g, ref)->call;
    const char *name = name_of(g, ref), *primitive = primitive_name(g, ref);
    if (call && call == kf__at(g, other)->call && strcmp(name, primitive) != 0)
        kf__print(text, "the %s in %s", primitive, name);
    else
        kf__print(text, "%s", name);
}

typedef KF__VEC(kf__ref) refs;

static bool add_op(const kf_allocator *mem, const kf_graph *g, refs *ops, kf__ref ref) {
    uint32_t call = kf__at(g, ref)->call;
    for (uint32_t i = 0; i < ops->n; i++) {
        if (ops->at[i] == ref) return true;
        if (call && kf__at(g, ops->at[i])->call == call) return true;
    }
    if (!KF__PUSH(mem, ops, ref)) return false;
    for (uint32_t i = ops->n - 1; i > 0 && ops->at[i - 1] > ref; i--) { /* as in the graph */
        ops->at[i] = ops->at[i - 1];
        ops->at[i - 1] = ref;
    }
    return true;
}

static bool collect_ops(const kf_allocator *mem, const kf_graph *g, const kf__kernel *k,
                        const kf__roots *roots, refs *ops) {
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        if (in->kind != KF__I_OP && in->kind != KF__I_PROJECT && in->kind != KF__I_RANDOM &&
            in->kind != KF__I_SCAN &&
            in->kind != KF__I_CAST && in->kind != KF__I_INDEX && in->kind != KF__I_PICK)
            continue;
        bool called = kf__at(g, in->node)->call != 0;
        if ((in->level == KF__LEVEL_SCALAR || in->kind == KF__I_CAST) && !called) continue;
        if (!add_op(mem, g, ops, in->node)) return false;
    }
    for (uint32_t i = 0; i < roots->n; i++) {
        kf__ref whole = roots->at[i].whole;
        if (whole && kf__at(g, whole)->call && !add_op(mem, g, ops, whole)) return false;
    }
    if (ops->n) return true;
    for (uint32_t i = 0; i < roots->n; i++) { /* nothing but views */
        kf__ref ref = roots->at[i].node;
        for (; kf__is_view(kf__at(g, ref)); ref = kf__at(g, ref)->args[0])
            if (kf__at(g, ref)->call && !add_op(mem, g, ops, ref)) return false;
    }
    return true;
}

bool kf__kernel_names(kf__partition *p, uint32_t number, kf__kernel *k, const kf__roots *roots) {
    const kf_graph *g = p->graph;
    const kf_allocator *mem = p->arena.mem;
    enum { LONGEST = 48, MOST = 4 };
    char name[LONGEST + 16];
    refs ops = {0};
    bool ok = collect_ops(mem, g, k, roots, &ops);
    k->n_ops = ops.n;
    k->ops = KF__NEW(&p->arena, char *, ops.n ? ops.n : 1);
    ok = ok && k->ops;
    int n = snprintf(name, sizeof(name), "k%u", number);
    if (ok && !ops.n) n += snprintf(name + n, sizeof(name) - (size_t)n, "_copy");
    for (uint32_t i = 0; ok && i < ops.n; i++) {
        const char *op = name_of(g, ops.at[i]);
        ok = (k->ops[i] = kf__arena_string(&p->arena, op, strlen(op))) != NULL;
        if (i >= MOST || n + 1 + (int)strlen(op) > LONGEST) continue;
        int start = n;
        name[n++] = '_';
        for (const char *c = op; *c; c++)
            if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                *c == '_')
                name[n++] = *c;
        if (n == start + 1) n = start;
    }
    name[n] = 0;
    k->name = ok ? kf__arena_string(&p->arena, name, (size_t)n) : NULL;
    KF__VEC_FREE(mem, &ops);
    return k->name != NULL;
}

static void print_axes(const kf_graph *g, kf__ref ref, kf__text *text) {
    const kf__node *n = kf__at(g, ref);
    const char *comma = "";
    int count = 0;
    if (n->kind == KF__SCAN) {
        kf__print(text, "axis %u", n->index);
        return;
    }
    if (n->kind != KF__REDUCE) {
        kf__print(text, "whole axes");
        return;
    }
    for (int i = 0; i < n->rank; i++) count += n->axes >> i & 1;
    kf__print(text, count == 1 ? "axis " : "axes ");
    for (int i = 0; i < n->rank; i++) {
        if (!(n->axes >> i & 1)) continue;
        bool last = !(n->axes >> (i + 1));
        kf__print(text, "%s%d", !*comma ? "" : last ? " and " : comma, i);
        comma = ", ";
    }
}

/* The operation behind a cast that nobody wrote (parse/eager.c). */
static kf__ref behind_cast(const kf_graph *g, kf__ref user) {
    if (kf__at(g, user)->kind != KF__CAST || kf__at(g, user)->call) return user;
    for (kf__ref r = user + 1; r < g->nodes.n; r++)
        for (int k = 0; k < kf__at(g, r)->n_args; k++)
            if (kf__at(g, r)->args[k] == user) return r;
    return user;
}

char *kf__cut_sentence(kf__partition *p, kf__cut_code code, kf__ref node, kf__ref user) {
    const kf_graph *g = p->graph;
    user = behind_cast(g, user);
    kf__ref reduce = node; /* the axes of the nearest reduction below an epilogue */
    bool is_scan = code == KF__CUT_REDUCTION_AXIS && kf__at(g, node)->kind == KF__SCAN;
    for (int steps = 0; !is_scan && steps < 64 && kf__at(g, reduce)->kind != KF__REDUCE; steps++) {
        kf__ref next = 0;
        for (int i = 0; i < kf__at(g, reduce)->n_args && !next; i++) {
            kf__ref arg = kf__peel(g, kf__at(g, reduce)->args[i]);
            kf__kind kind = kf__at(g, arg)->kind;
            if (kind == KF__OP || kind == KF__CAST || kind == KF__REDUCE) next = arg;
        }
        if (!next) break;
        reduce = next;
    }
    kf__text text;
    kf__text_init(&text, p->arena.mem);
    for (const char *c = is_scan ? cumulative : sentences[code]; *c; c++) {
        if (*c != '%') {
            kf__print_bytes(&text, c, 1);
            continue;
        }
        switch (*++c) {
        case 'v': print_name(g, node, user, &text); break;
        case 'u': print_name(g, user, node, &text); break;
        case 'a': print_axes(g, reduce, &text); break;
        default: kf__print_type(g, node, &text);
        }
    }
    char *copy = text.failed ? NULL : kf__arena_string(&p->arena, text.at ? text.at : "", text.n);
    kf__text_free(&text);
    return copy;
}
