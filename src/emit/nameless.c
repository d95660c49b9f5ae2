/* See emit.h. The 108 kernels of a long concatenation, or the one for each 24 parameters of an
 * optimiser, are the same text but for names of arrays: compiled once, loaded once.
 *
 *     void k17_split(...) { ... kf_load_f32(p0_in_x, l) ... }  // comments
 *     void k_split(...) { ... kf_load_f32(p0_operand0, l) ... }
 */
#include "emit/emit.h"

#include <ctype.h>

#include "emit/pieces.h"

typedef KF__VEC(kf__token) operands; /* in the order in which they come */

static bool starts(const char *c, const char *end, const char *text) {
    size_t n = strlen(text);
    return (size_t)(end - c) >= n && memcmp(c, text, n) == 0;
}

/* Where an operand's name begins in a word (lower/layout.c: in_x, out_y, out0, tmp_2): behind a
 * prefix such as p0_. `end`: it has none. */
static const char *operand_in(const char *c, const char *end) {
    for (const char *at = c; at < end; at++) {
        if (at > c && at[-1] != '_') continue;
        bool plain = starts(at, end, "out") && at + 3 < end && isdigit((unsigned char)at[3]);
        if (plain || starts(at, end, "in_") || starts(at, end, "out_") || starts(at, end, "tmp_"))
            return at;
    }
    return end;
}

static uint32_t number_of(operands *seen, kf__text *out, const char *at, size_t n) {
    for (uint32_t i = 0; i < seen->n; i++)
        if (seen->at[i].n == n && memcmp(seen->at[i].at, at, n) == 0) return i;
    if (!KF__PUSH(out->mem, seen, ((kf__token){at, n}))) out->failed = true;
    return seen->n - 1;
}

/* "k_split_merge" for "k17_split_merge". */
static void print_function(const char *name, size_t n, kf__text *out) {
    size_t digits = 1;
    while (digits < n && isdigit((unsigned char)name[digits])) digits++;
    kf__print(out, "k%.*s", (int)(n - digits), name + digits);
}

static void print_word(kf__token w, const char *kernel, operands *seen, kf__text *out) {
    const char *end = w.at + w.n, *operand = end;
    if (starts(w.at, end, kernel)) {
        print_function(w.at, w.n, out);
        return;
    }
    if (!starts(w.at, end, "kf_")) operand = operand_in(w.at, end);
    kf__print_bytes(out, w.at, (size_t)(operand - w.at));
    if (operand < end)
        kf__print(out, "operand%u",
                  (unsigned)number_of(seen, out, operand, (size_t)(end - operand)));
}

/* What stands between words: without comments. */
static void print_between(const char *c, const char *end, kf__text *out) {
    while (c < end) {
        const char *next = kf__skip_token(c, end);
        if (!starts(c, end, "/*") && !starts(c, end, "//"))
            kf__print_bytes(out, c, (size_t)(next - c));
        c = next;
    }
}

void kf__print_nameless(const kf__text *functions, const char *kernel, kf__text *out) {
    operands seen = {0};
    const char *c = functions->at, *end = c + functions->n;
    while (c < end && !out->failed) {
        kf__token w = kf__next_token(c, end);
        const char *at = w.n ? w.at : end;
        print_between(c, at, out);
        if (w.n) print_word(w, kernel, &seen, out);
        c = at + w.n;
    }
    KF__VEC_FREE(out->mem, &seen);
}

void kf__print_nameless_function(const char *name, kf__text *out) {
    print_function(name, strlen(name), out);
}
