"""Composites that are mostly views: PyTorch and NumPy."""

import torch
import torch.nn.functional as F
from composites.table import normal


def rows(t):
    t.pointwise("outer(x, y)", torch.outer, "ulp 0.5", x=normal(5), y=normal(7))
    t.pointwise("diff(x)", torch.diff, "ulp 0.5", x=normal(5, 9))
    for n in (0, 2, 3, 4):
        t.pointwise(f"diff(x, {n}) * 2", lambda x, n=n: 2 * torch.diff(x, n), "abs 3e-6", x=normal(5, 9))
    t.pointwise("diff(x > 0)", lambda x: torch.diff(x > 0), x=normal(5, 9))
    t.pointwise("diff(x, axis=0)", lambda x: torch.diff(x, dim=0), "ulp 0.5", x=normal(5, 9))
    for text, reference, shape in (
        ("pixel_shuffle(x, 2) * 2", lambda x: F.pixel_shuffle(x, 2) * 2, (2, 8, 3, 5)),
        ("pixel_unshuffle(x, 3) * 2", lambda x: F.pixel_unshuffle(x, 3) * 2, (2, 2, 6, 9)),
        ("channel_shuffle(x, 3) * 2", lambda x: F.channel_shuffle(x, 3) * 2, (2, 6, 3, 5)),
    ):
        t.pointwise(text, reference, "ulp 0", x=normal(*shape))
    for names, shape in (("x, y", (3, 4)), ("x, y, z", (3, 4, 5)), ("x, y, z, w", (2, 3, 4, 5))):
        given = dict(zip("xyzw", (normal(n) for n in shape)))
        last = "abcd"[len(shape) - 1]
        parts = ", ".join("abcd"[:len(shape)])
        for call, kind in (("meshgrid", "xy"), ("torch.meshgrid", "ij")):
            t.pointwise(f"{parts} = {call}({names}); a - b * {last}",
                        lambda *v, k=kind: (lambda m: m[0] - m[1] * m[-1])(
                            torch.meshgrid(*v, indexing=k)), "abs 1e-6", **given)
    t.pointwise("a, b = meshgrid((x, y), indexing='ij'); a - b",
                lambda x, y: x[:, None] - y, "ulp 0.5", x=normal(3), y=normal(4))
