/* The plot, by gnuplot: for each measurement a bar of the share of the copy's bandwidth that the
 * fused program reaches, over the unfused one's, with the figures in columns beside:
 *
 *     case  size |==========================      |   97%   2.9x   1.02 ms
 *                |========                        |
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "compile/process.h"
#include "report.h"

#define FUSED_COLOR "#0f766e"
#define UNFUSED_COLOR "#cbd5e1"
#define TEXT_COLOR "#1e293b"
#define FAINT_COLOR "#64748b"
#define GRID_COLOR "#e2e8f0"

enum { WIDTH = 940, ROW = 34, TOP = 104, BOTTOM = 72, LEFT = 262, RIGHT = 226 };
static const double gap = 0.4; /* between cases, in rows */

/* A string for gnuplot's double quotes. */
static void quoted(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        if ((unsigned char)*text >= ' ') fputc(*text, to);
    }
    fputc('"', to);
}

/* A fused mark and the unfused one behind it. */
struct pair {
    const struct bench_mark *fused, *unfused;
};
typedef KF__VEC(struct pair) pairs;

static bool same_measurement(const struct bench_mark *a, const struct bench_mark *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->size, b->size) == 0 &&
           strcmp(a->regime, b->regime) == 0 && strcmp(a->device, b->device) == 0;
}

static bool find_pairs(const bench_marks *marks, pairs *rows) {
    for (uint32_t i = 0; i < marks->n; i++) {
        struct pair pair = {&marks->at[i], NULL};
        if (strcmp(pair.fused->variant, "fused") != 0) continue;
        for (uint32_t k = 0; k < marks->n; k++)
            if (strcmp(marks->at[k].variant, "unfused") == 0 &&
                same_measurement(pair.fused, &marks->at[k]))
                pair.unfused = &marks->at[k];
        if (pair.unfused && !KF__PUSH(&kf__malloc, rows, pair)) return false;
    }
    return true;
}

static bool same_case(const pairs *rows, uint32_t i) { /* as the row before */
    return i > 0 && strcmp(rows->at[i].fused->name, rows->at[i - 1].fused->name) == 0;
}

/* Where rows are, counted downwards. */
static double place(const pairs *rows, uint32_t row) {
    double y = 0.5;
    for (uint32_t i = 1; i <= row; i++) y += same_case(rows, i) ? 1 : 1 + gap;
    return y;
}

static double widest(const pairs *rows) {
    double most = 1;
    for (uint32_t i = 0; i < rows->n; i++) {
        if (rows->at[i].fused->share > most) most = rows->at[i].fused->share;
        if (rows->at[i].unfused->share > most) most = rows->at[i].unfused->share;
    }
    return most * 101.5;
}

/* Text beside the bars, x pixels right of the plot's left edge (negative: left of it). */
static void label(FILE *to, double x, double y, const char *align, const char *color, bool bold,
                  const char *text) {
    double width = WIDTH - LEFT - RIGHT;
    fputs("set label ", to);
    quoted(to, text);
    fprintf(to, " at graph %.5f, first %.3f %s noenhanced textcolor rgb '%s'%s\n", x / width, y,
            align, color, bold ? " font ':Bold'" : "");
}

static void print_row(FILE *to, const pairs *rows, uint32_t i) {
    const struct bench_mark *mark = rows->at[i].fused;
    double y = place(rows, i), right = WIDTH - LEFT - RIGHT;
    char text[80], us[REPORT_SHORT];
    if (!same_case(rows, i)) label(to, 24 - LEFT, y, "left", TEXT_COLOR, false, mark->name);
    bool warm = strcmp(mark->regime, "warm") == 0;
    snprintf(text, sizeof text, "%s%s", mark->size, warm ? " warm" : "");
    label(to, -10, y, "right", FAINT_COLOR, false, text);
    snprintf(text, sizeof text, "%.0f%%", 100 * mark->share);
    label(to, right + 56, y, "right", FUSED_COLOR, true, text);
    snprintf(text, sizeof text, "%.2f×", rows->at[i].unfused->us / mark->us);
    label(to, right + 122, y, "right", TEXT_COLOR, false, text);
    label(to, right + 200, y, "right", FAINT_COLOR, false, report_us(us, mark->us));
}

/* gnuplot's own key would stand in two rows. */
static void print_key(FILE *to, double height, int x, const char *color, const char *text) {
    double y = 20 / height;
    fprintf(to, "set object rectangle from screen %.5f,%.5f to screen %.5f,%.5f fs solid 1 "
                "noborder fc rgb '%s'\n", (double)x / WIDTH, y - 5 / height, (x + 18.0) / WIDTH,
            y + 5 / height, color);
    fprintf(to, "set label '%s' at screen %.5f,%.5f textcolor rgb '%s'\n", text,
            (x + 25.0) / WIDTH, y, FAINT_COLOR);
}

static void print_frame(FILE *to, const pairs *rows) {
    double rows_high = place(rows, rows->n - 1) + 0.5, right = WIDTH - LEFT - RIGHT;
    double height = TOP + BOTTOM + ROW * rows_high;
    fprintf(to, "set terminal svg size %d,%.0f dynamic background '#ffffff' "
                "font 'Inter,Helvetica,Arial,sans-serif,13'\nset encoding utf8\n", WIDTH, height);
    fprintf(to, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
                "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", (double)LEFT / WIDTH,
            1 - (double)RIGHT / WIDTH, 1 - TOP / height, BOTTOM / height);
    fprintf(to, "set border 0\nunset key\nunset ytics\nset xtics nomirror scale 0 0,25,100 "
                "format '%%g%%%%' textcolor rgb '%s'\nset xrange [0:%.2f]\nset yrange [%.3f:0]\n",
            FAINT_COLOR, widest(rows), rows_high);
    fprintf(to, "set label 'Share of the copy''s bandwidth' at screen %.4f,%.5f font ':Bold,19' "
                "textcolor rgb '%s'\n", 24.0 / WIDTH, 1 - 34 / height, TEXT_COLOR);
    const struct bench_mark *mark = rows->at[0].fused;
    char text[160];
    snprintf(text, sizeof text, "%s: bytes that must be moved, per second, against the best copy "
             "of as many", mark->machine[0] ? mark->machine : mark->device);
    fputs("set label ", to);
    quoted(to, text);
    fprintf(to, " at screen %.4f,%.5f noenhanced textcolor rgb '%s'\n", 24.0 / WIDTH,
            1 - 60 / height, FAINT_COLOR);
    print_key(to, height, LEFT, FUSED_COLOR, "fused");
    print_key(to, height, LEFT + 80, UNFUSED_COLOR, "one kernel for each operator or call");
    double top = -0.55;
    label(to, right + 56, top, "right", FAINT_COLOR, false, "share");
    label(to, right + 122, top, "right", FAINT_COLOR, false, "faster");
    label(to, right + 200, top, "right", FAINT_COLOR, false, "time");
    for (int x = 0; x <= 100; x += 25)
        fprintf(to, "set arrow from %d,graph 0 to %d,graph 1 nohead %s lc rgb '%s' lw %s\n", x, x,
                x == 100 ? "front" : "back", x == 100 ? TEXT_COLOR : GRID_COLOR,
                x == 100 ? "1.2 dt (4,4)" : "1");
    fprintf(to, "set label 'copy' at first 100,first %.2f center textcolor rgb '%s'\n", top,
            TEXT_COLOR);
}

static void print_script(FILE *to, const pairs *rows) {
    print_frame(to, rows);
    for (uint32_t i = 0; i < rows->n; i++) print_row(to, rows, i);
    fputs("$bars << EOD\n", to);
    for (uint32_t i = 0; i < rows->n; i++)
        fprintf(to, "%.3f %.2f %.2f\n", place(rows, i), 100 * rows->at[i].fused->share,
                100 * rows->at[i].unfused->share);
    fprintf(to, "EOD\nplot $bars using (0):1:(0):2:($1-0.34):($1+0.04) with boxxyerror fs solid 1 "
                "noborder lc rgb '%s' notitle, \\\n"
                "  '' using (0):1:(0):3:($1+0.08):($1+0.34) with boxxyerror fs solid 1 noborder "
                "lc rgb '%s' notitle\n", FUSED_COLOR,
            UNFUSED_COLOR);
}

/* ---------------------------------------------------------------- gnuplot, and the file */

/* What gnuplot prints for a script; its exit code. In a UTF-8 locale: in the C locale it warns that
 * it has no degree sign. */
static bool run_gnuplot(const char *gnuplot, const kf__text *script, bool errors, kf__text *printed,
                        int *code) {
    char *argv[] = {"/bin/sh", "-c", errors ? "LC_ALL=C.UTF-8 exec \"$0\" 2>&1 >/dev/null"
                                            : "LC_ALL=C.UTF-8 exec \"$0\" 2>/dev/null",
                    (char *)gnuplot, NULL};
    int input = kf__nameless_file(script->at, script->n), output = kf__nameless_file("", 0);
    struct stat info;
    char *bytes = NULL;
    bool ran = input >= 0 && output >= 0 &&
               kf__run_process(&kf__malloc, argv, kf__temporary_folder(0), input, output, NULL,
                               code) &&
               fstat(output, &info) == 0 && (bytes = malloc((size_t)info.st_size + 1)) &&
               kf__read_all(output, bytes, (size_t)info.st_size);
    if (ran) kf__print_bytes(printed, bytes, (size_t)info.st_size);
    free(bytes);
    if (input >= 0) close(input);
    if (output >= 0) close(output);
    return ran && !printed->failed;
}

/* gnuplot's sentence: "gnuplot> set foo bar / ^ / line 3: unrecognized option". */
static kf_status gnuplot_failed(const char *gnuplot, const kf__text *script, const char *path,
                                kf_error *err) {
    kf__text said;
    int code = 0;
    kf__text_init(&said, &kf__malloc);
    bool ran = run_gnuplot(gnuplot, script, true, &said, &code);
    char *last = ran && said.at ? said.at + said.n : NULL;
    while (last && last > said.at && last[-1] == '\n') *--last = 0;
    while (last && last > said.at && last[-1] != '\n') last--;
    last = last ? last + strspn(last, " ") : NULL;
    kf_status status = kf__fail(err, KF_ERR_IO, "gnuplot couldn't draw '%s'%s%s", path,
                                last && *last ? ": " : "", last ? last : "");
    kf__text_free(&said);
    return status;
}

static kf_status write_plot(const char *path, const kf__text *svg, kf_error *err) {
    struct stat info;
    FILE *file = fopen(path, "wb");
    if (!file) return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
    bool written = fwrite(svg->at, 1, svg->n, file) == svg->n;
    bool regular = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
    if (fclose(file) == 0 && written) return KF_OK;
    kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
    if (regular) remove(path);
    return KF_ERR_IO;
}

static kf_status draw(const char *path, const pairs *rows, kf_error *err) {
    char *memory = NULL, *gnuplot = find_program("gnuplot");
    kf__text script = {0}, svg;
    FILE *to = open_memstream(&memory, &script.n);
    kf__text_init(&svg, &kf__malloc);
    if (to) print_script(to, rows);
    bool whole = to && fclose(to) == 0;
    script.at = memory;
    int code = 0;
    kf_status status = !whole ? kf__out_of_memory(err) : KF_OK;
    if (status == KF_OK && !(gnuplot && run_gnuplot(gnuplot, &script, false, &svg, &code)))
        status = kf__fail(err, KF_ERR_IO, "gnuplot can't be started");
    if (status == KF_OK)
        status = code || !svg.n ? gnuplot_failed(gnuplot, &script, path, err)
                                : write_plot(path, &svg, err);
    kf__text_free(&svg);
    free(memory);
    free(gnuplot);
    return status;
}

kf_status bench_plot_check(const char *path, kf_error *err) {
    struct stat info;
    char *gnuplot = find_program("gnuplot");
    free(gnuplot);
    if (!gnuplot)
        return kf__fail(err, KF_ERR_IO, "--plot needs gnuplot, which isn't on the PATH (Debian: "
                        "apt install gnuplot-nox)");
    bool there = stat(path, &info) == 0;
    if (there && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return KF_OK;
    FILE *file = fopen(path, "ab");
    if (!file) return kf__fail(err, KF_ERR_IO, "can't write '%s': %s", path, strerror(errno));
    fclose(file);
    if (!there) remove(path);
    return KF_OK;
}

kf_status bench_plot(const char *path, const bench_marks *marks, kf_error *err) {
    pairs rows = {0};
    kf_status status = find_pairs(marks, &rows) ? KF_OK : kf__out_of_memory(err);
    if (status == KF_OK && rows.n == 0)
        status = kf__fail(err, KF_ERR_ARGUMENT, "there is nothing to plot: no case was measured "
                          "both fused and unfused");
    if (status == KF_OK) status = draw(path, &rows, err);
    KF__VEC_FREE(&kf__malloc, &rows);
    return status;
}
