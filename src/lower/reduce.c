/* States of reductions as statements, from the templates of reductions.def. */
#include <math.h>

#include "lower/low.h"

static const kf__field_row *field_of(const kf__low *L, uint32_t red, int field) {
    return &kf__reds[L->k->instrs[red].op].field[field];
}

uint32_t kf__low_reductions(const kf__low *L, uint32_t stage, uint16_t *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (L->k->instrs[i].kind == KF__I_REDUCE &&
            L->k->instrs[L->k->instrs[i].args[0]].stage == stage)
            out[n++] = (uint16_t)i;
    return n;
}

kf__dtype kf__state_type(const kf__low *L, uint32_t red) {
    return kf__compute(L->k->instrs[L->k->instrs[red].args[0]].dtype);
}

kf__dtype kf__field_type(const kf__low *L, uint32_t red, int field) {
    kf__dtype index = L->narrow ? KF__I32 : KF__I64;
    return field_of(L, red, field)->index ? index : kf__state_type(L, red);
}

kf__dtype kf__lane_type(const kf__low *L, uint32_t red, int field) {
    bool narrow = field_of(L, red, field)->index && L->target->kind == KF__TARGET_C;
    return narrow ? KF__I32 : kf__field_type(L, red, field);
}

bool kf__counts(const kf__low *L, uint32_t red) {
    for (int f = 0; f < kf__fields(L, red); ++f)
        if (strstr(field_of(L, red, f)->merge, "np")) return true;
    return false;
}

int kf__fields(const kf__low *L, uint32_t red) { return kf__reds[L->k->instrs[red].op].n_fields; }

const char *kf__field_name(kf__low *L, const char *what, uint32_t red, int field) {
    const char *name = field_of(L, red, field)->name;
    char last = name[strlen(name) - 1];
    const char *between = last >= '0' && last <= '9' ? "_" : "";
    if (!strcmp(what, "state")) return kf__l_name(L, "%s%s%u", name, between, (unsigned)red);
    return kf__l_name(L, "%s_%s%s%u", what, name, between, (unsigned)red);
}

bool kf__is_simple(const kf__low *L, uint32_t red) {
    return kf__fields(L, red) == 1 && !strcmp(field_of(L, red, 0)->term, "x");
}

/* Is it exp(x - max), and max that of all x? The reduction of a maximum and a sum of exponentials. */
static bool is_exp_below_max(const kf__low *L, uint32_t i, uint32_t *red) {
    const kf__instr *e = &L->k->instrs[i];
    if (e->kind != KF__I_OP || e->op != KF__EXP || e->level != KF__LEVEL_FULL) return false;
    const kf__instr *d = &L->k->instrs[e->args[0]];
    if (d->kind != KF__I_OP || d->op != KF__SUBTRACT) return false;
    const kf__instr *max = &L->k->instrs[d->args[1]];
    if (max->kind != KF__I_PROJECT || max->field != 0) return false;
    *red = max->args[0];
    const kf__instr *r = &L->k->instrs[*red];
    return r->kind == KF__I_REDUCE && r->op == KF__RED_MAX_SUMEXP && r->args[0] == d->args[0];
}

/* The same, where another kernel made the maximum: softmax(x, 0) of 1000x1000 takes a Zen 4 820 us,
 * and by this 770. */
static bool is_exp_below_given_max(const kf__low *L, uint32_t i) {
    const kf_graph *g = L->p->graph;
    if (L->k->instrs[i].kind != KF__I_OP || L->k->instrs[i].op != KF__EXP) return false;
    const kf__node *e = kf__at(g, L->k->instrs[i].node);
    if (e->kind != KF__OP || e->op != KF__EXP) return false;
    const kf__node *d = kf__at(g, e->args[0]);
    if (d->kind != KF__OP || d->op != KF__SUBTRACT) return false;
    const kf__node *all = kf__at(g, d->args[1]);
    if (all->kind != KF__EXPAND) return false;
    const kf__node *max = kf__at(g, all->args[0]);
    return max->kind == KF__REDUCE && max->op == KF__RED_MAX_SUMEXP && max->field == 0 &&
           max->rank == all->rank && max->args[0] == d->args[0];
}

bool kf__low_is_nonpositive_exp(const kf__low *L, uint32_t i) {
    uint32_t red;
    if (is_exp_below_max(L, i, &red)) return true;
    return L->target->kind == KF__TARGET_C && is_exp_below_given_max(L, i);
}

bool kf__low_find_exp(const kf__low *L, uint32_t red, uint32_t *difference, uint32_t *power) {
    if (L->k->instrs[red].op != KF__RED_MAX_SUMEXP) return false;
    for (uint32_t i = red + 1; i < L->k->n_instrs; ++i) {
        uint32_t of;
        if (!is_exp_below_max(L, i, &of) || of != red) continue;
        *difference = L->k->instrs[i].args[0];
        *power = i;
        return true;
    }
    return false;
}

static const kf__lx *identity(kf__low *L, uint32_t red, int field, kf__dtype type) {
    switch (field_of(L, red, field)->fold) {
    case KF__FOLD_SUM:
    case KF__FOLD_ANY: return kf__l_const(L, type, 0, 0);
    case KF__FOLD_PROD:
    case KF__FOLD_ALL: return kf__l_const(L, type, 1, 1);
    case KF__FOLD_LOGADDEXP:
    case KF__FOLD_MAX:
        return type == KF__BOOL ? kf__l_int(L, 0) : kf__l_code(L, "kf_lowest_T", type, "", 0, NULL);
    case KF__FOLD_MIN:
        return type == KF__BOOL ? kf__l_int(L, 1)
                                : kf__l_code(L, "kf_highest_T", type, "", 0, NULL);
    }
    return kf__l_int(L, 0);
}

const kf__lx *kf__identity(kf__low *L, uint32_t red, int field) {
    return identity(L, red, field, kf__field_type(L, red, field));
}

const kf__lx *kf__lane_identity(kf__low *L, uint32_t red, int field) {
    return identity(L, red, field, kf__lane_type(L, red, field));
}

const kf__lx *kf__fold_of(kf__low *L, uint32_t red, int field, const kf__lx *a, const kf__lx *b) {
    kf__dtype type = kf__lane_type(L, red, field); /* of states there are only simple ones' */
    bool f = kf__is_float(type);
    bool blends = f && L->target->kind == KF__TARGET_C && L->rows_inside &&
                  L->k->instrs[red].kind == KF__I_SCAN;
    const char *code = "a + b";
    switch (field_of(L, red, field)->fold) {
    case KF__FOLD_SUM: code = f ? "a + b" : "kf_add_T(a, b)"; break;
    case KF__FOLD_PROD: code = f ? "a * b" : "kf_mul_T(a, b)"; break;
    /* That way round: they look whether their second argument is NaN. Where it were the element, a
     * maximum and a minimum of it would look together, and gcc makes jumps in masks of both
     * selects. */
    case KF__FOLD_MAX: code = blends ? "kf_blend_max_T(b, a)" : "kf_max_T(b, a)"; break;
    case KF__FOLD_MIN: code = blends ? "kf_blend_min_T(b, a)" : "kf_min_T(b, a)"; break;
    case KF__FOLD_ANY: code = "a | b"; break;
    case KF__FOLD_ALL: code = "a & b"; break;
    case KF__FOLD_LOGADDEXP: code = "kf_logaddexp_T(a, b)"; break;
    }
    return kf__l_code(L, code, type, "a b", 2, (const kf__lx *[]){a, b});
}

const kf__lx *kf__term(kf__low *L, uint32_t red, int field, const kf__lx *x, const kf__lx *at,
                       const kf__lx *const *fields) {
    const char *code = field_of(L, red, field)->term;
    if (!strcmp(code, "x")) return x;
    const kf__lx *args[] = {x, field > 0 ? fields[0] : x, field > 1 ? fields[1] : x, at ? at : x,
                            kf__lane_identity(L, red, field)};
    return kf__l_code(L, code, kf__state_type(L, red), "x s0 s1 i none", 5, args);
}

const kf__lx *kf__close_of(kf__low *L, uint32_t red, int field, const kf__lx *folded,
                           const kf__lx *first, const kf__lx *count, const kf__lx *begin) {
    const kf__field_row *row = field_of(L, red, field);
    if (!strcmp(row->close, "f") || (row->index && !begin)) return folded;
    const kf__lx *args[] = {folded, first, count ? count : folded, begin ? begin : folded};
    return kf__l_code(L, row->close, kf__state_type(L, red), "f s0 n b", 4, args);
}

const kf__lx *kf__count_as(kf__low *L, uint32_t red, const kf__lx *count) {
    kf__dtype type = kf__state_type(L, red);
    if (!count || !kf__is_float(type) || !kf__counts(L, red)) return count;
    if (count->kind == KF__L_INT) return kf__l_const(L, type, (double)count->integer, 0);
    return kf__l_call(L, "kf_cast_i64_T", type, count);
}

void kf__put_merge(kf__low *L, uint32_t red, const kf__lx *const *p, const kf__lx *const *q,
                   const kf__lx *np, const kf__lx *nq) {
    kf__dtype type = kf__state_type(L, red);
    int n = kf__fields(L, red);
    const kf__lx *merged[KF__MAX_FIELDS], *none = kf__l_int(L, 0);
    if (n > 1) kf__open_block(L);
    for (int f = 0; f < n; ++f) {
        const kf__lx *args[] = {p[0], p[n - 1], q[0], q[n - 1], np ? np : none, nq ? nq : none};
        const char *code = field_of(L, red, f)->merge;
        if (n == 1) { /* the integer spelling too */
            kf__put_set(L, p[0], kf__fold_of(L, red, 0, p[0], q[0]));
            return;
        }
        merged[f] = kf__put_let(L, kf__ctype(kf__field_type(L, red, f)),
                                kf__field_name(L, "merged", red, f),
                                kf__l_code(L, code, type, "p0 p1 q0 q1 np nq", 6, args), NULL);
    }
    for (int f = 0; f < n; ++f) kf__put_set(L, p[f], merged[f]);
    if (n > 1) kf__close(L);
}

void kf__put_project_of(kf__low *L, uint32_t red, int field, const kf__lx *value,
                        const kf__lx *total) {
    const kf__red_row *row = &kf__reds[L->k->instrs[red].op];
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->kind != KF__I_PROJECT || in->args[0] != red || in->field != field) continue;
        if (field == 0 && row->empty && !strcmp(row->empty, "nan")) {
            const kf__lx *nan = kf__l_const(L, kf__state_type(L, red), (double)NAN, 0);
            value = kf__l_select(L, kf__l_bin(L, ">", total, kf__l_int(L, 0)), value, nan);
        }
        L->value[i] = kf__put_let(L, kf__ctype(in->dtype), kf__l_name(L, "v%u", (unsigned)i), value,
                                  kf__l_name(L, "%s", row->field[field].name));
    }
}

void kf__put_project(kf__low *L, uint32_t red, const kf__lx *const *fields, const kf__lx *total) {
    for (int f = 0; f < kf__fields(L, red); ++f)
        kf__put_project_of(L, red, f, fields[f], total);
}
