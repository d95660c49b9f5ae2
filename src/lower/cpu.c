/* Which nest a kernel gets on the CPU. */
#include "lower/cpu.h"

kf_status kf__lower_cpu(kf__low *L) {
    bool reduces = false;
    kf__scans scans;
    kf__cpu_narrow_guards(L);
    if (kf__low_find_scans(L, &scans)) {
        kf__cpu_scan(L, &scans);
        return KF_OK;
    }
    for (int m = 0; m < L->n_axes; ++m) reduces |= L->axes[m].reduced;
    if (!reduces)
        kf__cpu_pointwise(L);
    else if (kf__low_later(L, 1))
        kf__cpu_rows(L);
    else if (L->axes[kf__last(L)].reduced)
        kf__cpu_reduce(L);
    else
        kf__cpu_columns(L);
    return KF_OK;
}
