"""Positions: NumPy; float16 and bfloat16 aren't asked for, as there are no inputs."""

import numpy as np
import torch
from composites.table import bools, normal


def f32(a):
    return np.asarray(a, np.float32)


def rows(t):
    for text, a in (
        ("linspace(-1, 2)", np.linspace(-1, 2)), ("linspace(0, 1, 7)", np.linspace(0, 1, 7)),
        ("linspace(3, -4, num=8, endpoint=False)", np.linspace(3, -4, 8, False)),
        ("linspace(2, 5, 1)", np.linspace(2, 5, 1)),
        ("logspace(-2, 3)", np.logspace(-2, 3)),
        ("logspace(0, 2, 5, False, base=2.0)", np.logspace(0, 2, 5, False, 2)),
        ("eye(4)", np.eye(4)), ("eye(3, 5, k=-1)", np.eye(3, 5, -1)), ("identity(3)", np.eye(3)),
        ("tri(4)", np.tri(4)), ("tri(3, m=5, k=1)", np.tri(3, 5, 1)),
    ):
        t.add(text, lambda a=a: f32(a), "ulp 2")
    t.add("linspace(0, 10, 5, dtype=int32)", lambda: np.linspace(0, 10, 5).astype(np.int32))
    t.add("logspace(0, 3, 4, dtype=int64)", lambda: np.logspace(0, 3, 4).astype(np.int64))
    t.add("eye(3, dtype=bool)", lambda: np.eye(3, dtype=bool))
    t.add("identity(3, int8)", lambda: np.eye(3, dtype=np.int8))
    t.add("tri(4, dtype=int16)", lambda: np.tri(4, dtype=np.int16))
    t.pointwise("tril(x)", torch.tril, "ulp 0", x=normal(3, 5, 4))
    t.pointwise("tril(x, k=-1)", lambda x: x.tril(-1), "ulp 0", x=normal(5, 4))
    t.pointwise("tril(x)", torch.tril, x=bools(5, 4))
    t.pointwise("triu(x)", torch.triu, "ulp 0", x=normal(3, 5, 4))
    t.pointwise("triu(x, 1)", lambda x: x.triu(1), "ulp 0", x=normal(4, 5))
    t.add("causal_mask(4)", lambda: np.tri(4, dtype=bool))
    t.add("causal_mask(3, m=5)", lambda: np.tri(3, 5, 2, dtype=bool))
    t.pointwise("causal(scores)", lambda s: s.masked_fill(~torch.ones(4, 4, dtype=bool).tril(),
                                                          -torch.inf), "ulp 0", scores=normal(2, 4, 4))
    t.add("geomspace(1, 1000, 7)", lambda: np.geomspace(1, 1000, 7), "rel 2e-6 wide 1")
    t.add("geomspace(2, 3, num=4, dtype=float32)", lambda: np.geomspace(2, 3, 4), "rel 2e-6 wide 1")
    t.add("geomspace(5, 2)[1:3]", lambda: np.geomspace(5, 2)[1:3], "rel 2e-6 wide 1")
    t.pointwise("vander(x)", lambda x: torch.vander(x), "rel 2e-6", x=normal(5))
    t.pointwise("vander(x, 3, increasing=True)", lambda x: torch.vander(x, 3, increasing=True),
                "rel 2e-6", x=normal(5))
    t.pointwise("vander(x, N=4)", lambda x: torch.vander(x, 4), x=np.arange(-2, 4))
    x = {"x": normal(3, 4)}
    t.pointwise("linspace(x, x + 1, 4)", lambda x: np.linspace(x, x + 1, 4), **x)
    t.pointwise("linspace(x, 2, 5, False)", lambda x: np.linspace(x, 2, 5, False), **x)
    t.pointwise("linspace(-1, x, num=3)", lambda x: np.linspace(-1, x, 3), **x)
