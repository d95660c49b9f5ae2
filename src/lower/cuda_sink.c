/* A concatenation of parts to each of which the same is done is that of the concatenation: what is
 * done stands once, and a pick of loads needs no branch.
 *
 *     roll(softmax(x), 1)      v0 ? exp(r1 - max) * scale : exp(r14 - max) * scale
 *                              exp((v0 ? r1 : r14) - max) * scale */
#include <stdlib.h>

#include "lower/cuda.h"

enum { MOST_PARTS = 64 };

/* How many instructions and stores use it? */
static uint32_t uses(const kf__kernel *k, uint32_t i) {
    uint32_t n = 0;
    for (uint32_t u = i + 1; u < k->n_instrs; ++u) {
        const kf__instr *in = &k->instrs[u];
        bool any = false;
        for (int a = 0; a < in->n_args; ++a) any |= in->args[a] == i;
        n += any;
    }
    for (uint32_t s = 0; s < k->n_stores; ++s) n += k->stores[s].instr == i;
    return n;
}

/* Is it done to an element, for nothing but the pick? */
static bool is_done(const kf__kernel *k, uint32_t i) {
    const kf__instr *in = &k->instrs[i];
    bool done = in->kind == KF__I_OP || in->kind == KF__I_CAST;
    return done && in->level == KF__LEVEL_FULL && uses(k, i) == 1;
}

/* Which argument is an element; -1: none, or several. */
static int element_of(const kf__kernel *k, const kf__instr *in) {
    int found = -1;
    for (int a = 0; a < in->n_args; ++a) {
        if (k->instrs[in->args[a]].level != KF__LEVEL_FULL) continue;
        if (found >= 0) return -1;
        found = a;
    }
    return found;
}

static bool same_done(const kf__kernel *k, const kf__instr *a, const kf__instr *b, int element) {
    if (a->kind != b->kind || a->op != b->op || a->dtype != b->dtype || a->n_args != b->n_args)
        return false;
    for (int i = 0; i < a->n_args; ++i)
        if (i != element && a->args[i] != b->args[i]) return false;
    return k->instrs[a->args[element]].dtype == k->instrs[b->args[element]].dtype;
}

/* The picks of a concatenation, the last part's first; 0: too many, or one is used elsewhere. */
static uint32_t find_chain(const kf__kernel *k, uint32_t head, uint32_t *picks) {
    uint32_t n = 0;
    for (uint32_t i = head;; i = k->instrs[i].args[2]) {
        if (n == MOST_PARTS || k->instrs[i].kind != KF__I_PICK || (n && uses(k, i) != 1)) return 0;
        picks[n++] = i;
        if (k->instrs[i].field == KF__PICK_LAST) break;
    }
    for (uint32_t i = 0; i < n / 2; ++i) {
        uint32_t other = picks[n - 1 - i];
        picks[n - 1 - i] = picks[i], picks[i] = other;
    }
    return n;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* pick(g, f(x), f(y)) becomes f(pick(g, x, y)). Gives where the pick is then; 0: it isn't such a
 * one. */
static uint32_t sink(kf__kernel *k, uint32_t head) {
    uint32_t picks[MOST_PARTS], slots[2 * MOST_PARTS], n = find_chain(k, head, picks);
    kf__instr chain[MOST_PARTS];
    if (!n) return 0;
    uint32_t first = k->instrs[head].args[1];
    kf__instr done = k->instrs[first];
    int element = is_done(k, first) ? element_of(k, &done) : -1;
    if (element < 0) return 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t part = k->instrs[picks[i]].args[1];
        if (!is_done(k, part) || !same_done(k, &done, &k->instrs[part], element)) return 0;
        chain[i] = k->instrs[picks[i]];
        chain[i].args[1] = k->instrs[part].args[element];
        if (!i) chain[i].args[2] = chain[i].args[1]; /* the last one's */
        chain[i].dtype = k->instrs[chain[i].args[1]].dtype;
        slots[2 * i] = picks[i], slots[2 * i + 1] = part;
    }
    /* In place of the picks and of what was done to each part: the last n of these before the
     * head. */
    qsort(slots, 2 * n, sizeof *slots, compare);
    const uint32_t *to = slots + n - 1;
    for (uint32_t i = 0; i < n; ++i) {
        if (i) chain[i].args[2] = (uint16_t)to[i - 1];
        if (chain[i].args[0] >= to[i] || chain[i].args[1] >= to[i]) return 0;
    }
    const kf__instr unused = {.kind = KF__I_CONSTANT, .dtype = KF__BOOL};
    for (uint32_t i = 0; i + 1 < n; ++i) k->instrs[slots[i]] = unused;
    for (uint32_t i = 0; i < n; ++i) k->instrs[to[i]] = chain[i];
    done.args[element] = (uint16_t)to[n - 1];
    done.stage = k->instrs[head].stage;
    k->instrs[head] = done;
    return to[n - 1];
}

/* Is it a pick, and not but the rest of another one? */
static bool is_head(const kf__kernel *k, uint32_t i) {
    const kf__instr *in = &k->instrs[i];
    if (in->kind != KF__I_PICK || in->level != KF__LEVEL_FULL) return false;
    for (uint32_t u = i + 1; u < k->n_instrs; ++u) {
        in = &k->instrs[u];
        if (in->kind == KF__I_PICK && in->field == KF__PICK_MORE && in->args[2] == i) return false;
    }
    return true;
}

void kf__cuda_sink(kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) any |= L->k->instrs[i].kind == KF__I_PICK;
    kf__kernel *k = any ? kf__low_copy_kernel(L, 0, 0) : NULL;
    if (!k) return;
    for (uint32_t i = k->n_instrs; i-- > 0;)
        for (uint32_t at = i; at && is_head(k, at);) at = sink(k, at);
    L->k = k;
}
