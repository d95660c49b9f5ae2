/* Arrays by expression.
 *
 *     recipe: NAME "(" [item {"," item}] ")"
 *     item: size | number | "(" size {"," size} ")" | "dtype" "=" NAME | "seed" "=" INT
 *
 * Sizes may end in K, M or G (thousands); those of a shape may be joined by x: rand(4Kx1K). What
 * was written as an integer stays one of 64 bits. */
#include "recipe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "ir/ops.h"
#include "report.h"

static const struct {
    const char *name;
    enum recipe_kind kind;
} kinds[] = {
    {"randn", RECIPE_RANDN}, {"rand", RECIPE_RAND}, {"randint", RECIPE_RANDINT},
    {"arange", RECIPE_ARANGE},
    {"ones", RECIPE_ONES},   {"zeros", RECIPE_ZEROS}, {"full", RECIPE_FULL},
};

typedef struct reader {
    const char *text, *at, *name;
    kf_error *err;
    struct recipe *out;
    struct recipe_number numbers[9]; /* positional ones, sizes included */
    int joined;                      /* how many of them, from the first on, may be part of 4x5 */
    int n_numbers, n_tuple; /* n_tuple: how many stood in a tuple; -1: there was none */
    bool has_dtype, has_seed, has_stream;
} reader;

static kf_status fail(const reader *r, const char *what) {
    char shown[REPORT_SHOWN];
    return kf__fail(r->err, KF_ERR_ARGUMENT, "%s=%s: %s", r->name, report_shown(shown, r->text),
                    what);
}

static void spaces(reader *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool accept(reader *r, char c) {
    spaces(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

bool recipe_looks_like(const char *text) {
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.') n++;
    return n > 0 && isalpha((unsigned char)text[0]) && text[n + strspn(text + n, " ")] == '(';
}

/* 2**27, whose 2 is at `text` */
static const char *power_of_two(const char *text, int64_t *out) {
    char *rest = NULL;
    long power = strtol(text + 3, &rest, 10);
    if (!isdigit((unsigned char)text[3]) || power > 62) return NULL;
    *out = (int64_t)1 << power;
    return rest;
}

const char *recipe_size(const char *text, int64_t *out) {
    size_t n = 0, kept = 0;
    char digits[40];
    while (isdigit((unsigned char)text[n]) || text[n] == '.' || text[n] == '_') n++;
    for (size_t i = 0; i < n && kept < sizeof digits; i++)
        if (text[i] != '_') digits[kept++] = text[i];
    if (!kept || kept == sizeof digits) return NULL;
    const char *end = text + n;
    int64_t scale = 1;
    if (*end == 'K' || *end == 'k') scale = 1000, end++;
    else if (*end == 'M') scale = 1000000, end++;
    else if (*end == 'G') scale = 1000000000, end++;
    else if (strncmp(text, "2**", 3) == 0) return power_of_two(text, out);
    if (kf__parse_int(digits, kept, out)) return kf__mul_ok(*out, scale, out) ? end : NULL;
    double value;
    if (!kf__parse_double(digits, kept, &value)) return NULL;
    value *= (double)scale;
    if (value != floor(value) || value > 0x1p53) return NULL;
    *out = (int64_t)value;
    return end;
}

/* ---------------------------------------------------------------- reading */

static kf_status add_number(reader *r, struct recipe_number number) {
    if (r->n_numbers == (int)KF__COUNT(r->numbers)) return fail(r, "more than 8 dimensions");
    r->numbers[r->n_numbers++] = number;
    return KF_OK;
}

static kf_status add_integer(reader *r, int64_t value) {
    return add_number(r, (struct recipe_number){true, value, (double)value});
}

/* 4096x1024. Not 0x10, which is 16. */
static bool is_joined(const char *text, size_t n) {
    const char *x = memchr(text, 'x', n);
    return x && !(x == text + 1 && *text == '0') && isdigit((unsigned char)*text);
}

static kf_status read_joined(reader *r, size_t n) {
    int first = r->out->kind == RECIPE_RANDINT ? 2 : 0;
    if (r->out->kind == RECIPE_ARANGE || r->n_numbers < first)
        return fail(r, "only the sizes of a shape are joined by x");
    const char *last = r->at + n;
    for (r->at--; r->at < last;) {
        int64_t size;
        const char *end = recipe_size(r->at + 1, &size);
        if (!end || (end != last && *end != 'x'))
            return fail(r, "expected sizes joined by x, as in 4096x1024");
        KF_TRY(add_integer(r, size));
        r->at = end;
    }
    r->joined = r->n_numbers;
    return KF_OK;
}

/* Digits only, with a sign at most: meant as an integer. */
static bool is_integer_text(const char *text, size_t n) {
    size_t sign = n > 0 && (*text == '-' || *text == '+');
    return n > sign && strspn(text + sign, "0123456789_") >= n - sign;
}

/* 0x10, 0o10, 0b10: no floats, of which C has some in hexadecimal. */
static bool has_prefix(const char *text, size_t n) {
    size_t sign = n > 0 && (*text == '-' || *text == '+');
    return n > sign + 1 && text[sign] == '0' && strchr("xXoObB", text[sign + 1]);
}

/* A size, several joined by x, or any other number. */
static kf_status read_number(reader *r) {
    spaces(r);
    size_t n = strcspn(r->at, ",) \t\n");
    if (is_joined(r->at, n)) return read_joined(r, n);
    struct recipe_number number = {0};
    const char *end = recipe_size(r->at, &number.integer);
    number.whole = (end && end == r->at + n && (end[-1] > '9' || !memchr(r->at, '.', n))) ||
                   kf__parse_int(r->at, n, &number.integer);
    number.value = (double)number.integer;
    if (!number.whole && is_integer_text(r->at, n))
        return fail(r, "an integer here doesn't fit in 64 bits");
    if (!number.whole &&
        (has_prefix(r->at, n) || !kf__parse_double(r->at, n, &number.value)))
        return fail(r, "expected sizes and numbers in the parentheses, as in randn(4096, 1024)");
    r->at += n;
    return add_number(r, number);
}

static kf_status read_tuple(reader *r) {
    int before = r->out->kind == RECIPE_RANDINT ? 2 : 0; /* numbers in front of the shape */
    if (r->n_numbers != before || r->n_tuple >= 0)
        return fail(r, before ? "the shape comes third, and once"
                              : "the shape comes first, and once");
    while (!accept(r, ')')) {
        if (r->n_numbers > before && !accept(r, ','))
            return fail(r, "expected `,` or `)` in the shape");
        if (accept(r, ')')) break;
        KF_TRY(read_number(r));
    }
    r->n_tuple = r->n_numbers - before;
    return KF_OK;
}

static kf_status read_dtype(reader *r, size_t n) {
    kf__dtype dtype;
    if (!kf__dtype_from_name(r->at, n, &dtype))
        return fail(r, "the dtype isn't one of f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u8 "
                       "bool");
    r->out->dtype = kf__types[dtype].dlpack;
    return KF_OK;
}

static kf_status read_keyword(reader *r, const char *key, size_t n) {
    struct {
        const char *name;
        bool *given;
        int64_t *number; /* NULL: the dtype */
    } keywords[] = {{"dtype", &r->has_dtype, NULL}, {"seed", &r->has_seed, &r->out->seed},
                    {"stream", &r->has_stream, &r->out->stream}};
    size_t k = 0, length = strcspn(r->at, ",) ");
    while (k < KF__COUNT(keywords) &&
           !(strlen(keywords[k].name) == n && memcmp(key, keywords[k].name, n) == 0))
        k++;
    char message[80];
    if (k == KF__COUNT(keywords)) return fail(r, "keywords are dtype=, seed= and stream=");
    if (*keywords[k].given) {
        snprintf(message, sizeof message, "%s= is given twice", keywords[k].name);
        return fail(r, message);
    }
    if (!keywords[k].number) {
        KF_TRY(read_dtype(r, length));
    } else if (!kf__parse_int(r->at, length, keywords[k].number)) {
        snprintf(message, sizeof message, is_integer_text(r->at, length)
                 ? "the %s doesn't fit in 64 bits: from -2^63 to 2^63 - 1"
                 : "the %s is an integer", keywords[k].name);
        return fail(r, message);
    }
    *keywords[k].given = true;
    r->at += length;
    return KF_OK;
}

static kf_status read_item(reader *r) {
    spaces(r);
    if (accept(r, '(')) return read_tuple(r);
    size_t n = 0;
    while (isalpha((unsigned char)r->at[n])) n++;
    size_t equals = n + strspn(r->at + n, " ");
    if (n && r->at[equals] == '=') {
        const char *key = r->at;
        r->at += equals + 1;
        spaces(r);
        return read_keyword(r, key, n);
    }
    return read_number(r);
}

/* ---------------------------------------------------------------- what the items mean */

static kf_status set_shape(reader *r, int n) {
    if (n > 8) return fail(r, "more than 8 dimensions");
    r->out->ndim = n;
    for (int i = 0; i < n; i++) {
        if (!r->numbers[i].whole || r->numbers[i].integer < 0)
            return fail(r, "sizes are integers from 0 on");
        r->out->shape[i] = r->numbers[i].integer;
    }
    return KF_OK;
}

/* Into an integer dtype a float goes by its integral part. Any number is a bool. */
static kf_status check_fits(const reader *r, struct recipe_number number) {
    kf__dtype dtype = KF__F32;
    char text[120];
    kf__dtype_from_dlpack(r->out->dtype, &dtype);
    if (kf__is_float(dtype) || dtype == KF__BOOL) return KF_OK;
    bool in_64_bits = number.value >= -0x1p63 && number.value < 0x1p63;
    if (number.whole ? kf__fits(dtype, number.integer)
                     : in_64_bits && kf__fits(dtype, (int64_t)number.value))
        return KF_OK;
    if (number.whole)
        snprintf(text, sizeof text, "%lld doesn't fit %s", (long long)number.integer,
                 kf__types[dtype].name);
    else
        snprintf(text, sizeof text, "%g doesn't fit %s", number.value, kf__types[dtype].name);
    return fail(r, text);
}

/* ceil((stop - start) / step) of integers, which may be 2^64 - 1 */
static uint64_t whole_count(int64_t start, int64_t stop, int64_t step) {
    if (step > 0 ? start >= stop : start <= stop) return 0;
    uint64_t far = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    return (far - 1) / (step > 0 ? (uint64_t)step : 0 - (uint64_t)step) + 1;
}

int64_t recipe_element(const struct recipe *r, int64_t i) { /* i * step alone may overflow */
    return (int64_t)((uint64_t)r->value.integer + (uint64_t)i * (uint64_t)r->step.integer);
}

/* arange(stop), arange(start, stop), arange(start, stop, step) */
static kf_status finish_arange(reader *r) {
    struct recipe *out = r->out;
    int n = r->n_numbers;
    if (n < 1 || n > 3 || r->n_tuple >= 0)
        return fail(r, "write arange(stop), arange(start, stop) or arange(start, stop, step)");
    struct recipe_number stop = r->numbers[n > 1 ? 1 : 0], last;
    out->value = n > 1 ? r->numbers[0] : (struct recipe_number){.whole = true};
    out->step = n > 2 ? r->numbers[2] : (struct recipe_number){true, 1, 1};
    bool whole = out->value.whole && stop.whole && out->step.whole;
    out->value.whole = out->step.whole = whole;
    double length = ceil((stop.value - out->value.value) / out->step.value);
    if (out->step.value == 0) return fail(r, "the step can't be 0");
    if (!whole && !(isfinite(length) && isfinite(out->value.value) && isfinite(out->step.value)))
        return fail(r, "it has no end: bounds and step must be finite, and the step not too small");
    if (!r->has_dtype) out->dtype = whole ? KF_I64 : KF_F32;
    uint64_t count = whole ? whole_count(out->value.integer, stop.integer, out->step.integer)
                     : length >= 0x1p63 ? UINT64_MAX : length > 0 ? (uint64_t)length : 0;
    if (count > INT64_MAX) return fail(r, "it has more elements than 64 bits can count");
    out->ndim = 1;
    out->shape[0] = (int64_t)count;
    if (count == 0) return KF_OK;
    last.whole = whole;
    last.integer = recipe_element(out, (int64_t)count - 1);
    last.value = out->value.value + (double)(count - 1) * out->step.value;
    KF_TRY(check_fits(r, out->value));
    return check_fits(r, last);
}

/* randint(low, high, sizes...) */
static kf_status finish_randint(reader *r) {
    int n = r->n_numbers - 2;
    const struct recipe_number *low = &r->numbers[0], *high = &r->numbers[1];
    if (n < 0 || !low->whole || !high->whole || (r->n_tuple >= 0 && r->n_tuple != n))
        return fail(r, "write randint(low, high, 4, 5) or randint(low, high, (4, 5)), with "
                       "integers");
    if (low->integer >= high->integer)
        return fail(r, "the lower bound must be below the upper one");
    if ((uint64_t)high->integer - (uint64_t)low->integer > INT64_MAX)
        return fail(r, "the bounds are further apart than 2^63 - 1");
    if (!r->has_dtype) r->out->dtype = KF_I64;
    r->out->value = *low;
    r->out->step = *high;
    KF_TRY(check_fits(r, *low));
    KF_TRY(check_fits(r, (struct recipe_number){.whole = true, .integer = high->integer - 1}));
    memmove(r->numbers, r->numbers + 2, (size_t)n * sizeof *r->numbers);
    return set_shape(r, n);
}

static kf_status finish_full(reader *r) {
    int n = r->n_numbers - 1;
    if (n < 0 || r->joined > n || (r->n_tuple >= 0 && n != r->n_tuple))
        return fail(r, "write full((4, 5), value) or full(4, 5, value)");
    r->out->value = r->numbers[n];
    KF_TRY(check_fits(r, r->out->value));
    return set_shape(r, n);
}

static kf_status finish(reader *r) {
    struct recipe *out = r->out;
    bool random = out->kind <= RECIPE_RANDINT;
    if ((r->has_seed || r->has_stream) && !random)
        return fail(r, "a seed is for randn, rand and randint");
    if (out->kind == RECIPE_RANDINT) return finish_randint(r);
    if (out->kind == RECIPE_ARANGE) return finish_arange(r);
    if (!r->has_dtype) out->dtype = KF_F32;
    if (out->kind == RECIPE_FULL) return finish_full(r);
    bool integer = out->dtype.code < 2, boolean = out->dtype.code == KF_BOOL.code;
    if (out->kind == RECIPE_RAND && integer)
        return fail(r, "rand is between 0 and 1, so integers would all be 0; take randint");
    if (out->kind == RECIPE_RANDN && (integer || boolean))
        return fail(r, boolean ? "randn is hardly ever 0, so bools would all be True; take rand"
                               : "randn is around 0, so integers would mostly be 0; take randint");
    if (r->n_tuple >= 0 && r->n_numbers != r->n_tuple)
        return fail(r, "expected `)` after the shape");
    int64_t value = out->kind == RECIPE_ONES;
    out->value = (struct recipe_number){true, value, (double)value};
    return set_shape(r, r->n_numbers);
}

static kf_status unknown_recipe(const reader *r, const char *name, size_t n) {
    char shown[REPORT_SHOWN];
    return kf__fail(r->err, KF_ERR_ARGUMENT, "%s=%s: there is no array maker `%.*s`; there are "
                    "randn, rand, randint, arange, ones, zeros and full", r->name,
                    report_shown(shown, r->text), (int)kf__min(n, (size_t)40), name);
}

kf_status recipe_read(const char *text, const char *name, struct recipe *out, kf_error *err) {
    *out = (struct recipe){.stream = (int64_t)(kf__hash(name, strlen(name), 0) >> 2)};
    reader r = {.text = text, .at = text, .name = name, .err = err, .out = out, .n_tuple = -1};
    size_t n = strcspn(text, "( "), prefix = strncmp(text, "np.", 3) == 0 ? 3 : 0, kind = 0;
    while (kind < KF__COUNT(kinds) && !(strlen(kinds[kind].name) == n - prefix &&
                                        memcmp(kinds[kind].name, text + prefix, n - prefix) == 0))
        kind++;
    if (kind == KF__COUNT(kinds)) return unknown_recipe(&r, text, n);
    out->kind = kinds[kind].kind;
    r.at += n;
    accept(&r, '(');
    for (bool first = true; !accept(&r, ')'); first = false) {
        if (!*r.at) return fail(&r, "a `)` is missing at its end");
        if (!first && !accept(&r, ',')) return fail(&r, "expected `,` or `)`");
        if (!first && accept(&r, ')')) break;
        KF_TRY(read_item(&r));
    }
    spaces(&r);
    if (*r.at) return fail(&r, "only one array maker, without arithmetic around it");
    return finish(&r);
}
