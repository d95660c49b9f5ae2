/* What is dear to compute again. In a long chain with reductions in it every kernel would begin at
 * the inputs: each one computes what the kernels before it computed too.
 *
 *     k0   t1 ... t20                    storing t20 costs one write and a read each,
 *     k1   t1 ... t20 ... t45            and saves 20 operations in k1, 45 in k2 with t45 ...
 *     k2   t1 ... t20 ... t45 ... t60
 *
 * Values are picked one after another, each time the one that saves most: the work of all kernels
 * that compute it but one, without what is saved already. */
#include "fuse/internal.h"

typedef struct saving {
    double work, most; /* of computing it: in all kernels, in one */
    uint32_t kernels;
} saving;

static bool may_be_stored(const kf__fuse_state *f, kf__ref r) {
    const kf__node *n = kf__at(f->g, r);
    bool made = n->kind == KF__OP || n->kind == KF__CAST || n->kind == KF__RANDOM;
    return made && !kf__in_memory(f, r) && !f->scalars[r];
}

/* work: of the body's instructions; sum: scratch, one longer. */
static void count_savings(const kf__fuse_state *f, const kf__body *b, const double *work,
                          double *sum, saving *savings) {
    sum[0] = 0;
    for (uint32_t i = 0; i < b->instrs.n; i++) sum[i + 1] = sum[i] + work[i];
    for (uint32_t i = 0; i < b->memos.n; i++) {
        const kf__memo *m = &b->memos.at[i];
        if (m->span == 0 || m->instr + 1u < m->span || !may_be_stored(f, m->node)) continue;
        if (b->instrs.at[m->instr].level != KF__LEVEL_FULL) continue;
        double w = sum[m->instr + 1] - sum[m->instr + 1 - m->span];
        saving *s = &savings[m->node];
        s->work += w;
        s->kernels++;
        if (w > s->most) s->most = w;
    }
}

static void forget_work(const kf__body *b, kf__ref node, double *work) {
    for (uint32_t i = 0; i < b->memos.n; i++) {
        const kf__memo *m = &b->memos.at[i];
        for (uint32_t k = 0; m->node == node && k < m->span && k <= m->instr; k++)
            work[m->instr - k] = 0;
    }
}

static kf__ref best_saving(const kf__fuse_state *f, const saving *savings) {
    kf__ref best = 0;
    double most = 0;
    for (kf__ref r = 1; r < f->g->nodes.n; r++) {
        const saving *s = &savings[r];
        if (s->kernels < 2 || s->work - s->most <= most) continue;
        double saved = s->work - s->most - kf__node_bytes(f, r) * (s->kernels + 1.0);
        if (saved > most) best = r, most = saved;
    }
    return best;
}

bool kf__dear_values(const kf__fuse_state *f, const kf__groups *groups, kf__ref *out,
                     uint32_t capacity, uint32_t *n) {
    double sum[KF__MAX_INSTRS + 1];
    saving *savings = kf__allocate(f->mem, sizeof(*savings) * f->g->nodes.n);
    double **work = kf__allocate(f->mem, sizeof(*work) * (groups->n + 1u));
    bool ok = savings && work;
    *n = 0;
    for (uint32_t i = 0; ok && i < groups->n; i++) work[i] = NULL;
    for (uint32_t i = 0; ok && i < groups->n; i++) {
        if (groups->at[i].dead) continue;
        work[i] = kf__allocate(f->mem, sizeof(double) * (groups->at[i].body->instrs.n + 1u));
        ok = work[i] != NULL;
        if (ok) kf__body_work(groups->at[i].body, work[i]);
    }
    while (ok && *n < capacity) {
        memset(savings, 0, sizeof(*savings) * f->g->nodes.n);
        for (uint32_t i = 0; i < groups->n; i++)
            if (!groups->at[i].dead)
                count_savings(f, groups->at[i].body, work[i], sum, savings);
        kf__ref best = best_saving(f, savings);
        if (!best) break;
        out[(*n)++] = best;
        for (uint32_t i = 0; i < groups->n; i++)
            if (!groups->at[i].dead) forget_work(groups->at[i].body, best, work[i]);
    }
    for (uint32_t i = 0; savings && work && i < groups->n; i++) kf__release(f->mem, work[i]);
    kf__release(f->mem, work);
    kf__release(f->mem, savings);
    return ok;
}
