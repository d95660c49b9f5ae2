/* libFuzzer: any bytes as a text, through parse, simplify and fuse, verified at each border.
 *
 * What the inputs are follows from their names, so that what the fuzzer finds is a text that a
 * person can read, and a changed letter is another dtype:
 *
 *     first letter     dtype; s, t: a number, a float or an integer, whose value is the second one
 *     a digit          the rank; 2 without one
 *     an upper-case    the last size is literally 1
 *
 * An error is fine as long as it has a sentence. KF_ERR_INTERNAL, a crash, a leak, undefined
 * behaviour or a long time isn't. */
#include <stdio.h>
#include <stdlib.h>

#include "fuse/fuse.h"
#include "parse/parse.h"
#include "simplify/simplify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_INPUTS = 32, MOST_NODES = 2000 };

static void judge(const char *stage, kf_status status, const kf_error *err) {
    bool told = err->status == status && err->message[0];
    if (status == KF_OK || (status != KF_ERR_INTERNAL && told)) return;
    fprintf(stderr, "%s: status %d, error %d: %s\n", stage, status, err->status, err->message);
    abort();
}

static kf_spec spec_of(const char *name, bool optional, int64_t *shape) {
    static const int64_t integers[] = {0, 1, -1, 2, 7, -128, INT64_MAX, INT64_MIN};
    static const double numbers[] = {0, 1, -1, 0.5, 1e300, -2.5, 7, 1e-310};
    size_t n = strlen(name);
    unsigned second = n > 1 ? (unsigned char)name[1] : 0;
    if (optional && second % 3 == 0) return (kf_spec){.kind = KF_SPEC_DEFAULT};
    if (name[0] == 's') return (kf_spec){.kind = KF_SPEC_FLOAT, .number = numbers[second % 8]};
    if (name[0] == 't') return (kf_spec){.kind = KF_SPEC_INT, .integer = integers[second % 8]};
    kf_spec spec = {.ndim = 2, .shape = shape};
    spec.dtype = kf__types[((unsigned char)name[0] + 2) % KF__DTYPE_COUNT].dlpack;
    bool one = false;
    for (size_t i = 0; i < n; i++) {
        if (name[i] >= '0' && name[i] <= '8') spec.ndim = name[i] - '0';
        one |= name[i] >= 'A' && name[i] <= 'Z';
    }
    for (int i = 0; i < spec.ndim; i++) shape[i] = 7;
    if (one && spec.ndim) shape[spec.ndim - 1] = 1;
    return spec;
}

static void fuse(kf_graph *g, unsigned mode) {
    kf_graph *simple = NULL;
    kf__partition *partition = NULL;
    kf_error err = {0};
    judge("verify", kf__graph_verify(g, &err), &err);
    if (g->nodes.n > MOST_NODES) return;
    kf_status status = kf__simplify(g, &simple, &err);
    judge("simplify", status, &err);
    if (status != KF_OK) return;
    judge("verify simplified", kf__graph_verify(simple, &err), &err);
    status = kf__fuse(simple, (kf_fusion)(mode % 3), mode & 4 ? KF__TARGET_C : KF__TARGET_CUDA,
                      &partition, &err);
    judge("fuse", status, &err);
    if (status != KF_OK) return;
    judge("verify partition", kf__partition_verify(partition, &err), &err);
    kf__partition_free(partition);
}

static void make_graph(const kf_function *f, unsigned mode) {
    static int64_t shape[MOST_INPUTS][KF__MAX_ARRAY_RANK];
    kf_spec specs[MOST_INPUTS];
    kf_graph *g = NULL;
    kf_error err = {0};
    int n = kf_function_input_count(f);
    if (n > MOST_INPUTS) return;
    for (int i = 0; i < n; i++)
        specs[i] = spec_of(kf_function_input_name(f, i), kf_function_input_optional(f, i),
                           shape[i]);
    kf_status status =
        kf__instantiate(&kf__malloc, f, n, specs, mode & 4 ? KF_EAGER : KF_FUSED, &g, &err);
    judge("graph", status, &err);
    if (status == KF_OK) fuse(g, mode);
    kf_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char *text = malloc(n + 1);
    if (!text) return 0;
    memcpy(text, data, n);
    text[n] = 0; /* a zero inside is the end of the text */
    kf_function *f = NULL;
    kf_error err = {0};
    kf_status status = kf__parse(&kf__malloc, text, NULL, &f, &err);
    judge("parse", status, &err);
    if (status == KF_OK) make_graph(f, n ? data[n - 1] : 0);
    kf_function_free(f);
    free(text);
    return 0;
}
