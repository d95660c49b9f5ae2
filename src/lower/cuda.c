/* Which nest a kernel gets on CUDA. */
#include "lower/cuda_loop.h"

enum { KF__LONGEST_LOOP = 8192 }; /* packs that one block may loop over */

kf_status kf__lower_cuda(kf__low *L) {
    bool reduces = false;
    for (int m = 0; m < L->n_axes; ++m) reduces |= L->axes[m].reduced;
    kf__scans scans;
    if (kf__low_find_scans(L, &scans)) {
        kf__cuda_scan(L, &scans);
        return KF_OK;
    }
    kf__cuda_sink(L);
    if (!reduces)
        kf__cuda_pointwise(L);
    else if (!L->axes[kf__last(L)].reduced)
        kf__cuda_columns(L);
    else if (kf__cuda_rows(L))
        return KF_OK;
    else if (kf__low_later(L, 1) && kf__loop_packs(L, kf__cuda_width(L)) > KF__LONGEST_LOOP)
        kf__cuda_split(L);
    else if (kf__low_later(L, 1))
        kf__cuda_loops(L);
    else
        kf__cuda_reduce(L);
    return KF_OK;
}
