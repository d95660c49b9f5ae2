"""Polynomials: NumPy."""

import numpy as np
from composites.elementwise import by
from composites.table import normal


def rows(t):
    near = "ulp 3"
    two = {"a": normal(5), "b": normal(3)}
    t.add("polyadd(a, b), np.polyadd(b, a2=[1, 2, 3, 4]), polyadd(a1=[1], a2=b)",
          by(lambda a, b: (np.polyadd(a, b), np.polyadd(b, [1, 2, 3, 4]), np.polyadd([1], b))),
          near, **two)
    t.add("polysub(a, b), np.polysub(b, a2=[1, 2, 3, 4]), polysub(a1=[1], a2=b)",
          by(lambda a, b: (np.polysub(a, b), np.polysub(b, [1, 2, 3, 4]), np.polysub([1], b))),
          near, **two)
    t.add("polymul(a, [2, 0, -1]), np.polymul(a1=[1, 3], a2=b)",
          by(lambda a, b: (np.polymul(a, [2, 0, -1]), np.polymul([1, 3], b))), "abs 1e-6", **two)
    t.add("polyder(a), polyder(a, 2), np.polyder(a, m=3), polyder(a, 4), polyder(b, 0), polyder(b, 3)",
          by(lambda a, b: (*(np.polyder(a, m) for m in (1, 2, 3, 4)), b, np.polyder(b, 3))), near,
          **two)
    t.add("np.polyder([3, 2, 1])", lambda: np.polyder([3, 2, 1]))
    t.add("polyint(a, m=2), polyint(a, 4, 3), polyint(a, m=3), polyint(a, 0)",
          by(lambda a: (np.polyint(a, 2), np.polyint(a, 4, 3), np.polyint(a, 3), a)), near,
          a=two["a"])
    t.add("polyint(a), np.polyint(p=b, m=1, k=5)",
          by(lambda a, b: (np.polyint(a), np.polyint(b, 1, 5))), near, **two)
