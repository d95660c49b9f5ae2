/* Reading what an earlier `kfuse bench --json` wrote (an array of objects, of which a few members
 * are kept), and what has changed since. */
#include <errno.h>
#include <stdlib.h>

#include "bench.h"
#include "report.h"

typedef struct reader {
    char *text;
    const char *at;
    bench_marks *marks;
    struct bench_mark mark;
    bool failed;
} reader;

static void spaces(reader *r) {
    r->at += strspn(r->at, " \t\r\n");
}

static bool accept(reader *r, char c) {
    spaces(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static void expect(reader *r, char c) {
    if (!accept(r, c)) r->failed = true;
}

/* A string, cut to what fits; of escapes only what bench writes for names. */
static void read_string(reader *r, char *to, size_t size) {
    size_t n = 0;
    expect(r, '"');
    while (!r->failed && *r->at && *r->at != '"') {
        if (*r->at == '\\' && r->at[1]) r->at++;
        if (n + 1 < size) to[n++] = *r->at;
        r->at++;
    }
    if (size) to[n] = 0;
    expect(r, '"');
}

static void read_value(reader *r, int depth, const char *key);

static void read_member(reader *r, int depth, const char *parent) {
    char key[40], *to = NULL;
    size_t size = 0;
    read_string(r, key, sizeof key);
    expect(r, ':');
    spaces(r);
    struct bench_mark *mark = &r->mark;
    if (depth == 2 && strcmp(key, "case") == 0) to = mark->name, size = sizeof mark->name;
    if (depth == 2 && strcmp(key, "size") == 0) to = mark->size, size = sizeof mark->size;
    if (depth == 2 && strcmp(key, "device") == 0) to = mark->device, size = sizeof mark->device;
    if (depth == 2 && strcmp(key, "machine") == 0) to = mark->machine, size = sizeof mark->machine;
    if (depth == 2 && strcmp(key, "variant") == 0) to = mark->variant, size = sizeof mark->variant;
    if (depth == 2 && strcmp(key, "regime") == 0) to = mark->regime, size = sizeof mark->regime;
    double *number = NULL;
    if (depth == 3 && strcmp(parent, "us") == 0 && strcmp(key, "median") == 0) number = &mark->us;
    if (depth == 2 && strcmp(key, "share_of_limit") == 0) number = &mark->share;
    if (to && *r->at == '"') {
        read_string(r, to, size);
    } else if (number) {
        size_t n = strcspn(r->at, ",}] \r\n");
        if (!kf__parse_double(r->at, n, number)) r->failed = true;
        r->at += n;
    } else {
        read_value(r, depth, key);
    }
}

static void read_value(reader *r, int depth, const char *key) {
    if (depth > 16) r->failed = true;
    if (r->failed) return;
    if (accept(r, '{')) {
        if (depth == 1) r->mark = (struct bench_mark){0};
        for (bool first = true; !r->failed && !accept(r, '}'); first = false) {
            if (!first) expect(r, ',');
            read_member(r, depth + 1, key);
        }
        if (depth == 1 && !r->failed && !KF__PUSH(&kf__malloc, r->marks, r->mark)) r->failed = true;
    } else if (accept(r, '[')) {
        for (bool first = true; !r->failed && !accept(r, ']'); first = false) {
            if (!first) expect(r, ',');
            read_value(r, depth + 1, key);
        }
    } else if (*r->at == '"') {
        read_string(r, NULL, 0);
    } else {
        size_t n = strcspn(r->at, ",}] \r\n\t");
        if (n == 0) r->failed = true;
        r->at += n;
    }
}

static kf_status read_text(reader *r, const char *path, kf_error *err) {
    enum { MOST = 64 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) return kf__fail(err, KF_ERR_IO, "can't open '%s': %s", path, strerror(errno));
    r->text = malloc(MOST + 1);
    size_t n = r->text ? fread(r->text, 1, MOST, file) : 0;
    fclose(file);
    if (!r->text) return kf__out_of_memory(err);
    r->text[n] = 0;
    r->at = r->text;
    read_value(r, 0, "");
    if (r->failed || r->marks->n == 0)
        return kf__fail(err, KF_ERR_IO, "'%s' isn't what `kfuse bench --json` writes", path);
    return KF_OK;
}

kf_status bench_marks_read(const char *path, bench_marks *marks, kf_error *err) {
    reader r = {.marks = marks};
    kf_status status = read_text(&r, path, err);
    free(r.text);
    return status;
}

kf_status bench_marks_of(const bench_rows *rows, bench_marks *marks, kf_error *err) {
    static const char *const variants[] = {"fused", "unfused"};
    for (uint32_t i = 0; i < 2 * rows->n; i++) {
        const struct bench_row *row = rows->at[i / 2];
        struct bench_mark mark = {.us = row->timing[i % 2].median,
                                  .share = row->gbs[i % 2] / row->limit_gbs};
        snprintf(mark.name, sizeof mark.name, "%s", row->item->name);
        snprintf(mark.size, sizeof mark.size, "%s", row->item->size);
        snprintf(mark.device, sizeof mark.device, "%s", row->device);
        snprintf(mark.machine, sizeof mark.machine, "%s", row->machine);
        snprintf(mark.variant, sizeof mark.variant, "%s", variants[i % 2]);
        snprintf(mark.regime, sizeof mark.regime, "%s", row->warm ? "warm" : "cold");
        if (!KF__PUSH(&kf__malloc, marks, mark)) return kf__out_of_memory(err);
    }
    return KF_OK;
}

/* ---------------------------------------------------------------- comparing */

static const struct bench_mark *find(const bench_marks *marks, const struct bench_row *row) {
    for (uint32_t i = 0; i < marks->n; i++) {
        const struct bench_mark *old = &marks->at[i];
        if (strcmp(old->name, row->item->name) == 0 && strcmp(old->size, row->item->size) == 0 &&
            strcmp(old->device, row->device) == 0 && strcmp(old->variant, "fused") == 0 &&
            strcmp(old->regime, row->warm ? "warm" : "cold") == 0)
            return old;
    }
    return NULL;
}

static void print_change(FILE *to, const struct bench_mark *old, const struct bench_row *row) {
    char before[REPORT_SHORT], now[REPORT_SHORT];
    const struct timing *t = &row->timing[FUSED];
    double change = t->median / old->us - 1, noise = t->ci95 / old->us + 0.03;
    fprintf(to, "%-17s %-11s %-4s %9s -> %9s  %+6.1f%%  %s\n", row->item->name, row->item->size,
            row->warm ? "warm" : "cold", report_us(before, old->us), report_us(now, t->median),
            100 * change, change < -noise ? "faster" : change > noise ? "SLOWER" : "");
}

void bench_compare(FILE *to, const char *path, const bench_marks *old, const bench_rows *rows) {
    fprintf(to, "\nsince %s (fused, medians)\n", path);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct bench_mark *mark = find(old, rows->at[i]);
        if (mark) print_change(to, mark, rows->at[i]);
    }
}
