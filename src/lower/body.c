/* Instructions of the kernel as statements: `const float v3 = kf_max_f32(v1, 0x0p+0f);`. */
#include "lower/low.h"

const char *kf__ctype(kf__dtype type) { return kf__types[kf__compute(type)].computed; }

/* ---------------------------------------------------------------- where operands are */

static const kf__lx *symbol(kf__low *L, uint32_t k) { return kf__value_of(L, L->k->symbols[k]); }

/* Is it i / chunk, of the axis that is cumulative? */
static bool is_chunk(const kf__low *L, const kf__expr_node *x) {
    const kf__exprs *pool = &L->p->graph->exprs;
    const kf__expr_node *of = &pool->nodes.at[x->a];
    return x->kind == KF__X_DIV && of->kind == KF__X_AXIS && of->value < KF__MAX_AXES &&
           (L->k->reduced >> of->value & 1) && kf__x_is(pool, x->b, kf__kernel_chunk(L->k));
}

/* Where the kernel's axis is now; axes that have merged aren't asked for. */
static int axis_at(const kf__low *L, int64_t original) {
    int m = 0;
    while (m < kf__last(L) && L->axes[m].original != (uint32_t)original) ++m;
    return m;
}

/* An index expression of the graph over the axis variables. */
static const kf__lx *expression(kf__low *L, kf__expr e, const kf__lx *last) {
    static const char *const operators[] = {[KF__X_ADD] = "+", [KF__X_MUL] = "*"};
    static const char *const functions[] = {[KF__X_DIV] = "kf_floordiv_i64",
                                            [KF__X_MOD] = "kf_mod_i64",
                                            [KF__X_MIN] = "kf_min_i64",
                                            [KF__X_MAX] = "kf_max_i64"};
    const kf__expr_node *x = &L->p->graph->exprs.nodes.at[e];
    if (L->chunk && is_chunk(L, x)) return L->chunk;
    switch ((kf__expr_kind)x->kind) {
    case KF__X_CONST: return kf__l_int(L, x->value);
    case KF__X_NAME: {
        const char *name = kf__l_name(L, "size%d", (int)x->value);
        return kf__word_int(L, name, L->layout->names[x->value]);
    }
    case KF__X_AXIS: {
        if (x->value >= KF__FIRST_SYMBOL) return symbol(L, (uint32_t)x->value - KF__FIRST_SYMBOL);
        int m = axis_at(L, x->value);
        return m == kf__last(L) && last ? last : kf__l_var(L, L->axes[m].var);
    }
    case KF__X_ADD:
    case KF__X_MUL:
        return kf__l_bin(L, operators[x->kind], expression(L, x->a, last),
                         expression(L, x->b, last));
    case KF__X_DIV:
    case KF__X_MOD:
    case KF__X_MIN:
    case KF__X_MAX:
        return kf__l_call(L, functions[x->kind], KF__I64, expression(L, x->a, last),
                          expression(L, x->b, last));
    case KF__X_NONE: break;
    }
    return kf__l_int(L, 0);
}

static const kf__lx *general_offset(kf__low *L, uint32_t access, const kf__lx *last) {
    const kf__operand *o = &L->operands[access];
    const kf__lx *sum = kf__l_int(L, 0), *row_major = kf__l_int(L, 1);
    int inner = o->value ? kf__low_innermost(L, o->access) : -1;
    for (int d = o->access->rank - 1; d >= 0; --d) {
        const kf__lx *stride = row_major;
        if (d == inner) {
            stride = kf__l_int(L, 1);
        } else if (o->value) {
            const char *name = kf__l_name(L, "d%d_%s", d, o->name);
            stride = kf__word_int(L, name, L->layout->strides[o->access->value][d]);
        } else {
            row_major = kf__l_bin(L, "*", row_major, expression(L, o->access->shape[d], NULL));
        }
        sum = kf__l_bin(L, "+", kf__l_bin(L, "*", expression(L, o->access->index[d], last), stride),
                        sum);
    }
    return sum;
}

const kf__lx *kf__low_offset(kf__low *L, uint32_t access, const kf__lx *last) {
    const kf__operand *o = &L->operands[access];
    if (!o->affine) return general_offset(L, access, last);
    const kf__lx *sum = kf__l_int(L, 0);
    for (int m = 0; m < L->n_axes; ++m) {
        if (!o->varies[m]) continue;
        bool inner = m == kf__last(L);
        bool tile = m == L->tile && kf__low_tiled(L, access) && L->target->kind != KF__TARGET_C;
        const kf__lx *index = inner && last ? last : kf__l_var(L, L->axes[m].var);
        if (inner && !last) continue;
        bool unit = (inner || tile) && o->along[m].unit;
        const kf__lx *stride = unit ? kf__l_int(L, 1) : kf__word_stride(L, access, m);
        sum = kf__l_bin(L, "+", sum, kf__l_bin(L, "*", index, stride));
    }
    for (uint32_t k = 0; k < L->k->n_symbols; ++k) {
        if (!(o->symbols >> k & 1)) continue;
        const char *name = kf__l_name(L, "t%u_%s", (unsigned)k, o->name);
        const kf__lx *stride = kf__word_int(L, name, o->symbol_stride[k]);
        sum = kf__l_bin(L, "+", sum, kf__l_bin(L, "*", symbol(L, k), stride));
    }
    return sum;
}

const kf__lx *kf__low_address(kf__low *L, uint32_t access, int axis, const char *at,
                              const kf__lx *last) {
    const char *usual = L->axes[axis].var;
    L->axes[axis].var = at;
    const kf__lx *address = kf__l_bin(L, "+", kf__l_var(L, kf__word_operand(L, access)),
                                      kf__low_offset(L, access, last));
    L->axes[axis].var = usual;
    return address;
}

void kf__put_pointer(kf__low *L, uint32_t access, const kf__lx *first) {
    const kf__operand *o = &L->operands[access];
    if (!o->value && !o->row) return;
    const char *base = o->row ? o->row : kf__word_operand(L, access);
    if (!o->affine) {
        L->pointer[access] = base;
        return;
    }
    const char *name = kf__l_name(L, "p%u_%s", (unsigned)access, o->name);
    const kf__lx *offset = kf__low_offset(L, access, first);
    if (o->row) /* an address has it already */
        offset = kf__l_bin(L, "+", kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset),
                           offset);
    const kf__lx *at = kf__l_bin(L, "+", kf__l_var(L, base), offset);
    kf__put_let(L, kf__pointer_type(L, access), name, at, NULL);
    L->pointer[access] = name;
    L->pointer_depth[access] = (uint8_t)L->depth;
}

const kf__lx *kf__element(kf__low *L, uint32_t access, const kf__lx *l, const kf__lx *at) {
    switch (kf__low_step(L, access)) {
    case 0: return kf__l_int(L, 0);
    case 1: return l;
    case 2: return kf__l_bin(L, "*", l, kf__word_stride(L, access, kf__last(L)));
    default: return kf__low_offset(L, access, at);
    }
}

const kf__lx *kf__low_load(kf__low *L, uint32_t access, const kf__lx *pointer,
                           const kf__lx *index) {
    const char *suffix = kf__types[L->operands[access].dtype].alias;
    return kf__l_call(L, kf__l_name(L, "kf_load_%s", suffix), KF__I64, pointer, index);
}

const kf__lx *kf__low_zeros(kf__low *L, uint32_t access) {
    const char *type = kf__types[L->operands[access].dtype].alias;
    return kf__l_callv(L, kf__l_name(L, "kf_zeros_%s", type), KF__I64, 0, NULL);
}

void kf__put_store(kf__low *L, uint32_t access, const char *pointer, const kf__lx *index,
                   const kf__lx *value) {
    const char *suffix = kf__types[L->operands[access].dtype].alias;
    kf__put_call(L, kf__l_call(L, kf__l_name(L, "kf_store_%s", suffix), KF__I64,
                               kf__l_var(L, pointer), index, value));
}

/* ---------------------------------------------------------------- which instructions */

bool kf__at_level(const kf__low *L, uint32_t i, kf__level level) {
    const kf__instr *in = &L->k->instrs[i];
    if (L->rows_inside && level == KF__LEVEL_FULL && in->level == KF__LEVEL_ROW && in->stage == 0)
        return true;
    return in->level == level;
}

kf__mask *kf__low_mask(const kf__low *L) {
    return KF__NEW(L->arena, kf__mask, L->k->n_instrs / 64 + 1);
}

kf__mask *kf__low_needed(kf__low *L, kf__level level, const uint16_t *roots, uint32_t n) {
    const kf__kernel *k = L->k;
    kf__mask *mask = kf__low_mask(L);
    if (!mask) {
        L->failed = true;
        static const kf__mask none[2048];
        return (kf__mask *)(uintptr_t)none; /* only read: 64 * 2048 exceeds what a kernel has */
    }
    for (uint32_t r = 0; r < n; ++r)
        if (kf__at_level(L, roots[r], level) && !L->value[roots[r]])
            kf__add(mask, roots[r]);
    for (uint32_t i = k->n_instrs; i-- > 0;) {
        if (!kf__has(mask, i)) continue;
        for (int a = 0; a < k->instrs[i].n_args; ++a) {
            uint16_t arg = k->instrs[i].args[a];
            if (kf__at_level(L, arg, level) && !L->value[arg])
                kf__add(mask, arg);
        }
    }
    return mask;
}

uint32_t kf__only_user(const kf__low *L, uint32_t i) {
    uint32_t user = UINT32_MAX, n = 0;
    for (uint32_t u = i + 1; u < L->k->n_instrs; ++u)
        if (kf__uses(&L->k->instrs[u], i)) user = u, ++n;
    for (uint32_t s = 0; s < L->k->n_stores; ++s) n += 2 * (L->k->stores[s].instr == i);
    return n == 1 ? user : UINT32_MAX;
}

bool kf__is_function(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_OP && kf__op_is_dear((kf__opcode)in->op);
}

bool kf__divides(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_OP && (in->op == KF__DIVIDE || in->op == KF__RECIPROCAL ||
                                    in->op == KF__SQRT || in->op == KF__RSQRT);
}

/* To a float16 on a CPU: in integers, as no vector of them is converted by all compilers. */
static bool rounds(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_CAST && in->dtype == KF__F16 && L->target->kind == KF__TARGET_C;
}

bool kf__saturates(const kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    return in->kind == KF__I_CAST && !kf__is_float(in->dtype) && in->dtype != KF__BOOL &&
           kf__is_float(L->k->instrs[in->args[0]].dtype);
}

bool kf__takes_functions(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && (L->k->instrs[i].kind == KF__I_RANDOM || kf__is_function(L, i)))
            return true;
    return false;
}

bool kf__is_dear(const kf__low *L, const kf__mask *mask) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__has(mask, i) && rounds(L, i)) return true;
    return kf__takes_functions(L, mask);
}

/* Is it made of any element? */
static bool is_of_elements(kf__low *L, uint32_t i) {
    kf__mask *of = kf__low_mask(L);
    if (!of) L->failed = true;
    else kf__add(of, i);
    for (uint32_t j = i + 1; of && j-- > 0;) {
        const kf__instr *in = &L->k->instrs[j];
        if (!kf__has(of, j) || in->level != KF__LEVEL_FULL) continue;
        if (in->kind == KF__I_LOAD || in->kind == KF__I_RANDOM) return true;
        for (int a = 0; a < in->n_args; ++a) kf__add(of, in->args[a]);
    }
    return false;
}

/* Between floats by a comparison of such a compiler chooses without a jump. */
static bool is_unforeseen(kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i], *by = &L->k->instrs[in->args[0]];
    if (in->kind != KF__I_OP || in->op != KF__WHERE || !kf__is_float((kf__dtype)in->dtype))
        return false;
    bool compares = by->kind == KF__I_OP && by->op >= KF__EQUAL && by->op <= KF__GREATER_EQUAL;
    if (compares && kf__compute((kf__dtype)L->k->instrs[by->args[0]].dtype) ==
                        kf__compute((kf__dtype)in->dtype))
        return false;
    return is_of_elements(L, in->args[0]);
}

bool kf__chooses(kf__low *L, const kf__mask *mask) {
    bool any = false;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        any = any || (kf__has(mask, i) && is_unforeseen(L, i));
    return any;
}

bool kf__low_is_full(const kf__low *L, const kf__operand *o) {
    bool full = false;
    uint32_t axes = o->affine ? 0 : kf__access_axes(&L->p->graph->exprs, o->access);
    for (int m = 0; m < L->n_axes; ++m)
        full |= L->axes[m].reduced && (o->affine ? o->varies[m] : axes >> L->axes[m].original & 1);
    return full;
}

uint32_t kf__low_stores(const kf__low *L, uint32_t stage, uint16_t *out) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < L->k->n_stores; ++s) {
        bool full = kf__low_is_full(L, &L->operands[L->k->stores[s].access]);
        if (!L->k->reduced) full = true;
        if (full && L->k->instrs[L->k->stores[s].instr].stage == stage) out[n++] = (uint16_t)s;
    }
    return n;
}

bool kf__low_later(const kf__low *L, uint32_t stage) {
    for (uint32_t s = stage; s < L->k->n_stages; ++s) {
        uint16_t stores[64];
        if (L->k->n_stores <= 64 && kf__low_stores(L, s, stores)) return true;
        for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
            const kf__instr *in = &L->k->instrs[i];
            if (in->kind == KF__I_REDUCE && L->k->instrs[in->args[0]].stage == s) return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- one instruction */

const kf__lx *kf__value_of(kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_CONSTANT) return kf__l_const(L, in->dtype, in->number, in->integer);
    if (L->value[i]) return L->value[i];
    return kf__l_var(L, kf__l_name(L, "v%u", (unsigned)i));
}

const char *kf__instr_comment(kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const kf_graph *g = L->p->graph;
    const char *op = in->kind == KF__I_OP       ? kf__ops[in->op].name
                     : in->kind == KF__I_CAST   ? kf__types[in->dtype].name
                     : in->kind == KF__I_REDUCE || in->kind == KF__I_SCAN ? kf__reds[in->op].name
                                                : NULL;
    const char *call = in->node && in->node < g->nodes.n && g->nodes.at[in->node].call < g->calls.n
                           ? g->calls.at[g->nodes.at[in->node].call]
                           : NULL;
    for (const char *c = call; c && *c; ++c)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '_'))
            call = NULL;
    if (call && *call && (!op || strcmp(call, op))) return call;
    return op;
}

/* A cast between compute types; to f16, bf16 and float8 it rounds and stays f32. `fits`: see
 * range.c. */
static const kf__lx *cast(kf__low *L, kf__dtype from, kf__dtype to, const kf__lx *value,
                          bool fits) {
    kf__dtype source = kf__compute(from), target = kf__compute(to);
    bool half = target != to, wide = source == KF__F64 || source == KF__I64 || source == KF__I32;
    if (half && wide) { /* what f32 can't hold */
        const char *into = source == KF__I64 ? "odd" : "f64"; /* so that it is rounded once */
        if (source != KF__F64)
            value = kf__l_call(L, kf__l_name(L, "kf_cast_%s_%s", kf__types[source].alias, into),
                               KF__F64, value);
        return kf__l_call(L, kf__l_name(L, "kf_round_%s_f64", kf__types[to].alias), KF__F64, value);
    }
    if (source != target)
        value = kf__l_call(L, kf__l_name(L, "kf_cast_%s_%s%s", kf__types[source].alias,
                                         kf__types[target].alias, fits ? "_fits" : ""),
                           target, value);
    if (half)
        value = kf__l_call(L, kf__l_name(L, "kf_round_%s", kf__types[to].alias), KF__F32, value);
    return value;
}

/* Has instruction i been rounded to the type already? */
static bool is_rounded(const kf__low *L, uint32_t i, kf__dtype type) {
    const kf__instr *in = &L->k->instrs[i];
    if (in->kind == KF__I_LOAD)
        return L->operands[in->access].dtype == type && kf__compute(in->dtype) == kf__compute(type);
    if (in->kind == KF__I_CAST) return in->dtype == type;
    return in->kind == KF__I_PICK && is_rounded(L, in->args[1], type) &&
           (in->field == KF__PICK_LAST || is_rounded(L, in->args[2], type));
}

/* x / c of elements x by what is the same for many of them, on GPUs where double is fast: a
 * division in f32 has a branch of its own, for what is out of range, at which each waits for the
 * one before. 1 / c is computed once. NULL: as any other. */
static const kf__lx *over_one(kf__low *L, const kf__instr *in, const kf__lx *const *args) {
    static const int fast[] = {60, 70, 80, 90, 100};
    if (L->target->kind == KF__TARGET_C || in->op != KF__DIVIDE) return NULL;
    const kf__instr *by = &L->k->instrs[in->args[1]];
    bool is = false, one = by->level != KF__LEVEL_FULL && kf__compute(by->dtype) == KF__F32;
    for (size_t k = 0; k < KF__COUNT(fast); ++k) is |= L->target->sm == fast[k];
    if (!is || !one || in->level != KF__LEVEL_FULL) return NULL;
    const kf__lx *over = kf__l_code(L, "1 / (double)c", KF__F64, "c", 1, &args[1]);
    return kf__l_call(L, "kf_over_f32", KF__F32, args[0], args[1], over);
}

/* Has it a value here? Of what is kept of a row its arguments may have none. */
static bool is_there(const kf__low *L, uint32_t i) {
    return L->value[i] || L->k->instrs[i].kind == KF__I_CONSTANT;
}

void kf__put_instr(kf__low *L, uint32_t i) {
    const kf__instr *in = &L->k->instrs[i];
    const kf__lx *args[3], *value;
    for (int a = 0; a < in->n_args; ++a) args[a] = kf__value_of(L, in->args[a]);
    kf__dtype type = kf__compute(in->dtype);
    if (in->kind == KF__I_OP) {
        const kf__op_row *row = &kf__ops[in->op];
        /* The class and the suffix are the arguments', except where's first; _S is the result's. */
        kf__dtype operand = kf__compute(L->k->instrs[in->args[in->op == KF__WHERE ? 1 : 0]].dtype);
        const char *code = kf__is_float(operand) ? row->float_code : row->int_code;
        if (code && strstr(code, "_S(")) operand = in->dtype;
        uint32_t x, low, high;
        const kf__lx *over = over_one(L, in, args);
        if (over)
            value = over;
        else if (kf__low_clamps(L, i, &x, &low, &high) && is_there(L, x))
            value = kf__l_call(L, "kf_clamp_T", operand, kf__value_of(L, x),
                               kf__value_of(L, low), kf__value_of(L, high));
        else if (kf__low_is_nonpositive_exp(L, i))
            value = kf__l_call(L, "kf_exp_nonpositive_T", operand, args[0]);
        else
            value = kf__l_code(L, code ? code : "0", operand, "a b c", in->n_args, args);
    } else if (in->kind == KF__I_CAST) {
        bool none = L->target->kind != KF__TARGET_C && is_rounded(L, in->args[0], in->dtype);
        value = none ? args[0]
                     : cast(L, L->k->instrs[in->args[0]].dtype, in->dtype, args[0],
                            kf__low_fits(L, in->args[0], in->dtype));
        if (value == args[0]) { /* nothing to do */
            L->value[i] = value;
            return;
        }
    } else if (in->kind == KF__I_PICK) {
        value = in->field == KF__PICK_LAST ? args[1] : kf__l_select(L, args[0], args[1], args[2]);
    } else if (in->kind == KF__I_INDEX || in->kind == KF__I_INSIDE) {
        value = kf__place_value(L, i, L->at);
    } else if (in->kind == KF__I_SCAN && L->running) {
        kf__put_scan(L, i);
        return;
    } else {
        L->failed = true;
        return;
    }
    const char *name = kf__l_name(L, "v%u", (unsigned)i);
    L->value[i] = kf__put_let(L, kf__types[type].computed, name, value, kf__instr_comment(L, i));
}

const kf__lx *kf__random_call(kf__low *L, const kf__instr *in, const kf__lx *index) {
    return kf__l_call(L, in->dtype == KF__I64 ? "kf_philox_wide" : "kf_philox_word", KF__I32,
                      kf__value_of(L, in->args[0]), kf__value_of(L, in->args[1]), index);
}

/* ---------------------------------------------------------------- the outer levels */

void kf__put_scalars(kf__low *L) {
    L->at = NULL;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        if (in->level != KF__LEVEL_SCALAR || in->stage > 0) continue;
        const char *name = kf__l_name(L, "v%u", (unsigned)i);
        if (kf__is_made(in)) kf__put_instr(L, i);
        if (in->kind == KF__I_SIZE) {
            int64_t size = 0;
            kf__x_eval(&L->p->graph->exprs, in->index, L->layout->names, NULL, &size);
            L->value[i] = kf__word_int(L, kf__l_name(L, "size_v%u", (unsigned)i), size);
        }
        if (in->kind == KF__I_SCALAR) L->value[i] = kf__word_scalar(L, in->index);
        if (in->kind == KF__I_LOAD) {
            const kf__lx *base = kf__l_var(L, kf__word_operand(L, in->access));
            bool fixed = !kf__has_symbols(L, in->access);
            const kf__lx *at = fixed ? kf__l_int(L, 0) : kf__low_offset(L, in->access, NULL);
            const kf__lx *load = kf__low_load(L, in->access, base, at);
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name,
                                      kf__guarded(L, in, load, NULL), NULL);
        }
        if (in->kind == KF__I_RANDOM) {
            const kf__operand *o = &L->operands[in->access];
            const kf__lx *word = kf__random_call(
                L, in, kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset));
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name, word, NULL);
        }
    }
}

void kf__put_rows(kf__low *L, uint32_t stage) {
    L->at = NULL;
    for (uint32_t i = 0; i < L->k->n_instrs; ++i) {
        const kf__instr *in = &L->k->instrs[i];
        bool scalar_later = in->level == KF__LEVEL_SCALAR && in->stage > 0;
        if ((in->level != KF__LEVEL_ROW && !scalar_later) || in->stage != stage) continue;
        if (L->value[i]) continue;
        const char *name = kf__l_name(L, "v%u", (unsigned)i);
        if (kf__is_made(in)) kf__put_instr(L, i);
        if (in->kind == KF__I_LOAD) {
            const kf__lx *base = kf__l_var(L, kf__word_operand(L, in->access));
            const kf__lx *last =
                kf__low_step(L, in->access) ? kf__l_var(L, L->axes[kf__last(L)].var) : NULL;
            const kf__lx *load =
                kf__low_load(L, in->access, base, kf__low_offset(L, in->access, last));
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name,
                                      kf__guarded(L, in, load, NULL), NULL);
        }
        if (in->kind == KF__I_RANDOM) {
            const kf__operand *o = &L->operands[in->access];
            const kf__lx *last =
                kf__low_step(L, in->access) ? kf__l_var(L, L->axes[kf__last(L)].var) : NULL;
            const kf__lx *index = kf__low_offset(L, in->access, last);
            if (o->affine)
                index = kf__l_bin(
                    L, "+", kf__word_int(L, kf__l_name(L, "first_%s", o->name), o->offset), index);
            const kf__lx *word = kf__random_call(L, in, index);
            L->value[i] = kf__put_let(L, kf__ctype(in->dtype), name, word, NULL);
        }
    }
}

static bool is_row_store(const kf__low *L, uint32_t s) {
    uint16_t stores[64];
    uint32_t n = kf__low_stores(L, L->k->instrs[L->k->stores[s].instr].stage, stores);
    for (uint32_t i = 0; i < n; ++i)
        if (stores[i] == s) return false;
    return true;
}

bool kf__has_row_stores(const kf__low *L) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (is_row_store(L, s)) return true;
    return false;
}

void kf__put_row_stores(kf__low *L) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s) {
        if (!is_row_store(L, s)) continue;
        const kf__store *store = &L->k->stores[s];
        const char *base = kf__word_operand(L, store->access);
        const kf__lx *last =
            kf__low_step(L, store->access) ? kf__l_var(L, L->axes[kf__last(L)].var) : NULL;
        kf__put_store(L, store->access, base, kf__low_offset(L, store->access, last),
                      kf__value_of(L, store->instr));
    }
}

void kf__forget(kf__low *L, kf__level level) {
    for (uint32_t i = 0; i < L->k->n_instrs; ++i)
        if (kf__at_level(L, i, level)) L->value[i] = NULL;
}

/* "reads  in_x     float32[x.0, x.1], 4 bytes each" */
static void print_operand(const kf__low *L, const kf__operand *o, kf__text *text) {
    const kf__type *type = &kf__types[o->dtype];
    kf__print(text, "\n%s %-8s %s[", o->store ? "writes" : "reads ", o->name, type->name);
    for (int d = 0; d < o->value->rank; ++d) {
        if (d) kf__print(text, ", ");
        kf__x_print(&L->p->graph->exprs, o->value->shape[d], text);
    }
    kf__print(text, "], %d byte%s each", type->size, type->size == 1 ? "" : "s");
}

/* The results that a function writes which merges chunks: those of rows. */
static bool is_merged(const kf__low *L, uint32_t access) {
    for (uint32_t s = 0; s < L->k->n_stores; ++s)
        if (L->k->stores[s].access == access) return is_row_store(L, s);
    return false;
}

/* What the user wrote that the kernel does, in lines. */
static void print_ops(const kf__low *L, kf__text *text) {
    size_t line = 0;
    for (uint32_t i = 0; i < L->k->n_ops; ++i) {
        size_t n = strlen(L->k->ops[i]);
        bool full = line + n > 90;
        kf__print(text, "%s%s", !i ? "" : full ? ",\n" : ", ", L->k->ops[i]);
        line = full ? n : line + n + 2;
    }
    if (L->k->n_ops) kf__print(text, ".\n");
}

const char *kf__low_doc(kf__low *L, const char *how, bool merges) {
    kf__text text;
    kf__text_init(&text, L->p->graph->mem);
    print_ops(L, &text);
    kf__print(&text, "%s", how);
    if (merges) kf__print(&text, "\nreads  part_*   what the chunks left");
    for (int store = 0; store < 2; ++store)
        for (uint32_t i = 0; i < L->k->n_accesses; ++i) {
            const kf__operand *o = &L->operands[i];
            if (!o->value || o->store != store || (merges && !is_merged(L, i))) continue;
            print_operand(L, o, &text);
        }
    char *copy = text.failed ? NULL : kf__arena_string(L->arena, text.at, text.n);
    kf__text_free(&text);
    if (!copy) L->failed = true;
    return copy ? copy : "";
}
