/* Launches of CUDA source that was compiled as C: for tests, see src/prelude/emulation.h. */
#ifndef KFUSE_RUN_EMULATE_H
#define KFUSE_RUN_EMULATE_H

#include "run/plan.h"

/* Run a step with its patched words. What the emulation finds (an access out of bounds, a race)
 * becomes KF_ERR_DEVICE with its report. */
kf_status kf__emulate(const kf_plan *plan, const kf__step *step, const uint64_t *words,
                      const void *const *inputs, void *const *results, void *workspace,
                      kf_error *err);

#endif
