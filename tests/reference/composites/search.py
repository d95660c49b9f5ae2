"""Of sorted arrays: NumPy, PyTorch."""

import numpy as np
import torch
from composites.elementwise import by
from composites.table import integers, normal, uniform


def increasing(*shape):
    return lambda rng: np.sort(rng.standard_normal(shape), -1).astype(np.float32)


def steps(*shape):
    """With what is there twice."""
    return lambda rng: np.sort(rng.integers(-4, 5, shape), -1)


def with_nan(*shape):
    def make(rng):
        a = rng.standard_normal(shape).astype(np.float32)
        a.ravel()[::5] = np.nan, np.inf, -np.inf, 0
        return a
    return make


def rows(t):
    for text, right in (("", False), (", 'right'", True), (", side='left'", False),
                        (", right=True", True)):
        def search(a, v, r=right):
            return torch.searchsorted(a, v, right=r)
        t.row(f"searchsorted(a, v{text})", search, a=increasing(9), v=normal(3, 4))
        t.row(f"searchsorted(a, v{text})", search, a=steps(9), v=integers(-6, 7, 12))
    t.row("searchsorted(a, v)", torch.searchsorted, a=increasing(3, 9), v=normal(3, 5))
    t.row("searchsorted(a, v)", by(np.searchsorted), a=increasing(7), v=with_nan(4, 5))
    for right in (False, True):
        word = ", right=True" if right else ""
        t.row(f"bucketize(v, a{word})", lambda v, a, r=right: torch.bucketize(v, a, right=r),
              v=integers(-6, 7, 3, 4), a=steps(9))
        t.row(f"digitize(v, a{word})", by(lambda v, a, r=right: np.digitize(v, a, r)),
              v=integers(-6, 7, 3, 4), a=steps(9))
        t.row(f"digitize(v, a{word})", by(lambda v, a, r=right: np.digitize(v, a, r)),
              v=with_nan(4, 5), a=increasing(6))
    points = {"x": normal(4, 5, scale=1.5), "a": increasing(8), "f": normal(8)}
    t.add("interp(x, a, f)", by(np.interp), "abs 2e-5", **points)
    t.add("interp(x, a, f, -2.5, right=7)", by(lambda x, a, f: np.interp(x, a, f, -2.5, 7)),
          "abs 2e-5", **points)
    t.add("interp(a, a, f)", by(lambda a, f: np.interp(a, a, f)), "abs 2e-5", a=increasing(8),
          f=normal(8))
    t.add("interp(x, a, f)", by(np.interp), "ulp 1", x=normal(5), a=increasing(1), f=normal(1))
    t.add("histc(x, 7, -1, 2)", lambda x: torch.histc(x, 7, -1, 2), "ulp 0", x=normal(6, 9))
    t.add("histc(x, bins=5)", lambda x: torch.histc(x, 5), "ulp 0", x=uniform(-3, 4, 50))
    t.add("histc(x, min=0, max=4)", lambda x: torch.histc(x, min=0, max=4), "ulp 0",
          x=uniform(-1, 5, 200))
    t.add("histc(x * 0 + 1, 3)", lambda x: torch.histc(x * 0 + 1, 3), "ulp 0", x=normal(5))

    lists = {"x": normal(6, scale=2)}
    for text in ("digitize(x, [-1, 0, 1.5])", "digitize(x, [1.5, 0, -1])",
                 "digitize(x, [1.5, 0, -1], right=True)", "searchsorted([-1.0, 0.0, 1.5], x)",
                 "interp(x, [-1.0, 0.0, 1.5], [3.0, 1.0, 2.0])", "interp(x, [0, 1], [3, 5])"):
        t.add(text, by(lambda x, text=text: eval(f"np.{text}", {"np": np, "x": x})), "abs 2e-5",
              **lists)
    for right in (False, True):
        word = ", right=True" if right else ""
        t.add(f"digitize(v, -a{word})", by(lambda v, a, r=right: np.digitize(v, -a, r)),
              v=with_nan(4, 5), a=increasing(6))
    t.add("digitize(v, a)", by(lambda v, a: np.digitize(v, a)), v=normal(5), a=increasing(1))
    around = {"x": uniform(-400, 800, 30), "a": np.sort(np.random.default_rng(3).random(8) * 350),
              "f": normal(8)}
    around["a"] = np.float32(around["a"])
    t.add("interp(x, a, f, period=360), np.interp(x, a - 90, fp=f, period=-360)",
          by(lambda x, a, f: (np.interp(x, a, f, period=360), np.interp(x, a - 90, f, period=360))),
          "abs 2e-5", **around)
    t.add("np.interp(x, xp=[0, 90, 200], fp=[1, 2, 4], period=360)", by(
        lambda x: np.interp(x, [0, 90, 200], [1, 2, 4], period=360)), "abs 2e-5",
        x=uniform(-400, 800, 30))

    many = {"x": normal(6, 9), "w": uniform(0, 1, 6, 9)}
    for text in ("x, bins=7, range=(-1, 2)", "x", "x, 5, density=True", "x, 6, weights=w",
                 "x, 4, (-1.0, 1.5), weights=w, density=True", "x, [-2, -0.5, 0.25, 3]",
                 "x * 0 + 1, 4", "x * 0, 2, (3, 3)"):
        t.add(f"np.histogram({text})", by(lambda x, w=None, c=text: eval(f"np.histogram({c})", {
            "np": np, "x": x, "w": w})), "rel 3e-6 abs 3e-7",
            **{n: v for n, v in many.items() if n == "x" or "=w" in text})
        if "density" not in text:
            t.add(f"np.histogram_bin_edges({text})", by(
                lambda x, w=None, c=text: eval(f"np.histogram_bin_edges({c})", {
                    "np": np, "x": x, "w": w})), "rel 3e-6 abs 3e-7",
                **{n: v for n, v in many.items() if n == "x" or "=w" in text})
    t.add("histogram(x, a)", by(np.histogram), "ulp 0", x=integers(-6, 7, 50), a=increasing(5))
    t.add("histogram(x, 6)", by(lambda x: np.histogram(x, 6)), "ulp 1", x=integers(-6, 7, 50))
    t.add("torch.histogram(x, 5, range=(-1, 1))", lambda x: torch.histogram(x, 5, range=(-1, 1)),
          "rel 3e-6 abs 3e-7", x=many["x"])
    t.add("x.histogram(4, weight=w, density=True)",
          lambda x, w: torch.histogram(x, 4, weight=w, density=True), "rel 3e-6 abs 3e-7", **many)
