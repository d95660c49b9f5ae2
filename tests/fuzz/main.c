/* The fuzzer's loop, its report, and the replay of one program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "run/context.h"

static const char usage[] =
    "kfuse-fuzz [--seed S] [--first N] [--count N] [--time SECONDS] [--trials N] [--emulate-cuda]\n"
    "           [--device cpu|cuda] [--numerics eager|fused] [--modes BITS] [--no-shrink] [--print]\n"
    "           [--failures N] [--only WORD] [--limit SECONDS]\n"
    "kfuse-fuzz [options] --replay TEXT ['x=f32[7,13]/LAYOUT/VALUES/SEED/SHIFT' ...]\n"
    "  --only    programs with WORD in their replay line; the others count as nothing\n"
    "  --first   begin with the N-th program of the seed\n"
    "  --limit   of one program with its trials; longer is a failure. 120 by default, 0: none\n"
    "  --modes   1 fused, 2 unfused, 4 one kernel a primitive, 8 simplified by oracle; or sums.\n"
    "            By default random\n"
    "  LAYOUT    p plain, t transposed, f flipped, s sliced, b broadcast\n"
    "  VALUES    t tame, i small integers, w with NaN, infinities, denormals, extremes\n";

enum { MOST_TRIALS = 16, LINE = FZ_TEXT + 1024 };

typedef struct settings {
    uint64_t seed;
    int64_t first, count, time;
    int trials, modes, failures;
    unsigned limit;
    bool shrink, print;
    const char *replay, *only;
    fz_options opt;
} settings;

/* What runs now, for the handler of crashes. */
static struct {
    const fz_program *program;
    const fz_trial *trials;
    int n_trials, modes;
    unsigned limit;
    const fz_options *opt;
} now;

static void crashed(int number) {
    static char line[LINE];
    signal(number, SIG_DFL);
    if (number == SIGALRM) printf("FAILED: it took more than %u s; one of:\n", now.limit);
    else printf("FAILED by signal %d; one of:\n", number);
    for (int i = 0; i < now.n_trials; i++) {
        fz_print_replay(now.program, &now.trials[i], now.modes, now.opt, line, sizeof line);
        printf("  %s\n", line);
    }
    fflush(stdout);
    _exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static fz_outcome check(kf_context *ctx, const fz_program *p, int n, const fz_trial *trials,
                        int modes, const settings *s, fz_counts *counts, fz_failure *failure) {
    now.program = p;
    now.trials = trials;
    now.n_trials = n;
    now.modes = modes;
    now.opt = &s->opt;
    now.limit = s->limit;
    alarm(s->limit);
    fz_outcome outcome = fz_check(ctx, p, n, trials, modes, &s->opt, counts, failure);
    alarm(0);
    return outcome;
}

/* Find which trial fails, shrink it, print its lines. */
static void report(kf_context *ctx, const settings *s, fz_program *p, int n, fz_trial *trials,
                   int modes, fz_failure *failure) {
    char line[LINE];
    fz_counts counts = {0};
    fz_trial trial = trials[0];
    for (int i = 0; i < n; i++) {
        fz_failure one;
        if (fz_check(ctx, p, 1, &trials[i], modes, &s->opt, &counts, &one) != FZ_FAIL) continue;
        trial = trials[i];
        *failure = one;
        break;
    }
    now.trials = &trial;
    now.n_trials = 1;
    if (s->shrink) fz_shrink(ctx, p, &trial, &modes, &s->opt, 300, failure);
    printf("FAILED %s\n", failure->what);
    fz_print_replay(p, &trial, modes, &s->opt, line, sizeof line);
    printf("  %s\n", line);
    fz_print_check(p, &trial, &s->opt, line, sizeof line);
    printf("  %s\n", line);
    fflush(stdout);
}

/* ---------------------------------------------------------------- the loop */

static int random_modes(const settings *s, fz_random *r) {
    if (s->modes) return s->modes;
    bool unfused = fz_chance(r, 30) || s->opt.eager; /* eager: to compare bits */
    return 8 | 1 | (unfused ? 2 : 0) | (fz_chance(r, 8) ? 4 : 0);
}

/* One random program. False: it has nothing to run. */
static fz_outcome one_program(kf_context *ctx, const settings *s, int64_t i, fz_counts *counts) {
    fz_random r = {s->seed * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xd1342543de82ef95u};
    fz_program p;
    fz_trial trials[MOST_TRIALS];
    fz_failure failure = {{0}};
    int which[FZ_INPUTS], modes = random_modes(s, &r);
    kf_graph *g = NULL;
    fz_generate(&p, &r);
    if (p.n_results == 0) return FZ_PASS;
    if (fz_graph(&p, s->opt.eager ? KF_EAGER : KF_FUSED, &g, which, NULL) != KF_OK)
        return FZ_REFUSED;
    bool large = s->opt.device.type != KF_CUDA_EMULATED; /* that one is slow */
    /* other layouts compile other kernels: in the last trial only */
    for (int t = 0; t < s->trials; t++)
        fz_make_trial(&p, g, which, &r, t < s->trials - 1, large, &trials[t]);
    kf_graph_free(g);
    char line[LINE];
    fz_print_replay(&p, &trials[0], modes, &s->opt, line, sizeof line);
    if (s->only && !strstr(line, s->only)) return FZ_PASS;
    if (s->print) {
        printf("%s\n", line);
        fflush(stdout);
    }
    counts->graphs++;
    fz_outcome outcome = check(ctx, &p, s->trials, trials, modes, s, counts, &failure);
    if (outcome == FZ_FAIL) report(ctx, s, &p, s->trials, trials, modes, &failure);
    return outcome;
}

static int loop(kf_context *ctx, const settings *s) {
    fz_counts counts = {0};
    int64_t failed = 0;
    double start = seconds(), told = start;
    for (int64_t i = s->first; i - s->first < s->count && failed < s->failures; i++) {
        if (s->time > 0 && seconds() - start > (double)s->time) break;
        failed += one_program(ctx, s, i, &counts) == FZ_FAIL;
        if (seconds() - told < 60) continue;
        told = seconds(); /* a long run mustn't look like one that hangs */
        fprintf(stderr, "%lld programs in %.0f s, %lld failed\n", (long long)counts.graphs,
                told - start, (long long)failed);
    }
    printf("%lld runs of %lld trials in %.0f s; %lld programs refused as unsupported; "
           "%.1f%% of %lld elements undecided\n", (long long)counts.runs, (long long)counts.trials,
           seconds() - start, (long long)counts.refused,
           100.0 * (double)counts.undecided / (double)kf__max(1, counts.elements),
           (long long)counts.elements);
    printf("%lld results with the bits of another partition\n", (long long)counts.exact);
    printf("%lld passed, %lld failed\n", (long long)(counts.graphs - failed), (long long)failed);
    return failed > 0;
}

static int replay(kf_context *ctx, const settings *s, int n, char **arguments) {
    fz_program p = {.n_results = 1};
    fz_trial trial;
    fz_counts counts = {0};
    fz_failure failure = {{0}};
    memset(&trial, 0, sizeof trial);
    for (int d = 0; d < FZ_SYMBOLS; d++) trial.sizes[d] = -1;
    snprintf(p.fixed, sizeof p.fixed, "%s", s->replay);
    for (int i = 0; i < n; i++) {
        if (fz_parse_argument(arguments[i], &p, &trial)) continue;
        fprintf(stderr, "kfuse-fuzz: %s isn't an argument like 'x=f32[7,13]/p/t/1/0'\n",
                arguments[i]);
        return 2;
    }
    int modes = s->modes ? s->modes : 15;
    fz_outcome outcome = check(ctx, &p, 1, &trial, modes, s, &counts, &failure);
    if (outcome != FZ_PASS) printf("%s\n", failure.what);
    printf("%d passed, %d failed\n", outcome == FZ_PASS, outcome == FZ_FAIL);
    return outcome == FZ_FAIL ? 1 : outcome == FZ_REFUSED ? 2 : 0;
}

/* ---------------------------------------------------------------- options */

/* How many of argv are taken by the option at `i`; 0: it isn't one. */
static int option(settings *s, char **argv, int i) {
    const char *name = argv[i], *value = argv[i + 1] ? argv[i + 1] : "";
    if (!strcmp(name, "--emulate-cuda")) return s->opt.device.type = KF_CUDA_EMULATED, 1;
    if (!strcmp(name, "--numerics") && (!strcmp(value, "eager") || !strcmp(value, "fused")))
        return s->opt.eager = value[0] == 'e', 2;
    if (!strcmp(name, "--no-shrink")) return s->shrink = false, 1;
    if (!strcmp(name, "--print")) return s->print = true, 1;
    if (!strcmp(name, "--seed")) return s->seed = strtoull(value, NULL, 10), 2;
    if (!strcmp(name, "--first")) return s->first = atoll(value), 2;
    if (!strcmp(name, "--count")) return s->count = atoll(value), 2;
    if (!strcmp(name, "--time")) return s->time = atoll(value), 2;
    if (!strcmp(name, "--failures")) return s->failures = atoi(value), 2;
    if (!strcmp(name, "--trials")) return s->trials = atoi(value), 2;
    if (!strcmp(name, "--limit")) return s->limit = (unsigned)atoi(value), 2;
    if (!strcmp(name, "--modes")) return s->modes = atoi(value), 2;
    if (!strcmp(name, "--only")) return s->only = value, 2;
    if (!strcmp(name, "--replay")) return s->replay = value, 2;
    if (!strcmp(name, "--device") && !strcmp(value, "cpu"))
        return s->opt.device.type = KF_CPU, 2;
    if (!strcmp(name, "--device") && !strcmp(value, "cuda"))
        return s->opt.device.type = KF_CUDA, 2;
    return 0;
}

int main(int argc, char **argv) {
    settings s = {.seed = 1, .count = INT64_MAX, .trials = 4, .failures = 10, .shrink = true,
                  .limit = 120,
                  .opt = {.device = {KF_CPU, 0}}};
    int i = 1, taken;
    while (i < argc && argv[i][0] == '-' && (taken = option(&s, argv, i)) > 0) i += taken;
    bool endless = s.count == INT64_MAX && s.time == 0;
    if (endless) s.count = 1000;
    if (i > argc || (i < argc && !s.replay) || s.trials < 1 || s.trials > MOST_TRIALS) {
        fputs(usage, stderr);
        return 2;
    }
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t k = 0; k < KF__COUNT(signals); k++) signal(signals[k], crashed);
    kf_error err = {0};
    uint64_t division = 0;
    kf_context_options options = {.struct_size = sizeof options, .parallel_for = fz_parallel,
                                  .parallel_user = &division};
    s.opt.division = &division;
    kf_context *ctx = kf_context_create(&options, &err);
    if (!ctx) {
        fprintf(stderr, "kfuse-fuzz: %s\n", err.message);
        return 2;
    }
    ctx->bytes_a_thread = 1; /* small work is divided, too */
    int code = s.replay ? replay(ctx, &s, argc - i, argv + i) : loop(ctx, &s);
    kf_context_free(ctx);
    return code;
}
