"""Modified Bessel functions: SciPy."""

import numpy as np
import scipy.special as sp
from composites.elementwise import by
from composites.table import special, uniform

EDGES = np.float32([7.999999, 8, 8.000001, -8, 8.5, 0.001, 60, 85, 91])


def rows(t):
    for name in ("i0", "i0e", "i1", "i1e"):
        f = by(getattr(sp, name))
        limits = "ulp 6 abs 1e-42 wide 4" if name.endswith("e") else "rel 3e-6 abs 1e-42"
        t.pointwise(f"{name}(x)", f, limits, x=EDGES)
        t.pointwise(f"{name}(x)", f, limits, x=uniform(-20, 20, 60))
        t.pointwise(f"{name}(x)", f, limits, x=uniform(-8, 8, 60))
        if name.endswith("e"):
            t.pointwise(f"{name}(x)", f, limits, x=special()(np.random.default_rng(1))[:-26])
