/* What people see: tables, arrays, errors with a caret. */
#ifndef KFUSE_CLI_REPORT_H
#define KFUSE_CLI_REPORT_H

#include <stdio.h>

#include "base/base.h"

/* `kfuse: sentence` on standard error; where the error has a place, with the line of `text` that it
 * is in and a caret under it. `name` is the file's, NULL for text from the command line. */
/* The beginning of a long text, for a message. */
enum { REPORT_SHOWN = 88 };
const char *report_shown(char *to, const char *text);

void report_error(const kf_error *err, const char *text, const char *name);

/* As NumPy prints an array: nested brackets, at most three items at either end of a long axis. */
void report_array(FILE *to, const kf_array *array);
/* "(4096, 1024)", into a text. */
void report_shape(kf__text *text, const kf_array *array);
const char *report_dtype(kf_dtype dtype);

/* "1.50 GB", "320 us": into `to`, which has 24 characters; returns it. */
enum { REPORT_SHORT = 24 };
const char *report_bytes(char *to, double bytes);
const char *report_us(char *to, double us);
const char *report_count(char *to, double count); /* "50M" */

/* A table whose columns are as wide as their cells. Rows of `n_columns` strings that are copied; a
 * column is right-aligned where its letter in `align` is 'r'. */
struct table {
    int n_columns;
    const char *align; /* "llr" */
    KF__VEC(char *) cells;
    bool failed;
};
void table_begin(struct table *t, const char *align);
void table_cell(struct table *t, const char *format, ...) KF__PRINTF(2, 3);
/* Print with the first row as the heading, and free. */
void table_end(struct table *t, FILE *to);

#endif
