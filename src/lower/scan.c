/* Cumulative kernels: each element of a row is folded with all before it. Rows are divided into
 * chunks that begin anew, whose first elements the graph adds what is before them to: a chunk is
 * what one thread, or one warp, goes through in order. */
#include "lower/low.h"

bool kf__low_find_scans(kf__low *L, kf__scans *out) {
    *out = (kf__scans){.axis = -1};
    int64_t chunk = kf__kernel_chunk(L->k);
    if (chunk < 0) return false;
    out->instrs = KF__NEW(L->arena, uint16_t, L->k->n_instrs);
    L->running = KF__NEW(L->arena, const kf__lx *, L->k->n_instrs);
    if (!out->instrs || !L->running) {
        L->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (L->k->instrs[i].kind == KF__I_SCAN) out->instrs[out->n++] = (uint16_t)i;
    for (int m = 0; m < L->n_axes; ++m)
        if (L->axes[m].reduced) out->axis = m;
    int64_t size = L->axes[out->axis].size;
    out->chunk = chunk;
    out->chunks = chunk ? kf__ceil_div(size, chunk) : size > 0;
    return true;
}

const kf__lx *kf__put_scan_unit(kf__low *L, kf__scans *s, const kf__lx *unit) {
    const kf__lx *size = kf__word_size(L, s->axis);
    if (!s->chunk) {
        s->from = kf__l_int(L, 0);
        s->to = size;
        return unit;
    }
    const kf__lx *chunks = kf__word_count(L, "chunks", s->chunks), *length = kf__l_int(L, s->chunk);
    L->chunk = kf__put_let(L, "int64_t", "chunk", kf__l_bin(L, "%", unit, chunks), NULL);
    s->from = kf__put_let(L, "int64_t", "from", kf__l_bin(L, "*", L->chunk, length), NULL);
    s->to = kf__put_let(
        L, "int64_t", "to",
        kf__l_call(L, "kf_min_i64", KF__I64, size, kf__l_bin(L, "+", s->from, length)), NULL);
    return kf__put_let(L, kf__index_type(L), "above", kf__l_bin(L, "/", unit, chunks), NULL);
}

bool kf__low_of_chunk(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_LOAD && in->level == KF__LEVEL_ROW && !in->n_args &&
           !L->operands[in->access].affine;
}

void kf__put_scan(kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__lx *folded =
        kf__fold_of(L, i, 0, L->running[i], kf__value_of(L, in->args[0]));
    const char *name = kf__l_name(L, "v%u", (unsigned)i), *type = kf__ctype(in->dtype);
    L->value[i] = kf__put_let(L, type, name, folded, kf__instr_comment(L, i));
    kf__put_set(L, L->running[i], L->value[i]);
}

void kf__put_running(kf__low *L, const kf__scans *s, int64_t count, const kf__lx *at) {
    for (uint32_t k = 0; k < s->n; ++k) {
        uint32_t i = s->instrs[k];
        const char *name = kf__field_name(L, "state", i, 0);
        const char *type = kf__ctype(L->k->instrs[i].dtype);
        const kf__lx *none = kf__identity(L, i, 0);
        const kf__lx *state = kf__put_var(L, type, name, count, count ? NULL : none);
        L->running[i] = count ? kf__l_item(L, name, at) : state;
    }
}

uint32_t kf__low_all_stores(const kf__low *L, uint16_t *out) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s) out[s] = (uint16_t)s;
    return L->k->n_stores;
}
