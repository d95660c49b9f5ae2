"""Statistics: NumPy, SciPy, PyTorch."""

import re

import numpy as np
import scipy.stats as st
import torch
from composites.elementwise import by
from composites.table import bools, integers, normal, probabilities, uniform

NARROW = "rel 2e-5 abs 1e-5"  # moments of higher order, quotients by a small one


def moments(t):
    x = {"x": normal(5, 37)}
    for text, reference, kind in (
        ("var(x)", lambda x: x.var(correction=0), "full"),
        ("var(x, -1, 1)", lambda x: x.var(-1), "row"),
        ("var(x, axis=-1, correction=2, keepdims=True)",
         lambda x: x.var(-1, correction=2, keepdim=True), "row"),
        ("std(x)", lambda x: x.std(correction=0), "full"),
        ("std(x, 0, 1, True)", lambda x: x.std(0, keepdim=True), "column"),
        ("var_mean(x)", torch.var_mean, "full"),
        ("var_mean(x, -1, 0, True)", lambda x: torch.var_mean(x, -1, correction=0, keepdim=True),
         "row"),
        ("std_mean(x)", torch.std_mean, "full"),
        ("std_mean(x, 1, 0, True)", lambda x: torch.std_mean(x, 1, correction=0, keepdim=True),
         "row"),
        ("zscore(x, -1)", by(lambda x: st.zscore(x, -1)), "row"),
        ("zscore(x, axis=1, correction=1)", by(lambda x: st.zscore(x, 1, ddof=1)), "row"),
        ("sem(x)", by(st.sem), "column"), ("sem(x, 1, 0)", by(lambda x: st.sem(x, 1, 0)), "row"),
        ("variation(x + 3)", by(lambda x: st.variation(x + 3)), "column"),
        ("variation(x + 3, 1, correction=1)", by(lambda x: st.variation(x + 3, 1, ddof=1)), "row"),
        ("skew(x, -1)", by(lambda x: st.skew(x, -1)), "row"),
        ("skew(x, axis=1, bias=False)", by(lambda x: st.skew(x, 1, False)), "row"),
        ("kurtosis(x, -1)", by(lambda x: st.kurtosis(x, -1)), "row"),
        ("kurtosis(x, 1, False)", by(lambda x: st.kurtosis(x, 1, False)), "row"),
        ("kurtosis(x, axis=1, bias=False)", by(lambda x: st.kurtosis(x, 1, bias=False)), "row"),
        ("moment(x, axis=1)", by(lambda x: st.moment(x, 2, 1)), "row"),
        ("moment(x, 3, 1)", by(lambda x: st.moment(x, 3, 1)), "row"),
        ("moment(x, order=4, axis=1)", by(lambda x: st.moment(x, 4, 1)), "row"),
        ("moment(x, 5, 1)", by(lambda x: st.moment(x, 5, 1)), "row"),
        ("mean_abs_deviation(x)", lambda x: (x - x.mean(-1, True)).abs().mean(-1), "row"),
        ("mean_abs_deviation(x, axis=1, keepdims=True)",
         lambda x: (x - x.mean(-1, True)).abs().mean(-1, True), "row"),
    ):
        t.add(text, reference, NARROW, 1, kind, **x)
    t.add("skew(x)", by(st.skew), NARROW, **x)
    t.add("kurtosis(x)", by(st.kurtosis), NARROW, **x)
    t.add("zscore(x)", by(st.zscore), NARROW, **x)
    t.row("var(x + 1000, -1)", lambda x: (x + 1000).var(-1, correction=0), "rel 1e-3 wide 1e-8",
          **x)
    y = {"x": uniform(0.5, 4, 5, 37)}
    t.column("gmean(x)", by(st.gmean), **y)
    t.row("gmean(x, axis=1)", by(lambda x: st.gmean(x, 1)), **y)
    t.column("hmean(x)", by(st.hmean), **y)
    t.row("hmean(x, axis=1)", by(lambda x: st.hmean(x, 1)), **y)


def masked(t):
    """What NumPy's where=, dtype=, mean= and initial= add."""
    given = {"x": normal(5, 37), "m": bools(5, 37), "i": integers(-9, 10, 5, 8)}
    given["h"] = lambda rng: np.where(rng.random((5, 37)) < 0.3, np.nan,
                                      rng.standard_normal((5, 37))).astype(np.float32)
    for text in ("var(x, where=m)", "var(x, axis=1, ddof=1, where=m, keepdims=True)",
                 "std(x, axis=0, where=m)", "var(x, 1, mean=np.mean(x, axis=1, keepdims=True))",
                 "var(i, dtype=np.float32)", "std(i, axis=1, dtype=np.float32)",
                 "std(x, axis=1, where=m[:1], mean=0.25)", "nansum(h, axis=1, where=m)",
                 "nansum(i, dtype=np.float32)", "nanprod(h, axis=1, initial=2, where=m)",
                 "nanprod(x, 0, dtype=np.float32)", "nansum(h, 0, initial=1.5)",
                 "nanmean(h, axis=1, where=m)", "nanmean(i, 1, dtype=np.float32)",
                 "nanmax(h, 1, initial=0.5)", "nanmin(h, axis=1, initial=0.5, where=m)",
                 "nanmax(h, initial=-1, where=m)", "nanmin(i, 1, initial=-7)",
                 "nanmax(i, initial=3)", "nanvar(h, axis=1, where=m)",
                 "nanstd(h, axis=0, ddof=1, where=m)", "nanvar(i, dtype=np.float32)",
                 "nanstd(i, 1, dtype=np.float32)"):
        names = [n for n in given if re.search(rf"\b{n}\b", text)]
        how = re.sub(r"(\w), ([01]), ", r"\1, axis=\2, ", text)
        t.add(f"np.{text}", by(lambda *a, c=how, n=names: eval(
            f"np.{c}", {"np": np, **dict(zip(n, a))}).astype(np.float64)
            if "i" not in n or "dtype" in c else eval(f"np.{c}", {"np": np, **dict(zip(n, a))})),
              NARROW, **{n: given[n] for n in names})


def correlation(x, y):
    return torch.stack([torch.corrcoef(torch.stack(p))[0, 1] for p in zip(x, y, strict=True)])


def covariance(correction):
    def by_row(x, y):
        return torch.stack([torch.cov(torch.stack(p), correction=correction)[0, 1]
                            for p in zip(x, y, strict=True)])

    return by_row


def pairs(t):
    two = {"x": normal(5, 37), "y": normal(5, 37)}
    t.row("covariance(x, y)", covariance(1), **two)
    t.row("covariance(x, y, axis=1, correction=0)", covariance(0), **two)
    t.row("correlation(x, y)", correlation, **two)
    t.add("correlation(x, y, axis=0)", lambda x, y: correlation(x.T, y.T), **two)
    t.add("correlation(x, y)",
          lambda x, y: correlation(*(v.flatten(0, 1) for v in torch.broadcast_tensors(x, y)))
          .reshape(4, 5),
          x=normal(4, 1, 9), y=normal(5, 9))
    t.row("vecdot(a, b)", torch.linalg.vecdot, a=normal(5, 37), b=normal(5, 37))
    t.column("vecdot(a, b, axis=0)", lambda a, b: (a * b).sum(0), a=normal(9, 7), b=normal(9, 7))
    t.row("average(x, weights=w, axis=-1)", by(lambda x, w: np.average(x, -1, w)),
          x=normal(5, 37), w=uniform(0.1, 1, 37))
    t.row("average(x, axis=1)", lambda x: x.mean(1), x=normal(5, 37))


def nans(t):
    holes = np.float32(np.random.default_rng(5).standard_normal((6, 37)))
    holes[::2, ::3] = np.nan
    for name in ("nansum", "nanmean"):
        t.add(f"torch.{name}(x, 1, True, dtype=x.dtype) + {name}(x, dtype=x.dtype)",
              lambda x, n=name: getattr(np, n)(x, 1, keepdims=True) + getattr(np, n)(x),
              x=np.where(np.arange(40) % 7 == 3, np.nan, np.arange(40)).astype("f4").reshape(5, 8))
    for name, function in (("nansum", np.nansum), ("nanprod", np.nanprod),
                           ("nanmean", np.nanmean), ("nanmax", np.nanmax), ("nanmin", np.nanmin),
                           ("nanvar", np.nanvar), ("nanstd", np.nanstd)):
        limits = "rel 1e-4 abs 1e-30" if name == "nanprod" else NARROW
        one = 0 if "var" in name or "std" in name else 1
        t.add(f"{name}(x)", by(function), limits, one, "full" if one else "", x=holes)
        t.row(f"{name}(x, axis=-1)", by(lambda x, f=function: f(x, -1)), limits, x=holes)
        t.row(f"{name}(x, axis=1, keepdims=True)",
              by(lambda x, f=function: f(x, 1, keepdims=True)), limits, x=holes)
    t.row("nanvar(x, 1, correction=1)", by(lambda x: np.nanvar(x, 1, ddof=1)), NARROW, x=holes)
    t.row("nanstd(x, 1, correction=1)", by(lambda x: np.nanstd(x, 1, ddof=1)), NARROW, x=holes)
    void = np.float32([[np.nan, np.nan], [1, np.nan], [-np.inf, np.nan], [np.inf, -np.inf]])
    t.row("nanmax(x, axis=-1)", by(lambda x: np.nanmax(x, -1)), x=void)
    t.row("nanmin(x, axis=-1)", by(lambda x: np.nanmin(x, -1)), x=void)


def rows(t):
    parts(t)
    moments(t)
    pairs(t)
    nans(t)
    masked(t)
    x = {"x": normal(5, 37)}
    inf = float("inf")
    for ord in (2, 1, 0, 3, 0.5, "inf", "-inf"):
        value = inf if ord == "inf" else -inf if ord == "-inf" else ord
        t.row(f"vector_norm(x, axis=-1, ord={ord})",
              lambda x, p=value: torch.linalg.vector_norm(x, p, -1), **x)
    t.full("vector_norm(x)", torch.linalg.vector_norm, **x)
    t.row("vector_norm(x, axis=-1, keepdims=True)",
          lambda x: torch.linalg.vector_norm(x, 2, -1, True), **x)
    t.full("norm(x)", torch.linalg.vector_norm, **x)
    t.full("norm(x, 'fro')", torch.linalg.vector_norm, **x)
    t.row("norm(x, 1, -1), norm(x, ord=None, axis=1)",
          lambda x: (x.norm(1, -1), x.norm(dim=1)), **x)
    t.row("norm(x, axis=1, keepdims=True)", lambda x: torch.linalg.vector_norm(x, 2, 1, True), **x)
    t.full("rms(x)", lambda x: (x * x).mean().sqrt(), **x)
    t.row("rms(x, axis=1, keepdims=True)", lambda x: (x * x).mean(1, True).sqrt(), **x)
    t.row("entropy(p)", lambda p: torch.special.entr(p).sum(-1), p=probabilities(5, 9))
    t.column("entropy(p, axis=0)", lambda p: torch.special.entr(p).sum(0),
             p=np.float32([[0, 0.5], [1, 0.25], [0, 0.25]]))
    t.full("count_nonzero(x > 0)", lambda x: (x > 0).sum(), **x)
    t.row("count_nonzero(x > 0, axis=1)", lambda x: (x > 0).sum(1), **x)
    t.column("count_nonzero(x, 0, keepdims=True)", lambda x: (x != 0).sum(0, True), **x)
    t.full("ptp(x)", by(np.ptp), **x)
    t.row("ptp(x, axis=1, keepdims=True)", by(lambda x: np.ptp(x, 1, keepdims=True)), **x)
    t.full("aminmax(x)", lambda x: (x.min(), x.max()), **x)
    t.row("aminmax(x, axis=1, keepdims=True)", lambda x: (x.amin(1, True), x.amax(1, True)), **x)
    holes = np.float32([[1, np.nan, 3, -2], [np.nan, 5, -1, 0]])
    t.add("nanargmax(x, 1), nanargmin(x, 1), nanargmax(x)",
          by(lambda x: (np.nanargmax(x, 1), np.nanargmin(x, 1), np.nanargmax(x))), x=holes)
    t.add("nanargmax(x, 1, keepdims=True), nanargmin(x, axis=0, keepdims=True)",
          by(lambda x: (np.nanargmax(x, 1, keepdims=True), np.nanargmin(x, 0, keepdims=True))),
          x=holes)
    wide = np.int64([[2**24 + 1, 2**24], [-2**24 - 1, 5]])
    t.add("nanmax(x, 1), nanmin(x, 1), nanargmax(x, 0)",
          by(lambda x: (np.nanmax(x, 1), np.nanmin(x, 1), np.nanargmax(x, 0))), x=wide)
    for p in (1, 2, "inf"):
        t.add(f"dist(x, y, {p})", lambda x, y, p=p: torch.dist(x, y, float(p)), "rel 3e-6",
              x=normal(5, 7), y=normal(5, 7))
    t.row("trapezoid(x, dx=0.5)", lambda x: torch.trapezoid(x, dx=0.5), "abs 1e-5", x=normal(5, 37))
    t.add("trapezoid(x, axis=0)", lambda x: torch.trapezoid(x, dim=0), "abs 1e-5", x=normal(5, 37))
    t.add("trapezoid(x, y), trapz(x, y[0])",
          lambda x, y: (torch.trapezoid(x, y), torch.trapz(x, y[0])), "abs 1e-5", x=normal(5, 37),
          y=normal(5, 37))


def parts(t):
    """Reductions of what a mask picks, and from an initial value."""
    x = {"x": normal(4, 5, 6), "m": lambda rng: rng.random((4, 5, 6)) < 0.5}
    k = {"k": integers(-9, 10, 4, 7, dtype=np.int8)}
    for text in ("sum(x, where=m)", "sum(x, axis=1, where=m[:, :1])", "sum(x, where=m[0])",
                 "sum(x, (0, 2), initial=2.5, where=m)", "prod(x, 2, where=m, initial=2)",
                 "max(x, 0, initial=-1, where=m)", "min(x, axis=1, initial=9, where=m)",
                 "max(x, 0, initial=0.5)", "mean(x, axis=(0, 2), where=m, keepdims=True)",
                 "mean(x, where=m)", "any(x > 1, 1, where=m)", "all(x < 1, 0, where=m)"):
        t.add(text, by(lambda x, m, text=text: eval(f"np.{text}", {"np": np, "x": x, "m": m})), **x)
    for text in ("sum(k, where=k > 3)", "max(k, 1, initial=-128, where=k > 3)",
                 "min(k, 0, initial=100, where=k > 7)", "prod(k, 1, where=k > 7, initial=3)",
                 "mean(k, 1, where=k > -9)", "sum(k, 0, initial=7)"):
        t.add(text, by(lambda k, text=text: eval(f"np.{text}", {"np": np, "k": k})), **k)
    t.add("max(k > 3, 1, initial=False), min(k > 3, 0, initial=True)",
          by(lambda k: (np.max(k > 3, 1, initial=False), np.min(k > 3, 0, initial=True))), **k)
    t.row("mean(x, 1, where=x > 99)", by(lambda x: x[:, 0] * np.nan), x=normal(3, 5))
    t.add("a, n = average(x, returned=True); average(x, 1, w, keepdims=True), a, n",
          by(lambda x, w: (np.average(x, 1, w, keepdims=True), *np.average(x, returned=True))),
          x=normal(3, 5), w=uniform(0.5, 2, 5))
    t.add("a, n = average(x, 0, x * x, True); a, n",
          by(lambda x: np.average(x, 0, x * x, True)), x=normal(3, 5))
    t.add("np.sum([x, y]), np.max([x, y], 0), np.mean([x, y], axis=0), sum([x, y])",
          by(lambda x, y: (np.sum([x, y]), np.max([x, y], 0), np.mean([x, y], axis=0), x + y)),
          x=normal(7), y=normal(7))
    t.column("np.mean(x, 0, np.float32)", by(lambda x: np.mean(x, 0)), x=normal(3, 5))
    rows = {"x": normal(4, 9), "y": normal(9)}
    t.add("dot(x, y), inner(x, y), mv(x, y), dot(y, y), vdot(x, x), dot(2, y)",
          lambda x, y: (x @ y, x @ y, x @ y, y @ y, (x * x).sum(), 2 * y), **rows)
    t.add("torch.cov(x, fweights=k), cov(x, 0, aweights=w), cov(y, correction=1, fweights=j, aweights=y * y)",
          lambda x, y, w, k, j: (torch.cov(x, fweights=k), torch.cov(x, correction=0, aweights=w),
                                 torch.cov(y, fweights=j, aweights=y * y)),
          "rel 3e-6 abs 2e-6", x=normal(5, 38), y=normal(37), w=uniform(0.1, 3, 38),
          k=integers(1, 5, 38), j=integers(1, 5, 37))
    t.add("cov(x), cov(x, 0), corrcoef(x), cov(y)",
          lambda x, y: (torch.cov(x), torch.cov(x, correction=0), torch.corrcoef(x), torch.cov(y)),
          **rows)
