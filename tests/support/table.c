#include "support/table.h"

#include <stdlib.h>
#include <string.h>

bool table_read_row(FILE *file, table_row *out) {
    out->n = 0;
    if (!fgets(out->line, sizeof out->line, file) || out->line[0] != '|') return false;
    for (char *at = strtok(out->line, "|\n"); at && out->n < TABLE_CELLS;
         at = strtok(NULL, "|\n")) {
        at += strspn(at, " `");
        for (char *end = strchr(at, 0); end > at && strchr(" `", end[-1]);) *--end = 0;
        out->cell[out->n++] = at;
    }
    return true;
}

FILE *table_open(const char *path, const char *mark) {
    char line[TABLE_LINE];
    FILE *file = fopen(path, "r");
    while (file)
        if (!fgets(line, sizeof line, file)) {
            fclose(file);
            return NULL;
        } else if (strncmp(line, mark, strlen(mark)) == 0) {
            return file;
        }
    return NULL;
}

bool table_ulp_cell(const char *op, const char *column, char out[TABLE_CELL]) {
    table_row head, row;
    int at = -1;
    FILE *file = table_open(KFUSE_SOURCE_DIR "/docs/numerics.md", "<!-- ulp -->");
    if (!file) return false;
    if (table_read_row(file, &head))
        for (int k = 0; k < head.n; k++)
            if (!strcmp(head.cell[k], column)) at = k;
    bool found = false;
    while (at > 0 && !found && table_read_row(file, &row))
        found = row.n > at && !strcmp(row.cell[0], op);
    if (found) snprintf(out, TABLE_CELL, "%s", row.cell[at]);
    fclose(file);
    return found;
}

bool table_ulp(const char *op, const char *column, double *out) {
    char text[TABLE_CELL];
    if (!table_ulp_cell(op, column, text)) return false;
    *out = atof(text);
    return true;
}

bool table_ulp_of_all(const char *op) {
    char text[TABLE_CELL];
    return table_ulp_cell(op, "f32 over", text) && !strcmp(text, "all 2^32");
}
