/* From the command line to what is measured: named cases at their sizes, or an expression. */
#include <stdlib.h>

#include "bench.h"
#include "parse/parse.h"

static const struct case_row {
    const char *name, *text, *inputs;
    int rank;
    const char *cpu_sizes, *gpu_sizes;
} cases[] = {
#define CASE(...) {__VA_ARGS__},
#include "cases.def"
#undef CASE
};

static const struct case_row *find_case(const char *name) {
    for (size_t i = 0; i < KF__COUNT(cases); i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    return NULL;
}

/* ---------------------------------------------------------------- sizes */

struct size {
    int n;
    int64_t at[8];
};

/* "4096x1024" or "50M", up to a comma. */
static kf_status read_size(const char **text, struct size *out, kf_error *err) {
    const char *at = *text;
    out->n = 0;
    do {
        const char *end = out->n < 8 ? recipe_size(at + (out->n > 0), &out->at[out->n]) : NULL;
        if (!end)
            return kf__fail(err, KF_ERR_ARGUMENT, "--sizes %s: write sizes as in 4096x1024,50M",
                            *text);
        out->n++;
        at = end;
    } while (*at == 'x');
    if (*at && *at != ',')
        return kf__fail(err, KF_ERR_ARGUMENT, "--sizes %s: write sizes as in 4096x1024,50M", *text);
    *text = at + (*at == ',');
    return KF_OK;
}

/* A case of rows gets rows. */
static void fit_size(struct size *size, int rank) {
    if (size->n >= rank) return;
    int64_t columns = size->at[0] < 1024 ? size->at[0] : 1024;
    size->at[1] = columns;
    size->at[0] = columns ? size->at[0] / columns : 0;
    size->n = 2;
}

static void print_size(kf__text *text, const struct size *size, bool reversed) {
    for (int i = 0; i < size->n; i++)
        kf__print(text, "%s%lld", i ? ", " : "",
                  (long long)size->at[reversed ? size->n - 1 - i : i]);
}

/* The label: as the user wrote it. */
static void label_size(char *to, size_t room, const char *begin, const char *end) {
    size_t n = (size_t)(end - begin);
    if (n && begin[n - 1] == ',') n--;
    snprintf(to, room, "%.*s", (int)n, begin);
}

/* ---------------------------------------------------------------- items */

static bool add_arg(struct bench_item *item, const char *arg, size_t n) {
    char *copy = strndup(arg, n);
    if (copy && KF__PUSH(&kf__malloc, &item->args, copy)) return true;
    free(copy);
    return false;
}

/* "x=randn(S);y=randn(T)" with the sizes put in. */
static bool fill_args(struct bench_item *item, const struct case_row *row,
                      const struct size *size) {
    kf__text text;
    kf__text_init(&text, &kf__malloc);
    for (const char *at = row->inputs; *at; at++) {
        if (*at == 'S' || *at == 'T') print_size(&text, size, *at == 'T');
        else kf__print_bytes(&text, at, 1);
    }
    bool ok = !text.failed;
    for (const char *at = text.at; ok && *at;) {
        size_t n = strcspn(at, ";");
        ok = add_arg(item, at, n);
        at += n + (at[n] == ';');
    }
    kf__text_free(&text);
    return ok;
}

static kf_status add_case(const struct case_row *row, const char *sizes, bench_items *items,
                          kf_error *err) {
    while (*sizes) {
        struct bench_item item = {.text = strdup(row->text)};
        struct size size;
        const char *begin = sizes;
        kf_status status = read_size(&sizes, &size, err);
        label_size(item.size, sizeof item.size, begin, sizes);
        snprintf(item.name, sizeof item.name, "%s", row->name);
        if (status == KF_OK) fit_size(&size, row->rank);
        bool ok = status == KF_OK && item.text && fill_args(&item, row, &size) &&
                  KF__PUSH(&kf__malloc, items, item);
        if (ok) continue;
        bench_items one = {.at = &item, .n = 1};
        for (uint32_t i = 0; i < item.args.n; i++) free((char *)one.at->args.at[i]);
        KF__VEC_FREE(&kf__malloc, &item.args);
        free(item.text);
        return status != KF_OK ? status : kf__out_of_memory(err);
    }
    return KF_OK;
}

static kf_status add_expression(const struct options *o, bench_items *items, kf_error *err) {
    const char *name = o->words.at[0];
    kf_function *f = NULL;
    if (o->words.n == 1 && !name[strcspn(name, "+-*/%&|^~<>=()[]., \n;")] &&
        kf__parse(&kf__malloc, "", name, &f, NULL) != KF_OK)
        return kf__fail(err, KF_ERR_NAME, "there is no case `%s`; `kfuse bench` alone runs them "
                        "all", name);
    kf_function_free(f);
    if (o->sizes)
        return kf__fail(err, KF_ERR_ARGUMENT, "--sizes is for named cases; an expression has the "
                        "sizes of its inputs");
    struct bench_item item = {.text = strdup(o->words.at[0])};
    snprintf(item.name, sizeof item.name, "%s", o->words.at[0]);
    if (strlen(o->words.at[0]) >= sizeof item.name) strcpy(item.name + sizeof item.name - 4, "...");
    bool ok = item.text != NULL;
    for (uint32_t i = 1; i < o->words.n && ok; i++)
        ok = add_arg(&item, o->words.at[i], strlen(o->words.at[i]));
    if (ok) ok = KF__PUSH(&kf__malloc, items, item);
    return ok ? KF_OK : kf__out_of_memory(err);
}

/* Words that are all names of cases, or none; else the first is an expression. */
kf_status bench_items_read(const struct options *o, bool cuda, bench_items *items, kf_error *err) {
    uint32_t n = o->words.n;
    for (size_t i = 0; n == 0 && i < KF__COUNT(cases); i++)
        KF_TRY(add_case(&cases[i], o->sizes ? o->sizes : cuda ? cases[i].gpu_sizes
                                                              : cases[i].cpu_sizes, items, err));
    if (n == 0) return KF_OK;
    bool arguments = n > 1 && strchr(o->words.at[1], '=') != NULL;
    if (arguments || !find_case(o->words.at[0])) {
        const char *names[KF__COUNT(cases)];
        for (size_t i = 0; i < KF__COUNT(cases); i++) names[i] = cases[i].name;
        const char *near = kf__nearest(o->words.at[0], strlen(o->words.at[0]), names,
                                       KF__COUNT(cases));
        if (n == 1 && near)
            return kf__fail(err, KF_ERR_NAME, "there is no case `%s`; did you mean `%s`?",
                            o->words.at[0], near);
        return add_expression(o, items, err);
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct case_row *row = find_case(o->words.at[i]);
        if (!row)
            return kf__fail(err, KF_ERR_NAME, "there is no case `%s`; `kfuse bench` alone runs "
                            "them all", o->words.at[i]);
        KF_TRY(add_case(row, o->sizes ? o->sizes : cuda ? row->gpu_sizes : row->cpu_sizes, items,
                        err));
    }
    return KF_OK;
}

void bench_items_free(bench_items *items) {
    for (uint32_t i = 0; i < items->n; i++) {
        struct bench_item *item = &items->at[i];
        for (uint32_t a = 0; a < item->args.n; a++) free((char *)item->args.at[a]);
        KF__VEC_FREE(&kf__malloc, &item->args);
        free(item->text);
    }
    KF__VEC_FREE(&kf__malloc, items);
}
