/* kfuse ops: everything that can be called. The dtypes are tried, not declared: a function takes
 * those for which it can be made. */
#include "commands.h"
#include "ir/ops.h"
#include "parse/parse.h"
#include "report.h"

/* What may stand for the arguments: arrays for those that have no default, or what a text gives. */
typedef struct trial {
    const char *arguments; /* of a text; NULL: those that have no default */
    int rank;              /* of arrays */
    bool number;           /* behind the first argument: an integer, not an array */
    int64_t integer;       /* its value */
} trial;

/* Can it be called with arrays of this dtype? */
static bool takes(const kf_function *f, kf__dtype dtype, const trial *t) {
    enum { MOST = 16 };
    kf_spec specs[MOST];
    int n = kf_function_input_count(f);
    if (n > MOST) return false;
    for (int i = 0; i < n; i++) {
        bool optional = kf_function_input_optional(f, i), number = t->number && i > 0;
        specs[i] = (kf_spec){.kind = optional ? KF_SPEC_DEFAULT
                                     : number ? KF_SPEC_INT : KF_SPEC_ARRAY,
                             .ndim = t->rank, .dtype = kf__types[dtype].dlpack,
                             .integer = t->integer};
    }
    kf_graph *graph = NULL;
    kf_status status = kf__instantiate(&kf__malloc, f, n, specs, KF_FUSED, &graph, NULL);
    kf_graph_free(graph);
    return status == KF_OK;
}

static unsigned dtypes_of(const char *name) {
    static const trial trials[] = {
        {NULL, 2, false, 0}, {NULL, 1, true, 0}, {NULL, 1, true, -1}, {NULL, 3, true, 1},
        {NULL, 4, true, 1}, {NULL, 5, true, 1}, {"x, f32", 2, false, 0}, {"(x, x)", 1, false, 0},
        {"x, 1", 3, false, 0}, {"x, 0, 1", 1, false, 0},
        {"x, (-1,)", 1, false, 0}, {"x, 0, (1, -1)", 1, false, 0}, {"x, x[0], x[0]", 2, false, 0},
        {"x, 0, cast(x, i64)", 1, false, 0}, {"x, (1, 1, 2, 2)", 3, false, 0},
        {"x, 1", 4, false, 0}, {"x, 1", 1, false, 0},
        {"x, stack((x[0], x[0]), -1)", 4, false, 0},
        {"x, (0, 1), (x[0], x[1])", 1, false, 0}, {"x, 0, cast(x, i64), x", 1, false, 0},
        {"x, 0, cast(x, i64), x, 'amax'", 1, false, 0}, {"x, (cast(x, i64),), x", 1, false, 0},
    };
    unsigned mask = 0;
    for (size_t k = 0; k < KF__COUNT(trials) && !mask; k++) {
        const trial *with = &trials[k];
        kf_function *f = NULL;
        char text[120] = "";
        if (with->arguments) snprintf(text, sizeof text, "%s(%s)", name, with->arguments);
        const char *def = with->arguments ? NULL : name;
        if (kf__parse(&kf__malloc, text, def, &f, NULL) != KF_OK) continue;
        for (int t = 0; t < KF__DTYPE_COUNT; t++)
            if (takes(f, (kf__dtype)t, with)) mask |= 1u << t;
        kf_function_free(f);
    }
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
    char signature[400];
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

static void give_other_names(const char *name, FILE *to) {
    for (size_t i = 0; kf__other_name(name, i); i++)
        fprintf(to, "%s%s", i ? ", " : "  other names: ", kf__other_name(name, i));
    if (kf__other_name(name, 0)) fputc('\n', to);
}

/* An operation's row of ops.def. */
static void give_formula(const char *name, FILE *to) {
    kf__opcode op;
    if (!kf__op_from_name(name, strlen(name), &op)) return;
    const kf__op_row *row = &kf__ops[op];
    if (row->float_code) fprintf(to, "  code for floats: %s\n", row->float_code);
    if (row->int_code) fprintf(to, "  code for integers: %s\n", row->int_code);
    if (row->float_code && row->ulp > 0) fprintf(to, "  error: at most %g ulp\n", row->ulp);
    if (row->gradient[0]) fprintf(to, "  gradient: %s\n", row->gradient);
}

static void give_source(const char *name, FILE *to) {
    const char *file = NULL;
    kf__text source;
    kf__text_init(&source, &kf__malloc);
    if (kf__composite_source(name, &source, &file) && source.at) {
        fprintf(to, "\n  source (%s):\n\n", file);
        for (const char *at = source.at; *at;) {
            int n = (int)strcspn(at, "\n");
            fprintf(to, n ? "    %.*s\n" : "%.*s\n", n, at);
            at += n + (at[n] == '\n');
        }
    }
    kf__text_free(&source);
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
    give_other_names(op->name, out->table);
    give_formula(op->name, out->table);
    give_source(op->name, out->table);
    if (out->json_file) json_op(&out->json, op, dtypes);
}

enum { PAGE = 100, DOC = 36 }; /* columns; where docs begin */

/* Words from column `at` on; further lines begin at `indent`. */
static void print_wrapped(FILE *to, const char *text, int at, int indent) {
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        bool fits = first || at + 1 + (int)n <= PAGE;
        if (!fits) fprintf(to, "\n%*s", indent, "");
        at = (fits ? at : indent) + fprintf(to, "%s%.*s", first || !fits ? "" : " ", (int)n, text);
        text += n + strspn(text + n, " ");
    }
}

static void give_kind(const char *kind, struct output *out) {
    kf__callable op = {0};
    fprintf(out->table, "%s\n", kind);
    while (kf__callable_next(&op)) {
        char line[1200], types[200] = "";
        if (strcmp(op.kind, kind) != 0) continue;
        unsigned dtypes = dtypes_of(op.name);
        kf__text text;
        kf__text_init(&text, &kf__malloc);
        describe(dtypes, &text);
        if (text.at && text.at[0] && strcmp(text.at, "all") != 0)
            snprintf(types, sizeof types, " [%s]", text.at);
        kf__text_free(&text);
        int at = snprintf(line, sizeof line, "%s(%s)", op.name, op.signature) + 2;
        fprintf(out->table, "  ");
        print_wrapped(out->table, line, 2, 2 + (int)strlen(op.name) + 1);
        if (at + 2 > DOC) fprintf(out->table, "\n%*s", DOC, "");
        else fprintf(out->table, "%*s", DOC - at, "");
        snprintf(line, sizeof line, "%s%s", op.doc, types);
        print_wrapped(out->table, line, DOC, DOC);
        fprintf(out->table, "\n");
        if (out->json_file) json_op(&out->json, &op, dtypes);
    }
    fprintf(out->table, "\n");
}

static void give_all(struct output *out) {
    enum { MOST = 16 };
    char kinds[MOST][40];
    size_t n = 0;
    kf__callable op = {0};
    while (kf__callable_next(&op)) {
        size_t k = 0;
        while (k < n && strcmp(kinds[k], op.kind) != 0) k++;
        if (k == n && n < MOST) snprintf(kinds[n++], sizeof kinds[0], "%s", op.kind);
    }
    for (size_t k = 0; k < n; k++) give_kind(kinds[k], out);
}

static kf_status find(const char *name, kf__callable *op, kf_error *err) {
    char own[KF__OWN_NAME];
    const char *plain = kf__name_of_module(name, own); /* np.exp: exp */
    if (plain && plain != own) name = plain;
    const char *real = kf__alias_of(name);
    for (*op = (kf__callable){0}; kf__callable_next(op);)
        if (strcmp(op->name, real ? real : name) == 0) return KF_OK;
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
