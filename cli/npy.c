/* NumPy's .npy files.
 *
 *   "\x93NUMPY" major minor | length of the header: 2 bytes in 1.0, 4 in 2.0 and 3.0 |
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } spaces \n | the elements
 *
 * Nothing in a file is believed: the header is parsed to its last character, and sizes are checked
 * before they are multiplied and against the file's length before memory is taken. */
#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

enum { MAX_DIMS = 8, MAX_HEADER = 1 << 16, ALIGNMENT = 64 };

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static const struct dtype_row {
    const char *descr; /* as written; the byte order is checked apart when read */
    const char *name;
    kf_dtype dtype;
} dtypes[] = {
    {"<f8", "float64", {2, 64, 1}}, {"<f4", "float32", {2, 32, 1}}, {"<f2", "float16", {2, 16, 1}},
    {"<V2", "bfloat16", {4, 16, 1}}, {"<i8", "int64", {0, 64, 1}}, {"<i4", "int32", {0, 32, 1}},
    {"<i2", "int16", {0, 16, 1}},   {"|i1", "int8", {0, 8, 1}},    {"|u1", "uint8", {1, 8, 1}},
    {"|b1", "bool", {6, 8, 1}},     {"|V1", "float8_e4m3fn", {10, 8, 1}},
    {"|V1", "float8_e5m2", {12, 8, 1}},
};

static bool same_dtype(kf_dtype a, kf_dtype b) {
    return a.code == b.code && a.bits == b.bits;
}

/* The row of a dtype; NULL for one that kfuse hasn't. */
static const struct dtype_row *row_of(kf_dtype dtype) {
    for (size_t i = 0; i < KF__COUNT(dtypes); i++)
        if (same_dtype(dtypes[i].dtype, dtype)) return &dtypes[i];
    return NULL;
}

static const char *dtype_name(kf_dtype dtype) {
    const struct dtype_row *row = row_of(dtype);
    return row ? row->name : "an unknown dtype";
}

const char *npy_descr(kf_dtype dtype) {
    const struct dtype_row *row = row_of(dtype);
    return row ? row->descr : NULL;
}

static kf_status io_error(const char *path, const char *what, kf_error *err) {
    return kf__fail(err, KF_ERR_IO, "can't %s '%s': %s", what, path, strerror(errno));
}

/* ---------------------------------------------------------------- the header's text */

typedef struct header {
    char descr[16];
    bool fortran;
    int ndim;
    int64_t shape[MAX_DIMS];
    bool has_descr, has_order, has_shape;
} header;

typedef struct scanner {
    const char *path;
    const char *at, *end; /* *end is 0 */
    kf_error *err;
} scanner;

static kf_status bad_header(scanner *s, const char *expected) {
    return kf__fail(s->err, KF_ERR_IO, "'%s' isn't a sound .npy file: its header lacks %s",
                    s->path, expected);
}

static void skip_spaces(scanner *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')) s->at++;
}

static bool accept(scanner *s, char c) {
    skip_spaces(s);
    if (s->at == s->end || *s->at != c) return false;
    s->at++;
    return true;
}

static bool accept_word(scanner *s, const char *word) {
    skip_spaces(s);
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0) return false;
    s->at += n;
    return true;
}

/* string: "'" chars "'"; no escapes, none are written */
static bool read_string(scanner *s, char *to, size_t size) {
    char quote = accept(s, '\'') ? '\'' : accept(s, '"') ? '"' : 0;
    if (!quote) return false;
    size_t n = 0;
    while (s->at < s->end && *s->at != quote && n + 1 < size) to[n++] = *s->at++;
    to[n] = 0;
    return accept(s, quote);
}

/* shape: "(" [size {"," size} [","]] ")"; a size may end in L (Python 2 wrote it) */
static kf_status read_shape(scanner *s, header *h) {
    if (!accept(s, '(')) return bad_header(s, "a tuple of sizes");
    h->ndim = 0;
    while (!accept(s, ')')) {
        if (h->ndim > 0 && !accept(s, ',')) return bad_header(s, "a comma between sizes");
        if (accept(s, ')')) break;
        skip_spaces(s);
        size_t n = s->at < s->end && *s->at == '-';
        while (s->at + n < s->end && s->at[n] >= '0' && s->at[n] <= '9') n++;
        int64_t size;
        if (n == 0) return bad_header(s, "a size in its shape");
        if (s->at[0] == '-')
            return kf__fail(s->err, KF_ERR_IO, "'%s' has the negative size %.*s in its shape",
                            s->path, (int)kf__min((int64_t)n, 40), s->at);
        if (!kf__parse_int(s->at, n, &size))
            return kf__fail(s->err, KF_ERR_LIMIT, "'%s' has the size %.*s, which is too large",
                            s->path, (int)kf__min((int64_t)n, 40), s->at);
        if (h->ndim == MAX_DIMS)
            return kf__fail(s->err, KF_ERR_LIMIT,
                            "'%s' has more than %d dimensions: reshape it to fewer first", s->path,
                            MAX_DIMS);
        h->shape[h->ndim++] = size;
        s->at += n;
        if (s->at < s->end && *s->at == 'L') s->at++;
    }
    h->has_shape = true;
    return KF_OK;
}

static kf_status read_descr(scanner *s, header *h) {
    skip_spaces(s);
    if (s->at < s->end && *s->at == '[')
        return kf__fail(s->err, KF_ERR_UNSUPPORTED,
                        "'%s' holds records (a structured dtype): save each field as an array of "
                        "its own", s->path);
    if (!read_string(s, h->descr, sizeof h->descr)) return bad_header(s, "a dtype ('descr')");
    h->has_descr = true;
    return KF_OK;
}

static kf_status read_order(scanner *s, header *h) {
    if (accept_word(s, "True"))
        h->fortran = true;
    else if (!accept_word(s, "False"))
        return bad_header(s, "True or False for 'fortran_order'");
    h->has_order = true;
    return KF_OK;
}

/* header: "{" [key ":" value {"," key ":" value} [","]] "}" */
static kf_status read_header_text(scanner *s, header *h) {
    if (!accept(s, '{')) return bad_header(s, "its opening brace");
    for (bool first = true; !accept(s, '}'); first = false) {
        char key[16];
        if (!first && !accept(s, ',')) return bad_header(s, "a comma between its entries");
        if (accept(s, '}')) break;
        if (!read_string(s, key, sizeof key)) return bad_header(s, "a key in quotes");
        if (!accept(s, ':')) return bad_header(s, "a colon after a key");
        if (strcmp(key, "descr") == 0)
            KF_TRY(read_descr(s, h));
        else if (strcmp(key, "fortran_order") == 0)
            KF_TRY(read_order(s, h));
        else if (strcmp(key, "shape") == 0)
            KF_TRY(read_shape(s, h));
        else
            return kf__fail(s->err, KF_ERR_IO, "'%s' isn't a sound .npy file: unknown key in its "
                            "header", s->path);
    }
    skip_spaces(s);
    if (s->at != s->end) return bad_header(s, "an end after its closing brace");
    if (!h->has_descr || !h->has_order || !h->has_shape)
        return bad_header(s, "one of 'descr', 'fortran_order' and 'shape'");
    return KF_OK;
}

/* ---------------------------------------------------------------- what the header means */

/* Raw bytes (V), and unsigned ones of that size, take whatever dtype the reader names. */
static kf_status raw_dtype(const char *path, const char *descr, int64_t size, kf_dtype as,
                           kf_dtype *out, kf_error *err) {
    if (as.bits == 0 && size == 1)
        return kf__fail(err, KF_ERR_TYPE,
                        "'%s' holds raw 1-byte elements (%s): if they are float8, "
                        "say @%s:f8e4m3 or @%s:f8e5m2", path, descr, path, path);
    if (as.bits == 0 && size == 2)
        return kf__fail(err, KF_ERR_TYPE,
                        "'%s' holds raw 2-byte elements (%s): if they are bfloat16, say @%s:bf16",
                        path, descr, path);
    if (as.bits == 0)
        return kf__fail(err, KF_ERR_UNSUPPORTED,
                        "'%s' holds raw %" PRId64 "-byte elements (%s): name their dtype after the "
                        "file, as in @%s:bf16", path, size, descr, path);
    if (as.bits != size * 8)
        return kf__fail(err, KF_ERR_TYPE, "'%s' holds %" PRId64 "-byte elements (%s), but %s has "
                        "%d bytes", path, size, descr, dtype_name(as), as.bits / 8);
    *out = as;
    return KF_OK;
}

static kf_status unsupported_dtype(const char *path, const char *descr, char kind, kf_error *err) {
    static const struct {
        char kind;
        const char *what, *advice;
    } known[] = {
        {'O', "Python objects", "convert it with numpy.asarray(x, dtype='float32')"},
        {'u', "unsigned integers wider than 8 bits", "convert it with x.astype('int64')"},
        {'f', "floats of a size that kfuse hasn't", "convert it with x.astype('float64')"},
        {'c', "complex numbers", "save x.real and x.imag"},
        {'S', "text", "kfuse computes with numbers only"},
        {'U', "text", "kfuse computes with numbers only"},
        {'M', "dates", "convert it with x.astype('int64')"},
        {'m', "time spans", "convert it with x.astype('int64')"},
    };
    for (size_t i = 0; i < KF__COUNT(known); i++)
        if (known[i].kind == kind)
            return kf__fail(err, KF_ERR_UNSUPPORTED, "'%s' holds %s (%s): %s", path, known[i].what,
                            descr, known[i].advice);
    return kf__fail(err, KF_ERR_UNSUPPORTED, "'%s' has the dtype '%s', which kfuse doesn't know",
                    path, descr);
}

static kf_status find_dtype(const char *path, const char *descr, kf_dtype as, kf_dtype *out,
                            kf_error *err) {
    char order = descr[0];
    const char *kind = strchr("<>|=", order) && order ? descr + 1 : descr;
    int64_t size;
    if (!kf__parse_int(kind + (*kind != 0), strlen(kind + (*kind != 0)), &size)) size = 0;
    if (order == '>' && size > 1 && *kind != 'V')
        return kf__fail(err, KF_ERR_UNSUPPORTED, "'%s' is big-endian (%s): convert it with "
                        "x.astype('<%s')", path, descr, kind);
    bool raw = *kind == 'V' || (*kind == 'u' && as.bits && as.code != 1);
    if (raw && size > 0) return raw_dtype(path, descr, size, as, out, err);
    for (size_t i = 0; i < KF__COUNT(dtypes); i++) {
        if (strcmp(dtypes[i].descr + 1, kind) != 0) continue;
        *out = dtypes[i].dtype;
        if (as.bits && !same_dtype(as, *out))
            return kf__fail(err, KF_ERR_TYPE, "'%s' holds %s, not %s: use cast() to convert it",
                            path, dtypes[i].name, dtype_name(as));
        return KF_OK;
    }
    return unsupported_dtype(path, descr, *kind, err);
}

/* Bytes of the array. Zeros count as ones, so that strides can't overflow either. */
static kf_status count_bytes(const char *path, const header *h, int item, int64_t *bytes,
                             kf_error *err) {
    int64_t product = item;
    bool empty = false;
    for (int d = 0; d < h->ndim; d++) {
        empty = empty || h->shape[d] == 0;
        if (!kf__mul_ok(product, kf__max(h->shape[d], 1), &product))
            return kf__fail(err, KF_ERR_LIMIT,
                            "'%s' says it has more than 2^63 bytes of elements", path);
    }
    *bytes = empty ? 0 : product;
    return KF_OK;
}

static kf_status set_array(const header *h, kf_dtype dtype, struct npy *out, kf_error *err) {
    out->sizes = calloc(2 * MAX_DIMS, sizeof *out->sizes);
    if (!out->sizes) return kf__out_of_memory(err);
    memcpy(out->sizes, h->shape, sizeof(int64_t) * (size_t)h->ndim);
    out->array.device = (kf_device){KF_CPU, 0};
    out->array.dtype = dtype;
    out->array.ndim = h->ndim;
    out->array.shape = out->sizes;
    if (h->fortran && h->ndim > 1) {
        out->array.strides = out->sizes + MAX_DIMS;
        int64_t stride = 1;
        for (int d = 0; d < h->ndim; d++) {
            out->array.strides[d] = stride;
            stride *= kf__max(h->shape[d], 1);
        }
    }
    return KF_OK;
}

/* ---------------------------------------------------------------- reading */

/* Read n bytes; *got says how many there were. False: errno. */
static bool read_all(int fd, void *to, size_t n, size_t *got) {
    for (*got = 0; *got < n;) {
        size_t step = n - *got < (1u << 30) ? n - *got : 1u << 30;
        ssize_t r = read(fd, (char *)to + *got, step);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return false;
        if (r == 0) return true;
        *got += (size_t)r;
    }
    return true;
}

/* The header's text, with a 0 behind it, and where the elements begin. Freed by the caller. */
static kf_status read_header_bytes(const char *path, int fd, char **text, size_t *length,
                                   int64_t *begin, kf_error *err) {
    unsigned char start[12];
    size_t got, length_bytes, n = 0;
    if (!read_all(fd, start, 8, &got)) return io_error(path, "read", err);
    if (got < 6 || memcmp(start, magic, 6) != 0)
        return kf__fail(err, KF_ERR_IO, "'%s' isn't a .npy file: it doesn't begin with \\x93NUMPY "
                        "(numpy.save writes one)", path);
    if (got == 8 && (start[6] < 1 || start[6] > 3))
        return kf__fail(err, KF_ERR_UNSUPPORTED, "'%s' has version %d.%d of the .npy format; 1.0 "
                        "to 3.0 are known", path, start[6], start[7]);
    length_bytes = start[6] == 1 ? 2 : 4;
    if (got < 8) return kf__fail(err, KF_ERR_IO, "'%s' ends inside its header", path);
    if (!read_all(fd, start + 8, length_bytes, &got)) return io_error(path, "read", err);
    if (got < length_bytes) return kf__fail(err, KF_ERR_IO, "'%s' ends inside its header", path);
    for (size_t i = length_bytes; i-- > 0;) n = n << 8 | start[8 + i];
    if (n > MAX_HEADER)
        return kf__fail(err, KF_ERR_LIMIT, "'%s' says its header has %zu bytes; at most %d are "
                        "read", path, n, MAX_HEADER);
    *text = malloc(n + 1);
    if (!*text) return kf__out_of_memory(err);
    (*text)[n] = 0;
    if (!read_all(fd, *text, n, &got)) return io_error(path, "read", err);
    if (got < n) return kf__fail(err, KF_ERR_IO, "'%s' ends inside its header", path);
    *length = n;
    *begin = (int64_t)(8 + length_bytes + n);
    return KF_OK;
}

static kf_status truncated(const char *path, int64_t has, int64_t needs, kf_error *err) {
    return kf__fail(err, KF_ERR_IO, "'%s' is truncated: its header promises %" PRId64 " bytes of "
                    "elements, %" PRId64 " are there", path, needs, has);
}

static kf_status read_elements(const char *path, int fd, int64_t begin, int64_t bytes,
                               struct npy *out, kf_error *err) {
    struct stat info;
    size_t got;
    if (fstat(fd, &info) != 0) return io_error(path, "read", err);
    if (S_ISREG(info.st_mode) && info.st_size - begin < bytes)
        return truncated(path, kf__max(info.st_size - begin, 0), bytes, err);
    if (bytes > INT64_MAX - 2 * ALIGNMENT || (uint64_t)bytes > SIZE_MAX - 2 * ALIGNMENT)
        return kf__out_of_memory(err);
    size_t rounded = ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT;
    out->memory = aligned_alloc(ALIGNMENT, rounded);
    if (!out->memory)
        return kf__fail(err, KF_ERR_MEMORY, "out of memory: '%s' needs %" PRId64 " bytes", path,
                        bytes);
    out->array.data = out->memory;
    if (!read_all(fd, out->memory, (size_t)bytes, &got)) return io_error(path, "read", err);
    return (int64_t)got < bytes ? truncated(path, (int64_t)got, bytes, err) : KF_OK;
}

static kf_status read_open_file(const char *path, int fd, kf_dtype as, char **text,
                                struct npy *out, kf_error *err) {
    size_t length = 0;
    int64_t begin = 0, bytes = 0;
    kf_dtype dtype = {0};
    header h = {0};
    KF_TRY(read_header_bytes(path, fd, text, &length, &begin, err));
    scanner s = {path, *text, *text + length, err};
    KF_TRY(read_header_text(&s, &h));
    KF_TRY(find_dtype(path, h.descr, as, &dtype, err));
    KF_TRY(count_bytes(path, &h, dtype.bits / 8, &bytes, err));
    KF_TRY(set_array(&h, dtype, out, err));
    return read_elements(path, fd, begin, bytes, out, err);
}

kf_status npy_read(const char *path, kf_dtype as, struct npy *out, kf_error *err) {
    *out = (struct npy){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return io_error(path, "open", err);
    char *text = NULL;
    kf_status status = read_open_file(path, fd, as, &text, out, err);
    free(text);
    close(fd);
    if (status != KF_OK) npy_free(out);
    return status;
}

void npy_free(struct npy *npy) {
    if (!npy) return;
    free(npy->memory);
    free(npy->sizes);
    *npy = (struct npy){0};
}
