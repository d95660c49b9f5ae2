/* Shrinking: every change that leaves the program failing is kept, until none does; and the text
 * forms of a program with its trial. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---------------------------------------------------------------- shrinking */

double fz_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct shrinker {
    kf_context *ctx;
    const fz_options *opt;
    int tries;
    double end; /* when to be content */
    fz_program best;
    fz_trial trial;
    int modes;
    fz_failure failure;
} shrinker;

/* Take the candidate if it fails too. */
static bool try(shrinker *s, const fz_program *p, const fz_trial *t, int modes) {
    fz_counts counts = {0};
    fz_failure failure = {{0}};
    if (s->tries <= 0 || fz_seconds() > s->end) return false;
    s->tries--;
    if (fz_check(s->ctx, p, 1, t, modes, s->opt, &counts, &failure) != FZ_FAIL) return false;
    if (p != &s->best) s->best = *p;
    if (t != &s->trial) s->trial = *t;
    s->modes = modes;
    s->failure = failure;
    return true;
}

static bool fewer_modes(shrinker *s) {
    for (int m = 1; m < 16; m <<= 1)
        if ((s->modes & m) && s->modes != m && try(s, &s->best, &s->trial, m)) return true;
    return false;
}

static bool fewer_results(shrinker *s) {
    for (int i = 0; i < s->best.n_results && s->best.n_results > 1; i++) {
        fz_program p = s->best;
        p.results[i] = p.results[--p.n_results];
        if (try(s, &p, &s->trial, s->modes)) return true;
    }
    return false;
}

static bool replace(shrinker *s, int from, int to) {
    fz_program p = s->best;
    bool changed = false;
    for (int k = 0; k < p.n_steps; k++)
        for (int a = 0; a < p.steps[k].n_args; a++)
            if (p.steps[k].args[a] == from && to < FZ_INPUTS + k)
                p.steps[k].args[a] = to, changed = true;
    for (int i = 0; i < p.n_results; i++)
        if (p.results[i] == from) p.results[i] = to, changed = true;
    return changed && try(s, &p, &s->trial, s->modes);
}

/* Each step by one of its arguments, then by any input; an input by an earlier one. */
static bool fewer_steps(shrinker *s) {
    for (int k = s->best.n_steps - 1; k >= 0; k--) {
        for (int a = 0; a < s->best.steps[k].n_args; a++)
            if (replace(s, FZ_INPUTS + k, s->best.steps[k].args[a])) return true;
        for (int i = 0; i < s->best.n_inputs; i++)
            if (replace(s, FZ_INPUTS + k, i)) return true;
    }
    for (int i = 1; i < s->best.n_inputs; i++)
        for (int k = 0; k < i; k++)
            if (replace(s, i, k)) return true;
    return false;
}

static bool simpler_inputs(shrinker *s) {
    fz_trial plain_results = s->trial;
    plain_results.results = FZ_PLAIN;
    if (s->trial.results != FZ_PLAIN && try(s, &s->best, &plain_results, s->modes)) return true;
    for (int i = 0; i < s->best.n_inputs; i++) {
        fz_trial t = s->trial;
        fz_program p = s->best;
        bool plain = t.inputs[i].layout == FZ_PLAIN && t.inputs[i].shift == 0;
        t.inputs[i].layout = FZ_PLAIN;
        t.inputs[i].shift = 0;
        if (!plain && try(s, &s->best, &t, s->modes)) return true;
        t = s->trial;
        t.inputs[i].values = FZ_TAME;
        if (s->trial.inputs[i].values != FZ_TAME && try(s, &s->best, &t, s->modes)) return true;
        p.inputs[i].dtype = KF__F32;
        if (!p.inputs[i].number && s->best.inputs[i].dtype != KF__F32 &&
            try(s, &p, &s->trial, s->modes))
            return true;
        for (int d = 0; d < p.inputs[i].rank; d++) {
            p = s->best;
            if (p.inputs[i].dim[d] < 0) continue;
            memmove(&p.inputs[i].dim[d], &p.inputs[i].dim[d + 1],
                    sizeof(int) * (size_t)(p.inputs[i].rank - d - 1));
            p.inputs[i].rank--;
            if (try(s, &p, &s->trial, s->modes)) return true;
        }
    }
    return false;
}

static bool smaller_sizes(shrinker *s) {
    for (int d = 0; d < FZ_SYMBOLS; d++) {
        int64_t size = s->trial.sizes[d];
        const int64_t next[] = {1, 2, 3, size / 4, size / 2, size - size / 4, size - 1};
        bool used = false;
        for (int i = 0; i < s->best.n_inputs; i++)
            for (int k = 0; k < s->best.inputs[i].rank; k++)
                used |= s->best.inputs[i].dim[k] == d;
        for (size_t k = 0; used && k < KF__COUNT(next); k++) {
            fz_trial t = s->trial;
            t.sizes[d] = next[k];
            if (next[k] >= 1 && next[k] < size && try(s, &s->best, &t, s->modes)) return true;
        }
    }
    return false;
}

void fz_shrink(kf_context *ctx, fz_program *p, fz_trial *trial, int *modes, const fz_options *opt,
               int tries, double seconds, fz_failure *failure) {
    shrinker s = {ctx, opt, tries, fz_seconds() + seconds, *p, *trial, *modes, *failure};
    bool progress = true;
    while (progress && s.tries > 0 && fz_seconds() < s.end) {
        progress = fewer_modes(&s) || fewer_results(&s);
        if (!s.best.fixed[0]) progress = progress || fewer_steps(&s);
        progress = progress || smaller_sizes(&s) || simpler_inputs(&s);
    }
    *p = s.best;
    *trial = s.trial;
    *modes = s.modes;
    *failure = s.failure;
}

/* ---------------------------------------------------------------- as text */

static const char layouts[FZ_LAYOUTS + 1] = "ptfsb", values[FZ_VALUE_KINDS + 1] = "tiw";

/* "[7,13]" */
static size_t put_shape(const fz_input *in, const fz_trial *trial, bool literal, char *to,
                        size_t size) {
    size_t n = 0;
    for (int d = 0; d < in->rank && n < size; d++) {
        int64_t s = in->dim[d] < 0 ? 1 : trial->sizes[in->dim[d]];
        n += (size_t)snprintf(to + n, size - n, "%s%lld%s", d ? "," : "", (long long)s,
                              literal && in->dim[d] >= 0 && s == 1 ? "n" : "");
    }
    return n;
}

void fz_print_replay(const fz_program *p, const fz_trial *trial, int modes, const fz_options *opt,
                     char *line, size_t size) {
    char text[FZ_TEXT], shape[80];
    bool used[FZ_INPUTS];
    fz_print(p, text, used);
    size_t n = (size_t)snprintf(line, size, "kfuse-fuzz%s%s --modes %d --results %c --replay '%s'",
                                opt->device.type == KF_CUDA ? " --device cuda"
                                : opt->device.type == KF_CUDA_EMULATED ? " --emulate-cuda" : "",
                                opt->eager ? " --numerics eager" : "", modes,
                                layouts[trial->results], text);
    for (int i = 0; i < p->n_inputs && n < size; i++) {
        const fz_input *in = &p->inputs[i];
        if (!used[i]) continue;
        shape[0] = 0;
        put_shape(in, trial, true, shape, sizeof shape);
        n += (size_t)snprintf(line + n, size - n, " '%s=%s%s%s%s/%c/%c/%llu/%d'", fz_input_names[i],
                              kf__types[in->dtype].alias, in->number ? "" : "[", shape,
                              in->number ? "" : "]", layouts[trial->inputs[i].layout],
                              values[trial->inputs[i].values],
                              (unsigned long long)trial->inputs[i].seed, trial->inputs[i].shift);
    }
}

void fz_print_check(const fz_program *p, const fz_trial *trial, const fz_options *opt, char *line,
                    size_t size) {
    char text[FZ_TEXT], shape[80];
    bool used[FZ_INPUTS];
    fz_print(p, text, used);
    size_t n = (size_t)snprintf(line, size, "kfuse check%s '%s'",
                                opt->device.type == KF_CUDA ? " --device cuda" : "", text);
    for (int i = 0; i < p->n_inputs && n < size; i++) {
        const fz_input *in = &p->inputs[i];
        const char *alias = kf__types[in->dtype].alias;
        if (!used[i]) continue;
        shape[0] = 0;
        put_shape(in, trial, false, shape, sizeof shape);
        if (in->number)
            n += (size_t)snprintf(line + n, size - n, " %s=%s", fz_input_names[i],
                                  kf__is_float(in->dtype) ? "0.75" : "3");
        else
            n += (size_t)snprintf(line + n, size - n, " '%s=%s%s%sdtype=%s)'", fz_input_names[i],
                                  kf__is_float(in->dtype)   ? "randn("
                                  : in->dtype == KF__BOOL   ? "rand("
                                  : in->dtype == KF__U8     ? "randint(0, 9, "
                                                            : "randint(-9, 9, ",
                                  shape, in->rank ? ", " : "", alias);
    }
}

/* ---------------------------------------------------------------- from text */

static int symbol_of(fz_trial *trial, int64_t size) {
    int free = -1;
    for (int d = FZ_SYMBOLS - 1; d >= 0; d--) {
        if (trial->sizes[d] == size) return d;
        if (trial->sizes[d] < 0) free = d;
    }
    if (free >= 0) trial->sizes[free] = size;
    return free;
}

static bool parse_shape(const char **at, fz_input *in, fz_trial *trial) {
    const char *c = *at + 1;
    while (*c != ']') {
        char *end;
        int64_t size = strtoll(c, &end, 10);
        if (end == c || in->rank == FZ_RANK || size < 0) return false;
        bool literal = size == 1 && *end != 'n';
        in->dim[in->rank] = literal ? -1 : symbol_of(trial, size);
        if (!literal && in->dim[in->rank] < 0) return false;
        in->rank++;
        c = *end == 'n' ? end + 1 : end;
        if (*c == ',') c++;
    }
    *at = c + 1;
    return true;
}

static int place(const char *letters, char c) {
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

bool fz_layout_from(char letter, fz_layout *out) {
    int at = place(layouts, letter);
    if (at >= 0) *out = (fz_layout)at;
    return at >= 0;
}

bool fz_parse_argument(const char *text, fz_program *p, fz_trial *trial) {
    int i = 0, layout, value;
    const char *c = strchr(text, '=');
    while (i < FZ_INPUTS && text[0] != fz_input_names[i][0]) i++;
    if (i == FZ_INPUTS || c != text + 1) return false;
    fz_input *in = &p->inputs[i];
    size_t n = strcspn(++c, "[/");
    memset(in, 0, sizeof *in);
    if (!kf__dtype_from_name(c, n, &in->dtype)) return false;
    c += n;
    in->number = *c != '[';
    if (!in->number && !parse_shape(&c, in, trial)) return false;
    if (i >= p->n_inputs) p->n_inputs = i + 1;
    if (!*c) return true;
    if (strlen(c) < 5 || (layout = place(layouts, c[1])) < 0 || (value = place(values, c[3])) < 0)
        return false;
    trial->inputs[i].layout = (fz_layout)layout;
    trial->inputs[i].values = (fz_values)value;
    trial->inputs[i].seed = strtoull(c + 5, NULL, 10);
    c = strchr(c + 5, '/');
    trial->inputs[i].shift = c ? atoi(c + 1) : 0;
    return true;
}
