/* Bytes and work of kernels: exact ones for given sizes, for explain, and the guess that decides
 * between partitions.
 *
 * The guess counts bytes, each launch as the bytes that could be moved meanwhile, and for work the
 * bytes that take as long: an addition hides behind memory, a hundred exponentials don't.
 */
#include "fuse/internal.h"

enum {
    EXP_BYTES = 8, /* a softmax's exponential, taken again where it could be copied */
    CPU_PICK_BYTES = 1, /* each is a loop of its own, for each line again */
    CPU_WIDE_BYTES = 3, /* a product of int64, and a float of it: 144,000 take a Xeon 38 us */
    CPU_CALLED = 20, /* times as long as of floats: 4 to 12 ns of a Zen 4, and .25 to .5 */
    CPU_DIVIDE_BYTES = 6, /* and a square root: h = rsqrt(x); cumsum(h, 1), cumsum(h, 0) of 100,000
                           * takes a Zen 4 138 us with two of them, 104 with one */
    CPU_F16_BYTES = 4, /* to round to it what more is made of: 100,000 take a Zen 4 11 us */
    CPU_BF16_BYTES = 3, /* to that once more: h = x * 2; h, h[:, ::-1] * 2 of 1024x1024 takes a Zen 4
                         * 340 us as one kernel, 261 as two */
    PACK = 4, /* elements that share what doesn't depend on all axes */
};

/* Of a function: on a GPU exponentials; on a CPU what a core could copy meanwhile, from caches
 * where a temporary mostly lies (measured on a Xeon with AVX-512). */
static double function_weight(kf__opcode op, bool cpu) {
    switch (op) {
    case KF__GCD: case KF__LCM: return cpu ? 400 : 4;
    case KF__LGAMMA: case KF__DIGAMMA: return cpu ? 90 : 4;
    case KF__FMOD: case KF__REMAINDER: return cpu ? 25 : 4;
    case KF__POW: return cpu ? 20 : 4;
    case KF__FLOOR_DIVIDE: return cpu ? 12 : 2;
    case KF__SIN: case KF__COS: case KF__TAN: case KF__ERFINV: return cpu ? 18 : 1.5;
    case KF__ERF: return cpu ? 8 : 1.5;
    case KF__DIVIDE: case KF__SQRT: case KF__RSQRT: case KF__RECIPROCAL:
        return cpu ? CPU_DIVIDE_BYTES : 0.3;
    default: return kf__ops[op].ulp > 0 ? cpu ? 10 : 1 : 0.1; /* a function of the prelude */
    }
}

double kf__text_of(const kf__instr *i) {
    double weight = i->kind == KF__I_OP ? function_weight((kf__opcode)i->op, true) : 0;
    if (i->kind == KF__I_RANDOM) weight = i->dtype == KF__I64 ? 40 : 15;
    return weight <= CPU_DIVIDE_BYTES ? 0.5 : kf__min(weight, 40);
}

/* Of two arrays: to multiply an index by a number takes no more than an addition. */
static bool is_wide_product(const kf_graph *g, const kf__node *n) {
    if (n->kind != KF__OP || n->op != KF__MULTIPLY || n->dtype != KF__I64) return false;
    return kf__at(g, kf__peel(g, n->args[0]))->rank && kf__at(g, kf__peel(g, n->args[1]))->rank;
}

/* A call of the C library for each element, where floats have vectors. */
static bool is_called(const kf__node *n, bool cpu) {
    return cpu && n->dtype == KF__F64 && kf__ops[n->op].ulp > 0;
}

/* Work of one element, as bytes it is worth. */
static double node_weight(const kf_graph *g, const kf__node *n, bool cpu) {
    if (cpu && is_wide_product(g, n)) return CPU_WIDE_BYTES;
    switch (n->kind) {
    case KF__OP:
        return function_weight((kf__opcode)n->op, cpu) * (is_called(n, cpu) ? CPU_CALLED : 1);
    case KF__RANDOM: return (cpu ? 12 : KF__WORD_BYTES) * (n->dtype == KF__I64 ? 2 : 1);
    case KF__SCAN: return 0.3;
    case KF__REDUCE: return n->op == KF__RED_MAX_SUMEXP ? cpu ? 10 : 1 : 0.3;
    default: return 0.05;
    }
}

static bool product(const kf__exprs *x, const kf__expr *size, uint32_t n, uint32_t mask,
                    const int64_t *names, int64_t *out) {
    *out = 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t s;
        if (!(mask >> i & 1)) continue;
        if (!kf__x_eval(x, size[i], names, NULL, &s) || !kf__mul_ok(*out, s, out)) return false;
    }
    return true;
}

/* An instruction is asked for where `guard` holds only: for as many indices of each of `wanted`
 * axes as are inside of every range of it. */
static bool narrow(const kf__exprs *x, const kf__kernel *k, uint32_t guard, const int64_t *names,
                   uint32_t wanted, int64_t *size) {
    const kf__instr *in = &k->instrs[guard];
    if (in->kind == KF__I_OP && in->op == KF__BITWISE_AND && in->dtype == KF__BOOL)
        return narrow(x, k, in->args[0], names, wanted, size) &&
               narrow(x, k, in->args[1], names, wanted, size);
    if (in->kind != KF__I_INSIDE) return true;
    const kf__access *a = &k->accesses[in->access];
    uint32_t axes = kf__axes_of(x, a->index[0]);
    int64_t inside;
    /* of several, or of an axis that is divided */
    if (!a->affine || axes & (axes - 1) || !(axes & wanted)) return true;
    if (!kf__x_eval(x, a->shape[0], names, NULL, &inside)) return false;
    for (uint32_t i = 0; i < k->n_axes; i++)
        if (axes >> i & 1) size[i] = kf__max(0, kf__min(size[i], inside));
    return true;
}

/* Does an affine index tell its axes apart, as the place in an array does: each axis moves it at
 * least as far as all that move it less, together? */
static bool is_place(const kf__exprs *x, const kf__kernel *k, kf__expr index,
                     const int64_t *names) {
    int64_t at[KF__ALL_AXES] = {0}, step[KF__MAX_AXES], begin, size;
    if (!kf__x_eval(x, index, names, at, &begin)) return false;
    for (uint32_t i = 0; i < k->n_axes; i++) {
        at[i] = 1;
        if (!kf__x_eval(x, index, names, at, &step[i]) || (step[i] -= begin) < 0) return false;
        at[i] = 0;
    }
    for (int64_t covered = 1;;) {
        uint32_t least = k->n_axes;
        for (uint32_t i = 0; i < k->n_axes; i++)
            if (step[i] && (least == k->n_axes || step[i] < step[least])) least = i;
        if (least == k->n_axes) return true;
        if (step[least] < covered || !kf__x_eval(x, k->size[least], names, NULL, &size) ||
            !kf__mul_ok(step[least], size, &covered))
            return false;
        step[least] = 0;
    }
}

/* An instruction is asked for at no more elements than a guard over several axes lets pass. */
static bool pass(const kf__exprs *x, const kf__kernel *k, uint32_t guard, const int64_t *names,
                 uint32_t wanted, const int64_t *size, int64_t *most) {
    const kf__instr *in = &k->instrs[guard];
    if (in->kind == KF__I_OP && in->op == KF__BITWISE_AND && in->dtype == KF__BOOL)
        return pass(x, k, in->args[0], names, wanted, size, most) &&
               pass(x, k, in->args[1], names, wanted, size, most);
    if (in->kind != KF__I_INSIDE) return true;
    const kf__access *a = &k->accesses[in->access];
    uint32_t axes = kf__axes_of(x, a->index[0]);
    int64_t inside;
    if (!a->affine || !(axes & (axes - 1)) || !is_place(x, k, a->index[0], names)) return true;
    if (!kf__x_eval(x, a->shape[0], names, NULL, &inside)) return false;
    for (uint32_t i = 0; i < k->n_axes; i++)
        if ((wanted & ~axes) >> i & 1 && !kf__mul_ok(inside, size[i], &inside)) return true;
    *most = kf__min(*most, kf__max(0, inside));
    return true;
}

/* Distinct elements that the access of a load touches, or of a store (instr UINT32_MAX): at most
 * the value's, and one for each index of the axes that it depends on. */
static bool touched(const kf__exprs *x, const kf__kernel *k, const kf__access *a, uint32_t instr,
                    const int64_t *names, int64_t *out) {
    int64_t all, size[KF__MAX_AXES];
    uint32_t axes = kf__access_axes(x, a);
    axes |= kf__symbol_axes(k->n_symbols, k->symbol_axes, axes);
    *out = 1;
    for (uint32_t i = 0; i < k->n_axes; i++)
        if ((axes >> i & 1) && !kf__x_eval(x, k->size[i], names, NULL, &size[i])) return false;
    for (int i = 0; instr != UINT32_MAX && i < k->instrs[instr].n_args; i++)
        if (!narrow(x, k, k->instrs[instr].args[i], names, axes, size)) return false;
    for (uint32_t i = 0; i < k->n_axes; i++)
        if ((axes >> i & 1) && !kf__mul_ok(*out, size[i], out)) return false;
    for (int i = 0; instr != UINT32_MAX && i < k->instrs[instr].n_args; i++)
        if (!pass(x, k, k->instrs[instr].args[i], names, axes, size, out)) return false;
    if (!product(x, a->shape, (uint32_t)a->rank, UINT32_MAX, names, &all)) return false;
    *out = kf__min(*out, all);
    return true;
}

enum { ROW_BYTES = 1 << 18 }; /* a row of an array that stays on the chip while it is worked on */

/* Do two loads read the same rows of one array, which stay on the chip: x and x[..., ::-1]? */
static bool same_rows(const kf__exprs *x, const kf__kernel *k, uint32_t i, uint32_t j,
                      const int64_t *names) {
    const kf__access *a = &k->accesses[k->instrs[i].access], *b = &k->accesses[k->instrs[j].access];
    int64_t row;
    if (k->instrs[j].kind != KF__I_LOAD || a->value != b->value || a->rank < 2) return false;
    return !memcmp(a->index, b->index, sizeof(*a->index) * (size_t)(a->rank - 1)) &&
           kf__x_eval(x, a->shape[a->rank - 1], names, NULL, &row) &&
           row < ROW_BYTES / kf__types[k->instrs[i].dtype].size && kf__goes_by_rows(x, k);
}

/* Elements that load i and those of the same rows touch; 0 where an earlier one counts them. */
static bool touched_by(const kf__exprs *x, const kf__kernel *k, uint32_t i, const int64_t *names,
                       int64_t *out) {
    const kf__access *a = &k->accesses[k->instrs[i].access];
    int64_t all, n;
    *out = 0;
    for (uint32_t j = 0; j < i; j++)
        if (same_rows(x, k, i, j, names)) return true;
    if (!product(x, a->shape, (uint32_t)a->rank, UINT32_MAX, names, &all) ||
        !touched(x, k, a, i, names, out))
        return false;
    for (uint32_t j = i + 1; j < k->n_instrs && *out < all; j++)
        if (same_rows(x, k, i, j, names))
            if (!touched(x, k, &k->accesses[k->instrs[j].access], j, names, &n) ||
                !kf__add_ok(*out, n, out))
                return false;
    *out = kf__min(*out, all);
    return true;
}

static bool bytes_of(const kf__exprs *x, const kf__kernel *k, const int64_t *names, int64_t *read,
                     int64_t *written) {
    int64_t n, size;
    *read = *written = 0;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        if (k->instrs[i].kind != KF__I_LOAD) continue;
        size = kf__types[k->instrs[i].dtype].size;
        if (!touched_by(x, k, i, names, &n) || !kf__mul_ok(n, size, &n) ||
            !kf__add_ok(*read, n, read))
            return false;
    }
    for (uint32_t i = 0; i < k->n_stores; i++) {
        size = kf__types[k->instrs[k->stores[i].instr].dtype].size;
        if (!touched(x, k, &k->accesses[k->stores[i].access], UINT32_MAX, names, &n) ||
            !kf__mul_ok(n, size, &n) || !kf__add_ok(*written, n, written))
            return false;
    }
    return true;
}

/* How often an instruction of each level is computed. */
static bool times_of(const kf__exprs *x, const kf__kernel *k, const int64_t *names,
                     int64_t times[3]) {
    times[KF__LEVEL_SCALAR] = 1;
    return product(x, k->size, k->n_axes, ~k->reduced, names, &times[KF__LEVEL_ROW]) &&
           product(x, k->size, k->n_axes, UINT32_MAX, names, &times[KF__LEVEL_FULL]);
}

static bool is_work(const kf__instr *i) {
    return i->kind == KF__I_OP || i->kind == KF__I_REDUCE || i->kind == KF__I_SCAN ||
           i->kind == KF__I_RANDOM;
}

static int level_computed(const kf__kernel *k, const kf__instr *i) {
    return i->kind == KF__I_REDUCE ? k->instrs[i->args[0]].level : i->level;
}

kf_status kf__kernel_cost(const kf__partition *p, const kf__kernel *k, const int64_t *names,
                          int64_t *read, int64_t *written, int64_t *flops) {
    const kf__exprs *x = &p->graph->exprs;
    int64_t times[3], n;
    *flops = 0;
    if (!bytes_of(x, k, names, read, written) || !times_of(x, k, names, times))
        return KF_ERR_LIMIT;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        if (!is_work(in)) continue;
        int64_t each = in->kind == KF__I_REDUCE ? kf__reds[in->op].n_fields : 1;
        if (!kf__mul_ok(times[level_computed(k, in)], each, &n) || !kf__add_ok(*flops, n, flops))
            return KF_ERR_LIMIT;
    }
    return KF_OK;
}

/* Count one more for each load that instruction i needs for every element. */
static void count_loads(const kf__kernel *k, uint32_t i, uint8_t *seen, uint8_t *stages) {
    const kf__instr *in = &k->instrs[i];
    if (seen[i] || in->level != KF__LEVEL_FULL) return;
    seen[i] = 1;
    stages[i] += in->kind == KF__I_LOAD;
    for (int a = 0; a < in->n_args; a++) count_loads(k, in->args[a], seen, stages);
}

static void count_stages(const kf__kernel *k, uint8_t *seen, uint8_t *stages) {
    for (uint32_t s = 0; s < k->n_stages; s++) {
        memset(seen, 0, k->n_instrs);
        for (uint32_t i = 0; i < k->n_instrs; i++) {
            uint32_t arg = k->instrs[i].args[0];
            if (k->instrs[i].kind == KF__I_REDUCE && k->instrs[arg].stage == s)
                count_loads(k, arg, seen, stages);
        }
        for (uint32_t i = 0; i < k->n_stores; i++)
            if (k->instrs[k->stores[i].instr].stage == s)
                count_loads(k, k->stores[i].instr, seen, stages);
    }
}

kf_status kf__kernel_again(const kf__partition *p, const kf__kernel *k, const int64_t *names,
                           int64_t *again, int64_t *row, int64_t *widest) {
    const kf__exprs *x = &p->graph->exprs;
    uint8_t seen[KF__MAX_INSTRS], stages[KF__MAX_INSTRS] = {0};
    int64_t times[3], n;
    *again = *row = *widest = 0;
    if (k->kind != KF__ROW || k->n_stages < 2 || kf__kernel_chunk(k) >= 0) return KF_OK;
    if (!times_of(x, k, names, times)) return KF_ERR_LIMIT;
    count_stages(k, seen, stages);
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        if (!stages[i]) continue;
        int64_t size = kf__types[k->instrs[i].dtype].size;
        if (!touched_by(x, k, i, names, &n) || !kf__mul_ok(n, size, &n)) return KF_ERR_LIMIT;
        int64_t one = n / kf__max(1, times[KF__LEVEL_ROW]);
        *row += one;
        *widest = kf__max(*widest, one);
        if (!kf__mul_ok(n, stages[i] - 1, &n) || !kf__add_ok(*again, n, again)) return KF_ERR_LIMIT;
    }
    return KF_OK;
}

static kf__kernel kernel_of(const kf__body *b) {
    kf__kernel k = {.kind = b->kind, .n_axes = b->domain.n, .reduced = b->domain.reduced,
                    .size = (kf__expr *)b->domain.size, .n_instrs = b->instrs.n,
                    .n_accesses = b->accesses.n, .n_stores = b->stores.n,
                    .instrs = b->instrs.at, .accesses = b->accesses.at,
                    .stores = b->stores.at, .n_symbols = b->n_symbols};
    memcpy(k.symbol_axes, b->symbol_axes, sizeof(k.symbol_axes));
    return k;
}

/* Of the indices of its level, how many an instruction is needed at: of what is joined each part is
 * computed where it counts. share: [instrs], 0 to 1. */
static void shares_of(const kf__exprs *x, const kf__kernel *k, const int64_t *names,
                      double *share) {
    bool joined = false;
    for (uint32_t i = 0; i < k->n_instrs; i++) joined |= k->instrs[i].kind == KF__I_PICK;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        bool reduce = k->instrs[i].kind == KF__I_REDUCE;
        share[i] = !joined || reduce || k->instrs[i].level != KF__LEVEL_FULL;
    }
    if (!joined) return;
    for (uint32_t i = 0; i < k->n_stores; i++) share[k->stores[i].instr] = 1;
    for (uint32_t i = k->n_instrs; i-- > 0;) {
        const kf__instr *in = &k->instrs[i];
        double part = share[i];
        if (in->kind == KF__I_PICK) {
            int64_t size[KF__MAX_AXES], all;
            for (uint32_t a = 0; a < k->n_axes; a++)
                if (!kf__x_eval(x, k->size[a], names, NULL, &size[a])) return;
            if (!narrow(x, k, in->args[0], names, UINT32_MAX, size)) return;
            for (uint32_t a = 0; a < k->n_axes; a++)
                if (kf__x_eval(x, k->size[a], names, NULL, &all) && all > size[a])
                    part *= (double)size[a] / (double)all;
        }
        for (int a = 0; a < in->n_args; a++) {
            double of = in->kind == KF__I_PICK && (a == 1 || in->args[2] == in->args[1])
                            ? part : share[i];
            if (share[in->args[a]] < of) share[in->args[a]] = of;
        }
    }
}

/* The axes that each instruction depends on. */
static void axes_of_all(const kf__exprs *x, const kf__kernel *k, uint32_t *axes) {
    uint32_t all = (1u << k->n_axes) - 1;
    for (uint32_t i = 0; i < k->n_instrs; i++) {
        const kf__instr *in = &k->instrs[i];
        bool placed = in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM ||
                      in->kind == KF__I_INDEX || in->kind == KF__I_INSIDE;
        axes[i] = in->kind == KF__I_PROJECT ? all & ~k->reduced : 0;
        for (int a = 0; a < in->n_args; a++) axes[i] |= axes[in->args[a]];
        if (placed) axes[i] |= kf__access_axes(x, &k->accesses[in->access]);
        axes[i] &= all;
    }
}

/* exp(x - m), m the maximum that a softmax's sum of exponentials is reduced with, along rows. */
static bool is_softmax_exp(const kf_graph *g, const kf__node *n) {
    if (n->kind != KF__OP || n->op != KF__EXP) return false;
    const kf__node *difference = kf__at(g, kf__peel(g, n->args[0]));
    if (difference->kind != KF__OP || difference->op != KF__SUBTRACT) return false;
    const kf__node *max = kf__at(g, kf__peel(g, difference->args[1]));
    return max->kind == KF__REDUCE && max->op == KF__RED_MAX_SUMEXP && max->field == 0 &&
           max->rank > 0 && max->axes >> (max->rank - 1) & 1;
}

static bool reduces_softmax(const kf__kernel *k) {
    for (uint32_t i = 0; i < k->n_instrs; i++)
        if (k->instrs[i].kind == KF__I_REDUCE && k->instrs[i].op == KF__RED_MAX_SUMEXP) return true;
    return false;
}

/* Work of one element, as bytes it is worth. A softmax's kernel of rows takes each exponential
 * once, for the sum, and keeps it. To take it again elsewhere is dear: to store the softmax, and
 * copy it, takes less time while it is in a cache, a GPU's L2 too. So does what is cumulative. */
static double weight_of(const kf__fuse_state *f, const kf__kernel *k, const kf__instr *in) {
    const kf__node *n = kf__at(f->g, in->node);
    if (!is_softmax_exp(f->g, n)) return node_weight(f->g, n, f->cpu);
    if (f->cpu) return reduces_softmax(k) ? 0.3 : node_weight(f->g, n, true);
    bool copies = k->kind == KF__POINTWISE || k->kind == KF__GATHERING || kf__kernel_chunk(k) >= 0;
    return copies ? EXP_BYTES : node_weight(f->g, n, false);
}

/* before: does the kernel cumulate what is made of it? */
static double serial_bytes(const kf__fuse_state *f, const kf__instr *in, bool before) {
    const kf__node *n = kf__at(f->g, in->node);
    if (in->level != KF__LEVEL_FULL) return 0;
    if (in->kind == KF__I_LOAD) return before ? 3 << 20 : 0;
    if (n->kind != KF__OP || node_weight(f->g, n, false) < 0.3) return 0;
    if (kf__op_is_long((kf__opcode)n->op) || n->op == KF__FLOOR_DIVIDE) return 16 << 20;
    if (!before) return 0;
    switch (n->op) {
    case KF__EXP: return 3 << 20;
    case KF__DIVIDE: case KF__RECIPROCAL: case KF__SQRT: case KF__RSQRT: case KF__ERF:
    case KF__EXP2: case KF__LOG: case KF__LOG2: case KF__LOG10: return 6 << 20;
    default: return 16 << 20;
    }
}

/* What is cumulative along columns, on a GPU: the threads of a column are few, and wait for all of
 * its elements. Up to a million elements what is behind the loads takes as long for any number of
 * columns. What an H100 moves meanwhile: cumsum(tanh(x), 0) of 317 x 316 takes 10 us, and 7 us
 * where tanh(x) is stored; of exp(x) 7 us, both. What follows, nothing waits for, but functions of
 * hundreds of instructions. bytes: [instrs], 0 in all other kernels. */
static void serial_bytes_of(const kf__fuse_state *f, const kf__kernel *k, double *bytes) {
    bool before[KF__MAX_INSTRS] = {false};
    bool serial = !f->cpu && k->kind == KF__COLUMN && kf__kernel_chunk(k) > 0;
    for (uint32_t i = k->n_instrs; i-- > 0;) {
        const kf__instr *in = &k->instrs[i];
        for (int a = 0; a < in->n_args; a++)
            before[in->args[a]] |= before[i] || in->kind == KF__I_SCAN;
        bytes[i] = serial ? serial_bytes(f, in, before[i]) : 0;
    }
}

/* Is a value rounded to float16 that could be read as it was stored? Of rows, which each stage
 * reads, of what is read more than once, or is stored at another index. What is looked at once, as
 * it is stored, is fused: a Sapphire Rapids takes h = x + y; h, h * 2 of 1024x1024 1.2 ms so, and
 * 1.4 as two kernels; h, sum(h, 0) .75 and 1.1. */
static bool rounds_again(const kf__kernel *k, const kf__instr *in) {
    bool stored = false;
    for (uint32_t i = 0; i < k->n_stores; i++) stored |= k->stores[i].instr == in->args[0];
    return k->kind == KF__ROW || (k->kind == KF__COLUMN ? kf__has_passes(k) : !stored);
}

/* Is it stored at another index than here, so that it is made and rounded twice? */
static bool rounds_twice(const kf__kernel *k, const kf__instr *in) {
    for (uint32_t i = 0; i < k->n_stores; i++) {
        uint32_t stored = k->stores[i].instr;
        if (stored != in->args[0] && k->instrs[stored].node == k->instrs[in->args[0]].node)
            return true;
    }
    return false;
}

/* What it is worth to round an element on a CPU, where that is more work than as two kernels. */
static double rounding_of(const kf__fuse_state *f, const kf__kernel *k, const kf__instr *in) {
    bool own = kf__at(f->g, in->node)->kind == KF__CAST; /* the program's */
    if (!f->cpu || in->kind != KF__I_CAST || own) return 0;
    if (in->dtype == KF__F16 && rounds_again(k, in)) return CPU_F16_BYTES;
    return in->dtype == KF__BF16 && rounds_twice(k, in) ? CPU_BF16_BYTES : 0;
}

/* What an instruction's work is worth, in bytes, for how often each level is computed. access:
 * [accesses], see kf__access_bytes. */
static double work_of(const kf__fuse_state *f, const kf__kernel *k, const kf__instr *in,
                      const int64_t times[3], const double *access) {
    double n = (double)times[level_computed(k, in)];
    double work = is_work(in) ? weight_of(f, k, in) * n : 0, rounding = rounding_of(f, k, in);
    if (in->kind == KF__I_PICK && f->cpu) work = CPU_PICK_BYTES * n;
    if (rounding) work = rounding * n;
    bool at = in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM;
    return at ? work + access[in->access] * n : work;
}

/* Is it worth storing where it would be made more than once for an element? */
static bool is_dear(const kf__fuse_state *f, const kf__instr *in) {
    const kf__node *n = kf__at(f->g, in->node);
    if (in->kind == KF__I_OP && f->cpu && is_wide_product(f->g, n)) return true;
    return (in->kind == KF__I_OP || in->kind == KF__I_RANDOM) && node_weight(f->g, n, false) >= 1;
}

double kf__node_bytes(const kf__fuse_state *f, kf__ref r) {
    const kf__node *n = kf__at(f->g, r);
    double bytes = kf__types[n->dtype].size;
    for (int i = 0; i < n->rank; i++) {
        int64_t size;
        if (!kf__x_eval(&f->g->exprs, n->shape[i], f->names, NULL, &size)) return 1e300;
        bytes *= (double)size;
    }
    return bytes;
}

void kf__body_work(const kf__body *b, double *work) {
    kf__kernel k = kernel_of(b);
    int64_t times[3];
    bool known = times_of(&b->f->g->exprs, &k, b->f->names, times);
    double serial[KF__MAX_INSTRS], access[KF__MAX_ACCESSES];
    serial_bytes_of(b->f, &k, serial);
    kf__access_bytes(b->f, &k, access);
    for (uint32_t i = 0; i < k.n_instrs; i++)
        work[i] = known ? work_of(b->f, &k, &k.instrs[i], times, access) + serial[i] : 0;
}

double kf__body_cost(const kf__body *b, double *bytes, double *again) {
    *again = 0;
    const kf_graph *g = b->f->g;
    kf__kernel k = kernel_of(b);
    int64_t read, written, times[3];
    if (!bytes_of(&g->exprs, &k, b->f->names, &read, &written) ||
        !times_of(&g->exprs, &k, b->f->names, times))
        return *bytes = 1e300;
    *bytes = (double)read + (double)written;
    double cost = KF__LAUNCH_BYTES + *bytes;
    double share[KF__MAX_INSTRS], serial[KF__MAX_INSTRS], access[KF__MAX_ACCESSES];
    uint32_t axes[KF__MAX_INSTRS];
    uint64_t dear = kf__access_bytes(b->f, &k, access);
    serial_bytes_of(b->f, &k, serial);
    shares_of(&g->exprs, &k, b->f->names, share);
    axes_of_all(&g->exprs, &k, axes);
    for (uint32_t i = 0; i < k.n_instrs; i++) {
        uint32_t all = (1u << k.n_axes) - 1;
        bool part = k.instrs[i].level == KF__LEVEL_FULL && axes[i] != all;
        bool shared = part && !(axes[i] & (all + 1) >> 1); /* by neighbours on the last axis */
        double work =
            share[i] * work_of(b->f, &k, &k.instrs[i], times, access) / (shared ? PACK : 1);
        bool at = k.instrs[i].kind == KF__I_LOAD || k.instrs[i].kind == KF__I_RANDOM;
        bool saves = at && dear >> k.instrs[i].access & 1;
        if (saves || (part && !shared && is_dear(b->f, &k.instrs[i]))) *again += work;
        *again += serial[i];
        cost += work + serial[i];
    }
    for (uint32_t i = 0; i < k.n_stores; i++) {
        const kf__access *a = &k.accesses[k.stores[i].access];
        bool full = kf__access_axes(&g->exprs, a) & k.reduced;
        double work = access[k.stores[i].access] *
                      (double)times[full ? KF__LEVEL_FULL : KF__LEVEL_ROW];
        if (dear >> k.stores[i].access & 1) *again += work;
        cost += work;
    }
    return cost;
}
