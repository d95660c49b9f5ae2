"""How a file of cases for composites is made.

A module here, NAME.py, is for src/library/NAME.kf. Its rows(t) calls

    t.pointwise(text, reference, x=array, ...)        must be one pointwise kernel
    t.row / t.full / t.column(...)                    one kernel of that kind
    t.add(text, reference, kernels=2, ..., x=array)   any number

for each case; NAME.txt is what it wrote. An input is an array, a maker of one (normal, uniform,
...: its numbers follow from the case's text and the input's name, so that cases don't depend on
each other), or a number that is given at run time. The reference is called with the inputs, floats
as float64 tensors of PyTorch, and gives what the text does: tensors or arrays, several as a tuple;
float64 stands for the float dtype of the inputs.

Tolerances hold for float32, and 2^-27 of them (`wide`: another factor) for float64. The default of
elementwise composites is 6 ulp.
"""

import zlib

import numpy as np
import torch

ELEMENTWISE = "ulp 6"
REDUCED = "rel 3e-6 abs 1e-6"


def maker(make):
    return lambda *args, **options: lambda rng: np.float32(make(rng, *args, **options))


normal = maker(lambda rng, *shape, scale=1.0: rng.standard_normal(shape) * scale)
uniform = maker(lambda rng, lo, hi, *shape: lo + (hi - lo) * rng.random(shape))
signs = maker(lambda rng, *shape: rng.integers(0, 2, shape) * 2 - 1)
ones_and_zeros = maker(lambda rng, *shape: rng.integers(0, 2, shape))


@maker
def probabilities(rng, *shape):
    """Rows that sum to 1."""
    a = rng.random(shape) + 0.05
    return a / a.sum(-1, keepdims=True)


def integers(lo, hi, *shape, dtype=np.int64):
    return lambda rng: np.asarray(rng.integers(lo, hi, shape), dtype)


def bools(*shape):
    return lambda rng: rng.random(shape) < 0.5


def special(*more):
    """Zeros, small, large and infinite numbers and NaN, then some ordinary ones."""

    def make(rng):
        ordinary = rng.standard_normal(24) * 4
        return np.concatenate([EXTREME, np.array(more), ordinary]).astype(np.float32)

    return make


EXTREME = np.array([0, -0.0, 1, -1, 0.5, -0.5, 1e-45, -1e-40, 1e-30, 1e-8, -1e-4, 3, -3, 6.5, 20,
                    -20, 88.7, -87.4, 100.25, -104, 1e4, -1e4, 16777216, 3.4028235e38, -3e38,
                    np.inf, -np.inf, np.nan], np.float32)
FINITE = EXTREME[np.isfinite(EXTREME)]


def line_of(a):
    if a.dtype.kind == "f":
        digits = "%.9g" if a.dtype == np.float32 else "%.17g"
        return " ".join(digits % v for v in a.ravel())
    return " ".join(str(int(v)) for v in a.ravel())


def array_of(result):
    if isinstance(result, torch.Tensor) and "float8" in str(result.dtype):
        return result.double().numpy()
    return result.numpy() if isinstance(result, torch.Tensor) else np.asarray(result)


class Table:
    def __init__(self, name):
        self.name = name
        self.lines = [f"# src/library/{name}.kf. Made by tests/reference/make.py from "
                      f"composites/{name}.py."]

    def pointwise(self, text, reference, tolerance=ELEMENTWISE, **inputs):
        self.add(text, reference, tolerance, 1, "pointwise", **inputs)

    def row(self, text, reference, tolerance=REDUCED, **inputs):
        self.add(text, reference, tolerance, 1, "row", **inputs)

    def column(self, text, reference, tolerance=REDUCED, **inputs):
        self.add(text, reference, tolerance, 1, "column", **inputs)

    def full(self, text, reference, tolerance=REDUCED, **inputs):
        self.add(text, reference, tolerance, 1, "full", **inputs)

    def add(self, text, reference, tolerance=REDUCED, kernels=0, kind="", **inputs):
        self.lines.append(f"= {text}")
        if kernels:
            self.lines.append(f"* {kernels} {kind}".rstrip())
        given = [self.input(text, name, value) for name, value in inputs.items()]
        results = reference(*given)
        for result in results if isinstance(results, tuple) else (results,):
            a = array_of(result)
            dtype = "float32" if a.dtype == np.float64 else a.dtype
            if isinstance(result, torch.Tensor) and "float8" in str(result.dtype):
                dtype = str(result.dtype).removeprefix("torch.")
            shape = ",".join(map(str, a.shape))
            limits = f" {tolerance}" if a.dtype.kind == "f" else ""
            wide = a.astype(np.float64) if a.dtype.kind == "f" else a
            self.lines.append(f"> {dtype} {shape}{limits} : {line_of(wide)}")

    def input(self, text, name, value):
        if isinstance(value, (int, float)):
            self.lines.append(f"{name} {type(value).__name__} : {value!r}")
            return value
        a = value
        if callable(value):
            a = np.asarray(value(np.random.default_rng(zlib.crc32(f"{text}:{name}".encode()))))
        self.lines.append(f"{name} {a.dtype} {','.join(map(str, a.shape))} : {line_of(a)}")
        return torch.tensor(a, dtype=torch.float64 if a.dtype == np.float32 else None)

    def write(self, folder):
        (folder / f"{self.name}.txt").write_text("\n".join(self.lines) + "\n")
