/* Which arrays may overlap: a result may be written over an input only if each element of the input
 * was read for the last time by the very iteration that writes the result's element there.
 *
 * So (result, input) is allowed at the same address if
 *   - the input's elements are as large as the result's and its strides are the same,
 *   - the kernel that stores the result loads the input with the store's index map only,
 *   - one iteration reads and stores it: the result isn't one of each row, as a reduction's is,
 *   - its store isn't followed by another stage of the same kernel that reads the input again,
 *   - no later kernel reads the input,
 *   - on CUDA, no thread but the one that stores an element reads it,
 *   - on a CPU, it isn't a part of what is picked, beside other results: picks may be copied by
 *     loops of their own, behind those.
 * Results never overlap each other. */
#include "run/plan.h"

/* ---------------------------------------------------------------- one result and one input */

static bool same_map(const kf__access *a, const kf__access *b) {
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->index[d] != b->index[d]) return false;
    return true;
}

static bool same_layout(const kf_plan *plan, uint32_t a, uint32_t b) {
    const kf__value *va = &plan->program->partition->values[a];
    const kf__value *vb = &plan->program->partition->values[b];
    if (va->rank != vb->rank || kf__types[va->dtype].size != kf__types[vb->dtype].size)
        return false;
    for (int d = 0; d < va->rank; d++) {
        if (plan->shapes[a][d] != plan->shapes[b][d]) return false;
        if (plan->shapes[a][d] > 1 && plan->strides[a][d] != plan->strides[b][d]) return false;
    }
    return true;
}

/* The last stage in which any element is read: loads are repeated in each stage that needs them,
 * and within a stage by a reduction of several fields, so a reduction's stage counts as over only
 * behind it. */
static uint8_t last_full_stage(const kf__kernel *k) {
    uint8_t last = 0;
    for (uint32_t i = 0; i < k->n_instrs; i++)
        if (k->instrs[i].level == KF__LEVEL_FULL && k->instrs[i].stage > last)
            last = k->instrs[i].stage;
    for (uint32_t i = 0; i < k->n_instrs; i++)
        if (k->instrs[i].kind == KF__I_REDUCE && k->instrs[k->instrs[i].args[0]].stage >= last)
            last = (uint8_t)(k->instrs[k->instrs[i].args[0]].stage + 1);
    return last;
}

/* Is anything that is computed once a row wanted for the row's elements? */
static bool rows_wanted_inside(const kf__kernel *k) {
    for (uint32_t u = 0; u < k->n_instrs; u++)
        for (int a = 0; a < k->instrs[u].n_args; a++)
            if ((k->instrs[u].level == KF__LEVEL_FULL || k->instrs[u].kind == KF__I_REDUCE) &&
                k->instrs[k->instrs[u].args[a]].level == KF__LEVEL_ROW)
                return true;
    return false;
}

/* Whether other threads than the storing one read what load i does: all of a row take part in what
 * is done once a row; a column's results are finished by one thread. */
static bool is_shared(const kf__kernel *k, uint32_t i) {
    if (!k->reduced || k->instrs[i].level == KF__LEVEL_FULL) return false;
    bool column = !(k->reduced >> (k->n_axes - 1) & 1);
    return !column || k->instrs[i].level == KF__LEVEL_SCALAR || rows_wanted_inside(k);
}

static bool is_picked(const kf__kernel *k, uint32_t i) {
    for (uint32_t u = i + 1; u < k->n_instrs; u++)
        for (int a = 0; k->instrs[u].kind == KF__I_PICK && a < k->instrs[u].n_args; a++)
            if (k->instrs[u].args[a] == i) return true;
    return false;
}

static bool allowed_in_kernel(const kf__kernel *k, uint32_t result, uint32_t input, bool cuda) {
    for (uint32_t s = 0; s < k->n_stores; s++) {
        const kf__access *store = &k->accesses[k->stores[s].access];
        if (store->value != result) continue;
        for (uint32_t i = 0; i < k->n_instrs; i++) {
            if (k->instrs[i].kind != KF__I_LOAD) continue;
            const kf__access *load = &k->accesses[k->instrs[i].access];
            if (load->value != input) continue;
            if (!same_map(load, store)) return false;
            if (cuda && is_shared(k, i)) return false;
            if (!cuda && k->n_stores > 1 && is_picked(k, i)) return false;
            /* one thread stores what every thread of the row reads */
            if (k->reduced && k->instrs[k->stores[s].instr].level != KF__LEVEL_FULL) return false;
            if (k->instrs[k->stores[s].instr].stage < last_full_stage(k)) return false;
        }
    }
    return true;
}

/* Of each value the first kernel that stores it, and the number of kernels up to the last one that
 * loads it. */
typedef struct uses {
    uint32_t *first_store, *loaded_until;
} uses;

static bool find_uses(kf_plan *plan, uses *u) {
    const kf__partition *p = plan->program->partition;
    u->first_store = KF__NEW(&plan->arena, uint32_t, p->n_values);
    u->loaded_until = KF__NEW(&plan->arena, uint32_t, p->n_values);
    if (!u->first_store || !u->loaded_until) return false;
    memset(u->first_store, 0xff, sizeof *u->first_store * p->n_values);
    for (uint32_t k = p->n_kernels; k-- > 0;) {
        const kf__kernel *kernel = &p->kernels[k];
        for (uint32_t s = 0; s < kernel->n_stores; s++)
            u->first_store[kernel->accesses[kernel->stores[s].access].value] = k;
        for (uint32_t i = 0; i < kernel->n_instrs; i++) {
            if (kernel->instrs[i].kind != KF__I_LOAD) continue;
            uint32_t *until = &u->loaded_until[kernel->accesses[kernel->instrs[i].access].value];
            if (*until == 0) *until = k + 1;
        }
    }
    return true;
}

static bool allowed(const kf_plan *plan, const uses *u, uint32_t result, uint32_t input) {
    const kf__partition *p = plan->program->partition;
    if (!same_layout(plan, result, input)) return false;
    uint32_t first = u->first_store[result], until = u->loaded_until[input];
    if (first >= p->n_kernels || until <= first) return true;
    bool cuda = plan->program->target.kind != KF__TARGET_C;
    return until == first + 1 && allowed_in_kernel(&p->kernels[first], result, input, cuda);
}

/* ---------------------------------------------------------------- spans */

static kf_status span_of(const kf_plan *plan, uint32_t v, kf__span *out, kf_error *err) {
    const kf__value *value = &plan->program->partition->values[v];
    *out = (kf__span){0, 0};
    if (plan->bytes[v] == 0) return KF_OK;
    int64_t low = 0, high = 1;
    bool fits = true;
    for (int d = 0; d < value->rank; d++) {
        int64_t reach;
        fits = fits && kf__mul_ok(plan->shapes[v][d] - 1, plan->strides[v][d], &reach);
        if (fits) fits = kf__add_ok(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    }
    int64_t size = kf__types[value->dtype].size;
    if (fits && kf__mul_ok(low, size, &out->low) && kf__mul_ok(high, size, &out->high))
        return KF_OK;
    return kf__fail(err, KF_ERR_LIMIT, "%s spans more bytes than fit in 64 bits",
                    kf__value_name(plan->program->partition->graph, value));
}

/* A result's elements must be apart: from the smallest stride on, each must step over all that the
 * ones before it reach. */
static kf_status check_apart(const kf_plan *plan, uint32_t v, kf_error *err) {
    const kf__value *value = &plan->program->partition->values[v];
    int64_t reach = 1;
    bool taken[KF__MAX_RANK] = {false};
    if (plan->bytes[v] == 0) return KF_OK;
    for (;;) {
        int next = -1;
        int64_t least = 0;
        for (int d = 0; d < value->rank; d++) {
            int64_t stride = plan->strides[v][d] < 0 ? -plan->strides[v][d] : plan->strides[v][d];
            if (taken[d] || plan->shapes[v][d] < 2 || (next >= 0 && stride >= least)) continue;
            next = d;
            least = stride;
        }
        if (next < 0) return KF_OK;
        if (least < reach)
            return kf__fail(err, KF_ERR_ALIAS,
                            "result %s: stride %lld of dim %d makes its elements overlap",
                            kf__value_name(plan->program->partition->graph, value),
                            (long long)plan->strides[v][next], next);
        taken[next] = true;
        reach += least * (plan->shapes[v][next] - 1);
    }
}

static bool is_empty(kf__span s) {
    return s.low == s.high;
}

kf_status kf__plan_alias(kf_plan *plan, kf_error *err) {
    const kf__partition *p = plan->program->partition;
    size_t most = (size_t)plan->n_results * (plan->n_inputs + plan->n_results);
    plan->overlaps = KF__NEW(&plan->arena, kf__overlap, most);
    uint32_t *input = KF__NEW(&plan->arena, uint32_t, plan->n_inputs);
    uint32_t *result = KF__NEW(&plan->arena, uint32_t, plan->n_results);
    uses u;
    if (!plan->overlaps || !input || !result || !find_uses(plan, &u))
        return kf__out_of_memory(err);
    for (uint32_t v = 0; v < p->n_values; v++) {
        const kf__value *value = &p->values[v];
        if (value->kind == KF__VALUE_INPUT) {
            input[value->index] = v;
            KF_TRY(span_of(plan, v, &plan->input_spans[value->index], err));
        } else if (value->kind == KF__VALUE_RESULT) {
            result[value->index] = v;
            KF_TRY(span_of(plan, v, &plan->result_spans[value->index], err));
            KF_TRY(check_apart(plan, v, err));
        }
    }
    for (uint32_t r = 0; r < plan->n_results; r++) {
        if (is_empty(plan->result_spans[r])) continue;
        for (uint32_t i = 0; i < plan->n_inputs; i++)
            if (!is_empty(plan->input_spans[i]))
                plan->overlaps[plan->n_overlaps++] =
                    (kf__overlap){(uint16_t)r, (uint16_t)i, false,
                                  allowed(plan, &u, result[r], input[i])};
        for (uint32_t o = 0; o < r; o++)
            if (!is_empty(plan->result_spans[o]))
                plan->overlaps[plan->n_overlaps++] =
                    (kf__overlap){(uint16_t)r, (uint16_t)o, true, false};
    }
    return KF_OK;
}
