/* How the host runs a kernel that was compiled with prelude_emu.h: the object exports, for each
 * kernel NAME of its source,
 *
 *     int NAME_emulate(const void *args, size_t args_size, const int64_t grid[3], int block,
 *                      int cluster, const struct kf_emu_range *ranges, int n_ranges,
 *                      char *report, size_t report_size);
 *
 * It runs every block, and gives 0; or not 0 and a sentence in `report` if the kernel reads or
 * writes outside of `ranges`, writes where it may not, reads shared memory that nothing was written
 * to, has a race, or has threads that wait for each other in vain. args: the kernel's argument
 * struct. cluster: blocks of a cluster, along x; 1: none. Nothing is kept after it returns. */
#ifndef KFUSE_PRELUDE_EMULATION_H
#define KFUSE_PRELUDE_EMULATION_H

#include <stddef.h>
#include <stdint.h>

#ifndef KF_EMU_RANGE
#define KF_EMU_RANGE
struct kf_emu_range { /* a buffer: bytes [lo, hi) */
    const void *lo, *hi;
    int writable;
};
#endif

typedef int kf__emulate_fn(const void *args, size_t args_size, const int64_t grid[3], int block,
                           int cluster, const struct kf_emu_range *ranges, int n_ranges,
                           char *report, size_t report_size);

#endif
