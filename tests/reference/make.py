"""Reference values for every operation of src/ir/ops.def and every composite of src/library, from
sources that share nothing with kfuse: NumPy for what rounds correctly and for integers, mpmath for
functions, SciPy where arguments are special, PyTorch (in float64) for reductions and, in
composites/*.py, for composites, Philox by Random123's definition.

    python3 tests/reference/make.py [FOLDER]                needs numpy, scipy, mpmath, torch
    python3 tests/reference/make.py composites [NAME ...]   those, of all files or of some
    python3 tests/reference/make.py --check                 are the committed files what it makes?

writes FOLDER/*.txt, which are committed (joins.txt: make_joins.py). tests/test_reference.c runs
them by the oracle and compiled, tests/test_library.c those of composites, tests/test_reference.py
some by the command. A case is

    = gelu(x * s)                           the text
    * 1 pointwise                           how many kernels it is, of which kind; may be missing
    x float32 3,4 : 0 -0 inf nan ...        its inputs, by name
    s float : 0.5                           a number given at run time; or `int`
    > float32 3,4 ulp 4 : ...               its results: `ulp N`, or `rel R abs A`
"""

import fractions
import pathlib
import sys
import tempfile
import zlib

import mpmath
import numpy as np
import torch
from cases import PAIRS, SPECIAL, Cases, inf, nan
from scipy import special

import composites

mpmath.mp.prec = 120
rng = np.random.default_rng(7)
np.seterr(all="ignore")


def uniform(lo, hi, *shape):
    return (rng.random(shape) * (hi - lo) + lo).astype(np.float32)


def pairs(values, more_a, more_b):
    a, b = np.meshgrid(values, values)
    return (np.concatenate([a.ravel(), more_a]).astype(values.dtype),
            np.concatenate([b.ravel(), more_b]).astype(values.dtype))


# ---------------------------------------------------------------- operations on floats


def precise(function, plain):
    """function by mpmath where everything is finite, else what NumPy says in double."""

    def one(*args):
        wide = [np.float64(a) for a in args]
        easy = plain(*wide)
        if not all(np.isfinite(wide)) or any(w == 0 for w in wide) or np.isnan(easy):
            return easy
        try:
            return float(mpmath.re(function(*map(mpmath.mpf, map(float, args)))))
        except (ValueError, OverflowError, ZeroDivisionError):
            return easy

    return lambda *arrays: np.array([one(*v) for v in zip(*arrays)])


def to_f32(a):
    """Beyond f32 is infinite; the rest stays wide."""
    beyond = np.abs(a) >= 2.0**128 * (1 - 2.0**-25)
    return ("float32", np.where(beyond, np.copysign(inf, a), a))


FUNCTIONS = [  # name, mpmath, NumPy, lo, hi, ulp
    ("exp", mpmath.exp, np.exp, -100, 100, 2),
    ("expm1", mpmath.expm1, np.expm1, -100, 88, 4),
    ("log", mpmath.log, np.log, 0, 1e4, 2),
    ("log1p", mpmath.log1p, np.log1p, -1, 1e4, 4),
    ("rsqrt", lambda x: 1 / mpmath.sqrt(x), lambda x: 1 / np.sqrt(x), 0, 1e4, 2),
    ("tanh", mpmath.tanh, np.tanh, -10, 10, 2),
    ("erf", mpmath.erf, lambda x: np.float64(torch.erf(torch.tensor(x))), -5, 5, 4),
    ("sin", mpmath.sin, np.sin, -100, 100, 4),
    ("cos", mpmath.cos, np.cos, -100, 100, 4),
]
ROUNDED = [  # unary operations that round correctly, or are exact
    ("-x", np.negative), ("abs(x)", np.abs), ("sign(x)", np.sign), ("square(x)", np.square),
    ("round(x)", np.rint), ("floor(x)", np.floor), ("ceil(x)", np.ceil), ("trunc(x)", np.trunc),
    ("sqrt(x)", np.sqrt), ("reciprocal(x)", lambda x: (1 / x).astype(x.dtype)),
    ("isnan(x)", np.isnan), ("isinf(x)", np.isinf), ("isfinite(x)", np.isfinite),
]
BINARY = [
    ("x + y", np.add), ("x - y", np.subtract), ("x * y", np.multiply), ("x / y", np.divide),
    ("maximum(x, y)", np.maximum), ("minimum(x, y)", np.minimum),
    ("x == y", np.equal), ("x != y", np.not_equal), ("x < y", np.less), ("x <= y", np.less_equal),
    ("x > y", np.greater), ("x >= y", np.greater_equal), ("x % y", np.remainder),
]


def float_ops():
    cases = Cases("Operations on floats: NumPy and mpmath.")
    for name, exact, plain, lo, hi, ulp in FUNCTIONS:
        x = np.concatenate([SPECIAL, uniform(lo, hi, 30)])
        cases.add(f"{name}(x)", {"x": x}, to_f32(precise(exact, plain)(x)), f"ulp {ulp + 0.5}")
    x = np.concatenate([SPECIAL, uniform(-100, 100, 30)])
    for text, function in ROUNDED:
        cases.add(text, {"x": x}, function(x))
        cases.add(text, {"x": x.astype(np.float64)}, function(x.astype(np.float64)))
    a, b = pairs(PAIRS, uniform(-100, 100, 30), uniform(-100, 100, 30))
    for text, function in BINARY:
        x, y = a, b
        if "%" in text:  # NumPy: NaN for a % inf of the other sign; Python: inf
            keep = ~np.isinf(b)
            x, y = a[keep], b[keep]
        cases.add(text, {"x": x, "y": y}, function(x, y))
    cases.add("x // y", {"x": a, "y": b}, floor_quotient(a, b))
    a, b = pairs(np.abs(PAIRS), uniform(0, 10, 30), uniform(-5, 5, 30))
    power = precise(mpmath.power, np.power)
    cases.add("pow(x, y)", {"x": a, "y": b}, to_f32(power(a, b)), "ulp 4.5")
    a, b = pairs(PAIRS, np.zeros(0, np.float32), np.zeros(0, np.float32))
    whole = (a < 0) & (b == np.trunc(b)) & np.isfinite(a)
    s, e = a[whole], b[whole]
    cases.add("x ** y", {"x": s, "y": e}, to_f32(power(s, e)), "ulp 4.5")
    c = a > b
    cases.add("where(c, x, y)", {"c": c, "x": a, "y": b}, np.where(c, a, b))
    return cases


def floor_quotient(a, b):
    """The floor of the exact quotient, in integers."""

    def one(x, y):
        if y == 0:
            return np.float64(x) / np.float64(y)
        if not np.isfinite(x) or np.isnan(y):
            return nan
        if np.isinf(y):
            return 0.0 if x == 0 or (x > 0) == (y > 0) else -1.0
        p, q = float(x).as_integer_ratio()
        r, s = float(y).as_integer_ratio()
        value = (p * s) // (q * r)
        return float(value) if abs(value) < 2**1000 else np.copysign(inf, value)

    return np.array([one(x, y) for x, y in zip(a, b)]).astype(np.float32)


# ---------------------------------------------------------------- integers, bools, casts


def int_values(dtype):
    i = np.iinfo(dtype)
    return np.array([0, 1, 2, 7, 40, i.max, i.max - 1] + ([-1, -3, i.min] if i.min < 0 else [200]),
                    np.int64)


def shifted(left):
    def one(a, b, bits, dtype):
        a, b = int(a), int(b)
        if b < 0 or b >= bits:
            value = 0 if left or a >= 0 else -1
        else:
            value = a << b if left else a >> b
        return np.array(value & (2**bits - 1), np.uint64).astype(dtype)

    return lambda a, b: np.array([one(x, y, a.dtype.itemsize * 8, a.dtype) for x, y in zip(a, b)],
                                 a.dtype)


def int_power(a, b):
    bits = a.dtype.itemsize * 8

    def one(x, y):
        x, y = int(x), int(y)
        if y < 0:
            return 1 if x == 1 else (1 if y % 2 == 0 else -1) if x == -1 else 0
        return pow(x, y, 2**bits)

    return np.array([one(x, y) & (2**bits - 1) for x, y in zip(a, b)], np.uint64).astype(a.dtype)


INTEGER = [
    ("x + y", np.add), ("x - y", np.subtract), ("x * y", np.multiply), ("x // y", np.floor_divide),
    ("x % y", np.remainder), ("maximum(x, y)", np.maximum), ("minimum(x, y)", np.minimum),
    ("x & y", np.bitwise_and), ("x | y", np.bitwise_or), ("x ^ y", np.bitwise_xor),
    ("gcd(x, y)", np.gcd), ("np.lcm(x, y)", np.lcm),
    ("x << y", shifted(True)), ("x >> y", shifted(False)), ("x ** y", int_power),
    ("x == y", np.equal), ("x < y", np.less), ("x >= y", np.greater_equal),
]


def int_ops():
    cases = Cases("Operations on integers and bools, and casts: NumPy and Python's integers.")
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        values = int_values(dtype).astype(dtype)
        x, y = (v.ravel() for v in np.meshgrid(values, values))
        for text, function in INTEGER:
            cases.add(text, {"x": x, "y": y}, function(x, y))
        for text, function in (("-x", np.negative), ("abs(x)", np.abs), ("~x", np.invert),
                               ("sign(x)", np.sign), ("square(x)", np.square)):
            cases.add(text, {"x": values}, function(values))
    x, y = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    for text, function in (("x & y", np.logical_and), ("x | y", np.logical_or),
                           ("x ^ y", np.logical_xor), ("x == y", np.equal)):
        cases.add(text, {"x": x, "y": y}, function(x, y))
    cases.add("~x", {"x": x}, ~x)
    floats = np.concatenate([SPECIAL, np.array([127.5, -128.9, 255.9, 256, -1, 2147483648,
                                                -2147483904, 9.3e18, -1e19], np.float32)])
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        i = np.iinfo(dtype)
        want = [0 if np.isnan(v) else i.max if v == inf else i.min if v == -inf else
                min(max(int(v), i.min), i.max) for v in floats]
        cases.add(f"cast(x, {np.dtype(dtype)})", {"x": floats}, np.array(want, dtype))
        values = int_values(np.int64)
        cases.add(f"cast(x, {np.dtype(dtype)})", {"x": values}, values.astype(dtype))
        cases.add("cast(x, float32)", {"x": values.astype(dtype)},
                  values.astype(dtype).astype(np.float32))
    cases.add("cast(x, bool)", {"x": floats}, floats != 0)
    edges = [65504, 65519, 65520, 2.0**-24, 2.0**-25, 1.5 * 2.0**-24, 2049, 2051, 0.1]
    halves = np.concatenate([floats, np.array(edges, np.float32)])
    cases.add("cast(cast(x, float16), float32)", {"x": halves},
              halves.astype(np.float16).astype(np.float32))
    bfloat = torch.tensor(halves).to(torch.bfloat16).to(torch.float32).numpy()
    cases.add("cast(cast(x, bfloat16), float32)", {"x": halves}, bfloat)
    return cases


# ---------------------------------------------------------------- functions, of f32 and f64


MORE = [  # name, mpmath, NumPy or SciPy, lo, hi, ulp
    ("exp2", lambda x: mpmath.power(2, x), np.exp2, -100, 100, 2),
    ("log2", lambda x: mpmath.log(x, 2), np.log2, 0, 1e4, 4),
    ("log10", mpmath.log10, np.log10, 0, 1e4, 4),
    ("cbrt", lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), np.cbrt, -1e4, 1e4, 2),
    ("sinh", mpmath.sinh, np.sinh, -10, 10, 4), ("cosh", mpmath.cosh, np.cosh, -10, 10, 4),
    ("asinh", mpmath.asinh, np.arcsinh, -100, 100, 4),
    ("acosh", mpmath.acosh, np.arccosh, 1, 100, 4),
    ("atanh", mpmath.atanh, np.arctanh, -1, 1, 4),
    ("tan", mpmath.tan, np.tan, -100, 100, 4), ("asin", mpmath.asin, np.arcsin, -1, 1, 4),
    ("acos", mpmath.acos, np.arccos, -1, 1, 4), ("atan", mpmath.atan, np.arctan, -100, 100, 4),
    ("erfc", mpmath.erfc, special.erfc, -5, 10, 4),
    ("lgamma", mpmath.loggamma, lambda x: abs(x) if np.isinf(x) else special.gammaln(x),  # C, PyTorch
     -10, 100, 8),
    ("erfinv", mpmath.erfinv, special.erfinv, -1, 1, 4),
    ("digamma", mpmath.digamma, special.digamma, 0.1, 100, 16),
]
TWO_FLOATS = [  # as MORE, without bounds
    ("hypot", lambda x, y: mpmath.hypot(x, y), np.hypot, 2),
    ("atan2", mpmath.atan2, np.arctan2, 4),
    ("copysign", None, np.copysign, 0), ("nextafter", None, np.nextafter, 0),
    ("fmod", None, np.fmod, 0), ("fmax", None, np.fmax, 0), ("fmin", None, np.fmin, 0),
]


def functions():
    cases = Cases("Functions of f32 and f64, special values included: mpmath, NumPy and SciPy.")
    own = np.random.default_rng(11)
    for name, exact, plain, lo, hi, ulp in FUNCTIONS + MORE:
        x = np.concatenate([SPECIAL, (own.random(20) * (hi - lo) + lo).astype(np.float32)])
        if name == "digamma":  # of f64: near its zeros, and below 0, terms cancel
            wide = np.array([0.0, -0.0, inf, -inf, nan, -1, -2, 3, 5.5, 1e300, 1e-300])
        else:
            wide = np.concatenate([x.astype(np.float64), [1e300, -1e300, 1e-310, 709.5, -745]])
        want = precise(exact, plain)
        if (name, exact, plain, lo, hi, ulp) in MORE:
            cases.add(f"{name}(x)", {"x": x}, to_f32(want(x)), f"ulp {ulp + 0.5}")
        cases.add(f"{name}(x)", {"x": wide}, want(wide), f"ulp {ulp + 0.5}")
    for dtype in (np.float32, np.float64):
        more = (own.random((2, 20)) * 200 - 100).astype(dtype)
        x, y = pairs(PAIRS.astype(dtype), more[0], more[1])
        for name, exact, plain, ulp in TWO_FLOATS:
            want = plain(x, y)
            if exact:
                want = precise(exact, plain)(x, y)
                want = to_f32(want) if dtype == np.float32 else want
            cases.add(f"{name}(x, y)", {"x": x, "y": y}, want, f"ulp {ulp + 0.5 if ulp else 0}")
        z = pairs(PAIRS.astype(dtype), more[1], more[0])[1]
        keep = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
        cases.add("fma(x, y, z)", {"x": x[keep], "y": y[keep], "z": z[keep]},
                  fused(x[keep], y[keep], z[keep]))
        cases.add("signbit(x)", {"x": x}, np.signbit(x))
        cases.add("np.spacing(x)", {"x": x}, np.spacing(x))
        cases.add("logb(x)", {"x": x}, np.where(np.isinf(x) | (x == 0), np.log(np.abs(x)),
                                                np.frexp(x)[1] - 1 + 0 * x).astype(dtype))
        steps = np.concatenate([PAIRS, [-149, -126, -30.75, 2.5, 127, 1e6, -1023, 1080, -2000, 2000]])
        p, q = pairs(np.concatenate([PAIRS, [1.5, -7, 2.0**-126]]).astype(dtype), [], [])
        q = steps[np.arange(q.size) % steps.size].astype(dtype)
        whole = np.clip(np.nan_to_num(q), -9999, 9999).astype(np.int32)
        cases.add("scalb(x, y)", {"x": p, "y": q}, np.where(np.isnan(q), q, np.ldexp(p, whole)))
        cases.add("positive(x)", {"x": x}, x)
        for name, plain in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
            cases.add(f"logical_{name}(x, y)", {"x": x, "y": y}, plain(x, y))
        cases.add("logical_not(x)", {"x": x}, np.logical_not(x))
    halves = np.concatenate([PAIRS[np.abs(PAIRS) != np.float32(3e38)], [65504, -65504, 6e-8, 2.05]])
    x, y = (v.ravel().astype(np.float32) for v in np.meshgrid(halves, halves))
    cases.add("nextafter(cast(x, float16), cast(y, float16))", {"x": x, "y": y},
              np.nextafter(x.astype(np.float16), y.astype(np.float16)))
    integers(cases)
    return cases


def fused(x, y, z):
    """x * y + z in rational numbers, rounded once."""

    def one(*v):
        p, q, r = (fractions.Fraction(float(w)) for w in v)
        exact = p * q + r
        if exact == 0:
            return float(v[0]) * float(v[1]) + float(v[2])
        try:
            wide = float(exact)
        except OverflowError:
            return inf if exact > 0 else -inf
        if x.dtype == np.float64:
            return wide
        near = np.float32(wide)  # the nearest of three floats
        if not np.isfinite(near):
            return near
        around = [np.nextafter(near, np.float32(-inf)), near, np.nextafter(near, np.float32(inf))]
        return min((f for f in around if np.isfinite(f)), key=lambda f: (
            abs(fractions.Fraction(float(f)) - exact), int(np.float32(f).view(np.int32)) & 1))

    return np.array([one(*v) for v in zip(x, y, z)]).astype(x.dtype)


def integers(cases):
    """What isn't in int_ops."""
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64):
        values = int_values(dtype).astype(dtype)
        x, y = (v.ravel() for v in np.meshgrid(values, values))
        for text, function in (
            ("fmod(x, y)", np.fmod), ("fma(x, y, x)", lambda a, b: a * b + a),
            ("fmax(x, y)", np.maximum), ("fmin(x, y)", np.minimum),
            ("logical_and(x, y)", np.logical_and), ("logical_or(x, y)", np.logical_or),
            ("logical_xor(x, y)", np.logical_xor), ("x != y", np.not_equal),
            ("x <= y", np.less_equal), ("x > y", np.greater),
        ):
            cases.add(text, {"x": x, "y": y}, function(x, y))
        for name in ("floor", "ceil", "trunc", "round", "positive"):
            cases.add(f"{name}(x)", {"x": values}, values)
        cases.add("clip(x, 2, 40)", {"x": values}, np.clip(values, 2, 40).astype(dtype))
        cases.add("signbit(x)", {"x": values}, values < 0)
        cases.add("logical_not(x)", {"x": values}, values == 0)
        for name, plain in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)):
            cases.add(f"{name}(x)", {"x": values}, plain(values))
        cases.add("atan2(x, y)", {"x": x, "y": y}, to_f32(precise(mpmath.atan2, np.arctan2)(
            x.astype(np.float32), y.astype(np.float32))), "ulp 4.5")
    x, y = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    for name, plain in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        cases.add(f"logical_{name}(x, y)", {"x": x, "y": y}, plain(x, y))
    cases.add("logical_not(x)", {"x": x}, ~x)


# ---------------------------------------------------------------- reductions


def reductions():
    cases = Cases("Reductions: PyTorch in float64, NumPy for integers.")
    close = "rel 6e-6 abs 1e-6"
    for shape in ((3, 37), (2, 1), (5, 300)):
        x = uniform(-3, 3, *shape)
        t = torch.tensor(x, dtype=torch.float64)
        for text, r in (
            ("sum(x, axis=-1)", t.sum(-1)), ("sum(x)", t.sum()), ("mean(x, axis=0)", t.mean(0)),
            ("mean(x, axis=(0, 1), keepdims=True)", t.mean((0, 1), keepdim=True)),
            ("prod(x / 2, axis=-1)", (t / 2).prod(-1)),
            ("var(x, axis=-1)", t.var(-1, correction=0)),
            ("std(x, axis=0)", t.std(0, correction=0)),
            ("var(x, axis=0, correction=1)", t.var(0, correction=1)),
            ("logsumexp(x, axis=-1)", t.logsumexp(-1)), ("norm(x)", t.norm()),
            ("softmax(x, axis=0)", t.softmax(0)), ("log_softmax(x)", t.log_softmax(-1)),
            ("max(x, axis=-1)", t.amax(-1)), ("min(x)", t.amin()),
        ):
            cases.add(text, {"x": x}, ("float32", r.numpy()), close)
        for text, r in (
            ("argmax(x, axis=-1)", t.argmax(-1)), ("argmin(x, axis=0)", t.argmin(0)),
            ("argmax(x)", t.argmax()), ("argmin(x, axis=1, keepdims=True)", t.argmin(1, True)),
            ("argmax(round(x), axis=0)", np.argmax(np.round(x), 0)), # of ties the first
        ):
            cases.add(text, {"x": x}, np.asarray(r))
    rows = np.array([[1, nan, 3], [inf, 1, 2], [inf, -inf, 0], [-inf, -inf, -inf], [inf, inf, 1],
                     [-inf, 0, 1], [0, 0, 0], [3e38, 3e38, -3e38], [1e-45, 0, 0]], np.float32)
    t = torch.tensor(rows, dtype=torch.float64)
    for text, r in (
        ("max(x, axis=-1)", t.amax(-1)), ("min(x, axis=-1)", t.amin(-1)),
        ("logsumexp(x, axis=-1)", t.logsumexp(-1)),
        ("sum(x[:7], axis=-1)", t[:7].sum(-1)), ("mean(x[:7], axis=-1)", t[:7].mean(-1)),
        ("softmax(x, axis=-1)", t.softmax(-1)), ("log_softmax(x, axis=-1)", t.log_softmax(-1)),
        ("softmin(-x, axis=-1)", t.softmax(-1)), ("softmax(x)[:, 0] * 2", t.softmax(-1)[:, 0] * 2),
        ("sum(exp(x - max(x, -1, True)), -1)", (t - t.amax(-1, True)).exp().sum(-1)),
        ("e = exp(x - max(x, -1, True)); e / sum(e, -1, keepdims=True)", t.softmax(-1)),
        ("softmax(x.T, axis=0)", t.T.softmax(0)), ("log_softmax(x.T, 0)", t.T.log_softmax(0)),
    ):
        cases.add(text, {"x": rows}, to_f32(r.numpy()), close)
    cases.add("argmax(x, axis=-1), argmin(x, axis=-1)", {"x": rows},
              (np.argmax(rows, -1), np.argmin(rows, -1)))
    empty = np.zeros((3, 0), np.float32)
    for text, value in (("sum", 0), ("prod", 1), ("mean", nan)):
        cases.add(f"{text}(x, axis=-1)", {"x": empty}, np.full(3, value, np.float32))
    cases.add("any(x, axis=-1)", {"x": empty}, np.zeros(3, bool))
    cases.add("all(x, axis=-1)", {"x": empty}, np.ones(3, bool))
    for dtype in (np.int8, np.uint8, np.int32, np.int64, bool):
        x = rng.integers(0, 2 if dtype == bool else 120, (4, 33)).astype(dtype)
        cases.add("sum(x, axis=-1)", {"x": x}, x.sum(-1, dtype=np.int64))
        cases.add("prod(x, axis=0)", {"x": x}, x.astype(np.int64).prod(0))
        cases.add("any(x != 0, axis=0)", {"x": x}, x.any(0))
        cases.add("all(x != 0, axis=0)", {"x": x}, x.all(0))
        cases.add("argmax(x, axis=-1), argmin(x, axis=0)", {"x": x}, (x.argmax(-1), x.argmin(0)))
        if dtype != bool:
            cases.add("max(x, axis=-1), min(x)", {"x": x}, (x.max(-1), x.min()))
            cases.add("mean(x, axis=-1)", {"x": x}, ("float32", x.mean(-1)), "ulp 2")
    return cases


# ---------------------------------------------------------------- random numbers


def philox(seed, stream, n):
    """Random123's Philox4x32-10 in Python's integers."""
    words = []
    for block in range((n + 3) // 4):
        c = [block & 0xFFFFFFFF, block >> 32, stream & 0xFFFFFFFF, stream >> 32]
        k = [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        words += c
    return np.array(words[:n], np.uint64)


def random():
    assert list(philox(0, 0, 4)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    cases = Cases("Random numbers: Philox4x32-10 in Python.")
    x = uniform(-3, 3, 5, 7)
    for seed, stream in ((0, 0), (1, 2), (0x123456789, 5)):
        w = philox(seed, stream, 35).reshape(5, 7)
        cases.add(f"rand_like(x, seed={seed}, stream={stream})", {"x": x},
                  ((w >> np.uint64(8)).astype(np.float64) * 2.0**-24).astype(np.float32))
        for p in (0.0, 0.2, 0.5, 1.0):
            keep = w >= np.uint64(int(p * 2**32))
            scale = np.float32(1 / (1 - p)) if p < 1 else np.float32(0)
            cases.add(f"dropout(x, {p}, seed={seed}, stream={stream})", {"x": x},
                      np.where(keep, x * scale, np.float32(0)), "ulp 1")
    return cases


def same(made, committed):
    """The same words; numbers to 12 digits: versions of NumPy and PyTorch differ in the last ones."""
    a, b = made.split(), committed.split()

    def near(v, w):
        try:
            return v == w or abs(float(v) - float(w)) <= 1e-12 * abs(float(w)) + 1e-15
        except ValueError:
            return False

    return len(a) == len(b) and all(map(near, a, b))


def check():
    """What is committed is what is made, file by file."""
    with tempfile.TemporaryDirectory() as made:
        made, folder = pathlib.Path(made), pathlib.Path(__file__).resolve().parent
        write(made)
        wrong = [str(path.relative_to(made)) for path in sorted(made.rglob("*.txt"))
                 if not same(path.read_text(), (folder / path.relative_to(made)).read_text())]
    print("\n".join(f"{name} isn't what make.py makes" for name in wrong) or "all files are as made")
    return 1 if wrong else 0


def main():
    if sys.argv[1:2] == ["--check"]:
        sys.exit(check())
    if sys.argv[1:2] == ["composites"]:
        composites.write(pathlib.Path(composites.__file__).parent, sys.argv[2:])
        return
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder.parent if folder.is_file() else folder
    write(folder)


def write(folder):
    global rng
    (folder / "composites").mkdir(exist_ok=True)
    for make in (float_ops, int_ops, reductions, random, functions):
        rng = np.random.default_rng(zlib.crc32(make.__name__.encode()))  # of each file alone
        make().write(folder / f"{make.__name__}.txt")
    composites.write(folder / "composites")


if __name__ == "__main__":
    main()
