/* Arrays by expression, as arguments of the command: randn(4096, 1024, dtype=f16, seed=1),
 * randint(0, 100, 4096). Random ones are the language's, of the same seed and stream. */
#ifndef KFUSE_CLI_RECIPE_H
#define KFUSE_CLI_RECIPE_H

#include "base/base.h"

enum recipe_kind {
    RECIPE_RANDN, RECIPE_RAND, RECIPE_RANDINT, RECIPE_ARANGE, RECIPE_ONES, RECIPE_ZEROS,
    RECIPE_FULL,
};

/* As it was written: integers exactly. */
struct recipe_number {
    bool whole;
    int64_t integer; /* whole ones */
    double value;    /* all */
};

struct recipe {
    enum recipe_kind kind;
    kf_dtype dtype;
    int ndim;
    int64_t shape[8];
    struct recipe_number value, step; /* FULL: value; ARANGE: first, step; RANDINT: low, high */
    int64_t seed, stream;
};

/* Does it look like one: a name, then a parenthesis? */
bool recipe_looks_like(const char *text);
/* `name`: of the argument, for messages and for the stream of random numbers. */
kf_status recipe_read(const char *text, const char *name, struct recipe *out, kf_error *err);
/* Make the array on a device; freed with kf_array_free. Random numbers are made by kfuse itself. */
kf_status recipe_make(kf_context *ctx, const struct recipe *recipe, kf_device device,
                      kf_array *array, kf_error *err);
/* Element i of an arange of integers. */
int64_t recipe_element(const struct recipe *recipe, int64_t i);
/* "4096x1024", "50M": sizes; the text ends there or at one of `ends`. NULL: it isn't one. */
const char *recipe_size(const char *text, int64_t *out);

#endif
