/* The argument struct: 8-byte words, each of which the function first reads into a local of the
 * same name, so that the body names no struct. */
#include "lower/low.h"

static const kf__word *find(const kf__low *L, const char *name) {
    for (uint32_t i = 0; i < L->fn->n_words; ++i)
        if (!strcmp(L->fn->words[i].name, name)) return &L->fn->words[i];
    return NULL;
}

/* At the end of the function's prologue. */
static void insert(kf__low *L, kf__ls *s) {
    kf__loop_fn *fn = L->fn;
    if (L->prologue_end) {
        s->next = L->prologue_end->next;
        L->prologue_end->next = s;
        if (L->tail == &L->prologue_end->next) L->tail = &s->next;
        for (int i = 0; i < L->depth; ++i)
            if (L->stack[i] == &L->prologue_end->next) L->stack[i] = &s->next;
    } else {
        s->next = fn->body;
        fn->body = s;
        if (L->tail == &fn->body) L->tail = &s->next;
        for (int i = 0; i < L->depth; ++i)
            if (L->stack[i] == &fn->body) L->stack[i] = &s->next;
    }
    L->prologue_end = s;
}

/* A new word and the statement that reads it, at the function's beginning. */
static kf__word *add(kf__low *L, const char *ctype, const char *name) {
    static _Thread_local kf__word spare;
    kf__loop_fn *fn = L->fn;
    if (fn->n_words == L->words_capacity) {
        uint32_t capacity = L->words_capacity ? 2 * L->words_capacity : 16;
        kf__word *words = KF__NEW(L->arena, kf__word, capacity);
        if (!words) {
            L->failed = true;
            return &spare;
        }
        if (fn->n_words) memcpy(words, fn->words, fn->n_words * sizeof *words);
        fn->words = words;
        L->words_capacity = capacity;
    }
    kf__word *word = &fn->words[fn->n_words++];
    *word = (kf__word){.ctype = ctype, .name = name};

    kf__ls *s = KF__NEW(L->arena, kf__ls, 1);
    kf__lx *value = KF__NEW(L->arena, kf__lx, 1);
    if (!s || !value) {
        L->failed = true;
        return &spare;
    }
    *value = (kf__lx){.kind = KF__L_PARAM, .name = name};
    *s = (kf__ls){.kind = KF__S_LET, .name = name, .value = value, .ctype = ctype};
    insert(L, s);
    return word;
}

const kf__lx *kf__first_var(kf__low *L, const char *ctype, const char *name, int64_t count,
                            const kf__lx *value) {
    kf__ls *s = KF__NEW(L->arena, kf__ls, 1);
    if (s) {
        *s = (kf__ls){.kind = KF__S_VAR, .name = name, .value = value, .ctype = ctype,
                      .count = count};
        insert(L, s);
    } else {
        L->failed = true;
    }
    return kf__l_var(L, name);
}

const kf__lx *kf__word_int(kf__low *L, const char *name, int64_t value) {
    if (!find(L, name)) {
        kf__word *word = add(L, "int64_t", name);
        word->kind = KF__W_INT;
        word->number = value;
    }
    return kf__l_var(L, name);
}

int64_t kf__word_number(const kf__low *L, const char *name) {
    const kf__word *word = find(L, name);
    return word ? word->number : 0;
}

const char *kf__pointer_type(kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    return kf__l_name(L, o->store ? "%s *" : "const %s *", kf__types[o->dtype].stored);
}

/* Is it never loaded by the wide accesses that `vec` is about? What is loaded by elements isn't. */
static bool is_apart(const kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    if (o->store || o->packed) return false;
    return kf__begins_inside(o) || (kf__low_step(L, access) != 1 && !kf__low_tiled(L, access));
}

const char *kf__word_operand(kf__low *L, uint32_t access) {
    const kf__operand *o = &L->operands[access];
    if (find(L, o->name)) return o->name;
    kf__word *word = add(L, kf__pointer_type(L, access), o->name);
    word->apart = is_apart(L, access);
    const kf__value *v = o->value;
    if (o->packed) {
        word->kind = KF__W_PARTIAL;
        word->number = o->offset;
        return o->name;
    }
    word->kind = v->kind == KF__VALUE_INPUT    ? KF__W_INPUT
                 : v->kind == KF__VALUE_RESULT ? KF__W_RESULT
                                               : KF__W_TEMP;
    word->index = v->kind == KF__VALUE_TEMP ? o->access->value : v->index;
    word->number = o->offset * kf__types[o->dtype].size;
    return o->name;
}

const kf__lx *kf__word_partial(kf__low *L, const char *name, kf__dtype type, int64_t offset) {
    if (!find(L, name)) {
        kf__word *word = add(L, kf__l_name(L, "%s *", kf__types[type].stored), name);
        word->kind = KF__W_PARTIAL;
        word->number = offset;
    }
    return kf__l_var(L, name);
}

const kf__lx *kf__word_stride(kf__low *L, uint32_t access, int axis) {
    const kf__operand *o = &L->operands[access];
    const char *name = kf__l_name(L, "s%d_%s", axis, o->name);
    return kf__word_int(L, name, o->stride[axis]);
}

const kf__lx *kf__word_count(kf__low *L, const char *name, int64_t value) {
    const kf__lx *count = kf__word_int(L, name, value);
    if (L->small && L->prologue_end && !strcmp(L->prologue_end->name, name))
        L->prologue_end->ctype = "uint32_t";
    return count;
}

const kf__lx *kf__word_size(kf__low *L, int axis) {
    return kf__word_count(L, L->axes[axis].n, L->axes[axis].size);
}

const kf__lx *kf__word_scalar(kf__low *L, uint32_t input) {
    const kf__graph_input *in = &L->p->graph->inputs.at[input];
    const char *name = kf__l_name(L, "scalar%u", (unsigned)input);
    if (!find(L, name)) {
        kf__word *word = add(L, in->dtype == KF__F64 ? "double" : "int64_t", name);
        word->kind = KF__W_SCALAR;
        word->index = input;
    }
    return kf__l_var(L, name);
}

const kf__lx *kf__word_aligned(kf__low *L, const char *name, bool may) {
    if (!find(L, name)) {
        kf__word *word = add(L, "int64_t", name);
        word->kind = may ? KF__W_ALIGNED : KF__W_INT;
    }
    return kf__l_var(L, name);
}

const kf__lx *kf__word_own_aligned(kf__low *L, uint32_t access, bool may) {
    return kf__word_aligned(L, kf__l_name(L, "vec_%s", L->operands[access].name), may);
}
