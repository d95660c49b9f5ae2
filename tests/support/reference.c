/* Reading the committed reference values. */
#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/eval.h"

/* ---------------------------------------------------------------- reading */

static void *make(int64_t n, size_t size) {
    void *p = calloc((size_t)n + 1, size);
    assert_non_null(p);
    return p;
}

static void read_tolerance(reference_value *v, char **at, const char *word) {
    double number = strtod(strsep(at, " "), NULL);
    double *to = !strcmp(word, "ulp") ? &v->ulp : !strcmp(word, "rel") ? &v->rel :
                 !strcmp(word, "abs") ? &v->abs : !strcmp(word, "wide") ? &v->wide : NULL;
    if (!to) fail_msg("`%s` is no tolerance", word);
    else *to = number;
}

/* "x float32 3,4 : 1 2 3", "> float32 3,4 ulp 2 : 1 2 3", "lr float : 0.1"; rank 0 has no shape. */
static void read_value(char *line, reference_value *v) {
    char *at = line, *word = strsep(&at, " ");
    memset(v, 0, sizeof *v);
    snprintf(v->name, sizeof v->name, "%s", word);
    word = strsep(&at, " ");
    v->scalar = !strcmp(word, "float") || !strcmp(word, "int");
    if (v->scalar) v->dtype = word[0] == 'f' ? KF__F64 : KF__I64;
    else if (!kf__dtype_from_name(word, strlen(word), &v->dtype)) fail_msg("no dtype: %s", word);
    v->n = 1;
    word = v->scalar ? NULL : strsep(&at, " ");
    for (char *dim; word && *word && (dim = strsep(&word, ","));) {
        assert_true(v->rank < REFERENCE_DIMS);
        v->n *= v->shape[v->rank++] = strtoll(dim, NULL, 10);
    }
    while ((word = strsep(&at, " ")) && strcmp(word, ":") != 0) read_tolerance(v, &at, word);
    if (kf__is_float(v->dtype)) v->numbers = make(v->n, 8);
    else v->integers = make(v->n, 8);
    for (int64_t i = 0; i < v->n; i++) {
        word = strsep(&at, " ");
        assert_non_null(word);
        if (v->numbers) v->numbers[i] = strtod(word, NULL);
        else v->integers[i] = strtoll(word, NULL, 10);
    }
}

FILE *reference_open(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/reference/%s.txt", KFUSE_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s can't be read", path);
    return file;
}

bool reference_next(FILE *file, reference *r) {
    char *line = NULL;
    size_t size = 0;
    memset(r, 0, sizeof *r);
    for (long before = ftell(file); getline(&line, &size, file) > 0; before = ftell(file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || line[0] == 0) continue;
        if (line[0] == '=' && r->text[0]) {
            fseek(file, before, SEEK_SET);
            break;
        }
        if (line[0] == '=') {
            assert_true(strlen(line) < sizeof r->text);
            snprintf(r->text, sizeof r->text, "%s", line + 2);
        } else if (line[0] == '*') {
            assert_true(sscanf(line, "* %d %15s", &r->kernels, r->kind) >= 1);
        } else if (line[0] == '>') {
            assert_true(r->n_results < REFERENCE_RESULTS);
            read_value(line, &r->results[r->n_results++]);
        } else {
            assert_true(r->n_inputs < REFERENCE_INPUTS);
            read_value(line, &r->inputs[r->n_inputs++]);
        }
    }
    free(line);
    return r->text[0] != 0;
}

void reference_free(reference *r) {
    for (int i = 0; i < r->n_inputs + r->n_results; i++) {
        reference_value *v = i < r->n_inputs ? &r->inputs[i] : &r->results[i - r->n_inputs];
        free(v->numbers);
        free(v->integers);
    }
}

/* ---------------------------------------------------------------- using */

reference_value *reference_input(reference *r, const char *name) {
    for (int i = 0; i < r->n_inputs; i++)
        if (!strcmp(r->inputs[i].name, name)) return &r->inputs[i];
    fail_msg("%s: no input %s", r->text, name);
    return NULL;
}

kf_array reference_array(reference_value *v, kf__dtype floats) {
    bool is_float = kf__is_float(v->dtype);
    kf__dtype as = is_float && floats != KF__DTYPE_COUNT ? floats : v->dtype;
    size_t size = kf__types[as].size;
    char *data = make(v->n, 8);
    for (int64_t i = 0; i < v->n; i++) {
        float narrow = is_float ? (float)v->numbers[i] : 0;
        double wide = v->dtype == KF__F32 ? (double)narrow : is_float ? v->numbers[i] : 0;
        if (as == KF__F32) memcpy(data + (size_t)i * size, &narrow, size);
        else if (is_float) memcpy(data + (size_t)i * size, &wide, size);
        else memcpy(data + (size_t)i * size, &v->integers[i], size); /* little-endian */
    }
    return (kf_array){data, {KF_CPU, 0}, v->rank, kf__types[as].dlpack, v->shape, NULL, 0};
}

kf_scalar reference_scalar(const reference_value *v) {
    return v->dtype == KF__F64 ? (kf_scalar){.f = v->numbers[0]}
                               : (kf_scalar){.i = v->integers[0]};
}

kf_spec reference_spec(const reference_value *v, const kf_array *array) {
    if (!v->scalar)
        return (kf_spec){.dtype = array->dtype, .ndim = array->ndim, .shape = array->shape};
    if (v->dtype == KF__F64) return (kf_spec){.kind = KF_SPEC_FLOAT, .number = v->numbers[0]};
    return (kf_spec){.kind = KF_SPEC_INT, .integer = v->integers[0]};
}

bool reference_near(const reference_value *v, kf__dtype as, double got, int64_t k) {
    double want = v->numbers[k];
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (got == want) return true;
    if (as == KF__F32) want = kf__o_round(KF__F32, want); /* beyond its range: infinite */
    if (isinf(want) || isinf(got)) return got == want;
    want = v->numbers[k];
    bool wide = as == KF__F64 && v->dtype == KF__F32;
    double factor = !wide ? 1 : v->wide > 0 ? v->wide : 0x1p-27;
    double room = factor * (v->rel * fabs(want) + v->abs + v->ulp * kf__o_ulp(v->dtype, want));
    if (room == 0) return got == kf__o_round(as, want);
    return fabs(got - want) <= room;
}
