/* Calls of composites by their signatures: for each parameter a value of the program, or one of the
 * texts that its name suggests. What doesn't fit the parser refuses. */
#include <stdio.h>

#include "generate.h"
#include "parse/parse.h"

/* By name; | between choices. With a default it may be left out, whatever it is. */
static const struct {
    const char *name, *choices;
} parameters[] = {
    {"axis", "-1|0|None|(0, 1)|1|-2"}, {"keepdims", "True|False"},
    {"reduction", "'mean'|'sum'|'none'"}, {"dtype", "f32|f64|f16|bf16|i64|i8|f8e4m3"},
    {"eps", "1e-5|1e-3|0.1"}, {"seed", "3|11"}, {"stream", "1|7"},
    {"weight", "$1|$0|$0[0]|ravel($0)[:$0.shape[0]]|ravel($0)[:$0.shape[1]]"},
    {"bias", "$1|$0|$0[0]|ravel($0)[:$0.shape[1]]"}, {"weights", "$1|$0"},
    {"running_mean", "ravel($0)[:$0.shape[1]]|None"},
    {"running_var", "ravel($0)[:$0.shape[1]]|None"},
    {"lr", "0.1|0.001"}, {"beta1", "0.5|0.9"}, {"beta2", "0.7|0.99"}, {"step", "1|3"},
    {"weight_decay", "0|0.1"}, {"momentum", "0.1|0.9"}, {"nesterov", "True|False"},
    {"maximize", "True|False"}, {"amsgrad", "True|False"}, {"correction", "0|1"},
    {"training", "True|False"}, {"margin", "0.5|1"}, {"k", "0|1|-1"}, {"lo", "-1|0|None"},
    {"hi", "1|2|None"}, {"ord", "1|2|3|inf"}, {"num_groups", "1|$0.shape[1]"},
    {"groups", "1|$0.shape[1]"}, {"num_classes", "5|9"}, {"n", "3|6"}, {"m", "$2|4|None"},
    {"r", "$2|2|1"}, {"shape", "(3, 4)|$0.shape|5"}, {"size", "(4, 3)|3|$0.shape|(1, 2, 3, 4)"},
    {"low", "-3|0"}, {"high", "9|5"}, {"num", "7|3"}, {"start", "0|-1.5|$0"}, {"stop", "5|2"},
    {"end", "$1|3"}, {"mask", "$1 > 0|$1|$0 > $1"},
    {"indices", "cast($1, i32)|randint_like($0, 0, 5, seed=2)|$0|(cast(ravel($1)[:2], i32),)"},
    {"values", "$1|2"}, {"s", "2|0.5"},
    {"labels", "$1|randint_like($0, 0, 3, seed=4)|softmax($0)"},
    {"target", "$1|$0|cast($1, i32)|randint(0, 3, $0.shape[:1], seed=4)|sigmoid($1)|sign($1)"},
    {"ignore_index", "1|-100"}, {"label_smoothing", "0.1|0"}, {"scale", "0.1|$1|exp($1)"},
    {"zero_point", "3|0|cast($1, i8)"}, {"approximate", "'tanh'|'none'"},
    {"endpoint", "True|False"},
    {"periodic", "True|False"}, {"full", "True|False"}, {"log_input", "True|False"},
    {"log_target", "True|False"}, {"swap", "True|False"}, {"equal_nan", "True|False"},
    {"interleaved", "True|False"}, {"hard", "True|False"}, {"halves", "True|False"},
    {"bias_corrected", "True|False"}, {"fisher", "True|False"}, {"indexing", "'xy'|'ij'"},
    {"normalized_shape", "$0.shape[-1:]|($0.shape[-1],)|None"}, {"lambd", "0.3|0.5"},
    {"order", "2|3"}, {"padding_idx", "1|None"}, {"heads", "2|4"}, {"p", "0.3|2|1|$0|0"},
    {"beta", "0.5|2"}, {"theta", "reshape(ravel($0)[:6], (1, 2, 3))"},
    {"grid", "broadcast_to(sin(ravel($0)[:2]), ($0.shape[0], 2, 3, 2))"},
    {"mode", "'bilinear'|'nearest'|'bicubic'|'linear'"},
    {"padding_mode", "'zeros'|'border'|'reflection'"}, {"align_corners", "True|False"},
    {"scale_factor", "2|0.5|1.5"}, {"recompute_scale_factor", "True|False"},
    {"dimensions", "(3, 4)|(5,)"}, {"dims", "(3, 4)|(2, 5)"},
    {"multi_index", "(cast($0, i32), cast($0, i32))"}, {"choices", "($0, $0 * 2)|($0, $1)"},
    {"arrays", "$0, $1|ravel($0), ravel($1)"}, {"positions", "arange($0.shape[-2])"},
    {"w", "$2|$0"}, {"sizes", "(1, $0.shape[-1])|($0.shape[0], 1)|(1, $0.shape[0] - 1)"},
    {"a", "$0|ravel($0)|$0[..., :1] + arange(3)|cast($0, u8)"},
    {"b", "$1|$0[..., :1] + arange(3)|$0"},
    {"v", "$1|(1, 2)|(0.5, -1, 2)"}, {"value", "-1.0|2|0"},
    {"threshold", "0.5|20"}, {"kernel_size", "2|3|(3, 2)|1|(2, 1, 3)"},
    {"stride", "1|2|3|(1, 2)|None"}, {"padding", "0|1|(1, 0)"}, {"dilation", "1|2"},
    {"ceil_mode", "True|False"}, {"count_include_pad", "True|False"},
    {"divisor_override", "3|None"}, {"norm_type", "2|1|3.0"},
    {"output_size", "1|2|4|(3, None)|(1, $0.shape[-1])|(1, $0.shape[-1])"},
    {"source", "$1|$0|$0[:, :2]"}, {"src", "$1|$0|$0[:1]"},
    {"reduce", "'sum'|'mean'|'prod'|'amax'|'amin'"},
    {"include_self", "True|False"}, {"accumulate", "True|False"}, {"dst", "$0"},
    {"vals", "$1|(1, 2)|7"}, {"offset", "0|1|-1"}, {"minlength", "5|9"},
    {"bins", "4|(-1, 0, 2)|1"}, {"range", "(-1, 2)|None"}, {"density", "True|False"},
    {"a1", "ravel($0)|(1, 2)"}, {"a2", "ravel($1)|(3, -1, 0.5)"}, {"bitorder", "'big'|'little'"},
    {"with_replacement", "True|False"}, {"wrap", "True|False"}, {"period", "2|None"},
    {"return_indices", "True|False"}, {"pad", "(1, 2)|(0, 1, 2, 0)"},
};

enum { MOST_COMPOSITES = 600 };

static struct {
    char name[40], signature[320];
} composites[MOST_COMPOSITES];

static int count_composites(void) {
    static int n;
    kf__callable c = {0};
    if (n) return n;
    while (n < MOST_COMPOSITES && kf__callable_next(&c)) {
        if (strcmp(c.kind, "composite") != 0) continue;
        memcpy(composites[n].name, c.name, sizeof c.name);
        memcpy(composites[n].signature, c.signature, sizeof c.signature);
        n++;
    }
    return n;
}

const char *fz_composite(int i) {
    return i < count_composites() ? composites[i].name : NULL;
}

/* One of "a|b|c". */
static void pick_choice(fz_random *r, const char *choices, char *to, size_t size) {
    int n = 1;
    for (const char *c = choices; *c; c++) n += *c == '|';
    for (n = fz_below(r, n); n > 0; n--) choices = strchr(choices, '|') + 1;
    snprintf(to, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

static const char *choices_for(const char *name) {
    for (size_t i = 0; i < KF__COUNT(parameters); i++)
        if (!strcmp(parameters[i].name, name)) return parameters[i].choices;
    return NULL;
}

/* An argument for a parameter; *values: how many of the program's stand there already. */
static void put_argument(fz_random *r, const char *name, const char *given, int *values, char *to,
                         size_t size) {
    static const char *const numbers = "0.5|1|2|0.1|1.5";
    const char *choices = choices_for(name);
    if (choices && (given || fz_chance(r, 70))) pick_choice(r, choices, to, size);
    else if (given && !strcmp(given, "None")) pick_choice(r, "$1|$0|0.5|1", to, size);
    else if (given && (given[0] == 'T' || given[0] == 'F')) pick_choice(r, "True|False", to, size);
    else if (given) pick_choice(r, numbers, to, size);
    else if (*values > 0 && fz_chance(r, 25)) pick_choice(r, "2|1|3", to, size);
    else snprintf(to, size, "$%d", *values < 3 ? (*values)++ : fz_below(r, 3));
}

/* "x, axis=-1" -> the next parameter's name and default (NULL: none); false: no more. */
static bool next_parameter(const char **at, char name[40], char given[60], bool *has_default) {
    size_t n = strcspn(*at, ",=:"), depth = 0;
    while (**at == ' ' || **at == '*') (*at)++, n = strcspn(*at, ",=:");
    if (!**at) return false;
    snprintf(name, 40, "%.*s", (int)n, *at);
    *at += n;
    while (**at && **at != '=' && **at != ',') (*at)++; /* an annotation */
    *has_default = **at == '=';
    const char *begin = *at + *has_default;
    for (; **at && (depth || **at != ','); (*at)++) depth += (**at == '(') - (size_t)(**at == ')');
    snprintf(given, 60, "%.*s", (int)(*at - begin), begin + strspn(begin, " "));
    if (**at == ',') (*at)++;
    return true;
}

void fz_composite_text(fz_random *r, int i, char *text, size_t size) {
    const char *at = composites[i].signature;
    char name[40], given[60], argument[100];
    bool has_default;
    int values = 0;
    size_t n = (size_t)snprintf(text, size, "%s(", composites[i].name);
    for (int k = 0; n < size && next_parameter(&at, name, given, &has_default); k++) {
        if (has_default && !fz_chance(r, 40)) continue;
        put_argument(r, name, has_default ? given : NULL, &values, argument, sizeof argument);
        n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", text[n - 1] == '(' ? "" : ", ",
                              has_default ? name : "", has_default ? "=" : "", argument);
    }
    int item = fz_below(r, 20); /* of those that give several */
    if (n < size)
        snprintf(text + n, size - n, ")%s", item < 2 ? "[0]" : item == 2 ? "[1]" : "");
}

void fz_library_text(fz_random *r, char *text, size_t size) {
    fz_composite_text(r, fz_below(r, count_composites()), text, size);
}
