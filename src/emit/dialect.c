/* The dialects. A new target is a row here, its prelude, and a nest in src/lower. */
#include "emit/dialect.h"

#define SHARED                                                                                   \
    "prelude_common.h", "prelude_convert.h", "prelude_exp.h", "prelude_trig.h",                  \
        "prelude_special.h", "prelude_reduce.h"

const kf__dialect kf__dialects[] = {
    [KF__TARGET_C] = {
        .name = "c",
        .open = "void $(const $_args *a, int64_t begin, int64_t end) {\n",
        .close = "",
        .field = "a->",
        .simd = "KF_SIMD\n",
        .unroll = "KF_UNROLL\n",
        .preludes = {"prelude_c.h", "prelude_libm.h", SHARED},
    },
    [KF__TARGET_CUDA] = {
        .name = "cuda",
        .open = "KF_KERNEL($, $_args, #) {\n",
        .close = "",
        .field = "a.",
        .simd = "",
        .unroll = "KF_UNROLL\n",
        .preludes = {"prelude_cuda.cuh", SHARED},
    },
    [KF__TARGET_EMULATED] = {
        .name = "emulated",
        .open = "KF_KERNEL($, $_args, #) {\n",
        .close = "KF_EMU_ENTRY($, $_args)\n",
        .field = "a.",
        .simd = "",
        .unroll = "KF_UNROLL\n",
        .preludes = {"prelude_emu.h", "prelude_libm.h", SHARED},
    },
};
