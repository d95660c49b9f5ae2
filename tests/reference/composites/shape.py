"""Composites that are mostly views: PyTorch and NumPy."""

import numpy as np
import torch
import torch.nn.functional as F
from composites.elementwise import by
from composites.table import normal


def rows(t):
    t.pointwise("outer(x, y)", torch.outer, "ulp 0.5", x=normal(5), y=normal(7))
    for k in ({}, {"beta": 0.5, "alpha": 2}, {"beta": 0, "alpha": 3}):
        options = "".join(f", {name}={value}" for name, value in k.items())
        t.pointwise(f"addr(x[0], y, z{options})",
                    lambda x, y, z, k=k: torch.addr(x[0], y, z, **k),
                    "abs 2e-6", x=normal(5, 7), y=normal(5), z=normal(7))
    t.pointwise("diff(x)", torch.diff, "ulp 0.5", x=normal(5, 9))
    for n in (0, 2, 3, 4):
        t.pointwise(f"diff(x, {n}) * 2", lambda x, n=n: 2 * torch.diff(x, n), "abs 3e-6", x=normal(5, 9))
    t.pointwise("diff(x > 0)", lambda x: torch.diff(x > 0), x=normal(5, 9))
    t.pointwise("diff(x, axis=0)", lambda x: torch.diff(x, dim=0), "ulp 0.5", x=normal(5, 9))
    x, y = {"x": normal(5, 9)}, {"y": normal(5, 2)}
    t.add("diff(x, prepend=0), diff(x, append=y), diff(x, prepend=y, append=y[:, :1])",
          lambda x, y: (torch.diff(x, prepend=torch.zeros(5, 1)), torch.diff(x, append=y),
                        torch.diff(x, prepend=y, append=y[:, :1])), "ulp 0.5", **x, **y)
    t.add("diff(x, 0, prepend=y, append=x)", lambda x, y: x, "ulp 0", **x, **y)
    t.add("diff(x, 2, 0, x[:1], 1.5)",
          lambda x: torch.diff(x, 2, 0, x[:1], torch.full((1, 9), 1.5)), "abs 2e-6", **x)
    t.pointwise("rollaxis(x, 2) * 2, rollaxis(x, 0, 3) * 2, rollaxis(x, -1, -2) * 2",
                lambda x: tuple(2 * torch.tensor(np.rollaxis(x.numpy(), *a))
                                for a in ((2,), (0, 3), (-1, -2))), "ulp 0", x=normal(2, 3, 4))
    for text, reference, shape in (
        ("pixel_shuffle(x, 2) * 2", lambda x: F.pixel_shuffle(x, 2) * 2, (2, 8, 3, 5)),
        ("pixel_unshuffle(x, 3) * 2", lambda x: F.pixel_unshuffle(x, 3) * 2, (2, 2, 6, 9)),
        ("pixel_shuffle(x, 2) * 2", lambda x: F.pixel_shuffle(x, 2) * 2, (8, 3, 5)),
        ("pixel_unshuffle(x, 2) * 2", lambda x: F.pixel_unshuffle(x, 2) * 2, (2, 3, 2, 4, 6)),
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
    x = {"x": normal(4, 6)}
    for text, reference in (
        ("flipud(x)", lambda x: x.flip(0)), ("fliplr(x)", lambda x: x.flip(1)),
        *((f"rot90(x, {k})", lambda x, k=k: torch.rot90(x, k)) for k in (0, 1, 2, 3, -1)),
        ("narrow(x, 1, 2, 3)", lambda x: x.narrow(1, 2, 3)),
        ("narrow(x, axis=0, start=1, length=2)", lambda x: x.narrow(0, 1, 2)),
        ("narrow(x, 0, -2, 2)", lambda x: x.narrow(0, -2, 2)),
        ("narrow(x, 1, -5, length=1)", lambda x: x.narrow(1, -5, 1)),
        ("narrow(x, 1, x.shape[1] - 3, 2)", lambda x: x.narrow(1, 3, 2)),
        ("select(x, 1, -2)", lambda x: x.select(1, -2)),
        ("select(x, axis=0, index=1)", lambda x: x.select(0, 1)),
        ("ediff1d(x)", lambda x: x.flatten().diff()),
        ("atleast_1d(x) + atleast_1d(x[0, 0])", lambda x: x + x[0, 0]),
        ("atleast_2d(x[0])", lambda x: x[:1]),
        *((f"diagonal(x, {k})", lambda x, k=k: x.diagonal(k)) for k in (0, 2, -3, 6, -4)),
        ("diag(x, k=1)", lambda x: x.diagonal(1)),
        *((f"diag(x[0], {k})", lambda x, k=k: torch.diag(x[0], k)) for k in (0, 2, -3)),
    ):
        t.add(f"({text}) * 2", lambda x, f=reference: 2 * f(x), "ulp 0.5", **x)
    t.add("trace(x), trace(x, offset=-1)",
          lambda x: (x.diagonal().sum(), x.diagonal(-1).sum()), **x)
    t.pointwise("rot90(x, axes=(1, 2)) * 2", lambda x: 2 * torch.rot90(x, 1, (1, 2)), "ulp 0",
                x=normal(2, 3, 4))
    t.add("diagonal(x, offset=1) * 2", lambda x: 2 * x.diagonal(1, -2, -1), "ulp 0",
          x=normal(2, 3, 4))
    t.pointwise("reshape_as(x, y) + view_as(x, y) * y", lambda x, y: x.view(2, 6) * (1 + y),
                "abs 1e-6", x=normal(3, 4), y=normal(2, 6))
    t.pointwise("expand_as(x, y) * y", lambda x, y: x * y, "ulp 0.5", x=normal(1, 4),
                y=normal(3, 4))
    t.pointwise("cross(x, y)", lambda x, y: torch.linalg.cross(x, y), "abs 1e-6", x=normal(5, 3),
                y=normal(5, 3))
    t.pointwise("cross(x, y, axis=0)", lambda x, y: torch.linalg.cross(x, y, dim=0), "abs 1e-6",
                x=normal(3, 5), y=normal(3, 5))
    t.pointwise("moveaxis(x, (0, 2), (1, 0)) * 2, movedim(x, [0, 1], [-1, -2]) * 2",
                lambda x: (2 * x.movedim((0, 2), (1, 0)), 2 * x.movedim((0, 1), (-1, -2))), "ulp 0",
                x=normal(2, 3, 4))
    t.pointwise("diagflat(x, 1) * 2", lambda x: 2 * torch.diagflat(x, 1), "ulp 0", x=normal(2, 3))
    t.pointwise("diagflat(x, offset=-1) * 2", lambda x: 2 * torch.diagflat(x, -1), "ulp 0",
                x=normal(2, 3))
    for more in ((1,), (-2,), (1, 0, 2), (0, -1, 0), (-1, 1, 0)):
        t.pointwise(f"diag_embed(x, {', '.join(map(str, more))}) * 2",
                    lambda x, m=more: 2 * torch.diag_embed(x, *m), "ulp 0", x=normal(2, 3))
    t.pointwise("diag_embed(x) * 2", lambda x: 2 * torch.diag_embed(x), "ulp 0", x=normal(2, 3))
    t.add("t(x) * 2, x.t() + 1, torch.t(x[0]) + x[0]",
                lambda x: (2 * x.T, x.T + 1, 2 * x[0]), "ulp 0", x=normal(3, 4))
    t.pointwise("matrix_transpose(x) * 2", lambda x: 2 * x.mT, "ulp 0", x=normal(2, 3, 4))
    t.pointwise("kron(x, y)", torch.kron, "ulp 0.5", x=normal(2, 3), y=normal(4, 2))
    t.pointwise("kron(x, y)", torch.kron, "ulp 0.5", x=normal(5), y=normal(3))
    t.pointwise("kron(x, y)", torch.kron, "ulp 0.5", x=normal(2, 3, 2), y=normal(4))
    t.pointwise("torch.kron(x, y)", torch.kron, "ulp 0.5", x=normal(3), y=normal(2, 1, 2, 3))
    t.pointwise("kron(x, y)", torch.kron, "ulp 0.5", x=normal(), y=normal())
    t.pointwise("unflatten(x, -2, (2, -1)) * 2", lambda x: 2 * torch.unflatten(x, -2, (2, -1)),
                "ulp 0", x=normal(2, 6, 3))
    for text, reference in (
        ("hsplit(x, (1, 4))", lambda x: torch.hsplit(x, (1, 4))),
        ("vsplit(x, 2)", lambda x: torch.vsplit(x, 2)),
        ("dsplit(x, 3)", lambda x: torch.dsplit(x, 3)),
        ("x.split((1, 4, 1), -1)", lambda x: x.split((1, 4, 1), -1)),
        ("split_with_sizes(x, (3, 1), 0)", lambda x: torch.split_with_sizes(x, (3, 1), 0)),
        ("tensor_split(x, 4, 1)", lambda x: torch.tensor_split(x, 4, 1)),
        ("tensor_split(x, 6)", lambda x: torch.tensor_split(x, 6)),
        ("array_split(x, (2, 3), 1)", lambda x: torch.tensor_split(x, (2, 3), 1)),
    ):
        t.add(text, lambda x, f=reference: tuple(f(x)), "ulp 0", x=normal(4, 5, 6))
    t.add("a, b = gradient(x); c, d = np.gradient(x, 2, axis=(1, 0)); "
          "a, b, np.gradient(x, axis=(0,)), c, d",
          lambda x: (*np.gradient(x), np.gradient(x, axis=(0,)), *np.gradient(x, 2, axis=(1, 0))),
          "rel 2e-6 abs 1e-6", x=normal(5, 4))
    for text, options in (("x", {"axis": 0}), ("x, 0.5, axis=0", {"axis": 0, "h": 0.5}),
                          ("x, axis=1, edge_order=2", {"axis": 1, "order": 2}),
                          ("x, spacing=3, axis=-1", {"axis": -1, "h": 3})):
        def slopes(x, h=1, axis=0, order=1):
            return np.gradient(x.numpy(), h, axis=axis, edge_order=order)
        line = text == "x"
        t.add(f"gradient({text})", lambda x, o=options: slopes(x, **o), "rel 2e-6 abs 1e-6",
              x=normal(9) if line else normal(5, 4))
    a = {"x": normal(4, 5, 6)}
    for text in ("x.ravel(order='F')", "x.ravel('C')", "x.reshape((6, 20), order='F')",
                 "reshape(x, (-1, 8), order='F')", "x.reshape((3, -1), order='C')",
                 "x.flatten('F')", "x.flatten(order='C')", "concatenate((x[0], x), axis=None)"):
        t.add(f"{text} * 2",
              lambda x, text=text: 2 * eval(text, {"x": x.numpy(), "reshape": np.reshape,
                                                   "concatenate": np.concatenate}), **a)
    t.pointwise("meshgrid(v) + meshgrid(v, 3)",
                lambda v: (v, *(torch.tensor(m) for m in np.meshgrid(v.numpy(), 3))), "ulp 0",
                v=normal(5))
    uneven = {"x": normal(5, 7), "p": np.float32([0, 1, 1.5, 3.25, 4]),
              "q": np.int64([-3, -1, 0, 4, 5, 7, 11])}
    for text in ("gradient(x, q, axis=1)", "gradient(x, p, q, edge_order=2)",
                 "gradient(x, 0.5, q)", "gradient(x, p, axis=0, edge_order=2)",
                 "gradient(x[0], q)", "gradient(x[0], [-3, -1, 0, 4, 5, 7, 11], edge_order=2)",
                 "gradient(x[:3, ::-1], p[1:4], -q[::-1], edge_order=2)"):
        names = [n for n in "xpq" if n in text.replace("gradient", "").replace("edge", "")]
        t.add(f"np.{text}", by(lambda *a, c=text, n=names:
                               eval(f"np.{c}", {"np": np, **dict(zip(n, a))})),
              "rel 3e-6 abs 3e-6", **{n: uneven[n] for n in names})
    for text in ("gradient(x, 1.0, 2.0, 3.0)", "gradient(x, 2.0, axis=1)",
                 "gradient(x, 1.5, 2.0, axis=(0, 2))"):
        t.add(text, lambda x, text=text: (lambda r: tuple(r) if isinstance(r, (list, tuple)) else r)(
            eval(f"np.{text}", {"np": np, "x": x.numpy()})), "abs 2e-6", **a)
    for text in ("ediff1d(x, to_begin=0, to_end=1)", "ediff1d(x, to_end=x[0, 0])"):
        t.add(text, lambda x, text=text: eval(f"np.{text}", {"np": np, "x": x.numpy()}), "abs 1e-6",
              **a)
