/* A measurement as a row of the table and as JSON. */
#include <math.h>

#include "bench.h"
#include "report.h"

static const char *const names[] = {"fused", "unfused"};

void bench_print_heading(FILE *to, const struct options *o, const char *device) {
    fprintf(to, "%s; cold: each run takes other buffers, together beyond the caches%s\n", device,
            o->warm ? "; warm: always the same" : "");
    fprintf(to, "GB/s and share: of the fewest bytes (inputs and results once) against the best "
                "copy of as many\n\n");
    fprintf(to, "%-17s %-11s %-4s %9s %6s %7s %6s %6s %9s %7s %7s %8s %8s\n", "case", "size", "",
            "median", "+-", "GB/s", "copy", "share", "unfused", "faster", "kernels", "saved",
            "max ulp");
}

static const char *kernels_text(char *to, const struct bench_row *row) {
    snprintf(to, REPORT_SHORT, "%lld/%lld", (long long)row->kernels[FUSED],
             (long long)row->kernels[UNFUSED]);
    return to;
}

void bench_print_row(FILE *to, const struct bench_row *row) {
    char median[REPORT_SHORT], unfused[REPORT_SHORT], saved[REPORT_SHORT], spread[REPORT_SHORT];
    char kernels[REPORT_SHORT], ulp[REPORT_SHORT] = "-", label[48];
    const struct timing *t = row->timing;
    const struct bench_errors *e = &row->errors;
    snprintf(spread, sizeof spread, "%.0f%%", 100 * t[FUSED].std / t[FUSED].mean);
    if (e->checked) snprintf(ulp, sizeof ulp, "%.3g", e->stats[FUSED].ulp_max);
    snprintf(label, sizeof label, "%s", row->item->name);
    if (strlen(label) > 17) strcpy(label + 14, "...");
    int64_t less = row->temp_bytes[UNFUSED] - row->temp_bytes[FUSED];
    fprintf(to, "%-17s %-11s %-4s %9s %6s %7.2f %6.2f %5.0f%% %9s %6.2fx %7s %8s %8s%s\n", label,
            row->item->size, row->warm ? "warm" : "cold", report_us(median, t[FUSED].median),
            spread, row->gbs[FUSED], row->limit_gbs, 100 * row->gbs[FUSED] / row->limit_gbs,
            report_us(unfused, t[UNFUSED].median), t[UNFUSED].median / t[FUSED].median,
            kernels_text(kernels, row), report_bytes(saved, (double)less), ulp,
            !e->agree || (e->checked && !e->ok) ? "  WRONG" : e->checked ? "" : "  *");
    if (e->checked && !e->ok)
        fprintf(to, "  WRONG: beyond the oracle's tolerance: %lld of %lld elements\n",
                (long long)(e->stats[FUSED].wrong + e->stats[UNFUSED].wrong),
                (long long)e->stats[FUSED].count);
    if (!e->agree)
        fprintf(to, "  WRONG: fused and unfused differ by %.3g of the results\n",
                e->difference);
    if (e->trouble[0]) fprintf(to, "  * %s\n", e->trouble);
}

/* ---------------------------------------------------------------- JSON */

static void json_times(struct json *j, const struct timing *t) {
    json_open_object(j, "us");
    json_double(j, "median", t->median);
    json_double(j, "mean", t->mean);
    json_double(j, "std", t->std);
    json_double(j, "min", t->min);
    json_double(j, "ci95", t->ci95);
    json_close(j);
}

static void json_errors(struct json *j, const struct bench_errors *e, int variant) {
    const kf__compare_stats *s = &e->stats[variant];
    if (!e->checked) {
        json_null(j, "err");
        return;
    }
    json_open_object(j, "err");
    json_double(j, "abs", s->abs);
    json_double(j, "rel", s->rel);
    json_open_object(j, "ulp");
    json_double(j, "median", s->ulp_median);
    json_double(j, "p90", s->ulp_p90);
    json_double(j, "p99", s->ulp_p99);
    json_double(j, "max", s->ulp_max);
    json_close(j);
    json_close(j);
}

static void json_variant(struct json *j, const struct bench_row *row, int variant) {
    const struct timing *t = row->timing;
    json_open_object(j, NULL);
    json_string(j, "case", row->item->name);
    json_string(j, "size", row->item->size);
    json_string(j, "device", row->device);
    json_string(j, "machine", row->machine);
    json_string(j, "variant", names[variant]);
    json_string(j, "regime", row->warm ? "warm" : "cold");
    json_int(j, "elements", row->elements);
    json_int(j, "bytes", row->bytes);
    json_times(j, &t[variant]);
    json_double(j, "gbs", row->gbs[variant]);
    json_double(j, "limit_gbs", row->limit_gbs);
    json_double(j, "share_of_limit", row->gbs[variant] / row->limit_gbs);
    json_double(j, "spec_gbs", row->spec_gbs > 0 ? row->spec_gbs : NAN);
    json_double(j, "predicted_us", row->predicted_us[variant]);
    json_double(j, "speedup_vs_unfused", t[UNFUSED].median / t[variant].median);
    json_double(j, "compile_ms", variant == FUSED ? row->compile_ms : NAN);
    json_int(j, "kernels", row->kernels[variant]);
    json_int(j, "bytes_fused", row->bytes_of[FUSED]);
    json_int(j, "bytes_unfused", row->bytes_of[UNFUSED]);
    json_int(j, "temp_bytes", row->temp_bytes[variant]);
    json_bool(j, "ok", row->errors.agree && (row->errors.ok || !row->errors.checked));
    json_errors(j, &row->errors, variant);
    json_close(j);
}

void bench_json_row(struct json *j, const struct bench_row *row) {
    json_variant(j, row, FUSED);
    json_variant(j, row, UNFUSED);
}
