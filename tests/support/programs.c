/* Random programs: see programs.h. */
#include "support/programs.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

const int64_t random_sizes[RANDOM_SIZES][DIMS] = {
    {1, 1024, 1024, 8, 700, 1500}, {1, 16384, 96, 4, 1000, 400}, {1, 96, 16384, 3, 1000, 400},
    {1, 300, 200, 100, 150, 250},
};

static uint32_t draw(writer *w, uint32_t n) {
    w->state = w->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(w->state >> 33) % n;
}

static const char *const inputs[] = {"x: f32 MN", "y: f32 MN", "s: f32 NM", "b: f32 N", "r: f32 M1",
                                     "z: f32 KMN", "h: f16 MN", "q: i8 MN", "c: f32 M",
                                     "i: i64 P", "j: i64 Q"};

static shaped input_of(const char *line) {
    shaped v = {.is_float = line[3] != 'i'};
    v.name[0] = line[0];
    for (const char *d = strrchr(line, ' ') + 1; *d; d++)
        v.dim[v.rank++] = *d == 'M' ? DIM_M : *d == 'N' ? DIM_N : *d == 'K' ? DIM_K
                            : *d == 'P' ? DIM_P : *d == 'Q' ? DIM_Q : DIM_1;
    return v;
}

void describe_inputs(writer *w, const int64_t *size) {
    size_t n = 0;
    int64_t times = w->vectors ? 256 : 1;
    for (size_t i = 0; i < KF__COUNT(inputs); i++) {
        shaped v = input_of(inputs[i]);
        n += (size_t)snprintf(w->head + n, sizeof w->head - n, "# %.*s[",
                              (int)(strrchr(inputs[i], ' ') - inputs[i]), inputs[i]);
        for (int d = 0; d < v.rank; d++)
            n += (size_t)snprintf(w->head + n, sizeof w->head - n, "%s%d", d ? ", " : "",
                                  (int)(v.dim[d] == DIM_1 ? 1 : times * size[v.dim[d]]));
        n += (size_t)snprintf(w->head + n, sizeof w->head - n, "]\n");
    }
}

static const shaped *pick(writer *w) { /* late ones more often: deep graphs */
    uint32_t a = draw(w, (uint32_t)w->n), b = draw(w, (uint32_t)w->n);
    return &w->value[a > b ? a : b];
}

static bool broadcast(const shaped *a, const shaped *b, shaped *out) {
    *out = a->rank >= b->rank ? *a : *b;
    const shaped *c = a->rank >= b->rank ? b : a;
    out->is_float = a->is_float || b->is_float;
    for (int i = 1; i <= c->rank; i++) {
        int *d = &out->dim[out->rank - i], e = c->dim[c->rank - i];
        if (*d != e && *d != DIM_1 && e != DIM_1) return false;
        if (*d == DIM_1) *d = e;
    }
    return true;
}

static void add(writer *w, shaped v, int cost, const char *format, const char *a, const char *b,
                int axis) {
    char rhs[128];
    if (w->operations + cost > OPERATIONS || w->n == 32) return;
    char number[16];
    snprintf(number, sizeof number, "%d", axis);
    size_t n = 0;
    for (const char *c = format; *c && n + 16 < sizeof rhs; c++)
        n += (size_t)(*c == '$'   ? snprintf(rhs + n, sizeof rhs - n, "%s", a)
                      : *c == '&' ? snprintf(rhs + n, sizeof rhs - n, "%s", b)
                      : *c == '@' ? snprintf(rhs + n, sizeof rhs - n, "%s", number)
                                  : snprintf(rhs + n, sizeof rhs - n, "%c", *c));
    snprintf(v.name, sizeof v.name, "t%d", w->n);
    size_t at = strlen(w->text);
    snprintf(w->text + at, sizeof w->text - at, "%s = %s; ", v.name, rhs);
    w->value[w->n++] = v;
    w->operations += cost;
}

static void add_reduction(writer *w, const shaped *a) {
    static const char *const names[] = {"sum($, @)", "max($, @)", "mean($, @)", "var($, @)",
                                        "sum($, @, keepdims=True)", "max($, @, keepdims=True)",
                                        "mean($, @, keepdims=True)",
                                        "logsumexp($, @, keepdims=True)"};
    static const int nodes[] = {1, 1, 2, 2, 1, 1, 2, 5}; /* of the graph */
    int which = (int)draw(w, (uint32_t)KF__COUNT(names)), axis = (int)draw(w, 3);
    shaped v = *a;
    if (a->rank == 0 || !a->is_float) return;
    axis %= a->rank;
    if (a->dim[axis] == DIM_1) return;
    if (draw(w, 10) == 0) {
        v.rank = 0;
        add(w, v, 1 + (which + 1) % 2, which % 2 ? "max($)" : "mean($)", a->name, "", 0);
        return;
    }
    v.dim[axis] = DIM_1;
    if (which < 4) {
        for (int i = axis; i + 1 < v.rank; i++) v.dim[i] = v.dim[i + 1];
        v.rank--;
    }
    add(w, v, nodes[which], names[which], a->name, "", axis);
}

static void add_view(writer *w, const shaped *a) {
    shaped v = *a;
    if (a->rank == 0) return;
    switch (draw(w, 5)) {
    case 4:
        if (a->dim[0] == DIM_1) return;
        v.dim[0] = DIMS + w->n;
        add(w, v, 1, "$[1:]", a->name, "", 0);
        return;
    case 0:
    case 1:
        if (a->rank < 2) return;
        v.dim[v.rank - 1] = a->dim[a->rank - 2], v.dim[v.rank - 2] = a->dim[a->rank - 1];
        add(w, v, 1, "$.mT", a->name, "", 0);
        return;
    case 2: add(w, v, 1, "flip($, 0)", a->name, "", 0); return;
    default:
        v.dim[0] = DIM_1;
        add(w, v, 1, "$[None, 0]", a->name, "", 0);
    }
}

/* Joined, padded, rolled, read at indices. */
static void add_joined(writer *w, const shaped *a, const shaped *b) {
    static const char *const at[] = {"i", "j"};
    shaped v = *a;
    int axis = (int)draw(w, 3), which = (int)draw(w, 2);
    if (a->rank == 0) return;
    axis %= a->rank;
    switch (draw(w, 4)) {
    case 0:
        v.is_float = a->is_float || b->is_float;
        if (b->rank != a->rank) return;
        for (int d = 0; d < a->rank; d++)
            if (d != axis && a->dim[d] != b->dim[d]) return;
        v.dim[axis] = DIMS + w->n;
        add(w, v, 1, "concatenate([$, &], @)", a->name, b->name, axis);
        return;
    case 1:
        for (int d = 0; d < a->rank; d++) v.dim[d] = DIMS + w->n;
        add(w, v, 1, which ? "pad($, 1)" : "pad($, (0, 2))", a->name, "", 0);
        for (int d = 0; d < a->rank; d++) w->value[w->n - 1].dim[d] = 40 * (d + 1) + w->n;
        return;
    case 2:
        if (a->dim[axis] != DIM_1) add(w, v, 3, "roll($, 3, @)", a->name, "", axis);
        return;
    default:
        if (a->dim[axis] == DIM_1) return;
        v.dim[axis] = which ? DIM_Q : DIM_P;
        add(w, v, 1, "take($, &, axis=@)", a->name, at[which], axis);
    }
}

static void add_unary(writer *w, const shaped *a) {
    static const char *const forms[] = {"relu($)", "exp($)", "$ * 0.5", "tanh($)", "-$", "abs($)"};
    shaped v = *a;
    uint32_t which = draw(w, 9);
    v.is_float = true;
    if (which < 6) {
        if (a->is_float) add(w, v, 1, forms[which], a->name, "", 0);
    } else if (which == 6) {
        add(w, v, 1, "cast($, f16)", a->name, "", 0);
    } else if (which == 7) {
        v.is_float = false;
        add(w, v, 1, "cast($, i8)", a->name, "", 0);
    } else if (a->rank) {
        add(w, v, 1, "rand_like(cast($, f32), seed=1)", a->name, "", 0);
    }
}

static void add_binary(writer *w, const shaped *a, const shaped *b) {
    static const char *const forms[] = {"$ + &", "$ - &", "$ * &", "maximum($, &)",
                                        "where($ > 0, $, &)"};
    shaped v;
    if (broadcast(a, b, &v)) add(w, v, 1, forms[draw(w, KF__COUNT(forms))], a->name, b->name, 0);
}

void random_text(writer *w, uint64_t seed) {
    *w = (writer){.state = seed * 0x9e3779b97f4a7c15ULL + 12345};
    uint32_t n_inputs = 1 + draw(w, 4);
    for (uint32_t i = 0; i < n_inputs; i++) {
        shaped v = input_of(inputs[draw(w, 3) ? draw(w, 4) : draw(w, KF__COUNT(inputs))]);
        bool known = false;
        for (int k = 0; k < w->n; k++) known |= !strcmp(w->value[k].name, v.name);
        if (!known) w->value[w->n++] = v;
    }
    int first = w->n, most = 2 + (int)draw(w, OPERATIONS - 1);
    for (int tries = 0; tries < 40 && w->operations < most; tries++) {
        const shaped *a = pick(w), *b = pick(w);
        switch (draw(w, 12)) {
        case 0: case 1: add_unary(w, a); break;
        case 10: case 11: add_joined(w, a, b); break;
        case 2: add_view(w, a); break;
        case 3: case 4: case 5: add_reduction(w, a); break;
        case 6:
            if (a->rank && a->is_float)
                add(w, *a, 6, draw(w, 2) ? "softmax($, @)" : "layer_norm($, axis=@)", a->name, "",
                    (int)draw(w, (uint32_t)a->rank));
            break;
        default: add_binary(w, a, b);
        }
    }
    size_t at = strlen(w->text);
    at += (size_t)snprintf(w->text + at, sizeof w->text - at, "%s", w->value[w->n - 1].name);
    for (int i = (int)draw(w, 3); i > 0 && w->n > first; i--)
        at += (size_t)snprintf(w->text + at, sizeof w->text - at, ", %s",
                               w->value[first + (int)draw(w, (uint32_t)(w->n - first))].name);
}
