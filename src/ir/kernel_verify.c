/* What must hold of a partition: instructions use earlier ones and live where their arguments
 * allow, accesses fit their values, and every temporary and result is stored by one kernel
 * before another reads it. */
#include "ir/graph_core.h"
#include "ir/kernel.h"

typedef struct verifier {
    const kf__partition *p;
    const kf__kernel *k;
    const char *wrong;
} verifier;

static bool bad(verifier *v, const char *wrong) {
    v->wrong = wrong;
    return false;
}

/* ---------------------------------------------------------------- domain and accesses */

static bool verify_domain(verifier *v) {
    const kf__kernel *k = v->k;
    if (k->kind >= KF__KERNEL_KIND_COUNT || k->n_axes > KF__MAX_AXES) return bad(v, "kind or axes");
    uint32_t all = (1u << k->n_axes) - 1, kept = all & ~k->reduced;
    if (k->reduced & ~all) return bad(v, "reduces an axis that it hasn't");
    bool reduces = k->kind == KF__ROW || k->kind == KF__COLUMN || k->kind == KF__FULL;
    if (reduces != (k->reduced != 0))
        return bad(v, "its kind and what it reduces");
    if (k->kind == KF__FULL && kept) return bad(v, "a full reduction keeps axes");
    if (k->kind == KF__ROW && (kept & (kept + 1))) return bad(v, "a row that isn't the last axes");
    for (uint32_t a = 0; a < k->n_axes; a++)
        if (!k->size[a]) return bad(v, "a size isn't set");
    return true;
}

/* Has an axis or a symbol that isn't the kernel's? */
static bool strange_axis(const kf__exprs *pool, kf__expr e, const kf__kernel *k, int depth) {
    const kf__expr_node *x = &pool->nodes.at[e];
    if (x->kind == KF__X_AXIS && x->value >= KF__FIRST_SYMBOL)
        return x->value - KF__FIRST_SYMBOL >= k->n_symbols;
    if (x->kind == KF__X_AXIS) return x->value >= k->n_axes;
    if (x->kind <= KF__X_NAME || depth == 0) return false;
    return strange_axis(pool, x->a, k, depth - 1) || strange_axis(pool, x->b, k, depth - 1);
}

static bool verify_access(verifier *v, uint32_t n, bool random) {
    if (n >= v->k->n_accesses) return bad(v, "no such access");
    const kf__access *a = &v->k->accesses[n];
    if (random != (a->value == KF__NO_VALUE)) return bad(v, "an access of another kind");
    if (!random && a->value >= v->p->n_values) return bad(v, "an access of no value");
    if (!random && a->rank != v->p->values[a->value].rank) return bad(v, "an access's rank");
    for (int i = 0; i < a->rank; i++) {
        if (!a->index[i] || !a->shape[i]) return bad(v, "an access's index isn't set");
        if (strange_axis(&v->p->graph->exprs, a->index[i], v->k, 16))
            return bad(v, "an access by an axis of another kernel");
    }
    return true;
}

/* ---------------------------------------------------------------- instructions */

static bool verify_place(verifier *v, const kf__instr *i) {
    bool reduce = i->kind == KF__I_REDUCE, scan = i->kind == KF__I_SCAN;
    if (i->level > KF__LEVEL_FULL || i->stage >= v->k->n_stages) return bad(v, "level or stage");
    if (reduce && i->level == KF__LEVEL_FULL) return bad(v, "a reduction for each element");
    for (int a = 0; a < i->n_args; a++) {
        const kf__instr *from = &v->k->instrs[i->args[a]];
        if (!reduce && from->level > i->level) return bad(v, "an argument is at an inner level");
        if (from->stage + (reduce || scan) > i->stage)
            return bad(v, "an argument is at a later stage");
    }
    return true;
}

static bool verify_args(verifier *v, uint32_t n) {
    const kf__instr *i = &v->k->instrs[n];
    for (int a = 0; a < i->n_args; a++) {
        if (i->args[a] >= n) return bad(v, "an argument isn't before it");
        bool state = v->k->instrs[i->args[a]].kind == KF__I_REDUCE;
        if (state != (i->kind == KF__I_PROJECT)) return bad(v, "a state is for projections only");
    }
    return verify_place(v, i);
}

static bool verify_op(verifier *v, const kf__instr *i) {
    kf__dtype from[3] = {KF__BOOL};
    if (i->op >= KF__OP_COUNT || i->n_args != kf__ops[i->op].arity) return bad(v, "arguments");
    for (int a = 0; a < i->n_args; a++) from[a] = (kf__dtype)v->k->instrs[i->args[a]].dtype;
    return kf__dtypes_fit(&kf__ops[i->op], (kf__dtype)i->dtype, from) || bad(v, "dtypes");
}

/* INDEX and INSIDE */
static bool verify_place_of(verifier *v, const kf__instr *i) {
    bool inside = i->kind == KF__I_INSIDE;
    if (!verify_access(v, i->access, true)) return false;
    if (v->k->accesses[i->access].rank != 1 || v->k->accesses[i->access].inside != inside)
        return bad(v, "what an index is of");
    return i->dtype == (inside ? KF__BOOL : KF__I64) || bad(v, "an index's dtype");
}

static bool verify_pick(verifier *v, const kf__instr *i) {
    const kf__instr *at = v->k->instrs;
    if (i->field > KF__PICK_LAST || at[i->args[0]].dtype != KF__BOOL) return bad(v, "a pick");
    if (i->field == KF__PICK_MORE && at[i->args[2]].kind != KF__I_PICK) return bad(v, "a chain");
    return (at[i->args[1]].dtype == i->dtype && at[i->args[2]].dtype == i->dtype) ||
           bad(v, "dtypes of a pick");
}

static bool verify_scan(verifier *v, const kf__instr *i) {
    uint32_t reduced = v->k->reduced;
    if (i->op >= KF__RED_COUNT || kf__reds[i->op].n_fields != 1 || i->level != KF__LEVEL_FULL)
        return bad(v, "a scan");
    if (!reduced || reduced & (reduced - 1)) return bad(v, "a scan along several axes");
    return i->integer == kf__kernel_chunk(v->k) || bad(v, "scans of several chunks");
}

static bool verify_instr(verifier *v, uint32_t n) {
    static const int arity[] = {[KF__I_LOAD] = -1,  [KF__I_CONSTANT] = 0, [KF__I_SCALAR] = 0,
                                [KF__I_SIZE] = 0,   [KF__I_OP] = -1,      [KF__I_CAST] = 1,
                                [KF__I_REDUCE] = 1, [KF__I_PROJECT] = 1,  [KF__I_RANDOM] = 2,
                                [KF__I_INDEX] = 0,  [KF__I_INSIDE] = 0,   [KF__I_PICK] = 3,
                                [KF__I_SCAN] = 1};
    const kf__instr *i = &v->k->instrs[n];
    if (i->kind > KF__I_SCAN || i->dtype >= KF__DTYPE_COUNT) return bad(v, "kind or dtype");
    if (arity[i->kind] >= 0 && i->n_args != arity[i->kind]) return bad(v, "number of arguments");
    if (!verify_args(v, n)) return false;
    switch (i->kind) {
    case KF__I_LOAD:
        if (i->n_args && v->k->instrs[i->args[0]].dtype != KF__BOOL)
            return bad(v, "a load's guard");
        for (int a = 1; a < i->n_args; a++)
            if (v->k->instrs[i->args[a]].dtype != KF__I64) return bad(v, "a symbol's dtype");
        return verify_access(v, i->access, false) &&
               (v->p->values[v->k->accesses[i->access].value].dtype == i->dtype ||
                bad(v, "a load's dtype"));
    case KF__I_RANDOM: return verify_access(v, i->access, true);
    case KF__I_INDEX:
    case KF__I_INSIDE: return verify_place_of(v, i);
    case KF__I_SCALAR:
        return (i->index < v->p->graph->inputs.n && v->p->graph->inputs.at[i->index].scalar) ||
               bad(v, "no such scalar");
    case KF__I_PICK: return verify_pick(v, i);
    case KF__I_OP: return verify_op(v, i);
    case KF__I_SCAN: return verify_scan(v, i);
    case KF__I_REDUCE:
        if (kf__kernel_chunk(v->k) >= 0) return bad(v, "a reduction beside a scan");
        return (i->op < KF__RED_COUNT && v->k->reduced) || bad(v, "no such reduction");
    case KF__I_PROJECT:
        return i->field < kf__reds[v->k->instrs[i->args[0]].op].n_fields || bad(v, "no such field");
    default: return true;
    }
}

/* ---------------------------------------------------------------- values */

/* How many stores write all of it. */
static uint32_t parts_of(const kf__value *v) { return v->parts > 1 ? v->parts : 1; }

static bool verify_loads(verifier *v, const uint8_t *stored) {
    for (uint32_t n = 0; n < v->k->n_instrs; n++) {
        if (v->k->instrs[n].kind != KF__I_LOAD) continue;
        uint32_t value = v->k->accesses[v->k->instrs[n].access].value;
        if (v->p->values[value].kind != KF__VALUE_INPUT &&
            stored[value] != parts_of(&v->p->values[value]))
            return bad(v, "reads what isn't stored yet");
    }
    return true;
}

static bool verify_stores(verifier *v, uint8_t *stored) {
    for (uint32_t s = 0; s < v->k->n_stores; s++) {
        const kf__store *store = &v->k->stores[s];
        if (store->instr >= v->k->n_instrs) return bad(v, "stores no instruction");
        if (!verify_access(v, store->access, false)) return false;
        uint32_t value = v->k->accesses[store->access].value;
        if (v->p->values[value].kind == KF__VALUE_INPUT) return bad(v, "stores into an input");
        if (v->k->instrs[store->instr].kind == KF__I_REDUCE) return bad(v, "stores a state");
        if (v->p->values[value].dtype != v->k->instrs[store->instr].dtype)
            return bad(v, "a store's dtype");
        if (stored[value]++ == parts_of(&v->p->values[value]))
            return bad(v, "a value is stored twice");
    }
    return true;
}

static bool verify_kernel(verifier *v, uint8_t *stored) {
    if (!v->k->name || !verify_domain(v)) return false;
    for (uint32_t n = 0; n < v->k->n_instrs; n++)
        if (!verify_instr(v, n)) return false;
    return verify_loads(v, stored) && verify_stores(v, stored);
}

kf_status kf__partition_verify(const kf__partition *p, kf_error *err) {
    uint8_t *stored = kf__allocate(p->arena.mem, p->n_values + 1);
    kf_status status = KF_OK;
    if (!stored) return kf__out_of_memory(err);
    memset(stored, 0, p->n_values + 1);
    for (uint32_t k = 0; k < p->n_kernels && status == KF_OK; k++) {
        verifier v = {p, &p->kernels[k], "no name"};
        if (!verify_kernel(&v, stored))
            status = kf__fail(err, KF_ERR_INTERNAL, "kernel %u (%s) is broken: %s", k,
                              v.k->name ? v.k->name : "?", v.wrong);
    }
    for (uint32_t n = 0; n < p->n_values && status == KF_OK; n++)
        if (p->values[n].kind != KF__VALUE_INPUT && stored[n] != parts_of(&p->values[n]))
            status = kf__fail(err, KF_ERR_INTERNAL, "value %u is stored by no kernel", n);
    kf__release(p->arena.mem, stored);
    return status;
}
