"""Elementwise composites: PyTorch, NumPy, SciPy."""

import numpy as np
import scipy.special as sp
import torch
from composites.table import EXTREME, bools, integers, normal, special, uniform

from_numpy = torch.from_numpy


def by(function):
    """A function of NumPy or SciPy over tensors."""
    return lambda *a: function(*(v.numpy() if isinstance(v, torch.Tensor) else v for v in a))


def sinc(x):
    with np.errstate(invalid="ignore"):
        odd = np.round(x) % 2 != 0
        y = np.sin((x - np.round(x)) * np.pi) / (np.where(x == 0, 1, x) * np.pi)
    return np.where(x == 0, 1, np.where(odd, -y, y))


PLAIN = [
    ("clip(x, -0.5, 0.5)", lambda x: x.clamp(-0.5, 0.5)), ("clip(x, lo=2)", lambda x: x.clamp(2)),
    ("clip(x, hi=0.5)", lambda x: x.clamp(max=0.5)), ("clip(x) * 2", lambda x: x * 2),
    ("clamp(x, lo=0)", lambda x: x.clamp(0)), ("clamp(x, hi=0)", lambda x: x.clamp(max=0)),
    ("deg2rad(x)", torch.deg2rad), ("rad2deg(x)", torch.rad2deg),
    ("heaviside(x, 0.5)", by(lambda x: np.heaviside(x, 0.5))),
    ("nan_to_num(x, 7, 8, -9)", lambda x: torch.nan_to_num(x, 7, 8, -9)),
    ("masked_fill(x, x > 1, 7)", lambda x: x.masked_fill(x > 1, 7)),
    ("logical_not(x)", torch.logical_not),
]
ORDINARY = [
    ("log2(x * x)", lambda x: torch.log2(x * x), "ulp 6 abs 2e-7"),
    ("log10(x * x)", lambda x: torch.log10(x * x), "ulp 6 abs 2e-7"),
    ("exp2(x)", torch.exp2, "ulp 6"), ("tan(x)", torch.tan, "ulp 10"),
    ("sinh(x)", torch.sinh, "ulp 8"), ("cosh(x)", torch.cosh, "ulp 8"),
    ("atanh(x / 8)", lambda x: torch.atanh(x / 8), "ulp 10"),
    ("erfc(x)", torch.erfc, "ulp 6 abs 3e-7"), ("frac(x)", torch.frac, "ulp 0"),
    ("sinc(x)", torch.sinc, "ulp 6 abs 3e-7"),
]
TWO = [
    ("logaddexp(x, y)", torch.logaddexp, "ulp 6 abs 2e-7"), ("hypot(x, y)", torch.hypot, "ulp 6"),
    ("logical_and(x > 0, y)", lambda x, y: (x > 0) & (y != 0), "ulp 0"),
    ("logical_or(x > 0, y > 0)", lambda x, y: (x > 0) | (y > 0), "ulp 0"),
    ("logical_xor(x > 0, y > 0)", lambda x, y: (x > 0) ^ (y > 0), "ulp 0"),
    ("isclose(x, y)", torch.isclose, "ulp 0"),
    ("isclose(x, y, equal_nan=True)", lambda x, y: torch.isclose(x, y, equal_nan=True), "ulp 0"),
    ("isclose(x, y, rtol=0.5, atol=0.1)", by(lambda x, y: np.isclose(x, y, 0.5, 0.1)), "ulp 0"),
    ("lerp(x, y, 0.25)", lambda x, y: torch.lerp(x, y, 0.25), "ulp 6 abs 1e-6"),
    ("lerp(x, y, w)", lambda x, y: torch.lerp(x, y, 0.7), "ulp 6 abs 1e-6"),
]


def rows(t):
    for text, reference in PLAIN:
        t.pointwise(text, reference, x=special())
    t.add("nan_to_num(i, 2.5) + i, nan_to_num(i > 0, 2)", lambda i: (i + i, i > 0),
          i=np.int32([3, 0, -7, 2**30]))
    t.pointwise("nan_to_num(cast(x, float32))", lambda x: torch.nan_to_num(x.float()), "ulp 0",
                x=special())
    for text, reference, limits in ORDINARY:
        t.pointwise(text, reference, limits, x=normal(4, 11, scale=1.5))
    for text, reference, limits in TWO:
        more = {"w": 0.7} if "w)" in text else {}
        call = (lambda x, y, w, f=reference: f(x, y)) if more else reference
        t.pointwise(text, call, limits, x=normal(4, 11, scale=3), y=normal(4, 11, scale=3), **more)
    close = "ulp 6 abs 1e-6"
    t.pointwise("addcmul(x, y, z, 2)", lambda x, y, z: torch.addcmul(x, y, z, value=2), close,
                x=normal(5, 7), y=normal(5, 7), z=normal(7))
    t.pointwise("addcmul(x, y, z)", torch.addcmul, close, x=normal(3, 7), y=normal(3, 1),
                z=normal(7))
    t.pointwise("addcdiv(x, y, z, value=-2)", lambda x, y, z: torch.addcdiv(x, y, z, value=-2),
                close, x=normal(5, 7), y=normal(5, 7), z=uniform(0.5, 2, 7))
    t.pointwise("logit(x)", by(sp.logit), x=uniform(0, 1, 40))
    t.pointwise("logit(x)", by(sp.logit), x=np.float32([0, 1, 1e-30, 1e-45, 0.5, 0.50001, 0.4999,
                                                        0.25, 0.75, 0.99999, np.nan]))
    t.pointwise("np.clip(x, -1.5, 2, dtype=float32), np.clip(x, 0, 1, dtype=int32)",
                by(lambda x: (np.clip(x, -1.5, 2), np.clip(x.astype(np.int32), 0, 1))), "ulp 0",
                x=normal(30, scale=3))
    t.pointwise("logit(x, 0.1)", by(lambda x: sp.logit(np.clip(x, 0.1, 0.9))), x=uniform(-0.5, 1.5, 40))
    t.pointwise("masked_fill(x, x > 3, 7.5), x.masked_fill(x < 0, 2)",
                lambda x: (x.masked_fill(x > 3, 7.5), x.masked_fill(x < 0, 2)),
                x=integers(-9, 9, 20, dtype="int32"))
    t.pointwise("masked_fill(x, mask, value)", lambda x, mask, value: x.masked_fill(mask, -2.5),
                x=normal(5, 7), mask=bools(5, 7), value=-2.5)
    near = np.float32([1, 2, np.nan])
    for text, value in (("x, y", False), ("x, y, equal_nan=True", True),
                        ("x[:2], y[:2], 0, atol=1e-9", False), ("x[:2], y[:2], rtol=1e-6", True),
                        ("x[:2], y[:2], 0, 1e-6", True)):
        t.add(f"allclose({text})", lambda x, y, v=value: np.array(v), "ulp 0", x=near,
              y=near + np.float32(2.0**-22))
    t.pointwise("type_as(x * 2, y)", lambda x, y: (x * 2).int().numpy(), x=uniform(-9, 9, 30),
                y=np.int32([1]))
    names(t)


def names(t):
    two = {"x": special(), "y": normal(52, scale=4)}
    t.pointwise("logaddexp2(x, y)", torch.logaddexp2, "ulp 6 abs 4e-7", **two)
    t.pointwise("cast(float_power(x, 3), float32)", lambda x: (x**3).float(), "ulp 1", x=uniform(1, 2, 20))
    t.pointwise("q, r = divmod(x, y); q * 0.5 + r", lambda x, y: 0.5 * (x // y) + torch.remainder(x, y),
                "rel 1e-5 abs 1e-5 wide 1", x=normal(40, scale=9), y=normal(40))
    t.pointwise("modf(x)", by(lambda x: np.modf(x)), "ulp 0", x=special())
    t.pointwise("ldexp(x, n)", by(np.ldexp), "ulp 0", x=normal(20), n=np.int32(np.arange(20) - 10))
    t.pointwise("ldexp(x, n)", by(np.ldexp), "ulp 0",
                x=np.float32([1e-30, 1e30, 3, -1e-45, 1.25, np.inf]),
                n=np.int32([200, -240, 128, 149, 3, -9]))
    t.pointwise("m, e = np.frexp(x); m, e", by(np.frexp), "ulp 0", x=special())
    t.pointwise("frexp(x)", by(np.frexp), "ulp 0", x=np.int16([0, 1, -8, 100, -32768]))
    t.pointwise("rsub(x, y)", lambda x, y: y - x, "ulp 0.5", x=normal(20), y=normal(20))
    t.pointwise("rsub(x, y, alpha=2)", lambda x, y: y - 2 * x, "ulp 2 abs 1e-6", x=normal(20),
                y=normal(20))
    t.pointwise("isposinf(x), isneginf(x)", by(lambda x: (np.isposinf(x), np.isneginf(x))),
                x=special())
    t.add("array_equal(o, y), np.array_equal(y, o[0]), torch.equal(o[0], y[0]), array_equal(y, 0), "
          "array_equal(o[0, 0], 0.0)",
          lambda o, y: (np.array(False), np.array(False), np.array(True), np.array(False),
                        np.array(True)), o=np.zeros((1, 4), np.float32),
          y=np.zeros((3, 4), np.float32))
    t.add("array_equal(x, x), array_equal(x, x, equal_nan=True)",
          lambda x: (np.array(False), np.array(True)), x=special())
    t.pointwise("exp10(x)", lambda x: 10**x, "ulp 6 abs 1e-42", x=uniform(-30, 30, 40))
    t.pointwise("sinc(x)", by(sinc), x=lambda rng: np.float32(
        [*EXTREME[np.abs(EXTREME) < 3e38], 3e38, -3.4e38, 1.5, 8388607.5, 2.75, np.nan]))
    t.pointwise("bitwise_count(x)", lambda x: np.bitwise_count(x),
                x=np.int32([0, 1, -1, 255, -(2**31), 2**31 - 1, 0x12345678]))
    t.pointwise("bitwise_count(x), bitwise_count(cast(x, int8)), bitwise_count(x > 0)",
                lambda x: (np.bitwise_count(x), np.bitwise_count(x.to(torch.int8)),
                           (x > 0).to(torch.uint8)),
                x=np.int64([0, -(2**63), 2**63 - 1, 127, -128, -3, 0x0123456789abcdef]))
    t.pointwise("angle(x)", torch.angle, "ulp 1", x=special())
    t.pointwise("clamp_min(x, 0.25), clamp_max(x, 0.25)",
                lambda x: (torch.clamp_min(x, 0.25), torch.clamp_max(x, 0.25)), "ulp 0", x=special())
    t.add("isin(round(x), round(y))", lambda x, y: torch.isin(torch.round(x), torch.round(y)),
          x=normal(5, 8, scale=3), y=normal(4, scale=3))
    t.add("isin(x, [1, 3]), isin(x, (2.5, 0)), isin(x * 0.5, [0.5, 2]), isin(x, [x[0], 7])",
          lambda x: tuple(torch.isin(x.double() * f, torch.tensor(v).double())
                          for f, v in ((1, (1, 3)), (1, (2.5, 0)), (0.5, (0.5, 2)), (1, (0, 7)))),
          x=np.int32([0, 1, 2, 3, 4, 7]))
    t.add("np.isin(element=x, test_elements=[1, 3], assume_unique=True, invert=True)",
          lambda x: ~torch.isin(x, torch.tensor([1, 3])), x=np.arange(5))
    t.add("isin(x, [0.25, 3])", lambda x: np.array([1, 1, 0], bool), x=np.float32([0.25, 3, 2]))
    t.add("array_equiv(x, x[:1]), array_equiv(x, x)",
          lambda x: (np.array(False), np.array(True)), x=normal(5, 8))
