"""Where things stand: the papers' formulas in NumPy."""

import numpy as np
import torch
from composites.table import normal, uniform

NEAR = "rel 1e-5 abs 3e-6"  # angles are rounded


def half(x, interleaved=False):
    if interleaved:
        return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def apply(x, cos, sin, interleaved=False):
    return x * cos + half(x, interleaved) * sin


def rotary(x, positions=None, base=10000.0, interleaved=False):
    h = x.shape[-1] // 2
    p = torch.arange(x.shape[-2]) if positions is None else positions
    a = p.double()[:, None] * torch.tensor(base, dtype=torch.float64) ** (-torch.arange(h).double() / h)
    a = a.repeat_interleave(2, -1) if interleaved else torch.cat((a, a), -1)
    return apply(x, a.cos(), a.sin(), interleaved)


def slopes(heads):
    n = 2 ** int(np.floor(np.log2(heads)))
    first = [2.0 ** (-8 * (i + 1) / n) for i in range(n)]
    more = [2.0 ** (-4 * (i + 1) / n) for i in range(2 * n)][::2]
    return np.array((first + more)[:heads])


def alibi(heads, n, m):
    d = np.abs(np.arange(n)[:, None] + m - n - np.arange(m))
    return -slopes(heads)[:, None, None] * d


def rows(t):
    x, c, s = normal(2, 3, 5, 8), normal(5, 8), normal(5, 8)
    h = {"c": normal(5, 4), "s": normal(5, 4)}
    t.pointwise("rotate_half(x) * 2", lambda x: 2 * half(x), "ulp 0", x=x)
    t.pointwise("rotate_half(x, interleaved=True) * 2", lambda x: 2 * half(x, True), "ulp 0", x=x)
    t.pointwise("apply_rotary(x, c, s)", apply, "abs 1e-6", x=x, c=c, s=s)
    t.pointwise("apply_rotary(x, c, s, interleaved=True)", lambda x, c, s: apply(x, c, s, True),
                "abs 1e-6", x=x, c=c, s=s)
    t.pointwise("apply_rotary(x, c, s, halves=True)",
                lambda x, c, s: apply(x, torch.cat((c, c), -1), torch.cat((s, s), -1)), "abs 1e-6",
                x=x, **h)
    t.pointwise("apply_rotary(x, c, s, True, True)",
                lambda x, c, s: apply(x, c.repeat_interleave(2, -1), s.repeat_interleave(2, -1),
                                      True), "abs 1e-6", x=x, **h)
    t.pointwise("q, k = apply_rotary_pos_emb(x, y, c, s); q - k",
                lambda x, y, c, s: apply(x - y, c, s), "abs 3e-6", x=x, y=normal(2, 3, 5, 8), c=c,
                s=s)
    t.add("rotary_embedding(x)", rotary, NEAR, x=x)
    t.add("rotary_embedding(x, p, 500.0, True)",
          lambda x, p: rotary(x, p, 500.0, True), NEAR, x=x, p=np.int64([7, 0, 3, 100, 41]))
    t.add("rotary_embedding(x, base=100.0, interleaved=False)",
          lambda x: rotary(x, None, 100.0), NEAR, x=x)
    for heads in (1, 8, 12, 16, 20):
        t.add(f"alibi_slopes({heads})", lambda k=heads: slopes(k), "ulp 4 wide 1")
    t.add("alibi_slopes(6, dtype=float16)", lambda: slopes(6).astype(np.float16), "ulp 1")
    t.add("alibi_bias(6, 4, 7)", lambda: alibi(6, 4, 7), "ulp 6 wide 1")
    t.add("alibi_bias(8, 5)", lambda: alibi(8, 5, 5), "ulp 6 wide 1")
    t.add("cast(alibi_bias(heads=2, n=3, dtype=float64), float32)", lambda: alibi(2, 3, 3), "ulp 6 wide 1")
    t.add("sinusoidal_embedding(p, 6)",
          lambda p: torch.cat((torch.sin(p[:, None] * 10000.0 ** (-torch.arange(3).double() / 3)),
                               torch.cos(p[:, None] * 10000.0 ** (-torch.arange(3).double() / 3))), -1),
          NEAR, p=uniform(0, 20, 7))
    t.add("sinusoidal_embedding(p, 4, base=100.0)",
          lambda p: torch.cat((torch.sin(p[:, None] * 100.0 ** (-torch.arange(2).double() / 2)),
                               torch.cos(p[:, None] * 100.0 ** (-torch.arange(2).double() / 2))), -1),
          NEAR, p=uniform(0, 20, 7))
