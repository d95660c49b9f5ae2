/* One text over some arrays: the CPU and the emulated GPU against the oracle. */
#ifndef KFUSE_TESTS_CHECK_H
#define KFUSE_TESTS_CHECK_H

#include "oracle/oracle.h"

enum { CHECK_INPUTS = KF__DTYPE_COUNT, CHECK_RESULTS = 200 };

typedef struct {
    kf_context *ctx;
    const char *text;
    int n;
    kf_array inputs[CHECK_INPUTS]; /* on the CPU */
    int64_t shapes[CHECK_INPUTS][KF__MAX_ARRAY_RANK], strides[CHECK_INPUTS][KF__MAX_ARRAY_RANK];
} trial_t;

/* What the text means for these inputs. Free with kf_graph_free. */
kf_status check_graph(const trial_t *t, kf_graph **g, kf_error *err);
/* Fails the test where a result is wrong. */
void check_on(const trial_t *t, bool both_targets);
static inline void check(const trial_t *t) { check_on(t, true); }

#endif
