/* Tables of what has run, and the pairs that haven't. */
#include "coverage.h"

#include <stdio.h>

static int64_t different_cells(const fz_cells *cells) {
    const uint32_t *count = &(*cells)[0][0][0][0][0];
    int64_t different = 0;
    for (size_t n = sizeof *cells / sizeof *count; n-- > 0; count++) different += *count > 0;
    return different;
}

/* "1234", "56k", "7M", "-" for what can't be, "EMPTY" for what should be. */
static void put_count(int64_t n, const char *impossible) {
    char text[24];
    if (n >= 10000000) snprintf(text, sizeof text, "%lldM", (long long)(n / 1000000));
    else if (n >= 10000) snprintf(text, sizeof text, "%lldk", (long long)(n / 1000));
    else snprintf(text, sizeof text, "%lld", (long long)n);
    printf(" %6s", n ? text : impossible ? "-" : "EMPTY");
}

static bool is_pointless(int axis, int i) { /* a column with nothing but "-" */
    return axis == FZ_AXIS_CUT && fz_impossible(FZ_AXIS_OPERATION, 0, axis, i);
}

static void put_table(const fz_pairs *p, int a, int b) {
    printf("\n%-20s", fz_axes[a].name);
    for (int j = 0; j < fz_axes[b].n; j++)
        if (!is_pointless(b, j)) printf(" %6.*s", 6, fz_cell_name(b, j));
    printf("\n");
    for (int i = 0; i < fz_axes[a].n; i++) {
        printf("%-20s", fz_cell_name(a, i));
        for (int j = 0; j < fz_axes[b].n; j++)
            if (!is_pointless(b, j))
                put_count(p->at[a][b][i][j], fz_impossible(a, i, b, j));
        printf("\n");
    }
}

typedef struct totals {
    int possible, seen, wrong;
} totals;

/* Lists what is empty, or was declared impossible and isn't; or only counts. */
static totals look_at_pairs(const fz_pairs *p, bool print) {
    totals t = {0};
    for (int a = 0; a < FZ_AXES; a++)
        for (int b = a + 1; b < FZ_AXES; b++)
            for (int i = 0; i < fz_axes[a].n; i++)
                for (int j = 0; j < fz_axes[b].n; j++) {
                    const char *why = fz_impossible(a, i, b, j);
                    bool seen = p->at[a][b][i][j] > 0, probed = a == FZ_AXIS_OPERATION &&
                                                               b == FZ_AXIS_TYPE;
                    t.possible += !why || (seen && probed);
                    t.seen += seen && (!why || probed);
                    t.wrong += seen && why && !probed;
                    if (!print || (why ? !seen || probed : seen)) continue;
                    printf("  %s %s x %s %s%s%s\n", fz_axes[a].name, fz_cell_name(a, i),
                           fz_axes[b].name, fz_cell_name(b, j), why ? ": seen, though " : "",
                           why ? why : "");
                }
    return t;
}

int fz_missing(const fz_pairs *p, bool print) {
    totals t = look_at_pairs(p, print);
    return t.possible - t.seen + t.wrong;
}

static int report_target(const fz_coverage *c, int target) {
    const fz_pairs *p = c->pairs[target];
    printf("\n==== %s: %lld graphs\n", fz_target_names[target], (long long)c->graphs[target]);
    for (int b = FZ_AXIS_TYPE; b < FZ_AXES; b++) put_table(p, FZ_AXIS_OPERATION, b);
    for (int a = FZ_AXIS_TYPE; a < FZ_AXES; a++)
        for (int b = a + 1; b < FZ_AXES; b++) put_table(p, a, b);
    totals t = look_at_pairs(p, false);
    printf("\n%s: %lld graphs; %lld different cells of operation x type x layout x kind x cut;\n"
           "%d of %d pairs that can be\n", fz_target_names[target], (long long)c->graphs[target],
           (long long)different_cells(c->target[target]), t.seen, t.possible);
    if (fz_missing(p, false)) printf("EMPTY, or wrong about what can be:\n");
    return fz_missing(p, true) > 0;
}

int fz_report(const fz_coverage *c) {
    int code = 2;
    for (int t = 0; t < FZ_TARGETS; t++) {
        if (!c->target[t] || !c->pairs[t]) continue;
        int failed = report_target(c, t);
        code = code == 2 ? failed : code | failed;
    }
    if (code == 2) printf("there is nothing to report\n");
    return code;
}
