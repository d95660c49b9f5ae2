"""The normal distribution's functions: SciPy."""

import numpy as np
import scipy.special as sp
from composites.elementwise import by
from composites.table import uniform

TINY = np.float32([1e-45, 1e-40, 1e-38, 1e-30, 1e-10, 1e-5, 1e-3, 0.135, 0.1353, 0.1354, 0.5, 0.8646,
                   0.8647, 0.9, 0.999, 0.999999])


def rows(t):
    wide = np.float32([0, -0.0, 1e-30, 1e-5, 3, 10, 100, 1e10, 3e38, np.inf, np.nan, -1, -3, -np.inf])
    t.pointwise("erfcx(x)", by(sp.erfcx), "ulp 6 abs 1e-42", x=wide)
    t.pointwise("erfcx(x)", by(sp.erfcx), "rel 3e-6", x=uniform(-5, 20, 60))
    t.pointwise("log_ndtr(x)", by(sp.log_ndtr), "ulp 6 abs 1e-42",
                x=np.float32([0, -0.0, -1, -1.0001, -0.9999, -1e-30, -30, -1e5, -np.inf, np.inf, np.nan]))
    t.pointwise("log_ndtr(x)", by(sp.log_ndtr), "rel 2e-6", x=uniform(-30, 3, 60))
    t.pointwise("log_ndtr(x)", by(sp.log_ndtr), "rel 2e-5", x=uniform(3, 12, 60))
    t.pointwise("ndtri(x)", by(sp.ndtri), "rel 2e-6 abs 1e-7", x=TINY)
    t.pointwise("ndtri(x)", by(sp.ndtri), "rel 2e-6 abs 1e-7", x=uniform(0, 1, 60))
    t.pointwise("ndtri(x)", by(sp.ndtri), "ulp 6",
                x=np.float32([0, 1, -0.1, 1.1, -np.inf, np.inf, np.nan]))
    t.pointwise("erfcinv(x)", by(sp.erfcinv), "rel 2e-6 abs 2e-7", x=uniform(0, 2, 60))
    t.pointwise("erfcinv(x)", by(sp.erfcinv), "rel 2e-6", x=np.float32([0, 2, -1, 1e-30, 1e-37]))
