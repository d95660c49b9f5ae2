/* Comparing with the oracle, for `check` and for `bench`. */
#ifndef KFUSE_CLI_CHECK_H
#define KFUSE_CLI_CHECK_H

#include "job.h"
#include "oracle/oracle.h"

/* Of the job's graph over its host inputs (job_host_inputs before). One for each result; freed by
 * check_oracle_free, also on failure. */
kf_status check_oracle(struct job *job, bool one_kernel, kf__oracle_result **out, kf_error *err);
void check_oracle_free(struct job *job, kf__oracle_result *want);

/* Compare all results of a variant that has run; stats: one for each. */
kf_status check_variant(struct job *job, struct variant *v, kf__compare_stats *stats,
                        kf_error *err);

#endif
