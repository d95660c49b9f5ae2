"""Activations: PyTorch; jax.nn's own ones by their formulas."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from composites.table import FINITE, normal, special, uniform
from composites.random import rand

SMALL = "ulp 6 abs 1e-42"  # a product with a denormal loses digits

PLAIN = [
    ("relu(x)", F.relu), ("relu6(x)", F.relu6), ("squared_relu(x)", lambda x: F.relu(x) ** 2),
    ("leaky_relu(x)", F.leaky_relu), ("sigmoid(x)", torch.sigmoid),
    ("logsigmoid(x)", F.logsigmoid), ("silu(x)", F.silu), ("softplus(x)", F.softplus),
    ("softplus(x, 2.0)", lambda x: F.softplus(x, 2)),
    ("softplus(x, threshold=1)", lambda x: F.softplus(x, threshold=1)),
    ("sparse_plus(x)", lambda x: torch.where(x >= 1, x, (x.clamp(min=-1) + 1) ** 2 / 4)),
    ("elu(x)", F.elu), ("elu(x, 0.3)", lambda x: F.elu(x, 0.3)), ("selu(x)", F.selu),
    ("celu(x)", F.celu), ("celu(x, alpha=0.5)", lambda x: F.celu(x, 0.5)), ("mish(x)", F.mish),
    ("hardtanh(x)", F.hardtanh), ("hardtanh(x, -2, 0.5)", lambda x: F.hardtanh(x, -2, 0.5)),
    ("hardswish(x)", F.hardswish), ("hardshrink(x)", F.hardshrink),
    ("hardshrink(x, 3)", lambda x: F.hardshrink(x, 3)), ("softshrink(x)", F.softshrink),
    ("softshrink(x, 2)", lambda x: F.softshrink(x, 2)),
    ("threshold(x, 0.5, -1)", lambda x: F.threshold(x, 0.5, -1)),
    ("swish(x)", F.silu), ("swish(x, 0.25)", lambda x: x * torch.sigmoid(0.25 * x)),
    ("softcap(x)", lambda x: 30 * torch.tanh(x / 30)),
    ("softcap(x, cap=2.5)", lambda x: 2.5 * torch.tanh(x / 2.5)),
    ("leaky_relu(x, 0.2)", lambda x: F.leaky_relu(x, 0.2)),
    ("rrelu(x)", F.rrelu), ("rrelu(x, 0.1, 0.5)", lambda x: F.rrelu(x, 0.1, 0.5)),
    ("serf(x)", lambda x: x * torch.erf(F.softplus(x))),
]

# x + 3, x / 2 + 1 / 2, or a sum of x and x's function: near its zeros only the absolute error is small
CANCEL = [
    ("gelu(x)", F.gelu), ("hardsigmoid(x)", F.hardsigmoid), ("tanhshrink(x)", F.tanhshrink),
    ("sparse_sigmoid(x)", lambda x: (0.5 * x + 0.5).clamp(0, 1)),
    ("star_relu(x)", lambda x: 0.8944 * F.relu(x) ** 2 - 0.4472),
    ("star_relu(x, s=2, b=1)", lambda x: 2 * F.relu(x) ** 2 + 1),
]


def squareplus(x, b):
    h = torch.hypot(x, torch.tensor(b, dtype=torch.float64).sqrt())
    return torch.where(x > 0, (x + h) / 2, b / 2 / (h - x))


def gated(gate):
    def halves(x, axis):
        a, b = x.chunk(2, axis)
        return gate(a) * b

    return halves


def random_rrelu(x):
    slope = 0.1 + 0.4 * torch.tensor(rand(x.shape, seed=3, stream=1), dtype=torch.float64)
    return torch.where(x >= 0, x, x * slope)


def rows(t):
    for text, reference in PLAIN:
        t.pointwise(text, reference, SMALL, x=special())
    for text, reference in CANCEL:
        t.pointwise(text, reference, "ulp 6 abs 4e-7", x=special())
    t.pointwise("gelu(x, 'tanh')", lambda x: F.gelu(x, approximate="tanh"), "rel 2e-6 abs 2e-7",
                x=special())
    t.pointwise("gelu(x, approximate='tanh')",
                lambda x: x * torch.sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3)),
                "rel 2e-5 abs 1e-37", x=special())
    for text in ("quick_gelu(x)", "gelu(x, approximate='sigmoid')"):  # 1.702 x is rounded
        t.pointwise(text, lambda x: x * torch.sigmoid(1.702 * x), "rel 1e-5 abs 1e-42",
                    x=special())
    t.pointwise("softsign(x)", F.softsign, x=special())
    t.pointwise("squareplus(x)", lambda x: squareplus(x, 4), x=special())
    t.pointwise("squareplus(x, b=0.1)", lambda x: squareplus(x, 0.1), x=special())
    t.pointwise("snake(x)", lambda x: x + torch.sin(x) ** 2, "ulp 6 abs 2e-7",
                x=FINITE[np.abs(FINITE) < 1e30])
    t.pointwise("snake(x, a=2)", lambda x: x + torch.sin(2 * x) ** 2 / 2, "ulp 6 abs 2e-7",
                x=normal(40))
    t.pointwise("rrelu(x, 0.1, 0.5, training=True, seed=3, stream=1)", random_rrelu,
                "ulp 6 wide 1", x=normal(5, 9))
    t.pointwise("prelu(x, w)", F.prelu, x=special(), w=np.float32([0.2]))
    t.pointwise("prelu(x, w)", F.prelu, x=normal(2, 5, 3), w=uniform(-1, 1, 5))
    t.pointwise("prelu(x, w)", F.prelu, x=normal(4, 5), w=uniform(-1, 1, 5))
    t.pointwise("glu(x)", F.glu, x=normal(3, 14, scale=30))
    t.pointwise("glu(x, 1)", lambda x: F.glu(x, 1), x=normal(3, 4, 5))
    t.pointwise("glu(a, b)", lambda a, b: a * torch.sigmoid(b), a=normal(52), b=special())
    gates = (("swiglu", F.silu), ("reglu", F.relu), ("geglu", F.gelu))
    for name, gate in gates:
        limits = "ulp 6 abs 4e-7" if name == "geglu" else "ulp 8"
        t.pointwise(f"{name}(x, y)", lambda x, y, gate=gate: gate(x) * y, limits,
                    x=normal(3, 7), y=normal(3, 7))
        t.pointwise(f"{name}(x)", lambda x, gate=gate: gated(gate)(x, -1), limits, x=normal(3, 14))
        t.pointwise(f"{name}(x, axis=1)", lambda x, gate=gate: gated(gate)(x, 1), limits,
                    x=normal(2, 6, 5))
    t.pointwise("geglu(x, y, approximate='tanh')", lambda x, y: F.gelu(x, approximate="tanh") * y,
                "rel 4e-6 abs 1e-7", x=normal(3, 7), y=normal(3, 7))
