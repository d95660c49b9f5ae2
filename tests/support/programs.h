/* Random programs of a few operations over arrays of fitting shapes, for tests of fuse. */
#ifndef KFUSE_TESTS_PROGRAMS_H
#define KFUSE_TESTS_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

enum { OPERATIONS = 8 };

/* and, from DIMS on, sizes that a view made */
enum { DIM_1, DIM_M, DIM_N, DIM_K, DIM_P, DIM_Q, DIMS };
enum { RANDOM_SIZES = 4 };
extern const int64_t random_sizes[RANDOM_SIZES][DIMS];

typedef struct shaped {
    char name[16];
    int rank, dim[3];
    bool is_float;
} shaped;

typedef struct writer {
    uint64_t state;
    shaped value[32];
    int n, operations;
    bool vectors; /* all inputs that are used are */
    char text[2048], head[512];
} writer;

void random_text(writer *w, uint64_t seed);
/* w->head: one line for each input, with sizes. Of vectors alone they are longer. */
void describe_inputs(writer *w, const int64_t *size);

#endif
