/* kfuse ops: everything that can be called. The dtypes are tried, not declared: a function takes
 * those for which it can be made. */
#include "commands.h"
#include "ir/ops.h"
#include "parse/parse.h"
#include "report.h"

/* Can it be called with arrays of this dtype, of rank 2, for all that has no default? */
static bool takes(const kf_function *f, kf__dtype dtype) {
    enum { MOST = 16 };
    kf_spec specs[MOST];
    int n = kf_function_input_count(f);
    if (n > MOST) return false;
    for (int i = 0; i < n; i++) {
        bool optional = kf_function_input_optional(f, i);
        specs[i] = (kf_spec){.kind = optional ? KF_SPEC_DEFAULT : KF_SPEC_ARRAY, .ndim = 2,
                             .dtype = kf__types[dtype].dlpack};
    }
    kf_graph *graph = NULL;
    kf_status status = kf__instantiate(&kf__malloc, f, n, specs, KF_FUSED, &graph, NULL);
    kf_graph_free(graph);
    return status == KF_OK;
}

static unsigned dtypes_of(const char *name) {
    kf_function *f = NULL;
    unsigned mask = 0;
    if (kf__parse(&kf__malloc, "", name, &f, NULL) != KF_OK) return 0;
    for (int t = 0; t < KF__DTYPE_COUNT; t++)
        if (takes(f, (kf__dtype)t)) mask |= 1u << t;
    kf_function_free(f);
    return mask;
}

/* "all", "floats", ... or the list. */
static void describe(unsigned mask, kf__text *text) {
    static const struct {
        const char *name;
        unsigned types;
    } groups[] = {
        {"all", (1u << KF__DTYPE_COUNT) - 1},
        {"numbers", ((1u << KF__DTYPE_COUNT) - 1) & ~(1u << KF__BOOL)},
        {"integers, bool", (1u << KF__BOOL) | (1u << KF__U8) | (1u << KF__I8) | (1u << KF__I16) |
                           (1u << KF__I32) | (1u << KF__I64)},
        {"integers", (1u << KF__U8) | (1u << KF__I8) | (1u << KF__I16) | (1u << KF__I32) |
                     (1u << KF__I64)},
        {"floats", (1u << KF__F8E4M3) | (1u << KF__F8E5M2) | (1u << KF__F16) | (1u << KF__BF16) |
                   (1u << KF__F32) | (1u << KF__F64)},
        {"", 0},
    };
    for (size_t i = 0; i < KF__COUNT(groups); i++)
        if (groups[i].types == mask) {
            kf__print(text, "%s", groups[i].name);
            return;
        }
    bool first = true;
    for (int t = 0; t < KF__DTYPE_COUNT; t++)
        if (mask >> t & 1) {
            kf__print(text, "%s%s", first ? "" : " ", kf__types[t].alias);
            first = false;
        }
}

static void json_op(struct json *j, const kf__callable *op, unsigned dtypes) {
    char signature[220];
    snprintf(signature, sizeof signature, "%s(%s)", op->name, op->signature);
    json_open_object(j, NULL);
    json_string(j, "name", op->name);
    json_string(j, "kind", op->kind);
    json_string(j, "signature", signature);
    json_open_array(j, "dtypes");
    for (int t = 0; t < KF__DTYPE_COUNT; t++)
        if (dtypes >> t & 1) json_string(j, NULL, kf__types[t].name);
    json_close(j);
    json_string(j, "doc", op->doc);
    json_close(j);
}

static void give_one(const kf__callable *op, struct output *out) {
    unsigned dtypes = dtypes_of(op->name);
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    describe(dtypes, &text);
    fprintf(out->table, "%s(%s)    %s\n", op->name, op->signature, op->kind);
    if (op->doc[0]) fprintf(out->table, "  %s\n", op->doc);
    if (text.at && text.at[0]) fprintf(out->table, "  dtypes: %s\n", text.at);
    kf__text_free(&text);
    if (out->json_file) json_op(&out->json, op, dtypes);
}

static void give_kind(const char *kind, struct output *out) {
    struct table t;
    kf__callable op;
    table_begin(&t, "lll");
    table_cell(&t, "%s", kind);
    table_cell(&t, "dtypes");
    table_cell(&t, "%s", "");
    for (size_t i = 0; kf__callable_at(i, &op); i++) {
        if (strcmp(op.kind, kind) != 0) continue;
        unsigned dtypes = dtypes_of(op.name);
        kf__text text;
        kf__text_init(&text, &kf__malloc);
        describe(dtypes, &text);
        table_cell(&t, "  %s(%s)", op.name, op.signature);
        table_cell(&t, "%s", text.at ? text.at : "");
        table_cell(&t, "%s", op.doc);
        kf__text_free(&text);
        if (out->json_file) json_op(&out->json, &op, dtypes);
    }
    table_end(&t, out->table);
    fprintf(out->table, "\n");
}

static void give_all(struct output *out) {
    enum { MOST = 16 };
    char kinds[MOST][40];
    size_t n = 0;
    kf__callable op;
    for (size_t i = 0; kf__callable_at(i, &op); i++) {
        size_t k = 0;
        while (k < n && strcmp(kinds[k], op.kind) != 0) k++;
        if (k == n && n < MOST) snprintf(kinds[n++], sizeof kinds[0], "%s", op.kind);
    }
    for (size_t k = 0; k < n; k++) give_kind(kinds[k], out);
}

static kf_status find(const char *name, kf__callable *op, kf_error *err) {
    for (size_t i = 0; kf__callable_at(i, op); i++)
        if (strcmp(op->name, name) == 0) return KF_OK;
    kf_function *f = NULL; /* has the sentence for what is unknown or known elsewhere */
    KF_TRY(kf__parse(&kf__malloc, "", name, &f, err));
    snprintf(op->name, sizeof op->name, "%s", name); /* another name of something */
    op->kind = "alias";
    op->doc[0] = 0;
    size_t used = 0;
    op->signature[0] = 0;
    for (int i = 0; i < kf_function_input_count(f) && used < sizeof op->signature; i++)
        used += (size_t)snprintf(op->signature + used, sizeof op->signature - used, "%s%s%s",
                                 i ? ", " : "", kf_function_input_name(f, i),
                                 kf_function_input_optional(f, i) ? "=..." : "");
    kf_function_free(f);
    return KF_OK;
}

kf_status command_ops(const struct options *o, struct job *job, int *code, kf_error *err) {
    (void)job, (void)code;
    struct output out;
    kf__callable op;
    if (o->words.n == 1) KF_TRY(find(o->words.at[0], &op, err));
    if (o->words.n > 1)
        return kf__fail(err, KF_ERR_ARGUMENT, "write `kfuse ops` or `kfuse ops NAME`");
    KF_TRY(output_open(&out, o, err));
    if (out.json_file) json_open_array(&out.json, NULL);
    if (o->words.n) give_one(&op, &out);
    else give_all(&out);
    if (out.json_file) json_close(&out.json);
    return output_close(&out, o, KF_OK, err);
}
