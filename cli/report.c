/* Errors, tables and short numbers for people. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "ir/ops.h"

/* ---------------------------------------------------------------- errors */

/* The line that the error is in, tabs as single spaces, and a caret. Columns count characters. */
static void show_place(const kf_error *err, const char *text) {
    for (int line = 1; line < err->line && text; line++) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    if (!text) return;
    int n = (int)strcspn(text, "\r\n"), begin = 0, caret = err->column - 1;
    if (caret > n) caret = n;
    if (caret > 90) begin = caret - 60; /* a window of a long line */
    while (begin > 0 && ((unsigned char)text[begin] & 0xc0) == 0x80) begin--;
    int shown = n - begin > 110 ? 110 : n - begin;
    fprintf(stderr, "  ");
    for (int i = begin; i < begin + shown; i++) fputc(text[i] == '\t' ? ' ' : text[i], stderr);
    fprintf(stderr, "\n  ");
    for (int i = begin; i < caret; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) fputc(' ', stderr);
    fprintf(stderr, "^\n");
}

void report_error(const kf_error *err, const char *text, const char *name) {
    const char *message = err->message[0] ? err->message : kf_status_text(err->status);
    bool placed = err->line > 0 && text;
    if (placed && name)
        fprintf(stderr, "kfuse: %s:%d:%d: %s\n", name, err->line, err->column, message);
    else if (placed)
        fprintf(stderr, "kfuse: line %d, column %d: %s\n", err->line, err->column, message);
    else
        fprintf(stderr, "kfuse: %s\n", message);
    if (placed && !strchr(message, '\n')) show_place(err, text); /* else it shows it itself */
}

/* ---------------------------------------------------------------- short texts */

const char *report_shown(char *to, const char *text) {
    int n = snprintf(to, REPORT_SHOWN - 4, "%s", text);
    if (n >= REPORT_SHOWN - 4) strcat(to, "...");
    return to;
}

static const char *with_unit(char *to, double value, double step, const char *const *units,
                             size_t n) {
    size_t unit = 0;
    while (value >= step * 0.9995 && unit + 1 < n) {
        value /= step;
        unit++;
    }
    bool whole = unit == 0 && value == floor(value);
    int digits = value >= 99.95 || whole ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(to, REPORT_SHORT, "%.*f%s", digits, value, units[unit]);
    return to;
}

const char *report_bytes(char *to, double bytes) {
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB"};
    return with_unit(to, bytes, 1000, units, KF__COUNT(units));
}

const char *report_us(char *to, double us) {
    static const char *const units[] = {" us", " ms", " s"};
    return with_unit(to, us, 1000, units, KF__COUNT(units));
}

const char *report_count(char *to, double count) {
    static const char *const units[] = {"", "K", "M", "G", "T"};
    with_unit(to, count, 1000, units, KF__COUNT(units));
    char *dot = strchr(to, '.'); /* 1.00M is 1M */
    if (dot) {
        char *end = dot + strspn(dot, ".0123456789"), *keep = end;
        while (keep[-1] == '0') keep--;
        if (keep[-1] == '.') keep--;
        memmove(keep, end, strlen(end) + 1);
    }
    return to;
}

const char *report_dtype(kf_dtype dtype) {
    kf__dtype t;
    return kf__dtype_from_dlpack(dtype, &t) ? kf__types[t].name : "unknown";
}

void report_shape(kf__text *text, const kf_array *array) {
    kf__print(text, "(");
    for (int i = 0; i < array->ndim; i++)
        kf__print(text, "%s%lld", i ? ", " : "", (long long)array->shape[i]);
    kf__print(text, array->ndim == 1 ? ",)" : ")");
}

/* ---------------------------------------------------------------- tables */

void table_begin(struct table *t, const char *align) {
    *t = (struct table){.n_columns = (int)strlen(align), .align = align};
}

void table_cell(struct table *t, const char *format, ...) {
    char cell[600];
    va_list args;
    va_start(args, format);
    kf__vsnprintf(cell, sizeof cell, format, args);
    va_end(args);
    char *copy = strdup(cell);
    if (!copy || !KF__PUSH(&kf__malloc, &t->cells, copy)) {
        free(copy);
        t->failed = true;
    }
}

static int width_of(const char *cell) { /* in characters */
    int n = 0;
    for (; *cell; cell++) n += ((unsigned char)*cell & 0xc0) != 0x80;
    return n;
}

static void print_cell(FILE *to, const char *cell, int width, bool right, bool last) {
    int pad = width - width_of(cell);
    if (right) fprintf(to, "%*s", pad, "");
    fputs(cell, to);
    if (!right && !last) fprintf(to, "%*s", pad, "");
    fputs(last ? "\n" : "  ", to);
}

void table_end(struct table *t, FILE *to) {
    int *widths = calloc((size_t)t->n_columns + 1, sizeof *widths);
    uint32_t rows = t->cells.n / (uint32_t)t->n_columns;
    if (!widths) t->failed = true;
    for (uint32_t i = 0; widths && i < t->cells.n; i++) {
        int *width = &widths[i % (uint32_t)t->n_columns], needs = width_of(t->cells.at[i]);
        if (needs > *width) *width = needs;
    }
    for (uint32_t i = 0; widths && i < rows * (uint32_t)t->n_columns; i++) {
        int column = (int)(i % (uint32_t)t->n_columns);
        print_cell(to, t->cells.at[i], widths[column], t->align[column] == 'r',
                   column + 1 == t->n_columns);
    }
    if (t->failed) fprintf(to, "(out of memory: the table isn't whole)\n");
    for (uint32_t i = 0; i < t->cells.n; i++) free(t->cells.at[i]);
    KF__VEC_FREE(&kf__malloc, &t->cells);
    free(widths);
}
