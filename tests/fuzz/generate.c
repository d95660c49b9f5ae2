/* Random programs. A line is proposed from a table and kept if the parser takes the program with it
 * and sizes fit; so nothing here knows dtypes or shapes beyond what makes a proposal likely. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "generate.h"
#include "parse/parse.h"

const char *const fz_input_names[FZ_INPUTS] = {"x", "y", "z", "w"};

uint64_t fz_next(fz_random *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---------------------------------------------------------------- what lines look like */

typedef struct template {
    int weight;
    char class;
    const char *text;
} template;

static const template templates[] = {
#define LINE(weight, class, text) {weight, class, text},
#include "grammar.def"
#undef LINE
};
enum { N_TEMPLATES = (int)KF__COUNT(templates) };

static const struct {
    kf__opcode op;
    const char *text;
} infix[] = {
    {KF__ADD, "$0 + $1"}, {KF__SUBTRACT, "$0 - $1"}, {KF__MULTIPLY, "$0 * $1"},
    {KF__DIVIDE, "$0 / $1"}, {KF__FLOOR_DIVIDE, "$0 // $1"}, {KF__REMAINDER, "$0 % $1"},
    {KF__NEGATIVE, "-$0"}, {KF__EQUAL, "$0 == $1"}, {KF__NOT_EQUAL, "$0 != $1"},
    {KF__LESS, "$0 < $1"}, {KF__LESS_EQUAL, "$0 <= $1"}, {KF__GREATER, "$0 > $1"},
    {KF__GREATER_EQUAL, "$0 >= $1"}, {KF__BITWISE_AND, "$0 & $1"}, {KF__BITWISE_OR, "$0 | $1"},
    {KF__BITWISE_XOR, "$0 ^ $1"}, {KF__BITWISE_INVERT, "~$0"},
};

/* A row of ops.def as a line. */
char fz_op_text(kf__opcode op, char *text, size_t size) {
    static const char *const calls[] = {"", "%s($0)", "%s($0, $1)", "%s($0, $1, $2)"};
    snprintf(text, size, calls[kf__ops[op].arity], kf__ops[op].name);
    for (size_t i = 0; i < KF__COUNT(infix); i++)
        if (infix[i].op == op) snprintf(text, size, "%s", infix[i].text);
    switch (kf__ops[op].rule) {
    case KF__RULE_FLOAT:
    case KF__RULE_DIVIDE: return 'f';
    case KF__RULE_INTEGER: return 'i';
    case KF__RULE_BITS: return 'b';
    case KF__RULE_WHERE: return 'o';
    case KF__RULE_COMPARE: return '*';
    default: return 'n';
    }
}

static bool of_class(char class, kf__dtype t) {
    kf__class c = kf__types[t].class;
    switch (class) {
    case 'n': return c != KF__CLASS_BOOL;
    case 'f': return c == KF__CLASS_FLOAT;
    case 'i': return c == KF__CLASS_INT;
    case 'o': return c == KF__CLASS_BOOL;
    case 'b': return c != KF__CLASS_FLOAT;
    default: return true;
    }
}

/* ---------------------------------------------------------------- values so far */

/* Prefer late values: chains rather than bushes. */
static int pick(const fz_pool *p, fz_random *r, char class) {
    for (int tries = 0; tries < 12; tries++) {
        int i = fz_chance(r, 50) && p->n > 3 ? p->n - 1 - fz_below(r, 3) : fz_below(r, p->n);
        if (of_class(class, p->dtype[i])) return i;
    }
    return -1;
}

static void put_axes(fz_random *r, int rank, char how, char *text, size_t size) {
    int axis = rank ? fz_below(r, rank) : 0;
    if (fz_chance(r, 50)) axis -= rank;
    if (rank && fz_chance(r, 50)) axis = -1;
    if (how == '@' || fz_chance(r, 60)) {
        snprintf(text, size, "%d", axis);
    } else if (rank < 2 || fz_chance(r, 30)) {
        snprintf(text, size, "None");
    } else {
        int other = (axis + rank + 1 + fz_below(r, rank - 1)) % rank;
        snprintf(text, size, "(%d, %d)", axis, other);
    }
}

static void put_permutation(fz_random *r, int rank, char *text, size_t size) {
    int perm[8];
    size_t n = 1;
    for (int i = 0; i < rank; i++) perm[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = fz_below(r, i + 1), t = perm[i];
        perm[i] = perm[j];
        perm[j] = t;
    }
    snprintf(text, size, "(");
    for (int i = 0; i < rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%d,", perm[i]);
    if (n < size) snprintf(text + n, size - n, ")");
}

static void put_number(fz_random *r, bool float_, char *text, size_t size) {
    static const char *const numbers[] = {"2", "0.5", "-1", "3", "0.1", "1e-3", "100", "0", "-2.5"};
    static const char *const integers[] = {"2", "1", "-1", "3", "7", "100", "0", "-5"};
    snprintf(text, size, "%s", float_ ? numbers[fz_below(r, (int)KF__COUNT(numbers))]
                                      : integers[fz_below(r, (int)KF__COUNT(integers))]);
}

/* Fill a template's marks; the values' stay. */
void fz_fill(fz_random *r, const char *from, int rank, kf__dtype t, char *to, size_t size) {
    size_t n = 0;
    for (; *from && n + 1 < size; from++) {
        char part[40] = {*from, 0};
        if (*from == '@' || *from == '&') put_axes(r, rank, *from, part, sizeof part);
        if (*from == '%' && from[1] == ')') put_permutation(r, rank, part, sizeof part);
        if (*from == '~' && from[1] == ')')
            snprintf(part, sizeof part, "%s", kf__types[fz_below(r, KF__DTYPE_COUNT)].alias);
        if (*from == '#') put_number(r, kf__is_float(t), part, sizeof part);
        n += (size_t)snprintf(to + n, size - n, "%s", part);
    }
    to[n < size ? n : size - 1] = 0;
}

/* ---------------------------------------------------------------- text and graph */

static void name_of(int value, char *name, size_t size) {
    if (value < FZ_INPUTS) snprintf(name, size, "%s", fz_input_names[value]);
    else snprintf(name, size, "t%d", value - FZ_INPUTS);
}

void fz_print(const fz_program *p, char *text, bool used[FZ_INPUTS]) {
    bool needed[FZ_VALUES] = {false};
    size_t n = 0;
    for (int i = 0; i < FZ_INPUTS; i++) used[i] = p->fixed[0] && i < p->n_inputs;
    snprintf(text, FZ_TEXT, "%s", p->fixed);
    if (p->fixed[0]) return;
    for (int i = 0; i < p->n_results; i++) needed[p->results[i]] = true;
    for (int s = p->n_steps - 1; s >= 0; s--)
        for (int k = 0; needed[FZ_INPUTS + s] && k < p->steps[s].n_args; k++)
            needed[p->steps[s].args[k]] = true;
    for (int i = 0; i < FZ_INPUTS; i++) used[i] = needed[i];
    for (int s = 0; s < p->n_steps; s++) {
        const fz_step *step = &p->steps[s];
        if (!needed[FZ_INPUTS + s]) continue;
        n += (size_t)snprintf(text + n, FZ_TEXT - n, "t%d = ", s);
        for (const char *c = step->text; *c && n + 80 < FZ_TEXT; c++) {
            char name[16] = {*c, 0};
            if (*c == '$') name_of(step->args[*++c - '0'], name, sizeof name);
            n += (size_t)snprintf(text + n, FZ_TEXT - n, "%s", name);
        }
        n += (size_t)snprintf(text + n, FZ_TEXT - n, "; ");
    }
    for (int i = 0; i < p->n_results; i++) {
        char name[16];
        name_of(p->results[i], name, sizeof name);
        n += (size_t)snprintf(text + n, FZ_TEXT - n, "%s%s", i ? ", " : "", name);
    }
}

static int input_index(const char *name) {
    for (int i = 0; i < FZ_INPUTS; i++)
        if (strcmp(name, fz_input_names[i]) == 0) return i;
    return -1;
}

static void fill_spec(const fz_input *in, kf_spec *spec, int64_t shape[FZ_RANK]) {
    *spec = (kf_spec){.kind = KF_SPEC_ARRAY, .dtype = kf__types[in->dtype].dlpack,
                      .ndim = in->rank, .shape = shape};
    for (int d = 0; d < in->rank; d++) shape[d] = in->dim[d] < 0 ? 1 : 100;
    if (in->number) {
        spec->kind = kf__is_float(in->dtype) ? KF_SPEC_FLOAT : KF_SPEC_INT;
        spec->number = 0.75;
        spec->integer = 3;
    }
}

kf_status fz_graph(const fz_program *p, kf_numerics numerics, kf_graph **out, int *which,
                   kf_error *err) {
    char text[FZ_TEXT];
    bool used[FZ_INPUTS];
    kf_function *function = NULL;
    kf_spec specs[FZ_INPUTS];
    int64_t shapes[FZ_INPUTS][FZ_RANK];
    fz_print(p, text, used);
    KF_TRY(kf__parse(&kf__malloc, text, NULL, &function, err));
    int n = kf_function_input_count(function);
    kf_status status = n > FZ_INPUTS ? kf__fail(err, KF_ERR_LIMIT, "too many inputs") : KF_OK;
    for (int i = 0; i < n && status == KF_OK; i++) {
        which[i] = input_index(kf_function_input_name(function, i));
        if (which[i] < 0 || which[i] >= p->n_inputs)
            status = kf__fail(err, KF_ERR_NAME, "no input %s", kf_function_input_name(function, i));
        else
            fill_spec(&p->inputs[which[i]], &specs[i], shapes[i]);
    }
    if (status == KF_OK)
        status = kf__instantiate(&kf__malloc, function, n, specs, numerics, out, err);
    kf_function_free(function);
    return status;
}

enum { MOST_NAMES = 64 };

/* The values of a graph's names for these sizes of the symbols; false: they contradict. */
static bool bind_names(const fz_program *p, const kf_graph *g, const int *which,
                       const int64_t *sizes, int64_t names[MOST_NAMES]) {
    if (g->exprs.names.n > MOST_NAMES) return false;
    for (uint32_t i = 0; i < MOST_NAMES; i++) names[i] = -1;
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        const kf__graph_input *in = &g->inputs.at[i];
        const fz_input *own = &p->inputs[which[i]];
        for (int d = 0; d < in->rank && !in->scalar; d++) {
            const kf__expr_node *x = &g->exprs.nodes.at[in->size[d]];
            int64_t size = own->dim[d] < 0 ? 1 : sizes[own->dim[d]];
            if (x->kind == KF__X_NAME && names[x->value] >= 0 && names[x->value] != size)
                return false;
            if (x->kind == KF__X_NAME) names[x->value] = size;
        }
    }
    return true;
}

static int64_t elements_of(const kf_graph *g, kf__ref r, const int64_t *names) {
    int64_t n = 1, size;
    for (int d = 0; d < kf__at(g, r)->rank; d++) {
        if (!kf__x_eval(&g->exprs, kf__at(g, r)->shape[d], names, NULL, &size)) return -1;
        n *= size;
    }
    return n;
}

bool fz_wants_of_nothing(const fz_program *p, const kf_graph *g, const int *which,
                         const int64_t *sizes) {
    int64_t names[MOST_NAMES];
    bool *wanted = calloc(g->nodes.n, sizeof *wanted), found = false;
    if (!wanted || !bind_names(p, g, which, sizes, names)) {
        free(wanted);
        return true;
    }
    for (uint32_t i = 0; i < g->results.n; i++) wanted[g->results.at[i]] = true;
    for (kf__ref r = g->nodes.n; r-- > 1;) {
        const kf__node *n = kf__at(g, r);
        if (!wanted[r] || elements_of(g, r, names) == 0) continue;
        found |= n->kind == KF__REDUCE && !kf__reds[n->op].empty &&
                 elements_of(g, n->args[0], names) == 0;
        for (int k = 0; k < n->n_args; k++) wanted[n->args[k]] = true;
    }
    free(wanted);
    return found;
}

bool fz_sizes_fit(const fz_program *p, const kf_graph *g, const int *which, const int64_t *sizes,
                  int64_t *elements) {
    int64_t names[MOST_NAMES], a, b;
    *elements = 0;
    if (!bind_names(p, g, which, sizes, names)) return false;
    for (uint32_t i = 0; i < g->constraints.n; i++) {
        const kf__constraint *c = &g->constraints.at[i];
        if (!kf__x_eval(&g->exprs, c->a, names, NULL, &a) ||
            !kf__x_eval(&g->exprs, c->b, names, NULL, &b) || a != b)
            return false;
    }
    for (kf__ref r = 1; r < g->nodes.n; r++) {
        int64_t n = 1;
        for (int d = 0; d < kf__at(g, r)->rank; d++) {
            if (!kf__x_eval(&g->exprs, kf__at(g, r)->shape[d], names, NULL, &a) || a < 0)
                return false;
            n *= a;
        }
        *elements = kf__max(*elements, n);
    }
    return true;
}

/* ---------------------------------------------------------------- the program */

static kf__dtype random_dtype(fz_random *r) {
    static const kf__dtype likely[] = {
        KF__F32, KF__F32, KF__F32, KF__F32, KF__F32, KF__F32, KF__F32, KF__F16, KF__F16,
        KF__BF16, KF__BF16, KF__F64, KF__I8, KF__I32, KF__I32, KF__I64, KF__BOOL, KF__U8, KF__I16,
        KF__F8E4M3, KF__F8E5M2,
    };
    return likely[fz_below(r, (int)KF__COUNT(likely))];
}

/* Inputs are right parts of one base shape, here and there with a 1. */
void fz_make_inputs(fz_program *p, fz_pool *pool, fz_random *r, int rank, kf__dtype common,
                    bool same) {
    int base[FZ_RANK];
    for (int d = 0; d < rank; d++) base[d] = fz_chance(r, 10) ? 0 : d % FZ_SYMBOLS;
    p->n_inputs = 1 + fz_below(r, FZ_INPUTS);
    for (int i = 0; i < p->n_inputs; i++) {
        fz_input *in = &p->inputs[i];
        in->dtype = same || fz_chance(r, 60) ? common : random_dtype(r);
        in->number = i > 0 && fz_chance(r, 8);
        if (in->number) in->dtype = fz_chance(r, 70) ? KF__F64 : KF__I64;
        in->rank = i == 0 || fz_chance(r, 65) ? rank : fz_below(r, rank + 1);
        if (in->number) in->rank = 0;
        for (int d = 0; d < in->rank; d++)
            in->dim[d] = i > 0 && fz_chance(r, 12) ? -1 : base[rank - in->rank + d];
        pool->value[pool->n] = i;
        pool->dtype[pool->n] = in->dtype;
        pool->rank[pool->n++] = in->rank;
    }
}

/* Does the program parse with value v as its only result, and do sizes fit? Then what is it? */
static bool look(fz_program *p, int v, kf__dtype *dtype, int *rank) {
    static const int64_t sizes[2][FZ_SYMBOLS] = {{7, 11, 13}, {10, 6, 4}};
    int which[FZ_INPUTS];
    int64_t elements = 0;
    kf_graph *g = NULL;
    kf_error err = {0};
    p->n_results = 1;
    p->results[0] = v;
    if (fz_graph(p, KF_FUSED, &g, which, &err) != KF_OK) return false;
    bool fits = g->results.n <= FZ_OUTPUTS;
    for (int k = 0; k < 2 && fits; k++)
        fits = fz_sizes_fit(p, g, which, sizes[k], &elements) && elements <= 20000;
    *dtype = (kf__dtype)kf__at(g, g->results.at[0])->dtype;
    *rank = kf__at(g, g->results.at[0])->rank;
    kf_graph_free(g);
    return fits && *rank <= 6;
}

static bool propose(const fz_pool *p, fz_random *r, char *line, int args[3]) {
    char text[FZ_LINE], class;
    if (fz_chance(r, 40)) {
        class = fz_op_text((kf__opcode)fz_below(r, KF__UNIFORM_BITS), text, sizeof text);
    } else if (fz_chance(r, 25)) {
        class = fz_chance(r, 80) ? 'f' : '*';
        fz_library_text(r, text, sizeof text);
    } else {
        int total = 0, at, k = 0;
        for (int i = 0; i < N_TEMPLATES; i++) total += templates[i].weight;
        for (at = fz_below(r, total); at >= templates[k].weight; k++) at -= templates[k].weight;
        class = templates[k].class;
        snprintf(text, sizeof text, "%s", templates[k].text);
    }
    if (class == 'f' && fz_chance(r, 10)) class = 'n';
    int first = pick(p, r, class);
    if (first < 0) return false;
    args[0] = p->value[first];
    for (int k = 1; k < 3; k++) {
        char same = kf__is_float(p->dtype[first]) ? 'f' : class == 'b' ? 'b' : 'n';
        int other = pick(p, r, fz_chance(r, 80) ? same : '*');
        if (other < 0) return false;
        args[k] = p->value[other];
    }
    fz_fill(r, text, p->rank[first], p->dtype[first], line, FZ_LINE);
    return true;
}

int fz_add_step(fz_program *p, fz_pool *pool, const char *text, const int args[3]) {
    int v = FZ_INPUTS + p->n_steps;
    fz_step *step = &p->steps[p->n_steps];
    if (p->n_steps == FZ_STEPS || args[0] < 0 || args[1] < 0 || args[2] < 0) return -1;
    snprintf(step->text, sizeof step->text, "%s", text);
    step->n_args = strstr(text, "$2") ? 3 : strstr(text, "$1") ? 2 : 1;
    for (int k = 0; k < step->n_args; k++) step->args[k] = args[k];
    p->n_steps++;
    if (look(p, v, &pool->dtype[pool->n], &pool->rank[pool->n])) {
        pool->value[pool->n++] = v;
        return v;
    }
    p->n_steps--;
    return -1;
}

void fz_settle_results(fz_program *p) {
    int which[FZ_INPUTS];
    while (p->n_results > 1) {
        kf_graph *g = NULL;
        bool fine = fz_graph(p, KF_FUSED, &g, which, NULL) == KF_OK && g->results.n <= FZ_OUTPUTS;
        kf_graph_free(g);
        if (fine) return;
        p->n_results--;
    }
}

int fz_add_random_step(fz_program *p, fz_pool *pool, fz_random *r) {
    char line[FZ_LINE];
    int args[3];
    return propose(pool, r, line, args) ? fz_add_step(p, pool, line, args) : -1;
}

enum { MOST_TRIES = 60 }; /* of a program: few lines are refused */

void fz_generate(fz_program *p, fz_random *r) {
    fz_pool pool = {0};
    memset(p, 0, sizeof *p);
    fz_make_inputs(p, &pool, r, 1 + fz_below(r, 3), random_dtype(r), false);
    int wanted = 1 + fz_below(r, fz_chance(r, 20) ? FZ_STEPS : 8);
    for (int tries = 0; p->n_steps < wanted && tries < MOST_TRIES; tries++)
        fz_add_random_step(p, &pool, r);
    p->n_results = 1;
    p->results[0] = p->n_steps > 0 ? FZ_INPUTS + p->n_steps - 1 : 0;
    while (p->n_steps > 1 && p->n_results < FZ_RESULTS && fz_chance(r, 30)) {
        int v = FZ_INPUTS + fz_below(r, p->n_steps - 1);
        int input = fz_chance(r, 15) ? fz_below(r, p->n_inputs) : -1;
        if (input >= 0 && !p->inputs[input].number) v = input; /* a copy beside what is computed */
        bool new = true;
        for (int i = 0; i < p->n_results; i++) new &= p->results[i] != v;
        if (!new) break;
        p->results[p->n_results++] = v;
    }
    fz_settle_results(p);
}
