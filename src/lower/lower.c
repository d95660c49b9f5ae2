/* One kernel, one layout, one target: sets up the state, picks the nest, hands over the functions.
 */
#include "lower/low.h"

/* Does it find where rows have their largest or smallest elements? */
static bool jumps(const kf__low *L) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        any = any || (in->kind == KF__I_REDUCE &&
                      (in->op == KF__RED_ARGMAX || in->op == KF__RED_ARGMIN));
    }
    return any && L->n_axes && L->axes[kf__last(L)].reduced;
}

void kf__low_begin(kf__low *L, const char *suffix, const char *doc) {
    kf__lowered *out = L->out;
    kf__loop_fn *fns = KF__NEW(L->arena, kf__loop_fn, out->n_fns + 1);
    if (fns) {
        if (out->n_fns) memcpy(fns, out->fns, out->n_fns * sizeof *fns);
        out->fns = fns;
        L->fn = &fns[out->n_fns++];
    } else {
        L->failed = true;
        L->lost = (kf__loop_fn){0};
        L->fn = &L->lost;
    }
    L->fn->name = kf__l_name(L, "%s%s", L->k->name, suffix);
    L->fn->doc = kf__low_doc(L, doc, !strcmp(suffix, "_merge"));
    L->fn->cluster = 1;
    L->fn->jumps = L->target->kind == KF__TARGET_C && jumps(L);
    L->fn->grain = 1;
    L->fn->work_bytes = kf__low_bytes(L);
    L->words_capacity = 0;
    L->prologue_end = NULL;
    L->tail = &L->fn->body;
    L->depth = 0;
    memset((void *)L->pointer, 0, sizeof *L->pointer * L->k->n_accesses);
    memset(L->pointer_depth, 0, sizeof L->pointer_depth);
    memset((void *)L->value, 0, sizeof *L->value * L->k->n_instrs);
}

/* Is `flag` the word that tells whether `address` alone is aligned? */
static bool is_own_flag(const kf__word *flag, const kf__word *address) {
    return flag->kind >= KF__W_INT && !strncmp(flag->name, "vec_", 4) &&
           !strcmp(flag->name + 4, address->name);
}

/* Which addresses must be aligned for `vec`: all but the partials, those that have a flag of their
 * own, vec_NAME, and those that are apart. */
static void finish_aligned(kf__loop_fn *fn) {
    for (uint32_t f = 0; f < fn->n_words; ++f) {
        kf__word *flag = &fn->words[f];
        int64_t all = 0, own = 0, bit = 1;
        if (flag->kind != KF__W_ALIGNED) continue;
        for (uint32_t w = 0; w < fn->n_words && bit > 0; ++w) {
            const kf__word *word = &fn->words[w];
            bool another = word->apart || word->kind == KF__W_PARTIAL;
            if (!kf__is_address(word)) continue;
            if (is_own_flag(flag, word)) own = bit;
            for (uint32_t g = 0; g < fn->n_words; ++g)
                another = another || is_own_flag(&fn->words[g], word);
            if (!another) all |= bit;
            bit = (int64_t)((uint64_t)bit << 1);
        }
        flag->number = own ? own : all;
        if (bit <= 0) flag->kind = KF__W_INT, flag->number = 0; /* there are more than masks have */
    }
}

kf_status kf__lower(const kf__partition *p, const kf__kernel *k, const kf__layout *layout,
                    const kf__target *target, kf__arena *arena, kf__lowered *out, kf_error *err) {
    kf__low L = {.holds = -1, .p = p, .k = k, .layout = layout, .target = target, .arena = arena,
                 .out = out};
    *out = (kf__lowered){0};
    if (k->n_accesses > KF__MAX_ACCESSES)
        return kf__fail(err, KF_ERR_INTERNAL, "kernel %s has more than %d accesses", k->name,
                        KF__MAX_ACCESSES);
    L.pointer = KF__NEW(arena, const char *, k->n_accesses + 1);
    L.value = KF__NEW(arena, const kf__lx *, k->n_instrs + 1);
    if (!L.pointer || !L.value) return kf__out_of_memory(err);
    kf__low_flatten(&L);
    KF_TRY(kf__low_layout(&L, err));
    kf__low_pack(&L);
    kf_status status = target->kind == KF__TARGET_C ? kf__lower_cpu(&L) : kf__lower_cuda(&L);
    kf__low_unpack(&L);
    if (L.failed) return kf__out_of_memory(err);
    if (status != KF_OK) return kf__fail(err, status, "kernel %s can't be lowered", k->name);
    for (uint32_t i = 0; i < out->n_fns; ++i) {
        kf__low_tidy(&L, &out->fns[i]);
        finish_aligned(&out->fns[i]);
    }
    if (L.failed) return kf__out_of_memory(err);
    return KF_OK;
}

int64_t kf__low_scratch(kf__low *L, int64_t n, kf__dtype type) {
    int64_t at = L->out->scratch;
    L->out->scratch += (n * kf__types[type].size + 255) / 256 * 256;
    return at;
}
