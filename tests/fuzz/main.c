/* The fuzzer's loop, its report, and the replay of one program. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "coverage.h"
#include "run/context.h"

static const char usage[] =
    "kfuse-fuzz [--seed S] [--first N] [--count N] [--time SECONDS] [--trials N] [--emulate-cuda]\n"
    "           [--device cpu|cuda] [--numerics eager|fused] [--modes BITS] [--no-shrink]\n"
    "           [--failures N] [--only WORD] [--limit SECONDS] [--print]\n"
    "           [--dry] [--coverage FILE]\n"
    "kfuse-fuzz --report FILE ...\n"
    "kfuse-fuzz [options] [--results LAYOUT]\n"
    "           --replay TEXT ['x=f32[7,13]/LAYOUT/VALUES/SEED/SHIFT' ...]\n"
    "  --coverage adds what fused kernels did to a file (one for each process), and makes\n"
    "            programs of what is rare in it; --report prints the sum of such files as\n"
    "            tables, with what is missing. 1: something is\n"
    "  --dry     make the programs, but don't run them; --coverage counts what they would do\n"
    "  --only    programs with WORD in their replay line; the others count as nothing\n"
    "  --first   begin with the N-th program of the seed\n"
    "  --limit   of one program with its trials; longer is a failure. 120 by default, 0: none\n"
    "  --modes   1 fused, 2 unfused, 4 one kernel a primitive, 8 simplified by oracle; or sums.\n"
    "            By default random\n"
    "  LAYOUT    p plain, t transposed, f flipped, s sliced, b broadcast\n"
    "  VALUES    t tame, i small integers, w with NaN, infinities, denormals, extremes\n";

enum {
    MOST_TRIALS = 16, LINE = FZ_TEXT + 1024,
    SHRINKING = 100,     /* seconds */
    MOST_OBJECTS = 2000, /* of one context */
};

typedef struct settings {
    uint64_t seed;
    int64_t first, count, time;
    int trials, modes, failures;
    unsigned limit;
    bool shrink, print, dry;
    bool some_results; /* the replayed trial's results lie as its first seed says */
    fz_layout results;
    const char *replay, *only, *coverage;
    bool report;
    fz_options opt;
} settings;

/* What runs now, for the handlers of signals. */
static struct {
    const fz_program *program;
    const fz_trial *trials;
    int n_trials, modes;
    unsigned limit;
    const fz_options *opt;
    fz_counts counts;
    int64_t failed, number; /* of the program, among its seed's */
    uint64_t seed;
    double start;
} now;

static volatile sig_atomic_t stop;

static void asked_to_stop(int number) {
    (void)number;
    stop = 1; /* after this program */
}

/* The last two lines are for campaign.sh, too. */
static void summary(void) {
    const fz_counts *c = &now.counts;
    printf("%lld runs of %lld trials in %.0f s; %lld programs refused as unsupported; "
           "%.1f%% of %lld elements undecided\n", (long long)c->runs, (long long)c->trials,
           fz_seconds() - now.start, (long long)c->refused,
           100.0 * (double)c->undecided / (double)kf__max(1, c->elements), (long long)c->elements);
    printf("%lld results with the bits of another partition\n", (long long)c->exact);
    printf("next program: %lld\n", (long long)now.number);
    printf("%lld passed, %lld failed\n", (long long)(c->graphs - now.failed),
           (long long)now.failed);
    fflush(stdout);
}

static void crashed(int number) {
    static char line[LINE];
    signal(number, SIG_DFL);
    if (number == SIGALRM) printf("FAILED: it took more than %u s; one of:\n", now.limit);
    else printf("FAILED by signal %d; one of:\n", number);
    fflush(stdout);
    for (int i = 0; i < now.n_trials; i++) {
        fz_print_replay(now.program, &now.trials[i], now.modes, now.opt, line, sizeof line);
        printf("  %s\n", line);
        fflush(stdout); /* each: what comes next may crash, too */
    }
    now.failed++;
    now.number++;
    summary();
    _exit(1);
}

/* On a stack of its own, as the program's may be what has ended. */
static void report_crashes(void) {
    enum { STACK = 4 << 20 };
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
    if (stack.ss_sp) sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = crashed, .sa_flags = stack.ss_sp ? SA_ONSTACK : 0};
    for (size_t k = 0; k < KF__COUNT(signals); k++) sigaction(signals[k], &action, NULL);
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
    now.limit = s->limit ? s->limit + SHRINKING : 0;
    alarm(now.limit);
    fz_options quiet = s->opt;
    quiet.coverage = NULL;
    for (int i = 0; i < n; i++) {
        fz_failure one;
        if (fz_check(ctx, p, 1, &trials[i], modes, &quiet, &counts, &one) != FZ_FAIL) continue;
        trial = trials[i];
        *failure = one;
        break;
    }
    now.trials = &trial;
    now.n_trials = 1;
    if (s->shrink) fz_shrink(ctx, p, &trial, &modes, &quiet, 300, SHRINKING, failure);
    alarm(0);
    printf("FAILED %s\n", failure->what);
    fz_print_replay(p, &trial, modes, &s->opt, line, sizeof line);
    printf("  %s\n", line);
    fz_print_check(p, &trial, &s->opt, line, sizeof line);
    printf("  %s\n", line);
    printf("  which was program %lld of seed %llu\n", (long long)now.number,
           (unsigned long long)s->seed);
    fflush(stdout);
}

/* ---------------------------------------------------------------- the loop */

static kf_context *new_context(settings *s, kf_error *err) {
    kf_context_options options = {.struct_size = sizeof options, .parallel_for = fz_parallel,
                                  .parallel_user = s->opt.division};
    kf_context *ctx = kf_context_create(&options, err);
    if (ctx) ctx->bytes_a_thread = 1; /* small work is divided, too */
    return ctx;
}

/* A context keeps what it has loaded, and a process can't map more than so many libraries. */
static bool is_full(kf_context *ctx) {
    int64_t compiled, hits;
    kf__compiler_statistics(ctx->compiler, &compiled, &hits);
    return compiled + hits > MOST_OBJECTS;
}

/* Time goes into compiling, and unfused a large graph is as many kernels as it has nodes: the more
 * it has, the less often. */
static int random_modes(const settings *s, const kf_graph *g, fz_random *r) {
    int often = g->nodes.n < 25 ? 30 : g->nodes.n < 50 ? 15 : 2;
    if (s->modes) return s->modes;
    bool unfused = fz_chance(r, s->opt.eager ? 3 * often : often); /* eager: to compare bits */
    return 8 | 1 | (unfused ? 2 : 0) | (fz_chance(r, often / 4) ? 4 : 0);
}

static int target_of(const fz_options *opt) {
    return opt->device.type == KF_CUDA            ? KF__TARGET_CUDA
           : opt->device.type == KF_CUDA_EMULATED ? KF__TARGET_EMULATED
                                                  : KF__TARGET_C;
}

static bool is_anything_missing(const settings *s) {
    int target = target_of(&s->opt);
    const fz_coverage *c = s->opt.coverage;
    return c && c->pairs[target] && fz_missing(c->pairs[target], false) > 0;
}

/* One random program. One without the word that is asked for passes, and doesn't count. */
static fz_outcome one_program(kf_context *ctx, const settings *s, int64_t i) {
    fz_random r = {s->seed * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xd1342543de82ef95u};
    fz_program p;
    fz_trial trials[MOST_TRIALS];
    fz_failure failure = {{0}};
    int which[FZ_INPUTS];
    kf_graph *g = NULL;
    fz_aim aim = {.layout = -1};
    if (!fz_chance(&r, is_anything_missing(s) ? 60 : 30) ||
        !fz_choose_aim(s->opt.coverage, target_of(&s->opt), &r, &aim) ||
        !fz_generate_for(&p, &r, &aim))
        fz_generate(&p, &r);
    if (fz_graph(&p, s->opt.eager ? KF_EAGER : KF_FUSED, &g, which, NULL) != KF_OK) {
        now.counts.graphs++;
        now.counts.refused++;
        return FZ_REFUSED;
    }
    int modes = random_modes(s, g, &r);
    bool large = s->opt.device.type != KF_CUDA_EMULATED; /* that one is slow */
    fz_make_trials(&p, g, which, &r, large, s->trials, (s->trials + 1) / 3, aim.layout,
                   trials);
    kf_graph_free(g);
    char line[LINE];
    fz_print_replay(&p, &trials[0], modes, &s->opt, line, sizeof line);
    if (s->only && !strstr(line, s->only)) return FZ_PASS;
    if (s->print) {
        printf("%s\n", line);
        fflush(stdout);
    }
    now.counts.graphs++;
    if (s->dry && !s->opt.coverage) return FZ_PASS;
    fz_outcome outcome =
        s->dry ? fz_foresee(ctx, &p, s->trials, trials, &s->opt, &failure)
               : check(ctx, &p, s->trials, trials, modes, s, &now.counts, &failure);
    if (outcome == FZ_FAIL && s->dry) printf("FAILED %s\n  %s\n", failure.what, line);
    else if (outcome == FZ_FAIL) report(ctx, s, &p, s->trials, trials, modes, &failure);
    return outcome;
}

static int cannot(const char *what, const char *path) {
    fprintf(stderr, "kfuse-fuzz: %s can't be %s: %s\n", path, what,
            errno ? strerror(errno) : "it has other lines than --coverage writes");
    return 2;
}

static int report_files(int n, char **paths) {
    fz_coverage *c = fz_coverage_new();
    int code = c ? 0 : 2;
    for (int i = 0; i < n && code == 0; i++) {
        errno = 0;
        if (!fz_coverage_read(c, paths[i])) code = cannot("read", paths[i]);
    }
    if (code == 0) code = fz_report(c);
    fz_coverage_free(c);
    return code;
}

/* What the file holds already counts. */
static bool begin_coverage(settings *s) {
    if (!s->coverage) return true;
    s->opt.coverage = fz_coverage_new();
    errno = 0;
    return s->opt.coverage && (access(s->coverage, F_OK) != 0 ||
                               fz_coverage_read(s->opt.coverage, s->coverage));
}

static int loop(settings *s) {
    kf_error err = {0};
    if (!begin_coverage(s)) return cannot("read", s->coverage);
    kf_context *ctx = new_context(s, &err);
    double told = now.start;
    signal(SIGTERM, asked_to_stop);
    signal(SIGINT, asked_to_stop);
    signal(SIGHUP, asked_to_stop);
    for (now.number = s->first; ctx && now.number - s->first < s->count; now.number++) {
        double t = fz_seconds();
        if (now.failed >= s->failures || stop || (s->time > 0 && t - now.start > (double)s->time))
            break;
        now.failed += one_program(ctx, s, now.number) == FZ_FAIL;
        if (is_full(ctx)) {
            kf_context_free(ctx);
            ctx = new_context(s, &err);
        }
        if (t - told < 60) continue;
        told = t; /* a long run mustn't look like one that hangs */
        fprintf(stderr, "%lld programs in %.0f s, %lld failed\n", (long long)now.counts.graphs,
                t - now.start, (long long)now.failed);
    }
    if (!ctx) fprintf(stderr, "kfuse-fuzz: %s\n", err.message);
    summary();
    if (s->coverage && !fz_coverage_write(s->opt.coverage, s->coverage))
        return cannot("written", s->coverage);
    if (!ctx) return 2;
    kf_context_free(ctx);
    return now.failed > 0;
}

static int replay(settings *s, int n, char **arguments) {
    fz_program p = {.n_results = 1};
    fz_trial trial;
    fz_failure failure = {{0}};
    kf_error err = {0};
    memset(&trial, 0, sizeof trial);
    for (int d = 0; d < FZ_SYMBOLS; d++) trial.sizes[d] = -1;
    snprintf(p.fixed, sizeof p.fixed, "%s", s->replay);
    for (int i = 0; i < n; i++) {
        if (fz_parse_argument(arguments[i], &p, &trial)) continue;
        fprintf(stderr, "kfuse-fuzz: %s isn't an argument like 'x=f32[7,13]/p/t/1/0'\n",
                arguments[i]);
        return 2;
    }
    trial.results = s->some_results ? fz_some_result_layout(trial.inputs[0].seed) : s->results;
    kf_context *ctx = new_context(s, &err);
    if (!ctx) {
        fprintf(stderr, "kfuse-fuzz: %s\n", err.message);
        return 2;
    }
    int modes = s->modes ? s->modes : 15;
    now.counts.graphs = 1;
    fz_outcome outcome = check(ctx, &p, 1, &trial, modes, s, &now.counts, &failure);
    if (outcome != FZ_PASS) printf("%s\n", failure.what);
    printf("%d passed, %d failed\n", outcome == FZ_PASS, outcome == FZ_FAIL);
    kf_context_free(ctx);
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
    if (!strcmp(name, "--dry")) return s->dry = true, 1;
    if (!strcmp(name, "--results") && fz_layout_from(value[0], &s->results))
        return s->some_results = false, 2;
    if (!strcmp(name, "--seed")) return s->seed = strtoull(value, NULL, 10), 2;
    if (!strcmp(name, "--first")) return s->first = atoll(value), 2;
    if (!strcmp(name, "--count")) return s->count = atoll(value), 2;
    if (!strcmp(name, "--time")) return s->time = atoll(value), 2;
    if (!strcmp(name, "--failures")) return s->failures = atoi(value), 2;
    if (!strcmp(name, "--trials")) return s->trials = atoi(value), 2;
    if (!strcmp(name, "--limit")) return s->limit = (unsigned)atoi(value), 2;
    if (!strcmp(name, "--modes")) return s->modes = atoi(value), 2;
    if (!strcmp(name, "--coverage")) return s->coverage = value, 2;
    if (!strcmp(name, "--report")) return s->report = true, 1;
    if (!strcmp(name, "--only")) return s->only = value, 2;
    if (!strcmp(name, "--replay")) return s->replay = value, 2;
    if (!strcmp(name, "--device") && !strcmp(value, "cpu"))
        return s->opt.device.type = KF_CPU, 2;
    if (!strcmp(name, "--device") && !strcmp(value, "cuda"))
        return s->opt.device.type = KF_CUDA, 2;
    return 0;
}

int main(int argc, char **argv) {
    uint64_t division = 0;
    settings s = {.seed = 1, .count = INT64_MAX, .trials = 6, .failures = 10, .shrink = true,
                  .limit = 120, .some_results = true,
                  .opt = {.device = {KF_CPU, 0}, .division = &division}};
    int i = 1, taken;
    while (i < argc && argv[i][0] == '-' && (taken = option(&s, argv, i)) > 0) i += taken;
    bool endless = s.count == INT64_MAX && s.time == 0;
    if (endless) s.count = 1000;
    bool more = i < argc && !s.replay && !s.report;
    if (i > argc || more || s.trials < 1 || s.trials > MOST_TRIALS) {
        fputs(usage, stderr);
        return 2;
    }
    now.start = fz_seconds();
    report_crashes();
    if (s.report) return report_files(argc - i, argv + i);
    int code = s.replay ? replay(&s, argc - i, argv + i) : loop(&s);
    fz_coverage_free(s.opt.coverage);
    return code;
}
