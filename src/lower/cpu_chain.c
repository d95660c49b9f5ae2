/* Functions of functions, in loops of their own:
 *
 *     tanh(log1p(exp(x)))      for (l < len)  chain0[l] = exp(x[l])
 *                              for (l < len)  chain0[l] = log1p(chain0[l])
 *                              for (l < len)  out[l] = tanh(chain0[l])
 *
 * A function is a long chain of operations, and a processor looks ahead by a few vectors of one: of
 * two in a row by half as many, and waits for each twice as long. Arrays of a block are in L1.
 * So do the longest ones (pow, lgamma, x % y) that reductions take.
 *
 * What f64 has are calls, which keep a loop from being vectorized: what is chosen around them is
 * jumps, of which every second one may be foreseen wrongly. Each is a loop of its own, its
 * argument, if that is more than a few operations, another one. */
#include "lower/cpu.h"

enum {
    ARRAYS = 4, /* of 8 KB each: with what is read and stored, as much as L1 has */
    FEW_OPS = 3, /* beside a call */
};

typedef struct chain {
    kf__low *L;
    kf__cpu_block *b;
    const kf__mask *mask;
    uint8_t *depth;             /* [n_instrs] functions, one of another, that it is behind */
    bool *needed;               /* [n_instrs] by the loops that are still to come */
    bool *root;                 /* [n_instrs] in any case */
    uint16_t array_of[ARRAYS];  /* the value that is in each */
    const char *name[ARRAYS];
    uint32_t n;
    const kf__lx *from, *to; /* the run; NULL: a block that may be short */
    const kf__lx *whole;     /* where its last few elements begin; NULL: the compiler's business */
} chain;

/* Of so many operations that a loop over lanes of reductions, which is short and unrolled, takes
 * half as long again as one of it alone. */
static bool is_long(const kf__low *L, uint32_t i) {
    kf__opcode op = (kf__opcode)L->k->instrs[i].op;
    return kf__is_function(L, i) && (kf__op_is_long(op) || op == KF__POW || op == KF__CBRT ||
                                     op == KF__ERFINV || op == KF__FLOOR_DIVIDE);
}

static bool is_call(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_OP && in->dtype == KF__F64 && kf__is_function(L, i);
}

static bool is_made(const chain *c, uint32_t i) {
    return !kf__has(c->mask, i) || c->L->value[i] || c->b->pick[i];
}

/* What value i is made of, up to what is there already. */
static kf__mask *part_of(const chain *c, uint16_t i) {
    kf__mask *part = kf__low_mask(c->L);
    if (!part) {
        c->L->failed = true;
        return NULL;
    }
    kf__add(part, i);
    for (uint32_t u = i + 1u; u-- > 0;) {
        const kf__instr *in = &c->L->k->instrs[u];
        for (int a = 0; kf__has(part, u) && !is_made(c, u) && a < in->n_args; ++a)
            if (kf__has(c->mask, in->args[a]) && !c->L->value[in->args[a]])
                kf__add(part, in->args[a]);
    }
    return part;
}

static void count_depths(chain *c) {
    for (uint32_t i = 0; i < c->L->k->n_instrs; ++i) {
        const kf__instr *in = &c->L->k->instrs[i];
        c->depth[i] = 0;
        if (is_made(c, i)) continue;
        for (int a = 0; a < in->n_args; ++a)
            c->depth[i] = (uint8_t)kf__max(c->depth[i], c->depth[in->args[a]]);
        if (kf__is_function(c->L, i) && c->depth[i] < 2) ++c->depth[i];
    }
}

/* What is stored, reduced, or otherwise more than an argument of the block's own values. */
static void find_roots(chain *c) {
    const kf__kernel *k = c->L->k;
    for (uint32_t i = 0; i < k->n_instrs; ++i) c->root[i] = kf__has(c->mask, i);
    for (uint32_t u = 0; u < k->n_instrs; ++u)
        for (int a = 0; kf__has(c->mask, u) && a < k->instrs[u].n_args; ++a)
            c->root[k->instrs[u].args[a]] = false;
    for (uint32_t u = 0; u < k->n_instrs; ++u)
        for (int a = 0; !kf__has(c->mask, u) && a < k->instrs[u].n_args; ++a)
            c->root[k->instrs[u].args[a]] = true;
    for (uint32_t s = 0; s < k->n_stores; ++s) {
        uint16_t value = kf__cpu_unrounded(c->L, (uint16_t)s); /* as it is stored of */
        c->root[k->stores[s].instr] = true;
        c->root[value] = c->root[value] || kf__has(c->mask, value);
    }
    for (uint32_t v = 0; v < c->b->n_kept; ++v) c->root[c->b->kept[v]] = true;
}

static void find_needed(chain *c) {
    const kf__kernel *k = c->L->k;
    for (uint32_t i = 0; i < k->n_instrs; ++i) c->needed[i] = kf__has(c->mask, i) && c->root[i];
    for (uint32_t i = k->n_instrs; i-- > 0;)
        for (int a = 0; c->needed[i] && !is_made(c, i) && a < k->instrs[i].n_args; ++a)
            c->needed[k->instrs[i].args[a]] = true;
}

/* An array whose value nothing behind i needs; ARRAYS: there is none. */
static uint32_t free_array(chain *c, uint16_t i) {
    uint32_t at = 0;
    c->b->pick[i] = ""; /* as if it were there */
    find_needed(c);
    c->b->pick[i] = NULL;
    kf__dtype type = (kf__dtype)c->L->k->instrs[i].dtype;
    while (at < c->n && (c->needed[c->array_of[at]] ||
                         (kf__dtype)c->L->k->instrs[c->array_of[at]].dtype != type))
        ++at;
    if (at < c->n || at == ARRAYS) return at;
    c->name[at] = kf__l_name(c->L, "chain%u", (unsigned)i);
    kf__put_var(c->L, kf__ctype(type), c->name[at], c->b->most + (c->whole ? KF__CPU_FEW : 0),
                NULL);
    ++c->n;
    return at;
}

/* Value i in a loop of its own. False: there is no array for it. */
static bool put_value(chain *c, uint16_t i) {
    uint32_t at = free_array(c, i);
    if (at == ARRAYS) return false;
    kf__held h = {.n = 1, .instr = {i}, .name = {c->name[at]}, .mask = part_of(c, i),
                  .whole = kf__l_name(c->L, "whole_v%u", (unsigned)i)}; /* arrays are used again */
    if (!h.mask) return false;
    const kf__lx *begin = kf__l_int(c->L, 0);
    if (c->from) kf__cpu_make_run(c->L, c->b, &h, begin, c->from, c->whole ? c->whole : c->to);
    else kf__cpu_make(c->L, c->b, &h, begin);
    if (c->whole) kf__cpu_make_last(c->L, c->b, &h, begin, c->whole, c->to);
    c->array_of[at] = i;
    c->b->pick[i] = c->name[at];
    return true;
}

/* Is what function `f` takes of value i all that is needed of the functions in it? */
static bool is_apart(const chain *c, uint32_t f, uint16_t i) {
    const kf__kernel *k = c->L->k;
    const kf__mask *part = part_of(c, i);
    for (uint32_t u = 0; part && u < k->n_instrs; ++u) {
        if (is_made(c, u) || kf__has(part, u) || u == f) continue;
        for (int a = 0; a < k->instrs[u].n_args; ++a) {
            uint16_t arg = k->instrs[u].args[a];
            if (arg != i && kf__has(part, arg) && c->depth[arg]) return false;
        }
    }
    return true;
}

/* The functions in value i, each by itself. */
static bool put_functions(chain *c, uint16_t i) {
    const kf__mask *part = part_of(c, i);
    for (uint32_t f = 0; part && f <= i; ++f) {
        if (!kf__has(part, f) || is_made(c, f) || !kf__is_function(c->L, f)) continue;
        find_needed(c);
        if (c->needed[f] && !put_value(c, (uint16_t)f)) return false;
    }
    return true;
}

static uint32_t count_ops(const chain *c, const kf__mask *part) {
    uint32_t n = 0;
    for (uint32_t i = 0; part && i < c->L->k->n_instrs; ++i)
        n += kf__has(part, i) && !is_made(c, i) &&
             (c->L->k->instrs[i].kind == KF__I_OP || c->L->k->instrs[i].kind == KF__I_CAST);
    return n;
}

/* A call, and its arguments, where they or what is made of it are more than a few operations. */
static bool put_call(chain *c, uint16_t f) {
    const kf__instr *in = &c->L->k->instrs[f];
    uint32_t made = count_ops(c, part_of(c, f)), all = count_ops(c, c->mask);
    if (all - made < FEW_OPS && made < FEW_OPS + 1) return true;
    for (int a = 0; made > FEW_OPS && a < in->n_args; ++a) {
        uint16_t arg = in->args[a];
        if (is_made(c, arg) || count_ops(c, part_of(c, arg)) < FEW_OPS) continue;
        if (!put_value(c, arg)) return false;
        find_needed(c);
    }
    return put_value(c, f);
}

static bool may_have(const kf__low *L, const kf__cpu_block *b, const kf__mask *mask) {
    uint32_t n = 0;
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        if (!kf__has(mask, i)) continue;
        if (L->k->instrs[i].kind == KF__I_SCAN && !L->value[i]) return false; /* one by one */
        n += kf__is_function(L, i);
        any = any || (b->folds && is_long(L, i)) || is_call(L, i);
    }
    return n > 1 || any;
}

static bool open_chains(chain *c, kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    if (!may_have(L, b, mask)) return false;
    *c = (chain){.L = L, .b = b, .mask = mask, .depth = KF__NEW(L->arena, uint8_t, L->k->n_instrs),
                 .needed = KF__NEW(L->arena, bool, L->k->n_instrs),
                 .root = KF__NEW(L->arena, bool, L->k->n_instrs)};
    if (!c->depth || !c->needed || !c->root) L->failed = true;
    if (L->failed) return false;
    count_depths(c);
    return true;
}

bool kf__cpu_has_chains(kf__low *L, kf__cpu_block *b, const kf__mask *mask) {
    chain c;
    if (!open_chains(&c, L, b, mask)) return false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (c.depth[i] > 1) return true;
    return false;
}

void kf__cpu_put_chains(kf__low *L, kf__cpu_block *b, const kf__mask *mask, const kf__lx *from,
                        const kf__lx *to, const kf__lx *whole) {
    chain c;
    if (!open_chains(&c, L, b, mask)) return;
    bool run = !L->k->reduced && L->n_axes < 2; /* vectors leave little of it: no loop for that */
    c.from = run && !from ? kf__l_int(L, 0) : from;
    c.to = run && !to ? b->len : to;
    c.whole = whole;
    find_roots(&c);
    find_needed(&c); /* what only picks are made of is made by their runs */
    for (uint32_t f = 0; f < L->k->n_instrs && !L->failed; ++f) {
        if (is_made(&c, f) || !kf__is_function(L, f) || !c.needed[f]) continue;
        const kf__instr *in = &L->k->instrs[f];
        bool any = false;
        for (int a = 0; a < in->n_args; ++a) {
            uint16_t arg = in->args[a];
            if (is_made(&c, arg) || !c.depth[arg]) continue;
            any = true;
            if (!(is_apart(&c, f, arg) ? put_value(&c, arg) : put_functions(&c, arg))) return;
        }
        if (!any) continue;
        count_depths(&c);
        find_needed(&c);
    }
    for (uint32_t f = 0; b->folds && f < L->k->n_instrs && !L->failed; ++f) {
        if (is_made(&c, f) || !is_long(L, f)) continue;
        find_needed(&c);
        if (c.needed[f] && !put_value(&c, (uint16_t)f)) return;
    }
    for (uint32_t f = 0; f < L->k->n_instrs && !L->failed; ++f) {
        if (is_made(&c, f) || !is_call(L, f)) continue;
        find_needed(&c);
        if (c.needed[f] && !put_call(&c, (uint16_t)f)) return;
    }
}
