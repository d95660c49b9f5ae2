"""Cumulative functions: NumPy, PyTorch and SciPy. Chunks are of 4096 elements along the last axis
and of 64 along others: the longer arrays here are made of few numbers, many times.
"""

import numpy as np
import torch
from composites.table import bools, integers, normal, uniform
from scipy import integrate

INTEGERS = ("int8", "uint8", "int16", "int32", "int64")
EXACT = "ulp 0"
CLOSE = "rel 3e-6 abs 2e-6"
LONG = "rel 6e-5 abs 2e-4"  # thousands of float32 sums
HALF = "rel 2e-3 abs 1e-3 wide 1"
BRAIN = "rel 1.6e-2 abs 1e-2 wide 1"


def whole(x):
    """As an array of float64 or of integers."""
    return x.numpy()


def strange(*shape):
    """NaN, infinities, zeros of both signs, large and small numbers."""

    def make(rng):
        x = rng.standard_normal(shape).astype(np.float32)
        x[0, 2], x[1, 3], x[2, 1], x[3, 2] = np.nan, np.inf, -np.inf, np.inf
        x[3, 4], x[4, :3], x[5, 2:5], x[5, :2] = -np.inf, -0.0, 0.0, -0.0
        x[6, :4], x[7, :3] = [3e38, -3e38, 1, 1e-40], [-np.inf, -np.inf, np.nan]
        x[8], x[9, :5] = np.nan, [1, 1, 0.5, 2, 2]
        return x

    return make


def holes(*shape):
    def make(rng):
        x = rng.standard_normal(shape).astype(np.float32)
        x[rng.random(shape) < 0.3] = np.nan
        return x

    return make


def extremes(op, x, axis):
    r = op(x, dim=axis)
    return r.values, r.indices


def sums(t):
    for text, axis in (("cumsum(x)", None), ("cumsum(x, 0)", 0), ("cumsum(x, axis=-1)", -1),
                       ("np.cumsum(x, 1)", 1), ("cumsum(x, None)", None), ("x.cumsum(-2)", -2)):
        t.add(text, lambda x, a=axis: np.cumsum(whole(x), a), CLOSE, x=normal(5, 7))
        if axis != 1:
            t.add(text.replace("sum", "prod"), lambda x, a=axis: np.cumprod(whole(x), a), CLOSE,
                  x=uniform(-1.6, 1.6, 5, 7))
    for axis in (0, 1, 2, -1, None):
        t.add(f"cumsum(x, {axis})", lambda x, a=axis: np.cumsum(whole(x), a), CLOSE,
              x=normal(3, 4, 5))
    for axis in (0, 1, -1):
        t.add(f"cumprod(x, {axis})", lambda x, a=axis: np.cumprod(whole(x), a), CLOSE,
              x=uniform(-1.6, 1.6, 3, 4, 5))
    t.add("torch.cumsum(x, dim=1)", lambda x: x.cumsum(1), CLOSE, x=normal(3, 9))
    t.add("torch.cumprod(x, dim=0)", lambda x: x.cumprod(0), CLOSE, x=normal(4, 3))
    t.add("x.cumsum(0)", lambda x: x.cumsum(0), CLOSE, x=normal(70))
    t.add("x.cumprod(0)", lambda x: x.cumprod(0), CLOSE, x=uniform(0.5, 1.5, 70))
    t.add("cumsum(x)", lambda x: np.cumsum(whole(x)), EXACT, x=normal(1))
    t.add("cumsum(x)", lambda x: np.cumsum(whole(x)), EXACT, x=normal())
    t.add("cumprod(x, 1)", lambda x: x, EXACT, x=normal(3, 1))
    for axis in (0, 1, -1, None):
        for shape in ((0, 3), (3, 0), (0, 0)):
            t.add(f"cumsum(x, {axis})", lambda x, a=axis: np.cumsum(whole(x), a), x=normal(*shape))
    t.add("cumprod(x, 1), cumprod(x)", lambda x: (x, x.reshape(-1)), x=normal(2, 0, 3))
    for axis in (0, 1):
        t.add(f"cumsum(x, {axis}), cumprod(x, {axis})",
              lambda x, a=axis: (x.cumsum(a), x.cumprod(a)), CLOSE, x=strange(10, 6))


def sums_of_integers(t):
    for dtype in INTEGERS:
        t.add("cumsum(x, 1), cumsum(x)", lambda x: (x.cumsum(1), x.reshape(-1).cumsum(0)),
              x=integers(0, 120, 3, 8, dtype=dtype))
        t.add("cumprod(x, 0), cumprod(x, -1)", lambda x: (x.cumprod(0), x.cumprod(1)),
              x=integers(-9 * (dtype != "uint8"), 10, 3, 8, dtype=dtype))
    t.add("cumsum(x, 0), cumprod(x, 1), cumsum(x)",
          lambda x: (x.cumsum(0), x.cumprod(1), x.reshape(-1).cumsum(0)), x=bools(4, 5))
    t.add("cumprod(x, 0)", lambda x: x.cumprod(0), x=np.array([2**62, 3, 5, -7, 2**33, 1]))
    t.add("cumsum(x)", lambda x: x.cumsum(0), x=np.array([2**63 - 1, 1, -(2**63), 2**62, 2**62]))
    t.add("cast(cumsum(x, 0, dtype=float64) / 2**52, float32)",
          lambda x: np.float32(whole(x).astype(float).cumsum() / 2**52), EXACT,
          x=np.array([2**52, 1, 1, 2**51]))
    for dtype in ("float8_e4m3fn", "float8_e5m2"):  # float32
        t.add(f"y = cast(x, {dtype}); m, i = cummax(y, 0); "
              "cumsum(y), cumprod(y), m, i, cummin(y, 0)[0]",
              lambda x: (x.cumsum(0), x.cumprod(0), *extremes(torch.cummax, x, 0),
                         x.cummin(0).values), x=np.float32([0.5, -1.5, 3, 3, 0.75, -2]))
    for dtype in ("int8", "uint8", "int32", "float32", "float16", "bool"):
        t.add(f"cumsum(x, 0, dtype={dtype})", lambda x, d=dtype: np.cumsum(whole(x), 0, dtype=d),
              "ulp 2", x=integers(0, 90, 9))
        t.add(f"np.cumprod(x, dtype={dtype})", lambda x, d=dtype: np.cumprod(whole(x), dtype=d),
              "ulp 2", x=integers(1, 4, 8, dtype="int32"))
    t.add("torch.cumsum(x, dim=0, dtype=torch.int32)",
          lambda x: torch.cumsum(x, 0, dtype=torch.int32), x=uniform(-9, 9, 20))
    t.add("cumsum(x, -1, int64)", lambda x: whole(x).astype(np.int64).cumsum(-1),
          x=uniform(-9, 9, 2, 9))
    t.add("cumsum(x > 0, 1)", lambda x: (x > 0).cumsum(1), x=normal(3, 11))


def halves(t):
    def brain(x):
        return x.to(torch.bfloat16).double()

    for axis in (0, -1):
        t.add(f"cumsum(cast(x, float16), {axis})",
              lambda x, a=axis: np.cumsum(whole(x).astype(np.float16).astype(float), a).astype(
                  np.float16), HALF, x=normal(5, 9))
        t.add(f"cast(cumsum(cast(x, bfloat16), {axis}), float32)",
              lambda x, a=axis: brain(brain(x).cumsum(a)), BRAIN, x=normal(5, 9))
        t.add(f"cast(cumprod(cast(x, bfloat16), {axis}), float32)",
              lambda x, a=axis: brain(brain(x).cumprod(a)), BRAIN, x=uniform(0.5, 1.5, 5, 9))
        t.add(f"cumprod(cast(x, float16), {axis})",
              lambda x, a=axis: np.cumprod(whole(x).astype(np.float16).astype(float), a).astype(
                  np.float16), HALF, x=uniform(0.5, 1.5, 5, 9))
    # each sum is rounded once: ones beyond 2048 count
    t.add("cumsum(cast(tile(x, 3000), float16))[2998:]",
          lambda x: np.float16([2999, 3000]), EXACT, x=np.ones(1, np.float32))
    t.add("m, i = cummax(cast(x, float16), 1); cast(m, float32), i",
          lambda x: extremes(torch.cummax, x.to(torch.float16).double(), 1), EXACT + " wide 1",
          x=normal(3, 9))
    t.add("m, i = cummin(cast(x, bfloat16), 0); cast(m, float32), i",
          lambda x: extremes(torch.cummin, brain(x), 0), EXACT + " wide 1", x=normal(9, 3))


def longer(t):
    """Of more than one chunk, in which the parts before and behind a border are looked at."""
    for n in (4095, 4096, 4097):
        t.add(f"cumsum(arange({n}))[-2:]", lambda n=n: np.arange(n).cumsum()[-2:])
    digits = integers(-9, 10, 8200, dtype="int8")
    t.add("s = cumsum(x); m, i = cummax(x, 0); n, k = cummin(x[::-1], 0); s[::19], sum(s), sum(m), "
          "sum(i), sum(n), sum(k)",
          lambda x: (x.cumsum(0)[::19], x.cumsum(0).sum(), *(
              r.sum() for f, y in ((torch.cummax, x), (torch.cummin, x.flip(0)))
              for r in extremes(f, y, 0))), x=digits)
    t.add("cumsum(tile(cast(x, float32), 2000))[4000:8200:211]",
          lambda x: np.float32(whole(x.tile(2000)).cumsum()[4000:8200:211]), EXACT,
          x=np.array([5, -9, 3, 8, -6]))
    for lo, hi in ((4090, 4102), (8190, 8194), (9998, 10000)):
        t.add(f"cumsum(tile(x, 500))[{lo}:{hi}]",
              lambda x, lo=lo, hi=hi: x.tile(500).cumsum(0)[lo:hi], LONG, x=normal(20))
    t.add("cumsum(tile(x, 500), -1)[:, ::1000]",
          lambda x: x.tile(500).cumsum(-1)[:, ::1000], LONG, x=normal(3, 20))
    t.add("cumsum(tile(x, (13, 1)), 0)[60:]", lambda x: x.tile(13, 1).cumsum(0)[60:], LONG,
          x=normal(10, 3))
    t.add("cumsum(tile(x, (1, 26, 1)), 1)[:, 63:130:3]",
          lambda x: x.tile(1, 26, 1).cumsum(1)[:, 63:130:3], LONG, x=normal(2, 5, 4))
    t.add("cumsum(x, 0), cumsum(x, 1)", lambda x: (x.cumsum(0), x.cumsum(1)),
          x=integers(-99, 99, 129, 3, dtype="int32"))
    t.add("cumprod(x, 0), cumprod(x)[380:]",
          lambda x: (x.cumprod(0), x.reshape(-1).cumprod(0)[380:]),
          x=integers(-3, 4, 129, 3))
    t.add("cummax(x, 0)", lambda x: extremes(torch.cummax, x, 0), x=integers(0, 99, 200, 2))
    t.add("cummin(x, 2)", lambda x: extremes(torch.cummin, x, 2), EXACT, x=normal(2, 1, 5, 3, 2))
    t.add("cummin(x, 0)", lambda x: extremes(torch.cummin, x, 0), EXACT, x=normal(100, 2))
    t.add("cumprod(tile(x, 1500))[4094:4500:40]", lambda x: x.tile(1500).cumprod(0)[4094:4500:40],
          "rel 2e-4 abs 1e-30", x=np.float32([1.25, 0.5, 1.6]))
    # what a chunk is folded to is beyond float32, what its row is isn't
    t.add("cumprod(x, 0)[60:110:5]", lambda x: x.cumprod(0)[60:110:5], EXACT,
          x=np.repeat(np.float32([2, 0.125]), 64).reshape(128, 1))
    t.add("cumprod(x, 0)[60:110:5]", lambda x: x.cumprod(0)[60:110:5], EXACT,
          x=np.repeat(np.float32([0.5, 8]), 64).reshape(128, 1))
    # infinities and NaN go on into other chunks
    t.add("cumsum(where(arange(9000) == x, inf, 1))[4094:9000:700]",
          lambda x: np.full(8, np.inf), EXACT, x=np.array([4094]))
    t.add("y = where(arange(9000) == x, nan, 1); cumsum(y)[::3000], cumprod(y)[::3000]",
          lambda x: (np.array([1, np.nan, np.nan]), np.array([1, np.nan, np.nan])), EXACT,
          x=np.array([2000]))
    t.add("m, i = cummax(where(arange(9000) == x, nan, -arange(9000)), 0); "
          "m[1999::3000], i[::2500]",
          lambda x: (np.array([-0.0, np.nan, np.nan]), np.array([0, 2000, 2000, 2000])), EXACT,
          x=np.array([2000]))


def logarithms(t):
    """Sums of exponentials that float32 can't hold, infinities, NaN, and more than one chunk."""

    def brain(x):
        return x.to(torch.bfloat16).double()

    for axis in (0, 1, -1):
        t.add(f"logcumsumexp(x, {axis})", lambda x, a=axis: x.logcumsumexp(a), CLOSE,
              x=normal(6, 9))
    t.add("torch.logcumsumexp(x, dim=0)", lambda x: x.logcumsumexp(0), CLOSE, x=normal(11))
    t.add("x.logcumsumexp(1)", lambda x: x.logcumsumexp(1), CLOSE, x=uniform(-3000, 3000, 2, 40))
    t.add("logcumsumexp(x, 0), logcumsumexp(x, 1)",
          lambda x: (x.logcumsumexp(0), x.logcumsumexp(1)), CLOSE, x=strange(10, 6))
    t.add("logcumsumexp(x, 0)", lambda x: x.double().logcumsumexp(0), CLOSE,
          x=integers(-9, 9, 12, dtype="int32"))
    t.add("cast((logcumsumexp(cast(x, float64), 0) - 4) * 2**30, float32)",
          lambda x: (x.logcumsumexp(0) - 4) * 2**30, "rel 1e-5", x=uniform(1, 5, 50))
    t.add("logcumsumexp(cast(x, float16), 0)",
          lambda x: x.to(torch.float16).double().logcumsumexp(0).to(torch.float16), HALF,
          x=normal(9, 3))
    t.add("cast(logcumsumexp(cast(x, bfloat16), 1), float32)",
          lambda x: brain(brain(x).logcumsumexp(1)), BRAIN, x=normal(3, 9))
    for shape in ((0, 3), (3, 0), (1, 1)):
        t.add("logcumsumexp(x, 0)", lambda x: x.logcumsumexp(0), EXACT, x=normal(*shape))
    t.add("logcumsumexp(tile(x, 500), 0)[4090:10000:371]",
          lambda x: x.tile(500).logcumsumexp(0)[4090:10000:371], CLOSE, x=normal(20))
    t.add("logcumsumexp(tile(x, (13, 1)), 0)[60:]", lambda x: x.tile(13, 1).logcumsumexp(0)[60:],
          CLOSE, x=normal(10, 3))
    t.add("exp(logcumsumexp(x * 2, 1) - 1)", lambda x: ((x * 2).logcumsumexp(1) - 1).exp(),
          "rel 1e-5", x=normal(4, 13))


def fused(t):
    t.add("exp(cumsum(log(x), -1)) * 2 + 1", lambda x: x.log().cumsum(-1).exp() * 2 + 1,
          "rel 1e-5", x=uniform(0.5, 1.5, 4, 11))
    t.add("cumsum(x * y, 0) / (arange(len(x)) + 1)[:, None]",
          lambda x, y: (x * y).cumsum(0) / torch.arange(1, 9)[:, None], CLOSE, x=normal(8, 3),
          y=normal(8, 3))
    t.add("cumsum(x - mean(x, -1, True), -1)",
          lambda x: (x - x.mean(-1, True)).cumsum(-1), CLOSE, x=normal(4, 13))
    t.add("cumsum(softmax(x), -1)", lambda x: x.softmax(-1).cumsum(-1), CLOSE, x=normal(4, 13))
    t.add("max(cumsum(x, -1), -1) - min(cumsum(x, -1), -1)",
          lambda x: x.cumsum(-1).amax(-1) - x.cumsum(-1).amin(-1), CLOSE, x=normal(4, 30))
    t.add("cumsum(cumsum(x, 0), 1)", lambda x: x.cumsum(0).cumsum(1), CLOSE, x=normal(5, 6))
    t.add("cumsum(cumsum(x, 1), 1)", lambda x: x.cumsum(1).cumsum(1), CLOSE, x=normal(5, 6))
    t.add("cumsum(x.T, 0)", lambda x: x.T.cumsum(0), CLOSE, x=normal(5, 6))
    t.add("flip(cumsum(flip(x, -1), -1), -1)", lambda x: x.flip(-1).cumsum(-1).flip(-1), CLOSE,
          x=normal(3, 10))
    t.add("cumsum(broadcast_to(x, (4, 7)), 0)", lambda x: x.expand(4, 7).cumsum(0), CLOSE,
          x=normal(7))
    t.add("cumsum(ones(2, 5), 1) * x", lambda x: torch.ones(2, 5).cumsum(1) * x, EXACT,
          x=normal(2, 1))
    t.add("cumsum(concatenate((x, y), 1), 1)[:, 2:]",
          lambda x, y: torch.cat((x, y), 1).cumsum(1)[:, 2:], CLOSE, x=normal(3, 4), y=normal(3, 5))
    t.add("cumsum(x[:, ::2], 1), cumsum(x[::-1], 0)",
          lambda x: (x[:, ::2].cumsum(1), x.flip(0).cumsum(0)), CLOSE, x=normal(4, 9))
    t.add("i = cumsum(x, 0) - 1; take(y, i)", lambda x, y: y[x.cumsum(0) - 1], EXACT, 
          x=np.ones(6, int), y=normal(6))
    t.add("cumprod(1 - x, -1) * x", lambda x: (1 - x).cumprod(-1) * x, CLOSE, x=uniform(0, 1, 3, 8))


def array_api(t):
    def with_first(function, one, x, axis, dtype=None):
        y = function(whole(x), axis, dtype=dtype)
        shape = list(y.shape)
        shape[axis] = 1
        return np.concatenate((np.full(shape, one, y.dtype), y), axis)

    for name, one, function in (("sum", 0, np.cumsum), ("prod", 1, np.cumprod)):
        name = f"cumulative_{name}"
        t.add(f"{name}(x)", lambda x, f=function: f(whole(x)), CLOSE, x=uniform(-1.5, 1.5, 9))
        t.add(f"np.{name}(x, axis=1)", lambda x, f=function: f(whole(x), 1), CLOSE,
              x=uniform(-1.5, 1.5, 3, 5))
        t.add(f"{name}(x, include_initial=True)",
              lambda x, f=function, o=one: with_first(f, o, x, 0), CLOSE, x=uniform(-1.5, 1.5, 9))
        for axis in (0, 1, -1):
            t.add(f"{name}(x, axis={axis}, include_initial=True)",
                  lambda x, f=function, o=one, a=axis: with_first(f, o, x, a), CLOSE,
                  x=uniform(-1.5, 1.5, 3, 4, 2))
        for dtype in ("int8", "uint8", "bool"):
            t.add(f"{name}(x, 0, include_initial=True)",
                  lambda x, f=function, o=one: with_first(f, o, x, 0, np.int64),
                  x=np.array([[1, 1], [0, 1], [1, 0]], dtype))
        t.add(f"{name}(x, dtype=int32, include_initial=True)",
              lambda x, f=function, o=one: with_first(f, o, x, 0, np.int32),
              x=integers(-3, 4, 7, dtype="int8"))
        t.add(f"{name}(x, 1, float32, include_initial=False)",
              lambda x, f=function: f(whole(x), 1).astype(np.float32), EXACT,
              x=integers(-3, 4, 2, 7))
        t.add(f"{name}(x, 1, include_initial=True)",
              lambda x, o=one: np.full((2, 1), float(o)), x=normal(2, 0))
    t.add("diff(cumulative_sum(x, include_initial=True))", lambda x: x.long(),
          x=integers(-99, 99, 20, dtype="int32"))


def without_nan(t):
    for axis in (None, 0, 1, -1):
        t.add(f"nancumsum(x, {axis})", lambda x, a=axis: np.nancumsum(whole(x), a), CLOSE,
              x=holes(5, 7))
        t.add(f"np.nancumprod(x, axis={axis})", lambda x, a=axis: np.nancumprod(whole(x), a), CLOSE,
              x=holes(5, 7))
    t.add("nancumsum(x, 1), nancumprod(x, 1)",
          lambda x: (np.nancumsum(whole(x), 1), np.nancumprod(whole(x), 1)), CLOSE,
          x=strange(10, 6))
    t.add("nancumsum(x, 0, dtype=int32)", lambda x: np.nancumsum(np.trunc(x), 0, dtype=np.int32),
          x=holes(9))
    t.add("nancumprod(x, 0, dtype=float32)", lambda x: np.float32(np.nancumprod(whole(x), 0)),
          "rel 1e-6 wide 1", x=holes(9))
    for dtype in ("int8", "int64"):
        t.add("nancumsum(x), nancumprod(x)", lambda x: (x.cumsum(0), x.cumprod(0)),
              x=integers(-5, 6, 9, dtype=dtype))
    t.add("nancumsum(x), nancumprod(x)", lambda x: (x.cumsum(0), x.cumprod(0)), x=bools(9))


def places(t):
    for name, op in (("cummax", torch.cummax), ("cummin", torch.cummin)):
        for axis in (0, 1, -1):
            t.add(f"{name}(x, {axis})", lambda x, f=op, a=axis: extremes(f, x, a), EXACT,
                  x=normal(3, 8, 4))
            t.add(f"torch.{name}(x, dim={axis})", lambda x, f=op, a=axis: extremes(f, x, a), EXACT,
                  x=strange(10, 6))
        for dtype in INTEGERS:
            lowest = np.iinfo(dtype).min
            t.add(f"{name}(x, -1)", lambda x, f=op: extremes(f, x, -1),  # of ties the last
                  x=integers(0, 6, 3, 9, dtype=dtype))
            t.add(f"x.{name}(0)", lambda x, f=op: extremes(f, x, 0),
                  x=np.array([lowest, lowest, 3, np.iinfo(dtype).max, 5, lowest], dtype))
        t.add(f"{name}(x, 1)", lambda x, f=op: extremes(f, x, 1), x=bools(4, 6))
        t.add(f"{name}(x, 0)", lambda x, f=op: extremes(f, x, 0), EXACT, x=normal(1))
        t.add(f"{name}(x, 1)", lambda x: (x, torch.zeros(2, 0, dtype=torch.int64)), x=normal(2, 0))
        t.add(f"{name}(x, 0)", lambda x: (x, torch.zeros(0, 3, dtype=torch.int64)), x=normal(0, 3))
        t.add(f"{name}(x, 0)", lambda x, f=op: extremes(f, x, 0), EXACT,
              x=np.float32([np.inf, -np.inf, np.inf, 0, -np.inf]))
        t.add(f"{name}(x * 2, 1)[0] - x", lambda x, f=op: f(x * 2, 1).values - x, CLOSE,
              x=normal(3, 5))
        t.add(f"{name}(x, 1)[1]", lambda x, f=op: f(x, 1).indices, x=normal(3, 5))
    t.add("m, i = cummax(x, 1); take_along_axis(x, i, 1) - m", lambda x: x * 0, EXACT,
          x=normal(3, 20))
    t.add("x / cummax(x, 0)[0] - 1", lambda x: x / x.cummax(0).values - 1, CLOSE,
          x=uniform(1, 2, 40))


def integrals(t):
    def numeric(y, x=None, dx=1.0, axis=-1, initial=None):
        given = None if x is None else whole(x).astype(float)
        return integrate.cumulative_trapezoid(whole(y).astype(float), given, dx, axis, initial)

    t.add("cumulative_trapezoid(y)", numeric, CLOSE, y=normal(9))
    t.add("cumulative_trapezoid(y, dx=0.25)", lambda y: numeric(y, None, 0.25), CLOSE,
          y=normal(3, 9))
    for axis in (0, 1, -1):
        t.add(f"cumulative_trapezoid(y, axis={axis}, initial=0)",
              lambda y, a=axis: numeric(y, None, 1.0, a, 0), CLOSE, y=normal(4, 5, 3))
        t.add(f"torch.cumulative_trapezoid(y, dim={axis})",
              lambda y, a=axis: torch.cumulative_trapezoid(y, dim=a), CLOSE, y=normal(4, 5, 3))
        t.add(f"torch.cumulative_trapezoid(y, x, dim={axis})",
              lambda y, x, a=axis: torch.cumulative_trapezoid(y, x, dim=a), CLOSE,
              y=normal(4, 5, 3), x=normal(4, 5, 3))
    t.add("cumulative_trapezoid(y, x)", numeric, CLOSE, y=normal(9), x=normal(9))
    t.add("scipy.cumulative_trapezoid(y, x, initial=0)", lambda y, x: numeric(y, x, initial=0),
          CLOSE, y=normal(3, 9), x=normal(9))
    t.add("cumulative_trapezoid(y, x, axis=0)", lambda y, x: numeric(y, x, axis=0), CLOSE,
          y=normal(5, 3), x=normal(5))
    t.add("cumulative_trapezoid(y, x, axis=1)",
          lambda y, x: torch.cumulative_trapezoid(y, x, dim=1), CLOSE, y=normal(2, 5, 3),
          x=normal(5, 3))
    t.add("torch.cumulative_trapezoid(y, dx=2.0, dim=0)",
          lambda y: torch.cumulative_trapezoid(y, dx=2.0, dim=0), CLOSE, y=normal(5, 3))
    t.add("cumulative_trapezoid(y, x)", numeric, "rel 1e-6 wide 1",
          y=np.array([100, 100, -128, 127, 127], np.int8),
          x=np.array([-100, 100, 120, 127, -128], np.int8))
    t.add("cumulative_trapezoid(y)", numeric, "rel 1e-6 wide 1", y=bools(9))
    t.add("cumulative_trapezoid(y)", lambda y: y[:0], y=normal(1))
    t.add("cumulative_trapezoid(y, axis=0, initial=0)", lambda y: y * 0, y=normal(1, 3))
    t.add("cumulative_trapezoid(tile(y, 500), dx=0.01)[4090::300]",
          lambda y: torch.cumulative_trapezoid(y.tile(500), dx=0.01)[4090::300], LONG, y=normal(20))


def rows(t):
    sums(t)
    sums_of_integers(t)
    halves(t)
    longer(t)
    logarithms(t)
    fused(t)
    array_api(t)
    without_nan(t)
    places(t)
    integrals(t)
