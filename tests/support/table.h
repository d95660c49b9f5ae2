/* Tables in the docs, which tests compare with the code. */
#ifndef KFUSE_TESTS_TABLE_H
#define KFUSE_TESTS_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_LINE = 400, TABLE_CELLS = 24, TABLE_CELL = 40 };

typedef struct table_row {
    char line[TABLE_LINE];
    int n;
    char *cell[TABLE_CELLS]; /* without spaces and backticks around them */
} table_row;

/* "| a | b |" -> cells; false: no row of a table. */
bool table_read_row(FILE *file, table_row *out);

/* The file behind the line that begins with `mark`; NULL if there is none. Close it. */
FILE *table_open(const char *path, const char *mark);

/* docs/numerics.md's errors in ulp: what stands in an operation's row, by the column's name; as a
 * number. false: not there. */
bool table_ulp_cell(const char *op, const char *column, char out[TABLE_CELL]);
bool table_ulp(const char *op, const char *column, double *out);

/* Whether that was measured over all floats. */
bool table_ulp_of_all(const char *op);

#endif
