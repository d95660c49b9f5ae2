/* How `kfuse bench` measures.
 *
 * What is timed is called a contender: the fused program, the unfused one, and copies of as many
 * bytes, on the same device, in the same run, in turns, so that noise hits all alike:
 *
 *     fused unfused copy copy | fused unfused copy copy | ...      one sample of each a round
 *
 * cold: each run takes the next of several sets of buffers, together beyond the caches
 * warm: one set; each timed run comes right after an untimed one
 *
 * On CUDA a sample is a graph of several runs, timed by events on the device.
 */
#ifndef KFUSE_CLI_BENCH_H
#define KFUSE_CLI_BENCH_H

#include "commands.h"
#include "oracle/oracle.h"

enum { BENCH_MAX_SETS = 256, BENCH_MAX_SAMPLES = 1000 };
enum contender { FUSED, UNFUSED, COPY_PLAIN, COPY_STREAM, CONTENDERS };

struct timing { /* microseconds */
    int n;
    double sample[BENCH_MAX_SAMPLES];
    double median, mean, std, min, ci95; /* ci95: half the width of the mean's interval */
};
void timing_finish(struct timing *t);

/* ---------------------------------------------------------------- what to measure */

struct bench_item {
    char name[40], size[40]; /* size "": the inputs are the user's */
    char *text;
    words args;              /* name=VALUE; owned, like their texts */
};
typedef KF__VEC(struct bench_item) bench_items;

/* The items that the command line asks for. */
kf_status bench_items_read(const struct options *o, bool cuda, bench_items *items, kf_error *err);
void bench_items_free(bench_items *items);

/* ---------------------------------------------------------------- one measurement */

struct bench_set {
    kf_array *made; /* [n_inputs + n_results] */
    const void **inputs;
    void **results;
    void *copy_from, *copy_to;
};

struct bench_gpu; /* bench_cuda.c */

struct bench {
    const struct bench_item *item;
    struct job *job;
    struct variant variant[2]; /* FUSED, UNFUSED */
    int64_t elements, bytes;   /* of the largest array; the fewest to be moved */
    int64_t copy_bytes;        /* half of `bytes` */
    int n_sets, used_sets;     /* used: 1 when warm */
    struct bench_set set[BENCH_MAX_SETS];
    kf_array copy_from, copy_to; /* of all sets */
    struct bench_gpu *gpu;
};

/* Plans and buffers for the job, which stays the caller's; freed by bench_end also on failure. */
kf_status bench_begin(struct bench *b, const struct bench_item *item, struct job *job,
                      kf_error *err);
void bench_end(struct bench *b);
/* Run a contender once on a set; on CUDA into the stream. */
kf_status bench_once(struct bench *b, enum contender c, int set, void *stream, kf_error *err);
/* Time all contenders. repeats 0: as many as about a second allows. */
kf_status bench_measure(struct bench *b, bool warm, int repeats, struct timing *timings,
                        kf_error *err);
/* Time each step of a variant's plan by itself: us[n_steps], medians. */
kf_status bench_profile(struct bench *b, enum contender c, double *us, kf_error *err);

/* ---------------------------------------------------------------- CUDA */

kf_status bench_gpu_begin(struct bench *b, kf_error *err);
void bench_gpu_end(struct bench *b);
kf_status bench_gpu_copy(struct bench *b, enum contender c, int set, void *stream, kf_error *err);
/* One sample: microseconds of a run. */
kf_status bench_gpu_sample(struct bench *b, enum contender c, bool warm, double *us,
                           kf_error *err);
/* New sets or another regime: forget the graphs. */
void bench_gpu_forget(struct bench *b);

/* ---------------------------------------------------------------- copies on the CPU */

void bench_cpu_copy(kf_context *ctx, const void *from, void *to, int64_t bytes, bool stream);

/* ---------------------------------------------------------------- verification */

struct bench_errors {
    bool checked, ok;     /* against the oracle, on `elements` of the largest array */
    int64_t elements;
    kf__compare_stats stats[2]; /* the worst result of FUSED and UNFUSED */
    double difference;    /* of fused and unfused at full size, relative to the results' size */
    bool agree;
    char trouble[300];
};
kf_status bench_verify(const struct options *o, const struct bench_item *item, struct bench *b,
                       struct bench_errors *errors, kf_error *err);

/* ---------------------------------------------------------------- what came out */

struct bench_row {
    const struct bench_item *item;
    char device[24], machine[80];
    bool warm;
    int64_t elements, bytes, bytes_of[2], temp_bytes[2];
    int64_t kernels[2];
    double predicted_us[2], compile_ms, spec_gbs, limit_gbs;
    double gbs[2]; /* of the fewest bytes */
    struct timing timing[2], copy[2];
    struct bench_errors errors;
};
typedef KF__VEC(struct bench_row *) bench_rows;

void bench_print_heading(FILE *to, const struct options *o, const char *device);
void bench_print_row(FILE *to, const struct bench_row *row);
void bench_json_row(struct json *j, const struct bench_row *row);

/* What is kept of a variant's JSON, and what a plot needs. */
struct bench_mark {
    char name[80], size[40], device[24], machine[80], variant[16], regime[8];
    double us, share; /* median; of the copy, 0 to 1 */
};
typedef KF__VEC(struct bench_mark) bench_marks;

/* Of all rows, fused and unfused in turns. */
kf_status bench_marks_of(const bench_rows *rows, bench_marks *marks, kf_error *err);
/* Read what `bench --json` wrote. */
kf_status bench_marks_read(const char *path, bench_marks *marks, kf_error *err);
/* `path` is for the heading. */
void bench_compare(FILE *to, const char *path, const bench_marks *old, const bench_rows *rows);
kf_status bench_plot(const char *path, const bench_marks *marks, kf_error *err);
/* Before anything is measured: is there a gnuplot, can the file be written? */
kf_status bench_plot_check(const char *path, kf_error *err);
/* "NVIDIA H200", "AMD EPYC 7B13, 2 threads"; to has 80 bytes. */
const char *machine_name(const struct job *job, char *to);
kf_status bench_overhead(const struct options *o, struct job *job, struct output *out,
                         kf_error *err);

#endif
