/* Axes merged, operands' strides: from index maps and a plan's layout to what nests need.
 *
 * Each index map becomes one stride an axis: the coefficient of the axis in each dim's index times
 * that dim's stride, summed. Slices, flips and transposes are gone then. Neighbouring axes merge
 * where every operand steps over both as over one:
 *
 *     x[i0, i1] at 300 * i0 + i1, i1 < 300    ->    x[i] at i
 *
 * What merges, and what counts as contiguous, must not hang on a size that happens to be 1, or
 * even: the text would change with it. So strides alone don't decide, the index maps must agree: an
 * axis merges with one that runs over the whole of the dim behind its own. */
#include <stdio.h>

#include "lower/low.h"

static kf_status exceeds(const kf__low *L, kf_error *err) {
    return kf__fail(err, KF_ERR_LIMIT, "a size or stride of kernel %s exceeds 64 bits", L->k->name);
}

static kf_status evaluate(const kf__low *L, kf__expr e, int64_t *out, kf_error *err) {
    bool fits = kf__x_eval(&L->p->graph->exprs, e, L->layout->names, NULL, out);
    return fits ? KF_OK : exceeds(L, err);
}

static kf_status evaluate_place(const kf__low *L, kf__expr e, int64_t *out, kf_error *err) {
    bool fits = kf__x_eval_place(&L->p->graph->exprs, e, L->layout->names, out);
    return fits ? KF_OK : exceeds(L, err);
}

/* Strides of what an access indexes, in elements. */
static kf_status value_strides(kf__low *L, const kf__access *a, int64_t *strides, kf_error *err) {
    if (a->run) {
        strides[0] = 1;
        return KF_OK;
    }
    if (a->value != KF__NO_VALUE) {
        for (int d = 0; d < a->rank; ++d) strides[d] = L->layout->strides[a->value][d];
        return KF_OK;
    }
    int64_t step = 1;
    for (int d = a->rank - 1; d >= 0; --d) {
        int64_t size;
        KF_TRY(evaluate(L, a->shape[d], &size, err));
        strides[d] = step;
        if (!kf__mul_ok(step, size, &step))
            return kf__fail(err, KF_ERR_LIMIT, "a random array's size exceeds 64 bits");
    }
    return KF_OK;
}

/* The dim along which elements are neighbours: the last one with stride 1. -1: none is. */
static int innermost(const kf__exprs *pool, const kf__access *a, const int64_t *strides) {
    for (int d = a->rank - 1; d >= 0; --d)
        if (strides[d] == 1 && !kf__x_is(pool, a->shape[d], 1)) return d;
    return -1;
}

int kf__low_innermost(const kf__low *L, const kf__access *a) {
    if (a->run) return 0;
    return innermost(&L->p->graph->exprs, a, L->layout->strides[a->value]);
}

/* Axis m is in the index of dim d, times `coefficient`. */
static void add_dim(kf__low *L, kf__operand *o, int m, int d, kf__expr coefficient, int inner) {
    kf__exprs *pool = &L->p->graph->exprs;
    bool one = kf__x_is(pool, coefficient, 1);
    o->along[m] = o->varies[m] ? (kf__along){.dim = -1}
                               : (kf__along){.dim = (int8_t)d,
                                             .unit = one && d == inner,
                                             .coefficient = coefficient,
                                             .span = L->axes[m].extent};
    o->varies[m] = true;
}

static kf_status affine_operand(kf__low *L, kf__operand *o, const int64_t *strides,
                                kf_error *err) {
    kf__exprs *pool = &L->p->graph->exprs;
    int inner = innermost(pool, o->access, strides);
    o->origin = true;
    for (int d = 0; d < o->access->rank; ++d) {
        kf__expr coefficient[KF__ALL_AXES] = {0}, offset = 0;
        if (!kf__x_affine(pool, o->access->index[d], KF__ALL_AXES, coefficient, &offset))
            return kf__fail(err, KF_ERR_INTERNAL, "an index of kernel %s isn't affine", L->k->name);
        int64_t value;
        o->origin &= kf__x_is(pool, offset, 0);
        if (offset) {
            KF_TRY(evaluate_place(L, offset, &value, err));
            o->offset += value * strides[d];
        }
        for (int m = 0; m < L->n_axes; ++m) {
            kf__expr step = coefficient[L->axes[m].original];
            if (!step) continue;
            KF_TRY(evaluate_place(L, step, &value, err));
            o->stride[m] += value * strides[d];
            add_dim(L, o, m, d, step, inner);
        }
        for (uint32_t k = 0; k < L->k->n_symbols; ++k) {
            if (!coefficient[KF__FIRST_SYMBOL + k]) continue;
            KF_TRY(evaluate_place(L, coefficient[KF__FIRST_SYMBOL + k], &value, err));
            o->symbol_stride[k] += value * strides[d];
        }
    }
    return KF_OK;
}

/* Sets the operand's symbols. Does any change along the innermost axis? */
static bool find_symbols(const kf__low *L, kf__operand *o) {
    uint32_t axes = kf__access_axes(&L->p->graph->exprs, o->access);
    o->symbols = axes >> KF__FIRST_SYMBOL;
    axes = kf__symbol_axes(L->k->n_symbols, L->k->symbol_axes, axes);
    return L->n_axes && axes >> L->axes[kf__last(L)].original & 1;
}

bool kf__has_symbols(const kf__low *L, uint32_t access) { return L->operands[access].symbols != 0; }

static bool is_taken(const kf__low *L, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; ++i)
        if (L->operands[i].name && !strcmp(L->operands[i].name, name)) return true;
    return false;
}

/* "out", "out0": what results are called that have no name. */
static bool is_plain_result(const char *name) {
    return name && !strncmp(name, "out", 3) && strspn(name + 3, "0123456789") == strlen(name + 3);
}

/* in_x, out_y, tmp_2. No other name in a function begins so, whatever users call their inputs. */
static const char *operand_name(kf__low *L, uint32_t n) {
    const kf__operand *o = &L->operands[n];
    if (!o->value) return kf__l_name(L, o->access->random ? "random%u" : "index%u", (unsigned)n);
    const kf_graph *g = L->p->graph;
    const char *prefix = "in_", *name = NULL;
    if (o->value->kind == KF__VALUE_INPUT) name = g->inputs.at[o->value->index].name;
    if (o->value->kind == KF__VALUE_RESULT) {
        name = g->result_names.at[o->value->index];
        prefix = is_plain_result(name) ? "" : "out_";
    }
    char text[48];
    size_t n_text = 0;
    for (const char *c = name ? name : ""; *c && n_text < 40; ++c)
        text[n_text++] = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                                 (*c >= '0' && *c <= '9')
                             ? *c
                             : '_';
    text[n_text] = 0;
    const char *full = name ? kf__l_name(L, "%s%s", prefix, text)
                            : kf__l_name(L, "tmp_%u", (unsigned)o->access->value);
    for (uint32_t k = n; is_taken(L, n, full) && !L->failed; ++k)
        full = kf__l_name(L, "%s%s_%u", name ? prefix : "tmp_", text, (unsigned)k);
    return full;
}

/* INSIDE by axis a alone, and b doesn't matter: of the two as one it is the same question, for b's
 * size times as much. */
static bool stretches(const kf__low *L, const kf__operand *o, int a, int b) {
    if (!o->access->inside || !o->varies[a] || o->varies[b]) return false;
    for (int m = 0; m < L->n_axes; ++m)
        if (m != a && o->varies[m]) return false;
    return kf__x_is(&L->p->graph->exprs, o->along[a].coefficient, 1);
}

static void stretch(kf__low *L, kf__operand *o, int a, int b) {
    int64_t size = kf__max(1, L->axes[b].size);
    o->offset *= size;
    o->bound *= size;
    o->stride[b] = 1;
    o->varies[b] = true;
    o->along[b] = o->along[a];
    o->along[b].unit = true;
    o->along[b].span = L->axes[b].extent;
}

/* Does it say anything that axis a's step is axis b's times its size? It does for neighbouring
 * dims; for others only where b's dim and those between have more than one element. */
static bool telling(const kf__low *L, const kf__operand *o, int a, int b) {
    kf__exprs *pool = &L->p->graph->exprs;
    bool neighbours = a < b;
    for (int d = a + 1; d < b; ++d) neighbours &= kf__x_is(pool, o->access->shape[d], 1);
    if (neighbours) return true;
    for (int d = a < b ? a + 1 : b; d < (a < b ? b + 1 : a); ++d) {
        int64_t size = 0;
        if (!kf__x_eval(pool, o->access->shape[d], L->layout->names, NULL, &size) || size < 2)
            return false;
    }
    return true;
}

/* Of what is read by chunks of a cumulative axis, i / 4096: the dim whose index is axis m, and that
 * is in no other one; -1: there is none. */
static int dim_of(const kf__low *L, const kf__operand *o, int m) {
    const kf__exprs *pool = &L->p->graph->exprs;
    int dim = -1, n = 0;
    for (int d = 0; d < o->access->rank; ++d) {
        const kf__expr_node *x = &pool->nodes.at[o->access->index[d]];
        if (x->kind == KF__X_AXIS && x->value == L->axes[m].original) dim = d;
        n += (int)(kf__axes_of(pool, o->access->index[d]) >> L->axes[m].original & 1);
    }
    return n == 1 ? dim : -1;
}

/* Do the dims behind a's, up to b's, make up axis b? */
static bool chunks_merge(const kf__low *L, const kf__operand *o, int a, int b) {
    kf__exprs *pool = &L->p->graph->exprs;
    int p = dim_of(L, o, a), q = dim_of(L, o, b);
    kf__expr extent = kf__x_const(pool, 1);
    if (p < 0 || q < p) return false;
    for (int d = p + 1; d <= q; ++d) extent = kf__x_mul(pool, extent, o->access->shape[d]);
    for (int d = p + 1; d < q; ++d)
        if (!kf__x_is(pool, o->access->index[d], 0)) return false;
    const int64_t *strides = L->layout->strides[o->access->value];
    return extent == L->axes[b].extent &&
           strides[p] == strides[q] * kf__max(1, L->axes[b].size);
}

/* The dim of b has both: that of a is at 0. */
static void merge_chunks(kf__low *L, kf__operand *o, int a) {
    int dim = dim_of(L, o, a);
    if (dim < 0) return; /* of one element */
    kf__access *access = KF__NEW(L->arena, kf__access, 1);
    kf__expr *index = KF__NEW(L->arena, kf__expr, o->access->rank);
    if (!access || !index) {
        L->failed = true;
        return;
    }
    memcpy(index, o->access->index, sizeof *index * o->access->rank);
    index[dim] = kf__x_const(&L->p->graph->exprs, 0);
    *access = *o->access;
    access->index = index;
    o->access = access;
}

static bool mergeable(const kf__low *L, int a, int b) {
    const kf__axis *A = &L->axes[a], *B = &L->axes[b];
    kf__exprs *pool = &L->p->graph->exprs;
    if (A->reduced != B->reduced) return false;
    if (kf__x_is(pool, A->extent, 1)) return true;
    for (uint32_t k = 0; k < L->k->n_symbols; ++k) /* a symbol must change along both, or neither */
        if ((L->k->symbol_axes[k] >> A->original ^ L->k->symbol_axes[k] >> B->original) & 1)
            return false;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        const kf__operand *o = &L->operands[i];
        const kf__along *p = &o->along[a], *q = &o->along[b];
        if (stretches(L, o, a, b)) continue;
        if (!o->affine) {
            if (chunks_merge(L, o, a, b)) continue;
            return false;
        }
        if (o->varies[a] != o->varies[b]) return false;
        if (!o->varies[a]) continue;
        if (p->dim < 0 || q->dim < 0) return false;
        if (o->stride[a] != o->stride[b] * kf__max(1, B->size)) return false;
        if (p->dim == q->dim) {
            if (p->coefficient != kf__x_mul(pool, q->coefficient, q->span)) return false;
        } else if (!kf__x_is(pool, p->coefficient, 1) || !kf__x_is(pool, q->coefficient, 1) ||
                   q->span != o->access->shape[q->dim] || !telling(L, o, p->dim, q->dim)) {
            return false;
        }
    }
    return true;
}

/* How axes a and b of an operand move as one. */
static kf__along merged(const kf__low *L, const kf__operand *o, int a, int b) {
    kf__along p = o->along[a], q = o->along[b];
    if (!o->varies[a]) return q;
    if (p.dim == q.dim) {
        q.span = kf__x_mul(&L->p->graph->exprs, p.span, q.span);
        return q;
    }
    p.unit = q.unit;
    return p;
}

kf__kernel *kf__low_copy_kernel(kf__low *L, uint32_t more_instrs, uint32_t more_accesses) {
    kf__kernel *k = KF__NEW(L->arena, kf__kernel, 1);
    kf__instr *instrs = KF__NEW(L->arena, kf__instr, L->k->n_instrs + more_instrs);
    kf__access *accesses = KF__NEW(L->arena, kf__access, L->k->n_accesses + more_accesses);
    kf__store *stores = KF__NEW(L->arena, kf__store, L->k->n_stores);
    if (!k || !instrs || !accesses || !stores) {
        L->failed = true;
        return NULL;
    }
    *k = *L->k;
    k->instrs = memcpy(instrs, L->k->instrs, sizeof *instrs * k->n_instrs);
    k->accesses = memcpy(accesses, L->k->accesses, sizeof *accesses * k->n_accesses);
    k->stores = memcpy(stores, L->k->stores, sizeof *stores * k->n_stores);
    return k;
}

void kf__low_merge(kf__low *L, int a, int b) {
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        if (stretches(L, &L->operands[i], a, b)) stretch(L, &L->operands[i], a, b);
        if (!L->operands[i].affine) merge_chunks(L, &L->operands[i], a);
    }
    L->axes[b].size *= L->axes[a].size;
    L->axes[b].extent = kf__x_mul(&L->p->graph->exprs, L->axes[a].extent, L->axes[b].extent);
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
        kf__operand *o = &L->operands[i];
        if (o->varies[b]) o->along[b] = merged(L, o, a, b);
        for (int m = a; m + 1 < L->n_axes; ++m) {
            o->stride[m] = o->stride[m + 1];
            o->varies[m] = o->varies[m + 1];
            o->along[m] = o->along[m + 1];
        }
    }
    for (int m = a; m + 1 < L->n_axes; ++m) L->axes[m] = L->axes[m + 1];
    --L->n_axes;
}

/* Neighbours first. Where nothing is reduced the order of axes means nothing, so that any two may
 * merge: arrays whose first axis is the contiguous one are one run too. But the innermost one stays
 * it beside gathers, which are by rows or by elements as it is (find_symbols). */
static void merge_all(kf__low *L) {
    for (int a = L->n_axes - 2; a >= 0; --a)
        if (mergeable(L, a, a + 1)) kf__low_merge(L, a, a + 1);
    for (int a = 0; !L->k->reduced && a < L->n_axes; ++a)
        for (int b = 0; b < L->n_axes; ++b)
            if (a != b && !(L->k->n_symbols && a == kf__last(L)) && mergeable(L, a, b)) {
                kf__low_merge(L, a, b);
                a = -1;
                break;
            }
}

/* Counts of elements, and of their bytes, are computed with in 64 bits from here on. */
static kf_status check_count(const kf__low *L, kf_error *err) {
    int64_t count = 1;
    bool fits = true;
    for (int m = 0; m < L->n_axes; ++m)
        fits = fits && kf__mul_ok(count, kf__max(L->axes[m].size, 1), &count);
    if (fits && count <= INT64_MAX >> 6) return KF_OK;
    char sizes[KF__MAX_RANK * 24];
    size_t n = 0;
    for (int m = 0; m < L->n_axes; ++m)
        n += (size_t)snprintf(sizes + n, sizeof sizes - n, "%s%lld", m ? " x " : "",
                              (long long)L->axes[m].size);
    return kf__fail(err, KF_ERR_LIMIT, "%s over %s elements: more than 2^57",
                    L->k->n_ops ? L->k->ops[0] : "a copy", sizes);
}

/* Is what isn't affine but arrays that a cumulative kernel reads by chunks? GPUs' rows go to blocks
 * by each of their axes as they are. */
static bool has_chunks(const kf__low *L) {
    bool all = L->target->kind == KF__TARGET_C && L->k->reduced && !L->k->n_symbols;
    for (uint32_t i = 0; i < L->k->n_accesses && all; ++i) {
        const kf__operand *o = &L->operands[i];
        all = o->affine || (o->value && !o->store && !o->access->inside);
    }
    return all;
}

kf_status kf__low_layout(kf__low *L, kf_error *err) {
    const kf__kernel *k = L->k;
    L->operands = KF__NEW(L->arena, kf__operand, k->n_accesses + 1);
    if (!L->operands) return kf__out_of_memory(err);
    L->affine = true;
    L->n_axes = (int)k->n_axes;
    for (uint32_t m = 0; m < k->n_axes; ++m) {
        KF_TRY(evaluate(L, k->size[m], &L->axes[m].size, err));
        L->axes[m].reduced = k->reduced >> m & 1;
        L->axes[m].original = m;
        L->axes[m].extent = k->size[m];
    }
    KF_TRY(check_count(L, err));
    if (k->n_symbols && !k->reduced) kf__low_order_gathers(L);
    for (uint32_t s = 0; s < k->n_stores; ++s) L->operands[k->stores[s].access].store = true;
    for (uint32_t i = 0; i < k->n_accesses; ++i) {
        kf__operand *o = &L->operands[i];
        o->access = &k->accesses[i];
        o->value = o->access->value == KF__NO_VALUE ? NULL : &L->p->values[o->access->value];
        kf__dtype bits = o->access->random ? kf__at(L->p->graph, o->access->random)->dtype
                                           : KF__I64;
        o->dtype = o->value ? o->value->dtype : bits;
        if (L->own && i >= L->own->access) o->dtype = L->own->type, o->row = L->own->name;
        o->name = operand_name(L, i);
        int64_t strides[KF__MAX_RANK];
        KF_TRY(value_strides(L, o->access, strides, err));
        if (o->access->inside) KF_TRY(evaluate(L, o->access->shape[0], &o->bound, err));
        bool moves = find_symbols(L, o);
        o->affine = o->access->affine && !moves;
        if (o->affine)
            KF_TRY(affine_operand(L, o, strides, err));
        else
            L->affine = false;
    }
    if (L->affine || has_chunks(L)) merge_all(L);
    kf__low_order(L);
    for (int m = 0; m < L->n_axes; ++m) {
        L->axes[m].var = kf__l_name(L, "i%d", m);
        L->axes[m].n = kf__l_name(L, "n%d", m);
    }
    return L->failed ? kf__out_of_memory(err) : KF_OK;
}

int64_t kf__low_extent(const kf__low *L, bool reduced) {
    int64_t n = 1;
    for (int m = 0; m < L->n_axes; ++m)
        if (L->axes[m].reduced == reduced) n *= L->axes[m].size;
    return n;
}

int kf__low_step(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    if (!o->affine) return 3;
    if (L->n_axes == 0 || !o->varies[kf__last(L)]) return 0;
    return o->along[kf__last(L)].unit ? 1 : 2;
}

int kf__low_reduced_axes(const kf__low *L) {
    int n = 0;
    for (int m = 0; m < L->n_axes; ++m) n += L->axes[m].reduced;
    return n;
}

void kf__put_decode(kf__low *L, bool reduced, bool but_last, const kf__lx *flat) {
    int axes[KF__MAX_AXES], n = 0;
    for (int m = 0; m < L->n_axes; ++m)
        if (L->axes[m].reduced == reduced && !(but_last && (m == kf__last(L) || m == L->tile)))
            axes[n++] = m;
    const kf__lx *rest = flat;
    const char *type = kf__index_type(L);
    for (int i = n - 1; i > 0; --i) {
        const kf__lx *size = kf__word_size(L, axes[i]);
        kf__put_let(L, type, L->axes[axes[i]].var, kf__l_bin(L, "%", rest, size), NULL);
        const char *name = kf__l_name(L, "%s%d", reduced ? "above_r" : "above", axes[i]);
        rest = kf__put_let(L, type, name, kf__l_bin(L, "/", rest, size), NULL);
    }
    if (n) kf__put_let(L, type, L->axes[axes[0]].var, rest, NULL);
}

int64_t kf__low_bytes_of(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    int64_t n = o->value ? kf__types[o->dtype].size : 0;
    for (int m = 0; m < L->n_axes; ++m)
        if (o->varies[m] || !o->affine) n *= L->axes[m].size;
    return n;
}

int64_t kf__low_bytes(const kf__low *L) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < L->k->n_accesses; ++i) bytes += kf__low_bytes_of(L, i);
    return bytes;
}
