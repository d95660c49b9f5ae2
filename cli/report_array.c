/* Arrays as NumPy prints them: a long axis shows three items at either end, all numbers of an array
 * have one format, as wide as its widest. */
#include <math.h>
#include <stdlib.h>

#include "element.h"
#include "report.h"

enum { EDGE = 3, SHOW_ALL_UP_TO = 1000, LINE = 92 };

typedef struct printer {
    FILE *to;
    const kf_array *a;
    kf__dtype dtype;
    int size;        /* of an element in bytes */
    bool real;       /* a float */
    bool all;        /* few enough to show each */
    bool scientific; /* else fixed */
    int digits, width;
    int64_t strides[8];
    /* the first pass only looks */
    bool looking;
    double largest, smallest;
    int column;
} printer;

/* Significant digits that tell a float of the dtype from its neighbours, at most 8, as NumPy. */
static int precision(kf__dtype dtype) {
    static const int digits[KF__DTYPE_COUNT] = {
        [KF__F8E5M2] = 2, [KF__F8E4M3] = 3, [KF__BF16] = 3, [KF__F16] = 4};
    return digits[dtype] ? digits[dtype] : 8;
}

/* Digits behind the point that v needs, up to `most` significant ones. */
static int digits_needed(double v, bool scientific, int most) {
    char text[40];
    snprintf(text, sizeof text, "%.*e", most - 1, v);
    char *exponent = strchr(text, 'e'), *end = exponent;
    while (end[-1] == '0') end--;
    int digits = (int)(end - text) - (text[0] == '-') - 2; /* of the mantissa, behind the point */
    if (digits < 0) digits = 0;
    if (scientific) return digits;
    digits -= atoi(exponent + 1);
    return digits < 0 ? 0 : digits > 8 ? 8 : digits;
}

static void format(const printer *p, const char *at, char *to, size_t size) {
    int64_t i;
    double v = element_load(p->dtype, at, &i);
    if (p->dtype == KF__BOOL)
        snprintf(to, size, "%s", i ? "True" : "False");
    else if (!p->real)
        snprintf(to, size, "%lld", (long long)i);
    else if (isnan(v) || isinf(v))
        snprintf(to, size, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    else
        snprintf(to, size, p->scientific ? "%.*e" : "%.*f", p->digits, v);
}

/* The first pass: range and digits; the second knows the format. */
static void look(printer *p, const char *at) {
    int64_t i;
    double v = element_load(p->dtype, at, &i), size = fabs(v);
    if (p->real && isfinite(v) && v != 0) {
        if (size > p->largest) p->largest = size;
        if (size < p->smallest) p->smallest = size;
    }
}

static void measure(printer *p, const char *at) {
    int64_t i;
    char text[360];
    double v = element_load(p->dtype, at, &i);
    if (p->real && isfinite(v)) {
        int digits = digits_needed(v, p->scientific, precision(p->dtype));
        if (digits > p->digits) p->digits = digits;
    }
    format(p, at, text, sizeof text);
    int width = (int)strlen(text);
    if (width > p->width) p->width = width;
}

typedef void (*visit)(printer *p, const char *at);

static void visit_all(printer *p, int dim, const char *at, visit each) {
    if (dim == p->a->ndim) {
        each(p, at);
        return;
    }
    int64_t n = p->a->shape[dim];
    int64_t step = p->strides[dim] * p->size;
    for (int64_t i = 0; i < n; i++) {
        if (!p->all && n > 2 * EDGE && i == EDGE) i = n - EDGE;
        visit_all(p, dim + 1, at + i * step, each);
    }
}

static void print_item(printer *p, const char *at) {
    char text[360];
    format(p, at, text, sizeof text);
    p->column += fprintf(p->to, "%*s", p->width, text);
}

static void new_line(printer *p, int dim, int lines) {
    while (lines-- > 0) fputc('\n', p->to);
    p->column = fprintf(p->to, "%*s", dim + 1, "");
}

static void print_dim(printer *p, int dim, const char *at) {
    if (dim == p->a->ndim) {
        print_item(p, at);
        return;
    }
    int64_t n = p->a->shape[dim], step = p->strides[dim] * p->size;
    bool inner = dim + 1 == p->a->ndim;
    p->column += fprintf(p->to, "[");
    for (int64_t i = 0; i < n; i++) {
        bool skip = !p->all && n > 2 * EDGE && i == EDGE;
        if (i && !inner) new_line(p, dim, p->a->ndim - dim - 1);
        if (i && inner && p->column + p->width + 1 > LINE) new_line(p, dim, 1);
        else if (i && inner) p->column += fprintf(p->to, " ");
        if (skip) {
            p->column += fprintf(p->to, inner ? "... " : "...");
            i = n - EDGE;
            if (!inner) new_line(p, dim, p->a->ndim - dim - 1);
        }
        print_dim(p, dim + 1, at + i * step);
    }
    p->column += fprintf(p->to, "]");
}

void report_array(FILE *to, const kf_array *a) {
    printer p = {.to = to, .a = a, .smallest = INFINITY};
    if (!kf__dtype_from_dlpack(a->dtype, &p.dtype)) return;
    p.size = a->dtype.bits / 8;
    p.real = kf__is_float(p.dtype);
    int64_t count = 1;
    for (int i = a->ndim - 1; i >= 0; i--) {
        p.strides[i] = a->strides ? a->strides[i] : count;
        if (!kf__mul_ok(count, a->shape[i], &count)) count = INT64_MAX;
    }
    if (count == 0) { /* as NumPy prints it; the other sizes may be as large as they like */
        fputs("[]\n", to);
        return;
    }
    p.all = count <= SHOW_ALL_UP_TO;
    const char *first = (const char *)a->data + a->byte_offset;
    visit_all(&p, 0, first, look);
    p.scientific = p.largest >= 1e8 || (p.largest > 0 && p.smallest < 1e-4) ||
                   (p.largest > 0 && p.largest / p.smallest > 1e3 && p.smallest < 1e-3);
    visit_all(&p, 0, first, measure);
    p.width = 0; /* again, now that the digits are known */
    visit_all(&p, 0, first, measure);
    print_dim(&p, 0, first);
    fputc('\n', to);
}
