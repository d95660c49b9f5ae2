/* Between generate.c, aim.c and library.c: a program that grows step by step. */
#ifndef KFUSE_FUZZ_GENERATE_H
#define KFUSE_FUZZ_GENERATE_H

#include "fuzz.h"

typedef struct fz_pool { /* the values so far */
    int n, value[FZ_VALUES], rank[FZ_VALUES];
    kf__dtype dtype[FZ_VALUES];
} fz_pool;

/* Make the marks of a line into text; the values' stay. See the table in generate.c. */
void fz_fill(fz_random *r, const char *from, int rank, kf__dtype t, char *to, size_t size);
/* Add a step: its text has $0, $1, $2 for the values `args`. Gives its value, or -1: the parser
 * doesn't take the program with it, or no sizes fit. */
int fz_add_step(fz_program *p, fz_pool *pool, const char *text, const int args[3]);
/* Fewer results, as long as they are refused together: one may be a tuple. */
void fz_settle_results(fz_program *p);
/* A random line of the grammar on values of the pool; -1: not this time. */
int fz_add_random_step(fz_program *p, fz_pool *pool, fz_random *r);
/* Inputs of one base shape; all of dtype `common` where `same`. */
void fz_make_inputs(fz_program *p, fz_pool *pool, fz_random *r, int rank, kf__dtype common,
                    bool same);

/* A random call of a composite of the library as a line; of the i-th one. NULL: there is none. */
void fz_library_text(fz_random *r, char *text, size_t size);
void fz_composite_text(fz_random *r, int i, char *text, size_t size);
const char *fz_composite(int i);

#endif
