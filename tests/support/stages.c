/* See stages.h. */
#include "support/stages.h"

#include <stdio.h>
#include <stdlib.h>

#include "emit/dialect.h"
#include "emit/emit.h"
#include "emit/prelude.h"
#include "fuse/fuse.h"
#include "lower/lower.h"
#include "parse/parse.h"
#include "run/plan.h"
#include "simplify/simplify.h"

kf__target stages_target(kf__target_kind kind, int sm) {
    if (kind == KF__TARGET_C)
        return (kf__target){.kind = kind, .cpu_level = 3, .cache_bytes = 32 << 20};
    return (kf__target){.kind = kind, .sm = sm, .sms = 132, .cache_bytes = 50 << 20};
}

char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    fclose(file);
    return text;
}

/* ---------------------------------------------------------------- layouts */

static void swap(int64_t *a, int64_t *b) {
    int64_t old = *a;
    *a = *b;
    *b = old;
}

static bool set_strides(stages_input *in, const char *how) {
    int n = in->array.ndim;
    int64_t *shape = in->shape, *strides = in->strides;
    bool transposed = !strncmp(how, "transposed", 10) && n >= 2;
    if (transposed) swap(&shape[n - 1], &shape[n - 2]);
    kf__row_major(n, shape, strides);
    if (transposed) {
        swap(&shape[n - 1], &shape[n - 2]);
        swap(&strides[n - 1], &strides[n - 2]);
    }
    long step = 1;
    if (sscanf(how, "step %ld", &step) == 1)
        for (int d = 0; d < n; d++) strides[d] *= step;
    bool broadcast = !strncmp(how, "broadcast", 9) && n;
    if (broadcast) strides[0] = 0;
    long pitch = 0;
    if (n >= 2 && sscanf(how, "pitch %ld", &pitch) == 1) strides[n - 2] = pitch;
    return !*how || *how == '\n' || transposed || step != 1 || broadcast || pitch;
}

/* "f32[4096, 1024] transposed" or "float 0.2" */
static bool parse_spec(const char *at, stages_input *in) {
    size_t n = strcspn(at, "[ \n");
    kf__dtype t;
    if (n == 5 && !memcmp(at, "float", n)) {
        in->spec = (kf_spec){.kind = KF_SPEC_FLOAT, .number = atof(at + n)};
        return true;
    }
    if (n == 3 && !memcmp(at, "int", n)) {
        in->spec = (kf_spec){.kind = KF_SPEC_INT, .integer = atoll(at + n)};
        return true;
    }
    if (!kf__dtype_from_name(at, n, &t) || at[n] != '[') return false;
    kf_array *a = &in->array;
    *a = (kf_array){.device = {KF_CPU, 0}, .dtype = kf__types[t].dlpack};
    for (at += n + 1; *at && *at != ']'; at += strspn(at, ", ")) {
        char *end;
        if (a->ndim == KF__MAX_ARRAY_RANK) return false;
        in->shape[a->ndim++] = strtoll(at, &end, 10);
        if (end == at) return false;
        at = end;
    }
    if (*at++ != ']') return false;
    in->spec = (kf_spec){.kind = KF_SPEC_ARRAY, .dtype = a->dtype, .ndim = a->ndim};
    return set_strides(in, at + strspn(at, " "));
}

/* What is behind "# name:" on one of the head's lines; NULL: none. */
static const char *find_line(const char *head, const char *name) {
    size_t n = strlen(name);
    for (const char *at = head; *at == '#'; at += strcspn(at, "\n"), at += *at == '\n')
        if (!strncmp(at, "# ", 2) && !strncmp(at + 2, name, n) && at[2 + n] == ':')
            return at + 3 + n + strspn(at + 3 + n, " ");
    return NULL;
}

static kf_status describe(stages_input *in, const char *head, bool optional, kf_error *err) {
    const char *spec = find_line(head, in->name);
    if (!spec && !optional)
        return kf__fail(err, KF_ERR_ARGUMENT, "no line describes %s", in->name);
    in->spec = (kf_spec){.kind = KF_SPEC_DEFAULT};
    if (!spec || parse_spec(spec, in)) return KF_OK;
    return kf__fail(err, KF_ERR_ARGUMENT, "%s is described in a way that isn't known: %.*s",
                    in->name, (int)strcspn(spec, "\n"), spec);
}

static void collect(stages *s) {
    for (int i = 0; i < s->n_inputs; i++) {
        stages_input *in = &s->input[i];
        in->array.shape = in->shape;
        in->array.strides = in->strides;
        in->spec.shape = in->spec.kind == KF_SPEC_ARRAY ? in->shape : NULL;
        s->arrays[i] = in->array;
        s->specs[i] = in->spec;
    }
}

/* ---------------------------------------------------------------- the stages */

static kf_status bind(stages *s, kf_error *err) {
    const kf__partition *p = s->partition;
    kf__arena_free(&s->arena);
    kf__arena_init(&s->arena, &kf__malloc);
    s->names = KF__NEW(&s->arena, int64_t, p->graph->exprs.names.n + 1);
    s->shapes = kf__arena_alloc(&s->arena, sizeof *s->shapes * (p->n_values + 1));
    s->strides = kf__arena_alloc(&s->arena, sizeof *s->strides * (p->n_values + 1));
    int64_t *bytes = KF__NEW(&s->arena, int64_t, p->n_values + 1);
    if (!s->names || !s->shapes || !s->strides || !bytes) return kf__out_of_memory(err);
    KF_TRY(kf__bind_sizes(p->graph, s->n_inputs, s->arrays, (kf_device){KF_CPU, 0}, s->names, err));
    KF_TRY(kf__bind_shapes(p, s->names, s->shapes, bytes, err));
    kf__bind_strides(p, (const int64_t(*)[KF__MAX_RANK])s->shapes, s->arrays, NULL, s->strides);
    return KF_OK;
}

kf_status stages_bind(stages *s, const char *head, kf_error *err) {
    for (int i = 0; i < s->n_inputs; i++)
        KF_TRY(describe(&s->input[i], head, s->specs[i].kind == KF_SPEC_DEFAULT, err));
    collect(s);
    return bind(s, err);
}

static kf_status make(stages *s, const kf_function *f, const char *head, kf__target_kind target,
                      kf_error *err) {
    kf_graph *given = NULL, *graph = NULL;
    s->n_inputs = kf_function_input_count(f);
    if (s->n_inputs > STAGES_INPUTS) return kf__fail(err, KF_ERR_LIMIT, "too many inputs");
    for (int i = 0; i < s->n_inputs; i++) {
        snprintf(s->input[i].name, sizeof s->input[i].name, "%s", kf_function_input_name(f, i));
        KF_TRY(describe(&s->input[i], head, kf_function_input_optional(f, i), err));
    }
    collect(s);
    KF_TRY(kf__instantiate(&kf__malloc, f, s->n_inputs, s->specs, KF_FUSED, &given, err));
    kf_status status = kf__simplify(given, &graph, err);
    kf_graph_free(given);
    if (status == KF_OK) status = kf__graph_verify(graph, err);
    if (status != KF_OK) {
        kf_graph_free(graph);
        return status;
    }
    KF_TRY(kf__fuse(graph, KF_FUSION_ON, target, &s->partition, err));
    KF_TRY(kf__partition_verify(s->partition, err));
    return bind(s, err);
}

kf_status stages_make(stages *s, const char *text, const char *head, kf__target_kind target,
                      kf_error *err) {
    kf_function *f = NULL;
    memset(s, 0, sizeof *s);
    kf__arena_init(&s->arena, &kf__malloc);
    kf_status status = kf__parse(&kf__malloc, text, NULL, &f, err);
    if (status == KF_OK) status = make(s, f, head, target, err);
    kf_function_free(f);
    return status;
}

void stages_free(stages *s) {
    kf__partition_free(s->partition);
    kf__arena_free(&s->arena);
    memset(s, 0, sizeof *s);
}

kf_status stages_lower(stages *s, uint32_t k, const kf__target *target, kf__lowered *out,
                       kf_error *err) {
    kf__layout layout = {s->names, (const int64_t(*)[KF__MAX_RANK])s->strides};
    const kf__kernel *kernel = &s->partition->kernels[k];
    KF_TRY(kf__lower(s->partition, kernel, &layout, target, &s->arena, out, err));
    for (uint32_t i = 0; i < out->n_fns; i++) KF_TRY(kf__loop_verify(&out->fns[i], err));
    return KF_OK;
}

static kf_status print_functions(stages *s, const kf__target *target, kf__text *out,
                                 kf_error *err) {
    for (uint32_t k = 0; k < s->partition->n_kernels; k++) {
        kf__lowered lowered;
        KF_TRY(stages_lower(s, k, target, &lowered, err));
        KF_TRY(kf__emit(&lowered, target, out, err));
    }
    return KF_OK;
}

kf_status stages_source(stages *s, const kf__target *target, bool prelude, kf__text *out,
                        kf_error *err) {
    if (!prelude) return print_functions(s, target, out, err);
    kf__text functions;
    kf__text_init(&functions, &kf__malloc);
    kf_status status = print_functions(s, target, &functions, err);
    kf__prelude *read = kf__prelude_read(&kf__malloc, kf__dialects[target->kind].preludes);
    if (status == KF_OK && read)
        status = kf__prelude_print(read, functions.at, functions.n, out);
    kf__print_bytes(out, functions.at, functions.n);
    kf__prelude_free(read);
    kf__text_free(&functions);
    return read ? status : kf__out_of_memory(err);
}
