/* From the command's words to a function, its inputs on the device, and the graph. */
#include "job.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "compile/cuda_driver.h"
#include "ir/ops.h"
#include "parse/parse.h"
#include "report.h"

double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

const char *device_name(kf_device device, char *to) {
    if (device.type == KF_CUDA)
        snprintf(to, 24, "cuda:%d", (int)device.id);
    else
        snprintf(to, 24, "%s", device.type == KF_CPU ? "cpu" : "cuda-emulated");
    return to;
}

int64_t array_count(const kf_array *array) {
    int64_t count = 1;
    for (int i = 0; i < array->ndim; i++)
        if (!kf__mul_ok(count, array->shape[i], &count)) count = 0; /* another size is 0 */
    return count;
}

int64_t array_bytes(const kf_array *array) {
    return array_count(array) * ((array->dtype.bits + 7) / 8);
}

/* ---------------------------------------------------------------- context and device */

static void log_line(void *user, const char *line) {
    (void)user;
    fprintf(stderr, "kfuse: %s\n", line);
}

static kf_device default_device(void) {
    const kf__cuda *cuda = kf__cuda_get(NULL);
    return cuda && cuda->n_devices > 0 ? (kf_device){KF_CUDA, 0} : (kf_device){KF_CPU, 0};
}

kf_status job_begin(struct job *job, const struct options *o, kf_error *err) {
    job->options = o;
    job->device = o->device.type ? o->device : default_device();
    kf_context_options options = {.struct_size = sizeof options, .threads = o->threads,
                                  .log = log_line};
    job->ctx = kf_context_create(&options, err);
    return job->ctx ? KF_OK : err->status;
}

static void free_input(kf_context *ctx, struct input *input) {
    kf_array_free(ctx, &input->made);
    kf_array_free(ctx, &input->host_made);
    if (input->is_file) npy_free(&input->file);
}

void job_end(struct job *job) {
    for (int i = 0; i < job->n_inputs && job->inputs; i++) free_input(job->ctx, &job->inputs[i]);
    free(job->inputs);
    free(job->specs);
    free(job->arrays);
    free(job->scalars);
    free(job->addresses);
    kf_graph_free(job->graph);
    kf_function_free(job->function);
    kf_context_free(job->ctx);
    free(job->text);
    free(job->path);
    *job = (struct job){0};
}

/* ---------------------------------------------------------------- the function */

static bool is_identifier(const char *text, size_t n) {
    if (n == 0 || isdigit((unsigned char)text[0])) return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') return false;
    return true;
}

/* The length of a path FILE.kf at the start of FILE.kf[:NAME]; 0: it is something else. */
static size_t path_length(const char *what) {
    size_t n = strlen(what);
    if (strpbrk(what, "\n;=")) return 0;
    if (n > 3 && strcmp(what + n - 3, ".kf") == 0) return n;
    const char *colon = strrchr(what, ':');
    if (!colon || colon - what < 4 || memcmp(colon - 3, ".kf", 3) != 0) return 0;
    return is_identifier(colon + 1, strlen(colon + 1)) ? (size_t)(colon - what) : 0;
}

static kf_status read_text(const char *path, char **out, kf_error *err) {
    enum { MOST = 16 << 20 };
    struct stat st;
    FILE *file = fopen(path, "rb");
    if (!file) return kf__fail(err, KF_ERR_IO, "can't open '%s': %s", path, strerror(errno));
    if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(file);
        return kf__fail(err, KF_ERR_IO, "'%s' is a folder", path);
    }
    char *text = malloc(MOST + 1);
    size_t n = text ? fread(text, 1, MOST + 1, file) : 0;
    bool failed = ferror(file);
    fclose(file);
    if (!text) return kf__out_of_memory(err);
    kf_status status = KF_OK;
    if (failed) status = kf__fail(err, KF_ERR_IO, "can't read '%s': %s", path, strerror(errno));
    else if (n > MOST) status = kf__fail(err, KF_ERR_LIMIT, "'%s' is longer than 16 MiB", path);
    else if (memchr(text, 0, n))
        status = kf__fail(err, KF_ERR_SYNTAX, "'%s' isn't text: it has zero bytes", path);
    if (status != KF_OK) {
        free(text);
        return status;
    }
    text[n] = 0;
    char *fitting = realloc(text, n + 1);
    *out = fitting ? fitting : text;
    return KF_OK;
}

/* Values that only text can say: tuples, strings, names of dtypes. */
static bool is_literal(const char *value) {
    double ignored;
    if (value[0] == '@' || recipe_looks_like(value) || !value[0]) return false;
    if (kf__parse_double(value, strlen(value), &ignored)) return false;
    if (strchr("([\"'", value[0])) return true;
    return is_identifier(value, strlen(value)) && strcmp(value, "True") != 0 &&
           strcmp(value, "False") != 0 && strcmp(value, "None") != 0;
}

/* Does a call that has literals in it say this one too? */
static bool is_in_call(const char *value) {
    return is_literal(value) || strcmp(value, "None") == 0;
}

/* "gelu(x=x, approximate=\"tanh\")" for a NAME some of whose arguments are literals. Nothing
 * where none is. */
static void call_text(const char *name, const char *const *args, uint32_t n, kf__text *text) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const char *value = strchr(args[i], '=');
        any = any || (value && is_literal(value + 1));
    }
    if (!any) return;
    kf__print(text, "%s(", name);
    for (uint32_t i = 0; i < n; i++) {
        int length = (int)strcspn(args[i], "=");
        const char *value = args[i] + length + (args[i][length] == '=');
        kf__dtype dtype;
        bool word = is_literal(value) && is_identifier(value, strlen(value)) &&
                    !kf__dtype_from_name(value, strlen(value), &dtype);
        kf__print(text, "%s%.*s=", i ? ", " : "", length, args[i]);
        if (word) kf__print(text, "\"%s\"", value);
        else if (is_in_call(value)) kf__print(text, "%s", value);
        else kf__print(text, "%.*s", length, args[i]);
    }
    kf__print(text, ")");
}

static int lines_of(const char *text) {
    int lines = 1;
    for (; (text = strchr(text, '\n')); text++) lines++;
    return lines;
}

/* A def of the file, with literals: the call is a line behind the file's. A file with lines of its
 * own has no room for one. */
static kf_status call_of_file(struct job *job, const char *const *args, uint32_t n, kf_error *err) {
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    const char *name = kf__function_name(job->function);
    if (*name) kf__print(&text, "%s\n", job->text);
    size_t before = text.n;
    if (*name) call_text(name, args, n, &text);
    kf_function *call = NULL;
    kf_status status = text.failed ? kf__out_of_memory(err) : KF_OK;
    if (status == KF_OK && text.n > before)
        status = kf_parse(job->ctx, text.at, NULL, &call, err);
    if (!call && err->line && err->line <= lines_of(job->text)) {
        *err = (kf_error){0};
        kf__fail(err, status, "tuples, words and dtypes can't be given to `%s`: %s has lines "
                 "outside of defs", name, job->path);
    }
    if (!call) {
        kf__text_free(&text);
        return status;
    }
    free(job->text);
    kf_function_free(job->function);
    job->text = text.at; /* malloc's */
    job->function = call;
    job->made_call = true;
    return KF_OK;
}

static kf_status file_function(struct job *job, const char *what, size_t n,
                               const char *const *args, uint32_t n_args, kf_error *err) {
    job->path = strndup(what, n);
    if (!job->path) return kf__out_of_memory(err);
    job->file_name = job->path;
    KF_TRY(read_text(job->path, &job->text, err));
    kf_error why = {0};
    if (kf_parse(job->ctx, job->text, what[n] ? what + n + 1 : NULL, &job->function, &why) == KF_OK)
        return call_of_file(job, args, n_args, err);
    if (why.line) *err = why; /* it will be said which file has this line */
    else kf__fail(err, why.status, "%s: %s", job->path, why.message);
    return why.status;
}

static kf_status named_function(struct job *job, const char *name, const char *const *args,
                                uint32_t n, kf_error *err) {
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    call_text(name, args, n, &text);
    if (text.failed) {
        kf__text_free(&text);
        return kf__out_of_memory(err);
    }
    if (text.n == 0) {
        kf__text_free(&text);
        return kf_parse(job->ctx, "", name, &job->function, err);
    }
    job->text = text.at; /* malloc's */
    job->made_call = true;
    return kf_parse(job->ctx, job->text, NULL, &job->function, err);
}

static bool has_argument(const char *name, const char *const *args, uint32_t n) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < n; i++)
        if (strncmp(args[i], name, length) == 0 && args[i][length] == '=') return true;
    return false;
}

static bool is_of_module(const char *what) {
    char own[KF__OWN_NAME];
    const char *name = kf__name_of_module(what, own);
    return name && is_identifier(name, strlen(name));
}

kf_status job_function(struct job *job, const char *what, const char *const *args, uint32_t n,
                       kf_error *err) {
    size_t path = path_length(what);
    if (path) return file_function(job, what, path, args, n, err);
    if (is_identifier(what, strlen(what)) && !has_argument(what, args, n))
        return named_function(job, what, args, n, err);
    job->text = strdup(what);
    if (!job->text) return kf__out_of_memory(err);
    kf_status status = kf_parse(job->ctx, job->text, NULL, &job->function, err);
    if (status != KF_ERR_NAME || !is_of_module(what)) return status;
    kf_error of_expression = *err; /* np.pi would have been one, np.exp isn't */
    *err = (kf_error){0};
    free(job->text);
    job->text = NULL;
    if (named_function(job, what, args, n, err) == KF_OK) return KF_OK;
    free(job->text);
    job->text = strdup(what);
    job->made_call = false;
    *err = of_expression;
    return status;
}

/* ---------------------------------------------------------------- values of inputs */

/* On the device, with the file's strides: the bytes are copied as they lie. */
static kf_status file_to_device(struct job *job, struct input *input, kf_error *err) {
    kf_array *file = &input->file.array;
    input->array = *file;
    input->array.device = job->device;
    if (job->device.type != KF_CUDA) return KF_OK;
    int64_t bytes = array_bytes(file);
    kf_array flat = {.data = file->data, .device = {KF_CPU, 0}, .ndim = 1, .dtype = KF_U8,
                     .shape = &bytes};
    KF_TRY(kf_array_create(job->ctx, job->device, KF_U8, 1, &bytes, &input->made, err));
    input->array.data = input->made.data;
    return kf_array_copy(job->ctx, &flat, &input->made, err);
}

/* @FILE.npy or @FILE.npy:DTYPE */
static kf_status file_value(struct job *job, struct input *input, const char *value, bool data,
                            kf_error *err) {
    const char *colon = strrchr(value, ':');
    kf_dtype as = {0};
    kf__dtype dtype;
    size_t n = strlen(value);
    if (colon && kf__dtype_from_name(colon + 1, strlen(colon + 1), &dtype)) {
        as = kf__types[dtype].dlpack;
        n = (size_t)(colon - value);
    } else if (colon && colon - value > 4 && memcmp(colon - 4, ".npy", 4) == 0) {
        return kf__fail(err, KF_ERR_TYPE, "%s=@%s: `%s` is no dtype", input->name, value,
                        colon + 1);
    }
    if (n == 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "%s=@%s needs a file name: %s=@in.npy", input->name,
                        value, input->name);
    char *path = strndup(value, n);
    if (!path) return kf__out_of_memory(err);
    kf_status status = npy_read(path, as, &input->file, err);
    free(path);
    KF_TRY(status);
    input->is_file = true;
    input->array = input->file.array;
    input->array.device = job->device;
    return data ? file_to_device(job, input, err) : KF_OK;
}

static kf_status recipe_value(struct job *job, struct input *input, const char *value, bool data,
                              kf_error *err) {
    struct recipe *r = &input->recipe;
    KF_TRY(recipe_read(value, input->name, r, err));
    for (int d = 0; d < r->ndim; d++)
        for (int i = 0; i < job->n_resized; i++)
            if (r->shape[d] == job->resized[i][0]) {
                r->shape[d] = job->resized[i][1];
                break;
            }
    if (data) {
        KF_TRY(recipe_make(job->ctx, r, job->device, &input->made, err));
        input->array = input->made;
        return KF_OK;
    }
    memcpy(input->shape, r->shape, sizeof input->shape);
    input->array = (kf_array){.device = job->device, .ndim = r->ndim, .dtype = r->dtype,
                              .shape = input->shape};
    return KF_OK;
}

/* An integer that kf__parse_int wouldn't read: as a float it would have another dtype. */
static bool all_digits(const char *value) {
    value += *value == '-' || *value == '+';
    return *value && value[strspn(value, "0123456789")] == 0;
}

static kf_status number_value(struct input *input, const char *value, kf_error *err) {
    size_t n = strlen(value);
    bool is_true = strcmp(value, "True") == 0;
    if (is_true || strcmp(value, "False") == 0) {
        input->spec = (kf_spec){.kind = KF_SPEC_INT, .integer = is_true};
    } else if (kf__parse_int(value, n, &input->spec.integer)) {
        input->spec.kind = KF_SPEC_INT;
    } else if (all_digits(value) && n < REPORT_SHOWN) {
        return kf__fail(err, KF_ERR_ARGUMENT, "%s=%s doesn't fit in 64 bits; write it as a float, "
                        "with a point", input->name, value);
    } else if (kf__parse_double(value, n, &input->spec.number)) {
        input->spec.kind = KF_SPEC_FLOAT;
    } else {
        char shown[REPORT_SHOWN];
        report_shown(shown, value);
        if (value[0] == '(' || value[0] == '[')
            return kf__fail(err, KF_ERR_ARGUMENT, "%s=%s: a tuple can be given to a NAME, also of "
                            "a file; in an expression write it where it is used", input->name,
                            shown);
        return kf__fail(err, KF_ERR_ARGUMENT, "%s=%s is neither a number, nor an array in a file "
                        "(%s=@%s), nor one made here (%s='randn(3, 4)')", input->name, shown,
                        input->name, shown, input->name);
    }
    if (input->spec.kind == KF_SPEC_INT) input->scalar.i = input->spec.integer;
    else input->scalar.f = input->spec.number;
    return KF_OK;
}

static kf_status read_value(struct job *job, struct input *input, const char *value, bool data,
                            kf_error *err) {
    if (value[0] != '@' && !recipe_looks_like(value)) return number_value(input, value, err);
    KF_TRY(value[0] == '@' ? file_value(job, input, value + 1, data, err)
                           : recipe_value(job, input, value, data, err));
    const kf_array *a = &input->array;
    input->spec = (kf_spec){.kind = KF_SPEC_ARRAY, .dtype = a->dtype, .ndim = a->ndim,
                            .shape = a->shape};
    return KF_OK;
}

/* ---------------------------------------------------------------- arguments to inputs */

/* e, pi, inf, nan and dtypes are values wherever a text names them. */
static bool is_constant(const char *name, size_t n) {
    static const char *const numbers[] = {"e", "pi", "inf", "nan"};
    kf__dtype dtype;
    for (size_t i = 0; i < KF__COUNT(numbers); i++)
        if (strlen(numbers[i]) == n && memcmp(numbers[i], name, n) == 0) return true;
    return kf__dtype_from_name(name, n, &dtype);
}

/* `kfuse run -v 'x + 1'`: -v is a text, but wasn't meant as one. */
static kf_status option_as_text(const struct job *job, const char *arg, kf_error *err) {
    const char *text = job->options->words.n ? job->options->words.at[0] : "";
    if (text[0] != '-' || !is_identifier(text + 1, strlen(text + 1))) return KF_OK;
    return kf__fail(err, KF_ERR_ARGUMENT, "there is no option %s; and taken for what to compute it "
                    "needs its arguments by name: %s=%s", text, text + 1, arg);
}

/* softmax(axis=0) lacks what x=... was meant for. */
static kf_status lacking_argument(const struct job *job, const char *arg, size_t n,
                                  kf_error *err) {
    char name[80];
    kf_graph *graph = NULL;
    kf_error why = {0};
    snprintf(name, sizeof name, "`%.*s`", (int)n, arg);
    kf_graph_create(job->ctx, job->function, 0, NULL, job->options->numerics, &graph, &why);
    kf_graph_free(graph);
    if (why.status != KF_ERR_ARGUMENT || !strstr(why.message, name)) return KF_OK;
    *err = why;
    return why.status;
}

static kf_status unknown_argument(const struct job *job, const char *arg, size_t n,
                                  kf_error *err) {
    kf__text names;
    if (arg[n] != '=') KF_TRY(option_as_text(job, arg, err));
    if (job->n_inputs == 0 && arg[n] == '=') KF_TRY(lacking_argument(job, arg, n, err));
    kf__text_init(&names, &kf__malloc);
    for (int i = 0; i < job->n_inputs; i++)
        kf__print(&names, "%s%s", i ? ", " : "", job->inputs[i].name);
    kf_status status =
        strchr(arg, '=') && arg[n] != '='
            ? kf__fail(err, KF_ERR_ARGUMENT, "arguments have names, and `%.*s` isn't one: write "
                       "name=VALUE (inputs: %s)", (int)strcspn(arg, "="), arg,
                       job->n_inputs ? names.at : "none")
        : arg[n] != '='
            ? kf__fail(err, KF_ERR_ARGUMENT, "arguments have names: write %s=%s (inputs: %s)",
                       job->n_inputs ? job->inputs[0].name : "NAME", arg,
                       job->n_inputs ? names.at : "none")
            : kf__fail(err, KF_ERR_NAME, "there is no input `%.*s`; inputs: %s%s", (int)n, arg,
                       job->n_inputs ? names.at : "none",
                       is_constant(arg, n) ? " (a constant or dtype has this name in the text)"
                                           : "");
    kf__text_free(&names);
    return status;
}

static kf_status bind_argument(struct job *job, const char *arg, const char **values,
                               kf_error *err) {
    size_t n = strcspn(arg, "=");
    bool named = arg[n] == '=' && is_identifier(arg, n);
    int i = named ? kf__input_named(job->function, arg, n) : -1;
    if (i < 0) return unknown_argument(job, arg, named ? n : strlen(arg), err);
    if (values[i])
        return kf__fail(err, KF_ERR_ARGUMENT, "`%s` is given twice: %s and %s",
                        job->inputs[i].name, values[i], arg + n + 1);
    values[i] = arg + n + 1;
    return KF_OK;
}

/* float33, uint16, complex64: of a dtype that there isn't. */
static bool is_like_dtype(const char *name) {
    static const char *const families[] = {"float", "int", "uint", "complex", "bfloat"};
    static const char *const others[] = {"u16", "u32", "u64", "f128", "c64", "c128"};
    for (size_t i = 0; i < KF__COUNT(families); i++) {
        size_t n = strlen(families[i]);
        if (strncmp(name, families[i], n) == 0 && isdigit((unsigned char)name[n])) return true;
    }
    for (size_t i = 0; i < KF__COUNT(others); i++)
        if (strcmp(name, others[i]) == 0) return true;
    return false;
}

static kf_status missing_argument(const struct job *job, int i, kf_error *err) {
    const char *name = job->inputs[i].name;
    if (is_like_dtype(name))
        return kf__fail(err, KF_ERR_ARGUMENT, "there is no dtype `%s`; there are f64 f32 f16 bf16 "
                        "f8e4m3 f8e5m2 i64 i32 i16 i8 u8 bool (and as an input it has no value: "
                        "%s=...)", name, name);
    const char *example = kf__input_example(job->function, i);
    if (example)
        return kf__fail(err, KF_ERR_ARGUMENT, "`%s` has no value: give %s=%s, for example", name,
                        name, example);
    return kf__fail(err, KF_ERR_ARGUMENT, "`%s` has no value: give %s=@file.npy, "
                    "%s='randn(1000, 300)' or a number, %s=0.5", name, name, name, name);
}

static kf_status allocate_inputs(struct job *job, kf_error *err) {
    job->n_inputs = kf_function_input_count(job->function);
    size_t n = (size_t)job->n_inputs + 1;
    job->inputs = calloc(n, sizeof *job->inputs);
    job->specs = calloc(n, sizeof *job->specs);
    job->arrays = calloc(n, sizeof *job->arrays);
    job->scalars = calloc(n, sizeof *job->scalars);
    job->addresses = calloc(n, sizeof *job->addresses);
    if (!job->inputs || !job->specs || !job->arrays || !job->scalars || !job->addresses)
        return kf__out_of_memory(err);
    for (int i = 0; i < job->n_inputs; i++)
        job->inputs[i].name = kf_function_input_name(job->function, i);
    return KF_OK;
}

static kf_status bind_all(struct job *job, const char *const *args, uint32_t n,
                          const char **values, bool data, kf_error *err) {
    for (uint32_t i = 0; i < n; i++) {
        const char *value = strchr(args[i], '=');
        if (job->made_call && value && is_in_call(value + 1)) continue; /* it's in the call */
        KF_TRY(bind_argument(job, args[i], values, err));
    }
    for (int i = 0; i < job->n_inputs; i++) {
        struct input *input = &job->inputs[i];
        bool optional = kf_function_input_optional(job->function, i);
        if (!values[i] && !optional) return missing_argument(job, i, err);
        if (!values[i] || (optional && strcmp(values[i], "None") == 0))
            input->spec.kind = KF_SPEC_DEFAULT;
        else
            KF_TRY(read_value(job, input, values[i], data, err));
    }
    return KF_OK;
}

kf_status job_inputs(struct job *job, const char *const *args, uint32_t n, bool data,
                     kf_error *err) {
    KF_TRY(allocate_inputs(job, err));
    const char **values = calloc((size_t)job->n_inputs + 1, sizeof *values);
    if (!values) return kf__out_of_memory(err);
    kf_status status = bind_all(job, args, n, values, data, err);
    free(values);
    KF_TRY(status);
    int scalars = 0;
    for (int i = 0; i < job->n_inputs; i++) {
        const struct input *input = &job->inputs[i];
        job->specs[i] = input->spec;
        job->arrays[i] = input->array;
        if (input->array.data)
            job->addresses[i] = (char *)input->array.data + input->array.byte_offset;
        if (input->spec.kind == KF_SPEC_FLOAT || input->spec.kind == KF_SPEC_INT)
            job->scalars[scalars++] = input->scalar;
    }
    return kf_graph_create(job->ctx, job->function, job->n_inputs, job->specs,
                           job->options->numerics, &job->graph, err);
}

kf_status job_open(struct job *job, bool data, kf_error *err) {
    const words *w = &job->options->words;
    if (w->n == 0)
        return kf__fail(err, KF_ERR_ARGUMENT, "what to compute is missing: kfuse %s 'exp(x * 2)' "
                        "x='randn(1000)'", job->options->command_name);
    KF_TRY(job_function(job, w->at[0], w->at + 1, w->n - 1, err));
    return job_inputs(job, w->at + 1, w->n - 1, data, err);
}

kf_status job_host_inputs(struct job *job, kf_error *err) {
    for (int i = 0; i < job->n_inputs; i++) {
        struct input *input = &job->inputs[i];
        input->host = input->is_file ? input->file.array : input->array;
        input->host.device = (kf_device){KF_CPU, 0};
        if (input->is_file || !input->array.data || job->device.type != KF_CUDA) continue;
        KF_TRY(kf_array_create(job->ctx, (kf_device){KF_CPU, 0}, input->made.dtype,
                               input->made.ndim, input->made.shape, &input->host_made, err));
        KF_TRY(kf_array_copy(job->ctx, &input->made, &input->host_made, err));
        input->host = input->host_made;
    }
    return KF_OK;
}
