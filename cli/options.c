/* Options are rows of one table, from which the help is printed too. */
#include "options.h"

#include <stdio.h>

enum { ALL = 255, WITH_INPUTS = CMD_RUN | CMD_CHECK | CMD_EXPLAIN | CMD_EMIT | CMD_BENCH };

static const struct command_row {
    const char *name;
    unsigned bit;
    const char *usage, *doc;
} commands[] = {
    {"run", CMD_RUN, "run EXPR|NAME|FILE.kf[:NAME] [name=VALUE ...] [-o out.npy ...]",
     "compute the results, print or save them"},
    {"check", CMD_CHECK, "check EXPR|NAME|FILE.kf[:NAME] [name=VALUE ...]",
     "compare fused and unfused with the oracle; exit 1 beyond the tolerance"},
    {"explain", CMD_EXPLAIN, "explain EXPR|NAME|FILE.kf[:NAME] [name=VALUE ...]",
     "the kernels, why each edge was cut, bytes, predicted time"},
    {"emit", CMD_EMIT, "emit EXPR|NAME|FILE.kf[:NAME] [name=VALUE ...] --target c|cuda",
     "the source of the kernels; needs neither compiler nor GPU"},
    {"bench", CMD_BENCH, "bench [NAME ... [--sizes 4096x1024,50M] | EXPR name=VALUE ...]",
     "verify, then time: fused, unfused, a copy of the same bytes"},
    {"ops", CMD_OPS, "ops [NAME]", "what can be called"},
    {"doctor", CMD_DOCTOR, "doctor", "what this machine has, what is missing, how to get it"},
    {"cache", CMD_CACHE, "cache [clear]", "the cache of compiled kernels"},
};

/* ---------------------------------------------------------------- setters */

typedef kf_status (*setter)(struct options *o, const char *value, kf_error *err);

static kf_status set_device(struct options *o, const char *value, kf_error *err) {
    int64_t id = 0;
    if (strcmp(value, "cpu") == 0) {
        o->device = (kf_device){KF_CPU, 0};
    } else if (strcmp(value, "cuda-emulated") == 0) {
        o->device = (kf_device){KF_CUDA_EMULATED, 0};
    } else if (strcmp(value, "cuda") == 0 || strncmp(value, "cuda:", 5) == 0) {
        if (value[4] && (!kf__parse_int(value + 5, strlen(value + 5), &id) || id < 0 || id > 63))
            return kf__fail(err, KF_ERR_ARGUMENT, "--device %s: write cuda:0, cuda:1, ...", value);
        o->device = (kf_device){KF_CUDA, (int32_t)id};
    } else {
        return kf__fail(err, KF_ERR_ARGUMENT, "--device %s: devices are cpu, cuda, cuda:1, ...",
                        value);
    }
    return KF_OK;
}

static kf_status set_no_fuse(struct options *o, const char *value, kf_error *err) {
    o->fusion = value ? KF_FUSION_OPS : KF_FUSION_OFF;
    if (value && strcmp(value, "ops") != 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "--no-fuse=%s: write --no-fuse (one kernel for each "
                        "operator or call) or --no-fuse=ops (for each primitive)", value);
    return KF_OK;
}

static kf_status set_numerics(struct options *o, const char *value, kf_error *err) {
    o->numerics = strcmp(value, "eager") == 0 ? KF_EAGER : KF_FUSED;
    if (strcmp(value, "eager") != 0 && strcmp(value, "fused") != 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "--numerics %s: it is fused or eager", value);
    return KF_OK;
}

static kf_status set_count(const char *name, const char *value, int *out, kf_error *err) {
    enum { MOST = 65536 };
    int64_t n;
    if (!kf__parse_int(value, strlen(value), &n) || n < 1 || n > MOST)
        return kf__fail(err, KF_ERR_ARGUMENT, "--%s %s: give a number from 1 to %d", name, value,
                        MOST);
    *out = (int)n;
    return KF_OK;
}

static kf_status set_threads(struct options *o, const char *value, kf_error *err) {
    return set_count("threads", value, &o->threads, err);
}

static kf_status set_repeats(struct options *o, const char *value, kf_error *err) {
    return set_count("repeats", value, &o->repeats, err);
}

static kf_status set_output(struct options *o, const char *value, kf_error *err) {
    if (strcmp(value, "-") == 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "-o needs a file, ./- if that is its name; what is "
                                              "printed goes to standard output without it");
    return KF__PUSH(&kf__malloc, &o->outputs, value) ? KF_OK : kf__out_of_memory(err);
}

static kf_status set_target(struct options *o, const char *value, kf_error *err) {
    o->target = value;
    if (strcmp(value, "c") == 0 || strcmp(value, "cuda") == 0) return KF_OK;
    return kf__fail(err, KF_ERR_ARGUMENT, "--target %s: targets are c and cuda", value);
}

static kf_status set_standalone(struct options *o, const char *value, kf_error *err) {
    o->standalone = value;
    return kf__fail(err, KF_ERR_UNSUPPORTED, "--standalone isn't supported yet; `kfuse emit` "
                    "without it writes the kernels' whole source to '%s' with -o", value);
}

static kf_status set_sizes(struct options *o, const char *value, kf_error *err) {
    o->sizes = value;
    return *value ? KF_OK : kf__fail(err, KF_ERR_ARGUMENT, "--sizes needs sizes: 4096x1024,50M");
}

#define SETTER(field, to) \
    static kf_status set_##field(struct options *o, const char *value, kf_error *err) { \
        (void)value, (void)err; \
        o->field = (to); \
        return KF_OK; \
    }
SETTER(json, value)
SETTER(arch, value)
SETTER(cubin, value)
SETTER(plot, value)
SETTER(compare, value)
SETTER(from, value)
SETTER(warm, true)
SETTER(profile, true)
SETTER(overhead, true)
SETTER(help, true)
SETTER(version, true)

/* ---------------------------------------------------------------- the table */

enum argument { NONE, REQUIRED, OPTIONAL /* only as --name=value */ };

static const struct option_row {
    const char *name, *letter; /* "o" for -o */
    enum argument argument;
    unsigned commands;
    setter set;
    const char *usage, *doc; /* doc NULL: not in the help */
} rows[] = {
    {"device", NULL, REQUIRED, WITH_INPUTS, set_device, "--device cpu|cuda|cuda:1",
     "where to compute (default: the GPU where there is one)"},
    {"no-fuse", NULL, OPTIONAL, WITH_INPUTS, set_no_fuse, "--no-fuse[=ops]",
     "one kernel for each operator or call as written (ops: for each primitive)"},
    {"numerics", NULL, REQUIRED, WITH_INPUTS, set_numerics, "--numerics fused|eager",
     "eager: round to the dtype after each operation"},
    {"threads", NULL, REQUIRED, WITH_INPUTS, set_threads, "--threads N", "threads on the CPU"},
    {"json", NULL, REQUIRED, ALL, set_json, "--json FILE",
     "the same as JSON; `-` is standard output, tables then go to standard error"},
    {"output", "o", REQUIRED, CMD_RUN | CMD_EMIT, set_output, "-o FILE",
     "save to a file; run: .npy, once for each result"},
    {"target", NULL, REQUIRED, CMD_EMIT, set_target, "--target c|cuda",
     "C or CUDA C (default: of --device; else C)"},
    {"arch", NULL, REQUIRED, CMD_EMIT, set_arch, "--arch sm_90",
     "for CUDA the architecture, for C x86-64-v1 to v4 (default: this machine's)"},
    {"cubin", NULL, REQUIRED, CMD_EMIT, set_cubin, "--cubin FILE",
     "CUDA: compile too, with NVRTC; no GPU is needed"},
    {"standalone", NULL, REQUIRED, CMD_EMIT, set_standalone, "--standalone DIR", NULL},
    {"sizes", NULL, REQUIRED, CMD_BENCH, set_sizes, "--sizes 4096x1024,50M",
     "sizes instead of the cases' own"},
    {"plot", NULL, REQUIRED, CMD_BENCH, set_plot, "--plot FILE.svg",
     "bars of the share of the copy's bandwidth; needs gnuplot"},
    {"from", NULL, REQUIRED, CMD_BENCH, set_from, "--from FILE.json",
     "measure nothing: plot what an earlier --json wrote"},
    {"warm", NULL, NONE, CMD_BENCH, set_warm, "--warm",
     "besides cold (buffers rotated beyond the caches) also with data in the caches"},
    {"repeats", NULL, REQUIRED, CMD_BENCH, set_repeats, "--repeats N",
     "measurements (default: what a second allows, 10 to 200)"},
    {"profile", NULL, NONE, CMD_BENCH, set_profile, "--profile", "each kernel's own time"},
    {"overhead", NULL, NONE, CMD_BENCH, set_overhead, "--overhead",
     "what a call costs besides the kernels"},
    {"compare", NULL, REQUIRED, CMD_BENCH, set_compare, "--compare OLD.json",
     "how times changed since `kfuse bench --json OLD.json`"},
    {"help", "h", NONE, ALL, set_help, "--help", "this help, or `kfuse COMMAND --help`"},
    {"version", NULL, NONE, ALL, set_version, "--version", NULL},
};

/* ---------------------------------------------------------------- reading */

static const struct option_row *find_row(const char *name, size_t n, bool letter) {
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        const char *spelling = letter ? rows[i].letter : rows[i].name;
        if (spelling && strlen(spelling) == n && memcmp(spelling, name, n) == 0) return &rows[i];
    }
    return NULL;
}

static kf_status unknown_option(const char *word, kf_error *err) {
    const char *names[KF__COUNT(rows)];
    for (size_t i = 0; i < KF__COUNT(rows); i++) names[i] = rows[i].name;
    const struct option_row *letter = word[1] != '-' ? find_row(word + 1, 1, true) : NULL;
    if (letter && letter->argument == REQUIRED)
        return kf__fail(err, KF_ERR_ARGUMENT, "there is no option %s; a value comes after a space "
                        "or =, as in -%c %s", word, word[1], word + 2);
    const char *name = word + strspn(word, "-");
    const char *near = kf__nearest(name, strcspn(name, "="), names, KF__COUNT(rows));
    return kf__fail(err, KF_ERR_ARGUMENT,
                    near ? "there is no option %s; did you mean --%s?"
                         : "there is no option %s; `kfuse --help` lists them", word, near);
}

static bool is_number(const char *word) {
    double ignored;
    return kf__parse_double(word, strlen(word), &ignored);
}

/* "-o", "-o=FILE"; "-ones(3) * x" is an expression. */
static bool is_letter_option(const char *word) {
    return (!word[2] || word[2] == '=') && find_row(word + 1, 1, true);
}

/* May the next word begin with a minus? An expression may, and behind it nothing. */
static bool may_begin_text(const struct options *o) {
    return (o->command & WITH_INPUTS) && !o->words.n;
}

/* One option at argv[*i]; moves *i on to its last word. */
static kf_status read_option(struct options *o, int argc, char **argv, int *i, kf_error *err) {
    const char *word = argv[*i], *value = NULL;
    bool letter = word[1] != '-';
    const char *name = word + (letter ? 1 : 2);
    size_t n = strcspn(name, "=");
    const struct option_row *row = find_row(name, n, letter);
    if (!row) return unknown_option(word, err);
    if (name[n]) value = name + n + (name[n] == '=');
    if (row->argument == REQUIRED && !value) {
        if (*i + 1 >= argc)
            return kf__fail(err, KF_ERR_ARGUMENT, "%s needs a value: %s", word, row->usage);
        value = argv[++*i];
        if (strstr(row->usage, "FILE") && value[0] == '-' && value[1])
            return kf__fail(err, KF_ERR_ARGUMENT, "%s needs a file, not %s; one whose name begins "
                            "with - is written ./%s", word, value, value);
    }
    if (row->argument == NONE && value)
        return kf__fail(err, KF_ERR_ARGUMENT, "%.*s takes no value", (int)(name + n - word), word);
    if (o->command && !(row->commands & o->command))
        return kf__fail(err, KF_ERR_ARGUMENT, "`kfuse %s` has no option %.*s", o->command_name,
                        (int)(name + n - word), word);
    if (row->argument == REQUIRED && strstr(row->usage, "FILE") && !*value)
        return kf__fail(err, KF_ERR_ARGUMENT, "%.*s needs a file name: %s", (int)(name + n - word),
                        word, row->usage);
    if (row->argument == OPTIONAL && !value && *i + 1 < argc && strcmp(argv[*i + 1], "ops") == 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "write %s=ops, with = and no space", word);
    return row->set(o, value, err);
}

static kf_status read_command(struct options *o, const char *word, kf_error *err) {
    const char *names[KF__COUNT(commands)];
    if (strcmp(word, "help") == 0) {
        o->help = true;
        return KF_OK;
    }
    for (size_t i = 0; i < KF__COUNT(commands); i++) {
        names[i] = commands[i].name;
        if (strcmp(word, names[i]) != 0) continue;
        o->command = commands[i].bit;
        o->command_name = names[i];
        return KF_OK;
    }
    const char *near = kf__nearest(word, strlen(word), names, KF__COUNT(commands));
    if (near)
        return kf__fail(err, KF_ERR_ARGUMENT, "there is no command '%s'; did you mean `kfuse %s`?",
                        word, near);
    return kf__fail(err, KF_ERR_ARGUMENT, "there is no command '%s'; `kfuse --help` lists them "
                    "(an expression comes after one, as in `kfuse run '%s'`)", word, word);
}

kf_status options_read(struct options *o, int argc, char **argv, kf_error *err) {
    *o = (struct options){0};
    bool only_words = false;
    /* The command first, wherever it stands, so that options know whose they are. */
    for (int i = 1; i < argc && !o->command; i++)
        for (size_t c = 0; c < KF__COUNT(commands) && argv[i][0] != '-'; c++)
            if (strcmp(argv[i], commands[c].name) == 0 && !o->command)
                o->command = commands[c].bit, o->command_name = commands[c].name;
    bool command_seen = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && word[0] == '-' && word[1] && !is_number(word) &&
                   (word[1] == '-' || is_letter_option(word) || !may_begin_text(o))) {
            KF_TRY(read_option(o, argc, argv, &i, err));
        } else if (!command_seen) {
            KF_TRY(read_command(o, word, err));
            command_seen = true;
        } else if (!KF__PUSH(&kf__malloc, &o->words, word)) {
            return kf__out_of_memory(err);
        }
    }
    return KF_OK;
}

void options_free(struct options *o) {
    KF__VEC_FREE(&kf__malloc, &o->words);
    KF__VEC_FREE(&kf__malloc, &o->outputs);
}

/* ---------------------------------------------------------------- help */

static void help_options(FILE *to, unsigned mask, bool common) {
    for (size_t i = 0; i < KF__COUNT(rows); i++) {
        bool is_common = (rows[i].commands & WITH_INPUTS) == WITH_INPUTS;
        if (rows[i].doc && (rows[i].commands & mask) && is_common == common)
            fprintf(to, "  %-26s %s\n", rows[i].usage, rows[i].doc);
    }
}

static const char values_help[] =
    "\nvalues\n"
    "  x=@in.npy                  an array from a file (bfloat16, float8: @in.npy:bf16, :f8e4m3)\n"
    "  x='randn(4096, 1024)'      an array made here: randn rand randint arange ones zeros\n"
    "                             with dtype= and seed=; sizes may end in K, M or G\n"
    "  p=0.5                      a number, given to the kernels at each run\n"
    "  axis='(0, 1)'  mode=tanh   of a NAME also what is fixed: tuples, words, dtypes\n";

void options_help(FILE *to, unsigned command) {
    if (!command)
        fprintf(to, "kfuse %s: fused kernels from a line of text\n\n"
                    "  kfuse run 'exp((x + y) * 2)' x='randn(4096, 1024)' y='randn(1024)'\n\n"
                    "commands\n", KF_VERSION);
    for (size_t i = 0; i < KF__COUNT(commands); i++) {
        if (!command)
            fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].doc);
        else if (commands[i].bit == command)
            fprintf(to, "usage: kfuse %s\n\n%s\n", commands[i].usage, commands[i].doc);
    }
    if (!command || (command & WITH_INPUTS)) fputs(values_help, to);
    fputs("\noptions\n", to);
    if (command) help_options(to, command, false);
    help_options(to, command ? command : ALL, true);
    if (!command)
        fputs("\nexit code: 0 fine, 1 a check failed, 2 bad input or usage\n"
              "`kfuse COMMAND --help` has each command's own options\n", to);
}
