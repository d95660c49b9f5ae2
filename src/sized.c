/* Programs for sizes. Kernels are made for all sizes; where a reshape's sizes are numbers and the
 * array's are names, that leaves indices with divisions, element by element:
 *
 *     x.permute(0, 2, 1, 3).reshape(-1, 768)     x[(i0 * 768 + i1) / (h * d * t), ..]
 *
 * With h = 12 and d = 64 known, the axes split and nothing is divided. So a plan that would divide
 * gets a program in which the innermost sizes are numbers: as few of them as suffice, since for
 * others of these it is another program, of other kernels. The program keeps those it has made. */
#include "pipeline.h"

#include "lower/lower.h"

enum { MAX_LEVELS = 4, MAX_KEPT = 64 /* then the program for all sizes has to do */ };

struct kf__sized {
    struct kf__sized *next;
    kf_program *program; /* NULL: none divides less */
    int64_t *sizes;      /* [names] those that it was asked for with; -1: any */
};

/* ---------------------------------------------------------------- which sizes */

static uint32_t count(const uint8_t *names, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += names[i];
    return sum;
}

/* The names in indices of dims that have `most` at most; `more`: the fewest that one above has. */
static void names_up_to(const kf__partition *p, uint32_t most, const kf__layout *layout,
                        uint8_t *one, uint8_t *all, uint32_t *more) {
    const kf__exprs *x = &p->graph->exprs;
    uint32_t n = x->names.n;
    *more = UINT32_MAX;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_accesses; i++) {
            const kf__access *a = &p->kernels[k].accesses[i];
            if (!kf__low_divides(p, a, layout)) continue;
            for (int d = 0; d < a->rank; d++) {
                memset(one, 0, n);
                kf__x_note_names(x, a->index[d], one);
                uint32_t has = count(one, n);
                if (has > most && has < *more) *more = has;
                for (uint32_t j = 0; j < n && has <= most; j++) all[j] |= one[j];
            }
        }
}

/* ---------------------------------------------------------------- programs */

static uint32_t divisions(const kf__partition *p) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < p->n_kernels; k++)
        for (uint32_t i = 0; i < p->kernels[k].n_accesses; i++)
            sum += kf__low_divides(p, &p->kernels[k].accesses[i], NULL);
    return sum;
}

/* With `sizes`, if its kernels divide less than `than`. What fails but for memory is none: the
 * program for all sizes does it. */
static kf_status try_program(const kf_program *like, const int64_t *sizes, uint32_t than,
                             kf_program **out, kf_error *err) {
    kf_program *made = NULL;
    kf_error failed = {0};
    *out = NULL;
    kf_status status = kf__compile_sized(like, sizes, &made, &failed);
    if (status == KF_ERR_MEMORY) return kf__out_of_memory(err);
    if (status != KF_OK) return KF_OK;
    if (divisions(made->partition) < than) *out = made;
    else kf_program_free(made);
    return KF_OK;
}

static kf_status keep(kf_program *program, const int64_t *sizes, kf_program *made,
                      kf_error *err) {
    uint32_t n = program->partition->graph->exprs.names.n;
    const kf_allocator *mem = &program->ctx->mem;
    struct kf__sized *s = kf__allocate(mem, sizeof *s + n * sizeof *sizes);
    if (!s) {
        kf_program_free(made);
        return kf__out_of_memory(err);
    }
    *s = (struct kf__sized){program->sized, made, (int64_t *)(s + 1)};
    memcpy(s->sizes, sizes, n * sizeof *sizes);
    program->sized = s;
    return KF_OK;
}

static const struct kf__sized *find(const kf_program *program, const int64_t *sizes, int *kept) {
    size_t bytes = program->partition->graph->exprs.names.n * sizeof *sizes;
    *kept = 0;
    for (const struct kf__sized *s = program->sized; s; s = s->next, ++*kept)
        if (!memcmp(s->sizes, sizes, bytes)) return s;
    return NULL;
}

kf_status kf__program_sized(kf_program *program, const kf__layout *layout, kf__arena *arena,
                            kf_program **out, kf_error *err) {
    const kf__partition *p = program->partition;
    uint32_t n = p->graph->exprs.names.n, level = 0, next = 0;
    uint8_t *one = KF__NEW(arena, uint8_t, n + 1), *all = KF__NEW(arena, uint8_t, n + 1);
    int64_t *sizes = KF__NEW(arena, int64_t, n + 1);
    *out = NULL;
    if (program->is_sized) return KF_OK;
    if (!one || !all || !sizes) return kf__out_of_memory(err);
    for (int i = 0; i < MAX_LEVELS && !*out; i++, level = next) {
        names_up_to(p, level, layout, one, all, &next);
        bool any = count(all, n) > 0;
        for (uint32_t j = 0; j < n; j++) sizes[j] = all[j] ? layout->names[j] : -1;
        int kept = 0;
        const struct kf__sized *known = any ? find(program, sizes, &kept) : NULL;
        kf_program *made = known ? known->program : NULL;
        if (any && !known && kept < MAX_KEPT) {
            KF_TRY(try_program(program, sizes, divisions(p), &made, err));
            KF_TRY(keep(program, sizes, made, err));
        }
        *out = made;
        if (next == UINT32_MAX) break;
    }
    return KF_OK;
}

void kf__sized_free(kf_program *program) {
    for (struct kf__sized *s = program->sized, *next; s; s = next) {
        next = s->next;
        kf_program_free(s->program);
        kf__release(&program->ctx->mem, s);
    }
}
