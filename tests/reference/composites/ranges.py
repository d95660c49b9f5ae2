"""Positions: NumPy; float16 and bfloat16 aren't asked for, as there are no inputs."""

import numpy as np
import torch
from composites.table import bools, normal, uniform


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
    t.add("linspace(x, 2, 5, axis=-1), logspace(x, 2, num=3, axis=1)",
          lambda x: (np.linspace(x, 2, 5, axis=-1), np.logspace(x, 2, 3, axis=1)), "rel 3e-6", **x)
    t.add("geomspace(1, 1000, 6, endpoint=False)", lambda: np.geomspace(1, 1000, 6, False),
          "rel 2e-6 wide 1")
    t.add("np.geomspace(x, 8, 3, False, axis=-1)",
          lambda x: np.geomspace(x.numpy(), 8, 3, False, axis=-1), "rel 2e-6 wide 1", x=uniform(1, 9, 4))
    for n, m in ((4, 4), (3, 7), (7, 3), (1, 5), (5, 1), (0, 3), (3, 0)):
        for k in (0, 1, -1, 3, -4, 9, -9):
            text, given = f"{n}, {k}, {m}", (n, k, m)
            t.add(f"i, j = tril_indices({text}); k, m = np.triu_indices({text}); i, j, k, m",
                  lambda a=given: (*np.tril_indices(*a), *np.triu_indices(*a)))
    t.add("tril_indices(n=5, k=1)", lambda: np.tril_indices(5, 1))
    t.add("np.triu_indices(n=5, k=-2, m=6)", lambda: np.triu_indices(5, -2, 6))
    t.add("i, j = triu_indices(3000, 2); i[::100000], j[::100000]",
          lambda: tuple(a[::100000] for a in np.triu_indices(3000, 2)))
    t.add("i, j = tril_indices_from(x, k=1); k, m = np.triu_indices_from(x, 1); i, j, k, m",
          lambda x: (*np.tril_indices(3, 1, 4), *np.triu_indices(3, 1, 4)), **x)
    t.add("tril_indices_from(x)", lambda x: np.tril_indices(3, 0, 4), **x)
    t.add("i, j = triu_indices_from(x); x[i, j]", lambda x: x[np.triu_indices(3, 0, 4)], "ulp 0",
          **x)
    t.add("torch.tril_indices(4, 3, -1), torch.triu_indices(row=3, col=5, offset=1)",
          lambda: (torch.tril_indices(4, 3, -1), torch.triu_indices(3, 5, 1)))
    t.add("combinations(x), torch.combinations(x, r=2, with_replacement=True), combinations(x, 1)",
          lambda x: (torch.combinations(x), torch.combinations(x, 2, True), x[:, None]), "ulp 0",
          x=normal(6))
    t.add("torch.combinations(x, 3), combinations(x, r=3, with_replacement=True), "
          "combinations(x[:2], 3), combinations(x[:1], 3, True)",
          lambda x: (torch.combinations(x, 3), torch.combinations(x, 3, True),
                     torch.combinations(x[:2], 3), torch.combinations(x[:1], 3, True)), "ulp 0",
          x=normal(7))
    t.add("combinations(arange(99), 3)[::1000], combinations(arange(98), 3, True)[::1000]",
          lambda: (torch.combinations(torch.arange(99), 3)[::1000],
                   torch.combinations(torch.arange(98), 3, True)[::1000]))
    t.add("torch.range(1, 4), torch.range(0, end=1, step=0.25), torch.range(3, 0, -1.5)",
          lambda: tuple(f32(a) for a in ([1, 2, 3, 4], [0, 0.25, 0.5, 0.75, 1], [3, 1.5, 0])),
          "ulp 0")
    t.add("arange(stop=4), np.arange(2, stop=5), torch.arange(end=3)",
          lambda: (np.arange(4), np.arange(2, 5), np.arange(3)))
