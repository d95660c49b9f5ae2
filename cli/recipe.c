/* Arrays by expression.
 *
 *     recipe: NAME "(" [item {"," item}] ")"
 *     item: size | number | "(" size {"," size} ")" | "dtype" "=" NAME | "seed" "=" INT
 *
 * Sizes may end in K, M or G (thousands) and be joined by x: rand(4Kx1K). */
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
    double numbers[9]; /* positional ones, sizes included */
    bool whole[9];     /* was it written as an integer? */
    int n_numbers, n_tuple; /* n_tuple: how many stood in a tuple; -1: there was none */
    bool has_dtype, has_seed;
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

const char *recipe_size(const char *text, int64_t *out) {
    size_t n = 0;
    while (isdigit((unsigned char)text[n]) || text[n] == '.' || text[n] == '_') n++;
    double value, scale = 1;
    char digits[40];
    size_t kept = 0;
    for (size_t i = 0; i < n && kept + 1 < sizeof digits; i++)
        if (text[i] != '_') digits[kept++] = text[i];
    if (!kept || !kf__parse_double(digits, kept, &value)) return NULL;
    const char *end = text + n;
    if (*end == 'K' || *end == 'k') scale = 1e3, end++;
    else if (*end == 'M') scale = 1e6, end++;
    else if (*end == 'G') scale = 1e9, end++;
    else if (end[0] == '*' && end[1] == '*' && text[0] == '2' && n == 1) { /* 2**27 */
        char *rest = NULL;
        long power = strtol(end + 2, &rest, 10);
        if (rest == end + 2 || power < 0 || power > 62) return NULL;
        *out = (int64_t)1 << power;
        return rest;
    }
    value *= scale;
    if (value != floor(value) || value > 9e18) return NULL;
    *out = (int64_t)value;
    return end;
}

/* ---------------------------------------------------------------- reading */

static kf_status add_number(reader *r, double value, bool whole) {
    if (r->n_numbers == (int)KF__COUNT(r->numbers)) return fail(r, "more than 8 dimensions");
    r->whole[r->n_numbers] = whole;
    r->numbers[r->n_numbers++] = value;
    return KF_OK;
}

/* A size, several joined by x, or any other number. */
static kf_status read_number(reader *r) {
    spaces(r);
    int64_t size;
    const char *end = recipe_size(r->at, &size);
    while (end && *end == 'x') { /* 4096x1024 */
        KF_TRY(add_number(r, (double)size, true));
        r->at = end + 1;
        end = recipe_size(r->at, &size);
    }
    size_t n = strcspn(r->at, ",) ");
    if (end && (size_t)(end - r->at) == n) {
        bool whole = !memchr(r->at, '.', n) || strpbrk(r->at, "KMG") != NULL;
        r->at = end;
        return add_number(r, (double)size, whole);
    }
    double value;
    if (!kf__parse_double(r->at, n, &value))
        return fail(r, "expected sizes and numbers in the parentheses, as in randn(4096, 1024)");
    bool whole = value == floor(value) && !memchr(r->at, '.', n) && !memchr(r->at, 'e', n);
    r->at += n;
    return add_number(r, value, whole);
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

static kf_status read_keyword(reader *r, const char *key, size_t n) {
    size_t length = strcspn(r->at, ",) ");
    if (n == 5 && memcmp(key, "dtype", 5) == 0) {
        kf__dtype dtype;
        if (!kf__dtype_from_name(r->at, length, &dtype))
            return fail(r, "the dtype isn't one of f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 "
                           "u8 bool");
        r->out->dtype = kf__types[dtype].dlpack;
        r->has_dtype = true;
    } else if (n == 4 && memcmp(key, "seed", 4) == 0) {
        if (!kf__parse_int(r->at, length, &r->out->seed)) return fail(r, "the seed is an integer");
        r->has_seed = true;
    } else if (n == 6 && memcmp(key, "stream", 6) == 0) {
        if (!kf__parse_int(r->at, length, &r->out->stream))
            return fail(r, "the stream is an integer");
        r->has_seed = true;
    } else {
        return fail(r, "keywords are dtype=, seed= and stream=");
    }
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
        if (!r->whole[i] || r->numbers[i] < 0) return fail(r, "sizes are integers from 0 on");
        r->out->shape[i] = (int64_t)r->numbers[i];
    }
    return KF_OK;
}

/* arange(stop), arange(start, stop), arange(start, stop, step) */
static kf_status finish_arange(reader *r) {
    int n = r->n_numbers;
    if (n < 1 || n > 3 || r->n_tuple >= 0)
        return fail(r, "write arange(stop), arange(start, stop) or arange(start, stop, step)");
    double start = n > 1 ? r->numbers[0] : 0, stop = r->numbers[n > 1 ? 1 : 0];
    double step = n > 2 ? r->numbers[2] : 1, count = ceil((stop - start) / step);
    if (step == 0 || !(count < 9e15)) return fail(r, "the step leads nowhere");
    bool whole = true;
    for (int i = 0; i < n; i++) whole = whole && r->whole[i];
    if (!r->has_dtype) r->out->dtype = whole ? KF_I64 : KF_F32;
    r->out->ndim = 1;
    r->out->shape[0] = count > 0 ? (int64_t)count : 0;
    r->out->value = start;
    r->out->step = step;
    return KF_OK;
}

/* randint(low, high, sizes...) */
static kf_status finish_randint(reader *r) {
    int n = r->n_numbers - 2;
    if (n < 0 || !r->whole[0] || !r->whole[1] || (r->n_tuple >= 0 && r->n_tuple != n))
        return fail(r, "write randint(low, high, 4, 5) or randint(low, high, (4, 5))");
    r->out->value = r->numbers[0];
    r->out->step = r->numbers[1];
    if (!(r->out->value < r->out->step) || fabs(r->out->value) > 9e18 || r->out->step > 9e18)
        return fail(r, "the lower bound must be below the upper one");
    for (int i = 0; i < n; i++) {
        r->numbers[i] = r->numbers[i + 2];
        r->whole[i] = r->whole[i + 2];
    }
    if (!r->has_dtype) r->out->dtype = KF_I64;
    return set_shape(r, n);
}

static kf_status finish(reader *r) {
    struct recipe *out = r->out;
    bool random = out->kind <= RECIPE_RANDINT;
    if (r->has_seed && !random) return fail(r, "a seed is for randn, rand and randint");
    if (out->kind == RECIPE_RANDINT) return finish_randint(r);
    if (out->kind == RECIPE_ARANGE) return finish_arange(r);
    if (!r->has_dtype) out->dtype = KF_F32;
    bool integer = out->dtype.code < 2;
    if (out->kind == RECIPE_RAND && integer)
        return fail(r, "rand is between 0 and 1, so integers would all be 0; take randn or arange");
    int n = r->n_numbers;
    if (out->kind == RECIPE_FULL) {
        if (n < 1 || (r->n_tuple >= 0 && n != r->n_tuple + 1))
            return fail(r, "write full((4, 5), value) or full(4, 5, value)");
        out->value = r->numbers[--n];
    } else if (r->n_tuple >= 0 && n != r->n_tuple) {
        return fail(r, "expected `)` after the shape");
    }
    if (out->kind == RECIPE_ONES) out->value = 1;
    return set_shape(r, n);
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
